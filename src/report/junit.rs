//! JUnit XML: each file is a suite, and each violation in it a failed test. The only user of quick-junit.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::host::{Spot, Top};
use super::inert;
use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::skipped::{Gap, Skipped};

/// Writes the outcome as JUnit XML.
pub fn write(out: &mut dyn Write, outcome: &Outcome, top: &Top) -> io::Result<()> {
    let mut suites: BTreeMap<RelPath, Vec<TestCase>> = BTreeMap::new();
    for path in &outcome.checked {
        suites.entry(top.path(path)).or_default();
    }
    for violation in outcome.open() {
        let contract = &violation.contract;
        let spot = Spot::of(top, violation);
        let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failed.set_message(&*contract.message).set_type(contract.severity.as_str());
        failed.set_description(format!("{}:{}: {}: {}", spot.path, spot.line, contract.id, contract.message));
        let case = TestCase::new(format!("{}:{}", contract.id, spot.line), failed);
        suites.entry(spot.path).or_default().push(case);
    }
    for skipped in outcome.gaps() {
        suites.entry(top.path(&skipped.path)).or_default().push(unchecked(skipped));
    }
    let mut report = Report::new("phaser");
    report.add_test_suites(suites.into_iter().map(|(path, cases)| suite(&path, cases)));
    let xml = report.to_string().map_err(io::Error::other)?;
    // The schema of JUnit XML that most readers follow counts skipped tests in suites only.
    let total = format!(" skipped=\"{}\"", report.skipped);
    out.write_all(inert_xml(&xml.replacen(&total, "", 1)).as_bytes())
}

/// XML with what a terminal would act on spelled out; a newline in it is layout, or shown as one.
fn inert_xml(xml: &str) -> String {
    xml.split('\n').map(inert).collect::<Vec<_>>().join("\n")
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
