//! Commands that make git write files, or write files and commit them.

use super::*;

/// A repository with two branches that share a commit: `main` has "main BAD", `other` has "other BAD" and a file of its own.
fn branches() -> TestRepo {
    let repo = project();
    repo.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
        .commit_past()
        .git_past("checkout --quiet -b other");
    repo.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nother BAD\n")
        .write("b.txt", "b BAD\n")
        .commit_past();
    repo.git_past("checkout --quiet main")
        .write("a.txt", "main BAD\ntwo\nthree\nfour\nfive\nsix\nseven\n")
        .commit_past();
    repo
}

#[test]
fn reports_file_from_another_commit() {
    let repo = branches();
    assert_eq!(repo.reported("git checkout other -- b.txt"), ["b.txt:1"]);
    assert_eq!(repo.reported("git checkout other -- a.txt"), ["a.txt:7"]);
    let repo = branches();
    assert_eq!(repo.reported("git restore --source=other a.txt"), ["a.txt:7"]);
    assert_eq!(repo.reported("git reset --hard"), NOTHING);
    assert_eq!(
        repo.reported("git cherry-pick other"),
        ["a.txt:7", "b.txt:1"],
        "one commit out of another line"
    );
}

#[test]
fn reports_unstashed_violations() {
    let repo = project();
    repo.write("a.txt", "old BAD\n").commit_past();
    repo.write("a.txt", "old BAD\nnew BAD\n");
    assert_eq!(repo.reported("git stash"), NOTHING);
    assert_eq!(repo.reported("git stash pop"), ["a.txt:2"]);
    repo.shell("git add a.txt; git stash");
    assert_eq!(repo.reported("git stash pop --index"), ["a.txt:2"]);
}

#[test]
fn reports_violations_the_command_commits() {
    let repo = project();
    repo.write("a.txt", "old BAD\n").commit_past();
    assert_eq!(repo.reported("echo one BAD >> a.txt; git commit -qam x"), ["a.txt:2"]);
    assert_eq!(repo.reported("true"), NOTHING);
    // Commits have whole seconds.
    std::thread::sleep(Duration::from_secs(1));
    let script = "echo two BAD >> a.txt; git commit -qam x; echo x > b; git add b; git commit -qm y";
    assert_eq!(repo.reported(script), ["a.txt:3"]);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(repo.reported("echo three BAD >> a.txt; git commit -q --amend -a --no-edit"), ["a.txt:4"]);
    std::thread::sleep(Duration::from_secs(1));
    let script =
        "echo four BAD >> a.txt; git commit -qam x; git checkout -qb new; git commit -q --allow-empty -m y";
    assert_eq!(repo.reported(script), ["a.txt:5"]);
}

#[test]
fn reports_files_of_first_commit() {
    let repo = project_without_git();
    repo.git_past("init --quiet");
    assert_eq!(repo.reported("echo BAD > a.txt; git add .; git commit -qm x"), ["a.txt:1"]);
}

#[test]
fn changing_branches_is_silent() {
    let repo = branches();
    assert_eq!(repo.reported("git checkout -q other"), NOTHING);
    assert_eq!(repo.reported("git switch -q main"), NOTHING);
    assert_eq!(
        repo.reported("git checkout -q other; git checkout -q main; git checkout -q other~0"),
        NOTHING
    );
    assert_eq!(repo.reported("git reset -q --hard main"), NOTHING);
    assert_eq!(repo.reported("git checkout -q other; echo new BAD >> b.txt"), ["b.txt:2"]);
}

#[test]
fn merge_reports_only_additions() {
    let repo = branches();
    assert_eq!(
        repo.reported("git merge -q --no-edit other"),
        NOTHING,
        "also a file that was merged line by line"
    );
    let both = fs::read_to_string(repo.top.join("a.txt")).expect("readable");
    assert!(both.starts_with("main BAD") && both.ends_with("other BAD\n"), "{both}");
    repo.git_past("checkout --quiet -b more HEAD~1");
    let script = "git merge -q --no-edit --no-commit other; echo new BAD >> a.txt; git commit -qam x";
    assert_eq!(repo.reported(script), ["a.txt:8"]);
    repo.git_past("checkout --quiet -b ahead other")
        .write("c.txt", "c BAD\n")
        .commit_past()
        .git_past("checkout --quiet other");
    assert_eq!(repo.reported("git merge -q ahead"), NOTHING, "nothing but a step ahead");
    assert!(repo.top.join("c.txt").exists());
}

#[test]
fn line_of_both_sides_counts_once() {
    let repo = branches();
    repo.git_past("checkout --quiet other")
        .write("a.txt", "main BAD\ntwo\nthree\nfour\nfive\nsix\nother BAD\n")
        .commit_past();
    repo.git_past("checkout --quiet main");
    let script = "git merge -q --no-edit --no-commit other; echo main BAD >> a.txt; git commit -qam x";
    assert_eq!(repo.reported(script), ["a.txt:8"]);
}

#[test]
fn pulling_is_silent() {
    let repo = branches();
    repo.git_past("clone --quiet . ../clone");
    repo.write("pulled.txt", "pulled BAD\n").commit_past();
    let clone = TestRepo { top: repo.top.with_file_name("clone"), ..repo };
    assert_eq!(clone.reported("git pull -q"), NOTHING);
    assert!(clone.top.join("pulled.txt").exists());
}

#[test]
fn commits_replace_missing_reflog() {
    let repo = branches();
    repo.git_past("config core.logAllRefUpdates false");
    fs::remove_dir_all(repo.top.join(".git/logs")).expect("removed");
    assert_eq!(repo.reported("git checkout -q other"), NOTHING);
    assert_eq!(repo.reported("git checkout -q main"), NOTHING);
    assert_eq!(repo.reported("echo new BAD >> a.txt; git commit -qam x"), ["a.txt:8"]);
    assert!(!repo.top.join(".git/logs/HEAD").exists());
}

/// `main` and `other` both change the first line, and `other` has a second commit.
fn conflict() -> TestRepo {
    let repo = project();
    repo.write("a.txt", "line\n").commit_past().git_past("checkout --quiet -b other");
    repo.write("a.txt", "other BAD\n")
        .write("b.txt", "b BAD\n")
        .commit_past()
        .write("c.txt", "c BAD\n")
        .commit_past();
    repo.git_past("checkout --quiet main").write("a.txt", "main BAD\n").commit_past();
    repo
}

#[test]
fn conflicted_merge_reports_only_additions() {
    let repo = conflict();
    assert_eq!(repo.reported("git merge other"), NOTHING);
    assert!(
        fs::read_to_string(repo.top.join("a.txt")).expect("readable").contains("<<<<<<<"),
        "in a conflict"
    );
    assert_eq!(repo.reported("printf 'main BAD\\nother BAD\\n' > a.txt"), NOTHING);
    assert_eq!(repo.reported("echo new BAD >> a.txt"), ["a.txt:3"]);
    assert_eq!(repo.reported_by(ChangeWindow::turn(None)), ["a.txt:3"], "the same at the end of a turn");
    assert_eq!(
        repo.reported("printf 'main BAD\\nother BAD\\n' > a.txt; git add .; git commit -qm x"),
        NOTHING
    );
}

#[test]
fn a_rebase_is_silent_to_its_end() {
    let repo = conflict();
    repo.git_past("checkout --quiet other");
    assert_eq!(repo.reported("git rebase main"), NOTHING);
    assert!(repo.top.join(".git/rebase-merge").exists(), "in the middle of it");
    assert_eq!(repo.reported_at_end("true"), NOTHING);
    // Commits have whole seconds.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(
        repo.reported("printf 'main BAD\\nother BAD\\n' > a.txt; git add .; git rebase --continue"),
        NOTHING
    );
    assert!(!repo.top.join(".git/rebase-merge").exists(), "at its end");
    assert_eq!(fs::read_to_string(repo.top.join("c.txt")).expect("readable"), "c BAD\n");
}
