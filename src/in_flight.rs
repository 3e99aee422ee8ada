//! A call that an agent's tool is about to make, amended: the files that it would leave are mended, and the changes are
//! worked out that leave the mended ones.
//!
//! All or nothing: unless every violation that counts is fixed, and the client's own algorithm gives exactly the mended
//! files, there is no amended call. Knows no client.

use std::collections::HashSet;
use std::path::Path;

use crate::agents::Manner;
use phaser_core::contract::Severity;
use phaser_core::fix::{Applied, Mender, is_fixable};
use phaser_core::matcher::FileNames;
use phaser_core::matcher::Matcher;
use phaser_core::text::{Bytes, Text, encode_like};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::project::{Inspection, MAX_FILE_SIZE};
use phaser_project::report::Report;
use phaser_project::source::{Content, Reader, Source, Target};
use phaser_project::tool_call::patch::between;
use phaser_project::tool_call::{
    Algorithm, Base, Call, CellEdit, Change, Edit, Moment, Occurrences, Patch, Rewrite,
};

/// What a call does so that it violates nothing any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amended {
    /// Its changes: of the same files, in the same order.
    pub changes: Vec<Change>,
    /// The files that were mended.
    pub files: Vec<MendedFile>,
}

/// A file that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MendedFile {
    /// The file.
    pub path: RelPath,
    /// What was fixed in it.
    pub applied: Vec<Applied>,
}

/// A call that violates something.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// The call.
    pub call: &'a Call,
    /// The files as they would be, one for each change that leaves a file.
    pub targets: &'a [Target],
    /// What was found in them.
    pub report: &'a Report,
    /// The least severity that it is refused for.
    pub least: Severity,
}

/// The fixed form of the call that was inspected, if the project has `fixes: apply` and every violation that denies the call
/// can be fixed. The guard denies for errors only; the original responses deny for warnings too.
pub fn fixed_call(inspection: &Inspection<'_>, report: &Report, manner: Manner) -> Option<Amended> {
    let Source::Changes(call) = inspection.source() else { return None };
    let matcher = inspection.fix_matcher().filter(|_| inspection.targets.skipped.is_empty())?;
    let least = match manner {
        Manner::Guard => Severity::Error,
        Manner::Plain => Severity::Warning,
    };
    amend(&matcher, Refused { call, targets: &inspection.targets.targets, report, least })
}

/// The changes that the call should make instead, if every violation that counts can be fixed. What harm is, all contracts
/// of the matcher say; those of the report are kept.
pub fn amend(matcher: &Matcher, refused: Refused<'_>) -> Option<Amended> {
    let Refused { call, targets, report, least } = refused;
    let counts = |one: &&Violation| one.contract.severity >= least;
    let mut open = report.open().filter(counts).peekable();
    if call.moment != Moment::Before || open.peek().is_none() || !open.all(|one| is_fixable(one)) {
        return None;
    }
    let mut amended = Amended { changes: call.changes.clone(), files: Vec::new() };
    let leaving: Vec<&mut Change> =
        amended.changes.iter_mut().filter(|change| change.rewrite != Rewrite::Removal).collect();
    if leaving.len() != targets.len() {
        return None;
    }
    for (change, target) in leaving.into_iter().zip(targets) {
        if report.open().filter(counts).any(|one| one.path == target.path) {
            let mended = mend(matcher, refused, target)?;
            change.rewrite = rewritten(call, change, &mended)?;
            amended.files.push(MendedFile { path: target.path.clone(), applied: mended.applied });
        }
    }
    Some(amended)
}

/// A file before and after mending.
struct Mended<'a> {
    /// As the call would leave it.
    given: &'a [u8],
    /// As it is to be.
    wanted: Vec<u8>,
    applied: Vec<Applied>,
}

/// Mends one file.
fn mend<'a>(matcher: &Matcher, refused: Refused<'_>, target: &'a Target) -> Option<Mended<'a>> {
    let Refused { report, least, .. } = refused;
    let names = FileNames { path: &target.path, alias: target.alias.as_ref() };
    let mut contracts = matcher.contracts().iter();
    // What is required of a notebook is not judged on a cell.
    if target.whole.is_some()
        && contracts.any(|one| one.check.needs_whole_file() && one.applies_to(names.path, names.alias))
    {
        return None;
    }
    let Content::Bytes(given) = &target.content else { return None };
    let text = Text::of(given)?;
    let mattering = report.contracts.iter().filter(|contract| contract.severity >= least);
    let kept: HashSet<String> = mattering.map(|contract| contract.id.clone()).collect();
    let spared = report.old().filter(|one| one.path == target.path);
    let mended = Mender::new(matcher).only(kept.clone()).mend(names, &text, spared);
    if mended.violations.iter().any(|one| one.is_open() && kept.contains(&one.contract.id)) {
        return None;
    }
    Some(Mended { given, wanted: encode_like(given, &mended.text)?, applied: mended.applied })
}

/// The way of a change to the mended file.
fn rewritten(call: &Call, change: &Change, mended: &Mended<'_>) -> Option<Rewrite> {
    let whole = || String::from_utf8(mended.wanted.clone()).ok();
    Some(match &change.rewrite {
        Rewrite::Whole(_) => Rewrite::Whole(whole()?),
        Rewrite::Cell(edit) => Rewrite::Cell(CellEdit { source: whole()?, ..edit.clone() }),
        Rewrite::Edits { edits, algorithm } => {
            let [edit] = edits.as_slice() else { return None };
            let made = Made { current: on_disk(&call.path(change))?, algorithm: *algorithm };
            let edits = vec![made.edit_that_gives(&mended.wanted, edit, mended.given)?];
            Rewrite::Edits { edits, algorithm: *algorithm }
        }
        Rewrite::Patch(patch) => {
            let base = match &patch.base {
                // The patch makes the file, and so can make this one at once.
                Base::Text(_) => return Some(Rewrite::Whole(whole()?)),
                Base::Itself => call.path(change),
                Base::Moved(from) => call.cwd.join(from),
            };
            let chunk = between(&on_disk(&base)??, &mended.wanted)?;
            Rewrite::Patch(Patch { base: patch.base.clone(), updates: vec![vec![chunk]] })
        }
        Rewrite::Removal | Rewrite::Unknown => return None,
    })
}

/// The bytes of a file, if there is one. What there is but cannot be read is not known.
fn on_disk(path: &Path) -> Option<Option<Bytes>> {
    match path.exists() {
        true => Some(Some(Reader::new(MAX_FILE_SIZE).into_file(path).ok()?)),
        false => Some(None),
    }
}

/// How a client makes edits of a file.
struct Made {
    current: Option<Bytes>,
    algorithm: Algorithm,
}

impl Made {
    fn with(&self, edit: &Edit, new: &str) -> Option<Bytes> {
        let edit = Edit { new: new.to_owned(), ..edit.clone() };
        (self.algorithm.0)(
            self.current.clone(),
            &[edit],
            usize::try_from(MAX_FILE_SIZE).unwrap_or(usize::MAX),
        )
        .ok()
    }

    /// The edit with another new text that gives `wanted`, where the edit as it is gives `given`.
    fn edit_that_gives(&self, wanted: &[u8], edit: &Edit, given: &[u8]) -> Option<Edit> {
        // Without a new text the client takes away more than the old one; and the file may have changed.
        if edit.new.is_empty() || *self.with(edit, &edit.new)? != *given {
            return None;
        }
        let sentinel = self.sentinel(edit, given)?;
        let marked = self.with(edit, &sentinel)?;
        let parts = split(&marked, sentinel.as_bytes());
        let new = common(wanted, &parts)?;
        let is_one = edit.occurrences == Occurrences::First;
        if is_one && parts.len() != 2 {
            return None;
        }
        let new = String::from_utf8(new.to_vec()).ok()?;
        // The client writes the line endings of the file itself.
        let spellings = [new.replace("\r\n", "\n"), new];
        let new = spellings.into_iter().find(|new| self.with(edit, new).as_deref() == Some(wanted))?;
        Some(Edit { new, ..edit.clone() })
    }

    /// A text that is nowhere in the file, before or after the edit.
    fn sentinel(&self, edit: &Edit, given: &[u8]) -> Option<String> {
        let has = |bytes: &[u8], text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
        let is_free = |text: &String| {
            !has(given, text)
                && !has(self.current.as_deref().unwrap_or_default(), text)
                && !has(edit.old.as_bytes(), text)
                && !has(edit.new.as_bytes(), text)
        };
        (0..1000).map(|number| format!("PHASER-{number}-RESAHP")).find(is_free)
    }
}

/// What stands around each occurrence of a text.
fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(bytes, by) {
        parts.push(&bytes[start..at]);
        start = at + by.len();
    }
    parts.push(&bytes[start..]);
    parts
}

/// The one text that makes the whole of these parts when it stands between them.
fn common<'w>(whole: &'w [u8], parts: &[&[u8]]) -> Option<&'w [u8]> {
    let (first, rest) = parts.split_first()?;
    let fixed: usize = parts.iter().map(|part| part.len()).sum();
    let length = whole.len().checked_sub(fixed)?.checked_div(rest.len())?;
    let text = whole.get(first.len()..first.len() + length)?;
    let mut made = first.to_vec();
    for part in rest {
        made.extend_from_slice(text);
        made.extend_from_slice(part);
    }
    (made == whole).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_between_parts_is_found() {
        assert_eq!(common(b"axbxc", &[b"a", b"b", b"c"]), Some(&b"x"[..]));
        assert_eq!(common(b"axbyc", &[b"a", b"b", b"c"]), None);
        assert_eq!(common(b"abc", &[b"a", b"bc"]), Some(&b""[..]));
        assert_eq!(common(b"abc", &[b"abc"]), None, "there is nothing between");
        assert_eq!(common(b"a", &[b"a", b"b"]), None);
        assert_eq!(split(b"a--b--", b"--"), [&b"a"[..], b"b", b""]);
    }
}
