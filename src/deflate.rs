//! Bytes in fewer bytes: the home of zlib-rs, which git's objects need anyway.

use zlib_rs::{DeflateFlush, Inflate, InflateFlush, Status, compress_bound};

/// How hard a shorter way to say something is looked for; more takes longer, and hardly saves anything.
const LEVEL: i32 = 2;

/// How far back something may stand that is said again, as a power of two.
const WINDOW_BITS: u8 = 15;

/// No bytes become so many times fewer.
const MAX_RATIO: usize = 1_032;

/// So much memory is kept for what comes next.
const MOST_SPARE: usize = 1 << 20;

/// Makes bytes fewer, one time after another.
pub struct Deflater {
    deflate: zlib_rs::Deflate,
    out: Vec<u8>,
}

impl Deflater {
    /// With memory of its own, a quarter of a megabyte.
    pub fn new() -> Self {
        Self { deflate: zlib_rs::Deflate::new(LEVEL, false, WINDOW_BITS), out: Vec::new() }
    }

    /// The same in fewer bytes, if it can be said so.
    pub fn deflate(&mut self, plain: &[u8]) -> Option<Box<[u8]>> {
        self.out.resize(compress_bound(plain.len()), 0);
        self.deflate.reset();
        let status = self.deflate.compress(plain, &mut self.out, DeflateFlush::Finish);
        let length = usize::try_from(self.deflate.total_out()).ok()?;
        let is_smaller = status == Ok(Status::StreamEnd) && length < plain.len();
        let deflated = is_smaller.then(|| self.out[..length].into());
        self.out.clear();
        self.out.shrink_to(MOST_SPARE);
        deflated
    }
}

/// What was deflated, if it was so many bytes.
pub fn inflate(deflated: &[u8], length: usize) -> Option<Vec<u8>> {
    if length > deflated.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    let mut plain = vec![0; length];
    let mut inflate = Inflate::new(false, WINDOW_BITS);
    let status = inflate.decompress(deflated, &mut plain, InflateFlush::Finish);
    let is_whole = status == Ok(Status::StreamEnd)
        && inflate.total_out() == length as u64
        && inflate.total_in() == deflated.len() as u64;
    is_whole.then_some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_deflated_is_inflated(part: Vec<u8>, count in 0..200_usize, other: Vec<u8>) {
            let mut deflater = Deflater::new();
            for plain in [part.repeat(count), other] {
                let Some(deflated) = deflater.deflate(&plain) else { continue };
                prop_assert!(deflated.len() < plain.len());
                prop_assert_eq!(inflate(&deflated, plain.len()), Some(plain.clone()));
                prop_assert_eq!(inflate(&deflated, plain.len() - 1), None);
                prop_assert_eq!(inflate(&deflated, plain.len() + 1), None);
                prop_assert_eq!(inflate(&deflated[..deflated.len() - 1], plain.len()), None);
            }
        }

        #[test]
        fn any_bytes_are_inflated_or_not(bytes: Vec<u8>, length in 0..10_000_usize) {
            let _ = inflate(&bytes, length);
        }
    }

    #[test]
    fn much_of_the_same_becomes_little_and_nothing_can_claim_to_be_more() {
        let plain = vec![7; 1 << 20];
        let deflated = Deflater::new().deflate(&plain).expect("is smaller");
        assert!(deflated.len() > (1 << 20) / MAX_RATIO, "{}", deflated.len());
        assert_eq!(inflate(&deflated, 1 << 20), Some(plain));
        assert_eq!(inflate(&deflated, usize::MAX), None);
    }
}
