//! Whether a program receives the output of a command, and runs it if it is one that runs scripts.

use super::engine::{SHELLS, ShellCommand, ShellReceiver};

/// Interpreters that run their standard input.
const INTERPRETERS: [&str; 7] = ["python", "python2", "python3", "perl", "ruby", "node", "php"];

/// Options with which an interpreter runs something else: a script in the arguments, or a module.
const OTHER_SCRIPT: &str = "ceEmnpr";

/// Whether one of `programs` receives the output of the command.
pub(super) fn is_received(command: &ShellCommand, programs: &[String]) -> bool {
    let receives = |receiver: &ShellReceiver, program: &String| {
        let mut words = receiver.words.iter();
        program.split(' ').all(|wanted| words.next().is_some_and(|word| word == wanted))
            && takes_output(receiver)
    };
    command.receivers.iter().any(|receiver| programs.iter().any(|program| receives(receiver, program)))
}

/// Whether the output is what the receiver runs, or is piped to a program that runs nothing.
fn takes_output(receiver: &ShellReceiver) -> bool {
    let program = receiver.words[0].as_str();
    let is_shell = SHELLS.contains(&program);
    let runs_scripts = is_shell || INTERPRETERS.contains(&program);
    match receiver.word {
        None => !runs_scripts || runs_input(&receiver.words, is_shell),
        Some(_) if program == "eval" => true,
        Some(at) => {
            (runs_scripts || matches!(program, "source" | ".")) && first_operand(&receiver.words) == Some(at)
        }
    }
}

/// Whether a shell or an interpreter runs its standard input.
fn runs_input(words: &[String], is_shell: bool) -> bool {
    let at = first_operand(words);
    let options = words[1..at.unwrap_or(words.len())].iter();
    let mut clusters = options.filter(|word| word.starts_with('-') && !word.starts_with("--"));
    if is_shell {
        let has = |letter: char| clusters.clone().any(|cluster| cluster.contains(letter));
        return !has('c') && (has('s') || at.is_none_or(|at| is_input(&words[at])));
    }
    !clusters.any(|cluster| cluster.contains(|c| OTHER_SCRIPT.contains(c)))
        && at.is_none_or(|at| is_input(&words[at]))
}

fn is_input(word: &str) -> bool {
    matches!(word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The index of the first word that is no option and no value of one.
fn first_operand(words: &[String]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += match word.as_str() {
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => 2,
            "--" => return (at + 1 < words.len()).then_some(at + 1),
            "-" => return Some(at),
            word if word.starts_with(['-', '+']) => 1,
            _ => return Some(at),
        };
    }
    None
}
