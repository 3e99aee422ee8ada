//! The binary: everything happens in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    phaser::cli::main()
}
