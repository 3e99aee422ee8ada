//! Warnings about contract files as text: position, problem, and carets under the excerpt.

use std::io::{self, Write};

use super::palette::Palette;
use super::wrap::wrap;
use phaser_core::contract::Warning;
use phaser_core::sanitize::inert;

/// Indentation of an excerpt and of wrapped lines.
const INDENT: &str = "    ";

/// Writes a warning, wrapped at `width`, with its excerpt if it has one.
pub fn write(
    out: &mut dyn Write,
    warning: &Warning,
    width: Option<usize>,
    palette: Palette,
) -> io::Result<()> {
    let (bold, bad) = (palette.bold(), palette.bad());
    let line = warning.to_string();
    let place = inert(&line[..line.len() - warning.what.len()]);
    let shown = inert(&line);
    let mut lines = wrap(&shown, width.map(|width| width.saturating_sub(INDENT.len()))).into_iter();
    let first = lines.next().unwrap_or_default();
    match first.strip_prefix(&*place) {
        Some(what) => writeln!(out, "{bold}{place}{bold:#}{what}")?,
        None => writeln!(out, "{first}")?,
    }
    lines.try_for_each(|line| writeln!(out, "{INDENT}{line}"))?;
    if let Some([text, signs]) = &warning.excerpt {
        writeln!(out, "{INDENT}{}\n{INDENT}{bad}{signs}{bad:#}", inert(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::palette::Colour;
    use super::*;

    fn written(warning: &Warning, palette: Palette) -> String {
        let mut out = Vec::new();
        write(&mut out, warning, None, palette).expect("written");
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
    fn wraps_between_words() {
        let mut out = Vec::new();
        let warning = Warning::at("a.yaml".as_ref(), 3, "several words in one line");
        write(&mut out, &warning, Some(26), Palette::PLAIN).expect("written");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), "a.yaml:3: several\n    words in one line\n");
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
