//! Violations as lines for a model, within a maximum length. Long messages are cut first; then lines are omitted and
//! counted.
//!
//! [`joined`] writes one line per violation. [`grouped`] is the text of a denial under `--guard`: it quotes the violating
//! lines, so that the model knows what to change in a file that was not written:
//!
//! ```text
//! no-eval: Use ast.literal_eval.
//! src/a.py:3: x = eval(y)
//! src/a.py:9: return eval(z)
//! Why: eval runs any code that the input has.
//! ```

use std::borrow::Borrow;

use super::super::HookMode;
use super::noted;
use phaser_core::contract::Severity;
use phaser_core::sanitize::{cut, inert, printable};
use phaser_core::violation::{Match, Violation};
use phaser_project::path::RelPath;
use phaser_project::tool_call::Call;

/// The maximum number of violations listed.
const MAX_NAMED: usize = 20;

/// The minimum length of a cut message; below that, lines are omitted instead.
const MIN_MESSAGE: usize = 40;

/// The room reserved for the line that counts the omitted ones.
const REST: usize = 48;

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
        let fixed: usize = lines.iter().map(ViolationLine::fixed_length).sum();
        let message = longest_text(lines.iter().map(|line| line.message.as_str()), fixed, most);
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

/// The length to which texts have to be cut so that they fit into `most` characters together with `fixed` others; `None`
/// if they fit uncut.
fn longest_text<'t>(texts: impl Iterator<Item = &'t str>, fixed: usize, most: usize) -> Option<usize> {
    let room = most.saturating_sub(REST + fixed);
    let mut lengths: Vec<usize> = texts.map(|text| text.chars().count()).collect();
    if lengths.iter().sum::<usize>() <= room {
        return None;
    }
    lengths.sort_unstable();
    // Short texts leave room for the others.
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

/// The maximum number of places listed per contract.
const MAX_PLACES: usize = 3;

/// The maximum length of a quoted line, in characters.
const MAX_QUOTE: usize = 160;

/// The number of characters quoted before a match in the middle of a long line.
const BEFORE_MATCH: usize = 40;

/// The violations grouped by contract, each with its message, its first places and its rationale, at most `most`
/// characters in all.
pub(super) fn grouped(violations: &[&Violation], most: usize) -> String {
    let mut groups: Vec<Vec<&Violation>> = Vec::new();
    for violation in violations {
        match groups.iter_mut().find(|group| group[0].contract.id == violation.contract.id) {
            Some(group) => group.push(violation),
            None => groups.push(vec![violation]),
        }
    }
    let all = groups.len();
    let mut places_left = MAX_NAMED;
    let mut shown: Vec<ContractGroup> = Vec::new();
    for group in groups {
        if places_left == 0 {
            break;
        }
        let group = ContractGroup::new(&group, places_left.min(MAX_PLACES));
        places_left -= group.places.len();
        shown.push(group);
    }
    loop {
        let fixed: usize = shown.iter().map(ContractGroup::fixed_length).sum();
        let length = longest_text(shown.iter().flat_map(ContractGroup::texts), fixed, most);
        if shown.len() > 1 && length.is_some_and(|length| length < MIN_MESSAGE) {
            shown.pop();
            continue;
        }
        let mut lines: Vec<String> =
            shown.iter().map(|group| group.cut_to(length.unwrap_or(usize::MAX))).collect();
        let contracts = all - shown.len();
        if contracts > 0 {
            let more = violations.len() - shown.iter().map(|group| group.count).sum::<usize>();
            let s = if contracts == 1 { "" } else { "s" };
            lines.push(format!("… and {more} more of {contracts} other contract{s}"));
        }
        return lines.join("\n");
    }
}

/// The violations of one contract.
struct ContractGroup {
    id: String,
    message: String,
    /// One line each.
    places: Vec<String>,
    why: Option<String>,
    /// The number of violations, those that are not listed included.
    count: usize,
}

impl ContractGroup {
    /// Lists at most `most` places.
    fn new(violations: &[&Violation], most: usize) -> Self {
        let contract = &violations[0].contract;
        Self {
            id: contract.id.clone(),
            message: printable(&contract.message),
            places: violations.iter().take(most).map(|violation| place(violation)).collect(),
            why: contract.rationale.as_deref().map(printable).filter(|why| !why.is_empty()),
            count: violations.len(),
        }
    }

    /// The texts that may be cut.
    fn texts(&self) -> impl Iterator<Item = &str> {
        [Some(self.message.as_str()), self.why.as_deref()].into_iter().flatten()
    }

    /// The length of everything but these texts.
    fn fixed_length(&self) -> usize {
        self.cut_to(0).chars().count() + 1
    }

    fn cut_to(&self, length: usize) -> String {
        let mut lines = vec![format!("{}: {}", self.id, cut(&self.message, length))];
        lines.extend(self.places.iter().cloned());
        if self.count > self.places.len() {
            lines.push(format!("… and {} more", self.count - self.places.len()));
        }
        lines.extend(self.why.as_ref().map(|why| format!("Why: {}", cut(why, length))));
        lines.join("\n")
    }
}

/// `src/a.py:3: x = eval(y)`; without a match the path alone.
fn place(violation: &Violation) -> String {
    let path = shown(&violation.path);
    let change = violation.detail.as_ref().and_then(|detail| detail.describe());
    let change = change.map(|change| format!(" ({})", inert(&change)));
    let note = format!("{}{}", change.unwrap_or_default(), noted(violation));
    match &violation.found {
        Some(found) => format!("{path}:{}: {}{note}", found.line_place(), quoted(found)),
        None => format!("{path}{note}"),
    }
}

/// The first line of a match, trimmed and cut around the match.
fn quoted(found: &Match) -> String {
    let column = found.source_region().start.column - 1;
    // The kept part of a very long line may end before the match.
    let (text, column) = match found.line.chars().count() > column {
        true => (found.line.as_ref(), column),
        false => (found.text.as_str(), 0),
    };
    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
    let trimmed = text.trim();
    let start = match trimmed.chars().count() {
        0..=MAX_QUOTE => 0,
        length => column.saturating_sub(indent + BEFORE_MATCH).min(length - MAX_QUOTE),
    };
    let rest: String = trimmed.chars().skip(start).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let ellipsis = if start > 0 { "…" } else { "" };
    let line = rest.lines().next().unwrap_or_default();
    format!("{ellipsis}{}", cut(&inert(&cut(line, MAX_QUOTE)), MAX_QUOTE))
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
        let message = violation.message().split_whitespace().collect::<Vec<_>>().join(" ");
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
    use phaser_core::text::{Position, Region};
    use phaser_core::violation::{LineDigest, MatchDigests};

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

    /// Violations of one contract on the line of each match, which starts at this column.
    fn matches(id: &str, rationale: Option<&str>, lines: &[(&str, usize)]) -> Vec<Violation> {
        let rationale = rationale.map(str::to_owned);
        let contract = Arc::new(Contract {
            id: id.to_owned(),
            message: "Do not.".to_owned(),
            rationale,
            ..contract(0, Check::NotExists)
        });
        let at = |(number, (line, column)): (usize, &(&str, usize))| {
            let place = Position { line: number + 1, column: *column };
            let region = Region { start: place, end: place };
            let text = line.chars().skip(column - 1).collect();
            let found = Match { range: 0..1, start: 0, region, text, line: (*line).into(), cell: None };
            let digests = MatchDigests { line: LineDigest(0), text: LineDigest(0) };
            Violation::at(&contract, &RelPath::from("a.py"), found, digests)
        };
        lines.iter().enumerate().map(at).collect()
    }

    fn group(violations: &[Violation]) -> String {
        grouped(&violations.iter().collect::<Vec<_>>(), MAX_TEXT)
    }

    #[test]
    fn groups_by_contract_and_quotes_lines() {
        let mut violations = matches("b", Some("It is\nslow."), &[("  \tx = b(1)\tb ", 8); 5]);
        violations.extend(matches("a", None, &[("a()", 1)]));
        violations.push(violations[0].clone());
        violations.push(Violation::of_file(&violations[5].contract, &RelPath::from("c.py")));
        assert_eq!(
            group(&violations),
            "b: Do not.\na.py:1: x = b(1) b\na.py:2: x = b(1) b\na.py:3: x = b(1) b\n… and 3 more\nWhy: It is slow.\n\
             a: Do not.\na.py:1: a()\nc.py"
        );
    }

    #[test]
    fn cuts_long_line_around_match() {
        let line = format!("{}match{}", "é".repeat(300), "z".repeat(300));
        let quote = group(&matches("a", None, &[(&line, 301)]));
        let quote = quote.lines().nth(1).and_then(|line| line.strip_prefix("a.py:1: ")).expect("a place");
        assert_eq!(quote, format!("…{}match{}…", "é".repeat(40), "z".repeat(115)));
        let at_end = format!("{}match", "é".repeat(300));
        assert!(group(&matches("a", None, &[(&at_end, 301)])).ends_with("ématch"));
        // The kept part of the line ends before the match.
        assert!(group(&matches("a", None, &[("short", 900)])).ends_with("a.py:1: "));
    }

    #[test]
    fn groups_keep_to_length() {
        let long = "r".repeat(60_000);
        let mut violations = Vec::new();
        for at in 0..40 {
            violations.extend(matches(&format!("c{at}"), Some(&long), &[(long.as_str(), 30_000); 2]));
        }
        let text = group(&violations);
        assert!(text.chars().count() <= MAX_TEXT, "{} characters", text.chars().count());
        assert_eq!(text.lines().filter(|line| line.starts_with("a.py:")).count(), 20);
        assert!(text.ends_with("\n… and 60 more of 30 other contracts"), "{text}");
        assert!(grouped(&violations.iter().collect::<Vec<_>>(), 1_000).chars().count() <= 1_000);
    }

    #[test]
    fn lists_twenty_and_counts_the_rest() {
        let shown = shown(&vec!["m".repeat(60_000); 53]);
        assert!(shown.chars().count() <= MAX_TEXT, "{} characters", shown.chars().count());
        assert_eq!(shown.lines().count(), 21);
        assert!(shown.ends_with("\n… and 33 more"), "{shown}");
    }
}
