//! Damaged and unsupported repositories.

use std::borrow::Cow;

use super::*;

fn error(repo: &TestRepo) -> String {
    staged(&Root::new(&repo.top), &repo.location(), StagedFiles::Changed, Renames::Similar)
        .expect_err("an error")
        .to_string()
}

#[test]
fn a_directory_that_is_in_no_repository() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let cwd = directory.path().canonicalize().expect("it exists");
    let location = GitLocation { cwd: cwd.clone(), ..GitLocation::default() };
    let error = staged(&Root::new(&cwd), &location, StagedFiles::Changed, Renames::Similar)
        .expect_err("no repository");
    assert!(matches!(&error, GitError::NotARepository(path) if *path == cwd), "{error:?}");
    let named = GitLocation { git_dir: Some(cwd.join("nowhere")), ..location };
    let error =
        staged(&Root::new(&cwd), &named, StagedFiles::Changed, Renames::Similar).expect_err("no repository");
    assert!(matches!(error, GitError::NotARepository(_)), "{error:?}");
}

#[test]
fn a_bare_repository() {
    let repo = TestRepo::init(["init", "--bare"]);
    assert!(error(&repo).contains("is a bare repository"));
    let named = GitLocation { git_dir: Some(repo.top.clone()), ..repo.location() };
    let error =
        staged(&Root::new(&repo.top), &named, StagedFiles::Changed, Renames::Similar).expect_err("bare");
    assert!(matches!(error, GitError::Bare(_)), "{error:?}");
}

#[test]
fn a_project_outside_the_worktree() {
    let repo = TestRepo::new();
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let error =
        staged(&Root::new(elsewhere.path()), &repo.location(), StagedFiles::Changed, Renames::Similar)
            .expect_err("elsewhere");
    assert!(matches!(error, GitError::Elsewhere { .. }), "{error:?}");
}

#[test]
fn an_index_that_is_not_one() {
    let repo = TestRepo::new();
    repo.stage("a", "one").stage("b", "two");
    let index = repo.top.join(".git/index");
    let good = std::fs::read(&index).expect("readable");
    let mut wrong_count = good.clone();
    wrong_count[11] = 9;
    for bad in [&b""[..], b"garbage", &good[..good.len() / 2], &good[..good.len() - 30], &wrong_count] {
        std::fs::write(&index, bad).expect("written");
        assert!(error(&repo).starts_with("cannot read the index "), "{}", error(&repo));
        assert!(error(&repo).ends_with("`git reset`"), "{}", error(&repo));
    }
}

#[test]
fn a_split_index_without_its_other_part() {
    let repo = TestRepo::new();
    repo.stage("a", "one").git(["update-index", "--split-index"]);
    for entry in std::fs::read_dir(repo.top.join(".git")).expect("readable") {
        let path = entry.expect("readable").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sharedindex.")) {
            std::fs::remove_file(path).expect("removed");
        }
    }
    assert!(error(&repo).starts_with("cannot read the index "), "{}", error(&repo));
}

#[test]
fn a_merge_conflict() {
    let repo = TestRepo::new();
    repo.stage("d/a", "one").commit().git(["checkout", "-q", "-b", "topic"]);
    repo.stage("d/a", "two").commit().git(["checkout", "-q", "main"]);
    repo.stage("d/a", "three").commit();
    let merge = repo.command("git", &repo.top).args(["merge", "topic"]).output().expect("git runs");
    assert!(!merge.status.success());
    assert_eq!(error(&repo), "d/a has a merge conflict; resolve it and run `git add d/a`");
    repo.stage("d/a", "four");
    assert_eq!(texts(&repo.staged()), [text("d/a", "four")]);
}

/// Deletes an object.
fn lose(repo: &TestRepo, revision: &str) -> String {
    let id = repo.git(["rev-parse", revision]).trim().to_owned();
    std::fs::remove_file(repo.top.join(".git/objects").join(&id[..2]).join(&id[2..])).expect("removed");
    id
}

#[test]
fn a_tree_that_is_not_there() {
    let repo = TestRepo::new();
    repo.stage("d/a", "one").commit().stage("d/a", "two");
    let id = lose(&repo, "HEAD:d");
    let expected = format!("directory \"d/\": object {id} is missing from the repository; see: git fsck");
    assert_eq!(error(&repo), expected);
}

#[test]
fn a_commit_that_is_not_there() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    let id = lose(&repo, "HEAD");
    assert!(error(&repo).contains(&id) && error(&repo).ends_with("git fsck"), "{}", error(&repo));
}

#[test]
fn a_blob_that_is_not_there() {
    let repo = TestRepo::new();
    repo.stage("a", "one");
    let id = lose(&repo, ":a");
    let expected = format!("object {id} is missing from the repository; see: git fsck");
    assert_eq!(texts(&repo.staged()), [opaque("a", SkipReason::Unreadable(expected))]);
}

#[test]
fn reports_object_missing_from_partial_clone() {
    let origin = TestRepo::new();
    origin.stage("a", "one").commit().git(["config", "uploadpack.allowFilter", "true"]);
    origin.git([
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &format!("file://{}", origin.top.display()),
        "../clone",
    ]);
    let clone = origin.top.with_file_name("clone");
    origin.git_in(&clone, ["update-ref", "-d", "HEAD"]);
    origin.git_in(&clone, ["read-tree", "origin/main"]);
    let location = GitLocation { cwd: clone.clone(), ..GitLocation::default() };
    let found =
        staged(&Root::new(&clone), &location, StagedFiles::Changed, Renames::Similar).expect("a repository");
    let Err(SkipReason::Unreadable(why)) = read(&found.targets[0].content) else { panic!("it is here") };
    let (_, command) = why.split_once("fetch it with: git ").expect("a command");
    origin.git_in(&clone, command.split(' '));
    let found =
        staged(&Root::new(&clone), &location, StagedFiles::Changed, Renames::Similar).expect("a repository");
    assert_eq!(texts(&found), [text("a", "one")]);
}

#[test]
fn skips_blob_over_limit() {
    let repo = TestRepo::new();
    repo.stage("a", "four");
    let found = repo.staged();
    let read = |limit| Reader::new(limit).read(&found.targets[0].content).map(Cow::into_owned);
    assert_eq!(read(3), Err(SkipReason::TooLarge { size: 4, limit: 3 }));
    assert_eq!(read(4), Ok(b"four".to_vec()));
}

#[test]
fn rejects_unknown_reference_format() {
    let repo = TestRepo::init(["init", "--ref-format=reftable"]);
    repo.git(["config", "core.logAllRefUpdates", "false"]);
    repo.stage("a", "one").commit();
    assert!(error(&repo).contains("git refs migrate --ref-format=files"), "{}", error(&repo));
    repo.git(["refs", "migrate", "--ref-format=files"]);
    assert_eq!(repo.staged().targets, []);
}

#[test]
fn a_tree_deeper_than_anybody_needs() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    let blob = repo.git(["rev-parse", ":a"]);
    let entry = format!("100644,{},{}f", blob.trim(), "d/".repeat(300));
    repo.git(["update-index", "--add", "--cacheinfo", &entry]);
    let tree = repo.git(["write-tree"]);
    let deep = repo.git(["commit-tree", "-p", "HEAD", "-m", "deep", tree.trim()]);
    let error = repo.try_changed(&format!("HEAD..{}", deep.trim())).expect_err("too deep");
    assert!(matches!(error, GitError::TooDeep { .. }), "{error:?}");
}

/// Needs the right to change a file's owner.
#[test]
fn refuses_repository_of_another_user() {
    let repo = TestRepo::new();
    repo.stage("a", "one");
    if std::os::unix::fs::chown(&repo.top, Some(12345), None).is_err() {
        return;
    }
    let git = repo.command("git", &repo.top).arg("status").output().expect("git runs");
    assert!(String::from_utf8_lossy(&git.stderr).contains("dubious ownership"), "git itself");
    let expected = format!("safe.directory {}`", repo.top.display());
    assert!(error(&repo).ends_with(&expected), "{}", error(&repo));
}
