//! Contracts about commit messages.

use std::fs;

use crate::harness::Sandbox;

const TICKET: &str = "rule_id: ticket\ntype: require_in_message\npattern: '\\b[A-Z]+-\\d+\\b'\n\
    message: 'Name the ticket, such as PAY-12.'\nseverity: error\n\
    examples:\n  violating: ['Fix it', '# PAY-1']\n  passing: ['PAY-1: fix it']\n";

const NO_FIXUP: &str = "rule_id: no-fixup\ntype: forbid_in_message\npattern: '^(?:fixup|squash)!'\n\
    message: 'Squash it first.'\nseverity: error\n";

fn check(sandbox: &Sandbox, message: &str) -> Vec<String> {
    fs::write(sandbox.path("MSG"), message).expect("written");
    sandbox.run(["enforce", "--commit-msg", "MSG", "--format", "json"]).violations()
}

fn sandbox() -> Sandbox {
    Sandbox::new().contract(TICKET).contract(NO_FIXUP).file("a.txt", "x\n").git_init()
}

#[test]
fn judges_message_as_git_stores_it() {
    let sandbox = sandbox();
    assert_eq!(check(&sandbox, "PAY-1: fix\n"), [""; 0]);
    assert_eq!(check(&sandbox, "Fix\n\n# On branch PAY-9-foo\n"), ["MSG ticket"]);
    assert_eq!(
        check(&sandbox, "Fix\n# ------------------------ >8 ------------------------\nPAY-1\n"),
        ["MSG ticket"]
    );
    assert_eq!(check(&sandbox, ""), ["MSG ticket"]);
    assert_eq!(check(&sandbox, "fixup! PAY-1\n"), ["MSG:1:1 no-fixup"]);
    sandbox.git(&["config", "core.commentChar", ";"]);
    assert_eq!(check(&sandbox, "#PAY-1\n; nothing\n"), [""; 0]);
    assert_eq!(check(&sandbox, "Fix\n; PAY-1\n"), ["MSG ticket"]);
}

#[test]
fn good_message_prints_nothing() {
    let sandbox = sandbox().file("MSG", "PAY-1: fix\n");
    let output = sandbox.run(["enforce", "--commit-msg", "MSG"]);
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""), "{output}");
}

#[test]
fn works_without_git_and_outside_project() {
    let sandbox = Sandbox::new().contract(TICKET);
    fs::write(sandbox.home().join("MSG"), "Fix\n# PAY-1\n").expect("written");
    let file = sandbox.home().join("MSG");
    let output = sandbox.run(["enforce", "--commit-msg", file.to_str().expect("text")]);
    assert_eq!(output.code, Some(1), "{output}");
    let output = sandbox.run(["enforce", "--commit-msg", "none"]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn glob_limits_contract_to_commits_that_touch_files() {
    let limited = TICKET.replace("message:", "file_glob: 'src/**'\nmessage:");
    let sandbox = Sandbox::new().contract(&limited).file("a.txt", "x").git_init().git_add("a.txt");
    assert_eq!(check(&sandbox, "Fix\n"), [""; 0]);
    let sandbox = sandbox.file("src/b.txt", "x").git_add("src");
    assert_eq!(check(&sandbox, "Fix\n"), ["MSG ticket"]);
}

#[test]
fn diff_judges_each_commit_of_range() {
    let sandbox = sandbox().git_add(".").git_commit("start");
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    let sandbox = sandbox.file("b.txt", "x\n").git_add("b.txt").git_commit("fixup! PAY-1");
    let sandbox = sandbox.file("c.txt", "x\n").git_add("c.txt").git_commit("Fix");
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "a merge", "main"]);
    sandbox.git(&["checkout", "-q", "main"]);
    let sandbox = sandbox.file("d.txt", "x\n").git_add("d.txt").git_commit("another");
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "main"]);
    let output = sandbox.run(["enforce", "--diff", "main..topic", "--format", "json"]);
    assert_eq!(output.code, Some(1), "{output}");
    let [first, second] = ["topic~2", "topic~1"].map(|commit| {
        let id = sandbox.git(&["rev-parse", "--short=10", commit]);
        id.trim().to_owned()
    });
    let mut expected = vec![format!("commit {first}:1:1 no-fixup"), format!("commit {second} ticket")];
    expected.sort_unstable();
    let mut found = output.violations();
    found.sort_unstable();
    assert_eq!(found, expected);
    // Nothing about messages is judged elsewhere.
    for mode in ["--all", "--staged"] {
        assert_eq!(sandbox.run(["enforce", mode]).code, Some(0), "{mode}");
    }
    sandbox.hook("PreToolUse").guard().write("e.txt", "fixup!\n").run().assert_allowed();
}

#[test]
fn examples_and_backtest_judge_messages() {
    let sandbox = sandbox().git_add(".").git_commit("start").file("b.txt", "y").git_add("b.txt");
    let sandbox = sandbox.git_commit("PAY-1: go on");
    assert_eq!(sandbox.run(["contracts", "test", "ticket"]).code, Some(0));
    let lint = sandbox.run(["contracts", "lint"]);
    assert_eq!(lint.code, Some(0), "{lint}");
    let backtest = sandbox.run(["contracts", "backtest", "ticket", "--format", "json"]).json();
    assert_eq!(backtest["commits"]["refused"], 1, "{backtest}");
    let shown = sandbox.run(["contracts", "show", "ticket"]);
    assert!(!shown.stdout.contains("file_glob"), "{shown}");
    let explained = sandbox.run(["explain", "ticket"]);
    assert!(
        explained.stdout.contains("--commit-msg") && !explained.stdout.contains("baseline"),
        "{explained}"
    );
}

#[test]
fn git_hook_refuses_message() {
    let sandbox = sandbox();
    let installed = sandbox.run(["init", "--git-hook"]);
    assert!(installed.stdout.contains(".git/hooks/commit-msg"), "{installed}");
    let sandbox = sandbox.git_add(".");
    let path = format!("{}:{}", sandbox.install().display(), std::env::var("PATH").expect("is set"));
    let commit = |message: &str| {
        let mut git = sandbox.tool("git");
        git.args(["commit", "-q", "-m", message]).env("PATH", &path);
        sandbox.run_with(&mut git, b"")
    };
    let refused = commit("Fix");
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.to_string().contains("ticket"), "{refused}");
    assert_eq!(commit("PAY-2: fix").code, Some(0));
}
