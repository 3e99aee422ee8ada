//! The bytes of one object in the object database, read on demand on any thread.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use gix::prelude::FindExt as _;
use gix::{ObjectId, ThreadSafeRepository};

use phaser_core::skipped::SkipReason;

/// A reference to a blob of a repository. Equality and hash are those of its id.
#[derive(Clone)]
pub struct Blob {
    id: ObjectId,
    objects: Objects,
}

impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Blob {}

impl Hash for Blob {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({})", self.id)
    }
}

/// The object database of a repository, shared by all its blobs.
#[derive(Clone)]
pub(super) struct Objects(Arc<ThreadSafeRepository>);

impl Objects {
    pub(super) fn new(repository: ThreadSafeRepository) -> Self {
        Self(Arc::new(repository))
    }

    pub(super) fn open(&self) -> gix::Repository {
        self.0.to_thread_local()
    }

    pub(super) fn blob(&self, id: ObjectId) -> Blob {
        Blob { id, objects: self.clone() }
    }
}

/// Reads blobs on one thread.
#[derive(Default)]
pub struct BlobReader {
    open: Option<(Objects, gix::Repository)>,
    /// The buffer for the next blob.
    spare: Vec<u8>,
}

impl fmt::Debug for BlobReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobReader").finish_non_exhaustive()
    }
}

impl BlobReader {
    /// The bytes of `blob`; an error if there are more than `limit`.
    pub fn read(&mut self, blob: &Blob, limit: u64) -> Result<Vec<u8>, SkipReason> {
        let mut bytes = std::mem::take(&mut self.spare);
        let repository = self.repository(&blob.objects);
        let unreadable = |error: gix::Error| SkipReason::Unreadable(format!("{error} (see git fsck)"));
        let header = repository.try_find_header(blob.id).map_err(unreadable)?;
        let header = header.ok_or_else(|| SkipReason::Unreadable(missing(repository, blob.id)))?;
        if header.kind() != gix::objs::Kind::Blob {
            return Err(SkipReason::Unreadable(format!(
                "object {} is a {} (see git fsck)",
                blob.id,
                header.kind()
            )));
        }
        if header.size() > limit {
            return Err(SkipReason::TooLarge { size: header.size(), limit });
        }
        repository.objects.find(&blob.id, &mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    /// Returns a buffer for reuse.
    pub fn take_back(&mut self, bytes: Vec<u8>) {
        self.spare = bytes;
    }

    fn repository(&mut self, objects: &Objects) -> &gix::Repository {
        if self.open.as_ref().is_some_and(|(open, _)| !Arc::ptr_eq(&open.0, &objects.0)) {
            self.open = None;
        }
        let (_, repository) = self.open.get_or_insert_with(|| {
            let mut repository = objects.open();
            remember_bases(&mut repository);
            (objects.clone(), repository)
        });
        repository
    }
}

/// The size of the delta base cache, in bytes.
const BASES: usize = 4 << 20;

/// Caches delta bases. Consecutive versions of a file are deltas of each other, so each costs one step instead of a
/// chain.
pub(super) fn remember_bases(repository: &mut gix::Repository) {
    repository.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES)));
}

/// The message for a missing object. Nothing is ever fetched.
pub(super) fn missing(repository: &gix::Repository, id: ObjectId) -> String {
    if is_partial_clone(repository) {
        format!("object {id} is not in this partial clone; fetch it with: git cat-file -e {id}")
    } else {
        format!("object {id} is missing from the repository; see: git fsck")
    }
}

fn is_partial_clone(repository: &gix::Repository) -> bool {
    let config = repository.config_snapshot();
    let mut remotes = config.sections_by_name("remote").into_iter().flatten();
    config.string("extensions.partialClone").is_some()
        || remotes.any(|remote| remote.contains_value_name("promisor"))
}
