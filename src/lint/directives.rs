//! Lints for ignore directives that suppress nothing: without an id, with an unknown id, or no longer needed.

use std::collections::BTreeSet;

use phaser_core::contract::{Contract, Warning};
use phaser_core::matcher::directives::{Directive, Ignores, Lines, Scope};
use phaser_core::matcher::{Checked, Matcher};
use phaser_core::skipped::Gap;
use phaser_core::suggest::nearest;
use phaser_core::text::Text;
use phaser_project::path::RelPath;
use phaser_project::source::{Reader, Target};

/// Lints the directives in these files.
///
/// `matcher` must disregard directives, so that it finds what they would suppress. `others` are the ids of contracts that
/// are not in `matcher`.
pub fn directives(
    matcher: &Matcher,
    others: &BTreeSet<&str>,
    targets: &[Target],
    reader: &mut Reader,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for target in targets.iter().filter(|target| !target.path.is_project_contract()) {
        let bytes = match reader.read(&target.content) {
            Ok(bytes) => bytes,
            Err(why) if why.gap() == Gap::None => continue,
            Err(why) => {
                warnings.push(Warning::about(target.path.to_text().as_ref().as_ref(), why.to_string()));
                continue;
            }
        };
        let Some(text) = Text::new(&*bytes) else { continue };
        let ignores = Ignores::parse(&target.path, &text);
        if ignores.iter().next().is_none() {
            continue;
        }
        let selection = matcher.select(&target.path, target.alias.as_ref());
        let checked = matcher.check(&selection, &target.path, Some(&text));
        let file = CheckedFile { matcher, others, path: &target.path, checked };
        warnings.extend(ignores.iter().flat_map(|directive| file.directive(directive)));
    }
    warnings
}

/// A file and the violations in it that a directive could suppress.
struct CheckedFile<'a> {
    matcher: &'a Matcher,
    others: &'a BTreeSet<&'a str>,
    path: &'a RelPath,
    checked: Checked,
}

impl CheckedFile<'_> {
    fn directive(&self, directive: &Directive<'_>) -> Vec<Warning> {
        let whole = |what: &str| vec![self.warning(directive, what.to_owned())];
        if directive.scope == Scope::AllOnLine {
            return match self.suppresses(directive, None) || !self.checked.skipped.is_empty() {
                true => Vec::new(),
                false => whole("this directive suppresses nothing (remove it)"),
            };
        }
        let Some(first) = directive.ids.first() else {
            return whole("this directive names no contract and suppresses nothing (add an id)");
        };
        if directive.scope == Scope::File && !directive.covers(first, None) {
            return whole("a directive for the whole file must be at its top (move it up)");
        }
        directive.ids.iter().filter_map(|id| self.id(directive, id)).collect()
    }

    fn id(&self, directive: &Directive<'_>, id: &str) -> Option<Warning> {
        let ids = || self.matcher.contracts().iter().map(|contract| contract.id.as_str());
        // Whether a change violates such a contract, the file does not show.
        let is_about_changes = |contract: &Contract| {
            contract.id == id && contract.check.compares_change() && contract.applies_to(self.path, None)
        };
        if self.matcher.contracts().iter().any(|contract| is_about_changes(contract)) {
            return None;
        }
        if ids().any(|known| known == id) {
            let suppresses = self.suppresses(directive, Some(id)) || self.is_unfinished(id);
            return (!suppresses)
                .then(|| self.warning(directive, format!("'{id}' is not violated here (remove it)")));
        }
        if self.others.contains(id) || !id.chars().all(may_be_in_id) {
            return None;
        }
        let hint = match nearest(id, ids().chain(self.others.iter().copied())) {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => "remove it".to_owned(),
        };
        Some(self.warning(directive, format!("no contract is called '{id}' ({hint})")))
    }

    /// Whether the directive suppresses a violation of this contract, or of any.
    fn suppresses(&self, directive: &Directive<'_>, only: Option<&str>) -> bool {
        self.checked.violations.iter().any(|violation| {
            let id = violation.contract.id.as_str();
            let lines = violation.found.as_ref().map(|found| Lines::of(found.region));
            only.is_none_or(|only| only == id) && directive.covers(id, lines)
        })
    }

    /// Whether the search for this contract did not finish.
    fn is_unfinished(&self, wanted: &str) -> bool {
        self.checked.skipped.iter().any(|skipped| skipped.why.concerns(wanted))
    }

    fn warning(&self, directive: &Directive<'_>, what: String) -> Warning {
        Warning::at(self.path.to_text().as_ref().as_ref(), directive.line, what)
    }
}

/// Whether an id, or a typo of one, may contain this character. If not, the directive is text inside a string literal.
fn may_be_in_id(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::{LayerKind, Origin, syntax};
    use phaser_core::matcher::{Directives, Options};
    use phaser_core::skipped::SkipReason;
    use phaser_project::source::Content;
    use std::time::Duration;

    fn lint(path: &str, text: &str) -> Vec<String> {
        lint_content(path, Content::Bytes(text.into()))
    }

    fn lint_content(path: &str, content: Content) -> Vec<String> {
        let contract = |id: &str, pattern: &str| {
            let yaml = format!(
                "rule_id: {id}\ntype: forbid_pattern\npattern: {pattern}\nfile_glob: '**/*.py'\nmessage: m\n\
                 severity: error\n"
            );
            let origin = Origin { layer: LayerKind::Project, file: "c.yaml".into() };
            syntax::parse(&yaml, origin).expect("is valid")
        };
        let options = Options::new(Duration::from_secs(10), Directives::Disregarded);
        let contracts = vec![contract("no-print", r"print\("), contract("no-eval", r"eval\(")];
        let matcher = Matcher::new(contracts, options);
        let target = Target::new(RelPath::from(path), content);
        let others = BTreeSet::from(["switched-off"]);
        let warnings = directives(&matcher, &others, &[target], &mut Reader::new(1_000));
        warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn accepts_directives_in_use() {
        let text = "# phaser:ignore-file no-eval\nprint(1) # phaser:ignore no-print\n\
            # phaser:ignore-next-line no-print\nprint(2)\neval(3) # phaser:ignore-all\n";
        assert_eq!(lint("a.py", text), [""; 0]);
    }

    #[test]
    fn reports_unused_directives() {
        let text = "print(1) # phaser:ignore no-print, no-eval\nx # phaser:ignore-all\n\
            # phaser:ignore-next-line no-print\nlog(2)\n";
        let expected = [
            "a.py:1: 'no-eval' is not violated here (remove it)",
            "a.py:2: this directive suppresses nothing (remove it)",
            "a.py:3: 'no-print' is not violated here (remove it)",
        ];
        assert_eq!(lint("a.py", text), expected);
    }

    #[test]
    fn reports_unknown_and_missing_ids() {
        let text = "print(1) # phaser:ignore no-pint\nprint(2) # phaser:ignore\nx # phaser:ignore whatever\n\
            y # phaser:ignore switched-off\n";
        let expected = [
            "a.py:1: no contract is called 'no-pint' (did you mean 'no-print'?)",
            "a.py:2: this directive names no contract and suppresses nothing (add an id)",
            "a.py:3: no contract is called 'whatever' (remove it)",
        ];
        assert_eq!(lint("a.py", text), expected);
    }

    #[test]
    fn skips_directive_in_string() {
        assert_eq!(lint("a.py", "x = run('# phaser:ignore no-rule') # y\n"), [""; 0]);
    }

    #[test]
    fn reports_file_directive_below_top() {
        let text = format!("{}# phaser:ignore-file no-print\nprint(1)\n", "\n".repeat(10));
        assert_eq!(
            lint("a.py", &text),
            ["a.py:11: a directive for the whole file must be at its top (move it up)"]
        );
    }

    #[test]
    fn lints_all_files_except_contracts() {
        let text = "x # phaser:ignore no-print\n";
        assert_eq!(lint("a.rb", text), ["a.rb:1: 'no-print' is not violated here (remove it)"]);
        assert_eq!(lint(".claude/contracts/a.yaml", text), [""; 0]);
    }

    #[test]
    fn reports_unreadable_file() {
        let gone = Content::Opaque(SkipReason::Unreadable("gone".to_owned()));
        assert_eq!(lint_content("a.py", gone), ["a.py: cannot be read: gone"]);
        assert_eq!(lint_content("a.py", Content::Opaque(SkipReason::Link)), [""; 0]);
    }
}
