//! Patches between `*** Begin Patch` and `*** End Patch`, and what they make of a file.
//!
//! The format is that of `apply_patch`, which Codex made and other clients took over; a file is changed exactly as Codex
//! does it. Pure: text in, bytes out. Lenient: what one client refuses, another may apply, and a patch that is wrongly
//! taken for impossible is a patch that is not checked.

use std::borrow::Cow;

use super::NotApplied;
use phaser_core::text::to_str;

mod between;
mod seek;

pub use between::between;
use seek::{End, Seek};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// Writes it, whatever was there.
    Add {
        /// The file.
        path: String,
        /// What it contains then.
        content: String,
    },
    /// Removes it.
    Delete {
        /// The file.
        path: String,
    },
    /// Changes it.
    Update {
        /// The file.
        path: String,
        /// Where it is afterwards, if not there.
        to: Option<String>,
        /// The changes, from the top of the file to its end.
        chunks: Vec<Chunk>,
    },
}

/// One change of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The line behind which it lies, if that is said.
    pub after: Option<String>,
    /// The lines in their order.
    pub lines: Vec<Line>,
    /// Does it lie at the end of the file?
    pub at_end: bool,
}

/// One line of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Stays as it is in the file.
    Kept(String),
    /// Is taken out.
    Removed(String),
    /// Is put in.
    Added(String),
}

impl Line {
    /// As the file has it before.
    fn old(&self) -> Option<&str> {
        match self {
            Self::Kept(text) | Self::Removed(text) => Some(text),
            Self::Added(_) => None,
        }
    }
}

/// Is there a patch in this text?
pub fn is_patch(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), BEGIN.as_bytes()).is_some()
}

/// The sections of a patch; none when the text is no patch. What stands around the patch is passed over: blank lines, and
/// the marks of a here-document.
pub fn parse(text: &str) -> Vec<Section> {
    let mut lines = text.lines().skip_while(|line| line.trim() != BEGIN);
    let mut sections: Vec<Section> = Vec::new();
    if lines.next().is_none() {
        return sections;
    }
    for line in lines {
        // Only in an update may a line start with blanks that count.
        let header = match sections.last() {
            Some(Section::Update { .. }) => line.trim_end(),
            _ => line.trim(),
        };
        if header == END {
            break;
        }
        match (section(header), sections.last_mut()) {
            (Some(section), _) => sections.push(section),
            (None, Some(Section::Add { content, .. })) => {
                if let Some(added) = line.strip_prefix('+') {
                    content.push_str(added);
                    content.push('\n');
                }
            }
            (None, Some(Section::Update { to, chunks, .. })) => match header.strip_prefix(MOVE) {
                Some(path) if chunks.is_empty() && to.is_none() => *to = Some(path.to_owned()),
                _ => update_line(chunks, line),
            },
            (None, Some(Section::Delete { .. }) | None) => {}
        }
    }
    sections
}

/// The text of a patch.
pub fn write(sections: &[Section]) -> String {
    let mut text = format!("{BEGIN}\n");
    for section in sections {
        let mut put = |parts: [&str; 2]| parts.into_iter().chain(["\n"]).for_each(|part| text.push_str(part));
        match section {
            Section::Delete { path } => put([DELETE, path]),
            Section::Add { path, content } => {
                put([ADD, path]);
                content.lines().for_each(|line| put(["+", line]));
            }
            Section::Update { path, to, chunks } => {
                put([UPDATE, path]);
                to.iter().for_each(|to| put([MOVE, to]));
                for Chunk { after, lines, at_end } in chunks {
                    match after {
                        Some(after) => put(["@@ ", after]),
                        None => put(["@@", ""]),
                    }
                    for line in lines {
                        match line {
                            Line::Kept(line) => put([" ", line]),
                            Line::Removed(line) => put(["-", line]),
                            Line::Added(line) => put(["+", line]),
                        }
                    }
                    if *at_end {
                        put([END_OF_FILE, ""]);
                    }
                }
            }
        }
    }
    text + END + "\n"
}

/// The section that this line begins.
fn section(line: &str) -> Option<Section> {
    if let Some(path) = line.strip_prefix(ADD) {
        return Some(Section::Add { path: path.to_owned(), content: String::new() });
    }
    if let Some(path) = line.strip_prefix(DELETE) {
        return Some(Section::Delete { path: path.to_owned() });
    }
    let path = line.strip_prefix(UPDATE)?.to_owned();
    Some(Section::Update { path, to: None, chunks: Vec::new() })
}

/// Adds a line of an update to its chunks.
fn update_line(chunks: &mut Vec<Chunk>, line: &str) {
    let trimmed = line.trim_end();
    if trimmed == "@@" {
        return chunks.push(Chunk::default());
    }
    if let Some(after) = trimmed.strip_prefix("@@ ") {
        return chunks.push(Chunk { after: Some(after.to_owned()), ..Chunk::default() });
    }
    if chunks.last().is_none_or(|chunk| chunk.at_end) {
        if trimmed.is_empty() && !chunks.is_empty() {
            // A blank line between two chunks.
            return;
        }
        chunks.push(Chunk::default());
    }
    let Some(chunk) = chunks.last_mut() else { return };
    if trimmed == END_OF_FILE {
        chunk.at_end = true;
        return;
    }
    let mut chars = line.chars();
    chunk.lines.push(match chars.next() {
        Some('+') => Line::Added(chars.as_str().to_owned()),
        Some('-') => Line::Removed(chars.as_str().to_owned()),
        Some(' ') => Line::Kept(chars.as_str().to_owned()),
        // A line that stays may lack its mark.
        Some(_) | None => Line::Kept(line.to_owned()),
    });
}

/// The bytes of a file after updates, each made on the result of the one before; they may be no more than `limit`. What an
/// update cannot be applied to stays as the ones before it left it.
pub fn apply(current: &[u8], updates: &[Vec<Chunk>], limit: usize) -> Result<Vec<u8>, NotApplied> {
    let mut text = to_str(current).ok_or(NotApplied::BinaryFile)?;
    for (made, chunks) in updates.iter().enumerate() {
        match updated(&text, chunks) {
            Ok(updated) if updated.len() > limit => return Err(NotApplied::TooLarge(limit)),
            Ok(updated) => text = Cow::Owned(updated),
            Err(_) if made > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(text.into_owned().into_bytes())
}

/// A line of a file, and how it ends.
struct SourceLine<'a> {
    text: &'a str,
    ending: &'a str,
}

/// The text after one update.
fn updated(text: &str, chunks: &[Chunk]) -> Result<String, NotApplied> {
    let source = split(text);
    let texts: Vec<&str> = source.iter().map(|line| line.text).collect();
    let mut replacements = replacements(&texts, chunks)?;
    replacements.sort_by_key(|replacement| replacement.at);
    // The first ending of the file is that of every line that comes in, and of a last line that has none.
    let ending = source.iter().map(|line| line.ending).find(|ending| !ending.is_empty()).unwrap_or("\n");
    let mut result = String::with_capacity(text.len());
    let mut kept = 0;
    let keep = |result: &mut String, from: usize, to: usize| {
        for line in &source[from.min(to)..to] {
            result.push_str(line.text);
            result.push_str(if line.ending.is_empty() { ending } else { line.ending });
        }
    };
    for Replacement { at, old, new } in replacements {
        keep(&mut result, kept, at);
        for line in new {
            result.push_str(&line);
            result.push_str(ending);
        }
        kept = at + old;
    }
    keep(&mut result, kept, source.len());
    Ok(result)
}

/// The lines of a text. They end with `\r\n`, `\n` or `\r`; the last one need not.
fn split(text: &str) -> Vec<SourceLine<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()) {
        if at < start {
            // The newline of a carriage return that was seen.
            continue;
        }
        let end = if text[at..].starts_with("\r\n") { at + 2 } else { at + 1 };
        lines.push(SourceLine { text: &text[start..at], ending: &text[at..end] });
        start = end;
    }
    if start < text.len() {
        lines.push(SourceLine { text: &text[start..], ending: "" });
    }
    lines
}

/// Lines of a file that others take the place of.
struct Replacement {
    at: usize,
    old: usize,
    new: Vec<String>,
}

/// Where each chunk lies, and what it replaces there.
fn replacements(lines: &[&str], chunks: &[Chunk]) -> Result<Vec<Replacement>, NotApplied> {
    let mut seek = Seek::new(lines);
    let mut found = Vec::new();
    let mut from = 0;
    for chunk in chunks {
        if let Some(after) = &chunk.after {
            from = seek.find(&[after], from, End::Anywhere)?.ok_or(NotApplied::OldNotFound)? + 1;
        }
        let old = old_lines(&chunk.lines);
        if old.is_empty() {
            found.extend(replaced(lines.len(), &chunk.lines));
            continue;
        }
        let end = if chunk.at_end { End::Mark } else { End::Anywhere };
        if let Some(at) = seek.find(&old, from, end)? {
            from = at + old.len();
            found.extend(replaced(at, &chunk.lines));
            continue;
        }
        // The last line may stand for the end of the line before it.
        let shorter = without_last(&chunk.lines).ok_or(NotApplied::OldNotFound)?;
        let old = old_lines(&chunk.lines[..]);
        let old = &old[..old.len() - 1];
        let at = seek.find(old, from, end)?.ok_or(NotApplied::OldNotFound)?;
        from = at + old.len();
        found.extend(replaced(at, &shorter));
    }
    Ok(found)
}

fn old_lines(lines: &[Line]) -> Vec<&str> {
    lines.iter().filter_map(Line::old).collect()
}

/// The lines without the last one that the file has, and without the last one that it gets, if that is empty too; `None`
/// unless the first of these is empty.
fn without_last(lines: &[Line]) -> Option<Vec<Line>> {
    let mut lines = lines.to_vec();
    let last = lines.iter().rposition(|line| line.old().is_some())?;
    match &mut lines[last] {
        Line::Removed(text) if text.is_empty() => drop(lines.remove(last)),
        line @ Line::Kept(_) if line.old() == Some("") => *line = Line::Added(String::new()),
        _ => return None,
    }
    let is_new = |line: &Line| !matches!(line, Line::Removed(_));
    if let Some(last) = lines.iter().rposition(is_new) {
        match &mut lines[last] {
            Line::Added(text) if text.is_empty() => drop(lines.remove(last)),
            line @ Line::Kept(_) if line.old() == Some("") => *line = Line::Removed(String::new()),
            _ => {}
        }
    }
    Some(lines)
}

/// What takes the place of what, when the lines lie at `at`. Lines that are kept stay as the file has them.
fn replaced(mut at: usize, lines: &[Line]) -> Vec<Replacement> {
    let mut found = Vec::new();
    for run in lines.split(|line| matches!(line, Line::Kept(_))) {
        let old = run.iter().filter(|line| matches!(line, Line::Removed(_))).count();
        let new = run.iter().filter_map(|line| match line {
            Line::Added(text) => Some(text.clone()),
            Line::Kept(_) | Line::Removed(_) => None,
        });
        if !run.is_empty() {
            found.push(Replacement { at, old, new: new.collect() });
        }
        // The line behind the run is kept.
        at += old + 1;
    }
    found
}

#[cfg(test)]
mod tests;
