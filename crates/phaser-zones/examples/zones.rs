//! Prints the zones of files: for each path on stdin (one a line) a line with the language, a tab, and the lengths of its
//! zones, each after its letter (`.` code, `c` comment, `s` string). `scripts/zones-oracle` reads it.

use std::io::{self, BufRead as _, Write as _};

use phaser_zones::{Language, Zone, Zones};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in io::stdin().lock().lines() {
        list(&path?, &mut out)?;
        out.flush()?;
    }
    Ok(())
}

fn list(path: &str, out: &mut impl io::Write) -> io::Result<()> {
    let text = std::fs::read(path)?;
    let Some(language) = Language::of(path.as_bytes(), &text) else { return writeln!(out, "unknown\t") };
    write!(out, "{}\t", language.name())?;
    for (range, zone) in Zones::in_language(language, &text).iter() {
        let letter = match zone {
            Zone::Code => '.',
            Zone::Comment => 'c',
            Zone::String => 's',
        };
        write!(out, "{letter}{}", range.len())?;
    }
    writeln!(out)
}
