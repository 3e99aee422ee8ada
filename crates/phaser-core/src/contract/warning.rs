//! Warnings about contract files.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A problem in a contract file. Other contracts load.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The path for reports.
    pub file: PathBuf,
    /// Counted from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// The problem and a hint: `problem (what to do)`.
    pub what: String,
    /// The line with the problem, and a line of carets below it.
    pub excerpt: Option<[String; 2]>,
    /// Whether the contract is used.
    pub effect: WarningEffect,
}

/// The effect of a warning on its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningEffect {
    /// The contract is not used.
    ContractSkipped,
    /// The contract is used, though perhaps not as intended.
    ContractKept,
}

/// The number of characters that an excerpt shows before and after the problem.
const EXCERPT: usize = 50;

impl Warning {
    /// A warning about a line of `file`.
    pub fn at(file: &Path, line: usize, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: Some(line),
            what: what.into(),
            excerpt: None,
            effect: WarningEffect::ContractSkipped,
        }
    }

    /// A warning about `file` as a whole.
    pub fn about(file: &Path, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            what: what.into(),
            excerpt: None,
            effect: WarningEffect::ContractSkipped,
        }
    }

    /// Whether the contract is not used.
    pub fn skips_contract(&self) -> bool {
        self.effect == WarningEffect::ContractSkipped
    }

    /// Marks a warning that keeps the contract.
    #[must_use]
    pub fn only_a_doubt(self) -> Self {
        Self { effect: WarningEffect::ContractKept, ..self }
    }

    /// Adds an excerpt of `text` with carets under the characters of `place`.
    #[must_use]
    pub fn pointing(mut self, text: &str, place: Option<Range<usize>>) -> Self {
        let Some(place) = place else { return self };
        let characters: Vec<char> = text.chars().collect();
        let place = place.start.min(characters.len())..place.end.max(place.start + 1);
        let is_break = |c: &char| matches!(c, '\n' | '\r');
        let (before, after) = characters.split_at(place.start);
        let line_start = before.iter().rposition(is_break).map_or(0, |at| at + 1);
        let line_end = before.len() + after.iter().position(is_break).unwrap_or(after.len());
        let start = line_start.max(place.start.saturating_sub(EXCERPT));
        let end = line_end.min(place.end.saturating_add(EXCERPT));
        let shown = |c: &char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { *c };
        let text: String = characters[start..end.max(start)].iter().map(shown).collect();
        let signs = place.end.min(end.max(place.start + 1)) - place.start;
        let signs = format!("{}{}", " ".repeat(place.start - start), "^".repeat(signs));
        self.excerpt = Some([text, signs]);
        self
    }

    /// The lines for a terminal.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let excerpt = self.excerpt.iter().flatten().map(|line| format!("    {line}"));
        std::iter::once(self.to_string()).chain(excerpt)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {}", self.what),
            None => write!(f, "{file}: {}", self.what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_points_at_problem() {
        let at = |text: &str, place| {
            Warning::at("a.yaml".as_ref(), 3, "wrong").pointing(text, Some(place)).excerpt
        };
        let two = |text: &str, signs: &str| Some([text.to_owned(), signs.to_owned()]);
        assert_eq!(at("aé(b", 2..3), two("aé(b", "  ^"));
        assert_eq!(at("a\nb(c\nd", 3..4), two("b(c", " ^"));
        assert_eq!(at("a\u{1}(", 2..3), two("a\u{FFFD}(", "  ^"));
        assert_eq!(at("", 0..1), two("", "^"));
        assert!(at("ab", 70..71).is_some_and(|[text, _]| text == "ab"));
        let long = format!("{}({}", "a".repeat(100), "b".repeat(100));
        let shown = format!("{}({}", "a".repeat(50), "b".repeat(50));
        assert_eq!(at(&long, 100..101), two(&shown, &format!("{}^", " ".repeat(50))));
    }

    #[test]
    fn excerpt_is_only_for_terminals() {
        let warning = Warning::at("a.yaml".as_ref(), 3, "wrong").pointing("x(", Some(1..2));
        assert_eq!(warning.to_string(), "a.yaml:3: wrong");
        assert_eq!(warning.lines().collect::<Vec<_>>(), ["a.yaml:3: wrong", "    x(", "     ^"]);
    }
}
