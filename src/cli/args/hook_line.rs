//! The fast path for a hook's command line: reads it without clap, which would cost more than everything else a hook does
//! before it reads its event.
//!
//! The table of flags lists which flags are read here. Anything else falls back to clap: an unknown word, a repeated flag,
//! `--flag=value`, an invalid value. A line read here gives the same arguments as clap's parser; a test compares them.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;

use super::{EnforceArgs, SeverityFilter, agent_named};
use crate::agents::OnClean;
use crate::flags::{self, FlagValues};

/// The arguments after `phaser enforce`, or `None` if clap has to read them.
pub(super) fn read(words: &[OsString]) -> Option<EnforceArgs> {
    let mut check = EnforceArgs::default();
    let mut seen: Vec<&str> = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let flag = flags::find(word.to_str()?).filter(|flag| flag.in_hooks)?;
        if seen.contains(&flag.name) && !flag.takes.repeats() {
            return None;
        }
        seen.push(flag.name);
        let value = match flag.takes {
            FlagValues::Nothing => OsStr::new(""),
            _ => words.next().filter(|value| is_plain(value))?,
        };
        check.set(flag.name, value)?;
    }
    check.stdin.then_some(check)
}

/// Whether clap takes the word as a value after any flag.
fn is_plain(value: &OsStr) -> bool {
    !value.is_empty() && !value.as_encoded_bytes().starts_with(b"-")
}

impl EnforceArgs {
    fn set(&mut self, name: &str, value: &OsStr) -> Option<()> {
        match name {
            "--stdin" => self.stdin = true,
            "--guard" => self.guard = true,
            "--strict" => self.strict = true,
            "--quiet" => self.quiet = true,
            "--contracts-dir" => self.contracts_dir = Some(value.into()),
            "--severity" => self.severity = SeverityFilter::from_str(value.to_str()?, false).ok()?,
            "--on-clean" => self.on_clean = OnClean::from_str(value.to_str()?, false).ok()?,
            "--agent" => self.agent = Some(agent_named(value.to_str()?)?),
            "--timeout" => self.limits = self.limits.with_timeout(value.to_str()?)?,
            "--pack" => value.to_str()?.split(',').try_for_each(|name| self.packs.add(name))?,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};
    use proptest::prelude::*;

    use super::*;

    fn by_the_parser(words: &[OsString]) -> Option<EnforceArgs> {
        let command = EnforceArgs::augment_args(clap::Command::new("enforce")).no_binary_name(true);
        EnforceArgs::from_arg_matches(&command.try_get_matches_from(words).ok()?).ok()
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn reads_exactly_the_flags_of_the_table() {
        let value = |flag: &flags::Flag| match flag.name {
            "--agent" => "codex",
            "--severity" => "error",
            "--on-clean" => "defer",
            "--pack" => "go,secrets",
            "--timeout" => "7",
            _ => "x",
        };
        for flag in flags::FLAGS.iter().filter(|flag| flag.name != "--stdin") {
            let line = match flag.takes {
                FlagValues::Nothing => format!("--stdin {}", flag.name),
                _ => format!("--stdin {} {}", flag.name, value(flag)),
            };
            let read = read(&words(&line));
            assert_eq!(read.is_some(), flag.in_hooks, "{line}");
            if read.is_some() {
                assert_eq!(format!("{read:?}"), format!("{:?}", by_the_parser(&words(&line))), "{line}");
            }
        }
    }

    #[test]
    fn reads_installed_lines() {
        for line in [
            "--stdin",
            "--stdin --guard",
            "--stdin --guard --on-clean defer",
            "--stdin --severity error",
            "--stdin --severity warning --pack secrets --pack go",
            "--stdin --pack secrets,go",
            "--stdin --guard --agent codex",
            "--stdin --contracts-dir rules --timeout 50 -q --strict",
        ] {
            assert!(read(&words(line)).is_some(), "{line}");
        }
    }

    #[test]
    fn falls_back_to_clap() {
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
            "--stdin --pack secrets,",
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
        fn agrees_with_clap(
            line in prop::collection::vec(prop::sample::select(vec![
                "--stdin", "--guard", "--strict", "--quiet", "-q", "--contracts-dir", "--severity", "--on-clean", "--agent",
                "--timeout", "--pack", "a", "error", "all", "defer", "codex", "7", "0", "secrets", "secrets,go", "--all", "-", "--", "",
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
