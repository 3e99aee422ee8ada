//! The pass over a text: a stack of frames, one for each thing that is open.
//!
//! Every step moves forward, or opens or closes a frame, and what is looked at ahead of time is bounded, so
//! that the time is linear in the text. Knows no language; the rules come from the tables.

use std::cell::Cell;

use super::language::{Language, Root};
use super::rule::{Hole, Markup, Quote, Rule};
use super::{Start, Zone, Zones};

/// More open frames than this are not followed: what opens then is text.
const MAX_FRAMES: usize = 10_000;

/// How many bytes may be looked at ahead of time for each byte of a text, and in any text. Real code needs fewer than
/// two for each; when they are spent, what would have to be looked for is not there.
const MAX_AHEAD: usize = 16;
const MAX_AHEAD_ANYWAY: usize = 64 * 1024;

/// The zones of a text in `language`, and how many steps it took to find them.
pub(super) fn zones(language: &'static Language, text: &[u8]) -> (Zones, usize) {
    let mut lexer = Lexer::new(language, text);
    lexer.run();
    lexer.starts.pop_if(|start| start.offset() >= text.len());
    (Zones { starts: lexer.starts, end: text.len() }, lexer.steps.get() + lexer.ahead.get())
}

/// What is known halfway through a text.
pub(super) struct Lexer<'t> {
    pub text: &'t [u8],
    pub pos: usize,
    /// Where the innermost bounded part ends.
    pub end: usize,
    /// After the last byte that is neither white space nor comment.
    pub tail: usize,
    pub frames: Vec<Frame>,
    starts: Vec<Start>,
    /// Heredocs whose text starts on the next line.
    pub waiting: Vec<Body>,
    /// Heredocs whose texts are being read, the next one last.
    pub due: Vec<Body>,
    /// The open parentheses, and whether each belongs to a condition.
    pub parentheses: Vec<Parenthesis>,
    /// After the last parenthesis that closed a condition.
    pub condition_end: usize,
    /// The brackets that were open when a `case` was met, for each that is open.
    pub cases: Vec<u32>,
    /// The column that lines must be deeper than to go on with a plain scalar of YAML.
    pub plain_parent: Option<usize>,
    /// Rules that found no closer, and up to where.
    unclosed: Vec<(&'static Rule, usize)>,
    /// How many bytes have been looked at ahead of time.
    ahead: Cell<usize>,
    /// How many steps have been made, and bytes behind looked at once more.
    steps: Cell<usize>,
}

/// Something that is open.
#[derive(Debug, Clone, Copy)]
pub(super) enum Frame {
    Code(CodeFrame),
    Quote(QuoteFrame),
    /// The text of a markup language. `depth`: how many elements are open, if they are counted.
    Text {
        markup: &'static Markup,
        depth: u32,
    },
    /// Inside a tag that starts at `from`.
    Tag {
        markup: &'static Markup,
        from: usize,
    },
    /// A part that ends at `Lexer::end`, and then with a closer of `closer` bytes.
    Bound {
        outer_end: usize,
        closer: usize,
    },
    /// The text of a heredoc, which ends at `Lexer::end`; `left` more follow.
    Heredoc {
        outer_end: usize,
        left: usize,
    },
}

/// Code of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeFrame {
    pub language: &'static Language,
    /// What it fills; `None` at the top.
    pub hole: Option<&'static Hole>,
    /// Open brackets of the kinds that the hole counts.
    pub depth: u32,
    /// Open `case` commands.
    pub cases: u32,
}

/// A string, or another quote.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuoteFrame {
    pub quote: &'static Quote,
    /// The fence of the opener: its place and length in the text.
    pub fence: (usize, usize),
    /// The delimiters that the text chose, the opening and the closing one.
    pub delimiters: Option<(u8, u8)>,
    /// Open delimiters inside.
    pub depth: u32,
    /// Parts that follow.
    pub parts: u8,
}

/// A parenthesis in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parenthesis {
    Plain,
    Condition,
}

/// A heredoc that is still to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    /// The tag: its place and length in the text.
    pub tag: (usize, usize),
    pub end: super::heredoc::End,
    pub quote: &'static Quote,
}

/// Whether a rule was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    Taken,
    Refused,
}

/// Whether there is more to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Part,
    Text,
}

impl Frame {
    /// A text of `language` that starts.
    pub(super) fn of(language: &'static Language) -> Self {
        match language.root {
            Root::Code => Self::Code(CodeFrame { language, hole: None, depth: 0, cases: 0 }),
            Root::Markup(markup) => Self::Text { markup, depth: 0 },
        }
    }
}

impl<'t> Lexer<'t> {
    fn new(language: &'static Language, text: &'t [u8]) -> Self {
        Self {
            text,
            pos: 0,
            end: text.len(),
            tail: 0,
            frames: vec![Frame::of(language)],
            starts: vec![Start::new(0, Zone::Code)],
            waiting: Vec::new(),
            due: Vec::new(),
            parentheses: Vec::new(),
            condition_end: 0,
            cases: Vec::new(),
            plain_parent: None,
            unclosed: Vec::new(),
            ahead: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    fn run(&mut self) {
        loop {
            self.looked_back(1);
            if self.pos >= self.end {
                match self.leave() {
                    Left::Part => continue,
                    Left::Text => return,
                }
            }
            match self.frames.last() {
                Some(&Frame::Code(frame)) => self.code(frame),
                Some(&Frame::Quote(frame)) => self.quoted(frame),
                Some(&Frame::Text { markup, depth }) => self.markup_text(markup, depth),
                Some(&Frame::Tag { markup, from }) => self.tag(markup, from),
                Some(Frame::Bound { .. } | Frame::Heredoc { .. }) => self.pos = self.end,
                None => return,
            }
        }
    }

    /// Leaves the part that ends here, with all that is open in it.
    fn leave(&mut self) -> Left {
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Bound { outer_end, closer } => {
                    self.end = outer_end;
                    self.mark(self.pos, Zone::Code);
                    self.pos = (self.pos + closer).min(outer_end);
                    self.tail = self.pos;
                    self.mark(self.pos, self.zone());
                    return Left::Part;
                }
                Frame::Heredoc { outer_end, left } => {
                    self.end = outer_end;
                    self.tail = self.pos;
                    self.mark(self.pos, self.zone());
                    self.next_heredoc(left);
                    return Left::Part;
                }
                Frame::Code(frame) => self.forget_cases(&frame),
                Frame::Quote(_) | Frame::Text { .. } | Frame::Tag { .. } => {}
            }
        }
        Left::Text
    }

    /// Opens a frame, unless too many are open.
    pub fn push(&mut self, frame: Frame) -> Tried {
        if self.frames.len() >= MAX_FRAMES {
            return Tried::Refused;
        }
        self.frames.push(frame);
        Tried::Taken
    }

    /// Nothing that opens from now on reaches past `end`, where a closer of `closer` bytes follows. There is room for
    /// the frame of what stands in between.
    pub fn bound(&mut self, end: usize, closer: usize) -> Tried {
        if self.frames.len() + 1 >= MAX_FRAMES {
            return Tried::Refused;
        }
        self.frames.push(Frame::Bound { outer_end: self.end, closer });
        self.end = end;
        Tried::Taken
    }

    /// Closes the innermost frame here.
    pub fn pop(&mut self) {
        if let Some(Frame::Code(frame)) = self.frames.pop() {
            self.forget_cases(&frame);
        }
        self.mark(self.pos, self.zone());
    }

    /// From `offset` on, up to the next mark, the text is of this zone.
    pub fn mark(&mut self, offset: usize, zone: Zone) {
        while self.starts.pop_if(|start| start.offset() >= offset).is_some() {}
        if self.starts.last().is_none_or(|start| start.zone() != zone) {
            self.starts.push(Start::new(offset, zone));
        }
    }

    /// Where the zone starts that is now being read.
    pub fn zone_start(&self) -> usize {
        self.starts.last().map_or(0, |start| start.offset())
    }

    /// What is being read.
    pub fn zone(&self) -> Zone {
        match self.frames.last() {
            Some(Frame::Quote(frame)) => frame.quote.zone,
            _ => Zone::Code,
        }
    }

    /// The byte at `offset`, if it may be read.
    pub fn byte(&self, offset: usize) -> Option<u8> {
        if offset < self.end { self.text.get(offset).copied() } else { None }
    }

    /// What may be read from `offset` on.
    pub fn rest(&self, offset: usize) -> &'t [u8] {
        self.text.get(offset..self.end).unwrap_or_default()
    }

    /// Where the line of `offset` ends: at its line break, or at the end.
    pub fn line_end(&self, offset: usize) -> usize {
        memchr::memchr(b'\n', self.rest(offset)).map_or(self.end, |length| offset + length)
    }

    /// The code up to `to` is read.
    pub fn pass(&mut self, to: usize) {
        let code = &self.text[self.pos..to];
        if let Some(last) = code.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
            self.tail = self.pos + last + 1;
        }
        self.pos = to;
    }

    /// May something still be looked for ahead of time?
    pub fn may_look_ahead(&self) -> bool {
        self.ahead.get() < MAX_AHEAD * self.text.len() + MAX_AHEAD_ANYWAY
    }

    /// Where `wanted` stands in what may be read from `from` on, looked for ahead of time.
    pub fn find_ahead(&self, wanted: &[u8], from: usize) -> Option<usize> {
        if !self.may_look_ahead() {
            return None;
        }
        let found = memchr::memmem::find(self.rest(from), wanted).map(|length| from + length);
        self.looked_ahead(found.unwrap_or(self.end).saturating_sub(from));
        found
    }

    /// So many bytes were looked at ahead of time.
    pub fn looked_ahead(&self, bytes: usize) {
        self.ahead.set(self.ahead.get().saturating_add(bytes + 1));
    }

    /// So many bytes were looked at once more.
    pub fn looked_back(&self, bytes: usize) {
        self.steps.set(self.steps.get().saturating_add(bytes));
    }

    /// Is it known that `rule` finds no closer from here on this line?
    pub fn is_unclosed(&self, rule: &'static Rule) -> bool {
        self.unclosed.iter().any(|&(known, up_to)| std::ptr::eq(known, rule) && self.pos < up_to)
    }

    /// `rule` finds no closer before `up_to`.
    pub fn remember_unclosed(&mut self, rule: &'static Rule, up_to: usize) {
        match self.unclosed.iter_mut().find(|(known, _)| std::ptr::eq(*known, rule)) {
            Some(known) => known.1 = up_to,
            None => self.unclosed.push((rule, up_to)),
        }
    }

    fn forget_cases(&mut self, frame: &CodeFrame) {
        let left = self.cases.len().saturating_sub(frame.cases as usize);
        self.cases.truncate(left);
    }
}
