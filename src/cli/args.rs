//! The arguments of `phaser enforce`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, FromArgMatches as _, Subcommand, ValueEnum};

use super::install::{Install, Uninstall};
use crate::agents::{Agent, HookMode, OnClean};
use phaser_project::scan::{Existing, Measure};
use phaser_project::source::git::Revisions;
use phaser_project::source::shard::Shard;
use phaser_project::source::{Content, Source};

mod hook_line;
pub mod shared;

use shared::{Chosen, Color, FailOn, LimitArgs, Packs, SeverityFilter};

/// `phaser enforce`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true, override_usage = USAGE)]
pub struct Enforce {
    #[command(subcommand)]
    pub command: Option<EnforceCommand>,
    #[command(flatten)]
    pub check: EnforceArgs,
}

impl Enforce {
    /// Whether this run responds to a hook event.
    pub fn answers_a_hook(&self) -> bool {
        match &self.command {
            None => self.check.stdin,
            Some(EnforceCommand::Check(check)) => check.stdin,
            Some(EnforceCommand::Install(_) | EnforceCommand::Uninstall(_)) => false,
        }
    }
}

/// The arguments of `phaser enforce --stdin`; `None` for any other or any invalid command line.
///
/// Building clap's definition of all commands would be a large part of a hook's run time, so a hook line is parsed
/// without it.
pub fn hook_event(mut arguments: impl Iterator<Item = OsString>) -> Option<Enforce> {
    arguments.next();
    let arguments: Vec<_> = arguments.collect();
    let is_hook = arguments.first()? == "enforce" && arguments.iter().any(|argument| argument == "--stdin");
    if !is_hook {
        return None;
    }
    if let Some(check) = hook_line::read(&arguments[1..]) {
        return Some(Enforce { command: None, check });
    }
    let parsed = EnforceArgs::augment_args(clap::Command::new("enforce")).try_get_matches_from(arguments);
    let check = EnforceArgs::from_arg_matches(&parsed.ok()?).ok()?;
    // A positional argument may be a subcommand's name.
    check.paths.is_empty().then_some(Enforce { command: None, check })
}

#[derive(Debug, Subcommand)]
pub enum EnforceCommand {
    /// Alias of 'phaser enforce'
    #[command(hide = true)]
    Check(Box<EnforceArgs>),
    /// Install hooks in Claude Code or another agent
    Install(Install),
    /// Remove phaser's hooks from an agent's settings
    Uninstall(Uninstall),
}

#[derive(Debug, Default, Args)]
#[command(after_help = AFTER)]
pub struct EnforceArgs {
    /// Check the whole project
    #[arg(long, help_heading = MODE)]
    pub all: bool,

    /// Check staged content; with PATHs, these files in the index
    #[arg(long, help_heading = MODE)]
    pub staged: bool,

    /// Check files changed since the merge base with BASE
    #[arg(long, value_name = "BASE[..HEAD]", help_heading = MODE)]
    pub diff: Option<Revisions>,

    /// Check the commit message in FILE
    #[arg(long, value_name = "FILE", help_heading = MODE)]
    pub commit_msg: Option<PathBuf>,

    /// Check a file on disk (repeatable)
    #[arg(long, value_name = "PATH", help_heading = MODE)]
    pub file: Vec<PathBuf>,

    /// Check text on stdin as the content of PATH
    #[arg(long, value_name = "PATH", help_heading = MODE)]
    pub stdin_filename: Option<PathBuf>,

    /// Check one hook event, read as JSON from stdin
    #[arg(long, help_heading = MODE)]
    pub stdin: bool,

    /// With --stdin: check every tool call that may write a file
    #[arg(long, requires = "stdin", help_heading = MODE)]
    pub guard: bool,

    /// With --stdin: set the agent [default: detected from the event]
    #[arg(long, value_parser = agent(), value_name = "NAME", hide_possible_values = true, requires = "stdin", help_heading = MODE)]
    pub agent: Option<Agent>,

    /// Check these files and directories
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Check contracts of this severity: error, warning or all
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "all", hide_possible_values = true, help_heading = CONTRACTS)]
    pub severity: SeverityFilter,

    /// Set the format: hook, text, full, json, sarif, github, gitlab, junit or html
    #[arg(long, value_enum, hide_possible_values = true, help_heading = REPORT)]
    pub format: Option<ReportFormat>,

    /// Write the report to FILE, and text to stdout; the extension sets the format
    #[arg(long, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,

    /// With --staged or --diff: alias of --existing report
    #[arg(long, help_heading = MODE)]
    pub new_lines: bool,

    /// Count violations that were there before (deny) or list them (report)
    #[arg(long, value_name = "POLICY", value_parser = existing(), hide_possible_values = true, help_heading = MODE)]
    pub existing: Option<Existing>,

    /// With --all: check part I of N, to split the work between machines
    #[arg(long, value_name = "I/N", help_heading = MODE)]
    pub shard: Option<Shard>,

    /// Read contracts from this directory only
    #[arg(long, value_name = "PATH", help_heading = CONTRACTS)]
    pub contracts_dir: Option<PathBuf>,

    /// Read contracts, configuration and baseline from this git revision
    #[arg(long, value_name = "REV", conflicts_with_all = ["contracts_dir", "stdin"], help_heading = CONTRACTS)]
    pub contracts_from: Option<String>,

    #[command(flatten, next_help_heading = CONTRACTS)]
    pub packs: Packs,

    #[command(flatten, next_help_heading = CONTRACTS)]
    pub chosen: Chosen,

    #[command(flatten, next_help_heading = LIMITS)]
    pub limits: LimitArgs,

    /// Reuse the results for files unchanged since the last run
    #[arg(long, overrides_with = "no_cache", conflicts_with = "stdin", help_heading = LIMITS)]
    pub cache: bool,

    /// Ignore the cache that .claude/phaser.yaml turns on
    #[arg(long, overrides_with = "cache", help_heading = LIMITS)]
    pub no_cache: bool,

    /// Fail at this severity: error, warning or never
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error", hide_possible_values = true, help_heading = ENDING)]
    pub fail_on: FailOn,

    /// Clean event: allow (skips the prompt) or defer
    #[arg(long, value_enum, value_name = "DECISION", default_value = "allow", hide_possible_values = true, help_heading = ENDING)]
    pub on_clean: OnClean,

    /// Exit with 3 when a contract is broken or anything is unchecked
    #[arg(long, help_heading = ENDING)]
    pub strict: bool,

    /// Report what ignore directives suppress
    #[arg(long, help_heading = CONTRACTS)]
    pub no_ignores: bool,

    /// Report what the baseline tolerates
    #[arg(long, help_heading = CONTRACTS)]
    pub no_baseline: bool,

    /// Count violations by contract, directory and file (text and json)
    #[arg(long, help_heading = REPORT)]
    pub statistics: bool,

    /// Print times per phase and the most expensive contracts to stderr
    #[arg(long, help_heading = REPORT)]
    pub timings: bool,

    /// Use colours: auto, always or never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true, help_heading = REPORT)]
    pub color: Color,

    /// Suppress notes on stderr
    #[arg(long, short, help_heading = REPORT)]
    pub quiet: bool,
}

const MODE: &str = "Modes";
const CONTRACTS: &str = "Contracts";
const REPORT: &str = "Report";
const ENDING: &str = "Result";
const LIMITS: &str = "Limits";

const USAGE: &str = "\
phaser enforce --all | --staged | --diff BASE | --stdin | PATH… [OPTIONS]
       phaser enforce install | uninstall [OPTIONS]";

const MODES: &str =
    "--all, --staged, --diff BASE, --commit-msg FILE, --file PATH, --stdin-filename PATH or --stdin";

const AFTER: &str = "\
Examples:
  phaser enforce --all                      check the whole project
  phaser enforce --staged                   check what 'git commit' would commit
  phaser enforce --diff origin/main         check a branch
  phaser enforce src --only no-print,todo   check two contracts in one directory

Exit codes:
  0  nothing at or above --fail-on; with --stdin the JSON carries the decision
  1  violations at or above --fail-on; never with --stdin
  3  phaser could not run or could not check everything; never 2";

impl EnforceArgs {
    /// The source to check; `None` for an event, which carries its own. `text` reads stdin for `--stdin-filename`. Fails unless
    /// exactly one mode is given and the flags fit it.
    pub fn source(&self, text: impl FnOnce() -> anyhow::Result<Content>) -> anyhow::Result<Option<Source>> {
        let plain = self.paths.iter().filter(|_| !self.staged);
        let files: Vec<PathBuf> = self.file.iter().chain(plain).cloned().collect();
        let first = files.first().map(|path| format!("the path '{}'", path.display()));
        let modes = [
            (self.stdin, "--stdin"),
            (self.stdin_filename.is_some(), "--stdin-filename"),
            (self.all, "--all"),
            (self.staged, "--staged"),
            (self.diff.is_some(), "--diff"),
            (self.commit_msg.is_some(), "--commit-msg"),
            (first.is_some(), first.as_deref().unwrap_or_default()),
        ];
        let given: Vec<&str> = modes.into_iter().filter(|(given, _)| *given).map(|(_, mode)| mode).collect();
        match given.as_slice() {
            [] => anyhow::bail!("nothing to check (choose {MODES})"),
            [_] => {}
            [first, second, ..] => {
                anyhow::bail!("more than one mode: {first} and {second} (remove one of them)")
            }
        }
        if self.new_lines && !self.staged && self.diff.is_none() {
            anyhow::bail!("--new-lines needs a change to compare with (use it with --staged or --diff)");
        }
        if self.new_lines && self.existing == Some(Existing::Deny) {
            anyhow::bail!("--new-lines contradicts --existing deny (remove one of them)");
        }
        if self.output.is_some() && self.stdin {
            anyhow::bail!(
                "--output is for reports: the response to a hook event goes to stdout (remove one of them)"
            );
        }
        if self.shard.is_some() && !self.all {
            anyhow::bail!("--shard splits the whole project (use it with --all)");
        }
        if let Some(path) = &self.stdin_filename {
            return Ok(Some(Source::Text(path.clone(), text()?)));
        }
        Ok(match &self.diff {
            Some(revisions) => Some(Source::Diff(revisions.clone())),
            None if self.stdin => None,
            None if self.all => Some(Source::Tree(self.shard)),
            None if self.staged => Some(Source::Staged(self.paths.clone())),
            None if self.commit_msg.is_some() => {
                self.commit_msg.as_deref().map(commit_message).transpose()?
            }
            None => Some(Source::Files(files)),
        })
    }

    /// The format of the report. Fails if `--format` does not fit the mode.
    pub fn format(&self) -> anyhow::Result<ReportFormat> {
        match self.format {
            None if self.stdin => Ok(ReportFormat::Hook),
            None => Ok(self.output.as_deref().map_or(ReportFormat::Text, ReportFormat::of_file)),
            Some(ReportFormat::Hook) if !self.stdin => {
                anyhow::bail!("--format hook is the response to a hook event (use it with --stdin)")
            }
            Some(format) => Ok(format),
        }
    }

    /// How the agent receives the response.
    pub fn hook_mode(&self) -> HookMode {
        if self.guard { HookMode::Guard } else { HookMode::Plain }
    }

    pub fn measure(&self) -> Measure {
        if self.timings { Measure::Costs } else { Measure::Nothing }
    }

    /// The policy for existing violations, if a flag sets it.
    pub fn existing(&self) -> Option<Existing> {
        self.existing.or(self.new_lines.then_some(Existing::Report))
    }
}

/// Reads the file of a commit message.
fn commit_message(file: &Path) -> anyhow::Result<Source> {
    let text = std::fs::read(file).map_err(|error| {
        anyhow::anyhow!("--commit-msg {}: {error} (name the file of a message)", file.display())
    })?;
    Ok(Source::Message(std::path::absolute(file)?, text))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Hook,
    Text,
    Full,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Html,
}

impl ReportFormat {
    /// The format implied by a file's extension; text if none.
    pub fn of_file(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".sarif") || name.ends_with(".sarif.json") {
            Self::Sarif
        } else if name.ends_with(".json") {
            Self::Json
        } else if name.ends_with(".xml") {
            Self::Junit
        } else if name.ends_with(".html") {
            Self::Html
        } else {
            Self::Text
        }
    }
}

/// Parses `--existing`.
fn existing() -> impl TypedValueParser<Value = Existing> {
    let deny = PossibleValue::new("deny").help("Count like any other violation");
    let report = PossibleValue::new("report")
        .help("Count only what the change adds; list the others when the change touches their lines");
    PossibleValuesParser::new([deny, report]).map(|name| match name.as_str() {
        "report" => Existing::Report,
        _ => Existing::Deny,
    })
}

fn agent_named(name: &str) -> Option<Agent> {
    Agent::ALL.into_iter().find(|agent| agent.name() == name)
}

/// Parses `--agent`.
pub fn agent() -> impl TypedValueParser<Value = Agent> {
    PossibleValuesParser::new(Agent::ALL.map(Agent::name))
        .try_map(|name| agent_named(&name).ok_or("not an agent"))
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;
    use crate::flags::{FLAGS, FlagValues};

    #[test]
    fn table_of_flags_equals_claps_definition() {
        let command = EnforceArgs::augment_args(clap::Command::new("enforce"));
        let defined = command.get_arguments().filter(|argument| !argument.is_positional()).map(|argument| {
            let takes = match (argument.get_action(), argument.get_value_delimiter()) {
                (ArgAction::SetTrue, None) => FlagValues::Nothing,
                (ArgAction::Set, None) => FlagValues::Value,
                (ArgAction::Append, None) => FlagValues::Values,
                (ArgAction::Append, Some(',')) => FlagValues::List,
                other => panic!("{}: the table has no row like {other:?}", argument.get_id()),
            };
            assert_eq!(argument.get_all_aliases(), None, "{}", argument.get_id());
            let long = argument.get_long().map(|name| format!("--{name}")).expect("a long name");
            (long, argument.get_short().map(|name| format!("-{name}")), takes)
        });
        let table = FLAGS.iter();
        let table = table.map(|flag| (flag.name.to_owned(), flag.short.map(str::to_owned), flag.takes));
        assert_eq!(table.collect::<Vec<_>>(), defined.collect::<Vec<_>>());
    }
}
