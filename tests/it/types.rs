//! What each type of contract means, how patterns and globs are read, and where a violation stands.

use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid};

/// A contract in the form of version 1.2.
fn nested(id: &str, kind: &str, pattern: &str, glob: &str) -> String {
    format!(
        "version: '1.2'\nrule:\n  id: {id}\n  type: {kind}\n  pattern: '{}'\n  file_glob: '{glob}'\n  \
         message: 'Do not {id}.'\n  severity: error\nenabled: true\n",
        pattern.replace('\'', "''")
    )
}

fn all(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--all", "--format", "json"]).violations()
}

fn file(sandbox: &Sandbox, path: &str) -> Vec<String> {
    sandbox.run(["enforce", "--file", path, "--format", "json"]).violations()
}

/// Where a forbidden pattern matches in a text: `line:column`, and what it matched.
fn found(pattern: &str, text: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let output = searched(pattern, text);
    assert_eq!(output.stderr, "", "{pattern}");
    let json = output.json();
    let violations = json["violations"].as_array().expect("a list").iter();
    violations
        .map(|violation| {
            let matched = violation["matched_text"].as_str().expect("text").to_owned();
            (format!("{}:{}", violation["line_number"], violation["column"]), matched)
        })
        .collect()
}

fn searched(pattern: &str, text: impl AsRef<[u8]>) -> Output {
    let sandbox = Sandbox::new().contract(&forbid("id", pattern, "**/*.txt")).file("a.txt", text);
    sandbox.run(["enforce", "a.txt", "--format", "json"])
}

#[track_caller]
fn finds(pattern: &str, text: &str, expected: &[(&str, &str)]) {
    let found = found(pattern, text);
    let found: Vec<_> = found.iter().map(|(place, matched)| (place.as_str(), matched.as_str())).collect();
    assert_eq!(found, expected, "{pattern} in {text:?}");
}

#[test]
fn forbidden_patterns_are_violations_where_they_match() {
    for kind in ["forbid_pattern", "file_not_contains"] {
        let sandbox = Sandbox::new()
            .contract(&contract("id", kind, Some("b[ao]d"), "**/*.txt"))
            .file("a.txt", "good\n  bad bod\n")
            .file("b.txt", "good\n")
            .file("c.md", "bad\n");
        let expected = ["a.txt:2:3 id", "a.txt:2:7 id"];
        assert_eq!(all(&sandbox), expected, "{kind}");
        assert_eq!(file(&sandbox, "a.txt"), expected, "{kind}");
        assert_eq!(file(&sandbox, "b.txt"), [""; 0], "{kind}");
        assert_eq!(sandbox.pre_write("x.txt", "bad").decision(), "deny", "{kind}");
    }
}

#[test]
fn excluded_files_are_skipped_in_every_mode() {
    let excluding = |globs: &str| forbid("id", "bad", "**/*.txt") + &format!("exclude_glob: {globs}\n");
    for globs in ["'{vendor/**,**/*.min.txt}'", "[vendor/**, '**/*.min.txt']"] {
        let sandbox = Sandbox::new()
            .contract(&excluding(globs))
            .contract(
                &(contract("none", "file_not_exists", None, "vendor/**") + "exclude_glob: vendor/b.txt\n"),
            )
            .file("vendor/a.txt", "bad")
            .file("vendor/b.txt", "bad")
            .file("src/vendor/a.txt", "bad")
            .file("src/a.min.txt", "bad");
        assert_eq!(all(&sandbox), ["src/vendor/a.txt:1:1 id", "vendor/a.txt none"], "{globs}");
        assert_eq!(file(&sandbox, "src/a.min.txt"), [""; 0], "{globs}");
        assert_eq!(sandbox.pre_write("vendor/b.txt", "bad").decision(), "allow", "{globs}");
        assert_eq!(sandbox.pre_write("a.txt", "bad").decision(), "deny", "{globs}");
    }
    for (globs, wrong) in
        [("'a/{b'", "7: 'exclude_glob' is not valid"), ("[]", "7: 'exclude_glob' is an empty list")]
    {
        let output =
            Sandbox::new().contract(&excluding(globs)).file("a.txt", "bad").run(["enforce", "a.txt"]);
        assert!(output.stderr.contains(&format!("id.yaml:{wrong}")), "{output}");
    }
}

#[test]
fn required_pattern_is_one_violation_without_line() {
    for kind in ["require_pattern", "file_contains"] {
        let sandbox = Sandbox::new()
            .contract(&contract("id", kind, Some("^licence: \\w+$"), "**/*.txt"))
            .file("a.txt", "one\nlicence: mit\nlicence: mit\n")
            .file("b.txt", "licence:\n")
            .file("c.txt", "");
        let expected = ["b.txt id", "c.txt id"];
        assert_eq!(all(&sandbox), expected, "{kind}: per file, in a flat contract");
        assert_eq!(file(&sandbox, "b.txt"), ["b.txt id"], "{kind}");
        assert_eq!(file(&sandbox, "a.txt"), [""; 0], "{kind}");
        sandbox.pre_write("x.txt", "none").assert_denied(&["id"]);
    }
}

#[test]
fn forbidden_file_violates_by_existing() {
    let sandbox = Sandbox::new()
        .contract(&contract("id", "file_not_exists", None, "**/*.pem"))
        .file("keys/a.pem", "text")
        .file("keys/b.pem", b"\0binary")
        .file("keys/c.txt", "text");
    assert_eq!(all(&sandbox), ["keys/a.pem id", "keys/b.pem id"]);
    assert_eq!(file(&sandbox, "keys/a.pem"), ["keys/a.pem id"]);
    assert_eq!(sandbox.pre_write("keys/d.pem", "text").decision(), "deny");
    assert_eq!(sandbox.pre_write("keys/d.txt", "text").decision(), "allow");
}

#[test]
fn required_file_needs_whole_project() {
    let sandbox = Sandbox::new()
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .contract(&contract("tests", "file_exists", None, "{test,tests}/**/*.txt"))
        .file("a.txt", "");
    assert_eq!(all(&sandbox), ["README.md readme", "{test,tests}/**/*.txt tests"]);
    assert_eq!(file(&sandbox, "a.txt"), [""; 0]);
    assert_eq!(sandbox.pre_write("a.txt", "text").decision(), "allow");
    let sandbox = sandbox.file("README.md", b"\0binary counts").file("test/unit/a.txt", "");
    assert_eq!(all(&sandbox), [""; 0]);
}

#[test]
fn staged_existence_is_that_of_commit() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .contract(&contract("no-key", "file_not_exists", None, "**/*.pem"))
        .file("README.md", "")
        .file("a.pem", "")
        .git_add("README.md")
        .git_add("a.pem")
        .git_commit("first");
    let staged = || sandbox.run(["enforce", "--staged", "--format", "json"]).violations();
    assert_eq!(staged(), [""; 0], "nothing is staged");
    sandbox.git(&["rm", "--quiet", "--cached", "README.md"]);
    assert_eq!(staged(), ["README.md readme"], "gone from the index, though it is in the worktree");
    std::fs::write(sandbox.path("b.pem"), "").expect("written");
    assert_eq!(staged(), ["README.md readme"], "in the worktree, but not in the index");
    sandbox.git(&["add", "b.pem"]);
    assert_eq!(staged(), ["README.md readme", "b.pem no-key"]);
    std::fs::remove_file(sandbox.path("b.pem")).expect("removed");
    assert_eq!(staged(), ["README.md readme", "b.pem no-key"]);
}

#[test]
fn required_file_may_be_outside_sparse_checkout() {
    let sandbox = Sandbox::new()
        .contract(&contract("licence", "file_exists", None, "legal/LICENSE"))
        .file("legal/LICENSE", "")
        .file("src/a.py", "")
        .git_init()
        .git_add(".")
        .git_commit("first");
    sandbox.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/legal/"]);
    assert!(!sandbox.path("legal").exists());
    for mode in ["--all", "--staged"] {
        assert_eq!(sandbox.run(["enforce", mode, "--format", "json"]).violations(), [""; 0], "{mode}");
    }
}

#[test]
fn nested_contained_text_is_literal() {
    let sandbox = Sandbox::new()
        .contract(&nested("not-contains", "file_not_contains", "a.b(", "**/*.txt"))
        .contract(&nested("contains", "file_contains", "[x]", "**/*.txt"))
        .file("literal.txt", "a.b( [x]\n")
        .file("regex.txt", "axb( x\n");
    assert_eq!(all(&sandbox), ["literal.txt:1:1 not-contains", "regex.txt contains"]);
    let flat = Sandbox::new()
        .contract(&contract("flat", "file_not_contains", Some("a.b"), "**/*.txt"))
        .file("regex.txt", "axb\n");
    assert_eq!(all(&flat), ["regex.txt:1:1 flat"]);
}

#[test]
fn nested_forbidden_pattern_is_regex() {
    let sandbox =
        Sandbox::new().contract(&nested("id", "forbid_pattern", "a.b", "**")).file("a.txt", "axb\n");
    assert_eq!(all(&sandbox), ["a.txt:1:1 id"]);
}

#[test]
fn nested_required_pattern_needs_one_file() {
    let sandbox = Sandbox::new()
        .contract(&nested("id", "require_pattern", "entry \\d", "log/*.txt"))
        .file("log/a.txt", "entry 1\n")
        .file("log/b.txt", "none\n");
    assert_eq!(all(&sandbox), [""; 0]);
    let sandbox = sandbox.file("log/a.txt", "none\n");
    assert_eq!(all(&sandbox), ["log/*.txt id"], "one violation, at the glob");
    assert_eq!(file(&sandbox, "log/a.txt"), [""; 0], "one file does not decide");
    assert_eq!(sandbox.pre_write("log/c.txt", "none").decision(), "allow");
}

#[test]
fn globs_match_the_path_from_the_root() {
    let paths =
        ["app.py", "src/app.py", "src/deep/er/app.py", "src/app.pyc", "lib/b.py", "src/c.rs", "d[1].py"];
    let cases: [(&str, &[&str]); 14] = [
        ("*.py", &["app.py", "d[1].py"]),
        ("**/*.py", &["app.py", "d[1].py", "lib/b.py", "src/app.py", "src/deep/er/app.py"]),
        ("src/*.py", &["src/app.py"]),
        ("src/**", &["src/app.py", "src/app.pyc", "src/c.rs", "src/deep/er/app.py"]),
        ("src/**/*.py", &["src/app.py", "src/deep/er/app.py"]),
        ("**/er/*.py", &["src/deep/er/app.py"]),
        ("src/*/*.py", &[]),
        ("src/app.py?", &["src/app.pyc"]),
        ("{src,lib}/*.{py,rs}", &["lib/b.py", "src/app.py", "src/c.rs"]),
        ("[a-c]*.py", &["app.py"]),
        ("[!a]*.py", &["d[1].py"]),
        ("d[[]1].py", &["d[1].py"]),
        ("app.py", &["app.py"]),
        ("/app.py", &[]),
    ];
    let sandbox = paths.iter().fold(Sandbox::new(), |sandbox, path| sandbox.file(path, "x"));
    for (glob, expected) in cases {
        let rules = Sandbox::new().contract(&forbid("id", "x", glob));
        let rules = rules.path(".claude/contracts");
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "json", "--contracts-dir"]).arg(rules);
        let violations = sandbox.run_with(&mut command, b"").violations();
        let expected: Vec<_> = expected.iter().map(|path| format!("{path}:1:1 id")).collect();
        assert_eq!(violations, expected, "{glob}");
    }
}

#[test]
fn file_outside_root_has_absolute_path() {
    let outside = Sandbox::new().file("a.txt", "x");
    let path = outside.path("a.txt");
    let inner = path.strip_prefix("/").expect("is absolute").display().to_string();
    let sandbox = Sandbox::new()
        .contract(&forbid("exact", "x", &inner))
        .contract(&forbid("by-ending", "x", "**/*.txt"))
        .contract(&forbid("at-the-root", "x", "*.txt"));
    let violations = file(&sandbox, path.to_str().expect("is text"));
    assert_eq!(violations, [format!("{inner}:1:1 by-ending"), format!("{inner}:1:1 exact")]);
}

#[test]
fn anchors_hold_at_every_line() {
    finds("^b", "a\nb\nab\nb", &[("2:1", "b"), ("4:1", "b")]);
    finds("b$", "b\nab\nba\nb", &[("1:1", "b"), ("2:2", "b"), ("4:1", "b")]);
    finds("^b$", "b\r\nab\r\nb\r\n", &[("1:1", "b"), ("3:1", "b")]);
    finds("b$", "ab\r\n", &[("1:2", "b")]);
    finds("\\Ab", "b\nb", &[("1:1", "b")]);
    finds("b\\Z", "b\nb", &[("2:1", "b")]);
    finds("b$", "b\n", &[("1:1", "b")]);
}

#[test]
fn dot_stops_at_line_end() {
    finds("a.+", "ab\ncd", &[("1:1", "ab")]);
    finds("a.+", "ab\r\ncd", &[("1:1", "ab")]);
    finds("(?s)a.+", "ab\ncd", &[("1:1", "ab\ncd")]);
    finds("b\\nc", "ab\ncd", &[("1:2", "b\nc")]);
    finds("a\\s+c", "a\n\n  c", &[("1:1", "a\n\n  c")]);
    finds("a[^x]c", "a\nc", &[("1:1", "a\nc")]);
}

#[test]
fn violation_starts_at_match_in_characters() {
    finds("x", "éé x\n\tx\n", &[("1:4", "x"), ("2:2", "x")]);
    finds("日", "a日日\n", &[("1:2", "日"), ("1:3", "日")]);
    let json = searched("b\\n+c", "ab\n\ncd").json();
    let violation = &json["violations"][0];
    let place = ["line_number", "column", "end_line", "end_column"].map(|key| violation[key].as_u64());
    assert_eq!(place, [Some(1), Some(2), Some(3), Some(2)]);
}

#[test]
fn every_nonempty_match_is_one_violation() {
    finds("a+", "aa b a", &[("1:1", "aa"), ("1:6", "a")]);
    finds("aa", "aaaaa", &[("1:1", "aa"), ("1:3", "aa")]);
    finds("a*", "b aa", &[("1:3", "aa")]);
    finds("^", "a\nb", &[]);
    finds("(?=a)", "a", &[]);
}

#[test]
fn an_empty_match_meets_no_requirement() {
    let sandbox = Sandbox::new()
        .contract(&contract("id", "require_pattern", Some("a*"), "**/*.txt"))
        .file("a.txt", "b");
    assert_eq!(all(&sandbox), ["a.txt id"]);
}

#[test]
fn look_around_and_back_references_work() {
    finds("foo(?!bar)", "foobar foo", &[("1:8", "foo")]);
    finds("foo(?=bar)", "foobar foo", &[("1:1", "foo")]);
    finds("(?<=a)b", "ab cb", &[("1:2", "b")]);
    finds("(?<!a)b", "ab cb", &[("1:5", "b")]);
    finds(r"\b(\w+) \1\b", "the the cat", &[("1:1", "the the")]);
    finds("(?P<q>['\"]).*?(?P=q)", "x = 'a' \"b'", &[("1:5", "'a'")]);
    finds("^(?!#).+$", "# a\r\nb\r\n", &[("2:1", "b")]);
}

#[test]
fn python_spellings_have_pythons_meaning() {
    finds("(?P<name>a)b", "ab", &[("1:1", "ab")]);
    finds("if {", "if {", &[("1:1", "if {")]);
    finds("${a}", "x", &[]);
    finds("a{,2}b", "aab", &[("1:1", "aab")]);
    finds(r"\<a\>", "<a>", &[("1:1", "<a>")]);
    finds(r"\w+", "straße_1", &[("1:1", "straße_1")]);
    finds(r"(?a)\w+", "aé", &[("1:1", "a")]);
    finds(r"(?i)ÄRGER", "ärger", &[("1:1", "ärger")]);
    finds("(?x) a b # both", "ab", &[("1:1", "ab")]);
    finds(r"[a\]b]+", "a]b", &[("1:1", "a]b")]);
    finds("[]a]+", "]a", &[("1:1", "]a")]);
    finds(r"\u00e9", "é", &[("1:1", "é")]);
}

#[test]
fn incompatible_python_spellings_warn() {
    let output = searched("[[:alpha:]]", "a");
    assert_eq!(
        output.stderr,
        ".claude/contracts/id.yaml:3: '[[:name:]]' is a POSIX class here; in Python it is a set of single characters\n"
    );
    assert_eq!(output.violations().len(), 1);
}

#[test]
fn reports_at_most_thousand_matches() {
    let output = searched("x", "x\n".repeat(1000));
    assert_eq!((output.violations().len(), output.stderr.as_str()), (1000, ""));
    let output = searched("x", "x\n".repeat(1001));
    assert_eq!(output.violations().len(), 1000);
    let gap = "a.txt: id has more than 1000 matches; only the first 1000 are reported";
    assert_eq!(output.unchecked(), [gap], "{output}");
}

#[test]
fn time_limit_is_per_pattern_and_file() {
    let slow = "(?:(?!x)(?:a|aa))+(?<!a)";
    let sandbox = Sandbox::new()
        .contract(&forbid("slow", slow, "**/*.txt"))
        .contract(&contract("slow-too", "require_pattern", Some(slow), "**/*.txt"))
        .contract(&forbid("quick", "!", "**/*.txt"))
        .file("a.txt", format!("{}!\n", "a".repeat(5000)))
        .file("b.txt", "aab!\n");
    let output = sandbox.run(["enforce", "--all", "--timeout", "1", "--format", "json"]);
    let expected = ["a.txt:1:5001 quick", "b.txt:1:4 quick", "b.txt slow-too"];
    let mut violations = output.violations();
    violations.sort();
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(violations, sorted, "out of time is never taken for a match or for none");
    let skipped = output.json()["skipped"].clone();
    let reason = |id: &str| json!({ "file_path": "a.txt", "reason": format!("{id} ran out of time (simplify its pattern, or raise --timeout)") });
    assert_eq!(skipped, json!([reason("slow"), reason("slow-too")]));
    assert_eq!(output.code, Some(3));
}

#[test]
fn long_unicode_text_is_searched_completely() {
    let pattern = r#"(?i)\bpass(?:word|wd)\s*[:=]\s*["'][^"']{8,}["']"#;
    let text = "the password: höre\n".repeat(300_000) + "a password = 'hinter allem'\n";
    let sandbox = Sandbox::new().contract(&forbid("id", pattern, "**/*.txt")).file("a.txt", text);
    // Far more than it takes, and less than it could.
    let output = sandbox.run(["enforce", "a.txt", "--timeout", "5000", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt:300001:3 id"], "{}", output.stderr);
    assert_eq!(output.stderr, "");
}

#[test]
fn project_contracts_are_exempt() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**"))
        .contract(&contract("no-draft", "file_not_exists", None, "**/draft.yaml"))
        .file(".claude/contracts/draft.yaml", forbid("draft", "q", "**"))
        .file("docs/.claude/contracts/other.yaml", "x");
    assert_eq!(
        all(&sandbox),
        [".claude/contracts/draft.yaml no-draft"],
        "those of a directory of the project are exempt too"
    );
    assert_eq!(file(&sandbox, ".claude/contracts/no-x.yaml"), [""; 0]);
    assert_eq!(sandbox.pre_write(".claude/contracts/new.yaml", "x").decision(), "allow");
}

#[test]
fn linked_file_is_judged_under_both_names() {
    let sandbox = Sandbox::new()
        .contract(&forbid("by-link", "x", "links/**"))
        .contract(&forbid("by-file", "x", "real/**"))
        .contract(&contract("no-link", "file_not_exists", None, "links/a.txt"))
        .file("real/a.txt", "x")
        .file("links/keep", "");
    std::os::unix::fs::symlink("../real/a.txt", sandbox.path("links/a.txt")).expect("linked");
    std::os::unix::fs::symlink("real", sandbox.path("way")).expect("linked");
    assert_eq!(
        file(&sandbox, "links/a.txt"),
        ["links/a.txt no-link", "links/a.txt:1:1 by-file", "links/a.txt:1:1 by-link"]
    );
    assert_eq!(file(&sandbox, "way/a.txt"), ["way/a.txt:1:1 by-file"]);
    assert_eq!(file(&sandbox, "way"), ["way/a.txt:1:1 by-file"], "also when the directory is named");
    assert_eq!(all(&sandbox), ["links/a.txt no-link", "real/a.txt:1:1 by-file"], "links are not followed");
}

#[test]
fn invalid_utf8_around_a_match_changes_nothing() {
    let text = b"\xff x \xe2\x82 x\n\xc3x";
    let places: Vec<_> = found("x", text).into_iter().map(|(place, _)| place).collect();
    assert_eq!(places, ["1:3", "1:8", "2:2"]);
    let places: Vec<_> = found("x(?= )", text).into_iter().map(|(place, _)| place).collect();
    assert_eq!(places, ["1:3"], "also with the backtracking engine");
}
