//! A progress bar that shows itself only when a run takes long: the only user of indicatif.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use phaser_project::scan::Watch;

/// A run shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far a run has come.
#[derive(Debug)]
pub struct Progress {
    visible: Visible,
    unit: &'static str,
    state: OnceLock<State>,
}

/// Is there anybody to show a bar to?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visible {
    /// Standard error is a terminal.
    Yes,
    /// It is not, or nobody asked for it.
    No,
}

#[derive(Debug)]
struct State {
    bar: ProgressBar,
    since: Instant,
}

impl Progress {
    /// A bar for a run that is about to start, which counts files.
    pub fn new(visible: Visible) -> Self {
        Self { visible, unit: "files", state: OnceLock::new() }
    }

    /// A bar that counts something else.
    pub fn of(unit: &'static str, visible: Visible) -> Self {
        Self { unit, ..Self::new(visible) }
    }
}

impl Watch for Progress {
    fn start(&self, steps: usize) {
        if self.visible == Visible::No {
            return;
        }
        self.state.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
            let template = format!("{{bar:40}} {{pos}}/{{len}} {}", self.unit);
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            State { bar, since: Instant::now() }
        });
    }

    fn advance(&self) {
        if let Some(state) = self.state.get() {
            state.bar.inc(1);
            if state.bar.is_hidden() && state.since.elapsed() > PATIENCE {
                state.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }

    fn finish(&self) {
        if let Some(state) = self.state.get() {
            state.bar.finish_and_clear();
        }
    }
}
