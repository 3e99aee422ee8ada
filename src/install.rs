//! Installs phaser's hooks into Claude Code's settings, and removes them: text in, text out.
//!
//! Only phaser's own entries are added, replaced or removed. Everything else stays byte for byte: other hooks, unknown keys,
//! key order, number spelling and indentation. Settings that are not valid JSON of the expected shape are an error.
//! [`mod@file`] reads and writes the files.

pub mod agents;
pub mod command;
mod document;
pub mod file;
mod hook_set;

use serde_json::{Value, json};

use document::{Child, JsonDocument, JsonNode, Splice};
use hook_set::WrittenCommand;

pub use hook_set::{EditTools, HookForm, HookRequest, HookSet, Levels, OnFail};

/// The timeout of an installed hook, in seconds.
const TIMEOUT: u32 = 60;

/// Why settings cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SettingsError {
    /// 1-based.
    pub line: usize,
    pub what: String,
}

impl SettingsError {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// What [`install`] does with installed hooks of phaser that differ from the wanted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfInstalled {
    /// Installs nothing.
    Keep,
    /// Replaces hooks that phaser wrote; installs nothing if a user has changed one.
    Upgrade,
    Replace,
}

/// An installed hook that runs phaser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnHook {
    pub event: String,
    /// Claude Code's matcher for tools.
    pub matcher: Option<String>,
    pub command: String,
    /// The value of `onFailure`.
    pub on_failure: Option<String>,
}

impl OwnHook {
    /// Whether it has `--guard`.
    pub fn is_guard(&self) -> bool {
        command::split_program(&self.command).1.split_whitespace().any(|word| word == "--guard")
    }
}

/// The result of editing settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    Unchanged,
    /// The new text.
    Changed(String),
    /// The new text, which has no content: the file may be removed.
    Emptied(String),
    /// Not edited, because these installed hooks differ from the wanted ones.
    Differs(Vec<OwnHook>),
}

/// The hooks in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSurvey {
    /// phaser's hooks.
    pub own: Vec<OwnHook>,
    /// The value of `disableAllHooks`.
    pub all_disabled: bool,
}

/// Reads the hooks in `text`.
pub fn survey(text: &str) -> Result<HookSurvey, SettingsError> {
    let (_, json) = split(text);
    let document = JsonDocument::parse(json)?;
    let all_disabled = document.root().get("disableAllHooks").and_then(JsonNode::as_bool) == Some(true);
    Ok(HookSurvey { own: HookSettings::read(&document)?.own(), all_disabled })
}

/// The plugins in `text`, and whether they are enabled.
pub fn plugins(text: &str) -> Result<Vec<(String, bool)>, SettingsError> {
    let (_, json) = split(text);
    let document = JsonDocument::parse(json)?;
    let plugins = document.root().get("enabledPlugins").and_then(JsonNode::properties).unwrap_or_default();
    let switched = |(name, node): (&str, JsonNode<'_>)| Some((name.to_owned(), node.as_bool()?));
    Ok(plugins.into_iter().filter_map(switched).collect())
}

/// The hooks that [`install`] would write into `text`.
pub fn wanted(text: &str, asked: &HookRequest) -> Result<HookSet, SettingsError> {
    Ok(asked.over(&survey(text)?.own))
}

/// Installs phaser's hooks into `text`, which may be empty. Plain hooks with default options count as installed where the
/// guard is installed.
pub fn install(text: &str, asked: &HookRequest, existing: IfInstalled) -> Result<Edited, SettingsError> {
    let (_, json) = split(text);
    let own = survey(text)?.own;
    let has_guard = own.iter().any(OwnHook::is_guard);
    if existing == IfInstalled::Keep && has_guard && asked.is_default() && asked.form != HookForm::Guard {
        return Ok(Edited::Unchanged);
    }
    let wanted = asked.over(&own);
    let (mut new, mut differing) = edit_each(json, wanted.events(), |json, event| {
        let document = JsonDocument::parse(json)?;
        let settings = HookSettings::read(&document)?;
        let is_met = |hook: &OwnHook| wanted.is_met_by(hook);
        Ok(settings.install(event, &wanted.group(event), existing, is_met, is_written))
    })?;
    let others: Vec<_> = own.into_iter().filter(|hook| !wanted.events().contains(&&*hook.event)).collect();
    match existing {
        IfInstalled::Upgrade if !others.iter().all(is_written) => differing.extend(others),
        IfInstalled::Keep if has_guard => differing.extend(others),
        IfInstalled::Upgrade | IfInstalled::Replace => new = without_others(&new, wanted.events())?,
        IfInstalled::Keep => {}
    }
    Ok(edited(text, &new, differing))
}

/// Applies `edit` once for each of `wanted`. Returns the new text and the hooks that differ.
fn edit_each<W>(
    json: &str,
    wanted: impl IntoIterator<Item = W>,
    edit: impl Fn(&str, W) -> Result<Edited, SettingsError>,
) -> Result<(String, Vec<OwnHook>), SettingsError> {
    let (mut new, mut differing) = (json.to_owned(), Vec::new());
    for wanted in wanted {
        match edit(&new, wanted)? {
            Edited::Unchanged => {}
            Edited::Changed(text) | Edited::Emptied(text) => new = text,
            Edited::Differs(hooks) => differing.extend(hooks),
        }
    }
    Ok((new, differing))
}

/// The result of editing `text` to the JSON `new`, unless hooks differ.
fn edited(text: &str, new: &str, differing: Vec<OwnHook>) -> Edited {
    let (mark, json) = split(text);
    match differing.as_slice() {
        [] if new == json => Edited::Unchanged,
        [] => Edited::Changed(format!("{mark}{new}")),
        _ => Edited::Differs(differing),
    }
}

/// Whether phaser wrote the hook, unchanged.
fn is_written(hook: &OwnHook) -> bool {
    WrittenCommand::read(&hook.command).is_some()
}

/// Removes phaser's hooks for events other than `wanted`.
fn without_others(json: &str, wanted: &[&str]) -> Result<String, SettingsError> {
    let document = JsonDocument::parse(json)?;
    let mut settings = HookSettings::read(&document)?;
    for event in settings.events.iter_mut().filter(|event| wanted.contains(&event.name)) {
        event.groups.clear();
    }
    Ok(document.apply(settings.removals()))
}

/// Removes all of phaser's hooks from `text`, and the containers that become empty.
pub fn uninstall(text: &str) -> Result<Edited, SettingsError> {
    let (mark, json) = split(text);
    let document = JsonDocument::parse(json)?;
    let splices = HookSettings::read(&document)?.removals();
    if splices.is_empty() {
        return Ok(Edited::Unchanged);
    }
    let left = format!("{mark}{}", document.apply(splices));
    Ok(if left == NOTHING { Edited::Emptied(left) } else { Edited::Changed(left) })
}

/// Empty settings.
const NOTHING: &str = "{}\n";

/// Splits `text` into its byte order mark and the JSON. Blank text is an empty object.
fn split(text: &str) -> (&str, &str) {
    let json = text.trim_start_matches('\u{feff}');
    let mark = &text[..text.len() - json.len()];
    (mark, if json.trim().is_empty() { NOTHING } else { json })
}

/// The hooks in a settings file of any agent.
struct HookSettings<'d> {
    document: &'d JsonDocument<'d>,
    /// The object with the events: `hooks`, or the document itself.
    container: Option<JsonNode<'d>>,
    events: Vec<EventHooks<'d>>,
}

impl HookSettings<'_> {
    /// phaser's hooks.
    fn own(&self) -> Vec<OwnHook> {
        self.events.iter().flat_map(EventHooks::own).collect()
    }

    /// Installs `group` for the event `name`. An installed hook stays if it `is_met`; hooks that phaser wrote, by
    /// `is_written`, are upgraded.
    fn install(
        &self,
        name: &str,
        group: &Value,
        existing: IfInstalled,
        is_met: impl Fn(&OwnHook) -> bool,
        is_written: impl Fn(&OwnHook) -> bool,
    ) -> Edited {
        let changed = |splices| Edited::Changed(self.document.apply(splices));
        let Some(event) = self.events.iter().find(|event| event.name == name) else {
            let groups = json!([group]);
            return changed(vec![match self.container {
                Some(hooks) => hooks.insert(&Child::Property(name, groups)),
                None => self.document.root().insert(&Child::Property("hooks", json!({name: groups}))),
            }]);
        };
        let own: Vec<OwnHook> = event.own().collect();
        let is_installed = || event.groups.iter().any(|installed| installed.node.to_value() == *group);
        match (own.as_slice(), existing) {
            ([], _) => changed(vec![event.node.insert(&Child::Element(group.clone()))]),
            ([_], _) if is_installed() => Edited::Unchanged,
            (_, IfInstalled::Replace) => changed(event.replacements(group)),
            ([hook], _) if is_met(hook) => Edited::Unchanged,
            (own, IfInstalled::Upgrade) if own.iter().all(is_written) => changed(event.replacements(group)),
            _ => Edited::Differs(own),
        }
    }

    /// Removes phaser's hooks, and the containers that become empty.
    fn removals(&self) -> Vec<Splice> {
        let Some(container) = self.container else { return Vec::new() };
        let is_gone = |name: &str| self.events.iter().any(|event| event.name == name && event.is_own());
        let properties = container.properties().unwrap_or_default();
        let gone: Vec<bool> = properties.iter().map(|(name, _)| is_gone(name)).collect();
        let root = self.document.root();
        if let (Some(_), false) = (root.get("hooks"), gone.is_empty() || gone.contains(&false)) {
            let properties = root.properties().unwrap_or_default();
            return root.remove(&properties.iter().map(|(name, _)| *name == "hooks").collect::<Vec<_>>());
        }
        let mut splices = Vec::new();
        if gone.contains(&true) {
            splices.extend(container.remove(&gone));
        }
        for event in self.events.iter().filter(|event| !event.is_own()) {
            splices.extend(event.groups.iter().flat_map(Group::own_removals));
            let gone: Vec<bool> = event.groups.iter().map(Group::is_own).collect();
            if gone.contains(&true) {
                splices.extend(event.node.remove(&gone));
            }
        }
        splices
    }
}

/// The hooks of one event.
struct EventHooks<'d> {
    name: &'d str,
    node: JsonNode<'d>,
    groups: Vec<Group<'d>>,
}

/// Hooks with one matcher.
struct Group<'d> {
    node: JsonNode<'d>,
    matcher: Option<&'d str>,
    list: JsonNode<'d>,
    /// One item per hook; `None` for a hook that is not phaser's.
    own: Vec<Option<Handler<'d>>>,
}

struct Handler<'d> {
    command: &'d str,
    on_failure: Option<&'d str>,
}

impl<'d> EventHooks<'d> {
    fn own(&self) -> impl Iterator<Item = OwnHook> {
        self.groups.iter().flat_map(|group| {
            group.own.iter().flatten().map(|handler| OwnHook {
                event: self.name.to_owned(),
                matcher: group.matcher.map(str::to_owned),
                command: handler.command.to_owned(),
                on_failure: handler.on_failure.map(str::to_owned),
            })
        })
    }

    /// Whether all hooks are phaser's.
    fn is_own(&self) -> bool {
        !self.groups.is_empty() && self.groups.iter().all(Group::is_own)
    }

    /// Replaces the first group with only phaser's hooks by `wanted`, or adds it, and removes phaser's other hooks.
    fn replacements(&self, wanted: &Value) -> Vec<Splice> {
        let kept = self.groups.iter().position(Group::is_own);
        let groups = self.groups.iter().enumerate();
        let gone: Vec<bool> = groups.map(|(at, group)| group.is_own() && Some(at) != kept).collect();
        let mut splices: Vec<Splice> = self.groups.iter().flat_map(Group::own_removals).collect();
        if gone.contains(&true) {
            splices.extend(self.node.remove(&gone));
        }
        splices.push(match kept {
            Some(at) => self.groups[at].node.replace(wanted.clone()),
            None => self.node.insert(&Child::Element(wanted.clone())),
        });
        splices
    }
}

impl Group<'_> {
    /// Whether all hooks are phaser's.
    fn is_own(&self) -> bool {
        !self.own.is_empty() && self.own.iter().all(Option::is_some)
    }

    /// Removes phaser's hooks from a group that has others as well.
    fn own_removals(&self) -> Vec<Splice> {
        let gone: Vec<bool> = self.own.iter().map(Option::is_some).collect();
        if self.is_own() || !gone.contains(&true) { Vec::new() } else { self.list.remove(&gone) }
    }
}

impl<'d> HookSettings<'d> {
    /// Claude Code's hooks, or an error for a shape that it does not read.
    fn read(document: &'d JsonDocument<'d>) -> Result<Self, SettingsError> {
        let container = document.root().get("hooks");
        let events = match container {
            Some(hooks) => hooks.properties().ok_or_else(|| hooks.error("'hooks' should be an object"))?,
            None => Vec::new(),
        };
        let event = |(name, node): (&'d str, JsonNode<'d>)| {
            let groups = node.elements().ok_or_else(|| node.error(format!("'{name}' should be an array")))?;
            let groups = groups.into_iter().map(group).collect::<Result<_, _>>()?;
            Ok(EventHooks { name, node, groups })
        };
        Ok(Self { document, container, events: events.into_iter().map(event).collect::<Result<_, _>>()? })
    }
}

fn group(node: JsonNode<'_>) -> Result<Group<'_>, SettingsError> {
    if node.properties().is_none() {
        return Err(node.error("this should be an object with 'matcher' and 'hooks'"));
    }
    let matcher = match node.get("matcher") {
        Some(matcher) => Some(matcher.as_str().ok_or_else(|| matcher.error("'matcher' should be a string"))?),
        None => None,
    };
    let list = node.get("hooks").ok_or_else(|| node.error("this has no 'hooks'"))?;
    let handlers = list.elements().ok_or_else(|| list.error("'hooks' should be an array here"))?;
    let own = handlers.into_iter().map(own_handler).collect::<Result<_, _>>()?;
    Ok(Group { node, matcher, list, own })
}

/// The hook, if it is phaser's.
fn own_handler(handler: JsonNode<'_>) -> Result<Option<Handler<'_>>, SettingsError> {
    if handler.properties().is_none() {
        return Err(handler.error("this should be an object with 'type' and 'command'"));
    }
    let text = |name: &str| handler.get(name).and_then(JsonNode::as_str);
    let command = text("command").filter(|_| text("type") == Some("command"));
    let own = command.filter(|command| command::is_own(command));
    Ok(own.map(|command| Handler { command, on_failure: text("onFailure") }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use super::hook_set::{POST, PRE};
    use crate::agents::OnClean;

    const PLAIN: HookForm = HookForm::Plain(EditTools::Edits);

    fn asked(form: HookForm) -> HookRequest {
        HookRequest::usual(form)
    }

    const FRESH: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {
            "type": "command",
            "command": "phaser enforce --stdin --severity error",
            "timeout": 60
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {
            "type": "command",
            "command": "phaser enforce --stdin --severity warning",
            "timeout": 60
          }
        ]
      }
    ]
  }
}
"#;

    fn changed(edited: Result<Edited, SettingsError>) -> String {
        match edited {
            Ok(Edited::Changed(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    fn installed(text: &str) -> String {
        changed(install(text, &asked(PLAIN), IfInstalled::Keep))
    }

    fn replaced(text: &str) -> String {
        changed(install(text, &asked(PLAIN), IfInstalled::Replace))
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("valid JSON")
    }

    #[test]
    fn writes_documented_settings() {
        assert_eq!(installed(""), FRESH);
        assert_eq!(installed(" \n"), FRESH);
        assert_eq!(installed("{}\n"), FRESH);
        assert_eq!(installed("{}"), FRESH.trim_end());
        assert_eq!(installed("{ }"), FRESH.trim_end());
    }

    #[test]
    fn writes_tools_and_defer() {
        let wanted = HookRequest { on_clean: Some(OnClean::Defer), ..asked(HookForm::Plain(EditTools::All)) };
        let hooks = value(&changed(install("", &wanted, IfInstalled::Keep)))["hooks"].clone();
        assert_eq!(hooks["PreToolUse"][0]["matcher"], "Edit|Write|MultiEdit|NotebookEdit");
        assert_eq!(hooks["PostToolUse"][0]["matcher"], "Edit|Write|MultiEdit|NotebookEdit");
        assert_eq!(
            hooks["PreToolUse"][0]["hooks"][0]["command"],
            "phaser enforce --stdin --severity error --on-clean defer"
        );
        assert_eq!(
            hooks["PostToolUse"][0]["hooks"][0]["command"],
            "phaser enforce --stdin --severity warning"
        );
    }

    #[test]
    fn a_second_time_changes_nothing() {
        assert_eq!(install(FRESH, &asked(PLAIN), IfInstalled::Keep), Ok(Edited::Unchanged));
        assert_eq!(install(FRESH, &asked(PLAIN), IfInstalled::Replace), Ok(Edited::Unchanged));
    }

    #[test]
    fn keeps_rest_of_file() {
        let before =
            "{\n\n    \"z\": 1.50e+2,\n\n\t\"a\": [ 1,2 ],\n    \"unknown\" : {\"x\":\"\\u0041\"}\n\n}";
        let after = installed(before);
        let added = after.len() - before.len();
        let at = before.rfind('}').expect("a brace") - 2;
        assert_eq!((&after[..at], &after[at + added..]), (&before[..at], &before[at..]));
        assert!(after.contains(",\n    \"hooks\": {\n        \"PreToolUse\": ["), "{after}");
    }

    #[test]
    fn keeps_foreign_hooks() {
        let before = r#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}]}
    ],
    "Stop": []
  },
  "model": "opus"
}
"#;
        let after = installed(before);
        insta::assert_snapshot!(after, @r#"
        {
          "hooks": {
            "PreToolUse": [
              {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}]},
              {
                "matcher": "Edit|Write",
                "hooks": [
                  {
                    "type": "command",
                    "command": "phaser enforce --stdin --severity error",
                    "timeout": 60
                  }
                ]
              }
            ],
            "Stop": [],
            "PostToolUse": [
              {
                "matcher": "Edit|Write",
                "hooks": [
                  {
                    "type": "command",
                    "command": "phaser enforce --stdin --severity warning",
                    "timeout": 60
                  }
                ]
              }
            ]
          },
          "model": "opus"
        }
        "#);
        assert_eq!(changed(uninstall(&after)), before);
    }

    #[test]
    fn keeps_style_of_compact_brackets() {
        let before = r#"{
  "hooks": {
    "PreToolUse": [{
      "matcher": "Bash",
      "hooks": [{ "type": "command", "command": "guard.sh" }]
    }],
    "PostToolUse": [{ "matcher": "Bash", "hooks": [] }]
  }
}
"#;
        let after = installed(before);
        insta::assert_snapshot!(after, @r#"
        {
          "hooks": {
            "PreToolUse": [{
              "matcher": "Bash",
              "hooks": [{ "type": "command", "command": "guard.sh" }]
            }, {
              "matcher": "Edit|Write",
              "hooks": [
                {
                  "type": "command",
                  "command": "phaser enforce --stdin --severity error",
                  "timeout": 60
                }
              ]
            }],
            "PostToolUse": [{ "matcher": "Bash", "hooks": [] }, {"matcher":"Edit|Write","hooks":[{"type":"command","command":"phaser enforce --stdin --severity warning","timeout":60}]}]
          }
        }
        "#);
        assert_eq!(changed(uninstall(&after)), before);
    }

    #[test]
    fn one_line_stays_one_line() {
        let before = r#"{"model":"opus","hooks":{"Stop":[]}}"#;
        let after = installed(before);
        assert!(!after.contains('\n'), "{after}");
        assert_eq!(value(&after)["hooks"]["PreToolUse"], value(FRESH)["hooks"]["PreToolUse"]);
        assert_eq!(changed(uninstall(&after)), before);
    }

    #[test]
    fn line_endings_tabs_and_marks_are_kept() {
        let before = "\u{feff}{\r\n\t\"model\": \"opus\"\r\n}\r\n";
        let after = installed(before);
        assert!(
            after.starts_with("\u{feff}{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\"")
        );
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
        assert_eq!(changed(uninstall(&after)), before);
    }

    #[test]
    fn a_missing_half_is_added() {
        let half = FRESH.replace("PostToolUse", "Stop");
        let after = value(&installed(&half));
        assert_eq!(after["hooks"]["PostToolUse"], value(FRESH)["hooks"]["PostToolUse"]);
    }

    #[test]
    fn ignores_timeout_of_installed_hook() {
        let patient = FRESH.replace("60", "5");
        assert_eq!(install(&patient, &asked(PLAIN), IfInstalled::Keep), Ok(Edited::Unchanged));
        assert_eq!(replaced(&patient), FRESH);
    }

    #[test]
    fn keeps_and_names_differing_hooks() {
        let old = FRESH.replace("enforce --stdin --severity error", "enforce check --stdin");
        let Ok(Edited::Differs(hooks)) = install(&old, &asked(PLAIN), IfInstalled::Keep) else { panic!() };
        assert_eq!(hooks.len(), 1);
        assert_eq!(
            (hooks[0].event.as_str(), hooks[0].command.as_str()),
            ("PreToolUse", "phaser enforce check --stdin")
        );
        let wider = asked(HookForm::Plain(EditTools::All));
        let Ok(Edited::Differs(hooks)) = install(FRESH, &wider, IfInstalled::Keep) else { panic!() };
        assert_eq!(hooks.len(), 2);
    }

    #[test]
    fn force_replaces_older_spellings_in_place() {
        let old = FRESH.replace("enforce --stdin --severity error", "enforce check --stdin");
        assert_eq!(replaced(&old), FRESH);
    }

    #[test]
    fn force_removes_mixed_and_duplicate_hooks() {
        let old = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write",
        "hooks": [
          {"type": "command", "command": "a.sh"},
          {"type": "command", "command": "phaser enforce check --stdin"},
          {"type": "command", "command": "b.sh || phaser enforce --stdin"}
        ]
      }
    ],
    "PostToolUse": [
      {"matcher": "Write", "hooks": [{"type": "command", "command": "phaser enforce --stdin"}]},
      {"matcher": "Edit", "hooks": [{"type": "command", "command": "phaser enforce --stdin"}]},
      {"matcher": "Edit", "hooks": [{"type": "command", "command": "c.sh"}]}
    ]
  }
}
"#;
        insta::assert_snapshot!(replaced(old), @r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "matcher": "Write",
                "hooks": [
                  {"type": "command", "command": "a.sh"},
                  {"type": "command", "command": "b.sh || phaser enforce --stdin"}
                ]
              },
              {
                "matcher": "Edit|Write",
                "hooks": [
                  {
                    "type": "command",
                    "command": "phaser enforce --stdin --severity error",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PostToolUse": [
              {"matcher":"Edit|Write","hooks":[{"type":"command","command":"phaser enforce --stdin --severity warning","timeout":60}]},
              {"matcher": "Edit", "hooks": [{"type": "command", "command": "c.sh"}]}
            ]
          }
        }
        "#);
    }

    #[test]
    fn uninstall_leaves_nothing_empty_behind() {
        assert_eq!(uninstall(FRESH), Ok(Edited::Emptied("{}\n".to_owned())));
        assert_eq!(changed(uninstall(FRESH.trim_end())), "{}", "no file that install has made");
        let mixed = FRESH.replace("{\n  \"hooks\"", "{\n  \"a\": 1,\n  \"hooks\"");
        assert_eq!(changed(uninstall(&mixed)), "{\n  \"a\": 1\n}\n");
        assert_eq!(uninstall("{\"hooks\": {}}"), Ok(Edited::Unchanged));
        assert_eq!(uninstall(""), Ok(Edited::Unchanged));
    }

    #[test]
    fn uninstall_takes_only_phasers_hooks() {
        let before = r#"{"hooks": {"PreToolUse": [{"hooks": [
            {"type": "command", "command": "a"}, {"type": "command", "command": "phaser enforce --stdin"},
            {"type": "prompt", "prompt": "phaser enforce --stdin"}
        ]}], "Stop": [{"hooks": [{"type": "command", "command": "phaser enforce check --stdin"}]}]}}"#;
        let after = value(&changed(uninstall(before)));
        let commands: Vec<_> = after["hooks"]["PreToolUse"][0]["hooks"].as_array().expect("hooks").clone();
        assert_eq!(
            commands,
            [
                json!({"type": "command", "command": "a"}),
                json!({"type": "prompt", "prompt": "phaser enforce --stdin"})
            ]
        );
        assert_eq!(after["hooks"].get("Stop"), None);
    }

    #[test]
    fn rejects_invalid_settings_with_line() {
        let error =
            |text: &str| install(text, &asked(PLAIN), IfInstalled::Replace).expect_err(text).to_string();
        assert_eq!(error("{\n  // mine\n}"), "line 2: JSON has no comments; remove this one");
        assert_eq!(error("{\n  /* mine */\n}"), "line 2: JSON has no comments; remove this one");
        assert_eq!(error("{\n\"a\": 1,\n}"), "line 2: nothing follows this comma; remove it");
        assert_eq!(
            error("{\"a\": {\"b\": 1,\n\"c\": 2,\n\"b\": 3}}"),
            "line 3: the key 'b' is repeated in one object (remove one of them)"
        );
        assert_eq!(error("{\"a\": 1\n\"b\": 2}"), "line 1: this is not valid JSON: expected comma");
        assert!(error("{\n").contains("this is not valid JSON: unterminated object"));
        assert!(error("{'a': 1}").contains("not valid JSON"));
        assert!(error("{\"a\": 01}").contains("not valid JSON"));
        assert!(error("{\"a\": \"x\ty\"}").contains("not valid JSON"));
        assert_eq!(error("\n[]"), "line 2: the settings should be an object");
    }

    #[test]
    fn wrong_shapes_are_refused_with_their_line() {
        let error =
            |text: &str| install(text, &asked(PLAIN), IfInstalled::Replace).expect_err(text).to_string();
        assert_eq!(error("{\n\"hooks\": []}"), "line 2: 'hooks' should be an object");
        assert_eq!(error("{\"hooks\": {\n\"PreToolUse\": {}}}"), "line 2: 'PreToolUse' should be an array");
        assert_eq!(
            error("{\"hooks\": {\"Stop\": [\n7]}}"),
            "line 2: this should be an object with 'matcher' and 'hooks'"
        );
        assert_eq!(error("{\"hooks\": {\"Stop\": [\n{}]}}"), "line 2: this has no 'hooks'");
        assert_eq!(
            error("{\"hooks\": {\"Stop\": [{\n\"matcher\": 7, \"hooks\": []}]}}"),
            "line 2: 'matcher' should be a string"
        );
        assert_eq!(
            error("{\"hooks\": {\"Stop\": [{\n\"hooks\": {}}]}}"),
            "line 2: 'hooks' should be an array here"
        );
        assert_eq!(
            error("{\"hooks\": {\"Stop\": [{\"hooks\": [\n\"x\"]}]}}"),
            "line 2: this should be an object with 'type' and 'command'"
        );
    }

    #[test]
    fn survey_finds_hooks_and_switch() {
        let survey = |text: &str| super::survey(text).expect("valid settings");
        assert_eq!(survey(FRESH).own.len(), 2);
        assert_eq!(survey(FRESH).own[1].event, "PostToolUse");
        assert!(!survey(FRESH).all_disabled);
        assert!(survey("{\"disableAllHooks\": true}").all_disabled);
        assert!(survey("").own.is_empty());
    }

    #[test]
    fn plugins_are_on_or_off() {
        let text = r#"{"enabledPlugins": {"phaser@a": true, "b@c": false, "d": 7}}"#;
        assert_eq!(plugins(text), Ok(vec![("phaser@a".to_owned(), true), ("b@c".to_owned(), false)]));
        assert_eq!(plugins("{\"enabledPlugins\": []}"), Ok(Vec::new()));
        assert_eq!(plugins(""), Ok(Vec::new()));
    }

    /// Settings as people write them: any keys, any style.
    fn settings() -> impl Strategy<Value = String> {
        let gap = || prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\n\n\t"), Just("\r\n    ")];
        let group = prop_oneof![
            Just(r#"{"hooks":[]}"#),
            Just(r#"{ "matcher": "Bash", "hooks": [ {"type": "command", "command": "x"} ] }"#),
            Just("{\n\"hooks\": [\n{\"type\": \"prompt\"}]}"),
        ];
        let groups = (gap(), proptest::collection::vec(group, 1..3), gap())
            .prop_map(|(a, groups, b)| format!("[{a}{}{b}]", groups.join(&format!(",{a}"))));
        let hooks = (gap(), proptest::sample::subsequence(vec![PRE, POST, "Stop"], 1..=3), groups, gap())
            .prop_map(|(a, names, groups, b)| {
                let events: Vec<_> = names.iter().map(|name| format!("\"{name}\":{b}{groups}")).collect();
                format!("{{{a}{}{b}}}", events.join(&format!("{b},{a}")))
            });
        let number = prop_oneof![Just("1.50"), Just("-0"), Just("1E5"), Just("12345678901234567890123")];
        (gap(), number, proptest::option::of(hooks), gap(), gap()).prop_map(|(a, number, hooks, b, end)| {
            let hooks = hooks.map(|hooks| format!(",{a}\"hooks\":{b}{hooks}")).unwrap_or_default();
            format!("{{{a}\"n\"{b}:{number}{hooks},{a}\"é\":[]{b}}}{end}")
        })
    }

    const COMMAND: &str = "hash phaser && exec phaser enforce --stdin --guard; echo {}";

    fn guarded(text: &str) -> String {
        changed(install(text, &asked(HookForm::Guard), IfInstalled::Upgrade))
    }

    #[test]
    fn guard_has_hook_for_every_event() {
        let handler = json!({"type": "command", "command": COMMAND, "timeout": 60});
        let all = json!([{"hooks": [handler]}]);
        let of = |matcher: &str| json!([{"matcher": matcher, "hooks": [handler]}]);
        let expected = json!({"hooks": {
            "SessionStart": all,
            "SubagentStart": all,
            "PreToolUse": of("^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$"),
            "PostToolUse": of("^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$"),
            "PostToolUseFailure": of("Bash"),
            "Stop": all,
            "SubagentStop": all,
            "ConfigChange": all,
        }});
        let fresh = guarded("");
        assert_eq!(fresh, format!("{}\n", serde_json::to_string_pretty(&expected).expect("JSON")));
        assert_eq!(uninstall(&fresh), Ok(Edited::Emptied("{}\n".to_owned())));
        assert!(survey(&fresh).expect("valid").own.iter().all(OwnHook::is_guard));
    }

    #[test]
    fn guard_replaces_plain_and_older_hooks() {
        let guard = value(&guarded(""));
        let older = guarded("").replace(COMMAND, "phaser enforce --stdin --guard").replace("^(", "(");
        let python = FRESH.replace("enforce --stdin", "enforce check --stdin");
        let double = r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "a"}, {"type": "command", "command": "phaser enforce --stdin --guard"}]}],
            "Notification": [{"hooks": [{"type": "command", "command": "phaser enforce --stdin"}]}]}}"#;
        for before in [FRESH, &older, &python] {
            assert_eq!(value(&guarded(before)), guard, "{before}");
        }
        let after = value(&guarded(double));
        assert_eq!(after["hooks"].get("Notification"), None);
        assert_eq!(after["hooks"]["Stop"][0]["hooks"], json!([{"type": "command", "command": "a"}]));
        assert_eq!(after["hooks"]["Stop"][1], guard["hooks"]["Stop"][0]);
        let again = install(&guarded(""), &asked(HookForm::Guard), IfInstalled::Upgrade);
        assert_eq!(again, Ok(Edited::Unchanged));
    }

    #[test]
    fn guard_keeps_hook_changed_by_user() {
        let mine = FRESH.replace("--severity error", "--severity error --timeout 500");
        let Ok(Edited::Differs(hooks)) = install(&mine, &asked(HookForm::Guard), IfInstalled::Upgrade) else {
            panic!()
        };
        assert_eq!(hooks.len(), 1);
        let elsewhere = guarded("")
            .replace("ConfigChange", "Notification")
            .replace(COMMAND, "/opt/phaser enforce --stdin");
        let Ok(Edited::Differs(hooks)) = install(&elsewhere, &asked(HookForm::Guard), IfInstalled::Upgrade)
        else {
            panic!()
        };
        assert_eq!(hooks.len(), 8);
        let forced = changed(install(&elsewhere, &asked(HookForm::Guard), IfInstalled::Replace));
        assert_eq!(value(&forced), value(&guarded("")));
    }

    #[test]
    fn guard_includes_plain_hooks() {
        let guard = guarded("");
        assert_eq!(install(&guard, &asked(PLAIN), IfInstalled::Keep), Ok(Edited::Unchanged));
        let other = HookRequest { on_clean: Some(OnClean::Defer), ..asked(PLAIN) };
        let Ok(Edited::Differs(hooks)) = install(&guard, &other, IfInstalled::Keep) else { panic!() };
        assert_eq!(hooks.len(), 8);
        assert_eq!(value(&replaced(&guard)), value(FRESH));
    }

    #[test]
    fn writes_on_failure_into_one_hook() {
        let strict = HookRequest { on_fail: Some(OnFail::Block), ..asked(HookForm::Guard) };
        let after = changed(install(&guarded(""), &strict, IfInstalled::Upgrade));
        assert_eq!(after.matches("onFailure").count(), 1);
        let before = survey(&after).expect("valid").own.into_iter().find(|hook| hook.event == PRE);
        let before = before.expect("a hook");
        assert_eq!(before.on_failure.as_deref(), Some("block"));
        assert_eq!(before.command, "phaser enforce --stdin --guard");
        assert_eq!(
            install(&after, &asked(HookForm::Guard), IfInstalled::Upgrade),
            Ok(Edited::Unchanged),
            "is kept"
        );
        let lax = HookRequest { on_fail: Some(OnFail::Continue), ..asked(HookForm::Guard) };
        assert_eq!(changed(install(&after, &lax, IfInstalled::Upgrade)), guarded(""));
    }

    proptest! {
        #[test]
        fn uninstall_reverts_install(before in settings()) {
            for (form, count) in [(PLAIN, 2), (HookForm::Guard, 8)] {
                let after = changed(install(&before, &asked(form), IfInstalled::Upgrade));
                for existing in [IfInstalled::Keep, IfInstalled::Upgrade, IfInstalled::Replace] {
                    prop_assert_eq!(install(&after, &asked(form), existing), Ok(Edited::Unchanged));
                }
                prop_assert_eq!(survey(&after).expect("valid").own.len(), count);
                for event in [PRE, POST] {
                    let groups = value(&after)["hooks"][event].as_array().cloned().expect("groups");
                    prop_assert_eq!(groups.last(), Some(&asked(form).over(&[]).group(event)));
                }
                prop_assert_eq!(changed(uninstall(&after)), before.clone());
            }
        }
    }
}
