//! Projects: configuration and contract files, sources of text, the scan, states of violations, baseline, cache and history.
//!
//! [`project::Project`] is the entry point. Nothing here reads the environment, parses arguments or prints.

pub mod atomic_write;
pub mod baseline;
pub mod cache;
pub mod checkout;
mod codec;
pub mod config;
pub mod contracts;
pub mod history;
pub mod packs;
pub mod path;
pub mod project;
pub mod report;
pub mod scan;
pub mod source;
pub mod stamp;
pub mod states;
#[cfg(test)]
mod testing;
pub mod tool_call;
