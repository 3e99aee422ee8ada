//! Builds a prefilter from what patterns require.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::table::{Table, hash};
use super::windows::{Around, Nearby};
use super::{AnyRun, Known, Owner, Place, Prefilter, Start, TrackId, Unanchored};
use crate::matcher::required::rules::Extent as _;
use crate::matcher::required::track::Track;
use crate::matcher::required::{Key, Required, Run, Shape, gram_filter};

/// The most places of grams. Further patterns are searched for in every text.
pub(super) const MAX_PLACES: usize = 500_000;

/// Collects what a [`Prefilter`] is made of.
#[derive(Debug)]
pub(super) struct Builder {
    most_places: usize,
    places: Vec<Place>,
    by_shape: HashMap<Shape, usize>,
    shapes: Vec<Known>,
    pivots: Vec<Known>,
    runs: Vec<(Run, Vec<Owner>)>,
    always: Vec<Unanchored>,
    /// The different tracks behind anchors.
    tracks: HashMap<Track, TrackId>,
    count: usize,
}

impl Builder {
    /// Without any pattern.
    pub(super) fn new(most_places: usize) -> Self {
        Self {
            most_places,
            places: Vec::new(),
            by_shape: HashMap::new(),
            shapes: Vec::new(),
            pivots: Vec::new(),
            runs: Vec::new(),
            always: Vec::new(),
            tracks: HashMap::new(),
            count: 0,
        }
    }

    /// Adds a pattern.
    pub(super) fn add(&mut self, required: &Required) {
        let index = self.count;
        self.count += 1;
        let Some(anchor) = required.anchor.as_ref().filter(|_| self.places.len() < self.most_places) else {
            let spans_lines = required.whole.bytes.contains(b'\n');
            self.always.push(Unanchored { index, spans_lines, beyond_ascii: required.beyond_ascii });
            return;
        };
        let owner = |before: Track, after: Track, id: Option<TrackId>| Owner {
            index,
            after: id,
            around: Around {
                before,
                after,
                run: required.run,
                nearby: required.nearby.iter().map(Nearby::new).collect(),
                least: required.least,
            },
        };
        match &anchor.key {
            Key::Run(run) => {
                let owner = owner(anchor.before.clone(), anchor.after.clone(), None);
                match self.runs.iter_mut().find(|(known, _)| known == run) {
                    Some((_, owners)) => owners.push(owner),
                    None => self.runs.push((*run, vec![owner])),
                }
            }
            Key::Pivot(shape, at) => {
                let before = anchor.before.clone().then(Track::across(&shape[..*at]));
                let after = Track::across(&shape[at + 1..]).then(anchor.after.clone());
                let (owner, core) = (owner(before, after, None), *at..at + 1);
                match self.pivots.iter_mut().find(|known| known.core == core && known.shape == *shape) {
                    Some(known) => known.owners.push(owner),
                    None => {
                        let (start, owners) = (Start::of(&shape[*at..]), vec![owner]);
                        self.pivots.push(Known { shape: shape.clone(), core, start, owners });
                    }
                }
            }
            Key::Shapes(shapes) => {
                for shape in shapes {
                    let core = self.known(shape).core.clone();
                    let before = anchor.before.clone().then(Track::across(&shape[..core.start]));
                    let after = Track::across(&shape[core.end..]).then(anchor.after.clone());
                    let next = TrackId::try_from(self.tracks.len()).unwrap_or(TrackId::MAX);
                    let id = *self.tracks.entry(after.clone()).or_insert(next);
                    self.known(shape).owners.push(owner(before, after, Some(id)));
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
        let (start, core) = (Start::of(&shape[plan.core.start..]), plan.core);
        self.shapes.push(Known { shape: shape.clone(), core, start, owners: Vec::new() });
        at
    }

    /// The prefilter for all of them.
    pub(super) fn build(self) -> Prefilter {
        let Self { mut places, mut shapes, pivots, runs, always, count, .. } = self;
        shapes.iter_mut().for_each(|known| known.owners.sort_by_key(|owner| owner.after));
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
        let any_run = runs.iter().map(|(run, _)| *run).reduce(Run::or).map(|run| {
            let mut bytes = Box::new([false; 256]);
            run.bytes.iter().for_each(|byte| bytes[usize::from(byte)] = true);
            AnyRun { count: run.count, bytes }
        });
        Prefilter {
            table,
            places,
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
