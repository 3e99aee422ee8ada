//! Writes a contract as YAML in the flat schema.

use std::borrow::Cow;

use crate::contract::keys::{ContractKey, KEYS, Value};
use crate::contract::{Contract, Example, Examples};
use phaser_data::Scalar;

/// The contract as a file, with its examples.
pub fn to_yaml(contract: &Contract) -> String {
    let written = |key: &ContractKey| match key.value_of(contract)? {
        Value::Text(text) => Some(scalar(key, &text.text).into_owned()),
        // JSON is YAML, on one line.
        Value::Object(json) => Some(json.text.into_owned()),
        Value::Flag(flag) => Some(flag.to_string()),
        Value::Literal(text) => Some(text.text.into_owned()),
        Value::Scalars(scalars) => {
            let written = scalars.iter().map(|one| written_scalar(&one.text)).collect::<Vec<_>>();
            Some(if let [one] = written.as_slice() {
                one.clone()
            } else {
                format!("[{}]", written.join(", "))
            })
        }
        Value::List(list) => {
            let words: Vec<_> = list.iter().map(|word| scalar(key, &word.text)).collect();
            Some(format!("[{}]", words.join(", ")))
        }
        Value::Examples(_) | Value::Empty(_) => None,
    };
    let lines = KEYS.iter().filter_map(|key| Some((key.name, written(key)?)));
    let mut yaml: String = lines.map(|(name, value)| format!("{name}: {value}\n")).collect();
    yaml.push_str(&examples(&contract.examples));
    yaml
}

/// The key `examples`; empty without any.
fn examples(examples: &Examples) -> String {
    let lists = [("violating", &examples.violating), ("passing", &examples.passing)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let lists: String = lists
        .map(|(name, list)| format!("  {name}:\n{}", list.iter().map(example).collect::<String>()))
        .collect();
    if lists.is_empty() { lists } else { format!("examples:\n{lists}") }
}

/// One example as an entry of a list: its text alone, or a map.
fn example(example: &Example) -> String {
    if let [first, others @ ..] = example.files.as_slice() {
        let others = others.iter().map(|path| format!(", {}", quoted(path)));
        return format!("    - files: [{}{}]\n", quoted(first), others.collect::<String>());
    }
    let text = quoted(&example.text);
    if let Some(change) = &example.change {
        let version = |text: &Option<String>| {
            text.as_deref().map_or("null".to_owned(), |text| quoted(text).into_owned())
        };
        let path = example.path.iter().map(|path| ("path", quoted(path)));
        let versions = [("before", version(&change.before)), ("after", version(&change.after))];
        let keys: Vec<String> = path
            .map(|(key, path)| (key, path.into_owned()))
            .chain(versions)
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        return format!("    - {}", keys.join("      "));
    }
    if example.path.is_none() && example.fixed.is_none() {
        return format!("    - {text}\n");
    }
    let path = example.path.iter().map(|path| ("path", quoted(path)));
    let fixed = example.fixed.iter().map(|fixed| ("fixed", quoted(fixed)));
    let keys: Vec<String> =
        path.chain([("text", text)]).chain(fixed).map(|(key, value)| format!("{key}: {value}\n")).collect();
    format!("    - {}", keys.join("      "))
}

/// A text as the YAML value of `key`.
fn scalar<'a>(key: &ContractKey, text: &'a str) -> Cow<'a, str> {
    let is_bare = !key.quoted && is_word(text);
    if is_bare { Cow::Borrowed(text) } else { quoted(text) }
}

/// A JSON literal as YAML: texts in single quotes, anything else as it is.
fn written_scalar(literal: &str) -> String {
    match Scalar::from_json(literal) {
        Some(Scalar::String(text)) => quoted(&text).into_owned(),
        _ => literal.to_owned(),
    }
}

/// Whether YAML reads the bare word as text.
fn is_word(text: &str) -> bool {
    const MEANS_ELSE: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(is_plain)
        && !MEANS_ELSE.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// A YAML scalar on one line: in single quotes, which keep patterns unchanged, or escaped in double quotes if it has
/// control characters.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}')) {
        let escaped = text.chars().map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            c if c.is_control() || !c.is_ascii() => format!("\\U{:08X}", u32::from(c)),
            c => c.to_string(),
        });
        return Cow::Owned(format!("\"{}\"", escaped.collect::<String>()));
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "''")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::syntax::parse;
    use crate::contract::{Check, LayerKind, Origin};
    use crate::testing::pack_files;

    fn contract(yaml: &str) -> Contract {
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        parse(yaml, origin).unwrap_or_else(|warnings| panic!("{warnings:?}\n{yaml}"))
    }

    const YAML: &str = "rule_id: no-print\ntype: forbid_pattern\npattern: '\\bprint\\('''\nfile_glob: '**/*.py'\n\
        in: [code, strings]\nmessage: 'Use the logger.'\nseverity: error\nenabled: true\ntags: [output, 'no', '1']\n";

    #[test]
    fn writes_yaml_as_by_hand() {
        assert_eq!(to_yaml(&contract(YAML)), YAML);
    }

    #[test]
    fn round_trip_keeps_contract() {
        // The order of the keys decides the lines.
        let without_lines = |contract: Contract| {
            let shown = format!("{contract:?}");
            let parts =
                shown.split("line: ").map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
            parts.collect::<String>()
        };
        for file in pack_files() {
            if file.contains("\ncode:") && !cfg!(feature = "syntax") {
                continue;
            }
            let expected = contract(&file);
            assert_eq!(without_lines(contract(&to_yaml(&expected))), without_lines(expected));
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(
            id in "[A-Za-z0-9-]{1,8}",
            pattern in "\\PC{1,20}|[ -~\t\n\r\u{0}\u{7f}\u{85}\u{2028}\u{feff}'\"\\\\é:#]{1,20}",
            rationale in ".{0,20}[a-z]",
        ) {
            let mut written = contract(YAML);
            written.id.clone_from(&id);
            written.rationale = Some(rationale.clone());
            if let Check::Forbid(forbidden) = &mut written.check {
                forbidden.pattern.source.clone_from(&pattern);
            }
            let read = contract(&to_yaml(&written));
            prop_assert_eq!(&read.check.pattern().expect("has one").source, &pattern);
            prop_assert_eq!((read.id, read.rationale), (id, Some(rationale)));
        }
    }
}
