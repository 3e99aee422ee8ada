//! Tools and their arguments.
//!
//! Keys are read in snake_case and in camelCase. A field of the wrong type counts as missing; the JSON itself stays
//! available through [`ToolInput::get`].

use serde_json::{Map, Value};

use phaser_glob::{Glob, GlobError};

/// A tool of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool<'a> {
    /// Writes a whole file.
    Write,
    /// Replaces one piece of a file.
    Edit,
    /// Replaces several pieces of a file.
    MultiEdit,
    /// Changes one cell of a notebook.
    NotebookEdit,
    /// Runs a shell command.
    Bash,
    /// Reads a file.
    Read,
    /// Finds files by name.
    Glob,
    /// Finds files by content.
    Grep,
    /// Fetches a page.
    WebFetch,
    /// Searches the web.
    WebSearch,
    /// Starts a subagent.
    Task,
    /// Any other tool, by name.
    Other(&'a str),
}

impl<'a> Tool<'a> {
    /// The tool with this name.
    pub fn from_name(name: &'a str) -> Self {
        KNOWN_TOOLS.into_iter().find(|(_, known)| *known == name).map_or(Self::Other(name), |(tool, _)| tool)
    }

    /// The name as Claude Code spells it.
    pub fn name(self) -> &'a str {
        match self {
            Self::Other(name) => name,
            tool => KNOWN_TOOLS.into_iter().find(|(known, _)| *known == tool).map_or("", |(_, name)| name),
        }
    }
}

const KNOWN_TOOLS: [(Tool<'static>, &str); 11] = [
    (Tool::Write, "Write"),
    (Tool::Edit, "Edit"),
    (Tool::MultiEdit, "MultiEdit"),
    (Tool::NotebookEdit, "NotebookEdit"),
    (Tool::Bash, "Bash"),
    (Tool::Read, "Read"),
    (Tool::Glob, "Glob"),
    (Tool::Grep, "Grep"),
    (Tool::WebFetch, "WebFetch"),
    (Tool::WebSearch, "WebSearch"),
    (Tool::Task, "Task"),
];

/// The arguments of a tool call. Empty if the request has none.
#[derive(Debug, Clone, Copy)]
pub struct ToolInput<'a>(Fields<'a>, Option<&'a Value>);

impl<'a> ToolInput<'a> {
    pub(super) fn new(value: Option<&'a Value>) -> Self {
        Self(Fields::new(value), value)
    }

    /// The unmodified JSON.
    pub fn as_value(self) -> Option<&'a Value> {
        self.1
    }

    /// The unmodified JSON object.
    pub fn as_map(self) -> Option<&'a Map<String, Value>> {
        self.0.0
    }

    /// A field by its snake_case name; its camelCase spelling is read too. `null` counts as missing.
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    /// A string field.
    pub fn text(self, name: &str) -> Option<&'a str> {
        self.0.text(name)
    }

    /// The path of the file to read, write or edit.
    pub fn file_path(self) -> Option<&'a str> {
        self.text("file_path")
    }

    /// The whole new content (Write).
    pub fn content(self) -> Option<&'a str> {
        self.text("content")
    }

    /// The shell command (Bash).
    pub fn command(self) -> Option<&'a str> {
        self.text("command")
    }

    /// The text to find (Edit); also read as `old_str`.
    pub fn old_string(self) -> Option<&'a str> {
        self.get("old_string").or_else(|| self.get("old_str"))?.as_str()
    }

    /// The replacement (Edit); also read as `new_str`.
    pub fn new_string(self) -> Option<&'a str> {
        self.get("new_string").or_else(|| self.get("new_str"))?.as_str()
    }

    /// Whether every occurrence is replaced (Edit).
    pub fn replace_all(self) -> bool {
        match self.get("replace_all") {
            Some(Value::Bool(yes)) => *yes,
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// The edits in order (MultiEdit); each has [`old_string`](Self::old_string),
    /// [`new_string`](Self::new_string) and [`replace_all`](Self::replace_all).
    pub fn edits(self) -> impl Iterator<Item = ToolInput<'a>> {
        let edits = self.get("edits").and_then(Value::as_array);
        edits.into_iter().flatten().map(|edit| ToolInput::new(Some(edit)))
    }

    /// The path of the notebook (NotebookEdit).
    pub fn notebook_path(self) -> Option<&'a str> {
        self.text("notebook_path")
    }

    /// The id of the cell (NotebookEdit).
    pub fn cell_id(self) -> Option<&'a str> {
        self.text("cell_id")
    }

    /// The new source of the cell (NotebookEdit).
    pub fn new_source(self) -> Option<&'a str> {
        self.text("new_source")
    }

    /// `code` or `markdown` (NotebookEdit).
    pub fn cell_type(self) -> Option<&'a str> {
        self.text("cell_type")
    }

    /// `replace`, `insert` or `delete` (NotebookEdit).
    pub fn edit_mode(self) -> Option<&'a str> {
        self.text("edit_mode")
    }

    /// Whether the file path matches one of the globs; false without a file path.
    ///
    /// The path is usually absolute, so a glob usually starts with `**/`.
    pub fn file_path_matches<G: AsRef<str>>(
        self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<bool, GlobError> {
        let globs: Vec<Glob> =
            globs.into_iter().map(|glob| Glob::new(glob.as_ref())).collect::<Result<_, _>>()?;
        let matches = |path: &str| globs.iter().any(|glob| glob.is_match(path.as_bytes()));
        Ok(self.file_path().is_some_and(matches))
    }

    /// Whether the file path matches none of the globs; true without a file path.
    pub fn file_path_excludes<G: AsRef<str>>(
        self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<bool, GlobError> {
        self.file_path_matches(globs).map(|matches| !matches)
    }
}

/// A JSON object whose fields are read by snake_case or camelCase name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(Option<&'a Map<String, Value>>);

impl<'a> Fields<'a> {
    pub(super) fn new(value: Option<&'a Value>) -> Self {
        Self(value.and_then(Value::as_object))
    }

    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        let map = self.0?;
        let present = |name: &str| map.get(name).filter(|value| !value.is_null());
        present(name).or_else(|| present(&camel_case(name)))
    }

    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    pub(super) fn flag(self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn write_has_a_path_and_content() {
        let value = json!({"file_path": "/p/a.php", "content": "x"});
        let input = ToolInput::new(Some(&value));
        assert_eq!((input.file_path(), input.content()), (Some("/p/a.php"), Some("x")));
        assert_eq!((input.command(), input.old_string(), input.new_string()), (None, None, None));
    }

    #[test]
    fn edit_has_old_and_new_string() {
        for value in [
            json!({"old_string": "a", "new_string": "b", "replace_all": true}),
            json!({"oldString": "a", "newString": "b", "replaceAll": true}),
            json!({"old_str": "a", "new_str": "b", "replace_all": "true"}),
            json!({"oldStr": "a", "newStr": "b", "replaceAll": true}),
        ] {
            let input = ToolInput::new(Some(&value));
            assert_eq!((input.old_string(), input.new_string()), (Some("a"), Some("b")), "{value}");
            assert!(input.replace_all(), "{value}");
        }
        assert!(!ToolInput::new(Some(&json!({"replace_all": "no"}))).replace_all());
    }

    #[test]
    fn bash_has_a_command() {
        let value = json!({"command": "npm run build", "description": "Build", "timeout": 60000});
        let input = ToolInput::new(Some(&value));
        assert_eq!(input.command(), Some("npm run build"));
        assert_eq!(input.text("description"), Some("Build"));
        assert_eq!(input.get("timeout"), Some(&json!(60000)));
    }

    #[test]
    fn reads_input_of_other_tools_by_name() {
        let value = json!({"file_path": "/p/a", "offset": 0, "limit": 1000});
        let read = ToolInput::new(Some(&value));
        assert_eq!((read.file_path(), read.get("limit")), (Some("/p/a"), Some(&json!(1000))));
        for (name, value) in [
            ("pattern", json!({"pattern": "x", "path": "/p"})),
            ("include", json!({"pattern": "class", "include": "x"})),
            ("url", json!({"url": "x", "prompt": "p"})),
            ("query", json!({"query": "x", "allowed_domains": ["a"], "blocked_domains": []})),
            ("subagent_type", json!({"description": "d", "prompt": "p", "subagent_type": "x"})),
        ] {
            assert_eq!(ToolInput::new(Some(&value)).text(name), Some("x"), "{value}");
        }
    }

    #[test]
    fn multi_edit_has_edits_in_order() {
        let value = json!({"edits": [{"old_string": "a", "new_string": "b"}, 7, {"oldString": "c"}]});
        let found: Vec<_> = ToolInput::new(Some(&value)).edits().map(ToolInput::old_string).collect();
        assert_eq!(found, [Some("a"), None, Some("c")]);
        assert_eq!(ToolInput::new(Some(&json!({"edits": "x"}))).edits().count(), 0);
    }

    #[test]
    fn notebook_edit_has_a_cell() {
        let value = json!({
            "notebook_path": "/p/n.ipynb", "cell_id": "c1", "new_source": "x = 1",
            "cell_type": "code", "edit_mode": "insert",
        });
        let input = ToolInput::new(Some(&value));
        assert_eq!(input.notebook_path(), Some("/p/n.ipynb"));
        assert_eq!((input.cell_id(), input.new_source()), (Some("c1"), Some("x = 1")));
        assert_eq!((input.cell_type(), input.edit_mode()), (Some("code"), Some("insert")));
    }

    #[test]
    fn snake_case_wins_over_camel_case() {
        let value = json!({"filePath": "camel", "file_path": "snake"});
        assert_eq!(ToolInput::new(Some(&value)).file_path(), Some("snake"));
        let value = json!({"filePath": "camel", "file_path": null});
        assert_eq!(ToolInput::new(Some(&value)).file_path(), Some("camel"));
        let value = json!({"filePath": "camel", "file_path": 7});
        assert_eq!(ToolInput::new(Some(&value)).file_path(), None);
    }

    #[test]
    fn fields_of_wrong_type_are_missing() {
        let value = json!({"file_path": 7, "content": ["x"], "command": {}});
        let input = ToolInput::new(Some(&value));
        assert_eq!((input.file_path(), input.content(), input.command()), (None, None, None));
        assert_eq!(input.get("file_path"), Some(&json!(7)));
        assert!(ToolInput::new(Some(&json!("text"))).as_map().is_none());
        assert!(ToolInput::new(None).file_path().is_none());
    }

    #[test]
    fn paths_are_matched_by_glob() {
        let value = json!({"file_path": "/srv/project/app/Data/UserData.php"});
        let input = ToolInput::new(Some(&value));
        let matches = |globs: &[&str]| input.file_path_matches(globs).expect("valid globs");
        assert!(matches(&["**/*.php"]));
        assert!(matches(&["**/app/Data/**/*.php"]));
        assert!(matches(&["**/*.vue", "**/*.ts", "**/*.php"]));
        assert!(matches(&["**/app/Data/User?ata.php", "x"]));
        assert!(matches(&["**/[TU]serData.php"]));
        assert!(!matches(&["**/[!U]serData.php"]));
        assert!(!matches(&["*.php"]));
        assert!(!matches(&["**/app/*.php"]));
        let excludes = |globs: &[&str]| input.file_path_excludes(globs).expect("valid globs");
        assert!(excludes(&["**/vendor/**", "**/node_modules/**"]));
        assert!(!excludes(&["**/app/**"]));
    }

    #[test]
    fn matches_nothing_without_path() {
        let input = ToolInput::new(None);
        assert_eq!(input.file_path_matches(["**"]), Ok(false));
        assert_eq!(input.file_path_excludes(["**"]), Ok(true));
    }

    #[test]
    fn invalid_glob_is_an_error() {
        assert!(ToolInput::new(None).file_path_matches(["a[b"]).is_err());
    }

    #[test]
    fn tools_keep_their_names() {
        let names = [
            "Write",
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "Bash",
            "Read",
            "Glob",
            "Grep",
            "WebFetch",
            "WebSearch",
            "Task",
        ];
        for name in names {
            let tool = Tool::from_name(name);
            assert_eq!(tool.name(), name);
            assert!(!matches!(tool, Tool::Other(_)), "{name}");
        }
        assert_eq!(Tool::from_name("mcp__x__y"), Tool::Other("mcp__x__y"));
        assert_eq!(Tool::from_name("write").name(), "write");
    }

    #[test]
    fn names_are_put_in_camel_case() {
        assert_eq!(camel_case("hook_event_name"), "hookEventName");
        assert_eq!(camel_case("cwd"), "cwd");
    }
}
