//! Counts the violations of contracts about imports in past commits.
//!
//! The result of such a contract depends on more than the content of a file: an import is resolved by the files of the same
//! commit. So each result is kept with the questions that its imports asked about the project and the answers they got, and
//! holds for every commit that gives the same answers. Example: `from infra import db` in `src/a.py` asked for
//! `src/infra/db.py`, among others, and got "a file". In a commit before that file, the answer is "nothing", and the file is
//! checked again.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::path::RelPath;
use crate::scan::ScanOptions;
use crate::scan::tally::tally;
use crate::source::Target;
use crate::source::git::BlobReader;
use crate::source::git::history::{CommittedFile, Difference, Stored};
use crate::source::view;
use phaser_core::contract::Contract;
use phaser_core::imports::{EntryKind, MAX_CONFIG, ProjectView};
use phaser_core::matcher::Matcher;

/// The number of open violations per contract, by its index.
type Counts = Vec<(usize, usize)>;

/// The files of the commit that is being counted.
type StoredFiles = Arc<RwLock<BTreeMap<String, Stored>>>;

/// The open violations of contracts about imports, commit by commit.
pub(super) struct ImportCounts<'o> {
    /// These contracts alone, and their indices among all.
    matcher: Matcher,
    indices: Vec<usize>,
    options: ScanOptions<'o>,
    files: StoredFiles,
    /// The files that a contract applies to, with their open violations.
    counts: BTreeMap<RelPath, Counts>,
    known: HashMap<(RelPath, Stored), Vec<KnownResult>>,
    /// Configuration files that some import depends on.
    read: BTreeSet<String>,
}

/// The result of a file, and what it depends on.
struct KnownResult {
    asked: Vec<(Lookup, u64)>,
    open: Counts,
}

/// What an import asks about the project.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lookup {
    Entry(String),
    List(String),
    Read(String),
}

impl<'o> ImportCounts<'o> {
    /// For the newest commit; `None` if no contract is about imports.
    pub fn new(all: &Matcher, files: &[CommittedFile], options: ScanOptions<'o>) -> Option<Self> {
        let (indices, contracts): (Vec<usize>, Vec<Contract>) = all
            .contracts()
            .iter()
            .enumerate()
            .filter(|(_, contract)| contract.check.reads_project())
            .map(|(index, contract)| (index, (**contract).clone()))
            .unzip();
        if contracts.is_empty() {
            return None;
        }
        let matcher = Matcher::new(contracts, all.options().clone());
        let listed = files.iter().map(|file| (file.path.to_text().into_owned(), file.stored.clone()));
        let mut counts = Self {
            matcher,
            indices,
            options: ScanOptions { threads: 1, cache: None, ..options },
            files: Arc::new(RwLock::new(listed.collect())),
            counts: BTreeMap::new(),
            known: HashMap::new(),
            read: BTreeSet::new(),
        };
        for file in files {
            counts.count(&file.path, &file.stored);
        }
        Some(counts)
    }

    /// Whether the contract at this index is counted here.
    pub fn has(&self, contract: usize) -> bool {
        self.indices.contains(&contract)
    }

    /// The open violations of the current commit.
    pub fn open(&self) -> impl Iterator<Item = (usize, usize)> {
        self.counts.values().flatten().copied()
    }

    /// Goes on to the next older commit.
    pub fn step(&mut self, differences: &[Difference]) {
        let mut changes_answers = false;
        for Difference { path, newer, older } in differences {
            let name = path.to_text().into_owned();
            changes_answers |= newer.is_some() != older.is_some() || self.read.contains(&name);
            let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
            match older {
                Some(stored) => drop(files.insert(name, stored.clone())),
                None => drop(files.remove(&name)),
            }
        }
        for Difference { path, older, .. } in differences {
            match older {
                Some(stored) => self.count(path, stored),
                None => drop(self.counts.remove(path)),
            }
        }
        if changes_answers {
            let all: Vec<RelPath> = self.counts.keys().cloned().collect();
            for path in all {
                let stored = self.stored(&path);
                if let Some(stored) = stored {
                    self.count(&path, &stored);
                }
            }
        }
    }

    fn stored(&self, path: &RelPath) -> Option<Stored> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).get(&*path.to_text()).cloned()
    }

    /// Counts a file of the current commit.
    fn count(&mut self, path: &RelPath, stored: &Stored) {
        if !self.matcher.reads_project(path, None) {
            return;
        }
        let view = Arc::new(CommitView::new(Arc::clone(&self.files)));
        let key = (path.clone(), stored.clone());
        let holds = |known: &&KnownResult| {
            known.asked.iter().all(|(question, answer)| view.answer(question) == *answer)
        };
        if let Some(known) = self.known.get(&key).and_then(|known| known.iter().find(holds)) {
            self.counts.insert(path.clone(), known.open.clone());
            return;
        }
        self.matcher.resolve_in(Arc::<CommitView>::clone(&view));
        let target = Target::new(path.clone(), stored.content());
        let tallies = tally(&self.matcher, &[target], &HashMap::new(), self.options, &());
        let open: Counts = tallies
            .into_iter()
            .flat_map(|tally| tally.open)
            .map(|(contract, count)| (self.indices[contract], count))
            .collect();
        let asked = std::mem::take(&mut *view.asked.lock().unwrap_or_else(PoisonError::into_inner));
        self.read.extend(asked.iter().filter_map(|(question, _)| match question {
            Lookup::Read(path) => Some(path.clone()),
            _ => None,
        }));
        self.known.entry(key).or_default().push(KnownResult { asked, open: open.clone() });
        self.counts.insert(path.clone(), open);
    }
}

/// The files of a commit. Records what it is asked.
struct CommitView {
    files: StoredFiles,
    asked: Mutex<Vec<(Lookup, u64)>>,
    reader: Mutex<BlobReader>,
}

impl CommitView {
    fn new(files: StoredFiles) -> Self {
        Self { files, asked: Mutex::default(), reader: Mutex::default() }
    }

    /// A digest of the answer to a question.
    fn answer(&self, question: &Lookup) -> u64 {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let mut hasher = DefaultHasher::new();
        match question {
            Lookup::Entry(path) => view::entry(&files, path).hash(&mut hasher),
            Lookup::List(directory) => view::list(&files, directory).hash(&mut hasher),
            Lookup::Read(path) => files.get(path).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn record(&self, question: Lookup) {
        let answer = self.answer(&question);
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push((question, answer));
    }
}

impl ProjectView for CommitView {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        self.record(Lookup::Entry(path.to_owned()));
        view::entry(&self.files.read().unwrap_or_else(PoisonError::into_inner), path)
    }

    fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        self.record(Lookup::List(directory.to_owned()));
        view::list(&self.files.read().unwrap_or_else(PoisonError::into_inner), directory)
    }

    fn read(&self, path: &str) -> Option<String> {
        self.record(Lookup::Read(path.to_owned()));
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let Stored::File(blob) = files.get(path)? else { return None };
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(reader.read(blob, MAX_CONFIG as u64).ok()?).ok()
    }
}
