//! Contracts against text.

mod comments;
pub mod ignores;
