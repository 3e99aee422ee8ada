//! The arguments of `phaser enforce`, and what they may be.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _, Subcommand};

use super::chosen::Chosen;
use super::colour::Color;
use super::install::{Install, Uninstall};
use super::packs::Packs;
use crate::agents::Manner;
use crate::exit::Strictness;
use phaser_core::contract::Severity;
use phaser_core::matcher::Directives;
use phaser_project::project::Options;
use phaser_project::scan::{Existing, Measure};
use phaser_project::source::Source;
use phaser_project::source::git::Revisions;
use phaser_project::source::shard::Shard;

mod choices;
mod hook_line;
mod limits;
pub(super) mod values;

pub use choices::{AgentArg, FailOn, Format, OnCleanArg, SeverityFilter};
pub use limits::Limits;

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
    /// Is this run the answer to a hook event?
    pub fn answers_a_hook(&self) -> bool {
        match &self.command {
            None => self.check.stdin,
            Some(EnforceCommand::Check(check)) => check.stdin,
            Some(EnforceCommand::Install(_) | EnforceCommand::Uninstall(_)) => false,
        }
    }
}

/// The arguments of `phaser enforce --stdin`, if that is what they are and nothing is wrong with them.
///
/// To a hook, describing all other commands only to pass over them would be a large part of its time.
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
    // A word may be a command.
    check.paths.is_empty().then_some(Enforce { command: None, check })
}

#[derive(Debug, Subcommand)]
pub enum EnforceCommand {
    /// The same as 'phaser enforce' itself
    #[command(hide = true)]
    Check(Box<EnforceArgs>),
    /// Install phaser's hooks in Claude Code's settings
    Install(Install),
    /// Take phaser's hooks out of Claude Code's settings
    Uninstall(Uninstall),
}

/// What to check, how, and how to show it.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct EnforceArgs {
    /// Check one hook event, read as JSON from standard input
    #[arg(long, help_heading = MODE)]
    pub stdin: bool,

    /// With --stdin: guard everything that may change a file, in the hooks of 'phaser enforce install --guard'
    #[arg(long, requires = "stdin", help_heading = MODE)]
    pub guard: bool,

    /// With --stdin: the agent that sends the event [default: what the event itself says]
    #[arg(long, value_enum, value_name = "NAME", requires = "stdin", help_heading = MODE)]
    pub agent: Option<AgentArg>,

    /// Check a file on disk; may be given several times
    #[arg(long, value_name = "PATH", help_heading = MODE)]
    pub file: Vec<PathBuf>,

    /// Check the whole project
    #[arg(long, help_heading = MODE)]
    pub all: bool,

    /// Check what the next commit would contain: the staged files, with their staged content; with PATHs,
    /// these files as they are in the index, whether staged or not
    #[arg(long, help_heading = MODE)]
    pub staged: bool,

    /// Check the files that changed since the merge base with BASE: as they are in HEAD, or in the worktree
    /// when HEAD is not named
    #[arg(long, value_name = "BASE[..HEAD]", help_heading = MODE)]
    pub diff: Option<Revisions>,

    /// Check these files, or the files in these directories
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Which contracts to check
    #[arg(long, value_enum, default_value = "all", help_heading = CONTRACTS)]
    pub severity: SeverityFilter,

    /// How to show the report [default: hook with --stdin, what the name of --output ends with, otherwise text]
    #[arg(long, value_enum, help_heading = REPORT)]
    pub format: Option<Format>,

    /// Write the report to this file, and text to standard output; without --format, a name that ends with
    /// .sarif, .json, .xml or .html says which: sarif, json, junit or html
    #[arg(long, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,

    /// With --staged or --diff: only violations count that the change brought in, as with --existing report
    #[arg(long, help_heading = MODE)]
    pub new_lines: bool,

    /// With --stdin, --staged or --diff: what becomes of violations that were there before
    /// [default: what .claude/phaser.yaml says, otherwise deny]
    #[arg(long, value_parser = choices::existing(), help_heading = MODE)]
    pub existing: Option<Existing>,

    /// With --all: check only part I of N, so that several machines can share the work
    #[arg(long, value_name = "I/N", help_heading = MODE)]
    pub shard: Option<Shard>,

    /// Read contracts from this directory only
    #[arg(long, value_name = "PATH", help_heading = CONTRACTS)]
    pub contracts_dir: Option<PathBuf>,

    /// Read contracts, configuration and baseline as this branch, tag or commit has them, and not as they are
    /// on disk: so that a change cannot switch off what judges it
    #[arg(long, value_name = "REV", conflicts_with_all = ["contracts_dir", "stdin"], help_heading = CONTRACTS)]
    pub contracts_from: Option<String>,

    #[command(flatten, next_help_heading = CONTRACTS)]
    pub packs: Packs,

    #[command(flatten, next_help_heading = CONTRACTS)]
    pub chosen: Chosen,

    #[command(flatten, next_help_heading = LIMITS)]
    pub limits: Limits,

    /// Keep results for the next run, and search only files that changed since the last one
    /// [default: what .claude/phaser.yaml says, otherwise not]
    #[arg(long, overrides_with = "no_cache", conflicts_with = "stdin", help_heading = LIMITS)]
    pub cache: bool,

    /// Search all files, and keep nothing, whatever .claude/phaser.yaml says
    #[arg(long, overrides_with = "cache", help_heading = LIMITS)]
    pub no_cache: bool,

    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, default_value = "error", help_heading = ENDING)]
    pub fail_on: FailOn,

    /// What to answer a hook when nothing is violated; 'allow' skips the permission prompt
    #[arg(long, value_enum, default_value = "allow", help_heading = ENDING)]
    pub on_clean: OnCleanArg,

    /// Exit with 3 when a contract file is broken, or when anything was not checked
    #[arg(long, help_heading = ENDING)]
    pub strict: bool,

    /// Report also what ignore directives suppress
    #[arg(long, help_heading = CONTRACTS)]
    pub no_ignores: bool,

    /// Report also what is in the baseline, .claude/phaser-baseline.jsonl
    #[arg(long, help_heading = CONTRACTS)]
    pub no_baseline: bool,

    /// End with how many violations there are by contract, directory and file: in text, which does so by itself above
    /// fifty, and in json; other formats stay as they are
    #[arg(long, help_heading = REPORT)]
    pub statistics: bool,

    /// Print the time of each phase and the most expensive contracts to standard error
    #[arg(long, help_heading = REPORT)]
    pub timings: bool,

    /// When to use colours
    #[arg(long, value_enum, default_value = "auto", help_heading = REPORT)]
    pub color: Color,

    /// Say nothing that is only informational
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
  0  nothing at or above --fail-on; with --stdin: the JSON says what was decided
  1  violations at or above --fail-on; never with --stdin
  3  phaser could not run, or could not check everything; never 2";

/// The one thing a run looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    Stdin,
    Files(Vec<PathBuf>),
    All,
    Staged(Vec<PathBuf>),
    Diff(Revisions),
}

impl Mode {
    /// As it was asked for.
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
}

impl Mode {
    /// Where the text comes from; an event says so itself.
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
    /// The mode, of which there must be exactly one.
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
            (None, _) => anyhow::bail!("nothing to check: choose {MODES}"),
            (Some(first), Some(second)) => {
                anyhow::bail!(
                    "more than one mode: {} and {}; leave one of them out",
                    first.shown(),
                    second.shown()
                )
            }
        };
        if self.new_lines && !matches!(mode, Mode::Staged(_) | Mode::Diff(_)) {
            anyhow::bail!("--new-lines needs something to compare with: use it with --staged or --diff");
        }
        if self.new_lines && self.existing == Some(Existing::Deny) {
            anyhow::bail!("--new-lines and --existing deny say opposite things; leave one of them out");
        }
        if self.output.is_some() && mode == Mode::Stdin {
            anyhow::bail!("--output is for reports: a hook event is answered on standard output");
        }
        if self.shard.is_some() && mode != Mode::All {
            anyhow::bail!("--shard splits the whole project: use it with --all");
        }
        Ok(mode)
    }

    /// The format, which fits the mode.
    pub fn format(&self, mode: &Mode) -> anyhow::Result<Format> {
        match (self.format, mode) {
            (None, Mode::Stdin) => Ok(Format::Hook),
            (None, _) => Ok(self.output.as_deref().map_or(Format::Text, Format::of_file)),
            (Some(Format::Hook), mode) if *mode != Mode::Stdin => {
                anyhow::bail!("--format hook answers a hook event: use it with --stdin")
            }
            (Some(format), _) => Ok(format),
        }
    }

    /// In which manner a client is answered.
    pub fn manner(&self) -> Manner {
        if self.guard { Manner::Guard } else { Manner::Plain }
    }

    /// Is a contract of this severity checked?
    pub fn wants(&self, severity: Severity) -> bool {
        match self.severity {
            SeverityFilter::All => true,
            SeverityFilter::Error => severity == Severity::Error,
            SeverityFilter::Warning => severity == Severity::Warning,
        }
    }

    /// Are contracts of every severity checked?
    pub fn checks_every_severity(&self) -> bool {
        self.severity == SeverityFilter::All
    }

    /// The least severity that fails the run.
    pub fn fail_on(&self) -> Option<Severity> {
        match self.fail_on {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Never => None,
        }
    }

    /// Which gaps fail the run.
    pub fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Strict } else { Strictness::Normal }
    }

    /// Whether to measure what it costs.
    pub fn measure(&self) -> Measure {
        if self.timings { Measure::Costs } else { Measure::Nothing }
    }

    /// What becomes of violations that were there before, if something is said here about it.
    pub fn existing(&self) -> Option<Existing> {
        self.existing.or(self.new_lines.then_some(Existing::Report))
    }

    /// Are results kept, if the configuration says this about it? Never in a hook.
    pub fn keeps_results(&self, configured: Option<bool>) -> bool {
        let wanted = self.cache || configured.unwrap_or(false);
        wanted && !self.no_cache && !self.stdin
    }

    /// How the project is checked.
    pub fn options(&self) -> Options {
        Options {
            directives: if self.no_ignores { Directives::Disregarded } else { Directives::Honoured },
            existing: self.existing().unwrap_or(Existing::Deny),
            measure: self.measure(),
            ..self.limits.options()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;
    use crate::flags::{FLAGS, Takes};

    #[test]
    fn table_of_flags_equals_claps_definition() {
        let command = EnforceArgs::augment_args(clap::Command::new("enforce"));
        let defined = command.get_arguments().filter(|argument| !argument.is_positional()).map(|argument| {
            let takes = match (argument.get_action(), argument.get_value_delimiter()) {
                (ArgAction::SetTrue, None) => Takes::Nothing,
                (ArgAction::Set, None) => Takes::Value,
                (ArgAction::Append, None) => Takes::Values,
                (ArgAction::Append, Some(',')) => Takes::List,
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
