//! The type of a language table: name, file names, rules.

use super::byte_set::ByteSet;
use super::lines::LineEnds;
use super::rule::{Fence, Markup, Rule, RuleKind};
use super::template::Template;

/// A language with a table of lexical rules.
#[derive(Debug)]
pub struct Language {
    name: &'static str,
    pub(super) files: Files,
    pub(super) root: LanguageRoot,
    /// The rules, in two lists that are tried in this order.
    pub(super) rules: [&'static [Rule]; 2],
    pub(super) line_ends: LineEnds,
    pub(super) operands: Operands,
    /// Word bytes beside letters, digits, `_` and non-ASCII bytes.
    pub(super) word_bytes: ByteSet,
    /// The first bytes of all openers.
    pub(super) stops: ByteSet,
}

/// File names of a language: words in lower case, with a space between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    pub extensions: &'static str,
    /// Whole names, or the part before the first dot.
    pub names: &'static str,
    /// Interpreters in a shebang line.
    pub interpreters: &'static str,
}

/// The first frame of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum LanguageRoot {
    Code,
    Markup(&'static Markup),
    Template(&'static Template),
}

/// How to distinguish operands from operators, for literals that start with an operator's byte. Lists of words have a space
/// between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    /// Words that an operand follows. Any other word is an operand.
    pub keywords: &'static str,
    /// Keywords between two operands, which are names elsewhere.
    pub infix: &'static str,
    /// Keywords that a block follows. If there are any, other braces may hold a value: `x = {} / 2`.
    pub blocks: &'static str,
    /// Words whose parentheses a statement follows: `if (a) /b/`.
    pub conditions: &'static str,
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

impl Operands {
    pub const NONE: Self = Self {
        keywords: "",
        infix: "",
        blocks: "",
        conditions: "",
        closers: ")]}",
        line_break: LineBreak::Blank,
    };
}

impl Language {
    /// The name for users.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn new(name: &'static str, rules: &'static [Rule]) -> Self {
        Self {
            name,
            files: Files { extensions: "", names: "", interpreters: "" },
            root: LanguageRoot::Code,
            rules: [rules, &[]],
            line_ends: LineEnds::LF,
            operands: Operands::NONE,
            word_bytes: ByteSet::EMPTY,
            stops: first_bytes(ByteSet::EMPTY, rules),
        }
    }

    /// A language of tags.
    pub(super) const fn markup(name: &'static str, markup: &'static Markup) -> Self {
        let mut language = Self::new(name, &[]);
        language.root = LanguageRoot::Markup(markup);
        language
    }

    /// A page with code of another language anywhere in it.
    pub(super) const fn template(name: &'static str, template: &'static Template) -> Self {
        let mut language = Self::new(name, &[]);
        language.root = LanguageRoot::Template(template);
        language
    }

    /// Adds rules that are tried last.
    pub(super) const fn and(mut self, rules: &'static [Rule]) -> Self {
        self.rules[1] = rules;
        self.stops = first_bytes(self.stops, rules);
        self
    }

    /// Sets the line terminators.
    pub(super) const fn line_ends(mut self, line_ends: LineEnds) -> Self {
        self.line_ends = line_ends;
        self
    }

    /// Sets the extensions, in lower case without a dot.
    pub(super) const fn extensions(mut self, extensions: &'static str) -> Self {
        self.files.extensions = extensions;
        self
    }

    /// Sets the file names, in lower case.
    pub(super) const fn names(mut self, names: &'static str) -> Self {
        self.files.names = names;
        self
    }

    /// Sets the interpreters.
    pub(super) const fn interpreters(mut self, interpreters: &'static str) -> Self {
        self.files.interpreters = interpreters;
        self
    }

    /// Sets the operand rules.
    pub(super) const fn operands(mut self, operands: Operands) -> Self {
        self.operands = operands;
        if !operands.conditions.is_empty() {
            self.stops = self.stops.with_all("()");
        }
        if !operands.blocks.is_empty() {
            self.stops = self.stops.with_all("{}");
        }
        self
    }

    /// Adds bytes that are part of words.
    pub(super) const fn word_bytes(mut self, bytes: &'static str) -> Self {
        self.word_bytes = ByteSet::of(bytes);
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

/// Whether `words`, with a space between them, contain `word`.
pub(super) fn contains_word(words: &str, word: &[u8]) -> bool {
    words.split_ascii_whitespace().any(|known| known.as_bytes() == word)
}

const fn first_bytes(mut set: ByteSet, rules: &[Rule]) -> ByteSet {
    let mut index = 0;
    while index < rules.len() {
        set = with_first_bytes(set, &rules[index]);
        index += 1;
    }
    set
}

const fn with_first_bytes(mut set: ByteSet, rule: &Rule) -> ByteSet {
    if let RuleKind::Number = rule.kind {
        return set.with_all("0123456789");
    }
    if let [first, ..] = rule.open.head.as_bytes() {
        set = set.with(*first);
        if rule.open.any_case {
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
