//! Required literals: what every match of a pattern contains, whatever else it looks like.
//!
//! Running hundreds of regular expressions over every file is slow, and nearly none of them matches. So each
//! pattern is reduced to something cheap to search for, and the regex runs only around the spots that have it. The
//! idea is that of ripgrep's inner literals and of Russ Cox's trigram index; here one table serves all patterns at
//! once (see [`prefilter`](super::prefilter)).
//!
//! # Example
//!
//! Take the pattern
//!
//! ```text
//! (?:password|passwd)\s*=\s*"[0-9a-z]{8,}"
//! ```
//!
//! Read bottom-up, with the [`rules`]:
//!
//! 1. `(?:password|passwd)` matches exactly two literals, `{password, passwd}`.
//! 2. `\s*` may be empty, so a literal ends here. `{password, passwd}` is the first choice.
//! 3. `=` alone is too short to search for.
//! 4. `"[0-9a-z]{8,}` starts with nine known positions, a quote and eight alphanumeric bytes, which is the second
//!    choice. It is also a run: eight bytes out of `[0-9a-z]` in a row.
//! 5. The cost model ([`grams`]) expects the first choice in 0.00001 cycles per byte of text and prefers it.
//!
//! The result is a [`Requirements`]:
//!
//! ```text
//! anchor   {password, passwd}
//!   before  nothing
//!   after   \s{0,} [=]{1} \s{0,} ["]{1} [0-9a-z]{8,} ["]{1}
//! run      8 of [0-9a-z]
//! least    17 bytes
//! ```
//!
//! The *anchor* is what the prefilter searches for. Its *context* is what a match has before and after it, and
//! so how far a window reaches and which candidates can be dropped at once. `password = read()` has the anchor,
//! but no quote after the `=`.
//!
//! Three kinds of anchor exist; the cheapest one wins:
//!
//! - Shapes, as above: a [`LiteralShape`] has a byte set per position, so `(?i)foo` is `[Ff][Oo][Oo]`, and
//!   `AKIA[0-9A-Z]{5}` is one shape of nine positions.
//! - A run: `SK[0-9a-f]{32}` has only two fixed bytes, but 32 hexadecimal digits in a row are rare. `SK` becomes a
//!   *nearby* literal that a window must contain.
//! - A pivot: the shape `[0-9]\.` of `(?:\d{1,3}\.){3}\d{1,3}` has no rare gram, but its dot can be found with
//!   vector instructions.
//!
//! A pattern such as `[a-z]+` has no anchor. It is searched in the whole text, or if it is bound to the end of a line, in the
//! lines that end like its matches (see [`end`]).
//!
//! # Soundness
//!
//! Every fact is necessary, none is sufficient: a false positive costs time, a false negative would lose a
//! violation. Assertions (`^`, `\b`) are assumed to hold everywhere, look-around is left out of the expression
//! beforehand, a back-reference may be any text.
//!
//! Patterns are mostly parsed without Unicode, since the tree is much smaller, and the facts must hold for any
//! text all the same. There a class of more than [`extract::NARROW`] bytes may stand for more characters than it
//! shows (`\w`, `[^"]`), so it is taken to match every byte beyond ASCII. A smaller class stands for what it
//! shows, except for the two characters that fold to `k` and `s` (see [`folds`]).
//!
//! # Cost and limits
//!
//! Linear in the size of the tree, with caps on the number and the length of literals. Above a cap a fact is
//! dropped. The cost model assumes independent bytes with the frequencies of source code; a wrong estimate picks a
//! slower anchor, never a wrong one.

use regex_syntax::hir::Hir;

use crate::contract::RequiredLiterals;

pub mod byte_set;
pub mod context;
pub mod end;
mod extract;
pub mod grams;
mod nearby;
pub mod rules;
pub mod scan;
mod shapes;

use byte_set::ByteSet;
use context::Context;
use end::MatchEnd;
use extract::{FromHir as _, part};
use rules::PartMeasure as _;
use shapes::Shapes;

/// Cap on the length of a shape, in bytes.
const MAX_SHAPE: usize = 24;

/// What every match of an expression contains.
#[derive(Debug, Clone)]
pub struct Requirements {
    /// The literals to search for; `None` if the pattern has to be searched in whole texts.
    pub anchor: Option<Anchor>,
    /// The rarest run. A window without it is dropped.
    pub run: Option<ByteRun>,
    /// Short literals of which every match contains one, or empty. Too short for an anchor; a window without one
    /// of them is dropped. Set only if the anchor is a run.
    pub nearby: Vec<LiteralShape>,
    /// The maximum length of a match, and the bytes it consists of.
    pub whole: MatchReach,
    /// The minimum length of a match, in bytes.
    pub least: usize,
    /// Whether every match contains a character beyond ASCII.
    pub beyond_ascii: bool,
    /// How every match ends, for a pattern without an anchor.
    pub end: Option<MatchEnd>,
}

impl Requirements {
    /// The requirements that can be tested on a text in lower case.
    pub fn required_literals(&self) -> RequiredLiterals {
        let texts = match self.anchor.as_ref().map(|anchor| &anchor.kind) {
            Some(AnchorKind::Shapes(shapes)) => shapes.iter().map(plain_text).collect::<Option<Vec<_>>>(),
            Some(AnchorKind::Pivot(..) | AnchorKind::Run(_)) | None => None,
        };
        let beyond_ascii = self.beyond_ascii.then_some(ByteRun { bytes: ByteSet::HIGH, count: 1 });
        let run = self.run.or(beyond_ascii);
        let run = run.map(|run| (run.bytes.to_ascii_lowercase().to_bits(), run.count));
        RequiredLiterals { texts: texts.unwrap_or_default(), run }
    }

    /// Heap memory of the anchor and of the nearby literals, in bytes, as used by a prefilter.
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

/// The required literals that the prefilter searches for.
#[derive(Debug, Clone)]
pub struct Anchor {
    pub kind: AnchorKind,
    /// What a match has before the literal.
    pub before: Context,
    /// What a match has after the literal.
    pub after: Context,
    /// The estimated cost of the search, in cycles per byte of text.
    cost: f32,
}

/// How an anchor is found.
#[derive(Debug, Clone)]
pub enum AnchorKind {
    /// One of these shapes, each by its grams.
    Shapes(Vec<LiteralShape>),
    /// This shape, by the bytes at this position, at most three.
    Pivot(LiteralShape, usize),
    Run(ByteRun),
}

/// A literal with a byte set per position: `(?i)foo` is `[Ff][Oo][Oo]`.
pub type LiteralShape = Vec<ByteSet>;

/// At least `count` bytes in a row out of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRun {
    pub bytes: ByteSet,
    pub count: usize,
}

impl ByteRun {
    /// The cost of searching for it, in cycles per byte of text.
    pub fn cost(&self) -> f32 {
        grams::run_cost(&self.bytes, self.count)
    }

    /// A run that every text with one of the two contains.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { bytes: self.bytes.union(other.bytes), count: self.count.min(other.count) }
    }
}

/// How far a match extends to one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchReach {
    /// The maximum number of characters; `None` if unbounded.
    pub most: Option<usize>,
    /// The bytes that these characters consist of.
    pub bytes: ByteSet,
}

impl MatchReach {
    /// No text.
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

/// Whether a character beyond ASCII may match where the set shows ASCII only: with Unicode, `(?i)k` matches U+212A
/// and `(?i)s` matches U+017F.
pub fn folds(set: &ByteSet) -> bool {
    !set.has_high() && [(b'k', b'K'), (b's', b'S')].iter().any(|(a, b)| set.contains(*a) && set.contains(*b))
}

/// The requirements of an expression.
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
    let end = if anchor.is_none() { end::of(hir) } else { None };
    Requirements {
        anchor,
        run: part.run,
        nearby,
        whole: reach,
        least,
        beyond_ascii: extract::is_beyond_ascii(hir),
        end,
    }
}

/// The requirements of a literal pattern.
pub fn of_literal(literal: &[u8]) -> Requirements {
    let mut part = Shapes::literal(literal);
    Requirements {
        anchor: part.choice(),
        run: None,
        nearby: Vec::new(),
        whole: part.measure.reach(),
        least: literal.len(),
        beyond_ascii: !literal.is_ascii(),
        end: None,
    }
}

/// The bytes that matches of an expression consist of.
pub fn bytes(hir: &Hir) -> ByteSet {
    part::<Shapes>(hir).measure.reach().bytes
}

/// The longest part of a shape that is one literal in lower case.
fn plain_text(shape: &LiteralShape) -> Option<Box<[u8]>> {
    let letter = |set: &ByteSet| {
        let lower = set.to_ascii_lowercase();
        lower.iter().next().filter(|_| lower.size() == 1)
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

    /// The shapes of the anchor, with a small set shown as its second byte and a large one as a dot.
    fn shapes(regex: &str) -> Vec<String> {
        let Some(Anchor { kind: AnchorKind::Shapes(shapes), .. }) = required(regex).anchor else {
            return Vec::new();
        };
        let show = |set: &ByteSet| match set.size() {
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
    fn joins_neighbours_into_shapes() {
        assert_eq!(shapes("foobar"), ["foobar"]);
        assert_eq!(shapes(r"\bfoo(?:bar|baz)_"), ["foobar_", "foobaz_"]);
        assert_eq!(shapes("(?i)foo"), ["foo"]);
        assert_eq!(shapes("colou?rs"), ["colours", "colors"]);
        assert_eq!(shapes("AKIA[0-9A-Z]{5}"), ["AKIA....."]);
        assert_eq!(shapes("ab{3}c"), ["abbbc"]);
    }

    #[test]
    fn requires_characters_beyond_ascii() {
        let required =
            |regex: &str| of(&ParserBuilder::new().utf8(false).build().parse(regex).expect("a regex"));
        let high = Some((ByteSet::HIGH.to_bits(), 1));
        for regex in ["[à-ö]", "(?:[à-ö]|a[ù-ü])+", "[à-ö]?b[à-ö]{2}", r"[^\x00-\x7F]", "(?-u:[\\x80-\\x9F])"]
        {
            assert!(required(regex).beyond_ascii, "{regex}");
            assert_eq!(required(regex).required_literals().run, high, "{regex}");
        }
        // U+212A folds to an ASCII letter.
        for regex in ["[à-öa]", "[à-ö]|a", "[à-ö]*", "(?:[à-ö]b)?c", "(?i)\u{212A}", r"\W", ""] {
            assert!(!required(regex).beyond_ascii, "{regex}");
        }
    }

    #[test]
    fn anchors_at_the_rarest_literal() {
        assert_eq!(shapes(r"\w+zq_key\s*=\s*the"), [".zq_key"]);
        assert_eq!(shapes(r"(?:ab)+zq_"), ["abzq_"]);
        assert_eq!(shapes("(?:one|two).*(?:zqxj|jqxz)"), ["zqxj", "jqxz"]);
        assert_eq!(shapes("(?:one.*zqxj|jqxz.*two)"), ["zqxj", "jqxz"]);
        assert_eq!(shapes("(?:foo[0-9]*)+"), ["foo"]);
    }

    #[test]
    fn falls_back_to_a_pivot() {
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
    fn ignores_parts_that_may_be_absent() {
        for regex in ["(?:foobar)?", "(?:foobar)*", "foobar|", "foobar|x*", "x", r"\s+", "[a-z]*"] {
            assert!(required(regex).anchor.is_none(), "{regex}");
        }
    }

    #[test]
    fn knows_reach_around_the_anchor() {
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
    fn finds_long_runs() {
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
    fn anchors_at_run_without_better_literal() {
        let is_run = |regex| matches!(required(regex).anchor, Some(Anchor { kind: AnchorKind::Run(_), .. }));
        assert!(is_run("[0-9a-f]{40}"));
        assert!(is_run("SK[0-9a-f]{32}"));
        assert!(!is_run("zqxj[0-9a-f]{40}"));
        assert!(!is_run("(?s).{40}"));
    }

    #[test]
    fn notices_letters_with_unusual_folds() {
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
    fn lowers_required_literals_and_runs() {
        let lowered = |regex| {
            let RequiredLiterals { texts, run } = required(regex).required_literals();
            let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
            (texts.join("|"), run.map(|(_, count)| count))
        };
        assert_eq!(lowered("(?i)zqxj[0-9a-f]{20}"), ("zqxj".to_owned(), Some(20)));
        assert_eq!(lowered("(?:ZQX|jqx)[a-z]!"), ("zqx|jqx".to_owned(), None));
        assert_eq!(lowered("[a-z]+"), (String::new(), None));
    }

    #[test]
    fn scan_and_parse_agree() {
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
                literals: None,
            };
            let spelled = scan::required_literals(&spelled).expect("the scan reads it");
            let parsed = required(source).required_literals();
            assert_eq!(spelled.texts, parsed.texts, "{source}");
            assert_eq!(spelled.run.map(|run| run.1), parsed.run.map(|run| run.1), "{source}");
        }
    }

    proptest::proptest! {
        #[test]
        fn texts_without_required_literals_never_match(
            expression in crate::matcher::oracle::expression(),
            content in crate::matcher::oracle::content(),
        ) {
            use crate::matcher::pattern::linear::{Charset, parse};
            let literals = of(&parse(&expression, Charset::Any).expect("an expression")).required_literals();
            let quick = crate::matcher::prefilter::quick_reject::QuickReject::new(&content, usize::MAX);
            let found = crate::matcher::oracle::matches(&expression, crate::contract::Dialect::Regex, &content);
            let may_match = quick.is_none_or(|quick| quick.may_match(&literals));
            proptest::prop_assert!(may_match || found.is_empty(), "{expression:?} in {content:?}");
        }
    }

    #[test]
    fn literal_is_its_own_anchor() {
        let required = of_literal(&[b'x'; 100]);
        assert_eq!(required.whole.most, Some(100));
        let anchor = required.anchor.expect("an anchor");
        assert_eq!((anchor.before.reach().most, anchor.after.reach().most), (Some(0), Some(100 - MAX_SHAPE)));
        assert!(of_literal(b"x").anchor.is_none());
    }
}
