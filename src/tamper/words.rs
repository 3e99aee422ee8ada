//! What is said of edits that add ignore directives or weaken what is enforced: each text stands by itself, because it may
//! be all that the model or the person gets to read.

use phaser_core::sanitize::{cut, printable};
use phaser_project::config::Policy;
use phaser_project::path::CONFIG;
use phaser_project::report::AddedIgnore;
use phaser_project::tool_call::Moment;

/// How many lines there are at most.
const MAX_LINES: usize = 20;

/// The longest line, in characters.
const MAX_LINE: usize = 300;

/// What to say of a change that adds these ignore directives, before it is made or afterwards; nothing if there is nothing
/// to say.
pub fn of_ignores(policy: Policy, moment: Moment, added: &[AddedIgnore]) -> Option<String> {
    let line = |ignore: &AddedIgnore| {
        format!("{} at {}:{}", ignore.contract.id, printable(&ignore.path.to_text()), ignore.line)
    };
    let (what, it) = match (added, moment) {
        ([], _) => return None,
        ([one], Moment::Before) => {
            (format!("this edit adds an ignore directive for {}.", cut(&line(one), MAX_LINE)), "it")
        }
        ([one], Moment::After) => {
            (format!("an ignore directive was added for {}.", cut(&line(one), MAX_LINE)), "it")
        }
        (_, Moment::Before) => ("this edit adds ignore directives.".to_owned(), "them"),
        (_, Moment::After) => ("ignore directives were added.".to_owned(), "them"),
    };
    let then = match (policy, moment) {
        (Policy::Allow, _) => return None,
        (Policy::Report, _) => format!(
            "In this project people want to know of {it} ('ignores: report' in {CONFIG}): say in your answer why the \
             code cannot be mended."
        ),
        (Policy::Ask, Moment::Before) => format!(
            "In this project a person has to agree to {it} ('ignores: ask' in {CONFIG}). Without that, mend the code so \
             that the contract is kept, and leave {it} out."
        ),
        (Policy::Deny, Moment::Before) => format!(
            "In this project only a person adds {it} ('ignores: deny' in {CONFIG}): mend the code instead, or ask the \
             person to write {it}. Do not look for another way to add {it}."
        ),
        (Policy::Ask | Policy::Deny, Moment::After) => format!(
            "In this project a person decides about {it} ('ignores: {}' in {CONFIG}): take {it} out again and mend the \
             code, or ask the person first.",
            policy.as_str()
        ),
    };
    let text = format!("phaser: {what} {then}");
    Some(if added.len() == 1 { text } else { with_lines(&text, added.iter().map(line)) })
}

/// What to say of a change of these files that weakens what is enforced, before it is made or afterwards; nothing if there
/// is nothing to say.
pub fn of_weakening(policy: Policy, moment: Moment, files: &[String], weaker: &[String]) -> Option<String> {
    if weaker.is_empty() {
        return None;
    }
    let files = match files {
        [] => String::new(),
        [one] => format!(" in {}", cut(&printable(one), MAX_LINE)),
        [one, others @ ..] => format!(" in {} and {} more", cut(&printable(one), MAX_LINE), others.len()),
    };
    let what = match moment {
        Moment::Before => format!("this weakens what is enforced{files}"),
        Moment::After => format!("what is enforced was weakened{files}"),
    };
    let then = match (policy, moment) {
        (Policy::Allow, _) => return None,
        (Policy::Report, _) => format!(
            "People want to know of it ('protect: report' in {CONFIG}): say in your answer what was changed and why."
        ),
        (Policy::Ask, Moment::Before) => format!(
            "A person has to agree to that ('protect: ask' in {CONFIG}). Without it, leave contracts, configuration, \
             baseline and hooks as they are, and keep to them."
        ),
        (Policy::Deny, Moment::Before) => format!(
            "Only a person does that ('protect: deny' in {CONFIG}). Leave contracts, configuration, baseline and hooks as \
             they are, and keep to them; or ask the person to make the change. Do not look for another way to make it."
        ),
        (Policy::Ask | Policy::Deny, Moment::After) => format!(
            "A person decides about that ('protect: {}' in {CONFIG}): undo the change, or ask the person first.",
            policy.as_str()
        ),
    };
    Some(with_lines(&format!("phaser: {what}. {then}"), weaker.iter().cloned()))
}

/// A text and some lines below it.
fn with_lines(text: &str, lines: impl ExactSizeIterator<Item = String>) -> String {
    let count = lines.len();
    let mut all = vec![text.to_owned()];
    all.extend(lines.take(MAX_LINES).map(|line| format!("- {}", cut(&line, MAX_LINE))));
    if count > MAX_LINES {
        all.push(format!("… and {} more", count - MAX_LINES));
    }
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use phaser_core::contract::Check;
    use phaser_core::testing;
    use phaser_project::path::RelPath;

    fn ignores(count: usize) -> Vec<AddedIgnore> {
        let contract = Arc::new(testing::contract(1, Check::NotExists));
        let one =
            |line| AddedIgnore { contract: Arc::clone(&contract), path: RelPath::from("src/a\n.py"), line };
        (1..=count).map(one).collect()
    }

    #[test]
    fn a_text_stands_by_itself_and_is_short() {
        let sentences = |count: usize| vec!["contract no-print is switched off".repeat(20); count];
        for moment in [Moment::Before, Moment::After] {
            for policy in [Policy::Report, Policy::Ask, Policy::Deny] {
                let both = |count: usize| {
                    let ignores = of_ignores(policy, moment, &ignores(count));
                    [ignores, of_weakening(policy, moment, &sentences(2), &sentences(count))]
                };
                for text in both(1).map(Option::unwrap_or_default) {
                    let first = text.lines().next().unwrap_or_default();
                    assert!(first.starts_with("phaser: ") && first.contains(CONFIG), "{text}");
                    assert!(first.len() <= 600 && first.contains(policy.as_str()), "{text}");
                    assert!(policy == Policy::Report || first.contains(" person "), "{text}");
                }
                for text in both(25).map(Option::unwrap_or_default) {
                    assert_eq!(text.lines().count(), 22, "{text}");
                    assert_eq!(text.lines().last(), Some("… and 5 more"));
                    assert!(text.chars().count() < 9_000);
                }
                assert_eq!(both(0), [None, None]);
            }
            assert_eq!(of_ignores(Policy::Allow, moment, &ignores(1)), None);
            assert_eq!(of_weakening(Policy::Allow, moment, &[], &sentences(1)), None);
        }
    }

    #[test]
    fn a_directive_is_named_with_its_place() {
        let text = |moment| of_ignores(Policy::Deny, moment, &ignores(1)).expect("something");
        assert_eq!(
            text(Moment::Before),
            "phaser: this edit adds an ignore directive for c1 at src/a .py:1. In this project only a person adds it \
             ('ignores: deny' in .claude/phaser.yaml): mend the code instead, or ask the person to write it. Do not look \
             for another way to add it."
        );
        assert_eq!(
            text(Moment::After),
            "phaser: an ignore directive was added for c1 at src/a .py:1. In this project a person decides about it \
             ('ignores: deny' in .claude/phaser.yaml): take it out again and mend the code, or ask the person first."
        );
    }
}
