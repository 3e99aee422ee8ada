//! The contracts of a pack: from its generated table, or from its YAML files if examples are needed.

use std::path::Path;

use super::super::read::ReadContracts;
use crate::codec::Decoder;
use crate::packs::{FILE_PREFIX, Pack};
use phaser_core::contract::{Contract, LayerKind, Origin, Warning, syntax};

pub(super) mod record;

/// All contracts of a pack. Its table has no `examples`.
pub(super) fn read(pack: &'static Pack, examples: bool) -> ReadContracts {
    let table = if examples { None } else { select(pack, |_| true) };
    table.map_or_else(
        || from_files(pack),
        |selected| ReadContracts {
            warnings: selected.warning(pack).into_iter().collect(),
            contracts: selected.contracts,
            ..ReadContracts::default()
        },
    )
}

/// A part of a pack's contracts.
pub(super) struct Selected {
    pub contracts: Vec<Contract>,
    /// The ids of the others.
    pub skipped: Vec<&'static str>,
    /// The number of wanted contracts that this build cannot judge.
    unjudged: usize,
}

impl Selected {
    /// The warning about contracts that this build cannot judge.
    pub fn warning(&self, pack: &Pack) -> Option<Warning> {
        let what = match self.unjudged {
            0 => return None,
            1 => "1 contract needs".to_owned(),
            count => format!("{count} contracts need"),
        };
        let what = format!("{what} syntax trees (install a build of phaser with the feature 'syntax')");
        Some(Warning::about(Path::new(&[FILE_PREFIX, pack.name].concat()), what))
    }
}

/// Decodes the contracts whose records are wanted. `None` if the table is malformed.
pub(super) fn select(pack: &'static Pack, mut is_wanted: impl FnMut(&[u8]) -> bool) -> Option<Selected> {
    let mut table = Decoder(pack.table);
    let mut selected = Selected { contracts: Vec::new(), skipped: Vec::new(), unjudged: 0 };
    for _ in 0..table.number()? {
        let (id, record) = (table.text()?, table.bytes()?);
        let is_judged = cfg!(feature = "syntax") || !record::needs_syntax(record);
        if !is_wanted(record) {
            selected.skipped.push(id);
        } else if is_judged {
            selected.contracts.push(tagged(pack, record::decode(record, origin(pack, id)).ok()?));
        } else {
            selected.unjudged += 1;
            selected.skipped.push(id);
        }
    }
    Some(selected)
}

/// Adds the name of the pack as a tag.
fn tagged(pack: &Pack, mut contract: Contract) -> Contract {
    if !contract.has_tag(pack.name) {
        contract.tags.push(pack.name.to_owned());
    }
    contract
}

fn from_files(pack: &'static Pack) -> ReadContracts {
    let mut found = ReadContracts::default();
    for file in pack.files() {
        let built = syntax::read(file.text, origin(pack, file.id));
        found.contracts.extend(built.contract.map(|contract| tagged(pack, contract)));
        found.warnings.extend(built.warnings);
    }
    found
}

fn origin(pack: &Pack, id: &str) -> Origin {
    Origin { layer: LayerKind::Pack, file: [FILE_PREFIX, pack.name, "/", id, ".yaml"].concat().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{put_bytes, put_list};
    use crate::packs::PACKS;
    #[cfg(feature = "syntax")]
    use phaser_core::contract::Examples;
    use phaser_core::matcher;

    const ROOT: &str = env!("CARGO_MANIFEST_DIR");
    const UPDATE: &str = "PHASER_UPDATE_PACKS";

    /// The id and the text of each file of a pack, sorted by file name.
    fn files(pack: &Pack) -> Vec<(String, String)> {
        let directory = Path::new(ROOT).join("packs").join(pack.name);
        let entries = std::fs::read_dir(directory).expect("a directory");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        let one = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).expect("is there");
            let id = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            (id, text)
        };
        paths.iter().map(one).collect()
    }

    /// The expected table of a pack: its contracts without examples, with their required literals, and its files.
    fn table(pack: &Pack, files: &[(String, String)]) -> Vec<u8> {
        let record = |(id, text): &(String, String)| {
            let mut contract = syntax::read(text, origin(pack, id)).contract.expect("is valid");
            let literals = matcher::required_literals(&contract).map(Box::new);
            if let Some(pattern) = contract.check.stored_prefilter() {
                pattern.literals = literals;
            }
            record::encode(&contract)
        };
        let mut table = Vec::new();
        put_list(&mut table, files, |out, file| {
            put_bytes(out, file.0.as_bytes());
            put_bytes(out, &record(file));
        });
        files.iter().for_each(|(_, text)| put_bytes(&mut table, text.as_bytes()));
        table
    }

    /// Tables match the files.
    #[test]
    fn the_tables_are_current() {
        if !cfg!(feature = "syntax") {
            assert!(
                std::env::var_os(UPDATE).is_none(),
                "add '--features syntax', or run it in the whole workspace"
            );
            return;
        }
        for pack in PACKS {
            let files = files(pack);
            let table = table(pack, &files);
            if std::env::var_os(UPDATE).is_some() {
                let path = Path::new(ROOT).join(format!("src/packs/{}.table", pack.name));
                std::fs::write(path, &table).expect("can be written");
                continue;
            }
            let again = format!(
                "write it again with '{UPDATE}=1 cargo test -p phaser-project --features syntax tables_are_current'"
            );
            assert!(table == pack.table, "the table of {} is not what its files say: {again}", pack.name);
        }
    }

    #[cfg(feature = "syntax")]
    #[test]
    fn table_matches_files_without_examples() {
        for pack in PACKS {
            let (table, files) = (select(pack, |_| true).expect("a table"), from_files(pack));
            assert_eq!(files.warnings, []);
            let without = |mut contract: Contract| {
                if let Some(pattern) = contract.check.stored_prefilter() {
                    pattern.literals = None;
                }
                Contract { examples: Examples::default(), ..contract }
            };
            let plain = |contracts: Vec<Contract>| contracts.into_iter().map(without).collect::<Vec<_>>();
            assert_eq!(plain(table.contracts), plain(files.contracts));
        }
    }

    #[test]
    fn secrets_pack_is_tagged_secret() {
        for pack in PACKS {
            let secret = |contract: &Contract| contract.has_tag("secret") == (pack.name == "secrets");
            let found = read(pack, false);
            let others: Vec<_> =
                found.contracts.iter().filter(|one| !secret(one)).map(|one| one.id.as_str()).collect();
            let expected: &[&str] = match pack.name {
                "hygiene" => &["private-key", "putty-private-key"],
                "audit" => &[
                    "alibaba-access-key-id",
                    "aws-secret-access-key",
                    "dotenv-file",
                    "google-api-key",
                    "google-oauth-access-token",
                    "json-web-token",
                    "private-key-in-samples",
                    "private-key-in-tests",
                    "twilio-api-key",
                    "url-password",
                ],
                "style" => &["token-in-tests"],
                _ => &[],
            };
            assert_eq!(others, expected);
        }
    }

    /// Such a build has the others.
    #[cfg(not(feature = "syntax"))]
    #[test]
    fn build_without_syntax_names_feature() {
        for (name, is_partial) in [("javascript", true), ("commands", false)] {
            let found = read(crate::packs::find(name).expect("a pack"), false);
            let warnings: Vec<_> =
                found.warnings.iter().map(|warning| warning.lines().collect::<String>()).collect();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(warnings[0].contains(name) && warnings[0].contains("'syntax'"), "{warnings:?}");
            assert_eq!(!found.contracts.is_empty(), is_partial);
        }
    }

    #[test]
    fn pack_name_is_a_tag() {
        for examples in [true, false] {
            let found = read(&PACKS[0], examples);
            assert!(found.contracts.iter().all(|contract| contract.has_tag(PACKS[0].name)));
        }
    }
}
