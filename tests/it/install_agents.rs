//! `install --agent`, `uninstall --agent` and `doctor` for other agents than Claude Code.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid};

const ALL: [(&str, &str); 10] = [
    ("codex", ".codex/hooks.json"),
    ("copilot", ".github/hooks/phaser.json"),
    ("cursor", ".cursor/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("droid", ".factory/hooks.json"),
    ("opencode", ".opencode/plugin/phaser.js"),
    ("cline", ".cline/hooks/PostToolUse"),
    ("windsurf", ".windsurf/hooks.json"),
    ("devin", ".devin/hooks.v1.json"),
];

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
}

/// Runs phaser with phaser on the PATH.
fn run(sandbox: &Sandbox, args: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", sandbox.install().display());
    sandbox.run_with(sandbox.command().args(args).env("PATH", path), b"")
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).unwrap_or_default()
}

#[test]
fn each_agent_gets_and_loses_its_file() {
    for (agent, path) in ALL {
        let sandbox = sandbox();
        let dry = run(&sandbox, &["enforce", "install", "--agent", agent, "--dry-run"]);
        assert_eq!(dry.code, Some(0), "{dry}");
        assert!(!sandbox.path(path).exists(), "{agent}");
        let installed = run(&sandbox, &["enforce", "install", "--agent", agent]);
        assert_eq!(installed.code, Some(0), "{installed}");
        assert!(installed.stdout.contains(path), "{installed}");
        assert!(text(&sandbox, path).contains("phaser"), "{agent}");
        let again = run(&sandbox, &["enforce", "install", "--agent", agent]);
        assert!(again.stdout.contains("nothing changed"), "{again}");
        let gone = run(&sandbox, &["enforce", "uninstall", "--agent", agent]);
        assert_eq!(gone.code, Some(0), "{gone}");
        assert!(!sandbox.path(path).exists(), "{agent}: {gone}");
        let again = run(&sandbox, &["enforce", "uninstall", "--agent", agent]);
        assert!(again.stdout.contains("nothing changed"), "{again}");
    }
}

#[test]
fn installs_several_or_all_in_use() {
    let sandbox = sandbox().file(".qwen/note", "").file("GEMINI.md", "");
    let output = run(&sandbox, &["enforce", "install", "--agent", "auto"]);
    assert_eq!(output.code, Some(0), "{output}");
    let there: Vec<&str> =
        ALL.iter().filter(|(_, path)| sandbox.path(path).exists()).map(|(agent, _)| *agent).collect();
    assert_eq!(there, ["gemini", "qwen"], "{output}");
    let output = run(&sandbox, &["enforce", "install", "--agent", "claude,codex", "--agent", "droid"]);
    assert_eq!(output.code, Some(0), "{output}");
    for path in [".claude/settings.json", ".codex/hooks.json", ".factory/hooks.json"] {
        assert!(sandbox.path(path).exists(), "{path}");
    }
    let output = run(&sandbox, &["enforce", "uninstall", "--agent", "auto"]);
    assert_eq!(output.code, Some(0), "{output}");
    for (agent, path) in ALL {
        assert!(!sandbox.path(path).exists(), "{agent}: {output}");
    }
    let nothing = run(&Sandbox::new(), &["enforce", "install", "--agent", "auto"]);
    assert_eq!(nothing.code, Some(3), "{nothing}");
}

#[test]
fn claude_beside_another_agent_gets_the_guard() {
    let has_guard = |args: &[&str]| {
        let sandbox = sandbox().file(".codex/note", "");
        let output = run(&sandbox, &[&["enforce", "install"][..], args].concat());
        assert_eq!(output.code, Some(0), "{output}");
        (
            text(&sandbox, ".claude/settings.json").contains("--guard"),
            sandbox.path(".codex/hooks.json").exists(),
        )
    };
    assert_eq!(has_guard(&["--agent", "claude,codex"]), (true, true));
    assert_eq!(has_guard(&["--agent", "auto"]), (true, true), "the project has .claude");
    assert_eq!(has_guard(&["--agent", "claude", "--guard"]), (true, false));
    assert_eq!(has_guard(&["--agent", "claude"]), (false, false));
    let output = run(&sandbox(), &["enforce", "install", "--agent", "claude,codex", "--tools", "all"]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn existing_entries_stay() {
    let theirs = "{\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"BeforeTool\": [\n      { \"matcher\": \"x\", \"hooks\": [{ \"type\": \"command\", \"command\": \"./own\" }] }\n    ]\n  }\n}\n";
    let sandbox =
        sandbox().file(".gemini/settings.json", theirs).file(".cline/hooks/PostToolUse", "#!/bin/sh\n");
    assert_eq!(run(&sandbox, &["enforce", "install", "--agent", "gemini"]).code, Some(0));
    let value: Value = serde_json::from_str(&text(&sandbox, ".gemini/settings.json")).expect("JSON");
    assert_eq!(value["theme"], "dark");
    assert_eq!(value["hooks"]["BeforeTool"].as_array().map(Vec::len), Some(2));
    assert_eq!(run(&sandbox, &["enforce", "uninstall", "--agent", "gemini"]).code, Some(0));
    assert_eq!(text(&sandbox, ".gemini/settings.json"), theirs);
    // A program of another origin is not replaced without `--force`.
    let output = run(&sandbox, &["enforce", "install", "--agent", "cline"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert_eq!(text(&sandbox, ".cline/hooks/PostToolUse"), "#!/bin/sh\n");
    assert_eq!(run(&sandbox, &["enforce", "install", "--agent", "cline", "--force"]).code, Some(0));
    let mode = fs::metadata(sandbox.path(".cline/hooks/PostToolUse")).expect("there").permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "it is a program");
}

#[test]
fn impossible_combinations_are_refused() {
    let sandbox = sandbox().file(".codex/hooks.json", "{ // mine\n}");
    for args in [
        ["--agent", "codex", "--scope", "local"],
        ["--agent", "codex", "--on-clean", "defer"],
        ["--agent", "codex", "--severity", "error"],
        ["--agent", "teapot", "--scope", "project"],
        ["--agent", "codex", "--scope", "project"],
    ] {
        let output = run(&sandbox, &[&["enforce", "install"], &args[..]].concat());
        assert_eq!(output.code, Some(3), "{output}");
    }
    assert_eq!(text(&sandbox, ".codex/hooks.json"), "{ // mine\n}");
}

#[test]
fn user_scope_writes_to_home() {
    let sandbox = sandbox();
    let output = run(&sandbox, &["enforce", "install", "--agent", "codex,opencode", "--scope", "user"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(sandbox.home().join(".codex/hooks.json").exists());
    assert!(sandbox.home().join(".config/opencode/plugin/phaser.js").exists());
}

/// The command that a client would run before an edit.
fn command(sandbox: &Sandbox, agent: &str, path: &str) -> String {
    let text = text(sandbox, path);
    match agent {
        "cline" => text,
        "opencode" => "phaser enforce --stdin --guard --agent opencode".to_owned(),
        _ => {
            let settings: Value = serde_json::from_str(&text).expect("is JSON");
            let command = ["/hooks/pre_write_code/0/command", "/PreToolUse/0/hooks/0/command"]
                .into_iter()
                .find_map(|place| settings.pointer(place));
            if let Some(command) = command {
                return command.as_str().expect("a command").to_owned();
            }
            let start = text.find("hash phaser").expect("a command");
            let end = start + text[start..].find('"').expect("an end");
            text[start..end].to_owned()
        }
    }
}

#[test]
fn command_responds_without_phaser_and_to_anything() {
    let sandbox = sandbox();
    let own = sandbox.install().display().to_string();
    for (agent, path) in ALL {
        assert_eq!(run(&sandbox, &["enforce", "install", "--agent", agent]).code, Some(0));
        let command = command(&sandbox, agent, path);
        let variable = if agent == "copilot" { "COPILOT_CLI" } else { "UNUSED" };
        for (directory, stdin) in [("/nowhere", "{}"), (own.as_str(), "{"), (own.as_str(), "")] {
            if agent == "opencode" && directory == "/nowhere" {
                continue;
            }
            let mut shell = sandbox.tool("/bin/sh");
            shell.args(["-c", &command]).env("PATH", format!("{directory}:/usr/bin:/bin")).env(variable, "1");
            let output = sandbox.run_with(&mut shell, stdin.as_bytes());
            if agent == "windsurf" {
                // It reads no answer.
                assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{stdin:?}: {output}");
                continue;
            }
            assert_eq!((output.code, output.json()), (Some(0), json!({})), "{agent} {stdin:?}: {output}");
        }
    }
}

#[test]
fn windsurf_denies_by_exit_code() {
    let sandbox = sandbox();
    assert_eq!(run(&sandbox, &["enforce", "install", "--agent", "windsurf"]).code, Some(0));
    let command = command(&sandbox, "windsurf", ".windsurf/hooks.json");
    let own = sandbox.install().display().to_string();
    let edited = |new: &str| {
        let edits = json!([{ "old_string": "", "new_string": new }]);
        let event = json!({ "agent_action_name": "pre_write_code",
            "tool_info": { "file_path": sandbox.path("a.py"), "edits": edits } });
        let mut shell = sandbox.tool("/bin/sh");
        shell.args(["-c", &command]).env("PATH", format!("{own}:/usr/bin:/bin"));
        sandbox.run_with(&mut shell, event.to_string().as_bytes())
    };
    let refused = edited("print(1)\n");
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("a.py:1: print(1)"), "{refused}");
    let clean = edited("x = 1\n");
    assert_eq!((clean.code, clean.stderr.as_str()), (Some(0), ""), "{clean}");
}

#[test]
fn doctor_tries_hooks_of_every_agent() {
    let sandbox = sandbox();
    for (agent, _) in ALL {
        assert_eq!(run(&sandbox, &["enforce", "install", "--agent", agent]).code, Some(0));
    }
    let output = run(&sandbox, &["doctor"]);
    assert_eq!(output.code, Some(0), "{output}");
    for (_, path) in ALL {
        assert!(output.stdout.contains(&format!("{path} has phaser's hooks")), "{path}: {output}");
    }
    let all = "edits in Codex, GitHub Copilot, Cursor, Gemini CLI, Qwen Code, droid, opencode, Cline, Windsurf and Devin are guarded";
    assert!(output.stdout.contains(all), "{output}");
    let text = text(&sandbox, ".codex/hooks.json").replace("Stop", "SessionEnd");
    fs::write(sandbox.path(".codex/hooks.json"), text).expect("written");
    let output = run(&sandbox, &["doctor"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains(".codex/hooks.json differs from what this version installs"), "{output}");
    assert!(output.stdout.contains("phaser enforce install --agent codex --force"), "{output}");
}

#[test]
fn doctor_tries_a_command_in_agents() {
    // Without the forbidden command of the test, this phaser responds as any other.
    let script = format!(
        "#!/bin/sh\nevent=$(cat)\ncase $event in\n*'phaser-doctor --test'*) echo '{{}}' ;;\n*) printf %s \"$event\" | exec {} \"$@\" ;;\nesac\n",
        env!("CARGO_BIN_EXE_phaser")
    );
    let sandbox = sandbox();
    for (agent, _) in ALL {
        assert_eq!(run(&sandbox, &["enforce", "install", "--agent", agent]).code, Some(0));
    }
    let bin = sandbox.home().join("deaf");
    fs::create_dir_all(&bin).expect("created");
    fs::write(bin.join("phaser"), script).expect("written");
    fs::set_permissions(bin.join("phaser"), fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut command = sandbox.command();
    let output =
        sandbox.run_with(command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).arg("doctor"), b"");
    assert_eq!(output.code, Some(1), "{output}");
    let found = output.stdout.matches("was not denied: the response was {}").count();
    assert_eq!(found, ALL.len() - 1, "all but Cline, which is never denied: {output}");
    assert!(output.stdout.contains("a test command from Codex was not denied"), "{output}");
}
