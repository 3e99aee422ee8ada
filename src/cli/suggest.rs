//! Suggestions for unknown commands and flags. clap compares a word with the commands of one level only, and suggests
//! words that share little with it.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use phaser_core::suggest::nearest;

/// A flag of other linters, and the command that does the same here.
const FIX: (&str, &str) = ("--fix", "phaser fix");

/// The error with a suggestion that leads to the right command, or with none.
pub fn improve(mut error: Error, command: &Command) -> Error {
    match (error.kind(), unknown(&error)) {
        (ErrorKind::InvalidSubcommand, Some(word)) => {
            let suggested = error.remove(ContextKind::SuggestedSubcommand);
            if let Some(meant) = near(&word, suggested).or_else(|| meant_command(&word, command)) {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant]));
            }
        }
        (ErrorKind::UnknownArgument, Some(flag)) if flag == FIX.0 => {
            error.remove(ContextKind::SuggestedArg);
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![FIX.1.to_owned()]));
        }
        _ => {}
    }
    error
}

/// The unknown word.
fn unknown(error: &Error) -> Option<String> {
    let of = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    of(ContextKind::InvalidSubcommand).or_else(|| of(ContextKind::InvalidArg))
}

/// The nearest of clap's suggestions, if any is near enough.
fn near(word: &str, suggested: Option<ContextValue>) -> Option<String> {
    let Some(ContextValue::Strings(suggested)) = suggested else { return None };
    nearest(word, suggested.iter().map(String::as_str)).map(str::to_owned)
}

/// The command named `word` at another level, or the nearest one at any level.
fn meant_command(word: &str, command: &Command) -> Option<String> {
    let commands = commands(command);
    let name = |path: &str| path.rsplit(' ').next().unwrap_or_default().to_owned();
    let exact = commands.iter().find(|path| name(path) == word);
    let near = || {
        let names: Vec<String> = commands.iter().map(|path| name(path)).collect();
        let meant = nearest(word, names.iter().map(String::as_str))?;
        commands.iter().find(|path| name(path) == meant)
    };
    exact.or_else(near).map(|path| format!("phaser {path}"))
}

/// All visible commands with their parents, such as `contracts lint`; shorter ones first.
fn commands(command: &Command) -> Vec<String> {
    let mut found = Vec::new();
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        found.push(one.get_name().to_owned());
        found.extend(commands(one).iter().map(|below| format!("{} {below}", one.get_name())));
    }
    found.sort_by_key(|path| path.split(' ').count());
    found
}
