//! Overrides for some files, before and after: whether some file gets less of a contract.
//!
//! Later ones win, so that their order matters. Adding one that only makes a contract stricter, and taking one out that only
//! makes it weaker, weakens nothing, wherever they stand; every other change does.

use super::quoted;
use phaser_core::contract::scope::FileOverride;
use phaser_core::contract::{Contract, Severity};

/// What a contract is where no override for some files says anything, and these overrides; later ones win.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) severity: Severity,
    pub(super) enabled: bool,
    pub(super) cases: &'a [FileOverride],
}

impl<'a> Reach<'a> {
    pub(super) fn of(contract: &'a Contract) -> Self {
        Self { severity: contract.severity, enabled: contract.enabled, cases: contract.scope.overrides() }
    }

    /// Is it as bad as this for every file?
    fn is_always(&self, severity: Severity) -> bool {
        self.severity == severity
            && self.cases.iter().all(|case| case.change.severity.is_none_or(|it| it == severity))
    }

    /// Is it switched on for every file?
    fn is_always_on(&self) -> bool {
        self.enabled && self.cases.iter().all(|case| case.change.enabled != Some(false))
    }
}

/// How many pairs of overrides are compared; more have to be the same.
const MAX_PAIRS: usize = 10_000;

/// What is weaker for some files, as the end of a sentence.
pub(super) fn weaker(was: Reach, is: Reach) -> Option<String> {
    let (mut old, mut new) = (was.cases, is.cases);
    while let ([one, old_rest @ ..], [other, new_rest @ ..]) = (old, new)
        && one == other
    {
        (old, new) = (old_rest, new_rest);
    }
    while let ([old_rest @ .., one], [new_rest @ .., other]) = (old, new)
        && one == other
    {
        (old, new) = (old_rest, new_rest);
    }
    // What was a warning everywhere cannot become less, and what is an error everywhere is no less.
    let (always_warning, always_error) = (was.is_always(Severity::Warning), is.is_always(Severity::Error));
    let always_on = is.is_always_on();
    let lowers = |case: &FileOverride| {
        case.change.enabled == Some(false)
            || (case.change.severity == Some(Severity::Warning) && !always_warning)
    };
    let raises = |case: &FileOverride| {
        (case.change.severity == Some(Severity::Error) && !always_error)
            || (case.change.enabled == Some(true) && !always_on)
    };
    if old.len().saturating_mul(new.len()) <= MAX_PAIRS && aligned(old, new, &raises, &lowers) {
        return None;
    }
    let added = new.iter().find(|case| lowers(case) && !old.contains(case));
    let dropped = old.iter().find(|case| raises(case) && !new.contains(case));
    Some(match (added, dropped) {
        (Some(case), _) if case.change.enabled == Some(false) => {
            format!("is switched off by an override{}", files(case))
        }
        (Some(case), _) => format!("is made a warning by an override{}", files(case)),
        (None, Some(case)) => format!("has lost the override that made it stricter{}", files(case)),
        (None, None) => "has its overrides in another order".to_owned(),
    })
}

fn files(case: &FileOverride) -> String {
    let globs: Vec<&str> = case.files.globs.iter().map(phaser_glob::Glob::as_str).collect();
    match globs.as_slice() {
        [] => String::new(),
        globs => format!(" for {}", quoted(&globs.join(", "))),
    }
}

/// Is one list of overrides the other one, but for some taken out that raise nothing, and some added that lower nothing?
fn aligned(
    old: &[FileOverride],
    new: &[FileOverride],
    raises: &dyn Fn(&FileOverride) -> bool,
    lowers: &dyn Fn(&FileOverride) -> bool,
) -> bool {
    // Whether the rest of `old` from a place on can become the rest of `new`, for one place in `old` after another.
    let mut later: Vec<bool> = vec![false; new.len() + 1];
    for from_old in (0..=old.len()).rev() {
        let mut row = vec![false; new.len() + 1];
        for from_new in (0..=new.len()).rev() {
            let (one, other) = (old.get(from_old), new.get(from_new));
            row[from_new] = match (one, other) {
                (None, None) => true,
                (one, other) => {
                    let both = one.is_some() && one == other && later[from_new + 1];
                    let drop = one.is_some_and(|one| !raises(one)) && later[from_new];
                    let add = other.is_some_and(|other| !lowers(other)) && row[from_new + 1];
                    both || drop || add
                }
            };
        }
        later = row;
    }
    later[0]
}
