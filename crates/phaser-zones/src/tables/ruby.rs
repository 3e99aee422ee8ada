//! Ruby and similar languages: Crystal, Elixir.

use super::super::Language;
use super::super::Zone;
use super::super::build::{BACKSLASH, ESCAPED_CODE, block, escaped, hole, letter, paired, quote, rule, skip};
use super::super::language::{LineBreak, Operands};
use super::super::rule::{At, CloseAt, Heredoc, Hole, Quote, Rule, RuleKind, TagEnd, Tags};
use super::{CHARACTER, HASH};

pub(super) static LANGUAGES: &[&Language] = &[&RUBY, &CRYSTAL, &ELIXIR];

const HOLES: &[Hole] = &[hole("#{", "{}")];
const DOUBLE: Rule = escaped("\"").many().holes(HOLES);
const SINGLE: Rule = escaped("'").many();
const COMMAND: Rule = escaped("`").many().holes(HOLES);
const REGEX: Rule = escaped("/").as_code().many().holes(HOLES).at(At::Operand);
/// After a name it may be a division, so it must close on its line.
const REGEX_ARGUMENT: Rule = escaped("/").as_code().closed().holes(HOLES).at(At::Argument);

static LIVE: Quote = quote("").escapes(BACKSLASH).many().holes(HOLES);
static RAW: Quote = quote("").many();
const HEREDOC: Heredoc =
    Heredoc { indent_marks: "~-", tags: Tags::Script, ends: TagEnd::Alone, live: &LIVE, raw: &RAW };

const DELIMITERS: &str = "([{<|!/\"'^@#*+.-_~`,:;?$%&\\";
const fn percent(letters: &'static str) -> Rule {
    paired("%", letters, DELIMITERS).at(At::OperandOrArgument)
}

const OPERANDS: Operands = Operands {
    keywords: "if unless while until and or not when in return elsif else then do case begin ensure rescue \
        raise break next",
    line_break: LineBreak::Ends,
    ..Operands::NONE
};

pub(super) static RUBY: Language = Language::new(
    "Ruby",
    &[
        block("=begin", "=end").closed_at(CloseAt::WholeLine).at(At::LineStart),
        rule("__END__\n", RuleKind::Rest(Zone::Comment)).at(At::LineStart),
        rule("__END__\r\n", RuleKind::Rest(Zone::Comment)).at(At::LineStart),
        HASH,
        letter("$"),
        skip(":/").at(At::NotAfterValue),
        skip(":%").at(At::NotAfterValue),
        skip(":`").at(At::NotAfterValue),
        skip(":<<").at(At::NotAfterValue),
        skip("`").at(At::MethodName),
        DOUBLE,
        SINGLE,
        COMMAND,
        REGEX,
        REGEX_ARGUMENT,
        percent("qwis").escapes(BACKSLASH),
        percent("QWIx").holes(HOLES),
        percent("r").holes(HOLES).as_code(),
        paired("%", "", DELIMITERS).holes(HOLES).at(At::Operand),
        paired("%", "", "([{<|").holes(HOLES).at(At::Argument),
        rule("<<", RuleKind::Heredoc(HEREDOC)),
        letter("?").at(At::Character),
    ],
)
.extensions("rb rake gemspec ru podspec jbuilder rbi rabl thor builder arb rbw")
.names(
    "gemfile rakefile vagrantfile podfile fastfile appfile brewfile guardfile capfile berksfile \
    dangerfile puppetfile thorfile matchfile .irbrc .pryrc",
)
.interpreters("ruby jruby")
.operands(OPERANDS)
.word_bytes("?!");

static CRYSTAL: Language = Language::new(
    "Crystal",
    &[
        HASH,
        DOUBLE,
        CHARACTER,
        COMMAND,
        REGEX,
        REGEX_ARGUMENT,
        percent("qwi").escapes(BACKSLASH),
        percent("Qx").holes(HOLES),
        percent("r").holes(HOLES).as_code(),
        paired("%", "", "([{<|").holes(HOLES).at(At::Operand),
        rule("<<-", RuleKind::Heredoc(CRYSTAL_HEREDOC)),
    ],
)
.extensions("cr")
.interpreters("crystal")
.operands(OPERANDS)
.word_bytes("?!");

const CRYSTAL_HEREDOC: Heredoc =
    Heredoc { indent_marks: "", tags: Tags::Script, ends: TagEnd::Indented, live: &LIVE, raw: &RAW };

const fn sigil(letters: &'static str) -> Rule {
    paired("~", letters, "/|\"'([{<").without_nesting()
}

pub(super) static ELIXIR: Language = Language::new(
    "Elixir",
    &[
        HASH,
        escaped("\"\"\"").many().holes(HOLES),
        escaped("'''").many().holes(HOLES),
        DOUBLE,
        escaped("'").many().holes(HOLES),
        sigil("r").holes(HOLES).as_code(),
        sigil("R").as_code(),
        sigil("abcdefghijklmnopqstuvwxyz").holes(HOLES),
        sigil("ABCDEFGHIJKLMNOPQSTUVWXYZ0123456789"),
        letter("?").at(At::NotAfterWord),
        ESCAPED_CODE,
    ],
)
.extensions("ex exs")
.interpreters("elixir");
