//! Explains an invalid pattern to its author: what is wrong, at which character, and what to write instead.
//!
//! A pattern is translated before it is parsed, so the offsets of a parse error mean nothing to the author. The
//! pattern is parsed once more as written. If that gives the same error, its offset is right.

use std::ops::Range;

use regex_syntax::ast::ErrorKind as Syntax;
use regex_syntax::hir::ErrorKind as Meaning;

use super::PatternError;
use super::dialect::DialectError;

/// An invalid pattern, explained to its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternMistake {
    /// The problem, its position and a hint.
    pub what: String,
    /// The span in the pattern, in characters.
    pub span: Option<Range<usize>>,
}

/// Explains why `source` is invalid, with the span of the problem where it is known.
pub fn explain(source: &str, error: &PatternError) -> PatternMistake {
    let span = match error {
        PatternError::TooLarge => None,
        PatternError::Dialect(error) => span_of(source, error),
        PatternError::Syntax(message) => return about_syntax(source, message),
    };
    let span = span.map(|span| in_characters(source, &span));
    let what = error.to_string();
    let (wrong, hint) = what.rsplit_once(" (").unwrap_or((&what, ""));
    let what = if span.is_some() { format!("{wrong}{} ({hint}", at(span.as_ref())) } else { what };
    PatternMistake { what, span }
}

fn at(span: Option<&Range<usize>>) -> String {
    span.map(|span| format!(" at character {}", span.start + 1)).unwrap_or_default()
}

fn about_syntax(source: &str, message: &str) -> PatternMistake {
    let read =
        regex_syntax::ParserBuilder::new().multi_line(true).crlf(true).utf8(false).build().parse(source);
    let seen = match &read {
        Err(regex_syntax::Error::Parse(error)) => {
            let range = error.span().start.offset..error.span().end.offset;
            Some((error.kind().to_string(), hint_for_syntax(error.kind(), &source[range.clone()]), range))
        }
        Err(regex_syntax::Error::Translate(error)) => {
            let range = error.span().start.offset..error.span().end.offset;
            Some((error.kind().to_string(), hint_for_meaning(error.kind()), range))
        }
        _ => None,
    };
    let (span, hint) = match seen {
        Some((same, hint, span)) if same == message => (Some(span), hint),
        _ => by_message(source, message),
    };
    let span = span.map(|span| in_characters(source, &span));
    let (message, at) = (in_plain_words(message), at(span.as_ref()));
    PatternMistake { what: format!("'pattern' is not a regular expression: {message}{at} ({hint})"), span }
}

/// The message of an engine in lower case, with its wording replaced where it is unclear.
fn in_plain_words(message: &str) -> String {
    let message = message.strip_prefix("General parsing error: ").unwrap_or(message);
    match message {
        UNCLOSED => "unclosed group".to_owned(),
        _ if message.starts_with("Unicode") => message.to_owned(),
        _ => {
            let mut rest = message.chars();
            rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect()
        }
    }
}

/// The message of the backtracking engine for an unclosed group.
const UNCLOSED: &str = "Opening parenthesis without closing parenthesis";

const ANY: &str = "write '\\' before a character that is meant literally";
const OPEN_GROUP: &str = "add ')', or write '\\(' for the character";
const CLOSED_GROUP: &str = "remove it, or write '\\)' for the character";
const GROUP_NAME: &str = "a name is letters, digits and '_', as in '(?P<name>…)'";
const FLAGS: &str = "the flags are i, m, s, x, u and a";
const HEX: &str = "write the number of a character in hexadecimal, as in '\\x41' or '\\u0041'";

/// The hint for a parse error; `there` is the source at its span.
fn hint_for_syntax(kind: &Syntax, there: &str) -> String {
    let hint = match kind {
        Syntax::GroupUnclosed => OPEN_GROUP,
        Syntax::GroupUnopened => CLOSED_GROUP,
        Syntax::ClassUnclosed => "add ']', or write '\\[' for the character",
        Syntax::ClassRangeInvalid => "write the smaller end first, or '\\-' for a hyphen",
        Syntax::ClassRangeLiteral => "a range has a character at both ends; write '\\-' for a hyphen",
        Syntax::ClassEscapeInvalid => "it has no meaning in brackets; put it outside",
        Syntax::EscapeUnrecognized => {
            let c = there.trim_start_matches('\\');
            return format!(
                "it is not an escape sequence; write '{c}' for the character, or '\\\\{c}' for a backslash before it"
            );
        }
        Syntax::EscapeHexEmpty | Syntax::EscapeHexInvalid | Syntax::EscapeHexInvalidDigit => HEX,
        Syntax::EscapeUnexpectedEof => "write all of it, as in '\\x41', '\\u0041' or '\\p{Greek}'",
        Syntax::FlagDanglingNegation
        | Syntax::FlagDuplicate { .. }
        | Syntax::FlagRepeatedNegation { .. }
        | Syntax::FlagUnrecognized => FLAGS,
        Syntax::FlagUnexpectedEof => OPEN_GROUP,
        Syntax::GroupNameDuplicate { .. } => "give each group a name of its own",
        Syntax::GroupNameEmpty | Syntax::GroupNameInvalid | Syntax::GroupNameUnexpectedEof => GROUP_NAME,
        Syntax::RepetitionCountInvalid => "write the smaller number first",
        Syntax::RepetitionMissing => "write what to repeat before it, or '\\' before it for the character",
        Syntax::RepetitionCountDecimalEmpty
        | Syntax::RepetitionCountUnclosed
        | Syntax::DecimalEmpty
        | Syntax::DecimalInvalid => "write a smaller number, or '\\{' for the character",
        Syntax::NestLimitExceeded(_) => "put fewer groups into each other",
        Syntax::UnicodeClassInvalid => "write a property, as in '\\p{Greek}'",
        _ => ANY,
    };
    hint.to_owned()
}

fn hint_for_meaning(kind: &Meaning) -> String {
    let hint = match kind {
        Meaning::UnicodePropertyNotFound | Meaning::UnicodePropertyValueNotFound => {
            "no characters are called so; '\\p{L}' is any letter, '\\p{Greek}' a script"
        }
        _ => ANY,
    };
    hint.to_owned()
}

/// The span and the hint for a message without an offset.
fn by_message(source: &str, message: &str) -> (Option<Range<usize>>, String) {
    let one = |at: usize| at..at + 1;
    let (span, hint) = match message {
        "unclosed group" | UNCLOSED => (groups(source).unclosed.map(one), OPEN_GROUP),
        "unopened group" => (groups(source).unopened.map(one), CLOSED_GROUP),
        "Look-behind assertion without constant size" => {
            (None, "let it have one length, or write several with '|'")
        }
        "Could not parse group name" => (None, GROUP_NAME),
        _ if message.starts_with("Invalid back reference") => {
            let number = message.rsplit(' ').next().filter(|last| last.parse::<usize>().is_ok());
            let reference = number.map(|number| format!("\\{number}"));
            let span = reference.and_then(|text| source.find(&text).map(|at| at..at + text.len()));
            match span.is_none().then(|| unknown_name(source)).flatten() {
                Some(span) => {
                    (Some(span), "no group has this name; write '(?P<name>…)' around what it repeats")
                }
                None => (span, "there is no such group; write '(…)' around what it repeats"),
            }
        }
        _ if message.starts_with("Invalid group name in back reference") => {
            (None, "name a group that is there")
        }
        _ if message.starts_with("Unknown group flag") => (None, FLAGS),
        _ if message.starts_with("Invalid hex escape") => (None, HEX),
        _ => (None, ANY),
    };
    (span, hint.to_owned())
}

/// The span of a reference to a group that does not exist.
fn unknown_name(source: &str) -> Option<Range<usize>> {
    let references = [("\\k<", '>'), ("\\k'", '\''), ("(?P=", ')')];
    references.into_iter().find_map(|(start, end)| {
        let mut starts = source.match_indices(start);
        starts.find_map(|(at, _)| {
            let name = source[at + start.len()..].split_once(end)?.0;
            let is_there =
                source.contains(&format!("(?P<{name}>")) || source.contains(&format!("(?<{name}>"));
            (!is_there).then(|| at..at + start.len() + name.len() + end.len_utf8())
        })
    })
}

/// Parentheses without a partner, as byte offsets.
#[derive(Default)]
struct StrayParentheses {
    unclosed: Option<usize>,
    unopened: Option<usize>,
}

fn groups(source: &str) -> StrayParentheses {
    let (mut open, mut unopened) = (Vec::new(), None);
    let mut rest = source.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => {
                rest.next_if(|(_, c)| *c == '^');
                // The first character is a member, even if it is a bracket.
                let mut last = rest.next();
                while let Some((_, c)) = last {
                    last = if c == '\\' { rest.nth(1) } else { rest.next() };
                    if matches!(last, Some((_, ']'))) {
                        break;
                    }
                }
            }
            '(' => open.push(at),
            ')' if open.pop().is_none() => unopened = unopened.or(Some(at)),
            _ => {}
        }
    }
    StrayParentheses { unclosed: open.pop(), unopened }
}

/// The span of a construct that cannot be translated, in bytes.
fn span_of(source: &str, error: &DialectError) -> Option<Range<usize>> {
    let text = |wanted: &str| source.find(wanted).map(|at| at..at + wanted.len());
    match error {
        DialectError::NamedCharacter => text("\\N{"),
        DialectError::UnknownEscape(c) => escape(source, *c),
        DialectError::UnclosedComment => text("(?#"),
        DialectError::TrailingBackslash => Some(source.len().saturating_sub(1)..source.len()),
        DialectError::UnclosedClass => match regex_syntax::ast::parse::Parser::new().parse(source) {
            Err(error) if *error.kind() == Syntax::ClassUnclosed => {
                Some(error.span().start.offset..error.span().end.offset)
            }
            _ => None,
        },
        DialectError::LocaleFlag | DialectError::OctalTooLarge | DialectError::RepeatedRepetition => None,
    }
}

/// The span of the first `\wanted`, in bytes.
fn escape(source: &str, wanted: char) -> Option<Range<usize>> {
    let mut rest = source.char_indices();
    while let Some((at, c)) = rest.next() {
        if c == '\\' {
            let (next, c) = rest.next()?;
            if c == wanted {
                return Some(at..next + c.len_utf8());
            }
        }
    }
    None
}

fn in_characters(source: &str, bytes: &Range<usize>) -> Range<usize> {
    let before = |end: usize| source.get(..end).map_or(0, |text| text.chars().count());
    let start = before(bytes.start);
    start..before(bytes.end).max(start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{self, Dialect};
    use crate::matcher::pattern::CompiledPattern;

    /// The explanation of a pattern, with carets under the span.
    fn explained(source: &str) -> String {
        let pattern =
            contract::Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None };
        let Err(error) = CompiledPattern::new(&pattern) else {
            panic!("{source} is valid");
        };
        let PatternMistake { what, span } = explain(source, &error);
        let what = what.trim_start_matches("'pattern' is not ");
        match span {
            Some(span) => format!("{source}\n{}{} {what}", " ".repeat(span.start), "^".repeat(span.len())),
            None => format!("{source}\n{what}"),
        }
    }

    #[test]
    fn points_at_each_mistake() {
        let sources = [
            "print(",
            "a(b|c",
            "a)",
            r"\((?!x)(b",
            "[a",
            "ab*c*|*d",
            "a{5,2}",
            r"\p{Foo}",
            r"é\q",
            "(?y)",
            "x[z-a]",
            "(?P<1a>x)",
            r"\x{zz}",
            r"a\1",
            r"(?P<a>x)(?P<a>y)",
            "a\\",
            r"\N{DOT}",
            "(?#abc",
            "[(]x)",
            r"[\]](",
            "*foo",
            r"(?<name\w+)",
            r"(?P<a>x)\k<b>(?!y)",
            r"(?P<a>x)(?P=b)",
            r"\u12",
            "(?i",
        ];
        let explained: Vec<_> = sources.into_iter().map(explained).collect();
        insta::assert_snapshot!(explained.join("\n"), @r#"
        print(
             ^ a regular expression: unclosed group at character 6 (add ')', or write '\(' for the character)
        a(b|c
         ^ a regular expression: unclosed group at character 2 (add ')', or write '\(' for the character)
        a)
         ^ a regular expression: unopened group at character 2 (remove it, or write '\)' for the character)
        \((?!x)(b
               ^ a regular expression: unclosed group at character 8 (add ')', or write '\(' for the character)
        [a
        ^ valid: a character class is not closed at character 1 (add ']', or write '\[' for the character)
        ab*c*|*d
              ^ a regular expression: repetition operator missing expression at character 7 (write what to repeat before it, or '\' before it for the character)
        a{5,2}
         ^^^^^ a regular expression: invalid repetition count range, the start must be <= the end at character 2 (write the smaller number first)
        \p{Foo}
        ^^^^^^^ a regular expression: Unicode property not found at character 1 (no characters are called so; '\p{L}' is any letter, '\p{Greek}' a script)
        é\q
         ^^ valid: '\q' is not an escape sequence at character 2 (write the character or the class that is meant)
        (?y)
          ^ a regular expression: unrecognized flag at character 3 (the flags are i, m, s, x, u and a)
        x[z-a]
          ^^^ a regular expression: invalid character class range, the start must be <= the end at character 3 (write the smaller end first, or '\-' for a hyphen)
        (?P<1a>x)
            ^ a regular expression: invalid capture group character at character 5 (a name is letters, digits and '_', as in '(?P<name>…)')
        \x{zz}
           ^ a regular expression: invalid hexadecimal digit at character 4 (write the number of a character in hexadecimal, as in '\x41' or '\u0041')
        a\1
         ^^ a regular expression: invalid back reference to group 1 at character 2 (there is no such group; write '(…)' around what it repeats)
        (?P<a>x)(?P<a>y)
                    ^ a regular expression: duplicate capture group name at character 13 (give each group a name of its own)
        a\
         ^ valid: the pattern ends in a backslash at character 2 (write '\\' for the character)
        \N{DOT}
        ^^^ valid: characters cannot be named with \N{…} at character 1 (write \u and four hex digits)
        (?#abc
        ^^^ valid: a comment is not closed at character 1 (add ')')
        [(]x)
            ^ a regular expression: unopened group at character 5 (remove it, or write '\)' for the character)
        [\]](
            ^ a regular expression: unclosed group at character 5 (add ')', or write '\(' for the character)
        *foo
        ^ a regular expression: repetition operator missing expression at character 1 (write what to repeat before it, or '\' before it for the character)
        (?<name\w+)
               ^ a regular expression: invalid capture group character at character 8 (a name is letters, digits and '_', as in '(?P<name>…)')
        (?P<a>x)\k<b>(?!y)
                ^^^^^ a regular expression: invalid back reference at character 9 (no group has this name; write '(?P<name>…)' around what it repeats)
        (?P<a>x)(?P=b)
                ^^^^^^ a regular expression: invalid back reference at character 9 (no group has this name; write '(?P<name>…)' around what it repeats)
        \u12
            ^ a regular expression: incomplete escape sequence, reached end of pattern prematurely at character 5 (write all of it, as in '\x41', '\u0041' or '\p{Greek}')
        (?i
           ^ a regular expression: expected flag but got end of regex at character 4 (add ')', or write '\(' for the character)
        "#);
    }

    #[test]
    fn oversized_patterns_have_no_span() {
        assert!(explained("(?:(?:x{100}){100}){100}").contains("too large once compiled"));
    }
}
