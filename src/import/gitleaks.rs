//! gitleaks and betterleaks: TOML with a list of `rules`, each a regex over text, over paths, or both.
//!
//! A regex becomes `forbid_pattern`, a `path` alone `file_not_exists`. Allowlists of paths become `exclude_glob`. The
//! entropy of a secret, stop words, and betterleaks' expressions (`filter`, `validate`) have no equivalent and are listed.

use super::dialect::{RegexDialect, SearchUnit, translate};
use super::document::{DataNode, Documents};
use super::{Draft, ReadRule, SourceKind, path_regex};
use phaser_core::check::FILE_NOT_EXISTS;
use phaser_core::contract::Severity;

/// Keys that only betterleaks has.
const BETTERLEAKS: [&str; 4] = ["filter", "prefilter", "validate", "specificity"];

/// Which of the two tools a configuration is for.
pub fn kind(root: DataNode<'_>) -> SourceKind {
    let is_better = |node: DataNode<'_>| BETTERLEAKS.iter().any(|key| node.get(key).is_some());
    let mut rules = root.get("rules").into_iter().flat_map(DataNode::items);
    let is_named = root.get("betterleaksMinVersion").is_some();
    if is_named || is_better(root) || rules.any(is_better) {
        SourceKind::Betterleaks
    } else {
        SourceKind::Gitleaks
    }
}

/// What the rules of a file are not applied to.
#[derive(Default)]
struct Allowed {
    globs: Vec<String>,
    left_out: Vec<String>,
}

pub fn read(documents: &Documents<'_>) -> Vec<ReadRule> {
    let Some(root) = documents.roots().next() else { return Vec::new() };
    let mut global = Allowed::default();
    for list in allowlists(root, "allowlist", "allowlists") {
        global.add(list, "the global allowlist");
    }
    for key in ["prefilter", "filter"] {
        if root.get(key).is_some() {
            global.left_out.push(format!("the global '{key}' of the file"));
        }
    }
    let mut rules: Vec<ReadRule> = Vec::new();
    if let Some(extend) = root.get("extend") {
        rules.push(ReadRule::part(extend.line(), "'extend': the rules of the other file (import it, too)"));
    }
    for rule in root.get("rules").into_iter().flat_map(DataNode::items) {
        let id = rule.text_of("id").unwrap_or_default();
        rules.push(ReadRule::of(id, rule.line(), draft(rule, &global)));
    }
    rules
}

fn allowlists<'a>(node: DataNode<'a>, one: &str, several: &str) -> impl Iterator<Item = DataNode<'a>> {
    let several = node.get(several).into_iter().flat_map(DataNode::items);
    node.get(one).into_iter().chain(several)
}

impl Allowed {
    /// Adds an allowlist. Only paths have an equivalent, and only if they are a condition of their own.
    fn add(&mut self, list: DataNode<'_>, name: &str) {
        let has = |key: &str| list.get(key).is_some_and(|value| value.items().next().is_some());
        let others: Vec<&str> =
            ["regexes", "stopwords", "commits"].into_iter().filter(|key| has(key)).collect();
        let is_and = list.text_of("condition").is_some_and(|condition| condition.eq_ignore_ascii_case("and"));
        let mut left: Vec<String> = others.iter().map(|key| format!("'{key}'")).collect();
        if is_and && !others.is_empty() && has("paths") {
            left.push("'paths'".to_owned());
        } else {
            for path in list.texts_of("paths") {
                match path_regex::globs(path) {
                    Some(globs) => self.globs.extend(globs),
                    None => left.push(format!("the path '{path}'")),
                }
            }
        }
        if !left.is_empty() {
            self.left_out.push(format!("{} of {name}", left.join(", ")));
        }
    }
}

fn draft(rule: DataNode<'_>, global: &Allowed) -> Result<Draft, String> {
    super::required(rule, "id")?;
    if rule.get("required").is_some() {
        return Err("it needs another rule to match nearby ('required')".to_owned());
    }
    if rule.flag_of("skipReport") == Some(true) {
        return Err("it reports nothing of its own ('skipReport')".to_owned());
    }
    let id = rule.text_of("id").unwrap_or_default();
    let description = rule.text_of("description").filter(|text| !text.trim().is_empty());
    let mut draft = Draft {
        severity: Severity::Error,
        message: description.map_or_else(|| format!("Remove the secret found by {id}."), str::to_owned),
        rationale: Some(
            "A secret in a repository stays in its history: revoke it, and keep the new one elsewhere."
                .to_owned(),
        ),
        ..Draft::default()
    };
    draft.tag("secret");
    rule.texts_of("tags").into_iter().for_each(|tag| draft.tag(tag));
    match rule.text_of("path") {
        Some(path) => {
            draft.files =
                path_regex::globs(path).ok_or_else(|| format!("its path '{path}' has no equivalent glob"))?
        }
        None => draft.files.push("**/*".to_owned()),
    }
    match (rule.text_of("regex"), rule.text_of("path")) {
        (Some(regex), _) => {
            let translated = translate(regex, RegexDialect::Go, SearchUnit::File, "")?;
            draft.left_out.extend(translated.notes.into_iter().map(str::to_owned));
            draft.pattern = Some(translated.pattern);
        }
        (None, Some(_)) => draft.kind = &FILE_NOT_EXISTS,
        (None, None) => return Err("it has neither 'regex' nor 'path'".to_owned()),
    }
    let mut allowed = Allowed { globs: global.globs.clone(), left_out: Vec::new() };
    for list in allowlists(rule, "allowlist", "allowlists") {
        allowed.add(list, "its allowlist");
    }
    draft.exclude = allowed.globs;
    if let Some(entropy) = rule.text_of("entropy").filter(|_| draft.pattern.is_some()) {
        draft.left_out.push(format!("the entropy of the secret, at least {entropy}"));
    }
    if draft.pattern.is_some() {
        draft.keywords = rule.texts_of("keywords").into_iter().map(str::to_owned).collect();
    }
    for key in ["filter", "validate"] {
        if rule.get(key).is_some() {
            draft.left_out.push(format!("the expression '{key}'"));
        }
    }
    if draft.pattern.is_some() {
        draft.left_out.extend(allowed.left_out);
        draft.left_out.extend(global.left_out.iter().cloned());
    }
    Ok(draft)
}
