//! Embeds phaser: checks the project in the current directory and prints the open violations.

use std::io::Write;

use phaser::{Project, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let report = Project::builder(".").packs(["secrets"]).build()?.check(&Source::Tree(None))?;
    let mut out = std::io::stdout().lock();
    for violation in report.open() {
        let line = violation.found.as_ref().map_or(1, |found| found.region.start.line);
        writeln!(out, "{}:{line}: {}", violation.path, violation.contract.message)?;
    }
    writeln!(out, "{}", report.summary())?;
    Ok(())
}
