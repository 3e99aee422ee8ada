//! A few bytes in a row that stand in every match, for patterns that have nothing longer.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::byte_set::{ByteSet, likelihood};
use super::part::class_bytes;
use super::{Shape, folds, shape};

/// The most nearby of one pattern, and the longest.
const MAX_CLUES: usize = 8;
const MAX_CLUE: usize = 4;

/// Two bytes or more of which every match has one, the rarest there are.
pub fn nearby(hir: &Hir) -> Option<Vec<Shape>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => None,
        HirKind::Literal(_) => concatenation(std::slice::from_ref(hir)),
        HirKind::Capture(capture) => nearby(&capture.sub),
        HirKind::Repetition(repetition) => nearby(&repetition.sub).filter(|_| repetition.min > 0),
        HirKind::Concat(parts) => concatenation(parts),
        HirKind::Alternation(parts) => {
            let all: Vec<Shape> = parts.iter().map(nearby).collect::<Option<Vec<_>>>()?.concat();
            Some(all).filter(|all| all.len() <= MAX_CLUES)
        }
    }
}

fn concatenation(parts: &[Hir]) -> Option<Vec<Shape>> {
    let (mut best, mut stretch): (Option<Vec<Shape>>, Shape) = (None, Vec::new());
    let mut offer = |nearby: Vec<Shape>| {
        if best.as_ref().is_none_or(|best| commonness(&nearby) < commonness(best)) {
            best = Some(nearby);
        }
    };
    for part in parts {
        match narrow(part) {
            Some(bytes) => stretch.extend(bytes),
            None => {
                stretches(&std::mem::take(&mut stretch)).for_each(&mut offer);
                nearby(part).into_iter().for_each(&mut offer);
            }
        }
    }
    stretches(&stretch).for_each(&mut offer);
    best
}

fn stretches(stretch: &[ByteSet]) -> impl Iterator<Item = Vec<Shape>> {
    stretch.chunks(MAX_CLUE).filter(|bytes| bytes.len() > 1).map(|bytes| vec![bytes.to_vec()])
}

/// The bytes of a part that always stand in a row as they are.
fn narrow(part: &Hir) -> Option<Shape> {
    let bytes = match part.kind() {
        HirKind::Literal(literal) => shape(&literal.0),
        HirKind::Class(Class::Unicode(class)) if !class.is_ascii() => return None,
        HirKind::Class(class) => vec![class_bytes(class)],
        _ => return None,
    };
    bytes.iter().all(|set| !set.has_high() && !folds(set)).then_some(bytes)
}

fn commonness(nearby: &[Shape]) -> f32 {
    nearby.iter().map(|nearby| nearby.iter().map(likelihood).product::<f32>()).sum()
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;

    use super::*;

    fn of(regex: &str) -> String {
        let mut parser = ParserBuilder::new();
        let hir = parser.utf8(false).unicode(false).build().parse(regex).expect("a regex");
        let show = |nearby: &Shape| {
            nearby.iter().filter_map(|set| set.iter().next()).map(char::from).collect::<String>()
        };
        nearby(&hir).unwrap_or_default().iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_rarest_few_bytes_are_taken() {
        assert_eq!(of(r"[a-z]{3}\dQ~[a-z]{31,34}"), "Q~");
        assert_eq!(of(r"(?:hvs\.\w{90}|s\.(?i:[a-z0-9]{24}))"), "hvs. s.");
        assert_eq!(of(r"ee[0-9]{20}zq"), "zq");
        assert_eq!(of(r"(?:e=)+\w{20}"), "e=");
    }

    #[test]
    fn what_may_be_missing_or_look_different_is_no_clue() {
        for regex in [r"(?:Q~)?\w{20}", r"(?:Q~|)\w{20}", r"(?:Q~|x)\w{20}", "Q[a-z]{20}~", "(?i)ks[a-z]{20}"]
        {
            assert_eq!(of(regex), "", "{regex}");
        }
        assert_eq!(of("(?i)ax[a-z]{20}"), "AX");
    }
}
