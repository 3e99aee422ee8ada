//! Perl and Raku.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, block, escaped, hole, letter, line, paired, quote, rule, skip};
use super::super::language::Operands;
use super::super::rule::{At, CloseAt, Heredoc, Hole, Quote, Rule, RuleKind, TagEnd, Tags};

pub(super) static LANGUAGES: &[&Language] = &[&PERL];

/// `${name}` is a variable and part of the string.
const HOLES: &[Hole] = &[hole("@{", "{}"), hole("${\\", "{}"), hole("${ ", "{}")];
static LIVE: Quote = quote("").escapes(BACKSLASH).many().holes(HOLES);
static RAW: Quote = quote("").many();
const HEREDOC: Heredoc =
    Heredoc { indent_marks: "~", tags: Tags::Perl, ends: TagEnd::Alone, live: &LIVE, raw: &RAW };

const fn pod(command: &'static str) -> Rule {
    block(command, "=cut").closed_at(CloseAt::WholeLine).at(At::LineStart)
}

/// An operator such as `qq`, directly before its delimiter.
const fn tight(operator: &'static str, parts: u8) -> Rule {
    paired(operator, "", "{([</|!#~\"'^@%`,\\").parts(parts, false).at(At::Bareword)
}

/// An operator apart from its delimiter, which then must be a bracket or a slash.
const fn loose(operator: &'static str, parts: u8) -> Rule {
    paired(operator, "", "{([</").parts(parts, true).at(At::Bareword)
}

static PERL: Language = Language::new(
    "Perl",
    &[
        pod("=pod"),
        pod("=head"),
        pod("=over"),
        pod("=item"),
        pod("=back"),
        pod("=begin"),
        pod("=for"),
        pod("=encoding"),
        rule("__END__", RuleKind::Rest(Zone::Comment)).at(At::Bareword),
        rule("__DATA__", RuleKind::Rest(Zone::Comment)).at(At::Bareword),
        rule("\u{4}", RuleKind::Rest(Zone::Comment)),
        rule("\u{1a}", RuleKind::Rest(Zone::Comment)),
        letter("$"),
        skip("//"),
        line("#"),
        escaped("\"").many().holes(HOLES),
        escaped("'").many(),
        escaped("`").many().holes(HOLES),
        rule("<<", RuleKind::Heredoc(HEREDOC)),
        tight("qq", 1).holes(HOLES),
        tight("qx", 1).holes(HOLES),
        tight("qw", 1),
        tight("qr", 1).as_code(),
        tight("q", 1),
        tight("m", 1).as_code(),
        tight("s", 2).as_code(),
        tight("tr", 2).as_code(),
        paired("y", "", "{([</|!").parts(2, false).at(At::Bareword).as_code(),
        loose("qq", 1).holes(HOLES),
        loose("qw", 1),
        loose("qr", 1).as_code(),
        loose("q", 1),
        loose("m", 1).as_code(),
        loose("s", 2).as_code(),
        loose("tr", 2).as_code(),
        escaped("/").as_code().many().at(At::Operand),
        escaped("/").as_code().closed().at(At::Argument),
    ],
)
.extensions("pl pm pod t psgi cgi al raku rakumod")
.names("cpanfile makefile.pl build.pl .perltidyrc")
.interpreters("perl raku")
.operands(Operands {
    keywords: "split grep map join if unless and or not return while until when push unshift x lt gt le ge \
        eq ne cmp print else foreach for",
    ..Operands::NONE
});
