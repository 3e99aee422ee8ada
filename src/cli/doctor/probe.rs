//! Tests hooks: sends an event to the installed command line, as Claude Code does.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::places::HookSource;
use crate::install::OwnHook;
use phaser_project::path::PROJECT_CONTRACTS;

/// The shell that runs hooks.
pub const SHELL: &str = if cfg!(unix) { "/bin/sh" } else { "sh" };

/// The timeout of a test.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The decision in a hook's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    Denied,
    Allowed,
    /// The end of the turn was blocked.
    SentBack,
    /// The model receives text.
    Reported,
    /// An empty response.
    Nothing,
    /// No valid response, and why.
    Failed(String),
}

impl fmt::Display for ProbeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied",
            Self::Allowed => "allowed",
            Self::SentBack => "sent back",
            Self::Reported => "reported",
            Self::Nothing => "silent",
            Self::Failed(how) => how,
        })
    }
}

/// A hook's response and its duration.
#[derive(Debug)]
pub struct ProbeResponse {
    pub result: ProbeResult,
    pub time: Duration,
}

impl ProbeResponse {
    /// Whether it is the expected response to the hook's event.
    pub fn is_right(&self, hook: &OwnHook) -> bool {
        match (hook.event.as_str(), &self.result) {
            (_, ProbeResult::Failed(_)) => false,
            ("PreToolUse", result) => *result == ProbeResult::Denied,
            ("PostToolUse", result) => *result == ProbeResult::Reported,
            // Only the guard handles these.
            ("PostToolUseFailure" | "SessionStart" | "SubagentStart", result) => {
                *result == ProbeResult::Reported || !hook.is_guard()
            }
            _ => true,
        }
    }

    /// The expected response, as a participle.
    pub fn expected(&self, hook: &OwnHook) -> &'static str {
        match hook.event.as_str() {
            "PreToolUse" => "denied a violation",
            "PostToolUse" | "PostToolUseFailure" => "reported a violation",
            "SessionStart" | "SubagentStart" => "listed the contracts",
            _ => "responded",
        }
    }
}

/// The contracts of the test project.
const CONTRACTS: [(&str, &str); 2] = [("doctor", "error"), ("doctor-warning", "warning")];

/// A command line that the test project forbids.
pub const FORBIDDEN_COMMAND: &str = "cd . && phaser-doctor --test";

/// A temporary project for tests of hooks.
pub struct Probes {
    project: tempfile::TempDir,
    /// The user's project.
    root: PathBuf,
}

impl Probes {
    pub fn make(root: &Path) -> anyhow::Result<Self> {
        let project = tempfile::tempdir().context("cannot create a temporary directory")?;
        let contracts = project.path().join(PROJECT_CONTRACTS);
        std::fs::create_dir_all(&contracts)?;
        for (id, severity) in CONTRACTS {
            let yaml = format!(
                "rule_id: {id}\ntype: forbid_pattern\npattern: forbidden\nfile_glob: '**'\nmessage: a test\nseverity: {severity}\n"
            );
            std::fs::write(contracts.join(id).with_extension("yaml"), yaml)?;
        }
        let yaml = "rule_id: doctor-command\ntype: forbid_command\ncommand: phaser-doctor\nmessage: a test\nseverity: error\n";
        std::fs::write(contracts.join("doctor-command.yaml"), yaml)?;
        std::fs::write(project.path().join("before.txt"), "fine\n")?;
        Ok(Self { project, root: root.to_owned() })
    }

    /// Sends a hook the event that it is for.
    pub fn send(&self, place: &HookSource, hook: &OwnHook) -> ProbeResponse {
        self.send_to(place, hook, &self.event(hook))
    }

    /// Sends a hook a command that the test project forbids.
    pub fn send_command(&self, place: &HookSource, hook: &OwnHook) -> ProbeResponse {
        let mut event = self.event(hook);
        event["tool_name"] = "Bash".into();
        event["tool_input"] = json!({ "command": FORBIDDEN_COMMAND, "description": "a test" });
        self.send_to(place, hook, &event)
    }

    fn send_to(&self, place: &HookSource, hook: &OwnHook, event: &Value) -> ProbeResponse {
        // A command with the variable needs the user's project, to find its program there.
        let names_project = hook.command.contains("CLAUDE_PROJECT_DIR");
        let mut command = Command::new(SHELL);
        command.arg("-c").arg(&hook.command);
        command.env("CLAUDE_PROJECT_DIR", if names_project { &self.root } else { self.project.path() });
        if let Some(plugin) = &place.plugin {
            command.env("CLAUDE_PLUGIN_ROOT", &plugin.directory);
        }
        let start = Instant::now();
        let result = match self.send_event(&mut command, event) {
            Ok(response) => result(hook, &response),
            Err(error) => ProbeResult::Failed(error.to_string()),
        };
        ProbeResponse { result, time: start.elapsed() }
    }

    /// The event, as Claude Code sends it.
    fn event(&self, hook: &OwnHook) -> Value {
        let mut event = json!({
            "session_id": "phaser-doctor",
            "transcript_path": self.project.path().join("transcript.jsonl"),
            "cwd": self.project.path(),
            "permission_mode": "default",
            "hook_event_name": hook.event,
        });
        let matcher = hook.matcher.as_deref().unwrap_or_default();
        let tool =
            ["Write", "Edit", "Bash"].into_iter().find(|tool| matcher.contains(tool)).unwrap_or("Write");
        let more = match hook.event.as_str() {
            "PreToolUse" => self.call(tool, "before.txt"),
            "PostToolUse" => self.call(tool, "after.txt"),
            "PostToolUseFailure" => {
                let mut call = self.call(tool, "after.txt");
                call["error"] = "Exit code 1".into();
                call
            }
            "SessionStart" => json!({"source": "startup"}),
            "SubagentStart" | "SubagentStop" => {
                json!({"agent_id": "phaser-doctor", "agent_type": "general-purpose", "stop_hook_active": false})
            }
            "Stop" => json!({"stop_hook_active": false}),
            "ConfigChange" => {
                json!({"source": "project_settings", "file_path": self.project.path().join(".claude/settings.json")})
            }
            _ => json!({}),
        };
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        event
    }

    /// A call that writes a violation.
    fn call(&self, tool: &str, file: &str) -> Value {
        let path = self.project.path().join(file);
        let (input, response) = match tool {
            "Bash" => (
                json!({"command": format!("echo forbidden > {file}")}),
                json!({"stdout": "", "stderr": "", "interrupted": false, "bashEditDiff": {"changedFiles": [path]}}),
            ),
            "Edit" => (
                json!({"file_path": path, "old_string": "fine", "new_string": "forbidden"}),
                json!({"originalFile": "fine\n"}),
            ),
            _ => (json!({"file_path": path, "content": "forbidden\n"}), json!({"originalFile": "fine\n"})),
        };
        json!({
            "tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": "phaser-doctor",
            "duration_ms": 1000,
        })
    }

    pub fn project(&self) -> &Path {
        self.project.path()
    }

    /// Sends an event to a command and returns the response.
    pub fn send_event(&self, command: &mut Command, event: &Value) -> anyhow::Result<Value> {
        // The file must be new: after a shell command only new files are checked.
        std::fs::write(
            self.project.path().join("after.txt"),
            "forbidden
",
        )
        .context("cannot write a file")?;
        let mut child = command
            .current_dir(self.project.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("it does not start")?;
        if let Some(mut stdin) = child.stdin.take() {
            // The command may respond without reading stdin.
            let _ = stdin.write_all(event.to_string().as_bytes());
        }
        let stdout = read_to_end(&mut child)?;
        let status = child.wait().context("it does not end")?;
        match status.code() {
            Some(0) => serde_json::from_slice(&stdout).context("no JSON"),
            Some(code) => anyhow::bail!("exit code {code}"),
            None => anyhow::bail!("ended by a signal"),
        }
    }
}

/// The output of a process, which is killed after the timeout.
fn read_to_end(child: &mut Child) -> anyhow::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.read_to_end(&mut bytes).map(|_| bytes);
            // The receiver is gone after a timeout.
            let _ = sender.send(read);
        });
    }
    match receiver.recv_timeout(TIMEOUT) {
        Ok(read) => read.context("cannot read its response"),
        Err(_) => {
            child.kill().and_then(|()| child.wait()).context("it does not end")?;
            anyhow::bail!("no response in {} seconds", TIMEOUT.as_secs())
        }
    }
}

fn result(hook: &OwnHook, response: &Value) -> ProbeResult {
    let more = &response["hookSpecificOutput"];
    let has_context = more["additionalContext"].is_string();
    match (more["permissionDecision"].as_str(), response["decision"].as_str()) {
        (Some("deny" | "ask"), _) => ProbeResult::Denied,
        (Some("allow"), _) => ProbeResult::Allowed,
        (_, Some("block")) if hook.event.ends_with("Stop") => ProbeResult::SentBack,
        (_, Some("block")) => ProbeResult::Reported,
        _ if has_context => ProbeResult::Reported,
        _ if response.is_object() => ProbeResult::Nothing,
        _ => ProbeResult::Failed("no JSON object".to_owned()),
    }
}

/// Sends two edits to this executable, as Claude Code does.
pub fn try_out() -> anyhow::Result<()> {
    let program: PathBuf = std::env::current_exe().context("cannot find the path of this executable")?;
    let probes = Probes::make(Path::new("/"))?;
    let project = probes.project.path();
    for (content, expected) in [("forbidden\n", "deny"), ("fine\n", "allow")] {
        let event = json!({
            "hook_event_name": "PreToolUse", "cwd": project, "tool_name": "Write",
            "tool_input": {"file_path": project.join("test.txt"), "content": content},
        });
        let mut command = Command::new(&program);
        command.args(["enforce", "--stdin", "--severity", "error"]);
        command.env("HOME", project).env_remove("CLAUDE_PROJECT_DIR");
        let response =
            probes.send_event(&mut command, &event).with_context(|| program.display().to_string())?;
        let decision = &response["hookSpecificOutput"]["permissionDecision"];
        anyhow::ensure!(decision == expected, "expected {expected}; the response was {response}");
    }
    Ok(())
}
