//! The command of a hook: which program it starts, and whether it is one that phaser installs.

/// What stands around a command that answers `{}` where no phaser is on the PATH, and otherwise passes phaser's exit code
/// on, in every POSIX shell. `hash` finds a program and prints nothing; `exec` leaves no shell behind.
const FRAME: [&str; 2] = ["hash phaser && exec ", "; echo {}"];

/// The same for clients that read no answer, and refuse what a hook ends with exit code 2 for: a refusal becomes that, and
/// nothing else does.
const FRAME_THAT_REFUSES: [&str; 2] = [
    "hash phaser && answer=$(",
    r#") && case $answer in '{"deny":'*) echo "$answer" >&2; exit 2;; esac; exit 0"#,
];

/// A command of phaser's that ends with exit code 2 where phaser refuses something, and otherwise with 0.
pub fn framed_to_refuse(command: &str) -> String {
    let [before, after] = FRAME_THAT_REFUSES;
    format!("{before}{command}{after}")
}

/// A command of phaser's that answers `{}` where there is no phaser.
pub fn framed(command: &str) -> String {
    let [before, after] = FRAME;
    format!("{before}{command}{after}")
}

/// The command in the frame, or the command itself where there is none.
pub fn unframed(command: &str) -> &str {
    let command = command.trim();
    let within = |[before, after]: [&str; 2]| command.strip_prefix(before)?.strip_suffix(after);
    [FRAME, FRAME_THAT_REFUSES].into_iter().find_map(within).unwrap_or(command)
}

/// Does the command run `phaser enforce --stdin`, in any spelling there ever was, and nothing else?
///
/// What needs a shell, such as `phaser enforce --stdin || true`, is somebody's own work; but for the frame that phaser
/// itself writes.
pub fn is_own(command: &str) -> bool {
    let (program, arguments) = split_program(command);
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut words = arguments.split_whitespace();
    matches!(name, "phaser" | "phaser.exe")
        && !arguments.contains([';', '&', '|', '<', '>', '$', '`', '(', '\n', '#'])
        && words.next() == Some("enforce")
        && words.any(|word| word == "--stdin")
}

/// The program that a command starts, without its quotes, and what comes after it.
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
    fn every_spelling_of_the_hook_is_known() {
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
    fn other_commands_are_not_phasers() {
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
    fn a_program_is_told_from_its_arguments() {
        assert_eq!(split_program(" a b c "), ("a".into(), " b c"));
        assert_eq!(split_program("'/x y'/z -q"), ("/x y/z".into(), " -q"));
        assert_eq!(split_program("alone"), ("alone".into(), ""));
        assert_eq!(split_program(&framed("phaser a")), ("phaser".into(), " a"));
        assert_eq!(split_program(&framed_to_refuse("phaser a")), ("phaser".into(), " a"));
    }
}
