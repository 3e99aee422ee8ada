//! A parser for the simple YAML of most contract files: one `key: value` per line, indented under `rule` in v1.2.
//!
//! A hook reads every contract for every edit, and this parser takes a fiftieth of the time of a full one. It returns
//! `None` for anything it does not know and reports no errors; the full parser then reads the file. A property test
//! compares both parsers.

use std::borrow::Cow;

use super::{ContractDocument, counts_beside_rule};
use crate::contract::ContractSchema;
use crate::contract::keys::{ContractKey, KEYS, KeyLevel, LocatedText, RULE, UNREAD, Value, ValueShape};

/// Plain scalars that YAML may not read as text.
const NOT_TEXT: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

/// Parses a document that starts in line `first`; `None` if it needs the full parser.
pub(super) fn read(yaml: &str, first: usize) -> Option<ContractDocument<'_>> {
    let is_ascii = yaml.bytes().fold(true, |ascii, byte| ascii & matches!(byte, b' '..=b'~' | b'\n'));
    if !is_ascii && !yaml.chars().all(is_plain) {
        return None;
    }
    let mut lines = PlainLines::new(yaml, first);
    let values = Vec::with_capacity(KEYS.len());
    let mut document = ContractDocument {
        schema: ContractSchema::Flat,
        first,
        top: first,
        values,
        unknown_keys: Vec::new(),
    };
    let mut others: Vec<&str> = Vec::new();
    while let Some(entry) = entry(&mut lines, 0)? {
        if let Some(at) = ContractKey::find(entry.key, KeyLevel::Top) {
            if document.schema == ContractSchema::V1_2 && !counts_beside_rule(at) {
                return None;
            }
            document.add(at, entry)?;
            continue;
        }
        let is_unread = || UNREAD.iter().any(|(name, _)| *name == entry.key);
        match entry.value {
            _ if others.contains(&entry.key) => return None,
            None if entry.key == RULE => rule(&mut lines, &mut document)?,
            Some(_) if is_unread() => {}
            _ => return None,
        }
        others.push(entry.key);
    }
    (!document.values.is_empty()).then_some(document)
}

/// Reads the keys under `rule`.
fn rule<'a>(lines: &mut PlainLines<'a>, document: &mut ContractDocument<'a>) -> Option<()> {
    if document.values.iter().any(|(at, _)| !counts_beside_rule(*at)) {
        return None;
    }
    let first = lines.peek_content().filter(|line| line.indent > 0)?;
    let indent = first.indent;
    (document.schema, document.top) = (ContractSchema::V1_2, first.number);
    while let Some(entry) = entry(lines, indent)? {
        document.add(ContractKey::find(entry.key, KeyLevel::Rule)?, entry)?;
    }
    Some(())
}

impl<'a> ContractDocument<'a> {
    /// Adds the value of the key with this index, if it certainly has the key's shape.
    fn add(&mut self, at: usize, entry: PlainEntry<'a>) -> Option<()> {
        if self.values.iter().any(|(known, _)| *known == at) {
            return None;
        }
        let value = match (KEYS[at].shape, entry.value?) {
            (
                ValueShape::Text { .. }
                | ValueShape::TextOrList { .. }
                | ValueShape::Texts { .. }
                | ValueShape::TextOrObject { .. }
                | ValueShape::Choices { .. },
                PlainValue::One(text),
            ) => Value::Text(text.placed(entry.line)?),
            (
                ValueShape::TextOrList { .. }
                | ValueShape::Texts { .. }
                | ValueShape::Words { .. }
                | ValueShape::Choices { .. },
                PlainValue::List(list),
            ) => Value::List(list.into_iter().map(|text| text.placed(entry.line)).collect::<Option<_>>()?),
            (ValueShape::Scalars { .. }, PlainValue::One(scalar)) => {
                Value::Scalars(vec![scalar.literal(entry.line)?])
            }
            (ValueShape::Scalars { .. }, PlainValue::List(list)) => Value::Scalars(
                list.into_iter().map(|scalar| scalar.literal(entry.line)).collect::<Option<_>>()?,
            ),
            (ValueShape::Flag { .. }, PlainValue::One(Scalar { text, quoted: false })) => {
                Value::Flag(text.parse().ok()?)
            }
            _ => return None,
        };
        self.values.push((at, value));
        Some(())
    }
}

/// Whether the character is literal in every position.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\n' | '\u{2010}'..='\u{2027}') || (!c.is_ascii() && c.is_alphanumeric())
}

/// The lines of a document.
struct PlainLines<'a> {
    /// The next line.
    next: Option<PlainLine<'a>>,
    /// The text after it; `None` after the last line.
    rest: Option<&'a str>,
}

impl<'a> PlainLines<'a> {
    /// The lines of `text`, whose first line has this number.
    fn new(text: &'a str, first: usize) -> Self {
        let mut lines = Self { next: None, rest: Some(text) };
        lines.advance(first);
        lines
    }

    fn advance(&mut self, number: usize) {
        self.next = self.rest.map(|rest| {
            let end = memchr::memchr(b'\n', rest.as_bytes());
            self.rest = end.map(|end| &rest[end + 1..]);
            PlainLine::new(number, &rest[..end.unwrap_or(rest.len())])
        });
    }

    /// Takes the next line if it passes the test.
    fn next_if(&mut self, test: impl FnOnce(&PlainLine<'a>) -> bool) -> Option<PlainLine<'a>> {
        let line = self.next.filter(test)?;
        self.advance(line.number + 1);
        Some(line)
    }

    /// The next line that is neither empty nor a comment.
    fn peek_content(&mut self) -> Option<PlainLine<'a>> {
        while self.next_if(PlainLine::is_blank).is_some() {}
        self.next
    }
}

#[derive(Clone, Copy)]
struct PlainLine<'a> {
    number: usize,
    indent: usize,
    /// The line without its indentation.
    text: &'a str,
}

impl<'a> PlainLine<'a> {
    fn new(number: usize, line: &'a str) -> Self {
        let text = line.trim_ascii_start();
        Self { number, indent: line.len() - text.len(), text }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#')
    }
}

struct PlainEntry<'a> {
    /// The first line of the value.
    line: usize,
    key: &'a str,
    value: Option<PlainValue<'a>>,
}

/// An unparsed value.
enum PlainValue<'a> {
    One(Scalar<'a>),
    List(Vec<Scalar<'a>>),
}

struct Scalar<'a> {
    text: Cow<'a, str>,
    quoted: bool,
}

impl<'a> Scalar<'a> {
    /// The value as a JSON literal, if it is certainly text, a boolean or a small number.
    fn literal(self, line: usize) -> Option<LocatedText<'a>> {
        let is_number = || {
            (1..=9).contains(&self.text.len())
                && self.text.bytes().all(|byte| byte.is_ascii_digit())
                && (self.text.len() == 1 || !self.text.starts_with('0'))
        };
        if !self.quoted && (matches!(&*self.text, "true" | "false") || is_number()) {
            return Some(LocatedText { text: self.text, line });
        }
        let LocatedText { text, line } = self.placed(line)?;
        Some(LocatedText::new(phaser_data::Scalar::String(text.into_owned()).to_json(), line))
    }

    /// The value with its line, if it is certainly text.
    fn placed(self, line: usize) -> Option<LocatedText<'a>> {
        let is_text = || {
            self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$')
                && !NOT_TEXT.iter().any(|word| word.eq_ignore_ascii_case(&self.text))
        };
        (self.quoted || is_text()).then_some(LocatedText { text: self.text, line })
    }
}

/// The next entry of a mapping with this indentation. The outer `None` gives up, the inner one is the end of the mapping.
#[expect(clippy::option_option, reason = "giving up passes through every step")]
fn entry<'a>(lines: &mut PlainLines<'a>, indent: usize) -> Option<Option<PlainEntry<'a>>> {
    let Some(line) = lines.peek_content().filter(|line| line.indent >= indent) else { return Some(None) };
    lines.advance(line.number + 1);
    let in_key = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let (key, rest) = line.text.split_at(line.text.bytes().position(|byte| !in_key(byte))?);
    let rest = rest.strip_prefix(':')?;
    if line.indent > indent || key.is_empty() || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let rest = rest.trim_ascii();
    let (line, value) = match rest.as_bytes() {
        b"" => (line.number, None),
        b">-" => (line.number + 1, Some(PlainValue::One(folded(lines, indent)?))),
        [b'[', ..] => (line.number, Some(PlainValue::List(list(&rest[1..])?))),
        _ => (line.number, Some(PlainValue::One(scalar(rest)?))),
    };
    Some(Some(PlainEntry { line, key, value }))
}

/// A scalar on one line.
fn scalar(rest: &str) -> Option<Scalar<'_>> {
    if let Some((text, after)) = quoted(rest) {
        return is_end(after).then_some(Scalar { text, quoted: true });
    }
    rest.as_bytes().first().filter(|first| first.is_ascii_alphanumeric() || **first == b'$')?;
    let bytes = rest.as_bytes();
    if !bytes.iter().fold(false, |any, byte| any | matches!(byte, b'#' | b':')) {
        return Some(Scalar { text: Cow::Borrowed(rest), quoted: false });
    }
    let (mut end, mut certain) = (rest.len(), true);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'#' if bytes[at - 1] == b' ' => {
                end = at;
                break;
            }
            // Before a space or at the end it would be the end of a key.
            b':' => certain &= bytes.get(at + 1).is_some_and(|next| *next != b' '),
            _ => {}
        }
    }
    let text = rest[..end].trim_ascii_end();
    certain.then_some(Scalar { text: Cow::Borrowed(text), quoted: false })
}

/// The quoted text at the start of `rest`, and the part after it.
fn quoted(rest: &str) -> Option<(Cow<'_, str>, &str)> {
    if let Some(inside) = rest.strip_prefix('"') {
        let (text, after) = inside.split_once('\"')?;
        return memchr::memchr(b'\\', text.as_bytes()).is_none().then_some((Cow::Borrowed(text), after));
    }
    let (first, mut after) = rest.strip_prefix('\'')?.split_once('\'')?;
    let mut text = Cow::Borrowed(first);
    while let Some(more) = after.strip_prefix('\'') {
        let (part, rest) = more.split_once('\'')?;
        let text = text.to_mut();
        text.push('\'');
        text.push_str(part);
        after = rest;
    }
    Some((text, after))
}

/// Whether a value ends here: only a comment may follow.
fn is_end(after: &str) -> bool {
    after.is_empty() || (after.starts_with(' ') && after.trim_ascii_start().starts_with('#'))
}

/// A flow list on one line, after its `[`.
fn list(mut rest: &str) -> Option<Vec<Scalar<'_>>> {
    let mut list = Vec::new();
    loop {
        rest = rest.trim_ascii_start();
        let (scalar, after) = match quoted(rest) {
            Some((text, after)) => (Scalar { text, quoted: true }, after),
            None => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
                let (text, after) = rest.split_at(rest.find(|c| !is_plain(c))?);
                (Scalar { text: Cow::Borrowed(text), quoted: false }, after)
            }
        };
        list.push(scalar);
        let after = after.trim_ascii_start();
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => return is_end(after.strip_prefix(']')?).then_some(list),
        }
    }
}

/// The deeper lines of a folded scalar, joined by spaces.
fn folded<'a>(lines: &mut PlainLines<'a>, outer: usize) -> Option<Scalar<'a>> {
    let indent = lines.next.filter(|line| line.indent > outer && !line.text.is_empty())?.indent;
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
    let goes_on = lines.next.is_some_and(|line| line.indent > outer || line.text.is_empty());
    (!goes_on).then_some(Scalar { text: Cow::Owned(text), quoted: true })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::keys::ParsedContract;
    use crate::contract::syntax::{documents, read_all, yaml};
    use crate::contract::{LayerKind, Origin, Warning};
    use crate::testing::pack_files;

    fn origin() -> Origin {
        Origin { layer: LayerKind::Project, file: "c.yaml".into() }
    }

    /// The result of the full parser for every document.
    fn by_the_crate(yaml: &str) -> Vec<ParsedContract> {
        let broken = |mistake: yaml::YamlMistake| {
            ParsedContract::broken(Warning::at(&origin().file, mistake.line, mistake.what))
        };
        let mut found = Vec::new();
        for document in documents(yaml) {
            let text = "\n".repeat(document.line - 1) + document.text;
            match yaml::parse(&text) {
                Ok(node) => {
                    let read = yaml::read(node, document.line);
                    found.push(read.map_or_else(broken, |read| read.build(&document, origin())));
                }
                Err(mistake) => return vec![broken(mistake)],
            }
        }
        found
    }

    fn read_any(yaml: &str) -> Vec<ParsedContract> {
        read_all(yaml, origin())
    }

    fn is_plain_file(yaml: &str) -> bool {
        documents(yaml).iter().any(|document| read(document.text, document.line).is_some())
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
tags: [house-rule, 'output', \"x\"]  # several
in: [code, 'comments']
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

    const VALUE: &str = "\
rule_id: strict
type: require_value
path: $.compilerOptions['strict'] # one
equals: [true, 1, 'on', x]
file_glob: '**/tsconfig.json'
message: Keep strict.
severity: error
";

    #[test]
    fn reads_plain_files() {
        let both = format!("---\n{FLAT}---\n{NESTED}...\n");
        for yaml in [FLAT, NESTED, VALUE, &FLAT.replace("\n  to the log.", ""), "rule_id: a", &both] {
            assert!(is_plain_file(yaml), "{yaml}");
            assert_eq!(read_any(yaml), by_the_crate(yaml), "{yaml}");
        }
    }

    #[test]
    fn reads_packs_without_examples() {
        // Rules about code are nested, line ends are escaped, and sizes are numbers.
        let others = ["\ncode:\n", "\nfix: \"", "\nmax_bytes: "];
        for file in pack_files().iter().filter(|file| !others.iter().any(|other| file.contains(other))) {
            let yaml = file.split("examples:\n").next().expect("is never empty");
            assert!(is_plain_file(yaml), "{yaml}");
            assert_eq!(read_any(yaml), by_the_crate(yaml), "{yaml}");
        }
    }

    #[test]
    fn leaves_other_yaml_to_full_parser() {
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
            "rule_id: a\ntags: x",
            "rule_id: a\ntags: []",
            "rule_id: a\ntags: [a, ]",
            "rule_id: a\ntags: [a, no]",
            "rule_id: a\ntags: [a b]",
            "rule_id: a\ntags: [a: b]",
            "rule_id: a\ntags: [a] b",
            "rule_id: a\ntags: [a,\n  b]",
            "rule:\n  id: a\npattern: x",
            "pattern: x\nrule:\n  id: a",
            "rule:\n  id: a\n  rule_id: b",
            "rule_id: a\nrule:\n  id: b",
            "rule:\n  id: a\n    type: b",
            "rule:\n  id: a\n type: b",
            "rule:\nenabled: true",
        ] {
            assert!(read(yaml, 1).is_none(), "{yaml}");
        }
    }

    fn line() -> impl Strategy<Value = String> {
        let indent = prop::sample::select(vec!["", "", "", "", "  ", "  ", " ", "    ", "\t"]);
        let key = prop::sample::select(vec![
            "rule_id:",
            "type:",
            "pattern:",
            "path:",
            "equals:",
            "fix:",
            "file_glob:",
            "message:",
            "severity:",
            "rationale:",
            "tags:",
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
                "$.a['b,c'][*]",
                "$",
                "$.a: b",
                "$.a #b",
                "[1, '1', true, x]",
                "01",
                "120",
                "forbid_value",
                "forbid_pattern",
                "file_exists",
                "error",
                "'**/*.py'",
                "src/**",
                "*.py",
                "[a]",
                "[a, b-c, 'd''e', \"f\"]",
                "[a,b] # c",
                "[a/b.c , 1]",
                "[a b]",
                "[]",
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
        fn agrees_with_full_parser(
            lines in prop::collection::vec(line(), 0..9),
            good in prop::sample::select(vec!["", FLAT, NESTED]),
            marker in prop::sample::select(vec!["---\n", "", "# x\n---\n"]),
        ) {
            let yaml = [marker, good, &lines.join("\n")].concat();
            if is_plain_file(&yaml) {
                prop_assert_eq!(read_any(&yaml), by_the_crate(&yaml), "{}", yaml);
            }
            let yaml = [good, marker, &lines.join("\n")].concat();
            if is_plain_file(&yaml) {
                prop_assert_eq!(read_any(&yaml), by_the_crate(&yaml), "{}", yaml);
            }
            let yaml = lines.join("\n");
            if is_plain_file(&yaml) {
                prop_assert_eq!(read_any(&yaml), by_the_crate(&yaml), "{}", yaml);
            }
        }
    }
}
