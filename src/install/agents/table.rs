//! Where agents read their hooks from, and the events and matchers of phaser's hooks.

use serde_json::{Value, json};

use super::super::TIMEOUT;
use super::command_of;
use crate::agents::Client;

/// The base directory of a hook file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
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
    pub client: Client,
    pub base: Base,
    /// The file, or the directory of programs.
    pub path: &'static str,
    pub(super) shape: FileShape,
}

/// All locations in which phaser can install hooks for an agent.
pub fn homes(client: Client) -> Vec<Home> {
    if client == Client::Devin {
        let home = |base, path, shape| Home { client, base, path, shape };
        return vec![
            home(Base::Project, ".devin/hooks.v1.json", FileShape::TopLevel),
            home(Base::User, ".config/devin/config.json", FileShape::Groups),
        ];
    }
    let (shape, project, user) = match client {
        Client::Codex => (FileShape::Groups, ".codex/hooks.json", ".codex/hooks.json"),
        Client::Copilot | Client::VsCode => {
            (FileShape::Flat, ".github/hooks/phaser.json", ".copilot/hooks/phaser.json")
        }
        Client::Cursor => (FileShape::Flat, ".cursor/hooks.json", ".cursor/hooks.json"),
        Client::Gemini => (FileShape::Groups, ".gemini/settings.json", ".gemini/settings.json"),
        Client::Qwen => (FileShape::Groups, ".qwen/settings.json", ".qwen/settings.json"),
        Client::Droid => (FileShape::TopLevel, ".factory/hooks.json", ".factory/hooks.json"),
        Client::Opencode => {
            (FileShape::Plugin, ".opencode/plugin/phaser.js", ".config/opencode/plugin/phaser.js")
        }
        Client::Cline => (FileShape::Programs, ".cline/hooks", ".cline/hooks"),
        Client::Windsurf => (FileShape::Unversioned, ".windsurf/hooks.json", ".codeium/windsurf/hooks.json"),
        // Kiro reads hooks from the files of the user's own agents.
        Client::Claude | Client::Devin | Client::Kiro => return Vec::new(),
    };
    let home = |base, path| Home { client, base, path, shape };
    vec![home(Base::Project, project), home(Base::User, user)]
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
    pub(super) fn of(client: Client) -> Vec<Self> {
        let command = command_of(client);
        let wanted = |(event, matcher): (&'static str, Option<&str>)| {
            let mut entry = match client {
                Client::Copilot | Client::VsCode => {
                    json!({ "type": "command", "bash": command, "timeoutSec": TIMEOUT })
                }
                Client::Cursor => json!({ "command": command, "timeout": TIMEOUT }),
                Client::Windsurf => json!({ "command": command, "show_output": true }),
                Client::Gemini => {
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
        events(client).into_iter().map(wanted).collect()
    }
}

/// The events of an agent with their matchers. Codex's shell commands may contain patches.
fn events(client: Client) -> Vec<(&'static str, Option<&'static str>)> {
    match client {
        Client::Codex => claudes("^(apply_patch|Bash|mcp__.+)$", "^(apply_patch|Bash|mcp__.+)$"),
        Client::Qwen => {
            claudes("^(write_file|edit|mcp__.+)$", "^(write_file|edit|run_shell_command|mcp__.+)$")
        }
        Client::Droid => claudes(
            "^(Create|Edit|MultiEdit|ApplyPatch|mcp__.+)$",
            "^(Create|Edit|MultiEdit|ApplyPatch|Execute|mcp__.+)$",
        ),
        Client::Gemini => vec![
            ("SessionStart", None),
            ("BeforeTool", Some("^(write_file|replace|mcp_.+)$")),
            ("AfterTool", Some("^(write_file|replace|run_shell_command|mcp_.+)$")),
            ("AfterAgent", None),
        ],
        Client::Devin => {
            claudes("^(write|edit|apply_patch|mcp__.+)$", "^(write|edit|apply_patch|exec|mcp__.+)$")
        }
        // Windsurf ignores the output of its other hooks.
        Client::Windsurf => vec![("pre_write_code", None)],
        Client::Copilot | Client::VsCode => {
            vec![("sessionStart", None), ("preToolUse", None), ("postToolUse", None), ("agentStop", None)]
        }
        Client::Cursor => vec![
            ("sessionStart", None),
            ("preToolUse", Some("Write")),
            ("postToolUse", Some("Write|Shell")),
            ("stop", None),
        ],
        _ => Vec::new(),
    }
}

/// The events of an agent with Claude Code's event names.
fn claudes(before: &'static str, after: &'static str) -> Vec<(&'static str, Option<&'static str>)> {
    vec![("SessionStart", None), ("PreToolUse", Some(before)), ("PostToolUse", Some(after)), ("Stop", None)]
}
