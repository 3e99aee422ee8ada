//! Text for people: one block for each violation, and a summary. On a terminal, also the source line.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::counts::{self, ViolationCounts};
use super::here::Here;
use super::palette::{Colour, Palette};
use phaser_core::contract::Severity;
use phaser_core::sanitize::{inert, inert_source};
use phaser_core::violation::{Match, Note, Violation};
use phaser_project::report::Report;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The place, the rule and its message.
    Plain,
    /// Also the source line with a caret.
    Source(Colour),
}

/// Is the reader told how to learn more?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Yes, below the source: what explains a contract.
    Explain,
    /// No.
    None,
}

/// Are violations counted by contract, directory and file?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totals {
    /// Yes.
    Always,
    /// When there are so many that nobody reads them all.
    WhenMany,
    /// No.
    Never,
}

/// The most open violations that are read one by one.
const MANY: usize = 50;

/// How to show the violations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How much of each.
    pub detail: Detail,
    /// Where their paths start.
    pub here: Here,
    /// What to say at the end.
    pub hint: Hint,
    /// What to count before that.
    pub totals: Totals,
}

/// Writes the violations and the summary.
pub fn write(out: &mut dyn Write, report: &Report, options: &Options) -> io::Result<()> {
    for violation in report.open() {
        write_violation(out, &violation, options)?;
    }
    let summary = report.summary();
    let open = summary.open();
    let is_clean = open == 0;
    if !is_clean {
        writeln!(out)?;
    }
    let is_counted = match options.totals {
        Totals::Always => true,
        Totals::WhenMany => open > MANY,
        Totals::Never => false,
    };
    if is_counted {
        counts::write(out, &ViolationCounts::of(report), &options.here, palette(options.detail))?;
    }
    writeln!(out, "{summary}")?;
    match options {
        Options { detail: Detail::Source(_), hint: Hint::Explain, .. } if !is_clean => {
            writeln!(out, "'phaser explain ID' says why a contract is there, and how to make an exception")
        }
        _ => Ok(()),
    }
}

fn write_violation(out: &mut dyn Write, violation: &Violation, options: &Options) -> io::Result<()> {
    let contract = &violation.contract;
    let palette = palette(options.detail);
    let path = options.here.path(&violation.path);
    let path = path.to_text();
    let path = inert(&path);
    let line =
        violation.found.as_ref().map(|found| format!(":{}", found.region.start.line)).unwrap_or_default();
    let (severity, id) = (contract.severity, &contract.id);
    let (bold, colour) = (palette.bold(), palette.severity(severity));
    writeln!(out, "{bold}{path}{line}:{bold:#} {colour}{severity}:{colour:#} {bold}{id}{bold:#}")?;
    let hint = if violation.fix.is_some() { " (fix with phaser fix)" } else { "" };
    let mut lines = contract.message.lines().peekable();
    while let Some(line) = lines.next() {
        let hint = if lines.peek().is_none() { hint } else { "" };
        writeln!(out, "  {}{hint}", inert(line))?;
    }
    match violation.note {
        None => {}
        Some(Note::BareIgnore) => {
            writeln!(
                out,
                "  note: 'phaser:ignore' without an id ignores nothing; write 'phaser:ignore {id}'"
            )?;
        }
        Some(Note::NotIgnorable) => {
            writeln!(out, "  note: 'phaser:ignore' does not count for this contract")?
        }
    }
    if let (Detail::Source(colour), Some(found)) = (options.detail, &violation.found) {
        write_source(out, found, contract.severity, colour)?;
    }
    Ok(())
}

fn palette(detail: Detail) -> Palette {
    match detail {
        Detail::Plain => Palette::PLAIN,
        Detail::Source(colour) => Palette::new(colour),
    }
}

/// The line a match starts on, with a caret under as much of the match as the line holds.
fn write_source(out: &mut dyn Write, found: &Match, severity: Severity, colour: Colour) -> io::Result<()> {
    let line = inert_source(&found.line);
    if found.region.start.column > line.chars().count() + 1 {
        return Ok(()); // The line is so long that the match is not in the part of it that is kept.
    }
    let offset = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let start = offset(found.region.start.column);
    let same_line = found.region.end.line == found.region.start.line;
    let end = if same_line { offset(found.region.end.column) } else { line.len() };
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let snippet = Snippet::source(line.as_str())
        .line_start(found.region.start.line)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let renderer = match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    };
    writeln!(out, "{}", renderer.render(&[Group::with_level(level).element(snippet)]))
}
