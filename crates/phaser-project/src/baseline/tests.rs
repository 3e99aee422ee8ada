//! The file of a baseline, written and read.

use super::*;

fn key(contract: &str, path: &str, digest: u64) -> BaselineEntry {
    BaselineEntry { contract: contract.to_owned(), path: path.to_owned(), digest: LineDigest(digest) }
}

fn parsed(text: &str) -> Vec<(BaselineEntry, u32)> {
    let baseline = Baseline::parse(text.as_bytes()).expect("a baseline");
    baseline.iter().map(|(entry, count)| (entry.clone(), count)).collect()
}

fn broken(text: &str) -> String {
    Baseline::parse(text.as_bytes()).expect_err(text).to_string()
}

const LINE: &str = r#"{"contract":"no-x","path":"src/a.py","digest":"00000000000000ff","count":2}"#;

#[test]
fn baseline_round_trips_sorted() {
    let entries = [
        (key("no-y", "a.py", 1), 1),
        (key("no-x", "b \"quoted\" \\ \n.py", 0xFEDC_BA98_7654_3210), 123_456_789),
        (key("no-x", "é/ü.py", 3), 10),
        (key("no-x", "a.py", 7), 1),
    ];
    let file = write(entries.iter().map(|(key, count)| (key, *count)));
    let lines: Vec<_> = file.lines().collect();
    assert!(lines.is_sorted() && lines.len() == 4, "{file}");
    assert_eq!(lines[0], r#"{"contract":"no-x","path":"a.py","digest":"0000000000000007","count":1}"#);
    let mut read = parsed(&file);
    let mut expected = entries.to_vec();
    read.sort();
    expected.sort();
    assert_eq!(read, expected);
}

#[test]
fn accepts_any_layout_and_larger_duplicate() {
    let other = r#" { "count": 3, "digest": "00000000000000ff", "path": "src/a.py", "contract": "no-x" }"#;
    assert_eq!(parsed(&format!("{other}\r\n\n{LINE}\n")), [(key("no-x", "src/a.py", 255), 3)]);
    assert_eq!(parsed(&format!("{LINE}\n{other}")), [(key("no-x", "src/a.py", 255), 3)]);
    assert_eq!(parsed(""), []);
    assert_eq!(parsed(LINE).len(), 1, "the last line needs no newline");
}

#[test]
fn names_broken_line_with_hint() {
    let error = broken(&format!("{LINE}\n<<<<<<< HEAD\n{LINE}\n"));
    assert!(
        error.starts_with(".claude/phaser-baseline.jsonl:2: merge conflict (keep the entries"),
        "{error}"
    );
    for marker in ["=======", ">>>>>>> topic", "||||||| base"] {
        assert!(broken(marker).contains(":1: merge conflict"), "{marker}");
    }
    for (line, why) in [
        ("nonsense", "expected"),
        (&LINE[..40], "EOF"),
        (&LINE.replace("\"count\":2", "\"count\":0"), "at least 1"),
        (&LINE.replace("\"count\":2", "\"count\":-2"), "invalid value"),
        (&LINE.replace("00ff", "00fg"), "hexadecimal"),
        (&LINE.replace("00ff", "ff"), "hexadecimal"),
        (&LINE.replace("path", "file"), "unknown field"),
        ("{}", "missing field"),
    ] {
        let error = broken(&format!("{LINE}\n{LINE}\n{line}\n"));
        assert!(
            error.starts_with(".claude/phaser-baseline.jsonl:3: not a baseline entry") && error.contains(why),
            "{error}"
        );
        assert!(!error.contains("column"), "{error}");
    }
}

#[test]
fn entries_are_found() {
    let entries: Vec<BaselineEntry> = (0..50).map(|n| key("no-x", &format!("f{}.py", n % 7), n)).collect();
    let file = write(entries.iter().map(|key| (key, 1)));
    let baseline = Baseline::parse(file.as_bytes()).expect("a baseline");
    for entry in &entries {
        let at = baseline.find(&entry.contract, &entry.path, entry.digest);
        assert_eq!(at.map(|at| baseline.entry(at)), Some((entry, 1)));
    }
    assert_eq!(baseline.find("no-x", "f0.py", LineDigest(1)), None);
}

#[test]
fn reads_file_with_or_without_last_newline() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(directory.path().join(".claude")).expect("created");
    let root = Root::new(directory.path());
    assert!(Baseline::read(&root).expect("readable").is_none());
    let mut entries: Vec<BaselineEntry> = (0..300).map(|n| key("no-x", &format!("src/f{n}.py"), n)).collect();
    entries.sort();
    let file = write(entries.iter().map(|key| (key, 1)));
    for text in [file.as_str(), file.trim_end()] {
        fs::write(root.path().join(BASELINE), text).expect("written");
        let read = Baseline::read(&root).expect("readable").expect("a baseline");
        assert!(read.iter().map(|(entry, _)| entry).eq(&entries), "{read:?}");
    }
    fs::write(root.path().join(BASELINE), file + "nonsense").expect("written");
    let broken = Baseline::read(&root).expect_err("broken");
    assert_eq!(broken.line, Some(301));
}

#[test]
fn rejects_oversized_baseline() {
    let most = usize::try_from(MAX_SIZE).expect("a size");
    assert_eq!((too_large(most), too_large(most + 1)), (None, Some(64)));
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(directory.path().join(".claude")).expect("created");
    let root = Root::new(directory.path());
    let file = fs::File::create(root.path().join(BASELINE)).expect("created");
    file.set_len(MAX_SIZE + 1).expect("made longer");
    let what = Baseline::read(&root).expect_err("too large").to_string();
    assert!(what.contains("it has more than 64 MB"), "{what}");
}

#[test]
fn recognises_what_it_writes() {
    assert!(is_as_written(format!("{LINE}\n\n{LINE}").as_bytes()));
    assert!(is_as_written(b""));
    for other in [
        "nonsense",
        "<<<<<<< HEAD",
        &LINE[..40],
        &LINE.replace("\"count\":2", "\"count\":0"),
        &LINE.replace("\"count\":2", "\"count\":99999999999"),
        &LINE.replace("00ff", "ff"),
        &LINE.replace("00ff", "00FF"),
        &LINE.replace("src/", "src\\u0000"),
        &LINE.replace("src/", "src\t"),
        &LINE.replace("digest", "line"),
        &format!("{LINE}{LINE}"),
    ] {
        assert!(!is_as_written(other.as_bytes()), "{other}");
    }
}
