//! phaser's entry in the configuration of pre-commit: text in, text out.
//!
//! Only added where that is certain to be right: at the end of a file that ends with its list of repositories.

/// The file, in the project's root.
pub const FILE: &str = ".pre-commit-config.yaml";

/// The hooks that phaser offers to pre-commit. The entry is one of them, so that both always do the same.
const HOOKS: &str = include_str!("../../../.pre-commit-hooks.yaml");

/// The hook that starts the phaser on the PATH, as a project needs it that lists its hooks itself.
const HOOK: &str = "- id: phaser-system\n";

/// The entry, as it stands in the list of repositories.
pub fn entry() -> String {
    let (_, hook) = HOOKS.split_once(HOOK).expect("phaser offers this hook");
    let keys = hook.lines().take_while(|line| !line.is_empty());
    let keys = keys.filter(|line| !line.trim_start().starts_with("description:"));
    let keys: String = keys.map(|line| format!("    {line}\n")).collect();
    format!("- repo: local\n  hooks:\n    - id: phaser\n{keys}")
}

/// What became of the text.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    /// It has the entry now.
    Added(String),
    /// It had one.
    There,
    /// It must be added by hand.
    ByHand,
}

/// The text with the entry.
pub fn with_entry(text: Option<&str>) -> Entry {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Entry::Added(format!("repos:\n{}", indented("  ")));
    };
    if text.lines().any(|line| line.trim_start().trim_start_matches("- ").starts_with("id: phaser")) {
        return Entry::There;
    }
    match list_indent(text) {
        Some(indent) => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            Entry::Added(format!("{text}{end}{}", indented(indent)))
        }
        None => Entry::ByHand,
    }
}

fn indented(indent: &str) -> String {
    entry().lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// The indentation of the repositories, if the file ends with them.
fn list_indent(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| line.trim_end() == "repos:")?;
    let ends_with_list = lines[start + 1..]
        .iter()
        .all(|line| line.is_empty() || line.starts_with([' ', '#']) || line.starts_with("- "));
    let first = lines[start + 1..].iter().find(|line| line.trim_start().starts_with("- "))?;
    let indent = &first[..first.len() - first.trim_start().len()];
    (ends_with_list && first.trim_start().starts_with("- repo:") && !text.contains('\r')).then_some(indent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_has_only_the_entry() {
        let Entry::Added(text) = with_entry(None) else { panic!("not added") };
        assert!(text.starts_with("repos:\n  - repo: local\n    hooks:\n      - id: phaser\n"), "{text}");
        assert_eq!(with_entry(Some(&text)), Entry::There);
    }

    #[test]
    fn the_entry_follows_the_others_at_their_indentation() {
        for indent in ["", "  ", "    "] {
            let before = format!("# top\nrepos:\n{indent}- repo: x\n{indent}  hooks: [{{id: y}}]");
            let Entry::Added(text) = with_entry(Some(&before)) else { panic!("not added") };
            assert_eq!(text, format!("{before}\n{}", indented(indent)));
        }
    }

    #[test]
    fn what_is_not_simple_is_left_to_its_owner() {
        for text in [
            "repos: []\n",
            "repos:\n- repo: x\ndefault_stages: [commit]\n",
            "x: 1\n",
            "repos:\r\n- repo: x\r\n",
        ] {
            assert_eq!(with_entry(Some(text)), Entry::ByHand, "{text}");
        }
    }
}
