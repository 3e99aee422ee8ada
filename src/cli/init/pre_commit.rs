//! phaser's entry in the pre-commit configuration: text in, text out. It is only added at the end of a file that ends with
//! its list of repositories.

pub const FILE: &str = ".pre-commit-config.yaml";

/// The hooks that phaser offers to pre-commit; the entry is one of them.
const HOOKS: &str = include_str!("../../../.pre-commit-hooks.yaml");

/// The hook that runs the phaser on the PATH.
const HOOK: &str = "- id: phaser-system\n";

/// The entry in the list of repositories.
pub fn entry() -> String {
    let (_, hook) = HOOKS.split_once(HOOK).expect("phaser offers this hook");
    let keys = hook.lines().take_while(|line| !line.is_empty());
    let keys = keys.filter(|line| !line.trim_start().starts_with("description:"));
    let keys: String = keys.map(|line| format!("    {line}\n")).collect();
    format!("- repo: local\n  hooks:\n    - id: phaser\n{keys}")
}

/// The result of adding the entry.
#[derive(Debug, PartialEq, Eq)]
pub enum EntryEdit {
    /// The new text.
    Added(String),
    /// The text has an entry already.
    There,
    /// The text is too complex; the user has to add the entry.
    ByHand,
}

pub fn with_entry(text: Option<&str>) -> EntryEdit {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return EntryEdit::Added(format!("repos:\n{}", indented("  ")));
    };
    if text.lines().any(|line| line.trim_start().trim_start_matches("- ").starts_with("id: phaser")) {
        return EntryEdit::There;
    }
    match list_indent(text) {
        Some(indent) => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            EntryEdit::Added(format!("{text}{end}{}", indented(indent)))
        }
        None => EntryEdit::ByHand,
    }
}

fn indented(indent: &str) -> String {
    entry().lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// The indentation of the list of repositories, if the file ends with it.
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
    fn creates_file_with_entry() {
        let EntryEdit::Added(text) = with_entry(None) else { panic!("not added") };
        assert!(text.starts_with("repos:\n  - repo: local\n    hooks:\n      - id: phaser\n"), "{text}");
        assert_eq!(with_entry(Some(&text)), EntryEdit::There);
    }

    #[test]
    fn appends_entry_with_indentation() {
        for indent in ["", "  ", "    "] {
            let before = format!("# top\nrepos:\n{indent}- repo: x\n{indent}  hooks: [{{id: y}}]");
            let EntryEdit::Added(text) = with_entry(Some(&before)) else { panic!("not added") };
            assert_eq!(text, format!("{before}\n{}", indented(indent)));
        }
    }

    #[test]
    fn leaves_complex_files_to_user() {
        for text in [
            "repos: []\n",
            "repos:\n- repo: x\ndefault_stages: [commit]\n",
            "x: 1\n",
            "repos:\r\n- repo: x\r\n",
        ] {
            assert_eq!(with_entry(Some(text)), EntryEdit::ByHand, "{text}");
        }
    }
}
