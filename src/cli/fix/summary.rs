//! Output of `phaser fix`: a diff, or the fixes and the violations left.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::super::environment::Environment;
use super::super::project::path_in_repository;
use super::super::{counted, to_stderr};
use super::Fix;
use super::diff::unified;
use super::file::Done;
use phaser_core::sanitize::inert;
use phaser_core::text::starts_with_mark;
use phaser_project::path::Root;
use phaser_project::report::Report;

/// Fixes listed one by one; more are only counted.
const MAX_LISTED: usize = 50;

/// The fixed files, and how to show them.
pub struct FixSummary<'a> {
    pub args: &'a Fix,
    pub environment: &'a Environment,
    pub root: &'a Root,
    pub done: &'a [Done],
}

impl FixSummary<'_> {
    /// Writes the diff or the text.
    pub fn write(&self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        if self.args.diff { self.write_diff(out) } else { self.write_text(out, report) }
    }

    /// Prints the files that could not be fixed; with `--diff`, also the number of fixes.
    pub fn print_problems(&self) {
        let here = self.environment.here(self.root, self.args.paths.iter());
        for done in self.done {
            if let Some(problem) = &done.problem {
                to_stderr(format_args!("phaser: not fixed: {}: {}", here.path(&done.path), problem.what()));
            }
        }
        if self.args.diff && !self.args.quiet {
            let (fixes, files) = self.counts();
            to_stderr(format_args!("phaser: {fixes} in {files} would be fixed"));
        }
    }

    fn write_diff(&self, out: &mut dyn Write) -> io::Result<()> {
        let above = path_in_repository(self.root);
        for done in self.done {
            let Some((old, new)) = &done.change else { continue };
            if old.contains(&0) || (starts_with_mark(old) && std::str::from_utf8(old).is_err()) {
                to_stderr(format_args!(
                    "phaser: {}: is UTF-16, which a diff cannot represent (run 'phaser fix' without --diff)",
                    done.path
                ));
                continue;
            }
            let path = match above.as_bytes() {
                b"" => done.path.as_bytes().to_vec(),
                above => [above, b"/", done.path.as_bytes()].concat(),
            };
            let diff = unified(&path, old, new);
            if self.environment.stdout_is_terminal() {
                self.write_lines(out, &diff)?;
            } else {
                out.write_all(&diff)?;
            }
        }
        Ok(())
    }

    /// Writes a diff in colour, sanitised for a terminal.
    fn write_lines(&self, out: &mut dyn Write, diff: &[u8]) -> io::Result<()> {
        let palette = self.args.color.palette(self.environment);
        for line in String::from_utf8_lossy(diff).lines() {
            let style = match line.as_bytes() {
                [b'+', ..] => palette.good(),
                [b'-', ..] => palette.bad(),
                [b'@', ..] => palette.title(),
                _ => palette.dim(),
            };
            writeln!(out, "{style}{}{style:#}", inert(line))?;
        }
        Ok(())
    }

    fn write_text(&self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        let palette = self.args.color.palette(self.environment);
        let (bold, good, bad, dim) = (palette.bold(), palette.good(), palette.bad(), palette.dim());
        let here = self.environment.here(self.root, self.args.paths.iter());
        let count: usize = self.done.iter().map(|done| done.applied.len()).sum();
        let would = if self.args.writes() { "" } else { "would be " };
        for done in self.done {
            let path = here.path(&done.path);
            let path = path.to_text();
            let path = inert(&path);
            for fixed in done.applied.iter().filter(|_| count <= MAX_LISTED && !self.args.quiet) {
                let (line, id) = (fixed.line, &fixed.contract.id);
                writeln!(out, "{bold}{path}:{line}:{bold:#} {good}{would}fixed:{good:#} {id}")?;
            }
            for left in &done.left {
                let found = left.violation.found.as_ref();
                let line = found.map_or_else(|| "1".to_owned(), |found| found.line_place());
                let id = &left.violation.contract.id;
                writeln!(out, "{bold}{path}:{line}:{bold:#} {bad}not fixed:{bad:#} {id}")?;
                writeln!(out, "  {dim}{}{dim:#}", left.why)?;
            }
        }
        if count > 0 || self.done.iter().any(|done| !done.left.is_empty()) {
            writeln!(out)?;
        }
        let mut by_contract: BTreeMap<&str, usize> = BTreeMap::new();
        for fixed in self.done.iter().flat_map(|done| &done.applied) {
            *by_contract.entry(&fixed.contract.id).or_default() += 1;
        }
        let mut by_contract: Vec<_> = by_contract.into_iter().collect();
        by_contract.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        for (id, count) in by_contract {
            writeln!(out, "{count:>6}  {id}")?;
        }
        let (fixes, files) = self.counts();
        writeln!(out, "{fixes} in {files} {would}fixed")?;
        if self.args.writes() { writeln!(out, "left: {}", report.summary()) } else { Ok(()) }
    }

    /// The numbers of fixes and of files with fixes, with their nouns.
    fn counts(&self) -> (String, String) {
        let fixes: usize = self.done.iter().map(|done| done.applied.len()).sum();
        let files = self.done.iter().filter(|done| !done.applied.is_empty()).count();
        (counted(fixes, "violation"), counted(files, "file"))
    }
}
