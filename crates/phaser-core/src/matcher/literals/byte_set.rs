//! Searching for sets of bytes, and how often bytes occur in source code.

use std::ops::ControlFlow;

pub use phaser_zones::ByteSet;

/// A byte set prepared for searching: up to three bytes with vector instructions.
#[derive(Debug, Clone, Copy)]
pub enum Needles {
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many(ByteSet),
}

impl Needles {
    pub fn of(set: &ByteSet) -> Self {
        let mut bytes = set.iter();
        match (bytes.next(), bytes.next(), bytes.next(), bytes.next()) {
            (Some(one), None, ..) => Self::One(one),
            (Some(one), Some(two), None, _) => Self::Two(one, two),
            (Some(one), Some(two), Some(three), None) => Self::Three(one, two, three),
            _ => Self::Many(*set),
        }
    }

    /// Calls `each` with the offset of every byte of the set in `text`, until it breaks.
    pub fn each<B>(&self, text: &[u8], mut each: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        match *self {
            Self::One(one) => memchr::memchr_iter(one, text).try_for_each(each),
            Self::Two(one, two) => memchr::memchr2_iter(one, two, text).try_for_each(each),
            Self::Three(one, two, three) => memchr::memchr3_iter(one, two, three, text).try_for_each(each),
            Self::Many(set) => {
                let known = text.iter().enumerate().filter(|(_, byte)| set.contains(**byte));
                known.map(|(at, _)| at).try_for_each(&mut each)
            }
        }
    }
}

/// `byte | FOLD` maps both cases of a letter to one byte. It also maps some other pairs to one, such as `@` and a
/// backquote.
pub const FOLD: u8 = 0x20;

/// The set with [`FOLD`] applied to each byte.
pub fn folded(set: &ByteSet) -> ByteSet {
    // In each word of 64 bytes, those that have the bit set.
    const FOLDED: u64 = 0xFFFF_FFFF_0000_0000;
    ByteSet::from_bits(set.to_bits().map(|word| (word | word << 32) & FOLDED))
}

/// The rarity of each folded ASCII byte, as `-8 * log2(frequency)`. Counted over 100 MB of C, Rust, Python, Perl,
/// JSON, Markdown and others.
#[rustfmt::skip]
const RARITY: [u8; 64] = [
    19, 83, 45, 65, 71, 100, 82, 66, 54, 51, 37, 83, 49, 59, 55, 56,
    54, 59, 59, 64, 66, 66, 66, 70, 67, 68, 50, 63, 78, 61, 69, 95,
    73, 38, 53, 43, 45, 31, 47, 52, 52, 37, 76, 60, 42, 48, 38, 39,
    45, 76, 38, 37, 34, 47, 60, 62, 58, 55, 74, 58, 71, 58, 92, 44,
];

/// The rarity of a byte beyond ASCII.
const HIGH_RARITY: u8 = 96;

/// The frequency of each folded ASCII byte.
const LIKELIHOOD: [f32; 64] = {
    let mut all = [0.0; 64];
    let mut index = 0;
    while index < all.len() {
        all[index] = power(RARITY[index]);
        index += 1;
    }
    all
};

/// `2^(-rarity / 8)`.
const fn power(rarity: u8) -> f32 {
    const EIGHTH_ROOT_OF_HALF: f32 = 0.917_004_04;
    let (mut power, mut times) = (1.0, 0);
    while times < rarity {
        power *= EIGHTH_ROOT_OF_HALF;
        times += 1;
    }
    power
}

/// The probability that a byte of source code equals a byte of `set`, both folded.
pub fn likelihood(set: &ByteSet) -> f32 {
    let [low, letters, high @ ..] = folded(set).to_bits().map(|word| word >> 32);
    let ascii = ByteSet::from_bits([low | letters << 32, 0, 0, 0]);
    let ascii = ascii.iter().map(|bit| LIKELIHOOD[usize::from(bit)]).sum::<f32>();
    #[expect(clippy::cast_precision_loss, reason = "at most 128")]
    let high = high.map(|half| half.count_ones() as f32).iter().sum::<f32>();
    (ascii + high * const { power(HIGH_RARITY) }).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_any_number_of_needles() {
        for last in b'a'..=b'f' {
            let (set, mut found) = (ByteSet::range(b'a', last), Vec::new());
            let broken = Needles::of(&set).each(b"-a-f-c-b-e-d-a", |at| {
                found.push(at);
                if found.len() == 5 { ControlFlow::Break(at) } else { ControlFlow::Continue(()) }
            });
            let all = [(1, b'a'), (3, b'f'), (5, b'c'), (7, b'b'), (9, b'e'), (11, b'd'), (13, b'a')];
            let expected: Vec<usize> =
                all.into_iter().filter(|(_, byte)| *byte <= last).map(|(at, _)| at).take(5).collect();
            assert_eq!(found, expected, "{set:?}");
            assert_eq!(broken.is_break(), expected.len() == 5, "{set:?}");
        }
        assert_eq!(Needles::of(&ByteSet::EMPTY).each(b"a", ControlFlow::Break), ControlFlow::Continue(()));
    }

    #[test]
    fn folds_letters_to_one_case() {
        let folded = |first, last| folded(&ByteSet::range(first, last));
        assert_eq!(folded(b'A', b'Z'), ByteSet::range(b'a', b'z'));
        assert_eq!(folded(b'0', b'9'), ByteSet::range(b'0', b'9'));
        for byte in 0..=u8::MAX {
            assert_eq!(folded(byte, byte), ByteSet::range(byte | FOLD, byte | FOLD));
        }
    }

    #[test]
    fn ranks_common_bytes_as_likelier() {
        let one = |byte| likelihood(&ByteSet::range(byte, byte));
        assert!(one(b'e') > one(b'q'));
        assert!((one(b'e') - one(b'E')).abs() < f32::EPSILON, "folded");
        assert!(one(b' ') > 10.0 * one(b'~'));
        assert!(likelihood(&ByteSet::ALL) > 0.95);
    }
}
