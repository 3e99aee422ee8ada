//! semgrep: regexes, and code patterns that mean the same to ast-grep.
//!
//! `pattern-regex` becomes `forbid_pattern`. Patterns of code become the rule object of `forbid_code`:
//!
//! | semgrep | rule object |
//! |---|---|
//! | `pattern: f(...)` | `pattern: f($$$)` |
//! | `pattern-either` | `any` |
//! | `patterns` | `all` |
//! | `pattern-not` | `not` |
//! | `pattern-inside: P` | `any: [P, inside: {P, stopBy: end}]` |
//! | `metavariable-regex` | `constraints` |
//!
//! semgrep matches more than a text says: a name through its import, a value through its constant. ast-grep matches what
//! is written. A pattern with an operator that ast-grep does not have (`<... x ...>`, `"..."`, a typed metavariable) has no
//! equivalent, and neither has taint tracking.

use phaser_core::check::FORBID_CODE;
use phaser_core::contract::Severity;
use serde_json::{Map, Value as Json, json};

use super::dialect::{RegexDialect, SearchUnit, translate};
use super::document::{DataNode, Documents};
use super::languages::{FileType, globs};
use super::{Draft, ReadRule, SourceFile, cwe_ids, is_secret_cwe, names_secrets};

mod annotations;
mod pattern;

use annotations::TestFiles;
use pattern::CodePatterns;

/// Languages of rules about any text.
const ANY_TEXT: [&str; 3] = ["regex", "generic", "none"];

pub fn read(file: &SourceFile, documents: &Documents<'_>) -> Vec<ReadRule> {
    let tests = TestFiles::beside(file);
    let rules = documents.roots().filter_map(|root| root.get("rules")).flat_map(DataNode::items);
    rules
        .map(|rule| {
            let id = rule.text_of("id").unwrap_or_default();
            ReadRule::of(id, rule.line(), draft(rule, &tests))
        })
        .collect()
}

fn draft(rule: DataNode<'_>, tests: &TestFiles) -> Result<Draft, String> {
    let id = super::required(rule, "id")?;
    if let Some(mode) = rule.text_of("mode").filter(|mode| *mode != "search") {
        return Err(format!("'mode: {mode}' has no equivalent"));
    }
    for key in ["match", "taint", "join", "extract", "pattern-sources"] {
        if rule.get(key).is_some() {
            return Err(format!("'{key}' has no equivalent"));
        }
    }
    let names = rule.texts_of("languages");
    let mut draft = Draft { message: one_line(super::required(rule, "message")?), ..Draft::default() };
    let is_severe = ["ERROR", "HIGH", "CRITICAL"].contains(&rule.text_of("severity").unwrap_or_default());
    draft.severity = if is_severe { Severity::Error } else { Severity::Warning };
    let context = match regexes(rule)? {
        Some(regexes) => {
            text(&mut draft, &regexes, &names)?;
            RuleContext::None
        }
        None => code(&mut draft, rule, &names)?,
    };
    paths(&mut draft, rule);
    metadata(&mut draft, rule, id);
    match rule.get("fix").and_then(DataNode::text) {
        Some(fix) if draft.kind == &FORBID_CODE => draft.fix = Some(pattern::ellipses(fix.trim_end())),
        Some(_) => draft.left_out.push("'fix': a replacement with metavariables".to_owned()),
        None => {}
    }
    for key in ["fix-regex", "options"] {
        if rule.get(key).is_some() {
            draft.left_out.push(format!("'{key}'"));
        }
    }
    let is_anywhere = rule.get("paths").is_none_or(|paths| paths.get("include").is_none());
    draft.examples = tests.examples(id, context, is_anywhere);
    Ok(draft)
}

/// What an annotated line needs around it to be a test of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleContext {
    None,
    File,
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The alternatives of a rule that is about text; `None` for a rule about code.
fn regexes(rule: DataNode<'_>) -> Result<Option<Vec<&str>>, String> {
    if let Some(regex) = rule.text_of("pattern-regex") {
        return Ok(Some(vec![regex]));
    }
    let (key, list) = match (rule.get("patterns"), rule.get("pattern-either")) {
        (Some(list), _) => ("patterns", list),
        (None, Some(list)) => ("pattern-either", list),
        (None, None) => return Ok(None),
    };
    let mut regexes = Vec::new();
    for item in list.items() {
        match item.members().next() {
            Some(("focus-metavariable", _)) => {}
            Some(("pattern-regex", regex)) => regexes.extend(regex.text()),
            Some(("pattern-either", inner)) if key == "patterns" => {
                let inner: Vec<&str> =
                    inner.items().filter_map(|item| item.text_of("pattern-regex")).collect();
                if inner.is_empty() {
                    return Ok(None);
                }
                regexes.extend(inner);
            }
            Some((other, _)) if !regexes.is_empty() => {
                return Err(format!("'{other}' beside 'pattern-regex' has no equivalent"));
            }
            _ => return Ok(None),
        }
    }
    let is_and =
        key == "patterns" && list.items().filter(|item| item.get("focus-metavariable").is_none()).count() > 1;
    match regexes.is_empty() {
        true => Ok(None),
        false if is_and => Err("several 'pattern-regex' at one place have no equivalent".to_owned()),
        false => Ok(Some(regexes)),
    }
}

fn text(draft: &mut Draft, regexes: &[&str], languages: &[&str]) -> Result<(), String> {
    let mut translated = Vec::new();
    for regex in regexes {
        let one = translate(regex.trim_end_matches('\n'), RegexDialect::Pcre, SearchUnit::File, "")?;
        translated.push(one.pattern);
    }
    draft.pattern = Some(match translated.as_slice() {
        [one] => one.clone(),
        several => several.iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|"),
    });
    if languages.is_empty() || languages.iter().any(|name| ANY_TEXT.contains(name)) {
        draft.files.push("**/*".to_owned());
        return Ok(());
    }
    draft.files = globs(types(languages)?.0);
    Ok(())
}

/// The types of files of these languages, and the names of those without one.
fn types<'n>(languages: &[&'n str]) -> Result<(Vec<&'static FileType>, Vec<&'n str>), String> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for name in languages {
        match FileType::find(name) {
            Some(one) => {
                known.push(one);
                // semgrep's TypeScript includes TSX.
                known.extend((one.name == "typescript").then(|| FileType::find("tsx")).flatten());
            }
            None => unknown.push(*name),
        }
    }
    match known.is_empty() {
        true => Err(format!("the language '{}' is not known", languages.join("', '"))),
        false => Ok((known, unknown)),
    }
}

fn code(draft: &mut Draft, rule: DataNode<'_>, languages: &[&str]) -> Result<RuleContext, String> {
    if languages.iter().any(|name| ANY_TEXT.contains(name)) {
        return Err("a pattern of generic text has no equivalent".to_owned());
    }
    let (known, mut unknown) = types(languages)?;
    let (parsed, others): (Vec<_>, Vec<_>) = known.into_iter().partition(|one| one.is_parsed());
    unknown.extend(others.iter().map(|one| one.name));
    if parsed.is_empty() {
        return Err(format!("the language '{}' is not parsed", unknown.join("', '")));
    }
    if !unknown.is_empty() {
        draft.left_out.push(format!("files in {}, which is not parsed", unknown.join(", ")));
    }
    let mut patterns = CodePatterns::new(&parsed);
    let mut rule_object = match patterns.rule(rule)? {
        Json::Object(object) => object,
        _ => Map::new(),
    };
    if !patterns.constraints.is_empty() {
        rule_object.insert("constraints".to_owned(), Json::Object(std::mem::take(&mut patterns.constraints)));
    }
    draft.code = Some(match rule_object.get("pattern") {
        Some(pattern @ Json::String(_)) if rule_object.len() == 1 => pattern.clone(),
        _ => json!(rule_object),
    });
    if patterns.is_focused {
        draft.left_out.push("'focus-metavariable': the whole match is reported".to_owned());
    }
    draft.kind = &FORBID_CODE;
    draft.languages = parsed.iter().map(|one| one.name).collect();
    draft.files = globs(parsed);
    Ok(if patterns.has_context { RuleContext::File } else { RuleContext::None })
}

/// `paths`, in which a pattern without a leading `/` is at any depth and may be a directory.
fn paths(draft: &mut Draft, rule: DataNode<'_>) {
    let Some(paths) = rule.get("paths") else { return };
    let globs = |key: &str| -> Vec<String> {
        let both = |glob: &str| {
            let glob = glob.trim_end_matches('/');
            let glob = match glob.strip_prefix('/') {
                Some(from_root) => from_root.to_owned(),
                None => format!("**/{}", glob.trim_start_matches("**/").trim_start_matches("./")),
            };
            if glob.ends_with("/**") { vec![glob] } else { vec![glob.clone(), format!("{glob}/**")] }
        };
        paths.texts_of(key).into_iter().flat_map(both).collect()
    };
    let included = globs("include");
    if !included.is_empty() {
        draft.files = included;
    }
    draft.exclude = globs("exclude");
}

fn metadata(draft: &mut Draft, rule: DataNode<'_>, id: &str) {
    let Some(metadata) = rule.get("metadata") else {
        if names_secrets(id) {
            draft.tag("secret");
        }
        return;
    };
    let (weaknesses, references) = (metadata.texts_of("cwe"), metadata.texts_of("references"));
    let ids: Vec<String> = weaknesses.iter().flat_map(|cwe| cwe_ids(cwe)).collect();
    let technologies = metadata.texts_of("technology");
    if names_secrets(id) || technologies.contains(&"secrets") || ids.iter().any(|cwe| is_secret_cwe(cwe)) {
        draft.tag("secret");
    }
    for tag in [metadata.texts_of("category"), metadata.texts_of("subcategory"), technologies].concat() {
        draft.tag(tag);
    }
    ids.iter().for_each(|cwe| draft.tag(cwe));
    let mut reasons: Vec<String> =
        weaknesses.iter().map(|cwe| format!("{}.", one_line(cwe).trim_end_matches('.'))).collect();
    if !references.is_empty() {
        reasons.push(format!("See {}.", references.join(", ")));
    }
    draft.rationale = Some(reasons.join(" ")).filter(|text| !text.is_empty());
}
