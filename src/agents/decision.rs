//! What to say to an event, in no client's wire format: from the report of a check to a verdict and its words.

use std::cmp::Reverse;

use super::Manner;
use crate::in_flight::Amended;
use phaser_core::contract::{Severity, Warning, WarningEffect};
use phaser_core::sanitize::{cut, inert, inert_lines};
use phaser_core::skipped::{Gap, Skipped, Why};
use phaser_core::violation::Violation;
use phaser_project::config::Policy;
use phaser_project::path::Root;
use phaser_project::report::{Report, Summary};
use phaser_project::tool_call::{Call, Change, Moment};

mod lines;
mod mended;

use lines::{Place, Words};

/// The most characters of a text that a client is given. Claude Code puts more than ten thousand into a file.
pub const MAX_TEXT: usize = 9_500;

/// What to say to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is decided.
    pub verdict: Verdict,
    /// What the model should know besides.
    pub context: Option<String>,
    /// What the person should know, which the model need not.
    pub message: Option<String>,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: there is nothing to say, or not everything could be checked.
    Nothing,
    /// Before the call: everything was checked, and nothing is left to say against it.
    Clean(Summary),
    /// Before the call: a person is to be asked, for this reason.
    Ask(String),
    /// Before the call: it is refused, for this reason.
    Deny(String),
    /// Before the call: it is to do something else, and the client decides whether it may.
    Mended(Mended),
    /// After a call or a command: it has left violations.
    Violated {
        /// Why the model has to deal with them before it goes on; nothing if it need not.
        reason: Option<String>,
        /// One line for each.
        lines: String,
    },
    /// What is about to happen does not, for this reason: a turn does not end, settings do not count.
    Block(String),
}

/// What a call is to do instead of what it would violate something with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// What, file by file.
    pub changes: Vec<Change>,
    /// What the model is told about it.
    pub told: String,
    /// Why the call is refused by a client that cannot change it.
    pub otherwise: String,
}

impl Decision {
    /// There is nothing to say.
    pub const NOTHING: Self = Self { verdict: Verdict::Nothing, context: None, message: None };

    /// There is only something for the person to know, if at all.
    pub fn message_only(report: &Report) -> Self {
        Self { message: message(report), ..Self::NOTHING }
    }

    /// With every text sanitised. The changes of a call are no text to read: they stay.
    pub(super) fn sanitised(&self) -> Self {
        let safe = |text: &String| inert_lines(text);
        let verdict = match &self.verdict {
            Verdict::Nothing => Verdict::Nothing,
            Verdict::Clean(summary) => Verdict::Clean(*summary),
            Verdict::Ask(reason) => Verdict::Ask(safe(reason)),
            Verdict::Deny(reason) => Verdict::Deny(safe(reason)),
            Verdict::Block(reason) => Verdict::Block(safe(reason)),
            Verdict::Mended(Mended { changes, told, otherwise }) => Verdict::Mended(Mended {
                changes: changes.clone(),
                told: safe(told),
                otherwise: safe(otherwise),
            }),
            Verdict::Violated { reason, lines } => {
                Verdict::Violated { reason: reason.as_ref().map(safe), lines: safe(lines) }
            }
        };
        Self { verdict, context: self.context.as_ref().map(safe), message: self.message.as_ref().map(safe) }
    }
}

/// A call to decide on.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// The project.
    pub root: &'a Root,
    /// The call.
    pub call: &'a Call,
    /// In which manner the client is answered.
    pub manner: Manner,
    /// What there is to say about the call beside violations.
    pub concerns: &'a [Concern],
    /// What the call should do instead of what it would violate something with.
    pub amended: Option<&'a Amended>,
}

/// Something about a call that is no violation, and that the project wants to be dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concern {
    /// How.
    pub policy: Policy,
    /// What, in words for the model that stand by themselves.
    pub what: String,
}

/// Decides on a call.
pub fn decide(matter: Matter<'_>, report: &Report) -> Decision {
    let refused = report.skipped.iter().find_map(refusal);
    let verdict = match (refused, matter.call.moment) {
        (Some(what), Moment::Before) => Verdict::Deny(what),
        (Some(what), Moment::After) => Verdict::Violated {
            reason: Some(after_write(Severity::Error).to_owned()),
            lines: format!("Error: {what}"),
        },
        (None, moment) => verdict(matter, report, moment),
    };
    // The guard has said it before the edit.
    let is_said = matter.manner == Manner::Guard && matter.call.moment == Moment::After;
    let context =
        if is_said { None } else { context(&verdict, report, Place::of(matter.manner, matter.call)) };
    with_concerns(Decision { verdict, context, message: message(report) }, matter.concerns)
}

/// Decides on what a command left in files.
pub fn decide_on_command(report: &Report, concerns: &[Concern]) -> Decision {
    let verdict = told(&worst_first(report), Manner::Guard, Place::PathAndLine).unwrap_or(Verdict::Nothing);
    let told = concerns.iter().map(|concern| concern.what.as_str()).collect::<Vec<_>>().join("\n");
    let verdict = match (verdict, told.as_str()) {
        (verdict, "") => verdict,
        (Verdict::Violated { reason, lines }, _) => {
            Verdict::Violated { reason, lines: shortened(&format!("{lines}\n{told}")) }
        }
        (_, _) => Verdict::Violated { reason: None, lines: shortened(&told) },
    };
    let message = match (message(report), told.as_str()) {
        (message, "") => message,
        (None, told) => Some(shortened(told)),
        (Some(message), told) => Some(shortened(&format!("{message}; {told}"))),
    };
    Decision { verdict, context: None, message }
}

/// The most characters of the reason that keeps a turn from ending. A client says it to the model twice.
const MAX_REASON_TO_GO_ON: usize = 2_000;

/// Decides whether a turn may end that has left these violations. What it was sent back for already keeps it no longer.
pub fn decide_on_end(report: &Report, told: &[String]) -> Decision {
    let open = worst_first(report);
    let verdict = match open.as_slice() {
        [] => Verdict::Nothing,
        open => {
            let left = "This turn left contract violations. Mend them before you stop:\n";
            let most = MAX_REASON_TO_GO_ON - left.chars().count();
            let words = Words { prefix: |_| "Contract violation", place: Place::PathAndLine };
            let reason = format!("{left}{}", lines::joined(open, words, most));
            if told.contains(&reason) { Verdict::Nothing } else { Verdict::Block(reason) }
        }
    };
    Decision { verdict, context: None, message: message(report) }
}

/// Adds what there is to say beside violations.
fn with_concerns(decision: Decision, concerns: &[Concern]) -> Decision {
    let Some(strictest) = concerns.iter().map(|concern| concern.policy).max() else { return decision };
    let said = concerns.iter().map(|concern| concern.what.as_str()).collect::<Vec<_>>().join("\n");
    let Decision { verdict, context, message } = decision;
    let joined = |earlier: Option<String>, separator: &str| match earlier {
        Some(earlier) => Some(shortened(&format!("{earlier}{separator}{said}"))),
        None => Some(shortened(&said)),
    };
    match (strictest, verdict) {
        (Policy::Deny | Policy::Ask, Verdict::Deny(reason)) => {
            Decision { verdict: Verdict::Deny(shortened(&format!("{reason}\n{said}"))), context, message }
        }
        (Policy::Deny, _) => Decision { verdict: Verdict::Deny(shortened(&said)), context, message },
        (Policy::Ask, _) => Decision { verdict: Verdict::Ask(shortened(&said)), context, message },
        (Policy::Report | Policy::Allow, verdict) => {
            Decision { verdict, context: joined(context, "\n"), message: joined(message, "; ") }
        }
    }
}

/// What stands before the violations that the model is told of and need not repair.
const EXISTING: &str =
    "Already there before this edit, on lines that it touches; it is not denied for these:";

/// The fewest characters that are worth a list.
const MIN_CONTEXT: usize = 500;

/// The violations that were there before and that the call touches, as far as there is room beside the verdict.
fn context(verdict: &Verdict, report: &Report, place: Place) -> Option<String> {
    let told = match verdict {
        Verdict::Violated { lines, .. } => lines.chars().count() + 1,
        _ => 0,
    };
    let room = MAX_TEXT.saturating_sub(told + EXISTING.len() + 1);
    let mut touched: Vec<_> = report.touched().collect();
    touched.sort_by_key(|violation| Reverse(violation.contract.severity));
    (!touched.is_empty() && room >= MIN_CONTEXT).then(|| {
        let prefix = |severity| match severity {
            Severity::Error => "Existing violation",
            Severity::Warning => "Existing warning",
        };
        let words = Words { prefix, place };
        format!("{EXISTING}\n{}", lines::joined(&touched, words, room))
    })
}

/// The open violations, errors first.
fn worst_first(report: &Report) -> Vec<&Violation> {
    let mut open: Vec<_> = report.open().collect();
    open.sort_by_key(|violation| Reverse(violation.contract.severity));
    open
}

fn verdict(matter: Matter<'_>, report: &Report, moment: Moment) -> Verdict {
    let Matter { root, call, manner, .. } = matter;
    let mut open = worst_first(report);
    if moment == Moment::After {
        return told(&open, manner, Place::of(manner, call)).unwrap_or(Verdict::Nothing);
    }
    if manner == Manner::Guard {
        // Warnings are told afterwards.
        open.retain(|violation| violation.contract.severity == Severity::Error);
    }
    match open.as_slice() {
        [] if is_checked(report) && is_inside(root, call) => Verdict::Clean(report.summary()),
        [] => Verdict::Nothing,
        open => {
            let words = Words { prefix: |_| "Contract violation", place: Place::of(manner, call) };
            let reason = lines::joined(open, words, MAX_TEXT);
            match matter.amended {
                Some(amended) => Verdict::Mended(mended::mended(amended, reason)),
                None => Verdict::Deny(reason),
            }
        }
    }
}

/// What is said about violations that are there, if there are any; errors come first.
fn told(open: &[&Violation], manner: Manner, place: Place) -> Option<Verdict> {
    let worst = open.first()?.contract.severity;
    let prefix = |severity| match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let reason = match (manner, worst) {
        (Manner::Plain, severity) => Some(after_write(severity).to_owned()),
        (Manner::Guard, Severity::Error) => Some(count(open)),
        (Manner::Guard, Severity::Warning) => None,
    };
    let words = Words { prefix, place };
    Some(Verdict::Violated { reason, lines: lines::joined(open, words, MAX_TEXT) })
}

fn after_write(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Contract violation detected after file write",
        Severity::Warning => "Contract warning detected after file write",
    }
}

/// The most files that are named where violations are counted.
const MAX_FILES: usize = 3;

/// How many errors there are, and where.
fn count(open: &[&Violation]) -> String {
    let errors = open.iter().filter(|violation| violation.contract.severity == Severity::Error);
    let mut files: Vec<_> = errors.clone().map(|violation| &violation.path).collect();
    files.dedup();
    let names = files.iter().take(MAX_FILES).map(|path| inert(&path.to_text()).into_owned());
    let names = names.collect::<Vec<_>>().join(", ");
    let more = match files.len().saturating_sub(MAX_FILES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let errors = errors.count();
    format!("{errors} contract violation{} in {names}{more}", if errors == 1 { "" } else { "s" })
}

/// Was everything checked that the call does, and was there anything to check it with?
fn is_checked(report: &Report) -> bool {
    report.skipped.is_empty() && !report.no_contracts
}

/// Do all files of the call lie in the project, by the path given and by the real one? Who writes elsewhere is to be
/// asked by the client as if phaser were not there.
fn is_inside(root: &Root, call: &Call) -> bool {
    call.changes.iter().all(|change| {
        let path = call.path(change);
        root.contains(&path) && root.contains(&phaser_project::path::real_path(&path))
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
fn message(report: &Report) -> Option<String> {
    let unchecked = report.skipped.iter().filter(|skipped| is_gap(&skipped.why));
    let gaps = unchecked.map(|skipped| format!("{}: {}", skipped.path, skipped.why));
    let broken = report.warnings.iter().filter(|warning| warning.effect == WarningEffect::ContractSkipped);
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
    cut(text, MAX_TEXT - 1).into_owned()
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
    use phaser_core::contract::{Check, Contract};
    use phaser_core::testing::contract;
    use phaser_project::path::RelPath;
    use phaser_project::tool_call::{Change, Rewrite};

    fn call(moment: Moment, path: &str) -> Call {
        let change = Change { path: path.to_owned(), rewrite: Rewrite::Whole(String::new()), original: None };
        Call { moment, cwd: PathBuf::from("/nowhere/project"), changes: vec![change], skipped: Vec::new() }
    }

    fn decided(call: &Call, report: &Report) -> Decision {
        decided_by(Manner::Plain, call, report)
    }

    fn decided_by(manner: Manner, call: &Call, report: &Report) -> Decision {
        decide(
            Matter { root: &Root::new("/nowhere/project"), call, manner, concerns: &[], amended: None },
            report,
        )
    }

    fn violated(severities: &[Severity]) -> Report {
        let violations = severities.iter().enumerate().map(|(at, severity)| {
            let contract = Arc::new(Contract { severity: *severity, ..contract(at, Check::NotExists) });
            Violation::of_file(&contract, &RelPath::from("a"))
        });
        Report { violations: violations.collect(), ..Report::default() }
    }

    fn skipped(why: Why) -> Report {
        Report { skipped: vec![Skipped { path: RelPath::from("a"), why }], ..Report::default() }
    }

    #[test]
    fn what_is_violated_is_denied_before_and_told_after_errors_first() {
        let report = violated(&[Severity::Warning, Severity::Error]);
        let Verdict::Deny(reason) = decided(&call(Moment::Before, "a"), &report).verdict else { panic!() };
        let lines: Vec<_> = reason.lines().collect();
        assert!(lines[0].starts_with("Contract violation: c1. "), "{reason}");
        let after = decided(&call(Moment::After, "a"), &report).verdict;
        let Verdict::Violated { reason, lines } = after else { panic!("{after:?}") };
        assert_eq!(reason.as_deref(), Some("Contract violation detected after file write"));
        assert!(lines.starts_with("Error: c1. ") && lines.contains("\nWarning: c0. "), "{lines}");
    }

    #[test]
    fn only_what_was_checked_and_lies_in_the_project_is_clean() {
        let clean = Decision { verdict: Verdict::Clean(Summary::default()), ..Decision::NOTHING };
        assert_eq!(decided(&call(Moment::Before, "a"), &Report::default()), clean);
        assert_eq!(decided(&call(Moment::Before, "/elsewhere/a"), &Report::default()), Decision::NOTHING);
        assert_eq!(decided(&call(Moment::After, "a"), &Report::default()), Decision::NOTHING);
        let none = Report { no_contracts: true, ..Report::default() };
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
        let reason = Some("Contract violation detected after file write".to_owned());
        assert_eq!(verdict, Verdict::Violated { reason, lines });
    }

    #[test]
    fn broken_contracts_are_told_with_their_number() {
        let warning = |file: &str| Warning::at(file.as_ref(), 3, "x".repeat(20_000));
        let report = Report { warnings: vec![warning("a.yaml"), warning("b.yaml")], ..Report::default() };
        let message = decided(&call(Moment::Before, "a"), &report).message.expect("a message");
        assert!(message.starts_with("phaser: a.yaml:3: xxx"), "{message}");
        assert_eq!(message.chars().count(), MAX_TEXT);
        let report =
            Report { warnings: vec![Warning::about("a.yaml".as_ref(), "bad"); 3], ..Report::default() };
        let message = decided(&call(Moment::Before, "a"), &report).message;
        assert_eq!(message.as_deref(), Some("phaser: a.yaml: bad (and 2 more)"));
        let doubts = vec![Warning::about("a.yaml".as_ref(), "odd").only_a_doubt()];
        let report = Report { warnings: doubts, ..Report::default() };
        assert_eq!(decided(&call(Moment::Before, "a"), &report).message, None);
    }
}
