//! YAML text to [`Contract`]: the only place that knows the YAML crate and the spelling of the keys.
//!
//! Reads both forms: the flat one, and the nested one of version 1.2. It does not know whether a
//! regular expression is valid; the matcher finds that out when it needs the pattern.

use serde::de::DeserializeOwned;
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};

use form::{File, FileExample, FileExamples, PlacedExample};

use super::{Check, Contract, Dialect, Example, Examples, Kind, Origin, Pattern, Severity, Warning};
use crate::glob::{Glob, GlobError};

mod draft;
mod form;
mod keys;
mod plain;
mod switch;

pub use draft::Draft;
pub use form::{meaning, schema};
pub use keys::unknown_keys;
pub use switch::{Switch, switched};

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 4 * 1024;

/// The longest id.
const MAX_ID: usize = 64;

/// Which of the two forms a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Flat,
    Nested,
}

/// A text, and the line it stands on.
struct Placed {
    text: String,
    line: usize,
}

impl From<Spanned<String>> for Placed {
    fn from(spanned: Spanned<String>) -> Self {
        Self { line: line(spanned.referenced.line()), text: spanned.value }
    }
}

/// The fields of a contract, wherever they stood.
struct Fields {
    form: Form,
    line: usize,
    id: Option<Placed>,
    kind: Option<Placed>,
    pattern: Option<Placed>,
    file_glob: Option<Placed>,
    message: Option<Placed>,
    severity: Option<Placed>,
    rationale: Option<String>,
    enabled: Option<bool>,
    examples: FileExamples,
}

/// The contract in `yaml`, or everything that is wrong with it.
pub fn parse(yaml: &str, origin: Origin) -> Result<Contract, Vec<Warning>> {
    let fields = match plain::read(yaml) {
        Some(fields) => fields,
        None => read(yaml, &origin).map_err(|warning| vec![warning])?,
    };
    Validation { yaml, origin, warnings: Vec::new() }.contract(fields)
}

fn read(yaml: &str, origin: &Origin) -> Result<Fields, Warning> {
    let file: Option<File> = document(yaml, origin)?;
    let Some(file) = file else {
        return Err(Warning::at(&origin.file, 1, "the file is empty (a contract starts with 'rule_id: …')"));
    };
    let enabled = file.enabled.map(|enabled| enabled.value);
    Ok(match file.rule {
        Some(rule) => Fields {
            form: Form::Nested,
            line: line(rule.referenced.line()),
            id: rule.value.id.map(Placed::from),
            kind: rule.value.kind.map(Placed::from),
            pattern: rule.value.pattern.map(Placed::from),
            file_glob: rule.value.file_glob.map(Placed::from),
            message: rule.value.message.map(Placed::from),
            severity: rule.value.severity.map(Placed::from),
            rationale: rule.value.rationale,
            enabled,
            examples: rule.value.examples.or(file.examples).unwrap_or_default(),
        },
        None => Fields {
            form: Form::Flat,
            line: 1,
            id: file.rule_id.map(Placed::from),
            kind: file.kind.map(Placed::from),
            pattern: file.pattern.map(Placed::from),
            file_glob: file.file_glob.map(Placed::from),
            message: file.message.map(Placed::from),
            severity: file.severity.map(Placed::from),
            rationale: file.rationale,
            enabled,
            examples: file.examples.unwrap_or_default(),
        },
    })
}

/// The one document in `yaml`, read within limits that no contract needs more than.
fn document<T: DeserializeOwned>(yaml: &str, origin: &Origin) -> Result<T, Warning> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            max_nodes: 10_000,
            max_aliases: 100,
            max_documents: 1,
        },
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let line = error.location().map_or(1, |location| line(location.line()));
        Warning::at(&origin.file, line, describe(&error))
    })
}

/// What is wrong with YAML that is not a contract, and how to mend it.
fn describe(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    use serde_saphyr::budget::BudgetBreach;
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => describe(error),
        Error::Unexpected { expected: "mapping start", .. } => {
            "not a contract (write one 'key: value' a line, from 'rule_id: …' on)".to_owned()
        }
        Error::Unexpected { expected: "string scalar", .. } => {
            "a list or a mapping, where text is expected (put the text in single quotes)".to_owned()
        }
        Error::InvalidScalar { ty: "boolean", .. } => "neither true nor false (write one of them)".to_owned(),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key '{}' is there twice (keep one of them)", printable(key))
        }
        Error::UnknownAnchor { .. } => {
            "a '*' at the start of a value means something else in YAML (put the value in single quotes)"
                .to_owned()
        }
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => {
            "more than one YAML document (one file holds one contract)".to_owned()
        }
        Error::Budget { .. } => "too deep or too large for a contract (write plain values)".to_owned(),
        other => {
            let what = UserMessageFormatter.format_message(other);
            let mend = "put the value in single quotes, and indent with spaces";
            format!("not a contract: {} ({mend})", printable(&what))
        }
    }
}

fn line(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX).max(1)
}

/// One line without control characters, so that a contract cannot write to the terminal.
fn printable(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// Collects what is wrong while the fields become a contract.
struct Validation<'a> {
    yaml: &'a str,
    origin: Origin,
    warnings: Vec<Warning>,
}

impl Validation<'_> {
    fn contract(mut self, fields: Fields) -> Result<Contract, Vec<Warning>> {
        let (form, top) = (fields.form, fields.line);
        let id_key = if form == Form::Nested { "id" } else { "rule_id" };
        let id = self.required(fields.id, id_key, top).and_then(|id| self.id(id));
        let kind = self.required(fields.kind, "type", top).and_then(|kind| self.kind(kind));
        let check = kind.and_then(|kind| self.check(kind, fields.pattern, (form, top)));
        let glob = self.required(fields.file_glob, "file_glob", top);
        let glob_line = glob.as_ref().map_or(top, |glob| glob.line);
        let glob = glob.and_then(|glob| self.glob(glob));
        let severity = match fields.severity {
            None if form == Form::Nested => Some(Severity::Error),
            severity => self.required(severity, "severity", top).and_then(|severity| self.severity(severity)),
        };
        let message = self.required(fields.message, "message", top).and_then(|message| self.message(message));
        let (Some(id), Some(kind), Some(check), Some(glob), Some(severity), Some(message)) =
            (id, kind, check, glob, severity, message)
        else {
            return Err(self.warnings);
        };
        let read_example = |read| example(self.yaml, read);
        Ok(Contract {
            id,
            kind,
            check,
            glob,
            glob_line,
            severity,
            message,
            rationale: fields.rationale.filter(|rationale| !rationale.trim().is_empty()),
            enabled: fields.enabled.unwrap_or(true),
            examples: Examples {
                violating: fields.examples.violating.into_iter().map(read_example).collect(),
                passing: fields.examples.passing.into_iter().map(read_example).collect(),
            },
            origin: self.origin,
        })
    }

    fn warn(&mut self, line: usize, what: impl Into<String>) {
        self.warnings.push(Warning::at(&self.origin.file, line, what));
    }

    fn required(&mut self, field: Option<Placed>, key: &str, top: usize) -> Option<Placed> {
        if field.is_none() {
            self.warn(top, format!("'{key}' is missing (add '{key}: …')"));
        }
        field
    }

    fn id(&mut self, id: Placed) -> Option<String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let line = id.line;
        if id.text.is_empty() {
            self.warn(line, "the rule id is empty (name the rule, for instance 'no-debug-print')");
        } else if id.text.len() > MAX_ID {
            self.warn(line, format!("the rule id is longer than {MAX_ID} characters (choose a shorter one)"));
        } else if !id.text.chars().all(allowed) {
            let id = printable(&id.text);
            self.warn(line, format!("rule id '{id}' may have only letters, digits and hyphens (rename it)"));
        } else {
            return Some(id.text);
        }
        None
    }

    fn kind(&mut self, kind: Placed) -> Option<Kind> {
        let found = Kind::ALL.into_iter().find(|known| known.as_str() == kind.text);
        if found.is_none() {
            let known: Vec<_> = Kind::ALL.into_iter().map(Kind::as_str).collect();
            let (unknown, known) = (printable(&kind.text), known.join(", "));
            self.warn(kind.line, format!("type '{unknown}' is not known (use one of {known})"));
        }
        found
    }

    fn severity(&mut self, severity: Placed) -> Option<Severity> {
        match severity.text.as_str() {
            "error" => Some(Severity::Error),
            "warning" => Some(Severity::Warning),
            other => {
                let what = format!("severity '{}' is not known (use error or warning)", printable(other));
                self.warn(severity.line, what);
                None
            }
        }
    }

    fn message(&mut self, message: Placed) -> Option<String> {
        if message.text.trim().is_empty() {
            self.warn(message.line, "'message' is empty (say what to do instead)");
            return None;
        }
        Some(message.text)
    }

    fn glob(&mut self, glob: Placed) -> Option<Glob> {
        match Glob::new(&glob.text) {
            Ok(glob) => Some(glob),
            Err(error) => {
                let why = match error {
                    GlobError::Syntax { why, .. } => why,
                    GlobError::Empty | GlobError::TooLong(_) => error.to_string(),
                };
                let what = format!("'file_glob' is not valid: {} (for instance '**/*.py')", printable(&why));
                self.warn(glob.line, what);
                None
            }
        }
    }

    fn check(&mut self, kind: Kind, pattern: Option<Placed>, at: (Form, usize)) -> Option<Check> {
        let (form, top) = at;
        match kind {
            Kind::FileExists => return Some(Check::Exists),
            Kind::FileNotExists => return Some(Check::NotExists),
            Kind::ForbidPattern | Kind::RequirePattern | Kind::FileContains | Kind::FileNotContains => {}
        }
        let pattern = self.required(pattern, "pattern", top)?;
        let (line, size) = (pattern.line, pattern.text.len());
        if size == 0 {
            self.warn(line, "'pattern' is empty (write what to look for)");
            return None;
        }
        if size > MAX_PATTERN {
            let what = "(split it into several contracts)";
            self.warn(line, format!("'pattern' has {size} bytes, the limit is {MAX_PATTERN} {what}"));
            return None;
        }
        let literal = form == Form::Nested && matches!(kind, Kind::FileContains | Kind::FileNotContains);
        let dialect = if literal { Dialect::Literal } else { Dialect::Regex };
        let pattern = Pattern { source: pattern.text, dialect, line, needs: None };
        Some(match kind {
            Kind::ForbidPattern | Kind::FileNotContains => Check::Forbid(pattern),
            Kind::RequirePattern if form == Form::Nested => Check::RequireSomewhere(pattern),
            Kind::RequirePattern | Kind::FileContains => Check::Require(pattern),
            Kind::FileExists => Check::Exists,
            Kind::FileNotExists => Check::NotExists,
        })
    }
}

fn example(yaml: &str, example: Spanned<FileExample>) -> Example {
    let line = line(example.referenced.line());
    let written = || {
        let span = example.referenced.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        yaml.get(start..start + usize::try_from(span.byte_len()?).ok()?).map(str::to_owned)
    };
    match example.value {
        FileExample::Text(text) => Example { path: None, text, line },
        FileExample::Flag(flag) => {
            Example { path: None, text: written().unwrap_or_else(|| flag.to_string()), line }
        }
        FileExample::Number(number) => {
            Example { path: None, text: written().unwrap_or_else(|| number.to_string()), line }
        }
        FileExample::Placed(PlacedExample { path, text }) => Example { path, text, line },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Place;

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
        Origin { place: Place::Project, file: "c.yaml".into() }
    }

    fn warnings(yaml: &str) -> Vec<String> {
        parse(yaml, origin()).expect_err("is not valid").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_flat_form_is_read() {
        let contract = parse(FLAT, origin()).expect("is valid");
        assert_eq!(contract.id, "no-print");
        assert_eq!(contract.kind, Kind::ForbidPattern);
        let pattern = contract.check.pattern().expect("has a pattern");
        assert_eq!((pattern.source.as_str(), pattern.line), (r"\bprint\(", 3));
        assert_eq!(pattern.dialect, Dialect::Regex);
        assert_eq!(contract.severity, Severity::Error);
        assert_eq!(contract.glob_line, 4);
        assert!(contract.enabled);
    }

    #[test]
    fn the_nested_form_is_read_with_literal_patterns() {
        let contract = parse(NESTED, origin()).expect("is valid");
        assert_eq!(contract.id, "needs-header");
        assert!(!contract.enabled);
        let Check::Require(pattern) = &contract.check else { panic!("{:?}", contract.check) };
        assert_eq!(pattern.dialect, Dialect::Literal);
    }

    #[test]
    fn a_nested_require_pattern_is_met_by_one_file() {
        let yaml = NESTED.replace("file_contains", "require_pattern");
        let contract = parse(&yaml, origin()).expect("is valid");
        let Check::RequireSomewhere(pattern) = &contract.check else { panic!("{:?}", contract.check) };
        assert_eq!(pattern.dialect, Dialect::Regex);
    }

    #[test]
    fn a_nested_contract_without_severity_is_an_error() {
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
        assert_eq!(examples.violating[0], Example { path: None, text: "print(1)".into(), line: 11 });
        let placed = Example { path: Some("a/b.py".into()), text: "print(2)\n".into(), line: 12 };
        assert_eq!(examples.violating[1], placed);
        assert_eq!(examples.passing[0].text, "log(1)");
    }

    #[test]
    fn an_example_counts_as_it_is_written_whatever_yaml_takes_it_for() {
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
    fn every_failure_is_a_warning_with_its_line() {
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
            ("enabled: yes", "---", "c.yaml:8: more than one YAML document"),
        ];
        for (from, to, expected) in cases {
            let found = warnings(&FLAT.replacen(from, to, 1));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(expected), "{found:?} should start with {expected}");
        }
    }

    #[test]
    fn limits_are_warned_about() {
        let long = warnings(&FLAT.replace(r"\bprint\(", &"a".repeat(MAX_PATTERN + 1)));
        assert!(long[0].starts_with("c.yaml:3: 'pattern' has 4097 bytes"), "{long:?}");
        let id = warnings(&FLAT.replace("no-print", &"a".repeat(65)));
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
