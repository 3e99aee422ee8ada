//! Violations as lines for a model, within the length that a client passes on: messages are cut first, then lines are
//! left out and counted.

use std::borrow::Borrow;

use super::super::Manner;
use super::noted;
use phaser_core::contract::Severity;
use phaser_core::sanitize::{cut, inert};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::tool_call::Call;

/// The most violations that are named one by one.
const MAX_NAMED: usize = 20;

/// The fewest characters of a message that are worth a line.
const MIN_MESSAGE: usize = 40;

/// How much is kept for saying how many lines were left out.
const REST: usize = 40;

/// How a violation is worded.
#[derive(Clone, Copy)]
pub(super) struct Words {
    /// What stands first.
    pub prefix: fn(Severity) -> &'static str,
    /// How its place is named.
    pub place: Place,
}

/// How the place of a violation is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// By its line: the file is known.
    Line,
    /// By its file and its line.
    PathAndLine,
}

impl Place {
    /// How a client is told of a call that is answered in this manner.
    pub fn of(manner: Manner, call: &Call) -> Self {
        match (manner, call.changes.len()) {
            (Manner::Plain, 0 | 1) => Self::Line,
            (Manner::Plain, _) | (Manner::Guard, _) => Self::PathAndLine,
        }
    }
}

/// One line for each violation, in their order, with `most` characters in all.
pub(super) fn joined(violations: &[impl Borrow<Violation>], words: Words, most: usize) -> String {
    let mut named = violations.len().min(MAX_NAMED);
    loop {
        let lines: Vec<Line> =
            violations[..named].iter().map(|violation| Line::of(violation.borrow(), words)).collect();
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

/// The most characters that each message may have, so that all lines fit; `None` when they fit as they are.
fn longest_message(lines: &[Line], most: usize) -> Option<usize> {
    let fixed: usize = lines.iter().map(Line::fixed_length).sum();
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

/// The most characters of a path that are shown.
const MAX_PATH: usize = 300;

/// A path on one line; of a very long one the end.
fn shown(path: &RelPath) -> String {
    let text = path.to_text();
    let shown = inert(&text);
    match shown.chars().count().checked_sub(MAX_PATH) {
        None | Some(0) => shown.into_owned(),
        Some(cut) => format!("…{}", shown.chars().skip(cut).collect::<String>()),
    }
}

/// One violation in words.
struct Line {
    start: String,
    message: String,
    end: String,
}

impl Line {
    fn of(violation: &Violation, words: Words) -> Self {
        let contract = &violation.contract;
        let line = violation.found.as_ref().map(|found| found.region.start.line);
        let path = || shown(&violation.path);
        let at = match (words.place, line) {
            (Place::Line, Some(line)) => format!(" at line {line}"),
            (Place::Line, None) => String::new(),
            (Place::PathAndLine, Some(line)) => format!(" at {}:{line}", path()),
            (Place::PathAndLine, None) => format!(" at {}", path()),
        };
        let message = contract.message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            start: format!("{}: {}{at}. ", (words.prefix)(contract.severity), contract.id),
            message: inert(&message).into_owned(),
            end: noted(violation),
        }
    }

    /// The length of everything but the message, with the newline and the sign for what was cut.
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
        let words = Words { prefix: |_| "Error", place: Place::Line };
        joined(&violations.iter().collect::<Vec<_>>(), words, MAX_TEXT)
    }

    #[test]
    fn what_fits_is_not_cut() {
        let messages = ["Short.".to_owned(), "m".repeat(9_000)];
        assert_eq!(shown(&messages), format!("Error: c0. Short.\nError: c1. {}", "m".repeat(9_000)));
    }

    #[test]
    fn long_messages_are_cut_and_short_ones_are_not() {
        let messages = ["Short.".to_owned(), "é".repeat(60_000), "x\ny".to_owned(), "m".repeat(60_000)];
        let shown = shown(&messages);
        assert!(shown.chars().count() <= MAX_TEXT, "{} characters", shown.chars().count());
        assert!(shown.chars().count() > MAX_TEXT - 100, "{} characters", shown.chars().count());
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!((lines[0], lines[2]), ("Error: c0. Short.", "Error: c2. x y"));
        assert!(lines[1].ends_with("é…") && lines[3].ends_with("m…"));
    }

    #[test]
    fn no_more_than_twenty_are_named_and_the_others_are_counted() {
        let shown = shown(&vec!["m".repeat(60_000); 53]);
        assert!(shown.chars().count() <= MAX_TEXT, "{} characters", shown.chars().count());
        assert_eq!(shown.lines().count(), 21);
        assert!(shown.ends_with("\n… and 33 more"), "{shown}");
    }
}
