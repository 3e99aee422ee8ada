//! Choices on the command line that become choices of other modules.

use clap::ValueEnum;

use crate::agent::OnClean;
use crate::scan::Existing;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExistingArg {
    /// They count like all others
    Deny,
    /// Only what a change brings in counts; they are counted, and told when the change touches their lines
    Report,
}

impl From<ExistingArg> for Existing {
    fn from(arg: ExistingArg) -> Self {
        match arg {
            ExistingArg::Deny => Self::Deny,
            ExistingArg::Report => Self::Report,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnCleanArg {
    Allow,
    Defer,
}

impl From<OnCleanArg> for OnClean {
    fn from(arg: OnCleanArg) -> Self {
        match arg {
            OnCleanArg::Allow => Self::Allow,
            OnCleanArg::Defer => Self::Defer,
        }
    }
}
