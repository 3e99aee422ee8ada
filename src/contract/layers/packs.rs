//! The contracts of a pack: from its table, which was made and validated beforehand, or from its YAML files where
//! examples are wanted.

use super::super::compiled::record;
use super::super::compiled::wire::Bytes;
use super::super::read::{ExamplesWanted, Found};
use super::super::{LayerKind, Origin, syntax};
use crate::pack::{Pack, PackFile};

/// The contracts of a pack.
pub(super) fn read(pack: &'static Pack, examples: ExamplesWanted) -> Found {
    let table = match examples {
        ExamplesWanted::Yes => None,
        ExamplesWanted::No => from_table(pack),
    };
    let mut found = table.unwrap_or_else(|| from_files(pack));
    for contract in &mut found.contracts {
        if !contract.has_tag(pack.name) {
            contract.tags.push(pack.name.to_owned());
        }
    }
    found
}

/// The contracts in the table, if it is that of these files.
fn from_table(pack: &'static Pack) -> Option<Found> {
    let records = Bytes(pack.table).list(Bytes::bytes)?;
    let mut contracts = Vec::with_capacity(records.len());
    for (file, record) in pack.files.iter().zip(&records) {
        contracts.push(record::decode(record, origin(pack, file)).ok()?);
    }
    (records.len() == pack.files.len()).then(|| Found { contracts, warnings: Vec::new() })
}

fn from_files(pack: &'static Pack) -> Found {
    let mut found = Found::default();
    for file in pack.files {
        let built = syntax::read(file.text, origin(pack, file));
        found.contracts.extend(built.contract);
        found.warnings.extend(built.warnings);
    }
    found
}

fn origin(pack: &Pack, file: &PackFile) -> Origin {
    Origin { layer: LayerKind::Pack, file: format!("pack:{}/{}", pack.name, file.name).into() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::contract::compiled::wire::{put_bytes, put_list};
    use crate::contract::{Check, Contract, Examples};
    use crate::matcher;
    use crate::pack::PACKS;

    /// What the table of a pack should hold: its contracts without examples, with what their patterns need.
    fn table(pack: &'static Pack) -> Vec<u8> {
        let with_needs = |mut contract: Contract| {
            let needs = matcher::needs(&contract);
            if let Check::Forbid(pattern) = &mut contract.check {
                pattern.needs = needs;
            }
            record::encode(&contract)
        };
        let records: Vec<_> = from_files(pack).contracts.into_iter().map(with_needs).collect();
        let mut table = Vec::new();
        put_list(&mut table, &records, |out, record| put_bytes(out, record));
        table
    }

    #[test]
    fn the_tables_are_current() {
        const UPDATE: &str = "PHASER_UPDATE_PACKS";
        for pack in PACKS {
            let table = table(pack);
            if std::env::var_os(UPDATE).is_some() {
                let name = format!("src/pack/{}.table", pack.name);
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
                std::fs::write(path, &table).expect("can be written");
            } else {
                assert!(
                    table == pack.table,
                    "the table of {} is not what its files say: write it again with '{UPDATE}=1 cargo test --lib \
                     tables_are_current'",
                    pack.name
                );
            }
        }
    }

    #[test]
    fn the_table_holds_what_the_files_hold_but_examples() {
        for pack in PACKS {
            let (table, files) = (from_table(pack).expect("a table"), from_files(pack));
            assert_eq!((table.warnings, files.warnings), (Vec::new(), Vec::new()));
            let without = |mut contract: Contract| {
                if let Check::Forbid(pattern) = &mut contract.check {
                    pattern.needs = None;
                }
                Contract { examples: Examples::default(), ..contract }
            };
            let plain = |contracts: Vec<Contract>| contracts.into_iter().map(without).collect::<Vec<_>>();
            assert_eq!(plain(table.contracts), plain(files.contracts));
        }
    }

    #[test]
    fn what_the_pack_of_secrets_matches_is_a_secret() {
        for pack in PACKS {
            let secret = |contract: &Contract| contract.has_tag("secret") == (pack.name == "secrets");
            let found = read(pack, ExamplesWanted::No);
            let others: Vec<_> =
                found.contracts.iter().filter(|one| !secret(one)).map(|one| one.id.as_str()).collect();
            let expected: &[&str] = if pack.name == "hygiene" { &["private-key"] } else { &[] };
            assert_eq!(others, expected);
        }
    }

    #[test]
    fn the_name_of_a_pack_is_a_tag() {
        for examples in [ExamplesWanted::Yes, ExamplesWanted::No] {
            let found = read(&PACKS[0], examples);
            assert!(found.contracts.iter().all(|contract| contract.has_tag(PACKS[0].name)));
        }
    }
}
