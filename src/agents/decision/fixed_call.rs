//! The explanation of an edit that was fixed before it was made. The model needs it, because the file differs from what it
//! wrote.

use super::{FixedCall, MAX_TEXT};
use crate::in_flight::{FixedFile, RewrittenCall};
use crate::report::redact::is_secret;
use phaser_core::fix::Applied;
use phaser_core::sanitize::{head, inert};

/// The maximum number of fixes listed.
const MAX_QUOTED: usize = 20;

/// The maximum length of a quoted text, in characters.
const MAX_QUOTE: usize = 160;

const HEADING: &str = "phaser fixed contract violations in your edit before it was made:";
const HINT: &str = "The file has the fixed text; use it in further edits.";

pub(super) fn new(rewritten_call: &RewrittenCall, denial: String) -> FixedCall {
    FixedCall { changes: rewritten_call.changes.clone(), explanation: explanation(rewritten_call), denial }
}

/// One line per fix: `src/a.py:3 no-none: "== None" → "is None"`. Secrets are not quoted.
fn explanation(rewritten_call: &RewrittenCall) -> String {
    let line = |file: &FixedFile, applied: &Applied| {
        let Applied { contract, line, old, new } = applied;
        let path = file.path.to_text();
        let change = match is_secret(contract) {
            true => "changed".to_owned(),
            false => format!("{} → {}", quoted(old), quoted(new)),
        };
        format!("{}:{line} {}: {change}", inert(&path), contract.id)
    };
    let applied =
        rewritten_call.files.iter().flat_map(|file| file.applied.iter().map(move |one| (file, one)));
    let all = applied.clone().count();
    let mut lines: Vec<String> = applied.take(MAX_QUOTED).map(|(file, one)| line(file, one)).collect();
    loop {
        let rest = match all - lines.len() {
            0 => String::new(),
            more => format!("… and {more} more\n"),
        };
        let text = format!("{HEADING}\n{}\n{rest}{HINT}", lines.join("\n"));
        if text.chars().count() <= MAX_TEXT || lines.pop().is_none() {
            return text;
        }
    }
}

/// `text` in quotes, escaped, cut if it is long.
fn quoted(text: &str) -> String {
    head(text, MAX_QUOTE).map_or_else(|| format!("{text:?}"), |head| format!("{head:?}…"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use phaser_core::contract::{Check, Contract};
    use phaser_core::testing::contract;
    use phaser_project::path::RelPath;

    fn rewritten_call(contract: Contract, old: &str, count: usize) -> RewrittenCall {
        let contract = Arc::new(contract);
        let applied = Applied { contract, line: 3, old: old.to_owned(), new: "b\"".to_owned() };
        let file = FixedFile { path: RelPath::from("src/a.py"), applied: vec![applied; count] };
        RewrittenCall { changes: Vec::new(), files: vec![file] }
    }

    #[test]
    fn quotes_each_fix_and_counts_rest() {
        let text = explanation(&rewritten_call(contract(0, Check::NotExists), "a\n", 22));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], r#"src/a.py:3 c0: "a\n" → "b\"""#);
        assert_eq!((lines.len(), lines[21]), (23, "… and 2 more"));
        let long = explanation(&rewritten_call(contract(0, Check::NotExists), &"\u{1}".repeat(1000), 22));
        assert!(long.chars().count() <= MAX_TEXT && long.contains("… and "), "{}", long.len());
    }

    #[test]
    fn does_not_quote_secrets() {
        let secret = Contract { tags: vec!["secret".to_owned()], ..contract(0, Check::NotExists) };
        let text = explanation(&rewritten_call(secret, "hunter2", 1));
        assert!(text.contains("c0: changed") && !text.contains("hunter2"), "{text}");
    }
}
