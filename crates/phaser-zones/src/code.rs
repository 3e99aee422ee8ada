//! Code frames: finds the rule that opens, and the end of code inside a string.

use super::Zone;
use super::byte_set::ByteSet;
use super::language::Language;
use super::lexer::{Attempt, CodeFrame, Lexer, LexerFrame, QuoteOpener};
use super::rule::{Bracket, Fence, Hole, HoleEnd, HoleMark, Inside, Open, Prefix, Rule, RuleKind};

/// The longest word that may be a prefix or a keyword.
const MAX_WORD: usize = 64;

/// The search distance of [`HoleEnd::Near`], in bytes.
const NEAR: usize = 1024;

/// An opener in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    /// The start, prefix included.
    pub start: usize,
    /// The fence: offset and length.
    pub fence: (usize, usize),
    /// The offset after the opener.
    pub after: usize,
}

impl Lexer<'_> {
    /// One step in code: skips to the next stop byte and tries the rules there.
    pub(super) fn code(&mut self, frame: CodeFrame) {
        let stops = self.code_stops(&frame);
        let ahead = stops.find(self.rest(self.pos));
        self.pass(ahead.map_or(self.end, |ahead| self.pos + ahead));
        let Some(byte) = self.byte(self.pos) else { return };
        if !self.waiting.is_empty() && self.is_line_end(self.pos) {
            return self.start_heredocs();
        }
        if let Some(hole) = frame.hole
            && self.ends_hole(hole, &frame) == Attempt::Taken
        {
            return;
        }
        for rule in frame.language.rules.into_iter().flatten() {
            if self.attempt(frame.language, rule) == Attempt::Taken {
                return;
            }
        }
        self.count_bracket(&frame, byte);
        self.pass(self.pos + 1);
    }

    /// Enters the code that `hole` opens at `at`, with an opener of `length` bytes.
    pub(super) fn enter_hole(&mut self, hole: &'static Hole, at: usize, length: usize) -> Attempt {
        let Some(language) = self.language_inside(hole) else { return Attempt::Refused };
        let after = at + length;
        let (mut depth, mut bound) = (0, None);
        match hole.end {
            HoleEnd::Balanced(pairs) => {
                let opener = self.text[at..after].iter();
                depth = opener.map(|&byte| u32::from(bracket(pairs, byte) == Some(Bracket::Opens))).sum();
            }
            HoleEnd::At(_) | HoleEnd::Line => {}
            HoleEnd::First(_) | HoleEnd::Repeated | HoleEnd::Near(_) if !self.may_look_ahead() => {
                return Attempt::Refused;
            }
            HoleEnd::First(close) => {
                let found = self.find_ahead(close.as_bytes(), after);
                bound = Some((found.unwrap_or(self.end), close.len()));
            }
            HoleEnd::Repeated => {
                let Some(found) = self.find_ahead(&self.text[at..after], after) else {
                    return Attempt::Refused;
                };
                bound = Some((found, length));
            }
            HoleEnd::Near(close) => {
                let rest = self.rest(after);
                let near = &rest[..rest.len().min(NEAR)];
                self.looked_ahead(near.len());
                let Some(length) = memchr::memmem::find(near, close.as_bytes()) else {
                    return Attempt::Refused;
                };
                bound = Some((after + length, close.len()));
            }
        }
        if let Some((end, closer)) = bound
            && self.bound(end, closer) == Attempt::Refused
        {
            return Attempt::Refused;
        }
        let frame = match LexerFrame::of(language) {
            LexerFrame::Code(frame) => {
                LexerFrame::Code(CodeFrame { hole: Some(hole), depth, base: depth, ..frame })
            }
            other => other,
        };
        if self.push(frame) == Attempt::Refused {
            return Attempt::Refused;
        }
        self.mark(at, Zone::Code);
        self.pos = after.min(self.end);
        self.tail = self.pos;
        Attempt::Taken
    }

    /// The hole that opens at `at` in a quote with `opener`, and the length of its own opener.
    pub(super) fn hole_at(
        &self,
        holes: &'static [Hole],
        at: usize,
        opener: &QuoteOpener,
    ) -> Option<(&'static Hole, usize)> {
        holes.iter().find_map(|hole| {
            let rest = self.rest(at);
            let mut after = rest.strip_prefix(hole.head.as_bytes())?;
            match hole.mark {
                HoleMark::None => {}
                HoleMark::Fence => {
                    let (start, length) = opener.fence;
                    after = after.strip_prefix(&self.text[start..start + length])?;
                }
                HoleMark::Repeated => {
                    for _ in 1..opener.prefix {
                        after = after.strip_prefix(hole.head.as_bytes())?;
                    }
                    if after.starts_with(hole.head.as_bytes()) {
                        return None;
                    }
                }
            }
            let after = after.strip_prefix(hole.tail.as_bytes())?;
            Some((hole, rest.len() - after.len()))
        })
    }

    /// The word that ends at `at`, within the current zone.
    pub(super) fn word_before(&self, language: &Language, at: usize) -> &[u8] {
        let from = self.zone_start().max(at.saturating_sub(MAX_WORD)).min(at);
        let reach = &self.text[from..at];
        let length = reach.iter().rev().take_while(|&&byte| language.is_word(byte)).count();
        &reach[reach.len() - length..]
    }

    fn code_stops(&self, frame: &CodeFrame) -> ByteSet {
        let mut stops = frame.language.stops;
        if !self.waiting.is_empty() {
            stops = stops.union(frame.language.line_ends.stops);
        }
        let Some(hole) = frame.hole else { return stops };
        for (bytes, _) in hole.turns {
            stops = stops.with_all(bytes);
        }
        match hole.end {
            HoleEnd::Balanced(pairs) => stops.with_all(pairs),
            HoleEnd::At(close) => stops.with_first(close),
            HoleEnd::Line => stops.union(frame.language.line_ends.stops),
            HoleEnd::First(_) | HoleEnd::Repeated | HoleEnd::Near(_) => stops,
        }
    }

    fn ends_hole(&mut self, hole: &'static Hole, frame: &CodeFrame) -> Attempt {
        let byte = self.text[self.pos];
        let turn = hole.turns.iter().find(|(bytes, _)| bytes.as_bytes().contains(&byte));
        if let Some((_, next)) = turn
            && frame.depth == frame.base
            && let Inside::Other(language) = next.inside
        {
            self.pass(self.pos + 1);
            self.frames.pop();
            self.frames.push(LexerFrame::Code(CodeFrame { language, hole: Some(next), ..*frame }));
            return Attempt::Taken;
        }
        match hole.end {
            HoleEnd::Balanced(pairs) => self.ends_balanced(pairs, frame),
            HoleEnd::Line if self.is_line_end(self.pos) => {
                self.pop();
                Attempt::Taken
            }
            HoleEnd::At(close) if self.rest(self.pos).starts_with(close.as_bytes()) => {
                self.pass(self.pos + close.len());
                self.literal_end = self.pos;
                self.pop();
                Attempt::Taken
            }
            HoleEnd::At(_) | HoleEnd::Line | HoleEnd::First(_) | HoleEnd::Repeated | HoleEnd::Near(_) => {
                Attempt::Refused
            }
        }
    }

    fn ends_balanced(&mut self, pairs: &str, frame: &CodeFrame) -> Attempt {
        let byte = self.text[self.pos];
        if bracket(pairs, byte) != Some(Bracket::Closes) {
            return Attempt::Refused;
        }
        if frame.depth == 1 && frame.cases == 0 {
            self.pass(self.pos + 1);
            self.literal_end = self.pos;
            self.pop();
            return Attempt::Taken;
        }
        if let Some(LexerFrame::Code(top)) = self.frames.last_mut() {
            top.depth = top.depth.saturating_sub(1);
        }
        self.group(frame.language, byte);
        self.pass(self.pos + 1);
        Attempt::Taken
    }

    fn count_bracket(&mut self, frame: &CodeFrame, byte: u8) {
        if let Some(Hole { end: HoleEnd::Balanced(pairs), .. }) = frame.hole
            && bracket(pairs, byte) == Some(Bracket::Opens)
            && let Some(LexerFrame::Code(top)) = self.frames.last_mut()
        {
            top.depth += 1;
        }
        self.group(frame.language, byte);
    }

    fn language_inside(&self, hole: &Hole) -> Option<&'static Language> {
        match hole.inside {
            Inside::Other(language) => Some(language),
            Inside::Same => self.frames.iter().rev().find_map(|frame| match frame {
                LexerFrame::Code(frame) => Some(frame.language),
                _ => None,
            }),
        }
    }

    fn attempt(&mut self, language: &'static Language, rule: &'static Rule) -> Attempt {
        let Some(opened) = self.opened(language, &rule.open) else { return Attempt::Refused };
        if !self.allows(language, rule.at, &opened) {
            return Attempt::Refused;
        }
        match &rule.kind {
            RuleKind::Line(line) => self.line(line, opened),
            RuleKind::Nesting(nesting) => self.nesting(rule.open.head, nesting, opened),
            RuleKind::Quote(quote) => self.open_quote(rule, quote, opened),
            RuleKind::Heredoc(heredoc) => self.open_heredoc(heredoc, opened),
            RuleKind::Paired(paired) => self.open_paired(language, paired, opened),
            RuleKind::Island(hole) => self.enter_hole(hole, self.pos, opened.after - self.pos),
            RuleKind::Letter => self.letter(opened),
            RuleKind::CharOrLabel(escapes) => self.char_or_label(escapes, opened),
            RuleKind::Number => self.number(language),
            RuleKind::Skip => self.skip(opened.after),
            RuleKind::Rest(zone) => self.rest_of_text(*zone, opened),
            RuleKind::BlockScalar => self.block_scalar(opened),
            RuleKind::YamlLine => self.yaml_line(opened),
            RuleKind::Flow(bracket) => self.flow(*bracket, opened),
            RuleKind::Case(bracket) => self.case(*bracket, opened),
            RuleKind::Element(markup) => self.open_element(language, markup, opened),
        }
    }

    /// Matches an opener at the current position.
    fn opened(&self, language: &Language, open: &Open) -> Option<Opened> {
        let rest = self.rest(self.pos);
        let head = rest.get(..open.head.len())?;
        let is_head = open.is(open.head, head);
        if !is_head || self.is_inside_run(open) {
            return None;
        }
        let rest = &rest[head.len()..];
        let fence = fence_len(open.fence, rest)?;
        if !rest[fence..].starts_with(open.tail.as_bytes()) {
            return None;
        }
        let fence_start = self.pos + head.len();
        Some(Opened {
            start: self.pos - self.prefix_len(language, open)?,
            fence: (fence_start, fence),
            after: fence_start + fence + open.tail.len(),
        })
    }

    /// Whether a run fence started before the current position.
    fn is_inside_run(&self, open: &Open) -> bool {
        let Fence::Run { byte, .. } = open.fence else { return false };
        open.head.is_empty() && self.text[..=self.pos].ends_with(&[byte; 2])
    }

    fn prefix_len(&self, language: &Language, open: &Open) -> Option<usize> {
        let (words, missing) = match open.prefix {
            Prefix::None => return Some(0),
            Prefix::Run { byte, min } => {
                let before = &self.text[self.zone_start().min(self.pos)..self.pos];
                let run = before.iter().rev().take_while(|&&other| other == byte).count();
                return (run >= min).then_some(run);
            }
            Prefix::Word => (None, None),
            Prefix::Required(words) => (Some(words), None),
            Prefix::Optional(words) => (Some(words), Some(0)),
        };
        let word = self.word_before(language, self.pos);
        let fits = |known: &&str| open.is(known, word);
        let is_prefix = match words {
            Some(words) => words.iter().any(fits),
            None => word.first().is_some_and(|first| !first.is_ascii_digit()),
        };
        if is_prefix { Some(word.len()) } else { missing }
    }
}

/// The length of the fence at the start of `rest`.
fn fence_len(fence: Fence, rest: &[u8]) -> Option<usize> {
    let run = |is_part: &dyn Fn(u8) -> bool| rest.iter().take_while(|&&byte| is_part(byte)).count();
    match fence {
        Fence::None => Some(0),
        Fence::Run { byte, min } => Some(run(&|other| other == byte)).filter(|&length| length >= min),
        Fence::Word if rest.first().is_some_and(u8::is_ascii_digit) => None,
        Fence::Word => Some(run(&super::language::is_word)),
        Fence::Delimiter => {
            let rest = &rest[..rest.len().min(17)];
            let is_part = |byte: &&u8| !byte.is_ascii_whitespace() && !b"()\\\"".contains(*byte);
            Some(rest.iter().take_while(is_part).count()).filter(|&length| length <= 16)
        }
    }
}

/// Whether `byte` opens or closes a pair of `pairs`.
fn bracket(pairs: &str, byte: u8) -> Option<Bracket> {
    let index = memchr::memchr(byte, pairs.as_bytes())?;
    Some(if index % 2 == 0 { Bracket::Opens } else { Bracket::Closes })
}
