//! Questions to the user. `?` as an answer explains the question; the end of the input ends the dialogue.

use std::io::{self, BufRead, Write};

use anyhow::Context;

use phaser_core::sanitize::inert;

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    pub text: &'q str,
    /// Printed for the answer `?`.
    pub help: &'q str,
}

/// The default answer of a yes/no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnEnter {
    Yes,
    No,
}

/// Asks questions on any reader and writer.
pub struct Prompt<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

impl<'a> Prompt<'a> {
    pub fn new(input: &'a mut dyn BufRead, output: &'a mut dyn Write) -> Self {
        Self { input, output }
    }

    /// Prints on the terminal that the questions are on.
    pub fn print(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        write(self.output).and_then(|()| self.output.flush()).context("cannot write to the terminal")
    }

    /// Asks a yes/no question. End of input means no.
    pub fn confirm(&mut self, question: Question<'_>, on_enter: OnEnter) -> anyhow::Result<bool> {
        let choices = match on_enter {
            OnEnter::Yes => "[Y/n/?]",
            OnEnter::No => "[y/N/?]",
        };
        loop {
            let Some(answer) = self.ask(question, &format!("{} {choices} ", question.text))? else {
                return Ok(false);
            };
            match answer.trim().to_ascii_lowercase().as_str() {
                "" => return Ok(on_enter == OnEnter::Yes),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.print(|out| writeln!(out, "  Answer y or n, or ? for an explanation."))?,
            }
        }
    }

    /// Asks for a line of text; `Enter` gives the default. `None` at the end of the input.
    pub fn line(&mut self, question: Question<'_>, default: Option<&str>) -> anyhow::Result<Option<String>> {
        let shown = match default {
            Some(default) => format!("{} [{}]: ", question.text, inert(default)),
            None => format!("{}: ", question.text),
        };
        loop {
            match (self.ask(question, &shown)?, default) {
                (None, _) => return Ok(None),
                (Some(answer), Some(default)) if answer.trim().is_empty() => {
                    return Ok(Some(default.to_owned()));
                }
                (Some(answer), None) if answer.trim().is_empty() => {
                    self.print(|out| writeln!(out, "  An answer is needed; ? explains the question."))?;
                }
                (Some(answer), _) => return Ok(Some(answer)),
            }
        }
    }

    /// The next answer other than `?`, without its line end; `None` at the end of the input.
    fn ask(&mut self, question: Question<'_>, shown: &str) -> anyhow::Result<Option<String>> {
        loop {
            self.print(|out| write!(out, "{shown}"))?;
            let mut answer = String::new();
            if self.input.read_line(&mut answer).context("cannot read stdin")? == 0 {
                self.print(|out| writeln!(out))?;
                return Ok(None);
            }
            if answer.trim() != "?" {
                return Ok(Some(answer.trim_end_matches(['\r', '\n']).to_owned()));
            }
            self.print(|out| question.help.lines().try_for_each(|line| writeln!(out, "  {line}")))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Question<'_> = Question { text: "Colour", help: "Any colour." };

    fn with<T>(typed: &str, ask: impl FnOnce(&mut Prompt<'_>) -> anyhow::Result<T>) -> (T, String) {
        let (mut input, mut output) = (typed.as_bytes(), Vec::new());
        let answer = ask(&mut Prompt::new(&mut input, &mut output)).expect("answered");
        (answer, String::from_utf8(output).expect("text"))
    }

    #[test]
    fn confirms_by_letter_word_or_default() {
        for (typed, on_enter, expected) in [
            ("y\n", OnEnter::No, true),
            ("YES\r\n", OnEnter::No, true),
            ("\n", OnEnter::Yes, true),
            ("\n", OnEnter::No, false),
            ("n\n", OnEnter::Yes, false),
            ("", OnEnter::Yes, false),
            ("maybe\ny\n", OnEnter::No, true),
        ] {
            assert_eq!(with(typed, |prompt| prompt.confirm(QUESTION, on_enter)).0, expected, "{typed:?}");
        }
    }

    #[test]
    fn question_mark_explains_and_asks_again() {
        let (answer, shown) = with("?\nred\n", |prompt| prompt.line(QUESTION, None));
        assert_eq!(answer.as_deref(), Some("red"));
        assert_eq!(shown, "Colour:   Any colour.\nColour: ");
    }

    #[test]
    fn line_keeps_spaces_and_takes_default() {
        assert_eq!(with("  x \n", |prompt| prompt.line(QUESTION, None)).0.as_deref(), Some("  x "));
        assert_eq!(with("\n", |prompt| prompt.line(QUESTION, Some("blue"))).0.as_deref(), Some("blue"));
        assert_eq!(with("\nred\n", |prompt| prompt.line(QUESTION, None)).0.as_deref(), Some("red"));
        assert_eq!(with("", |prompt| prompt.line(QUESTION, Some("blue"))).0, None);
    }
}
