//! Whether one glob matches every path that another one matches, by simple rules. `false` means *unknown or no*.
//!
//! Braces are expanded first: `**/*.{rs,toml}` becomes `**/*.rs` and `**/*.toml`, and each alternative of the small glob
//! must be covered by one of the large glob. `large` covers `small` if they are equal, or if `large` is a plain directory
//! followed by `**` and the rest of `small` below it ends as `large` does: `**/*.py` covers `src/test_*.py`. Globs of
//! nested directories are first rewritten to start at the same directory.

use phaser_project::path::RelPath;

/// A glob and the directory that it starts at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Globs<'a> {
    pub(super) base: &'a RelPath,
    pub(super) text: &'a str,
}

/// Metacharacters of globs.
const SPECIAL: [char; 6] = ['*', '?', '[', '{', '}', '\\'];

/// The maximum number of globs after expanding braces.
const MAX_CHOICES: usize = 256;

/// Whether `large` matches every file that `small` matches, of those below both directories.
pub(super) fn cover(large: &Globs, small: &Globs) -> bool {
    let (large_choices, small_choices) = (choices(large.text), choices(small.text));
    let by_any = |small: &str, large: &[String]| large.iter().any(|large| covers(large, small));
    if large.base == small.base {
        return small_choices.iter().all(|small| by_any(small, &large_choices));
    }
    let (Some(large_base), Some(small_base)) = (prefix(large.base), prefix(small.base)) else { return false };
    let large_choices: Vec<String> =
        large_choices.iter().map(|choice| format!("{large_base}{choice}")).collect();
    small_choices.iter().all(|small| match restricted(&small_base, small, &large_base) {
        Restricted::To(small) => by_any(&small, &large_choices),
        Restricted::ToNothing => true,
        Restricted::Unknown => false,
    })
}

/// A directory as the prefix of a glob; `None` if it has metacharacters.
fn prefix(base: &RelPath) -> Option<String> {
    let text = std::str::from_utf8(base.as_bytes()).ok()?;
    match text {
        "" => Some(String::new()),
        text if text.contains(SPECIAL) => None,
        text => Some(format!("{text}/")),
    }
}

/// The part of a glob below a directory.
enum Restricted {
    To(String),
    ToNothing,
    Unknown,
}

/// The part of a glob, which starts at `base`, below `directory`.
fn restricted(base: &str, glob: &str, directory: &str) -> Restricted {
    let whole = format!("{base}{glob}");
    let plain = whole.find(SPECIAL).map_or(whole.as_str(), |first| &whole[..first]);
    if plain.starts_with(directory) {
        return Restricted::To(whole);
    }
    if !directory.starts_with(plain) {
        return Restricted::ToNothing;
    }
    // `**/x` from a directory further up is `directory/**/x` here, unless `x` is a component of the path to `directory`.
    let Some(rest) = whole[plain.len()..].strip_prefix("**") else { return Restricted::Unknown };
    let first = rest.strip_prefix('/').and_then(|names| names.split_once('/')).map(|(first, _)| first);
    let stays_below = match first {
        None => rest.is_empty() || rest.starts_with('/'),
        Some(first) => {
            !first.contains(SPECIAL) && directory[plain.len()..].split('/').all(|name| name != first)
        }
    };
    match stays_below && (plain.is_empty() || plain.ends_with('/')) {
        true => Restricted::To(format!("{directory}**{rest}")),
        false => Restricted::Unknown,
    }
}

/// Whether `large` matches every path that `small` matches; neither has braces.
fn covers(large: &str, small: &str) -> bool {
    if large == small {
        return true;
    }
    let Some((directory, rest)) = large.split_once("**") else { return false };
    if directory.contains(SPECIAL) || !(directory.is_empty() || directory.ends_with('/')) {
        return false;
    }
    let Some(below) = small.strip_prefix(directory).filter(|below| !below.is_empty()) else { return false };
    let Some(wanted) = rest.strip_prefix('/') else { return rest.is_empty() };
    if below.contains('[') || wanted.starts_with("**") {
        return false;
    }
    // `**/` covers whatever directories precede the common end.
    let same_end =
        below.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'));
    let ending = wanted.strip_prefix('*').filter(|ending| !ending.contains(SPECIAL) && !ending.contains('/'));
    same_end || ending.is_some_and(|ending| below.ends_with(ending))
}

/// The alternatives of a glob with braces; the glob itself if there are more than [`MAX_CHOICES`].
fn choices(glob: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut waiting = vec![glob.to_owned()];
    while let Some(one) = waiting.pop() {
        match first_choice(&one) {
            None => done.push(one),
            Some(written_out) => waiting.extend(written_out),
        }
        if done.len() + waiting.len() > MAX_CHOICES {
            return vec![glob.to_owned()];
        }
    }
    done
}

/// The alternatives of the first braces of a glob.
fn first_choice(glob: &str) -> Option<Vec<String>> {
    let (mut depth, mut in_class, mut escaped) = (0_usize, false, false);
    let (mut start, mut commas) = (0, Vec::new());
    for (at, c) in glob.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '{' => {
                start = if depth == 0 { at } else { start };
                depth += 1;
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth == 1 => {
                let (before, after) = (&glob[..start], &glob[at + 1..]);
                let starts = std::iter::once(start).chain(commas.iter().copied());
                let ends = commas.iter().copied().chain([at]);
                let choices = starts.zip(ends).map(|(start, end)| &glob[start + 1..end]);
                return Some(choices.map(|choice| format!("{before}{choice}{after}")).collect());
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_glob::Glob;
    use proptest::prelude::*;

    fn cover_at(large: (&str, &str), small: (&str, &str)) -> bool {
        let (one, other) = (RelPath::from(large.0), RelPath::from(small.0));
        cover(&Globs { base: &one, text: large.1 }, &Globs { base: &other, text: small.1 })
    }

    #[test]
    fn compares_globs_of_same_directory() {
        for (large, small) in [
            ("**", "src/*.py"),
            ("**/*", "a"),
            ("**/*.py", "src/**/*.py"),
            ("**/*.py", "*.py"),
            ("**/*.py", "**/test_*.py"),
            ("**/*.py", "setup.py"),
            ("src/**", "src/a/**/*.rs"),
            ("**/test/**", "a/**/test/**"),
            ("{src/**,lib/**}", "src/**"),
            ("**/*.{rs,toml}", "**/*.toml"),
            ("{**/*.py,**/*.rs}", "**/*.{rs,py}"),
        ] {
            assert!(cover_at(("", large), ("", small)), "{large} ⊇ {small}");
        }
        for (large, small) in [
            ("src/**", "**"),
            ("**/*.py", "**"),
            ("src/**", "srcs/a"),
            ("*.py", "src/*.py"),
            ("{src/**}", "{src/**,lib/**}"),
            ("**/a.py", "**/*.py"),
            ("src/**/*.py", "**/*.py"),
        ] {
            assert!(!cover_at(("", large), ("", small)), "{large} ⊉ {small}");
        }
    }

    #[test]
    fn compares_globs_of_nested_directories() {
        for (large, small) in [
            (("a", "**/*.py"), ("", "**/*.py")),
            (("a", "**"), ("", "**/*.py")),
            (("a", "**/*.py"), ("", "a/**/*.py")),
            (("a", "x"), ("", "src/**")),
            (("", "**/*.py"), ("a", "*.py")),
            (("", "a/**"), ("a", "src/x")),
            (("a/b", "**"), ("a", "**")),
            (("a", "**/vendor/**"), ("", "**/vendor/**")),
        ] {
            assert!(cover_at(large, small), "{large:?} ⊇ {small:?}");
        }
        for (large, small) in [
            (("a", "*.py"), ("", "**/*.py")),
            (("a", "src/**"), ("", "**/*.py")),
            (("a", "**/x.py"), ("", "**/a/x.py")),
            (("a", "**/a/**"), ("", "**/a/**")),
            (("a/b", "**/b/x/**"), ("a", "**/b/x/**")),
            (("", "*.py"), ("a", "*.py")),
        ] {
            assert!(!cover_at(large, small), "{large:?} ⊉ {small:?}");
        }
    }

    proptest! {
        /// The comparison is sound: a covered glob matches no further path.
        #[test]
        fn covered_globs_match_no_further_path(
            large in r"(\*\*/|\*\*|\*|a/|b/|\{a,b\}|\{a/,\*\*/\}|a|b|\.x){1,4}",
            small in r"(\*\*/|\*\*|\*|a/|b/|\{a,b\}|\{a/,\*\*/\}|a|b|\.x){1,4}",
            bases in prop_oneof![Just(("", "")), Just(("a", "")), Just(("", "a")), Just(("a/b", "a"))],
            paths in prop::collection::vec(r"(a/|b/|c/){0,3}(a|b|c)(\.x)?", 20),
        ) {
            let (Ok(big), Ok(little)) = (Glob::new(&large), Glob::new(&small)) else { return Ok(()) };
            if cover_at((bases.0, &large), (bases.1, &small)) {
                for path in paths {
                    let path = RelPath::from(path.as_str());
                    let inside = (path.below(&RelPath::from(bases.0)), path.below(&RelPath::from(bases.1)));
                    if let (Some(one), Some(other)) = inside {
                        prop_assert!(!little.is_match(other) || big.is_match(one), "{large} ⊉ {small} at {path}");
                    }
                }
            }
        }
    }
}
