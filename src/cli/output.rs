//! Writes reports: to stdout, or atomically to a file. After the first write the program must not run again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::environment::Environment;
use phaser_project::atomic_write;
use phaser_project::path::real_path;

/// Writes to stdout. A closed pipe (`| head`) is no error.
pub fn to_stdout(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    match written(report) {
        Err(error) if is_unread(&error) => Ok(()),
        written => written.context(UNWRITABLE),
    }
}

/// Writes a hook response to stdout. A closed pipe is an error.
pub fn answer(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    written(report).context(UNWRITABLE)
}

/// [`to_stdout`] for a string.
pub fn print(text: &str) -> anyhow::Result<()> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// Whether the error is a closed pipe.
pub fn is_unread(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

const UNWRITABLE: &str = "cannot write to stdout";

fn written(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    phaser_rerun::end();
    let mut out = io::BufWriter::new(io::stdout().lock());
    report(&mut out).and_then(|()| out.flush())
}

/// Writes to a file relative to the current directory, or to stdout.
pub fn to_file_or_stdout(
    path: Option<&Path>,
    environment: &Environment,
    report: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    match path {
        Some(path) => to_file(&environment.cwd.join(path), report),
        None => to_stdout(report),
    }
}

/// Writes a file atomically.
pub fn to_file(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    phaser_rerun::end();
    write_file(&real_path(path), report).map_err(|error| {
        anyhow!("cannot write {}: {error} (name a file in a directory that exists)", path.display())
    })
}

/// Writes in place what is not a regular file, such as a device.
fn write_file(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let write = |file: &mut File| {
        let mut out = io::BufWriter::new(file);
        report(&mut out).and_then(|()| out.flush())
    };
    if path.exists() && !path.is_file() {
        return write(&mut File::create(path)?);
    }
    atomic_write::write_with(path, write)
}

/// Appends to a file.
pub fn append(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let context = || format!("cannot write {}", path.display());
    phaser_rerun::end();
    let mut file = OpenOptions::new().append(true).create(true).open(path).with_context(context)?;
    let mut bytes = Vec::new();
    report(&mut bytes).and_then(|()| file.write_all(&bytes)).with_context(context)
}
