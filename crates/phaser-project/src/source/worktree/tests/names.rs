//! Files named by the agent, and unusual file names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn no_changed_files_give_no_targets() {
    let nowhere = Root::new("/nowhere/at/all");
    let sweep = ChangeWindow::Command { changed: Some(Vec::new()), since: SystemTime::UNIX_EPOCH };
    let limits = WalkLimits { threads: 1, deadline: Deadline::NEVER };
    assert_eq!(changed_files(&nowhere, &GitLocation::default(), &sweep, limits), Targets::none());
}

#[test]
fn only_files_of_the_project_count() {
    let repo = project();
    repo.write("a.txt", "x")
        .write("d/b.txt", "x")
        .write(".gitignore", "*.log\nbuild/\n")
        .write("build/c", "x");
    repo.write("a.log", "x").write("kept.log", "x").git_past("add --force kept.log").write("kept.log", "y");
    fs::write(repo.home.path().join("outside.txt"), "x").expect("written");
    symlink("a.txt", repo.top.join("link")).expect("linked");
    symlink("d", repo.top.join("way")).expect("linked");
    let absolute = repo.top.join("d/b.txt");
    let mut changed: Vec<PathBuf> = vec![absolute, "way/b.txt".into(), "d/../a.txt".into(), "a.txt".into()];
    let others =
        ["../outside.txt", "/etc/passwd", "gone.txt", "d", "link", "a.log", "build/c", ".git/config", ""];
    changed.extend(others.map(PathBuf::from));
    changed.push("kept.log".into());
    let targets =
        repo.changed_files(&ChangeWindow::Command { changed: Some(changed), since: SystemTime::now() });
    assert_eq!(paths(&targets), ["a.txt", "d/b.txt", "kept.log"]);
    assert_eq!(targets.skipped, []);
}

#[test]
fn relative_path_starts_at_shell_directory() {
    let repo = project();
    repo.write("d/b.txt", "BAD\n").commit_past();
    let since = repo.shell("echo BAD >> d/b.txt");
    let sweep = ChangeWindow::Command { changed: Some(vec!["b.txt".into()]), since };
    let location = GitLocation { cwd: repo.top.join("d"), ..GitLocation::default() };
    let limits = WalkLimits { threads: 1, deadline: Deadline::NEVER };
    let targets = changed_files(&Root::new(&repo.top), &location, &sweep, limits);
    assert_eq!(paths(&targets), ["d/b.txt"]);
    assert_eq!(befores(&targets.targets[0]), ["BAD\n"]);
}

#[test]
fn names_of_any_kind_are_found() {
    let repo = project();
    let names: [&[u8]; 6] = [b"a\nb", b"\x1b[31mred", b"not \xff utf-8", b"-rf", b" blank ", b"*?[x]"];
    for name in names {
        fs::write(repo.top.join(OsStr::from_bytes(name)), "old BAD\n").expect("written");
    }
    repo.commit_past();
    let since = repo.shell("for file in ./*; do echo new BAD >> \"$file\"; done");
    let mut expected: Vec<RelPath> = names.iter().map(|name| RelPath::from_bytes(*name)).collect();
    expected.sort();
    let changed = names.iter().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    for changed in [None, Some(changed)] {
        let targets = repo.changed_files(&ChangeWindow::Command { changed, since });
        assert_eq!(targets.targets.iter().map(|target| target.path.clone()).collect::<Vec<_>>(), expected);
        for target in &targets.targets {
            assert_eq!(befores(target), ["old BAD\n"]);
        }
    }
}
