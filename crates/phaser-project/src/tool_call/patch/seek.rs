//! Locates a sequence of lines in a file.

use super::super::NotApplied;

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeekEnd {
    /// Anywhere.
    Anywhere,
    /// At the end of the file first, even before the start of the search, then anywhere.
    Mark,
}

/// The limit on line comparisons per file.
const MAX_COMPARED: usize = 50_000_000;

/// A search in the lines of a file.
pub(super) struct Seek<'a> {
    lines: &'a [&'a str],
    compared: usize,
}

/// How lines are compared, from exact to lenient: equal; equal without trailing blanks; without surrounding blanks;
/// with typographic dashes, quotes and blanks replaced.
const PASSES: [fn(&str, &str) -> bool; 4] = [
    |line, wanted| line == wanted,
    |line, wanted| line.trim_end() == wanted.trim_end(),
    |line, wanted| line.trim() == wanted.trim(),
    |line, wanted| plain(line).eq(plain(wanted)),
];

impl<'a> Seek<'a> {
    pub(super) fn new(lines: &'a [&'a str]) -> Self {
        Self { lines, compared: 0 }
    }

    /// The index of the first match at or after `from`. Fails if [`MAX_COMPARED`] is exceeded.
    pub(super) fn find<S: AsRef<str>>(
        &mut self,
        wanted: &[S],
        from: usize,
        end: SeekEnd,
    ) -> Result<Option<usize>, NotApplied> {
        if wanted.is_empty() {
            return Ok(Some(from));
        }
        let Some(last) = self.lines.len().checked_sub(wanted.len()) else { return Ok(None) };
        if end == SeekEnd::Mark {
            let at_end = self.within(wanted, last, last)?;
            if at_end.is_some() {
                return Ok(at_end);
            }
        }
        self.within(wanted, from, last)
    }

    fn within<S: AsRef<str>>(
        &mut self,
        wanted: &[S],
        from: usize,
        last: usize,
    ) -> Result<Option<usize>, NotApplied> {
        for same in PASSES {
            for at in from..=last {
                let mut pairs = self.lines[at..].iter().zip(wanted);
                self.compared += 1;
                let found = pairs.all(|(line, wanted)| {
                    self.compared += 1;
                    same(line, wanted.as_ref())
                });
                if found {
                    return Ok(Some(at));
                }
                if self.compared > MAX_COMPARED {
                    return Err(NotApplied::TooMuch);
                }
            }
        }
        Ok(None)
    }
}

/// A line without surrounding blanks, and with ASCII dashes, quotes and blanks.
fn plain(line: &str) -> impl Iterator<Item = char> {
    line.trim().chars().map(|char| match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{00A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    })
}
