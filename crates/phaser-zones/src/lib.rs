//! Zones: which bytes of a source text are code, which are comments, which are strings.
//!
//! A table describes each language lexically; one pass over the text applies it. Delimiters belong to what
//! they delimit. Code inside a string (`${…}`, `#{…}`, the braces of an f-string) is code, delimiters
//! included. A docstring and a heredoc are strings; a regular expression literal and a quoted name are code.
//! A character literal is a string when quotes delimit it.
//!
//! Knows no syntax tree: what only a parser can tell is guessed from the bytes before. Knows no file system:
//! a language is found by the path and the first line.

mod build;
mod byte_set;
mod code;
mod guard;
mod heredoc;
mod language;
mod lexer;
mod literal;
mod markup;
mod names;
mod quote;
mod rule;
mod tables;
#[cfg(test)]
mod tests;
mod yaml;
mod zone;

use std::ops::Range;

pub use language::Language;
pub use zone::Zone;

/// The zones of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zones {
    starts: Vec<Start>,
    end: usize,
}

impl Zones {
    /// The zones of `text`, a file at `path` (relative, `/`-separated). `None`: of an unknown language.
    pub fn of(path: &[u8], text: &[u8]) -> Option<Self> {
        Language::of(path, text).map(|language| Self::in_language(language, text))
    }

    /// The zones of a text that is written in `language`.
    pub fn in_language(language: &'static Language, text: &[u8]) -> Self {
        lexer::zones(language, text).0
    }

    /// The zone of the byte at `offset`. Past the end it is that of the last byte; an empty text is code.
    pub fn at(&self, offset: usize) -> Zone {
        let after = self.starts.partition_point(|start| start.offset() <= offset);
        after.checked_sub(1).map_or(Zone::Code, |index| self.starts[index].zone())
    }

    /// The comment that the byte at `offset` is part of. Comments without a byte between them are one.
    pub fn comment_at(&self, offset: usize) -> Option<Range<usize>> {
        let after = self.starts.partition_point(|start| start.offset() <= offset);
        let start = self.starts[..after].last().filter(|start| start.zone() == Zone::Comment)?;
        Some(start.offset()..self.starts.get(after).map_or(self.end, |next| next.offset()))
    }

    /// The zones in order. They cover the text without overlap and without a gap, none is empty, and no two
    /// neighbours are alike.
    pub fn iter(&self) -> impl Iterator<Item = (Range<usize>, Zone)> + '_ {
        let ends = self.starts.iter().skip(1).map(|start| start.offset()).chain([self.end]);
        self.starts.iter().zip(ends).map(|(start, end)| (start.offset()..end, start.zone()))
    }
}

/// Where a zone starts: offset and zone in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start(usize);

impl Start {
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
