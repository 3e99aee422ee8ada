//! Builds a [`Prefilter`] from the requirements of patterns.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::table::{GramTable, hash};
use super::windows::{AnchorContext, NearbyFinder};
use super::{AnyRun, ContextId, CorePrefix, GramEntry, Owner, Prefilter, ShapeEntry, Unanchored};
use crate::matcher::literals::context::Context;
use crate::matcher::literals::rules::PartMeasure as _;
use crate::matcher::literals::{AnchorKind, ByteRun, LiteralShape, Requirements, grams};

/// Cap on the grams of one prefilter. Further patterns are searched in whole texts.
pub(super) const MAX_ENTRIES: usize = 500_000;

#[derive(Debug)]
pub(super) struct PrefilterBuilder {
    max_entries: usize,
    entries: Vec<GramEntry>,
    by_shape: HashMap<LiteralShape, usize>,
    shapes: Vec<ShapeEntry>,
    pivots: Vec<ShapeEntry>,
    runs: Vec<(ByteRun, Vec<Owner>)>,
    always: Vec<Unanchored>,
    /// The distinct contexts after anchors.
    tracks: HashMap<Context, ContextId>,
    count: usize,
}

impl PrefilterBuilder {
    pub(super) fn new(max_entries: usize) -> Self {
        Self {
            max_entries,
            entries: Vec::new(),
            by_shape: HashMap::new(),
            shapes: Vec::new(),
            pivots: Vec::new(),
            runs: Vec::new(),
            always: Vec::new(),
            tracks: HashMap::new(),
            count: 0,
        }
    }

    pub(super) fn add(&mut self, required: &Requirements) {
        let index = self.count;
        self.count += 1;
        let Some(anchor) = required.anchor.as_ref().filter(|_| self.entries.len() < self.max_entries) else {
            let spans_lines = required.whole.bytes.contains(b'\n');
            let Requirements { beyond_ascii, end, whole, .. } = *required;
            self.always.push(Unanchored { index, spans_lines, beyond_ascii, end, most: whole.most });
            return;
        };
        let owner = |before: Context, after: Context, id: Option<ContextId>| Owner {
            index,
            after: id,
            around: AnchorContext {
                before,
                after,
                run: required.run,
                nearby: required.nearby.iter().map(NearbyFinder::new).collect(),
                least: required.least,
            },
        };
        match &anchor.kind {
            AnchorKind::Run(run) => {
                let owner = owner(anchor.before.clone(), anchor.after.clone(), None);
                match self.runs.iter_mut().find(|(known, _)| known == run) {
                    Some((_, owners)) => owners.push(owner),
                    None => self.runs.push((*run, vec![owner])),
                }
            }
            AnchorKind::Pivot(shape, at) => {
                let before = anchor.before.clone().then(Context::across(&shape[..*at]));
                let after = Context::across(&shape[at + 1..]).then(anchor.after.clone());
                let (owner, core) = (owner(before, after, None), *at..at + 1);
                match self.pivots.iter_mut().find(|known| known.core == core && known.shape == *shape) {
                    Some(known) => known.owners.push(owner),
                    None => {
                        let (start, owners) = (CorePrefix::of(&shape[*at..]), vec![owner]);
                        self.pivots.push(ShapeEntry { shape: shape.clone(), core, start, owners });
                    }
                }
            }
            AnchorKind::Shapes(shapes) => {
                for shape in shapes {
                    let core = self.known(shape).core.clone();
                    let before = anchor.before.clone().then(Context::across(&shape[..core.start]));
                    let after = Context::across(&shape[core.end..]).then(anchor.after.clone());
                    let next = ContextId::try_from(self.tracks.len()).unwrap_or(ContextId::MAX);
                    let id = *self.tracks.entry(after.clone()).or_insert(next);
                    self.known(shape).owners.push(owner(before, after, Some(id)));
                }
            }
        }
    }

    fn known(&mut self, shape: &LiteralShape) -> &mut ShapeEntry {
        let at = match self.by_shape.get(shape) {
            Some(&at) => at,
            None => self.learn(shape),
        };
        &mut self.shapes[at]
    }

    fn learn(&mut self, shape: &LiteralShape) -> usize {
        let plan = grams::plan(shape).expect("a shape of an anchor can be found");
        let at = self.shapes.len();
        for gram in &plan.grams {
            let skip = (plan.core.start + 2 - gram.offset) as u32;
            self.entries.extend(gram.texts.iter().map(|&gram| GramEntry { gram, shape: at as u32, skip }));
        }
        self.by_shape.insert(shape.clone(), at);
        let (start, core) = (CorePrefix::of(&shape[plan.core.start..]), plan.core);
        self.shapes.push(ShapeEntry { shape: shape.clone(), core, start, owners: Vec::new() });
        at
    }

    pub(super) fn build(self) -> Prefilter {
        let Self { mut entries, mut shapes, pivots, runs, always, count, .. } = self;
        shapes.iter_mut().for_each(|known| known.owners.sort_by_key(|owner| owner.after));
        let group_bits = entries.len().next_power_of_two().trailing_zeros().clamp(1, 16);
        let group_shift = u32::BITS - group_bits;
        entries.sort_unstable_by_key(|entry| (hash(entry.gram), entry.shape, entry.skip));
        let table = GramTable::new(entries.len(), entries.iter().map(|entry| entry.gram));
        let mut groups = vec![0u32; (1 << group_bits) + 1];
        for entry in &entries {
            groups[(hash(entry.gram) >> group_shift) as usize + 1] += 1;
        }
        for group in 1..groups.len() {
            groups[group] += groups[group - 1];
        }
        let any_run = runs.iter().map(|(run, _)| *run).reduce(ByteRun::or).map(|run| {
            let mut bytes = Box::new([false; 256]);
            run.bytes.iter().for_each(|byte| bytes[usize::from(byte)] = true);
            AnyRun { count: run.count, bytes }
        });
        Prefilter {
            table,
            entries,
            groups,
            group_shift,
            shapes,
            pivots,
            runs,
            any_run,
            folding: OnceLock::new(),
            always,
            count,
        }
    }
}
