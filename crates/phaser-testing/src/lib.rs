//! Entry points for fuzzing: one function per input format, which takes arbitrary bytes and panics if an invariant is
//! broken. NUL separates the parts of an input.
//!
//! The fuzz targets (`fuzz/`) and the property tests (`tests/entries.rs`) call them; the tests also run every regression
//! (`fuzz/regressions/`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use phaser::internals::{apply_within, count_hooks, install, respond, tool_call, uninstall};
use phaser_core::command::{CommandLine, CommandPlace};
use phaser_core::contract::{Check, Contract, LayerKind, Origin, syntax};
use phaser_core::deadline::Deadline;
use phaser_core::fix::Fixer;
use phaser_core::imports::{EntryKind, ImportTarget, ProjectView, Resolver};
use phaser_core::matcher::directives::{Cover, Ignores, Lines};
use phaser_core::matcher::pattern::dialect::{TranslationPurpose, translate};
use phaser_core::matcher::{Directives, FileNames, Matcher, Options};
use phaser_core::text::Text;
use phaser_core::violation::LineDigest;
use phaser_data::{Format, JsonPath, Tree};
use phaser_hook::Request;
use phaser_project::baseline::{self, Baseline, BaselineEntry};
use phaser_project::path::{RelPath, Root};
use phaser_project::scan::{self, Measure, scan};
use phaser_project::source::changes::changes;
use phaser_project::source::view;
use phaser_project::tool_call::{MAX_PATH, Moment, NotApplied, Occurrences, TextEdit};
use phaser_syntax::{Language, Stop, SyntaxTree};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use serde_json::Value;

/// A timeout that no search reaches.
const HOUR: Duration = Duration::from_secs(3600);

/// A hook event gives one JSON decision, and a Write with a forbidden word is denied.
pub fn hook(data: &[u8]) {
    let Ok(request) = Request::read(data) else {
        let strict = serde_json::from_slice::<Value>(data);
        assert!(!matches!(strict, Ok(Value::Object(_))), "rejected an object");
        return;
    };
    let root = Root::new("/nowhere/project");
    let Some(call) = tool_call(&request, &root) else { return };
    let targets = changes(&root, &call, 1024 * 1024);
    let refused = call.changes.iter().any(|change| change.climbs() || change.path.len() > MAX_PATH);
    if targets.targets.is_empty() && !refused {
        return;
    }
    let matcher = matcher(vec![forbid("forbidden")]);
    let options = scan::ScanOptions {
        threads: 1,
        max_file_size: 1024 * 1024,
        existing: scan::Existing::Deny,
        added_ignores: false,
        measure: Measure::Nothing,
        propose_fixes: false,
        cache: None,
    };
    let report = scan(&matcher, &targets, options, &());
    let unchecked = !refused && !report.skipped.is_empty();
    let response = respond(&request, &root, &call, &report);
    let response: Value = serde_json::from_str(&response).expect("the response is JSON");
    let before = call.moment == Moment::Before;
    let output = &response["hookSpecificOutput"];
    assert!(!(unchecked && output["permissionDecision"] == "allow"), "allowed an unchecked event");
    if before && !output["permissionDecision"].is_null() {
        assert_eq!(output["hookEventName"], "PreToolUse");
        let decision = output["permissionDecision"].as_str().expect("a decision");
        let reason = output["permissionDecisionReason"].as_str().expect("a reason");
        assert!(matches!(decision, "allow" | "deny"), "{decision}");
        assert!(!reason.contains(|c: char| c.is_control() && c != '\n'), "{reason:?}");
    }
    let strict: Option<Value> = serde_json::from_slice(data).ok();
    let content = strict.as_ref().and_then(|event| event["tool_input"]["content"].as_str());
    let writes = strict.as_ref().is_some_and(|event| event["tool_name"] == "Write");
    if let (true, true, Some(content)) = (before, writes, content) {
        let text = Text::new(content.as_bytes());
        let violates = refused || text.is_some_and(|text| contains(text.bytes(), b"forbidden"));
        assert_eq!(output["permissionDecision"] == "deny", violates, "{content:?}");
    }
}

/// A contract file gives a valid contract, or warnings with line and problem.
pub fn contract(data: &[u8]) {
    let Ok(yaml) = std::str::from_utf8(data) else { return };
    match syntax::parse(yaml, origin()) {
        Ok(contract) => {
            let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(
                (1..=64).contains(&contract.id.len()) && contract.id.chars().all(allowed),
                "{}",
                contract.id
            );
            assert!(!contract.message.trim().is_empty());
            if let Some(pattern) = contract.check.pattern() {
                assert!((1..=4096).contains(&pattern.source.len()));
            }
            contract.glob.is_match(b"src/a.py");
            let (matcher, warnings) =
                Matcher::validated(vec![Contract { enabled: true, ..contract }], options());
            assert!(matcher.contracts().len() == 1 || !warnings.is_empty(), "skipped without a warning");
        }
        Err(warnings) => {
            assert!(!warnings.is_empty(), "rejected without a warning");
            for warning in warnings {
                let line = warning.line.expect("a line");
                let lines = yaml.replace("\r\n", "\n").split(['\n', '\r']).count();
                assert!((1..=lines + 1).contains(&line), "line {line} of {lines}");
                assert!(!warning.what.chars().any(char::is_control), "{:?}", warning.what);
            }
        }
    }
}

/// A pattern and a text: the matcher finds what a naive search finds.
pub fn search(data: &[u8]) {
    let Some((source, content)) = split_once(data) else { return };
    let (Ok(source), Some(text)) = (std::str::from_utf8(source), Text::new(content)) else { return };
    if source.is_empty() || source.len() > 4096 {
        return;
    }
    let (matcher, warnings) = Matcher::validated(vec![forbid(source)], options());
    let path = RelPath::from("a.txt");
    if matcher.contracts().is_empty() {
        assert!(!warnings.is_empty(), "skipped without a warning");
        return;
    }
    let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
    if !checked.skipped.is_empty() {
        return;
    }
    let found: Vec<_> = checked
        .violations
        .iter()
        .map(|violation| violation.found.as_ref().expect("a place").region)
        .collect();
    let ordered = found.windows(2).all(|pair| pair[0].end <= pair[1].start);
    assert!(ordered && found.iter().all(|region| region.start <= region.end), "{found:?}");
    // Patterns see invalid UTF-8 decoded; the naive search does not.
    if std::str::from_utf8(text.bytes()).is_err() {
        return;
    }
    if let Some(expected) = naive(source, text.bytes()) {
        let visible = |range: Range<usize>| {
            let matched = String::from_utf8_lossy(&text.bytes()[range.clone()]);
            let blank = matched.len() - matched.trim_start().len();
            if blank == matched.len() { range } else { range.start + blank..range.end }
        };
        let expected: Vec<_> =
            expected.into_iter().take(1000).map(|range| text.region(visible(range))).collect();
        assert_eq!(found, expected, "{source}");
    }
}

/// A path and a data file, read in every format: spans are in the text, each value is selected by its own path, and the
/// matcher finds what the path selects, with a fix that keeps the rest of the file.
pub fn data(data: &[u8]) {
    let Some((source, content)) = split_once(data) else { return };
    let (Ok(source), Ok(content)) = (std::str::from_utf8(source), std::str::from_utf8(content)) else {
        return;
    };
    let path = JsonPath::parse(source);
    if let Err(error) = &path {
        assert!(error.at <= source.len(), "{error:?}");
    }
    for name in ["a.json", "a.jsonc", "a.yaml", "a.toml"] {
        let format = Format::of(name.as_bytes()).expect("data");
        let tree = match Tree::parse(content, format) {
            Ok(tree) => tree,
            Err(error) => {
                assert!(content.get(error.span.clone()).is_some(), "{name}: {error:?}");
                continue;
            }
        };
        for id in tree.nodes() {
            assert!(content.get(tree.shown_span(id)).is_some(), "{name}: {:?}", tree.node(id));
        }
        for &root in tree.roots() {
            assert_eq!(tree.location(root), "$");
        }
        let Ok(path) = &path else { continue };
        let Ok(mut selected) = path.select_all(&tree) else { continue };
        selected.sort_unstable();
        selected.dedup();
        let contract = forbid_value(path);
        let matcher = matcher(vec![contract]);
        let name = RelPath::from(name);
        let Some(text) = Text::new(content.as_bytes()).filter(|text| text.bytes() == content.as_bytes())
        else {
            continue;
        };
        let checked = matcher.check(&matcher.select(&name, None), &name, Some(&text));
        assert!(checked.violations.len() == selected.len().min(1000), "{name}: {source}: {}", selected.len());
        if selected.len() < 10 {
            let names = FileNames { path: &name, alias: None };
            let fixed = Fixer::new(&matcher).fix(names, &text, []);
            let fixed = std::str::from_utf8(&fixed.text).expect("is text");
            assert!(Tree::parse(fixed, format).is_ok(), "{name}: a fix broke the file: {fixed}");
        }
    }
}

/// A code pattern, or a rule as JSON, and a text, in a language that the input chooses: matches are in the text, and the
/// same again.
pub fn code(data: &[u8]) {
    let Some((source, content)) = split_once(data) else { return };
    let (Ok(source), Some(text)) = (std::str::from_utf8(source), Text::new(content)) else { return };
    let is_rule = serde_json::from_str::<Value>(source).is_ok_and(|rule| rule.is_object());
    let code = if is_rule { source.to_owned() } else { serde_json::to_string(source).expect("is JSON") };
    let yaml = format!(
        "rule_id: no-x\ntype: forbid_code\ncode: {code}\nfix: ''\nfile_glob: '**'\nmessage: m\nseverity: error\n"
    );
    let Ok(contract) = syntax::parse(&yaml, origin()) else { return };
    let matcher = matcher(vec![contract]);
    let extension = chosen_extension(data);
    let path = RelPath::from(format!("a.{extension}").as_str());
    let selection = matcher.select(&path, None);
    let checked = matcher.check(&selection, &path, Some(&text));
    let found: Vec<_> = checked
        .violations
        .iter()
        .filter_map(|violation| Some(violation.found.as_ref()?.range.clone()))
        .collect();
    let is_inside = |range: &Range<usize>| range.start < range.end && range.end <= text.bytes().len();
    assert!(found.iter().all(is_inside), "{extension}: {found:?}");
    let again = matcher.check(&selection, &path, Some(&text));
    assert_eq!(checked.violations, again.violations, "{extension}");
    if (1..10).contains(&found.len()) {
        let _ = Fixer::new(&matcher).fix(FileNames { path: &path, alias: None }, &text, []);
    }
}

/// A text, in a language that the input chooses, and configuration files: each import is in the text, and a path in the project
/// is normal. Parts: the text, then name and content of each file.
pub fn imports(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == 0);
    let Some(text) = parts.next() else { return };
    let rest: Vec<&[u8]> = parts.collect();
    let files: BTreeMap<String, String> = rest
        .chunks(2)
        .filter_map(|pair| match pair {
            [name, content] => {
                Some((String::from_utf8(name.to_vec()).ok()?, String::from_utf8(content.to_vec()).ok()?))
            }
            _ => None,
        })
        .filter(|(name, _)| is_normal(name))
        .collect();
    let resolver = Resolver::new(Arc::new(FilesInMemory(files)));
    let extension = chosen_extension(data);
    let path = RelPath::from(format!("src/app/a.{extension}").as_str());
    for import in resolver.imports_of(&path, text).unwrap_or_default() {
        let spans = import.members.iter().map(|member| &member.span).chain([&import.span]);
        for span in spans {
            assert!(text.get(span.clone()).is_some_and(|part| !part.is_empty()), "{extension}: {span:?}");
        }
        let targets = import.members.iter().flat_map(|member| &member.targets).chain(&import.targets);
        for target in targets {
            let ImportTarget::Path(path) = target else { continue };
            assert!(path == "." || is_normal(path), "{extension}: {path}");
        }
    }
}

/// A byte that chooses a grammar, and any text: the parser ends within its bounds, and every node is in the text.
pub fn grammar(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let language = Language::all().nth(usize::from(*first) % Language::COUNT).expect("is a language");
    let never: Stop = Rc::new(|| false);
    let Ok(parsed) = SyntaxTree::parse(text, language, &never) else { return };
    let mut cursor = parsed.tree().walk();
    loop {
        let range = cursor.node().byte_range();
        // A grammar may end a node after the text.
        assert!(range.start <= range.end && range.start <= text.len(), "{language}: {range:?}");
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let _ = parsed.imports();
                return;
            }
        }
    }
}

/// A command line: what contracts find is in it, the same again, and a fix gives a line that parses or none.
pub fn command(data: &[u8]) {
    let Ok(line) = std::str::from_utf8(data) else { return };
    let Ok(parsed) = CommandLine::parse(line, Deadline::NEVER) else { return };
    let place = CommandPlace::of_examples();
    parsed.directories(&place);
    for (code, fix) in [
        ("command: git commit\nargs: ['--no-verify', '-n', 'A=']", "git commit"),
        ("command: [rm, curl]\noperands: outside", "trash"),
        ("command: curl\npiped_to: [sh, bash]", "wget"),
        ("pattern: 'git push\\b'", ""),
    ] {
        let yaml = format!("rule_id: no-x\ntype: forbid_command\n{code}\nmessage: m\nseverity: error\n");
        let contract = syntax::parse(&yaml, origin()).expect("a contract");
        let found = parsed.judge(&contract, &place);
        assert_eq!(found, parsed.judge(&contract, &place), "{code}");
        if let Some(found) = found {
            let _ = parsed.fixed(&found, fix);
        }
    }
}

/// One extension of each language with a grammar.
const EXTENSIONS: [&str; 18] = [
    "py", "js", "jsx", "ts", "tsx", "rs", "go", "java", "c", "cpp", "cs", "rb", "php", "sh", "html", "css",
    "json", "yaml",
];

/// Every language comes up for similar inputs, because any change of them chooses another one.
fn chosen_extension(data: &[u8]) -> &'static str {
    let sum = data.iter().map(|byte| usize::from(*byte)).sum::<usize>();
    EXTENSIONS[sum % EXTENSIONS.len()]
}

/// Whether a path can be that of a file in a project.
fn is_normal(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

struct FilesInMemory(BTreeMap<String, String>);

impl ProjectView for FilesInMemory {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        assert!(path.is_empty() || is_normal(path), "asked for {path}");
        view::entry(&self.0, path)
    }

    fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        assert!(directory.is_empty() || is_normal(directory), "asked for {directory}");
        view::list(&self.0, directory)
    }

    fn read(&self, path: &str) -> Option<String> {
        assert!(is_normal(path), "asked for {path}");
        self.0.get(path).cloned()
    }
}

/// A file, an old and a new text: the result is what the agent would write.
pub fn edit(data: &[u8]) {
    let Some((current, rest)) = split_once(data) else { return };
    let Some((old, new)) = split_once(rest) else { return };
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return };
    let occurrences = if old.len() % 2 == 0 { Occurrences::First } else { Occurrences::All };
    let edits = [TextEdit { old: old.to_owned(), new: new.to_owned(), occurrences }];
    let made = apply_within(Some(current.to_vec()), &edits, usize::MAX);
    match &made {
        Ok(text) => assert!(std::str::from_utf8(text).is_ok(), "the result is text"),
        Err(NotApplied::OldNotFound) => {
            let plain = std::str::from_utf8(current).is_ok_and(|current| !current.contains('\r'));
            assert!(
                !(plain && !old.is_empty() && contains(current, old.as_bytes())),
                "{old:?} is in {current:?}"
            );
        }
        Err(_) => {}
    }
    let simple =
        |text: &[u8]| text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\n'));
    if simple(current) && simple(old.as_bytes()) && simple(new.as_bytes()) && !old.is_empty() {
        let current = std::str::from_utf8(current).expect("is ASCII");
        let deletes_line = new.is_empty() && !old.ends_with('\n') && current.contains(&format!("{old}\n"));
        let old = if deletes_line { format!("{old}\n") } else { old.to_owned() };
        let expected = match occurrences {
            Occurrences::First => current.replacen(&old, new, 1),
            Occurrences::All => current.replace(&old, new),
        };
        match made {
            Ok(made) => assert_eq!(String::from_utf8_lossy(&made), expected),
            Err(_) => assert!(!current.contains(&old)),
        }
    }
}

/// A path and a text: every directive is on its line, and the lookup by line agrees with the list of directives.
pub fn ignores(data: &[u8]) {
    let Some((path, content)) = split_once(data) else { return };
    let Some(text) = Text::new(content) else { return };
    let ignores = Ignores::parse(&RelPath::from_bytes(path), &text);
    let last = text.line_count();
    for directive in ignores.iter() {
        assert!((1..=last).contains(&directive.line), "line {} of {last}", directive.line);
        assert!(contains(text.line(directive.line), b"phaser:ignore"), "line {}", directive.line);
        assert!(
            directive.ids.iter().all(|id| !id.is_empty() && !id.contains([',', ' ', '\n'])),
            "{directive:?}"
        );
    }
    for line in (0..=last.min(40) + 1).map(|line| line.checked_sub(1)).chain([Some(last)]) {
        for (id, more) in [("no-x", 0), ("x", 0), ("x", 3)] {
            let lines = line.map(|first| Lines { first, last: first + more });
            let covered = ignores.iter().any(|directive| directive.covers(id, lines));
            assert_eq!(ignores.covers(id, lines) == Cover::Suppressed, covered, "{id} on {lines:?}");
        }
    }
}

/// Settings: installing hooks is idempotent, uninstalling removes them, and nothing else changes.
pub fn settings(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    settings_with(text, false, 2);
    settings_with(text, true, 8);
}

fn settings_with(text: &str, guard: bool, hooks: usize) {
    let Ok(installed) = install(text, guard, true) else { return };
    let installed = installed.expect("replaces other hooks of phaser");
    assert_eq!(install(&installed, guard, false), Ok(Some(installed.clone())), "installing is idempotent");
    assert_eq!(count_hooks(&installed), Ok(hooks));
    let removed = uninstall(&installed).expect("is readable").expect("is removed");
    assert_eq!(count_hooks(&removed), Ok(0));
    let others = |text: &str| -> Option<Value> {
        let mut value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
        value.as_object_mut()?.remove("hooks");
        Some(value)
    };
    if let Some(before) = others(text) {
        assert_eq!(others(&installed), Some(before.clone()), "installing changed something else");
        assert_eq!(others(&removed), Some(before), "uninstalling changed something else");
    }
}

/// A baseline round-trips and agrees with its lines parsed as JSON, or the error names its first broken line.
pub fn baseline(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let read = match Baseline::parse(data) {
        Ok(read) => entries(&read),
        Err(broken) => {
            let line = broken.line.expect("a line");
            assert!((1..=lines.len()).contains(&line), "line {line} of {}", lines.len());
            let prefix = lines[..line - 1].join(&b'\n');
            assert!(Baseline::parse(&prefix).is_ok(), "not the first broken line");
            return;
        }
    };
    let file = baseline::write(read.iter().map(|(key, count)| (key, *count)));
    let again = Baseline::parse(file.as_bytes()).expect("round-trips");
    assert_eq!(entries(&again), read);
    for line in lines.into_iter().filter(|line| !matches!(line, [] | [b'\r'])) {
        let json: Value = serde_json::from_slice(line).expect("is JSON");
        let text = |name: &str| json[name].as_str().expect("text").to_owned();
        let digest = u64::from_str_radix(&text("digest"), 16).expect("a number");
        let key =
            BaselineEntry { contract: text("contract"), path: text("path"), digest: LineDigest(digest) };
        assert!(json["count"].as_u64() <= read.get(&key).map(|count| u64::from(*count)), "{key:?}");
    }
}

fn entries(baseline: &Baseline) -> BTreeMap<BaselineEntry, u32> {
    baseline.iter().map(|(entry, count)| (entry.clone(), count)).collect()
}

fn origin() -> Origin {
    Origin { layer: LayerKind::Project, file: "c.yaml".into() }
}

fn options() -> Options {
    Options::new(HOUR, Directives::Disregarded)
}

fn matcher(contracts: Vec<Contract>) -> Matcher {
    Matcher::new(contracts, options())
}

/// A contract that forbids `pattern` in every file.
fn forbid(pattern: &str) -> Contract {
    let yaml =
        "rule_id: no-x\ntype: forbid_pattern\npattern: x\nfile_glob: '**'\nmessage: m\nseverity: error\n";
    let mut contract = syntax::parse(yaml, origin()).expect("a contract");
    if let Check::Forbid(forbidden) = &mut contract.check {
        pattern.clone_into(&mut forbidden.pattern.source);
    }
    contract
}

/// A contract that forbids what `path` selects, in every file.
fn forbid_value(path: &JsonPath) -> Contract {
    let yaml = "rule_id: no-x\ntype: forbid_value\npath: $\nfix: 'a b'\nfile_glob: '**'\nmessage: m\nseverity: error\n";
    let mut contract = syntax::parse(yaml, origin()).expect("a contract");
    if let Check::Value(forbidden) = &mut contract.check {
        forbidden.path = path.clone();
    }
    contract
}

fn split_once(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = data.iter().position(|&byte| byte == 0)?;
    Some((&data[..at], &data[at + 1..]))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

/// The matches of a pattern by a plain PikeVM search; `None` for patterns that backtrack or do not compile.
fn naive(source: &str, text: &[u8]) -> Option<Vec<Range<usize>>> {
    let translation = translate(source, TranslationPurpose::Search).ok()?;
    if translation.backtracks.is_some() {
        return None;
    }
    let syntax =
        regex_automata::util::syntax::Config::new().multi_line(true).crlf(true).utf8(false).nest_limit(128);
    let thompson =
        regex_automata::nfa::thompson::Config::new().utf8(false).nfa_size_limit(Some(10 * 1024 * 1024));
    let vm = PikeVM::builder().syntax(syntax).thompson(thompson).build(&translation.regex).ok()?;
    let mut cache = vm.create_cache();
    let (mut found, mut at) = (Vec::new(), 0);
    while at <= text.len() {
        let input = regex_automata::Input::new(text).range(at..);
        let Some(next) = vm.find(&mut cache, input) else { break };
        at = next.end().max(next.start() + 1);
        if !next.is_empty() {
            found.push(next.range());
        }
    }
    Some(found)
}
