//! What a denial adds when a contract denies the same file again and again: an example that passes, and the advice to ask
//! the user. The rationale is in every denial.

use super::CheckedCall;
use crate::decisions::repeats::EXPLAINED;
use phaser_core::contract::{Contract, Example};
use phaser_core::sanitize::{cut, inert};
use phaser_core::violation::Violation;
use phaser_project::packs;

/// The maximum number of contracts that are explained.
const MAX_CONTRACTS: usize = 2;

/// The maximum length of an example, in characters.
const MAX_EXAMPLE: usize = 800;

/// A denial and its number in the session.
pub(super) struct Repetition<'a> {
    pub contract: &'a Contract,
    /// The file or the command that is denied.
    pub what: &'a str,
    /// From 1.
    pub ordinal: usize,
}

/// The text for an edit.
pub(super) fn of_edit(open: &[&Violation], checked: CheckedCall<'_>) -> String {
    let paths: Vec<_> = open.iter().map(|violation| violation.path.to_text()).collect();
    text(open.iter().zip(&paths).map(|(violation, path)| Repetition {
        contract: &violation.contract,
        what: path,
        ordinal: checked.ordinal(violation),
    }))
}

/// The text, each line with a newline before it; empty unless a denial is a repeated one.
pub(super) fn text<'a>(denials: impl Iterator<Item = Repetition<'a>>) -> String {
    let mut repeated: Vec<Repetition<'_>> = Vec::new();
    for denial in denials {
        let is_known = |other: &Repetition<'_>| other.contract.id == denial.contract.id;
        if denial.ordinal >= EXPLAINED && !repeated.iter().any(is_known) {
            repeated.push(denial);
        }
    }
    let mut text = String::new();
    for Repetition { contract, what, ordinal } in repeated.into_iter().take(MAX_CONTRACTS) {
        let id = &contract.id;
        if let Some(example) = passing(contract) {
            text.push_str(&format!("\nExample that passes {id}:"));
            for line in cut(&example.shown(), MAX_EXAMPLE).lines() {
                text.push_str(&format!("\n    {}", inert(&line.replace('\t', "    "))));
            }
        }
        let what = inert(what).into_owned();
        let what = cut(&what, 300);
        text.push_str(&format!(
            "\n{id} has denied {what} {ordinal} times in this session. Do not try to get around it: ask the user how to proceed."
        ));
    }
    text
}

/// The first passing example of a contract. Hooks load contracts of packs without their examples.
fn passing(contract: &Contract) -> Option<Example> {
    if let Some(example) = contract.examples.passing.first() {
        return Some(example.clone());
    }
    let file = packs::of(contract)?.files().into_iter().find(|file| file.id == contract.id)?;
    let contract = Contract::from_yaml(file.text, format!("{}.yaml", file.id)).ok()?;
    contract.examples.passing.into_iter().next()
}
