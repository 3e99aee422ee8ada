//! The contracts of a pack: from its generated table, or from its YAML files if examples are needed.

use super::super::read::ReadContracts;
use crate::codec::Decoder;
use crate::packs::{FILE_PREFIX, Pack};
use phaser_core::contract::{Contract, LayerKind, Origin, syntax};

pub(super) mod record;

/// All contracts of a pack. Its table has no `examples`.
pub(super) fn read(pack: &'static Pack, examples: bool) -> ReadContracts {
    let table = if examples { None } else { select(pack, |_| true) };
    table.map_or_else(
        || from_files(pack),
        |selected| ReadContracts { contracts: selected.contracts, ..ReadContracts::default() },
    )
}

/// A part of a pack's contracts.
pub(super) struct Selected {
    pub contracts: Vec<Contract>,
    /// The ids of the others.
    pub skipped: Vec<&'static str>,
}

/// Decodes the contracts whose records are wanted. `None` if the table is malformed.
pub(super) fn select(pack: &'static Pack, mut is_wanted: impl FnMut(&[u8]) -> bool) -> Option<Selected> {
    let mut table = Decoder(pack.table);
    let mut selected = Selected { contracts: Vec::new(), skipped: Vec::new() };
    for _ in 0..table.number()? {
        let (id, record) = (table.text()?, table.bytes()?);
        if is_wanted(record) {
            selected.contracts.push(tagged(pack, record::decode(record, origin(pack, id)).ok()?));
        } else {
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
    use std::path::Path;

    use super::*;
    use crate::codec::{put_bytes, put_list};
    use crate::packs::PACKS;
    use phaser_core::contract::{Check, Examples};
    use phaser_core::matcher;

    const ROOT: &str = env!("CARGO_MANIFEST_DIR");
    const UPDATE: &str = "PHASER_UPDATE_PACKS";

    /// One entry of `packs/exclude.yaml`.
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct LeftOut {
        #[serde(rename = "what")]
        _what: String,
        contracts: Vec<String>,
        files: Vec<String>,
    }

    fn left_out() -> Vec<LeftOut> {
        let text = std::fs::read_to_string(Path::new(ROOT).join("packs/exclude.yaml")).expect("is there");
        serde_saphyr::from_str(&text).expect("is YAML")
    }

    /// The `exclude_glob` of a contract.
    fn exclude_of(pack: &Pack, contract: &Contract, left_out: &[LeftOut]) -> Option<String> {
        let is_about_content = contract.check.pattern().is_some();
        let is_named = |name: &String| *name == contract.id || (is_about_content && name == pack.name);
        let of_it = left_out.iter().filter(|entry| entry.contracts.iter().any(is_named));
        let mut files: Vec<&str> = Vec::new();
        for file in of_it.flat_map(|entry| &entry.files) {
            if !files.contains(&file.as_str()) {
                files.push(file);
            }
        }
        (!files.is_empty()).then(|| format!("**/{{{}}}", files.join(",")))
    }

    /// The text of a contract file with this `exclude_glob`.
    fn with_exclude(text: &str, exclude: Option<&str>) -> String {
        let mut lines: Vec<String> =
            text.lines().filter(|line| !line.starts_with("exclude_glob:")).map(str::to_owned).collect();
        if let Some(glob) = exclude {
            let at = lines.iter().position(|line| line.starts_with("file_glob:")).expect("has a glob") + 1;
            lines.insert(at, format!("exclude_glob: '{glob}'"));
        }
        lines.join("\n") + "\n"
    }

    /// The id and the expected text of each file of a pack, sorted by file name.
    fn files(pack: &Pack) -> Vec<(String, String)> {
        let left_out = left_out();
        let directory = Path::new(ROOT).join("packs").join(pack.name);
        let entries = std::fs::read_dir(directory).expect("a directory");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        let one = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).expect("is there");
            let id = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            let contract = syntax::read(&text, origin(pack, &id)).contract.expect("is valid");
            (id, with_exclude(&text, exclude_of(pack, &contract, &left_out).as_deref()))
        };
        paths.iter().map(one).collect()
    }

    /// The expected table of a pack: its contracts without examples, with their required literals, and its files.
    fn table(pack: &Pack, files: &[(String, String)]) -> Vec<u8> {
        let record = |(id, text): &(String, String)| {
            let mut contract = syntax::read(text, origin(pack, id)).contract.expect("is valid");
            let literals = matcher::required_literals(&contract).map(Box::new);
            if let Check::Forbid(check) = &mut contract.check {
                check.pattern.literals = literals;
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

    /// Files match `packs/exclude.yaml`, and tables match the files.
    #[test]
    fn the_tables_are_current() {
        for pack in PACKS {
            let files = files(pack);
            let table = table(pack, &files);
            if std::env::var_os(UPDATE).is_some() {
                let directory = Path::new(ROOT).join("packs").join(pack.name);
                for (id, text) in &files {
                    std::fs::write(directory.join(format!("{id}.yaml")), text).expect("can be written");
                }
                let path = Path::new(ROOT).join(format!("src/packs/{}.table", pack.name));
                std::fs::write(path, &table).expect("can be written");
                continue;
            }
            let again = format!("write it again with '{UPDATE}=1 cargo test --lib tables_are_current'");
            for (id, text) in &files {
                let path = Path::new(ROOT).join("packs").join(pack.name).join(format!("{id}.yaml"));
                let on_disk = std::fs::read_to_string(path).expect("is there");
                assert_eq!(on_disk, *text, "'exclude_glob' in {id} is not current: {again}");
            }
            assert!(table == pack.table, "the table of {} is not what its files say: {again}", pack.name);
        }
    }

    #[test]
    fn exclusions_name_only_known_contracts() {
        let known = |name: &String| {
            let mut files = PACKS.iter().flat_map(Pack::files);
            PACKS.iter().any(|pack| pack.name == name) || files.any(|file| file.id == name)
        };
        let strangers: Vec<_> =
            left_out().into_iter().flat_map(|entry| entry.contracts).filter(|name| !known(name)).collect();
        assert_eq!(strangers, [""; 0]);
    }

    #[test]
    fn table_matches_files_without_examples() {
        for pack in PACKS {
            let (table, files) = (select(pack, |_| true).expect("a table"), from_files(pack));
            assert_eq!(files.warnings, []);
            let without = |mut contract: Contract| {
                if let Check::Forbid(check) = &mut contract.check {
                    check.pattern.literals = None;
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
                "hygiene" => &["dotenv-file", "private-key-in-tests", "private-key", "putty-private-key"],
                _ => &[],
            };
            assert_eq!(others, expected);
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
