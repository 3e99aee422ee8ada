//! The commands of version 1.2: what they print, byte for byte, and where they look.

use std::fs;

use insta::assert_snapshot;

use crate::harness::{Output, Sandbox, forbid};

/// A contract in the form of version 1.2.
fn nested(id: &str, kind: &str, pattern: Option<&str>, glob: &str) -> String {
    let pattern = pattern.map(|pattern| format!("  pattern: '{pattern}'\n")).unwrap_or_default();
    format!(
        "version: 1\naudit_source:\n  id: a-1\n  slug: review\n  date: '2025-12-05'\n  phase: 3\nrule:\n  id: {id}\n  \
         type: {kind}\n  severity: error\n{pattern}  file_glob: '{glob}'\n  message: 'Message of {id}.'\n  rationale: ''\n\
         created_at: '2025-12-05T10:30:00Z'\nenabled: true\n"
    )
}

trait Stored {
    /// Adds a contract to the project's `.phaser/contracts`.
    fn stored(self, yaml: &str) -> Self;
}

impl Stored for Sandbox {
    fn stored(self, yaml: &str) -> Self {
        let id =
            yaml.lines().find_map(|line| line.trim_start().strip_prefix("id: ").filter(|id| *id != "a-1"));
        let path = format!(".phaser/contracts/{}.yaml", id.expect("an id"));
        self.file(&path, yaml)
    }
}

fn list(sandbox: &Sandbox, directory: &str, storage: Option<&str>) -> Output {
    let mut command = sandbox.command();
    command.args(["contracts", "list"]).current_dir(sandbox.path(directory));
    if let Some(storage) = storage {
        command.env("PHASER_STORAGE_DIR", storage);
    }
    sandbox.run_with(&mut command, b"")
}

#[test]
fn the_places_of_version_1_2_come_first() {
    let from = |id: &str, place: &str| {
        nested(id, "forbid_pattern", Some("x"), "**").replace(&format!("Message of {id}."), place)
    };
    let sandbox = Sandbox::new()
        .file("store/contracts/a.yaml", from("a", "stored"))
        .file(".phaser/contracts/a.yaml", from("a", "near"))
        .file(".phaser/contracts/b.yaml", from("b", "near"))
        .contract(&forbid("b", "x", "**"))
        .contract(&forbid("c", "x", "**"))
        .user_contract(&forbid("d", "x", "**"));
    assert_snapshot!(list(&sandbox, "", Some("store")), @"
    exit: 0
    --- stdout
    a [enabled] - stored
    b [enabled] - near
    c [enabled] - Do not c.

    --- stderr
    ");
}
