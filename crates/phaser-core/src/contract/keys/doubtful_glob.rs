//! Valid globs that match no file, with a suggestion.

use crate::sanitize::printable;

/// A warning about a glob that can match no file of a project.
pub fn doubt(key: &str, glob: &str) -> Option<String> {
    // A hook reads every glob, and nearly all are usual.
    if is_usual(glob) { None } else { about(key, glob).map(|what| printable(&what)) }
}

/// Whether one pass over the bytes proves that there is no doubt. `false` proves nothing.
fn is_usual(glob: &str) -> bool {
    let (mut before, mut depth) = (0, 0_usize);
    let is_special = |byte: u8| {
        let is_parent = byte == b'.' && before == b'.';
        before = byte;
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_parent || matches!(byte, b'\\' | b'[') || (byte == b',' && depth == 0)
    };
    !glob.starts_with(['!', '/', '.']) && !glob.ends_with('/') && !glob.bytes().any(is_special)
}

/// Whether a doubtful glob may name a file all the same: it has a comma and no wildcard, as in `a,b.txt`.
pub fn may_be_a_name(glob: &str) -> bool {
    let plain = glob.replace("\\*", "").replace("\\?", "");
    !bare_commas(glob).is_empty() && !plain.contains(['*', '?'])
}

fn about(key: &str, glob: &str) -> Option<String> {
    if let Some(rest) = glob.strip_prefix('!') {
        return Some(format!(
            "'{key}' cannot exclude: '!' stands for itself in '{glob}' (write '{rest}' in 'exclude_glob', or \
             '\\!{rest}' for such a name)"
        ));
    }
    if glob.starts_with("../") || glob.contains("/../") {
        return Some(format!(
            "'{key}' cannot leave the project: '..' matches no file in '{glob}' (write a path from the root)"
        ));
    }
    if glob.starts_with("./") || glob.starts_with('/') {
        let rest = glob.trim_start_matches("./").trim_start_matches('/');
        return Some(format!(
            "'{key}': paths start at the project root, without './' or '/', so '{glob}' matches no file (write \
             '{rest}')"
        ));
    }
    if has_backslash_for_slash(glob) {
        let meant = glob.replace('\\', "/");
        return Some(format!(
            "'{key}': '\\' makes the next character a plain one, so '{glob}' names no directory (write '{meant}')"
        ));
    }
    if glob.len() > 1 && glob.ends_with('/') {
        return Some(format!("'{key}': '{glob}' is a directory, which is no file (write '{glob}**')"));
    }
    (!bare_commas(glob).is_empty()).then(|| {
        let parts: Vec<_> = glob.split(',').map(str::trim).collect();
        format!(
            "'{key}': a comma stands for itself in '{glob}' (write '{{{}}}' for several globs, or '\\,' for the \
             comma)",
            parts.join(",")
        )
    })
}

/// Whether a backslash stands between a name and a wildcard or another name, where `/` was meant: `src\*.py`.
fn has_backslash_for_slash(glob: &str) -> bool {
    let is_separator = |(at, _): (usize, &str)| {
        let before = glob[..at].chars().next_back();
        let next = glob[at + 1..].chars().next();
        before.is_some_and(|c| c.is_alphanumeric() || c == '*')
            && next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '*' | '?'))
    };
    glob.match_indices('\\').any(is_separator)
}

/// The byte offsets of commas outside escapes, braces and brackets.
pub(super) fn bare_commas(glob: &str) -> Vec<usize> {
    let (mut commas, mut depth) = (Vec::new(), 0_usize);
    let mut rest = glob.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => {
                rest.next_if(|(_, c)| matches!(c, '!' | '^'));
                // The first character is a member, even if it is a bracket.
                rest.next();
                while rest.next().is_some_and(|(_, c)| c != ']') {}
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    commas
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_glob::Glob;

    #[test]
    fn warns_with_suggestion() {
        for (glob, hint) in [
            ("./src/*.py", "(write 'src/*.py')"),
            ("/src/*.py", "(write 'src/*.py')"),
            (".//src", "(write 'src')"),
            ("!tests/**", "(write 'tests/**' in 'exclude_glob', or '\\!tests/**' for such a name)"),
            ("*.py,*.rs", "(write '{*.py,*.rs}' for several globs, or '\\,' for the comma)"),
            ("a, b", "(write '{a,b}' for several globs, or '\\,' for the comma)"),
            ("../lib/*.py", "(write a path from the root)"),
            ("src/", "(write 'src/**')"),
            ("src\\*.py", "(write 'src/*.py')"),
            ("src\\app.py", "(write 'src/app.py')"),
        ] {
            let doubt = doubt("file_glob", glob).unwrap_or_else(|| panic!("no doubt about {glob}"));
            assert!(doubt.ends_with(hint), "{doubt}");
            assert!(Glob::new(glob).is_ok(), "{glob} is valid");
        }
    }

    #[test]
    fn suggestion_matches_what_was_meant() {
        let matches = |glob: &str, path: &str| Glob::new(glob).expect("valid").is_match(path.as_bytes());
        assert!(
            matches("\\!tests/**", "!tests/a") && matches("{*.py,*.rs}", "a.rs") && matches("a\\,b", "a,b")
        );
    }

    #[test]
    fn accepts_usual_globs() {
        for glob in [
            "**",
            "**/*.py",
            "src/**",
            "{a,b}",
            "[a,b]",
            "a\\,b",
            "{a,{b,c}}/d",
            ".env",
            "..a",
            "a..b/c",
            "[!a]",
        ] {
            assert_eq!(doubt("file_glob", glob), None, "{glob}");
        }
    }
}
