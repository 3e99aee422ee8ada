//! The command line: the only layer that reads arguments, the environment, stdin and the current directory, and the
//! only one that writes to the terminal.

use phaser_core::sanitize::inert;
use phaser_project::path::RelPath;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::exit::Exit;

mod args;
mod baseline;
mod completions;
mod contracts;
mod decisions;
mod doctor;
mod enforce;
mod environment;
mod event;
mod explain;
mod fix;
mod history;
mod init;
mod install;
mod output;
mod plan;
mod project;
mod prompt;
mod report;
mod show;
mod stdin;
mod suggest;

use environment::Environment;

/// Phaser enforces a project's own rules: in AI agents' hooks, at commit time and in CI
#[derive(Debug, Parser)]
#[command(name = "phaser", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a hook event, files, a change or the whole project
    Enforce(Box<args::Enforce>),
    /// List, create, test and edit contracts
    Contracts(contracts::Contracts),
    /// Check the whole project and report pass or fail per contract
    Check(contracts::check::CheckArgs),
    /// Set up contracts, hooks and a baseline in a project
    Init(init::Init),
    /// Record the current violations so that only new ones count
    Baseline(baseline::Baseline),
    /// Fix violations of contracts that define a fix
    Fix(fix::Fix),
    /// Count violations over past commits, with today's contracts
    History(Box<history::History>),
    /// Count what hooks decided, from the decision log
    Decisions(decisions::Decisions),
    /// Explain a contract: its reason, its examples, how to ignore it
    Explain(explain::Explain),
    /// Merge and convert written reports
    Report(report::ReportArgs),
    /// Diagnose the installation in this project
    Doctor(doctor::Doctor),
    /// Print a shell completion script
    Completions(completions::Completions),
    /// Print a manual page
    Man(completions::Man),
}

/// Runs phaser with the arguments of this process.
pub fn main() -> ExitCode {
    let command = match args::hook_event(std::env::args_os()) {
        Some(enforce) => Command::Enforce(Box::new(enforce)),
        None => match Cli::try_parse() {
            Ok(cli) => cli.command,
            Err(error) => return usage(suggest::improve(error, &Cli::command())).into(),
        },
    };
    run(command)
        .unwrap_or_else(|error| {
            to_stderr(format_args!("phaser: {error:#}"));
            Exit::Trouble
        })
        .into()
}

/// Prints help or a usage error, with control characters in arguments escaped.
fn usage(error: clap::Error) -> Exit {
    if !error.use_stderr() {
        let written = error.print();
        let is_fine = written.is_ok() || written.is_err_and(|error| output::is_unread(&error));
        return if is_fine { Exit::Clean } else { Exit::Trouble };
    }
    let text = error.render().to_string();
    if text.lines().any(|line| inert(line) != line) {
        text.lines().for_each(to_stderr);
    } else {
        // There is nowhere left to report a closed stderr.
        let _ = error.print();
    }
    Exit::Trouble
}

fn run(command: Command) -> anyhow::Result<Exit> {
    let is_hook = matches!(&command, Command::Enforce(args) if args.answers_a_hook());
    let environment = Environment::capture(is_hook)?;
    match command {
        Command::Enforce(args) => enforce::run(&args, &environment),
        Command::Contracts(args) => contracts::run(&args, &environment),
        Command::Check(args) => contracts::check::run(&args, &environment, contracts::check::to_json_list),
        Command::Init(args) => init::run(&args, &environment),
        Command::Baseline(args) => baseline::run(&args, &environment),
        Command::Fix(args) => fix::run(&args, &environment),
        Command::History(args) => history::run(&args, &environment),
        Command::Decisions(args) => decisions::run(&args, &environment),
        Command::Explain(args) => explain::run(&args, &environment),
        Command::Completions(args) => completions::completions(&args, Cli::command(), &environment),
        Command::Man(args) => completions::man(&args, Cli::command()),
        Command::Report(args) => report::run(&args, &environment),
        Command::Doctor(args) => doctor::run(&args, &environment),
    }
}

/// Prints a sanitised line to stderr. Write errors are ignored.
fn to_stderr(line: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", inert(&line.to_string()));
}

/// `1 file`, `2 files`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `a is`, `a, b and 2 more are`.
fn names_are(paths: &[RelPath]) -> String {
    let names: Vec<String> = paths.iter().map(ToString::to_string).collect();
    format!("{} {}", first_names(&names, 2), if names.len() == 1 { "is" } else { "are" })
}

/// The first `most` names and the number of the others: `a, b and 3 more`.
fn first_names(names: &[String], most: usize) -> String {
    let named = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<std::ffi::OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn hook_line_parses_like_full_command() {
        for line in [
            "phaser enforce --stdin",
            "phaser enforce --stdin --contracts-dir a --pack secrets --severity error --timeout 5 --on-clean defer -q",
            "phaser enforce --format=json --stdin --strict --max-file-size 7 --color never",
        ] {
            let enforce = args::hook_event(words(line).into_iter()).expect("a hook event");
            let cli = Cli::try_parse_from(words(line)).expect("valid");
            assert_eq!(
                format!("{:?}", Command::Enforce(Box::new(enforce))),
                format!("{:?}", cli.command),
                "{line}"
            );
        }
    }

    #[test]
    fn other_lines_fall_back_to_clap() {
        for line in [
            "phaser",
            "phaser enforce",
            "phaser enforce --all",
            "phaser enforce install --stdin",
            "phaser enforce check --stdin",
            "phaser enforce --stdin a.py",
            "phaser enforce --stdin --help",
            "phaser enforce --stdin --version",
            "phaser enforce --stdin --sdtin",
            "phaser contracts check --stdin",
        ] {
            assert!(args::hook_event(words(line).into_iter()).is_none(), "{line}");
        }
    }
}
