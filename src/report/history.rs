//! `phaser history` as text with bars, as JSON, and as an HTML page with a chart.

use std::io::{self, Write};

use serde_json::json;

use super::html::{Page, Provenance};
use super::palette::Palette;
use super::trend::{Trend, TrendPoint};
use phaser_core::contract::Severity;
use phaser_core::sanitize::{inert, inert_json};
use phaser_project::history::{CommitSample, ViolationHistory};
use phaser_project::report::Report;

const VERSION: u32 = 1;

/// Length of the longest bar, in characters.
const WIDTH: usize = 40;

/// Contracts listed in text; the others are counted.
const MAX_CONTRACTS: usize = 20;

/// Commits listed as adding or removing most.
const MAX_COMMITS: usize = 5;

/// Writes one JSON document, the input of `phaser report trend` and `report html --history`.
pub fn write_json(out: &mut dyn Write, history: &ViolationHistory) -> io::Result<()> {
    let json = json!({ "version": VERSION, "commits": trend(history).commits });
    writeln!(out, "{}", inert_json(&format!("{json:#}")))
}

/// Writes the HTML page of today's report with the history.
pub fn write_html(
    out: &mut dyn Write,
    history: &ViolationHistory,
    today: &Report,
    provenance: Provenance,
) -> io::Result<()> {
    let mut page = Page::of(today, provenance);
    page.add_trend(trend(history));
    page.write(out)
}

fn trend(history: &ViolationHistory) -> Trend {
    let point = |sample: &CommitSample| TrendPoint {
        id: sample.commit.id.clone(),
        time: sample.commit.time,
        errors: sample.errors,
        warnings: sample.warnings,
        contracts: sample.contracts.clone(),
    };
    Trend { commits: history.samples.iter().map(point).collect() }
}

/// Writes tables: the commits, the contracts, and the commits that changed most.
pub fn write_text(out: &mut dyn Write, history: &ViolationHistory, palette: Palette) -> io::Result<()> {
    let [Some(first), Some(last)] = [history.samples.first(), history.samples.last()] else {
        return writeln!(out, "no commits");
    };
    write_samples(out, &history.samples, palette)?;
    let count = |sample: &CommitSample, id: &str| sample.contracts.get(id).copied().unwrap_or(0);
    let rows = history.severities.iter();
    let rows = rows.map(|(id, &severity)| ContractChange {
        id,
        severity,
        first: count(first, id),
        now: count(last, id),
    });
    write_contracts(out, rows.collect(), palette)?;
    write_changes(out, &history.samples, palette)
}

fn write_samples(out: &mut dyn Write, samples: &[CommitSample], palette: Palette) -> io::Result<()> {
    let (bold, dim) = (palette.bold(), palette.dim());
    let (bad, doubtful) = (palette.severity(Severity::Error), palette.severity(Severity::Warning));
    let most = samples.iter().map(CommitSample::total).max().unwrap_or(0).max(1);
    writeln!(out, "{bold}{:<10}  {:<10}  {:>8}  {:>8}{bold:#}", "date", "commit", "errors", "warnings")?;
    for CommitSample { commit, errors, warnings, .. } in samples {
        // A count above zero has at least one character.
        let bar = |count: usize| (count * WIDTH / most).max(usize::from(count > 0));
        let [of_errors, of_warnings] =
            [("#", errors), ("=", warnings)].map(|(c, count)| c.repeat(bar(*count)));
        write!(
            out,
            "{:<10}  {dim}{:<10}{dim:#}  {errors:>8}  {warnings:>8}",
            commit.date,
            commit.short_id()
        )?;
        match (of_errors.is_empty(), of_warnings.is_empty()) {
            (true, true) => writeln!(out)?,
            _ => writeln!(out, "  {bad}{of_errors}{bad:#}{doubtful}{of_warnings}{doubtful:#}")?,
        }
    }
    Ok(())
}

fn write_contracts(
    out: &mut dyn Write,
    mut rows: Vec<ContractChange<'_>>,
    palette: Palette,
) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "\nno violations in any of these commits");
    }
    rows.sort_by_key(|row| (std::cmp::Reverse(row.first.abs_diff(row.now)), std::cmp::Reverse(row.now)));
    let (bold, dim) = (palette.bold(), palette.dim());
    writeln!(out, "\n{bold}{:>8}  {:>8}  {:>8}  severity  contract{bold:#}", "first", "now", "change")?;
    for ContractChange { id, severity, first, now } in rows.iter().take(MAX_CONTRACTS) {
        let (change, style) = (difference(*first, *now), palette.severity(*severity));
        let (id, severity) = (inert(id), severity.as_str());
        writeln!(out, "{first:>8}  {now:>8}  {change:>8}  {style}{severity:<8}{style:#}  {id}")?;
    }
    match rows.len().saturating_sub(MAX_CONTRACTS) {
        0 => Ok(()),
        more => writeln!(out, "{dim}{:>30}and {more} more{dim:#}", ""),
    }
}

/// The number of violations of a contract in the first and the last commit.
struct ContractChange<'a> {
    id: &'a str,
    severity: Severity,
    first: usize,
    now: usize,
}

/// The signed difference.
fn difference(first: usize, now: usize) -> String {
    match now.cmp(&first) {
        std::cmp::Ordering::Less => format!("-{}", first - now),
        std::cmp::Ordering::Equal => "0".to_owned(),
        std::cmp::Ordering::Greater => format!("+{}", now - first),
    }
}

fn write_changes(out: &mut dyn Write, samples: &[CommitSample], palette: Palette) -> io::Result<()> {
    let steps: Vec<&[CommitSample]> = samples.windows(2).collect();
    let more = |step: &&[CommitSample]| step[1].total().saturating_sub(step[0].total());
    let less = |step: &&[CommitSample]| step[0].total().saturating_sub(step[1].total());
    let bold = palette.bold();
    for (title, by) in [("added most", &more as &dyn Fn(&&[CommitSample]) -> usize), ("removed most", &less)]
    {
        let mut steps: Vec<&&[CommitSample]> = steps.iter().filter(|step| by(step) > 0).collect();
        steps.sort_by_key(|step| std::cmp::Reverse(by(step)));
        if steps.is_empty() {
            continue;
        }
        writeln!(out, "\n{bold}{title}{bold:#}")?;
        for step in steps.into_iter().take(MAX_COMMITS) {
            write_step(out, step, palette)?;
        }
    }
    Ok(())
}

/// Writes a commit and the change in violations since the sample before it.
fn write_step(out: &mut dyn Write, step: &[CommitSample], palette: Palette) -> io::Result<()> {
    let [before, after] = step else { return Ok(()) };
    let dim = palette.dim();
    let commit = &after.commit;
    let change = difference(before.total(), after.total());
    write!(out, "{change:>8}  {}  {dim}{}{dim:#}  ", commit.date, commit.short_id())?;
    match commit.stands_for {
        1 => writeln!(out, "{}", inert(&commit.subject)),
        count => {
            let from = before.commit.short_id();
            writeln!(out, "{dim}{count} commits, {from}..{}{dim:#}", commit.short_id())
        }
    }
}
