//! Text that fits the width of a terminal: broken or cut between words, never inside one.

use std::borrow::Cow;

/// The words of a line, distributed over lines of at most `width` characters. A longer word has a line of its own. Leading white
/// space is kept. `None` leaves the line as it is.
pub fn wrap(line: &str, width: Option<usize>) -> Vec<Cow<'_, str>> {
    let Some(width) = width.filter(|width| line.chars().count() > *width) else {
        return vec![Cow::Borrowed(line)];
    };
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut lines = Vec::new();
    let mut last = indent.to_owned();
    for word in line.split_whitespace() {
        let is_empty = last.len() == indent.len();
        if !is_empty && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(Cow::Owned(std::mem::replace(&mut last, format!("{indent}{word}"))));
        } else {
            last.push_str(if is_empty { "" } else { " " });
            last.push_str(word);
        }
    }
    lines.push(Cow::Owned(last));
    lines
}

/// A line cut after the last word that fits `width` characters together with a `…`.
pub fn cut(line: &str, width: Option<usize>) -> Cow<'_, str> {
    match width {
        Some(width) if line.chars().count() > width => {
            let first = wrap(line, Some(width.saturating_sub(2))).swap_remove(0);
            Cow::Owned(format!("{first} …"))
        }
        _ => Cow::Borrowed(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_between_words() {
        assert_eq!(wrap("  one two three", Some(9)), ["  one two", "  three"]);
        assert_eq!(wrap("one extraordinary word", Some(8)), ["one", "extraordinary", "word"]);
        assert_eq!(wrap("äöü äöü", Some(7)), ["äöü äöü"]);
        assert_eq!(wrap("one  two", None), ["one  two"]);
        assert_eq!(wrap("", Some(3)), [""]);
    }

    #[test]
    fn cuts_between_words() {
        assert_eq!(cut("one two three", Some(9)), "one two …");
        assert_eq!(cut("one two three", Some(8)), "one …");
        assert_eq!(cut("one two", Some(7)), "one two");
        assert_eq!(cut("one two", None), "one two");
    }
}
