//! Builds a contract from the values of its keys. Validates each value as it is set, and collects errors.

use super::super::scope::ContractScope;
use super::super::{
    BlockDecision, Check, Contract, ContractSchema, ContractType, Dialect, ExampleForm, Examples, Exclude,
    FixTemplate, Origin, Pattern, Severity, Warning, Zone,
};
use super::{KEYS, LocatedText, MAX_ID, MAX_PATTERN, MAX_RULE, MAX_TAGS, Value, ValueShape, doubtful_glob};
use crate::check::{
    AppendRule, FILE_EXISTS, FORBID_COMMAND, OperandRule, PLACEHOLDERS, TYPES, TypeValues,
    unknown_placeholder,
};
use crate::code::{CodeSource, engine};
use crate::command;
use crate::file_kind::{FileKind, FileKinds, KindFilter};
use crate::imports;
use crate::sanitize::printable;
use crate::suggest::nearest;
use crate::verify::Verifier;
use phaser_data::{JsonPath, Scalar};
use phaser_glob::{Glob, GlobError};

/// The glob of a contract without `file_glob`.
pub const EVERY_FILE: &str = "**";

/// A contract under construction. Fields that are not set yet have placeholders.
#[derive(Debug)]
pub struct ContractBuilder {
    /// The values so far.
    pub(super) contract: Contract,
    kind: Option<&'static ContractType>,
    /// The values of keys that only some types take.
    of_type: TypeValues,
    /// Such keys that have a value, with their lines.
    of_type_lines: Vec<(&'static str, usize)>,
    /// The line that missing keys are reported at.
    top: usize,
    /// One bit per key that has a value.
    present: u64,
    /// The line of `in`.
    zones_line: Option<usize>,
    /// The line of `file_kind` or `exclude_kind`.
    kinds_line: Option<usize>,
    mistakes: Vec<Warning>,
    doubts: Vec<Warning>,
    /// Whether the values come from the table of a pack and were validated before.
    is_valid: bool,
}

/// The result of parsing a contract file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ParsedContract {
    /// `None` if there are errors.
    pub contract: Option<Contract>,
    /// `None` if the file is not YAML.
    pub schema: Option<ContractSchema>,
    /// Errors, then doubts.
    pub warnings: Vec<Warning>,
}

impl ParsedContract {
    /// A file without a valid contract.
    pub fn broken(warning: Warning) -> Self {
        Self { warnings: vec![warning], ..Self::default() }
    }
}

impl ContractBuilder {
    /// An empty builder. Missing keys are reported at line `top`.
    pub fn new(origin: Origin, schema: ContractSchema, top: usize) -> Self {
        let contract = Contract {
            id: String::new(),
            schema,
            line: 1,
            kind: &FILE_EXISTS,
            check: Check::Exists,
            glob: Glob::default(),
            glob_line: top,
            exclude: None,
            kinds: KindFilter::default(),
            zones: Vec::new(),
            fix: None,
            severity: Severity::Error,
            message: String::new(),
            rationale: None,
            enabled: true,
            ignorable: true,
            decision: BlockDecision::Deny,
            tags: Vec::new(),
            examples: Examples::default(),
            origin,
            scope: ContractScope::default(),
        };
        Self {
            is_valid: false,
            contract,
            kind: None,
            of_type: TypeValues::new(schema),
            of_type_lines: Vec::new(),
            top,
            present: 0,
            zones_line: None,
            kinds_line: None,
            mistakes: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// A builder for values that were validated before.
    pub fn of_valid(origin: Origin, schema: ContractSchema) -> Self {
        Self { is_valid: true, ..Self::new(origin, schema, 1) }
    }

    /// Sets the first line of the contract, which is 1 otherwise.
    pub fn start_at(&mut self, line: usize) {
        self.contract.line = line;
    }

    /// Sets the value of the key with this index. Ignores a value of another shape, which readers do not produce.
    pub fn set(&mut self, at: usize, value: Value<'_>) {
        let (key, bit) = (&KEYS[at], 1_u64 << at);
        if self.present & bit != 0 {
            let line = if let Value::Text(LocatedText { line, .. }) = value { line } else { self.top };
            self.mistake(line, format!("the key '{}' is there twice (keep one of them)", key.name));
            return;
        }
        self.present |= bit;
        match (key.shape, value) {
            (ValueShape::Text { set, .. }, Value::Text(text)) => set(self, text),
            (ValueShape::Text { set, .. }, Value::Literal(text)) => {
                set(self, text);
                if let ("fix", Some(fix)) = (key.name, &mut self.contract.fix) {
                    fix.is_literal = true;
                }
            }
            (ValueShape::Number { set, .. }, Value::Text(text) | Value::Literal(text)) => set(self, text),
            (ValueShape::Scalars { set, .. }, Value::Scalars(scalars)) => set(self, &scalars),
            (
                ValueShape::TextOrList { set, .. }
                | ValueShape::Texts { set, .. }
                | ValueShape::Choices { set, .. }
                | ValueShape::Scalars { set, .. },
                Value::Empty(line),
            ) => {
                let top = std::mem::replace(&mut self.top, line);
                set(self, &[]);
                self.top = top;
            }
            (
                ValueShape::TextOrList { set, .. }
                | ValueShape::Texts { set, .. }
                | ValueShape::Choices { set, .. },
                Value::Text(text),
            ) => set(self, &[text]),
            (
                ValueShape::TextOrList { set, .. }
                | ValueShape::Texts { set, .. }
                | ValueShape::Choices { set, .. },
                Value::List(list),
            ) => set(self, &list),
            (ValueShape::TextOrObject { set, .. }, Value::Text(text)) => set(self, text, false),
            (ValueShape::TextOrObject { set, .. }, Value::Object(json)) => set(self, json, true),
            (ValueShape::Words { set, .. }, Value::List(list)) => set(self, list),
            (ValueShape::Flag { set, .. }, Value::Flag(flag)) => set(self, flag),
            (ValueShape::Examples, Value::Examples(examples)) => self.contract.examples = examples,
            _ => {}
        }
    }

    /// Adds a warning that keeps the contract.
    pub fn doubt(&mut self, line: usize, what: impl Into<String>) {
        self.doubts.push(Warning::at(&self.contract.origin.file, line, what).only_a_doubt());
    }

    fn mistake(&mut self, line: usize, what: impl Into<String>) {
        self.mistakes.push(Warning::at(&self.contract.origin.file, line, what));
    }

    /// The contract with all warnings.
    pub fn finish(mut self) -> ParsedContract {
        self.complete();
        let schema = Some(self.contract.schema);
        let mut warnings = self.mistakes;
        let contract = warnings.is_empty().then_some(self.contract);
        warnings.append(&mut self.doubts);
        ParsedContract { contract, schema, warnings }
    }

    /// The contract; the origin if there are errors.
    pub fn into_contract(mut self) -> Result<Contract, Origin> {
        self.complete();
        if self.mistakes.is_empty() { Ok(self.contract) } else { Err(self.contract.origin) }
    }

    /// Reports missing keys and builds the check.
    fn complete(&mut self) {
        for (at, key) in KEYS.iter().enumerate() {
            if self.present & (1_u64 << at) == 0 && key.is_required(self.contract.schema, self.kind) {
                let name = key.name_in(self.contract.schema);
                self.mistake(self.top, format!("'{name}' is missing (add '{name}: …')"));
            }
        }
        let missing = self.kind.map_or(&[][..], |kind| kind.one_of_keys);
        if !missing.is_empty() && !self.of_type_lines.iter().any(|(key, _)| missing.contains(key)) {
            let names = missing.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" or ");
            self.mistake(self.top, format!("{names} is missing (add '{}: …')", missing[0]));
        }
        if let (BlockDecision::Ask, Severity::Warning) = (self.contract.decision, self.contract.severity) {
            self.doubt(
                self.top,
                "key 'decision' has no effect for a warning (remove it, or use severity error)",
            );
        }
        self.put_check();
        self.judge_examples();
    }

    /// Warns about examples that the type cannot be tested with. A text alone is a path where paths are meant.
    fn judge_examples(&mut self) {
        let Some(kind) = self.kind else { return };
        let wanted = self.contract.check.example_form();
        let Examples { violating, passing } = &mut self.contract.examples;
        let mut wrong = Vec::new();
        for example in violating.iter_mut().chain(passing) {
            let is_path = example.path.is_none() && example.fixed.is_none() && !example.text.is_empty();
            match example.form() {
                form if form == wanted => {}
                ExampleForm::Text if wanted == ExampleForm::Files && is_path => {
                    let path = example.text.trim_end().to_owned();
                    example.set_files(vec![path]);
                }
                form => wrong.push((example.line, form)),
            }
        }
        let what = |form| match (wanted, form) {
            (ExampleForm::Files, _) => {
                format!("an example of {kind} is a list of paths (write 'files: […]')")
            }
            (ExampleForm::Change, _) => {
                format!("an example of {kind} is a change (write 'before: …' and 'after: …')")
            }
            (ExampleForm::Text, ExampleForm::Files) => {
                format!("{kind} is not about several files (write 'path: …' and 'text: …' for 'files')")
            }
            (ExampleForm::Text, _) => {
                format!("{kind} is not about changes (write 'text: …' for 'before' and 'after')")
            }
        };
        let mut doubts: Vec<_> = wrong.into_iter().map(|(line, form)| (line, what(form))).collect();
        // Examples on one line.
        doubts.dedup();
        doubts.into_iter().for_each(|(line, what)| self.doubt(line, what));
    }

    /// Builds the check from the type and the keys it takes. Keys that the type does not take are removed.
    fn put_check(&mut self) {
        let Some(kind) = self.kind else { return };
        self.contract.kind = kind;
        if self.contract.glob == Glob::default() && kind.optional_keys.contains(&"file_glob") {
            self.contract.glob = Glob::accepted(EVERY_FILE);
        }
        if let Some(line) = self.zones_line.filter(|_| !kind.takes("in")) {
            let what = "(remove it: such a contract is not about what files hold)";
            self.doubt(line, format!("key 'in' has no effect for {kind} {what}"));
            self.contract.zones.clear();
        }
        if let Some(line) = self.kinds_line.filter(|_| *kind == FORBID_COMMAND) {
            self.doubt(line, format!("kinds of files mean nothing for {kind} (remove the key)"));
            self.contract.kinds = KindFilter::default();
        }
        let equals_line = self.of_type_lines.iter().copied().find(|(key, _)| *key == "equals");
        if *kind == FORBID_COMMAND {
            self.judge_command();
        }
        for (key, line) in std::mem::take(&mut self.of_type_lines) {
            if !kind.takes(key) {
                self.doubt(line, format!("key '{key}' has no effect for {kind} (remove it)"));
            }
        }
        if let (true, Some((_, line))) =
            (self.of_type.pattern.is_some(), equals_line.filter(|_| kind.takes("equals")))
        {
            self.mistake(line, "'equals' and 'pattern' exclude each other (keep one of them)");
        }
        let values = std::mem::replace(&mut self.of_type, TypeValues::new(self.contract.schema));
        let check = (kind.build)(values);
        self.judge_fix(kind, check.as_ref());
        // Without a check a required key is missing, which has been reported.
        self.contract.check = check.unwrap_or(Check::Exists);
    }

    /// Reports keys of a contract about commands that exclude each other.
    fn judge_command(&mut self) {
        if !command::IS_AVAILABLE {
            let what = "this phaser cannot judge commands (build it with the feature 'syntax')";
            return self.mistake(self.top, what);
        }
        let line =
            |key: &str| self.of_type_lines.iter().find(|(known, _)| *known == key).map(|(_, line)| *line);
        match (line("command"), line("pattern"), line("args")) {
            (Some(_), Some(line), _) => {
                self.mistake(line, "'pattern' is instead of 'command' (remove one of them)");
            }
            (None, Some(_), Some(line)) => {
                self.doubt(line, "key 'args' has no effect without 'command' (make it a part of 'pattern')");
                self.of_type.args.clear();
            }
            _ => {}
        }
    }

    /// Removes a fix that has no effect. The contract stays in force without it.
    fn judge_fix(&mut self, kind: &ContractType, check: Option<&Check>) {
        let Some(fix) = self.contract.fix.as_deref().filter(|_| !self.is_valid) else {
            return;
        };
        let wrong = if *kind == FORBID_COMMAND {
            let pattern = check.and_then(Check::pattern);
            pattern.map(|_| "key 'fix' has no effect without 'command' (remove it)".to_owned())
        } else if kind.takes("fix") {
            check.and_then(|check| match (check.pattern(), check.code()) {
                (Some(pattern), _) => fix.mistake(pattern),
                (None, Some(code)) => fix.mistake_in_code(&code.source),
                (None, None) => fix.mistake_without_pattern(),
            })
        } else {
            Some(format!("key 'fix' has no effect for {kind} (remove it: there is no match to replace)"))
        };
        if let Some(what) = wrong {
            self.doubt(fix.line, what);
            self.contract.fix = None;
        }
    }

    pub(super) fn set_id(&mut self, id: LocatedText<'_>) {
        let LocatedText { text, line } = id;
        if text.is_empty() {
            self.mistake(line, "the rule id is empty (name the rule, for instance 'no-debug-print')");
        } else if text.len() > MAX_ID {
            self.mistake(
                line,
                format!("the rule id is longer than {MAX_ID} characters (choose a shorter one)"),
            );
        } else if !is_word(&text) {
            let id = printable(&text);
            self.mistake(
                line,
                format!("rule id '{id}' may have only letters, digits and hyphens (rename it)"),
            );
        }
        self.contract.id = text.into_owned();
    }

    pub(super) fn set_kind(&mut self, kind: LocatedText<'_>) {
        self.kind = ContractType::find(&kind.text);
        if self.kind.is_none() {
            let known = TYPES.map(|known| known.name);
            let hint = match nearest(&kind.text.to_ascii_lowercase(), known) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => format!("use one of {}", known.join(", ")),
            };
            self.mistake(kind.line, format!("type '{}' is not known ({hint})", printable(&kind.text)));
        }
    }

    pub(super) fn set_pattern(&mut self, pattern: LocatedText<'_>) {
        let (line, size) = (pattern.line, pattern.text.len());
        if size == 0 {
            self.mistake(line, "'pattern' is empty (write what to look for)");
        } else if size > MAX_PATTERN {
            let what = "(split it into several contracts)";
            self.mistake(line, format!("'pattern' has {size} bytes, the limit is {MAX_PATTERN} {what}"));
        }
        let source = pattern.text.into_owned();
        self.of_type.pattern = Some(Pattern { source, dialect: Dialect::Regex, line, literals: None });
        self.of_type_lines.push(("pattern", line));
    }

    pub(super) fn set_path(&mut self, path: LocatedText<'_>) {
        let LocatedText { text, line } = path;
        self.of_type_lines.push(("path", line));
        if text.len() > MAX_PATTERN {
            let what = format!("'path' has {} bytes, the limit is {MAX_PATTERN} (shorten it)", text.len());
            return self.mistake(line, what);
        }
        match JsonPath::parse(&text) {
            Ok(path) => self.of_type.path = Some(path),
            Err(error) => {
                let column = text.get(..error.at).map_or(0, |before| before.chars().count()) + 1;
                let (what, hint) =
                    error.what.split_once(" (").unwrap_or((error.what, "for instance '$.dependencies.*')"));
                self.mistake(line, format!("'path' is not a JSONPath: {what} at character {column} ({hint}"));
            }
        }
    }

    /// Sets `equals`, from JSON literals.
    pub(super) fn set_equals(&mut self, scalars: &[LocatedText<'_>]) {
        let line = scalars.first().map_or(self.top, |first| first.line);
        self.of_type_lines.push(("equals", line));
        if scalars.is_empty() {
            self.mistake(line, "'equals' is an empty list (name at least one value)");
        }
        for LocatedText { text, line } in scalars {
            match Scalar::from_json(text) {
                Some(scalar) => self.of_type.equals.push(scalar),
                None => {
                    let what =
                        format!("'equals' has '{}', which is no value (put it in quotes)", printable(text));
                    self.mistake(*line, what);
                }
            }
        }
    }

    /// Sets `code`: a pattern, or an object as JSON.
    pub(super) fn set_code(&mut self, code: LocatedText<'_>, is_object: bool) {
        let (line, size) = (code.line, code.text.len());
        let limit = if is_object { MAX_RULE } else { MAX_PATTERN };
        let text = code.text.into_owned();
        let source = if is_object { CodeSource::Rule(text) } else { CodeSource::Pattern(text) };
        if size == 0 {
            self.mistake(line, "'code' is empty (write a pattern, for instance 'eval($X)')");
        } else if size > limit {
            let what = "(split it into several contracts)";
            self.mistake(line, format!("'code' has {size} bytes, the limit is {limit} {what}"));
        } else if !self.is_valid
            && let Some(what) = engine::mistake(&source)
        {
            self.mistake(line, printable(&what));
        }
        self.of_type.code = Some((source, line));
        self.of_type_lines.push(("code", line));
    }

    pub(super) fn set_language(&mut self, language: LocatedText<'_>) {
        self.of_type_lines.push(("language", language.line));
        self.of_type.language = engine::language(&language.text);
        if self.of_type.language.is_none() {
            let known = engine::languages();
            let hint = match nearest(&language.text.to_ascii_lowercase(), known.clone()) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => format!("use {}", known.join(", ")),
            };
            let what = format!("language '{}' is not known ({hint})", printable(&language.text));
            self.mistake(language.line, what);
        }
    }

    pub(super) fn set_max_lines(&mut self, number: LocatedText<'_>) {
        self.of_type.max_lines = self.number("max_lines", &number);
    }

    pub(super) fn set_max_bytes(&mut self, number: LocatedText<'_>) {
        self.of_type.max_bytes = self.number("max_bytes", &number);
    }

    /// The value of a key that is a number.
    fn number(&mut self, key: &'static str, number: &LocatedText<'_>) -> Option<u64> {
        self.of_type_lines.push((key, number.line));
        let value = number.text.replace('_', "").parse().ok();
        if value.is_none() {
            let what = format!("'{key}' is not a number: '{}' (write digits)", printable(&number.text));
            self.mistake(number.line, what);
        }
        value
    }

    pub(super) fn set_append(&mut self, append: LocatedText<'_>) {
        self.of_type_lines.push(("append", append.line));
        self.of_type.append = AppendRule::ALL.into_iter().find(|known| known.as_str() == append.text);
        if self.of_type.append.is_none() {
            let what = format!("append '{}' is not known (use allow or deny)", printable(&append.text));
            self.mistake(append.line, what);
        }
    }

    pub(super) fn set_commands(&mut self, commands: &[LocatedText<'_>]) {
        self.of_type.commands = self.words_of("command", "'git commit'", commands);
    }

    pub(super) fn set_args(&mut self, args: &[LocatedText<'_>]) {
        self.of_type.args = self.words_of("args", "'--force'", args);
        for LocatedText { text, line } in args.iter().filter(|arg| arg.text.contains(char::is_whitespace)) {
            let what = format!("'args' has '{}', and an argument is one word (split it)", printable(text));
            self.doubt(*line, what);
        }
    }

    pub(super) fn set_piped_to(&mut self, programs: &[LocatedText<'_>]) {
        self.of_type.piped_to = self.words_of("piped_to", "'sh'", programs);
    }

    pub(super) fn set_operands(&mut self, operands: LocatedText<'_>) {
        self.of_type_lines.push(("operands", operands.line));
        self.of_type.operands = OperandRule::ALL.into_iter().find(|known| known.as_str() == operands.text);
        if self.of_type.operands.is_none() {
            let what = format!("operands '{}' is not known (use outside)", printable(&operands.text));
            self.mistake(operands.line, what);
        }
    }

    pub(super) fn set_when_exists(&mut self, files: &[LocatedText<'_>]) {
        self.of_type.when_exists = self.files_of("when_exists", files);
    }

    pub(super) fn set_unless_exists(&mut self, files: &[LocatedText<'_>]) {
        self.of_type.unless_exists = self.files_of("unless_exists", files);
    }

    /// The files of a condition.
    fn files_of(&mut self, key: &'static str, files: &[LocatedText<'_>]) -> Vec<String> {
        let names = self.words_of(key, "'package-lock.json'", files);
        for LocatedText { text, line } in files {
            let is_inside = !text.starts_with('/') && !text.split('/').any(|part| part == "..");
            if !is_inside || text.contains(['*', '?', '{', '[']) {
                let shown = printable(text);
                let what = format!(
                    "'{key}' has '{shown}', and it takes names of files (write one without globs and '..')"
                );
                self.mistake(*line, what);
            }
        }
        names
    }

    /// The values of a key about commands, with single spaces between words.
    fn words_of(&mut self, key: &'static str, example: &str, texts: &[LocatedText<'_>]) -> Vec<String> {
        let line = texts.first().map_or(self.top, |first| first.line);
        self.of_type_lines.push((key, line));
        if texts.is_empty() || texts.iter().any(|text| text.text.trim().is_empty()) {
            self.mistake(line, format!("'{key}' is empty (write for instance {example})"));
        }
        let words = |text: &LocatedText<'_>| text.text.split_whitespace().collect::<Vec<_>>().join(" ");
        texts.iter().map(words).collect()
    }

    /// Sets `import`.
    pub(super) fn set_imports(&mut self, globs: &[LocatedText<'_>]) {
        let line = globs.first().map_or(self.top, |first| first.line);
        self.of_type_lines.push(("import", line));
        if !self.is_valid {
            if globs.is_empty() {
                self.mistake(
                    line,
                    "'import' is an empty list (name at least one module, for instance 'src/infra/**')",
                );
            }
            for LocatedText { text, line } in globs {
                if let Err(error) = Glob::new(text) {
                    self.wrong_glob("import", &LocatedText::new(&**text, *line), &error);
                }
            }
            if let Some(what) = imports::engine::mistake() {
                self.mistake(line, what);
            }
        }
        self.of_type.import = Some((globs.iter().map(|glob| glob.text.to_string()).collect(), line));
    }

    pub(super) fn set_companions(&mut self, paths: &[LocatedText<'_>]) {
        let line = paths.first().map_or(self.top, |first| first.line);
        self.of_type_lines.push(("companion", line));
        if paths.is_empty() {
            self.mistake(line, "'companion' is an empty list (name at least one path)");
        }
        for LocatedText { text, line } in paths {
            let known = PLACEHOLDERS.join(", ");
            if text.trim().is_empty() {
                self.mistake(*line, "'companion' is empty (write a path, for instance 'tests/test_{name}')");
            } else if let Some(part) = unknown_placeholder(text) {
                let what = format!("'companion': '{}' is no placeholder (use {known})", printable(part));
                self.mistake(*line, what);
            } else if text.starts_with('/') || text.contains('\\') {
                let what = "'companion' is relative to the project, with '/' between names (write it without '\\' and '/' at the start)";
                self.mistake(*line, what);
            } else if text.starts_with("..") && text.split('/').next() == Some("..") {
                let what = "'companion' leads out of the project (write it without '..' at the start, or '{dir}/../…')";
                self.mistake(*line, what);
            } else if text.contains('*') {
                self.mistake(*line, format!("'companion' is a path and no glob (use {known})"));
            }
        }
        self.of_type.companions = paths.iter().map(|path| path.text.to_string()).collect();
    }

    pub(super) fn set_decision(&mut self, decision: LocatedText<'_>) {
        match BlockDecision::ALL.into_iter().find(|known| known.as_str() == decision.text) {
            Some(known) => self.contract.decision = known,
            None => {
                let what = format!("decision '{}' is not known (use deny or ask)", printable(&decision.text));
                self.mistake(decision.line, what);
            }
        }
    }

    /// Sets `file_glob`.
    pub(super) fn set_globs(&mut self, globs: &[LocatedText<'_>]) {
        self.contract.glob_line = globs.first().map_or(self.top, |first| first.line);
        if let Some(glob) = self.known_or_new("file_glob", globs) {
            self.contract.glob = glob;
        }
    }

    /// Sets `exclude_glob`.
    pub(super) fn set_exclude(&mut self, globs: &[LocatedText<'_>]) {
        let line = globs.first().map_or(self.top, |first| first.line);
        let glob = self.known_or_new("exclude_glob", globs);
        self.contract.exclude = glob.map(|glob| Box::new(Exclude { glob, line }));
    }

    /// The glob of `globs`. A glob of a pack was validated before and is parsed on first use.
    fn known_or_new(&mut self, key: &str, globs: &[LocatedText<'_>]) -> Option<Glob> {
        match (self.is_valid, globs) {
            (true, [known]) => Some(Glob::accepted(&known.text)),
            _ => self.globs(key, globs),
        }
    }

    /// One glob, or several joined by braces, if valid.
    fn globs(&mut self, key: &str, globs: &[LocatedText<'_>]) -> Option<Glob> {
        let [glob] = globs else { return self.list_of_globs(key, globs) };
        self.glob(key, glob)
    }

    fn list_of_globs(&mut self, key: &str, globs: &[LocatedText<'_>]) -> Option<Glob> {
        let Some(first) = globs.first() else {
            let what = format!("'{key}' is an empty list (name at least one glob, for instance '**/*.py')");
            self.mistake(self.top, what);
            return None;
        };
        let valid = globs.iter().filter_map(|glob| self.glob(key, glob)).count();
        let all: Vec<_> = globs.iter().map(|glob| without_bare_commas(&glob.text)).collect();
        let joined = LocatedText::new(format!("{{{}}}", all.join(",")), first.line);
        if valid < globs.len() {
            return None;
        }
        Glob::new(&joined.text).map_err(|error| self.wrong_glob(key, &joined, &error)).ok()
    }

    /// One glob, if valid.
    fn glob(&mut self, key: &str, glob: &LocatedText<'_>) -> Option<Glob> {
        if !self.is_valid
            && let Some(doubt) = doubtful_glob::doubt(key, &glob.text)
        {
            // A contract for no file checks nothing; an exclusion of no file only checks more.
            match key {
                "file_glob" if !doubtful_glob::may_be_a_name(&glob.text) => self.mistake(glob.line, doubt),
                _ => self.doubt(glob.line, doubt),
            }
        }
        Glob::new(&glob.text).map_err(|error| self.wrong_glob(key, glob, &error)).ok()
    }

    fn wrong_glob(&mut self, key: &str, glob: &LocatedText<'_>, error: &GlobError) {
        let why = match error {
            GlobError::Syntax { why, .. } => why.clone(),
            GlobError::Empty => "the glob is empty".to_owned(),
            GlobError::TooLong(_) => error.to_string(),
        };
        let example = if key == "import" { "src/infra/**" } else { "**/*.py" };
        let what = format!("'{key}' is not valid: {} (for instance '{example}')", printable(&why));
        self.mistake(glob.line, what);
    }

    pub(super) fn set_zones(&mut self, zones: &[LocatedText<'_>]) {
        let known = Zone::ALL.map(Zone::as_str);
        let Some(first) = zones.first() else {
            return self
                .mistake(self.top, format!("'in' is an empty list (name some of {})", known.join(", ")));
        };
        self.zones_line = Some(first.line);
        for LocatedText { text, line } in zones {
            match Zone::ALL.into_iter().find(|zone| zone.as_str() == text) {
                Some(zone) if self.contract.zones.contains(&zone) => {}
                Some(zone) => self.contract.zones.push(zone),
                None => {
                    let hint = match nearest(text, known) {
                        Some(meant) => format!("did you mean '{meant}'?"),
                        None => format!("use {}", known.join(", ")),
                    };
                    self.mistake(*line, format!("'in' knows no '{}' ({hint})", printable(text)));
                }
            }
        }
    }

    pub(super) fn set_verify(&mut self, verifiers: &[LocatedText<'_>]) {
        let known = Verifier::ALL.map(Verifier::as_str);
        self.of_type_lines.push(("verify", verifiers.first().map_or(self.top, |first| first.line)));
        if verifiers.is_empty() {
            let what = format!("'verify' is an empty list (name some of {})", known.join(", "));
            self.mistake(self.top, what);
        }
        for LocatedText { text, line } in verifiers {
            match Verifier::ALL.into_iter().find(|one| one.as_str() == text) {
                Some(one) if self.of_type.verify.contains(&one) => {}
                Some(one) => self.of_type.verify.push(one),
                None => {
                    let hint = match nearest(text, known) {
                        Some(meant) => format!("did you mean '{meant}'?"),
                        None => format!("use {}", known.join(", ")),
                    };
                    self.mistake(*line, format!("'verify' knows no '{}' ({hint})", printable(text)));
                }
            }
        }
    }

    /// Sets `file_kind`.
    pub(super) fn set_file_kind(&mut self, kinds: &[LocatedText<'_>]) {
        self.contract.kinds.only = self.kinds_of("file_kind", kinds);
        self.judge_kinds();
    }

    /// Sets `exclude_kind`.
    pub(super) fn set_exclude_kind(&mut self, kinds: &[LocatedText<'_>]) {
        self.contract.kinds.exclude = self.kinds_of("exclude_kind", kinds);
        self.judge_kinds();
    }

    fn kinds_of(&mut self, key: &str, kinds: &[LocatedText<'_>]) -> FileKinds {
        let known = FileKind::ALL.map(FileKind::as_str);
        let mut set = FileKinds::default();
        if kinds.is_empty() {
            self.mistake(self.top, format!("'{key}' is an empty list (name some of {})", known.join(", ")));
        }
        for LocatedText { text, line } in kinds {
            self.kinds_line = Some(*line);
            match FileKind::ALL.into_iter().find(|kind| kind.as_str() == text) {
                Some(kind) => set.insert(kind),
                None => {
                    let hint = match nearest(text, known) {
                        Some(meant) => format!("did you mean '{meant}'?"),
                        None => format!("use {}", known.join(", ")),
                    };
                    self.mistake(*line, format!("'{key}' knows no '{}' ({hint})", printable(text)));
                }
            }
        }
        set
    }

    /// Reports a contract that excludes all the kinds it is about.
    fn judge_kinds(&mut self) {
        let KindFilter { only, exclude } = self.contract.kinds;
        if !only.is_empty() && exclude.is_superset(only) {
            let line = self.kinds_line.unwrap_or(self.top);
            self.mistake(line, "'exclude_kind' leaves nothing of 'file_kind' (remove one of them)");
        }
    }

    pub(super) fn set_fix(&mut self, fix: LocatedText<'_>) {
        let (line, size) = (fix.line, fix.text.len());
        if size > MAX_PATTERN {
            let what = "(fix less at once)";
            self.mistake(line, format!("'fix' has {size} bytes, the limit is {MAX_PATTERN} {what}"));
        }
        self.contract.fix = Some(Box::new(FixTemplate::new(fix.text, line)));
    }

    pub(super) fn set_message(&mut self, message: LocatedText<'_>) {
        if message.text.trim().is_empty() {
            self.mistake(message.line, "'message' is empty (say what to do instead)");
        }
        self.contract.message = message.text.into_owned();
    }

    pub(super) fn set_severity(&mut self, severity: LocatedText<'_>) {
        match &*severity.text {
            "error" => self.contract.severity = Severity::Error,
            "warning" => self.contract.severity = Severity::Warning,
            other => {
                let what = format!("severity '{}' is not known (use error or warning)", printable(other));
                self.mistake(severity.line, what);
            }
        }
    }

    pub(super) fn set_rationale(&mut self, rationale: LocatedText<'_>) {
        let text = rationale.text;
        self.contract.rationale = (!text.trim().is_empty()).then(|| text.into_owned());
    }

    pub(super) fn set_tags(&mut self, tags: Vec<LocatedText<'_>>) {
        if let Some(tag) = tags.get(MAX_TAGS) {
            self.mistake(tag.line, format!("there are more than {MAX_TAGS} tags (remove some)"));
        }
        for LocatedText { text, line } in tags {
            if text.len() > MAX_ID || !is_word(&text) {
                let tag = printable(&text);
                let what = "may have only letters, digits and hyphens, at most";
                self.mistake(line, format!("tag '{tag}' {what} {MAX_ID} of them (rename it)"));
            }
            if !self.contract.tags.iter().any(|known| *known == text) {
                self.contract.tags.push(text.into_owned());
            }
        }
    }
}

/// Whether a text is a valid id or tag.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A glob for use inside braces: bare commas are escaped.
fn without_bare_commas(glob: &str) -> String {
    let mut text = glob.to_owned();
    for comma in doubtful_glob::bare_commas(glob).into_iter().rev() {
        text.insert(comma, '\\');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_bare_commas() {
        for (glob, expected) in [
            ("a,b", "a\\,b"),
            ("{a,b}", "{a,b}"),
            ("[,]x,", "[,]x\\,"),
            ("a\\,b", "a\\,b"),
            ("[],],", "[],]\\,"),
        ] {
            assert_eq!(without_bare_commas(glob), expected);
        }
    }
}
