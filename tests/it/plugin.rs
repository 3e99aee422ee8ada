//! The plugin for Claude Code: its hooks are those of `install --guard`, its versions are phaser's, and the commands of
//! its skill work.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::guide::follow_in;
use crate::harness::Sandbox;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json(path: &str) -> Value {
    let text = fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn hooks_equal_those_of_guard() {
    let installed = Sandbox::new().run(["enforce", "install", "--guard", "--dry-run"]).json();
    let plugin = json("plugin/hooks/hooks.json");
    assert_eq!(plugin["hooks"], installed["hooks"]);
    let order =
        |value: &Value| value["hooks"].as_object().expect("events").keys().cloned().collect::<Vec<_>>();
    assert_eq!(order(&plugin), order(&installed));
    assert!(plugin["description"].is_string());
}

#[test]
fn its_versions_are_phasers() {
    let version = env!("CARGO_PKG_VERSION");
    let market = json(".claude-plugin/marketplace.json");
    let manifest = json("plugin/.claude-plugin/plugin.json");
    assert_eq!(manifest["version"], version);
    assert_eq!(market["metadata"]["version"], version);
    let plugins = market["plugins"].as_array().expect("plugins");
    assert_eq!(plugins.len(), 1);
    assert_eq!(plugins[0]["version"], version);
    for key in ["name", "description"] {
        assert_eq!(plugins[0][key], manifest[key], "{key}");
    }
    let source = plugins[0]["source"].as_str().expect("a directory");
    assert!(top().join(source).join(".claude-plugin/plugin.json").is_file(), "{source}");
}

/// A project whose second commit adds a `print`.
fn project() -> Sandbox {
    let first = "import logging\n\ndef total(items):\n    print(items)\n    return sum(items)\n";
    let sandbox = Sandbox::new().git_init().file("src/app.py", first).git_add("src").git_commit("one");
    let second = format!("{first}\ndef blueprint(name):\n    print(name)\n    return name\n");
    sandbox.file("src/app.py", second).git_add("src").git_commit("two")
}

fn skill() -> String {
    fs::read_to_string(top().join("plugin/skills/phaser-contracts/SKILL.md")).expect("is there")
}

#[test]
fn the_skill_does_what_it_says() {
    assert_eq!(follow_in(project(), &skill()), 5);
}

#[test]
fn skill_has_name_and_trigger() {
    let skill = skill();
    let head = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("a head").0;
    let value = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)).expect(key).to_owned();
    assert_eq!(value("name: "), "phaser-contracts");
    let description = value("description: ");
    assert!(description.contains("Use when") && description.len() < 1024, "{}", description.len());
}

#[test]
fn skill_names_existing_keys_and_commands() {
    let skill = skill();
    let schema = Sandbox::new().run(["contracts", "schema"]).json();
    let keys = schema["properties"].as_object().expect("keys");
    let table = skill.lines().filter_map(|line| line.strip_prefix("| `"));
    let named: Vec<&str> = table
        .flat_map(|row| row.split(" |").next().unwrap_or_default().split(", "))
        .map(|name| name.trim_matches('`'))
        .collect();
    assert!(named.len() > 8, "{named:?}");
    for name in named {
        assert!(keys.contains_key(name), "{name}");
    }
    for command in ["contracts list", "explain ID", "baseline --add --only no-print"] {
        assert!(skill.contains(&format!("`phaser {command}`")), "{command}");
    }
    let sandbox = project().contract(
        "rule_id: no-print\ntype: forbid_pattern\npattern: 'print'\nfile_glob: '**/*.py'\nmessage: No.\nseverity: error\n",
    );
    assert_eq!(sandbox.run(["contracts", "list"]).code, Some(0));
    assert_eq!(sandbox.run(["explain", "no-print"]).code, Some(0));
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(sandbox.run(["baseline", "--add", "--only", "no-print"]).code, Some(0));
}
