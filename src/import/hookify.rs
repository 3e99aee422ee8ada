//! hookify: one rule per Markdown file, with front matter that looks like YAML.
//!
//! hookify's own reader takes a line as a key, and the rest of the line as its value without quotes. It has no escapes,
//! so `pattern: "\.env$"` is a valid rule and no valid YAML. This reader does the same.
//!
//! A condition on the text of an edit becomes `forbid_pattern`, one on a command `forbid_command`. hookify searches the
//! command line as written; a contract judges each command of the line, so that a pattern over several commands, or over
//! redirections, has no equivalent.

use super::dialect::{RegexDialect, SearchUnit, translate};
use super::{Draft, ReadRule, SourceFile, names_secrets, path_regex};
use phaser_core::check::FORBID_COMMAND;
use phaser_core::contract::Severity;
use regex_syntax::escape;

/// The front matter of a rule.
#[derive(Debug, Default)]
struct FrontMatter {
    /// Key, value and line.
    keys: Vec<(String, String, usize)>,
    conditions: Vec<Condition>,
}

#[derive(Debug, Default, Clone)]
struct Condition {
    field: String,
    operator: String,
    pattern: String,
}

/// Whether a text has the form of a rule.
pub fn is_rule(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    split(text).is_some_and(|(matter, _)| {
        let matter = FrontMatter::parse(matter);
        matter.get("event").is_some() || matter.get("pattern").is_some() || !matter.conditions.is_empty()
    })
}

/// The front matter and the body.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let end = rest
        .match_indices("\n---")
        .find(|(at, _)| rest[at + 4..].lines().next().is_none_or(|line| line.trim().is_empty()))?;
    Some((&rest[..end.0], rest[end.0 + 4..].trim_start_matches(['\r', ' ', '\t'])))
}

pub fn read(file: &SourceFile) -> Vec<ReadRule> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let Some((matter, body)) = split(text) else { return Vec::new() };
    let matter = FrontMatter::parse(matter);
    let stem = file.stem();
    let name =
        matter.get("name").unwrap_or_else(|| stem.trim_start_matches("hookify.").trim_end_matches(".local"));
    vec![ReadRule::of(name, 1, draft(&matter, name, body))]
}

impl FrontMatter {
    fn parse(text: &str) -> Self {
        let mut matter = Self::default();
        let mut in_conditions = false;
        for (number, line) in (2..).zip(text.lines()) {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let is_top = !line.starts_with([' ', '\t', '-']);
            if is_top {
                let Some((key, value)) = trimmed.split_once(':') else { continue };
                in_conditions = key.trim() == "conditions";
                matter.keys.push((key.trim().to_owned(), unquoted(value), number));
            } else if in_conditions {
                let item = trimmed.strip_prefix('-').map(str::trim);
                if item.is_some() {
                    matter
                        .conditions
                        .push(Condition { operator: "regex_match".to_owned(), ..Condition::default() });
                }
                let pairs = item.unwrap_or(trimmed);
                // One line may hold several keys, as hookify reads it.
                let several = item.is_some() && pairs.contains(',') && pairs.matches(':').count() > 1;
                let parts: Vec<&str> = if several { pairs.split(',').collect() } else { vec![pairs] };
                let Some(condition) = matter.conditions.last_mut() else { continue };
                for (key, value) in parts.into_iter().filter_map(|part| part.split_once(':')) {
                    match key.trim() {
                        "field" => condition.field = unquoted(value),
                        "operator" => condition.operator = unquoted(value),
                        "pattern" => condition.pattern = unquoted(value),
                        _ => {}
                    }
                }
            }
        }
        matter
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.keys
            .iter()
            .find(|(known, ..)| known == key)
            .map(|(_, value, _)| value.as_str())
            .filter(|value| !value.is_empty())
    }
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches('"').trim_matches('\'').to_owned()
}

fn draft(matter: &FrontMatter, name: &str, body: &str) -> Result<Draft, String> {
    let event = matter.get("event").unwrap_or("all");
    let field = match event {
        "bash" => "command",
        "file" | "all" => "new_text",
        other => {
            return Err(format!(
                "the event '{other}' has no equivalent (a contract is about files and commands)"
            ));
        }
    };
    if matter.get("tool_matcher").is_some_and(|tools| tools != "*") {
        return Err("'tool_matcher' has no equivalent".to_owned());
    }
    let mut conditions = matter.conditions.clone();
    if let (true, Some(pattern)) = (conditions.is_empty(), matter.get("pattern")) {
        conditions.push(Condition {
            field: field.to_owned(),
            operator: "regex_match".to_owned(),
            pattern: pattern.to_owned(),
        });
    }
    if conditions.is_empty() {
        return Err("it has neither 'pattern' nor 'conditions'".to_owned());
    }
    let mut lines = body.lines().map(plain).filter(|line| !line.is_empty());
    let mut draft = Draft {
        message: lines.next().unwrap_or_else(|| format!("Do not do what {name} forbids.")),
        rationale: Some(lines.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty()),
        severity: if matter.get("action") == Some("block") { Severity::Error } else { Severity::Warning },
        enabled: matter.get("enabled") != Some("false"),
        ..Draft::default()
    };
    if names_secrets(name) {
        draft.tag("secret");
    }
    let (about_path, others): (Vec<_>, Vec<_>) =
        conditions.into_iter().partition(|one| one.field == "file_path");
    let [condition] = others.as_slice() else {
        return Err(match others.is_empty() {
            true => "it is about a path alone (write a contract of type file_unchanged or file_not_exists)"
                .to_owned(),
            false => "it has several conditions on one text".to_owned(),
        });
    };
    match condition.field.as_str() {
        "command" if event != "file" && about_path.is_empty() => command(&mut draft, condition)?,
        "new_text" | "new_string" | "content" if event != "bash" => text(&mut draft, condition)?,
        other => return Err(format!("the field '{other}' has no equivalent")),
    }
    paths(&mut draft, &about_path)?;
    Ok(draft)
}

/// A line of the body without its Markdown: headings, lists, emphasis and symbols.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '-', '*', '>', ' ']).replace("**", "").replace('`', "");
    line.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '"' | '$' | '('))
        .trim()
        .to_owned()
}

/// The condition as a regex; `i` as flag for one, as hookify searches without case.
fn regex_of(condition: &Condition) -> Result<(String, &'static str), String> {
    let literal = escape(&condition.pattern);
    match condition.operator.as_str() {
        _ if condition.pattern.is_empty() => Err("a condition has no pattern".to_owned()),
        "regex_match" => Ok((condition.pattern.clone(), "i")),
        "contains" => Ok((literal, "")),
        other => Err(format!("the operator '{other}' on a text has no equivalent")),
    }
}

fn text(draft: &mut Draft, condition: &Condition) -> Result<(), String> {
    let (regex, flags) = regex_of(condition)?;
    if regex.starts_with('^') || regex.ends_with('$') && !regex.ends_with("\\$") {
        draft
            .left_out
            .push("'^' and '$' of the new text: in a contract they are those of every line".to_owned());
    }
    draft.pattern = Some(translate(&regex, RegexDialect::Python, SearchUnit::File, flags)?.pattern);
    Ok(())
}

/// What joins commands of a line, in a pattern.
const JOINS: [&str; 8] = [r"\|", "&", ";", ">", "<", r"\$\(", "`", r"\n"];

fn command(draft: &mut Draft, condition: &Condition) -> Result<(), String> {
    let (regex, flags) = regex_of(condition)?;
    let without_groups = regex.replace("(?<", "(").replace("(?>", "(");
    if let Some(join) = JOINS.iter().find(|join| without_groups.contains(*join)) {
        return Err(format!("its pattern has '{join}': a contract judges each command of a line on its own"));
    }
    draft.kind = &FORBID_COMMAND;
    let translated = translate(&regex, RegexDialect::Python, SearchUnit::File, "")?.pattern;
    // A contract matches from the first word on, hookify anywhere.
    let pattern = match translated.strip_prefix('^').filter(|_| !translated.contains('|')) {
        Some(from_start) => from_start.to_owned(),
        None => format!(".*?(?:{translated})"),
    };
    let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
    draft.pattern = Some(format!("{flags}{pattern}"));
    draft
        .left_out
        .push("words with white space, such as quoted texts: a contract does not search them".to_owned());
    Ok(())
}

/// The files of the conditions on paths.
fn paths(draft: &mut Draft, conditions: &[Condition]) -> Result<(), String> {
    if draft.kind == &FORBID_COMMAND {
        return Ok(());
    }
    for Condition { operator, pattern, .. } in conditions {
        let literal = escape(pattern);
        let (regex, is_excluded) = match operator.as_str() {
            "regex_match" => (format!("(?i){pattern}"), false),
            "contains" => (literal, false),
            "not_contains" => (literal, true),
            "ends_with" => (format!("{literal}$"), false),
            other => {
                return Err(format!(
                    "the operator '{other}' on a path has no equivalent (paths are relative here)"
                ));
            }
        };
        let globs = path_regex::globs(&regex)
            .ok_or_else(|| format!("the path '{pattern}' has no equivalent glob"))?;
        match is_excluded {
            true => draft.exclude.extend(globs),
            false if !draft.files.is_empty() => {
                return Err("it has several conditions on the path".to_owned());
            }
            false => draft.files = globs,
        }
    }
    if draft.files.is_empty() {
        draft.files.push("**/*".to_owned());
    }
    Ok(())
}
