//! Verifiers: tests that a match must pass to be a violation. They tell live credentials from what has only their form.
//!
//! The key `verify` names them. They run on the group `secret` of a match, or on the whole match, and only after the
//! pattern matched, so a text without a match costs nothing.
//!
//! `random` holds for text that a generator made. Three kinds of text fail:
//!
//! 1. Placeholders: a word such as `EXAMPLE`, a run of one character (`xxxx`), a sequence (`123456`, `fedcba`), or a
//!    part that occurs twice (`NotARealKeyNotARealKey`).
//! 2. Published values: those that a vendor's documentation or software shows to everyone, see `published.rs`.
//! 3. Text of low entropy. A random text of `n` characters has about `log2(n)` bits per character until its alphabet is
//!    the limit, which is at least 16 characters for credentials. Three quarters of `log2(min(n, 16))` are required:
//!    3 bits from 16 characters on. 32 random hexadecimal digits have 3.65 ± 0.12 bits.
//!
//! The words of step 1 have at least four letters and count in lower case, upper case, or with a capital. One occurs by
//! chance in about one of 13,000 random texts of 40 letters and digits. The other tests fail far fewer.

mod placeholder;
mod published;

use serde_json::Value as Json;

/// The longest text in which a part that occurs twice shows a placeholder. Longer credentials have structure inside.
const MAX_UNSTRUCTURED: usize = 128;

/// The number of characters of a GitHub token after its prefix, and of these, in front of its checksum.
const GITHUB_BODY: usize = 36;
const GITHUB_RANDOM: usize = 30;

/// Seconds that a token may be valid without being a lasting credential.
const LASTING: i64 = 366 * 24 * 60 * 60;

/// The group of a pattern that verifiers test.
pub const GROUP: &str = "secret";

/// A value of the key `verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verifier {
    /// Made by a random generator: see the [module](self).
    Random,
    /// Ends in the checksum of GitHub's and npm's tokens.
    Github,
    /// A JSON Web Token that never expires, or not within a year of its issue.
    Jwt,
}

impl Verifier {
    /// All verifiers, in documentation order.
    pub const ALL: [Self; 3] = [Self::Random, Self::Github, Self::Jwt];

    /// The value in contracts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Github => "github",
            Self::Jwt => "jwt",
        }
    }

    /// Whether a matched text passes.
    pub fn accepts(self, text: &[u8]) -> bool {
        match self {
            Self::Random => is_random(text),
            Self::Github => has_github_checksum(text),
            Self::Jwt => is_lasting_token(text),
        }
    }
}

fn is_random(text: &[u8]) -> bool {
    !placeholder::is_placeholder(text, MAX_UNSTRUCTURED)
        && !published::is_published(text)
        && has_entropy(text)
}

/// Whether the entropy of the text is what its length lets expect of random text.
fn has_entropy(text: &[u8]) -> bool {
    let mut counts = [0_u32; 256];
    text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let bits = |count: u32| {
        let share = f64::from(count) / length;
        -share * share.log2()
    };
    let entropy: f64 = counts.into_iter().filter(|count| *count > 0).map(bits).sum();
    entropy > 0.0 && entropy >= 0.75 * length.min(16.0).log2()
}

/// Whether a text ends in 30 characters and their checksum: CRC-32 in base 62, six digits. GitHub documents it for the
/// tokens `ghp_`, `gho_`, `ghu_`, `ghs_` and `ghr_`, npm for `npm_`.
fn has_github_checksum(text: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some(start) = text.len().checked_sub(GITHUB_BODY) else { return false };
    let (random, digits) = text[start..].split_at(GITHUB_RANDOM);
    let mut rest = crc32(random);
    digits.iter().rev().all(|digit| {
        let expected = DIGITS[(rest % 62) as usize];
        rest /= 62;
        *digit == expected
    })
}

/// CRC-32 as in zlib, bit by bit: texts are short.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |rest: u32, _| (rest >> 1) ^ (0xEDB8_8320 & (rest & 1).wrapping_neg());
    !bytes.iter().fold(u32::MAX, |rest, byte| (0..8).fold(rest ^ u32::from(*byte), step))
}

/// Whether a text is a JSON Web Token, and its claims do not end it within a year. Most tokens in files are sessions,
/// which are of no use after minutes or days.
fn is_lasting_token(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'.');
    let (Some(header), Some(claims)) = (parts.next(), parts.next()) else { return false };
    let json = |part: &[u8]| serde_json::from_slice::<Json>(&base64(part)?).ok();
    let (Some(header), Some(claims)) = (json(header), json(claims)) else { return false };
    if header.get("alg").and_then(Json::as_str).is_none_or(|name| name.eq_ignore_ascii_case("none")) {
        return false;
    }
    if published::is_example_of_person(&claims) {
        return false;
    }
    let time = |name: &str| claims.get(name).and_then(Json::as_f64).map(|time| time as i64);
    match (time("exp"), time("iat").or_else(|| time("nbf")).or_else(|| time("auth_time"))) {
        (None, _) => true,
        (Some(end), Some(start)) => end.saturating_sub(start) > LASTING,
        (Some(_), None) => false,
    }
}

/// The bytes of a text in base 64, with either alphabet. Ends at the first other character.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let bits: Vec<bool> =
            text.bytes().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect();
        let digit = |bits: &[bool]| {
            let value = (0..6).fold(0, |value, at| value * 2 + usize::from(bits.get(at) == Some(&true)));
            char::from(DIGITS[value])
        };
        bits.chunks(6).map(digit).collect()
    }

    fn token(header: &str, claims: &str) -> Vec<u8> {
        format!("{}.{}.c2lnbmF0dXJl", encoded(header), encoded(claims)).into_bytes()
    }

    #[test]
    fn random_text_passes() {
        for text in [
            "Zk3vQ9xLw0PbT7mYc2RjHd5n",
            "9f86d081884c7d659a2feaa0c55ad015",
            "a3Xk9pQz",
            "7b52009b64fd0a2a49e6d8a939753077792b0554",
        ] {
            assert!(Verifier::Random.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn text_of_low_entropy_fails() {
        for text in ["", "a", "aabbaabbccaa", "0000000a0000000b", "1212121313", "mypassword"] {
            assert!(!Verifier::Random.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn github_checksum_decides() {
        let valid = concat!("ghp", "_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17");
        assert!(Verifier::Github.accepts(valid.as_bytes()), "from the documentation of the format");
        for wrong in [&valid.replace("zQ", "zR"), &valid.replace("17", "18"), &valid[..30], ""] {
            assert!(!Verifier::Github.accepts(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn crc_equals_zlib() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn only_lasting_tokens_pass() {
        let header = r#"{"alg":"HS256","typ":"JWT"}"#;
        for (claims, expected) in [
            (r#"{"role":"service_role","iat":1600000000,"exp":1900000000}"#, true),
            (r#"{"sub":"u-81f3"}"#, true),
            (r#"{"sub":"u-81f3","iat":1600000000,"exp":1600003600}"#, false),
            (r#"{"sub":"u-81f3","exp":1600003600}"#, false),
            (r#"{"sub":"1234567890","name":"John Doe","iat":1516239022}"#, false),
            ("no JSON", false),
        ] {
            assert_eq!(Verifier::Jwt.accepts(&token(header, claims)), expected, "{claims}");
        }
        assert!(!Verifier::Jwt.accepts(&token(r#"{"alg":"none"}"#, r#"{"sub":"u-81f3"}"#)));
        assert!(!Verifier::Jwt.accepts(b"eyJhbGciOi"));
    }
}
