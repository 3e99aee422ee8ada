//! Which violations are suppressed by directives that a change adds.
//!
//! A directive is recognised by what it covers and whom it names, as often as before. So one that moves, or that now covers
//! another text, is an old one; a second copy is new, and so is a further id. Of several that are alike, those on lines
//! that changed are the new ones.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::{Directive, Ignores, Lines, Scope};
use crate::violation::{State, Violation};

/// The id under which a directive is known that names none and covers all.
const ALL: &str = "";

/// The violations that new directives alone suppress, each with the line of such a directive. `changed` are the lines that
/// changed.
pub fn added<'v>(
    before: &Ignores<'_>,
    now: &Ignores<'_>,
    changed: &Range<usize>,
    violations: &'v [Violation],
) -> Vec<(&'v Violation, usize)> {
    let new = new_ones(before, now, changed);
    if new.is_empty() {
        return Vec::new();
    }
    let ignored = violations.iter().filter(|violation| violation.state == State::Ignored);
    let by_new = |violation: &'v Violation| {
        let id = violation.contract.id.as_str();
        let lines = violation.found.as_ref().map(|found| Lines::of(found.region));
        let mut covering = now.near(lines).filter(|directive| directive.covers(id, lines)).peekable();
        let first = covering.peek()?.line;
        let is_new = |directive: &Directive<'_>| {
            let named = if directive.scope == Scope::AllOnLine { ALL } else { id };
            new.contains(&(directive.line, directive.scope, named))
        };
        covering.all(is_new).then_some((violation, first))
    };
    ignored.filter_map(by_new).collect()
}

/// The directives that were not there before, by their lines, and by the ids that are new in them.
fn new_ones<'n>(
    before: &Ignores<'_>,
    now: &'n Ignores<'_>,
    changed: &Range<usize>,
) -> BTreeSet<(usize, Scope, &'n str)> {
    let mut left: HashMap<(Scope, &str), usize> = HashMap::new();
    for (_, scope, id) in before.iter().flat_map(named) {
        *left.entry((scope, id)).or_default() += 1;
    }
    let mut all: Vec<_> = now.iter().flat_map(named).collect();
    all.sort_by_key(|(line, ..)| changed.contains(line));
    let (mut new, mut old) = (BTreeSet::new(), BTreeSet::new());
    for one in all {
        match left.get_mut(&(one.1, one.2)) {
            Some(count @ 1..) => {
                *count -= 1;
                old.insert(one);
            }
            // A directive may name a contract twice.
            _ if old.contains(&one) => {}
            _ => drop(new.insert(one)),
        }
    }
    new
}

/// The ids that a directive names, if it can cover anything.
fn named<'d>(directive: &'d Directive<'_>) -> Vec<(usize, Scope, &'d str)> {
    match directive.scope {
        Scope::AllOnLine => vec![(directive.line, directive.scope, ALL)],
        Scope::File if !directive.reaches(None) => Vec::new(),
        Scope::Line | Scope::NextLine | Scope::File => {
            directive.ids.iter().map(|id| (directive.line, directive.scope, &**id)).collect()
        }
    }
}
