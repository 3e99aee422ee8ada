//! Quote frames: strings, regular expressions, quoted names, and comments that do not nest.
//!
//! Every quote is read the same way: skip to a byte that may escape, open a hole, end the line or close.

use super::Zone;
use super::byte_set::ByteSet;
use super::code::Opened;
use super::lexer::{Attempt, Lexer, LexerFrame, QuoteFrame, QuoteOpener};
use super::lines::LineEnds;
use super::rule::{CloseAt, Escape, Hole, Quote, QuoteLines, Rule};

/// The next event in a quote.
enum QuoteEvent {
    /// The closer, with the offset after it.
    Closed(usize),
    /// A line break that closes the quote.
    LineEnd(usize),
    /// The opener of a hole: its offset and length.
    Hole(usize, usize, &'static Hole),
    End,
}

/// Whether a candidate closes the quote.
enum Closing {
    /// It does; the offset after it.
    Yes(usize),
    /// It does not, and nothing closes before this offset.
    No(usize),
}

impl QuoteFrame {
    /// An open quote without a fence.
    pub(super) fn of(quote: &'static Quote) -> Self {
        Self { quote, opener: QuoteOpener::default(), delimiters: None, depth: 0, parts: 0 }
    }
}

impl Lexer<'_> {
    /// One step in a quote: up to its end or its next hole.
    pub(super) fn quoted(&mut self, mut frame: QuoteFrame) {
        match self.next_event(&mut frame, self.pos) {
            QuoteEvent::Closed(after) => self.close(frame, after),
            QuoteEvent::LineEnd(at) => {
                self.pos = at;
                self.end_quote(&frame);
            }
            QuoteEvent::Hole(at, length, hole) => {
                if let Some(LexerFrame::Quote(top)) = self.frames.last_mut() {
                    *top = frame;
                }
                if self.enter_hole(hole, at, length) == Attempt::Refused {
                    self.pos = at + 1;
                }
            }
            QuoteEvent::End => self.pos = self.end,
        }
    }

    /// Opens a quote. Refused if it must close on its line and does not.
    pub(super) fn open_quote(
        &mut self,
        rule: &'static Rule,
        quote: &'static Quote,
        opened: Opened,
    ) -> Attempt {
        let opener = QuoteOpener { prefix: self.pos - opened.start, fence: opened.fence };
        let frame = QuoteFrame { opener, ..QuoteFrame::of(quote) };
        if quote.lines == QuoteLines::Closed {
            if self.is_unclosed(rule) || !self.may_look_ahead() {
                return Attempt::Refused;
            }
            if let Some(line_end) = self.unclosed_until(frame, opened.after) {
                self.remember_unclosed(rule, line_end);
                return Attempt::Refused;
            }
        }
        self.begin_quote(frame, opened.start, opened.after)
    }

    /// Opens a quote that starts at `start` and whose content starts at `after`.
    pub(super) fn begin_quote(&mut self, frame: QuoteFrame, start: usize, after: usize) -> Attempt {
        if self.push(LexerFrame::Quote(frame)) == Attempt::Refused {
            return Attempt::Refused;
        }
        self.mark(start, frame.quote.zone);
        self.pos = after;
        Attempt::Taken
    }

    /// The end of the line, if the quote does not close on it.
    fn unclosed_until(&self, mut frame: QuoteFrame, from: usize) -> Option<usize> {
        let mut at = from;
        let (end, line_end) = loop {
            match self.next_event(&mut frame, at) {
                QuoteEvent::Closed(after) => break (after, None),
                QuoteEvent::LineEnd(end) => break (end, Some(end)),
                QuoteEvent::Hole(hole, ..) => at = hole + 1,
                QuoteEvent::End => break (self.end, Some(self.end)),
            }
        };
        self.looked_ahead(end.saturating_sub(from));
        line_end
    }

    fn next_event(&self, frame: &mut QuoteFrame, from: usize) -> QuoteEvent {
        let quote = frame.quote;
        let line_ends = self.line_ends();
        let stops = self.quote_stops(frame, line_ends);
        let mut at = from;
        let mut in_class = false;
        while let Some(ahead) = stops.find(self.rest(at)) {
            at += ahead;
            let byte = self.text[at];
            if let Some(length) = self.exact_escape(quote, at) {
                at += length;
            } else if let Some((hole, length)) = self.hole_at(quote.holes, at, &frame.opener) {
                return QuoteEvent::Hole(at, length, hole);
            } else if let Some(length) = self.next_escape(frame, at) {
                at += length;
            } else if quote.has_classes && (byte == b'[' || byte == b']') {
                in_class = byte == b'[';
                at += 1;
            } else if quote.lines != QuoteLines::Many && self.line_break_len(line_ends, at).is_some() {
                return QuoteEvent::LineEnd(at);
            } else if in_class {
                at += 1;
            } else {
                match self.closing(frame, at) {
                    Closing::Yes(after) => return QuoteEvent::Closed(after),
                    Closing::No(up_to) => at = up_to,
                }
            }
        }
        QuoteEvent::End
    }

    fn quote_stops(&self, frame: &QuoteFrame, line_ends: LineEnds) -> ByteSet {
        let quote = frame.quote;
        let mut stops = ByteSet::EMPTY;
        for escape in quote.escapes {
            stops = match escape {
                Escape::Next(byte) | Escape::NextBut(byte, _) => stops.with(*byte),
                Escape::Exact(text) | Escape::Gap(text, _) => stops.with_first(text),
            };
        }
        for hole in quote.holes {
            stops = stops.with_first(hole.head);
        }
        if quote.lines != QuoteLines::Many {
            stops = stops.union(line_ends.stops);
        }
        if quote.has_classes {
            stops = stops.with_all("[]");
        }
        if let Some((open, close)) = frame.delimiters {
            return stops.with(open).with(close);
        }
        let (start, length) = frame.opener.fence;
        let fence = self.text.get(start).filter(|_| length > 0);
        match (quote.close.head, fence) {
            ("", Some(&first)) => stops.with(first),
            ("", None) => stops.with_first(quote.close.tail),
            (head, _) => stops.with_first(head),
        }
    }

    fn exact_escape(&self, quote: &Quote, at: usize) -> Option<usize> {
        quote.escapes.iter().find_map(|escape| match escape {
            Escape::Exact(text) if self.rest(at).starts_with(text.as_bytes()) => Some(text.len()),
            Escape::Gap(first, second) => {
                let rest = self.rest(at).strip_prefix(first.as_bytes())?;
                let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                let is_gap = rest[blanks..].starts_with(second.as_bytes());
                is_gap.then_some(first.len() + blanks + second.len())
            }
            _ => None,
        })
    }

    fn next_escape(&self, frame: &QuoteFrame, at: usize) -> Option<usize> {
        let byte = self.text[at];
        if frame.delimiters.is_some_and(|(_, close)| close == byte) {
            return None;
        }
        frame.quote.escapes.iter().find_map(|escape| match *escape {
            Escape::Next(escaping) if escaping == byte => Some(self.escape_len(at)),
            Escape::NextBut(escaping, but) if escaping == byte => {
                Some(if self.byte(at + 1) == Some(but) { 1 } else { self.escape_len(at) })
            }
            _ => None,
        })
    }

    /// The length of the escape at `at`: two bytes, three before CRLF.
    pub(super) fn escape_len(&self, at: usize) -> usize {
        if self.rest(at + 1).starts_with(b"\r\n") { 3 } else { 2 }
    }

    fn closing(&self, frame: &mut QuoteFrame, at: usize) -> Closing {
        if let Some(delimiters) = frame.delimiters {
            return self.closing_delimiter(frame, delimiters, at);
        }
        let close = frame.quote.close;
        let (start, length) = frame.opener.fence;
        let fence = &self.text[start..start + length];
        let rest = self.rest(at);
        if close.head.is_empty() && close.tail.is_empty() {
            let Some(&first) = fence.first() else { return Closing::No(at + 1) };
            let run = rest.iter().take_while(|&&byte| byte == first).count();
            let closes = run >= fence.len() && self.closes_at(close.at, at);
            return if closes { Closing::Yes(at + fence.len()) } else { Closing::No(at + run.max(1)) };
        }
        let found = rest
            .strip_prefix(close.head.as_bytes())
            .and_then(|rest| rest.strip_prefix(fence))
            .and_then(|rest| rest.strip_prefix(close.tail.as_bytes()));
        if found.is_none() || !self.closes_at(close.at, at) {
            return Closing::No(at + 1);
        }
        let after = at + close.head.len() + fence.len() + close.tail.len();
        Closing::Yes(match close.at {
            CloseAt::Anywhere | CloseAt::FirstOnLine => after,
            CloseAt::WholeLine => self.line_end(after),
            CloseAt::LastOfRun => {
                let last = self.text[after - 1];
                after + self.rest(after).iter().take_while(|&&byte| byte == last).count()
            }
        })
    }

    fn closes_at(&self, at: CloseAt, offset: usize) -> bool {
        match at {
            CloseAt::Anywhere | CloseAt::LastOfRun => true,
            CloseAt::FirstOnLine => self.is_first_on_line(offset),
            CloseAt::WholeLine => self.is_line_start(offset),
        }
    }

    fn closing_delimiter(&self, frame: &mut QuoteFrame, delimiters: (u8, u8), at: usize) -> Closing {
        let (open, close) = delimiters;
        let byte = self.text[at];
        if byte == close && frame.depth == 0 {
            return Closing::Yes(at + 1);
        }
        if byte == close {
            frame.depth -= 1;
        } else if byte == open {
            frame.depth += 1;
        }
        Closing::No(at + 1)
    }

    fn close(&mut self, frame: QuoteFrame, after: usize) {
        self.pos = after;
        if frame.parts == 0 {
            return self.end_quote(&frame);
        }
        let mut next = QuoteFrame { parts: frame.parts - 1, ..frame };
        if let Some((open, close)) = frame.delimiters
            && open != close
        {
            let blanks = self.rest(after).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let Some(second) = self.byte(after + blanks).filter(u8::is_ascii_punctuation) else {
                return self.end_quote(&frame);
            };
            next.delimiters = Some((second, mirrored(second)));
            self.pos = after + blanks + 1;
        }
        if let Some(LexerFrame::Quote(top)) = self.frames.last_mut() {
            *top = next;
        }
    }

    fn end_quote(&mut self, frame: &QuoteFrame) {
        if frame.quote.zone != Zone::Comment {
            self.tail = self.pos;
        }
        self.pop();
        if frame.quote.zone == Zone::Code && matches!(self.frames.last(), Some(LexerFrame::Code(_))) {
            let flags = self.rest(self.pos).iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            self.pass(self.pos + flags);
            self.literal_end = self.pos;
        }
    }
}

/// The delimiter that closes what `open` opens.
pub(super) const fn mirrored(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    }
}
