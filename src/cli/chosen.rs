//! The arguments that choose contracts, shared by the commands that check files.

use clap::Args;

use phaser_core::contract::Contract;
use phaser_core::contract::selector::Selector;

/// Which contracts are meant.
#[derive(Debug, Default, Args)]
pub struct Chosen {
    /// Only these contracts: ids, globs over ids, or tag:NAME; several with commas, or given several times
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', value_parser = Selector::new)]
    only: Vec<Selector>,

    /// Not these contracts: ids, globs over ids, or tag:NAME; several with commas, or given several times
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', value_parser = Selector::new)]
    skip: Vec<Selector>,
}

impl Chosen {
    /// Does it choose at all?
    pub fn is_everything(&self) -> bool {
        self.only.is_empty() && self.skip.is_empty()
    }

    /// Is this contract chosen?
    pub fn includes(&self, contract: &Contract) -> bool {
        let is_meant = |selectors: &[Selector]| selectors.iter().any(|selector| selector.selects(contract));
        (self.only.is_empty() || is_meant(&self.only)) && !is_meant(&self.skip)
    }

    /// What is said about patterns that mean none of these contracts: the flag, and what was probably meant.
    pub fn unknown(&self, contracts: &[Contract]) -> Vec<(&'static str, String)> {
        let flags = [("--only", &self.only), ("--skip", &self.skip)];
        let all =
            flags.into_iter().flat_map(|(flag, selectors)| selectors.iter().map(move |one| (flag, one)));
        let unknown = all.filter(|(_, one)| !contracts.iter().any(|contract| one.selects(contract)));
        unknown.map(|(flag, one)| (flag, one.no_match_message(contracts.iter()))).collect()
    }
}
