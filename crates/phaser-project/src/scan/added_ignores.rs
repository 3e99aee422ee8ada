//! Finds the ignore directives that a change adds and that suppress a violation.

use std::sync::Arc;

use super::bytes;
use crate::report::AddedIgnore;
use crate::source::{Reader, Target};
use phaser_core::matcher::directives::{self, Ignores};
use phaser_core::text::{Text, changed_lines};
use phaser_core::violation::{State, Violation};

/// The suppressing directives that are in none of the target's previous versions.
pub(super) fn added(
    reader: &mut Reader,
    target: &Target,
    text: &Text<'_>,
    violations: &[Violation],
) -> Vec<AddedIgnore> {
    if !violations.iter().any(|violation| violation.state == State::Ignored) {
        return Vec::new();
    }
    let now = Now { target, text, ignores: Ignores::parse(&target.path, text), violations };
    let mut before = target.before.as_deref();
    let mut found = now.added_since(reader, before);
    while let Some(earlier) = before.and_then(|before| before.before.as_deref()) {
        before = Some(earlier);
        let others = now.added_since(reader, before);
        found.retain(|one| others.contains(one));
    }
    found
}

/// The current version of a target.
struct Now<'a> {
    target: &'a Target,
    text: &'a Text<'a>,
    ignores: Ignores<'a>,
    violations: &'a [Violation],
}

impl Now<'_> {
    /// The directives that are not in `before`, each once per contract.
    fn added_since(&self, reader: &mut Reader, before: Option<&Target>) -> Vec<AddedIgnore> {
        let content = before.and_then(|before| reader.read(&before.content).ok());
        let was = content.and_then(Text::new);
        let changed = changed_lines(bytes(was.as_ref()), self.text.bytes());
        let path = before.map_or(&self.target.path, |before| &before.path);
        let was = was.as_ref().map(|was| Ignores::parse(path, was)).unwrap_or_default();
        let mut found: Vec<AddedIgnore> = Vec::new();
        for (violation, line) in directives::added(&was, &self.ignores, &changed, self.violations) {
            let path = self.target.path.clone();
            let one = AddedIgnore { contract: Arc::clone(&violation.contract), path, line };
            if !found.iter().any(|known| known.line == line && known.contract.id == one.contract.id) {
                found.push(one);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Existing, Measure, ScanOptions, scan};
    use super::*;
    use crate::path::RelPath;
    use crate::source::{Compared, Content, Coverage, Targets};
    use phaser_core::contract::{Check, Dialect, Pattern};
    use phaser_core::matcher::{self, Directives, Matcher};
    use phaser_core::testing;

    fn matcher() -> Matcher {
        let forbid = |source: &str| {
            let source = source.to_owned();
            Check::forbid(Pattern { source, dialect: Dialect::Regex, line: 1, literals: None })
        };
        let contracts = vec![testing::contract(0, forbid("x")), testing::contract(1, forbid("y"))];
        Matcher::new(contracts, matcher::Options::new(Duration::from_secs(3600), Directives::Honoured))
    }

    fn target(path: &str, text: &str) -> Target {
        Target::new(RelPath::from(path), Content::Bytes(text.into()))
    }

    fn whole(targets: Vec<Target>) -> Targets {
        Targets { targets, coverage: Coverage::Whole, skipped: Vec::new(), folders: None }
    }

    const OPTIONS: ScanOptions<'_> = ScanOptions {
        threads: 1,
        max_file_size: 1_000,
        existing: Existing::Report,
        added_ignores: true,
        measure: Measure::Nothing,
        propose_fixes: false,
        cache: None,
    };

    /// The directives that a change adds, of contracts against `x` (c0) and against `y` (c1).
    fn added(before: Option<&str>, now: &str) -> Vec<String> {
        let matcher = matcher();
        let before = before.map(|text| Box::new(target("a.py", text)));
        let targets = [Compared::Everything, Compared::Directives]
            .map(|compared| whole(vec![Target { before: before.clone(), compared, ..target("a.py", now) }]));
        let [one, other] = targets.map(|targets| {
            let added = scan(&matcher, &targets, OPTIONS, &()).added_ignores;
            added.iter().map(|added| format!("{} {}", added.contract.id, added.line)).collect::<Vec<_>>()
        });
        assert_eq!(one, other);
        let nothing = ScanOptions { added_ignores: false, ..OPTIONS };
        let targets = whole(vec![target("a.py", now)]);
        assert!(scan(&matcher, &targets, nothing, &()).added_ignores.is_empty());
        one
    }

    #[test]
    fn finds_added_ignore_directives() {
        let line = "x # phaser:ignore c0\n";
        for (before, now, expected) in [
            (None, line, "c0 1"),
            (Some(""), line, "c0 1"),
            (Some("x\n"), line, "c0 1"),
            (Some(line), "x # phaser:ignore c0\nx # phaser:ignore c0\n", "c0 2"),
            (Some("a\nx # phaser:ignore c0\n"), "x # phaser:ignore c0\nb\nx # phaser:ignore c0\n", "c0 1"),
            (Some("x y # phaser:ignore c0\n"), "x y # phaser:ignore c0, c1\n", "c1 1"),
            (Some(line), "x # phaser:ignore-all\n", "c0 1"),
            (Some("x y\n"), "# phaser:ignore-file c0\nx y\n", "c0 1"),
            (Some("x\n"), "# phaser:ignore-next-line c0, c1\nx\n", "c0 1"),
            (Some("x\nx\n"), "# phaser:ignore-file c0\nx\nx\n", "c0 1"),
            (Some("x y\n"), "x y # phaser:ignore-all\n", "c0 1, c1 1"),
            (Some("\n\n\n\n\n\n\n\n\n\n# phaser:ignore-file c0\nx"), "# phaser:ignore-file c0\nx", "c0 1"),
        ] {
            assert_eq!(added(before, now).join(", "), expected, "{before:?} → {now}");
        }
    }

    #[test]
    fn existing_or_idle_directives_are_not_added() {
        let line = "x # phaser:ignore c0\n";
        for (before, now) in [
            (line, line),
            (line, "a\nb\n  x   # phaser:ignore c0 -- because\n"),
            ("a # phaser:ignore c0\n", line),
            (line, "x x # phaser:ignore c0\n"),
            ("x\n", "x # phaser:ignore c1\n"),
            ("x\n", "x # phaser:ignore\n"),
            ("x\n", "a # phaser:ignore c0\n"),
            ("# phaser:ignore-file c0\nx\n", "# phaser:ignore-file c0\nx # phaser:ignore c0\n"),
            ("x # phaser:ignore c0, c0\n", line),
            (line, "x # phaser:ignore c0, c0\n"),
            ("x y # phaser:ignore c0, c1\n", "x # phaser:ignore c0\ny # phaser:ignore c1\n"),
            (line, ""),
        ] {
            assert_eq!(added(Some(before), now), [""; 0], "{before} → {now}");
        }
    }

    #[test]
    fn directive_in_one_previous_text_is_known() {
        let line = "x # phaser:ignore c0\n";
        let added = |texts: [&str; 2]| {
            let [first, second] = texts.map(|text| target("a.py", text));
            let before = Some(Box::new(Target { before: Some(Box::new(second)), ..first }));
            let targets = whole(vec![Target { before, ..target("a.py", line) }]);
            scan(&matcher(), &targets, OPTIONS, &()).added_ignores.len()
        };
        assert_eq!([added(["x", line]), added([line, "x"]), added(["x", "x"])], [0, 0, 1]);
    }
}
