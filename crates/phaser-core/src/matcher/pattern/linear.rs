//! A regular expression for the linear engine, in two forms: with Unicode, and without, which is much smaller and
//! equivalent on ASCII text. Each is compiled on first use.
//!
//! A window is searched with the small form if it and the characters next to it are ASCII (`\b` reads those).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_automata::util::syntax;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::PatternError;
use super::automaton::Automaton;
use super::backtracking::SearchScope;
use super::dialect::Facts;
use crate::matcher::limits::Budget;

/// Cap on the automaton of one pattern, in bytes.
pub const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// An expression with fewer states stays below [`SIZE_LIMIT`] without Unicode.
const FEW_STATES: usize = SIZE_LIMIT / 1024;

#[derive(Debug)]
pub struct Linear {
    regex: String,
    has_ascii_form: bool,
    scope: SearchScope,
    ascii: OnceLock<CompiledForm>,
    unicode: OnceLock<CompiledForm>,
}

/// One form of the expression.
#[derive(Debug)]
enum CompiledForm {
    Kept(Arc<Automaton>),
    TooLarge,
    /// The budget is spent: compiled for each search.
    ForEachSearch,
}

/// Whether a text is known to be ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    Ascii,
    /// Anything, including bytes that are not UTF-8.
    Any,
}

impl Charset {
    pub fn of(text: &[u8]) -> Self {
        if text.is_ascii() { Self::Ascii } else { Self::Any }
    }

    /// The character set of a window with the characters next to it, in a text of character set `self`.
    #[must_use]
    pub fn within(self, text: &[u8], window: &Range<usize>) -> Self {
        match self {
            Self::Ascii => Self::Ascii,
            Self::Any => Self::of(&text[window.start.saturating_sub(1)..text.len().min(window.end + 1)]),
        }
    }
}

impl Linear {
    /// Parses the expression. The tree covers what it matches in any text.
    pub fn new(regex: String, facts: &Facts) -> Result<(Self, Hir), PatternError> {
        let has_ascii_form = has_ascii_form(facts);
        let charset = if has_ascii_form { Charset::Ascii } else { Charset::Any };
        let hir = parse(&regex, charset)?;
        let (ascii, unicode) = (OnceLock::new(), OnceLock::new());
        let linear = Self { regex, has_ascii_form, scope: SearchScope::Whole, ascii, unicode };
        if estimated_states(&hir) < FEW_STATES
            || Automaton::new(&linear.regex, charset, linear.scope).is_some()
        {
            Ok((linear, hir))
        } else {
            Err(PatternError::TooLarge)
        }
    }

    #[must_use]
    pub fn with_scope(self, scope: SearchScope) -> Self {
        Self { scope, ..self }
    }

    pub fn scope(&self) -> SearchScope {
        self.scope
    }

    /// The automaton for text of this character set; `None` if it is too large. One for [`SearchScope::Little`] is
    /// not kept, since it lacks a DFA.
    pub fn automaton(&self, charset: Charset, budget: &Budget, scope: SearchScope) -> Option<Arc<Automaton>> {
        let (form, charset) = match charset {
            Charset::Ascii if self.has_ascii_form => (&self.ascii, Charset::Ascii),
            Charset::Ascii | Charset::Any => (&self.unicode, Charset::Any),
        };
        let make = || Automaton::new(&self.regex, charset, scope).map(Arc::new);
        if scope == SearchScope::Little && form.get().is_none() {
            return make();
        }
        let made = form.get_or_init(|| {
            if budget.is_spent() {
                return CompiledForm::ForEachSearch;
            }
            make().map_or(CompiledForm::TooLarge, |automaton| {
                budget.take(automaton.size());
                CompiledForm::Kept(automaton)
            })
        });
        match made {
            CompiledForm::Kept(automaton) => Some(Arc::clone(automaton)),
            CompiledForm::TooLarge => None,
            CompiledForm::ForEachSearch => make(),
        }
    }
}

/// Whether the expression without Unicode is equivalent on ASCII text, and its tree covers what it matches in any
/// text.
///
/// Not so if it names characters beyond ASCII: `(?i)` folds U+017F and U+212A to ASCII letters, and `\xE9` would
/// be a byte. Nor if a class may be negated twice, as in `[^\W\d]`, which then looks like a few bytes instead of
/// many characters.
fn has_ascii_form(facts: &Facts) -> bool {
    !facts.names_beyond_ascii && !facts.negates_twice()
}

/// Parses an expression into a tree that covers what it matches in any text.
pub fn tree(regex: &str, facts: &Facts) -> Result<Hir, PatternError> {
    parse(regex, if has_ascii_form(facts) { Charset::Ascii } else { Charset::Any })
}

/// The syntax of the engines, for text of this character set.
pub fn syntax_config(charset: Charset) -> syntax::Config {
    syntax::Config::new()
        .multi_line(true)
        .crlf(true)
        .unicode(charset == Charset::Any)
        .utf8(false)
        .nest_limit(128)
}

/// Parses an expression for text of this character set.
pub fn parse(regex: &str, charset: Charset) -> Result<Hir, PatternError> {
    syntax::parse_with(regex, &syntax_config(charset)).map_err(|error| {
        PatternError::Syntax(match &error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            other => other.to_string(),
        })
    })
}

/// An estimate of the number of states of the automaton. Cheap, and saturating.
pub fn estimated_states(hir: &Hir) -> usize {
    written_out(hir, |class| match class {
        Class::Unicode(class) => class.ranges().len().saturating_mul(2),
        Class::Bytes(_) => 1,
    })
}

/// The size of an expression with its repetitions written out; `class` gives the size of a class.
pub fn written_out(hir: &Hir, class: fn(&Class) -> usize) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(found) => class(found),
        HirKind::Capture(capture) => written_out(&capture.sub, class),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            written_out(&repetition.sub, class).saturating_mul(times)
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(|part| written_out(part, class)).fold(0, usize::saturating_add)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect::{TranslationPurpose, translate};
    use super::*;

    fn facts(regex: &str) -> Facts {
        translate(regex, TranslationPurpose::Search).expect("translates").facts
    }

    fn new(regex: &str) -> Result<Linear, PatternError> {
        Linear::new(regex.to_owned(), &facts(regex)).map(|(linear, _)| linear)
    }

    #[test]
    fn uses_ascii_form_where_equivalent() {
        for regex in [r"\w+\x20\b", "(?i)key", r"[^a]", r"[\s\S]", "(?-u:a)", r"\[^\S"] {
            assert!(has_ascii_form(&facts(regex)), "{regex}");
        }
        for regex in ["é", r"\u00e9", r"\x{e9}", r"\xe9", r"\p{L}", "(?u:a)", r"[^\W_]", r"[^a]\S", "(?iu:a)"]
        {
            assert!(!has_ascii_form(&facts(regex)), "{regex}");
        }
    }

    #[test]
    fn window_charset_includes_its_neighbours() {
        let text = "é ab é".as_bytes();
        let within = |window| Charset::of(text).within(text, &window);
        assert_eq!(within(3..5), Charset::Ascii);
        assert_eq!(within(2..5), Charset::Any);
        assert_eq!(within(3..6), Charset::Any);
        assert_eq!(within(0..text.len()), Charset::Any);
    }

    /// Whether an automaton is made, and kept for later searches.
    fn is_kept(linear: &Linear, budget: &Budget, scope: SearchScope) -> bool {
        let automaton = linear.automaton(Charset::Ascii, budget, scope).expect("small");
        Arc::strong_count(&automaton) > 1
    }

    #[test]
    fn compiles_forms_on_first_use() {
        let linear = new("a+").expect("an expression");
        assert!(linear.ascii.get().is_none() && linear.unicode.get().is_none());
        assert!(is_kept(&linear, &Budget::new(usize::MAX), SearchScope::Whole));
        assert!(linear.unicode.get().is_none());
    }

    #[test]
    fn compiles_per_search_without_memory() {
        let [first, second] = ["a+", "b+"].map(|regex| new(regex).expect("an expression"));
        let budget = Budget::new(1);
        assert!(is_kept(&first, &budget, SearchScope::Whole));
        assert!(budget.is_spent(), "its size is counted");
        assert!(!is_kept(&second, &budget, SearchScope::Whole));
        assert!(is_kept(&first, &budget, SearchScope::Whole));
    }

    #[test]
    fn drops_automaton_for_little_text() {
        let (linear, budget) = (new("a+").expect("an expression"), Budget::new(usize::MAX));
        assert!(!is_kept(&linear, &budget, SearchScope::Little));
        assert!(is_kept(&linear, &budget, SearchScope::Windows));
        assert!(is_kept(&linear, &budget, SearchScope::Little), "what is there is used");
    }

    #[test]
    fn rejects_oversized_expressions() {
        assert!(matches!(new("(?:(?:a{100}){100}){100}"), Err(PatternError::TooLarge)));
        assert!(matches!(new("a("), Err(PatternError::Syntax(_))));
    }
}
