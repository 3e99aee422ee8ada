//! Resolves revisions and merge bases.

use std::str::FromStr;

use gix::ObjectId;

use super::GitError;
use super::repository::Repository;

/// What `--diff` compares: the merge base of `base` and `head` with `head`, or with the worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisions {
    /// The branch, tag or commit to compare with.
    pub base: String,
    /// The commit to check; the worktree if `None`.
    pub head: Option<String>,
}

impl FromStr for Revisions {
    type Err = String;

    /// Parses `BASE`, `BASE..HEAD` or, with the same meaning, `BASE...HEAD`. An empty name, `HEAD` to git, is
    /// refused: it is most likely an unset variable, and comparing `HEAD` with itself finds nothing.
    fn from_str(text: &str) -> Result<Self, String> {
        let (base, head) = match text.split_once("...").or_else(|| text.split_once("..")) {
            Some((base, head)) => (base, Some(head)),
            None => (text, None),
        };
        if base.trim().is_empty() {
            return Err("the base is empty: is the variable set?".to_owned());
        }
        if head.is_some_and(|head| head.trim().is_empty()) {
            return Err(
                "the head is empty: is the variable set? (without '..' the worktree is checked)".to_owned()
            );
        }
        Ok(Self { base: base.to_owned(), head: head.map(str::to_owned) })
    }
}

/// The trees to compare; `head` is `None` for the worktree.
pub(super) struct ComparedTrees {
    pub(super) base: ObjectId,
    pub(super) head: Option<ObjectId>,
}

/// Resolves revisions to trees.
pub(super) fn resolve(repository: &Repository, revisions: &Revisions) -> Result<ComparedTrees, GitError> {
    let head_name = revisions.head.as_deref().unwrap_or("HEAD");
    let head = commit(repository, head_name)?;
    let base = commit(repository, &revisions.base)?;
    let merge_base =
        repository.git.merge_base(base, head).map_err(|error| GitError::broken("the history", &error))?;
    let merge_base = merge_base.ok_or_else(|| GitError::NoMergeBase {
        base: revisions.base.clone(),
        head: head_name.into(),
        help: if is_shallow(repository) { SHALLOW } else { "; name a base that shares history" },
    })?;
    let head = revisions.head.as_ref().map(|_| repository.commit_tree(head)).transpose()?;
    Ok(ComparedTrees { base: repository.commit_tree(merge_base.detach())?, head })
}

const SHALLOW: &str = " in this shallow clone; get the history with `git fetch --unshallow` \
                       (GitHub Actions: `fetch-depth: 0` for actions/checkout)";

/// Resolves a revision to a commit.
pub(super) fn commit(repository: &Repository, revision: &str) -> Result<ObjectId, GitError> {
    if revision == "HEAD" {
        return repository.head()?.ok_or(GitError::Unborn);
    }
    let unknown =
        |_| GitError::UnknownRevision { revision: revision.into(), help: help(repository, revision) };
    let id = repository.git.rev_parse_single(revision).map_err(unknown)?;
    let object = repository.object(id.detach(), || format!("{revision:?}"))?;
    let commit = object.peel_to_commit().map_err(|_| GitError::NotACommit { revision: revision.into() })?;
    Ok(commit.id)
}

/// How to fetch a revision that is missing.
fn help(repository: &Repository, revision: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let named = |name: &str| !name.starts_with('-') && name.bytes().all(is_plain);
    let is_id = revision.len() >= 7 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fetch = match revision.strip_prefix("origin/") {
        Some(branch) if named(branch) => format!("+refs/heads/{branch}:refs/remotes/origin/{branch}"),
        None if is_id => revision.to_owned(),
        None if named(revision) => format!("{revision}:{revision}"),
        _ => {
            return format!(
                "see `git rev-parse '{revision}'`{}",
                if is_shallow(repository) { SHALLOW } else { "" }
            );
        }
    };
    let shallow = if is_shallow(repository) {
        ", and the history of this shallow clone with `git fetch --unshallow`"
    } else {
        ""
    };
    format!("get it with `git fetch origin {fetch}`{shallow}")
}

fn is_shallow(repository: &Repository) -> bool {
    repository.git.is_shallow().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_and_three_dots_mean_the_same() {
        let both = Revisions { base: "main".into(), head: Some("topic/x".into()) };
        assert_eq!("main..topic/x".parse(), Ok(both.clone()));
        assert_eq!("main...topic/x".parse(), Ok(both));
        assert_eq!("v1.0".parse(), Ok(Revisions { base: "v1.0".into(), head: None }));
    }

    #[test]
    fn nothing_is_no_revision() {
        let error = |text: &str| text.parse::<Revisions>().expect_err(text);
        for text in ["", " ", "..", "..HEAD", "...HEAD", " ..HEAD"] {
            assert_eq!(error(text), "the base is empty: is the variable set?", "{text:?}");
        }
        for text in ["main..", "main...", "main.. "] {
            assert!(error(text).starts_with("the head is empty: is the variable set?"), "{text:?}");
        }
    }
}
