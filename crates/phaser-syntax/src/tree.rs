//! Parses a text, within bounds.

use std::cell::{Cell, OnceCell};
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::ControlFlow;
use std::rc::Rc;

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::{LanguageExt as _, StrDoc};
use phaser_rerun::{Abandoned, attempt};
use tree_sitter::{ParseOptions, ParseState, Parser, Range as TreeRange, Tree, TreeCursor};

use crate::language::Language;
use crate::metered::{MeteredDoc, StepMeter};

/// Cap on the text that is parsed, in bytes. A tree takes ten to twenty times the memory of its text.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Cap on the depth of a tree in which nodes are compared with each other, which recurses.
pub(crate) const MAX_DEPTH: usize = 1_000;

/// Cap on the callbacks of a parser: one per this number of bytes of text, and a minimum for any text. Usual texts take at most a
/// third of it.
const BYTES_PER_CALLBACK: usize = 8;
const MIN_CALLBACKS: usize = 500;

/// The text is handed to the lexer in parts of this many bytes, and each one counts. A scanner may read to the end of the
/// text for every token, without a callback: Python's does for a million lines of `\\`.
const PART: usize = 4096;

/// Cap on the parts that are read: one per this number of bytes of text, and a minimum for any text. Twelve thousand
/// ordinary files took at most a hundredth of it.
const BYTES_PER_READ: usize = 16;
const MIN_READS: usize = 30_000;

/// Cap on the nesting of brackets. The cost of recovering from a syntax error grows with it.
const MAX_NESTING: usize = 1_000;

/// Cap on the nesting of indentation in YAML, half of what the scanner of its grammar has room for.
const MAX_INDENTATION: usize = 120;

/// Returns whether to stop, such as at a deadline. Called often.
pub type Stop = Rc<dyn Fn() -> bool>;

/// Why a text was not parsed, or not searched to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The text has more than [`MAX_BYTES`].
    TooLarge,
    /// The text is nested more deeply than parsers take, or nodes can be compared.
    TooDeep,
    /// Parsing or searching takes more steps than any usual text needs.
    TooComplex,
    /// The caller stopped it, or the parser did not return.
    Stopped,
    /// The parser crashed in an earlier run of this program.
    Crashed,
}

impl From<Abandoned> for Unfinished {
    fn from(why: Abandoned) -> Self {
        match why {
            Abandoned::Crashed => Self::Crashed,
            Abandoned::TimedOut => Self::Stopped,
        }
    }
}

/// A parsed text. A syntax error makes an error node; the rest of the text has its usual nodes.
pub struct SyntaxTree {
    pub(crate) root: AstGrep<MeteredDoc>,
    pub(crate) meter: Rc<StepMeter>,
    language: Language,
    tree: Tree,
    stop: Stop,
    embedded: OnceCell<Result<Vec<SyntaxTree>, Unfinished>>,
    depth: OnceCell<usize>,
}

impl SyntaxTree {
    /// Parses `text`.
    pub fn parse(text: &str, language: Language, stop: &Stop) -> Result<Self, Unfinished> {
        Self::parse_ranges(Rc::new(text.to_owned()), language, &[], stop)
    }

    /// The language it was parsed as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The tree itself.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The text.
    pub(crate) fn source(&self) -> &str {
        &self.root.root().get_doc().source
    }

    /// Whether the caller wants to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// The parts of the text in other languages: the scripts and styles of HTML.
    pub(crate) fn embedded(&self) -> Result<&[SyntaxTree], Unfinished> {
        let parsed = self.embedded.get_or_init(|| {
            if !self.language.embeds_others() {
                return Ok(Vec::new());
            }
            let source = Rc::clone(&self.root.root().get_doc().source);
            let lang = self.language.ast_grep();
            let doc = AstGrep::doc(StrDoc { src: source.to_string(), lang, tree: self.tree.clone() });
            let mut trees = Vec::new();
            for (name, ranges) in lang.extract_injections(doc.root()) {
                if self.is_stopped() {
                    return Err(Unfinished::Stopped);
                }
                let Some(language) = Language::find(&name) else { continue };
                trees.push(Self::parse_ranges(Rc::clone(&source), language, &ranges, &self.stop)?);
            }
            Ok(trees)
        });
        parsed.as_deref().map_err(|unfinished| *unfinished)
    }

    /// Whether a part of the text is not in the grammar. A token that the parser inserts, such as a semicolon, is no error.
    pub(crate) fn has_error_node(&self) -> bool {
        let mut cursor = self.tree.walk();
        loop {
            if cursor.node().is_error() {
                return true;
            }
            if !(cursor.node().has_error() && cursor.goto_first_child() || next(&mut cursor)) {
                return false;
            }
        }
    }

    /// The depth of the tree.
    pub(crate) fn depth(&self) -> usize {
        *self.depth.get_or_init(|| depth(&self.tree))
    }

    fn parse_ranges(
        source: Rc<String>,
        language: Language,
        ranges: &[TreeRange],
        stop: &Stop,
    ) -> Result<Self, Unfinished> {
        let tree = parse(&source, language, ranges, stop)?;
        let meter = Rc::new(StepMeter::new(tree.clone(), Rc::clone(stop)));
        let doc = MeteredDoc {
            source,
            language: language.ast_grep(),
            tree: tree.clone(),
            meter: Rc::clone(&meter),
        };
        Ok(Self {
            root: AstGrep::doc(doc),
            meter,
            language,
            tree,
            stop: Rc::clone(stop),
            embedded: OnceCell::new(),
            depth: OnceCell::new(),
        })
    }
}

/// Parses the ranges of a text, or all of it without any.
fn parse(text: &str, language: Language, ranges: &[TreeRange], stop: &Stop) -> Result<Tree, Unfinished> {
    if text.len() > MAX_BYTES {
        return Err(Unfinished::TooLarge);
    }
    let part = match ranges {
        [first, .., last] => first.start_byte..last.end_byte,
        [only] => only.start_byte..only.end_byte,
        [] => 0..text.len(),
    };
    let part = text.get(part).unwrap_or(text);
    if nesting(part) > MAX_NESTING || language == Language::YAML && indentation(part) > MAX_INDENTATION {
        return Err(Unfinished::TooDeep);
    }
    // A scanner that does not return can only be told from one that is late if none starts after the deadline.
    if stop() {
        return Err(Unfinished::Stopped);
    }
    attempt(|| digest(part, language), || parse_text(text, part.len(), language, ranges, stop))?
}

/// Identifies a text in a language.
fn digest(text: &str, language: Language) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.write_usize(language.index());
    hasher.finish()
}

/// Parses the ranges of a text, of this length in total, in the code of the grammar. It may crash.
fn parse_text(
    text: &str,
    len: usize,
    language: Language,
    ranges: &[TreeRange],
    stop: &Stop,
) -> Result<Tree, Unfinished> {
    let mut parser = Parser::new();
    // Fails for a grammar of an unknown version only, which a test of all languages rules out.
    parser.set_language(&language.grammar()).map_err(|_| Unfinished::TooComplex)?;
    parser.set_included_ranges(ranges).map_err(|_| Unfinished::TooComplex)?;
    let (mut callbacks, most_callbacks) = (0, MIN_CALLBACKS + len / BYTES_PER_CALLBACK);
    let (mut reads, most_reads) = (0, MIN_READS + len / BYTES_PER_READ);
    let unfinished = Cell::new(None);
    let is_over = |is_too_complex: bool| {
        if unfinished.get().is_none() && stop() {
            unfinished.set(Some(Unfinished::Stopped));
        }
        if unfinished.get().is_none() && is_too_complex {
            unfinished.set(Some(Unfinished::TooComplex));
        }
        unfinished.get().is_some()
    };
    let mut progress = |_: &ParseState| {
        callbacks += 1;
        if is_over(callbacks > most_callbacks) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let letters = (language == Language::BASH && !text.is_ascii()).then(|| in_ascii(text));
    let text = letters.as_deref().unwrap_or(text);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| {
        reads += 1;
        if is_over(reads > most_reads) {
            // The end of the text, at which every scanner returns.
            return &bytes[bytes.len()..];
        }
        let mut end = bytes.len().min((at / PART + 1) * PART);
        // The lexer takes a character that a part cuts for an invalid one.
        while !text.is_char_boundary(end) {
            end += 1;
        }
        bytes.get(at..end).unwrap_or_default()
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    match (tree, unfinished.get()) {
        (Some(tree), None) => Ok(tree),
        (_, why) => Err(why.unwrap_or(Unfinished::TooComplex)),
    }
}

/// The text with a letter for each byte of a character beyond ASCII. The scanner of Bash calls `isdigit` for any character,
/// which reads beyond the table of the C library. To Bash itself such a character is a part of a word, as a letter is;
/// keywords have no upper case.
fn in_ascii(text: &str) -> String {
    let ascii = |byte: u8| if byte.is_ascii() { byte } else { b'A' + byte % 26 };
    text.bytes().map(|byte| char::from(ascii(byte))).collect()
}

/// The most brackets that are open at once. Those in strings and comments count too.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The most columns that are open at once as blocks of YAML, at least: an indentation or an indicator before the first
/// word of a line opens one.
fn indentation(text: &str) -> usize {
    let (mut columns, mut most) = (Vec::new(), 0);
    for line in text.lines() {
        let mut at = 0;
        let bytes = line.as_bytes();
        while at < bytes.len() {
            at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            while columns.last().is_some_and(|last| *last > at) {
                columns.pop();
            }
            if at < bytes.len() && columns.last() != Some(&at) {
                columns.push(at);
            }
            if !matches!(bytes.get(at), Some(b'-' | b'?' | b':')) {
                break;
            }
            at += 1;
        }
        most = most.max(columns.len());
    }
    most
}

/// The number of levels of a tree. `TreeCursor::depth` would count the levels again at each node.
pub(crate) fn depth(tree: &Tree) -> usize {
    let (mut cursor, mut level, mut deepest) = (tree.walk(), 1, 1);
    loop {
        if cursor.goto_first_child() {
            level += 1;
            deepest = deepest.max(level);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            level -= 1;
        }
    }
}

/// Moves to the next node in order that is no descendant.
fn next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}
