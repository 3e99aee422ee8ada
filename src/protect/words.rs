//! What is said of edits that add ignore directives or weaken what is enforced: each text stands by itself, because it may
//! be all that the model or the person gets to read.

use crate::config::Policy;
use crate::contract::printable;
use crate::outcome::AddedIgnore;
use crate::path::CONFIG;

/// How many lines there are at most.
const MAX_LINES: usize = 20;

/// The longest line, in characters.
const MAX_LINE: usize = 300;

/// What to say of an edit that adds these ignore directives; nothing if there is nothing to say.
pub fn of_ignores(policy: Policy, added: &[AddedIgnore]) -> Option<String> {
    let line = |ignore: &AddedIgnore| {
        format!("{} at {}:{}", ignore.contract.id, printable(&ignore.path.to_text()), ignore.line)
    };
    let (one, a, it) = match added {
        [] => return None,
        [_] => (true, "an ignore directive", "it"),
        _ => (false, "ignore directives", "them"),
    };
    let what = match one {
        true => format!("phaser: this edit adds {a} for {}.", cut(&line(&added[0]))),
        false => format!("phaser: this edit adds {a}."),
    };
    let what = match policy {
        Policy::Allow => return None,
        Policy::Report => format!(
            "{what} In this project people want to know of {it} ('ignores: report' in {CONFIG}): say in your \
             answer why the code cannot be mended."
        ),
        Policy::Ask => format!(
            "{what} In this project a person has to agree to {it} ('ignores: ask' in {CONFIG}). Without that, mend the \
             code so that the contract is kept, and leave the directive out."
        ),
        Policy::Deny => format!(
            "{what} In this project only a person adds {it} ('ignores: deny' in {CONFIG}): mend the code instead, \
             or ask the person to write the directive. Do not look for another way to add {it}."
        ),
    };
    Some(if one { what } else { with_lines(&what, added.iter().map(line)) })
}

/// What to say of a change that weakens what is enforced; nothing if there is nothing to say.
pub fn of_weakening(policy: Policy, weaker: &[String]) -> Option<String> {
    if weaker.is_empty() {
        return None;
    }
    let what = match policy {
        Policy::Allow => return None,
        Policy::Report => format!(
            "phaser: this weakens what is enforced in this project, and people want to know of it ('protect: report' in \
             {CONFIG}): say in your answer what you changed and why."
        ),
        Policy::Ask => format!(
            "phaser: this weakens what is enforced in this project, so a person has to agree ('protect: ask' in {CONFIG}). \
             Without that, leave contracts, configuration, baseline and hooks as they are, and keep to them."
        ),
        Policy::Deny => format!(
            "phaser: this weakens what is enforced in this project, which only a person does ('protect: deny' in \
             {CONFIG}). Leave contracts, configuration, baseline and hooks as they are, and keep to them; or ask the \
             person to make the change. Do not look for another way to make it."
        ),
    };
    Some(with_lines(&what, weaker.iter().cloned()))
}

/// A text and some lines below it.
fn with_lines(text: &str, lines: impl ExactSizeIterator<Item = String>) -> String {
    let count = lines.len();
    let mut all = vec![text.to_owned()];
    all.extend(lines.take(MAX_LINES).map(|line| format!("- {}", cut(&line))));
    if count > MAX_LINES {
        all.push(format!("… and {} more", count - MAX_LINES));
    }
    all.join("\n")
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::Check;
    use crate::matcher::oracle;
    use crate::path::RelPath;

    fn ignores(count: usize) -> Vec<AddedIgnore> {
        let contract = Arc::new(oracle::contract(1, Check::NotExists));
        let one =
            |line| AddedIgnore { contract: Arc::clone(&contract), path: RelPath::from("src/a\n.py"), line };
        (1..=count).map(one).collect()
    }

    #[test]
    fn a_text_stands_by_itself_and_is_short() {
        let sentences = |count: usize| vec!["contract no-print is switched off".repeat(20); count];
        for policy in [Policy::Report, Policy::Ask, Policy::Deny] {
            for text in [of_ignores(policy, &ignores(1)), of_weakening(policy, &sentences(1))] {
                let text = text.expect("something");
                let first = text.lines().next().unwrap_or_default();
                assert!(first.starts_with("phaser: this ") && first.contains(CONFIG), "{text}");
                assert!(first.len() <= 600 && first.contains(policy.as_str()), "{text}");
                assert!(
                    policy == Policy::Report || first.contains("a person") || first.contains("the person")
                );
            }
            for text in [of_ignores(policy, &ignores(25)), of_weakening(policy, &sentences(25))] {
                let text = text.expect("something");
                assert_eq!(text.lines().count(), 22, "{text}");
                assert_eq!(text.lines().last(), Some("… and 5 more"));
                assert!(text.chars().count() < 9_000);
            }
            assert_eq!((of_ignores(policy, &[]), of_weakening(policy, &[])), (None, None));
        }
        let allowed = (of_ignores(Policy::Allow, &ignores(1)), of_weakening(Policy::Allow, &sentences(1)));
        assert_eq!(allowed, (None, None));
    }

    #[test]
    fn a_directive_is_named_with_its_place() {
        let text = of_ignores(Policy::Deny, &ignores(1)).expect("something");
        assert_eq!(
            text,
            "phaser: this edit adds an ignore directive for c1 at src/a .py:1. In this project only a person adds it \
             ('ignores: deny' in .claude/phaser.yaml): mend the code instead, or ask the person to write the directive. \
             Do not look for another way to add it."
        );
    }
}
