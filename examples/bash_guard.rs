//! A PreToolUse hook for Bash: asks before a forced push and proposes `--force-with-lease`.
//!
//! In the settings: `"matcher": "Bash"`, with this program as the command.

use std::error::Error;
use std::io::{self, Write};

use phaser::hook::{Event, PreToolUseResponse, Request, Response, ResponseError, Tool, UpdatedInput};
use serde_json::{Map, json};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::read(io::stdin())?;
    let document = respond(&request)?.to_json_for(&request)?;
    Ok(io::stdout().write_all(document.as_bytes())?)
}

fn respond(request: &Request) -> Result<Response, ResponseError> {
    let Event::PreToolUse(call) = request.event() else { return Ok(Response::empty()) };
    let (Some(Tool::Bash), Some(command)) = (call.tool, call.input.command()) else {
        return Ok(Response::empty());
    };
    let safer = command.replace("push --force ", "push --force-with-lease ");
    if safer == command {
        return Ok(Response::empty());
    }
    // Only the command changes; the other fields of the input stay as they are.
    let update = Map::from_iter([("command".to_owned(), json!(safer))]);
    let ask = PreToolUseResponse::ask("A forced push overwrites other people's work; use a lease instead?");
    ask.with_updated_input(UpdatedInput::merge(call.input, update)).map(Response::from)
}
