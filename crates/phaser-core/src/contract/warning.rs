//! What the author of a contract file should know.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Something about a contract file that its author should know; loading goes on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The file, as it should be shown.
    pub file: PathBuf,
    /// The line in it.
    pub line: Option<usize>,
    /// What is wrong, and how to mend it.
    pub what: String,
    /// The text that is wrong, and a line below it with signs under the place.
    pub excerpt: Option<[String; 2]>,
    /// What becomes of the contract.
    pub effect: WarningEffect,
}

/// What becomes of a contract that there is a warning about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningEffect {
    /// It does not count.
    ContractSkipped,
    /// It counts, though perhaps not as it was meant.
    ContractKept,
}

/// The most characters of a text that an excerpt shows before and after the place.
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

    /// The same for a contract that counts in spite of it.
    #[must_use]
    pub fn only_a_doubt(self) -> Self {
        Self { effect: WarningEffect::ContractKept, ..self }
    }

    /// The same with the place in `text` where it is wrong, in characters.
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

    /// All of it in lines, for a terminal.
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
    fn a_warning_points_at_its_place() {
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
    fn a_warning_is_one_line_but_on_a_terminal() {
        let warning = Warning::at("a.yaml".as_ref(), 3, "wrong").pointing("x(", Some(1..2));
        assert_eq!(warning.to_string(), "a.yaml:3: wrong");
        assert_eq!(warning.lines().collect::<Vec<_>>(), ["a.yaml:3: wrong", "    x(", "     ^"]);
    }
}
