//! A 64-bit hash of bytes, stable over machines and versions. Not collision resistant.

/// FNV-1a with its halves mixed, so that a prefix of the bits suffices.
pub fn digest<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let hash = bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, step);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_stable() {
        assert_eq!(digest(b""), 0xCBF2_9CE4_8422_2325 ^ 0xCBF2_9CE4);
        assert_eq!(digest(b"a"), 0xAF63_DC4C_8601_EC8C ^ 0xAF63_DC4C);
        assert_eq!(digest(b"foobar"), 0x8594_4171_F739_67E8 ^ 0x8594_4171);
    }
}
