//! Prints the zones of files: for each path on stdin (one a line) a line with the language, a tab, and the lengths of its
//! zones, each after its letter (`.` code, `c` comment, `s` string). `scripts/zones-oracle` reads it.
//!
//! With arguments it shows these files instead, each line above a line of letters.

use std::io::{self, BufRead as _, Write as _};

use phaser::internals::zones::{Language, Zone, Zones};

fn main() -> io::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in &paths {
        show(path, &mut out)?;
    }
    if paths.is_empty() {
        for path in io::stdin().lock().lines() {
            list(&path?, &mut out)?;
            out.flush()?;
        }
    }
    out.flush()
}

fn list(path: &str, out: &mut impl io::Write) -> io::Result<()> {
    let text = std::fs::read(path)?;
    let Some(language) = Language::of(path.as_bytes(), &text) else { return writeln!(out, "unknown\t") };
    write!(out, "{}\t", language.name())?;
    for (range, zone) in Zones::in_language(language, &text).iter() {
        write!(out, "{}{}", letter(zone), range.len())?;
    }
    writeln!(out)
}

fn show(path: &str, out: &mut impl io::Write) -> io::Result<()> {
    let text = std::fs::read(path)?;
    let Some(zones) = Zones::of(path.as_bytes(), &text) else {
        return writeln!(out, "{path}: unknown language");
    };
    let mut offset = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let letters: String = (offset..offset + line.len()).map(|at| letter(zones.at(at))).collect();
        out.write_all(line.strip_suffix(b"\n").unwrap_or(line))?;
        writeln!(out, "\n{letters}")?;
        offset += line.len();
    }
    Ok(())
}

fn letter(zone: Zone) -> char {
    match zone {
        Zone::Code => '.',
        Zone::Comment => 'c',
        Zone::String => 's',
    }
}
