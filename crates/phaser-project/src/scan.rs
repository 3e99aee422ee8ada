//! The scan: every target through the matcher, in parallel, into one report.
//!
//! Cannot tell a hook from a CI run: where targets come from and how the report is shown are
//! decided elsewhere. The only user of rayon; one target, or one thread, starts no pool.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::cache::{Cache, Known, ToRead};
pub use crate::config::Existing;
use crate::report::{AddedIgnore, Report, Spent};
use crate::source::{Compared, Content, Coverage, Reader, Target, Targets};
use phaser_core::fix::Mender;
use phaser_core::matcher::{Checked, Matcher, Scratch, Selection};
use phaser_core::skipped::{Gap, Skipped, Why};
use phaser_core::text::{Text, changed_lines};
use phaser_core::violation::Violation;

mod added_ignores;
mod gather;
mod propose;
mod remember;
pub mod tally;

pub use added_ignores::AddedIgnores;
use gather::{Gathered, judge_project, survey_target};
pub use propose::Propose;
use remember::{Memory, Recalled};

/// How to scan.
#[derive(Debug, Clone, Copy)]
pub struct Options<'c> {
    /// How many threads.
    pub threads: usize,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// What becomes of violations that were there before a change.
    pub existing: Existing,
    /// Whether to look for ignore directives that a change adds.
    pub added_ignores: AddedIgnores,
    /// Whether to measure what it costs.
    pub measure: Measure,
    /// What violations are to carry beside what was found.
    pub propose: Propose,
    /// Results of earlier runs with the same contracts and the same options, to use and to add to.
    pub cache: Option<&'c Cache>,
}

/// Whether to measure what a scan costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Yes.
    Costs,
    /// No.
    Nothing,
}

/// Somebody who wants to know how far a scan has come.
pub trait Watch: Sync {
    /// There are this many targets.
    fn start(&self, _targets: usize) {}

    /// One target is done.
    fn advance(&self) {}

    /// All are done.
    fn finish(&self) {}
}

/// Nobody.
impl Watch for () {}

/// Checks all targets.
pub fn scan(matcher: &Matcher, targets: &Targets, options: Options<'_>, watch: &dyn Watch) -> Report {
    let Targets { targets, coverage, skipped, .. } = targets;
    watch.start(targets.len());
    let worker = || Worker::new(matcher, options);
    let (scanned, mut workers) = each(targets, options.threads, worker, |worker, target| {
        let mut scanned = check_target(matcher, worker, target, options.into());
        scanned.checked.violations.sort_by(Violation::by_place);
        watch.advance();
        scanned
    });
    watch.finish();
    let threads = workers.len();
    let contracts = matcher.contracts().to_vec();
    let mut report = Report { contracts, skipped: skipped.clone(), ..Report::default() };
    let mut gathered = Gathered::default();
    gathered.add(targets, scanned, &mut report);
    if let Coverage::Rest(rest) = coverage {
        let survey = |worker: &mut Worker<'_>, target: &Target| survey_target(matcher, worker, target);
        let (_, others) = each(rest, options.threads, worker, survey);
        workers.extend(others);
    }
    gathered.found.extend(judge_project(matcher, coverage, &workers, &mut report));
    gathered.sort_into(&mut report);
    report.spent = (options.measure == Measure::Costs).then(|| spent(threads, workers));
    report
}

/// What one thread works with, one target after another.
struct Worker<'m> {
    now: Reader,
    before: Reader,
    scratch: Scratch,
    /// For each contract: does a file satisfy it that is about the project as a whole?
    satisfied: Vec<bool>,
    /// For each contract: could a file satisfy it that was not read to its end?
    unread: Vec<bool>,
    times: Option<Times>,
    /// What proposes fixes, if they are wanted.
    mender: Option<Mender<'m>>,
    /// What is known of files, if anything is kept.
    memory: Option<Memory<'m>>,
}

/// What a worker measures, if that is asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    selecting: Duration,
    reading: Duration,
}

impl<'m> Worker<'m> {
    fn new(matcher: &'m Matcher, options: Options<'m>) -> Self {
        let [now, before] = [(); 2].map(|()| Reader::new(options.max_file_size));
        let (scratch, times) = match options.measure {
            Measure::Costs => (Scratch::measuring(matcher), Some(Times::default())),
            Measure::Nothing => (Scratch::default(), None),
        };
        let nothing = vec![false; matcher.contracts().len()];
        let mender = (options.propose == Propose::Fixes).then(|| Mender::new(matcher));
        let memory = options.cache.map(Memory::new);
        let satisfied = nothing.clone();
        Self { now, before, scratch, satisfied, unread: nothing, times, mender, memory }
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

/// The most targets that a thread takes at once. Rayon would make a few large shares, and whoever has the last one
/// works alone at the end.
const LARGEST_SHARE: usize = 32;

/// Runs `check` on each target, on as many threads as asked for, and keeps the order. Gives the workers back.
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

/// Does some work, and adds how long it took where that is wanted.
fn timed<T>(time: Option<&mut Duration>, work: impl FnOnce() -> T) -> T {
    let Some(time) = time else { return work() };
    let start = Instant::now();
    let done = work();
    *time += start.elapsed();
    done
}

/// What a scan looks for in the text before.
#[derive(Debug, Clone, Copy)]
struct Back {
    existing: Existing,
    added_ignores: AddedIgnores,
}

impl Back {
    const NOT_AT_ALL: Self = Self { existing: Existing::Deny, added_ignores: AddedIgnores::NotWanted };
}

impl From<Options<'_>> for Back {
    fn from(options: Options<'_>) -> Self {
        Self { existing: options.existing, added_ignores: options.added_ignores }
    }
}

/// What became of one target: nothing, when no contract applies to it.
#[derive(Debug, Default)]
struct Scanned {
    applied: bool,
    checked: Checked,
    /// The text before, if that was asked for.
    before: Option<Was>,
    /// Ignore directives that are new.
    added_ignores: Vec<AddedIgnore>,
}

/// What is known of the text before.
#[derive(Debug)]
struct Was {
    violations: Vec<Violation>,
    /// The lines of now that changed.
    changed: Range<usize>,
}

fn check_target(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target, back: Back) -> Scanned {
    let recalled = worker.memory.as_mut().map_or(Recalled::Nothing, |memory| memory.recall(target));
    let scanned = match recalled {
        // Which contracts apply need not be found out.
        Recalled::Unchanged(remembered) => remembered.into(),
        Recalled::ToRead(file) => search_target(matcher, worker, Task { target, back, file: Some(file) }),
        Recalled::Nothing => search_target(matcher, worker, Task { target, back, file: None }),
    };
    note_unread(matcher, target, &scanned.checked.skipped, &mut worker.unread);
    for &contract in &scanned.checked.satisfied {
        worker.satisfied[contract] = true;
    }
    scanned
}

/// A target that is not known, and how it is checked.
struct Task<'a> {
    target: &'a Target,
    back: Back,
    /// What is known of its file, if anything is kept.
    file: Option<ToRead<'a>>,
}

fn search_target(matcher: &Matcher, worker: &mut Worker<'_>, task: Task<'_>) -> Scanned {
    let time = worker.times.as_mut().map(|times| &mut times.selecting);
    let selection = timed(time, || matcher.select(&task.target.path, task.target.alias.as_ref()));
    for &contract in selection.satisfied_by_existence() {
        worker.satisfied[contract] = true;
    }
    match selection.is_empty() {
        true => Scanned::default(),
        false => read_target(matcher, worker, &selection, task),
    }
}

fn read_target(matcher: &Matcher, worker: &mut Worker<'_>, selection: &Selection, task: Task<'_>) -> Scanned {
    let Task { target, back, file } = task;
    let Worker { now, before: reader, scratch, times, mender, .. } = worker;
    let file = match (file, &target.content) {
        (Some(file), Content::File(path)) => Some(file.stamped(path)),
        _ => None,
    };
    let time = times.as_mut().map(|times| &mut times.reading);
    let content = timed(time, || now.read(&target.content));
    let mut new = None;
    if let (Some(file), Ok(bytes)) = (file, &content) {
        match file.with_content(&target.path, bytes) {
            Ok(remembered) => return remembered.into(),
            Err(unknown) => new = Some(unknown),
        }
    }
    let text = content.as_ref().map(|bytes| target.content.text(bytes));
    let readable = text.as_ref().ok().and_then(Option::as_ref);
    let mut scanned = Scanned { applied: readable.is_some(), ..Scanned::default() };
    scanned.checked = matcher.check_with(scratch, selection, &target.path, readable);
    if let Some(whole) = &target.whole {
        judge_requirements(matcher, target, reader.read(whole), &mut scanned.checked);
    }
    if let (Some(mender), Ok(bytes), Some(text)) = (mender, &content, readable) {
        propose::propose(mender, target, propose::Read { bytes, text }, &mut scanned.checked);
    }
    if let (AddedIgnores::Wanted, Some(text)) = (back.added_ignores, readable) {
        scanned.added_ignores = added_ignores::added(reader, target, text, &scanned.checked.violations);
    }
    if let (Existing::Report, Some(before), Compared::Everything) =
        (back.existing, &target.before, target.compared)
    {
        let any = scanned.checked.violations.iter().any(Violation::is_open);
        scanned.before = any.then(|| compare(matcher, reader, before, readable));
    }
    let why = match text {
        Ok(Some(_)) => None,
        Ok(None) => content.as_ref().ok().map(|bytes| Why::not_text(bytes)),
        Err(why) => Some(why.clone()),
    };
    scanned.checked.skipped.extend(why.map(|why| Skipped { path: target.path.clone(), why }));
    if let Some(new) = new {
        let exists = selection.satisfied_by_existence();
        new.keep(&target.path, Known { applied: scanned.applied, checked: &scanned.checked, exists });
    }
    scanned
}

/// Judges what contracts require of a file on the whole of it, and not on the part that was checked.
fn judge_requirements(
    matcher: &Matcher,
    target: &Target,
    whole: Result<Cow<'_, [u8]>, Why>,
    checked: &mut Checked,
) {
    let is_required = |violation: &Violation| violation.contract.check.needs_whole_file();
    checked.violations.retain(|violation| !is_required(violation));
    checked.satisfied.clear();
    let bytes = match whole {
        Ok(bytes) => bytes,
        Err(why) => return checked.skipped.push(Skipped { path: target.path.clone(), why }),
    };
    let Some(text) = Text::new(bytes) else { return };
    let selection = matcher.select(&target.path, target.alias.as_ref());
    let of_whole = matcher.check(&selection, &target.path, Some(&text));
    checked.violations.extend(of_whole.violations.into_iter().filter(is_required));
    checked.satisfied = of_whole.satisfied;
}

/// Notes the contracts about the project as a whole that a file might satisfy which was not checked to its end.
fn note_unread(matcher: &Matcher, target: &Target, skipped: &[Skipped], unread: &mut [bool]) {
    let gaps: Vec<&Why> =
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

/// What a target was before, against its text now. What cannot be read had no violations, so that all it has now are new.
fn compare(matcher: &Matcher, reader: &mut Reader, before: &Target, now: Option<&Text>) -> Was {
    let content = reader.read(&before.content).ok();
    let text = content.and_then(Text::new);
    let changed = changed_lines(bytes(text.as_ref()), bytes(now));
    let selection = matcher.select(&before.path, before.alias.as_ref());
    let mut checked = matcher.check(&selection, &before.path, text.as_ref());
    drop(text);
    if let Some(whole) = &before.whole {
        judge_requirements(matcher, before, reader.read(whole), &mut checked);
    }
    let mut violations = checked.violations;
    if let Some(other) = &before.before {
        // What was in both was there once.
        let what = |violation: &Violation| (violation.contract.id.clone(), violation.fingerprint.line);
        let known: HashSet<_> = violations.iter().map(what).collect();
        let others = compare(matcher, reader, other, now).violations;
        violations.extend(others.into_iter().filter(|other| !known.contains(&what(other))));
    }
    Was { violations, changed }
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
        Pattern { source: source.to_owned(), dialect: Dialect::Regex, line: 1, needs: None }
    }

    fn matcher(checks: Vec<Check>) -> Matcher {
        let contracts = checks.into_iter().enumerate().map(|(index, check)| testing::contract(index, check));
        let timeout = Duration::from_secs(3600);
        let options = matcher::Options::new(timeout, Directives::Honoured);
        Matcher::new(contracts.collect(), options)
    }

    fn options(threads: usize) -> Options<'static> {
        Options {
            threads,
            max_file_size: 10,
            existing: Existing::Report,
            added_ignores: AddedIgnores::Wanted,
            measure: Measure::Nothing,
            propose: Propose::Nothing,
            cache: None,
        }
    }

    fn target(path: &str, text: &str) -> Target {
        Target::new(RelPath::from(path), Content::Bytes(text.into()))
    }

    fn whole(targets: Vec<Target>) -> Targets {
        Targets { targets, coverage: Coverage::Whole, skipped: Vec::new(), folders: None }
    }

    fn shown(report: &Report) -> Vec<String> {
        let shown = |violation: &Violation| format!("{} {}", violation.path, violation.contract.id);
        report.violations.iter().map(shown).collect()
    }

    #[test]
    fn the_outcome_is_in_order_for_any_number_of_threads() {
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
    fn what_a_target_was_before_is_searched_only_when_it_violates_something_now() {
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
    fn what_a_part_of_a_file_lacks_the_whole_may_have() {
        let matcher = matcher(vec![Check::require(pattern("x")), Check::forbid(pattern("y"))]);
        let whole_has = |text: &str| Some(Content::Bytes(text.into()));
        let targets = vec![
            Target { whole: whole_has("x y"), ..target("a", "part") },
            Target { whole: whole_has("none"), ..target("b", "x y") },
        ];
        assert_eq!(shown(&scan(&matcher, &whole(targets), options(1), &())), ["b c0", "b c1"]);
    }

    #[test]
    fn the_project_lacks_only_what_no_file_can_have() {
        let matcher = matcher(vec![Check::require_somewhere(pattern("x")), Check::Exists]);
        let missing = |targets: Vec<Target>| shown(&scan(&matcher, &whole(targets), options(1), &()));
        assert_eq!(missing(vec![target("a", "y")]), ["** c0"]);
        assert_eq!(missing(vec![target("a", "y"), target("b", "x")]), [""; 0]);
        let unread = |why| Target::new(RelPath::from("b"), Content::Opaque(why));
        assert_eq!(missing(vec![target("a", "y"), unread(Why::TooLarge { size: 11, limit: 10 })]), [""; 0]);
        assert_eq!(missing(vec![target("a", "y"), unread(Why::Link)]), ["** c0"]);
        assert_eq!(missing(Vec::new()), ["** c0", "** c1"]);
    }
}
