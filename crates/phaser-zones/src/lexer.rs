//! The pass over a text: position, stack of frames, zones so far, and the look-ahead budget.
//!
//! The crate's documentation follows one text through it.

use std::cell::Cell;

use super::language::{Language, LanguageRoot};
use super::rule::{Hole, Markup, Quote, Rule};
use super::{Zone, ZoneStart, Zones};

/// The limit of open frames. Beyond it nothing opens.
const MAX_FRAMES: usize = 10_000;

/// The look-ahead budget, in bytes per byte of text. Real code needs fewer than two. When it is spent, constructs that
/// need look-ahead do not open.
const MAX_AHEAD: usize = 16;

/// The look-ahead budget of every text, added to [`MAX_AHEAD`].
const MAX_AHEAD_ANYWAY: usize = 64 * 1024;

/// The zones of a text, and the number of steps that the pass took.
pub(super) fn zones(language: &'static Language, text: &[u8]) -> (Zones, usize) {
    if let LanguageRoot::Template(template) = language.root {
        return super::template::zones(template, text);
    }
    let mut lexer = Lexer::new(text, vec![LexerFrame::of(language)]);
    lexer.run();
    lexer.finish()
}

/// The state of a pass.
pub(super) struct Lexer<'t> {
    pub text: &'t [u8],
    /// The offset after the byte order mark.
    pub start: usize,
    pub pos: usize,
    /// The end of the innermost bounded part. Nothing reads beyond it.
    pub end: usize,
    /// The offset after the last byte that is neither white space nor comment. Guards look back from here.
    pub tail: usize,
    pub frames: Vec<LexerFrame>,
    starts: Vec<ZoneStart>,
    /// Heredocs whose bodies start on the next line.
    pub waiting: Vec<HeredocBody>,
    /// Heredocs whose bodies follow here, the next one last.
    pub due: Vec<HeredocBody>,
    /// The open brackets of languages that need to know what they hold.
    pub groups: Vec<Group>,
    /// The offset after the last condition, as in `if (a)`, or block.
    pub statement_end: usize,
    /// The offset after the last parameter list of a function expression.
    pub parameters_end: usize,
    /// The offset after the last literal or hole that is code.
    pub literal_end: usize,
    /// For each open `case` of a shell, the bracket depth where it started.
    pub cases: Vec<u32>,
    /// YAML: a line deeper than this column continues the plain scalar above.
    pub plain_parent: Option<usize>,
    /// Rules that have no closer before an offset, so that none is searched for twice.
    unclosed: Vec<(&'static Rule, usize)>,
    /// The look-ahead spent so far, in bytes.
    ahead: Cell<usize>,
    /// The number of steps and of bytes read again; for tests.
    steps: Cell<usize>,
}

/// An open construct.
#[derive(Debug, Clone, Copy)]
pub(super) enum LexerFrame {
    Code(CodeFrame),
    Quote(QuoteFrame),
    /// Text of a markup language; `depth` is the number of open elements, if they are counted.
    Text {
        markup: &'static Markup,
        depth: u32,
    },
    /// A tag that starts at `from`.
    Tag {
        markup: &'static Markup,
        from: usize,
    },
    /// A part that ends at `Lexer::end`, followed by a closer of `closer` bytes.
    Bound {
        outer_end: usize,
        closer: usize,
    },
    /// The body of a heredoc, which ends at `Lexer::end`; `left` more bodies follow.
    Heredoc {
        outer_end: usize,
        left: usize,
    },
}

/// Open code.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeFrame {
    pub language: &'static Language,
    /// The hole that it fills; `None` at the top level.
    pub hole: Option<&'static Hole>,
    /// The number of open brackets of the kinds that the hole counts.
    pub depth: u32,
    /// The number of them in the opener of the hole.
    pub base: u32,
    /// The number of open `case` commands.
    pub cases: u32,
}

/// An open quote.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuoteFrame {
    pub quote: &'static Quote,
    pub opener: QuoteOpener,
    /// The opening and closing delimiter, if the text chooses them.
    pub delimiters: Option<(u8, u8)>,
    /// The number of open delimiters inside.
    pub depth: u32,
    /// The number of parts that follow, as in `s/a/b/`.
    pub parts: u8,
}

/// The parts of a quote's opener that its closer and its holes repeat.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuoteOpener {
    /// The length of the prefix.
    pub prefix: usize,
    /// The fence: offset and length.
    pub fence: (usize, usize),
}

/// The content of a bracket in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Plain,
    Condition,
    /// The parameters of a function expression.
    Parameters,
    /// Braces of an object or of a function expression.
    Value,
    /// Braces of statements.
    Block,
}

/// A heredoc whose body follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeredocBody {
    /// The tag: offset and length.
    pub tag: (usize, usize),
    pub end: super::heredoc::HeredocEnd,
    pub quote: &'static Quote,
}

/// The result of trying a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Taken,
    Refused,
}

impl LexerFrame {
    /// The frame that a text of `language` starts with.
    pub(super) fn of(language: &'static Language) -> Self {
        match language.root {
            LanguageRoot::Code => Self::Code(CodeFrame { language, hole: None, depth: 0, base: 0, cases: 0 }),
            LanguageRoot::Markup(markup) => Self::Text { markup, depth: 0 },
            LanguageRoot::Template(template) => Self::of(template.page),
        }
    }
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t [u8], frames: Vec<LexerFrame>) -> Self {
        Self {
            text,
            start: if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 },
            pos: 0,
            end: text.len(),
            tail: 0,
            frames,
            starts: vec![ZoneStart::new(0, Zone::Code)],
            waiting: Vec::new(),
            due: Vec::new(),
            groups: Vec::new(),
            statement_end: 0,
            parameters_end: 0,
            literal_end: 0,
            cases: Vec::new(),
            plain_parent: None,
            unclosed: Vec::new(),
            ahead: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// The zones so far, and the number of steps.
    pub fn finish(mut self) -> (Zones, usize) {
        self.starts.pop_if(|start| start.offset() >= self.text.len());
        (Zones { starts: self.starts, end: self.text.len() }, self.steps.get() + self.ahead.get())
    }

    /// Reads until no frame is open.
    pub fn run(&mut self) {
        loop {
            self.looked_back(1);
            if self.pos >= self.end {
                if self.leave() {
                    continue;
                }
                return;
            }
            match self.frames.last() {
                Some(&LexerFrame::Code(frame)) => self.code(frame),
                Some(&LexerFrame::Quote(frame)) => self.quoted(frame),
                Some(&LexerFrame::Text { markup, depth }) => self.markup_text(markup, depth),
                Some(&LexerFrame::Tag { markup, from }) => self.tag(markup, from),
                Some(LexerFrame::Bound { .. } | LexerFrame::Heredoc { .. }) => self.pos = self.end,
                None => return,
            }
        }
    }

    /// Closes the part that ends here, with every frame inside it. Returns whether the text goes on.
    fn leave(&mut self) -> bool {
        while let Some(frame) = self.frames.pop() {
            match frame {
                LexerFrame::Bound { outer_end, closer } => {
                    self.end = outer_end;
                    self.mark(self.pos, Zone::Code);
                    self.pos = (self.pos + closer).min(outer_end);
                    self.tail = self.pos;
                    self.mark(self.pos, self.zone());
                    return true;
                }
                LexerFrame::Heredoc { outer_end, left } => {
                    self.end = outer_end;
                    self.tail = self.pos;
                    self.mark(self.pos, self.zone());
                    self.next_heredoc(left);
                    return true;
                }
                LexerFrame::Code(frame) => self.forget_cases(&frame),
                LexerFrame::Quote(_) | LexerFrame::Text { .. } | LexerFrame::Tag { .. } => {}
            }
        }
        false
    }

    /// Opens a frame, unless too many are open.
    pub fn push(&mut self, frame: LexerFrame) -> Attempt {
        if self.frames.len() >= MAX_FRAMES {
            return Attempt::Refused;
        }
        self.frames.push(frame);
        Attempt::Taken
    }

    /// Bounds everything that opens from now on to `end`, where a closer of `closer` bytes follows. If taken, one more
    /// frame can be pushed.
    pub fn bound(&mut self, end: usize, closer: usize) -> Attempt {
        if self.frames.len() + 1 >= MAX_FRAMES {
            return Attempt::Refused;
        }
        self.frames.push(LexerFrame::Bound { outer_end: self.end, closer });
        self.end = end;
        Attempt::Taken
    }

    /// Closes the innermost frame here.
    pub fn pop(&mut self) {
        if let Some(LexerFrame::Code(frame)) = self.frames.pop() {
            self.forget_cases(&frame);
        }
        self.mark(self.pos, self.zone());
    }

    /// Starts a zone at `offset`. Later starts are dropped.
    pub fn mark(&mut self, offset: usize, zone: Zone) {
        while self.starts.pop_if(|start| start.offset() >= offset).is_some() {}
        if self.starts.last().is_none_or(|start| start.zone() != zone) {
            self.starts.push(ZoneStart::new(offset, zone));
        }
    }

    /// The start of the current zone.
    pub fn zone_start(&self) -> usize {
        self.starts.last().map_or(0, |start| start.offset())
    }

    /// The zone of the top frame.
    pub fn zone(&self) -> Zone {
        match self.frames.last() {
            Some(LexerFrame::Quote(frame)) => frame.quote.zone,
            _ => Zone::Code,
        }
    }

    /// The byte at `offset`; `None` beyond the current part.
    pub fn byte(&self, offset: usize) -> Option<u8> {
        if offset < self.end { self.text.get(offset).copied() } else { None }
    }

    /// The rest of the current part.
    pub fn rest(&self, offset: usize) -> &'t [u8] {
        self.text.get(offset..self.end).unwrap_or_default()
    }

    /// Moves to `to` over code.
    pub fn pass(&mut self, to: usize) {
        let code = &self.text[self.pos..to];
        if let Some(last) = code.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
            self.tail = self.pos + last + 1;
        }
        self.pos = to;
    }

    /// Whether look-ahead is left.
    pub fn may_look_ahead(&self) -> bool {
        self.ahead.get() < MAX_AHEAD * self.text.len() + MAX_AHEAD_ANYWAY
    }

    /// Searches ahead for `wanted`; `None` also if the budget is spent.
    pub fn find_ahead(&self, wanted: &[u8], from: usize) -> Option<usize> {
        if !self.may_look_ahead() {
            return None;
        }
        let found = memchr::memmem::find(self.rest(from), wanted).map(|length| from + length);
        self.looked_ahead(found.unwrap_or(self.end).saturating_sub(from));
        found
    }

    /// Counts look-ahead.
    pub fn looked_ahead(&self, bytes: usize) {
        self.ahead.set(self.ahead.get().saturating_add(bytes + 1));
    }

    /// Counts steps and bytes read again.
    pub fn looked_back(&self, bytes: usize) {
        self.steps.set(self.steps.get().saturating_add(bytes));
    }

    /// Whether `rule` is known to have no closer on this line.
    pub fn is_unclosed(&self, rule: &'static Rule) -> bool {
        self.unclosed.iter().any(|&(known, up_to)| std::ptr::eq(known, rule) && self.pos < up_to)
    }

    /// Records that `rule` has no closer before `up_to`.
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
