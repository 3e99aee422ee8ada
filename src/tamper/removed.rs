//! Deleted files that enforcement depends on, found by comparison with the last commit.

use super::{CLAUDE_SETTINGS, Protection, Rewritten};
use phaser_project::path::{CONFIG, PROJECT_CONTRACTS, RelPath, SETTINGS, TOP_CONFIG};
use phaser_project::source::git::Committed;

impl Protection<'_> {
    /// Contracts, configuration and settings of the commit that are no longer on disk. Unreadable ones are ignored.
    pub fn removed(&self, committed: &Committed) -> Vec<Rewritten> {
        let directory = RelPath::from(PROJECT_CONTRACTS);
        let contracts = committed.files_in(&directory).ok().flatten().unwrap_or_default();
        let contracts = contracts.into_iter().map(|(name, bytes)| (directory.join(&name), bytes));
        let settings = CLAUDE_SETTINGS.map(|name| RelPath::from(SETTINGS).join(name));
        let others = settings.into_iter().chain([CONFIG, TOP_CONFIG].map(RelPath::from)).filter_map(|path| {
            let bytes = committed.file(&path).ok()??;
            Some((path, bytes))
        });
        let all = contracts.chain(others).map(|(path, bytes)| Rewritten {
            path: self.root.path().join(path.to_native()),
            before: Some(bytes),
            after: None,
        });
        all.filter(|file| file.path.symlink_metadata().is_err()).collect()
    }
}
