//! Which agents keep their hooks where, and for which events and tools phaser has one.

use serde_json::{Value, json};

use super::super::TIMEOUT;
use super::command_of;
use crate::agents::Client;

/// From where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The project.
    Project,
    /// The user's home directory.
    User,
}

/// How a file holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `hooks`, by event, groups with a matcher and their `hooks`: as Claude Code has it.
    Groups,
    /// The same, with the events at the top.
    TopLevel,
    /// `hooks`, by event, the hooks themselves; with a `version`.
    Flat,
    /// The same, without a `version`.
    Unversioned,
    /// A plugin.
    Plugin,
    /// A directory with a program for each event.
    Programs,
}

impl Shape {
    /// What the file must say about its form.
    pub(super) fn version(self) -> Option<Value> {
        (self == Self::Flat).then(|| json!(1))
    }
}

/// Where a client keeps its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    /// The client.
    pub client: Client,
    /// From where the path starts.
    pub base: Base,
    /// The file, or the directory of programs.
    pub path: &'static str,
    pub(super) shape: Shape,
}

/// Everywhere that phaser can put hooks for a client.
pub fn homes(client: Client) -> Vec<Home> {
    if client == Client::Devin {
        let home = |base, path, shape| Home { client, base, path, shape };
        return vec![
            home(Base::Project, ".devin/hooks.v1.json", Shape::TopLevel),
            home(Base::User, ".config/devin/config.json", Shape::Groups),
        ];
    }
    let (shape, project, user) = match client {
        Client::Codex => (Shape::Groups, ".codex/hooks.json", ".codex/hooks.json"),
        Client::Copilot | Client::VsCode => {
            (Shape::Flat, ".github/hooks/phaser.json", ".copilot/hooks/phaser.json")
        }
        Client::Cursor => (Shape::Flat, ".cursor/hooks.json", ".cursor/hooks.json"),
        Client::Gemini => (Shape::Groups, ".gemini/settings.json", ".gemini/settings.json"),
        Client::Qwen => (Shape::Groups, ".qwen/settings.json", ".qwen/settings.json"),
        Client::Droid => (Shape::TopLevel, ".factory/hooks.json", ".factory/hooks.json"),
        Client::Opencode => {
            (Shape::Plugin, ".opencode/plugin/phaser.js", ".config/opencode/plugin/phaser.js")
        }
        Client::Cline => (Shape::Programs, ".cline/hooks", ".cline/hooks"),
        Client::Windsurf => (Shape::Unversioned, ".windsurf/hooks.json", ".codeium/windsurf/hooks.json"),
        // A hook of Kiro's belongs to one of the user's own agents, and stands in that one's file.
        Client::Claude | Client::Devin | Client::Kiro => return Vec::new(),
    };
    let home = |base, path| Home { client, base, path, shape };
    vec![home(Base::Project, project), home(Base::User, user)]
}

/// What a hook of Cline's says at the start does not reach the model.
pub(super) const EVENTS_OF_CLINE: [&str; 2] = ["PreToolUse", "PostToolUse"];

/// One hook to install.
pub(super) struct Wanted {
    /// The event.
    pub event: &'static str,
    /// What stands in the list of the event.
    pub entry: Value,
}

impl Wanted {
    /// The hooks of a client, in the order they are written.
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

/// The events of a client, each with the tools that it is for. A patch may stand in a shell command of Codex's.
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
        // It takes nothing from a hook after an edit, nor at the start or the end.
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

/// The events of a client that names them as Claude Code does.
fn claudes(before: &'static str, after: &'static str) -> Vec<(&'static str, Option<&'static str>)> {
    vec![("SessionStart", None), ("PreToolUse", Some(before)), ("PostToolUse", Some(after)), ("Stop", None)]
}
