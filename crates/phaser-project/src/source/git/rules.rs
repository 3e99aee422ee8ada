//! One list of git's rules for what is left out: what a `.gitignore` or an excludes file says.
//!
//! How a pattern is read and what it matches is gix's business. Here it is only tried where it can match: most patterns
//! end in a character that a name must end in, too, so few of a long list are tried on one file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::glob::Pattern;
use gix::glob::pattern::{Case, Mode};
use gix::glob::wildmatch;

/// A list that is larger than this is passed over, as git does.
const MAX_SIZE: u64 = 100 << 20;

/// The rules of one file.
#[derive(Debug)]
pub(super) struct Rules {
    patterns: Vec<Pattern>,
    case: Case,
    /// For each byte that a path may end in, which list of `candidates` is for it.
    by_last_byte: Box<[u16; 256]>,
    /// Patterns by their index, the last one first; the first list is for all other bytes.
    candidates: Vec<Vec<usize>>,
}

/// What a list says about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is left out.
    Excluded,
    /// It is not, whatever lists of less weight say.
    Included,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Kind {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

impl Rules {
    /// The rules in a file, if it is a regular file and has some.
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

    /// What the list says about `path`, whose last name starts at `name`.
    pub(super) fn verdict(&self, path: &[u8], name: usize, kind: Kind) -> Option<Verdict> {
        let last = folded(*path.last()?, self.case);
        let candidates = &self.candidates[usize::from(self.by_last_byte[usize::from(last)])];
        let matches = |pattern: &&Pattern| self.matches(pattern, path, name, kind);
        let pattern = candidates.iter().map(|&index| &self.patterns[index]).find(matches)?;
        Some(if pattern.is_negative() { Verdict::Included } else { Verdict::Excluded })
    }

    fn matches(&self, pattern: &Pattern, path: &[u8], name: usize, kind: Kind) -> bool {
        let mode = match self.case {
            Case::Sensitive => wildmatch::Mode::NO_MATCH_SLASH_LITERAL,
            Case::Fold => wildmatch::Mode::NO_MATCH_SLASH_LITERAL | wildmatch::Mode::IGNORE_CASE,
        };
        if pattern.mode.contains(Mode::MUST_BE_DIR) && kind == Kind::File {
            return false;
        }
        if pattern.mode.contains(Mode::NO_SUB_DIR) && !pattern.mode.contains(Mode::ABSOLUTE) {
            return pattern.matches(path[name..].as_bstr(), mode);
        }
        match pattern.first_wildcard_pos {
            // Git compares what is plain, and then looks at the rest as if nothing were before it: `a**` crosses slashes.
            Some(wild) => {
                let (plain, rest) = pattern.text.split_at(wild);
                starts_with(path, plain, self.case)
                    && gix::glob::wildmatch(rest.as_bstr(), path[wild..].as_bstr(), mode)
            }
            None => pattern.matches(path.as_bstr(), mode),
        }
    }
}

/// Does the text start with these bytes?
fn starts_with(text: &[u8], start: &[u8], case: Case) -> bool {
    text.get(..start.len()).is_some_and(|head| match case {
        Case::Sensitive => head == start,
        Case::Fold => head.eq_ignore_ascii_case(start),
    })
}

/// What every path that the pattern matches ends in, if that is one byte. `**/` may stand for nothing.
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

    fn verdicts(rules: &str, case: Case, paths: &[&str]) -> Vec<Option<Verdict>> {
        let rules = Rules::parse(rules.as_bytes(), case);
        let verdict = |path: &&str| {
            let bare = path.trim_end_matches('/');
            let kind = if bare.len() < path.len() { Kind::Directory } else { Kind::File };
            rules.verdict(bare.as_bytes(), bare.rfind('/').map_or(0, |slash| slash + 1), kind)
        };
        paths.iter().map(verdict).collect()
    }

    const EXCLUDED: Option<Verdict> = Some(Verdict::Excluded);
    const INCLUDED: Option<Verdict> = Some(Verdict::Included);

    #[test]
    fn the_last_rule_that_matches_counts_whatever_it_ends_in() {
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
    fn a_file_that_is_not_regular_or_has_no_rules_is_passed_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("rules");
        assert!(Rules::read(directory.path(), Case::Sensitive).is_none());
        assert!(Rules::read(&path, Case::Sensitive).is_none());
        std::fs::write(&path, "# nothing\n\n").expect("written");
        assert!(Rules::read(&path, Case::Sensitive).is_none());
        std::fs::write(&path, "a").expect("written");
        assert!(Rules::read(&path, Case::Sensitive).is_some());
    }
}
