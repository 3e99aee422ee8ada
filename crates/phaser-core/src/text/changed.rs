//! The lines in which two versions of a text differ.

use std::ops::Range;

/// The lines of `now`, from 1, from the first that differs from `before` to the last. Empty if lines were only
/// removed. Line endings are ignored. Linear in both texts.
pub fn changed_lines(before: &[u8], now: &[u8]) -> Range<usize> {
    let same = |(old, new): &(&[u8], &[u8])| old == new;
    let head = lines(before).zip(lines(now)).take_while(same).count();
    let [old_count, new_count] = [before, now].map(|text| memchr::memchr_iter(b'\n', text).count() + 1);
    let rest = old_count.min(new_count) - head;
    let tail = lines(before).rev().zip(lines(now).rev()).take(rest).take_while(same).count();
    head + 1..new_count - tail + 1
}

/// The lines of a text, without their endings.
fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// [`changed_lines`] by splitting all lines.
    fn simple(before: &[u8], now: &[u8]) -> Range<usize> {
        let [before, now] = [before, now].map(|text| lines(text).collect::<Vec<_>>());
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
