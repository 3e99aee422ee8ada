//! Agents and settings with plain types, for the fuzz targets and benches of `crates/phaser-testing`. No stability promise.

use phaser_hook::Request;
use phaser_project::config::Repeated;
use phaser_project::path::Root;
use phaser_project::report::Report;
use phaser_project::tool_call::Call;

pub use crate::agents::claude::edit::apply_within;
use crate::agents::decision::{CheckedCall, decide};
use crate::agents::{HookEvent, HookMode, OnClean, claude};
use crate::decisions::repeats::DenialCounts;
use crate::install::{self, EditTools, Edited, HookForm, HookRequest, IfInstalled};

/// The tool call of a Claude Code event, as the guard reads it; `None` for other events.
pub fn tool_call(request: &Request, root: &Root) -> Option<Call> {
    match claude::read(request, root.path(), HookMode::Guard) {
        HookEvent::ToolCall(call) => Some(call),
        _ => None,
    }
}

/// The guard's response to a checked tool call, as JSON.
pub fn respond(request: &Request, root: &Root, call: &Call, report: &Report) -> String {
    let denials = &DenialCounts::default();
    let checked = CheckedCall {
        root,
        call,
        mode: HookMode::Guard,
        findings: &[],
        rewritten_call: None,
        denials,
        repeated: Repeated::Deny,
    };
    claude::respond(request, &decide(checked, report), OnClean::Allow).stdout
}

/// Claude Code's settings with the guard or with the plain hooks; `Ok(None)` if other hooks of phaser stay.
///
/// # Errors
///
/// If the settings cannot be edited.
pub fn install(settings: &str, guard: bool, force: bool) -> Result<Option<String>, String> {
    let form = if guard { HookForm::Guard } else { HookForm::Plain(EditTools::Edits) };
    let existing = if force { IfInstalled::Replace } else { IfInstalled::Keep };
    let edited = install::install(settings, &HookRequest::usual(form), existing);
    edited.map(|edited| text(settings, edited)).map_err(|refused| refused.to_string())
}

/// Claude Code's settings without phaser's hooks.
///
/// # Errors
///
/// If the settings cannot be edited.
pub fn uninstall(settings: &str) -> Result<Option<String>, String> {
    install::uninstall(settings).map(|edited| text(settings, edited)).map_err(|refused| refused.to_string())
}

/// The number of phaser's hooks in Claude Code's settings.
///
/// # Errors
///
/// If the settings cannot be read.
pub fn count_hooks(settings: &str) -> Result<usize, String> {
    install::survey(settings).map(|survey| survey.own.len()).map_err(|refused| refused.to_string())
}

fn text(before: &str, edited: Edited) -> Option<String> {
    match edited {
        Edited::Changed(text) | Edited::Emptied(text) => Some(text),
        Edited::Unchanged => Some(before.to_owned()),
        Edited::Differs(_) => None,
    }
}
