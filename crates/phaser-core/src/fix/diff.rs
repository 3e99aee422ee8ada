//! A file before and after as a unified diff, byte for byte, in the form that `git apply` takes.

use std::ops::Range;

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// The most lines that are told from each other one by one; where more differ, they are all replaced.
const MAX_DIFFERENCES: usize = 500;

/// The change from `old` to `new` of the file with this path, with `/` between its names; nothing if there is none.
pub fn unified(path: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    if changes.is_empty() {
        return Vec::new();
    }
    let [a, b] = ["a/", "b/"].map(|side| quoted(side, path));
    let tab = if a.starts_with(b"\"") || !path.contains(&b' ') { &b""[..] } else { b"\t" };
    let mut out = [b"diff --git ", &a[..], b" ", &b, b"\n--- ", &a, tab, b"\n+++ ", &b, tab, b"\n"].concat();
    for group in groups(&changes) {
        write_hunk(&mut out, group, &old, &new);
    }
    out
}

/// Lines of the file before, and the lines of the file after that stand in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Lines with their endings.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// What differs, in order.
fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let found = if old.len() == new.len() {
        line_by_line(old, new)
    } else {
        shortest(old, new).unwrap_or_else(|| vec![Change { old: 0..old.len(), new: 0..new.len() }])
    };
    let shifted = |range: Range<usize>| range.start + start..range.end + start;
    found.into_iter().map(|change| Change { old: shifted(change.old), new: shifted(change.new) }).collect()
}

/// What differs between as many lines as before, each of which stands where it stood.
fn line_by_line(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for at in (0..old.len()).filter(|&at| old[at] != new[at]) {
        match changes.last_mut().filter(|last| last.old.end == at) {
            Some(last) => (last.old.end, last.new.end) = (at + 1, at + 1),
            None => changes.push(Change { old: at..at + 1, new: at..at + 1 }),
        }
    }
    changes
}

/// The shortest way from one to the other (Myers 1986), unless it is long.
fn shortest(old: &[&[u8]], new: &[&[u8]]) -> Option<Vec<Change>> {
    let (rows, columns) = (old.len(), new.len());
    let most = (rows + columns).min(MAX_DIFFERENCES);
    // How far one gets on each diagonal, which is the row less the column; kept for each number of differences.
    let mut reached = vec![0usize; 2 * most + 3];
    let index = |diagonal: isize| usize::try_from(diagonal + most as isize + 1).unwrap_or_default();
    let mut history: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most as isize {
        history.push(reached.clone());
        for diagonal in (-differences..=differences).step_by(2) {
            let (down, right) = (reached[index(diagonal - 1)], reached[index(diagonal + 1)]);
            let is_first = differences == 0;
            let takes_old = diagonal == differences || (diagonal != -differences && down + 1 > right);
            let mut row = match (is_first, takes_old) {
                (true, _) => 0,
                (false, true) => down + 1,
                (false, false) => right,
            };
            let column = |row: usize| row as isize - diagonal;
            while row < rows
                && (0..columns as isize).contains(&column(row))
                && old[row] == new[column(row) as usize]
            {
                row += 1;
            }
            reached[index(diagonal)] = row;
            if row >= rows && column(row) >= columns as isize {
                return Some(way_back(&history, rows, columns, index));
            }
        }
    }
    None
}

/// The steps that led to the end, as changes.
fn way_back(
    history: &[Vec<usize>],
    rows: usize,
    columns: usize,
    index: impl Fn(isize) -> usize,
) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let (mut row, mut column) = (rows as isize, columns as isize);
    for differences in (1..history.len() as isize).rev() {
        let reached = &history[differences as usize];
        let diagonal = row - column;
        let (down, right) = (reached[index(diagonal - 1)], reached[index(diagonal + 1)]);
        let takes_old = diagonal == differences || (diagonal != -differences && down + 1 > right);
        let from = if takes_old { diagonal - 1 } else { diagonal + 1 };
        let before = reached[index(from)] as isize;
        (row, column) = (before, before - from);
        let (start, next) = (row as usize, column as usize);
        let step =
            Change { old: start..start + usize::from(takes_old), new: next..next + usize::from(!takes_old) };
        match changes
            .last_mut()
            .filter(|last| last.old.start == step.old.end && last.new.start == step.new.end)
        {
            Some(last) => (last.old.start, last.new.start) = (step.old.start, step.new.start),
            None => changes.push(step),
        }
    }
    changes.reverse();
    changes
}

/// Changes that are so near to each other that one hunk shows them.
fn groups(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT)
}

fn write_hunk(out: &mut Vec<u8>, changes: &[Change], old: &[&[u8]], new: &[&[u8]]) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let spans =
        [first.old.start - before..last.old.end + after, first.new.start - before..last.new.end + after];
    let [from, to] = spans.clone().map(|span| {
        // A span without lines is known by the line before it.
        format!("{},{}", if span.is_empty() { span.start } else { span.start + 1 }, span.len())
    });
    out.extend_from_slice(format!("@@ -{from} +{to} @@\n").as_bytes());
    let mut at = spans[0].start;
    for change in changes {
        old[at..change.old.start].iter().for_each(|line| write_line(out, b' ', line));
        old[change.old.clone()].iter().for_each(|line| write_line(out, b'-', line));
        new[change.new.clone()].iter().for_each(|line| write_line(out, b'+', line));
        at = change.old.end;
    }
    old[at..spans[0].end].iter().for_each(|line| write_line(out, b' ', line));
}

fn write_line(out: &mut Vec<u8>, sign: u8, line: &[u8]) {
    out.push(sign);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
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
    fn a_change_is_shown_with_the_lines_around_it() {
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
    fn a_missing_newline_is_said() {
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

    /// What a diff makes of a text.
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
        fn a_diff_leads_from_one_text_to_the_other(
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
