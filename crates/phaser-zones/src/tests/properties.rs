//! Properties of any bytes in any language.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Language, Zones};
use super::FRAGMENTS;

/// A text of fragments of openers and closers, and of any bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        6 => proptest::sample::select(FRAGMENTS).prop_map(|fragment| fragment.as_bytes().to_vec()),
        1 => proptest::sample::select(&["a", "if ", "x = ", "\n", " ", "EOF\n", "A\n", "  A\n", "return "][..])
            .prop_map(|word| word.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

fn languages() -> impl Strategy<Value = &'static Language> {
    proptest::sample::select(Language::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn zones_cover_every_byte_once(language in languages(), text in text()) {
        let zones = Zones::in_language(language, &text);
        let mut covered = 0;
        let mut before = None;
        for (range, zone) in zones.iter() {
            prop_assert_eq!(range.start, covered);
            prop_assert!(range.end > range.start);
            prop_assert_ne!(before, Some(zone));
            for offset in range.clone() {
                prop_assert_eq!(zones.at(offset), zone);
            }
            covered = range.end;
            before = Some(zone);
        }
        prop_assert_eq!(covered, text.len());
    }

    #[test]
    fn a_file_is_read_like_its_language(language in languages(), text in text()) {
        for extension in language.known_extensions() {
            let path = format!("a/b.{extension}");
            if let Some(found) = Language::of(path.as_bytes(), &text) {
                prop_assert_eq!(Zones::of(path.as_bytes(), &text), Some(Zones::in_language(found, &text)));
            }
        }
    }

    #[test]
    fn accepts_any_path(path in vec(any::<u8>(), 0..30), text in text()) {
        let zones = Zones::of(&path, &text);
        prop_assert_eq!(zones.is_some(), Language::of(&path, &text).is_some());
    }
}
