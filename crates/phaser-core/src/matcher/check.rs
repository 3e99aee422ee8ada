//! Checks one text against the contracts of its path: matches become violations, unfinished searches become gaps.

use std::cell::{Cell, LazyCell, OnceCell};
use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::directives::{Cover, Ignores, Lines};
use super::glob_set::FileNames;
use super::pattern::{Haystack, ShortSearch, Unfinished};
use super::prefilter::MAX_WIDTH;
use super::selection::{SearchSet, Selection};
use super::view::View;
use super::{Directives, Matcher, Scratch};
use crate::check::{CheckTarget, CheckVerdict, DataTarget, FileSize, Finding};
use crate::code::CodePattern;
use crate::code::engine::{CodeTrees, NotSearched};
use crate::contract::{Contract, RequiredLiterals};
use crate::file_kind::{FileKinds, KindFilter, TextKinds};
use crate::imports::{ImportPattern, ResolvedImport};
use crate::notebook::{self, Notebook, NotebookCell};
use crate::path::RelPath;
use crate::skipped::{SkipReason, Skipped};
use crate::text::Text;
use crate::violation::{CellMatch, LineDigest, Match, MatchDigests, Note, State, Violation, ViolationDetail};
use phaser_data::{Format, ParseError, ParseProblem, Tree};
use phaser_zones::Zones;

/// Cap on the matches reported per contract and file.
pub const MAX_MATCHES: usize = 1_000;

/// Cap on the matched text and the source line of a violation, in bytes.
pub(super) const MAX_EXCERPT: usize = 1_000;

/// The tag of contracts about secrets.
const SECRET: &str = "secret";

/// The result of checking one file.
#[derive(Debug, Default)]
pub struct Checked {
    /// Open and ignored violations.
    pub violations: Vec<Violation>,
    /// Searches that are unfinished.
    pub skipped: Vec<Skipped>,
    /// The indices of project-wide contracts that this file satisfies.
    pub satisfied: Vec<usize>,
}

impl Matcher {
    /// Checks one file, its size included. Without a text, only its presence is checked.
    pub fn check(&self, selection: &Selection, path: &RelPath, text: Option<&Text<'_>>) -> Checked {
        let names = FileNames { path, alias: None };
        let mut checked = self.check_with(&mut Scratch::default(), selection, names, text);
        if let Some(text) = text.filter(|_| selection.needs_size()) {
            let size = FileSize::of(text.bytes(), Some(text.bytes()));
            checked.violations.extend(self.check_size(selection, path, size, Some(text)));
        }
        checked
    }

    /// [`Matcher::check`] with reusable buffers, for a file that may have two names and whose size the caller
    /// [checks](Self::check_size). In a notebook, contracts see the source of each cell.
    pub fn check_with(
        &self,
        scratch: &mut Scratch,
        selection: &Selection,
        names: FileNames<'_>,
        text: Option<&Text<'_>>,
    ) -> Checked {
        let path = names.path;
        let format = match selection.data.is_empty() {
            true => None,
            false => names.format(),
        };
        let notebook = text.filter(|_| notebook::is_named(path));
        match notebook.and_then(|text| Some((text, Notebook::parse(text.bytes())?))) {
            Some((text, notebook)) => {
                self.check_notebook(scratch, selection, (names, format), (text, &notebook))
            }
            None => self.check_text(scratch, selection, (names, format), text, TextPart::All),
        }
    }

    /// Checks each cell, and the file as a whole: requirements and the presence of the file. Secrets count in the rest of the
    /// file, too, such as the output of a cell.
    fn check_notebook(
        &self,
        scratch: &mut Scratch,
        selection: &Selection,
        (names, format): (FileNames<'_>, Option<Format>),
        (text, notebook): (&Text<'_>, &Notebook),
    ) -> Checked {
        let path = names.path;
        let mut checked =
            self.check_text(scratch, selection, (names, format), Some(text), TextPart::AroundCells);
        let is_of_file = |violation: &Violation| match &violation.found {
            None => true,
            Some(_) if violation.contract.check.reads_data() => true,
            Some(found) => violation.contract.has_tag(SECRET) && !notebook.has_source_at(&found.range),
        };
        checked.violations.retain(is_of_file);
        checked.skipped.retain(|skipped| {
            let concerned = |contract: &&Arc<Contract>| skipped.why.concerns(&contract.id);
            self.contracts.iter().find(concerned).is_none_or(|contract| contract.check.needs_whole_file())
        });
        let cells: Vec<Option<Text<'_>>> =
            notebook.cells.iter().map(|cell| Text::new(cell.source.as_slice())).collect();
        // A requirement on code is met by any cell.
        let is_without_code = |violation: &mut Violation| {
            violation.found.is_none() && violation.contract.check.code().is_some()
        };
        let mut without_code: Vec<Violation> = Vec::new();
        for (cell, source) in notebook.cells.iter().zip(&cells) {
            let Some(source) = source else {
                let why = SkipReason::Binary.unexpected();
                checked.skipped.push(Skipped { path: path.clone(), why });
                continue;
            };
            let mut of_cell = self.check_text(scratch, selection, (names, None), Some(source), TextPart::All);
            without_code.extend(of_cell.violations.extract_if(.., is_without_code));
            of_cell.violations.retain(|violation| violation.found.is_some());
            of_cell.violations.iter_mut().for_each(|violation| place_in_file(violation, cell, text));
            checked.violations.append(&mut of_cell.violations);
            checked.skipped.append(&mut of_cell.skipped);
            checked.satisfied.append(&mut of_cell.satisfied);
        }
        without_code.sort_by(|one, other| one.contract.id.cmp(&other.contract.id));
        let missing = without_code.chunk_by(|one, other| Arc::ptr_eq(&one.contract, &other.contract));
        checked.violations.extend(missing.filter(|all| all.len() == cells.len()).map(|all| all[0].clone()));
        checked.satisfied.sort_unstable();
        checked.satisfied.dedup();
        checked.skipped.sort();
        checked.skipped.dedup();
        self.limit_matches(&mut checked, path);
        if let Some(first) = cells.first().and_then(Option::as_ref) {
            self.ignore_by_first_cell(&mut checked.violations, path, first);
        }
        checked
    }

    /// Applies the limits on violations of one file to those of all cells together.
    fn limit_matches(&self, checked: &mut Checked, path: &RelPath) {
        let limit = self.options.limits.violations;
        if checked.violations.len() <= MAX_MATCHES.min(limit) {
            return;
        }
        let mut counts: HashMap<*const Contract, usize> = HashMap::new();
        let (mut many, mut left_out, mut total) = (BTreeSet::new(), BTreeSet::new(), 0);
        checked.violations.retain(|violation| {
            let count = counts.entry(Arc::as_ptr(&violation.contract)).or_default();
            *count += 1;
            if violation.contract.check.match_limit() > MAX_MATCHES {
                return true;
            }
            if *count > MAX_MATCHES {
                many.insert(violation.contract.id.clone());
                return false;
            }
            total += 1;
            if total > limit && *count > 1 {
                left_out.insert(violation.contract.id.clone());
                return false;
            }
            true
        });
        let mut skip = |why| checked.skipped.push(Skipped { path: path.clone(), why });
        many.into_iter().for_each(|id| skip(SkipReason::TooManyMatches { id, limit: MAX_MATCHES }));
        if !left_out.is_empty() {
            skip(SkipReason::TooManyViolations { limit, ids: left_out.into_iter().collect() });
        }
    }

    /// Applies `ignore-file` in the first cell to the whole notebook.
    fn ignore_by_first_cell(&self, violations: &mut [Violation], path: &RelPath, first: &Text<'_>) {
        if violations.is_empty() || self.options.directives == Directives::Disregarded {
            return;
        }
        let ignores = Ignores::parse(path, first);
        for violation in violations.iter_mut().filter(|violation| violation.contract.ignorable) {
            if ignores.covers(&violation.contract.id, None) == Cover::Suppressed {
                violation.state = State::Ignored;
            }
        }
    }

    /// Checks one text. Its values are checked if it has a format.
    fn check_text(
        &self,
        scratch: &mut Scratch,
        selection: &Selection,
        (names, format): (FileNames<'_>, Option<Format>),
        text: Option<&Text<'_>>,
        part: TextPart,
    ) -> Checked {
        let path = names.path;
        let mut checked = Checked::default();
        for &contract in &selection.present {
            let target = CheckTarget {
                path,
                text: None,
                matches: Vec::new(),
                size: None,
                data: None,
                incomplete: false,
            };
            if self.contracts[contract].check.evaluate(target) == CheckVerdict::File {
                checked.violations.push(Violation::of_file(&self.contracts[contract], path));
            }
        }
        let Some(text) = text else { return checked };
        let view = View::of(text);
        let mut file = FileCheck {
            trees: CodeTrees::new(path, view.bytes(), self.options.limits.deadline),
            part,
            matcher: self,
            path,
            text,
            view: &view,
            checked,
            no_time: selection.no_time().to_vec(),
            no_room: Vec::new(),
            lines: HashMap::new(),
            zones: OnceCell::new(),
            names,
            kinds: OnceCell::new(),
            imports: OnceCell::new(),
        };
        let mut room = self.options.limits.violations;
        if selection.has_searches() {
            let start = scratch.meter.start();
            selection.with_searched(self, view.bytes(), |searched| {
                scratch.candidates.end_by(self.options.limits.deadline);
                searched.prefilter.search(view.bytes(), view.charset(), &mut scratch.candidates);
                scratch.meter.prefiltered(start);
                file.search_all(searched, scratch, &mut room);
            });
        }
        if let Some(format) = format {
            file.judge_data(&selection.data, format, &mut room);
        }
        file.finish()
    }
}

impl Matcher {
    /// Checks the size of a file. A directive in its text, if it has one, may suppress a violation.
    pub fn check_size(
        &self,
        selection: &Selection,
        path: &RelPath,
        size: FileSize,
        text: Option<&Text<'_>>,
    ) -> Vec<Violation> {
        let mut violations = Vec::new();
        for contract in selection.sized.iter().map(|&index| &self.contracts[index]) {
            let target = CheckTarget {
                path,
                text,
                matches: Vec::new(),
                size: Some(size),
                data: None,
                incomplete: false,
            };
            if contract.check.evaluate(target) == CheckVerdict::File {
                violations.push(Violation::of_file(contract, path));
            }
        }
        if let Some(text) = text {
            self.apply_directives(path, text, &mut violations);
        }
        violations
    }

    /// The text that the fix of a contract about code gives for each of these matches in a text at `path`.
    pub(crate) fn code_replacements(
        &self,
        contract: &Contract,
        path: &RelPath,
        text: &Text<'_>,
        (template, matches): (&str, &[Range<usize>]),
    ) -> Vec<Option<Vec<u8>>> {
        if let (Some(code), Some(index)) =
            (contract.check.code(), self.contracts.iter().position(|known| std::ptr::eq(&**known, contract)))
        {
            // A metavariable cannot be copied from a text that is not UTF-8.
            if let Ok(valid) = std::str::from_utf8(text.bytes()) {
                let trees = CodeTrees::new(path, valid.as_bytes(), self.options.limits.deadline);
                let made = trees.replacements(self.prepared.code(index), code, template, matches);
                return made.unwrap_or_else(|_| vec![None; matches.len()]);
            }
        }
        vec![None; matches.len()]
    }

    /// Marks the violations that directives of the text suppress.
    pub fn apply_directives(&self, path: &RelPath, text: &Text<'_>, violations: &mut [Violation]) {
        if violations.is_empty() || self.options.directives == Directives::Disregarded {
            return;
        }
        let ignores = Ignores::parse(path, text);
        for violation in violations {
            let lines = violation.found.as_ref().map(|found| Lines::of(found.region));
            match ignores.covers(&violation.contract.id, lines) {
                Cover::Suppressed if !violation.contract.ignorable => {
                    violation.note = Some(Note::NotIgnorable);
                }
                Cover::Suppressed => violation.state = State::Ignored,
                Cover::BareIgnore => violation.note = Some(Note::BareIgnore),
                Cover::No => {}
            }
        }
    }
}

/// Whether a value may have a match, which contains one of these literals in any case. Case is not folded beyond ASCII.
fn may_have(literals: Option<&RequiredLiterals>, value: &str) -> bool {
    let Some(RequiredLiterals { texts, .. }) = literals else { return true };
    let has = |text: &[u8]| value.as_bytes().windows(text.len()).any(|part| part.eq_ignore_ascii_case(text));
    texts.is_empty() || !value.is_ascii() || texts.iter().any(|text| text.is_empty() || has(text))
}

/// Parses a data file.
fn parse(bytes: &[u8], format: Format) -> Result<Tree<'_>, ParseError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Tree::parse(text, format),
        Err(error) => {
            let at = error.valid_up_to();
            let problem = ParseProblem::Syntax("not UTF-8".to_owned());
            Err(ParseError { span: at..at, problem })
        }
    }
}

/// The state of checking one file.
struct FileCheck<'a> {
    matcher: &'a Matcher,
    path: &'a RelPath,
    text: &'a Text<'a>,
    view: &'a View<'a>,
    checked: Checked,
    /// Contracts that were not checked, or not to the end, by index: timed out, or too many violations.
    no_time: Vec<usize>,
    no_room: Vec<usize>,
    /// Lines with violations, by number. Shared, since a line may be very long and have many violations.
    lines: HashMap<usize, ViolationLine>,
    /// The zones of the file, computed for the first match that needs them. `None` if the language is unknown.
    zones: OnceCell<Option<Zones>>,
    names: FileNames<'a>,
    /// The kinds that the text shows, computed for the first match that needs them.
    kinds: OnceCell<TextKinds>,
    /// The syntax trees of the file.
    trees: CodeTrees<'a>,
    /// The imports of the file, found for the first contract about them.
    imports: OnceCell<Result<Vec<ResolvedImport>, NotSearched>>,
    part: TextPart,
}

/// What a text is of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextPart {
    /// The whole file, or a cell of a notebook.
    All,
    /// A notebook, whose cells are checked on their own. It has no code.
    AroundCells,
}

#[derive(Debug)]
struct ViolationLine {
    text: Arc<str>,
    digest: LineDigest,
}

/// The matches of one pattern.
#[derive(Debug, Default)]
struct FoundMatches {
    /// Byte ranges of the file.
    matches: Vec<Range<usize>>,
    unfinished: Option<Unfinished>,
    /// Whether the contract is about code that a file of this language cannot have.
    is_of_other_language: bool,
}

impl FoundMatches {
    fn note(&mut self, why: NotSearched) {
        match why {
            NotSearched::OtherLanguage => self.is_of_other_language = true,
            NotSearched::TimedOut => self.unfinished = Some(Unfinished::OutOfTime),
            NotSearched::Limit(limit) => self.unfinished = Some(Unfinished::NotParsed(limit)),
        }
    }
}

impl FileCheck<'_> {
    /// Searches the windows of all contracts.
    fn search_all(&mut self, searched: &SearchSet, scratch: &mut Scratch, room: &mut usize) {
        self.no_time.extend(&searched.no_time);
        for &contract in &searched.unmatched {
            let found = self.without_match(contract);
            self.judge(contract, found, room);
        }
        // A parser may take all the time there is: whatever needs no tree comes first.
        let needs_tree = |contract: usize| {
            let check = &self.matcher.contracts[contract].check;
            check.code().is_some() || check.imports().is_some()
        };
        let mut order: Vec<usize> = (0..searched.contracts.len()).collect();
        order.sort_by_key(|&at| needs_tree(searched.contracts[at]));
        for at in order {
            let contract = searched.contracts[at];
            let windows = scratch.candidates.windows(at);
            if windows.is_empty() && self.matcher.contracts[contract].check.passes_unmatched() {
                continue;
            }
            if self.matcher.is_late() {
                self.no_time.push(contract);
                continue;
            }
            let within = Haystack { text: self.view.bytes(), charset: self.view.charset(), windows };
            let start = scratch.meter.start();
            let found = self.search(contract, &within);
            self.judge(contract, found, room);
            scratch.meter.searched(contract, &within, start);
        }
    }

    /// The matches of one contract, up to the number that matters to it.
    fn search(&self, contract: usize, within: &Haystack<'_>) -> FoundMatches {
        if within.windows.is_empty() {
            return self.without_match(contract);
        }
        let check = &self.matcher.contracts[contract].check;
        let most = check.max_matches().min(check.match_limit() + 1);
        if let Some(code) = check.code() {
            return self.search_code(contract, code, most);
        }
        if let Some(imports) = check.imports() {
            return self.search_imports(contract, imports, most);
        }
        let mut found = FoundMatches::default();
        if let Some(pattern) = self.matcher.pattern(contract) {
            let finished = pattern.search(within, &self.matcher.effort(), |range| {
                let range = self.view.in_file(range);
                if self.is_in_zone(contract, &range)
                    && self.is_of_kind(contract, &range)
                    && self.is_verified(contract, &range)
                {
                    found.matches.push(range);
                }
                if found.matches.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            found.unfinished = finished.err();
        }
        found
    }

    /// The result for a text in which nothing can match.
    fn without_match(&self, contract: usize) -> FoundMatches {
        let mut found = FoundMatches::default();
        if let Some(code) = self.matcher.contracts[contract].check.code() {
            if self.part == TextPart::AroundCells {
                found.is_of_other_language = true;
            } else if let Err(why) = self.trees.is_of(self.matcher.prepared.code(contract), code) {
                found.note(why);
            }
        }
        found
    }

    /// The syntax nodes that match, up to this number.
    fn search_code(&self, contract: usize, code: &CodePattern, most: usize) -> FoundMatches {
        let mut found = FoundMatches::default();
        if self.part == TextPart::AroundCells {
            found.is_of_other_language = true;
            return found;
        }
        match self.trees.find(self.matcher.prepared.code(contract), code) {
            Ok(spans) => {
                let spans = spans.into_iter().map(|span| self.view.in_file(span));
                found.matches = spans.filter(|span| self.is_of_kind(contract, span)).take(most).collect();
                if found.matches.is_empty() {
                    return self.without_match(contract);
                }
            }
            Err(why) => found.note(why),
        }
        found
    }

    /// The imports that match, up to this number.
    fn search_imports(&self, contract: usize, imports: &ImportPattern, most: usize) -> FoundMatches {
        let mut found = FoundMatches::default();
        if self.part == TextPart::AroundCells {
            return found;
        }
        match self.imports.get_or_init(|| self.matcher.resolver().imports(self.path, &self.trees)) {
            Ok(all) => {
                let spans = imports.violations(&self.matcher.contracts[contract], all);
                found.matches = spans.into_iter().take(most).map(|span| self.view.in_file(span)).collect();
            }
            Err(why) => found.note(*why),
        }
        found
    }

    /// Whether a match starts in a zone of the contract. True in a file of an unknown language.
    fn is_in_zone(&self, contract: usize, range: &Range<usize>) -> bool {
        let wanted = &self.matcher.contracts[contract].zones;
        if wanted.is_empty() {
            return true;
        }
        let start = without_leading_space(self.text.bytes(), range.clone()).start;
        self.zones().is_none_or(|zones| wanted.contains(&zones.at(start)))
    }

    /// Whether a match passes the verifiers of the contract.
    fn is_verified(&self, contract: usize, range: &Range<usize>) -> bool {
        let verifiers = self.matcher.contracts[contract].check.verifiers();
        if verifiers.is_empty() {
            return true;
        }
        let secret = self.matcher.secret_of(contract, self.view, range).unwrap_or_else(|| range.clone());
        verifiers.iter().all(|verifier| verifier.accepts(&self.text.bytes()[secret.clone()]))
    }

    fn zones(&self) -> Option<&Zones> {
        self.zones.get_or_init(|| Zones::of(self.path.as_bytes(), self.text.bytes())).as_ref()
    }

    /// The kinds that the text shows. A notebook has none: its cells are no files.
    fn text_kinds(&self) -> &TextKinds {
        self.kinds.get_or_init(|| match notebook::is_named(self.path) {
            true => TextKinds::default(),
            false => TextKinds::of(self.path.as_bytes(), self.text.bytes(), || self.zones()),
        })
    }

    /// Whether a match is of a kind of the contract. Paths that exclude the file have been decided before.
    fn is_of_kind(&self, contract: usize, range: &Range<usize>) -> bool {
        let start = || without_leading_space(self.text.bytes(), range.clone()).start;
        self.admits(contract, || self.text_kinds().at(start()))
    }

    /// Whether the file as a whole is of a kind of the contract.
    fn is_file_of_kind(&self, contract: usize) -> bool {
        self.admits(contract, || self.text_kinds().file)
    }

    fn admits(&self, contract: usize, of_text: impl FnOnce() -> FileKinds) -> bool {
        let contract = &self.matcher.contracts[contract];
        let KindFilter { only, exclude } = contract.kinds;
        if contract.kinds.is_open() || contract.check.reads_messages() {
            return true;
        }
        let of_text = of_text();
        !exclude.intersects(of_text)
            && (only.is_empty() || only.intersects(of_text) || only.intersects(self.names.kinds()))
    }

    fn judge(&mut self, contract: usize, found: FoundMatches, room: &mut usize) {
        self.note_unfinished(contract, found.unfinished);
        let target = CheckTarget {
            path: self.path,
            text: Some(self.text),
            matches: found.matches,
            size: None,
            data: None,
            incomplete: found.unfinished.is_some() || found.is_of_other_language,
        };
        let verdict = self.matcher.contracts[contract].check.evaluate(target);
        if matches!(verdict, CheckVerdict::Pass | CheckVerdict::Spans(_)) || self.is_file_of_kind(contract) {
            self.report(contract, verdict, room);
        }
    }

    fn note_unfinished(&mut self, contract: usize, unfinished: Option<Unfinished>) {
        let id = || self.matcher.contracts[contract].id.clone();
        match unfinished {
            None => {}
            Some(Unfinished::OutOfTime) => self.skip(SkipReason::OutOfTime { id: id() }),
            Some(Unfinished::TooLarge) => self.skip(SkipReason::TooComplex { id: id() }),
            Some(Unfinished::NotParsed(limit)) => self.skip(SkipReason::NotParsed { id: id(), limit }),
        }
    }

    fn report(&mut self, contract: usize, verdict: CheckVerdict, room: &mut usize) {
        match verdict {
            CheckVerdict::Pass | CheckVerdict::Unparsable => {}
            CheckVerdict::Spans(spans) => {
                self.report_findings(contract, spans.into_iter().map(Finding::from).collect(), room);
            }
            CheckVerdict::Findings(findings) => self.report_findings(contract, findings, room),
            CheckVerdict::File => {
                let violation = Violation::of_file(&self.matcher.contracts[contract], self.path);
                self.checked.violations.push(violation);
            }
            CheckVerdict::Satisfies => self.checked.satisfied.push(contract),
            CheckVerdict::TooBroad => {
                let id = self.matcher.contracts[contract].id.clone();
                self.skip(SkipReason::TooBroad { id });
            }
        }
    }

    /// Judges the contracts about values. The file is parsed once, if one of them may be violated.
    fn judge_data(&mut self, contracts: &[usize], format: Format, room: &mut usize) {
        let (matcher, bytes) = (self.matcher, self.text.bytes());
        let may_violate = |&contract: &usize| {
            matcher.contracts[contract].check.value().is_none_or(|check| check.may_violate(bytes))
        };
        let contracts: Vec<usize> = contracts.iter().copied().filter(may_violate).collect();
        if contracts.is_empty() || matcher.is_late() {
            self.no_time.extend(contracts);
            return;
        }
        let tree = parse(bytes, format);
        let mut unparsable = Vec::new();
        for &contract in &contracts {
            if matcher.is_late() {
                self.no_time.push(contract);
                continue;
            }
            let check = &matcher.contracts[contract].check;
            let unfinished = Cell::new(None);
            // Compiling a pattern costs more than everything else, and few values can match.
            let literals = matcher.required_literals(contract);
            let search = LazyCell::new(|| {
                matcher.pattern(contract).map(|pattern| ShortSearch::new(pattern, matcher.effort()))
            });
            let found = |text: &str| match may_have(literals, text) {
                true => search.as_ref().map(|search| search.is_match(text)),
                false => None,
            };
            let matches = |text: &str| match found(text) {
                None => false,
                Some(Ok(found)) => found,
                Some(Err(why)) => {
                    unfinished.set(Some(why));
                    // An unfinished search proves no violation.
                    !check.passes_unmatched()
                }
            };
            let data = DataTarget { tree: tree.as_ref(), matches: &matches };
            let verdict = check.evaluate(CheckTarget {
                path: self.path,
                text: Some(self.text),
                matches: Vec::new(),
                size: None,
                data: Some(&data),
                incomplete: false,
            });
            if verdict != CheckVerdict::Pass && !self.is_file_of_kind(contract) {
                continue;
            }
            if verdict == CheckVerdict::Unparsable {
                unparsable.push(contract);
            }
            self.note_unfinished(contract, unfinished.get());
            self.report(contract, verdict, room);
        }
        if let (Err(error), false) = (&tree, unparsable.is_empty()) {
            let line = self.text.position(error.span.start).line;
            let why = error.problem.to_string();
            self.skip(SkipReason::Unparsable { line, why, ids: self.ids(unparsable) });
        }
    }

    /// Adds a violation for each place, up to the limits of the contract and of the file. The first is always added, so
    /// that no file can hide all violations of a contract. A place without an identity is recognised by its lines.
    fn report_findings(&mut self, contract: usize, mut findings: Vec<Finding>, room: &mut usize) {
        let limit = self.matcher.contracts[contract].check.match_limit();
        // What a change must keep is compared, not reported: it has a limit of its own.
        let most = if limit > MAX_MATCHES { limit } else { (*room).max(1) };
        if findings.len() > limit && most >= limit {
            let id = self.matcher.contracts[contract].id.clone();
            self.skip(SkipReason::TooManyMatches { id, limit });
            findings.truncate(limit);
        }
        if findings.len() > most {
            self.no_room.push(contract);
            findings.truncate(most);
        }
        *room = room.saturating_sub(findings.len());
        for Finding { range, identity, problem } in findings {
            let (found, digests) = self.found(range);
            let digests =
                identity.map_or(digests, |identity| MatchDigests { line: identity, text: identity });
            let mut violation = Violation::at(&self.matcher.contracts[contract], self.path, found, digests);
            violation.detail = problem.map(|problem| Box::new(ViolationDetail::Syntax(problem)));
            self.checked.violations.push(violation);
        }
    }

    /// The match at `range` and the digests of its lines.
    fn found(&mut self, range: Range<usize>) -> (Match, MatchDigests) {
        let (text, start) = (self.text, range.start);
        let range = without_leading_space(text.bytes(), range);
        let region = text.region(range.clone());
        let number = region.start.line;
        let line = self.lines.entry(number).or_insert_with(|| ViolationLine {
            text: excerpt(text.line_head(number, MAX_EXCERPT + MAX_WIDTH)).into(),
            digest: LineDigest::of(text.line(number)),
        });
        let last = region.last_line();
        let whole = if last == number { line.digest } else { LineDigest::of(text.lines(number..=last)) };
        let digests = MatchDigests { line: line.digest, text: whole };
        let found = Match {
            region,
            text: excerpt(&text.bytes()[range.clone()]),
            line: Arc::clone(&line.text),
            range,
            start,
            cell: None,
        };
        (found, digests)
    }

    fn skip(&mut self, why: SkipReason) {
        self.checked.skipped.push(Skipped { path: self.path.clone(), why });
    }

    fn finish(mut self) -> Checked {
        let (no_time, no_room) = (std::mem::take(&mut self.no_time), std::mem::take(&mut self.no_room));
        if !no_time.is_empty() {
            self.skip(SkipReason::NoTimeLeft { ids: self.ids(no_time) });
        }
        if !no_room.is_empty() {
            let limit = self.matcher.options.limits.violations;
            self.skip(SkipReason::TooManyViolations { limit, ids: self.ids(no_room) });
        }
        self.matcher.apply_directives(self.path, self.text, &mut self.checked.violations);
        self.checked
    }

    fn ids(&self, mut contracts: Vec<usize>) -> Vec<String> {
        contracts.sort_unstable();
        contracts.into_iter().map(|contract| self.matcher.contracts[contract].id.clone()).collect()
    }
}

/// A line of a text as a match; the last line if there are fewer.
pub fn line_match(text: &Text<'_>, number: usize) -> Match {
    let number = number.clamp(1, text.line_count().max(1));
    let line = text.line(number);
    let start = line.as_ptr() as usize - text.bytes().as_ptr() as usize;
    let range = start..start + line.trim_ascii_end().len();
    let region = text.region(range.clone());
    Match {
        region,
        text: excerpt(&text.bytes()[range.clone()]),
        line: excerpt(line).into(),
        range,
        start,
        cell: None,
    }
}

/// Moves a violation of a cell to its place in the file.
fn place_in_file(violation: &mut Violation, cell: &NotebookCell, text: &Text<'_>) {
    let Some(found) = &mut violation.found else { return };
    let Match { range, start, region, .. } = &mut **found;
    let whole = cell.in_file(*start..range.end);
    let in_file = cell.in_file(range.clone());
    found.cell =
        Some(CellMatch { number: cell.number, range: range.clone(), start: *start, region: *region });
    found.region = text.region(in_file.clone());
    (found.range, found.start) = (in_file, whole.start);
}

/// The range without leading white space, unless it is all white space: a match of `^\s*print` may start lines
/// earlier.
fn without_leading_space(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let mut start = range.start;
    for chunk in bytes[range.clone()].utf8_chunks() {
        let visible = chunk.valid().trim_start();
        start += chunk.valid().len() - visible.len();
        if !visible.is_empty() || !chunk.invalid().is_empty() {
            return start..range.end;
        }
    }
    range
}

fn excerpt(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(MAX_EXCERPT);
    while end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::contract::Zone;
    use crate::deadline::Deadline;
    use crate::matcher::Options;
    use crate::matcher::limits::Limits;

    const FRAGMENTS: &[&str] = &[
        "'", "\"", "`", "'''", "\"\"\"", "/*", "*/", "//", "#", "#{", "${", "{", "}", "=begin\n", "=end\n",
        "\\", "a", "if ", "x = ", "\n", " ", "<<EOF\n", "EOF\n", "return ", "/", "f'", "r\"",
    ];

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let fragment = prop_oneof![
            6 => proptest::sample::select(FRAGMENTS).prop_map(|fragment| fragment.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 0..4),
        ];
        vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
    }

    /// Offsets of the matches of one pattern in the text at `path`, limited to `zones`.
    fn found(zones: &[Zone], path: &str, text: &[u8]) -> Vec<usize> {
        let yaml = "rule_id: a\ntype: forbid_pattern\npattern: '\\s*[a-zA-Z#{/]+'\nfile_glob: '**'\nmessage: m\n\
        severity: error\n";
        let contract = Contract::from_yaml(yaml, "a.yaml").expect("a contract");
        let options = Options::new(std::time::Duration::from_secs(3600), Directives::Disregarded);
        let matcher = Matcher::new(vec![Contract { zones: zones.to_vec(), ..contract }], options);
        let path = RelPath::from(path);
        let Some(text) = Text::new(text) else { return Vec::new() };
        let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
        checked
            .violations
            .iter()
            .filter_map(|violation| Some(violation.found.as_ref()?.range.start))
            .collect()
    }

    /// The number of values or texts in which the pattern has a match.
    fn count(kind: &str, pattern: &str, path: &str, text: &str, limits: Limits) -> usize {
        let yaml = format!(
            "rule_id: a\ntype: {kind}\npattern: '{pattern}'\nfile_glob: '**'\nmessage: m\nseverity: error\n"
        );
        let contract = Contract::from_yaml(&yaml, "a.yaml").expect("a contract");
        let options = Options::new(std::time::Duration::from_secs(3600), Directives::Disregarded);
        let matcher = Matcher::new(vec![contract], Options { limits, ..options });
        let path = RelPath::from(path);
        let text = Text::new(text.as_bytes()).expect("is text");
        matcher.check(&matcher.select(&path, None), &path, Some(&text)).violations.len()
    }

    const VALUE_PATTERNS: &[&str] = &[
        "^[~^]", "^a", "b$", r"\Ab*\z", "a|é", "x*", r"\bab\b", "(?i)k", "(?!a)b", "a b", r"^\s*a", "^$",
        "[^a]{2}",
    ];

    const PATHS: &[&str] = &["a.py", "a.js", "a.rb", "a.xyz"];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn value_matches_like_text_of_its_own(
            values in vec("[ab ~^kéK\n]{0,5}", 0..6),
            pattern in proptest::sample::select(VALUE_PATTERNS),
            in_hook in any::<bool>(),
        ) {
            let deadline = if in_hook { Deadline::after(std::time::Duration::from_secs(3600)) } else { Deadline::NEVER };
            let limits = || Limits { deadline, ..Limits::default() };
            let document = serde_json::to_string(&values).expect("is JSON");
            let kind = "forbid_value\npath: $[*]";
            let expected = values.iter().filter(|value| count("forbid_pattern", pattern, "a.txt", value, limits()) > 0).count();
            for path in ["a.json", "a.yaml"] {
                prop_assert_eq!(count(kind, pattern, path, &document, limits()), expected, "{} {}", pattern, document);
            }
        }

        #[test]
        fn match_counts_in_zone_it_starts_in(text in text(), path in proptest::sample::select(PATHS)) {
            let read = Text::new(text.as_slice());
            let zones = read.as_ref().and_then(|text| Zones::of(path.as_bytes(), text.bytes()));
            for wanted in [&[Zone::Code][..], &[Zone::Comment], &[Zone::String, Zone::Comment]] {
                let mut expected = found(&[], path, &text);
                expected.retain(|&start| zones.as_ref().is_none_or(|zones| wanted.contains(&zones.at(start))));
                prop_assert_eq!(found(wanted, path, &text), expected);
            }
        }
    }
}
