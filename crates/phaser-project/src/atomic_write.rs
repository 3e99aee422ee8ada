//! Atomic file writes, via tempfile.
//!
//! The content goes to a temporary file in the same directory, which is then renamed over the target: a reader sees
//! the old file or the new one, never a part.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file atomically and durably. Keeps owner and mode of an existing file; refuses a read-only one; replaces
/// a link instead of following it.
pub fn write(target: &Path, content: &[u8]) -> io::Result<()> {
    write_with(target, |file| file.write_all(content))
}

/// [`write()`] for content that is produced piece by piece.
pub fn write_with(target: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let before = fs::metadata(target).ok();
    if before.as_ref().is_some_and(|before| before.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(directory)?;
    let mut builder = temporary();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory).map_err(without_path)?;
    write(file.as_file_mut())?;
    if let Some(before) = before {
        keep_owner(file.as_file(), &before);
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    // The rename is done; syncing the directory is best effort.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

/// Writes a file atomically, readable by the user only. Replaces a link instead of following it.
///
/// Does not sync: after a power failure the file may have any content, so its reader must verify a checksum.
pub fn write_private(target: &Path, content: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new("."));
    // tempfile creates files with mode 0600.
    let mut file = temporary().tempfile_in(directory).map_err(without_path)?;
    file.as_file_mut().write_all(content)?;
    file.persist(target)?;
    Ok(())
}

/// Whether a path is the temporary file of an atomic write.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1))
}

/// Prefix and suffix of temporary files.
const TEMPORARY: (&str, &str) = (".phaser.", ".tmp");

fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    builder
}

/// The metadata of a new file in `directory`, which is deleted at once. Its times are those of the file system's
/// clock.
pub fn new_file_metadata(directory: &Path) -> io::Result<fs::Metadata> {
    tempfile::tempfile_in(directory)?.metadata()
}

/// Drops the path of the temporary file from an error.
fn without_path(error: io::Error) -> io::Error {
    io::Error::from(error.kind())
}

/// Gives the file to its previous owner, if permitted.
#[cfg(unix)]
fn keep_owner(file: &File, before: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}
