//! `phaser contracts schema`: for editors that complete and check contract files and the configuration.

use clap::Args;

use super::json;
use crate::config;
use crate::contract::syntax::schema;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub struct Schema {
    /// That of the configuration, .claude/phaser.yaml
    #[arg(long)]
    config: bool,
}

pub fn run(args: &Schema) -> anyhow::Result<Exit> {
    let schema = if args.config { config::schema() } else { schema() };
    json::print(&schema)?;
    Ok(Exit::Clean)
}
