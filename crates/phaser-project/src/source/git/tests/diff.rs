//! What changed since the merge base.

use super::*;

/// `main` and `topic`, each with a commit of its own, and `topic` checked out.
fn diverged() -> TestRepo {
    let repo = TestRepo::new();
    repo.stage("a", "one\n").stage("b", "two\n").stage("d/c", "three\n").commit();
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.stage("b", "topic\n").stage("d/new", "topic\n").commit();
    repo.git(["checkout", "-q", "main"]);
    repo.stage("a", "main\n").commit().git(["checkout", "-q", "topic"]);
    repo
}

#[test]
fn compares_named_head_with_merge_base() {
    let repo = diverged();
    repo.write("b", "worktree\n");
    let expected = [text("b", "topic\n"), text("d/new", "topic\n")];
    for revisions in ["main..topic", "main...topic", "main..HEAD"] {
        assert_eq!(texts(&repo.changed(revisions)), expected, "{revisions}");
    }
    let found = repo.changed("main..topic");
    assert_eq!(befores(&found), [Some("two\n".into()), None]);
    assert_eq!(found.coverage, Coverage::Partial);
    assert_eq!(paths(&repo.changed("topic..main")), ["a"]);
}

#[test]
fn without_a_head_the_worktree_counts() {
    let repo = diverged();
    repo.write("d/c", "worktree\n")
        .write("untracked", "u\n")
        .stage("staged", "s\n")
        .write("staged", "worktree\n");
    repo.write("intended", "i\n").git(["add", "-N", "intended"]);
    let expected = [
        text("b", "topic\n"),
        text("d/c", "worktree\n"),
        text("d/new", "topic\n"),
        text("intended", "i\n"),
        text("staged", "worktree\n"),
    ];
    assert_eq!(texts(&repo.changed("main")), expected);
    let before = |text: &str| Some(text.to_owned());
    assert_eq!(befores(&repo.changed("main")), [before("two\n"), before("three\n"), None, None, None]);
}

#[test]
fn unchanged_file_is_no_target() {
    let repo = diverged();
    repo.write("b", "two\n").write("d/c", "three\n");
    assert_eq!(paths(&repo.changed("main")), ["d/new"]);
    repo.stage("b", "staged\n").write("b", "two\n");
    assert_eq!(paths(&repo.changed("main")), ["d/new"]);
}

/// The files in `git diff`, without untracked ones.
fn listed_by_git(repo: &TestRepo, base: &str) -> Vec<String> {
    let listed =
        repo.git(["--no-optional-locks", "diff", "--name-only", "--no-renames", "--diff-filter=d", base]);
    listed.lines().map(str::to_owned).collect()
}

#[track_caller]
fn agrees_with_git(repo: &TestRepo, base: &str, expected: &[&str]) {
    assert_eq!(listed_by_git(repo, base), expected, "git itself");
    assert_eq!(paths(&repo.changed(base)), expected);
}

#[test]
fn line_endings_count_unless_git_converts() {
    let repo = TestRepo::new();
    repo.git(["config", "core.autocrlf", "false"]);
    repo.stage("a.sh", "one\ntwo\n").stage("b.txt", "one\n").stage("c.bin", "one\n").commit();
    for path in ["a.sh", "b.txt", "c.bin"] {
        repo.write(path, "one\r\n");
    }
    repo.write("a.sh", "one\r\ntwo\r\n");
    agrees_with_git(&repo, "HEAD", &["a.sh", "b.txt", "c.bin"]);
    repo.write(".gitattributes", "*.txt text\n*.bin -text\n");
    agrees_with_git(&repo, "HEAD", &["a.sh", "c.bin"]);
    repo.write(".gitattributes", "*.txt eol=lf\n*.sh text=auto eol=crlf\n");
    agrees_with_git(&repo, "HEAD", &["c.bin"]);
    repo.git(["config", "core.autocrlf", "true"]);
    repo.write(".gitattributes", "*.bin -text\n");
    agrees_with_git(&repo, "HEAD", &["c.bin"]);
    repo.git(["config", "core.autocrlf", "input"]);
    agrees_with_git(&repo, "HEAD", &["c.bin"]);
    repo.write("a.sh", "one\r\nTWO\r\n");
    agrees_with_git(&repo, "HEAD", &["a.sh", "c.bin"]);
}

#[test]
fn finds_attributes_where_git_does() {
    let repo = TestRepo::new();
    repo.git(["config", "core.autocrlf", "false"]);
    repo.stage("d/e/a.txt", "one\n").stage("d/b.txt", "one\n").stage("c.txt", "one\n").commit();
    for path in ["d/e/a.txt", "d/b.txt", "c.txt"] {
        repo.write(path, "one\r\n");
    }
    repo.write("d/e/.gitattributes", "*.txt text\n");
    agrees_with_git(&repo, "HEAD", &["c.txt", "d/b.txt"]);
    repo.write(".git/info/attributes", "c.txt text\n");
    agrees_with_git(&repo, "HEAD", &["d/b.txt"]);
    std::fs::remove_file(repo.top.join("d/e/.gitattributes")).expect("removed");
    repo.write("elsewhere", "* text\n");
    std::os::unix::fs::symlink("../../elsewhere", repo.top.join("d/e/.gitattributes")).expect("linked");
    agrees_with_git(&repo, "HEAD", &["d/b.txt", "d/e/a.txt"]);
    repo.git(["config", "core.attributesFile", repo.top.join("elsewhere").to_str().expect("UTF-8")]);
    agrees_with_git(&repo, "HEAD", &[]);
}

#[test]
fn keeps_crlf_of_index() {
    let repo = TestRepo::new();
    repo.git(["config", "core.autocrlf", "false"]);
    repo.stage("a", "one\r\ntwo\r\n").commit().git(["config", "core.autocrlf", "true"]);
    repo.write("a", "one\ntwo\n");
    agrees_with_git(&repo, "HEAD", &["a"]);
    repo.write("a", "one\r\ntwo\r\n");
    agrees_with_git(&repo, "HEAD", &[]);
}

#[test]
fn converts_encodings_without_running_drivers() {
    let repo = TestRepo::new();
    repo.stage("a", "$Id$\n").stage("b", "fünf\n").stage("c", "one\n").commit();
    repo.write(".gitattributes", "a ident\nb working-tree-encoding=UTF-16LE\nc filter=upper\n");
    repo.git(["config", "filter.upper.clean", "tr a-z A-Z"]);
    repo.write("a", "$Id: 0123 $\n").write("c", "ONE\n");
    let utf16: Vec<u8> = "fünf\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(repo.top.join("b"), utf16).expect("written");
    assert_eq!(listed_by_git(&repo, "HEAD"), ["c"], "git itself");
    assert_eq!(paths(&repo.changed("HEAD")), ["c"]);
}

#[test]
fn attributes_that_cannot_be_read_convert_nothing() {
    let repo = TestRepo::new();
    repo.stage("a", "one\n").commit().write("a", "one\r\n");
    let made = Command::new("mkfifo").arg(repo.top.join(".gitattributes")).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(paths(&repo.changed("HEAD")), ["a"]);
}

#[test]
fn mode_change_counts_if_modes_do() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = TestRepo::new();
    repo.stage("a", "one\n").stage("b", "two\n").commit();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repo.top.join("a"), executable).expect("made executable");
    agrees_with_git(&repo, "HEAD", &["a"]);
    repo.git(["config", "core.fileMode", "false"]);
    agrees_with_git(&repo, "HEAD", &[]);
    repo.git(["config", "core.fileMode", "true"]);
    repo.git(["add", "a"]);
    agrees_with_git(&repo, "HEAD", &["a"]);
    repo.commit().git(["config", "core.fileMode", "false"]);
    std::fs::set_permissions(repo.top.join("a"), std::fs::Permissions::from_mode(0o644))
        .expect("not executable");
    agrees_with_git(&repo, "HEAD", &[]);
    agrees_with_git(&repo, "HEAD~1", &["a"]);
}

/// `lib` is checked out, `src` and `other` are not, but parts of them are on disk.
fn sparse(index: &str) -> TestRepo {
    let repo = TestRepo::new();
    repo.stage("lib/a", "one\n").stage("other/deep/x", "one\n").stage("src/a", "one\n");
    repo.stage("src/deep/b", "two\n").stage("src/deep/c", "three\n").commit();
    repo.git(["sparse-checkout", "set", "--cone", index, "lib"]);
    assert!(!repo.top.join("src").exists());
    repo
}

#[test]
fn file_outside_sparse_checkout_counts() {
    for index in ["--sparse-index", "--no-sparse-index"] {
        let repo = sparse(index);
        assert_eq!(paths(&repo.changed("HEAD")), [""; 0], "{index}");
        repo.write("src/deep/b", "new\n").write("src/deep/c", "three\n").write("src/untracked", "u\n");
        let before = std::fs::read(repo.top.join(".git/index")).expect("readable");
        assert_eq!(texts(&repo.changed("HEAD")), [text("src/deep/b", "new\n")], "{index}");
        assert_eq!(befores(&repo.changed("HEAD")), [Some("two\n".to_owned())], "{index}");
        std::fs::write(repo.top.join(".git/index"), before).expect("written");
        agrees_with_git(&repo, "HEAD", &["src/deep/b"]);
        repo.git(["config", "sparse.expectFilesOutsideOfPatterns", "true"]);
        if index == "--no-sparse-index" {
            repo.git(["update-index", "--skip-worktree", "src/deep/b"]);
            agrees_with_git(&repo, "HEAD", &[]);
        }
    }
}

#[test]
fn skip_worktree_counts_without_sparse_checkout() {
    let repo = diverged();
    repo.git(["update-index", "--skip-worktree", "a"]);
    repo.write("a", "worktree\n");
    agrees_with_git(&repo, "HEAD", &[]);
}

#[test]
fn sees_change_within_index_tick() {
    let repo = diverged();
    for round in 0..20 {
        repo.stage("d/c", "before").write("d/c", &format!("rnd {round:2}"));
        assert_eq!(texts(&repo.changed("HEAD")), [text("d/c", &format!("rnd {round:2}"))]);
    }
}

#[test]
fn file_gone_from_worktree_is_no_target() {
    let repo = diverged();
    std::fs::remove_file(repo.top.join("b")).expect("removed");
    std::fs::remove_dir_all(repo.top.join("d")).expect("removed");
    assert_eq!(paths(&repo.changed("main")), Vec::<String>::new());
    repo.write("d", "a file");
    assert_eq!(paths(&repo.changed("main")), Vec::<String>::new());
}

#[test]
fn a_file_behind_a_link_is_gone() {
    let repo = diverged();
    std::fs::remove_dir_all(repo.top.join("d")).expect("removed");
    std::fs::create_dir(repo.top.join("elsewhere")).expect("created");
    repo.write("elsewhere/new", "not tracked");
    std::os::unix::fs::symlink("elsewhere", repo.top.join("d")).expect("linked");
    assert_eq!(paths(&repo.changed("main")), ["b"]);
}

#[test]
fn links_in_worktree_are_not_read() {
    let repo = diverged();
    std::fs::remove_file(repo.top.join("a")).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", repo.top.join("a")).expect("linked");
    std::fs::remove_file(repo.top.join("b")).expect("removed");
    assert!(Command::new("mkfifo").arg(repo.top.join("b")).status().expect("mkfifo runs").success());
    let found = texts(&repo.changed("main"));
    assert_eq!(
        found,
        [opaque("a", SkipReason::Link), opaque("b", SkipReason::NotAFile), text("d/new", "topic\n")]
    );
}

#[test]
fn conflicted_file_is_one_target() {
    let repo = diverged();
    repo.stage("a", "topic\n").commit();
    let merge = repo.command("git", &repo.top).args(["merge", "main"]).output().expect("git runs");
    assert!(!merge.status.success());
    let found = repo.changed("main");
    assert_eq!(paths(&found), ["a", "b", "d/new"]);
    assert!(texts(&found)[0].1.as_ref().expect("text").contains("<<<<<<<"));
    assert_eq!(befores(&found)[0], Some("one\n".into()));
}

#[test]
fn unchecked_out_files_come_from_index() {
    let repo = diverged();
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "x"]);
    assert_eq!(repo.git(["ls-files", "--sparse"]), "a\nb\nd/\n");
    assert_eq!(texts(&repo.changed("main")), [text("b", "topic\n"), text("d/new", "topic\n")]);
    repo.git(["sparse-checkout", "set", "--cone", "--no-sparse-index", "x"]);
    assert_eq!(repo.git(["ls-files", "--sparse"]), "a\nb\nd/c\nd/new\n");
    assert_eq!(texts(&repo.changed("main")), [text("b", "topic\n"), text("d/new", "topic\n")]);
}

#[test]
fn index_cannot_lead_out_of_worktree() {
    let repo = diverged();
    let index = repo.top.join(".git/index");
    let bytes = std::fs::read(&index).expect("readable");
    let at = bytes.windows(5).position(|window| window == b"d/new").expect("in the index");
    let bytes = [&bytes[..at], b"../ne", &bytes[at + 5..]].concat();
    std::fs::write(&index, bytes).expect("written");
    let error = repo.try_changed("main").expect_err("not a path");
    assert!(error.to_string().contains("it contains the path \"../ne\""), "{error}");
}

#[test]
fn resolves_tag_and_short_id() {
    let repo = diverged();
    repo.git(["tag", "-a", "-m", "tag", "v1", "main"]);
    let id = repo.git(["rev-parse", "--short", "main"]);
    for base in ["v1", id.trim(), "main@{0}", "refs/heads/main", "topic~1"] {
        assert_eq!(paths(&repo.changed(&format!("{base}..topic"))), ["b", "d/new"], "{base}");
    }
}

#[test]
fn a_revision_that_does_not_exist() {
    let repo = diverged();
    let unknown = |revision: &str, help: &str| {
        let error = repo.try_changed(revision).expect_err("unknown").to_string();
        assert_eq!(error, format!("unknown revision {revision:?}; {help}"));
    };
    unknown("release", "get it with `git fetch origin release:release`");
    unknown("origin/main", "get it with `git fetch origin +refs/heads/main:refs/remotes/origin/main`");
    unknown("0123456789abcdef", "get it with `git fetch origin 0123456789abcdef`");
    unknown("main~99", "see `git rev-parse 'main~99'`");
    unknown("--help", "see `git rev-parse '--help'`");
    let error = repo.try_changed("main:a").expect_err("a blob").to_string();
    assert_eq!(error, "\"main:a\" is not a commit; name a branch, a tag or a commit");
}

#[test]
fn histories_without_a_common_ancestor() {
    let repo = diverged();
    repo.git(["checkout", "-q", "--orphan", "other"]);
    repo.commit();
    let error = repo.try_changed("main").expect_err("unrelated").to_string();
    assert_eq!(error, "\"main\" and \"HEAD\" have no common ancestor; name a base that shares history");
}

#[test]
fn rejects_repository_without_commit() {
    let repo = TestRepo::new();
    repo.stage("a", "one");
    for revisions in ["HEAD", "main", "HEAD..HEAD"] {
        let error = repo.try_changed(revisions).expect_err("unborn");
        assert!(matches!(error, GitError::Unborn), "{error:?}");
    }
}

#[test]
fn shallow_clone_may_lack_merge_base() {
    let origin = diverged();
    let url = format!("file://{}", origin.top.display());
    origin.git(["clone", "-q", "--depth=1", "--no-single-branch", "--branch=topic", &url, "../clone"]);
    let clone = origin.top.with_file_name("clone");
    let changed = || {
        let revisions = "origin/main..HEAD".parse().expect("revisions");
        changed(
            &Root::new(&clone),
            &GitLocation { cwd: clone.clone(), ..GitLocation::default() },
            &revisions,
            Renames::Similar,
        )
    };
    let error = changed().expect_err("shallow").to_string();
    assert!(error.contains("in this shallow clone"), "{error}");
    let (_, command) = error.split_once("`git ").expect("a command");
    let (command, _) = command.split_once('`').expect("a command");
    origin.git_in(&clone, command.split(' '));
    assert_eq!(paths(&changed().expect("no longer shallow")), ["b", "d/new"]);
}
