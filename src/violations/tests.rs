//! Packed violations are the ones that were packed, whatever is asked of them.

use proptest::prelude::*;

use super::*;
use crate::contract::Check;
use crate::matcher::oracle;
use crate::text::{Position, Region};
use crate::violation::{Fingerprint, LineDigest, Match, Note, Replacement};
use crate::wire::Bytes;

fn contracts() -> Vec<Arc<Contract>> {
    let contract = |index| {
        let severity = if index == 1 { Severity::Warning } else { Severity::Error };
        Arc::new(Contract { severity, ..oracle::contract(index, Check::NotExists) })
    };
    (0..3).map(contract).collect()
}

/// Any number, and rather a small one.
fn number() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..200_usize, 1 => any::<usize>()]
}

fn region() -> impl Strategy<Value = Region> {
    let position = || (number(), number()).prop_map(|(line, column)| Position { line, column });
    (position(), position()).prop_map(|(start, end)| Region { start, end })
}

/// Lines that are often the same.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![Just("if (x) print(été)".to_owned()), Just(String::new()), any::<String>()]
}

fn found() -> impl Strategy<Value = Match> {
    let text = prop_oneof![Just("print".to_owned()), Just("(été)".to_owned()), any::<String>()];
    let in_line = prop::option::of((0..20_usize, 0..20_usize));
    let parts = (number(), number(), number(), region(), (text, line(), in_line));
    parts.prop_map(|(start, from, to, mut region, (mut text, line, in_line))| {
        if let Some((before, length)) = in_line {
            text = line.chars().skip(before).take(length).collect();
            region.start.column = before + 1;
        }
        Match { range: from..to, start, region, text, line }
    })
}

fn fix() -> impl Strategy<Value = Box<Replacement>> {
    (number(), number(), region(), any::<String>(), line()).prop_map(|(from, to, region, old, text)| {
        Box::new(Replacement { range: from..to, region, old, text })
    })
}

/// A violation of the contract with a number in the file with a number. Its digest may be that of its line.
fn violation() -> impl Strategy<Value = (usize, usize, Violation)> {
    let states = [State::Open, State::Ignored, State::Existing, State::Baselined];
    let notes = [None, Some(Note::BareIgnore), Some(Note::NotIgnorable)];
    let parts = (
        prop::sample::select(states.to_vec()),
        prop::sample::select(notes.to_vec()),
        (prop::option::of(any::<u64>()), any::<u32>()),
        prop::option::of(found()),
        prop::option::of(fix()),
    );
    (0..3_usize, 0..4_usize, parts).prop_map(|(contract, file, parts)| {
        let (state, note, (digest, repeat), found, fix) = parts;
        let path = RelPath::from(format!("src/{file}.py").as_str());
        let whole = Violation::of_file(&contracts()[contract], &path);
        let own = match &found {
            Some(found) => LineDigest::of(found.line.as_bytes()),
            None => whole.fingerprint.line,
        };
        let fingerprint = Fingerprint { line: digest.map_or(own, LineDigest), repeat };
        (contract, file, Violation { found, fingerprint, state, note, fix, ..whole })
    })
}

/// The violations with these contracts, of each file apart.
fn by_file(violations: Vec<(usize, usize, Violation)>, contracts: &[Arc<Contract>]) -> [Vec<Violation>; 4] {
    let mut files = [const { Vec::new() }; 4];
    for (contract, file, violation) in violations {
        files[file].push(Violation { contract: Arc::clone(&contracts[contract]), ..violation });
    }
    files
}

/// The same violations held, and with some files packed: the files with a one. A file with more than one is split.
fn both(files: &[Vec<Violation>; 4], how: [u8; 4], contracts: &[Arc<Contract>]) -> [Violations; 2] {
    let mut packer = Packer::new();
    let (mut found, mut packed) = (Vec::new(), Vec::new());
    for (file, how) in files.iter().zip(how) {
        let (rest, to_pack) = match how {
            0 => (file.clone(), Vec::new()),
            1 => (Vec::new(), file.clone()),
            _ => (file[file.len() / 2..].to_vec(), file[..file.len() / 2].to_vec()),
        };
        found.extend(rest);
        if !to_pack.is_empty() {
            packed.push(packer.pack(to_pack, contracts).expect("violations of one file"));
        }
    }
    packed.reverse();
    let all = files.iter().flatten().cloned().collect();
    [Violations::gathered(all, Vec::new(), contracts), Violations::gathered(found, packed, contracts)]
}

fn all(violations: &Violations) -> Vec<Violation> {
    violations.iter().map(Cow::into_owned).collect()
}

/// Some change of a whole file.
fn number_in_file(file: &mut [Violation]) {
    for (at, violation) in file.iter_mut().enumerate() {
        violation.fingerprint.repeat = at as u32;
        violation.fix = None;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read(violations in prop::collection::vec(violation(), 0..8)) {
        let contracts = contracts();
        let [violations, ..] = by_file(violations.into_iter().map(|(at, _, one)| (at, 0, one)).collect(), &contracts);
        let path = RelPath::from("src/0.py");
        let violations: Vec<_> =
            violations.into_iter().map(|one| Violation { path: path.clone(), ..one }).collect();
        let mut bytes = Vec::new();
        record::put_violations(&mut bytes, &violations, &contracts, &path).expect("one file, known contracts");
        let mut rest = Bytes(&bytes);
        prop_assert_eq!(record::take_violations(&mut rest, &contracts, &path), Some(violations));
        prop_assert!(rest.0.is_empty());
        for length in 0..bytes.len() {
            prop_assert!(record::take_violations(&mut Bytes(&bytes[..length]), &contracts, &path).is_none());
        }
    }

    #[test]
    fn any_bytes_are_violations_or_nothing(bytes: Vec<u8>) {
        let _ = record::take_violations(&mut Bytes(&bytes), &contracts(), &RelPath::from("a"));
    }

    #[test]
    fn packed_violations_are_like_those_that_are_held(
        violations in prop::collection::vec(violation(), 0..24),
        how in prop::array::uniform4(0..3_u8),
        decided in 0..4_usize,
    ) {
        let contracts = contracts();
        let files = by_file(violations, &contracts);
        let mut both = both(&files, how, &contracts);
        // What has the same place and the same contract has no order of its own.
        let distinct = |list: &Violations| {
            let list = all(list);
            list.windows(2).all(|pair| in_order(&pair[0], &pair[1]) == Ordering::Less)
        };
        prop_assume!(distinct(&both[0]));
        let same = |[one, other]: &[Violations; 2]| {
            prop_assert_eq!(all(one), all(other));
            prop_assert_eq!((one.len(), one.is_empty()), (other.len(), other.is_empty()));
            prop_assert_eq!(one.kinds().collect::<Vec<_>>(), other.kinds().collect::<Vec<_>>());
            prop_assert_eq!(one.files().collect::<Vec<_>>(), other.files().collect::<Vec<_>>());
            for wanted in [|state| state == State::Open, |state| state != State::Open] {
                let of = |list: &Violations| list.of_states(wanted).map(Cow::into_owned).collect::<Vec<_>>();
                prop_assert_eq!(of(one), of(other));
            }
            Ok(())
        };
        same(&both)?;
        for list in &mut both {
            list.change_files(number_in_file);
        }
        same(&both)?;
        let path = RelPath::from(format!("src/{decided}.py").as_str());
        for list in &mut both {
            let mut turn = 0;
            list.decide_open(|violation| {
                turn += 1;
                if turn % 3 == 0 {
                    violation.state = State::Baselined;
                }
            });
            list.decide_in(&path, |file| {
                if let [first, ..] = file {
                    first.state = State::Existing;
                }
            });
            list.decide_in(&RelPath::from("src/none.py"), |file| assert!(file.is_empty()));
        }
        same(&both)?;
        let [one, other] = both;
        prop_assert_eq!(one.into_vec(), other.into_vec());
    }
}

#[test]
fn many_violations_take_a_fraction_of_their_memory_when_they_are_packed() {
    let contracts = contracts();
    let violation = |number: usize| {
        let position = Position { line: number, column: 5 };
        let region = Region { start: position, end: Position { column: 10, ..position } };
        let line = format!("    print({number}) # of file {}", number * 7919 % 1000);
        let digest = LineDigest::of(line.as_bytes());
        let start = number * 30;
        let found = Match { range: start..start + 5, start, region, text: "print".to_owned(), line };
        Violation::at(&contracts[0], &RelPath::from("src/a.py"), found, digest)
    };
    let violations: Vec<_> = (1..=1_000).map(violation).collect();
    let packed = Packer::new().pack(violations.clone(), &contracts).expect("violations of one file");
    assert!(packed.size() * 10 < size(&violations), "{} of {}", packed.size(), size(&violations));
}

#[test]
fn what_cannot_be_packed_is_given_back() {
    let contracts = contracts();
    let here = Violation::of_file(&contracts[0], &RelPath::from("a"));
    let there = Violation::of_file(&contracts[0], &RelPath::from("b"));
    let unknown = Violation::of_file(&Arc::new(contracts[0].as_ref().clone()), &RelPath::from("a"));
    for violations in [vec![], vec![here.clone(), there], vec![here, unknown]] {
        let back = Packer::new().pack(violations.clone(), &contracts).expect_err("is not packed");
        assert_eq!(back, violations);
    }
}
