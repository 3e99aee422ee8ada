//! Scalars: the values that contracts compare with.

use std::fmt;

use crate::yaml::{self, Plain};

/// A scalar with its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A text.
    String(String),
}

impl Scalar {
    /// The scalar that YAML's core schema reads from an unquoted text.
    pub fn of_plain(text: &str) -> Self {
        match yaml::resolve(text) {
            Plain::Null => Self::Null,
            Plain::Bool(value) => Self::Bool(value),
            Plain::Number => Self::Number(text.to_owned()),
            Plain::String => Self::String(text.to_owned()),
        }
    }

    /// The scalar that a JSON literal stands for; `None` if it is none.
    pub fn from_json(literal: &str) -> Option<Self> {
        if literal.starts_with('"') {
            return crate::json::string(literal).map(Self::String);
        }
        match Self::of_plain(literal) {
            Self::String(_) => None,
            other => Some(other),
        }
    }

    /// As a JSON literal. YAML reads it as the same scalar.
    pub fn to_json(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(written) => written.clone(),
            Self::String(text) => crate::write::json_string(text),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// The value of a number in any of the formats: `0x1f`, `1_000`, `-.inf`, `1e3`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// `None` if the text is not a number.
    pub fn parse(written: &str) -> Option<Self> {
        let digits = written.replace('_', "");
        let (sign, unsigned) = match digits.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, digits.strip_prefix('+').unwrap_or(&digits)),
        };
        let radix = |radix, digits: &str| i128::from_str_radix(digits, radix).ok();
        let integer = match unsigned.get(..2) {
            Some("0x") => Some(radix(16, &unsigned[2..])?),
            Some("0o") => Some(radix(8, &unsigned[2..])?),
            Some("0b") => Some(radix(2, &unsigned[2..])?),
            _ if unsigned.bytes().all(|byte| byte.is_ascii_digit()) => radix(10, unsigned),
            _ => None,
        };
        if let Some(integer) = integer {
            return Some(Self::Integer(sign * integer));
        }
        let name = unsigned.strip_prefix('.').unwrap_or(unsigned);
        let float = match () {
            () if name.eq_ignore_ascii_case("inf") => f64::INFINITY,
            () if name.eq_ignore_ascii_case("nan") => f64::NAN,
            () => unsigned.parse().ok()?,
        };
        Some(Self::Float(if sign < 0 { -float } else { float }))
    }

    pub fn as_f64(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "as JSON numbers are compared")]
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one == other,
            _ => self.as_f64() == other.as_f64(),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(other)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_their_type() {
        for (literal, scalar) in [
            ("null", Scalar::Null),
            ("true", Scalar::Bool(true)),
            ("3.10", Scalar::Number("3.10".to_owned())),
            ("\"3.10\"", Scalar::String("3.10".to_owned())),
            ("\"a\\n\\u00e9\\\"\"", Scalar::String("a\n\u{e9}\"".to_owned())),
        ] {
            assert_eq!(Scalar::from_json(literal).as_ref(), Some(&scalar));
            assert_eq!(Scalar::from_json(&scalar.to_json()), Some(scalar));
        }
        assert_eq!(Scalar::from_json("yes"), None);
    }

    #[test]
    fn numbers_compare_by_value() {
        let number = |text: &str| Number::parse(text).expect("a number");
        for (one, other) in [("1", "1.0"), ("0x1F", "31"), ("1_000", "1e3"), ("+1", "1"), ("-0", "0")] {
            assert_eq!(number(one), number(other));
        }
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
        assert!(number("-.inf") < number("-1"));
        assert!(Number::parse("1.2.3").is_none() && Number::parse("").is_none());
    }
}
