//! The names of the packages: the same in every file, and no name of another project in a document.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("readable")
}

/// Every document that people read, and the files that run commands for them.
fn documents() -> Vec<PathBuf> {
    let mut all = vec![root().join("action.yml"), root().join(".pre-commit-hooks.yaml")];
    let mut directories = vec![root().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let ours = !matches!(name.as_str(), "target" | ".git" | "node_modules");
            if path.is_dir() && ours {
                directories.push(path);
            } else if name.ends_with(".md") || path.parent() == Some(&root().join("scripts")) {
                all.push(path);
            }
        }
    }
    assert!(all.len() > 15, "{all:?}");
    all
}

/// What gets a package from somewhere, as people write it.
const INSTALLERS: [&str; 15] = [
    "pip install ",
    "pip3 install ",
    "pipx install ",
    "pipx run ",
    "uvx ",
    "uv tool install ",
    "uv tool run ",
    "uv add ",
    "npm install ",
    "npm i ",
    "npx ",
    "pnpm add ",
    "yarn add ",
    "cargo install ",
    "cargo binstall ",
];

/// Markers of a package from a source that the reader has named, and from no registry.
const FROM_A_PLACE: [&str; 6] = ["--no-index", "--path", "--git", ".tgz", ".whl", "install ."];

/// Whether a line recommends installing phaser from a registry, where anyone can take the name first.
fn asks_a_registry(line: &str) -> bool {
    let installs = INSTALLERS.iter().filter_map(|installer| line.split_once(installer));
    let mut ours = installs.filter(|(_, what)| what.contains("phaser"));
    ours.any(|_| !FROM_A_PLACE.iter().any(|place| line.contains(place)))
}

#[test]
fn documents_install_only_our_packages() {
    for line in ["pip install phaser", "npm i phaser", "npx phaser enforce", "cargo install --locked phaser"]
    {
        assert!(asks_a_registry(line), "{line}");
    }
    for line in
        ["cargo install --locked --path phaser", "pip install --no-index --find-links . phaser-enforce"]
    {
        assert!(!asks_a_registry(line), "{line}");
    }
    for path in documents() {
        let text = fs::read_to_string(&path).expect("text");
        for (number, line) in text.lines().enumerate() {
            assert!(!asks_a_registry(line), "{}:{}: {line}", path.display(), number + 1);
            let requirement = line.contains("phaser==") || line.contains("phaser-enforce==");
            assert!(!requirement, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}

#[test]
fn packages_share_name_and_version() {
    let manifest = text("Cargo.toml");
    assert!(manifest.contains("\nname = \"phaser-enforce\"\n"));
    assert!(text("pyproject.toml").contains("\nname = \"phaser-enforce\"\n"));
    let npm: Value = serde_json::from_str(&text("npm/package.json")).expect("is JSON");
    assert_eq!(npm["name"], "phaser-enforce");
    assert_eq!(npm["bin"]["phaser"], "bin/phaser.js");
    let version = env!("CARGO_PKG_VERSION");
    assert!(text("scripts/install.sh").contains(&format!("version=${{PHASER_VERSION:-{version}}}\n")));
}

#[test]
fn archive_names_agree_everywhere() {
    assert!(text("scripts/dist").contains("\nname=phaser-enforce-$version-$target\n"));
    assert!(text("scripts/install.sh").contains("name=phaser-enforce-$version-$target\n"));
    let manifest = text("Cargo.toml");
    assert!(manifest.contains("/phaser-enforce-{ version }-{ target }.tar.gz\"\n"));
    assert!(manifest.contains("bin-dir = \"phaser-enforce-{ version }-{ target }/bin/{ bin }"));
    let packages = text("scripts/npm-packages");
    for target in ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"] {
        assert!(packages.contains(&format!("\"{target}\": (")), "{target}");
    }
}
