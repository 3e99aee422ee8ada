//! Text: one block per violation and a summary. The format `full`, which text is on a terminal, adds columns, source lines and
//! the number of fixable violations.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::counts::{self, ViolationCounts};
use super::here::Here;
use super::palette::{Colour, Palette};
use phaser_core::contract::Severity;
use phaser_core::sanitize::{inert, inert_source};
use phaser_core::text::Region;
use phaser_core::violation::{Match, Note, Violation};
use phaser_project::report::Report;

/// What is shown of each violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The format `text`: line, contract and message.
    Plain,
    /// The format `full`: also the column, and the source line with a caret.
    Source(Colour),
}

/// When to add the counts by contract, directory and file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totals {
    Always,
    /// Above [`MANY`] open violations.
    WhenMany,
    Never,
}

/// Open violations above which counts are added.
const MANY: usize = 50;

/// Points to the command that explains a contract.
pub const EXPLAIN_HINT: &str = "run 'phaser explain ID' for the reason and the exceptions that work";

/// Options of the text format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextOptions {
    pub detail: Detail,
    pub here: Here,
    /// Whether to name `phaser explain` after the summary, with [`Detail::Source`].
    pub hint: bool,
    pub totals: Totals,
}

/// Writes the violations and the summary.
pub fn write(out: &mut dyn Write, report: &Report, options: &TextOptions) -> io::Result<()> {
    let is_full = matches!(options.detail, Detail::Source(_));
    for (at, violation) in report.open().enumerate() {
        if is_full && at > 0 {
            writeln!(out)?;
        }
        write_violation(out, violation, options)?;
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
    if !is_full || is_clean {
        return Ok(());
    }
    if let fixable @ 1.. = report.open().filter(|violation| violation.fix.is_some()).count() {
        writeln!(out, "{fixable} of {open} can be fixed: phaser fix")?;
    }
    if options.hint { writeln!(out, "{EXPLAIN_HINT}") } else { Ok(()) }
}

fn write_violation(out: &mut dyn Write, violation: &Violation, options: &TextOptions) -> io::Result<()> {
    let contract = &violation.contract;
    let palette = palette(options.detail);
    let path = options.here.path(&violation.path);
    let path = path.to_text();
    let path = inert(&path);
    let is_full = matches!(options.detail, Detail::Source(_));
    let place = match &violation.found {
        Some(found) if is_full => format!(":{}:{}", found.line_place(), found.source_region().start.column),
        Some(found) => format!(":{}", found.line_place()),
        None => String::new(),
    };
    let (severity, id) = (contract.severity, &contract.id);
    let (bold, colour) = (palette.bold(), palette.severity(severity));
    writeln!(out, "{bold}{path}{place}:{bold:#} {colour}{severity}:{colour:#} {bold}{id}{bold:#}")?;
    let hint = match (&violation.fix, is_full) {
        (None, _) => "",
        (Some(_), true) => " (fixable)",
        (Some(_), false) => " (fix with phaser fix)",
    };
    let message = match &violation.detail {
        // The source line is shown below.
        Some(change) if is_full && violation.is_removed() => {
            format!("{} ({})", contract.message, change.describe().unwrap_or_default()).into()
        }
        _ => violation.message(),
    };
    let mut lines = message.lines().peekable();
    while let Some(line) = lines.next() {
        let hint = if lines.peek().is_none() { hint } else { "" };
        writeln!(out, "  {}{hint}", inert(line))?;
    }
    match violation.note {
        None => {}
        Some(Note::BareIgnore) => {
            writeln!(
                out,
                "  note: 'phaser:ignore' without an id ignores nothing (write 'phaser:ignore {id}')"
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

/// Writes the first line of a match, with carets under the match.
fn write_source(out: &mut dyn Write, found: &Match, severity: Severity, colour: Colour) -> io::Result<()> {
    let line = inert_source(&found.line);
    let Region { start: first, end: last } = found.source_region();
    if first.column > line.chars().count() + 1 {
        return Ok(()); // The match is beyond the kept part of a long line.
    }
    let offset = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let start = offset(first.column);
    let end = if last.line == first.line { offset(last.column) } else { line.len() };
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let snippet = Snippet::source(line.as_str())
        .line_start(first.line)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let renderer = match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    };
    writeln!(out, "{}", renderer.render(&[Group::with_level(level).element(snippet)]))
}
