//! Cached results are decoded as encoded, or not at all.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

use proptest::prelude::*;

use super::store::{MAX_AGE, MAX_VARIANTS};
use super::*;
use crate::path::Root;
use phaser_core::contract::{Check, Dialect, Exclude, FixTemplate, Pattern, Severity, Zone};
use phaser_core::file_kind::{FileKind, FileKinds, KindFilter};
use phaser_core::matcher::{self, Checked, Directives, Matcher};
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::testing;
use phaser_core::text::{Position, Region, Text};
use phaser_core::violation::{
    CellMatch, Fingerprint, LineDigest, Match, Note as Remark, Replacement, State, Violation,
};

const CONTRACTS: usize = 3;

fn contracts() -> Vec<Arc<Contract>> {
    let forbid = |source: &str| {
        let source = source.to_owned();
        Check::forbid(Pattern { source, dialect: Dialect::Regex, line: 1, literals: None })
    };
    let contract = |index| Arc::new(testing::contract(index, forbid("x")));
    (0..CONTRACTS).map(contract).collect()
}

fn path() -> RelPath {
    RelPath::from("src/a.txt")
}

fn range() -> impl Strategy<Value = Range<usize>> {
    (any::<u32>(), any::<u32>()).prop_map(|(start, end)| start as usize..end as usize)
}

fn region() -> impl Strategy<Value = Region> {
    let position = || (1..9_000_usize, 1..9_000_usize).prop_map(|(line, column)| Position { line, column });
    (position(), position()).prop_map(|(start, end)| Region { start, end })
}

fn found() -> impl Strategy<Value = Match> {
    let cell = (any::<u16>(), range(), any::<u32>(), region()).prop_map(|(number, range, start, region)| {
        CellMatch { number: number.into(), range, start: start as usize, region }
    });
    let cell = proptest::option::of(cell);
    (range(), any::<u32>(), region(), any::<String>(), any::<String>(), cell).prop_map(
        |(range, start, region, text, line, cell)| Match {
            range,
            start: start as usize,
            region,
            text,
            line: line.into(),
            cell,
        },
    )
}

fn fix() -> impl Strategy<Value = Box<Replacement>> {
    (range(), region(), any::<String>(), any::<String>())
        .prop_map(|(range, region, old, text)| Box::new(Replacement { range, region, old, text }))
}

/// A violation of the contract with this number.
fn violation() -> impl Strategy<Value = (usize, Violation)> {
    let state = prop_oneof![Just(State::Open), Just(State::Ignored)];
    let note = prop_oneof![Just(None), Just(Some(Remark::BareIgnore)), Just(Some(Remark::NotIgnorable))];
    let fingerprint = (any::<u64>(), any::<u64>(), any::<u32>()).prop_map(|(line, text, repeat)| {
        Fingerprint { line: LineDigest(line), text: LineDigest(text), repeat }
    });
    let parts = (state, note, fingerprint, proptest::option::of(found()), proptest::option::of(fix()));
    (0..CONTRACTS, parts).prop_map(|(index, (state, note, fingerprint, found, fix))| {
        let contract = contracts()[index].clone();
        (
            index,
            Violation {
                contract,
                path: path(),
                found: found.map(Box::new),
                fingerprint,
                state,
                note,
                fix,
                detail: None,
            },
        )
    })
}

fn why() -> impl Strategy<Value = SkipReason> {
    prop_oneof![
        Just(SkipReason::Binary),
        (any::<String>(), any::<usize>()).prop_map(|(id, limit)| SkipReason::TooManyMatches { id, limit }),
        (any::<Vec<String>>(), any::<usize>())
            .prop_map(|(ids, limit)| SkipReason::TooManyViolations { limit, ids }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn encodes_and_decodes_result(
        applied: bool,
        violations in proptest::collection::vec(violation(), 0..4),
        whys in proptest::collection::vec(why(), 0..3),
        satisfied in proptest::collection::vec(0..CONTRACTS, 0..3),
        exists in proptest::collection::vec(0..CONTRACTS, 0..3),
    ) {
        let (contracts, path) = (contracts(), path());
        let own = |(index, violation): (usize, Violation)| Violation { contract: contracts[index].clone(), ..violation };
        let checked = Checked {
            violations: violations.into_iter().map(own).collect(),
            skipped: whys.into_iter().map(|why| Skipped { path: path.clone(), why }).collect(),
            satisfied,
        };
        let result = FileResult { applied, checked };
        let bytes = record::encode(&result, &exists, &contracts, &path).expect("is kept");
        let back = record::decode(&bytes, &contracts, &path).expect("comes back");
        prop_assert_eq!(back.applied, applied);
        prop_assert_eq!(&back.checked.violations, &result.checked.violations);
        prop_assert_eq!(&back.checked.skipped, &result.checked.skipped);
        prop_assert_eq!(&back.checked.satisfied, &[result.checked.satisfied.as_slice(), &exists].concat());
        for length in 0..bytes.len() {
            prop_assert!(record::decode(&bytes[..length], &contracts, &path).is_none(), "{} bytes", length);
        }
    }
}

#[test]
fn unstable_results_are_not_cached() {
    let (contracts, path) = (contracts(), path());
    let id = || "c0".to_owned();
    for why in [
        SkipReason::Unreadable("gone".to_owned()),
        SkipReason::OutOfTime { id: id() },
        SkipReason::NoTimeLeft { ids: vec![id()] },
        SkipReason::TooComplex { id: id() },
        SkipReason::TooLarge { size: 2, limit: 1 },
        SkipReason::NotAFile,
    ] {
        let checked = Checked { skipped: vec![Skipped { path: path.clone(), why }], ..Checked::default() };
        let result = FileResult { applied: true, checked };
        assert_eq!(record::encode(&result, &[], &contracts, &path), None, "{result:?}");
    }
    let other = Violation::of_file(&contracts[0], &RelPath::from("b"));
    let existing = Violation { state: State::Existing, ..Violation::of_file(&contracts[0], &path) };
    let unknown = Violation::of_file(&Arc::new(contracts[0].as_ref().clone()), &path);
    for violation in [other, existing, unknown] {
        let checked = Checked { violations: vec![violation], ..Checked::default() };
        let result = FileResult { applied: true, checked };
        assert_eq!(record::encode(&result, &[], &contracts, &path), None, "{result:?}");
    }
}

const STAMP: Stamp = Stamp { device: 1, inode: 2, size: 3, modified: (4, 5), changed: (6, 7) };

fn fresh(path: &str, content: &str) -> NewResult {
    let content_of = Sha256Digest::of(content.as_bytes());
    NewResult {
        path: path.into(),
        stamp: Some(STAMP),
        content: content_of,
        record: content.as_bytes().to_vec(),
    }
}

fn key_of_file() -> Sha256Digest {
    Sha256Digest::of(b"context")
}

/// The cache file after another run: merged, written and read.
fn write(kept: &CacheFile, fresh: &[NewResult], present: Option<&[&str]>) -> CacheFile {
    let present = present.map(|paths| paths.iter().map(|path| path.as_bytes()).collect());
    let bytes = store::merged(&key_of_file(), kept, fresh, present.as_ref());
    CacheFile::parse(bytes, &key_of_file()).expect("is whole")
}

/// The records of each path.
fn shown(kept: &CacheFile) -> Vec<String> {
    let records = |path: &str| {
        let entry = kept.find(&RelPath::from(path), &mut 0)?;
        let records = entry.variants.iter().map(|variant| String::from_utf8_lossy(variant.record));
        Some(format!("{path} {}", records.collect::<Vec<_>>().join(",")))
    };
    ["a", "b", "c"].into_iter().filter_map(records).collect()
}

#[test]
fn remembers_last_contents_of_file() {
    let mut kept = CacheFile::default();
    for contents in [["1", "a"], ["2", "a"], ["1", "b"], ["3", "b"], ["4", "b"], ["5", "b"]] {
        kept = write(&kept, &[fresh("a", contents[0]), fresh("b", contents[1])], None);
    }
    assert_eq!(MAX_VARIANTS, 4);
    assert_eq!(shown(&kept), ["a 5,4,3,1", "b b,a"]);
    let mut next = 0;
    let entry = kept.find(&RelPath::from("b"), &mut next).expect("is known");
    assert_eq!((entry.stamp, next), (Some(STAMP), 2));
}

#[test]
fn forgets_missing_file_after_some_runs() {
    let present = Some(&["a", "b"][..]);
    let all = [fresh("a", "1"), fresh("b", "2"), fresh("c", "3")];
    let mut kept = write(&CacheFile::default(), &all, None);
    for run in 0..MAX_AGE {
        kept = write(&kept, &[fresh("a", "1")], present);
        assert_eq!(shown(&kept).len(), 3, "{run}");
    }
    let back = write(&kept, &[fresh("c", "4")], Some(&["a", "b", "c"]));
    assert_eq!(
        shown(&write(&back, &[fresh("a", "1")], present)),
        ["a 1", "b 2", "c 4,3"],
        "its age starts anew"
    );
    let part = write(&kept, &[fresh("a", "1")], None);
    assert_eq!(shown(&part).len(), 3, "a part of the project decides nothing");
    kept = write(&kept, &[fresh("a", "1")], present);
    assert_eq!(shown(&kept), ["a 1", "b 2"]);
}

#[test]
fn no_byte_can_be_another_one() {
    let fresh = [fresh("a", "one"), fresh("b", "two")];
    let bytes = store::merged(&key_of_file(), &CacheFile::default(), &fresh, None);
    let parse = |bytes: &[u8]| CacheFile::parse(bytes.to_vec(), &key_of_file());
    assert!(parse(&bytes).is_some());
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(parse(&changed).is_none(), "byte {at}");
        }
        assert!(parse(&bytes[..at]).is_none(), "{at} bytes");
        assert!(parse(&bytes[at + 1..]).is_none(), "from byte {at}");
    }
    assert!(parse(&[&bytes[..], b"\0"].concat()).is_none());
    assert!(CacheFile::parse(bytes, &Sha256Digest::of(b"another")).is_none());
}

fn key(matcher: &Matcher, options: &matcher::Options, program: &str) -> Sha256Digest {
    let root = Root::new("/project");
    let contracts = matcher.contracts();
    Inputs { root: &root, contracts, options, max_file_size: 9, has_fixes: false }.key(program)
}

fn options(milliseconds: u64) -> matcher::Options {
    matcher::Options::new(Duration::from_millis(milliseconds), Directives::Honoured)
}

#[test]
fn key_stays_the_same_after_search() {
    let made = || {
        let glob = phaser_glob::Glob::new("**/a[b]*.{txt,md}").expect("a glob");
        let contracts =
            contracts().into_iter().map(|one| Contract { glob: glob.clone(), ..one.as_ref().clone() });
        Matcher::new(contracts.collect(), options(100))
    };
    let identity = |matcher: &Matcher| key(matcher, matcher.options(), "p");
    let (matcher, before) = (made(), identity(&made()));
    let path = RelPath::from("src/abc.txt");
    let text = Text::new(&b"x"[..]).expect("is text");
    assert_eq!(matcher.check(&matcher.select(&path, None), &path, Some(&text)).violations.len(), CONTRACTS);
    assert_eq!(identity(&matcher), before);
    assert_ne!(identity(&Matcher::new(Vec::new(), options(100))), before);
    assert_ne!(key(&matcher, &options(200), "p"), before);
    assert_ne!(key(&matcher, matcher.options(), "q"), before);
}

#[test]
fn key_depends_on_what_decides_results() {
    let of = |contract: Contract| key(&Matcher::new(vec![contract], options(100)), &options(100), "p");
    let forbid = |source: &str| {
        Check::forbid(Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None })
    };
    let base = || testing::contract(0, forbid("x"));
    let glob = |text: &str| phaser_glob::Glob::new(text).expect("a glob");
    assert_eq!(of(base()), of(Contract { message: "another".to_owned(), glob_line: 99, ..base() }));
    let mut tests = FileKinds::default();
    tests.insert(FileKind::Tests);
    let mut others = vec![
        Contract { id: "other".to_owned(), ..base() },
        Contract { check: forbid("y"), ..base() },
        Contract { check: Check::NotExists, ..base() },
        Contract { glob: glob("*.rs"), ..base() },
        Contract { exclude: Some(Box::new(Exclude { glob: glob("*.rs"), line: 1 })), ..base() },
        Contract { zones: vec![Zone::Code], ..base() },
        Contract { kinds: KindFilter { only: tests, ..KindFilter::default() }, ..base() },
        Contract { kinds: KindFilter { exclude: tests, ..KindFilter::default() }, ..base() },
        Contract { fix: Some(Box::new(FixTemplate::new("y", 1))), ..base() },
        Contract { severity: Severity::Warning, ..base() },
        Contract { ignorable: false, ..base() },
    ];
    let mut below = base();
    below.scope.base = "sub".into();
    others.extend([below, base()]);
    let keys: HashSet<[u8; 32]> = others.into_iter().map(|contract| of(contract).0).collect();
    assert_eq!(keys.len(), 13);
}
