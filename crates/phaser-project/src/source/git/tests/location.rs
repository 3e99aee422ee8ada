//! Where the repository, its worktree and its index are found.

use super::*;

fn find(repo: &TestRepo, location: &GitLocation) -> Vec<(String, Result<String, SkipReason>)> {
    texts(
        &staged(&Root::new(&repo.top), location, StagedFiles::Changed, Renames::Similar)
            .expect("a repository"),
    )
}

#[test]
fn the_repository_is_found_from_below() {
    let repo = TestRepo::new();
    repo.stage("d/e/a", "one");
    let below = GitLocation { cwd: repo.top.join("d/e"), ..GitLocation::default() };
    assert_eq!(find(&repo, &below), [text("d/e/a", "one")]);
}

#[test]
fn another_index_can_be_named() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    std::fs::copy(repo.top.join(".git/index"), repo.top.join(".git/next-index")).expect("copied");
    repo.stage("a", "two");
    let named = |path: &Path| GitLocation { index_file: Some(path.to_owned()), ..repo.location() };
    assert_eq!(find(&repo, &repo.location()), [text("a", "two")]);
    assert_eq!(find(&repo, &named(&repo.top.join(".git/next-index"))), []);
    assert_eq!(find(&repo, &named(Path::new(".git/next-index"))), []);
}

#[test]
fn index_name_is_relative_to_top() {
    let repo = TestRepo::new();
    repo.stage("a", "one").stage("d/b", "two").commit();
    std::fs::copy(repo.top.join(".git/index"), repo.top.join("other")).expect("copied");
    repo.stage("a", "two");
    let below =
        GitLocation { cwd: repo.top.join("d"), index_file: Some("other".into()), ..GitLocation::default() };
    let mut git = repo.command("git", &below.cwd);
    let output = git
        .env("GIT_INDEX_FILE", "other")
        .args(["diff", "--cached", "--name-only"])
        .output()
        .expect("git runs");
    assert_eq!((output.status.success(), output.stdout), (true, vec![]), "git itself");
    assert_eq!(find(&repo, &below), []);
}

#[test]
fn missing_index_is_empty() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    let location = GitLocation { index_file: Some("nowhere".into()), ..repo.location() };
    let found = staged(&Root::new(&repo.top), &location, StagedFiles::Changed, Renames::Similar)
        .expect("a repository");
    assert_eq!((paths(&found), listed(&found)), (vec![], vec![]));
}

#[test]
fn linked_worktree_has_own_index() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    let linked = repo.home.path().canonicalize().expect("it exists").join("linked");
    repo.git([OsStr::new("worktree"), "add".as_ref(), "-q".as_ref(), linked.as_ref()]);
    std::fs::write(linked.join("b"), "two").expect("written");
    repo.git_in(&linked, ["add", "b"]);
    repo.stage("c", "three");
    let in_linked = GitLocation { cwd: linked.clone(), ..GitLocation::default() };
    let found = staged(&Root::new(&linked), &in_linked, StagedFiles::Changed, Renames::Similar)
        .expect("a repository");
    assert_eq!(texts(&found), [text("b", "two")]);

    // What a hook in a linked worktree is given.
    let git_dir = repo.git_in(&linked, ["rev-parse", "--git-dir"]);
    let as_in_a_hook = GitLocation { git_dir: Some(git_dir.trim().into()), ..in_linked };
    let found = staged(&Root::new(&linked), &as_in_a_hook, StagedFiles::Changed, Renames::Similar)
        .expect("a repository");
    assert_eq!(texts(&found), [text("b", "two")]);
}

#[test]
fn worktree_of_bare_repository_is_not_bare() {
    let repo = TestRepo::new();
    repo.stage("a", "one").commit();
    let directory = repo.home.path().canonicalize().expect("it exists");
    repo.git(["clone", "-q", "--bare", ".", "../bare"]);
    repo.git_in(&directory.join("bare"), ["worktree", "add", "-q", "../linked"]);
    let linked = directory.join("linked");
    std::fs::write(linked.join("b"), "two").expect("written");
    repo.git_in(&linked, ["add", "b"]);
    let git_dir = repo.git_in(&linked, ["rev-parse", "--git-dir"]);
    for git_dir in [None, Some(git_dir.trim().into())] {
        let location = GitLocation { cwd: linked.clone(), git_dir, ..GitLocation::default() };
        let found = staged(&Root::new(&linked), &location, StagedFiles::Changed, Renames::Similar)
            .expect("a repository");
        assert_eq!(texts(&found), [text("b", "two")]);
    }
}

#[test]
fn accepts_named_repository_and_worktree() {
    let repo = TestRepo::new();
    let elsewhere = repo.home.path().canonicalize().expect("it exists").join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("d")).expect("created");
    std::fs::write(elsewhere.join("d/a"), "one").expect("written");
    repo.git(["--work-tree=../elsewhere", "add", "-A"]);
    let git_dir = Some(repo.top.join(".git"));
    let named = GitLocation {
        cwd: "/".into(),
        git_dir: git_dir.clone(),
        work_tree: Some(elsewhere.clone()),
        ..GitLocation::default()
    };
    let relative = GitLocation {
        cwd: elsewhere.join("d"),
        git_dir: git_dir.clone(),
        work_tree: Some("..".into()),
        ..GitLocation::default()
    };
    let at_the_top = GitLocation { cwd: elsewhere.clone(), git_dir, ..GitLocation::default() };
    for location in [named, relative, at_the_top] {
        let found = staged(&Root::new(&elsewhere), &location, StagedFiles::Changed, Renames::Similar)
            .expect("a repository");
        assert_eq!(texts(&found), [text("d/a", "one")]);
    }
}

#[test]
fn submodule_is_its_own_repository() {
    let other = TestRepo::new();
    other.stage("x", "x").commit();
    let repo = TestRepo::new();
    repo.git([
        OsStr::new("submodule"),
        "--quiet".as_ref(),
        "add".as_ref(),
        other.top.as_ref(),
        "sub".as_ref(),
    ]);
    repo.commit().write("sub/y", "two");
    repo.git(["-C", "sub", "add", "y"]);
    let inside = GitLocation { cwd: repo.top.join("sub"), ..GitLocation::default() };
    let found = staged(&Root::new(repo.top.join("sub")), &inside, StagedFiles::Changed, Renames::Similar)
        .expect("a repository");
    assert_eq!(texts(&found), [text("y", "two")]);
}

#[test]
fn reaches_worktree_through_link() {
    let repo = TestRepo::new();
    repo.stage("d/a", "one");
    let link = repo.home.path().join("link");
    std::os::unix::fs::symlink(&repo.top, &link).expect("linked");
    for root in [&link, &repo.top] {
        let location = GitLocation { cwd: link.join("d"), ..GitLocation::default() };
        let found = staged(&Root::new(root), &location, StagedFiles::Changed, Renames::Similar)
            .expect("a repository");
        assert_eq!(texts(&found), [text("d/a", "one")]);
    }
}
