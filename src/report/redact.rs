//! Masks secrets in a report before it is written.
//!
//! A report is stored, uploaded and read by more people than the source. A match of a contract tagged `secret` is reduced
//! to its first characters and its length. The same text is masked in the source lines and in overlapping matches of
//! other contracts: with `AKIAEXAMPLEKEY22` a secret, the line `key = AKIAEXAMPLEKEY22` is shown as
//! `key = AKIA************`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use phaser_core::contract::Contract;
use phaser_core::text::Region;
use phaser_core::violation::{Match, Violation};
use phaser_project::report::Report;

/// Characters of a secret that are shown.
const SHOWN: usize = 4;
/// Replaces a hidden character.
const MASK: char = '*';

/// The tag of contracts whose matches are secrets.
const SECRET: &str = "secret";

/// Whether matches of this contract are secrets.
pub fn is_secret(contract: &Contract) -> bool {
    contract.has_tag(SECRET)
}

/// Masks secrets in matched texts and lines, and drops fixes that touch them. Positions, fingerprints and states are
/// unchanged.
pub fn redact(report: &mut Report) {
    if !report.contracts.iter().any(|contract| is_secret(contract)) {
        return;
    }
    for file in report.by_file_mut() {
        let secrets: Vec<Secret> = file.iter().filter_map(Secret::of).collect();
        if !secrets.is_empty() {
            redact_file(file, &secrets);
        }
    }
}

/// A match of a contract tagged `secret`.
struct Secret {
    /// The number of the cell, in a notebook.
    cell: Option<usize>,
    /// In the cell, or else in the file.
    range: Range<usize>,
    /// Likewise.
    region: Region,
    /// In the file.
    in_file: Range<usize>,
    text: String,
}

impl Secret {
    fn of(violation: &Violation) -> Option<Self> {
        let found = violation.found.as_deref()?;
        let secret = Self {
            cell: cell(found),
            range: found.source_range(),
            region: found.source_region(),
            in_file: found.range.clone(),
            text: found.text.clone(),
        };
        is_secret(&violation.contract).then_some(secret)
    }

    /// The number of leading characters shown: none of a short secret.
    fn shown(&self) -> usize {
        if self.text.chars().nth(SHOWN).is_some() { SHOWN } else { 0 }
    }

    /// Its hidden columns on a line, from 0.
    fn hidden_columns(&self, line: usize) -> Range<usize> {
        let Region { start, end } = self.region;
        let first = if line == start.line { start.column - 1 + self.shown() } else { 0 };
        let last = if line == end.line { end.column - 1 } else { usize::MAX };
        first..last
    }

    /// Its hidden byte range in the cell or the file.
    fn hidden_bytes(&self) -> Range<usize> {
        let shown: usize = self.text.chars().take(self.shown()).map(char::len_utf8).sum();
        self.range.start + shown..self.range.end
    }
}

/// The number of the cell of a match.
fn cell(found: &Match) -> Option<usize> {
    found.cell.as_ref().map(|cell| cell.number)
}

fn redact_file(violations: &mut [Violation], secrets: &[Secret]) {
    let mut by_line: HashMap<(Option<usize>, usize), Vec<&Secret>> = HashMap::new();
    for secret in secrets {
        for line in secret.region.start.line..=secret.region.end.line {
            by_line.entry((secret.cell, line)).or_default().push(secret);
        }
    }
    let mut lines: HashMap<(Option<usize>, usize), Arc<str>> = HashMap::new();
    for violation in violations {
        let is_secret = is_secret(&violation.contract);
        let Some(found) = &mut violation.found else { continue };
        let (cell, line) = (cell(found), found.source_region().start.line);
        if let Some(secrets) = by_line.get(&(cell, line)) {
            let masked = || masked_line(&found.line, line, secrets).into();
            found.line = lines.entry((cell, line)).or_insert_with(masked).clone();
        }
        if is_secret {
            found.text = shortened(found);
            violation.fix = None;
            continue;
        }
        let whole = found.whole();
        let touches = |secret: &Secret| secret.in_file.start < whole.end && whole.start < secret.in_file.end;
        if secrets.iter().any(touches) {
            violation.fix = None;
        }
        let last = line + found.text.matches('\n').count();
        let on_its_lines = (line..=last).filter_map(|line| by_line.get(&(cell, line))).flatten();
        if let Some(text) = masked_text(found, on_its_lines.copied()) {
            found.text = text;
        }
    }
}

/// The first characters of a secret and its length.
fn shortened(found: &Match) -> String {
    let count = found.text.chars().count();
    let start: String = found.text.chars().take(if count > SHOWN { SHOWN } else { 0 }).collect();
    // A very long match is truncated; then only its length in bytes is known.
    let bytes = found.source_range().len();
    let (length, unit) = if found.text.len() >= bytes { (count, "character") } else { (bytes, "byte") };
    format!("{start}\u{2026} ({length} {unit}{})", if length == 1 { "" } else { "s" })
}

/// The line with secrets masked, one mask per character, so that columns stay valid.
fn masked_line(line: &str, number: usize, secrets: &[&Secret]) -> String {
    let hidden: Vec<Range<usize>> = secrets.iter().map(|secret| secret.hidden_columns(number)).collect();
    let mut is_hidden = vec![false; line.chars().count()];
    for columns in hidden {
        let end = columns.end.min(is_hidden.len());
        if let Some(columns) = is_hidden.get_mut(columns.start.min(end)..end) {
            columns.fill(true);
        }
    }
    let masked = line.chars().zip(is_hidden).map(|(c, is_hidden)| if is_hidden { MASK } else { c });
    let masked: String = masked.collect();
    // Columns count bytes of invalid UTF-8, so they do not index the characters of the decoded line.
    if line.contains(char::REPLACEMENT_CHARACTER) { without_secrets(&masked, secrets.iter()) } else { masked }
}

/// The match of another contract with secrets masked; `None` if it overlaps none.
fn masked_text<'a>(found: &Match, secrets: impl Iterator<Item = &'a Secret>) -> Option<String> {
    let own = found.source_range();
    let overlapping: Vec<&Secret> =
        secrets.filter(|secret| secret.range.start < own.end && own.start < secret.range.end).collect();
    if overlapping.is_empty() {
        return None;
    }
    if found.text.contains(char::REPLACEMENT_CHARACTER) {
        return Some(without_secrets(&found.text, overlapping.iter()));
    }
    let hidden: Vec<Range<usize>> = overlapping.iter().map(|secret| secret.hidden_bytes()).collect();
    let is_hidden = |at: usize| hidden.iter().any(|range| range.contains(&(own.start + at)));
    Some(found.text.char_indices().map(|(at, c)| if is_hidden(at) { MASK } else { c }).collect())
}

fn without_secrets<'a>(text: &str, secrets: impl Iterator<Item = &'a &'a Secret>) -> String {
    secrets.fold(text.to_owned(), |text, secret| text.replace(&secret.text, &MASK.to_string().repeat(SHOWN)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::{LayerKind, Origin, syntax};
    use phaser_core::text::Text;
    use phaser_core::violation::{LineDigest, MatchDigests};
    use phaser_project::path::RelPath;

    fn contract(id: &str, tag: &str) -> Arc<Contract> {
        let yaml = format!(
            "rule_id: {id}\ntype: forbid_pattern\npattern: x\nfile_glob: '**'\nmessage: m\nseverity: error\ntags: [{tag}]\n"
        );
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        Arc::new(syntax::parse(&yaml, origin).expect("is valid"))
    }

    fn secret() -> Arc<Contract> {
        contract("token", SECRET)
    }

    fn other() -> Arc<Contract> {
        contract("other", "style")
    }

    /// The text and line of each match in one file after redaction.
    fn left(text: &[u8], matches: &[(&Arc<Contract>, Range<usize>)]) -> Vec<(String, String)> {
        let text = Text::new(text).expect("is text");
        let mut violations: Vec<Violation> = matches
            .iter()
            .map(|(contract, range)| {
                let region = text.region(range.clone());
                let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let found = Match {
                    range: range.clone(),
                    start: range.start,
                    region,
                    text: shown(&text.bytes()[range.clone()]),
                    line: shown(text.line(region.start.line)).into(),
                    cell: None,
                };
                let digests = MatchDigests { line: LineDigest(0), text: LineDigest(0) };
                Violation::at(contract, &RelPath::from("a.txt"), found, digests)
            })
            .collect();
        violations.sort_by_key(|violation| violation.found.as_ref().map(|found| found.range.start));
        let mut report = Report { contracts: vec![secret(), other()], violations, ..Report::default() };
        redact(&mut report);
        let found = report.violations.into_iter().filter_map(|violation| violation.found);
        found.map(|found| (found.text, found.line.to_string())).collect()
    }

    fn pair(text: &str, line: &str) -> (String, String) {
        (text.to_owned(), line.to_owned())
    }

    #[test]
    fn secret_shows_start_and_length() {
        assert_eq!(
            left(b"key = AKIAEXAMPLEKEY22 # x\n", &[(&secret(), 6..22)]),
            [pair("AKIA\u{2026} (16 characters)", "key = AKIA************ # x")]
        );
    }

    #[test]
    fn short_secret_is_hidden() {
        assert_eq!(left(b"k=abcd", &[(&secret(), 2..6)]), [pair("\u{2026} (4 characters)", "k=****")]);
        assert_eq!(left(b"k=abcde", &[(&secret(), 2..7)]), [pair("abcd\u{2026} (5 characters)", "k=abcd*")]);
        assert_eq!(left(b"k=a", &[(&secret(), 2..3)]), [pair("\u{2026} (1 character)", "k=*")]);
    }

    #[test]
    fn hides_every_secret_of_line() {
        assert_eq!(
            left(b"a=tokens1 b=tokens2", &[(&secret(), 2..9), (&secret(), 12..19)]),
            [
                pair("toke\u{2026} (7 characters)", "a=toke*** b=toke***"),
                pair("toke\u{2026} (7 characters)", "a=toke*** b=toke***")
            ]
        );
    }

    #[test]
    fn hides_secret_in_other_matches() {
        assert_eq!(
            left(b"print('tokens1')\nx", &[(&secret(), 7..14), (&other(), 0..16), (&other(), 10..18)]),
            [
                pair("print('toke***')", "print('toke***')"),
                pair("toke\u{2026} (7 characters)", "print('toke***')"),
                pair("e***')\nx", "print('toke***')"),
            ]
        );
        assert_eq!(left(b"tokens1 x", &[(&secret(), 0..7), (&other(), 8..9)])[1], pair("x", "toke*** x"));
    }

    #[test]
    fn hides_multi_line_secret() {
        assert_eq!(
            left(b"k=tokens\nmore\nend x\n", &[(&secret(), 2..17), (&other(), 10..11), (&other(), 18..19)]),
            [pair("toke\u{2026} (15 characters)", "k=toke**"), pair("*", "****"), pair("x", "*** x"),]
        );
    }

    #[test]
    fn hides_secret_in_invalid_utf8() {
        let shown =
            left(b"\xE2\x84\xE2\x84\xE2\x84\xE2\x84 tokens1", &[(&secret(), 9..16), (&other(), 0..16)]);
        assert!(
            shown.iter().all(|(text, line)| !text.contains("tokens1") && !line.contains("tokens1")),
            "{shown:?}"
        );
    }

    #[test]
    fn leaves_other_matches() {
        assert_eq!(left(b"tokens1", &[(&other(), 0..7)]), [pair("tokens1", "tokens1")]);
    }
}
