//! The scan: checks every target, in parallel, and collects one report.
//!
//! Each worker owns two readers (current and previous text) and the matcher's scratch memory. For one target it
//!
//! - returns the cached result if the file is unchanged (`look_up`),
//! - selects the contracts whose globs match (`search_target`) and stops if there are none,
//! - reads the text and checks it (`read_target`); a known content is again answered by the cache,
//! - on request proposes fixes, finds added ignore directives, and checks the previous text.
//!
//! The previous text is read only if the current one has an open violation. Contracts about the project as a whole
//! (`file_exists`, `require_pattern` in some file) are judged after all targets, in `gather`. The report is sorted,
//! so it does not depend on the number of threads. One target, or one thread, starts no thread pool.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::cache::{Cache, CacheLookup, FileResult, ToRead};
pub use crate::config::Existing;
use crate::report::{AddedIgnore, Earlier, Report, Spent};
use crate::source::{Compared, Content, Coverage, Reader, Target, Targets};
use phaser_core::fix::{Edit, Fixer, is_fixable};
use phaser_core::matcher::{Checked, FileNames, Matcher, Scratch, Selection};
use phaser_core::skipped::{Gap, SkipReason, Skipped};
use phaser_core::text::{self, Text, changed_lines, place_in_file};
use phaser_core::violation::{LineDigest, Replacement, Violation};

mod added_ignores;
pub mod change;
mod gather;
mod size;
pub mod tally;

use gather::{collect, judge_project, sort, survey_target};

/// How to scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanOptions<'c> {
    /// The maximum number of threads.
    pub threads: usize,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// Whether to find out which violations existed before the change.
    pub existing: Existing,
    /// Whether to find the ignore directives that a change adds.
    pub added_ignores: bool,
    /// Whether to measure the time spent.
    pub measure: Measure,
    /// Whether to propose fixes.
    pub propose_fixes: bool,
    /// Results of earlier runs with the same contracts and options; new results are added.
    pub cache: Option<&'c Cache>,
}

/// Whether to measure the time spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Measure the time per contract and per phase.
    Costs,
    /// Measure nothing.
    Nothing,
}

/// A progress sink.
pub trait ProgressSink: Sync {
    /// Called once, with the number of targets.
    fn start(&self, _targets: usize) {}

    /// Called after each target, from any thread.
    fn advance(&self) {}

    /// Called once, after all targets.
    fn finish(&self) {}
}

/// A no-op progress sink.
impl ProgressSink for () {}

/// Checks all targets.
pub fn scan(
    matcher: &Matcher,
    targets: &Targets,
    options: ScanOptions<'_>,
    progress: &dyn ProgressSink,
) -> Report {
    let Targets { targets, coverage, skipped, .. } = targets;
    progress.start(targets.len());
    let worker = || Worker::new(matcher, options);
    let (scanned, mut workers) = each(targets, options.threads, worker, |worker, target| {
        let mut scanned = check_target(matcher, worker, target);
        scanned.result.checked.violations.sort_by(Violation::by_place);
        progress.advance();
        scanned
    });
    progress.finish();
    let threads = workers.len();
    let contracts = matcher.contracts().to_vec();
    let mut report = Report { contracts, skipped: skipped.clone(), ..Report::default() };
    collect(targets, scanned, &mut report);
    if let Coverage::Shard { rest, judges_project: true } = coverage {
        let survey = |worker: &mut Worker<'_>, target: &Target| survey_target(matcher, worker, target);
        let (_, others) = each(rest, options.threads, worker, survey);
        workers.extend(others);
    }
    let missing = judge_project(matcher, coverage, &workers, &mut report);
    report.violations.extend(missing);
    sort(&mut report);
    report.spent = (options.measure == Measure::Costs).then(|| spent(threads, workers));
    report
}

/// The state of one thread.
struct Worker<'m> {
    now: Reader,
    before: Reader,
    scratch: Scratch,
    /// For each contract about the project as a whole: whether a file satisfies it.
    satisfied: Vec<bool>,
    /// For each contract about the project as a whole: whether an unchecked file might satisfy it.
    unread: Vec<bool>,
    times: Option<Times>,
    fixer: Option<Fixer<'m>>,
    /// Results of earlier runs.
    cache: Option<&'m Cache>,
    /// The hint for the next lookup in the cache.
    next: usize,
    existing: Existing,
    added_ignores: bool,
}

/// Time spent by one worker.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    selecting: Duration,
    reading: Duration,
}

impl<'m> Worker<'m> {
    fn new(matcher: &'m Matcher, options: ScanOptions<'m>) -> Self {
        let [now, before] = [(); 2].map(|()| Reader::new(options.max_file_size));
        let (scratch, times) = match options.measure {
            Measure::Costs => (Scratch::measuring(matcher), Some(Times::default())),
            Measure::Nothing => (Scratch::default(), None),
        };
        let nothing = vec![false; matcher.contracts().len()];
        let fixer = options.propose_fixes.then(|| Fixer::new(matcher));
        let ScanOptions { existing, added_ignores, cache, .. } = options;
        let satisfied = nothing.clone();
        Self {
            now,
            before,
            scratch,
            satisfied,
            unread: nothing,
            times,
            fixer,
            cache,
            next: 0,
            existing,
            added_ignores,
        }
    }
}

fn spent(threads: usize, workers: Vec<Worker<'_>>) -> Spent {
    let mut spent = Spent { threads, ..Spent::default() };
    for worker in workers {
        let times = worker.times.unwrap_or_default();
        spent.selecting += times.selecting;
        spent.reading += times.reading;
        if let Some(costs) = worker.scratch.into_costs() {
            spent.costs.add(&costs);
        }
    }
    spent
}

/// The most targets that a thread takes at once. Rayon's default shares are larger, and the last one would run alone.
const LARGEST_SHARE: usize = 32;

/// Runs `check` on each target and returns the results in the order of the targets, with the workers.
fn each<'m, T: Send>(
    targets: &[Target],
    threads: usize,
    worker: impl Fn() -> Worker<'m>,
    check: impl Fn(&mut Worker<'m>, &Target) -> T + Send + Sync,
) -> (Vec<T>, Vec<Worker<'m>>) {
    let threads = threads.min(targets.len());
    if threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        if let Ok(pool) = pool {
            let workers: Vec<_> = (0..threads).map(|_| Mutex::new(worker())).collect();
            let check = |target| {
                let worker = &workers[rayon::current_thread_index().unwrap_or_default()];
                check(&mut worker.lock().unwrap_or_else(PoisonError::into_inner), target)
            };
            let checked =
                pool.install(|| targets.par_iter().with_max_len(LARGEST_SHARE).map(check).collect());
            let free =
                |worker: Mutex<Worker<'m>>| worker.into_inner().unwrap_or_else(PoisonError::into_inner);
            return (checked, workers.into_iter().map(free).collect());
        }
    }
    let mut worker = worker();
    let checked = targets.iter().map(|target| check(&mut worker, target)).collect();
    (checked, vec![worker])
}

/// Runs `work`, and adds its duration to `time`.
fn timed<T>(time: Option<&mut Duration>, work: impl FnOnce() -> T) -> T {
    let Some(time) = time else { return work() };
    let start = Instant::now();
    let done = work();
    *time += start.elapsed();
    done
}

/// The result of scanning one target.
#[derive(Debug, Default)]
struct ScannedTarget {
    /// The result for the target's own text; the default when no contract applies to it.
    result: FileResult,
    /// The violations before the change; `None` when they were not compared.
    before: Option<Earlier>,
    /// Ignore directives that the change adds.
    added_ignores: Vec<AddedIgnore>,
}

impl From<FileResult> for ScannedTarget {
    fn from(result: FileResult) -> Self {
        Self { result, ..Self::default() }
    }
}

/// Checks one target, from the cache if its file is unchanged.
fn check_target(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target) -> ScannedTarget {
    // The cache knows the content of a file, and not that of the files that its imports depend on.
    let cache = worker.cache.filter(|_| !matcher.reads_project(&target.path, target.alias.as_ref()));
    let scanned = match cache.and_then(|cache| look_up(cache, target, &mut worker.next)) {
        Some(CacheLookup::Unchanged(result)) => result.into(),
        Some(CacheLookup::ToRead(file)) => search_target(matcher, worker, target, Some(file)),
        None => search_target(matcher, worker, target, None),
    };
    note_unread(matcher, target, &scanned.result.checked.skipped, &mut worker.unread);
    for &contract in &scanned.result.checked.satisfied {
        worker.satisfied[contract] = true;
    }
    scanned
}

/// Looks a target up in the cache. Only a file on disk with one name and no previous version is cached.
fn look_up<'c>(cache: &'c Cache, target: &Target, next: &mut usize) -> Option<CacheLookup<'c>> {
    match target {
        Target { path, alias: None, content: Content::File(file), whole: None, before: None, .. } => {
            Some(cache.find(path, file, next))
        }
        _ => None,
    }
}

/// Selects the contracts of a target, and reads and checks it if there are any.
fn search_target(
    matcher: &Matcher,
    worker: &mut Worker<'_>,
    target: &Target,
    file: Option<ToRead<'_>>,
) -> ScannedTarget {
    let time = worker.times.as_mut().map(|times| &mut times.selecting);
    let selection = timed(time, || match &target.touched {
        Some(touched) => Arc::new(matcher.select_message(touched)),
        None => matcher.select(&target.path, target.alias.as_ref()),
    });
    for &contract in selection.satisfied_by_existence() {
        worker.satisfied[contract] = true;
    }
    let may_ignore = |&index: &usize| added_ignores::is_judged_later(&matcher.contracts()[index]);
    let is_read =
        !selection.is_empty() || (worker.added_ignores && selection.changes().iter().any(may_ignore));
    match is_read {
        true => read_target(matcher, worker, &selection, target, file),
        false => ScannedTarget::default(),
    }
}

fn read_target(
    matcher: &Matcher,
    worker: &mut Worker<'_>,
    selection: &Selection,
    target: &Target,
    file: Option<ToRead<'_>>,
) -> ScannedTarget {
    let Worker { now, before: reader, scratch, times, fixer, existing, added_ignores, .. } = worker;
    let file = match (file, &target.content) {
        (Some(file), Content::File(path)) => Some(file.stamped(path)),
        _ => None,
    };
    let time = times.as_mut().map(|times| &mut times.reading);
    let content = timed(time, || now.read(&target.content));
    let mut new = None;
    if let (Some(file), Ok(bytes)) = (file, &content) {
        match file.with_content(&target.path, bytes) {
            Ok(result) => return result.into(),
            Err(unknown) => new = Some(unknown),
        }
    }
    let text = content.as_ref().map(|bytes| Text::new(&**bytes));
    let readable = text.as_ref().ok().and_then(Option::as_ref);
    let mut checked = matcher.check_with(scratch, selection, names(target), readable);
    match &target.whole {
        Some(whole) => judge_requirements(matcher, target, reader.read(whole), &mut checked),
        None => set_contents(&mut checked.violations, content.as_deref().ok()),
    }
    let size = selection.needs_size().then(|| size::of(target, &content, readable)).flatten();
    if let Some(size) = size {
        checked.violations.extend(matcher.check_size(selection, &target.path, size, readable));
    }
    if let (Some(fixer), Ok(bytes), Some(text)) = (fixer, &content, readable) {
        propose_fixes(fixer, target, bytes, text, &mut checked);
    }
    let mut scanned = ScannedTarget::default();
    if let (true, Some(text)) = (*added_ignores, readable) {
        scanned.added_ignores = added_ignores::added(matcher, reader, target, text, &checked.violations);
    }
    if let (Existing::Report, Some(before)) = (*existing, &target.before)
        && target.compared != Compared::Directives
        && checked.violations.iter().any(Violation::is_open)
    {
        let (mut violations, changed) = previous_violations(matcher, reader, before, readable);
        if let Some(now) = size {
            violations.extend(size::existing(matcher, reader, before, now));
        }
        scanned.before = Some(Earlier { path: target.path.clone(), violations, changed });
    }
    let why = match text {
        Ok(Some(_)) => None,
        Ok(None) => content.as_ref().ok().map(|bytes| SkipReason::not_text(bytes)),
        Err(why) => Some(why.clone()),
    };
    let why = why.map(|why| match why.is_binary() && selection.reads_text() {
        true if expects_text(reader, target, content.as_deref().ok()) => why.unexpected(),
        _ => why,
    });
    checked.skipped.extend(why.map(|why| Skipped { path: target.path.clone(), why }));
    scanned.result = FileResult { applied: readable.is_some(), checked };
    if let Some(new) = new {
        new.keep(&target.path, &scanned.result, selection.satisfied_by_existence());
    }
    scanned
}

/// Whether a target that is not text should be: by its name, or because its previous version is text.
fn expects_text(reader: &mut Reader, target: &Target, content: Option<&[u8]>) -> bool {
    let mut names = target.alias.iter().chain([&target.path]);
    let was_text = |before: &Target| {
        reader.read(&before.content).is_ok_and(|bytes| !bytes.is_empty() && Text::new(bytes).is_some())
    };
    names.any(|name| text::is_expected(name, content.unwrap_or_default()))
        || target.before.as_deref().is_some_and(was_text)
}

/// Attaches fixes to the violations of a file, where they do no harm. A part of a file gets none.
fn propose_fixes(fixer: &Fixer<'_>, target: &Target, bytes: &[u8], text: &Text<'_>, checked: &mut Checked) {
    if target.whole.is_some() || !checked.violations.iter().any(is_fixable) {
        return;
    }
    for Edit { violation, range, new } in fixer.plan(names(target), text, checked) {
        let at = |place: usize| place_in_file(bytes, text.bytes(), place);
        // Reports are UTF-8, so a fix that is not cannot be reported.
        let old = String::from_utf8(text.bytes()[range.clone()].to_vec());
        if let (Ok(old), Ok(new)) = (old, String::from_utf8(new)) {
            let region = text.region(range.clone());
            let fix = Replacement { range: at(range.start)..at(range.end), region, old, text: new };
            checked.violations[violation].fix = Some(Box::new(fix));
        }
    }
}

/// Replaces the `require_pattern` violations of a part of a file by those of the whole file.
fn judge_requirements(
    matcher: &Matcher,
    target: &Target,
    whole: Result<Cow<'_, [u8]>, SkipReason>,
    checked: &mut Checked,
) {
    let is_required = |violation: &Violation| violation.contract.check.needs_whole_file();
    let is_of_whole = |skipped: &Skipped| {
        matches!(skipped.why, SkipReason::Unparsable { .. } | SkipReason::TooBroad { .. })
    };
    checked.violations.retain(|violation| !is_required(violation));
    checked.skipped.retain(|skipped| !is_of_whole(skipped));
    checked.satisfied.clear();
    let bytes = match whole {
        Ok(bytes) => bytes,
        Err(why) => return checked.skipped.push(Skipped { path: target.path.clone(), why }),
    };
    let Some(text) = Text::new(&*bytes) else { return };
    let selection = matcher.select(&target.path, target.alias.as_ref());
    let mut of_whole = matcher.check_with(&mut Scratch::default(), &selection, names(target), Some(&text));
    set_contents(&mut of_whole.violations, Some(&bytes));
    checked.skipped.extend(of_whole.skipped.into_iter().filter(is_of_whole));
    checked.violations.extend(of_whole.violations.into_iter().filter(is_required));
    checked.satisfied = of_whole.satisfied;
}

/// Gives violations by the file as a whole the digest of its contents, by which the baseline recognises a renamed file.
fn set_contents(violations: &mut [Violation], contents: Option<&[u8]>) {
    let Some(contents) = contents else { return };
    if violations.iter().any(|violation| violation.found.is_none()) {
        let contents = LineDigest::of(contents);
        violations.iter_mut().for_each(|violation| violation.set_contents(contents));
    }
}

/// Marks the contracts about the project as a whole that an unchecked file might satisfy.
fn note_unread(matcher: &Matcher, target: &Target, skipped: &[Skipped], unread: &mut [bool]) {
    let gaps: Vec<&SkipReason> =
        skipped.iter().map(|skipped| &skipped.why).filter(|why| why.gap() > Gap::None).collect();
    if gaps.is_empty() {
        return;
    }
    for (contract, unread) in matcher.contracts().iter().zip(unread) {
        let concerned = || gaps.iter().any(|why| why.is_about_file() || why.concerns(&contract.id));
        *unread |= contract.check.reads_text()
            && contract.check.is_about_project()
            && contract.applies_to(&target.path, target.alias.as_ref())
            && concerned();
    }
}

/// The violations of a target's previous versions, and the lines of the current text that changed since the first of them.
/// An unreadable version has no violations, so all current ones are new. A violation that several versions have is listed
/// once.
fn previous_violations(
    matcher: &Matcher,
    reader: &mut Reader,
    before: &Target,
    now: Option<&Text>,
) -> (Vec<Violation>, Range<usize>) {
    let content = reader.read(&before.content).ok();
    let text = content.as_deref().and_then(Text::new);
    let changed = changed_lines(bytes(text.as_ref()), bytes(now));
    let selection = matcher.select(&before.path, before.alias.as_ref());
    let mut checked = matcher.check_with(&mut Scratch::default(), &selection, names(before), text.as_ref());
    set_contents(&mut checked.violations, content.as_deref());
    drop(content);
    if let Some(whole) = &before.whole {
        judge_requirements(matcher, before, reader.read(whole), &mut checked);
    }
    let mut violations = checked.violations;
    if let Some(other) = &before.before {
        let key = |violation: &Violation| (violation.contract.id.clone(), violation.identity());
        let known: HashSet<_> = violations.iter().map(key).collect();
        let (others, _) = previous_violations(matcher, reader, other, now);
        violations.extend(others.into_iter().filter(|other| !known.contains(&key(other))));
    }
    (violations, changed)
}

/// The names of a target.
fn names(target: &Target) -> FileNames<'_> {
    FileNames { path: &target.path, alias: target.alias.as_ref() }
}

fn bytes<'a>(text: Option<&'a Text<'_>>) -> &'a [u8] {
    text.map_or(&[], Text::bytes)
}

#[cfg(test)]
mod tests {
    use crate::path::RelPath;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use phaser_core::contract::{Check, Dialect, Pattern};
    use phaser_core::matcher::{self, Directives};
    use phaser_core::testing;
    use phaser_core::violation::State;

    fn pattern(source: &str) -> Pattern {
        Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, literals: None }
    }

    fn matcher(checks: Vec<Check>) -> Matcher {
        let contracts = checks.into_iter().enumerate().map(|(index, check)| testing::contract(index, check));
        let timeout = Duration::from_secs(3600);
        let options = matcher::Options::new(timeout, Directives::Honoured);
        Matcher::new(contracts.collect(), options)
    }

    fn options(threads: usize) -> ScanOptions<'static> {
        ScanOptions {
            threads,
            max_file_size: 10,
            existing: Existing::Report,
            added_ignores: true,
            measure: Measure::Nothing,
            propose_fixes: false,
            cache: None,
        }
    }

    fn target(path: &str, text: &str) -> Target {
        Target::new(RelPath::from(path), Content::Bytes(text.into()))
    }

    fn whole(targets: Vec<Target>) -> Targets {
        Targets { targets, coverage: Coverage::Whole, ..Targets::none() }
    }

    fn shown(report: &Report) -> Vec<String> {
        let shown = |violation: &Violation| format!("{} {}", violation.path, violation.contract.id);
        report.violations.iter().map(shown).collect()
    }

    #[test]
    fn report_is_sorted_for_any_threads() {
        let matcher = matcher(vec![Check::forbid(pattern("x")), Check::NotExists]);
        let targets = || whole(["b", "a", "d", "c"].map(|path| target(path, "x x")).to_vec());
        let expected: Vec<String> = ["a", "b", "c", "d"]
            .iter()
            .flat_map(|p| ["c1", "c0", "c0"].map(|id| format!("{p} {id}")))
            .collect();
        for threads in [1, 2, 64] {
            assert_eq!(shown(&scan(&matcher, &targets(), options(threads), &())), expected);
        }
    }

    #[test]
    fn there_are_no_more_workers_than_targets() {
        let started = AtomicUsize::new(0);
        let matcher = matcher(vec![Check::forbid(pattern("x"))]);
        let worker = || {
            started.fetch_add(1, Ordering::Relaxed);
            Worker::new(&matcher, options(64))
        };
        each(&[target("a", ""), target("b", "")], 64, worker, |_, _| ());
        assert_eq!(started.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn searches_previous_text_only_on_violation() {
        let matcher = matcher(vec![Check::forbid(pattern("x"))]);
        let before = |path: &str, text: &str| Some(Box::new(target(path, text)));
        let targets = vec![
            Target { before: before("old", "x"), ..target("a", "x") },
            Target { before: before("b", "x"), ..target("b", "y") },
        ];
        let report = scan(&matcher, &whole(targets), options(1), &());
        assert_eq!(report.before.len(), 1);
        assert_eq!(report.before[0].path, RelPath::from("a"));
        assert_eq!(report.before[0].violations[0].path, RelPath::from("old"));
        assert_eq!(report.before[0].violations[0].state, State::Open);
    }

    #[test]
    fn judges_requirement_on_whole_file() {
        let matcher = matcher(vec![Check::require(pattern("x")), Check::forbid(pattern("y"))]);
        let whole_has = |text: &str| Some(Content::Bytes(text.into()));
        let targets = vec![
            Target { whole: whole_has("x y"), ..target("a", "part") },
            Target { whole: whole_has("none"), ..target("b", "x y") },
        ];
        assert_eq!(shown(&scan(&matcher, &whole(targets), options(1), &())), ["b c0", "b c1"]);
    }

    #[test]
    fn project_lacks_only_what_no_file_has() {
        let matcher = matcher(vec![Check::require_somewhere(pattern("x")), Check::Exists]);
        let missing = |targets: Vec<Target>| shown(&scan(&matcher, &whole(targets), options(1), &()));
        assert_eq!(missing(vec![target("a", "y")]), ["** c0"]);
        assert_eq!(missing(vec![target("a", "y"), target("b", "x")]), [""; 0]);
        let unread = |why| Target::new(RelPath::from("b"), Content::Opaque(why));
        assert_eq!(
            missing(vec![target("a", "y"), unread(SkipReason::TooLarge { size: 11, limit: 10 })]),
            [""; 0]
        );
        assert_eq!(missing(vec![target("a", "y"), unread(SkipReason::Link)]), ["** c0"]);
        assert_eq!(missing(Vec::new()), ["** c0", "** c1"]);
    }
}
