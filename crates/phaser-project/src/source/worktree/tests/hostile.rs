//! Unusual repositories, and none at all.

use super::*;

#[test]
fn without_git_changed_file_is_new() {
    let repo = project_without_git();
    repo.write("a.txt", "BAD\n").write("b.txt", "BAD\n");
    assert_eq!(repo.reported("echo fine >> a.txt"), ["a.txt:1"]);
    assert_eq!(repo.reported("true"), NOTHING);
}

#[test]
fn compares_index_with_nothing_before_first_commit() {
    let repo = project_without_git();
    repo.git_past("init --quiet").write("a.txt", "BAD\n").git_past("add a.txt");
    assert_eq!(repo.reported("echo new BAD >> a.txt; echo BAD > b.txt"), ["a.txt:2", "b.txt:1"]);
    assert_eq!(
        repo.reported_at_end("echo fine > b.txt; touch a.txt"),
        ["a.txt:1", "a.txt:2"],
        "nothing is committed"
    );
}

#[test]
fn git_failure_is_a_gap() {
    let damage: [(&str, &str); 4] = [
        ("echo broken > .git/index", "cannot read the index"),
        ("git config core.bare true", "is a bare repository"),
        ("echo '[core' > .git/config", "cannot open the git repository"),
        ("rm -rf .git/objects/*", "commit"),
    ];
    for (script, expected) in damage {
        let repo = project();
        repo.write("a.txt", "fine\n").commit_past();
        let since = repo.shell(&format!("{script}; echo BAD > b.txt"));
        for sweep in [ChangeWindow::Command { changed: None, since }, ChangeWindow::turn(None)] {
            let targets = repo.changed_files(&sweep);
            assert_eq!(paths(&targets), NOTHING, "{script}");
            assert!(gaps(&targets).iter().any(|gap| gap.contains(expected)), "{script}: {targets:?}");
        }
    }
}

#[test]
fn opens_no_endless_files_of_git() {
    let repo = project();
    repo.write("a.txt", "fine\n").commit_past();
    let script =
        "echo BAD > a.txt; git add a.txt; rm -f .git/logs/HEAD; mkfifo .git/logs/HEAD .git/MERGE_HEAD pipe";
    assert_eq!(repo.reported(script), ["a.txt:1"]);
}

#[test]
fn skips_other_checkouts_inside_project() {
    let other = project();
    other.write("x.txt", "BAD\n").commit_past();
    let repo = project();
    repo.git_past(&format!("submodule --quiet add {} sub", other.top.display())).commit_past();
    repo.git_past("worktree add --quiet .claude/worktrees/w");
    let script = "echo BAD > sub/new; echo BAD > .claude/worktrees/w/new; echo BAD > .claude/worktrees/new";
    assert_eq!(repo.reported(script), [".claude/worktrees/new:1"]);
    assert_eq!(repo.reported_by(ChangeWindow::turn(None)), [".claude/worktrees/new:1"]);
    let named = ["sub/new", ".claude/worktrees/w/new"].map(PathBuf::from).to_vec();
    let named = ChangeWindow::Command { changed: Some(named), since: SystemTime::now() };
    assert_eq!(paths(&repo.changed_files(&named)), NOTHING);
    // In the worktree itself, by its own index and its own reflog.
    let linked = TestRepo { top: repo.top.join(".claude/worktrees/w"), ..repo };
    assert_eq!(linked.reported_by(ChangeWindow::turn(None)), ["new:1"]);
    assert_eq!(linked.reported("git add new; echo fine >> new"), NOTHING);
    assert_eq!(linked.reported("echo two BAD >> new; git commit -qam x"), ["new:1", "new:3"]);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(linked.reported("git checkout -q HEAD~1; git checkout -q w"), NOTHING);
}

#[test]
fn nested_repository_has_own_history() {
    let repo = project();
    repo.git_past("init --quiet in").write("in/a.txt", "old BAD\n").git_past("-C in add a.txt");
    repo.git_past("-C in commit --quiet --message x");
    assert_eq!(repo.reported("echo new BAD >> in/a.txt; echo BAD > b.txt"), ["b.txt:1", "in/a.txt:2"]);
    let named = Some(vec!["in/a.txt".into()]);
    assert_eq!(
        repo.reported_by(ChangeWindow::Command { changed: named, since: SystemTime::now() }),
        ["in/a.txt:2"]
    );
    let script = "echo BAD > in/.git/x; mkdir made; echo BAD > made/.git; echo BAD > made/a";
    assert_eq!(repo.reported(script), ["made/a:1"], "a .git that is none hides nothing");
    fs::write(repo.top.join("in/.git/index"), "broken").expect("written");
    let targets = repo.changed_files(&ChangeWindow::turn(None));
    assert_eq!(paths(&targets), ["b.txt", "made/a"]);
    assert!(gaps(&targets)[0].starts_with("in: cannot be read: cannot read the index"), "{targets:?}");
}

#[test]
fn file_moved_in_made_repository_keeps_violations() {
    let repo = project();
    repo.write("in/a.txt", "old BAD\n").commit_past();
    assert_eq!(repo.reported("git init -q in; mv in/a.txt in/b.txt"), NOTHING);
    assert_eq!(repo.reported("echo new BAD >> in/b.txt"), ["in/b.txt:2"]);
}

#[test]
fn project_below_or_above_worktree_top() {
    let repo = project();
    repo.write("part/a.txt", "old BAD\n").commit_past();
    let since = repo.shell("echo new BAD >> part/a.txt; echo BAD > b.txt");
    let sweep = ChangeWindow::Command { changed: None, since };
    let limits = WalkLimits { threads: 1, deadline: Deadline::NEVER };
    let below = changed_files(&Root::new(repo.top.join("part")), &repo.location(), &sweep, limits);
    assert_eq!(paths(&below), ["a.txt"]);
    assert_eq!(befores(&below.targets[0]), ["old BAD\n"]);
    let above = changed_files(&Root::new(repo.home.path()), &repo.location(), &sweep, limits);
    assert_eq!(paths(&above), ["top/b.txt", "top/part/a.txt"]);
    assert_eq!(befores(&above.targets[1]), ["old BAD\n"]);
}

#[test]
fn links_and_special_files_are_never_opened() {
    let repo = project();
    let since = repo.shell("mkfifo pipe; ln -s pipe link; ln -s /dev/zero zero; mkdir d; ln -s /etc d/etc");
    let targets = repo.changed_files(&ChangeWindow::Command { changed: None, since });
    let opaque = |target: &Target| matches!(target.content, Content::Opaque(_));
    assert!(targets.targets.len() == 4 && targets.targets.iter().all(opaque), "{targets:?}");
}

#[test]
fn sparse_index_has_previous_versions() {
    let repo = project();
    repo.write("in/a.txt", "BAD\n")
        .write("out/b.txt", "old BAD\n")
        .write("out/d/c.txt", "BAD\n")
        .commit_past();
    repo.git_past("sparse-checkout set --cone --sparse-index in .claude");
    assert_eq!(repo.reported("mkdir -p out; printf 'old BAD\\nnew BAD\\n' > out/b.txt"), ["out/b.txt:2"]);
    assert_eq!(repo.reported_by(ChangeWindow::turn(None)), ["out/b.txt:2"]);
}
