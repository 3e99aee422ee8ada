//! Other agents than Claude Code: what phaser answers to their events, recorded or as their documentation has them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, violations_in, warning};

/// A client, and a dialect of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    Codex,
    Copilot,
    /// Copilot's events for hooks in Claude Code's settings.
    CopilotAsClaude,
    Cursor,
    VsCode,
    Gemini,
    Qwen,
    Droid,
    Opencode,
    Cline,
    Windsurf,
    Devin,
    Kiro,
}

use Client::*;

pub(crate) const ALL: [Client; 13] = [
    Codex,
    Copilot,
    CopilotAsClaude,
    Cursor,
    VsCode,
    Gemini,
    Qwen,
    Droid,
    Opencode,
    Cline,
    Windsurf,
    Devin,
    Kiro,
];

/// What a tool does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Deed<'a> {
    Write { path: &'a str, content: &'a str },
    Edit { path: &'a str, old: &'a str, new: &'a str },
    Patch(&'a str),
    Shell(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/agents")
}

impl Client {
    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Codex => "codex",
            Copilot | CopilotAsClaude => "copilot",
            Cursor => "cursor",
            VsCode => "vscode",
            Gemini => "gemini",
            Qwen => "qwen",
            Droid => "droid",
            Opencode => "opencode",
            Cline => "cline",
            Windsurf => "windsurf",
            Devin => "devin",
            Kiro => "kiro",
        }
    }

    /// A recorded event of this name, as this project's.
    fn recorded(self, sandbox: &Sandbox, name: &str) -> Option<Value> {
        let suffix = if self == CopilotAsClaude { "-claude" } else { "" };
        let file = recorded().join(self.name()).join(format!("{name}{suffix}.json"));
        let text = fs::read_to_string(file).ok()?;
        let root = sandbox.root().display().to_string();
        Some(serde_json::from_str(&text.replace("/home/dev/project", &root)).expect("is JSON"))
    }

    /// The variables that it sets.
    fn environment(self, sandbox: &Sandbox) -> Vec<(String, String)> {
        let known = match self {
            Cursor => Some(json!({ "CURSOR_VERSION": "3.0", "CURSOR_PROJECT_DIR": sandbox.root() })),
            _ => {
                let file = recorded().join(self.name()).join("environment.json");
                let root = sandbox.root().display().to_string();
                let text = fs::read_to_string(file).ok();
                text.map(|text| {
                    serde_json::from_str(&text.replace("/home/dev/project", &root)).expect("is JSON")
                })
            }
        };
        let known = known.unwrap_or_else(|| json!({}));
        let variables = known.as_object().expect("an object").iter();
        variables.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
    }

    /// An event in which a tool does this; `None` when the client has no such tool.
    pub(crate) fn event(self, sandbox: &Sandbox, when: When, deed: Deed<'_>) -> Option<Value> {
        match self {
            Cursor | VsCode | Windsurf | Devin | Kiro => documented(self, sandbox, when, deed),
            _ => self.replayed(sandbox, when, deed),
        }
    }

    /// The same, made of a recorded event.
    fn replayed(self, sandbox: &Sandbox, when: When, deed: Deed<'_>) -> Option<Value> {
        let moment = if when == When::Before { "pre" } else { "post" };
        let absolute = |path: &str| sandbox.path(path).display().to_string();
        let (kind, changes): (_, Vec<(String, String)>) = match deed {
            Deed::Write { path, content } => (
                "write",
                vec![(absolute("new.txt"), absolute(path)), ("first\nsecond\n".into(), content.into())],
            ),
            Deed::Edit { path, old, new } => (
                "edit",
                vec![
                    (absolute("a.txt"), absolute(path)),
                    ("two".into(), old.into()),
                    ("TWO".into(), new.into()),
                ],
            ),
            Deed::Patch(text) => ("patch", vec![("*** Begin Patch".into(), text.into())]),
            Deed::Shell(command) => ("shell", vec![("echo hi > b.txt; ls".into(), command.into())]),
        };
        let mut event = self.recorded(sandbox, &format!("{moment}-{kind}"))?;
        replace(&mut event, &changes);
        // What the file was is not what was recorded.
        if let Some(shown) = event.pointer_mut("/tool_response/returnDisplay").and_then(Value::as_object_mut)
        {
            shown.remove("originalContent");
            shown.remove("isNewFile");
        }
        Some(event)
    }

    /// Runs phaser on an event.
    pub(crate) fn run(self, sandbox: &Sandbox, stdin: impl AsRef<[u8]>, args: &[&str]) -> Output {
        let mut command = sandbox.command();
        command.args(["enforce", "--stdin"]).args(args).envs(self.environment(sandbox));
        let output = sandbox.run_with(&mut command, stdin.as_ref());
        assert_eq!(output.code, Some(0), "{self:?}: {output}");
        assert!(output.json().is_object(), "{self:?}: {output}");
        output
    }

    /// The answer to a deed, if the client has a tool for it.
    pub(crate) fn answer(self, sandbox: &Sandbox, when: When, deed: Deed<'_>) -> Option<Value> {
        let event = self.event(sandbox, when, deed)?;
        Some(self.run(sandbox, event.to_string(), &["--guard"]).json())
    }

    /// A denial in its own words.
    pub(crate) fn denial(self, reason: &str) -> Value {
        match self {
            Codex | VsCode | Qwen | Droid | Devin | CopilotAsClaude => json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason } }),
            Copilot => json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
            Cursor => json!({ "permission": "deny", "user_message": reason, "agent_message": reason }),
            Gemini => json!({ "decision": "deny", "reason": reason }),
            Opencode | Windsurf | Kiro => json!({ "deny": reason }),
            // To refuse would be to end the run.
            Cline => json!({}),
        }
    }

    /// The text it receives after a tool, in its own format.
    fn context(self, event: &str, text: &str) -> Value {
        match self {
            Codex | VsCode | Qwen | Droid | Devin => {
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            }
            Copilot | CopilotAsClaude => json!({ "additionalContext": text }),
            Cursor => json!({ "additional_context": text }),
            Gemini => {
                let event = if event == "PostToolUse" { "AfterTool" } else { event };
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            }
            Opencode | Cline | Windsurf | Kiro => json!({ "context": text }),
        }
    }
}

/// Replaces texts in all strings of a value; one that begins with a patch's first line is replaced whole.
fn replace(value: &mut Value, changes: &[(String, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in changes {
                let is_patch = from == "*** Begin Patch" && text.starts_with(from);
                if is_patch || text == from {
                    *text = to.clone();
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, changes)),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, changes)),
        _ => {}
    }
}

/// An event as the documentation of the client has it, or the code that it ships.
fn documented(client: Client, sandbox: &Sandbox, when: When, deed: Deed<'_>) -> Option<Value> {
    let before = when == When::Before;
    let claudes_event = if before { "PreToolUse" } else { "PostToolUse" };
    let path = |path: &str| sandbox.path(path);
    let root = sandbox.root();
    let (tool, input) = match (client, deed) {
        (Cursor, Deed::Write { path: at, content }) => {
            ("Write", json!({ "file_path": path(at), "content": content }))
        }
        // It works the file out itself.
        (Cursor, Deed::Edit { path: at, old, new }) => {
            let file = fs::read_to_string(path(at)).expect("is text").replacen(old, new, 1);
            ("Write", json!({ "file_path": path(at), "content": file }))
        }
        (Cursor, Deed::Shell(command)) => ("Shell", json!({ "command": command, "cwd": root })),
        (VsCode, Deed::Write { path: at, content }) => {
            ("create_file", json!({ "filePath": path(at), "content": content }))
        }
        (VsCode, Deed::Edit { path: at, old, new }) => {
            ("replace_string_in_file", json!({ "filePath": path(at), "oldString": old, "newString": new }))
        }
        (VsCode, Deed::Patch(text)) => ("apply_patch", json!({ "input": text, "explanation": "e" })),
        (VsCode, Deed::Shell(command)) => ("run_in_terminal", json!({ "command": command })),
        (Devin, Deed::Write { path: at, content }) => {
            ("write", json!({ "file_path": path(at), "content": content }))
        }
        (Devin, Deed::Edit { path: at, old, new }) => {
            ("edit", json!({ "file_path": path(at), "old_string": old, "new_string": new }))
        }
        (Devin, Deed::Shell(command)) => ("exec", json!({ "command": command })),
        (Kiro, Deed::Write { path: at, content }) => {
            ("fs_write", json!({ "command": "create", "path": path(at), "file_text": content }))
        }
        (Kiro, Deed::Edit { path: at, old, new }) => (
            "fs_write",
            json!({ "command": "str_replace", "path": path(at), "old_str": old, "new_str": new }),
        ),
        (Kiro, Deed::Shell(command)) => ("execute_bash", json!({ "command": command })),
        (Windsurf, _) => return windsurf(sandbox, when, deed),
        _ => return None,
    };
    Some(match client {
        Cursor => {
            json!({ "conversation_id": "c", "generation_id": "g", "cursor_version": "3.0", "workspace_roots": [root],
            "hook_event_name": if before { "preToolUse" } else { "postToolUse" }, "tool_name": tool, "tool_input": input })
        }
        VsCode => json!({ "timestamp": "2026-01-01T00:00:00.000Z", "cwd": root, "sessionId": "s",
            "hookEventName": claudes_event, "tool_name": tool, "tool_input": input, "tool_use_id": "t" }),
        Kiro => json!({ "hook_event_name": if before { "preToolUse" } else { "postToolUse" }, "cwd": root,
            "tool_name": tool, "tool_input": input }),
        _ => {
            json!({ "session_id": "s", "hook_event_name": claudes_event, "cwd": root, "tool_name": tool, "tool_input": input })
        }
    })
}

fn windsurf(sandbox: &Sandbox, when: When, deed: Deed<'_>) -> Option<Value> {
    let before = when == When::Before;
    let written = if before { "pre_write_code" } else { "post_write_code" };
    let edits = |path: &str, old: &str, new: &str| json!({ "file_path": sandbox.path(path), "edits": [{ "old_string": old, "new_string": new }] });
    let (name, info) = match deed {
        Deed::Write { path, content } => (written, edits(path, "", content)),
        Deed::Edit { path, old, new } => (written, edits(path, old, new)),
        Deed::Shell(command) => (
            if before { "pre_run_command" } else { "post_run_command" },
            json!({ "command_line": command, "cwd": sandbox.root() }),
        ),
        Deed::Patch(_) => return None,
    };
    Some(
        json!({ "agent_action_name": name, "trajectory_id": "t", "execution_id": "e", "timestamp": "2026", "tool_info": info }),
    )
}

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
}

const DENIED: &str = "no-print at src/a.py:2";

/// The first text in a response that reports violations.
fn text_of(answer: &Value) -> Option<&str> {
    match answer {
        Value::String(text) => (!violations_in(text).is_empty()).then_some(text),
        Value::Array(values) => values.iter().find_map(text_of),
        Value::Object(fields) => fields.values().find_map(text_of),
        _ => None,
    }
}

/// The text of a response that reports these violations and no others.
#[track_caller]
pub(crate) fn reporting<'a>(client: Client, answer: &'a Value, violations: &[&str]) -> &'a str {
    let text = text_of(answer).unwrap_or_else(|| panic!("{client:?}: {answer}"));
    assert_eq!(violations_in(text), violations, "{client:?}: {answer}");
    text
}

/// A response denies in the client's format, for these violations.
#[track_caller]
pub(crate) fn assert_denied(client: Client, answer: &Value, violations: &[&str]) {
    // Cline is never denied, so its response has no text.
    let text = if client == Cline { "" } else { reporting(client, answer, violations) };
    assert_eq!(*answer, client.denial(text), "{client:?}");
}

#[test]
fn denies_violating_write_in_every_agents_format() {
    let sandbox = sandbox();
    let content = "x = 1\nprint(x)  # TODO\n";
    let patch = "*** Begin Patch\n*** Add File: src/a.py\n+x = 1\n+print(x)  # TODO\n*** End Patch\n";
    for client in ALL {
        let write = client.answer(&sandbox, When::Before, Deed::Write { path: "src/a.py", content });
        let patched = client.answer(&sandbox, When::Before, Deed::Patch(patch));
        assert!(write.is_some() || patched.is_some(), "{client:?}");
        for answer in [write, patched].into_iter().flatten() {
            assert_denied(client, &answer, &[DENIED]);
        }
    }
}

#[test]
fn clean_edit_gets_empty_response() {
    let sandbox = sandbox().file("src/b.py", "x = 1\n");
    let patch = "*** Begin Patch\n*** Update File: src/b.py\n@@\n-x = 1\n+x = 2  # TODO\n*** End Patch\n";
    for client in ALL {
        let write = Deed::Write { path: "src/a.py", content: "x = 1  # TODO\n" };
        let edit = Deed::Edit { path: "src/b.py", old: "x = 1", new: "x = 2  # TODO" };
        for deed in [write, edit, Deed::Patch(patch), Deed::Shell("echo 'print(1)' > a.py")] {
            if let Some(answer) = client.answer(&sandbox, When::Before, deed) {
                assert_eq!(answer, json!({}), "{client:?} {deed:?}");
            }
        }
    }
}

#[test]
fn judges_edit_by_resulting_file() {
    let sandbox = sandbox().file("src/a.py", "x = 1\r\ny = 2\r\n");
    for client in ALL {
        let edit = Deed::Edit { path: "src/a.py", old: "y = 2", new: "print(x)" };
        if let Some(answer) = client.answer(&sandbox, When::Before, edit) {
            assert_denied(client, &answer, &[DENIED]);
        }
        // The text is not there: the client refuses it, or finds it in a way of its own.
        let edit = Deed::Edit { path: "src/a.py", old: "y  =  2", new: "print(x)" };
        if client != Cursor
            && let Some(answer) = client.answer(&sandbox, When::Before, edit)
        {
            assert_eq!(answer, json!({}), "{client:?}");
        }
    }
}

#[test]
fn denies_patch_for_one_violating_file() {
    let sandbox = sandbox().file("src/a.py", "x = 1\ny = 2\n").file("old.py", "x = 1\ny = 2\n");
    let both =
        |change: &str| format!("*** Begin Patch\n*** Add File: new.py\n+y = 1\n{change}*** End Patch\n");
    let update = both("*** Update File: src/a.py\n@@\n x = 1\n-y = 2\n+print(x)\n");
    let moved = both("*** Update File: old.py\n*** Move to: src/a.py\n@@\n x = 1\n-y = 2\n+print(x)\n");
    let mut seen = 0;
    for client in ALL {
        for patch in [&update, &moved] {
            let Some(answer) = client.answer(&sandbox, When::Before, Deed::Patch(patch)) else { continue };
            assert_denied(client, &answer, &[DENIED]);
            seen += 1;
        }
    }
    assert_eq!(seen, 14, "clients with a tool for patches");
}

#[test]
fn judges_patch_that_fails_late() {
    let sandbox = sandbox().file("src/b.py", "x = 1\n");
    let patch = "*** Begin Patch\n*** Add File: src/a.py\n+x = 1\n+print(x)\n*** Update File: src/b.py\n@@\n-y\n+z\n*** End Patch";
    let answer = Codex.answer(&sandbox, When::Before, Deed::Patch(patch)).expect("has patches");
    assert_denied(Codex, &answer, &[DENIED]);
}

#[test]
fn finds_patch_in_shell_command() {
    let sandbox = sandbox();
    let patch = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n+print(x)\n*** End Patch";
    for command in [
        format!("cd src && apply_patch <<'EOF'\n{patch}\nEOF\n"),
        format!("apply_patch <<EOF\n{}\nEOF", patch.replace(": a.py", ": src/a.py")),
        format!("cd {}/src && apply_patch '{patch}'", sandbox.root().display()),
    ] {
        for client in ALL {
            let answer = client.answer(&sandbox, When::Before, Deed::Shell(&command)).expect("has a shell");
            assert_denied(client, &answer, &[DENIED]);
        }
    }
}

#[test]
fn reports_warning_as_context() {
    let sandbox = sandbox().file("src/a.py", "x = 1  # TODO\n");
    let patch = "*** Begin Patch\n*** Add File: src/a.py\n+x = 1  # TODO\n*** End Patch\n";
    for client in ALL {
        let deeds = [
            Deed::Write { path: "src/a.py", content: "x = 1  # TODO\n" },
            Deed::Edit { path: "src/a.py", old: "x", new: "x" },
            Deed::Patch(patch),
        ];
        let answers = deeds.map(|deed| client.answer(&sandbox, When::After, deed));
        assert!(answers.iter().any(Option::is_some), "{client:?}");
        for answer in answers.into_iter().flatten() {
            let text = reporting(client, &answer, &["no-todo at src/a.py:1"]);
            assert_eq!(answer, client.context("PostToolUse", text), "{client:?}");
        }
    }
}

#[test]
fn reports_error_after_edit() {
    let sandbox = sandbox().file("src/a.py", "x = 1\nprint(x)\n");
    for client in [Cline, Gemini, Copilot] {
        let edit = Deed::Edit { path: "src/a.py", old: "two", new: "TWO" };
        let answer = client.answer(&sandbox, When::After, edit).expect("an answer");
        let text = reporting(client, &answer, &[DENIED]);
        assert_eq!(answer, client.context("PostToolUse", text), "{client:?}");
    }
}

#[test]
fn session_start_lists_contracts() {
    let sandbox = sandbox().contract("rule_id: [");
    for client in [Codex, Copilot, Gemini, Qwen, Droid, Opencode, Cline] {
        let event = client.recorded(&sandbox, "session-start").expect("is recorded");
        let mut answer = client.run(&sandbox, event.to_string(), &["--guard"]).json();
        let broken = answer.as_object_mut().expect("an object").remove("systemMessage");
        let text = answer.to_string();
        assert!(text.contains("no-print") && text.contains("no-todo"), "{client:?}: {text}");
        let text =
            answer.pointer("/hookSpecificOutput/additionalContext").or(answer.get("additionalContext"));
        let text = text.or(answer.get("context")).and_then(Value::as_str).expect("a text").to_owned();
        assert_eq!(answer, client.context("SessionStart", &text), "{client:?}");
        let shown = broken.map_or(text, |message| message.to_string());
        assert!(
            shown.contains("phaser: .claude/contracts/"),
            "{client:?}: the broken contract is reported: {shown}"
        );
    }
}

#[test]
fn existing_violation_denies_no_edit() {
    let sandbox =
        sandbox().file(".claude/phaser.yaml", "existing: report\n").file("src/a.py", "print(0)\nx = 1\n");
    let patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
    let worse = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+print(x)\n*** End Patch\n";
    for client in ALL {
        let edit = |new| Deed::Edit { path: "src/a.py", old: "x = 1", new };
        for deed in [edit("x = 2"), Deed::Patch(patch)] {
            let answer = client.answer(&sandbox, When::Before, deed);
            assert!(answer.is_none_or(|answer| answer == json!({})), "{client:?}");
        }
        for deed in [edit("print(x)"), Deed::Patch(worse)] {
            if let Some(answer) = client.answer(&sandbox, When::Before, deed) {
                assert_denied(client, &answer, &[DENIED]);
            }
        }
    }
}

#[test]
fn claude_code_hooks_work_in_other_agents() {
    let sandbox = sandbox().file("src/a.py", "x = 1  # TODO\n");
    let write = |content| Deed::Write { path: "src/a.py", content };
    for client in [CopilotAsClaude, Cursor, VsCode] {
        let event =
            client.event(&sandbox, When::Before, write("x = 1\nprint(x)  # TODO\n")).expect("an event");
        let output = client.run(&sandbox, event.to_string(), &["--severity", "error"]);
        assert_denied(client, &output.json(), &["no-print at line 2"]);
        let event = client.event(&sandbox, When::Before, write("x = 1\n")).expect("an event");
        assert_eq!(client.run(&sandbox, event.to_string(), &["--severity", "error"]).json(), json!({}));
        let event = client.event(&sandbox, When::After, write("")).expect("an event");
        let answer = client.run(&sandbox, event.to_string(), &["--severity", "warning"]).json();
        let text = reporting(client, &answer, &["no-todo at line 1"]);
        assert_eq!(answer, client.context("PostToolUse", text), "{client:?}");
    }
}

#[test]
fn every_recorded_event_has_an_answer() {
    let sandbox = sandbox();
    for client in [Codex, Copilot, Gemini, Qwen, Droid, Opencode, Cline] {
        for file in fs::read_dir(recorded().join(client.name())).expect("recorded events") {
            let text = fs::read_to_string(file.expect("an entry").path()).expect("is text");
            let text = text.replace("/home/dev/project", &sandbox.root().display().to_string());
            let output = client.run(&sandbox, &text, &["--guard"]);
            assert!(!output.stdout.contains("deny"), "{output}");
        }
    }
}

#[test]
fn malformed_event_gets_empty_response() {
    let sandbox = sandbox();
    let write = Deed::Write { path: "src/a.py", content: "print(1)\n" };
    for client in ALL {
        let name = ["--guard", "--agent", client.name()];
        let whole = client.event(&sandbox, When::Before, write);
        let whole = whole.or_else(|| client.recorded(&sandbox, "pre-patch")).expect("an event").to_string();
        let half = &whole[..whole.len() / 2];
        for stdin in
            [half, "", " \n", "[]", "null", "{", "{}", "\0", "{\"tool_input\": 7, \"tool_name\": []}"]
        {
            let output = client.run(&sandbox, stdin, &name);
            assert_eq!(output.json(), json!({}), "{client:?} {stdin:?}: {output}");
            if !client.environment(&sandbox).is_empty() {
                assert_eq!(client.run(&sandbox, stdin, &[]).json(), json!({}), "{client:?} {stdin:?}");
            }
        }
    }
}

#[test]
fn fields_of_wrong_type_count_as_missing() {
    let sandbox = sandbox();
    for client in ALL {
        let write = Deed::Write { path: "src/a.py", content: "print(1)\n" };
        let event = client.event(&sandbox, When::Before, write);
        let event = event.or_else(|| client.recorded(&sandbox, "pre-patch")).expect("an event");
        for wrong in [json!(null), json!(7), json!([]), json!({ "a": {} }), json!("x")] {
            for key in event.as_object().expect("an object").keys() {
                let mut changed = event.clone();
                changed[key] = wrong.clone();
                client.run(&sandbox, changed.to_string(), &["--guard", "--agent", client.name()]);
            }
        }
    }
}

#[test]
fn own_failure_gets_empty_response() {
    let sandbox = sandbox();
    for client in ALL {
        let write = Deed::Write { path: "src/a.py", content: "x = 1\n" };
        let event = client.event(&sandbox, When::Before, write);
        let event = event.or_else(|| client.recorded(&sandbox, "pre-patch")).expect("an event").to_string();
        let output = client.run(&sandbox, &event, &["--agent", client.name(), "--output", "report.json"]);
        assert!(output.stderr.contains("--output"), "{client:?}: {output}");
        assert_eq!(output.json(), json!({}), "{client:?}");
        assert!(client.run(&sandbox, &event, &["--format", "json"]).json().is_object());
    }
    // Claude Code shows a failure to the user, and continues.
    let input = json!({ "file_path": sandbox.path("a.py"), "content": "x" });
    let output = sandbox.hook("PreToolUse").tool("Write", input).args(["--output", "report.json"]).run();
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
}

#[test]
fn the_agent_can_be_named() {
    let sandbox = sandbox();
    let event = json!({ "cwd": sandbox.root(), "tool_name": "apply_patch",
        "tool_input": { "command": "*** Begin Patch\n*** Add File: src/a.py\n+x = 1\n+print(x)\n*** End Patch" } });
    let output = Codex.run(&sandbox, event.to_string(), &["--guard", "--agent", "codex"]);
    assert_denied(Codex, &output.json(), &[DENIED]);
    let output = sandbox.run(["enforce", "--all", "--agent", "codex"]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn arguments_of_copilot_may_be_a_string() {
    let sandbox = sandbox();
    for (tool, arguments) in [
        ("create", json!({ "path": sandbox.path("src/a.py"), "file_text": "x = 1\nprint(x)\n" })),
        ("mcp-write", json!({ "path": sandbox.path("src/a.py"), "content": "x = 1\nprint(x)\n" })),
    ] {
        let event = json!({ "sessionId": "s", "timestamp": 1, "cwd": sandbox.root(), "toolName": tool,
            "toolArgs": arguments.to_string() });
        let output = Copilot.run(&sandbox, event.to_string(), &["--guard"]);
        assert_denied(Copilot, &output.json(), &[DENIED]);
    }
}

#[test]
fn end_of_file_is_searched_wherever_context_leads() {
    let sandbox = sandbox().file("src/a.py", "x = 1\nend\n");
    let patch =
        "*** Begin Patch\n*** Update File: src/a.py\n@@ end\n-end\n+print(x)\n*** End of File\n*** End Patch";
    let event = json!({ "cwd": sandbox.root(), "hook_event_name": "PreToolUse", "turn_id": "t",
        "tool_name": "apply_patch", "tool_input": { "command": patch } });
    let output = Codex.run(&sandbox, event.to_string(), &["--guard"]);
    assert_denied(Codex, &output.json(), &[DENIED]);
}

#[test]
fn patch_that_removes_contract_is_weakening() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: deny\n");
    let delete = "*** Begin Patch\n*** Delete File: .claude/contracts/no-print.yaml\n*** End Patch\n";
    let moved = "*** Begin Patch\n*** Update File: .claude/contracts/no-print.yaml\n*** Move to: away.yaml\n@@\n-severity: error\n+severity: error\n*** End Patch\n";
    for patch in [delete, moved] {
        let answer = Codex.answer(&sandbox, When::Before, Deed::Patch(patch)).expect("has patches");
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
        assert!(answer.to_string().contains("no-print"), "{answer}");
    }
}

/// Who is answered in the same way as in Claude Code, in the words of each client.
#[test]
fn violating_turn_continues_once() {
    let sandbox = sandbox().git_init().git_commit("start").file("src/a.py", "print(1)\n");
    let left = ["no-print at src/a.py:1"];
    for client in [Codex, Copilot, CopilotAsClaude, Gemini, Qwen, Droid] {
        let mut event = client.recorded(&sandbox, "stop").expect("is recorded");
        let answer = client.run(&sandbox, event.to_string(), &["--guard"]).json();
        let word = if client == Gemini { "deny" } else { "block" };
        let reason = reporting(client, &answer, &left);
        assert_eq!(answer, json!({ "decision": word, "reason": reason }), "{client:?}");
        event["stop_hook_active"] = json!(true);
        assert_eq!(client.run(&sandbox, event.to_string(), &["--guard"]).json(), json!({}), "{client:?}");
    }
    let cursor = |count: u64| {
        json!({ "hook_event_name": "stop", "cursor_version": "3.0", "conversation_id": "c",
            "workspace_roots": [sandbox.root()], "status": "completed", "loop_count": count })
    };
    let answer = Cursor.run(&sandbox, cursor(0).to_string(), &["--guard"]).json();
    let reason = reporting(Cursor, &answer, &left);
    assert_eq!(answer, json!({ "followup_message": reason }));
    assert_eq!(Cursor.run(&sandbox, cursor(1).to_string(), &["--guard"]).json(), json!({}));
}

#[test]
fn reports_violations_after_shell_command() {
    let sandbox = sandbox().git_init().git_commit("start");
    for client in ALL {
        let event = client.event(&sandbox, When::After, Deed::Shell("echo")).expect("has a shell");
        fs::create_dir_all(sandbox.path("src")).expect("made");
        fs::write(sandbox.path("src/a.py"), "print(1)\n").expect("written");
        let answer = client.run(&sandbox, event.to_string(), &["--guard"]).json();
        let text = reporting(client, &answer, &["no-print at src/a.py:1"]);
        assert_eq!(answer, client.context("PostToolUse", text), "{client:?}");
    }
}
