//! A file replaced as a whole, or left as it was; and files that are there for a moment: the home of tempfile.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Makes `content` the content of `target`, which keeps its owner and its mode. A file that is read-only
/// is refused; a link is replaced, not followed.
pub fn replace(target: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(target, |file| file.write_all(content))
}

/// The same with what `write` writes, which need not be in memory at once.
pub fn replace_with(target: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let before = fs::metadata(target).ok();
    if before.as_ref().is_some_and(|before| before.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(directory)?;
    let mut builder = unfinished();
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
    // The new file is in place; that its name is on the disk too is worth a try, and no more.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

/// Makes `content` the content of `target`, which nobody else may read. A link is replaced, not followed.
///
/// That it is on the disk is not waited for: after a loss of power the file may hold anything, so whoever reads it must be
/// able to tell.
pub fn replace_in_private(target: &Path, content: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new("."));
    // Such a file is for nobody else from the start.
    let mut file = unfinished().tempfile_in(directory).map_err(without_path)?;
    file.as_file_mut().write_all(content)?;
    file.persist(target)?;
    Ok(())
}

/// Is this a file that somebody was writing who has not come to an end?
pub fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1))
}

/// What the name of a file starts and ends with that is not finished.
const UNFINISHED: (&str, &str) = (".phaser.", ".tmp");

fn unfinished() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    builder
}

/// What is known of a file that is made in `directory` now; it is gone again at once.
pub fn of_a_new_file(directory: &Path) -> io::Result<fs::Metadata> {
    tempfile::tempfile_in(directory)?.metadata()
}

/// The error without the name of the temporary file, which says nothing to whoever asked for another one.
fn without_path(error: io::Error) -> io::Error {
    io::Error::from(error.kind())
}

/// Leaves the file to whoever it belongs to, as far as that is ours to do.
#[cfg(unix)]
fn keep_owner(file: &File, before: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}
