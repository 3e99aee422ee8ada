//! JUnit XML: each file is a suite, each violation a failed test. The only user of quick-junit.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use super::host::{HostLocation, RepositoryPrefix};
use phaser_core::sanitize::inert;
use phaser_core::skipped::{Gap, Skipped};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::report::Report;

/// Writes a suite for each file that was checked, has a violation, or could not be checked, sorted by path.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let mut suites: BTreeMap<RelPath, Vec<TestCase>> = BTreeMap::new();
    suites.extend(report.checked.iter().map(|path| (top.path(path), Vec::new())));
    for violation in report.open() {
        let spot = HostLocation::of(top, violation);
        let case = failed(violation, &spot);
        suites.entry(spot.path).or_default().push(case);
    }
    for skipped in report.gaps() {
        suites.entry(top.path(&skipped.path)).or_default().push(unchecked(skipped));
    }
    let mut junit = JunitReport::new("phaser");
    junit.add_test_suites(suites.into_iter().map(|(path, cases)| suite(&path, cases)));
    // The most common JUnit schema allows `skipped` on suites only.
    let total = format!(" skipped=\"{}\"", junit.skipped);
    let xml = junit.to_string().map_err(io::Error::other)?.replacen(&total, "", 1);
    out.write_all(xml.split('\n').map(inert).collect::<Vec<_>>().join("\n").as_bytes())
}

fn failed(violation: &Violation, spot: &HostLocation) -> TestCase {
    let contract = &violation.contract;
    let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
    failed.set_message(&*contract.message).set_type(contract.severity.as_str());
    failed.set_description(format!("{}:{}: {}: {}", spot.path, spot.line, contract.id, contract.message));
    TestCase::new(format!("{}:{}", contract.id, spot.line), failed)
}

fn suite(path: &RelPath, mut cases: Vec<TestCase>) -> TestSuite {
    if cases.is_empty() {
        cases.push(TestCase::new("contracts", TestCaseStatus::success()));
    }
    for case in &mut cases {
        case.set_classname(path.to_text());
    }
    let mut suite = TestSuite::new(path.to_text());
    suite.add_test_cases(cases);
    suite
}

fn unchecked(skipped: &Skipped) -> TestCase {
    let mut status = match skipped.why.gap() {
        Gap::Failure => TestCaseStatus::non_success(NonSuccessKind::Error),
        Gap::Known | Gap::None => TestCaseStatus::skipped(),
    };
    status.set_message(skipped.why.to_string());
    TestCase::new("not checked", status)
}
