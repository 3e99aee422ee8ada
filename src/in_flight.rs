//! Fixes in flight: rewrites a tool call so that its result has no violation that a contract can fix.
//!
//! All or nothing: if one violation that denies the call cannot be fixed, or the agent's own algorithm would not produce exactly
//! the fixed file, the call stays as it is and is denied.

use std::collections::HashSet;
use std::path::Path;

use crate::agents::HookMode;
use phaser_core::contract::Severity;
use phaser_core::fix::{Applied, Fixer, is_fixable};
use phaser_core::matcher::FileNames;
use phaser_core::matcher::Matcher;
use phaser_core::text::{Text, encode_like};
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::project::{Inspection, MAX_FILE_SIZE};
use phaser_project::report::Report;
use phaser_project::source::{Content, Reader, Source, Target};
use phaser_project::tool_call::patch::between;
use phaser_project::tool_call::{
    Algorithm, Call, CellEdit, FileChange, Moment, Occurrences, Patch, PatchBase, Rewrite, TextEdit,
};

/// A tool call rewritten without its violations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenCall {
    /// The changes, of the same files in the same order.
    pub changes: Vec<FileChange>,
    /// The fixed files.
    pub files: Vec<FixedFile>,
}

/// A fixed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedFile {
    /// The path.
    pub path: RelPath,
    /// The fixes that were applied.
    pub applied: Vec<Applied>,
}

/// A tool call with violations.
#[derive(Debug, Clone, Copy)]
pub struct DeniedCall<'a> {
    /// The call.
    pub call: &'a Call,
    /// The files after the call, one per change that keeps its file.
    pub targets: &'a [Target],
    /// The violations.
    pub report: &'a Report,
    /// Lowest severity that denies the call.
    pub least: Severity,
}

/// The fixed form of the call that was inspected, if the project has `fixes: apply` and every violation that denies the call
/// can be fixed. The guard denies for errors only; the original responses deny for warnings too.
pub fn fixed_call(inspection: &Inspection<'_>, report: &Report, mode: HookMode) -> Option<RewrittenCall> {
    let Source::Changes(call) = inspection.source() else { return None };
    let matcher = inspection.fix_matcher().filter(|_| inspection.targets.skipped.is_empty())?;
    let least = match mode {
        HookMode::Guard => Severity::Error,
        HookMode::Plain => Severity::Warning,
    };
    fix_call(&matcher, DeniedCall { call, targets: &inspection.targets.targets, report, least })
}

/// The fixed call. A fix must add no violation of any contract in `matcher`, whatever its severity.
pub fn fix_call(matcher: &Matcher, denied: DeniedCall<'_>) -> Option<RewrittenCall> {
    let DeniedCall { call, targets, report, least } = denied;
    let counts = |one: &&Violation| one.contract.severity >= least;
    let mut open = report.open().filter(counts).peekable();
    if call.moment != Moment::Before || open.peek().is_none() || !open.all(is_fixable) {
        return None;
    }
    let mut fixed = RewrittenCall { changes: call.changes.clone(), files: Vec::new() };
    let leaving: Vec<&mut FileChange> =
        fixed.changes.iter_mut().filter(|change| change.rewrite != Rewrite::Removal).collect();
    if leaving.len() != targets.len() {
        return None;
    }
    for (change, target) in leaving.into_iter().zip(targets) {
        if report.open().filter(counts).any(|one| one.path == target.path) {
            let text = fix_file(matcher, denied, target)?;
            change.rewrite = rewritten(call, change, &text)?;
            fixed.files.push(FixedFile { path: target.path.clone(), applied: text.applied });
        }
    }
    Some(fixed)
}

/// A file before and after the fix.
struct FixedText<'a> {
    /// As the call would leave it.
    given: &'a [u8],
    /// As it should be.
    wanted: Vec<u8>,
    applied: Vec<Applied>,
}

/// Fixes one file.
fn fix_file<'a>(matcher: &Matcher, denied: DeniedCall<'_>, target: &'a Target) -> Option<FixedText<'a>> {
    let DeniedCall { report, least, .. } = denied;
    let names = FileNames { path: &target.path, alias: target.alias.as_ref() };
    let mut contracts = matcher.contracts().iter();
    // Requirements on a notebook are not judged on a cell.
    if target.whole.is_some()
        && contracts.any(|one| one.check.needs_whole_file() && one.applies_to(names.path, names.alias))
    {
        return None;
    }
    let Content::Bytes(given) = &target.content else { return None };
    let text = Text::new(given.as_slice())?;
    let mattering = report.contracts.iter().filter(|contract| contract.severity >= least);
    let kept: HashSet<String> = mattering.map(|contract| contract.id.clone()).collect();
    let spared = report.old().filter(|one| one.path == target.path);
    let fixed = Fixer::new(matcher).only(kept.clone()).fix(names, &text, spared);
    if fixed.violations.iter().any(|one| one.is_open() && kept.contains(&one.contract.id)) {
        return None;
    }
    Some(FixedText { given, wanted: encode_like(given, &fixed.text)?, applied: fixed.applied })
}

/// Rewrites `change` so that it produces the fixed file.
fn rewritten(call: &Call, change: &FileChange, fixed: &FixedText<'_>) -> Option<Rewrite> {
    let whole = || String::from_utf8(fixed.wanted.clone()).ok();
    Some(match &change.rewrite {
        Rewrite::Whole(_) => Rewrite::Whole(whole()?),
        Rewrite::Cell(edit) => Rewrite::Cell(CellEdit { source: whole()?, ..edit.clone() }),
        Rewrite::Edits { edits, algorithm } => {
            let [edit] = edits.as_slice() else { return None };
            let made = Made { current: on_disk(&call.path(change))?, algorithm: *algorithm };
            let edits = vec![made.edit_that_gives(&fixed.wanted, edit, fixed.given)?];
            Rewrite::Edits { edits, algorithm: *algorithm }
        }
        Rewrite::Patch(patch) => {
            let base = match &patch.base {
                // The patch creates the file, so it can create the fixed one.
                PatchBase::Text(_) => return Some(Rewrite::Whole(whole()?)),
                PatchBase::Itself => call.path(change),
                PatchBase::Moved(from) => call.cwd.join(from),
            };
            let chunk = between(&on_disk(&base)??, &fixed.wanted)?;
            Rewrite::Patch(Patch { base: patch.base.clone(), updates: vec![vec![chunk]] })
        }
        Rewrite::Removal | Rewrite::Unknown => return None,
    })
}

/// The bytes of a file on disk; empty if it does not exist, `None` if it cannot be read.
fn on_disk(path: &Path) -> Option<Option<Vec<u8>>> {
    match path.exists() {
        true => Some(Some(Reader::new(MAX_FILE_SIZE).into_file(path).ok()?)),
        false => Some(None),
    }
}

/// An edit algorithm with the file it applies to.
struct Made {
    current: Option<Vec<u8>>,
    algorithm: Algorithm,
}

impl Made {
    fn with(&self, edit: &TextEdit, new: &str) -> Option<Vec<u8>> {
        let edit = TextEdit { new: new.to_owned(), ..edit.clone() };
        (self.algorithm.0)(
            self.current.clone(),
            &[edit],
            usize::try_from(MAX_FILE_SIZE).unwrap_or(usize::MAX),
        )
        .ok()
    }

    /// The edit with another `new` text, so that the result is `wanted` instead of `given`.
    fn edit_that_gives(&self, wanted: &[u8], edit: &TextEdit, given: &[u8]) -> Option<TextEdit> {
        // With an empty new text the agent removes more than the old text, and the file may have changed.
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
        // The agent restores the line endings of the file.
        let spellings = [new.replace("\r\n", "\n"), new];
        let new = spellings.into_iter().find(|new| self.with(edit, new).as_deref() == Some(wanted))?;
        Some(TextEdit { new, ..edit.clone() })
    }

    /// A text that occurs neither before nor after the edit.
    fn sentinel(&self, edit: &TextEdit, given: &[u8]) -> Option<String> {
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

/// The texts between the occurrences of a text.
fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(bytes, by) {
        parts.push(&bytes[start..at]);
        start = at + by.len();
    }
    parts.push(&bytes[start..]);
    parts
}

/// The text that, inserted between these parts, gives the whole.
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
