//! Claude Code: its events as calls, and decisions as its answers.
//!
//! The wire format itself is the [`hook`](crate::hook) library. Exit codes: 0 whenever the JSON decides; 3 when phaser
//! could not run, which the client shows to the person and otherwise passes over; never 2, which blocks the tool.

use std::path::Path;

use serde_json::Value;

use super::decision::{Context, Decision, Verdict};
use super::{Answer, OnClean};
use crate::change::{
    Algorithm, Call, Cell, CellAction, CellEdit, Change, Edit, MAX_PATH, Moment, Occurrences, Original,
    Rewrite,
};
use crate::contract::Severity;
use crate::exit::Exit;
use crate::hook::{Event, PostToolUseResponse, PreToolUseResponse, Request, Response, Tool, ToolInput};
use crate::outcome::Summary;
use crate::path::RelPath;
use crate::skipped::{Skipped, Why};

pub mod edit;

/// The call that an event is about, if it is about one; relative paths start at the event's directory, or at `cwd` when
/// it names none.
pub fn read(request: &Request, cwd: &Path) -> Option<Call> {
    let moment = match request.event() {
        Event::PreToolUse(_) => Moment::Before,
        Event::PostToolUse(_) => Moment::After,
        _ => return None,
    };
    let directory = request.cwd().filter(|cwd| cwd.len() <= MAX_PATH);
    let cwd = directory.map_or_else(|| cwd.to_owned(), |directory| cwd.join(directory));
    let call = Call { moment, cwd, changes: Vec::new(), skipped: Vec::new() };
    Some(match change(request) {
        Ok(change) => Call { changes: vec![change], ..call },
        Err(reason) => {
            let path = RelPath::from(request.tool_input().file_path().unwrap_or_default());
            Call { skipped: vec![Skipped { path, why: Why::NotReconstructed(reason) }], ..call }
        }
    })
}

/// What the tool does to a file, or why that is not known.
fn change(request: &Request) -> Result<Change, String> {
    let input = request.tool_input();
    let tool = request.tool();
    let path = match tool {
        Some(Tool::Write | Tool::Edit | Tool::MultiEdit) => input.file_path(),
        Some(Tool::NotebookEdit) => input.notebook_path().or(input.file_path()),
        other => return Err(format!("Unknown tool: {}", other.map_or("(none)", Tool::name))),
    };
    let path = path.filter(|path| !path.is_empty()).ok_or("Missing file_path")?;
    let rewrite = match tool {
        Some(Tool::NotebookEdit) => Rewrite::Cell(cell_edit(input)),
        Some(Tool::Edit) => edits(vec![edit_of(input)]),
        Some(Tool::MultiEdit) => edits(input.edits().map(edit_of).collect()),
        _ => Rewrite::Whole(input.content().unwrap_or_default().to_owned()),
    };
    Ok(Change { path: path.to_owned(), rewrite, original: original(request) })
}

/// What the file was before, which the client says after it has changed it.
fn original(request: &Request) -> Option<Original> {
    let response = request.tool_response()?.as_object()?;
    match response.get("originalFile").or_else(|| response.get("original_file"))? {
        Value::String(text) => Some(Original::Text(text.clone())),
        Value::Null => Some(Original::Nothing),
        _ => None,
    }
}

fn edits(edits: Vec<Edit>) -> Rewrite {
    Rewrite::Edits { edits, algorithm: Algorithm(edit::apply_within) }
}

fn edit_of(input: ToolInput<'_>) -> Edit {
    Edit {
        old: input.old_string().unwrap_or_default().to_owned(),
        new: input.new_string().unwrap_or_default().to_owned(),
        occurrences: if input.replace_all() { Occurrences::All } else { Occurrences::First },
    }
}

fn cell_edit(input: ToolInput<'_>) -> CellEdit {
    let number = input.get("cell_number").and_then(Value::as_u64);
    let by_number = || number.and_then(|number| usize::try_from(number).ok()).map(Cell::Index);
    CellEdit {
        cell: input.cell_id().map(|id| Cell::Id(id.to_owned())).or_else(by_number),
        source: input.new_source().unwrap_or_default().to_owned(),
        action: match input.edit_mode() {
            Some("insert") => CellAction::Insert,
            Some("delete") => CellAction::Delete,
            _ => CellAction::Replace,
        },
        cell_type: input.cell_type().map(str::to_owned),
    }
}

/// The answer to an event.
pub fn answer(decision: &Decision, on_clean: OnClean) -> Answer {
    let mut response = response(&decision.verdict, decision.context.as_ref(), on_clean);
    if let Some(message) = &decision.message {
        response = response.system_message(message);
    }
    Answer { stdout: response.to_pretty_json(), exit: Exit::Clean }
}

fn response(verdict: &Verdict, context: Option<&Context>, on_clean: OnClean) -> Response {
    let with_context = |response: PreToolUseResponse| match context {
        Some(context) => response.with_context(&context.text).into(),
        None => response.into(),
    };
    match verdict {
        Verdict::Deny(reason) => with_context(PreToolUseResponse::deny(reason)),
        Verdict::Clean(summary) if on_clean == OnClean::Allow => {
            with_context(PreToolUseResponse::allow().with_reason(passed(*summary)))
        }
        Verdict::Violated { severity, lines } => {
            let word = match severity {
                Severity::Error => "violation",
                Severity::Warning => "warning",
            };
            let reason = format!("Contract {word} detected after file write");
            let context = context.map(|context| format!("{lines}\n{}", context.text));
            PostToolUseResponse::block(reason).and_context(context.as_ref().unwrap_or(lines)).into()
        }
        Verdict::Clean(_) | Verdict::Nothing => match context {
            None => Response::empty(),
            Some(Context { moment: Moment::Before, .. }) => with_context(PreToolUseResponse::undecided()),
            Some(Context { moment: Moment::After, text }) => PostToolUseResponse::with_context(text).into(),
        },
    }
}

fn passed(summary: Summary) -> String {
    match summary {
        Summary { ignored: 0, existing: 0, baselined: 0, .. } => "All contracts passed".to_owned(),
        Summary { ignored: 1, existing: 0, baselined: 0, .. } => {
            "1 violation suppressed by ignore".to_owned()
        }
        Summary { ignored, existing: 0, baselined: 0, .. } => {
            format!("{ignored} violations suppressed by ignore")
        }
        others => format!("No new violations: {others}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(event: &Value) -> Option<Call> {
        let request = Request::read(event.to_string().as_bytes()).expect("an event");
        read(&request, Path::new("/p"))
    }

    fn change(event: &Value) -> Change {
        let call = call(event).expect("a call");
        assert_eq!((call.changes.len(), call.skipped.len()), (1, 0), "{call:?}");
        call.changes.into_iter().next().expect("one change")
    }

    #[test]
    fn a_call_has_a_moment_and_a_directory() {
        let event = |name: &str, cwd: &str| {
            json!({ "hook_event_name": name, "cwd": cwd, "tool_name": "Write",
                "tool_input": { "file_path": "a", "content": "x" } })
        };
        let before = call(&event("PreToolUse", "/q")).expect("a call");
        assert_eq!((before.moment, before.cwd.as_path()), (Moment::Before, Path::new("/q")));
        assert_eq!(before.path(&before.changes[0]), Path::new("/q/a"));
        let after = call(&event("PostToolUse", "sub")).expect("a call");
        assert_eq!((after.moment, after.cwd.as_path()), (Moment::After, Path::new("/p/sub")));
        assert_eq!(call(&event("SessionStart", "/q")), None);
    }

    #[test]
    fn each_tool_rewrites_a_file_in_its_own_way() {
        let tool = |name: &str, input: Value| change(&json!({ "tool_name": name, "tool_input": input }));
        let edit = |old: &str, new: &str, occurrences| Edit { old: old.into(), new: new.into(), occurrences };
        assert_eq!(
            tool("Write", json!({ "file_path": "a", "content": "x" })).rewrite,
            Rewrite::Whole("x".into())
        );
        assert_eq!(
            tool("Edit", json!({ "file_path": "a", "old_str": "x", "newString": "y", "replace_all": true }))
                .rewrite,
            edits(vec![edit("x", "y", Occurrences::All)])
        );
        let two = json!([{ "old_string": "a", "new_string": "b" }, { "old_string": "c" }]);
        assert_eq!(
            tool("MultiEdit", json!({ "file_path": "a", "edits": two })).rewrite,
            edits(vec![edit("a", "b", Occurrences::First), edit("c", "", Occurrences::First)])
        );
        let input =
            json!({ "notebook_path": "n", "cell_number": 2, "new_source": "s", "edit_mode": "insert" });
        let Rewrite::Cell(cell) = tool("NotebookEdit", input).rewrite else { panic!("not a cell") };
        assert_eq!((cell.cell, cell.action), (Some(Cell::Index(2)), CellAction::Insert));
    }

    #[test]
    fn what_is_not_understood_is_skipped_with_a_reason() {
        let reason = |tool: &str, input: Value| {
            let call = call(&json!({ "tool_name": tool, "tool_input": input })).expect("a call");
            assert_eq!(call.changes, []);
            call.skipped[0].why.to_string()
        };
        assert_eq!(reason("Bash", json!({ "command": "ls" })), "Unknown tool: Bash");
        assert_eq!(reason("Write", json!({ "content": "x" })), "Missing file_path");
        assert_eq!(reason("Write", json!({ "file_path": "", "content": "x" })), "Missing file_path");
    }

    #[test]
    fn after_the_call_the_client_says_what_the_file_was() {
        let original = |response: Value| {
            let event = json!({ "hook_event_name": "PostToolUse", "tool_name": "Write",
                "tool_input": { "file_path": "a" }, "tool_response": response });
            change(&event).original
        };
        assert_eq!(original(json!({ "originalFile": "old" })), Some(Original::Text("old".into())));
        assert_eq!(original(json!({ "originalFile": null })), Some(Original::Nothing));
        assert_eq!(original(json!({ "original_file": "old" })), Some(Original::Text("old".into())));
        assert_eq!(original(json!({ "filePath": "a" })), None);
        assert_eq!(original(json!("done")), None);
    }

    fn answered(verdict: Verdict, message: Option<&str>, on_clean: OnClean) -> Value {
        let decision = Decision { verdict, message: message.map(str::to_owned), ..Decision::NOTHING };
        let Answer { stdout, exit } = answer(&decision, on_clean);
        assert_eq!(exit, Exit::Clean);
        serde_json::from_str(&stdout).expect("is JSON")
    }

    #[test]
    fn a_decision_has_one_form() {
        let allow = OnClean::Allow;
        let denied = answered(Verdict::Deny("why".into()), None, allow);
        let expected = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "why" } });
        assert_eq!(denied, expected);
        let ignored = |ignored| Verdict::Clean(Summary { ignored, ..Summary::default() });
        let clean = answered(ignored(2), None, allow);
        let reason = &clean["hookSpecificOutput"]["permissionDecisionReason"];
        assert_eq!(reason, "2 violations suppressed by ignore");
        assert_eq!(answered(ignored(0), None, OnClean::Defer), json!({}));
        assert_eq!(answered(Verdict::Nothing, Some("m"), allow), json!({ "systemMessage": "m" }));
        let told = Verdict::Violated { severity: Severity::Warning, lines: "Warning: x".into() };
        let told = answered(told, None, allow);
        assert_eq!(told["decision"], "block");
        assert_eq!(told["reason"], "Contract warning detected after file write");
        assert_eq!(told["hookSpecificOutput"]["additionalContext"], "Warning: x");
    }

    #[test]
    fn what_the_model_should_know_besides_goes_with_every_verdict() {
        let answered = |verdict: Verdict, moment, on_clean| -> Value {
            let context = Some(Context { moment, text: "old".to_owned() });
            let Answer { stdout, .. } = answer(&Decision { verdict, context, message: None }, on_clean);
            serde_json::from_str(&stdout).expect("is JSON")
        };
        let clean = || Verdict::Clean(Summary { existing: 2, baselined: 1, ..Summary::default() });
        let allowed = answered(clean(), Moment::Before, OnClean::Allow);
        assert_eq!(allowed["hookSpecificOutput"]["additionalContext"], "old");
        let reason = &allowed["hookSpecificOutput"]["permissionDecisionReason"];
        assert_eq!(reason, "No new violations: 0 errors, 0 warnings, 2 existing, 1 in the baseline");
        let undecided =
            json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": "old" } });
        assert_eq!(answered(clean(), Moment::Before, OnClean::Defer), undecided);
        assert_eq!(answered(Verdict::Nothing, Moment::Before, OnClean::Allow), undecided);
        let denied = answered(Verdict::Deny("no".into()), Moment::Before, OnClean::Allow);
        assert_eq!(denied["hookSpecificOutput"]["additionalContext"], "old");
        let told =
            json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": "old" } });
        assert_eq!(answered(Verdict::Nothing, Moment::After, OnClean::Allow), told);
        let violated = Verdict::Violated { severity: Severity::Error, lines: "Error: x".into() };
        let violated = answered(violated, Moment::After, OnClean::Allow);
        assert_eq!(violated["hookSpecificOutput"]["additionalContext"], "Error: x\nold");
    }
}
