//! Enables or disables a contract in the text of its file, without changing any other byte. Other contracts in the file
//! keep their text.

use super::{document_of, documents, parse, yaml};
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

/// The text of a contract file with `enabled` set for the contract `id`. Only its value changes; without one, a line is
/// added at the end of its document. A warning if the result would not parse to the same contracts.
pub fn switched(file: &str, id: &str, origin: &Origin, to: Switch) -> Result<String, Vec<Warning>> {
    let Some(document) = document_of(file, id, origin) else {
        let what = format!("contract {id} is not in the file any more (run this again)");
        return Err(vec![Warning::about(&origin.file, what)]);
    };
    let text = document.text;
    let before = parse(text, origin.clone())?;
    let enabled = to == Switch::On;
    if before.enabled == enabled {
        return Ok(file.to_owned());
    }
    let edited = match yaml::place_of_flag(text, "enabled") {
        Some(range) => format!("{}{}{}", &text[..range.start], to.as_str(), &text[range.end..]),
        None => appended(text, to),
    };
    let expected = Contract { enabled, ..before };
    let (head, tail) = (&file[..document.start], &file[document.start + text.len()..]);
    let result = format!("{head}{edited}{tail}");
    let is_same_file = || {
        let texts = documents(file).into_iter().map(|one| if one == document { &edited } else { one.text });
        texts.eq(documents(&result).into_iter().map(|one| one.text))
    };
    match parse(&edited, origin.clone()) {
        Ok(after) if after == expected && is_same_file() => Ok(result),
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
        switched(yaml, "a", &origin(), Switch::Off).expect("can be edited")
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
            let back = switched(&off(&yaml), "a", &origin(), Switch::On).expect("can be edited");
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
        assert_eq!(switched(HEAD, "a", &origin(), Switch::On).expect("is valid"), HEAD);
    }

    #[test]
    fn other_documents_keep_their_text() {
        let other = HEAD.replacen("rule_id: a", "rule_id: b", 1) + "enabled: true\n";
        let first = format!("---\n{HEAD}---\n{other}");
        assert_eq!(off(&first), format!("---\n{HEAD}enabled: false\n---\n{other}"));
        let second = format!("{other}--- # x\n{HEAD}enabled: true # why\n---\n");
        assert_eq!(off(&second), format!("{other}--- # x\n{HEAD}enabled: false # why\n---\n"));
        assert!(switched(&other, "a", &origin(), Switch::Off).is_err());
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
            let warnings = switched(yaml, "a", &origin(), Switch::Off).expect_err("is refused");
            assert!(warnings[0].what.contains("enabled: false"), "{warnings:?}");
        }
        assert!(switched("rule_id: [", "a", &origin(), Switch::Off).is_err());
    }
}
