//! `file_unchanged`: a file that is in the base of a change must stay as it is.

use std::borrow::Cow;

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};

/// The row of `file_unchanged`.
pub static FILE_UNCHANGED: ContractType = ContractType {
    name: "file_unchanged",
    meaning: "No file of the glob that is already committed may be modified, deleted or renamed. New files are free.",
    required_keys: &[],
    one_of_keys: &[],
    optional_keys: &["append"],
    v1_2_report: None,
    build: |values| {
        Some(Check::Unchanged(FileUnchanged { append: values.append.unwrap_or(AppendRule::Deny) }))
    },
};

/// Reports a file that a change modifies, deletes or renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileUnchanged {
    /// Whether text may be added to the end.
    pub append: AppendRule,
}

/// The value of `append`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AppendRule {
    /// New lines at the end are a change like any other.
    Deny,
    /// New lines at the end are allowed.
    Allow,
}

impl AppendRule {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Deny, Self::Allow];

    /// The value of `append`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
        }
    }
}

impl FileUnchanged {
    /// The number of the first line, from 1, that a change makes different; `None` if the change is allowed. `\r\n` and
    /// `\n` are equal: git may store one and check out the other.
    pub fn first_changed_line(self, before: &[u8], after: &[u8]) -> Option<usize> {
        if before == after {
            return None;
        }
        let (old, new) = (with_line_feeds(before), with_line_feeds(after));
        if old == new {
            return None;
        }
        let common = old.iter().zip(new.iter()).take_while(|(old, new)| old == new).count();
        let adds_lines =
            common == old.len() && (old.is_empty() || old.ends_with(b"\n") || new[common] == b'\n');
        if adds_lines && self.append == AppendRule::Allow {
            return None;
        }
        Some(1 + memchr::memchr_iter(b'\n', &new[..common]).count())
    }
}

/// The text with `\n` as its only line end.
pub fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(text, b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    for (at, &byte) in text.iter().enumerate() {
        if byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            plain.push(byte);
        }
    }
    Cow::Owned(plain)
}

impl Evaluator for FileUnchanged {
    fn input(&self) -> CheckInput {
        CheckInput::Change
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, _: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROZEN: FileUnchanged = FileUnchanged { append: AppendRule::Deny };
    const APPEND: FileUnchanged = FileUnchanged { append: AppendRule::Allow };

    #[test]
    fn finds_first_changed_line() {
        for (before, after, at) in [
            ("a\nb\n", "a\nb\n", None),
            ("a\nb\n", "a\nc\n", Some(2)),
            ("a\nb\n", "", Some(1)),
            ("a\nb\n", "a\n", Some(2)),
            ("a\nb\n", "a\nb\nc\n", Some(3)),
            ("a\nb\n", "a\nb", Some(2)),
            ("a\n", "x\na\n", Some(1)),
        ] {
            assert_eq!(
                FROZEN.first_changed_line(before.as_bytes(), after.as_bytes()),
                at,
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn line_ends_are_equal() {
        assert_eq!(FROZEN.first_changed_line(b"a\nb\n", b"a\r\nb\r\n"), None);
        assert_eq!(FROZEN.first_changed_line(b"a\nb\n", b"a\r\nc\r\n"), Some(2));
        assert_eq!(FROZEN.first_changed_line(b"a\r\nb\r\n", b"a\nb\n"), None);
        assert_eq!(FROZEN.first_changed_line(b"a\n", b"a\r"), Some(1));
    }

    #[test]
    fn append_allows_new_lines_at_end_only() {
        for (before, after, allowed) in [
            ("a\n", "a\nb\n", true),
            ("a", "a\nb", true),
            ("", "a", true),
            ("a\n", "a\r\nb\r\n", true),
            ("a", "ab", false),
            ("a\nb\n", "a\nx\nb\n", false),
            ("a\nb\n", "a\n", false),
        ] {
            let change = APPEND.first_changed_line(before.as_bytes(), after.as_bytes());
            assert_eq!(change.is_none(), allowed, "{before:?} {after:?}");
        }
    }
}
