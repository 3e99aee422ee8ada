//! Reads one JSON object from a stream, up to its closing brace.
//!
//! Reading is lenient, because a rejected event is an unchecked edit. It accepts a byte order mark, lone surrogate
//! escapes, raw control characters in strings, bytes that are not UTF-8, and numbers beyond `f64`. A text that
//! serde_json rejects is [normalized](normalize_json) and parsed again:
//!
//! ```text
//! {"a": "x\ud800y", "b": 1e400}   ->   {"a": "x\ufffdy", "b": null}
//! ```

use std::fmt::Write as _;
use std::io::{self, Read};

use serde_json::{Map, Value};

/// The size limit of an event, in bytes.
pub const MAX_INPUT_LEN: usize = 10 * 1024 * 1024;

/// The limit on JSON values in an event; an object counts as ten. It bounds memory: a parsed value takes many times
/// its length.
pub const MAX_VALUES: usize = 1_000_000;

/// The weight of an object in [`MAX_VALUES`], beside its members.
const OBJECT_VALUES: usize = 10;

/// The read size. Most events are smaller.
const CHUNK_LEN: usize = 16 * 1024;
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// An error while reading an event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Only white space.
    #[error("the hook input is empty; it should be one JSON object on stdin")]
    Empty,
    /// The first character is not `{`.
    #[error("the hook input is not a JSON object")]
    NotAnObject,
    /// The stream ended inside the object.
    #[error("the hook input ends before its JSON object does")]
    Truncated,
    /// Over [`MAX_INPUT_LEN`] bytes.
    #[error("the hook input is over {MAX_INPUT_LEN} bytes")]
    TooLarge,
    /// Over [`MAX_VALUES`] values.
    #[error("the hook input has more than {MAX_VALUES} values")]
    TooManyValues,
    /// Not JSON, even after normalization.
    #[error("the hook input is not valid JSON")]
    Syntax(#[source] serde_json::Error),
    /// The stream failed.
    #[error("the hook input cannot be read")]
    Io(#[from] io::Error),
}

/// The first JSON object in `reader`.
///
/// Returns as soon as the object is complete, even if the stream stays open. Bytes after the object are ignored.
pub fn read_object(mut reader: impl Read) -> Result<Map<String, Value>, InputError> {
    let mut input = Vec::new();
    let mut chunk = vec![0; CHUNK_LEN];
    let mut scanner = Scanner::default();
    loop {
        let read = match reader.read(&mut chunk) {
            Ok(0) => return Err(scanner.at_end(&input)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let room = MAX_INPUT_LEN - input.len();
        input.extend_from_slice(&chunk[..read.min(room)]);
        if let Some(end) = scanner.find_end(&input)? {
            return parse(&input[scanner.start..end]);
        }
        if read > room {
            return Err(InputError::TooLarge);
        }
    }
}

/// Finds the end of an object in a growing buffer. Reads each byte once.
#[derive(Debug, Default)]
struct Scanner {
    /// The offset of the opening brace; valid while `depth` is not 0.
    start: usize,
    /// The offset of the first unread byte.
    next: usize,
    depth: usize,
    state: ScanState,
    /// The number of values so far, weighted as in [`MAX_VALUES`].
    values: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    #[default]
    Between,
    String,
    /// After a backslash in a string.
    Escape,
}

impl Scanner {
    /// The offset after the object, once `input` contains all of it. `input` only grows between calls.
    fn find_end(&mut self, input: &[u8]) -> Result<Option<usize>, InputError> {
        if self.depth == 0 && !self.find_start(input)? {
            return Ok(None);
        }
        while self.next < input.len() {
            match self.state {
                ScanState::Between => {
                    let byte = input[self.next];
                    self.next += 1;
                    match byte {
                        b'"' => self.state = ScanState::String,
                        b'{' | b'[' => {
                            self.depth += 1;
                            self.values += if byte == b'{' { OBJECT_VALUES } else { 1 };
                        }
                        b',' => self.values += 1,
                        b'}' | b']' => self.depth -= 1,
                        _ => {}
                    }
                    if self.depth == 0 {
                        return Ok(Some(self.next));
                    }
                    if self.values > MAX_VALUES {
                        return Err(InputError::TooManyValues);
                    }
                }
                ScanState::String => match memchr::memchr2(b'"', b'\\', &input[self.next..]) {
                    Some(at) => {
                        self.next += at + 1;
                        let quote = input[self.next - 1] == b'"';
                        self.state = if quote { ScanState::Between } else { ScanState::Escape };
                    }
                    None => self.next = input.len(),
                },
                ScanState::Escape => {
                    self.next += 1;
                    self.state = ScanState::String;
                }
            }
        }
        Ok(None)
    }

    /// Skips a byte order mark, white space and the opening brace.
    fn find_start(&mut self, input: &[u8]) -> Result<bool, InputError> {
        if self.next == 0 && input.len() < UTF8_BOM.len() && UTF8_BOM.starts_with(input) {
            return Ok(false);
        }
        if self.next == 0 && input.starts_with(UTF8_BOM) {
            self.next = UTF8_BOM.len();
        }
        let blank = input[self.next..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.next += blank;
        match input.get(self.next) {
            Some(b'{') => {
                self.start = self.next;
                self.next += 1;
                self.depth = 1;
                Ok(true)
            }
            Some(_) => Err(InputError::NotAnObject),
            None => Ok(false),
        }
    }

    /// The error for a stream that ends here.
    fn at_end(&self, input: &[u8]) -> InputError {
        match self.depth {
            0 if self.next == input.len() => InputError::Empty,
            0 => InputError::NotAnObject,
            _ => InputError::Truncated,
        }
    }
}

fn parse(object: &[u8]) -> Result<Map<String, Value>, InputError> {
    match serde_json::from_slice(object) {
        Ok(object) => Ok(object),
        Err(_) => serde_json::from_str(&normalize_json(&String::from_utf8_lossy(object)))
            .map_err(InputError::Syntax),
    }
}

/// `json` with raw control characters in strings escaped, lone surrogates replaced by U+FFFD, and numbers beyond `f64`
/// replaced by null. Valid JSON keeps its value.
pub fn normalize_json(json: &str) -> String {
    let mut normalized = String::with_capacity(json.len() + 64);
    let mut in_string = false;
    let mut rest = json;
    while let Some(next) = rest.chars().next() {
        let mut len = next.len_utf8();
        match next {
            '"' => {
                in_string = !in_string;
                normalized.push('"');
            }
            '\\' if in_string => {
                let (text, escape_len) = normalize_escape(rest);
                normalized.push_str(text);
                len = escape_len;
            }
            '-' | '0'..='9' if !in_string => {
                len = rest.find(|c: char| !is_in_number(c)).unwrap_or(rest.len());
                let number = &rest[..len];
                let overflows = number.parse::<f64>().is_ok_and(f64::is_infinite);
                normalized.push_str(if overflows { "null" } else { number });
            }
            '\0'..='\x1f' if in_string => {
                write!(normalized, "\\u{:04x}", u32::from(next)).expect("writing to a string cannot fail");
            }
            _ => normalized.push(next),
        }
        rest = &rest[len..];
    }
    normalized
}

fn is_in_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E')
}

/// The normalized form of the escape at the start of `rest`, and the length of the original.
fn normalize_escape(rest: &str) -> (&str, usize) {
    let Some(first) = unit(rest) else {
        let len = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        return (&rest[..len], len);
    };
    match first {
        0xD800..=0xDBFF if matches!(unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => (&rest[..12], 12),
        0xD800..=0xDFFF => ("\\ufffd", 6),
        _ => (&rest[..6], 6),
    }
}

/// The code unit of the `\uXXXX` at the start of `text`.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn reads_numbers_beyond_f64_as_null() {
        let long = "9".repeat(400);
        let text = format!(r#"{{"a": 1e400, "b": [-1E+999, {long}], "c": "1e400", "d": 1.5e3}}"#);
        let read = read(text.as_bytes());
        assert_eq!(read, json!({ "a": null, "b": [null, null], "c": "1e400", "d": 1500.0 }));
        assert!(matches!(error(br#"{"a": 1e400e}"#), InputError::Syntax(_)));
    }

    /// A stream that stays open: returns `step` bytes at a time, then fails.
    struct Open<'a> {
        bytes: &'a [u8],
        step: usize,
    }

    impl Read for Open<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.bytes.is_empty() {
                return Err(io::Error::other("would block for ever"));
            }
            let len = self.step.min(self.bytes.len()).min(buffer.len());
            let (now, later) = self.bytes.split_at(len);
            buffer[..len].copy_from_slice(now);
            self.bytes = later;
            Ok(len)
        }
    }

    fn read(text: &[u8]) -> Value {
        Value::Object(read_object(text).expect("an object"))
    }

    fn error(text: &[u8]) -> InputError {
        read_object(text).expect_err("an error")
    }

    #[test]
    fn returns_when_object_is_complete() {
        let text = br#" {"a": {"b": ["}", "\"]"]}}"#;
        for step in 1..=text.len() {
            let object = read_object(Open { bytes: text, step }).expect("an object");
            assert_eq!(Value::Object(object), json!({"a": {"b": ["}", "\"]"]}}), "in steps of {step}");
        }
    }

    #[test]
    fn ignores_bytes_after_object() {
        assert_eq!(read(br#"{"a":1} {"b":2}"#), json!({"a": 1}));
        assert_eq!(read(b"{}garbage"), json!({}));
    }

    #[test]
    fn skips_byte_order_mark_and_white_space() {
        let text = b"\xEF\xBB\xBF \r\n\t{}";
        assert_eq!(read(text), json!({}));
        assert!(read_object(Open { bytes: text, step: 1 }).is_ok());
    }

    #[test]
    fn replaces_lone_surrogates() {
        assert_eq!(read(br#"{"a": "x\ud800y"}"#), json!({"a": "x\u{fffd}y"}));
        assert_eq!(read(br#"{"a": "\udc00\ud83d\ude00\uD83D"}"#), json!({"a": "\u{fffd}😀\u{fffd}"}));
        assert_eq!(read(br#"{"a": "\ud800\ud83d\ude00"}"#), json!({"a": "\u{fffd}😀"}));
        assert_eq!(read(br#"{"a": "\\ud800 \ud800"}"#), json!({"a": "\\ud800 \u{fffd}"}));
    }

    #[test]
    fn keeps_raw_control_characters() {
        assert_eq!(read(b"{\"a\": \"x\ny\tz\x00\"}"), json!({"a": "x\ny\tz\0"}));
    }

    #[test]
    fn replaces_invalid_utf8() {
        assert_eq!(read(b"{\"a\": \"x\xffy\"}"), json!({"a": "x\u{fffd}y"}));
    }

    #[test]
    fn keeps_numbers_unchanged() {
        let text = br#"{"a":9007199254740993,"b":0.30000000000000004,"c":1.0,"d":-0.0}"#;
        assert_eq!(read(text).to_string().as_bytes(), text);
    }

    #[test]
    fn names_each_error() {
        assert!(matches!(error(b""), InputError::Empty));
        assert!(matches!(error(b" \n"), InputError::Empty));
        assert!(matches!(error(b"\xEF\xBB\xBF"), InputError::Empty));
        assert!(matches!(error(b"\xEF\xBB"), InputError::NotAnObject));
        assert!(matches!(error(b"[{}]"), InputError::NotAnObject));
        assert!(matches!(error(b"null"), InputError::NotAnObject));
        assert!(matches!(error(b"{\"a\": \"}"), InputError::Truncated));
        assert!(matches!(error(b"{]"), InputError::Syntax(_)));
        assert!(matches!(error(b"{\"a\": \"\\x\"}"), InputError::Syntax(_)));
        assert!(matches!(error(b"{\"a\": \"\\u12\"}"), InputError::Syntax(_)));
        assert!(matches!(read_object(Open { bytes: b"{", step: 1 }), Err(InputError::Io(_))));
    }

    #[test]
    fn limits_bytes_and_values() {
        let object = |len: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(len - 8)).into_bytes();
        assert!(read_object(&object(MAX_INPUT_LEN)[..]).is_ok());
        assert!(matches!(error(&object(MAX_INPUT_LEN + 1)), InputError::TooLarge));
        assert!(matches!(read_object(io::repeat(b' ')), Err(InputError::TooLarge)));
        assert!(matches!(read_object(b"{".chain(io::repeat(b'['))), Err(InputError::TooManyValues)));
        assert!(matches!(read_object(b"{\"a\":[".chain(io::repeat(b','))), Err(InputError::TooManyValues)));
        assert!(matches!(read_object(b"{\"a\":\"".chain(io::repeat(b','))), Err(InputError::TooLarge)));
    }

    #[test]
    fn rejects_deep_nesting_without_overflow() {
        assert!(matches!(error("{\"a\":".repeat(100_000).as_bytes()), InputError::Truncated));
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert!(matches!(error(deep.as_bytes()), InputError::Syntax(_)));
    }

    #[test]
    fn retries_interrupted_read() {
        struct Interrupted(bool);
        impl Read for Interrupted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if !std::mem::replace(&mut self.0, true) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                b"{}".as_slice().read(buffer)
            }
        }
        assert!(read_object(Interrupted(false)).is_ok());
    }

    proptest! {
        #[test]
        fn keeps_valid_json(text in ".{0,20}", key in ".{0,5}", step in 1usize..9) {
            let value = json!({ key: [text, {"n": 1}] });
            let bytes = value.to_string().into_bytes();
            let object = read_object(Open { bytes: &bytes, step }).expect("an object");
            prop_assert_eq!(&Value::Object(object), &value);
            prop_assert_eq!(serde_json::from_str::<Value>(&normalize_json(&value.to_string())).expect("still valid"), value);
        }

        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = read_object(&[b"{\"a\":\"", &bytes[..], b"\"}"].concat()[..]);
            let _ = read_object(&bytes[..]);
        }
    }
}
