//! Everything that is promised to users, as tests that run the binary.

mod harness;

mod action;
mod cli;
mod compiled;
mod contracts;
mod contracts_loading;
mod corpus;
mod determinism;
mod doctor;
mod equality;
mod examples;
mod exits;
mod faults;
mod gaps;
mod git_hook;
mod git_modes;
mod guide;
mod hook;
mod hostile_contracts;
mod hostile_events;
mod hostile_text;
mod hostile_trees;
mod ignores;
mod init;
mod install;
mod layering;
mod output;
mod promises;
mod properties;
mod recipes;
mod reports;
mod shard;
mod stats;
mod tree;
mod types;
