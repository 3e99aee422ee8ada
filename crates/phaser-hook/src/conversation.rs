//! The transcript of a session: one JSON object per line.
//!
//! Claude Code appends to it while hooks run, so a missing file or an incomplete line is no error.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The entries of a transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    entries: Vec<Value>,
    torn_lines: usize,
}

impl Conversation {
    /// The transcript at `path`; empty if that is not a regular, readable file.
    pub fn load(path: &Path) -> Self {
        if !path.is_file() {
            return Self::default();
        }
        fs::read(path).map_or_else(|_| Self::default(), |bytes| Self::parse(&bytes))
    }

    /// Parses JSON lines.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut conversation = Self::default();
        for line in bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
        {
            match serde_json::from_slice(line) {
                Ok(entry) => conversation.entries.push(entry),
                Err(_) => conversation.torn_lines += 1,
            }
        }
        conversation
    }

    /// All entries, in order.
    pub fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// The messages of the user and of the assistant, in order: the `message` of each such entry.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Value> {
        let spoken = |entry: &&Value| matches!(entry["type"].as_str(), Some("user" | "assistant"));
        self.entries.iter().filter(spoken).filter_map(|entry| entry.get("message"))
    }

    /// The number of lines that are not JSON, such as one that is being written.
    pub fn torn_lines(&self) -> usize {
        self.torn_lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TRANSCRIPT: &str = concat!(
        r#"{"type":"summary","summary":"s"}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":"hi"}}"#,
        "\r\n\n",
        r#"{"type":"assistant","message":{"role":"assistant","content":[]}}"#,
        "\n",
        r#"{"type":"assist"#,
    );

    #[test]
    fn skips_torn_lines() {
        let conversation = Conversation::parse(TRANSCRIPT.as_bytes());
        let roles: Vec<_> = conversation.messages().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, [json!("user"), json!("assistant")]);
        assert_eq!((conversation.entries().len(), conversation.torn_lines()), (3, 1));
    }

    #[test]
    fn a_missing_file_is_an_empty_conversation() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(Conversation::load(&directory.path().join("none.jsonl")), Conversation::default());
        assert_eq!(Conversation::load(directory.path()), Conversation::default());
    }

    #[test]
    fn a_file_is_loaded() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("session.jsonl");
        fs::write(&path, TRANSCRIPT).expect("written");
        assert_eq!(Conversation::load(&path).messages().count(), 2);
    }
}
