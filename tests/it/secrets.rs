//! A secret that a contract found is in no report: only its first characters and its length are.

use crate::harness::{Sandbox, forbid};

/// Nobody's key, in two parts so that no scanner takes this file for a leak.
fn key() -> String {
    ["sk_live_", "k3Vq81zRt0LwXb7yNc2Dhg5P"].concat()
}

fn sandbox() -> Sandbox {
    let key = key();
    Sandbox::new()
        .contract(&forbid("no-print", r"print\(.*\)", "**/*.py"))
        .file("a.py", format!("print('{key}')\n"))
        .file("b.py", format!("a = '{key}'  # phaser:ignore stripe-secret-key -- made up\n"))
}

#[test]
fn no_report_shows_a_secret_in_full() {
    let sandbox = sandbox();
    let summary = sandbox.home().join("summary.md");
    for format in ["text", "json", "sarif", "github", "gitlab", "junit"] {
        for extra in [&[][..], &["--no-ignores"], &["--color", "always"], &["--output", "report"]] {
            let mut command = sandbox.command();
            command.args(["enforce", "--all", "--pack", "secrets", "--format", format]).args(extra);
            let output = sandbox.run_with(command.env("GITHUB_STEP_SUMMARY", &summary), b"");
            assert_eq!(output.code, Some(1), "{output}");
            let file = std::fs::read_to_string(sandbox.path("report")).unwrap_or_default();
            for shown in [&output.stdout, &output.stderr, &file] {
                assert!(!shown.contains(&key()[4..]), "{format} {extra:?}: {shown}");
            }
            let _ = std::fs::remove_file(sandbox.path("report"));
        }
    }
    assert!(!std::fs::read_to_string(summary).expect("written").contains(&key()[4..]));
}

#[test]
fn shows_first_characters_and_length() {
    let json = sandbox().run(["enforce", "--all", "--pack", "secrets", "--format", "json"]).json();
    assert_eq!(json["violations"][0]["matched_text"], "print('sk_l****************************')");
    assert_eq!(json["violations"][1]["matched_text"], "sk_l\u{2026} (32 characters)");
    assert_eq!(json["suppressed"][0]["matched_text"], "sk_l\u{2026} (32 characters)");
    let log = sandbox().run(["enforce", "--all", "--pack", "secrets", "--format", "sarif"]).json();
    let region = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["snippet"]["text"], "sk_l\u{2026} (32 characters)");
    assert_eq!((region["startColumn"].as_u64(), region["endColumn"].as_u64()), (Some(8), Some(40)));
    let text = sandbox().run(["enforce", "--all", "--pack", "secrets", "--color", "always"]).stdout;
    assert!(text.contains("print('sk_l****************************')"), "{text}");
}

#[test]
fn a_hook_shows_none_either() {
    let sandbox = sandbox();
    let input = serde_json::json!({ "file_path": sandbox.path("c.py"), "content": format!("'{}'", key()) });
    for format in ["hook", "json", "text"] {
        let args = ["--pack", "secrets", "--format", format];
        let output = sandbox.hook("PreToolUse").tool("Write", input.clone()).args(args).run();
        assert!(output.stdout.contains("stripe-secret-key"), "{output}");
        assert!(!output.to_string().contains(&key()[4..]), "{output}");
    }
}

#[test]
fn hosts_learn_it_is_security() {
    let log = sandbox().run(["enforce", "--all", "--pack", "secrets", "--format", "sarif"]).json();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    let properties = |id: &str| {
        let rule = rules.iter().find(|rule| rule["id"] == id).expect("is there");
        rule["properties"].clone()
    };
    let secret = properties("stripe-secret-key");
    assert_eq!(secret["tags"], serde_json::json!(["security", "forbid_pattern", "secret", "secrets"]));
    assert_eq!(secret["security-severity"], "8.0");
    let own = properties("no-print");
    assert_eq!(own["tags"], serde_json::json!(["forbid_pattern"]));
    assert!(own["security-severity"].is_null(), "{own}");
    let driver = &log["runs"][0]["tool"]["driver"];
    let address = env!("CARGO_PKG_REPOSITORY");
    assert_eq!(driver["informationUri"].as_str(), Some(address).filter(|address| !address.is_empty()));
}

#[test]
fn own_contracts_may_be_secret_too() {
    let yaml = forbid("internal-token", "tok_[a-z]+", "**") + "tags: [secret]\n";
    let sandbox = Sandbox::new().contract(&yaml).file("a.txt", "see tok_abcdefgh\n");
    let json = sandbox.run(["enforce", "--all", "--format", "json"]).json();
    assert_eq!(json["violations"][0]["matched_text"], "tok_\u{2026} (12 characters)");
}
