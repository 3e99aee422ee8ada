//! Output formats: free functions that write a `Report`.
//!
//! A report arrives complete, sorted and redacted. Formats filter and compute nothing.

mod list;

pub mod backtest;
pub mod counts;
pub mod decisions;
pub mod github;
pub mod gitlab;
pub mod here;
pub mod history;
pub mod host;
pub mod html;
pub mod json;
pub mod junit;
pub mod palette;
pub mod redact;
pub mod sarif;
pub mod text;
pub mod timings;
pub mod trend;
pub mod warning;
pub mod wrap;

#[cfg(test)]
mod tests;
