//! Zones: which bytes of a source text are code, which are comments, which are strings.
//!
//! A contract with `in: code` ignores a match in a comment, and an ignore directive works only inside a comment. Both
//! need the zone of one offset in a file of any of over a hundred languages, for every edit, in a file that may be broken halfway
//! through an edit. So there is no parser: a table describes each language lexically, and one pass applies it.
//!
//! ```
//! use phaser_zones::{Zone, Zones};
//!
//! let text = b"let s = `a ${b /* c */} d`; // e";
//! let zones = Zones::of(b"src/a.js", text).expect("a known language");
//! let parts: Vec<_> = zones.iter().map(|(range, zone)| (&text[range], zone)).collect();
//! assert_eq!(parts, [
//!     (&b"let s = "[..], Zone::Code),
//!     (b"`a ", Zone::String),
//!     (b"${b ", Zone::Code),
//!     (b"/* c */", Zone::Comment),
//!     (b"}", Zone::Code),
//!     (b" d`", Zone::String),
//!     (b"; ", Zone::Code),
//!     (b"// e", Zone::Comment),
//! ]);
//! ```
//!
//! # Definitions
//!
//! Delimiters belong to what they delimit. Code inside a string (`${…}`, `#{…}`, a replacement field of an f-string) is
//! code, with its delimiters. Docstrings and heredocs are strings. Regular expression literals and quoted names are
//! code. A character literal is a string if quotes delimit it.
//!
//! # The tables
//!
//! A [`Language`] is data: the names of its files and a list of rules (`rule.rs`), written with short constructors
//! (`build.rs`) in one file per family (`tables/`). A rule has an opener, the position where it may open, and what it
//! opens. JavaScript has, among others:
//!
//! ```text
//! line("//")                                      // a comment to the end of the line
//! block("/*", "*/")                               // a comment over many lines
//! escaped("`").many().holes(&[hole("${", "{}")])  // a string with code in it
//! ```
//!
//! Where several rules fit, the first one wins. The set of first bytes of all openers, the *stop bytes*, is computed at
//! compile time.
//!
//! # The pass
//!
//! The lexer keeps a position and a stack of *frames*, one for each construct that is open: code, a quote, markup text,
//! a tag, or a bounded part such as a heredoc. The top frame decides what the next bytes mean. The text above:
//!
//! | position | bytes | frames afterwards | event |
//! |---|---|---|---|
//! | 0 | `let s = ` | code | no stop byte opens a rule |
//! | 8 | `` ` `` | code, quote | the template rule opens: string from 8 |
//! | 9 | `a ` | code, quote | only the closer, escapes and `${` matter here |
//! | 11 | `${` | code, quote, code | a hole opens: code from 11, bracket depth 1 |
//! | 15 | `/*` | code, quote, code, quote | the comment rule opens: comment from 15 |
//! | 20 | `*/` | code, quote, code | the comment closes |
//! | 22 | `}` | code, quote | depth 0: the hole ends, string from 23 |
//! | 25 | `` ` `` | code | the string closes |
//! | 28 | `// e` | code | a line comment needs no frame |
//!
//! A `//` at position 9 would not be a comment, because the top frame is a quote; a `` ` `` at position 18 would not
//! close the string, because the top frame is a comment.
//!
//! A page with code (PHP, ERB) takes two passes, because its code runs even inside comments and strings of the page:
//! `template.rs`.
//!
//! # Cost
//!
//! The pass is linear in the text, for any bytes. Every step moves forward or changes the stack. Look-ahead (does this
//! quote close on its line? does this heredoc end?) has a budget for the whole text; when it is spent, the construct in
//! question does not open. The stack has a limit of 10,000 frames; beyond it nothing opens. Tests count steps.
//!
//! # Limits
//!
//! What only a parser can decide is guessed from the bytes before:
//!
//! - `/` starts a regular expression where an operand is expected, and is a division otherwise. The token before it
//!   decides: `return /a/` and `if (a) /b/` have a regular expression, `a / b`, `f() / b` and `x = {} / b` do not.
//! - `<` starts a JSX element by the same rule; `<T>(` is a type parameter if no `</T>` follows soon.
//! - A string that is not closed ends with its line, or with the text if it may span lines. An edit that leaves a quote
//!   open can therefore change the zones of everything below.
//! - A preprocessor, a macro or a reader that changes the syntax is not followed.
//!
//! The crate does no I/O: a language is found by path and first line.

mod build;
mod byte_set;
mod code;
mod guard;
mod heredoc;
mod language;
mod lexer;
mod lines;
mod literal;
mod markup;
mod names;
mod quote;
mod rule;
mod tables;
mod template;
#[cfg(test)]
mod tests;
mod yaml;

use std::ops::Range;

pub use byte_set::ByteSet;
pub use language::Language;

/// The kind of a byte of source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// Everything that is neither comment nor string, white space included.
    Code,
    /// A comment with its delimiters.
    Comment,
    /// A string with its delimiters.
    String,
}

impl Zone {
    /// All zones, in documentation order.
    pub const ALL: [Self; 3] = [Self::Code, Self::Comment, Self::String];

    /// The value of a contract's key `in`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Comment => "comments",
            Self::String => "strings",
        }
    }
}

/// The zones of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zones {
    starts: Vec<ZoneStart>,
    end: usize,
}

impl Zones {
    /// The zones of `text` in a file at `path` (relative, `/`-separated). `None` if the language is unknown.
    pub fn of(path: &[u8], text: &[u8]) -> Option<Self> {
        Language::of(path, text).map(|language| Self::in_language(language, text))
    }

    /// The zones of `text` in `language`.
    pub fn in_language(language: &'static Language, text: &[u8]) -> Self {
        lexer::zones(language, text).0
    }

    /// The zone at `offset`. Past the end it is the last zone; an empty text is code.
    pub fn at(&self, offset: usize) -> Zone {
        let after = self.starts.partition_point(|start| start.offset() <= offset);
        after.checked_sub(1).map_or(Zone::Code, |index| self.starts[index].zone())
    }

    /// The comment that contains `offset`. Adjacent comments are one.
    pub fn comment_at(&self, offset: usize) -> Option<Range<usize>> {
        let after = self.starts.partition_point(|start| start.offset() <= offset);
        let start = self.starts[..after].last().filter(|start| start.zone() == Zone::Comment)?;
        Some(start.offset()..self.starts.get(after).map_or(self.end, |next| next.offset()))
    }

    /// The zones in order. They cover the text without gap or overlap; none is empty, and neighbours differ.
    pub fn iter(&self) -> impl Iterator<Item = (Range<usize>, Zone)> + '_ {
        let ends = self.starts.iter().skip(1).map(|start| start.offset()).chain([self.end]);
        self.starts.iter().zip(ends).map(|(start, end)| (start.offset()..end, start.zone()))
    }
}

/// The start of a zone: the offset, and the zone in the two lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ZoneStart(usize);

impl ZoneStart {
    fn new(offset: usize, zone: Zone) -> Self {
        let zone = match zone {
            Zone::Code => 0,
            Zone::Comment => 1,
            Zone::String => 2,
        };
        Self(offset << 2 | zone)
    }

    fn offset(self) -> usize {
        self.0 >> 2
    }

    fn zone(self) -> Zone {
        match self.0 & 3 {
            0 => Zone::Code,
            1 => Zone::Comment,
            _ => Zone::String,
        }
    }
}
