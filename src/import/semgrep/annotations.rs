//! The tests of semgrep rules: files beside a rule with `ruleid: ID` and `ok: ID` in comments.
//!
//! An annotation is about the line after it. The code from there to the next annotation becomes an example: its first
//! statement must be found, or nothing in it. A rule that depends on the code around a match has the whole file as its
//! violating example, and none that passes.

use std::fs;

use phaser_core::contract::{Example, Examples};

use super::RuleContext;
use crate::import::SourceFile;
use crate::import::draft::example;

/// What starts a comment with an annotation.
const COMMENTS: [&str; 8] = ["#", "//", "/*", "<!--", "(*", "--", ";", "{"];

/// The largest test file, in bytes.
const MAX_TEST: u64 = 1024 * 1024;

/// The test files of a rule file.
pub struct TestFiles(Vec<TestFile>);

struct TestFile {
    name: String,
    text: String,
}

/// An annotation.
#[derive(Debug, PartialEq, Eq)]
struct Annotation<'t> {
    is_violating: bool,
    ids: Vec<&'t str>,
}

impl TestFiles {
    /// The files with the name of a rule file and another extension, sorted.
    pub fn beside(file: &SourceFile) -> Self {
        let stem = file.stem();
        let mut tests = Vec::new();
        for entry in fs::read_dir(file.directory()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(&stem).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            let is_rule = matches!(rest, "yaml" | "yml") || rest.starts_with("fixed.");
            let is_small =
                entry.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_TEST);
            if let (false, true, Ok(text)) = (is_rule, is_small, fs::read_to_string(entry.path())) {
                tests.push(TestFile { name, text });
            }
        }
        tests.sort_by(|one, other| one.name.cmp(&other.name));
        Self(tests)
    }

    /// The examples of a rule. They have the names of their files if the rule is about files `is_anywhere`.
    pub fn examples(&self, id: &str, context: RuleContext, is_anywhere: bool) -> Examples {
        let mut examples = Examples::default();
        for TestFile { name, text } in &self.0 {
            let path = is_anywhere.then(|| name.clone());
            let chunks = chunks(text, id);
            if context == RuleContext::File {
                if chunks.iter().any(|(is_violating, _)| *is_violating) {
                    examples.violating.push(Example { path, ..example(text) });
                }
                continue;
            }
            for (is_violating, chunk) in chunks {
                let one = Example { path: path.clone(), ..example(&in_language(name, &chunk)) };
                let list = if is_violating { &mut examples.violating } else { &mut examples.passing };
                if !list.contains(&one) {
                    list.push(one);
                }
            }
        }
        examples
    }
}

/// PHP code needs its tag.
fn in_language(name: &str, chunk: &str) -> String {
    if name.ends_with(".php") && !chunk.contains("<?") { format!("<?php\n{chunk}") } else { chunk.to_owned() }
}

/// The annotation in a line.
fn annotation(line: &str) -> Option<Annotation<'_>> {
    let line = line.trim();
    if !COMMENTS.iter().any(|comment| line.starts_with(comment)) {
        return None;
    }
    let after = |word: &str| {
        let at = line.find(word)?;
        // Not `todoruleid:`, a test that is known to fail.
        let is_word = !line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        is_word.then(|| &line[at + word.len()..])
    };
    let (is_violating, ids) =
        after("ruleid:").map(|ids| (true, ids)).or_else(|| after("ok:").map(|ids| (false, ids)))?;
    let end = ids.find(|c: char| !(c.is_ascii_alphanumeric() || "-_., ".contains(c))).unwrap_or(ids.len());
    let ids = ids[..end].split(',').filter_map(|id| id.split_whitespace().next());
    Some(Annotation { is_violating, ids: ids.map(|id| id.trim_end_matches("--")).collect() })
}

/// Whether a line has an annotation of any rule, or one of a test that is known to fail.
fn is_boundary(line: &str) -> bool {
    let is_todo = ["todoruleid:", "todook:"].iter().any(|todo| line.contains(todo));
    is_todo || annotation(line).is_some()
}

/// The code after each annotation of a rule, and whether it must violate.
fn chunks(text: &str, id: &str) -> Vec<(bool, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut chunks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(annotation) = annotation(line).filter(|annotation| annotation.ids.contains(&id)) else {
            continue;
        };
        let start = at + lines[at..].iter().take_while(|line| is_boundary(line)).count();
        let length = lines[start..].iter().take_while(|line| !is_boundary(line)).count();
        let code = dedented(&lines[start..start + length]);
        if !code.trim().is_empty() {
            chunks.push((annotation.is_violating, code));
        }
    }
    chunks
}

/// The lines without the indentation of the first, and without blank lines at the end.
fn dedented(lines: &[&str]) -> String {
    let first = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let indent = &first[..first.len() - first.trim_start().len()];
    let lines: Vec<&str> =
        lines.iter().map(|line| line.strip_prefix(indent).unwrap_or(line.trim_start())).collect();
    format!("{}\n", lines.join("\n").trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_read_from_comments() {
        let one = |line| annotation(line).map(|one| (one.is_violating, one.ids));
        assert_eq!(one("  # ruleid: a.b-c, d"), Some((true, vec!["a.b-c", "d"])));
        assert_eq!(one("// ok:x"), Some((false, vec!["x"])));
        assert_eq!(one("<!-- ruleid: x -->"), Some((true, vec!["x"])));
        assert_eq!(one("# todoruleid: x"), None);
        assert_eq!(one("look: ok: x"), None);
    }

    #[test]
    fn code_after_annotation_is_example() {
        let text = "import x\n\ndef f():\n    # ruleid: a\n    eval(1,\n         2)\n\n    # todook: a\n    eval(3)\n    # ok: a\n    # ruleid: b\n    g()\n";
        assert_eq!(chunks(text, "a"), [(true, "eval(1,\n     2)\n".to_owned()), (false, "g()\n".to_owned())]);
        assert_eq!(chunks(text, "b"), [(true, "g()\n".to_owned())]);
    }
}
