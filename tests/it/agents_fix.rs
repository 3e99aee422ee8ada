//! Edits of other agents than Claude Code fixed in flight, for agents that accept another input from a hook.

use serde_json::{Value, json};

use crate::agents::Client::{self, *};
use crate::agents::{ALL, Deed, When, assert_denied};
use crate::harness::{Sandbox, violations_in};

const NONE: &str = "rule_id: is-none\ntype: forbid_pattern\npattern: '(\\w+) == None'\nfile_glob: '**'\n\
    message: 'Compare with is.'\nseverity: error\nfix: '$1 is None'\n";

fn sandbox() -> Sandbox {
    Sandbox::new().contract(NONE).file(".claude/phaser.yaml", "fixes: apply\nexisting: report\n")
}

/// Where an event has the input of its tool.
fn input(client: Client, event: &Value) -> Value {
    let place = match client {
        Copilot => "/toolArgs",
        Opencode => "/output/args",
        Cline => "/tool_call/input",
        _ => "/tool_input",
    };
    event.pointer(place).expect("an input").clone()
}

/// The new input in a response, and the text for the model; `None` for an agent that takes no input.
fn fixed(client: Client, answer: &Value) -> Option<(Value, String)> {
    let specific = &answer["hookSpecificOutput"];
    let (input, message) = match client {
        Copilot => (&answer["modifiedArgs"], &answer["additionalContext"]),
        CopilotAsClaude => (&specific["updatedInput"], &answer["additionalContext"]),
        Codex | VsCode => (&specific["updatedInput"], &specific["additionalContext"]),
        // It hands this on to the hook after the tool.
        Droid => (&specific["updatedInput"], &specific["updatedInput"]["phaser"]),
        // It drops context before a tool runs, and reports itself that the input was changed.
        Gemini => (&specific["tool_input"], &json!("is-none")),
        Opencode => (&answer["args"], &answer["context"]),
        Cline => (&answer["overrideInput"], &answer["context"]),
        Cursor | Qwen | Windsurf | Devin | Kiro => return None,
    };
    let (mut input, message) = (input.clone(), message.as_str().map(str::to_owned));
    if client == Droid {
        input.as_object_mut().expect("an object").remove("phaser");
    }
    let decision = if client == Codex { json!("allow") } else { Value::Null };
    assert_eq!(specific["permissionDecision"], decision, "{client:?}: {answer}");
    assert!(answer.get("permissionDecision").is_none() && answer.get("decision").is_none(), "{answer}");
    Some((input, message.unwrap_or_else(|| panic!("{client:?}: {answer}"))))
}

/// The texts of a value, one after another.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Object(fields) => fields.values().map(texts).collect(),
        _ => String::new(),
    }
}

fn check(client: Client, sandbox: &Sandbox, deed: Deed<'_>) {
    let Some(event) = client.event(sandbox, When::Before, deed) else { return };
    let answer = client.answer(sandbox, When::Before, deed).expect("an answer");
    let Some((new, message)) = fixed(client, &answer) else {
        let denied = texts(&answer) + &texts(&answer["hookSpecificOutput"]);
        let denied = violations_in(&denied);
        assert!(denied.iter().any(|violation| violation.starts_with("is-none at ")), "{client:?}: {answer}");
        return;
    };
    assert!(message.contains("is-none"), "{client:?}: {message}");
    let old = input(client, &event);
    let root = sandbox.root().display().to_string();
    let expected = texts(&old).replace("a == None", "a is None").replace(&root, "[ROOT]");
    assert_eq!(texts(&new), expected, "{client:?}: {answer}");
    // All the rest is there: some clients put the new input in the place of the old one.
    let keys = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    assert_eq!(keys(&new), keys(&old), "{client:?}");
}

#[test]
fn fixes_write_in_flight() {
    for client in ALL {
        let deed = Deed::Write { path: "a.py", content: "if a == None:\n    pass\n" };
        check(client, &sandbox(), deed);
    }
}

#[test]
fn droid_receives_fixes_after_the_tool() {
    let sandbox = sandbox();
    let deed = Deed::Write { path: "a.py", content: "if a is None:\n    pass\n" };
    let mut event = Droid.event(&sandbox, When::After, deed).expect("an event");
    event["tool_input"]["phaser"] = json!("what was changed");
    let answer = Droid.run(&sandbox, event.to_string(), &["--guard"]).json();
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], "what was changed", "{answer}");
}

#[test]
fn fixes_edit_and_keeps_old_lines() {
    for client in ALL {
        let sandbox = sandbox().file("a.py", "b == None\ntwo\n");
        check(client, &sandbox, Deed::Edit { path: "a.py", old: "two", new: "a == None" });
    }
}

#[test]
fn fixes_patch_file_by_file() {
    let patch = "*** Begin Patch\n*** Add File: new.py\n+a == None\n*** Update File: a.py\n@@\n one\n-two\n+2\n three\n\
        *** Delete File: gone.py\n*** End Patch\n";
    for client in ALL {
        let sandbox = sandbox().file("a.py", "one\ntwo\nthree\n").file("gone.py", "x\n");
        check(client, &sandbox, Deed::Patch(patch));
    }
}

#[test]
fn rewrites_fixed_update_section() {
    let sandbox = sandbox().file("a.py", "zero\none\ntwo\nthree\n");
    let patch =
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-two\n+a == None\n*** End Patch\n";
    let answer = Codex.answer(&sandbox, When::Before, Deed::Patch(patch)).expect("an answer");
    assert_eq!(
        answer["hookSpecificOutput"]["updatedInput"]["command"],
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n zero\n one\n-two\n+a is None\n three\n*** End Patch\n",
        "{answer}"
    );
}

#[test]
fn denies_patch_in_shell_or_other_environment() {
    let patch = "*** Begin Patch\n*** Environment ID: far\n*** Add File: a.py\n+a == None\n*** End Patch\n";
    let in_shell = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.py\n+a == None\n*** End Patch\nEOF";
    for deed in [Deed::Patch(patch), Deed::Shell(in_shell)] {
        let answer = Codex.answer(&sandbox(), When::Before, deed).expect("an answer");
        assert_denied(Codex, &answer, &["is-none at a.py:1"]);
    }
}

#[test]
fn denies_patch_it_cannot_fix_entirely() {
    let bad = "rule_id: no-bad\ntype: forbid_pattern\npattern: bad\nfile_glob: '**'\nmessage: 'Not this.'\nseverity: error\n";
    let patch =
        "*** Begin Patch\n*** Add File: new.py\n+a == None\n*** Add File: other.py\n+bad\n*** End Patch\n";
    let sandbox = sandbox().contract(bad);
    let answer = Codex.answer(&sandbox, When::Before, Deed::Patch(patch)).expect("an answer");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
    assert_eq!(answer["hookSpecificOutput"].get("updatedInput"), None);
}
