//! Lists the contract files of a directory, recursively. Hidden names are skipped, a link to a directory is followed
//! once, and only regular files are opened.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::ContractDirectory;
use phaser_core::contract::{LayerKind, Warning};

/// The relative paths of the contract files, sorted.
pub(super) fn names(directory: &ContractDirectory, warnings: &mut Vec<Warning>) -> Vec<PathBuf> {
    let mut found = FolderListing::default();
    found.look_into(directory, PathBuf::new(), warnings);
    found.follow_links(directory, warnings);
    found.files.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    found.files
}

/// The contract files of a directory on disk, reached through links or not.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let path = directory.to_owned();
    let directory =
        ContractDirectory { kind: LayerKind::Project, shown: path.clone(), path, nested_only: false };
    names(&directory, &mut Vec::new()).into_iter().map(|name| directory.path.join(name)).collect()
}

/// The real paths of contract files that are outside the directory and reached through a link in it.
pub fn linked(directory: &ContractDirectory) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(top) = real(&directory.path) else { return Vec::new() };
    let may_be_linked = |path: &Path| path.is_symlink() || path.parent() != Some(&directory.path);
    let files = names(directory, &mut Vec::new()).into_iter().map(|name| directory.path.join(name));
    let linked = files.filter(|path| may_be_linked(path)).filter_map(|path| real(&path));
    linked.filter(|path| !path.starts_with(&top)).collect()
}

/// Paths relative to the directory.
#[derive(Default)]
struct FolderListing {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// Links to directories.
    links: Vec<PathBuf>,
}

/// The kind of a directory entry.
enum FolderEntryKind {
    File,
    Folder,
    LinkToFolder,
    Else,
}

impl FolderListing {
    /// Lists the directory at `inside`, and those below it.
    fn look_into(&mut self, directory: &ContractDirectory, inside: PathBuf, warnings: &mut Vec<Warning>) {
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
            for (name, what) in entries {
                let is_contract = has_extension(&name);
                let path = if inside.as_os_str().is_empty() { name.into() } else { inside.join(name) };
                match what {
                    FolderEntryKind::Folder => waiting.push(path),
                    FolderEntryKind::LinkToFolder => self.links.push(path),
                    FolderEntryKind::File if is_contract => self.files.push(path),
                    FolderEntryKind::Else if is_contract => {
                        let what = "not a regular file (move it away, or put a file there)";
                        warnings.push(Warning::about(&directory.shown.join(&path), what));
                    }
                    FolderEntryKind::File if path.file_name().is_some_and(is_misnamed) => {
                        let what =
                            "not read: the name of a contract file ends in '.yaml' or '.yml' (rename it)";
                        warnings.push(Warning::about(&directory.shown.join(&path), what));
                    }
                    FolderEntryKind::File | FolderEntryKind::Else => {}
                }
            }
            self.folders.push(inside);
        }
    }

    /// Lists the directories that links lead to, each once.
    fn follow_links(&mut self, directory: &ContractDirectory, warnings: &mut Vec<Warning>) {
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

/// The names in a directory, without hidden ones.
fn entries(directory: &Path) -> io::Result<Vec<(OsString, FolderEntryKind)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_hidden(&name) {
            entries.push((name, what(&entry)));
        }
    }
    Ok(entries)
}

fn what(entry: &DirEntry) -> FolderEntryKind {
    let of = |kind: FileType, folder: FolderEntryKind| match kind {
        kind if kind.is_file() => FolderEntryKind::File,
        kind if kind.is_dir() => folder,
        _ => FolderEntryKind::Else,
    };
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => {
            let leads_to = fs::metadata(entry.path());
            leads_to.map_or(FolderEntryKind::Else, |metadata| {
                of(metadata.file_type(), FolderEntryKind::LinkToFolder)
            })
        }
        Ok(kind) => of(kind, FolderEntryKind::Folder),
        Err(_) => FolderEntryKind::Else,
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Whether a path relative to the contract directory is that of a contract file.
pub(super) fn is_named_like_a_contract(path: &Path) -> bool {
    path.file_name().is_some_and(has_extension) && !path.iter().any(is_hidden)
}

/// Whether the name has the extension of a contract.
fn has_extension(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".yaml") || name.ends_with(b".yml")
}

/// Whether a name without that extension was meant to have it: `a.yaml.txt`, `a.YAML`.
fn is_misnamed(name: &OsStr) -> bool {
    let lower = name.as_encoded_bytes().to_ascii_lowercase();
    let meant = lower.strip_suffix(b".txt").unwrap_or(&lower);
    meant.ends_with(b".yaml") || meant.ends_with(b".yml")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let directory = ContractDirectory {
            kind: LayerKind::Project,
            path: path.to_owned(),
            shown: "shown".into(),
            nested_only: false,
        };
        let mut warnings = Vec::new();
        let names = super::names(&directory, &mut warnings);
        assert_eq!(warnings, []);
        names.iter().map(|name| name.display().to_string()).collect()
    }

    #[test]
    fn lists_subdirectories_and_follows_links_once() {
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
