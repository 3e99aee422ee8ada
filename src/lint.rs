//! What is doubtful about contracts that are valid: the ones that do nothing, or not what they seem to.
//!
//! Everything is a [`Warning`] with its place and a suggestion. How they are shown is decided elsewhere.

use crate::examples::made_up_path;
use phaser_core::contract::{Check, Contract, Dialect, LayerKind, Pattern, Warning};
use phaser_core::matcher::pattern;
use phaser_core::matcher::pattern::vacuous::{Vacuous, vacuous};
use phaser_glob::{Glob, NamePattern};
use phaser_project::path::RelPath;
use phaser_zones::Language;

pub mod directives;

/// What is doubtful about these contracts, in a project that has these files.
///
/// Contracts of packs are taken for good. Whether a pattern is valid at all is not asked here.
pub fn contracts(contracts: &[Contract], paths: &[RelPath]) -> Vec<Warning> {
    let own: Vec<&Contract> =
        contracts.iter().filter(|contract| contract.origin.layer != LayerKind::Pack).collect();
    let mut warnings = Vec::new();
    for contract in &own {
        warnings.extend(idle_glob(contract, paths));
        warnings.extend(doubtful_pattern(contract));
        warnings.extend(slow_pattern(contract));
        warnings.extend(pattern_across_lines(contract));
        warnings.extend(zones_of_unknown_language(contract));
        warnings.extend(missing_examples(contract));
    }
    warnings.extend(doubles(&own, paths));
    warnings.sort();
    warnings
}

/// A glob that no file of the project matches. That is as it should be for a user's contract, which is
/// for many projects, and for one that is about whether a file exists.
fn idle_glob(contract: &Contract, paths: &[RelPath]) -> Option<Warning> {
    let matches_one = |glob: &Glob| paths.iter().any(|path| glob.is_match(path.as_bytes()));
    if !contract.check.reads_text() || contract.origin.layer == LayerKind::User || matches_one(&contract.glob)
    {
        return None;
    }
    let glob = contract.glob.as_str();
    let bare = glob.trim_start_matches("./").trim_start_matches('/');
    let others = [bare.to_owned(), format!("**/{bare}"), format!("{}/**", bare.trim_end_matches('/'))];
    let meant = others.into_iter().find(|other| Glob::new(other).is_ok_and(|glob| matches_one(&glob)));
    let mend = match meant {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "correct 'file_glob', or remove the contract".to_owned(),
    };
    let what = format!("{}: no file of the project matches '{glob}' ({mend})", contract.id);
    Some(Warning::at(&contract.origin.file, contract.glob_line, what))
}

fn doubtful_pattern(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let what = match vacuous(pattern) {
        Some(Vacuous::NeverMatches) => "no text matches this pattern (look at its anchors and its classes)",
        Some(Vacuous::MatchesEmpty) => {
            "the pattern can match the empty string, which never counts (let it ask for at least one character)"
        }
        Some(Vacuous::ControlCharacter) => {
            "the pattern holds a control character (write it in single quotes, where '\\b' stays a word boundary)"
        }
        None if reads_like_a_regex(pattern) => {
            "the pattern is taken literally in this form (use the flat form for a regular expression)"
        }
        None => return None,
    };
    Some(about_pattern(contract, pattern, what))
}

/// Literal text with what only makes sense in a regular expression.
fn reads_like_a_regex(pattern: &Pattern) -> bool {
    let signs =
        [r"\b", r"\s", r"\d", r"\w", r"\(", r"\.", r"\[", ".*", ".+", "(?", "[^", "[a-z", "[A-Z", "[0-9"];
    pattern.dialect == Dialect::Literal && signs.iter().any(|sign| pattern.source.contains(sign))
}

fn slow_pattern(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let (compiled, _) = pattern::CompiledPattern::new(pattern).ok()?;
    let because = compiled.backtracks()?.as_str();
    let what = format!(
        "the pattern needs the backtracking engine because of {because}: it is slower and may run out of time \
         (write it without, if you can)"
    );
    Some(about_pattern(contract, pattern, what))
}

fn pattern_across_lines(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let what = "the pattern starts with white space that crosses line ends, as '\\s*' does \
        (write '[ \\t]*' to stay on one line)";
    pattern::starts_across_lines(pattern).then(|| about_pattern(contract, pattern, what))
}

/// Files that `in` has no effect on, because nothing is known of their language.
fn zones_of_unknown_language(contract: &Contract) -> Option<Warning> {
    if contract.zones.is_empty() {
        return None;
    }
    let named = match contract.glob.names() {
        NamePattern::Any => return None,
        NamePattern::Name(name) => vec![name.to_owned()],
        NamePattern::Extensions(extensions) => {
            extensions.iter().map(|extension| format!("*.{extension}")).collect()
        }
    };
    let unknown: Vec<_> =
        named.into_iter().filter(|name| Language::of(name.as_bytes(), b"").is_none()).collect();
    let what = format!(
        "{}: 'in' has no effect on {}, whose language is not known (remove 'in', or name other files in 'file_glob')",
        contract.id,
        unknown.join(", ")
    );
    (!unknown.is_empty()).then(|| Warning::at(&contract.origin.file, contract.glob_line, what))
}

fn about_pattern(contract: &Contract, pattern: &Pattern, what: impl std::fmt::Display) -> Warning {
    Warning::at(&contract.origin.file, pattern.line, format!("{}: {what}", contract.id))
}

fn missing_examples(contract: &Contract) -> Option<Warning> {
    let examples = &contract.examples;
    let what = match (examples.violating.is_empty(), examples.passing.is_empty()) {
        (false, false) => return None,
        (true, true) => "has no examples (add 'examples: {violating: [\u{2026}], passing: [\u{2026}]}')",
        (true, false) => {
            "has no violating example (add one, so that a pattern that never matches is noticed)"
        }
        (false, true) => "has no passing example (add one that is nearly a violation)",
    };
    Some(Warning::at(&contract.origin.file, 1, format!("{} {what}", contract.id)))
}

/// Pairs of contracts that look for the same in the same files.
fn doubles(contracts: &[&Contract], paths: &[RelPath]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (at, &second) in contracts.iter().enumerate() {
        for &first in &contracts[..at] {
            let Some(pattern) = second.check.pattern() else { continue };
            if same_demand(first, second) && overlap(first, second, paths) {
                let what = format!(
                    "the same pattern as in {} ({}), and both apply to the same files (keep one of them)",
                    first.id,
                    first.origin.file.display()
                );
                warnings.push(about_pattern(second, pattern, what));
            }
        }
    }
    warnings
}

fn same_demand(first: &Contract, second: &Contract) -> bool {
    let text = |check: &Check| {
        check
            .pattern()
            .map(|pattern| (std::mem::discriminant(check), pattern.source.clone(), pattern.dialect))
    };
    first.enabled && second.enabled && text(&first.check) == text(&second.check)
}

/// Is there a file that both apply to: one of the project, or one made up for one of the globs?
fn overlap(first: &Contract, second: &Contract, paths: &[RelPath]) -> bool {
    let made_up =
        [first, second].map(|contract| made_up_path(contract).map(|path| RelPath::from(path.as_str())));
    let both = |path: &RelPath| first.applies_to(path, None) && second.applies_to(path, None);
    made_up.iter().flatten().chain(paths).any(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::{Origin, syntax};
    use phaser_project::contracts::layers::{Layer, Loading, load};
    use phaser_project::packs::PACKS;

    const EXAMPLES: &str = "examples: {violating: [x], passing: [y]}\n";

    fn parse(layer: LayerKind, id: &str, rest: &str) -> Contract {
        let yaml = format!("rule_id: {id}\nmessage: m\nseverity: error\n{rest}");
        let origin = Origin { layer, file: format!("{id}.yaml").into() };
        syntax::parse(&yaml, origin).expect("is valid")
    }

    fn forbid(id: &str, pattern: &str, glob: &str) -> Contract {
        let rest = format!("type: forbid_pattern\npattern: '{pattern}'\nfile_glob: '{glob}'\n{EXAMPLES}");
        parse(LayerKind::Project, id, &rest)
    }

    #[track_caller]
    fn check(contracts: &[Contract], expected: &[&str]) {
        let paths = ["src/app.py", "src/lib.rs", "README.md"].map(RelPath::from);
        let found: Vec<_> = super::contracts(contracts, &paths).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_good_contract_is_left_alone() {
        check(&[forbid("a", "print", "**/*.py")], &[]);
    }

    #[test]
    fn a_glob_that_matches_no_file_is_named_with_what_was_meant() {
        check(
            &[
                forbid("a", "x", "*.py"),
                forbid("b", "y", "/README.md"),
                forbid("c", "z", "src"),
                forbid("d", "w", "*.go"),
            ],
            &[
                "a.yaml:6: a: no file of the project matches '*.py' (did you mean '**/*.py'?)",
                "b.yaml:6: b: no file of the project matches '/README.md' (did you mean 'README.md'?)",
                "c.yaml:6: c: no file of the project matches 'src' (did you mean 'src/**'?)",
                "d.yaml:6: d: no file of the project matches '*.go' (correct 'file_glob', or remove the contract)",
            ],
        );
    }

    #[test]
    fn a_glob_may_match_nothing_where_that_is_the_point() {
        let rest = format!("type: forbid_pattern\npattern: x\nfile_glob: '*.go'\n{EXAMPLES}");
        let absent = format!("type: file_not_exists\nfile_glob: '*.zip'\n{EXAMPLES}");
        check(&[parse(LayerKind::User, "a", &rest), parse(LayerKind::Project, "b", &absent)], &[]);
    }

    #[test]
    fn doubtful_patterns_are_named_with_their_line() {
        check(
            &[forbid("a", "x*", "**"), forbid("b", "a^b", "**"), forbid("c", "(?<=a)b", "**")],
            &[
                "a.yaml:5: a: the pattern can match the empty string, which never counts \
                 (let it ask for at least one character)",
                "b.yaml:5: b: no text matches this pattern (look at its anchors and its classes)",
                "c.yaml:5: c: the pattern needs the backtracking engine because of look-around: it is slower and may \
                 run out of time (write it without, if you can)",
            ],
        );
    }

    #[test]
    fn white_space_that_crosses_lines_is_noticed() {
        let what = "the pattern starts with white space that crosses line ends, as '\\s*' does \
            (write '[ \\t]*' to stay on one line)";
        let both = ["a", "b"].map(|id| format!("{id}.yaml:5: {id}: {what}"));
        check(
            &[
                forbid("a", r"^\s*print\(", "**"),
                forbid("b", r"(?i)\s+eval", "**"),
                forbid("c", r"^[ \t]*exec\(", "**"),
                forbid("d", r"x\s*y", "**"),
            ],
            &both.each_ref().map(String::as_str),
        );
    }

    #[test]
    fn zones_of_files_in_unknown_languages_are_noticed() {
        let zoned = |id: &str, glob: &str| {
            let rest =
                format!("type: forbid_pattern\npattern: {id}x\nfile_glob: '{glob}'\nin: code\n{EXAMPLES}");
            parse(LayerKind::User, id, &rest)
        };
        check(
            &[
                zoned("a", "**/*.{py,txt,xyz}"),
                zoned("b", "docs/NOTES"),
                zoned("c", "src/**/*.rs"),
                zoned("d", "**"),
                zoned("e", "**/Dockerfile"),
            ],
            &[
                "a.yaml:6: a: 'in' has no effect on *.txt, *.xyz, whose language is not known (remove 'in', or name \
                 other files in 'file_glob')",
                "b.yaml:6: b: 'in' has no effect on NOTES, whose language is not known (remove 'in', or name \
                 other files in 'file_glob')",
            ],
        );
    }

    #[test]
    fn a_word_boundary_lost_in_double_quotes_is_noticed() {
        let rest = format!("type: forbid_pattern\npattern: \"\\bprint\"\nfile_glob: '**'\n{EXAMPLES}");
        check(
            &[parse(LayerKind::Project, "a", &rest)],
            &["a.yaml:5: a: the pattern holds a control character \
              (write it in single quotes, where '\\b' stays a word boundary)"],
        );
    }

    #[test]
    fn a_literal_that_looks_like_a_regex_is_noticed() {
        let yaml = "rule: {id: a, type: file_contains, pattern: 'Copyright.*', file_glob: '**', message: m,\n  \
            examples: {violating: [x], passing: [y]}}\n";
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        let contract = syntax::parse(yaml, origin).expect("is valid");
        check(
            &[contract],
            &[
                "a.yaml:1: a: the pattern is taken literally in this form (use the flat form for a regular expression)",
            ],
        );
    }

    #[test]
    fn missing_examples_are_named() {
        let rest = |examples: &str| format!("type: forbid_pattern\npattern: x\nfile_glob: '**'\n{examples}");
        let none = parse(LayerKind::Project, "a", &rest(""));
        let one_sided =
            parse(LayerKind::Project, "b", &rest("examples: {violating: [x]}\n").replace(": x", ": z"));
        let other_side =
            parse(LayerKind::Project, "c", &rest("examples: {passing: [x]}\n").replace(": x", ": w"));
        let pack = parse(LayerKind::Pack, "d", &rest(""));
        check(
            &[none, one_sided, other_side, pack],
            &[
                "a.yaml:1: a has no examples (add 'examples: {violating: [\u{2026}], passing: [\u{2026}]}')",
                "b.yaml:1: b has no passing example (add one that is nearly a violation)",
                "c.yaml:1: c has no violating example (add one, so that a pattern that never matches is noticed)",
            ],
        );
    }

    #[test]
    fn two_contracts_with_one_pattern_are_named_if_their_files_overlap() {
        check(
            &[
                forbid("a", "same", "**/*.py"),
                forbid("b", "same", "src/**"),
                forbid("c", "same", "**/*.md"),
                Contract { enabled: false, ..forbid("d", "same", "**") },
            ],
            &[
                "b.yaml:5: b: the same pattern as in a (a.yaml), and both apply to the same files (keep one of them)",
            ],
        );
    }

    #[test]
    fn nothing_is_doubtful_about_the_packs() {
        let layers: Vec<_> = PACKS.iter().map(Layer::of_pack).collect();
        let mut packs = load(&layers, Loading::whole(phaser_core::matcher::broken));
        for contract in &mut packs.contracts {
            contract.origin.layer = LayerKind::Project;
        }
        let made_up = packs.contracts.iter().filter_map(made_up_path);
        let paths: Vec<_> = made_up.map(|path| RelPath::from(path.as_str())).collect();
        assert_eq!(super::contracts(&packs.contracts, &paths), []);
    }
}
