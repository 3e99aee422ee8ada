//! The YAML that most contract files are made of, read without the YAML crate: one `key: value` a line,
//! in quotes or not, and those of the nested form one step in.
//!
//! A hook reads every contract for every edit, and this costs a fiftieth of reading all of YAML. It
//! gives up on whatever it does not know, and never says that something is wrong: what it gives up
//! on is read again as a whole. What it does read, it reads as the YAML crate does.

use std::iter::Peekable;

use super::form::FileExamples;
use super::{Fields, Form, Placed};

/// Words that may be something else than text.
const NOT_TEXT: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

/// The fields in `yaml`, unless it takes more than this to read them.
pub(super) fn read(yaml: &str) -> Option<Fields> {
    let is_ascii = yaml.bytes().fold(true, |ascii, byte| ascii & matches!(byte, b' '..=b'~' | b'\n'));
    if !is_ascii && !yaml.chars().all(is_plain) {
        return None;
    }
    let mut lines = Lines { rest: Some(yaml), number: 0 }.peekable();
    let (mut flat, mut nested, mut enabled) = (Fields::none(Form::Flat, 1), None, None);
    let mut keys = Keys::default();
    while let Some(Entry { line, key, value }) = entry(&mut lines, 0)? {
        keys.add(key)?;
        match (key, value) {
            ("rule", None) => nested = Some(rule(&mut lines)?),
            ("version" | "audit_source" | "created_at", Some(_)) => {}
            ("enabled", Some(Value { text, quoted: false })) => enabled = Some(text.parse().ok()?),
            ("rule_id", Some(value)) => flat.id = Some(value.placed(line)?),
            (key, Some(value)) => flat.set(key, value.placed(line)?)?,
            (_, None) => return None,
        }
    }
    let fields = match nested {
        Some(nested) if flat.are_none() => nested,
        None if !flat.are_none() => flat,
        _ => return None,
    };
    Some(Fields { enabled, ..fields })
}

/// The fields of the nested form, one step in.
fn rule<'a>(lines: &mut Peekable<Lines<'a>>) -> Option<Fields> {
    skip_blank(lines);
    let first = lines.peek().filter(|line| line.indent > 0)?;
    let (indent, mut rule) = (first.indent, Fields::none(Form::Nested, first.number));
    let mut keys = Keys::default();
    while let Some(Entry { line, key, value }) = entry(lines, indent)? {
        keys.add(key)?;
        let value = value?.placed(line)?;
        match key {
            "id" => rule.id = Some(value),
            key => rule.set(key, value)?,
        }
    }
    Some(rule)
}

impl Fields {
    fn none(form: Form, line: usize) -> Self {
        Self {
            form,
            line,
            id: None,
            kind: None,
            pattern: None,
            file_glob: None,
            message: None,
            severity: None,
            rationale: None,
            enabled: None,
            examples: FileExamples::default(),
        }
    }

    fn are_none(&self) -> bool {
        let Self { id, kind, pattern, file_glob, message, severity, rationale, .. } = self;
        [id, kind, pattern, file_glob, message, severity].iter().all(|field| field.is_none())
            && rationale.is_none()
    }

    /// Sets a field that has the same name in both forms.
    fn set(&mut self, key: &str, value: Placed) -> Option<()> {
        match key {
            "type" => self.kind = Some(value),
            "pattern" => self.pattern = Some(value),
            "file_glob" => self.file_glob = Some(value),
            "message" => self.message = Some(value),
            "severity" => self.severity = Some(value),
            "rationale" => self.rationale = Some(value.text),
            _ => return None,
        }
        Some(())
    }
}

/// The keys of a mapping so far.
#[derive(Default)]
struct Keys<'a>(Vec<&'a str>);

impl<'a> Keys<'a> {
    /// Adds a key, unless it is there.
    fn add(&mut self, key: &'a str) -> Option<()> {
        let new = !self.0.contains(&key);
        self.0.push(key);
        new.then_some(())
    }
}

/// Is the character itself, wherever it stands?
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\n' | '\u{2010}'..='\u{2027}') || (!c.is_ascii() && c.is_alphanumeric())
}

struct Lines<'a> {
    rest: Option<&'a str>,
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let end = memchr::memchr(b'\n', rest.as_bytes());
        self.rest = end.map(|end| &rest[end + 1..]);
        self.number += 1;
        Some(Line::new(self.number, &rest[..end.unwrap_or(rest.len())]))
    }
}

struct Line<'a> {
    number: usize,
    indent: usize,
    /// What stands after the indentation.
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(number: usize, line: &'a str) -> Self {
        let text = line.trim_start_matches(' ');
        Self { number, indent: line.len() - text.len(), text }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#')
    }
}

struct Entry<'a> {
    /// The line its value starts on.
    line: usize,
    key: &'a str,
    value: Option<Value>,
}

struct Value {
    text: String,
    quoted: bool,
}

impl Value {
    /// The value where it stands, if it is certainly text.
    fn placed(self, line: usize) -> Option<Placed> {
        let is_text = || {
            self.text.starts_with(|c: char| c.is_ascii_alphabetic())
                && !NOT_TEXT.iter().any(|word| word.eq_ignore_ascii_case(&self.text))
        };
        (self.quoted || is_text()).then_some(Placed { text: self.text, line })
    }
}

fn skip_blank<'a>(lines: &mut Peekable<Lines<'a>>) {
    while lines.next_if(Line::is_blank).is_some() {}
}

/// The next entry of a mapping with this indentation; the outer `None` gives up, the inner one is its end.
#[expect(clippy::option_option, reason = "giving up passes through every step")]
fn entry<'a>(lines: &mut Peekable<Lines<'a>>, indent: usize) -> Option<Option<Entry<'a>>> {
    skip_blank(lines);
    let Some(line) = lines.next_if(|line| line.indent >= indent) else { return Some(None) };
    let (key, rest) = line.text.split_once(':')?;
    let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if line.indent > indent || !is_key || key.is_empty() || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let rest = rest.trim_matches(' ');
    let (line, value) = match rest {
        "" => (line.number, None),
        ">-" => (line.number + 1, Some(folded(lines, indent)?)),
        _ => (line.number, Some(scalar(rest)?)),
    };
    Some(Some(Entry { line, key, value }))
}

/// A value that ends on its line.
fn scalar(rest: &str) -> Option<Value> {
    let mut text = String::with_capacity(rest.len());
    let after = match rest.as_bytes().first()? {
        b'\'' => {
            let mut left = &rest[1..];
            loop {
                let (part, more) = left.split_once('\'')?;
                text.push_str(part);
                let Some(more) = more.strip_prefix('\'') else { break more };
                text.push('\'');
                left = more;
            }
        }
        b'"' => {
            let (part, more) = rest[1..].split_once('"')?;
            text.push_str(part);
            more
        }
        first if first.is_ascii_alphanumeric() => {
            let pair = |wanted: [u8; 2]| rest.as_bytes().windows(2).position(|pair| pair == wanted);
            let part = rest[..pair(*b" #").unwrap_or(rest.len())].trim_end_matches(' ');
            text.push_str(part);
            let certain = pair(*b": ").is_none_or(|at| at >= part.len()) && !part.ends_with(':');
            return certain.then_some(Value { text, quoted: false });
        }
        _ => return None,
    };
    let escapes = rest.starts_with('"') && text.contains('\\');
    let ends = after.is_empty() || (after.starts_with(' ') && after.trim_start_matches(' ').starts_with('#'));
    (ends && !escapes).then_some(Value { text, quoted: true })
}

/// Lines further in that are one text: a line break is a space.
fn folded<'a>(lines: &mut Peekable<Lines<'a>>, outer: usize) -> Option<Value> {
    let indent = lines.peek().filter(|line| line.indent > outer && !line.text.is_empty())?.indent;
    let mut text = String::new();
    while let Some(line) = lines.next_if(|line| line.indent > outer && !line.text.is_empty()) {
        if line.indent != indent || line.text.ends_with(' ') {
            return None;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line.text);
    }
    while lines.next_if(|line| line.indent == 0 && line.text.is_empty()).is_some() {}
    let goes_on = lines.peek().is_some_and(|line| line.indent > outer || line.text.is_empty());
    (!goes_on).then_some(Value { text, quoted: true })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Validation, parse, read as read_all};
    use super::*;
    use crate::contract::{Contract, Origin, Place, Warning};
    use crate::pack::PACKS;

    fn origin() -> Origin {
        Origin { place: Place::Project, file: "c.yaml".into() }
    }

    /// What the YAML crate makes of it.
    fn by_the_crate(yaml: &str) -> Result<Contract, Vec<Warning>> {
        let origin = origin();
        let fields = read_all(yaml, &origin).map_err(|warning| vec![warning])?;
        Validation { yaml, origin, warnings: Vec::new() }.contract(fields)
    }

    const FLAT: &str = "\
# why it is here
rule_id: no-print
type: forbid_pattern
pattern: '\\bprint\\(''x'   # in single quotes

file_glob: \"**/*.py\"
message: Use the logger, not print, it's there – 'x'.
severity: error
enabled: false
rationale: >-
  Output belongs
  to the log.
";

    const NESTED: &str = "\
version: '1.2'
audit_source: review
rule:
    # its keys
    id: needs-header
    type: file_contains
    pattern: a.b
    file_glob: src/*.c
    message: 'Add the header.'
created_at: 2025-01-01
";

    #[test]
    fn plain_files_are_read_without_the_crate() {
        for yaml in [FLAT, NESTED, &FLAT.replace("\n  to the log.", ""), "rule_id: a"] {
            assert!(read(yaml).is_some(), "{yaml}");
            assert_eq!(parse(yaml, origin()), by_the_crate(yaml), "{yaml}");
        }
    }

    #[test]
    fn the_packs_are_plain_but_for_their_examples() {
        for file in PACKS.iter().flat_map(|pack| pack.files) {
            let (yaml, _) = file.text.split_once("examples:\n").expect("has examples");
            assert!(read(yaml).is_some(), "{yaml}");
            assert_eq!(parse(yaml, origin()), by_the_crate(yaml), "{yaml}");
        }
    }

    #[test]
    fn what_is_not_plain_is_given_up_on() {
        for yaml in [
            "",
            "# nothing",
            "message: Not print: it blocks.",
            "rule_id: a\nrule_id: b",
            "rule_id: a\n  b",
            "rule_id: null",
            "rule_id: No",
            "rule_id: 1",
            "rule_id: *a",
            "rule_id: |-\n  a",
            "rule_id: >-\n  a\n\n  b",
            "rule_id: >-\n  a\n   b",
            "rule_id: \"a\\n\"",
            "rule_id: 'a' b",
            "rule_id: 'a'#b",
            "rule_id: 'a",
            "rule_id: a:",
            "rule_id: [a]",
            "rule_id:",
            "rule_id:a",
            "rule_id: a\n---",
            "rule_id: a\r\n",
            "\u{FEFF}rule_id: a",
            "rule_id: a\nenabled: yes",
            "rule_id: a\nenabled: 'true'",
            "rule_id: a\nexamples: x",
            "rule_id: a\nrule:\n  id: b",
            "rule:\n  id: a\n    type: b",
            "rule:\n  id: a\n type: b",
            "rule:\nenabled: true",
        ] {
            assert!(read(yaml).is_none(), "{yaml}");
        }
    }

    fn line() -> impl Strategy<Value = String> {
        let indent = prop::sample::select(vec!["", "", "", "", "  ", "  ", " ", "    ", "\t"]);
        let key = prop::sample::select(vec![
            "rule_id:",
            "type:",
            "pattern:",
            "file_glob:",
            "message:",
            "severity:",
            "rationale:",
            "enabled:",
            "rule:",
            "id:",
            "version:",
            "created_at:",
            "examples:",
            "other:",
            "type :",
            "type",
            "-",
            "#",
            "---",
            "",
        ]);
        let value = prop_oneof![
            prop::sample::select(vec![
                "",
                "a",
                "'a'",
                "\"a\"",
                "''",
                "'a''b'",
                "'a' # b",
                "'a'#b",
                "a # b",
                "a #b",
                "a#b",
                "# b",
                "a: b",
                "a:b",
                "a:",
                ">-",
                ">",
                "|",
                "true",
                "false",
                "yes",
                "null",
                "~",
                "1",
                "1.0",
                "0x1F",
                "2025-01-01",
                "forbid_pattern",
                "file_exists",
                "error",
                "'**/*.py'",
                "src/**",
                "*.py",
                "[a]",
                "{a: b}",
                "&x a",
                "*x",
                "!t a",
                "a\\b",
                "'a\\b'",
                "\"a\\b\"",
                "'it''s: \"x\"'",
                "\"it's\"",
                "é – …",
                "a - b",
                "a, b]",
                "@a",
                "%a",
                "`a`",
                "? a",
                "- a",
                "a 'b'",
                "a \"b",
                "'a",
                "\"a",
                "a  ",
                "a\u{a0}b",
                "\u{85}a",
                "nan",
                ".inf",
                "1e3",
                "<<",
                "=",
                "a=b",
                "Null",
                "TRUE",
                "n",
                "a'b'",
                "'a'b",
                "'a' 'b'",
            ])
            .prop_map(str::to_owned),
            "[a-c:#'\" \\\\\\-]{0,6}",
        ];
        (indent, key, prop::sample::select(vec![" ", " ", " ", "", "  "]), value)
            .prop_map(|(indent, key, space, value)| format!("{indent}{key}{space}{value}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn whatever_is_read_here_the_crate_reads_alike(
            lines in prop::collection::vec(line(), 0..9),
            good in prop::sample::select(vec!["", FLAT, NESTED]),
        ) {
            let yaml = good.to_owned() + &lines.join("\n");
            if read(&yaml).is_some() {
                prop_assert_eq!(parse(&yaml, origin()), by_the_crate(&yaml), "{}", yaml);
            }
            let yaml = lines.join("\n");
            if read(&yaml).is_some() {
                prop_assert_eq!(parse(&yaml, origin()), by_the_crate(&yaml), "{}", yaml);
            }
        }
    }
}
