//! Sets of bytes, and how rare bytes are. Knows nothing of patterns.

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);
    /// Every byte of a character outside ASCII.
    pub const HIGH: Self = Self([0, 0, u64::MAX, u64::MAX]);

    /// The bytes from `first` to `last`.
    pub fn range(first: u8, last: u8) -> Self {
        let mut set = Self::default();
        (first..=last).for_each(|byte| set.insert(byte));
        set
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Is the byte in the set?
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// The bytes of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// How many bytes there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Does the set hold all bytes of characters outside ASCII?
    pub fn has_high(&self) -> bool {
        self.0[2] & self.0[3] == u64::MAX
    }

    /// The bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|&byte| self.contains(byte))
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: Vec<u8> = self.iter().collect();
        write!(f, "[{}]", bytes.escape_ascii())
    }
}

/// The letters of both cases become one byte, at the price of some other pairs.
pub fn fold(byte: u8) -> u8 {
    byte | 0x20
}

/// How often a folded byte of ASCII occurs in source code: 2 to the power of minus an eighth of this.
/// Counted over C, Rust, Python, Perl, JSON, Markdown and more, a hundred megabytes.
#[rustfmt::skip]
const RARITY: [u8; 64] = [
    19, 83, 45, 65, 71, 100, 82, 66, 54, 51, 37, 83, 49, 59, 55, 56,
    54, 59, 59, 64, 66, 66, 66, 70, 67, 68, 50, 63, 78, 61, 69, 95,
    73, 38, 53, 43, 45, 31, 47, 52, 52, 37, 76, 60, 42, 48, 38, 39,
    45, 76, 38, 37, 34, 47, 60, 62, 58, 55, 74, 58, 71, 58, 92, 44,
];

/// The same for any byte outside ASCII.
const HIGH_RARITY: u8 = 96;

/// How likely it is that a byte of a text, once folded, is one of `set`, once folded.
pub fn likelihood(set: &ByteSet) -> f32 {
    let mut folded = ByteSet::default();
    set.iter().for_each(|byte| folded.insert(fold(byte)));
    folded
        .iter()
        .map(|byte| {
            let rarity = match byte {
                0x20..=0x3F => RARITY[usize::from(byte - 0x20)],
                0x60..=0x7F => RARITY[usize::from(byte - 0x40)],
                _ => HIGH_RARITY,
            };
            (-f32::from(rarity) / 8.0).exp2()
        })
        .sum::<f32>()
        .min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = ByteSet::range(b'a', b'c');
        set.insert(0xFF);
        assert_eq!(set.iter().collect::<Vec<_>>(), [b'a', b'b', b'c', 0xFF]);
        assert_eq!(set.len(), 4);
        assert!(!set.contains(b'd') && !set.has_high());
        assert!(set.union(ByteSet::HIGH).has_high());
        assert_eq!(format!("{set:?}"), r"[abc\xff]");
    }

    #[test]
    fn common_bytes_are_likelier_than_rare_ones() {
        let one = |byte| likelihood(&ByteSet::range(byte, byte));
        assert!(one(b'e') > one(b'q'));
        assert!((one(b'e') - one(b'E')).abs() < f32::EPSILON, "folded");
        assert!(one(b' ') > 10.0 * one(b'~'));
        assert!(likelihood(&ByteSet::ALL) > 0.95);
    }
}
