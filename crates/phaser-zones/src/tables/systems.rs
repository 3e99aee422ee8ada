//! Languages that compile to machine code and are younger than C++: Rust, Go, Swift, Zig and others.

use super::super::Language;
use super::super::Zone;
use super::super::build::{escaped, hole, line, nesting, rule, skip, string};
use super::super::language::{LineBreak, Operands};
use super::super::lines::LineEnds;
use super::super::rule::{At, CloseAt, Escape, Fence, RuleKind};
use super::{BLOCK, CHARACTER, DOLLAR_BRACES, DOUBLE, HASH, NESTING, QUOTED_NAME, SHEBANG, SINGLE, SLASHES};

pub(super) static LANGUAGES: &[&Language] = &[
    &RUST,
    &GO,
    &GO_MOD,
    &SWIFT,
    &ZIG,
    &NIM,
    &ODIN,
    &GLEAM,
    &HAXE,
    &ASSEMBLY,
    &GNU_ASSEMBLY,
    &WEB_ASSEMBLY,
    &LLVM,
];

const HASHES: Fence = Fence::Run { byte: b'#', min: 1 };

static RUST: Language = Language::new(
    "Rust",
    &[
        skip("#![").at(At::TextStart),
        SHEBANG,
        SLASHES,
        NESTING,
        string("")
            .after(&["r", "br", "cr"])
            .fence(Fence::Run { byte: b'#', min: 0 }, "\"")
            .closed_by("\"")
            .many(),
        escaped("\"").maybe_after(&["b", "c"]).many(),
        CHARACTER.maybe_after(&["b"]),
    ],
)
.extensions("rs ron")
.interpreters("rust-script cargo");

static GO: Language = Language::new("Go", &[SLASHES, BLOCK, DOUBLE, SINGLE, string("`").many()])
    .extensions("go templ")
    .interpreters("go gorun");

static GO_MOD: Language = Language::new("go.mod", &[SLASHES, escaped("\"").closed(), string("`").many()])
    .names("go.mod go.sum go.work");

static SWIFT: Language = Language::new(
    "Swift",
    &[
        SHEBANG,
        SLASHES,
        NESTING,
        string("").fence(HASHES, "\"\"\"").closed_by("\"\"\"").many().holes(&[hole("\\", "()").fenced("(")]),
        string("").fence(HASHES, "\"").closed_by("\"").holes(&[hole("\\", "()").fenced("(")]),
        string("").fence(HASHES, "/").closed_by("/").as_code().many(),
        escaped("\"\"\"").many().holes(&[hole("\\(", "()")]),
        DOUBLE.holes(&[hole("\\(", "()")]),
        escaped("/").as_code().closed().at(At::TightOperand),
        QUOTED_NAME,
    ],
)
.extensions("swift")
.interpreters("swift")
.operands(Operands {
    keywords: "return in case if while guard else throw try await where switch",
    line_break: LineBreak::Ends,
    ..Operands::NONE
})
.line_ends(LineEnds::CR);

static ZIG: Language = Language::new("Zig", &[SLASHES, line("\\\\").zone(Zone::String), DOUBLE, SINGLE])
    .extensions("zig zon")
    .interpreters("zig");

static NIM: Language = Language::new(
    "Nim",
    &[
        nesting("##[", "]##"),
        nesting("#[", "]#"),
        HASH,
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun).after_word(),
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun),
        string("\"").after_word().escapes(&[Escape::Exact("\"\"")]),
        DOUBLE,
        CHARACTER.at(At::NotAfterWord),
        rule("", RuleKind::Number),
    ],
)
.line_ends(LineEnds::CR)
.extensions("nim nims nimble")
.interpreters("nim");

static ODIN: Language = Language::new("Odin", &[SLASHES, NESTING, DOUBLE, SINGLE, string("`").many()])
    .extensions("odin jai c3 bal");

static GLEAM: Language = Language::new("Gleam", &[SLASHES, escaped("\"").many()]).extensions("gleam");

static HAXE: Language =
    Language::new("Haxe", &[SLASHES, BLOCK, escaped("\"").many(), SINGLE.many().holes(DOLLAR_BRACES)])
        .extensions("hx as");

static ASSEMBLY: Language =
    Language::new("assembly", &[line(";"), BLOCK, SLASHES, string("\"").closed(), string("'").closed()])
        .extensions("asm nasm masm z80 a51");

/// For the GNU assembler a semicolon separates statements, and `#` and `@` depend on the machine.
static GNU_ASSEMBLY: Language = Language::new(
    "GNU assembly",
    &[
        BLOCK,
        SLASHES,
        line("# ").at(At::AfterBlank),
        line("@ ").at(At::AfterBlank),
        escaped("\"").closed(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions("s");

static WEB_ASSEMBLY: Language =
    Language::new("WebAssembly text", &[line(";;"), nesting("(;", ";)"), escaped("\"")])
        .extensions("wat wast");

static LLVM: Language = Language::new("LLVM IR", &[line(";"), escaped("\"")]).extensions("ll");
