//! Style sheets.

use super::super::Language;
use super::super::build::{block, escaped, hole, island, line, string};
use super::super::rule::{Hole, HoleEnd, Rule};

pub(super) static LANGUAGES: &[&Language] = &[&CSS, &SCSS, &LESS];

const BLOCK: Rule = block("/*", "*/");

/// The content of `url(…)`, where `//` does not open a comment.
static ADDRESS: Language = Language::new("address", &[escaped("\"").closed(), escaped("'").closed()]);
const URL: Rule = island(hole("(", "").until(HoleEnd::At(")")).of(&ADDRESS)).after(&["url", "url-prefix"]);

pub(super) static CSS: Language = Language::new("CSS", &[BLOCK, URL, escaped("\""), escaped("'")])
    .extensions(&["css", "pcss", "postcss"])
    .word_bytes("-");

const SCSS_HOLES: &[Hole] = &[hole("#{", "{}")];

pub(super) static SCSS: Language = Language::new(
    "SCSS",
    &[BLOCK, line("//"), URL, escaped("\"").holes(SCSS_HOLES), escaped("'").holes(SCSS_HOLES)],
)
.extensions(&["scss", "sass", "styl"])
.word_bytes("-");

const LESS_HOLES: &[Hole] = &[hole("@{", "{}")];

pub(super) static LESS: Language = Language::new(
    "Less",
    &[
        BLOCK,
        line("//"),
        URL,
        escaped("\"").holes(LESS_HOLES),
        escaped("'").holes(LESS_HOLES),
        string("`").as_code().closed(),
    ],
)
.extensions(&["less"])
.word_bytes("-");
