//! The matcher: contracts, a path and a text in, violations out. It opens no file, prints nothing, and reads no
//! clock unless it has a deadline.
//!
//! A [`Matcher`] is built from all contracts without parsing any pattern. Per file:
//!
//! 1. [`glob_set`] finds the contracts whose globs match the path; files with the same set share a [`Selection`].
//! 2. [`prepared`] parses the patterns that the text may match, by their [`literals`].
//! 3. [`prefilter`] scans the text once and returns windows per pattern.
//! 4. [`pattern`] searches the windows.
//! 5. Zones drop matches outside the wanted part of the file (code, comment, string), and
//!    [kinds](crate::file_kind) those in generated files and in test code.
//! 6. [`directives`] mark ignored violations.
//!
//! `docs/matcher.md` has a diagram and follows one contract through all steps.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::contract::scope::FileSet;
use crate::contract::{Contract, RequiredLiterals, Warning};
use crate::imports::{NoProject, ProjectView, Resolver};
use crate::path::{PROJECT_CONTRACTS, RelPath};

pub(crate) mod captures;
mod check;
pub mod directives;
mod glob_set;
pub mod limits;
pub(crate) mod literals;
#[cfg(test)]
pub(crate) mod oracle;
pub mod pattern;
pub(crate) mod prefilter;
mod prepared;
pub mod profile;
mod selection;
mod view;

pub use check::{Checked, MAX_MATCHES, line_match};
pub use glob_set::FileNames;
pub use prefilter::quick_reject::QuickReject;
pub use selection::Selection;

use glob_set::GlobSet;
use limits::{Effort, Limits};
use literals::scan;
use pattern::CompiledPattern;
use prefilter::Candidates;
use prepared::Prepared;
use profile::Meter;
use selection::ContentCheck;
use view::View;

/// Settings of a matcher.
#[derive(Debug, Clone)]
pub struct Options {
    /// The budget of a backtracking pattern per file, as the time that it roughly takes. Under a deadline, also
    /// the time limit of any pattern.
    pub timeout: Duration,
    /// Whether ignore directives suppress violations.
    pub directives: Directives,
    /// The caps on time, memory and output.
    pub limits: Limits,
    /// Directories with contract files, and the baseline. Content contracts do not apply to a YAML file there: a pattern
    /// would match its own definition. Every other file there is checked.
    pub exempt: Vec<RelPath>,
    /// Files that no contract applies to.
    pub exclude: Vec<FileSet>,
}

impl Options {
    /// Default limits, with the project's own contracts exempt.
    pub fn new(timeout: Duration, directives: Directives) -> Self {
        Self {
            timeout,
            directives,
            limits: Limits::default(),
            exempt: vec![RelPath::from(PROJECT_CONTRACTS)],
            exclude: Vec::new(),
        }
    }

    /// Hashes every option that decides what a matcher finds.
    pub fn hash_for_cache(&self, hasher: &mut impl Hasher) {
        let Self { timeout, directives, limits, exempt, exclude } = self;
        // Nothing is cached under a deadline, and automata find the same whether they are kept or not.
        let Limits { deadline: _, kept: _, violations } = limits;
        (timeout, directives, violations, exempt, exclude).hash(hasher);
    }
}

/// The effect of ignore directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Directives {
    /// They suppress violations.
    Honoured,
    /// They are text like any other.
    Disregarded,
}

/// Contracts, ready to be matched. Shared by threads.
#[derive(Debug)]
pub struct Matcher {
    contracts: Vec<Arc<Contract>>,
    prepared: Prepared,
    globs: GlobSet,
    groups: Mutex<HashMap<SelectionKey, Arc<Selection>>>,
    /// Resolves imports.
    resolver: Mutex<Arc<Resolver>>,
    options: Options,
}

/// The indices of the globs that match a path, and whether its content is checked.
type SelectionKey = (Vec<usize>, ContentCheck);

/// Buffers reused from check to check. One per thread.
#[derive(Debug, Default)]
pub struct Scratch {
    candidates: Candidates,
    meter: Meter,
}

impl Matcher {
    /// A matcher for the enabled `contracts`. Patterns are parsed when a path selects them.
    pub fn new(mut contracts: Vec<Contract>, options: Options) -> Self {
        contracts.retain(|contract| contract.enabled);
        let prepared = Prepared::new(contracts.len(), options.limits.kept);
        Self::with(contracts, prepared, options)
    }

    /// A matcher for the enabled `contracts` with valid patterns, and warnings about the others. Parses every
    /// pattern that its literals do not prove valid.
    pub fn validated(mut contracts: Vec<Contract>, options: Options) -> (Self, Vec<Warning>) {
        contracts.retain(|contract| contract.enabled);
        let mut prepared = Prepared::new(contracts.len(), options.limits.kept);
        let valid: Vec<bool> = contracts
            .iter()
            .enumerate()
            .map(|(index, contract)| prepared.is_valid_everywhere(index, contract))
            .collect();
        let warnings = prepared.warnings(&contracts);
        prepared.keep(&valid);
        let mut valid = valid.into_iter();
        contracts.retain(|_| valid.next().unwrap_or_default());
        (Self::with(contracts, prepared, options), warnings)
    }

    fn with(contracts: Vec<Contract>, prepared: Prepared, options: Options) -> Self {
        let globs = GlobSet::of(&contracts);
        let contracts = contracts.into_iter().map(Arc::new).collect();
        let resolver = Mutex::new(Arc::new(Resolver::new(Arc::new(NoProject))));
        Self { contracts, prepared, globs, groups: Mutex::default(), resolver, options }
    }

    /// The contracts. A [`Selection`] refers to them by index.
    pub fn contracts(&self) -> &[Arc<Contract>] {
        &self.contracts
    }

    /// Sets the project in which imports are resolved. Until then nothing exists. Results of earlier checks stay as they are,
    /// so it is set between scans.
    pub fn resolve_in(&self, project: Arc<dyn ProjectView>) {
        let resolver = Arc::new(Resolver::new(project));
        *self.resolver.lock().unwrap_or_else(PoisonError::into_inner) = resolver;
    }

    fn resolver(&self) -> Arc<Resolver> {
        Arc::clone(&self.resolver.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the result of a file at this path depends on other files of the project.
    pub fn reads_project(&self, path: &RelPath, alias: Option<&RelPath>) -> bool {
        self.contracts.iter().any(|one| one.check.reads_project() && one.applies_to(path, alias))
    }

    /// The settings it was built with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Warnings about the patterns parsed so far. A contract with an invalid pattern is skipped.
    pub fn warnings(&self) -> Vec<Warning> {
        self.prepared.warnings(&self.contracts)
    }

    /// The contracts that apply to a file: `path` is what globs see, `alias` its real path if that differs. Cached
    /// per set of matching globs.
    pub fn select(&self, path: &RelPath, alias: Option<&RelPath>) -> Arc<Selection> {
        self.select_for(path, alias, ContentCheck::Judged)
    }

    /// The contracts whose matches in a file a change must keep. Each match counts as a violation of them.
    pub fn select_kept(&self, path: &RelPath, alias: Option<&RelPath>) -> Arc<Selection> {
        self.select_for(path, alias, ContentCheck::Kept)
    }

    fn select_for(&self, path: &RelPath, alias: Option<&RelPath>, usual: ContentCheck) -> Arc<Selection> {
        let names = FileNames { path, alias };
        let globs = self.globs.matching(&self.contracts, names, self.options.limits.deadline);
        let content = match () {
            () if names.are_all_in(&self.options.exclude) => ContentCheck::Excluded,
            () if names.is_contract_file(&self.options.exempt) => ContentCheck::Exempt,
            () => usual,
        };
        let group = (globs, content);
        if let Some(selection) = self.groups().get(&group) {
            return Arc::clone(selection);
        }
        // Built without the lock, so that other threads can select.
        let selection = Arc::new(Selection::new(self, &self.globs.contracts(&group.0), group.1));
        Arc::clone(self.groups().entry(group).or_insert(selection))
    }

    /// The contracts that apply to the message of a commit that changes the files `touched`.
    pub fn select_message(&self, touched: &[RelPath]) -> Selection {
        let applies = |contract: &Contract| {
            contract.check.reads_messages()
                && (contract.is_about_every_file() && contract.kinds.is_open()
                    || touched.iter().any(|path| contract.applies_to(path, None)))
        };
        let applicable: Vec<usize> =
            (0..self.contracts.len()).filter(|&index| applies(&self.contracts[index])).collect();
        Selection::new(self, &applicable, ContentCheck::Message)
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, HashMap<SelectionKey, Arc<Selection>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_valid(&self, contract: usize) -> bool {
        self.prepared.is_valid(contract, &self.contracts[contract])
    }

    fn required_literals(&self, contract: usize) -> Option<&RequiredLiterals> {
        self.prepared.required_literals(contract, &self.contracts[contract])
    }

    fn pattern(&self, contract: usize) -> Option<&CompiledPattern> {
        self.prepared.pattern(contract, &self.contracts[contract])
    }

    /// The part of a match that verifiers test, if it is not all of it.
    fn secret_of(&self, contract: usize, view: &View<'_>, place: &Range<usize>) -> Option<Range<usize>> {
        self.prepared.secret_of(contract, &self.contracts[contract], (view, place))
    }

    /// Whether the deadline has passed.
    fn is_late(&self) -> bool {
        self.options.limits.deadline.has_passed()
    }

    /// The limits of one search.
    fn effort(&self) -> Effort<'_> {
        let Options { timeout, limits, .. } = &self.options;
        Effort { timeout: *timeout, deadline: limits.deadline, budget: self.prepared.budget() }
    }
}

/// The required literals of a contract's pattern or code, for storing with the contract. `None` if the pattern is invalid
/// or gets a warning.
pub fn required_literals(contract: &Contract) -> Option<RequiredLiterals> {
    let pattern = contract.check.prefilter()?;
    scan::required_literals(pattern).or_else(|| {
        let (pattern, warnings) = prepared::read(contract).ok()??;
        warnings.is_empty().then(|| pattern.requirements().required_literals())
    })
}

/// The problem with an invalid pattern.
pub fn broken(contract: &Contract) -> Option<Warning> {
    prepared::broken(contract)
}

#[cfg(test)]
mod tests {
    use super::check::MAX_EXCERPT;
    use super::limits::Budget;
    use super::*;
    use crate::contract::{self, Check, Dialect};
    use crate::deadline::{Deadline, jumping};
    use crate::skipped::SkipReason;
    use crate::text::Text;
    use crate::violation::{Note, State, Violation};
    use phaser_glob::Glob;

    const HOUR: Duration = Duration::from_secs(3600);

    fn pattern(source: &str) -> contract::Pattern {
        contract::Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 3, literals: None }
    }

    fn forbid(source: &str) -> Check {
        Check::forbid(pattern(source))
    }

    fn require(source: &str) -> Check {
        Check::require(pattern(source))
    }

    fn on(glob: &str, index: usize, check: Check) -> Contract {
        Contract { glob: Glob::new(glob).expect("a glob"), ..oracle::contract(index, check) }
    }

    fn options(timeout: Duration) -> Options {
        Options::new(timeout, Directives::Honoured)
    }

    fn matcher_within(timeout: Duration, contracts: Vec<Contract>) -> Matcher {
        let (matcher, warnings) = Matcher::validated(contracts, options(timeout));
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

    /// The line, column and text of each match of a forbidden pattern.
    fn matches(source: &str, content: impl AsRef<[u8]>) -> Vec<(usize, usize, String)> {
        let checked = check(&matcher([forbid(source)]), content);
        assert_eq!(checked.skipped, []);
        let found = checked.violations.into_iter().filter_map(|violation| violation.found);
        found.map(|found| (found.region.start.line, found.region.start.column, found.text)).collect()
    }

    fn at(line: usize, column: usize, matched: &str) -> (usize, usize, String) {
        (line, column, matched.to_owned())
    }

    fn skipped(checked: &Checked) -> Vec<SkipReason> {
        checked.skipped.iter().map(|skipped| skipped.why.clone()).collect()
    }

    fn ids(checked: &Checked) -> Vec<String> {
        checked.violations.iter().map(|violation| violation.contract.id.clone()).collect()
    }

    fn selected(matcher: &Matcher, path: &str, alias: Option<&str>) -> Vec<usize> {
        let alias = alias.map(RelPath::from);
        matcher.select(&RelPath::from(path), alias.as_ref()).contents().to_vec()
    }

    #[test]
    fn reports_first_thousand_matches() {
        let matcher = matcher([forbid("ab")]);
        let exactly = check(&matcher, "ab ".repeat(MAX_MATCHES));
        assert_eq!((exactly.violations.len(), exactly.skipped), (MAX_MATCHES, vec![]));
        let more = check(&matcher, "ab ".repeat(MAX_MATCHES + 1));
        assert_eq!(more.violations.len(), MAX_MATCHES);
        assert_eq!(skipped(&more), [SkipReason::TooManyMatches { id: "c0".into(), limit: MAX_MATCHES }]);
    }

    #[test]
    fn reports_pattern_that_timed_out() {
        let contracts = [forbid("a"), require("(?:(?!x)(?:a|aa))+c"), forbid("(?:(?!x)(?:a|aa))+c")];
        let contracts =
            contracts.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check)).collect();
        let checked = check(&matcher_within(Duration::ZERO, contracts), "a".repeat(500));
        let out_of_time = |id: &str| SkipReason::OutOfTime { id: id.to_owned() };
        assert_eq!(skipped(&checked), [out_of_time("c1"), out_of_time("c2")], "the linear engine never is");
        assert_eq!(ids(&checked), vec!["c0"; 500]);
    }

    fn limited(limits: Limits, checks: impl IntoIterator<Item = Check>) -> Matcher {
        let contracts = checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let (matcher, warnings) =
            Matcher::validated(contracts.collect(), Options { limits, ..options(HOUR) });
        assert_eq!(warnings, []);
        matcher
    }

    fn no_time_left(ids: &[&str]) -> SkipReason {
        SkipReason::NoTimeLeft { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
    }

    #[test]
    fn reports_unsearched_contracts_at_deadline() {
        let limits = Limits { deadline: Deadline::after(Duration::ZERO), ..Limits::default() };
        let checks = [forbid("a"), Check::NotExists, require("b"), forbid("never"), require(r"(.)\1")];
        let contracts = checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let matcher = Matcher::new(contracts.collect(), Options { limits, ..options(HOUR) });
        assert!(!matcher.select(&RelPath::from("src/a.txt"), None).is_empty());
        let checked = check(&matcher, "aa");
        assert_eq!(skipped(&checked), [no_time_left(&["c0", "c2", "c3", "c4"])]);
        assert_eq!(ids(&checked), ["c1"], "what was not searched for is not missing");
    }

    #[test]
    fn never_reads_clock_without_deadline() {
        let checks = || [forbid("a+"), require("b"), forbid("(?:(?!x)(?:a|aa))+c"), forbid(r"(a)\1(?!b)")];
        let content = "aab\n".repeat(3_000) + &"a".repeat(5_000);
        let within = Duration::from_millis(100);
        let run = || {
            let contracts = checks().into_iter().enumerate();
            let contracts = contracts.map(|(index, check)| oracle::contract(index, check)).collect();
            check(&matcher_within(within, contracts), &content)
        };
        let (steady, jumping) = (run(), jumping::by(HOUR, run));
        assert_eq!(jumping.1, 0, "nobody looks at it");
        assert_eq!((&jumping.0.violations, &jumping.0.skipped), (&steady.violations, &steady.skipped));
        let out_of_budget = SkipReason::OutOfTime { id: "c2".to_owned() };
        assert!(skipped(&steady).contains(&out_of_budget), "{:?}", skipped(&steady));
    }

    #[test]
    fn keeps_one_violation_per_contract() {
        let limits = Limits { violations: 3, ..Limits::default() };
        let checked =
            check(&limited(limits, [forbid("a"), forbid("b"), forbid("c"), forbid("d")]), "aabbbcd");
        assert_eq!(ids(&checked), ["c0", "c0", "c1", "c2", "c3"]);
        assert_eq!(
            skipped(&checked),
            [SkipReason::TooManyViolations { limit: 3, ids: vec!["c1".to_owned()] }]
        );
    }

    #[test]
    fn finds_same_without_kept_automata() {
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
    fn drops_anchor_without_room() {
        let (mut pattern, _) = CompiledPattern::new(&pattern("zqxj")).expect("a pattern");
        let budget = Budget::new(0);
        let size = pattern.limit_memory(&budget, usize::MAX);
        assert!(size > 0 && pattern.requirements().anchor.is_some());
        assert_eq!(pattern.limit_memory(&budget, size - 1), 0);
        assert!(pattern.requirements().anchor.is_none());
    }

    #[test]
    fn lines_end_at_lf_and_crlf() {
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
    fn ignores_empty_matches() {
        assert_eq!(matches("x*", "axxbx"), [at(1, 2, "xx"), at(1, 5, "x")]);
        assert_eq!(matches("^|b", "b"), []);
        let checked = check(&matcher([require("x*"), require("$")]), "abc");
        assert_eq!(checked.violations.len(), 2, "an empty match does not meet a requirement");
    }

    #[test]
    fn folds_case_by_unicode() {
        assert_eq!(matches("(?i)key", "KEY \u{212A}ey"), [at(1, 1, "KEY"), at(1, 5, "\u{212A}ey")]);
        assert_eq!(matches("(?i)\u{212A}ey", "key"), [at(1, 1, "key")]);
        assert_eq!(matches(r"(?i)\u017fkill", "Skill"), [at(1, 1, "Skill")]);
        assert_eq!(matches(r"(?i)pa[s]{2}word", "paſsword"), [at(1, 1, "paſsword")]);
    }

    #[test]
    fn classes_are_unicode() {
        assert_eq!(matches(r"\bfoo\b", "éfoo foo"), [at(1, 6, "foo")]);
        assert_eq!(matches(r"\w+", "é1"), [at(1, 1, "é1")]);
        assert_eq!(matches(r"(?a)\w+", "é1"), [at(1, 2, "1")]);
        assert_eq!(matches(r"(?a)\W\b", "é1"), [at(1, 1, "é")]);
        assert_eq!(matches(r"(?a)\b1(?=2)", "é12"), [at(1, 2, "1")]);
        assert_eq!(matches("(?a)^.[é]$", "éé"), [at(1, 1, "éé")]);
    }

    #[test]
    fn invalid_byte_counts_as_one_character() {
        let latin1 = b"password = \"gr\xFC\xDFe\"\nx = 1\n";
        let whole = [at(1, 1, "password = \"gr\u{FFFD}\u{FFFD}e\"")];
        for pattern in [r#"password = "[^"]+""#, r#"password = "[^"]+"(?!z)"#, r#"password = "\S+""#] {
            assert_eq!(matches(pattern, latin1), whole, "{pattern}");
        }
        for pattern in
            [".", r"\W", r"[\s\S]", r"[^\x00-\x7F]", r"\S", "[^a]", r"\W(?!z)", r"[^\x00-\x7F](?!z)"]
        {
            assert_eq!(
                matches(&format!("a{pattern}b"), b"a\xFFb a\xE2\x84b"),
                [at(1, 1, "a\u{FFFD}b")],
                "{pattern}"
            );
        }
        assert_eq!(matches("a..b", b"a\xE2\x84b"), [at(1, 1, "a\u{FFFD}b")], "two bytes, two characters");
        for pattern in [r"\w", r"\d", r"\s", r"\w(?!z)", "[a-z]", "(?i:[k-s])"] {
            assert_eq!(matches(&format!("a{pattern}b"), b"a\xFFb"), [], "{pattern}");
        }
        assert_eq!(matches(r"\bfoo\b", b"\xFFfoo\xC3 foo1"), [at(1, 2, "foo")]);
        assert_eq!(check(&matcher([require("(c) .+ 20")]), b"(c) \xA9 20").violations.len(), 1);
        assert_eq!(check(&matcher([require(r"\(c\) .+ 20")]), b"(c) \xA9 20").violations, []);
    }

    #[test]
    fn match_starts_after_leading_white_space() {
        assert_eq!(matches(r"^\s*print", "import x\n\n  print(1)\n"), [at(3, 3, "print")]);
        assert_eq!(matches(r"\s+x(?!y)", "a \u{A0}x"), [at(1, 4, "x")]);
        assert_eq!(matches(r"[ \t]+$", "a  \n"), [at(1, 2, "  ")], "nothing else");
        assert_eq!(matches(r"(?s)\s.", b"a \xFF"), [at(1, 3, "\u{FFFD}")]);
    }

    #[test]
    fn directive_on_any_line_counts() {
        let state = |content: &str| {
            let checked = check(&matcher([forbid(r"begin\s[\s\S]*?end")]), content);
            checked.violations.iter().map(|violation| violation.state).collect::<Vec<_>>()
        };
        assert_eq!(state("begin\nx # phaser:ignore c0\nend\n"), [State::Ignored]);
        assert_eq!(state("begin\nend # phaser:ignore c0\n"), [State::Ignored]);
        assert_eq!(state("# phaser:ignore-next-line c0\nbegin\nend\n"), [State::Ignored]);
        assert_eq!(state("# phaser:ignore c0\nbegin\nend\n# phaser:ignore c0\n"), [State::Open]);
    }

    #[test]
    fn warns_about_return_before_line_end() {
        let contracts = [forbid(r";\r$"), forbid(r"\r$(?!x)"), forbid(r"\r\n"), forbid(r";\r?$")];
        let contracts =
            contracts.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let (matcher, warnings) = Matcher::validated(contracts.collect(), options(HOUR));
        let shown: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(matcher.contracts().len(), 4, "they are valid");
        assert!(shown.len() == 2 && shown[0].starts_with(r"c0.yaml:3: '\r$' matches nothing"), "{shown:?}");
        assert!(shown[1].starts_with("c1.yaml:3: "), "{shown:?}");
    }

    #[test]
    fn matches_look_around_and_back_references() {
        assert_eq!(matches(r"foo(?!bar)", "foobar foo1"), [at(1, 8, "foo")]);
        assert_eq!(matches(r"(?<=\$)\w+", "a $bc"), [at(1, 4, "bc")]);
        assert_eq!(matches(r"(?P<q>['\x22]).*?(?P=q)", "x 'a\"b'"), [at(1, 3, "'a\"b'")]);
        assert_eq!(matches(r"(\w)\1", b"\xFFoo\xC3"), [at(1, 2, "oo")]);
        assert_eq!(matches(r"^a(?=\r?$)", "a\r\na\nab"), [at(1, 1, "a"), at(2, 1, "a")]);
    }

    #[test]
    fn reads_patterns_like_python() {
        assert_eq!(matches(r"b\Z", "b\nb"), [at(2, 1, "b")]);
        assert_eq!(matches("if {x", "if {x"), [at(1, 1, "if {x")]);
        assert_eq!(matches("a{,2}b", "aaab"), [at(1, 2, "aab")]);
        assert_eq!(matches("[[a]", "[a"), [at(1, 1, "["), at(1, 2, "a")]);
        assert_eq!(matches(r"\101", "A"), [at(1, 1, "A")]);
        assert_eq!(matches("(?P<n>a)b", "ab"), [at(1, 1, "ab")]);
        let conditional = r#"(?P<q>")?token(?(q)x|y)"#;
        assert_eq!(matches(conditional, "\"tokenx tokeny"), [at(1, 1, "\"tokenx"), at(1, 9, "tokeny")]);
        assert_eq!(matches(r#"(?P<q>")?secret(?(q)")"#, "\"secretq\""), [at(1, 2, "secret")]);
        assert_eq!(matches("(a(?i)b)c(?!z)", "aBC aBc"), [at(1, 5, "aBc")]);
        assert_eq!(matches("(?P<n>a(?i)b)c(?!z)", "aBC aBc"), [at(1, 5, "aBc")]);
        assert_eq!(matches("(?-m:foo$)", "foo\nfoo\n"), [at(2, 1, "foo")]);
        assert_eq!(matches("(?-m)foo$", "foo\nfoo\r\n"), [at(2, 1, "foo")]);
        assert_eq!(matches("(?-m:foo$)", "foo"), [at(1, 1, "foo")]);
    }

    #[test]
    fn reports_oversized_unicode_pattern_where_needed() {
        let huge = matcher([forbid(r"q\w{2000}"), require(r"q\w{2000}")]);
        assert_eq!(check(&huge, "q".repeat(2_001)).violations.len(), 1);
        let checked = check(&huge, format!("é{}", "q".repeat(2_001)));
        let too_complex = |id: &str| SkipReason::TooComplex { id: id.to_owned() };
        assert_eq!(skipped(&checked), [too_complex("c0"), too_complex("c1")]);
        assert_eq!(checked.violations, []);
    }

    #[test]
    fn warns_about_invalid_pattern_only() {
        let contracts = [forbid("(a"), forbid("b"), forbid("[[:alpha:]]")];
        let contracts =
            contracts.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check));
        let (matcher, warnings) = Matcher::validated(contracts.collect(), options(HOUR));
        let ids: Vec<_> = matcher.contracts().iter().map(|contract| contract.id.as_str()).collect();
        assert_eq!(ids, ["c1", "c2"]);
        let shown: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert!(shown[0].starts_with("c0.yaml:3: 'pattern' is not a regular expression: unclosed group"));
        assert!(shown[1].starts_with("c2.yaml:3: '[[:name:]]'"), "{shown:?}");
    }

    #[test]
    fn skips_disabled_contracts() {
        let off = Contract { enabled: false, ..oracle::contract(0, forbid("a")) };
        let matcher = matcher_within(HOUR, vec![off, oracle::contract(1, forbid("b"))]);
        assert_eq!(matcher.contracts()[0].id, "c1");
        assert_eq!(check(&matcher, "ab").violations.len(), 1);
    }

    #[test]
    fn selects_contracts_by_glob() {
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
    fn parses_only_patterns_that_may_match() {
        let checks = [
            forbid("passw[o]rd"),
            forbid("token[0-9]"),
            require("token"),
            forbid("(token"),
            forbid("token(?!s)"),
            forbid(r"tok[^\W]n"),
        ];
        let contracts: Vec<_> =
            checks.into_iter().enumerate().map(|(index, check)| oracle::contract(index, check)).collect();
        let matcher = Matcher::new(contracts, options(HOUR));
        assert_eq!(matcher.warnings(), [], "no pattern was parsed");
        assert_eq!(selected(&matcher, "a.txt", None), [0, 1, 2, 4, 5], "one is broken");
        let warnings: Vec<_> = matcher.warnings().iter().map(ToString::to_string).collect();
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("c3.yaml:3: 'pattern' is not"),
            "{warnings:?}"
        );
        assert_eq!(ids(&check(&matcher, "a PASSWORD\nor password\n")), ["c2", "c0"]);
        let read = |matcher: &Matcher| -> Vec<usize> {
            (0..6).filter(|index| matcher.prepared.known_pattern(*index).is_some()).collect()
        };
        assert_eq!(read(&matcher), [0, 5], "the scan finds no literal in the last one");
        assert_eq!(ids(&check(&matcher, "tokens token1")), ["c1", "c5", "c5", "c4"]);
        assert_eq!(read(&matcher), [0, 1, 2, 4, 5]);
    }

    #[test]
    fn selection_warms_up_after_many_texts() {
        let matcher = matcher([forbid("zqxj"), forbid("jqxz")]);
        let path = RelPath::from("a.txt");
        let selection = matcher.select(&path, None);
        let text = Text::new("zqxj ".repeat(2_000).into_bytes()).expect("is text");
        let mut counts = Vec::new();
        for _ in 0..20 {
            counts.push(matcher.check(&selection, &path, Some(&text)).violations.len());
        }
        assert_eq!(counts, [MAX_MATCHES; 20]);
        assert!(matcher.prepared.known_pattern(1).is_some(), "no text has it");
    }

    #[test]
    fn exempts_contract_files_from_content_checks() {
        let matcher = matcher([forbid("a"), Check::NotExists, Check::Exists]);
        let file = ".claude/contracts/a.yaml";
        assert_eq!(selected(&matcher, "a.yaml", None), [0]);
        assert_eq!(selected(&matcher, file, None), [0; 0]);
        assert_eq!(selected(&matcher, ".claude/contracts/sub/a.yml", None), [0; 0]);
        assert_eq!(selected(&matcher, ".claude/contracts-old/a.yaml", None), [0]);
        assert_eq!(selected(&matcher, ".claude/contracts/evil.py", None), [0], "not a contract file");
        let path = RelPath::from(file);
        let selection = matcher.select(&path, None);
        assert_eq!(selection.satisfied_by_existence(), [2]);
        let text = Text::new(&b"a"[..]).expect("is text");
        assert_eq!(ids(&matcher.check(&selection, &path, Some(&text))), ["c1"]);
    }

    #[test]
    fn real_path_decides_exemption() {
        let contracts = || vec![oracle::contract(0, forbid("a"))];
        let with = |exempt: &[&str]| {
            let exempt = exempt.iter().map(|path| RelPath::from(*path)).collect();
            Matcher::new(contracts(), Options { exempt, ..options(HOUR) })
        };
        let usual = matcher([forbid("a")]);
        let contract = ".claude/contracts/a.yaml";
        assert_eq!(selected(&usual, ".claude/contracts/link.py", Some("src/app.py")), [0], "a way around");
        assert_eq!(selected(&usual, "src/link.yaml", Some(contract)), [0; 0]);
        let two = with(&["rules", "vendor/rules"]);
        assert_eq!(selected(&two, "vendor/rules/deep/a.yaml", None), [0; 0]);
        assert_eq!(selected(&two, "rules/a.yaml", None), [0; 0]);
        assert_eq!(selected(&two, contract, None), [0]);
        assert_eq!(selected(&with(&[]), contract, None), [0]);
    }

    #[test]
    fn directive_suppresses_and_bare_gets_note() {
        let matcher = matcher([forbid("bad")]);
        let checked = check(&matcher, "bad # phaser:ignore c0\nbad # phaser:ignore\nbad\n");
        let shown = |violation: &Violation| (violation.state, violation.note);
        let shown: Vec<_> = checked.violations.iter().map(shown).collect();
        let bare = Some(Note::BareIgnore);
        assert_eq!(shown, [(State::Ignored, None), (State::Open, bare), (State::Open, None)]);
    }

    #[test]
    fn cuts_long_matches_at_a_character() {
        let found = matches("é+", "é".repeat(MAX_EXCERPT));
        assert_eq!(found, [at(1, 1, &"é".repeat(MAX_EXCERPT / 2))]);
        let found = matches("xé+", format!("x{}", "é".repeat(MAX_EXCERPT)));
        assert_eq!(found[0].2.len(), MAX_EXCERPT - 1);
    }
}
