//! Contracts against one text, without a project.

use phaser_core::contract::{Contract, Warning, WarningEffect};
use phaser_core::matcher::{self, Directives};
use phaser_core::path::RelPath;
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::text::Text;
use phaser_core::violation::Violation;
use phaser_project::project::TIMEOUT;

/// A set of contracts, ready to check texts. Does no I/O.
#[derive(Debug)]
pub struct Matcher(matcher::Matcher);

impl Matcher {
    /// A matcher of the enabled contracts.
    ///
    /// # Errors
    ///
    /// If a pattern is invalid: one warning per contract.
    pub fn new(contracts: impl IntoIterator<Item = Contract>) -> Result<Self, Vec<Warning>> {
        let options = matcher::Options::new(TIMEOUT, Directives::Honoured);
        let (matcher, warnings) = matcher::Matcher::validated(contracts.into_iter().collect(), options);
        if warnings.iter().any(|warning| warning.effect == WarningEffect::ContractSkipped) {
            Err(warnings)
        } else {
            Ok(Self(matcher))
        }
    }

    /// The violations of a text at `path`, relative to the root, in every state. Requirements on the project as a whole are
    /// not judged.
    ///
    /// # Errors
    ///
    /// If the text could not be checked completely: it is not text, or a pattern ran out of its limit.
    pub fn check(&self, path: &str, text: &[u8]) -> Result<Vec<Violation>, Skipped> {
        let path = RelPath::from(path);
        let Some(readable) = Text::new(text) else {
            return Err(Skipped { why: SkipReason::not_text(text), path });
        };
        let selection = self.0.select(&path, None);
        let checked = self.0.check(&selection, &path, Some(&readable));
        match checked.skipped.into_iter().next() {
            Some(skipped) => Err(skipped),
            None => Ok(checked.violations),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_size_of_text() {
        let small =
            "rule_id: small\ntype: file_size\nmax_lines: 1\nfile_glob: '**'\nmessage: m\nseverity: error\n";
        let matcher =
            Matcher::new([Contract::from_yaml(small, "a.yaml").expect("a contract")]).expect("valid");
        let found = |text: &[u8]| matcher.check("a.txt", text).expect("checked").len();
        assert_eq!((found(b"x\n"), found(b"x\ny\n")), (0, 1));
    }
}
