//! Java and the languages around it, and Dart.

use super::super::Language;
use super::super::build::{BACKSLASH, block, escaped, hole, line, nesting, rule, string};
use super::super::language::{LineBreak, Operands};
use super::super::rule::{At, CloseAt, Escape, Hole, Rule, RuleKind};
use super::SHEBANG;

pub(super) static LANGUAGES: &[&Language] = &[&JAVA, &KOTLIN, &SCALA, &GROOVY, &DART];

const LINE: Rule = line("//");
const BLOCK: Rule = block("/*", "*/");
const NESTING: Rule = nesting("/*", "*/");
const HOLES: &[Hole] = &[hole("${", "{}")];

pub(super) static JAVA: Language =
    Language::new("Java", &[SHEBANG, LINE, BLOCK, escaped("\"\"\"").many(), escaped("\""), escaped("'")])
        .extensions(&["java", "apex", "trigger", "cls", "jav"])
        .interpreters(&["java", "jbang"]);

static KOTLIN: Language = Language::new(
    "Kotlin",
    &[
        SHEBANG,
        LINE,
        NESTING,
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun).holes(HOLES),
        escaped("\"").holes(HOLES),
        escaped("'"),
    ],
)
.extensions(&["kt", "kts"])
.interpreters(&["kotlin"]);

static SCALA: Language = Language::new(
    "Scala",
    &[
        SHEBANG,
        LINE,
        NESTING,
        string("\"\"\"")
            .after_word()
            .many()
            .closed_at(CloseAt::LastOfRun)
            .escapes(&[Escape::Exact("$$")])
            .holes(HOLES),
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun),
        string("\"").after_word().escapes(&[Escape::Exact("$$"), Escape::Next(b'\\')]).holes(HOLES),
        escaped("\""),
        rule("'", RuleKind::CharOrLabel(BACKSLASH)),
    ],
)
.extensions(&["scala", "sc", "sbt"])
.interpreters(&["scala", "amm"]);

static GROOVY: Language = Language::new(
    "Groovy",
    &[
        SHEBANG,
        LINE,
        BLOCK,
        escaped("\"\"\"").many().holes(HOLES),
        escaped("'''").many(),
        escaped("\"").holes(HOLES),
        escaped("'"),
        string("$/").closed_by("/$").many().escapes(&[Escape::Next(b'$')]).holes(HOLES),
        escaped("/").closed().holes(HOLES).at(At::Operand),
    ],
)
.extensions(&["groovy", "gradle", "gvy"])
.names(&["jenkinsfile"])
.interpreters(&["groovy"])
.operands(Operands {
    keywords: &["return", "in", "case", "assert", "else", "instanceof", "throw"],
    conditions: &["if", "while", "for"],
    closers: ")]}",
    line_break: LineBreak::Ends,
});

static DART: Language = Language::new(
    "Dart",
    &[
        SHEBANG,
        LINE,
        NESTING,
        string("\"\"\"").after(&["r"]).many(),
        string("'''").after(&["r"]).many(),
        string("\"").after(&["r"]),
        string("'").after(&["r"]),
        escaped("\"\"\"").many().holes(HOLES),
        escaped("'''").many().holes(HOLES),
        escaped("\"").holes(HOLES),
        escaped("'").holes(HOLES),
    ],
)
.extensions(&["dart"])
.interpreters(&["dart"]);
