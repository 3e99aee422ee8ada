//! Facts about an expression, read off its syntax tree.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::matcher::literals;
use crate::matcher::literals::byte_set::ByteSet;

/// A repetition that allows more characters counts as unbounded.
const ENDLESS: u32 = 1_000;

/// The note about a `\r` directly before `$`.
pub const RETURN_BEFORE_END: &str =
    "'\\r$' matches nothing, because '$' stands before the '\\r\\n' that ends a line (write '\\r\\n')";

/// The bytes that an expression can run over without bound.
pub fn endless_bytes(hir: &Hir) -> ByteSet {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => ByteSet::EMPTY,
        HirKind::Capture(capture) => endless_bytes(&capture.sub),
        HirKind::Repetition(repetition) if repetition.max.is_none_or(|max| max > ENDLESS) => {
            literals::bytes(&repetition.sub)
        }
        HirKind::Repetition(repetition) => endless_bytes(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(endless_bytes).fold(ByteSet::EMPTY, ByteSet::union)
        }
    }
}

/// Whether `\r` is directly before the end of a line, where it matches nothing.
pub fn return_before_end(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Capture(capture) => return_before_end(&capture.sub),
        HirKind::Repetition(repetition) => return_before_end(&repetition.sub),
        HirKind::Alternation(parts) => parts.iter().any(return_before_end),
        HirKind::Concat(parts) => {
            parts.windows(2).any(|pair| ends_in_return(&pair[0]) && starts_at_line_end(&pair[1]))
                || parts.iter().any(return_before_end)
        }
    }
}

/// Whether every match ends in `\r`.
fn ends_in_return(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.ends_with(b"\r"),
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().all(|range| range.start() == b'\r' && range.end() == b'\r')
        }
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().all(|range| range.start() == '\r' && range.end() == '\r')
        }
        HirKind::Capture(capture) => ends_in_return(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && ends_in_return(&repetition.sub),
        HirKind::Concat(parts) => parts.last().is_some_and(ends_in_return),
        HirKind::Alternation(parts) => parts.iter().all(ends_in_return),
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// Whether every match starts at the end of a line.
fn starts_at_line_end(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Look(look) => matches!(look, Look::EndCRLF),
        HirKind::Capture(capture) => starts_at_line_end(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && starts_at_line_end(&repetition.sub),
        HirKind::Concat(parts) => parts.first().is_some_and(starts_at_line_end),
        HirKind::Alternation(parts) => parts.iter().all(starts_at_line_end),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => false,
    }
}

/// Whether a match can start with blank lines, as one of `^\s*print` can.
pub fn starts_across_lines(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Capture(capture) => starts_across_lines(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().any(starts_across_lines),
        HirKind::Concat(parts) => {
            let mut parts = parts.iter().skip_while(|part| matches!(part.kind(), HirKind::Look(_)));
            let Some(first) = parts.next() else { return false };
            starts_across_lines(first) || runs_over_lines(first) && parts.next().is_some()
        }
        HirKind::Empty
        | HirKind::Look(_)
        | HirKind::Literal(_)
        | HirKind::Class(_)
        | HirKind::Repetition(_) => false,
    }
}

/// Whether the expression is an unbounded repetition of white space with newlines.
fn runs_over_lines(hir: &Hir) -> bool {
    let HirKind::Repetition(repetition) = hir.kind() else { return false };
    let sub = match repetition.sub.kind() {
        HirKind::Capture(capture) => &capture.sub,
        _ => &repetition.sub,
    };
    let is_blank = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0B;
    let blanks = match sub.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().all(|range| (range.start()..=range.end()).all(is_blank))
        }
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().all(|range| (range.start()..=range.end()).all(char::is_whitespace))
        }
        _ => false,
    };
    repetition.max.is_none() && blanks && literals::bytes(sub).contains(b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::pattern::linear::{Charset, parse};

    fn tree(regex: &str) -> Hir {
        parse(regex, Charset::Any).expect("an expression")
    }

    #[test]
    fn sees_return_before_line_end() {
        for regex in [r"\r$", r";\r$", r"[^\r\n]+\r$", r"(?:a|b\r)?\r+$", r"(\r)(?:$|$x)", r"a|b\r$"] {
            assert!(return_before_end(&tree(regex)), "{regex}");
        }
        for regex in [r"\r\n", r"a\r?$", r"$\r", r"[\r\n]$", r"\r\z", r"\r(?:$|x)", r"(?:a|\r)$"] {
            assert!(!return_before_end(&tree(regex)), "{regex}");
        }
    }

    #[test]
    fn sees_matches_that_start_with_lines() {
        for regex in [r"^\s*print", r"\s+x", r"(?:^\s*)x", r"^(\s)*x", r"a|^\s*b", r"^[ \t\n]*x"] {
            assert!(starts_across_lines(&tree(regex)), "{regex}");
        }
        for regex in [r"^[ \t]*print", r"x\s*y", r"\s*", r"\s{2}x", r"^\S*x", "^.*x", r"\sx"] {
            assert!(!starts_across_lines(&tree(regex)), "{regex}");
        }
    }

    #[test]
    fn collects_bytes_of_unbounded_repetitions() {
        let bytes = |regex| endless_bytes(&tree(regex));
        assert_eq!(bytes("abc[a-z]{1,3}"), ByteSet::EMPTY);
        assert!(bytes("a.*b").contains(b'x') && !bytes("a.*b").contains(b'\n'));
        assert!(bytes(r"(?:a{2000}|\s+)").contains(b'\n') && bytes("(?:a{2000})").contains(b'a'));
    }
}
