//! Hooks of phaser's in settings of Claude Code.

use super::*;

fn hooks(matcher: &str, command: &str, more: &str) -> String {
    format!(
        r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "{command}"{more}}}]}}]}}}}"#
    )
}

#[test]
fn reports_weaker_hooks() {
    let was = hooks("Edit|Write", "phaser enforce --stdin", r#", "timeout": 60, "onFailure": "block""#);
    let block = r#", "onFailure": "block""#;
    let found = |after: Option<&str>| weaker(&[(SETTINGS_FILE, &was)], &[(SETTINGS_FILE, after)]);
    let hook = |what: &str| format!("the hook for PreToolUse in .claude/settings.json {what}");
    let command = "phaser enforce --stdin";
    for (after, expected) in [
        ("{}".to_owned(), hook("is gone")),
        (hooks("Edit|Write", "other", block), hook("is gone")),
        (was.replace("PreToolUse", "PostToolUse"), hook("is gone")),
        (hooks("Edit", command, block), hook("is not for Write any more")),
        (hooks("Ed.*", command, block), hook("is not for Edit, Write any more")),
        (hooks("Edit|Write", "phaser enforce --stdin --skip x", block), hook("runs phaser with '--skip x'")),
        (hooks("Edit|Write", command, ""), hook("lets calls through when it fails ('onFailure')")),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "timeout": 1"#),
            hook("has too little time ('timeout')"),
        ),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "async": true"#),
            hook("is not waited for any more ('async')"),
        ),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "if": "Bash(x)""#),
            hook("has a condition ('if')"),
        ),
        (
            was.replacen('{', r#"{"disableAllHooks": true, "#, 1),
            "'disableAllHooks' in .claude/settings.json switches all hooks off".to_owned(),
        ),
        (
            "{".to_owned(),
            ".claude/settings.json cannot be read any more, so that the hooks in it do nothing".to_owned(),
        ),
    ] {
        assert_eq!(found(Some(&after)), [expected], "{after}");
    }
    assert_eq!(found(None), [hook("is gone")]);
    for after in [
        was.replace("Edit|Write", "*"),
        was.replace("Edit|Write", "Write, Edit, NotebookEdit"),
        was.replace("60", "30").replace("--stdin", "--stdin --guard"),
        format!("\u{feff}{}", was.replacen('{', r#"{"model": "x", "#, 1)),
    ] {
        assert_eq!(found(Some(&after)), [""; 0], "{after}");
    }
    // Two groups that are for the same tools together.
    let group = |tool: &str| {
        format!(r#"{{"matcher": "{tool}", "hooks": [{{"type": "command", "command": "{command}"{block}}}]}}"#)
    };
    let apart = format!(r#"{{"hooks": {{"PreToolUse": [{}, {}]}}}}"#, group("Edit"), group("Write"));
    assert_eq!(found(Some(&apart)), [""; 0]);
}

#[test]
fn reports_variables_that_disarm_hooks() {
    let env = |variables: &str| format!(r#"{{"env": {{{variables}}}}}"#);
    let found = |before: &str, after: &str| weaker(&[(LOCAL, &env(before))], &[(LOCAL, Some(&env(after)))]);
    for name in [
        "PATH",
        "BASH_ENV",
        "BASH_FUNC_phaser%%",
        "LD_PRELOAD",
        "GIT_DIR",
        "PHASER_STORAGE_DIR",
        "GEMINI_PROJECT_DIR",
    ] {
        let set = format!(r#""{name}": "/nowhere""#);
        let expected =
            format!("'env' in .claude/settings.local.json sets {name}, which can keep hooks from running");
        assert_eq!(found("", &set), [expected.as_str()]);
        assert_eq!(found(&set.replace("/nowhere", "/usr/bin"), &set), [expected]);
        assert_eq!(found(&set, &set), [""; 0]);
        assert_eq!(found(&set, ""), [""; 0], "removed");
    }
    assert_eq!(found("", r#""GIT_PAGER": "cat", "RUST_LOG": "debug", "MY_PATH": "x""#), [""; 0]);
}

#[test]
fn hooks_of_wider_scopes_count() {
    let was = hooks("Edit|Write", "phaser enforce --stdin", "");
    let files = [(SETTINGS_FILE, was.as_str()), (LOCAL, was.as_str())];
    assert_eq!(weaker(&files, &[(LOCAL, Some("{}"))]), [""; 0]);
    assert_eq!(weaker(&files, &[(SETTINGS_FILE, Some("{}"))]).len(), 1, "others do not have the local one");
    assert_eq!(weaker(&files, &[(SETTINGS_FILE, None), (LOCAL, None)]).len(), 2);
    let off = weaker(&[], &[(LOCAL, Some(r#"{"disableAllHooks": true}"#))]);
    assert_eq!(off, ["'disableAllHooks' in .claude/settings.local.json switches all hooks off"]);
    let user = "home/.claude/settings.json";
    assert_eq!(weaker(&[(user, &was)], &[(user, Some("{}"))]).len(), 1);
    let plugin = r#"{"enabledPlugins": {"phaser@phaser": true, "other@x": true}}"#;
    let without = plugin.replacen("true", "false", 1);
    let found = weaker(&[(SETTINGS_FILE, plugin)], &[(SETTINGS_FILE, Some(&without))]);
    assert_eq!(found, ["the plugin phaser@phaser is switched off in .claude/settings.json"]);
    let other = plugin.replace(r#""other@x": true"#, r#""other@x": false"#);
    assert_eq!(weaker(&[(SETTINGS_FILE, plugin)], &[(SETTINGS_FILE, Some(&other))]), [""; 0]);
}
