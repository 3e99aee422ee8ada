//! The value of `fix`: a replacement template with references to capture groups.
//!
//! The template is checked against the groups of the pattern, which is translated for that and not compiled.

use std::cell::LazyCell;

use super::{Dialect, Pattern};
use crate::code::{CodeSource, engine};
use crate::matcher::pattern::dialect::{TranslationPurpose, translate};
use crate::sanitize::printable;
use crate::suggest::nearest;

/// A replacement template: `log($1)` for the pattern `print\((.*)\)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FixTemplate {
    /// `$1` and `${name}` are capture groups, `$$` is a dollar sign. For code, `$X` and `$$$X` are metavariables.
    pub template: String,
    /// Whether the contract has a number or boolean without quotes, which is written as given.
    pub is_literal: bool,
    /// The line in the contract file.
    pub line: usize,
}

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixPart<'t> {
    /// Literal text.
    Text(&'t str),
    /// A group by number; 0 is the match.
    Number(usize),
    /// A group by name.
    Name(&'t str),
    /// A `$` without a reference.
    Stray,
}

impl FixTemplate {
    /// A template on `line`.
    pub fn new(template: impl Into<String>, line: usize) -> Self {
        Self { template: template.into(), is_literal: false, line }
    }

    /// The parts in order.
    pub fn parts(&self) -> FixParts<'_> {
        FixParts { rest: &self.template }
    }

    /// Whether it refers to a group other than the match.
    pub fn names_groups(&self) -> bool {
        self.parts().any(|part| matches!(part, FixPart::Number(1..) | FixPart::Name(_)))
    }

    /// The error of the template for a contract without a pattern, where only `$0` stands for something: the value.
    pub fn mistake_without_pattern(&self) -> Option<String> {
        let is_wrong = |part: &FixPart<'_>| !matches!(part, FixPart::Text(_) | FixPart::Number(0));
        let hint = "(write '$$' for a dollar, or add 'pattern')";
        self.parts()
            .any(|part| is_wrong(&part))
            .then(|| format!("'fix' uses a group, but there is no 'pattern' {hint}"))
    }

    /// The error of the template for code, if any: a metavariable that the code does not have.
    pub fn mistake_in_code(&self, code: &CodeSource) -> Option<String> {
        let known = engine::metavariables(code);
        let name = metavariables(&self.template).find(|name| !known.iter().any(|known| known == name))?;
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean '${meant}'?"),
            None => "name what is meant in 'code'".to_owned(),
        };
        Some(format!("'fix' uses '${name}', but 'code' has no such metavariable ({hint})"))
    }

    /// The error of the template for `pattern`, if any.
    pub fn mistake(&self, pattern: &Pattern) -> Option<String> {
        let groups = LazyCell::new(|| Groups::of(pattern));
        for part in self.parts() {
            let wrong = match part {
                FixPart::Text(_) | FixPart::Number(0) => None,
                FixPart::Stray => Some(
                    "'fix' has a '$' that stands for no group (write '$$' for a dollar, '$1' or '${name}' for a \
                     group)"
                        .to_owned(),
                ),
                FixPart::Number(number) => groups.wrong_number(number),
                FixPart::Name(name) => groups.wrong_name(name),
            };
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }
}

/// The names of the metavariables in a template: `X` for `$X` and `$$$X`.
fn metavariables(template: &str) -> impl Iterator<Item = &str> {
    template.split('$').skip(1).filter_map(|after| {
        let end = after.find(|c: char| !matches!(c, 'A'..='Z' | '0'..='9' | '_')).unwrap_or(after.len());
        let name = &after[..end];
        name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(name)
    })
}

/// An iterator over the parts of a template.
#[derive(Debug, Clone)]
pub struct FixParts<'t> {
    rest: &'t str,
}

impl<'t> Iterator for FixParts<'t> {
    type Item = FixPart<'t>;

    fn next(&mut self) -> Option<FixPart<'t>> {
        let rest = self.rest;
        let Some(after) = rest.strip_prefix('$') else {
            let end = rest.find('$').unwrap_or(rest.len());
            self.rest = &rest[end..];
            return (end > 0).then(|| FixPart::Text(&rest[..end]));
        };
        let (part, length) = reference(after).unwrap_or((FixPart::Stray, 0));
        self.rest = &after[length..];
        Some(part)
    }
}

/// The reference after a `$`, and its length.
fn reference(after: &str) -> Option<(FixPart<'_>, usize)> {
    if after.starts_with('$') {
        return Some((FixPart::Text("$"), 1));
    }
    if let Some(inside) = after.strip_prefix('{') {
        let name = &inside[..inside.find('}')?];
        let part = if is_number(name) { FixPart::Number(name.parse().ok()?) } else { FixPart::Name(name) };
        return is_name(name).then_some((part, name.len() + 2));
    }
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    Some((FixPart::Number(after[..digits].parse().ok()?), digits))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'))
}

/// The capture groups of a pattern, with names; `None` for a literal, which has none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Groups(Option<Vec<Option<String>>>);

impl Groups {
    fn of(pattern: &Pattern) -> Self {
        let groups = || translate(&pattern.source, TranslationPurpose::Superset).map(|made| made.captures);
        Self((pattern.dialect == Dialect::Regex).then(|| groups().unwrap_or_default()))
    }

    fn wrong_number(&self, number: usize) -> Option<String> {
        let Some(groups) = &self.0 else { return Some(of_literal(&format!("${number}"))) };
        let count = groups.len();
        let digits = number.to_string();
        let shorter = (1..digits.len()).rev().find_map(|end| digits[..end].parse().ok());
        let hint = match shorter.filter(|shorter| (1..=count).contains(shorter)) {
            Some(shorter) => format!("write '${{{shorter}}}' where a digit follows"),
            None => "put what is meant in parentheses in 'pattern'".to_owned(),
        };
        let has = match count {
            0 => "no groups".to_owned(),
            1 => "1 group".to_owned(),
            count => format!("{count} groups"),
        };
        (number > count).then(|| format!("'fix' uses '${number}', but 'pattern' has {has} ({hint})"))
    }

    fn wrong_name(&self, name: &str) -> Option<String> {
        let Some(groups) = &self.0 else { return Some(of_literal(&format!("${{{name}}}"))) };
        let names = || groups.iter().flatten().map(String::as_str);
        if names().any(|known| known == name) {
            return None;
        }
        let hint = match (nearest(name, names()), names().next()) {
            (Some(meant), _) => format!("did you mean '${{{meant}}}'?"),
            (None, Some(_)) => format!("its groups are {}", names().collect::<Vec<_>>().join(", ")),
            (None, None) => "name one with '(?P<name>…)'".to_owned(),
        };
        let name = printable(name);
        Some(format!("'fix' uses '${{{name}}}', but 'pattern' has no group of that name ({hint})"))
    }
}

fn of_literal(used: &str) -> String {
    format!(
        "'fix' uses '{used}', but 'pattern' is plain text here and has no groups (write '$$' for a dollar)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(template: &str) -> FixTemplate {
        FixTemplate::new(template, 1)
    }

    fn mistake(template: &str, pattern: &str, dialect: Dialect) -> Option<String> {
        let pattern = Pattern { source: pattern.to_owned(), dialect, line: 1, literals: None };
        fix(template).mistake(&pattern)
    }

    #[test]
    fn a_fix_has_parts() {
        let fix = fix("a$$1 $1${2}0 ${name}é");
        let parts: Vec<_> = fix.parts().collect();
        let expected = [
            FixPart::Text("a"),
            FixPart::Text("$"),
            FixPart::Text("1 "),
            FixPart::Number(1),
            FixPart::Number(2),
            FixPart::Text("0 "),
            FixPart::Name("name"),
            FixPart::Text("é"),
        ];
        assert_eq!(parts, expected);
        assert_eq!(super::FixTemplate::new("", 1).parts().count(), 0);
        assert_eq!(self::fix("$12").parts().collect::<Vec<_>>(), [FixPart::Number(12)]);
        for stray in ["$", "$a", "${", "${a b}", "${}", "$-", "$99999999999999999999"] {
            assert_eq!(self::fix(stray).parts().next(), Some(FixPart::Stray), "{stray}");
        }
    }

    #[test]
    fn counts_groups_in_source() {
        let names = |pattern: &str| {
            let pattern =
                Pattern { source: pattern.to_owned(), dialect: Dialect::Regex, line: 1, literals: None };
            let groups = Groups::of(&pattern).0.expect("a regular expression");
            let names = groups.into_iter().map(|name| name.unwrap_or_default());
            names.collect::<Vec<_>>().join(",")
        };
        for (pattern, expected) in [
            (r"(a)(?P<n>b)(?<m>c)", ",n,m"),
            (r"\((?:a)(?=b)(?!b)(?<=c)(?<!d)(?>e)(?i)(?i:f)", ""),
            (r"[(](x)[]()][^]()\]](y)[[:alpha:](]", ","),
            (r"(?#(not))(?P<n>a)(?P=n)", "n"),
            ("(?x) (a) # (b)\n (c)", ","),
            (r"(?i-x:(a)#(b))", ","),
        ] {
            assert_eq!(names(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn reports_unknown_groups() {
        let regex = |template, pattern| mistake(template, pattern, Dialect::Regex).unwrap_or_default();
        assert_eq!(regex("$1 ${n} $0 $$", "(?P<n>a)"), "");
        assert_eq!(
            regex("$2", "(a)"),
            "'fix' uses '$2', but 'pattern' has 1 group (put what is meant in parentheses in 'pattern')"
        );
        assert!(regex("$10", "(a)").ends_with("(write '${1}' where a digit follows)"));
        assert!(regex("${nmae}", "(?P<name>a)").ends_with("(did you mean '${name}'?)"));
        assert!(regex("${other}", "(?P<name>a)").ends_with("(its groups are name)"));
        assert!(regex("${other}", "(a)").ends_with("(name one with '(?P<name>…)')"));
        assert!(regex("cost: $", "a").starts_with("'fix' has a '$' that stands for no group"));
        let literal = mistake("$1", "(a)", Dialect::Literal).unwrap_or_default();
        assert!(literal.contains("is plain text here and has no groups"), "{literal}");
    }
}
