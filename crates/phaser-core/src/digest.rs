//! A short hash of bytes, the same on every machine and in every version; not safe against somebody who
//! looks for two texts with the same one.

/// FNV-1a, 64 bits, with its halves mixed so that few of them suffice.
pub fn digest<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let hash = bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, step);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_changes() {
        assert_eq!(digest(b""), 0xCBF2_9CE4_8422_2325 ^ 0xCBF2_9CE4);
        assert_eq!(digest(b"a"), 0xAF63_DC4C_8601_EC8C ^ 0xAF63_DC4C);
        assert_eq!(digest(b"foobar"), 0x8594_4171_F739_67E8 ^ 0x8594_4171);
    }
}
