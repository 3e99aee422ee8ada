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
    let newline = newline(text.bytes());
    // The replacement, by the range of each group.
    let one = |range: &dyn Fn(FixPart<'_>) -> Option<Option<Range<usize>>>| {
        let mut new = Vec::new();
        for part in fix.parts() {
            match part {
                FixPart::Text(text) => write(text, newline, &mut new),
                // A group that took no part in the match is empty.
                part => new.extend_from_slice(range(part)?.map_or(&[], |range| &text.bytes()[range])),
            }
        }
        Some(new)
    };
    if !fix.names_groups() {
        let whole = |part: FixPart<'_>, place: &Range<usize>| {
            matches!(part, FixPart::Number(_)).then(|| Some(place.clone()))
        };
        return matches.iter().map(|place| one(&|part| whole(part, place))).collect();
    }
    let Some(groups) = fixer.captures(contract) else { return vec![None; matches.len()] };
    let range = |part: FixPart<'_>, captured: &CaptureSpans| {
        let number = match part {
            FixPart::Number(number) => number,
            FixPart::Name(name) => groups.number(name)?,
            FixPart::Text(_) | FixPart::Stray => return None,
        };
        captured.get(number).cloned()
    };
    let captured = groups.captured(text, matches).into_iter();
    captured.map(|captured| captured.and_then(|captured| one(&|part| range(part, &captured)))).collect()
}

/// The more frequent line ending of a text.
fn newline(text: &[u8]) -> &'static str {
    let crlf = memmem::find_iter(text, b"\r\n").count();
    let all = memchr::memchr_iter(b'\n', text).count();
    if crlf > all - crlf { "\r\n" } else { "\n" }
}

/// Appends `text` with these line endings.
fn write(text: &str, newline: &str, out: &mut Vec<u8>) {
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.extend_from_slice(line.strip_suffix('\r').unwrap_or(line).as_bytes());
                out.extend_from_slice(newline.as_bytes());
            }
            None => out.extend_from_slice(line.as_bytes()),
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
            write(text, newline(file.as_bytes()), &mut out);
            String::from_utf8(out).expect("is text")
        };
        assert_eq!(written("a\r\nb\r\nc\n", "x\ny\r\nz\n"), "x\r\ny\r\nz\r\n");
        assert_eq!(written("a\r\nb\n", "x\ny\r\nz"), "x\ny\nz");
        assert_eq!(written("", "\n\r"), "\n\r");
    }
}
