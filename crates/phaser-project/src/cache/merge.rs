//! What was kept and what is new, in one file.

use std::cmp::Ordering;

use super::identity::Identity;
use super::store::{Draft, Entry, Kept, MAX_AGE, Variant};
use super::{Fresh, Seen};

/// The bytes of a file with what is new, which is in order, and what was kept. A file that is gone is remembered for some
/// time: it may come back with another branch.
pub fn merged(context: &Identity, kept: &Kept, fresh: &[Fresh], seen: Seen<'_>) -> Vec<u8> {
    let mut draft = Draft::new(context);
    let mut fresh = fresh.iter().peekable();
    let mut present = Present::new(seen);
    for (path, entry) in kept.entries() {
        while let Some(new) = fresh.next_if(|new| new.path.as_bytes() < path) {
            add(&mut draft, new, Entry::unknown());
        }
        if let Some(new) = fresh.next_if(|new| new.path.as_bytes() == path) {
            add(&mut draft, new, entry);
            continue;
        }
        let age = if present.has(path) { 0 } else { entry.age.saturating_add(1) };
        let age = if present.is_known() { age } else { entry.age };
        if age <= MAX_AGE {
            draft.add(path, entry.aged(age), None);
        }
    }
    fresh.for_each(|new| add(&mut draft, new, Entry::unknown()));
    draft.finish()
}

fn add(draft: &mut Draft, new: &Fresh, known: Entry<'_>) {
    let first = Variant { content: new.content, record: &new.record };
    draft.add(new.path.as_bytes(), known.seen(new.stamp), Some(first));
}

/// The files that there are, asked for in the order of their paths.
struct Present<'a> {
    seen: Seen<'a>,
    passed: usize,
}

impl<'a> Present<'a> {
    fn new(seen: Seen<'a>) -> Self {
        Self { seen, passed: 0 }
    }

    fn is_known(&self) -> bool {
        matches!(self.seen, Seen::Everything(_))
    }

    fn has(&mut self, path: &[u8]) -> bool {
        let Seen::Everything(paths) = self.seen else { return true };
        while let Some(next) = paths.get(self.passed) {
            match next.as_bytes().cmp(path) {
                Ordering::Less => self.passed += 1,
                Ordering::Equal => return true,
                Ordering::Greater => return false,
            }
        }
        false
    }
}
