//! Where a text differs from what it was.

use std::ops::Range;

/// The lines of `now`, counted from 1, from the first that differs from `before` to the last; none when lines were only
/// taken out. How lines end makes no difference.
pub fn changed_lines(before: &[u8], now: &[u8]) -> Range<usize> {
    let (before, now) = (lines(before), lines(now));
    let same = |pair: &(&&[u8], &&[u8])| pair.0 == pair.1;
    let head = before.iter().zip(&now).take_while(same).count();
    let rest = before[head..].iter().rev().zip(now[head..].iter().rev());
    let tail = rest.take_while(same).count();
    head + 1..now.len() - tail + 1
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_from_the_first_to_the_last_that_differ() {
        for (before, now, changed) in [
            ("a\nb\nc\n", "a\nb\nc\n", 5..5),
            ("a\nb\nc\n", "a\nB\nc\n", 2..3),
            ("a\nb\nc\n", "a\nb\nnew\nc\n", 3..4),
            ("a\nb\nc\nd\n", "A\nb\nc\nD\n", 1..5),
            ("a\nb\nc\n", "a\nc\n", 2..2),
            ("", "a\nb", 1..3),
            ("a\na\n", "a\na\na\n", 3..4),
            ("a\r\nb\r\n", "a\nb\nc\n", 3..4),
        ] {
            assert_eq!(changed_lines(before.as_bytes(), now.as_bytes()), changed, "{before:?} {now:?}");
        }
    }
}
