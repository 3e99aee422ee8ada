//! What a model is told about an edit that was mended: it believes that it wrote something else.

use super::{MAX_TEXT, Mended};
use crate::in_flight::{Amended, MendedFile};
use crate::report::redact::is_secret;
use phaser_core::fix::Applied;
use phaser_core::sanitize::{head, inert};

/// The most changes that are quoted.
const MAX_QUOTED: usize = 20;

/// The most characters of a text that is quoted.
const MAX_QUOTE: usize = 160;

const BEFORE: &str = "phaser changed your edit before it was made, so that it keeps the project's contracts:";
const AFTER: &str = "The file has the new text: quote that if you edit the place again.";

/// What a call is to do instead, which is otherwise refused for this reason.
pub(super) fn mended(amended: &Amended, otherwise: String) -> Mended {
    Mended { changes: amended.changes.clone(), told: words(amended), otherwise }
}

/// What was changed, in words.
fn words(amended: &Amended) -> String {
    let line = |file: &MendedFile, applied: &Applied| {
        let Applied { contract, line, old, new } = applied;
        let path = file.path.to_text();
        let change = match is_secret(contract) {
            true => "changed".to_owned(),
            false => format!("{} → {}", quoted(old), quoted(new)),
        };
        format!("{}:{line} {}: {change}", inert(&path), contract.id)
    };
    let applied = amended.files.iter().flat_map(|file| file.applied.iter().map(move |one| (file, one)));
    let all = applied.clone().count();
    let mut lines: Vec<String> = applied.take(MAX_QUOTED).map(|(file, one)| line(file, one)).collect();
    loop {
        let rest = match all - lines.len() {
            0 => String::new(),
            more => format!("… and {more} more\n"),
        };
        let text = format!("{BEFORE}\n{}\n{rest}{AFTER}", lines.join("\n"));
        if text.chars().count() <= MAX_TEXT || lines.pop().is_none() {
            return text;
        }
    }
}

/// A text in quotes on one line, cut if it is long.
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

    fn amended(contract: Contract, old: &str, count: usize) -> Amended {
        let contract = Arc::new(contract);
        let applied = Applied { contract, line: 3, old: old.to_owned(), new: "b\"".to_owned() };
        let file = MendedFile { path: RelPath::from("src/a.py"), applied: vec![applied; count] };
        Amended { changes: Vec::new(), files: vec![file] }
    }

    #[test]
    fn each_change_is_quoted_and_the_rest_is_counted() {
        let words = words(&amended(contract(0, Check::NotExists), "a\n", 22));
        let lines: Vec<&str> = words.lines().collect();
        assert_eq!(lines[1], r#"src/a.py:3 c0: "a\n" → "b\"""#);
        assert_eq!((lines.len(), lines[21]), (23, "… and 2 more"));
        let long = super::words(&amended(contract(0, Check::NotExists), &"\u{1}".repeat(1000), 22));
        assert!(long.chars().count() <= MAX_TEXT && long.contains("… and "), "{}", long.len());
    }

    #[test]
    fn a_secret_is_not_quoted() {
        let secret = Contract { tags: vec!["secret".to_owned()], ..contract(0, Check::NotExists) };
        let words = words(&amended(secret, "hunter2", 1));
        assert!(words.contains("c0: changed") && !words.contains("hunter2"), "{words}");
    }
}
