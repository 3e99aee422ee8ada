//! C and languages with its strings: C++, Objective-C, C#, shaders, schemas.

use super::super::Language;
use super::super::build::{BACKSLASH, escaped, hole, island, nesting, rule, skip, string};
use super::super::lines::LineEnds;
use super::super::rule::{At, Fence, HoleEnd, Rule, RuleKind};
use super::{
    BLOCK, DOUBLE, FIELDS, HASH, SHEBANG, SINGLE, SLASHES, VERBATIM, dollar_verbatim, interpolated,
    verbatim_dollar,
};

pub(super) static LANGUAGES: &[&Language] =
    &[&C, &CPP, &OBJECTIVE_C, &C_SHARP, &SHADER, &VERILOG, &PROTOBUF, &THRIFT, &SOLIDITY, &VALA, &D];

const LINE: Rule = SLASHES.continued_by(b'\\');
const ENCODINGS: &[&str] = &["L", "u8", "u", "U"];
const STRING: Rule = escaped("\"").maybe_after(ENCODINGS);
const CHARACTER: Rule = escaped("'").maybe_after(ENCODINGS);
const NUMBER: Rule = rule("", RuleKind::Number);

/// The text of a directive, in which a single quote is an apostrophe.
static DIRECTIVE: Language =
    Language::new("directive", &[LINE, BLOCK, STRING.closed()]).line_ends(LineEnds::CR);
/// The text of a C# directive, in which quotes are plain characters.
static LABEL: Language = Language::new("label", &[LINE]).line_ends(LineEnds::DOT_NET);

const fn directive(name: &'static str, inside: &'static Language) -> Rule {
    island(hole(name, "").until(HoleEnd::Line).of(inside)).at(At::FirstOnLine)
}

const fn messages() -> [Rule; 4] {
    [
        directive("#error", &DIRECTIVE),
        directive("#warning", &DIRECTIVE),
        directive("# error", &DIRECTIVE),
        directive("# warning", &DIRECTIVE),
    ]
}
static MESSAGES: [Rule; 4] = messages();

pub(super) static C: Language = Language::new("C", &[LINE, BLOCK, STRING, CHARACTER, NUMBER])
    .and(&MESSAGES)
    .extensions("c y l dts dtsi ld lds mlir td")
    .interpreters("tcc")
    .line_ends(LineEnds::CR);

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
    ],
)
.and(&MESSAGES)
.line_ends(LineEnds::CR)
.extensions("h cc cpp cxx c++ hh hpp hxx h++ inl ipp ixx cppm tpp tcc ino cu cuh yy pde metal");

pub(super) static OBJECTIVE_C: Language =
    Language::new("Objective-C", &[LINE, BLOCK, escaped("@\"").closed_by("\""), STRING, CHARACTER, NUMBER])
        .and(&MESSAGES)
        .line_ends(LineEnds::CR)
        .extensions("mm");

const RAW: Rule = string("").fence(Fence::Run { byte: b'"', min: 3 }, "").closed_by("").many();

pub(super) static C_SHARP: Language = Language::new(
    "C#",
    &[
        SHEBANG,
        LINE,
        BLOCK,
        RAW.after_run(b'$', 1).holes(&FIELDS),
        dollar_verbatim(),
        verbatim_dollar(),
        VERBATIM,
        RAW,
        interpolated(),
        DOUBLE,
        SINGLE,
        directive("#region", &LABEL),
        directive("#endregion", &LABEL),
        directive("#error", &LABEL),
        directive("#warning", &LABEL),
        directive("#pragma", &LABEL),
    ],
)
.line_ends(LineEnds::DOT_NET)
.extensions("cs csx cake");

static SHADER: Language = Language::new("shader", &[LINE, BLOCK, DOUBLE])
    .line_ends(LineEnds::CR)
    .extensions("glsl vert frag comp geom tesc tese hlsl fx wgsl shader cginc stan");

static VERILOG: Language = Language::new("Verilog", &[LINE, BLOCK, DOUBLE]).extensions("v vh sv svh");

static PROTOBUF: Language = Language::new("Protocol Buffers", &[SLASHES, BLOCK, DOUBLE, SINGLE])
    .extensions("proto fbs prisma g4 pest idl smithy");

static THRIFT: Language =
    Language::new("Thrift", &[SLASHES, HASH, BLOCK, DOUBLE, SINGLE]).extensions("thrift capnp");

static SOLIDITY: Language = Language::new(
    "Solidity",
    &[
        SLASHES,
        BLOCK,
        DOUBLE.maybe_after(&["hex", "unicode", "b", "x"]),
        SINGLE.maybe_after(&["hex", "unicode"]),
    ],
)
.line_ends(LineEnds::UNICODE)
.extensions("sol cairo move dfy");

static VALA: Language = Language::new(
    "Vala",
    &[
        LINE,
        BLOCK,
        string("\"\"\"").many(),
        escaped("@\"").closed_by("\"").many().holes(&[hole("$(", "()")]),
        DOUBLE,
        SINGLE,
    ],
)
.extensions("vala vapi");

static D: Language = Language::new(
    "D",
    &[
        SHEBANG,
        SLASHES,
        BLOCK,
        nesting("/+", "+/"),
        string("\"").after(&["r"]).many(),
        string("`").many(),
        string("\"(").after(&["q"]).closed_by(")\"").many(),
        string("\"[").after(&["q"]).closed_by("]\"").many(),
        string("\"{").after(&["q"]).closed_by("}\"").many(),
        string("\"<").after(&["q"]).closed_by(">\"").many(),
        string("\"").escapes(BACKSLASH).many(),
        SINGLE,
        skip("\\"),
    ],
)
.line_ends(LineEnds::UNICODE)
.extensions("d di")
.interpreters("rdmd");
