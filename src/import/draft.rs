//! A rule on its way to a contract file.

use phaser_core::check::FORBID_PATTERN;
use phaser_core::code::misfits;
use phaser_core::contract::keys::{
    ContractBuilder, ContractKey, KeyLevel, LocatedText, MAX_ID, MAX_TAGS, ParsedContract, Value,
};
use phaser_core::contract::syntax::to_yaml;
use phaser_core::contract::{
    Contract, ContractSchema, ContractType, Example, Examples, LayerKind, Origin, Severity,
};
use phaser_core::matcher;
use phaser_core::sanitize::printable;
use phaser_project::contracts::read::MAX_FILE;
use serde_json::Value as Json;

use super::SourceKind;

/// A rule of another tool in the terms of a contract.
#[derive(Debug)]
pub struct Draft {
    /// The rule's own id.
    pub id: String,
    /// The line in the source.
    pub line: usize,
    pub kind: &'static ContractType,
    pub pattern: Option<String>,
    /// A pattern as a text, or a rule object.
    pub code: Option<Json>,
    pub language: Option<&'static str>,
    /// The languages of the files; empty if the code is known to fit.
    pub languages: Vec<&'static str>,
    pub files: Vec<String>,
    pub exclude: Vec<String>,
    pub fix: Option<String>,
    pub message: String,
    pub rationale: Option<String>,
    pub severity: Severity,
    pub enabled: bool,
    pub tags: Vec<String>,
    pub examples: Examples,
    /// Texts of which a file must have one, in any case.
    pub keywords: Vec<String>,
    /// Conditions of the rule that the contract does not have.
    pub left_out: Vec<String>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            id: String::new(),
            line: 1,
            kind: &FORBID_PATTERN,
            pattern: None,
            code: None,
            language: None,
            languages: Vec::new(),
            files: Vec::new(),
            exclude: Vec::new(),
            fix: None,
            message: String::new(),
            rationale: None,
            severity: Severity::Warning,
            enabled: true,
            tags: Vec::new(),
            examples: Examples::default(),
            keywords: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

impl Draft {
    /// Adds a tag, spelled as tags are.
    pub fn tag(&mut self, tag: &str) {
        let tag = word(tag);
        if !tag.is_empty() && self.tags.len() + 1 < MAX_TAGS && !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }
}

/// An example of a text.
pub fn example(text: &str) -> Example {
    Example { text: text.to_owned(), line: 1, ..Example::default() }
}

/// A valid id for a rule; `None` if nothing is left of its own.
pub fn valid_id(id: &str) -> Option<String> {
    Some(word(id)).filter(|id| !id.is_empty())
}

/// A valid id or tag: other characters than letters, digits and hyphens become one hyphen.
fn word(text: &str) -> String {
    let mut id = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => id.push(c),
            _ if id.is_empty() || id.ends_with('-') => {}
            _ => id.push('-'),
        }
    }
    id.truncate(MAX_ID);
    id.trim_end_matches('-').to_owned()
}

/// A contract and its file.
#[derive(Debug)]
pub struct Finished {
    pub contract: Contract,
    pub yaml: String,
    pub left_out: Vec<String>,
}

/// The contract of a draft under an id that is free. Fails with the reason if it would be invalid.
pub fn finish(draft: &Draft, id: &str, kind: SourceKind, source: &str) -> Result<Finished, String> {
    let mut left_out = draft.left_out.clone();
    let mut contract = build(draft, id, kind, &mut left_out)?;
    if let Some(warning) = matcher::broken(&contract) {
        return Err(warning.what);
    }
    if !draft.keywords.is_empty() && !implies(&contract, &draft.keywords) {
        left_out.push(format!("the keywords {}", draft.keywords.join(", ")));
    }
    let misfits = if draft.languages.is_empty() { Vec::new() } else { misfits(&contract) };
    if !misfits.is_empty() && misfits.len() >= draft.languages.len() {
        return Err(format!("its code does not parse: {}", misfits[0].1));
    }
    left_out.extend(misfits.into_iter().map(|(language, why)| format!("files in {language}: {why}")));
    let total = examples(&contract);
    loop {
        let yaml = file(&contract, draft, kind, source, &left_out);
        if yaml.len() <= MAX_FILE {
            if examples(&contract) < total {
                let count = total - examples(&contract);
                left_out
                    .push(format!("{count} of {total} examples: the file would be over {MAX_FILE} bytes"));
                let yaml = file(&contract, draft, kind, source, &left_out);
                return Ok(Finished { contract, yaml, left_out });
            }
            return Ok(Finished { contract, yaml, left_out });
        }
        // Room for the comment that counts the missing ones.
        let largest = |list: &[Example]| {
            list.iter()
                .enumerate()
                .max_by_key(|(_, one)| one.text.len())
                .map(|(at, one)| (one.text.len(), at))
        };
        let Examples { violating, passing } = &mut contract.examples;
        match (largest(violating), largest(passing)) {
            (Some((one, at)), other) if other.is_none_or(|(other, _)| one >= other) => {
                drop(violating.remove(at))
            }
            (_, Some((_, at))) => drop(passing.remove(at)),
            _ => return Err(format!("the contract file would be over {MAX_FILE} bytes")),
        }
    }
}

/// Whether every match of the contract contains one of the keywords.
fn implies(contract: &Contract, keywords: &[String]) -> bool {
    let Some(literals) = matcher::required_literals(contract) else { return false };
    let has_keyword = |text: &str| keywords.iter().any(|keyword| text.contains(&keyword.to_lowercase()));
    !literals.texts.is_empty()
        && literals.texts.iter().all(|text| has_keyword(&String::from_utf8_lossy(text)))
}

fn examples(contract: &Contract) -> usize {
    contract.examples.violating.len() + contract.examples.passing.len()
}

/// The contract file: its origin in a comment, then its keys.
fn file(contract: &Contract, draft: &Draft, kind: SourceKind, source: &str, left_out: &[String]) -> String {
    let comment = |text: &str| format!("# {}\n", printable(text));
    let origin = format!("Imported from {source}: {} rule '{}'.", kind.as_str(), draft.id);
    let mut yaml = comment(&origin);
    yaml.extend(left_out.iter().map(|one| comment(&format!("Left out: {one}"))));
    yaml + &to_yaml(contract)
}

fn build(draft: &Draft, id: &str, kind: SourceKind, left_out: &mut Vec<String>) -> Result<Contract, String> {
    let origin = Origin { layer: LayerKind::Project, file: format!("{id}.yaml").into() };
    let mut builder = ContractBuilder::new(origin, ContractSchema::Flat, 1);
    let mut set = |name: &str, value: Option<Value<'_>>| {
        if let (Some(key), Some(value)) = (ContractKey::find(name, KeyLevel::Top), value) {
            builder.set(key, value);
        }
    };
    let text = |text: &str| Value::Text(LocatedText::new(text.to_owned(), 1));
    let list = |list: &[String]| match list {
        [] => None,
        [one] => Some(text(one)),
        several => Some(Value::List(several.iter().map(|one| LocatedText::new(one.clone(), 1)).collect())),
    };
    set("rule_id", Some(text(id)));
    set("type", Some(text(draft.kind.name)));
    set("pattern", draft.pattern.as_deref().map(text));
    set(
        "code",
        draft.code.as_ref().map(|code| match code {
            Json::String(pattern) => text(pattern),
            rule => Value::Object(LocatedText::new(rule.to_string(), 1)),
        }),
    );
    set("language", draft.language.map(text));
    set("file_glob", list(&draft.files));
    set("exclude_glob", list(&draft.exclude));
    set("fix", draft.fix.as_deref().map(text));
    set("message", Some(text(draft.message.trim())));
    set("severity", Some(text(draft.severity.as_str())));
    set("rationale", draft.rationale.as_deref().map(|rationale| text(rationale.trim())));
    set("enabled", Some(Value::Flag(draft.enabled)));
    let tags = draft.tags.iter().map(String::as_str).chain([kind.as_str()]);
    set("tags", Some(Value::List(tags.map(|tag| LocatedText::new(tag.to_owned(), 1)).collect())));
    set("examples", Some(Value::Examples(draft.examples.clone())));
    let ParsedContract { contract, warnings, .. } = builder.finish();
    let Some(contract) = contract else {
        return Err(warnings.into_iter().next().map_or_else(String::new, |warning| warning.what));
    };
    // What remains are doubts: a key without a meaning, which the contract does not have.
    left_out.extend(warnings.into_iter().map(|warning| warning.what));
    Ok(contract)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_valid() {
        for (id, expected) in [
            ("no-print", "no-print"),
            ("python.lang.use_of_eval", "python-lang-use-of-eval"),
            ("../../etc/passwd", "etc-passwd"),
            ("  a  b  ", "a-b"),
            ("\u{e9}\u{1b}[31m", "31m"),
            ("...", ""),
        ] {
            assert_eq!(word(id), expected, "{id}");
        }
        assert_eq!(word(&"a".repeat(100)).len(), MAX_ID);
        assert_eq!(word(&format!("{}-b", "a".repeat(63))), "a".repeat(63));
    }
}
