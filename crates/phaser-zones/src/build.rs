//! Short constructors for the tables, so that an entry reads like a sentence. Only data.

use super::Zone;
use super::rule::{
    At, Blanks, Case, Classes, Close, CloseAt, Escape, Fence, Fenced, Hole, HoleEnd, Inside, Line, Lines,
    Nesting, Nests, Open, Paired, Prefix, Quote, Rule, Strings, What,
};

/// Backslash and the next character.
pub(super) const BACKSLASH: &[Escape] = &[Escape::Next(b'\\')];

/// What `text` opens.
pub(super) const fn rule(text: &'static str, what: What) -> Rule {
    let open = Open { prefix: Prefix::None, case: Case::Exact, head: text, fence: Fence::None, tail: "" };
    Rule { at: At::Anywhere, open, what }
}

/// A comment to the end of the line.
pub(super) const fn line(open: &'static str) -> Rule {
    rule(open, What::Line(Line { zone: Zone::Comment, continued_by: 0, stop: "" }))
}

/// A comment that does not nest.
pub(super) const fn block(open: &'static str, close: &'static str) -> Rule {
    string(open).closed_by(close).zone(Zone::Comment).many()
}

/// A comment that nests.
pub(super) const fn nesting(open: &'static str, close: &'static str) -> Rule {
    rule(open, What::Nesting(Nesting { close, strings: Strings::Ignored }))
}

/// A string on one line, closed by what opens it, without escapes.
pub(super) const fn string(open: &'static str) -> Rule {
    rule(open, What::Quote(quote(open)))
}

/// A string with backslashes.
pub(super) const fn escaped(open: &'static str) -> Rule {
    string(open).escapes(BACKSLASH)
}

/// What stands up to `close`, as a string on one line.
pub(super) const fn quote(close: &'static str) -> Quote {
    Quote {
        zone: Zone::String,
        close: Close { head: close, tail: "", at: CloseAt::Anywhere },
        escapes: &[],
        lines: Lines::One,
        holes: &[],
        classes: Classes::Ignored,
    }
}

/// A literal whose delimiter, one of `delimiters`, the text chooses.
pub(super) const fn paired(open: &'static str, letters: &'static str, delimiters: &'static str) -> Rule {
    let quote = quote("").escapes(BACKSLASH).many();
    rule(
        open,
        What::Paired(Paired {
            letters,
            delimiters,
            blanks: Blanks::Refused,
            nests: Nests::Yes,
            parts: 1,
            quote,
        }),
    )
}

/// One character without a closing quote.
pub(super) const fn letter(open: &'static str) -> Rule {
    rule(open, What::Letter)
}

/// `text` means nothing.
pub(super) const fn skip(text: &'static str) -> Rule {
    rule(text, What::Skip)
}

/// A backslash takes the next character's meaning away.
pub(super) const ESCAPED_CODE: Rule = letter("\\");

/// Code of the same language that `open` starts; it ends with the last bracket of `pairs`.
pub(super) const fn hole(open: &'static str, pairs: &'static str) -> Hole {
    Hole {
        head: open,
        fenced: Fenced::No,
        tail: "",
        end: HoleEnd::Balanced(pairs),
        inside: Inside::Same,
        format: None,
    }
}

/// Code of its own kind in code.
pub(super) const fn island(hole: Hole) -> Rule {
    rule(hole.head, What::Island(hole))
}

impl Hole {
    /// Code of another language.
    pub const fn of(mut self, language: &'static super::Language) -> Self {
        self.inside = Inside::Other(language);
        self
    }

    /// Ends in another way.
    pub const fn until(mut self, end: HoleEnd) -> Self {
        self.end = end;
        self
    }

    /// With a format after a colon, which is the rest of this hole.
    pub const fn format(mut self, format: &'static Self) -> Self {
        self.format = Some(format);
        self
    }

    /// With the fence of the quote and then `tail` in its opener.
    pub const fn fenced(mut self, tail: &'static str) -> Self {
        self.fenced = Fenced::Yes;
        self.tail = tail;
        self
    }
}

impl Quote {
    /// As another zone.
    pub const fn zone(mut self, zone: Zone) -> Self {
        self.zone = zone;
        self
    }

    /// Over many lines.
    pub const fn many(mut self) -> Self {
        self.lines = Lines::Many;
        self
    }

    /// Something hides a closer.
    pub const fn escapes(mut self, escapes: &'static [Escape]) -> Self {
        self.escapes = escapes;
        self
    }

    /// With code inside.
    pub const fn holes(mut self, holes: &'static [Hole]) -> Self {
        self.holes = holes;
        self
    }
}

impl Rule {
    /// Only there.
    pub const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// Letters in any case.
    pub const fn any_case(mut self) -> Self {
        self.open.case = Case::Any;
        self
    }

    /// One of the words may stand directly before it, and belongs to it.
    pub const fn maybe_after(mut self, words: &'static [&'static str]) -> Self {
        self.open.prefix = Prefix::Optional(words);
        self
    }

    /// One of the words must stand directly before it, and belongs to it.
    pub const fn after(mut self, words: &'static [&'static str]) -> Self {
        self.open.prefix = Prefix::Required(words);
        self
    }

    /// Any word must stand directly before it, and belongs to it.
    pub const fn after_word(mut self) -> Self {
        self.open.prefix = Prefix::Word;
        self
    }

    /// The opener goes on with `fence` and `tail`; the closer is `head`, the fence, and `close_tail`.
    pub const fn fence(mut self, fence: Fence, tail: &'static str) -> Self {
        self.open.fence = fence;
        self.open.tail = tail;
        self
    }

    /// Closed by another text.
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

    /// Closed only there.
    pub const fn closed_at(self, at: CloseAt) -> Self {
        let mut quote = self.inner();
        quote.close.at = at;
        self.with(quote)
    }

    /// Over many lines.
    pub const fn many(self) -> Self {
        self.lines(Lines::Many)
    }

    /// Only when it closes on its line.
    pub const fn closed(self) -> Self {
        self.lines(Lines::Closed)
    }

    /// Something hides a closer.
    pub const fn escapes(self, escapes: &'static [Escape]) -> Self {
        let quote = self.inner().escapes(escapes);
        self.with(quote)
    }

    /// With code inside.
    pub const fn holes(self, holes: &'static [Hole]) -> Self {
        let quote = self.inner().holes(holes);
        self.with(quote)
    }

    /// Recognised, but code.
    pub const fn as_code(self) -> Self {
        self.zone(Zone::Code)
    }

    /// As another zone.
    pub const fn zone(mut self, zone: Zone) -> Self {
        if let What::Line(mut line) = self.what {
            line.zone = zone;
            self.what = What::Line(line);
            return self;
        }
        let quote = self.inner().zone(zone);
        self.with(quote)
    }

    /// `[…]` hides a closer.
    pub const fn with_classes(self) -> Self {
        let mut quote = self.inner();
        quote.classes = Classes::Read;
        self.with(quote)
    }

    /// A line that goes on after this byte.
    pub const fn continued_by(mut self, byte: u8) -> Self {
        let What::Line(mut line) = self.what else { panic!("only a line goes on") };
        line.continued_by = byte;
        self.what = What::Line(line);
        self
    }

    /// A line that ends early.
    pub const fn stopped_by(mut self, stop: &'static str) -> Self {
        let What::Line(mut line) = self.what else { panic!("only a line ends early") };
        line.stop = stop;
        self.what = What::Line(line);
        self
    }

    /// A comment in which strings count.
    pub const fn with_strings(mut self) -> Self {
        let What::Nesting(mut nesting) = self.what else { panic!("only a nesting comment reads strings") };
        nesting.strings = Strings::Read;
        self.what = What::Nesting(nesting);
        self
    }

    /// A literal of `parts` parts, perhaps with blanks before its delimiter.
    pub const fn parts(mut self, parts: u8, blanks: Blanks) -> Self {
        let What::Paired(mut paired) = self.what else { panic!("only a paired literal has parts") };
        paired.parts = parts;
        paired.blanks = blanks;
        self.what = What::Paired(paired);
        self
    }

    /// A literal whose first closing bracket ends it.
    pub const fn without_nesting(mut self) -> Self {
        let What::Paired(mut paired) = self.what else { panic!("only a paired literal nests") };
        paired.nests = Nests::No;
        self.what = What::Paired(paired);
        self
    }

    const fn lines(self, lines: Lines) -> Self {
        let mut quote = self.inner();
        quote.lines = lines;
        self.with(quote)
    }

    const fn inner(&self) -> Quote {
        match self.what {
            What::Quote(quote) => quote,
            What::Paired(paired) => paired.quote,
            _ => panic!("not a quote"),
        }
    }

    const fn with(mut self, quote: Quote) -> Self {
        if let What::Paired(mut paired) = self.what {
            paired.quote = quote;
            self.what = What::Paired(paired);
        } else {
            self.what = What::Quote(quote);
        }
        self
    }
}
