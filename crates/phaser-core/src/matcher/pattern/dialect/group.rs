//! Groups and flags.

use super::{Backtracks, DialectError, Flags, GroupClose, OpenGroup, TranslationPurpose, Translator};

/// The openings of groups that need the backtracking engine.
const CONSTRUCTS: [(&str, Backtracks); 5] = [
    ("?=", Backtracks::LookAround),
    ("?!", Backtracks::LookAround),
    ("?<=", Backtracks::LookAround),
    ("?<!", Backtracks::LookAround),
    ("?>", Backtracks::Atomic),
];

impl Translator<'_> {
    /// Translates a group after its `(`.
    pub(super) fn group(&mut self) -> Result<(), DialectError> {
        if !self.starts_with("?") {
            self.open_capture("(", None);
            return Ok(());
        }
        if self.starts_with("?#") {
            return self.rest.find(|&c| c == ')').map(|_| ()).ok_or(DialectError::UnclosedComment);
        }
        if self.starts_with("?P=") {
            self.skip(3);
            let name: String = self.rest.by_ref().take_while(|&c| c != ')').collect();
            self.needs(Backtracks::BackReference);
            self.push(&if self.is_plain() { "(?:(?s:.)*)".to_owned() } else { format!("\\k<{name}>") });
            return Ok(());
        }
        if self.starts_with("?(") {
            self.conditional();
            return Ok(());
        }
        match CONSTRUCTS.into_iter().find(|(opening, _)| self.starts_with(opening)) {
            Some((opening, construct)) => {
                self.skip(opening.len());
                self.needs(construct);
                match (self.purpose, construct) {
                    (TranslationPurpose::Superset, Backtracks::LookAround) => {
                        let close = GroupClose::TakeBack(self.out.regex.len());
                        self.outer.push(OpenGroup { flags: self.flags, close });
                        self.out.facts.groups += 1;
                    }
                    (TranslationPurpose::Superset | TranslationPurpose::Plain, _) => self.open("(?:", ")"),
                    (TranslationPurpose::Search | TranslationPurpose::Backtracking, _) => {
                        self.open("(", ")");
                        self.push(opening);
                    }
                }
                Ok(())
            }
            None => self.flags(),
        }
    }

    /// `(?(1)…|…)` and `(?(name)…|…)`, after the first `(`.
    fn conditional(&mut self) {
        self.skip(2);
        self.needs(Backtracks::Conditional);
        let condition: String = self.rest.by_ref().take_while(|&c| c != ')').collect();
        let is_number = condition.chars().all(|c| c.is_ascii_digit());
        match (self.is_plain(), is_number) {
            (true, _) => self.open("(?:", ")?"),
            (false, true) => self.open(&format!("(?({condition})"), ")"),
            (false, false) => self.open(&format!("(?(<{condition}>)"), ")"),
        }
    }

    fn open(&mut self, group: &str, close: &'static str) {
        self.outer.push(OpenGroup { flags: self.flags, close: GroupClose::With(close) });
        self.out.facts.groups += 1;
        self.push(group);
    }

    /// Opens a capturing group. In the backtracking engine flags set inside leak out of it, but not out of a
    /// non-capturing one.
    fn open_capture(&mut self, group: &str, name: Option<String>) {
        self.out.captures.push(name);
        if self.purpose == TranslationPurpose::Backtracking {
            self.open(&format!("{group}(?:"), "))");
        } else {
            self.open(group, ")");
        }
    }

    pub(super) fn close(&mut self) {
        let Some(OpenGroup { flags, close }) = self.outer.pop() else { return self.push(")") };
        self.flags = flags;
        match close {
            GroupClose::With(text) => self.push(text),
            GroupClose::TakeBack(length) => {
                self.out.regex.truncate(length);
                self.push("(?:)");
            }
        }
    }

    /// `(?flags)`, `(?flags:…)`, or another `(?` group.
    fn flags(&mut self) -> Result<(), DialectError> {
        let flags: String =
            self.rest.clone().skip(1).take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
        let end = self.rest.clone().nth(flags.len() + 1);
        let ends_group = match end {
            Some(':') => false,
            Some(')') => true,
            _ => {
                self.named_group();
                return Ok(());
            }
        };
        self.skip(flags.len() + 1);
        let (on, off) = flags.split_once('-').unwrap_or((&flags, ""));
        if on.contains('L') {
            return Err(DialectError::LocaleFlag);
        }
        let flag = |letter: char, now: bool| on.contains(letter) || now && !off.contains(letter);
        let new = Flags {
            verbose: flag('x', self.flags.verbose),
            ascii: on.contains('a') || self.flags.ascii && !on.contains('u'),
            multi_line: flag('m', self.flags.multi_line),
        };
        self.out.facts.names_beyond_ascii |= on.contains('u');
        let on: String = on.chars().filter(|c| !matches!(c, 'a')).collect();
        let dash = if off.is_empty() { "" } else { "-" };
        let spelled = format!("(?{on}{dash}{off}");
        if !ends_group {
            self.open(&spelled, ")");
        } else {
            self.rest.next();
            if spelled != "(?" {
                self.push(&spelled);
                self.push(")");
            }
        }
        self.flags = new;
        Ok(())
    }

    /// `(?P<name>…)`, `(?<name>…)`, or a group that the engine rejects.
    fn named_group(&mut self) {
        let prefix = ["?P<", "?<"].into_iter().find(|prefix| self.starts_with(prefix));
        let Some(prefix) = prefix else { return self.open("(", ")") };
        self.skip(prefix.len());
        let name: String = self.rest.clone().take_while(|&c| c != '>').collect();
        self.skip(name.chars().count());
        if self.rest.next().is_none() {
            return self.open(&format!("({prefix}{name}"), ")");
        }
        self.open_capture(&format!("({prefix}{name}>"), Some(name));
    }
}
