//! Repositories that are not what one would expect, and none at all.

use super::*;

#[test]
fn without_git_everything_in_a_changed_file_is_new() {
    let repo = Repo::without_git();
    repo.write("a.txt", "BAD\n").write("b.txt", "BAD\n");
    assert_eq!(repo.told("echo fine >> a.txt"), ["a.txt:1"]);
    assert_eq!(repo.told("true"), NOTHING);
}

#[test]
fn before_the_first_commit_the_index_is_all_there_is() {
    let repo = Repo::without_git();
    repo.git("init --quiet").write("a.txt", "BAD\n").git("add a.txt");
    assert_eq!(repo.told("echo new BAD >> a.txt; echo BAD > b.txt"), ["a.txt:2", "b.txt:1"]);
    assert_eq!(
        repo.told_at_end("echo fine > b.txt; touch a.txt"),
        ["a.txt:1", "a.txt:2"],
        "nothing is committed"
    );
}

#[test]
fn what_git_cannot_say_is_a_gap_and_ends_nothing() {
    let damage: [(&str, &str); 4] = [
        ("echo broken > .git/index", "cannot read the index"),
        ("git config core.bare true", "is a bare repository"),
        ("echo '[core' > .git/config", "cannot open the git repository"),
        ("rm -rf .git/objects/*", "commit"),
    ];
    for (script, expected) in damage {
        let repo = Repo::new();
        repo.write("a.txt", "fine\n").commit();
        let since = repo.shell(&format!("{script}; echo BAD > b.txt"));
        for sweep in [Sweep::Command { changed: None, since }, Sweep::Turn { since: None }] {
            let targets = repo.swept(&sweep);
            assert_eq!(paths(&targets), NOTHING, "{script}");
            assert!(gaps(&targets).iter().any(|gap| gap.contains(expected)), "{script}: {targets:?}");
        }
    }
}

#[test]
fn files_of_git_that_would_never_end_are_not_opened() {
    let repo = Repo::new();
    repo.write("a.txt", "fine\n").commit();
    let script =
        "echo BAD > a.txt; git add a.txt; rm -f .git/logs/HEAD; mkfifo .git/logs/HEAD .git/MERGE_HEAD pipe";
    assert_eq!(repo.told(script), ["a.txt:1"]);
}

#[test]
fn another_checkout_inside_is_left_to_whoever_works_there() {
    let other = Repo::new();
    other.write("x.txt", "BAD\n").commit();
    let repo = Repo::new();
    repo.git(&format!("submodule --quiet add {} sub", other.top.display())).commit();
    repo.git("worktree add --quiet .claude/worktrees/w");
    let script = "echo BAD > sub/new; echo BAD > .claude/worktrees/w/new; echo BAD > .claude/worktrees/new";
    assert_eq!(repo.told(script), [".claude/worktrees/new:1"]);
    assert_eq!(repo.told_by(Sweep::Turn { since: None }), [".claude/worktrees/new:1"]);
    let named = ["sub/new", ".claude/worktrees/w/new"].map(PathBuf::from).to_vec();
    let named = Sweep::Command { changed: Some(named), since: SystemTime::now() };
    assert_eq!(paths(&repo.swept(&named)), NOTHING);
    // In the worktree itself, by its own index and its own reflog.
    let linked = Repo { top: repo.top.join(".claude/worktrees/w"), ..repo };
    assert_eq!(linked.told_by(Sweep::Turn { since: None }), ["new:1"]);
    assert_eq!(linked.told("git add new; echo fine >> new"), NOTHING);
    assert_eq!(linked.told("echo two BAD >> new; git commit -qam x"), ["new:1", "new:3"]);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(linked.told("git checkout -q HEAD~1; git checkout -q w"), NOTHING);
}

#[test]
fn a_repository_inside_has_a_past_of_its_own() {
    let repo = Repo::new();
    repo.git("init --quiet in").write("in/a.txt", "old BAD\n").git("-C in add a.txt");
    repo.git("-C in commit --quiet --message x");
    assert_eq!(repo.told("echo new BAD >> in/a.txt; echo BAD > b.txt"), ["b.txt:1", "in/a.txt:2"]);
    let named = Some(vec!["in/a.txt".into()]);
    assert_eq!(repo.told_by(Sweep::Command { changed: named, since: SystemTime::now() }), ["in/a.txt:2"]);
    let script = "echo BAD > in/.git/x; mkdir made; echo BAD > made/.git; echo BAD > made/a";
    assert_eq!(repo.told(script), ["made/a:1"], "a .git that is none hides nothing");
    fs::write(repo.top.join("in/.git/index"), "broken").expect("written");
    let targets = repo.swept(&Sweep::Turn { since: None });
    assert_eq!(paths(&targets), ["b.txt", "made/a"]);
    assert!(gaps(&targets)[0].starts_with("in: cannot be read: cannot read the index"), "{targets:?}");
}

#[test]
fn a_project_below_or_above_the_top_of_a_worktree() {
    let repo = Repo::new();
    repo.write("part/a.txt", "old BAD\n").commit();
    let since = repo.shell("echo new BAD >> part/a.txt; echo BAD > b.txt");
    let sweep = Sweep::Command { changed: None, since };
    let looking = Looking { threads: 1, deadline: Deadline::NEVER };
    let below = swept(&Root::new(repo.top.join("part")), &repo.location(), &sweep, looking);
    assert_eq!(paths(&below), ["a.txt"]);
    assert_eq!(befores(&below.targets[0]), ["old BAD\n"]);
    let above = swept(&Root::new(repo.directory.path()), &repo.location(), &sweep, looking);
    assert_eq!(paths(&above), ["top/b.txt", "top/part/a.txt"]);
    assert_eq!(befores(&above.targets[1]), ["old BAD\n"]);
}

#[test]
fn links_and_special_files_are_never_opened() {
    let repo = Repo::new();
    let since = repo.shell("mkfifo pipe; ln -s pipe link; ln -s /dev/zero zero; mkdir d; ln -s /etc d/etc");
    let targets = repo.swept(&Sweep::Command { changed: None, since });
    let opaque = |target: &Target| matches!(target.content, Content::Opaque(_));
    assert!(targets.targets.len() == 4 && targets.targets.iter().all(opaque), "{targets:?}");
}

#[test]
fn a_sparse_index_knows_what_was_in_a_directory() {
    let repo = Repo::new();
    repo.write("in/a.txt", "BAD\n").write("out/b.txt", "old BAD\n").write("out/d/c.txt", "BAD\n").commit();
    repo.git("sparse-checkout set --cone --sparse-index in .claude");
    assert_eq!(repo.told("mkdir -p out; printf 'old BAD\\nnew BAD\\n' > out/b.txt"), ["out/b.txt:2"]);
    assert_eq!(repo.told_by(Sweep::Turn { since: None }), ["out/b.txt:2"]);
}
