//! Languages that compile to machine code and are younger than C++: Rust, Go, Swift, Zig and others.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, block, escaped, hole, line, nesting, rule, skip, string};
use super::super::rule::{At, CloseAt, Escape, Fence, Rule, RuleKind};
use super::SHEBANG;

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

const BLOCK: Rule = block("/*", "*/");
const NESTING: Rule = nesting("/*", "*/");
const CHARACTER: Rule = rule("'", RuleKind::CharOrLabel(BACKSLASH));
const HASHES: Fence = Fence::Run { byte: b'#', min: 1 };

static RUST: Language = Language::new(
    "Rust",
    &[
        skip("#![").at(At::TextStart),
        SHEBANG,
        line("//"),
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
.extensions(&["rs", "ron"])
.interpreters(&["rust-script", "cargo"]);

static GO: Language =
    Language::new("Go", &[line("//"), BLOCK, escaped("\""), escaped("'"), string("`").many()])
        .extensions(&["go", "templ"])
        .interpreters(&["go", "gorun"]);

static GO_MOD: Language = Language::new("go.mod", &[line("//"), escaped("\"").closed(), string("`").many()])
    .names(&["go.mod", "go.sum", "go.work"]);

static SWIFT: Language = Language::new(
    "Swift",
    &[
        SHEBANG,
        line("//"),
        NESTING,
        string("").fence(HASHES, "\"\"\"").closed_by("\"\"\"").many().holes(&[hole("\\", "()").fenced("(")]),
        string("").fence(HASHES, "\"").closed_by("\"").holes(&[hole("\\", "()").fenced("(")]),
        string("").fence(HASHES, "/").closed_by("/").as_code().many(),
        escaped("\"\"\"").many().holes(&[hole("\\(", "()")]),
        escaped("\"").holes(&[hole("\\(", "()")]),
    ],
)
.extensions(&["swift"])
.interpreters(&["swift"]);

static ZIG: Language =
    Language::new("Zig", &[line("//"), line("\\\\").zone(Zone::String), escaped("\""), escaped("'")])
        .extensions(&["zig", "zon"])
        .interpreters(&["zig"]);

static NIM: Language = Language::new(
    "Nim",
    &[
        nesting("##[", "]##"),
        nesting("#[", "]#"),
        line("#"),
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun).after_word(),
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun),
        string("\"").after_word().escapes(&[Escape::Exact("\"\"")]),
        escaped("\""),
        CHARACTER.at(At::NotAfterWord),
        rule("", RuleKind::Number),
    ],
)
.extensions(&["nim", "nims", "nimble"])
.interpreters(&["nim"]);

static ODIN: Language =
    Language::new("Odin", &[line("//"), NESTING, escaped("\""), escaped("'"), string("`").many()])
        .extensions(&["odin", "jai", "c3", "bal"]);

static GLEAM: Language = Language::new("Gleam", &[line("//"), escaped("\"").many()]).extensions(&["gleam"]);

static HAXE: Language = Language::new(
    "Haxe",
    &[line("//"), BLOCK, escaped("\"").many(), escaped("'").many().holes(&[hole("${", "{}")])],
)
.extensions(&["hx", "as"]);

static ASSEMBLY: Language =
    Language::new("assembly", &[line(";"), BLOCK, line("//"), string("\"").closed(), string("'").closed()])
        .extensions(&["asm", "nasm", "masm", "z80", "a51"]);

/// For the GNU assembler a semicolon separates statements, and `#` and `@` depend on the machine.
static GNU_ASSEMBLY: Language = Language::new(
    "GNU assembly",
    &[
        BLOCK,
        line("//"),
        line("# ").at(At::AfterBlank),
        line("@ ").at(At::AfterBlank),
        escaped("\"").closed(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions(&["s"]);

static WEB_ASSEMBLY: Language =
    Language::new("WebAssembly text", &[line(";;"), nesting("(;", ";)"), escaped("\"")])
        .extensions(&["wat", "wast"]);

static LLVM: Language = Language::new("LLVM IR", &[line(";"), escaped("\"")]).extensions(&["ll"]);
