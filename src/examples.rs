//! Tests a contract against its own examples.
//!
//! Each example is scanned as a project of one file, by the same scan as any run, so that an example cannot pass here and
//! fail there. An example without a path gets one derived from the contract's glob: `src/**/*.{ts,tsx}` gives
//! `src/example.ts`. An example of a contract about companions is a project of empty files or, for `companion_changed`, a
//! change of files in a project where every companion exists. Like the globs, paths are relative to the directory that a
//! nested contract is for.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use phaser_core::check::CompanionDemand;
use phaser_core::command::{CommandLine, CommandPlace};
use phaser_core::contract::{Contract, Example, ExampleChange, ExampleForm, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::file_kind::FileKinds;
use phaser_core::fix::{Fixer, WhyLeft};
use phaser_core::matcher::FileNames;
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::text::Text;
use phaser_core::violation::Violation;
use phaser_project::path::{RelPath, Root};
use phaser_project::report::Report;
use phaser_project::scan::change::{
    ChangeOptions, OtherChanges, judge_change, judge_changed_companions, judge_companions,
};
use phaser_project::scan::{self, scan};
use phaser_project::source::change::{ChangeSet, ChangedFile};
use phaser_project::source::message::{self, COMMENT_PREFIX};
use phaser_project::source::view::DiskView;
use phaser_project::source::{Content, Coverage, Target, Targets};
use phaser_zones::Language;

/// What an example demonstrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// The contract must report a violation.
    Violating,
    /// The contract must report none.
    Passing,
}

impl Expectation {
    /// The key of `examples` in contract files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Violating => "violating",
            Self::Passing => "passing",
        }
    }
}

/// An example and its outcome.
#[derive(Debug)]
pub struct Tested<'a> {
    pub example: &'a Example,
    pub expected: Expectation,
    /// Its position among the examples with the same expectation, from 1.
    pub number: usize,
    /// The path it was checked under.
    pub path: RelPath,
    pub outcome: ExampleOutcome,
}

/// The result of checking an example.
#[derive(Debug, PartialEq, Eq)]
pub enum ExampleOutcome {
    AsExpected,
    /// A violating example without a violation, or an example that tests nothing.
    Missed(Missed),
    /// A passing example with violations.
    Unexpected(Vec<Violation>),
    /// The fix does not give the text in `fixed`.
    FixDiffers(FixDifference),
    /// The scan did not finish.
    Unchecked(Vec<Skipped>),
}

/// The result of a fix that differs from the example's `fixed`.
#[derive(Debug, PartialEq, Eq)]
pub struct FixDifference {
    /// The text after the fix.
    pub got: String,
    /// Why a violation was not fixed.
    pub why: Option<WhyLeft>,
}

/// Why a violating example has no violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    NothingFound,
    /// The glob matches no path of the example.
    OutsideGlob,
    /// The example has no path, and none could be derived from the glob.
    NoPath,
    /// An ignore directive suppresses the violation.
    Ignored,
}

/// Runs the examples of a contract, enabled or not, whatever overrides make of it. Imports are resolved by the files of the project at `root`.
///
/// # Errors
///
/// The warnings of a contract with an invalid pattern.
pub fn test<'c>(
    contract: &'c Contract,
    timeout: Duration,
    root: Option<&Root>,
) -> Result<Vec<Tested<'c>>, Vec<Warning>> {
    let scope = contract.scope.whole();
    let tested = &Contract { enabled: true, scope, ..contract.clone() };
    let options = matcher::Options::new(timeout, Directives::Honoured);
    let (matcher, warnings) = Matcher::validated(vec![tested.clone()], options);
    if matcher.contracts().is_empty() {
        return Err(warnings);
    }
    if let Some(root) = root.filter(|_| contract.check.reads_project()) {
        matcher.resolve_in(Arc::new(DiskView::new(root, &Targets::none())));
    }
    let derived = derived_path(tested);
    let base = &tested.scope.base;
    let examples = &contract.examples;
    let violating = examples.violating.iter().map(|example| (Expectation::Violating, example)).enumerate();
    let passing = examples.passing.iter().map(|example| (Expectation::Passing, example)).enumerate();
    let outcomes = violating.chain(passing).map(|(at, (expected, example))| {
        let given = example.path.as_ref().or(example.files.first()).map(|path| base.join(path));
        let given = given.or_else(|| derived.clone());
        let path = given.clone().unwrap_or_else(|| base.join("example"));
        let report = match contract.check.example_form() {
            ExampleForm::Change => run_change(&matcher, &path, example),
            ExampleForm::Files => run_files(&matcher, tested, example),
            ExampleForm::Text if contract.check.reads_commands() => {
                run_command(&matcher, &path, &example.text)
            }
            ExampleForm::Text => run(&matcher, &path, &example.text),
        };
        let difference = || match contract.check.reads_commands() {
            true => command_fix_difference(contract, example),
            false => fix_difference(&matcher, &path, example),
        };
        let in_glob = |path: &String| tested.glob.is_match(path.as_bytes());
        let outcome = match judge(expected, report) {
            // A file that the contract excludes is tested, too.
            ExampleOutcome::AsExpected | ExampleOutcome::Missed(_)
                if contract.check.example_form() == ExampleForm::Files
                    && !example.files.iter().any(in_glob) =>
            {
                ExampleOutcome::Missed(Missed::OutsideGlob)
            }
            ExampleOutcome::AsExpected => match difference() {
                Some(not) => ExampleOutcome::FixDiffers(not),
                None => ExampleOutcome::AsExpected,
            },
            ExampleOutcome::Missed(Missed::NothingFound) if given.is_none() => {
                ExampleOutcome::Missed(Missed::NoPath)
            }
            ExampleOutcome::Missed(Missed::NothingFound)
                if contract.check.example_form() != ExampleForm::Files && !tested.applies_to(&path, None) =>
            {
                ExampleOutcome::Missed(Missed::OutsideGlob)
            }
            outcome => outcome,
        };
        Tested { example, expected, number: at + 1, path, outcome }
    });
    Ok(outcomes.collect())
}

/// Scans a project of one file.
fn run(matcher: &Matcher, path: &RelPath, text: &str) -> Report {
    let is_message = matcher.contracts().iter().any(|contract| contract.check.reads_messages());
    let target = match is_message {
        true => message::target(
            path.clone(),
            message::cleaned(text.as_bytes(), COMMENT_PREFIX.as_bytes()),
            vec![path.clone()],
        ),
        false => Target::new(path.clone(), Content::Bytes(text.into())),
    };
    let targets = Targets { targets: vec![target], coverage: Coverage::Whole, ..Targets::none() };
    let options = scan::ScanOptions {
        threads: 1,
        max_file_size: u64::MAX,
        existing: scan::Existing::Deny,
        added_ignores: false,
        measure: scan::Measure::Nothing,
        propose_fixes: false,
        cache: None,
    };
    scan(matcher, &targets, options, &())
}

/// Judges the change of one file.
fn run_change(matcher: &Matcher, path: &RelPath, example: &Example) -> Report {
    let change = example.change.as_deref().cloned();
    let change = change.unwrap_or_else(|| ExampleChange { before: None, after: Some(example.text.clone()) });
    let content = |text: String| Content::Bytes(text.into());
    let file = ChangedFile {
        path: path.clone(),
        alias: None,
        before: vec![change.before.map(content)],
        previous: None,
        after: change.after.map(content),
        moved_to: None,
    };
    let change = ChangeSet { files: vec![file], state: None, has_others: false };
    let mut report = Report { contracts: matcher.contracts().to_vec(), ..Report::default() };
    judge_change(matcher, &change, &change_options(&|_| Ok(Vec::new())), &mut report);
    report
}

fn change_options<'a>(others: &'a OtherChanges<'a>) -> ChangeOptions<'a> {
    ChangeOptions { max_file_size: u64::MAX, existing: scan::Existing::Deny, others }
}

/// Judges the companions of files: those of a project, or those that a change touches. Companions that a change does not
/// touch exist.
fn run_files(matcher: &Matcher, contract: &Contract, example: &Example) -> Report {
    let mut report = Report { contracts: matcher.contracts().to_vec(), ..Report::default() };
    let paths: Vec<RelPath> = example.files.iter().map(|path| contract.scope.base.join(path)).collect();
    if contract.check.companion().is_some_and(|companion| companion.demand == CompanionDemand::Exists) {
        let target = |path: &RelPath| Target::new(path.clone(), Content::Bytes("".into()));
        let targets: Vec<Target> = paths.iter().map(target).collect();
        judge_companions(matcher, &targets, &|path| paths.contains(path), u64::MAX, &mut report);
        return report;
    }
    let changed = |path: RelPath| ChangedFile {
        path,
        alias: None,
        before: vec![None],
        previous: None,
        after: Some(Content::Bytes("".into())),
        moved_to: None,
    };
    let files: Vec<ChangedFile> = paths.into_iter().map(changed).collect();
    let exists = |_: &RelPath| Some(Content::Bytes("".into()));
    judge_changed_companions(matcher, &files, &change_options(&|_| Ok(Vec::new())), &exists, &mut report);
    report
}

/// Judges a command line.
fn run_command(matcher: &Matcher, path: &RelPath, line: &str) -> Report {
    let mut report = Report { contracts: matcher.contracts().to_vec(), ..Report::default() };
    match CommandLine::parse(line, Deadline::NEVER) {
        Ok(parsed) => report.violations.extend(
            matcher
                .contracts()
                .iter()
                .filter(|contract| parsed.judge(contract, &CommandPlace::of_examples()).is_some())
                .map(|contract| Violation::of_file(contract, path)),
        ),
        Err(why) => {
            let why = SkipReason::NotReconstructed(why.to_owned());
            report.skipped.push(Skipped { path: path.clone(), why });
        }
    }
    report
}

/// The command line after the fix, if it differs from the example's `fixed`.
fn command_fix_difference(contract: &Contract, example: &Example) -> Option<FixDifference> {
    let expected = example.fixed.as_ref()?;
    let parsed = CommandLine::parse(&example.text, Deadline::NEVER).ok()?;
    let fix = contract.fix.as_ref();
    let found = parsed.judge(contract, &CommandPlace::of_examples());
    let fixed = found.zip(fix).and_then(|(found, fix)| parsed.fixed(&found, &fix.template));
    let got = fixed.unwrap_or_else(|| example.text.clone());
    (got != *expected).then_some(FixDifference { got, why: None })
}

/// The result of the fix, if it differs from the example's `fixed`.
fn fix_difference(matcher: &Matcher, path: &RelPath, example: &Example) -> Option<FixDifference> {
    let expected = example.fixed.as_ref()?;
    let text = Text::new(example.text.as_bytes())?;
    let fixed = Fixer::new(matcher).fix(FileNames { path, alias: None }, &text, []);
    let got = String::from_utf8_lossy(&fixed.text).into_owned();
    let why = fixed.left.into_iter().next().map(|left| left.why);
    (got != *expected).then_some(FixDifference { got, why })
}

fn judge(expected: Expectation, report: Report) -> ExampleOutcome {
    if !report.skipped.is_empty() {
        return ExampleOutcome::Unchecked(report.skipped);
    }
    let open: Vec<Violation> = report.open().cloned().collect();
    match (expected, open.is_empty()) {
        (Expectation::Violating, false) | (Expectation::Passing, true) => ExampleOutcome::AsExpected,
        (Expectation::Passing, false) => ExampleOutcome::Unexpected(open),
        (Expectation::Violating, true) if report.violations.is_empty() => {
            ExampleOutcome::Missed(Missed::NothingFound)
        }
        (Expectation::Violating, true) => ExampleOutcome::Missed(Missed::Ignored),
    }
}

/// The most alternatives of a glob that paths are derived from.
const MOST_ALTERNATIVES: usize = 64;

/// A directory of each kind of files.
const OF_A_KIND: [&str; 4] = ["tests", "generated", "vendor", "cassettes"];

/// A path the contract applies to, derived from its glob; `None` if no filling fits.
pub fn derived_path(contract: &Contract) -> Option<RelPath> {
    derived_paths(contract).next()
}

/// Paths the contract applies to, relative to the project root, one for each alternative of its glob that a filling fits.
pub fn derived_paths(contract: &Contract) -> impl Iterator<Item = RelPath> {
    alternatives(contract.glob.as_str()).into_iter().filter_map(|glob| {
        let plain = ["example", "e", "0", "_"].iter().map(|filling| filled(&glob, filling));
        let kinds = OF_A_KIND.iter().map(|directory| format!("{directory}/{}", filled(&glob, "example")));
        let is_of_kind = |path: &str| contract.kinds.admits(FileKinds::of_path(path.as_bytes()));
        let paths = plain.chain(kinds).filter(|path| is_of_kind(path));
        let mut paths = paths.map(|path| contract.scope.base.join(&path));
        paths.find(|path| contract.applies_to(path, None))
    })
}

/// Whether a file of its globs can have a comment, where an ignore directive stands.
pub fn may_have_comments(contract: &Contract) -> bool {
    derived_paths(contract).any(|path| Language::has_comments(path.as_bytes()))
}

/// The globs that a glob with braces stands for, in order: `{a,b}/*.md` gives `a/*.md` and `b/*.md`.
fn alternatives(glob: &str) -> Vec<String> {
    let mut open = vec![glob.to_owned()];
    let mut done = Vec::new();
    while let Some(glob) = open.pop()
        && done.len() < MOST_ALTERNATIVES
    {
        match first_braces(&glob) {
            None => done.push(glob),
            Some((braces, choices)) => {
                let (before, after) = (&glob[..braces.start], &glob[braces.end..]);
                open.extend(choices.into_iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
        }
    }
    done
}

/// The range of the first braces and the choices between them.
fn first_braces(glob: &str) -> Option<(Range<usize>, Vec<&str>)> {
    let mut depth = 0usize;
    let (mut start, mut choice, mut choices) = (0, 0, Vec::new());
    let mut at = 0;
    while let Some(c) = glob[at..].chars().next() {
        let next = at + c.len_utf8();
        match c {
            '{' => {
                depth += 1;
                if depth == 1 {
                    (start, choice) = (at, next);
                }
            }
            ',' | '}' if depth == 1 => {
                choices.push(&glob[choice..at]);
                choice = next;
                if c == '}' {
                    return Some((start..next, choices));
                }
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = match c {
            '\\' => next + glob[next..].chars().next().map_or(0, char::len_utf8),
            '[' => glob.len() - after_class(&glob[next..]).len(),
            _ => next,
        };
    }
    None
}

/// The glob after a class. `rest` starts after the `[`.
fn after_class(rest: &str) -> &str {
    let members = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let first = members.chars().next().map_or(0, char::len_utf8);
    members[first..].find(']').map_or("", |at| &members[first + at + 1..])
}

/// A glob without braces as a path: wildcards are replaced by `filling`, and a class by its first member.
fn filled(glob: &str, filling: &str) -> String {
    let any = filling.chars().next();
    let mut path = String::new();
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '*' if rest.starts_with("**/") => &rest[3..],
            '*' => {
                path.push_str(filling);
                rest.trim_start_matches('*')
            }
            '?' => {
                path.extend(any);
                &rest[1..]
            }
            '[' => {
                let members = &rest[1..];
                path.extend(if members.starts_with(['!', '^']) { any } else { members.chars().next() });
                after_class(members)
            }
            '\\' => {
                let escaped = rest[1..].chars().next();
                path.extend(escaped);
                &rest[1 + escaped.map_or(0, char::len_utf8)..]
            }
            _ => {
                path.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::scope::{FileOverride, FileSet, OverrideValues};
    use phaser_core::contract::{Check, FixTemplate, LayerKind, Origin, syntax};
    use phaser_project::contracts::layers::{Layer, Loading, load};
    use phaser_project::packs::PACKS;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn contract(kind: &str, glob: &str, examples: &str) -> Contract {
        let yaml = format!(
            "rule_id: a\ntype: {kind}\npattern: 'print\\('\nfile_glob: '{glob}'\nmessage: m\nseverity: error\n\
             examples: {examples}\n"
        );
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        syntax::parse(&yaml, origin).expect("is valid")
    }

    fn outcomes(contract: &Contract) -> Vec<ExampleOutcome> {
        let tested = test(contract, TIMEOUT, None).expect("is tested");
        tested.into_iter().map(|tested| tested.outcome).collect()
    }

    #[test]
    fn every_type_passes_its_examples() {
        let text = "{violating: ['print(1)'], passing: ['log(1)']}";
        let inverse = "{violating: ['log(1)'], passing: ['print(1)']}";
        let placed = "{violating: [{path: a.py, text: ''}], passing: [{path: b.txt, text: ''}]}";
        let missing = "{violating: [{path: b.txt, text: ''}], passing: [{path: a.py, text: ''}]}";
        for (kind, examples) in [
            ("forbid_pattern", text),
            ("file_not_contains", text),
            ("require_pattern", inverse),
            ("file_contains", inverse),
            ("file_not_exists", placed),
            ("file_exists", missing),
        ] {
            let outcomes = outcomes(&contract(kind, "**/*.py", examples));
            assert_eq!(outcomes, [ExampleOutcome::AsExpected, ExampleOutcome::AsExpected], "{kind}");
        }
    }

    #[test]
    fn compares_fix_with_example() {
        let fixing = |fix: &str, fixed: &str| {
            let example = format!("{{violating: [{{text: 'print(1)', fixed: '{fixed}'}}]}}");
            let fix = Some(Box::new(FixTemplate::new(fix, 1)));
            outcomes(&Contract { fix, ..contract("forbid_pattern", "**/*.py", &example) })
        };
        assert_eq!(fixing("log(", "log(1)"), [ExampleOutcome::AsExpected]);
        let got = |got: &str, why| [ExampleOutcome::FixDiffers(FixDifference { got: got.to_owned(), why })];
        assert_eq!(fixing("log(", "log(2)"), got("log(1)", None));
        assert_eq!(fixing("print((", "log(1)"), got("print(1)", Some(WhyLeft::StillMatches)));
    }

    #[test]
    fn missed_example_has_reason() {
        let examples =
            "{violating: ['log(1)', {path: a.rb, text: 'print(1)'}, 'print(1) # phaser:ignore a']}";
        let expected =
            [Missed::NothingFound, Missed::OutsideGlob, Missed::Ignored].map(ExampleOutcome::Missed);
        assert_eq!(outcomes(&contract("forbid_pattern", "**/*.py", examples)), expected);
        let nowhere = contract("forbid_pattern", "[!0_e]x", "{violating: ['print(1)']}");
        assert_eq!(outcomes(&nowhere), [ExampleOutcome::Missed(Missed::NoPath)]);
    }

    #[test]
    fn unexpected_violation_has_position() {
        let contract = contract("forbid_pattern", "**/*.py", "{passing: [\"x\\n  print(1)\"]}");
        let tested = test(&contract, TIMEOUT, None).expect("is tested");
        let ExampleOutcome::Unexpected(violations) = &tested[0].outcome else { panic!("{:?}", tested[0]) };
        let start = violations[0].found.as_ref().expect("has a place").region.start;
        assert_eq!((start.line, start.column), (2, 3));
    }

    #[test]
    fn invalid_pattern_is_error() {
        let mut contract = contract("forbid_pattern", "**", "{passing: [x]}");
        let Check::Forbid(check) = &mut contract.check else { panic!("{:?}", contract.check) };
        check.pattern.source = "(".to_owned();
        assert_eq!(test(&contract, TIMEOUT, None).expect_err("is not valid").len(), 1);
    }

    #[test]
    fn disabled_contract_is_tested() {
        let enabled = contract("forbid_pattern", "**", "{violating: ['print(1)']}");
        assert_eq!(outcomes(&Contract { enabled: false, ..enabled }), [ExampleOutcome::AsExpected]);
    }

    fn companion(kind: &str, more: &str) -> Contract {
        let yaml = format!(
            "rule_id: a\ntype: {kind}\ncompanion: ['tests/test_{{stem}}.py', 'tests/{{stem}}.rs']\n\
             file_glob: 'src/*.py'\nmessage: m\nseverity: error\n{more}\n"
        );
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        syntax::parse(&yaml, origin).expect("is valid")
    }

    #[test]
    fn companions_are_tested_as_files() {
        let examples = "exclude_glob: 'src/conftest.py'\nexamples:\n  violating:\n    - src/a.py\n    - \
            files: [src/a.py, src/b.py, tests/test_b.py]\n  passing:\n    - files: [src/a.py, tests/a.rs]\n    - \
            src/conftest.py\n";
        for kind in ["companion_exists", "companion_changed"] {
            let outcomes = outcomes(&companion(kind, examples));
            assert!(outcomes.iter().all(|one| *one == ExampleOutcome::AsExpected), "{kind}: {outcomes:?}");
            assert_eq!(outcomes.len(), 4);
        }
    }

    #[test]
    fn wrong_examples_of_companions_fail() {
        let examples = "examples:\n  violating:\n    - files: [src/a.py, tests/test_a.py]\n    - lib/a.py\n  \
            passing:\n    - lib/a.py\n    - src/a.py\n";
        for kind in ["companion_exists", "companion_changed"] {
            let outcomes = outcomes(&companion(kind, examples));
            let missed = [Missed::NothingFound, Missed::OutsideGlob, Missed::OutsideGlob];
            assert_eq!(outcomes[..3], missed.map(ExampleOutcome::Missed), "{kind}");
            let ExampleOutcome::Unexpected(violations) = &outcomes[3] else { panic!("{kind}: {outcomes:?}") };
            assert_eq!(violations[0].path, "src/a.py".into());
        }
    }

    #[test]
    fn paths_of_nested_contract_are_below_its_directory() {
        let nested = |mut contract: Contract| {
            contract.scope.base = "web/app".into();
            contract
        };
        let text = "{violating: ['print(1)', {path: src/a.py, text: 'print(1)'}], passing: ['log(1)']}";
        let forbids = nested(contract("forbid_pattern", "src/*.py", text));
        let has_test = nested(companion(
            "companion_exists",
            "examples: {violating: [src/a.py], passing: [{files: [src/a.py, tests/a.rs]}]}",
        ));
        for contract in [forbids, has_test] {
            let tested = test(&contract, TIMEOUT, None).expect("is tested");
            for tested in tested {
                assert_eq!(tested.outcome, ExampleOutcome::AsExpected, "{tested:?}");
                assert!(tested.path.to_text().starts_with("web/app/src/"), "{tested:?}");
            }
        }
    }

    #[test]
    fn overridden_contract_is_tested() {
        let mut contract = contract("forbid_pattern", "**", "{violating: ['print(1)']}");
        let change = OverrideValues { severity: None, enabled: Some(false) };
        contract.scope.add_overrides([FileOverride { files: FileSet::default(), change }]);
        assert_eq!(outcomes(&contract), [ExampleOutcome::AsExpected]);
    }

    #[test]
    fn derives_paths_from_globs() {
        for (glob, path) in [
            ("**", "example"),
            ("**/*.py", "example.py"),
            ("src/**/*.{ts,tsx}", "src/example.ts"),
            ("{{a,b},c}/?.md", "a/e.md"),
            ("[xy][!e]*", "x00"),
            (r"a,\*/b", "a,*/b"),
            ("**/target/{debug,release}/**", "target/debug/example"),
        ] {
            let contract = contract("forbid_pattern", glob, "{}");
            assert_eq!(derived_path(&contract), Some(path.into()), "{glob}");
        }
    }

    #[test]
    fn derives_path_per_alternative() {
        let paths = |glob: &str| {
            let contract = contract("forbid_pattern", glob, "{}");
            derived_paths(&contract).map(|path| path.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(paths("**/*.{json,py}"), "example.json example.py");
        assert_eq!(paths("{{a,b},c{,d}}/x"), "a/x b/x c/x cd/x");
        assert_eq!(paths("[{,]a/{b,c}"), "{a/b {a/c");
        assert_eq!(paths(&"{a,b}".repeat(20)).split(' ').count(), MOST_ALTERNATIVES);
    }

    #[test]
    fn packs_pass_their_examples() {
        let packs: Vec<_> = PACKS.iter().map(Layer::of_pack).collect();
        let loaded = load(&packs, Loading::whole(matcher::broken));
        assert_eq!(loaded.warnings, []);
        assert!(loaded.shadowed.is_empty(), "an id is used twice: {:?}", loaded.shadowed);
        for contract in &loaded.contracts {
            let tested = test(contract, TIMEOUT, None).expect("a valid pattern");
            for tested in &tested {
                assert_eq!(tested.outcome, ExampleOutcome::AsExpected, "{} {tested:?}", contract.id);
            }
            let file_name = format!("{}.yaml", contract.id);
            assert_eq!(contract.origin.file.file_name(), Some(file_name.as_ref()));
            assert!(contract.rationale.is_some(), "{} has no rationale", contract.id);
            let count = |expected| tested.iter().filter(|tested| tested.expected == expected).count();
            let shows_fix = contract.examples.violating.iter().filter(|one| one.fixed.is_some()).count();
            assert!(contract.fix.is_none() || shows_fix >= 2, "{} does not show its fix", contract.id);
            // An example of hundreds of kilobytes shows nothing.
            let is_about_size = matches!(contract.check, Check::Size(_));
            assert!(
                is_about_size || (count(Expectation::Violating) >= 2 && count(Expectation::Passing) >= 2),
                "{}",
                contract.id
            );
        }
    }
}
