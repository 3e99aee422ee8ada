//! What to write in the place of a match: the value of `fix`, and the groups of a pattern that it may name.
//!
//! Nothing is compiled here. The groups of a pattern are read off its text, and only for a contract that has a fix and
//! was written by somebody just now.

use std::cell::LazyCell;

use super::{Dialect, Pattern};
use crate::sanitize::printable;
use crate::suggest::nearest;

/// What to write in the place of a match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FixTemplate {
    /// The text, with `$1` and `${name}` for what groups matched, and `$$` for a dollar.
    pub template: String,
    /// The line of the contract file it stands on.
    pub line: usize,
}

/// A part of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixPart<'t> {
    /// This text.
    Text(&'t str),
    /// What a group matched; 0 is the match itself.
    Number(usize),
    /// What the group with this name matched.
    Name(&'t str),
    /// A `$` that stands for nothing.
    Stray,
}

impl FixTemplate {
    /// A fix that stands on this line.
    pub fn new(template: impl Into<String>, line: usize) -> Self {
        Self { template: template.into(), line }
    }

    /// Its parts, in order.
    pub fn parts(&self) -> FixParts<'_> {
        FixParts { rest: &self.template }
    }

    /// Does it need to know what groups matched?
    pub fn names_groups(&self) -> bool {
        self.parts().any(|part| matches!(part, FixPart::Number(1..) | FixPart::Name(_)))
    }

    /// What is wrong with it as the fix of a pattern, if anything is.
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

/// The parts of a fix.
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

/// What stands after a `$`, and how long it is.
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

/// The groups of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Groups {
    /// It is plain text.
    Literal,
    /// These, in order, each with its name if it has one.
    Of(Vec<Option<String>>),
}

impl Groups {
    fn of(pattern: &Pattern) -> Self {
        match pattern.dialect {
            Dialect::Literal => Self::Literal,
            Dialect::Regex => Self::Of(groups(&pattern.source)),
        }
    }

    fn wrong_number(&self, number: usize) -> Option<String> {
        let count = match self {
            Self::Literal => return Some(of_literal(&format!("${number}"))),
            Self::Of(groups) => groups.len(),
        };
        let digits = number.to_string();
        let shorter = (1..digits.len()).rev().find_map(|end| digits[..end].parse().ok());
        let mend = match shorter.filter(|shorter| (1..=count).contains(shorter)) {
            Some(shorter) => format!("write '${{{shorter}}}' where a digit follows"),
            None => "put what is meant in parentheses in 'pattern'".to_owned(),
        };
        let has = match count {
            0 => "no groups".to_owned(),
            1 => "1 group".to_owned(),
            count => format!("{count} groups"),
        };
        (number > count).then(|| format!("'fix' uses '${number}', but 'pattern' has {has} ({mend})"))
    }

    fn wrong_name(&self, name: &str) -> Option<String> {
        let groups = match self {
            Self::Literal => return Some(of_literal(&format!("${{{name}}}"))),
            Self::Of(groups) => groups,
        };
        let names = || groups.iter().flatten().map(String::as_str);
        if names().any(|known| known == name) {
            return None;
        }
        let mend = match (nearest(name, names()), names().next()) {
            (Some(meant), _) => format!("did you mean '${{{meant}}}'?"),
            (None, Some(_)) => format!("its groups are {}", names().collect::<Vec<_>>().join(", ")),
            (None, None) => "name one with '(?P<name>…)'".to_owned(),
        };
        let name = printable(name);
        Some(format!("'fix' uses '${{{name}}}', but 'pattern' has no group of that name ({mend})"))
    }
}

fn of_literal(used: &str) -> String {
    format!(
        "'fix' uses '{used}', but 'pattern' is plain text here and has no groups (write '$$' for a dollar)"
    )
}

/// The groups of a regular expression that capture, by its text.
fn groups(source: &str) -> Vec<Option<String>> {
    let mut groups = Vec::new();
    let mut rest = source;
    // Where white space and comments count for nothing, a comment may hold anything.
    let mut verbose = false;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => rest = after_first(rest),
            '[' => rest = after_class(rest),
            '#' if verbose => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
            '(' if rest.starts_with("?#") => rest = &rest[rest.find(')').unwrap_or(rest.len())..],
            '(' => match rest.strip_prefix('?') {
                None => groups.push(None),
                Some(inside) => {
                    verbose |= sets_verbose(inside);
                    groups.extend(name(inside).map(|name| Some(name.to_owned())));
                }
            },
            _ => {}
        }
    }
    groups
}

fn after_first(text: &str) -> &str {
    &text[text.chars().next().map_or(0, char::len_utf8)..]
}

/// What follows a character class whose `[` has been read.
fn after_class(rest: &str) -> &str {
    let mut rest = rest.strip_prefix('^').unwrap_or(rest);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            ']' => return rest,
            '\\' => rest = after_first(rest),
            '[' if rest.starts_with(':') => rest = rest.find(":]").map_or(rest, |end| &rest[end + 2..]),
            _ => {}
        }
    }
    rest
}

/// The name of a group whose `(?` has been read, if it has one.
fn name(inside: &str) -> Option<&str> {
    let named = inside.strip_prefix("P<").or_else(|| inside.strip_prefix('<'))?;
    let name = &named[..named.find('>')?];
    is_name(name).then_some(name)
}

/// Do flags whose `(?` has been read switch the verbose form on?
fn sets_verbose(inside: &str) -> bool {
    let on = inside.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    inside[on.len()..].starts_with([':', ')', '-']) && on.contains('x')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(template: &str) -> FixTemplate {
        FixTemplate { template: template.to_owned(), line: 1 }
    }

    fn mistake(template: &str, pattern: &str, dialect: Dialect) -> Option<String> {
        let pattern = Pattern { source: pattern.to_owned(), dialect, line: 1, needs: None };
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
        assert_eq!(super::FixTemplate { template: String::new(), line: 1 }.parts().count(), 0);
        assert_eq!(self::fix("$12").parts().collect::<Vec<_>>(), [FixPart::Number(12)]);
        for stray in ["$", "$a", "${", "${a b}", "${}", "$-", "$99999999999999999999"] {
            assert_eq!(self::fix(stray).parts().next(), Some(FixPart::Stray), "{stray}");
        }
    }

    #[test]
    fn groups_are_read_off_a_pattern() {
        let names = |pattern: &str| {
            let names = groups(pattern).into_iter().map(|name| name.unwrap_or_default());
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
    fn what_names_no_group_is_said() {
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
