//! The format by examples, and the algorithm against a model of its own.

use proptest::prelude::*;

use super::*;

fn chunks_of(body: &str) -> Vec<Chunk> {
    let body = body.trim_end_matches('\n');
    let text = format!("{BEGIN}\n{UPDATE}a\n{body}\n{END}\n");
    match parse(&text).as_slice() {
        [Section::Update { chunks, .. }] => chunks.clone(),
        other => panic!("{other:?}"),
    }
}

fn patched(file: &str, body: &str) -> Result<String, NotApplied> {
    let bytes = apply(file.as_bytes(), &[chunks_of(body)], usize::MAX)?;
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

fn on(file: &str, body: &str) -> String {
    patched(file, body).expect("applies")
}

#[test]
fn sections_of_every_kind() {
    let text = "*** Begin Patch\n*** Environment ID: x\n*** Add File: a b.txt\n+one\n+\n+  two\n*** Delete File: gone\n\
                *** Update File: from\n*** Move to: to\n@@ fn f() {\n kept\n-old\n+new\n\n*** End of File\n*** End Patch\nnoise";
    let expected = vec![
        Section::Add { path: "a b.txt".into(), content: "one\n\n  two\n".into() },
        Section::Delete { path: "gone".into() },
        Section::Update {
            path: "from".into(),
            to: Some("to".into()),
            chunks: vec![Chunk {
                after: Some("fn f() {".into()),
                lines: vec![
                    PatchLine::Kept("kept".into()),
                    PatchLine::Removed("old".into()),
                    PatchLine::Added("new".into()),
                    PatchLine::Kept(String::new()),
                ],
                at_end: true,
            }],
        },
    ];
    assert_eq!(parse(text), expected);
    let wrapped = format!("  <<'EOF'\n {}\nEOF\n", text.replace("\nnoise", ""));
    assert_eq!(parse(&wrapped), expected, "in a here-document");
    assert_eq!(parse(&text.replace('\n', "\r\n")), expected, "with other line endings");
    assert_eq!(parse("no patch"), []);
    assert_eq!(parse(""), []);
}

#[test]
fn finds_lines_by_four_passes() {
    assert_eq!(on("a\nb\nc\n", "@@\n a\n-b\n+B\n c"), "a\nB\nc\n");
    assert_eq!(on("a  \nb\n", " a\n-b\n+B"), "a  \nB\n", "blanks at the end");
    assert_eq!(on("\ta\nb\n", "@@\n a\n-b\n+B"), "\ta\nB\n", "blanks around");
    assert_eq!(on("say – “hi”\nb\n", "@@\n say - \"hi\"\n-b\n+B"), "say – “hi”\nB\n", "plain signs");
    assert_eq!(on(" x\nx\n", "@@\n-x\n+y"), " x\ny\n", "an exact line wins over an earlier one");
    assert_eq!(patched("a\n", "@@\n-b\n+c"), Err(NotApplied::OldNotFound));
    assert_eq!(patched("a\n", "@@ nowhere\n-a\n+c"), Err(NotApplied::OldNotFound));
}

#[test]
fn locates_chunk_after_context_and_previous_chunk() {
    let file = "fn a\n x\nfn b\n x\nfn c\n x\n";
    assert_eq!(on(file, "@@ fn b\n-  x\n+  y"), "fn a\n x\nfn b\n  y\nfn c\n x\n");
    assert_eq!(on(file, "@@\n-  x\n+  1\n@@\n-  x\n+  2"), "fn a\n  1\nfn b\n  2\nfn c\n x\n");
    assert_eq!(on(file, "@@\n-  x\n+  y\n*** End of File"), "fn a\n x\nfn b\n x\nfn c\n  y\n");
    assert_eq!(on("x\ny\n", "@@\n-x\n+z\n*** End of File"), "z\ny\n", "not at the end after all");
    assert_eq!(on("c\n", "@@\n-c\n@@\n+a\n c\n*** End of File"), "a\n", "a removed line stays removed");
    assert_eq!(on("x\nfn a\n", "@@ fn a\n-fn a\n+fn b\n*** End of File"), "x\nfn b\n", "behind the end");
}

#[test]
fn appends_lines_without_location() {
    assert_eq!(on("a\n", "@@\n+b"), "a\nb\n");
    assert_eq!(on("a", "@@\n+b"), "a\nb\n");
    assert_eq!(on("", "@@\n+b"), "b\n");
    assert_eq!(on("a\nb\n", "@@\n+c\n@@\n-a\n+A"), "A\nb\nc\n");
    assert_eq!(on("a\n\n", "@@\n+b"), "a\nb\n\n", "before an empty last line");
    assert_eq!(on("a\nb\n", "\n\n-b\n+B"), "a\nB\n", "blank lines before the first chunk");
}

#[test]
fn line_endings_are_the_files_own() {
    assert_eq!(on("x\r\ny\r\nz", "@@\n-y\n+Y"), "x\r\nY\r\nz\r\n");
    assert_eq!(on("x\ny\r\nz\n", "@@\n-z\n+Z"), "x\ny\r\nZ\n");
    assert_eq!(on("x\ry", "@@\n-y\n+Y"), "x\rY\r");
}

#[test]
fn empty_last_line_matches_final_newline() {
    assert_eq!(on("a\nb\n", "@@\n-b\n-\n+B"), "a\nB\n");
    assert_eq!(on("a\nb\n", "@@\n-b\n+B\n "), "a\nB\n");
    assert_eq!(on("a\nb\n", "@@\n-b\n-\n+B\n+"), "a\nB\n");
}

#[test]
fn later_update_builds_on_earlier_one() {
    let updates = [chunks_of("@@\n-a\n+b"), chunks_of("@@\n-b\n+c"), chunks_of("@@\n-x\n+y")];
    assert_eq!(apply(b"a\n", &updates, 9), Ok(b"c\n".to_vec()));
    assert_eq!(apply(b"q\n", &updates, 9), Err(NotApplied::OldNotFound));
    assert_eq!(apply(b"a\n", &updates, 1), Err(NotApplied::TooLarge(1)));
    assert_eq!(apply(b"a\0", &updates, 9), Err(NotApplied::BinaryFile));
}

#[test]
fn a_search_without_end_is_given_up() {
    let file = "x\n".repeat(100_000);
    let body = "@@\n-y\n+z\n".repeat(1_000);
    assert_eq!(patched(&file, &body), Err(NotApplied::OldNotFound));
    let body = format!("@@\n{}-y\n+z", "-x\n".repeat(5_000));
    assert_eq!(patched(&file, &body), Err(NotApplied::TooMuch));
}

/// A second implementation of the algorithm, straight from its description.
mod model {
    /// A chunk: the context line, the marked lines, and whether it is at the end.
    pub type Chunk<'a> = (Option<&'a str>, Vec<(char, &'a str)>, bool);

    fn plain(line: &str) -> String {
        let mut plain = line.trim().to_owned();
        for (signs, sign) in
            [("‐‑‒–—―−", "-"), ("‘’‚‛", "'"), ("“”„‟", "\""), ("\u{a0}\u{2003}\u{202f}\u{3000}", " ")]
        {
            for from in signs.chars() {
                plain = plain.replace(from, sign);
            }
        }
        plain
    }

    fn seek(lines: &[String], wanted: &[String], from: usize, end: bool) -> Option<usize> {
        let look = |from: usize| {
            for pass in 0..4 {
                let key = |line: &String| match pass {
                    0 => line.clone(),
                    1 => line.trim_end().to_owned(),
                    2 => line.trim().to_owned(),
                    _ => plain(line),
                };
                let wanted: Vec<String> = wanted.iter().map(key).collect();
                for at in from..lines.len() {
                    let there: Vec<String> = lines[at..].iter().take(wanted.len()).map(key).collect();
                    if there == wanted {
                        return Some(at);
                    }
                }
            }
            None
        };
        let last = lines.len().checked_sub(wanted.len())?;
        end.then(|| look(last)).flatten().or_else(|| look(from))
    }

    pub fn apply(file: &str, chunks: &[Chunk<'_>]) -> Option<String> {
        let ending = if file.contains("\r\n") { "\r\n" } else { "\n" };
        let lines: Vec<String> = file.lines().map(str::to_owned).collect();
        let mut result: Vec<Option<String>> = lines.iter().cloned().map(Some).collect();
        // What is put in before each line, and at the end.
        let mut put: Vec<Vec<String>> = vec![Vec::new(); lines.len() + 1];
        let mut from = 0;
        for (after, body, at_end) in chunks {
            if let Some(after) = after {
                from = seek(&lines, &[(*after).to_owned()], from, false)? + 1;
            }
            let old: Vec<String> =
                body.iter().filter(|(mark, _)| *mark != '+').map(|(_, text)| (*text).to_owned()).collect();
            if old.is_empty() {
                let end =
                    if lines.last().is_some_and(String::is_empty) { lines.len() - 1 } else { lines.len() };
                put[end].extend(body.iter().map(|(_, text)| (*text).to_owned()));
                continue;
            }
            let mut at = seek(&lines, &old, from, *at_end)?;
            from = at + old.len();
            // Where the lines begin that change together.
            let mut run = at;
            for (mark, text) in body {
                match mark {
                    '+' => put[run].push((*text).to_owned()),
                    '-' => {
                        result[at] = None;
                        at += 1;
                    }
                    _ => {
                        at += 1;
                        run = at;
                    }
                }
            }
        }
        let mut text = String::new();
        for (at, added) in put.iter().enumerate() {
            for line in added {
                text.push_str(&format!("{line}{ending}"));
            }
            if let Some(Some(line)) = result.get(at) {
                text.push_str(&format!("{line}{ending}"));
            }
        }
        Some(text)
    }
}

fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", " b", "b ", "c", "“c”", "\"c\"", "d – e", "d - e", "@@ x", "*** a", "+", "-x",
    ])
}

fn body() -> impl Strategy<Value = Vec<(char, &'static str)>> {
    prop::collection::vec((prop::sample::select(vec![' ', '+', '-']), line()), 1..4)
}

proptest! {
    #[test]
    fn applies_patch_like_the_model(
        file in prop::collection::vec(line(), 0..8),
        crlf in any::<bool>(),
        ends in any::<bool>(),
        chunks in prop::collection::vec((prop::option::of(line()), body(), any::<bool>()), 1..4),
    ) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let mut text = file.join(ending);
        if ends && !file.is_empty() {
            text.push_str(ending);
        }
        let mut patch = String::new();
        let mut modelled: Vec<model::Chunk<'_>> = Vec::new();
        for (after, body, at_end) in &chunks {
            // A context is searched for without the blanks at its end.
            let after = after.map(str::trim_end);
            patch.push_str(&after.map_or_else(|| "@@".to_owned(), |after| format!("@@ {after}")));
            for (mark, text) in body {
                patch.push_str(&format!("\n{mark}{text}"));
            }
            patch.push_str(if *at_end { "\n*** End of File\n" } else { "\n" });
            modelled.push((after, body.clone(), *at_end));
        }
        let expected = model::apply(&text, &modelled);
        prop_assert_eq!(patched(&text, &patch).ok(), expected, "{}", patch);
    }

    #[test]
    fn parses_and_applies_any_text(text in "(\\*\\*\\* (Begin Patch|Update File: a|Add File: b|Move to: c|End of File|End Patch)|@@|@@ x|[ +-]?[ab]?|\r)(\n(\\*\\*\\* (Update File: a|End of File)|@@|[ +-]?[ab]?|\r)){0,12}", file in "[ab \r\n]{0,12}") {
        for section in parse(&format!("{BEGIN}\n{text}")) {
            if let Section::Update { chunks, .. } = section {
                let _ = apply(file.as_bytes(), &[chunks], 1_000);
            }
        }
    }
}

/// The result of Codex itself; `None` if it rejects the patch.
fn by_codex(codex: &std::ffi::OsStr, file: &str, patch: &str) -> Option<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("a");
    std::fs::write(&path, file).expect("written");
    let mut command = std::process::Command::new(codex);
    let patch = format!("{BEGIN}\n{UPDATE}a\n{}\n{END}\n", patch.trim_end_matches('\n'));
    command.arg("--codex-run-as-apply-patch").arg(patch).current_dir(directory.path());
    let applied = command.output().expect("Codex runs").status.success();
    applied.then(|| std::fs::read_to_string(path).expect("is text"))
}

/// Where `PHASER_CODEX` names Codex's program, as in scripts/try-agents.
#[test]
fn reconstructs_tool_calls_on_existing_files() {
    let Some(codex) = std::env::var_os("PHASER_CODEX") else { return };
    let chunk = (prop::option::of(line()), body(), prop::bool::weighted(0.3));
    let cases = (
        prop::collection::vec(line(), 0..8),
        prop::sample::select(vec!["\n", "\r\n"]),
        any::<bool>(),
        prop::collection::vec(chunk, 1..3),
    );
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(400));
    let applied = std::cell::Cell::new(0);
    runner
        .run(&cases, |(lines, ending, ends, chunks)| {
            let mut file = lines.join(ending);
            if ends && !lines.is_empty() {
                file.push_str(ending);
            }
            let mut patch = String::new();
            for (after, body, at_end) in &chunks {
                patch.push_str(&after.map_or_else(|| "@@".to_owned(), |after| format!("@@ {after}")));
                body.iter().for_each(|(mark, text)| patch.push_str(&format!("\n{mark}{text}")));
                patch.push_str(if *at_end { "\n*** End of File\n" } else { "\n" });
            }
            // Codex may reject what another agent applies.
            if let Some(expected) = by_codex(&codex, &file, &patch) {
                applied.set(applied.get() + 1);
                prop_assert_eq!(patched(&file, &patch), Ok(expected), "{:?} {}", file, patch);
            }
            Ok(())
        })
        .expect("as the client does it");
    assert!(applied.get() > 20, "only {} patches were applied", applied.get());
}
