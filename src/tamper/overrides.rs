//! Overrides of a contract for some files, before and after a change: whether the contract is weaker for any file.
//!
//! Later overrides win, so their order matters. Two changes are harmless at any position: adding an override that only makes
//! the contract stricter, and removing one that only makes it weaker. Every other change is weaker.

use super::quoted;
use phaser_core::contract::scope::FileOverride;
use phaser_core::contract::{Contract, Severity};

/// Whether a contract has this severity for every file.
fn is_always(contract: &Contract, severity: Severity) -> bool {
    let cases = contract.scope.overrides();
    contract.severity == severity
        && cases.iter().all(|case| case.change.severity.is_none_or(|it| it == severity))
}

/// The maximum number of pairs compared. Longer lists have to be equal.
const MAX_PAIRS: usize = 10_000;

/// How the contract is weaker for some files, as the predicate of a sentence.
pub(super) fn weaker(was: &Contract, is: &Contract) -> Option<String> {
    let (mut old, mut new) = (was.scope.overrides(), is.scope.overrides());
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
    // A warning everywhere cannot become weaker; an error everywhere is not weaker.
    let (always_warning, always_error) = (is_always(was, Severity::Warning), is_always(is, Severity::Error));
    let always_on = is.enabled && is.scope.overrides().iter().all(|case| case.change.enabled != Some(false));
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

/// Whether `old` becomes `new` by removing overrides that raise nothing and adding overrides that lower nothing. Dynamic
/// programming over pairs of positions.
fn aligned(
    old: &[FileOverride],
    new: &[FileOverride],
    raises: &dyn Fn(&FileOverride) -> bool,
    lowers: &dyn Fn(&FileOverride) -> bool,
) -> bool {
    // `later[n]`: whether `old[from_old + 1..]` can become `new[n..]`.
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
