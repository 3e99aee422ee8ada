//! `same_line_endings`: a line that ends in another way than most lines of its file is a violation.

use super::{Check, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::{Dialect, Pattern};
use crate::text::more_frequent_newline;
use std::ops::Range;

/// The row of `same_line_endings`.
pub static SAME_LINE_ENDINGS: ContractType = ContractType {
    name: "same_line_endings",
    meaning: "All lines of a file of the glob must end in the same way, `\\n` or `\\r\\n`; each line that ends in the rarer way is a violation.",
    required_keys: &[],
    one_of_keys: &[],
    optional_keys: &["fix"],
    v1_2_report: None,
    build: |_| Some(Check::LineEndings(SameLineEndings::new())),
};

/// Reports each line ending that is the rarer one of its file. If both are as frequent, `\n` is the right one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SameLineEndings {
    /// Matches `\r\n`: in a text without it all lines end in the same way.
    ending: Pattern,
}

impl SameLineEndings {
    fn new() -> Self {
        let ending = Pattern { source: r"\r\n".to_owned(), dialect: Dialect::Regex, line: 0, literals: None };
        Self { ending }
    }
}

impl Evaluator for SameLineEndings {
    fn prefilter(&self) -> Option<&Pattern> {
        Some(&self.ending)
    }

    fn passes_unmatched(&self) -> bool {
        true
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        let Some(text) = target.text else { return CheckVerdict::Pass };
        match other_endings(text.bytes()) {
            spans if spans.is_empty() => CheckVerdict::Pass,
            spans => CheckVerdict::Spans(spans),
        }
    }
}

/// The line endings that are the rarer ones of a text.
fn other_endings(text: &[u8]) -> Vec<Range<usize>> {
    let right = more_frequent_newline(text);
    let ending = |end: usize| match end.checked_sub(1).filter(|&at| text[at] == b'\r') {
        Some(start) => start..end + 1,
        None => end..end + 1,
    };
    memchr::memchr_iter(b'\n', text).map(ending).filter(|ending| ending.len() != right.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &[u8]) -> Vec<(usize, usize)> {
        other_endings(text).into_iter().map(|ending| (ending.start, ending.end)).collect()
    }

    #[test]
    fn reports_rarer_line_ending() {
        assert_eq!(found(b"a\nb\r\nc\n"), [(3, 5)]);
        assert_eq!(found(b"a\r\nb\nc\r\n"), [(4, 5)]);
        assert_eq!(found(b"a\nb\r\n"), [(3, 5)], "a tie");
        assert_eq!(found(b"\n\r\n\n"), [(1, 3)]);
    }

    #[test]
    fn accepts_equal_line_endings() {
        for text in [&b""[..], b"a", b"\n", b"a\nb", b"a\r\nb\r\n", b"a\rb\n"] {
            assert_eq!(found(text), [], "{text:?}");
        }
    }
}
