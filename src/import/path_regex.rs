//! Regular expressions over paths, as globs.
//!
//! pre-commit's `files`, gitleaks' `path` and hookify's `file_path` search a path for a regex. A contract has globs, which
//! match whole paths. Each alternative of the regex becomes one glob:
//!
//! | regex | globs |
//! |---|---|
//! | `\.py$` | `**/*.py` |
//! | `^src/` | `src/**` |
//! | `(^|/)test_.*\.tsx?$` | `**/test_**.ts`, `**/test_**.tsx` |
//!
//! What a glob cannot express, such as `\d+` or look-around, gives `None`.

use phaser_glob::{Glob, MAX_GLOB_LEN};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The largest number of globs.
const MAX_GLOBS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathPiece {
    Start,
    End,
    /// Part of a glob, as written.
    Text(String),
    Slash,
    /// Any characters, `/` included.
    Any,
}

type Alternatives = Vec<Vec<PathPiece>>;

/// The globs that match the paths in which the regex is found.
pub fn globs(regex: &str) -> Option<Vec<String>> {
    // On bytes, so that case-insensitive letters have two forms.
    let hir = ParserBuilder::new().unicode(false).utf8(false).build().parse(regex).ok()?;
    let mut globs: Vec<String> = Vec::new();
    for alternative in alternatives(&hir)? {
        if let [PathPiece::Start, PathPiece::Slash, ..] = alternative.as_slice() {
            continue; // No path starts with a slash.
        }
        let glob = glob(&alternative)?;
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    // `(^|/)x` gives `x` and `?**/x`.
    let below: Vec<String> =
        globs.iter().filter(|glob| globs.contains(&format!("?**/{glob}"))).cloned().collect();
    for glob in below {
        globs.retain(|one| *one != format!("?**/{glob}"));
        globs.iter_mut().filter(|one| **one == glob).for_each(|one| one.insert_str(0, "**/"));
    }
    let is_valid = globs.iter().map(String::len).sum::<usize>() + 2 * globs.len() < MAX_GLOB_LEN;
    (is_valid && globs.iter().all(|glob| Glob::new(glob).is_ok())).then_some(globs)
}

fn alternatives(hir: &Hir) -> Option<Alternatives> {
    Some(match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            vec![
                text.chars()
                    .map(|c| if c == '/' { PathPiece::Slash } else { PathPiece::Text(escaped(c)) })
                    .collect(),
            ]
        }
        HirKind::Look(Look::Start | Look::StartLF) => vec![vec![PathPiece::Start]],
        HirKind::Look(Look::End | Look::EndLF) => vec![vec![PathPiece::End]],
        HirKind::Look(_) => return None,
        HirKind::Capture(capture) => alternatives(&capture.sub)?,
        HirKind::Class(class) => one_of(class)?.into_iter().map(|piece| vec![piece]).collect(),
        HirKind::Alternation(all) => {
            let mut list = Vec::new();
            for one in all {
                list.extend(alternatives(one)?);
            }
            list
        }
        HirKind::Concat(parts) => {
            let mut list: Alternatives = vec![Vec::new()];
            for part in parts {
                let part = alternatives(part)?;
                if list.len() * part.len() > MAX_GLOBS {
                    return None;
                }
                list = list
                    .iter()
                    .flat_map(|before| part.iter().map(move |after| [before.as_slice(), after].concat()))
                    .collect();
            }
            list
        }
        HirKind::Repetition(repetition) => {
            let sub = alternatives(&repetition.sub)?;
            match (repetition.min, repetition.max, repetition.sub.kind()) {
                (0, Some(1), _) => {
                    let mut list = vec![Vec::new()];
                    list.extend(sub);
                    list
                }
                (min @ 0..=1, None, HirKind::Class(_)) => {
                    if sub.first()?.as_slice() != [PathPiece::Text("?".to_owned())] {
                        return None;
                    }
                    let any = if sub.len() > 1 { PathPiece::Any } else { PathPiece::Text("*".to_owned()) };
                    match min {
                        0 => vec![vec![any]],
                        _ => sub.into_iter().map(|first| [first, vec![any.clone()]].concat()).collect(),
                    }
                }
                _ => return None,
            }
        }
    })
}

/// The members of a class, as bytes.
fn members(class: &Class) -> Option<Vec<u8>> {
    let Class::Bytes(class) = class else {
        let Class::Unicode(class) = class else { return None };
        return class
            .to_byte_class()
            .map(|class| class.iter().flat_map(|range| range.start()..=range.end()).collect());
    };
    Some(class.iter().flat_map(|range| range.start()..=range.end()).collect())
}

/// One character: `?` for almost any, which does not match `/`, else a class of letters and digits.
fn one_of(class: &Class) -> Option<Vec<PathPiece>> {
    let members = members(class)?;
    let missing: Vec<u8> = (0..=255u8).filter(|byte| !members.contains(byte)).collect();
    if missing.iter().all(|byte| matches!(byte, b'\n' | b'\r' | b'/')) {
        let any = PathPiece::Text("?".to_owned());
        return Some(if missing.contains(&b'/') { vec![any] } else { vec![any, PathPiece::Slash] });
    }
    if !members.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b' ')) {
        return None;
    }
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in members {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == byte => *end = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let spelled: String = ranges
        .iter()
        .map(|(start, end)| match end - start {
            0 => char::from(*start).to_string(),
            1 => [*start, *end].map(char::from).iter().collect(),
            _ => format!("{}-{}", char::from(*start), char::from(*end)),
        })
        .collect();
    Some(vec![PathPiece::Text(format!("[{spelled}]"))])
}

fn escaped(c: char) -> String {
    if "*?[]{}\\,!".contains(c) { format!("\\{c}") } else { c.to_string() }
}

/// The glob of one alternative. `None` if an anchor stands inside it.
fn glob(pieces: &[PathPiece]) -> Option<String> {
    let mut pieces = pieces;
    let (mut is_start, mut is_end) = (false, false);
    while let [PathPiece::Start, rest @ ..] = pieces {
        (is_start, pieces) = (true, rest);
    }
    while let [rest @ .., PathPiece::End] = pieces {
        (is_end, pieces) = (true, rest);
    }
    let mut glob = String::new();
    if !is_start {
        glob.push_str(match pieces.first() {
            Some(PathPiece::Slash) => "?**",
            Some(PathPiece::Any) => "",
            _ => "**/*",
        });
    }
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            PathPiece::Start | PathPiece::End => return None,
            PathPiece::Text(text) => glob.push_str(text),
            PathPiece::Slash => glob.push('/'),
            PathPiece::Any if at > 0 && pieces[at - 1] == PathPiece::Any => {}
            // `/**/` also matches a single slash; a regex does not, and no name is empty.
            PathPiece::Any if glob.ends_with('/') && pieces.get(at + 1) == Some(&PathPiece::Slash) => {
                glob.push_str("?**");
            }
            PathPiece::Any => glob.push_str("**"),
        }
    }
    if !is_end && pieces.last() != Some(&PathPiece::Any) {
        glob.push_str("**");
    }
    (!glob.is_empty()).then_some(glob)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_automata::meta::Regex;

    use super::*;

    const REGEXES: [&str; 16] = [
        r"\.py$",
        "^src/",
        r"(^|/)test_.*\.tsx?$",
        r"(?:^|/)vendor/(?:bundle|ruby)(?:/.*)?$",
        r"(?i)\.(?:bmp|jpe?g)$",
        r"^(docs|tests?)/[^/]+\.md$",
        r"/build/",
        r"go\.(?:mod|sum)$",
        r"^a.+/b$",
        r"\.env$|credentials",
        r".*",
        r"^.*[0-9a]\.c$",
        r"^.+\.py$",
        r"docs.x",
        r"^x$",
        r"a\{b\*",
    ];

    #[test]
    fn regexes_become_globs() {
        for (regex, expected) in [
            (r"\.py$", vec!["**/*.py"]),
            ("^src/", vec!["src/**"]),
            (r"(^|/)tests/", vec!["**/tests/**"]),
            (r"/build/", vec!["?**/build/**"]),
            (r"\.(ts|tsx)$", vec!["**/*.ts", "**/*.tsx"]),
            (r"^x$", vec!["x"]),
            (r"^.+\.py$", vec!["?**.py"]),
            (r"^a.+/b$", vec!["a?**/b", "a/?**/b"]),
            (r"^a.b$", vec!["a?b", "a/b"]),
        ] {
            assert_eq!(globs(regex).expect("has globs"), expected, "{regex}");
        }
        for regex in
            [r"\d+", "^(?!a)", r"\bx", "(ab|cd|ef|gh)(ab|cd|ef|gh)(ab|cd|ef|gh)(ab|cd|ef|gh)", "x$y", "("]
        {
            assert_eq!(globs(regex), None, "{regex}");
        }
    }

    proptest! {
        #[test]
        fn globs_match_what_regex_finds(
            at in 0..REGEXES.len(),
            path in "(src/|docs/|test/|vendor/|a/|build/|bundle/){0,3}(x|b|a1|test_a|credentials|jquery|a\\{b\\*)(\\.py|\\.ts|\\.tsx|\\.md|\\.JPG|\\.bmp|\\.env|\\.c|\\.mod)?",
        ) {
            let regex = Regex::new(REGEXES[at]).expect("valid");
            let globs = globs(REGEXES[at]).expect("has globs");
            let found = globs.iter().any(|glob| Glob::new(glob).expect("valid").is_match(path.as_bytes()));
            prop_assert_eq!(found, regex.is_match(&path), "{} {:?} {}", REGEXES[at], globs, path);
        }
    }
}
