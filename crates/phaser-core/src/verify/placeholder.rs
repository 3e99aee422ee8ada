//! Placeholders: what documentation and templates have in place of a credential.

/// Words of placeholders, in lower case.
const WORDS: &[&str] = &[
    "abc123",
    "asdf",
    "change",
    "demo",
    "dummy",
    "example",
    "fake",
    "foobar",
    "insert",
    "invalid",
    "lorem",
    "mock",
    "not-a-real",
    "not_a_real",
    "notareal",
    "notreal",
    "passw",
    "placeholder",
    "qwerty",
    "redacted",
    "replace",
    "sample",
    "secret",
    "test",
    "todo",
    "your",
];

/// Shortest runs: of a character that stands for others, and of any character.
const MIN_FILLER: usize = 4;
const MIN_RUN: usize = 6;

/// The shortest sequence: each character follows the previous one, up or down.
const MIN_SEQUENCE: usize = 6;

/// The shortest part that does not occur twice in random text.
const MIN_REPEATED: usize = 8;

/// Whether a text is a placeholder. A part that occurs twice counts in texts of at most `unstructured` bytes.
pub fn is_placeholder(text: &[u8], unstructured: usize) -> bool {
    let lower = text.to_ascii_lowercase();
    has_word(text, &lower)
        || has_run(&lower)
        || has_sequence(&lower)
        || (text.len() <= unstructured && has_repeated_part(&lower))
}

/// Whether a text has a word, in one case but for its first letter.
fn has_word(text: &[u8], lower: &[u8]) -> bool {
    let is_word = |written: &[u8]| {
        let rest = &written[1..];
        !rest.iter().any(u8::is_ascii_uppercase) || !rest.iter().any(u8::is_ascii_lowercase)
    };
    WORDS.iter().any(|word| {
        let mut places = memchr::memmem::find_iter(lower, word.as_bytes());
        places.any(|at| is_word(&text[at..at + word.len()]))
    })
}

fn has_run(lower: &[u8]) -> bool {
    let is_long = |run: &[u8]| {
        run.len() >= MIN_RUN
            || (run.len() >= MIN_FILLER && matches!(run[0], b'x' | b'*' | b'.' | b'<' | b'>'))
    };
    lower.chunk_by(|one, next| one == next).any(is_long)
}

fn has_sequence(lower: &[u8]) -> bool {
    let follows = |one: &u8, next: &u8| match one {
        b'9' => matches!(next, b'0' | b'a'),
        b'f' => matches!(next, b'g' | b'0'),
        b'z' => matches!(next, b'a' | b'0'),
        b'0'..=b'8' | b'a'..=b'y' => *next == one + 1,
        _ => false,
    };
    lower.chunk_by(follows).any(|part| part.len() >= MIN_SEQUENCE)
        || lower.chunk_by(|one, next| follows(next, one)).any(|part| part.len() >= MIN_SEQUENCE)
}

fn has_repeated_part(lower: &[u8]) -> bool {
    let parts = lower.windows(MIN_REPEATED).enumerate();
    let mut parts = parts.filter_map(|(at, part)| Some((part, lower.get(at + MIN_REPEATED..)?)));
    parts.any(|(part, rest)| memchr::memmem::find(rest, part).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_placeholders() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "your-api-key",
            "xXxX9a8b7c6d",
            "a9000000b3f1",
            "****",
            "1234567890abcdef",
            "k9abcdefgh",
            "zz987654zz",
            "not-a-real-key",
            "k9TEST81vQz",
            "github_pat_asdf",
            "k9Test81vQz",
            "0badfeed0badfeed",
            "p3Zq81vKp3Zq81vK",
        ] {
            assert!(is_placeholder(text.as_bytes(), 128), "{text}");
        }
    }

    #[test]
    fn random_text_is_no_placeholder() {
        for text in [
            "Zk3vQ9xLw0PbT7mYc2RjHd5n",
            "k9tEsT81vQz",
            "9f86d081884c7d659a2feaa0c55ad015",
            "00a1b2c3",
            "",
            "12345",
        ] {
            assert!(!is_placeholder(text.as_bytes(), 128), "{text}");
        }
        let part = "q8Zt0vLk";
        let long = format!("{part}{}{part}", "w3Rf7Ym1-----");
        assert!(is_placeholder(long.as_bytes(), 128) && !is_placeholder(long.as_bytes(), 8));
    }
}
