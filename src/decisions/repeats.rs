//! The number of earlier denials in a session: from the log or, without one, from the agent's transcript.
//!
//! A model that is denied the same thing again and again misunderstands the contract, or cannot comply. From the third
//! denial of a contract for a file on, the response adds an example and the advice to ask the user.

use std::collections::HashMap;
use std::path::Path;

use memchr::memmem;
use serde_json::Value;

use super::DecisionRecord;
use super::log::{Log, tail};

/// The denial from which on the response explains more.
pub const EXPLAINED: usize = 3;

/// The denial from which on `repeated: ask` asks the user.
pub const ASKED: usize = 5;

/// The maximum number of bytes read from the end of a log or a transcript.
const MAX_READ: u64 = 8 << 20;

/// A contract and a path, as a denial names them.
pub type Denied = (String, String);

/// A command that a contract denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedCommand {
    pub id: String,
    pub normalised: String,
    /// Of the normalised command, as in the log.
    pub digest: String,
    /// The line of a denial that quotes it.
    pub listed: String,
}

impl DeniedCommand {
    fn denied(&self) -> Denied {
        (self.id.clone(), self.normalised.clone())
    }
}

/// How often a contract has denied a file in the session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DenialCounts(HashMap<Denied, usize>);

impl DenialCounts {
    /// Counts the denials of the session in the log.
    pub fn from_log(log: &Log, session: &str, wanted: &[Denied]) -> Self {
        let denials = log.read_recent(MAX_READ, session);
        let denials: Vec<DecisionRecord> =
            denials.into_iter().filter(|record| record.session.as_deref() == Some(session)).collect();
        let count = |(id, path): &Denied| {
            let is_one =
                |record: &&DecisionRecord| record.denies(id) && record.path.as_deref() == Some(path.as_str());
            denials.iter().filter(is_one).count()
        };
        Self(wanted.iter().map(|denied| (denied.clone(), count(denied))).collect())
    }

    /// Counts the denials in a transcript of JSON lines; each line is one denial at most. `end` is the end of a denial.
    pub fn from_transcript(transcript: &Path, end: &str, wanted: &[Denied]) -> Self {
        let mut counts: HashMap<Denied, usize> = wanted.iter().map(|denied| (denied.clone(), 0)).collect();
        let bytes = tail(transcript, MAX_READ).unwrap_or_default();
        for line in bytes.split(|&byte| byte == b'\n') {
            if memmem::find(line, end.as_bytes()).is_none() {
                continue;
            }
            let Ok(entry) = serde_json::from_slice::<Value>(line) else { continue };
            let mut texts = Vec::new();
            collect(&entry, end, &mut texts);
            for (denied, count) in &mut counts {
                *count += usize::from(texts.iter().any(|text| is_denial_of(text, denied)));
            }
        }
        Self(counts)
    }

    /// Counts the denials of commands of the session in the log.
    pub fn of_commands_in_log(log: &Log, session: &str, wanted: &[DeniedCommand]) -> Self {
        let records = log.read_recent(MAX_READ, session);
        let count = |command: &DeniedCommand| {
            let is_one = |record: &&DecisionRecord| {
                record.session.as_deref() == Some(session)
                    && record.is_denial()
                    && record.contracts.iter().any(|one| one.id == command.id && one.digest == command.digest)
            };
            records.iter().filter(is_one).count()
        };
        Self(wanted.iter().map(|command| (command.denied(), count(command))).collect())
    }

    /// Counts the denials of commands in a transcript.
    pub fn of_commands_in_transcript(transcript: &Path, end: &str, wanted: &[DeniedCommand]) -> Self {
        let listed: Vec<Denied> =
            wanted.iter().map(|command| (command.id.clone(), command.listed.clone())).collect();
        let found = Self::from_transcript(transcript, end, &listed);
        let count = |command: &DeniedCommand| found.earlier(&command.id, &command.listed);
        Self(wanted.iter().map(|command| (command.denied(), count(command))).collect())
    }

    /// The number of earlier denials.
    pub fn earlier(&self, id: &str, path: &str) -> usize {
        self.0.get(&(id.to_owned(), path.to_owned())).copied().unwrap_or(0)
    }
}

/// Collects the texts of an entry that have `end` in them, unless a model wrote them.
fn collect<'v>(entry: &'v Value, end: &str, texts: &mut Vec<&'v str>) {
    match entry {
        Value::String(text) if text.contains(end) => texts.push(text),
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, end, texts)),
        Value::Object(fields) => {
            let is_written = ["role", "type"].iter().any(|key| {
                fields.get(*key).and_then(Value::as_str).is_some_and(|value| value == "assistant")
            });
            if !is_written {
                fields.values().for_each(|value| collect(value, end, texts));
            }
        }
        _ => {}
    }
}

/// Whether a denial lists the contract and a place in the file.
fn is_denial_of(text: &str, (id, path): &Denied) -> bool {
    let heading = format!("{id}: ");
    // An agent may put words of its own before the denial.
    let names_contract = |line: &str| line.starts_with(&heading) || line.contains(&format!(": {heading}"));
    let names_path =
        |line: &str| line.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    text.lines().any(names_contract) && text.lines().any(names_path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    const END: &str = "Nothing was written.";

    fn wanted() -> Vec<Denied> {
        [("a", "x.py"), ("a", "y.py"), ("b", "x.py")]
            .map(|(id, path)| (id.to_owned(), path.to_owned()))
            .to_vec()
    }

    #[test]
    fn counts_denials_in_transcript() {
        let directory = tempfile::tempdir().expect("a directory");
        let transcript = directory.path().join("t.jsonl");
        let denial = "PreToolUse:Write hook error: a: Do not.\nx.py:3: a()\nNothing was written. Fix it.";
        let result = json!({ "type": "user", "toolUseResult": denial,
            "message": { "role": "user", "content": [{ "type": "tool_result", "is_error": true, "content": denial }] } });
        let quoted =
            json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": denial }] } });
        fs::write(&transcript, format!("{result}\n{quoted}\nno JSON Nothing was written.\n{result}\n"))
            .expect("written");
        let counts = DenialCounts::from_transcript(&transcript, END, &wanted());
        assert_eq!(counts.earlier("a", "x.py"), 2);
        assert_eq!((counts.earlier("a", "y.py"), counts.earlier("b", "x.py")), (0, 0));
        let none = DenialCounts::from_transcript(&directory.path().join("gone"), END, &wanted());
        assert_eq!(none.earlier("a", "x.py"), 0);
    }
}
