//! A fixture for each language, with every kind of comment and string that it has.
//!
//! Each word `CODE`, `COMMENT` and `STRING` in a fixture names the zone it is in. Beside each fixture,
//! in `expected/`, the same text has below each line the letter of each character's zone: `.` code, `c`
//! comment, `s` string. `ZONES_BLESS=1 cargo test zones` writes these; review each change.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Language, Zone, Zones};
use super::WORDS;

/// The directory of the fixtures.
const FIXTURES: &str = "tests/fixtures";

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURES);
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the fixtures")
        .map(|entry| entry.expect("a fixture").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).expect("a fixture"))).collect()
}

#[test]
fn each_word_is_in_named_zone() {
    let mut wrong = Vec::new();
    for (name, text) in fixtures() {
        let zones = Zones::of(name.as_bytes(), &text).unwrap_or_else(|| panic!("{name}: no language"));
        for (word, zone) in WORDS {
            for at in memchr::memmem::find_iter(&text, word) {
                let odd = (at..at + word.len()).find(|&at| zones.at(at) != zone);
                if let Some(odd) = odd {
                    let line = text[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
                    let column =
                        at - text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1) + 1;
                    wrong.push(format!("{name}:{line}:{column}: {word} is {:?}", zones.at(odd)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn zones_are_as_expected() {
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURES).join("expected");
    let mut wrong = Vec::new();
    for (name, text) in fixtures() {
        let shown = shown(&name, &text);
        let path = expected.join(format!("{name}.zones"));
        if std::env::var_os("ZONES_BLESS").is_some() {
            fs::create_dir_all(&expected).expect("a directory");
            fs::write(&path, &shown).expect("a file");
        }
        if fs::read_to_string(&path).ok().as_ref() != Some(&shown) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "not as expected: {wrong:?}");
}

#[test]
fn each_language_has_a_fixture() {
    let shown: BTreeSet<&str> = fixtures()
        .iter()
        .filter_map(|(name, text)| Language::of(name.as_bytes(), text))
        .map(Language::name)
        .collect();
    let known: BTreeSet<&str> = Language::all().map(Language::name).collect();
    assert_eq!(known.difference(&shown).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(known.len() >= 30);
}

#[test]
fn the_guide_names_every_language() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contracts.md"))
        .expect("is text");
    let (_, list) = guide.split_once("These languages have a table: ").expect("a list");
    let named: Vec<&str> = list.split_once(".\n").expect("an end").0.split(", ").collect();
    let mut known: Vec<&str> = Language::all().map(Language::name).collect();
    known.sort_by_key(|name| name.to_ascii_lowercase());
    assert_eq!(named, known);
}

/// The text, and below each line a letter for each of its characters; a tab stays a tab.
fn shown(name: &str, text: &[u8]) -> String {
    let zones = Zones::of(name.as_bytes(), text).unwrap_or_else(|| panic!("{name}: no language"));
    let text = std::str::from_utf8(text).expect("UTF-8");
    let mut shown = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let letters = content.char_indices().map(|(at, char)| match char {
            '\t' => '\t',
            _ => letter(zones.at(start + at)),
        });
        shown.extend(content.chars().chain(['\n']).chain(letters).chain(['\n']));
        start += line.len();
    }
    shown
}

fn letter(zone: Zone) -> char {
    match zone {
        Zone::Code => '.',
        Zone::Comment => 'c',
        Zone::String => 's',
    }
}
