//! Git as a source, on repositories made by git itself.

mod broken;
mod diff;
mod location;
mod staged;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::path::RelPath;
use crate::source::Reader;
use crate::testing::TestRepo;

impl TestRepo {
    fn stage(&self, path: &str, text: &str) -> &Self {
        self.write(path, text).git(["add", "--", path]);
        self
    }

    fn commit(&self) -> &Self {
        self.git(["commit", "-q", "--allow-empty", "-m", "commit"]);
        self
    }

    fn staged(&self) -> Targets {
        staged(&Root::new(&self.top), &self.location(), StagedFiles::Changed, Renames::Similar)
            .expect("a repository")
    }

    fn changed(&self, revisions: &str) -> Targets {
        self.try_changed(revisions).expect("revisions that exist")
    }

    fn try_changed(&self, revisions: &str) -> Result<Targets, GitError> {
        let revisions = revisions.parse().expect("revisions");
        changed(&Root::new(&self.top), &self.location(), &revisions, Renames::Similar)
    }
}

/// The text of a content, or why it is not read.
fn read(content: &Content) -> Result<String, SkipReason> {
    let mut reader = Reader::new(u64::MAX);
    let bytes = reader.read(content)?;
    Ok(String::from_utf8(bytes.into_owned()).expect("UTF-8"))
}

/// The path and text of each target.
fn texts(targets: &Targets) -> Vec<(String, Result<String, SkipReason>)> {
    targets.targets.iter().map(|target| (target.path.to_string(), read(&target.content))).collect()
}

/// The previous text of each target.
fn befores(targets: &Targets) -> Vec<Option<String>> {
    let before =
        |target: &Target| target.before.as_ref().map(|before| read(&before.content).expect("readable"));
    targets.targets.iter().map(before).collect()
}

fn text(path: &str, text: &str) -> (String, Result<String, SkipReason>) {
    (path.into(), Ok(text.into()))
}

fn paths(targets: &Targets) -> Vec<String> {
    targets.targets.iter().map(|target| target.path.to_string()).collect()
}

fn opaque(path: &str, why: SkipReason) -> (String, Result<String, SkipReason>) {
    (path.into(), Err(why))
}

fn listed(targets: &Targets) -> Vec<String> {
    match &targets.coverage {
        Coverage::Listed(all) => {
            let mut paths = Vec::new();
            let each = |path: &RelPath| {
                paths.push(path.to_string());
                ControlFlow::Continue(())
            };
            all.each_path(each).expect("listed");
            paths
        }
        Coverage::Whole | Coverage::Shard { .. } | Coverage::Partial => panic!("not listed"),
    }
}
