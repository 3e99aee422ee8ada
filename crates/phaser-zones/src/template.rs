//! Templates: pages with code that runs before anything reads the page.
//!
//! `<?php … ?>` runs inside a comment, a script and a string of its page as it does between tags. So a template is a layer
//! of its own, outside the page. One pass finds the code and reads it; a second one reads the page with the code blanked
//! out; the zones of both are put together:
//!
//! ```text
//! text    <!-- a <?= f('b') ?> -->
//! code           <?= f('b') ?>        code, except for the string 'b'
//! page    <!-- a _____________ -->    a comment
//! zones   ccccccc......sss....cccc
//! ```
//!
//! Code that puts a value into the page becomes a word of the page, other code becomes white space.

use std::ops::Range;

use super::byte_set::ByteSet;
use super::language::Language;
use super::lexer::{self, Attempt, Lexer};
use super::rule::{Hole, MarkupComment};
use super::{ZoneStart, Zones};

/// Code in a page.
#[derive(Debug)]
pub(super) struct Template {
    /// Openers that stand for themselves: `<%%`.
    pub literals: &'static [&'static str],
    pub comments: &'static [MarkupComment],
    pub holes: &'static [Hole],
    /// Openers of holes that put a value into the page.
    pub outputs: &'static [&'static str],
    pub page: &'static Language,
}

/// The zones of a text, and the number of steps that both passes took.
pub(super) fn zones(template: &'static Template, text: &[u8]) -> (Zones, usize) {
    let mut lexer = Lexer::new(text, Vec::new());
    let mut page = text.to_vec();
    let mut parts = Vec::new();
    while let Some(start) = find(template, &mut lexer) {
        if lexer.markup_comment(template.comments) == Attempt::Refused {
            if lexer.markup_hole(template.holes) == Attempt::Refused {
                lexer.pos += 1;
                continue;
            }
            lexer.run();
        }
        let is_output = template.outputs.iter().any(|open| text[start..].starts_with(open.as_bytes()));
        page[start..lexer.pos].fill(if is_output { b'_' } else { b' ' });
        parts.push(start..lexer.pos);
    }
    let (code, steps) = lexer.finish();
    let (page, more) = lexer::zones(template.page, &page);
    (merge(&page, &code, &parts), steps + more)
}

/// Moves to the next opener.
fn find(template: &Template, lexer: &mut Lexer<'_>) -> Option<usize> {
    let openers = template.comments.iter().map(|comment| comment.open);
    let openers = openers.chain(template.holes.iter().map(|hole| hole.head));
    let stops = openers.fold(ByteSet::EMPTY, ByteSet::with_first);
    while let Some(ahead) = stops.find(lexer.rest(lexer.pos)) {
        lexer.looked_back(ahead + 1);
        lexer.pos += ahead;
        let rest = lexer.rest(lexer.pos);
        let literal = template.literals.iter().find(|literal| rest.starts_with(literal.as_bytes()));
        match literal {
            Some(literal) => lexer.pos += literal.len(),
            None => return Some(lexer.pos),
        }
    }
    None
}

/// The zones of `code` in `parts`, and those of `page` elsewhere.
fn merge(page: &Zones, code: &Zones, parts: &[Range<usize>]) -> Zones {
    let mut merged = Zones { starts: Vec::new(), end: page.end };
    let mut at = 0;
    for part in parts {
        merged.extend(page, at..part.start);
        merged.extend(code, part.clone());
        at = part.end;
    }
    merged.extend(page, at..page.end);
    merged
}

impl Zones {
    /// Appends the zones of `other` in `range`.
    fn extend(&mut self, other: &Self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let after = other.starts.partition_point(|start| start.offset() <= range.start);
        let first = ZoneStart::new(range.start, other.at(range.start));
        let inside = other.starts[after..].iter().take_while(|start| start.offset() < range.end);
        for start in [first].iter().chain(inside) {
            if self.starts.last().is_none_or(|last| last.zone() != start.zone()) {
                self.starts.push(*start);
            }
        }
    }
}
