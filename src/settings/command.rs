//! The command of a hook: which program it starts, and whether it is one that phaser installs.

/// Does the command run `phaser enforce --stdin`, in any spelling there ever was, and nothing else?
///
/// What needs a shell, such as `phaser enforce --stdin || true`, is somebody's own work.
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
    let command = command.trim();
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
        ] {
            assert!(!is_own(command), "{command}");
        }
    }

    #[test]
    fn a_program_is_told_from_its_arguments() {
        assert_eq!(split_program(" a b c "), ("a".into(), " b c"));
        assert_eq!(split_program("'/x y'/z -q"), ("/x y/z".into(), " -q"));
        assert_eq!(split_program("alone"), ("alone".into(), ""));
    }
}
