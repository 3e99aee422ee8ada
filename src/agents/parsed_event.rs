//! An event of an agent other than Claude Code, parsed: its kind, and what the tool does. The adapters build it; here it
//! becomes an [`HookEvent`].

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{HookEvent, HookMode, patch};
use phaser_core::skipped::{Skipped, Why};
use phaser_project::path::RelPath;
use phaser_project::source::worktree::ChangeWindow;
use phaser_project::tool_call::{
    Algorithm, Call, FileChange, MAX_PATH, Moment, Occurrences, Original, Rewrite, TextEdit,
};

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    BeforeTool,
    AfterTool,
    /// Also the start of a subagent.
    SessionStart,
    /// A turn is about to end, for the first time since the last prompt.
    TurnEnd,
    /// An event that phaser does not act on.
    Other,
}

impl EventKind {
    /// The kind of an event of an agent that uses Claude Code's event names.
    pub fn from_claude_name(event: &Value) -> Self {
        let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
        match claude_event_name(event) {
            "PreToolUse" => Self::BeforeTool,
            "PostToolUse" | "PostToolUseFailure" => Self::AfterTool,
            "SessionStart" | "SubagentStart" => Self::SessionStart,
            "Stop" | "SubagentStop" if !is_again => Self::TurnEnd,
            _ => Self::Other,
        }
    }
}

/// The name of an event of an agent that uses Claude Code's event names; `PreToolUse` by default.
pub fn claude_event_name(event: &Value) -> &str {
    let name = event.get("hook_event_name").or_else(|| event.get("hookEventName"));
    name.and_then(Value::as_str).unwrap_or("PreToolUse")
}

/// What a tool does to files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAction<'a> {
    FileChange {
        path: &'a str,
        rewrite: Rewrite,
    },
    Changes(Vec<ToolAction<'a>>),
    /// Applies a patch in the `apply_patch` format.
    Patch(&'a str),
    /// Runs shell commands, which may contain patches.
    Shell(Vec<&'a str>),
    /// Changes no file.
    Nothing,
}

impl<'a> ToolAction<'a> {
    pub fn write(path: &'a Value, content: &'a Value) -> Self {
        match path.as_str() {
            Some(path) => {
                let rewrite = Rewrite::Whole(content.as_str().unwrap_or_default().to_owned());
                Self::FileChange { path, rewrite }
            }
            None => Self::Nothing,
        }
    }

    pub fn edit(path: &'a Value, edits: Vec<TextEdit>, algorithm: Algorithm) -> Self {
        match path.as_str() {
            Some(path) => Self::FileChange { path, rewrite: Rewrite::Edits { edits, algorithm } },
            None => Self::Nothing,
        }
    }

    /// A change whose result is only known afterwards.
    pub fn unknown(path: &'a Value) -> Self {
        path.as_str().map_or(Self::Nothing, |path| Self::FileChange { path, rewrite: Rewrite::Unknown })
    }

    pub fn patch(text: &'a Value) -> Self {
        text.as_str().map_or(Self::Nothing, Self::Patch)
    }

    /// A command line, or a list of them.
    pub fn shell(command: &'a Value) -> Self {
        match command {
            Value::String(command) => Self::Shell(vec![command]),
            Value::Array(words) => Self::Shell(words.iter().filter_map(Value::as_str).collect()),
            _ => Self::Shell(Vec::new()),
        }
    }

    /// A tool that the agent does not have itself, such as one of an MCP server. It is taken to write a file if its input
    /// has a path and a text.
    pub fn from_unknown_tool(input: &'a Value) -> Self {
        let first = |names: [&str; 3]| names.into_iter().find_map(|name| input.get(name));
        match (first(["file_path", "filePath", "path"]), first(["content", "text", "file_text"])) {
            (Some(path), Some(content)) if content.is_string() => Self::write(path, content),
            _ => Self::Nothing,
        }
    }
}

/// One text replacement, from the values of a tool's input.
pub fn edit(old: &Value, new: &Value, all: &Value) -> TextEdit {
    let is_all = all.as_bool().unwrap_or_else(|| all.as_str() == Some("true"));
    TextEdit {
        old: old.as_str().unwrap_or_default().to_owned(),
        new: new.as_str().unwrap_or_default().to_owned(),
        occurrences: if is_all { Occurrences::All } else { Occurrences::First },
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedEvent<'a> {
    pub kind: EventKind,
    /// The agent's current directory, if the event has it.
    pub cwd: Option<&'a str>,
    pub action: ToolAction<'a>,
    /// The previous text of the file, if the event after the tool has it.
    pub original: Option<Original>,
    /// The tool's duration in milliseconds, if the event has it.
    pub took: Option<u64>,
    /// The tool's input, if the agent accepts a replacement for it.
    pub input: Option<&'a Value>,
}

/// The assumed duration of a command.
const DURATION_OF_COMMAND: Duration = Duration::from_secs(60);

/// The assumed duration of an edit.
const DURATION_OF_EDIT: Duration = Duration::from_secs(2);

impl<'a> ParsedEvent<'a> {
    pub fn without_tool(kind: EventKind, cwd: &'a Value) -> Self {
        Self { kind, cwd: cwd.as_str(), action: ToolAction::Nothing, original: None, took: None, input: None }
    }

    pub fn with_tool(kind: EventKind, cwd: &'a Value, action: ToolAction<'a>) -> Self {
        Self { action, ..Self::without_tool(kind, cwd) }
    }

    /// Sets the tool's input, for agents that accept a replacement for it.
    pub fn with_input(self, input: &'a Value) -> Self {
        Self { input: Some(input), ..self }
    }

    /// The tool input that makes `changes`, or `None` if the tool cannot be made to.
    pub fn input_for(&self, changes: &[FileChange]) -> Option<Value> {
        let input = self.input.filter(|_| self.kind == EventKind::BeforeTool)?;
        match (&self.action, changes) {
            (ToolAction::Patch(text), _) => replaced(input, &PATCH, text, patch::rewritten(text, changes)?),
            (ToolAction::FileChange { rewrite, .. }, [change]) => match (rewrite, &change.rewrite) {
                (Rewrite::Whole(old), Rewrite::Whole(new)) => replaced(input, &WHOLE, old, new.clone()),
                (Rewrite::Edits { edits: old, .. }, Rewrite::Edits { edits: new, .. }) => {
                    let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
                    replaced(input, &NEW, &old.new, new.new.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The event in the form common to all agents. Relative paths start at the event's directory, or else at `cwd`.
    pub fn into_hook_event(self, cwd: &Path, mode: HookMode) -> HookEvent {
        let directory = self.cwd.filter(|cwd| cwd.len() <= MAX_PATH);
        let cwd = directory.map_or_else(|| cwd.to_owned(), |directory| cwd.join(directory));
        match (self.kind, mode) {
            (EventKind::BeforeTool, _) => self.call(Moment::Before, cwd),
            (EventKind::AfterTool, mode) => self.after_tool(cwd, mode),
            (EventKind::SessionStart, HookMode::Guard) => HookEvent::SessionStart { cwd },
            (EventKind::TurnEnd, HookMode::Guard) => {
                HookEvent::TurnEnd { cwd, sweep: ChangeWindow::Turn { since: None }, sent_back: Vec::new() }
            }
            (EventKind::SessionStart | EventKind::TurnEnd, HookMode::Plain) | (EventKind::Other, _) => {
                HookEvent::Other
            }
        }
    }

    fn after_tool(self, cwd: PathBuf, mode: HookMode) -> HookEvent {
        match (&self.action, mode) {
            (ToolAction::Nothing, _) => HookEvent::Other,
            (ToolAction::Shell(_), HookMode::Guard) => {
                let sweep = ChangeWindow::Command { changed: None, since: self.began() };
                HookEvent::CommandRun { cwd, sweep }
            }
            (ToolAction::Shell(_), HookMode::Plain) => HookEvent::Other,
            // Without the previous text in the event, git may have it.
            (_, HookMode::Guard) if self.original.is_none() => {
                let since = self.began();
                let HookEvent::ToolCall(call) = self.call(Moment::After, cwd) else {
                    return HookEvent::Other;
                };
                let changed = call.changes.iter().map(|change| call.path(change)).collect();
                let sweep = ChangeWindow::Command { changed: Some(changed), since };
                HookEvent::CommandRun { cwd: call.cwd, sweep }
            }
            (_, _) => self.call(Moment::After, cwd),
        }
    }

    /// When the tool started, with one second of slack for the time between its end and now.
    fn began(&self) -> SystemTime {
        let unknown = match self.action {
            ToolAction::Shell(_) => DURATION_OF_COMMAND,
            _ => DURATION_OF_EDIT,
        };
        let took = self.took.map_or(unknown, Duration::from_millis);
        let now = SystemTime::now();
        now.checked_sub(took.saturating_add(Duration::from_secs(1))).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    fn call(self, moment: Moment, cwd: PathBuf) -> HookEvent {
        let mut call = Call { moment, cwd, changes: Vec::new(), skipped: Vec::new() };
        add(&mut call, self.action);
        if let [change] = call.changes.as_mut_slice() {
            change.original = self.original;
        }
        if call.changes.is_empty() && call.skipped.is_empty() {
            return HookEvent::Other;
        }
        HookEvent::ToolCall(call)
    }
}

/// Input keys of a whole file's text.
const WHOLE: [&str; 4] = ["content", "file_text", "text", "new_text"];

/// Input keys of the new text of a replacement.
const NEW: [&str; 4] = ["new_string", "new_str", "newString", "new_text"];

/// Input keys of a patch.
const PATCH: [&str; 4] = ["command", "input", "patchText", "patch"];

/// `input` with `new` for `old`, which is the input itself or the value of one of the keys `names`.
fn replaced(input: &Value, names: &[&str], old: &str, new: String) -> Option<Value> {
    if input.as_str() == Some(old) {
        return Some(Value::String(new));
    }
    let name = names.iter().find(|name| input.get(**name).and_then(Value::as_str) == Some(old))?;
    let mut input = input.clone();
    input[*name] = Value::String(new);
    Some(input)
}

/// Adds the changes of `action` to `call`.
fn add(call: &mut Call, action: ToolAction<'_>) {
    match action {
        ToolAction::FileChange { path: "", .. } => {
            let why = Why::NotReconstructed("Missing file_path".to_owned());
            call.skipped.push(Skipped { path: RelPath::default(), why });
        }
        ToolAction::FileChange { path, rewrite } => {
            match call.changes.iter_mut().find(|change| change.path == path) {
                // Another edit of the same file.
                Some(FileChange { rewrite: Rewrite::Edits { edits, .. }, .. }) => {
                    if let Rewrite::Edits { edits: more, .. } = rewrite {
                        edits.extend(more);
                    }
                }
                _ => call.changes.push(FileChange { path: path.to_owned(), rewrite, original: None }),
            }
        }
        ToolAction::Changes(actions) => actions.into_iter().for_each(|action| add(call, action)),
        ToolAction::Patch(text) => patch::add(call, text),
        ToolAction::Shell(commands) => commands.iter().for_each(|command| patch::add_commands(call, command)),
        ToolAction::Nothing => {}
    }
}
