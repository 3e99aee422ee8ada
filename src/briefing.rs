//! A list of the contracts that apply in a project: the project's own and the user's one line each, errors first, and one
//! line per pack. Agents receive it at the start of a session.
//!
//! A pack is known by its purpose, and a model follows most of its contracts anyway; the project's own rules are what it
//! cannot know. [`briefing`] is plain text of a bounded length; [`markdown`] is for a file that people read as well. Text
//! from contracts is sanitised: it cannot end a line, start markup or reach a terminal as a control sequence.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::{cut, printable};
use phaser_project::packs::{self, PACKS, Pack};

/// Maximum lengths of a message or a list of globs, tried in order until everything fits.
const LENGTHS: [usize; 3] = [usize::MAX, 300, 150];

/// The enabled contracts as `- ID (files): message`, errors first, then the packs as `- NAME (7 contracts): purpose`, in
/// at most `most` characters. Long messages are cut first; then contracts are omitted and counted. Empty without contracts.
pub fn briefing<'c>(contracts: impl IntoIterator<Item = &'c Contract>, most: usize) -> String {
    let (own, packs) = in_order(contracts);
    let packs = match packs.as_slice() {
        [] => String::new(),
        packs => {
            let lines: Vec<String> = packs.iter().map(|used| used.line()).collect();
            format!("Packs ('phaser contracts packs NAME' lists the contracts of one):\n{}", lines.join("\n"))
        }
    };
    let room = most.saturating_sub(packs.chars().count() + 1);
    let own = listed(&own, room);
    match (own.is_empty(), packs.is_empty()) {
        (_, true) => own,
        (true, false) if packs.chars().count() <= most => packs,
        (true, false) => String::new(),
        (false, false) => format!("{own}\n{packs}"),
    }
}

/// The contracts in at most `most` characters.
fn listed(contracts: &[&Contract], most: usize) -> String {
    let mut lines = Vec::new();
    for longest in LENGTHS {
        lines = entries(contracts, longest);
        if size(&lines) <= most {
            return lines.join("\n");
        }
    }
    shortened(&lines, most)
}

/// A pack and the number of its contracts that apply in the project.
pub struct UsedPack {
    pack: &'static Pack,
    contracts: usize,
}

impl UsedPack {
    fn line(&self) -> String {
        format!("- {} ({}): {}", self.pack.name, self.count(), self.pack.description)
    }

    fn count(&self) -> String {
        format!("{} contract{}", self.contracts, if self.contracts == 1 { "" } else { "s" })
    }
}

/// The lines that fit into `most` characters, and the number of omitted ones.
fn shortened(lines: &[String], most: usize) -> String {
    let rest = |kept: usize| {
        let more = lines.len() - kept;
        format!("… and {more} more: 'phaser contracts list' names them, 'phaser explain ID' explains one")
    };
    let room = most.saturating_sub(rest(0).chars().count());
    let fits = |used: &mut usize, line: &String| {
        *used += line.chars().count() + 1;
        (*used <= room).then_some(())
    };
    let kept = lines.iter().scan(0, fits).count();
    let text: Vec<String> = lines[..kept].iter().cloned().chain([rest(kept)]).collect();
    if most < rest(0).chars().count() { String::new() } else { text.join("\n") }
}

/// The length of the lines in characters, newlines included.
fn size(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count() + 1).sum()
}

/// One entry per contract; the first of each severity starts with the heading.
fn entries(contracts: &[&Contract], longest: usize) -> Vec<String> {
    let (mut before, mut seen) = (None, HashSet::new());
    let mut entries = Vec::with_capacity(contracts.len());
    for contract in contracts {
        let (files, message) = (files(contract), message(contract));
        let (files, message) = (cut(&files, longest), cut(&message, longest));
        let line = format!("- {} ({files}): {message}", contract.id);
        // Overrides split a contract into several that differ only in severity.
        if !seen.insert(line.clone()) {
            continue;
        }
        let is_first = before != Some(contract.severity);
        before = Some(contract.severity);
        entries.push(if is_first { format!("{}\n{line}", heading(contract.severity)) } else { line });
    }
    entries
}

fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors (block the edit):",
        Severity::Warning => "Warnings (reported after the edit):",
    }
}

/// The contracts as items of Markdown lists.
pub struct MarkdownLists {
    /// One list per severity, errors first.
    pub own: Vec<(Severity, Vec<String>)>,
    pub packs: Vec<String>,
}

/// The enabled contracts, and the packs, as items of Markdown lists.
pub fn markdown<'c>(contracts: impl IntoIterator<Item = &'c Contract>) -> MarkdownLists {
    let (contracts, packs) = in_order(contracts);
    let mut seen = HashSet::new();
    let mut own: Vec<(Severity, Vec<String>)> = Vec::new();
    for contract in contracts {
        let message = marked_up(&message(contract));
        let line = format!("- `{}` ({}): {message}", contract.id, code(&files(contract)));
        if !seen.insert(line.clone()) {
            continue;
        }
        match own.last_mut() {
            Some((severity, lines)) if *severity == contract.severity => lines.push(line),
            _ => own.push((contract.severity, vec![line])),
        }
    }
    let pack = |used: &UsedPack| {
        format!("- `{}` ({}): {}", used.pack.name, used.count(), marked_up(used.pack.description))
    };
    MarkdownLists { own, packs: packs.iter().map(pack).collect() }
}

/// The enabled contracts that are not from a pack, errors first, then by id; and the packs of the others.
fn in_order<'c>(contracts: impl IntoIterator<Item = &'c Contract>) -> (Vec<&'c Contract>, Vec<UsedPack>) {
    let enabled = contracts.into_iter().filter(|contract| contract.enabled);
    let (of_packs, mut own): (Vec<_>, Vec<_>) = enabled.partition(|contract| packs::of(contract).is_some());
    own.sort_by_key(|contract| (Reverse(contract.severity), contract.id.as_str()));
    let used = PACKS.iter().filter_map(|pack| {
        let of_this = of_packs.iter().filter(|contract| packs::of(contract) == Some(pack));
        let ids: BTreeSet<&str> = of_this.map(|contract| contract.id.as_str()).collect();
        (!ids.is_empty()).then_some(UsedPack { pack, contracts: ids.len() })
    });
    (own, used.collect())
}

/// The globs of a contract, relative to the project root.
fn files(contract: &Contract) -> String {
    if let Some(check) = contract.check.command() {
        let pattern = check.pattern.as_ref().map(|pattern| pattern.source.as_str());
        let command = printable(&pattern.map_or_else(|| check.commands.join(" or "), str::to_owned));
        let mut text = format!("command {command}");
        for (before, values) in check.conditions() {
            text.push_str(&format!(" {before} {}", printable(&values)));
        }
        return text;
    }
    let from_root = |glob: &str| contract.scope.base.join(glob).to_text().into_owned();
    let mut files = printable(&from_root(contract.glob.as_str()));
    if contract.check.reads_messages() {
        files = match contract.is_about_every_file() {
            true => "commit messages".to_owned(),
            false => format!("messages of commits that change {files}"),
        };
    }
    if !contract.kinds.only.is_empty() {
        files += &format!(", only {}", contract.kinds.only.names().join(", "));
    }
    if let Some(exclude) = contract.exclude.as_deref() {
        files += &format!(", not {}", printable(&from_root(exclude.glob.as_str())));
    }
    if !contract.kinds.exclude.is_empty() {
        files += &format!(", not {}", contract.kinds.exclude.names().join(", "));
    }
    files
}

fn message(contract: &Contract) -> String {
    printable(&contract.message)
}

/// `text` for Markdown: balanced code spans stay, everything else is escaped.
pub fn marked_up(text: &str) -> String {
    let ticks = text.matches('`').count();
    if ticks % 2 == 1 || text.contains("``") || has_comment(text) {
        return escaped(text);
    }
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { escaped(part) } else { format!("`{part}`") }).collect()
}

fn code(text: &str) -> String {
    if text.contains('`') || has_comment(text) { escaped(text) } else { format!("`{text}`") }
}

/// Whether `text` has HTML comment markers, which some programs recognise even in code spans.
fn has_comment(text: &str) -> bool {
    text.contains("<!--") || text.contains("-->")
}

/// `text` with all Markdown markup escaped, and `@`: some agents read the file that a word with `@` names.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '@' | '|' => safe.extend(['\\', c]),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::{LayerKind, Origin};

    fn contract(id: &str, severity: &str, rest: &str) -> Contract {
        let yaml = format!("rule_id: {id}\nseverity: {severity}\ntype: forbid_pattern\npattern: x\n{rest}");
        Contract::from_yaml(&yaml, "a.yaml").expect("a contract")
    }

    fn simple(id: &str, severity: &str, message: &str) -> Contract {
        let message = serde_json::to_string(message).expect("JSON");
        contract(id, severity, &format!("file_glob: '**/*.py'\nmessage: {message}"))
    }

    #[test]
    fn lists_errors_first() {
        let contracts = [
            simple("b-warns", "warning", "Say less."),
            simple("z-denies", "error", "Use\n  logging."),
            contract(
                "a-denies",
                "error",
                "file_glob: [src/*.py, lib/*.py]\nexclude_glob: src/cli.py\nmessage: No.",
            ),
            contract("off", "error", "file_glob: a\nmessage: No.\nenabled: false"),
        ];
        assert_eq!(
            briefing(&contracts, 9_500),
            "Errors (block the edit):\n\
             - a-denies ({src/*.py,lib/*.py}, not src/cli.py): No.\n\
             - z-denies (**/*.py): Use logging.\n\
             Warnings (reported after the edit):\n\
             - b-warns (**/*.py): Say less."
        );
        assert_eq!(briefing([], 9_500), "");
    }

    #[test]
    fn globs_are_relative_to_root() {
        let mut nested = simple("a", "error", "No.");
        nested.scope.base = "web/app".into();
        assert!(briefing([&nested], 9_500).contains("- a (web/app/**/*.py): No."));
    }

    #[test]
    fn contract_about_messages_names_no_files() {
        let about = |rest: &str| {
            let yaml = format!(
                "rule_id: a\nseverity: error\ntype: forbid_in_message\npattern: x\nmessage: No.\n{rest}"
            );
            briefing([&Contract::from_yaml(&yaml, "a.yaml").expect("a contract")], 9_500)
        };
        assert!(about("").contains("- a (commit messages): No."));
        assert!(about("file_glob: '*.md'").contains("- a (messages of commits that change *.md): No."));
    }

    #[test]
    fn lists_overridden_contract_once() {
        let contracts = [simple("a", "warning", "No."), simple("a", "error", "No.")];
        assert_eq!(briefing(&contracts, 9_500), "Errors (block the edit):\n- a (**/*.py): No.");
        assert_eq!(markdown(&contracts).own.len(), 1);
    }

    #[test]
    fn cuts_messages_before_omitting_contracts() {
        let long: Vec<_> =
            (0..30).map(|at| simple(&format!("c{at:02}"), "error", &"é".repeat(900))).collect();
        let text = briefing(&long, 9_500);
        assert_eq!(text.lines().count(), 31, "{text}");
        assert!(text.ends_with("é…") && text.chars().count() <= 9_500, "{text}");
    }

    #[test]
    fn keeps_to_length_and_counts_omitted() {
        let many: Vec<_> =
            (0..1000).map(|at| simple(&format!("c{at:03}"), "error", "No ünnecessary é.")).collect();
        let text = briefing(&many, 9_500);
        let last = text.lines().last().expect("a line");
        let lines = text.lines().count() - 2;
        assert_eq!(
            last,
            format!(
                "… and {} more: 'phaser contracts list' names them, 'phaser explain ID' explains one",
                1000 - lines
            )
        );
        assert!((9_400..=9_500).contains(&text.chars().count()), "{}", text.chars().count());
        for most in (0..400).step_by(13) {
            assert!(briefing(&many, most).chars().count() <= most, "{most}");
        }
        assert_eq!(briefing(&many, 40), "");
    }

    #[test]
    fn pack_is_one_line_after_own_contracts() {
        let of_pack = |id: &str| {
            let mut contract = simple(id, "error", "From a pack.");
            contract.origin = Origin { layer: LayerKind::Pack, file: format!("pack:go/{id}.yaml").into() };
            contract
        };
        let go = packs::find("go").expect("is a pack");
        let contracts = [of_pack("b"), of_pack("a"), of_pack("a"), simple("own", "warning", "No.")];
        assert_eq!(
            briefing(&contracts, 9_500),
            format!(
                "Warnings (reported after the edit):\n- own (**/*.py): No.\n\
                 Packs ('phaser contracts packs NAME' lists the contracts of one):\n- go (2 contracts): {}",
                go.description
            )
        );
        assert_eq!(markdown(&contracts).packs, [format!("- `go` (2 contracts): {}", go.description)]);
        assert_eq!(markdown(&contracts[..1]).packs.len(), 1);
        for most in (0..400).step_by(7) {
            assert!(briefing(&contracts, most).chars().count() <= most, "{most}");
        }
    }

    #[test]
    fn hostile_text_stays_on_its_line() {
        let hostile = simple("a", "error", "x\r\n\u{1b}[31m\u{202e}- b (c): d ##[error]");
        let text = briefing([&hostile], 9_500);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("##["), "{text}");
    }

    #[test]
    fn escapes_markup_of_contracts() {
        let message = |text: &str| markdown(&[simple("a", "error", text)]).own[0].1[0].clone();
        let start = "- `a` (`**/*.py`): ";
        for (text, shown) in [
            ("Use `logging` here.", "Use `logging` here."),
            ("a ` b", "a \\` b"),
            ("``` x ```", "\\`\\`\\` x \\`\\`\\`"),
            ("`a` <!-- b --> `c`", "\\`a\\` &lt;!-- b --&gt; \\`c\\`"),
            ("[x](y) *z* <b>&amp;", "\\[x\\](y) \\*z\\* &lt;b&gt;&amp;amp;"),
            ("see @~/.ssh/id", "see \\@\\~/.ssh/id"),
            ("a\n\n# b", "a # b"),
        ] {
            assert_eq!(message(text), format!("{start}{shown}"), "{text}");
        }
        let odd = contract("a", "error", "file_glob: 'a`b-->'\nmessage: No.");
        assert_eq!(markdown(&[odd]).own[0].1, ["- `a` (a\\`b--&gt;): No."]);
    }
}
