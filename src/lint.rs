//! Lints for valid contracts: globs that match no file, patterns that never match or backtrack, missing examples,
//! duplicates. Each finding is a [`Warning`] with file, line and hint.

use crate::examples::derived_path;
use phaser_core::code;
use phaser_core::contract::{Check, Contract, Dialect, LayerKind, Pattern, Warning};
use phaser_core::imports;
use phaser_core::matcher::pattern::dialect::Backtracks;
use phaser_core::matcher::pattern::vacuous::{Vacuous, vacuous};
use phaser_core::matcher::{self, pattern};
use phaser_core::sanitize::printable;
use phaser_data::Format;
use phaser_glob::{Glob, NamePattern};
use phaser_project::path::RelPath;
use phaser_zones::Language;

pub mod directives;

/// Lints the contracts of a project with these files. Contracts of packs are excluded; invalid patterns are reported when
/// contracts are loaded.
pub fn contracts(contracts: &[Contract], paths: &[RelPath]) -> Vec<Warning> {
    let own: Vec<&Contract> = own(contracts).collect();
    let mut warnings = Vec::new();
    for contract in &own {
        warnings.extend(idle_glob(contract, paths));
        warnings.extend(doubtful_pattern(contract));
        warnings.extend(slow_pattern(contract));
        warnings.extend(pattern_across_lines(contract));
        warnings.extend(zones_of_unknown_language(contract));
        warnings.extend(values_of_no_data(contract));
        warnings.extend(vacuous_path(contract));
        warnings.extend(code_of_other_language(contract));
        warnings.extend(idle_import(contract, paths));
        warnings.extend(command_with_files(contract));
    }
    warnings.extend(duplicates(&own, paths));
    warnings.sort();
    warnings
}

/// Notes about contracts without examples. A contract works without them.
pub fn missing_examples(contracts: &[Contract]) -> Vec<Warning> {
    own(contracts).filter(|contract| needs_examples(contract)).filter_map(missing_example).collect()
}

/// Whether examples show something. A limit on the size of files needs none.
pub fn needs_examples(contract: &Contract) -> bool {
    contract.check.limit().is_none()
}

/// The contracts that are of no pack.
fn own(contracts: &[Contract]) -> impl Iterator<Item = &Contract> {
    contracts.iter().filter(|contract| contract.origin.layer != LayerKind::Pack)
}

/// Reports a glob that matches no file of the project. A user's contract is exempt because it serves many projects, and so
/// is one about the existence of a file.
fn idle_glob(contract: &Contract, paths: &[RelPath]) -> Option<Warning> {
    let base = &contract.scope.base;
    let matches_one =
        |glob: &Glob| paths.iter().filter_map(|path| path.below(base)).any(|path| glob.is_match(path));
    if !contract.check.reads_text() || contract.origin.layer == LayerKind::User || matches_one(&contract.glob)
    {
        return None;
    }
    let glob = contract.glob.as_str();
    let others = [format!("**/{glob}"), format!("{glob}/**")];
    let meant = others.into_iter().find(|other| Glob::new(other).is_ok_and(|glob| matches_one(&glob)));
    let hint = match meant {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "correct 'file_glob' or remove the contract".to_owned(),
    };
    let what = format!("{}: no file of the project matches '{glob}' ({hint})", contract.id);
    Some(Warning::at(&contract.origin.file, contract.glob_line, what))
}

fn doubtful_pattern(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let what = match vacuous(pattern) {
        Some(Vacuous::NeverMatches) => "no text matches this pattern (check its anchors and classes)",
        Some(Vacuous::MatchesEmpty) => {
            "the pattern can match the empty string, which never counts (require at least one character)"
        }
        Some(Vacuous::ControlCharacter) => {
            "the pattern contains a control character (write it in single quotes, where '\\b' stays a word boundary)"
        }
        None if reads_like_a_regex(pattern) => {
            "the pattern is taken literally in this form (use the flat form for a regular expression)"
        }
        None => return None,
    };
    Some(about_pattern(contract, pattern, what))
}

/// Whether a literal pattern contains regex syntax.
fn reads_like_a_regex(pattern: &Pattern) -> bool {
    let signs =
        [r"\b", r"\s", r"\d", r"\w", r"\(", r"\.", r"\[", ".*", ".+", "(?", "[^", "[a-z", "[A-Z", "[0-9"];
    pattern.dialect == Dialect::Literal && signs.iter().any(|sign| pattern.source.contains(sign))
}

fn slow_pattern(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let (compiled, _) = pattern::CompiledPattern::new(pattern).ok()?;
    let because = compiled.backtracks()?;
    // `keep_pattern` compares the texts of matches, and look-around keeps context out of them.
    if matches!(contract.check, Check::Keep(_)) && because == Backtracks::LookAround {
        return None;
    }
    let because = because.as_str();
    let what = format!(
        "the pattern needs the backtracking engine because of {because}: it is slower and may time out \
         (write it without)"
    );
    Some(about_pattern(contract, pattern, what))
}

fn pattern_across_lines(contract: &Contract) -> Option<Warning> {
    let pattern = contract.check.pattern()?;
    let what = "the pattern starts with white space that crosses line ends, as '\\s*' does \
        (write '[ \\t]*' to stay on one line)";
    pattern::starts_across_lines(pattern).then(|| about_pattern(contract, pattern, what))
}

/// Reports `in` for files whose language is unknown, where it has no effect.
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
        "{}: 'in' has no effect on {}: unknown language (remove 'in', or change 'file_glob')",
        contract.id,
        unknown.join(", ")
    );
    (!unknown.is_empty()).then(|| Warning::at(&contract.origin.file, contract.glob_line, what))
}

/// Reports a contract about values for files that are not data, which are not judged.
fn values_of_no_data(contract: &Contract) -> Option<Warning> {
    if !contract.check.reads_data() {
        return None;
    }
    let named = match contract.glob.names() {
        NamePattern::Any => return None,
        NamePattern::Name(name) => vec![name.to_owned()],
        NamePattern::Extensions(extensions) => {
            extensions.iter().map(|extension| format!("*.{extension}")).collect()
        }
    };
    let others: Vec<_> = named.into_iter().filter(|name| Format::of(name.as_bytes()).is_none()).collect();
    let what = format!(
        "{}: {} is not JSON, YAML or TOML by its name and is not judged (change 'file_glob')",
        contract.id,
        others.join(", ")
    );
    (!others.is_empty()).then(|| Warning::at(&contract.origin.file, contract.glob_line, what))
}

/// Reports a path that selects nothing, or the whole file, which is hardly ever a single value.
fn vacuous_path(contract: &Contract) -> Option<Warning> {
    let check = contract.check.value()?;
    let what = match (check.path.is_empty(), &check.pattern, check.equals.is_empty()) {
        (true, None, true) => "the path '$' selects the whole file (name a value, such as '$.name')",
        (true, ..) => {
            "the path '$' selects the whole file, which is no single value (name a value, such as '$.name')"
        }
        (false, ..) if check.path.selects_nothing() => {
            "the path can select nothing (a slice with step 0, or one that ends before it starts)"
        }
        (false, ..) => return None,
    };
    Some(Warning::at(&contract.origin.file, contract.line, format!("{}: {what}", contract.id)))
}

/// Reports the languages of the glob that the code of a contract does not fit, and a glob without any.
fn code_of_other_language(contract: &Contract) -> Vec<Warning> {
    let Some(code) = contract.check.code() else { return Vec::new() };
    let about =
        |what: String| Warning::at(&contract.origin.file, code.line, format!("{}: {what}", contract.id));
    if let (None, NamePattern::Extensions(_) | NamePattern::Name(_)) = (&code.language, contract.glob.names())
        && code::is_for_no_language(contract)
    {
        let what = "no file of the glob is in a language that is parsed (name its 'language', or use forbid_pattern)";
        return vec![about(what.to_owned())];
    }
    // One that fits no language is reported when contracts are loaded.
    if matcher::broken(contract).is_some() {
        return Vec::new();
    }
    let misfit = |(language, why): (&str, String)| {
        about(format!("the code does not fit {language}: {} (write it for each language)", printable(&why)))
    };
    code::misfits(contract).into_iter().map(misfit).collect()
}

/// Reports import globs that can match nothing, and a file glob without a language that has imports.
fn idle_import(contract: &Contract, paths: &[RelPath]) -> Vec<Warning> {
    let Some(imports) = contract.check.imports() else { return Vec::new() };
    let about =
        |what: String| Warning::at(&contract.origin.file, imports.line, format!("{}: {what}", contract.id));
    if imports::is_for_no_language(contract) {
        let what = "no file of the glob is in a language whose imports are known (change 'file_glob')";
        return vec![about(what.to_owned())];
    }
    let is_below = |directory: &str| {
        let directory = contract.scope.base.join(directory.trim_end_matches('/'));
        paths.iter().any(|path| path.below(&directory).is_some())
    };
    let idle = |text: &String| {
        let shown = printable(text);
        if text.starts_with(['/', '.']) {
            return Some(format!(
                "the import '{shown}' can match nothing: paths start at the project's root (write it without '/' and '.' at the start)"
            ));
        }
        let glob = Glob::new(text).ok()?;
        let directory = glob.directory();
        let (first, _) = directory.split_once('/')?;
        // Modules have names with `/`, too. Those start with no directory of the project.
        (is_below(first) && !is_below(directory)).then(|| {
            format!(
                "the import '{shown}' matches no file of the project (there is nothing in {})",
                printable(directory)
            )
        })
    };
    imports.globs.iter().filter_map(idle).map(about).collect()
}

/// Reports files of a contract about commands, which has none.
fn command_with_files(contract: &Contract) -> Option<Warning> {
    let key = match (contract.is_about_every_file(), &contract.exclude) {
        _ if !contract.check.reads_commands() => return None,
        (true, None) => return None,
        (true, Some(_)) => "exclude_glob",
        (false, _) => "file_glob",
    };
    let line = contract
        .exclude
        .as_ref()
        .filter(|_| key == "exclude_glob")
        .map_or(contract.glob_line, |one| one.line);
    let what = format!("{}: '{key}' has no effect for {} (remove it)", contract.id, contract.kind);
    Some(Warning::at(&contract.origin.file, line, what))
}

fn about_pattern(contract: &Contract, pattern: &Pattern, what: impl std::fmt::Display) -> Warning {
    Warning::at(&contract.origin.file, pattern.line, format!("{}: {what}", contract.id))
}

fn missing_example(contract: &Contract) -> Option<Warning> {
    let examples = &contract.examples;
    let what = match (examples.violating.is_empty(), examples.passing.is_empty()) {
        (false, false) => return None,
        (true, true) => "has no examples (add 'examples: {violating: [\u{2026}], passing: [\u{2026}]}')",
        (true, false) => "has no violating example (add one)",
        (false, true) => "has no passing example (add one that is almost a violation)",
    };
    Some(Warning::at(&contract.origin.file, contract.line, format!("note: {} {what}", contract.id)))
}

/// Reports contracts with the same pattern for the same files.
fn duplicates(contracts: &[&Contract], paths: &[RelPath]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (at, &second) in contracts.iter().enumerate() {
        for &first in &contracts[..at] {
            let line = second.check.pattern().map(|pattern| pattern.line);
            let line = line.or(second.check.code().map(|code| code.line));
            let line = line.or(second.check.imports().map(|imports| imports.line));
            let Some(line) = line else { continue };
            if same_demand(first, second) && overlap(first, second, paths) {
                let what = format!(
                    "same pattern as {} ({}) for the same files (remove one of them)",
                    first.id,
                    first.origin.file.display()
                );
                let what = format!("{}: {what}", second.id);
                warnings.push(Warning::at(&second.origin.file, line, what));
            }
        }
    }
    warnings
}

fn same_demand(first: &Contract, second: &Contract) -> bool {
    let text = |check: &Check| {
        let path = check.value().map(|value| (value.demand, value.path.clone()));
        let pattern = check.pattern().map(|pattern| (pattern.source.clone(), pattern.dialect));
        let code = check.code().map(|code| (code.source.clone(), code.language.clone()));
        let imports = check.imports().map(|imports| imports.globs.clone());
        let is_comparable = pattern.is_some() || code.is_some() || imports.is_some();
        is_comparable.then_some((std::mem::discriminant(check), path, pattern, code, imports))
    };
    first.enabled
        && second.enabled
        && !first.kinds.is_disjoint(second.kinds)
        && text(&first.check) == text(&second.check)
}

/// Whether both apply to some file of the project, or to a path derived from either glob.
fn overlap(first: &Contract, second: &Contract, paths: &[RelPath]) -> bool {
    let derived = [first, second].map(derived_path);
    let both = |path: &RelPath| first.applies_to(path, None) && second.applies_to(path, None);
    derived.iter().flatten().chain(paths).any(both)
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
    fn accepts_good_contract() {
        check(&[forbid("a", "print", "**/*.py")], &[]);
    }

    #[test]
    fn idle_glob_gets_suggestion() {
        check(
            &[forbid("a", "x", "*.py"), forbid("c", "z", "src"), forbid("d", "w", "*.go")],
            &[
                "a.yaml:6: a: no file of the project matches '*.py' (did you mean '**/*.py'?)",
                "c.yaml:6: c: no file of the project matches 'src' (did you mean 'src/**'?)",
                "d.yaml:6: d: no file of the project matches '*.go' (correct 'file_glob' or remove the contract)",
            ],
        );
    }

    #[test]
    fn glob_of_nested_contract_starts_at_its_directory() {
        let mut nested = forbid("a", "x", "*.py");
        nested.scope.base = "src".into();
        check(&[nested.clone()], &[]);
        nested.scope.base = "lib".into();
        let what = "no file of the project matches '*.py' (correct 'file_glob' or remove the contract)";
        check(&[nested], &[&format!("a.yaml:6: a: {what}")]);
    }

    #[test]
    fn exempts_globs_that_may_match_nothing() {
        let rest = format!("type: forbid_pattern\npattern: x\nfile_glob: '*.go'\n{EXAMPLES}");
        let absent = format!("type: file_not_exists\nfile_glob: '*.zip'\n{EXAMPLES}");
        check(&[parse(LayerKind::User, "a", &rest), parse(LayerKind::Project, "b", &absent)], &[]);
    }

    #[test]
    fn doubtful_patterns_have_line() {
        check(
            &[forbid("a", "x*", "**"), forbid("b", "a^b", "**"), forbid("c", "(?<=a)b", "**")],
            &[
                "a.yaml:5: a: the pattern can match the empty string, which never counts \
                 (require at least one character)",
                "b.yaml:5: b: no text matches this pattern (check its anchors and classes)",
                "c.yaml:5: c: the pattern needs the backtracking engine because of look-around: it is slower and may \
                 time out (write it without)",
            ],
        );
    }

    #[test]
    fn kept_match_may_need_look_around() {
        let keep = |id, pattern: &str| {
            let rest = format!("type: keep_pattern\npattern: '{pattern}'\nfile_glob: '**'\n{EXAMPLES}");
            parse(LayerKind::Project, id, &rest)
        };
        let contracts = [keep("a", "assert(?=_)"), keep("b", r"(a)\1")];
        let found = super::contracts(&contracts, &[RelPath::from("src/app.py")]);
        let files: Vec<_> = found.iter().map(|warning| warning.file.display().to_string()).collect();
        assert_eq!(files, ["b.yaml"]);
    }

    #[test]
    fn reports_white_space_across_lines() {
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
    fn reports_zones_of_unknown_language() {
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
                "a.yaml:6: a: 'in' has no effect on *.txt, *.xyz: unknown language (remove 'in', or change \
                 'file_glob')",
                "b.yaml:6: b: 'in' has no effect on NOTES: unknown language (remove 'in', or change \
                 'file_glob')",
            ],
        );
    }

    #[test]
    fn reports_backspace_from_double_quotes() {
        let rest = format!("type: forbid_pattern\npattern: \"\\bprint\"\nfile_glob: '**'\n{EXAMPLES}");
        check(
            &[parse(LayerKind::Project, "a", &rest)],
            &["a.yaml:5: a: the pattern contains a control character \
              (write it in single quotes, where '\\b' stays a word boundary)"],
        );
    }

    #[test]
    fn reports_literal_with_regex_syntax() {
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
    fn reports_missing_examples() {
        let rest = |examples: &str| format!("type: forbid_pattern\npattern: x\nfile_glob: '**'\n{examples}");
        let none = parse(LayerKind::Project, "a", &rest(""));
        let one_sided =
            parse(LayerKind::Project, "b", &rest("examples: {violating: [x]}\n").replace(": x", ": z"));
        let other_side =
            parse(LayerKind::Project, "c", &rest("examples: {passing: [x]}\n").replace(": x", ": w"));
        let pack = parse(LayerKind::Pack, "d", &rest(""));
        let notes = super::missing_examples(&[none, one_sided, other_side, pack]);
        let notes: Vec<_> = notes.iter().map(Warning::to_string).collect();
        assert_eq!(
            notes,
            [
                "a.yaml:1: note: a has no examples (add 'examples: {violating: [\u{2026}], passing: [\u{2026}]}')",
                "b.yaml:1: note: b has no passing example (add one that is almost a violation)",
                "c.yaml:1: note: c has no violating example (add one)",
            ],
        );
    }

    #[test]
    fn reports_duplicate_pattern_for_same_files() {
        check(
            &[
                forbid("a", "same", "**/*.py"),
                forbid("b", "same", "src/**"),
                forbid("c", "same", "**/*.md"),
                Contract { enabled: false, ..forbid("d", "same", "**") },
            ],
            &["b.yaml:5: b: same pattern as a (a.yaml) for the same files (remove one of them)"],
        );
    }

    #[test]
    fn packs_are_lint_free() {
        let layers: Vec<_> = PACKS.iter().map(Layer::of_pack).collect();
        let mut packs = load(&layers, Loading::whole(phaser_core::matcher::broken));
        for contract in &mut packs.contracts {
            contract.origin.layer = LayerKind::Project;
        }
        let paths: Vec<_> = packs.contracts.iter().filter_map(derived_path).collect();
        assert_eq!(super::contracts(&packs.contracts, &paths), []);
    }
}
