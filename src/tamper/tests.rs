//! Pairs of project states and the weakenings between them.

use std::fs;

use super::*;
use phaser_project::path::CONFIG;

mod configs;
mod contracts;
mod hooks;
mod properties;
mod watched;

const RULE: &str = ".claude/contracts/no-print.yaml";
const SETTINGS_FILE: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const DENY: &str = "protect: deny\n";

fn contract(id: &str, more: &str) -> String {
    let known = |key: &str| more.lines().any(|line| line.starts_with(key));
    let mut yaml = format!("rule_id: {id}\n{more}");
    for (key, value) in [
        ("type:", "forbid_pattern"),
        ("pattern:", "'print'"),
        ("file_glob:", "'**/*.py'"),
        ("message:", "m"),
        ("severity:", "error"),
    ] {
        if !known(key) {
            yaml.push_str(&format!("{key} {value}\n"));
        }
    }
    yaml
}

fn rule(more: &str) -> String {
    contract("no-print", more)
}

struct TestProject {
    directory: tempfile::TempDir,
    root: Root,
}

impl TestProject {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = Root::new(directory.path());
        let project = Self { directory, root };
        files.iter().for_each(|(path, text)| project.write(path, Some(text)));
        project
    }

    fn write(&self, path: &str, text: Option<&str>) {
        let path = self.path(path);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
                fs::write(path, text).expect("written");
            }
            None => fs::remove_file(path).expect("removed"),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn compare(&self, changes: &[Rewritten]) -> TamperReport {
        let home = self.path("home/.claude/settings.json");
        let extra = Extra::default();
        let protection = Protection {
            root: &self.root,
            extra: &extra,
            user_settings: Some(&home),
            deadline: Deadline::NEVER,
        };
        protection.compare(changes)
    }

    fn is_protected(&self, path: &str) -> bool {
        let extra = Extra::default();
        let names = [RelPath::from(path)];
        let folders = folders_above(&self.root, names.iter(), None);
        let load = Load {
            root: &self.root,
            extra: &extra,
            folders: &folders,
            settings: Settings::OnDisk,
            cwd: None,
        };
        let loaded = load.run(Loading::to_enforce(matcher::broken));
        let home = self.path("home/.claude/settings.json");
        let user_settings = Some(home.as_path());
        let deadline = Deadline::NEVER;
        Protection { root: &self.root, extra: &extra, user_settings, deadline }
            .watched(&loaded)
            .find(&self.path(path))
            .is_some()
    }
}

/// The weakenings of a change, computed before it is on disk and again afterwards.
fn judged(files: &[(&str, &str)], changes: &[(&str, Option<&str>)]) -> TamperReport {
    let project = TestProject::new(files);
    let read = |path: &str| fs::read(project.path(path)).ok();
    let of = |(path, after): &(&str, Option<&str>)| Rewritten {
        path: project.path(path),
        before: read(path),
        after: after.map(|text| text.as_bytes().to_vec()),
    };
    let rewritten: Vec<_> = changes.iter().map(of).collect();
    let proposed = project.compare(&rewritten);
    changes.iter().for_each(|(path, after)| project.write(path, *after));
    let made = project.compare(&rewritten);
    assert_eq!(proposed, made, "the same before and after it is on disk");
    made
}

fn weaker(files: &[(&str, &str)], changes: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut files = files.to_vec();
    if !files.iter().any(|(path, _)| *path == CONFIG) {
        files.push((CONFIG, DENY));
    }
    judged(&files, changes).weaker
}

/// The weakenings between two versions of a contract.
fn between(before: &str, after: &str) -> Vec<String> {
    weaker(&[(RULE, &rule(before))], &[(RULE, Some(&rule(after)))])
}
