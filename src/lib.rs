//! phaser keeps a project's own rules, its *contracts*, true wherever code is written.
//!
//! One pipeline serves every mode: a [`source`] gives targets, [`scan`] checks each of them with the
//! [`matcher`] built from the [`contract`] files, and [`report`] shows the outcome. The modules
//! below stand in reading order, and each one imports only from modules above it.
//!
//! [`hook`] stands on its own: it is the wire format of Claude Code hooks as typed Rust.

pub mod deadline;

pub mod text;

pub mod digest;

pub mod path;

pub mod glob;

pub mod nearest;

pub mod replace;

pub mod hook;

pub mod pack;

pub mod skipped;

pub mod contract;

pub mod violation;

pub mod matcher;

pub mod outcome;

pub mod change;

pub mod source;

pub mod scan;

pub mod progress;

pub mod settle;

pub mod project;

pub mod examples;

pub mod lint;

pub mod report;

pub mod exit;

pub mod agent;

pub mod settings;

pub mod cli;
