//! The messages of commits, and the settings for a message under way.

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::repository::{ConfigSource, Repository};
use super::{GitError, GitLocation, Revisions, compare, revisions};
use crate::path::{RelPath, Root};
use crate::source::Target;
use crate::source::message::{self, COMMENT_PREFIX};

/// The message of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// The first ten digits of the commit's id.
    pub short_id: String,
    /// The message, as stored.
    pub text: Vec<u8>,
    /// The files of the project that the commit changes, compared with its first parent.
    pub touched: Vec<RelPath>,
}

impl CommitMessage {
    /// The message as a target.
    pub fn into_target(self) -> Target {
        let path = RelPath::from(format!("commit {}", self.short_id).as_str());
        message::target(path, self.text, self.touched)
    }
}

/// The messages of the commits that are in `HEAD` and not in the base, oldest first. Merges are skipped.
pub fn messages(
    root: &Root,
    location: &GitLocation,
    range: &Revisions,
) -> Result<Vec<CommitMessage>, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?;
    let head = revisions::commit(&repository, range.head.as_deref().unwrap_or("HEAD"))?;
    let base = revisions::commit(&repository, &range.base)?;
    let broken = |error: gix::Error| GitError::broken("the history", &error);
    let walk = repository.git.rev_walk([head]).with_hidden([base]).all().map_err(broken)?;
    let mut found = Vec::new();
    for info in walk {
        let id = info.map_err(broken)?.id;
        let Some(commit) = StoredMessage::of(&repository, id)? else { continue };
        let before = match commit.parent {
            Some(parent) => repository.commit_tree(parent)?,
            None => ObjectId::empty_tree(repository.git.object_hash()),
        };
        let changes = compare::trees(&repository, before, repository.commit_tree(id)?)?;
        let touched = project_paths(&repository, &changes);
        found.push(CommitMessage {
            short_id: id.to_hex_with_len(10).to_string(),
            text: commit.text,
            touched,
        });
    }
    found.reverse();
    Ok(found)
}

/// The message and the parent of a commit.
struct StoredMessage {
    text: Vec<u8>,
    parent: Option<ObjectId>,
}

impl StoredMessage {
    /// `None` for a merge.
    fn of(repository: &Repository, id: ObjectId) -> Result<Option<Self>, GitError> {
        let what = || format!("commit {id}");
        let broken = |error: gix::Error| GitError::broken(what(), &error);
        let object = repository.object(id, what)?;
        let commit = object.try_into_commit().map_err(|error| broken(gix::Error::from_error(error)))?;
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        let text = commit.message_raw().map_err(|error| broken(gix::Error::from_error(error)))?.to_vec();
        Ok((parents.len() <= 1).then(|| Self { text, parent: parents.first().copied() }))
    }
}

/// The message of a commit with these changes as a target; `None` for a merge.
pub(super) fn target_of(
    repository: &Repository,
    id: ObjectId,
    changes: &compare::TreeChanges,
) -> Result<Option<Target>, GitError> {
    let found = StoredMessage::of(repository, id)?;
    Ok(found.map(|StoredMessage { text, .. }| {
        let short_id = id.to_hex_with_len(10).to_string();
        CommitMessage { short_id, text, touched: project_paths(repository, changes) }.into_target()
    }))
}

fn project_paths(repository: &Repository, changes: &compare::TreeChanges) -> Vec<RelPath> {
    let present = changes.present.iter().map(|change| &change.path);
    let paths = present.chain(changes.gone.iter().map(|(path, _)| path));
    paths.filter_map(|path| repository.project_path(path)).collect()
}

/// The files of the project that the next commit changes.
pub fn staged_paths(root: &Root, location: &GitLocation) -> Result<Vec<RelPath>, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?;
    let head = repository.head()?.map(|head| repository.commit_tree(head)).transpose()?;
    let index = repository.index()?;
    let changes = compare::index(&repository, head, &index)?;
    Ok(project_paths(&repository, &changes))
}

/// What starts a comment in a message under way: `core.commentString` or `core.commentChar`. Git chooses the value of
/// `auto` for each message; the first character of the last line that has one is it.
pub fn comment_prefix(root: &Root, location: &GitLocation, message: &[u8]) -> Vec<u8> {
    let Ok(repository) = Repository::open(root, location, ConfigSource::User) else {
        return COMMENT_PREFIX.into();
    };
    let config = repository.git.config_snapshot();
    let value = ["core.commentString", "core.commentChar"].iter().find_map(|key| config.string(*key));
    match value.as_deref().map(|value| value.as_bytes()) {
        Some(b"auto") => {
            let candidates = b"#;@!$%^&|:";
            let last = message.lines().rev().find_map(|line| line.first().copied());
            let chosen = last.filter(|byte| candidates.contains(byte));
            chosen.map_or_else(|| COMMENT_PREFIX.into(), |byte| vec![byte])
        }
        Some(value) if !value.is_empty() => value.to_vec(),
        _ => COMMENT_PREFIX.into(),
    }
}
