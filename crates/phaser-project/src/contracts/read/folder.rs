//! Which files of a directory are named like contracts: those in it, and in the directories in it. Names that start with
//! a dot are passed over; a link to a directory is followed once, and nothing but regular files is ever opened.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::{Candidate, Directory};
use phaser_core::contract::Warning;

/// The contract files of a directory, in name order.
pub(super) fn files(directory: &Directory, warnings: &mut Vec<Warning>) -> Vec<Candidate> {
    names(directory, warnings).iter().map(|name| Candidate::new(directory, name.as_os_str())).collect()
}

/// The same by their paths from there.
pub fn names(directory: &Directory, warnings: &mut Vec<Warning>) -> Vec<PathBuf> {
    let mut found = Found::default();
    found.look_into(directory, PathBuf::new(), warnings);
    found.follow_links(directory, warnings);
    found.files.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    found.files
}

/// The real paths of contract files of a directory that are reached through a link in it.
pub fn linked(directory: &Directory) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(top) = real(&directory.path) else { return Vec::new() };
    let may_be_linked = |path: &Path| path.is_symlink() || path.parent() != Some(&directory.path);
    let files = files(directory, &mut Vec::new()).into_iter().map(|file| file.path);
    let linked = files.filter(|path| may_be_linked(path)).filter_map(|path| real(&path));
    linked.filter(|path| !path.starts_with(&top)).collect()
}

/// Paths from the directory that is looked into.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// Links to directories.
    links: Vec<PathBuf>,
}

/// What an entry of a directory is.
enum What {
    File,
    Folder,
    LinkToFolder,
    Else,
}

impl Found {
    /// Notes what is in the directory at `inside`, and in those below it.
    fn look_into(&mut self, directory: &Directory, inside: PathBuf, warnings: &mut Vec<Warning>) {
        let mut waiting = vec![inside];
        while let Some(inside) = waiting.pop() {
            let entries = match entries(&directory.path.join(&inside)) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let is_top = inside.as_os_str().is_empty();
                    let shown = if is_top { directory.shown.clone() } else { directory.shown.join(&inside) };
                    warnings.push(Warning::about(&shown, format!("cannot be read: {error}")));
                    continue;
                }
            };
            for Entry { name, what } in entries {
                let is_contract = has_extension(&name);
                let path = if inside.as_os_str().is_empty() { name.into() } else { inside.join(name) };
                match what {
                    What::Folder => waiting.push(path),
                    What::LinkToFolder => self.links.push(path),
                    What::File if is_contract => self.files.push(path),
                    What::Else if is_contract => {
                        let what = "not a regular file (move it away, or put a file there)";
                        warnings.push(Warning::about(&directory.shown.join(&path), what));
                    }
                    What::File | What::Else => {}
                }
            }
            self.folders.push(inside);
        }
    }

    /// Looks into the directories that links lead to, each once.
    fn follow_links(&mut self, directory: &Directory, warnings: &mut Vec<Warning>) {
        if self.links.is_empty() {
            return;
        }
        let real = |path: &PathBuf| directory.path.join(path).canonicalize();
        let mut known: HashSet<PathBuf> = HashSet::new();
        loop {
            known.extend(self.folders.drain(..).filter_map(|folder| real(&folder).ok()));
            self.links.sort_unstable();
            let Some(link) = self.links.pop() else { return };
            if real(&link).is_ok_and(|real| !known.contains(&real)) {
                self.look_into(directory, link, warnings);
            }
        }
    }
}

/// An entry of a directory.
struct Entry {
    name: OsString,
    what: What,
}

/// What is in a directory, but for what is hidden.
fn entries(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_hidden(&name) {
            entries.push(Entry { name, what: what(&entry) });
        }
    }
    Ok(entries)
}

fn what(entry: &DirEntry) -> What {
    let of = |kind: FileType, folder: What| match kind {
        kind if kind.is_file() => What::File,
        kind if kind.is_dir() => folder,
        _ => What::Else,
    };
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => {
            let leads_to = fs::metadata(entry.path());
            leads_to.map_or(What::Else, |metadata| of(metadata.file_type(), What::LinkToFolder))
        }
        Ok(kind) => of(kind, What::Folder),
        Err(_) => What::Else,
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Is a file with this path, from the directory of contracts, named like one?
pub fn is_named_like_a_contract(path: &Path) -> bool {
    path.file_name().is_some_and(has_extension) && !path.iter().any(is_hidden)
}

/// Has a name that is not hidden one of the extensions that contracts have?
fn has_extension(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".yaml") || name.ends_with(b".yml")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::contracts::read::Forms;
    use phaser_core::contract::LayerKind;

    fn names(path: &Path) -> Vec<String> {
        let directory = Directory {
            kind: LayerKind::Project,
            path: path.to_owned(),
            shown: "shown".into(),
            forms: Forms::Both,
        };
        let mut warnings = Vec::new();
        let files = files(&directory, &mut warnings);
        assert_eq!(warnings, []);
        files.iter().filter_map(|file| directory.name_of(&file.path)).map(str::to_owned).collect()
    }

    #[test]
    fn directories_in_it_are_looked_into_and_links_are_followed_once() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let path = temporary.path().join("contracts");
        fs::create_dir_all(path.join("security/deep")).expect("created");
        fs::create_dir_all(path.join(".hidden")).expect("created");
        fs::create_dir_all(temporary.path().join("shared/more")).expect("created");
        for file in ["a.yaml", "security/deep/b.yml", "security.yaml", ".hidden/c.yaml", "security/notes.md"]
        {
            fs::write(path.join(file), "").expect("written");
        }
        fs::write(temporary.path().join("shared/more/s.yaml"), "").expect("written");
        assert_eq!(names(&path), ["a.yaml", "security.yaml", "security/deep/b.yml"]);
        symlink("..", path.join("security/up")).expect("linked");
        symlink("security", path.join("again")).expect("linked");
        symlink("../shared", path.join("one")).expect("linked");
        symlink("../shared", path.join("two")).expect("linked");
        symlink("../../contracts", temporary.path().join("shared/back")).expect("linked");
        let found = names(&path);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found.contains(&"two/more/s.yaml".to_owned()), "{found:?}");
    }
}
