//! Keys of a contract file that mean nothing: loading passes over them, their author should not.

use serde_json::Value;

use super::{document, printable, schema};
use crate::contract::{Origin, Warning};
use crate::nearest::nearest;

/// A warning for each key in `yaml` that is not one of a contract.
pub fn unknown_keys(yaml: &str, origin: &Origin) -> Vec<Warning> {
    let Ok(Value::Object(file)) = document(yaml, origin) else { return Vec::new() };
    let schema = schema();
    let top = (&file, &schema["properties"]);
    let rule = file
        .get("rule")
        .and_then(Value::as_object)
        .map(|rule| (rule, &schema["$defs"]["Rule"]["properties"]));
    let mut warnings = Vec::new();
    for (object, known) in std::iter::once(top).chain(rule) {
        for key in object.keys().filter(|key| known.get(key.as_str()).is_none()) {
            let known = known.as_object().into_iter().flat_map(serde_json::Map::keys).map(String::as_str);
            let mend = match nearest(key, known) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => "remove it".to_owned(),
            };
            let what = format!("key '{}' means nothing in a contract ({mend})", printable(key));
            warnings.push(Warning { file: origin.file.clone(), line: line_of(yaml, key), what });
        }
    }
    warnings
}

/// The first line that starts with this key.
fn line_of(yaml: &str, key: &str) -> Option<usize> {
    let is_key = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['"', '\'']).strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    };
    yaml.lines().position(is_key).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Place;

    fn unknown(yaml: &str) -> Vec<String> {
        let origin = Origin { place: Place::Project, file: "a.yaml".into() };
        unknown_keys(yaml, &origin).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_misspelled_key_is_found_with_its_line() {
        let yaml = "rule_id: a\n'enable': false\npattern: 'enable: x'\nauthor: me\n";
        let expected = [
            "a.yaml:2: key 'enable' means nothing in a contract (did you mean 'enabled'?)",
            "a.yaml:4: key 'author' means nothing in a contract (remove it)",
        ];
        assert_eq!(unknown(yaml), expected);
    }

    #[test]
    fn the_nested_form_is_looked_into() {
        let yaml = "version: '1.2'\naudit_source: x\nrule:\n  id: a\n  mesage: m\ncreated_at: 2025-01-01\n";
        assert_eq!(
            unknown(yaml),
            ["a.yaml:5: key 'mesage' means nothing in a contract (did you mean 'message'?)"]
        );
    }

    #[test]
    fn broken_yaml_is_none_of_its_business() {
        assert_eq!(unknown("rule_id: ["), [""; 0]);
        assert_eq!(unknown("- a"), [""; 0]);
    }
}
