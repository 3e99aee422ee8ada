//! Grams: four bytes in a row, folded with `| 0x20`. The prefilter looks one up at every even offset of a text.
//!
//! A shape is found by two of its grams that start one byte apart, since one of the two is at an even offset
//! wherever the shape is. For `password` these are `swor` and `word`, the rarest pair. In `db_password` the shape
//! starts at offset 3 and `swor` at 6; in `the password` it starts at 4 and `word` at 8.
//!
//! A gram may extend one byte beyond either end of its shape, so that three bytes suffice: `lob` is found by
//! `?lob` and `lob?`, where `?` is any folded byte, 128 grams each. A gram that stands for more than [`MAX_TEXTS`]
//! texts is not used.
//!
//! The cost model decides which literal of a pattern becomes its anchor. It multiplies how often the grams occur
//! in source code (by [`likelihood`] of each byte, as if bytes were independent) with the cycles that a hit takes.

use std::ops::Range;

use super::byte_set::{ByteSet, FOLD, folded, likelihood};

/// The length of a gram, in bytes.
pub const LEN: usize = 4;

/// The most that a search may cost, in cycles per byte of text. A literal above it filters less than it costs.
pub const MAX_COST: f32 = 4.0;

/// Cap on the texts that one gram of a shape stands for.
const MAX_TEXTS: u32 = 256;

/// The cycles for a gram found in a text, and for a shape found there. The second is high to make up for letters
/// that are not independent.
const GRAM_COST: f32 = 30.0;
const SHAPE_COST: f32 = 3_000.0;

/// The cycles per byte for finding a pivot with vector instructions, and for each pivot found.
const PIVOT_SCAN_COST: f32 = 0.2;
const PIVOT_COST: f32 = 20.0;

/// One of the two grams that find a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gram {
    /// The offset in the shape, plus one: 0 is a gram that starts one byte before the shape.
    pub offset: usize,
    /// The values of the gram, as [`read`] returns them.
    pub texts: Vec<u32>,
}

/// How a shape is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GramPlan {
    /// Two grams that start one byte apart.
    pub grams: [Gram; 2],
    /// The positions of the shape inside the grams whose bytes are adjacent in every match: none of them can be a
    /// character of several bytes.
    pub core: Range<usize>,
}

/// The value of a gram: little-endian, folded.
pub fn read(bytes: [u8; LEN]) -> u32 {
    u32::from_le_bytes(bytes) | u32::from_le_bytes([FOLD; LEN])
}

/// The cost of searching for a shape, in cycles per byte of text. `None` if no pair of grams finds it.
pub fn cost(shape: &[ByteSet]) -> Option<f32> {
    let facts = facts(shape);
    let (_, grams) = best(shape, &facts)?;
    let whole: f32 = facts[1..=shape.len()].iter().map(|fact| fact.likelihood).product();
    Some(GRAM_COST * grams + SHAPE_COST * whole)
}

/// The rarest position of a shape with at most three bytes, and the cost of searching for it in cycles per byte of
/// text. Used if the grams of the shape are too common.
pub fn pivot(shape: &[ByteSet]) -> Option<(usize, f32)> {
    let facts = facts(shape);
    let likelihood = |at: usize| facts[at + 1].likelihood;
    let narrow = (0..shape.len()).filter(|&at| (1..=3).contains(&shape[at].size()));
    let at = narrow.min_by(|&one, &other| likelihood(one).total_cmp(&likelihood(other)))?;
    let whole: f32 = (0..shape.len()).map(likelihood).product();
    Some((at, PIVOT_SCAN_COST + PIVOT_COST * likelihood(at) + SHAPE_COST * whole))
}

/// The cost of searching for a run, in cycles per byte of text.
pub fn run_cost(bytes: &ByteSet, count: usize) -> f32 {
    let likelihood = likelihood(bytes);
    let all = likelihood.powi(i32::try_from(count).unwrap_or(i32::MAX));
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let count = count as f32;
    (3.0 + GRAM_COST * likelihood) / count + SHAPE_COST * all
}

/// The cheapest pair of grams that finds a shape.
pub fn plan(shape: &[ByteSet]) -> Option<GramPlan> {
    let (offset, _) = best(shape, &facts(shape))?;
    let grams = [offset, offset + 1].map(|offset| Gram { offset, texts: texts(&sets(shape, offset)) });
    let inside = offset.max(1) - 1..(offset + LEN).min(shape.len());
    let narrow = |index: &usize| !shape[*index].has_high();
    let start = inside.clone().find(narrow)?;
    let end = (start..inside.end).take_while(narrow).last()? + 1;
    Some(GramPlan { grams, core: start..end })
}

#[derive(Debug, Clone, Copy)]
struct ByteStats {
    likelihood: f32,
    /// The number of values, once folded.
    count: u32,
}

/// Statistics for each position of a shape, and for any byte before and after it.
fn facts(shape: &[ByteSet]) -> Vec<ByteStats> {
    let any = ByteStats { likelihood: 1.0, count: folded(&ByteSet::ALL).size() };
    let inside = shape.iter().map(|set| ByteStats { likelihood: likelihood(set), count: folded(set).size() });
    std::iter::once(any).chain(inside).chain([any]).collect()
}

/// The offset (plus one) and the likelihood of the rarest pair of grams.
fn best(shape: &[ByteSet], facts: &[ByteStats]) -> Option<(usize, f32)> {
    let grams = || facts.windows(LEN).map(gram_likelihood);
    let pairs = grams().zip(grams().skip(1)).enumerate();
    let known = pairs.filter_map(|(offset, (one, other))| Some((offset, (one? + other?) / 2.0)));
    let whole = known.filter(|(offset, _)| one_core(shape, *offset));
    whole.min_by(|(_, one), (_, other)| one.total_cmp(other))
}

fn sets(shape: &[ByteSet], offset: usize) -> [ByteSet; LEN] {
    let at = |index: usize| index.checked_sub(1).and_then(|index| shape.get(index));
    std::array::from_fn(|index| at(offset + index).copied().unwrap_or(ByteSet::ALL))
}

fn gram_likelihood(facts: &[ByteStats]) -> Option<f32> {
    let texts: u32 = facts.iter().map(|fact| fact.count).product();
    (texts <= MAX_TEXTS).then(|| facts.iter().map(|fact| fact.likelihood).product())
}

/// Whether the positions that are one byte each are adjacent, and at least two. A character of several bytes
/// between them would move them apart.
fn one_core(shape: &[ByteSet], offset: usize) -> bool {
    let inside = &shape[offset.max(1) - 1..(offset + LEN).min(shape.len())];
    let mut narrow = inside.iter().map(|set| !set.has_high()).skip_while(|narrow| !narrow);
    narrow.by_ref().take_while(|narrow| *narrow).count() >= 2 && !narrow.any(|narrow| narrow)
}

fn texts(sets: &[ByteSet; LEN]) -> Vec<u32> {
    let mut texts = vec![0];
    for (index, set) in sets.iter().enumerate() {
        let folded = folded(set);
        let longer = |text: &u32| {
            let text = *text;
            folded.iter().map(move |byte| text | u32::from(byte) << (8 * index)).collect::<Vec<_>>()
        };
        texts = texts.iter().flat_map(longer).collect();
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<ByteSet> {
        let wide = ByteSet::range(b'a', b'z').union(ByteSet::HIGH);
        text.bytes().map(|byte| if byte == b'.' { wide } else { ByteSet::range(byte, byte) }).collect()
    }

    #[test]
    fn plans_the_rarest_pair() {
        let plan = plan(&shape("teezqjx")).expect("a plan");
        assert_eq!((plan.grams[0].offset, plan.grams[1].offset), (3, 4), "ezqj and zqjx");
        assert_eq!(plan.grams[1].texts, [read(*b"zqjx")]);
        assert_eq!(plan.core, 2..7);
    }

    #[test]
    fn extends_gram_beyond_an_end() {
        let plan = plan(&shape("lob")).expect("a plan");
        assert_eq!((plan.grams[0].offset, plan.core), (0, 0..3));
        for (gram, bytes) in [(0, *b"!LOB"), (0, *b"\xE9lob"), (1, *b"lob\0"), (1, *b"Lob\xFF")] {
            assert!(plan.grams[gram].texts.contains(&read(bytes)), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn rejects_short_and_wide_shapes() {
        assert_eq!(cost(&shape("")), None);
        assert_eq!(cost(&shape("ab")), None);
        assert_eq!(cost(&shape("a....")), None);
        assert_eq!(cost(&shape("ab.cd")), None, "a long character would move b and c apart");
        assert!(cost(&shape(".abc")).is_some());
    }

    #[test]
    fn picks_the_rarest_narrow_pivot() {
        let digit = ByteSet::range(b'0', b'9').union(ByteSet::HIGH);
        let [e, dot] = [b'e', b'.'].map(|byte| ByteSet::range(byte, byte));
        assert_eq!(pivot(&[e, digit, dot]).map(|(at, _)| at), Some(2));
        assert!(pivot(&[digit, dot]).is_some_and(|(_, cost)| cost < MAX_COST));
        assert!(pivot(&[dot]).is_some_and(|(_, cost)| cost > MAX_COST), "too common");
        assert_eq!(pivot(&[digit, digit]), None);
        assert_eq!(pivot(&[]), None);
    }

    #[test]
    fn costs_less_for_rare_literals() {
        let cost = |text| cost(&shape(text)).expect("a cost");
        assert!(cost("zqjx") < cost("tion"));
        assert!(cost("password") < cost("pass"));
        let run = |first, last, count| run_cost(&ByteSet::range(first, last), count);
        assert!(run(b'0', b'9', 20) < run(b'0', b'9', 10));
        assert!(run(b'0', b'9', 10) < MAX_COST && run(0, 0xFF, 100) > MAX_COST);
    }
}
