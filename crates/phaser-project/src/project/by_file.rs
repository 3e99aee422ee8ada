//! Configuration values per file: the nearest configuration that has the key decides.

use crate::config::{Config, DirectoryConfig, Existing, Policy};
use crate::path::RelPath;
use crate::source::{Compared, Targets};

/// Values per directory, innermost last.
#[derive(Debug)]
pub struct ByFile<T>(Vec<(RelPath, T)>);

impl<T> ByFile<T> {
    /// The values of a key; `configs` are ordered from the root inward.
    pub fn of<'c>(
        configs: impl Iterator<Item = &'c DirectoryConfig>,
        value: impl Fn(&Config) -> Option<T>,
    ) -> Self {
        Self(configs.filter_map(|placed| Some((placed.base.clone(), value(&placed.config)?))).collect())
    }

    /// The value for a file, or for a directory itself.
    fn nearest(&self, path: &RelPath) -> Option<&T> {
        let nearest = self.0.iter().rev().find(|(base, _)| path == base || path.below(base).is_some());
        nearest.map(|(_, value)| value)
    }
}

impl ByFile<Existing> {
    /// How previous violations of a file count.
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
    /// The policy for a file; `allow` by default.
    pub fn at(&self, path: &RelPath) -> Policy {
        self.nearest(path).copied().unwrap_or(Policy::Allow)
    }

    /// The strictest policy of any directory.
    pub fn strictest(&self) -> Policy {
        self.0.iter().map(|(_, policy)| *policy).max().unwrap_or(Policy::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_set_value_counts() {
        let placed = |base: &str, protect| DirectoryConfig {
            base: RelPath::from(base),
            config: Config { protect, ..Config::default() },
            ..DirectoryConfig::default()
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
