//! Constructors for the tables: `escaped("\"").many().holes(…)` is a string with backslash escapes, over many lines,
//! with code in it.

use super::Zone;
use super::rule::{
    At, Close, CloseAt, Escape, Fence, Hole, HoleEnd, HoleMark, Inside, LineRule, MarkupComment,
    NestingComment, Open, Paired, Prefix, Quote, QuoteLines, Rule, RuleKind,
};

/// Backslash and the next character.
pub(super) const BACKSLASH: &[Escape] = &[Escape::Next(b'\\')];

/// A rule that `text` opens anywhere.
pub(super) const fn rule(text: &'static str, kind: RuleKind) -> Rule {
    let open = Open { prefix: Prefix::None, any_case: false, head: text, fence: Fence::None, tail: "" };
    Rule { at: At::Anywhere, open, kind }
}

/// A comment to the end of the line.
pub(super) const fn line(open: &'static str) -> Rule {
    rule(open, RuleKind::Line(LineRule { zone: Zone::Comment, continued_by: 0, stop: "" }))
}

/// A comment that does not nest.
pub(super) const fn block(open: &'static str, close: &'static str) -> Rule {
    string(open).closed_by(close).zone(Zone::Comment).many()
}

/// A comment that nests.
pub(super) const fn nesting(open: &'static str, close: &'static str) -> Rule {
    rule(open, RuleKind::Nesting(NestingComment { close, reads_strings: false }))
}

/// A string on one line, closed by what opens it, without escapes.
pub(super) const fn string(open: &'static str) -> Rule {
    rule(open, RuleKind::Quote(quote(open)))
}

/// A string with backslashes.
pub(super) const fn escaped(open: &'static str) -> Rule {
    string(open).escapes(BACKSLASH)
}

/// The part up to `close`, a string on one line.
pub(super) const fn quote(close: &'static str) -> Quote {
    Quote {
        zone: Zone::String,
        close: Close { head: close, tail: "", at: CloseAt::Anywhere },
        escapes: &[],
        lines: QuoteLines::One,
        holes: &[],
        has_classes: false,
    }
}

/// A literal whose delimiter, one of `delimiters`, the text chooses.
pub(super) const fn paired(open: &'static str, letters: &'static str, delimiters: &'static str) -> Rule {
    let quote = quote("").escapes(BACKSLASH).many();
    rule(
        open,
        RuleKind::Paired(Paired { letters, delimiters, allows_blanks: false, nests: true, parts: 1, quote }),
    )
}

/// One character without a closing quote.
pub(super) const fn letter(open: &'static str) -> Rule {
    rule(open, RuleKind::Letter)
}

/// `text` is code and opens nothing.
pub(super) const fn skip(text: &'static str) -> Rule {
    rule(text, RuleKind::Skip)
}

/// A backslash escapes the next character.
pub(super) const ESCAPED_CODE: Rule = letter("\\");

/// Code of the same language that `open` starts; it ends with the last bracket of `pairs`.
pub(super) const fn hole(open: &'static str, pairs: &'static str) -> Hole {
    Hole {
        head: open,
        mark: HoleMark::None,
        tail: "",
        end: HoleEnd::Balanced(pairs),
        inside: Inside::Same,
        turns: &[],
    }
}

/// A comment in a page.
pub(super) const fn comment(open: &'static str, closers: &'static [&'static str]) -> MarkupComment {
    MarkupComment { open, closers }
}

/// Code of its own kind in code.
pub(super) const fn island(hole: Hole) -> Rule {
    rule(hole.head, RuleKind::Island(hole))
}

impl Hole {
    /// Code of another language.
    pub const fn of(mut self, language: &'static super::Language) -> Self {
        self.inside = Inside::Other(language);
        self
    }

    /// Sets the end.
    pub const fn until(mut self, end: HoleEnd) -> Self {
        self.end = end;
        self
    }

    /// Continues as another hole after one of these bytes.
    pub const fn turns(mut self, turns: &'static [(&'static str, &'static Self)]) -> Self {
        self.turns = turns;
        self
    }

    /// Repeats its opener like the prefix of the quote, followed by `tail`.
    pub const fn repeated(mut self, tail: &'static str) -> Self {
        self.mark = HoleMark::Repeated;
        self.tail = tail;
        self
    }

    /// With the fence of the quote and then `tail` in its opener.
    pub const fn fenced(mut self, tail: &'static str) -> Self {
        self.mark = HoleMark::Fence;
        self.tail = tail;
        self
    }
}

impl Quote {
    /// Sets the zone.
    pub const fn zone(mut self, zone: Zone) -> Self {
        self.zone = zone;
        self
    }

    /// May span lines.
    pub const fn many(mut self) -> Self {
        self.lines = QuoteLines::Many;
        self
    }

    /// Sets the escapes.
    pub const fn escapes(mut self, escapes: &'static [Escape]) -> Self {
        self.escapes = escapes;
        self
    }

    /// Sets the holes.
    pub const fn holes(mut self, holes: &'static [Hole]) -> Self {
        self.holes = holes;
        self
    }
}

impl Rule {
    /// Sets the positions where it may open.
    pub const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// Ignores the case of letters.
    pub const fn any_case(mut self) -> Self {
        self.open.any_case = true;
        self
    }

    /// One of the words may precede it directly and belongs to it.
    pub const fn maybe_after(mut self, words: &'static [&'static str]) -> Self {
        self.open.prefix = Prefix::Optional(words);
        self
    }

    /// One of the words must precede it directly and belongs to it.
    pub const fn after(mut self, words: &'static [&'static str]) -> Self {
        self.open.prefix = Prefix::Required(words);
        self
    }

    /// A run of at least `min` times `byte` precedes it directly and belongs to it.
    pub const fn after_run(mut self, byte: u8, min: usize) -> Self {
        self.open.prefix = Prefix::Run { byte, min };
        self
    }

    /// A word must precede it directly and belongs to it.
    pub const fn after_word(mut self) -> Self {
        self.open.prefix = Prefix::Word;
        self
    }

    /// Continues the opener with `fence` and `tail`.
    pub const fn fence(mut self, fence: Fence, tail: &'static str) -> Self {
        self.open.fence = fence;
        self.open.tail = tail;
        self
    }

    /// Sets the closer.
    pub const fn closed_by(self, head: &'static str) -> Self {
        self.closed_by_parts(head, "")
    }

    /// Closed by `head`, the fence and `tail`.
    pub const fn closed_by_parts(self, head: &'static str, tail: &'static str) -> Self {
        let mut quote = self.inner();
        quote.close.head = head;
        quote.close.tail = tail;
        self.with(quote)
    }

    /// Sets the positions where the closer counts.
    pub const fn closed_at(self, at: CloseAt) -> Self {
        let mut quote = self.inner();
        quote.close.at = at;
        self.with(quote)
    }

    /// May span lines.
    pub const fn many(self) -> Self {
        self.lines(QuoteLines::Many)
    }

    /// Opens only if it closes on its line.
    pub const fn closed(self) -> Self {
        self.lines(QuoteLines::Closed)
    }

    /// Sets the escapes.
    pub const fn escapes(self, escapes: &'static [Escape]) -> Self {
        let quote = self.inner().escapes(escapes);
        self.with(quote)
    }

    /// Sets the holes.
    pub const fn holes(self, holes: &'static [Hole]) -> Self {
        let quote = self.inner().holes(holes);
        self.with(quote)
    }

    /// Sets the zone to code.
    pub const fn as_code(self) -> Self {
        self.zone(Zone::Code)
    }

    /// Sets the zone.
    pub const fn zone(mut self, zone: Zone) -> Self {
        if let RuleKind::Line(mut line) = self.kind {
            line.zone = zone;
            self.kind = RuleKind::Line(line);
            return self;
        }
        let quote = self.inner().zone(zone);
        self.with(quote)
    }

    /// `[…]` hides a closer.
    pub const fn with_classes(self) -> Self {
        let mut quote = self.inner();
        quote.has_classes = true;
        self.with(quote)
    }

    /// Continues a line comment after this byte.
    pub const fn continued_by(mut self, byte: u8) -> Self {
        let RuleKind::Line(mut line) = self.kind else { panic!("only a line goes on") };
        line.continued_by = byte;
        self.kind = RuleKind::Line(line);
        self
    }

    /// Ends a line comment early.
    pub const fn stopped_by(mut self, stop: &'static str) -> Self {
        let RuleKind::Line(mut line) = self.kind else { panic!("only a line ends early") };
        line.stop = stop;
        self.kind = RuleKind::Line(line);
        self
    }

    /// Reads strings inside a nesting comment.
    pub const fn with_strings(mut self) -> Self {
        let RuleKind::Nesting(mut nesting) = self.kind else {
            panic!("only a nesting comment reads strings")
        };
        nesting.reads_strings = true;
        self.kind = RuleKind::Nesting(nesting);
        self
    }

    /// Sets the number of parts, and whether blanks may precede the delimiter.
    pub const fn parts(mut self, parts: u8, allows_blanks: bool) -> Self {
        let RuleKind::Paired(mut paired) = self.kind else { panic!("only a paired literal has parts") };
        paired.parts = parts;
        paired.allows_blanks = allows_blanks;
        self.kind = RuleKind::Paired(paired);
        self
    }

    /// Ends a paired literal at the first closing bracket.
    pub const fn without_nesting(mut self) -> Self {
        let RuleKind::Paired(mut paired) = self.kind else { panic!("only a paired literal nests") };
        paired.nests = false;
        self.kind = RuleKind::Paired(paired);
        self
    }

    const fn lines(self, lines: QuoteLines) -> Self {
        let mut quote = self.inner();
        quote.lines = lines;
        self.with(quote)
    }

    const fn inner(&self) -> Quote {
        match self.kind {
            RuleKind::Quote(quote) => quote,
            RuleKind::Paired(paired) => paired.quote,
            _ => panic!("not a quote"),
        }
    }

    const fn with(mut self, quote: Quote) -> Self {
        if let RuleKind::Paired(mut paired) = self.kind {
            paired.quote = quote;
            self.kind = RuleKind::Paired(paired);
        } else {
            self.kind = RuleKind::Quote(quote);
        }
        self
    }
}
