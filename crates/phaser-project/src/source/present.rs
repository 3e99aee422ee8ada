//! Which files a project has, as seen by the source of the targets.

use std::path::Path;

use super::{Coverage, Target, Targets};
use crate::path::{RelPath, Root};

/// The files of a project.
#[derive(Debug, Clone, Copy)]
pub struct ProjectFiles<'a> {
    /// The project.
    pub root: &'a Root,
    /// The targets of its source.
    pub targets: &'a Targets,
}

impl ProjectFiles<'_> {
    /// Whether the file exists: in the tree if it was walked, in the index if that is the source, else on disk.
    pub fn has(self, path: &RelPath) -> bool {
        let Targets { targets, coverage, .. } = self.targets;
        let among = |targets: &[Target]| targets.binary_search_by(|target| target.path.cmp(path)).is_ok();
        match coverage {
            Coverage::Whole => among(targets),
            Coverage::Shard { rest, .. } => among(targets) || among(rest),
            Coverage::Listed(listing) => listing.has(path),
            Coverage::Partial => {
                self.root.path().join(Path::new(&*path.to_text())).symlink_metadata().is_ok()
            }
        }
    }
}
