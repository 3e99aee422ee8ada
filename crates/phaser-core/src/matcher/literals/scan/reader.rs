//! The reader: a recursive descent over the source of a pattern that feeds the
//! [`rules`].

use super::slices::{CompiledSize, LiteralSlice};
use crate::matcher::literals::ByteRun;
use crate::matcher::literals::byte_set::ByteSet;
use crate::matcher::literals::rules::{self, RepeatCount, Sequence};

/// Cap on nested groups. Below the limits of the engines.
const MAX_DEPTH: usize = 16;

pub(super) type ScannedPart = rules::PatternPart<LiteralSlice>;

const PIECE: CompiledSize = CompiledSize { pieces: 1, large: 0 };

/// One piece of a sequence, before its quantifier.
enum Atom {
    Byte(u8),
    /// Matches the empty string: an assertion, flags, or look-around.
    Look(CompiledSize),
    Part(ScannedPart),
}

/// One member of a class.
enum Member {
    Byte(u8),
    Class(ByteSet),
}

/// Reads a pattern from its start. Every method returns `None` at a construct that it does not know.
#[derive(Default)]
pub(super) struct PatternReader<'a> {
    pub(super) rest: &'a [u8],
    depth: usize,
    /// The literal bytes read so far, in lower case. A [`LiteralSlice`] points into them.
    pub(super) letters: Vec<u8>,
    /// The names of the groups so far.
    names: Vec<&'a [u8]>,
    /// Whether there is a negated class, and whether there is one of `\W`, `\D`, `\S`.
    pub(super) negates: [bool; 2],
    /// The number of groups so far, the number that capture, and a bit for each of the first nine that is closed.
    pub(super) groups: usize,
    captures: usize,
    closed: u16,
    /// Whether the pattern needs the backtracking engine.
    pub(super) backtracks: bool,
}

impl<'a> PatternReader<'a> {
    pub(super) fn new(pattern: &'a [u8]) -> Self {
        Self { rest: pattern, letters: Vec::with_capacity(pattern.len()), ..Self::default() }
    }
}

impl PatternReader<'_> {
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

    /// Reads the whole pattern, or a group up to its `)`.
    pub(super) fn alternatives(&mut self) -> Option<ScannedPart> {
        let first = self.sequence()?;
        if self.rest.first() != Some(&b'|') {
            return Some(first);
        }
        let mut all = vec![first];
        while self.take(b"|") {
            all.push(self.sequence()?);
        }
        Some(rules::alternation(all))
    }

    fn sequence(&mut self) -> Option<ScannedPart> {
        let mut sequence = Sequence::new();
        let mut start = self.read();
        loop {
            self.letters_alone();
            let Some(&first) = self.rest.first().filter(|first| !b"|)".contains(first)) else { break };
            if first == b'$' && self.letters.last() == Some(&b'\r') {
                // `\r$` matches nothing and gets a warning, even with a group boundary in between.
                return None;
            }
            let end = self.read();
            let atom = self.atom(first)?;
            let part = match (atom, self.quantifier()?) {
                (Atom::Byte(byte), None) => {
                    self.letters.push(byte.to_ascii_lowercase());
                    continue;
                }
                (Atom::Look(size), None) => {
                    self.letters.truncate(usize::from(end));
                    sequence.push(ScannedPart::look(size));
                    continue;
                }
                (Atom::Look(_), Some(_)) => return None,
                // A repeated empty group is valid for one engine only.
                (Atom::Part(part), Some(_)) if part.texts().is_some_and(|text| text.len() == 0) => {
                    return None;
                }
                // A repeated `\r` may stand before `$`.
                (Atom::Byte(b'\r'), Some(_)) => return None,
                (Atom::Part(part), None) => part,
                (Atom::Part(part), Some(times)) => rules::repeated(part, times),
                (Atom::Byte(byte), Some(times)) => {
                    self.letters.push(byte.to_ascii_lowercase());
                    let part = ScannedPart::exact(LiteralSlice::new(end, self.read()), PIECE);
                    rules::repeated(
                        part.of_one_character(ByteRun { bytes: lower(byte, byte), count: 1 }),
                        times,
                    )
                }
            };
            if start < end {
                sequence.push(literal(start, end));
            }
            sequence.push(part);
            start = self.read();
        }
        sequence.push(literal(start, self.read()));
        Some(sequence.finish())
    }

    /// Reads bytes that stand for themselves and are not repeated: most of a pattern.
    fn letters_alone(&mut self) {
        while let [first, rest @ ..] = self.rest
            && !is_special(*first)
            && !rest.first().is_some_and(|next| matches!(next, b'*' | b'+' | b'?' | b'{'))
        {
            self.letters.push(first.to_ascii_lowercase());
            self.rest = rest;
        }
    }

    /// The number of literal bytes read. At most the length of the pattern, which fits.
    fn read(&self) -> u16 {
        u16::try_from(self.letters.len()).unwrap_or(u16::MAX)
    }

    fn atom(&mut self, first: u8) -> Option<Atom> {
        self.next();
        match first {
            b'\\' => self.escape(),
            b'[' => self.class(),
            b'(' => self.group(),
            b'.' => Some(Atom::Part(class(ByteSet::ALL))),
            b'^' | b'$' => Some(Atom::Look(PIECE)),
            b'*' | b'+' | b'?' | b'{' | b']' => None,
            byte => Some(Atom::Byte(byte)),
        }
    }

    fn escape(&mut self) -> Option<Atom> {
        match self.next()? {
            b'b' | b'B' | b'z' => Some(Atom::Look(PIECE)),
            name @ (b'd' | b'D' | b'w' | b'W' | b's' | b'S') => {
                self.negates[1] |= name.is_ascii_uppercase();
                Some(Atom::Part(class(named(name))))
            }
            digit @ b'1'..=b'9' if !self.rest.first().is_some_and(u8::is_ascii_digit) => {
                let is_known = self.closed >> (digit - b'0') & 1 == 1 && self.names.is_empty();
                self.backtracks = true;
                // A back-reference may be any text.
                is_known.then(|| Atom::Part(ScannedPart::opaque(PIECE)))
            }
            byte => self.escaped(byte).map(Atom::Byte),
        }
    }

    /// The byte that an escape stands for. The backslash and `first` have been read.
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
            b' ' => Some(b' '),
            byte if byte.is_ascii_punctuation() && !b"<>".contains(&byte) => Some(byte),
            _ => None,
        }
    }

    /// Reads a class after its `[`.
    fn class(&mut self) -> Option<Atom> {
        let negated = self.take(b"^");
        self.negates[0] |= negated;
        let mut bytes = ByteSet::EMPTY;
        let mut first = true;
        loop {
            let member = match self.next()? {
                b']' if !first => return Some(Atom::Part(class(if negated { ByteSet::ALL } else { bytes }))),
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

    /// Reads a member of a class after its first byte.
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

    /// Reads a group, or flags, after the `(`.
    fn group(&mut self) -> Option<Atom> {
        if self.take_flags() {
            return Some(Atom::Look(PIECE));
        }
        let is_look = [&b"?="[..], b"?!", b"?<=", b"?<!"].iter().any(|start| self.take(start));
        let is_atomic = self.take(b"?>");
        self.backtracks |= is_look || is_atomic;
        let is_named = self.take(b"?P<") || self.take(b"?<");
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
        if captures && number <= 9 {
            self.closed |= 1 << number;
        }
        self.take(b")").then_some(if is_look { Atom::Look(part.measure) } else { Atom::Part(part) })
    }

    /// Skips `(?flags)`. They change nothing here: literals are in lower case, `^` and `$` hold at every line, and
    /// a dot may be any byte.
    fn take_flags(&mut self) -> bool {
        let flags = self.rest.strip_prefix(b"?").and_then(|rest| {
            let end = rest.iter().position(|byte| *byte == b')')?;
            Some((&rest[..end], &rest[end + 1..]))
        });
        let is_new =
            |(at, flag): (usize, &u8), flags: &[u8]| b"ims".contains(flag) && !flags[..at].contains(flag);
        match flags {
            Some((flags, rest))
                if !flags.is_empty() && flags.iter().enumerate().all(|one| is_new(one, flags)) =>
            {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Reads the name of a group and the `>` after it.
    fn name(&mut self) -> Option<()> {
        let (name, rest) = self.rest.split_at(self.rest.iter().position(|&byte| byte == b'>')?);
        let is_new = !name.first()?.is_ascii_digit() && !self.names.contains(&name);
        self.names.push(name);
        self.rest = &rest[1..];
        (is_new && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')).then_some(())
    }

    /// Reads a quantifier: `Some(None)` if there is none, `None` to give up.
    #[expect(clippy::option_option, reason = "giving up passes through every step")]
    fn quantifier(&mut self) -> Option<Option<RepeatCount>> {
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
            _ => return Some(None),
        };
        self.next();
        if !self.take(b"?") {
            self.backtracks |= self.take(b"+");
        }
        let again = self.rest.first().is_some_and(|next| b"*+?{".contains(next));
        let in_order = most.is_none_or(|most| least <= most);
        (in_order && !again).then_some(Some(RepeatCount { least, most }))
    }
}

fn number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Whether a byte may stand for something other than itself.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'[' | b']' | b'(' | b')' | b'{' | b'.' | b'^' | b'$' | b'*' | b'+' | b'?' | b'|')
}

fn literal(start: u16, end: u16) -> ScannedPart {
    ScannedPart::exact(
        LiteralSlice::new(start, end),
        CompiledSize { pieces: usize::from(end - start), large: 0 },
    )
}

/// A character of a class that consists of these bytes.
fn class(bytes: ByteSet) -> ScannedPart {
    let part = ScannedPart::opaque(CompiledSize { pieces: 1, large: usize::from(bytes.has_high()) });
    if bytes == ByteSet::ALL { part } else { part.of_one_character(ByteRun { bytes, count: 1 }) }
}

/// The bytes from `first` to `last`, in lower case.
fn lower(first: u8, last: u8) -> ByteSet {
    ByteSet::range(first, last).to_ascii_lowercase()
}

/// The bytes of the characters of `\d`, `\w` or `\s` in Unicode, in lower case; all bytes for their negations.
fn named(class: u8) -> ByteSet {
    let ascii = match class {
        b'd' => ByteSet::range(b'0', b'9'),
        b'w' => lower(b'0', b'9').union(lower(b'a', b'z')).union(lower(b'_', b'_')),
        b's' => lower(b'\t', b'\r').union(lower(0x1C, b' ')),
        _ => ByteSet::ALL,
    };
    ascii.union(ByteSet::HIGH)
}
