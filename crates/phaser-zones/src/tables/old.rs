//! Older languages: Fortran, Pascal, Ada, COBOL, MATLAB, TeX and others.

use super::super::Language;
use super::super::build::{ESCAPED_CODE, block, escaped, hole, island, line, nesting, rule, string};
use super::super::rule::{At, CloseAt, Escape, HoleEnd, Rule, RuleKind};
use super::{DOUBLED_DOUBLE, DOUBLED_SINGLE};

pub(super) static LANGUAGES: &[&Language] = &[
    &FORTRAN,
    &FIXED_FORTRAN,
    &PASCAL,
    &ADA,
    &VHDL,
    &COBOL,
    &MATLAB,
    &TEX,
    &POSTSCRIPT,
    &LILYPOND,
    &APPLESCRIPT,
    &FORTH,
    &APL,
];

const DOUBLE: Rule = string("\"").escapes(DOUBLED_DOUBLE);
const SINGLE: Rule = string("'").escapes(DOUBLED_SINGLE);

/// An ampersand at the end of a line continues a string.
const FORTRAN_DOUBLE: &[Escape] = &[Escape::Exact("\"\""), Escape::Exact("&\n"), Escape::Exact("&\r\n")];
const FORTRAN_SINGLE: &[Escape] = &[Escape::Exact("''"), Escape::Exact("&\n"), Escape::Exact("&\r\n")];

/// A line of the C preprocessor.
static DIRECTIVE: Language = Language::new("directive", &[block("/*", "*/"), escaped("\"").closed()]);
const fn directive() -> Rule {
    island(hole("#", "").until(HoleEnd::Line).of(&DIRECTIVE)).at(At::LineStart)
}

static FORTRAN: Language = Language::new(
    "Fortran",
    &[directive(), line("!"), string("\"").escapes(FORTRAN_DOUBLE), string("'").escapes(FORTRAN_SINGLE)],
)
.extensions("f90 f95 f03 f08 f18 f23");

static FIXED_FORTRAN: Language = Language::new(
    "fixed-form Fortran",
    &[
        directive(),
        line("c").any_case().at(At::LineStart),
        line("*").at(At::LineStart),
        line("!"),
        DOUBLE,
        SINGLE,
    ],
)
.extensions("f for f77 ftn");

static PASCAL: Language = Language::new(
    "Pascal",
    &[
        line("//"),
        block("{$", "}").as_code(),
        block("(*$", "*)").as_code(),
        block("{", "}"),
        block("(*", "*)"),
        SINGLE,
    ],
)
.extensions("pas dpr dpk lpr");

static ADA: Language =
    Language::new("Ada", &[line("--"), DOUBLE, rule("'", RuleKind::CharOrLabel(&[])).at(At::NotAfterValue)])
        .extensions("adb ads ada");

static VHDL: Language = Language::new(
    "VHDL",
    &[
        line("--"),
        block("/*", "*/"),
        DOUBLE.maybe_after(&["x", "o", "b", "d", "ux", "uo", "ub", "sx", "so", "sb"]).any_case(),
        rule("'", RuleKind::CharOrLabel(&[])).at(At::NotAfterValue),
    ],
)
.extensions("vhd vhdl");

static COBOL: Language = Language::new("COBOL", &[line("*>"), line("*").at(At::FirstOnLine), DOUBLE, SINGLE])
    .extensions("cob cbl cpy");

static MATLAB: Language = Language::new(
    "MATLAB",
    &[
        block("%{", "%}").closed_at(CloseAt::FirstOnLine).at(At::FirstOnLine),
        line("%"),
        line("#").at(At::AfterBlank),
        DOUBLE,
        SINGLE.at(At::NotAfterValue),
    ],
)
.extensions("m mat");

pub(super) static TEX: Language =
    Language::new("TeX", &[ESCAPED_CODE, line("%")]).extensions("tex sty ltx dtx bib bst ins");

static POSTSCRIPT: Language =
    Language::new("PostScript", &[line("%"), ESCAPED_CODE, escaped("(").closed_by(")").many()])
        .extensions("ps eps");

static LILYPOND: Language =
    Language::new("LilyPond", &[block("%{", "%}"), line("%"), escaped("\"").many()]).extensions("ly ily");

static APPLESCRIPT: Language =
    Language::new("AppleScript", &[line("--"), line("#"), nesting("(*", "*)"), escaped("\"").many()])
        .extensions("applescript")
        .interpreters("osascript");

static FORTH: Language = Language::new(
    "Forth",
    &[
        line("\\ ").at(At::AfterBlank),
        block("( ", ")").at(At::AfterBlank),
        string("\" ").after(&["s", "S", "c", "C"]).closed_by("\""),
        string(".\" ").closed_by("\"").at(At::AfterBlank),
    ],
)
.extensions("forth 4th fth");

static APL: Language = Language::new("APL", &[line("⍝"), SINGLE]).extensions("apl aplf apln");
