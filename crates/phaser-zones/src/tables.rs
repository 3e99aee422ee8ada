//! The language tables, one file per family. Rules are tried in the order they are listed.

mod c;
mod config;
mod data;
mod functional;
mod jvm;
mod lisp;
mod old;
mod pages;
mod perl;
mod plain;
mod python;
mod ruby;
mod shell;
mod sql;
mod styles;
mod systems;
mod web;
mod windows;

use super::Language;
use super::build::{BACKSLASH, block, escaped, hole, line, nesting, rule, string};
use super::rule::{At, Escape, Fence, Hole, Rule, RuleKind};
pub(super) use config::{DOTENV, IGNORE, INI};
pub(super) use pages::MARKDOWN;
pub(super) use plain::{NOTEBOOK, PLAIN, RESTRUCTURED_TEXT, TEMPLATE, TRAILING};
pub(super) use python::PYTHON;
pub(super) use shell::DOCKERFILE;

/// All languages. The first one with an extension owns it.
pub(super) static ALL: &[&[&Language]] = &[
    c::LANGUAGES,
    systems::LANGUAGES,
    jvm::LANGUAGES,
    web::LANGUAGES,
    styles::LANGUAGES,
    pages::LANGUAGES,
    python::LANGUAGES,
    ruby::LANGUAGES,
    perl::LANGUAGES,
    shell::LANGUAGES,
    windows::LANGUAGES,
    functional::LANGUAGES,
    lisp::LANGUAGES,
    sql::LANGUAGES,
    data::LANGUAGES,
    config::LANGUAGES,
    old::LANGUAGES,
];

/// Marks of languages that share an extension: extension, text near the start of the file, language.
pub(super) static TELLING: &[(&str, &[u8], &Language)] = &[
    ("m", b"@interface", &c::OBJECTIVE_C),
    ("m", b"@implementation", &c::OBJECTIVE_C),
    ("m", b"#import", &c::OBJECTIVE_C),
    ("m", b"#include", &c::OBJECTIVE_C),
    ("m", b"@protocol", &c::OBJECTIVE_C),
    ("m", b"*/", &c::OBJECTIVE_C),
    ("sql", b"ENGINE=", &sql::MYSQL),
    ("sql", b"AUTO_INCREMENT", &sql::MYSQL),
    ("sql", b"auto_increment", &sql::MYSQL),
    ("pl", b"\n:- ", &functional::PROLOG),
    ("pl", b" :-\n", &functional::PROLOG),
    ("pro", b"\n:- ", &functional::PROLOG),
    ("pro", b" :-\n", &functional::PROLOG),
    ("v", b"Require Import", &functional::COQ),
    ("v", b"Proof.", &functional::COQ),
    ("cls", b"\\ProvidesClass", &old::TEX),
    ("cls", b"Attribute VB_", &windows::VISUAL_BASIC),
];

/// The first line of a script.
const SHEBANG: Rule = line("#!").at(At::TextStart);

const HASH: Rule = line("#");
const SLASHES: Rule = line("//");
const BLOCK: Rule = block("/*", "*/");
const NESTING: Rule = nesting("/*", "*/");
const DOUBLE: Rule = escaped("\"");
const SINGLE: Rule = escaped("'");
const CHARACTER: Rule = rule("'", RuleKind::CharOrLabel(BACKSLASH));
/// A name in backquotes.
const QUOTED_NAME: Rule = string("`").as_code().closed();

const DOUBLED_DOUBLE: &[Escape] = &[Escape::Exact("\"\"")];
const DOUBLED_SINGLE: &[Escape] = &[Escape::Exact("''")];
const DOLLAR_BRACES: &[Hole] = &[hole("${", "{}")];
/// The equals signs of `[==[`.
const LEVEL: Fence = Fence::Run { byte: b'=', min: 0 };

/// The format after the colon of a field, which is text.
static FORMAT: Language = Language::new("format", &[]);
static FORMAT_HOLE: Hole = hole("", "{}").of(&FORMAT);
static FORMATTED: [(&str, &Hole); 1] = [(":", &FORMAT_HOLE)];
/// The fields of `$"{a:b}"`, with as many braces as there are dollars.
static FIELDS: [Hole; 1] = [hole("{", "{}()[]").repeated("").turns(&FORMATTED)];

/// A string of .NET with fields, in which two braces or quotes stand for one.
const fn verbatim_fields(open: &'static str) -> Rule {
    let escapes = &[Escape::Exact("\"\""), Escape::Exact("{{")];
    string(open).closed_by("\"").many().escapes(escapes).holes(&FIELDS)
}

/// `@"…"`, `$@"…"`, `@$"…"` and `$"…"` of .NET.
const VERBATIM: Rule = string("@\"").closed_by("\"").many().escapes(DOUBLED_DOUBLE);
const fn dollar_verbatim() -> Rule {
    verbatim_fields("@\"").after_run(b'$', 1)
}
const fn verbatim_dollar() -> Rule {
    verbatim_fields("@$\"")
}
const fn interpolated() -> Rule {
    string("\"").after_run(b'$', 1).escapes(&[Escape::Exact("{{"), Escape::Next(b'\\')]).holes(&FIELDS)
}
