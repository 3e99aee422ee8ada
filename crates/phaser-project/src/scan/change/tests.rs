//! Random changes, judged by a simple model: a text is removed as often as all files together have it less often.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use phaser_core::matcher::{self, Directives};

/// Files by name, each a list of lines.
type Tree = BTreeMap<&'static str, Vec<&'static str>>;

const NAMES: &[&str] = &["tests/a.py", "tests/b.py", "tests/deep/c.py", "src/d.py"];
const LINES: &[&str] = &["keep a", "keep  a", "  keep b", "keep b # c", "pass", ""];

fn tree() -> impl Strategy<Value = Tree> {
    let lines = prop::collection::vec(prop::sample::select(LINES), 0..6);
    prop::collection::btree_map(prop::sample::select(NAMES), lines, 0..4)
}

fn matcher() -> Matcher {
    let yaml = "rule_id: keep\ntype: keep_pattern\npattern: 'keep +\\w'\nfile_glob: 'tests/**'\nmessage: m\nseverity: error\n";
    let contract = Contract::from_yaml(yaml, "keep.yaml").expect("a contract");
    Matcher::new(vec![contract], matcher::Options::new(Duration::from_secs(3600), Directives::Honoured))
}

fn content(tree: &Tree, path: &str) -> Option<Content> {
    tree.get(path).map(|lines| Content::Bytes(lines.join("\n").into()))
}

fn changed_file(path: &str, bases: &[&Tree], previous: Option<&Tree>, after: &Tree) -> ChangedFile {
    ChangedFile {
        path: RelPath::from(path),
        alias: None,
        before: bases.iter().map(|base| content(base, path)).collect(),
        previous: previous.and_then(|previous| content(previous, path)),
        after: content(after, path),
        moved_to: None,
    }
}

/// The number of violations per state and text.
fn judged(files: Vec<ChangedFile>, others: Option<Vec<ChangedFile>>) -> BTreeMap<(State, String), usize> {
    let change = ChangeSet { files, state: None, has_others: others.is_some() };
    let find = |wanted: &dyn Fn(&RelPath) -> bool| {
        let others = others.clone().unwrap_or_default();
        Ok(others.into_iter().filter(|file| wanted(&file.path)).collect())
    };
    let options = ChangeOptions { max_file_size: 9999, existing: Existing::Report, others: &find };
    let mut report = Report::default();
    judge_change(&matcher(), &change, &options, &mut report);
    assert_eq!(report.skipped, []);
    let mut counts = BTreeMap::new();
    for violation in report.violations {
        assert!(violation.is_removed());
        let text = violation.found.expect("has a place").text.replace(' ', "");
        *counts.entry((violation.state, text)).or_default() += 1;
    }
    counts
}

/// How often files of a tree have a text.
fn have(tree: &Tree, text: &str, is_counted: impl Fn(&str) -> bool) -> usize {
    let files = tree.iter().filter(|(path, _)| path.starts_with("tests/") && is_counted(path));
    files.flat_map(|(_, lines)| lines).filter(|line| line.replace(' ', "").starts_with(text)).count()
}

fn expected(counts: impl Iterator<Item = (State, &'static str, usize)>) -> BTreeMap<(State, String), usize> {
    let some = counts.filter(|(_, _, count)| *count > 0);
    some.map(|(state, text, count)| ((state, text.to_owned()), count)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn change_removes_what_all_files_lack(base in tree(), after in tree()) {
        let files = NAMES.iter().filter(|path| base.get(*path) != after.get(*path));
        let files = files.map(|path| changed_file(path, &[&base], None, &after)).collect();
        let lack = |text| have(&base, text, |_| true).saturating_sub(have(&after, text, |_| true));
        let model = expected(["keepa", "keepb"].into_iter().map(|text| (State::Open, text, lack(text))));
        prop_assert_eq!(judged(files, None), model);
    }

    #[test]
    fn merge_keeps_what_both_sides_have(ours in tree(), theirs in tree(), after in tree()) {
        let files = NAMES.iter().map(|path| changed_file(path, &[&ours, &theirs], None, &after)).collect();
        let found: usize = judged(files, None).values().sum();
        let lack = |base: &Tree, text| have(base, text, |_| true).saturating_sub(have(&after, text, |_| true));
        let model = ["keepa", "keepb"].into_iter().map(|text| lack(&ours, text).min(lack(&theirs, text)));
        // What our side has in other files only is reported where it was.
        prop_assert!(found <= model.sum());
        prop_assert_eq!(judged(NAMES.iter().map(|path| changed_file(path, &[&ours, &theirs], None, &ours)).collect(), None).len(), 0);
        prop_assert_eq!(judged(NAMES.iter().map(|path| changed_file(path, &[&ours, &theirs], None, &theirs)).collect(), None).len(), 0);
    }

    #[test]
    fn edit_answers_for_its_own_file(head in tree(), disk in tree(), edited in tree(), at in 0..NAMES.len()) {
        let own = NAMES[at];
        let mut after = disk.clone();
        match edited.get(own) {
            Some(lines) => after.insert(own, lines.clone()),
            None => after.remove(own),
        };
        let files = vec![changed_file(own, &[&head], Some(&disk), &after)];
        let others = NAMES.iter().filter(|path| **path != own).map(|path| changed_file(path, &[&head], None, &disk));
        let is_own = |path: &str| path == own;
        let is_other = |path: &str| path != own;
        let model = ["keepa", "keepb"].into_iter().flat_map(|text| {
            let lost = have(&head, text, is_own).saturating_sub(have(&after, text, is_own));
            let gained = have(&disk, text, is_other).saturating_sub(have(&head, text, is_other));
            let removed = lost.saturating_sub(gained);
            // Without a file on disk before the edit there is nothing to compare with.
            let before = disk.get(own).map(|_| have(&disk, text, is_own));
            let earlier = before.map_or(0, |before| have(&head, text, is_own).saturating_sub(before)).min(removed);
            [(State::Open, text, removed - earlier), (State::Existing, text, earlier)]
        });
        prop_assert_eq!(judged(files, Some(others.collect())), expected(model));
    }
}
