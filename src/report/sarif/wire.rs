//! SARIF 2.1.0 as it is written: the parts that phaser writes, and no others. What else a log has is lost in reading it.
//!
//! A crate with the whole of SARIF generates a hundred types while it is built, which is a tenth of the time that building
//! phaser takes. That what is written here is SARIF, the validators in CI say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A whole log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    pub runs: Vec<Run>,
    pub version: String,
}

/// What one tool has found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invocations: Vec<Invocation>,
    #[serde(default)]
    pub results: Vec<SarifResult>,
    pub tool: Tool,
}

/// Who has found it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tool {
    pub driver: Driver,
}

/// The program, and its rules.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information_uri: Option<String>,
    pub name: String,
    #[serde(default)]
    pub rules: Vec<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_version: Option<String>,
}

/// How a run of the program went.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub execution_successful: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_configuration_notifications: Vec<Notification>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
}

/// Something about the run, and not about what it found.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Notification {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    pub message: Message,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    None,
    Note,
    Warning,
    Error,
}

/// A rule, as hosts describe it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_configuration: Option<Configuration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Message>,
}

/// How a rule is set.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Configuration {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
}

/// What SARIF has no words for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Properties {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// One result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    pub message: Message,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub partial_fingerprints: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
}

/// A text for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Message {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Where something is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
}

/// In which file, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_location: Option<ArtifactLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<String>,
}

/// A part of a file; lines and columns count from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<usize>,
}
