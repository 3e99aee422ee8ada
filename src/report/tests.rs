//! All formats, with violations in every state.

use std::collections::BTreeMap;
use std::io;
use std::io::Write;
use std::time::Duration;

use super::here::Here;
use super::host::RepositoryPrefix;
use super::palette::Colour;
use super::text::{Detail, TextOptions, Totals};
use super::*;
use phaser_core::contract::{Contract, LayerKind, Origin, syntax};
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_project::baseline::{self, Baseline, BaselineEntry};
use phaser_project::path::RelPath;
use phaser_project::report::Report;
use phaser_project::scan::{self, Existing, Measure, scan};
use phaser_project::source::{Content, Coverage, Target, Targets};
use phaser_project::states::{BaselineInput, OtherFiles, Scanned, decide_states};

const CONTRACTS: [&str; 6] = [
    "rule_id: no-print\ntype: forbid_pattern\npattern: 'print\\('\nfix: 'log('\nfile_glob: '**/*.py'\nmessage: Use log\nseverity: error\n",
    "rule_id: no-todo\ntype: forbid_pattern\npattern: TODO\nfile_glob: '**/*.py'\nmessage: |\n  Two\n  lines\nseverity: warning\n",
    "rule_id: token\ntype: forbid_pattern\npattern: 'tok-[a-z0-9]{8}'\nfile_glob: '**'\nmessage: A token\nseverity: error\ntags: [secret]\n",
    "rule_id: licence\ntype: require_pattern\npattern: Licence\nfile_glob: '**/*.py'\nmessage: No licence\nseverity: error\n",
    "rule_id: readme\ntype: file_exists\nfile_glob: README.md\nmessage: No readme\nseverity: error\n",
    "rule_id: strict\ntype: forbid_pattern\npattern: eval\nfile_glob: '**'\nmessage: Never\nseverity: error\nignorable: false\n",
];

fn matcher() -> Matcher {
    let origin = || Origin { layer: LayerKind::Project, file: "a.yaml".into() };
    let contracts: Vec<Contract> =
        CONTRACTS.iter().map(|yaml| syntax::parse(yaml, origin()).expect(yaml)).collect();
    Matcher::new(contracts, matcher::Options::new(Duration::from_secs(3600), Directives::Honoured))
}

/// Files with violations of every type; one has a previous text.
fn targets() -> Targets {
    let file = |path: String, text: String| {
        Target::new(RelPath::from(path.as_str()), Content::Bytes(text.into_bytes()))
    };
    let text = |number: usize| {
        let line = |line: usize| match (number + line) % 7 {
            0 => format!("  print(a{line}) # TODO\n"),
            1 => "print(1)\n".to_owned(),
            2 => format!("key = 'tok-{line:08}' # TODO print(\n"),
            3 => "print(2)  # phaser:ignore no-print\n".to_owned(),
            4 => "eval('tok-abcdefgh') # phaser:ignore strict\n".to_owned(),
            5 => "print(3)  # phaser:ignore\n".to_owned(),
            _ => "x = 'é'\n".to_owned(),
        };
        (0..20).map(line).collect::<String>()
    };
    let mut targets: Vec<Target> =
        (0..12).map(|number| file(format!("src/{}/f{number}.py", number % 3), text(number))).collect();
    let mut changed = file("src/changed.py".to_owned(), text(1) + &text(2));
    changed.before = Some(Box::new(file("src/changed.py".to_owned(), text(2))));
    targets.push(changed);
    targets.push(Target::new(RelPath::from("src/2/binary.py"), Content::Bytes(vec![0; 100])));
    targets.push(file("a.yaml".to_owned(), "x: tok-abcdefgh # eval\n".to_owned()));
    targets.push(file("src/z.txt".to_owned(), "eval".repeat(2_000)));
    targets.sort_by(|one, other| one.path.cmp(&other.path));
    Targets { targets, coverage: Coverage::Whole, ..Targets::none() }
}

fn report(baseline: Option<&Baseline>) -> Report {
    let options = scan::ScanOptions {
        threads: 2,
        max_file_size: 1 << 20,
        existing: Existing::Report,
        added_ignores: false,
        measure: Measure::Nothing,
        propose_fixes: true,
        cache: None,
    };
    let mut report = scan(&matcher(), &targets(), options, &());
    let is_gone = |path: &RelPath| path.as_bytes().starts_with(b"old/");
    let tolerated = |baseline| BaselineInput {
        baseline,
        is_gone: &is_gone,
        others: OtherFiles::None,
        seen: Scanned::Everything,
    };
    decide_states(&mut report, baseline.map(tolerated).as_ref());
    redact::redact(&mut report);
    report
}

/// A baseline of some violations, partly under previous paths.
fn baseline() -> Baseline {
    let mut entries: BTreeMap<BaselineEntry, u32> = BTreeMap::new();
    for (at, violation) in report(None).open().enumerate().filter(|(at, _)| at % 3 != 0) {
        let mut key = BaselineEntry::of(violation);
        if at % 3 == 2 && key.path.starts_with("src/1/") {
            key.path = key.path.replace("src/1/", "old/");
        }
        *entries.entry(key).or_default() += 1;
    }
    let file = baseline::write(entries.iter().map(|(key, count)| (key, *count)));
    Baseline::parse(file.as_bytes()).expect("a baseline")
}

type Writer = fn(&mut dyn Write, &Report) -> io::Result<()>;

const FORMATS: [(&str, Writer); 10] = [
    ("text", |out, report| text::write(out, report, &as_text(Detail::Plain))),
    ("source", |out, report| text::write(out, report, &as_text(Detail::Source(Colour::On)))),
    ("json", |out, report| json::write(out, report, None)),
    ("json with statistics", |out, report| {
        json::write(out, report, Some(&counts::ViolationCounts::of(report)))
    }),
    ("sarif", |out, report| sarif::write(out, report, &RepositoryPrefix::default())),
    ("github", |out, report| github::write(out, report, &RepositoryPrefix::default())),
    ("github summary", |out, report| github::write_summary(out, report, &RepositoryPrefix::default())),
    ("gitlab", |out, report| gitlab::write(out, report, &RepositoryPrefix::default())),
    ("junit", |out, report| junit::write(out, report, &RepositoryPrefix::default())),
    ("html", |out, report| html::write(out, report, html::Provenance::default())),
];

fn as_text(detail: Detail) -> TextOptions {
    TextOptions { detail, here: Here::default(), hint: true, totals: Totals::Always }
}

fn shown(report: &Report) -> Vec<(&'static str, String)> {
    let one = |&(name, write): &(&'static str, Writer)| {
        let mut out = Vec::new();
        write(&mut out, report).expect(name);
        (name, String::from_utf8(out).expect("UTF-8"))
    };
    FORMATS.iter().map(one).collect()
}

#[test]
fn no_format_shows_secret() {
    let baseline = baseline();
    for baseline in [None, Some(&baseline)] {
        let report = report(baseline);
        let summary = report.summary();
        assert!(summary.errors > 20 && summary.warnings > 5 && summary.ignored > 5, "{summary}");
        assert!(summary.existing > 5 && (summary.baselined > 20) == baseline.is_some(), "{summary}");
        for (name, shown) in shown(&report) {
            assert!(!shown.contains("tok-abcdefgh"), "{name} shows a secret");
        }
    }
}
