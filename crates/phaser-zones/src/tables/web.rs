//! JavaScript, TypeScript and their relatives, PHP, GraphQL and JSON.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, block, escaped, hole, line, quote, rule, skip, string};
use super::super::language::{LineBreak, Operands};
use super::super::rule::{At, Elements, Heredoc, Hole, Markup, Quote, Rule, RuleKind, TagEnd, Tags};
use super::SHEBANG;

pub(super) static LANGUAGES: &[&Language] =
    &[&JAVASCRIPT, &TYPESCRIPT, &TSX, &COFFEE, &RESCRIPT, &QML, &GRAPHQL, &JSON];

const LINE: Rule = line("//");
const BLOCK: Rule = block("/*", "*/");
const DOUBLE: Rule = escaped("\"");
const SINGLE: Rule = escaped("'");
const HOLES: &[Hole] = &[hole("${", "{}")];
const TEMPLATE: Rule = escaped("`").many().holes(HOLES);
const REGEX: Rule = escaped("/").as_code().closed().with_classes().at(At::Operand);
const fn element() -> Rule {
    rule("<", RuleKind::Element(&JSX)).at(At::Operand)
}

const OPERANDS: Operands = Operands {
    keywords: &[
        "return",
        "typeof",
        "instanceof",
        "in",
        "of",
        "new",
        "delete",
        "void",
        "throw",
        "case",
        "do",
        "else",
        "yield",
        "await",
        "default",
        "extends",
    ],
    conditions: &["if", "while", "for", "with"],
    closers: ")]",
    line_break: LineBreak::Blank,
};

/// Elements in code.
static JSX: Markup = Markup {
    elements: Elements::Nested,
    comments: &[],
    tag_comments: &[("/*", "*/"), ("//", "\n")],
    holes: &[hole("{", "{}").of(&TSX)],
    values: [&JSX_DOUBLE, &JSX_SINGLE],
    embedded: &[],
};
static JSX_DOUBLE: Quote = quote("\"").many();
static JSX_SINGLE: Quote = quote("'").many();

pub(super) static JAVASCRIPT: Language = Language::new(
    "JavaScript",
    &[SHEBANG, LINE, BLOCK, DOUBLE, SINGLE, TEMPLATE, REGEX, skip("<<"), element()],
)
.extensions(&["js", "mjs", "cjs", "jsx", "es6", "gs", "jsm"])
.interpreters(&["node", "nodejs", "bun"])
.operands(OPERANDS)
.word_bytes("$");

pub(super) static TYPESCRIPT: Language =
    Language::new("TypeScript", &[SHEBANG, LINE, BLOCK, DOUBLE, SINGLE, TEMPLATE, REGEX])
        .extensions(&["ts", "mts", "cts"])
        .interpreters(&["deno", "ts-node", "tsx"])
        .operands(OPERANDS)
        .word_bytes("$");

pub(super) static TSX: Language =
    Language::new("TSX", &[SHEBANG, LINE, BLOCK, DOUBLE, SINGLE, TEMPLATE, REGEX, skip("<<"), element()])
        .extensions(&["tsx"])
        .operands(OPERANDS)
        .word_bytes("$");

static QML: Language = Language::new("QML", &[LINE, BLOCK, DOUBLE, SINGLE, TEMPLATE, REGEX])
    .extensions(&["qml"])
    .operands(OPERANDS)
    .word_bytes("$");

const COFFEE_HOLES: &[Hole] = &[hole("#{", "{}")];

static COFFEE: Language = Language::new(
    "CoffeeScript",
    &[
        line("####"),
        block("###", "###"),
        line("#"),
        escaped("\"\"\"").many().holes(COFFEE_HOLES),
        escaped("'''").many(),
        escaped("\"").many().holes(COFFEE_HOLES),
        escaped("'").many(),
        string("`").many().as_code(),
        escaped("///").many().as_code().holes(COFFEE_HOLES),
        REGEX,
    ],
)
.extensions(&["coffee", "cson"])
.interpreters(&["coffee"])
.operands(Operands {
    keywords: &[
        "return",
        "typeof",
        "instanceof",
        "in",
        "of",
        "new",
        "delete",
        "throw",
        "when",
        "else",
        "then",
        "if",
        "unless",
        "and",
        "or",
        "not",
        "is",
        "isnt",
        "by",
    ],
    conditions: &[],
    closers: ")]}",
    line_break: LineBreak::Ends,
})
.word_bytes("$");

static RESCRIPT: Language = Language::new(
    "ReScript",
    &[LINE, BLOCK, DOUBLE.many(), TEMPLATE, rule("'", RuleKind::CharOrLabel(BACKSLASH))],
)
.extensions(&["res", "resi", "re", "rei"]);

static GRAPHQL: Language = Language::new("GraphQL", &[line("#"), escaped("\"\"\"").many(), DOUBLE])
    .extensions(&["graphql", "graphqls", "gql"]);

pub(super) static JSON: Language = Language::new("JSON", &[LINE, BLOCK, DOUBLE, SINGLE])
    .extensions(&[
        "json",
        "jsonc",
        "json5",
        "jsonl",
        "ndjson",
        "geojson",
        "webmanifest",
        "code-workspace",
        "avsc",
        "har",
        "topojson",
        "sarif",
    ])
    .names(&[".eslintrc", ".babelrc", ".swcrc", ".jshintrc", ".jscsrc", ".watchmanconfig", ".tern-project"]);

/// The code between `<?php` and `?>`.
pub(super) static PHP_CODE: Language = Language::new(
    "PHP code",
    &[
        skip("#["),
        line("//").stopped_by("?>"),
        line("#").stopped_by("?>"),
        BLOCK,
        escaped("'").many(),
        escaped("\"").many().holes(PHP_HOLES),
        escaped("`").many().holes(PHP_HOLES),
        rule("<<<", RuleKind::Heredoc(PHP_HEREDOC)),
        rule("__halt_compiler", RuleKind::Rest(Zone::Comment)).at(At::NotAfterWord),
    ],
);

const PHP_HOLES: &[Hole] = &[hole("{$", "{}"), hole("${", "{}")];
static PHP_LIVE: Quote = quote("").escapes(BACKSLASH).many().holes(PHP_HOLES);
static PHP_RAW: Quote = quote("").many();
const PHP_HEREDOC: Heredoc =
    Heredoc { indent_marks: " ", tags: Tags::Script, ends: TagEnd::Followed, live: &PHP_LIVE, raw: &PHP_RAW };
