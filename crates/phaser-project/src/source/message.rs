//! Commit messages as targets.
//!
//! A message is checked as git stores it: without comment lines, without everything below the scissors line, and
//! without blank lines at its end.

use crate::path::RelPath;

use super::{Content, Target};

/// The rest of the line below which git drops everything, after the comment prefix and a blank.
const SCISSORS: &[u8] = b"------------------------ >8 ------------------------";

/// The comment prefix without a configuration.
pub const COMMENT_PREFIX: &str = "#";

/// The target for a message shown as `path`, of a commit that changes the files `touched`.
pub fn target(path: RelPath, message: Vec<u8>, touched: Vec<RelPath>) -> Target {
    Target { touched: Some(touched), ..Target::new(path, Content::Bytes(message)) }
}

/// The message as git would store it. `comment` starts a comment line.
pub fn cleaned(message: &[u8], comment: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = Vec::new();
    for line in message.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(comment) {
            Some(rest) if rest.trim_ascii() == SCISSORS => break,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    while lines.last().is_some_and(|line| line.trim_ascii().is_empty()) {
        lines.pop();
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_git_drops() {
        let scissors = "# ------------------------ >8 ------------------------\n";
        for (message, comment, expected) in [
            ("a\n\nb\n# c\n\n", "#", "a\n\nb\n"),
            ("a", "#", "a"),
            ("# only\n\n", "#", ""),
            ("a # b\n #c\n", "#", "a # b\n #c\n"),
            ("#1 a\n; c\n", ";", "#1 a\n"),
            ("a\n// c\nb\n", "//", "a\nb\n"),
            (&format!("a\n{scissors}diff --git\n+x\n"), "#", "a\n"),
            ("a\r\n# c\r\n", "#", "a\r\n"),
        ] {
            assert_eq!(String::from_utf8_lossy(&cleaned(message.as_bytes(), comment.as_bytes())), expected);
        }
    }
}
