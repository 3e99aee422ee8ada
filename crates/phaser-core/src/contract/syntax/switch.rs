//! Enables or disables a contract in the text of its file, without changing any other byte.

use super::{parse, yaml};
use crate::contract::{Contract, Origin, Warning};

/// The new value of `enabled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

impl Switch {
    /// The past participle for reports.
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

/// The text of a contract file with `enabled` set. Only its value changes; without one, a line is added at the end. A
/// warning if the result would not parse to the same contract.
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
    fn round_trip_keeps_bytes() {
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
    fn keeps_text_if_already_set() {
        let yaml = format!("{HEAD}enabled: no\n");
        assert_eq!(off(&yaml), yaml);
        assert_eq!(switched(HEAD, &origin(), Switch::On).expect("is valid"), HEAD);
    }

    #[test]
    fn v1_2_sets_top_level_key() {
        let yaml = "rule:\n  id: a\n  type: file_exists\n  file_glob: x\n  message: m\n  severity: error\n";
        assert_eq!(off(yaml), format!("{yaml}enabled: false\n"));
    }

    #[test]
    fn rejects_unsafe_edits() {
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
