//! `phaser contracts create`: writes a new contract file, from flags or from a dialogue. Never overwrites one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::test::explain;
use super::{LoadedProject, Where, json, shown};
use crate::cli::args::shared::{FormatArg, Packs};
use crate::cli::environment::Environment;
use crate::cli::output::print;
use crate::cli::prompt::Prompt;
use crate::cli::to_stderr;
use crate::examples::{self, ExampleOutcome};
use crate::exit::Exit;
use phaser_core::check::TYPES;
use phaser_core::contract::keys::{
    ContractBuilder, ContractKey, KeyLevel, LocatedText, ParsedContract, Value,
};
use phaser_core::contract::syntax::to_yaml;
use phaser_core::contract::{
    Check, Contract, ContractSchema, ContractType, Example, ExampleChange, ExampleForm, Examples, LayerKind,
    Origin, Warning,
};
use phaser_core::matcher;
use phaser_core::matcher::pattern::{CompiledPattern, mistake};
use phaser_data::Scalar;
use phaser_project::contracts::read::ContractDirectory;
use phaser_project::path::Root;
use phaser_project::project::PATIENT_TIMEOUT;
use phaser_project::source::git::{self, Untracked};

mod dialogue;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Create {
    /// Set the id: letters, digits and hyphens
    #[arg(long, value_name = "ID")]
    rule_id: Option<String>,

    /// Set the type, such as forbid_pattern or file_exists
    #[arg(long = "type", value_name = "TYPE", hide_possible_values = true, value_parser = PossibleValuesParser::new(TYPES.map(|known| known.name)))]
    kind: Option<String>,

    /// Set the regular expression
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pattern: Option<String>,

    /// Set the JSONPath of values, such as '$.dependencies.*'
    #[arg(long, value_name = "JSONPATH")]
    path: Option<String>,

    /// Compare values with this one, such as true, 3 or latest (repeatable)
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    equals: Vec<String>,
    /// Set the code pattern, such as 'eval($X)', or a rule as JSON
    #[arg(long, value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,

    /// Set the language of the code [default: by file name]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,

    /// Forbid imports of these modules, such as 'src/infra/**' (repeatable)
    #[arg(long = "import", value_name = "GLOB")]
    imports: Vec<String>,

    /// Set the replacement for 'phaser fix'; $1 and ${name} are groups
    #[arg(long, value_name = "TEMPLATE", allow_hyphen_values = true)]
    fix: Option<String>,

    /// Set the limit of file_size in lines
    #[arg(long, value_name = "N")]
    max_lines: Option<String>,

    /// Set the limit of file_size in bytes
    #[arg(long, value_name = "N")]
    max_bytes: Option<String>,

    /// Let file_unchanged allow new lines at the end: allow or deny
    #[arg(long, value_name = "RULE", hide_possible_values = true, value_parser = ["allow", "deny"])]
    append: Option<String>,

    /// Set the companion, such as 'tests/test_{stem}.py' (repeatable)
    #[arg(long, value_name = "PATH")]
    companion: Vec<String>,

    /// Forbid this command, given by its first words, such as 'git push' (repeatable)
    #[arg(long, value_name = "WORDS")]
    command: Vec<String>,

    /// Forbid the command only with this argument, such as --force (repeatable)
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    args: Vec<String>,

    /// Apply to these files, such as '**/*.py' [default: **/*]
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,

    /// Leave these files out
    #[arg(long, value_name = "GLOB")]
    exclude: Option<String>,

    /// Apply only to tests, generated, vendored or recorded files (repeatable)
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    file_kind: Vec<String>,

    /// Leave tests, generated, vendored or recorded files out (repeatable)
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    exclude_kind: Vec<String>,

    /// Set the message of a violation
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,

    /// Set the reason for the rule
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,

    /// Set the severity: error or warning [default: error]
    #[arg(long, value_name = "LEVEL", hide_possible_values = true, value_parser = ["error", "warning"])]
    severity: Option<String>,

    /// Match only in code, comments or strings (repeatable)
    #[arg(long = "in", value_name = "ZONE", value_delimiter = ',')]
    zones: Vec<String>,

    /// Add a tag (repeatable)
    #[arg(long = "tag", value_name = "WORD", value_delimiter = ',')]
    tags: Vec<String>,

    /// Add an example that violates the contract; paths if it is about paths (repeatable)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    violating: Vec<String>,

    /// Add an example that passes; paths if it is about paths (repeatable)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    passing: Vec<String>,

    /// Write a contract for all your projects
    #[arg(long, conflicts_with = "contracts_dir")]
    user: bool,

    /// Print the contract and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Project root [default: found from the current directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Write into this directory
    #[arg(long, value_name = "PATH")]
    contracts_dir: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArg,
}

const AFTER: &str = "\
Without flags on a terminal it asks for everything, runs the examples, and shows what the contract
finds today and which of the last 200 commits it would have refused.

Examples:
  phaser contracts create
  phaser contracts create --rule-id no-print --type forbid_pattern --pattern '\\bprint\\(' --glob '**/*.py' \\
    --message 'Use the logger instead of print.' --violating 'print(1)' --passing 'log(1)'";

pub fn run(args: &Create, environment: &Environment) -> anyhow::Result<Exit> {
    let missing = args.missing();
    if missing.is_empty() {
        return from_flags(args, environment);
    }
    if !args.is_bare() || !environment.is_interactive() {
        bail!("{} missing (add them, or run it without flags on a terminal to be asked)", missing.join(", "));
    }
    let project = args.place().project(environment)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut prompt = Prompt::new(&mut input, &mut output);
    let destination = Destination::new(&project, args.user, environment)?;
    let Some(new) = dialogue::run(&mut prompt, project, destination, environment)? else {
        return print("Nothing written.\n").map(|()| Exit::Clean);
    };
    if args.dry_run || !dialogue::confirm(&mut prompt, &new)? {
        return print("Nothing written.\n").map(|()| Exit::Clean);
    }
    new.write()?;
    print(&format!("Created contract: {}\n", new.contract.id))?;
    Ok(Exit::Clean)
}

/// Asks for a contract of the project, and returns it without writing it. `None` if the user gives up.
pub fn ask(prompt: &mut Prompt<'_>, environment: &Environment) -> anyhow::Result<Option<NewContract>> {
    let project = Where::default().quiet_project(environment)?;
    let destination = Destination::new(&project, false, environment)?;
    dialogue::run(prompt, project, destination, environment)
}

fn from_flags(args: &Create, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place().project(environment)?;
    let new = Destination::new(&project, args.user, environment)?.contract(&args.spec())?;
    new.check_id(&project)?;
    let failures = failures(&new.contract, &project.root);
    if !failures.is_empty() {
        failures.iter().for_each(to_stderr);
        bail!("{}: examples fail; nothing written (correct the pattern or the examples)", new.contract.id);
    }
    if args.dry_run {
        to_stderr(format_args!("phaser: {} would be as follows; nothing written", new.shown()));
        print(&new.yaml())?;
        return Ok(Exit::Clean);
    }
    new.write()?;
    let (id, file) = (&new.contract.id, new.shown());
    args.format.write(
        |out| writeln!(out, "Created contract: {id}"),
        || {
            let path = new.path.display().to_string();
            json!({ "contract": json::contract(&new.contract), "path": path, "version": json::VERSION })
        },
    )?;
    let examples = &new.contract.examples;
    if args.format.is_json() {
    } else if examples.violating.is_empty() || examples.passing.is_empty() {
        to_stderr(format_args!(
            "phaser: wrote {file} (add examples to it, then run 'phaser contracts test {id}')"
        ));
    } else {
        to_stderr(format_args!("phaser: wrote {file}"));
    }
    Ok(Exit::Clean)
}

/// The examples that fail, one line each.
fn failures(contract: &Contract, root: &Root) -> Vec<String> {
    let tested = match examples::test(contract, PATIENT_TIMEOUT, Some(root)) {
        Ok(tested) => tested,
        Err(warnings) => return warnings.iter().map(Warning::to_string).collect(),
    };
    let failed = tested.iter().filter(|tested| tested.outcome != ExampleOutcome::AsExpected);
    failed
        .map(|tested| {
            let removed = tested.example.change.as_ref().and_then(|change| change.before.as_deref());
            let path = tested.path.to_text();
            let files = tested.example.files.join(", ");
            let texts = [files.as_str(), tested.example.text.as_str(), removed.unwrap_or_default()];
            let is_path = tested.example.path.is_some();
            let what = texts.into_iter().find(|text| !text.is_empty() && !is_path).unwrap_or(&path);
            format!("{} example '{what}': {}", tested.expected.as_str(), explain(contract, tested))
        })
        .collect()
}

/// The values of a new contract.
#[derive(Debug, Clone, Default)]
struct ContractSpec {
    rule_id: String,
    kind: String,
    pattern: Option<String>,
    path: Option<String>,
    /// As YAML reads them without quotes, or in double quotes.
    equals: Vec<String>,
    code: Option<String>,
    language: Option<String>,
    imports: Vec<String>,
    fix: Option<String>,
    max_lines: Option<String>,
    max_bytes: Option<String>,
    append: Option<String>,
    companions: Vec<String>,
    commands: Vec<String>,
    args: Vec<String>,
    glob: Option<String>,
    exclude: Option<String>,
    file_kinds: Vec<String>,
    exclude_kinds: Vec<String>,
    message: String,
    rationale: Option<String>,
    severity: String,
    zones: Vec<String>,
    tags: Vec<String>,
    violating: Vec<String>,
    passing: Vec<String>,
}

impl Create {
    /// The required flags that are not given.
    fn missing(&self) -> Vec<&'static str> {
        let required = [
            (self.rule_id.is_none(), "--rule-id"),
            (self.kind.is_none(), "--type"),
            (self.message.is_none(), "--message"),
        ];
        required.into_iter().filter(|(missing, _)| *missing).map(|(_, flag)| flag).collect()
    }

    /// Whether no flag describes the contract.
    fn is_bare(&self) -> bool {
        let texts = [
            &self.pattern,
            &self.path,
            &self.code,
            &self.language,
            &self.fix,
            &self.max_lines,
            &self.max_bytes,
            &self.append,
            &self.glob,
            &self.exclude,
            &self.rationale,
            &self.severity,
        ];
        let lists = [
            &self.equals,
            &self.zones,
            &self.file_kind,
            &self.exclude_kind,
            &self.tags,
            &self.violating,
            &self.passing,
            &self.companion,
            &self.imports,
            &self.command,
            &self.args,
        ];
        self.missing().len() == 3
            && texts.iter().all(|text| text.is_none())
            && lists.iter().all(|list| list.is_empty())
    }

    fn place(&self) -> Where {
        Where { root: self.root.clone(), contracts_dir: self.contracts_dir.clone(), packs: Packs::default() }
    }

    fn spec(&self) -> ContractSpec {
        let kind = self.kind.as_deref().and_then(ContractType::find);
        let needs_files = kind.is_none_or(needs_files);
        ContractSpec {
            rule_id: self.rule_id.clone().unwrap_or_default(),
            kind: self.kind.clone().unwrap_or_default(),
            pattern: self.pattern.clone(),
            path: self.path.clone(),
            equals: self.equals.clone(),
            code: self.code.clone(),
            language: self.language.clone(),
            imports: self.imports.clone(),
            fix: self.fix.clone(),
            max_lines: self.max_lines.clone(),
            max_bytes: self.max_bytes.clone(),
            append: self.append.clone(),
            companions: self.companion.clone(),
            commands: self.command.clone(),
            args: self.args.clone(),
            glob: self.glob.clone().or_else(|| needs_files.then(|| EVERY_FILE.to_owned())),
            exclude: self.exclude.clone(),
            file_kinds: self.file_kind.clone(),
            exclude_kinds: self.exclude_kind.clone(),
            message: self.message.clone().unwrap_or_default(),
            rationale: self.rationale.clone(),
            severity: self.severity.clone().unwrap_or_else(|| "error".to_owned()),
            zones: self.zones.clone(),
            tags: self.tags.clone(),
            violating: self.violating.clone(),
            passing: self.passing.clone(),
        }
    }
}

const EVERY_FILE: &str = "**/*";

/// Whether a contract of this type must name files.
fn needs_files(kind: &ContractType) -> bool {
    !kind.optional_keys.contains(&"file_glob")
}

impl ContractSpec {
    /// The contract. Fails if it or its pattern is invalid.
    fn contract(&self, origin: Origin) -> anyhow::Result<Contract> {
        let takes = |key| ContractType::find(&self.kind).is_some_and(|kind| kind.takes(key));
        let given = [
            ("pattern", self.pattern.is_some()),
            ("path", self.path.is_some()),
            ("code", self.code.is_some()),
            ("language", self.language.is_some()),
            ("import", !self.imports.is_empty()),
            ("equals", !self.equals.is_empty()),
            ("command", !self.commands.is_empty()),
            ("args", !self.args.is_empty()),
        ];
        for (key, is_given) in given {
            if is_given && !takes(key) {
                bail!("--{key} has no meaning for {} (remove it)", self.kind);
            }
        }
        let mut builder = ContractBuilder::new(origin, ContractSchema::Flat, 1);
        for (name, value) in self.values() {
            if let Some(key) = ContractKey::find(name, KeyLevel::Top) {
                builder.set(key, value);
            }
        }
        let ParsedContract { contract, warnings, .. } = builder.finish();
        let mut contract = contract.filter(|_| warnings.is_empty()).ok_or_else(|| {
            let what: Vec<_> = warnings.into_iter().map(|warning| warning.what).collect();
            anyhow::anyhow!(what.join("; "))
        })?;
        if let Some(pattern) = contract.check.pattern()
            && let Err(error) = CompiledPattern::new(pattern)
        {
            bail!(mistake::explain(&pattern.source, &error).what);
        }
        if let Some(warning) = contract.check.code().and_then(|_| matcher::broken(&contract)) {
            bail!(warning.what);
        }
        let examples = |texts: &[String]| texts.iter().map(|text| example(text, &contract.check)).collect();
        let (violating, passing) = (examples(&self.violating), examples(&self.passing));
        contract.examples = Examples { violating, passing };
        Ok(contract)
    }

    /// The contract keys given, with their values.
    fn values(&self) -> impl Iterator<Item = (&'static str, Value<'_>)> {
        let texts = [
            ("rule_id", Some(self.rule_id.as_str())),
            ("type", Some(self.kind.as_str())),
            ("pattern", self.pattern.as_deref()),
            ("path", self.path.as_deref()),
            ("language", self.language.as_deref()),
            ("file_glob", self.glob.as_deref()),
            ("exclude_glob", self.exclude.as_deref()),
            ("fix", self.fix.as_deref()),
            ("max_lines", self.max_lines.as_deref()),
            ("max_bytes", self.max_bytes.as_deref()),
            ("append", self.append.as_deref()),
            ("message", Some(self.message.as_str())),
            ("severity", Some(self.severity.as_str())),
            ("rationale", self.rationale.as_deref()),
        ];
        let text = |text| Value::Text(LocatedText::new(text, 1));
        let texts = texts.into_iter().filter_map(move |(name, value)| Some((name, text(value?))));
        let lists = [
            ("file_kind", &self.file_kinds),
            ("exclude_kind", &self.exclude_kinds),
            ("in", &self.zones),
            ("import", &self.imports),
            ("companion", &self.companions),
            ("command", &self.commands),
            ("args", &self.args),
            ("tags", &self.tags),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let placed = |list: &'_ [String]| list.iter().map(|word| LocatedText::new(word.clone(), 1)).collect();
        let literal = |text: &String| {
            let scalar = Scalar::from_json(text).unwrap_or_else(|| Scalar::of_plain(text));
            LocatedText::new(scalar.to_json(), 1)
        };
        let equals = (!self.equals.is_empty())
            .then(|| ("equals", Value::Scalars(self.equals.iter().map(literal).collect())));
        let is_object =
            |code: &str| serde_json::from_str::<serde_json::Value>(code).is_ok_and(|code| code.is_object());
        let code = self.code.as_deref().map(|code| {
            let located = LocatedText::new(code, 1);
            ("code", if is_object(code) { Value::Object(located) } else { Value::Text(located) })
        });
        texts
            .chain(equals)
            .chain(code)
            .chain(lists.map(move |(name, list)| (name, Value::List(placed(list)))))
    }
}

/// An example: the content of a file, a command line, or the path of an empty file. For a contract about changes, what a
/// change removes: a line, or the file at a path. For one about companions, paths between commas.
fn example(text: &str, check: &Check) -> Example {
    if check.example_form() == ExampleForm::Files {
        let mut example = Example { line: 1, ..Example::default() };
        example.set_files(text.split(',').map(|path| path.trim().to_owned()).collect());
        return example;
    }
    let in_file = check.reads_text() || check.reads_commands() || check.pattern().is_some();
    let change = check.compares_change().then(|| {
        let (before, after) = if in_file { (text, Some(String::new())) } else { ("text", None) };
        Box::new(ExampleChange { before: Some(before.to_owned()), after })
    });
    let content = if in_file && change.is_none() { text } else { "" };
    let path = (!in_file).then(|| text.to_owned());
    Example { path, text: content.to_owned(), change, line: 1, ..Example::default() }
}

/// The directory of a new contract.
struct Destination {
    kind: LayerKind,
    path: PathBuf,
    shown: PathBuf,
}

impl Destination {
    /// The project's own directory, or one of its configuration if git ignores that.
    fn new(project: &LoadedProject, for_user: bool, environment: &Environment) -> anyhow::Result<Self> {
        let wanted = if for_user { LayerKind::User } else { LayerKind::Project };
        let fits =
            |directory: &ContractDirectory| directory.kind == LayerKind::Named || directory.kind == wanted;
        let is_older = |directory: &ContractDirectory| directory.nested_only;
        let directories = || project.directories().filter(|directory| !is_older(directory));
        let mut directory =
            directories().rfind(|directory| fits(directory)).context("no home directory (set HOME)")?;
        let is_ignored = |directory: &ContractDirectory| {
            let file = directory.path.join("contract.yaml");
            !git::untracked(&environment.git, [file.as_path()].into_iter(), Untracked::Ignored).is_empty()
        };
        if directory.kind == LayerKind::Project && is_ignored(directory) {
            let mut configured = directories().filter(|other| other.kind == LayerKind::Configured);
            directory = configured.find(|other| !is_ignored(other)).unwrap_or(directory);
        }
        let ContractDirectory { kind, path, shown, .. } = directory;
        Ok(Self { kind: *kind, path: path.clone(), shown: shown.clone() })
    }

    fn contract(&self, spec: &ContractSpec) -> anyhow::Result<NewContract> {
        let name = format!("{}.yaml", spec.rule_id);
        let contract = spec.contract(Origin { layer: self.kind, file: self.shown.join(&name) })?;
        Ok(NewContract { contract, path: self.path.join(name) })
    }
}

/// A contract that is not written yet.
pub struct NewContract {
    contract: Contract,
    pub path: PathBuf,
}

impl NewContract {
    /// The path of the file, for messages.
    pub fn shown(&self) -> String {
        shown(&self.contract.origin.file)
    }

    pub fn yaml(&self) -> String {
        to_yaml(&self.contract)
    }

    /// Fails if the directory has a contract or a file with this name.
    fn check_id(&self, project: &LoadedProject) -> anyhow::Result<()> {
        let Contract { id, origin, .. } = &self.contract;
        let same_id = |other: &&Contract| other.id == *id && other.origin.layer == origin.layer;
        match project.contracts().iter().find(same_id) {
            Some(existing) => {
                bail!("{id} already exists in {} (choose another id)", shown(&existing.origin.file))
            }
            None => Ok(()),
        }
    }

    /// Writes the file. Fails if it exists.
    fn write(&self) -> anyhow::Result<()> {
        write_new(&self.path, &self.yaml())
            .with_context(|| format!("{}: cannot write the file", self.shown()))
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
