//! Good inputs, changed in several places, for an entry point.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

const CASES: u32 = 10_000;
const SEED: u64 = 20_251_207;

/// One change to an input.
#[derive(Debug, Clone)]
enum Change {
    Insert(Index, Vec<u8>),
    Delete(Index, usize),
    Replace(Index, u8),
    Repeat(Index, usize, usize),
    Cut(Index),
}

impl Change {
    fn any(words: &'static [&'static str]) -> impl Strategy<Value = Self> {
        let word = prop::sample::select(words).prop_map(|word| word.as_bytes().to_vec());
        let text = any::<char>().prop_map(|c| c.to_string().into_bytes());
        let byte = any::<u8>().prop_map(|byte| vec![byte]);
        prop_oneof![
            6 => (any::<Index>(), prop_oneof![6 => word, 1 => text, 1 => byte]).prop_map(|(at, new)| Self::Insert(at, new)),
            3 => (any::<Index>(), 1..12usize).prop_map(|(at, length)| Self::Delete(at, length)),
            2 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Self::Replace(at, byte)),
            1 => (any::<Index>(), 1..12usize, 1..40usize).prop_map(|(at, length, times)| Self::Repeat(at, length, times)),
            1 => any::<Index>().prop_map(Self::Cut),
        ]
    }

    fn make(&self, input: &mut Vec<u8>) {
        let stretch = |at: &Index, length: usize| {
            let start = at.index(input.len() + 1);
            start..(start + length).min(input.len())
        };
        match self {
            Self::Insert(at, new) => {
                let at = at.index(input.len() + 1);
                input.splice(at..at, new.iter().copied());
            }
            Self::Delete(at, length) => {
                let stretch = stretch(at, *length);
                input.drain(stretch);
            }
            Self::Replace(at, byte) => {
                let stretch = stretch(at, 1);
                input[stretch].fill(*byte);
            }
            Self::Repeat(at, length, times) => {
                let stretch = stretch(at, *length);
                let repeated = input[stretch.clone()].repeat(*times);
                input.splice(stretch, repeated);
            }
            Self::Cut(at) => input.truncate(at.index(input.len() + 1)),
        }
    }
}

fn inputs(good: Vec<Vec<u8>>, words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec(Change::any(words), 0..8);
    (prop::sample::select(good), changes).prop_map(|(mut input, changes)| {
        changes.iter().for_each(|change| change.make(&mut input));
        input
    })
}

/// Tries an entry point with the regressions, and with changed copies of them and of good inputs.
#[expect(clippy::print_stderr, reason = "the seed is shown when the test fails, or when it is asked for")]
pub fn try_out(name: &str, entry: fn(&[u8]), good: Vec<Vec<u8>>, words: &'static [&'static str]) {
    let known = regressions(name);
    good.iter().chain(&known).for_each(|input| entry(input));
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    if let RngSeed::Random = config.rng_seed {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    let RngSeed::Fixed(seed) = config.rng_seed else { unreachable!("it was set") };
    eprintln!("{name}: {} cases with PROPTEST_RNG_SEED={seed}", config.cases);
    let good = good.into_iter().chain(known).collect();
    let tried = TestRunner::new(config).run(&inputs(good, words), |input| {
        entry(&input);
        Ok(())
    });
    if let Err(TestError::Fail(why, input)) = tried {
        let shown = input.escape_ascii();
        panic!(
            "{why}\nfound with PROPTEST_RNG_SEED={seed}; keep it as a file in fuzz/regressions/{name}:\n{shown}"
        );
    }
    tried.expect("inputs can be made");
}

/// Every input that ever broke a promise.
fn regressions(name: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions").join(name);
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("readable")).collect()
}
