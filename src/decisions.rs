//! The decision log: one JSON line per judged hook event, if the configuration has `log: true`.
//!
//! A hook keeps no state, so nobody can tell afterwards which contracts denied an edit, how often, and whether the agent
//! obeyed. The log can. It is a file of the user's own machine, in git's directory, where it is neither committed nor
//! pushed. It never has text of a file: a violation is its contract, its line and a digest of the line.
//!
//! [`log`] writes and reads lines, [`summary`] counts them for `phaser decisions`, and [`repeats`] counts the denials of a
//! session, so that the third one explains more than the first.

use serde::{Deserialize, Serialize};

pub mod log;
pub mod repeats;
pub mod summary;

/// One line of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// UTC, as `2026-01-31T12:00:00.000Z`.
    pub time: String,
    /// The name of the agent, as `--agent` takes it.
    pub agent: String,
    pub session: Option<String>,
    /// The event's name.
    pub event: String,
    pub tool: Option<String>,
    /// The file: the first one with a violation, else the first one. `None` for a command and the end of a turn.
    pub path: Option<String>,
    /// The first word of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// `allow`, `deny`, `ask` or `block`; `None` if phaser left the decision to the agent.
    pub decision: Option<String>,
    /// The open violations.
    #[serde(default)]
    pub contracts: Vec<RecordedViolation>,
    /// Whether the edit was fixed before it was made.
    #[serde(default)]
    pub fixed: bool,
    /// Whether a contract denied the same thing for the third time or later in the session.
    #[serde(default)]
    pub repeated: bool,
    /// The time from the start of phaser to its response.
    #[serde(default)]
    pub ms: u64,
    /// The root of the project, in a log that several projects share because they are not in a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// A violation in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedViolation {
    pub id: String,
    pub line: Option<usize>,
    /// Of the line without its white space, as in the baseline.
    pub digest: String,
    pub severity: String,
}

impl DecisionRecord {
    /// Whether the event was denied for this contract.
    pub fn denies(&self, id: &str) -> bool {
        self.is_denial() && self.contracts.iter().any(|violation| violation.id == id)
    }

    pub fn is_denial(&self) -> bool {
        matches!(self.decision.as_deref(), Some("deny" | "ask"))
    }

    /// Whether the event is one before an edit.
    pub fn is_edit(&self) -> bool {
        self.path.is_some() && (self.decision.is_some() || self.fixed || self.is_before())
    }

    fn is_before(&self) -> bool {
        let event = self.event.to_ascii_lowercase();
        ["pre", "before"].iter().any(|start| event.starts_with(start))
            || event == "tool.execute.before"
            || event == "tool_call"
    }
}
