//! What the end of a turn looks at.

use super::*;

#[test]
fn what_differs_from_the_last_commit_is_told_staged_or_not() {
    let repo = Repo::new();
    repo.write("a.txt", "old BAD\n").write("b.txt", "fine\n").write("same.txt", "BAD\n").commit();
    let script = "echo new BAD >> a.txt; echo BAD > b.txt; git add b.txt; echo BAD > new.txt; touch same.txt";
    assert_eq!(repo.told_at_end(script), ["a.txt:2", "b.txt:1", "new.txt:1"]);
    assert_eq!(repo.told_at_end("git add --all"), NOTHING, "what an earlier turn left is not this one's");
    assert_eq!(repo.told_by(Sweep::Turn { since: None }), ["a.txt:2", "b.txt:1", "new.txt:1"]);
    assert_eq!(repo.told_at_end("git commit -qm x; git checkout -q -b y; touch *"), NOTHING);
}

#[test]
fn files_that_are_as_committed_are_not_looked_at() {
    let repo = Repo::new();
    repo.write("a.txt", "fine\n").write("d/b.txt", "fine\n").commit();
    // Long enough after they were written that the index is sure of them.
    repo.shell("git update-index --really-refresh; touch x; git add x; git rm -q --cached x; rm x");
    let turn = Sweep::Turn { since: None };
    assert_eq!(paths(&repo.swept(&turn)), NOTHING);
    repo.shell("touch d/b.txt; echo more > a.txt; git add a.txt");
    let targets = repo.swept(&turn);
    assert_eq!(paths(&targets), ["a.txt", "d/b.txt"]);
    assert_eq!(targets.targets.iter().map(befores).collect::<Vec<_>>(), [["fine\n"], ["fine\n"]]);
}

#[test]
fn a_file_that_moved_keeps_its_violations() {
    let long: String = (0..40).map(|number| format!("line {number}\n")).collect();
    let ways = ["git mv a.txt b.txt", "mv a.txt b.txt", "mv a.txt b.txt; git add --all"];
    for moving in ways.into_iter().chain(["cp a.txt b.txt; rm a.txt"]) {
        let repo = Repo::new();
        repo.write("a.txt", &format!("{long}old BAD\n")).commit();
        let since = repo.shell(moving);
        for sweep in [Sweep::Command { changed: None, since }, Sweep::Turn { since: Some(since) }] {
            assert_eq!(paths(&repo.swept(&sweep)), ["b.txt"], "{moving}");
            assert_eq!(repo.told_by(sweep), NOTHING, "{moving}");
        }
        if ways.contains(&moving) {
            assert_eq!(repo.told_at_end("echo new BAD >> b.txt"), ["b.txt:42"], "{moving}");
        }
    }
}

#[test]
fn a_directory_that_moved_keeps_them_too_but_not_where_a_contract_begins_to_apply() {
    let repo = Repo::new();
    let here = CONTRACT.replace("'**'", "'src/**'").replace("no-bad", "no-worse").replace("BAD", "WORSE");
    repo.write(".claude/contracts/src.yaml", &here).write("a/deep/b.txt", "BAD\nWORSE\n").commit();
    assert_eq!(repo.told("mv a c"), NOTHING);
    assert_eq!(repo.told("mv c src"), ["src/deep/b.txt:2"]);
    assert_eq!(repo.told_at_end("git add --all"), NOTHING);
    assert_eq!(repo.told_by(Sweep::Turn { since: None }), ["src/deep/b.txt:2"]);
}

#[test]
fn nothing_is_known_of_a_turn_without_a_time_and_without_git() {
    let repo = Repo::without_git();
    repo.write("a.txt", "BAD\n");
    assert_eq!(repo.swept(&Sweep::Turn { since: None }), Targets::none());
    let since = repo.shell("echo BAD > b.txt");
    assert_eq!(repo.told_by(Sweep::Turn { since: Some(since) }), ["b.txt:1"]);
}
