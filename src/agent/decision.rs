//! What to say to a call, in no client's wire format: from the outcome of its check to a verdict and its words.

use std::cmp::Reverse;

use crate::change::{Call, Moment};
use crate::contract::{Severity, Warning};
use crate::outcome::Outcome;
use crate::path::Root;
use crate::report::inert;
use crate::skipped::{Gap, Skipped, Why};
use crate::violation::{Note, Violation};

mod lines;

/// The most characters of a text that a client is given. Claude Code puts more than ten thousand into a file.
pub const MAX_TEXT: usize = 9_500;

/// What to say to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is decided.
    pub verdict: Verdict,
    /// What the person should know, which the model need not.
    pub message: Option<String>,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: there is nothing to say, or not everything could be checked.
    Nothing,
    /// Before the call: everything was checked, and nothing is left to say against it.
    Clean {
        /// How many violations ignore directives cover.
        ignored: usize,
    },
    /// Before the call: it is refused, for this reason.
    Deny(String),
    /// After the call: these are its violations.
    Violated {
        /// The worst of them.
        severity: Severity,
        /// One line for each.
        lines: String,
    },
}

impl Decision {
    /// There is nothing to say.
    pub const NOTHING: Self = Self { verdict: Verdict::Nothing, message: None };
}

/// Decides on a call in a project.
pub fn decide(root: &Root, call: &Call, outcome: &Outcome) -> Decision {
    let refused = outcome.skipped.iter().find_map(refusal);
    let verdict = match (refused, call.moment) {
        (Some(what), Moment::Before) => Verdict::Deny(what),
        (Some(what), Moment::After) => {
            Verdict::Violated { severity: Severity::Error, lines: format!("Error: {what}") }
        }
        (None, moment) => verdict(root, call, outcome, moment),
    };
    Decision { verdict, message: message(outcome) }
}

fn verdict(root: &Root, call: &Call, outcome: &Outcome, moment: Moment) -> Verdict {
    let mut open: Vec<&Violation> = outcome.open().collect();
    open.sort_by_key(|violation| Reverse(violation.contract.severity));
    match (moment, open.first()) {
        (Moment::Before, Some(_)) => Verdict::Deny(lines::joined(&open, |_| "Contract violation")),
        (Moment::After, Some(worst)) => Verdict::Violated {
            severity: worst.contract.severity,
            lines: lines::joined(&open, |severity| match severity {
                Severity::Error => "Error",
                Severity::Warning => "Warning",
            }),
        },
        (Moment::After, None) => Verdict::Nothing,
        (Moment::Before, None) if is_checked(outcome) && is_inside(root, call) => {
            Verdict::Clean { ignored: outcome.summary().ignored }
        }
        (Moment::Before, None) => Verdict::Nothing,
    }
}

/// Was everything checked that the call does, and was there anything to check it with?
fn is_checked(outcome: &Outcome) -> bool {
    outcome.skipped.is_empty() && !outcome.no_contracts
}

/// Do all files of the call lie in the project, by the path given and by the real one? Who writes elsewhere is to be
/// asked by the client as if phaser were not there.
fn is_inside(root: &Root, call: &Call) -> bool {
    call.changes.iter().all(|change| {
        let path = call.path(change);
        root.contains(&path) && root.contains(&crate::path::real_path(&path))
    })
}

/// What to say about a path that would be a way around every contract.
fn refusal(skipped: &Skipped) -> Option<String> {
    match &skipped.why {
        Why::ParentComponent => Some(format!("Path contains '..': {}", inert(&skipped.path.to_text()))),
        Why::PathTooLong { limit } => Some(format!("Path is longer than {limit} bytes")),
        _ => None,
    }
}

/// What a person should know: contracts that could not be checked, and contract files that are broken. A client shows
/// nobody what stands on standard error.
fn message(outcome: &Outcome) -> Option<String> {
    let unchecked = outcome.skipped.iter().filter(|skipped| is_gap(&skipped.why));
    let gaps = unchecked.map(|skipped| format!("{}: {}", skipped.path, skipped.why));
    let parts =
        [counted("not checked: ", gaps), counted("", outcome.warnings.iter().map(Warning::to_string))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| shortened(&format!("phaser: {}", inert(&parts.join("; ")))))
}

/// Does a person have to know it? An edit that cannot be worked out is one that the client refuses as well.
fn is_gap(why: &Why) -> bool {
    why.gap() > Gap::None
        && !matches!(why, Why::NotReconstructed(_) | Why::ParentComponent | Why::PathTooLong { .. })
}

/// The first of some things to say, and how many more there are.
fn counted(prefix: &str, mut said: impl Iterator<Item = String>) -> Option<String> {
    let first = said.next()?;
    Some(match said.count() {
        0 => format!("{prefix}{first}"),
        more => format!("{prefix}{first} (and {more} more)"),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT - 1) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a note adds to a line.
fn noted(violation: &Violation) -> &'static str {
    match violation.note {
        None => "",
        Some(Note::BareIgnore) => " (phaser:ignore without an id ignores nothing)",
    }
}
