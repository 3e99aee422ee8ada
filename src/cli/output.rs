//! Where a report goes: to standard output, or to a file that is whole or not there.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, anyhow};

use phaser_project::atomic_write::replace_with;
use phaser_project::path::real_path;

/// Writes to standard output. A reader that goes away (`| head`) has seen what it wanted: the run ends as it would have.
pub fn to_stdout(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    match written(report) {
        Err(error) if is_unread(&error) => Ok(()),
        written => written.context(UNWRITABLE),
    }
}

/// Writes to standard output what a client waits for: an answer that nobody reads is no answer.
pub fn answer(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    written(report).context(UNWRITABLE)
}

/// Writes text to standard output, as [`to_stdout`] does.
pub fn print(text: &str) -> anyhow::Result<()> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// Has the reader of standard output gone away?
pub fn is_unread(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

const UNWRITABLE: &str = "standard output cannot be written";

fn written(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    report(&mut out).and_then(|()| out.flush())
}

/// Writes a file. Whoever reads it meanwhile sees the old one or the new one.
pub fn to_file(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    write_file(&real_path(path), report).map_err(|error| {
        anyhow!("{} cannot be written: {error} (name a file in a directory that exists)", path.display())
    })
}

/// What is not a regular file, such as a device, is written and not replaced.
fn write_file(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let write = |file: &mut File| {
        let mut out = io::BufWriter::new(file);
        report(&mut out).and_then(|()| out.flush())
    };
    if path.exists() && !path.is_file() {
        return write(&mut File::create(path)?);
    }
    replace_with(path, write)
}

/// Adds to the end of a file.
pub fn append(path: &Path, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let context = || format!("{} cannot be written", path.display());
    let mut file = OpenOptions::new().append(true).create(true).open(path).with_context(context)?;
    let mut bytes = Vec::new();
    report(&mut bytes).and_then(|()| file.write_all(&bytes)).with_context(context)
}
