//! What an agent with a shell tries against the guard: a violation or a weaker contract that nobody notices.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, warning};

const EVAL: &str = ".claude/contracts/no-eval.yaml";
const COMMIT: &str = "git add --all && git commit -q -m work";

fn contract() -> String {
    forbid("no-eval", r"eval\(", "**/*.py")
}

fn files(policies: &str) -> Sandbox {
    Sandbox::new()
        .file(EVAL, contract())
        .file(".claude/contracts/no-drop.yaml", forbid("no-drop", r"drop\(", "**/*.py"))
        .file(".claude/phaser.yaml", policies)
        .file("docs/notes.txt", "notes\n")
        .file("src/a.py", "x = 1\n")
        .file("src/old.py", "old = eval(x)\nx = 1\ny = 2\nz = 3\n")
}

const STRICT: &str = "existing: report\nignores: deny\nprotect: deny\n";

/// A project in a repository, with commits of last year: `main`, `bad` with a violation, and `weak` without a contract.
fn sandbox() -> Sandbox {
    let sandbox = files(STRICT);
    let dates = "export GIT_AUTHOR_DATE=2025-01-01T00:00:00Z GIT_COMMITTER_DATE=2025-01-01T00:00:00Z";
    shell(
        &sandbox,
        &format!(
            "{dates}; git init -q -b main && {COMMIT} && git switch -q -c bad && echo 'bad = eval(x)' > src/bad.py && \
             {COMMIT} && git switch -q -c weak main && git rm -q {EVAL} && git commit -q -m weak && git switch -q main"
        ),
    );
    sandbox
}

/// A project whose `.claude` git ignores.
fn sandbox_with_ignored_settings() -> Sandbox {
    let sandbox = files(STRICT);
    shell(&sandbox, &format!("git init -q -b main && echo .claude > .git/info/exclude && {COMMIT}"));
    sandbox
}

#[track_caller]
fn shell(sandbox: &Sandbox, script: &str) {
    let output = sandbox.shell(script).output().expect("runs");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
}

/// So long that no event after it takes what was there before for the work of a command, in whole seconds too.
fn wait_a_while() {
    std::thread::sleep(Duration::from_millis(4_100));
}

fn event(sandbox: &Sandbox, name: &str, fields: Value) -> Output {
    let output = sandbox.hook(name).with(json!({ "transcript_path": null })).with(fields).guard().run();
    assert_eq!(output.code, Some(0), "{output}");
    output
}

/// Runs a command as the agent does, and returns the response to the event after it.
fn bash(sandbox: &Sandbox, script: &str) -> Output {
    let began = Instant::now();
    shell(sandbox, script);
    let duration = u64::try_from(began.elapsed().as_millis()).expect("short") + 1_500;
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": script }, "duration_ms": duration,
        "tool_response": { "stdout": "", "stderr": "", "interrupted": false } });
    event(sandbox, "PostToolUse", fields)
}

/// Runs a command without an event, as in the background, and returns the response at the end of the turn.
fn turn(sandbox: &Sandbox, script: &str) -> Output {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let date = sandbox
        .tool("date")
        .args(["-u", &format!("-d@{}", now.as_secs() - 1), "+%Y-%m-%dT%H:%M:%SZ"])
        .output();
    let timestamp = String::from_utf8(date.expect("runs").stdout).expect("is text");
    let prompt = json!({ "type": "user", "timestamp": timestamp.trim(), "isSidechain": false,
        "message": { "role": "user", "content": "do it" } });
    let transcript = sandbox.home().join("session.jsonl");
    std::fs::write(&transcript, format!("{prompt}\n")).expect("written");
    shell(sandbox, script);
    event(sandbox, "Stop", json!({ "transcript_path": transcript, "stop_hook_active": false }))
}

fn write(sandbox: &Sandbox, path: &str, content: &str) -> Output {
    sandbox.hook("PreToolUse").write(path, content).guard().run()
}

/// The ways to run a script, one project each.
fn each<const N: usize>(scripts: [&str; N], sandbox: fn() -> Sandbox, check: impl Fn(&str, Output)) {
    let sandboxes = scripts.map(|script| (script, sandbox(), sandbox()));
    wait_a_while();
    for (script, one, other) in sandboxes {
        check(script, bash(&one, script));
        check(script, turn(&other, script));
    }
}

fn told(output: &Output) -> String {
    [output.context(), output.reason(), output.message()].join("\n")
}

#[test]
fn repository_made_inside_keeps_outer_contracts() {
    let nested = forbid("z", "zzz", "**/*.py");
    let scripts = [
        "mkdir -p src/.claude/contracts; git init -q src",
        "printf 'gitdir: nowhere\\n' > src/.git",
        "mkdir -p .git/modules && git init -q --separate-git-dir .git/modules/src src",
        "git init -q src && echo a.py > src/.git/info/exclude",
    ];
    for script in scripts {
        let sandbox = sandbox().file("src/.claude/contracts/z.yaml", &nested);
        shell(&sandbox, script);
        assert_eq!(write(&sandbox, "src/a.py", "eval(x)\n").decision(), "deny", "{script}");
        let sandbox = sandbox.file("src/a.py", "eval(x)\n");
        let mut all = sandbox.command();
        all.current_dir(sandbox.path("src")).args(["enforce", "--all", "--format", "json"]);
        let found = sandbox.run_with(&mut all, b"").violations();
        assert!(found.contains(&"src/a.py:1:1 no-eval".to_owned()), "{script}: {found:?}");
    }
}

#[test]
fn command_in_made_repository_is_reported() {
    let scripts = [
        "git init -q src && echo 'eval(y)' >> src/a.py",
        "git init -q src && cd src && echo 'eval(y)' >> a.py && git add . && \
         GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -q -m x",
        "printf 'gitdir: nowhere\\n' > src/.git && echo 'eval(y)' >> src/a.py",
    ];
    each(scripts, sandbox, |script, output| {
        assert_eq!(output.reported(), ["no-eval at src/a.py:2"], "{script}: {output}");
    });
}

#[test]
fn submodule_and_worktree_are_projects_of_their_own() {
    let sandbox = sandbox();
    shell(
        &sandbox,
        "git -c protocol.file.allow=always submodule --quiet add \"$PWD\" inner && git worktree add -q linked",
    );
    for inner in ["inner", "linked"] {
        shell(&sandbox, &format!("rm {inner}/{EVAL}"));
        assert_eq!(write(&sandbox, &format!("{inner}/src/a.py"), "eval(x)\n").decision(), "allow", "{inner}");
        assert_eq!(write(&sandbox, &format!("{inner}/src/a.py"), "drop(x)\n").decision(), "deny", "{inner}");
    }
}

#[test]
fn outermost_contracts_apply_without_git() {
    let sandbox = files(STRICT).file("src/.claude/contracts/z.yaml", forbid("z", "zzz", "**/*.py"));
    write(&sandbox, "src/a.py", "eval(x)\n").assert_denied(&["no-eval at src/a.py:1"]);
    let mut all = sandbox.command();
    all.current_dir(sandbox.path("src")).args(["enforce", "--all", "--format", "json"]);
    assert_eq!(sandbox.run_with(&mut all, b"").violations(), ["src/old.py:1:7 no-eval"]);
}

#[test]
fn new_violation_under_old_directive_meets_policy() {
    let sandbox = sandbox()
        .file("src/file.py", "# phaser:ignore-file no-eval\nx = 1\n")
        .file("src/line.py", "eval(x)  # phaser:ignore no-eval\n")
        .file("src/next.py", "# phaser:ignore-next-line no-eval\nx = 1\n");
    for (path, old, new, line) in [
        ("src/file.py", "x = 1", "eval(x)", 1),
        ("src/line.py", "eval(x)", "eval(y)", 1),
        ("src/next.py", "x = 1", "eval(x)", 1),
    ] {
        let output = sandbox.hook("PreToolUse").edit(path, old, new).guard().run();
        assert_eq!(output.decision(), "deny", "{path}: {output}");
        assert!(output.reason().contains(&format!("no-eval at {path}:{line}")), "{path}: {output}");
    }
    let moved = write(&sandbox, "src/line.py", "\nx = 1\n  eval(x) # phaser:ignore no-eval -- why\n");
    assert_eq!(moved.decision(), "allow", "{moved}");
}

#[test]
fn suppression_by_command_is_reported() {
    let scripts = [
        "echo 'eval(y)  # phaser:ignore no-eval' >> src/a.py",
        "echo 'eval(y)  # phaser:ignore no-eval' >> src/a.py && git commit -qam x",
    ];
    each(scripts, sandbox, |script, output| {
        assert!(told(&output).contains("no-eval at src/a.py:2"), "{script}: {output}");
    });
}

#[test]
fn edit_by_another_name_meets_policy() {
    let weaker = warning(&contract());
    let sandbox = sandbox().file(".claude/settings.json", r#"{"hooks": {}}"#);
    symlink("../.claude/contracts/no-eval.yaml", sandbox.path("src/link.txt")).expect("linked");
    symlink("../.claude/phaser.yaml", sandbox.path("src/config.txt")).expect("linked");
    symlink("../.claude/settings.local.json", sandbox.path("src/settings.txt")).expect("linked");
    std::fs::hard_link(sandbox.path(EVAL), sandbox.path("src/hard.txt")).expect("linked");
    std::fs::hard_link(sandbox.path(".claude/phaser.yaml"), sandbox.path("src/other.txt")).expect("linked");
    for (path, text) in [
        ("src/link.txt", weaker.as_str()),
        ("src/hard.txt", &weaker),
        ("src/config.txt", "protect: allow\n"),
        ("src/other.txt", "protect: allow\n"),
        ("src/settings.txt", r#"{"disableAllHooks": true}"#),
    ] {
        let output = write(&sandbox, path, text);
        assert_eq!(output.decision(), "deny", "{path}: {output}");
    }
    assert_eq!(write(&sandbox, "src/link.txt", &format!("# why\n{}", contract())).decision(), "allow");
}

#[test]
fn committed_removal_is_reported() {
    let scripts = [
        "git rm -q .claude/contracts/no-eval.yaml && git commit -q -m x",
        "git mv .claude/contracts/no-eval.yaml docs/ && git commit -q -m x",
        "git rm -rq .claude && git commit -q -m x",
        "rm -r .claude && git commit -qam x",
        "git checkout -q --orphan o && git commit -q -m x && sed -i s/error/warning/ .claude/contracts/no-eval.yaml",
        "git merge -q weak",
        "git reset -q --hard weak",
        "git -c core.logAllRefUpdates=false reset -q --hard weak",
        "sed -i s/error/warning/ .claude/contracts/no-eval.yaml && git commit -qam x",
        "sed -i s/error/warning/ .claude/contracts/no-eval.yaml && GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -qam x",
    ];
    each(scripts, sandbox, |script, output| {
        let told = told(&output);
        assert!(told.contains("weakened") && told.contains("no-eval"), "{script}: {output}");
    });
}

#[test]
fn contracts_behind_new_link_are_judged() {
    let scripts = [
        "sed s/error/warning/ .claude/contracts/no-eval.yaml > weak.txt && \
         ln -sf ../../weak.txt .claude/contracts/no-eval.yaml",
        "cp -r .claude ../weak && rm ../weak/contracts/no-eval.yaml && rm -r .claude && ln -s ../weak .claude",
        "cp -r .claude ../weak && rm ../weak/contracts/no-eval.yaml && mv .claude ../gone && mv ../weak .claude",
        "echo 'protect: allow' > ../weak.yaml && ln -sf ../../weak.yaml .claude/phaser.yaml",
        "echo '{\"contract\":\"no-eval\",\"path\":\"src/a.py\",\"digest\":\"0123456789abcdef\",\"count\":1}' > docs/b.txt && \
         ln -sf ../docs/b.txt .claude/phaser-baseline.jsonl",
    ];
    each(scripts, sandbox, |script, output| {
        assert!(told(&output).contains("weakened"), "{script}: {output}");
    });
}

#[test]
fn change_of_ignored_settings_is_reported() {
    let scripts = [
        "sed -i s/error/warning/ .claude/contracts/no-eval.yaml",
        "rm .claude/contracts/no-eval.yaml",
        "rm -r .claude/contracts",
        "echo 'protect: allow' > .claude/phaser.yaml",
        "cp -r .claude ../weak && rm ../weak/contracts/no-eval.yaml && rm -r .claude && ln -s ../weak .claude",
    ];
    each(scripts, sandbox_with_ignored_settings, |script, output| {
        assert!(told(&output).contains(".claude/"), "{script}: {output}");
    });
    let sandbox = sandbox_with_ignored_settings();
    let gone = json!({ "file_path": sandbox.path(".claude/settings.json"), "source": "project_settings" });
    assert_eq!(event(&sandbox, "ConfigChange", gone.clone()).json()["decision"], "block", "no hook is left");
    shell(&sandbox, "mv .claude old");
    assert!(event(&sandbox, "ConfigChange", gone).message().contains("no contracts"));
}

#[test]
fn lost_target_of_linked_configuration_is_reported() {
    let sandbox = sandbox_with_ignored_settings();
    shell(&sandbox, "mv .claude/phaser.yaml docs/target.txt && ln -s ../docs/target.txt .claude/phaser.yaml");
    wait_a_while();
    let output = bash(&sandbox, "rm docs/target.txt");
    assert!(told(&output).contains(".claude/phaser.yaml was changed"), "{output}");
}

#[test]
fn nested_contracts_are_watched() {
    let sandbox = || {
        let sandbox = files(STRICT).file("src/.claude/contracts/z.yaml", forbid("z", "zzz", "**/*.py"));
        shell(&sandbox, &format!("git init -q -b main && {COMMIT}"));
        sandbox
    };
    let [one, other] = [sandbox(), sandbox()];
    wait_a_while();
    for (sandbox, script) in
        [(one, "rm -r src/.claude"), (other, "git rm -rq src/.claude && git commit -q -m x")]
    {
        let output = bash(&sandbox, script);
        assert!(told(&output).contains("contract z "), "{script}: {output}");
    }
}

#[test]
fn turn_is_compared_with_its_start() {
    let scripts = [
        "echo 'eval(y)' >> src/a.py && git commit -qam x",
        "echo 'eval(y)' >> src/a.py && GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -qam x",
        "echo 'eval(y)' >> src/a.py && git commit -qam x && git update-ref refs/remotes/origin/main HEAD",
        "echo 'eval(y)' >> src/a.py && git commit -qam x && git checkout -q HEAD~1 -- src/a.py",
    ];
    each(scripts, sandbox, |script, output| {
        assert_eq!(output.reported(), ["no-eval at src/a.py:2"], "{script}: {output}");
    });
}

#[test]
fn excluded_file_is_checked_once_committed() {
    let sandboxes = || {
        let sandbox = sandbox();
        shell(&sandbox, "echo hidden.py >> .git/info/exclude && echo 'eval(y)' > src/hidden.py");
        sandbox
    };
    let scripts = [
        "sed -i /hidden/d .git/info/exclude && git add --all && git commit -q -m x",
        "git add -f src/hidden.py && git commit -q -m x",
    ];
    each(scripts, sandboxes, |script, output| {
        assert_eq!(output.reported(), ["no-eval at src/hidden.py:1"], "{script}: {output}");
    });
}

#[test]
fn work_of_others_stays_silent() {
    let scripts = [
        "git checkout -q bad",
        "git switch -q weak",
        "git switch -q weak && echo 'y = 2' > src/new.py && git add --all && git commit -q -m x",
        "git switch -q bad && git switch -q -",
        "git merge -q bad",
        "git switch -q bad && git commit -q --allow-empty -m x",
        "git switch -q bad && git rebase -q main",
        "echo 'y = 2' > src/new.py && git stash -q -u && git stash pop -q",
        "git clone -q . ../colleague && cd ../colleague && git switch -q -c theirs && echo 'eval(z)' > src/z.py && \
         git add . && git commit -q -m theirs && cd - >/dev/null && git remote add origin ../colleague && git fetch -q && \
         git merge -q origin/theirs",
        "git worktree add -q ../linked bad && git worktree add -q linked weak",
        "touch src/old.py .claude/contracts/*",
        "git mv src/old.py src/older.py && git stash -q && git stash pop -q",
        "git commit -q --allow-empty -m x && git commit -q --amend --allow-empty -m y",
        "echo '# note' >> .claude/contracts/no-eval.yaml && git commit -qam x",
        "git mv src/old.py src/older.py && git commit -q -m x",
        "git init -q ../other && cd ../other && echo 'eval(z)' > z.py && git add . && git commit -q -m z && cd - >/dev/null && \
         git fetch -q ../other HEAD && git checkout -q FETCH_HEAD",
    ];
    each(scripts, sandbox, |script, output| {
        assert_eq!(output.json(), json!({}), "{script}: {output}");
    });
}

#[test]
fn new_contract_hides_no_ignored_removal() {
    let scripts = [
        "mkdir -p src/.claude/contracts && echo 'a: b' > src/.claude/contracts/z.yaml && git add -f src/.claude && \
         git commit -q -m x && rm .claude/contracts/no-drop.yaml",
        "rm .claude/contracts/no-drop.yaml && mkdir -p src/.claude/contracts && echo 'a: b' > src/.claude/contracts/z.yaml && \
         git init -q src && git -C src add -f . && git -C src commit -q -m x && git rm -rq --cached src && git add --all && \
         git commit -q -m x",
    ];
    each(scripts, sandbox_with_ignored_settings, |script, output| {
        let told = told(&output);
        assert!(told.contains(".claude/contracts may have lost a contract"), "{script}: {output}");
    });
}

#[test]
fn switch_hides_no_later_weakening() {
    let scripts = [
        "git switch -q bad && git rm -q .claude/contracts/no-drop.yaml && git commit -q -m x",
        "git switch -q weak && git rm -q .claude/contracts/no-drop.yaml && git commit -q -m x",
        "git switch -q weak && git commit -q --allow-empty -m x && rm .claude/contracts/no-drop.yaml",
        "git switch -q -c new && git rm -q .claude/contracts/no-drop.yaml && git commit -q -m x",
    ];
    each(scripts, sandbox, |script, output| {
        assert!(told(&output).contains("contract no-drop"), "{script}: {output}");
    });
}

#[test]
fn changed_then_moved_file_keeps_violations() {
    let sandbox = sandbox();
    shell(&sandbox, "sed -i 's/x = 1/x = 4/' src/old.py");
    wait_a_while();
    assert_eq!(turn(&sandbox, "mv src/old.py src/older.py").json(), json!({}));
    let output = turn(&sandbox, "echo 'eval(y)' >> src/older.py");
    assert_eq!(output.reported(), ["no-eval at src/older.py:5"], "{output}");
}

#[test]
fn turn_end_blocks_weakening_in_background() {
    let sandbox = sandbox();
    wait_a_while();
    let output = turn(&sandbox, &format!("sed -i s/error/warning/ {EVAL}"));
    assert_eq!(output.json()["decision"], "block", "{output}");
    assert!(output.reason().contains("contract no-eval"), "{output}");
    // What the user may have agreed to is reported to the user.
    let sandbox = files("protect: ask\n");
    shell(&sandbox, &format!("git init -q && {COMMIT}"));
    wait_a_while();
    let output = turn(&sandbox, &format!("sed -i s/error/warning/ {EVAL}"));
    assert_eq!(output.json().get("decision"), None, "{output}");
    assert!(output.message().contains("contract no-eval"), "{output}");
}

#[test]
fn messages_name_the_configuration() {
    let sandbox = Sandbox::new()
        .contract(&contract())
        .file("phaser.yaml", format!("{STRICT}contracts: .claude/contracts\n"))
        .file("src/a.py", "x = 1\n");
    let output = write(&sandbox, "src/a.py", "eval(x)  # phaser:ignore no-eval\n");
    assert!(output.reason().contains("in phaser.yaml)"), "{output}");
}
