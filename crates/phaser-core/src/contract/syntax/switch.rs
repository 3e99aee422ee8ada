//! Switching a contract on or off in the text of its file, without touching any other byte of it.

use super::{parse, yaml};
use crate::contract::{Contract, Origin, Warning};

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The contract counts.
    On,
    /// It does not.
    Off,
}

impl Switch {
    /// What has become of a contract that was switched.
    pub fn done(self) -> &'static str {
        match self {
            Self::On => "Enabled",
            Self::Off => "Disabled",
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::On => "true",
            Self::Off => "false",
        }
    }
}

/// The text of a contract file with its contract switched. Only the value of `enabled` changes; where there is none, a line
/// is added at the end. Without a safe way to do that, the warning says so.
pub fn switched(text: &str, origin: &Origin, to: Switch) -> Result<String, Vec<Warning>> {
    let before = parse(text, origin.clone())?;
    let enabled = to == Switch::On;
    if before.enabled == enabled {
        return Ok(text.to_owned());
    }
    let edited = match yaml::place_of_flag(text, "enabled") {
        Some(range) => format!("{}{}{}", &text[..range.start], to.as_str(), &text[range.end..]),
        None => appended(text, to),
    };
    let expected = Contract { enabled, ..before };
    match parse(&edited, origin.clone()) {
        Ok(after) if after == expected => Ok(edited),
        _ => {
            let what = format!("cannot be edited safely (write 'enabled: {}' in it by hand)", to.as_str());
            Err(vec![Warning::about(&origin.file, what)])
        }
    }
}

fn appended(yaml: &str, to: Switch) -> String {
    let newline = if yaml.contains("\r\n") { "\r\n" } else { "\n" };
    let end = if yaml.ends_with('\n') { "" } else { newline };
    format!("{yaml}{end}enabled: {}{newline}", to.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::LayerKind;

    const HEAD: &str = "rule_id: a # é\ntype: file_exists\nfile_glob: x\nmessage: m\nseverity: error\n";

    fn origin() -> Origin {
        Origin { layer: LayerKind::Project, file: "a.yaml".into() }
    }

    fn off(yaml: &str) -> String {
        switched(yaml, &origin(), Switch::Off).expect("can be edited")
    }

    #[test]
    fn only_the_value_changes() {
        for value in ["true", "yes", "on", "True", "  true  # why", "!!bool true", "\n  true"] {
            let yaml = format!("# top\n{HEAD}enabled: {value}\nrationale: 'true'\n");
            let word = ["true", "yes", "on", "True"].into_iter().find(|word| value.contains(word));
            let place = yaml.rfind(&format!("{value}\nrationale")).expect("is there");
            let at = place + value.find(word.expect("is there")).expect("is there");
            let expected = format!("{}false{}", &yaml[..at], &yaml[at + word.map_or(0, str::len)..]);
            assert_eq!(off(&yaml), expected);
        }
    }

    #[test]
    fn there_and_back_gives_the_same_bytes() {
        let crlf = HEAD.replace('\n', "\r\n");
        for yaml in [format!("\u{FEFF}{HEAD}enabled: true"), format!("{crlf}enabled: true\r\n")] {
            let back = switched(&off(&yaml), &origin(), Switch::On).expect("can be edited");
            assert_eq!(back, yaml);
        }
    }

    #[test]
    fn without_a_value_a_line_is_added() {
        assert_eq!(off(HEAD), format!("{HEAD}enabled: false\n"));
        assert_eq!(off(HEAD.trim_end()), format!("{HEAD}enabled: false\n"));
        let crlf = HEAD.replace('\n', "\r\n");
        assert_eq!(off(&crlf), format!("{crlf}enabled: false\r\n"));
        let block = format!("{HEAD}rationale: |+\n  because\n\n");
        assert_eq!(off(&block), format!("{block}enabled: false\n"));
    }

    #[test]
    fn a_contract_that_is_so_already_is_left_alone() {
        let yaml = format!("{HEAD}enabled: no\n");
        assert_eq!(off(&yaml), yaml);
        assert_eq!(switched(HEAD, &origin(), Switch::On).expect("is valid"), HEAD);
    }

    #[test]
    fn the_nested_form_has_its_switch_at_the_top() {
        let yaml = "rule:\n  id: a\n  type: file_exists\n  file_glob: x\n  message: m\n  severity: error\n";
        assert_eq!(off(yaml), format!("{yaml}enabled: false\n"));
    }

    #[test]
    fn what_cannot_be_edited_safely_is_refused() {
        let flow = "{rule_id: a, type: file_exists, file_glob: x, message: m, severity: error}\n";
        let ended = format!("{HEAD}...\n");
        let empty = format!("{HEAD}enabled:\n");
        for yaml in [flow, &ended, &empty] {
            let warnings = switched(yaml, &origin(), Switch::Off).expect_err("is refused");
            assert!(warnings[0].what.contains("enabled: false"), "{warnings:?}");
        }
        assert!(switched("rule_id: [", &origin(), Switch::Off).is_err());
    }
}
