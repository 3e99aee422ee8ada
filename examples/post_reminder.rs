//! A PostToolUse hook: after an edit of a migration, reminds Claude to update docs and fixtures.
//!
//! In the settings: `"matcher": "Edit|Write"`, with this program as the command.

use std::error::Error;
use std::io::{self, Write};

use phaser::GlobError;
use phaser::hook::{Event, PostToolUseResponse, Request, Response};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::read(io::stdin())?;
    if let Some(reminder) = reminder(&request)? {
        let response = Response::from(PostToolUseResponse::with_context(reminder));
        io::stdout().write_all(response.to_json_for(&request)?.as_bytes())?;
    }
    Ok(())
}

fn reminder(request: &Request) -> Result<Option<String>, GlobError> {
    let Event::PostToolUse(run) = request.event() else { return Ok(None) };
    if run.failed() || !run.call.input.file_path_matches(["**/migrations/**/*.sql"])? {
        return Ok(None);
    }
    let path = run.call.input.file_path().unwrap_or_default();
    Ok(Some(format!("{path} changes the schema: update docs/schema.md and the fixtures too.")))
}
