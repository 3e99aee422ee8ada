//! The states of violations, decided from hand-made ones.

use std::sync::Arc;

use super::*;
use crate::path::RelPath;
use crate::report::Earlier;
use phaser_core::contract::{Check, Contract};
use phaser_core::testing::contract;
use phaser_core::text::{Position, Region};
use phaser_core::violation::{LineDigest, Match, MatchDigests, State};

fn rule(id: usize) -> Arc<Contract> {
    Arc::new(contract(id, Check::NotExists))
}

fn at(rule: &Arc<Contract>, path: &str, number: usize, line: &str) -> Violation {
    let position = Position { line: number, column: 1 };
    let region = Region { start: position, end: position };
    let found = Match { range: 0..1, start: 0, region, text: line.to_owned(), line: line.into(), cell: None };
    let line = LineDigest::of(line.as_bytes());
    Violation::at(rule, &RelPath::from(path), found, MatchDigests { line, text: line })
}

fn states(now: Vec<Violation>, before: Vec<Violation>) -> Vec<State> {
    let before = vec![Earlier { path: RelPath::from("a.py"), violations: before, changed: 1..1 }];
    let mut report = Report { violations: now, before, ..Report::default() };
    decide_states(&mut report, None);
    report.violations.iter().map(|violation| violation.state).collect()
}

#[test]
fn same_contract_on_same_line_is_existing() {
    let (one, other) = (rule(1), rule(2));
    let now =
        vec![at(&one, "a.py", 1, "x = 1"), at(&one, "a.py", 9, "  y=2"), at(&other, "a.py", 9, "y = 2")];
    let before = vec![at(&one, "old.py", 3, "y = 2")];
    assert_eq!(states(now, before), [State::Open, State::Existing, State::Open]);
}

#[test]
fn copy_of_violation_is_new() {
    let rule = rule(1);
    let now = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 2, "x"), at(&rule, "a.py", 3, "x")];
    let before = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 5, "x")];
    assert_eq!(states(now, before), [State::Existing, State::Existing, State::Open]);
}

#[test]
fn removed_directive_makes_violation_new() {
    let rule = rule(1);
    let ignored = |violation| Violation { state: State::Ignored, ..violation };
    let now = vec![at(&rule, "a.py", 1, "x"), ignored(at(&rule, "a.py", 2, "y"))];
    let before = vec![ignored(at(&rule, "a.py", 1, "x")), at(&rule, "a.py", 2, "y")];
    assert_eq!(states(now, before), [State::Open, State::Ignored]);
}

#[test]
fn lineless_violation_is_existing_under_any_path() {
    let rule = rule(1);
    let whole = |path: &str| Violation::of_file(&rule, &RelPath::from(path));
    assert_eq!(states(vec![whole("a.py")], vec![whole("old.py")]), [State::Existing]);
    assert_eq!(states(vec![whole("a.py")], vec![at(&rule, "a.py", 1, "x")]), [State::Open]);
}

#[test]
fn only_the_file_that_changed_is_compared() {
    let rule = rule(1);
    let now = vec![at(&rule, "a.py", 1, "x"), at(&rule, "b.py", 1, "x")];
    assert_eq!(states(now, vec![at(&rule, "a.py", 1, "x")]), [State::Existing, State::Open]);
}

#[test]
fn numbers_equal_violations_within_file() {
    let (one, other) = (rule(1), rule(2));
    let violations = vec![
        at(&one, "a.py", 1, "x"),
        at(&other, "a.py", 1, "x"),
        at(&one, "a.py", 2, " x "),
        at(&one, "b.py", 1, "x"),
    ];
    let mut report = Report { violations, ..Report::default() };
    decide_states(&mut report, None);
    let repeats: Vec<_> = report.violations.iter().map(|violation| violation.fingerprint.repeat).collect();
    assert_eq!(repeats, [1, 1, 2, 1]);
    let names: std::collections::HashSet<_> =
        report.violations.iter().take(3).map(|violation| violation.name()).collect();
    assert_eq!(names.len(), 3);
}

mod baseline {
    //! Baselines of random trees, and edits of those.

    use std::collections::BTreeMap;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::baseline::{Baseline, BaselineEntry, write};
    use crate::path::Root;
    use crate::scan::{self, Measure, scan};
    use crate::source::present::ProjectFiles;
    use crate::source::{Content, Coverage, Target, Targets};
    use phaser_core::contract::{Dialect, Pattern};
    use phaser_core::matcher::{self, Directives, Matcher};

    fn baseline_of(report: &Report) -> Baseline {
        let mut entries: BTreeMap<BaselineEntry, u32> = BTreeMap::new();
        for violation in report.open() {
            *entries.entry(BaselineEntry::of(violation)).or_default() += 1;
        }
        let file = write(entries.iter().map(|(key, count)| (key, *count)));
        Baseline::parse(file.as_bytes()).expect("a baseline")
    }

    fn settled(mut report: Report, baseline: &Baseline, gone: &[&str]) -> Report {
        let is_gone = |path: &RelPath| gone.contains(&&*path.to_text());
        decide_states(
            &mut report,
            Some(&BaselineInput {
                baseline,
                is_gone: &is_gone,
                others: OtherFiles::None,
                seen: Scanned::Everything,
            }),
        );
        report
    }

    fn report(violations: Vec<Violation>) -> Report {
        let contracts = violations.iter().map(|violation| Arc::clone(&violation.contract)).collect();
        Report { violations, contracts, ..Report::default() }
    }

    fn states_of(report: &Report) -> Vec<State> {
        report.violations.iter().map(|violation| violation.state).collect()
    }

    use State::{Baselined, Ignored, Open};

    #[test]
    fn entry_covers_its_count_rest_is_stale() {
        let rule = rule(1);
        let old =
            report(vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 2, "x"), at(&rule, "a.py", 3, "y")]);
        let baseline = baseline_of(&old);
        assert_eq!(baseline.iter().count(), 2);
        let now = report(vec![
            at(&rule, "a.py", 1, " x"),
            Violation { state: Ignored, ..at(&rule, "a.py", 2, "x") },
            at(&rule, "a.py", 7, "x"),
            at(&rule, "a.py", 8, "x"),
            at(&rule, "b.py", 1, "y"),
        ]);
        let settled = settled(now, &baseline, &[]);
        assert_eq!(states_of(&settled), [Baselined, Ignored, Baselined, Open, Open]);
        assert_eq!(settled.stale, Some(1));
    }

    #[test]
    fn entry_of_gone_file_covers_other_path() {
        let (one, other) = (rule(1), rule(2));
        let old =
            vec![at(&one, "old.py", 1, "x"), at(&one, "old.py", 2, "x"), whole(&one, "old.py", "contents")];
        let baseline = baseline_of(&report(old));
        let now = || {
            report(vec![
                whole(&one, "b.py", "contents"),
                at(&one, "b.py", 1, "x"),
                at(&other, "b.py", 1, "x"),
                whole(&one, "c.py", "contents"),
                at(&one, "c.py", 1, "x"),
                at(&one, "c.py", 2, "x"),
            ])
        };
        let moved = settled(now(), &baseline, &["old.py"]);
        assert_eq!(states_of(&moved), [Baselined, Baselined, Open, Open, Baselined, Open]);
        assert_eq!(moved.stale, Some(0));
        assert_eq!(states_of(&settled(now(), &baseline, &[])), [Open; 6]);
    }

    fn whole(rule: &Arc<Contract>, path: &str, contents: &str) -> Violation {
        let mut violation = Violation::of_file(rule, &RelPath::from(path));
        violation.set_contents(LineDigest::of(contents.as_bytes()));
        violation
    }

    #[test]
    fn lineless_entry_follows_equal_contents_only() {
        let rule = rule(1);
        let baseline = baseline_of(&report(vec![whole(&rule, "old.py", "x")]));
        let states = |path: &str, contents: &str, gone: &[&str]| {
            states_of(&settled(report(vec![whole(&rule, path, contents)]), &baseline, gone))
        };
        assert_eq!(states("old.py", "y", &[]), [Baselined], "its own file, whatever its contents");
        assert_eq!(states("new.py", "x", &["old.py"]), [Baselined]);
        assert_eq!(states("new.py", "y", &["old.py"]), [Open]);
        assert_eq!(states("new.py", "x", &[]), [Open]);
    }

    #[test]
    fn other_files_use_up_moved_entry() {
        let rule = rule(1);
        let baseline = baseline_of(&report(vec![at(&rule, "old.py", 1, "x")]));
        let states = |path: &str, others: Option<Vec<Violation>>| {
            let mut report = report(vec![at(&rule, path, 1, "x")]);
            let search = |ids: &std::collections::BTreeSet<&str>| {
                assert_eq!(ids.iter().copied().collect::<Vec<_>>(), ["c1"]);
                others.clone()
            };
            let input = BaselineInput {
                baseline: &baseline,
                is_gone: &|path| *path == RelPath::from("old.py"),
                others: OtherFiles::Search(&search),
                seen: Scanned::Some,
            };
            decide_states(&mut report, Some(&input));
            states_of(&report)
        };
        let other = || Some(vec![at(&rule, "m.py", 1, "x")]);
        assert_eq!(states("a.py", other()), [Baselined], "the first file by path");
        assert_eq!(states("z.py", other()), [Open]);
        assert_eq!(states("z.py", Some(Vec::new())), [Baselined]);
        assert_eq!(states("a.py", None), [Open], "the other files are unknown");
    }

    #[test]
    fn non_ignorable_violation_is_never_baselined() {
        let rule = Arc::new(Contract { ignorable: false, ..contract(1, Check::NotExists) });
        let now = || report(vec![at(&rule, "a.py", 1, "x")]);
        assert_eq!(states_of(&settled(now(), &baseline_of(&now()), &[])), [Open]);
    }

    #[test]
    fn copy_of_baselined_violation_is_open() {
        let rule = rule(1);
        let baseline = baseline_of(&report(vec![at(&rule, "a.py", 1, "x")]));
        let before = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 9, "x")];
        let now = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 2, "x"), at(&rule, "a.py", 10, "x")];
        let earlier = Earlier { path: RelPath::from("a.py"), violations: before, changed: 1..2 };
        let now = Report { before: vec![earlier], ..report(now) };
        assert_eq!(states_of(&settled(now, &baseline, &[])), [Open, Baselined, State::Existing]);
    }

    /// Files by their names.
    type Tree = BTreeMap<String, Vec<String>>;

    fn tree() -> impl Strategy<Value = Tree> {
        let line = prop::sample::select(vec!["print(1)", "print(2)", "  print(1)", "x = 1", "", "# licence"]);
        let lines = prop::collection::vec(line.prop_map(str::to_owned), 0..8);
        prop::collection::btree_map("[a-c]{1,2}/[a-c]\\.py", lines, 1..5)
    }

    fn checked(tree: &Tree, baseline: Option<&Baseline>) -> Report {
        let pattern = |source: &str| Pattern {
            source: source.to_owned(),
            dialect: Dialect::Regex,
            line: 1,
            literals: None,
        };
        let checks = [Check::forbid(pattern(r"print\(")), Check::require(pattern("licence"))];
        let contracts = checks.into_iter().enumerate().map(|(at, check)| contract(at, check)).collect();
        let hour = Duration::from_secs(3600);
        let matcher = Matcher::new(contracts, matcher::Options::new(hour, Directives::Honoured));
        let target = |(path, lines): (&String, &Vec<String>)| {
            Target::new(RelPath::from(path.as_str()), Content::Bytes(lines.join("\n").into()))
        };
        let targets = tree.iter().map(target).collect();
        let targets = Targets { targets, coverage: Coverage::Whole, ..Targets::none() };
        let options = scan::ScanOptions {
            threads: 1,
            max_file_size: 9999,
            existing: scan::Existing::Deny,
            added_ignores: false,
            measure: Measure::Nothing,
            propose_fixes: false,
            cache: None,
        };
        let mut report = scan(&matcher, &targets, options, &());
        let root = Root::new("/nowhere");
        let present = ProjectFiles { root: &root, targets: &targets };
        let is_gone = |path: &RelPath| !present.has(path);
        if let Some(baseline) = baseline {
            decide_states(
                &mut report,
                Some(&BaselineInput {
                    baseline,
                    is_gone: &is_gone,
                    others: OtherFiles::None,
                    seen: Scanned::Everything,
                }),
            );
        }
        report
    }

    proptest! {
        #[test]
        fn moving_old_code_adds_nothing_new(
            tree in tree(),
            file in any::<prop::sample::Index>(),
            line in any::<prop::sample::Index>(),
        ) {
            let baseline = baseline_of(&checked(&tree, None));
            let open = |tree: &Tree| checked(tree, Some(&baseline)).open().count();
            prop_assert_eq!(open(&tree), 0);
            prop_assert_eq!(checked(&tree, Some(&baseline)).stale, Some(0));
            let (name, lines) = tree.iter().nth(file.index(tree.len())).expect("a file");
            let with = |name: &str, lines: Vec<String>| {
                let mut changed: Tree = tree.iter().filter(|(other, _)| *other != name).map(|(n, l)| (n.clone(), l.clone())).collect();
                changed.insert(name.to_owned(), lines);
                changed
            };
            let place = line.index(lines.len() + 1);
            let mut longer = lines.clone();
            longer.insert(place, "y = 2".to_owned());
            prop_assert_eq!(open(&with(name, longer)), 0, "a line elsewhere");
            let mut moved = lines.clone();
            moved.rotate_left(place % lines.len().max(1));
            prop_assert_eq!(open(&with(name, moved)), 0, "moved lines");
            let indented = lines.iter().map(|line| format!("\t {line}  ")).collect();
            prop_assert_eq!(open(&with(name, indented)), 0, "other white space");
            let mut renamed = tree.clone();
            renamed.remove(name);
            renamed.insert("new/name.py".to_owned(), lines.clone());
            prop_assert_eq!(open(&renamed), 0, "another name");
            if let Some(violating) = lines.iter().find(|line| line.contains("print(")) {
                let mut copied = lines.clone();
                copied.insert(place, violating.clone());
                prop_assert_eq!(open(&with(name, copied)), 1, "a copy of {}", violating);
            }
        }
    }
}
