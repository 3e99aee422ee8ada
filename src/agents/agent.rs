//! Recognises the agent that sent an event: by the keys of the event, then by environment variables that the agent sets for
//! its hooks. The default is Claude Code.

use serde_json::Value;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
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

impl Agent {
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
        self.names().0
    }

    /// The product name, for messages.
    pub fn title(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("claude", "Claude Code"),
            Self::Codex => ("codex", "Codex"),
            Self::Copilot => ("copilot", "GitHub Copilot"),
            Self::Cursor => ("cursor", "Cursor"),
            Self::VsCode => ("vscode", "Visual Studio Code"),
            Self::Gemini => ("gemini", "Gemini CLI"),
            Self::Qwen => ("qwen", "Qwen Code"),
            Self::Droid => ("droid", "droid"),
            Self::Opencode => ("opencode", "opencode"),
            Self::Cline => ("cline", "Cline"),
            Self::Windsurf => ("windsurf", "Windsurf"),
            Self::Devin => ("devin", "Devin"),
            Self::Kiro => ("kiro", "Kiro"),
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
                if has("timestamp") || by_tool(event) == Some(Self::VsCode) {
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
const TRANSCRIPTS: [(&str, Agent); 6] = [
    (".claude", Agent::Claude),
    (".codex", Agent::Codex),
    (".qwen", Agent::Qwen),
    (".gemini", Agent::Gemini),
    (".factory", Agent::Droid),
    (".copilot", Agent::Copilot),
];

/// The agent that sent an event whose name several agents use.
fn of_common_event(event: &Value, environment: Option<Agent>) -> Agent {
    let has = |key: &str| event.get(key).is_some();
    if has("turn_id") {
        return Agent::Codex;
    }
    let transcript = event.get("transcript_path").and_then(Value::as_str);
    let names = transcript.into_iter().flat_map(|path| path.split(['/', '\\']));
    let known = |name: &str| TRANSCRIPTS.iter().find(|(directory, _)| *directory == name);
    if let Some((_, agent)) = names.filter(|name| name.starts_with('.')).find_map(known) {
        return *agent;
    }
    // Claude Code sends no timestamp.
    if has("timestamp") {
        return match (by_tool(event), environment) {
            (Some(agent), _) => agent,
            (None, Some(agent @ (Agent::Copilot | Agent::Qwen | Agent::Gemini))) => agent,
            (None, _) if has("tool_call_id") || has("prompt_id") => Agent::Qwen,
            (None, _) if transcript.is_some() => Agent::VsCode,
            (None, _) => Agent::Copilot,
        };
    }
    by_tool(event).unwrap_or(match environment {
        Some(agent @ (Agent::Droid | Agent::Devin)) if !has("tool_use_id") => agent,
        _ => Agent::Claude,
    })
}

/// The agent that has this tool, if only one does.
fn by_tool(event: &Value) -> Option<Agent> {
    let input = event.get("tool_input")?;
    if input.get("file_text").is_some()
        || input.as_str().is_some_and(phaser_project::tool_call::patch::is_patch)
    {
        return Some(Agent::Copilot);
    }
    match event.get("tool_name")?.as_str()? {
        "apply_patch" if input.get("input").is_some() => Some(Agent::VsCode),
        "apply_patch" => Some(Agent::Codex),
        "Edit" if input.get("path").is_some() => Some(Agent::Copilot),
        "write_file" | "run_shell_command" => Some(Agent::Qwen),
        "edit" if event.get("tool_call_id").is_some() => Some(Agent::Qwen),
        "Create" | "ApplyPatch" | "Execute" => Some(Agent::Droid),
        "create_file"
        | "replace_string_in_file"
        | "multi_replace_string_in_file"
        | "insert_edit_into_file"
        | "run_in_terminal" => Some(Agent::VsCode),
        "write" | "edit" | "exec" => Some(Agent::Devin),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(event: Value) -> Agent {
        Agent::of(&event, None)
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
            assert_eq!(Agent::of(event, None), Agent::Claude, "{event}");
        }
        for (_, agent) in Agent::VARIABLES {
            assert_eq!(Agent::of(&full, Some(agent)), Agent::Claude);
            assert_eq!(Agent::of(&stop, Some(agent)), Agent::Claude);
        }
        // With its settings elsewhere, in the shell of another agent.
        let moved = json!({ "hook_event_name": "PreToolUse", "transcript_path": "/c/projects/x.jsonl",
            "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t" });
        for (_, agent) in Agent::VARIABLES {
            assert_eq!(Agent::of(&moved, Some(agent)), Agent::Claude);
        }
        assert_eq!(Agent::of(&json!({}), None), Agent::Claude);
    }

    #[test]
    fn recognises_agent_by_event() {
        assert_eq!(of(json!({ "hook_event_name": "preToolUse", "cursor_version": "3" })), Agent::Cursor);
        assert_eq!(of(json!({ "hook_event_name": "preToolUse", "tool_name": "fs_write" })), Agent::Kiro);
        assert_eq!(of(json!({ "hook_event_name": "pre-tool-use" })), Agent::Claude);
        assert_eq!(of(json!({ "agent_action_name": "pre_write_code" })), Agent::Windsurf);
        let vscode =
            json!({ "hookEventName": "PreToolUse", "timestamp": "2026", "tool_name": "create_file" });
        assert_eq!(of(vscode), Agent::VsCode);
        let vscode = json!({ "hookEventName": "PreToolUse", "tool_name": "create_file", "tool_input": { "filePath": "a" } });
        assert_eq!(of(vscode), Agent::VsCode);
        let vscode = json!({ "hook_event_name": "PreToolUse", "timestamp": "2026", "tool_name": "create_file",
            "tool_input": { "filePath": "a" } });
        assert_eq!(of(vscode), Agent::VsCode);
        let patch =
            json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": "*** Begin Patch" });
        assert_eq!(of(patch), Agent::Copilot);
    }

    #[test]
    fn environment_decides_ambiguous_events() {
        let start = json!({ "hook_event_name": "SessionStart", "timestamp": "2026" });
        assert_eq!(Agent::of(&start, Some(Agent::Gemini)), Agent::Gemini);
        assert_eq!(Agent::of(&start, Some(Agent::Qwen)), Agent::Qwen);
        assert_eq!(Agent::of(&start, Some(Agent::Copilot)), Agent::Copilot);
        assert_eq!(Agent::of(&json!({}), Some(Agent::Cursor)), Agent::Cursor);
        let stop = json!({ "hook_event_name": "Stop" });
        assert_eq!(Agent::of(&stop, Some(Agent::Droid)), Agent::Droid);
    }

    #[test]
    fn recognises_every_recorded_event() {
        let recorded = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/agents");
        let agents = [
            ("cline", Agent::Cline),
            ("codex", Agent::Codex),
            ("copilot", Agent::Copilot),
            ("droid", Agent::Droid),
            ("gemini", Agent::Gemini),
            ("opencode", Agent::Opencode),
            ("qwen", Agent::Qwen),
        ];
        let mut seen = 0;
        for (name, agent) in agents {
            let own = Agent::VARIABLES.into_iter().map(|(_, agent)| agent).find(|of| *of == agent);
            for file in std::fs::read_dir(recorded.join(name)).expect("recorded events") {
                let path = file.expect("an entry").path();
                if path.file_stem().is_some_and(|name| name == "environment") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("is text");
                let event: Value = serde_json::from_str(&text).expect("is JSON");
                // With the agent's variables, and without any, as in a replayed event.
                assert_eq!(Agent::of(&event, own), agent, "{}", path.display());
                assert_eq!(Agent::of(&event, None), agent, "{}", path.display());
                seen += 1;
            }
        }
        assert!(seen > 70, "{seen}");
    }
}
