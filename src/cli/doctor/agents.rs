//! Checks the hooks of agents other than Claude Code.

use std::process::Command;

use serde_json::{Value, json};

use super::Diagnosis;
use super::probe::{Probes, SHELL};
use crate::agents::Agent;
use crate::cli::environment::Environment;
use crate::cli::install::agents::{HookTarget, everywhere};
use crate::cli::install::show;
use crate::install::agents::command_of;
use crate::install::command::{framed, unframed};
use crate::install::file;
use crate::install::{Edited, IfInstalled};

/// Checks and tests the hooks of each agent.
pub fn check(probes: Option<&Probes>, environment: &Environment, diagnosis: &mut Diagnosis) {
    // Visual Studio Code runs Copilot's hooks.
    let others = Agent::ALL.into_iter().filter(|agent| !matches!(agent, Agent::Claude | Agent::VsCode));
    for agent in others {
        let mut found = false;
        for target in everywhere(agent, environment) {
            found |= check_file(agent, &target, environment, diagnosis);
        }
        if let (true, Some(probes)) = (found, probes) {
            test_edit(agent, probes, diagnosis);
        }
    }
}

/// Checks a hook file. Returns whether it has hooks of phaser.
fn check_file(
    agent: Agent,
    target: &HookTarget,
    environment: &Environment,
    diagnosis: &mut Diagnosis,
) -> bool {
    let shown = show(&target.path, environment);
    let fix =
        || format!("fix the file, or move it away and run 'phaser enforce install --agent {}'", agent.name());
    let text = match file::read(&target.path) {
        Ok(text) => text,
        Err(error) => {
            diagnosis.problem(format!("{:#}", anyhow::Error::from(error)), fix());
            return false;
        }
    };
    let own = match target.file.survey(&text) {
        Ok(own) => own,
        Err(refused) => {
            diagnosis.problem(format!("{shown}: {refused}"), fix());
            return false;
        }
    };
    if own.is_empty() {
        return false;
    }
    let events: Vec<&str> = own.iter().map(|hook| hook.event.as_str()).collect();
    diagnosis.ok(format!("{shown} has phaser's hooks for {}: {}", agent.title(), events.join(", ")));
    if !matches!(target.file.install(&text, IfInstalled::Keep), Ok(Edited::Unchanged)) {
        let what = format!("{shown} differs from what this version installs");
        diagnosis.problem(what, format!("run 'phaser enforce install --agent {} --force'", agent.name()));
    }
    true
}

/// Sends an edit with a violation to the hook's command.
fn test_edit(agent: Agent, probes: &Probes, diagnosis: &mut Diagnosis) {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(framed(unframed(&command_of(agent))));
    let response = probes.send_event(&mut command, &event(agent, probes));
    let denied = match &response {
        // Before the edit as `ID: MESSAGE`, afterwards as `ID at PATH`.
        Ok(response) => ["doctor: ", "doctor at "].iter().any(|id| response.to_string().contains(id)),
        Err(_) => false,
    };
    if denied {
        diagnosis.agents.push(agent.title());
        return;
    }
    let how =
        response.map_or_else(|error| format!("{error:#}"), |response| format!("the response was {response}"));
    let what = format!("a test edit from {} was not reported as a violation: {how}", agent.title());
    diagnosis.problem(what, "put this version of phaser on the PATH");
}

/// The event of an edit with a violation; for Cline, after the edit.
fn event(agent: Agent, probes: &Probes) -> Value {
    let cwd = probes.project();
    let (path, text) = (cwd.join("before.txt"), "forbidden\n");
    let whole = json!({ "file_path": path, "content": text });
    let claudes = |tool: &str, input: Value| {
        json!({ "session_id": "phaser-doctor", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input })
    };
    match agent {
        Agent::Codex => {
            let patch = format!("*** Begin Patch\n*** Add File: before.txt\n+{text}*** End Patch\n");
            claudes("apply_patch", json!({ "command": patch }))
        }
        Agent::Copilot | Agent::VsCode => json!({ "sessionId": "phaser-doctor", "timestamp": 1, "cwd": cwd,
            "toolName": "create", "toolArgs": { "path": path, "file_text": text } }),
        Agent::Cursor => json!({ "conversation_id": "phaser-doctor", "workspace_roots": [cwd],
            "hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": whole }),
        Agent::Gemini => json!({ "session_id": "phaser-doctor", "cwd": cwd, "hook_event_name": "BeforeTool",
            "tool_name": "write_file", "tool_input": whole }),
        Agent::Qwen => claudes("write_file", whole),
        Agent::Droid => claudes("Create", whole),
        Agent::Opencode => {
            json!({ "hook": "tool.execute.before", "directory": cwd, "input": { "tool": "write" },
            "output": { "args": { "filePath": path, "content": text } } })
        }
        Agent::Cline => {
            let input = json!({ "path": cwd.join("after.txt"), "new_text": text });
            json!({ "hookName": "tool_result", "taskId": "phaser-doctor", "workspaceRoots": [cwd],
                "tool_result": { "name": "editor", "input": input } })
        }
        Agent::Devin => claudes("write", whole),
        Agent::Windsurf => {
            let info = json!({ "file_path": cwd.join("new.txt"), "edits": [{ "old_string": "", "new_string": text }] });
            json!({ "agent_action_name": "pre_write_code", "tool_info": info })
        }
        Agent::Claude | Agent::Kiro => json!({}),
    }
}
