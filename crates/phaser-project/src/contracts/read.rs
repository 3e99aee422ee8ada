//! Reads the contract files of a directory.
//!
//! A file holds one contract or several. A bad file is a warning; the others are read. Which contract applies if several have one id is decided in
//! [`layers`](super::layers).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use phaser_core::contract::keys::ParsedContract;
use phaser_core::contract::{Contract, ContractSchema, LayerKind, Origin, Warning, syntax};
use phaser_core::deadline::Deadline;

mod folder;
pub mod overlaid;

pub use folder::{files, linked};

/// The largest contract file, in bytes.
pub const MAX_FILE: usize = 64 * 1024;

/// The limit on all contract files of a run together, in bytes, plus 128 per example.
pub const MAX_TOTAL: usize = 16 * 1024 * 1024;

/// The size of a read, in bytes; most contract files are smaller.
const CHUNK: usize = 4096;

/// The memory that an example takes beside its text, in bytes.
const EXAMPLE_SIZE: usize = 128;

/// A directory with contract files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractDirectory {
    /// The kind of its layer.
    pub kind: LayerKind,
    /// The path on disk.
    pub path: PathBuf,
    /// The path in messages.
    pub shown: PathBuf,
    /// Whether only the nested form of version 1.2 is read; flat files are skipped.
    pub nested_only: bool,
}

/// The content of the files of a directory, by relative path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContents {
    /// As on disk.
    OnDisk,
    /// As on disk, except for these files; `None` for a deleted one.
    Changed(BTreeMap<OsString, Option<Vec<u8>>>),
    /// These files and no others, whatever is on disk.
    Only(BTreeMap<String, Vec<u8>>),
}

impl FileContents {
    /// The contract files of a directory, sorted by path; `None` stands for the bytes on disk.
    fn files(
        &self,
        directory: &ContractDirectory,
        warnings: &mut Vec<Warning>,
    ) -> Vec<(OsString, Option<&[u8]>)> {
        let on_disk = match self {
            Self::OnDisk | Self::Changed(_) => folder::names(directory, warnings),
            Self::Only(_) => Vec::new(),
        };
        let on_disk = on_disk.into_iter().map(|name| (name.into_os_string(), None));
        let is_contract = |name: &Path| folder::is_named_like_a_contract(name);
        match self {
            Self::OnDisk => on_disk.collect(),
            Self::Changed(changed) => {
                let mut files: BTreeMap<OsString, Option<&[u8]>> = on_disk.collect();
                for (name, bytes) in changed.iter().filter(|(name, _)| is_contract(name.as_ref())) {
                    match bytes {
                        Some(bytes) => files.insert(name.clone(), Some(bytes)),
                        None => files.remove(name),
                    };
                }
                files.into_iter().collect()
            }
            Self::Only(files) => {
                let files = files.iter().filter(|(name, _)| is_contract(name.as_ref()));
                files.map(|(name, bytes)| (name.into(), Some(bytes.as_slice()))).collect()
            }
        }
    }
}

/// Reads contract files, up to a deadline and a total size.
#[derive(Debug)]
pub struct ContractReader {
    deadline: Deadline,
    room: SizeBudget,
    bytes: Vec<u8>,
}

/// The contracts of a directory.
#[derive(Debug, Default)]
pub struct ReadContracts {
    /// The contracts, in the order of their files.
    pub contracts: Vec<Contract>,
    /// Problems in the files.
    pub warnings: Vec<Warning>,
    /// Changed files that have other bytes on disk.
    pub different_on_disk: Vec<PathBuf>,
}

impl ContractReader {
    /// A reader with this deadline.
    pub fn new(deadline: Deadline) -> Self {
        Self { deadline, room: SizeBudget::new(MAX_TOTAL), bytes: Vec::new() }
    }

    /// Reads the contracts of a directory, which may not exist. A warning counts the files beyond the deadline or
    /// size limit.
    pub fn read(&mut self, directory: &ContractDirectory, contents: &FileContents) -> ReadContracts {
        let mut found = ReadContracts::default();
        let files = contents.files(directory, &mut found.warnings);
        let [inside, shown] = [&directory.path, &directory.shown].map(|path| path.join("").into_os_string());
        let mut path = OsString::new();
        found.contracts.reserve_exact(files.len());
        for (at, (name, bytes)) in files.iter().enumerate() {
            path.clear();
            path.push(&inside);
            path.push(name);
            let mut file = OsString::with_capacity(shown.len() + name.len());
            file.push(&shown);
            file.push(name);
            let origin = Origin { layer: directory.kind, file: file.into() };
            let built = match bytes {
                Some(bytes) => {
                    if matches!(contents, FileContents::Changed(_))
                        && fs::read(&path).ok().as_deref() != Some(bytes)
                    {
                        found.different_on_disk.push(origin.file.clone());
                    }
                    of_bytes(bytes, origin, &mut self.room)
                }
                None => read(path.as_ref(), origin, &mut self.room, &mut self.bytes),
            };
            let unread = match built {
                _ if self.deadline.has_passed() => "timed out".to_owned(),
                Ok(built) => {
                    for one in built {
                        found.add(one, directory.nested_only);
                    }
                    continue;
                }
                Err(OverBudget) => {
                    format!("contracts exceed {} bytes together", self.room.total)
                }
            };
            let (name, left) = (name.display(), files.len() - at);
            let what = format!("{unread}: {left} files from {name} on not loaded (remove unused contracts)");
            found.warnings.push(Warning::about(&directory.shown, what));
            break;
        }
        found
    }
}

impl ReadContracts {
    /// Adds the contents of a document, unless its form is not read.
    fn add(&mut self, built: ParsedContract, nested_only: bool) {
        if nested_only && built.schema == Some(ContractSchema::Flat) {
            return;
        }
        self.contracts.extend(built.contract);
        self.warnings.extend(built.warnings);
    }
}

/// The number of bytes that may still be read.
#[derive(Debug)]
struct SizeBudget {
    total: usize,
    left: usize,
}

/// The size limit is exceeded.
#[derive(Debug)]
struct OverBudget;

impl SizeBudget {
    fn new(total: usize) -> Self {
        Self { total, left: total }
    }

    fn take(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.left = self.left.checked_sub(bytes).ok_or(OverBudget)?;
        Ok(())
    }
}

/// Reads a file; `bytes` is a buffer.
fn read(
    path: &Path,
    origin: Origin,
    room: &mut SizeBudget,
    bytes: &mut Vec<u8>,
) -> Result<Vec<ParsedContract>, OverBudget> {
    match fill(path, bytes) {
        Ok(size) => of_bytes(&bytes[..size], origin, room),
        Err(error) => {
            let warning = Warning::about(&origin.file, format!("cannot be read: {error}"));
            Ok(vec![ParsedContract::broken(warning)])
        }
    }
}

/// Reads a file into a buffer and returns its size; more than [`MAX_FILE`] if it is too large.
fn fill(path: &Path, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut size = 0;
    while size <= MAX_FILE {
        if bytes.len() - size < CHUNK / 2 {
            bytes.resize(bytes.len() * 2 + CHUNK, 0);
        }
        match file.read(&mut bytes[size..]) {
            Ok(0) => break,
            Ok(read) => {
                let is_short = size + read < bytes.len();
                size += read;
                // A short read that ends in a newline is the end of a regular file: saves the read that returns 0.
                if is_short && bytes[size - 1] == b'\n' {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(size)
}

/// Parses the bytes of a file.
fn of_bytes(bytes: &[u8], origin: Origin, room: &mut SizeBudget) -> Result<Vec<ParsedContract>, OverBudget> {
    let shown = &origin.file;
    let broken = |warning| Ok(vec![ParsedContract::broken(warning)]);
    if bytes.len() > MAX_FILE {
        let what = format!("larger than {MAX_FILE} bytes (put its contracts in several files)");
        return broken(Warning::about(shown, what));
    }
    room.take(bytes.len())?;
    let yaml = match std::str::from_utf8(bytes) {
        Ok(yaml) => yaml,
        Err(error) => {
            let newlines = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            return broken(Warning::at(shown, newlines + 1, "not UTF-8 (save the file as UTF-8)"));
        }
    };
    let built = syntax::read_all(yaml, origin);
    for contract in built.iter().filter_map(|one| one.contract.as_ref()) {
        let examples = contract.examples.violating.len() + contract.examples.passing.len();
        room.take(examples * EXAMPLE_SIZE)?;
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &str = "rule: {id: n, type: file_exists, file_glob: x, message: nested}\n";

    fn contract(id: &str) -> String {
        format!("rule_id: {id}\ntype: file_exists\nfile_glob: LICENSE\nmessage: {id}\nseverity: error\n")
    }

    fn directory(files: &[(&str, &[u8])]) -> (tempfile::TempDir, ContractDirectory) {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let path = temporary.path().to_owned();
        for (name, bytes) in files {
            fs::write(path.join(name), bytes).expect("written");
        }
        let directory =
            ContractDirectory { kind: LayerKind::Project, path, shown: "project".into(), nested_only: false };
        (temporary, directory)
    }

    fn reader(total: usize) -> ContractReader {
        ContractReader { room: SizeBudget::new(total), ..ContractReader::new(Deadline::NEVER) }
    }

    fn ids(found: &ReadContracts) -> Vec<&str> {
        found.contracts.iter().map(|contract| contract.id.as_str()).collect()
    }

    fn warnings(found: &ReadContracts) -> Vec<String> {
        found.warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn bad_file_becomes_warning() {
        let large = vec![b'#'; MAX_FILE + 1];
        let good = contract("b");
        let (_temporary, directory) = directory(&[
            ("a.yaml", b"rule_id: ["),
            ("b.yaml", good.as_bytes()),
            ("c.yaml", b"rule_id: a\nmessage: \xff\n"),
            ("d.yaml", &large),
        ]);
        let found = reader(MAX_TOTAL).read(&directory, &FileContents::OnDisk);
        assert_eq!(ids(&found), ["b"]);
        let warnings = warnings(&found);
        assert!(warnings[0].starts_with("project/a.yaml:"), "{warnings:?}");
        assert_eq!(warnings[1], "project/c.yaml:2: not UTF-8 (save the file as UTF-8)");
        assert_eq!(
            warnings[2],
            "project/d.yaml: larger than 65536 bytes (put its contracts in several files)"
        );
    }

    #[test]
    fn skips_flat_files_if_nested_only() {
        let (flat, broken) = (contract("flat"), b"type: nope\n".as_slice());
        let (_temporary, directory) = directory(&[
            ("a.yaml", flat.as_bytes()),
            ("b.yaml", broken),
            ("c.yaml", NESTED.as_bytes()),
            ("d.yaml", b"rule: {id: d}\n"),
        ]);
        let found = reader(MAX_TOTAL)
            .read(&ContractDirectory { nested_only: true, ..directory }, &FileContents::OnDisk);
        assert_eq!(ids(&found), ["n"]);
        assert!(warnings(&found).iter().all(|warning| warning.starts_with("project/d.yaml:")), "{found:?}");
        assert!(!found.warnings.is_empty());
    }

    #[test]
    fn warns_about_too_large_contracts() {
        let texts = ["a", "b", "c", "d"].map(contract);
        let names = ["a.yaml", "b.yaml", "c.yaml", "d.yaml"];
        let files: Vec<_> = names.into_iter().zip(texts.iter().map(String::as_bytes)).collect();
        let (_temporary, directory) = directory(&files);
        let size = texts[0].len();
        assert!(reader(4 * size).read(&directory, &FileContents::OnDisk).warnings.is_empty());
        let total = 2 * size + 9;
        let mut reader = reader(total);
        let found = reader.read(&directory, &FileContents::OnDisk);
        assert_eq!(ids(&found), ["a", "b"]);
        let expected = format!(
            "project: contracts exceed {total} bytes together: 2 files from c.yaml on not loaded \
             (remove unused contracts)"
        );
        assert_eq!(warnings(&found), [expected]);
        assert_eq!(
            reader.read(&directory, &FileContents::OnDisk).contracts.len(),
            0,
            "no room is left for another directory"
        );
    }

    #[test]
    fn examples_count_for_more_than_their_text() {
        let yaml = contract("a") + "examples:\n  passing: [a, b, c, d]\n";
        let (_temporary, directory) = directory(&[("a.yaml", yaml.as_bytes())]);
        let read = |total| reader(total).read(&directory, &FileContents::OnDisk).contracts.len();
        assert_eq!(read(yaml.len() + 4 * EXAMPLE_SIZE), 1);
        assert_eq!(read(yaml.len() + 4 * EXAMPLE_SIZE - 1), 0);
    }

    #[test]
    fn never_opens_irregular_files() {
        let real = contract("real");
        let (_temporary, directory) = directory(&[("real.yaml", real.as_bytes())]);
        let path = &directory.path;
        fs::create_dir(path.join("dir.yaml")).expect("created");
        std::os::unix::fs::symlink("real.yaml", path.join("link.yml")).expect("linked");
        std::os::unix::fs::symlink("gone", path.join("dangling.yaml")).expect("linked");
        std::os::unix::net::UnixListener::bind(path.join("socket.yaml")).expect("bound");
        let found = reader(MAX_TOTAL).read(&directory, &FileContents::OnDisk);
        assert_eq!(ids(&found), ["real", "real"]);
        let warnings = warnings(&found);
        assert!(warnings.iter().all(|warning| warning.contains("not a regular file")), "{warnings:?}");
        assert_eq!(warnings.len(), 2);
    }
}
