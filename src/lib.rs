//! phaser keeps a project's own rules, its *contracts*, true wherever code is written.
//!
//! [`Project`] is a project with its contracts; its `check` gives an [`Outcome`] with every [`Violation`]:
//!
//! ```no_run
//! use phaser::{Project, Source};
//!
//! let outcome = Project::open(".")?.check(&Source::Tree(None))?;
//! for violation in outcome.open() {
//!     eprintln!("{}: {}", violation.path, violation.contract.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`hook`] stands on its own: it is the wire format of Claude Code hooks as typed Rust. Without the default features the
//! crate is that, [`Contract`] files and the [`Matcher`], with few dependencies; the feature `project` adds projects
//! (trees, git, threads), and `cli` the command line.
//!
//! Inside, one pipeline serves every mode: a source gives targets, the scan checks each of them with the matcher, settling
//! gives each violation its state, and a report or an agent's answer shows the outcome. The modules below stand in reading
//! order, and each one imports only from modules above it.

#![cfg_attr(
    not(feature = "cli"),
    allow(dead_code, unused_imports, reason = "some of it only the command line needs")
)]

mod deadline;

mod text;

mod digest;

mod path;

mod glob;

mod nearest;

mod replace;

mod wire;

mod stamp;

pub mod hook;

mod pack;

mod skipped;

mod contract;

mod config;

mod violation;

mod matcher;

mod fix;

#[cfg(feature = "project")]
mod baseline;

#[cfg(feature = "project")]
mod cache;

#[cfg(feature = "project")]
mod outcome;

#[cfg(feature = "project")]
mod change;

#[cfg(feature = "project")]
mod source;

#[cfg(feature = "project")]
mod scan;

#[cfg(feature = "project")]
mod settle;

#[cfg(feature = "project")]
mod project;

#[cfg(feature = "project")]
mod history;

#[cfg(feature = "cli")]
mod amend;

#[cfg(feature = "project")]
mod protect;

#[cfg(feature = "cli")]
mod progress;

#[cfg(feature = "cli")]
mod examples;

#[cfg(feature = "cli")]
mod lint;

#[cfg(feature = "cli")]
mod report;

#[cfg(feature = "cli")]
mod briefing;

#[cfg(feature = "cli")]
mod exit;

#[cfg(feature = "cli")]
mod agent;

#[cfg(feature = "cli")]
mod settings;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;

pub use contract::scope::{Case, Change, FileSet, Scope};
pub use contract::{
    Check, Contract, Dialect, Effect, Example, Examples, Exclude, Fix, Form, Kind, LayerKind, Needs, Origin,
    Pattern, Severity, Warning, Zone,
};
pub use deadline::Deadline;
pub use glob::{Glob, GlobError};
pub use matcher::{Checked, Directives, Matcher, Options as MatcherOptions, Selection};
pub use path::RelPath;
pub use skipped::{Gap, Skipped, Why};
pub use text::{Position, Region, Text};
pub use violation::{Fingerprint, LineDigest, Match, Note, Replacement, State, Violation};

#[cfg(feature = "project")]
pub use {
    outcome::{AddedIgnore, Outcome, Summary},
    project::{Error as ProjectError, Options, Project},
    scan::{Existing, Measure, Propose},
    source::Source,
    source::git::{Error as GitError, Location as GitLocation, Revisions},
    source::shard::Shard,
    source::swept::Sweep,
};
