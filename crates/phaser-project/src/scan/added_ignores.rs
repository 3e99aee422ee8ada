//! Violations that a directive suppresses, and none suppressed before the change.
//!
//! They are compared like open violations: by contract and text, as often as before. So it does not matter whether the
//! directive, the violation or both are new. Example, with `ignores: deny`:
//!
//! | before                              | after                               | added                           |
//! |-------------------------------------|-------------------------------------|---------------------------------|
//! | `f(x)`                              | `eval(x)  # phaser:ignore no-eval`  | yes                             |
//! | `x = 1  # phaser:ignore no-eval`    | `eval(x)  # phaser:ignore no-eval`  | yes: the directive was idle     |
//! | `eval(x)  # phaser:ignore no-eval`  | the same, moved, with a reason      | no                              |
//! | `eval(x)  # phaser:ignore no-eval`  | `eval(y)  # phaser:ignore no-eval`  | yes: the violation is another   |
//!
//! The directive and what follows it are not part of the compared text, but its scope is.
//!
//! A contract about companions is not judged around an edit. A directive for it counts as if the file had no companion.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use super::bytes;
use crate::path::RelPath;
use crate::report::{AddedIgnore, Earlier};
use crate::source::{Reader, Target};
use phaser_core::check::CompanionDemand;
use phaser_core::contract::Contract;
use phaser_core::matcher::Matcher;
use phaser_core::matcher::directives::{Ignores, Lines, MARK, Scope};
use phaser_core::text::{Text, changed_lines};
use phaser_core::violation::{LineDigest, State, Violation};

/// The directives that suppress a violation which none of the target's previous versions has suppressed, each once per
/// contract.
pub(super) fn added(
    matcher: &Matcher,
    reader: &mut Reader,
    target: &Target,
    text: &Text<'_>,
    violations: &[Violation],
) -> Vec<AddedIgnore> {
    let companions = of_companions(matcher, &target.path, text);
    let violations = &[violations, &companions].concat();
    if !violations.iter().any(|violation| violation.state == State::Ignored) {
        return Vec::new();
    }
    let (mut left, changed) = previous(matcher, reader, target.before.as_deref(), text);
    let ignores = Ignores::parse(&target.path, text);
    let mut now: Vec<Suppressed<'_>> = suppressed(&ignores, text, violations);
    // Among equal ones, the one on a changed line is the new one: pair it last.
    let earlier = Earlier { path: target.path.clone(), violations: Vec::new(), changed };
    now.sort_by_key(|one| earlier.touches(one.violation));
    let mut found: Vec<AddedIgnore> = Vec::new();
    for one in now {
        if let Some(count @ 1..) = left.get_mut(&one.key()) {
            *count -= 1;
            continue;
        }
        let contract = &one.violation.contract;
        if !found.iter().any(|known| known.line == one.line && known.contract.id == contract.id) {
            found.push(AddedIgnore {
                contract: Arc::clone(contract),
                path: target.path.clone(),
                line: one.line,
            });
        }
    }
    found.sort_by(|one, other| (one.line, &one.contract.id).cmp(&(other.line, &other.contract.id)));
    found
}

/// A suppressed violation.
struct Suppressed<'v> {
    violation: &'v Violation,
    /// The text of its lines, without the directive.
    digest: LineDigest,
    /// The line of the directive, from 1.
    line: usize,
    scope: Scope,
}

type SuppressionKey = (String, Scope, LineDigest);

impl Suppressed<'_> {
    fn key(&self) -> SuppressionKey {
        (self.violation.contract.id.clone(), self.scope, self.digest)
    }
}

fn suppressed<'v>(
    ignores: &Ignores<'_>,
    text: &Text<'_>,
    violations: &'v [Violation],
) -> Vec<Suppressed<'v>> {
    let ignored = violations.iter().filter(|violation| violation.state == State::Ignored);
    let all = ignored.filter_map(|violation| {
        let lines = violation.found.as_ref().map(|found| Lines::of(found.region));
        let directive = ignores.covering(&violation.contract.id, lines)?;
        let compared = violation.found.as_ref().map(|found| lines_without_directives(text, &found.range));
        let digest = LineDigest::of(&compared.unwrap_or_default());
        Some(Suppressed { violation, digest, line: directive.line, scope: directive.scope })
    });
    all.collect()
}

/// Whether a directive for the contract counts at once, and the contract is judged after the edit.
pub(super) fn is_judged_later(contract: &Contract) -> bool {
    contract.check.companion().is_some_and(|companion| companion.demand == CompanionDemand::Exists)
}

/// The violations of contracts about companions that directives of a file suppress, if it has no companion.
fn of_companions(matcher: &Matcher, path: &RelPath, text: &Text<'_>) -> Vec<Violation> {
    let selection = matcher.select(path, None);
    let contracts = selection.changes().iter().map(|&index| &matcher.contracts()[index]);
    let of_companions = contracts.filter(|contract| is_judged_later(contract));
    let mut violations: Vec<Violation> =
        of_companions.map(|contract| Violation::of_file(contract, path)).collect();
    matcher.apply_directives(path, text, &mut violations);
    violations
}

/// How often each violation is suppressed in the previous versions: in the one that has it most often. Also the lines of
/// `now` that changed since the first of them.
fn previous(
    matcher: &Matcher,
    reader: &mut Reader,
    before: Option<&Target>,
    now: &Text<'_>,
) -> (HashMap<SuppressionKey, usize>, Range<usize>) {
    let mut most: HashMap<SuppressionKey, usize> = HashMap::new();
    let mut changed = None;
    for version in std::iter::successors(before, |version| version.before.as_deref()) {
        let text = reader.read(&version.content).ok().and_then(Text::new);
        changed = changed.or_else(|| Some(changed_lines(bytes(text.as_ref()), now.bytes())));
        let Some(text) = text else { continue };
        let selection = matcher.select(&version.path, version.alias.as_ref());
        let checked = matcher.check(&selection, &version.path, Some(&text));
        let ignores = Ignores::parse(&version.path, &text);
        let mut count: HashMap<SuppressionKey, usize> = HashMap::new();
        let violations = [checked.violations, of_companions(matcher, &version.path, &text)].concat();
        for one in suppressed(&ignores, &text, &violations) {
            *count.entry(one.key()).or_default() += 1;
        }
        for (key, count) in count {
            let known = most.entry(key).or_default();
            *known = count.max(*known);
        }
    }
    (most, changed.unwrap_or_else(|| changed_lines(&[], now.bytes())))
}

/// The lines of `range`, each up to a directive in it, without the signs that open a comment.
fn lines_without_directives(text: &Text<'_>, range: &Range<usize>) -> Vec<u8> {
    let bytes = text.bytes();
    let start = memchr::memrchr(b'\n', &bytes[..range.start]).map_or(0, |at| at + 1);
    let last = if range.is_empty() { range.start } else { range.end - 1 };
    let end = memchr::memchr(b'\n', &bytes[last..]).map_or(bytes.len(), |at| last + at);
    let mut compared = Vec::new();
    for line in bytes[start..end].split(|&byte| byte == b'\n') {
        let line = memmem::find(line, MARK).map_or(line, |at| &line[..at]);
        let is_sign = |byte: &&u8| !byte.is_ascii_alphanumeric();
        let signs = line.iter().rev().take_while(is_sign).count();
        compared.extend_from_slice(&line[..line.len() - signs]);
        compared.push(b'\0');
    }
    compared
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
        Targets { targets, coverage: Coverage::Whole, ..Targets::none() }
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

    /// The directives that suppress something new, of contracts against `x` (c0) and against `y` (c1).
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
            (Some("a # phaser:ignore c0\n"), line, "c0 1"),
            (Some("# phaser:ignore-file c0\na\n"), "# phaser:ignore-file c0\nx\n", "c0 1"),
            (Some("# phaser:ignore-next-line c0\na\n"), "# phaser:ignore-next-line c0\nx\n", "c0 1"),
            (Some(line), "x b # phaser:ignore c0\n", "c0 1"),
            (Some(line), "x x # phaser:ignore c0\n", "c0 1"),
            (
                Some("x y # phaser:ignore c0, c1\n"),
                "x # phaser:ignore c0\ny # phaser:ignore c1\n",
                "c0 1, c1 2",
            ),
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
            ("x\n", "x # phaser:ignore c1\n"),
            ("x\n", "x # phaser:ignore\n"),
            ("x\n", "a # phaser:ignore c0\n"),
            ("# phaser:ignore-file c0\nx\n", "# phaser:ignore-file c0\nx # phaser:ignore c0\n"),
            ("x # phaser:ignore c0, c0\n", line),
            (line, "x # phaser:ignore c0, c0\n"),
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
