//! Contract files from directories: which count, which are shadowed, and what is wrong with the rest.
//!
//! Never fails on one bad file: that is a warning, and the others load. Knows nothing of where the
//! directories come from. What has been compiled and is fresh need not be read; it makes no other difference.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::compiled::{self, Compiled};
use super::{Contract, Origin, Place, Warning, syntax};
use crate::deadline::Deadline;
use crate::pack::{Pack, PackFile};

/// The largest contract file, in bytes.
pub const MAX_FILE: usize = 64 * 1024;

/// The most that all contract files of one run may have together, in bytes; an example counts for some more. Far
/// beyond what anybody writes by hand, and little enough to be read in no time.
pub const MAX_TOTAL: usize = 16 * 1024 * 1024;

/// What an example takes in memory beside its text, in bytes.
const EXAMPLE_SIZE: usize = 128;

/// A directory to read contracts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Which kind of place it is.
    pub place: Place,
    /// Where it is.
    pub path: PathBuf,
    /// How its path is shown.
    pub shown: PathBuf,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The contract that counts for each id, also when it is switched off.
    pub contracts: Vec<Contract>,
    /// Contracts that another one with the same id stands in front of.
    pub shadowed: Vec<Contract>,
    /// What is wrong with the files.
    pub warnings: Vec<Warning>,
    broken: Option<Broken>,
    /// The contracts that are known not to be broken, by their index.
    sound: HashSet<usize>,
    deadline: Option<Deadline>,
}

/// Finds out what is wrong with a contract's pattern, which is not for this layer to judge.
pub type Broken = fn(&Contract) -> Option<Warning>;

impl Loaded {
    /// Adds contracts of lower precedence than all that are there.
    ///
    /// Among themselves, the first enabled one with an id counts, so that adding a file cannot disarm one.
    /// Nor can a broken one stand in front of another, whichever comes first.
    pub fn add(&mut self, contracts: Vec<Contract>) {
        if are_unique(self.contracts.iter().chain(&contracts).map(|contract| contract.id.as_str())) {
            if self.contracts.is_empty() {
                self.contracts = contracts;
            } else {
                self.contracts.extend(contracts);
            }
            return;
        }
        let first_added = self.contracts.len();
        let mut by_id: HashMap<String, usize> =
            self.contracts.iter().enumerate().map(|(at, contract)| (contract.id.clone(), at)).collect();
        for contract in contracts {
            match by_id.get(&contract.id) {
                Some(&at) if self.gives_way(at) => {
                    self.shadowed.push(std::mem::replace(&mut self.contracts[at], contract));
                }
                Some(&at) if at < first_added => self.shadowed.push(contract),
                Some(&at) => self.settle(at, contract),
                None => {
                    by_id.insert(contract.id.clone(), self.contracts.len());
                    self.contracts.push(contract);
                }
            }
        }
    }

    /// Adds the contracts of a pack, which have lower precedence than all that are there.
    pub fn add_pack(&mut self, pack: &Pack) {
        self.add_texts(pack, |file| file.text);
    }

    /// The same without their examples, for who only wants to check files: reading examples takes far longer than reading
    /// all the rest.
    pub fn add_pack_without_examples(&mut self, pack: &Pack) {
        self.add_texts(pack, PackFile::without_examples);
    }

    fn add_texts(&mut self, pack: &Pack, text: fn(&PackFile) -> &str) {
        let mut contracts = Vec::with_capacity(pack.files.len());
        for file in pack.files {
            let shown = format!("pack:{}/{}", pack.name, file.name);
            match syntax::parse(text(file), Origin { place: Place::Pack, file: shown.into() }) {
                Ok(contract) => contracts.push(contract),
                Err(warnings) => self.warnings.extend(warnings),
            }
        }
        self.add(contracts);
    }

    /// Is the contract that counts so far broken? Then that is said, and another one may take its place.
    fn gives_way(&mut self, at: usize) -> bool {
        let first = &self.contracts[at];
        let late = self.deadline.is_some_and(Deadline::has_passed);
        if late || !first.enabled || self.sound.contains(&at) {
            return false;
        }
        let Some(warning) = self.broken.and_then(|broken| broken(first)) else {
            self.sound.insert(at);
            return false;
        };
        self.warnings.push(warning);
        true
    }

    /// Two contracts of one directory have the same id.
    fn settle(&mut self, at: usize, contract: Contract) {
        let first = &mut self.contracts[at];
        let dropped =
            if contract.enabled && !first.enabled { std::mem::replace(first, contract) } else { contract };
        let what = format!(
            "rule id '{}' is used again, and the one in {} counts (rename one of them)",
            dropped.id,
            first.origin.file.display()
        );
        self.warnings.push(Warning::about(&dropped.origin.file, what));
        self.shadowed.push(dropped);
    }
}

fn are_unique<'a>(ids: impl Iterator<Item = &'a str>) -> bool {
    let mut ids: Vec<&str> = ids.collect();
    ids.sort_unstable();
    ids.windows(2).all(|pair| pair[0] != pair[1])
}

/// The contracts in `directories`, which stand in the order of their precedence. A directory that
/// is not there has none.
pub fn load(directories: &[Directory], broken: Broken) -> Loaded {
    load_within(directories, broken, &Limits { deadline: Deadline::NEVER, total: MAX_TOTAL, compiled: false })
}

/// The same as a hook needs it: until there is no more time, and from what has been compiled as far as that is fresh,
/// where examples are missing. Files that there is no time for, or no room, are said.
pub fn load_until(directories: &[Directory], broken: Broken, deadline: Deadline) -> Loaded {
    load_within(directories, broken, &Limits { deadline, total: MAX_TOTAL, compiled: true })
}

/// How to load.
struct Limits {
    deadline: Deadline,
    /// The most bytes.
    total: usize,
    /// May contracts be taken from what has been compiled?
    compiled: bool,
}

fn load_within(directories: &[Directory], broken: Broken, limits: &Limits) -> Loaded {
    let Limits { deadline, total, compiled } = *limits;
    let mut loaded = Loaded { broken: Some(broken), deadline: Some(deadline), ..Loaded::default() };
    let (mut room, mut bytes) = (Room(total), Vec::with_capacity(4096));
    for directory in directories {
        let compiled = compiled.then(|| compiled::read(&directory.path)).flatten();
        let mut compiled = compiled.as_deref().and_then(Compiled::parse);
        let names = compiled.as_ref().and_then(|compiled| compiled.names(&directory.path));
        let files: Vec<Candidate> = match names {
            Some(names) => names.iter().map(|name| Candidate::new(directory, name.as_ref())).collect(),
            None => files(directory, &mut loaded.warnings),
        };
        let mut contracts = Vec::with_capacity(files.len());
        let mut files = files.into_iter();
        while let Some(file) = files.next() {
            let known = compiled.as_mut().and_then(|compiled| compiled.take(&file.path, &file.origin));
            let contract = match known {
                Some((contract, weight)) => room.take(weight).map(|()| contract),
                None => read(&file, &mut room, &mut bytes),
            };
            let left_out = match contract {
                _ if deadline.has_passed() => "there was no time to read all of it".to_owned(),
                Ok(contract) => {
                    contracts.push(contract);
                    continue;
                }
                Err(Unread::Broken(warnings)) => {
                    loaded.warnings.extend(warnings);
                    continue;
                }
                Err(Unread::NoRoom) => format!("the contracts are larger than {total} bytes together"),
            };
            let name = file.path.file_name().unwrap_or_default().display();
            let count = files.len() + 1;
            let what =
                format!("{left_out}: {count} files from {name} on do not count (remove what is not needed)");
            loaded.warnings.push(Warning::about(&directory.shown, what));
            break;
        }
        loaded.add(contracts);
    }
    loaded.warnings.sort();
    loaded
}

/// How many bytes there is room for.
pub(super) struct Room(pub(super) usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<(), Unread> {
        self.0 = self.0.checked_sub(bytes).ok_or(Unread::NoRoom)?;
        Ok(())
    }
}

/// Why there is no contract of a file.
pub(super) enum Unread {
    Broken(Vec<Warning>),
    NoRoom,
}

/// A file that is named like a contract.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) origin: Origin,
}

impl Candidate {
    fn new(directory: &Directory, name: &OsStr) -> Self {
        let joined = |directory: &Path| {
            let mut path = PathBuf::with_capacity(directory.as_os_str().len() + 1 + name.len());
            path.push(directory);
            path.push(name);
            path
        };
        let origin = Origin { place: directory.place, file: joined(&directory.shown) };
        Self { path: joined(&directory.path), origin }
    }

    /// The name of the file, if it is text.
    pub(super) fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }
}

/// The contract files of a directory, in name order; nothing else is ever opened.
pub(super) fn files(directory: &Directory, warnings: &mut Vec<Warning>) -> Vec<Candidate> {
    let named = |entry: io::Result<DirEntry>| entry.map(|entry| (entry.file_name(), entry));
    let mut entries: Vec<(OsString, DirEntry)> =
        match fs::read_dir(&directory.path).and_then(|entries| entries.map(named).collect()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                warnings.push(Warning::about(&directory.shown, format!("cannot be read: {error}")));
                return Vec::new();
            }
        };
    entries.retain(|(name, _)| is_named_like_a_contract(name));
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let mut files = Vec::with_capacity(entries.len());
    for (name, entry) in entries {
        let file = Candidate::new(directory, &name);
        if is_regular(&entry) {
            files.push(file);
        } else {
            let what = "not a regular file (move it away, or put a file there)";
            warnings.push(Warning::about(&file.origin.file, what));
        }
    }
    files
}

fn is_named_like_a_contract(name: &OsStr) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
        && !name.as_encoded_bytes().starts_with(b".")
}

fn is_regular(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()),
        Ok(kind) => kind.is_file(),
        Err(_) => false,
    }
}

/// The contract in a file, if there is room for it; `bytes` is memory for what is in the file.
pub(super) fn read(file: &Candidate, room: &mut Room, bytes: &mut Vec<u8>) -> Result<Contract, Unread> {
    let shown = &file.origin.file;
    let broken = |warning| Unread::Broken(vec![warning]);
    bytes.clear();
    File::open(&file.path)
        .and_then(|open| open.take(MAX_FILE as u64 + 1).read_to_end(bytes))
        .map_err(|error| broken(Warning::about(shown, format!("cannot be read: {error}"))))?;
    if bytes.len() > MAX_FILE {
        let what = format!("larger than {MAX_FILE} bytes (one file holds one contract)");
        return Err(broken(Warning::about(shown, what)));
    }
    room.take(bytes.len())?;
    let yaml = std::str::from_utf8(bytes).map_err(|error| {
        let newlines = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        broken(Warning::at(shown, newlines + 1, "not UTF-8 (save the file as UTF-8)"))
    })?;
    let contract = syntax::parse(yaml, file.origin.clone()).map_err(Unread::Broken)?;
    let examples = contract.examples.violating.len() + contract.examples.passing.len();
    room.take(examples * EXAMPLE_SIZE)?;
    Ok(contract)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        directory: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            Self { directory: tempfile::tempdir().expect("a temporary directory") }
        }

        fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
            let path = self.directory.path().join(path);
            fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
            fs::write(path, bytes).expect("written");
            self
        }

        fn contract(&self, path: &str, id: &str, message: &str) -> &Self {
            self.write(path, contract(id, message))
        }

        fn load(&self) -> Loaded {
            load(&[self.place(Place::Project, "project"), self.place(Place::User, "user")], |contract| {
                let broken = contract.message == "broken";
                broken.then(|| Warning::about(&contract.origin.file, "broken"))
            })
        }

        fn place(&self, place: Place, name: &str) -> Directory {
            Directory { place, path: self.directory.path().join(name), shown: name.into() }
        }
    }

    fn limits(total: usize) -> Limits {
        Limits { deadline: Deadline::NEVER, total, compiled: false }
    }

    fn contract(id: &str, message: &str) -> String {
        format!("rule_id: {id}\ntype: file_exists\nfile_glob: LICENSE\nmessage: {message}\nseverity: error\n")
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.contracts.iter().map(|contract| contract.message.as_str()).collect()
    }

    fn warnings(loaded: &Loaded) -> Vec<String> {
        loaded.warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_are_read_in_name_order_from_both_directories() {
        let fixture = Fixture::new();
        fixture.contract("user/a.yaml", "u", "user").contract("project/b.yml", "b", "second");
        fixture.contract("project/a.yaml", "a", "first");
        fixture.write("project/notes.txt", "x").write("project/.a.yaml", "x");
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["first", "second", "user"]);
        assert!(loaded.warnings.is_empty());
    }

    #[test]
    fn the_project_wins_by_id_also_when_it_is_switched_off() {
        let fixture = Fixture::new();
        fixture.contract("user/a.yaml", "a", "user").contract("user/b.yaml", "b", "user");
        fixture.contract("project/x.yaml", "a", "project");
        fixture.write("project/y.yaml", contract("b", "off") + "enabled: false\n");
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["project", "off"]);
        assert_eq!(loaded.shadowed.len(), 2);
        assert!(loaded.warnings.is_empty());
    }

    #[test]
    fn of_two_with_one_id_in_a_directory_the_first_enabled_one_counts() {
        let fixture = Fixture::new();
        fixture.write("project/a.yaml", contract("x", "off") + "enabled: false\n");
        fixture.contract("project/b.yaml", "x", "on").contract("project/c.yaml", "x", "late");
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["on"]);
        let expected = ["project/a.yaml", "project/c.yaml"].map(|file| {
            format!(
                "{file}: rule id 'x' is used again, and the one in project/b.yaml counts (rename one of them)"
            )
        });
        assert_eq!(warnings(&loaded), expected);
    }

    #[test]
    fn a_broken_contract_stands_in_front_of_none() {
        let fixture = Fixture::new();
        fixture.contract("project/a.yaml", "x", "broken").contract("project/b.yaml", "x", "second");
        fixture.contract("project/c.yaml", "y", "broken").contract("user/c.yaml", "y", "user");
        fixture.write("project/d.yaml", contract("z", "broken") + "enabled: false\n");
        fixture.contract("user/d.yaml", "z", "switched off");
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["second", "user", "broken"]);
        assert_eq!(warnings(&loaded), ["project/a.yaml: broken", "project/c.yaml: broken"]);
    }

    #[test]
    fn a_pack_without_examples_is_the_same_otherwise() {
        for pack in crate::pack::PACKS {
            let [mut whole, mut short] = [(); 2].map(|()| Loaded::default());
            whole.add_pack(pack);
            short.add_pack_without_examples(pack);
            for contract in &mut whole.contracts {
                assert!(!std::mem::take(&mut contract.examples).violating.is_empty(), "{}", contract.id);
            }
            assert_eq!(short.contracts, whole.contracts);
        }
    }

    #[test]
    fn a_file_of_the_project_overrides_a_contract_of_a_pack() {
        let fixture = Fixture::new();
        let pack = crate::pack::find("secrets").expect("there is one");
        let id = pack.files[0].name.trim_end_matches(".yaml");
        fixture.contract("project/mine.yaml", id, "mine");
        let mut loaded = fixture.load();
        loaded.add_pack(pack);
        assert_eq!((messages(&loaded)[0], loaded.contracts.len()), ("mine", pack.files.len()));
        assert_eq!(loaded.shadowed[0].origin.file, Path::new("pack:secrets").join(pack.files[0].name));
    }

    #[test]
    fn contracts_that_are_too_large_together_are_said() {
        let fixture = Fixture::new();
        for name in ["a", "b", "c", "d"] {
            fixture.contract(&format!("project/{name}.yaml"), name, name);
        }
        fixture.contract("user/u.yaml", "u", "user");
        let size = contract("a", "a").len();
        let directories = [fixture.place(Place::Project, "project"), fixture.place(Place::User, "user")];
        let load = |total| load_within(&directories, |_| None, &limits(total));
        assert!(load(5 * size + 9).warnings.is_empty());
        let loaded = load(2 * size + 9);
        assert_eq!(messages(&loaded), ["a", "b"]);
        let total = 2 * size + 9;
        let expected = [("project", 2, "c"), ("user", 1, "u")].map(|(directory, count, first)| {
            format!(
                "{directory}: the contracts are larger than {total} bytes together: {count} files from {first}.yaml on \
                 do not count (remove what is not needed)"
            )
        });
        assert_eq!(warnings(&loaded), expected);
    }

    #[test]
    fn examples_count_for_more_than_their_text() {
        let fixture = Fixture::new();
        let yaml = contract("a", "a") + "examples:\n  passing: [a, b, c, d]\n";
        fixture.write("project/a.yaml", &yaml);
        let directories = [fixture.place(Place::Project, "project")];
        let load = |total| load_within(&directories, |_| None, &limits(total)).contracts.len();
        assert_eq!(load(yaml.len() + 4 * EXAMPLE_SIZE), 1);
        assert_eq!(load(yaml.len() + 4 * EXAMPLE_SIZE - 1), 0);
    }

    #[test]
    fn files_that_there_is_no_time_for_are_said() {
        let fixture = Fixture::new();
        fixture.contract("project/a.yaml", "a", "a").contract("project/b.yaml", "b", "b");
        let late = Deadline::after(std::time::Duration::ZERO);
        let loaded = load_until(&[fixture.place(Place::Project, "project")], |_| None, late);
        assert_eq!(messages(&loaded), [""; 0]);
        assert_eq!(
            warnings(&loaded),
            [
                "project: there was no time to read all of it: 2 files from a.yaml on do not count (remove what is not \
              needed)"
            ]
        );
    }

    #[test]
    fn a_pattern_is_judged_once_however_often_its_id_is_used() {
        static JUDGED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let fixture = Fixture::new();
        for number in 0..9 {
            fixture.contract(&format!("project/{number}.yaml"), "same", "x");
        }
        let loaded = load(&[fixture.place(Place::Project, "project")], |_| {
            JUDGED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            None
        });
        assert_eq!(loaded.contracts.len(), 1);
        assert_eq!(JUDGED.load(std::sync::atomic::Ordering::Relaxed), 1);
    }

    #[test]
    fn a_bad_file_is_a_warning_and_the_rest_load() {
        let fixture = Fixture::new();
        fixture.write("project/a.yaml", "rule_id: [").contract("project/b.yaml", "b", "good");
        fixture.write("project/c.yaml", b"rule_id: a\nmessage: \xff\n");
        fixture.write("project/d.yaml", vec![b'#'; MAX_FILE + 1]);
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["good"]);
        let warnings = warnings(&loaded);
        assert!(warnings[0].starts_with("project/a.yaml:"), "{warnings:?}");
        assert_eq!(warnings[1], "project/c.yaml:2: not UTF-8 (save the file as UTF-8)");
        assert_eq!(warnings[2], "project/d.yaml: larger than 65536 bytes (one file holds one contract)");
    }

    #[test]
    fn what_is_not_a_regular_file_is_never_opened() {
        let fixture = Fixture::new();
        fixture.contract("project/real.yaml", "a", "real").write("project/dir.yaml/x", "");
        let project = fixture.directory.path().join("project");
        std::os::unix::fs::symlink("real.yaml", project.join("link.yml")).expect("linked");
        std::os::unix::fs::symlink("gone", project.join("dangling.yaml")).expect("linked");
        std::os::unix::net::UnixListener::bind(project.join("socket.yaml")).expect("bound");
        let loaded = fixture.load();
        assert_eq!(messages(&loaded), ["real"]);
        let warnings = warnings(&loaded);
        let not_regular = warnings.iter().filter(|warning| warning.contains("not a regular file")).count();
        assert_eq!((warnings.len(), not_regular), (4, 3), "{warnings:?}");
    }
}
