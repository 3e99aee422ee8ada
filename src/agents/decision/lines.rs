//! Violations as lines for a model, within a maximum length. Long messages are cut first; then lines are omitted and
//! counted.

use std::borrow::Borrow;

use super::super::HookMode;
use super::noted;
use phaser_core::contract::Severity;
use phaser_core::sanitize::{cut, inert};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::tool_call::Call;

/// The maximum number of violations listed.
const MAX_NAMED: usize = 20;

/// The minimum length of a cut message; below that, lines are omitted instead.
const MIN_MESSAGE: usize = 40;

/// The room reserved for the line that counts the omitted ones.
const REST: usize = 40;

/// The format of a violation's line.
#[derive(Clone, Copy)]
pub(super) struct LineStyle {
    pub prefix: fn(Severity) -> &'static str,
    pub location: LocationStyle,
}

/// The format of a violation's location.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LocationStyle {
    /// `at line 3`: the response is about one file.
    Line,
    /// `at src/a.py:3`.
    PathAndLine,
}

impl LocationStyle {
    /// The format for the response to a call.
    pub fn of(mode: HookMode, call: &Call) -> Self {
        match (mode, call.changes.len()) {
            (HookMode::Plain, 0 | 1) => Self::Line,
            (HookMode::Plain, _) | (HookMode::Guard, _) => Self::PathAndLine,
        }
    }
}

/// One line per violation, in their order, at most `most` characters in all.
pub(super) fn joined(violations: &[impl Borrow<Violation>], style: LineStyle, most: usize) -> String {
    let mut named = violations.len().min(MAX_NAMED);
    loop {
        let lines: Vec<ViolationLine> = violations[..named]
            .iter()
            .map(|violation| ViolationLine::new(violation.borrow(), style))
            .collect();
        let message = longest_message(&lines, most);
        if named > 1 && message.is_some_and(|length| length < MIN_MESSAGE) {
            named -= 1;
            continue;
        }
        let length = message.unwrap_or(usize::MAX);
        let mut lines: Vec<String> = lines.iter().map(|line| line.cut_to(length)).collect();
        if violations.len() > named {
            lines.push(format!("… and {} more", violations.len() - named));
        }
        return lines.join("\n");
    }
}

/// The length to which messages have to be cut so that all lines fit; `None` if they fit uncut.
fn longest_message(lines: &[ViolationLine], most: usize) -> Option<usize> {
    let fixed: usize = lines.iter().map(ViolationLine::fixed_length).sum();
    let room = most.saturating_sub(REST + fixed);
    let mut lengths: Vec<usize> = lines.iter().map(|line| line.message.chars().count()).collect();
    if lengths.iter().sum::<usize>() <= room {
        return None;
    }
    lengths.sort_unstable();
    // Short messages leave room for the others.
    let mut left = room;
    for (at, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - at);
        if *length > share {
            return Some(share);
        }
        left -= length;
    }
    None
}

/// The maximum length of a path, in characters.
const MAX_PATH: usize = 300;

/// A sanitised path; a long one is cut at its start.
fn shown(path: &RelPath) -> String {
    let text = path.to_text();
    let shown = inert(&text);
    match shown.chars().count().checked_sub(MAX_PATH) {
        None | Some(0) => shown.into_owned(),
        Some(cut) => format!("…{}", shown.chars().skip(cut).collect::<String>()),
    }
}

struct ViolationLine {
    start: String,
    message: String,
    end: String,
}

impl ViolationLine {
    fn new(violation: &Violation, style: LineStyle) -> Self {
        let contract = &violation.contract;
        let found = violation.found.as_ref();
        let path = || shown(&violation.path);
        let at = match (style.location, found) {
            (LocationStyle::Line, Some(found)) => {
                let line = found.source_region().start.line;
                let cell = found.cell.as_ref().map(|cell| format!("cell {}, ", cell.number));
                format!(" at {}line {line}", cell.unwrap_or_default())
            }
            (LocationStyle::Line, None) => String::new(),
            (LocationStyle::PathAndLine, Some(found)) => format!(" at {}:{}", path(), found.line_place()),
            (LocationStyle::PathAndLine, None) => format!(" at {}", path()),
        };
        let message = contract.message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            start: format!("{}: {}{at}. ", (style.prefix)(contract.severity), contract.id),
            message: inert(&message).into_owned(),
            end: noted(violation),
        }
    }

    /// The length of everything but the message, including the newline and the ellipsis of a cut message.
    fn fixed_length(&self) -> usize {
        self.start.chars().count() + self.end.chars().count() + 2
    }

    fn cut_to(&self, length: usize) -> String {
        let Self { start, message, end } = self;
        format!("{start}{}{end}", cut(message, length))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::MAX_TEXT;
    use super::*;
    use phaser_core::contract::{Check, Contract};
    use phaser_core::testing::contract;

    fn violations(messages: &[String]) -> Vec<Violation> {
        let contracts = messages.iter().enumerate().map(|(at, message)| {
            Arc::new(Contract { message: message.clone(), ..contract(at, Check::NotExists) })
        });
        contracts.map(|contract| Violation::of_file(&contract, &RelPath::from("a.py"))).collect()
    }

    fn shown(messages: &[String]) -> String {
        let violations = violations(messages);
        let style = LineStyle { prefix: |_| "Error", location: LocationStyle::Line };
        joined(&violations.iter().collect::<Vec<_>>(), style, MAX_TEXT)
    }

    #[test]
    fn keeps_messages_that_fit() {
        let messages = ["Short.".to_owned(), "m".repeat(9_000)];
        assert_eq!(shown(&messages), format!("Error: c0. Short.\nError: c1. {}", "m".repeat(9_000)));
    }

    #[test]
    fn cuts_only_long_messages() {
        let messages = ["Short.".to_owned(), "é".repeat(60_000), "x\ny".to_owned(), "m".repeat(60_000)];
        let shown = shown(&messages);
        assert!(shown.chars().count() <= MAX_TEXT, "{} characters", shown.chars().count());
        assert!(shown.chars().count() > MAX_TEXT - 100, "{} characters", shown.chars().count());
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!((lines[0], lines[2]), ("Error: c0. Short.", "Error: c2. x y"));
        assert!(lines[1].ends_with("é…") && lines[3].ends_with("m…"));
    }

    #[test]
    fn lists_twenty_and_counts_the_rest() {
        let shown = shown(&vec!["m".repeat(60_000); 53]);
        assert!(shown.chars().count() <= MAX_TEXT, "{} characters", shown.chars().count());
        assert_eq!(shown.lines().count(), 21);
        assert!(shown.ends_with("\n… and 33 more"), "{shown}");
    }
}
