//! Which files a project has, as the source sees it that targets come from.

use std::path::Path;

use super::{Coverage, Target, Targets};
use crate::path::{RelPath, Root};

/// The files of a project.
#[derive(Debug, Clone, Copy)]
pub struct Present<'a> {
    /// Where it is.
    pub root: &'a Root,
    /// What was found there.
    pub targets: &'a Targets,
}

impl Present<'_> {
    /// Is there such a file: in the tree, where that was walked; in the index, where that is what counts; else on disk?
    pub fn has(self, path: &RelPath) -> bool {
        let Targets { targets, coverage, .. } = self.targets;
        let among = |targets: &[Target]| targets.binary_search_by(|target| target.path.cmp(path)).is_ok();
        match coverage {
            Coverage::Whole => among(targets),
            Coverage::Rest(rest) => among(targets) || among(rest),
            Coverage::Listed(listing) => listing.has(path),
            Coverage::Partial => {
                self.root.path().join(Path::new(&*path.to_text())).symlink_metadata().is_ok()
            }
        }
    }
}
