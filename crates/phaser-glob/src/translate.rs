//! Translates a glob to a regex over one path, which is valid UTF-8.
//!
//! The difficulty is that braces equal their expansion while the meaning of `*` and `/` depends on their neighbours:
//! `**/` at the start of a name may match nothing, and the two stars may be in different braces. Writing out every
//! expansion would take exponential space.
//!
//! The translation goes through the parts from left to right and keeps a set of *ways*: a regex so far, and what precedes
//! the next part (`Preceding`). Stars are held back until their neighbour is known. `{a,b/**}/c`:
//!
//! | after | ways: regex, then what precedes |
//! |---|---|
//! | start | empty, name start |
//! | `{a,b/**}` | `a`, in name; `b/`, two stars at the start of a name |
//! | `/` | `a/` and `b/(?:.*/)?`, name start; no difference to `c`, so settled and joined: `(?:a/\|b/(?:.*/)?)` |
//! | `c` | `(?:a/\|b/(?:.*/)?)c`, in name |
//!
//! There are five values of `Preceding`, so there are at most five ways at any point. A way whose value makes no difference
//! to what may follow is settled at once: its stars are written, and it joins the others.
//!
//! Stars are written as repeated bytes, `(?-u:[^/])*`, not as repeated characters: on valid UTF-8 both match the same paths,
//! because no other part matches inside a character, and an automaton over all characters takes twenty times as long to
//! build. The table writes `.*` for `(?s-u:.)*`.

use super::parse::{GlobPart, parse};

/// The size limit of a regex, in bytes. Only long sequences of choices that depend on each other exceed it.
const MAX_REGEX: usize = 64 * 1024;

/// Any bytes, `/` included.
const ANYTHING: &str = "(?s-u:.)*";

/// The regex for a whole path, or an error for users.
pub(super) fn translate(glob: &str) -> Result<String, String> {
    let ways = ways(&parse(glob)?, Preceding::NameStart, Next::default())?;
    Ok(format!("^{}$", one_of(ways.into_iter().map(|way| way.regex).collect())))
}

/// What precedes a part. The stars in it are not in the regex yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preceding {
    /// The start of a name.
    NameStart,
    /// Anything else.
    InName,
    /// One star, at the start of a name.
    StarAtStart,
    /// One star, inside a name.
    StarInName,
    /// Two stars or more, at the start of a name.
    StarsAtStart,
}

impl Preceding {
    /// The regex of the stars that are held back.
    fn stars(self) -> &'static str {
        match self {
            Self::NameStart | Self::InName => "",
            Self::StarAtStart | Self::StarInName => "(?-u:[^/])*",
            Self::StarsAtStart => ANYTHING,
        }
    }

    /// Whether it changes the meaning of a part that may follow.
    fn matters_to(self, next: Next) -> bool {
        match self {
            Self::InName => false,
            Self::NameStart | Self::StarAtStart | Self::StarInName => next.star,
            Self::StarsAtStart => next.star || next.slash,
        }
    }
}

/// The parts that may follow directly.
#[derive(Debug, Clone, Copy, Default)]
struct Next {
    star: bool,
    slash: bool,
}

impl Next {
    /// What `part`, followed by `after`, may start with.
    fn of(part: &GlobPart, after: Self) -> Self {
        match part {
            GlobPart::Text(_) => Self::default(),
            GlobPart::Slash => Self { slash: true, star: false },
            GlobPart::Star => Self { star: true, slash: false },
            GlobPart::Choice(choices) => {
                let start = |choice: &Vec<GlobPart>| {
                    choice.iter().rev().fold(after, |next, part| Self::of(part, next))
                };
                choices.iter().map(start).fold(Self::default(), |all, one| Self {
                    star: all.star || one.star,
                    slash: all.slash || one.slash,
                })
            }
        }
    }

    /// What may follow each of `parts`, when `after` follows the last.
    fn after_each(parts: &[GlobPart], after: Self) -> Vec<Self> {
        let mut nexts = vec![after; parts.len()];
        for at in (1..parts.len()).rev() {
            nexts[at - 1] = Self::of(&parts[at], nexts[at]);
        }
        nexts
    }
}

/// A regex for some parts, and what then precedes the next part.
struct Way {
    regex: String,
    end: Preceding,
}

/// The ways to match `parts`, at most one per end.
fn ways(parts: &[GlobPart], before: Preceding, after: Next) -> Result<Vec<Way>, String> {
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
fn extended(way: Way, part: &GlobPart, next: Next) -> Result<Vec<Way>, String> {
    let Way { mut regex, end: before } = way;
    let end = match part {
        GlobPart::Text(text) => {
            regex.push_str(before.stars());
            regex.push_str(text);
            Preceding::InName
        }
        GlobPart::Slash if before == Preceding::StarsAtStart => {
            regex.push_str("(?:(?s-u:.)*/)?");
            Preceding::NameStart
        }
        GlobPart::Slash => {
            regex.push_str(before.stars());
            regex.push('/');
            Preceding::NameStart
        }
        GlobPart::Star => match before {
            Preceding::NameStart => Preceding::StarAtStart,
            Preceding::InName => Preceding::StarInName,
            Preceding::StarAtStart | Preceding::StarsAtStart => Preceding::StarsAtStart,
            Preceding::StarInName => {
                regex.push_str(ANYTHING);
                Preceding::InName
            }
        },
        GlobPart::Choice(choices) => {
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

/// Writes the held-back stars of a way whose end makes no difference to what follows.
fn settled(mut way: Way, next: Next) -> Way {
    if !way.end.matters_to(next) {
        way.regex.push_str(way.end.stars());
        way.end = Preceding::InName;
    }
    way
}

/// Joins ways with the same end.
fn joined(ways: Vec<Way>) -> Vec<Way> {
    let mut by_end: Vec<(Preceding, Vec<String>)> = Vec::new();
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
