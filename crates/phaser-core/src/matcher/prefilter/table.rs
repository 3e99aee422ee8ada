//! The set of all grams of a prefilter, as a bit per hash, and the loop that scans a text with it.
//!
//! False positives are possible, false negatives are not. Sizes are constants so that no index needs a bounds
//! check. For a long text a small table is expanded to a byte per bit: a lookup takes half the instructions, and
//! the expansion pays off from [`LONG`] bytes on.

use crate::matcher::literals::grams;

/// The bytes of text per step, and the bytes that a step reads.
pub const STEP: usize = 16;
const STEP_READS: usize = STEP - 2 + grams::LEN;

/// The bits per gram. At 128, about one lookup in 128 is a false positive.
const BITS_PER_GRAM: usize = 128;

/// The table sizes in words of 64 bits: 8, 32 and 128 KB, within L1 or L2.
const SMALL: usize = 1 << 10;
const MEDIUM: usize = 1 << 12;
const LARGE: usize = 1 << 14;

/// The length of a long text, in bytes.
const LONG: usize = 1 << 20;

/// A set of grams.
#[derive(Debug)]
pub enum GramTable {
    Small(Box<BitTable<SMALL>>),
    Medium(Box<BitTable<MEDIUM>>),
    Large(Box<BitTable<LARGE>>),
}

impl GramTable {
    /// `count` decides the size.
    pub fn new(count: usize, grams: impl Iterator<Item = u32>) -> Self {
        match count * BITS_PER_GRAM / 64 {
            words if words <= SMALL => Self::Small(BitTable::of(grams)),
            words if words <= MEDIUM => Self::Medium(BitTable::of(grams)),
            _ => Self::Large(BitTable::of(grams)),
        }
    }

    /// Calls `each` with the offset and the value of every gram at an even offset that may be in the set.
    pub fn scan(&self, text: &[u8], each: impl FnMut(usize, u32)) {
        match self {
            Self::Small(bits) if text.len() >= LONG => {
                let bytes = bits.as_bytes();
                scan(text, |gram| bytes.bit(gram), each);
            }
            Self::Small(bits) => scan(text, |gram| bits.bit(gram), each),
            Self::Medium(bits) => scan(text, |gram| bits.bit(gram), each),
            Self::Large(bits) => scan(text, |gram| bits.bit(gram), each),
        }
    }
}

#[derive(Debug)]
pub struct BitTable<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> BitTable<WORDS> {
    const SHIFT: u32 = u32::BITS - (WORDS * 64).trailing_zeros();

    fn of(grams: impl Iterator<Item = u32>) -> Box<Self> {
        let mut bits = Box::new(Self([0; WORDS]));
        for gram in grams {
            let bit = hash(gram) >> Self::SHIFT;
            bits.0[(bit >> 6) as usize] |= 1 << (bit & 63);
        }
        bits
    }

    /// Odd if the gram may be in the set.
    fn bit(&self, gram: u32) -> u8 {
        let bit = hash(gram) >> Self::SHIFT;
        (self.0[(bit >> 6) as usize % WORDS] >> (bit & 63)) as u8
    }
}

impl BitTable<SMALL> {
    /// The same set with a byte per bit.
    fn as_bytes(&self) -> ByteTable {
        let mut bytes = vec![0; SMALL * 64];
        for (these, word) in bytes.chunks_exact_mut(64).zip(self.0).filter(|(_, word)| *word != 0) {
            these.iter_mut().enumerate().for_each(|(bit, byte)| *byte = (word >> bit) as u8 & 1);
        }
        ByteTable(bytes.try_into().expect("has that size"))
    }
}

/// A byte per bit of a small table.
#[derive(Debug)]
struct ByteTable(Box<[u8; SMALL * 64]>);

impl ByteTable {
    /// Odd if the gram may be in the set.
    fn bit(&self, gram: u32) -> u8 {
        self.0[(hash(gram) >> BitTable::<SMALL>::SHIFT) as usize % (SMALL * 64)]
    }
}

/// The scan loop. `bit` returns an odd number for a gram that may be in the set.
fn scan(text: &[u8], bit: impl Fn(u32) -> u8, mut each: impl FnMut(usize, u32)) {
    let may_be_known = |gram: &u32| bit(*gram) & 1 != 0;
    let mut rest = text;
    while let Some(chunk) = rest.first_chunk::<STEP_READS>() {
        let grams: [u32; STEP / 2] = std::array::from_fn(|index| {
            let at = 2 * index;
            grams::read([chunk[at], chunk[at + 1], chunk[at + 2], chunk[at + 3]])
        });
        // Rarely true. Finding out which gram it was is left to the slow path.
        if grams.iter().fold(0, |any, gram| any | bit(*gram)) & 1 != 0 {
            let at = text.len() - rest.len();
            for (index, gram) in grams.into_iter().enumerate().filter(|(_, gram)| may_be_known(gram)) {
                each(at + 2 * index, gram);
            }
        }
        rest = &rest[STEP..];
    }
    for at in (text.len() - rest.len()..text.len()).step_by(2) {
        let gram = grams::read(std::array::from_fn(|index| text.get(at + index).copied().unwrap_or(0)));
        if may_be_known(&gram) {
            each(at, gram);
        }
    }
}

/// A multiplicative hash; the upper bits are used.
pub fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_long_texts_like_short_ones() {
        let grams = (0..400_u32).map(|number| number.wrapping_mul(0x6C07_8965) | 0x2020_2020);
        let bits = BitTable::<SMALL>::of(grams.clone());
        let bytes = bits.as_bytes();
        let others = (0..100_000_u32).map(|number| number.wrapping_mul(0x0019_660D));
        assert!(grams.chain(others).all(|gram| bits.bit(gram) & 1 == bytes.bit(gram)));
        let known = grams::read(*b"wxyz");
        let table = GramTable::new(1, [known].into_iter());
        let text = " ".repeat(LONG - 2) + "wxyz" + &" ".repeat(5) + "wxyz" + &" ".repeat(41) + "wxyz";
        let mut found = Vec::new();
        table.scan(text.as_bytes(), |at, gram| found.push((at, gram)));
        assert_eq!(found, [(LONG - 2, known), (text.len() - 4, known)]);
    }

    #[test]
    fn finds_grams_at_even_offsets() {
        let known = grams::read(*b"wxyz");
        for count in [1, 5_000, 500_000] {
            let table = GramTable::new(count, [known].into_iter());
            for length in 0..40 {
                for at in 0..=length {
                    let text = " ".repeat(at) + "wXyz" + &" ".repeat(length - at);
                    let mut found = Vec::new();
                    table.scan(text.as_bytes(), |at, gram| found.push((at, gram)));
                    let expected = if at % 2 == 0 { vec![(at, known)] } else { Vec::new() };
                    assert_eq!(found, expected, "{count} {text:?}");
                }
            }
        }
    }
}
