//! A set of bytes, computed at compile time.

/// The bytes at which the lexer stops skipping.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopBytes([u64; 4]);

impl StopBytes {
    pub const EMPTY: Self = Self([0; 4]);

    /// The bytes of `text`.
    pub const fn of(text: &str) -> Self {
        Self::EMPTY.with_all(text)
    }

    /// Adds `byte`.
    pub const fn with(mut self, byte: u8) -> Self {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
        self
    }

    /// Adds the bytes of `text`.
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
    pub const fn with_first(self, text: &str) -> Self {
        match text.as_bytes() {
            [first, ..] => self.with(*first),
            [] => self,
        }
    }

    /// Adds the bytes of `other`.
    pub const fn union(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// The offset of the first byte of the set in `text`.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        text.iter().position(|&byte| self.contains(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_added_bytes() {
        let set = StopBytes::of("a\u{7f}").with(0).with(255).with_first("xy");
        let held: Vec<u8> = (0..=255).filter(|&byte| set.contains(byte)).collect();
        assert_eq!(held, [0, b'a', b'x', 0x7f, 255]);
        assert_eq!(set.find(b"bcx"), Some(2));
        assert_eq!(set.find(b"bcy"), None);
    }
}
