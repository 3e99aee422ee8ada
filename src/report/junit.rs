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

/// Writes the suites one by one. The root element carries the totals, so the suites are built twice instead of kept.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let suites = Suites::of(report, top);
    let mut report = JunitReport::new("phaser");
    suites.each(|suite| {
        report.tests += suite.tests;
        report.skipped += suite.skipped;
        report.failures += suite.failures;
        report.errors += suite.errors;
        Ok(())
    })?;
    // The most common JUnit schema allows `skipped` on suites only.
    let total = format!(" skipped=\"{}\"", report.skipped);
    let whole = to_xml(&report)?.replacen(&total, "", 1);
    let (start, end) = whole.split_at(whole.rfind(END).unwrap_or(whole.len()));
    out.write_all(start.as_bytes())?;
    suites.each(|suite| {
        let mut alone = JunitReport::new("phaser");
        alone.add_test_suite(suite);
        let xml = to_xml(&alone)?;
        let inside = xml.find(SUITE).zip(xml.rfind(END)).and_then(|(start, end)| xml.get(start..end));
        write!(out, "    {}", inert_xml(inside.unwrap_or_default()))
    })?;
    out.write_all(end.as_bytes())
}

/// Start of a suite.
const SUITE: &str = "<testsuite ";

/// End of the document.
const END: &str = "</testsuites>";

fn to_xml(report: &JunitReport) -> io::Result<String> {
    report.to_string().map_err(io::Error::other)
}

/// The suites: one for each file that was checked, has a violation, or could not be checked.
struct Suites<'a> {
    report: &'a Report,
    top: &'a RepositoryPrefix,
    /// Test cases by file, beside the file's own violations.
    others: BTreeMap<RelPath, Vec<ExtraCase>>,
}

/// A case in a file's suite that is not a violation in this file.
struct ExtraCase {
    /// The path it is sorted by; `None` for unchecked files, which come last.
    sorted_by: Option<RelPath>,
    case: TestCase,
}

impl<'a> Suites<'a> {
    fn of(report: &'a Report, top: &'a RepositoryPrefix) -> Self {
        let mut others: BTreeMap<RelPath, Vec<ExtraCase>> = BTreeMap::new();
        for path in &report.checked {
            others.entry(top.path(path)).or_default();
        }
        for violation in report.open() {
            let (path, spot) = (top.path(&violation.path), HostLocation::of(top, violation));
            if path != spot.path {
                let other = ExtraCase { sorted_by: Some(path), case: failed(violation, &spot) };
                others.entry(spot.path).or_default().push(other);
            }
        }
        for skipped in report.gaps() {
            let other = ExtraCase { sorted_by: None, case: unchecked(skipped) };
            others.entry(top.path(&skipped.path)).or_default().push(other);
        }
        Self { report, top, others }
    }

    /// Visits each suite, sorted by path.
    fn each(&self, mut visit: impl FnMut(TestSuite) -> io::Result<()>) -> io::Result<()> {
        let mut others = self.others.iter().peekable();
        for file in self.report.by_file() {
            let Some(path) = file.first().map(|first| self.top.path(&first.path)) else { continue };
            let open = file.iter().filter(|violation| violation.is_open());
            let shown = open.map(|violation| (violation, HostLocation::of(self.top, violation)));
            let own = shown.filter(|(_, spot)| spot.path == path);
            let own: Vec<TestCase> = own.map(|(violation, spot)| failed(violation, &spot)).collect();
            if own.is_empty() {
                continue;
            }
            while let Some((before, others)) = others.next_if(|(other, _)| **other < path) {
                visit(suite(before, Vec::new(), others))?;
            }
            let beside = others.next_if(|(other, _)| **other == path);
            visit(suite(&path, own, beside.map_or(&[], |(_, others)| others)))?;
        }
        others.try_for_each(|(path, others)| visit(suite(path, Vec::new(), others)))
    }
}

fn failed(violation: &Violation, spot: &HostLocation) -> TestCase {
    let contract = &violation.contract;
    let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
    failed.set_message(&*contract.message).set_type(contract.severity.as_str());
    failed.set_description(format!("{}:{}: {}: {}", spot.path, spot.line, contract.id, contract.message));
    TestCase::new(format!("{}:{}", contract.id, spot.line), failed)
}

/// Sanitises XML line by line.
fn inert_xml(xml: &str) -> String {
    xml.split('\n').map(inert).collect::<Vec<_>>().join("\n")
}

fn suite(path: &RelPath, own: Vec<TestCase>, others: &[ExtraCase]) -> TestSuite {
    let is_before = |other: &&ExtraCase| other.sorted_by.as_ref().is_some_and(|sorted_by| sorted_by < path);
    let (before, after): (Vec<&ExtraCase>, Vec<&ExtraCase>) = others.iter().partition(is_before);
    let case = |other: &ExtraCase| other.case.clone();
    let mut cases: Vec<TestCase> = before.into_iter().map(case).collect();
    cases.extend(own);
    cases.extend(after.into_iter().map(case));
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
