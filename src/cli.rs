//! The command line.

use std::process::ExitCode;

/// Runs phaser with the arguments of this process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
