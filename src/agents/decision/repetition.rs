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

/// The text, each line with a newline before it; empty unless a denial is a repeated one.
pub(super) fn text(open: &[&Violation], checked: CheckedCall<'_>) -> String {
    let mut repeated: Vec<(&Violation, usize)> = Vec::new();
    for violation in open {
        let ordinal = checked.ordinal(violation);
        let is_known = |(other, _): &(&Violation, usize)| other.contract.id == violation.contract.id;
        if ordinal >= EXPLAINED && !repeated.iter().any(is_known) {
            repeated.push((violation, ordinal));
        }
    }
    let mut text = String::new();
    for (violation, ordinal) in repeated.into_iter().take(MAX_CONTRACTS) {
        let (id, path) = (&violation.contract.id, violation.path.to_text());
        if let Some(example) = passing(&violation.contract) {
            text.push_str(&format!("\nExample that passes {id}:"));
            for line in cut(example.text.trim_end(), MAX_EXAMPLE).lines() {
                text.push_str(&format!("\n    {}", inert(&line.replace('\t', "    "))));
            }
        }
        let path = inert(&path).into_owned();
        let path = cut(&path, 300);
        text.push_str(&format!(
            "\n{id} has denied {path} {ordinal} times in this session. Do not try to get around it: ask the user how to proceed."
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
