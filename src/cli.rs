//! The command line: the only layer that reads the arguments, the environment, standard input and
//! the current directory, and the only one that writes to the terminal.

use phaser_core::sanitize::inert;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::exit::Exit;

mod args;
mod baseline;
mod cache;
mod chosen;
mod colour;
mod completions;
mod contracts;
mod doctor;
mod enforce;
mod environment;
mod event;
mod explain;
mod fix;
mod history;
mod init;
mod install;
mod mending;
mod output;
mod packs;
mod places;
mod policies;
mod report;
mod show;
mod stdin;
mod stopwatch;
mod today;

use environment::Environment;

/// Phaser keeps a project's own rules true: in Claude Code, at commit time and in CI
#[derive(Debug, Parser)]
#[command(name = "phaser", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check contracts: on a hook event, on files, or on the whole project
    Enforce(Box<args::Enforce>),
    /// List, write, test and change contracts
    Contracts(contracts::Contracts),
    /// Check the whole project, and say for each contract whether it is kept
    Check(contracts::CheckArgs),
    /// Give a project its first contracts
    Init(init::Init),
    /// Write down the violations that there are, so that only new ones count
    Baseline(baseline::Baseline),
    /// Repair violations that contracts know how to repair
    Fix(fix::Fix),
    /// Show how many violations there were over time, with the contracts of today
    History(Box<history::History>),
    /// Explain a contract: why it is there, how to keep it, how to ignore it
    Explain(explain::Explain),
    /// Work with reports that have been written
    #[command(subcommand)]
    Report(report::ReportCommand),
    /// See whether phaser is in place in this project, and what to do if it is not
    Doctor(doctor::Doctor),
    /// Print completions for a shell
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
            Err(error) => return usage(&error).into(),
        },
    };
    run(command)
        .unwrap_or_else(|error| {
            say(format_args!("phaser: {error:#}"));
            Exit::Trouble
        })
        .into()
}

/// Shows help, or what is wrong with the arguments.
fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        let written = error.print();
        let is_fine = written.is_ok() || written.is_err_and(|error| output::is_unread(&error));
        return if is_fine { Exit::Clean } else { Exit::Trouble };
    }
    let text = error.render().to_string();
    if text.lines().any(|line| inert(line) != line) {
        text.lines().for_each(say);
    } else {
        // That it cannot be written changes nothing.
        let _ = error.print();
    }
    Exit::Trouble
}

fn run(command: Command) -> anyhow::Result<Exit> {
    let environment = match &command {
        // The client says where it is.
        Command::Enforce(args) if args.answers_a_hook() => Environment::capture_without_directory(),
        _ => Environment::capture()?,
    };
    match command {
        Command::Enforce(args) => enforce::run(&args, &environment),
        Command::Contracts(args) => contracts::run(&args, &environment),
        Command::Check(args) => contracts::run_check(&args, &environment),
        Command::Init(args) => init::run(&args, &environment),
        Command::Baseline(args) => baseline::run(&args, &environment),
        Command::Fix(args) => fix::run(&args, &environment),
        Command::History(args) => history::run(&args, &environment),
        Command::Explain(args) => explain::run(&args, &environment),
        Command::Completions(args) => completions::completions(&args, Cli::command()),
        Command::Man(args) => completions::man(&args, Cli::command()),
        Command::Report(command) => report::run(&command, &environment),
        Command::Doctor(args) => doctor::run(&args, &environment),
    }
}

/// Writes a line to standard error, inert; that it cannot be written changes nothing.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", inert(&line.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<std::ffi::OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn a_hook_event_is_understood_as_among_all_commands() {
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
    fn whatever_else_is_left_to_all_commands() {
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
