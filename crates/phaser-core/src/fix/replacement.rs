//! The text that a fix writes in place of a match.

use std::ops::Range;

use memchr::memmem;

use super::Fixer;
use crate::contract::Contract;
use crate::contract::fix::FixPart;
use crate::matcher::captures::CaptureSpans;
use crate::text::Text;

/// The replacement for each of these matches; `None` where a group is unknown.
pub(super) fn of_matches(
    fixer: &Fixer<'_>,
    contract: &Contract,
    text: &Text<'_>,
    matches: &[Range<usize>],
) -> Vec<Option<Vec<u8>>> {
    let Some(fix) = &contract.fix else { return vec![None; matches.len()] };
    let ending = FixLineEnding::of(text.bytes());
    if !fix.names_groups() {
        let one = |place: &Range<usize>| {
            let mut new = Vec::new();
            for part in fix.parts() {
                match part {
                    FixPart::Number(_) => new.extend_from_slice(&text.bytes()[place.clone()]),
                    FixPart::Text(text) => ending.write(text, &mut new),
                    FixPart::Name(_) | FixPart::Stray => return None,
                }
            }
            Some(new)
        };
        return matches.iter().map(one).collect();
    }
    let Some(groups) = fixer.captures(contract) else { return vec![None; matches.len()] };
    let one = |captured: Option<CaptureSpans>| {
        let (captured, mut new) = (captured?, Vec::new());
        for part in fix.parts() {
            let number = match part {
                FixPart::Text(text) => {
                    ending.write(text, &mut new);
                    continue;
                }
                FixPart::Number(number) => number,
                FixPart::Name(name) => groups.number(name)?,
                FixPart::Stray => return None,
            };
            // A group that took no part in the match is empty.
            if let Some(range) = captured.get(number)? {
                new.extend_from_slice(&text.bytes()[range.clone()]);
            }
        }
        Some(new)
    };
    groups.captured(text, matches).into_iter().map(one).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixLineEnding {
    Lf,
    CrLf,
}

impl FixLineEnding {
    /// The more frequent line ending of a text.
    fn of(text: &[u8]) -> Self {
        let crlf = memmem::find_iter(text, b"\r\n").count();
        let all = memchr::memchr_iter(b'\n', text).count();
        if crlf > all - crlf { Self::CrLf } else { Self::Lf }
    }

    /// Appends `text` with the line endings of the file.
    fn write(self, text: &str, out: &mut Vec<u8>) {
        for line in text.split_inclusive('\n') {
            let ends = line.ends_with('\n');
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = if ends { line.strip_suffix('\r').unwrap_or(line) } else { line };
            out.extend_from_slice(line.as_bytes());
            match (ends, self) {
                (false, _) => {}
                (true, Self::Lf) => out.push(b'\n'),
                (true, Self::CrLf) => out.extend_from_slice(b"\r\n"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_line_endings_of_the_file() {
        let written = |file: &str, text: &str| {
            let mut out = Vec::new();
            FixLineEnding::of(file.as_bytes()).write(text, &mut out);
            String::from_utf8(out).expect("is text")
        };
        assert_eq!(written("a\r\nb\r\nc\n", "x\ny\r\nz\n"), "x\r\ny\r\nz\r\n");
        assert_eq!(written("a\r\nb\n", "x\ny\r\nz"), "x\ny\nz");
        assert_eq!(written("", "\n\r"), "\n\r");
    }
}
