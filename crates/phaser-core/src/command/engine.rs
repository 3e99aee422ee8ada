//! Parses lines with the grammar of Bash.

use std::rc::Rc;

pub use phaser_syntax::shell::{SHELLS, ShellCommand, ShellReceiver, ShellWord};
use phaser_syntax::shell::{ShellError, commands};
use phaser_syntax::{Stop, Unfinished};

use crate::deadline::Deadline;

/// Whether lines can be parsed.
pub const IS_AVAILABLE: bool = true;

/// The simple commands of a line.
pub fn parse(line: &str, deadline: Deadline) -> Result<Vec<ShellCommand>, &'static str> {
    let stop: Stop = Rc::new(move || deadline.has_passed());
    commands(line, &stop).map_err(|error| match error {
        ShellError::Syntax => "it does not parse as Bash",
        ShellError::Unfinished(Unfinished::Stopped) => "timed out",
        ShellError::Unfinished(Unfinished::Crashed) => "the parser crashed",
        ShellError::Unfinished(_) => "it is too large or too deeply nested to parse",
    })
}
