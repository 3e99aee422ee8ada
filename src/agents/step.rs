//! An event of a client other than Claude Code, in no client's words: what happens, and what a tool does.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{Manner, Occasion, Worktree, patch};
use phaser_core::skipped::{Skipped, Why};
use phaser_project::path::RelPath;
use phaser_project::source::swept::Sweep;
use phaser_project::tool_call::{
    Algorithm, Call, Change, Edit, MAX_PATH, Moment, Occurrences, Original, Rewrite,
};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool is about to run.
    Before,
    /// A tool has run.
    After,
    /// Somebody begins to work.
    Beginning,
    /// A turn is about to end, for the first time.
    End,
    /// Nothing that matters.
    Other,
}

impl Kind {
    /// What happens, in a client that names events as Claude Code does.
    pub fn in_claudes_words(event: &Value) -> Self {
        let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
        match claudes_name(event) {
            "PreToolUse" => Self::Before,
            "PostToolUse" | "PostToolUseFailure" => Self::After,
            "SessionStart" | "SubagentStart" => Self::Beginning,
            "Stop" | "SubagentStop" if !is_again => Self::End,
            _ => Self::Other,
        }
    }
}

/// The name of an event, in a client that names events as Claude Code does.
pub fn claudes_name(event: &Value) -> &str {
    let name = event.get("hook_event_name").or_else(|| event.get("hookEventName"));
    name.and_then(Value::as_str).unwrap_or("PreToolUse")
}

/// What a tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed<'a> {
    /// Changes one file.
    Change {
        /// The file.
        path: &'a str,
        /// How.
        rewrite: Rewrite,
    },
    /// Changes several files.
    Changes(Vec<Deed<'a>>),
    /// Applies a patch.
    Patch(&'a str),
    /// Runs commands.
    Shell(Vec<&'a str>),
    /// Changes no file.
    Nothing,
}

impl<'a> Deed<'a> {
    /// Writes a whole file.
    pub fn write(path: &'a Value, content: &'a Value) -> Self {
        match path.as_str() {
            Some(path) => {
                let rewrite = Rewrite::Whole(content.as_str().unwrap_or_default().to_owned());
                Self::Change { path, rewrite }
            }
            None => Self::Nothing,
        }
    }

    /// Replaces texts in a file.
    pub fn edit(path: &'a Value, edits: Vec<Edit>, algorithm: Algorithm) -> Self {
        match path.as_str() {
            Some(path) => Self::Change { path, rewrite: Rewrite::Edits { edits, algorithm } },
            None => Self::Nothing,
        }
    }

    /// Changes a file in a way that is only known afterwards.
    pub fn unknown(path: &'a Value) -> Self {
        path.as_str().map_or(Self::Nothing, |path| Self::Change { path, rewrite: Rewrite::Unknown })
    }

    /// Applies a patch.
    pub fn patch(text: &'a Value) -> Self {
        text.as_str().map_or(Self::Nothing, Self::Patch)
    }

    /// Runs a command.
    pub fn shell(command: &'a Value) -> Self {
        match command {
            Value::String(command) => Self::Shell(vec![command]),
            Value::Array(words) => Self::Shell(words.iter().filter_map(Value::as_str).collect()),
            _ => Self::Shell(Vec::new()),
        }
    }

    /// What a tool does that the client itself does not have, such as one of an MCP server: it writes a file if it is given
    /// a path and a text.
    pub fn of_foreign_tool(input: &'a Value) -> Self {
        let first = |names: [&str; 3]| names.into_iter().find_map(|name| input.get(name));
        match (first(["file_path", "filePath", "path"]), first(["content", "text", "file_text"])) {
            (Some(path), Some(content)) if content.is_string() => Self::write(path, content),
            _ => Self::Nothing,
        }
    }
}

/// One replacement, from the fields of a tool's input.
pub fn edit(old: &Value, new: &Value, all: &Value) -> Edit {
    let is_all = all.as_bool().unwrap_or_else(|| all.as_str() == Some("true"));
    Edit {
        old: old.as_str().unwrap_or_default().to_owned(),
        new: new.as_str().unwrap_or_default().to_owned(),
        occurrences: if is_all { Occurrences::All } else { Occurrences::First },
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'a> {
    /// What happens.
    pub kind: Kind,
    /// Where the client is, if it says so.
    pub cwd: Option<&'a str>,
    /// What the tool does.
    pub deed: Deed<'a>,
    /// What the file was before, if the client says so afterwards.
    pub original: Option<Original>,
    /// How long the tool took, in milliseconds, if the client says so.
    pub took: Option<u64>,
    /// The input of the tool, in a client that can be told to run it with another one.
    pub input: Option<&'a Value>,
}

/// How long a command is taken to have run if the client does not say.
const DURATION_OF_COMMAND: Duration = Duration::from_secs(60);

/// How long an edit is taken to have run.
const DURATION_OF_EDIT: Duration = Duration::from_secs(2);

impl<'a> Step<'a> {
    /// An event in which no tool runs.
    pub fn without_tool(kind: Kind, cwd: &'a Value) -> Self {
        Self { kind, cwd: cwd.as_str(), deed: Deed::Nothing, original: None, took: None, input: None }
    }

    /// A tool runs, or has run.
    pub fn with_tool(kind: Kind, cwd: &'a Value, deed: Deed<'a>) -> Self {
        Self { deed, ..Self::without_tool(kind, cwd) }
    }

    /// The same, in a client that can be told to run the tool with another input than this one.
    pub fn with_input(self, input: &'a Value) -> Self {
        Self { input: Some(input), ..self }
    }

    /// The input with which the tool makes these changes instead of its own, if there is one.
    pub fn input_for(&self, changes: &[Change]) -> Option<Value> {
        let input = self.input.filter(|_| self.kind == Kind::Before)?;
        match (&self.deed, changes) {
            (Deed::Patch(text), _) => replaced(input, &PATCH, text, patch::rewritten(text, changes)?),
            (Deed::Change { rewrite, .. }, [change]) => match (rewrite, &change.rewrite) {
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

    /// What the event is an occasion for; relative paths start at the event's directory, or at `cwd` when it names none.
    pub fn occasion(self, cwd: &Path, manner: Manner) -> Occasion {
        let directory = self.cwd.filter(|cwd| cwd.len() <= MAX_PATH);
        let cwd = directory.map_or_else(|| cwd.to_owned(), |directory| cwd.join(directory));
        match (self.kind, manner) {
            (Kind::Before, _) => self.call(Moment::Before, cwd),
            (Kind::After, manner) => self.afterwards(cwd, manner),
            (Kind::Beginning, Manner::Guard) => Occasion::Beginning { cwd },
            (Kind::End, Manner::Guard) => {
                let worktree = Worktree { cwd, sweep: Sweep::Turn { since: None } };
                Occasion::End { worktree, told: Vec::new() }
            }
            (Kind::Beginning | Kind::End, Manner::Plain) | (Kind::Other, _) => Occasion::Nothing,
        }
    }

    /// A tool has run.
    fn afterwards(self, cwd: PathBuf, manner: Manner) -> Occasion {
        match (&self.deed, manner) {
            (Deed::Nothing, _) => Occasion::Nothing,
            (Deed::Shell(_), Manner::Guard) => {
                let sweep = Sweep::Command { changed: None, since: self.began() };
                Occasion::Command(Worktree { cwd, sweep })
            }
            (Deed::Shell(_), Manner::Plain) => Occasion::Nothing,
            // What the client does not say about the files before, git may know.
            (_, Manner::Guard) if self.original.is_none() => {
                let since = self.began();
                let Occasion::Call(call) = self.call(Moment::After, cwd) else { return Occasion::Nothing };
                let changed = call.changes.iter().map(|change| call.path(change)).collect();
                let sweep = Sweep::Command { changed: Some(changed), since };
                Occasion::Command(Worktree { cwd: call.cwd, sweep })
            }
            (_, _) => self.call(Moment::After, cwd),
        }
    }

    /// When the tool began to run, with some time for what lies between its end and now.
    fn began(&self) -> SystemTime {
        let unknown = match self.deed {
            Deed::Shell(_) => DURATION_OF_COMMAND,
            _ => DURATION_OF_EDIT,
        };
        let took = self.took.map_or(unknown, Duration::from_millis);
        let now = SystemTime::now();
        now.checked_sub(took.saturating_add(Duration::from_secs(1))).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// A call of the tool.
    fn call(self, moment: Moment, cwd: PathBuf) -> Occasion {
        let mut call = Call { moment, cwd, changes: Vec::new(), skipped: Vec::new() };
        add(&mut call, self.deed);
        if let [change] = call.changes.as_mut_slice() {
            change.original = self.original;
        }
        if call.changes.is_empty() && call.skipped.is_empty() {
            return Occasion::Nothing;
        }
        Occasion::Call(call)
    }
}

/// The names under which tools are given a whole file.
const WHOLE: [&str; 4] = ["content", "file_text", "text", "new_text"];

/// The names under which they are given a text that takes the place of another.
const NEW: [&str; 4] = ["new_string", "new_str", "newString", "new_text"];

/// The names under which they are given a patch.
const PATCH: [&str; 4] = ["command", "input", "patchText", "patch"];

/// The input with `new` in the place of `old`, which it has under one of these names, or is by itself.
fn replaced(input: &Value, names: &[&str], old: &str, new: String) -> Option<Value> {
    if input.as_str() == Some(old) {
        return Some(Value::String(new));
    }
    let name = names.iter().find(|name| input.get(**name).and_then(Value::as_str) == Some(old))?;
    let mut input = input.clone();
    input[*name] = Value::String(new);
    Some(input)
}

/// Adds what a tool does to the changes of its call.
fn add(call: &mut Call, deed: Deed<'_>) {
    match deed {
        Deed::Change { path: "", .. } => {
            let why = Why::NotReconstructed("Missing file_path".to_owned());
            call.skipped.push(Skipped { path: RelPath::default(), why });
        }
        Deed::Change { path, rewrite } => match call.changes.iter_mut().find(|change| change.path == path) {
            // The same file again: both are made one after the other.
            Some(Change { rewrite: Rewrite::Edits { edits, .. }, .. }) => {
                if let Rewrite::Edits { edits: more, .. } = rewrite {
                    edits.extend(more);
                }
            }
            _ => call.changes.push(Change { path: path.to_owned(), rewrite, original: None }),
        },
        Deed::Changes(deeds) => deeds.into_iter().for_each(|deed| add(call, deed)),
        Deed::Patch(text) => patch::add(call, text),
        Deed::Shell(commands) => commands.iter().for_each(|command| patch::add_commands(call, command)),
        Deed::Nothing => {}
    }
}
