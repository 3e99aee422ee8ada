//! A language: its name, its files, its rules. Only data; how it is found stands in `names`.

use super::byte_set::ByteSet;
use super::rule::{Case, Fence, Markup, Rule, What};

/// A language whose zones are known.
#[derive(Debug)]
pub struct Language {
    name: &'static str,
    pub(super) files: Files,
    pub(super) root: Root,
    pub(super) rules: &'static [Rule],
    pub(super) operands: Operands,
    /// Bytes of words besides letters, digits, `_` and all that is not ASCII.
    pub(super) word_bytes: ByteSet,
    /// Bytes at which a rule may open.
    pub(super) stops: ByteSet,
}

/// By what files of a language are known. All in lower case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    pub extensions: &'static [&'static str],
    /// Whole names, and names before the first dot.
    pub names: &'static [&'static str],
    /// The interpreters of a shebang line.
    pub interpreters: &'static [&'static str],
}

/// What a text of the language starts as.
#[derive(Debug, Clone, Copy)]
pub(super) enum Root {
    Code,
    Markup(&'static Markup),
}

/// How to tell an operand from an operator, for literals that start with the byte of an operator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    /// Words before an operand; any other word is one itself.
    pub keywords: &'static [&'static str],
    /// Words whose parentheses stand before a statement: `if (a) /b/`.
    pub conditions: &'static [&'static str],
    /// Brackets that end an operand.
    pub closers: &'static str,
    pub line_break: LineBreak,
}

/// What a line break between two words means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreak {
    /// White space.
    Blank,
    /// The end of a statement.
    Ends,
}

impl Language {
    /// The name, as people write it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn new(name: &'static str, rules: &'static [Rule]) -> Self {
        Self {
            name,
            files: Files { extensions: &[], names: &[], interpreters: &[] },
            root: Root::Code,
            rules,
            operands: Operands {
                keywords: &[],
                conditions: &[],
                closers: ")]}",
                line_break: LineBreak::Blank,
            },
            word_bytes: ByteSet::EMPTY,
            stops: first_bytes(rules),
        }
    }

    /// A language of tags.
    pub(super) const fn markup(name: &'static str, markup: &'static Markup) -> Self {
        let mut language = Self::new(name, &[]);
        language.root = Root::Markup(markup);
        language
    }

    /// Known by these extensions.
    pub(super) const fn extensions(mut self, extensions: &'static [&'static str]) -> Self {
        self.files.extensions = extensions;
        self
    }

    /// Known by these names.
    pub(super) const fn names(mut self, names: &'static [&'static str]) -> Self {
        self.files.names = names;
        self
    }

    /// Known by these interpreters.
    pub(super) const fn interpreters(mut self, interpreters: &'static [&'static str]) -> Self {
        self.files.interpreters = interpreters;
        self
    }

    /// With operands like these.
    pub(super) const fn operands(mut self, operands: Operands) -> Self {
        self.operands = operands;
        if !operands.conditions.is_empty() {
            self.stops = self.stops.with_all("()");
        }
        self
    }

    /// With these bytes in words, too.
    pub(super) const fn word_bytes(mut self, bytes: &'static str) -> Self {
        self.word_bytes = ByteSet::of(bytes);
        self
    }

    /// Is `byte` part of a word?
    pub(super) fn is_word(&self, byte: u8) -> bool {
        is_word(byte) || self.word_bytes.contains(byte)
    }
}

/// Is `byte` part of a word in most languages?
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

const fn first_bytes(rules: &[Rule]) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    let mut index = 0;
    while index < rules.len() {
        set = with_first_bytes(set, &rules[index]);
        index += 1;
    }
    set
}

const fn with_first_bytes(mut set: ByteSet, rule: &Rule) -> ByteSet {
    if let What::Number = rule.what {
        return set.with_all("0123456789");
    }
    if let [first, ..] = rule.open.head.as_bytes() {
        set = set.with(*first);
        if let Case::Any = rule.open.case {
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
