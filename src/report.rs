//! How an report is shown: one free function for each format over the report.
//!
//! Reports filter nothing and compute nothing; what they are given is in its final order.

mod list;

pub mod backtest;
pub mod counts;
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

#[cfg(test)]
mod tests;
