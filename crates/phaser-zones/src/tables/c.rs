//! C and languages with its strings: C++, Objective-C, C#, shaders, schemas.

use super::super::Language;
use super::super::build::{BACKSLASH, block, escaped, hole, island, line, nesting, rule, skip, string};
use super::super::rule::{At, Escape, Fence, Hole, HoleEnd, Rule, RuleKind};
use super::{DOUBLED_DOUBLE, SHEBANG};

pub(super) static LANGUAGES: &[&Language] =
    &[&C, &CPP, &OBJECTIVE_C, &C_SHARP, &SHADER, &VERILOG, &PROTOBUF, &THRIFT, &SOLIDITY, &VALA, &D];

const LINE: Rule = line("//").continued_by(b'\\');
const BLOCK: Rule = block("/*", "*/");
const ENCODINGS: &[&str] = &["L", "u8", "u", "U"];
const STRING: Rule = escaped("\"").maybe_after(ENCODINGS);
const CHARACTER: Rule = escaped("'").maybe_after(ENCODINGS);
const NUMBER: Rule = rule("", RuleKind::Number);

/// The text of a directive, in which a single quote is an apostrophe.
static DIRECTIVE: Language = Language::new("directive", &[LINE, BLOCK, STRING.closed()]);

const fn message(directive: &'static str) -> Rule {
    island(hole(directive, "").until(HoleEnd::At("\n")).of(&DIRECTIVE)).at(At::FirstOnLine)
}

/// The text of a C# directive, in which quotes are plain characters.
static LABEL: Language = Language::new("label", &[LINE]);

const fn label(directive: &'static str) -> Rule {
    island(hole(directive, "").until(HoleEnd::At("\n")).of(&LABEL)).at(At::FirstOnLine)
}

pub(super) static C: Language =
    Language::new("C", &[LINE, BLOCK, STRING, CHARACTER, NUMBER, message("#error"), message("#warning")])
        .extensions(&["c", "y", "l", "dts", "dtsi", "ld", "lds", "mlir", "td"])
        .interpreters(&["tcc"]);

pub(super) static CPP: Language = Language::new(
    "C++",
    &[
        LINE,
        BLOCK,
        string("\"")
            .after(&["R", "LR", "u8R", "uR", "UR"])
            .fence(Fence::Delimiter, "(")
            .closed_by_parts(")", "\"")
            .many(),
        STRING,
        CHARACTER,
        NUMBER,
        message("#error"),
        message("#warning"),
        message("# error"),
        message("# warning"),
    ],
)
.extensions(&[
    "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "ixx", "cppm", "tpp", "tcc",
    "ino", "cu", "cuh", "yy", "pde", "metal",
]);

pub(super) static OBJECTIVE_C: Language = Language::new(
    "Objective-C",
    &[
        LINE,
        BLOCK,
        escaped("@\"").closed_by("\""),
        STRING,
        CHARACTER,
        NUMBER,
        message("#error"),
        message("#warning"),
    ],
)
.extensions(&["mm"]);

/// The part after the colon of a field is text.
static C_SHARP_FORMAT: Hole = hole("", "{}").of(&FORMAT);
static FORMAT: Language = Language::new("format", &[]);
const fn field(open: &'static str) -> Hole {
    hole(open, "{}()[]").format(&C_SHARP_FORMAT)
}
const RAW: Fence = Fence::Run { byte: b'"', min: 3 };
const fn raw(dollars: &'static str) -> Rule {
    string(dollars).fence(RAW, "").closed_by("").many()
}

pub(super) static C_SHARP: Language = Language::new(
    "C#",
    &[
        SHEBANG,
        LINE,
        BLOCK,
        raw("$$$").holes(&[field("{{{")]),
        raw("$$").holes(&[field("{{")]),
        raw("$").holes(&[field("{")]),
        string("$@\"")
            .closed_by("\"")
            .many()
            .escapes(&[Escape::Exact("\"\""), Escape::Exact("{{")])
            .holes(&[field("{")]),
        string("@$\"")
            .closed_by("\"")
            .many()
            .escapes(&[Escape::Exact("\"\""), Escape::Exact("{{")])
            .holes(&[field("{")]),
        string("@\"").closed_by("\"").many().escapes(DOUBLED_DOUBLE),
        string("$\"")
            .closed_by("\"")
            .escapes(&[Escape::Exact("{{"), Escape::Next(b'\\')])
            .holes(&[field("{")]),
        raw(""),
        escaped("\""),
        escaped("'"),
        label("#region"),
        label("#endregion"),
        label("#error"),
        label("#warning"),
        label("#pragma"),
    ],
)
.extensions(&["cs", "csx", "cake"]);

static SHADER: Language = Language::new("shader", &[LINE, BLOCK, escaped("\"")]).extensions(&[
    "glsl", "vert", "frag", "comp", "geom", "tesc", "tese", "hlsl", "fx", "wgsl", "shader", "cginc", "stan",
]);

static VERILOG: Language =
    Language::new("Verilog", &[LINE, BLOCK, escaped("\"")]).extensions(&["v", "vh", "sv", "svh"]);

static PROTOBUF: Language =
    Language::new("Protocol Buffers", &[line("//"), BLOCK, escaped("\""), escaped("'")])
        .extensions(&["proto", "fbs", "prisma", "g4", "pest", "idl", "smithy"]);

static THRIFT: Language =
    Language::new("Thrift", &[line("//"), line("#"), BLOCK, escaped("\""), escaped("'")])
        .extensions(&["thrift", "capnp"]);

static SOLIDITY: Language = Language::new(
    "Solidity",
    &[
        line("//"),
        BLOCK,
        escaped("\"").maybe_after(&["hex", "unicode", "b", "x"]),
        escaped("'").maybe_after(&["hex", "unicode"]),
    ],
)
.extensions(&["sol", "cairo", "move", "dfy"]);

static VALA: Language = Language::new(
    "Vala",
    &[
        LINE,
        BLOCK,
        string("\"\"\"").many(),
        escaped("@\"").closed_by("\"").many().holes(&[hole("$(", "()")]),
        escaped("\""),
        escaped("'"),
    ],
)
.extensions(&["vala", "vapi"]);

static D: Language = Language::new(
    "D",
    &[
        SHEBANG,
        line("//"),
        BLOCK,
        nesting("/+", "+/"),
        string("\"").after(&["r"]).many(),
        string("`").many(),
        string("\"(").after(&["q"]).closed_by(")\"").many(),
        string("\"[").after(&["q"]).closed_by("]\"").many(),
        string("\"{").after(&["q"]).closed_by("}\"").many(),
        string("\"<").after(&["q"]).closed_by(">\"").many(),
        string("\"").escapes(BACKSLASH).many(),
        escaped("'"),
        skip("\\"),
    ],
)
.extensions(&["d", "di"])
.interpreters(&["rdmd"]);
