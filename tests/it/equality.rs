//! The same bytes at the same path give the same violations in every mode.

use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

const PATH: &str = "src/café.py";

/// Texts that exercise every kind of contract, line ending and directive.
const TEXTS: [&str; 7] = [
    "",
    "print(1)\nx = 'tab\there'\n",
    "a = 1\r\nprint(2)\r\n  print(3)\r\nTODO\r\n",
    "licence: mit\nprint(1)  # phaser:ignore no-print\n",
    "# phaser:ignore-file needs-licence\nbegin\nend\n",
    "été print(é) foo foobar\nTODO(me) print(x) # phaser:ignore\n",
    "one line without an end print(1)",
];

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&forbid("no-end", "^end$", "**/*.py"))
        .contract(&forbid("no-block", r"begin\nend", "src/**"))
        .contract(&forbid("no-bare-foo", "foo(?!bar)", "**/*.py"))
        .contract(&warning(&forbid("no-accents", "é", "**")))
        .contract(&warning(&contract("needs-licence", "require_pattern", Some("licence"), "**/*.py")))
        .contract(&contract("no-such-file", "file_not_exists", None, "**/café.py"))
        .file("LICENSE", "x")
        .git_commit("one")
}

/// `line id` of each violation; the hook's reason has no columns.
fn from_json(output: &Output) -> Vec<String> {
    let json = output.json();
    let violations = json["violations"].as_array().expect("a list").iter();
    let mut lines: Vec<_> = violations
        .filter(|violation| violation["file_path"] == PATH)
        .map(|violation| format!("{:?} {}", violation["line_number"].as_u64(), violation["rule_id"]))
        .collect();
    lines.sort();
    lines
}

fn from_hook(output: &Output) -> Vec<String> {
    let (decision, reason) = output.decision();
    assert_eq!(decision, "deny", "{output}");
    let mut lines: Vec<_> = reason
        .lines()
        .map(|line| {
            let line = line.strip_prefix("Contract violation: ").expect("a violation");
            let (head, _) = line.split_once(". ").expect("a message");
            let (id, line) = match head.split_once(" at line ") {
                Some((id, line)) => (id, Some(line.parse::<u64>().expect("a number"))),
                None => (head, None),
            };
            format!("{line:?} \"{id}\"")
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn every_mode_gives_the_same_violations() {
    for text in TEXTS {
        let sandbox = sandbox().file(PATH, "placeholder");
        let file_path = sandbox.path(PATH);
        let write = json!({ "file_path": file_path, "content": text });
        let edit = json!({ "file_path": file_path, "old_string": "placeholder", "new_string": text });

        let mut found = vec![("Write", from_hook(&sandbox.event("PreToolUse", "Write", write.clone(), [])))];
        if !text.contains('\r') && !text.is_empty() {
            found.push(("Edit", from_hook(&sandbox.event("PreToolUse", "Edit", edit, []))));
        }
        let sandbox = sandbox.file(PATH, text);
        found.push((
            "--stdin json",
            from_json(&sandbox.event("PreToolUse", "Write", write, ["--format", "json"])),
        ));
        found.push(("--file", from_json(&sandbox.run(["enforce", "--file", PATH, "--format", "json"]))));
        found.push(("path", from_json(&sandbox.run(["enforce", PATH, "--format", "json"]))));
        found.push(("directory", from_json(&sandbox.run(["enforce", "src", "--format", "json"]))));
        found.push(("--all", from_json(&sandbox.run(["enforce", "--all", "--format", "json"]))));
        sandbox.git(&["add", "--all"]);
        found.push(("--staged", from_json(&sandbox.run(["enforce", "--staged", "--format", "json"]))));
        let sandbox = sandbox.git_commit("two");
        found.push(("--diff", from_json(&sandbox.run(["enforce", "--diff", "HEAD~1", "--format", "json"]))));
        let range = sandbox.run(["enforce", "--diff", "HEAD~1..HEAD", "--format", "json"]);
        found.push(("--diff with a head", from_json(&range)));
        let (_, expected) = found[0].clone();
        assert!(!expected.is_empty(), "{text:?} violates something");
        for (mode, violations) in found {
            assert_eq!(violations, expected, "{mode} differs for {text:?}");
        }
    }
}
