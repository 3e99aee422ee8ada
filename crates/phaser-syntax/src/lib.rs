//! Code patterns over syntax trees.
//!
//! The matcher is ast-grep's, the trees are tree-sitter's. This crate adds what an enforcer needs around them: rules that
//! are checked before any grammar is loaded, literals that every match contains, and bounds on time and space.
//!
//! # Example
//!
//! The pattern `eval($X)` and the file `a.py` with the text `x = eval(input())  # eval(y)`:
//!
//! 1. [`CodeRule::pattern`] reads the pattern. No grammar is touched.
//! 2. [`CodeRule::prefilter`] returns `eval`: the only word of the pattern that is neither a metavariable nor a keyword.
//!    A text without it has no match and is not parsed.
//! 3. [`Language::of_path`] returns Python, and [`CodeRule::compile`] parses the pattern with Python's grammar.
//! 4. [`SyntaxTree::parse`] parses the text, up to [`MAX_BYTES`] and a number of steps that is linear in its size.
//! 5. [`CompiledRule::find`] returns `4..17`. The comment has no call node, so it does not match.
//!
//! # Bounds
//!
//! A tree-sitter parser is slow on some inputs and a relational rule is quadratic on others. Parsing and searching count
//! their steps and what a scanner reads, and so stop at the same point on every machine; a caller with a deadline passes a
//! function that ends them earlier. Either way the result is [`Unfinished`], never "no match". A parser that crashes, or
//! that neither reads nor returns, is left to `phaser-rerun`.

mod imports;
mod keywords;
mod language;
mod literals;
mod metered;
mod rule;
pub mod shell;
mod tree;

pub use imports::{FileImports, Import, ImportForm, ImportedMember};
pub use language::Language;
pub use rule::{CodeRule, CompiledRule, RuleError};
pub use tree::{MAX_BYTES, Stop, SyntaxTree, Unfinished};
/// The bindings that [`SyntaxTree::tree`] refers to.
pub use tree_sitter;
