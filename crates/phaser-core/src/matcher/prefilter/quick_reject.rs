//! Tests the required literals of many patterns against one small text, before any pattern is parsed.
//!
//! Used while a [`Selection`](crate::matcher::Selection) is cold, which for a hook is always. Building a prefilter
//! needs parsed patterns; this needs only the [`scan`](crate::matcher::literals::scan) of a pattern, or what a
//! pack carries precomputed. Of 400 patterns a typical edit leaves a handful to parse.
//!
//! A pattern with the literals `{password, passwd}` is rejected for `let apiKey = 1;` as follows: the text is
//! lowered, its trigrams (`let`, `et `, `t a`, ...) set bits in a [`TrigramFilter`], and `pas` is not among them,
//! nor is `pas` of the second literal. If all trigrams of a literal are there, a substring search decides. Two
//! bytes or fewer are searched directly.
//!
//! Case is dropped on both sides, so rejecting is sound for any flags. Texts with U+212A or U+017F, which lower to
//! `k` and `s` only in Unicode, are not handled and count as "may match".

use memchr::memmem;

use super::FOLDING;
use super::windows::has_run;
use crate::contract::{LiteralFilter, RequiredLiterals};
use crate::matcher::literals::ByteRun;
use crate::matcher::literals::byte_set::ByteSet;
use crate::matcher::view::View;
use crate::text::Text;

/// The largest text, in bytes. Beyond it, parsing all patterns is cheaper.
const MAX_TEXT: usize = 256 * 1024;

/// Up to this number of patterns, substring searches are cheaper than a trigram filter.
const FEW: usize = 8;

/// The bits per trigram of the text, and the cap on the number of bits, log2.
const BITS_PER_GRAM: usize = 8;
const MAX_BITS: u32 = 17;

/// A text in lower case, with a trigram filter.
#[derive(Debug)]
pub struct QuickReject {
    text: Vec<u8>,
    is_ascii: bool,
    grams: Option<TrigramFilter>,
}

impl QuickReject {
    /// Whether a file is small enough.
    pub fn takes(file: &[u8]) -> bool {
        file.len() <= MAX_TEXT
    }

    /// The text of a file as patterns see it, for any number of patterns. `None` as in [`QuickReject::new`].
    pub fn of_text(text: &Text<'_>) -> Option<Self> {
        Self::new(View::of(text).bytes(), usize::MAX)
    }

    /// `None` if the text is too large or has a character that folds unusually: then every pattern may match.
    pub fn new(text: &[u8], patterns: usize) -> Option<Self> {
        let usual = || FOLDING.iter().all(|letter| memmem::find(text, letter.as_bytes()).is_none());
        if !Self::takes(text) || !usual() {
            return None;
        }
        let text = text.to_ascii_lowercase();
        let (is_ascii, grams) = (text.is_ascii(), (patterns > FEW).then(|| TrigramFilter::of(&text)));
        Some(Self { text, is_ascii, grams })
    }

    /// Whether a pattern with these required literals may match in the text. Never a false negative.
    pub fn may_match(&self, RequiredLiterals { texts, run }: &RequiredLiterals) -> bool {
        (texts.is_empty() || texts.iter().any(|text| self.may_contain(text)))
            && run.is_none_or(|(set, count)| self.may_contain_run(set, count))
    }
}

impl LiteralFilter for QuickReject {
    fn may_contain(&self, part: &[u8]) -> bool {
        self.grams.as_ref().is_none_or(|grams| grams.have_all_of(part))
            && memmem::find(&self.text, part).is_some()
    }

    fn may_contain_run(&self, set: [u64; 4], count: usize) -> bool {
        let bytes = ByteSet::from_bits(set);
        if self.is_ascii && bytes.is_beyond_ascii() {
            return false;
        }
        has_run(&self.text, &ByteRun { bytes, count })
    }
}

/// A Bloom filter with one hash over the trigrams of a text.
#[derive(Debug)]
struct TrigramFilter {
    bits: Vec<u64>,
    /// The right shift that turns a hash into a bit index.
    shift: u32,
}

impl TrigramFilter {
    fn of(text: &[u8]) -> Self {
        let count = (text.len() * BITS_PER_GRAM).next_power_of_two().clamp(64, 1 << MAX_BITS);
        let shift = u32::BITS - count.trailing_zeros();
        let mut bits = vec![0; count / 64];
        let mut gram = 0;
        for (at, byte) in text.iter().enumerate() {
            gram = gram >> 8 | u32::from(*byte) << 16;
            if at >= 2 {
                let bit = hash(gram) >> shift;
                bits[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        Self { bits, shift }
    }

    /// Whether the filter has all trigrams of `part`. May return false positives.
    fn have_all_of(&self, part: &[u8]) -> bool {
        part.windows(3).all(|gram| {
            let bit = hash(u32::from_le_bytes([gram[0], gram[1], gram[2], 0])) >> self.shift;
            self.bits[bit as usize / 64] >> (bit % 64) & 1 == 1
        })
    }
}

/// The hash of a trigram, its first byte lowest.
fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_patterns_by_required_literals() {
        for patterns in [FEW, FEW + 1] {
            let text = QuickReject::new(b"let apiKey = 1;", patterns).expect("small and usual");
            let may_match = |texts: &[&str], run| {
                let texts = texts.iter().map(|text| text.as_bytes().into()).collect();
                text.may_match(&RequiredLiterals { texts, run })
            };
            assert!(may_match(&["password", "apikey"], None));
            assert!(may_match(&["apikey ="], None));
            assert!(may_match(&["k"], None) && !may_match(&["q"], None), "less than a gram");
            assert!(may_match(&[], None), "nothing is needed");
            assert!(!may_match(&["password", "token"], None));
            let letters = ByteSet::range(b'a', b'z').to_bits();
            assert!(may_match(&[], Some((letters, 6))) && !may_match(&[], Some((letters, 7))), "a run");
            assert!(!may_match(&["apikey"], Some((letters, 7))), "both are needed");
            assert!(!may_match(&[], Some((ByteSet::HIGH.to_bits(), 1))), "nothing is beyond ASCII");
        }
        let beyond = RequiredLiterals { texts: Vec::new(), run: Some((ByteSet::HIGH.to_bits(), 1)) };
        assert!(QuickReject::new("é".as_bytes(), 1).expect("usual").may_match(&beyond));
        assert!(QuickReject::new("api\u{212A}ey".as_bytes(), 1).is_none());
        assert!(QuickReject::new(&[b'a'; MAX_TEXT + 1], 1).is_none());
    }
}
