//! Files as the next commit would contain them.

use super::*;

#[test]
fn reads_staged_bytes_not_worktree() {
    let repo = TestRepo::new();
    repo.stage("a", "one\n").commit();
    repo.stage("a", "bad\n")
        .stage("b", "good\n")
        .write("a", "good\n")
        .write("b", "bad\n")
        .write("c", "untracked\n");
    assert_eq!(texts(&repo.staged()), [text("a", "bad\n"), text("b", "good\n")]);
    assert_eq!(befores(&repo.staged()), [Some("one\n".into()), None]);
}

#[test]
fn only_differences_from_head_are_targets() {
    let repo = TestRepo::new();
    for path in ["a", "d/e/f", "d/g", "d.x", "d0", "z"] {
        repo.stage(path, path);
    }
    repo.commit();
    assert_eq!(repo.staged().targets, []);
    repo.stage("d/e/f", "new").stage("d/new/deep", "new").stage("d-", "new");
    assert_eq!(paths(&repo.staged()), ["d-", "d/e/f", "d/new/deep"]);
    assert_eq!(listed(&repo.staged()), ["a", "d-", "d.x", "d/e/f", "d/g", "d/new/deep", "d0", "z"]);
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let repo = TestRepo::new();
    assert_eq!(repo.staged().targets, []);
    repo.stage("a", "one").stage("d/b", "two");
    assert_eq!(texts(&repo.staged()), [text("a", "one"), text("d/b", "two")]);
}

#[test]
fn a_repository_may_use_sha256() {
    let repo = TestRepo::init(["init", "--object-format=sha256"]);
    repo.stage("a", "one").commit().stage("b", "two");
    assert_eq!(texts(&repo.staged()), [text("b", "two")]);
}

#[test]
fn renamed_file_is_target_at_new_path() {
    let repo = TestRepo::new();
    repo.stage("old", "text\n").commit().git(["mv", "old", "new"]);
    assert_eq!(texts(&repo.staged()), [text("new", "text\n")]);
    assert_eq!(befores(&repo.staged()), [Some("text\n".into())]);
    assert_eq!(repo.staged().targets[0].before.as_ref().map(|before| &before.path), Some(&"old".into()));
    assert_eq!(listed(&repo.staged()), ["new"]);
}

#[test]
fn finds_rename_with_small_change() {
    let repo = TestRepo::new();
    let text = |last: &str| format!("one\ntwo\nthree\nfour\nfive\nsix\n{last}\n");
    repo.stage("d/old", &text("seven")).stage("other", "nothing alike\n").commit();
    repo.git(["rm", "-q", "d/old", "other"]);
    repo.stage("e/new", &text("eight"));
    let before = |renames| {
        let found = staged(&Root::new(&repo.top), &repo.location(), StagedFiles::Changed, renames)
            .expect("a repository");
        assert_eq!(paths(&found), ["e/new"]);
        found.targets[0].before.as_ref().map(|before| before.path.clone())
    };
    assert_eq!(before(Renames::Similar), Some("d/old".into()));
    assert_eq!(before(Renames::Exact), None);
}

#[test]
fn a_deleted_file_is_gone() {
    let repo = TestRepo::new();
    repo.stage("a", "one").stage("d/b", "two").commit().git(["rm", "-q", "--cached", "d/b"]);
    assert_eq!(repo.staged().targets, []);
    assert_eq!(listed(&repo.staged()), ["a"]);
}

#[test]
fn file_becomes_directory_and_back() {
    let repo = TestRepo::new();
    repo.stage("a", "file").stage("b/c", "inside").commit();
    repo.git(["rm", "-q", "a", "b/c"]);
    repo.stage("a/x", "inside").stage("b", "file");
    assert_eq!(texts(&repo.staged()), [text("a/x", "inside"), text("b", "file")]);
    assert_eq!(befores(&repo.staged()), [Some("inside".into()), Some("file".into())]);
}

#[test]
fn a_mode_change_makes_a_target() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit().git(["update-index", "--chmod=+x", "a"]);
    assert_eq!(texts(&repo.staged()), [text("a", "one")]);
}

#[test]
fn intent_to_add_is_not_committed() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit().write("b", "two").git(["add", "-N", "b"]);
    assert_eq!(repo.staged().targets, []);
    assert_eq!(listed(&repo.staged()), ["a"]);
    repo.stage("c", "three");
    assert_eq!(paths(&repo.staged()), ["c"]);
}

#[test]
fn links_and_submodules_are_not_read() {
    let other = TestRepo::new();
    other.stage("x", "x").commit();
    let repo = TestRepo::new();
    std::os::unix::fs::symlink("/etc/passwd", repo.top.join("link")).expect("linked");
    repo.git(["add", "link"]);
    repo.git([
        OsStr::new("submodule"),
        "--quiet".as_ref(),
        "add".as_ref(),
        other.top.as_ref(),
        "sub".as_ref(),
    ]);
    assert_eq!(
        texts(&repo.staged())[1..],
        [opaque("link", SkipReason::Link), opaque("sub", SkipReason::Submodule)]
    );
    assert_eq!(listed(&repo.staged()), [".gitmodules", "link", "sub"]);
}

#[test]
fn reads_link_that_became_file() {
    let repo = TestRepo::new();
    std::os::unix::fs::symlink("nowhere", repo.top.join("a")).expect("linked");
    repo.git(["add", "a"]);
    repo.commit();
    std::fs::remove_file(repo.top.join("a")).expect("removed");
    repo.stage("a", "text");
    assert_eq!(texts(&repo.staged()), [text("a", "text")]);
    let before = Target::new("a".into(), Content::Opaque(SkipReason::Link));
    assert_eq!(repo.staged().targets[0].before, Some(Box::new(before)));
}

#[test]
fn reads_pointer_of_lfs_file() {
    let repo = TestRepo::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n";
    repo.git(["config", "filter.lfs.clean", &format!("printf '{}'", pointer.replace('\n', "\\n"))]);
    repo.git(["config", "filter.lfs.smudge", "cat"]);
    repo.stage(".gitattributes", "*.bin filter=lfs\n").stage("a.bin", "the real thing");
    assert_eq!(texts(&repo.staged())[1], text("a.bin", pointer));
}

#[test]
fn a_split_index_is_put_together() {
    let repo = TestRepo::new();
    repo.stage("a", "one").stage("b", "two").stage("d/c", "three").commit();
    repo.git(["update-index", "--split-index"]);
    repo.stage("b", "new").stage("e", "new").git(["rm", "-q", "--cached", "a"]);
    let shared = std::fs::read_dir(repo.top.join(".git")).expect("readable");
    let is_shared = |name: &OsStr| name.to_string_lossy().starts_with("sharedindex.");
    assert!(shared.filter_map(Result::ok).any(|entry| is_shared(&entry.file_name())));
    assert_eq!(texts(&repo.staged()), [text("b", "new"), text("e", "new")]);
    assert_eq!(listed(&repo.staged()), ["b", "d/c", "e"]);
}

/// A repository with a sparse index: `in/` is checked out, `out/` is one entry.
fn sparse() -> TestRepo {
    let repo = TestRepo::new();
    repo.stage("in/a", "one").stage("out/b", "two").stage("out/deep/c", "three").commit();
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    let entries = repo.git(["ls-files", "--sparse"]);
    assert_eq!(entries, "in/a\nout/\n");
    repo
}

#[test]
fn expands_sparse_index_on_demand() {
    let repo = sparse();
    assert_eq!(repo.staged().targets, []);
    repo.stage("in/a", "new").stage("in/d", "new");
    assert_eq!(texts(&repo.staged()), [text("in/a", "new"), text("in/d", "new")]);
    assert_eq!(listed(&repo.staged()), ["in/a", "in/d", "out/b", "out/deep/c"]);
}

#[test]
fn sees_change_in_sparse_directory() {
    let repo = sparse();
    let changed = repo.git(["rev-parse", "HEAD"]);
    repo.git(["sparse-checkout", "disable"]);
    repo.stage("out/deep/c", "new").stage("out/e", "new").commit();
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    repo.git(["reset", "-q", "--soft", changed.trim()]);
    assert_eq!(repo.git(["ls-files", "--sparse"]), "in/a\nout/\n");
    assert_eq!(texts(&repo.staged()), [text("out/deep/c", "new"), text("out/e", "new")]);
    assert_eq!(befores(&repo.staged()), [Some("three".into()), None]);
}

#[test]
fn project_can_be_part_of_worktree() {
    let repo = TestRepo::new();
    repo.stage("part/a", "one").stage("part-two/b", "two").stage("c", "three");
    let found =
        staged(&Root::new(repo.top.join("part")), &repo.location(), StagedFiles::Changed, Renames::Similar)
            .expect("a repository");
    assert_eq!(texts(&found), [text("a", "one")]);
    assert_eq!(listed(&found), ["a"]);
}

#[test]
fn worktree_can_be_part_of_project() {
    let repo = TestRepo::new();
    repo.stage("a", "one");
    let project = Root::new(repo.top.parent().expect("a parent"));
    let found =
        staged(&project, &repo.location(), StagedFiles::Changed, Renames::Similar).expect("a repository");
    assert_eq!(texts(&found), [text("top/a", "one")]);
    assert_eq!(found.coverage, Coverage::Partial);
}

#[test]
fn names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let repo = TestRepo::new();
    let name = OsStr::from_bytes(b"caf\xE9 #%");
    std::fs::write(repo.top.join(name), "text").expect("written");
    repo.git([OsStr::new("add"), name]);
    assert_eq!(repo.staged().targets[0].path.as_bytes(), b"caf\xE9 #%");
}

#[test]
fn compares_merge_in_progress_with_head() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit().git(["checkout", "-q", "-b", "topic"]);
    repo.stage("b", "two").commit().git(["checkout", "-q", "main"]);
    repo.stage("c", "three").commit().git(["merge", "-q", "--no-commit", "topic"]);
    assert_eq!(texts(&repo.staged()), [text("b", "two")]);
}

#[test]
fn replacement_objects_are_ignored() {
    let repo = TestRepo::new();
    repo.stage("a", "bad").write("good", "good");
    let bad = repo.git(["rev-parse", ":a"]);
    let good = repo.git(["hash-object", "-w", "good"]);
    repo.git(["replace", bad.trim(), good.trim()]);
    assert_eq!(texts(&repo.staged()), [text("a", "bad")]);
}

#[test]
fn nothing_is_run_and_nothing_is_written() {
    let repo = TestRepo::new();
    let spy = repo.home.path().join("spy");
    std::fs::write(&spy, format!("#!/bin/sh\ntouch {}.ran\ncat\n", spy.display())).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&spy, mode).expect("made executable");
    repo.stage("a", "one").stage("old", "1\n2\n3\n4\n").commit().stage("a", "two").git(["rm", "-q", "old"]);
    repo.stage(".gitattributes", "* filter=spy diff=spy\n").stage("new", "1\n2\n3\n5\n");
    repo.write(".git/info/attributes", "* filter=spy diff=spy\n");
    let spy_path = spy.to_str().expect("UTF-8");
    for key in
        ["core.fsmonitor", "filter.spy.clean", "filter.spy.smudge", "filter.spy.process", "diff.spy.textconv"]
    {
        repo.git(["config", key, spy_path]);
    }
    for key in
        ["diff.spy.command", "diff.external", "core.sshCommand", "core.pager", "core.alternateRefsCommand"]
    {
        repo.git(["config", key, spy_path]);
    }
    let before = snapshot(&repo.top);
    for found in [repo.staged(), repo.changed("HEAD")] {
        assert_eq!(texts(&found)[1], text("a", "two"));
        assert_eq!(found.targets[2].before.as_ref().map(|before| &before.path), Some(&"old".into()));
    }
    assert_eq!(snapshot(&repo.top), before);
    assert!(!spy.with_extension("ran").exists());
}

/// Every file below a directory, with its time and its size.
fn snapshot(directory: &Path) -> Vec<(PathBuf, std::time::SystemTime, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        let metadata = path.symlink_metadata().expect("there");
        found.push((path.clone(), metadata.modified().expect("a time"), metadata.len()));
        if metadata.is_dir() {
            found.extend(snapshot(&path));
        }
    }
    found.sort();
    found
}
