//! Benchmarks of the parts: loading contracts, the first check, searching texts by number of contracts and kind of text,
//! and applying an edit.

use std::time::Duration;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use phaser::internals::apply_within;
use phaser_core::contract::{Contract, LayerKind};
use phaser_core::matcher::{Directives, FileNames, Matcher, Options, Scratch, broken};
use phaser_core::text::Text;
use phaser_project::contracts::layers::{Layer, Loaded, Loading, load};
use phaser_project::contracts::read::ContractDirectory;
use phaser_project::path::RelPath;
use phaser_project::tool_call::{Occurrences, TextEdit};
use tempfile::TempDir;

#[allow(dead_code, reason = "each program uses its part")]
mod made;

use made::texts::Kind;

const SETS: [usize; 3] = [20, 200, 1000];
const MB: usize = 1_000_000;

fn main() {
    divan::main();
}

/// A directory of `count` contract files.
fn files(count: usize) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for made in made::contracts::contracts(count) {
        let path = directory.path().join(format!("{}.yaml", made.id));
        std::fs::write(path, made.yaml).expect("can be written");
    }
    directory
}

fn loaded(files: &TempDir) -> Loaded {
    let path = files.path().to_owned();
    let directory =
        ContractDirectory { kind: LayerKind::Named, shown: path.clone(), path, nested_only: false };
    load(&[Layer::of_directory(directory)], Loading::whole(broken))
}

fn contracts(count: usize) -> Vec<Contract> {
    let loaded = loaded(&files(count));
    assert_eq!((loaded.contracts.len(), loaded.warnings.len()), (count, 0), "all of them are valid");
    loaded.contracts
}

fn ready(contracts: Vec<Contract>) -> Matcher {
    Matcher::new(contracts, Options::new(Duration::from_secs(60), Directives::Honoured))
}

#[divan::bench(args = SETS)]
fn load_contracts(bencher: Bencher, count: usize) {
    let files = files(count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| loaded(black_box(&files)));
}

#[divan::bench(args = SETS)]
fn first_check(bencher: Bencher, count: usize) {
    let text = made::texts::text(Kind::Code, 4096);
    let path = RelPath::from("src/main.c");
    let contracts = contracts(count);
    bencher.counter(ItemsCount::new(count)).with_inputs(|| contracts.clone()).bench_local_values(
        |contracts| {
            let matcher = ready(contracts);
            let text = Text::new(text.as_bytes()).expect("is text");
            matcher.check(&matcher.select(&path, None), &path, Some(&text))
        },
    );
}

fn searches() -> impl Iterator<Item = (usize, Kind)> {
    SETS.into_iter().flat_map(|count| Kind::ALL.map(|kind| (count, kind)))
}

#[divan::bench(args = searches(), sample_count = 10, sample_size = 1)]
fn search(bencher: Bencher, (count, kind): (usize, Kind)) {
    let text = made::texts::text(kind, MB);
    let path = RelPath::from("src/main.c");
    let matcher = ready(contracts(count));
    let selection = matcher.select(&path, None);
    let (mut scratch, names) = (Scratch::default(), FileNames { path: &path, alias: None });
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let text = Text::new(black_box(text.as_bytes())).expect("is text");
        matcher.check_with(&mut scratch, &selection, names, Some(&text))
    });
}

#[divan::bench(args = Kind::ALL, sample_count = 10, sample_size = 1)]
fn edit(bencher: Bencher, kind: Kind) {
    let text = made::texts::text(kind, MB) + "the last line is here\n";
    let edit = TextEdit {
        old: "the last line is".to_owned(),
        new: "it is".to_owned(),
        occurrences: Occurrences::First,
    };
    bencher.counter(BytesCount::of_str(&text)).with_inputs(|| text.clone().into_bytes()).bench_local_values(
        |bytes| {
            apply_within(Some(black_box(bytes)), std::slice::from_ref(&edit), usize::MAX)
                .expect("can be made")
        },
    );
}
