//! commitlint: rules about commit messages, as JSON or YAML.
//!
//! A rule is `[LEVEL, always | never, VALUE]`. The parts of a header are those of the conventional format,
//! `type(scope)!: subject`; a message in another form has no type and no subject, and passes every rule about them but
//! `type-empty` and `subject-empty`. The patterns keep this: each begins with a header in that form.

use regex_syntax::escape;

use super::document::{DataNode, Documents};
use super::{Draft, ReadRule};
use phaser_core::check::{FORBID_IN_MESSAGE, REQUIRE_IN_MESSAGE};
use phaser_core::contract::Severity;

/// Names of configurations that are data.
pub fn is_named(name: &str) -> bool {
    matches!(name, ".commitlintrc" | ".commitlintrc.json" | ".commitlintrc.yaml" | ".commitlintrc.yml")
}

/// What follows the type in a header, up to the subject.
const AFTER_TYPE: &str = r"(?:\([^\r\n]*\))?!?: ";

pub fn read(documents: &Documents<'_>) -> Vec<ReadRule> {
    let Some(root) = documents.roots().next() else { return Vec::new() };
    let config = root.get("commitlint").unwrap_or(root);
    let mut rules = Vec::new();
    if let Some(extends) = config.get("extends").filter(|extends| !extends.texts().is_empty()) {
        let names = extends.texts().join(", ");
        rules.push(ReadRule::part(
            extends.line(),
            format!(
                "'extends': the rules of {names} (import the output of 'npx commitlint --print-config json')"
            ),
        ));
    }
    for (name, rule) in config.get("rules").into_iter().flat_map(DataNode::members) {
        rules.push(ReadRule::of(name, rule.line(), draft(name, rule)));
    }
    rules
}

/// The condition of a rule.
struct RuleCondition<'a> {
    is_always: bool,
    value: Option<DataNode<'a>>,
}

/// Whether a match of a pattern violates the rule, or a message without one.
enum MessagePattern {
    Forbidden(String),
    Required(String),
}
use MessagePattern::{Forbidden, Required};

/// The pattern and the message of a rule.
type MessageRule = (MessagePattern, String);

/// Translates a rule; `None` if its value has no equivalent.
type Translate = fn(&RuleCondition<'_>) -> Option<MessageRule>;

/// The translations, by the name of the rule.
const RULES: [(&str, Translate); 14] = [
    ("type-enum", |rule| {
        let types = rule.words()?;
        let all: Vec<String> = types.iter().map(|one| escape(one)).collect();
        let named = format!("(?:{})", all.join("|"));
        Some(match rule.is_always {
            true => (
                Forbidden(format!(r"\A(?!{named}{AFTER_TYPE})\w+{AFTER_TYPE}")),
                format!("Use one of these types: {}.", types.join(", ")),
            ),
            false => (
                Forbidden(format!(r"\A{named}{AFTER_TYPE}")),
                format!("Do not use these types: {}.", types.join(", ")),
            ),
        })
    }),
    ("type-case", |rule| {
        let (pattern, message) = case(rule, "type")?;
        Some((Forbidden(format!(r"\A(?=\w+{AFTER_TYPE}){pattern}")), message))
    }),
    ("type-empty", |rule| empty(rule, &format!(r"\A\w+{AFTER_TYPE}"), "a type")),
    ("scope-empty", |rule| empty(rule, r"\A\w*\([^\r\n]+\)!?: ", "a scope")),
    ("subject-empty", |rule| empty(rule, &format!(r"\A\w*{AFTER_TYPE}\S"), "a subject")),
    ("subject-case", |rule| {
        let (pattern, message) = case(rule, "subject")?;
        Some((Forbidden(format!(r"\A\w*{AFTER_TYPE}{pattern}")), message))
    }),
    ("subject-full-stop", |rule| {
        let stop = rule.value.and_then(DataNode::text).unwrap_or(".");
        let ends = escape(stop);
        Some(match rule.is_always {
            false => (
                Forbidden(format!(r"\A\w*{AFTER_TYPE}[^\r\n]*{ends}(?=[\r\n]|\z)")),
                format!("Do not end the subject with '{stop}'."),
            ),
            true => (
                Forbidden(format!(r"\A\w*{AFTER_TYPE}(?![^\r\n]*{ends}(?:[\r\n]|\z))[^\r\n]")),
                format!("End the subject with '{stop}'."),
            ),
        })
    }),
    ("subject-exclamation-mark", |rule| {
        let marked = r"\A\w*(?:\([^\r\n]*\))?!: ";
        Some(match rule.is_always {
            true => (
                Forbidden(format!(r"\A(?!\w*(?:\([^\r\n]*\))?!: )\w*{AFTER_TYPE}")),
                "Put '!' before the colon.".to_owned(),
            ),
            false => (Forbidden(marked.to_owned()), "Do not put '!' before the colon.".to_owned()),
        })
    }),
    ("subject-max-length", |rule| {
        let over = rule.number().filter(|_| rule.is_always)?.checked_add(1)?;
        Some((
            Forbidden(format!(r"\A\w*{AFTER_TYPE}[^\r\n]{{{over}}}")),
            format!("Keep the subject within {} characters.", over - 1),
        ))
    }),
    ("subject-min-length", |rule| {
        let under = rule.number().filter(|_| rule.is_always)?.checked_sub(1)?;
        Some((
            Forbidden(format!(r"\A\w*{AFTER_TYPE}(?=[^\r\n]{{0,{under}}}(?:[\r\n]|\z))[^\r\n]")),
            format!("Write a subject of at least {} characters.", under + 1),
        ))
    }),
    ("header-max-length", |rule| {
        let over = rule.number().filter(|_| rule.is_always)?.checked_add(1)?;
        Some((
            Forbidden(format!(r"\A[^\r\n]{{{over}}}")),
            format!("Keep the first line within {} characters.", over - 1),
        ))
    }),
    ("header-min-length", |rule| {
        let least = rule.number().filter(|_| rule.is_always)?;
        Some((
            Required(format!(r"\A[^\r\n]{{{least}}}")),
            format!("Write a first line of at least {least} characters."),
        ))
    }),
    ("body-leading-blank", |rule| {
        rule.is_always.then(|| {
            (Forbidden(r"\A[^\r\n]*\r?\n[^\r\n]".to_owned()), "Leave the second line blank.".to_owned())
        })
    }),
    ("body-max-line-length", |rule| {
        let over = rule.number().filter(|_| rule.is_always)?.checked_add(1)?;
        Some((
            Forbidden(format!(r"(?<=\n)[^\r\n]{{{over}}}")),
            format!("Keep the lines of the body within {} characters.", over - 1),
        ))
    }),
];

impl RuleCondition<'_> {
    fn words(&self) -> Option<Vec<&str>> {
        self.value.map(DataNode::texts).filter(|words| !words.is_empty())
    }

    fn number(&self) -> Option<usize> {
        self.value?.text()?.parse().ok().filter(|number| (1..=1000).contains(number))
    }
}

/// A rule that demands, or forbids, that a part is empty. `present` matches a message with the part.
fn empty(rule: &RuleCondition<'_>, present: &str, part: &str) -> Option<MessageRule> {
    Some(match rule.is_always {
        false => {
            (Required(present.to_owned()), format!("Write {part}, as in 'fix(parser): accept blank lines'."))
        }
        true => (Forbidden(present.to_owned()), format!("Do not write {part}.")),
    })
}

/// A pattern of a text in a forbidden case, and the message. A text in start case, pascal case or upper case begins with a
/// capital, which is what commitlint calls sentence case.
fn case(rule: &RuleCondition<'_>, part: &str) -> Option<(String, String)> {
    let is_capital =
        |case: &&str| matches!(*case, "sentence-case" | "start-case" | "pascal-case" | "upper-case");
    let cases = rule.words()?;
    match (rule.is_always, cases.as_slice()) {
        (false, cases) if cases.contains(&"sentence-case") && cases.iter().all(is_capital) => {
            Some((r"\p{Lu}".to_owned(), format!("Begin the {part} with a small letter.")))
        }
        (true, ["lower-case"]) => {
            let upper = if part == "type" { r"\w*?\p{Lu}" } else { r"(?=\p{L})[^\r\n]*?\p{Lu}" };
            Some((upper.to_owned(), format!("Write the {part} in small letters.")))
        }
        (true, ["sentence-case"]) => {
            Some((r"\p{Ll}".to_owned(), format!("Begin the {part} with a capital.")))
        }
        (true, ["upper-case"]) => {
            let lower = if part == "type" { r"\w*?\p{Ll}" } else { r"(?=\p{L})[^\r\n]*?\p{Ll}" };
            Some((lower.to_owned(), format!("Write the {part} in capitals.")))
        }
        _ => None,
    }
}

fn draft(name: &str, rule: DataNode<'_>) -> Result<Draft, String> {
    let parts: Vec<DataNode<'_>> = if rule.is_list() { rule.items().collect() } else { vec![rule] };
    let level = parts.first().and_then(|level| level.text()).unwrap_or_default();
    let severity = match level {
        "0" => return Err("it is disabled (level 0)".to_owned()),
        "1" => Severity::Warning,
        "2" => Severity::Error,
        other => return Err(format!("its level '{other}' is not 0, 1 or 2")),
    };
    let is_always = match parts.get(1).and_then(|when| when.text()) {
        Some("always") | None => true,
        Some("never") => false,
        Some(other) => return Err(format!("'{other}' is neither 'always' nor 'never'")),
    };
    let translate = RULES.iter().find(|(known, _)| *known == name);
    let (_, translate) = translate.ok_or("it has no equivalent")?;
    let condition = RuleCondition { is_always, value: parts.get(2).copied() };
    let (pattern, message) = translate(&condition).ok_or("its value has no equivalent")?;
    let (kind, pattern) = match pattern {
        Forbidden(pattern) => (&FORBID_IN_MESSAGE, pattern),
        Required(pattern) => (&REQUIRE_IN_MESSAGE, pattern),
    };
    Ok(Draft { kind, pattern: Some(pattern), message, severity, ..Draft::default() })
}
