//! The matcher: a path and its text in, violations out. Pure: it opens no file and prints nothing.
//!
//! Built once from all contracts. For each file: which contracts apply to its path, which of those
//! can match its text at all, where they match, and which matches an ignore directive covers.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::contract::{Check, Contract, Needs, Warning};
use crate::deadline::Deadline;
use crate::path::RelPath;
use crate::skipped::{Skipped, Why};
use crate::text::Text;
use crate::violation::{LineDigest, Match, Note, State, Violation};

pub mod anatomy;
mod automaton;
mod backtracking;
mod bytes;
mod comments;
pub mod cost;
pub mod dialect;
pub mod doubt;
mod folded;
mod globs;
mod gram;
pub mod ignores;
pub mod limits;
pub mod linear;
#[cfg(test)]
pub(crate) mod oracle;
pub mod pattern;
pub mod prefilter;
mod sketch;
pub mod windows;

use cost::Meter;
use folded::Folded;
use globs::Globs;
use ignores::{Cover, Ignores};
use limits::{Budget, Limits, MAX_ANCHORS};
use linear::Charset;
use pattern::{Pattern, Unfinished, Within};
use prefilter::{Candidates, MAX_WIDTH, Prefilter};

/// The most matches that are reported for one contract in one file.
pub const MAX_MATCHES: usize = 1_000;

/// The longest matched text or source line that a violation carries, in bytes.
const MAX_EXCERPT: usize = 1_000;

/// How a matcher searches.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long each pattern may take on each file.
    pub timeout: Duration,
    /// What ignore directives do.
    pub directives: Directives,
    /// How much all of it may take.
    pub limits: Limits,
}

/// What ignore directives do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directives {
    /// They suppress violations.
    Honoured,
    /// Nothing.
    Disregarded,
}

/// What became of one file.
#[derive(Debug, Default)]
pub struct Checked {
    /// The violations, open ones and those that ignore directives cover.
    pub violations: Vec<Violation>,
    /// Searches that did not come to their end.
    pub skipped: Vec<Skipped>,
    /// Contracts about the project as a whole that this file satisfies.
    pub satisfied: Vec<usize>,
    lines: Lines,
}

/// All contracts, ready to be matched.
#[derive(Debug)]
pub struct Matcher {
    contracts: Vec<Arc<Contract>>,
    /// For each of them its pattern, if it has one that can match.
    patterns: Vec<Option<Box<Pattern>>>,
    globs: Globs,
    groups: Mutex<HashMap<Vec<usize>, Arc<Selection>>>,
    options: Options,
    budget: Budget,
    /// Contracts that there was no time to prepare, in order. They may apply to any path.
    unprepared: Vec<usize>,
}

/// Memory that checks use one after another.
#[derive(Debug, Default)]
pub struct Scratch {
    candidates: Candidates,
    meter: Meter,
}

/// The contracts that apply to a path.
#[derive(Debug)]
pub struct Selection {
    is_empty: bool,
    /// In order, those that backtrack last: they are slow.
    searched: Vec<usize>,
    unprepared: Vec<usize>,
    prefilter: Prefilter,
    not_exists: Vec<usize>,
    exists: Vec<usize>,
}

impl Selection {
    /// Is there nothing to check?
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Contracts that the existence of the file satisfies.
    pub fn satisfied_by_existence(&self) -> &[usize] {
        &self.exists
    }
}

impl Matcher {
    /// A matcher for those of the `contracts` that are enabled, and what is wrong with the patterns
    /// of the others; they are left out.
    pub fn new(contracts: Vec<Contract>, options: Options) -> (Self, Vec<Warning>) {
        Self::of(contracts, options, |_| true)
    }

    /// The same for these texts and no others: a pattern that cannot match in them is not even parsed.
    pub fn for_texts(contracts: Vec<Contract>, options: Options, texts: &[Text<'_>]) -> (Self, Vec<Warning>) {
        let folded = Folded::new(texts.iter().map(Text::bytes));
        Self::of(contracts, options, |contract| match (&contract.check, &folded) {
            (Check::Forbid(pattern), Some(folded)) => folded.may_match(pattern),
            _ => true,
        })
    }

    fn of(
        mut contracts: Vec<Contract>,
        options: Options,
        may_match: impl Fn(&Contract) -> bool,
    ) -> (Self, Vec<Warning>) {
        let (mut warnings, mut patterns) = (Vec::new(), Vec::with_capacity(contracts.len()));
        let (budget, mut anchors, mut unprepared) = (Budget::new(options.limits.kept), 0, Vec::new());
        contracts.retain(|contract| {
            if !contract.enabled {
                return false;
            }
            let late = options.limits.deadline.has_passed();
            if late || !may_match(contract) {
                unprepared.extend(late.then_some(patterns.len()));
                patterns.push(None);
                return true;
            }
            match compile(contract, options.timeout, &mut warnings) {
                Ok(mut pattern) => {
                    if let Some(pattern) = &mut pattern {
                        anchors += pattern.settle(&budget, MAX_ANCHORS.saturating_sub(anchors));
                    }
                    patterns.push(pattern.map(Box::new));
                    true
                }
                Err(warning) => {
                    warnings.push(warning);
                    false
                }
            }
        });
        let prepared = |(index, _): &(usize, &Contract)| unprepared.binary_search(index).is_err();
        let globs = Globs::of(contracts.iter().enumerate().filter(prepared));
        let contracts = contracts.into_iter().map(Arc::new).collect();
        let groups = Mutex::default();
        let matcher = Self { contracts, patterns, globs, groups, options, budget, unprepared };
        (matcher, warnings)
    }

    /// The contracts, in the order that a [`Selection`] counts them.
    pub fn contracts(&self) -> &[Arc<Contract>] {
        &self.contracts
    }

    /// The contracts that apply to a file known by these names.
    pub fn select(&self, path: &RelPath, alias: Option<&RelPath>) -> Arc<Selection> {
        let mut key = self.globs.matching(&self.contracts, path, alias);
        let exempt = path.is_project_contract() || alias.is_some_and(RelPath::is_project_contract);
        if exempt {
            key.push(usize::MAX);
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(selection) = groups.get(&key) {
            return Arc::clone(selection);
        }
        let selection = Arc::new(self.selection(&self.globs.contracts(&key), exempt));
        groups.insert(key, Arc::clone(&selection));
        selection
    }

    fn selection(&self, applicable: &[usize], exempt: bool) -> Selection {
        let having = |wanted: fn(&Check) -> bool| {
            applicable
                .iter()
                .copied()
                .filter(|&index| wanted(&self.contracts[index].check))
                .collect::<Vec<_>>()
        };
        let mut searched = if exempt { Vec::new() } else { having(|check| check.pattern().is_some()) };
        let not_exists = having(|check| *check == Check::NotExists);
        let is_empty = searched.is_empty() && not_exists.is_empty() && self.unprepared.is_empty();
        searched.retain(|&index| self.patterns[index].is_some());
        searched.sort_by_key(|&index| self.backtracks(index));
        let patterns = searched.iter().filter_map(|&index| self.patterns[index].as_deref());
        let prefilter = Prefilter::new(patterns.map(Pattern::anatomy));
        Selection {
            is_empty,
            prefilter,
            searched,
            unprepared: self.unprepared.clone(),
            not_exists,
            exists: having(|check| *check == Check::Exists),
        }
    }

    fn backtracks(&self, contract: usize) -> bool {
        self.patterns[contract].as_deref().is_some_and(|pattern| pattern.backtracks().is_some())
    }

    /// Checks one file. Without a text, only its presence is judged.
    pub fn check(&self, selection: &Selection, path: &RelPath, text: Option<&Text<'_>>) -> Checked {
        self.check_with(&mut Scratch::default(), selection, path, text)
    }

    /// Checks one file, with memory that the next one can use again.
    pub fn check_with(
        &self,
        scratch: &mut Scratch,
        selection: &Selection,
        path: &RelPath,
        text: Option<&Text<'_>>,
    ) -> Checked {
        let mut checked = Checked::default();
        for &contract in &selection.not_exists {
            checked.violations.push(Violation::of_file(&self.contracts[contract], path));
        }
        let Some(text) = text else { return checked };
        let charset = if text.is_ascii() { Charset::Ascii } else { Charset::Any };
        let deadline = self.options.limits.deadline.or(Deadline::after(self.options.limits.file_time));
        let start = scratch.meter.start();
        scratch.candidates.end_by(deadline);
        selection.prefilter.search(text.bytes(), charset, &mut scratch.candidates);
        scratch.meter.prefiltered(start);
        let mut left_out = LeftOut { no_time: selection.unprepared.clone(), ..LeftOut::default() };
        for (at, &contract) in selection.searched.iter().enumerate() {
            let windows = scratch.candidates.windows(at);
            if windows.is_empty() && matches!(self.contracts[contract].check, Check::Forbid(_)) {
                continue;
            }
            if deadline.has_passed() {
                left_out.no_time.push(contract);
                continue;
            }
            let within = Within { text: text.bytes(), charset, windows };
            let start = scratch.meter.start();
            let searched = self.search(contract, within, deadline);
            let room = self.options.limits.violations.saturating_sub(checked.violations.len());
            if self.judge((contract, room), searched, (path, text), &mut checked) == Reported::InPart {
                left_out.no_room.push(contract);
            }
            scratch.meter.searched(contract, &within, start);
        }
        self.say_left_out(left_out, path, &mut checked);
        self.apply_directives(path, text, &mut checked);
        checked
    }

    /// Finds the matches of one contract, as many as are of interest.
    fn search(&self, contract: usize, within: Within<'_>, deadline: Deadline) -> Searched {
        let most = match self.contracts[contract].check {
            Check::Forbid(_) => MAX_MATCHES + 1,
            Check::Require(_) | Check::RequireSomewhere(_) | Check::Exists | Check::NotExists => 1,
        };
        let mut matches = Vec::new();
        let mut finished = Ok(());
        if let Some(pattern) = self.patterns[contract].as_deref().filter(|_| !within.windows.is_empty()) {
            finished = pattern.search(within, (deadline, &self.budget), |range| {
                matches.push(range);
                if matches.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        Searched { matches, finished }
    }

    /// Makes violations of what was found, as long as there is room for them; one has room in any case, so that nothing
    /// can hide all violations of a contract.
    fn judge(
        &self,
        (contract, room): (usize, usize),
        Searched { mut matches, finished }: Searched,
        (path, text): (&RelPath, &Text<'_>),
        checked: &mut Checked,
    ) -> Reported {
        let id = || self.contracts[contract].id.clone();
        let mut skip = |why| checked.skipped.push(Skipped { path: path.clone(), why });
        match finished {
            Ok(()) => {}
            Err(Unfinished::OutOfTime) => skip(Why::OutOfTime { id: id() }),
            Err(Unfinished::TooLarge) => skip(Why::TooComplex { id: id() }),
        }
        match &self.contracts[contract].check {
            Check::Forbid(_) => {
                let room = room.max(1);
                if matches.len() > MAX_MATCHES && room >= MAX_MATCHES {
                    skip(Why::TooManyMatches { id: id(), limit: MAX_MATCHES });
                    matches.truncate(MAX_MATCHES);
                }
                let reported = if matches.len() > room { Reported::InPart } else { Reported::Whole };
                for range in matches.into_iter().take(room) {
                    let found = found(text, range);
                    let line = checked.lines.of(text, found.region.start.line);
                    checked.violations.push(Violation::at(&self.contracts[contract], path, found, line));
                }
                return reported;
            }
            Check::Require(_) if matches.is_empty() && finished.is_ok() => {
                checked.violations.push(Violation::of_file(&self.contracts[contract], path));
            }
            Check::RequireSomewhere(_) if !matches.is_empty() => checked.satisfied.push(contract),
            Check::Require(_) | Check::RequireSomewhere(_) | Check::Exists | Check::NotExists => {}
        }
        Reported::Whole
    }

    fn say_left_out(&self, LeftOut { no_time, no_room }: LeftOut, path: &RelPath, checked: &mut Checked) {
        let ids = |mut contracts: Vec<usize>| -> Vec<String> {
            contracts.sort_unstable();
            contracts.into_iter().map(|contract| self.contracts[contract].id.clone()).collect()
        };
        let mut skip = |why| checked.skipped.push(Skipped { path: path.clone(), why });
        if !no_time.is_empty() {
            skip(Why::NoTimeLeft { ids: ids(no_time) });
        }
        if !no_room.is_empty() {
            skip(Why::TooManyViolations { limit: self.options.limits.violations, ids: ids(no_room) });
        }
    }

    fn apply_directives(&self, path: &RelPath, text: &Text<'_>, checked: &mut Checked) {
        if checked.violations.is_empty() || self.options.directives == Directives::Disregarded {
            return;
        }
        let ignores = Ignores::parse(path, text);
        for violation in &mut checked.violations {
            let line = violation.found.as_ref().map(|found| found.region.start.line);
            match ignores.covers(&violation.contract.id, line) {
                Cover::Suppressed => violation.state = State::Ignored,
                Cover::BareIgnore => violation.note = Some(Note::BareIgnore),
                Cover::No => {}
            }
        }
    }
}

/// What every match of a contract's pattern holds, if a glance at it tells.
pub fn needs(contract: &Contract) -> Option<Needs> {
    contract.check.pattern().and_then(sketch::needs)
}

/// What one pattern matched, as far as it was searched for.
struct Searched {
    matches: Vec<Range<usize>>,
    finished: Result<(), Unfinished>,
}

/// How much of what was found is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reported {
    Whole,
    InPart,
}

/// Contracts that a file was not checked with, or not to the end.
#[derive(Debug, Default)]
struct LeftOut {
    no_time: Vec<usize>,
    no_room: Vec<usize>,
}

/// What is wrong with the pattern of a contract, if it cannot be matched.
pub fn broken(contract: &Contract) -> Option<Warning> {
    compile(contract, Duration::ZERO, &mut Vec::new()).err()
}

fn compile(
    contract: &Contract,
    timeout: Duration,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Pattern>, Warning> {
    let Some(written) = contract.check.pattern() else { return Ok(None) };
    let file = &contract.origin.file;
    match Pattern::new(written, timeout) {
        Ok((pattern, notes)) => {
            warnings.extend(notes.iter().map(|note| Warning::at(file, written.line, *note)));
            Ok(Some(pattern))
        }
        Err(error) => Err(Warning::at(file, written.line, error.to_string())),
    }
}

fn found(text: &Text<'_>, range: Range<usize>) -> Match {
    let region = text.region(range.clone());
    Match {
        region,
        text: excerpt(&text.bytes()[range.clone()]),
        line: excerpt(text.line_head(region.start.line, MAX_EXCERPT + MAX_WIDTH)),
        range,
    }
}

/// The digests of the lines of one text that violations stand on, each made once: a line may be very long, and have
/// very many violations.
#[derive(Debug, Default)]
struct Lines(HashMap<usize, LineDigest>);

impl Lines {
    fn of(&mut self, text: &Text<'_>, line: usize) -> LineDigest {
        *self.0.entry(line).or_insert_with(|| LineDigest::of(text.line(line)))
    }
}

fn excerpt(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(MAX_EXCERPT);
    while end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{self, Dialect};
    use crate::glob::Glob;

    const HOUR: Duration = Duration::from_secs(3600);

    fn pattern(source: &str) -> contract::Pattern {
        contract::Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 3, needs: None }
    }

    fn forbid(source: &str) -> Check {
        Check::Forbid(pattern(source))
    }

    fn require(source: &str) -> Check {
        Check::Require(pattern(source))
    }

    fn on(glob: &str, index: usize, check: Check) -> Contract {
        Contract { glob: Glob::new(glob).expect("a glob"), ..oracle::contract(index, check) }
    }

    fn options(timeout: Duration) -> Options {
        Options { timeout, directives: Directives::Honoured, limits: Limits::default() }
    }

    fn matcher_within(timeout: Duration, contracts: Vec<Contract>) -> Matcher {
        let (matcher, warnings) = Matcher::new(contracts, options(timeout));
        assert_eq!(warnings, []);
        matcher
    }

    fn matcher(checks: impl IntoIterator<Item = Check>) -> Matcher {
        let contracts = checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        matcher_within(HOUR, contracts.collect())
    }

    fn check(matcher: &Matcher, content: impl AsRef<[u8]>) -> Checked {
        let path = RelPath::from("src/a.txt");
        let text = Text::new(content.as_ref().to_vec()).expect("is text");
        matcher.check(&matcher.select(&path, None), &path, Some(&text))
    }

    /// What one forbidden pattern matches: lines, columns and texts.
    fn matches(source: &str, content: impl AsRef<[u8]>) -> Vec<(usize, usize, String)> {
        let checked = check(&matcher([forbid(source)]), content);
        assert_eq!(checked.skipped, []);
        let found = checked.violations.into_iter().filter_map(|violation| violation.found);
        found.map(|found| (found.region.start.line, found.region.start.column, found.text)).collect()
    }

    fn at(line: usize, column: usize, matched: &str) -> (usize, usize, String) {
        (line, column, matched.to_owned())
    }

    fn skipped(checked: &Checked) -> Vec<Why> {
        checked.skipped.iter().map(|skipped| skipped.why.clone()).collect()
    }

    fn ids(checked: &Checked) -> Vec<String> {
        checked.violations.iter().map(|violation| violation.contract.id.clone()).collect()
    }

    fn selected(matcher: &Matcher, path: &str, alias: Option<&str>) -> Vec<usize> {
        let alias = alias.map(RelPath::from);
        matcher.select(&RelPath::from(path), alias.as_ref()).searched.clone()
    }

    #[test]
    fn a_thousand_matches_are_reported_and_the_rest_is_said() {
        let matcher = matcher([forbid("ab")]);
        let exactly = check(&matcher, "ab ".repeat(MAX_MATCHES));
        assert_eq!((exactly.violations.len(), exactly.skipped), (MAX_MATCHES, vec![]));
        let more = check(&matcher, "ab ".repeat(MAX_MATCHES + 1));
        assert_eq!(more.violations.len(), MAX_MATCHES);
        assert_eq!(skipped(&more), [Why::TooManyMatches { id: "c0".into(), limit: MAX_MATCHES }]);
    }

    #[test]
    fn running_out_of_time_is_said_and_is_never_no_match() {
        let contracts = [forbid("a"), require("(?:(?!x)(?:a|aa))+c"), forbid("(?:(?!x)(?:a|aa))+c")];
        let contracts =
            contracts.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check)).collect();
        let checked = check(&matcher_within(Duration::ZERO, contracts), "a".repeat(5_000));
        let out_of_time = |id: &str| Why::OutOfTime { id: id.to_owned() };
        assert_eq!(skipped(&checked), [out_of_time("c0"), out_of_time("c1"), out_of_time("c2")]);
        let violated = ids(&checked);
        assert!(!violated.is_empty() && violated.iter().all(|id| id == "c0"), "{violated:?}");
    }

    fn limited(limits: Limits, checks: impl IntoIterator<Item = Check>) -> Matcher {
        let contracts = checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let (matcher, warnings) = Matcher::new(contracts.collect(), Options { limits, ..options(HOUR) });
        assert_eq!(warnings, []);
        matcher
    }

    fn no_time_left(ids: &[&str]) -> Why {
        Why::NoTimeLeft { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
    }

    #[test]
    fn when_the_time_for_a_file_is_over_the_rest_is_said() {
        let limits = Limits { file_time: Duration::ZERO, ..Limits::default() };
        let checks = [forbid("a"), require("b"), forbid("never"), forbid("a(?!b)"), require(r"(.)\1")];
        let checked = check(&limited(limits, checks), "aa");
        assert_eq!(skipped(&checked), [no_time_left(&["c0", "c1", "c3", "c4"])], "c2 cannot match");
        assert_eq!(checked.violations, [], "what was not searched for is not missing");
    }

    #[test]
    fn contracts_that_were_not_prepared_in_time_are_said() {
        let limits = Limits { deadline: Deadline::after(Duration::ZERO), ..Limits::default() };
        let matcher = limited(limits, [forbid("a"), Check::NotExists, require("b")]);
        assert!(!matcher.select(&RelPath::from("src/a.txt"), None).is_empty());
        let checked = check(&matcher, "a");
        assert_eq!(skipped(&checked), [no_time_left(&["c0", "c1", "c2"])]);
        assert_eq!(checked.violations, []);
    }

    #[test]
    fn a_file_has_so_many_violations_and_each_contract_one_at_least() {
        let limits = Limits { violations: 3, ..Limits::default() };
        let checked =
            check(&limited(limits, [forbid("a"), forbid("b"), forbid("c"), forbid("d")]), "aabbbcd");
        assert_eq!(ids(&checked), ["c0", "c0", "c1", "c2", "c3"]);
        assert_eq!(skipped(&checked), [Why::TooManyViolations { limit: 3, ids: vec!["c1".to_owned()] }]);
    }

    #[test]
    fn without_memory_to_keep_automata_the_answer_is_the_same() {
        let limits = Limits { kept: 0, ..Limits::default() };
        let checks = || [forbid("a+"), forbid("é|b"), forbid("b(?!a)"), require(r"x(?=y)")];
        for text in ["aab", "éba", "xy b"] {
            let [checked, expected] =
                [limited(limits, checks()), matcher(checks())].map(|matcher| check(&matcher, text));
            assert_eq!(checked.violations, expected.violations);
            assert_eq!(checked.skipped, []);
        }
    }

    #[test]
    fn an_anchor_that_there_is_no_room_for_is_done_without() {
        let (mut pattern, _) = Pattern::new(&pattern("zqxj"), HOUR).expect("a pattern");
        let budget = Budget::new(0);
        let size = pattern.settle(&budget, usize::MAX);
        assert!(size > 0 && pattern.anatomy().anchor.is_some());
        assert_eq!(pattern.settle(&budget, size - 1), 0);
        assert!(pattern.anatomy().anchor.is_none());
    }

    #[test]
    fn lines_end_at_lf_and_at_crlf() {
        assert_eq!(matches("^b$", "a\r\nb\r\nb\nc"), [at(2, 1, "b"), at(3, 1, "b")]);
        assert_eq!(matches("a$", "a\r\n"), [at(1, 1, "a")]);
        assert_eq!(matches("a.", "a\r\nab"), [at(2, 1, "ab")]);
        assert_eq!(matches("^", "a\nb"), []);
    }

    #[test]
    fn a_pattern_may_span_lines() {
        assert_eq!(matches(r"a\s+b", "xa\n\r\n b"), [at(1, 2, "a\n\r\n b")]);
        assert_eq!(matches(r"(?s)\{.*\}", "{\n1\n}\n"), [at(1, 1, "{\n1\n}")]);
    }

    #[test]
    fn empty_matches_are_no_violations_and_hide_none() {
        assert_eq!(matches("x*", "axxbx"), [at(1, 2, "xx"), at(1, 5, "x")]);
        assert_eq!(matches("^|b", "b"), []);
        let checked = check(&matcher([require("x*"), require("$")]), "abc");
        assert_eq!(checked.violations.len(), 2, "an empty match does not meet a requirement");
    }

    #[test]
    fn case_folds_as_unicode_does_whatever_the_text() {
        assert_eq!(matches("(?i)key", "KEY \u{212A}ey"), [at(1, 1, "KEY"), at(1, 5, "\u{212A}ey")]);
        assert_eq!(matches("(?i)\u{212A}ey", "key"), [at(1, 1, "key")]);
        assert_eq!(matches(r"(?i)\u017fkill", "Skill"), [at(1, 1, "Skill")]);
        assert_eq!(matches(r"(?i)pa[s]{2}word", "paſsword"), [at(1, 1, "paſsword")]);
    }

    #[test]
    fn classes_are_unicode_on_every_text() {
        assert_eq!(matches(r"\bfoo\b", "éfoo foo"), [at(1, 6, "foo")]);
        assert_eq!(matches(r"\w+", "é1"), [at(1, 1, "é1")]);
        assert_eq!(matches(r"(?a)\w+", "é1"), [at(1, 2, "1")]);
        assert_eq!(matches(r"(?a)\W\b", "é1"), [at(1, 1, "é")]);
        assert_eq!(matches(r"(?a)\b1(?=2)", "é12"), [at(1, 2, "1")]);
        assert_eq!(matches("(?a)^.[é]$", "éé"), [at(1, 1, "éé")]);
        assert_eq!(matches("a.b", b"a\xFFb a\xC3\xA9b"), [at(1, 5, "aéb")]);
    }

    #[test]
    fn look_around_and_back_references_are_matched() {
        assert_eq!(matches(r"foo(?!bar)", "foobar foo1"), [at(1, 8, "foo")]);
        assert_eq!(matches(r"(?<=\$)\w+", "a $bc"), [at(1, 4, "bc")]);
        assert_eq!(matches(r"(?P<q>['\x22]).*?(?P=q)", "x 'a\"b'"), [at(1, 3, "'a\"b'")]);
        assert_eq!(matches(r"(\w)\1", b"\xFFoo\xC3"), [at(1, 2, "oo")]);
        assert_eq!(matches(r"^a(?=\r?$)", "a\r\na\nab"), [at(1, 1, "a"), at(2, 1, "a")]);
    }

    #[test]
    fn python_spellings_mean_what_python_means() {
        assert_eq!(matches(r"b\Z", "b\nb"), [at(2, 1, "b")]);
        assert_eq!(matches("if {x", "if {x"), [at(1, 1, "if {x")]);
        assert_eq!(matches("a{,2}b", "aaab"), [at(1, 2, "aab")]);
        assert_eq!(matches("[[a]", "[a"), [at(1, 1, "["), at(1, 2, "a")]);
        assert_eq!(matches(r"\101", "A"), [at(1, 1, "A")]);
        assert_eq!(matches("(?P<n>a)b", "ab"), [at(1, 1, "ab")]);
    }

    #[test]
    fn too_large_for_unicode_is_said_only_where_it_matters() {
        let huge = matcher([forbid(r"q\w{2000}"), require(r"q\w{2000}")]);
        assert_eq!(check(&huge, "q".repeat(2_001)).violations.len(), 1);
        let checked = check(&huge, format!("é{}", "q".repeat(2_001)));
        let too_complex = |id: &str| Why::TooComplex { id: id.to_owned() };
        assert_eq!(skipped(&checked), [too_complex("c0"), too_complex("c1")]);
        assert_eq!(checked.violations, []);
    }

    #[test]
    fn a_pattern_that_is_not_valid_is_a_warning_and_the_rest_stays() {
        let contracts = [forbid("(a"), forbid("b"), forbid("[[:alpha:]]")];
        let contracts =
            contracts.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let (matcher, warnings) = Matcher::new(contracts.collect(), options(HOUR));
        let ids: Vec<_> = matcher.contracts().iter().map(|contract| contract.id.as_str()).collect();
        assert_eq!(ids, ["c1", "c2"]);
        let shown: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert!(shown[0].starts_with("c0.yaml:3: 'pattern' is not a regular expression: unclosed group"));
        assert!(shown[1].starts_with("c2.yaml:3: '[[:name:]]'"), "{shown:?}");
    }

    #[test]
    fn contracts_that_are_switched_off_are_left_out() {
        let off = Contract { enabled: false, ..oracle::contract(0, forbid("a")) };
        let matcher = matcher_within(HOUR, vec![off, oracle::contract(1, forbid("b"))]);
        assert_eq!(matcher.contracts()[0].id, "c1");
        assert_eq!(check(&matcher, "ab").violations.len(), 1);
    }

    #[test]
    fn a_path_selects_the_contracts_whose_glob_it_matches() {
        let contracts = ["**/*.rs", "**/*.py", "**/*.rs", "src/**", "src/b/**", "src/?.rs"];
        let contracts =
            contracts.iter().enumerate().map(|(index, glob)| on(glob, index, forbid("a"))).collect();
        let matcher = matcher_within(HOUR, contracts);
        assert_eq!(selected(&matcher, "src/a.rs", None), [0, 2, 3, 5]);
        assert_eq!(selected(&matcher, "src/b/a.rs", None), [0, 2, 3, 4]);
        assert_eq!(selected(&matcher, "a.py", None), [1]);
        assert_eq!(selected(&matcher, "a.py", Some("src/b.rs")), [0, 1, 2, 3, 5]);
        assert_eq!(selected(&matcher, "src/b/a.py", Some("src/b.rs")), [0, 1, 2, 3, 4, 5]);
        assert!(matcher.select(&RelPath::from("a.txt"), None).is_empty());
        let [one, other] = ["x.rs", "y/z.rs"].map(|path| matcher.select(&RelPath::from(path), None));
        assert!(Arc::ptr_eq(&one, &other), "one selection serves every path with the same globs");
    }

    #[test]
    fn for_a_few_texts_only_what_can_match_in_them_is_parsed() {
        let options = options(HOUR);
        let checks = [forbid("passw[o]rd"), forbid("token[0-9]"), require("token"), forbid("(token")];
        let contracts: Vec<_> =
            checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check)).collect();
        let text = "a PASSWORD\nor password\n";
        let (all, all_warnings) = Matcher::new(contracts.clone(), options);
        let texts = [text, "nothing"].map(|text| Text::new(text.as_bytes()).expect("text"));
        let (matcher, warnings) = Matcher::for_texts(contracts, options, &texts);
        assert_eq!(warnings, all_warnings, "a pattern that is not valid is said to be so");
        assert_eq!(matcher.contracts(), all.contracts());
        let [found, expected] = [&matcher, &all].map(|matcher| check(matcher, text).violations);
        assert_eq!(found, expected);
        assert_eq!(found.len(), 2);
        assert_eq!(selected(&matcher, "a.txt", None), [0, 2], "the token is not looked for");
        let (matcher, _) = Matcher::for_texts(vec![oracle::contract(0, forbid("token"))], options, &texts);
        assert!(!matcher.select(&RelPath::from("a.txt"), None).is_empty(), "the contract does apply");
    }

    #[test]
    fn contract_files_are_exempt_from_content_contracts_only() {
        let matcher = matcher([forbid("a"), Check::NotExists, Check::Exists]);
        let file = ".claude/contracts/a.yaml";
        assert_eq!(selected(&matcher, "a.yaml", None), [0]);
        assert_eq!(selected(&matcher, file, None), [0; 0]);
        assert_eq!(selected(&matcher, "a.yaml", Some(file)), [0; 0]);
        let path = RelPath::from(file);
        let selection = matcher.select(&path, None);
        assert_eq!(selection.satisfied_by_existence(), [2]);
        let text = Text::new(&b"a"[..]).expect("is text");
        assert_eq!(ids(&matcher.check(&selection, &path, Some(&text))), ["c1"]);
    }

    #[test]
    fn a_directive_suppresses_and_a_bare_one_is_noted() {
        let matcher = matcher([forbid("bad")]);
        let checked = check(&matcher, "bad # phaser:ignore c0\nbad # phaser:ignore\nbad\n");
        let shown = |violation: &Violation| (violation.state, violation.note);
        let shown: Vec<_> = checked.violations.iter().map(shown).collect();
        let bare = Some(Note::BareIgnore);
        assert_eq!(shown, [(State::Ignored, None), (State::Open, bare), (State::Open, None)]);
    }

    #[test]
    fn long_matches_are_cut_at_a_character() {
        let found = matches("é+", "é".repeat(MAX_EXCERPT));
        assert_eq!(found, [at(1, 1, &"é".repeat(MAX_EXCERPT / 2))]);
        let found = matches("xé+", format!("x{}", "é".repeat(MAX_EXCERPT)));
        assert_eq!(found[0].2.len(), MAX_EXCERPT - 1);
    }
}
