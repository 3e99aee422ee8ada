//! phaser enforces a project's own rules, its *contracts*, wherever code is written: in an agent's edit, at commit time and
//! in CI.
//!
//! [`Project`] is a project with its contracts. [`Project::check`] checks a [`Source`] and returns a [`Report`]:
//!
//! ```no_run
//! use phaser::{Project, Source};
//!
//! let project = Project::builder(".").packs(["secrets"]).build()?;
//! let report = project.check(&Source::Tree(None))?;
//! for violation in report.open() {
//!     eprintln!("{}: {}: {}", violation.path, violation.contract.id, violation.contract.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Matcher`] checks one text without a project:
//!
//! ```
//! use phaser::{Contract, Matcher};
//!
//! let yaml = "rule_id: no-eval\ntype: forbid_pattern\npattern: 'eval\\('\nfile_glob: '**/*.py'\n\
//!     message: Do not call eval.\nseverity: error\n";
//! let contract = Contract::from_yaml(yaml, "no-eval.yaml").map_err(|warnings| warnings[0].to_string())?;
//! let matcher = Matcher::new([contract]).map_err(|warnings| warnings[0].to_string())?;
//! let violations = matcher.check("src/a.py", b"x = eval(y)\n").map_err(|skipped| skipped.why.to_string())?;
//! assert_eq!(violations[0].found.as_ref().map(|found| found.region.start.line), Some(1));
//! # Ok::<(), String>(())
//! ```
//!
//! [`hook`] is the hook protocol of Claude Code as typed Rust. The feature `cli`, on by default, is the command line.

pub use phaser_hook as hook;

#[cfg(feature = "cli")]
mod agents;
#[cfg(feature = "cli")]
mod briefing;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod decisions;
#[cfg(feature = "cli")]
mod examples;
#[cfg(feature = "cli")]
mod exit;
#[cfg(feature = "cli")]
mod flags;
#[cfg(feature = "cli")]
mod import;
#[cfg(feature = "cli")]
mod in_flight;
#[cfg(feature = "cli")]
mod install;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "cli")]
mod json;
#[cfg(feature = "cli")]
mod lint;
mod matcher;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod tamper;

pub use matcher::Matcher;
pub use phaser_core::contract::{Contract, Severity, Warning};
pub use phaser_core::path::RelPath;
pub use phaser_core::skipped::{Gap, Skipped};
pub use phaser_core::text::{Position, Region};
pub use phaser_core::violation::{Fingerprint, Match, Replacement, State, Violation};
pub use phaser_glob::GlobError;
pub use phaser_project::project::{Error, Project, ProjectBuilder};
pub use phaser_project::report::{Report, Summary};
pub use phaser_project::scan::Existing;
pub use phaser_project::source::Source;
pub use phaser_project::source::git::Revisions;
pub use phaser_project::source::shard::Shard;

/// The examples of the hook guide, as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/hooks.md")]
struct Guide;
