//! Where agents read their hooks from, and the events and matchers of phaser's hooks.

use serde_json::{Value, json};

use super::super::TIMEOUT;
use super::command_of;
use crate::agents::Agent;

/// The base directory of a hook file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeBase {
    Project,
    /// The home directory.
    User,
}

/// The format of a hook file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileShape {
    /// Claude Code's: `hooks` → event → groups with a matcher → `hooks`.
    Groups,
    /// `Groups` with the events at the top level.
    TopLevel,
    /// `hooks` → event → hooks, with a `version`.
    Flat,
    /// `Flat` without a `version`.
    Unversioned,
    /// A JavaScript plugin.
    Plugin,
    /// A directory with a program for each event.
    Programs,
}

impl FileShape {
    /// The required value of `version`.
    pub(super) fn version(self) -> Option<Value> {
        (self == Self::Flat).then(|| json!(1))
    }
}

/// A location from which an agent reads hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    pub agent: Agent,
    pub base: HomeBase,
    /// The file, or the directory of programs.
    pub path: &'static str,
    pub(super) shape: FileShape,
}

/// All locations in which phaser can install hooks for an agent.
pub fn homes(agent: Agent) -> Vec<Home> {
    if agent == Agent::Devin {
        let home = |base, path, shape| Home { agent, base, path, shape };
        return vec![
            home(HomeBase::Project, ".devin/hooks.v1.json", FileShape::TopLevel),
            home(HomeBase::User, ".config/devin/config.json", FileShape::Groups),
        ];
    }
    let (shape, project, user) = match agent {
        Agent::Codex => (FileShape::Groups, ".codex/hooks.json", ".codex/hooks.json"),
        Agent::Copilot | Agent::VsCode => {
            (FileShape::Flat, ".github/hooks/phaser.json", ".copilot/hooks/phaser.json")
        }
        Agent::Cursor => (FileShape::Flat, ".cursor/hooks.json", ".cursor/hooks.json"),
        Agent::Gemini => (FileShape::Groups, ".gemini/settings.json", ".gemini/settings.json"),
        Agent::Qwen => (FileShape::Groups, ".qwen/settings.json", ".qwen/settings.json"),
        Agent::Droid => (FileShape::TopLevel, ".factory/hooks.json", ".factory/hooks.json"),
        Agent::Opencode => {
            (FileShape::Plugin, ".opencode/plugin/phaser.js", ".config/opencode/plugin/phaser.js")
        }
        Agent::Cline => (FileShape::Programs, ".cline/hooks", ".cline/hooks"),
        Agent::Windsurf => (FileShape::Unversioned, ".windsurf/hooks.json", ".codeium/windsurf/hooks.json"),
        // Kiro reads hooks from the files of the user's own agents.
        Agent::Claude | Agent::Devin | Agent::Kiro => return Vec::new(),
    };
    let home = |base, path| Home { agent, base, path, shape };
    vec![home(HomeBase::Project, project), home(HomeBase::User, user)]
}

/// Cline's events. The output of its start hook does not reach the model.
pub(super) const EVENTS_OF_CLINE: [&str; 2] = ["PreToolUse", "PostToolUse"];

/// One hook to install.
pub(super) struct WantedHook {
    pub event: &'static str,
    /// The entry in the event's list.
    pub entry: Value,
}

impl WantedHook {
    /// The hooks of an agent, in file order.
    pub(super) fn of(agent: Agent) -> Vec<Self> {
        let command = command_of(agent);
        let wanted = |(event, matcher): (&'static str, Option<&str>)| {
            let mut entry = match agent {
                Agent::Copilot | Agent::VsCode => {
                    json!({ "type": "command", "bash": command, "timeoutSec": TIMEOUT })
                }
                Agent::Cursor => json!({ "command": command, "timeout": TIMEOUT }),
                Agent::Windsurf => json!({ "command": command, "show_output": true }),
                Agent::Gemini => {
                    let handler = json!({ "type": "command", "name": "phaser", "command": command,
                        "timeout": TIMEOUT * 1_000 });
                    json!({ "hooks": [handler] })
                }
                _ => json!({ "hooks": [{ "type": "command", "command": command, "timeout": TIMEOUT }] }),
            };
            if let (Some(matcher), Value::Object(fields)) = (matcher, &mut entry) {
                fields.shift_insert(0, "matcher".to_owned(), matcher.into());
            }
            Self { event, entry }
        };
        events(agent).into_iter().map(wanted).collect()
    }
}

/// The events of an agent with their matchers.
fn events(agent: Agent) -> Vec<(&'static str, Option<&'static str>)> {
    match agent {
        Agent::Codex => claudes("^(apply_patch|Bash|mcp__.+)$"),
        Agent::Qwen => claudes("^(write_file|edit|run_shell_command|mcp__.+)$"),
        Agent::Droid => claudes("^(Create|Edit|MultiEdit|ApplyPatch|Execute|mcp__.+)$"),
        Agent::Gemini => vec![
            ("SessionStart", None),
            ("BeforeTool", Some("^(write_file|replace|run_shell_command|mcp_.+)$")),
            ("AfterTool", Some("^(write_file|replace|run_shell_command|mcp_.+)$")),
            ("AfterAgent", None),
        ],
        Agent::Devin => claudes("^(write|edit|apply_patch|exec|mcp__.+)$"),
        // Windsurf ignores the output of its other hooks.
        Agent::Windsurf => vec![("pre_write_code", None), ("pre_run_command", None)],
        Agent::Copilot | Agent::VsCode => {
            vec![("sessionStart", None), ("preToolUse", None), ("postToolUse", None), ("agentStop", None)]
        }
        Agent::Cursor => vec![
            ("sessionStart", None),
            ("preToolUse", Some("Write|Shell")),
            ("postToolUse", Some("Write|Shell")),
            ("stop", None),
        ],
        _ => Vec::new(),
    }
}

/// The events of an agent with Claude Code's event names, for these tools.
fn claudes(tools: &'static str) -> Vec<(&'static str, Option<&'static str>)> {
    vec![("SessionStart", None), ("PreToolUse", Some(tools)), ("PostToolUse", Some(tools)), ("Stop", None)]
}
