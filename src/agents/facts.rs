//! The parts of an event that the decision log names, whatever the agent calls them.

use serde_json::Value;

/// Keys of a session's id.
const SESSION: [&str; 6] =
    ["/session_id", "/sessionId", "/conversation_id", "/taskId", "/trajectory_id", "/input/sessionID"];

/// Keys of an event's name.
const EVENT: [&str; 5] = ["/hook_event_name", "/hookEventName", "/hook", "/hookName", "/agent_action_name"];

/// Keys of a tool's name.
const TOOL: [&str; 5] = ["/tool_name", "/toolName", "/input/tool", "/tool_call/name", "/tool_result/name"];

/// Keys of a transcript's path.
const TRANSCRIPT: [&str; 2] = ["/transcript_path", "/transcriptPath"];

/// Keys of a command line.
const COMMAND: [&str; 9] = [
    "/tool_input/command",
    "/toolArgs/command",
    "/output/args/command",
    "/input/args/command",
    "/tool_input/commands/0",
    "/tool_call/input/commands/0",
    "/tool_result/input/commands/0",
    "/tool_info/command_line",
    "/command",
];

/// The longest text that is kept, in characters.
const MAX_LENGTH: usize = 200;

pub fn session(event: &Value) -> Option<String> {
    text(event, &SESSION)
}

pub fn name(event: &Value) -> Option<String> {
    text(event, &EVENT)
}

pub fn tool(event: &Value) -> Option<String> {
    text(event, &TOOL)
}

pub fn transcript(event: &Value) -> Option<&str> {
    TRANSCRIPT.iter().find_map(|key| event.pointer(key)?.as_str())
}

/// The program of a shell command: the base name of its first word that is no assignment, which may hold a secret.
pub fn program(event: &Value) -> Option<String> {
    let command = COMMAND.iter().find_map(|key| event.pointer(key)?.as_str())?;
    let word = command.split_whitespace().find(|word| !word.contains('='))?;
    let name = word.rsplit('/').next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    (!name.is_empty() && name.len() <= MAX_LENGTH && name.chars().all(is_plain)).then(|| name.to_owned())
}

/// Whether the event is about a shell command.
pub fn has_command(event: &Value) -> bool {
    COMMAND.iter().any(|key| event.pointer(key).is_some_and(Value::is_string))
}

fn text(event: &Value, keys: &[&str]) -> Option<String> {
    let text = keys.iter().find_map(|key| event.pointer(key)?.as_str())?;
    Some(text.chars().take(MAX_LENGTH).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn program_is_first_word_without_assignments() {
        let of = |command: &str| program(&json!({ "tool_input": { "command": command } }));
        assert_eq!(of("TOKEN=s3cret /usr/bin/curl -H x").as_deref(), Some("curl"));
        assert_eq!(of("git commit -m x").as_deref(), Some("git"));
        assert_eq!(of("$(cat secret) x"), None);
        assert_eq!(of("A=b"), None);
    }
}
