//! Four bytes in a row, folded: what the prefilter looks up at every second place of a text.
//!
//! A shape is found by two of its grams that start next to each other, because one of the two stands
//! at an even place. A gram may hang over the end of its shape by one byte.

use std::ops::Range;

use super::byte_set::{ByteSet, FOLD, likelihood};

/// The bytes of a gram.
pub const LEN: usize = 4;

/// What one byte of text may cost, in the same unit as [`cost`]; more than that is no gain.
pub const MAX_COST: f32 = 4.0;

/// The most texts that one gram of a shape may stand for.
const MAX_TEXTS: u32 = 256;

/// What to do about a gram that is there, and about a shape that is there, in cycles; the second
/// makes up for texts in which letters do not follow each other at random.
const GRAM_COST: f32 = 30.0;
const SHAPE_COST: f32 = 3_000.0;

/// What it costs to look for a pivot, and what to do about one that is there.
const PIVOT_SCAN_COST: f32 = 0.2;
const PIVOT_COST: f32 = 20.0;

/// One of the grams by which a shape is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gram {
    /// Where it starts in the shape, plus one.
    pub offset: usize,
    /// The texts it can have.
    pub texts: Vec<u32>,
}

/// How a shape is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GramPlan {
    /// Two grams that start next to each other.
    pub grams: [Gram; 2],
    /// The bytes of the shape that stand together in every text, and in one of the grams at least.
    pub core: Range<usize>,
}

/// The text of a gram.
pub fn read(bytes: [u8; LEN]) -> u32 {
    u32::from_le_bytes(bytes) | u32::from_le_bytes([FOLD; LEN])
}

/// What it costs to look for this shape, for each byte of text, or `None` when it cannot be found.
pub fn cost(shape: &[ByteSet]) -> Option<f32> {
    let facts = facts(shape);
    let (_, grams) = best(shape, &facts)?;
    let whole: f32 = facts[1..=shape.len()].iter().map(|fact| fact.likelihood).product();
    Some(GRAM_COST * grams + SHAPE_COST * whole)
}

/// Where the rarest set of a shape with at most three bytes is, by which the shape can be looked for when its grams are
/// too common, and what that costs for each byte of text.
pub fn pivot(shape: &[ByteSet]) -> Option<(usize, f32)> {
    let facts = facts(shape);
    let likelihood = |at: usize| facts[at + 1].likelihood;
    let narrow = (0..shape.len()).filter(|&at| (1..=3).contains(&shape[at].len()));
    let at = narrow.min_by(|&one, &other| likelihood(one).total_cmp(&likelihood(other)))?;
    let whole: f32 = (0..shape.len()).map(likelihood).product();
    Some((at, PIVOT_SCAN_COST + PIVOT_COST * likelihood(at) + SHAPE_COST * whole))
}

/// What it costs to look for a run, for each byte of text.
pub fn run_cost(bytes: &ByteSet, count: usize) -> f32 {
    let likelihood = likelihood(bytes);
    let all = likelihood.powi(i32::try_from(count).unwrap_or(i32::MAX));
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let count = count as f32;
    (3.0 + GRAM_COST * likelihood) / count + SHAPE_COST * all
}

/// The cheapest way to find this shape.
pub fn plan(shape: &[ByteSet]) -> Option<GramPlan> {
    let (offset, _) = best(shape, &facts(shape))?;
    let grams = [offset, offset + 1].map(|offset| Gram { offset, texts: texts(&sets(shape, offset)) });
    let inside = offset.max(1) - 1..(offset + LEN).min(shape.len());
    let narrow = |index: &usize| !shape[*index].has_high();
    let start = inside.clone().find(narrow)?;
    let end = (start..inside.end).take_while(narrow).last()? + 1;
    Some(GramPlan { grams, core: start..end })
}

/// What is known of a byte of a gram.
#[derive(Debug, Clone, Copy)]
struct ByteStats {
    likelihood: f32,
    /// How many values it has, once folded.
    count: u32,
}

/// The facts of each byte of a shape, and of any byte before and after it.
fn facts(shape: &[ByteSet]) -> Vec<ByteStats> {
    let any = ByteStats { likelihood: 1.0, count: ByteSet::ALL.folded().len() };
    let inside = shape.iter().map(|set| ByteStats { likelihood: likelihood(set), count: set.folded().len() });
    std::iter::once(any).chain(inside).chain([any]).collect()
}

/// Where the best of the two grams starts in the shape, plus one, and how likely they are.
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

/// A character of several bytes must not stand between two bytes of a core, or they move apart.
fn one_core(shape: &[ByteSet], offset: usize) -> bool {
    let inside = &shape[offset.max(1) - 1..(offset + LEN).min(shape.len())];
    let mut narrow = inside.iter().map(|set| !set.has_high()).skip_while(|narrow| !narrow);
    narrow.by_ref().take_while(|narrow| *narrow).count() >= 2 && !narrow.any(|narrow| narrow)
}

fn texts(sets: &[ByteSet; LEN]) -> Vec<u32> {
    let mut texts = vec![0];
    for (index, set) in sets.iter().enumerate() {
        let folded = set.folded();
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
    fn the_rarest_two_neighbours_are_taken() {
        let plan = plan(&shape("teezqjx")).expect("a plan");
        assert_eq!((plan.grams[0].offset, plan.grams[1].offset), (3, 4), "ezqj and zqjx");
        assert_eq!(plan.grams[1].texts, [read(*b"zqjx")]);
        assert_eq!(plan.core, 2..7);
    }

    #[test]
    fn a_gram_may_hang_over_an_end() {
        let plan = plan(&shape("lob")).expect("a plan");
        assert_eq!((plan.grams[0].offset, plan.core), (0, 0..3));
        for (gram, bytes) in [(0, *b"!LOB"), (0, *b"\xE9lob"), (1, *b"lob\0"), (1, *b"Lob\xFF")] {
            assert!(plan.grams[gram].texts.contains(&read(bytes)), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_too_short_or_stands_for_too_much_cannot_be_found() {
        assert_eq!(cost(&shape("")), None);
        assert_eq!(cost(&shape("ab")), None);
        assert_eq!(cost(&shape("a....")), None);
        assert_eq!(cost(&shape("ab.cd")), None, "a long character would move b and c apart");
        assert!(cost(&shape(".abc")).is_some());
    }

    #[test]
    fn a_pivot_is_the_rarest_of_the_narrow_sets() {
        let digit = ByteSet::range(b'0', b'9').union(ByteSet::HIGH);
        let [e, dot] = [b'e', b'.'].map(|byte| ByteSet::range(byte, byte));
        assert_eq!(pivot(&[e, digit, dot]).map(|(at, _)| at), Some(2));
        assert!(pivot(&[digit, dot]).is_some_and(|(_, cost)| cost < MAX_COST));
        assert!(pivot(&[dot]).is_some_and(|(_, cost)| cost > MAX_COST), "too common");
        assert_eq!(pivot(&[digit, digit]), None);
        assert_eq!(pivot(&[]), None);
    }

    #[test]
    fn rare_is_cheap() {
        let cost = |text| cost(&shape(text)).expect("a cost");
        assert!(cost("zqjx") < cost("tion"));
        assert!(cost("password") < cost("pass"));
        let run = |first, last, count| run_cost(&ByteSet::range(first, last), count);
        assert!(run(b'0', b'9', 20) < run(b'0', b'9', 10));
        assert!(run(b'0', b'9', 10) < MAX_COST && run(0, 0xFF, 100) > MAX_COST);
    }
}
