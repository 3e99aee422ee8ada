//! The type of a language table: name, file names, rules.

use super::rule::{Fence, LetterCase, Markup, Rule, RuleKind};
use super::stop_bytes::StopBytes;

/// A language with a table of lexical rules.
#[derive(Debug)]
pub struct Language {
    name: &'static str,
    pub(super) files: Files,
    pub(super) root: LanguageRoot,
    pub(super) rules: &'static [Rule],
    pub(super) operands: Operands,
    /// Word bytes beside letters, digits, `_` and non-ASCII bytes.
    pub(super) word_bytes: StopBytes,
    /// The first bytes of all openers.
    pub(super) stops: StopBytes,
}

/// File names of a language, in lower case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    pub extensions: &'static [&'static str],
    /// Whole names, or the part before the first dot.
    pub names: &'static [&'static str],
    /// Interpreters in a shebang line.
    pub interpreters: &'static [&'static str],
}

/// The first frame of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum LanguageRoot {
    Code,
    Markup(&'static Markup),
}

/// How to distinguish operands from operators, for literals that start with an operator's byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    /// Words that an operand follows. Any other word is an operand.
    pub keywords: &'static [&'static str],
    /// Words whose parentheses a statement follows: `if (a) /b/`.
    pub conditions: &'static [&'static str],
    /// Brackets that end an operand.
    pub closers: &'static str,
    pub line_break: LineBreak,
}

/// The meaning of a line break between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreak {
    /// White space.
    Blank,
    /// The end of a statement.
    Ends,
}

impl Language {
    /// The name for users.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn new(name: &'static str, rules: &'static [Rule]) -> Self {
        Self {
            name,
            files: Files { extensions: &[], names: &[], interpreters: &[] },
            root: LanguageRoot::Code,
            rules,
            operands: Operands {
                keywords: &[],
                conditions: &[],
                closers: ")]}",
                line_break: LineBreak::Blank,
            },
            word_bytes: StopBytes::EMPTY,
            stops: first_bytes(rules),
        }
    }

    /// A language of tags.
    pub(super) const fn markup(name: &'static str, markup: &'static Markup) -> Self {
        let mut language = Self::new(name, &[]);
        language.root = LanguageRoot::Markup(markup);
        language
    }

    /// Sets the extensions, in lower case without a dot.
    pub(super) const fn extensions(mut self, extensions: &'static [&'static str]) -> Self {
        self.files.extensions = extensions;
        self
    }

    /// Sets the file names, in lower case.
    pub(super) const fn names(mut self, names: &'static [&'static str]) -> Self {
        self.files.names = names;
        self
    }

    /// Sets the interpreters.
    pub(super) const fn interpreters(mut self, interpreters: &'static [&'static str]) -> Self {
        self.files.interpreters = interpreters;
        self
    }

    /// Sets the operand rules.
    pub(super) const fn operands(mut self, operands: Operands) -> Self {
        self.operands = operands;
        if !operands.conditions.is_empty() {
            self.stops = self.stops.with_all("()");
        }
        self
    }

    /// Adds bytes that are part of words.
    pub(super) const fn word_bytes(mut self, bytes: &'static str) -> Self {
        self.word_bytes = StopBytes::of(bytes);
        self
    }

    /// Whether `byte` is part of a word.
    pub(super) fn is_word(&self, byte: u8) -> bool {
        is_word(byte) || self.word_bytes.contains(byte)
    }
}

/// Whether `byte` is part of a word in most languages.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

const fn first_bytes(rules: &[Rule]) -> StopBytes {
    let mut set = StopBytes::EMPTY;
    let mut index = 0;
    while index < rules.len() {
        set = with_first_bytes(set, &rules[index]);
        index += 1;
    }
    set
}

const fn with_first_bytes(mut set: StopBytes, rule: &Rule) -> StopBytes {
    if let RuleKind::Number = rule.kind {
        return set.with_all("0123456789");
    }
    if let [first, ..] = rule.open.head.as_bytes() {
        set = set.with(*first);
        if let LetterCase::Any = rule.open.case {
            set = set.with(first.to_ascii_uppercase()).with(first.to_ascii_lowercase());
        }
        return set;
    }
    match rule.open.fence {
        Fence::Run { byte, min: 0 } => set.with(byte).with_first(rule.open.tail),
        Fence::Run { byte, .. } => set.with(byte),
        Fence::None | Fence::Word | Fence::Delimiter => panic!("a rule needs a first byte"),
    }
}
