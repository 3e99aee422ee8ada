//! The arguments that choose contracts, shared by the commands that check files.

use clap::Args;

use phaser_core::contract::selector::Selector;
use phaser_project::project::ContractFilter;

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
    /// The filter that the flags describe.
    pub fn filter(&self) -> ContractFilter {
        ContractFilter { only: self.only.clone(), skip: self.skip.clone() }
    }
}
