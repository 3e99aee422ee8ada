//! The few texts of a hook or a commit, held against what patterns need: most patterns cannot match there.

use memchr::memmem;

use super::anatomy::Run;
use super::bytes::ByteSet;
use super::prefilter::FOLDING;
use super::sketch::{Looks, Sketch};
use super::windows::has_run;
use crate::contract::{Dialect, Needs, Pattern};

/// In more text, looking for each pattern's texts would cost more than parsing the patterns.
const MAX_TEXT: usize = 256 * 1024;

/// How many bits there are for the places of grams in a text: enough for few to be set.
const GRAM_BITS: usize = 1 << 17;

/// Some texts in lower case, to look for what patterns need.
#[derive(Debug)]
pub struct Folded {
    /// One after the other, each with a byte after it that is in none of them.
    text: Vec<u8>,
    /// A bit for each gram in the text, by its hash.
    grams: Vec<u64>,
}

impl Folded {
    /// The texts, unless they are too large, or have a character in them that folds in a special way.
    pub fn new<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let mut all = Vec::new();
        for text in texts {
            let usual = || FOLDING.iter().all(|letter| memmem::find(text, letter.as_bytes()).is_none());
            if text.len() + all.len() > MAX_TEXT || !usual() {
                return None;
            }
            all.extend(text.iter().map(u8::to_ascii_lowercase));
            all.push(0);
        }
        let mut grams = vec![0; GRAM_BITS / 64];
        for bit in all.windows(3).map(gram_bit) {
            grams[bit / 64] |= 1 << (bit % 64);
        }
        Some(Self { text: all, grams })
    }

    /// Could the pattern match in the text? If not, it is also known to be valid.
    pub fn may_match(&self, pattern: &Pattern) -> bool {
        if let Some(Needs { texts, run }) = &pattern.needs {
            let has_run =
                |(bytes, count)| has_run(&self.text, &Run { bytes: ByteSet::from_bits(bytes), count });
            return (texts.is_empty() || texts.iter().any(|text| self.has(text))) && run.is_none_or(has_run);
        }
        match pattern.dialect {
            Dialect::Literal => self.has(pattern.source.to_ascii_lowercase().as_bytes()),
            Dialect::Regex => Sketch::of(&pattern.source, Looks::Unknown).is_none_or(|sketch| {
                sketch.texts().is_none_or(|mut texts| texts.any(|text| self.has(text)))
                    && sketch.run().is_none_or(|run| has_run(&self.text, &run))
            }),
        }
    }

    /// Is this in the text? Mostly it is not, and one gram tells.
    fn has(&self, part: &[u8]) -> bool {
        let is_known = |bit: usize| self.grams[bit / 64] >> (bit % 64) & 1 == 1;
        part.windows(3).map(gram_bit).all(is_known) && memmem::find(&self.text, part).is_some()
    }
}

fn gram_bit(gram: &[u8]) -> usize {
    let gram = u32::from_le_bytes([gram[0], gram[1], gram[2], 0]);
    gram.wrapping_mul(0x9E37_79B1) as usize >> (u32::BITS - GRAM_BITS.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_which_patterns_may_match() {
        let text = Folded::new([&b"let apiKey = 1;"[..]].into_iter()).expect("small and usual");
        let may_match = |source: &str, dialect| {
            text.may_match(&Pattern { source: source.to_owned(), dialect, line: 1, needs: None })
        };
        assert!(may_match("API[Kk]ey|apikey", Dialect::Regex));
        assert!(may_match("(apikey", Dialect::Regex), "nothing is known of it");
        assert!(!may_match("password", Dialect::Regex));
        assert!(!may_match("[a-z]{16}", Dialect::Regex), "no run");
        assert!(may_match("apiKey =", Dialect::Literal));
        assert!(!may_match("api.*", Dialect::Literal));
        assert!(Folded::new(["api\u{212A}ey".as_bytes()].into_iter()).is_none());
        assert!(Folded::new([&[b'a'; MAX_TEXT + 1][..]].into_iter()).is_none());
    }
}
