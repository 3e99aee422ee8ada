//! Stands in for the parser where the feature `syntax` is off.

use std::ops::Range;

use crate::deadline::Deadline;

/// Whether lines can be parsed.
pub const IS_AVAILABLE: bool = false;

/// See `phaser_syntax::shell::ShellCommand`.
#[derive(Debug, Clone)]
pub struct ShellCommand {
    pub words: Vec<ShellWord>,
    pub assignments: Vec<ShellWord>,
    pub directory: Vec<String>,
    pub receivers: Vec<ShellReceiver>,
}

/// See `phaser_syntax::shell::ShellReceiver`.
#[derive(Debug, Clone)]
pub struct ShellReceiver {
    pub words: Vec<String>,
    pub word: Option<usize>,
}

/// See `phaser_syntax::shell::SHELLS`.
pub const SHELLS: [&str; 0] = [];

/// See `phaser_syntax::shell::ShellWord`.
#[derive(Debug, Clone)]
pub struct ShellWord {
    pub text: String,
    pub range: Option<Range<usize>>,
}

/// No line can be parsed.
pub fn parse(_: &str, _: Deadline) -> Result<Vec<ShellCommand>, &'static str> {
    Err("phaser was built without the feature 'syntax'")
}
