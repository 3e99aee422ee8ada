//! ast-grep: rules over syntax trees, which contracts take as they are.
//!
//! The rule tests of a project and its shared utilities are in the directories that `sgconfig.yml` names. They are read
//! with the first rule of the project: tests become examples, and utilities that a rule uses become a part of it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use phaser_core::check::FORBID_CODE;
use phaser_core::contract::{Examples, Severity};
use phaser_data::Format;
use serde_json::{Map, Value as Json};

use super::document::{DataNode, Documents};
use super::draft::example;
use super::languages::{FileType, globs};
use super::{Draft, ReadRule, SourceFile, cwe_ids, is_secret_cwe, names_secrets};

const CONFIG: [&str; 2] = ["sgconfig.yml", "sgconfig.yaml"];

/// The keys beside `rule` that a contract takes within `code`.
const BESIDE: [&str; 3] = ["constraints", "utils", "transform"];

/// Directories above a rule that may have the configuration.
const MAX_ABOVE: usize = 16;

/// The projects of the rules read so far, by the directory of their configuration.
#[derive(Debug, Default)]
pub struct Projects(HashMap<PathBuf, RuleProject>);

/// What belongs to the rules of a project.
#[derive(Debug, Default)]
struct RuleProject {
    tests: HashMap<String, Examples>,
    /// Rule objects, by id.
    utilities: HashMap<String, Json>,
}

/// The rule files of a configuration, sorted; `None` for any other file.
pub fn rule_files(file: &SourceFile) -> Option<Vec<PathBuf>> {
    if !CONFIG.contains(&file.name().as_str()) {
        return None;
    }
    let documents = Documents::parse(&file.text, Format::Yaml).ok()?;
    let root = documents.roots().next()?;
    let directories = root.texts_of("ruleDirs").into_iter().map(|directory| file.directory().join(directory));
    Some(directories.flat_map(|directory| yaml_files(&directory)).collect())
}

/// The YAML files below a directory, sorted.
fn yaml_files(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        let is_yaml = path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            files.extend(yaml_files(&path));
        } else if is_yaml {
            files.push(path);
        }
    }
    files
}

impl Projects {
    /// The project of a rule file; an empty one without a configuration.
    fn of(&mut self, file: &SourceFile) -> &RuleProject {
        let directory =
            file.directory().ancestors().take(MAX_ABOVE).find_map(|directory| {
                CONFIG.iter().map(|name| directory.join(name)).find(|path| path.is_file())
            });
        let key = directory.clone().unwrap_or_else(|| file.path.clone());
        self.0.entry(key).or_insert_with(|| {
            let mut project =
                directory.map_or_else(RuleProject::default, |config| RuleProject::read(&config));
            let beside = ["-test.yml", "-test.yaml"].map(|end| file.directory().join(file.stem() + end));
            beside.iter().for_each(|path| project.add_tests(path));
            project
        })
    }
}

impl RuleProject {
    fn read(config: &Path) -> Self {
        let mut project = Self::default();
        let Ok(text) = fs::read_to_string(config) else { return project };
        let Ok(documents) = Documents::parse(&text, Format::Yaml) else { return project };
        let Some(root) = documents.roots().next() else { return project };
        let directory = config.parent().unwrap_or(Path::new(""));
        let tests = root.get("testConfigs").into_iter().flat_map(DataNode::items);
        for test_directory in tests.filter_map(|tests| tests.text_of("testDir")) {
            yaml_files(&directory.join(test_directory)).iter().for_each(|path| project.add_tests(path));
        }
        for name in root.texts_of("utilDirs") {
            yaml_files(&directory.join(name)).iter().for_each(|path| project.add_utilities(path));
        }
        project
    }

    fn add_tests(&mut self, path: &Path) {
        let Ok(text) = fs::read_to_string(path) else { return };
        let Ok(documents) = Documents::parse(&text, Format::Yaml) else { return };
        for test in documents.roots().filter(|test| is_test(*test)) {
            let texts = |key: &str| test.texts_of(key).into_iter().map(example).collect::<Vec<_>>();
            let examples = self.tests.entry(test.text_of("id").unwrap_or_default().to_owned()).or_default();
            examples.violating.extend(texts("invalid"));
            examples.passing.extend(texts("valid"));
        }
    }

    fn add_utilities(&mut self, path: &Path) {
        let Ok(text) = fs::read_to_string(path) else { return };
        let Ok(documents) = Documents::parse(&text, Format::Yaml) else { return };
        for utility in documents.roots() {
            let rule = utility.get("rule").and_then(DataNode::json);
            if let (Some(id), Some(rule)) = (utility.text_of("id"), rule) {
                self.utilities.insert(id.to_owned(), rule);
            }
        }
    }

    /// Adds the shared utilities that `rule` uses, directly or through others.
    fn add_used(&self, rule: &mut Map<String, Json>) {
        loop {
            let mut names = Vec::new();
            used_utilities(&Json::Object(rule.clone()), &mut names);
            let has = |name: &str| rule.get("utils").and_then(|utils| utils.get(name)).is_some();
            let Some((name, utility)) = names
                .iter()
                .filter(|name| !has(name))
                .find_map(|name| Some((name, self.utilities.get(name)?)))
            else {
                return;
            };
            let utils = rule.entry("utils").or_insert_with(|| Json::Object(Map::new()));
            let Some(utils) = utils.as_object_mut() else { return };
            utils.insert(name.clone(), utility.clone());
        }
    }
}

/// Gives utilities ids that ast-grep accepts: it refuses other characters than letters, digits, `-` and `_`.
fn rename_utilities(rule: &mut Map<String, Json>) {
    let is_valid = |id: &str| id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let names = rule.get("utils").and_then(Json::as_object).into_iter().flat_map(Map::keys);
    let wrong = names.filter(|name| !is_valid(name)).enumerate();
    let renamed: HashMap<String, String> =
        wrong.map(|(at, name)| (name.clone(), format!("utility-{}", at + 1))).collect();
    if renamed.is_empty() {
        return;
    }
    if let Some(utils) = rule.get_mut("utils").and_then(Json::as_object_mut) {
        let old = std::mem::take(utils);
        utils.extend(
            old.into_iter().map(|(name, value)| (renamed.get(&name).cloned().unwrap_or(name), value)),
        );
    }
    rule.values_mut().for_each(|value| rename_uses(value, &renamed));
    if let Some(Json::String(name)) = rule.get_mut("matches") {
        *name = renamed.get(name).cloned().unwrap_or_else(|| name.clone());
    }
}

fn rename_uses(json: &mut Json, renamed: &HashMap<String, String>) {
    match json {
        Json::Object(keys) => {
            if let Some(Json::String(name)) = keys.get_mut("matches") {
                *name = renamed.get(name).cloned().unwrap_or_else(|| name.clone());
            }
            keys.values_mut().for_each(|value| rename_uses(value, renamed));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| rename_uses(item, renamed)),
        _ => {}
    }
}

/// The values of `matches`.
fn used_utilities(json: &Json, names: &mut Vec<String>) {
    match json {
        Json::Object(keys) => {
            names.extend(keys.get("matches").and_then(Json::as_str).map(str::to_owned));
            keys.values().for_each(|value| used_utilities(value, names));
        }
        Json::Array(items) => items.iter().for_each(|item| used_utilities(item, names)),
        _ => {}
    }
}

fn is_test(node: DataNode<'_>) -> bool {
    node.get("rule").is_none() && (node.get("valid").is_some() || node.get("invalid").is_some())
}

pub fn read(file: &SourceFile, documents: &Documents<'_>, projects: &mut Projects) -> Vec<ReadRule> {
    let project = projects.of(file);
    let read_one = |rule: DataNode<'_>| {
        let id = rule.text_of("id").unwrap_or_default();
        match is_test(rule) {
            true => ReadRule::without(
                id,
                rule.line(),
                "it is a test (name the rules: their tests are found by sgconfig.yml)",
            ),
            false => ReadRule::of(id, rule.line(), draft(rule, project)),
        }
    };
    documents.roots().map(read_one).collect()
}

fn draft(rule: DataNode<'_>, project: &RuleProject) -> Result<Draft, String> {
    let id = super::required(rule, "id")?;
    let name = super::required(rule, "language")?;
    let language = FileType::find(name).filter(|language| language.is_parsed());
    let language = language.ok_or_else(|| format!("the language '{name}' is not parsed"))?;
    let mut code = match rule.get("rule").and_then(DataNode::json) {
        Some(Json::Object(code)) => code,
        Some(_) | None => return Err("it has no 'rule'".to_owned()),
    };
    for key in BESIDE {
        if let Some(value) = rule.get(key) {
            code.insert(key.to_owned(), value.json().ok_or("it is too large")?);
        }
    }
    project.add_used(&mut code);
    rename_utilities(&mut code);
    let code = match code.get("pattern") {
        Some(Json::String(pattern)) if code.len() == 1 => Json::String(pattern.clone()),
        _ => Json::Object(code),
    };
    let severity = rule.text_of("severity").unwrap_or("hint");
    let note = rule.text_of("note").unwrap_or_default();
    let rationale = [note, rule.text_of("url").unwrap_or_default()];
    let rationale: Vec<&str> = rationale.into_iter().flat_map(str::split_whitespace).collect();
    let mut draft = Draft {
        kind: &FORBID_CODE,
        code: Some(code),
        language: Some(language.name),
        message: rule.text_of("message").filter(|text| !text.trim().is_empty()).unwrap_or(id).to_owned(),
        rationale: Some(rationale.join(" ")).filter(|text| !text.is_empty()),
        severity: if severity == "error" { Severity::Error } else { Severity::Warning },
        enabled: severity != "off",
        examples: project.tests.get(id).cloned().unwrap_or_default(),
        ..Draft::default()
    };
    files(&mut draft, rule, language);
    match rule.get("fix") {
        Some(fix) if fix.is_object() || fix.is_list() => {
            draft.left_out.push("'fix': it changes more than the match".to_owned());
        }
        fix => draft.fix = fix.and_then(DataNode::text).map(str::to_owned),
    }
    for key in ["rewriters", "labels"] {
        if rule.get(key).is_some() {
            draft.left_out.push(format!("'{key}'"));
        }
    }
    let weaknesses = cwe_ids(note);
    if names_secrets(id) || weaknesses.iter().any(|cwe| is_secret_cwe(cwe)) {
        draft.tag("secret");
    }
    weaknesses.iter().for_each(|cwe| draft.tag(cwe));
    Ok(draft)
}

/// The files of a rule: `files` of its language, or all of its language. Scripts and styles of HTML are searched, too.
fn files(draft: &mut Draft, rule: DataNode<'_>, language: &'static FileType) {
    let html = ["javascript", "css"].contains(&language.name).then(|| FileType::find("html")).flatten();
    let own = globs([language].into_iter().chain(html));
    let texts = |key: &str| -> Vec<String> {
        let plain = rule.texts_of(key);
        let objects =
            rule.get(key).into_iter().flat_map(DataNode::items).filter_map(|item| item.text_of("glob"));
        plain.into_iter().chain(objects).map(relative).collect()
    };
    draft.files = texts("files")
        .into_iter()
        .flat_map(|glob| match glob.strip_suffix("**/*").or_else(|| glob.strip_suffix("**")) {
            Some(directory) => own.iter().map(|own| format!("{directory}{own}")).collect(),
            None => vec![glob],
        })
        .collect();
    if draft.files.is_empty() {
        draft.files = own;
    }
    draft.exclude = texts("ignores");
}

/// A glob of ast-grep, whose `*` without a directory is at any depth.
fn relative(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if glob.contains('/') { glob.to_owned() } else { format!("**/{glob}") }
}
