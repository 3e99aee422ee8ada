//! Judges contracts about changes and companions: the second half of a scan.
//!
//! # What counts as removed
//!
//! `keep_pattern` compares the texts of matches, white space aside, over all files of the change. With the pattern
//! `assert .*` and the change
//!
//! ```text
//! tests/a.py   assert f(1) == 1        tests/a.py   pass
//!              assert f(2) == 2
//!                                      tests/b.py   assert  f(2) == 2
//! ```
//!
//! `assertf(1)==1` is in the base once and afterwards not at all: removed. `assertf(2)==2` is there as often as before: it
//! was moved. A removal is reported at its line in the base. Where an equal line of the file is left, that one is not it.
//!
//! An edit is one step of a larger change, so what other files have gained since the last commit counts, too. What they
//! have lost is not reported: someone else may have done that. What the file itself had lost before the edit is `existing`.
//!
//! With several bases (a merge), a text must be there as often as in the base that has it least often.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Existing;
use crate::baseline::BaselineEntry;
use crate::path::RelPath;
use crate::report::Report;
use crate::source::change::{ChangeSet, ChangedFile};
use crate::source::{Content, Reader, Target};
use phaser_core::check::{Check, Companion, CompanionDemand, FileUnchanged, with_line_feeds};
use phaser_core::contract::Contract;
use phaser_core::matcher::{Matcher, line_match};
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::text::Text;
use phaser_core::violation::{Fingerprint, LineDigest, State, Violation, ViolationDetail};

/// How to judge a change.
pub struct ChangeOptions<'a> {
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// How violations from before an edit count.
    pub existing: Existing,
    /// The other files that are not as in the last commit, for a change that [has others](ChangeSet::has_others).
    pub others: &'a OtherChanges<'a>,
}

/// The content of a file of the project after a change; `None` without such a file.
pub type ContentOf<'a> = dyn Fn(&RelPath) -> Option<Content> + 'a;

/// Finds the files that are not as in the last commit, among those that a predicate accepts.
pub type OtherChanges<'a> = dyn Fn(&dyn Fn(&RelPath) -> bool) -> Result<Vec<ChangedFile>, Skipped> + 'a;

/// Adds the violations of a change to a report.
pub fn judge_change(matcher: &Matcher, change: &ChangeSet, options: &ChangeOptions<'_>, report: &mut Report) {
    let mut judge = ChangeJudge::new(matcher, options);
    let mut kept: BTreeMap<usize, Vec<&ChangedFile>> = BTreeMap::new();
    for file in &change.files {
        let selection = matcher.select(&file.path, file.alias.as_ref());
        for &index in selection.changes() {
            match &matcher.contracts()[index].check {
                Check::Unchanged(check) if file.is_in_base() => judge.unchanged(index, *check, file),
                Check::Keep(_) => kept.entry(index).or_default().push(file),
                _ => {}
            }
        }
    }
    for (index, files) in kept {
        judge.kept(index, &files, change.has_others);
    }
    if let Some(state) = &change.state {
        let content = |path: &RelPath| state.content(path);
        let all = || state.files().map_err(|error| gap(&RelPath::from("."), error.to_string()));
        judge.companions(&change.files, &content, &all);
    }
    judge.finish(report);
}

/// Adds the violations of companions alone for a change that deletes no file. `content` is that of a file after it.
pub fn judge_changed_companions(
    matcher: &Matcher,
    files: &[ChangedFile],
    options: &ChangeOptions<'_>,
    content: &ContentOf<'_>,
    report: &mut Report,
) {
    let mut judge = ChangeJudge::new(matcher, options);
    judge.companions(files, content, &|| Ok(Vec::new()));
    judge.finish(report);
}

/// Adds a violation for each of these files of the project without its companion.
pub fn judge_companions(
    matcher: &Matcher,
    targets: &[Target],
    has: &dyn Fn(&RelPath) -> bool,
    max_file_size: u64,
    report: &mut Report,
) {
    let exists = |contract: &Contract| {
        contract.check.companion().is_some_and(|companion| companion.demand == CompanionDemand::Exists)
    };
    if !matcher.contracts().iter().any(|contract| exists(contract)) {
        return;
    }
    let mut reader = Reader::new(max_file_size);
    for Target { path, content, .. } in targets {
        let selection = matcher.select(path, None);
        for contract in selection.changes().iter().map(|&index| &matcher.contracts()[index]) {
            if exists(contract)
                && let Some(mut violation) = missing_companion(contract, path, has)
            {
                apply_directives(matcher, &mut reader, content, &mut violation);
                report.violations.push(violation);
            }
        }
    }
    super::gather::sort(report);
}

fn missing_companion(
    contract: &Arc<Contract>,
    path: &RelPath,
    has: &dyn Fn(&RelPath) -> bool,
) -> Option<Violation> {
    let companions = companions(contract, path);
    if companions.is_empty() || companions.iter().any(has) {
        return None;
    }
    let mut violation = Violation::of_file(contract, path);
    violation.detail = Some(Box::new(ViolationDetail::NoCompanion(companions)));
    Some(violation)
}

/// Marks a violation of a file as ignored, if a directive in this content of the file suppresses it.
fn apply_directives(matcher: &Matcher, reader: &mut Reader, content: &Content, violation: &mut Violation) {
    let Ok(bytes) = reader.read(content) else { return };
    if let Some(text) = Text::new(&*bytes) {
        let path = violation.path.clone();
        matcher.apply_directives(&path, &text, std::slice::from_mut(violation));
    }
}

/// The companions of a file.
fn companions(contract: &Contract, path: &RelPath) -> Vec<RelPath> {
    let (Some(companion), Some(inside)) = (contract.check.companion(), contract.scope.inside(path)) else {
        return Vec::new();
    };
    let base = &contract.scope.base;
    companion.of(inside).iter().map(|path| base.join_path(path)).collect()
}

fn gap(path: &RelPath, why: String) -> Skipped {
    Skipped { path: path.clone(), why: SkipReason::Unreadable(why) }
}

/// The state of judging one change.
struct ChangeJudge<'a> {
    matcher: &'a Matcher,
    options: &'a ChangeOptions<'a>,
    reader: Reader,
    violations: Vec<Violation>,
    skipped: Vec<Skipped>,
}

/// A match in a version of a file, and what identifies it.
struct KeptMatch {
    violation: Violation,
    digest: LineDigest,
}

/// The matches of one file before, between and after.
struct KeptFile {
    /// Those in each base.
    before: Vec<Vec<KeptMatch>>,
    previous: Option<Vec<KeptMatch>>,
    after: Vec<KeptMatch>,
}

/// How often the files must have a match: as often as in the base that has it least often.
fn needed(files: &[KeptFile], digest: LineDigest) -> usize {
    let bases = files.iter().map(|file| file.before.len()).max().unwrap_or_default();
    let in_base = |base: usize| {
        let version = |file: &'_ KeptFile| {
            file.before.get(base).or(file.before.first()).map_or(0, |version| count(version, digest))
        };
        files.iter().map(version).sum()
    };
    (0..bases).map(in_base).min().unwrap_or_default()
}

fn count(version: &[KeptMatch], digest: LineDigest) -> usize {
    version.iter().filter(|found| found.digest == digest).count()
}

impl<'a> ChangeJudge<'a> {
    fn new(matcher: &'a Matcher, options: &'a ChangeOptions<'a>) -> Self {
        let reader = Reader::new(options.max_file_size);
        Self { matcher, options, reader, violations: Vec::new(), skipped: Vec::new() }
    }

    fn finish(self, report: &mut Report) {
        report.violations.extend(self.violations);
        report.skipped.extend(self.skipped);
        super::gather::sort(report);
        report.skipped.dedup();
    }

    /// The bytes of a version; `Err` is a gap that has been noted. What is no file any more has no bytes.
    fn bytes(&mut self, path: &RelPath, content: &Content) -> Result<Option<Vec<u8>>, ()> {
        match self.reader.read(content) {
            Ok(bytes) => Ok(Some(bytes.into_owned())),
            Err(SkipReason::Link | SkipReason::Submodule | SkipReason::NotAFile) => Ok(None),
            // The content of the edit is known to be no text.
            Err(SkipReason::NotReconstructed(_)) => Ok(None),
            Err(why) => {
                self.skipped.push(Skipped { path: path.clone(), why });
                Err(())
            }
        }
    }

    fn unchanged(&mut self, index: usize, check: FileUnchanged, file: &ChangedFile) {
        let after = match &file.after {
            None => None,
            Some(content) => match self.bytes(&file.path, content) {
                Ok(bytes) => Some(bytes.unwrap_or_default()),
                Err(()) => return,
            },
        };
        let mut first = None;
        for before in file.before.iter().flatten() {
            let Ok(Some(before)) = self.bytes(&file.path, before) else { return };
            let line = match &after {
                Some(after) => check.first_changed_line(&before, after),
                None => Some(1),
            };
            // As in one of the bases.
            let Some(line) = line else { return };
            if first.is_none() {
                first = Some((before, line));
            }
        }
        let Some((before, line)) = first else { return };
        let contract = &self.matcher.contracts()[index];
        let mut violation = Violation::of_file(contract, &file.path);
        // The directive must have been there before: a change does not excuse itself.
        if let Some(text) = Text::new(before.as_slice()) {
            self.matcher.apply_directives(&file.path, &text, std::slice::from_mut(&mut violation));
        }
        let digest = match (&after, &file.moved_to) {
            (Some(after), _) => digest_of_content(after),
            (None, None) => digest_of_content(b"\0deleted"),
            (None, Some(to)) => digest_of_content(&[b"\0renamed ", to.as_bytes()].concat()),
        };
        if let Some(text) = after.as_deref().and_then(Text::new) {
            violation.found = Some(Box::new(line_match(&text, line)));
        }
        violation.fingerprint = Fingerprint { line: digest, text: digest, repeat: 1 };
        violation.detail = Some(Box::new(match (&after, &file.moved_to) {
            (Some(_), _) => ViolationDetail::Modified,
            (None, None) => ViolationDetail::Deleted,
            (None, Some(to)) => ViolationDetail::Renamed(to.clone()),
        }));
        self.violations.push(violation);
    }

    /// Reports what the files lost.
    fn kept(&mut self, index: usize, files: &[&ChangedFile], has_others: bool) {
        let Some(own) = self.kept_files(index, files.iter().copied()) else { return };
        let mut left: HashMap<LineDigest, usize> = HashMap::new();
        for file in &own {
            for found in file.before.first().into_iter().flatten() {
                left.entry(found.digest).or_default();
            }
        }
        for (digest, left) in &mut left {
            let found: usize = own.iter().map(|file| count(&file.after, *digest)).sum();
            *left = needed(&own, *digest).saturating_sub(found);
        }
        left.retain(|_, left| *left > 0);
        if !left.is_empty() && has_others {
            let matcher = self.matcher;
            let wanted = |path: &RelPath| {
                let is_own = files.iter().any(|file| file.path == *path);
                !is_own && matcher.contracts()[index].applies_to(path, None)
            };
            let others = match (self.options.others)(&wanted) {
                Ok(others) => others,
                Err(skipped) => {
                    self.skipped.push(skipped);
                    Vec::new()
                }
            };
            let Some(others) = self.kept_files(index, others.iter()) else { return };
            for (digest, left) in &mut left {
                let had = needed(&others, *digest);
                let have: usize = others.iter().map(|file| count(&file.after, *digest)).sum();
                *left = left.saturating_sub(have.saturating_sub(had));
            }
        }
        for file in own {
            self.report_removed(file, &mut left);
        }
    }

    /// Reports the matches that a file lost, as far as they are not elsewhere.
    fn report_removed(&mut self, file: KeptFile, left: &mut HashMap<LineDigest, usize>) {
        let KeptFile { before, previous, after } = file;
        let mut before = before.into_iter();
        let first = before.next().unwrap_or_default();
        // Equal lines are paired first, so that the lines that are gone are reported.
        let mut lines: HashMap<(LineDigest, LineDigest), usize> = HashMap::new();
        let mut counts: HashMap<LineDigest, usize> = HashMap::new();
        for found in &after {
            *lines.entry((found.digest, found.violation.fingerprint.line)).or_default() += 1;
            *counts.entry(found.digest).or_default() += 1;
        }
        let mut removed: HashMap<LineDigest, usize> = HashMap::new();
        for found in &first {
            *removed.entry(found.digest).or_default() += 1;
        }
        for (digest, removed) in &mut removed {
            *removed = removed.saturating_sub(counts.get(digest).copied().unwrap_or_default());
        }
        // What was gone before the edit.
        let mut existing: HashMap<LineDigest, usize> = HashMap::new();
        if let (Some(previous), Existing::Report) = (&previous, self.options.existing) {
            for found in &first {
                *existing.entry(found.digest).or_default() += 1;
            }
            for (digest, existing) in &mut existing {
                *existing = existing.saturating_sub(count(previous, *digest));
            }
        }
        let mut gone = Vec::new();
        let mut rest = Vec::new();
        for found in first {
            match lines.get_mut(&(found.digest, found.violation.fingerprint.line)) {
                Some(count @ 1..) => {
                    *count -= 1;
                    rest.push(found);
                }
                _ => gone.push(found),
            }
        }
        for found in gone.into_iter().chain(rest) {
            let of_text = removed.entry(found.digest).or_default();
            let all = left.entry(found.digest).or_default();
            if *of_text == 0 || *all == 0 {
                continue;
            }
            (*of_text, *all) = (*of_text - 1, *all - 1);
            let mut violation = found.violation;
            violation.detail = Some(Box::new(ViolationDetail::Removed));
            if let Some(count @ 1..) = existing.get_mut(&found.digest) {
                *count -= 1;
                violation.state = State::Existing;
            }
            self.violations.push(violation);
        }
    }

    /// The matches of one contract in files; `None` if one of them cannot be judged.
    fn kept_files<'f>(
        &mut self,
        index: usize,
        files: impl Iterator<Item = &'f ChangedFile>,
    ) -> Option<Vec<KeptFile>> {
        let mut all = Vec::new();
        for file in files {
            let mut before = Vec::new();
            for content in &file.before {
                before.push(self.matches(index, file, content.as_ref())?);
            }
            let after = self.matches(index, file, file.after.as_ref())?;
            let previous = match &file.previous {
                Some(content) => Some(self.matches(index, file, Some(content))?),
                None => None,
            };
            all.push(KeptFile { before, previous, after });
        }
        Some(all)
    }

    /// The matches of one contract in a version of a file that no directive excepts; `None` if it cannot be judged.
    fn matches(
        &mut self,
        index: usize,
        file: &ChangedFile,
        content: Option<&Content>,
    ) -> Option<Vec<KeptMatch>> {
        let Some(content) = content else { return Some(Vec::new()) };
        let Some(bytes) = self.bytes(&file.path, content).ok()? else { return Some(Vec::new()) };
        let Some(text) = Text::new(bytes.as_slice()) else { return Some(Vec::new()) };
        let selection = self.matcher.select_kept(&file.path, file.alias.as_ref());
        let checked = self.matcher.check(&selection, &file.path, Some(&text));
        let contract = &self.matcher.contracts()[index];
        let concerned: Vec<Skipped> =
            checked.skipped.into_iter().filter(|skipped| skipped.why.concerns(&contract.id)).collect();
        if !concerned.is_empty() {
            self.skipped.extend(concerned);
            return None;
        }
        let own =
            checked.violations.into_iter().filter(|violation| Arc::ptr_eq(&violation.contract, contract));
        let open = own.filter(Violation::is_open);
        let found = open.filter_map(|violation| {
            let range = violation.found.as_ref()?.range.clone();
            let digest = LineDigest::of(&text.bytes()[range]);
            Some(KeptMatch { violation, digest })
        });
        Some(found.collect())
    }

    /// Judges the companions of the files of a change.
    fn companions(
        &mut self,
        files: &[ChangedFile],
        content: &ContentOf<'_>,
        all: &dyn Fn() -> Result<Vec<RelPath>, Skipped>,
    ) {
        let contracts: Vec<usize> = (0..self.matcher.contracts().len())
            .filter(|&index| self.matcher.contracts()[index].check.companion().is_some())
            .collect();
        if contracts.is_empty() {
            return;
        }
        let is_real = |file: &&ChangedFile| file.after.is_none() || !self.is_as_before(file);
        let changed: Vec<&ChangedFile> = files.iter().filter(is_real).collect();
        let mut all_files = None;
        for index in contracts {
            let contract = Arc::clone(&self.matcher.contracts()[index]);
            let Some(Companion { demand, .. }) = contract.check.companion() else { continue };
            let applies = |file: &ChangedFile| {
                self.matcher.select(&file.path, file.alias.as_ref()).changes().contains(&index)
            };
            let own: Vec<&ChangedFile> = changed.iter().copied().filter(|file| applies(file)).collect();
            match demand {
                CompanionDemand::Changed => {
                    for file in own {
                        let violation = self.companion_unchanged(&contract, file, &changed, content);
                        self.violations.extend(violation);
                    }
                }
                CompanionDemand::Exists => {
                    let mut paths: Vec<RelPath> = own
                        .iter()
                        .filter(|file| file.after.is_some())
                        .map(|file| file.path.clone())
                        .collect();
                    // The files that need a companion which is gone.
                    if changed.iter().any(|file| file.after.is_none()) {
                        let listed = all_files.get_or_insert_with(all);
                        match listed {
                            Ok(listed) => {
                                let gone: Vec<&RelPath> = changed
                                    .iter()
                                    .filter(|file| file.after.is_none())
                                    .map(|file| &file.path)
                                    .collect();
                                let needs = |path: &&RelPath| {
                                    self.matcher.select(path, None).changes().contains(&index)
                                        && companions(&contract, path).iter().any(|path| gone.contains(&path))
                                };
                                paths.extend(listed.iter().filter(needs).cloned());
                            }
                            Err(skipped) => self.skipped.push(skipped.clone()),
                        }
                    }
                    paths.sort_unstable();
                    paths.dedup();
                    let has = |path: &RelPath| content(path).is_some();
                    for path in paths {
                        let Some(mut violation) = missing_companion(&contract, &path, &has) else { continue };
                        if let Some(content) = content(&path) {
                            apply_directives(self.matcher, &mut self.reader, &content, &mut violation);
                        }
                        self.violations.push(violation);
                    }
                }
            }
        }
    }

    /// Whether the content of a file is that of a base: only its mode or its times changed.
    fn is_as_before(&self, file: &ChangedFile) -> bool {
        let mut reader = Reader::new(self.options.max_file_size);
        let mut read = |content: &Content| reader.read(content).ok().map(std::borrow::Cow::into_owned);
        let Some(after) = file.after.as_ref().and_then(&mut read) else { return false };
        let mut before = file.before.iter().flatten();
        before.any(|before| {
            read(before).is_some_and(|before| with_line_feeds(&before) == with_line_feeds(&after))
        })
    }

    fn companion_unchanged(
        &mut self,
        contract: &Arc<Contract>,
        file: &ChangedFile,
        changed: &[&ChangedFile],
        content: &ContentOf<'_>,
    ) -> Option<Violation> {
        let companions = companions(contract, &file.path);
        if changed.iter().any(|other| companions.contains(&other.path)) {
            return None;
        }
        // A companion that exists nowhere cannot change; `companion_exists` demands one.
        let there: Vec<RelPath> = companions.into_iter().filter(|path| content(path).is_some()).collect();
        if there.is_empty() {
            return None;
        }
        let mut violation = Violation::of_file(contract, &file.path);
        let after = file.after.as_ref().and_then(|after| self.bytes(&file.path, after).ok().flatten());
        let digest = digest_of_content(after.as_deref().unwrap_or(b"\0deleted"));
        violation.fingerprint = Fingerprint { line: digest, text: digest, repeat: 1 };
        violation.detail = Some(Box::new(ViolationDetail::CompanionUnchanged(there)));
        // The directive must have been there before: a change does not excuse itself.
        if let Some(before) = file.before.iter().flatten().next() {
            apply_directives(self.matcher, &mut self.reader, before, &mut violation);
        }
        Some(violation)
    }
}

/// Whether a state of the project has the change that an entry of the baseline approves. `content` is the file of the entry
/// in that state; `None` if it is not there.
pub fn has_change(matcher: &Matcher, entry: &BaselineEntry, content: Option<&[u8]>) -> bool {
    let Some(contract) = matcher.contracts().iter().find(|contract| contract.id == entry.contract) else {
        return false;
    };
    let Some(content) = content else { return true };
    let Check::Keep(_) = contract.check else { return digest_of_content(content) == entry.digest };
    let Some(text) = Text::new(content) else { return false };
    let path = RelPath::from(entry.path.as_str());
    let checked = matcher.check(&matcher.select_kept(&path, None), &path, Some(&text));
    !checked
        .violations
        .iter()
        .any(|found| found.contract.id == entry.contract && found.fingerprint.line == entry.digest)
}

/// The digest of a whole content, line ends aside. White space counts: an approval is for exactly this content.
fn digest_of_content(content: &[u8]) -> LineDigest {
    LineDigest(phaser_core::digest::digest(with_line_feeds(content).iter()))
}

#[cfg(test)]
mod tests;
