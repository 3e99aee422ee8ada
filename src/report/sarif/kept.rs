//! As many results as GitHub takes.

use phaser_core::contract::Severity;

/// GitHub refuses a run with more results.
pub(super) const MAX_RESULTS: usize = 25_000;

/// Which results are kept: errors rather than warnings.
pub(super) struct Kept {
    errors: usize,
    others: usize,
    left_out: usize,
}

impl Kept {
    /// Of results of these severities.
    pub(super) fn of(severities: impl Iterator<Item = Severity>) -> Self {
        let (mut errors, mut others) = (0usize, 0usize);
        for severity in severities {
            *(if severity == Severity::Error { &mut errors } else { &mut others }) += 1;
        }
        Self::new(errors, others)
    }

    /// Of so many results.
    pub(super) fn new(errors: usize, others: usize) -> Self {
        let count = errors + others;
        let errors = errors.min(MAX_RESULTS);
        let others = others.min(MAX_RESULTS - errors);
        Self { errors, others, left_out: count - errors - others }
    }

    /// Is the next result of this severity to be written?
    pub(super) fn takes(&mut self, severity: Severity) -> bool {
        let left = if severity == Severity::Error { &mut self.errors } else { &mut self.others };
        let takes = *left > 0;
        *left = left.saturating_sub(1);
        takes
    }

    /// Have all results been written that are kept?
    pub(super) fn is_complete(&self) -> bool {
        self.errors == 0 && self.others == 0
    }

    /// What there is to say about those that are not.
    pub(super) fn left_out(&self) -> Option<String> {
        let count = self.left_out;
        let said = || format!("{count} results were left out, because GitHub takes {MAX_RESULTS} at most");
        (count > 0).then(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn github_gets_no_more_than_it_takes_and_errors_rather_than_warnings() {
        let severity = |line: usize| {
            if line.is_multiple_of(3) { Severity::Error } else { Severity::Warning }
        };
        let kept = |count: usize| {
            let mut kept = Kept::of((1..=count).map(severity));
            (1..=count).filter(|line| kept.takes(severity(*line))).collect::<Vec<_>>()
        };
        let lines = kept(30_000);
        assert_eq!(lines.len(), MAX_RESULTS);
        assert_eq!(lines.iter().filter(|line| line.is_multiple_of(3)).count(), 10_000);
        assert_eq!(kept(25_000).len(), 25_000);
        assert_eq!(kept(90_000), (1..=75_000).filter(|line| line % 3 == 0).collect::<Vec<_>>());
    }
}
