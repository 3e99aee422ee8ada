//! Claude Code: parses its events and writes its responses.
//!
//! The wire format is the [`hook`](phaser_hook) crate. Exit codes: 0 whenever the JSON decides; 3 when phaser could not run,
//! which Claude Code shows to the user and otherwise ignores; never 2, which blocks the tool.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::decision::{HookDecision, HookVerdict};
use super::mcp;
use super::parsed_event::{DURATION_OF_COMMAND, directory, started};
use super::{AgentResponse, HookEvent, HookMode, OnClean, Outcome};
use crate::exit::Exit;
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_hook::{
    BlockResponse, BlockableEvent, ContextEvent, ContextResponse, Event, PostToolUseResponse,
    PreToolUseResponse, Request, Response, SessionStartResponse, StopResponse, Tool, ToolInput, ToolRun,
};
use phaser_project::path::{RelPath, SETTINGS};
use phaser_project::report::Summary;
use phaser_project::source::worktree::ChangeWindow;
use phaser_project::tool_call::{
    Algorithm, Call, Cell, CellAction, CellEdit, FileChange, Moment, Occurrences, Original, Rewrite, TextEdit,
};

pub mod edit;
mod turn;
mod updated_input;

use turn::Turn;

/// Parses an event. Relative paths start at the event's directory, or at `cwd` if the event has none.
pub fn read(request: &Request, cwd: &Path, mode: HookMode) -> HookEvent {
    let cwd = directory(request.cwd(), cwd);
    match (request.event(), mode) {
        (Event::PostToolUse(run) | Event::PostToolUseFailure(run), HookMode::Guard)
            if is_shell(run.call.tool) =>
        {
            HookEvent::CommandRun { cwd, sweep: sweep_of(&run) }
        }
        // The event lacks the file's previous text.
        (Event::PostToolUse(run) | Event::PostToolUseFailure(run), HookMode::Guard)
            if is_mcp(run.call.tool) =>
        {
            let since = started(run.duration_ms, DURATION_OF_COMMAND);
            match mcp_file(run.call.input) {
                Some((path, rewrite)) => {
                    let path = cwd.join(&*path);
                    let is_written = rewrite.is_some() || mcp::may_have_written(&path, since);
                    let sweep = ChangeWindow::Command { changed: Some(vec![path]), since };
                    if is_written { HookEvent::CommandRun { cwd, sweep } } else { HookEvent::Other }
                }
                None => HookEvent::Other,
            }
        }
        (Event::PreToolUse(call), HookMode::Guard) if is_shell(call.tool) => {
            match call.input.get("command").and_then(Value::as_str) {
                Some(line) => HookEvent::Command { cwd, lines: vec![line.to_owned()] },
                None => HookEvent::Other,
            }
        }
        (Event::PreToolUse(_), mode) => call(request, Moment::Before, cwd, mode),
        (Event::PostToolUse(_), mode) => call(request, Moment::After, cwd, mode),
        (Event::SessionStart { .. } | Event::SubagentStart(_), HookMode::Guard) => {
            HookEvent::SessionStart { cwd }
        }
        (Event::Stop(stop), HookMode::Guard) if !stop.stop_hook_active => end(cwd, request.transcript_path()),
        // A subagent without a type is internal to Claude Code.
        (Event::SubagentStop(stop), HookMode::Guard)
            if !stop.stop_hook_active && stop.agent.agent_type.is_some() =>
        {
            end(cwd, stop.agent.transcript_path)
        }
        (Event::ConfigChange { .. }, HookMode::Guard) => HookEvent::SettingsChange { cwd },
        _ => HookEvent::Other,
    }
}

fn is_shell(tool: Option<Tool<'_>>) -> bool {
    tool == Some(Tool::Bash)
}

fn is_mcp(tool: Option<Tool<'_>>) -> bool {
    matches!(tool, Some(Tool::Other(name)) if name.starts_with("mcp__"))
}

/// The file that an MCP tool names, and how the tool changes it, if that is known.
fn mcp_file(input: ToolInput<'_>) -> Option<(Cow<'_, str>, Option<Rewrite>)> {
    let input = input.as_value()?;
    Some((mcp::file(input)?, mcp::rewrite(input)))
}

/// Claude Code lists at most this many changed files; a list of this length may be incomplete.
const MOST_CHANGED_FILES: usize = 200;

/// The files that a command may have changed.
fn sweep_of(run: &ToolRun<'_>) -> ChangeWindow {
    let diff = run.response.and_then(|response| response.get("bashEditDiff"));
    let named = diff.and_then(|diff| diff.get("changedFiles")).and_then(Value::as_array);
    let all = named.filter(|named| named.len() < MOST_CHANGED_FILES);
    let changed = all.map(|named| named.iter().filter_map(Value::as_str).map(PathBuf::from).collect());
    ChangeWindow::Command { changed, since: started(run.duration_ms, DURATION_OF_COMMAND) }
}

fn end(cwd: PathBuf, transcript: Option<&str>) -> HookEvent {
    let Turn { began, sent_back, originals } =
        transcript.map(|path| Turn::read(Path::new(path))).unwrap_or_default();
    HookEvent::TurnEnd { cwd, sweep: ChangeWindow::Turn { since: began, originals }, sent_back }
}

fn call(request: &Request, moment: Moment, cwd: PathBuf, mode: HookMode) -> HookEvent {
    let call = Call { moment, cwd, changes: Vec::new(), skipped: Vec::new() };
    HookEvent::ToolCall(match change(request, mode) {
        Ok(change) => Call { changes: vec![change], ..call },
        Err(reason) => {
            let path = RelPath::from(request.tool_input().file_path().unwrap_or_default());
            Call { skipped: vec![Skipped { path, why: SkipReason::NotReconstructed(reason) }], ..call }
        }
    })
}

/// The tool's change of a file, or why it cannot be reconstructed.
fn change(request: &Request, mode: HookMode) -> Result<FileChange, String> {
    let input = request.tool_input();
    let tool = request.tool();
    if mode == HookMode::Guard
        && is_mcp(tool)
        && let Some((path, Some(rewrite))) = mcp_file(input)
    {
        return Ok(FileChange { path: path.into_owned(), rewrite, original: None });
    }
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
    Ok(FileChange { path: path.to_owned(), rewrite, original: original(request) })
}

/// The previous text of the file, which Claude Code sends after an edit.
fn original(request: &Request) -> Option<Original> {
    let response = request.tool_response()?.as_object()?;
    match response.get("originalFile").or_else(|| response.get("original_file"))? {
        Value::String(text) => Some(Original::Text(text.clone())),
        Value::Null => Some(Original::Nothing),
        _ => None,
    }
}

fn edits(edits: Vec<TextEdit>) -> Rewrite {
    Rewrite::Edits { edits, algorithm: Algorithm(edit::apply_within) }
}

fn edit_of(input: ToolInput<'_>) -> TextEdit {
    TextEdit {
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

pub fn respond(request: &Request, decision: &HookDecision, on_clean: OnClean) -> AgentResponse {
    // `allow` for an MCP tool would also allow effects that phaser does not check.
    let on_clean = if is_mcp(request.tool()) { OnClean::Defer } else { on_clean };
    let decision = match &decision.verdict {
        HookVerdict::Ask(reason) if skips_prompt(request) => {
            &HookDecision { verdict: HookVerdict::Deny(reason.clone()), ..decision.clone() }
        }
        _ => decision,
    };
    let mut response = response(request.event(), decision, on_clean);
    if let Some(message) = &decision.message {
        response = response.system_message(message);
    }
    let outcome = outcome(request.event(), decision, on_clean);
    AgentResponse { stdout: response.to_pretty_json(), exit: Exit::Clean, outcome }
}

/// What the response decides.
fn outcome(event: Event<'_>, decision: &HookDecision, on_clean: OnClean) -> Outcome {
    let decided = |decision| Outcome { decision: Some(decision), is_fixed: false };
    match (event, &decision.verdict) {
        (Event::PreToolUse(call), HookVerdict::Fixed(fixed)) => {
            match updated_input::response(call.input, fixed, None) {
                Some(_) => Outcome { decision: None, is_fixed: true },
                None => decided("deny"),
            }
        }
        (Event::PreToolUse(call), HookVerdict::FixedCommand(fixed)) => {
            match updated_input::command_response(call.input, fixed, None) {
                Some(_) => Outcome { decision: None, is_fixed: true },
                None => decided("deny"),
            }
        }
        (Event::PreToolUse(_), HookVerdict::Deny(_)) => decided("deny"),
        (Event::PreToolUse(_), HookVerdict::Ask(_)) => decided("ask"),
        (Event::PreToolUse(_), HookVerdict::Clean(_)) if on_clean == OnClean::Allow => decided("allow"),
        (
            Event::PostToolUse(_) | Event::PostToolUseFailure(_),
            HookVerdict::Violated { reason: Some(_), .. },
        ) => decided("block"),
        (_, HookVerdict::Block(_)) => decided("block"),
        _ => Outcome::default(),
    }
}

/// Whether Claude Code would skip the prompt for `ask`. With `bypassPermissions` it permits changes in its own directory
/// regardless of the hook.
fn skips_prompt(request: &Request) -> bool {
    let path = request.tool_input().file_path().unwrap_or_default();
    request.permission_mode() == Some("bypassPermissions")
        && path.split(['/', '\\']).any(|name| name == SETTINGS)
}

fn response(event: Event<'_>, decision: &HookDecision, on_clean: OnClean) -> Response {
    let context = decision.context.as_deref();
    match (event, &decision.verdict) {
        (Event::PreToolUse(call), HookVerdict::Fixed(fixed)) => {
            updated_input::response(call.input, fixed, context)
                .unwrap_or_else(|| before(&HookVerdict::Deny(fixed.denial.clone()), context, on_clean))
        }
        (Event::PreToolUse(call), HookVerdict::FixedCommand(fixed)) => {
            updated_input::command_response(call.input, fixed, context)
                .unwrap_or_else(|| before(&HookVerdict::Deny(fixed.denial.clone()), context, on_clean))
        }
        (Event::PreToolUse(_), verdict) => before(verdict, context, on_clean),
        (Event::PostToolUse(_), verdict) => match after(verdict, context) {
            (None, None) => Response::empty(),
            (None, Some(context)) => PostToolUseResponse::with_context(context).into(),
            (Some(reason), context) => {
                PostToolUseResponse::block(reason).and_context(context.unwrap_or_default()).into()
            }
        },
        (Event::PostToolUseFailure(_), verdict) => {
            let to = |context| ContextResponse::to(ContextEvent::PostToolUseFailure, context);
            match after(verdict, context) {
                (None, None) => Response::empty(),
                (None, Some(context)) => to(context).into(),
                (Some(reason), context) => to(context.unwrap_or_default()).and_block(reason).into(),
            }
        }
        (Event::Stop(_) | Event::SubagentStop(_), HookVerdict::Block(reason)) => {
            StopResponse::block(reason).into()
        }
        (Event::ConfigChange { .. }, HookVerdict::Block(reason)) => {
            BlockResponse::block(BlockableEvent::ConfigChange, reason).into()
        }
        (Event::SessionStart { .. }, _) => {
            context.map_or_else(Response::empty, |text| SessionStartResponse::with_context(text).into())
        }
        (Event::SubagentStart(_), _) => context.map_or_else(Response::empty, |text| {
            ContextResponse::to(ContextEvent::SubagentStart, text).into()
        }),
        _ => Response::empty(),
    }
}

/// The response before a call.
fn before(verdict: &HookVerdict, context: Option<&str>, on_clean: OnClean) -> Response {
    let decided = match verdict {
        HookVerdict::Deny(reason) => Some(PreToolUseResponse::deny(reason)),
        HookVerdict::Ask(reason) => Some(PreToolUseResponse::ask(reason)),
        HookVerdict::Clean(summary) if on_clean == OnClean::Allow => {
            Some(PreToolUseResponse::allow().with_reason(passed(*summary)))
        }
        _ => None,
    };
    match (decided, context) {
        (None, None) => Response::empty(),
        (None, Some(text)) => PreToolUseResponse::undecided().with_context(text).into(),
        (Some(decided), None) => decided.into(),
        (Some(decided), Some(text)) => decided.with_context(text).into(),
    }
}

/// The reason and the context of a response after a call.
fn after<'a>(verdict: &'a HookVerdict, context: Option<&str>) -> (Option<&'a str>, Option<String>) {
    match (verdict, context) {
        (HookVerdict::Violated { reason, lines }, None) => (reason.as_deref(), Some(lines.clone())),
        (HookVerdict::Violated { reason, lines }, Some(text)) => {
            (reason.as_deref(), Some(format!("{lines}\n{text}")))
        }
        (_, context) => (None, context.map(str::to_owned)),
    }
}

/// The reason of `allow`.
fn passed(summary: Summary) -> String {
    match summary {
        // Only the guard leaves warnings for the event after the edit.
        Summary { warnings: 1, .. } => "1 warning, reported after the edit".to_owned(),
        Summary { warnings: 2.., .. } => format!("{} warnings, reported after the edit", summary.warnings),
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

    fn request(event: &Value) -> Request {
        Request::read(event.to_string().as_bytes()).expect("an event")
    }

    fn call(event: &Value) -> Option<Call> {
        match read(&request(event), Path::new("/p"), HookMode::Plain) {
            HookEvent::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    fn change(event: &Value) -> FileChange {
        let call = call(event).expect("a call");
        assert_eq!((call.changes.len(), call.skipped.len()), (1, 0), "{call:?}");
        call.changes.into_iter().next().expect("one change")
    }

    #[test]
    fn call_has_moment_and_directory() {
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
    fn each_tool_has_its_rewrite() {
        let tool = |name: &str, input: Value| change(&json!({ "tool_name": name, "tool_input": input }));
        let edit =
            |old: &str, new: &str, occurrences| TextEdit { old: old.into(), new: new.into(), occurrences };
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
    fn skips_unknown_calls_with_reason() {
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
    fn reads_previous_text_after_call() {
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

    fn responded(event: &str, decision: &HookDecision, on_clean: OnClean) -> Value {
        let request = request(&json!({ "hook_event_name": event }));
        let AgentResponse { stdout, exit, .. } = respond(&request, decision, on_clean);
        assert_eq!(exit, Exit::Clean);
        serde_json::from_str(&stdout).expect("is JSON")
    }

    fn just(verdict: HookVerdict) -> HookDecision {
        HookDecision { verdict, ..HookDecision::NOTHING }
    }

    #[test]
    fn writes_each_decision() {
        let allow = OnClean::Allow;
        let denied = responded("PreToolUse", &just(HookVerdict::Deny("why".into())), allow);
        let expected = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "why" } });
        assert_eq!(denied, expected);
        let asked = responded("PreToolUse", &just(HookVerdict::Ask("why".into())), allow);
        assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask");
        let ignored = |ignored| just(HookVerdict::Clean(Summary { ignored, ..Summary::default() }));
        let clean = responded("PreToolUse", &ignored(2), allow);
        let reason = &clean["hookSpecificOutput"]["permissionDecisionReason"];
        assert_eq!(reason, "2 violations suppressed by ignore");
        assert_eq!(responded("PreToolUse", &ignored(0), OnClean::Defer), json!({}));
        let message = HookDecision { message: Some("m".to_owned()), ..HookDecision::NOTHING };
        assert_eq!(responded("PreToolUse", &message, allow), json!({ "systemMessage": "m" }));
    }

    #[test]
    fn denies_where_prompt_is_skipped() {
        let asked = |mode: &str, path: &str| {
            let event = json!({ "permission_mode": mode, "tool_input": { "file_path": path } });
            let response = respond(&request(&event), &just(HookVerdict::Ask("why".into())), OnClean::Allow);
            let response: Value = serde_json::from_str(&response.stdout).expect("is JSON");
            response["hookSpecificOutput"]["permissionDecision"].as_str().expect("a decision").to_owned()
        };
        assert_eq!(asked("bypassPermissions", "/p/.claude/contracts/a.yaml"), "deny");
        assert_eq!(asked("bypassPermissions", "/p/src/a.py"), "ask");
        assert_eq!(asked("default", "/p/.claude/contracts/a.yaml"), "ask");
    }

    #[test]
    fn blocks_after_call_only_with_reason() {
        let violated = |reason: Option<&str>| {
            let reason = reason.map(str::to_owned);
            just(HookVerdict::Violated { reason, lines: "Warning: x".into() })
        };
        for event in ["PostToolUse", "PostToolUseFailure"] {
            let blocked = responded(event, &violated(Some("why")), OnClean::Allow);
            assert_eq!((&blocked["decision"], &blocked["reason"]), (&json!("block"), &json!("why")));
            assert_eq!(blocked["hookSpecificOutput"]["additionalContext"], "Warning: x");
            assert_eq!(blocked["hookSpecificOutput"]["hookEventName"], event);
            let reported = responded(event, &violated(None), OnClean::Allow);
            let expected = json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": "Warning: x" } });
            assert_eq!(reported, expected);
        }
    }

    #[test]
    fn sends_context_with_every_verdict() {
        let responded = |event: &str, verdict: HookVerdict, on_clean| -> Value {
            let decision = HookDecision { verdict, context: Some("old".to_owned()), message: None };
            responded(event, &decision, on_clean)
        };
        let clean = || HookVerdict::Clean(Summary { existing: 2, baselined: 1, ..Summary::default() });
        let allowed = responded("PreToolUse", clean(), OnClean::Allow);
        assert_eq!(allowed["hookSpecificOutput"]["additionalContext"], "old");
        let reason = &allowed["hookSpecificOutput"]["permissionDecisionReason"];
        assert_eq!(reason, "No new violations: 0 errors, 0 warnings, 2 existing, 1 in the baseline");
        let only = |event: &str| json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": "old" } });
        assert_eq!(responded("PreToolUse", clean(), OnClean::Defer), only("PreToolUse"));
        assert_eq!(responded("PreToolUse", HookVerdict::Nothing, OnClean::Allow), only("PreToolUse"));
        let denied = responded("PreToolUse", HookVerdict::Deny("no".into()), OnClean::Allow);
        assert_eq!(denied["hookSpecificOutput"]["additionalContext"], "old");
        for event in ["PostToolUse", "PostToolUseFailure", "SessionStart", "SubagentStart"] {
            assert_eq!(responded(event, HookVerdict::Nothing, OnClean::Allow), only(event));
        }
        let violated = HookVerdict::Violated { reason: None, lines: "Error: x".into() };
        let violated = responded("PostToolUse", violated, OnClean::Allow);
        assert_eq!(violated["hookSpecificOutput"]["additionalContext"], "Error: x\nold");
    }

    #[test]
    fn blocks_turn_end_and_settings_change() {
        let blocked = json!({ "decision": "block", "reason": "no" });
        for event in ["Stop", "SubagentStop", "ConfigChange"] {
            assert_eq!(responded(event, &just(HookVerdict::Block("no".into())), OnClean::Allow), blocked);
            assert_eq!(responded(event, &HookDecision::NOTHING, OnClean::Allow), json!({}));
        }
    }

    #[test]
    fn never_allows_mcp_tools() {
        let request = request(&json!({ "tool_name": "mcp__files__write" }));
        let clean = just(HookVerdict::Clean(Summary::default()));
        assert_eq!(respond(&request, &clean, OnClean::Allow).stdout, "{}");
    }

    fn occasion(event: &Value, mode: HookMode) -> HookEvent {
        read(&request(event), Path::new("/p"), mode)
    }

    #[test]
    fn guard_handles_more_than_edits() {
        let event = |name: &str| {
            json!({ "hook_event_name": name, "tool_name": "Bash", "duration_ms": 5,
            "agent_type": "k", "cwd": "/p" })
        };
        let cwd = PathBuf::from("/p");
        for name in ["PostToolUse", "PostToolUseFailure"] {
            assert!(
                matches!(occasion(&event(name), HookMode::Guard), HookEvent::CommandRun { .. }),
                "{name}"
            );
        }
        for name in ["Stop", "SubagentStop"] {
            let (cwd, sweep) = (cwd.clone(), ChangeWindow::turn(None));
            let end = HookEvent::TurnEnd { cwd, sweep, sent_back: Vec::new() };
            assert_eq!(occasion(&event(name), HookMode::Guard), end);
            let mut again = event(name);
            again["stop_hook_active"] = json!(true);
            assert_eq!(occasion(&again, HookMode::Guard), HookEvent::Other);
        }
        let helper = json!({ "hook_event_name": "SubagentStop", "agent_type": "" });
        assert_eq!(occasion(&helper, HookMode::Guard), HookEvent::Other);
        for name in ["SessionStart", "SubagentStart"] {
            assert_eq!(occasion(&event(name), HookMode::Guard), HookEvent::SessionStart { cwd: cwd.clone() });
        }
        assert_eq!(occasion(&event("ConfigChange"), HookMode::Guard), HookEvent::SettingsChange { cwd });
        assert_eq!(occasion(&event("PreCompact"), HookMode::Guard), HookEvent::Other);
        for name in
            ["Stop", "SubagentStop", "SessionStart", "SubagentStart", "ConfigChange", "PostToolUseFailure"]
        {
            assert_eq!(occasion(&event(name), HookMode::Plain), HookEvent::Other, "{name}");
        }
    }

    #[test]
    fn sweeps_listed_or_new_files() {
        let swept = |response: Value| {
            let event = json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "duration_ms": 2_000,
                "tool_response": response });
            match occasion(&event, HookMode::Guard) {
                HookEvent::CommandRun { sweep: ChangeWindow::Command { changed, since }, .. } => {
                    let ago = since.elapsed().expect("in the past");
                    assert!((3_000..60_000).contains(&ago.as_millis()), "{ago:?}");
                    changed
                }
                other => panic!("{other:?}"),
            }
        };
        let diff = |files: Value| json!({ "bashEditDiff": { "changedFiles": files } });
        assert_eq!(swept(json!({})), None);
        assert_eq!(swept(diff(json!([]))), Some(vec![]));
        assert_eq!(swept(diff(json!(["/p/a", "/p/b"]))), Some(vec!["/p/a".into(), "/p/b".into()]));
        assert_eq!(swept(diff(json!(vec!["/p/a"; 200]))), None, "Claude Code lists no more than these");
    }

    #[test]
    fn checks_files_written_by_mcp_tools() {
        let event = |name: &str, input: Value| json!({ "hook_event_name": name, "tool_name": "mcp__files__write", "tool_input": input });
        for input in [json!({ "path": "a", "text": "x" }), json!({ "uri": "file:///p/a", "data": "x" })] {
            let before = occasion(&event("PreToolUse", input.clone()), HookMode::Guard);
            let HookEvent::ToolCall(call) = before else { panic!("{before:?}") };
            assert_eq!(call.changes[0].rewrite, Rewrite::Whole("x".to_owned()));
            assert_eq!(call.path(&call.changes[0]), Path::new("/p/a"));
            let after = occasion(&event("PostToolUse", input), HookMode::Guard);
            let HookEvent::CommandRun { sweep: ChangeWindow::Command { changed, .. }, .. } = after else {
                panic!("{after:?}")
            };
            assert_eq!(changed, Some(vec!["/p/a".into()]));
        }
        assert_eq!(
            occasion(&event("PostToolUse", json!({ "path": "a" })), HookMode::Guard),
            HookEvent::Other
        );
        let plain = occasion(&event("PreToolUse", json!({ "path": "a", "text": "x" })), HookMode::Plain);
        let HookEvent::ToolCall(call) = plain else { panic!("{plain:?}") };
        assert_eq!(call.changes, []);
    }
}
