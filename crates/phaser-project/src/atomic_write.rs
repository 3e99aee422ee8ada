//! Atomic file writes, via tempfile.
//!
//! The content goes to a temporary file in the same directory, which is then renamed over the target: a reader sees
//! the old file or the new one, never a part.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file atomically and durably. Keeps owner, mode, extended attributes and access control lists of an existing file;
/// refuses a read-only one; replaces a link instead of following it.
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
        attributes::keep(target, file.as_file())?;
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

/// Extended attributes. On Linux, access control lists are among them.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod attributes {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::fs::{XattrFlags, fgetxattr, fsetxattr, getxattr, listxattr};
    use rustix::io::Errno;

    /// Gives `new` the attributes of the file at `old`. Fails if one cannot be set, and `new` has it not already.
    pub fn keep(old: &Path, new: &File) -> io::Result<()> {
        let names = match read(|buffer| listxattr(old, buffer)) {
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
            names => names?,
        };
        for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let value = read(|buffer| getxattr(old, name, buffer))?;
            if read(|buffer| fgetxattr(new, name, buffer)).ok().as_ref() != Some(&value) {
                fsetxattr(new, name, &value, XattrFlags::empty()).map_err(|error| {
                    let name = String::from_utf8_lossy(name);
                    io::Error::other(format!("its attribute '{name}' cannot be kept: {error}"))
                })?;
            }
        }
        Ok(())
    }

    /// Calls `get` with a buffer that is large enough.
    fn read(get: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
        let mut buffer = vec![0; 256];
        loop {
            match get(&mut buffer) {
                Err(Errno::RANGE) if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 4, 0),
                size => {
                    buffer.truncate(size?);
                    return Ok(buffer);
                }
            }
        }
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
mod attributes {
    /// Attributes are not kept on this system.
    pub fn keep(_: &std::path::Path, _: &std::fs::File) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;

    /// An access control list that lets the user 65534 read the file.
    fn access_list() -> Vec<u8> {
        let entries: [(u16, u16, u32); 5] = [
            (0x01, 6, u32::MAX),
            (0x02, 4, 65534),
            (0x04, 4, u32::MAX),
            (0x10, 4, u32::MAX),
            (0x20, 0, u32::MAX),
        ];
        let entry = |(tag, permissions, id): (u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &permissions.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let version = 2_u32.to_le_bytes().to_vec();
        entries.into_iter().map(entry).fold(version, |list, entry| [list, entry].concat())
    }

    #[test]
    fn keeps_attributes_and_access_lists() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("a.txt");
        fs::write(&path, "old").expect("written");
        let attributes = [("user.note", b"kept".to_vec()), ("system.posix_acl_access", access_list())];
        for (name, value) in &attributes {
            if setxattr(&path, *name, value, XattrFlags::empty()).is_err() {
                return; // Not every file system has them.
            }
        }
        write(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("readable"), b"new");
        for (name, value) in &attributes {
            let mut buffer = [0; 256];
            let size = getxattr(&path, *name, &mut buffer).expect(name);
            assert_eq!(&buffer[..size], value, "{name}");
        }
    }
}
