//! The text that a fix writes in place of a match or of a value.

use std::collections::HashMap;
use std::ops::Range;

use super::Fixer;
use crate::contract::Contract;
use crate::contract::fix::FixPart;
use crate::matcher::FileNames;
use crate::matcher::captures::{CaptureSpans, Captures};
use crate::path::RelPath;
use crate::text::{Text, more_frequent_newline};
use phaser_data::{NodeId, Tree};

/// The replacement for each of these matches; `None` where a group is unknown.
pub(super) fn of_matches(
    fixer: &Fixer<'_>,
    contract: &Contract,
    (path, text): (&RelPath, &Text<'_>),
    matches: &[Range<usize>],
) -> Vec<Option<Vec<u8>>> {
    let Some(fix) = &contract.fix else { return vec![None; matches.len()] };
    let newline = more_frequent_newline(text.bytes());
    if contract.check.code().is_some() {
        let mut template = Vec::new();
        write(&fix.template, newline, &mut template);
        let template = String::from_utf8_lossy(&template);
        return fixer.matcher.code_replacements(contract, path, text, (&template, matches));
    }
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

/// The replacement for each of these values; `None` where a group is unknown. Groups are those of the first match in the
/// value. A literal is written as given, and a text as the format quotes it. A text that spells a literal is written as one
/// where it replaces one.
pub(super) fn of_values(
    fixer: &Fixer<'_>,
    contract: &Contract,
    names: FileNames<'_>,
    text: &Text<'_>,
    places: &[Range<usize>],
) -> Vec<Option<Vec<u8>>> {
    let nothing = || vec![None; places.len()];
    let format = names.format();
    let source = std::str::from_utf8(text.bytes()).ok();
    let tree = format.zip(source).and_then(|(format, source)| Tree::parse(source, format).ok());
    let (Some(fix), Some(tree)) = (&contract.fix, tree) else { return nothing() };
    let needs_match = fix.parts().any(|part| !matches!(part, FixPart::Text(_)));
    let groups = if needs_match { fixer.captures(contract) } else { None };
    let by_span: HashMap<Range<usize>, NodeId> = tree.nodes().map(|id| (tree.shown_span(id), id)).collect();
    let one = |place: &Range<usize>| {
        let id = *by_span.get(place)?;
        let value = tree.scalar_text(id).unwrap_or_else(|| tree.source(id));
        let groups = groups.as_deref();
        let captured = groups.and_then(|groups| groups.first(&Text::new(value.as_bytes())?));
        let mut new = String::new();
        for part in fix.parts() {
            match part {
                FixPart::Text(text) => new.push_str(text),
                FixPart::Number(0) if groups.is_none() => new.push_str(value),
                part => new.push_str(group(value, part, groups?, captured.as_ref()?)?),
            }
        }
        let is_literal = fix.is_literal || tree.stays_literal(id, &new);
        let written = if is_literal { tree.written(id, &new) } else { tree.written_string(id, &new) };
        Some(written.into_bytes())
    };
    places.iter().map(one).collect()
}

/// The text of a group of a match in `value`; empty if it took no part in the match.
fn group<'v>(
    value: &'v str,
    part: FixPart<'_>,
    groups: &Captures,
    captured: &CaptureSpans,
) -> Option<&'v str> {
    let number = match part {
        FixPart::Number(number) => number,
        FixPart::Name(name) => groups.number(name)?,
        FixPart::Text(_) | FixPart::Stray => return None,
    };
    match captured.get(number)? {
        Some(range) => value.get(range.clone()),
        None => Some(""),
    }
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
            write(text, more_frequent_newline(file.as_bytes()), &mut out);
            String::from_utf8(out).expect("is text")
        };
        assert_eq!(written("a\r\nb\r\nc\n", "x\ny\r\nz\n"), "x\r\ny\r\nz\r\n");
        assert_eq!(written("a\r\nb\n", "x\ny\r\nz"), "x\ny\nz");
        assert_eq!(written("", "\n\r"), "\n\r");
    }
}
