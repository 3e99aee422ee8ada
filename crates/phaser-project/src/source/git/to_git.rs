//! A file of the worktree as git would store it: line endings and encodings converted as attributes and configuration say.
//!
//! No program is run: where a filter driver would change the file, it counts as it is.

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

/// What converts files. Attributes are read from the worktree as they are needed.
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

    /// Would git store `bytes`, when they are in the file at `path` of the worktree, as this object?
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

    /// Would reading the attributes of a file hang? Git would wait for whoever writes to a FIFO.
    fn has_special_attributes(&self, path: &[u8]) -> bool {
        let Ok(path) = gix::path::from_byte_slice(path) else { return true };
        path.ancestors().skip(1).any(|directory: &Path| {
            let file = self.repository.worktree.join(directory).join(".gitattributes");
            let kind = fs::symlink_metadata(file).map(|metadata| metadata.file_type());
            kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir() && !kind.is_symlink())
        })
    }
}

/// Are these the bytes of this object?
pub(super) fn is_object(bytes: &[u8], object: ObjectId) -> bool {
    let hash = gix::objs::compute_hash(object.kind(), gix::objs::Kind::Blob, bytes);
    hash.is_ok_and(|hash| hash == object)
}
