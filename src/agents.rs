//! Coding agents. An agent sends an event; its adapter parses it into an [`HookEvent`]. phaser checks the files, makes a
//! [`decision`], and the adapter writes it as a response in the agent's own format.
//!
//! One event of Codex, followed through: Codex sends `{"hook_event_name": "PreToolUse", "tool_name": "apply_patch", …}`.
//! [`Agent::of`] recognises Codex, `codex::parse` returns a [`ParsedEvent`] (before a tool, the tool applies a patch),
//! and that becomes an [`HookEvent`] with one change per patched file. After the check, [`decision::decide`] returns a
//! denial, [`ResponseFields`] holds its reason, and `codex::respond` writes `permissionDecision: deny`.
//!
//! No other module knows an agent. Each adapter is one file with the agent's tools and two functions, `parse` and
//! `respond`; some agents share a response format. Claude Code's is larger, because it sends more kinds of events.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::exit::Exit;
use phaser_hook::Request;
use phaser_project::source::worktree::ChangeWindow;
use phaser_project::tool_call::Call;

mod agent;
pub mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
pub mod decision;
mod devin;
mod droid;
pub mod facts;
mod fields;
mod gemini;
mod kiro;
mod mcp;
mod opencode;
mod parsed_event;
mod patch;
mod qwen;
mod replace;
mod vscode;
mod windsurf;

pub use agent::Agent;
use decision::HookDecision;
use fields::{ResponseFields, claude_response};
use parsed_event::{EventKind, ParsedEvent};

/// An event of an agent, independent of the agent's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEvent {
    /// A tool is about to change files, or has changed them.
    ToolCall(Call),
    /// A shell tool is about to run command lines.
    Command {
        /// The agent's current directory; absolute.
        cwd: PathBuf,
        lines: Vec<String>,
    },
    /// A shell command has run: the files it changed are checked.
    CommandRun {
        /// The agent's current directory; absolute.
        cwd: PathBuf,
        sweep: ChangeWindow,
    },
    /// A turn is about to end: the files it changed are checked.
    TurnEnd {
        /// The agent's current directory; absolute.
        cwd: PathBuf,
        sweep: ChangeWindow,
        /// The reasons for which hooks sent this turn back already.
        sent_back: Vec<String>,
    },
    /// A session or a subagent starts and receives the contracts.
    SessionStart { cwd: PathBuf },
    /// The settings file with phaser's hooks changed.
    SettingsChange { cwd: PathBuf },
    /// An event that phaser does not act on.
    Other,
}

/// Which events a hook handles, and in which format it responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookMode {
    /// Edits only; the original message format.
    Plain,
    /// Everything that may change a file (`--guard`). Messages name the file; warnings do not block.
    Guard,
}

/// The process's output for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentResponse {
    /// One JSON document, without a final newline.
    pub stdout: String,
    pub exit: Exit,
    pub outcome: Outcome,
}

/// What a response decides, for the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `allow`, `deny`, `ask` or `block`; `None` if the agent decides.
    pub decision: Option<&'static str>,
    /// Whether the tool's input was replaced by a fixed one.
    pub is_fixed: bool,
}

/// The response to a change without violations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OnClean {
    /// `allow`, which skips the user's permission prompt.
    #[default]
    Allow,
    /// `{}`, which leaves the decision to the agent.
    Defer,
}

/// The empty response, sent when phaser itself fails.
pub const EMPTY_RESPONSE: &str = "{}";

impl Agent {
    /// Parses an event. Relative paths start at the event's directory, or at `cwd` if the event has none.
    pub fn read(self, event: &Request, cwd: &Path, mode: HookMode) -> HookEvent {
        match self.adapter() {
            Some((parse, _)) => parse(&self.decoded(event.raw())).into_hook_event(cwd, mode),
            None => claude::read(event, cwd, mode),
        }
    }

    /// The functions that parse an event and write a response, of any agent but Claude Code, whose adapter builds the
    /// [`HookEvent`] itself.
    fn adapter(self) -> Option<Adapter> {
        Some(match self {
            Self::Claude => return None,
            Self::Codex => (codex::parse, codex::respond),
            Self::Copilot => (copilot::parse, copilot::respond),
            Self::Cursor => (cursor::parse, cursor::respond),
            Self::VsCode => (vscode::parse, vscode::respond),
            Self::Gemini => (gemini::parse, gemini::respond),
            Self::Qwen => (qwen::parse, claude_response),
            Self::Droid => (droid::parse, droid::respond),
            Self::Opencode => (opencode::parse, opencode::respond),
            Self::Cline => (cline::parse, cline::respond),
            Self::Windsurf => (windsurf::parse, kiro::respond),
            Self::Devin => (devin::parse, claude_response),
            Self::Kiro => (kiro::parse, kiro::respond),
        })
    }

    /// The response to an event. Every text of the decision is sanitised here. Only Claude Code receives `allow` for a
    /// change without violations.
    pub fn respond(self, event: &Request, decision: &HookDecision, on_clean: OnClean) -> AgentResponse {
        let decision = &decision.sanitised();
        let Some((parse, respond)) = self.adapter() else {
            return claude::respond(event, decision, on_clean);
        };
        let decoded = self.decoded(event.raw());
        let parsed = parse(&decoded);
        // In which form the agent takes back arguments that it sent as a string is unknown: such a call is denied.
        let is_as_sent = matches!(decoded, Cow::Borrowed(_));
        let input = |changes: &_| parsed.input_for(changes).filter(|_| is_as_sent);
        let command = |line: &str| {
            // Codex takes another input only together with `allow`, which would skip its own rules for commands.
            parsed.input_for_command(line).filter(|_| is_as_sent && self != Self::Codex)
        };
        let mut fields = ResponseFields::new(decision, |changes| input(changes), command);
        if parsed.kind == EventKind::SessionStart && !self.shows_messages() {
            fields.send_message_to_model();
        }
        if !self.can_ask() {
            fields.deny_instead_of_asking();
        }
        let outcome = Outcome {
            decision: match fields.go_on {
                Some(_) => Some("block"),
                None => fields.decision().0.filter(|_| self != Self::Cline),
            },
            is_fixed: fields.input.is_some(),
        };
        AgentResponse { stdout: respond(event.raw(), &fields).to_string(), exit: Exit::Clean, outcome }
    }

    /// The event with the arguments of a tool as JSON. Copilot may send them as a string of JSON.
    fn decoded(self, event: &Value) -> Cow<'_, Value> {
        let arguments = |key: &&str| {
            let text = event.get(key)?.as_str().filter(|_| self == Self::Copilot)?;
            serde_json::from_str(text).ok().filter(Value::is_object)
        };
        let found = ["toolArgs", "tool_input"].iter().find_map(|key| Some((key, arguments(key)?)));
        let Some((key, arguments)) = found else { return Cow::Borrowed(event) };
        let mut event = event.clone();
        event[*key] = arguments;
        Cow::Owned(event)
    }

    /// Whether the agent shows a hook's message to the user.
    fn shows_messages(self) -> bool {
        let silent = [Self::Copilot, Self::Cursor, Self::Opencode, Self::Cline, Self::Windsurf, Self::Kiro];
        !silent.contains(&self)
    }

    /// Whether the agent can ask the user to confirm a call. An unattended run of Gemini CLI would wait forever.
    fn can_ask(self) -> bool {
        [Self::Copilot, Self::Cursor, Self::VsCode, Self::Qwen, Self::Droid].contains(&self)
    }
}

/// The functions `parse` and `respond` of an adapter.
type Adapter = (fn(&Value) -> ParsedEvent<'_>, fn(&Value, &ResponseFields) -> Value);
