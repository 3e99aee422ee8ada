//! Which lines of a text are not in an earlier one.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, InternedInput};

/// The lines of `after` that were added or changed since `before`, counted from 1, in order. Where lines are only
/// gone, the range is empty and starts at the line that now follows.
pub fn changed_lines(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let line = |index: u32| index as usize + 1;
    diff.hunks().map(|hunk| line(hunk.after.start)..line(hunk.after.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_the_later_text() {
        let changed = |before: &str, after: &str| {
            let lines = changed_lines(before.as_bytes(), after.as_bytes());
            lines.into_iter().map(|lines| (lines.start, lines.end)).collect::<Vec<_>>()
        };
        assert_eq!(changed("a\nb\nc\n", "a\nb\nc\n"), []);
        assert_eq!(changed("a\nb\nc\n", "a\nx\ny\nc\n"), [(2, 4)]);
        assert_eq!(changed("a\nb\nc\n", "new\na\nb\nc\nnew"), [(1, 2), (5, 6)]);
        assert_eq!(changed("a\nb\nc\n", "a\nc\n"), [(2, 2)]);
        assert_eq!(changed("", "a\n"), [(1, 2)]);
        assert_eq!(changed("a", "a\n"), [(1, 2)]);
    }
}
