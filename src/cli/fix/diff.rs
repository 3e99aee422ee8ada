//! The unified diff of one file, byte for byte, in the form that `git apply` takes.
//!
//! gix compares the lines and chooses the hunks. Added here: the header with quoted paths, and the marker for a last line
//! without a newline.

use std::io;

use gix::diff::blob::unified_diff::{ConsumeHunk, ContextSize, DiffLineKind, HunkHeader};
use gix::diff::blob::{Algorithm, InternedInput, UnifiedDiff, diff_with_slider_heuristics};

/// The number of unchanged lines around a change.
const CONTEXT: u32 = 3;

/// The change from `old` to `new` of the file with this `/`-separated path; empty if there is none.
pub fn unified(path: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let input = InternedInput::new(old, new);
    let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
    let context = ContextSize::symmetrical(CONTEXT);
    let hunks = UnifiedDiff::new(&diff, &input, Hunks(Vec::new()), context).consume();
    let hunks = hunks.expect("writing to memory cannot fail");
    if hunks.is_empty() {
        return hunks;
    }
    let [a, b] = ["a/", "b/"].map(|side| quoted(side, path));
    let tab = if a.starts_with(b"\"") || !path.contains(&b' ') { &b""[..] } else { b"\t" };
    [b"diff --git ", &a[..], b" ", &b, b"\n--- ", &a, tab, b"\n+++ ", &b, tab, b"\n", &hunks].concat()
}

/// The text of the hunks so far.
struct Hunks(Vec<u8>);

impl ConsumeHunk for Hunks {
    type Out = Vec<u8>;

    fn consume_hunk(&mut self, header: HunkHeader, lines: &[(DiffLineKind, &[u8])]) -> io::Result<()> {
        // A range without lines is known by the line before it.
        let range = |start: u32, len: u32| format!("{},{len}", if len == 0 { start - 1 } else { start });
        let from = range(header.before_hunk_start, header.before_hunk_len);
        let to = range(header.after_hunk_start, header.after_hunk_len);
        self.0.extend_from_slice(format!("@@ -{from} +{to} @@\n").as_bytes());
        for (kind, line) in lines {
            self.0.push(match kind {
                DiffLineKind::Context => b' ',
                DiffLineKind::Remove => b'-',
                DiffLineKind::Add => b'+',
            });
            self.0.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                self.0.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// A path as git writes it: in quotes and with escapes where it has anything but plain characters.
fn quoted(side: &str, path: &[u8]) -> Vec<u8> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if path.iter().all(is_plain) {
        return [side.as_bytes(), path].concat();
    }
    let mut out = format!("\"{side}").into_bytes();
    for &byte in path {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b' '..=b'~' => out.push(byte),
            _ => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(path: &str, old: &str, new: &str) -> String {
        String::from_utf8(unified(path.as_bytes(), old.as_bytes(), new.as_bytes())).expect("is text")
    }

    #[test]
    fn hunk_has_context() {
        assert_eq!(
            shown("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n"),
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"
        );
        assert_eq!(shown("a", "x\n", "x\n"), "");
        let far: String = (0..30).map(|line| format!("{line}\n")).collect();
        let changed = far.replace("2\n", "two\n");
        assert_eq!(shown("a", &far, &changed).matches("@@ -").count(), 3);
    }

    #[test]
    fn marks_missing_newline() {
        assert_eq!(
            shown("a", "x", "y\n"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n"
        );
        assert!(shown("a", "x\n", "").contains("@@ -1,1 +0,0 @@\n-x\n"));
    }

    #[test]
    fn a_path_is_quoted_as_git_does() {
        assert!(shown("a b.py", "x\n", "y\n").starts_with("diff --git a/a b.py b/a b.py\n--- a/a b.py\t\n"));
        assert!(shown("\u{e9}\"", "x\n", "y\n").starts_with(r#"diff --git "a/\303\251\"" "b/\303\251\"""#));
    }

    fn lines(text: &[u8]) -> Vec<&[u8]> {
        text.split_inclusive(|byte| *byte == b'\n').collect()
    }

    /// Applies a diff.
    fn patched(old: &[u8], diff: &[u8]) -> Vec<u8> {
        let old = lines(old);
        let (mut out, mut at, mut sign) = (Vec::new(), 0, b' ');
        for line in lines(diff).into_iter().skip(3) {
            match line {
                [b'@', ..] => {
                    let text = String::from_utf8_lossy(line);
                    let start = text.split(['-', ',']).nth(1).expect("a line");
                    let length = text.split([',', ' ']).nth(2).expect("a length");
                    let start: usize = start.parse().expect("a number");
                    let start = if length == "0" { start } else { start - 1 };
                    old[at..start].iter().for_each(|line| out.extend_from_slice(line));
                    at = start;
                }
                [b'\\', ..] if sign == b'-' => {}
                [b'\\', ..] => drop(out.pop()),
                [next, rest @ ..] => {
                    sign = *next;
                    at += usize::from(sign != b'+');
                    if sign != b'-' {
                        out.extend_from_slice(rest);
                    }
                }
                [] => {}
            }
        }
        old[at..].iter().for_each(|line| out.extend_from_slice(line));
        out
    }

    proptest! {
        #[test]
        fn diff_applies_to_old_text(
            old in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "c\n", "\n"]), 0..30),
            new in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "c\n", "\n"]), 0..30),
            tails in prop::sample::select(vec![("", ""), ("x", ""), ("", "x"), ("x", "x"), ("x", "y")]),
        ) {
            let (old, new) = (old.concat() + tails.0, new.concat() + tails.1);
            let diff = unified(b"a", old.as_bytes(), new.as_bytes());
            let patched = patched(old.as_bytes(), &diff);
            prop_assert_eq!(String::from_utf8_lossy(&patched), new.as_str(), "{}", String::from_utf8_lossy(&diff));
        }
    }
}
