//! The contracts of a directory in one file, so that a hook need not read each of theirs. `phaser contracts compile`
//! writes it, and nothing needs it.
//!
//! What it says of a contract file counts only while the file is provably the one that was compiled: the same inode, with
//! the same size, the same time of modification and the same time of change, which no program can set. A file is left
//! out that changed so shortly before that another change might not show. Where there are no such times, there is no
//! compiled directory.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::load::{self, Candidate, Directory, Room};
use super::{Check, Contract, Dialect, Examples, Kind, Needs, Origin, Pattern, Severity};
use crate::glob::Glob;
use crate::replace::replace;

/// Where it is in a directory with contracts.
const FOLDER: &str = ".compiled";
const FILE: &str = "index";

/// What it was written by; one of another version is passed over. The number changes with the form of the file, and with
/// what the matcher takes for needed.
const VERSION: &str = concat!("phaser ", env!("CARGO_PKG_VERSION"), " index 1");

/// The largest that is read: all contracts that there may be, and what is known of them.
const MAX_SIZE: usize = 4 * load::MAX_TOTAL;

/// How long after a change another one shows for sure in the time of change: on a file system that keeps fractions of
/// seconds, and on one that does not.
const FINE: Duration = Duration::from_millis(100);
const COARSE: Duration = Duration::from_secs(2);

/// What every match of a contract's pattern holds, as far as the matcher can tell.
pub type Needed = fn(&Contract) -> Option<Needs>;

/// A compiled directory.
#[derive(Debug)]
pub struct Compiled<'a> {
    head: Head<'a>,
    /// How many files have been passed.
    passed: usize,
    /// What is known of the others, in the order of their names: nothing of those that must be read.
    rest: &'a [u8],
}

/// What a compiled directory starts with.
#[derive(Debug, Serialize, Deserialize)]
struct Head<'a> {
    version: &'a str,
    /// Of the directory, if it holds what is named here and nothing else.
    directory: Option<Stamp>,
    /// All files that are named like contracts, in order.
    #[serde(borrow)]
    names: Vec<&'a str>,
}

/// What is known of one file.
#[derive(Debug, Serialize, Deserialize)]
struct Known<'a> {
    stamp: Stamp,
    /// How much of the room for contracts it takes.
    weight: usize,
    id: &'a str,
    kind: &'a str,
    #[serde(borrow)]
    check: Demand<'a>,
    glob: &'a str,
    glob_line: usize,
    severity: &'a str,
    message: &'a str,
    rationale: Option<&'a str>,
    enabled: bool,
}

/// A [`Check`].
#[derive(Debug, Serialize, Deserialize)]
enum Demand<'a> {
    #[serde(borrow)]
    Forbid(Written<'a>),
    Require(Written<'a>),
    RequireSomewhere(Written<'a>),
    Exists,
    NotExists,
}

/// A [`Pattern`].
#[derive(Debug, Serialize, Deserialize)]
struct Written<'a> {
    source: &'a str,
    is_literal: bool,
    line: usize,
    /// The texts and the run of [`Needs`].
    #[serde(borrow)]
    needs: Option<(Vec<&'a [u8]>, Option<Run>)>,
}

type Run = ([u64; 4], usize);

/// Tells one state of a file or a directory from every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().and_then(Self::from_metadata)
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    #[cfg(not(unix))]
    fn from_metadata(_: &Metadata) -> Option<Self> {
        None
    }

    /// Would any change from `now` on, by the clock of the file system, give another stamp?
    fn is_settled(&self, now: &Self) -> bool {
        let nanoseconds =
            |(seconds, rest): (i64, i64)| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        let margin = if self.changed.1 == 0 { COARSE } else { FINE };
        nanoseconds(now.changed) - nanoseconds(self.changed) >= margin.as_nanos() as i128
    }
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
        let (version, _) = postcard::take_from_bytes::<&str>(bytes).ok()?;
        let (head, rest) = postcard::take_from_bytes(bytes).ok().filter(|_| version == VERSION)?;
        Some(Self { head, passed: 0, rest })
    }

    /// The names of all contract files, if the directory is the one that was compiled, with the same files in it.
    pub fn names(&self, directory: &Path) -> Option<&[&'a str]> {
        let is_fresh = self.head.directory.is_some() && self.head.directory == Stamp::of(directory);
        is_fresh.then_some(&self.head.names)
    }

    /// The contract in a file of the directory, and how much room it takes, if the file is the one that was compiled. It
    /// comes without its examples. Files must be asked for in the order of their names.
    pub fn take(&mut self, path: &Path, origin: &Origin) -> Option<(Contract, usize)> {
        let known = self.pass(path.file_name()?.to_str()?)?;
        if Stamp::of(path) != Some(known.stamp) {
            return None;
        }
        let contract = Contract {
            id: known.id.to_owned(),
            kind: Kind::ALL.into_iter().find(|kind| kind.as_str() == known.kind)?,
            check: known.check.into_check(),
            glob: Glob::new(known.glob).ok()?,
            glob_line: known.glob_line,
            severity: [Severity::Error, Severity::Warning]
                .into_iter()
                .find(|one| one.as_str() == known.severity)?,
            message: known.message.to_owned(),
            rationale: known.rationale.map(str::to_owned),
            enabled: known.enabled,
            examples: Examples::default(),
            origin: origin.clone(),
        };
        Some((contract, known.weight))
    }

    /// What is known of the file with this name; it is passed, with all before it.
    fn pass(&mut self, name: &str) -> Option<Known<'a>> {
        while let Some(next) = self.head.names.get(self.passed).filter(|next| **next <= name) {
            let (known, rest) = postcard::take_from_bytes(self.rest).ok()?;
            self.rest = rest;
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
    if load::files(directory, &mut Vec::new()).is_empty() {
        return match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(None),
        };
    }
    Stamp::of(&directory.path).ok_or_else(unsupported)?;
    make(&folder)?;
    let now = settle(directory, &folder)?;
    let (mut summary, mut warnings) = (Summary::default(), Vec::new());
    let stamp = Stamp::of(&directory.path).filter(|stamp| stamp.is_settled(&now));
    let files = load::files(directory, &mut warnings);
    let (mut names, mut known) = (Vec::new(), Vec::new());
    for file in &files {
        let contract = contract(file, &now, needed);
        match contract {
            Some(_) => summary.compiled += 1,
            None => summary.left_out.push(file.origin.file.clone()),
        }
        if let Some(name) = file.name() {
            names.push(name);
            known.extend(encode(&contract.as_ref().map(Known::of))?);
        }
    }
    let is_whole = names.len() == files.len() && warnings.is_empty() && Stamp::of(&directory.path) == stamp;
    let head = encode(&Head { version: VERSION, directory: stamp.filter(|_| is_whole), names })?;
    replace(&folder.join(FILE), &[head, known].concat())?;
    Ok(Some(summary))
}

fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

/// Makes the folder, of which git is to know nothing: it is of no use to others.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let ignore = folder.join(".gitignore");
    if ignore.exists() { Ok(()) } else { fs::write(ignore, "*\n") }
}

/// Waits until no file of the directory has changed a moment ago, but not for ever, and tells the time.
fn settle(directory: &Directory, folder: &Path) -> io::Result<Stamp> {
    let start = Instant::now();
    loop {
        let now = clock(folder)?;
        let files = load::files(directory, &mut Vec::new());
        let mut paths = files.iter().map(|file| &file.path).chain([&directory.path]);
        let is_settled = |path: &PathBuf| Stamp::of(path).is_some_and(|stamp| stamp.is_settled(&now));
        if paths.all(is_settled) || start.elapsed() > COARSE + FINE {
            return Ok(now);
        }
        thread::sleep(FINE / 4);
    }
}

/// The stamp of a file that is made now.
fn clock(folder: &Path) -> io::Result<Stamp> {
    let made = tempfile::tempfile_in(folder)?.metadata()?;
    Stamp::from_metadata(&made).ok_or_else(unsupported)
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "files have no time of change here")
}

/// What is known of a file, with its stamp and how much room it takes, if it is a contract and does not change.
fn contract(file: &Candidate, now: &Stamp, needed: Needed) -> Option<(Stamp, usize, Contract)> {
    let stamp = Stamp::of(&file.path).filter(|stamp| stamp.is_settled(now))?;
    let mut room = Room(load::MAX_TOTAL);
    let mut contract = load::read(file, &mut room, &mut Vec::new()).ok()?;
    let weight = load::MAX_TOTAL - room.0;
    let needs = needed(&contract);
    if let Check::Forbid(pattern) = &mut contract.check {
        pattern.needs = needs;
    }
    (Stamp::of(&file.path) == Some(stamp)).then_some((stamp, weight, contract))
}

impl<'a> Known<'a> {
    fn of((stamp, weight, contract): &'a (Stamp, usize, Contract)) -> Self {
        Self {
            stamp: *stamp,
            weight: *weight,
            id: &contract.id,
            kind: contract.kind.as_str(),
            check: Demand::of(&contract.check),
            glob: contract.glob.as_str(),
            glob_line: contract.glob_line,
            severity: contract.severity.as_str(),
            message: &contract.message,
            rationale: contract.rationale.as_deref(),
            enabled: contract.enabled,
        }
    }
}

impl<'a> Demand<'a> {
    fn of(check: &'a Check) -> Self {
        match check {
            Check::Forbid(pattern) => Self::Forbid(Written::of(pattern)),
            Check::Require(pattern) => Self::Require(Written::of(pattern)),
            Check::RequireSomewhere(pattern) => Self::RequireSomewhere(Written::of(pattern)),
            Check::Exists => Self::Exists,
            Check::NotExists => Self::NotExists,
        }
    }

    fn into_check(self) -> Check {
        match self {
            Self::Forbid(written) => Check::Forbid(written.into_pattern()),
            Self::Require(written) => Check::Require(written.into_pattern()),
            Self::RequireSomewhere(written) => Check::RequireSomewhere(written.into_pattern()),
            Self::Exists => Check::Exists,
            Self::NotExists => Check::NotExists,
        }
    }
}

impl<'a> Written<'a> {
    fn of(pattern: &'a Pattern) -> Self {
        let needs = |needs: &'a Needs| (needs.texts.iter().map(|text| &**text).collect(), needs.run);
        Self {
            source: &pattern.source,
            is_literal: pattern.dialect == Dialect::Literal,
            line: pattern.line,
            needs: pattern.needs.as_ref().map(needs),
        }
    }

    fn into_pattern(self) -> Pattern {
        let needs =
            |(texts, run): (Vec<&[u8]>, _)| Needs { texts: texts.into_iter().map(Box::from).collect(), run };
        Pattern {
            source: self.source.to_owned(),
            dialect: if self.is_literal { Dialect::Literal } else { Dialect::Regex },
            line: self.line,
            needs: self.needs.map(needs),
        }
    }
}

/// How many contract files of a compiled directory are taken from what was compiled, and how many there are.
pub fn fresh(directory: &Directory) -> Option<(usize, usize)> {
    let bytes = read(&directory.path)?;
    let mut compiled = Compiled::parse(&bytes)?;
    let files = load::files(directory, &mut Vec::new());
    let fresh = files.iter().filter(|file| compiled.take(&file.path, &file.origin).is_some()).count();
    Some((fresh, files.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::{Place, Warning, syntax};

    const YAML: &str = "rule_id: no-todo\ntype: forbid_pattern\npattern: TODO\nfile_glob: '**'\n\
        message: m\nrationale: r\nseverity: error\n";

    fn directory(temporary: &tempfile::TempDir) -> Directory {
        Directory { place: Place::Project, path: temporary.path().to_owned(), shown: "shown".into() }
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
            let origin = Origin { place: Place::Project, file: Path::new("shown").join(name) };
            let mut expected = syntax::parse(yaml, origin.clone()).expect("a contract");
            let examples = expected.examples.violating.len();
            expected.examples = Examples::default();
            if let Check::Forbid(pattern) = &mut expected.check {
                pattern.needs =
                    Some(Needs { texts: vec![Box::from(*b"todo")], run: Some(([1, 2, 3, 4], 16)) });
            }
            let (contract, weight) = compiled.take(&directory.path.join(name), &origin).expect("it is fresh");
            assert_eq!(contract, expected);
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
        let loaded = load::load_until(&[directory], |_| None::<Warning>, crate::deadline::Deadline::NEVER);
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
            let origin = Origin { place: Place::Project, file: "a.yaml".into() };
            let mut cut = Compiled::parse(&bytes[..length]);
            let taken = cut.as_mut().and_then(|cut| cut.take(&directory.path.join("a.yaml"), &origin));
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
            let contract = syntax::parse(YAML, Origin { place: Place::Project, file: "a.yaml".into() });
            let stamp = Stamp { device: 1, inode: 2, size: 3, modified: (4, 5), changed: (6, 7) };
            let known = (stamp, 1, contract.expect("a contract"));
            let head = Head { version: VERSION, directory: Some(stamp), names: vec!["a.yaml", "b.yaml"] };
            let mut bytes = encode(&head).expect("encoded");
            bytes.extend(encode(&Some(Known::of(&known))).expect("encoded"));
            for (at, byte) in changes {
                *at.get_mut(&mut bytes) = byte;
            }
            bytes.extend(&random);
            for bytes in [&bytes, &random] {
                if let Some(mut compiled) = Compiled::parse(bytes) {
                    compiled.pass("a.yaml");
                    compiled.pass("b.yaml");
                }
            }
        }
    }

    #[test]
    fn a_stamp_is_settled_when_another_change_would_show() {
        let stamp = |changed| Stamp { device: 0, inode: 0, size: 0, modified: (0, 0), changed };
        let settled = |changed, now| stamp(changed).is_settled(&stamp(now));
        assert!(settled((1, 900_000_000), (2, 1)));
        assert!(!settled((1, 900_000_001), (2, 0)));
        assert!(!settled((1, 0), (2, 999_999_999)), "the file system may keep seconds only");
        assert!(settled((1, 0), (3, 0)));
        assert!(!settled((5, 1), (4, 1)), "the clock was set back");
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
