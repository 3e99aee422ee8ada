//! `phaser contracts export`: the contracts as a section of a Markdown file, for agents without hooks.
//!
//! Two marker lines delimit the section. Nothing else in the file changes.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::{LoadedProject, Where, print_broken};
use crate::briefing::markdown;
use crate::cli::environment::Environment;
use crate::cli::install::{print_preview, show};
use crate::cli::output::print;
use crate::cli::project::{extra, print_warnings};
use crate::cli::to_stderr;
use crate::exit::Exit;
use phaser_core::contract::{Contract, Severity};
use phaser_project::atomic_write;
use phaser_project::path::real_path;
use phaser_project::project::load::Extra;

const BEGIN: &str = "<!-- phaser:contracts:begin -->";
const END: &str = "<!-- phaser:contracts:end -->";

/// The file that most agents read.
const AGENTS: &str = "AGENTS.md";

#[derive(Debug, Args)]
pub struct Export {
    /// Write into AGENTS.md, between two markers; the rest stays
    #[arg(long)]
    agents_md: bool,

    /// Write into this file instead, such as CLAUDE.md
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write nothing; exit with 1 if the file is out of date
    #[arg(long)]
    check: bool,

    /// Print the new file and write nothing
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,

    #[command(flatten)]
    place: Where,
}

pub fn run(args: &Export, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.project(environment)?;
    print_warnings(&project.loaded.warnings);
    print_broken(project.contracts());
    let path = match &args.output {
        Some(output) => environment.cwd.join(output),
        None => project.root.path().join(AGENTS),
    };
    let section = section(&Contract::all_with_overrides(project.loaded.contracts));
    if !args.agents_md && args.output.is_none() && !args.check {
        print(&section)?;
        return Ok(Exit::Clean);
    }
    let shown = show(&path, environment);
    let before = read(&path)?;
    let after = with_section(&before, &section).map_err(|refused| anyhow::anyhow!("{shown}:{refused}"))?;
    if before == after {
        print(&format!("{shown} is up to date.\n"))?;
    } else if args.check {
        to_stderr(format_args!(
            "phaser: {shown} is out of date: run 'phaser contracts export --agents-md{}'",
            args.named()
        ));
        return Ok(Exit::Violations);
    } else if args.dry_run {
        print_preview(&shown, &after)?;
    } else {
        let cannot = || format!("{shown} cannot be written, and is as it was");
        atomic_write::write(&real_path(&path), after.as_bytes()).with_context(cannot)?;
        print(&format!("The contracts are in {shown}.\n"))?;
    }
    Ok(Exit::Clean)
}

impl Export {
    /// The project without the user's own contracts: the file is shared.
    fn project(&self, environment: &Environment) -> anyhow::Result<LoadedProject> {
        let Where { contracts_dir, packs, .. } = &self.place;
        let extra = extra(contracts_dir.as_deref(), packs, environment)?;
        LoadedProject::load(self.place.root(environment)?, Extra { user: None, ..extra }, environment)
    }

    /// The argument that names the file.
    fn named(&self) -> String {
        self.output.as_ref().map(|output| format!(" --output {}", output.display())).unwrap_or_default()
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => bail!("{}: not UTF-8; save it as UTF-8 and try again", path.display()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// The section with its markers.
fn section(contracts: &[Contract]) -> String {
    let mut text = format!(
        "{BEGIN}\n## Contracts\n\nRules of this project, each with the files it is about. `phaser enforce --all` checks them, \
         `phaser explain ID` explains one.\n`phaser contracts export` writes this section: change the contracts, not the text \
         here.\n"
    );
    let lists = markdown(contracts);
    if lists.own.is_empty() && lists.packs.is_empty() {
        text.push_str("\nThere are none yet.\n");
    }
    for (severity, lines) in lists.own {
        let title = match severity {
            Severity::Error => "Errors: what violates one is refused",
            Severity::Warning => "Warnings",
        };
        text.push_str(&format!("\n### {title}\n\n{}\n", lines.join("\n")));
    }
    if !lists.packs.is_empty() {
        let packs = lists.packs.join("\n");
        text.push_str(&format!(
            "\n### Packs\n\n`phaser contracts packs NAME` lists the contracts of one.\n\n{packs}\n"
        ));
    }
    text.push_str(&format!("{END}\n"));
    text
}

/// `text` with its section replaced, or with a section added at the end. An error names the line of a misplaced marker.
fn with_section(text: &str, section: &str) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let section = section.replace('\n', newline);
    let markers = markers(text);
    match markers.as_slice() {
        [] => {
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => newline,
                _ => &newline.repeat(2),
            };
            Ok(format!("{text}{gap}{section}"))
        }
        [begin, end] if begin.text == BEGIN && end.text == END => {
            let new = section.trim_end_matches(newline);
            Ok(format!("{}{new}{}", &text[..begin.start], &text[end.end..]))
        }
        [.., wrong] => Err(format!(
            "{}: the markers of the contracts should be one '{BEGIN}' and one '{END}' after it; fix or remove them",
            wrong.line
        )),
    }
}

/// Whether a line is a marker.
struct SectionMarker<'t> {
    text: &'t str,
    line: usize,
    start: usize,
    end: usize,
}

fn markers(text: &str) -> Vec<SectionMarker<'_>> {
    let (mut markers, mut start) = (Vec::new(), 0);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let marker = line.trim_start_matches('\u{feff}').trim();
        if marker == BEGIN || marker == END {
            let offset = start + (line.len() - line.trim_start_matches(['\u{feff}', ' ', '\t']).len());
            markers.push(SectionMarker {
                text: marker,
                line: at + 1,
                start: offset,
                end: offset + marker.len(),
            });
        }
        start += line.len();
    }
    markers
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "<!-- phaser:contracts:begin -->\nnew\n<!-- phaser:contracts:end -->\n";

    #[test]
    fn a_section_is_added_at_the_end() {
        let with = |text: &str| with_section(text, SECTION).expect("is added");
        assert_eq!(with(""), SECTION);
        assert_eq!(with("# A\n"), format!("# A\n\n{SECTION}"));
        assert_eq!(with("# A"), format!("# A\n\n{SECTION}"));
        assert_eq!(with("# A\r\n"), format!("# A\r\n\r\n{}", SECTION.replace('\n', "\r\n")));
    }

    #[test]
    fn replaces_existing_section() {
        let old =
            "\u{feff}# A \n<!-- phaser:contracts:begin -->\nold\n\n<!-- phaser:contracts:end --> \t\n\nb";
        let new = with_section(old, SECTION).expect("is replaced");
        assert_eq!(
            new,
            "\u{feff}# A \n<!-- phaser:contracts:begin -->\nnew\n<!-- phaser:contracts:end --> \t\n\nb"
        );
        assert_eq!(with_section(&new, SECTION), Ok(new.clone()));
        let first = "\u{feff}<!-- phaser:contracts:begin -->\r\n  <!-- phaser:contracts:end -->";
        let new = with_section(first, SECTION).expect("is replaced");
        assert_eq!(new, format!("\u{feff}{}", SECTION.trim_end().replace('\n', "\r\n")));
    }

    #[test]
    fn unpaired_marker_is_reported_with_line() {
        for (text, line) in [
            (format!("a\n{BEGIN}\nb"), 2),
            (format!("{END}\n{BEGIN}\n"), 2),
            (format!("{BEGIN}\n{END}\n{END}\n"), 3),
            (format!("{BEGIN}\n{BEGIN}\n{END}\n"), 3),
        ] {
            let refused = with_section(&text, SECTION).expect_err(&text);
            assert!(refused.starts_with(&format!("{line}: the markers")), "{refused}");
        }
    }

    #[test]
    fn a_marker_within_a_line_is_text() {
        let text = format!("see {BEGIN} and {END}\n");
        assert_eq!(with_section(&text, SECTION), Ok(format!("{text}\n{SECTION}")));
    }
}
