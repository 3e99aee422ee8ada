//! The HTML report: one self-contained file with search and filters.
//!
//! `page.html` is the template. Its data is one JSON document in a `<script>` element; every `<` in it is written as
//! `\u003c`, so that no text can close the element. JavaScript in the page renders it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::trend::{Trend, TrendError, TrendPoint};
use crate::decisions::summary::Summary;
use phaser_core::text::Region;
use phaser_core::violation::{Match, State, Violation};
use phaser_project::report::Report;

mod read;

const PAGE: &str = include_str!("html/page.html");
const DATA: &str = "{{DATA}}";

/// The states of violations; rows refer to them by index.
const STATES: [&str; 4] = ["open", "ignored", "existing", "baselined"];

/// When a report was made and on which commit. The caller reads clock and repository, so that equal reports give equal
/// pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// In seconds since 1970.
    pub time: Option<i64>,
    /// The abbreviated id; empty if unknown.
    pub commit: String,
    /// The branch of the commit; empty if unknown.
    pub branch: String,
}

impl Provenance {
    /// What is true of two reports together: the earlier time, and the commit if it is the same.
    fn common(self, other: Self) -> Self {
        let time = self.time.zip(other.time).map(|(one, two)| one.min(two));
        let is_same = (&self.commit, &self.branch) == (&other.commit, &other.branch);
        if is_same { Self { time, ..self } } else { Self { time, ..Self::default() } }
    }
}

/// A page under construction.
#[derive(Debug, Default)]
pub struct Page {
    shown: PageData,
    known_contracts: HashMap<ContractRow, usize>,
    known_paths: HashMap<String, usize>,
}

#[derive(Debug, Default, Serialize)]
struct PageData {
    title: String,
    about: String,
    provenance: Provenance,
    /// The number of reports; zero for a page with only a history.
    reports: usize,
    summary: StateCounts,
    checked: usize,
    gaps: Vec<(String, String)>,
    states: [&'static str; 4],
    contracts: Vec<ContractRow>,
    paths: Vec<String>,
    rows: Vec<ViolationRow>,
    history: Option<Vec<TrendPoint>>,
    decisions: Option<Summary>,
}

#[derive(Debug, Default, Serialize)]
struct StateCounts {
    errors: usize,
    warnings: usize,
    ignored: usize,
    existing: usize,
    baselined: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
struct ContractRow {
    id: String,
    severity: &'static str,
    message: String,
}

/// Contract, path, line, column, state, text, number of marked characters from the column on, whether `phaser fix` fixes
/// it (0 or 1), note. The first two and the state are indices, to keep large pages small. The text is shared with the
/// violation, because a page holds all its rows in memory.
#[derive(Debug, Serialize)]
struct ViolationRow(
    usize,
    usize,
    usize,
    usize,
    usize,
    Option<Arc<str>>,
    usize,
    u8,
    #[serde(skip_serializing_if = "String::is_empty")] String,
);

/// Why a file cannot be added to a page.
#[derive(Debug, Error)]
pub enum ReportReadError {
    #[error("not JSON: {0} (use a report of 'phaser enforce' in json, sarif or html format)")]
    NotJson(#[from] serde_json::Error),
    #[error("neither a JSON report of phaser nor a SARIF log (use 'phaser enforce --format json')")]
    Unknown,
    #[error(transparent)]
    NotAHistory(#[from] TrendError),
}

/// A violation of a run, or read from a report.
struct ReportedViolation<'a> {
    id: &'a str,
    severity: &'a str,
    message: &'a str,
    path: &'a str,
    place: Option<(usize, usize)>,
    state: &'a str,
    text: Option<Arc<str>>,
    /// The number of characters of `text` that match, from the column on.
    marked: usize,
    note: Option<Cow<'a, str>>,
    has_fix: bool,
}

impl<'a> ReportedViolation<'a> {
    fn of(violation: &'a Violation, path: &'a str) -> Self {
        let contract = &violation.contract;
        let found = violation.found.as_deref();
        Self {
            id: &contract.id,
            severity: contract.severity.as_str(),
            message: &contract.message,
            path,
            place: found.map(|found| (found.region.start.line, found.region.start.column)),
            state: violation.state.as_str(),
            text: found.map(|found| Arc::clone(&found.line)),
            marked: found.map(marked).unwrap_or_default(),
            note: note_of(violation),
            has_fix: violation.fix.is_some(),
        }
    }
}

/// What a change did, or a note on a directive.
fn note_of(violation: &Violation) -> Option<Cow<'_, str>> {
    let change = violation.detail.as_ref().and_then(|detail| detail.describe()).map(Cow::Owned);
    change.or(violation.note.map(|note| note.as_str().into()))
}

/// The number of characters of a match on its first line.
fn marked(found: &Match) -> usize {
    // Columns count each byte of invalid UTF-8, so they do not index the characters of the decoded line.
    // Those of a match in a cell are of the file.
    if found.line.contains(char::REPLACEMENT_CHARACTER) || found.cell.is_some() {
        return 0;
    }
    let Region { start, end } = found.region;
    let on_line = (found.line.chars().count() + 1).saturating_sub(start.column);
    if start.line == end.line { on_line.min(end.column - start.column) } else { on_line }
}

/// Writes the report as a page.
pub fn write(out: &mut dyn Write, report: &Report, provenance: Provenance) -> io::Result<()> {
    Page::of(report, provenance).write(out)
}

impl Page {
    /// An empty page. `about` is shown below the title.
    pub fn new(about: impl Into<String>) -> Self {
        let shown = PageData { about: about.into(), states: STATES, ..PageData::default() };
        Self { shown, ..Self::default() }
    }

    /// Sets the title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.shown.title = title.into();
        self
    }

    /// The page of one report.
    pub fn of(report: &Report, provenance: Provenance) -> Self {
        let count = report.contracts.len();
        let mut page = Self::new(format!("{count} contract{}", if count == 1 { "" } else { "s" }));
        page.shown.reports = 1;
        page.shown.provenance = provenance;
        page.shown.checked = report.checked.len();
        let gaps = report.gaps().map(|gap| (gap.path.to_text().into_owned(), gap.why.to_string()));
        let broken = report.warnings.iter().map(|warning| (String::new(), warning.to_string()));
        page.shown.gaps = gaps.chain(broken).collect();
        for violation in &report.violations {
            page.add(&ReportedViolation::of(violation, &violation.path.to_text()));
        }
        page
    }

    /// A page without a report.
    pub fn alone(about: impl Into<String>, provenance: Provenance) -> Self {
        let mut page = Self::new(about);
        page.shown.provenance = provenance;
        page
    }

    /// Adds the decisions of hooks.
    pub fn add_decisions(&mut self, decisions: Summary) {
        self.shown.decisions = Some(decisions);
    }

    /// Adds the commits of a history.
    pub fn add_trend(&mut self, trend: Trend) {
        self.shown.history = Some(trend.commits);
    }

    /// The index of a path.
    fn path(&mut self, path: &str) -> usize {
        if let Some(known) = self.known_paths.get(path) {
            return *known;
        }
        self.shown.paths.push(path.to_owned());
        self.known_paths.insert(path.to_owned(), self.known_paths.len());
        self.shown.paths.len() - 1
    }

    /// The index of a violation's contract.
    fn contract(&mut self, violation: &ReportedViolation<'_>) -> usize {
        let severity = if violation.severity == "warning" { "warning" } else { "error" };
        let (id, message) = (violation.id.to_owned(), violation.message.to_owned());
        *self.known_contracts.entry(ContractRow { id, severity, message }).or_insert_with_key(|contract| {
            self.shown.contracts.push(contract.clone());
            self.shown.contracts.len() - 1
        })
    }

    /// Adds and counts a violation.
    fn add(&mut self, violation: &ReportedViolation<'_>) {
        let (contract, path) = (self.contract(violation), self.path(violation.path));
        let state = STATES.iter().position(|state| *state == violation.state).unwrap_or_default();
        let counter = match (state, violation.severity) {
            (0, "warning") => &mut self.shown.summary.warnings,
            (0, _) => &mut self.shown.summary.errors,
            (1, _) => &mut self.shown.summary.ignored,
            (2, _) => &mut self.shown.summary.existing,
            (_, _) => &mut self.shown.summary.baselined,
        };
        *counter += 1;
        let (line, column) = violation.place.unwrap_or_default();
        let text = violation.text.clone();
        let is_fixed = violation.has_fix && violation.state != State::Baselined.as_str();
        let (fix, note) = (u8::from(is_fixed), violation.note.as_deref().unwrap_or_default().to_owned());
        let row = ViolationRow(contract, path, line, column, state, text, violation.marked, fix, note);
        self.shown.rows.push(row);
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (before, after) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
        out.write_all(before.as_bytes())?;
        serde_json::to_writer(InScript(out), &self.shown)?;
        out.write_all(after.as_bytes())
    }
}

/// Escapes `<`, which JSON has only in strings, so that the data cannot close its element.
struct InScript<'a>(&'a mut dyn Write);

impl Write for InScript<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (at, piece) in bytes.split(|&byte| byte == b'<').enumerate() {
            if at > 0 {
                self.0.write_all(b"\\u003c")?;
            }
            self.0.write_all(piece)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use phaser_core::contract::{Check, Contract};
    use phaser_core::testing::contract;
    use phaser_core::text::Text;
    use phaser_project::path::RelPath;

    /// The document in a page.
    pub(super) fn data(page: &Page) -> Value {
        let mut bytes = Vec::new();
        page.write(&mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("is text");
        let (_, rest) = text.split_once(r#"id="data">"#).expect("has data");
        let (json, rest) = rest.split_once("</script>").expect("ends");
        assert_eq!(rest.matches("</script>").count(), 1, "nothing in the data ends its element");
        serde_json::from_str(json).expect("is JSON")
    }

    #[test]
    fn page_deduplicates_contracts_and_paths() {
        let mut one = contract(0, Check::NotExists);
        one.message = "</script><script>alert(1)</script><!--".to_owned();
        let one: Arc<Contract> = Arc::new(one);
        let mut violations: Vec<Violation> =
            ["a.py", "b/<i>.py"].map(|path| Violation::of_file(&one, &RelPath::from(path))).into();
        violations.push(Violation { state: State::Baselined, ..violations[0].clone() });
        let report = Report { violations, ..Report::default() };
        let data = data(&Page::of(&report, Provenance::default()));
        assert_eq!(data["contracts"].as_array().map(Vec::len), Some(1));
        assert_eq!(data["contracts"][0]["message"], one.message);
        assert_eq!(data["paths"], serde_json::json!(["a.py", "b/<i>.py"]));
        assert_eq!(
            data["rows"],
            serde_json::json!([
                [0, 0, 0, 0, 0, null, 0, 0],
                [0, 1, 0, 0, 0, null, 0, 0],
                [0, 0, 0, 0, 3, null, 0, 0]
            ])
        );
        assert_eq!(data["summary"]["baselined"], 1);
    }

    #[test]
    fn page_shows_notes_and_fixes() {
        let mut page = Page::new("");
        let one = ReportedViolation {
            id: "x",
            severity: "error",
            message: "",
            path: "a",
            place: Some((1, 2)),
            state: "open",
            text: None,
            marked: 0,
            note: Some("n".into()),
            has_fix: true,
        };
        page.add(&one);
        page.add(&ReportedViolation { note: None, state: "baselined", ..one });
        let data = data(&page.titled("owner/name"));
        assert_eq!(data["rows"][0], serde_json::json!([0, 0, 1, 2, 0, null, 0, 1, "n"]));
        assert_eq!(data["rows"][1], serde_json::json!([0, 0, 1, 2, 3, null, 0, 0]), "phaser fix skips it");
        assert_eq!(data["title"], "owner/name");
    }

    #[test]
    fn marks_match_on_first_line() {
        let marked = |bytes: &[u8], range: std::ops::Range<usize>, kept: usize| {
            let text = Text::new(bytes).expect("is text");
            let region = text.region(range.clone());
            let line = String::from_utf8_lossy(text.line(region.start.line)).chars().take(kept).collect();
            let line = Arc::from(String::as_str(&line));
            marked(&Match { start: range.start, range, region, text: String::new(), line, cell: None })
        };
        assert_eq!(marked("é = x\n".as_bytes(), 0..2, 9), 1);
        assert_eq!(marked(b"a = x\nb", 4..7, 9), 1, "not the next line");
        assert_eq!(marked(b"a = xyz", 4..7, 5), 1, "not beyond the kept part");
        assert_eq!(marked(b"a = xyz", 4..7, 2), 0, "outside of the kept part");
        assert_eq!(marked(b"\xE2\x84 x", 3..4, 9), 0, "columns are not those of the line");
    }

    #[test]
    fn page_loads_nothing() {
        for outside in ["http:", "https:", "//cdn", "@import", "url(", "src=", "fetch(", "innerHTML", "eval("]
        {
            let mentions = PAGE.match_indices(outside).map(|(at, _)| &PAGE[at..(at + 60).min(PAGE.len())]);
            let others: Vec<_> =
                mentions.filter(|text| !text.starts_with("http://www.w3.org/2000/svg")).collect();
            assert_eq!(others, Vec::<&str>::new());
        }
    }
}
