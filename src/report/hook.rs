//! The answer to a hook event: the decision and the reason, as Claude Code reads them.

use std::io::{self, Write};

use super::inert;
use crate::contract::Severity;
use crate::hook::{PostToolUseResponse, PreToolUseResponse, Response};
use crate::outcome::Outcome;
use crate::source::proposal::{MAX_PATH, Moment};
use crate::violation::{Note, Violation};

/// The most violations that are named one by one.
const MAX_NAMED: usize = 20;

/// What to answer when nothing is left to say against the edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnClean {
    /// `allow`, which skips the user's permission prompt.
    Allow,
    /// `{}`, which leaves the decision to the client.
    Defer,
}

/// The answer for an outcome.
pub fn response(outcome: &Outcome, moment: Moment, on_clean: OnClean) -> Response {
    let summary = outcome.summary();
    let violated = outcome.open().next().is_some();
    match moment {
        Moment::Before if violated => {
            let named = lines(outcome, |_| "Contract violation");
            PreToolUseResponse::deny(named).into()
        }
        Moment::Before if on_clean == OnClean::Allow => {
            PreToolUseResponse::allow().with_reason(passed(summary.ignored)).into()
        }
        Moment::After if violated => {
            let word = if summary.errors > 0 { "violation" } else { "warning" };
            let reason = format!("Contract {word} detected after file write");
            let named = lines(outcome, |severity| match severity {
                Severity::Error => "Error",
                Severity::Warning => "Warning",
            });
            PostToolUseResponse::block(reason).and_context(named).into()
        }
        Moment::Before | Moment::After => Response::empty(),
    }
}

/// The answer for a path with a `..` component, which would be a way around every contract.
pub fn climbing(path: &str, moment: Moment) -> Response {
    refusing(format!("Path contains '..': {}", inert(path)), moment)
}

/// The answer for a path that is longer than any file's; what could be said of it takes too long to find out.
pub fn too_long(moment: Moment) -> Response {
    refusing(format!("Path is longer than {MAX_PATH} bytes"), moment)
}

fn refusing(what: String, moment: Moment) -> Response {
    match moment {
        Moment::Before => PreToolUseResponse::deny(what).into(),
        Moment::After => {
            let reason = "Contract violation detected after file write";
            PostToolUseResponse::block(reason).and_context(format!("Error: {what}")).into()
        }
    }
}

/// Writes an answer.
pub fn write(out: &mut dyn Write, response: &Response) -> io::Result<()> {
    writeln!(out, "{}", response.to_pretty_json())
}

fn passed(ignored: usize) -> String {
    match ignored {
        0 => "All contracts passed".to_owned(),
        1 => "1 violation suppressed by ignore".to_owned(),
        count => format!("{count} violations suppressed by ignore"),
    }
}

/// One line for each violation, errors first.
fn lines(outcome: &Outcome, prefix: fn(Severity) -> &'static str) -> String {
    let mut ordered: Vec<_> = outcome.open().collect();
    ordered.sort_by_key(|violation| std::cmp::Reverse(violation.contract.severity));
    let mut lines: Vec<String> = ordered
        .iter()
        .take(MAX_NAMED)
        .map(|violation| line(prefix(violation.contract.severity), violation))
        .collect();
    if ordered.len() > MAX_NAMED {
        lines.push(format!("… and {} more", ordered.len() - MAX_NAMED));
    }
    lines.join("\n")
}

fn line(prefix: &str, violation: &Violation) -> String {
    let contract = &violation.contract;
    let at = match &violation.found {
        Some(found) => format!(" at line {}", found.region.start.line),
        None => String::new(),
    };
    let message = contract.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = match violation.note {
        None => "",
        Some(Note::BareIgnore) => " (phaser:ignore without an id ignores nothing)",
    };
    format!("{prefix}: {}{at}. {}{note}", contract.id, inert(&message))
}
