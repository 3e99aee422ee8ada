//! Changed files of commands and turns, on repositories made by git itself.

mod commits;
mod hostile;
mod names;
mod turns;

use std::time::Duration;

use super::*;
use crate::config::Existing;
use crate::project::{Options, Project};
use crate::source::{Reader, Source};
use crate::testing::TestRepo;

const CONTRACT: &str =
    "rule_id: no-bad\ntype: forbid_pattern\npattern: BAD\nfile_glob: '**'\nmessage: m\nseverity: error\n";

/// A project whose contract forbids the word BAD, in a repository. The contract is committed, in 2020.
fn project() -> TestRepo {
    let repo = project_without_git();
    repo.git_past("init --quiet").commit_past();
    repo
}

fn project_without_git() -> TestRepo {
    let repo = TestRepo::without_git();
    repo.write(".claude/contracts/no-bad.yaml", CONTRACT);
    repo
}

impl TestRepo {
    /// Runs git in 2020, as far as commits and the reflog can tell.
    #[track_caller]
    fn git_past(&self, arguments: &str) -> &Self {
        let mut git = self.command("git", &self.top);
        git.env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z").env("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z");
        let output = git.args(arguments.split(' ')).output().expect("git runs");
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        self
    }

    /// Commits everything, in 2020.
    #[track_caller]
    fn commit_past(&self) -> &Self {
        self.git_past("add --all").git_past("commit --quiet --allow-empty --message x")
    }

    /// Runs a command in a shell, and returns its start time. The command may fail.
    fn shell(&self, script: &str) -> SystemTime {
        // File times come from a clock with coarse ticks.
        std::thread::sleep(Duration::from_millis(30));
        let since = SystemTime::now();
        std::thread::sleep(Duration::from_millis(30));
        self.command("sh", &self.top).arg("-c").arg(script).output().expect("a shell");
        since
    }

    fn changed_files(&self, sweep: &ChangeWindow) -> Targets {
        let at = |threads| {
            let limits = WalkLimits { threads, deadline: Deadline::NEVER };
            changed_files(&Root::new(&self.top), &self.location(), sweep, limits)
        };
        let targets = at(1);
        assert_eq!(targets, at(4), "the same on any number of threads");
        targets
    }

    /// The open violations after a command that runs this script.
    #[track_caller]
    fn reported(&self, script: &str) -> Vec<String> {
        let since = self.shell(script);
        self.reported_by(ChangeWindow::Command { changed: None, since })
    }

    /// The open violations after a turn that runs this script.
    #[track_caller]
    fn reported_at_end(&self, script: &str) -> Vec<String> {
        let since = self.shell(script);
        let reported = self.reported_by(ChangeWindow::turn(Some(since)));
        let of_all = self.reported_by(ChangeWindow::turn(None));
        assert!(reported.iter().all(|one| of_all.contains(one)), "{reported:?} in {of_all:?}");
        reported
    }

    #[track_caller]
    fn reported_by(&self, sweep: ChangeWindow) -> Vec<String> {
        let options =
            Options { existing: Some(Existing::Report), git: Some(self.location()), ..Options::default() };
        let root = crate::path::Root::new(self.top.canonicalize().expect("exists"));
        let project = Project::load(root, options).expect("a project");
        let report = project.check(&Source::Worktree(sweep)).expect("checked");
        let gaps =
            report.skipped.iter().filter(|skipped| skipped.why.gap() > phaser_core::skipped::Gap::None);
        let gaps: Vec<_> = gaps.map(|skipped| format!("{}: {}", skipped.path, skipped.why)).collect();
        assert_eq!(gaps, [""; 0]);
        let place = |violation: &phaser_core::violation::Violation| {
            let line = violation.found.as_ref().map_or(0, |found| found.region.start.line);
            format!("{}:{line}", violation.path)
        };
        report.open().map(place).collect()
    }
}

const NOTHING: [&str; 0] = [];

fn paths(targets: &Targets) -> Vec<String> {
    targets.targets.iter().map(|target| target.path.to_string()).collect()
}

/// The texts of all previous versions of a target.
fn befores(target: &Target) -> Vec<String> {
    let chain = std::iter::successors(target.before.as_deref(), |before| before.before.as_deref());
    let text = |target: &Target| {
        let mut reader = Reader::new(u64::MAX);
        String::from_utf8(reader.read(&target.content).expect("readable").into_owned()).expect("UTF-8")
    };
    chain.map(text).collect()
}

fn gaps(targets: &Targets) -> Vec<String> {
    targets.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.why)).collect()
}

#[test]
fn command_reports_only_new_violations() {
    let repo = project();
    repo.write("old.txt", "old BAD\n").write("other.txt", "BAD\n").commit_past();
    assert_eq!(repo.reported("true"), NOTHING);
    assert_eq!(repo.reported("echo new BAD >> old.txt; echo BAD > new.txt"), ["new.txt:1", "old.txt:2"]);
    assert_eq!(
        repo.reported("echo fine > old.txt; exit 3"),
        NOTHING,
        "the other one is as it was since then"
    );
    assert_eq!(repo.reported("printf 'new\\nold  BAD\\n' > old.txt; rm other.txt"), NOTHING, "it moved");
}

#[test]
fn file_times_hide_no_change() {
    let repo = project();
    repo.write("a.txt", "fine\n").commit_past();
    let elsewhere = repo.home.path().join("bad.txt");
    fs::write(&elsewhere, "BAD\n").expect("written");
    repo.shell("touch -d 2001-01-01 ../bad.txt");
    assert_eq!(repo.reported("cp -p ../bad.txt a.txt"), ["a.txt:1"]);
    assert_eq!(repo.reported("echo BAD > b.txt; touch -d 2001-01-01 b.txt"), ["b.txt:1"]);
    assert_eq!(repo.reported("mv ../bad.txt c.txt"), ["c.txt:1"]);
    assert_eq!(repo.reported("chmod 600 a.txt"), ["a.txt:1"], "its state changed, and it was never staged");
}

#[test]
fn staged_version_is_previous_text() {
    let repo = project();
    repo.write("a.txt", "BAD one\n").git_past("add a.txt");
    assert_eq!(repo.reported("echo fine >> a.txt"), NOTHING);
    assert_eq!(
        repo.reported("git add a.txt; echo fine >> a.txt"),
        NOTHING,
        "staged what was written earlier"
    );
    assert_eq!(repo.reported("echo BAD two >> a.txt"), ["a.txt:4"]);
    assert_eq!(
        repo.reported("echo BAD three >> a.txt; git add a.txt"),
        ["a.txt:1", "a.txt:4", "a.txt:5"],
        "of what the command itself has staged only the last commit is known"
    );
}

#[test]
fn clock_jumps_hide_no_change() {
    let repo = project();
    repo.write("a.txt", "fine\n").write("b.txt", "BAD\n").commit_past().write("c.txt", "BAD\n");
    // Objects in files of their own would be from now.
    repo.git_past("gc --quiet --prune=now");
    let hour = Duration::from_secs(3600);
    let command = |since| repo.reported_by(ChangeWindow::Command { changed: None, since });
    assert_eq!(command(SystemTime::now() + hour), NOTHING);
    let ago = SystemTime::now() - hour;
    assert_eq!(command(ago), ["c.txt:1"], "files from the future are checked");
    let from_the_start = command(SystemTime::UNIX_EPOCH - hour);
    assert_eq!(from_the_start, ["b.txt:1", "c.txt:1"], "no commit is from before that");
}

#[test]
fn a_sweep_writes_nothing() {
    let repo = project();
    repo.write("a.txt", "fine\n").commit_past();
    let state = || {
        let mut files = Vec::new();
        let mut directories = vec![repo.top.clone()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("readable") {
                let entry = entry.expect("an entry");
                let metadata = entry.metadata().expect("there");
                if metadata.is_dir() {
                    directories.push(entry.path());
                }
                files.push((entry.path(), metadata.modified().expect("a time")));
            }
        }
        files.sort();
        files
    };
    let since = repo.shell("touch a.txt; echo BAD > b.txt");
    let before = state();
    repo.reported_by(ChangeWindow::Command { changed: None, since });
    repo.reported_by(ChangeWindow::turn(None));
    assert_eq!(state(), before);
}

#[test]
fn checkout_line_endings_are_no_change() {
    let repo = project();
    let lines = "rule_id: no-cr\ntype: forbid_pattern\npattern: '\\r\\n'\nfile_glob: '*.txt'\nmessage: m\nseverity: error\n";
    repo.write(".claude/contracts/no-cr.yaml", lines)
        .write("a.txt", "BAD\nfine\n")
        .write("b.txt", "BAD\n")
        .commit_past();
    repo.git_past("config core.autocrlf true")
        .git_past("rm --quiet --cached a.txt b.txt")
        .git_past("reset --quiet --hard");
    assert_eq!(fs::read(repo.top.join("a.txt")).expect("readable"), b"BAD\r\nfine\r\n");
    assert_eq!(repo.reported("touch a.txt"), NOTHING);
    assert_eq!(repo.reported_at_end("touch a.txt"), NOTHING);
    fs::remove_file(repo.top.join(".claude/contracts/no-cr.yaml")).expect("removed");
    assert_eq!(repo.reported("printf 'BAD\\r\\nnew\\r\\nmore BAD\\r\\n' > a.txt"), ["a.txt:3"]);
}

#[test]
fn reads_no_file_before_it_is_needed() {
    let repo = project();
    for number in 0..2000 {
        repo.write(&format!("d{}/{number}.txt", number % 40), "BAD old\n");
    }
    repo.commit_past();
    let since = repo.shell("find d* -type f | xargs sed -i s/old/old./");
    let targets = repo.changed_files(&ChangeWindow::Command { changed: None, since });
    assert_eq!(targets.targets.len(), 2000);
    let is_blob = |target: &Target| {
        matches!(target.before.as_ref().map(|before| &before.content), Some(Content::Blob(_)))
    };
    assert!(targets.targets.iter().all(is_blob));
    assert!(targets.targets.iter().all(|target| matches!(target.content, Content::File(_))));
}

#[test]
fn reports_unchecked_directories_at_deadline() {
    let repo = project();
    repo.write("a/b/c.txt", "x").write("a/d.txt", "x").write("e.txt", "x").commit_past();
    let over = WalkLimits { threads: 1, deadline: Deadline::after(Duration::ZERO) };
    let root = Root::new(&repo.top);
    let command = ChangeWindow::Command { changed: None, since: SystemTime::UNIX_EPOCH };
    for sweep in [command.clone(), ChangeWindow::turn(None)] {
        let targets = changed_files(&root, &repo.location(), &sweep, over);
        assert_eq!(paths(&targets), NOTHING);
        assert_eq!(
            gaps(&targets),
            [".: timed out after 0 files; 1 directory with 4 tracked files unchecked \
              (check everything with: phaser enforce --all)"]
        );
    }
    let deadline = Deadline::after(Duration::from_secs(3600));
    let limits = WalkLimits { threads: 1, deadline };
    let sweep = || changed_files(&root, &repo.location(), &command, limits);
    let (targets, looks) = phaser_core::deadline::jumping::by(Duration::from_secs(1200), sweep);
    assert!(looks >= 3, "{looks}");
    assert!(!targets.targets.is_empty(), "what was found in time is checked");
    let SkipReason::TimedOut { checked: 1.., directories: 1.., tracked: Some(1..) } = targets.skipped[0].why
    else {
        panic!("{:?}", targets.skipped)
    };
}
