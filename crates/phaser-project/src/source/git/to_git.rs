//! Converts a file of the worktree to its stored form: line endings and encodings, by attributes and configuration.
//!
//! No program is run. A file with a filter driver counts as it is.

use std::fs;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::filter::plumbing::pipeline::CrlfRoundTripCheck;
use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
use gix::index::State;
use gix::objs::Find as _;
use gix::worktree::stack::state::attributes::Source;

use super::repository::Repository;

/// The converter. Attributes are read from the worktree on demand.
pub(super) struct ToGit<'a> {
    repository: &'a Repository,
    index: &'a State,
    pipeline: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
}

impl<'a> ToGit<'a> {
    pub(super) fn new(repository: &'a Repository, index: &'a State) -> gix::Result<Self> {
        let attributes = repository.git.attributes_only(index, Source::WorktreeThenIdMapping)?.detach();
        let (mut pipeline, attributes) =
            gix::filter::Pipeline::new(&repository.git, attributes)?.into_parts();
        let options = pipeline.options_mut();
        options.drivers.clear();
        options.crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        options.encodings_with_roundtrip_check.clear();
        Ok(Self { repository, index, pipeline, attributes })
    }

    /// Whether git would store `bytes` at `path` as this object.
    pub(super) fn gives(&mut self, path: &[u8], bytes: &[u8], object: ObjectId) -> bool {
        !self.has_special_attributes(path) && self.convert(path, bytes, object).unwrap_or(false)
    }

    fn convert(&mut self, path: &[u8], bytes: &[u8], object: ObjectId) -> Option<bool> {
        let Self { repository, index, pipeline, attributes } = self;
        let objects = &repository.git.objects;
        let native = gix::path::from_byte_slice(path).ok()?;
        let entry = attributes.at_path(path.as_bstr(), None, objects).ok()?;
        let converted = pipeline.convert_to_git(
            bytes,
            native,
            &mut |_, found| {
                entry.matching_attributes(found);
            },
            &mut |buffer| {
                let Some(staged) = index.entry_by_path(path.as_bstr()) else { return Ok(None) };
                let found = objects.try_find(&staged.id, buffer)?;
                Ok(found.filter(|found| found.kind == gix::objs::Kind::Blob).map(|_| ()))
            },
        );
        match converted.ok()? {
            ToGitOutcome::Buffer(converted) => Some(is_object(converted, object)),
            ToGitOutcome::Unchanged(_) | ToGitOutcome::Process(_) => None,
        }
    }

    /// Whether a `.gitattributes` above the file is a FIFO or device, which would block its reader.
    fn has_special_attributes(&self, path: &[u8]) -> bool {
        let Ok(path) = gix::path::from_byte_slice(path) else { return true };
        path.ancestors().skip(1).any(|directory: &Path| {
            let file = self.repository.worktree.join(directory).join(".gitattributes");
            let kind = fs::symlink_metadata(file).map(|metadata| metadata.file_type());
            kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir() && !kind.is_symlink())
        })
    }
}

/// Whether these are the bytes of this object.
pub(super) fn is_object(bytes: &[u8], object: ObjectId) -> bool {
    let hash = gix::objs::compute_hash(object.kind(), gix::objs::Kind::Blob, bytes);
    hash.is_ok_and(|hash| hash == object)
}
