//! Tools of MCP servers. Their inputs have no common format; these keys are those of the widespread servers.
//!
//! A tool that names a file and a content is taken to write the whole file, one with exact edits to make them. What any
//! other tool does to the file that it names is known afterwards.

use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use super::parsed_event::edit;
use super::replace::EXACT;
use phaser_project::source::tree::changed_at;
use phaser_project::tool_call::Rewrite;

/// Keys of the file.
const PATHS: [&str; 9] =
    ["file_path", "filePath", "path", "file", "filename", "fileName", "relative_path", "relativePath", "uri"];

/// Keys of the whole new text.
pub const CONTENTS: [&str; 8] =
    ["content", "text", "contents", "new_content", "newContent", "data", "file_text", "fileText"];

/// Keys of the text that an edit replaces.
const OLD: [&str; 6] = ["oldText", "old_text", "old_string", "oldString", "old_str", "oldStr"];

/// Whether the tool with this name belongs to an MCP server, in any agent: `mcp__files__write`, `mcp_files_write`.
pub fn is_tool(name: &str) -> bool {
    name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("mcp"))
}

/// The file that a call names. A `file:` URI is decoded; any other one names no file.
pub fn file(input: &Value) -> Option<Cow<'_, str>> {
    let named = PATHS.iter().find_map(|key| input.get(key)?.as_str().filter(|path| !path.is_empty()))?;
    match named.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            path.starts_with('/').then(|| percent_decoded(path))
        }
        Some((scheme, _))
            if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) =>
        {
            None
        }
        _ => Some(Cow::Borrowed(named)),
    }
}

/// How a call changes the file that it names; `None` if only the server knows.
pub fn rewrite(input: &Value) -> Option<Rewrite> {
    if let Some(content) = CONTENTS.iter().find_map(|key| input.get(key)?.as_str()) {
        return Some(Rewrite::Whole(content.to_owned()));
    }
    let is_edit = |input: &&Value| OLD.iter().any(|key| input.get(key).is_some_and(Value::is_string));
    let list = input.get("edits").and_then(Value::as_array);
    let edits = list.map_or_else(|| vec![input], |list| list.iter().collect());
    let are_exact = !edits.is_empty() && edits.iter().all(is_edit);
    are_exact.then(|| Rewrite::Edits { edits: edits.into_iter().map(edit).collect(), algorithm: EXACT })
}

/// Whether a call that started at `since` may have written the file.
pub fn may_have_written(path: &Path, since: SystemTime) -> bool {
    path.metadata().is_ok_and(|metadata| {
        metadata.is_file() && changed_at(&metadata).is_none_or(|changed| changed >= since)
    })
}

/// `%41` as `A`. An invalid escape stays as it is.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| first == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_project::tool_call::{Occurrences, TextEdit};
    use serde_json::json;

    #[test]
    fn finds_file_under_any_key() {
        for key in ["file_path", "path", "file", "filename", "relative_path", "relativePath", "uri"] {
            assert_eq!(file(&json!({ key: "src/a.py" })).as_deref(), Some("src/a.py"), "{key}");
        }
        for (uri, path) in [
            ("file:///p/a%20b.py", Some("/p/a b.py")),
            ("FILE://localhost/p/%C3%A9%zz.py", Some("/p/é%zz.py")),
            ("file://server/p/a.py", None),
            ("https://example.com/a.py", None),
            ("a b://c", Some("a b://c")),
        ] {
            assert_eq!(file(&json!({ "uri": uri })).as_deref(), path, "{uri}");
        }
        assert_eq!(file(&json!({ "path": "", "file": 7 })), None);
    }

    #[test]
    fn recognises_contents_and_exact_edits() {
        for key in ["content", "text", "contents", "new_content", "data"] {
            assert_eq!(rewrite(&json!({ key: "x" })), Some(Rewrite::Whole("x".to_owned())), "{key}");
        }
        let one = TextEdit { old: "a".to_owned(), new: "b".to_owned(), occurrences: Occurrences::First };
        let edits = Some(Rewrite::Edits { edits: vec![one], algorithm: EXACT });
        assert_eq!(rewrite(&json!({ "edits": [{ "oldText": "a", "newText": "b" }] })), edits);
        assert_eq!(rewrite(&json!({ "old_string": "a", "new_string": "b" })), edits);
        for other in [json!({}), json!({ "edits": [] }), json!({ "edits": [{ "line": 1, "newText": "b" }] })]
        {
            assert_eq!(rewrite(&other), None, "{other}");
        }
    }
}
