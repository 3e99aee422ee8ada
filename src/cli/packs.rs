//! `--pack`, shared by the commands that load contracts.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use phaser_project::packs::{PACKS, Pack};

/// Selects every pack.
const ALL: &str = "all";

/// Packs to load in addition to the contract files.
#[derive(Debug, Default, Args)]
pub struct Packs {
    /// Add built-in packs, comma-separated (see 'phaser contracts packs')
    #[arg(long = "pack", value_name = "NAME", value_delimiter = ',', hide_possible_values = true, value_parser = names())]
    names: Vec<String>,
}

impl Packs {
    /// Adds a pack; `None` if the name is unknown.
    pub fn add(&mut self, name: &str) -> Option<()> {
        let is_known = name == ALL || PACKS.iter().any(|pack| pack.name == name);
        is_known.then(|| self.names.push(name.to_owned()))
    }

    /// The selected packs, each once, in the order of `PACKS`.
    pub fn chosen(&self) -> impl Iterator<Item = &'static Pack> {
        let named = |pack: &&Pack| self.names.iter().any(|name| name == pack.name || name == ALL);
        PACKS.iter().filter(named)
    }
}

fn names() -> PossibleValuesParser {
    let packs = PACKS.iter().map(|pack| PossibleValue::new(pack.name).help(pack.description));
    PossibleValuesParser::new(packs.chain([PossibleValue::new(ALL).help("every pack")]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Vec<&'static str> {
        let packs = Packs { names: names.iter().map(ToString::to_string).collect() };
        packs.chosen().map(|pack| pack.name).collect()
    }

    #[test]
    fn repeated_pack_counts_once() {
        assert_eq!(chosen(&["hygiene", "secrets", "hygiene"]), ["secrets", "hygiene"]);
        assert_eq!(chosen(&[]), [""; 0]);
        assert_eq!(chosen(&["go", "all"]).len(), PACKS.len());
    }

    #[test]
    fn no_pack_is_named_all() {
        assert!(phaser_project::packs::find(ALL).is_none());
    }
}
