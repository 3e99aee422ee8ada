//! The file of the log.
//!
//! Events arrive at the same time, from several agents and subagents, and every one is a process of its own. Each line is
//! one `write` in append mode, which the system never interleaves with another. Over [`MAX_SIZE`] the file is renamed and a
//! new one is started; the earlier one is kept until the next time. Renaming takes a lock, so that of two processes that
//! find the file too large, only one renames it; a line that another process writes meanwhile ends up in the renamed file
//! and is not lost.
//!
//! The log must change no decision and harm no other file: it is opened without following a link, only as a regular file
//! with one name, and every error ends the attempt silently.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::DecisionRecord;
use phaser_core::sanitize::inert_json;
use phaser_project::checkout;
use phaser_project::path::Root;

/// The directory in git's directory, or in the user's state directory.
const FOLDER: &str = "phaser";

/// The name of the log.
const NAME: &str = "decisions.jsonl";

/// The name of the earlier log.
const EARLIER: &str = "decisions.jsonl.1";

/// The size over which a new file is started, in bytes.
pub const MAX_SIZE: u64 = 10_000_000;

/// The log of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    directory: PathBuf,
    /// The project's root, if other projects have the same log.
    project: Option<String>,
}

impl Log {
    /// The log of the project at `root`: in git's directory, which is found by its path, else in `state_home`.
    pub fn of(root: &Root, state_home: Option<PathBuf>) -> Option<Self> {
        if let Some(git) = root.path().ancestors().find_map(checkout::shared_git_directory) {
            return Some(Self { directory: git.join(FOLDER), project: None });
        }
        let project = Some(root.path().to_string_lossy().into_owned());
        Some(Self { directory: state_home?.join(FOLDER), project })
    }

    pub fn file(&self) -> PathBuf {
        self.directory.join(NAME)
    }

    /// Appends a record.
    pub fn append(&self, record: &DecisionRecord) -> io::Result<()> {
        let record = DecisionRecord { project: self.project.clone(), ..record.clone() };
        let json = serde_json::to_string(&record)?;
        let line = format!("{}\n", inert_json(&json));
        self.make_directory()?;
        let mut file = self.open()?;
        if file.metadata()?.len() + line.len() as u64 > MAX_SIZE && self.rotate(&file) {
            file = self.open()?;
        }
        // Not `write_all`: a second write could come after another process's line.
        match file.write(line.as_bytes())? {
            written if written == line.len() => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// Makes the directory. It may be a link to nowhere else.
    fn make_directory(&self) -> io::Result<()> {
        match fs::symlink_metadata(&self.directory) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
            Err(_) if self.project.is_some() => fs::create_dir_all(&self.directory),
            Err(_) => match fs::create_dir(&self.directory) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                made => made,
            },
        }
    }

    /// Opens the log to append to it.
    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let file = private(&mut options).open(self.file())?;
        if is_own(&file.metadata()?) { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Renames the log, unless another process does or did. Returns whether it is renamed.
    fn rotate(&self, file: &File) -> bool {
        let current =
            || is_same(&file.metadata().ok()?, &fs::symlink_metadata(self.file()).ok()?).then_some(());
        if file.try_lock().is_err() || current().is_none() {
            // A process that has renamed it holds the lock on the renamed file.
            return current().is_none();
        }
        fs::rename(self.file(), self.directory.join(EARLIER)).is_ok()
    }

    /// All records of the project, oldest first. Lines that are no records are left out.
    pub fn read(&self) -> Vec<DecisionRecord> {
        let mut records = Vec::new();
        for name in [EARLIER, NAME] {
            records.extend(self.read_file(&self.directory.join(name), MAX_SIZE * 2).unwrap_or_default());
        }
        records
    }

    /// The records in the last `most` bytes of the log that mention `word`.
    pub fn read_recent(&self, most: u64, word: &str) -> Vec<DecisionRecord> {
        let bytes = tail(&self.file(), most).unwrap_or_default();
        let lines = bytes.split(|&byte| byte == b'\n');
        let has_word = |line: &&[u8]| memchr::memmem::find(line, word.as_bytes()).is_some();
        lines.filter(has_word).filter_map(|line| self.record(line)).collect()
    }

    fn read_file(&self, path: &Path, most: u64) -> io::Result<Vec<DecisionRecord>> {
        let bytes = tail(path, most)?;
        Ok(bytes.split(|&byte| byte == b'\n').filter_map(|line| self.record(line)).collect())
    }

    /// The record on a line. A line that was cut short, on a full disk, may have another record after it.
    fn record(&self, line: &[u8]) -> Option<DecisionRecord> {
        let start = memchr::memmem::rfind(line, b"{\"time\":\"")?;
        let record: DecisionRecord = serde_json::from_slice(&line[start..]).ok()?;
        (record.project == self.project).then_some(record)
    }
}

/// The last `most` bytes of a regular file.
pub(super) fn tail(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `time` as `2026-01-31T12:00:00.000Z`.
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let date = gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::ISO8601_STRICT);
    format!("{}.{:03}Z", date.trim_end_matches("+00:00").trim_end_matches('Z'), since.subsec_millis())
}

/// Readable by the user only, and opened neither through a link nor waiting for a reader.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    options.mode(0o600).custom_flags(i32::try_from(flags).unwrap_or(0))
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Whether it is a regular file without another name.
#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && std::os::unix::fs::MetadataExt::nlink(metadata) == 1
}

#[cfg(not(unix))]
fn is_own(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Files are not identified on this system: the lock alone decides.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.len() <= other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn log(directory: &Path) -> Log {
        Log { directory: directory.join(FOLDER), project: None }
    }

    fn record(session: &str) -> DecisionRecord {
        let session = Some(session.to_owned());
        DecisionRecord { time: "2026-01-31T12:00:00.000Z".to_owned(), session, ..DecisionRecord::default() }
    }

    #[test]
    fn formats_time_with_milliseconds() {
        let at = |milliseconds| timestamp(SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds));
        assert_eq!(at(1_794_905_351_751), "2026-11-17T08:49:11.751Z");
        assert_eq!(at(7), "1970-01-01T00:00:00.007Z");
    }

    #[test]
    fn starts_new_file_over_limit() {
        let directory = tempfile::tempdir().expect("a directory");
        let log = log(directory.path());
        log.append(&record("first")).expect("written");
        let file = OpenOptions::new().append(true).open(log.file()).expect("is there");
        file.set_len(MAX_SIZE - 10).expect("grown");
        log.append(&record("second")).expect("written");
        let earlier = fs::metadata(log.directory.join(EARLIER)).expect("is there");
        assert_eq!(earlier.len(), MAX_SIZE - 10);
        assert!(fs::metadata(log.file()).expect("is there").len() < 1_000);
        let sessions: Vec<_> = log.read().into_iter().filter_map(|record| record.session).collect();
        assert_eq!(sessions, ["first", "second"]);
    }

    #[test]
    fn reads_record_after_cut_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let log = log(directory.path());
        log.append(&record("a")).expect("written");
        let mut file = OpenOptions::new().append(true).open(log.file()).expect("is there");
        file.write_all(b"{\"time\":\"2026-01-3").expect("written");
        log.append(&record("b")).expect("written");
        file.write_all(b"no record\n").expect("written");
        let sessions: Vec<_> = log.read().into_iter().filter_map(|record| record.session).collect();
        assert_eq!(sessions, ["a", "b"]);
        assert_eq!(log.read_recent(1 << 20, "\"b\"").len(), 1);
    }

    #[test]
    fn shared_log_separates_projects() {
        let directory = tempfile::tempdir().expect("a directory");
        let of = |name: &str| Log { project: Some(name.to_owned()), ..log(directory.path()) };
        of("one").append(&record("a")).expect("written");
        of("two").append(&record("b")).expect("written");
        assert_eq!(of("two").read()[0].session.as_deref(), Some("b"));
        assert_eq!(of("two").read().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn never_writes_through_links() {
        let directory = tempfile::tempdir().expect("a directory");
        let victim = directory.path().join("victim");
        fs::write(&victim, "x").expect("written");
        let own = log(directory.path());
        fs::create_dir(&own.directory).expect("made");
        std::os::unix::fs::symlink(&victim, own.file()).expect("linked");
        assert!(own.append(&record("a")).is_err());
        fs::remove_file(own.file()).expect("removed");
        fs::hard_link(&victim, own.file()).expect("linked");
        assert!(own.append(&record("a")).is_err());
        assert_eq!(fs::read_to_string(&victim).expect("is there"), "x");
        let elsewhere = tempfile::tempdir().expect("a directory");
        let linked = log(elsewhere.path());
        std::os::unix::fs::symlink(directory.path(), &linked.directory).expect("linked");
        assert!(linked.append(&record("a")).is_err());
    }
}
