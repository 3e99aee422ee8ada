//! Messages about added ignore directives and weakened enforcement. Each message is complete in itself: it may be all that
//! the model or the user sees.

use phaser_core::sanitize::{cut, printable};
use phaser_project::config::Policy;
use phaser_project::report::AddedIgnore;
use phaser_project::tool_call::Moment;

/// The maximum number of lines.
const MAX_LINES: usize = 20;

/// The maximum length of a line, in characters.
const MAX_LINE: usize = 300;

/// A change that a message is about.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub policy: Policy,
    pub moment: Moment,
    /// The configuration that has the policy.
    pub config: &'static str,
}

impl Change {
    /// The message about a change after which directives suppress further violations; `None` without any, or if the policy is
    /// `allow`.
    pub fn added_ignores(self, added: &[AddedIgnore]) -> Option<String> {
        let Self { policy, moment, config } = self;
        let line = |ignore: &AddedIgnore| {
            format!("{} at {}:{}", ignore.contract.id, printable(&ignore.path.to_text()), ignore.line)
        };
        let (what, it) = match (added, moment) {
            ([], _) => return None,
            ([one], Moment::Before) => (
                format!("this edit suppresses {} with an ignore directive.", cut(&line(one), MAX_LINE)),
                "it",
            ),
            ([one], Moment::After) => {
                (format!("{} is now suppressed by an ignore directive.", cut(&line(one), MAX_LINE)), "it")
            }
            (_, Moment::Before) => {
                ("this edit suppresses violations with ignore directives.".to_owned(), "them")
            }
            (_, Moment::After) => ("violations are now suppressed by ignore directives.".to_owned(), "them"),
        };
        let then = match (policy, moment) {
            (Policy::Allow, _) => return None,
            (Policy::Report, _) => format!(
                "This project reports {it} ('ignores: report' in {config}): explain in your reply why the code cannot be \
             fixed."
            ),
            (Policy::Ask, Moment::Before) => format!(
                "The user has to approve {it} in this project ('ignores: ask' in {config}): without approval, fix the code \
             and leave {it} out."
            ),
            (Policy::Deny, Moment::Before) => format!(
                "Only the user may add {it} in this project ('ignores: deny' in {config}): fix the code instead, or ask the \
             user to add {it}. Do not add {it} in another way."
            ),
            (Policy::Ask | Policy::Deny, Moment::After) => format!(
                "Only the user may approve {it} in this project ('ignores: {}' in {config}): remove {it} and fix the code, \
             or ask the user.",
                policy.as_str()
            ),
        };
        let text = format!("phaser: {what} {then}");
        Some(if added.len() == 1 { text } else { with_lines(&text, added.iter().map(line)) })
    }

    /// The message about a change of these files that weakens enforcement; `None` without any weakening, or if the policy is
    /// `allow`.
    pub fn weakened(self, files: &[String], weaker: &[String]) -> Option<String> {
        let what = match self.moment {
            Moment::Before => "this edit weakens enforcement",
            Moment::After => "enforcement was weakened",
        };
        self.about_enforcement(what, files, weaker)
    }

    /// The message about a change of these files that may have weakened enforcement, because their previous versions are not
    /// known.
    pub fn perhaps_weakened(self, files: &[String], changes: &[String]) -> Option<String> {
        self.about_enforcement("enforcement may have been weakened", files, changes)
    }

    fn about_enforcement(self, what: &str, files: &[String], lines: &[String]) -> Option<String> {
        let Self { policy, moment, config } = self;
        if lines.is_empty() {
            return None;
        }
        let files = match files {
            [] => String::new(),
            [one] => format!(" in {}", cut(&printable(one), MAX_LINE)),
            [one, others @ ..] => format!(" in {} and {} more", cut(&printable(one), MAX_LINE), others.len()),
        };
        let then = match (policy, moment) {
            (Policy::Allow, _) => return None,
            (Policy::Report, _) => format!(
                "This project reports it ('protect: report' in {config}): explain in your reply what you changed and why."
            ),
            (Policy::Ask, Moment::Before) => format!(
                "The user has to approve it ('protect: ask' in {config}): without approval, do not change contracts, \
             configuration, baseline or hooks; comply with them."
            ),
            (Policy::Deny, Moment::Before) => format!(
                "Only the user may do that ('protect: deny' in {config}): do not change contracts, configuration, baseline or \
             hooks; comply with them, or ask the user to make the change. Do not make it in another way."
            ),
            (Policy::Ask | Policy::Deny, Moment::After) => format!(
                "Only the user may approve it ('protect: {}' in {config}): undo the change, or ask the user.",
                policy.as_str()
            ),
        };
        Some(with_lines(&format!("phaser: {what}{files}. {then}"), lines.iter().cloned()))
    }
}

/// `text` followed by a list of at most [`MAX_LINES`] lines.
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
    use phaser_project::path::{CONFIG, RelPath, TOP_CONFIG};

    fn ignores(count: usize) -> Vec<AddedIgnore> {
        let contract = Arc::new(testing::contract(1, Check::NotExists));
        let one =
            |line| AddedIgnore { contract: Arc::clone(&contract), path: RelPath::from("src/a\n.py"), line };
        (1..=count).map(one).collect()
    }

    #[test]
    fn messages_are_complete_and_short() {
        let sentences = |count: usize| vec!["contract no-print is switched off".repeat(20); count];
        for moment in [Moment::Before, Moment::After] {
            for policy in [Policy::Report, Policy::Ask, Policy::Deny] {
                let change = Change { policy, moment, config: CONFIG };
                let both = |count: usize| {
                    let ignores = change.added_ignores(&ignores(count));
                    [ignores, change.weakened(&sentences(2), &sentences(count))]
                };
                for text in both(1).map(Option::unwrap_or_default) {
                    let first = text.lines().next().unwrap_or_default();
                    assert!(first.starts_with("phaser: ") && first.contains(CONFIG), "{text}");
                    assert!(first.len() <= 600 && first.contains(policy.as_str()), "{text}");
                    assert!(
                        policy == Policy::Report
                            || first.contains("the user ")
                            || first.contains("The user "),
                        "{text}"
                    );
                }
                for text in both(25).map(Option::unwrap_or_default) {
                    assert_eq!(text.lines().count(), 22, "{text}");
                    assert_eq!(text.lines().last(), Some("… and 5 more"));
                    assert!(text.chars().count() < 9_000);
                }
                assert_eq!(both(0), [None, None]);
            }
            let allowed = Change { policy: Policy::Allow, moment, config: CONFIG };
            assert_eq!(allowed.added_ignores(&ignores(1)), None);
            assert_eq!(allowed.weakened(&[], &sentences(1)), None);
        }
    }

    #[test]
    fn names_directive_with_location() {
        let change = |moment| Change { policy: Policy::Deny, moment, config: CONFIG };
        let text = |moment| change(moment).added_ignores(&ignores(1)).expect("something");
        assert_eq!(
            text(Moment::Before),
            "phaser: this edit suppresses c1 at src/a .py:1 with an ignore directive. Only the user may add it in this project \
             ('ignores: deny' in .claude/phaser.yaml): fix the code instead, or ask the user to add it. Do not add it in \
             another way."
        );
        assert_eq!(
            text(Moment::After),
            "phaser: c1 at src/a .py:1 is now suppressed by an ignore directive. Only the user may approve it in this project \
             ('ignores: deny' in .claude/phaser.yaml): remove it and fix the code, or ask the user."
        );
    }
    #[test]
    fn names_the_configuration_in_use() {
        let change = Change { policy: Policy::Ask, moment: Moment::After, config: TOP_CONFIG };
        let texts = [change.added_ignores(&ignores(1)), change.weakened(&[], &["x".to_owned()])];
        for text in texts.map(Option::unwrap_or_default) {
            assert!(text.contains("in phaser.yaml)"), "{text}");
        }
    }
}
