//! Hooks in the configuration of each agent.

use serde_json::{Value, json};

use super::*;

const SETTINGS: [Agent; 8] = [
    Agent::Codex,
    Agent::Copilot,
    Agent::Cursor,
    Agent::Gemini,
    Agent::Qwen,
    Agent::Droid,
    Agent::Windsurf,
    Agent::Devin,
];

fn file(agent: Agent) -> HookFile {
    files(&homes(agent)[0]).remove(0)
}

fn changed(edited: Result<Edited, SettingsError>) -> String {
    match edited {
        Ok(Edited::Changed(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn installs_and_removes_every_hook() {
    for agent in SETTINGS {
        let file = file(agent);
        let text = changed(file.install("", IfInstalled::Keep));
        let own = file.survey(&text).expect("readable");
        assert_eq!(own.len(), if agent == Agent::Windsurf { 2 } else { 4 }, "{text}");
        assert!(own.iter().all(|hook| hook.command == command_of(agent)), "{text}");
        assert_eq!(file.install(&text, IfInstalled::Keep), Ok(Edited::Unchanged), "{agent:?}");
        assert_eq!(file.install(&text, IfInstalled::Replace), Ok(Edited::Unchanged), "{agent:?}");
        assert!(matches!(file.uninstall(&text), Ok(Edited::Emptied(_))), "{agent:?}");
        assert_eq!(file.uninstall(""), Ok(Edited::Unchanged));
    }
}

#[test]
fn the_command_never_changes() {
    // An agent may have it confirmed by the user whenever it does.
    assert_eq!(
        command_of(Agent::Codex),
        "hash phaser && exec phaser enforce --stdin --guard --agent codex; echo {}"
    );
    assert_eq!(command_of(Agent::Copilot), "hash phaser && exec phaser enforce --stdin --guard; echo {}");
}

#[test]
fn the_forms_are_the_clients_own() {
    let codex: Value =
        serde_json::from_str(&changed(file(Agent::Codex).install("", IfInstalled::Keep))).expect("JSON");
    let pre = &codex["hooks"]["PreToolUse"][0];
    assert_eq!(pre["matcher"], "^(apply_patch|Bash|mcp__.+)$");
    assert_eq!(pre["hooks"][0]["type"], "command");
    let copilot: Value =
        serde_json::from_str(&changed(file(Agent::Copilot).install("", IfInstalled::Keep))).expect("JSON");
    assert_eq!(
        (&copilot["version"], &copilot["hooks"]["preToolUse"][0]["type"]),
        (&json!(1), &json!("command"))
    );
    assert!(copilot["hooks"]["preToolUse"][0]["bash"].is_string());
    let droid: Value =
        serde_json::from_str(&changed(file(Agent::Droid).install("", IfInstalled::Keep))).expect("JSON");
    assert!(droid["PreToolUse"][0]["hooks"][0]["command"].is_string());
    let gemini: Value =
        serde_json::from_str(&changed(file(Agent::Gemini).install("", IfInstalled::Keep))).expect("JSON");
    assert_eq!(gemini["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"], 60_000);
    let cursor: Value =
        serde_json::from_str(&changed(file(Agent::Cursor).install("", IfInstalled::Keep))).expect("JSON");
    assert_eq!(cursor["hooks"]["preToolUse"][0]["matcher"], "Write|Shell");
}

#[test]
fn keeps_entries_of_others() {
    for (agent, text) in [
        (
            Agent::Codex,
            r#"{ "description": "ours", "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint" }] }] } }"#,
        ),
        (Agent::Gemini, "{\n    \"theme\": \"x\",\n    \"hooks\": {\"Notification\": []}\n}\n"),
        (Agent::Qwen, "{\n\t\"model\": 1.50\n}"),
        (Agent::Cursor, "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./done.sh\"}]}}"),
        (Agent::Droid, "{\"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]}"),
        (
            Agent::Copilot,
            "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"type\": \"command\", \"bash\": \"./x\"}]}}",
        ),
    ] {
        let file = file(agent);
        let installed = changed(file.install(text, IfInstalled::Keep));
        assert_eq!(file.survey(&installed).expect("readable").len(), 4, "{installed}");
        let back = changed(file.uninstall(&installed));
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&back), value(text), "{agent:?}");
    }
}

#[test]
fn keeps_modified_hook_without_force() {
    for agent in SETTINGS {
        let file = file(agent);
        let text = changed(file.install("", IfInstalled::Keep));
        let other = text.replace("--guard", "--guard --on-clean defer");
        assert!(matches!(file.install(&other, IfInstalled::Keep), Ok(Edited::Differs(_))), "{agent:?}");
        let again = changed(file.install(&other, IfInstalled::Replace));
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&again), value(&text), "{agent:?}");
    }
}

#[test]
fn refuses_unreadable_settings() {
    for agent in SETTINGS {
        for text in ["{ // a comment\n}", "[]", "{", "{\"hooks\": {}, \"hooks\": {}}"] {
            assert!(file(agent).install(text, IfInstalled::Replace).is_err(), "{agent:?} {text}");
        }
    }
    assert!(file(Agent::Codex).install("{\"hooks\": []}", IfInstalled::Keep).is_err());
    assert!(file(Agent::Codex).install("{\"hooks\": {\"Stop\": {}}}", IfInstalled::Keep).is_err());
}

#[test]
fn keeps_whole_files_of_others() {
    for agent in [Agent::Opencode, Agent::Cline] {
        for file in files(&homes(agent)[0]) {
            let text = changed(file.install("", IfInstalled::Keep));
            assert_eq!(file.install(&text, IfInstalled::Keep), Ok(Edited::Unchanged));
            assert_eq!(file.survey(&text).expect("readable").len(), 1);
            assert_eq!(file.install("other", IfInstalled::Keep), Ok(Edited::Differs(vec![])));
            assert_eq!(changed(file.install("other", IfInstalled::Replace)), text);
            let older = text.replace("60000", "1").replace("hash phaser", "hash  phaser");
            assert_eq!(changed(file.install(&older, IfInstalled::Keep)), text, "an older one of its own");
            assert_eq!(file.uninstall(&text), Ok(Edited::Emptied(String::new())));
            assert_eq!(file.uninstall("other"), Ok(Edited::Unchanged));
        }
    }
}
