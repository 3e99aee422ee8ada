//! Selectors for `--only`, `--skip` and overrides: an id, a glob over ids, or `tag:NAME`.

use thiserror::Error;

use super::Contract;
use crate::suggest::nearest;
use phaser_glob::Glob;

/// The prefix of a tag.
const TAG: &str = "tag:";

/// Selects contracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    text: String,
    kind: SelectorKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SelectorKind {
    Ids(Glob),
    Tag,
}

/// An invalid selector.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelectorError {
    /// Empty text, or an empty tag.
    #[error("it is empty (name an id, a glob over ids like 'python-*', or 'tag:NAME')")]
    Empty,
    /// An invalid glob.
    #[error("'{text}' is not a glob over ids: {why}")]
    Glob {
        /// The invalid text.
        text: String,
        /// The error, for users.
        why: String,
    },
}

impl Selector {
    /// Parses a selector.
    pub fn new(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        let kind = match text.strip_prefix(TAG) {
            _ if text.is_empty() => return Err(SelectorError::Empty),
            Some("") => return Err(SelectorError::Empty),
            Some(_) => SelectorKind::Tag,
            None => {
                let wrong = |error: phaser_glob::GlobError| SelectorError::Glob {
                    text: text.to_owned(),
                    why: error.to_string(),
                };
                SelectorKind::Ids(Glob::new(text).map_err(wrong)?)
            }
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// The text without surrounding white space.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it selects the contract.
    pub fn selects(&self, contract: &Contract) -> bool {
        match &self.kind {
            SelectorKind::Ids(glob) => glob.is_match(contract.id.as_bytes()),
            SelectorKind::Tag => contract.has_tag(&self.text[TAG.len()..]),
        }
    }

    /// The message for a selector that selects none of `contracts`, with a suggestion.
    pub fn no_match_message<'c>(&self, contracts: impl Iterator<Item = &'c Contract>) -> String {
        let text = &self.text;
        let (what, nearest) = match &self.kind {
            SelectorKind::Ids(_) => {
                let ids = contracts.map(|contract| contract.id.as_str());
                (format!("no contract is called '{text}'"), nearest(text, ids).map(str::to_owned))
            }
            SelectorKind::Tag => {
                let tags = contracts.flat_map(|contract| contract.tags.iter().map(String::as_str));
                let near = nearest(&text[TAG.len()..], tags).map(|tag| format!("{TAG}{tag}"));
                (format!("no contract has the tag '{}'", &text[TAG.len()..]), near)
            }
        };
        let hint = match nearest {
            Some(nearest) => format!("did you mean '{nearest}'?"),
            None => "'phaser contracts list' shows those there are".to_owned(),
        };
        format!("{what} ({hint})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(id: &str, tags: &str) -> Contract {
        let yaml = format!(
            "rule_id: {id}\ntype: file_exists\nfile_glob: x\nmessage: m\nseverity: error\ntags: [{tags}]\n"
        );
        Contract::from_yaml(&yaml, "a.yaml").expect("a contract")
    }

    #[test]
    fn selects_by_id_glob_or_tag() {
        let contract = contract("python-print", "output, python");
        let means = |text: &str| Selector::new(text).expect("a selector").selects(&contract);
        for text in ["python-print", "python-*", "*", " *-print ", "{python,rust}-print", "tag:output"] {
            assert!(means(text), "{text}");
        }
        for text in ["python", "print", "PYTHON-*", "tag:python-print", "tag:out*", "output"] {
            assert!(!means(text), "{text}");
        }
        for text in ["", " ", "tag:", "a["] {
            assert!(Selector::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn suggests_similar_name() {
        let contracts = [contract("no-print", "output"), contract("no-eval", "danger")];
        let message =
            |text: &str| Selector::new(text).expect("a selector").no_match_message(contracts.iter());
        assert_eq!(message("no-prnt"), "no contract is called 'no-prnt' (did you mean 'no-print'?)");
        assert_eq!(message("tag:outptu"), "no contract has the tag 'outptu' (did you mean 'tag:output'?)");
        let list = "'phaser contracts list' shows those there are";
        assert_eq!(message("xyz"), format!("no contract is called 'xyz' ({list})"));
    }
}
