//! The prefilter: one pass over a text that finds where each of several patterns can match.
//!
//! It is built once from the [`Requirements`] of all patterns that apply to a file, and run before any regex. Its
//! result, the [`Candidates`], is a list of windows per pattern; most lists are empty, and those patterns are
//! done.
//!
//! # Example
//!
//! Follow the pattern `(?:password|passwd)\s*=\s*"[0-9a-z]{8,}"` (its requirements are derived in
//! [`literals`](super::literals)) through the text
//!
//! ```text
//! offset 0         1         2         3
//!        0123456789012345678901234567890
//!        db_password = "hunter2hunter2";
//! ```
//!
//! 1. *Build.* The shape `password` is found by the [grams](super::literals::grams) `swor` and `word`, `passwd` by
//!    `assw` and `sswd`. Four bits are set in a [`GramTable`], and four [`GramEntry`]s point to two
//!    [`ShapeEntry`]s.
//! 2. *Scan.* [`GramTable::scan`] reads four bytes at every even offset, 16 bytes of text per step, and tests one
//!    bit for each: `db_p`, `_pas`, `assw`, `swor`, ... The bits of `assw` (offset 4) and `swor` (offset 6) are
//!    set.
//! 3. *Verify.* `assw` belongs to `passwd`, with its core `asswd` at offset 4. The text has `asswo`, so the entry
//!    is dropped. `swor` belongs to `password` with its core `sword` at offset 6. [`CorePrefix`] compares it in
//!    one instruction, and the bytes around it are `pas`: a candidate at 3..11.
//! 4. *Context.* From offset 11 the context `\s{0,} [=]{1} \s{0,} ["]{1} [0-9a-z]{8,} ["]{1}` is followed byte by
//!    byte up to the closing quote. The window is 3..30.
//! 5. *Window.* It has the run of eight alphanumeric bytes and at least 17 bytes, so it is kept. The regex
//!    searches these 27 bytes instead of the file.
//!
//! In `if password == "x"` step 4 ends at the second `=`: no window, and the pattern is never compiled.
//!
//! Pivots and runs are searched in passes of their own, since no gram finds them. A pattern without an anchor has
//! the whole text as its window, or the lines beyond ASCII if only those can match, or the lines that end like its matches.
//!
//! # Soundness
//!
//! Every match lies in a window, together with all other matches that start in that window, so that a search of
//! the windows returns what a search of the text returns.
//!
//! - A match contains a shape of the anchor, and so one of its two grams at an even offset. A bit that is set for
//!   another gram only costs a verification.
//! - `| 0x20` maps both cases of a letter to one gram. It also maps other bytes together, which verification sorts
//!   out.
//! - U+212A and U+017F fold to `k` and `s` but have other bytes. A text with one of them gets a candidate at each,
//!   for every shape with such a letter ([`FOLDING`]).
//! - A class may stand for characters of several bytes, so only the core of a shape, whose positions are one byte
//!   each, is compared strictly.
//!
//! The oracle tests compare the matcher with a naive search on random patterns and texts.
//!
//! # Cost and limits
//!
//! The cost of the scan does not depend on the number of patterns: the table is sized to the
//! number of grams and stays in the cache. Work is counted (`ScanWork`): a pattern whose windows cost more than
//! four times the text gets the whole text as its window, and so do all patterns once the total exceeds what
//! windows can save. Beyond [`MAX_ENTRIES`] grams further patterns have no anchor.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use memchr::memmem;

use super::literals::byte_set::{ByteSet, Needles};
use super::literals::context::Context;
use super::literals::end::MatchEnd;
use super::literals::rules::PartMeasure as _;
use super::literals::{ByteRun, LiteralShape, Requirements, folds};
use super::pattern::linear::Charset;

mod builder;
mod candidates;
mod follow;
pub mod quick_reject;
mod table;
pub(crate) mod windows;

pub use candidates::Candidates;

use builder::{MAX_ENTRIES, PrefilterBuilder};
use table::{GramTable, STEP, hash};
use windows::{AnchorContext, LineChoice, each_run, each_run_of};

/// The characters beyond ASCII that match `(?i)k` and `(?i)s`.
pub const FOLDING: [&str; 2] = ["\u{212A}", "\u{17F}"];

/// The maximum length of a character, in bytes.
pub const MAX_WIDTH: usize = 4;

/// The work that a window counts as, beside its bytes.
const WINDOW_WORK: usize = 16;

/// Finds candidates for a list of patterns.
#[derive(Debug)]
pub struct Prefilter {
    table: GramTable,
    /// The entries of all grams, sorted by hash.
    entries: Vec<GramEntry>,
    /// The index of the first entry of each hash prefix, and the number of entries at the end.
    groups: Vec<u32>,
    group_shift: u32,
    shapes: Vec<ShapeEntry>,
    /// Shapes that are found by a pivot, which is their core.
    pivots: Vec<ShapeEntry>,
    /// Runs, each with the patterns whose anchor it is.
    runs: Vec<(ByteRun, Vec<Owner>)>,
    /// A run that every text with one of `runs` contains.
    any_run: Option<AnyRun>,
    /// One owner for each letter of a core that [`FOLDING`] may replace. Built for the first text that has such a
    /// character.
    folding: OnceLock<Vec<Owner>>,
    always: Vec<Unanchored>,
    count: usize,
}

/// A pattern without an anchor.
#[derive(Debug, Clone, Copy)]
struct Unanchored {
    index: usize,
    spans_lines: bool,
    /// Whether every match contains a character beyond ASCII.
    beyond_ascii: bool,
    /// How every match ends, if it is known.
    end: Option<MatchEnd>,
    /// The maximum length of a match, in characters; `None` if unbounded.
    most: Option<usize>,
}

/// `count` bytes in a row whose value in the table is `true`.
#[derive(Debug)]
struct AnyRun {
    count: usize,
    bytes: Box<[bool; 256]>,
}

/// One gram of a shape.
#[derive(Debug, Clone, Copy)]
struct GramEntry {
    gram: u32,
    shape: u32,
    /// The distance from the start of the gram to the core of the shape, plus one.
    skip: u32,
}

/// A shape with the patterns whose anchor it is.
#[derive(Debug)]
struct ShapeEntry {
    shape: LiteralShape,
    core: Range<usize>,
    start: CorePrefix,
    owners: Vec<Owner>,
}

/// The first eight bytes of a core, compared with one instruction.
#[derive(Debug, Clone, Copy)]
struct CorePrefix {
    /// The bits that are compared, and their values.
    known: u64,
    bits: u64,
}

impl CorePrefix {
    /// `shape` starts with the core.
    fn of(shape: &[ByteSet]) -> Self {
        let (mut known, mut bits) = ([0; 8], [0; 8]);
        for (at, set) in shape.iter().enumerate().take(8) {
            // From here on the position of a byte is unknown: this one may be a character of several bytes.
            if set.has_high() || folds(set) {
                break;
            }
            let mut bytes = set.iter();
            (known[at], bits[at]) = match (bytes.next(), bytes.next(), bytes.next()) {
                (Some(byte), None, _) => (0xFF, byte),
                (Some(byte), Some(other), None) if byte ^ other == 0x20 => (!0x20, byte & !0x20),
                _ => (0, 0),
            };
        }
        Self { known: u64::from_le_bytes(known), bits: u64::from_le_bytes(bits) }
    }

    /// Whether `text` can start with the core. `true` if it is shorter than eight bytes.
    fn may_be_at(self, text: &[u8]) -> bool {
        text.first_chunk().is_none_or(|first| u64::from_le_bytes(*first) & self.known == self.bits)
    }
}

/// A pattern, with the context of its matches around an anchor.
#[derive(Debug, Clone)]
struct Owner {
    index: usize,
    around: AnchorContext,
    /// Identifies `around.after`, to share dead ends among patterns. `None` if it is not shared.
    after: Option<ContextId>,
}

/// The index of a distinct context after an anchor.
type ContextId = u32;

/// A gram found in a text.
#[derive(Debug, Clone, Copy)]
struct GramHit {
    at: usize,
    gram: u32,
}

impl Prefilter {
    /// Builds a prefilter from the requirements of each pattern. The order decides the indices of the candidates.
    pub fn new<'a>(patterns: impl Iterator<Item = &'a Requirements>) -> Self {
        let mut builder = PrefilterBuilder::new(MAX_ENTRIES);
        for required in patterns {
            builder.add(required);
        }
        builder.build()
    }

    /// Finds the windows of every pattern in `text`. Replaces what `found` held.
    pub fn search(&self, text: &[u8], charset: Charset, found: &mut Candidates) {
        found.reset(self.count, text);
        self.find(text, charset, found);
    }

    fn find(&self, text: &[u8], charset: Charset, found: &mut Candidates) {
        let width = match charset {
            Charset::Ascii => 1,
            Charset::Any => MAX_WIDTH,
        };
        self.find_unanchored(text, charset, found);
        if !self.entries.is_empty() {
            self.table.scan(text, |at, gram| {
                if !found.work.is_exhausted() {
                    found.work.done += self.entries_of(gram).len();
                    self.look_up(text, GramHit { at, gram }, |owner, core| {
                        found.add(owner, text, core, width)
                    });
                }
            });
        }
        self.find_pivots(text, width, found);
        self.find_runs(text, width, found);
        if width > 1 {
            self.find_folding(text, width, found);
        }
        if found.work.is_exhausted() {
            found.touched = (0..self.count).collect();
            found.windows[..self.count].iter_mut().for_each(|windows| windows.set_whole(text));
        }
        for &index in &found.touched {
            found.windows[index].join();
        }
    }

    fn find_unanchored(&self, text: &[u8], charset: Charset, found: &mut Candidates) {
        for &Unanchored { index, spans_lines, beyond_ascii, end, most } in &self.always {
            if let Some(end) = end.filter(|_| !found.work.is_exhausted()) {
                found.work.done += text.len() / STEP;
                found.windows[index].set_ends(text, end, spans_lines, most);
                found.touched.push(index);
                continue;
            }
            match charset {
                Charset::Ascii if beyond_ascii => continue,
                Charset::Any if !spans_lines && !found.work.is_exhausted() => {
                    found.work.done += text.len() / (STEP / 2);
                    let wanted = if beyond_ascii { LineChoice::BeyondAscii } else { LineChoice::All };
                    found.windows[index].set_lines(text, wanted);
                }
                Charset::Any | Charset::Ascii => found.windows[index].set_whole(text),
            }
            found.touched.push(index);
        }
    }

    fn find_pivots(&self, text: &[u8], width: usize, found: &mut Candidates) {
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
    }

    fn find_runs(&self, text: &[u8], width: usize, found: &mut Candidates) {
        let Some(any) = &self.any_run else { return };
        each_run_of(
            text,
            any.count,
            |byte| any.bytes[usize::from(byte)],
            |range| {
                for (run, owners) in self.runs.iter().filter(|(run, _)| run.count <= range.len()) {
                    found.work.done += range.len() / 4 + WINDOW_WORK;
                    if found.work.is_exhausted() {
                        return;
                    }
                    let within = |inner: Range<usize>| range.start + inner.start..range.start + inner.end;
                    each_run(&text[range.clone()], run, |inner| {
                        owners.iter().for_each(|owner| found.add(owner, text, within(inner.clone()), width));
                    });
                }
            },
        );
    }

    fn find_folding(&self, text: &[u8], width: usize, found: &mut Candidates) {
        for letter in FOLDING {
            for at in memmem::find_iter(text, letter) {
                if found.work.is_exhausted() {
                    break;
                }
                let part = at..at + letter.len();
                let folding = self.folding.get_or_init(|| self.all_folding());
                folding.iter().for_each(|owner| found.add(owner, text, part.clone(), width));
            }
        }
    }

    /// One owner for each letter that [`FOLDING`] may replace in the core of a shape.
    fn all_folding(&self) -> Vec<Owner> {
        let known = self.shapes.iter().chain(&self.pivots);
        known.flat_map(|known| known.core.clone().flat_map(|at| known.around_letter(at))).collect()
    }

    /// The entries whose grams share the hash prefix of `gram`.
    fn entries_of(&self, gram: u32) -> &[GramEntry] {
        let group = (hash(gram) >> self.group_shift) as usize;
        &self.entries[self.groups[group] as usize..self.groups[group + 1] as usize]
    }

    /// Calls `each` with the owners of the shapes verified around a gram, and the range of their core.
    fn look_up(
        &self,
        text: &[u8],
        GramHit { at, gram }: GramHit,
        mut each: impl FnMut(&Owner, Range<usize>),
    ) {
        for entry in self.entries_of(gram).iter().filter(|entry| entry.gram == gram) {
            let known = &self.shapes[entry.shape as usize];
            let Some(start) = (at + entry.skip as usize).checked_sub(1) else { continue };
            if known.is_at(text, start) {
                let core = start..start + known.core.len();
                known.owners.iter().for_each(|owner| each(owner, core.clone()));
            }
        }
    }
}

impl ShapeEntry {
    /// The owners, anchored at a letter of the core, if the letter has an unusual fold.
    fn around_letter(&self, at: usize) -> impl Iterator<Item = Owner> {
        let owners = if folds(&self.shape[at]) { &self.owners[..] } else { &[] };
        owners.iter().map(move |Owner { index, around, .. }| {
            let before = around.before.clone().then(Context::across(&self.shape[self.core.start..at]));
            let after = Context::across(&self.shape[at + 1..self.core.end]).then(around.after.clone());
            Owner { index: *index, around: AnchorContext { before, after, ..around.clone() }, after: None }
        })
    }

    /// Whether the shape is in `text` with its core at `start`.
    fn is_at(&self, text: &[u8], start: usize) -> bool {
        let Some((before, after)) = text.split_at_checked(start) else { return false };
        let (left, right) = self.shape.split_at(self.core.start);
        self.start.may_be_at(after)
            && agree(right.iter(), after.iter())
            && agree(left.iter().rev(), before.iter().rev())
    }
}

/// Whether each byte is in its set. Stops at a byte beyond ASCII where a character of several bytes is possible:
/// the alignment of the rest is unknown.
fn agree<'a>(sets: impl Iterator<Item = &'a ByteSet>, mut bytes: impl Iterator<Item = &'a u8>) -> bool {
    for set in sets {
        match bytes.next() {
            Some(&byte) if !byte.is_ascii() && (set.has_high() || folds(set)) => return true,
            Some(&byte) if set.contains(byte) => {}
            Some(_) | None => return false,
        }
    }
    true
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use std::time::Duration;

    use super::candidates::{MAX_WINDOWS, ScanWork, WORK_BETWEEN_CLOCK_READS};
    use super::*;
    use crate::deadline::Deadline;
    use crate::matcher::literals;
    use crate::matcher::pattern::linear::parse;

    /// The windows of each pattern.
    fn found(patterns: &[&str], text: &[u8]) -> Vec<Vec<Range<usize>>> {
        let required = |regex: &&str| literals::of(&parse(regex, Charset::Ascii).expect("an expression"));
        let all_required: Vec<_> = patterns.iter().map(required).collect();
        let mut candidates = Candidates::default();
        Prefilter::new(all_required.iter()).search(text, Charset::of(text), &mut candidates);
        (0..patterns.len()).map(|index| candidates.windows(index).to_vec()).collect()
    }

    fn windows(pattern: &str, text: &str) -> Vec<Range<usize>> {
        found(&[pattern], text.as_bytes()).remove(0)
    }

    #[test]
    fn finds_anchor_at_every_offset() {
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
    fn drops_near_misses() {
        assert!(windows("private", "privatf privat rivate PRIVATE").is_empty());
        assert_eq!(windows("(?i)private", "PRIVATE pRiVaTe"), [0..7, 8..15]);
        assert!(windows("AKIA[0-9]{4}", "AKIA123x").is_empty());
    }

    #[test]
    fn compares_core_prefix_at_once() {
        let may_be = |pattern: &str, text: &str| {
            let anchor = literals::of(&parse(pattern, Charset::Ascii).expect("an expression")).anchor;
            let Some(literals::AnchorKind::Shapes(shapes)) = anchor.map(|anchor| anchor.kind) else {
                panic!("{pattern}")
            };
            CorePrefix::of(&shapes[0]).may_be_at(text.as_bytes())
        };
        assert!(may_be("zqxj[01]yyyyyyy", "zqxj9yyyyyyy"), "one of two is left to others");
        assert!(!may_be("zqxj[01]yyyyyyy", "zqxj0xyyyyyy"));
        assert!(may_be("(?i)zqxj_private", "zQxJ_pRIVATE") && !may_be("(?i)zqxj_private", "zQxJ pRIVATE"));
        assert!(!may_be("zqxj_private", "zQxj_private"));
        assert!(
            may_be("(?i)zqkxxxxx", "zq\u{212A}xxxxx") && may_be("(?i)zqkxxxxx", "zqaaaaaaa"),
            "it may fold"
        );
        assert!(may_be(r"zqxj\wyyy", "zqxjéyyy"), "a character of two bytes");
        assert!(may_be("zqxj_private", "aaaaaaa"), "too short to tell");
    }

    #[test]
    fn keeps_windows_per_pattern() {
        let patterns = ["zqxj", r"\w+zqxj", "jqxz", "x?"];
        let all = found(&patterns, b"ab zqxj, abzqxj");
        assert_eq!(all, [vec![3..7, 11..15], vec![9..15], vec![], vec![0..15]]);
    }

    #[test]
    fn finds_unusual_folds() {
        assert_eq!(windows("(?i)zqkx", "a zq\u{212A}x"), vec![2..8]);
        assert!(windows("(?i)zqxj", "a zq\u{212A}x").is_empty());
        assert!(windows("(?i)zqkx", "a zq\u{E9}x").is_empty());
    }

    #[test]
    fn allows_long_characters_beside_core() {
        assert_eq!(windows(r"zqxj\w\wz", "zqxjééz"), vec![0..9]);
        assert_eq!(windows(r"\w\wzqxj", "éézqxj"), vec![0..8]);
    }

    #[test]
    fn searches_beyond_ascii_patterns_there_only() {
        let found = |pattern: &str, text: &str| {
            let required = [literals::of(&parse(pattern, Charset::Any).expect("an expression"))];
            let mut candidates = Candidates::default();
            Prefilter::new(required.iter()).search(
                text.as_bytes(),
                Charset::of(text.as_bytes()),
                &mut candidates,
            );
            candidates.windows(0).to_vec()
        };
        let controls = r"[\u202A-\u202E]";
        assert!(found(controls, "a\nb").is_empty());
        assert_eq!(found(controls, "a\né\nb\n\u{202A}c"), vec![2..4, 7..11]);
        assert_eq!(found(r"[\u202A\n]+", "a\nb"), vec![0..3], "it may match without one");
        assert!(found(r"[\u202A\n]{2}[\u202A-\u202E]", "a\nb").is_empty());
        assert_eq!(found(r"[\u202A\n]{2}[\u202A-\u202E]", "aé\nb"), vec![0..5], "it may span lines");
    }

    #[test]
    fn searches_lines_that_end_like_matches() {
        let blank = r"[ \t]+$";
        assert!(windows(blank, "a b\n c\n").is_empty());
        assert_eq!(windows(blank, "a \nb\nc\t\r\n\n d "), vec![0..2, 5..8, 10..13]);
        assert_eq!(windows(r"\s+$", "a \nb"), vec![0..4], "it may span lines");
        assert_eq!(windows(r"\n$", "a\n\nb"), vec![0..4], "it ends at an empty line");
        assert_eq!(windows(r"[^\r\n]\z", "a\nbéxyf"), vec![3..8], "from the start of a character");
        assert!(windows(r"[^\r\n]\z", "a\nb\n").is_empty());
        assert_eq!(windows(r"(?:^|b)[ \t]+\z", "b\nb  "), vec![0..5], "no bound");
    }

    #[test]
    fn finds_run_without_shape() {
        let hash = "0123456789abcdef".repeat(2);
        assert_eq!(windows("[0-9a-f]{32}", &format!("x {hash} y")), vec![2..34]);
        let all = found(&["[0-9a-f]{32}", "SK[0-9]{8,9}"], format!("{hash} SK01234567").as_bytes());
        assert_eq!(all, [vec![0..32], vec![33..43]]);
    }

    #[test]
    fn widens_windows_that_cost_too_much() {
        let all_required = ["zqxj", "jqxz", "[0-9a-f]{32}", "(?i)zkxq"]
            .map(|regex| literals::of(&parse(regex, Charset::Ascii).expect("an expression")));
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
    fn widens_only_the_costly_pattern() {
        let all_required =
            ["zqxj", "jqxz"].map(|regex| literals::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let prefilter = Prefilter::new(all_required.iter());
        let text = b"zqxj zqxj jqxz zqxj";
        let mut candidates = Candidates::default();
        candidates.reset(all_required.len(), text);
        candidates.most_of_one = 2 * WINDOW_WORK - 1;
        prefilter.find(text, Charset::Ascii, &mut candidates);
        assert_eq!(candidates.windows(0), [0..text.len()]);
        assert_eq!(candidates.windows(1), [10..14]);
        prefilter.search(text, Charset::Ascii, &mut candidates);
        assert_eq!(candidates.windows(0), [0..4, 5..9, 15..19], "it starts anew");
    }

    #[test]
    fn limits_work_to_what_windows_save() {
        let mut work = ScanWork::new(10, Deadline::NEVER);
        for (done, exhausted) in [(5, false), (10, false), (11, true)] {
            work.done = done;
            assert_eq!(work.is_exhausted(), exhausted, "{done}");
        }
        let mut work = ScanWork::new(usize::MAX, Deadline::after(Duration::ZERO));
        assert!(!work.is_exhausted(), "the clock is not read for this little work");
        work.done = WORK_BETWEEN_CLOCK_READS;
        assert!(work.is_exhausted());
    }

    #[test]
    fn searches_whole_text_beyond_max_entries() {
        let all_required =
            ["zqxj", "jqxz"].map(|regex| literals::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let mut builder = PrefilterBuilder::new(1);
        all_required.iter().for_each(|required| builder.add(required));
        let mut candidates = Candidates::default();
        builder.build().search(b"none", Charset::Ascii, &mut candidates);
        assert!(candidates.windows(0).is_empty());
        assert_eq!(candidates.windows(1), [0..4]);
    }

    #[test]
    fn dropped_window_leaves_nothing_behind() {
        let mut candidates = Candidates::default();
        candidates.reset(1, b"");
        let around = AnchorContext {
            before: Context::NONE,
            after: Context::NONE,
            run: None,
            nearby: Vec::new(),
            least: 2,
        };
        let owner = Owner { index: 0, around, after: None };
        for at in 0..9 {
            candidates.add(&owner, b"xyxyxyxyxy", at..at + 1, 1);
        }
        assert_eq!((candidates.windows(0).len(), candidates.touched.len()), (0, 0));
    }

    #[test]
    fn shares_max_windows_among_patterns() {
        let mut candidates = Candidates::default();
        candidates.reset(MAX_WINDOWS, b"");
        let owner = Owner {
            index: 7,
            after: None,
            around: AnchorContext {
                before: Context::NONE,
                after: Context::NONE,
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
    fn finds_shape_by_its_pivot() {
        let address = r"(?:\d{1,3}\.){3}\d{1,3}";
        assert_eq!(windows(address, "v1.0. At 10.0.0.1, e.g."), vec![9..17]);
        assert_eq!(windows(address, "é 10.0.٠.1"), vec![3..12], "characters of several bytes are followed");
        for pattern in ["[0-9]+%z", "[0-9]+[|%]z", "[0-9]+[|%~]z"] {
            assert_eq!(windows(pattern, "5% 5|% 15%z"), vec![7..11], "{pattern}");
        }
    }

    #[test]
    fn candidates_are_reusable() {
        let all_required =
            ["zqxj", "jqxz"].map(|regex| literals::of(&parse(regex, Charset::Ascii).expect("an expression")));
        let prefilter = Prefilter::new(all_required.iter());
        let mut candidates = Candidates::default();
        prefilter.search(b"zqxj", Charset::Ascii, &mut candidates);
        prefilter.search(b"jqxz", Charset::Ascii, &mut candidates);
        assert!(candidates.windows(0).is_empty());
        assert_eq!(candidates.windows(1).len(), 1);
    }
}
