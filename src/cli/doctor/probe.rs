//! Hooks tried out: an event of each kind through the command line as it is installed, the way that the client runs it.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::places::Place;
use crate::install::OwnHook;
use phaser_project::path::PROJECT_CONTRACTS;

/// What the client starts commands with.
pub const SHELL: &str = if cfg!(unix) { "/bin/sh" } else { "sh" };

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a hook said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The call is refused.
    Denied,
    /// The call is let through without a question.
    Allowed,
    /// The turn goes on.
    SentBack,
    /// The model is told something.
    Told,
    /// Nothing.
    Nothing,
    /// It did not answer as a hook does; in a few words, how.
    Failed(String),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied",
            Self::Allowed => "allowed",
            Self::SentBack => "sent back",
            Self::Told => "told",
            Self::Nothing => "silent",
            Self::Failed(how) => how,
        })
    }
}

/// What a hook said, and how long that took.
#[derive(Debug)]
pub struct Answer {
    pub said: Said,
    pub time: Duration,
}

impl Answer {
    /// Is it what the event is meant to be answered with?
    pub fn is_right(&self, hook: &OwnHook) -> bool {
        match (hook.event.as_str(), &self.said) {
            (_, Said::Failed(_)) => false,
            ("PreToolUse", said) => *said == Said::Denied,
            ("PostToolUse", said) => *said == Said::Told,
            // Only the guard knows these.
            ("PostToolUseFailure" | "SessionStart" | "SubagentStart", said) => {
                *said == Said::Told || !hook.is_guard()
            }
            _ => true,
        }
    }

    /// What should have happened, as the end of a sentence.
    pub fn expected(&self, hook: &OwnHook) -> &'static str {
        match hook.event.as_str() {
            "PreToolUse" => "denied a violation",
            "PostToolUse" | "PostToolUseFailure" => "told of a violation",
            "SessionStart" | "SubagentStart" => "told the contracts",
            _ => "answered",
        }
    }
}

/// What is violated in the project made for it, before an edit and after it.
const CONTRACTS: [(&str, &str); 2] = [("doctor", "error"), ("doctor-warning", "warning")];

/// A project made to try hooks out in.
pub struct Probes {
    project: tempfile::TempDir,
    /// The project that the hooks are installed for.
    root: PathBuf,
}

impl Probes {
    /// Makes the project.
    pub fn make(root: &Path) -> anyhow::Result<Self> {
        let project = tempfile::tempdir().context("no temporary directory can be made")?;
        let contracts = project.path().join(PROJECT_CONTRACTS);
        std::fs::create_dir_all(&contracts)?;
        for (id, severity) in CONTRACTS {
            let yaml = format!(
                "rule_id: {id}\ntype: forbid_pattern\npattern: forbidden\nfile_glob: '**'\nmessage: a test\nseverity: {severity}\n"
            );
            std::fs::write(contracts.join(id).with_extension("yaml"), yaml)?;
        }
        std::fs::write(project.path().join("before.txt"), "fine\n")?;
        Ok(Self { project, root: root.to_owned() })
    }

    /// Sends a hook of this place the event that it is for.
    pub fn send(&self, place: &Place, hook: &OwnHook) -> Answer {
        // The variable is the way to a program that the project brings along; otherwise the project is the one made for it.
        let names_project = hook.command.contains("CLAUDE_PROJECT_DIR");
        let mut command = Command::new(SHELL);
        command.arg("-c").arg(&hook.command);
        command.env("CLAUDE_PROJECT_DIR", if names_project { &self.root } else { self.project.path() });
        if let Some(plugin) = &place.plugin {
            command.env("CLAUDE_PLUGIN_ROOT", &plugin.directory);
        }
        let start = Instant::now();
        let said = match self.ask(&mut command, &self.event(hook)) {
            Ok(answer) => said(hook, &answer),
            Err(error) => Said::Failed(error.to_string()),
        };
        Answer { said, time: start.elapsed() }
    }

    /// The event, as the client would send it.
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

    /// A call that puts something forbidden into a file.
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

    /// The project.
    pub fn project(&self) -> &Path {
        self.project.path()
    }

    /// What a command answers to an event.
    pub fn ask(&self, command: &mut Command, event: &Value) -> anyhow::Result<Value> {
        // What a call is said to have written must be new: after a shell command, only that is looked at.
        std::fs::write(
            self.project.path().join("after.txt"),
            "forbidden
",
        )
        .context("no file can be written")?;
        let mut child = command
            .current_dir(self.project.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("it does not start")?;
        if let Some(mut stdin) = child.stdin.take() {
            // Who answers without reading closes it.
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

/// Everything that a process prints; one that takes too long is ended.
fn read_to_end(child: &mut Child) -> anyhow::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.read_to_end(&mut bytes).map(|_| bytes);
            // Nobody waits any more.
            let _ = sender.send(read);
        });
    }
    match receiver.recv_timeout(PATIENCE) {
        Ok(read) => read.context("its answer cannot be read"),
        Err(_) => {
            child.kill().and_then(|()| child.wait()).context("it does not end")?;
            anyhow::bail!("no answer in {} seconds", PATIENCE.as_secs())
        }
    }
}

fn said(hook: &OwnHook, answer: &Value) -> Said {
    let more = &answer["hookSpecificOutput"];
    let told = more["additionalContext"].is_string();
    match (more["permissionDecision"].as_str(), answer["decision"].as_str()) {
        (Some("deny" | "ask"), _) => Said::Denied,
        (Some("allow"), _) => Said::Allowed,
        (_, Some("block")) if hook.event.ends_with("Stop") => Said::SentBack,
        (_, Some("block")) => Said::Told,
        _ if told => Said::Told,
        _ if answer.is_object() => Said::Nothing,
        _ => Said::Failed("no JSON object".to_owned()),
    }
}

/// Puts two edits to this very program, as the client would, in a project made for that.
pub fn try_out() -> anyhow::Result<()> {
    let program: PathBuf = std::env::current_exe().context("the path of this program is not known")?;
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
        let answer = probes.ask(&mut command, &event).with_context(|| program.display().to_string())?;
        let decision = &answer["hookSpecificOutput"]["permissionDecision"];
        anyhow::ensure!(decision == expected, "expected {expected}, and the answer was {answer}");
    }
    Ok(())
}
