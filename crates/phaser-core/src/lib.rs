//! Contracts, and the matcher that checks them. Pure: no I/O, and no clock unless a caller sets a deadline.
//!
//! [`contract`] is the model of a contract and reads it from YAML; [`check`] has one unit per contract type;
//! [`matcher`] takes contracts, a path and a text, and returns [`violation`]s; [`fix`] computes the text without them.

pub mod check;
pub mod code;
pub mod command;
pub mod contract;
pub mod deadline;
pub mod digest;
pub mod file_kind;
pub mod fix;
pub mod imports;
pub mod matcher;
pub mod notebook;
pub mod path;
pub mod sanitize;
pub mod skipped;
pub mod suggest;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod verify;
pub mod violation;
