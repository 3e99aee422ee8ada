//! The 33 events of Claude Code with their fields; other events keep their name.

use serde_json::{Map, Value};

use super::request::{Request, Stop, ToolCall, ToolRun};
use super::tool::Fields;

/// An event with its fields. A missing field, or one of the wrong type, is `None`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A tool is about to run.
    PreToolUse(ToolCall<'a>),
    /// A tool has run.
    PostToolUse(ToolRun<'a>),
    /// A tool has failed.
    PostToolUseFailure(ToolRun<'a>),
    /// All tools of one message have run. A block ends the turn.
    PostToolBatch {
        /// The calls, each with `tool_name`, `tool_input` and its result.
        tool_calls: Option<&'a [Value]>,
    },
    /// A permission prompt is about to open.
    PermissionRequest(ToolCall<'a>),
    /// A tool call was denied.
    PermissionDenied {
        /// The denied call.
        call: ToolCall<'a>,
        /// The reason of the denial.
        reason: Option<&'a str>,
    },
    /// The user submitted a prompt.
    UserPromptSubmit {
        /// The user's text.
        prompt: Option<&'a str>,
    },
    /// A slash command expands to a prompt.
    UserPromptExpansion {
        /// Without the slash.
        command_name: Option<&'a str>,
        /// The arguments as one text.
        command_args: Option<&'a str>,
        /// The expanded prompt.
        prompt: Option<&'a str>,
    },
    /// A session starts.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or `fork`.
        source: Option<&'a str>,
        /// The file for the session's environment variables. Current versions pass it as the environment variable
        /// `CLAUDE_ENV_FILE` instead.
        env_file: Option<&'a str>,
    },
    /// A session ends.
    SessionEnd {
        /// `clear`, `resume`, `logout`, `prompt_input_exit` or `other`.
        reason: Option<&'a str>,
    },
    /// Claude Code sets up the project.
    Setup {
        /// `init` or `maintenance`.
        trigger: Option<&'a str>,
    },
    /// The agent is about to stop.
    Stop(Stop<'a>),
    /// The agent stops because of an error.
    StopFailure {
        /// The kind of error.
        error: Option<&'a str>,
        /// The error message.
        error_details: Option<&'a str>,
    },
    /// A subagent starts.
    SubagentStart(Subagent<'a>),
    /// A subagent is about to stop. Claude Code's internal helpers have no type.
    SubagentStop(Stop<'a>),
    /// Claude Code notifies the user.
    Notification {
        /// The text of the notification.
        message: Option<&'a str>,
        /// The title of the notification.
        title: Option<&'a str>,
    },
    /// A part of a message is displayed.
    MessageDisplay {
        /// The text of the part.
        delta: Option<&'a str>,
        /// Whether it is the last part.
        is_final: bool,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// The user's instructions for the summary.
        custom_instructions: Option<&'a str>,
    },
    /// The conversation was compacted.
    PostCompact {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// The summary that replaces the conversation.
        compact_summary: Option<&'a str>,
    },
    /// The model is about to be switched.
    PreModelSwitch(ModelSwitch<'a>),
    /// The model was switched.
    PostModelSwitch(ModelSwitch<'a>),
    /// A settings file changed. A block keeps the session's settings.
    ConfigChange {
        /// `user_settings`, `project_settings`, `local_settings`, `policy_settings` or `skills`.
        source: Option<&'a str>,
        /// The path of the file.
        file_path: Option<&'a str>,
    },
    /// A watched file changed.
    FileChanged {
        /// The path of the file.
        file_path: Option<&'a str>,
        /// `change`, `add` or `unlink`.
        event: Option<&'a str>,
    },
    /// The working directory changed.
    CwdChanged {
        /// The previous directory.
        old_cwd: Option<&'a str>,
        /// The new directory.
        new_cwd: Option<&'a str>,
    },
    /// A directory was added to the session.
    DirectoryAdded {
        /// The path of the directory.
        directory: Option<&'a str>,
        /// The origin of the change, such as `slash_command`.
        source: Option<&'a str>,
    },
    /// An instruction file such as `CLAUDE.md` was read.
    InstructionsLoaded {
        /// The path of the file.
        file_path: Option<&'a str>,
        /// `User`, `Project`, `Local` or `Managed`.
        memory_type: Option<&'a str>,
        /// The reason, such as `include`.
        load_reason: Option<&'a str>,
    },
    /// A teammate is idle.
    TeammateIdle {
        /// The idle teammate.
        teammate_name: Option<&'a str>,
        /// Its team.
        team_name: Option<&'a str>,
    },
    /// A task was created.
    TaskCreated(TeamTask<'a>),
    /// A task was completed.
    TaskCompleted(TeamTask<'a>),
    /// An MCP server asks the user a question.
    Elicitation {
        /// The name of the server.
        mcp_server_name: Option<&'a str>,
        /// The question.
        message: Option<&'a str>,
        /// The JSON Schema of a reply.
        requested_schema: Option<&'a Map<String, Value>>,
    },
    /// The user replied to an MCP server.
    ElicitationResult {
        /// The name of the server.
        mcp_server_name: Option<&'a str>,
        /// `accept`, `decline` or `cancel`.
        action: Option<&'a str>,
        /// The reply.
        content: Option<&'a Map<String, Value>>,
    },
    /// A worktree is requested.
    WorktreeCreate {
        /// The name of the worktree.
        name: Option<&'a str>,
    },
    /// A worktree is about to be removed.
    WorktreeRemove {
        /// The path of the worktree.
        worktree_path: Option<&'a str>,
    },
    /// An event unknown to this version, by name.
    Unknown(&'a str),
}

/// Identifies a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subagent<'a> {
    /// Unique within the session.
    pub agent_id: Option<&'a str>,
    /// The kind of subagent; `None` for internal helpers of Claude Code.
    pub agent_type: Option<&'a str>,
    /// The path of its own transcript.
    pub transcript_path: Option<&'a str>,
}

/// A switch of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSwitch<'a> {
    /// The previous model.
    pub from_model: Option<&'a str>,
    /// The new model.
    pub to_model: Option<&'a str>,
    /// The origin of the switch, such as `command`.
    pub source: Option<&'a str>,
}

/// An entry of a task list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamTask<'a> {
    /// Unique within the list.
    pub task_id: Option<&'a str>,
    /// The title.
    pub task_subject: Option<&'a str>,
    /// The details.
    pub task_description: Option<&'a str>,
    /// The assigned teammate.
    pub teammate_name: Option<&'a str>,
}

impl<'a> Event<'a> {
    /// The event of a request.
    pub(super) fn of(request: &'a Request) -> Self {
        let fields = request.fields();
        let text = |name| fields.text(name);
        let object = |name| fields.get(name).and_then(Value::as_object);
        match request.hook_event_name() {
            // A tool call.
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
            // The conversation and its turns.
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
            // Settings, files, teams, servers, worktrees.
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
            "TaskCreated" => Self::TaskCreated(TeamTask::of(fields)),
            "TaskCompleted" => Self::TaskCompleted(TeamTask::of(fields)),
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
            name => Self::Unknown(name),
        }
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

impl<'a> TeamTask<'a> {
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

    /// Every event with a typical input.
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
    fn every_event_has_its_fields() {
        let inputs = inputs();
        assert_eq!(inputs.len(), 33);
        for (name, input) in inputs {
            let shown = format!("{:?}", request(name, input.clone()).event());
            assert!(shown.starts_with(name), "{shown}");
            // Every text of the input is in the event.
            let words = input.as_object().expect("an object").values().filter_map(Value::as_str);
            for word in words.filter(|word| *word != "r") {
                assert!(shown.contains(&format!("{word:?}")) || shown.contains(word), "{word}: {shown}");
            }
        }
    }

    #[test]
    fn internal_helper_has_no_type() {
        for input in [json!({ "agent_id": "i", "agent_type": "" }), json!({ "agent_id": "i" })] {
            let request = request("SubagentStop", input);
            let Event::SubagentStop(stop) = request.event() else { panic!("{:?}", request.event()) };
            assert_eq!((stop.agent.agent_id, stop.agent.agent_type), (Some("i"), None));
        }
    }
}
