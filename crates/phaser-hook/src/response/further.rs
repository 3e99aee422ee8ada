//! Answers to the events around tool calls: what begins and ends, what changes beside a conversation.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::Decision;

/// An event whose answer is something for Claude to know, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tells {
    /// A subagent begins; the context of SessionStart does not reach it.
    SubagentStart,
    /// The project is set up.
    Setup,
    /// All tools of a message have run.
    PostToolBatch,
    /// A command in a prompt becomes a text.
    UserPromptExpansion,
    /// Another model answers.
    PostModelSwitch,
    /// The client tells the user something.
    Notification,
}

/// The answer to an event that [tells](Tells) Claude something.
///
/// ```
/// use phaser_hook::{ContextResponse, Response, Tells};
///
/// let response = ContextResponse::to(Tells::SubagentStart, "Tests stand beside the code.");
/// assert_eq!(
///     Response::from(response).to_json(),
///     r#"{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Tests stand beside the code."}}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextResponse {
    pub(crate) event: Tells,
    pub(crate) context: Option<String>,
}

impl ContextResponse {
    /// Something for Claude to know.
    pub fn to(event: Tells, context: impl Into<String>) -> Self {
        Self { event, context: Some(context.into()) }
    }

    /// Nothing to say.
    pub fn acknowledge(event: Tells) -> Self {
        Self { event, context: None }
    }
}

/// An event that can be kept from having an effect, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keeps {
    /// Settings changed: the session keeps its old ones.
    ConfigChange,
    /// The conversation is about to be compacted: it stays as it is.
    PreCompact,
}

/// The answer to an event that can be [kept](Keeps) from having an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockResponse {
    pub(crate) event: Keeps,
    pub(crate) block: Option<String>,
}

impl BlockResponse {
    /// Lets it happen.
    pub fn allow(event: Keeps) -> Self {
        Self { event, block: None }
    }

    /// Keeps it from having an effect, for this reason.
    pub fn block(event: Keeps, reason: impl Into<String>) -> Self {
        Self { event, block: Some(reason.into()) }
    }
}

/// The answer to PreModelSwitch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreModelSwitchResponse {
    pub(crate) decision: Decision,
    pub(crate) reason: Option<String>,
}

impl PreModelSwitchResponse {
    /// Decides whether another model answers from now on.
    pub fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self { decision, reason: Some(reason.into()) }
    }
}

/// The answer to PermissionDenied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionDeniedResponse {
    pub(crate) retry: Option<bool>,
}

impl PermissionDeniedResponse {
    /// Leaves it at that.
    pub fn acknowledge() -> Self {
        Self { retry: None }
    }

    /// Lets Claude try once more.
    pub fn retry() -> Self {
        Self { retry: Some(true) }
    }
}

/// An event after which the client can watch other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Watches {
    /// The client is in another directory.
    CwdChanged,
    /// A file that is watched changed.
    FileChanged,
}

/// The answer to an event after which the client can [watch](Watches) other files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchResponse {
    pub(crate) event: Watches,
    pub(crate) paths: Vec<PathBuf>,
}

impl WatchResponse {
    /// From now on these files are watched, and what is below these directories.
    pub fn watch(event: Watches, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { event, paths: paths.into_iter().map(Into::into).collect() }
    }
}

/// The answer to WorktreeCreate: where the worktree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeCreateResponse {
    pub(crate) path: PathBuf,
}

impl WorktreeCreateResponse {
    /// The worktree was made here.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

/// The answer to MessageDisplay: what is shown in place of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDisplayResponse {
    pub(crate) content: String,
}

impl MessageDisplayResponse {
    /// Shows this.
    pub fn show(content: impl Into<String>) -> Self {
        Self { content: content.into() }
    }
}

/// The answer to Elicitation, in place of the user's, or to ElicitationResult, in place of what the user said.
#[derive(Debug, Clone, PartialEq)]
pub struct ElicitationResponse {
    pub(crate) event: Elicits,
    pub(crate) action: Action,
    pub(crate) content: Option<Map<String, Value>>,
}

/// When an MCP server's question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elicits {
    /// Before the user sees it.
    Elicitation,
    /// After the user has answered it.
    ElicitationResult,
}

/// What becomes of an MCP server's question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is answered.
    Accept,
    /// It is not.
    Decline,
    /// It is taken away.
    Cancel,
}

impl ElicitationResponse {
    /// Answers the question.
    pub fn accept(event: Elicits, content: Map<String, Value>) -> Self {
        Self { event, action: Action::Accept, content: Some(content) }
    }

    /// Does not answer it.
    pub fn refuse(event: Elicits, action: Action) -> Self {
        Self { event, action, content: None }
    }
}
