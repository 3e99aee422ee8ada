//! The lines in which two versions of a text differ.

use std::ops::Range;

/// The lines of `now`, from 1, from the first that differs from `before` to the last. Empty if lines were only
/// removed. Line endings are ignored. Linear in both texts.
pub fn changed_lines(before: &[u8], now: &[u8]) -> Range<usize> {
    // The common prefix is compared in blocks, not by lines.
    let same = common_start(before, now);
    let start = memchr::memrchr(b'\n', &now[..same]).map_or(0, |newline| newline + 1);
    let Same { count, old, new } = same_lines(&before[start..], &now[start..], first_line);
    let head = count_newlines(&now[..start]) + count;
    let (all, tail) = match (old, new) {
        (Some(old), Some(new)) => (head + count_newlines(new) + 1, same_at_end(old, new)),
        (None, Some(new)) => (head + count_newlines(new) + 1, 0),
        (Some(_) | None, None) => (head, 0),
    };
    head + 1..all - tail + 1
}

/// The number of equal lines at the end. Both texts have at least one line.
fn same_at_end(old: &[u8], new: &[u8]) -> usize {
    let same = common_end(old, new);
    let Some(newline) = memchr::memchr(b'\n', &new[new.len() - same..]) else {
        return same_lines(old, new, last_line).count;
    };
    let lines = &new[new.len() - same + newline + 1..];
    let without = |text: &[u8]| text.len() - lines.len() - 1;
    let above = same_lines(&old[..without(old)], &new[..without(new)], last_line);
    count_newlines(lines) + 1 + above.count
}

/// The number of equal lines from one end, and the rest of each text.
struct Same<'t> {
    count: usize,
    old: Option<&'t [u8]>,
    new: Option<&'t [u8]>,
}

/// Splits a line off one end of a text; the rest is `None` if it was the last.
type TakeLine = fn(&[u8]) -> (&[u8], Option<&[u8]>);

/// Takes lines off both texts while they are equal.
fn same_lines<'t>(old: &'t [u8], new: &'t [u8], take: TakeLine) -> Same<'t> {
    let mut same = Same { count: 0, old: Some(old), new: Some(new) };
    while let (Some(old), Some(new)) = (same.old, same.new) {
        let ((old_line, old), (new_line, new)) = (take(old), take(new));
        if old_line != new_line {
            break;
        }
        same = Same { count: same.count + 1, old, new };
    }
    same
}

/// The first line, and the rest.
fn first_line(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'\n', text) {
        Some(newline) => (without_return(&text[..newline]), Some(&text[newline + 1..])),
        None => (without_return(text), None),
    }
}

/// The last line, and the rest.
fn last_line(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memrchr(b'\n', text) {
        Some(newline) => (without_return(&text[newline + 1..]), Some(&text[..newline])),
        None => (without_return(text), None),
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn count_newlines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// The bytes compared at once.
const BLOCK: usize = 4096;

/// The length of the common prefix, in bytes.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks(BLOCK).zip(other.chunks(BLOCK)).take_while(|(one, other)| one == other);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

/// The length of the common suffix, in bytes.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks(BLOCK).zip(other.rchunks(BLOCK)).take_while(|(one, other)| one == other);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    let [one, other] = [one, other].map(|text| &text[..text.len() - same]);
    same + one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// [`changed_lines`] by splitting all lines.
    fn simple(before: &[u8], now: &[u8]) -> Range<usize> {
        let [before, now] = [before, now]
            .map(|text| text.split(|&byte| byte == b'\n').map(without_return).collect::<Vec<_>>());
        let same = |pair: &(&&[u8], &&[u8])| pair.0 == pair.1;
        let head = before.iter().zip(&now).take_while(same).count();
        let rest = before[head..].iter().rev().zip(now[head..].iter().rev());
        head + 1..now.len() - rest.take_while(same).count() + 1
    }

    proptest! {
        #[test]
        fn changed_lines_equal_naive_comparison(
            start in "[ab\r\n]{0,9}",
            middles in ["[ab\r\n]{0,9}", "[ab\r\n]{0,9}"],
            end in "[ab\r\n]{0,9}",
            times in prop_oneof![Just(1), Just(1), 1usize..2000],
        ) {
            let [before, now] = middles.map(|middle| start.repeat(times) + &middle + &end.repeat(times));
            let expected = simple(before.as_bytes(), now.as_bytes());
            prop_assert_eq!(changed_lines(before.as_bytes(), now.as_bytes()), expected);
        }
    }

    #[test]
    fn spans_first_to_last_changed_line() {
        for (before, now, changed) in [
            ("a\nb\nc\n", "a\nb\nc\n", 5..5),
            ("a\nb\nc\n", "a\nB\nc\n", 2..3),
            ("a\nb\nc\n", "a\nb\nnew\nc\n", 3..4),
            ("a\nb\nc\nd\n", "A\nb\nc\nD\n", 1..5),
            ("a\nb\nc\n", "a\nc\n", 2..2),
            ("", "a\nb", 1..3),
            ("a\na\n", "a\na\na\n", 3..4),
            ("a\r\nb\r\n", "a\nb\nc\n", 3..4),
            ("x\r\nc\n", "x\nc\nc\n", 3..4),
        ] {
            assert_eq!(changed_lines(before.as_bytes(), now.as_bytes()), changed, "{before:?} {now:?}");
        }
    }
}
