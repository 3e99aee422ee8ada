//! An event of an agent other than Claude Code, parsed: its kind, and what the tool does. The adapters build it; here it
//! becomes an [`HookEvent`].

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::replace::EXACT;
use super::{HookEvent, HookMode, mcp, patch};
use phaser_core::skipped::{SkipReason, Skipped};
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
        path: Cow<'a, str>,
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

/// A kind of tool. The keys of its input have different names in each agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Writes a whole file.
    Write,
    /// Replaces a text.
    Edit,
    /// Replaces several texts of a file.
    MultiEdit,
    /// Changes a file in a way that is only known afterwards.
    Unknown,
    /// Applies a patch in the `apply_patch` format.
    Patch,
    /// Runs a command line, or a list of them.
    Shell,
}

const PATH: [&str; 3] = ["file_path", "filePath", "path"];
const CONTENT: [&str; 4] = ["content", "file_text", "text", "new_text"];
const OLD: [&str; 6] = ["old_string", "old_str", "oldString", "oldStr", "old_text", "oldText"];
const NEW: [&str; 6] = ["new_string", "new_str", "newString", "newStr", "new_text", "newText"];
const REPLACE_ALL: [&str; 4] = ["replace_all", "replaceAll", "change_all", "allow_multiple"];
const EDITS: [&str; 2] = ["changes", "edits"];
const PATCH: [&str; 4] = ["command", "input", "patchText", "patch"];
const COMMAND: [&str; 3] = ["command", "commands", "command_line"];

/// The value of the first of the keys `names` that `input` has; null without any.
fn field<'a>(input: &'a Value, names: &[&str]) -> &'a Value {
    names.iter().find_map(|name| input.get(name)).unwrap_or(&Value::Null)
}

impl ToolKind {
    /// What a tool of this kind does with this input.
    pub fn action(self, input: &Value) -> ToolAction<'_> {
        let path = field(input, &PATH);
        match self {
            Self::Write => ToolAction::write(path, field(input, &CONTENT)),
            Self::Edit => ToolAction::edit(path, vec![edit(input)], EXACT),
            Self::MultiEdit => {
                let edits = field(input, &EDITS).as_array().into_iter().flatten();
                ToolAction::edit(path, edits.map(edit).collect(), EXACT)
            }
            Self::Unknown => ToolAction::change(path, Rewrite::Unknown),
            Self::Patch => ToolAction::patch(field(input, &PATCH)),
            Self::Shell => ToolAction::Shell(match field(input, &COMMAND) {
                Value::Array(commands) => commands.iter().filter_map(Value::as_str).collect(),
                command => command.as_str().into_iter().collect(),
            }),
        }
    }
}

impl<'a> ToolAction<'a> {
    /// What the tool with this name does with this input.
    pub fn of(name: &Value, input: &'a Value, tools: &[(&str, ToolKind)]) -> Self {
        match tools.iter().find(|(known, _)| name == known) {
            Some((_, kind)) => kind.action(input),
            None => Self::from_unknown_tool(name, input),
        }
    }

    fn change(path: &'a Value, rewrite: Rewrite) -> Self {
        path.as_str().map_or(Self::Nothing, |path| Self::FileChange { path: path.into(), rewrite })
    }

    fn write(path: &'a Value, content: &Value) -> Self {
        Self::change(path, Rewrite::Whole(content.as_str().unwrap_or_default().to_owned()))
    }

    pub fn edit(path: &'a Value, edits: Vec<TextEdit>, algorithm: Algorithm) -> Self {
        Self::change(path, Rewrite::Edits { edits, algorithm })
    }

    pub fn patch(text: &'a Value) -> Self {
        text.as_str().map_or(Self::Nothing, Self::Patch)
    }

    /// A tool that the agent does not have itself, such as one of an MCP server. It changes a file if its input names one and
    /// has a content or exact edits. What any other tool of a server does is known afterwards.
    pub fn from_unknown_tool(name: &Value, input: &'a Value) -> Self {
        let Some(path) = mcp::file(input) else { return Self::Nothing };
        let is_of_server = name.as_str().is_some_and(mcp::is_tool);
        match mcp::rewrite(input) {
            Some(rewrite @ Rewrite::Whole(_)) => Self::FileChange { path, rewrite },
            Some(rewrite) if is_of_server => Self::FileChange { path, rewrite },
            None if is_of_server => Self::FileChange { path, rewrite: Rewrite::Unknown },
            Some(_) | None => Self::Nothing,
        }
    }
}

/// One text replacement, from a tool's input.
pub fn edit(input: &Value) -> TextEdit {
    let text = |names: &[&str]| field(input, names).as_str().unwrap_or_default().to_owned();
    let all = field(input, &REPLACE_ALL);
    let is_all = all.as_bool().unwrap_or_else(|| all.as_str() == Some("true"));
    let occurrences = if is_all { Occurrences::All } else { Occurrences::First };
    TextEdit { old: text(&OLD), new: text(&NEW), occurrences }
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
pub const DURATION_OF_COMMAND: Duration = Duration::from_secs(60);

/// The assumed duration of an edit.
const DURATION_OF_EDIT: Duration = Duration::from_secs(2);

impl<'a> ParsedEvent<'a> {
    pub fn new(kind: EventKind, cwd: &'a Value, action: ToolAction<'a>) -> Self {
        Self { kind, cwd: cwd.as_str(), action, original: None, took: None, input: None }
    }

    /// Parses an event with Claude Code's keys and event names, from an agent with these tools.
    pub fn in_claude_format(event: &'a Value, tools: &[(&str, ToolKind)]) -> Self {
        let action = ToolAction::of(&event["tool_name"], &event["tool_input"], tools);
        Self::new(EventKind::from_claude_name(event), &event["cwd"], action)
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
                (Rewrite::Whole(old), Rewrite::Whole(new)) => replaced(input, &CONTENT, old, new.clone()),
                (Rewrite::Edits { edits: old, .. }, Rewrite::Edits { edits: new, .. }) => {
                    let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
                    replaced(input, &NEW, &old.new, new.new.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The tool input that runs `line` instead of the command, or `None` if the tool cannot be made to.
    pub fn input_for_command(&self, line: &str) -> Option<Value> {
        let input = self.input.filter(|_| self.kind == EventKind::BeforeTool)?;
        match &self.action {
            ToolAction::Shell(commands) => match commands.as_slice() {
                [command] => replaced(input, &COMMAND, command, line.to_owned()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The event in the form common to all agents. Relative paths start at the event's directory, or else at `cwd`.
    pub fn into_hook_event(self, cwd: &Path, mode: HookMode) -> HookEvent {
        let cwd = directory(self.cwd, cwd);
        match (self.kind, mode) {
            (EventKind::BeforeTool, mode) => {
                let lines = match (&self.action, mode) {
                    (ToolAction::Shell(commands), HookMode::Guard) => {
                        commands.iter().map(|&command| command.to_owned()).collect()
                    }
                    _ => Vec::new(),
                };
                // A command may contain a patch.
                match self.call(Moment::Before, cwd.clone()) {
                    HookEvent::Other if !lines.is_empty() => HookEvent::Command { cwd, lines },
                    event => event,
                }
            }
            (EventKind::AfterTool, mode) => self.after_tool(cwd, mode),
            (EventKind::SessionStart, HookMode::Guard) => HookEvent::SessionStart { cwd },
            (EventKind::TurnEnd, HookMode::Guard) => {
                HookEvent::TurnEnd { cwd, sweep: ChangeWindow::turn(None), sent_back: Vec::new() }
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
                let is_written = |(path, change): &(PathBuf, &FileChange)| {
                    change.rewrite != Rewrite::Unknown || mcp::may_have_written(path, since)
                };
                let changes = call.changes.iter().map(|change| (call.path(change), change));
                let changed = changes.filter(is_written).map(|(path, _)| path).collect();
                let sweep = ChangeWindow::Command { changed: Some(changed), since };
                HookEvent::CommandRun { cwd: call.cwd, sweep }
            }
            (_, _) => self.call(Moment::After, cwd),
        }
    }

    fn began(&self) -> SystemTime {
        let unknown = match self.action {
            ToolAction::Shell(_) => DURATION_OF_COMMAND,
            _ => DURATION_OF_EDIT,
        };
        started(self.took, unknown)
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

/// When a tool that `took` this many milliseconds started, with one second of slack for the time between its end and now.
pub fn started(took: Option<u64>, unknown: Duration) -> SystemTime {
    let took = took.map_or(unknown, Duration::from_millis);
    let now = SystemTime::now();
    now.checked_sub(took.saturating_add(Duration::from_secs(1))).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The directory of an event, absolute; `cwd` if the event has none.
pub fn directory(of_event: Option<&str>, cwd: &Path) -> PathBuf {
    of_event.filter(|path| path.len() <= MAX_PATH).map_or_else(|| cwd.to_owned(), |path| cwd.join(path))
}

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
        ToolAction::FileChange { path, .. } if path.is_empty() => {
            let why = SkipReason::NotReconstructed("Missing file_path".to_owned());
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
                _ => call.changes.push(FileChange { path: path.into_owned(), rewrite, original: None }),
            }
        }
        ToolAction::Changes(actions) => actions.into_iter().for_each(|action| add(call, action)),
        ToolAction::Patch(text) => patch::add(call, text),
        ToolAction::Shell(commands) => commands.iter().for_each(|command| patch::add_commands(call, command)),
        ToolAction::Nothing => {}
    }
}
