//! The decision on an event: from the report of a check to a verdict and its texts, independent of any agent's format.
//!
//! Example: an edit of `src/a.py` adds an error and a warning. Before the edit, [`decide`] returns
//! `Deny("Contract violation: no-print at line 3. …")`; under `--guard` the denial quotes the line, and the warning is left
//! for the event after the edit, where it becomes `Violated { reason: None, .. }`, which does not block. Gaps (files that could not be checked)
//! never deny; they go into [`HookDecision::message`].

use std::cmp::Reverse;

use super::HookMode;
use crate::decisions::repeats::{self, DenialCounts};
use crate::in_flight::RewrittenCall;
use phaser_core::contract::{BlockDecision, Severity, Warning, WarningEffect};
use phaser_core::sanitize::{cut, inert, inert_lines};
use phaser_core::skipped::{Gap, SkipReason, Skipped};
use phaser_core::violation::Violation;
use phaser_project::config::{Policy, Repeated};
use phaser_project::path::Root;
use phaser_project::report::{Report, Summary};
use phaser_project::tool_call::{Call, FileChange, Moment};

mod command;
mod fixed_call;
mod lines;
mod repetition;

pub use command::{
    CheckedCommand, CommandContracts, CommandViolation, NOT_RUN, decide_on_command_line, listed_command,
};
use lines::{LineStyle, LocationStyle};

/// The maximum length of a text in a response, in characters. Claude Code moves texts of more than 10,000 into a file.
pub const MAX_TEXT: usize = 9_500;

/// The decision on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDecision {
    pub verdict: HookVerdict,
    /// Further text for the model.
    pub context: Option<String>,
    /// Text for the user only.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// No decision: nothing to report, or not everything could be checked.
    Nothing,
    /// Before a call: everything was checked and nothing blocks it.
    Clean(Summary),
    /// Before a call: the user has to confirm it, for this reason.
    Ask(String),
    /// Before a call: it is denied, for this reason.
    Deny(String),
    /// Before a call: it runs with fixed changes, if the agent permits it.
    Fixed(FixedCall),
    /// Before a command: another one runs, if the agent permits it.
    FixedCommand(FixedCommand),
    /// After a call or a command: it left violations.
    Violated {
        /// Why the model has to fix them before it continues; `None` if it need not.
        reason: Option<String>,
        /// One line per violation.
        lines: String,
    },
    /// The end of a turn or a change of settings is blocked, for this reason.
    Block(String),
}

/// A call whose changes were fixed before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedCall {
    pub changes: Vec<FileChange>,
    /// The fixes, listed for the model.
    pub explanation: String,
    /// The reason to deny the call, for agents that cannot change its input.
    pub denial: String,
}

/// A command line that was fixed before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedCommand {
    pub line: String,
    /// The change, for the model.
    pub explanation: String,
    /// The reason to deny the command, for agents that cannot change it.
    pub denial: String,
}

impl HookDecision {
    pub const NOTHING: Self = Self { verdict: HookVerdict::Nothing, context: None, message: None };

    /// Gaps and broken contracts for the user, and no verdict.
    pub fn message_only(report: &Report) -> Self {
        Self { message: message(report, HookMode::Guard), ..Self::NOTHING }
    }

    /// The decision with every text sanitised. The changes of a fixed call are code and stay as they are.
    pub(super) fn sanitised(&self) -> Self {
        let safe = |text: &String| inert_lines(text);
        let verdict = match &self.verdict {
            HookVerdict::Nothing => HookVerdict::Nothing,
            HookVerdict::Clean(summary) => HookVerdict::Clean(*summary),
            HookVerdict::Ask(reason) => HookVerdict::Ask(safe(reason)),
            HookVerdict::Deny(reason) => HookVerdict::Deny(safe(reason)),
            HookVerdict::Block(reason) => HookVerdict::Block(safe(reason)),
            HookVerdict::Fixed(FixedCall { changes, explanation, denial }) => HookVerdict::Fixed(FixedCall {
                changes: changes.clone(),
                explanation: safe(explanation),
                denial: safe(denial),
            }),
            HookVerdict::FixedCommand(FixedCommand { line, explanation, denial }) => {
                HookVerdict::FixedCommand(FixedCommand {
                    line: line.clone(),
                    explanation: safe(explanation),
                    denial: safe(denial),
                })
            }
            HookVerdict::Violated { reason, lines } => {
                HookVerdict::Violated { reason: reason.as_ref().map(safe), lines: safe(lines) }
            }
        };
        Self { verdict, context: self.context.as_ref().map(safe), message: self.message.as_ref().map(safe) }
    }
}

/// A call that was checked.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'a> {
    pub root: &'a Root,
    pub call: &'a Call,
    pub mode: HookMode,
    pub findings: &'a [PolicyFinding],
    /// The fixed changes, if fixes remove every violation.
    pub rewritten_call: Option<&'a RewrittenCall>,
    /// Earlier denials in the session.
    pub denials: &'a DenialCounts,
    /// The response to repeated denials.
    pub repeated: Repeated,
}

impl CheckedCall<'_> {
    /// The number of this denial of the violation's contract for its file in the session, from 1.
    fn ordinal(&self, violation: &Violation) -> usize {
        self.denials.earlier(&violation.contract.id, &violation.path.to_text()) + 1
    }
}

/// A change that a policy of the project (`ignores`, `protect`) is about: an added ignore directive, or a change that weakens
/// enforcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFinding {
    pub policy: Policy,
    /// Whether it is only possible: the state before is not known.
    pub is_uncertain: bool,
    /// The message, complete in itself.
    pub what: String,
}

pub fn decide(checked: CheckedCall<'_>, report: &Report) -> HookDecision {
    let denied_path = report.skipped.iter().find_map(denied_path);
    let verdict = match (denied_path, checked.call.moment) {
        (Some(problem), Moment::Before) => HookVerdict::Deny(problem),
        (Some(problem), Moment::After) => HookVerdict::Violated {
            reason: Some(after_write(Severity::Error).to_owned()),
            lines: format!("Error: {problem}"),
        },
        (None, moment) => verdict(checked, report, moment),
    };
    // The guard has reported existing violations before the edit.
    let is_reported = checked.mode == HookMode::Guard && checked.call.moment == Moment::After;
    let context = if is_reported {
        None
    } else {
        context(&verdict, report, LocationStyle::of(checked.mode, checked.call))
    };
    let message = message(report, checked.mode);
    with_concerns(HookDecision { verdict, context, message }, checked.findings)
}

/// Decides on the files that a shell command changed.
pub fn decide_on_command(report: &Report, findings: &[PolicyFinding]) -> HookDecision {
    let verdict = violated(&worst_first(report), HookMode::Guard, LocationStyle::PathAndLine)
        .unwrap_or(HookVerdict::Nothing);
    if findings.is_empty() {
        return HookDecision { verdict, context: None, message: message(report, HookMode::Guard) };
    }
    let (reason, lines) = match verdict {
        HookVerdict::Violated { reason, lines } => (reason, Some(lines)),
        _ => (None, None),
    };
    HookDecision {
        verdict: HookVerdict::Violated { reason, lines: with_findings(lines, "\n", findings) },
        context: None,
        message: Some(with_findings(message(report, HookMode::Guard), "; ", findings)),
    }
}

/// `text` followed by the findings, cut.
fn with_findings(text: Option<String>, separator: &str, findings: &[PolicyFinding]) -> String {
    let findings = findings.iter().map(|finding| finding.what.as_str()).collect::<Vec<_>>().join("\n");
    let text = text.map(|text| format!("{text}{separator}")).unwrap_or_default();
    shortened(&format!("{text}{findings}"))
}

/// The maximum length of the reason that blocks the end of a turn, in characters. Claude Code sends it to the model twice.
const MAX_STOP_REASON: usize = 2_000;

/// Decides whether a turn with these violations and findings may end. A finding of `deny` blocks it; what the user may have
/// agreed to during the turn, or what is uncertain, is only reported. A reason in `sent_back`, for which the turn was sent
/// back already, does not block it again.
pub fn decide_on_end(report: &Report, findings: &[PolicyFinding], sent_back: &[String]) -> HookDecision {
    let mut open = worst_first(report);
    open.retain(|violation| violation.contract.severity == Severity::Error);
    let mut parts: Vec<String> = Vec::new();
    if !open.is_empty() {
        let heading = "Fix these contract violations before finishing:\n";
        let most = MAX_STOP_REASON - heading.chars().count();
        let style = LineStyle { prefix: |_| "Contract violation", location: LocationStyle::PathAndLine };
        parts.push(format!("{heading}{}", lines::joined(&open, style, most)));
    }
    let denied = findings.iter().filter(|finding| finding.policy == Policy::Deny && !finding.is_uncertain);
    parts.extend(denied.map(|finding| finding.what.clone()));
    let reason = cut(&parts.join("\n"), MAX_STOP_REASON - 1).into_owned();
    let verdict = match parts.is_empty() || sent_back.contains(&reason) {
        true => HookVerdict::Nothing,
        false => HookVerdict::Block(reason),
    };
    let message = match findings {
        [] => message(report, HookMode::Guard),
        findings => Some(with_findings(message(report, HookMode::Guard), "; ", findings)),
    };
    HookDecision { verdict, context: None, message }
}

/// Adds the findings of policies: the strictest policy decides.
fn with_concerns(decision: HookDecision, findings: &[PolicyFinding]) -> HookDecision {
    let Some(strictest) = findings.iter().map(|finding| finding.policy).max() else { return decision };
    let HookDecision { verdict, context, message } = decision;
    match (strictest, verdict) {
        (Policy::Deny | Policy::Ask, HookVerdict::Deny(reason)) => {
            let (reason, end) = match reason.strip_suffix(DENIED) {
                Some(reason) => (reason, DENIED),
                None => (reason.as_str(), ""),
            };
            let reason = with_findings(Some(reason.to_owned()), "\n", findings);
            let reason = cut(&reason, MAX_TEXT - end.len() - 1);
            HookDecision { verdict: HookVerdict::Deny(format!("{reason}{end}")), context, message }
        }
        (Policy::Deny, _) => {
            HookDecision { verdict: HookVerdict::Deny(with_findings(None, "", findings)), context, message }
        }
        (Policy::Ask, _) => {
            HookDecision { verdict: HookVerdict::Ask(with_findings(None, "", findings)), context, message }
        }
        (Policy::Report | Policy::Allow, verdict) => HookDecision {
            verdict,
            context: Some(with_findings(context, "\n", findings)),
            message: Some(with_findings(message, "; ", findings)),
        },
    }
}

/// The heading of existing violations.
const EXISTING: &str = "Existing violations on lines that this edit touches (they do not block it):";

/// The minimum length of the list of existing violations; with less room it is omitted.
const MIN_CONTEXT: usize = 500;

/// Existing violations on lines that the call touches, cut to the room that the verdict leaves.
fn context(verdict: &HookVerdict, report: &Report, location: LocationStyle) -> Option<String> {
    let used = match verdict {
        HookVerdict::Violated { lines, .. } => lines.chars().count() + 1,
        _ => 0,
    };
    let room = MAX_TEXT.saturating_sub(used + EXISTING.len() + 1);
    let mut touched: Vec<_> = report.touched().collect();
    touched.sort_by_key(|violation| Reverse(violation.contract.severity));
    (!touched.is_empty() && room >= MIN_CONTEXT).then(|| {
        let prefix = |severity| match severity {
            Severity::Error => "Existing violation",
            Severity::Warning => "Existing warning",
        };
        let style = LineStyle { prefix, location };
        format!("{EXISTING}\n{}", lines::joined(&touched, style, room))
    })
}

/// The open violations, errors first.
fn worst_first(report: &Report) -> Vec<&Violation> {
    let mut open: Vec<_> = report.open().collect();
    open.sort_by_key(|violation| Reverse(violation.contract.severity));
    open
}

fn verdict(checked: CheckedCall<'_>, report: &Report, moment: Moment) -> HookVerdict {
    let CheckedCall { root, call, mode, .. } = checked;
    let mut open = worst_first(report);
    if moment == Moment::After {
        return violated(&open, mode, LocationStyle::of(mode, call)).unwrap_or(HookVerdict::Nothing);
    }
    if mode == HookMode::Guard {
        // Warnings are reported after the edit.
        open.retain(|violation| violation.contract.severity == Severity::Error);
    }
    match open.as_slice() {
        [] if is_checked(report) && is_inside(root, call) => HookVerdict::Clean(report.summary()),
        [] => HookVerdict::Nothing,
        open => {
            let asks = open.iter().all(|one| one.contract.decision == BlockDecision::Ask)
                || (checked.repeated == Repeated::Ask
                    && open.iter().all(|one| checked.ordinal(one) >= repeats::ASKED));
            let denied = if open.iter().any(|one| one.is_removed()) { NOT_REMOVED } else { DENIED };
            let reason = |end| denial(open, checked, end);
            match checked.rewritten_call {
                Some(rewritten_call) => HookVerdict::Fixed(fixed_call::new(rewritten_call, reason(DENIED))),
                None if asks => HookVerdict::Ask(reason(ASKED)),
                None => HookVerdict::Deny(reason(denied)),
            }
        }
    }
}

/// The end of a denial under `--guard`.
pub const DENIED: &str = "\nNothing was written. Fix these lines and retry.";

/// The end of a denial of a removal under `--guard`. Text that is elsewhere already counts as moved.
const NOT_REMOVED: &str =
    "\nTo move a line, add it to the new place first.\nNothing was written. Fix these lines and retry.";

/// The end of a question to the user under `--guard`. The model receives it if nobody answers.
const ASKED: &str = "\nNothing was written. The user has to agree to this edit.";

/// Why a call is denied, or the user asked: the guard quotes the violating lines and ends with `end`.
fn denial(open: &[&Violation], checked: CheckedCall<'_>, end: &str) -> String {
    match checked.mode {
        HookMode::Plain => {
            let location = LocationStyle::of(checked.mode, checked.call);
            lines::joined(open, LineStyle { prefix: |_| "Contract violation", location }, MAX_TEXT)
        }
        HookMode::Guard => {
            let repeated = repetition::of_edit(open, checked);
            let room = MAX_TEXT - end.chars().count() - repeated.chars().count();
            format!("{}{repeated}{end}", lines::grouped(open, room))
        }
    }
}

/// The verdict on violations after a call, errors first; `None` without violations.
fn violated(open: &[&Violation], mode: HookMode, location: LocationStyle) -> Option<HookVerdict> {
    let worst = open.first()?.contract.severity;
    let prefix = |severity| match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let reason = match (mode, worst) {
        (HookMode::Plain, severity) => Some(after_write(severity).to_owned()),
        (HookMode::Guard, Severity::Error) => Some(count(open)),
        (HookMode::Guard, Severity::Warning) => None,
    };
    let style = LineStyle { prefix, location };
    Some(HookVerdict::Violated { reason, lines: lines::joined(open, style, MAX_TEXT) })
}

fn after_write(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Contract violation detected after file write",
        Severity::Warning => "Contract warning detected after file write",
    }
}

/// The maximum number of files named in a count of violations.
const MAX_FILES: usize = 3;

/// The number of errors and their files: `2 contract violations in a.py, b.py`.
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

/// Whether every change of the call was checked, against at least one contract, and no contract file is broken.
fn is_checked(report: &Report) -> bool {
    report.skipped.is_empty() && !report.no_contracts && !report.warnings.iter().any(Warning::skips_contract)
}

/// Whether all files of the call are in the project, by their given and by their real paths. For files elsewhere phaser
/// makes no decision, so that the agent's own permission rules apply.
fn is_inside(root: &Root, call: &Call) -> bool {
    call.changes.iter().all(|change| {
        let path = call.path(change);
        root.contains(&path) && root.contains(&phaser_project::path::real_path(&path))
    })
}

/// Why a call with this path is denied: the path would evade every contract.
fn denied_path(skipped: &Skipped) -> Option<String> {
    match &skipped.why {
        SkipReason::ParentComponent => {
            Some(format!("Path contains '..': {}", inert(&skipped.path.to_text())))
        }
        SkipReason::PathTooLong { limit } => Some(format!("Path is longer than {limit} bytes")),
        _ => None,
    }
}

/// Gaps and broken contract files, for the user. Agents do not show stderr.
fn message(report: &Report, mode: HookMode) -> Option<String> {
    let unchecked = report.skipped.iter().filter(|skipped| is_gap(&skipped.why, mode));
    let gaps = unchecked.map(|skipped| format!("{}: {}", skipped.path, skipped.why));
    let broken = report.warnings.iter().filter(|warning| warning.effect == WarningEffect::ContractSkipped);
    let parts = [counted("not checked: ", gaps), counted("", broken.map(Warning::to_string))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| shortened(&format!("phaser: {}", inert(&parts.join("; ")))))
}

/// Whether the user has to know it. Without the guard, the skip of a binary file stays silent. An edit that cannot be reconstructed is one that the agent rejects as well.
fn is_gap(why: &SkipReason, mode: HookMode) -> bool {
    why.gap() > Gap::None
        && (mode == HookMode::Guard || !matches!(why, SkipReason::UnexpectedBinary(_)))
        && !matches!(
            why,
            SkipReason::NotReconstructed(_) | SkipReason::ParentComponent | SkipReason::PathTooLong { .. }
        )
}

/// The first text and the number of further ones: `a.yaml: bad (and 2 more)`.
fn counted(prefix: &str, mut texts: impl Iterator<Item = String>) -> Option<String> {
    let first = texts.next()?;
    Some(match texts.count() {
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
    use phaser_project::tool_call::{FileChange, Rewrite};

    fn call(moment: Moment, path: &str) -> Call {
        let change =
            FileChange { path: path.to_owned(), rewrite: Rewrite::Whole(String::new()), original: None };
        Call { moment, cwd: PathBuf::from("/nowhere/project"), changes: vec![change], skipped: Vec::new() }
    }

    fn decided(call: &Call, report: &Report) -> HookDecision {
        decided_by(HookMode::Plain, call, report)
    }

    fn decided_by(mode: HookMode, call: &Call, report: &Report) -> HookDecision {
        decide(
            CheckedCall {
                root: &Root::new("/nowhere/project"),
                call,
                mode,
                findings: &[],
                rewritten_call: None,
                denials: &DenialCounts::default(),
                repeated: Repeated::Deny,
            },
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

    fn skipped(why: SkipReason) -> Report {
        Report { skipped: vec![Skipped { path: RelPath::from("a"), why }], ..Report::default() }
    }

    #[test]
    fn denies_before_and_reports_after() {
        let report = violated(&[Severity::Warning, Severity::Error]);
        let HookVerdict::Deny(reason) = decided(&call(Moment::Before, "a"), &report).verdict else {
            panic!()
        };
        let lines: Vec<_> = reason.lines().collect();
        assert!(lines[0].starts_with("Contract violation: c1. "), "{reason}");
        let after = decided(&call(Moment::After, "a"), &report).verdict;
        let HookVerdict::Violated { reason, lines } = after else { panic!("{after:?}") };
        assert_eq!(reason.as_deref(), Some("Contract violation detected after file write"));
        assert!(lines.starts_with("Error: c1. ") && lines.contains("\nWarning: c0. "), "{lines}");
    }

    #[test]
    fn clean_only_if_checked_inside_project() {
        let clean = HookDecision { verdict: HookVerdict::Clean(Summary::default()), ..HookDecision::NOTHING };
        assert_eq!(decided(&call(Moment::Before, "a"), &Report::default()), clean);
        assert_eq!(decided(&call(Moment::Before, "/elsewhere/a"), &Report::default()), HookDecision::NOTHING);
        assert_eq!(decided(&call(Moment::After, "a"), &Report::default()), HookDecision::NOTHING);
        let none = Report { no_contracts: true, ..Report::default() };
        assert_eq!(decided(&call(Moment::Before, "a"), &none), HookDecision::NOTHING);
    }

    #[test]
    fn reports_gap_to_user_without_decision() {
        let out_of_time = skipped(SkipReason::OutOfTime { id: "slow".to_owned() });
        let decision = decided(&call(Moment::Before, "a"), &out_of_time);
        assert_eq!(decision.verdict, HookVerdict::Nothing);
        assert!(decision.message.is_some_and(|message| message.starts_with("phaser: not checked: a: slow ")));
        let unknown = skipped(SkipReason::NotReconstructed("old_str not found in file".to_owned()));
        assert_eq!(decided(&call(Moment::Before, "a"), &unknown), HookDecision::NOTHING);
    }

    #[test]
    fn denies_path_that_evades_contracts() {
        let climbing = skipped(SkipReason::ParentComponent);
        let verdict = decided(&call(Moment::Before, "a"), &climbing).verdict;
        assert_eq!(verdict, HookVerdict::Deny("Path contains '..': a".to_owned()));
        let verdict = decided(&call(Moment::After, "a"), &climbing).verdict;
        let lines = "Error: Path contains '..': a".to_owned();
        let reason = Some("Contract violation detected after file write".to_owned());
        assert_eq!(verdict, HookVerdict::Violated { reason, lines });
    }

    #[test]
    fn reports_and_counts_broken_contracts() {
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
