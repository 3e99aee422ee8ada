//! Limits a SARIF log to the results GitHub accepts.

use phaser_core::contract::Severity;

/// GitHub rejects a run with more results.
pub(super) const MAX_RESULTS: usize = 25_000;

/// Selects up to [`MAX_RESULTS`] results in order, errors before warnings.
pub(super) struct ResultQuota {
    errors: usize,
    others: usize,
    omitted: usize,
}

impl ResultQuota {
    /// A quota for results of these severities.
    pub(super) fn of(severities: impl Iterator<Item = Severity>) -> Self {
        let (mut errors, mut others) = (0usize, 0usize);
        for severity in severities {
            *(if severity == Severity::Error { &mut errors } else { &mut others }) += 1;
        }
        Self::new(errors, others)
    }

    pub(super) fn new(errors: usize, others: usize) -> Self {
        let count = errors + others;
        let errors = errors.min(MAX_RESULTS);
        let others = others.min(MAX_RESULTS - errors);
        Self { errors, others, omitted: count - errors - others }
    }

    /// Whether to write the next result of this severity. Uses up the quota.
    pub(super) fn takes(&mut self, severity: Severity) -> bool {
        let left = if severity == Severity::Error { &mut self.errors } else { &mut self.others };
        let takes = *left > 0;
        *left = left.saturating_sub(1);
        takes
    }

    /// Whether the quota is used up.
    pub(super) fn is_complete(&self) -> bool {
        self.errors == 0 && self.others == 0
    }

    /// A note on the omitted results, if any.
    pub(super) fn omitted(&self) -> Option<String> {
        let count = self.omitted;
        (count > 0).then(|| format!("{count} results omitted: GitHub accepts at most {MAX_RESULTS}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quota_prefers_errors() {
        let severity = |line: usize| {
            if line.is_multiple_of(3) { Severity::Error } else { Severity::Warning }
        };
        let quota = |count: usize| {
            let mut quota = ResultQuota::of((1..=count).map(severity));
            (1..=count).filter(|line| quota.takes(severity(*line))).collect::<Vec<_>>()
        };
        let lines = quota(30_000);
        assert_eq!(lines.len(), MAX_RESULTS);
        assert_eq!(lines.iter().filter(|line| line.is_multiple_of(3)).count(), 10_000);
        assert_eq!(quota(25_000).len(), 25_000);
        assert_eq!(quota(90_000), (1..=75_000).filter(|line| line % 3 == 0).collect::<Vec<_>>());
    }
}
