//! `phaser contracts schema`: the JSON Schema of contract files.

use super::json;
use crate::contract::syntax;
use crate::exit::Exit;

pub fn run() -> anyhow::Result<Exit> {
    json::print(&syntax::schema())?;
    Ok(Exit::Clean)
}
