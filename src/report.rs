//! How an outcome is shown: one free function for each format, over the contracts and the outcome.
//!
//! Reports filter nothing and compute nothing; what they are given is in its final order.

use std::borrow::Cow;

pub mod github;
pub mod gitlab;
pub mod host;
pub mod json;
pub mod junit;
pub mod sarif;
pub mod stats;
pub mod text;

/// `text` on one line and without anything that a terminal would act on: control and bidirectional
/// characters are spelled out, and so is the start of a command to GitHub, whose logs are a terminal of a kind.
pub fn inert(text: &str) -> Cow<'_, str> {
    let is_command = text.trim_start().starts_with("::") || text.contains("##[");
    if !is_command && !text.chars().any(is_active) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let starts_command =
            text[at..].starts_with("##[") || (c == ':' && text[..at].trim_start().is_empty());
        if is_active(c) {
            safe.extend(c.escape_default());
        } else if starts_command {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// JSON with what a terminal would act on spelled out; to a parser it is the same. A newline in it is layout, because
/// strings spell theirs out.
pub fn inert_json(json: &str) -> Cow<'_, str> {
    let spelled_out = |c: char| is_active(c) && c != '\n';
    if !json.chars().any(spelled_out) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if spelled_out(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Would a terminal do something other than show this character?
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_github_takes_for_a_command_is_spelled_out() {
        assert_eq!(inert("  ::error::x"), "  \\u{3a}:error::x");
        assert_eq!(inert("a ##[error]"), "a \\u{23}#[error]");
        assert_eq!(inert("std::fmt #[x]"), "std::fmt #[x]");
    }

    #[test]
    fn what_a_terminal_acts_on_is_spelled_out() {
        assert_eq!(inert("plain é"), "plain é");
        assert_eq!(inert("a\x1b[31m\nb\u{202e}"), "a\\u{1b}[31m\\nb\\u{202e}");
    }

    #[test]
    fn json_means_the_same_when_it_is_inert() {
        let json = serde_json::to_string_pretty(&["plain é", "\u{7f}\u{9b}31m\u{202e}\n"]).expect("is JSON");
        let safe = inert_json(&json);
        assert_eq!(safe, "[\n  \"plain é\",\n  \"\\u007f\\u009b31m\\u202e\\n\"\n]");
        let same = |text: &str| serde_json::from_str::<Vec<String>>(text).expect("is JSON");
        assert_eq!(same(&safe), same(&json));
    }

    #[test]
    fn every_active_character_has_four_digits_in_json() {
        assert!((0x1_0000..=0x10_FFFF).filter_map(char::from_u32).all(|c| !is_active(c)));
    }
}
