//! Examples: does a contract do what its author says it does?
//!
//! Each example is scanned as a project of one file, through the same pipeline as any run, so an
//! example cannot pass here and fail there. How the answers are shown is decided elsewhere.

use std::time::Duration;

use phaser_core::contract::{Contract, Example, Warning};
use phaser_core::fix::{Mender, WhyLeft};
use phaser_core::matcher::FileNames;
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_core::skipped::Skipped;
use phaser_core::text::Text;
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::report::Report;
use phaser_project::scan::{self, scan};
use phaser_project::source::{Content, Coverage, Target, Targets};

/// What an example is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The contract must fire on it.
    Violating,
    /// The contract must leave it alone.
    Passing,
}

impl Purpose {
    /// The word used in contracts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Violating => "violating",
            Self::Passing => "passing",
        }
    }
}

/// One example, and what became of it.
#[derive(Debug)]
pub struct Tested<'a> {
    /// The example.
    pub example: &'a Example,
    /// What it is for.
    pub purpose: Purpose,
    /// Which one of its purpose it is, from 1.
    pub number: usize,
    /// The path it was judged under.
    pub path: RelPath,
    /// What happened.
    pub verdict: Verdict,
}

/// What happened to an example.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What its author expects.
    Right,
    /// It should have been violated and was not.
    Missed(Missed),
    /// It should have passed, and these were found.
    Fired(Vec<Violation>),
    /// It should have become another text once it is fixed.
    FixedOtherwise(NotAsFixed),
    /// It could not be judged to the end.
    Unfinished(Vec<Skipped>),
}

/// What became of an example that says what a fix makes of it.
#[derive(Debug, PartialEq, Eq)]
pub struct NotAsFixed {
    /// What it is once it is fixed.
    pub got: String,
    /// Why something of it was not fixed, if that is so.
    pub why: Option<WhyLeft>,
}

/// Why a contract did not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    /// Nothing in the text is against it.
    NothingFound,
    /// The path is not one that the glob matches.
    OutsideGlob,
    /// The example has no path, and none could be made up for the glob.
    NoPath,
    /// An ignore directive suppresses what was found.
    Ignored,
}

/// Runs the examples of a contract, whether it is enabled or not. A contract whose pattern is not
/// valid has no answer, only what is wrong with it.
pub fn test(contract: &Contract, timeout: Duration) -> Result<Vec<Tested<'_>>, Vec<Warning>> {
    let enabled = Contract { enabled: true, ..contract.clone() };
    let options = matcher::Options::new(timeout, Directives::Honoured);
    let (matcher, warnings) = Matcher::validated(vec![enabled], options);
    if matcher.contracts().is_empty() {
        return Err(warnings);
    }
    let made_up = made_up_path(contract);
    let examples = &contract.examples;
    let violating = examples.violating.iter().map(|example| (Purpose::Violating, example)).enumerate();
    let passing = examples.passing.iter().map(|example| (Purpose::Passing, example)).enumerate();
    let tested = violating.chain(passing).map(|(at, (purpose, example))| {
        let given = example.path.as_deref().or(made_up.as_deref());
        let path = RelPath::from(given.unwrap_or("example"));
        let report = run(&matcher, &path, &example.text);
        let verdict = match judge(purpose, report) {
            Verdict::Right => match not_as_fixed(&matcher, &path, example) {
                Some(not) => Verdict::FixedOtherwise(not),
                None => Verdict::Right,
            },
            Verdict::Missed(Missed::NothingFound) if given.is_none() => Verdict::Missed(Missed::NoPath),
            Verdict::Missed(Missed::NothingFound) if !contract.applies_to(&path, None) => {
                Verdict::Missed(Missed::OutsideGlob)
            }
            verdict => verdict,
        };
        Tested { example, purpose, number: at + 1, path, verdict }
    });
    Ok(tested.collect())
}

/// Scans a project that has this one file.
fn run(matcher: &Matcher, path: &RelPath, text: &str) -> Report {
    let target = Target::new(path.clone(), Content::Bytes(text.into()));
    let targets =
        Targets { targets: vec![target], coverage: Coverage::Whole, skipped: Vec::new(), folders: None };
    let options = scan::Options {
        threads: 1,
        max_file_size: u64::MAX,
        existing: scan::Existing::Deny,
        added_ignores: scan::AddedIgnores::NotWanted,
        measure: scan::Measure::Nothing,
        propose: scan::Propose::Nothing,
        cache: None,
    };
    scan(matcher, &targets, options, &())
}

/// What a fix makes of an example, if the example says something else.
fn not_as_fixed(matcher: &Matcher, path: &RelPath, example: &Example) -> Option<NotAsFixed> {
    let expected = example.fixed.as_ref()?;
    let text = Text::new(example.text.as_bytes())?;
    let mended = Mender::new(matcher).mend(FileNames { path, alias: None }, &text, []);
    let got = String::from_utf8_lossy(&mended.text).into_owned();
    let why = mended.left.into_iter().next().map(|left| left.why);
    (got != *expected).then_some(NotAsFixed { got, why })
}

fn judge(purpose: Purpose, report: Report) -> Verdict {
    if !report.skipped.is_empty() {
        return Verdict::Unfinished(report.skipped);
    }
    let open: Vec<Violation> = report.open().cloned().collect();
    match (purpose, open.is_empty()) {
        (Purpose::Violating, false) | (Purpose::Passing, true) => Verdict::Right,
        (Purpose::Passing, false) => Verdict::Fired(open),
        (Purpose::Violating, true) if report.violations.is_empty() => Verdict::Missed(Missed::NothingFound),
        (Purpose::Violating, true) => Verdict::Missed(Missed::Ignored),
    }
}

/// A path that the contract applies to, if one is found by filling in its glob.
pub fn made_up_path(contract: &Contract) -> Option<String> {
    let glob = contract.glob.as_str();
    let fillings = ["example", "e", "0", "_"];
    let mut paths = fillings.iter().map(|filling| Filled::new(filling).fill(glob));
    paths.find(|path| contract.applies_to(&RelPath::from(path.as_str()), None))
}

/// A path as it grows while a glob is read.
struct Filled<'a> {
    filling: &'a str,
    path: String,
    /// How many braces are open.
    braces: usize,
}

impl<'a> Filled<'a> {
    fn new(filling: &'a str) -> Self {
        Self { filling, path: String::new(), braces: 0 }
    }

    fn fill(mut self, glob: &str) -> String {
        let mut rest = glob;
        while let Some(c) = rest.chars().next() {
            rest = match c {
                '*' if rest.starts_with("**/") => &rest[3..],
                '*' => {
                    self.path.push_str(self.filling);
                    rest.trim_start_matches('*')
                }
                '?' => {
                    self.path.extend(self.filling.chars().next());
                    &rest[1..]
                }
                '[' => self.class(&rest[1..]),
                '{' => {
                    self.braces += 1;
                    &rest[1..]
                }
                ',' | '}' if self.braces > 0 => {
                    self.braces -= 1;
                    after_choices(rest)
                }
                '\\' => {
                    let escaped = rest[1..].chars().next();
                    self.path.extend(escaped);
                    &rest[1 + escaped.map_or(0, char::len_utf8)..]
                }
                _ => {
                    self.path.push(c);
                    &rest[c.len_utf8()..]
                }
            };
        }
        self.path
    }

    /// Takes the first character of a class, or the filling for a negated one; the `[` has been read.
    fn class<'g>(&mut self, rest: &'g str) -> &'g str {
        let negated = rest.starts_with(['!', '^']);
        let members = if negated { &rest[1..] } else { rest };
        let first = members.chars().next();
        let end = first.and_then(|first| {
            let after = first.len_utf8();
            members[after..].find(']').map(|at| after + at + 1)
        });
        self.path.extend(if negated { self.filling.chars().next() } else { first });
        &members[end.unwrap_or(members.len())..]
    }
}

/// What follows the `{a,b}` whose first choice has been read.
fn after_choices(rest: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return &rest[at + 1..],
            '}' => depth -= 1,
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn verdicts(contract: &Contract) -> Vec<Verdict> {
        let tested = test(contract, TIMEOUT).expect("is tested");
        tested.into_iter().map(|tested| tested.verdict).collect()
    }

    #[test]
    fn examples_that_are_right_say_so_for_every_type() {
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
            let verdicts = verdicts(&contract(kind, "**/*.py", examples));
            assert_eq!(verdicts, [Verdict::Right, Verdict::Right], "{kind}");
        }
    }

    #[test]
    fn what_a_fix_makes_of_an_example_is_compared() {
        let fixing = |fix: &str, fixed: &str| {
            let example = format!("{{violating: [{{text: 'print(1)', fixed: '{fixed}'}}]}}");
            let fix = Some(Box::new(FixTemplate::new(fix, 1)));
            verdicts(&Contract { fix, ..contract("forbid_pattern", "**/*.py", &example) })
        };
        assert_eq!(fixing("log(", "log(1)"), [Verdict::Right]);
        let got = |got: &str, why| [Verdict::FixedOtherwise(NotAsFixed { got: got.to_owned(), why })];
        assert_eq!(fixing("log(", "log(2)"), got("log(1)", None));
        assert_eq!(fixing("print((", "log(1)"), got("print(1)", Some(WhyLeft::StillMatches)));
    }

    #[test]
    fn a_missed_example_says_why() {
        let examples =
            "{violating: ['log(1)', {path: a.rb, text: 'print(1)'}, 'print(1) # phaser:ignore a']}";
        let expected = [Missed::NothingFound, Missed::OutsideGlob, Missed::Ignored].map(Verdict::Missed);
        assert_eq!(verdicts(&contract("forbid_pattern", "**/*.py", examples)), expected);
        let nowhere = contract("forbid_pattern", "[!0_e]x", "{violating: ['print(1)']}");
        assert_eq!(verdicts(&nowhere), [Verdict::Missed(Missed::NoPath)]);
    }

    #[test]
    fn an_example_that_fires_where_it_must_not_has_its_place() {
        let contract = contract("forbid_pattern", "**/*.py", "{passing: [\"x\\n  print(1)\"]}");
        let tested = test(&contract, TIMEOUT).expect("is tested");
        let Verdict::Fired(violations) = &tested[0].verdict else { panic!("{:?}", tested[0]) };
        let start = violations[0].found.as_ref().expect("has a place").region.start;
        assert_eq!((start.line, start.column), (2, 3));
    }

    #[test]
    fn a_pattern_that_is_not_valid_is_no_verdict() {
        let mut contract = contract("forbid_pattern", "**", "{passing: [x]}");
        let Check::Forbid(check) = &mut contract.check else { panic!("{:?}", contract.check) };
        check.pattern.source = "(".to_owned();
        assert_eq!(test(&contract, TIMEOUT).expect_err("is not valid").len(), 1);
    }

    #[test]
    fn a_disabled_contract_is_tested_too() {
        let enabled = contract("forbid_pattern", "**", "{violating: ['print(1)']}");
        assert_eq!(verdicts(&Contract { enabled: false, ..enabled }), [Verdict::Right]);
    }

    #[test]
    fn paths_are_made_up_for_globs() {
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
            assert_eq!(made_up_path(&contract).as_deref(), Some(path), "{glob}");
        }
    }

    #[test]
    fn every_example_of_every_pack_is_right() {
        let packs: Vec<_> = PACKS.iter().map(Layer::of_pack).collect();
        let loaded = load(&packs, Loading::whole(matcher::broken));
        assert_eq!(loaded.warnings, []);
        assert!(loaded.shadowed.is_empty(), "an id is used twice: {:?}", loaded.shadowed);
        for contract in &loaded.contracts {
            let tested = test(contract, TIMEOUT).expect("a valid pattern");
            for tested in &tested {
                assert_eq!(tested.verdict, Verdict::Right, "{} {tested:?}", contract.id);
            }
            let file_name = format!("{}.yaml", contract.id);
            assert_eq!(contract.origin.file.file_name(), Some(file_name.as_ref()));
            assert!(contract.rationale.is_some(), "{} has no rationale", contract.id);
            let count = |purpose| tested.iter().filter(|tested| tested.purpose == purpose).count();
            let shows_fix = contract.examples.violating.iter().filter(|one| one.fixed.is_some()).count();
            assert!(contract.fix.is_none() || shows_fix >= 2, "{} does not show its fix", contract.id);
            assert!(count(Purpose::Violating) >= 2 && count(Purpose::Passing) >= 2, "{}", contract.id);
        }
    }
}
