//! `phaser history` and `phaser contracts backtest` on repositories that nobody wrote: the history of a hundred commits is
//! the report of `phaser enforce --all` in a checkout of each, and a commit is refused for the violations of `--diff`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// A number that looks random and is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("is small")
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

const DIRECTORIES: &[&str] = &["", "src/", "src/deep/", "lib/", "web/", "web/old/", "dist/"];
const NAMES: &[&str] =
    &["a.py", "b.py", "c.js", "d.txt", "e.md", "README.md", "Makefile", "f.bak", "g.Py", "x", "n.ipynb"];
const LINES: &[&str] = &[
    "print(1)",
    "    print(2)  # phaser:ignore no-print",
    "# print(3)",
    "'print(4)'",
    "// eval(5)",
    "eval(6)",
    "eval(7)  # phaser:ignore no-eval",
    "// phaser:ignore-next-line no-eval",
    "# phaser:ignore-file no-print",
    "Copyright of nobody",
    "the magic word",
    "token_abcdefgh",
    "caf\u{e9}",
    "",
    "x = 1",
];

/// What stands at a path.
#[derive(Clone, PartialEq, Eq)]
struct Entry {
    mode: &'static str,
    content: Vec<u8>,
}

type Tree = BTreeMap<String, Entry>;

fn path(random: &mut Random) -> String {
    format!("{}{}", random.one_of(DIRECTORIES), random.one_of(NAMES))
}

fn entry(random: &mut Random) -> Entry {
    if random.chance(4) {
        return Entry { mode: "120000", content: b"a.py".to_vec() };
    }
    if random.chance(3) {
        return Entry { mode: "160000", content: vec![b'1'; 40] };
    }
    let mut content = Vec::new();
    if random.chance(5) {
        content.extend_from_slice(b"\0\x01\x02binary\0");
    }
    if random.chance(3) {
        content.extend_from_slice(b"\xff\xfe");
    }
    if random.chance(3) {
        content.extend_from_slice(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
    }
    let end = if random.chance(20) { "\r\n" } else { "\n" };
    let count = if random.chance(6) { 300 } else { random.below(8) };
    for _ in 0..count {
        content.extend_from_slice(random.one_of(LINES).as_bytes());
        content.extend_from_slice(end.as_bytes());
    }
    if random.chance(10) {
        content.extend_from_slice(b"\xe9 print(8)");
    }
    let mode = if random.chance(10) { "100755" } else { "100644" };
    Entry { mode, content }
}

/// Puts something at a path, and takes away what cannot be beside it: a file where a directory is, and the other way round.
fn put(tree: &mut Tree, path: String, entry: Entry) {
    let inside = format!("{path}/");
    tree.retain(|other, _| !other.starts_with(&inside) && !path.starts_with(&format!("{other}/")));
    tree.insert(path, entry);
}

fn change(random: &mut Random, tree: &mut Tree) {
    for _ in 0..=random.below(4) {
        let known: Vec<String> = tree.keys().filter(|path| !path.contains(".claude/")).cloned().collect();
        let old = if known.is_empty() { None } else { Some(random.one_of(&known).clone()) };
        match (random.below(10), old) {
            (0, Some(old)) => drop(tree.remove(&old)),
            (1 | 2, Some(old)) => {
                let moved = tree.remove(&old).expect("is there");
                put(tree, path(random), moved);
            }
            (3, Some(old)) => {
                let copied = tree[&old].clone();
                put(tree, path(random), copied);
            }
            (4, Some(old)) => {
                let one = tree.get_mut(&old).expect("is there");
                match one.mode {
                    "100644" => one.mode = "100755",
                    "100755" => one.mode = "100644",
                    _ => {}
                }
            }
            (5 | 6, Some(old)) if tree[&old].mode.starts_with("100") => {
                let line = random.one_of(LINES).as_bytes();
                let content = &mut tree.get_mut(&old).expect("is there").content;
                content.extend_from_slice(line);
                content.push(b'\n');
            }
            // A directory where a file was.
            (7, Some(old)) if random.chance(20) => put(tree, format!("{old}/a.py"), entry(random)),
            _ => put(tree, path(random), entry(random)),
        }
    }
}

/// A stream for `git fast-import` with this number of commits on the branch `main`, and others that are merged into it.
fn stream(random: &mut Random, commits: usize, first: &Tree) -> Vec<u8> {
    let mut out = Vec::new();
    let mut main: Vec<(usize, Tree)> = Vec::new();
    let mut tree = first.clone();
    let (mut mark, mut time) = (0, 1_700_000_000_i64);
    while main.len() < commits {
        let mut merged = None;
        if main.len() > 2 && random.chance(15) {
            let (from, mut side) = main[random.below(main.len())].clone();
            change(random, &mut side);
            mark += 1;
            commit(&mut out, "side", mark, time, &format!("from :{from}\n"), &side);
            merged = Some(mark);
        }
        change(random, &mut tree);
        time += i64::try_from(random.below(200_000)).expect("is small") - 20_000;
        mark += 1;
        let parent = main.last().map(|(parent, _)| format!("from :{parent}\n")).unwrap_or_default();
        let merge = merged.map(|side| format!("merge :{side}\n")).unwrap_or_default();
        commit(&mut out, "main", mark, time, &format!("{parent}{merge}"), &tree);
        main.push((mark, tree.clone()));
    }
    out
}

fn commit(out: &mut Vec<u8>, branch: &str, mark: usize, time: i64, parents: &str, tree: &Tree) {
    let mut head =
        format!("commit refs/heads/{branch}\nmark :{mark}\ncommitter A <a@example.com> {time} +0200\n");
    let message = format!("commit {mark}\n\nmore\n");
    write!(head, "data {}\n{message}{parents}deleteall\n", message.len()).expect("written");
    out.extend_from_slice(head.as_bytes());
    for (path, Entry { mode, content }) in tree {
        if *mode == "160000" {
            let id = String::from_utf8_lossy(content);
            out.extend_from_slice(format!("M {mode} {id} {path}\n").as_bytes());
            continue;
        }
        out.extend_from_slice(format!("M {mode} inline {path}\ndata {}\n", content.len()).as_bytes());
        out.extend_from_slice(content);
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// A repository, checked out, with a second worktree beside it.
fn repository(seed: u64, commits: usize, first: &Tree) -> Sandbox {
    let mut random = Random(seed);
    let sandbox = Sandbox::new().git_init();
    let stream = stream(&mut random, commits, first);
    let imported = sandbox.try_git(&["fast-import", "--quiet"], &stream);
    assert_eq!(imported.code, Some(0), "{imported}");
    sandbox.git(&["checkout", "--quiet", "--force", "main"]);
    let beside = sandbox.home().join("beside");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", beside.to_str().expect("is text"), "main"]);
    sandbox
}

/// Contracts of every kind, by their files.
fn contracts() -> Vec<(&'static str, String)> {
    let in_code = format!("{}in: code\n", forbid("no-print", r"\bprint\(", "**/*.py"));
    let excluded = format!("{}exclude_glob: 'web/**'\n", warning(&forbid("no-eval", r"eval\(", "**/*")));
    let somewhere = "version: '1.2'\nrule:\n  id: magic\n  type: require_pattern\n  pattern: magic word\n  file_glob: 'lib/**'\n  message: m\n  severity: warning\nenabled: true\n";
    let kept = format!("{}ignorable: false\n", forbid("no-token", "token_[a-z]+", "src/**"));
    vec![
        ("no-print", in_code),
        ("no-eval", excluded),
        ("magic", somewhere.to_owned()),
        ("no-token", kept),
        ("header", contract("header", "require_pattern", Some("Copyright"), "src/**/*.py")),
        ("no-bak", contract("no-bak", "file_not_exists", None, "**/*.bak")),
        ("readme", contract("readme", "file_exists", None, "{README.md,web/README.md}")),
        ("off", format!("{}enabled: false\n", forbid("off", "x", "**"))),
    ]
}

fn counts(history: &Value) -> Vec<(String, Value)> {
    let commits = history["commits"].as_array().expect("commits");
    commits.iter().map(|commit| (commit["id"].as_str().expect("an id").to_owned(), commit.clone())).collect()
}

/// What a report of `phaser enforce --all` counts.
fn counted(output: &Output) -> (u64, u64, BTreeMap<String, u64>) {
    let json = output.json();
    let mut contracts = BTreeMap::new();
    for violation in json["violations"].as_array().expect("violations") {
        *contracts.entry(violation["rule_id"].as_str().expect("an id").to_owned()).or_default() += 1;
    }
    let number = |key: &str| json["summary"][key].as_u64().expect("a number");
    (number("errors"), number("warnings"), contracts)
}

fn sampled(sample: &Value) -> (u64, u64, BTreeMap<String, u64>) {
    let number = |value: &Value| value.as_u64().expect("a number");
    let contracts = sample["contracts"].as_object().expect("contracts");
    let contracts = contracts.iter().map(|(id, count)| (id.clone(), number(count))).collect();
    (number(&sample["errors"]), number(&sample["warnings"]), contracts)
}

/// Compares the history with a checkout of each of its commits.
fn assert_equal(sandbox: &Sandbox, further: &[&str]) {
    let limits = ["--max-file-size", "2k"];
    let all = ["history", "--commits", "1000", "--every", "1", "--format", "json"];
    let history = sandbox.run_with(sandbox.command().args(all).args(limits).args(further), b"");
    assert_eq!(history.code, Some(0), "{history}");
    let history = counts(&history.json());
    let expected = sandbox.git(&["rev-list", "--first-parent", "--reverse", "HEAD"]);
    let ids: Vec<&str> = expected.lines().collect();
    assert_eq!(history.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ids);
    let beside = sandbox.home().join("beside");
    let mut different = 0;
    for (id, sample) in &history {
        sandbox.git(&[
            "-C",
            beside.to_str().expect("is text"),
            "checkout",
            "--quiet",
            "--force",
            "--detach",
            id,
        ]);
        let mut enforce = sandbox.command();
        enforce
            .current_dir(&beside)
            .args(["enforce", "--all", "--format", "json"])
            .args(limits)
            .args(further);
        let output = sandbox.run_with(&mut enforce, b"");
        assert_eq!(sampled(sample), counted(&output), "in {id}:\n{}", output.stderr);
        different += usize::from(sampled(sample).2.len() > 2);
    }
    assert!(different > ids.len() / 2, "there is something to count");
    let every_third = ["history", "--commits", "1000", "--every", "3", "--format", "json", "--threads", "1"];
    let third = sandbox.run_with(sandbox.command().args(every_third).args(limits).args(further), b"");
    let mut from_newest: Vec<_> = history.into_iter().rev().step_by(3).collect();
    from_newest.reverse();
    assert_eq!(counts(&third.json()), from_newest);
}

/// Contracts in a directory that is in no commit.
fn with_contracts_outside(sandbox: &Sandbox) -> String {
    let directory = sandbox.home().join("contracts");
    fs::create_dir_all(&directory).expect("created");
    for (name, yaml) in contracts() {
        fs::write(directory.join(format!("{name}.yaml")), yaml).expect("written");
    }
    directory.to_str().expect("is text").to_owned()
}

#[test]
fn commits_have_violations_of_their_checkouts() {
    let sandbox = repository(0x9E37_79B9_7F4A_7C15, 100, &Tree::new());
    let directory = with_contracts_outside(&sandbox);
    assert_equal(&sandbox, &["--contracts-dir", &directory]);
}

#[test]
fn nested_settings_count_in_the_past() {
    let mut first = Tree::new();
    let file = |text: &str| Entry { mode: "100644", content: text.as_bytes().to_vec() };
    for (name, yaml) in contracts() {
        first.insert(format!(".claude/contracts/{name}.yaml"), file(&yaml));
    }
    let nearer = warning(&forbid("no-print", r"print\(1", "*.py"));
    first.insert("src/.claude/contracts/nearer.yaml".to_owned(), file(&nearer));
    first.insert("web/.claude/contracts/x.yaml".to_owned(), file(&forbid("no-x", "x = 1", "**")));
    let config = "exclude: ['dist/*.py']\noverrides:\n  - contracts: [no-eval]\n    files: ['src/**']\n    severity: error\n  - contracts: [no-token]\n    files: ['src/deep/**']\n    enabled: false\n";
    first.insert(".claude/phaser.yaml".to_owned(), file(config));
    first.insert(".gitignore".to_owned(), file("*.md\nold/\n"));
    for seed in [3, 77] {
        assert_equal(&repository(seed, 25, &first), &[]);
    }
}

#[test]
fn refuses_commit_for_its_own_additions() {
    let sandbox = repository(42, 30, &Tree::new());
    let directory = with_contracts_outside(&sandbox);
    let mut refused_in_all = 0;
    for id in ["no-print", "no-eval", "header", "no-bak", "readme"] {
        let from = ["--contracts-dir", &directory];
        let args = ["contracts", "backtest", id, "--commits", "1000", "--format", "json"];
        let output = sandbox.run_with(sandbox.command().args(args).args(from), b"");
        assert_eq!(output.code, Some(0), "{output}");
        let json = output.json();
        let refused: BTreeMap<String, Vec<String>> =
            json["refused"].as_array().expect("a list").iter().map(refusal).collect();
        refused_in_all += refused.len();
        let commits = sandbox.git(&["rev-list", "--first-parent", "HEAD"]);
        assert_eq!(json["commits"]["looked_at"], commits.lines().count());
        for commit in commits.lines() {
            let parent = sandbox.try_git(&["rev-parse", "--quiet", "--verify", &format!("{commit}^1")], "");
            if parent.code != Some(0) {
                continue;
            }
            let range = format!("{commit}^1..{commit}");
            let args = ["enforce", "--new-lines", "--format", "json", "--only", id, "--diff", &range];
            let diff = sandbox.run_with(sandbox.command().args(args).args(from), b"");
            let places = diff.violations().into_iter().map(|one| one.replace(&format!(" {id}"), ""));
            let expected = Some(places.collect::<Vec<_>>()).filter(|found| !found.is_empty());
            assert_eq!(refused.get(commit), expected.as_ref(), "{id} in {commit}");
        }
        let today = sandbox.run_with(
            sandbox.command().args(["enforce", "--all", "--format", "json", "--only", id]).args(from),
            b"",
        );
        assert_eq!(json["today"]["violations"].as_array().map(Vec::len), Some(today.violations().len()));
    }
    assert!(refused_in_all > 10, "only {refused_in_all}");
}

/// The commit and the places of a refusal.
fn refusal(refusal: &Value) -> (String, Vec<String>) {
    let violations = refusal["violations"].as_array().expect("a list").iter().map(|violation| {
        let path = violation["file_path"].as_str().expect("a path");
        match (violation["line_number"].as_u64(), violation["column"].as_u64()) {
            (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
            _ => path.to_owned(),
        }
    });
    (refusal["id"].as_str().expect("an id").to_owned(), violations.collect())
}
