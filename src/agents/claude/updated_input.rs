//! Claude Code's response to a call with fixed changes: the whole tool input with the fixed text (`updatedInput`) and no
//! decision, so that Claude Code's permission rules apply as usual.

use serde_json::{Map, Value};

use crate::agents::decision::{FixedCall, FixedCommand, MAX_TEXT};
use crate::agents::mcp::CONTENTS;
use phaser_hook::{PreToolUseResponse, Response, ToolInput, UpdatedInput};
use phaser_project::tool_call::{Rewrite, TextEdit};

/// The response with the fixed text, or `None` if the tool's input has no key for it.
pub(super) fn response(input: ToolInput<'_>, fixed: &FixedCall, context: Option<&str>) -> Option<Response> {
    let [change] = fixed.changes.as_slice() else { return None };
    let (names, text): (&[&str], &str) = match &change.rewrite {
        Rewrite::Whole(content) => (&CONTENTS, content),
        Rewrite::Cell(cell) => (&["new_source", "newSource"], &cell.source),
        Rewrite::Edits { edits, .. } => match edits.as_slice() {
            [TextEdit { new, .. }] => (&["new_string", "newString", "new_str", "newStr"], new),
            _ => return None,
        },
        Rewrite::Patch(_) | Rewrite::Removal | Rewrite::Unknown => return None,
    };
    let known = input.as_map()?;
    // The spelling in the event: Claude Code drops unknown keys.
    let name = names.iter().find(|name| known.get(**name).is_some_and(Value::is_string))?;
    let update = Map::from_iter([((*name).to_owned(), Value::from(text))]);
    let updated = UpdatedInput::merge(input, update);
    let response = PreToolUseResponse::undecided().with_updated_input(updated).ok()?;
    let context =
        [Some(fixed.explanation.as_str()), context].into_iter().flatten().collect::<Vec<_>>().join("\n");
    Some(response.with_context(context.chars().take(MAX_TEXT).collect::<String>()).into())
}

/// The response with another command.
pub(super) fn command_response(
    input: ToolInput<'_>,
    fixed: &FixedCommand,
    context: Option<&str>,
) -> Option<Response> {
    let update = Map::from_iter([("command".to_owned(), Value::from(fixed.line.as_str()))]);
    let updated = UpdatedInput::merge(input, update);
    let response = PreToolUseResponse::undecided().with_updated_input(updated).ok()?;
    let texts = [Some(fixed.explanation.as_str()), context].into_iter().flatten();
    let context = texts.collect::<Vec<_>>().join("\n");
    Some(response.with_context(context.chars().take(MAX_TEXT).collect::<String>()).into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::edit;
    use crate::agents::OnClean;
    use crate::agents::decision::{FixedCall, HookDecision, HookVerdict};
    use crate::in_flight::{DeniedCall, fix_call};
    use phaser_core::contract::{Check, Contract, Dialect, FixTemplate, Pattern, Severity};
    use phaser_core::fix::Fixer;
    use phaser_core::matcher::FileNames;
    use phaser_core::matcher::{self, Directives, Matcher};
    use phaser_core::testing;
    use phaser_core::text::{Text, encode_like};
    use phaser_hook::Request;
    use phaser_project::path::Root;
    use phaser_project::report::Report;
    use phaser_project::source::changes::changes;
    use phaser_project::source::{Content, Target};
    use phaser_project::tool_call::{Algorithm, Call, FileChange, Moment, Occurrences, Rewrite, TextEdit};

    fn contracts() -> Vec<Contract> {
        let rules = [
            ("== None", Some("is None")),
            (r"foo(\d)", Some("bar($1)")),
            (r"[ \t]+$", Some("")),
            ("\t", Some("  ")),
            ("“x”", Some("\"y\"")),
            ("bad", None),
        ];
        let one = |(index, (pattern, fix)): (usize, (&str, Option<&str>))| {
            let source = pattern.to_owned();
            let pattern = Pattern { source, dialect: Dialect::Regex, line: 1, literals: None };
            let fix = fix.map(|template| Box::new(FixTemplate::new(template, 1)));
            Contract { fix, ..testing::contract(index, Check::forbid(pattern)) }
        };
        rules.into_iter().enumerate().map(one).collect()
    }

    fn bytes(target: &Target) -> &[u8] {
        match &target.content {
            Content::Bytes(bytes) => bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn denies_call_it_cannot_change() {
        let responded = |input: Value| {
            let event = json!({ "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input });
            let request = Request::read(event.to_string().as_bytes()).expect("an event");
            let rewrite = Rewrite::Whole("new".to_owned());
            let changes = vec![FileChange { path: "a".to_owned(), rewrite, original: None }];
            let fixed = FixedCall { changes, explanation: "changed".to_owned(), denial: "no".to_owned() };
            let decision = HookDecision { verdict: HookVerdict::Fixed(fixed), ..HookDecision::NOTHING };
            let response = super::super::respond(&request, &decision, OnClean::Allow);
            let response: Value = serde_json::from_str(&response.stdout).expect("JSON");
            response["hookSpecificOutput"].clone()
        };
        let fixed = responded(json!({ "file_path": "a", "content": "old" }));
        assert_eq!(fixed["updatedInput"], json!({ "file_path": "a", "content": "new" }));
        assert_eq!((&fixed["additionalContext"], fixed.get("permissionDecision")), (&json!("changed"), None));
        let denied = responded(json!({ "file_path": "a", "body": "old" }));
        assert_eq!(
            (&denied["permissionDecision"], &denied["permissionDecisionReason"]),
            (&json!("deny"), &json!("no"))
        );
        assert_eq!(denied.get("updatedInput"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn fixing_in_flight_equals_fixing_later(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "a == None", "foo1", "x", "“x”", " ", "\t", "\n", "\r\n", "old", "\"x\"", "é",
            ]), 1..12),
            new in prop::collection::vec(prop::sample::select(vec![
                "b == None", "foo2", "y", "\"x\"", "“x”", " ", "\t", "\n", "\r\n", "bad", "old",
            ]), 1..5),
            occurrences in prop::sample::select(vec![Occurrences::First, Occurrences::All]),
        ) {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let path = directory.path().join("a.txt");
            std::fs::write(&path, pieces.concat() + "old") .expect("written");
            let edit = TextEdit { old: "old".to_owned(), new: new.concat(), occurrences };
            let rewrite = Rewrite::Edits { edits: vec![edit], algorithm: Algorithm(edit::apply_within) };
            let change = FileChange { path: "a.txt".to_owned(), rewrite, original: None };
            let cwd = directory.path().to_owned();
            let call = Call { moment: Moment::Before, cwd: cwd.clone(), changes: vec![change], skipped: Vec::new() };
            let root = Root::new(&cwd);
            let limit = 1024 * 1024;
            let found = changes(&root, &call, limit).targets;
            let options = matcher::Options::new(Duration::from_secs(3600), Directives::Honoured);
            let matcher = Matcher::new(contracts(), options);
            let target = &found[0];
            let names = FileNames { path: &target.path, alias: None };
            let text = Text::new(bytes(target)).expect("is text");
            let fixer = Fixer::new(&matcher);
            let violations = fixer.violations(names, &text);
            let contracts = matcher.contracts().to_vec();
            let report = Report { contracts, violations, ..Report::default() };
            let fixed = fixer.fix(names, &text, []);
            let denied = DeniedCall { call: &call, targets: &found, report: &report, least: Severity::Error };
            if let Some(rewritten) = fix_call(&matcher, denied) {
                let fixed_call = Call { changes: rewritten.changes, ..call.clone() };
                let after = changes(&root, &fixed_call, limit).targets;
                let expected = encode_like(bytes(target), &fixed.text).expect("is text");
                prop_assert_eq!(String::from_utf8_lossy(bytes(&after[0])), String::from_utf8_lossy(&expected));
                prop_assert!(fixed.violations.iter().all(|one| !one.is_open()));
            }
        }
    }
}
