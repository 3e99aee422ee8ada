//! The files of many directories in the order of their paths.
//!
//! To sort all of them at once would be a large part of a walk: it compares and moves each some twenty times. The files of
//! one directory are few, and where those of the directories in it belong among them is soon found.

use super::Target;

/// The files of one directory.
pub(super) struct Part {
    /// Its path, empty or with a final `/`.
    directory: Vec<u8>,
    /// Its files, in order.
    targets: Vec<Target>,
}

impl Part {
    /// The files of the directory with this path.
    pub(super) fn new(directory: Vec<u8>, mut targets: Vec<Target>) -> Self {
        targets.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { directory, targets }
    }
}

/// All files, in order.
pub(super) fn in_order(mut parts: Vec<Part>) -> Vec<Target> {
    parts.sort_unstable_by(|a, b| a.directory.cmp(&b.directory));
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.targets.len()).sum());
    // A directory and those it is in, each with the files that are still to come.
    let mut open: Vec<(Vec<u8>, std::vec::IntoIter<Target>)> = Vec::new();
    for Part { directory, targets } in parts {
        while let Some((_, rest)) = open.pop_if(|(above, _)| !directory.starts_with(above)) {
            all.extend(rest);
        }
        if let Some((_, rest)) = open.last_mut() {
            let before =
                rest.as_slice().partition_point(|target| target.path.as_bytes() < directory.as_slice());
            all.extend(rest.by_ref().take(before));
        }
        open.push((directory, targets.into_iter()));
    }
    while let Some((_, rest)) = open.pop() {
        all.extend(rest);
    }
    // A tracked file in a directory that is left out belongs to the one above, and may stand between others.
    all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::path::RelPath;
    use crate::source::Content;

    proptest! {
        #[test]
        fn the_order_is_that_of_all_paths(paths in proptest::collection::btree_set("([ab.0]{1,2}/){0,3}[ab.0]{1,2}", 0..40)) {
            let mut parts: Vec<(Vec<u8>, Vec<Target>)> = Vec::new();
            for path in paths.iter().rev() {
                let directory = path.rfind('/').map_or(0, |slash| slash + 1);
                let directory = &path.as_bytes()[..directory];
                let target = Target::new(RelPath::from(path.as_str()), Content::Bytes(Vec::new().into()));
                match parts.iter_mut().find(|(known, _)| known == directory) {
                    Some((_, targets)) => targets.push(target),
                    None => parts.push((directory.to_vec(), vec![target])),
                }
            }
            let parts = parts.into_iter().map(|(directory, targets)| Part::new(directory, targets)).collect();
            let found: Vec<String> = in_order(parts).iter().map(|target| target.path.to_string()).collect();
            prop_assert_eq!(found, Vec::from_iter(paths));
        }
    }
}
