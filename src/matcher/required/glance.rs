//! A glance at a pattern: what every match holds, read off the pattern without parsing it: one of a few texts, and a
//! run of bytes.
//!
//! A hook has one small text and many patterns, nearly all of which are about something else. Parsing
//! a pattern costs far more than a look for such a text. This knows the common constructs, look-around
//! among them, and gives up on the rest; a pattern that it does not give up on is valid, and there is
//! nothing to tell its author, so that nothing is left unsaid when it is not parsed.

use super::Run;
use super::byte_set::ByteSet;
use crate::contract::syntax::MAX_PATTERN;
use crate::contract::{self, Dialect, Needs};

/// The most texts of one pattern.
const MAX_TEXTS: usize = 8;
/// The shortest run worth knowing.
const MIN_RUN: usize = 16;
/// The deepest groups; patterns may be deeper than that.
const MAX_DEPTH: usize = 16;
/// The largest pattern, with its repetitions written out; patterns may be larger than that.
const MAX_SIZE: usize = 2_000;

/// The most that the parts of a pattern with look-around may take once compiled, in bytes, times its groups; patterns may
/// take more than that. What a large class takes there, and anything else.
const MAX_COMPILED: usize = 8 * 1024 * 1024;
const LARGE_CLASS: usize = 64 * 1024;
const OTHER: usize = 1024;

/// What every match of a pattern holds, if a glance at it tells; then it is also known to be valid.
pub fn needs(pattern: &contract::Pattern) -> Option<Needs> {
    match pattern.dialect {
        Dialect::Literal => {
            Some(Needs { texts: vec![pattern.source.to_ascii_lowercase().into_bytes().into()], run: None })
        }
        Dialect::Regex => {
            let glance = Glance::of(&pattern.source)?;
            let texts = glance.texts().map(Box::from).collect();
            Some(Needs { texts, run: glance.run.map(|run| (run.bytes.to_bits(), run.count)) })
        }
    }
}

/// What every match holds in lower case.
#[derive(Debug)]
struct Glance {
    letters: Vec<u8>,
    texts: Texts,
    run: Option<Run>,
}

impl Glance {
    /// What a pattern shows, if it is simple enough.
    fn of(pattern: &str) -> Option<Self> {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
        if pattern.len() > MAX_PATTERN || !pattern.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
            return None;
        }
        let rest = pattern.as_bytes();
        let letters = Vec::with_capacity(rest.len());
        let mut reader = Reader { rest, letters, ..Reader::default() };
        let part = reader.alternatives()?;
        let is_small = if reader.backtracks {
            let compiled = part.large.saturating_mul(LARGE_CLASS).saturating_add(part.size * OTHER);
            compiled.saturating_mul(reader.groups + 1) <= MAX_COMPILED
        } else {
            // If a class may be negated twice, it is parsed with Unicode, where it is larger.
            reader.negates != [true; 2]
        };
        let is_whole = reader.rest.is_empty() && part.size <= MAX_SIZE && is_small;
        is_whole.then_some(Self { letters: reader.letters, texts: part.texts, run: part.run })
    }

    /// Texts of which every match holds one, if there are any.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let ranges = &self.texts.ranges[..self.texts.count];
        ranges.iter().map(|&(start, end)| &self.letters[usize::from(start)..usize::from(end)])
    }
}

/// Some stretches of the letters that have been read; none at all says nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Texts {
    ranges: [(u16, u16); MAX_TEXTS],
    count: usize,
    /// The length of the shortest.
    shortest: u16,
}

impl Texts {
    fn one(start: u16, end: u16) -> Self {
        let mut ranges = [(0, 0); MAX_TEXTS];
        ranges[0] = (start, end);
        Self { ranges, count: 1, shortest: end - start }
    }

    /// One of these or one of the others.
    fn or(mut self, other: Self) -> Self {
        let count = self.count + other.count;
        if self.count == 0 || other.count == 0 || count > MAX_TEXTS {
            return Self::default();
        }
        self.ranges[self.count..count].copy_from_slice(&other.ranges[..other.count]);
        Self { ranges: self.ranges, count, shortest: self.shortest.min(other.shortest) }
    }
}

/// What is known of a part of a pattern.
struct Part {
    /// Every match holds one of these.
    texts: Texts,
    /// Every match holds this.
    run: Option<Run>,
    /// How many pieces it has, with repetitions written out, and how many of them are large classes.
    size: usize,
    large: usize,
}

/// One piece of a sequence, before its quantifier.
enum Atom {
    /// This byte.
    Byte(u8),
    /// No text: a look (`^`, `\b`) or flags.
    Nothing,
    /// One character, whose bytes are in this set.
    Class(ByteSet),
    /// Anything at all, such as what a back-reference stands for.
    Anything,
    Group(Part),
    /// Look-around: no text, whatever is inside.
    Look(Part),
}

/// One piece of a class.
enum Member {
    Byte(u8),
    Class(ByteSet),
}

/// Reads a pattern from its start; `None` gives up.
#[derive(Default)]
struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
    /// What texts are made of.
    letters: Vec<u8>,
    /// The names of groups so far.
    names: Vec<&'a [u8]>,
    /// Is there a negated class, and one like `\W`?
    negates: [bool; 2],
    /// How many groups there are so far, how many of them capture, and which of these are closed.
    groups: usize,
    captures: usize,
    closed: Vec<usize>,
    /// Does it need the backtracking engine?
    backtracks: bool,
}

impl Reader<'_> {
    fn take(&mut self, expected: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn alternatives(&mut self) -> Option<Part> {
        let mut all = self.sequence()?;
        while self.take(b"|") {
            let other = self.sequence()?;
            all = Part {
                texts: all.texts.or(other.texts),
                run: all.run.zip(other.run).map(|(one, other)| one.or(other)),
                size: all.size.saturating_add(other.size),
                large: all.large.saturating_add(other.large),
            };
        }
        Some(all)
    }

    fn sequence(&mut self) -> Option<Part> {
        let mut part = Part { texts: Texts::default(), run: None, size: 0, large: 0 };
        let (mut start, mut end) = (self.read(), self.read());
        while let Some(&first) = self.rest.first().filter(|first| !b"|)".contains(first)) {
            if first == b'$' && self.letters[usize::from(start)..].last() == Some(&b'\r') {
                // A carriage return before the end of a line: there is something to tell its author.
                return None;
            }
            let atom = self.atom(first)?;
            let times = self.quantifier()?;
            part.grow(&atom, &times);
            match atom {
                Atom::Byte(byte) if !times.quantified => {
                    self.letters.push(byte.to_ascii_lowercase());
                    end = self.read();
                    continue;
                }
                Atom::Nothing | Atom::Look(_) if !times.quantified => {
                    self.letters.truncate(usize::from(end));
                    continue;
                }
                Atom::Nothing | Atom::Look(_) => return None,
                // A repeated carriage return may stand before the end of a line.
                Atom::Byte(b'\r') => return None,
                Atom::Byte(byte) => {
                    part.offer(Texts::one(start, end));
                    part.offer_run(Run { bytes: lower(byte, byte), count: times.least });
                }
                Atom::Class(bytes) => {
                    part.offer(Texts::one(start, end));
                    part.offer_run(Run { bytes, count: times.least });
                }
                Atom::Anything => part.offer(Texts::one(start, end)),
                Atom::Group(group) => {
                    part.offer(Texts::one(start, end));
                    if times.least > 0 {
                        part.offer(group.texts);
                        group.run.into_iter().for_each(|run| part.offer_run(run));
                    }
                }
            }
            (start, end) = (self.read(), self.read());
        }
        part.offer(Texts::one(start, end));
        Some(part)
    }

    /// How many letters have been read; never more than the pattern has.
    fn read(&self) -> u16 {
        u16::try_from(self.letters.len()).unwrap_or(u16::MAX)
    }

    fn atom(&mut self, first: u8) -> Option<Atom> {
        self.next();
        match first {
            b'\\' => self.escape(),
            b'[' => self.class(),
            b'(' => self.group(),
            b'.' => Some(Atom::Class(ByteSet::ALL)),
            b'^' | b'$' => Some(Atom::Nothing),
            b'*' | b'+' | b'?' | b'{' | b']' => None,
            byte => Some(Atom::Byte(byte)),
        }
    }

    fn escape(&mut self) -> Option<Atom> {
        match self.next()? {
            b'b' | b'B' | b'z' => Some(Atom::Nothing),
            class @ (b'd' | b'D' | b'w' | b'W' | b's' | b'S') => {
                self.negates[1] |= class.is_ascii_uppercase();
                Some(Atom::Class(named(class)))
            }
            digit @ b'1'..=b'9' if !self.rest.first().is_some_and(u8::is_ascii_digit) => {
                let is_known = self.closed.contains(&usize::from(digit - b'0')) && self.names.is_empty();
                self.backtracks = true;
                is_known.then_some(Atom::Anything)
            }
            byte => self.escaped(byte).map(Atom::Byte),
        }
    }

    /// The byte that an escape stands for; the first character after its backslash has been read.
    fn escaped(&mut self, first: u8) -> Option<u8> {
        match first {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'x' => {
                let (digits, rest) = self.rest.split_first_chunk::<2>()?;
                self.rest = rest;
                let digit = |digit: u8| char::from(digit).to_digit(16);
                let code = digit(digits[0])? * 16 + digit(digits[1])?;
                u8::try_from(code).ok().filter(u8::is_ascii)
            }
            byte if byte.is_ascii_punctuation() && !b"<>".contains(&byte) => Some(byte),
            _ => None,
        }
    }

    /// A class; the `[` has been read.
    fn class(&mut self) -> Option<Atom> {
        let negated = self.take(b"^");
        self.negates[0] |= negated;
        let mut bytes = ByteSet::default();
        let mut first = true;
        loop {
            let member = match self.next()? {
                b']' if !first => return Some(Atom::Class(if negated { ByteSet::ALL } else { bytes })),
                b'[' | b']' => return None,
                byte => self.member(byte)?,
            };
            first = false;
            let is_range = self.rest.first() == Some(&b'-') && self.rest.get(1) != Some(&b']');
            let members = match member {
                Member::Byte(start) if is_range => {
                    self.next();
                    let last = self.next().filter(|byte| !b"[]".contains(byte))?;
                    let Member::Byte(end) = self.member(last)? else { return None };
                    (start <= end).then(|| lower(start, end))?
                }
                Member::Class(_) if is_range => return None,
                Member::Byte(byte) => lower(byte, byte),
                Member::Class(class) => class,
            };
            bytes = bytes.union(members);
        }
    }

    /// A member of a class, from its first byte on, which has been read.
    fn member(&mut self, byte: u8) -> Option<Member> {
        if byte != b'\\' {
            return Some(Member::Byte(byte));
        }
        match self.next()? {
            class @ (b'd' | b'D' | b'w' | b'W' | b's' | b'S') => {
                self.negates[1] |= class.is_ascii_uppercase();
                Some(Member::Class(named(class)))
            }
            escape => self.escaped(escape).map(Member::Byte),
        }
    }

    /// A group, or flags; the `(` has been read.
    fn group(&mut self) -> Option<Atom> {
        if self.take(b"?i)") || self.take(b"?s)") {
            return Some(Atom::Nothing);
        }
        let is_look = [&b"?="[..], b"?!", b"?<=", b"?<!"].iter().any(|start| self.take(start));
        let is_atomic = self.take(b"?>");
        self.backtracks |= is_look || is_atomic;
        let is_named = self.take(b"?P<");
        if is_named {
            self.name()?;
        }
        let is_plain = is_named || is_look || is_atomic || self.rest.first() != Some(&b'?');
        if !is_plain {
            let known = [&b"?:"[..], b"?i:", b"?-i:", b"?s:", b"?-s:"];
            known.iter().find(|start| self.take(start))?;
        }
        let captures = is_plain && !is_look && !is_atomic;
        self.captures += usize::from(captures);
        let number = self.captures;
        self.groups += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let part = self.alternatives()?;
        self.depth -= 1;
        self.closed.extend(captures.then_some(number));
        self.take(b")").then_some(if is_look { Atom::Look(part) } else { Atom::Group(part) })
    }

    /// The name of a group and the `>` after it.
    fn name(&mut self) -> Option<()> {
        let (name, rest) = self.rest.split_at(self.rest.iter().position(|&byte| byte == b'>')?);
        let is_new = !name.first()?.is_ascii_digit() && !self.names.contains(&name);
        self.names.push(name);
        self.rest = &rest[1..];
        (is_new && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')).then_some(())
    }

    /// How often the atom before is repeated.
    fn quantifier(&mut self) -> Option<Times> {
        let (least, most) = match self.rest.first() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                let end = self.rest.iter().position(|&byte| byte == b'}')?;
                let bounds = std::str::from_utf8(&self.rest[1..end]).ok()?;
                self.rest = &self.rest[end..];
                match bounds.split_once(',') {
                    None => (number(bounds)?, Some(number(bounds)?)),
                    Some((least, "")) => (number(least)?, None),
                    Some((least, most)) => (number(least)?, Some(number(most)?)),
                }
            }
            _ => return Some(Times { least: 1, most: Some(1), quantified: false }),
        };
        self.next();
        if !self.take(b"?") {
            self.backtracks |= self.take(b"+");
        }
        let again = self.rest.first().is_some_and(|next| b"*+?{".contains(next));
        let in_order = most.is_none_or(|most| least <= most);
        (in_order && !again).then_some(Times { least, most, quantified: true })
    }
}

/// How often an atom is repeated.
struct Times {
    least: usize,
    most: Option<usize>,
    quantified: bool,
}

impl Times {
    /// How often the atom is there with its repetitions written out.
    fn written_out(&self) -> usize {
        self.most.unwrap_or(self.least).max(1)
    }
}

fn number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

impl Part {
    /// Counts a piece.
    fn grow(&mut self, atom: &Atom, times: &Times) {
        let (size, large) = match atom {
            Atom::Group(part) | Atom::Look(part) => (part.size, part.large),
            Atom::Class(bytes) => (1, usize::from(bytes.has_high())),
            Atom::Byte(_) | Atom::Nothing | Atom::Anything => (1, 0),
        };
        self.size = self.size.saturating_add(size.saturating_mul(times.written_out()));
        self.large = self.large.saturating_add(large.saturating_mul(times.written_out()));
    }

    /// Every match holds one of these, too: the longer ones are kept.
    fn offer(&mut self, texts: Texts) {
        if texts.shortest > self.texts.shortest {
            self.texts = texts;
        }
    }

    /// Every match holds this run, too: the rarer one is kept.
    fn offer_run(&mut self, run: Run) {
        let rarity = |run: &Run| run.count.saturating_mul((256 / run.bytes.len().max(1)).ilog2() as usize);
        let is_rarer = self.run.is_none_or(|known| rarity(&run) > rarity(&known));
        if run.count >= MIN_RUN && run.bytes != ByteSet::ALL && is_rarer {
            self.run = Some(run);
        }
    }
}

/// The bytes from `first` to `last`, in lower case.
fn lower(first: u8, last: u8) -> ByteSet {
    ByteSet::range(first, last).to_ascii_lowercase()
}

/// The bytes in lower case of the characters of a class like `\d`, in Unicode.
fn named(class: u8) -> ByteSet {
    let ascii = match class {
        b'd' => ByteSet::range(b'0', b'9'),
        b'w' => lower(b'0', b'9').union(lower(b'a', b'z')).union(lower(b'_', b'_')),
        b's' => lower(b'\t', b'\r').union(lower(0x1C, b' ')),
        _ => ByteSet::ALL,
    };
    ascii.union(ByteSet::HIGH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matcher::limits::{Budget, Effort};
    use crate::matcher::pattern::linear::Charset;
    use crate::matcher::pattern::{Pattern, Unfinished, Within};
    use crate::matcher::prefilter::quick_reject::QuickReject;
    use std::ops::{ControlFlow, Range};
    use std::time::Duration;

    fn texts(pattern: &str) -> Option<Vec<String>> {
        let text = |text: &[u8]| String::from_utf8(text.to_vec()).expect("text");
        Some(Glance::of(pattern)?.texts().map(text).collect())
    }

    fn one(pattern: &str) -> String {
        texts(pattern).unwrap_or_default().join("|")
    }

    #[test]
    fn the_longest_text_is_taken() {
        assert_eq!(one("foobar"), "foobar");
        assert_eq!(one(r"\bprint\("), "print(");
        assert_eq!(
            one(r#"(?i)[\w.-]{0,50}?(?:Adafruit)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=)"#),
            "adafruit"
        );
        assert_eq!(one(r"ab+cde?fgh"), "fgh");
        assert_eq!(one(r"(TODO|FIXME):"), "todo|fixme");
        assert_eq!(one(r"foo|barbaz"), "foo|barbaz");
        assert_eq!(one(r"(?:a(?:bcd|efgh){2})+x"), "bcd|efgh");
        assert_eq!(one(r"\x41KI\x41\.[0-9A-Z]{16}\b"), "akia.");
        assert_eq!(one(r"^import\s+os$"), "import");
        assert_eq!(one(r"(?P<n_1>foo)\z"), "foo");
        assert_eq!(one(r"\{\{foo}}"), "{{foo}}");
    }

    #[test]
    fn the_rarest_run_is_taken() {
        let run = |pattern| Glance::of(pattern).and_then(|glance| glance.run);
        let of = |bytes: &[u8], count| {
            let mut set = ByteSet::default();
            bytes.iter().for_each(|byte| set.insert(*byte));
            Some(Run { bytes: set, count })
        };
        let hex = b"0123456789abcdef";
        assert_eq!(run("SK[0-9a-fA-F]{32}"), of(hex, 32));
        assert_eq!(run("(?i)(?:[A-F0-9]{20,}|x[0-9]{16})+"), of(hex, 16));
        assert_eq!(run(r"[\w-]{90}[0-9]{40}"), of(b"0123456789", 40));
        assert_eq!(run("X{16}"), of(b"x", 16));
        let word = ByteSet::HIGH.union(of(b"_0123456789abcdefghijklmnopqrstuvwxyz", 0).expect("a run").bytes);
        assert_eq!(run(r"\w{20}"), Some(Run { bytes: word, count: 20 }));
        for none in
            ["[0-9]{15}", "(?:[0-9]{20})?", "[0-9]{20}|x", ".{20}", "[^a]{20}", r"\S{20}", "[0-9]{0,20}"]
        {
            assert_eq!(run(none), None, "{none}");
        }
    }

    #[test]
    fn what_may_be_missing_is_not_needed() {
        for pattern in
            ["(?:foo)?", "(foo)*", "foo|b?", "(foo|)", "(?:foo){0,3}", "o+", "[foo]", r"\w+", ".o?"]
        {
            assert_eq!(texts(pattern), Some(vec![]), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_known_is_given_up_on() {
        for pattern in [
            "(foo",
            "foo)",
            "foo**",
            "foo{2",
            "foo{2,1}",
            "foo{,2}",
            "[foo",
            "[b-a]foo",
            r"[\w-a]foo",
            "*foo",
            r"foo\",
            r"foo\q",
            r"foo\1",
            r"foo\Z",
            r"foo\r$",
            r"foo\r+",
            r"foo(x)\2",
            r"(foo\1)",
            r"(?P<n>foo)\1",
            "(?(1)foo|bar)",
            r"\10foo",
            "(?=foo)*bar",
            r"foo(?=\w{500})",
            "(?x)foo bar",
            "(?P<n>foo)(?P<n>x)",
            "(?P<1>foo)",
            "föö",
            "foo+++",
            "[[:alpha:]]foo",
            r"[^\S]foo",
            r"[^a]\Wfoo",
            "foo{2000,}[a]{2000}",
            "(?:foo{40}){60}",
            "[a-z]{2001}foo",
            "^*foo",
            "foo\tbar",
        ] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn look_around_holds_no_text() {
        for (pattern, text) in [
            (r"^\s*assert\b(?!.*,)", "assert"),
            (r"(?<!x)foo(?=bar)baz", "foobaz"),
            (r"(['a])password\1", "password"),
            (r"(?>foo)++bar", "foo"),
            ("(?=foo)", ""),
        ] {
            assert_eq!(one(pattern), text, "{pattern}");
        }
    }

    fn fragments(of: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(of), 0..most).prop_map(|parts| parts.concat())
    }

    const PATTERN: &[&str] = &[
        "abc",
        "Key",
        "s",
        "k",
        "x",
        "abc",
        "(",
        ")",
        "(?:",
        "(?i)",
        "(?i:",
        "(?-i:",
        "(?s:",
        "|",
        "*",
        "+",
        "?",
        "{2}",
        "{1,}",
        "{0,2}",
        "{2,1}",
        "{",
        "}",
        "[",
        "]",
        "[a-c]",
        "[^a]",
        "[-a]",
        "[a-]",
        "[]",
        "[^]]",
        "[\\w-]",
        "[a&&b]",
        "[a--b]",
        "^",
        "$",
        ".",
        "\\b",
        "\\w",
        "\\S",
        "\\x41",
        "\\xe9",
        "\\.",
        "\\-",
        "\\/",
        "\\_",
        "\\<",
        "\\n",
        "\\ ",
        "-",
        "#",
        " ",
        "&",
        "~",
        "<",
        "'",
        "!",
        "{1000}",
        "(?P<a>",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "(?>",
        "++",
        "(x)",
        "\\r",
        "\\1",
        "\\2",
        "\\Z",
        "}}",
        "(?P<_b1>",
        "[0-9A-F]{16}",
        "\\w{20}",
        "\\d{16,}",
        "\\s{16}",
        "X{16}",
        "[\\w.]{17}",
    ];

    const TEXT: &[&str] = &[
        "abc",
        "ABC",
        "key",
        "KEY",
        "s",
        "k",
        "x",
        "a",
        "b",
        "c",
        "A",
        " ",
        "\n",
        ".",
        "-",
        "/",
        "é",
        "_",
        "&",
        "~",
        "0123456789aBcDeF",
        "xxxxxxxxxxxxxxxX",
        "ééééééééé",
        "                ",
        "٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥",
        "}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_pattern_that_is_ruled_out_is_valid_and_does_not_match(
            source in fragments(PATTERN, 9),
            content in fragments(TEXT, 12),
        ) {
            let quick = QuickReject::new(content.as_bytes()).expect("small and usual");
            let pattern = contract::Pattern { source, dialect: Dialect::Regex, line: 1, needs: None };
            if let Some(needs) = needs(&pattern) {
                let (parsed, notes) = Pattern::new(&pattern).map_err(|error| {
                    TestCaseError::fail(format!("{:?}: {error}", pattern.source))
                })?;
                prop_assert_eq!(notes, Vec::<&str>::new());
                let possible = quick.may_match(&needs);
                prop_assert!(possible || !matches(&parsed, &content), "{:?} in {:?}", pattern.source, content);
            }
        }
    }

    fn matches(pattern: &Pattern, content: &str) -> bool {
        let all = [Range { start: 0, end: content.len() }];
        let within = Within { text: content.as_bytes(), charset: Charset::Any, windows: &all };
        let mut matches = false;
        let (deadline, budget) = (crate::deadline::Deadline::NEVER, Budget::new(0));
        let effort = Effort { timeout: Duration::from_secs(60), deadline, budget: &budget };
        let finished = pattern.search(&within, &effort, |_| {
            matches = true;
            ControlFlow::Break(())
        });
        assert!(matches!(finished, Ok(()) | Err(Unfinished::TooLarge)));
        matches
    }
}
