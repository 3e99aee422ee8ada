//! Several machines that share the work find what one would have found.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Sandbox, contract, forbid, warning};

/// A contract that one file of its glob must meet.
fn somewhere(id: &str, pattern: &str, glob: &str) -> String {
    format!(
        "version: '1.2'\nrule:\n  id: {id}\n  type: require_pattern\n  pattern: '{pattern}'\n  file_glob: '{glob}'\n  \
         message: 'Have {id}.'\n  severity: error\n"
    )
}

fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&warning(&contract("needs-y", "require_pattern", Some("y"), "**/*.txt")))
        .contract(&contract("no-env", "file_not_exists", None, "**/.env"))
        .contract(&contract("needs-readme", "file_exists", None, "README*"))
        .contract(&contract("has-notes", "file_exists", None, "notes/**"))
        .contract(&somewhere("met-once", "only here", "**/*.txt"))
        .contract(&somewhere("met-nowhere", "nowhere at all", "d?/*.txt"))
        .file("notes/1", "-")
        .file("a/.env", "-")
        .file("binary.txt", b"x\0x");
    for n in 0..40 {
        let text = match n {
            13 => "only here y".to_owned(),
            _ => format!("{}{}", "x\n".repeat(n % 3), "y".repeat(n % 2)),
        };
        sandbox = sandbox.file(&format!("d{}/f{n}.txt", n % 5), text);
    }
    sandbox
}

/// What a report has under these keys, in any order.
fn parts(json: &Value) -> BTreeSet<String> {
    let keys = ["files_checked", "violations", "skipped"];
    let entries = keys.iter().flat_map(|key| json[key].as_array().expect("a list").iter());
    entries.map(Value::to_string).collect()
}

#[test]
fn the_shards_together_are_the_whole() {
    let sandbox = sandbox();
    let whole = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(whole.code, Some(1));
    let expected = parts(&whole.json());
    assert!(expected.iter().any(|entry| entry.contains("needs-readme")));
    assert!(expected.iter().any(|entry| entry.contains("met-nowhere")));
    assert!(!expected.iter().any(|entry| entry.contains("met-once") || entry.contains("has-notes")));
    for shards in [1, 2, 3, 7, 60] {
        let mut union = BTreeSet::new();
        for shard in 1..=shards {
            let output = sandbox.run([
                "enforce",
                "--all",
                "--shard",
                &format!("{shard}/{shards}"),
                "--format",
                "json",
            ]);
            for part in parts(&output.json()) {
                assert!(union.insert(part.clone()), "{part} is in two shards of {shards}");
            }
        }
        assert_eq!(union, expected, "{shards} shards");
    }
}

#[test]
fn invalid_shard_is_usage_error() {
    let output = sandbox().run(["enforce", "--all", "--shard", "3/2"]);
    assert_eq!(output.code, Some(3));
    assert!(output.stderr.contains("I from 1 to N"), "{output}");
}
