//! Which grams are known: a bit for each, by its hash, and the loop that reads a text with it.
//!
//! It may take a gram for known that is not. The sizes are fixed so that no entry in it has to be checked. For a long text
//! a small table has a byte for each bit: that is looked up in half as many steps, and more memory than a short text is
//! worth.

use crate::matcher::literals::grams;

/// How many bytes of text one step covers, and how many it reads.
pub const STEP: usize = 16;
const STEP_READS: usize = STEP - 2 + grams::LEN;

/// How many bits there should be for each gram that is known, so that few others are taken for one.
const BITS_PER_GRAM: usize = 128;

/// The sizes, in words of 64 bits: all of them stay in a fast cache.
const SMALL: usize = 1 << 10;
const MEDIUM: usize = 1 << 12;
const LARGE: usize = 1 << 14;

/// From so many bytes on a text is long.
const LONG: usize = 1 << 20;

/// A table of grams.
#[derive(Debug)]
pub enum GramTable {
    Small(Box<BitTable<SMALL>>),
    Medium(Box<BitTable<MEDIUM>>),
    Large(Box<BitTable<LARGE>>),
}

impl GramTable {
    /// For so many grams.
    pub fn new(count: usize, grams: impl Iterator<Item = u32>) -> Self {
        match count * BITS_PER_GRAM / 64 {
            words if words <= SMALL => Self::Small(BitTable::of(grams)),
            words if words <= MEDIUM => Self::Medium(BitTable::of(grams)),
            _ => Self::Large(BitTable::of(grams)),
        }
    }

    /// Calls `each` with every gram at an even entry that may be known.
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

/// The bits of a table.
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

    /// A number that is odd if the gram may be known.
    fn bit(&self, gram: u32) -> u8 {
        let bit = hash(gram) >> Self::SHIFT;
        (self.0[(bit >> 6) as usize % WORDS] >> (bit & 63)) as u8
    }
}

impl BitTable<SMALL> {
    /// The same table, for long texts.
    fn as_bytes(&self) -> ByteTable {
        let mut bytes = vec![0; SMALL * 64];
        for (these, word) in bytes.chunks_exact_mut(64).zip(self.0).filter(|(_, word)| *word != 0) {
            these.iter_mut().enumerate().for_each(|(bit, byte)| *byte = (word >> bit) as u8 & 1);
        }
        ByteTable(bytes.try_into().expect("has that size"))
    }
}

/// A byte for each bit of a small table.
#[derive(Debug)]
struct ByteTable(Box<[u8; SMALL * 64]>);

impl ByteTable {
    /// A number that is odd if the gram may be known.
    fn bit(&self, gram: u32) -> u8 {
        self.0[(hash(gram) >> BitTable::<SMALL>::SHIFT) as usize % (SMALL * 64)]
    }
}

/// Calls `each` with every gram at an even entry that may be known: `bit` then gives an odd number.
fn scan(text: &[u8], bit: impl Fn(u32) -> u8, mut each: impl FnMut(usize, u32)) {
    let may_be_known = |gram: &u32| bit(*gram) & 1 != 0;
    let mut rest = text;
    while let Some(chunk) = rest.first_chunk::<STEP_READS>() {
        let grams: [u32; STEP / 2] = std::array::from_fn(|index| {
            let at = 2 * index;
            grams::read([chunk[at], chunk[at + 1], chunk[at + 2], chunk[at + 3]])
        });
        // Mostly there is none, and which one it is can be found out again.
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

/// The hash of a gram.
pub fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_read_as_a_short_one_is() {
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
    fn what_is_known_is_found_at_even_places_in_every_size() {
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
