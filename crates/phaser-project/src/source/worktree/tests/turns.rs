//! The end of a turn.

use super::*;

#[test]
fn turn_reports_staged_and_unstaged_differences() {
    let repo = project();
    repo.write("a.txt", "old BAD\n").write("b.txt", "fine\n").write("same.txt", "BAD\n").commit_past();
    let script = "echo new BAD >> a.txt; echo BAD > b.txt; git add b.txt; echo BAD > new.txt; touch same.txt";
    assert_eq!(repo.reported_at_end(script), ["a.txt:2", "b.txt:1", "new.txt:1"]);
    assert_eq!(repo.reported_at_end("git add --all"), NOTHING, "what an earlier turn left is not this one's");
    assert_eq!(repo.reported_by(ChangeWindow::turn(None)), ["a.txt:2", "b.txt:1", "new.txt:1"]);
    assert_eq!(repo.reported_at_end("git commit -qm x; git checkout -q -b y; touch *"), NOTHING);
}

#[test]
fn skips_files_unchanged_since_commit() {
    let repo = project();
    repo.write("a.txt", "fine\n").write("d/b.txt", "fine\n").commit_past();
    // Past the racy window of the index.
    repo.shell("git update-index --really-refresh; touch x; git add x; git rm -q --cached x; rm x");
    let turn = ChangeWindow::turn(None);
    assert_eq!(paths(&repo.changed_files(&turn)), NOTHING);
    repo.shell("touch d/b.txt; echo more > a.txt; git add a.txt");
    let targets = repo.changed_files(&turn);
    assert_eq!(paths(&targets), ["a.txt", "d/b.txt"]);
    assert_eq!(targets.targets.iter().map(befores).collect::<Vec<_>>(), [["fine\n"], ["fine\n"]]);
}

#[test]
fn a_file_that_moved_keeps_its_violations() {
    let long: String = (0..40).map(|number| format!("line {number}\n")).collect();
    let ways = ["git mv a.txt b.txt", "mv a.txt b.txt", "mv a.txt b.txt; git add --all"];
    for moving in ways.into_iter().chain(["cp a.txt b.txt; rm a.txt"]) {
        let repo = project();
        repo.write("a.txt", &format!("{long}old BAD\n")).commit_past();
        let since = repo.shell(moving);
        for sweep in [ChangeWindow::Command { changed: None, since }, ChangeWindow::turn(Some(since))] {
            assert_eq!(paths(&repo.changed_files(&sweep)), ["b.txt"], "{moving}");
            assert_eq!(repo.reported_by(sweep), NOTHING, "{moving}");
        }
        if ways.contains(&moving) {
            assert_eq!(repo.reported_at_end("echo new BAD >> b.txt"), ["b.txt:42"], "{moving}");
        }
    }
}

#[test]
fn moved_directory_keeps_violations_unless_contract_starts() {
    let repo = project();
    let here = CONTRACT.replace("'**'", "'src/**'").replace("no-bad", "no-worse").replace("BAD", "WORSE");
    repo.write(".claude/contracts/src.yaml", &here).write("a/deep/b.txt", "BAD\nWORSE\n").commit_past();
    assert_eq!(repo.reported("mv a c"), NOTHING);
    assert_eq!(repo.reported("mv c src"), ["src/deep/b.txt:2"]);
    assert_eq!(repo.reported_at_end("git add --all"), NOTHING);
    assert_eq!(repo.reported_by(ChangeWindow::turn(None)), ["src/deep/b.txt:2"]);
}

#[test]
fn turn_without_time_or_git_finds_nothing() {
    let repo = project_without_git();
    repo.write("a.txt", "BAD\n");
    assert_eq!(repo.changed_files(&ChangeWindow::turn(None)), Targets::none());
    let since = repo.shell("echo BAD > b.txt");
    assert_eq!(repo.reported_by(ChangeWindow::turn(Some(since))), ["b.txt:1"]);
}
