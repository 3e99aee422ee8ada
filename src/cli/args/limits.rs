//! Limits on time, threads and file size, shared by the commands that check files.

use std::time::Duration;

use clap::Args;

use super::values::{self, Size};
use phaser_project::project::{MAX_FILE_SIZE, Options, TIMEOUT};

#[derive(Debug, Clone, Copy, Args)]
pub struct LimitArgs {
    /// Limit a backtracking pattern's work per file, in ms
    #[arg(long, value_name = "MS", default_value_t = milliseconds(TIMEOUT), value_parser = values::milliseconds)]
    timeout: u64,

    /// Use N threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<u16>,

    /// Skip larger files; bytes, or with k, M or G
    #[arg(long, value_name = "SIZE", default_value_t = Size(MAX_FILE_SIZE), value_parser = values::size)]
    max_file_size: Size,
}

impl Default for LimitArgs {
    fn default() -> Self {
        Self { timeout: milliseconds(TIMEOUT), threads: None, max_file_size: Size(MAX_FILE_SIZE) }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl LimitArgs {
    /// Sets the timeout to the value of `--timeout`; `None` if it is invalid.
    pub(super) fn with_timeout(self, written: &str) -> Option<Self> {
        Some(Self { timeout: values::milliseconds(written).ok()?, ..self })
    }

    /// The time limit of a pattern per file.
    pub fn timeout(self) -> Duration {
        Duration::from_millis(self.timeout)
    }

    /// The largest file that is read, in bytes.
    pub fn max_file_size(self) -> u64 {
        self.max_file_size.0
    }

    /// Default options with these limits.
    pub fn options(self) -> Options {
        Options {
            timeout: self.timeout(),
            threads: self.threads.map(usize::from),
            max_file_size: self.max_file_size(),
            ..Options::default()
        }
    }
}
