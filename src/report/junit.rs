//! JUnit XML: each file is a suite, each violation a failed test. The only user of quick-junit.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use super::host::{HostLocation, RepositoryPrefix};
use phaser_core::sanitize::inert_lines;
use phaser_core::skipped::{Gap, Skipped};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::report::Report;

/// Start of a suite.
const SUITE: &str = "<testsuite ";

/// End of the document.
const END: &str = "</testsuites>";

/// Writes a suite for each file that was checked, has a violation, or could not be checked, sorted by path.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let mut files: BTreeMap<RelPath, FileCases<'_>> = BTreeMap::new();
    files.extend(report.checked.iter().map(|path| (top.path(path), FileCases::default())));
    for violation in report.open() {
        files.entry(HostLocation::of(top, violation).path).or_default().violations.push(violation);
    }
    for skipped in report.gaps() {
        files.entry(top.path(&skipped.path)).or_default().gaps.push(skipped);
    }
    // The root element has the totals. Suites are built twice, because all of them together take much memory.
    let suites = || files.iter().map(|(path, cases)| suite(path, cases, top));
    let mut totals = JunitReport::new("phaser");
    for suite in suites() {
        totals.tests += suite.tests;
        totals.skipped += suite.skipped;
        totals.failures += suite.failures;
        totals.errors += suite.errors;
    }
    // The most common JUnit schema allows `skipped` on suites only.
    let skipped = format!(" skipped=\"{}\"", totals.skipped);
    let root = to_xml(&totals)?.replacen(&skipped, "", 1);
    let (start, end) = root.split_at(root.rfind(END).unwrap_or(root.len()));
    out.write_all(start.as_bytes())?;
    for suite in suites() {
        let mut alone = JunitReport::new("phaser");
        alone.add_test_suite(suite);
        let xml = to_xml(&alone)?;
        let inside = xml.find(SUITE).zip(xml.rfind(END)).and_then(|(start, end)| xml.get(start..end));
        write!(out, "    {}", inert_lines(inside.unwrap_or_default()))?;
    }
    out.write_all(end.as_bytes())
}

fn to_xml(report: &JunitReport) -> io::Result<String> {
    report.to_string().map_err(io::Error::other)
}

/// The cases of a suite, except for the one of a file that passes.
#[derive(Default)]
struct FileCases<'a> {
    violations: Vec<&'a Violation>,
    gaps: Vec<&'a Skipped>,
}

fn failed(violation: &Violation, spot: &HostLocation) -> TestCase {
    let contract = &violation.contract;
    let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let message = violation.message();
    failed.set_message(&*message).set_type(contract.severity.as_str());
    failed.set_description(format!("{}:{}: {}: {}", spot.path, spot.line, contract.id, message));
    TestCase::new(format!("{}:{}", contract.id, spot.line), failed)
}

fn suite(path: &RelPath, cases: &FileCases<'_>, top: &RepositoryPrefix) -> TestSuite {
    let violations = cases.violations.iter();
    let failed = violations.map(|violation| failed(violation, &HostLocation::of(top, violation)));
    let mut cases: Vec<TestCase> =
        failed.chain(cases.gaps.iter().map(|skipped| unchecked(skipped))).collect();
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
