//! Python and similar languages, and scripting languages without a family.

use super::super::Language;
use super::super::Zone;
use super::super::build::{escaped, hole, island, line, nesting, string};
use super::super::language::{LineBreak, Operands};
use super::super::lines::LineEnds;
use super::super::rule::{At, Escape, Fence, Hole, Rule};
use super::{CHARACTER, DOUBLE, HASH, LEVEL, QUOTED_NAME, SINGLE};

pub(super) static LANGUAGES: &[&Language] =
    &[&PYTHON, &STARLARK, &MESON, &GDSCRIPT, &LUA, &R, &JULIA, &TCL, &AWK];

const PLAIN: &[&str] = &["r", "u", "b", "br", "rb", "ur"];
/// A backslash does not escape a brace, except in the name of a character.
const RAW_ESCAPES: &[Escape] = &[Escape::Exact("{{"), Escape::NextBut(b'\\', b'{')];
const FORMATTED_ESCAPES: &[Escape] =
    &[Escape::Exact("\\N{"), Escape::Exact("{{"), Escape::NextBut(b'\\', b'{')];
static FIELDS: [Hole; 1] = [hole("{", "{}()[]").turns(&FORMATTED)];
/// The part after the colon of a field: text and fields.
static FORMATTED: [(&str, &Hole); 1] = [(":", &FORMAT_HOLE)];
static FORMAT_HOLE: Hole = hole("", "{}").of(&FORMAT);
static FORMAT: Language =
    Language::new("format", &[island(hole("{", "{}()[]").turns(&FORMATTED).of(&PYTHON))]);

const fn plain(quote: &'static str) -> Rule {
    escaped(quote).maybe_after(PLAIN).any_case()
}

const PLAIN_STRINGS: &[Rule] = &[plain("\"\"\"").many(), plain("'''").many(), plain("\""), plain("'")];

const fn formatted(quote: &'static str) -> Rule {
    string(quote).after(&["f", "t"]).any_case().escapes(FORMATTED_ESCAPES).holes(&FIELDS)
}

const fn raw_formatted(quote: &'static str) -> Rule {
    string(quote).after(&["fr", "rf", "tr", "rt"]).any_case().escapes(RAW_ESCAPES).holes(&FIELDS)
}

pub(in super::super) static PYTHON: Language = Language::new(
    "Python",
    &[
        HASH,
        formatted("\"\"\"").many(),
        formatted("'''").many(),
        formatted("\""),
        formatted("'"),
        raw_formatted("\"\"\"").many(),
        raw_formatted("'''").many(),
        raw_formatted("\""),
        raw_formatted("'"),
    ],
)
.and(PLAIN_STRINGS)
.line_ends(LineEnds::CR)
.extensions("py pyi pyw pyx pxd pxi mojo smk wsgi")
.names("snakefile sconstruct sconscript wscript")
.interpreters("python pypy uv pipx");

static STARLARK: Language = Language::new("Starlark", &[HASH])
    .and(PLAIN_STRINGS)
    .line_ends(LineEnds::CR)
    .extensions("bzl bazel star sky")
    .names("build workspace buck tiltfile");

static MESON: Language =
    Language::new("Meson", &[HASH, string("'''").many(), SINGLE]).names("meson.build meson_options.txt");

static GDSCRIPT: Language = Language::new(
    "GDScript",
    &[
        HASH,
        escaped("\"\"\"").maybe_after(&["r"]).many(),
        escaped("'''").maybe_after(&["r"]).many(),
        DOUBLE.maybe_after(&["r"]).many(),
        SINGLE.maybe_after(&["r"]).many(),
    ],
)
.extensions("gd");

/// `\z` skips the white space after it.
const LUA_ESCAPES: &[Escape] = &[Escape::Gap("\\z", ""), Escape::Next(b'\\')];

static LUA: Language = Language::new(
    "Lua",
    &[
        HASH.at(At::TextStart),
        string("--[").fence(LEVEL, "[").closed_by_parts("]", "]").zone(Zone::Comment).many(),
        line("--"),
        string("[").fence(LEVEL, "[").closed_by_parts("]", "]").many(),
        string("\"").escapes(LUA_ESCAPES),
        string("'").escapes(LUA_ESCAPES),
        string("`").escapes(LUA_ESCAPES).holes(&[hole("{", "{}")]),
    ],
)
.line_ends(LineEnds::CR)
.extensions("lua luau rockspec moon tl")
.names(".luacheckrc")
.interpreters("lua luajit luau");

const DASHES: Fence = Fence::Run { byte: b'-', min: 0 };
const fn raw(quote: &'static str, open: &'static str, close: &'static str) -> Rule {
    string(quote).after(&["r", "R"]).fence(DASHES, open).closed_by_parts(close, quote).many()
}

static R: Language = Language::new(
    "R",
    &[
        HASH,
        raw("\"", "(", ")"),
        raw("\"", "[", "]"),
        raw("\"", "{", "}"),
        raw("'", "(", ")"),
        raw("'", "[", "]"),
        raw("'", "{", "}"),
        DOUBLE.many(),
        SINGLE.many(),
        QUOTED_NAME.escapes(&[Escape::Next(b'\\')]),
    ],
)
.extensions("r")
.names(".rprofile")
.interpreters("Rscript littler");

const JULIA_HOLES: &[Hole] = &[hole("$(", "()")];

static JULIA: Language = Language::new(
    "Julia",
    &[
        nesting("#=", "=#"),
        HASH,
        escaped("\"\"\"").after_word().many(),
        escaped("\"\"\"").many().holes(JULIA_HOLES),
        DOUBLE.after_word().many(),
        DOUBLE.many().holes(JULIA_HOLES),
        escaped("```").after_word().many(),
        escaped("```").many().holes(JULIA_HOLES),
        escaped("`").after_word().many(),
        escaped("`").many().holes(JULIA_HOLES),
        CHARACTER.at(At::NotAfterValue),
    ],
)
.extensions("jl")
.interpreters("julia");

static TCL: Language = Language::new(
    "Tcl",
    &[HASH.at(At::Command), escaped("\"").closed().holes(&[hole("[", "[]")]).at(At::AfterBlank)],
)
.extensions("tcl tk exp xdc sdc")
.interpreters("tclsh wish expect");

static AWK: Language = Language::new("AWK", &[HASH, DOUBLE, escaped("/").as_code().closed().at(At::Operand)])
    .extensions("awk gawk")
    .interpreters("awk gawk mawk")
    .operands(Operands {
        keywords: "return print printf in case else do",
        conditions: "if while for",
        closers: ")]",
        line_break: LineBreak::Ends,
        ..Operands::NONE
    });
