//! YAML: parses contract files of both schemas, and writes the flat one.
//!
//! Two parsers give the same result. `plain` reads the simple YAML of nearly all contract files and returns `None` for
//! anything else; `yaml` reads the rest with serde-saphyr and produces the errors. Both follow the table of
//! [`keys`](super::keys). Regular expressions are validated by the matcher, on first use. A file may hold several
//! contracts as documents, which are read one by one.

use std::borrow::Cow;

use super::keys::{
    ContractBuilder, KEYS, KeyLevel, LocatedText, ParsedContract, V1_2Position, Value, meant_by,
};
use super::{Contract, ContractSchema, Origin, Warning};
use crate::sanitize::printable;
use crate::suggest::nearest;

mod documents;
mod plain;
mod schema;
mod switch;
mod write;
mod yaml;

pub use super::keys::MAX_PATTERN;
pub use documents::{YamlDocument, documents};
pub use schema::schema;
pub use switch::{Switch, switched};
pub use write::to_yaml;
pub use yaml::{YamlNode, YamlNodeValue, node};

/// The keys and values of a contract file, in either schema.
#[derive(Debug)]
struct ContractDocument<'a> {
    schema: ContractSchema,
    /// The first line in the file.
    first: usize,
    /// The line that missing keys are reported at.
    top: usize,
    /// Index of the key, and value.
    values: Vec<(usize, Value<'a>)>,
    unknown_keys: Vec<UnknownKey>,
}

/// A key without a meaning in its position.
#[derive(Debug)]
struct UnknownKey {
    name: String,
    line: usize,
    place: UnknownKeyPlace,
}

/// The position of an unknown key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnknownKeyPlace {
    /// At a level without such a key.
    Unknown(KeyLevel),
    /// Beside `rule`; it belongs under it.
    BesideRule,
    /// In examples, which have these keys.
    InExamples(&'static [&'static str]),
}

/// Parses the contracts of a file, with all warnings. A document that is no contract is broken alone; a syntax error
/// breaks the file.
pub fn read_all(yaml: &str, origin: Origin) -> Vec<ParsedContract> {
    // Nearly every file. The plain parser accepts no marker of documents, so the file is one document.
    let whole = YamlDocument::whole(yaml);
    if let Some(document) = plain::read(yaml, whole.line) {
        return vec![document.build(&whole, origin)];
    }
    let read = documents(yaml).into_iter().map(|document| document.read(origin.clone()));
    read.collect::<Result<_, _>>().unwrap_or_else(|broken| vec![*broken])
}

/// Parses a file with one contract, with all warnings.
pub fn read(yaml: &str, origin: Origin) -> ParsedContract {
    match documents(yaml)[..] {
        [document] => document.read(origin).unwrap_or_else(|broken| *broken),
        [_, second, ..] => {
            let what = "a second contract, where one is expected (put it in a file of its own)";
            ParsedContract::broken(Warning::at(&origin.file, second.line, what))
        }
        [] => ParsedContract::default(),
    }
}

/// The document of a file that holds the contract with this id.
pub fn document_of<'a>(yaml: &'a str, id: &str, origin: &Origin) -> Option<YamlDocument<'a>> {
    let holds = |document: &YamlDocument<'_>| {
        let read = document.read(origin.clone()).ok().and_then(|read| read.contract);
        read.is_some_and(|contract| contract.id == id)
    };
    documents(yaml).into_iter().find(holds)
}

impl YamlDocument<'_> {
    /// Whether an unquoted value at this line of the file ends at a ` #`, which starts a comment.
    fn is_cut_by_comment(&self, line: usize) -> bool {
        if memchr::memchr(b'#', self.text.as_bytes()).is_none() {
            return false;
        }
        let line = self.text.lines().nth(line.saturating_sub(self.line));
        line.and_then(|line| line.split_once(": ")).is_some_and(|(_, value)| {
            let value = value.trim_start();
            !value.starts_with(['\'', '"', '|', '>', '#']) && value.contains(" #")
        })
    }

    /// Parses the contract, with all warnings and the lines of the file. A syntax error is an `Err`.
    fn read(&self, origin: Origin) -> Result<ParsedContract, Box<ParsedContract>> {
        if let Some(document) = plain::read(self.text, self.line) {
            return Ok(document.build(self, origin));
        }
        let broken = |mistake: yaml::YamlMistake| {
            ParsedContract::broken(Warning::at(&origin.file, mistake.line, mistake.what))
        };
        // Empty lines stand for the documents before, so that every line is that of the file.
        let text = match self.line {
            1 => Cow::Borrowed(self.text),
            line => Cow::Owned("\n".repeat(line - 1) + self.text),
        };
        let node = yaml::parse(&text).map_err(|mistake| Box::new(broken(mistake)))?;
        Ok(match yaml::read(node, self.line) {
            Ok(document) => document.build(self, origin),
            Err(mistake) => broken(mistake),
        })
    }
}

/// Parses a file with one contract, or returns its errors.
pub fn parse(yaml: &str, origin: Origin) -> Result<Contract, Vec<Warning>> {
    let ParsedContract { contract, warnings, .. } = read(yaml, origin);
    contract.ok_or(warnings)
}

impl ContractDocument<'_> {
    fn build(self, source: &YamlDocument<'_>, origin: Origin) -> ParsedContract {
        let mut builder = ContractBuilder::new(origin, self.schema, self.top);
        builder.start_at(self.first);
        for (at, value) in self.values {
            if let ("pattern", Value::Text(LocatedText { line, .. })) = (KEYS[at].name, &value)
                && source.is_cut_by_comment(*line)
            {
                let what = "' #' ends an unquoted 'pattern': the rest is a comment";
                builder.doubt(*line, format!("{what} (put the pattern in single quotes)"));
            }
            builder.set(at, value);
        }
        for unknown in &self.unknown_keys {
            builder.doubt(unknown.line, unknown.what());
        }
        builder.finish()
    }
}

impl UnknownKey {
    /// The warning, with a suggestion.
    fn what(&self) -> String {
        let name = printable(&self.name);
        let meant = match self.place {
            UnknownKeyPlace::BesideRule => {
                return format!("unknown key '{name}' beside 'rule' (move it into 'rule')");
            }
            UnknownKeyPlace::Unknown(level) => meant_by(&self.name, level),
            UnknownKeyPlace::InExamples(names) => nearest(&self.name, names.iter().copied()),
        };
        let hint = match meant {
            Some(meant) => format!("did you mean '{meant}'?"),
            None if matches!(self.name.as_str(), "contracts" | "rules") => {
                "write each contract at the top level, with '---' between two".to_owned()
            }
            None => format!("remove it; the keys are {}", self.place.keys().join(", ")),
        };
        let place = match self.place {
            UnknownKeyPlace::InExamples(_) => "in examples",
            UnknownKeyPlace::Unknown(_) | UnknownKeyPlace::BesideRule => "in a contract",
        };
        format!("unknown key '{name}' {place} ({hint})")
    }
}

impl UnknownKeyPlace {
    /// The keys with a meaning in this position.
    fn keys(self) -> Vec<&'static str> {
        match self {
            Self::InExamples(names) => names.to_vec(),
            Self::Unknown(KeyLevel::Rule) => {
                KEYS.iter().filter_map(|key| key.names_in_rule().first().copied()).collect()
            }
            Self::Unknown(KeyLevel::Top) | Self::BesideRule => KEYS.iter().map(|key| key.name).collect(),
        }
    }
}

/// Whether the key with this index is allowed beside `rule`.
fn counts_beside_rule(at: usize) -> bool {
    matches!(KEYS[at].v1_2, V1_2Position::AtTop | V1_2Position::Either)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::keys::MAX_ID;
    use crate::contract::{Dialect, Example, ExampleForm, LayerKind, Severity};

    const FLAT: &str = "\
rule_id: no-print
type: forbid_pattern
pattern: '\\bprint\\('
file_glob: '**/*.py'
message: 'Use the logger.'
severity: error
rationale: 'Output belongs to the log.'
enabled: yes
";

    const NESTED: &str = "\
version: '1.2'
audit_source: review
rule:
  id: needs-header
  type: file_contains
  pattern: 'a.b'
  file_glob: 'src/*.c'
  message: 'Add the header.'
  severity: warning
created_at: 2025-01-01
enabled: false
";

    fn origin() -> Origin {
        Origin { layer: LayerKind::Project, file: "c.yaml".into() }
    }

    fn warnings(yaml: &str) -> Vec<String> {
        parse(yaml, origin()).expect_err("is not valid").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_flat_schema() {
        let contract = parse(FLAT, origin()).expect("is valid");
        assert_eq!(contract.id, "no-print");
        assert_eq!(contract.kind.name, "forbid_pattern");
        let pattern = contract.check.pattern().expect("has a pattern");
        assert_eq!((pattern.source.as_str(), pattern.line), (r"\bprint\(", 3));
        assert_eq!(pattern.dialect, Dialect::Regex);
        assert_eq!(contract.severity, Severity::Error);
        assert_eq!(contract.glob_line, 4);
        assert!(contract.enabled);
    }

    #[test]
    fn v1_2_patterns_are_literal() {
        let contract = parse(NESTED, origin()).expect("is valid");
        assert_eq!(contract.id, "needs-header");
        assert!(!contract.enabled);
        assert!(!contract.check.is_about_project() && contract.check.needs_whole_file());
        let pattern = contract.check.pattern().expect("has a pattern");
        assert_eq!(pattern.dialect, Dialect::Literal);
    }

    #[test]
    fn v1_2_require_pattern_needs_one_file() {
        let yaml = NESTED.replace("file_contains", "require_pattern");
        let contract = parse(&yaml, origin()).expect("is valid");
        assert!(contract.check.is_about_project());
        let pattern = contract.check.pattern().expect("has a pattern");
        assert_eq!(pattern.dialect, Dialect::Regex);
    }

    #[test]
    fn v1_2_severity_defaults_to_error() {
        let yaml = NESTED.replace("  severity: warning\n", "");
        assert_eq!(parse(&yaml, origin()).expect("is valid").severity, Severity::Error);
    }

    #[test]
    fn python_booleans_are_booleans() {
        for (spelling, enabled) in
            [("no", false), ("off", false), ("False", false), ("on", true), ("TRUE", true)]
        {
            let yaml = FLAT.replace("yes", spelling);
            assert_eq!(parse(&yaml, origin()).expect("is valid").enabled, enabled, "{spelling}");
        }
    }

    #[test]
    fn numeric_ids_and_messages_are_text() {
        let yaml = FLAT.replace("no-print", "123").replace("'Use the logger.'", "404");
        let contract = parse(&yaml, origin()).expect("is valid");
        assert_eq!((contract.id.as_str(), contract.message.as_str()), ("123", "404"));
    }

    #[test]
    fn examples_are_read_with_their_lines() {
        let yaml = format!(
            "{FLAT}examples:\n  violating:\n    - print(1)\n    - path: a/b.py\n      text: |\n        print(2)\n  \
             passing:\n    - log(1)\n"
        );
        let examples = parse(&yaml, origin()).expect("is valid").examples;
        assert_eq!(
            examples.violating[0],
            Example { text: "print(1)".into(), line: 11, ..Example::default() }
        );
        let placed = Example {
            path: Some("a/b.py".into()),
            text: "print(2)\n".into(),
            line: 12,
            ..Example::default()
        };
        assert_eq!(examples.violating[1], placed);
        assert_eq!(examples.passing[0].text, "log(1)");
    }

    #[test]
    fn examples_of_companions_are_files() {
        let flat = "rule_id: a\ntype: companion_exists\ncompanion: 'tests/{name}'\nfile_glob: 'src/*'\n\
            message: m\nseverity: error\n";
        let read = |examples: &str| read(&format!("{flat}examples: {{violating: [{examples}]}}\n"), origin());
        let files = |examples: &str| {
            let ParsedContract { contract, warnings, .. } = read(examples);
            assert_eq!(warnings, [], "{examples}");
            let example = contract.expect("is valid").examples.violating.remove(0);
            assert_eq!((example.form(), example.text), (ExampleForm::Files, example.files.join("\n")));
            example.files
        };
        assert_eq!(files("{files: [src/a.py, tests/a.py]}"), ["src/a.py", "tests/a.py"]);
        assert_eq!(files("{files: src/a.py}"), ["src/a.py"]);
        assert_eq!(files("src/a.py"), ["src/a.py"]);
        assert_eq!(files("\"src/a.py\\n\""), ["src/a.py"]);
        let warning = |examples: &str| {
            let ParsedContract { contract, warnings, .. } = read(examples);
            (contract.is_some(), warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; "))
        };
        let paths =
            "c.yaml:7: 'files' is a path or a list of paths (write 'files: [src/a.py, tests/test_a.py]')";
        for wrong in
            ["{files: []}", "{files: ''}", "{files: [[a]]}", "{files: {a: b}}", "{files: 1}", "{files: }"]
        {
            assert_eq!(warning(wrong), (false, paths.to_owned()), "{wrong}");
        }
        let alone = "c.yaml:7: an example with 'files' has no other key (write the paths only)";
        for wrong in ["{files: a, path: b}", "{files: a, after: null}", "{fixed: x, files: a}"] {
            assert_eq!(warning(wrong), (false, alone.to_owned()), "{wrong}");
        }
        let list = "c.yaml:7: an example of companion_exists is a list of paths (write 'files: […]')";
        for doubtful in ["{before: a, after: b}", "{path: src/a.py, text: x}", "''", "'', ''"] {
            assert_eq!(warning(doubtful), (true, list.to_owned()), "{doubtful}");
        }
        let of_text =
            super::read(&format!("{FLAT}examples: {{passing: [{{files: a}}]}}\n"), origin()).warnings;
        let hint = "(write 'path: …' and 'text: …' for 'files')";
        assert_eq!(
            of_text[0].to_string(),
            format!("c.yaml:9: forbid_pattern is not about several files {hint}")
        );
    }

    #[test]
    fn keeps_examples_as_written() {
        let yaml = format!("{FLAT}examples: {{violating: [y, 1.50, 0x1F, True], passing: ['y', abc]}}\n");
        let examples = parse(&yaml, origin()).expect("is valid").examples;
        let texts =
            |examples: &[Example]| examples.iter().map(|example| example.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&examples.violating), ["y", "1.50", "0x1F", "True"]);
        assert_eq!(texts(&examples.passing), ["y", "abc"]);
        let broken = warnings(&format!("{FLAT}examples: {{violating: [[a]]}}\n"));
        assert!(broken[0].contains("an example is a text"), "{broken:?}");
    }

    #[test]
    fn every_error_names_its_line() {
        let missing = warnings("{}");
        assert_eq!(missing.len(), 5, "{missing:#?}");
        assert!(missing.iter().all(|warning| warning.starts_with("c.yaml:1: ")));

        let cases = [
            ("no-print", "no_print", "c.yaml:1: rule id 'no_print' may have only letters"),
            ("no-print", "''", "c.yaml:1: the rule id is empty"),
            ("forbid_pattern", "forbid", "c.yaml:2: type 'forbid' is not known"),
            (r"'\bprint\('", "''", "c.yaml:3: 'pattern' is empty"),
            ("'**/*.py'", "'[a'", "c.yaml:4: 'file_glob' is not valid"),
            ("'Use the logger.'", "' '", "c.yaml:5: 'message' is empty"),
            ("severity: error", "severity: fatal", "c.yaml:6: severity 'fatal' is not known"),
            ("enabled: yes", "enabled: perhaps", "c.yaml:8: neither true nor false"),
            ("'Use the logger.'", "[a]", "c.yaml:5: a list or a mapping, where text is expected"),
            ("enabled: yes", "message: again", "c.yaml:8: the key 'message' is there twice"),
            ("enabled: yes", "---\nrule_id: b", "c.yaml:9: a second contract"),
        ];
        for (from, to, expected) in cases {
            let found = warnings(&FLAT.replacen(from, to, 1));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(expected), "{found:?} should start with {expected}");
        }
    }

    #[test]
    fn reads_several_documents_with_their_lines() {
        let yaml = format!("---\n{FLAT}---\nrule_id: incomplete\n---\n{NESTED}---\n- text\n---\n");
        let all = read_all(&yaml, origin());
        let ids: Vec<_> =
            all.iter().map(|one| one.contract.as_ref().map(|found| found.id.as_str())).collect();
        assert_eq!(ids, [Some("no-print"), None, Some("needs-header"), None]);
        let contract = all[0].contract.as_ref().expect("is valid");
        assert_eq!((contract.line, contract.glob_line), (2, 5));
        assert!(all[1].warnings.iter().all(|warning| warning.line == Some(11)), "{all:?}");
        assert_eq!(all[2].contract.as_ref().map(|contract| contract.glob_line), Some(19));
        assert_eq!(all[3].warnings[0].line, Some(25));
    }

    #[test]
    fn syntax_error_breaks_whole_file() {
        let all = read_all(&format!("{FLAT}---\nrule_id: 'b\n---\n{FLAT}"), origin());
        assert_eq!(all.len(), 1);
        assert!(all[0].contract.is_none());
        assert!(all[0].warnings[0].line >= Some(10), "{all:?}");
    }

    #[test]
    fn limits_are_warned_about() {
        let long = warnings(&FLAT.replace(r"\bprint\(", &"a".repeat(MAX_PATTERN + 1)));
        assert!(long[0].starts_with("c.yaml:3: 'pattern' has 4097 bytes"), "{long:?}");
        let id = warnings(&FLAT.replace("no-print", &"a".repeat(MAX_ID + 1)));
        assert!(id[0].starts_with("c.yaml:1: the rule id is longer"), "{id:?}");
    }

    #[test]
    fn broken_yaml_names_its_line() {
        let broken = warnings("rule_id: a\ntype: 'b\n");
        assert!(broken[0].starts_with("c.yaml:"), "{broken:?}");
        assert!(broken[0].contains("not a contract: invalid"), "{broken:?}");
        assert!(warnings("").iter().all(|warning| warning.contains("is empty")));
        assert!(warnings("just text").iter().all(|warning| warning.contains("not a contract")));
    }

    #[test]
    fn bombs_and_deep_nesting_are_refused() {
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n\
            d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nrule_id: *e\n";
        assert_eq!(warnings(bomb).len(), 1);
        assert_eq!(warnings(&format!("rule_id: {}", "[".repeat(60_000))).len(), 1);
    }
}
