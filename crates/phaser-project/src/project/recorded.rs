//! Where old violations are written down that do not count: read only once it may matter.

use std::sync::Arc;

use crate::baseline::{Baseline, Wanted};
use crate::path::Root;
use crate::report::Report;
use phaser_core::contract::Warning;

/// Where old violations are written down that do not count.
#[derive(Debug, Clone, Default)]
pub enum Recorded {
    /// Nowhere.
    #[default]
    Nowhere,
    /// Here.
    In(Arc<Baseline>),
    /// In the project's file, which is read once there is a violation that it may cover; what is wrong with it is a
    /// warning.
    InFile,
}

/// The baseline, if there is one and it may matter.
pub(super) fn recorded(
    recorded: &Recorded,
    root: &Root,
    report: &Report,
) -> Result<Option<Arc<Baseline>>, Warning> {
    match recorded {
        Recorded::Nowhere => Ok(None),
        Recorded::In(baseline) => Ok(Some(Arc::clone(baseline))),
        Recorded::InFile if report.open().next().is_none() => Ok(None),
        Recorded::InFile => {
            let ignorable = || report.open().filter(|violation| violation.contract.ignorable);
            let found = match Baseline::look_up(root, ignorable()) {
                Some(found) => Some(found),
                None => Baseline::read(root, Some(&Wanted::of(ignorable())))?,
            };
            Ok(found.map(Arc::new))
        }
    }
}
