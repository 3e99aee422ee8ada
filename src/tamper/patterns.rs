//! Whether one pattern matches everything that another one matches, by one simple rule. `false` means *unknown or no*.

use phaser_core::contract::{Dialect, Pattern};

/// Whether `new` matches whatever `old` matches: it equals `old`, or is `old` with further alternatives before or after it
/// that are plain words (`print` → `print|pprint`).
pub(super) fn is_wider(old: &Pattern, new: &Pattern) -> bool {
    if old.dialect != new.dialect || old.dialect == Dialect::Literal {
        return old.source == new.source && old.dialect == new.dialect;
    }
    let (old, new) = (old.source.as_str(), new.source.as_str());
    let words = |text: &str| text.split('|').all(is_word);
    let after = new.strip_prefix(old).and_then(|rest| rest.strip_prefix('|'));
    let before = new.strip_suffix(old).and_then(|rest| rest.strip_suffix('|'));
    old == new || after.is_some_and(words) || before.is_some_and(words)
}

/// Whether the regex matches one fixed, non-empty text. Such an alternative cannot consume text that another one would
/// match.
fn is_word(text: &str) -> bool {
    let mut characters = text.chars();
    let mut spelled = 0;
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('b') => {}
                Some(c) if c.is_ascii_punctuation() => spelled += 1,
                _ => return false,
            },
            '_' | '-' | ' ' | '=' | ':' | ',' | ';' | '/' | '<' | '>' | '@' | '%' | '&' | '!' | '~' | '"'
            | '\'' => {
                spelled += 1;
            }
            c if c.is_alphanumeric() => spelled += 1,
            _ => return false,
        }
    }
    spelled > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(source: &str) -> Pattern {
        Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None }
    }

    #[test]
    fn only_further_words_are_wider() {
        let wider = |old: &str, new: &str| is_wider(&pattern(old), &pattern(new));
        for (old, new) in [
            ("print", "print"),
            ("print", "print|pprint"),
            ("print", r"\bdebug\(|print"),
            (r"(?i)a|b", r"(?i)a|b|c d"),
            (r"(a)\1", r"x|(a)\1"),
            ("a(?:b|c)", "a(?:b|c)|d"),
        ] {
            assert!(wider(old, new), "{old} → {new}");
        }
        for (old, new) in [
            ("print", "pprint"),
            ("print", r"print\("),
            ("print", "|print"),
            ("print", "print|"),
            ("print", r"\b|print"),
            ("print", ".*|print"),
            ("print", "(?x)a|print"),
            ("a|print", "print"),
            ("[|]a", "]a"),
            ("a", "(?:b|a)"),
            ("a", "x*|a"),
        ] {
            assert!(!wider(old, new), "{old} → {new}");
        }
    }
}
