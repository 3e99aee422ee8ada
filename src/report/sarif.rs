//! SARIF 2.1.0, within the limits of GitHub code scanning: the only user of serde-sarif.
//!
//! Only open violations are in it: a host would list the others as open, too.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Invocation, Location, Message,
    MultiformatMessageString, Notification, PhysicalLocation, PropertyBag, Region,
    Replacement as SarifReplacement, ReportingConfiguration, ReportingDescriptor, Result as SarifResult,
    ResultLevel, Run, Sarif, Tool, ToolComponent,
};

use super::host::{Spot, Top};
use super::inert_json;
use super::list::write_list;
use super::redact::is_secret;
use crate::contract::{Contract, Severity};
use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::skipped::Gap;
use crate::violation::{Replacement, Violation};

const NAME: &str = "phaser";
/// Where more is to be read about phaser; empty as long as the package names no repository.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// GitHub refuses a run with more results.
const MAX_RESULTS: usize = 25_000;
/// GitHub refuses a longer description, in characters.
const MAX_DESCRIPTION: usize = 1_024;
/// GitHub shows no more tags of a rule.
const MAX_TAGS: usize = 10;
/// Where readers of SARIF look for the sources.
const SOURCE_ROOT: &str = "%SRCROOT%";
/// The fingerprint that GitHub looks at.
const FINGERPRINT: &str = "primaryLocationLineHash";

/// Writes the outcome as one SARIF log.
pub fn write(out: &mut dyn Write, outcome: &Outcome, top: &Top) -> io::Result<()> {
    let mut kept = Kept::of(outcome.open().map(|violation| level(&violation.contract)));
    let mut invocation = invocation(outcome, top);
    kept.say_left_out(&mut invocation);
    let mut ids = HashSet::new();
    let rules =
        outcome.contracts.iter().filter(|contract| ids.insert(&contract.id)).map(|contract| rule(contract));
    let rules = rules.collect();
    let taken = outcome.open().filter(|violation| kept.takes(level(&violation.contract)));
    let results = taken.map(|violation| result(violation, &Spot::of(top, violation)));
    write_log(out, rules, results, invocation)
}

/// Why a log cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is something else.
    #[error("not a SARIF log: {0}; name files that 'phaser enforce --format sarif' has written")]
    NotSarif(String),
    /// Somebody else wrote it.
    #[error("written by {0}, not by phaser; upload it on its own")]
    Foreign(String),
}

/// Reads a log that [`write()`] has written.
pub fn read(bytes: &[u8]) -> Result<Log, ReadError> {
    let log: Sarif = serde_json::from_slice(bytes).map_err(|error| ReadError::NotSarif(error.to_string()))?;
    match log.runs.iter().find(|run| run.tool.driver.name != NAME) {
        Some(run) => Err(ReadError::Foreign(run.tool.driver.name.clone())),
        None => Ok(Log(log)),
    }
}

/// A log that phaser wrote.
#[derive(Debug)]
pub struct Log(Sarif);

/// Writes several logs, such as those of the shards of one project, as one.
pub fn merge(out: &mut dyn Write, logs: Vec<Log>) -> io::Result<()> {
    let mut rules = BTreeMap::new();
    let mut results: BTreeMap<Order, SarifResult> = BTreeMap::new();
    let mut invocation = Invocation::builder().execution_successful(true).build();
    for run in logs.into_iter().flat_map(|log| log.0.runs) {
        rules.extend(run.tool.driver.rules.into_iter().flatten().map(|rule| (rule.id.clone(), rule)));
        results.extend(run.results.into_iter().flatten().map(|result| (order(&result), result)));
        for part in run.invocations.into_iter().flatten() {
            invocation.execution_successful &= part.execution_successful;
            append(&mut invocation.tool_execution_notifications, part.tool_execution_notifications);
            append(&mut invocation.tool_configuration_notifications, part.tool_configuration_notifications);
        }
    }
    let level = |result: &SarifResult| result.level.unwrap_or(ResultLevel::Warning);
    let mut kept = Kept::of(results.values().map(level));
    kept.say_left_out(&mut invocation);
    let taken = results.into_values().filter(|result| kept.takes(level(result)));
    write_log(out, rules.into_values().collect(), taken, invocation)
}

/// Shards of one project have the same contracts, and so the same things to say about them.
fn append(all: &mut Option<Vec<Notification>>, more: Option<Vec<Notification>>) {
    for notification in more.into_iter().flatten() {
        let all = all.get_or_insert_default();
        if !all.contains(&notification) {
            all.push(notification);
        }
    }
}

type Order = (Option<String>, Option<i64>, Option<i64>, Option<String>, Option<String>);

/// Where a result stands, and which of several it is there.
fn order(result: &SarifResult) -> Order {
    let location = result.locations.as_ref().and_then(|locations| locations.first());
    let physical = location.and_then(|location| location.physical_location.as_ref());
    let uri = physical.and_then(|physical| physical.artifact_location.as_ref()?.uri.clone());
    let region = physical.and_then(|physical| physical.region.as_ref());
    let (line, column) = (region.and_then(|r| r.start_line), region.and_then(|r| r.start_column));
    let name = result.partial_fingerprints.as_ref().and_then(|names| names.get(FINGERPRINT)).cloned();
    (uri, line, column, result.rule_id.clone(), name)
}

/// What stands in a log where its results are to be.
const NO_RESULTS: &str = "\"results\": []";

/// How deep in a log the results are.
const RESULTS_DEPTH: usize = 3;

/// Writes a log, one result after the other.
fn write_log(
    out: &mut dyn Write,
    rules: Vec<ReportingDescriptor>,
    results: impl Iterator<Item = SarifResult>,
    invocation: Invocation,
) -> io::Result<()> {
    let index: HashMap<String, usize> =
        rules.iter().enumerate().map(|(at, rule)| (rule.id.clone(), at)).collect();
    let results = results.map(|mut result| {
        result.rule_index = result.rule_id.as_deref().and_then(|id| i64::try_from(*index.get(id)?).ok());
        result
    });
    let mut driver =
        ToolComponent::builder().name(NAME).semantic_version(env!("CARGO_PKG_VERSION")).rules(rules).build();
    driver.information_uri = Some(REPOSITORY.to_owned()).filter(|address| !address.is_empty());
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .column_kind(json!("unicodeCodePoints"))
        .results(Vec::new())
        .build();
    let log = Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version(json!("2.1.0"))
        .runs(vec![run])
        .build();
    let log = serde_json::to_string_pretty(&log)?;
    // No text of a contract can look like this: in a string, quotes are spelled out.
    let (before, after) = log.split_once(NO_RESULTS).expect("a log has results");
    write!(out, "{}\"results\": ", inert_json(before))?;
    write_list(out, results, RESULTS_DEPTH)?;
    writeln!(out, "{}", inert_json(after))
}

/// As many results as GitHub takes: errors rather than warnings.
struct Kept {
    errors: usize,
    others: usize,
    left_out: usize,
}

impl Kept {
    /// Of results of these levels.
    fn of(levels: impl Iterator<Item = ResultLevel>) -> Self {
        let (mut errors, mut others) = (0usize, 0usize);
        for level in levels {
            *(if level == ResultLevel::Error { &mut errors } else { &mut others }) += 1;
        }
        let count = errors + others;
        let errors = errors.min(MAX_RESULTS);
        let others = others.min(MAX_RESULTS - errors);
        Self { errors, others, left_out: count - errors - others }
    }

    /// Is the next result of this level to be written?
    fn takes(&mut self, level: ResultLevel) -> bool {
        let left = if level == ResultLevel::Error { &mut self.errors } else { &mut self.others };
        let takes = *left > 0;
        *left = left.saturating_sub(1);
        takes
    }

    fn say_left_out(&self, invocation: &mut Invocation) {
        if self.left_out > 0 {
            let count = self.left_out;
            let text = format!("{count} results were left out, because GitHub takes {MAX_RESULTS} at most");
            append(
                &mut invocation.tool_execution_notifications,
                Some(vec![notification(&text, "warning", None)]),
            );
        }
    }
}

fn rule(contract: &Contract) -> ReportingDescriptor {
    let Contract { id, message, rationale, .. } = contract;
    let level = contract.severity.as_str();
    let why = rationale.as_deref().unwrap_or(message);
    let reason = rationale.as_ref().map(|rationale| format!("{rationale}\n\n")).unwrap_or_default();
    let ignore = format!("To allow one place, put a comment with 'phaser:ignore {id}' on its line.");
    ReportingDescriptor::builder()
        .id(id)
        .short_description(described(message))
        .full_description(described(why))
        .help(MultiformatMessageString::builder().text(format!("{message}\n\n{reason}{ignore}")).build())
        .default_configuration(ReportingConfiguration::builder().level(json!(level)).build())
        .properties(properties(contract))
        .build()
}

fn properties(contract: &Contract) -> PropertyBag {
    let mut properties = BTreeMap::new();
    properties.insert("precision".to_owned(), json!("high"));
    properties.insert("problem.severity".to_owned(), json!(contract.severity.as_str()));
    if is_secret(contract) {
        let score = match contract.severity {
            Severity::Error => "8.0",
            Severity::Warning => "5.0",
        };
        properties.insert("security-severity".to_owned(), json!(score));
    }
    PropertyBag::builder().tags(filed_under(contract)).additional_properties(properties).build()
}

/// What a host files the rule under; it takes the score of a secret only for what is about security.
fn filed_under(contract: &Contract) -> Vec<String> {
    let security = is_secret(contract).then_some("security");
    let mut all: Vec<String> = Vec::new();
    let own = contract.tags.iter().map(String::as_str);
    for tag in security.into_iter().chain([contract.kind.as_str()]).chain(own) {
        if !all.iter().any(|known| known == tag) {
            all.push(tag.to_owned());
        }
    }
    all.truncate(MAX_TAGS);
    all
}

fn described(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text.chars().take(MAX_DESCRIPTION).collect::<String>()).build()
}

fn result(violation: &Violation, spot: &Spot) -> SarifResult {
    let contract = &violation.contract;
    let note = violation.note.map(|note| format!(" ({}.)", note.as_str())).unwrap_or_default();
    let region = region(spot, violation);
    let mut result = SarifResult::builder()
        .rule_id(&contract.id)
        .level(level(contract))
        .message(message(&format!("{}{note}", contract.message)))
        .locations(vec![location(&spot.path, region)])
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), violation.name())]))
        .build();
    result.fixes = violation.fix.as_deref().map(|replacement| vec![fix(replacement, spot, violation)]);
    result
}

/// What repairs a violation.
fn fix(replacement: &Replacement, spot: &Spot, violation: &Violation) -> Fix {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let Replacement { region, text, .. } = replacement;
    let deleted = Region::builder()
        .start_line(number(region.start.line))
        .start_column(number(region.start.column))
        .end_line(number(region.end.line))
        .end_column(number(region.end.column))
        .build();
    let inserted = ArtifactContent::builder().text(text).build();
    let replaced = SarifReplacement::builder().deleted_region(deleted).inserted_content(inserted).build();
    let change =
        ArtifactChange::builder().artifact_location(file(&spot.path)).replacements(vec![replaced]).build();
    let said = format!("Apply the fix of {}.", violation.contract.id);
    Fix::builder().description(message(&said)).artifact_changes(vec![change]).build()
}

fn level(contract: &Contract) -> ResultLevel {
    match contract.severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
    }
}

fn region(spot: &Spot, violation: &Violation) -> Region {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let mut wire = Region::builder().start_line(number(spot.line)).build();
    let Some(region) = spot.region else { return wire };
    wire.start_column = Some(number(region.start.column));
    wire.end_line = Some(number(spot.last_line()));
    wire.end_column = (spot.last_line() == region.end.line).then(|| number(region.end.column));
    let found = violation.found.as_ref();
    wire.snippet = found.map(|found| ArtifactContent::builder().text(&found.text).build());
    wire
}

fn location(path: &RelPath, region: Region) -> Location {
    let physical = PhysicalLocation::builder().artifact_location(file(path)).region(region).build();
    Location::builder().physical_location(physical).build()
}

fn file(path: &RelPath) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri(path)).uri_base_id(SOURCE_ROOT).build()
}

/// A relative reference; whatever has a meaning in one, and whatever is not ASCII, is spelled out.
fn uri(path: &RelPath) -> String {
    let spell = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(*byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    path.as_bytes().iter().map(spell).collect()
}

fn invocation(outcome: &Outcome, top: &Top) -> Invocation {
    let gaps = outcome.gaps().map(|skipped| {
        let level = if skipped.why.gap() == Gap::Failure { "error" } else { "warning" };
        notification(&format!("Not checked: {}.", skipped.why), level, Some(&top.path(&skipped.path)))
    });
    let gaps: Vec<_> = gaps.collect();
    let warnings: Vec<_> = outcome
        .warnings
        .iter()
        .map(|warning| notification(&format!("{warning}."), "warning", None))
        .collect();
    let failed = outcome.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure);
    let mut invocation = Invocation::builder().execution_successful(!failed).build();
    append(&mut invocation.tool_execution_notifications, Some(gaps));
    append(&mut invocation.tool_configuration_notifications, Some(warnings));
    invocation
}

fn notification(text: &str, level: &str, path: Option<&RelPath>) -> Notification {
    let mut notification = Notification::builder().message(message(text)).level(json!(level)).build();
    notification.locations = path.map(|path| vec![location(path, Region::builder().start_line(1).build())]);
    notification
}

fn message(text: &str) -> Message {
    Message::builder().text(text).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn github_gets_no_more_than_it_takes_and_errors_rather_than_warnings() {
        let level = |line: usize| {
            if line.is_multiple_of(3) { ResultLevel::Error } else { ResultLevel::Warning }
        };
        let kept = |count: usize| {
            let mut kept = Kept::of((1..=count).map(level));
            (1..=count).filter(|line| kept.takes(level(*line))).collect::<Vec<_>>()
        };
        let lines = kept(30_000);
        assert_eq!(lines.len(), MAX_RESULTS);
        assert_eq!(lines.iter().filter(|line| line.is_multiple_of(3)).count(), 10_000);
        assert_eq!(kept(25_000).len(), 25_000);
        assert_eq!(kept(90_000), (1..=75_000).filter(|line| line % 3 == 0).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_left_out_is_said() {
        let results = || {
            let result = SarifResult::builder().message(message("x")).level(ResultLevel::Error).build();
            std::iter::repeat_n(result, MAX_RESULTS + 3)
        };
        let mut out = Vec::new();
        let mut invocation = Invocation::builder().execution_successful(true).build();
        let mut kept = Kept::of(results().filter_map(|result| result.level));
        kept.say_left_out(&mut invocation);
        let taken = results().filter(|_| kept.takes(ResultLevel::Error));
        write_log(&mut out, Vec::new(), taken, invocation).expect("written");
        let log: Sarif = serde_json::from_slice(&out).expect("is SARIF");
        assert_eq!(log.runs[0].results.as_ref().map(Vec::len), Some(MAX_RESULTS));
        let said = String::from_utf8(out).expect("UTF-8");
        assert!(said.contains("\"3 results were left out, because GitHub takes 25000 at most\""));
    }

    #[test]
    fn a_log_is_written_in_pieces_as_it_would_be_at_once() {
        let result = SarifResult::builder().message(message("\"results\": []")).build();
        for count in [0, 1, 3] {
            let mut out = Vec::new();
            let invocation = Invocation::builder().execution_successful(true).build();
            write_log(&mut out, Vec::new(), vec![result.clone(); count].into_iter(), invocation)
                .expect("written");
            let log: Sarif = serde_json::from_slice(&out).expect("is SARIF");
            let whole = serde_json::to_string_pretty(&log).expect("JSON");
            assert_eq!(String::from_utf8(out).expect("UTF-8").trim_end(), whole);
        }
    }

    #[test]
    fn a_path_is_a_relative_reference() {
        let path = RelPath::from_bytes(b"a b/#%/c:\xE9.txt".to_vec());
        assert_eq!(uri(&path), "a%20b/%23%25/c%3A%E9.txt");
    }
}
