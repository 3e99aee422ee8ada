//! Patterns as people write them, most of them learned with Python's `re`, into the dialect of the
//! engines here, with Python's meaning wherever the two differ.
//!
//! Purely textual: whether the result is a valid expression is for the engine to say. Differences
//! that cannot be bridged come back as notes for the author.

use std::iter::Peekable;
use std::str::Chars;

mod class;

/// A pattern in the dialect of the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The expression.
    pub regex: String,
    /// The first construct, if any, that needs the backtracking engine.
    pub backtracks: Option<Backtracks>,
    /// Differences from Python that the author should know of.
    pub notes: Vec<&'static str>,
}

/// A construct that a linear-time engine cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backtracks {
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    LookAround,
    /// `\1`, `(?P=name)`.
    BackReference,
    /// `(?>…)`, `a++`.
    Atomic,
    /// `(?(1)…|…)`.
    Conditional,
}

impl Backtracks {
    /// What the construct is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LookAround => "look-around",
            Self::BackReference => "a back-reference",
            Self::Atomic => "an atomic group or a possessive quantifier",
            Self::Conditional => "a conditional",
        }
    }
}

/// Why a pattern cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// `\N{…}`.
    #[error("characters cannot be named with \\N{{…}} (write \\u and four hex digits)")]
    NamedCharacter,
    /// `(?L)`.
    #[error("the flag L depends on a locale (leave it out)")]
    LocaleFlag,
    /// A `[` without its `]`.
    #[error("a character class is not closed (add ']', or write '\\[' for the character)")]
    UnclosedClass,
    /// A `(?#` without its `)`.
    #[error("a comment is not closed (add ')')")]
    UnclosedComment,
    /// A `\` at the end.
    #[error("the pattern ends in a backslash (write '\\\\' for the character)")]
    TrailingBackslash,
}

const BACKSPACE: &str =
    "'pattern' has a backspace in it, which is what '\\b' is in double quotes (use single quotes)";

/// `pattern` in the dialect of the engines.
pub fn translate(pattern: &str) -> Result<Translation, DialectError> {
    let translation =
        Translation { regex: String::with_capacity(pattern.len() + 8), backtracks: None, notes: Vec::new() };
    let rest = pattern.chars().peekable();
    let mut translator = Translator { rest, out: translation, flags: Flags::default(), outer: Vec::new() };
    translator.run()?;
    let mut translation = translator.out;
    if pattern.contains('\u{8}') {
        translation.notes.push(BACKSPACE);
    }
    if translation.backtracks.is_some() {
        for (look, spelled) in ASCII_LOOKS {
            translation.regex = translation.regex.replace(look, spelled);
        }
    }
    Ok(translation)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: Translation,
    flags: Flags,
    /// The flags around each group that is open.
    outer: Vec<Flags>,
}

/// The flags that this translation depends on.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    verbose: bool,
    ascii: bool,
}

/// What `\w`, `\d` and `\s` stand for under the flag `a`, as members of a class.
const ASCII_CLASSES: [(char, &str); 3] = [('w', "0-9A-Za-z_"), ('d', "0-9"), ('s', r"\t\n\x0b\x0c\r\x20")];

/// `\b` and `\B` under the flag `a`, and how they are spelled for the backtracking engine, which has no such flag.
const ASCII_LOOKS: [(&str, &str); 2] = [
    (r"(?-u:\b)", "(?:(?<![0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?![0-9A-Za-z_]))"),
    (r"(?-u:\B)", "(?:(?<![0-9A-Za-z_])(?![0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_]))"),
];

impl Translator<'_> {
    fn run(&mut self) -> Result<(), DialectError> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => {
                    self.flags = self.outer.pop().unwrap_or(self.flags);
                    self.push(")");
                }
                '*' | '+' | '?' => {
                    self.out.regex.push(c);
                    self.after_quantifier();
                }
                '{' => self.brace(),
                '#' if self.flags.verbose => self.verbose_comment(),
                _ => self.out.regex.push(c),
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.out.regex.push_str(text);
    }

    fn needs(&mut self, construct: Backtracks) {
        self.out.backtracks.get_or_insert(construct);
    }

    fn starts_with(&self, prefix: &str) -> bool {
        let mut ahead = self.rest.clone();
        prefix.chars().all(|expected| ahead.next() == Some(expected))
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.rest.next();
        }
    }

    /// An escape outside a class; the backslash has been read.
    fn escape(&mut self) -> Result<(), DialectError> {
        match self.rest.next().ok_or(DialectError::TrailingBackslash)? {
            'Z' => self.push(r"\z"),
            'N' if self.rest.peek() == Some(&'{') => return Err(DialectError::NamedCharacter),
            digit @ '0'..='9' => self.digits(digit),
            'k' => {
                self.needs(Backtracks::BackReference);
                self.push(r"\k");
            }
            letter @ ('p' | 'P' | 'x' | 'u' | 'U') => {
                self.out.regex.extend(['\\', letter]);
                self.braced();
            }
            look @ ('b' | 'B') if self.flags.ascii => self.push(&format!(r"(?-u:\{look})")),
            c => match self.ascii_class(c) {
                Some((not, members)) => self.push(&format!("[{not}{members}]")),
                None => self.push_escaped(c),
            },
        }
        Ok(())
    }

    /// Under the flag `a`, what the class `\letter` stands for: a `^` if it is negated, and its members.
    fn ascii_class(&self, letter: char) -> Option<(&'static str, &'static str)> {
        let not = if letter.is_ascii_uppercase() { "^" } else { "" };
        let class = ASCII_CLASSES.iter().find(|(name, _)| *name == letter.to_ascii_lowercase());
        class.filter(|_| self.flags.ascii).map(|(_, members)| (not, *members))
    }

    /// Copies a `{…}` that belongs to the escape before it.
    fn braced(&mut self) {
        if self.rest.peek() != Some(&'{') {
            return;
        }
        for c in self.rest.by_ref() {
            self.out.regex.push(c);
            if c == '}' {
                return;
            }
        }
    }

    /// `\0`, `\012` and `\141` are octal; any other number is a back-reference.
    fn digits(&mut self, first: char) {
        let mut ahead = self.rest.clone();
        let next = [ahead.next(), ahead.next()].map(|c| c.and_then(|c| c.to_digit(8)));
        let first_value = first.to_digit(10).unwrap_or_default();
        match next {
            [Some(second), Some(third)] if first_value < 4 => {
                self.skip(2);
                self.push_code(first_value * 64 + second * 8 + third);
            }
            [Some(second), _] if first == '0' => {
                self.skip(1);
                self.push_code(second);
            }
            _ if first == '0' => self.push_code(0),
            _ => {
                self.needs(Backtracks::BackReference);
                self.out.regex.extend(['\\', first]);
                if let Some(second) = self.rest.next_if(char::is_ascii_digit) {
                    self.out.regex.push(second);
                }
            }
        }
    }

    fn push_code(&mut self, code: u32) {
        self.push(&format!("\\x{code:02x}"));
    }

    /// `\c`, where Python takes any character that is not a letter or a digit for itself.
    fn push_escaped(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            self.out.regex.extend(['\\', c]);
        } else {
            self.push_literal(c);
        }
    }

    /// The character itself, inside or outside a class, also in verbose mode.
    fn push_literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
            self.out.regex.extend(['\\', c]);
        } else if c.is_ascii_whitespace() {
            self.push_code(u32::from(c));
        } else {
            self.out.regex.push(c);
        }
    }

    /// `{` is a quantifier only in one of the four forms, and a plain character otherwise.
    fn brace(&mut self) {
        let inside: String = self.rest.clone().take_while(|&c| c != '}').take(24).collect();
        let closed = self.starts_with(&format!("{inside}}}"));
        let Some((low, high)) = closed.then(|| quantifier(&inside)).flatten() else {
            self.push(r"\{");
            return;
        };
        self.skip(inside.chars().count() + 1);
        let low = if low.is_empty() { "0" } else { low };
        match high {
            None => self.push(&format!("{{{low}}}")),
            Some(high) => self.push(&format!("{{{low},{high}}}")),
        }
        self.after_quantifier();
    }

    fn after_quantifier(&mut self) {
        match self.rest.peek() {
            Some('?') => {
                self.rest.next();
                self.push("?");
            }
            Some('+') => {
                self.rest.next();
                self.needs(Backtracks::Atomic);
                self.push("+");
            }
            _ => {}
        }
    }

    /// What a `(` opens; it has been read.
    fn group(&mut self) -> Result<(), DialectError> {
        if !self.starts_with("?") {
            self.open("(");
            return Ok(());
        }
        if self.starts_with("?#") {
            return self.rest.find(|&c| c == ')').map(|_| ()).ok_or(DialectError::UnclosedComment);
        }
        if self.starts_with("?P=") {
            self.skip(3);
            let name: String = self.rest.by_ref().take_while(|&c| c != ')').collect();
            self.needs(Backtracks::BackReference);
            self.push(&format!("\\k<{name}>"));
            return Ok(());
        }
        let constructs = [
            ("?=", Backtracks::LookAround),
            ("?!", Backtracks::LookAround),
            ("?<=", Backtracks::LookAround),
            ("?<!", Backtracks::LookAround),
            ("?>", Backtracks::Atomic),
            ("?(", Backtracks::Conditional),
        ];
        if let Some((opening, construct)) =
            constructs.into_iter().find(|(opening, _)| self.starts_with(opening))
        {
            self.skip(opening.len());
            self.needs(construct);
            self.open("(");
            self.push(opening);
            return Ok(());
        }
        self.flags()
    }

    fn open(&mut self, group: &str) {
        self.outer.push(self.flags);
        self.push(group);
    }

    /// `(?flags)` and `(?flags:`, or another `(?` group.
    fn flags(&mut self) -> Result<(), DialectError> {
        let flags: String =
            self.rest.clone().skip(1).take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
        let end = self.rest.clone().nth(flags.len() + 1);
        let ends_group = match end {
            Some(':') => false,
            Some(')') => true,
            _ => {
                self.open("(");
                return Ok(());
            }
        };
        self.skip(flags.len() + 1);
        let (on, off) = flags.split_once('-').unwrap_or((&flags, ""));
        if on.contains('L') {
            return Err(DialectError::LocaleFlag);
        }
        let ascii = on.contains('a') || self.flags.ascii && !on.contains('u');
        let verbose = on.contains('x') || self.flags.verbose && !off.contains('x');
        let on: String = on.chars().filter(|c| !matches!(c, 'a')).collect();
        let dash = if off.is_empty() { "" } else { "-" };
        let spelled = format!("(?{on}{dash}{off}");
        if !ends_group {
            self.open(&spelled);
        } else if spelled == "(?" {
            self.rest.next();
        } else {
            self.rest.next();
            self.push(&spelled);
            self.push(")");
        }
        self.flags = Flags { verbose, ascii };
        Ok(())
    }

    /// A comment to the end of the line, copied as it is.
    fn verbose_comment(&mut self) {
        self.push("#");
        for c in self.rest.by_ref() {
            self.out.regex.push(c);
            if c == '\n' {
                return;
            }
        }
    }
}

/// The bounds of a quantifier `{low}`, `{low,}`, `{,high}`, `{low,high}` or `{,}`, without its braces.
fn quantifier(inside: &str) -> Option<(&str, Option<&str>)> {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match inside.split_once(',') {
        None => (!inside.is_empty() && digits(inside)).then_some((inside, None)),
        Some((low, high)) => (digits(low) && digits(high)).then_some((low, Some(high))),
    }
}

#[cfg(test)]
mod tests {
    use super::class::POSIX_CLASS;
    use super::*;

    fn regex(pattern: &str) -> String {
        translate(pattern).expect("translates").regex
    }

    #[test]
    fn python_spellings_are_translated() {
        let cases = [
            (r"a\Z", r"a\z"),
            (r"\bfoo\s*\(", r"\bfoo\s*\("),
            ("a{2,3}b{4}c{5,}", "a{2,3}b{4}c{5,}"),
            ("a{,3}", "a{0,3}"),
            ("if (x) {", r"if (x) \{"),
            ("{ x }", r"\{ x }"),
            ("${VAR}", r"$\{VAR}"),
            ("f{a,b}", r"f\{a,b}"),
            ("(?P<n>a)", "(?P<n>a)"),
            ("a(?#note)b", "ab"),
            (r"\<b\>", "<b>"),
            (r"\é", "é"),
            (r"\ ", r"\x20"),
            (r"\0", r"\x00"),
            (r"\012", r"\x0a"),
            (r"\141", r"\x61"),
            (r"\p{Greek}{2}", r"\p{Greek}{2}"),
            (r"\x41\u0041", r"\x41\u0041"),
            ("(?i)a", "(?i)a"),
            ("(?a)a", "a"),
            ("(?ai:a)", "(?i:a)"),
            (r"(?a)\w\D[\s\W]\b", r"[0-9A-Za-z_][^0-9][\t\n\x0b\x0c\r\x20[^0-9A-Za-z_]](?-u:\b)"),
            (r"(?a:\d(\d))\d", r"(?:[0-9]([0-9]))\d"),
            (r"(?a:(?u:\d)\d)", r"(?:(?u:\d)[0-9])"),
            ("(?:a|b)", "(?:a|b)"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(regex(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn classes_are_read_as_python_reads_them() {
        let cases = [
            ("[abc]", "[abc]"),
            ("[^]a]", r"[^\]a]"),
            ("[[]", r"[\[]"),
            ("[a&&b]", r"[a\&\&b]"),
            ("[a~~b]", r"[a\~\~b]"),
            ("[+--]", r"[\+-\-]"),
            ("[a-]", r"[a\-]"),
            (r"[\w-]", r"[\w\-]"),
            (r"[\b]", r"[\x08]"),
            (r"[\0-\37]", r"[\x00-\x1f]"),
            ("[ #]", r"[\x20\#]"),
            (r"[\]]", r"[\]]"),
            ("[[:alpha:]_]", r"[[:alpha:]\_]"),
            ("[[:x]", r"[\[\:x]"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(regex(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn constructs_for_the_backtracking_engine_are_recognised() {
        let cases = [
            ("a(?=b)", Some(Backtracks::LookAround)),
            ("(?<!a)b", Some(Backtracks::LookAround)),
            (r"(a)\1", Some(Backtracks::BackReference)),
            ("(?P<n>a)(?P=n)", Some(Backtracks::BackReference)),
            ("(?>a)b", Some(Backtracks::Atomic)),
            ("a++b", Some(Backtracks::Atomic)),
            ("a{2}+b", Some(Backtracks::Atomic)),
            ("(a)?(?(1)b|c)", Some(Backtracks::Conditional)),
            ("a+?b", None),
            (r"\(\?=", None),
            ("[(?=]", None),
            ("(?<n>a)", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(translate(pattern).expect("translates").backtracks, expected, "{pattern}");
        }
        assert_eq!(regex("(?P<n>a)(?P=n)"), r"(?P<n>a)\k<n>");
    }

    #[test]
    fn a_posix_class_is_noted() {
        assert_eq!(translate("[[:alpha:]]").expect("translates").notes, [POSIX_CLASS]);
        assert!(translate("[a:]").expect("translates").notes.is_empty());
    }

    #[test]
    fn what_cannot_be_translated_says_what_to_write() {
        for (pattern, error) in [
            (r"\N{DASH}", DialectError::NamedCharacter),
            ("(?L)a", DialectError::LocaleFlag),
            ("[a", DialectError::UnclosedClass),
            ("(?#a", DialectError::UnclosedComment),
            (r"a\", DialectError::TrailingBackslash),
        ] {
            assert_eq!(translate(pattern), Err(error), "{pattern}");
        }
    }

    #[test]
    fn verbose_comments_are_left_alone() {
        assert_eq!(regex("(?x)a # [ it's {\nb"), "(?x)a # [ it's {\nb");
        assert_eq!(regex("(?x:a # {\n)#{"), "(?x:a # {\n)#\\{");
        assert_eq!(regex("(?x)(?-x:#{) # {"), "(?x)(?-x:#\\{) # {");
    }
}
