//! Patterns that are wrong for every text: those that match nothing, or the empty string.
//!
//! Reports only what is certain. Patterns for the backtracking engine and automata that grow too large are not
//! judged.

use std::collections::HashSet;

use regex_automata::dfa::Automaton;
use regex_automata::dfa::dense::{self, DFA};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

use super::dialect::{self, Facts, Translation, TranslationPurpose};
use super::linear::{self, Charset};
use crate::contract::{Dialect, Pattern};

/// Cap on the automaton, in bytes.
const SIZE_LIMIT: usize = 1024 * 1024;

/// The defect of a valid pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vacuous {
    /// No text has a match.
    NeverMatches,
    /// Can match the empty string, which is never reported as a match.
    MatchesEmpty,
    /// Contains a control character, as `"\b"` in YAML's double quotes does.
    ControlCharacter,
}

/// What is wrong with a valid pattern.
pub fn vacuous(pattern: &Pattern) -> Option<Vacuous> {
    if pattern.source.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Some(Vacuous::ControlCharacter);
    }
    if pattern.dialect == Dialect::Literal {
        return None;
    }
    let translation = dialect::translate(&pattern.source, TranslationPurpose::Search);
    let Ok(Translation { regex, backtracks: None, facts, .. }) = translation else { return None };
    let hir = linear::parse(&regex, Charset::Any).ok()?;
    let certain = !(hir.properties().look_set().contains_word() && facts.negates_class);
    match hir.properties().minimum_len() {
        None => Some(Vacuous::NeverMatches),
        Some(_) if certain && never_matches(&regex, &facts) => Some(Vacuous::NeverMatches),
        Some(0) => Some(Vacuous::MatchesEmpty),
        Some(_) => None,
    }
}

/// Whether no match state is reachable. Tested without Unicode classes: if an expression with them has a match, so
/// has the one without, since an ASCII letter can take the place of any other. This fails for expressions that
/// name characters beyond ASCII, or exclude ASCII letters next to a word boundary.
fn never_matches(regex: &str, facts: &Facts) -> bool {
    if facts.names_beyond_ascii {
        return false;
    }
    let limits = dense::Config::new()
        .match_kind(MatchKind::All)
        .dfa_size_limit(Some(SIZE_LIMIT))
        .determinize_size_limit(Some(SIZE_LIMIT));
    let dfa =
        dense::Builder::new().configure(limits).syntax(linear::syntax_config(Charset::Ascii)).build(regex);
    dfa.is_ok_and(|dfa| !reaches_a_match(&dfa))
}

fn reaches_a_match(dfa: &DFA<Vec<u32>>) -> bool {
    let Ok(first) = dfa.start_state(&start::Config::new().anchored(Anchored::No)) else { return true };
    let bytes: Vec<u8> = dfa.byte_classes().representatives(..).filter_map(|unit| unit.as_u8()).collect();
    let (mut seen, mut waiting): (HashSet<StateID>, _) = (HashSet::from([first]), vec![first]);
    while let Some(state) = waiting.pop() {
        if dfa.is_match_state(state) || dfa.is_quit_state(state) {
            return true;
        }
        let next = bytes.iter().map(|&byte| dfa.next_state(state, byte));
        waiting.extend(next.chain([dfa.next_eoi_state(state)]).filter(|&next| seen.insert(next)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Option<Vacuous> {
        vacuous(&Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None })
    }

    #[test]
    fn finds_patterns_that_never_match() {
        for pattern in [r"[^\s\S]", "a^b", "a$b", r"\Ba\b^x\B\b", r"a\Ab", r"\bfoo\Bx^"] {
            assert_eq!(of(pattern), Some(Vacuous::NeverMatches), "{pattern}");
        }
    }

    #[test]
    fn finds_patterns_that_match_empty() {
        for pattern in ["a*", "(TODO)?", "a|", r"\b", "^$", r"\s*#?"] {
            assert_eq!(of(pattern), Some(Vacuous::MatchesEmpty), "{pattern}");
        }
    }

    #[test]
    fn reports_control_characters() {
        assert_eq!(of("\u{8}print\\("), Some(Vacuous::ControlCharacter));
    }

    #[test]
    fn accepts_good_patterns() {
        for pattern in [
            r"\bprint\(",
            r"^x$\n^y",
            "a\\s^b",
            "é+",
            r"(?<=x)y^z",
            r"[\u200B]$a",
            r"\p{Greek}",
            "(?s)a.*^b",
            r"(?i)todo\b",
            r"[^a-zA-Z]\b[^a-zA-Z0-9_]",
        ] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
        let literal = Pattern { source: "a*".to_owned(), dialect: Dialect::Literal, line: 1, literals: None };
        assert_eq!(vacuous(&literal), None);
    }
}
