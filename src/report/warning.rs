//! Warnings about contract files as text: position, problem, and carets under the excerpt.

use std::io::{self, Write};

use super::palette::Palette;
use phaser_core::contract::Warning;
use phaser_core::sanitize::inert;

/// Writes a warning, with its excerpt if it has one.
pub fn write(out: &mut dyn Write, warning: &Warning, palette: Palette) -> io::Result<()> {
    let (bold, bad) = (palette.bold(), palette.bad());
    let line = warning.to_string();
    let place = inert(&line[..line.len() - warning.what.len()]);
    let shown = inert(&line);
    match shown.strip_prefix(&*place) {
        Some(what) => writeln!(out, "{bold}{place}{bold:#}{what}")?,
        None => writeln!(out, "{shown}")?,
    }
    if let Some([text, signs]) = &warning.excerpt {
        writeln!(out, "    {}\n    {bad}{signs}{bad:#}", inert(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::palette::Colour;
    use super::*;

    fn written(warning: &Warning, palette: Palette) -> String {
        let mut out = Vec::new();
        write(&mut out, warning, palette).expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn plain_warning_equals_its_lines() {
        let plain = Warning::at("a.yaml".as_ref(), 3, "wrong");
        for warning in [
            plain.clone().pointing("x(", Some(1..2)),
            plain,
            Warning::about("::a\u{1}".as_ref(), "\u{1b}[1m"),
        ] {
            let lines: String = warning.lines().map(|line| format!("{}\n", inert(&line))).collect();
            assert_eq!(written(&warning, Palette::PLAIN), lines);
        }
    }

    #[test]
    fn styles_position_and_carets() {
        let warning = Warning::at("a.yaml".as_ref(), 3, "wrong").pointing("x(", Some(1..2));
        let shown = written(&warning, Palette::new(Colour::On)).replace('\u{1b}', "^[");
        insta::assert_snapshot!(shown, @r#"
        ^[[1ma.yaml:3: ^[[0mwrong
            x(
            ^[[1m^[[91m ^^[[0m
        "#);
    }
}
