//! The `apply_patch` format of Codex, which other agents have adopted.
//!
//! A patch consists of sections, one per file. An update consists of chunks:
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/a.py
//! @@ def f():
//!      x = 1
//! -    y = 2
//! +    y = 3
//! *** End Patch
//! ```
//!
//! A chunk has no line numbers. It is located by content: first the line after `@@` (`def f():`), then, below that,
//! the kept and removed lines in sequence (`x = 1`, `y = 2`). Four passes are tried, from exact to lenient (see
//! `seek.rs`); the first match wins. Here the second line of the match becomes `    y = 3`; kept lines stay as the
//! file has them, even if a lenient pass matched them. `*** End of File` prefers a match at the end, wherever `@@` leads. A
//! chunk without kept or removed lines appends to the file, before an empty last line.
//!
//! The result equals that of Codex. The parser is lenient: agents differ in what they reject, and a patch wrongly
//! considered inapplicable would be a change that is not checked.

use std::borrow::Cow;

use super::NotApplied;
use phaser_core::text::to_str;

mod between;
mod seek;

pub use between::between;
use seek::{Seek, SeekEnd};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// The effect of a patch on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// Writes the file, whether it exists or not.
    Add {
        /// The path.
        path: String,
        /// The content.
        content: String,
    },
    /// Deletes the file.
    Delete {
        /// The path.
        path: String,
    },
    /// Changes the file.
    Update {
        /// The path.
        path: String,
        /// The new path, if it is moved.
        to: Option<String>,
        /// The changes, top to bottom.
        chunks: Vec<Chunk>,
    },
}

/// One change in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// A line above the change, from `@@ LINE`.
    pub after: Option<String>,
    /// The lines, in order.
    pub lines: Vec<PatchLine>,
    /// Whether the change is at the end of the file.
    pub at_end: bool,
}

/// A line of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchLine {
    /// Context, unchanged.
    Kept(String),
    /// Removed.
    Removed(String),
    /// Added.
    Added(String),
}

impl PatchLine {
    /// The line before the change; `None` for an added one.
    fn old(&self) -> Option<&str> {
        match self {
            Self::Kept(text) | Self::Removed(text) => Some(text),
            Self::Added(_) => None,
        }
    }
}

/// Whether the text contains a patch.
pub fn is_patch(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), BEGIN.as_bytes()).is_some()
}

/// Parses a patch; empty if the text contains none. Text around the patch, such as a here-document, is skipped.
pub fn parse(text: &str) -> Vec<Section> {
    let mut lines = text.lines().skip_while(|line| line.trim() != BEGIN);
    let mut sections: Vec<Section> = Vec::new();
    if lines.next().is_none() {
        return sections;
    }
    for line in lines {
        // Leading blanks are significant in an update only.
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

/// Formats a patch.
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
                            PatchLine::Kept(line) => put([" ", line]),
                            PatchLine::Removed(line) => put(["-", line]),
                            PatchLine::Added(line) => put(["+", line]),
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

/// Parses the header of a section.
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

/// Parses a line of an update.
fn update_line(chunks: &mut Vec<Chunk>, line: &str) {
    let trimmed = line.trim_end();
    if trimmed == "@@" {
        return chunks.push(Chunk::default());
    }
    if let Some(after) = trimmed.strip_prefix("@@ ") {
        return chunks.push(Chunk { after: Some(after.to_owned()), ..Chunk::default() });
    }
    if chunks.last().is_none_or(|chunk| chunk.at_end) {
        if trimmed.is_empty() {
            // A blank line before a chunk.
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
        Some('+') => PatchLine::Added(chars.as_str().to_owned()),
        Some('-') => PatchLine::Removed(chars.as_str().to_owned()),
        Some(' ') => PatchLine::Kept(chars.as_str().to_owned()),
        // A context line without its leading blank.
        Some(_) | None => PatchLine::Kept(line.to_owned()),
    });
}

/// Applies updates in sequence. Fails if a result exceeds `limit` bytes. If a later update cannot be applied, the
/// result is that of the ones before it.
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

/// A line of a file and its line ending.
struct SourceLine<'a> {
    text: &'a str,
    ending: &'a str,
}

/// Applies one update.
fn updated(text: &str, chunks: &[Chunk]) -> Result<String, NotApplied> {
    let source = split(text);
    let texts: Vec<&str> = source.iter().map(|line| line.text).collect();
    let mut replacements = replacements(&texts, chunks)?;
    replacements.sort_by_key(|replacement| replacement.at);
    // Added lines, and a last line without an ending, get the first line ending of the file.
    let ending = source.iter().map(|line| line.ending).find(|ending| !ending.is_empty()).unwrap_or("\n");
    let mut result = String::with_capacity(text.len());
    let mut kept = 0;
    let keep = |result: &mut String, from: usize, to: usize| {
        for line in &source[from.min(to)..to] {
            result.push_str(line.text);
            result.push_str(if line.ending.is_empty() { ending } else { line.ending });
        }
    };
    for LineReplacement { at, old, new } in replacements {
        keep(&mut result, kept, at);
        for line in new {
            result.push_str(&line);
            result.push_str(ending);
        }
        // A chunk at the end of the file may lie in an earlier one.
        kept = kept.max(at + old);
    }
    keep(&mut result, kept, source.len());
    Ok(result)
}

/// Splits a text at `\r\n`, `\n` and `\r`. The last line may have no ending.
fn split(text: &str) -> Vec<SourceLine<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()) {
        if at < start {
            // The `\n` of a `\r\n`.
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

/// A range of lines and its replacement.
struct LineReplacement {
    at: usize,
    old: usize,
    new: Vec<String>,
}

/// Locates the chunks.
fn replacements(lines: &[&str], chunks: &[Chunk]) -> Result<Vec<LineReplacement>, NotApplied> {
    let mut seek = Seek::new(lines);
    let mut found = Vec::new();
    let mut from = 0;
    for chunk in chunks {
        if let Some(after) = &chunk.after {
            from = seek.find(&[after], from, SeekEnd::Anywhere)?.ok_or(NotApplied::OldNotFound)? + 1;
        }
        let old = old_lines(&chunk.lines);
        if old.is_empty() {
            let end = lines.len() - usize::from(lines.last().is_some_and(|line| line.is_empty()));
            found.extend(replaced(end, &chunk.lines));
            continue;
        }
        let end = if chunk.at_end { SeekEnd::Mark } else { SeekEnd::Anywhere };
        if let Some(at) = seek.find(&old, from, end)? {
            from = at + old.len();
            found.extend(replaced(at, &chunk.lines));
            continue;
        }
        // A last empty line may stand for the final newline.
        let shorter = without_last(&chunk.lines).ok_or(NotApplied::OldNotFound)?;
        let old = old_lines(&chunk.lines[..]);
        let old = &old[..old.len() - 1];
        let at = seek.find(old, from, end)?.ok_or(NotApplied::OldNotFound)?;
        from = at + old.len();
        found.extend(replaced(at, &shorter));
    }
    Ok(found)
}

fn old_lines(lines: &[PatchLine]) -> Vec<&str> {
    lines.iter().filter_map(PatchLine::old).collect()
}

/// Drops the last kept or removed line, if it is empty, and with it an empty last kept or added line; else `None`.
fn without_last(lines: &[PatchLine]) -> Option<Vec<PatchLine>> {
    let mut lines = lines.to_vec();
    let last = lines.iter().rposition(|line| line.old().is_some())?;
    match &mut lines[last] {
        PatchLine::Removed(text) if text.is_empty() => drop(lines.remove(last)),
        line @ PatchLine::Kept(_) if line.old() == Some("") => *line = PatchLine::Added(String::new()),
        _ => return None,
    }
    let is_new = |line: &PatchLine| !matches!(line, PatchLine::Removed(_));
    if let Some(last) = lines.iter().rposition(is_new) {
        match &mut lines[last] {
            PatchLine::Added(text) if text.is_empty() => drop(lines.remove(last)),
            line @ PatchLine::Kept(_) if line.old() == Some("") => *line = PatchLine::Removed(String::new()),
            _ => {}
        }
    }
    Some(lines)
}

/// The replacements of a chunk located at `at`, without its kept lines.
fn replaced(mut at: usize, lines: &[PatchLine]) -> Vec<LineReplacement> {
    let mut found = Vec::new();
    for run in lines.split(|line| matches!(line, PatchLine::Kept(_))) {
        let old = run.iter().filter(|line| matches!(line, PatchLine::Removed(_))).count();
        let new = run.iter().filter_map(|line| match line {
            PatchLine::Added(text) => Some(text.clone()),
            PatchLine::Kept(_) | PatchLine::Removed(_) => None,
        });
        if !run.is_empty() {
            found.push(LineReplacement { at, old, new: new.collect() });
        }
        // The run is followed by a kept line.
        at += old + 1;
    }
    found
}

#[cfg(test)]
mod tests;
