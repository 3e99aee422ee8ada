//! Fixes one file. The write is atomic and only happens if the file is still the one that was checked.

use std::fs;
use std::path::PathBuf;

use phaser_core::fix::{Applied, Fixer, Left};
use phaser_core::matcher::FileNames;
use phaser_core::skipped::Gap;
use phaser_core::text::{Text, encode_like};
use phaser_core::violation::{Match, State, Violation};
use phaser_project::atomic_write;
use phaser_project::path::{RelPath, Root, real_path};
use phaser_project::source::{Content, Reader, Target};

/// A file to fix.
pub struct Job<'a> {
    pub root: &'a Root,
    pub fixer: &'a Fixer<'a>,
    pub target: &'a Target,
    /// Largest file that is read, in bytes.
    pub limit: u64,
    /// Whether to write the fixed file.
    pub write: bool,
}

/// The result for one file.
#[derive(Debug, Default)]
pub struct Done {
    pub path: RelPath,
    /// Previous and fixed content, if they differ.
    pub change: Option<(Vec<u8>, Vec<u8>)>,
    pub applied: Vec<Applied>,
    /// Violations with a fix that was not applied.
    pub left: Vec<Left>,
    /// The violations of the fixed file.
    pub violations: Vec<Violation>,
    /// Why the file is unchanged.
    pub problem: Option<Problem>,
}

/// Why a file was not written.
#[derive(Debug, PartialEq, Eq)]
pub enum Problem {
    /// The file changed after it was checked.
    Changed,
    /// It is a link out of the project.
    Outside,
    /// Its encoding cannot represent the fixed text exactly.
    Encoding,
    /// It has several names, which an atomic write would separate.
    HardLinked,
    /// An I/O error.
    Failed(String),
}

impl Problem {
    /// The reason and what to do.
    pub fn what(&self) -> String {
        match self {
            Self::Changed => "the file changed meanwhile (run this again)".to_owned(),
            Self::Outside => "links out of the project (fix the target itself)".to_owned(),
            Self::Encoding => "not valid UTF-16 (fix it by hand)".to_owned(),
            Self::HardLinked => "has several hard links (remove all but one, or fix it by hand)".to_owned(),
            Self::Failed(why) => why.clone(),
        }
    }
}

impl Done {
    /// Whether the content changes.
    pub fn is_written(&self) -> bool {
        self.change.is_some() && self.problem.is_none()
    }

    /// The gap that an unfixed file leaves.
    pub fn gap(&self) -> Gap {
        match &self.problem {
            None => Gap::None,
            Some(Problem::Outside | Problem::Encoding | Problem::HardLinked) => Gap::Known,
            Some(Problem::Changed | Problem::Failed(_)) => Gap::Failure,
        }
    }
}

impl Job<'_> {
    /// Fixes the file. `found` are the violations of the check.
    pub fn run(&self, found: &[Violation]) -> Done {
        let mut done = Done { path: self.target.path.clone(), ..Done::default() };
        if let Err(problem) = self.fix(found, &mut done) {
            done.problem = Some(problem);
            done.applied.clear();
        }
        done
    }

    fn fix(&self, found: &[Violation], done: &mut Done) -> Result<(), Problem> {
        let path = self.file()?;
        let bytes = self.read(&path)?;
        let text = Text::new(bytes.as_slice()).ok_or(Problem::Changed)?;
        let Target { path: name, alias, .. } = self.target;
        let names = FileNames { path: name, alias: alias.as_ref() };
        if !self.is_as_found(names, &text, found) {
            return Err(Problem::Changed);
        }
        let spared = found.iter().filter(|violation| violation.state == State::Baselined);
        let fixed = self.fixer.fix(names, &text, spared);
        done.left = fixed.left;
        if fixed.text == text.bytes() {
            return Ok(());
        }
        let new = encode_like(&bytes, &fixed.text).ok_or(Problem::Encoding)?;
        drop(text);
        if self.write {
            if self.read(&path)? != bytes {
                return Err(Problem::Changed);
            }
            atomic_write::write(&path, &new).map_err(|error| Problem::Failed(error.to_string()))?;
        }
        (done.applied, done.violations) = (fixed.applied, fixed.violations);
        done.change = Some((bytes, new));
        Ok(())
    }

    /// The path to write, links resolved. Fails outside the project.
    fn file(&self) -> Result<PathBuf, Problem> {
        let Content::File(path) = &self.target.content else { return Err(Problem::Outside) };
        let is_link = fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink());
        let real = real_path(path);
        if (is_link || self.root.contains(path)) && !self.root.contains(&real) {
            return Err(Problem::Outside);
        }
        if fs::metadata(&real).is_ok_and(|file| has_other_names(&file)) {
            return Err(Problem::HardLinked);
        }
        let read_only = fs::metadata(&real).is_ok_and(|file| file.permissions().readonly());
        if read_only { Err(Problem::Failed("read-only".to_owned())) } else { Ok(real) }
    }

    fn read(&self, path: &std::path::Path) -> Result<Vec<u8>, Problem> {
        let read = Reader::new(self.limit).into_file(path);
        read.map_err(|why| Problem::Failed(why.to_string()))
    }

    /// Whether the text has exactly the violations of the check.
    fn is_as_found(&self, names: FileNames<'_>, text: &Text<'_>, found: &[Violation]) -> bool {
        let place = |violation: &Violation| {
            (
                violation.contract.id.clone(),
                violation.found.as_deref().map(Match::whole).map(|at| (at.start, at.end)),
            )
        };
        let mut now: Vec<_> = self.fixer.violations(names, text).iter().map(place).collect();
        // A missing companion is no violation of the text.
        let of_text = found.iter().filter(|violation| violation.is_of_content());
        let mut then: Vec<_> = of_text.map(place).collect();
        now.sort();
        then.sort();
        now == then
    }
}

#[cfg(unix)]
fn has_other_names(file: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use phaser_core::contract::{Check, Contract, Dialect, FixTemplate, Pattern};
    use phaser_core::matcher::{self, Directives, Matcher};
    use phaser_core::testing;

    #[test]
    fn skips_file_changed_since_check() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("a.txt");
        let pattern =
            Pattern { source: r"x(\d)".to_owned(), dialect: Dialect::Regex, line: 1, literals: None };
        let fix = Some(Box::new(FixTemplate::new("y$1", 1)));
        let contract = Contract { fix, ..testing::contract(0, Check::forbid(pattern)) };
        let options = matcher::Options::new(Duration::from_secs(3600), Directives::Honoured);
        let matcher = Matcher::new(vec![contract], options);
        let fixer = Fixer::new(&matcher);
        let root = Root::new(directory.path());
        let target = Target::new(RelPath::from("a.txt"), Content::File(path.clone()));
        let names = FileNames { path: &target.path, alias: None };
        let found = fixer.violations(names, &Text::new(&b"x1\n"[..]).expect("is text"));
        let run = |text: &str| {
            fs::write(&path, text).expect("written");
            let job = Job { root: &root, fixer: &fixer, target: &target, limit: 1000, write: true };
            let done = job.run(&found);
            (done.problem, done.applied.len(), fs::read_to_string(&path).expect("readable"))
        };
        assert_eq!(run("new\nx1\n"), (Some(Problem::Changed), 0, "new\nx1\n".to_owned()));
        assert_eq!(run("x1\n"), (None, 1, "y1\n".to_owned()));
    }
}
