//! Java and the languages around it, and Dart.

use super::super::Language;
use super::super::build::{escaped, hole, string};
use super::super::language::{LineBreak, Operands};
use super::super::lines::LineEnds;
use super::super::rule::{At, CloseAt, Escape, Hole};
use super::{BLOCK, CHARACTER, DOLLAR_BRACES, DOUBLE, NESTING, QUOTED_NAME, SHEBANG, SINGLE, SLASHES};

pub(super) static LANGUAGES: &[&Language] = &[&JAVA, &KOTLIN, &SCALA, &GROOVY, &DART];

const JAVA_HOLES: &[Hole] = &[hole("\\{", "{}")];

pub(super) static JAVA: Language = Language::new(
    "Java",
    &[SHEBANG, SLASHES, BLOCK, escaped("\"\"\"").many().holes(JAVA_HOLES), DOUBLE.holes(JAVA_HOLES), SINGLE],
)
.line_ends(LineEnds::CR)
.extensions("java apex trigger cls jav")
.interpreters("java jbang");

/// As many dollars as precede the string.
const KOTLIN_HOLES: &[Hole] = &[hole("$", "{}").repeated("{")];

static KOTLIN: Language = Language::new(
    "Kotlin",
    &[
        SHEBANG,
        SLASHES,
        NESTING,
        string("\"\"\"").after_run(b'$', 0).many().closed_at(CloseAt::LastOfRun).holes(KOTLIN_HOLES),
        DOUBLE.after_run(b'$', 0).holes(KOTLIN_HOLES),
        SINGLE,
        QUOTED_NAME,
    ],
)
.line_ends(LineEnds::CR)
.extensions("kt kts")
.interpreters("kotlin");

static SCALA: Language = Language::new(
    "Scala",
    &[
        SHEBANG,
        SLASHES,
        NESTING,
        string("\"\"\"")
            .after_word()
            .many()
            .closed_at(CloseAt::LastOfRun)
            .escapes(&[Escape::Exact("$$"), Escape::Exact("$\"")])
            .holes(DOLLAR_BRACES),
        string("\"\"\"").many().closed_at(CloseAt::LastOfRun),
        string("\"")
            .after_word()
            .escapes(&[Escape::Exact("$$"), Escape::Exact("$\""), Escape::Next(b'\\')])
            .holes(DOLLAR_BRACES),
        DOUBLE,
        CHARACTER,
        QUOTED_NAME,
    ],
)
.line_ends(LineEnds::CR)
.extensions("scala sc sbt")
.interpreters("scala amm");

static GROOVY: Language = Language::new(
    "Groovy",
    &[
        SHEBANG,
        SLASHES,
        BLOCK,
        escaped("\"\"\"").many().holes(DOLLAR_BRACES),
        escaped("'''").many(),
        DOUBLE.holes(DOLLAR_BRACES),
        SINGLE,
        string("$/").closed_by("/$").many().escapes(&[Escape::Next(b'$')]).holes(DOLLAR_BRACES),
        escaped("/").closed().holes(DOLLAR_BRACES).at(At::Operand),
    ],
)
.line_ends(LineEnds::CR)
.extensions("groovy gradle gvy")
.names("jenkinsfile")
.interpreters("groovy")
.operands(Operands {
    keywords: "return in case assert else instanceof throw",
    conditions: "if while for",
    line_break: LineBreak::Ends,
    ..Operands::NONE
});

static DART: Language = Language::new(
    "Dart",
    &[
        SHEBANG,
        SLASHES,
        NESTING,
        string("\"\"\"").after(&["r"]).many(),
        string("'''").after(&["r"]).many(),
        string("\"").after(&["r"]),
        string("'").after(&["r"]),
        escaped("\"\"\"").many().holes(DOLLAR_BRACES),
        escaped("'''").many().holes(DOLLAR_BRACES),
        DOUBLE.holes(DOLLAR_BRACES),
        SINGLE.holes(DOLLAR_BRACES),
    ],
)
.line_ends(LineEnds::CR)
.extensions("dart")
.interpreters("dart");
