//! What configurations say for the files below them: the nearest one that says something counts.

use crate::config::{Config, Existing, Placed, Policy};
use crate::path::RelPath;
use crate::source::{Compared, Targets};

/// What is said for the files below some directories; those further in stand last.
#[derive(Debug)]
pub struct ByFile<T>(Vec<(RelPath, T)>);

impl<T> ByFile<T> {
    /// What these configurations say, which stand in the order of their directories.
    pub fn of<'c>(configs: impl Iterator<Item = &'c Placed>, said: impl Fn(&Config) -> Option<T>) -> Self {
        Self(configs.filter_map(|placed| Some((placed.base.clone(), said(&placed.config)?))).collect())
    }

    /// What is said for a file, or for a directory and what is in it.
    fn nearest(&self, path: &RelPath) -> Option<&T> {
        let nearest = self.0.iter().rev().find(|(base, _)| path == base || path.below(base).is_some());
        nearest.map(|(_, said)| said)
    }
}

impl ByFile<Existing> {
    /// What becomes of old violations of one file.
    pub fn at(&self, path: &RelPath) -> Existing {
        self.nearest(path).copied().unwrap_or(Existing::Deny)
    }

    /// Disables the comparison of violations for targets configured `existing: deny`.
    pub fn limit_comparison(&self, targets: &mut Targets) {
        for target in targets.targets.iter_mut().filter(|target| self.at(&target.path) == Existing::Deny) {
            target.compared = Compared::Directives;
        }
    }
}

impl ByFile<Policy> {
    /// What counts for one file; nothing happens where nobody says anything.
    pub fn at(&self, path: &RelPath) -> Policy {
        self.nearest(path).copied().unwrap_or(Policy::Allow)
    }

    /// The strictest that counts for any file.
    pub fn strictest(&self) -> Policy {
        self.0.iter().map(|(_, policy)| *policy).max().unwrap_or(Policy::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_that_says_something_counts() {
        let placed = |base: &str, protect| Placed {
            base: RelPath::from(base),
            config: Config { protect, ..Config::default() },
            ..Placed::default()
        };
        let configs = [
            placed("", Some(Policy::Ask)),
            placed("a", Some(Policy::Deny)),
            placed("a/b", None),
            placed("c", Some(Policy::Allow)),
        ];
        let by_file = ByFile::of(configs.iter(), |config| config.protect);
        let at = |path: &str| by_file.at(&RelPath::from(path));
        assert_eq!(
            [at("x"), at("a/b/x"), at("c/x"), at("ab/x")],
            [Policy::Ask, Policy::Deny, Policy::Allow, Policy::Ask]
        );
        assert_eq!(by_file.strictest(), Policy::Deny);
        let nothing = ByFile::of([].iter(), |config| config.protect);
        assert_eq!((nothing.at(&RelPath::from("x")), nothing.strictest()), (Policy::Allow, Policy::Allow));
    }
}
