//! What `phaser fix` says: a diff, or what was fixed and what is left.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use super::super::environment::Environment;
use super::super::say;
use super::Fix;
use super::diff::unified;
use super::file::Done;
use crate::report::here::Here;
use phaser_core::sanitize::inert;
use phaser_core::text::starts_with_mark;
use phaser_project::path::{RelPath, Root};
use phaser_project::report::Report;

/// So many fixes are shown one by one.
const MOST: usize = 50;

/// What there is to say.
pub struct Said<'a> {
    /// What was asked for.
    pub args: &'a Fix,
    /// Where phaser runs.
    pub environment: &'a Environment,
    /// The project.
    pub root: &'a Root,
    /// What became of files.
    pub done: &'a [Done],
}

/// Says what is wrong with contract files, and what was not checked.
pub fn gaps(report: &Report) {
    for warning in &report.warnings {
        warning.lines().for_each(say);
    }
    for skipped in report.gaps() {
        say(format_args!("phaser: not checked: {}: {}", skipped.path, skipped.why));
    }
}

impl Said<'_> {
    /// Writes the report to standard output.
    pub fn write(&self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        if self.args.diff { self.write_diff(out) } else { self.write_text(out, report) }
    }

    /// Says on standard error which files were left as they are, and what a diff would do.
    pub fn problems(&self) {
        let here = self.here();
        for done in self.done {
            if let Some(problem) = &done.problem {
                say(format_args!("phaser: not fixed: {}: {}", here.path(&done.path), problem.what()));
            }
        }
        if self.args.diff && !self.args.quiet {
            let (fixes, files) = self.counts();
            say(format_args!("phaser: {fixes} in {files} would be fixed"));
        }
    }

    fn write_diff(&self, out: &mut dyn Write) -> io::Result<()> {
        let above = above(self.root.path());
        for done in self.done {
            let Some((old, new)) = &done.change else { continue };
            if old.contains(&0) || (starts_with_mark(old) && std::str::from_utf8(old).is_err()) {
                say(format_args!("phaser: {}: is UTF-16, which a diff cannot show", done.path));
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

    /// A diff for the eyes of a person: nothing in it acts on a terminal.
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
        let here = self.here();
        let count: usize = self.done.iter().map(|done| done.applied.len()).sum();
        for done in self.done {
            let path = here.path(&done.path);
            let path = path.to_text();
            let path = inert(&path);
            for fixed in done.applied.iter().filter(|_| count <= MOST && !self.args.quiet) {
                let (line, id) = (fixed.line, &fixed.contract.id);
                writeln!(out, "{bold}{path}:{line}:{bold:#} {good}fixed:{good:#} {id}")?;
            }
            for left in &done.left {
                let line = left.violation.found.as_ref().map_or(1, |found| found.region.start.line);
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
        writeln!(out, "{fixes} in {files} fixed")?;
        writeln!(out, "left: {}", report.summary())
    }

    /// How many violations were fixed, and in how many files.
    fn counts(&self) -> (String, String) {
        let fixes: usize = self.done.iter().map(|done| done.applied.len()).sum();
        let files = self.done.iter().filter(|done| !done.applied.is_empty()).count();
        (counted(fixes, "violation"), counted(files, "file"))
    }

    /// Where the current directory lies in the project.
    fn here(&self) -> Here {
        let cwd = &self.environment.cwd;
        if !self.root.contains(cwd) {
            return Here::default();
        }
        let given = self.args.paths.iter().map(|path| cwd.join(path));
        let outside = given.filter(|path| !self.root.contains(path)).map(|path| self.root.relative(&path));
        Here::new(&self.root.relative(cwd), outside.collect())
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The way from the top of the repository to the project: paths of a diff start at the top.
fn above(root: &Path) -> RelPath {
    let repository = root.ancestors().find(|directory| directory.join(".git").exists());
    let inside = repository.and_then(|repository| root.strip_prefix(repository).ok());
    inside.map_or_else(|| RelPath::from(""), RelPath::from_native)
}
