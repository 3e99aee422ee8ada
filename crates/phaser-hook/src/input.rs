//! Reads one JSON object from a stream, and no further.
//!
//! Lenient, because a refused input is an unchecked edit: a byte order mark, a lone surrogate escape, a raw
//! control character in a string or bytes that are not UTF-8 are mended. Knows nothing of what the object means.

use std::fmt::Write as _;
use std::io::{self, Read};

use serde_json::{Map, Value};

/// The most that is read, in bytes.
pub const MAX_INPUT_LEN: usize = 10 * 1024 * 1024;

/// The most values that an input has, an object counting for ten. In memory each takes much more than
/// it is long.
pub const MAX_VALUES: usize = 1_000_000;

/// What an object counts for beside what is in it.
const OBJECT_VALUES: usize = 10;

/// How much is read at once: most events are smaller, and memory that nobody reads need not be touched.
const CHUNK_LEN: usize = 16 * 1024;
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// Why no object could be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There was nothing but white space.
    #[error("the hook input is empty; it should be one JSON object on stdin")]
    Empty,
    /// It does not start with `{`.
    #[error("the hook input is not a JSON object")]
    NotAnObject,
    /// The stream ended inside the object.
    #[error("the hook input ends before its JSON object does")]
    Truncated,
    /// It is longer than [`MAX_INPUT_LEN`].
    #[error("the hook input is over {MAX_INPUT_LEN} bytes")]
    TooLarge,
    /// It has more than [`MAX_VALUES`].
    #[error("the hook input has more than {MAX_VALUES} values")]
    TooManyValues,
    /// It is not JSON, even after mending.
    #[error("the hook input is not valid JSON")]
    Syntax(#[source] serde_json::Error),
    /// The stream could not be read.
    #[error("the hook input cannot be read")]
    Io(#[from] io::Error),
}

/// The first JSON object in `reader`.
///
/// Returns as soon as the object is complete, even if the stream stays open; what follows is not looked at.
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

/// Finds the end of an object in a buffer that grows, and looks at each byte once.
#[derive(Debug, Default)]
struct Scanner {
    /// Where the object starts; meaningful once `depth` is not 0.
    start: usize,
    /// The first byte that has not been looked at.
    next: usize,
    depth: usize,
    place: Place,
    /// How many values there have been.
    values: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Between,
    String,
    /// After a backslash in a string.
    Escape,
}

impl Scanner {
    /// The end of the object, once `input` holds all of it. `input` is what it was last time, and more.
    fn find_end(&mut self, input: &[u8]) -> Result<Option<usize>, InputError> {
        if self.depth == 0 && !self.find_start(input)? {
            return Ok(None);
        }
        while self.next < input.len() {
            match self.place {
                Place::Between => {
                    let byte = input[self.next];
                    self.next += 1;
                    match byte {
                        b'"' => self.place = Place::String,
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
                Place::String => match memchr::memchr2(b'"', b'\\', &input[self.next..]) {
                    Some(at) => {
                        self.next += at + 1;
                        let quote = input[self.next - 1] == b'"';
                        self.place = if quote { Place::Between } else { Place::Escape };
                    }
                    None => self.next = input.len(),
                },
                Place::Escape => {
                    self.next += 1;
                    self.place = Place::String;
                }
            }
        }
        Ok(None)
    }

    /// Steps over a byte order mark and white space, and into the object.
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

    /// What the end of the stream means here.
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
        Err(_) => serde_json::from_str(&mend(&String::from_utf8_lossy(object))).map_err(InputError::Syntax),
    }
}

/// `json` with its raw control characters escaped and its lone surrogates replaced, inside strings, and with numbers that
/// are too large for anybody made null.
pub fn mend(json: &str) -> String {
    let mut mended = String::with_capacity(json.len() + 64);
    let mut in_string = false;
    let mut rest = json;
    while let Some(next) = rest.chars().next() {
        let mut len = next.len_utf8();
        match next {
            '"' => {
                in_string = !in_string;
                mended.push('"');
            }
            '\\' if in_string => {
                let (text, escape_len) = mend_escape(rest);
                mended.push_str(text);
                len = escape_len;
            }
            '-' | '0'..='9' if !in_string => {
                len = rest.find(|c: char| !is_in_number(c)).unwrap_or(rest.len());
                let number = &rest[..len];
                let overflows = number.parse::<f64>().is_ok_and(f64::is_infinite);
                mended.push_str(if overflows { "null" } else { number });
            }
            '\0'..='\x1f' if in_string => {
                write!(mended, "\\u{:04x}", u32::from(next)).expect("writing to a string cannot fail");
            }
            _ => mended.push(next),
        }
        rest = &rest[len..];
    }
    mended
}

fn is_in_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E')
}

/// The escape that `rest` starts with, mended, and how many bytes of `rest` it stands for.
fn mend_escape(rest: &str) -> (&str, usize) {
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

/// The code unit of the `\uXXXX` that `text` starts with.
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
    fn numbers_of_any_size_do_not_make_an_event_unreadable() {
        let long = "9".repeat(400);
        let text = format!(r#"{{"a": 1e400, "b": [-1E+999, {long}], "c": "1e400", "d": 1.5e3}}"#);
        let read = read(text.as_bytes());
        assert_eq!(read, json!({ "a": null, "b": [null, null], "c": "1e400", "d": 1500.0 }));
        assert!(matches!(error(br#"{"a": 1e400e}"#), InputError::Syntax(_)));
    }

    /// Gives its bytes `step` at a time, then fails: a stream that stays open after the object.
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
    fn acts_as_soon_as_the_object_is_complete() {
        let text = br#" {"a": {"b": ["}", "\"]"]}}"#;
        for step in 1..=text.len() {
            let object = read_object(Open { bytes: text, step }).expect("an object");
            assert_eq!(Value::Object(object), json!({"a": {"b": ["}", "\"]"]}}), "in steps of {step}");
        }
    }

    #[test]
    fn what_follows_the_object_is_not_looked_at() {
        assert_eq!(read(br#"{"a":1} {"b":2}"#), json!({"a": 1}));
        assert_eq!(read(b"{}garbage"), json!({}));
    }

    #[test]
    fn a_byte_order_mark_and_white_space_may_come_first() {
        let text = b"\xEF\xBB\xBF \r\n\t{}";
        assert_eq!(read(text), json!({}));
        assert!(read_object(Open { bytes: text, step: 1 }).is_ok());
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        assert_eq!(read(br#"{"a": "x\ud800y"}"#), json!({"a": "x\u{fffd}y"}));
        assert_eq!(read(br#"{"a": "\udc00\ud83d\ude00\uD83D"}"#), json!({"a": "\u{fffd}😀\u{fffd}"}));
        assert_eq!(read(br#"{"a": "\ud800\ud83d\ude00"}"#), json!({"a": "\u{fffd}😀"}));
        assert_eq!(read(br#"{"a": "\\ud800 \ud800"}"#), json!({"a": "\\ud800 \u{fffd}"}));
    }

    #[test]
    fn raw_control_characters_are_kept() {
        assert_eq!(read(b"{\"a\": \"x\ny\tz\x00\"}"), json!({"a": "x\ny\tz\0"}));
    }

    #[test]
    fn bytes_that_are_not_utf8_become_the_replacement_character() {
        assert_eq!(read(b"{\"a\": \"x\xffy\"}"), json!({"a": "x\u{fffd}y"}));
    }

    #[test]
    fn numbers_come_through_unchanged() {
        let text = br#"{"a":9007199254740993,"b":0.30000000000000004,"c":1.0,"d":-0.0}"#;
        assert_eq!(read(text).to_string().as_bytes(), text);
    }

    #[test]
    fn says_what_is_wrong() {
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
    fn reading_stops_at_ten_megabytes() {
        let object = |len: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(len - 8)).into_bytes();
        assert!(read_object(&object(MAX_INPUT_LEN)[..]).is_ok());
        assert!(matches!(error(&object(MAX_INPUT_LEN + 1)), InputError::TooLarge));
        assert!(matches!(read_object(io::repeat(b' ')), Err(InputError::TooLarge)));
        assert!(matches!(read_object(b"{".chain(io::repeat(b'['))), Err(InputError::TooManyValues)));
        assert!(matches!(read_object(b"{\"a\":[".chain(io::repeat(b','))), Err(InputError::TooManyValues)));
        assert!(matches!(read_object(b"{\"a\":\"".chain(io::repeat(b','))), Err(InputError::TooLarge)));
    }

    #[test]
    fn very_deep_objects_are_refused_without_overflowing() {
        assert!(matches!(error("{\"a\":".repeat(100_000).as_bytes()), InputError::Truncated));
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert!(matches!(error(deep.as_bytes()), InputError::Syntax(_)));
    }

    #[test]
    fn an_interrupted_read_is_tried_again() {
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
        fn valid_json_is_read_as_it_is(text in ".{0,20}", key in ".{0,5}", step in 1usize..9) {
            let value = json!({ key: [text, {"n": 1}] });
            let bytes = value.to_string().into_bytes();
            let object = read_object(Open { bytes: &bytes, step }).expect("an object");
            prop_assert_eq!(&Value::Object(object), &value);
            prop_assert_eq!(serde_json::from_str::<Value>(&mend(&value.to_string())).expect("still valid"), value);
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = read_object(&[b"{\"a\":\"", &bytes[..], b"\"}"].concat()[..]);
            let _ = read_object(&bytes[..]);
        }
    }
}
