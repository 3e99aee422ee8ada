//! What a hook answers: one type for each event.
//!
//! Only combinations that the client accepts can be built; what the types cannot rule out is refused with an
//! error. How an answer is spelled on the wire is the business of [`Response`](super::Response), which each of
//! them becomes.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::{Map, Value};

use super::tool::ToolInput;

mod further;

pub use further::{
    Action, BlockResponse, ContextResponse, ElicitationResponse, Elicits, Keeps, MessageDisplayResponse,
    PermissionDeniedResponse, PreModelSwitchResponse, Tells, WatchResponse, Watches, WorktreeCreateResponse,
};

/// What is to happen to a tool call; a later one outranks the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It runs, without a prompt.
    Allow,
    /// The user is asked.
    Ask,
    /// It does not run.
    Deny,
}

impl Decision {
    /// The word used on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Why a response was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// A denied call has no input that could be updated.
    #[error("updated input goes with allow or ask, not with deny")]
    UpdatedInputWithDeny,
    /// Not a name that a shell can export.
    #[error("'{0}' is not the name of an environment variable; use letters, digits and '_'")]
    VariableName(String),
    /// A value that a shell cannot hold.
    #[error("the value of the environment variable '{0}' contains a NUL")]
    VariableValue(String),
    /// The response is for another event than the one that happened.
    #[error("a {response} response cannot answer the event '{request}'")]
    WrongEvent {
        /// The event that the response is for.
        response: &'static str,
        /// The event that happened.
        request: String,
    },
}

/// A whole tool input with some of its fields changed.
///
/// The client replaces the tool's input by it, so it has to be whole: it is always the original input with
/// an update merged over it.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatedInput(pub(super) Map<String, Value>);

impl UpdatedInput {
    /// `original` with the fields of `update` in place of its own; every other field stays.
    pub fn merge(original: ToolInput<'_>, update: Map<String, Value>) -> Self {
        let mut whole = original.as_map().cloned().unwrap_or_default();
        whole.extend(update);
        Self(whole)
    }

    /// The whole input.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The answer to PreToolUse.
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
    /// Leaves the decision to the client.
    pub fn undecided() -> Self {
        Self { decision: None, reason: None, updated_input: None, context: None }
    }

    /// Lets the tool run, and skips the user's permission prompt.
    pub fn allow() -> Self {
        Self { decision: Some(Decision::Allow), ..Self::undecided() }
    }

    /// Does not let the tool run; Claude is told the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), ..Self::undecided().with_reason(reason) }
    }

    /// Asks the user, who is shown the reason.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask), ..Self::undecided().with_reason(reason) }
    }

    /// Says why.
    pub fn with_reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// Tells Claude something besides; clients before 2.1 pass over it.
    pub fn with_context(self, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..self }
    }

    /// Changes what the tool is given, if it runs.
    pub fn with_updated_input(self, input: UpdatedInput) -> Result<Self, ResponseError> {
        match self.decision {
            None | Some(Decision::Allow | Decision::Ask) => Ok(Self { updated_input: Some(input), ..self }),
            Some(Decision::Deny) => Err(ResponseError::UpdatedInputWithDeny),
        }
    }
}

/// The answer to PostToolUse. The tool has run already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostToolUseResponse {
    pub(super) block: Option<String>,
    pub(super) context: Option<String>,
}

impl PostToolUseResponse {
    /// Nothing to say.
    pub fn acknowledge() -> Self {
        Self { block: None, context: None }
    }

    /// Something for Claude to consider; the user does not see it.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self::acknowledge().and_context(context)
    }

    /// Another name of [`with_context`](Self::with_context).
    pub fn with_message(message: impl Into<String>) -> Self {
        Self::with_context(message)
    }

    /// Has Claude deal with the reason before it goes on.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), context: None }
    }

    /// Adds something for Claude to consider.
    pub fn and_context(self, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..self }
    }
}

/// The answer to PostToolUseFailure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostToolUseFailureResponse {
    pub(super) block: Option<String>,
    pub(super) context: Option<String>,
}

impl PostToolUseFailureResponse {
    /// Nothing to say.
    pub fn acknowledge() -> Self {
        Self { block: None, context: None }
    }

    /// Something for Claude to consider.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self::acknowledge().and_context(context)
    }

    /// Has Claude deal with the reason before it goes on.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), context: None }
    }

    /// Adds something for Claude to consider.
    pub fn and_context(self, context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..self }
    }
}

/// The answer to UserPromptSubmit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPromptSubmitResponse {
    pub(super) block: Option<String>,
    pub(super) context: Option<String>,
}

impl UserPromptSubmitResponse {
    /// Lets the prompt through.
    pub fn allow() -> Self {
        Self { block: None, context: None }
    }

    /// Does not let the prompt through; the user is shown the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()), context: None }
    }

    /// Lets the prompt through, with something for Claude to consider.
    pub fn with_context(context: impl Into<String>) -> Self {
        Self { block: None, context: Some(context.into()) }
    }

    /// Has Claude read the prompt as `prompt`.
    ///
    /// The client has no way to replace a prompt, so the new one goes along with the old as context that
    /// says what it is.
    pub fn with_modified_prompt(prompt: impl AsRef<str>) -> Self {
        Self::with_context(format!("Read the user's prompt as follows instead:\n\n{}", prompt.as_ref()))
    }
}

/// The answer to SessionStart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStartResponse {
    pub(super) context: Option<String>,
    pub(super) variables: Vec<(String, String)>,
}

impl SessionStartResponse {
    /// Nothing to say.
    pub fn acknowledge() -> Self {
        Self { context: None, variables: Vec::new() }
    }

    /// Something for Claude to know from the start.
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
    /// They do not travel in the response: the client reads them from a file, which
    /// [`append_env_vars`](Self::append_env_vars) writes.
    pub fn with_env_vars<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Result<Self, ResponseError>
    where
        N: Into<String>,
        V: Into<String>,
    {
        Self::acknowledge().and_env_vars(variables)
    }

    /// Adds environment variables.
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

    /// The shell lines that export the variables.
    pub fn env_script(&self) -> String {
        let mut script = String::new();
        for (name, value) in &self.variables {
            let quoted = value.replace('\'', r"'\''");
            writeln!(script, "export {name}='{quoted}'").expect("writing to a string cannot fail");
        }
        script
    }

    /// Appends [`env_script`](Self::env_script) to the file that the client reads: the `env_file` of the
    /// request, or the one that the environment variable `CLAUDE_ENV_FILE` names.
    pub fn append_env_vars(&self, env_file: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(env_file)?;
        file.write_all(self.env_script().as_bytes())
    }
}

fn is_variable_name(name: &str) -> bool {
    let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word && name.starts_with(|first: char| !first.is_ascii_digit())
}

/// The answer to Stop and to SubagentStop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopResponse {
    pub(super) block: Option<String>,
}

impl StopResponse {
    /// Lets it stop.
    pub fn allow() -> Self {
        Self { block: None }
    }

    /// Keeps it going; it is told the reason.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(reason.into()) }
    }
}

/// The answer to PermissionRequest, in place of the user's. To leave it to the user, answer
/// [`Response::empty`](super::Response::empty).
#[derive(Debug, Clone, PartialEq)]
pub enum PermissionRequestResponse {
    /// Lets the tool run.
    Allow {
        /// What the tool is given instead.
        updated_input: Option<UpdatedInput>,
    },
    /// Does not let the tool run.
    Deny {
        /// What Claude is told.
        message: String,
        /// What happens to the turn.
        then: AfterDeny,
    },
}

/// What happens to the turn after a permission was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDeny {
    /// Claude goes on with it.
    GoOn,
    /// Claude stops.
    Interrupt,
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
    fn an_update_changes_only_the_fields_it_names() {
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
