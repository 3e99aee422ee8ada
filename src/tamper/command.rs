//! The command line of one of phaser's hooks, parsed: program, flags, and the shell code around them.

use phaser_core::sanitize::printable;
use std::collections::BTreeSet;

use crate::flags::{self, FlagValues, Weakens};

/// A command that runs `phaser enforce --stdin`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookCommand {
    program: String,
    /// Flags by their long names, with their values. A word that `phaser enforce` would refuse counts as a flag.
    flags: BTreeSet<(String, String)>,
    /// The text before and after it in the command line.
    around: [String; 2],
}

impl HookCommand {
    /// Parses a command line; `None` if it does not run phaser as a hook. With `words`, `line` is the program and `words` are
    /// its arguments.
    pub(super) fn read(line: &str, words: Option<&[&str]>) -> Option<Self> {
        if let Some(words) = words {
            let owned: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            return Self::of(line, &owned, [String::new(), String::new()]);
        }
        let words = split(line);
        (0..words.len()).find_map(|at| {
            let rest = &words[at + 1..];
            let end = rest.iter().position(|word| word.is_operator).unwrap_or(rest.len());
            let arguments: Vec<String> = rest[..end].iter().map(|word| word.text.clone()).collect();
            let end = rest.get(end).map_or(line.len(), |operator| operator.start);
            let around = [&line[..words[at].start], &line[end..]].map(|text| text.trim().to_owned());
            Self::of(&words[at].text, &arguments, around)
        })
    }

    fn of(program: &str, arguments: &[String], around: [String; 2]) -> Option<Self> {
        let name = program.rsplit(['/', '\\']).next()?;
        let (first, rest) = arguments.split_first()?;
        let is_own = matches!(name, "phaser" | "phaser.exe") && first == "enforce";
        if !is_own || !rest.iter().any(|word| word == "--stdin") {
            return None;
        }
        let mut flags: BTreeSet<(String, String)> = BTreeSet::new();
        let mut rest = rest.iter().skip(usize::from(rest.first().is_some_and(|word| word == "check")));
        while let Some(word) = rest.next() {
            let (name, given) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let flag = flags::find(name).filter(|flag| given.is_none() || flag.takes != FlagValues::Nothing);
            let Some(flag) = flag else {
                flags.insert((word.clone(), String::new()));
                continue;
            };
            let value = match flag.takes {
                FlagValues::Nothing => String::new(),
                _ => given.or_else(|| rest.next().cloned()).unwrap_or_default(),
            };
            let is_repeated = flags.iter().any(|(known, _)| known == flag.name);
            match flag.takes {
                FlagValues::List => {
                    flags.extend(value.split(',').map(|one| (flag.name.to_owned(), one.trim().to_owned())));
                }
                takes if is_repeated && !takes.repeats() => {
                    flags.insert((format!("{0} {0}", flag.name), value));
                }
                _ => drop(flags.insert((flag.name.to_owned(), value))),
            }
        }
        Some(Self { program: program.to_owned(), flags, around })
    }

    /// How `is` is weaker than this command, as the predicate of a sentence; `None` if it is not.
    pub(super) fn less_in(&self, is: &Self) -> Option<String> {
        if is.program != self.program && is.program != "phaser" {
            return Some(format!("runs another program, {}", printable(&is.program)));
        }
        if is.around != self.around && !is.is_alone() {
            return Some("has another command line around phaser".to_owned());
        }
        let added = is.flags.difference(&self.flags).find(|flag| is.weakens_with(self, flag));
        let dropped = self.flags.difference(&is.flags).find(|flag| is.weakens_without(self, flag));
        let shown = |flag: &(String, String)| printable(&format!("{} {}", flag.0, flag.1));
        match (added, dropped) {
            (Some(flag), _) => Some(format!("runs phaser with '{}'", shown(flag))),
            (None, Some(flag)) => Some(format!("runs phaser without '{}'", shown(flag))),
            (None, None) => None,
        }
    }

    /// Whether phaser runs alone or in the frame that `phaser enforce install` writes.
    fn is_alone(&self) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let [before, after] = [plain(&self.around[0]), plain(&self.around[1])];
        AROUND.iter().any(|[known_before, known_after]| *known_before == before && *known_after == after)
    }

    fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(known, _)| known == name)
    }

    fn weakens_with(&self, was: &Self, flag: &(String, String)) -> bool {
        let (name, value) = (flag.0.as_str(), flag.1.as_str());
        match (weakens(name), name) {
            (Weakens::Never | Weakens::WhenRemoved, _) => false,
            (Weakens::ByValue, "--severity") => !self.sees_severities_of(was),
            (Weakens::ByValue, "--existing") => value != "deny",
            (Weakens::ByValue, "--format") => value != "hook",
            (Weakens::ByValue, "--only") => !was.has("--only"),
            // These are settings of Claude Code, which cannot read a response meant for another agent.
            (Weakens::ByValue, "--agent") => value != "claude",
            (Weakens::WhenAdded | Weakens::WhenChanged | Weakens::ByValue, _) => true,
        }
    }

    fn weakens_without(&self, was: &Self, flag: &(String, String)) -> bool {
        let (name, value) = (flag.0.as_str(), flag.1.as_str());
        match (weakens(name), name) {
            (Weakens::Never | Weakens::WhenAdded, _) => false,
            (Weakens::ByValue, "--severity") => !self.sees_severities_of(was),
            (Weakens::ByValue, "--existing") => value != "report",
            (Weakens::ByValue, "--format") => value == "hook" && self.has("--format"),
            (Weakens::ByValue, "--only") => self.has("--only"),
            // The event names the agent.
            (Weakens::ByValue, "--agent") => false,
            (Weakens::WhenRemoved | Weakens::WhenChanged | Weakens::ByValue, _) => true,
        }
    }

    /// Whether this command checks every severity that `was` checks.
    fn sees_severities_of(&self, was: &Self) -> bool {
        let severity = |command: &Self| match command.flags.iter().find(|(name, _)| name == "--severity") {
            // The guard checks both severities.
            _ if command.has("--guard") => "all".to_owned(),
            Some((_, value)) => value.clone(),
            None => "all".to_owned(),
        };
        let (now, before) = (severity(self), severity(was));
        now == "all" || now == before
    }
}

/// When a change of this flag weakens enforcement. `phaser enforce` rejects an unknown flag.
fn weakens(name: &str) -> Weakens {
    flags::find(name).map_or(Weakens::WhenChanged, |flag| flag.weakens)
}

/// Harmless text around phaser: none, or the installed frame that prints `{}` without phaser on the PATH.
const AROUND: [[&str; 2]; 2] = [["", ""], ["hash phaser && exec", "; echo {}"]];

/// A word of a command line without its quotes, or a shell operator.
struct Word {
    text: String,
    start: usize,
    is_operator: bool,
}

/// Splits a command line roughly as a shell does.
fn split(line: &str) -> Vec<Word> {
    const OPERATORS: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '\n', '#'];
    let mut words: Vec<Word> = Vec::new();
    let (mut open, mut quote): (Option<Word>, Option<char>) = (None, None);
    for (start, c) in line.char_indices() {
        match (quote, c) {
            (Some(quoted), c) if c == quoted => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                open.get_or_insert_with(|| Word { text: String::new(), start, is_operator: false });
            }
            (None, c) if OPERATORS.contains(&c) => {
                words.extend(open.take());
                words.push(Word { text: c.to_string(), start, is_operator: true });
            }
            (None, c) if c.is_whitespace() => words.extend(open.take()),
            (_, c) => {
                let word =
                    open.get_or_insert_with(|| Word { text: String::new(), start, is_operator: false });
                word.text.push(c);
            }
        }
    }
    words.extend(open);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn less(was: &str, is: &str) -> Option<String> {
        let read = |line| HookCommand::read(line, None).expect("one of phaser's");
        read(was).less_in(&read(is))
    }

    #[test]
    fn finds_phaser_in_command_line() {
        for line in [
            "phaser enforce --stdin",
            "\"/opt/my tools/phaser\" enforce --severity error --stdin",
            "command -v phaser >/dev/null || exit 0; phaser enforce --stdin --guard",
            "timeout 5 phaser enforce --stdin > /dev/null",
            "phaser enforce check --stdin",
        ] {
            assert!(HookCommand::read(line, None).is_some(), "{line}");
        }
        for line in ["", "phaser", "phaser enforce --all", "echo phaser enforce", "phaser enforce; x --stdin"]
        {
            assert!(HookCommand::read(line, None).is_none(), "{line}");
        }
        assert!(HookCommand::read("phaser", Some(&["enforce", "--stdin"])).is_some());
        assert!(HookCommand::read("phaser enforce --stdin", Some(&[])).is_none());
    }

    #[test]
    fn accepts_equally_strict_commands() {
        for (was, is) in [
            ("phaser enforce --stdin", "phaser  enforce   --stdin --quiet"),
            ("phaser enforce --stdin --severity error", "phaser enforce --stdin"),
            ("phaser enforce --stdin --severity error", "phaser enforce --stdin --guard"),
            ("phaser enforce --stdin --severity=error", "phaser enforce --severity error --stdin"),
            ("phaser enforce --stdin --skip a,b", "phaser enforce --stdin --skip b"),
            ("phaser enforce --stdin --only a", "phaser enforce --stdin --only a --only b"),
            ("phaser enforce --stdin --only a", "phaser enforce --stdin"),
            ("phaser enforce --stdin", "phaser enforce --stdin --on-clean defer --pack secrets --strict"),
            ("phaser enforce --stdin --existing report", "phaser enforce --stdin"),
            ("phaser enforce --stdin", "phaser enforce --stdin -q"),
            ("phaser enforce --stdin -q", "phaser enforce --stdin --quiet"),
            ("phaser enforce --stdin", "phaser enforce --stdin --timings --statistics --no-cache"),
            ("phaser enforce --stdin", "phaser enforce --stdin --agent claude"),
            ("phaser enforce --stdin --agent codex", "phaser enforce --stdin"),
            ("phaser enforce --stdin --all", "phaser enforce --stdin"),
            ("phaser enforce --stdin --skip check", "phaser enforce check --stdin --skip check"),
            ("phaser enforce --stdin --pack go,secrets", "phaser enforce --stdin --pack secrets --pack go"),
            ("/opt/phaser enforce --stdin", "phaser enforce --stdin"),
            ("phaser enforce --stdin || true", "phaser enforce --stdin"),
            ("phaser enforce --stdin", "hash phaser && exec phaser enforce --stdin --guard; echo {}"),
            ("hash phaser && exec phaser enforce --stdin; echo {}", "phaser enforce --stdin"),
        ] {
            assert_eq!(less(was, is), None, "{was} → {is}");
        }
    }

    #[test]
    fn reports_weaker_commands() {
        for (was, is, expected) in [
            (
                "phaser enforce --stdin",
                "phaser enforce --stdin --severity error",
                "runs phaser with '--severity error'",
            ),
            ("phaser enforce --stdin", "phaser enforce --stdin --skip x", "runs phaser with '--skip x'"),
            ("phaser enforce --stdin", "phaser enforce --stdin --only x", "runs phaser with '--only x'"),
            (
                "phaser enforce --stdin --only a,b",
                "phaser enforce --stdin --only b",
                "runs phaser without '--only a'",
            ),
            ("phaser enforce --stdin --guard", "phaser enforce --stdin", "runs phaser without '--guard'"),
            ("phaser enforce --stdin", "phaser enforce --stdin --help", "runs phaser with '--help'"),
            (
                "phaser enforce --stdin",
                "phaser enforce --stdin --format text",
                "runs phaser with '--format text'",
            ),
            (
                "phaser enforce --stdin",
                "phaser enforce --stdin --agent cursor",
                "runs phaser with '--agent cursor'",
            ),
            (
                "phaser enforce --stdin --quiet",
                "phaser enforce --stdin --quiet -q",
                "runs phaser with '--quiet --quiet'",
            ),
            ("phaser enforce --stdin", "phaser enforce --stdin -q=1", "runs phaser with '-q=1'"),
            ("phaser enforce --stdin", "phaser enforce --stdin --staged", "runs phaser with '--staged'"),
            (
                "phaser enforce --stdin --timeout 100",
                "phaser enforce --stdin --timeout 1",
                "runs phaser with '--timeout 1'",
            ),
            ("phaser enforce --stdin", "phaser enforce --stdin a.py", "runs phaser with 'a.py'"),
            ("phaser enforce --stdin", "/tmp/phaser enforce --stdin", "runs another program, /tmp/phaser"),
            (
                "phaser enforce --stdin",
                "phaser enforce --stdin >/dev/null",
                "has another command line around phaser",
            ),
            (
                "phaser enforce --stdin",
                "false && phaser enforce --stdin",
                "has another command line around phaser",
            ),
        ] {
            assert_eq!(less(was, is).as_deref(), Some(expected), "{was} → {is}");
        }
    }
}
