//! A progress bar that appears after half a second. The only user of indicatif.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use phaser_project::scan::ProgressSink;

/// Time before the bar appears.
const DELAY: Duration = Duration::from_millis(500);

/// The progress bar of one run.
#[derive(Debug)]
pub struct Progress {
    visible: bool,
    unit: &'static str,
    /// The bar and the time of its start.
    state: OnceLock<(ProgressBar, Instant)>,
}

impl Progress {
    /// A bar that counts files.
    pub fn new(visible: bool) -> Self {
        Self { visible, unit: "files", state: OnceLock::new() }
    }

    /// A bar that counts `unit`, a plural noun.
    pub fn of(unit: &'static str, visible: bool) -> Self {
        Self { unit, ..Self::new(visible) }
    }
}

impl ProgressSink for Progress {
    fn start(&self, steps: usize) {
        if !self.visible {
            return;
        }
        self.state.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
            let template = format!("{{bar:40}} {{pos}}/{{len}} {}", self.unit);
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            (bar, Instant::now())
        });
    }

    fn advance(&self) {
        if let Some((bar, since)) = self.state.get() {
            bar.inc(1);
            if bar.is_hidden() && since.elapsed() > DELAY {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }

    fn finish(&self) {
        if let Some((bar, _)) = self.state.get() {
            bar.finish_and_clear();
        }
    }
}
