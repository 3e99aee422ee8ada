//! A part of the project, for checking it on several machines.
//!
//! The path alone decides which part a file belongs to, so the machines need no coordination.

use std::str::FromStr;

use super::{Coverage, Targets};
use crate::path::RelPath;
use phaser_core::digest::digest;

/// Part `I` of `N`, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    part: u32,
    parts: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        match numbers {
            Some((part, parts)) if 1 <= part && part <= parts => Ok(Self { part, parts }),
            _ => Err("write it as I/N, with I from 1 to N, such as 2/4".to_owned()),
        }
    }
}

impl Shard {
    /// Keeps the targets of this part. Contracts about the project as a whole are judged by part 1.
    pub fn of(self, targets: Targets) -> Targets {
        let Targets { targets, coverage, skipped, gone, folders, walked } = targets;
        let (own, rest) = targets.into_iter().partition(|target| self.has(&target.path));
        let coverage = match coverage {
            Coverage::Whole => Coverage::Shard { rest, judges_project: self.part == 1 },
            Coverage::Listed(paths) if self.part == 1 => Coverage::Listed(paths),
            Coverage::Listed(_) | Coverage::Shard { .. } | Coverage::Partial => Coverage::Partial,
        };
        let skipped = skipped.into_iter().filter(|skipped| self.has(&skipped.path)).collect();
        Targets { targets: own, coverage, skipped, gone, folders, walked }
    }

    fn has(self, path: &RelPath) -> bool {
        digest(path.as_bytes()) % u64::from(self.parts) == u64::from(self.part - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!("2/4".parse(), Ok(Shard { part: 2, parts: 4 }));
        for bad in ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn shards_partition_paths_evenly() {
        let paths: Vec<RelPath> =
            (0..1000).map(|n| format!("src/d{}/file{n}.rs", n % 7).as_str().into()).collect();
        for parts in [1, 2, 3, 8] {
            let count = |part| paths.iter().filter(|path| Shard { part, parts }.has(path)).count();
            let counts: Vec<_> = (1..=parts).map(count).collect();
            assert_eq!(counts.iter().sum::<usize>(), 1000);
            assert!(counts.iter().all(|&count| count > 1000 / parts as usize / 2), "{counts:?}");
        }
    }

    #[test]
    fn a_path_stays_where_it_is() {
        let part = |path: &str| (1..=4).find(|&part| Shard { part, parts: 4 }.has(&path.into()));
        assert_eq!([part("src/main.rs"), part("README.md"), part("a")], [Some(2), Some(2), Some(1)]);
    }
}
