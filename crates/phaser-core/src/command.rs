//! Judges the commands of a shell line against `forbid_command` contracts.
//!
//! [`CommandLine::parse`] finds the simple commands, normalised (`phaser_syntax::shell`). [`CommandLine::judge`] returns
//! the first that a contract forbids. Followed through, with `command: git commit` and `args: ['--no-verify', '-n']`, and
//! the line `cd a && git -C . commit -nm "say --no-verify"`:
//!
//! 1. The commands are `cd a` and `git -C . commit -nm 'say --no-verify'`.
//! 2. `git` is the first word of the second. `-C .` is a global option of git with its value, so `commit` is the second.
//! 3. `-nm` is a cluster of short options with `n` in it, before `m`, which takes a value: `-n` is there.
//! 4. The message is the value of `-m`. It is one word, and no argument.
//!
//! [`CommandLine::fixed`] replaces the words of `command` and drops the matched arguments in the line as written:
//! `cd a && git -C . commit -m "say --no-verify"`.
//!
//! A contract may also have conditions: that a program receives the output (`receiver`), that an operand is outside the
//! project, and that files exist near the directory of the command ([`CommandPlace`]).
//!
//! Without the feature `syntax` no line can be parsed, and reading such a contract fails.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::check::{Check, ForbidCommand, OperandRule};
use crate::contract::Contract;
use crate::contract::keys::EVERY_FILE;
use crate::contract::scope::ContractScope;
use crate::deadline::Deadline;
use crate::matcher::{Directives, Matcher, Options};
use crate::path::RelPath;
use crate::text::Text;
use phaser_glob::Glob;

#[cfg_attr(not(feature = "syntax"), path = "command/disabled.rs")]
mod engine;
mod place;
mod receiver;

pub use engine::IS_AVAILABLE;
use engine::{ShellCommand, ShellWord};
pub use place::CommandPlace;

/// The time limit of a pattern.
const PATTERN_TIME: Duration = Duration::from_millis(100);

/// A parsed line.
#[derive(Debug, Clone)]
pub struct CommandLine<'t> {
    text: &'t str,
    commands: Vec<ShellCommand>,
}

/// A forbidden command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenCommand {
    /// The words of the command as written, or joined if it is not written like this in the line.
    pub shown: String,
    /// The normalised words, joined.
    pub normalised: String,
    /// The words of `command`, as ranges of the line; empty if they are not in the line as written.
    words: Vec<Range<usize>>,
    /// The matched arguments.
    args: Vec<MatchedArg>,
}

/// A matched argument in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MatchedArg {
    range: Range<usize>,
    form: ArgForm,
}

/// How an argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgForm {
    /// As a word.
    Word,
    /// As this option in a cluster with others.
    InCluster(char),
    /// As an assignment before the command.
    Assignment,
}

impl<'t> CommandLine<'t> {
    /// Parses a line. The error says why it is not judged.
    pub fn parse(text: &'t str, deadline: Deadline) -> Result<Self, &'static str> {
        Ok(Self { text, commands: engine::parse(text, deadline)? })
    }

    /// The directories that commands of the line run in, as far as they are known, without duplicates.
    pub fn directories(&self, place: &CommandPlace<'_>) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> =
            self.commands.iter().filter_map(|command| place.directory(&command.directory)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The line with only the commands whose directory is `wanted`; it is `None` where it is not known.
    pub fn in_directories(
        &self,
        place: &CommandPlace<'_>,
        wanted: impl Fn(Option<&Path>) -> bool,
    ) -> CommandLine<'t> {
        let is_wanted = |command: &&ShellCommand| wanted(place.directory(&command.directory).as_deref());
        Self { text: self.text, commands: self.commands.iter().filter(is_wanted).cloned().collect() }
    }

    /// The first command that the contract forbids; `None` too if its pattern is invalid.
    pub fn judge(&self, contract: &Contract, place: &CommandPlace<'_>) -> Option<ForbiddenCommand> {
        let Check::Command(check) = &contract.check else { return None };
        if !check.commands.is_empty() {
            return self.commands.iter().find_map(|command| self.by_words(command, check, place));
        }
        let pattern = check.pattern.clone()?;
        // Reading a pattern costs more than all of this.
        let program = only_program(&pattern.source);
        let is_candidate = |command: &&ShellCommand| {
            program.is_none_or(|program| command.words[0].text == program)
                && meets_conditions(command, &command.words[1..], check, place)
        };
        let candidates: Vec<&ShellCommand> = self.commands.iter().filter(is_candidate).collect();
        if candidates.is_empty() {
            return None;
        }
        let searched = Contract {
            check: Check::forbid(pattern),
            glob: Glob::accepted(EVERY_FILE),
            exclude: None,
            kinds: crate::file_kind::KindFilter::default(),
            zones: Vec::new(),
            fix: None,
            scope: ContractScope::default(),
            ..contract.clone()
        };
        let matcher = Matcher::new(vec![searched], Options::new(PATTERN_TIME, Directives::Disregarded));
        let path = RelPath::from("command");
        let selection = matcher.select(&path, None);
        candidates.into_iter().find_map(|command| {
            let joined = normalised(command);
            let text = Text::new(joined.as_bytes())?;
            let found = matcher.check(&selection, &path, Some(&text)).violations;
            let starts = found.iter().any(|one| one.found.as_ref().is_some_and(|found| found.start == 0));
            starts.then(|| ForbiddenCommand {
                shown: self.shown(command),
                normalised: joined,
                words: Vec::new(),
                args: Vec::new(),
            })
        })
    }

    /// The command, if its first words are one of `commands` and it has one of `args`.
    fn by_words(
        &self,
        command: &ShellCommand,
        check: &ForbidCommand,
        place: &CommandPlace<'_>,
    ) -> Option<ForbiddenCommand> {
        check.commands.iter().find_map(|wanted| {
            let words = first_words(command, wanted)?;
            let program = command.words[0].text.as_str();
            let rest = &command.words[words.last()? + 1..];
            let mut args = matched_args(program, rest, &check.args);
            let set = command.assignments.iter().filter(|word| sets_one_of(word, &check.args));
            args.extend(set.map(|word| (word, ArgForm::Assignment)));
            if !check.args.is_empty() && args.is_empty() || !meets_conditions(command, rest, check, place) {
                return None;
            }
            let range = |at: &usize| command.words[*at].range.clone();
            let in_line =
                |(word, form): (&ShellWord, ArgForm)| Some(MatchedArg { range: word.range.clone()?, form });
            let ranges: Option<Vec<_>> = words.iter().map(range).collect();
            let args: Option<Vec<_>> = args.into_iter().map(in_line).collect();
            Some(ForbiddenCommand {
                shown: self.shown(command),
                normalised: normalised(command),
                words: ranges.filter(|_| args.is_some()).unwrap_or_default(),
                args: args.unwrap_or_default(),
            })
        })
    }

    /// The text from the first word to the last.
    fn shown(&self, command: &ShellCommand) -> String {
        let range = |word: Option<&ShellWord>| word.and_then(|word| word.range.clone());
        match (range(command.words.first()), range(command.words.last())) {
            (Some(first), Some(last)) => self.text[first.start..last.end].to_owned(),
            _ => normalised(command),
        }
    }

    /// The line with `fix` for the words of `command`, and without the matched arguments. `None` if the command is not in
    /// the line as written, or if options between its words leave no place for those of `fix`.
    pub fn fixed(&self, forbidden: &ForbiddenCommand, fix: &str) -> Option<String> {
        let (first, last) = (forbidden.words.first()?, forbidden.words.last()?);
        let parts: Vec<&str> = fix.split_whitespace().collect();
        let is_adjacent =
            forbidden.words.windows(2).all(|pair| self.text[pair[0].end..pair[1].start].trim().is_empty());
        let mut edits: Vec<(Range<usize>, String)> = if is_adjacent {
            vec![(first.start..last.end, fix.trim().to_owned())]
        } else if parts.len() == forbidden.words.len() {
            forbidden.words.iter().cloned().zip(parts.into_iter().map(str::to_owned)).collect()
        } else {
            return None;
        };
        for MatchedArg { range, form } in &forbidden.args {
            match form {
                ArgForm::InCluster(letter) => {
                    let cluster = &self.text[range.clone()];
                    let at = cluster.find(*letter)?;
                    let start = range.start + at;
                    edits.push((start..start + letter.len_utf8(), String::new()));
                }
                ArgForm::Word => {
                    let before = self.text[..range.start].trim_end_matches([' ', '\t']).len();
                    edits.push((before..range.end, String::new()));
                }
                ArgForm::Assignment => {
                    let after = self.text[range.end..].trim_start_matches([' ', '\t']);
                    edits.push((range.start..self.text.len() - after.len(), String::new()));
                }
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = self.text.to_owned();
        for (range, new) in edits.into_iter().rev() {
            text.replace_range(range, &new);
        }
        Some(text)
    }
}

/// The program of every command that a pattern matches, if the pattern starts with it and a space: `git` for `git push\b`.
fn only_program(pattern: &str) -> Option<&str> {
    let (program, rest) = pattern.split_once(' ')?;
    let is_plain = !program.is_empty() && program.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_optional = rest.starts_with(['?', '*', '{']);
    let (mut depth, mut has_alternatives, mut chars) = (0, false, rest.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' => has_alternatives |= depth <= 0,
            '[' => {
                // A bracket at the start of a class is a part of it.
                let mut is_start = true;
                while let Some(c) = chars.next().filter(|c| *c != ']' || is_start) {
                    is_start = is_start && c == '^';
                    if c == '\\' {
                        chars.next();
                    }
                }
            }
            _ => {}
        }
    }
    (is_plain && !is_optional && !has_alternatives).then_some(program)
}

/// Whether a command meets the conditions of a contract beside its words. `rest` has its options and operands.
fn meets_conditions(
    command: &ShellCommand,
    rest: &[ShellWord],
    check: &ForbidCommand,
    place: &CommandPlace<'_>,
) -> bool {
    let is_received = check.piped_to.is_empty() || receiver::is_received(command, &check.piped_to);
    let has_operand = || match check.operands {
        None => true,
        Some(OperandRule::Outside) => {
            operands(rest).any(|operand| place.is_outside(&operand.text, &command.directory))
        }
    };
    is_received && has_operand() && place.has_files(check, &command.directory)
}

/// The words that are no options.
fn operands(words: &[ShellWord]) -> impl Iterator<Item = &ShellWord> {
    let mut only_operands = false;
    words.iter().filter(move |word| {
        let is_end = !only_operands && word.text == "--";
        let is_operand = only_operands || !word.text.starts_with('-');
        only_operands |= is_end;
        is_operand && !is_end
    })
}

/// Whether an assignment is one of `args`, written as `NAME=value`, or `NAME=` for any value.
fn sets_one_of(assignment: &ShellWord, args: &[String]) -> bool {
    args.iter().any(|arg| match arg.ends_with('=') {
        true => assignment.text.starts_with(arg),
        false => assignment.text == *arg,
    })
}

/// The words joined by spaces. A word with white space, or an empty one, is `''`.
fn normalised(command: &ShellCommand) -> String {
    let shown = |word: &ShellWord| match word.text.is_empty() || word.text.contains(char::is_whitespace) {
        true => "''".to_owned(),
        false => word.text.clone(),
    };
    command.words.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A program whose subcommand may follow options.
struct GlobalOptions {
    program: &'static str,
    /// Short options with a value.
    short: &'static str,
    /// Long options whose value is the next word.
    long: &'static [&'static str],
}

/// Programs whose subcommand may follow options.
const GLOBAL_OPTIONS: [GlobalOptions; 14] = [
    GlobalOptions {
        program: "git",
        short: "Cc",
        long: &["--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
    },
    GlobalOptions {
        program: "docker",
        short: "Hlc",
        long: &["--host", "--context", "--config", "--log-level"],
    },
    GlobalOptions {
        program: "podman",
        short: "c",
        long: &["--connection", "--url", "--root", "--log-level"],
    },
    GlobalOptions {
        program: "kubectl",
        short: "nsv",
        long: &["--namespace", "--context", "--cluster", "--kubeconfig", "--server", "--user", "--token"],
    },
    GlobalOptions { program: "helm", short: "n", long: &["--namespace", "--kube-context", "--kubeconfig"] },
    GlobalOptions { program: "npm", short: "Cw", long: &["--prefix", "--workspace"] },
    GlobalOptions { program: "pnpm", short: "CF", long: &["--dir", "--filter"] },
    GlobalOptions { program: "yarn", short: "", long: &["--cwd"] },
    GlobalOptions { program: "cargo", short: "CZ", long: &["--config", "--color"] },
    GlobalOptions { program: "go", short: "C", long: &[] },
    GlobalOptions { program: "gh", short: "R", long: &["--repo"] },
    GlobalOptions {
        program: "aws",
        short: "",
        long: &["--profile", "--region", "--output", "--endpoint-url"],
    },
    GlobalOptions { program: "terraform", short: "", long: &[] },
    GlobalOptions { program: "systemctl", short: "HM", long: &["--host", "--machine"] },
];

/// The indices of the words of `wanted` at the start of a command, with options between them skipped.
fn first_words(command: &ShellCommand, wanted: &str) -> Option<Vec<usize>> {
    let options = GLOBAL_OPTIONS.iter().find(|known| known.program == command.words[0].text);
    let (mut at, mut found) = (0, Vec::new());
    for wanted in wanted.split_whitespace() {
        while let (Some(options), Some(word), true) = (options, command.words.get(at), at > 0) {
            let text = word.text.as_str();
            let is_toolchain = options.program == "cargo" && text.starts_with('+');
            if text == wanted || !(text.starts_with('-') && text.len() > 1 || is_toolchain) {
                break;
            }
            at += 1 + usize::from(is_value_next(text, options.short, options.long));
        }
        if command.words.get(at)?.text != wanted {
            return None;
        }
        found.push(at);
        at += 1;
    }
    Some(found)
}

/// Options of git's subcommands with a value, which is no argument of its own.
const GIT_SHORT: &str = "mFCctuS";
const GIT_LONG: [&str; 9] = [
    "--message",
    "--file",
    "--author",
    "--date",
    "--template",
    "--cleanup",
    "--pathspec-from-file",
    "--trailer",
    "--fixup",
];

/// The words that are one of `args`: the word itself, the word with `=value`, or a cluster with a short option. What is
/// after `--` is no option.
fn matched_args<'c>(program: &str, words: &'c [ShellWord], args: &[String]) -> Vec<(&'c ShellWord, ArgForm)> {
    let (short, long): (&str, &[&str]) = if program == "git" { (GIT_SHORT, &GIT_LONG) } else { ("", &[]) };
    let mut found = Vec::new();
    let (mut is_value, mut only_operands) = (false, false);
    for word in words {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            continue;
        }
        if text == "--" && !only_operands {
            only_operands = true;
            continue;
        }
        let is_option = text.starts_with('-') && text.len() > 1 && !only_operands;
        is_value = is_option && is_value_next(text, short, long);
        let matched = args.iter().find_map(|arg| match arg.starts_with('-') {
            true if !is_option => None,
            true => as_option(text, arg, short),
            false => (text == arg).then_some(ArgForm::Word),
        });
        found.extend(matched.map(|form| (word, form)));
    }
    found
}

/// How `word` is the option `arg`, if it is.
fn as_option(word: &str, arg: &str, with_value: &str) -> Option<ArgForm> {
    if word == arg || word.strip_prefix(arg).is_some_and(|rest| rest.starts_with('=')) {
        return Some(ArgForm::Word);
    }
    let mut letters = arg.strip_prefix('-')?.chars();
    let (letter, None) = (letters.next()?, letters.next()) else { return None };
    let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-') && letter != '-')?;
    // What follows an option with a value is its value.
    let flags = cluster.find(|c: char| with_value.contains(c)).map_or(cluster, |at| &cluster[..at]);
    let is_cluster = flags.chars().all(|c| c.is_ascii_alphabetic());
    (is_cluster && flags.contains(letter)).then_some(ArgForm::InCluster(letter))
}

/// Whether the value of an option is the next word.
fn is_value_next(option: &str, short: &str, long: &[&str]) -> bool {
    if option.starts_with("--") {
        return long.contains(&option);
    }
    let cluster = &option[1..];
    // An attached value follows its option in the same word.
    cluster
        .char_indices()
        .find(|(_, c)| short.contains(*c))
        .is_some_and(|(at, c)| at + c.len_utf8() == cluster.len())
        && !cluster.ends_with(['u', 'S'])
}

#[cfg(all(test, feature = "syntax"))]
mod tests {
    use super::*;

    fn contract(keys: &str) -> Contract {
        let yaml = format!("rule_id: a\ntype: forbid_command\nmessage: m\nseverity: error\n{keys}");
        Contract::from_yaml(&yaml, "a.yaml").expect("a contract")
    }

    fn judged(keys: &str, line: &str) -> Option<ForbiddenCommand> {
        CommandLine::parse(line, Deadline::NEVER)
            .expect("parses")
            .judge(&contract(keys), &CommandPlace::of_examples())
    }

    const NO_VERIFY: &str = "command: git commit\nargs: ['--no-verify', '-n']\n";

    #[test]
    fn finds_disguised_commands() {
        for line in [
            "git commit --no-verify -m x",
            "cd a && git -C . commit -nm x",
            "git commit -anm x",
            "git -c a=b --git-dir .git commit -n",
            "git --no-pager commit -n",
            "sudo /usr/bin/git commit \"--no-verify\"",
            "g\\it commit -n",
            "A=1 git commit -n > /dev/null",
            "(git add . && git commit -n)",
            "bash -lc 'git commit -n'",
            "echo a | xargs git commit -n -m",
            "x=$(git commit -n)",
            "git commit --no-verify=1",
            "git commit -m x -n",
            "git commit --message x --no-verify",
        ] {
            assert!(judged(NO_VERIFY, line).is_some(), "{line}");
        }
    }

    #[test]
    fn leaves_other_commands() {
        for line in [
            "git commit -m x",
            "echo 'git commit --no-verify'",
            "git commit -m 'about --no-verify'",
            "git commit -m --no-verify",
            "git commit -m \"-n\"",
            "git commit -mnote",
            "git commit --message --no-verify",
            "git commit -m x -- -n",
            "git log -n 5",
            "git -n commit",
            "git add commit -n",
            "git push --no-verify",
            "gitx commit -n",
            "git commit $ARGS",
            "# git commit -n",
            "cat <<EOF\ngit commit -n\nEOF\n",
            "git commit --no-verify-later",
        ] {
            assert_eq!(judged(NO_VERIFY, line), None, "{line}");
        }
    }

    #[test]
    fn command_may_be_a_list_without_args() {
        let keys = "command: [npm install, yarn]\n";
        assert!(judged(keys, "npm --prefix web install x").is_some());
        assert!(judged(keys, "yarn").is_some());
        assert_eq!(judged(keys, "npm ci"), None);
        assert_eq!(judged("command: rm\nargs: [/]\n", "rm -rf ./x"), None);
        assert!(judged("command: rm\nargs: [/]\n", "rm -rf -- /").is_some());
    }

    #[test]
    fn args_may_be_environment_variables() {
        let keys = "command: git commit\nargs: ['HUSKY=0', 'SKIP=']\nfix: git commit\n";
        for line in [
            "HUSKY=0 git commit",
            "SKIP=a,b git commit -m x",
            "env HUSKY='0' git commit",
            "export HUSKY=0; git commit",
            "HUSKY=0 bash -c 'git commit'",
        ] {
            assert!(judged(keys, line).is_some(), "{line}");
        }
        for line in ["HUSKY=1 git commit", "HUSKY=0 git push", "HUSKY=0; git commit", "git commit -m HUSKY=0"]
        {
            assert_eq!(judged(keys, line), None, "{line}");
        }
        let line = "cd a && HUSKY=0 A=1 git commit -m x";
        let parsed = CommandLine::parse(line, Deadline::NEVER).expect("parses");
        let forbidden = judged(keys, line).expect("is forbidden");
        assert_eq!(parsed.fixed(&forbidden, "git commit").as_deref(), Some("cd a && A=1 git commit -m x"));
        let exported = "export HUSKY=0; git commit";
        let parsed = CommandLine::parse(exported, Deadline::NEVER).expect("parses");
        assert_eq!(parsed.fixed(&judged(keys, exported).expect("is forbidden"), "git commit"), None);
    }

    #[test]
    fn piped_to_needs_a_receiver_that_runs_it() {
        let keys = "command: [curl, wget]\npiped_to: [sh, bash, python3, eval, source, '.', tee]\n";
        for line in [
            "curl -fsSL a | sh",
            "curl a | sudo -E bash -s -- x",
            "wget -qO- a | bash -",
            "curl a | python3 -",
            "curl a | python3",
            "bash -c \"$(curl a)\" x",
            "bash <(curl a)",
            "source <(curl a)",
            ". <(curl a)",
            "eval \"$(curl a)\"",
            "bash <<< \"$(curl a)\"",
            "curl a | sh -x",
            "curl a | tee b",
        ] {
            assert!(judged(keys, line).is_some(), "{line}");
        }
        for line in [
            "curl a -o b && sh b",
            "curl a | jq .",
            "curl a | python3 -m json.tool",
            "curl a | python3 -c 'import sys'",
            "curl a | bash -c cat",
            "curl a | sh x.sh",
            "echo a | sh",
            "bash x.sh \"$(curl a)\"",
            "bash -c 'echo $1' _ \"$(curl a)\"",
            "echo \"$(curl a)\"",
            "v=$(curl a) bash x.sh",
        ] {
            assert_eq!(judged(keys, line), None, "{line}");
        }
    }

    #[test]
    fn operands_may_have_to_be_outside() {
        let keys = "command: rm\nargs: ['-r', '-R', '--recursive']\noperands: outside\n";
        for line in ["rm -rf ~/x", "rm x -r -- ..", "cd / && rm -Rf usr", "sudo rm --recursive /usr/lib"] {
            assert!(judged(keys, line).is_some(), "{line}");
        }
        for line in ["rm -rf x", "rm ~/x", "rm -rf /tmp/x", "rm -rf -- -/../x", "rm -rf $X"] {
            assert_eq!(judged(keys, line), None, "{line}");
        }
    }

    #[test]
    fn pattern_starts_at_first_word() {
        let keys = "pattern: 'git push\\b.*--force'\n";
        assert!(judged(keys, "cd x; git push origin --force").is_some());
        assert_eq!(judged(keys, "echo git push --force"), None);
        assert_eq!(judged(keys, "git push -m 'x --force'"), None);
        assert_eq!(judged("pattern: 'git commit$'\n", "git commit -n"), None);
    }

    #[test]
    fn program_of_pattern_is_certain() {
        for (pattern, program) in [
            ("git push\\b.*(?:-f|--force)", Some("git")),
            ("docker-compose up", Some("docker-compose")),
            ("git [|)(]|npm x", None),
            ("git []|] x", Some("git")),
            ("git (a|b)|npm", None),
            ("git \\(|x", None),
            ("git ?push", None),
            ("git(?: x)? y", None),
            ("(?i)git push", None),
            ("gi[t] push", None),
            ("git", None),
        ] {
            assert_eq!(only_program(pattern), program, "{pattern}");
        }
    }

    #[test]
    fn fix_replaces_words_and_drops_args() {
        for (fix, line, expected) in [
            (
                "git commit",
                "cd a && git -C . commit -nm \"x  y\"",
                Some("cd a && git -C . commit -m \"x  y\""),
            ),
            ("git commit", "git commit --no-verify -m x", Some("git commit -m x")),
            ("git commit", "git commit -n; ls", Some("git commit; ls")),
            ("make commit now", "git  commit -m x -n", Some("make commit now -m x")),
            ("make commit now", "git -C . commit -n", None),
            ("git commit", "bash -c 'git commit -n'", None),
        ] {
            let parsed = CommandLine::parse(line, Deadline::NEVER).expect("parses");
            let forbidden =
                parsed.judge(&contract(NO_VERIFY), &CommandPlace::of_examples()).expect("is forbidden");
            assert_eq!(parsed.fixed(&forbidden, fix).as_deref(), expected, "{line}");
        }
    }
}
