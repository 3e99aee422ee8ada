//! Splits a contract file into YAML documents.
//!
//! A line that starts with `---` or `...`, followed by white space or the end of the line, is a marker of documents in
//! every context: YAML allows no such line inside a scalar. The file is therefore split without parsing it.
//!
//! ```text
//! 1  # house rules       no content before the marker: no document
//! 2  ---
//! 3  rule_id: a          first document, from line 3
//! 4  ---
//! 5  rule_id: b          second document, from line 5
//! 6  ...                 part of the second document
//! 7  ---                 nothing behind it: no document
//! ```

/// A document of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YamlDocument<'a> {
    /// Its text, without a `---` on a line of its own before it.
    pub text: &'a str,
    /// The position of the text in the file, in bytes.
    pub start: usize,
    /// The first line of the text in the file, from 1.
    pub line: usize,
}

impl<'a> YamlDocument<'a> {
    /// A file that is one document.
    pub fn whole(text: &'a str) -> Self {
        Self { text, start: 0, line: 1 }
    }
}

/// The documents of a file, without those that have no content. A file without content is one document.
pub fn documents(yaml: &str) -> Vec<YamlDocument<'_>> {
    if !has_marker(yaml) {
        return vec![YamlDocument::whole(yaml)];
    }
    let mut found = Vec::new();
    let mut current = Pending::default();
    let mut at = 0;
    for (line, text) in (1..).zip(yaml.split_inclusive('\n')) {
        let next = at + text.len();
        match Marker::of(text) {
            Some(Marker::Start) => {
                if current.has_content {
                    found.push(current.document(yaml, at));
                    current = Pending { start: at, line, ..Pending::default() };
                }
                if is_content(&text["---".len()..]) {
                    current.has_content = true;
                } else if !current.has_directive {
                    (current.start, current.line) = (next, line + 1);
                }
            }
            Some(Marker::End) => {
                if current.has_content {
                    found.push(current.document(yaml, next));
                }
                current = Pending { start: next, line: line + 1, ..Pending::default() };
            }
            None if text.starts_with('%') && !current.has_content => current.has_directive = true,
            None => current.has_content |= is_content(text.trim_start_matches('\u{FEFF}')),
        }
        at = next;
    }
    if current.has_content {
        found.push(current.document(yaml, at));
    }
    if found.is_empty() { vec![YamlDocument::whole(yaml)] } else { found }
}

/// The document that lines are added to.
struct Pending {
    start: usize,
    line: usize,
    has_content: bool,
    has_directive: bool,
}

impl Default for Pending {
    fn default() -> Self {
        Self { start: 0, line: 1, has_content: false, has_directive: false }
    }
}

impl Pending {
    fn document<'a>(&self, yaml: &'a str, end: usize) -> YamlDocument<'a> {
        YamlDocument { text: &yaml[self.start..end], start: self.start, line: self.line }
    }
}

/// A marker line.
enum Marker {
    /// `---`: a document starts.
    Start,
    /// `...`: a document ends.
    End,
}

impl Marker {
    fn of(line: &str) -> Option<Self> {
        let marker = match line.as_bytes().get(..3)? {
            b"---" => Self::Start,
            b"..." => Self::End,
            _ => return None,
        };
        line.as_bytes().get(3).is_none_or(u8::is_ascii_whitespace).then_some(marker)
    }
}

/// Whether the file may have a marker.
fn has_marker(yaml: &str) -> bool {
    let is_marker = |at: usize| matches!(yaml.as_bytes().get(at..at + 3), Some(b"---" | b"..."));
    is_marker(0) || memchr::memchr_iter(b'\n', yaml.as_bytes()).any(|newline| is_marker(newline + 1))
}

/// Whether the text is more than white space and a comment.
fn is_content(text: &str) -> bool {
    let text = text.trim_start();
    !text.is_empty() && !text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(yaml: &str) -> Vec<(usize, &str)> {
        let found = documents(yaml);
        for document in &found {
            assert!(yaml[document.start..].starts_with(document.text), "{document:?}");
        }
        found.into_iter().map(|document| (document.line, document.text)).collect()
    }

    #[test]
    fn splits_at_markers() {
        assert_eq!(split("a: 1\n---\nb: 2\n"), [(1, "a: 1\n"), (3, "b: 2\n")]);
        assert_eq!(split("# x\n---\na: 1\n--- # c\nb: 2"), [(3, "a: 1\n"), (5, "b: 2")]);
        assert_eq!(split("a: 1\r\n---\r\nb: 2\r\n"), [(1, "a: 1\r\n"), (3, "b: 2\r\n")]);
        assert_eq!(split("--- {a: 1}\n--- {b: 2}\n"), [(1, "--- {a: 1}\n"), (2, "--- {b: 2}\n")]);
        assert_eq!(split("a: 1\n...\nb: 2\n"), [(1, "a: 1\n...\n"), (3, "b: 2\n")]);
        assert_eq!(
            split("%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\n"),
            [(1, "%YAML 1.2\n---\na: 1\n...\n"), (5, "%YAML 1.2\n---\nb: 2\n")]
        );
    }

    #[test]
    fn one_document_stays_one() {
        for yaml in ["", "a: 1\n", "# x\n", "---\n", "...\n---\n", "a: |\n  ---\n  ...\n", "a: 1\n---b: 2\n"]
        {
            assert_eq!(split(yaml), [(1, yaml)]);
        }
        for (yaml, line, text) in [
            ("---\na: 1\n", 2, "a: 1\n"),
            ("\u{FEFF}\n---\na: 1\n", 3, "a: 1\n"),
            ("a: 1\n---\n", 1, "a: 1\n"),
            ("a: 1\n...\n", 1, "a: 1\n...\n"),
            ("a: 1\n---\n# end\n...\n", 1, "a: 1\n"),
            ("---\n---\na: 1\n---\n---\n", 3, "a: 1\n"),
        ] {
            assert_eq!(split(yaml), [(line, text)]);
        }
    }
}
