//! The layers: each module imports only from modules above it, and each outside crate has one home.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> BTreeMap<String, String> {
    fn visit(directory: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    visit(&src, &mut files);
    files
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&src).expect("is inside").display().to_string();
            let code = fs::read_to_string(&file).expect("is text");
            let production = code.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            (name, production)
        })
        .collect()
}

/// The modules in the order of lib.rs, which is the order of the layers.
fn layers(sources: &BTreeMap<String, String>) -> Vec<String> {
    let modules =
        sources["lib.rs"].lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    modules.map(str::to_owned).collect()
}

/// The top-level modules that a file names after `crate::`.
fn imports(code: &str) -> Vec<String> {
    let code: String =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push(name);
        }
    }
    found
}

#[test]
fn imports_point_up_only() {
    let sources = sources();
    let layers = layers(&sources);
    let layer = |module: &str| layers.iter().position(|known| known == module);
    assert!(layers.len() > 10, "{layers:?}");
    let mut arrows = 0;
    for (file, code) in &sources {
        let module = file.split(['/', '.']).next().expect("has a name");
        let Some(own) = layer(module) else { continue };
        for import in imports(code) {
            let Some(other) = layer(&import) else { continue };
            arrows += 1;
            assert!(other <= own, "{file} imports crate::{import}, which stands below it in lib.rs");
        }
    }
    assert!(arrows > 30, "only {arrows} imports found");
}

#[test]
fn each_outside_crate_has_one_home() {
    let homes = [
        ("serde_saphyr", "contract/syntax.rs"),
        ("schemars", "contract/syntax/form.rs"),
        ("postcard", "contract/compiled.rs"),
        ("strsim", "nearest.rs"),
        ("ignore", "source/tree.rs"),
        ("rayon", "scan.rs"),
        ("indicatif", "progress.rs"),
        ("annotate_snippets", "report/text.rs"),
        ("serde_sarif", "report/sarif.rs"),
        ("quick_junit", "report/junit.rs"),
        ("fancy_regex", "matcher/backtracking.rs"),
        ("jsonc_parser", "settings/document.rs"),
    ];
    for (name, home) in homes {
        for (file, code) in sources() {
            let used = code.lines().any(|line| {
                let line = line.trim_start();
                !line.starts_with("//")
                    && (line.starts_with(&format!("use {name}::")) || line.contains(&format!("{name}::")))
            });
            let belongs = file == home;
            assert!(!used || belongs, "{file} uses {name}, whose home is {home}");
            assert!(used || !belongs, "{home} no longer uses {name}");
        }
    }
}

#[test]
fn only_the_command_line_reads_the_process_environment() {
    for (file, code) in sources() {
        if file == "cli.rs" || file.starts_with("cli/") || file.ends_with("tests.rs") {
            continue;
        }
        for call in ["env::var", "env::args", "env::current_dir", "io::stdin", "io::stdout", "io::stderr"] {
            assert!(!code.contains(call), "{file} calls {call}");
        }
    }
}
