//! The vocabulary of the tables: openers, closers, escapes, holes.
//!
//! One literal in these terms, `br##"a\n"##` of Rust: *prefix* `br`, *fence* `##`, *tail* `"`; the closer is `"` and the
//! same fence. In `"x ${y} z"` the *hole* is `${y}`. In `<<~SQL` the *indent mark* is `~` and the *tag* is `SQL`.

use super::Zone;
use super::language::Language;

/// A lexical rule. The first rule of a language that fits at an offset wins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub at: At,
    pub open: Open,
    pub kind: RuleKind,
}

/// The positions where a rule may open, decided by the bytes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Anywhere,
    /// The first byte of the text, or the first after a byte order mark.
    TextStart,
    /// The first byte of a line.
    LineStart,
    /// The first byte of a line that is not blank. An opener that ends with a letter is a whole word.
    FirstOnLine,
    /// After white space, or first on a line.
    AfterBlank,
    /// Where a shell starts a word: after white space or one of `;&|()` and the backquote.
    ShellWord,
    /// In the position of a command name. An opener that ends with a letter is a whole word.
    Command,
    /// Not after a byte of a word. An opener that ends with a letter is a whole word.
    NotAfterWord,
    /// Not directly after a value: a word, a closing bracket, a quote, a dot. An opener that ends with a letter is a whole
    /// word.
    NotAfterValue,
    /// Not part of an operator made of these bytes and those of the opener.
    NotInOperator(&'static str),
    /// A whole word without a sigil, an arrow or `sub` before it (Perl).
    Bareword,
    /// Where an operand is expected, not an operator.
    Operand,
    /// As above, directly before the operand: `/a/`, unlike `/ a`, and unlike the argument `/`.
    TightOperand,
    /// Where an argument of a call without parentheses may start: `puts /a/`, unlike `a / b`.
    Argument,
    /// As an operand or as an argument.
    OperandOrArgument,
    /// As above, for a character without a closing quote: `f ?'`, unlike `a ?'b' : 'c'`.
    Character,
    /// After `def`, `alias`, `undef` or a dot (Ruby).
    MethodName,
    /// After `AS` or `DO` (SQL): the body of a function.
    Body,
    /// Where a YAML scalar starts.
    Scalar,
}

/// The text that opens a rule: prefix, head, fence, tail, in this order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub prefix: Prefix,
    /// Whether the case of letters is ignored.
    pub any_case: bool,
    pub head: &'static str,
    pub fence: Fence,
    pub tail: &'static str,
}

impl Open {
    /// Whether `found` spells `text`.
    pub fn is(&self, text: &str, found: &[u8]) -> bool {
        if self.any_case { text.as_bytes().eq_ignore_ascii_case(found) } else { text.as_bytes() == found }
    }
}

/// A word directly before the head that belongs to the literal: `br"…"`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Prefix {
    None,
    /// One of these is required.
    Required(&'static [&'static str]),
    /// One of these is allowed.
    Optional(&'static [&'static str]),
    /// Any word is required.
    Word,
    /// At least `min` times this byte.
    Run {
        byte: u8,
        min: usize,
    },
}

/// A part of the opener that the closer repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    None,
    /// At least `min` times this byte: the hashes of `r##"`.
    Run {
        byte: u8,
        min: usize,
    },
    /// A word or nothing: the tag of `$tag$`.
    Word,
    /// Up to 16 bytes but blanks, parentheses, backslashes and quotes: C++.
    Delimiter,
}

/// What a rule opens, and how it is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleKind {
    /// To the end of the line.
    Line(LineRule),
    /// A comment that may contain comments of its kind.
    Nesting(NestingComment),
    /// Up to a closer: a string, a comment that does not nest, a regular expression, a quoted name.
    Quote(Quote),
    /// A string that starts on the next line.
    Heredoc(Heredoc),
    /// A literal whose delimiter the text chooses: `%w[…]`, `s{…}{…}`.
    Paired(Paired),
    /// Code of its own kind in code: `$(…)` of a shell.
    Island(Hole),
    /// One character without a closing quote, an escape included: `?a`, `\a`. Code.
    Letter,
    /// `'x'` is a string, with these escapes; `'x` without a closing quote is code.
    CharOrLabel(&'static [Escape]),
    /// A number with `'` between its digits. Code.
    Number,
    /// The opener is code and hides openers of later rules.
    Skip,
    /// To the end of the text.
    Rest(Zone),
    /// A YAML block scalar: the deeper lines that follow.
    BlockScalar,
    /// A line break of YAML, after which a plain scalar may continue.
    YamlLine,
    /// A bracket of a YAML flow collection.
    Flow(Bracket),
    /// `case` or `esac` of a shell, between which a closing parenthesis ends a pattern.
    Case(Bracket),
    /// A JSX element.
    Element(&'static Markup),
}

/// Whether something opens or closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Opens,
    Closes,
}

/// To the end of the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRule {
    pub zone: Zone,
    /// Before a line break, this byte continues the comment on the next line. 0 for none.
    pub continued_by: u8,
    /// Ends the comment before the line ends. Empty for none.
    pub stop: &'static str,
}

/// A comment that nests.
#[derive(Debug, Clone, Copy)]
pub(super) struct NestingComment {
    pub close: &'static str,
    /// Whether strings in the comment hide its delimiters, as in OCaml.
    pub reads_strings: bool,
}

/// A construct between an opener and a closer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    pub zone: Zone,
    pub close: Close,
    pub escapes: &'static [Escape],
    pub lines: QuoteLines,
    pub holes: &'static [Hole],
    /// Whether `[…]` hides the closer: in a regular expression of JavaScript.
    pub has_classes: bool,
}

/// A closer: head, the opener's fence, tail.
#[derive(Debug, Clone, Copy)]
pub(super) struct Close {
    pub head: &'static str,
    pub tail: &'static str,
    pub at: CloseAt,
}

/// The positions where a closer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseAt {
    Anywhere,
    /// As the first thing on a line.
    FirstOnLine,
    /// At the start of a line; the rest of that line belongs to it.
    WholeLine,
    /// At the end of a run of its bytes: `"""a""""`.
    LastOfRun,
}

/// An escape, which hides a closer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Escape {
    /// This byte and the character after it.
    Next(u8),
    /// The first byte and the character after it, unless that is the second byte.
    NextBut(u8, u8),
    /// Exactly this text.
    Exact(&'static str),
    /// The first text, any white space, and the second text.
    Gap(&'static str, &'static str),
}

/// Whether a quote may span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteLines {
    /// The end of the line closes it.
    One,
    /// It opens only if it closes on its line.
    Closed,
    /// Over any number of lines.
    Many,
}

/// Code inside a quote, a markup text or other code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hole {
    /// What opens it: head, mark, tail.
    pub head: &'static str,
    pub mark: HoleMark,
    pub tail: &'static str,
    pub end: HoleEnd,
    pub inside: Inside,
    /// Bytes after which, outside brackets, the rest is another hole: the format after the colon of a replacement field.
    pub turns: &'static [(&'static str, &'static Self)],
}

/// How the opener of a quote changes the openers of its holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoleMark {
    None,
    /// The fence follows the head: `#"\#(a)"#`.
    Fence,
    /// The head is repeated like the prefix of the quote: `$$"{{a}}"`. In a longer run the last ones count.
    Repeated,
}

/// The end of a hole.
#[derive(Debug, Clone, Copy)]
pub(super) enum HoleEnd {
    /// When every bracket is closed, those of the opener included. Pairs of brackets: `()[]{}`.
    Balanced(&'static str),
    /// At this text, outside strings and comments of the language inside.
    At(&'static str),
    /// At the end of the line, likewise.
    Line,
    /// At the first occurrence of this text.
    First(&'static str),
    /// At the first occurrence of the opener's own text: `$body$`.
    Repeated,
    /// At the first occurrence of this text if that is near; otherwise the hole does not open.
    Near(&'static str),
}

/// The language inside a hole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inside {
    Same,
    Other(&'static Language),
}

/// A string that starts on the line after its opener and ends with a line that contains its tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heredoc {
    /// Bytes that may stand between `<<` and the tag, and allow an indented end.
    pub indent_marks: &'static str,
    pub tags: Tags,
    pub ends: TagEnd,
    /// The body if the tag is bare or in double quotes.
    pub live: &'static Quote,
    /// The body if the tag is in single quotes or escaped.
    pub raw: &'static Quote,
}

/// How the tag of a heredoc is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tags {
    /// A word of a shell, perhaps after blanks; any quote makes the body raw.
    Shell,
    /// An identifier or a quoted text; only single quotes make the body raw.
    Script,
    /// As in a script, and a quoted text may stand after blanks.
    Perl,
}

/// The last line of a heredoc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagEnd {
    /// The tag alone; with an indent mark, perhaps after blanks.
    Alone,
    /// The tag, perhaps after blanks.
    Indented,
    /// The tag, perhaps after blanks, and what is not part of a word (PHP).
    Followed,
}

/// A literal whose delimiter the text chooses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paired {
    /// Some of these letters must follow the opener. Empty: none.
    pub letters: &'static str,
    /// The delimiters; of a bracket, the opening one.
    pub delimiters: &'static str,
    /// Whether blanks may stand before the delimiter.
    pub allows_blanks: bool,
    /// Whether brackets that delimit the literal are counted inside it.
    pub nests: bool,
    /// The number of parts: 2 for `s/a/b/`.
    pub parts: u8,
    pub quote: Quote,
}

/// A language of tags.
#[derive(Debug)]
pub(super) struct Markup {
    pub elements: Elements,
    pub comments: &'static [MarkupComment],
    /// Comments between the attributes of a tag.
    pub tag_comments: &'static [MarkupComment],
    /// Code in the text and in tags.
    pub holes: &'static [Hole],
    /// A value in double quotes, and in single quotes.
    pub values: [Quote; 2],
    /// Elements whose content is another language.
    pub embedded: &'static [Embedded],
}

/// A comment in a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkupComment {
    pub open: &'static str,
    /// What closes it, all with the same first byte. Empty: the end of the line.
    pub closers: &'static [&'static str],
}

/// Whether elements are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elements {
    /// The text is markup to its end; values need no quotes.
    Page,
    /// The markup ends with the element that opened it.
    Nested,
}

/// An element whose content is another language.
#[derive(Debug)]
pub(super) struct Embedded {
    pub name: &'static str,
    /// A text in the tag and the language that it selects. The first that fits wins.
    pub variants: &'static [(&'static str, &'static Language)],
    pub default: &'static Language,
}
