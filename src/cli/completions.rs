//! `phaser completions` and `phaser man`, generated from clap's definition.

use anyhow::anyhow;
use clap::{Args, Command};
use clap_complete::Shell;

use super::output::to_stdout;
use crate::exit::Exit;

/// `phaser completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

/// `phaser man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Subcommand of the page, such as 'contracts test' [default: phaser]
    command: Vec<String>,
}

/// Runs `phaser completions`.
pub fn completions(args: &Completions, mut command: Command) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "phaser", &mut script);
    to_stdout(|out| out.write_all(&script))?;
    Ok(Exit::Clean)
}

/// Runs `phaser man`.
pub fn man(args: &Man, mut command: Command) -> anyhow::Result<Exit> {
    command.build();
    let mut page = &command;
    for name in &args.command {
        page = page.find_subcommand(name).ok_or_else(|| {
            anyhow!("unknown command '{}' (run 'phaser help' for a list)", args.command.join(" "))
        })?;
    }
    let page = page.clone();
    to_stdout(|out| clap_mangen::Man::new(page).render(out))?;
    Ok(Exit::Clean)
}
