//! Python and similar languages, and scripting languages without a family.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, escaped, hole, island, line, nesting, rule, string};
use super::super::language::{LineBreak, Operands};
use super::super::rule::{At, Escape, Fence, Hole, Rule, RuleKind};
use super::SHEBANG;

pub(super) static LANGUAGES: &[&Language] =
    &[&PYTHON, &STARLARK, &MESON, &GDSCRIPT, &LUA, &R, &JULIA, &TCL, &AWK];

const COMMENT: Rule = line("#");
const PLAIN: &[&str] = &["r", "u", "b", "br", "rb"];
const FORMATTED: &[&str] = &["f", "fr", "rf", "t", "tr", "rt"];
/// A backslash does not escape a brace, except in the name of a character.
const FORMATTED_ESCAPES: &[Escape] =
    &[Escape::Exact("\\N{"), Escape::Exact("{{"), Escape::NextBut(b'\\', b'{')];
static FIELDS: [Hole; 1] = [hole("{", "{}()[]").format(&FORMAT_HOLE)];
/// The part after the colon of a field: text and fields.
static FORMAT_HOLE: Hole = hole("", "{}").of(&FORMAT);
static FORMAT: Language =
    Language::new("format", &[island(hole("{", "{}()[]").format(&FORMAT_HOLE).of(&PYTHON))]);

const fn plain(quote: &'static str) -> Rule {
    escaped(quote).maybe_after(PLAIN).any_case()
}

const fn formatted(quote: &'static str) -> Rule {
    string(quote).after(FORMATTED).any_case().escapes(FORMATTED_ESCAPES).holes(&FIELDS)
}

pub(in super::super) static PYTHON: Language = Language::new(
    "Python",
    &[
        COMMENT,
        formatted("\"\"\"").many(),
        formatted("'''").many(),
        formatted("\""),
        formatted("'"),
        plain("\"\"\"").many(),
        plain("'''").many(),
        plain("\""),
        plain("'"),
    ],
)
.extensions(&["py", "pyi", "pyw", "pyx", "pxd", "pxi", "mojo", "smk", "wsgi"])
.names(&["snakefile", "sconstruct", "sconscript", "wscript"])
.interpreters(&["python", "pypy", "uv", "pipx"]);

static STARLARK: Language = Language::new(
    "Starlark",
    &[COMMENT, plain("\"\"\"").many(), plain("'''").many(), plain("\""), plain("'")],
)
.extensions(&["bzl", "bazel", "star", "sky"])
.names(&["build", "workspace", "buck", "tiltfile"]);

static MESON: Language = Language::new("Meson", &[COMMENT, string("'''").many(), escaped("'")])
    .names(&["meson.build", "meson_options.txt"]);

static GDSCRIPT: Language = Language::new(
    "GDScript",
    &[COMMENT, escaped("\"\"\"").many(), escaped("'''").many(), escaped("\"").many(), escaped("'").many()],
)
.extensions(&["gd"]);

const LEVEL: Fence = Fence::Run { byte: b'=', min: 0 };

static LUA: Language = Language::new(
    "Lua",
    &[
        SHEBANG,
        string("--[").fence(LEVEL, "[").closed_by_parts("]", "]").zone(Zone::Comment).many(),
        line("--"),
        string("[").fence(LEVEL, "[").closed_by_parts("]", "]").many(),
        escaped("\""),
        escaped("'"),
        escaped("`").holes(&[hole("{", "{}")]),
    ],
)
.extensions(&["lua", "luau", "rockspec", "moon", "tl"])
.names(&[".luacheckrc"])
.interpreters(&["lua", "luajit", "luau"]);

const DASHES: Fence = Fence::Run { byte: b'-', min: 0 };
const fn raw(quote: &'static str, open: &'static str, close: &'static str) -> Rule {
    string(quote).after(&["r", "R"]).fence(DASHES, open).closed_by_parts(close, quote).many()
}

static R: Language = Language::new(
    "R",
    &[
        COMMENT,
        raw("\"", "(", ")"),
        raw("\"", "[", "]"),
        raw("\"", "{", "}"),
        raw("'", "(", ")"),
        raw("'", "[", "]"),
        raw("'", "{", "}"),
        escaped("\"").many(),
        escaped("'").many(),
        escaped("`").as_code().closed(),
    ],
)
.extensions(&["r"])
.names(&[".rprofile"])
.interpreters(&["Rscript", "littler"]);

const JULIA_HOLES: &[Hole] = &[hole("$(", "()")];

static JULIA: Language = Language::new(
    "Julia",
    &[
        nesting("#=", "=#"),
        COMMENT,
        escaped("\"\"\"").after_word().many(),
        escaped("\"\"\"").many().holes(JULIA_HOLES),
        escaped("\"").after_word().many(),
        escaped("\"").many().holes(JULIA_HOLES),
        escaped("```").many().holes(JULIA_HOLES),
        escaped("`").many().holes(JULIA_HOLES),
        rule("'", RuleKind::CharOrLabel(BACKSLASH)).at(At::NotAfterValue),
    ],
)
.extensions(&["jl"])
.interpreters(&["julia"]);

static TCL: Language = Language::new(
    "Tcl",
    &[COMMENT.at(At::Command), escaped("\"").closed().holes(&[hole("[", "[]")]).at(At::AfterBlank)],
)
.extensions(&["tcl", "tk", "exp", "xdc", "sdc"])
.interpreters(&["tclsh", "wish", "expect"]);

static AWK: Language =
    Language::new("AWK", &[COMMENT, escaped("\""), escaped("/").as_code().closed().at(At::Operand)])
        .extensions(&["awk", "gawk"])
        .interpreters(&["awk", "gawk", "mawk"])
        .operands(Operands {
            keywords: &["return", "print", "printf", "in", "case", "else", "do"],
            conditions: &["if", "while", "for"],
            closers: ")]",
            line_break: LineBreak::Ends,
        });
