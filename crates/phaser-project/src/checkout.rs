//! Checkouts inside a worktree that git knows there: linked worktrees of the same repository, and submodules.
//!
//! A repository inside a worktree is a project of its own only if it is one of these. Any other `.git` (made by `git init`,
//! left by a clone, written by hand) changes nothing: otherwise an agent could lift the contracts of a directory with one
//! command. Both kinds have a `.git` file that leads into the outer repository, which leads back:
//!
//! | kind            | `.git` leads to              | the outer repository has                     |
//! |-----------------|------------------------------|----------------------------------------------|
//! | linked worktree | `.git/worktrees/NAME`        | `.git/worktrees/NAME/gitdir`, that `.git` file |
//! | submodule       | a directory in `.git/modules` | its path in `.gitmodules`                    |
//!
//! Only small files are read; no repository is opened.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::path::RelPath;

/// The largest file that is read, in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Whether the repository of the worktree at `outer` knows the checkout at `inner`, which is inside.
pub fn is_known(inner: &Path, outer: &Path) -> bool {
    let Some(directory) = linked_directory(inner) else { return false };
    let Some(own) = git_directory(outer) else { return false };
    let common = common_directory(&own);
    is_worktree(inner, &directory, &common)
        || ([own, common].iter().any(|git| directory.starts_with(git.join("modules")))
            && is_submodule(inner, outer))
}

fn is_worktree(inner: &Path, directory: &Path, common: &Path) -> bool {
    let leads_back = || {
        let back = read(&directory.join("gitdir"))?;
        let back = directory.join(native(&back)?).canonicalize().ok()?;
        Some(back == inner.join(".git").canonicalize().ok()?)
    };
    directory.parent() == Some(&common.join("worktrees")) && leads_back().unwrap_or(false)
}

/// Whether `.gitmodules` names the path of the checkout.
fn is_submodule(inner: &Path, outer: &Path) -> bool {
    let path = |path: &Path| path.canonicalize().ok();
    let inside = path(inner)
        .zip(path(outer))
        .and_then(|(inner, outer)| Some(inner.strip_prefix(outer).ok()?.to_owned()));
    let (Some(inside), Some(modules)) = (inside, read(&outer.join(".gitmodules"))) else { return false };
    let inside = RelPath::from_native(&inside);
    modules.split(|&byte| byte == b'\n').any(|line| {
        let mut parts = line.splitn(2, |&byte| byte == b'=').map(<[u8]>::trim_ascii);
        let value = parts
            .next()
            .filter(|key| key.eq_ignore_ascii_case(b"path"))
            .and(parts.next())
            .unwrap_or_default();
        let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        value == inside.as_bytes()
    })
}

/// The directory of a worktree's repository.
pub(crate) fn git_directory(top: &Path) -> Option<PathBuf> {
    let own = top.join(".git");
    if own.is_dir() { own.canonicalize().ok() } else { linked_directory(top) }
}

/// The directory that all worktrees of a repository share.
fn common_directory(own: &Path) -> PathBuf {
    let common = || own.join(native(&read(&own.join("commondir"))?)?).canonicalize().ok();
    common().unwrap_or_else(|| own.to_owned())
}

/// The directory that all worktrees of the repository at `top` share; `None` if there is no repository.
pub fn shared_git_directory(top: &Path) -> Option<PathBuf> {
    let common = common_directory(&git_directory(top)?);
    common.join("HEAD").is_file().then_some(common)
}

/// The directory that a `.git` file leads to.
fn linked_directory(top: &Path) -> Option<PathBuf> {
    let text = read(&top.join(".git"))?;
    top.join(native(text.strip_prefix(b"gitdir:")?)?).canonicalize().ok()
}

/// The path in a file of git's.
fn native(text: &[u8]) -> Option<PathBuf> {
    gix::path::from_byte_slice(text.trim_ascii()).ok().map(Path::to_owned)
}

/// The bytes of a small regular file.
fn read(path: &Path) -> Option<Vec<u8>> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_SIZE).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use crate::testing::TestRepo;

    use super::is_known;

    #[test]
    fn knows_worktrees_and_submodules_only() {
        let repo = TestRepo::new();
        let git = |arguments: &str| drop(repo.git(arguments.split(' ')));
        repo.write("a.txt", "x");
        git("add --all");
        git("commit --quiet --message x");
        git("worktree add --quiet inside/linked");
        git("clone --quiet . inside/clone");
        git("init --quiet inside/made");
        git(&format!("submodule --quiet add {} inside/module", repo.top.display()));
        git("init --quiet --separate-git-dir .git/modules/forged inside/forged");
        git("init --quiet --separate-git-dir .git/worktrees/beside inside/beside");
        repo.write("inside/text/.git", "gitdir: nowhere\n");
        for (name, expected) in [
            ("linked", true),
            ("module", true),
            ("clone", false),
            ("made", false),
            ("forged", false),
            ("beside", false),
            ("text", false),
            ("gone", false),
        ] {
            assert_eq!(is_known(&repo.top.join("inside").join(name), &repo.top), expected, "{name}");
        }
        let [linked, module] = ["linked", "module"].map(|name| repo.top.join("inside").join(name));
        assert!(!is_known(&linked, &module) && !is_known(&module, &linked));
    }
}
