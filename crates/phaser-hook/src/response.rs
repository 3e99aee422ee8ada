//! Responses: one type for each event, or for each group of events with the same fields.
//!
//! Only combinations that Claude Code accepts can be built: by the types where possible, otherwise the constructor
//! returns a [`ResponseError`]. Each type converts into [`Response`](super::Response), which knows the JSON.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tool::ToolInput;

/// A decision about a tool call, in ascending order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Run it without a permission prompt.
    Allow,
    /// Ask the user.
    Ask,
    /// Do not run it.
    Deny,
}

impl Decision {
    /// The JSON value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A response that Claude Code would not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// A denied call does not run, so its input cannot be updated.
    #[error("updated input goes with allow or ask, not with deny")]
    UpdatedInputWithDeny,
    /// Not a valid name of a shell variable.
    #[error("'{0}' is not the name of an environment variable; use letters, digits and '_'")]
    VariableName(String),
    /// A value with a NUL character.
    #[error("the value of the environment variable '{0}' contains a NUL")]
    VariableValue(String),
    /// The response is for another event than the request.
    #[error("a {response} response cannot answer the event '{request}'")]
    WrongEvent {
        /// The event of the response.
        response: &'static str,
        /// The event of the request.
        request: String,
    },
}

/// A complete tool input with some of its fields changed.
///
/// Claude Code replaces the input as a whole and does not merge, so this is always the original input with an update
/// merged over it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UpdatedInput(pub(super) Map<String, Value>);

impl UpdatedInput {
    /// `original`, with the fields of `update` replaced or added.
    pub fn merge(original: ToolInput<'_>, update: Map<String, Value>) -> Self {
        let mut whole = original.as_map().cloned().unwrap_or_default();
        whole.extend(update);
        Self(whole)
    }

    /// The complete input.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The response to PreToolUse.
///
/// ```
/// use phaser_hook::{PreToolUseResponse, Response};
///
/// let response = PreToolUseResponse::deny("Use the service class");
/// assert_eq!(
///     Response::from(response).to_json(),
///     r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Use the service class"}}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PreToolUseResponse {
    pub(super) decision: Option<Decision>,
    pub(super) reason: Option<String>,
    pub(super) updated_input: Option<UpdatedInput>,
    pub(super) context: Option<String>,
}

impl PreToolUseResponse {
    /// Leaves the decision to Claude Code's permission settings.
    pub fn undecided() -> Self {
        Self { decision: None, reason: None, updated_input: None, context: None }
    }

    /// Runs the tool without a permission prompt.
    pub fn allow() -> Self {
        Self { decision: Some(Decision::Allow), ..Self::undecided() }
    }

    /// Blocks the tool; Claude receives the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), ..Self::undecided().with_reason(reason) }
    }

    /// Asks the user and shows the reason.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask), ..Self::undecided().with_reason(reason) }
    }

    /// Sets the reason: shown to the user, or sent to Claude with a denial.
    pub fn with_reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// Adds context for Claude. Ignored by Claude Code before 2.1.
    pub fn with_context(self, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..self }
    }

    /// Replaces the tool's input. An error for a denied call.
    pub fn with_updated_input(self, input: UpdatedInput) -> Result<Self, ResponseError> {
        match self.decision {
            None | Some(Decision::Allow | Decision::Ask) => Ok(Self { updated_input: Some(input), ..self }),
            Some(Decision::Deny) => Err(ResponseError::UpdatedInputWithDeny),
        }
    }
}

/// The response to PostToolUse. The tool has already run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostToolUseResponse {
    pub(super) block: Option<String>,
    pub(super) context: Option<String>,
}

impl PostToolUseResponse {
    /// No context.
    pub fn acknowledge() -> Self {
        Self { block: None, context: None }
    }

    /// Context for Claude; not shown to the user.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self::acknowledge().and_context(context)
    }

    /// Alias of [`with_context`](Self::with_context).
    pub fn with_message(message: impl Into<String>) -> Self {
        Self::with_context(message)
    }

    /// Sends Claude the reason, to be handled before it continues.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), context: None }
    }

    /// Adds context for Claude.
    pub fn and_context(self, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..self }
    }
}

/// The response to UserPromptSubmit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPromptSubmitResponse {
    pub(super) block: Option<String>,
    pub(super) context: Option<String>,
}

impl UserPromptSubmitResponse {
    /// Accepts the prompt.
    pub fn allow() -> Self {
        Self { block: None, context: None }
    }

    /// Rejects the prompt and shows the user the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), context: None }
    }

    /// Accepts the prompt and adds context for Claude.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self { block: None, context: Some(context.into()) }
    }

    /// Asks Claude to read the user's prompt as `prompt`.
    ///
    /// Claude Code cannot replace a prompt. The new one is sent as context beside the original.
    pub fn with_modified_prompt(prompt: impl AsRef<str>) -> Self {
        Self::with_context(format!("Read the user's prompt as follows instead:\n\n{}", prompt.as_ref()))
    }
}

/// The response to SessionStart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStartResponse {
    pub(super) context: Option<String>,
    pub(super) variables: Vec<(String, String)>,
}

impl SessionStartResponse {
    /// No context.
    pub fn acknowledge() -> Self {
        Self { context: None, variables: Vec::new() }
    }

    /// Context for Claude from the start of the session.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), variables: Vec::new() }
    }

    /// Environment variables for the session.
    ///
    /// ```
    /// use phaser_hook::SessionStartResponse;
    ///
    /// let response = SessionStartResponse::with_env_vars([("PAGER", "cat")])?;
    /// assert_eq!(response.env_script(), "export PAGER='cat'\n");
    /// assert!(SessionStartResponse::with_env_vars([("NOT A NAME", "x")]).is_err());
    /// # Ok::<(), phaser_hook::ResponseError>(())
    /// ```
    ///
    /// They are not part of the JSON: Claude Code reads them from a file, which
    /// [`append_env_vars`](Self::append_env_vars) writes.
    pub fn with_env_vars<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Result<Self, ResponseError>
    where
        N: Into<String>,
        V: Into<String>,
    {
        Self::acknowledge().and_env_vars(variables)
    }

    /// Adds environment variables; the last value of a name wins.
    pub fn and_env_vars<N, V>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, ResponseError>
    where
        N: Into<String>,
        V: Into<String>,
    {
        for (name, value) in variables {
            let (name, value) = (name.into(), value.into());
            if !is_variable_name(&name) {
                return Err(ResponseError::VariableName(name));
            }
            if value.contains('\0') {
                return Err(ResponseError::VariableValue(name));
            }
            self.variables.push((name, value));
        }
        Ok(self)
    }

    /// One `export` line of shell per variable.
    pub fn env_script(&self) -> String {
        let mut script = String::new();
        for (name, value) in &self.variables {
            let quoted = value.replace('\'', r"'\''");
            writeln!(script, "export {name}='{quoted}'").expect("writing to a string cannot fail");
        }
        script
    }

    /// Appends [`env_script`](Self::env_script) to the file that Claude Code reads: the request's `env_file`, or the
    /// value of the environment variable `CLAUDE_ENV_FILE`.
    pub fn append_env_vars(&self, env_file: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(env_file)?;
        file.write_all(self.env_script().as_bytes())
    }
}

fn is_variable_name(name: &str) -> bool {
    let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word && name.starts_with(|first: char| !first.is_ascii_digit())
}

/// The response to Stop and SubagentStop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopResponse {
    pub(super) block: Option<String>,
}

impl StopResponse {
    /// Lets the agent stop.
    pub fn allow() -> Self {
        Self { block: None }
    }

    /// Makes the agent continue and sends it the reason.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()) }
    }
}

/// The response to PermissionRequest, in place of the user's choice. [`Response::empty`](super::Response::empty)
/// leaves the choice to the user.
#[derive(Debug, Clone, PartialEq)]
pub enum PermissionRequestResponse {
    /// Runs the tool.
    Allow {
        /// The input to use instead.
        updated_input: Option<UpdatedInput>,
    },
    /// Blocks the tool.
    Deny {
        /// The reason that Claude receives.
        message: String,
        /// Whether the turn continues.
        then: AfterDeny,
    },
}

/// The turn after a denied permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDeny {
    /// Claude continues.
    GoOn,
    /// Claude stops.
    Interrupt,
}

/// An event whose response is a block, context for Claude, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContextEvent {
    /// A tool has failed.
    PostToolUseFailure,
    /// A subagent starts. It does not receive the context of SessionStart.
    SubagentStart,
    /// Claude Code sets up the project.
    Setup,
    /// All tools of one message have run.
    PostToolBatch,
    /// A slash command expands to a prompt.
    UserPromptExpansion,
    /// The model was switched.
    PostModelSwitch,
    /// Claude Code notifies the user.
    Notification,
}

/// The response to a [`ContextEvent`].
///
/// ```
/// use phaser_hook::{ContextResponse, Response, ContextEvent};
///
/// let response = ContextResponse::to(ContextEvent::SubagentStart, "Tests are beside the code.");
/// assert_eq!(
///     Response::from(response).to_json(),
///     r#"{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Tests are beside the code."}}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextResponse {
    pub(crate) event: ContextEvent,
    pub(crate) block: Option<String>,
    pub(crate) context: Option<String>,
}

impl ContextResponse {
    /// Context for Claude.
    pub fn to(event: ContextEvent, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..Self::acknowledge(event) }
    }

    /// No context.
    pub fn acknowledge(event: ContextEvent) -> Self {
        Self { event, block: None, context: None }
    }

    /// Sends Claude the reason, to be handled before it continues.
    pub fn and_block(self, reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), ..self }
    }
}

/// An event that can be blocked and takes no other response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockableEvent {
    /// A settings file changed. If blocked, the session keeps its settings.
    ConfigChange,
    /// The conversation is about to be compacted. If blocked, it is not.
    PreCompact,
}

/// The response to a [`BlockableEvent`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockResponse {
    pub(crate) event: BlockableEvent,
    pub(crate) block: Option<String>,
}

impl BlockResponse {
    /// Does not block.
    pub fn allow(event: BlockableEvent) -> Self {
        Self { event, block: None }
    }

    /// Blocks, with a reason.
    pub fn block(event: BlockableEvent, reason: impl Into<String>) -> Self {
        Self { event, block: Some(reason.into()) }
    }
}

/// The response to PreModelSwitch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreModelSwitchResponse {
    pub(crate) decision: Decision,
    pub(crate) reason: Option<String>,
}

impl PreModelSwitchResponse {
    /// Allows, denies or asks the user about the switch.
    pub fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self { decision, reason: Some(reason.into()) }
    }
}

/// The response to PermissionDenied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionDeniedResponse {
    pub(crate) retry: Option<bool>,
}

impl PermissionDeniedResponse {
    /// Accepts the denial.
    pub fn acknowledge() -> Self {
        Self { retry: None }
    }

    /// Lets Claude retry the call.
    pub fn retry() -> Self {
        Self { retry: Some(true) }
    }
}

/// An event whose response sets the watched files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchEvent {
    /// The working directory changed.
    CwdChanged,
    /// A watched file changed.
    FileChanged,
}

/// The response to a [`WatchEvent`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchResponse {
    pub(crate) event: WatchEvent,
    pub(crate) paths: Vec<PathBuf>,
}

impl WatchResponse {
    /// Watches these files, and everything below these directories.
    pub fn watch(event: WatchEvent, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { event, paths: paths.into_iter().map(Into::into).collect() }
    }
}

/// The response to WorktreeCreate: the path of the worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeCreateResponse {
    pub(crate) path: PathBuf,
}

impl WorktreeCreateResponse {
    /// The hook created the worktree at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

/// The response to MessageDisplay: the text shown instead of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDisplayResponse {
    pub(crate) content: String,
}

impl MessageDisplayResponse {
    /// Shows `content`.
    pub fn show(content: impl Into<String>) -> Self {
        Self { content: content.into() }
    }
}

/// The response to Elicitation, in place of the user's reply, or to ElicitationResult, replacing that reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ElicitationResponse {
    pub(crate) event: ElicitationEvent,
    pub(crate) action: ElicitationAction,
    pub(crate) content: Option<Map<String, Value>>,
}

/// The two events of an MCP server's question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElicitationEvent {
    /// Before the user sees the question.
    Elicitation,
    /// After the user replied.
    ElicitationResult,
}

/// A reply to an MCP server's question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElicitationAction {
    /// Reply with content.
    Accept,
    /// Decline to reply.
    Decline,
    /// Dismiss the question.
    Cancel,
}

impl ElicitationResponse {
    /// Replies with `content`.
    pub fn accept(event: ElicitationEvent, content: Map<String, Value>) -> Self {
        Self { event, action: ElicitationAction::Accept, content: Some(content) }
    }

    /// Declines or cancels.
    pub fn refuse(event: ElicitationEvent, action: ElicitationAction) -> Self {
        Self { event, action, content: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn a_denied_call_takes_no_updated_input() {
        let input = UpdatedInput::merge(ToolInput::new(None), Map::new());
        let refused = PreToolUseResponse::deny("no").with_updated_input(input);
        assert_eq!(refused, Err(ResponseError::UpdatedInputWithDeny));
    }

    #[test]
    fn update_changes_only_named_fields() {
        let original = json!({"b": [1, 2.5], "a": {"x": true, "y": null}, "c": "old"});
        let input = ToolInput::new(Some(&original));
        let merged = UpdatedInput::merge(input, map(json!({"c": 7, "d": false})));
        assert_eq!(
            Value::Object(merged.as_map().clone()).to_string(),
            r#"{"b":[1,2.5],"a":{"x":true,"y":null},"c":7,"d":false}"#
        );
    }

    #[test]
    fn decisions_rank_from_allow_to_deny() {
        assert!(Decision::Deny > Decision::Ask && Decision::Ask > Decision::Allow);
    }

    #[test]
    fn variables_are_exported_quoted() {
        let response = SessionStartResponse::with_env_vars([("A", "it's $HOME"), ("_B2", "x\ny")]);
        assert_eq!(response.expect("valid").env_script(), "export A='it'\\''s $HOME'\nexport _B2='x\ny'\n");
    }

    #[test]
    fn variables_are_appended_to_the_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("env");
        std::fs::write(&file, "export X=1\n").expect("written");
        let response = SessionStartResponse::with_env_vars([("A", "b")]).expect("valid");
        response.append_env_vars(&file).expect("appended");
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "export X=1\nexport A='b'\n");
    }

    #[test]
    fn names_that_are_no_variables_are_refused() {
        for name in ["", "1A", "A-B", "A;rm", "A B", "É"] {
            let refused = SessionStartResponse::with_env_vars([(name, "x")]);
            assert_eq!(refused, Err(ResponseError::VariableName(name.into())));
        }
        let refused = SessionStartResponse::with_env_vars([("A", "x\0")]);
        assert_eq!(refused, Err(ResponseError::VariableValue("A".into())));
    }
}
