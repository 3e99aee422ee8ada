//! The rules of one `.gitignore` or excludes file.
//!
//! gix parses and matches patterns. This module only avoids most attempts: a pattern such as `*.log` matches only
//! paths that end in `g`, so patterns are grouped by their last byte and a path tries one group.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::glob::Pattern;
use gix::glob::pattern::{Case, Mode};
use gix::glob::wildmatch;

/// The largest file that is read, in bytes; git ignores larger ones, too.
const MAX_SIZE: u64 = 100 << 20;

/// The rules of one file.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    patterns: Vec<Pattern>,
    case: Case,
    /// For each last byte of a path, the index of its list in `candidates`.
    by_last_byte: Box<[u16; 256]>,
    /// Lists of pattern indices, last pattern first. List 0 is for bytes that end no pattern.
    candidates: Vec<Vec<usize>>,
}

/// The decision of one file of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleVerdict {
    /// Excluded.
    Excluded,
    /// Included, whatever rules of lower precedence say.
    Included,
}

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum PathKind {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

impl IgnoreRules {
    /// Reads the rules of a regular file; `None` if it has none.
    pub(super) fn read(path: &Path, case: Case) -> Option<Self> {
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_SIZE + 1).read_to_end(&mut bytes).ok()?;
        let is_small = bytes.len() as u64 <= MAX_SIZE;
        is_small.then(|| Self::parse(&bytes, case)).filter(|rules| !rules.patterns.is_empty())
    }

    fn parse(bytes: &[u8], case: Case) -> Self {
        let patterns: Vec<_> = gix::ignore::parse(bytes, false).map(|(pattern, ..)| pattern).collect();
        let mut by_last_byte = Box::new([0; 256]);
        let mut lists = 1;
        for last in patterns.iter().filter_map(last_byte) {
            let list = &mut by_last_byte[usize::from(folded(last, case))];
            if *list == 0 {
                (*list, lists) = (lists, lists + 1);
            }
        }
        let mut candidates = vec![Vec::new(); usize::from(lists)];
        for (index, pattern) in patterns.iter().enumerate().rev() {
            match last_byte(pattern) {
                Some(last) => {
                    candidates[usize::from(by_last_byte[usize::from(folded(last, case))])].push(index)
                }
                None => candidates.iter_mut().for_each(|list| list.push(index)),
            }
        }
        Self { patterns, case, by_last_byte, candidates }
    }

    /// The decision about `path`, whose last component starts at `name`.
    pub(super) fn verdict(&self, path: &[u8], name: usize, kind: PathKind) -> Option<RuleVerdict> {
        let last = folded(*path.last()?, self.case);
        let candidates = &self.candidates[usize::from(self.by_last_byte[usize::from(last)])];
        let matches = |pattern: &&Pattern| self.matches(pattern, path, name, kind);
        let pattern = candidates.iter().map(|&index| &self.patterns[index]).find(matches)?;
        Some(if pattern.is_negative() { RuleVerdict::Included } else { RuleVerdict::Excluded })
    }

    fn matches(&self, pattern: &Pattern, path: &[u8], name: usize, kind: PathKind) -> bool {
        let mode = match self.case {
            Case::Sensitive => wildmatch::Mode::NO_MATCH_SLASH_LITERAL,
            Case::Fold => wildmatch::Mode::NO_MATCH_SLASH_LITERAL | wildmatch::Mode::IGNORE_CASE,
        };
        if pattern.mode.contains(Mode::MUST_BE_DIR) && kind == PathKind::File {
            return false;
        }
        if pattern.mode.contains(Mode::NO_SUB_DIR) && !pattern.mode.contains(Mode::ABSOLUTE) {
            return pattern.matches(path[name..].as_bstr(), mode);
        }
        match pattern.first_wildcard_pos {
            // Git compares the part before the first wildcard literally and matches the rest on its own, so `a**`
            // crosses slashes.
            Some(wild) => {
                let (plain, rest) = pattern.text.split_at(wild);
                starts_with(path, plain, self.case)
                    && gix::glob::wildmatch(rest.as_bstr(), path[wild..].as_bstr(), mode)
            }
            None => pattern.matches(path.as_bstr(), mode),
        }
    }
}

fn starts_with(text: &[u8], start: &[u8], case: Case) -> bool {
    text.get(..start.len()).is_some_and(|head| match case {
        Case::Sensitive => head == start,
        Case::Fold => head.eq_ignore_ascii_case(start),
    })
}

/// The last byte of every path that the pattern matches. `None` if it varies: `**/` may match nothing.
fn last_byte(pattern: &Pattern) -> Option<u8> {
    pattern.text.last().copied().filter(|last| !b"*?]/".contains(last))
}

fn folded(byte: u8, case: Case) -> u8 {
    match case {
        Case::Sensitive => byte,
        Case::Fold => byte.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(rules: &str, case: Case, paths: &[&str]) -> Vec<Option<RuleVerdict>> {
        let rules = IgnoreRules::parse(rules.as_bytes(), case);
        let verdict = |path: &&str| {
            let bare = path.trim_end_matches('/');
            let kind = if bare.len() < path.len() { PathKind::Directory } else { PathKind::File };
            rules.verdict(bare.as_bytes(), bare.rfind('/').map_or(0, |slash| slash + 1), kind)
        };
        paths.iter().map(verdict).collect()
    }

    const EXCLUDED: Option<RuleVerdict> = Some(RuleVerdict::Excluded);
    const INCLUDED: Option<RuleVerdict> = Some(RuleVerdict::Included);

    #[test]
    fn last_matching_rule_decides() {
        let rules = "*.log\n!keep.*\n*.txt\nd/\n!*p.log\n";
        let paths = ["a.log", "keep.log", "keep.txt", "x/keep.md", "d/", "d", "e/d/", "other"];
        assert_eq!(
            verdicts(rules, Case::Sensitive, &paths),
            [EXCLUDED, INCLUDED, EXCLUDED, INCLUDED, EXCLUDED, None, EXCLUDED, None]
        );
    }

    #[test]
    fn case_counts_unless_it_is_folded() {
        let paths = ["a.LOG", "A.log", "B/c", "[x"];
        assert_eq!(verdicts("*.Log\nb/C\n[[x]\n", Case::Sensitive, &paths), [None, None, None, None]);
        assert_eq!(verdicts("*.Log\nb/C\n", Case::Fold, &paths), [EXCLUDED, EXCLUDED, EXCLUDED, None]);
    }

    #[test]
    fn skips_irregular_and_empty_rule_files() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("rules");
        assert!(IgnoreRules::read(directory.path(), Case::Sensitive).is_none());
        assert!(IgnoreRules::read(&path, Case::Sensitive).is_none());
        std::fs::write(&path, "# nothing\n\n").expect("written");
        assert!(IgnoreRules::read(&path, Case::Sensitive).is_none());
        std::fs::write(&path, "a").expect("written");
        assert!(IgnoreRules::read(&path, Case::Sensitive).is_some());
    }
}
