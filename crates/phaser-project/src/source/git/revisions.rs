//! Names of commits, and what two of them have in common.

use std::str::FromStr;

use gix::ObjectId;

use super::Error;
use super::repository::Repository;

/// What `--diff` compares: the merge base of `base` and `head` with `head`, or with the worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisions {
    /// The branch, tag or commit to compare with.
    pub base: String,
    /// The commit that is checked; the worktree without one.
    pub head: Option<String>,
}

impl FromStr for Revisions {
    type Err = String;

    /// `BASE`, `BASE..HEAD` or, with the same meaning, `BASE...HEAD`. To git no name at all means `HEAD`, but here it is
    /// most likely a variable that is not set, and comparing `HEAD` with itself would find nothing.
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

/// The trees that are compared; `head` is `None` for the worktree.
pub(super) struct Compared {
    pub(super) base: ObjectId,
    pub(super) head: Option<ObjectId>,
}

/// The trees that `revisions` name.
pub(super) fn resolve(repository: &Repository, revisions: &Revisions) -> Result<Compared, Error> {
    let head_name = revisions.head.as_deref().unwrap_or("HEAD");
    let head = commit(repository, head_name)?;
    let base = commit(repository, &revisions.base)?;
    let merge_base =
        repository.git.merge_base(base, head).map_err(|error| Error::broken("the history", &error))?;
    let merge_base = merge_base.ok_or_else(|| Error::NoMergeBase {
        base: revisions.base.clone(),
        head: head_name.into(),
        help: if is_shallow(repository) { SHALLOW } else { "; name a base that shares history" },
    })?;
    let head = revisions.head.as_ref().map(|_| repository.commit_tree(head)).transpose()?;
    Ok(Compared { base: repository.commit_tree(merge_base.detach())?, head })
}

const SHALLOW: &str = " in this shallow clone; get the history with `git fetch --unshallow` \
                       (GitHub Actions: `fetch-depth: 0` for actions/checkout)";

/// The commit that a revision names.
pub(super) fn commit(repository: &Repository, revision: &str) -> Result<ObjectId, Error> {
    if revision == "HEAD" {
        return repository.head()?.ok_or(Error::Unborn);
    }
    let unknown = |_| Error::UnknownRevision { revision: revision.into(), help: help(repository, revision) };
    let id = repository.git.rev_parse_single(revision).map_err(unknown)?;
    let object = repository.object(id.detach(), || format!("{revision:?}"))?;
    let commit = object.peel_to_commit().map_err(|_| Error::NotACommit { revision: revision.into() })?;
    Ok(commit.id)
}

/// How to get a revision that is not here.
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
