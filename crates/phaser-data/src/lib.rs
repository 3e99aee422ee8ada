//! JSON, JSON with comments, YAML and TOML as one tree with byte spans, and JSONPath (RFC 9535) over it.
//!
//! [`Format::of`] takes the format from the name of a file, [`Tree::parse`] builds the tree, [`JsonPath`] selects nodes,
//! and [`Tree::written`] spells a new value as the format does. Nothing here reads a file.
//!
//! The parsers are jsonc-parser, granit-parser (the event parser below serde-saphyr) and toml; this crate turns their
//! results into one tree. The path evaluator is our own, for these reasons:
//!
//! - It selects nodes of this tree, which have spans and are shared by aliases. The crates that evaluate RFC 9535 take
//!   a `serde_json::Value`, so each file would be copied, and each result found again by its path.
//! - `require_value` judges the parent of the last step, and the prefilter needs the names on the way. Both need the
//!   parsed path, which these crates hide.
//! - A path and a file can be hostile together: `$..*..*` has quadratically many results, aliases exponentially many.
//!   The evaluator counts its steps ([`MAX_STEPS`]) and stops.
//!
//! One value followed through, with the path `$.jobs.*.timeout` and this YAML:
//!
//! ```text
//! jobs:
//!   test: &shared
//!     timeout: 90
//!   lint: *shared
//! ```
//!
//! The tree has a node for each mapping and for `90`, whose span is `34..36`. `lint` is the node of `test` again, so the
//! path selects the node of `90` twice. It is one value with one source, and so one violation.

mod format;
mod json;
mod path;
mod scalar;
mod toml_tree;
mod tree;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

pub use format::Format;
pub use path::{JsonPath, LastStep, MAX_STEPS, PathError, Steps, TooManySteps};
pub use scalar::Scalar;
pub use tree::{
    MAX_BYTES, MAX_DEPTH, MAX_NODES, Member, Node, NodeId, ParseError, ParseProblem, Tree, Value,
};
