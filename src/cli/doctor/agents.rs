//! Checks the hooks of agents other than Claude Code.

use std::process::Command;

use serde_json::{Value, json};

use super::Diagnosis;
use super::probe::{FORBIDDEN_COMMAND, Probes, SHELL};
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
        if let (true, Some(probes)) = (found, probes)
            && test_edit(agent, probes, diagnosis)
        {
            test_command(agent, probes, diagnosis);
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

/// Sends an edit with a violation to the hook's command. Returns whether it was reported.
fn test_edit(agent: Agent, probes: &Probes, diagnosis: &mut Diagnosis) -> bool {
    // Before the edit as `ID: MESSAGE`, afterwards as `ID at PATH`.
    let Err(how) = send(agent, probes, &event(agent, probes), &["doctor: ", "doctor at "]) else {
        diagnosis.agents.push(agent.title());
        return true;
    };
    let what = format!("a test edit from {} was not reported as a violation: {how}", agent.title());
    diagnosis.problem(what, PUT_ON_PATH);
    false
}

/// Sends a forbidden command to the hook's command, if the agent has an event before commands that can deny.
fn test_command(agent: Agent, probes: &Probes, diagnosis: &mut Diagnosis) {
    let Some(event) = command_event(agent, probes) else { return };
    if let Err(how) = send(agent, probes, &event, &["doctor-command: "]) {
        let what = format!("a test command from {} was not denied: {how}", agent.title());
        diagnosis.problem(what, PUT_ON_PATH);
    }
}

const PUT_ON_PATH: &str = "put this version of phaser on the PATH";

/// Sends an event to the hook's command. The error describes a response without any of `wanted`.
fn send(agent: Agent, probes: &Probes, event: &Value, wanted: &[&str]) -> Result<(), String> {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(framed(unframed(&command_of(agent))));
    let response = probes.send_event(&mut command, event).map_err(|error| format!("{error:#}"))?;
    let text = response.to_string();
    match wanted.iter().any(|wanted| text.contains(wanted)) {
        true => Ok(()),
        false => Err(format!("the response was {response}")),
    }
}

/// The event before a command that the test project forbids.
fn command_event(agent: Agent, probes: &Probes) -> Option<Value> {
    let cwd = probes.project();
    let input = json!({ "command": FORBIDDEN_COMMAND, "description": "a test" });
    let of = |event: &str, tool: &str| {
        json!({ "session_id": "phaser-doctor", "cwd": cwd, "hook_event_name": event, "tool_name": tool,
            "tool_input": input })
    };
    Some(match agent {
        Agent::Codex => of("PreToolUse", "Bash"),
        Agent::Copilot | Agent::VsCode => json!({ "sessionId": "phaser-doctor", "timestamp": 1, "cwd": cwd,
            "toolName": "bash", "toolArgs": input }),
        Agent::Cursor => json!({ "conversation_id": "phaser-doctor", "workspace_roots": [cwd],
            "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": input }),
        Agent::Gemini => of("BeforeTool", "run_shell_command"),
        Agent::Qwen => of("PreToolUse", "run_shell_command"),
        Agent::Droid => of("PreToolUse", "Execute"),
        Agent::Opencode => {
            json!({ "hook": "tool.execute.before", "directory": cwd, "input": { "tool": "bash" },
            "output": { "args": input } })
        }
        Agent::Devin => of("PreToolUse", "exec"),
        Agent::Windsurf => json!({ "agent_action_name": "pre_run_command",
            "tool_info": { "command_line": FORBIDDEN_COMMAND, "cwd": cwd } }),
        // Cline is never denied, Kiro's hooks are not installed, and Claude Code's are tested elsewhere.
        Agent::Cline | Agent::Kiro | Agent::Claude => return None,
    })
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
