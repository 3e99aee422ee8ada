//! Reads a pattern from left to right, and keeps of it what every match holds.

use super::texts::Texts;
use crate::matcher::required::Run;
use crate::matcher::required::byte_set::ByteSet;

/// The shortest run worth knowing.
const MIN_RUN: usize = 16;
/// The deepest groups; patterns may be deeper than that.
const MAX_DEPTH: usize = 16;

/// What is known of a part of a pattern.
pub(super) struct Part {
    /// Every match holds one of these.
    pub(super) texts: Texts,
    /// Every match holds this.
    pub(super) run: Option<Run>,
    /// How many pieces it has, with repetitions written out, and how many of them are large classes.
    pub(super) size: usize,
    pub(super) large: usize,
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
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
    depth: usize,
    /// What texts are made of.
    pub(super) letters: Vec<u8>,
    /// The names of groups so far.
    names: Vec<&'a [u8]>,
    /// Is there a negated class, and one like `\W`?
    pub(super) negates: [bool; 2],
    /// How many groups there are so far, how many of them capture, and a bit for each of the first nine that is closed.
    pub(super) groups: usize,
    captures: usize,
    closed: u16,
    /// Does it need the backtracking engine?
    pub(super) backtracks: bool,
}

impl<'a> Reader<'a> {
    /// From the start of a pattern on.
    pub(super) fn new(pattern: &'a [u8]) -> Self {
        Self { rest: pattern, letters: Vec::with_capacity(pattern.len()), ..Self::default() }
    }
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

    /// All of it, or all of a group.
    pub(super) fn alternatives(&mut self) -> Option<Part> {
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
                let is_known = self.closed >> (digit - b'0') & 1 == 1 && self.names.is_empty();
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
        if captures && number <= 9 {
            self.closed |= 1 << number;
        }
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
