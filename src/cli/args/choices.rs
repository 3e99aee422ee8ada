//! Values of flags that select a variant of another module's enum.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::agents::{Agent, OnClean};
use phaser_project::scan::Existing;

/// Parses `--existing`.
pub fn existing() -> impl TypedValueParser<Value = Existing> {
    let deny = PossibleValue::new("deny").help("Count like any other violation");
    let report = PossibleValue::new("report")
        .help("Count only what the change adds; list the others when the change touches their lines");
    PossibleValuesParser::new([deny, report]).map(|name| match name.as_str() {
        "report" => Existing::Report,
        _ => Existing::Deny,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnCleanArg {
    Allow,
    Defer,
}

impl From<OnCleanArg> for OnClean {
    fn from(arg: OnCleanArg) -> Self {
        match arg {
            OnCleanArg::Allow => Self::Allow,
            OnCleanArg::Defer => Self::Defer,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeverityFilter {
    Error,
    Warning,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Hook,
    Text,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Never,
}

impl ReportFormat {
    /// The format implied by a file's extension; text if none.
    pub fn of_file(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".sarif") || name.ends_with(".sarif.json") {
            Self::Sarif
        } else if name.ends_with(".json") {
            Self::Json
        } else if name.ends_with(".xml") {
            Self::Junit
        } else if name.ends_with(".html") {
            Self::Html
        } else {
            Self::Text
        }
    }
}

/// An agent, named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentArg(pub Agent);

impl ValueEnum for AgentArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [AgentArg; Agent::ALL.len()] = {
            let mut all = [AgentArg(Agent::Claude); Agent::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = AgentArg(Agent::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

impl From<AgentArg> for Agent {
    fn from(arg: AgentArg) -> Self {
        arg.0
    }
}
