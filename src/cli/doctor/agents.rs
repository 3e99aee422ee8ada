//! Hooks of other agents than Claude Code: whether they are there, as they should be, and answer.

use std::process::Command;

use serde_json::{Value, json};

use super::Diagnosis;
use super::probe::{Probes, SHELL};
use crate::agents::Client;
use crate::cli::environment::Environment;
use crate::cli::install::agents::{Target, everywhere};
use crate::cli::install::show;
use crate::install::agents::command_of;
use crate::install::command::{framed, unframed};
use crate::install::file;
use crate::install::{Edited, IfInstalled};

/// Looks at the hooks of each agent, tries them, and says what is wrong with them.
pub fn check(probes: Option<&Probes>, environment: &Environment, diagnosis: &mut Diagnosis) {
    // Visual Studio Code reads Copilot's.
    let others = Client::ALL.into_iter().filter(|client| !matches!(client, Client::Claude | Client::VsCode));
    for client in others {
        let mut found = false;
        for target in everywhere(client, environment) {
            found |= check_file(client, &target, environment, diagnosis);
        }
        if let (true, Some(probes)) = (found, probes) {
            try_out(client, probes, diagnosis);
        }
    }
}

/// Does the file have hooks of phaser's?
fn check_file(client: Client, target: &Target, environment: &Environment, diagnosis: &mut Diagnosis) -> bool {
    let shown = show(&target.path, environment);
    let mend = || {
        format!("mend the file, or move it away and run 'phaser enforce install --agent {}'", client.name())
    };
    let text = match file::read(&target.path) {
        Ok(text) => text,
        Err(error) => {
            diagnosis.problem(format!("{:#}", anyhow::Error::from(error)), mend());
            return false;
        }
    };
    let own = match target.file.survey(&text) {
        Ok(own) => own,
        Err(refused) => {
            diagnosis.problem(format!("{shown}: {refused}"), mend());
            return false;
        }
    };
    if own.is_empty() {
        return false;
    }
    let events: Vec<&str> = own.iter().map(|hook| hook.event.as_str()).collect();
    diagnosis.ok(format!("{shown} has phaser's hooks for {}: {}", client.title(), events.join(", ")));
    if !matches!(target.file.install(&text, IfInstalled::Keep), Ok(Edited::Unchanged)) {
        let what = format!("{shown} is not as this phaser installs it");
        diagnosis.problem(what, format!("run 'phaser enforce install --agent {} --force'", client.name()));
    }
    true
}

/// Sends an edit that violates a contract through the command, as the client would.
fn try_out(client: Client, probes: &Probes, diagnosis: &mut Diagnosis) {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(framed(unframed(&command_of(client))));
    let answer = probes.ask(&mut command, &event(client, probes));
    let denied = match &answer {
        Ok(answer) => answer.to_string().contains("doctor at "),
        Err(_) => false,
    };
    if denied {
        diagnosis.agents.push(client.title());
        return;
    }
    let how = answer.map_or_else(|error| format!("{error:#}"), |answer| format!("the answer was {answer}"));
    let what =
        format!("a test edit in the words of {} was not found to violate a contract: {how}", client.title());
    diagnosis.problem(what, "put a phaser of this version on the PATH");
}

/// An edit that puts something forbidden into a file; Cline is told when it has happened.
fn event(client: Client, probes: &Probes) -> Value {
    let cwd = probes.project();
    let (path, text) = (cwd.join("before.txt"), "forbidden\n");
    let whole = json!({ "file_path": path, "content": text });
    let claudes = |tool: &str, input: Value| {
        json!({ "session_id": "phaser-doctor", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input })
    };
    match client {
        Client::Codex => {
            let patch = format!("*** Begin Patch\n*** Add File: before.txt\n+{text}*** End Patch\n");
            claudes("apply_patch", json!({ "command": patch }))
        }
        Client::Copilot | Client::VsCode => json!({ "sessionId": "phaser-doctor", "timestamp": 1, "cwd": cwd,
            "toolName": "create", "toolArgs": { "path": path, "file_text": text } }),
        Client::Cursor => json!({ "conversation_id": "phaser-doctor", "workspace_roots": [cwd],
            "hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": whole }),
        Client::Gemini => json!({ "session_id": "phaser-doctor", "cwd": cwd, "hook_event_name": "BeforeTool",
            "tool_name": "write_file", "tool_input": whole }),
        Client::Qwen => claudes("write_file", whole),
        Client::Droid => claudes("Create", whole),
        Client::Opencode => {
            json!({ "hook": "tool.execute.before", "directory": cwd, "input": { "tool": "write" },
            "output": { "args": { "filePath": path, "content": text } } })
        }
        Client::Cline => {
            let input = json!({ "path": cwd.join("after.txt"), "new_text": text });
            json!({ "hookName": "tool_result", "taskId": "phaser-doctor", "workspaceRoots": [cwd],
                "tool_result": { "name": "editor", "input": input } })
        }
        Client::Devin => claudes("write", whole),
        Client::Windsurf => {
            let info = json!({ "file_path": cwd.join("new.txt"), "edits": [{ "old_string": "", "new_string": text }] });
            json!({ "agent_action_name": "pre_write_code", "tool_info": info })
        }
        Client::Claude | Client::Kiro => json!({}),
    }
}
