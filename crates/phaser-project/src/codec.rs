//! A minimal binary encoding: varints, byte strings, lists.
//!
//! Used by the tables of packs, which a test writes, and to frame the entries of the cache. Written by hand because a
//! hook decodes a thousand values before it responds: nothing is copied and nothing allocated. Decoding never panics;
//! malformed input yields `None`.

/// The input that is left.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'a>(pub &'a [u8]);

impl<'a> Decoder<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next varint, see [`put_number`].
    pub fn number(&mut self) -> Option<usize> {
        let first = self.byte()?;
        if first < 0x80 { Some(usize::from(first)) } else { self.rest_of_number(first) }
    }

    /// The rest of a varint of several bytes.
    fn rest_of_number(&mut self, first: u8) -> Option<usize> {
        let (mut number, mut shift) = (u64::from(first & 0x7F), 7);
        loop {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if shift >= u64::BITS || (part << shift) >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return usize::try_from(number).ok();
            }
            shift += 7;
        }
    }

    /// The next 8 bytes, little-endian.
    pub fn long(&mut self) -> Option<u64> {
        let (long, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*long))
    }

    /// The next byte string, see [`put_bytes`].
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next byte string, as UTF-8.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The next list, with elements decoded by `next`.
    pub fn list<T>(&mut self, next: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Each element takes at least a byte, so a wrong count cannot allocate more than the input's length.
        let mut list = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            list.push(next(self)?);
        }
        Some(list)
    }
}

/// Appends a varint: 7 bits per byte, lowest first.
pub fn put_number(out: &mut Vec<u8>, number: usize) {
    let mut number = number as u64;
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends 8 bytes, little-endian.
#[cfg(test)]
pub fn put_long(out: &mut Vec<u8>, long: u64) {
    out.extend(long.to_le_bytes());
}

/// Appends a byte string: its length as a varint, then the bytes.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len());
    out.extend(bytes);
}

/// Appends a list: its length as a varint, then the elements.
#[cfg(test)]
pub fn put_list<T>(out: &mut Vec<u8>, list: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    put_number(out, list.len());
    list.iter().for_each(|member| put(out, member));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn codec_round_trips(number: usize, long: u64, bytes: Vec<u8>, list: Vec<String>) {
            let mut out = Vec::new();
            put_number(&mut out, number);
            put_long(&mut out, long);
            put_bytes(&mut out, &bytes);
            put_list(&mut out, &list, |out, text| put_bytes(out, text.as_bytes()));
            let mut read = Decoder(&out);
            prop_assert_eq!(read.number(), Some(number));
            prop_assert_eq!(read.long(), Some(long));
            prop_assert_eq!(read.bytes(), Some(&bytes[..]));
            let texts = read.list(Decoder::text).expect("a list");
            prop_assert_eq!(texts, list);
            prop_assert_eq!(read.byte(), None);
            for length in 0..out.len() {
                let mut cut = Decoder(&out[..length]);
                let whole = cut.number().and_then(|_| cut.long()).and_then(|_| cut.bytes());
                prop_assert!(whole.and_then(|_| cut.list(Decoder::text)).is_none(), "{}", length);
            }
        }
    }

    #[test]
    fn rejects_overlong_number() {
        assert_eq!(Decoder(&[0xFF; 20]).number(), None);
        assert_eq!(
            Decoder(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]).number(),
            Some(usize::MAX)
        );
        assert_eq!(Decoder(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]).number(), None);
        assert_eq!(Decoder(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]).bytes(), None, "more than there is");
        assert!(Decoder(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]).list(Decoder::byte).is_none());
    }
}
