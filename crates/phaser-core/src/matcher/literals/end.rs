//! How every match of a pattern ends.
//!
//! `[ \t]+$` has no literal, but each of its matches ends with a blank before the end of a line. So a text is searched for line
//! ends, the byte before each is tested, and the regex runs on the lines where it is a blank. `[^\r\n]\z` is tested once, at
//! the end of the text.
//!
//! # Soundness
//!
//! The last byte of a match is one of those that its last characters end with. A part that may be empty adds its bytes to those
//! of the part before it; if the whole pattern may be empty, nothing is known. Bytes beyond ASCII are always included, since
//! patterns are parsed without Unicode. `$` holds before `\n`, before `\r`, or at the end of the text in every form that
//! patterns are translated to, and an alternation holds at the weaker of its ends.

use regex_syntax::hir::{Hir, HirKind, Look};

use super::byte_set::ByteSet;
use super::extract::hir_bytes;

/// The last byte of every match, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchEnd {
    pub last: ByteSet,
    pub at: EndPosition,
}

/// Where every match ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndPosition {
    /// Before `\n` or `\r`, or at the end of the text.
    Line,
    Text,
}

/// How every match of an expression ends; `None` if it may end elsewhere, or be empty.
pub(super) fn of(hir: &Hir) -> Option<MatchEnd> {
    match hir.kind() {
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Concat(parts) => {
            let is_look = |part: &&Hir| matches!(part.kind(), HirKind::Look(_) | HirKind::Empty);
            let looks = parts.iter().rev().take_while(is_look);
            let positions = looks.filter_map(|part| match part.kind() {
                HirKind::Look(Look::End) => Some(EndPosition::Text),
                HirKind::Look(Look::EndLF | Look::EndCRLF) => Some(EndPosition::Line),
                _ => None,
            });
            let at = positions.reduce(|one, other| if one == EndPosition::Text { one } else { other });
            match at {
                Some(at) => Some(MatchEnd { last: last_of(parts)?.union(ByteSet::HIGH), at }),
                None => parts.last().and_then(of),
            }
        }
        HirKind::Alternation(parts) => {
            let either = |one: MatchEnd, other: MatchEnd| MatchEnd {
                last: one.last.union(other.last),
                at: if one.at == other.at { one.at } else { EndPosition::Line },
            };
            parts.iter().map(of).reduce(|one, other| Some(either(one?, other?))).flatten()
        }
        _ => None,
    }
}

/// The bytes that matches end with, of a sequence; `None` if it may be empty.
fn last_of(parts: &[Hir]) -> Option<ByteSet> {
    let mut last = ByteSet::EMPTY;
    for part in parts.iter().rev() {
        let is_optional = part.properties().minimum_len().is_none_or(|least| least == 0);
        last = last.union(last_bytes(part));
        if !is_optional {
            return Some(last);
        }
    }
    None
}

/// The bytes that non-empty matches end with.
fn last_bytes(hir: &Hir) -> ByteSet {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => ByteSet::EMPTY,
        HirKind::Literal(literal) => {
            literal.0.last().map_or(ByteSet::EMPTY, |byte| ByteSet::range(*byte, *byte))
        }
        HirKind::Class(class) => hir_bytes(class),
        HirKind::Capture(capture) => last_bytes(&capture.sub),
        HirKind::Repetition(repetition) => last_bytes(&repetition.sub),
        HirKind::Concat(parts) => last_of(parts)
            .unwrap_or_else(|| parts.iter().fold(ByteSet::EMPTY, |all, part| all.union(last_bytes(part)))),
        HirKind::Alternation(parts) => {
            parts.iter().fold(ByteSet::EMPTY, |all, part| all.union(last_bytes(part)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::pattern::linear::{Charset, parse};

    #[test]
    fn knows_last_byte_before_end() {
        let of = |pattern| super::of(&parse(pattern, Charset::Ascii).expect("an expression"));
        let blank = ByteSet::range(b' ', b' ').union(ByteSet::range(b'\t', b'\t'));
        for (pattern, at) in [
            (r"[ \t]+$", EndPosition::Line),
            (r"x[ \t]\z", EndPosition::Text),
            (r"( |\t)$", EndPosition::Line),
            (r"a(?:[\t ]$)", EndPosition::Line),
            (r"\t\z|[ ]+$", EndPosition::Line),
            (r"[ \t]+$\B", EndPosition::Line),
        ] {
            assert_eq!(of(pattern), Some(MatchEnd { last: blank.union(ByteSet::HIGH), at }), "{pattern}");
        }
        let ab = ByteSet::range(b'a', b'b').union(ByteSet::HIGH);
        assert_eq!(of(r"ab?$"), Some(MatchEnd { last: ab, at: EndPosition::Line }));
        for pattern in ["[ \\t]+", " *$", "a$|b", "(a$)?", "$a"] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }
}
