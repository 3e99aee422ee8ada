//! `file_size`: a file with too many lines or bytes is a violation.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};

/// The row of `file_size`.
pub static FILE_SIZE: ContractType = ContractType {
    name: "file_size",
    meaning: "No file of the glob may have more than `max_lines` lines or `max_bytes` bytes.",
    required_keys: &[],
    one_of_keys: &["max_lines", "max_bytes"],
    optional_keys: &[],
    v1_2_report: None,
    build: |values| {
        let limit = FileSize { lines: values.max_lines, bytes: values.max_bytes };
        (limit != FileSize::default()).then_some(Check::Size(limit))
    },
};

/// The size of a file, or a limit on it. The limit reports files that exceed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FileSize {
    /// The number of lines; `None` for a binary file, or without a limit.
    pub lines: Option<u64>,
    /// The number of bytes; `None` without a limit.
    pub bytes: Option<u64>,
}

impl FileSize {
    /// The size of a file with these bytes; `text` is what they mean, if they are text. A last line without a line end
    /// counts.
    pub fn of(bytes: &[u8], text: Option<&[u8]>) -> Self {
        let lines = text.map(|text| {
            let ends = memchr::memchr_iter(b'\n', text).count() as u64;
            ends + u64::from(text.last().is_some_and(|&last| last != b'\n'))
        });
        Self { lines, bytes: Some(bytes.len() as u64) }
    }

    /// Whether a file of this size exceeds the limits.
    pub fn is_exceeded_by(&self, size: Self) -> bool {
        let exceeds = |limit: Option<u64>, size: Option<u64>| matches!((limit, size), (Some(limit), Some(size)) if size > limit);
        exceeds(self.lines, size.lines) || exceeds(self.bytes, size.bytes)
    }

    /// Whether a file that exceeds the limits has grown in one of the exceeded measures, from `before` to `now`.
    pub fn has_grown(&self, before: Self, now: Self) -> bool {
        let grown = |limit: Option<u64>, before: Option<u64>, now: Option<u64>| matches!((limit, now), (Some(limit), Some(now)) if now > limit && before.is_none_or(|before| now > before));
        grown(self.lines, before.lines, now.lines) || grown(self.bytes, before.bytes, now.bytes)
    }
}

impl Evaluator for FileSize {
    fn input(&self) -> CheckInput {
        CheckInput::Size
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        match target.size {
            Some(size) if self.is_exceeded_by(size) => CheckVerdict::File,
            _ => CheckVerdict::Pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(lines: u64, bytes: u64) -> FileSize {
        FileSize { lines: Some(lines), bytes: Some(bytes) }
    }

    #[test]
    fn either_limit_counts() {
        let both = size(10, 100);
        for (is, exceeded) in [(size(10, 100), false), (size(11, 1), true), (size(1, 101), true)] {
            assert_eq!(both.is_exceeded_by(is), exceeded);
        }
        let lines = FileSize { bytes: None, ..both };
        assert!(
            !lines.is_exceeded_by(FileSize { lines: None, bytes: Some(1000) }),
            "a binary file has no lines"
        );
    }

    #[test]
    fn grows_only_in_exceeded_measure() {
        let limit = size(10, 100);
        assert!(limit.has_grown(size(11, 50), size(12, 50)));
        assert!(!limit.has_grown(size(12, 50), size(11, 60)), "the bytes are within their limit");
        assert!(!limit.has_grown(size(12, 150), size(12, 150)));
    }
}
