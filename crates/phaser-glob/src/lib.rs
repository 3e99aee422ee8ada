//! Globs over `/`-separated paths.
//!
//! | syntax | matches | example | matches | does not match |
//! |---|---|---|---|---|
//! | `*` | any characters except `/` | `src/*.rs` | `src/a.rs` | `src/b/a.rs` |
//! | `?` | one character except `/` | `a?c` | `aéc` | `a/c` |
//! | `**` | any characters | `src/**` | `src/a/b` | `src` |
//! | `**/` at the start of a name | any directories, or none | `**/*.py` | `app.py`, `a/b/app.py` | `app.pyc` |
//! | `[abc]`, `[a-c]` | one of these characters | `[ab].rs` | `a.rs` | `c.rs` |
//! | `[!abc]`, `[^abc]` | one other character except `/` | `a[!b]c` | `axc` | `a/c` |
//! | `{a,b}` | one of the choices | `{src,lib}/*.rs` | `lib/a.rs` | `bin/a.rs` |
//! | `\` | the next character literally | `a\*` | `a*` | `ab` |
//!
//! A glob matches the whole path, with case. Braces are equivalent to their expansion, so `{src/**,lib}/*.py` means
//! `src/**/*.py` or `lib/*.py`. A byte that is not part of valid UTF-8 counts as one character.
//!
//! ```
//! use phaser_glob::Glob;
//!
//! let glob = Glob::new("{src/**,lib}/*.py")?;
//! assert!(glob.is_match(b"src/a.py") && glob.is_match(b"src/x/a.py") && glob.is_match(b"lib/a.py"));
//! assert!(!glob.is_match(b"lib/x/a.py"));
//! # Ok::<(), phaser_glob::GlobError>(())
//! ```
//!
//! # Cost
//!
//! A hook builds hundreds of globs and asks most of them once, about one path. So a glob is not compiled when it is
//! built. The common forms are matched without a regex: a plain path, `directory/**/` followed by a name or a name with
//! one `*`, with braces anywhere in it (`tail.rs`), and a list of globs in braces, each matched for itself. Any other glob is translated to a regex (`translate.rs`), which is compiled
//! when a path first has the literals of the glob. Both give the same result; a property test compares them.
//!
//! # Why not `globset`
//!
//! `globset` has the same shortcuts for sets (names, extensions, literals), but other semantics. With
//! `literal_separator(true)` and `empty_alternates(true)`, version 0.4.21 differs in:
//!
//! | glob                   | path         | here | globset | reason                                        |
//! |------------------------|--------------|------|---------|-----------------------------------------------|
//! | `src/**.rs`            | `src/a/b.rs` | yes  | no      | `**` inside a name is two `*`                 |
//! | `{src/**,lib/**}/*.py` | `src/a.py`   | yes  | no      | `**/` that begins in braces needs a directory |
//! | `{**,x}/*.py`          | `top.py`     | yes  | no      | the same                                      |
//! | `a?c`, `[!a]x`         | `aéc`, `éx`  | yes  | no      | a character is a byte                         |
//! | `a[!b]c`, `a[+-9]c`    | `a/c`        | no   | yes     | a class matches `/`                           |
//!
//! The first row has no spelling that `globset` understands, and writing out braces takes exponential room. A set is also
//! compiled eagerly: 0.4 ms for 20 globs and 4 ms for 200, where a whole hook with 20 contracts takes 1.4 ms.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

mod parse;
mod tail;
mod translate;

use tail::Tail;
use translate::translate;

/// The limit on the length of a glob, in bytes. Together with the limit on braces it guarantees that a glob compiles.
pub const MAX_GLOB_LEN: usize = 4096;

/// A glob.
///
/// ```
/// use phaser_glob::Glob;
///
/// let glob = Glob::new("src/**/*.{rs,toml}")?;
/// assert!(glob.is_match(b"src/cli/main.rs"));
/// assert!(!glob.is_match(b"tests/main.rs"));
/// # Ok::<(), phaser_glob::GlobError>(())
/// ```
#[derive(Clone)]
pub struct Glob {
    text: String,
    /// Computed on first use for an [accepted](Self::accepted) glob.
    shape: OnceLock<GlobShape>,
}

/// An invalid glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// The empty text.
    #[error("the glob is empty; use '**' for every file")]
    Empty,
    /// Over [`MAX_GLOB_LEN`]; the length in bytes.
    #[error("the glob is {0} bytes long, over the limit of {MAX_GLOB_LEN}")]
    TooLong(usize),
    /// A syntax error.
    #[error("the glob '{glob}' is not valid: {why}")]
    Syntax {
        /// The invalid text.
        glob: String,
        /// The error, for users.
        why: String,
    },
}

impl Glob {
    /// Parses `text`.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        match text.len() {
            0 => return Err(GlobError::Empty),
            len if len > MAX_GLOB_LEN => return Err(GlobError::TooLong(len)),
            _ => {}
        }
        let shape = GlobShape::of(text)?;
        Ok(Self { text: text.to_owned(), shape: OnceLock::from(shape) })
    }

    /// A glob that [`new`](Self::new) accepted before. It is parsed on first use; an invalid one matches nothing.
    pub fn accepted(text: &str) -> Self {
        Self { text: text.to_owned(), shape: OnceLock::new() }
    }

    fn shape(&self) -> &GlobShape {
        self.shape.get_or_init(|| GlobShape::of(&self.text).unwrap_or(GlobShape::Nothing))
    }

    /// The text of the glob.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The only path that it matches, for a glob without special characters.
    pub fn exact(&self) -> Option<&str> {
        matches!(self.shape(), GlobShape::Exact).then_some(&*self.text)
    }

    /// The literal directory prefix of all matching paths: empty, or ending in `/`.
    pub fn directory(&self) -> &str {
        let spelled = match self.shape() {
            GlobShape::Nothing => "",
            GlobShape::Exact => &self.text,
            GlobShape::Under { directory, .. } => &self.text[..*directory],
            GlobShape::AnyOf(_) => "",
            GlobShape::Regex(slow) => &slow.literals.start,
        };
        &spelled[..spelled.rfind('/').map_or(0, |slash| slash + 1)]
    }

    /// What is known about the file names of matching paths.
    pub fn names(&self) -> NamePattern<'_> {
        match self.shape() {
            GlobShape::Nothing => NamePattern::Any,
            GlobShape::Exact => NamePattern::Name(&self.text[self.directory().len()..]),
            GlobShape::Under { tail, .. } => tail.names(),
            GlobShape::AnyOf(globs) => {
                let extensions = globs.iter().map(|glob| match glob.names() {
                    NamePattern::Extensions(extensions) => Some(extensions),
                    NamePattern::Any | NamePattern::Name(_) => None,
                });
                let all: Option<Vec<_>> = extensions.collect();
                all.map_or(NamePattern::Any, |all| NamePattern::Extensions(all.concat()))
            }
            GlobShape::Regex(_) if self.text.ends_with('}') => {
                last_extensions(&self.text).map_or(NamePattern::Any, NamePattern::Extensions)
            }
            GlobShape::Regex(slow) => NamePattern::ending_in(&slow.literals.end),
        }
    }

    /// Whether the glob matches this `/`-separated path.
    pub fn is_match(&self, path: &[u8]) -> bool {
        match self.shape() {
            GlobShape::Nothing => false,
            GlobShape::Exact => path == self.text.as_bytes(),
            GlobShape::Under { directory, tail } => {
                let rest = path.strip_prefix(&self.text.as_bytes()[..*directory]);
                rest.is_some_and(|rest| tail.is_match(rest))
            }
            GlobShape::AnyOf(globs) => globs.iter().any(|glob| glob.is_match(path)),
            GlobShape::Regex(slow) => {
                slow.literals.may_match(path) && {
                    let compiled = slow.compiled.get_or_init(|| compile(&slow.regex));
                    compiled.is_match(characters(path).as_ref())
                }
            }
        }
    }
}

/// Only the text: the shape is a cache.
impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Glob").field(&self.text).finish()
    }
}

impl Default for Glob {
    /// A glob that no path matches.
    fn default() -> Self {
        Self { text: String::new(), shape: OnceLock::from(GlobShape::Exact) }
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Glob {}

impl Hash for Glob {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.text.hash(hasher);
    }
}

/// How a glob is matched.
#[derive(Debug, Clone)]
enum GlobShape {
    /// Matches no path.
    Nothing,
    /// A literal path.
    Exact,
    /// `directory**` or `directory**/tail`. `directory` is the length of the literal prefix, which is empty or ends in `/`.
    Under { directory: usize, tail: Tail },
    /// `{a,b}`: one of these.
    AnyOf(Box<[Glob]>),
    /// Any other glob.
    Regex(Box<RegexGlob>),
}

/// A glob that needs a regex.
#[derive(Debug, Clone)]
struct RegexGlob {
    regex: String,
    literals: Literals,
    compiled: OnceLock<meta::Regex>,
}

/// Texts of every matching path. Each may be empty.
#[derive(Debug, Clone, Default)]
struct Literals {
    start: String,
    end: String,
    /// The longest one outside braces: `migrations/` of `**/migrations/[0-9]*.py`.
    inside: String,
}

impl Literals {
    fn of(glob: &str) -> Self {
        // Paths that are not UTF-8 are matched with replacement characters in them.
        if glob.contains(char::REPLACEMENT_CHARACTER) {
            return Self::default();
        }
        let start = glob.find(SPECIAL).map_or(glob, |first| &glob[..first]);
        let end = glob.rfind(SPECIAL).map_or(glob, |last| &glob[last + 1..]);
        // `**/` may match nothing, and its stars may be in braces.
        let before = &glob[..glob.len() - end.len()];
        let crosses = before.ends_with("**") || (before.contains('}') && before.ends_with(['*', '}']));
        let end = if crosses { end.trim_start_matches('/') } else { end };
        Self { start: start.to_owned(), end: end.to_owned(), inside: longest_outside_braces(glob).to_owned() }
    }

    fn may_match(&self, path: &[u8]) -> bool {
        path.starts_with(self.start.as_bytes())
            && path.ends_with(self.end.as_bytes())
            && memchr::memmem::find(path, self.inside.as_bytes()).is_some()
    }
}

/// The longest literal of a glob that is in no braces, without a `/` that `**` may leave out. Empty for a glob with classes
/// or escapes after it.
fn longest_outside_braces(glob: &str) -> &str {
    let (mut longest, mut depth, mut from) = ("", 0_usize, 0);
    for (at, c) in glob.char_indices().chain([(glob.len(), '*')]) {
        if !SPECIAL.contains(&c) {
            continue;
        }
        let literal = glob[from..at].trim_start_matches('/');
        if depth == 0 && literal.len() > longest.len() {
            longest = literal;
        }
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '[' | '\\' => break,
            _ => {}
        }
        from = at + c.len_utf8();
    }
    longest
}

/// A necessary condition on file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamePattern<'a> {
    /// No condition.
    Any,
    /// The name is this one.
    Name(&'a str),
    /// The part after the last dot is one of these.
    Extensions(Vec<&'a str>),
}

impl<'a> NamePattern<'a> {
    /// The condition on names of paths that end in `end`.
    fn ending_in(end: &'a str) -> Self {
        match (end.rsplit_once('/'), end.rsplit_once('.')) {
            (Some((_, name)), _) => Self::Name(name),
            (None, Some((_, extension))) => Self::Extensions(vec![extension]),
            (None, None) => Self::Any,
        }
    }
}

/// The extensions that a glob ends in: `.{java,kt}` outside other braces.
fn last_extensions(glob: &str) -> Option<Vec<&str>> {
    let (before, group) = glob.strip_suffix('}')?.rsplit_once('{')?;
    let is_outside = before.matches('{').count() == before.matches('}').count()
        && !before.contains(['\\', '[', char::REPLACEMENT_CHARACTER]);
    let choices: Vec<&str> = group.split(',').collect();
    let are_plain = choices.iter().all(|choice| is_literal(choice) && !choice.contains(['.', '/']));
    (is_outside && before.ends_with('.') && are_plain).then_some(choices)
}

impl GlobShape {
    fn of(text: &str) -> Result<Self, GlobError> {
        if let Some(quick) = Self::quick(text).or_else(|| Self::any_of(text)) {
            return Ok(quick);
        }
        let wrong = |why| GlobError::Syntax { glob: text.to_owned(), why };
        let regex = translate(text).map_err(wrong)?;
        Ok(Self::Regex(Box::new(RegexGlob {
            regex,
            literals: Literals::of(text),
            compiled: OnceLock::new(),
        })))
    }

    /// The shape of a text that is one group of braces, if no choice has classes or escapes.
    fn any_of(text: &str) -> Option<Self> {
        let is_complex = text.matches('{').count() > MAX_QUICK_BRACES;
        if !text.starts_with('{') || is_complex || text.contains(['[', ']', '\\']) {
            return None;
        }
        let choices = tail::choices(text)?;
        let is_whole = choices.iter().map(|choice| choice.len() + 1).sum::<usize>() + 1 == text.len();
        if !is_whole {
            return None;
        }
        choices.into_iter().map(|choice| Glob::new(choice).ok()).collect::<Option<_>>().map(Self::AnyOf)
    }

    /// The shape of `text`, if it needs no regex.
    fn quick(text: &str) -> Option<Self> {
        let Some(directory) = text.bytes().position(is_special) else { return Some(Self::Exact) };
        let (before, rest) = text.split_at(directory);
        if !(before.is_empty() || before.ends_with('/')) {
            return None;
        }
        let tail = match rest.strip_prefix("**")? {
            "" | "/*" => Tail::Anything,
            tail => Tail::of(tail.strip_prefix('/')?)?,
        };
        Some(Self::Under { directory, tail })
    }
}

/// Cap on the braces of a list of globs that are matched each for itself.
const MAX_QUICK_BRACES: usize = 32;

/// Characters with a meaning in globs.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

fn is_literal(text: &str) -> bool {
    !text.bytes().any(is_special)
}

/// Whether a byte is one of [`SPECIAL`].
fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b'\\')
}

/// The path as text, with U+FFFD for each invalid byte.
fn characters(path: &[u8]) -> Cow<'_, str> {
    if let Ok(path) = std::str::from_utf8(path) {
        return Cow::Borrowed(path);
    }
    let mut characters = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        characters.push_str(chunk.valid());
        characters.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(characters)
}

/// Regexes over this length, in bytes, use the engines with the least memory. Long globs are generated, and there may be
/// thousands.
const LONG: usize = 256;

/// The nesting limit of a regex, above what nested braces produce.
const MAX_NESTING: u32 = 512;

fn compile(regex: &str) -> meta::Regex {
    let mut builder = meta::Builder::new();
    builder.syntax(syntax::Config::new().nest_limit(MAX_NESTING).utf8(false));
    // `translate` limits the size. Most globs of a hook see one path, so nothing is built ahead of its use.
    let config = meta::Config::new().nfa_size_limit(None).which_captures(WhichCaptures::None);
    builder.configure(config.dfa(false).onepass(false).hybrid(regex.len() <= LONG));
    builder.build(regex).expect("a glob within its limits translates to a valid regex")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn glob(text: &str) -> Glob {
        Glob::new(text).expect("a valid glob")
    }

    #[track_caller]
    fn check(text: &str, matching: &[&str], others: &[&str]) {
        let glob = glob(text);
        for path in matching {
            assert!(glob.is_match(path.as_bytes()), "{text} should match {path}");
        }
        for path in others {
            assert!(!glob.is_match(path.as_bytes()), "{text} should not match {path}");
        }
    }

    #[test]
    fn finds_literal_directory() {
        for (glob, directory) in [
            ("**/*.rs", ""),
            ("a.rs", ""),
            ("src/a.rs", "src/"),
            ("src/**", "src/"),
            ("src/a/**/*.rs", "src/a/"),
            ("src/a*/b/c.rs", "src/"),
            ("src/a/{b,c}/d", "src/a/"),
            ("src/[ab]/d", "src/"),
            (r"s\*c/d?", ""),
            ("*/a", ""),
            ("src/\u{FFFD}/a?", ""),
        ] {
            assert_eq!(Glob::new(glob).expect("a glob").directory(), directory, "{glob}");
        }
    }

    #[test]
    fn finds_condition_on_names() {
        for (glob, names) in [
            ("src/a.rs", NamePattern::Name("a.rs")),
            ("Makefile", NamePattern::Name("Makefile")),
            ("**/Makefile", NamePattern::Name("Makefile")),
            ("*/Makefile", NamePattern::Name("Makefile")),
            ("src/**", NamePattern::Any),
            ("**/*.{tar.gz,rs}", NamePattern::Extensions(vec!["gz", "rs"])),
            ("**/*.{rs,d/}", NamePattern::Any),
            ("**/*rc", NamePattern::Any),
            ("**/.*rc", NamePattern::Any),
            ("test_*.py", NamePattern::Extensions(vec!["py"])),
            ("**/{*_test,test/**/*}.{java,kt}", NamePattern::Extensions(vec!["java", "kt"])),
            ("{a.{b,c}}", NamePattern::Extensions(vec!["b", "c"])),
            ("{**/*.ts,src/**/*.{js,ts}}", NamePattern::Extensions(vec!["ts", "js", "ts"])),
            ("{a?,b*.{b,c}}", NamePattern::Any),
            ("a?.{b,c/d}", NamePattern::Any),
            ("a/*/**/b.py", NamePattern::Extensions(vec!["py"])),
            ("a/*/**/b", NamePattern::Any),
            ("**/{a,b}", NamePattern::Any),
            (r"a?\.b", NamePattern::Extensions(vec!["b"])),
            ("*\u{FFFD}.b", NamePattern::Any),
        ] {
            assert_eq!(Glob::new(glob).expect("a glob").names(), names, "{glob}");
        }
    }

    #[test]
    fn a_star_stops_at_a_slash() {
        check("*.rs", &["a.rs", ".rs"], &["src/a.rs", "a.rsx"]);
        check("src/*.rs", &["src/a.rs"], &["src/b/a.rs", "a.rs"]);
        check("src/*/a.rs", &["src/b/a.rs"], &["src/a.rs", "src/b/c/a.rs"]);
    }

    #[test]
    fn two_stars_cross_slashes() {
        check("**/*.py", &["app.py", "a/b/app.py", "/home/app.py"], &["app.pyc", "app.py/x"]);
        check("**", &["a", "a/b"], &[]);
        check("**/*", &["a", "a/b"], &[]);
        check("src/**", &["src/a", "src/a/b"], &["src", "lib/src/a"]);
        check("src/**/*.rs", &["src/a.rs", "src/a/b.rs"], &["a.rs", "srca.rs"]);
        check("src/**.rs", &["src/a.rs", "src/a/b.rs"], &["a.rs"]);
        check("{src,**/lib}/*.rs", &["src/a.rs", "lib/a.rs", "x/lib/a.rs"], &["x/src/a.rs"]);
        check("{**/,x/}b?", &["bc", "a/bc", "x/bc"], &["ab/c"]);
        check("**/app/**/*.php", &["app/a.php", "x/app/b/a.php"], &["x/a.php"]);
    }

    #[test]
    fn question_mark_is_one_character() {
        check("a?c", &["abc", "aéc"], &["ac", "a/c", "abbc"]);
    }

    #[test]
    fn classes_and_alternatives() {
        check("[abc].rs", &["a.rs"], &["d.rs"]);
        check("[!abc].rs", &["d.rs"], &["a.rs"]);
        check("[a-c].rs", &["b.rs"], &["d.rs"]);
        check("[]é].rs", &["].rs", "é.rs"], &["e.rs"]);
        check("a[!b]c", &["axc"], &["a/c", "abc"]);
        check("a[+-9]c", &["a1c"], &["a/c"]);
        check("[^a-]x", &["bx"], &["ax", "-x"]);
        check("{src,lib}/*.rs", &["src/a.rs", "lib/a.rs"], &["bin/a.rs"]);
        check("**/*.{ts,tsx}", &["a.ts", "x/a.tsx"], &["a.tsx.js", "ats"]);
        check("a{,.min}.js", &["a.js", "a.min.js"], &["a.max.js"]);
    }

    #[test]
    fn braces_equal_their_expansion() {
        check(
            "{src/**,lib/**}/*.py",
            &["src/a.py", "lib/a.py", "src/x/b.py"],
            &["a.py", "srca.py", "bin/a.py"],
        );
        check("{**,x}/*.py", &["top.py", "x/a.py", "a/b/c.py"], &["top.pyc"]);
        check("{**,x}/top.py", &["top.py", "x/top.py", "a/b/top.py"], &["xtop.py"]);
        check("{a,b/**}{/c,d}", &["a/c", "ad", "b/c", "b/x/c", "b/d", "b/xd"], &["b/c/", "ac", "c"]);
        check("{a,b*}{*,c}", &["ab", "ac", "bx/y", "bxc"], &["a/b", "c"]);
        check("src{/**,}/a", &["src/a", "src/x/a"], &["srca", "a"]);
        check("{*,a}{*,b}/c", &["x/c", "x/y/c", "ab/c", "c"], &["xc"]);
        check("**{/a,b}", &["a", "x/a", "b", "xb", "x/b"], &["xa"]);
    }

    #[test]
    fn rejects_braces_that_expand_too_far() {
        let text = |times| "{a,b*}{*,/c,?}".repeat(times);
        let error = Glob::new(&text(100)).expect_err("too many paths").to_string();
        assert!(error.ends_with("its braces stand for too many different paths"), "{error}");
        let longest = (1..100).map_while(|times| Glob::new(&text(times)).ok()).last().expect("one at least");
        assert!(
            longest.text.len() > 60
                && longest.is_match(longest.text.replace(['{', '}', ',', '*', '?'], "").as_bytes())
        );
    }

    #[test]
    fn plain_paths_and_names() {
        check("Cargo.toml", &["Cargo.toml"], &["x/Cargo.toml"]);
        check("**/Cargo.toml", &["Cargo.toml", "x/Cargo.toml"], &["xCargo.toml"]);
        check(r"a\*", &["a*"], &["ab", r"a\*"]);
        check("**/test_*.py", &["test_a.py", "x/test_.py"], &["test_/a.py", "mytest_a.py", "test_.pyc"]);
        check("**/ab*bc", &["abbc", "x/ab-bc"], &["abc", "ab/bc"]);
    }

    #[test]
    fn names_need_not_be_utf8() {
        assert!(glob("**/*.rs").is_match(b"\xff\xfe.rs"));
        assert!(glob("*/?.rs").is_match(b"\xff/\xfe.rs"));
        for (text, path) in [
            ("??.txt", &b"\xFF\xFE.txt"[..]),
            ("??.txt", b"\xE2\x84.txt"),
            ("???.txt", b"\xF0\x9F\x98.txt"),
            ("???.txt", b"\xED\xA0\x80.txt"),
            ("?[!a]\u{e9}?", b"\xC3\x28\xC3\xA9\x80"),
        ] {
            assert!(glob(text).is_match(path), "{text} should match {}", path.escape_ascii());
        }
        assert!(!glob("?.txt").is_match(b"\xE2\x84.txt"));
    }

    #[test]
    fn accepted_glob_matches_the_same() {
        for text in ["**/{vendor/**,*.min.js}", "src/[ab]/*.rs"] {
            let accepted = Glob::accepted(text);
            assert_eq!(accepted, glob(text));
            for path in ["vendor/a", "x/a.min.js", "src/a/b.rs", "src/c/b.rs"] {
                assert_eq!(
                    accepted.is_match(path.as_bytes()),
                    glob(text).is_match(path.as_bytes()),
                    "{text} {path}"
                );
            }
        }
        assert!(!Glob::accepted("a[b").is_match(b"a[b"));
    }

    #[test]
    fn rejects_invalid_globs() {
        assert_eq!(Glob::new(""), Err(GlobError::Empty));
        assert_eq!(Glob::new(&"a".repeat(4097)), Err(GlobError::TooLong(4097)));
        for text in ["a[b", "a{b", "a}b", "[z-a]", "a\\"] {
            let error = Glob::new(text).expect_err(text).to_string();
            assert!(error.starts_with(&format!("the glob '{text}' is not valid: ")), "{error}");
        }
    }

    #[test]
    fn the_longest_globs_still_compile() {
        for part in ["?", "*", "**/", "[!a]", "{a,b}", "é", "{"] {
            let text = part.repeat(MAX_GLOB_LEN / part.len());
            if let Ok(glob) = Glob::new(&text) {
                glob.is_match(b"a/b");
            }
        }
        let nested = |choice: &str, depth| format!("{}a{}", choice.repeat(depth), "}".repeat(depth));
        for choice in ["{b,", "{b*,", "{*,*", "{**/,", "{/**,**"] {
            glob(&nested(choice, 64)).is_match(b"a/b");
            assert!(Glob::new(&nested(choice, 65)).is_err());
        }
        assert!(glob(&nested("{b,", 64)).is_match(b"a"));
    }

    #[test]
    fn common_shapes_need_no_regex() {
        for text in
            ["**", "**/*", "**/*.rs", "**/*.{ts,tsx}", "a/b.rs", "**/Makefile", "src/**", "src/**/*.rs"]
                .into_iter()
                .chain([
                    "**/node_modules/**",
                    "**/target/{debug,release}/**",
                    "**/{.DS_Store,*.swp,a/**}",
                    "**/a*b",
                    "**/{a*,ab*b}",
                ])
        {
            assert!(!matches!(glob(text).shape(), GlobShape::Regex(_)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn shapes_match_like_the_regex(
            text in r"(src/|a/b/|/)?(\*\*(/(\*)?(\.(rs|d\.ts|\{a,b\}|\{,x\}))?|/name|/(n|nam)\*m?e|/(a/)?[bx]/\*\*|/\{name,n\*e,(b/)?\*\.rs,[ab]/\*\*\}|/a/\{b,,x\}(/\*\*)?|/\{n\*,a/\*\*/(n\*)?,\{a,b\}/\*\*/n\*\}(\.\{a,rs\})?)?|name)",
            path in "/?((src|a|b|name|x)/){0,3}(name|\\.rs|x\\.(rs|d\\.ts|a|b|x)|\\.)?",
        ) {
            prop_assume!(!text.is_empty());
            let slow = compile(&translate(&text).expect("valid"));
            prop_assert_eq!(glob(&text).is_match(path.as_bytes()), slow.is_match(&path), "{} {}", text, path);
        }

        #[test]
        fn braces_match_like_their_choices(
            text in with_braces(),
            paths in prop::collection::vec(fragments(&["a", "b", "/", "/", "*", ","], 7), 20),
        ) {
            let Ok(glob) = Glob::new(&text) else { return Ok(()) };
            let choices: Vec<_> = written_out(&text).iter().map(|choice| Glob::new(choice)).collect();
            for path in paths {
                let by_choice = choices.iter().any(|choice| match choice {
                    Ok(choice) => choice.is_match(path.as_bytes()),
                    Err(error) => *error == GlobError::Empty && path.is_empty(),
                });
                prop_assert_eq!(glob.is_match(path.as_bytes()), by_choice, "{} {}", &text, path);
            }
        }

        #[test]
        fn literals_are_in_every_matching_path(
            text in fragments(&[
                "a", "b", "/", "/", "**", "**/", "*", "?", "[ab]", "[!a]", "{a,b}", "{", "}", ",", ".rs", ".", "\\*",
                "\\.", "\\a", "é", "\u{FFFD}", "src/", "]",
            ], 7),
            path in fragments(&["a", "b", "/", ".rs", ".", "*", "é", "\u{FFFD}", "src/", "\\", ",", "]"], 6),
        ) {
            let Ok(glob) = Glob::new(&text) else { return Ok(()) };
            let slow = compile(&translate(&text).expect("valid")).is_match(&path);
            prop_assert_eq!(glob.is_match(path.as_bytes()), slow, "{} {}", text, path);
            if slow {
                prop_assert!(path.starts_with(glob.directory()), "{} {}", text, path);
                let name = path.rsplit('/').next().unwrap_or_default();
                let agrees = match glob.names() {
                    NamePattern::Any => true,
                    NamePattern::Name(expected) => name == expected,
                    NamePattern::Extensions(all) => name.rsplit_once('.').is_some_and(|(_, last)| all.contains(&last)),
                };
                prop_assert!(agrees, "{} {} {:?}", text, path, glob.names());
            }
        }
    }

    fn with_braces() -> impl Strategy<Value = String> {
        let plain = fragments(
            &["a", "b", "/", "/", "*", "*", "**", "**/", "/**", "?", "[!a]", "[,}]", "\\,", "\\*"],
            4,
        );
        plain.prop_recursive(3, 12, 3, |inner| {
            let choices = prop::collection::vec(inner.clone(), 1..4);
            (inner.clone(), choices, inner)
                .prop_map(|(before, choices, after)| format!("{before}{{{}}}{after}", choices.join(",")))
        })
    }

    /// The expansion of a glob with braces.
    fn written_out(glob: &str) -> Vec<String> {
        let tokens = tokens(glob);
        let Some(open) = tokens.iter().position(|token| token == "{") else { return vec![tokens.concat()] };
        let (mut depth, mut at, mut choices) = (1, open, vec![String::new()]);
        while depth > 0 {
            at += 1;
            match tokens[at].as_str() {
                "," if depth == 1 => choices.push(String::new()),
                "}" if depth == 1 => depth = 0,
                token => {
                    depth = depth + usize::from(token == "{") - usize::from(token == "}");
                    choices.last_mut().expect("one at least").push_str(token);
                }
            }
        }
        let (before, after) = (tokens[..open].concat(), tokens[at + 1..].concat());
        choices.iter().flat_map(|choice| written_out(&format!("{before}{choice}{after}"))).collect()
    }

    /// The characters of a glob; a class and an escape are one token each.
    fn tokens(glob: &str) -> Vec<String> {
        let mut rest = glob.chars();
        let mut tokens = Vec::new();
        while let Some(c) = rest.next() {
            let mut token = c.to_string();
            if c == '\\' {
                token.extend(rest.next());
            } else if c == '[' {
                for c in rest.by_ref() {
                    token.push(c);
                    if c == ']' && !["[]", "[!]", "[^]"].contains(&token.as_str()) {
                        break;
                    }
                }
            }
            tokens.push(token);
        }
        tokens
    }

    fn fragments(of: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(of), 0..most).prop_map(|parts| parts.concat())
    }
}
