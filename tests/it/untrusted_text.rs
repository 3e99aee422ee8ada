//! Untrusted text in responses to agents: paths and patterns with control characters, bidirectional overrides and workflow
//! commands, for every reason that a response may have.

use std::fs;

use serde_json::Value;

use crate::agents::{ALL, Deed, When};
use crate::harness::{Sandbox, forbid, warning};

const EVIL: [&str; 5] = [
    "a\u{202e}b",
    "a\u{1b}[31m\u{7}b",
    "a\u{2066}\u{200f}\u{2028}b",
    "::error::b",
    "a ##[error]b ##vso[task.complete]",
];

const POLICIES: &str = "ignores: deny\nprotect: deny\n";

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-x", "X", "**/*.py")).file(".claude/phaser.yaml", POLICIES)
}

fn is_active(c: char) -> bool {
    let is_bidirectional =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && c != '\n' || is_bidirectional
}

/// Every string in a response, decoded as the agent sees it.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[track_caller]
fn assert_inert(response: &Value) {
    for text in strings(response) {
        assert_eq!(text.chars().find(|c| is_active(*c)), None, "{text:?}");
        let is_command = |line: &str| {
            line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
        };
        assert!(!text.lines().any(is_command), "{text:?}");
    }
}

/// The reason for denying a Write of `content` to the file.
#[track_caller]
fn denied(sandbox: &Sandbox, path: &str, content: &str) -> String {
    let output = sandbox.hook("PreToolUse").write(path, content).guard().run();
    assert_inert(&output.json());
    assert_eq!(output.decision(), "deny", "{output}");
    output.reason()
}

#[test]
fn sanitises_reason_of_plain_denial() {
    for evil in EVIL {
        // A file with control characters is binary.
        let line = format!("X {}\n", evil.replace(char::is_control, ""));
        let reason = denied(&sandbox(), &format!("{evil}.py"), &line);
        assert!(reason.starts_with("no-x: ") && reason.lines().count() == 3, "{reason}");
    }
}

#[test]
fn sanitises_path_under_ignores_deny() {
    for evil in EVIL {
        let reason = denied(&sandbox(), &format!("{evil}.py"), "X # phaser:ignore no-x\n");
        assert!(reason.contains("'ignores: deny'"), "{reason}");
    }
}

#[test]
fn sanitises_path_under_protect_deny() {
    for evil in EVIL {
        let file = format!(".claude/contracts/{evil}.yaml");
        let contract = forbid("no-y", "Y", "**/*.py");
        let sandbox = sandbox().file(&file, &contract);
        let reason = denied(&sandbox, &file, &warning(&contract));
        assert!(reason.contains("'protect: deny'") && reason.contains("no-y"), "{reason}");
    }
}

#[test]
fn sanitises_message_about_broken_contract() {
    for evil in EVIL {
        let sandbox = sandbox().file(&format!(".claude/contracts/{evil}.yaml"), "rule_id: [\n");
        let output = sandbox.hook("PreToolUse").write("a.py", "y\n").guard().run();
        assert!(output.json()["systemMessage"].is_string(), "{output}");
        assert_inert(&output.json());
        assert_eq!(output.stderr.chars().find(|c| is_active(*c)), None, "{output}");
    }
}

#[test]
fn sanitises_what_every_agent_receives() {
    for content in ["X\n", "X # phaser:ignore no-x\n"] {
        for client in ALL {
            let sandbox = sandbox();
            let path = format!("{}.py", EVIL[0]);
            let patch = format!("*** Begin Patch\n*** Add File: {path}\n+{content}*** End Patch");
            let write = client.event(&sandbox, When::Before, Deed::Write { path: &path, content });
            let event = write.or_else(|| client.event(&sandbox, When::Before, Deed::Patch(&patch)));
            let output = client.run(&sandbox, event.expect("an event").to_string(), &["--guard"]);
            assert_inert(&output.json());
            fs::write(sandbox.path(&path), content).expect("written");
            let write = client.event(&sandbox, When::After, Deed::Write { path: &path, content });
            if let Some(event) = write {
                assert_inert(&client.run(&sandbox, event.to_string(), &["--guard"]).json());
            }
        }
    }
}
