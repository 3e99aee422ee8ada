//! SARIF 2.1.0 within the limits of GitHub code scanning. The only user of serde-sarif.
//!
//! A log has open violations only: GitHub would list suppressed ones as open.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Invocation, Location, Message,
    MultiformatMessageString, Notification, PhysicalLocation, PropertyBag, Region,
    Replacement as SarifReplacement, ReportingConfiguration, ReportingDescriptor, Result as SarifResult,
    ResultLevel, Run, Sarif, Tool, ToolComponent,
};

use super::host::{HostLocation, RepositoryPrefix};
use super::list::write_list;
use super::redact::is_secret;
use phaser_core::contract::{Contract, LayerKind, Severity};
use phaser_core::sanitize::inert_json;
use phaser_core::skipped::Gap;
use phaser_core::violation::{Replacement, Violation};
use phaser_project::path::RelPath;
use phaser_project::report::{Report, Summary};

mod help;

use help::help;

const NAME: &str = "phaser";
/// Empty while Cargo.toml has no `repository`.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// Characters of a description; GitHub rejects longer ones.
const MAX_DESCRIPTION: usize = 1_024;
/// Tags of a rule that GitHub shows.
const MAX_TAGS: usize = 10;
/// The fingerprint that GitHub matches results by.
const FINGERPRINT: &str = "primaryLocationLineHash";

/// Writes the report as one SARIF log.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let Summary { errors, warnings, .. } = report.summary();
    let mut quota = ResultQuota::new(errors, warnings);
    let mut status = RunStatus::of(report, top);
    status.add_omitted(&quota);
    let mut ids = HashSet::new();
    let distinct = report.contracts.iter().filter(|contract| ids.insert(&contract.id));
    let rules = distinct.map(|contract| to_json(rule(contract, REPOSITORY))).collect();
    let mut open = report.open();
    let taken = std::iter::from_fn(|| {
        // Stop early: a run may have far more violations than the quota.
        if quota.is_complete() {
            None
        } else {
            open.find(|violation| quota.takes(violation.contract.severity))
        }
    });
    let results = taken.map(|violation| to_json(result(violation, &HostLocation::of(top, violation))));
    write_log(out, rules, results, status)
}

/// Why a log cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum SarifReadError {
    #[error("not a SARIF log: {0} (use the output of 'phaser enforce --format sarif')")]
    NotSarif(String),
    #[error("written by {0}, not by phaser (upload it separately)")]
    Foreign(String),
}

/// Parses a log written by [`write()`].
pub fn read(bytes: &[u8]) -> Result<SarifLog, SarifReadError> {
    let mut whole: Value =
        serde_json::from_slice(bytes).map_err(|error| SarifReadError::NotSarif(error.to_string()))?;
    if !whole["runs"].is_array() {
        return Err(SarifReadError::NotSarif("it has no runs".to_owned()));
    }
    let mut log = SarifLog::default();
    for mut run in list(&mut whole, "runs")? {
        match run["tool"]["driver"]["name"].as_str() {
            Some(NAME) => {}
            Some(other) => return Err(SarifReadError::Foreign(other.to_owned())),
            None => return Err(SarifReadError::NotSarif("a run does not name its tool".to_owned())),
        }
        if let Some(driver) = run.pointer_mut("/tool/driver") {
            log.rules.extend(list(driver, "rules")?);
        }
        log.results.extend(list(&mut run, "results")?);
        for mut part in list(&mut run, "invocations")? {
            log.statuses.push(RunStatus {
                is_successful: part["executionSuccessful"].as_bool().unwrap_or(false),
                about_contracts: list(&mut part, ABOUT_CONTRACTS)?,
                about_files: list(&mut part, ABOUT_FILES)?,
            });
        }
    }
    Ok(log)
}

/// The parts of a log that are merged. Their JSON is written back unchanged.
#[derive(Debug, Default)]
pub struct SarifLog {
    rules: Vec<Value>,
    results: Vec<Value>,
    statuses: Vec<RunStatus>,
}

/// Whether a run succeeded, and its notifications.
#[derive(Debug)]
struct RunStatus {
    is_successful: bool,
    about_contracts: Vec<Value>,
    about_files: Vec<Value>,
}

const ABOUT_CONTRACTS: &str = "toolConfigurationNotifications";
const ABOUT_FILES: &str = "toolExecutionNotifications";

/// Takes the list with this name out of an object; empty if absent.
fn list(object: &mut Value, name: &str) -> Result<Vec<Value>, SarifReadError> {
    match object.get_mut(name).map(Value::take) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(SarifReadError::NotSarif(format!("'{name}' is not a list"))),
    }
}

/// Merges logs, such as those of the shards of a project. Identical rules and results appear once.
pub fn merge(out: &mut dyn Write, logs: Vec<SarifLog>) -> io::Result<()> {
    let mut rules = BTreeMap::new();
    let mut results: BTreeMap<Order, Value> = BTreeMap::new();
    let mut all = RunStatus { is_successful: true, about_contracts: Vec::new(), about_files: Vec::new() };
    for log in logs {
        rules.extend(log.rules.into_iter().map(|rule| (text(&rule["id"]), rule)));
        results.extend(log.results.into_iter().map(|result| (order(&result), result)));
        for part in log.statuses {
            all.is_successful &= part.is_successful;
            append(&mut all.about_contracts, part.about_contracts);
            append(&mut all.about_files, part.about_files);
        }
    }
    let severity = |result: &Value| match result["level"].as_str() {
        Some("error") => Severity::Error,
        _ => Severity::Warning,
    };
    let mut quota = ResultQuota::of(results.values().map(severity));
    all.add_omitted(&quota);
    let taken = results.into_values().filter(|result| quota.takes(severity(result)));
    write_log(out, rules.into_values().collect(), taken, all)
}

/// Appends without duplicates: shards of a project repeat the notifications about contracts.
fn append(all: &mut Vec<Value>, more: Vec<Value>) {
    for notification in more {
        if !all.contains(&notification) {
            all.push(notification);
        }
    }
}

type Order = (Option<String>, Option<i64>, Option<i64>, Option<String>, Option<String>);

/// The sort key of a result: path, line, column, rule, fingerprint.
fn order(result: &Value) -> Order {
    let physical = &result["locations"][0]["physicalLocation"];
    let (uri, region) = (text(&physical["artifactLocation"]["uri"]), &physical["region"]);
    let (line, column) = (region["startLine"].as_i64(), region["startColumn"].as_i64());
    (uri, line, column, text(&result["ruleId"]), text(&result["partialFingerprints"][FINGERPRINT]))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// GitHub rejects a run with more results.
const MAX_RESULTS: usize = 25_000;

/// Selects up to [`MAX_RESULTS`] results in order, errors before warnings.
struct ResultQuota {
    errors: usize,
    others: usize,
    omitted: usize,
}

impl ResultQuota {
    fn new(errors: usize, others: usize) -> Self {
        let count = errors + others;
        let errors = errors.min(MAX_RESULTS);
        let others = others.min(MAX_RESULTS - errors);
        Self { errors, others, omitted: count - errors - others }
    }

    /// A quota for results of these severities.
    fn of(severities: impl Iterator<Item = Severity>) -> Self {
        let (errors, others): (Vec<_>, Vec<_>) = severities.partition(|it| *it == Severity::Error);
        Self::new(errors.len(), others.len())
    }

    /// Whether to write the next result of this severity. Uses up the quota.
    fn takes(&mut self, severity: Severity) -> bool {
        let left = if severity == Severity::Error { &mut self.errors } else { &mut self.others };
        let takes = *left > 0;
        *left = left.saturating_sub(1);
        takes
    }

    /// Whether the quota is used up.
    fn is_complete(&self) -> bool {
        self.errors == 0 && self.others == 0
    }

    /// A note on the omitted results, if any.
    fn omitted(&self) -> Option<String> {
        let count = self.omitted;
        (count > 0).then(|| format!("{count} results omitted: GitHub accepts at most {MAX_RESULTS}"))
    }
}

/// The empty list that is replaced by the results.
const NO_RESULTS: &str = "\"results\": []";

/// Nesting level of the results.
const RESULTS_DEPTH: usize = 3;

/// Writes a log, result by result.
fn write_log(
    out: &mut dyn Write,
    rules: Vec<Value>,
    results: impl Iterator<Item = Value>,
    status: RunStatus,
) -> io::Result<()> {
    let ids = rules.iter().enumerate().map(|(at, rule)| Some((text(&rule["id"])?, at)));
    let index: HashMap<String, usize> = ids.flatten().collect();
    let mut driver = ToolComponent::builder()
        .name(NAME)
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(Vec::new())
        .build();
    driver.information_uri = Some(REPOSITORY.to_owned()).filter(|address| !address.is_empty());
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(Vec::new())
        .column_kind("unicodeCodePoints")
        .results(Vec::new())
        .build();
    let log = Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version("2.1.0")
        .runs([run])
        .build();
    let mut log = to_json(log);
    log["runs"][0]["tool"]["driver"]["rules"] = Value::Array(rules);
    log["runs"][0]["invocations"] = json!([status.into_invocation()]);
    let log = serde_json::to_string_pretty(&log)?;
    // Text of a contract cannot contain this: JSON strings escape quotes.
    let (before, after) = log.split_once(NO_RESULTS).expect("a log has results");
    write!(out, "{}\"results\": ", inert_json(before))?;
    let numbered = results.map(|mut result| {
        let at = result["ruleId"].as_str().and_then(|id| index.get(id));
        if let (Some(at), Value::Object(result)) = (at, &mut result) {
            result.insert("ruleIndex".to_owned(), json!(at));
        }
        result
    });
    write_list(out, numbered, RESULTS_DEPTH)?;
    writeln!(out, "{}", inert_json(after))
}

/// A part of a log as JSON. Logs are merged as JSON too: deserialising serde-sarif's hundred types would enlarge the binary.
fn to_json(part: impl Serialize) -> Value {
    serde_json::to_value(part).expect("SARIF has only text as keys")
}

impl RunStatus {
    fn of(report: &Report, top: &RepositoryPrefix) -> Self {
        let gaps = report.gaps().map(|skipped| {
            let level = if skipped.why.gap() == Gap::Failure { "error" } else { "warning" };
            notification(&format!("Not checked: {}.", skipped.why), level, Some(&top.path(&skipped.path)))
        });
        let (mut about_files, mut about_contracts) = (Vec::new(), Vec::new());
        append(&mut about_files, gaps.collect());
        let warnings = report.warnings.iter();
        let warnings = warnings.map(|warning| notification(&format!("{warning}."), "warning", None));
        append(&mut about_contracts, warnings.collect());
        let failed = report.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure);
        Self { is_successful: !failed, about_contracts, about_files }
    }

    fn add_omitted(&mut self, quota: &ResultQuota) {
        let omitted = quota.omitted().map(|text| notification(&text, "warning", None));
        self.about_files.extend(omitted);
    }

    fn into_invocation(self) -> Value {
        let mut invocation = to_json(Invocation::builder().execution_successful(self.is_successful).build());
        for (name, notifications) in
            [(ABOUT_CONTRACTS, self.about_contracts), (ABOUT_FILES, self.about_files)]
        {
            if !notifications.is_empty() {
                invocation[name] = Value::Array(notifications);
            }
        }
        invocation
    }
}

/// The rule of a contract; `repository` is [`REPOSITORY`].
fn rule(contract: &Contract, repository: &str) -> ReportingDescriptor {
    let Contract { id, message, rationale, severity, .. } = contract;
    let described = |text: &str| {
        let text: String = text.chars().take(MAX_DESCRIPTION).collect();
        MultiformatMessageString::builder().text(text).build()
    };
    let page = match contract.origin.layer {
        LayerKind::Pack => "packs.md",
        LayerKind::Named | LayerKind::Project | LayerKind::Configured | LayerKind::User => "contracts.md",
    };
    let mut rule = ReportingDescriptor::builder()
        .id(id)
        .short_description(described(message))
        .full_description(described(rationale.as_deref().unwrap_or(message)))
        .help(help(contract))
        .default_configuration(ReportingConfiguration::builder().level(severity.as_str()).build())
        .properties(properties(contract))
        .build();
    rule.help_uri = documentation(repository, page);
    rule
}

fn properties(contract: &Contract) -> PropertyBag {
    let mut more = BTreeMap::from([
        ("precision".to_owned(), json!("high")),
        ("problem.severity".to_owned(), json!(contract.severity.as_str())),
    ]);
    if is_secret(contract) {
        let score = match contract.severity {
            Severity::Error => "8.0",
            Severity::Warning => "5.0",
        };
        more.insert("security-severity".to_owned(), json!(score));
    }
    PropertyBag::builder().tags(filed_under(contract)).additional_properties(more).build()
}

/// The address of a page of this version's documentation; `None` if phaser's own is unknown.
fn documentation(repository: &str, page: &str) -> Option<String> {
    let version = env!("CARGO_PKG_VERSION");
    (!repository.is_empty()).then(|| format!("{repository}/blob/v{version}/docs/{page}"))
}

/// The tags of a rule. GitHub uses `security-severity` only with the tag `security`.
fn filed_under(contract: &Contract) -> Vec<String> {
    let security = is_secret(contract).then_some("security");
    let mut all: Vec<String> = Vec::new();
    let own = contract.tags.iter().map(String::as_str);
    for tag in security.into_iter().chain([contract.kind.name]).chain(own) {
        if !all.iter().any(|known| known == tag) {
            all.push(tag.to_owned());
        }
    }
    all.truncate(MAX_TAGS);
    all
}

fn result(violation: &Violation, spot: &HostLocation) -> SarifResult {
    let contract = &violation.contract;
    let note = violation.note.map(|note| format!(" ({}.)", note.as_str())).unwrap_or_default();
    let mut result = SarifResult::builder()
        .rule_id(&contract.id)
        .level(match contract.severity {
            Severity::Error => ResultLevel::Error,
            Severity::Warning => ResultLevel::Warning,
        })
        .message(message(format!("{}{note}", violation.message())))
        .locations([location(&spot.path, region(spot, violation))])
        .partial_fingerprints([(FINGERPRINT.to_owned(), violation.name())])
        .build();
    result.fixes = violation.fix.as_deref().map(|fix| vec![sarif_fix(fix, spot, &contract.id)]);
    result
}

fn sarif_fix(fix: &Replacement, spot: &HostLocation, id: &str) -> Fix {
    let Replacement { region, text, .. } = fix;
    let deleted = Region::builder()
        .start_line(number(region.start.line))
        .start_column(number(region.start.column))
        .end_line(number(region.end.line))
        .end_column(number(region.end.column))
        .build();
    let inserted = ArtifactContent::builder().text(text).build();
    let replaced = SarifReplacement::builder().deleted_region(deleted).inserted_content(inserted).build();
    let change =
        ArtifactChange::builder().artifact_location(file(&spot.path)).replacements([replaced]).build();
    Fix::builder().description(message(format!("Apply the fix of {id}."))).artifact_changes([change]).build()
}

fn region(spot: &HostLocation, violation: &Violation) -> Region {
    let mut shown = Region::builder().start_line(number(spot.line)).build();
    if let Some(region) = spot.region {
        shown.start_column = Some(number(region.start.column));
        shown.end_line = Some(number(spot.last_line()));
        shown.end_column = (spot.last_line() == region.end.line).then(|| number(region.end.column));
        let found = violation.found.as_ref();
        shown.snippet = found.map(|found| ArtifactContent::builder().text(&found.text).build());
    }
    shown
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn location(path: &RelPath, region: Region) -> Location {
    let physical = PhysicalLocation::builder().artifact_location(file(path)).region(region).build();
    Location::builder().physical_location(physical).build()
}

fn file(path: &RelPath) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri(path)).uri_base_id("%SRCROOT%").build()
}

fn message(text: impl Into<String>) -> Message {
    Message::builder().text(text).build()
}

/// The path as a relative URI reference, percent-encoded.
fn uri(path: &RelPath) -> String {
    let spell = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(*byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    path.as_bytes().iter().map(spell).collect()
}

fn notification(text: &str, level: &str, path: Option<&RelPath>) -> Value {
    let mut notification = Notification::builder().message(message(text)).level(level).build();
    notification.locations = path.map(|path| vec![location(path, Region::builder().start_line(1).build())]);
    to_json(notification)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well() -> RunStatus {
        RunStatus { is_successful: true, about_contracts: Vec::new(), about_files: Vec::new() }
    }

    #[test]
    fn distinguishes_other_files_from_foreign_logs() {
        let error = |text: &str| read(text.as_bytes()).expect_err(text).to_string();
        assert!(error("[]").starts_with("not a SARIF log: it has no runs "), "{}", error("[]"));
        assert!(error("{\"runs\": {}}").starts_with("not a SARIF log: it has no runs "));
        assert!(error("{\"runs\": [{}]}").starts_with("not a SARIF log: a run does not name its tool "));
        let run = |driver: &str, rest: &str| {
            format!("{{\"runs\": [{{\"tool\": {{\"driver\": {{{driver}}}}}{rest}}}]}}")
        };
        assert!(error(&run("\"name\": \"x\"", "")).starts_with("written by x, not by phaser"));
        let odd = run("\"name\": \"phaser\"", ", \"results\": 1");
        assert!(error(&odd).starts_with("not a SARIF log: 'results' is not a list "), "{}", error(&odd));
        assert!(read(run("\"name\": \"phaser\"", "").as_bytes()).is_ok());
    }

    #[test]
    fn notes_omitted_results() {
        let results = || {
            let result = SarifResult::builder().message(message("x")).level(ResultLevel::Error).build();
            std::iter::repeat_n(to_json(result), MAX_RESULTS + 3)
        };
        let mut out = Vec::new();
        let mut status = well();
        let mut quota = ResultQuota::of(results().map(|_| Severity::Error));
        status.add_omitted(&quota);
        let taken = results().filter(|_| quota.takes(Severity::Error));
        write_log(&mut out, Vec::new(), taken, status).expect("written");
        let log: Sarif = serde_json::from_slice(&out).expect("is SARIF");
        assert_eq!(log.runs[0].results.as_ref().map(Vec::len), Some(MAX_RESULTS));
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("\"3 results omitted: GitHub accepts at most 25000\""));
    }

    #[test]
    fn log_equals_serde_json_output() {
        let result = to_json(SarifResult::builder().message(message("\"results\": []")).build());
        for count in [0, 1, 3] {
            let mut out = Vec::new();
            write_log(&mut out, Vec::new(), vec![result.clone(); count].into_iter(), well())
                .expect("written");
            let log: Sarif = serde_json::from_slice(&out).expect("is SARIF");
            let whole = serde_json::to_string_pretty(&log).expect("JSON");
            assert_eq!(String::from_utf8(out).expect("UTF-8").trim_end(), whole);
        }
    }

    #[test]
    fn rule_links_documentation_if_address_is_known() {
        let contract = phaser_core::testing::contract(0, phaser_core::contract::Check::NotExists);
        assert_eq!(rule(&contract, "").help_uri, None);
        let page =
            concat!("https://example.com/phaser/blob/v", env!("CARGO_PKG_VERSION"), "/docs/contracts.md");
        assert_eq!(rule(&contract, "https://example.com/phaser").help_uri.as_deref(), Some(page));
    }

    #[test]
    fn path_is_percent_encoded() {
        let path = RelPath::from_bytes(b"a b/#%/c:\xE9.txt".to_vec());
        assert_eq!(uri(&path), "a%20b/%23%25/c%3A%E9.txt");
    }

    #[test]
    fn quota_prefers_errors() {
        let severity = |line: usize| {
            if line.is_multiple_of(3) { Severity::Error } else { Severity::Warning }
        };
        let quota = |count: usize| {
            let mut quota = ResultQuota::of((1..=count).map(severity));
            (1..=count).filter(|line| quota.takes(severity(*line))).collect::<Vec<_>>()
        };
        let lines = quota(30_000);
        assert_eq!(lines.len(), MAX_RESULTS);
        assert_eq!(lines.iter().filter(|line| line.is_multiple_of(3)).count(), 10_000);
        assert_eq!(quota(25_000).len(), 25_000);
        assert_eq!(quota(90_000), (1..=75_000).filter(|line| line % 3 == 0).collect::<Vec<_>>());
    }
}
