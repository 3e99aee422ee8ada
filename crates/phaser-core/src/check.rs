//! Contract types: the keys each one takes, what it is judged on, and how it is evaluated.
//!
//! Each file of this module is one check. It has the rows of [`TYPES`] that produce the check, a struct with the
//! check's parameters, and its [`Evaluator`]. The rest of phaser asks the evaluator and never matches on the type.
//!
//! One contract followed through, with `type: forbid_pattern`, `pattern: 'print\('` and `file_glob: '**/*.py'`:
//!
//! 1. The reader finds the row `forbid_pattern`. The row requires the key `pattern` and accepts `in` and `fix`, so a
//!    contract without `pattern` is reported as incomplete and one with `fix` is not.
//! 2. The row's `build` makes [`Check::Forbid`] from the values of these keys.
//! 3. For `src/a.py` the matcher reads [`input`](Check::input): [`CheckInput::Text`]. Without a pattern in any
//!    selected check it would not read the file at all.
//! 4. [`pattern`](Check::pattern) is searched for together with all other patterns. The
//!    prefilter finds no `print(` in most files; by [`passes_unmatched`](Check::passes_unmatched) such a file
//!    passes, and evaluation is skipped.
//! 5. In `src/a.py` the search finds the span `10..16`. [`evaluate`](Check::evaluate) receives the path, the text and
//!    this span, and returns [`CheckVerdict::Spans`]: one violation per span. The matcher adds line, excerpt and
//!    fingerprint, then applies directives and limits.
//!
//! Pattern search and prefilter are services: a check without a pattern is evaluated on every target of its globs.
//!
//! # How to add a contract type
//!
//! 1. Add a file here with a struct for the parameters, `impl Evaluator`, and a static [`ContractType`].
//! 2. Add the row to [`TYPES`], a variant to [`Check`], and an arm to `Check::evaluator`.
//! 3. For a new key, add a row to [`KEYS`](crate::contract::keys::KEYS) and a field to [`TypeValues`]. Parsing,
//!    `contracts create`, the JSON Schema and `contracts show` follow from these rows.
//! 4. For an input that no check reads yet, add a variant to [`CheckInput`] and a field to [`CheckTarget`]; the compiler
//!    lists the places that have to supply it. Expected inputs: a shell command, a syntax tree. A mode that cannot
//!    supply an input does not
//!    evaluate the check, which never counts as a failure.
//! 5. Document the type in `docs/contracts.md` and give it an example in each schema it exists in.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::code::{CodePattern, CodeSource};
use crate::contract::{ContractSchema, ExampleForm, Pattern};
use crate::imports::ImportPattern;
use crate::matcher::MAX_MATCHES;
use crate::path::RelPath;
use crate::text::Text;
use crate::verify::Verifier;
use crate::violation::LineDigest;
use phaser_data::{JsonPath, ParseError, Scalar, Tree};

mod code;
mod companion;
mod file_exists;
mod file_not_exists;
mod file_parses;
mod file_size;
mod file_unchanged;
mod forbid_command;
mod forbid_import;
mod forbid_pattern;
mod keep_pattern;
mod message;
mod require_pattern;
mod require_somewhere;
mod same_line_endings;
mod value;

pub use code::{FORBID_CODE, ForbidCode, REQUIRE_CODE, RequireCode};
pub use companion::{
    COMPANION_CHANGED, COMPANION_EXISTS, Companion, CompanionDemand, PLACEHOLDERS, unknown_placeholder,
};
pub use file_exists::{FILE_EXISTS, FileExists};
pub use file_not_exists::{FILE_NOT_EXISTS, FileNotExists};
pub use file_parses::{FILE_PARSES, FileParses};
pub use file_size::{FILE_SIZE, FileSize};
pub use file_unchanged::{AppendRule, FILE_UNCHANGED, FileUnchanged, with_line_feeds};
pub use forbid_command::{FORBID_COMMAND, ForbidCommand, OperandRule};
pub use forbid_import::{FORBID_IMPORT, ForbidImport};
pub use forbid_pattern::{FILE_NOT_CONTAINS, FORBID_PATTERN, ForbidPattern};
pub use keep_pattern::{KEEP_PATTERN, KeepPattern};
pub use message::{FORBID_IN_MESSAGE, MessageCheck, MessageDemand, REQUIRE_IN_MESSAGE};
pub use require_pattern::{FILE_CONTAINS, REQUIRE_PATTERN, RequirePattern};
pub use require_somewhere::RequireSomewhere;
pub use same_line_endings::{SAME_LINE_ENDINGS, SameLineEndings};
pub use value::{FORBID_VALUE, REQUIRE_VALUE, ValueCheck, ValueDemand};

/// All contract types, in documentation order.
pub static TYPES: [&ContractType; 21] = [
    &FORBID_PATTERN,
    &REQUIRE_PATTERN,
    &FILE_EXISTS,
    &FILE_NOT_EXISTS,
    &FILE_CONTAINS,
    &FILE_NOT_CONTAINS,
    &FILE_SIZE,
    &FILE_PARSES,
    &SAME_LINE_ENDINGS,
    &FORBID_VALUE,
    &REQUIRE_VALUE,
    &FILE_UNCHANGED,
    &KEEP_PATTERN,
    &COMPANION_EXISTS,
    &COMPANION_CHANGED,
    &FORBID_CODE,
    &REQUIRE_CODE,
    &FORBID_IMPORT,
    &FORBID_COMMAND,
    &FORBID_IN_MESSAGE,
    &REQUIRE_IN_MESSAGE,
];

/// One value of the key `type`. Types are compared by name.
pub struct ContractType {
    /// The value of `type`.
    pub name: &'static str,
    /// One sentence for users.
    pub meaning: &'static str,
    /// Keys that a contract of this type must have, beside those that every contract must have.
    pub required_keys: &'static [&'static str],
    /// Keys of which a contract of this type must have at least one.
    pub one_of_keys: &'static [&'static str],
    /// Keys that only some types accept, this one among them, and keys that others require.
    pub optional_keys: &'static [&'static str],
    /// The start of a v1.2 report, which shows the pattern instead of the contract's message.
    pub v1_2_report: Option<&'static str>,
    /// Makes the check; `None` if a required key is missing, which the reader reports.
    pub build: fn(TypeValues) -> Option<Check>,
}

/// The values of keys that only some types take.
#[derive(Debug)]
pub struct TypeValues {
    /// The schema of the contract file. Some types differ in v1.2.
    pub schema: ContractSchema,
    /// `pattern`, as a regular expression.
    pub pattern: Option<Pattern>,
    /// `verify`.
    pub verify: Vec<Verifier>,
    /// `max_lines`.
    pub max_lines: Option<u64>,
    /// `max_bytes`.
    pub max_bytes: Option<u64>,
    /// `append`.
    pub append: Option<AppendRule>,
    /// `companion`.
    pub companions: Vec<String>,
    /// `path`.
    pub path: Option<JsonPath>,
    /// `equals`; empty without it.
    pub equals: Vec<Scalar>,
    /// `code`, with its line.
    pub code: Option<(CodeSource, usize)>,
    /// `language`.
    pub language: Option<String>,
    /// `import`, with its line.
    pub import: Option<(Vec<String>, usize)>,
    /// `command`.
    pub commands: Vec<String>,
    /// `args`.
    pub args: Vec<String>,
    /// `piped_to`.
    pub piped_to: Vec<String>,
    /// `operands`.
    pub operands: Option<OperandRule>,
    /// `when_exists`.
    pub when_exists: Vec<String>,
    /// `unless_exists`.
    pub unless_exists: Vec<String>,
}

impl TypeValues {
    /// No values.
    pub fn new(schema: ContractSchema) -> Self {
        Self {
            schema,
            pattern: None,
            verify: Vec::new(),
            max_lines: None,
            max_bytes: None,
            append: None,
            companions: Vec::new(),
            path: None,
            equals: Vec::new(),
            code: None,
            language: None,
            import: None,
            commands: Vec::new(),
            args: Vec::new(),
            piped_to: Vec::new(),
            operands: None,
            when_exists: Vec::new(),
            unless_exists: Vec::new(),
        }
    }

    /// `code` with its `language`.
    fn code_pattern(self) -> Option<CodePattern> {
        let (source, line) = self.code?;
        Some(CodePattern::new(source, self.language, line))
    }
}

impl ContractType {
    /// The type named `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        TYPES.into_iter().find(|known| known.name == name)
    }

    /// Whether a contract of this type must have the key.
    pub fn requires(&self, key: &str) -> bool {
        self.required_keys.contains(&key)
    }

    /// Whether the key means something to this type.
    pub fn takes(&self, key: &str) -> bool {
        self.requires(key) || self.one_of_keys.contains(&key) || self.optional_keys.contains(&key)
    }
}

impl PartialEq for ContractType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ContractType {}

impl Hash for ContractType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for ContractType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for ContractType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What an evaluator reads of each target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckInput {
    /// The path; the target exists. No content is read.
    Path,
    /// The text of the file. Binary files are skipped.
    Text,
    /// The number of lines and bytes. Files are judged however large they are.
    Size,
    /// The values of a JSON, YAML or TOML file. Files with another name are not judged.
    Data,
    /// The text of a commit message. The globs limit it to commits that change such a file.
    Message,
    /// Both versions of each file that a change touches.
    Change,
    /// The paths of the files that a change touches, and of those that exist after it.
    Companion,
    /// The commands that an agent runs. No file is read.
    Command,
}

/// What a violation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckLevel {
    /// One file. A violation has its path.
    File,
    /// The project. One target that [satisfies](CheckVerdict::Satisfies) the contract is enough, a violation needs all
    /// targets, and its path is the contract's glob.
    Project,
}

/// One target as evaluators see it.
#[derive(Debug)]
pub struct CheckTarget<'a> {
    /// Relative to the project root.
    pub path: &'a RelPath,
    /// Present if [`CheckInput::Text`] is read.
    pub text: Option<&'a Text<'a>>,
    /// Byte ranges of `text` that the check's pattern matches, in order, restricted to the contract's zones. At most
    /// [`max_matches`](Evaluator::max_matches).
    pub matches: Vec<Range<usize>>,
    /// The size of the file. Present if [`CheckInput::Size`] is read.
    pub size: Option<FileSize>,
    /// The parsed file. Present if [`CheckInput::Data`] is read.
    pub data: Option<&'a DataTarget<'a>>,
    /// Whether the search for matches ended before the text did, for lack of time or memory.
    pub incomplete: bool,
}

impl CheckTarget<'_> {
    /// The verdict of a check that each file needs a match of.
    fn requires_a_match(&self) -> CheckVerdict {
        if self.matches.is_empty() && !self.incomplete { CheckVerdict::File } else { CheckVerdict::Pass }
    }
}

/// A parsed data file.
pub struct DataTarget<'a> {
    /// Its tree, or why it has none.
    pub tree: Result<&'a Tree<'a>, &'a ParseError>,
    /// Whether the check's pattern matches a text.
    pub matches: &'a dyn Fn(&str) -> bool,
}

impl fmt::Debug for DataTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataTarget").field("tree", &self.tree).finish_non_exhaustive()
    }
}

/// A violation at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What an equal violation in another version of the file has in common with it; `None` for its lines.
    pub identity: Option<LineDigest>,
    /// Why a file does not parse.
    pub problem: Option<String>,
}

impl From<Range<usize>> for Finding {
    fn from(range: Range<usize>) -> Self {
        Self { range, identity: None, problem: None }
    }
}

/// The result of evaluating one target.
#[derive(Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// No violation.
    Pass,
    /// One violation for each of these byte ranges of the text.
    Spans(Vec<Range<usize>>),
    /// One violation for each of these.
    Findings(Vec<Finding>),
    /// One violation for the whole file, without a line.
    File,
    /// Unchecked, because the file does not parse.
    Unparsable,
    /// Unchecked, because the path visits too many values of the file.
    TooBroad,
    /// The target meets a requirement on the [project](CheckLevel::Project).
    Satisfies,
}

/// How one kind of check is judged.
pub trait Evaluator {
    /// What it reads.
    fn input(&self) -> CheckInput {
        CheckInput::Text
    }

    /// Whether each match is a violation, where it is.
    fn reports_matches(&self) -> bool {
        false
    }

    /// What its violations are about.
    fn level(&self) -> CheckLevel {
        CheckLevel::File
    }

    /// The pattern to search for: in the text before evaluation, or in values during it.
    fn pattern(&self) -> Option<&Pattern> {
        None
    }

    /// What a match of the pattern must pass to count.
    fn verifiers(&self) -> &[Verifier] {
        &[]
    }

    /// The code to search for before evaluation.
    fn code(&self) -> Option<&CodePattern> {
        None
    }

    /// The imports to search for before evaluation.
    fn imports(&self) -> Option<&ImportPattern> {
        None
    }

    /// A pattern that matches in every text with a match.
    fn prefilter(&self) -> Option<&Pattern> {
        self.pattern()
    }

    /// The number of matches that decide the verdict; the search stops there.
    fn max_matches(&self) -> usize {
        if self.reports_matches() { usize::MAX } else { 1 }
    }

    /// The most matches of one file that are reported. More are a gap.
    fn match_limit(&self) -> usize {
        MAX_MATCHES
    }

    /// Whether a text without a match always passes. Such a text is not evaluated.
    fn passes_unmatched(&self) -> bool {
        self.reports_matches()
    }

    /// Whether its violations have a line, where a directive can stand.
    fn has_lines(&self) -> bool {
        self.reports_matches()
    }

    /// Whether a part of a file, such as one cell of a notebook, cannot be judged alone.
    fn needs_whole_file(&self) -> bool {
        false
    }

    /// Judges one target.
    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Spans(target.matches)
    }
}

/// What a contract demands, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Check {
    /// See [`ForbidPattern`].
    Forbid(ForbidPattern),
    /// See [`RequirePattern`].
    Require(RequirePattern),
    /// See [`RequireSomewhere`].
    RequireSomewhere(RequireSomewhere),
    /// See [`FileExists`].
    Exists,
    /// See [`FileNotExists`].
    NotExists,
    /// See [`FileSize`].
    Size(FileSize),
    /// See [`FileParses`].
    Parses,
    /// See [`SameLineEndings`].
    LineEndings(SameLineEndings),
    /// See [`ValueCheck`]. Boxed, because other checks are far smaller.
    Value(Box<ValueCheck>),
    /// See [`MessageCheck`].
    Message(MessageCheck),
    /// See [`FileUnchanged`].
    Unchanged(FileUnchanged),
    /// See [`KeepPattern`].
    Keep(KeepPattern),
    /// See [`Companion`].
    Companion(Companion),
    /// See [`ForbidCode`].
    ForbidCode(ForbidCode),
    /// See [`RequireCode`].
    RequireCode(RequireCode),
    /// See [`ForbidImport`].
    ForbidImport(ForbidImport),
    /// See [`ForbidCommand`].
    Command(ForbidCommand),
}

impl Check {
    /// A check that reports each match of `pattern`.
    pub fn forbid(pattern: Pattern) -> Self {
        Self::Forbid(ForbidPattern { pattern, verify: Vec::new() })
    }

    /// A check that reports each file without a match of `pattern`.
    pub fn require(pattern: Pattern) -> Self {
        Self::Require(RequirePattern { pattern })
    }

    /// A check that reports a project without a match of `pattern`.
    pub fn require_somewhere(pattern: Pattern) -> Self {
        Self::RequireSomewhere(RequireSomewhere { pattern })
    }

    fn evaluator(&self) -> &dyn Evaluator {
        match self {
            Self::Forbid(check) => check,
            Self::Require(check) => check,
            Self::RequireSomewhere(check) => check,
            Self::Exists => &FileExists,
            Self::NotExists => &FileNotExists,
            Self::Size(check) => check,
            Self::Parses => &FileParses,
            Self::LineEndings(check) => check,
            Self::Value(check) => &**check,
            Self::Message(check) => check,
            Self::Unchanged(check) => check,
            Self::Keep(check) => check,
            Self::Companion(check) => check,
            Self::ForbidCode(check) => check,
            Self::RequireCode(check) => check,
            Self::ForbidImport(check) => check,
            Self::Command(check) => check,
        }
    }

    /// See [`Evaluator::input`].
    pub fn input(&self) -> CheckInput {
        self.evaluator().input()
    }

    /// Whether it is judged on the text of files.
    pub fn reads_text(&self) -> bool {
        matches!(self.input(), CheckInput::Text | CheckInput::Data)
    }

    /// Whether matches or values in the text of a file decide it.
    pub fn judges_text(&self) -> bool {
        self.reads_text() || matches!(self, Self::Keep(_))
    }

    /// Whether it is judged on the commands of agents.
    pub fn reads_commands(&self) -> bool {
        self.input() == CheckInput::Command
    }

    /// Whether it is judged on commit messages.
    pub fn reads_messages(&self) -> bool {
        self.input() == CheckInput::Message
    }

    /// Whether it compares a change with its base.
    pub fn compares_change(&self) -> bool {
        matches!(self.input(), CheckInput::Change | CheckInput::Companion)
    }

    /// What an example of it consists of.
    pub fn example_form(&self) -> ExampleForm {
        match self.input() {
            CheckInput::Change => ExampleForm::Change,
            CheckInput::Companion => ExampleForm::Files,
            _ => ExampleForm::Text,
        }
    }

    /// Whether an exception is the approval of one change, and not of a state.
    pub fn needs_approval(&self) -> bool {
        match self {
            Self::Companion(Companion { demand, .. }) => *demand == CompanionDemand::Changed,
            _ => self.input() == CheckInput::Change,
        }
    }

    /// The command that it forbids.
    pub fn command(&self) -> Option<&ForbidCommand> {
        match self {
            Self::Command(command) => Some(command),
            _ => None,
        }
    }

    /// The companions that it demands.
    pub fn companion(&self) -> Option<&Companion> {
        match self {
            Self::Companion(companion) => Some(companion),
            _ => None,
        }
    }

    /// Whether its violations are about the [project](CheckLevel::Project).
    pub fn is_about_project(&self) -> bool {
        self.evaluator().level() == CheckLevel::Project
    }

    /// See [`Evaluator::verifiers`].
    pub fn verifiers(&self) -> &[Verifier] {
        self.evaluator().verifiers()
    }

    /// See [`Evaluator::pattern`].
    pub fn pattern(&self) -> Option<&Pattern> {
        self.evaluator().pattern()
    }

    /// See [`Evaluator::code`].
    pub fn code(&self) -> Option<&CodePattern> {
        self.evaluator().code()
    }

    /// See [`Evaluator::imports`].
    pub fn imports(&self) -> Option<&ImportPattern> {
        self.evaluator().imports()
    }

    /// Whether the result of a file depends on other files of the project.
    pub fn reads_project(&self) -> bool {
        self.imports().is_some()
    }

    /// See [`Evaluator::prefilter`].
    pub fn prefilter(&self) -> Option<&Pattern> {
        self.evaluator().prefilter()
    }

    /// The pattern of [`Self::prefilter`] whose literals a pack stores: that of a check that forbids text or code.
    pub fn stored_prefilter(&mut self) -> Option<&mut Pattern> {
        match self {
            Self::Forbid(check) => Some(&mut check.pattern),
            Self::ForbidCode(check) => Some(&mut check.code.prefilter),
            _ => None,
        }
    }

    /// The limit of `file_size`.
    pub fn limit(&self) -> Option<FileSize> {
        match self {
            Self::Size(limit) => Some(*limit),
            _ => None,
        }
    }

    /// The check of `forbid_value` or `require_value`.
    pub fn value(&self) -> Option<&ValueCheck> {
        match self {
            Self::Value(check) => Some(check),
            _ => None,
        }
    }

    /// Whether it is judged on the values of data files.
    pub fn reads_data(&self) -> bool {
        self.input() == CheckInput::Data
    }

    /// See [`Evaluator::max_matches`].
    pub fn max_matches(&self) -> usize {
        self.evaluator().max_matches()
    }

    /// See [`Evaluator::match_limit`].
    pub fn match_limit(&self) -> usize {
        self.evaluator().match_limit()
    }

    /// See [`Evaluator::passes_unmatched`].
    pub fn passes_unmatched(&self) -> bool {
        self.evaluator().passes_unmatched()
    }

    /// See [`Evaluator::has_lines`].
    pub fn has_lines(&self) -> bool {
        self.evaluator().has_lines()
    }

    /// See [`Evaluator::needs_whole_file`].
    pub fn needs_whole_file(&self) -> bool {
        self.evaluator().needs_whole_file()
    }

    /// See [`Evaluator::evaluate`].
    pub fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        self.evaluator().evaluate(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Dialect;
    use crate::contract::keys::{ContractKey, KeyLevel};

    fn pattern() -> Pattern {
        Pattern { source: "a.b".to_owned(), dialect: Dialect::Regex, line: 1, literals: None }
    }

    fn built(name: &str, schema: ContractSchema) -> Check {
        let row = ContractType::find(name).expect("is a type");
        (row.build)(TypeValues { pattern: Some(pattern()), ..TypeValues::new(schema) }).expect("has its keys")
    }

    fn verdict(check: &Check, matches: &[Range<usize>], incomplete: bool) -> CheckVerdict {
        let (path, text) = (RelPath::from("a.py"), Text::new(&b"a.b a.b"[..]).expect("is text"));
        let text = check.reads_text().then_some(&text);
        let target =
            CheckTarget { path: &path, text, matches: matches.to_vec(), size: None, data: None, incomplete };
        check.evaluate(target)
    }

    #[test]
    fn names_are_unique_and_keys_exist() {
        for (at, row) in TYPES.iter().enumerate() {
            assert_eq!(TYPES.iter().position(|other| other == row), Some(at), "{row}");
            for key in row.required_keys.iter().chain(row.one_of_keys).chain(row.optional_keys) {
                assert!(ContractKey::find(key, KeyLevel::Top).is_some(), "{row}: {key}");
            }
        }
        assert_eq!(ContractType::find("forbid"), None);
    }

    #[test]
    fn builds_nothing_without_required_key() {
        for row in TYPES {
            let check = (row.build)(TypeValues::new(ContractSchema::Flat));
            let needs_key =
                ["pattern", "companion", "path", "code", "import"].iter().any(|key| row.requires(key))
                    || !row.one_of_keys.is_empty();
            assert_eq!(check.is_none(), needs_key, "{row}");
        }
    }

    #[test]
    fn v1_2_changes_dialect_and_level() {
        let dialect = |check: &Check| check.pattern().expect("has a pattern").dialect;
        for name in ["file_contains", "file_not_contains"] {
            assert_eq!(dialect(&built(name, ContractSchema::Flat)), Dialect::Regex);
            assert_eq!(dialect(&built(name, ContractSchema::V1_2)), Dialect::Literal);
        }
        let requires = built("require_pattern", ContractSchema::V1_2);
        assert!(requires.is_about_project() && requires.reads_text());
        assert_eq!(dialect(&requires), Dialect::Regex);
        assert!(!built("require_pattern", ContractSchema::Flat).is_about_project());
    }

    #[test]
    fn verdict_follows_from_matches() {
        let (none, two): (&[Range<usize>], &[Range<usize>]) = (&[], &[0..3, 4..7]);
        let cases = [
            (Check::forbid(pattern()), CheckVerdict::Spans(Vec::new()), CheckVerdict::Spans(two.to_vec())),
            (Check::require(pattern()), CheckVerdict::File, CheckVerdict::Pass),
            (Check::require_somewhere(pattern()), CheckVerdict::Pass, CheckVerdict::Satisfies),
            (Check::Exists, CheckVerdict::Satisfies, CheckVerdict::Satisfies),
            (Check::NotExists, CheckVerdict::File, CheckVerdict::File),
        ];
        for (check, without, with) in cases {
            assert_eq!(verdict(&check, none, false), without, "{check:?}");
            assert_eq!(verdict(&check, two, false), with, "{check:?}");
        }
    }

    #[test]
    fn incomplete_search_proves_no_absence() {
        assert_eq!(verdict(&Check::require(pattern()), &[], true), CheckVerdict::Pass);
    }
}
