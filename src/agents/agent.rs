//! Recognises the agent that sent an event: by the keys of the event, then by environment variables that the agent sets for
//! its hooks. The default is Claude Code.

use serde_json::Value;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Anthropic's Claude Code.
    Claude,
    /// OpenAI's Codex CLI.
    Codex,
    /// GitHub's Copilot CLI and cloud agent.
    Copilot,
    /// Cursor: the editor, the CLI and the SDK.
    Cursor,
    /// The local agent of Visual Studio Code.
    VsCode,
    /// Google's Gemini CLI.
    Gemini,
    /// Qwen Code, a fork of Gemini CLI.
    Qwen,
    /// Factory's droid.
    Droid,
    /// opencode, and its fork Kilo.
    Opencode,
    Cline,
    Windsurf,
    Devin,
    Kiro,
}

impl Client {
    pub const ALL: [Self; 13] = [
        Self::Claude,
        Self::Codex,
        Self::Copilot,
        Self::Cursor,
        Self::VsCode,
        Self::Gemini,
        Self::Qwen,
        Self::Droid,
        Self::Opencode,
        Self::Cline,
        Self::Windsurf,
        Self::Devin,
        Self::Kiro,
    ];

    /// The value of `--agent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Droid => "droid",
            Self::Opencode => "opencode",
            Self::Cline => "cline",
            Self::Windsurf => "windsurf",
            Self::Devin => "devin",
            Self::Kiro => "kiro",
        }
    }

    /// The product name, for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "GitHub Copilot",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::Droid => "droid",
            Self::Opencode => "opencode",
            Self::Cline => "Cline",
            Self::Windsurf => "Windsurf",
            Self::Devin => "Devin",
            Self::Kiro => "Kiro",
        }
    }

    /// Environment variables that agents set for their hooks. The first one that is set wins: Qwen Code sets Gemini CLI's
    /// too.
    pub const VARIABLES: [(&'static str, Self); 7] = [
        ("COPILOT_CLI", Self::Copilot),
        ("CURSOR_VERSION", Self::Cursor),
        ("QWEN_PROJECT_DIR", Self::Qwen),
        ("GEMINI_PROJECT_DIR", Self::Gemini),
        ("FACTORY_PROJECT_DIR", Self::Droid),
        ("DROID_PROJECT_DIR", Self::Droid),
        ("DEVIN_PROJECT_DIR", Self::Devin),
    ];

    /// The agent that sent `event`. `environment` decides only where the event is ambiguous: an agent may run in the shell
    /// of another one.
    pub fn of(event: &Value, environment: Option<Self>) -> Self {
        let has = |key: &str| event.get(key).is_some();
        match event.get("hook_event_name").and_then(Value::as_str) {
            Some(name) if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                if has("cursor_version") || has("conversation_id") || has("workspace_roots") {
                    Self::Cursor
                } else if KIRO.contains(&name) {
                    Self::Kiro
                } else {
                    Self::Claude
                }
            }
            Some(name) if GEMINI.contains(&name) => Self::Gemini,
            Some(_) => of_common_event(event, environment),
            None if has("toolName") && has("toolArgs") => Self::Copilot,
            None if has("hookName") => {
                if has("taskId") || has("tool_call") || has("tool_result") {
                    Self::Cline
                } else {
                    Self::Copilot
                }
            }
            None if has("agent_action_name") => Self::Windsurf,
            None if has("hook") && has("directory") => Self::Opencode,
            None if has("hookEventName") => {
                if has("timestamp") {
                    Self::VsCode
                } else {
                    Self::Claude
                }
            }
            None if has("sessionId") && event["timestamp"].is_number() => Self::Copilot,
            None => by_tool(event).or(environment).unwrap_or(Self::Claude),
        }
    }
}

/// The events of Kiro. Cursor has some of the same names.
const KIRO: [&str; 5] = ["preToolUse", "postToolUse", "agentSpawn", "userPromptSubmit", "stop"];

/// Events that only Gemini CLI has.
const GEMINI: [&str; 8] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

/// The directories in which agents store their transcripts.
const TRANSCRIPTS: [(&str, Client); 6] = [
    (".claude", Client::Claude),
    (".codex", Client::Codex),
    (".qwen", Client::Qwen),
    (".gemini", Client::Gemini),
    (".factory", Client::Droid),
    (".copilot", Client::Copilot),
];

/// The agent that sent an event whose name several agents use.
fn of_common_event(event: &Value, environment: Option<Client>) -> Client {
    let has = |key: &str| event.get(key).is_some();
    if has("turn_id") {
        return Client::Codex;
    }
    let transcript = event.get("transcript_path").and_then(Value::as_str);
    let names = transcript.into_iter().flat_map(|path| path.split(['/', '\\']));
    let known = |name: &str| TRANSCRIPTS.iter().find(|(directory, _)| *directory == name);
    if let Some((_, client)) = names.filter(|name| name.starts_with('.')).find_map(known) {
        return *client;
    }
    // Claude Code sends no timestamp.
    if has("timestamp") {
        return match (by_tool(event), environment) {
            (Some(client), _) => client,
            (None, Some(client @ (Client::Copilot | Client::Qwen | Client::Gemini))) => client,
            (None, _) if has("tool_call_id") || has("prompt_id") => Client::Qwen,
            (None, _) if transcript.is_some() => Client::VsCode,
            (None, _) => Client::Copilot,
        };
    }
    by_tool(event).unwrap_or(match environment {
        Some(client @ (Client::Droid | Client::Devin)) if !has("tool_use_id") => client,
        _ => Client::Claude,
    })
}

/// The agent that has this tool, if only one does.
fn by_tool(event: &Value) -> Option<Client> {
    let input = event.get("tool_input")?;
    if input.get("file_text").is_some()
        || input.as_str().is_some_and(phaser_project::tool_call::patch::is_patch)
    {
        return Some(Client::Copilot);
    }
    match event.get("tool_name")?.as_str()? {
        "apply_patch" if input.get("input").is_some() => Some(Client::VsCode),
        "apply_patch" => Some(Client::Codex),
        "Edit" if input.get("path").is_some() => Some(Client::Copilot),
        "write_file" | "run_shell_command" => Some(Client::Qwen),
        "edit" if event.get("tool_call_id").is_some() => Some(Client::Qwen),
        "Create" | "ApplyPatch" | "Execute" => Some(Client::Droid),
        "create_file"
        | "replace_string_in_file"
        | "multi_replace_string_in_file"
        | "insert_edit_into_file"
        | "run_in_terminal" => Some(Client::VsCode),
        "write" | "edit" | "exec" => Some(Client::Devin),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(event: Value) -> Client {
        Client::of(&event, None)
    }

    #[test]
    fn recognises_claude_in_any_environment() {
        let transcript = "/nowhere/.claude/projects/-nowhere/0b7c.jsonl";
        let plain = json!({ "tool_name": "Write", "tool_input": { "file_path": "a", "content": "x" } });
        let full = json!({ "session_id": "s", "transcript_path": transcript, "cwd": "/p", "prompt_id": "p",
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": { "file_path": "a", "old_string": "x", "new_string": "y" }, "tool_use_id": "t" });
        let stop =
            json!({ "hook_event_name": "Stop", "transcript_path": transcript, "stop_hook_active": false });
        let camel =
            json!({ "hookEventName": "PreToolUse", "toolName": "Write", "toolInput": { "filePath": "a" } });
        for event in [&plain, &full, &stop, &camel] {
            assert_eq!(Client::of(event, None), Client::Claude, "{event}");
        }
        for (_, client) in Client::VARIABLES {
            assert_eq!(Client::of(&full, Some(client)), Client::Claude);
            assert_eq!(Client::of(&stop, Some(client)), Client::Claude);
        }
        // With its settings elsewhere, in the shell of another agent.
        let moved = json!({ "hook_event_name": "PreToolUse", "transcript_path": "/c/projects/x.jsonl",
            "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t" });
        for (_, client) in Client::VARIABLES {
            assert_eq!(Client::of(&moved, Some(client)), Client::Claude);
        }
        assert_eq!(Client::of(&json!({}), None), Client::Claude);
    }

    #[test]
    fn recognises_agent_by_event() {
        assert_eq!(of(json!({ "hook_event_name": "preToolUse", "cursor_version": "3" })), Client::Cursor);
        assert_eq!(of(json!({ "hook_event_name": "preToolUse", "tool_name": "fs_write" })), Client::Kiro);
        assert_eq!(of(json!({ "hook_event_name": "pre-tool-use" })), Client::Claude);
        assert_eq!(of(json!({ "agent_action_name": "pre_write_code" })), Client::Windsurf);
        let vscode =
            json!({ "hookEventName": "PreToolUse", "timestamp": "2026", "tool_name": "create_file" });
        assert_eq!(of(vscode), Client::VsCode);
        let vscode = json!({ "hook_event_name": "PreToolUse", "timestamp": "2026", "tool_name": "create_file",
            "tool_input": { "filePath": "a" } });
        assert_eq!(of(vscode), Client::VsCode);
        let patch =
            json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": "*** Begin Patch" });
        assert_eq!(of(patch), Client::Copilot);
    }

    #[test]
    fn environment_decides_ambiguous_events() {
        let start = json!({ "hook_event_name": "SessionStart", "timestamp": "2026" });
        assert_eq!(Client::of(&start, Some(Client::Gemini)), Client::Gemini);
        assert_eq!(Client::of(&start, Some(Client::Qwen)), Client::Qwen);
        assert_eq!(Client::of(&start, Some(Client::Copilot)), Client::Copilot);
        assert_eq!(Client::of(&json!({}), Some(Client::Cursor)), Client::Cursor);
        let stop = json!({ "hook_event_name": "Stop" });
        assert_eq!(Client::of(&stop, Some(Client::Droid)), Client::Droid);
    }

    #[test]
    fn recognises_every_recorded_event() {
        let recorded = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/agents");
        let clients = [
            ("cline", Client::Cline),
            ("codex", Client::Codex),
            ("copilot", Client::Copilot),
            ("droid", Client::Droid),
            ("gemini", Client::Gemini),
            ("opencode", Client::Opencode),
            ("qwen", Client::Qwen),
        ];
        let mut seen = 0;
        for (name, client) in clients {
            let own = Client::VARIABLES.into_iter().map(|(_, client)| client).find(|of| *of == client);
            for file in std::fs::read_dir(recorded.join(name)).expect("recorded events") {
                let path = file.expect("an entry").path();
                if path.file_stem().is_some_and(|name| name == "environment") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("is text");
                let event: Value = serde_json::from_str(&text).expect("is JSON");
                // With the agent's variables, and without any, as in a replayed event.
                assert_eq!(Client::of(&event, own), client, "{}", path.display());
                assert_eq!(Client::of(&event, None), client, "{}", path.display());
                seen += 1;
            }
        }
        assert!(seen > 70, "{seen}");
    }
}
