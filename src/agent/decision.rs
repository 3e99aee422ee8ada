//! What to say to a call, in no client's wire format: from the outcome of its check to a verdict and its words.

use std::cmp::Reverse;

use crate::change::{Call, Moment};
use crate::contract::{Effect, Severity, Warning};
use crate::outcome::{Outcome, Summary};
use crate::path::Root;
use crate::report::inert;
use crate::skipped::{Gap, Skipped, Why};
use crate::violation::Violation;

mod lines;

/// The most characters of a text that a client is given. Claude Code puts more than ten thousand into a file.
pub const MAX_TEXT: usize = 9_500;

/// What to say to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is decided.
    pub verdict: Verdict,
    /// What the model should know besides.
    pub context: Option<Context>,
    /// What the person should know, which the model need not.
    pub message: Option<String>,
}

/// Something for the model to know besides the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// When it is told.
    pub moment: Moment,
    /// What.
    pub text: String,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: there is nothing to say, or not everything could be checked.
    Nothing,
    /// Before the call: everything was checked, and nothing is left to say against it.
    Clean(Summary),
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
    pub const NOTHING: Self = Self { verdict: Verdict::Nothing, context: None, message: None };
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
    let context = context(&verdict, outcome).map(|text| Context { moment: call.moment, text });
    Decision { verdict, context, message: message(outcome) }
}

/// What stands before the violations that the model is told of and need not repair.
const EXISTING: &str =
    "Already there before this edit, on lines that it touches; it is not denied for these:";

/// The fewest characters that are worth a list.
const MIN_CONTEXT: usize = 500;

/// The violations that were there before and that the call touches, as far as there is room beside the verdict.
fn context(verdict: &Verdict, outcome: &Outcome) -> Option<String> {
    let told = match verdict {
        Verdict::Violated { lines, .. } => lines.chars().count() + 1,
        Verdict::Nothing | Verdict::Clean(_) | Verdict::Deny(_) => 0,
    };
    let room = MAX_TEXT.saturating_sub(told + EXISTING.len() + 1);
    let mut touched: Vec<&Violation> = outcome.touched().collect();
    touched.sort_by_key(|violation| Reverse(violation.contract.severity));
    (!touched.is_empty() && room >= MIN_CONTEXT).then(|| {
        let prefix = |severity| match severity {
            Severity::Error => "Existing violation",
            Severity::Warning => "Existing warning",
        };
        format!("{EXISTING}\n{}", lines::joined(&touched, prefix, room))
    })
}

fn verdict(root: &Root, call: &Call, outcome: &Outcome, moment: Moment) -> Verdict {
    let mut open: Vec<&Violation> = outcome.open().collect();
    open.sort_by_key(|violation| Reverse(violation.contract.severity));
    match (moment, open.first()) {
        (Moment::Before, Some(_)) => Verdict::Deny(lines::joined(&open, |_| "Contract violation", MAX_TEXT)),
        (Moment::After, Some(worst)) => Verdict::Violated {
            severity: worst.contract.severity,
            lines: lines::joined(&open, told, MAX_TEXT),
        },
        (Moment::After, None) => Verdict::Nothing,
        (Moment::Before, None) if is_checked(outcome) && is_inside(root, call) => {
            Verdict::Clean(outcome.summary())
        }
        (Moment::Before, None) => Verdict::Nothing,
    }
}

fn told(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
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
    let broken = outcome.warnings.iter().filter(|warning| warning.effect == Effect::LeftOut);
    let parts = [counted("not checked: ", gaps), counted("", broken.map(Warning::to_string))];
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
fn noted(violation: &Violation) -> String {
    violation.note.map(|note| format!(" ({})", note.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::change::{Change, Rewrite};
    use crate::contract::{Check, Contract};
    use crate::matcher::oracle::contract;
    use crate::path::RelPath;

    fn call(moment: Moment, path: &str) -> Call {
        let change = Change { path: path.to_owned(), rewrite: Rewrite::Whole(String::new()), original: None };
        Call { moment, cwd: PathBuf::from("/nowhere/project"), changes: vec![change], skipped: Vec::new() }
    }

    fn decided(call: &Call, outcome: &Outcome) -> Decision {
        decide(&Root::new("/nowhere/project"), call, outcome)
    }

    fn violated(severities: &[Severity]) -> Outcome {
        let violations = severities.iter().enumerate().map(|(at, severity)| {
            let contract = Arc::new(Contract { severity: *severity, ..contract(at, Check::NotExists) });
            Violation::of_file(&contract, &RelPath::from("a"))
        });
        Outcome { violations: violations.collect(), ..Outcome::default() }
    }

    fn skipped(why: Why) -> Outcome {
        Outcome { skipped: vec![Skipped { path: RelPath::from("a"), why }], ..Outcome::default() }
    }

    #[test]
    fn what_is_violated_is_denied_before_and_told_after_errors_first() {
        let outcome = violated(&[Severity::Warning, Severity::Error]);
        let Verdict::Deny(reason) = decided(&call(Moment::Before, "a"), &outcome).verdict else { panic!() };
        let lines: Vec<_> = reason.lines().collect();
        assert!(lines[0].starts_with("Contract violation: c1. "), "{reason}");
        let after = decided(&call(Moment::After, "a"), &outcome).verdict;
        let Verdict::Violated { severity, lines } = after else { panic!("{after:?}") };
        assert_eq!(severity, Severity::Error);
        assert!(lines.starts_with("Error: c1. ") && lines.contains("\nWarning: c0. "), "{lines}");
    }

    #[test]
    fn only_what_was_checked_and_lies_in_the_project_is_clean() {
        let clean = Decision { verdict: Verdict::Clean(Summary::default()), ..Decision::NOTHING };
        assert_eq!(decided(&call(Moment::Before, "a"), &Outcome::default()), clean);
        assert_eq!(decided(&call(Moment::Before, "/elsewhere/a"), &Outcome::default()), Decision::NOTHING);
        assert_eq!(decided(&call(Moment::After, "a"), &Outcome::default()), Decision::NOTHING);
        let none = Outcome { no_contracts: true, ..Outcome::default() };
        assert_eq!(decided(&call(Moment::Before, "a"), &none), Decision::NOTHING);
    }

    #[test]
    fn a_gap_is_no_decision_and_the_person_is_told_unless_the_client_says_the_same() {
        let out_of_time = skipped(Why::OutOfTime { id: "slow".to_owned() });
        let decision = decided(&call(Moment::Before, "a"), &out_of_time);
        assert_eq!(decision.verdict, Verdict::Nothing);
        assert!(decision.message.is_some_and(|message| message.starts_with("phaser: not checked: a: slow ")));
        let unknown = skipped(Why::NotReconstructed("old_str not found in file".to_owned()));
        assert_eq!(decided(&call(Moment::Before, "a"), &unknown), Decision::NOTHING);
    }

    #[test]
    fn a_way_around_contracts_is_refused() {
        let climbing = skipped(Why::ParentComponent);
        let verdict = decided(&call(Moment::Before, "a"), &climbing).verdict;
        assert_eq!(verdict, Verdict::Deny("Path contains '..': a".to_owned()));
        let verdict = decided(&call(Moment::After, "a"), &climbing).verdict;
        let lines = "Error: Path contains '..': a".to_owned();
        assert_eq!(verdict, Verdict::Violated { severity: Severity::Error, lines });
    }

    #[test]
    fn broken_contracts_are_told_with_their_number() {
        let warning = |file: &str| Warning::at(file.as_ref(), 3, "x".repeat(20_000));
        let outcome = Outcome { warnings: vec![warning("a.yaml"), warning("b.yaml")], ..Outcome::default() };
        let message = decided(&call(Moment::Before, "a"), &outcome).message.expect("a message");
        assert!(message.starts_with("phaser: a.yaml:3: xxx"), "{message}");
        assert_eq!(message.chars().count(), MAX_TEXT);
        let outcome =
            Outcome { warnings: vec![Warning::about("a.yaml".as_ref(), "bad"); 3], ..Outcome::default() };
        let message = decided(&call(Moment::Before, "a"), &outcome).message;
        assert_eq!(message.as_deref(), Some("phaser: a.yaml: bad (and 2 more)"));
        let doubts = vec![Warning::about("a.yaml".as_ref(), "odd").only_a_doubt()];
        let outcome = Outcome { warnings: doubts, ..Outcome::default() };
        assert_eq!(decided(&call(Moment::Before, "a"), &outcome).message, None);
    }
}
