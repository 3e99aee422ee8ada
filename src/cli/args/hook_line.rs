//! The command lines that hooks have, read word by word. Describing all arguments to the parser would take longer than
//! all else that a hook does before it reads its event.
//!
//! Whatever is not certain is left to the parser: a word that is not known here, one that is there twice, a value that
//! is wrong. What is read here is read as the parser would.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;

use super::super::chosen::Chosen;
use super::super::colour::Color;
use super::super::packs::Packs;
use super::{AgentArg, Check, FailOn, Limits, OnCleanArg, SeverityFilter};

/// The arguments that these words are, if they ask for the answer to a hook event and nothing about them is doubtful. The
/// name of the command is not among them.
pub(super) fn read(words: &[OsString]) -> Option<Check> {
    let mut check = plain(Limits::usual()?);
    let mut seen: Vec<&str> = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.to_str()?;
        let flag = match name {
            "--stdin" => Some(&mut check.stdin),
            "--guard" => Some(&mut check.guard),
            "--strict" => Some(&mut check.strict),
            "--quiet" | "-q" => Some(&mut check.quiet),
            _ => None,
        };
        match flag {
            Some(true) => return None,
            Some(flag) => *flag = true,
            None => {
                let value = words.next().filter(|value| is_plain(value))?;
                if seen.contains(&name) {
                    return None;
                }
                seen.extend((name != PACK).then_some(name));
                check.set(name, value)?;
            }
        }
    }
    check.stdin.then_some(check)
}

const PACK: &str = "--pack";

/// May the word be a value, whatever stands before it?
fn is_plain(value: &OsStr) -> bool {
    !value.is_empty() && !value.as_encoded_bytes().starts_with(b"-")
}

impl Check {
    fn set(&mut self, name: &str, value: &OsStr) -> Option<()> {
        match name {
            "--contracts-dir" => self.contracts_dir = Some(value.into()),
            "--severity" => self.severity = SeverityFilter::from_str(value.to_str()?, false).ok()?,
            "--on-clean" => self.on_clean = OnCleanArg::from_str(value.to_str()?, false).ok()?,
            "--agent" => self.agent = Some(AgentArg::from_str(value.to_str()?, false).ok()?),
            "--timeout" => self.limits = self.limits.with_timeout(value.to_str()?)?,
            PACK => self.packs.add(value.to_str()?)?,
            _ => return None,
        }
        Some(())
    }
}

/// What no arguments at all say.
fn plain(limits: Limits) -> Check {
    Check {
        stdin: false,
        guard: false,
        agent: None,
        file: Vec::new(),
        all: false,
        staged: false,
        diff: None,
        paths: Vec::new(),
        severity: SeverityFilter::All,
        format: None,
        output: None,
        new_lines: false,
        existing: None,
        shard: None,
        contracts_dir: None,
        contracts_from: None,
        packs: Packs::default(),
        chosen: Chosen::default(),
        limits,
        cache: false,
        no_cache: false,
        fail_on: FailOn::Error,
        on_clean: OnCleanArg::Allow,
        strict: false,
        no_ignores: false,
        no_baseline: false,
        statistics: false,
        timings: false,
        color: Color::Auto,
        quiet: false,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};
    use proptest::prelude::*;

    use super::*;

    fn by_the_parser(words: &[OsString]) -> Option<Check> {
        let command = Check::augment_args(clap::Command::new("enforce")).no_binary_name(true);
        Check::from_arg_matches(&command.try_get_matches_from(words).ok()?).ok()
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn the_lines_that_are_installed_are_read() {
        for line in [
            "--stdin",
            "--stdin --guard",
            "--stdin --guard --on-clean defer",
            "--stdin --severity error",
            "--stdin --severity warning --pack secrets --pack go",
            "--stdin --guard --agent codex",
            "--stdin --contracts-dir rules --timeout 50 -q --strict",
        ] {
            assert!(read(&words(line)).is_some(), "{line}");
        }
    }

    #[test]
    fn what_is_doubtful_is_left_to_the_parser() {
        for line in [
            "",
            "--guard",
            "--stdin --stdin",
            "--stdin -q --quiet",
            "--stdin a.py",
            "--stdin --severity",
            "--stdin --severity=error",
            "--stdin --severity Error",
            "--stdin --severity error --severity error",
            "--stdin --timeout x",
            "--stdin --pack nonsense",
            "--stdin --contracts-dir --guard",
            "--stdin --help",
            "--stdin --",
        ] {
            assert!(read(&words(line)).is_none(), "{line}");
        }
        assert!(read(&["--stdin", "--contracts-dir", ""].map(OsString::from)).is_none());
    }

    proptest! {
        #[test]
        fn what_is_read_here_the_parser_reads_alike(
            line in prop::collection::vec(prop::sample::select(vec![
                "--stdin", "--guard", "--strict", "--quiet", "-q", "--contracts-dir", "--severity", "--on-clean", "--agent",
                "--timeout", "--pack", "a", "error", "all", "defer", "codex", "7", "0", "secrets", "--all", "-", "--", "",
                "--stdin", "--stdin", "99999999999999999999", "--on-clean=defer",
            ]), 0..7),
        ) {
            let words: Vec<OsString> = line.into_iter().map(Into::into).collect();
            if let Some(read) = read(&words) {
                prop_assert_eq!(format!("{:?}", Some(read)), format!("{:?}", by_the_parser(&words)));
            }
        }
    }
}
