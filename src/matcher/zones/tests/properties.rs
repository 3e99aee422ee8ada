//! What holds for any bytes in any language.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Language, Zones};
use super::FRAGMENTS;
use crate::contract::{Contract, Zone};
use crate::matcher::{Directives, Matcher, Options};
use crate::path::RelPath;
use crate::text::Text;

/// A text of fragments that mean something, and of any bytes.
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

/// Where a pattern is found in a text at a path, with these zones named.
fn found(zones: &[Zone], path: &str, text: &[u8]) -> Vec<usize> {
    let yaml = "rule_id: a\ntype: forbid_pattern\npattern: '\\s*[a-zA-Z#{/]+'\nfile_glob: '**'\nmessage: m\n\
        severity: error\n";
    let contract = Contract::from_yaml(yaml, "a.yaml").expect("a contract");
    let options = Options::new(std::time::Duration::from_secs(3600), Directives::Disregarded);
    let matcher = Matcher::new(vec![Contract { zones: zones.to_vec(), ..contract }], options);
    let path = RelPath::from(path);
    let Some(text) = Text::new(text) else { return Vec::new() };
    let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
    checked.violations.iter().filter_map(|violation| Some(violation.found.as_ref()?.range.start)).collect()
}

const PATHS: &[&str] = &["a.py", "a.js", "a.rb", "a.xyz"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_match_counts_where_it_starts(text in text(), path in proptest::sample::select(PATHS)) {
        let read = Text::new(text.as_slice());
        let zones = read.as_ref().and_then(|text| Zones::of(path.as_bytes(), text.bytes()));
        for wanted in [&[Zone::Code][..], &[Zone::Comment], &[Zone::String, Zone::Comment]] {
            let mut expected = found(&[], path, &text);
            expected.retain(|&start| zones.as_ref().is_none_or(|zones| wanted.contains(&zones.at(start))));
            prop_assert_eq!(found(wanted, path, &text), expected);
        }
    }
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
    fn a_name_of_any_bytes_is_looked_at(path in vec(any::<u8>(), 0..30), text in text()) {
        let zones = Zones::of(&path, &text);
        prop_assert_eq!(zones.is_some(), Language::of(&path, &text).is_some());
    }
}
