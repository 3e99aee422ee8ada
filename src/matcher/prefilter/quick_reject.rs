//! One text, held against what patterns need: most patterns cannot match there, and are not even read.

use memchr::memmem;

use super::FOLDING;
use super::windows::has_run;
use crate::contract::Needs;
use crate::matcher::required::Run;
use crate::matcher::required::byte_set::ByteSet;

/// In a longer text, looking for what each pattern needs would cost more than reading the patterns.
const MAX_TEXT: usize = 256 * 1024;

/// How many bits there are for each gram of a text, so that few are set, and how many there are at most, as a power of two.
const BITS_PER_GRAM: usize = 8;
const MAX_BITS: u32 = 17;

/// A text in lower case, to look for what patterns need.
#[derive(Debug)]
pub struct QuickReject {
    text: Vec<u8>,
    /// A bit for each gram in the text, by its hash.
    grams: Vec<u64>,
    /// By how much a hash is too long for that.
    shift: u32,
}

impl QuickReject {
    /// The text, unless it is too large, or has a character in it that folds in a special way.
    pub fn new(text: &[u8]) -> Option<Self> {
        let usual = || FOLDING.iter().all(|letter| memmem::find(text, letter.as_bytes()).is_none());
        if text.len() > MAX_TEXT || !usual() {
            return None;
        }
        let text = text.to_ascii_lowercase();
        let bits = (text.len() * BITS_PER_GRAM).next_power_of_two().clamp(64, 1 << MAX_BITS);
        let shift = u32::BITS - bits.trailing_zeros();
        let mut grams = vec![0; bits / 64];
        let mut gram = 0;
        for (at, byte) in text.iter().enumerate() {
            gram = gram >> 8 | u32::from(*byte) << 16;
            if at >= 2 {
                let bit = hash(gram) >> shift;
                grams[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        Some(Self { text, grams, shift })
    }

    /// Could a pattern that needs this match in the text?
    pub fn may_match(&self, Needs { texts, run }: &Needs) -> bool {
        let has_run = |(bytes, count)| has_run(&self.text, &Run { bytes: ByteSet::from_bits(bytes), count });
        (texts.is_empty() || texts.iter().any(|text| self.has(text))) && run.is_none_or(has_run)
    }

    /// Is this in the text? Mostly it is not, and one gram tells.
    fn has(&self, part: &[u8]) -> bool {
        let is_known = |gram: &[u8]| {
            let bit = hash(u32::from_le_bytes([gram[0], gram[1], gram[2], 0])) >> self.shift;
            self.grams[bit as usize / 64] >> (bit % 64) & 1 == 1
        };
        part.windows(3).all(is_known) && memmem::find(&self.text, part).is_some()
    }
}

/// The hash of three bytes in a row, the first of which is the lowest.
fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_which_patterns_may_match() {
        let text = QuickReject::new(b"let apiKey = 1;").expect("small and usual");
        let may_match = |texts: &[&str], run| {
            let texts = texts.iter().map(|text| text.as_bytes().into()).collect();
            text.may_match(&Needs { texts, run })
        };
        assert!(may_match(&["password", "apikey"], None));
        assert!(may_match(&["apikey ="], None));
        assert!(may_match(&[], None), "nothing is needed");
        assert!(!may_match(&["password", "token"], None));
        let letters = ByteSet::range(b'a', b'z').to_bits();
        assert!(may_match(&[], Some((letters, 6))) && !may_match(&[], Some((letters, 7))), "a run");
        assert!(!may_match(&["apikey"], Some((letters, 7))), "both are needed");
        assert!(QuickReject::new("api\u{212A}ey".as_bytes()).is_none());
        assert!(QuickReject::new(&[b'a'; MAX_TEXT + 1]).is_none());
    }
}
