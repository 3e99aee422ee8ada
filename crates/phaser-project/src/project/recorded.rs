//! The baseline of a check, read as late as possible.

use std::sync::Arc;

use crate::baseline::Baseline;
use crate::path::Root;
use crate::report::Report;
use phaser_core::contract::Warning;

/// The baseline of a check.
#[derive(Debug, Clone, Default)]
pub enum Recorded {
    /// None.
    #[default]
    Nowhere,
    /// Read before the check.
    In(Arc<Baseline>),
    /// Read when an open violation exists, and only validated otherwise. A broken file is a warning: hooks use this.
    InFile,
}

/// The baseline, unless no violation is open.
pub(super) fn recorded(
    recorded: &Recorded,
    root: &Root,
    report: &Report,
) -> Result<Option<Arc<Baseline>>, Warning> {
    match recorded {
        Recorded::Nowhere => Ok(None),
        Recorded::In(baseline) => Ok(Some(Arc::clone(baseline))),
        Recorded::InFile if report.open().next().is_none() => Baseline::problem(root).map_or(Ok(None), Err),
        Recorded::InFile => Ok(Baseline::read(root)?.map(Arc::new)),
    }
}
