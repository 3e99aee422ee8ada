//! `phaser report trend`: a written history as a Markdown table.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::github::cell;

/// Bars per row; more commits are sampled evenly.
const MAX_BARS: usize = 30;
/// Contracts with a row of their own: those with the largest change.
const MAX_CONTRACTS: usize = 5;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The output of `phaser history --format json`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Trend {
    /// Oldest first.
    pub commits: Vec<TrendPoint>,
}

/// The numbers of open violations in a commit.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct TrendPoint {
    pub id: String,
    /// Commit time, in seconds since 1970.
    pub time: i64,
    pub errors: usize,
    pub warnings: usize,
    /// Errors and warnings by contract id.
    #[serde(default)]
    pub contracts: BTreeMap<String, usize>,
}

/// The file is no history.
#[derive(Debug, Error)]
#[error("not a history (use the output of 'phaser history --format json')")]
pub struct TrendError;

impl Trend {
    /// Parses the output of `phaser history --format json`.
    pub fn read(bytes: &[u8]) -> Result<Self, TrendError> {
        serde_json::from_slice(bytes).map_err(|_| TrendError)
    }

    /// Writes a table of the first count, the last count, the change, and a bar per commit.
    pub fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "### phaser: violations over time\n")?;
        let (first, last) = match self.commits.as_slice() {
            [] => return writeln!(out, "The history has no commits.\n"),
            [only] => {
                let (day, TrendPoint { errors, warnings, .. }) = (day(only.time), only);
                return writeln!(
                    out,
                    "The history has one commit, of {day}: errors {errors}, warnings {warnings}.\n"
                );
            }
            [first, .., last] => (first, last),
        };
        writeln!(
            out,
            "| | {} | {} | change | {} commits |",
            day(first.time),
            day(last.time),
            self.commits.len()
        )?;
        writeln!(out, "|---|---:|---:|---:|---|")?;
        self.write_row(out, "errors", |commit| commit.errors)?;
        self.write_row(out, "warnings", |commit| commit.warnings)?;
        for id in self.changed_most() {
            self.write_row(out, &cell(id), |commit| commit.contracts.get(id).copied().unwrap_or_default())?;
        }
        writeln!(out)
    }

    fn write_row(
        &self,
        out: &mut dyn Write,
        name: &str,
        count: impl Fn(&TrendPoint) -> usize,
    ) -> io::Result<()> {
        let counts: Vec<usize> = self.commits.iter().map(count).collect();
        let (first, last) =
            (counts.first().copied().unwrap_or_default(), counts.last().copied().unwrap_or_default());
        let sign = match last.cmp(&first) {
            std::cmp::Ordering::Less => "−",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => "+",
        };
        let change = last.abs_diff(first);
        writeln!(out, "| {name} | {first} | {last} | {sign}{change} | `{}` |", bars(&counts))
    }

    /// The contracts whose count differs most between the first commit and the last.
    fn changed_most(&self) -> Vec<&str> {
        let (Some(first), Some(last)) = (self.commits.first(), self.commits.last()) else {
            return Vec::new();
        };
        let count = |commit: &TrendPoint, id: &str| commit.contracts.get(id).copied().unwrap_or_default();
        let mut changes: Vec<(usize, &str)> = first
            .contracts
            .keys()
            .chain(last.contracts.keys().filter(|id| !first.contracts.contains_key(*id)))
            .map(|id| (count(first, id).abs_diff(count(last, id)), id.as_str()))
            .filter(|(change, _)| *change > 0)
            .collect();
        changes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        changes.into_iter().take(MAX_CONTRACTS).map(|(_, id)| id).collect()
    }
}

/// One bar per count, including the first and the last. The lowest bar means zero.
fn bars(counts: &[usize]) -> String {
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    let shown = counts.len().min(MAX_BARS);
    let at = |bar: usize| if shown > 1 { bar * (counts.len() - 1) / (shown - 1) } else { 0 };
    let height = |count: usize| (count * (BARS.len() - 1)).div_ceil(most);
    (0..shown).map(|bar| BARS[height(counts[at(bar)])]).collect()
}

/// The UTC date of a time, as YYYY-MM-DD.
fn day(time: i64) -> String {
    gix::date::Time::new(time, 0).format_or_unix(gix::date::time::format::SHORT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn markdown(commits: serde_json::Value) -> String {
        let json = json!({ "version": 1, "commits": commits });
        let mut out = Vec::new();
        let trend = Trend::read(json.to_string().as_bytes()).expect("a history");
        trend.write_markdown(&mut out).expect("written");
        String::from_utf8(out).expect("is text")
    }

    #[test]
    fn trend_is_table_with_bars() {
        let commit = |time: i64, errors: usize, warnings: usize| {
            json!({ "id": "c", "time": time, "errors": errors, "warnings": warnings,
                "contracts": { "no-x": errors, "a|b": warnings, "same": 3 } })
        };
        let shown = markdown(json!([
            commit(1_756_080_000, 12, 0),
            commit(1_760_000_000, 6, 1),
            commit(1_763_337_600, 0, 2)
        ]));
        insta::assert_snapshot!(shown, @r#"
        ### phaser: violations over time

        | | 2025-08-25 | 2025-11-17 | change | 3 commits |
        |---|---:|---:|---:|---|
        | errors | 12 | 0 | −12 | `█▅▁` |
        | warnings | 0 | 2 | +2 | `▁▅█` |
        | no&#45;x | 12 | 0 | −12 | `█▅▁` |
        | a&#124;b | 0 | 2 | +2 | `▁▅█` |
        "#);
    }

    #[test]
    fn short_history_is_one_line() {
        insta::assert_snapshot!(markdown(json!([])), @r#"
        ### phaser: violations over time

        The history has no commits.
        "#);
        insta::assert_snapshot!(markdown(json!([{ "id": "c", "time": 0, "errors": 1, "warnings": 2 }])), @r#"
        ### phaser: violations over time

        The history has one commit, of 1970-01-01: errors 1, warnings 2.
        "#);
    }

    #[test]
    fn bars_include_both_ends() {
        let counts: Vec<usize> = (0..1_000).rev().collect();
        let drawn = bars(&counts);
        assert_eq!(drawn.chars().count(), MAX_BARS);
        assert!(drawn.starts_with('█') && drawn.ends_with('▁') && drawn.contains('▂'), "{drawn}");
        assert_eq!(bars(&[0]), "▁");
        assert_eq!(bars(&[]), "");
        assert_eq!(bars(&[0, 1, 1_000]), "▁▂█", "one is not nothing");
    }

    #[test]
    fn day_follows_calendar() {
        for (time, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400, "2000-02-29"),
            (951_868_799, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_763_337_600, "2025-11-17"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(time), expected);
        }
    }

    #[test]
    fn rejects_other_files() {
        for bytes in ["", "{}", "[]", r#"{"commits":[{"id":"c"}]}"#] {
            assert!(Trend::read(bytes.as_bytes()).is_err(), "{bytes}");
        }
    }
}
