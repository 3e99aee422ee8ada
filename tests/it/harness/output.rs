//! The output of a run, and its parts without the prose around them.
//!
//! A sentence of phaser's is pinned by one test. All others compare what these functions take out of it: decisions, ids,
//! paths, lines and counts.

use std::fmt;

use serde_json::Value;

/// The exit code and the output of a run.
pub struct Output {
    /// The exit code, if it exited.
    pub code: Option<i32>,
    /// Its standard output, with the sandbox's directories as `[ROOT]` and `[HOME]`.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
}

impl Output {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}:\n{self}"))
    }

    /// The permission decision of a hook response; empty when it has none.
    pub fn decision(&self) -> String {
        self.response("permissionDecision")
    }

    /// The reason in a hook response, of a decision before the tool or of a block after it.
    pub fn reason(&self) -> String {
        let json = self.json();
        let top = json["reason"].as_str().map(str::to_owned);
        top.unwrap_or_else(|| self.response("permissionDecisionReason"))
    }

    /// The context for the model in a hook response.
    pub fn context(&self) -> String {
        self.response("additionalContext")
    }

    /// The message for the user in a hook response.
    pub fn message(&self) -> String {
        self.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
    }

    /// The violations that a hook response reports, as `id at place`; see [`violations_in`].
    pub fn reported(&self) -> Vec<String> {
        violations_in(&format!("{}\n{}", self.reason(), self.context()))
    }

    /// The hook response denies the tool, for these violations.
    #[track_caller]
    pub fn assert_denied(&self, violations: &[&str]) {
        assert_eq!(self.decision(), "deny", "{self}");
        assert_eq!(violations_in(&self.reason()), violations, "{self}");
    }

    /// The hook response allows the tool, and has nothing to report.
    #[track_caller]
    pub fn assert_allowed(&self) {
        assert_eq!(self.decision(), "allow", "{self}");
        assert_eq!(self.reported(), [""; 0], "{self}");
    }

    /// A text of the part of a hook response that belongs to its event.
    fn response(&self, key: &str) -> String {
        self.json()["hookSpecificOutput"][key].as_str().unwrap_or_default().to_owned()
    }

    /// The violations of a text report, as `path:line severity id`; what has no line has none.
    pub fn report(&self) -> Vec<String> {
        let violation = |line: &str| {
            let (place, id) = [": error: ", ": warning: "].iter().find_map(|word| {
                let (place, id) = line.split_once(word)?;
                Some((format!("{place} {}", word.trim_matches([':', ' '])), id))
            })?;
            (!line.starts_with(' ') && is_id(id)).then(|| format!("{place} {id}"))
        };
        self.stdout.lines().filter_map(violation).collect()
    }

    /// The number beside this word in the summary of a text report, such as `error` or `existing`; 0 without one.
    pub fn count(&self, word: &str) -> usize {
        count_in(self.stdout.lines().last().unwrap_or_default(), word)
    }

    /// The places that standard error warns about, as `path:line`; without a line where it names none.
    pub fn warned(&self) -> Vec<String> {
        let place = |line: &str| Some(line.split_once(": ")?.0.to_owned());
        let warnings =
            self.stderr.lines().filter(|line| !line.starts_with(' ') && !line.starts_with("phaser: "));
        warnings.filter_map(place).collect()
    }

    /// What was not checked, as standard error reports it: `path: why`.
    pub fn unchecked(&self) -> Vec<String> {
        unchecked_in(&self.stderr)
    }

    /// The violations of a JSON report as `path:line:column id`; what has no line has none.
    pub fn violations(&self) -> Vec<String> {
        let json = self.json();
        let violations = json["violations"].as_array().expect("a list of violations");
        violations
            .iter()
            .map(|violation| {
                let path = violation["file_path"].as_str().expect("a path");
                let id = violation["rule_id"].as_str().expect("an id");
                match (violation["line_number"].as_u64(), violation["column"].as_u64()) {
                    (Some(line), Some(column)) => format!("{path}:{line}:{column} {id}"),
                    _ => format!("{path} {id}"),
                }
            })
            .collect()
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit: {code}")?,
            None => writeln!(f, "exit: by a signal")?,
        }
        writeln!(f, "--- stdout\n{}", self.stdout)?;
        write!(f, "--- stderr\n{}", self.stderr)
    }
}

/// The violations in the text of a hook response, as `id at line 2`, `id at path:2` or `id`. A denial of the guard lists
/// them by contract, as `id: message` and lines of `path:2: text`.
pub fn violations_in(text: &str) -> Vec<String> {
    let one_a_line = |line: &str| {
        let (_, rest) = line.split_once(": ")?;
        let (violation, _) = rest.split_once(". ")?;
        let id = violation.split_once(" at ").map_or(violation, |(id, _)| id);
        is_id(id).then(|| violation.to_owned())
    };
    let (mut violations, mut contract) = (Vec::new(), None);
    let denial = text.find("\nNothing was written. ").unwrap_or(0);
    let is_rest = |line: &&str| ["…", "Why: ", "To move "].iter().any(|start| line.starts_with(start));
    for line in text[..denial].lines().filter(|line| !is_rest(line)) {
        let start = line.split_once(": ").map_or(line, |(start, _)| start);
        match contract {
            _ if start != line && is_id(start) => contract = Some(start),
            Some(id) => violations.push(format!("{id} at {start}")),
            None => {}
        }
    }
    violations.extend(text[denial..].lines().filter_map(one_a_line));
    violations
}

/// The number beside this word in a summary such as `1 error, 0 warnings, 3 existing`; 0 without one.
pub fn count_in(summary: &str, word: &str) -> usize {
    let part = summary.split([',', ':']).find(|part| part.contains(word));
    let number = part.and_then(|part| part.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// The gaps in messages: `path: why`.
pub fn unchecked_in(messages: &str) -> Vec<String> {
    messages.lines().filter_map(|line| Some(line.strip_prefix("phaser: not checked: ")?.to_owned())).collect()
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '-' || char == '_')
}
