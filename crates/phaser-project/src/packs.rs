//! Packs: contracts built into phaser.
//!
//! The contract files of a pack are in `packs/NAME`. A test generates `src/packs/NAME.table` from them: a list of ids
//! and records (validated contracts without their examples), then the texts of the files in the same order. Enforcing
//! decodes the records; only listing and testing a pack parses its YAML.

use crate::codec::Decoder;
use phaser_core::contract::{Contract, LayerKind};

/// A set of contracts, built into the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    /// The name in `packs:` and `--pack`.
    pub name: &'static str,
    /// One line for listings.
    pub description: &'static str,
    /// The contracts, encoded.
    pub(crate) table: &'static [u8],
}

/// A contract file of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackFile {
    /// The id of the contract; the file name is the id and `.yaml`.
    pub id: &'static str,
    /// The YAML.
    pub text: &'static str,
}

impl Pack {
    /// The contract files, sorted by name.
    pub fn files(&self) -> Vec<PackFile> {
        let mut rest = Decoder(self.table);
        let ids = rest.list(|table| table.text().filter(|_| table.bytes().is_some())).unwrap_or_default();
        let file = |id| Some(PackFile { id, text: rest.text()? });
        ids.into_iter().map_while(file).collect()
    }
}

/// The pack with this name.
pub fn find(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}

/// The pack that a contract is from.
pub fn of(contract: &Contract) -> Option<&'static Pack> {
    let file = contract.origin.file.to_str().filter(|_| contract.origin.layer == LayerKind::Pack)?;
    let (name, _) = file.strip_prefix(FILE_PREFIX)?.split_once('/')?;
    find(name)
}

/// Starts the name of a pack's file in reports: `pack:python/python-bare-except.yaml`.
pub(crate) const FILE_PREFIX: &str = "pack:";

macro_rules! pack {
    ($name:literal, $description:literal) => {
        Pack {
            name: $name,
            description: $description,
            table: include_bytes!(concat!("packs/", $name, ".table")),
        }
    };
}

/// All packs: general ones, then one per language, then those that a project chooses itself.
pub static PACKS: &[Pack] = &[
    pack!("secrets", "tokens and keys of well-known services, known by their format"),
    pack!(
        "hygiene",
        "leftovers that no repository should keep: merge markers, debuggers, focused tests, private keys"
    ),
    pack!("rust", "mistakes in Rust that compile"),
    pack!("python", "mistakes in Python that run, until they do not"),
    pack!("javascript", "mistakes in JavaScript and TypeScript that pass a quick look"),
    pack!("go", "mistakes in Go that vet does not see"),
    pack!("java", "mistaken comparisons, inexact decimals and SQL injection in Java"),
    pack!("ruby", "requests that reach code, SQL or Marshal in Ruby"),
    pack!("php", "unsafe use of requests and mistaken comparisons in PHP"),
    pack!("csharp", "lost stack traces in C#"),
    pack!("shell", "dangerous commands in shell scripts"),
    pack!("sql", "conditions in SQL files that are never true"),
    pack!("css", "imports and colours without effect in style sheets, and imports over http"),
    pack!("docker", "dangerous steps in Dockerfiles"),
    pack!("terraform", "Terraform that opens a resource to the internet, and modules without a version"),
    pack!("actions", "GitHub Actions: text from outside in a script"),
    pack!(
        "audit",
        "worth a look, often intended: weak secrets, shells, eval, disabled checks, unpinned versions, binary files"
    ),
    pack!("files", "line ends and final newlines, syntax of JSON, YAML and TOML, large files"),
    pack!(
        "change-safety",
        "what a change should not take away: tests, assertions, committed migrations, licences"
    ),
    pack!(
        "commands",
        "commands an agent should not run: skipped hooks, force pushes, rm outside the project, the wrong package manager"
    ),
    pack!(
        "style",
        "customs that a team agrees on: owners of TODOs, reasons for skips, no debug output, no blanket suppressions, no \
         discarded errors"
    ),
    pack!(
        "spelling",
        "old ways to write something in Rust, Python, JavaScript and Go, each with the new one as its fix"
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    #[test]
    fn the_table_lists_the_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
        let names = |path: &Path| -> BTreeSet<String> {
            let entries = std::fs::read_dir(path).expect("a directory of packs");
            let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("a plain name");
            entries.map(|entry| name(entry.expect("readable"))).collect()
        };
        let directories = || names(&root).into_iter().filter(|name| root.join(name).is_dir());
        let on_disk: BTreeMap<_, _> =
            directories().map(|name| (name.clone(), names(&root.join(&name)))).collect();
        let files = |pack: &Pack| pack.files().iter().map(|file| format!("{}.yaml", file.id)).collect();
        let in_table: BTreeMap<_, _> = PACKS.iter().map(|pack| (pack.name.to_owned(), files(pack))).collect();
        assert_eq!(in_table, on_disk);
    }

    #[test]
    fn a_pack_is_found_by_its_name() {
        assert_eq!(find("secrets").map(|pack| pack.name), Some("secrets"));
        assert_eq!(find("Secrets"), None);
    }
}
