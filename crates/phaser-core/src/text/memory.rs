//! Memory for the bytes of one file, with room for a little more.
//!
//! A large file is put into large pages where the system has them for whoever asks: otherwise most of the time that it
//! takes to read one goes into getting new memory, 4 KB at a time. Where the system has none, it gives small ones.

use std::ops::Range;

/// Memory that is written once and changed in place.
#[derive(Debug)]
pub(super) enum Memory {
    /// From the heap.
    Heap(Vec<u8>),
    /// In large pages.
    #[cfg(target_os = "linux")]
    Large(large::Pages),
}

impl Memory {
    /// So many zeros.
    pub(super) fn zeroed(len: usize) -> Self {
        Self::zeroed_if_large(len).unwrap_or_else(|| Self::Heap(vec![0; len]))
    }

    #[cfg(target_os = "linux")]
    fn zeroed_if_large(len: usize) -> Option<Self> {
        if len < large::PAGE { None } else { large::Pages::zeroed(len).map(Self::Large) }
    }

    #[cfg(not(target_os = "linux"))]
    fn zeroed_if_large(_: usize) -> Option<Self> {
        None
    }

    /// The same bytes.
    pub(super) fn copied(bytes: &[u8]) -> Self {
        match Self::zeroed_if_large(bytes.len()) {
            Some(mut memory) => {
                memory.as_mut_slice().copy_from_slice(bytes);
                memory
            }
            None => Self::Heap(bytes.to_vec()),
        }
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Self::Large(pages) => pages.as_slice(),
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Self::Large(pages) => pages.as_mut_slice(),
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Heap(bytes) => bytes.truncate(len),
            #[cfg(target_os = "linux")]
            Self::Large(pages) => pages.truncate(len),
        }
    }

    /// Puts `new` in the place of what stands at `range`. What stands behind it is moved, and nothing else, if there is
    /// room.
    pub(super) fn replace(&mut self, range: Range<usize>, new: &[u8]) {
        match self {
            Self::Heap(bytes) => drop(bytes.splice(range, new.iter().copied())),
            #[cfg(target_os = "linux")]
            Self::Large(pages) => {
                if !pages.replace(range.clone(), new) {
                    let mut bytes = pages.as_slice().to_vec();
                    bytes.splice(range, new.iter().copied());
                    *self = Self::Heap(bytes);
                }
            }
        }
    }

    pub(super) fn into_vec(self) -> Vec<u8> {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Self::Large(pages) => pages.as_slice().to_vec(),
        }
    }
}

#[cfg(target_os = "linux")]
mod large {
    use std::ops::Range;

    use memmap2::{Advice, MmapMut};

    /// The size of a large page. Where it is another, these are just bytes.
    pub(super) const PAGE: usize = 2 * 1024 * 1024;

    /// Room for what a change adds.
    const SPARE: usize = 64 * 1024;

    /// Large pages, of which the first bytes are in use.
    #[derive(Debug)]
    pub(in crate::text) struct Pages {
        map: MmapMut,
        len: usize,
    }

    impl Pages {
        /// So many zeros, if there is memory for them.
        pub(super) fn zeroed(len: usize) -> Option<Self> {
            let size = len.checked_add(SPARE)?.checked_next_multiple_of(PAGE)?;
            let map = MmapMut::map_anon(size).ok()?;
            // Without large pages it is memory all the same.
            let _ = map.advise(Advice::HugePage);
            Some(Self { map, len })
        }

        pub(super) fn as_slice(&self) -> &[u8] {
            &self.map[..self.len]
        }

        pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
            &mut self.map[..self.len]
        }

        pub(super) fn truncate(&mut self, len: usize) {
            self.len = self.len.min(len);
        }

        /// Replaces bytes, unless there is no room for it.
        pub(super) fn replace(&mut self, range: Range<usize>, new: &[u8]) -> bool {
            let len = self.len - range.len() + new.len();
            if len > self.map.len() {
                return false;
            }
            let end = range.start + new.len();
            self.map.copy_within(range.end..self.len, end);
            self.map[range.start..end].copy_from_slice(new);
            self.len = len;
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same bytes in every kind of memory.
    fn kinds(bytes: &[u8]) -> Vec<Memory> {
        #[cfg(target_os = "linux")]
        let large = {
            let mut pages = large::Pages::zeroed(bytes.len() + 1).expect("there is memory");
            pages.truncate(bytes.len());
            pages.as_mut_slice().copy_from_slice(bytes);
            Some(Memory::Large(pages))
        };
        #[cfg(not(target_os = "linux"))]
        let large = None;
        large.into_iter().chain([Memory::Heap(bytes.to_vec())]).collect()
    }

    #[test]
    fn memory_that_is_new_is_zero_whatever_its_size() {
        for len in [0, 1, 4096, 2 * 1024 * 1024 - 1, 2 * 1024 * 1024, 5_000_001] {
            let mut memory = Memory::zeroed(len);
            assert_eq!(memory.as_slice().len(), len);
            assert!(memory.as_slice().iter().all(|byte| *byte == 0));
            memory.as_mut_slice().fill(b'x');
            memory = Memory::copied(memory.as_slice());
            assert!(memory.as_slice().len() == len && memory.as_slice().iter().all(|byte| *byte == b'x'));
            memory.truncate(3);
            assert_eq!(memory.into_vec(), b"xxx"[..len.min(3)]);
        }
    }

    #[test]
    fn what_finds_no_room_is_put_elsewhere() {
        for mut memory in kinds(b"ab") {
            let more = vec![b'x'; 5_000_000];
            memory.replace(1..1, &more);
            assert_eq!(memory.into_vec(), [b"a", &more[..], b"b"].concat());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bytes_are_replaced_as_in_a_vector(
            bytes in prop::collection::vec(any::<u8>(), 0..30),
            changes in prop::collection::vec(
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..9)),
                1..5,
            ),
        ) {
            for mut memory in kinds(&bytes) {
                let mut simple = bytes.clone();
                for (one, other, new) in &changes {
                    let [one, other] = [one, other].map(|index| index.index(simple.len() + 1));
                    let range = one.min(other)..one.max(other);
                    memory.replace(range.clone(), new);
                    simple = [&simple[..range.start], new, &simple[range.end..]].concat();
                    prop_assert_eq!(memory.as_slice(), &simple);
                }
                prop_assert_eq!(memory.into_vec(), simple);
            }
        }
    }
}
