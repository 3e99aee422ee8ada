//! The events of the client, each with what is known of it: all 33 of the newest client, and any other by its name.

use serde_json::{Map, Value};

use super::request::{Request, Stop, ToolCall, ToolRun};
use super::tool::Fields;

/// What happened, with what is known of it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A tool is about to run.
    PreToolUse(ToolCall<'a>),
    /// A tool has run.
    PostToolUse(ToolRun<'a>),
    /// A tool has failed.
    PostToolUseFailure(ToolRun<'a>),
    /// All tools of a message have run. To block here ends the turn.
    PostToolBatch {
        /// The calls, each with `tool_name`, `tool_input` and its result.
        tool_calls: Option<&'a [Value]>,
    },
    /// The user is about to be asked for permission.
    PermissionRequest(ToolCall<'a>),
    /// A call was denied.
    PermissionDenied {
        /// The call.
        call: ToolCall<'a>,
        /// Why.
        reason: Option<&'a str>,
    },
    /// The user has sent a prompt.
    UserPromptSubmit {
        /// The prompt.
        prompt: Option<&'a str>,
    },
    /// A command in a prompt becomes a text.
    UserPromptExpansion {
        /// The command.
        command_name: Option<&'a str>,
        /// What it was given.
        command_args: Option<&'a str>,
        /// The text.
        prompt: Option<&'a str>,
    },
    /// A session begins.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or `fork`.
        source: Option<&'a str>,
        /// The file that keeps environment variables for the session. Today's clients name it in
        /// the environment instead, as `CLAUDE_ENV_FILE`.
        env_file: Option<&'a str>,
    },
    /// A session ends.
    SessionEnd {
        /// Why it ends.
        reason: Option<&'a str>,
    },
    /// The project is set up for the client.
    Setup {
        /// `init` or `maintenance`.
        trigger: Option<&'a str>,
    },
    /// The assistant is about to stop.
    Stop(Stop<'a>),
    /// The assistant stops because of an error.
    StopFailure {
        /// What went wrong.
        error: Option<&'a str>,
        /// The same in detail.
        error_details: Option<&'a str>,
    },
    /// A subagent begins.
    SubagentStart(Subagent<'a>),
    /// A subagent is about to stop. One without a type is a helper of the client's own.
    SubagentStop(Stop<'a>),
    /// The client tells the user something.
    Notification {
        /// What it says.
        message: Option<&'a str>,
        /// Its title.
        title: Option<&'a str>,
    },
    /// A piece of an answer is shown.
    MessageDisplay {
        /// The piece.
        delta: Option<&'a str>,
        /// Is it the last one?
        is_final: bool,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// What the user asked to be kept.
        custom_instructions: Option<&'a str>,
    },
    /// The conversation was compacted.
    PostCompact {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// What is left of it.
        compact_summary: Option<&'a str>,
    },
    /// Another model is about to answer.
    PreModelSwitch(ModelSwitch<'a>),
    /// Another model answers from now on.
    PostModelSwitch(ModelSwitch<'a>),
    /// Settings of the client changed. To block keeps the old ones.
    ConfigChange {
        /// `user_settings`, `project_settings`, `local_settings`, `policy_settings` or `skills`.
        source: Option<&'a str>,
        /// The file.
        file_path: Option<&'a str>,
    },
    /// A file that is watched changed.
    FileChanged {
        /// The file.
        file_path: Option<&'a str>,
        /// `change`, `add` or `unlink`.
        event: Option<&'a str>,
    },
    /// The client is in another directory now.
    CwdChanged {
        /// Where it was.
        old_cwd: Option<&'a str>,
        /// Where it is.
        new_cwd: Option<&'a str>,
    },
    /// A directory is one of the session's now.
    DirectoryAdded {
        /// The directory.
        directory: Option<&'a str>,
        /// Who added it.
        source: Option<&'a str>,
    },
    /// A file with instructions was read.
    InstructionsLoaded {
        /// The file.
        file_path: Option<&'a str>,
        /// `User`, `Project`, `Local` or `Managed`.
        memory_type: Option<&'a str>,
        /// Why it was read.
        load_reason: Option<&'a str>,
    },
    /// A member of a team has nothing to do.
    TeammateIdle {
        /// Who.
        teammate_name: Option<&'a str>,
        /// In which team.
        team_name: Option<&'a str>,
    },
    /// A task was written down.
    TaskCreated(Task<'a>),
    /// A task is done.
    TaskCompleted(Task<'a>),
    /// An MCP server asks the user something.
    Elicitation {
        /// The server.
        mcp_server_name: Option<&'a str>,
        /// What it says.
        message: Option<&'a str>,
        /// The schema of an answer.
        requested_schema: Option<&'a Map<String, Value>>,
    },
    /// The user has answered an MCP server.
    ElicitationResult {
        /// The server.
        mcp_server_name: Option<&'a str>,
        /// `accept`, `decline` or `cancel`.
        action: Option<&'a str>,
        /// The answer.
        content: Option<&'a Map<String, Value>>,
    },
    /// A worktree is to be made.
    WorktreeCreate {
        /// Its name.
        name: Option<&'a str>,
    },
    /// A worktree is to be removed.
    WorktreeRemove {
        /// Where it is.
        worktree_path: Option<&'a str>,
    },
    /// An event that this version does not know, by its name.
    Unknown(&'a str),
}

/// A subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subagent<'a> {
    /// Its name in the session.
    pub agent_id: Option<&'a str>,
    /// What it is for; nothing for a helper of the client's own.
    pub agent_type: Option<&'a str>,
    /// The file that holds its own transcript.
    pub transcript_path: Option<&'a str>,
}

/// One model after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSwitch<'a> {
    /// The one before.
    pub from_model: Option<&'a str>,
    /// The one after.
    pub to_model: Option<&'a str>,
    /// Who wants it.
    pub source: Option<&'a str>,
}

/// A task of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a> {
    /// Its name.
    pub task_id: Option<&'a str>,
    /// What it is about.
    pub task_subject: Option<&'a str>,
    /// The same in detail.
    pub task_description: Option<&'a str>,
    /// Whose it is.
    pub teammate_name: Option<&'a str>,
}

impl<'a> Event<'a> {
    /// The event of a request.
    pub(super) fn of(request: &'a Request) -> Self {
        let name = request.hook_event_name();
        Self::of_tool(request, name)
            .or_else(|| Self::of_turn(request, name))
            .or_else(|| Self::of_surroundings(request.fields(), name))
            .unwrap_or(Self::Unknown(name))
    }

    /// An event about the call of a tool.
    fn of_tool(request: &'a Request, name: &str) -> Option<Self> {
        let fields = request.fields();
        Some(match name {
            "PreToolUse" => Self::PreToolUse(request.tool_call()),
            "PostToolUse" => Self::PostToolUse(request.tool_run()),
            "PostToolUseFailure" => Self::PostToolUseFailure(request.tool_run()),
            "PostToolBatch" => Self::PostToolBatch {
                tool_calls: fields.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice),
            },
            "PermissionRequest" => Self::PermissionRequest(request.tool_call()),
            "PermissionDenied" => {
                Self::PermissionDenied { call: request.tool_call(), reason: fields.text("reason") }
            }
            _ => return None,
        })
    }

    /// An event of a conversation: its beginning, its turns, its end.
    fn of_turn(request: &'a Request, name: &str) -> Option<Self> {
        let fields = request.fields();
        let text = |name| fields.text(name);
        Some(match name {
            "UserPromptSubmit" => Self::UserPromptSubmit { prompt: request.prompt() },
            "UserPromptExpansion" => Self::UserPromptExpansion {
                command_name: text("command_name"),
                command_args: text("command_args"),
                prompt: request.prompt(),
            },
            "SessionStart" => Self::SessionStart { source: text("source"), env_file: text("env_file") },
            "SessionEnd" => Self::SessionEnd { reason: text("reason") },
            "Setup" => Self::Setup { trigger: text("trigger") },
            "Stop" => Self::Stop(request.stop()),
            "StopFailure" => Self::StopFailure { error: text("error"), error_details: text("error_details") },
            "SubagentStart" => Self::SubagentStart(Subagent::of(fields)),
            "SubagentStop" => Self::SubagentStop(request.stop()),
            "Notification" => Self::Notification { message: text("message"), title: text("title") },
            "MessageDisplay" => Self::MessageDisplay { delta: text("delta"), is_final: fields.flag("final") },
            "PreCompact" => Self::PreCompact {
                trigger: text("trigger"),
                custom_instructions: text("custom_instructions"),
            },
            "PostCompact" => {
                Self::PostCompact { trigger: text("trigger"), compact_summary: text("compact_summary") }
            }
            "PreModelSwitch" => Self::PreModelSwitch(ModelSwitch::of(fields)),
            "PostModelSwitch" => Self::PostModelSwitch(ModelSwitch::of(fields)),
            _ => return None,
        })
    }

    /// An event around a conversation: settings, files, teams, servers, worktrees.
    fn of_surroundings(fields: Fields<'a>, name: &str) -> Option<Self> {
        let text = |name| fields.text(name);
        let object = |name| fields.get(name).and_then(Value::as_object);
        Some(match name {
            "ConfigChange" => Self::ConfigChange { source: text("source"), file_path: text("file_path") },
            "FileChanged" => Self::FileChanged { file_path: text("file_path"), event: text("event") },
            "CwdChanged" => Self::CwdChanged { old_cwd: text("old_cwd"), new_cwd: text("new_cwd") },
            "DirectoryAdded" => Self::DirectoryAdded { directory: text("directory"), source: text("source") },
            "InstructionsLoaded" => Self::InstructionsLoaded {
                file_path: text("file_path"),
                memory_type: text("memory_type"),
                load_reason: text("load_reason"),
            },
            "TeammateIdle" => {
                Self::TeammateIdle { teammate_name: text("teammate_name"), team_name: text("team_name") }
            }
            "TaskCreated" => Self::TaskCreated(Task::of(fields)),
            "TaskCompleted" => Self::TaskCompleted(Task::of(fields)),
            "Elicitation" => Self::Elicitation {
                mcp_server_name: text("mcp_server_name"),
                message: text("message"),
                requested_schema: object("requested_schema"),
            },
            "ElicitationResult" => Self::ElicitationResult {
                mcp_server_name: text("mcp_server_name"),
                action: text("action"),
                content: object("content"),
            },
            "WorktreeCreate" => Self::WorktreeCreate { name: text("name") },
            "WorktreeRemove" => Self::WorktreeRemove { worktree_path: text("worktree_path") },
            _ => return None,
        })
    }
}

impl<'a> Subagent<'a> {
    pub(super) fn of(fields: Fields<'a>) -> Self {
        Self {
            agent_id: fields.text("agent_id"),
            agent_type: fields.text("agent_type").filter(|kind| !kind.is_empty()),
            transcript_path: fields.text("agent_transcript_path"),
        }
    }
}

impl<'a> ModelSwitch<'a> {
    fn of(fields: Fields<'a>) -> Self {
        Self {
            from_model: fields.text("from_model"),
            to_model: fields.text("to_model"),
            source: fields.text("source"),
        }
    }
}

impl<'a> Task<'a> {
    fn of(fields: Fields<'a>) -> Self {
        Self {
            task_id: fields.text("task_id"),
            task_subject: fields.text("task_subject"),
            task_description: fields.text("task_description"),
            teammate_name: fields.text("teammate_name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Every event of the newest client, with an input as it sends it.
    fn inputs() -> Vec<(&'static str, Value)> {
        let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t" });
        let switch = json!({ "from_model": "a", "to_model": "b", "source": "command" });
        let task = json!({ "task_id": "1", "task_subject": "s", "teammate_name": "n" });
        let agent = json!({ "agent_id": "i", "agent_type": "k" });
        vec![
            ("PreToolUse", tool.clone()),
            ("PostToolUse", tool.clone()),
            ("PostToolUseFailure", tool.clone()),
            ("PostToolBatch", json!({ "tool_calls": [{ "tool_name": "Bash" }] })),
            ("PermissionRequest", tool.clone()),
            ("PermissionDenied", json!({ "tool_name": "Bash", "reason": "r" })),
            ("UserPromptSubmit", json!({ "prompt": "p" })),
            ("UserPromptExpansion", json!({ "command_name": "c", "command_args": "a", "prompt": "p" })),
            ("SessionStart", json!({ "source": "startup" })),
            ("SessionEnd", json!({ "reason": "clear" })),
            ("Setup", json!({ "trigger": "init" })),
            ("Stop", json!({ "stop_hook_active": true, "agent_id": "i", "agent_type": "k" })),
            ("StopFailure", json!({ "error": "e", "error_details": "d" })),
            ("SubagentStart", agent.clone()),
            ("SubagentStop", agent),
            ("Notification", json!({ "message": "m" })),
            ("MessageDisplay", json!({ "delta": "d", "final": true })),
            ("PreCompact", json!({ "trigger": "auto", "custom_instructions": null })),
            ("PostCompact", json!({ "trigger": "auto", "compact_summary": "s" })),
            ("PreModelSwitch", switch.clone()),
            ("PostModelSwitch", switch),
            (
                "ConfigChange",
                json!({ "source": "project_settings", "file_path": "/p/.claude/settings.json" }),
            ),
            ("FileChanged", json!({ "file_path": "/p/a", "event": "add" })),
            ("CwdChanged", json!({ "old_cwd": "/p", "new_cwd": "/q" })),
            ("DirectoryAdded", json!({ "directory": "/d", "source": "slash_command" })),
            (
                "InstructionsLoaded",
                json!({ "file_path": "/p/CLAUDE.md", "memory_type": "Project", "load_reason": "include" }),
            ),
            ("TeammateIdle", json!({ "teammate_name": "n", "team_name": "t" })),
            ("TaskCreated", task.clone()),
            ("TaskCompleted", task),
            ("Elicitation", json!({ "mcp_server_name": "s", "message": "m", "requested_schema": {} })),
            ("ElicitationResult", json!({ "mcp_server_name": "s", "action": "accept", "content": {} })),
            ("WorktreeCreate", json!({ "name": "n" })),
            ("WorktreeRemove", json!({ "worktree_path": "/w" })),
        ]
    }

    fn request(name: &str, mut input: Value) -> Request {
        input["hook_event_name"] = json!(name);
        Request::read(input.to_string().as_bytes()).expect("a request")
    }

    #[test]
    fn every_event_of_the_client_has_a_type_with_its_fields() {
        let inputs = inputs();
        assert_eq!(inputs.len(), 33);
        for (name, input) in inputs {
            let shown = format!("{:?}", request(name, input.clone()).event());
            assert!(shown.starts_with(name), "{shown}");
            // Every word of the input is in the event.
            let words = input.as_object().expect("an object").values().filter_map(Value::as_str);
            for word in words.filter(|word| *word != "r") {
                assert!(shown.contains(&format!("{word:?}")) || shown.contains(word), "{word}: {shown}");
            }
        }
    }

    #[test]
    fn a_helper_of_the_client_has_no_type() {
        for input in [json!({ "agent_id": "i", "agent_type": "" }), json!({ "agent_id": "i" })] {
            let request = request("SubagentStop", input);
            let Event::SubagentStop(stop) = request.event() else { panic!("{:?}", request.event()) };
            assert_eq!((stop.agent.agent_id, stop.agent.agent_type), (Some("i"), None));
        }
    }
}
