//! The command line of a hook: its program, and whether phaser installed it.

/// Shell code around a command that prints `{}` where phaser is not on the PATH, and otherwise returns phaser's exit code.
/// Works in every POSIX shell: `hash` finds a program without output, `exec` replaces the shell.
const FRAME: [&str; 2] = ["hash phaser && exec ", "; echo {}"];

/// Shell code for agents that read no response and deny on exit code 2: exit code 2 for a denial, otherwise 0.
const DENYING_FRAME: [&str; 2] = [
    "hash phaser && answer=$(",
    r#") && case $answer in '{"deny":'*) echo "$answer" >&2; exit 2;; esac; exit 0"#,
];

/// `command` in the frame that turns a denial into exit code 2.
pub fn framed_to_deny(command: &str) -> String {
    let [before, after] = DENYING_FRAME;
    format!("{before}{command}{after}")
}

/// `command` in the frame that prints `{}` without phaser on the PATH.
pub fn framed(command: &str) -> String {
    let [before, after] = FRAME;
    format!("{before}{command}{after}")
}

/// `command` without its frame.
pub fn unframed(command: &str) -> &str {
    let command = command.trim();
    let within = |[before, after]: [&str; 2]| command.strip_prefix(before)?.strip_suffix(after);
    [FRAME, DENYING_FRAME].into_iter().find_map(within).unwrap_or(command)
}

/// Whether the command runs `phaser enforce --stdin`, in the spelling of any version, and nothing else.
///
/// Other shell code than phaser's frame, as in `phaser enforce --stdin || true`, makes it a user's own command.
pub fn is_own(command: &str) -> bool {
    let (program, arguments) = split_program(command);
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut words = arguments.split_whitespace();
    matches!(name, "phaser" | "phaser.exe")
        && !arguments.contains([';', '&', '|', '<', '>', '$', '`', '(', '\n', '#'])
        && words.next() == Some("enforce")
        && words.any(|word| word == "--stdin")
}

/// Splits a command into its program, without quotes, and the arguments.
pub fn split_program(command: &str) -> (String, &str) {
    let command = unframed(command);
    let mut quote = None;
    let end = command.find(|c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => return quote.is_none() && c.is_whitespace(),
        }
        false
    });
    let (program, arguments) = command.split_at(end.unwrap_or(command.len()));
    (program.replace(['"', '\''], ""), arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_every_spelling() {
        for command in [
            "phaser enforce --stdin --severity error",
            "phaser enforce --stdin --severity error --on-clean defer",
            "phaser enforce check --stdin",
            "phaser enforce --severity warning --stdin",
            "  /usr/local/bin/phaser   enforce --stdin ",
            "\"/opt/my tools/phaser\" enforce --stdin",
            "\"$CLAUDE_PROJECT_DIR\"/bin/phaser enforce --stdin",
            r"C:\tools\phaser.exe enforce --stdin",
            "hash phaser && exec phaser enforce --stdin --guard; echo {}",
        ] {
            assert!(is_own(command), "{command}");
        }
    }

    #[test]
    fn rejects_other_commands() {
        for command in [
            "",
            "phaser",
            "phaser enforce --all",
            "phaser contracts check --stdin",
            "phaser-wrapper enforce --stdin",
            "my phaser enforce --stdin",
            "phaser enforce --stdin || true",
            "phaser enforce --stdin; rm -rf x",
            "phaser enforce --stdin > log",
            "timeout 5 phaser enforce --stdin",
            "echo phaser enforce --stdin",
            "phaser enforce --stdinx",
            "\"phaser enforce --stdin",
            "hash phaser && exec phaser enforce --stdin; rm x; echo {}",
            "hash phaser && exec phaser enforce --stdin --guard",
            "hash phaser && exec other --stdin; echo {}",
        ] {
            assert!(!is_own(command), "{command}");
        }
    }

    #[test]
    fn splits_program_from_arguments() {
        assert_eq!(split_program(" a b c "), ("a".into(), " b c"));
        assert_eq!(split_program("'/x y'/z -q"), ("/x y/z".into(), " -q"));
        assert_eq!(split_program("alone"), ("alone".into(), ""));
        assert_eq!(split_program(&framed("phaser a")), ("phaser".into(), " a"));
        assert_eq!(split_program(&framed_to_deny("phaser a")), ("phaser".into(), " a"));
    }
}
