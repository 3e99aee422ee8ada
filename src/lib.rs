//! phaser enforces a project's own rules, its *contracts*, wherever code is written.
//!
//! [`Project`] is a project with its contracts; its `check` returns an [`Report`] with every [`Violation`]:
//!
//! ```no_run
//! use phaser::{Project, Source};
//!
//! let report = Project::open(".")?.check(&Source::Tree(None))?;
//! for violation in report.open() {
//!     eprintln!("{}: {}", violation.path, violation.contract.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`hook`] is the hook protocol of Claude Code as typed Rust. The feature `cli`, on by default, adds the command line.

pub use phaser_hook as hook;

#[cfg(feature = "cli")]
mod agents;
#[cfg(feature = "cli")]
mod briefing;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod examples;
#[cfg(feature = "cli")]
mod exit;
#[cfg(feature = "cli")]
mod flags;
#[cfg(feature = "cli")]
mod in_flight;
#[cfg(feature = "cli")]
mod install;
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "cli")]
mod lint;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod tamper;

pub use phaser_core::check::TYPES;
pub use phaser_core::contract::scope::{ContractScope, FileOverride, FileSet, OverrideValues};
pub use phaser_core::contract::{
    Check, Contract, ContractSchema, ContractType, Dialect, Example, Examples, Exclude, FixTemplate,
    LayerKind, Needs, Origin, Pattern, Severity, Warning, WarningEffect, Zone,
};
pub use phaser_core::deadline::Deadline;
pub use phaser_core::matcher::{Checked, Directives, Matcher, Options as MatcherOptions, Selection};
pub use phaser_core::path::RelPath;
pub use phaser_core::skipped::{Gap, Skipped, Why};
pub use phaser_core::text::{Position, Region, Text};
pub use phaser_core::violation::{Fingerprint, LineDigest, Match, Note, Replacement, State, Violation};
pub use phaser_glob::{Glob, GlobError};
pub use phaser_project::project::{Error as ProjectError, Options, Project};
pub use phaser_project::report::{AddedIgnore, Report, Summary};
pub use phaser_project::scan::{Existing, Measure, Propose};
pub use phaser_project::source::Source;
pub use phaser_project::source::git::{Error as GitError, Location as GitLocation, Revisions};
pub use phaser_project::source::shard::Shard;
pub use phaser_project::source::swept::Sweep;

/// The examples of the guide, as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/hooks.md")]
struct Guide;
