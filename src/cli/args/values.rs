//! Parsers for numeric values. Their errors state the accepted range.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A size in bytes. Displayed in the largest exact unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")];
        match units.into_iter().find(|(unit, _)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((unit, name)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Parses a size. `k`, `M` and `G` are powers of 1024, with or without `B` or `iB`.
pub fn size(text: &str) -> Result<Size, String> {
    let wrong = || "write a number of bytes, optionally with k, M or G, such as 512k or 10MB".to_owned();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let steps = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1024_u64.pow(steps)).map(Size).ok_or_else(wrong)
}

pub fn milliseconds(text: &str) -> Result<u64, String> {
    number(text, &(1..=3_600_000), "milliseconds")
}

pub fn threads(text: &str) -> Result<u16, String> {
    number(text, &(1..=512), "threads")
}

pub fn commits(text: &str) -> Result<usize, String> {
    number(text, &(1..=10_000_000), "commits")
}

fn number<N: FromStr + PartialOrd + Display>(
    text: &str,
    range: &RangeInclusive<N>,
    what: &str,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("write a number of {what} from {} to {}", range.start(), range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_takes_unit() {
        let megabytes = |count: u64| count * 1024 * 1024;
        for (text, bytes) in [
            ("0", 0),
            ("7", 7),
            ("7b", 7),
            ("512k", 512 * 1024),
            ("1KiB", 1024),
            ("10MB", megabytes(10)),
            ("10 mb", megabytes(10)),
            ("1G", megabytes(1024)),
        ] {
            assert_eq!(size(text), Ok(Size(bytes)), "{text}");
            assert_eq!(size(&Size(bytes).to_string()), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn invalid_size_names_valid_form() {
        for text in ["", "MB", "1XB", "-1", "+1", "1.5MB", "1e6", "99999999999999999999", "99999999999G"] {
            let error = size(text).expect_err(text);
            assert!(error.starts_with("write a number of bytes"), "{error}");
        }
    }

    #[test]
    fn numbers_are_limited() {
        assert_eq!(milliseconds("3600000"), Ok(3_600_000));
        assert_eq!(milliseconds("0"), Err("write a number of milliseconds from 1 to 3600000".to_owned()));
        assert_eq!(threads("abc"), Err("write a number of threads from 1 to 512".to_owned()));
        assert_eq!(threads("70000"), threads("abc"));
    }
}
