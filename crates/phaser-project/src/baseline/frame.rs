//! The fast path for a baseline line: phaser's own layout, parsed from both ends.
//!
//! The fields have fixed names in a fixed order, so the prefix and the last 40 bytes or so of a line are enough to
//! find the digest. A hook compares it with the digests of its few violations and skips the line without parsing
//! contract and path. Any other layout, and any escape, is left to a JSON parser.

use super::{BaselineEntry, EntryKey};
use phaser_core::violation::LineDigest;

const START: &[u8] = b"{\"contract\":\"";
const PATH: &[u8] = b"\",\"path\":\"";
const DIGEST: &[u8] = b"\",\"digest\":\"";
const COUNT: &[u8] = b"\",\"count\":";
const END: &[u8] = b"}";

/// The length of a line after the path when the count has one digit.
const ONE_DIGIT: usize = DIGEST.len() + 16 + COUNT.len() + 1 + END.len();

/// A line, split into fields.
#[derive(Debug)]
pub(super) struct EntryLine<'a> {
    /// The contract, the separator and the path.
    pub(super) front: &'a [u8],
    /// The digest, in hexadecimal.
    pub(super) digest: &'a [u8; 16],
    count: &'a [u8],
}

impl<'a> EntryLine<'a> {
    /// Splits a line in phaser's own layout; `None` for any other.
    #[inline]
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let inside = line.strip_prefix(START)?;
        // Nearly every count has one digit: then all offsets from the end are constants.
        if let Some((front, end)) = inside.split_last_chunk::<ONE_DIGIT>()
            && let (name, [digest @ .., _, _]) = end.split_at(DIGEST.len())
            && let Some((digest, COUNT)) = digest.split_first_chunk()
            && name == DIGEST
            && matches!(end, [.., b'1'..=b'9', b'}'])
        {
            return Some(Self { front, digest, count: &end[ONE_DIGIT - 2..ONE_DIGIT - 1] });
        }
        Self::with_any_count(inside.strip_suffix(END)?)
    }

    fn with_any_count(inside: &'a [u8]) -> Option<Self> {
        let digits = inside.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (rest, count) = inside.split_at(inside.len() - digits);
        let (rest, digest) = rest.strip_suffix(COUNT)?.split_last_chunk()?;
        let is_number = (1..=9).contains(&digits) && count[0] != b'0';
        is_number.then_some(Self { front: rest.strip_suffix(DIGEST)?, digest, count })
    }

    /// The entry; `None` if the line needs a JSON parser.
    pub(super) fn entry(&self) -> Option<BaselineEntry<'a>> {
        let contract = memchr::memchr2(b'"', b'\\', self.front)?;
        let path = self.front[contract..].strip_prefix(PATH)?;
        let is_plain = memchr::memchr2(b'"', b'\\', path).is_none()
            && !self.front.iter().any(u8::is_ascii_control)
            && std::str::from_utf8(self.front).is_ok();
        is_plain.then_some(BaselineEntry {
            contract: &self.front[..contract],
            path,
            digest: digest_of(self.digest)?,
            count: self.count.iter().fold(0, |count, digit| count * 10 + u32::from(digit - b'0')),
        })
    }
}

/// Parses 16 lower-case hexadecimal digits.
pub(super) fn digest_of(digits: &[u8; 16]) -> Option<LineDigest> {
    let mut digest = 0;
    for digit in digits {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        digest = digest << 4 | u64::from(value);
    }
    Some(LineDigest(digest))
}

/// The 16 lower-case hexadecimal digits of a digest.
pub(super) fn hexadecimal(digest: LineDigest) -> [u8; 16] {
    let digit = |at: usize| b"0123456789abcdef"[(digest.0 >> (60 - 4 * at) & 15) as usize];
    std::array::from_fn(digit)
}

/// The part of a line from the contract's id up to the path.
pub(super) fn contract_field(id: &str) -> Vec<u8> {
    [escaped(id).as_bytes(), PATH].concat()
}

/// The prefix that all lines with this contract and path share, up to the digest.
pub(super) fn start_of(contract: &str, path: &str) -> Vec<u8> {
    [START, escaped(contract).as_bytes(), PATH, escaped(path).as_bytes(), DIGEST].concat()
}

/// Formats an entry.
pub(super) fn line(key: &EntryKey, count: u32) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes);
    let digest = hexadecimal(key.digest);
    format!(
        "{}{}{}{}{}{}{}{count}{}",
        text(START),
        escaped(&key.contract),
        text(PATH),
        escaped(&key.path),
        text(DIGEST),
        text(&digest),
        text(COUNT),
        text(END)
    )
}

/// A JSON string without its quotes.
fn escaped(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}
