//! `in:` against zones computed separately, for any text.

use phaser_zones::{Zone, Zones};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Directives, Matcher, Options};
use crate::contract::Contract;
use crate::path::RelPath;
use crate::text::Text;

const FRAGMENTS: &[&str] = &[
    "'", "\"", "`", "'''", "\"\"\"", "/*", "*/", "//", "#", "#{", "${", "{", "}", "=begin\n", "=end\n", "\\",
    "a", "if ", "x = ", "\n", " ", "<<EOF\n", "EOF\n", "return ", "/", "f'", "r\"",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        6 => proptest::sample::select(FRAGMENTS).prop_map(|fragment| fragment.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

/// Offsets of the matches of one pattern in the text at `path`, limited to `zones`.
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
    fn match_counts_in_zone_it_starts_in(text in text(), path in proptest::sample::select(PATHS)) {
        let read = Text::new(text.as_slice());
        let zones = read.as_ref().and_then(|text| Zones::of(path.as_bytes(), text.bytes()));
        for wanted in [&[Zone::Code][..], &[Zone::Comment], &[Zone::String, Zone::Comment]] {
            let mut expected = found(&[], path, &text);
            expected.retain(|&start| zones.as_ref().is_none_or(|zones| wanted.contains(&zones.at(start))));
            prop_assert_eq!(found(wanted, path, &text), expected);
        }
    }
}
