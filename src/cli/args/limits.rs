//! How much a check may do: the same for every command that checks files.

use std::time::Duration;

use clap::Args;

use super::values;
use phaser_project::project::Options;

/// The usual ones, as they are written.
const TIMEOUT: &str = "100";
const MAX_FILE_SIZE: &str = "10MB";

#[derive(Debug, Clone, Copy, Args)]
pub struct Limits {
    /// How much a pattern that backtracks may do on a file: what takes about so many milliseconds
    #[arg(long, value_name = "MS", default_value = TIMEOUT, value_parser = values::milliseconds)]
    timeout: u64,

    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<u16>,

    /// Do not read files larger than this: bytes, or with k, M or G
    #[arg(long, value_name = "SIZE", default_value = MAX_FILE_SIZE, value_parser = values::size)]
    pub max_file_size: u64,
}

impl Limits {
    /// The usual ones.
    pub(super) fn usual() -> Option<Self> {
        let timeout = values::milliseconds(TIMEOUT).ok()?;
        Some(Self { timeout, threads: None, max_file_size: values::size(MAX_FILE_SIZE).ok()? })
    }

    /// The same with another time, as it is written.
    pub(super) fn with_timeout(self, written: &str) -> Option<Self> {
        Some(Self { timeout: values::milliseconds(written).ok()?, ..self })
    }

    /// How long a pattern may take on a file.
    pub fn timeout(self) -> Duration {
        Duration::from_millis(self.timeout)
    }

    /// A check within these limits.
    pub fn options(self) -> Options {
        let Self { threads, max_file_size, .. } = self;
        Options {
            timeout: self.timeout(),
            threads: threads.map(usize::from),
            max_file_size,
            ..Options::default()
        }
    }
}
