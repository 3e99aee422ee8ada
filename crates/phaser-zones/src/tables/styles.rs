//! Style sheets.

use super::super::Language;
use super::super::build::{hole, island};
use super::super::lines::LineEnds;
use super::super::rule::{Hole, HoleEnd, Rule};
use super::{BLOCK, DOUBLE, QUOTED_NAME, SINGLE, SLASHES};

pub(super) static LANGUAGES: &[&Language] = &[&CSS, &SCSS, &LESS];

/// The content of `url(…)`, where `//` does not open a comment.
static ADDRESS: Language = Language::new("address", &[DOUBLE.closed(), SINGLE.closed()]);
const URL: Rule = island(hole("(", "").until(HoleEnd::At(")")).of(&ADDRESS)).after(&["url", "url-prefix"]);

pub(super) static CSS: Language = Language::new("CSS", &[BLOCK, URL, DOUBLE, SINGLE])
    .extensions("css pcss postcss")
    .line_ends(LineEnds::CR)
    .word_bytes("-");

const SCSS_HOLES: &[Hole] = &[hole("#{", "{}")];

pub(super) static SCSS: Language =
    Language::new("SCSS", &[BLOCK, SLASHES, URL, DOUBLE.holes(SCSS_HOLES), SINGLE.holes(SCSS_HOLES)])
        .extensions("scss sass styl")
        .line_ends(LineEnds::CR)
        .word_bytes("-");

const LESS_HOLES: &[Hole] = &[hole("@{", "{}")];

pub(super) static LESS: Language = Language::new(
    "Less",
    &[BLOCK, SLASHES, URL, DOUBLE.holes(LESS_HOLES), SINGLE.holes(LESS_HOLES), QUOTED_NAME],
)
.extensions("less")
.line_ends(LineEnds::CR)
.word_bytes("-");
