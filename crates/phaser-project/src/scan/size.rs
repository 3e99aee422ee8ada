//! The sizes of files, for contracts about them.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::source::{Content, Reader, Target};
use phaser_core::check::FileSize;
use phaser_core::matcher::Matcher;
use phaser_core::skipped::SkipReason;
use phaser_core::text::Text;
use phaser_core::violation::Violation;

/// The size of a target: of the whole file, if its content is a part. `None` if it is unknown.
pub(super) fn of(
    target: &Target,
    content: &Result<Cow<'_, [u8]>, SkipReason>,
    text: Option<&Text<'_>>,
) -> Option<FileSize> {
    match (&target.whole, content, &target.content) {
        (Some(Content::Bytes(whole)), ..) => {
            Some(FileSize::of(whole, Text::new(&**whole).as_ref().map(Text::bytes)))
        }
        (Some(_), ..) => None,
        (None, Ok(bytes), _) => Some(FileSize::of(bytes, text.map(Text::bytes))),
        (None, Err(SkipReason::TooLarge { .. }), Content::File(path)) => of_large_file(path),
        (None, Err(SkipReason::TooLarge { size, .. }), Content::Blob(_)) => {
            Some(FileSize { lines: None, bytes: Some(*size) })
        }
        (None, Err(_), _) => None,
    }
}

/// The size of a file that is too large to be searched. It has lines unless it has a NUL.
fn of_large_file(path: &Path) -> Option<FileSize> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; 1 << 20];
    let (mut bytes, mut ends, mut last, mut is_text) = (0, 0, b'\n', true);
    loop {
        let read = match file.read(&mut buffer).ok()? {
            0 => break,
            read => &buffer[..read],
        };
        bytes += read.len() as u64;
        ends += memchr::memchr_iter(b'\n', read).count() as u64;
        is_text &= memchr::memchr(0, read).is_none();
        last = read[read.len() - 1];
    }
    let lines = is_text.then(|| ends + u64::from(last != b'\n'));
    Some(FileSize { lines, bytes: Some(bytes) })
}

/// The violations of size that a previous version has and that the file has not made worse since: it has not grown.
pub(super) fn existing(
    matcher: &Matcher,
    reader: &mut Reader,
    before: &Target,
    now: FileSize,
) -> Vec<Violation> {
    let content = reader.read(&before.content);
    let text = content.as_ref().ok().and_then(|bytes| Text::new(&**bytes));
    let Some(was) = of(before, &content, text.as_ref()) else { return Vec::new() };
    let selection = matcher.select(&before.path, before.alias.as_ref());
    let mut violations = matcher.check_size(&selection, &before.path, was, None);
    violations
        .retain(|violation| violation.contract.check.limit().is_some_and(|limit| !limit.has_grown(was, now)));
    violations
}
