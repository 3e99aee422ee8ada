//! Where a command runs: which paths are outside the project, and which files exist near it.
//!
//! Paths are compared as text. In a project at `/home/ann/app`, `cd web && rm -rf ../../x` is resolved to
//! `/home/ann/x`, which is outside. The value of `$X` is not known, so `rm -rf $X` is never outside; `/usr/$X` is, because
//! neither the project nor a temporary directory is below `/usr`.

use std::path::{Component, Path, PathBuf};

use crate::check::ForbidCommand;

/// Directories for temporary files.
const TEMPORARY: [&str; 6] =
    ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/var/folders", "/private/var/folders"];

/// Where the commands of an agent run.
pub struct CommandPlace<'a> {
    /// The directory of the agent's shell.
    pub cwd: PathBuf,
    /// The project root, as spelled and with links resolved.
    pub roots: Vec<PathBuf>,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The value of `TMPDIR`.
    pub temporary: Option<PathBuf>,
    /// Whether a file exists. `None` if the conditions of all contracts are met.
    pub exists: Option<&'a dyn Fn(&Path) -> bool>,
}

impl CommandPlace<'_> {
    /// The place of examples: the root of a project `/home/user/project` in which the conditions of all contracts are met.
    pub fn of_examples() -> Self {
        let home = PathBuf::from("/home/user");
        let root = home.join("project");
        Self { cwd: root.clone(), roots: vec![root], home: Some(home), temporary: None, exists: None }
    }

    /// Whether the files of a contract's conditions exist as it requires. `changes` are those of the directory.
    pub(super) fn has_files(&self, check: &ForbidCommand, changes: &[String]) -> bool {
        let Some(exists) =
            self.exists.filter(|_| !check.when_exists.is_empty() || !check.unless_exists.is_empty())
        else {
            return true;
        };
        let Some(directory) = self.directory(changes) else { return false };
        let Some(root) = self.roots.iter().find(|root| directory.starts_with(root)) else { return false };
        for near in directory.ancestors().take_while(|near| near.starts_with(root)) {
            let has = |names: &[String]| names.iter().any(|name| exists(&near.join(name)));
            if has(&check.unless_exists) {
                return false;
            }
            if has(&check.when_exists) {
                return true;
            }
        }
        check.when_exists.is_empty()
    }

    /// Whether a word is a path outside the project and the temporary directories.
    pub(super) fn is_outside(&self, word: &str, changes: &[String]) -> bool {
        let directory = self.directory(changes);
        match self.resolved(directory.as_deref(), word) {
            Some(Resolved::Whole(path)) => !self.is_inside(&path),
            Some(Resolved::Start(path)) => {
                !self.is_inside(&path) && !self.inside().any(|inside| inside.starts_with(&path))
            }
            None => false,
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
            || self.temporary().any(|temporary| path.starts_with(temporary) && path != temporary)
    }

    fn temporary(&self) -> impl Iterator<Item = &Path> {
        self.temporary.as_deref().into_iter().chain(TEMPORARY.iter().map(Path::new))
    }

    fn inside(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(PathBuf::as_path).chain(self.temporary())
    }

    /// The directory after these changes; `None` if it is not known.
    pub(super) fn directory(&self, changes: &[String]) -> Option<PathBuf> {
        let mut directory = Some(self.cwd.clone());
        for change in changes {
            // An absolute path is known again after an unknown one.
            directory = match self.resolved(directory.as_deref(), change).filter(|_| change != "-") {
                Some(Resolved::Whole(path)) => Some(path),
                Some(Resolved::Start(_)) | None => None,
            };
        }
        directory
    }

    /// The path of a word.
    fn resolved(&self, directory: Option<&Path>, word: &str) -> Option<Resolved> {
        let (first, rest) = word.split_once('/').map_or((word, ""), |(first, rest)| (first, rest));
        let start = match first {
            "" if word.starts_with('/') => PathBuf::from("/"),
            "~" | "$HOME" | "${HOME}" => self.home.clone()?,
            "$PWD" | "${PWD}" => directory?.to_owned(),
            "$TMPDIR" | "${TMPDIR}" => self.temporary.clone()?,
            // The home of another user.
            _ if first.starts_with('~') => Path::new("/").join(first),
            _ => directory?.join(known(first)?),
        };
        let mut path = start;
        for (at, part) in rest.split('/').enumerate() {
            match known(part) {
                Some(part) => path.push(part),
                None if at == 0 && rest.is_empty() => {}
                None => return Some(Resolved::Start(without_dots(&path))),
            }
        }
        Some(Resolved::Whole(without_dots(&path)))
    }
}

/// A resolved word.
enum Resolved {
    /// Its path.
    Whole(PathBuf),
    /// The directory of its path up to the first part that is not known.
    Start(PathBuf),
}

/// A part of a path, unless it has an expansion.
fn known(part: &str) -> Option<&str> {
    (!part.contains(['$', '`']) && !part.contains("<(")).then_some(part)
}

/// `path` without `.` and `..`. Links are not resolved.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_is_neither_project_nor_temporary() {
        let place = CommandPlace { temporary: Some("/scratch".into()), ..CommandPlace::of_examples() };
        let is_outside = |changes: &[&str], word: &str| {
            let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
            place.is_outside(word, &changes)
        };
        for word in [
            "/",
            "/*",
            "/etc",
            "~",
            "~/x",
            "$HOME",
            "${HOME}/x",
            "~ann/x",
            "..",
            "../x",
            "a/../../x",
            "/tmp",
            "/usr/$X",
            "/home/user/project2",
            "$PWD/..",
            "/scratch",
        ] {
            assert!(is_outside(&[], word), "{word}");
        }
        for word in [
            "x",
            "./x",
            "a/../x",
            "/home/user/project/x",
            "/home/user/project",
            "~/project/x",
            "/tmp/x",
            "/var/tmp/x/y",
            "$TMPDIR/x",
            "/scratch/x",
            "$X",
            "$X/y",
            "/$X",
            "~/$X",
            "$(pwd)/x",
            "-",
            "${HOME:-x}/y",
        ] {
            assert!(!is_outside(&[], word), "{word}");
        }
        assert!(
            is_outside(&["/usr"], "lib")
                && is_outside(&["web"], "../../x")
                && is_outside(&["$X", "/"], "usr")
        );
        assert!(!is_outside(&["web"], "../x") && !is_outside(&["/tmp/x"], "../y"));
        assert!(
            !is_outside(&["$X"], "../../x") && !is_outside(&["-"], "../../x") && is_outside(&["-"], "/usr")
        );
    }

    #[test]
    fn nearest_directory_with_a_file_decides() {
        let files = |there: &'static [&'static str]| {
            move |path: &Path| there.iter().any(|name| path == Path::new("/home/user/project").join(name))
        };
        let check = ForbidCommand {
            commands: vec!["npm".to_owned()],
            args: Vec::new(),
            pattern: None,
            piped_to: Vec::new(),
            operands: None,
            when_exists: vec!["pnpm-lock.yaml".to_owned()],
            unless_exists: vec!["package-lock.json".to_owned()],
        };
        let holds = |there: &'static [&'static str], change: &str| {
            let exists = files(there);
            let place = CommandPlace { exists: Some(&exists), ..CommandPlace::of_examples() };
            place.has_files(&check, &[change.to_owned()])
        };
        assert!(holds(&["pnpm-lock.yaml"], ".") && holds(&["pnpm-lock.yaml"], "web/src"));
        assert!(holds(&["web/pnpm-lock.yaml", "package-lock.json"], "web"));
        assert!(!holds(&["pnpm-lock.yaml", "web/package-lock.json"], "web"));
        assert!(!holds(&["pnpm-lock.yaml", "package-lock.json"], "."));
        assert!(!holds(&[], ".") && !holds(&["pnpm-lock.yaml"], "$X") && !holds(&["pnpm-lock.yaml"], "/tmp"));
        assert!(!holds(&["../pnpm-lock.yaml"], "."), "above the project");
    }
}
