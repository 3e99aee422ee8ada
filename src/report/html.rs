//! One page for people: a single file that loads nothing, with every violation to search and to filter.
//!
//! The page itself is `page.html`; what it shows is one JSON document in it, in which nothing can end the element that it
//! stands in. Everything else happens where the page is opened.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use thiserror::Error;

use super::trend::TrendError;
use phaser_core::contract::Contract;
use phaser_core::skipped::Gap;
use phaser_core::violation::{Note, Violation};
use phaser_project::report::{Report, Summary};

mod read;

const PAGE: &str = include_str!("html/page.html");
const DATA: &str = "{{DATA}}";

/// The states that a violation can be in, as the page names them.
const STATES: [&str; 4] = ["open", "ignored", "existing", "baselined"];

/// What a page shows.
#[derive(Debug, Default)]
pub struct Page<'a> {
    shown: WirePage<'a>,
    known_contracts: HashMap<ContractRow, usize>,
    known_paths: HashMap<String, usize>,
}

#[derive(Debug, Default, Serialize)]
struct WirePage<'a> {
    title: String,
    about: String,
    /// How many there are: a page may show nothing but how it was over time.
    reports: usize,
    summary: Counts,
    checked: usize,
    gaps: Vec<(String, String)>,
    states: [&'static str; 4],
    contracts: Vec<ContractRow>,
    paths: Vec<String>,
    rows: Rows<'a>,
    history: Option<Vec<WireSample>>,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
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

/// A violation: contract, path, line, column, state, text, note. Numbers and not names, because there may be many.
#[derive(Debug, Serialize)]
struct Row<'a>(
    usize,
    usize,
    usize,
    usize,
    usize,
    Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "String::is_empty")] String,
);

/// The rows of a page: what a run found, and what reports tell.
#[derive(Debug, Default)]
struct Rows<'a> {
    of_run: Option<OfRun<'a>>,
    told: Vec<Row<'static>>,
}

/// The violations of a run, which become rows one after another.
#[derive(Debug)]
struct OfRun<'a> {
    report: &'a Report,
    /// The number of each contract, by where it is in memory.
    contracts: HashMap<*const Contract, usize>,
    /// The number of the path of each file.
    paths: Vec<usize>,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(None)?;
        if let Some(OfRun { report, contracts, paths }) = &self.of_run {
            for (file, path) in report.by_file().zip(paths) {
                for violation in file {
                    let contract = contracts.get(&Arc::as_ptr(&violation.contract)).copied();
                    rows.serialize_element(&row(
                        &Told::of(violation, ""),
                        contract.unwrap_or_default(),
                        *path,
                    ))?;
                }
            }
        }
        self.told.iter().try_for_each(|row| rows.serialize_element(row))?;
        rows.end()
    }
}

/// A violation whose contract and path have these numbers.
fn row<'a>(told: &Told<'a>, contract: usize, path: usize) -> Row<'a> {
    let (line, column) = told.place.unwrap_or_default();
    let notes: Vec<_> = told.note.into_iter().chain(told.repair.as_note()).collect();
    Row(contract, path, line, column, told.state_number(), told.text.map(Cow::Borrowed), notes.join("; "))
}

/// How many open violations there were in a commit.
#[derive(Debug, Serialize)]
struct WireSample {
    id: String,
    /// In seconds since 1970.
    time: i64,
    errors: usize,
    warnings: usize,
    contracts: BTreeMap<String, usize>,
}

/// Why a report cannot be shown.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error(
        "not JSON: {0}; name a report of 'phaser enforce --format json', '--format sarif' or '--format html'"
    )]
    NotJson(#[from] serde_json::Error),
    /// It is not one of phaser's.
    #[error("neither a JSON report of phaser nor a SARIF log")]
    Unknown,
    /// It is not a history.
    #[error(transparent)]
    NotAHistory(#[from] TrendError),
}

/// A violation as any report tells it.
struct Told<'a> {
    id: &'a str,
    severity: &'a str,
    message: &'a str,
    path: &'a str,
    place: Option<(usize, usize)>,
    state: &'a str,
    text: Option<&'a str>,
    note: Option<&'a str>,
    repair: Repair,
}

impl<'a> Told<'a> {
    /// What a violation in the file with this path tells.
    fn of(violation: &'a Violation, path: &'a str) -> Self {
        let contract = &violation.contract;
        let found = violation.found.as_ref();
        Self {
            id: &contract.id,
            severity: contract.severity.as_str(),
            message: &contract.message,
            path,
            place: found.map(|found| (found.region.start.line, found.region.start.column)),
            state: violation.state.as_str(),
            text: found.map(|found| &*found.line),
            note: violation.note.map(Note::as_str),
            repair: Repair::of(violation.fix.is_some()),
        }
    }

    fn state_number(&self) -> usize {
        STATES.iter().position(|state| *state == self.state).unwrap_or_default()
    }
}

/// Whether a violation can be repaired without anybody's thought.
#[derive(Clone, Copy)]
enum Repair {
    Known,
    Unknown,
}

impl Repair {
    fn of(is_known: bool) -> Self {
        if is_known { Self::Known } else { Self::Unknown }
    }

    fn as_note(self) -> Option<&'static str> {
        match self {
            Self::Known => Some("fix with phaser fix"),
            Self::Unknown => None,
        }
    }
}

/// Writes the report as a page.
pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    Page::of(report).write(out)
}

impl<'a> Page<'a> {
    /// A page without anything on it.
    pub fn new(about: impl Into<String>) -> Self {
        let shown = WirePage { about: about.into(), states: STATES, ..WirePage::default() };
        Self { shown, ..Self::default() }
    }

    /// The page with a title of its own.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.shown.title = title.into();
        self
    }

    /// What an report has to show.
    pub fn of(report: &'a Report) -> Self {
        let count = report.contracts.len();
        let about = format!("{count} contract{}", if count == 1 { "" } else { "s" });
        let mut page = Self::new(about);
        page.shown.reports = 1;
        page.shown.checked = report.checked.len();
        let gaps = report.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None);
        page.shown.gaps = gaps.map(|gap| (gap.path.to_text().into_owned(), gap.why.to_string())).collect();
        let broken = report.warnings.iter().map(|warning| (String::new(), warning.to_string()));
        page.shown.gaps.extend(broken);
        let mut of_run = OfRun { report, contracts: HashMap::new(), paths: Vec::new() };
        for file in report.by_file() {
            let path = file.first().map(|first| first.path.to_text()).unwrap_or_default();
            of_run.paths.push(page.path(&path));
            for violation in file {
                let known = of_run.contracts.entry(Arc::as_ptr(&violation.contract));
                known.or_insert_with(|| page.contract(&Told::of(violation, &path)));
            }
        }
        page.shown.rows.of_run = Some(of_run);
        let Summary { errors, warnings, ignored, existing, baselined } = report.summary();
        page.shown.summary = Counts { errors, warnings, ignored, existing, baselined };
        page
    }

    /// The number of a path.
    fn path(&mut self, path: &str) -> usize {
        *self.known_paths.entry(path.to_owned()).or_insert_with_key(|path| {
            self.shown.paths.push(path.clone());
            self.shown.paths.len() - 1
        })
    }

    /// The number of the contract of a violation.
    fn contract(&mut self, told: &Told<'_>) -> usize {
        let (id, severity, message) = (told.id.to_owned(), severity(told), told.message.to_owned());
        *self.known_contracts.entry(ContractRow { id, severity, message }).or_insert_with_key(|contract| {
            self.shown.contracts.push(contract.clone());
            self.shown.contracts.len() - 1
        })
    }

    /// Adds a violation, and counts it.
    fn add(&mut self, told: &Told<'_>) {
        let (contract, path) = (self.contract(told), self.path(told.path));
        let Row(contract, path, line, column, state, text, notes) = row(told, contract, path);
        let counter = match (state, severity(told)) {
            (0, "warning") => &mut self.shown.summary.warnings,
            (0, _) => &mut self.shown.summary.errors,
            (1, _) => &mut self.shown.summary.ignored,
            (2, _) => &mut self.shown.summary.existing,
            (_, _) => &mut self.shown.summary.baselined,
        };
        *counter += 1;
        let text = text.map(|text| Cow::Owned(text.into_owned()));
        self.shown.rows.told.push(Row(contract, path, line, column, state, text, notes));
    }

    /// Writes the page.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (before, after) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
        out.write_all(before.as_bytes())?;
        serde_json::to_writer(InScript(out), &self.shown)?;
        out.write_all(after.as_bytes())
    }
}

fn severity(told: &Told<'_>) -> &'static str {
    if told.severity == "warning" { "warning" } else { "error" }
}

/// Writes JSON in which no element of the page begins or ends: `<` stands only in strings, where it can be spelled out.
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
    use phaser_core::contract::Check;
    use phaser_core::testing::contract;
    use phaser_core::violation::State;
    use phaser_project::path::RelPath;

    /// The document in a page.
    pub(super) fn data(page: &Page<'_>) -> Value {
        let mut bytes = Vec::new();
        page.write(&mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("is text");
        let (_, rest) = text.split_once(r#"id="data">"#).expect("has data");
        let (json, rest) = rest.split_once("</script>").expect("ends");
        assert_eq!(rest.matches("</script>").count(), 1, "nothing in the data ends its element");
        serde_json::from_str(json).expect("is JSON")
    }

    #[test]
    fn a_page_has_every_violation_and_what_they_have_in_common_once() {
        let mut one = contract(0, Check::NotExists);
        one.message = "</script><script>alert(1)</script><!--".to_owned();
        let one: Arc<Contract> = Arc::new(one);
        let mut violations: Vec<Violation> =
            ["a.py", "b/<i>.py"].map(|path| Violation::of_file(&one, &RelPath::from(path))).into();
        violations.push(Violation { state: State::Baselined, ..violations[0].clone() });
        let report = Report { violations, ..Report::default() };
        let data = data(&Page::of(&report));
        assert_eq!(data["contracts"].as_array().map(Vec::len), Some(1));
        assert_eq!(data["contracts"][0]["message"], one.message);
        assert_eq!(data["paths"], serde_json::json!(["a.py", "b/<i>.py"]));
        assert_eq!(
            data["rows"],
            serde_json::json!([[0, 0, 0, 0, 0, null], [0, 1, 0, 0, 0, null], [0, 0, 0, 0, 3, null]])
        );
        assert_eq!(data["summary"]["baselined"], 1);
    }

    #[test]
    fn what_is_said_beside_a_violation_is_on_the_page() {
        let mut page = Page::new("");
        let one = Told {
            id: "x",
            severity: "error",
            message: "",
            path: "a",
            place: Some((1, 2)),
            state: "open",
            text: None,
            note: Some("n"),
            repair: Repair::Known,
        };
        page.add(&one);
        page.add(&Told { note: None, ..one });
        let data = data(&page.titled("owner/name"));
        assert_eq!(data["rows"][0], serde_json::json!([0, 0, 1, 2, 0, null, "n; fix with phaser fix"]));
        assert_eq!(data["rows"][1][6], "fix with phaser fix");
        assert_eq!(data["title"], "owner/name");
    }

    #[test]
    fn the_page_asks_nobody_for_anything() {
        for outside in ["http:", "https:", "//cdn", "@import", "url(", "src=", "fetch(", "innerHTML", "eval("]
        {
            let mentions = PAGE.match_indices(outside).map(|(at, _)| &PAGE[at..(at + 60).min(PAGE.len())]);
            let others: Vec<_> =
                mentions.filter(|text| !text.starts_with("http://www.w3.org/2000/svg")).collect();
            assert_eq!(others, Vec::<&str>::new());
        }
    }
}
