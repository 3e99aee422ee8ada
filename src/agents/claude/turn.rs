//! The start of a turn: the time of the last prompt in Claude Code's transcript, and the texts of the files that the turn
//! edited, before its first edit.
//!
//! A transcript is an append-only file of JSON lines and may be very long, so it is read backwards, in blocks. Claude Code
//! also records tool results, hook feedback, notifications of background tasks and summaries as messages of type `user`;
//! those start no turn. A subagent has its own transcript, in which its task is the prompt; in the session's transcript
//! such a task starts no turn. Unreadable transcripts and lines are ignored.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memchr::memmem;
use serde_json::Value;

/// The maximum number of bytes read, from the end.
const MAX_READ: u64 = 16 << 20;

/// The initial block size in bytes; it grows where a line is longer.
const BLOCK: u64 = 64 << 10;

/// The last turn of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The time of the last prompt, if it is within the last `MAX_READ` bytes.
    pub began: Option<SystemTime>,
    /// The feedback of Stop hooks since that prompt, the last one first.
    pub sent_back: Vec<String>,
    /// The texts of edited files before the first edit since that prompt; without files that the turn created.
    pub originals: Vec<(PathBuf, String)>,
}

impl Turn {
    pub fn read(transcript: &Path) -> Self {
        let mut turn = Self::default();
        let mut originals: HashMap<PathBuf, Option<String>> = HashMap::new();
        turn.began = search(transcript, &mut |line| {
            turn.sent_back.extend(feedback(line));
            // Lines come from the last to the first, so that the first edit of a file is what remains.
            originals.extend(original(line));
        });
        let known = originals.into_iter().filter_map(|(path, text)| Some((path, text?)));
        turn.originals = known.collect();
        turn.originals.sort_unstable();
        turn
    }
}

/// Searches for the last prompt and calls `visit` with the lines after it, the last one first.
fn search(transcript: &Path, visit: &mut dyn FnMut(&[u8])) -> Option<SystemTime> {
    // Opening a FIFO would block.
    if !transcript.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = File::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    let first = length.saturating_sub(MAX_READ);
    let mut task = None;
    // Lines from this offset on have been read.
    let mut end = length;
    let mut block = BLOCK;
    while end > first {
        let start = end.saturating_sub(block).max(first);
        let bytes = read(&mut file, start, end).ok()?;
        // A line that starts before the block is read with the next one.
        let whole = match memchr::memchr(b'\n', &bytes) {
            _ if start == 0 => 0,
            Some(newline) => newline + 1,
            None if start == first => return None,
            None => {
                block = block.saturating_mul(4);
                continue;
            }
        };
        for line in bytes[whole..].rsplit(|&byte| byte == b'\n') {
            visit(line);
            match prompt(line) {
                Some(TurnStart::User(time)) => return Some(time),
                Some(TurnStart::Subagent(time)) => task = task.or(Some(time)),
                None => {}
            }
        }
        end = start + whole as u64;
        if whole == bytes.len() {
            block = block.saturating_mul(4);
            // Read the newline again: it ends the next line.
            end = end.saturating_sub(1);
        }
    }
    // Only a transcript read to its start is known to be the subagent's.
    task.filter(|_| first == 0)
}

/// A prompt and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnStart {
    User(SystemTime),
    Subagent(SystemTime),
}

fn read(file: &mut File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(end - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The prefix of a Stop hook's feedback in a transcript.
const FEEDBACK: &str = "Stop hook feedback:";

/// The feedback of a Stop hook, if the entry is one.
fn feedback(line: &[u8]) -> Option<String> {
    memmem::find(line, FEEDBACK.as_bytes())?;
    let entry: Value = serde_json::from_slice(line).ok()?;
    let text = entry["message"]["content"].as_str().filter(|_| entry["type"] == "user")?;
    Some(text.trim_start().strip_prefix(FEEDBACK)?.trim().to_owned())
}

/// The file of an edit and its text before, if the entry is the result of one; no text for a file that it created.
fn original(line: &[u8]) -> Option<(PathBuf, Option<String>)> {
    memmem::find(line, b"\"originalFile\"").or_else(|| memmem::find(line, b"\"original_file\""))?;
    let mut entry: Value = serde_json::from_slice(line).ok()?;
    let result = entry.get_mut("toolUseResult")?.as_object_mut()?;
    let path =
        ["filePath", "notebook_path"].iter().find_map(|key| result.get(*key)?.as_str().map(PathBuf::from))?;
    let text = match result.remove("originalFile").or_else(|| result.remove("original_file"))? {
        Value::String(text) => Some(text),
        _ => None,
    };
    Some((path, text))
}

/// The prompt, if the entry is one.
fn prompt(line: &[u8]) -> Option<TurnStart> {
    let has = |text: &str| memmem::find(line, text.as_bytes()).is_some();
    // A cheap test: inside a JSON string the quotes would be escaped.
    if !has("\"user\"") || has("\"type\":\"tool_result\"") {
        return None;
    }
    let entry: Value = serde_json::from_slice(line).ok()?;
    let is_set = |key: &str| entry[key].as_bool().unwrap_or(false);
    let is_generated = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"].into_iter().any(is_set)
        || entry["promptSource"] == "system"
        || entry["origin"]["kind"] == "task-notification";
    if entry["type"] != "user" || is_generated || !is_typed(&entry["message"]["content"]) {
        return None;
    }
    let time = time(entry["timestamp"].as_str()?)?;
    Some(if is_set("isSidechain") { TurnStart::Subagent(time) } else { TurnStart::User(time) })
}

/// Prefixes of generated texts that older versions record as user input.
const NOT_TYPED: [&str; 6] = [
    "<task-notification>",
    "<local-command-",
    "<system-reminder>",
    "[Request interrupted by user",
    FEEDBACK,
    "Caveat: The messages below were generated by the user while running local commands",
];

/// Whether the user typed this message.
fn is_typed(content: &Value) -> bool {
    let is_typed = |text: &str| !NOT_TYPED.iter().any(|start| text.trim_start().starts_with(start));
    match content {
        Value::String(text) => is_typed(text),
        Value::Array(parts) => {
            let is_result = |part: &Value| part["type"] == "tool_result";
            let texts = || {
                parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str())
            };
            !parts.iter().any(is_result) && texts().all(is_typed) && !parts.is_empty()
        }
        _ => false,
    }
}

/// Parses an RFC 3339 time.
fn time(text: &str) -> Option<SystemTime> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .try_fold(0, |sum: i64, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let is = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|byte| signs.contains(byte));
    let is_separated = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let in_range =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    if !is_separated || !in_range {
        return None;
    }
    let digits = match is(19, b".") {
        true => bytes[20..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        false => 0,
    };
    let kept = digits.min(9);
    let nanoseconds = number(20, 20 + kept)? * 10_i64.pow(9 - u32::try_from(kept).ok()?);
    let zone = if digits > 0 { 20 + digits } else { 19 };
    let offset = match &bytes[zone..] {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let minutes = number(zone + 1, zone + 3)? * 60 + number(zone + 4, zone + 6)?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

/// Days since 1970-01-01 (the algorithm of Howard Hinnant's `days_from_civil`).
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that a leap day is the last day of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn turn_began(transcript: &Path) -> Option<SystemTime> {
        Turn::read(transcript).began
    }

    fn at(seconds: u64) -> Option<SystemTime> {
        Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    #[test]
    fn parses_rfc3339_times() {
        for (text, seconds, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2026-11-17T08:49:11.751Z", 1_794_905_351, 751_000_000),
            ("2026-11-17T09:49:11.751+01:00", 1_794_905_351, 751_000_000),
            ("2026-11-17t03:19:11-05:30", 1_794_905_351, 0),
            ("2024-02-29 23:59:59.1234567891Z", 1_709_251_199, 123_456_789),
            ("2000-03-01T00:00:00Z", 951_868_800, 0),
            ("2100-03-01T00:00:00Z", 4_107_542_400, 0),
        ] {
            let expected = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
            assert_eq!(time(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-11-17",
            "2026-11-17T08:49:11",
            "2026-11-17T08:49:11.Z+",
            "2026-13-17T08:49:11Z",
            "2026-11-17T24:49:11Z",
            "1960-01-01T00:00:00Z",
            "2026-11-17T08:49:11+1:00",
            "é026-11-17T08:49:11Z",
            "2026x11-17T08:49:11Z",
            "20\u{0}6-11-17T08:49:11Z",
        ] {
            assert_eq!(time(text), None, "{text:?}");
        }
    }

    /// Recorded entries of transcripts.
    const PROMPT: &str = r#"{"parentUuid":null,"isSidechain":false,"promptId":"a","type":"user","message":{"role":"user","content":"do it"},"uuid":"u","timestamp":"1970-01-01T00:00:10.000Z","promptSource":"sdk","turnOrigin":"sdk","userType":"external"}"#;
    const TASK: &str = r#"{"isSidechain":true,"agentId":"a","type":"user","message":{"role":"user","content":"do it"},"timestamp":"1970-01-01T00:00:20Z"}"#;
    const LATER: [&str; 11] = [
        r#"{"type":"queue-operation","operation":"enqueue","timestamp":"1970-01-01T00:01:00Z","content":"\"user\""}"#,
        r#"{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"a"}]},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"isSidechain":false,"type":"user","isMeta":true,"message":{"role":"user","content":"Stop hook feedback:\nno way"},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"isSidechain":false,"type":"user","origin":{"kind":"task-notification"},"promptSource":"system","message":{"role":"user","content":"<task-notification>"},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"isSidechain":false,"type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"This session"},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"isSidechain":false,"type":"user","message":{"role":"user","content":"<local-command-stdout>Compacted </local-command-stdout>"},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"user"}]},"timestamp":"1970-01-01T00:01:00Z"}"#,
        r#"{"type":"user","message":{"role":"user","content":"no time"}}"#,
        r#"["user"]"#,
        r#"{"type":"user","timestamp":"1970-01-01T00:01:00Z","message":{"role":"user","content":"tor"#,
    ];

    fn began(text: &str) -> Option<SystemTime> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("t.jsonl");
        std::fs::write(&path, text).expect("written");
        turn_began(&path)
    }

    #[test]
    fn finds_last_user_prompt() {
        let text = format!("{}\n{PROMPT}\n{}", PROMPT.replace(":10.", ":05."), LATER.join("\n"));
        assert_eq!(began(&text), at(10));
        for later in LATER {
            assert_eq!(prompt(later.as_bytes()), None, "{later}");
        }
        let parts = r#"[{"type":"image"},{"type":"text","text":"look at \"type\":\"tool_result\""}]"#;
        assert_eq!(began(&PROMPT.replace("\"do it\"", parts)), at(10));
        let command = r#""<command-name>/review</command-name>""#;
        assert_eq!(began(&PROMPT.replace("\"do it\"", command)), at(10));
        assert_eq!(began(&LATER.join("\n")), None);
        assert_eq!(began(""), None);
        assert_eq!(began("\n\n\n"), None);
    }

    #[test]
    fn finds_task_of_subagent() {
        let later = LATER.join("\n");
        assert_eq!(began(&format!("{TASK}\n{later}")), at(20));
        assert_eq!(
            began(&format!("{}\n{TASK}\n{later}", TASK.replace(":20", ":15"))),
            at(20),
            "a second task"
        );
        assert_eq!(began(&format!("{PROMPT}\n{TASK}\n{later}")), at(10), "the session's");
        let long = format!("{TASK}\n{}", format!("{later}\n").repeat(1 + (16 << 20) / later.len()));
        assert_eq!(began(&long), None, "not read to its start");
    }

    #[test]
    fn reads_long_transcript_from_end() {
        let long = "x".repeat(300_000);
        let line = format!(r#"{{"type":"assistant","message":"{long}"}}"#);
        let mut text = format!("{PROMPT}\n");
        for size in [10, 70_000, BLOCK as usize - 1, BLOCK as usize, BLOCK as usize + 1, 299_000] {
            writeln!(text, "{}", &line[..size]).expect("written");
            assert_eq!(began(&text), at(10), "{size}");
            assert_eq!(began(text.trim_end()), at(10), "{size} without an end");
        }
        let limit = usize::try_from(MAX_READ).expect("fits");
        text.push_str(&format!("{long}\n").repeat(limit / 300_000 - 4));
        assert!(text.len() < limit);
        assert_eq!(began(&text), at(10));
        text.push_str(&format!("{long}\n").repeat(5));
        assert!(text.len() > limit);
        assert_eq!(began(&text), None, "beyond the limit");
        assert_eq!(began(&"x".repeat(limit + 1)), None);
        assert_eq!(began(&"\n".repeat(limit + 1)), None);
    }

    #[test]
    fn opens_only_regular_files() {
        assert_eq!(turn_began(Path::new("/nowhere/t.jsonl")), None);
        assert_eq!(turn_began(Path::new("/dev/zero")), None);
        assert_eq!(turn_began(Path::new("/")), None);
    }

    #[test]
    fn days_are_consecutive() {
        let mut expected = 0;
        for year in 1970..2110 {
            for month in 1..=12 {
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
                for day in 1..=days[usize::try_from(month - 1).expect("fits")] {
                    assert_eq!(days_since_1970(year, month, day), expected);
                    expected += 1;
                }
            }
        }
    }
}
