//! SARIF 2.1.0, within the limits of GitHub code scanning.
//!
//! Only open violations are in it: a host would list the others as open, too.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use serde_json::json;

mod wire;

use wire::{
    ArtifactLocation, Configuration, Driver, Invocation, Level, Location, Message, Notification,
    PhysicalLocation, Properties, Region, Rule, Run, SarifResult, Tool,
};

use super::host::{Spot, Top};
use super::inert_json;
use super::redact::is_secret;
use crate::contract::{Contract, Severity};
use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::skipped::Gap;
use crate::violation::Violation;

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
    let results = outcome.open().map(|violation| result(violation, &Spot::of(top, violation)));
    let mut ids = HashSet::new();
    let rules =
        outcome.contracts.iter().filter(|contract| ids.insert(&contract.id)).map(|contract| rule(contract));
    let rules = rules.collect();
    write_log(out, rules, results.collect(), invocation(outcome, top))
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
    let log: wire::Log =
        serde_json::from_slice(bytes).map_err(|error| ReadError::NotSarif(error.to_string()))?;
    match log.runs.iter().find(|run| run.tool.driver.name != NAME) {
        Some(run) => Err(ReadError::Foreign(run.tool.driver.name.clone())),
        None => Ok(Log(log)),
    }
}

/// A log that phaser wrote.
#[derive(Debug)]
pub struct Log(wire::Log);

/// Writes several logs, such as those of the shards of one project, as one.
pub fn merge(out: &mut dyn Write, logs: Vec<Log>) -> io::Result<()> {
    let mut rules = BTreeMap::new();
    let mut results: BTreeMap<Order, SarifResult> = BTreeMap::new();
    let mut invocation = invoked(true);
    for run in logs.into_iter().flat_map(|log| log.0.runs) {
        rules.extend(run.tool.driver.rules.into_iter().map(|rule| (rule.id.clone(), rule)));
        results.extend(run.results.into_iter().map(|result| (order(&result), result)));
        for part in run.invocations {
            invocation.execution_successful &= part.execution_successful;
            append(&mut invocation.tool_execution_notifications, part.tool_execution_notifications);
            append(&mut invocation.tool_configuration_notifications, part.tool_configuration_notifications);
        }
    }
    let (rules, results) = (rules.into_values().collect(), results.into_values().collect());
    write_log(out, rules, results, invocation)
}

/// Shards of one project have the same contracts, and so the same things to say about them.
fn append(all: &mut Vec<Notification>, more: Vec<Notification>) {
    for notification in more {
        if !all.contains(&notification) {
            all.push(notification);
        }
    }
}

type Order = (Option<String>, Option<usize>, Option<usize>, Option<String>, Option<String>);

/// Where a result stands, and which of several it is there.
fn order(result: &SarifResult) -> Order {
    let physical = result.locations.first().and_then(|location| location.physical_location.as_ref());
    let uri = physical.and_then(|physical| physical.artifact_location.as_ref()?.uri.clone());
    let region = physical.and_then(|physical| physical.region.as_ref());
    let (line, column) = (region.and_then(|r| r.start_line), region.and_then(|r| r.start_column));
    let name = result.partial_fingerprints.get(FINGERPRINT).cloned();
    (uri, line, column, result.rule_id.clone(), name)
}

fn write_log(
    out: &mut dyn Write,
    rules: Vec<Rule>,
    results: Vec<SarifResult>,
    mut invocation: Invocation,
) -> io::Result<()> {
    let count = results.len();
    let mut results = within_limit(results);
    if results.len() < count {
        let text = format!(
            "{} results were left out, because GitHub takes {MAX_RESULTS} at most",
            count - results.len()
        );
        append(&mut invocation.tool_execution_notifications, vec![notification(&text, Level::Warning, None)]);
    }
    let index: HashMap<&str, usize> =
        rules.iter().enumerate().map(|(at, rule)| (rule.id.as_str(), at)).collect();
    for result in &mut results {
        result.rule_index = result.rule_id.as_deref().and_then(|id| index.get(id).copied());
    }
    let driver = Driver {
        information_uri: Some(REPOSITORY.to_owned()).filter(|address| !address.is_empty()),
        name: NAME.to_owned(),
        rules,
        semantic_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    let run = Run {
        column_kind: Some("unicodeCodePoints".to_owned()),
        invocations: vec![invocation],
        results,
        tool: Tool { driver },
    };
    let log = wire::Log {
        schema: Some("https://json.schemastore.org/sarif-2.1.0.json".to_owned()),
        runs: vec![run],
        version: "2.1.0".to_owned(),
    };
    out.write_all(inert_json(&serde_json::to_string_pretty(&log)?).as_bytes())?;
    writeln!(out)
}

/// As many results as GitHub takes: errors rather than warnings.
fn within_limit(mut results: Vec<SarifResult>) -> Vec<SarifResult> {
    if results.len() > MAX_RESULTS {
        let is_error = |result: &SarifResult| result.level == Some(Level::Error);
        let errors = results.iter().filter(|result| is_error(result)).count();
        let mut warnings = 0..MAX_RESULTS.saturating_sub(errors);
        results.retain(|result| is_error(result) || warnings.next().is_some());
        results.truncate(MAX_RESULTS);
    }
    results
}

fn rule(contract: &Contract) -> Rule {
    let Contract { id, message, rationale, .. } = contract;
    let why = rationale.as_deref().unwrap_or(message);
    let reason = rationale.as_ref().map(|rationale| format!("{rationale}\n\n")).unwrap_or_default();
    let ignore = format!("To allow one place, put a comment with 'phaser:ignore {id}' on its line.");
    Rule {
        default_configuration: Some(Configuration { level: Some(level(contract)) }),
        full_description: Some(described(why)),
        help: Some(self::message(&format!("{message}\n\n{reason}{ignore}"))),
        id: id.clone(),
        properties: Some(properties(contract)),
        short_description: Some(described(message)),
    }
}

fn level(contract: &Contract) -> Level {
    match contract.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    }
}

fn properties(contract: &Contract) -> Properties {
    let mut others = BTreeMap::new();
    others.insert("precision".to_owned(), json!("high"));
    others.insert("problem.severity".to_owned(), json!(contract.severity.as_str()));
    if is_secret(contract) {
        let score = match contract.severity {
            Severity::Error => "8.0",
            Severity::Warning => "5.0",
        };
        others.insert("security-severity".to_owned(), json!(score));
    }
    Properties { tags: filed_under(contract), others }
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

fn described(text: &str) -> Message {
    Message { text: Some(text.chars().take(MAX_DESCRIPTION).collect()) }
}

fn result(violation: &Violation, spot: &Spot) -> SarifResult {
    let contract = &violation.contract;
    let note = violation.note.map(|note| format!(" ({}.)", note.as_str())).unwrap_or_default();
    SarifResult {
        level: Some(level(contract)),
        locations: vec![location(&spot.path, region(spot, violation))],
        message: message(&format!("{}{note}", contract.message)),
        partial_fingerprints: BTreeMap::from([(FINGERPRINT.to_owned(), violation.name())]),
        rule_id: Some(contract.id.clone()),
        rule_index: None,
    }
}

fn region(spot: &Spot, violation: &Violation) -> Region {
    let start = Region { start_line: Some(spot.line), ..Region::default() };
    let Some(region) = spot.region else { return start };
    Region {
        end_column: (spot.last_line() == region.end.line).then_some(region.end.column),
        end_line: Some(spot.last_line()),
        snippet: violation.found.as_ref().map(|found| message(&found.text)),
        start_column: Some(region.start.column),
        ..start
    }
}

fn location(path: &RelPath, region: Region) -> Location {
    let file = ArtifactLocation { uri: Some(uri(path)), uri_base_id: Some(SOURCE_ROOT.to_owned()) };
    let physical = PhysicalLocation { artifact_location: Some(file), region: Some(region) };
    Location { physical_location: Some(physical) }
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
        let level = if skipped.why.gap() == Gap::Failure { Level::Error } else { Level::Warning };
        notification(&format!("Not checked: {}.", skipped.why), level, Some(&top.path(&skipped.path)))
    });
    let gaps: Vec<_> = gaps.collect();
    let warnings: Vec<_> = outcome
        .warnings
        .iter()
        .map(|warning| notification(&format!("{warning}."), Level::Warning, None))
        .collect();
    let failed = outcome.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure);
    let mut invocation = invoked(!failed);
    append(&mut invocation.tool_execution_notifications, gaps);
    append(&mut invocation.tool_configuration_notifications, warnings);
    invocation
}

fn invoked(execution_successful: bool) -> Invocation {
    Invocation {
        execution_successful,
        tool_configuration_notifications: Vec::new(),
        tool_execution_notifications: Vec::new(),
    }
}

fn notification(text: &str, level: Level, path: Option<&RelPath>) -> Notification {
    let start = Region { start_line: Some(1), ..Region::default() };
    Notification {
        level: Some(level),
        locations: path.map(|path| location(path, start)).into_iter().collect(),
        message: message(text),
    }
}

fn message(text: &str) -> Message {
    Message { text: Some(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sarif_result(text: &str, level: Level) -> SarifResult {
        SarifResult {
            level: Some(level),
            locations: Vec::new(),
            message: message(text),
            partial_fingerprints: BTreeMap::new(),
            rule_id: None,
            rule_index: None,
        }
    }

    #[test]
    fn github_gets_no_more_than_it_takes_and_errors_rather_than_warnings() {
        let result = |line: usize| {
            let level = if line.is_multiple_of(3) { Level::Error } else { Level::Warning };
            sarif_result(&line.to_string(), level)
        };
        let kept = within_limit((1..=30_000).map(result).collect());
        assert_eq!(kept.len(), MAX_RESULTS);
        assert_eq!(kept.iter().filter(|result| result.level == Some(Level::Error)).count(), 10_000);
        let numbers = kept.iter().map(|result| result.message.text.as_ref()?.parse::<usize>().ok());
        assert!(numbers.is_sorted());
        assert_eq!(within_limit((1..=25_000).map(result).collect()).len(), 25_000);
    }

    #[test]
    fn what_is_left_out_is_said() {
        let result = sarif_result("x", Level::Error);
        let mut out = Vec::new();
        write_log(&mut out, Vec::new(), vec![result; MAX_RESULTS + 3], invoked(true)).expect("written");
        let log: wire::Log = serde_json::from_slice(&out).expect("is SARIF");
        assert_eq!(log.runs[0].results.len(), MAX_RESULTS);
        let said = String::from_utf8(out).expect("UTF-8");
        assert!(said.contains("\"3 results were left out, because GitHub takes 25000 at most\""));
    }

    #[test]
    fn a_path_is_a_relative_reference() {
        let path = RelPath::from_bytes(b"a b/#%/c:\xE9.txt".to_vec());
        assert_eq!(uri(&path), "a%20b/%23%25/c%3A%E9.txt");
    }
}
