//! Hook events, as an agent sends them.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::{Output, Sandbox};

/// A hook event for `phaser enforce --stdin`, in Claude Code's format:
///
/// ```ignore
/// sandbox.hook("PreToolUse").tool("Write", json!({ "file_path": "a.py", "content": "x" })).guard().run()
/// ```
pub struct Hook<'a> {
    sandbox: &'a Sandbox,
    event: Value,
    args: Vec<OsString>,
    project: Option<OsString>,
}

impl<'a> Hook<'a> {
    pub(super) fn new(sandbox: &'a Sandbox, name: &str) -> Self {
        let event = json!({
            "session_id": "s",
            "transcript_path": "/nowhere/t.jsonl",
            "cwd": sandbox.root(),
            "permission_mode": "default",
            "hook_event_name": name,
        });
        Self { sandbox, event, args: Vec::new(), project: None }
    }

    /// The tool and its input.
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.with(json!({ "tool_name": name, "tool_input": input, "tool_use_id": "t" }))
    }

    /// A Write of this file of the project.
    pub fn write(self, path: &str, content: &str) -> Self {
        let input = json!({ "file_path": self.sandbox.path(path), "content": content });
        self.tool("Write", input)
    }

    /// An Edit of this file of the project.
    pub fn edit(self, path: &str, old: &str, new: &str) -> Self {
        let input = json!({ "file_path": self.sandbox.path(path), "old_string": old, "new_string": new });
        self.tool("Edit", input)
    }

    /// Adds fields to the event; one that is there already is replaced, and with `null` removed.
    pub fn with(mut self, fields: Value) -> Self {
        let event = self.event.as_object_mut().expect("an object");
        let Value::Object(fields) = fields else { panic!("not an object: {fields}") };
        for (name, value) in fields {
            match value {
                Value::Null => event.remove(&name),
                value => event.insert(name, value),
            };
        }
        self
    }

    /// Adds arguments to `phaser enforce --stdin`.
    pub fn args<T: Into<OsString>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sends the event to the guard of the sandbox's project.
    pub fn guard(self) -> Self {
        let root = self.sandbox.root();
        self.project(root).args(["--guard"])
    }

    /// Sets the project that the agent names in its environment.
    pub fn project(mut self, root: impl Into<OsString>) -> Self {
        self.project = Some(root.into());
        self
    }

    /// The event as the agent writes it.
    pub fn json(&self) -> String {
        self.event.to_string()
    }

    /// Sends the event.
    pub fn run(self) -> Output {
        let mut command = self.sandbox.command();
        command.args(["enforce", "--stdin"]).args(&self.args);
        if let Some(project) = &self.project {
            command.env("CLAUDE_PROJECT_DIR", project);
        }
        self.sandbox.run_with(&mut command, self.json().as_bytes())
    }
}
