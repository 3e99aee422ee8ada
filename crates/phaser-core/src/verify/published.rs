//! Published values: credentials that a vendor shows to everyone, so that they protect nothing.
//!
//! The table has digests of what verifiers test (the group `secret`), so that neither phaser nor another scanner finds a
//! credential here. To add a value, add it to the test below, in two parts: it fails and prints the digest.

use serde_json::Value as Json;

use crate::digest::digest;

/// Digests of published values. Sorted.
const PUBLISHED: &[u64] = &[
    // Google Maps samples.
    0x1EB2_59BF_7C08_13C6,
    // Azure Cosmos DB emulator.
    0x255D_439C_6AE7_1F95,
    // Web client of X (Twitter), for guests.
    0x2AB9_5FDB_98C5_9277,
    // AWS documentation, S3 request signing.
    0x2AEF_7448_7ABA_C324,
    // Google Maps samples.
    0x394B_1256_F571_5E4F,
    // Azure storage emulator (Azurite).
    0x3F9D_1C99_51FF_17FE,
    // SendGrid documentation.
    0x48CE_5516_53B1_0C6E,
    // Documentation of GitHub's token format.
    0x56B7_4E48_4CE2_B184,
    // Vault token in a form of n8n.
    0x62D1_9F07_B9AA_8392,
    // Telegram Bot API.
    0x8959_D21B_1E9F_6A6B,
];

/// Whether a text is a published value.
pub fn is_published(text: &[u8]) -> bool {
    PUBLISHED.binary_search(&digest(text)).is_ok()
}

/// Whether the claims of a token are about a person of documentation, as in RFC 7519 and on jwt.io.
pub fn is_example_of_person(claims: &Json) -> bool {
    let is = |name: &str, values: &[&str]| {
        claims.get(name).and_then(Json::as_str).is_some_and(|value| values.contains(&value))
    };
    is("sub", &["1234567890"]) || is("name", &["John Doe", "Jane Doe"]) || is("iss", &["joe"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(PUBLISHED.is_sorted());
    }

    #[test]
    fn finds_published_values() {
        let values = [
            ["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6", "tq/K1SZFPTOtr/KBHBeksoGMGw=="],
            ["C2y6yDjf5/R+ob0N8A7Cgu30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8", "mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="],
            ["uV3F3YluFJax1ckn", "vbcGwgjvx4QpvB+leU8dUj2o"],
            ["zQWBuTSOoRi4A9sp", "HcVY5ncnsDkxkJ0mLq17"],
            ["110201543:", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"],
            ["ngeVfQFYQlKU0ufo8x5d1A", ".TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"],
            ["AIza", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"],
            ["AIza", "SyB41DRUbKWJHPxaFjMAwdrzWzbVKartNGg"],
            ["2OCsZxZA6Z9l", "Chbt0janOOZI"],
            ["1Zv7ttfk8LF81IUq16cHj", "hLTvJu4FA33AGWWjCpTnA"],
        ];
        for parts in values {
            let value = parts.concat();
            assert!(is_published(value.as_bytes()), "0x{:016X} {value}", digest(value.as_bytes()));
        }
        assert_eq!(values.len(), PUBLISHED.len());
        assert!(!is_published(b"Eby8"));
    }
}
