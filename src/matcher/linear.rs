//! A regular expression in linear time, in two forms: the full one, and a much smaller one without
//! Unicode that is the same on ASCII text. Each is compiled when it is first needed.

use std::ops::{Deref, Range};
use std::sync::OnceLock;

use regex_automata::util::syntax;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::anatomy::{self, Anatomy};
use super::automaton::Automaton;
use super::limits::Budget;

/// The most memory the automaton of one pattern may take, in bytes.
pub const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// An expression with fewer states than this cannot reach [`SIZE_LIMIT`] without Unicode.
const FEW_STATES: usize = SIZE_LIMIT / 1024;

/// What stands for characters beyond ASCII, or would without Unicode stand for bytes of them.
const BEYOND_ASCII: [&str; 6] = [r"\u", r"\U", r"\x{", r"\p", r"\P", "(?u"];

/// A regular expression.
#[derive(Debug)]
pub struct Linear {
    regex: String,
    has_ascii_form: bool,
    ascii: OnceLock<Made>,
    unicode: OnceLock<Made>,
}

/// What has become of one form.
#[derive(Debug)]
enum Made {
    Kept(Box<Automaton>),
    TooLarge,
    /// There is no memory to keep it.
    ForEachSearch,
}

/// An automaton to search with.
#[derive(Debug)]
pub enum Held<'a> {
    /// It is there for the next search, too.
    Kept(&'a Automaton),
    /// It was made for this search.
    Own(Box<Automaton>),
}

impl Deref for Held<'_> {
    type Target = Automaton;

    fn deref(&self) -> &Automaton {
        match self {
            Self::Kept(automaton) => automaton,
            Self::Own(automaton) => automaton,
        }
    }
}

/// Why an expression is not valid.
#[derive(Debug)]
pub enum Invalid {
    /// It is none.
    Syntax(String),
    /// Its automaton would be too large.
    TooLarge,
}

/// Whether a text is known to be ASCII; patterns are much smaller there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Nothing but ASCII.
    Ascii,
    /// Anything, also bytes that are not UTF-8.
    Any,
}

impl Charset {
    /// The character set of `text`.
    pub fn of(text: &[u8]) -> Self {
        if text.is_ascii() { Self::Ascii } else { Self::Any }
    }

    /// The character set of a window and of the characters that touch it, in a text of this character set.
    #[must_use]
    pub fn within(self, text: &[u8], window: &Range<usize>) -> Self {
        match self {
            Self::Ascii => Self::Ascii,
            Self::Any => Self::of(&text[window.start.saturating_sub(1)..text.len().min(window.end + 1)]),
        }
    }
}

impl Linear {
    /// The expression, and what its matches look like in any text.
    pub fn new(regex: String) -> Result<(Self, Anatomy), Invalid> {
        let has_ascii_form = has_ascii_form(&regex);
        let charset = if has_ascii_form { Charset::Ascii } else { Charset::Any };
        let hir = parse(&regex, charset)?;
        let linear = Self { regex, has_ascii_form, ascii: OnceLock::new(), unicode: OnceLock::new() };
        if estimated_states(&hir) < FEW_STATES || Automaton::new(&linear.regex, charset).is_some() {
            Ok((linear, anatomy::of(&hir)))
        } else {
            Err(Invalid::TooLarge)
        }
    }

    /// The automaton for text of this character set, or `None` when it would be too large.
    pub fn automaton(&self, charset: Charset, budget: &Budget) -> Option<Held<'_>> {
        let (form, charset) = match charset {
            Charset::Ascii if self.has_ascii_form => (&self.ascii, Charset::Ascii),
            Charset::Ascii | Charset::Any => (&self.unicode, Charset::Any),
        };
        let make = || Automaton::new(&self.regex, charset).map(Box::new);
        let made = form.get_or_init(|| {
            if budget.is_spent() {
                return Made::ForEachSearch;
            }
            make().map_or(Made::TooLarge, |automaton| {
                budget.take(automaton.size());
                Made::Kept(automaton)
            })
        });
        match made {
            Made::Kept(automaton) => Some(Held::Kept(automaton)),
            Made::TooLarge => None,
            Made::ForEachSearch => make().map(Held::Own),
        }
    }
}

/// Is the expression without Unicode the same on ASCII text, and does it show there what it matches in
/// any text?
///
/// Not if it names characters beyond ASCII: `(?i)` folds two of them, U+017F and U+212A, to ASCII
/// letters, and `\xE9` would be a byte. Nor if it can negate a class twice, as in `[^\W\d]`: what
/// looks like a few bytes would be many characters.
fn has_ascii_form(regex: &str) -> bool {
    let names_high_byte =
        regex.match_indices(r"\x").any(|(at, _)| !matches!(regex.as_bytes().get(at + 2), Some(b'0'..=b'7')));
    let negates_twice =
        regex.contains("[^") && [r"\W", r"\D", r"\S"].iter().any(|class| regex.contains(class));
    regex.is_ascii()
        && !names_high_byte
        && !negates_twice
        && !BEYOND_ASCII.iter().any(|escape| regex.contains(escape))
}

fn syntax_config(charset: Charset) -> syntax::Config {
    syntax::Config::new()
        .multi_line(true)
        .crlf(true)
        .unicode(charset == Charset::Any)
        .utf8(false)
        .nest_limit(128)
}

/// The expression, read for text of this character set.
pub fn parse(regex: &str, charset: Charset) -> Result<Hir, Invalid> {
    syntax::parse_with(regex, &syntax_config(charset)).map_err(|error| {
        Invalid::Syntax(match &error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            other => other.to_string(),
        })
    })
}

/// A rough count of the states of an expression's automaton, which never runs away itself.
pub fn estimated_states(hir: &Hir) -> usize {
    written_out(hir, |class| match class {
        Class::Unicode(class) => class.ranges().len().saturating_mul(2),
        Class::Bytes(_) => 1,
    })
}

/// The size of an expression with its repetitions written out, where a class is as large as `class` says.
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
    use super::*;

    #[test]
    fn the_ascii_form_is_kept_to_what_it_can_do() {
        for regex in [r"\w+\x20\b", "(?i)key", r"[^a]", r"[\s\S]", "(?-u:a)"] {
            assert!(has_ascii_form(regex), "{regex}");
        }
        for regex in ["é", r"\u00e9", r"\x{e9}", r"\xe9", r"\p{L}", "(?u:a)", r"[^\W_]", r"[^a]\S"] {
            assert!(!has_ascii_form(regex), "{regex}");
        }
    }

    #[test]
    fn a_window_is_ascii_when_what_touches_it_is() {
        let text = "é ab é".as_bytes();
        let within = |window| Charset::of(text).within(text, &window);
        assert_eq!(within(3..5), Charset::Ascii);
        assert_eq!(within(2..5), Charset::Any);
        assert_eq!(within(3..6), Charset::Any);
        assert_eq!(within(0..text.len()), Charset::Any);
    }

    #[test]
    fn each_form_is_compiled_when_it_is_needed() {
        let (linear, _) = Linear::new("a+".to_owned()).expect("an expression");
        assert!(linear.ascii.get().is_none() && linear.unicode.get().is_none());
        let budget = Budget::new(usize::MAX);
        assert!(matches!(linear.automaton(Charset::Ascii, &budget), Some(Held::Kept(_))));
        assert!(linear.unicode.get().is_none());
    }

    #[test]
    fn what_there_is_no_memory_for_is_made_for_each_search() {
        let [first, second] =
            ["a+", "b+"].map(|regex| Linear::new(regex.to_owned()).expect("an expression").0);
        let budget = Budget::new(1);
        assert!(matches!(first.automaton(Charset::Ascii, &budget), Some(Held::Kept(_))));
        assert!(budget.is_spent(), "its size is counted");
        assert!(matches!(second.automaton(Charset::Ascii, &budget), Some(Held::Own(_))));
        assert!(matches!(first.automaton(Charset::Ascii, &budget), Some(Held::Kept(_))));
    }

    #[test]
    fn what_runs_away_is_refused() {
        assert!(matches!(Linear::new("(?:(?:a{100}){100}){100}".to_owned()), Err(Invalid::TooLarge)));
        assert!(matches!(Linear::new("a(".to_owned()), Err(Invalid::Syntax(_))));
    }
}
