//! Pairs of states of a project, and what is weaker in the second one.

use std::fs;

use super::*;

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

struct Place {
    directory: tempfile::TempDir,
    root: Root,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = Root::new(directory.path());
        let place = Self { directory, root };
        files.iter().for_each(|(path, text)| place.write(path, Some(text)));
        place
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

    fn judge(&self, changes: &[Rewritten]) -> Judged {
        let home = self.path("home/.claude/settings.json");
        let extra = Extra::default();
        let protection = Protection {
            root: &self.root,
            extra: &extra,
            user_settings: Some(&home),
            deadline: Deadline::NEVER,
        };
        protection.judge(changes)
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
            .has(&self.path(path))
    }
}

/// What is weaker: found before the change is made, and again afterwards, when the disk has it.
fn judged(files: &[(&str, &str)], changes: &[(&str, Option<&str>)]) -> Judged {
    let place = Place::new(files);
    let read = |path: &str| fs::read(place.path(path)).ok();
    let of = |(path, after): &(&str, Option<&str>)| Rewritten {
        path: place.path(path),
        before: read(path),
        after: after.map(|text| text.as_bytes().to_vec()),
    };
    let rewritten: Vec<_> = changes.iter().map(of).collect();
    let proposed = place.judge(&rewritten);
    changes.iter().for_each(|(path, after)| place.write(path, *after));
    let made = place.judge(&rewritten);
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

/// What is weaker when one contract becomes another one.
fn between(before: &str, after: &str) -> Vec<String> {
    weaker(&[(RULE, &rule(before))], &[(RULE, Some(&rule(after)))])
}
