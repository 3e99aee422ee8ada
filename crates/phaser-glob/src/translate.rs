//! A glob as a regular expression over one path, which is valid UTF-8.
//!
//! Braces mean what writing out every choice would mean: `{src/**,lib}/*.py` is `src/**/*.py` or `lib/*.py`. What a `*`
//! or a `/` means depends on what stands beside it (`**/` at the start of a name may stand for nothing), so a choice is
//! translated for what stands before it and what may follow. Nothing is written twice unless that makes a difference.

use super::parse::{Part, parse};

/// The longest expression, in bytes. Only choices whose meaning depends on each other again and again can exceed it.
const MAX_REGEX: usize = 64 * 1024;

/// The expression that matches the whole of a path, or what is wrong with the glob.
pub(super) fn translate(glob: &str) -> Result<String, String> {
    let ways = ways(&parse(glob)?, Before::NameStart, Next::default())?;
    Ok(format!("^{}$", one_of(ways.into_iter().map(|way| way.regex).collect())))
}

/// What stands before a part of the glob, as far as it matters to that part. Stars that may still become a part of
/// something larger have not been written yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A name starts here.
    NameStart,
    /// Anything else.
    InName,
    /// One star, where a name starts.
    StarAtStart,
    /// One star, inside a name.
    StarInName,
    /// Two stars or more, where a name starts.
    StarsAtStart,
}

impl Before {
    /// The expression for the stars that have not been written yet.
    fn stars(self) -> &'static str {
        match self {
            Self::NameStart | Self::InName => "",
            Self::StarAtStart | Self::StarInName => "[^/]*",
            Self::StarsAtStart => "(?s:.*)",
        }
    }

    /// Does it make a difference to one of the parts that may follow?
    fn matters_to(self, next: Next) -> bool {
        match self {
            Self::InName => false,
            Self::NameStart | Self::StarAtStart | Self::StarInName => next.star,
            Self::StarsAtStart => next.star || next.slash,
        }
    }
}

/// What may follow directly.
#[derive(Debug, Clone, Copy, Default)]
struct Next {
    star: bool,
    slash: bool,
}

impl Next {
    /// What `part` may start with, when `after` follows it.
    fn of(part: &Part, after: Self) -> Self {
        match part {
            Part::Text(_) => Self::default(),
            Part::Slash => Self { slash: true, star: false },
            Part::Star => Self { star: true, slash: false },
            Part::Choice(choices) => {
                let start =
                    |choice: &Vec<Part>| choice.iter().rev().fold(after, |next, part| Self::of(part, next));
                choices.iter().map(start).fold(Self::default(), |all, one| Self {
                    star: all.star || one.star,
                    slash: all.slash || one.slash,
                })
            }
        }
    }

    /// For each of `parts`: what may follow it, when `after` follows them all.
    fn after_each(parts: &[Part], after: Self) -> Vec<Self> {
        let mut nexts = vec![after; parts.len()];
        for at in (1..parts.len()).rev() {
            nexts[at - 1] = Self::of(&parts[at], nexts[at]);
        }
        nexts
    }
}

/// One way to match some parts: the expression, and what then stands before the next part.
struct Way {
    regex: String,
    end: Before,
}

/// The ways to match `parts`, at most one for each end.
fn ways(parts: &[Part], before: Before, after: Next) -> Result<Vec<Way>, String> {
    let mut ways = vec![Way { regex: String::new(), end: before }];
    for (part, next) in parts.iter().zip(Next::after_each(parts, after)) {
        let mut longer = Vec::new();
        for way in ways {
            longer.extend(extended(way, part, next)?);
        }
        ways = joined(longer.into_iter().map(|way| settled(way, next)).collect());
        if ways.iter().map(|way| way.regex.len()).sum::<usize>() > MAX_REGEX {
            return Err("its braces stand for too many different paths".to_owned());
        }
    }
    Ok(ways)
}

/// The ways to match `part` after `way`.
fn extended(way: Way, part: &Part, next: Next) -> Result<Vec<Way>, String> {
    let Way { mut regex, end: before } = way;
    let end = match part {
        Part::Text(text) => {
            regex.push_str(before.stars());
            regex.push_str(text);
            Before::InName
        }
        Part::Slash if before == Before::StarsAtStart => {
            regex.push_str("(?:(?s:.*)/)?");
            Before::NameStart
        }
        Part::Slash => {
            regex.push_str(before.stars());
            regex.push('/');
            Before::NameStart
        }
        Part::Star => match before {
            Before::NameStart => Before::StarAtStart,
            Before::InName => Before::StarInName,
            Before::StarAtStart | Before::StarsAtStart => Before::StarsAtStart,
            Before::StarInName => {
                regex.push_str("(?s:.*)");
                Before::InName
            }
        },
        Part::Choice(choices) => {
            let mut chosen = Vec::new();
            for choice in choices {
                chosen.extend(ways(choice, before, next)?.into_iter().map(|way| settled(way, next)));
            }
            let joined = joined(chosen).into_iter();
            return Ok(joined.map(|way| Way { regex: format!("{regex}{}", way.regex), ..way }).collect());
        }
    };
    Ok(vec![Way { regex, end }])
}

/// The same way, with an end that is kept only if it makes a difference to what follows.
fn settled(mut way: Way, next: Next) -> Way {
    if !way.end.matters_to(next) {
        way.regex.push_str(way.end.stars());
        way.end = Before::InName;
    }
    way
}

/// The same ways, with those that end alike made one.
fn joined(ways: Vec<Way>) -> Vec<Way> {
    let mut by_end: Vec<(Before, Vec<String>)> = Vec::new();
    for Way { regex, end } in ways {
        match by_end.iter_mut().find(|(known, _)| *known == end) {
            Some((_, regexes)) => regexes.push(regex),
            None => by_end.push((end, vec![regex])),
        }
    }
    by_end.into_iter().map(|(end, regexes)| Way { regex: one_of(regexes), end }).collect()
}

fn one_of(mut regexes: Vec<String>) -> String {
    match regexes.len() {
        1 => regexes.remove(0),
        _ => format!("(?:{})", regexes.join("|")),
    }
}
