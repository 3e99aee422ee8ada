//! Stage one of a search: which of several patterns can match a text at all?
//!
//! One automaton over the literals that matches must contain, built once for all patterns that
//! apply to a file, reads the text once. Patterns without such a literal can always match. It may
//! let through a pattern that does not match; it never holds back one that does.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex_syntax::hir::literal::{ExtractKind, Extractor, Seq};

use super::pattern::{Pattern, Requirement};

/// Literals shorter than this occur almost everywhere.
const SHORTEST_LITERAL: usize = 2;

/// With this many patterns or fewer, asking each one is as good.
const FEW: usize = 2;

/// Knows what literals the matches of some patterns must contain.
#[derive(Debug)]
pub struct Prefilter {
    automaton: Option<AhoCorasick>,
    owners: Vec<usize>,
    always: Vec<usize>,
    count: usize,
}

impl Prefilter {
    /// For these patterns.
    pub fn new<'a>(patterns: impl ExactSizeIterator<Item = &'a Pattern>) -> Self {
        let count = patterns.len();
        let everything = Self { automaton: None, owners: Vec::new(), always: (0..count).collect(), count };
        if count <= FEW {
            return everything;
        }
        let (mut literals, mut owners, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for (index, pattern) in patterns.enumerate() {
            match required_literals(pattern) {
                Some(required) => {
                    owners.extend(required.iter().map(|_| index));
                    literals.extend(required);
                }
                None => always.push(index),
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .build(&literals);
        match automaton {
            Ok(automaton) if !literals.is_empty() => {
                Self { automaton: Some(automaton), owners, always, count }
            }
            _ => everything,
        }
    }

    /// The patterns that may match `text`, by their index, in order.
    pub fn candidates(&self, text: &[u8]) -> Vec<usize> {
        let Some(automaton) = &self.automaton else { return self.always.clone() };
        let mut possible = vec![false; self.count];
        for &index in &self.always {
            possible[index] = true;
        }
        let mut impossible = self.count - self.always.len();
        for found in automaton.find_overlapping_iter(text) {
            let possible = &mut possible[self.owners[found.pattern().as_usize()]];
            if !*possible {
                *possible = true;
                impossible -= 1;
                if impossible == 0 {
                    break;
                }
            }
        }
        (0..self.count).filter(|&index| possible[index]).collect()
    }
}

/// Literals of which every match contains at least one, or `None` when there are no good ones.
fn required_literals(pattern: &Pattern) -> Option<Vec<Vec<u8>>> {
    let hir = match pattern.requirement() {
        Requirement::Literal(literal) => return Some(vec![literal.to_owned()]),
        Requirement::Regex(hir) => hir,
        Requirement::Unknown => return None,
    };
    let [prefixes, suffixes] = [ExtractKind::Prefix, ExtractKind::Suffix].map(|kind| {
        let mut extractor = Extractor::new();
        extractor.kind(kind);
        extractor.extract(hir)
    });
    let (prefixes, suffixes) = (usable(prefixes), usable(suffixes));
    match (&prefixes, &suffixes) {
        (Some(prefix), Some(suffix)) if shortest(suffix) > shortest(prefix) => suffixes,
        (Some(_), _) => prefixes,
        (None, _) => suffixes,
    }
}

fn usable(literals: Seq) -> Option<Vec<Vec<u8>>> {
    let literals: Vec<_> = literals.literals()?.iter().map(|literal| literal.as_bytes().to_owned()).collect();
    (!literals.is_empty() && shortest(&literals) >= SHORTEST_LITERAL).then_some(literals)
}

fn shortest(literals: &[Vec<u8>]) -> usize {
    literals.iter().map(Vec::len).min().unwrap_or_default()
}
