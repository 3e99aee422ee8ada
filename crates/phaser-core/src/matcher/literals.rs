//! What every match of an expression must have: a part that is looked for first, how far a match
//! reaches around that part, and how long a run of like bytes it holds.
//!
//! All of it is necessary and none of it sufficient: too much costs time, too little would lose
//! matches. Looks (`^`, `\b`) are taken to hold everywhere.
//!
//! Works on an expression parsed without Unicode as well, for any text. There a class of more than
//! a few bytes may stand for more characters than it shows, so it is taken to match every byte
//! outside ASCII; a smaller one stands for what it shows, but for the two characters that fold to
//! `k` and `s` (see [`folds`]).

use regex_syntax::hir::Hir;

use crate::contract::Needs;

pub mod byte_set;
pub mod context;
mod extract;
pub mod grams;
mod nearby;
pub mod rules;
pub mod scan;
mod shapes;

use byte_set::ByteSet;
use context::Context;
use extract::{FromHir as _, part};
use rules::PartMeasure as _;
use shapes::Shapes;

/// The longest shape.
const MAX_SHAPE: usize = 24;

/// What every match of an expression has.
#[derive(Debug, Clone)]
pub struct Requirements {
    /// The part to look for first.
    pub anchor: Option<Anchor>,
    /// The rarest run.
    pub run: Option<ByteRun>,
    /// One of these few bytes stands in every match, if there are any: too short to look for, but enough to
    /// rule out what a run alone suggests.
    pub nearby: Vec<LiteralShape>,
    /// How far a match reaches from any of its places, in both directions.
    pub whole: MatchReach,
    /// The least bytes of a match.
    pub least: usize,
    /// Does every match hold a character beyond ASCII?
    pub beyond_ascii: bool,
}

impl Requirements {
    /// As much of it as can be looked for in a text in lower case.
    pub fn needs(&self) -> Needs {
        let texts = match self.anchor.as_ref().map(|anchor| &anchor.kind) {
            Some(AnchorKind::Shapes(shapes)) => shapes.iter().map(plain_text).collect::<Option<Vec<_>>>(),
            Some(AnchorKind::Pivot(..) | AnchorKind::Run(_)) | None => None,
        };
        let beyond_ascii = self.beyond_ascii.then_some(ByteRun { bytes: ByteSet::HIGH, count: 1 });
        let run = self.run.or(beyond_ascii);
        let run = run.map(|run| (run.bytes.to_ascii_lowercase().to_bits(), run.count));
        Needs { texts: texts.unwrap_or_default(), run }
    }

    /// How many bytes of memory the anchor takes, and what is looked for near it.
    pub fn size(&self) -> usize {
        let size =
            |shapes: &[LiteralShape]| shapes.iter().map(|shape| size_of_val(shape.as_slice())).sum::<usize>();
        let Some(anchor) = &self.anchor else { return 0 };
        let around = anchor.before.size() + anchor.after.size() + size(&self.nearby);
        match &anchor.kind {
            AnchorKind::Shapes(shapes) => size(shapes) + (shapes.len() + 1) * around,
            AnchorKind::Pivot(shape, _) => size_of_val(shape.as_slice()) + around,
            AnchorKind::Run(_) => around,
        }
    }
}

/// A part of every match.
#[derive(Debug, Clone)]
pub struct Anchor {
    /// What the part looks like.
    pub kind: AnchorKind,
    /// What a match has before the part.
    pub before: Context,
    /// What a match has after the part.
    pub after: Context,
    /// How often it is expected in each byte of a text.
    cost: f32,
}

/// What a part looks like.
#[derive(Debug, Clone)]
pub enum AnchorKind {
    /// One of these.
    Shapes(Vec<LiteralShape>),
    /// This, looked for by its set at an index, which has three bytes at most.
    Pivot(LiteralShape, usize),
    /// A run.
    Run(ByteRun),
}

/// Bytes in a row, each out of a set.
pub type LiteralShape = Vec<ByteSet>;

/// At least so many bytes in a row out of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRun {
    /// The set.
    pub bytes: ByteSet,
    /// How many.
    pub count: usize,
}

impl ByteRun {
    /// What it costs to look for it, for each byte of text.
    pub fn cost(&self) -> f32 {
        grams::run_cost(&self.bytes, self.count)
    }

    /// What two runs have in common.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { bytes: self.bytes.union(other.bytes), count: self.count.min(other.count) }
    }
}

/// How far a match can reach to one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchReach {
    /// The most characters, or `None` without a limit.
    pub most: Option<usize>,
    /// The bytes there can be.
    pub bytes: ByteSet,
}

impl MatchReach {
    /// Nothing.
    pub const NONE: Self = Self { most: Some(0), bytes: ByteSet::HIGH };
}

impl Anchor {
    fn shapes(shapes: &[LiteralShape]) -> Option<Self> {
        let whole = shapes.iter().map(|shape| grams::cost(shape)).sum::<Option<f32>>();
        let (kind, cost) = match (whole, shapes) {
            (Some(cost), [_, ..]) if cost <= grams::MAX_COST => (AnchorKind::Shapes(shapes.to_vec()), cost),
            (_, [shape]) => {
                let (at, cost) = grams::pivot(shape)?;
                (AnchorKind::Pivot(shape.clone(), at), cost)
            }
            _ => return None,
        };
        (cost <= grams::MAX_COST).then_some(Self { kind, before: Context::NONE, after: Context::NONE, cost })
    }
}

/// In Unicode, `(?i)` lets `k` match U+212A and `s` match U+017F. Could one of them stand where only a letter shows?
pub fn folds(set: &ByteSet) -> bool {
    !set.has_high() && [(b'k', b'K'), (b's', b'S')].iter().any(|(a, b)| set.contains(*a) && set.contains(*b))
}

/// What every match of an expression has.
pub fn of(hir: &Hir) -> Requirements {
    let mut part = part::<Shapes>(hir);
    let (mut anchor, mut nearby, reach) = (part.choice(), Vec::new(), part.measure.reach());
    if let Some(run) = part.run {
        let cost = run.cost();
        if cost <= grams::MAX_COST && anchor.as_ref().is_none_or(|anchor| cost < anchor.cost) {
            let anywhere = Context::within(reach);
            anchor =
                Some(Anchor { kind: AnchorKind::Run(run), before: anywhere.clone(), after: anywhere, cost });
            nearby = nearby::nearby(hir).unwrap_or_default();
        }
    }
    let least = hir.properties().minimum_len().unwrap_or_default();
    Requirements {
        anchor,
        run: part.run,
        nearby,
        whole: reach,
        least,
        beyond_ascii: extract::is_beyond_ascii(hir),
    }
}

/// What every match of a text has that is matched as it is.
pub fn of_literal(literal: &[u8]) -> Requirements {
    let mut part = Shapes::literal(literal);
    Requirements {
        anchor: part.choice(),
        run: None,
        nearby: Vec::new(),
        whole: part.measure.reach(),
        least: literal.len(),
        beyond_ascii: !literal.is_ascii(),
    }
}

/// The bytes that an expression can match.
pub fn bytes(hir: &Hir) -> ByteSet {
    part::<Shapes>(hir).measure.reach().bytes
}

/// The longest text in a shape, in lower case, if there is one.
fn plain_text(shape: &LiteralShape) -> Option<Box<[u8]>> {
    let letter = |set: &ByteSet| {
        let lower = set.to_ascii_lowercase();
        lower.iter().next().filter(|_| lower.len() == 1)
    };
    let letters: Vec<Option<u8>> = shape.iter().map(letter).collect();
    let longest = letters.split(Option::is_none).max_by_key(|text| text.len())?;
    (!longest.is_empty()).then(|| longest.iter().copied().flatten().collect())
}

fn shape(literal: &[u8]) -> LiteralShape {
    literal.iter().map(|&byte| ByteSet::range(byte, byte)).collect()
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;

    use super::extract::NARROW;
    use super::*;
    use crate::contract;

    fn required(regex: &str) -> Requirements {
        let mut parser = ParserBuilder::new();
        of(&parser.utf8(false).unicode(false).multi_line(true).build().parse(regex).expect("a regex"))
    }

    /// The shapes of the anchor, a set of several bytes as its second one, a large set as a dot.
    fn shapes(regex: &str) -> Vec<String> {
        let Some(Anchor { kind: AnchorKind::Shapes(shapes), .. }) = required(regex).anchor else {
            return Vec::new();
        };
        let show = |set: &ByteSet| match set.len() {
            1 => set.iter().map(char::from).collect::<String>(),
            2..=NARROW => set.iter().nth(1).map(char::from).into_iter().collect(),
            _ => ".".to_owned(),
        };
        shapes.iter().map(|shape| shape.iter().map(show).collect()).collect()
    }

    fn reaches(regex: &str) -> (Option<usize>, Option<usize>) {
        let anchor = required(regex).anchor.expect("an anchor");
        (anchor.before.reach().most, anchor.after.reach().most)
    }

    #[test]
    fn neighbours_are_joined_into_shapes() {
        assert_eq!(shapes("foobar"), ["foobar"]);
        assert_eq!(shapes(r"\bfoo(?:bar|baz)_"), ["foobar_", "foobaz_"]);
        assert_eq!(shapes("(?i)foo"), ["foo"]);
        assert_eq!(shapes("colou?rs"), ["colours", "colors"]);
        assert_eq!(shapes("AKIA[0-9A-Z]{5}"), ["AKIA....."]);
        assert_eq!(shapes("ab{3}c"), ["abbbc"]);
    }

    #[test]
    fn what_every_match_has_beyond_ascii_is_needed() {
        let required =
            |regex: &str| of(&ParserBuilder::new().utf8(false).build().parse(regex).expect("a regex"));
        let high = Some((ByteSet::HIGH.to_bits(), 1));
        for regex in ["[à-ö]", "(?:[à-ö]|a[ù-ü])+", "[à-ö]?b[à-ö]{2}", r"[^\x00-\x7F]", "(?-u:[\\x80-\\x9F])"]
        {
            assert!(required(regex).beyond_ascii, "{regex}");
            assert_eq!(required(regex).needs().run, high, "{regex}");
        }
        // U+212A folds to an ASCII letter.
        for regex in ["[à-öa]", "[à-ö]|a", "[à-ö]*", "(?:[à-ö]b)?c", "(?i)\u{212A}", r"\W", ""] {
            assert!(!required(regex).beyond_ascii, "{regex}");
        }
    }

    #[test]
    fn the_rarest_part_is_the_anchor() {
        assert_eq!(shapes(r"\w+zq_key\s*=\s*the"), [".zq_key"]);
        assert_eq!(shapes(r"(?:ab)+zq_"), ["abzq_"]);
        assert_eq!(shapes("(?:one|two).*(?:zqxj|jqxz)"), ["zqxj", "jqxz"]);
        assert_eq!(shapes("(?:one.*zqxj|jqxz.*two)"), ["zqxj", "jqxz"]);
        assert_eq!(shapes("(?:foo[0-9]*)+"), ["foo"]);
    }

    #[test]
    fn what_is_too_common_in_fours_is_looked_for_by_its_rarest_byte() {
        let pivot = |regex| match required(regex).anchor.map(|anchor| anchor.kind) {
            Some(AnchorKind::Pivot(shape, at)) => shape[at].iter().map(char::from).collect(),
            _ => String::new(),
        };
        assert_eq!(pivot(r"(?:\d{1,3}\.){3}\d{1,3}"), ".");
        assert_eq!(pivot(r"[0-9]+[|%]\d"), "%|");
        assert_eq!(pivot(r"\w+e\w+"), "", "too common");
        assert_eq!(pivot("zqxj"), "", "not needed");
    }

    #[test]
    fn what_may_be_missing_is_no_anchor() {
        for regex in ["(?:foobar)?", "(?:foobar)*", "foobar|", "foobar|x*", "x", r"\s+", "[a-z]*"] {
            assert!(required(regex).anchor.is_none(), "{regex}");
        }
    }

    #[test]
    fn an_anchor_knows_how_far_a_match_reaches_around_it() {
        assert_eq!(reaches("[a-f]{2,5}zqxj.{0,2}"), (Some(5), Some(2)));
        assert_eq!(reaches("zqxj.*"), (Some(0), None));
        assert_eq!(reaches("(?:a|bcd)*zqxj"), (None, Some(0)));
        assert_eq!(reaches("x?(?:[0-9]{1,3}zqxj|jqxz[0-9]{1,9})y?"), (Some(4), Some(10)));
        let anchor = required("[ab]*zqxj[^\n]*").anchor.expect("an anchor");
        let (before, after) = (anchor.before.reach(), anchor.after.reach());
        assert!(before.bytes.contains(b'a') && !before.bytes.contains(b'c'));
        assert!(after.bytes.contains(b'c') && !after.bytes.contains(b'\n'));
        assert!(before.bytes.has_high(), "a class may match more than it shows");
    }

    #[test]
    fn a_long_run_is_known() {
        let run = |regex| {
            required(regex).run.map(|run| (run.count, run.bytes.contains(b'f'), run.bytes.contains(b'g')))
        };
        assert_eq!(run("zqxj[0-9a-f]{32}"), Some((32, true, false)));
        assert_eq!(run("zqxj(?:[0-9a-f]{8}|[0-9a-g]{12,})"), Some((8, true, true)));
        assert_eq!(run("zqxj(?:[0-9a-f]{8})?"), None);
        assert_eq!(run("zqxj(?:[0-9a-f]x){8}"), None);
        assert_eq!(run("zqxj[0-9a-f]{0,32}"), None);
    }

    #[test]
    fn a_run_is_an_anchor_when_there_is_no_better() {
        let is_run = |regex| matches!(required(regex).anchor, Some(Anchor { kind: AnchorKind::Run(_), .. }));
        assert!(is_run("[0-9a-f]{40}"));
        assert!(is_run("SK[0-9a-f]{32}"));
        assert!(!is_run("zqxj[0-9a-f]{40}"));
        assert!(!is_run("(?s).{40}"));
    }

    #[test]
    fn letters_with_unusual_folds_are_noticed() {
        let folding = |regex| match required(regex).anchor.expect("an anchor").kind {
            AnchorKind::Shapes(shapes) => shapes.iter().flatten().any(folds),
            AnchorKind::Pivot(..) | AnchorKind::Run(_) => false,
        };
        assert!(folding("(?i)token"));
        assert!(folding("(?i)pass"));
        assert!(!folding("token"));
        assert!(!folding("(?i)foobar"));
    }

    #[test]
    fn needs_are_texts_and_runs_in_lower_case() {
        let needs = |regex| {
            let Needs { texts, run } = required(regex).needs();
            let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
            (texts.join("|"), run.map(|(_, count)| count))
        };
        assert_eq!(needs("(?i)zqxj[0-9a-f]{20}"), ("zqxj".to_owned(), Some(20)));
        assert_eq!(needs("(?:ZQX|jqx)[a-z]!"), ("zqx|jqx".to_owned(), None));
        assert_eq!(needs("[a-z]+"), (String::new(), None));
    }

    #[test]
    fn a_pattern_needs_the_same_as_it_is_spelled_and_as_it_is_parsed() {
        for source in [
            "zqxj_key",
            r"\bzqxj(?:_(key))\s*=",
            "(?i:ZQXJ)[0-9]+",
            "(?:zqxj)+jqx",
            "zqxj|jqxz_",
            "(?:zqxj|jqxz_)*key_q",
            r"(?:one.*zqxj|jqxz.*two){2,}",
            "x+zqxj[a-z]*",
            "zqxj[0-9a-f]{32}|jqxz[0-9]{40}",
        ] {
            let spelled = contract::Pattern {
                source: source.to_owned(),
                dialect: contract::Dialect::Regex,
                line: 1,
                needs: None,
            };
            let spelled = scan::needs(&spelled).expect("a glance tells");
            let parsed = required(source).needs();
            assert_eq!(spelled.texts, parsed.texts, "{source}");
            assert_eq!(spelled.run.map(|run| run.1), parsed.run.map(|run| run.1), "{source}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_lacks_the_needs_does_not_match(
            expression in crate::matcher::oracle::expression(),
            content in crate::matcher::oracle::content(),
        ) {
            use crate::matcher::pattern::linear::{Charset, parse};
            let needs = of(&parse(&expression, Charset::Any).expect("an expression")).needs();
            let quick = crate::matcher::prefilter::quick_reject::QuickReject::new(&content, usize::MAX);
            let found = crate::matcher::oracle::matches(&expression, crate::contract::Dialect::Regex, &content);
            let may_match = quick.is_none_or(|quick| quick.may_match(&needs));
            proptest::prop_assert!(may_match || found.is_empty(), "{expression:?} in {content:?}");
        }
    }

    #[test]
    fn a_literal_is_its_own_anchor() {
        let required = of_literal(&[b'x'; 100]);
        assert_eq!(required.whole.most, Some(100));
        let anchor = required.anchor.expect("an anchor");
        assert_eq!((anchor.before.reach().most, anchor.after.reach().most), (Some(0), Some(100 - MAX_SHAPE)));
        assert!(of_literal(b"x").anchor.is_none());
    }
}
