//! Sets of bytes.

/// A set of bytes, as 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);
    /// The bytes of characters beyond ASCII.
    pub const HIGH: Self = Self([0, 0, u64::MAX, u64::MAX]);

    /// The set with these bits, from byte 0 on.
    #[inline]
    pub const fn from_bits(bits: [u64; 4]) -> Self {
        Self(bits)
    }

    /// One bit per byte, from byte 0 on.
    #[inline]
    pub const fn to_bits(self) -> [u64; 4] {
        self.0
    }

    /// The bytes of `text`.
    #[inline]
    pub const fn of(text: &str) -> Self {
        Self::EMPTY.with_all(text)
    }

    /// The bytes from `first` to `last`, both included. Empty if `first > last`.
    #[inline]
    pub fn range(first: u8, last: u8) -> Self {
        if first <= last && last.is_ascii() {
            let bits = u128::MAX >> (127 - (last - first)) << first;
            return Self([bits as u64, (bits >> 64) as u64, 0, 0]);
        }
        let word = |word: u8| {
            let (low, high) = (first.max(word * 64), last.min(word * 64 + 63));
            if low > high { 0 } else { u64::MAX >> (63 - (high - low)) << (low & 63) }
        };
        Self([word(0), word(1), word(2), word(3)])
    }

    /// Adds `byte`.
    #[must_use]
    #[inline]
    pub const fn with(mut self, byte: u8) -> Self {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
        self
    }

    /// Adds the bytes of `text`.
    #[must_use]
    #[inline]
    pub const fn with_all(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            self = self.with(bytes[index]);
            index += 1;
        }
        self
    }

    /// Adds the first byte of `text`, if any.
    #[must_use]
    #[inline]
    pub const fn with_first(self, text: &str) -> Self {
        match text.as_bytes() {
            [first, ..] => self.with(*first),
            [] => self,
        }
    }

    /// Adds the bytes of `other`.
    #[must_use]
    #[inline]
    pub const fn union(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    /// Whether `byte` is in the set.
    #[inline]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// The offset of the first byte of the set in `text`.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        text.iter().position(|&byte| self.contains(byte))
    }

    /// The number of bytes in the set.
    #[inline]
    pub fn size(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether the set contains all bytes of characters beyond ASCII.
    #[inline]
    pub const fn has_high(&self) -> bool {
        self.0[2] & self.0[3] == u64::MAX
    }

    /// Whether the set contains no ASCII byte.
    #[inline]
    pub const fn is_beyond_ascii(&self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// The bytes in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let Self(words) = *self;
        words.into_iter().zip([0, 64, 128, 192]).flat_map(|(mut word, first)| {
            std::iter::from_fn(move || {
                let bit = u8::try_from(word.trailing_zeros()).ok().filter(|&bit| bit < 64)?;
                word &= word - 1;
                Some(first + bit)
            })
        })
    }

    /// The set with `A` to `Z` replaced by their lower case.
    #[must_use]
    #[inline]
    pub const fn to_ascii_lowercase(mut self) -> Self {
        const UPPER: u64 = 0x07FF_FFFE;
        let letters = self.0[1];
        self.0[1] = letters & !UPPER | (letters & UPPER) << 32;
        self
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: Vec<u8> = self.iter().collect();
        write!(f, "[{}]", bytes.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_added_bytes() {
        let set = ByteSet::of("a\u{7f}").with(0).with(255).with_first("xy");
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, b'a', b'x', 0x7f, 255]);
        assert_eq!(set.find(b"bcx"), Some(2));
        assert_eq!(set.find(b"bcy"), None);
    }

    #[test]
    fn contains_ranges() {
        let set = ByteSet::range(b'a', b'c').with(0xFF);
        assert_eq!(set.iter().collect::<Vec<_>>(), [b'a', b'b', b'c', 0xFF]);
        assert_eq!(set.size(), 4);
        assert!(!set.contains(b'd') && !set.has_high());
        assert!(set.union(ByteSet::HIGH).has_high());
        assert_eq!(ByteSet::range(0, 0xFF), ByteSet::ALL);
        assert_eq!(ByteSet::range(0x80, 0xFF), ByteSet::HIGH);
        assert_eq!(ByteSet::range(b'b', b'a'), ByteSet::EMPTY);
        assert_eq!(ByteSet::range(60, 70).iter().collect::<Vec<_>>(), (60..=70).collect::<Vec<u8>>());
        assert_eq!(format!("{set:?}"), r"[abc\xff]");
    }

    #[test]
    fn lowers_upper_case() {
        for byte in 0..=u8::MAX {
            let lower = byte.to_ascii_lowercase();
            assert_eq!(ByteSet::range(byte, byte).to_ascii_lowercase(), ByteSet::range(lower, lower));
        }
    }
}
