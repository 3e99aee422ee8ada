//! The arguments of `phaser enforce`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _, Subcommand};

use super::chosen::Chosen;
use super::colour::Color;
use super::install::{Install, Uninstall};
use super::packs::Packs;
use crate::agents::HookMode;
use crate::exit::Strictness;
use phaser_core::contract::Severity;
use phaser_project::scan::{Existing, Measure};
use phaser_project::source::Source;
use phaser_project::source::git::Revisions;
use phaser_project::source::shard::Shard;

mod choices;
mod hook_line;
mod limits;
pub(super) mod values;

pub use choices::{AgentArg, FailOn, OnCleanArg, ReportFormat, SeverityFilter};
pub use limits::LimitArgs;

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

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct EnforceArgs {
    /// Check one hook event, read as JSON from stdin
    #[arg(long, help_heading = MODE)]
    pub stdin: bool,

    /// With --stdin: check every tool call that may write a file
    #[arg(long, requires = "stdin", help_heading = MODE)]
    pub guard: bool,

    /// With --stdin: set the agent [default: detected from the event]
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true, requires = "stdin", help_heading = MODE)]
    pub agent: Option<AgentArg>,

    /// Check a file on disk (repeatable)
    #[arg(long, value_name = "PATH", help_heading = MODE)]
    pub file: Vec<PathBuf>,

    /// Check the whole project
    #[arg(long, help_heading = MODE)]
    pub all: bool,

    /// Check staged content; with PATHs, these files in the index
    #[arg(long, help_heading = MODE)]
    pub staged: bool,

    /// Check files changed since the merge base with BASE
    #[arg(long, value_name = "BASE[..HEAD]", help_heading = MODE)]
    pub diff: Option<Revisions>,

    /// Check these files and directories
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Check contracts of this severity: error, warning or all
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "all", hide_possible_values = true, help_heading = CONTRACTS)]
    pub severity: SeverityFilter,

    /// Set the format: hook, text, json, sarif, github, gitlab, junit or html
    #[arg(long, value_enum, hide_possible_values = true, help_heading = REPORT)]
    pub format: Option<ReportFormat>,

    /// Write the report to FILE, and text to stdout; the extension sets the format
    #[arg(long, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,

    /// With --staged or --diff: alias of --existing report
    #[arg(long, help_heading = MODE)]
    pub new_lines: bool,

    /// Count violations that were there before (deny) or list them (report)
    #[arg(long, value_name = "POLICY", value_parser = choices::existing(), hide_possible_values = true, help_heading = MODE)]
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
    pub on_clean: OnCleanArg,

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

const MODES: &str = "--all, --staged, --diff BASE, --file PATH or --stdin";

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing at or above --fail-on; with --stdin the JSON carries the decision
  1  violations at or above --fail-on; never with --stdin
  3  phaser could not run or could not check everything; never 2";

/// The mode of a run: what it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    Stdin,
    Files(Vec<PathBuf>),
    All,
    Staged(Vec<PathBuf>),
    Diff(Revisions),
}

impl Mode {
    /// The mode as given on the command line, for messages.
    fn shown(&self) -> String {
        match self {
            Self::Stdin => "--stdin".to_owned(),
            Self::Files(paths) => {
                let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
                format!("the path '{first}'")
            }
            Self::All => "--all".to_owned(),
            Self::Staged(_) => "--staged".to_owned(),
            Self::Diff(_) => "--diff".to_owned(),
        }
    }

    /// The source to check; `None` for an event, which carries its own.
    pub fn source(self, shard: Option<Shard>) -> Option<Source> {
        Some(match self {
            Self::Stdin => return None,
            Self::Files(paths) => Source::Files(paths),
            Self::All => Source::Tree(shard),
            Self::Staged(paths) => Source::Staged(paths),
            Self::Diff(revisions) => Source::Diff(revisions),
        })
    }
}

impl EnforceArgs {
    /// The mode. Fails unless exactly one is given and the flags fit it.
    pub fn mode(&self) -> anyhow::Result<Mode> {
        let (staged, plain) =
            if self.staged { (&self.paths[..], &[][..]) } else { (&[][..], &self.paths[..]) };
        let files: Vec<_> = self.file.iter().chain(plain).cloned().collect();
        let asked = [
            self.stdin.then_some(Mode::Stdin),
            self.all.then_some(Mode::All),
            self.staged.then(|| Mode::Staged(staged.to_vec())),
            self.diff.clone().map(Mode::Diff),
            (!files.is_empty()).then_some(Mode::Files(files)),
        ];
        let mut asked = asked.into_iter().flatten();
        let mode = match (asked.next(), asked.next()) {
            (Some(mode), None) => mode,
            (None, _) => anyhow::bail!("nothing to check (choose {MODES})"),
            (Some(first), Some(second)) => {
                anyhow::bail!(
                    "more than one mode: {} and {} (remove one of them)",
                    first.shown(),
                    second.shown()
                )
            }
        };
        if self.new_lines && !matches!(mode, Mode::Staged(_) | Mode::Diff(_)) {
            anyhow::bail!("--new-lines needs a change to compare with (use it with --staged or --diff)");
        }
        if self.new_lines && self.existing == Some(Existing::Deny) {
            anyhow::bail!("--new-lines contradicts --existing deny (remove one of them)");
        }
        if self.output.is_some() && mode == Mode::Stdin {
            anyhow::bail!(
                "--output is for reports: the response to a hook event goes to stdout (remove one of them)"
            );
        }
        if self.shard.is_some() && mode != Mode::All {
            anyhow::bail!("--shard splits the whole project (use it with --all)");
        }
        Ok(mode)
    }

    /// The format of the report. Fails if `--format` does not fit the mode.
    pub fn format(&self, mode: &Mode) -> anyhow::Result<ReportFormat> {
        match (self.format, mode) {
            (None, Mode::Stdin) => Ok(ReportFormat::Hook),
            (None, _) => Ok(self.output.as_deref().map_or(ReportFormat::Text, ReportFormat::of_file)),
            (Some(ReportFormat::Hook), mode) if *mode != Mode::Stdin => {
                anyhow::bail!("--format hook is the response to a hook event (use it with --stdin)")
            }
            (Some(format), _) => Ok(format),
        }
    }

    /// How the agent receives the response.
    pub fn hook_mode(&self) -> HookMode {
        if self.guard { HookMode::Guard } else { HookMode::Plain }
    }

    /// The severity of the contracts to check; `None` for all.
    pub fn only_severity(&self) -> Option<Severity> {
        match self.severity {
            SeverityFilter::All => None,
            SeverityFilter::Error => Some(Severity::Error),
            SeverityFilter::Warning => Some(Severity::Warning),
        }
    }

    /// Lowest severity that fails the run; `None` if none does.
    pub fn fail_on(&self) -> Option<Severity> {
        match self.fail_on {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Never => None,
        }
    }

    pub fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Strict } else { Strictness::Normal }
    }

    pub fn measure(&self) -> Measure {
        if self.timings { Measure::Costs } else { Measure::Nothing }
    }

    /// The policy for existing violations, if a flag sets it.
    pub fn existing(&self) -> Option<Existing> {
        self.existing.or(self.new_lines.then_some(Existing::Report))
    }
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
