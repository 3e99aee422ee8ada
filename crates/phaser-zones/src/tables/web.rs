//! JavaScript, TypeScript and their relatives, PHP, GraphQL and JSON.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, block, comment, escaped, hole, line, quote, rule, skip, string};
use super::super::language::{LineBreak, Operands};
use super::super::lines::LineEnds;
use super::super::rule::{At, Elements, Escape, Heredoc, Hole, Markup, Quote, Rule, RuleKind, TagEnd, Tags};
use super::{BLOCK, CHARACTER, DOLLAR_BRACES, DOUBLE, HASH, SHEBANG, SINGLE, SLASHES};

pub(super) static LANGUAGES: &[&Language] =
    &[&JAVASCRIPT, &TYPESCRIPT, &TSX, &COFFEE, &RESCRIPT, &QML, &GRAPHQL, &JSON];

/// The separators of Unicode end a comment and a regular expression but no string.
const ESCAPES: &[Escape] = &[Escape::Next(b'\\'), Escape::Exact("\u{2028}"), Escape::Exact("\u{2029}")];
const TEMPLATE: Rule = escaped("`").many().holes(DOLLAR_BRACES);
const REGEX: Rule = escaped("/").as_code().closed().with_classes().at(At::Operand);

const SCRIPT: &[Rule] =
    &[SHEBANG, SLASHES, BLOCK, string("\"").escapes(ESCAPES), string("'").escapes(ESCAPES), TEMPLATE, REGEX];

const fn script(name: &'static str) -> Language {
    Language::new(name, SCRIPT).operands(OPERANDS).word_bytes("$").line_ends(LineEnds::UNICODE)
}

const fn element() -> Rule {
    rule("<", RuleKind::Element(&JSX)).at(At::Operand)
}

const OPERANDS: Operands = Operands {
    keywords: "return typeof instanceof in of new delete void throw case do else yield await default \
        extends",
    infix: "of",
    blocks: "do else",
    conditions: "if while for with",
    ..Operands::NONE
};

/// Elements in code.
static JSX: Markup = Markup {
    elements: Elements::Nested,
    comments: &[],
    tag_comments: &[comment("/*", &["*/"]), comment("//", &[])],
    holes: &[hole("{", "{}").of(&TSX)],
    values: [quote("\"").many(), quote("'").many()],
    embedded: &[],
};

/// `<!--` and `-->` are comments in old scripts.
pub(super) static JAVASCRIPT: Language = script("JavaScript")
    .and(&[line("<!--"), line("-->").at(At::FirstOnLine), skip("<<"), element()])
    .extensions("js mjs cjs jsx es6 gs jsm")
    .interpreters("node nodejs bun");

pub(super) static TYPESCRIPT: Language =
    script("TypeScript").extensions("ts mts cts").interpreters("deno ts-node tsx");

pub(super) static TSX: Language = script("TSX").and(&[skip("<<"), element()]).extensions("tsx");

static QML: Language = script("QML").extensions("qml");

const COFFEE_HOLES: &[Hole] = &[hole("#{", "{}")];

static COFFEE: Language = Language::new(
    "CoffeeScript",
    &[
        line("####"),
        block("###", "###"),
        HASH,
        escaped("\"\"\"").many().holes(COFFEE_HOLES),
        escaped("'''").many(),
        DOUBLE.many().holes(COFFEE_HOLES),
        SINGLE.many(),
        string("`").many().as_code(),
        escaped("///").many().as_code().holes(COFFEE_HOLES),
        REGEX,
    ],
)
.extensions("coffee cson")
.interpreters("coffee")
.operands(Operands {
    keywords: "return typeof instanceof in of new delete throw when else then if unless and or not is isnt \
        by",
    line_break: LineBreak::Ends,
    ..Operands::NONE
})
.word_bytes("$");

static RESCRIPT: Language = Language::new("ReScript", &[SLASHES, BLOCK, DOUBLE.many(), TEMPLATE, CHARACTER])
    .extensions("res resi re rei");

static GRAPHQL: Language = Language::new("GraphQL", &[HASH, escaped("\"\"\"").many(), DOUBLE])
    .line_ends(LineEnds::CR)
    .extensions("graphql graphqls gql");

pub(super) static JSON: Language = Language::new("JSON", &[SLASHES, BLOCK, DOUBLE, SINGLE])
    .line_ends(LineEnds::CR)
    .extensions("json jsonc json5 jsonl ndjson geojson webmanifest code-workspace avsc har topojson sarif")
    .names(".eslintrc .babelrc .swcrc .jshintrc .jscsrc .watchmanconfig .tern-project");

/// The code between `<?php` and `?>`.
pub(super) static PHP_CODE: Language = Language::new(
    "PHP code",
    &[
        skip("#["),
        SLASHES.stopped_by("?>"),
        HASH.stopped_by("?>"),
        BLOCK,
        SINGLE.many(),
        DOUBLE.many().holes(PHP_HOLES),
        escaped("`").many().holes(PHP_HOLES),
        rule("<<<", RuleKind::Heredoc(PHP_HEREDOC)),
        rule("__halt_compiler", RuleKind::Rest(Zone::Comment)).at(At::NotAfterWord),
    ],
)
.line_ends(LineEnds::CR);

const PHP_HOLES: &[Hole] = &[hole("{$", "{}"), hole("${", "{}")];
static PHP_LIVE: Quote = quote("").escapes(BACKSLASH).many().holes(PHP_HOLES);
static PHP_RAW: Quote = quote("").many();
const PHP_HEREDOC: Heredoc =
    Heredoc { indent_marks: " ", tags: Tags::Script, ends: TagEnd::Followed, live: &PHP_LIVE, raw: &PHP_RAW };
