//! `phaser contracts schema`: the JSON Schema of contract files or of the configuration, for editors.

use clap::Args;

use super::json;
use crate::exit::Exit;
use phaser_core::contract::syntax::schema;
use phaser_project::config;

#[derive(Debug, Args)]
pub struct Schema {
    /// Print the schema of the configuration, .claude/phaser.yaml
    #[arg(long)]
    config: bool,
}

pub fn run(args: &Schema) -> anyhow::Result<Exit> {
    let schema = if args.config { config::schema() } else { schema() };
    json::print(&schema)?;
    Ok(Exit::Clean)
}
