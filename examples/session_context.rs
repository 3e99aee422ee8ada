//! A SessionStart hook: gives Claude the project's house rules and sets a variable for Bash.
//!
//! In the settings: under `"SessionStart"`, with this program as the command.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

use phaser::hook::{Event, Request, Response, SessionStartResponse};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::read(io::stdin())?;
    let Event::SessionStart { env_file, .. } = request.event() else { return Ok(()) };
    let rules = Path::new(request.cwd().unwrap_or(".")).join("HOUSE_RULES.md");
    let response = match fs::read_to_string(rules) {
        Ok(rules) => SessionStartResponse::with_context(rules),
        Err(_) => SessionStartResponse::acknowledge(),
    };
    let response = response.and_env_vars([("PAGER", "cat")])?;
    let from_client = env::var("CLAUDE_ENV_FILE").ok();
    if let Some(file) = from_client.as_deref().or(env_file) {
        response.append_env_vars(Path::new(file))?;
    }
    let document = Response::from(response).to_json_for(&request)?;
    Ok(io::stdout().write_all(document.as_bytes())?)
}
