//! The contracts of a directory in one file, an index, so that a run need not read each of theirs.
//! `phaser contracts compile` writes it, and nothing needs it.
//!
//! What it says of a contract file counts only while the file is provably the one that was compiled: the same inode, with
//! the same size, the same time of modification and the same time of change, which no program can set. A file is left
//! out that changed so shortly before that another change might not show. Where there are no such times, there is no
//! compiled directory. A file with anything wrong or doubtful in it is left out too, so that its warnings stay.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use super::read::{self, Candidate, Directory, Room};
use crate::atomic_write::{of_a_new_file, replace};
use crate::codec::{Bytes, put_bytes, put_list, put_number};
use crate::stamp::{COARSE, FINE, Stamp};
use phaser_core::contract::{Check, Contract, Needs};

pub(super) mod record;

/// Where it is in a directory with contracts.
const FOLDER: &str = ".compiled";
const FILE: &str = "index";

/// What it was written by; one of another version is passed over. The number changes with the form of the file, and with
/// what the matcher takes for needed.
const VERSION: &str = concat!("phaser ", env!("CARGO_PKG_VERSION"), " index 7");

/// The largest that is read: all contracts that there may be, and what is known of them.
const MAX_SIZE: usize = 4 * read::MAX_TOTAL;

/// What every match of a contract's pattern holds, as far as the matcher can tell.
pub type Needed = fn(&Contract) -> Option<Needs>;

/// A compiled directory.
#[derive(Debug)]
pub struct Compiled<'a> {
    head: Head<'a>,
    /// How many files have been passed.
    passed: usize,
    /// What is known of the others, in the order of their names: nothing of those that must be read.
    rest: Bytes<'a>,
}

/// What a compiled directory starts with.
#[derive(Debug)]
struct Head<'a> {
    /// The directory and those in it, by their paths from there, if they hold what is named here and nothing else.
    folders: Vec<Folder<'a>>,
    /// All files that are named like contracts, in order, by their paths from the directory.
    names: Vec<&'a str>,
}

/// A directory, by its path from the one that was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Folder<'a> {
    path: &'a str,
    stamp: Stamp,
}

impl<'a> Folder<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.path.as_bytes());
        self.stamp.put(out);
    }

    fn take(bytes: &mut Bytes<'a>) -> Option<Self> {
        Some(Self { path: bytes.text()?, stamp: Stamp::take(bytes)? })
    }
}

impl<'a> Head<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, VERSION.as_bytes());
        put_list(out, &self.folders, |out, folder| folder.put(out));
        put_list(out, &self.names, |out, name| put_bytes(out, name.as_bytes()));
    }

    /// The head at the start of some bytes, if this phaser wrote them.
    fn take(bytes: &mut Bytes<'a>) -> Option<Self> {
        bytes.text().filter(|version| *version == VERSION)?;
        Some(Self { folders: bytes.list(Folder::take)?, names: bytes.list(Bytes::text)? })
    }
}

/// What is known of one file.
#[derive(Debug)]
struct Known<'a> {
    stamp: Stamp,
    /// How much of the room for contracts it takes.
    weight: usize,
    /// Its contract.
    record: &'a [u8],
}

impl<'a> Known<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.stamp.put(out);
        put_number(out, self.weight);
        put_bytes(out, self.record);
    }

    fn take(bytes: &mut Bytes<'a>) -> Option<Self> {
        Some(Self { stamp: Stamp::take(bytes)?, weight: bytes.number()?, record: bytes.bytes()? })
    }
}

/// What was compiled of a file.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    /// Its contract, without examples.
    pub(super) record: &'a [u8],
    /// How much of the room for contracts it takes.
    pub(super) weight: usize,
}

/// Has a directory a compiled form, fresh or not?
pub fn exists(directory: &Path) -> bool {
    fs::symlink_metadata(directory.join(FOLDER).join(FILE)).is_ok()
}

/// The bytes of the compiled form of a directory, if there is one.
pub fn read(directory: &Path) -> Option<Vec<u8>> {
    let path = directory.join(FOLDER).join(FILE);
    // Opening anything else might hang.
    let size = fs::symlink_metadata(&path).ok().filter(Metadata::is_file)?.len();
    let mut bytes = vec![0; usize::try_from(size).ok().filter(|size| *size <= MAX_SIZE)?];
    File::open(&path).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
    Some(bytes)
}

impl<'a> Compiled<'a> {
    /// What the bytes say, if this phaser wrote them.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Bytes(bytes);
        Some(Self { head: Head::take(&mut rest)?, passed: 0, rest })
    }

    /// The names of all contract files, if the directory is the one that was compiled, with the same files in it.
    pub fn names(&self, directory: &Path) -> Option<&[&'a str]> {
        let folders = &self.head.folders;
        let is_fresh = |folder: &Folder<'_>| Some(folder.stamp) == Stamp::of(&directory.join(folder.path));
        (!folders.is_empty() && folders.iter().all(is_fresh)).then_some(&self.head.names)
    }

    /// The record of a file of the directory, if the file is the one that was compiled. Files must be asked for in the
    /// order of their names.
    pub(super) fn take(&mut self, name: &str, path: &Path) -> Option<Taken<'a>> {
        let Known { stamp, weight, record } = self.pass(name)?;
        (Stamp::of(path) == Some(stamp)).then_some(Taken { record, weight })
    }

    /// What is known of the file with this name; it is passed, with all before it.
    fn pass(&mut self, name: &str) -> Option<Known<'a>> {
        while let Some(next) = self.head.names.get(self.passed).filter(|next| **next <= name) {
            let known = match self.rest.byte()? {
                0 => None,
                _ => Some(Known::take(&mut self.rest)?),
            };
            self.passed += 1;
            if *next == name {
                return known;
            }
        }
        None
    }
}

/// What became of the files of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many contracts were compiled.
    pub compiled: usize,
    /// The files that are still read one by one.
    pub left_out: Vec<PathBuf>,
}

/// Compiles the contracts of a directory, if it has any; otherwise takes away what was compiled before.
///
/// Waits, if files changed a moment ago, until another change would show.
pub fn compile(directory: &Directory, needed: Needed) -> io::Result<Option<Summary>> {
    let folder = directory.path.join(FOLDER);
    if read::files(directory, &mut Vec::new()).is_empty() {
        return match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(None),
        };
    }
    Stamp::of(&directory.path).ok_or_else(unsupported)?;
    make(&folder)?;
    let now = wait_for_changes_to_show(directory, &folder)?;
    let (mut summary, mut warnings) = (Summary::default(), Vec::new());
    let paths = read::folders(directory).unwrap_or_default();
    let folders = stamped(directory, &paths, &now);
    let files = read::files(directory, &mut warnings);
    let (mut names, mut known) = (Vec::new(), Vec::new());
    for file in &files {
        let contract = contract(file, &now, needed);
        match contract {
            Some(_) => summary.compiled += 1,
            None => summary.left_out.push(file.origin.file.clone()),
        }
        if let Some(name) = directory.name_of(&file.path) {
            names.push(name);
            known.push(u8::from(contract.is_some()));
            if let Some((stamp, weight, contract)) = contract {
                Known { stamp, weight, record: &record::encode(&contract) }.put(&mut known);
            }
        }
    }
    let is_whole = names.len() == files.len() && warnings.is_empty();
    let folders =
        folders.filter(|folders| is_whole && stamped(directory, &paths, &now).as_ref() == Some(folders));
    let mut index = Vec::new();
    Head { folders: folders.unwrap_or_default(), names }.put(&mut index);
    index.append(&mut known);
    replace(&folder.join(FILE), &index)?;
    Ok(Some(summary))
}

/// Directories of a directory, if another change in any of them would show.
fn stamped<'a>(directory: &Directory, paths: &'a [PathBuf], now: &Stamp) -> Option<Vec<Folder<'a>>> {
    let one = |path: &'a PathBuf| {
        let stamp = Stamp::of(&directory.path.join(path)).filter(|stamp| stamp.is_settled(now))?;
        Some(Folder { path: path.to_str()?, stamp })
    };
    paths.iter().map(one).collect()
}

/// Makes the folder, of which git is to know nothing: it is of no use to others.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let ignore = folder.join(".gitignore");
    if ignore.exists() { Ok(()) } else { fs::write(ignore, "*\n") }
}

/// Waits until no file of the directory has changed a moment ago, but not for ever, and tells the time.
fn wait_for_changes_to_show(directory: &Directory, folder: &Path) -> io::Result<Stamp> {
    let start = Instant::now();
    loop {
        let now = clock(folder)?;
        let files = read::files(directory, &mut Vec::new());
        let folders = read::folders(directory).unwrap_or_default();
        let folders = folders.iter().map(|folder| directory.path.join(folder));
        let mut paths = files.iter().map(|file| file.path.clone()).chain(folders);
        let is_settled = |path: PathBuf| Stamp::of(&path).is_some_and(|stamp| stamp.is_settled(&now));
        if paths.all(is_settled) || start.elapsed() > COARSE + FINE {
            return Ok(now);
        }
        thread::sleep(FINE / 4);
    }
}

/// The stamp of a file that is made now.
fn clock(folder: &Path) -> io::Result<Stamp> {
    Stamp::from_metadata(&of_a_new_file(folder)?).ok_or_else(unsupported)
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "files have no time of change here")
}

/// What is known of a file, if it is a contract without anything doubtful in it and does not change: its stamp, how much
/// room it takes, and the contract with what its pattern needs.
fn contract(file: &Candidate, now: &Stamp, needed: Needed) -> Option<(Stamp, usize, Contract)> {
    let stamp = Stamp::of(&file.path).filter(|stamp| stamp.is_settled(now))?;
    let mut room = Room::new(read::MAX_TOTAL);
    let built = read::read(&file.path, file.origin.clone(), &mut room, &mut Vec::new()).ok()?;
    let mut contract = built.contract.filter(|_| built.warnings.is_empty())?;
    let needs = needed(&contract).map(Box::new);
    if let Check::Forbid(pattern) = &mut contract.check {
        pattern.needs = needs;
    }
    (Stamp::of(&file.path) == Some(stamp)).then(|| (stamp, room.taken(), contract))
}

/// How many contract files of a compiled directory are taken from what was compiled, and how many there are.
pub fn fresh(directory: &Directory) -> Option<(usize, usize)> {
    let bytes = read(&directory.path)?;
    let mut compiled = Compiled::parse(&bytes)?;
    let files = read::files(directory, &mut Vec::new());
    let mut is_fresh = |file: &&Candidate| {
        directory.name_of(&file.path).is_some_and(|name| compiled.take(name, &file.path).is_some())
    };
    let fresh = files.iter().filter(|file| is_fresh(file)).count();
    Some((fresh, files.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contracts::layers::{Layer, Loading, load};
    use crate::contracts::read::Forms;
    use phaser_core::contract::{Examples, LayerKind, Origin, syntax};

    const YAML: &str = "rule_id: no-todo\ntype: forbid_pattern\npattern: TODO\nfile_glob: '**'\n\
        message: m\nrationale: r\nseverity: error\ntags: [a, b]\n";

    fn directory(temporary: &tempfile::TempDir) -> Directory {
        let path = temporary.path().to_owned();
        Directory { kind: LayerKind::Project, path, shown: "shown".into(), forms: Forms::Both }
    }

    fn needed(_: &Contract) -> Option<Needs> {
        Some(Needs { texts: vec![Box::from(*b"todo")], run: Some(([1, 2, 3, 4], 16)) })
    }

    #[test]
    fn a_contract_is_what_it_was_but_for_its_examples() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let directory = directory(&temporary);
        let nested = "version: 1\nrule:\n  id: a\n  type: require_pattern\n  pattern: x\n  file_glob: a/*.rs\n  \
            message: m\nenabled: no\nexamples:\n  violating: [y]\n";
        let kinds = ["file_exists", "file_not_exists"].map(|kind| {
            let id = kind.replace('_', "-");
            format!("rule_id: {id}\ntype: {kind}\nfile_glob: X\nmessage: m\nseverity: warning\n")
        });
        let files = [("a.yaml", nested), ("b.yml", YAML), ("c.yaml", &kinds[0]), ("d.yaml", &kinds[1])];
        for (name, yaml) in files {
            fs::write(directory.path.join(name), yaml).expect("written");
        }
        let summary = compile(&directory, needed).expect("compiled").expect("there are some");
        assert_eq!(summary, Summary { compiled: 4, left_out: Vec::new() });
        let bytes = read(&directory.path).expect("it was written");
        let mut compiled = Compiled::parse(&bytes).expect("it is of this version");
        assert_eq!(compiled.names(&directory.path), Some(&files.map(|(name, _)| name)[..]));
        for (name, yaml) in files {
            let origin = Origin { layer: LayerKind::Project, file: Path::new("shown").join(name) };
            let mut expected = syntax::parse(yaml, origin.clone()).expect("a contract");
            let examples = expected.examples.violating.len();
            expected.examples = Examples::default();
            if let Check::Forbid(pattern) = &mut expected.check {
                let needs = Needs { texts: vec![Box::from(*b"todo")], run: Some(([1, 2, 3, 4], 16)) };
                pattern.needs = Some(Box::new(needs));
            }
            let Taken { record, weight } =
                compiled.take(name, &directory.path.join(name)).expect("it is fresh");
            assert_eq!(record::decode(record, origin), Ok(expected));
            assert_eq!(weight, yaml.len() + examples * 128);
        }
        assert_eq!(fresh(&directory), Some((4, 4)));
    }

    #[test]
    fn a_file_that_changed_is_not_taken_and_the_others_are() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let directory = directory(&temporary);
        for name in ["a.yaml", "b.yaml", "c.yaml"] {
            fs::write(directory.path.join(name), YAML.replace("no-todo", &name[..1])).expect("written");
        }
        compile(&directory, needed).expect("compiled");
        // As long as before, and with the same time of modification.
        let path = directory.path.join("b.yaml");
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        fs::write(&path, YAML.replace("no-todo", "B")).expect("written");
        File::options().write(true).open(&path).and_then(|file| file.set_modified(modified)).expect("set");
        assert_eq!(fresh(&directory), Some((2, 3)));
        fs::write(directory.path.join("bb.yaml"), YAML).expect("written");
        fs::remove_file(directory.path.join("a.yaml")).expect("removed");
        assert_eq!(fresh(&directory), Some((1, 3)));
        let loaded = load(&[Layer::of_directory(directory)], Loading::to_enforce(|_| None));
        let ids: Vec<_> = loaded.contracts.iter().map(|contract| contract.id.as_str()).collect();
        assert_eq!(ids, ["B", "no-todo", "c"]);
    }

    #[test]
    fn what_this_phaser_did_not_write_is_passed_over() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let directory = directory(&temporary);
        fs::write(directory.path.join("a.yaml"), YAML).expect("written");
        compile(&directory, needed).expect("compiled");
        let bytes = read(&directory.path).expect("it was written");
        for length in 0..bytes.len() {
            let mut cut = Compiled::parse(&bytes[..length]);
            let taken = cut.as_mut().and_then(|cut| cut.take("a.yaml", &directory.path.join("a.yaml")));
            assert!(taken.is_none(), "{length}");
        }
        let mut other = bytes;
        other[3] ^= 1;
        assert!(Compiled::parse(&other).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn no_bytes_are_too_strange(
            random in prop::collection::vec(any::<u8>(), 0..200),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let contract = syntax::parse(YAML, Origin { layer: LayerKind::Project, file: "a.yaml".into() });
            let record = record::encode(&contract.expect("a contract"));
            let stamp = Stamp { device: 1, inode: 2, size: 3, modified: (4, 5), changed: (6, 7) };
            let mut bytes = Vec::new();
            Head { folders: vec![Folder { path: "", stamp }], names: vec!["a.yaml", "b.yaml"] }.put(&mut bytes);
            bytes.push(1);
            Known { stamp, weight: 1, record: &record }.put(&mut bytes);
            for (at, byte) in changes {
                *at.get_mut(&mut bytes) = byte;
            }
            bytes.extend(&random);
            for bytes in [&bytes, &random] {
                if let Some(mut compiled) = Compiled::parse(bytes) {
                    for name in ["a.yaml", "b.yaml"] {
                        let origin = Origin { layer: LayerKind::Project, file: name.into() };
                        compiled.pass(name).and_then(|known| record::decode(known.record, origin).ok());
                    }
                }
            }
        }
    }

    #[test]
    fn a_directory_without_contracts_loses_what_was_compiled() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let directory = directory(&temporary);
        assert_eq!(compile(&directory, needed).expect("nothing to do"), None);
        fs::write(directory.path.join("a.yaml"), YAML).expect("written");
        compile(&directory, needed).expect("compiled");
        fs::remove_file(directory.path.join("a.yaml")).expect("removed");
        assert_eq!(compile(&directory, needed).expect("taken away"), None);
        assert_eq!(fs::read_dir(&directory.path).expect("readable").count(), 0);
    }
}
