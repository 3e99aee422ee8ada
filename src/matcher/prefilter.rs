//! Stage one of a search: where in a text can which of several patterns match at all?
//!
//! Built once for all patterns that apply to a file, it reads the text once, four bytes at every
//! second place, and looks them up in a table of the grams of all anchors. Where one of them stands,
//! the anchor's shape is compared, and what can be around it becomes a window to search. It may give a
//! window that holds no match; every match lies in a window with all other matches that start there.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use memchr::memmem;

use super::pattern::linear::Charset;
use super::required::byte_set::{ByteSet, Needles};
use super::required::{Key, Reach, Required, Run, Shape, gram_filter};
use crate::deadline::Deadline;

pub mod quick_reject;
mod table;
pub mod windows;

use table::{STEP, Table, hash};
use windows::{Around, Nearby, Windows, each_run};

/// The characters outside ASCII that `(?i)` takes for `k` and `s`.
pub const FOLDING: [&str; 2] = ["\u{212A}", "\u{17F}"];

/// The most bytes of one character.
pub const MAX_WIDTH: usize = 4;

/// The most windows of all patterns together, in one text.
const MAX_WINDOWS: usize = 1_000_000;

/// The most places of grams. Further patterns are searched for in every text.
const MAX_PLACES: usize = 500_000;

/// How much may be looked at for the sake of windows, in bytes of text or something alike; more if all patterns would
/// look at more without windows. Beyond it windows cost more than they spare, and each pattern has the whole text for
/// its window.
const MIN_WORK: usize = 64 * 1024 * 1024;

/// After how much of it the clock is looked at.
const WORK_BETWEEN_LOOKS: usize = 1024 * 1024;

/// What one window costs beside its bytes, in the same unit.
const WINDOW_WORK: usize = 16;

/// Knows what the matches of some patterns must contain.
#[derive(Debug)]
pub struct Prefilter {
    /// The grams that are known.
    table: Table,
    /// The places of grams in shapes, those of the same hash together.
    places: Vec<Place>,
    /// Where the places of each hash start, and at last where they all end.
    groups: Vec<u32>,
    group_shift: u32,
    shapes: Vec<Known>,
    /// Shapes that are looked for one by one, each by a set of three bytes at most, which is its core.
    pivots: Vec<Known>,
    /// Runs, and the patterns whose anchor each of them is.
    runs: Vec<(Run, Vec<Owner>)>,
    /// What all of the runs have in common.
    any_run: Option<Run>,
    /// Patterns that a character of [`FOLDING`] can hide from the table.
    folding: Vec<Owner>,
    /// Patterns without an anchor.
    always: Vec<Unanchored>,
    count: usize,
}

/// A pattern, by its index, that can match anywhere.
#[derive(Debug, Clone, Copy)]
struct Unanchored {
    index: usize,
    spans_lines: bool,
}

/// A gram of a shape.
#[derive(Debug, Clone, Copy)]
struct Place {
    gram: u32,
    shape: u32,
    /// How far after the start of the gram the core of the shape starts, plus one.
    skip: u32,
}

/// A shape, and the patterns whose anchor it is.
#[derive(Debug)]
struct Known {
    shape: Shape,
    core: Range<usize>,
    owners: Vec<Owner>,
}

/// A pattern, by its index, and what its matches have around an anchor.
#[derive(Debug, Clone)]
struct Owner {
    index: usize,
    around: Around,
}

/// Where each of the patterns can match; good for one text after another.
#[derive(Debug)]
pub struct Candidates {
    windows: Vec<Windows>,
    touched: Vec<usize>,
    work: Work,
}

/// What has been looked at, and the most there may be.
#[derive(Debug)]
struct Work {
    done: usize,
    most: usize,
    /// What there may be in any case.
    least: usize,
    deadline: Deadline,
    next_look: usize,
    late: bool,
}

impl Work {
    fn with_least(least: usize) -> Self {
        Self {
            done: 0,
            most: least,
            least,
            deadline: Deadline::NEVER,
            next_look: WORK_BETWEEN_LOOKS,
            late: false,
        }
    }

    /// Starts anew, where all patterns would look at `all` without windows.
    fn reset(&mut self, all: usize) {
        *self = Self { deadline: self.deadline, ..Self::with_least(self.least) };
        self.most = self.least.max(all);
    }

    /// Is it too late to look for windows?
    fn is_exhausted(&mut self) -> bool {
        if self.done >= self.next_look {
            self.next_look = self.done + WORK_BETWEEN_LOOKS;
            self.late = self.deadline.has_passed();
        }
        self.late || self.done > self.most
    }
}

impl Default for Candidates {
    fn default() -> Self {
        Self { windows: Vec::new(), touched: Vec::new(), work: Work::with_least(MIN_WORK) }
    }
}

impl Candidates {
    /// Where the pattern with this index can match, in order, none overlapping.
    pub fn windows(&self, index: usize) -> &[Range<usize>] {
        self.windows[index].as_slice()
    }

    /// From now on, there must be an end to it by then.
    pub fn end_by(&mut self, deadline: Deadline) {
        self.work.deadline = deadline;
    }

    fn reset(&mut self, count: usize, text: &[u8]) {
        for index in self.touched.drain(..) {
            self.windows[index].clear();
        }
        if self.windows.len() < count {
            self.windows.resize_with(count, Windows::default);
        }
        let most = MAX_WINDOWS / count.max(1);
        self.windows[..count].iter_mut().for_each(|windows| windows.limit(most));
        self.work.reset(count.saturating_mul(text.len()));
    }

    fn add(&mut self, owner: &Owner, text: &[u8], part: Range<usize>, width: usize) {
        let windows = &mut self.windows[owner.index];
        let was_empty = windows.is_empty();
        self.work.done += WINDOW_WORK + windows.add(&owner.around, text, part, width);
        if was_empty && !windows.is_empty() {
            self.touched.push(owner.index);
        }
    }
}

impl Prefilter {
    /// For the patterns with these all_required.
    pub fn new<'a>(patterns: impl Iterator<Item = &'a Required>) -> Self {
        let mut builder = Builder::new(MAX_PLACES);
        for required in patterns {
            builder.add(required);
        }
        builder.build()
    }

    /// Finds out where the patterns can match in `text`.
    pub fn search(&self, text: &[u8], charset: Charset, found: &mut Candidates) {
        found.reset(self.count, text);
        self.find(text, charset, found);
    }

    fn find(&self, text: &[u8], charset: Charset, found: &mut Candidates) {
        for &Unanchored { index, spans_lines } in &self.always {
            match charset {
                Charset::Any if !spans_lines && !found.work.is_exhausted() => {
                    found.work.done += text.len() / (STEP / 2);
                    found.windows[index].set_lines(text);
                }
                Charset::Any | Charset::Ascii => found.windows[index].set_whole(text),
            }
            found.touched.push(index);
        }
        let width = match charset {
            Charset::Ascii => 1,
            Charset::Any => MAX_WIDTH,
        };
        if !self.places.is_empty() {
            self.table.scan(text, |at, gram| {
                if !found.work.is_exhausted() {
                    found.work.done += self.places_of(gram).len();
                    self.look_up(text, (at, gram), |owner, core| found.add(owner, text, core, width));
                }
            });
        }
        for known in &self.pivots {
            found.work.done += text.len() / STEP;
            let _ = Needles::of(&known.shape[known.core.start]).each(text, |at| {
                if found.work.is_exhausted() {
                    return ControlFlow::Break(());
                }
                if known.is_at(text, at) {
                    known.owners.iter().for_each(|owner| found.add(owner, text, at..at + 1, width));
                }
                ControlFlow::Continue(())
            });
        }
        if let Some(any) = &self.any_run {
            each_run(text, any, |range| {
                for (run, owners) in &self.runs {
                    found.work.done += range.len() / 4 + WINDOW_WORK;
                    if found.work.is_exhausted() {
                        return;
                    }
                    let within = |inner: Range<usize>| range.start + inner.start..range.start + inner.end;
                    each_run(&text[range.clone()], run, |inner| {
                        owners.iter().for_each(|owner| found.add(owner, text, within(inner.clone()), width));
                    });
                }
            });
        }
        if width > 1 && !self.folding.is_empty() {
            for letter in FOLDING {
                for at in memmem::find_iter(text, letter) {
                    if found.work.is_exhausted() {
                        break;
                    }
                    self.folding
                        .iter()
                        .for_each(|owner| found.add(owner, text, at..at + letter.len(), width));
                }
            }
        }
        if found.work.is_exhausted() {
            found.touched = (0..self.count).collect();
            found.windows[..self.count].iter_mut().for_each(|windows| windows.set_whole(text));
        }
        for &index in &found.touched {
            found.windows[index].settle();
        }
    }

    /// The places of all grams with the hash of this one.
    fn places_of(&self, gram: u32) -> &[Place] {
        let group = (hash(gram) >> self.group_shift) as usize;
        &self.places[self.groups[group] as usize..self.groups[group + 1] as usize]
    }

    /// Calls `each` with the owners of the shapes around a gram, and with the place of their core.
    fn look_up(&self, text: &[u8], (at, gram): (usize, u32), mut each: impl FnMut(&Owner, Range<usize>)) {
        for place in self.places_of(gram).iter().filter(|place| place.gram == gram) {
            let known = &self.shapes[place.shape as usize];
            let Some(start) = (at + place.skip as usize).checked_sub(1) else { continue };
            if known.is_at(text, start) {
                let core = start..start + known.core.len();
                known.owners.iter().for_each(|owner| each(owner, core.clone()));
            }
        }
    }
}

impl Known {
    /// Does the shape stand in the text, with its core at `start`?
    fn is_at(&self, text: &[u8], start: usize) -> bool {
        let Some((before, after)) = text.split_at_checked(start) else { return false };
        let (left, right) = self.shape.split_at(self.core.start);
        agree(right.iter(), after.iter()) && agree(left.iter().rev(), before.iter().rev())
    }
}

/// Is each byte in its set? A set of all bytes outside ASCII stands for characters of several bytes as
/// well, and after one there is no telling how the rest lines up.
fn agree<'a>(sets: impl Iterator<Item = &'a ByteSet>, mut bytes: impl Iterator<Item = &'a u8>) -> bool {
    for set in sets {
        match bytes.next() {
            Some(&byte) if set.contains(byte) => {
                if !byte.is_ascii() && set.has_high() {
                    return true;
                }
            }
            _ => return false,
        }
    }
    true
}

/// Collects what a [`Prefilter`] is made of.
#[derive(Debug)]
struct Builder {
    most_places: usize,
    places: Vec<Place>,
    by_shape: HashMap<Shape, usize>,
    shapes: Vec<Known>,
    pivots: Vec<Known>,
    runs: Vec<(Run, Vec<Owner>)>,
    folding: Vec<Owner>,
    always: Vec<Unanchored>,
    count: usize,
}

impl Builder {
    fn new(most_places: usize) -> Self {
        Self {
            most_places,
            places: Vec::new(),
            by_shape: HashMap::new(),
            shapes: Vec::new(),
            pivots: Vec::new(),
            runs: Vec::new(),
            folding: Vec::new(),
            always: Vec::new(),
            count: 0,
        }
    }

    fn add(&mut self, required: &Required) {
        let index = self.count;
        self.count += 1;
        let Some(anchor) = required.anchor.as_ref().filter(|_| self.places.len() < self.most_places) else {
            self.always.push(Unanchored { index, spans_lines: required.whole.bytes.contains(b'\n') });
            return;
        };
        let owner = |before: Reach, after: Reach| Owner {
            index,
            around: Around {
                before,
                after,
                run: required.run,
                nearby: required.nearby.iter().map(Nearby::new).collect(),
                least: required.least,
            },
        };
        if anchor.folds() {
            self.folding.push(owner(required.whole, required.whole));
        }
        match &anchor.key {
            Key::Run(run) => {
                let owner = owner(anchor.before, anchor.after);
                match self.runs.iter_mut().find(|(known, _)| known == run) {
                    Some((_, owners)) => owners.push(owner),
                    None => self.runs.push((*run, vec![owner])),
                }
            }
            Key::Pivot(shape, at) => {
                let before = anchor.before.then(Reach::across(&shape[..*at]));
                let after = Reach::across(&shape[at + 1..]).then(anchor.after);
                let (owner, core) = (owner(before, after), *at..at + 1);
                match self.pivots.iter_mut().find(|known| known.core == core && known.shape == *shape) {
                    Some(known) => known.owners.push(owner),
                    None => self.pivots.push(Known { shape: shape.clone(), core, owners: vec![owner] }),
                }
            }
            Key::Shapes(shapes) => {
                for shape in shapes {
                    let known = self.known(shape);
                    let core = &known.core;
                    let before = anchor.before.then(Reach::across(&shape[..core.start]));
                    let after = Reach::across(&shape[core.end..]).then(anchor.after);
                    known.owners.push(owner(before, after));
                }
            }
        }
    }

    fn known(&mut self, shape: &Shape) -> &mut Known {
        let at = match self.by_shape.get(shape) {
            Some(&at) => at,
            None => self.learn(shape),
        };
        &mut self.shapes[at]
    }

    fn learn(&mut self, shape: &Shape) -> usize {
        let plan = gram_filter::plan(shape).expect("a shape of an anchor can be found");
        let at = self.shapes.len();
        for gram in &plan.grams {
            let skip = (plan.core.start + 2 - gram.offset) as u32;
            self.places.extend(gram.texts.iter().map(|&gram| Place { gram, shape: at as u32, skip }));
        }
        self.by_shape.insert(shape.clone(), at);
        self.shapes.push(Known { shape: shape.clone(), core: plan.core, owners: Vec::new() });
        at
    }

    fn build(self) -> Prefilter {
        let Self { mut places, shapes, pivots, runs, folding, always, count, .. } = self;
        let group_bits = places.len().next_power_of_two().trailing_zeros().clamp(1, 16);
        let group_shift = u32::BITS - group_bits;
        places.sort_unstable_by_key(|place| (hash(place.gram), place.shape, place.skip));
        let table = Table::new(places.len(), places.iter().map(|place| place.gram));
        let mut groups = vec![0u32; (1 << group_bits) + 1];
        for place in &places {
            groups[(hash(place.gram) >> group_shift) as usize + 1] += 1;
        }
        for group in 1..groups.len() {
            groups[group] += groups[group - 1];
        }
        let any_run = runs.iter().map(|(run, _)| *run).reduce(Run::or);
        Prefilter {
            table,
            places,
            groups,
            group_shift,
            shapes,
            pivots,
            runs,
            any_run,
            folding,
            always,
            count,
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::matcher::pattern::linear::parse;
    use crate::matcher::required;

    /// The windows of each pattern in the text.
    fn found(patterns: &[&str], text: &[u8]) -> Vec<Vec<Range<usize>>> {
        let required = |regex: &&str| required::of(&parse(regex, Charset::Ascii).expect("an expression"));
        let all_required: Vec<_> = patterns.iter().map(required).collect();
        let mut candidates = Candidates::default();
        Prefilter::new(all_required.iter()).search(text, Charset::of(text), &mut candidates);
        (0..patterns.len()).map(|index| candidates.windows(index).to_vec()).collect()
    }

    fn windows(pattern: &str, text: &str) -> Vec<Range<usize>> {
        found(&[pattern], text.as_bytes()).remove(0)
    }

    #[test]
    fn an_anchor_is_found_at_every_place_of_a_text() {
        for length in 0..40 {
            for at in 0..=length {
                for word in ["lob", "dapi", "private"] {
                    let text = " ".repeat(at) + word + &" ".repeat(length - at);
                    let expected = at..at + word.len();
                    assert_eq!(windows(word, &text), std::slice::from_ref(&expected), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn near_misses_are_told_apart() {
        assert!(windows("private", "privatf privat rivate PRIVATE").is_empty());
        assert_eq!(windows("(?i)private", "PRIVATE pRiVaTe"), [0..7, 8..15]);
        assert!(windows("AKIA[0-9]{4}", "AKIA123x").is_empty());
    }

    #[test]
    fn each_pattern_has_windows_of_its_own() {
        let patterns = ["zqxj", r"\w+zqxj", "jqxz", "x?"];
        let all = found(&patterns, b"ab zqxj, abzqxj");
        assert_eq!(all, [vec![3..7, 11..15], vec![9..15], vec![], vec![0..15]]);
    }

    #[test]
    fn unusual_folds_are_found() {
        assert_eq!(windows("(?i)zqkx", "a zq\u{212A}x"), vec![2..8]);
        assert!(windows("(?i)zqxj", "a zq\u{212A}x").is_empty());
        assert!(windows("(?i)zqkx", "a zq\u{E9}x").is_empty());
    }

    #[test]
    fn a_class_may_match_long_characters_next_to_a_core() {
        assert_eq!(windows(r"zqxj\w\wz", "zqxjééz"), vec![0..9]);
        assert_eq!(windows(r"\w\wzqxj", "éézqxj"), vec![0..8]);
    }

    #[test]
    fn a_run_alone_is_found() {
        let hash = "0123456789abcdef".repeat(2);
        assert_eq!(windows("[0-9a-f]{32}", &format!("x {hash} y")), vec![2..34]);
        let all = found(&["[0-9a-f]{32}", "SK[0-9]{8,9}"], format!("{hash} SK01234567").as_bytes());
        assert_eq!(all, [vec![0..32], vec![33..43]]);
    }

    #[test]
    fn when_windows_cost_too_much_the_whole_text_is_one() {
        let all_required = ["zqxj", "jqxz", "[0-9a-f]{32}", "(?i)zkxq"]
            .map(|regex| required::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let prefilter = Prefilter::new(all_required.iter());
        for text in ["zqxj zqxj zqxj", &"0123456789abcdef".repeat(9), &"\u{212A}".repeat(9)] {
            let mut candidates = Candidates::default();
            candidates.reset(all_required.len(), text.as_bytes());
            candidates.work.most = 8;
            prefilter.find(text.as_bytes(), Charset::of(text.as_bytes()), &mut candidates);
            for index in 0..all_required.len() {
                assert_eq!(candidates.windows(index), [0..text.len()], "{text}");
            }
            prefilter.search(b"zq", Charset::Ascii, &mut candidates);
            assert!((0..all_required.len()).all(|index| candidates.windows(index).is_empty()));
        }
    }

    #[test]
    fn windows_may_cost_what_they_spare() {
        let mut work = Work::with_least(5);
        work.reset(10);
        for (done, exhausted) in [(5, false), (10, false), (11, true)] {
            work.done = done;
            assert_eq!(work.is_exhausted(), exhausted, "{done}");
        }
        work.reset(2);
        for (done, exhausted) in [(5, false), (6, true)] {
            work.done = done;
            assert_eq!(work.is_exhausted(), exhausted, "{done}");
        }
        work.deadline = Deadline::after(Duration::ZERO);
        work.reset(usize::MAX);
        assert!(!work.is_exhausted(), "the clock is not looked at for so little");
        work.done = WORK_BETWEEN_LOOKS;
        assert!(work.is_exhausted());
    }

    #[test]
    fn patterns_beyond_the_most_places_are_searched_for_everywhere() {
        let all_required =
            ["zqxj", "jqxz"].map(|regex| required::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let mut builder = Builder::new(1);
        all_required.iter().for_each(|required| builder.add(required));
        let mut candidates = Candidates::default();
        builder.build().search(b"none", Charset::Ascii, &mut candidates);
        assert!(candidates.windows(0).is_empty());
        assert_eq!(candidates.windows(1), [0..4]);
    }

    #[test]
    fn a_window_that_is_dropped_leaves_nothing_behind() {
        let mut candidates = Candidates::default();
        candidates.reset(1, b"");
        let around =
            Around { before: Reach::NONE, after: Reach::NONE, run: None, nearby: Vec::new(), least: 2 };
        let owner = Owner { index: 0, around };
        for at in 0..9 {
            candidates.add(&owner, b"xyxyxyxyxy", at..at + 1, 1);
        }
        assert_eq!((candidates.windows(0).len(), candidates.touched.len()), (0, 0));
    }

    #[test]
    fn many_patterns_share_the_windows_there_are() {
        let mut candidates = Candidates::default();
        candidates.reset(MAX_WINDOWS, b"");
        let owner = Owner {
            index: 7,
            around: Around {
                before: Reach::NONE,
                after: Reach::NONE,
                run: None,
                nearby: Vec::new(),
                least: 0,
            },
        };
        for at in 0..9 {
            candidates.add(&owner, b"xyxyxyxyxy", at..at + 1, 1);
        }
        assert_eq!(candidates.windows(7), [0..9]);
    }

    #[test]
    fn a_shape_is_found_by_its_pivot() {
        let address = r"(?:\d{1,3}\.){3}\d{1,3}";
        assert_eq!(windows(address, "v1.0. At 10.0.0.1, e.g."), vec![9..17]);
        assert_eq!(windows(address, "é 10.0.٠.1"), vec![3..12], "characters of several bytes are followed");
        for pattern in ["[0-9]+%z", "[0-9]+[|%]z", "[0-9]+[|%~]z"] {
            assert_eq!(windows(pattern, "5% 5|% 15%z"), vec![7..11], "{pattern}");
        }
    }

    #[test]
    fn candidates_are_good_for_text_after_text() {
        let all_required =
            ["zqxj", "jqxz"].map(|regex| required::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let prefilter = Prefilter::new(all_required.iter());
        let mut candidates = Candidates::default();
        prefilter.search(b"zqxj", Charset::Ascii, &mut candidates);
        prefilter.search(b"jqxz", Charset::Ascii, &mut candidates);
        assert!(candidates.windows(0).is_empty());
        assert_eq!(candidates.windows(1).len(), 1);
    }
}
