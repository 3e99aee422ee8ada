//! The sanitiser: makes untrusted text safe to show.
//!
//! Paths, messages, matches, globs and contract ids are written by others. Three readers act on some of their characters:
//!
//! | reader | acts on |
//! |---|---|
//! | a terminal, and its reader | control characters, bidirectional overrides, line and paragraph separators |
//! | a log of GitHub | `::` at the start of a line |
//! | a log of Azure | `##[` and `##vso[` anywhere |
//!
//! Each function escapes such characters: `a\u{202E}b.py` as a path becomes the ASCII text `a\\u{202e}b.py`. Sanitised
//! text does not change when it is sanitised again.
//!
//! | function | for |
//! |---|---|
//! | [`inert`] | one line of a terminal, a log or a response |
//! | [`inert_lines`] | several lines: the texts of a response to an agent |
//! | [`printable`] | a value within a sentence: white space becomes single spaces |
//! | [`inert_source`] | a source line above a caret: as many characters as before |
//! | [`inert_json`] | a JSON document: the same to a parser |
//!
//! [`cut`] bounds the length of a text that is shown.

use std::borrow::Cow;

/// Prefixes of commands to GitHub or Azure, anywhere in a line.
const COMMANDS: [&str; 2] = ["##[", "##vso["];

/// `text` on one line, with escapes for everything that a terminal or a log would act on.
pub fn inert(text: &str) -> Cow<'_, str> {
    let is_command = text.trim_start().starts_with("::") || has_command(text);
    if !is_command && !text.chars().any(is_active) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let starts_line = c == ':' && text[..at].trim_start().is_empty();
        if is_active(c) {
            safe.extend(c.escape_default());
        } else if starts_line || starts_command(&text[at..]) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Each line of `text`, [`inert`].
pub fn inert_lines(text: &str) -> String {
    text.split('\n').map(inert).collect::<Vec<_>>().join("\n")
}

/// `text` with single spaces for its white space, [`inert`].
pub fn printable(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    inert(&words.join(" ")).into_owned()
}

/// The first `most` characters of `text`, if it has more.
pub fn head(text: &str, most: usize) -> Option<&str> {
    text.char_indices().nth(most).map(|(end, _)| &text[..end])
}

/// The first `most` characters of `text`, and `…` if it has more.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    head(text, most).map_or(Cow::Borrowed(text), |head| format!("{head}…").into())
}

/// JSON of the same value, with escapes for everything that a terminal or a log would act on. Newlines and tabs are layout
/// and stay: strings escape theirs, so no line starts inside a string.
pub fn inert_json(json: &str) -> Cow<'_, str> {
    let spelled_out = |c: char| is_active(c) && !matches!(c, '\n' | '\t');
    // Most texts are plain, and testing bytes is faster than testing characters.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let is_inert =
        json.bytes().fold(true, |all, byte| all & is_plain(byte)) || !json.chars().any(spelled_out);
    if is_inert && !has_command(json) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for (at, c) in json.char_indices() {
        if spelled_out(c) || starts_command(&json[at..]) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// `line` with as many characters, in which those that a terminal or a log would act on are replaced; tabs stay.
pub fn inert_source(line: &str) -> String {
    let replaced = |(at, c): (usize, char)| {
        let is_safe = (c == '\t' || !is_active(c)) && !starts_command(&line[at..]);
        if is_safe { c } else { char::REPLACEMENT_CHARACTER }
    };
    line.char_indices().map(replaced).collect()
}

/// Whether a terminal does something other than show this character.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn has_command(text: &str) -> bool {
    // Searching for two has a higher fixed cost than searching for one.
    memchr::memchr(b'#', text.as_bytes()).is_some()
        && text.match_indices("##").any(|(at, _)| starts_command(&text[at..]))
}

fn starts_command(text: &str) -> bool {
    let starts_with =
        |command: &str| text.get(..command.len()).is_some_and(|start| start.eq_ignore_ascii_case(command));
    text.starts_with("##") && COMMANDS.into_iter().any(starts_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_log_commands() {
        assert_eq!(inert("  ::error::x"), "  \\u{3a}:error::x");
        assert_eq!(inert("a ##[error]"), "a \\u{23}#[error]");
        assert_eq!(inert("a ##vso[task.complete]"), "a \\u{23}#vso[task.complete]");
        assert_eq!(inert("###VSO[x]##[y]"), "#\\u{23}#VSO[x]\\u{23}#[y]");
        assert_eq!(inert("std::fmt #[x] ## vso[ ##é"), "std::fmt #[x] ## vso[ ##é");
    }

    #[test]
    fn escapes_active_characters() {
        assert_eq!(inert("plain é"), "plain é");
        assert_eq!(inert("a\x1b[31m\nb\u{202e}"), "a\\u{1b}[31m\\nb\\u{202e}");
    }

    #[test]
    fn sanitised_text_stays_as_it_is() {
        let text = "  ::a ##[b] ##vso[c]\u{202e}\u{1b}[31m\td\r";
        assert_eq!(inert(&inert(text)), inert(text));
        assert_eq!(printable(&printable(text)), printable(text));
        assert_eq!(inert(&printable(text)), printable(text));
    }

    #[test]
    fn lines_stay_lines_and_values_become_one() {
        let text = "a\n ::error::b\u{2028}\n";
        assert_eq!(inert_lines(text), "a\n \\u{3a}:error::b\\u{2028}\n");
        assert_eq!(printable(text), "a ::error::b");
        assert_eq!(printable("\u{202e}a  b\u{7}"), "\\u{202e}a b\\u{7}");
    }

    #[test]
    fn inert_json_keeps_value() {
        let texts = ["plain é", "\u{7f}\u{9b}31m\u{202e}\n", "::x ##[y] ##vso[z]"];
        let json = serde_json::to_string_pretty(&texts).expect("is JSON").replace("  \"plain", "\t\"plain");
        let safe = inert_json(&json);
        assert_eq!(
            safe,
            "[\n\t\"plain é\",\n  \"\\u007f\\u009b31m\\u202e\\n\",\n  \"::x \\u0023#[y] \\u0023#vso[z]\"\n]"
        );
        let same = |text: &str| serde_json::from_str::<Vec<String>>(text).expect("is JSON");
        assert_eq!(same(&safe), same(&json));
    }

    #[test]
    fn a_source_line_keeps_its_columns() {
        assert_eq!(
            inert_source("\ta\u{1b}b ##vso[x] ##[y] # x"),
            "\ta\u{FFFD}b \u{FFFD}#vso[x] \u{FFFD}#[y] # x"
        );
    }

    #[test]
    fn active_characters_fit_json_escape() {
        assert!((0x1_0000..=0x10_FFFF).filter_map(char::from_u32).all(|c| !is_active(c)));
    }
}
