//! `forbid_value` and `require_value`: contracts about values in JSON, YAML and TOML.
//!
//! The path selects values of the parsed file; `pattern` and `equals` judge them. `require_value` is judged for each
//! parent of a path that ends in a name or an index, so that every one of them needs the value. With
//! `path: $.jobs.*.timeout-minutes` and `pattern: '^[1-9]'`, this file has two violations:
//!
//! ```text
//! jobs:
//!   build:                    $['jobs']['build'] has no timeout-minutes: its first line, 'runs-on: ubuntu'
//!     runs-on: ubuntu
//!   test:
//!     timeout-minutes: 0      the value does not match: '0'
//!   lint:
//!     timeout-minutes: 10
//! ```
//!
//! States recognise a value by its path and its text, and a missing value by its path, both without positions in lists.
//! So a key that moves and a list that grows make nothing new.

use std::ops::Range;

use super::{
    Check, CheckInput, CheckTarget, CheckVerdict, ContractType, DataTarget, Evaluator, Finding, TypeValues,
};
use crate::contract::Pattern;
use crate::violation::LineDigest;
use phaser_data::{JsonPath, NodeId, Scalar, Steps, TooManySteps, Tree};

/// The row of `forbid_value`.
pub static FORBID_VALUE: ContractType = ContractType {
    name: "forbid_value",
    meaning: "No value that `path` selects may match `pattern` or equal `equals`; without either, no value may be selected.",
    required_keys: &["path"],
    one_of_keys: &[],
    optional_keys: &["pattern", "equals", "fix"],
    v1_2_report: None,
    build: |values| ValueCheck::build(values, ValueDemand::Forbids),
};

/// The row of `require_value`.
pub static REQUIRE_VALUE: ContractType = ContractType {
    name: "require_value",
    meaning: "`path` must select a value, and each value must match `pattern` or equal `equals` if one is given.",
    required_keys: &["path"],
    one_of_keys: &[],
    optional_keys: &["pattern", "equals"],
    v1_2_report: None,
    build: |values| ValueCheck::build(values, ValueDemand::Requires),
};

/// Reports values of a data file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueCheck {
    /// What is demanded of the values.
    pub demand: ValueDemand,
    /// Selects the values.
    pub path: JsonPath,
    /// Matches a scalar as text.
    pub pattern: Option<Pattern>,
    /// Scalars that a value is compared with; empty without `equals`.
    pub equals: Vec<Scalar>,
}

/// What a contract demands of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueDemand {
    /// No value matches.
    Forbids,
    /// There is a value, and each one matches.
    Requires,
}

impl ValueCheck {
    fn build(values: TypeValues, demand: ValueDemand) -> Option<Check> {
        let TypeValues { path, pattern, equals, .. } = values;
        Some(Check::Value(Box::new(Self { demand, path: path?, pattern, equals })))
    }

    /// Whether a file with this text may have a violation: for `forbid_value`, each name of the path that is spelled the same
    /// in every format must occur in it, unless an escape can spell it differently.
    pub fn may_violate(&self, text: &[u8]) -> bool {
        if self.demand == ValueDemand::Requires {
            return true;
        }
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@');
        let mut names = self.path.required_names().filter(|name| name.bytes().all(is_plain));
        names.all(|name| memchr::memmem::find(text, name.as_bytes()).is_some())
            || memchr::memchr(b'\\', text).is_some()
    }

    /// Whether a value matches. Without `pattern` and `equals` every value does.
    fn matches(&self, data: &DataTarget<'_>, tree: &Tree<'_>, id: NodeId) -> bool {
        if !self.equals.is_empty() {
            return self.equals.iter().any(|scalar| tree.equals(id, scalar));
        }
        match (&self.pattern, tree.scalar_text(id)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(_), Some(text)) => (data.matches)(text),
        }
    }

    fn findings(&self, data: &DataTarget<'_>, tree: &Tree<'_>) -> Result<Findings, TooManySteps> {
        let mut steps = Steps::default();
        let (mut found, mut is_missing) = (Vec::new(), false);
        let mut wrong = Vec::new();
        for &root in tree.roots() {
            match self.demand {
                ValueDemand::Forbids => {
                    let selected = self.path.select(tree, root, &mut steps)?;
                    wrong.extend(selected.into_iter().filter(|id| self.matches(data, tree, *id)));
                }
                ValueDemand::Requires => {
                    let selected = self.required(tree, root, &mut steps, &mut found)?;
                    wrong.extend(selected.into_iter().filter(|id| !self.matches(data, tree, *id)));
                }
            }
        }
        if tree.roots().is_empty() {
            is_missing = self.demand == ValueDemand::Requires;
        }
        // A value that several paths lead to is one value.
        wrong.sort_unstable();
        wrong.dedup();
        found.extend(wrong.into_iter().map(|id| of_value(tree, id)));
        found.sort_by_key(|finding| (finding.range.start, finding.range.end));
        Ok(if is_missing { Findings::File } else { Findings::At(found) })
    }

    /// The values of `require_value` in one document. What is missing is added to `found`.
    fn required(
        &self,
        tree: &Tree<'_>,
        root: NodeId,
        steps: &mut Steps,
        found: &mut Vec<Finding>,
    ) -> Result<Vec<NodeId>, TooManySteps> {
        let Some(last) = self.path.last_step() else {
            let selected = self.path.select(tree, root, steps)?;
            if selected.is_empty() {
                found.push(self.missing(tree, root, steps)?);
            }
            return Ok(selected);
        };
        let mut parents = self.path.select_start(self.path.len() - 1, tree, root, steps)?;
        parents.sort_unstable();
        parents.dedup();
        if parents.is_empty() {
            found.push(self.missing(tree, root, steps)?);
        }
        let mut selected = Vec::new();
        for parent in parents {
            let mut children = self.path.select_last(tree, parent, steps)?;
            if children.is_empty() {
                let path = format!("{}{last}", tree.path_without_positions(parent));
                let identity = Some(LineDigest::of(path.as_bytes()));
                found.push(Finding { identity, ..first_line(tree, parent).into() });
            }
            selected.append(&mut children);
        }
        Ok(selected)
    }

    /// The finding for a document in which nothing is selected: at the longest part of the path that selects something.
    fn missing(&self, tree: &Tree<'_>, root: NodeId, steps: &mut Steps) -> Result<Finding, TooManySteps> {
        let mut nearest = root;
        for count in (1..self.path.len()).rev() {
            if let Some(first) = self.path.select_start(count, tree, root, steps)?.first() {
                nearest = *first;
                break;
            }
        }
        let identity = LineDigest::of(self.path.as_str().as_bytes());
        Ok(Finding { identity: Some(identity), ..first_line(tree, nearest).into() })
    }
}

/// What a check found in a file.
enum Findings {
    /// At these places.
    At(Vec<Finding>),
    /// The file is empty and lacks a value.
    File,
}

fn of_value(tree: &Tree<'_>, id: NodeId) -> Finding {
    let text = tree.scalar_text(id).unwrap_or_else(|| tree.source(id));
    let identity = format!("{}\0{text}", tree.path_without_positions(id));
    Finding { identity: Some(LineDigest::of(identity.as_bytes())), ..tree.shown_span(id).into() }
}

/// The part of a value in its first line.
fn first_line(tree: &Tree<'_>, id: NodeId) -> Range<usize> {
    let span = tree.shown_span(id);
    let written = &tree.text()[span.clone()];
    let first = written.lines().next().unwrap_or_default();
    span.start..span.start + first.trim_end().len()
}

impl Evaluator for ValueCheck {
    fn input(&self) -> CheckInput {
        CheckInput::Data
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn passes_unmatched(&self) -> bool {
        self.demand == ValueDemand::Forbids
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        let Some(data) = target.data else { return CheckVerdict::Pass };
        let Ok(tree) = data.tree else { return CheckVerdict::Unparsable };
        match self.findings(data, tree) {
            Ok(Findings::At(findings)) => CheckVerdict::Findings(findings),
            Ok(Findings::File) => CheckVerdict::File,
            Err(TooManySteps) => CheckVerdict::TooBroad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ContractSchema;
    use crate::path::RelPath;
    use phaser_data::Format;

    fn check(kind: &ContractType, path: &str, equals: &[Scalar]) -> Check {
        let path = JsonPath::parse(path).expect("a path");
        let values =
            TypeValues { path: Some(path), equals: equals.to_vec(), ..TypeValues::new(ContractSchema::Flat) };
        (kind.build)(values).expect("has its keys")
    }

    /// The text of each finding, and the verdict's identity.
    fn findings(check: &Check, format: Format, text: &str) -> Vec<(String, LineDigest)> {
        let tree = Tree::parse(text, format).expect("parses");
        let data = DataTarget { tree: Ok(&tree), matches: &|_| true };
        let path = RelPath::from("a");
        let target = CheckTarget {
            path: &path,
            text: None,
            matches: Vec::new(),
            size: None,
            data: Some(&data),
            incomplete: false,
        };
        match check.evaluate(target) {
            CheckVerdict::Findings(found) => found
                .into_iter()
                .map(|one| (text[one.range].to_owned(), one.identity.expect("of a value")))
                .collect(),
            CheckVerdict::File => vec![("file".to_owned(), LineDigest(0))],
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn assert_found(check: &Check, format: Format, text: &str, expected: &[&str]) {
        let found = findings(check, format, text);
        assert_eq!(found.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn forbids_selected_values() {
        let latest = check(&FORBID_VALUE, "$..image", &[Scalar::String("x".to_owned())]);
        assert_found(&latest, Format::Yaml, "a: &a {image: x}\nb: *a\nc: {<<: *a}\nd: {image: y}\n", &["x"]);
        let key = check(&FORBID_VALUE, "$.scripts.postinstall", &[]);
        assert_found(&key, Format::Json, "{\"scripts\": {\"postinstall\": [1]}}", &["[1]"]);
        assert_found(&key, Format::Yaml, "scripts:\n  postinstall:\n", &["postinstall:"]);
        assert_found(&key, Format::Json, "{}", &[]);
    }

    #[test]
    fn requires_value_of_every_parent() {
        let timeout = check(&REQUIRE_VALUE, "$.jobs.*.timeout", &[]);
        let text = "jobs:\n  a:\n    runs-on: x\n    steps: []\n  b: {timeout: 1}\n  c:\n";
        assert_found(&timeout, Format::Yaml, text, &["runs-on: x", "c:"]);
        assert_found(&timeout, Format::Yaml, "on: push\njobs: {}\n", &["{}"]);
        assert_found(&timeout, Format::Yaml, "on: push\nx: 1\n", &["on: push"]);
        assert_found(&timeout, Format::Yaml, "", &["file"]);
        assert_found(&timeout, Format::Yaml, "jobs: {a: {timeout: 1}}\n---\nx: 1\n", &["x: 1"]);
    }

    #[test]
    fn required_value_must_match() {
        let strict = check(&REQUIRE_VALUE, "$.compilerOptions.strict", &[Scalar::Bool(true)]);
        assert_found(&strict, Format::Json, "{\"compilerOptions\": {\"strict\": \"true\"}}", &["\"true\""]);
        assert_found(&strict, Format::Json, "{\"compilerOptions\": {\"strict\": true}}", &[]);
        assert_found(&strict, Format::Json, "{\n  \"compilerOptions\": {\n    \"a\": 1\n  }\n}", &["{"]);
        let any = check(&REQUIRE_VALUE, "$..name", &[]);
        assert_found(&any, Format::Json, "[{\"name\": 1}, {}]", &[]);
        assert_found(&any, Format::Json, "[{}]", &["[{}]"]);
    }

    #[test]
    fn identity_has_no_position() {
        let identities = |check: &Check, text: &str| {
            let mut all: Vec<_> =
                findings(check, Format::Yaml, text).into_iter().map(|(_, identity)| identity).collect();
            all.sort_unstable();
            all
        };
        let uses = check(&FORBID_VALUE, "$.steps[*].uses", &[]);
        let before = identities(&uses, "steps:\n- uses: a\n- uses: b\n");
        let after = identities(&uses, "# new\nsteps:\n- run: x\n- {id: 1, uses: b}\n- uses: 'a'\n");
        assert_eq!(before, after);
        assert_ne!(before, identities(&uses, "steps:\n- uses: a\n- uses: c\n"));
        let name = check(&REQUIRE_VALUE, "$.steps[*].name", &[]);
        assert_eq!(
            identities(&name, "steps: [{a: 1}]"),
            identities(&name, "x: 1\nsteps: [{name: b}, {c: 2}]")
        );
    }

    #[test]
    fn prefilter_needs_names_of_path() {
        let Check::Value(pinned) = check(&FORBID_VALUE, "$.dependencies.*['a b']..x", &[]) else { panic!() };
        assert!(!pinned.may_violate(b"{\"dependencies\": {}}"));
        assert!(pinned.may_violate(b"dependencies: {x: 1}"));
        assert!(pinned.may_violate(br#"{"depend\u0065ncies": {}}"#));
        let Check::Value(required) = check(&REQUIRE_VALUE, "$.x", &[]) else { panic!() };
        assert!(required.may_violate(b"{}"));
    }
}
