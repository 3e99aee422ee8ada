//! The groups of a known match, for fixes. A search never computes them.

use std::ops::Range;

use fancy_regex::RegexInput;

use super::pattern::backtracking;
use super::pattern::dialect::{self, TranslationPurpose};
use super::view::View;
use crate::contract::{Dialect, Pattern};
use crate::text::Text;

/// A pattern compiled with its groups. The backtracking engine serves every pattern: it takes all constructs, and a
/// known match is found at once.
#[derive(Debug)]
pub struct Captures(fancy_regex::Regex);

/// The span of each group by number; `None` for a group that took no part in the match.
pub type CaptureSpans = Vec<Option<Range<usize>>>;

impl Captures {
    /// `None` for a literal, and for a pattern that is too large with its groups.
    pub fn of(pattern: &Pattern) -> Option<Self> {
        if pattern.dialect == Dialect::Literal {
            return None;
        }
        let translation = dialect::translate(&pattern.source, TranslationPurpose::Backtracking).ok()?;
        backtracking::with_groups(&translation.regex, &translation.facts).map(Self)
    }

    /// The number of the group with this name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.0.capture_names().position(|known| known == Some(name))
    }

    /// The groups of the first match in `text` that is not empty.
    pub fn first(&self, text: &Text<'_>) -> Option<CaptureSpans> {
        let text = std::str::from_utf8(text.bytes()).ok()?;
        let found = self.0.captures_iter(text).map_while(Result::ok);
        let found =
            found.into_iter().find(|found| found.get(0).is_some_and(|whole| !whole.range().is_empty()))?;
        Some((0..found.len()).map(|number| found.get(number).map(|group| group.range())).collect())
    }

    /// The groups of each of these matches, which the pattern is known to have in `text`.
    pub fn captured(&self, text: &Text<'_>, matches: &[Range<usize>]) -> Vec<Option<CaptureSpans>> {
        let view = View::of(text);
        matches.iter().map(|place| self.at(&view, place)).collect()
    }

    /// The groups of a match at `place` of the file.
    fn at(&self, view: &View<'_>, place: &Range<usize>) -> Option<CaptureSpans> {
        let text = std::str::from_utf8(view.bytes()).ok()?;
        let input = RegexInput::new(text).range(view.in_view(place.start)..text.len());
        let found = self.0.captures_input(input).ok()??;
        let group = |number| found.get(number).map(|group| view.in_file(group.range()));
        let captured: CaptureSpans = (0..found.len()).map(group).collect();
        // A match with another span is another match.
        (captured.first()?.as_ref() == Some(place)).then_some(captured)
    }

    /// The group with this name of a match at `place` of the file.
    pub fn named(&self, name: &str, view: &View<'_>, place: &Range<usize>) -> Option<Range<usize>> {
        let number = self.number(name)?;
        self.at(view, place)?.get(number)?.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::FixTemplate;
    use crate::testing::pack_files;

    fn pattern(source: &str) -> Pattern {
        Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None }
    }

    fn texts(source: &str, text: &[u8], place: Range<usize>) -> Vec<Option<Vec<u8>>> {
        let text = Text::new(text).expect("is text");
        let groups = Captures::of(&pattern(source)).expect("a pattern");
        let captured = groups.captured(&text, &[place]).pop().flatten().expect("matches there");
        captured.into_iter().map(|range| range.map(|range| text.bytes()[range].to_vec())).collect()
    }

    fn found(text: &str) -> Option<Vec<u8>> {
        Some(text.as_bytes().to_vec())
    }

    #[test]
    fn both_engines_return_groups() {
        assert_eq!(texts(r"(a+)(b)?\b", b"x aab", 2..5), [found("aab"), found("aa"), found("b")]);
        assert_eq!(texts(r"(a+)(b)?", b"x aa", 2..4), [found("aa"), found("aa"), None]);
        assert_eq!(texts(r"(?<=x )(a)\1(?!c)", b"x aab", 2..4), [found("aa"), found("a")]);
        let byte = texts(r"=(.)(\w)", b"\xE9 =\xE9b", 2..5);
        assert_eq!(byte, [Some(b"=\xE9b".to_vec()), Some(b"\xE9".to_vec()), found("b")]);
    }

    #[test]
    fn finds_groups_by_name() {
        let groups = Captures::of(&pattern("(?P<one>a)(b)(?P<two>c)")).expect("a pattern");
        assert_eq!((groups.number("two"), groups.number("three")), (Some(3), None));
        let text = Text::new(&b"abcd"[..]).expect("is text");
        assert_eq!(groups.captured(&text, &[0..2, 1..3]), [None, None]);
    }

    #[test]
    fn scanned_groups_equal_compiled_groups() {
        for file in pack_files() {
            let contract = Contract::from_yaml(&file, "a.yaml").expect("a contract");
            let Some(pattern) = contract.check.pattern() else { continue };
            let Some(groups) = Captures::of(pattern) else { continue };
            let count = groups.0.captures_len() - 1;
            let names =
                groups.0.capture_names().flatten().map(|name| format!("${{{name}}}")).collect::<String>();
            let fix = |template: String| FixTemplate::new(template, 1);
            assert_eq!(fix(format!("${count}{names}")).mistake(pattern), None, "{}", contract.id);
            assert!(fix(format!("${}", count + 1)).mistake(pattern).is_some(), "{}", contract.id);
        }
    }
}
