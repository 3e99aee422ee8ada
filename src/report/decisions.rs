//! `phaser decisions` as text, as JSON, and as a page of the HTML report.

use std::io::{self, Write};

use thiserror::Error;

use super::html::{Page, Provenance};
use super::palette::Palette;
use crate::decisions::summary::Summary;
use phaser_core::sanitize::{inert, inert_json};

/// Days listed in text; earlier ones are in the other formats.
const MAX_DAYS: usize = 14;

/// The file is no summary of decisions.
#[derive(Debug, Error)]
#[error("not a summary of decisions (use the output of 'phaser decisions --format json')")]
pub struct DecisionsError;

/// Parses the output of `phaser decisions --format json`.
pub fn read(bytes: &[u8]) -> Result<Summary, DecisionsError> {
    serde_json::from_slice(bytes).map_err(|_| DecisionsError)
}

pub fn write_json(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let json = serde_json::to_string_pretty(summary)?;
    writeln!(out, "{}", inert_json(&json))
}

pub fn write_html(out: &mut dyn Write, summary: &Summary, provenance: Provenance) -> io::Result<()> {
    let mut page = Page::alone("decisions of hooks", provenance);
    page.add_decisions(summary.clone());
    page.write(out)
}

/// Writes tables: contracts, agents, days, and the contracts that never fired.
pub fn write_text(out: &mut dyn Write, summary: &Summary, palette: Palette) -> io::Result<()> {
    let (bold, dim) = (palette.bold(), palette.dim());
    let Summary { contracts, agents, days, never, .. } = summary;
    if agents.is_empty() {
        writeln!(out, "no decisions")?;
    }
    if !contracts.is_empty() {
        let width =
            contracts.iter().map(|one| one.id.chars().count()).max().unwrap_or(0).max("contract".len());
        writeln!(
            out,
            "{bold}{:<width$}  {:>6}  {:>6}  {:>6}  {:>8}  last{bold:#}",
            "contract", "denied", "fixed", "obeyed", "repeated"
        )?;
        for one in contracts {
            let last = one.last.get(..16).unwrap_or(&one.last).replace('T', " ");
            writeln!(
                out,
                "{:<width$}  {:>6}  {:>6}  {:>6}  {:>8}  {dim}{}{dim:#}",
                inert(&one.id),
                one.denied,
                one.fixed,
                one.obeyed,
                one.repeated,
                inert(&last)
            )?;
        }
    }
    let write_counts = |out: &mut dyn Write, head: &str, rows: &[(&str, usize, usize)]| {
        let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(head.len());
        writeln!(out, "\n{bold}{head:<width$}  {:>6}  {:>6}{bold:#}", "events", "denied")?;
        rows.iter().try_for_each(|(name, events, denied)| {
            writeln!(out, "{:<width$}  {events:>6}  {denied:>6}", inert(name))
        })
    };
    if !agents.is_empty() {
        let rows: Vec<_> = agents.iter().map(|one| (one.agent.as_str(), one.events, one.denied)).collect();
        write_counts(out, "agent", &rows)?;
        let recent = &days[days.len().saturating_sub(MAX_DAYS)..];
        let rows: Vec<_> = recent.iter().map(|one| (one.day.as_str(), one.events, one.denied)).collect();
        write_counts(out, "day", &rows)?;
    }
    if !never.is_empty() {
        writeln!(out, "\n{bold}never fired{bold:#}")?;
        for id in never {
            writeln!(out, "{}", inert(id))?;
        }
    }
    Ok(())
}
