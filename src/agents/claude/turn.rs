//! When a turn began: the time of the last prompt, as the client's transcript has it.
//!
//! A transcript is a file of JSON lines that only grows and may be very long, so it is read from its end. The client also
//! writes down as messages of the user what nobody has typed: results of tools, what hooks say, ends of background tasks,
//! summaries. Those begin no turn. A subagent has a transcript of its own, where its task is the prompt; in that of the
//! session such a task begins no turn either. What cannot be read is passed over.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

use memchr::memmem;
use serde_json::Value;

/// How far back a transcript is read, in bytes.
const MAX_READ: u64 = 16 << 20;

/// How much is read at once to begin with, in bytes; more where a line is longer.
const BLOCK: u64 = 64 << 10;

/// What a transcript says about the turn that it ends with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// When the last prompt was given, if it stands near enough to the end of the transcript.
    pub began: Option<SystemTime>,
    /// What hooks have sent it back for, the last first.
    pub sent_back: Vec<String>,
}

impl Turn {
    /// The turn at the end of a transcript.
    pub fn of(transcript: &Path) -> Self {
        let mut sent_back = Vec::new();
        let began = search(transcript, &mut sent_back);
        Self { began, sent_back }
    }
}

/// Looks for the last prompt, and gathers what stands after it.
fn search(transcript: &Path, sent_back: &mut Vec<String>) -> Option<SystemTime> {
    // A FIFO would be waited for.
    if !transcript.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = File::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    let first = length.saturating_sub(MAX_READ);
    let mut task = None;
    // Everything from here on has been looked at.
    let mut end = length;
    let mut block = BLOCK;
    while end > first {
        let start = end.saturating_sub(block).max(first);
        let bytes = read(&mut file, start, end).ok()?;
        // A line that began earlier is looked at together with its beginning.
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
            sent_back.extend(feedback(line));
            match prompt(line) {
                Some(Prompt::OfPerson(time)) => return Some(time),
                Some(Prompt::OfSubagent(time)) => task = task.or(Some(time)),
                None => {}
            }
        }
        end = start + whole as u64;
        if whole == bytes.len() {
            block = block.saturating_mul(4);
            // The line goes on to its newline, which has to be read again.
            end = end.saturating_sub(1);
        }
    }
    // Of a transcript that was not read to its beginning it is not known whose it is.
    task.filter(|_| first == 0)
}

/// What begins a turn, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prompt {
    OfPerson(SystemTime),
    OfSubagent(SystemTime),
}

fn read(file: &mut File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(end - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How the client begins what hooks say at the end of a turn.
const FEEDBACK: &str = "Stop hook feedback:";

/// What a hook has sent a turn back for, if an entry is about that.
fn feedback(line: &[u8]) -> Option<String> {
    memmem::find(line, FEEDBACK.as_bytes())?;
    let entry: Value = serde_json::from_slice(line).ok()?;
    let text = entry["message"]["content"].as_str().filter(|_| entry["type"] == "user")?;
    Some(text.trim_start().strip_prefix(FEEDBACK)?.trim().to_owned())
}

/// The prompt that an entry is, if it is one.
fn prompt(line: &[u8]) -> Option<Prompt> {
    let has = |text: &str| memmem::find(line, text.as_bytes()).is_some();
    // Inside a text the quotes would be escaped. Most lines need not be read any further.
    if !has("\"user\"") || has("\"type\":\"tool_result\"") {
        return None;
    }
    let entry: Value = serde_json::from_slice(line).ok()?;
    let is_set = |key: &str| entry[key].as_bool().unwrap_or(false);
    let is_of_client = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"].into_iter().any(is_set)
        || entry["promptSource"] == "system"
        || entry["origin"]["kind"] == "task-notification";
    if entry["type"] != "user" || is_of_client || !is_typed(&entry["message"]["content"]) {
        return None;
    }
    let time = time(entry["timestamp"].as_str()?)?;
    Some(if is_set("isSidechain") { Prompt::OfSubagent(time) } else { Prompt::OfPerson(time) })
}

/// How texts begin that older clients write down as if a person had typed them.
const NOT_TYPED: [&str; 6] = [
    "<task-notification>",
    "<local-command-",
    "<system-reminder>",
    "[Request interrupted by user",
    FEEDBACK,
    "Caveat: The messages below were generated by the user while running local commands",
];

/// Is this what a person has typed?
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

/// The time that an RFC 3339 text gives.
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

/// How many days a date is after the first of January 1970.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // In years that begin with March the day that comes and goes is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn turn_began(transcript: &Path) -> Option<SystemTime> {
        Turn::of(transcript).began
    }

    fn at(seconds: u64) -> Option<SystemTime> {
        Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    #[test]
    fn times_are_read() {
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

    /// What the client writes down, as it was seen.
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
    fn the_last_prompt_of_a_person_counts() {
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
    fn the_task_of_a_subagent_counts_in_its_own_transcript() {
        let later = LATER.join("\n");
        assert_eq!(began(&format!("{TASK}\n{later}")), at(20));
        assert_eq!(
            began(&format!("{}\n{TASK}\n{later}", TASK.replace(":20", ":15"))),
            at(20),
            "asked once more"
        );
        assert_eq!(began(&format!("{PROMPT}\n{TASK}\n{later}")), at(10), "the session's");
        let long = format!("{TASK}\n{}", format!("{later}\n").repeat(1 + (16 << 20) / later.len()));
        assert_eq!(began(&long), None, "whose it is, is not known");
    }

    #[test]
    fn a_long_transcript_is_read_from_its_end() {
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
        assert_eq!(began(&text), None, "further back than is read");
        assert_eq!(began(&"x".repeat(limit + 1)), None);
        assert_eq!(began(&"\n".repeat(limit + 1)), None);
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        assert_eq!(turn_began(Path::new("/nowhere/t.jsonl")), None);
        assert_eq!(turn_began(Path::new("/dev/zero")), None);
        assert_eq!(turn_began(Path::new("/")), None);
    }

    #[test]
    fn every_day_follows_another() {
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
