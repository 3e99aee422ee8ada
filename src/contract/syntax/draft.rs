//! A contract that is about to be written: its fields to YAML, in the flat form.

use std::borrow::Cow;

use crate::contract::{Kind, Severity};

/// The fields of a new contract. Nothing is validated: [`parse`](super::parse) does that to the result.
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    /// The id.
    pub id: &'a str,
    /// The type.
    pub kind: Kind,
    /// The pattern, for a type that has one.
    pub pattern: Option<&'a str>,
    /// Which files it is about.
    pub glob: &'a str,
    /// What to tell whoever violates it.
    pub message: &'a str,
    /// How bad a violation is.
    pub severity: Severity,
    /// Why the rule exists.
    pub rationale: Option<&'a str>,
}

impl Draft<'_> {
    /// The text of a contract file with these fields.
    pub fn to_yaml(&self) -> String {
        let fields = [
            ("rule_id", Some(Cow::Borrowed(self.id))),
            ("type", Some(Cow::Borrowed(self.kind.as_str()))),
            ("pattern", self.pattern.map(quoted)),
            ("file_glob", Some(quoted(self.glob))),
            ("message", Some(quoted(self.message))),
            ("severity", Some(Cow::Borrowed(self.severity.as_str()))),
            ("rationale", self.rationale.map(quoted)),
            ("enabled", Some(Cow::Borrowed("true"))),
        ];
        let present = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
        present.map(|(key, value)| format!("{key}: {value}\n")).collect()
    }
}

/// A YAML scalar on one line. Single quotes change nothing, so that patterns stay as they are; what
/// they cannot hold is escaped as in JSON.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}')) {
        let escaped = text.chars().map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            c if c.is_control() || !c.is_ascii() => format!("\\U{:08X}", u32::from(c)),
            c => c.to_string(),
        });
        return Cow::Owned(format!("\"{}\"", escaped.collect::<String>()));
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "''")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::syntax::parse;
    use crate::contract::{Origin, Place};
    use proptest::prelude::*;

    #[test]
    fn a_draft_reads_like_a_contract_written_by_hand() {
        let draft = Draft {
            id: "no-print",
            kind: Kind::ForbidPattern,
            pattern: Some(r"\bprint\('"),
            glob: "**/*.py",
            message: "Use the logger.",
            severity: Severity::Error,
            rationale: None,
        };
        let expected = "rule_id: no-print\ntype: forbid_pattern\npattern: '\\bprint\\('''\nfile_glob: '**/*.py'\n\
            message: 'Use the logger.'\nseverity: error\nenabled: true\n";
        assert_eq!(draft.to_yaml(), expected);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(
            pattern in "\\PC{1,20}|[ -~\t\n\r\u{0}\u{7f}\u{85}\u{2028}\u{feff}'\"\\\\é:#]{1,20}",
            rationale in ".{0,20}[a-z]",
        ) {
            let draft = Draft {
                id: "a",
                kind: Kind::RequirePattern,
                pattern: Some(&pattern),
                glob: "**",
                message: "m",
                severity: Severity::Warning,
                rationale: Some(&rationale),
            };
            let origin = Origin { place: Place::Project, file: "a.yaml".into() };
            let contract = parse(&draft.to_yaml(), origin).expect("is valid");
            prop_assert_eq!(&contract.check.pattern().expect("has one").source, &pattern);
            prop_assert_eq!(contract.rationale, Some(rationale));
        }
    }
}
