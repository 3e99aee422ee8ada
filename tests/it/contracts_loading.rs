//! Contract files: where they are found, which ones apply, and the warnings about broken ones.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// A contract in the form of version 1.2.
const NESTED: &str = "\
version: '1.2'
audit_source: review
rule:
  id: nested
  type: forbid_pattern
  pattern: 'x'
  file_glob: '**/*.txt'
  message: 'No x.'
  severity: warning
  rationale: 'Once bitten.'
created_at: 2025-01-01T00:00:00
enabled: true
";

/// The ids of what is violated in a project whose `a.txt` has an `x` in it.
fn violated(sandbox: &Sandbox) -> Vec<String> {
    let output = json(sandbox);
    let ids = output.violations().into_iter();
    ids.map(|violation| violation.rsplit(' ').next().expect("an id").to_owned()).collect()
}

fn json(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--file", "a.txt", "--format", "json"])
}

fn sandbox() -> Sandbox {
    Sandbox::new().file("a.txt", "x\n")
}

fn no_x(id: &str) -> String {
    forbid(id, "x", "**/*.txt")
}

/// The warning about a contract file with this text.
fn warning_about(yaml: impl AsRef<[u8]>) -> String {
    let output = json(&sandbox().file(".claude/contracts/c.yaml", yaml));
    assert_eq!(output.violations(), [""; 0], "{output}");
    output.stderr.lines().next().unwrap_or("no warning").to_owned()
}

/// The warning about a valid contract with `from` replaced by `to`.
fn warning_with(from: &str, to: &str) -> String {
    let yaml = forbid("no-x", "x", "**");
    assert!(yaml.contains(from), "{from}");
    warning_about(yaml.replacen(from, to, 1))
}

#[test]
fn ignores_index_of_earlier_version() {
    let sandbox = sandbox()
        .contract(&no_x("no-x"))
        .file(".claude/contracts/.compiled/.gitignore", "*\n")
        .file(".claude/contracts/.compiled/index", b"\x14phaser 0.1.0 index 7\0\x01\x09no-x.yaml\0");
    assert_eq!(violated(&sandbox), ["no-x"]);
    assert_eq!(json(&sandbox).stderr, "");
    assert_eq!(sandbox.pre_write("b.txt", "x").decision(), "deny");
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).violations().len(), 1);
}

#[test]
fn reads_both_directories_forms_and_endings() {
    let sandbox = sandbox()
        .file(".claude/contracts/a.yaml", no_x("flat"))
        .file(".claude/contracts/b.yml", NESTED)
        .user_contract(&no_x("user"));
    assert_eq!(violated(&sandbox), ["flat", "nested", "user"]);
}

#[test]
fn only_files_named_like_contracts_are_read() {
    let sandbox = sandbox()
        .contract(&no_x("counts"))
        .file(".claude/contracts/.hidden.yaml", no_x("hidden"))
        .file(".claude/contracts/a.yaml.bak", no_x("backup"))
        .file(".claude/contracts/a.YAML", no_x("shouting"))
        .file(".claude/contracts/README.md", "x")
        .file(".claude/contracts/sub/a.yaml", no_x("below"));
    assert_eq!(violated(&sandbox), ["below", "counts"], "directories are read too");
    assert_eq!(json(&sandbox).warned(), [".claude/contracts/a.YAML"]);
}

#[test]
fn named_directory_replaces_both() {
    let sandbox = sandbox()
        .contract(&no_x("project"))
        .user_contract(&no_x("user"))
        .file("rules/mine.yaml", no_x("named"))
        .file("sub/keep", "");
    let run = |directory: &str, cwd: &str| {
        let mut command = sandbox.command();
        command.args(["enforce", "--format", "json", "--contracts-dir", directory, "--all"]);
        sandbox.run_with(command.current_dir(sandbox.path(cwd)), b"").violations()
    };
    assert_eq!(run("rules", ""), ["a.txt:1:1 named"]);
    let absolute = sandbox.path("rules");
    assert_eq!(run(absolute.to_str().expect("is text"), "sub"), ["a.txt:1:1 named"]);
}

#[test]
fn nearest_contracts_directory_is_the_project() {
    let sandbox = sandbox().contract(&forbid("outer", "x", "**")).file("sub/deep/a.txt", "x");
    let mut command = sandbox.command();
    let output = sandbox.run_with(
        command.current_dir(sandbox.path("sub/deep")).args(["enforce", "--all", "--format", "json"]),
        b"",
    );
    assert_eq!(output.violations(), ["a.txt:1:1 outer", "sub/deep/a.txt:1:1 outer"]);
}

#[test]
fn the_project_wins_by_id() {
    let sandbox = sandbox().contract(&warning(&no_x("same"))).user_contract(&no_x("same"));
    let output = json(&sandbox);
    assert_eq!(output.json()["violations"][0]["severity"], "warning");
    assert_eq!((output.violations().len(), output.stderr.as_str()), (1, ""));
}

#[test]
fn project_disables_user_contract() {
    let off = no_x("same") + "enabled: false\n";
    let sandbox = sandbox().contract(&off).contract(&no_x("other")).user_contract(&no_x("same"));
    assert_eq!(violated(&sandbox), ["other"]);
    let note = "phaser: same of ~/.phaser/contracts/same.yaml is disabled by .claude/contracts/same.yaml\n";
    assert_eq!(json(&sandbox).stderr, note);
    for run in [
        sandbox.run(["enforce", "--all", "--strict", "--fail-on", "never"]),
        sandbox.run(["contracts", "list"]),
        sandbox.pre_write("b.txt", "y"),
    ] {
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), note), "a note fails nothing");
    }
    let doctor = sandbox.run(["doctor"]).stdout;
    assert!(doctor.contains(note.trim_start_matches("phaser: ")), "{doctor}");
    assert_eq!(sandbox.run(["enforce", "--all", "--quiet"]).stderr, "");
}

#[test]
fn every_spelling_of_off_is_understood() {
    for off in ["false", "False", "no", "off", "'false'"] {
        let sandbox =
            sandbox().contract(&no_x("other")).contract(&format!("{}enabled: {off}\n", no_x("off")));
        assert_eq!(violated(&sandbox), ["other"], "{off}");
    }
}

#[test]
fn first_enabled_of_two_equal_ids_counts() {
    let off = no_x("same") + "enabled: false\n";
    let sandbox = sandbox()
        .file(".claude/contracts/a.yaml", off)
        .file(".claude/contracts/b.yaml", no_x("same"))
        .file(".claude/contracts/c.yaml", warning(&no_x("same")));
    let output = json(&sandbox);
    assert_eq!(output.json()["violations"][0]["severity"], "error");
    assert_eq!(output.violations().len(), 1);
    insta::assert_snapshot!(output.stderr, @"
    .claude/contracts/a.yaml: duplicate rule id 'same'; using the one in .claude/contracts/b.yaml (rename one of them)
    .claude/contracts/c.yaml: duplicate rule id 'same'; using the one in .claude/contracts/b.yaml (rename one of them)
    ");
}

#[test]
fn a_broken_contract_disarms_no_other() {
    let broken = forbid("same", "(", "**");
    let sandbox = sandbox()
        .file(".claude/contracts/a.yaml", &broken)
        .file(".claude/contracts/b.yaml", no_x("same"))
        .contract(&broken.replace("same", "user-too"))
        .user_contract(&no_x("user-too"));
    assert_eq!(violated(&sandbox), ["same", "user-too"]);
    let output = json(&sandbox);
    assert_eq!(output.warned(), [".claude/contracts/a.yaml:3", ".claude/contracts/user-too.yaml:3"]);
    assert_eq!(output.stderr.matches("\n    (\n    ^\n").count(), 2, "{output}");
}

#[test]
fn broken_file_keeps_rest_and_exit_code() {
    let sandbox =
        sandbox().contract(&warning(&no_x("good"))).file(".claude/contracts/bad.yaml", "rule_id: [");
    let output = json(&sandbox);
    assert_eq!((output.violations().len(), output.code), (1, Some(0)), "{output}");
    assert_eq!(output.json()["warnings"][0]["file_path"], ".claude/contracts/bad.yaml");
}

#[test]
fn every_missing_key_is_named() {
    for (key, needed) in
        [("rule_id", 1), ("type", 2), ("pattern", 3), ("file_glob", 4), ("message", 5), ("severity", 6)]
    {
        let yaml = forbid("no-x", "x", "**");
        let without: Vec<_> = yaml.lines().filter(|line| !line.starts_with(&format!("{key}:"))).collect();
        assert_eq!(without.len(), 5, "{key} is on line {needed}");
        let message = warning_about(without.join("\n"));
        assert_eq!(message, format!(".claude/contracts/c.yaml:1: '{key}' is missing (add '{key}: …')"));
    }
}

#[test]
fn a_contract_about_existence_needs_no_pattern() {
    for kind in ["file_exists", "file_not_exists"] {
        let sandbox = sandbox().contract(&contract("about-files", kind, None, "**/*.txt"));
        assert_eq!(json(&sandbox).stderr, "", "{kind}");
    }
}

#[test]
fn every_invalid_value_has_line_and_hint() {
    let long_id = "a".repeat(65);
    let long_glob = format!("'{}'", "a".repeat(5000));
    let cases = [
        ("no-x", "no_x"),
        ("no-x", "'no x'"),
        ("no-x", "nö"),
        ("no-x", "''"),
        ("no-x", &long_id),
        ("no-x", "[a, b]"),
        ("forbid_pattern", "forbid"),
        ("forbid_pattern", "Forbid_Pattern"),
        ("'x'", "''"),
        ("'x'", "'('"),
        ("'x'", "'[a'"),
        ("'x'", r"'\1'"),
        ("'x'", r"'a\'"),
        ("'x'", "\"\\bx\""),
        ("'x'", "a: b"),
        ("'x'", "@x"),
        ("'**'", "''"),
        ("'**'", "'[a'"),
        ("'**'", "'{a'"),
        ("'**'", "**"),
        ("'**'", &long_glob),
        ("'Do not no-x.'", "''"),
        ("'Do not no-x.'", "'  '"),
        ("'Do not no-x.'", "{a: b}"),
        ("severity: error", "severity: fatal"),
        ("severity: error", "severity: Error"),
        ("severity: error", "severity: error\nenabled: maybe"),
        ("severity: error", "severity: error\nenabled: 1"),
        ("severity: error", "severity: error\nrationale: [a]"),
        ("severity: error", "severity: error\nrule_id: again"),
        ("severity: error", "severity: error\n\tenabled: true"),
        ("severity: error", "severity: error\nexamples:\n  violating: 'print'"),
        ("severity: error", "severity: error\nexamples: ['print']"),
        ("'**'", "{a: b}"),
        ("'Do not no-x.'", "'\u{1}'"),
        ("severity: error", "severity: error\nexamples: {passing: [[a]]}"),
    ];
    let message: Vec<_> = cases
        .iter()
        .map(|(from, to)| {
            let message = warning_with(from, to);
            let has_hint = message.ends_with(')') && message.contains(" (");
            let (_, place) = message.split_once("c.yaml:").unwrap_or_else(|| panic!("{to}: {message}"));
            assert!(has_hint && place.starts_with(|c: char| c.is_ascii_digit()), "{message}");
            let to = if to.len() > 60 { format!("{}…", &to[..20]) } else { to.replace('\u{1}', "^A") };
            format!("{from} → {to}\n  {message}")
        })
        .collect();
    insta::assert_snapshot!(message.join("\n"), @r#"
    no-x → no_x
      .claude/contracts/c.yaml:1: rule id 'no_x' may have only letters, digits and hyphens (rename it)
    no-x → 'no x'
      .claude/contracts/c.yaml:1: rule id 'no x' may have only letters, digits and hyphens (rename it)
    no-x → nö
      .claude/contracts/c.yaml:1: rule id 'nö' may have only letters, digits and hyphens (rename it)
    no-x → ''
      .claude/contracts/c.yaml:1: the rule id is empty (name the rule, for instance 'no-debug-print')
    no-x → aaaaaaaaaaaaaaaaaaaa…
      .claude/contracts/c.yaml:1: the rule id is longer than 64 characters (choose a shorter one)
    no-x → [a, b]
      .claude/contracts/c.yaml:1: a list or a mapping, where text is expected (put the text in single quotes)
    forbid_pattern → forbid
      .claude/contracts/c.yaml:2: type 'forbid' is not known (use one of forbid_pattern, require_pattern, file_exists, file_not_exists, file_contains, file_not_contains, file_size, file_parses, same_line_endings, forbid_value, require_value, file_unchanged, keep_pattern, companion_exists, companion_changed, forbid_code, require_code, forbid_import, forbid_command, forbid_in_message, require_in_message)
    forbid_pattern → Forbid_Pattern
      .claude/contracts/c.yaml:2: type 'Forbid_Pattern' is not known (did you mean 'forbid_pattern'?)
    'x' → ''
      .claude/contracts/c.yaml:3: 'pattern' is empty (write what to look for)
    'x' → '('
      .claude/contracts/c.yaml:3: 'pattern' is not a regular expression: unclosed group at character 1 (add ')', or write '\(' for the character)
    'x' → '[a'
      .claude/contracts/c.yaml:3: 'pattern' is not valid: a character class is not closed at character 1 (add ']', or write '\[' for the character)
    'x' → '\1'
      .claude/contracts/c.yaml:3: 'pattern' is not a regular expression: invalid back reference to group 1 at character 1 (there is no such group; write '(…)' around what it repeats)
    'x' → 'a\'
      .claude/contracts/c.yaml:3: 'pattern' is not valid: the pattern ends in a backslash at character 2 (write '\\' for the character)
    'x' → "\bx"
      .claude/contracts/c.yaml:3: 'pattern' has a backspace in it, which is what '\b' is in double quotes (use single quotes)
    'x' → a: b
      .claude/contracts/c.yaml:3: not a contract: mapping values are not allowed in this context (put the value in single quotes, and indent with spaces)
    'x' → @x
      .claude/contracts/c.yaml:3: not a contract: unexpected character: `@' (put the value in single quotes, and indent with spaces)
    '**' → ''
      .claude/contracts/c.yaml:4: 'file_glob' is not valid: the glob is empty (for instance '**/*.py')
    '**' → '[a'
      .claude/contracts/c.yaml:4: 'file_glob' is not valid: a '[' is not closed (for instance '**/*.py')
    '**' → '{a'
      .claude/contracts/c.yaml:4: 'file_glob' is not valid: a '{' is not closed (for instance '**/*.py')
    '**' → **
      .claude/contracts/c.yaml:4: a '*' at the start of a value means something else in YAML (put the value in single quotes)
    '**' → 'aaaaaaaaaaaaaaaaaaa…
      .claude/contracts/c.yaml:4: 'file_glob' is not valid: the glob is 5000 bytes long, over the limit of 4096 (for instance '**/*.py')
    'Do not no-x.' → ''
      .claude/contracts/c.yaml:5: 'message' is empty (say what to do instead)
    'Do not no-x.' → '  '
      .claude/contracts/c.yaml:5: 'message' is empty (say what to do instead)
    'Do not no-x.' → {a: b}
      .claude/contracts/c.yaml:5: a list or a mapping, where text is expected (put the text in single quotes)
    severity: error → severity: fatal
      .claude/contracts/c.yaml:6: severity 'fatal' is not known (use error or warning)
    severity: error → severity: Error
      .claude/contracts/c.yaml:6: severity 'Error' is not known (use error or warning)
    severity: error → severity: error
    enabled: maybe
      .claude/contracts/c.yaml:7: neither true nor false (write one of them)
    severity: error → severity: error
    enabled: 1
      .claude/contracts/c.yaml:7: neither true nor false (write one of them)
    severity: error → severity: error
    rationale: [a]
      .claude/contracts/c.yaml:7: a list or a mapping, where text is expected (put the text in single quotes)
    severity: error → severity: error
    rule_id: again
      .claude/contracts/c.yaml:7: the key 'rule_id' is there twice (keep one of them)
    severity: error → severity: error
    	enabled: true
      .claude/contracts/c.yaml:7: a tab where YAML allows only spaces (indent with spaces)
    severity: error → severity: error
    examples:
      violating: 'print'
      .claude/contracts/c.yaml:8: one value, where a list is expected (put it in brackets, or write '- ' before it on a line of its own)
    severity: error → severity: error
    examples: ['print']
      .claude/contracts/c.yaml:7: expected two lists (write 'violating: […]' and 'passing: […]')
    '**' → {a: b}
      .claude/contracts/c.yaml:4: expected a text, or a list of texts (put a text in single quotes)
    'Do not no-x.' → '^A'
      .claude/contracts/c.yaml:5: a control character, U+0001, which YAML does not allow (remove it, or write it as '\u0001' in double quotes)
    severity: error → severity: error
    examples: {passing: [[a]]}
      .claude/contracts/c.yaml:7: an example is a text, or a 'path' and a 'text' (put the text in quotes)
    "#);
}

#[test]
fn reports_files_that_are_no_contracts() {
    let cases: [(&str, &[u8]); 8] = [
        ("empty", b""),
        ("comment", b"# nothing\n"),
        ("list", b"- rule_id: a\n"),
        ("words", b"just some words\n"),
        ("unclosed quote", b"rule_id: 'a\n"),
        ("binary", b"rule_id: a\n\xff\xfe"),
        ("nul", b"rule_id: a\0b\n"),
        ("rule is no mapping", b"rule: 3\n"),
    ];
    let message: Vec<_> =
        cases.iter().map(|(name, yaml)| format!("{name}: {}", warning_about(yaml))).collect();
    insta::assert_snapshot!(message.join("\n"), @r"
    empty: .claude/contracts/c.yaml:1: the file is empty (a contract starts with 'rule_id: …')
    comment: .claude/contracts/c.yaml:1: the file is empty (a contract starts with 'rule_id: …')
    list: .claude/contracts/c.yaml:1: not a contract (write one 'key: value' a line, from 'rule_id: …' on)
    words: .claude/contracts/c.yaml:1: not a contract (write one 'key: value' a line, from 'rule_id: …' on)
    unclosed quote: .claude/contracts/c.yaml:2: not a contract: invalid indentation in multiline quoted scalar (put the value in single quotes, and indent with spaces)
    binary: .claude/contracts/c.yaml:2: not UTF-8 (save the file as UTF-8)
    nul: .claude/contracts/c.yaml:1: a control character, U+0000, which YAML does not allow (remove it, or write it as '\u0000' in double quotes)
    rule is no mapping: .claude/contracts/c.yaml:1: not a contract (write one 'key: value' a line, from 'rule_id: …' on)
    ");
    let incomplete = warning_about("version: 1\nrule:\n  id: a\n");
    assert!(incomplete.starts_with(".claude/contracts/c.yaml:3: 'file_glob' "), "{incomplete}");
}

#[test]
fn reports_every_failure_of_a_file() {
    let output = json(&sandbox().file(".claude/contracts/c.yaml", "rule_id: a_b\ntype: nope\n"));
    let lines = output.warned();
    assert_eq!(lines.len(), 5, "{output}");
    assert_eq!(
        (&*lines[3], &*lines[4]),
        (".claude/contracts/c.yaml:1", ".claude/contracts/c.yaml:2"),
        "{output}"
    );
    for named in ["'file_glob'", "'message'", "'severity'", "'a_b'", "'nope'"] {
        assert_eq!(output.stderr.matches(named).count(), 1, "{named}: {output}");
    }
}

#[test]
fn ids_like_numbers_and_dates_are_text() {
    for id in ["123", "1e3", "2025-01-01", "null-ish", "0x10"] {
        assert_eq!(violated(&sandbox().contract(&no_x(id))), [id]);
    }
    let longest = "a".repeat(64);
    assert_eq!(violated(&sandbox().contract(&no_x(&longest))), [longest]);
}

#[test]
fn list_of_contracts_is_suggested_as_documents() {
    let listed = "contracts:\n  - rule_id: a\n";
    let output = sandbox().file(".claude/contracts/all.yaml", listed).run(["enforce", "--all"]);
    let hint = "all.yaml:1: unknown key 'contracts' in a contract (write each contract at the top level, with '---' between two)";
    assert!(output.stderr.contains(hint), "{output}");
}

#[test]
fn unknown_keys_warn_in_every_mode() {
    let yaml = no_x("more") + "author: me\npatern: y\n";
    let sandbox = sandbox().git_init().contract(&yaml).git_add("a.txt");
    assert_eq!(violated(&sandbox), ["more"]);
    let shown = "\
.claude/contracts/more.yaml:7: unknown key 'author' in a contract (remove it; the keys are rule_id, type, pattern, \
code, language, file_glob, exclude_glob, file_kind, exclude_kind, in, verify, max_lines, max_bytes, append, import, companion, \
command, args, piped_to, operands, when_exists, unless_exists, path, equals, fix, message, severity, decision, rationale, enabled, ignorable, tags, examples)
.claude/contracts/more.yaml:8: unknown key 'patern' in a contract (did you mean 'pattern'?)
";
    for mode in ["--all", "--staged", "a.txt"] {
        let output = sandbox.run(["enforce", mode]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(1), shown), "{mode}");
        assert_eq!(sandbox.run(["enforce", mode, "--strict"]).code, Some(3), "{mode}");
    }
    assert_eq!(sandbox.pre_write("a.txt", "x").stderr, shown);
    assert!(sandbox.run(["contracts", "check"]).stderr.starts_with(shown));
    let warnings = json(&sandbox).json()["warnings"].clone();
    assert_eq!(warnings[1]["line_number"], 8);
}

#[test]
fn keys_in_the_wrong_place_are_named() {
    let nested =
        NESTED.replace("enabled: true", "pattern: y\nenabled: true").replace("  severity", "  severty");
    let examples =
        no_x("e") + "examples:\n  violates: [x]\n  passing:\n    - {path: a.txt, txt: x, text: z}\n";
    let sandbox = sandbox().contract(&nested).contract(&examples);
    insta::assert_snapshot!(json(&sandbox).stderr, @"
    .claude/contracts/e.yaml:8: unknown key 'violates' in examples (remove it; the keys are violating, passing)
    .claude/contracts/e.yaml:10: unknown key 'txt' in examples (did you mean 'text'?)
    .claude/contracts/nested.yaml:9: unknown key 'severty' in a contract (did you mean 'severity'?)
    .claude/contracts/nested.yaml:12: unknown key 'pattern' beside 'rule' (move it into 'rule')
    ");
}

#[test]
fn globs_that_match_nothing_get_hint() {
    for (glob, hint) in [
        ("./**/*.txt", "(write '**/*.txt')"),
        ("/a.txt", "(write 'a.txt')"),
        ("*.txt,*.md", "(write '{*.txt,*.md}' for several globs, or '\\,' for the comma)"),
        ("!a.txt", "(write 'a.txt' in 'exclude_glob', or '\\!a.txt' for such a name)"),
    ] {
        let sandbox = sandbox().contract(&forbid("no-x", "x", glob));
        let output = sandbox.run(["enforce", "--all"]);
        assert!(output.stderr.starts_with(".claude/contracts/no-x.yaml:4: 'file_glob'"), "{output}");
        assert!(output.stderr.trim_end().ends_with(hint), "{output}");
        assert_eq!(output.code, Some(3), "nothing was checked: {output}");
    }
}

#[test]
fn list_of_globs_matches_any() {
    let lists = ["[a.txt, '**/*.md']", "\n  - a.txt\n  - '**/*.md'", "['a,b.txt', '{a,c}.txt', '[!b].md']"];
    for list in lists {
        let yaml = forbid("no-x", "x", "**").replace("'**'", list);
        let sandbox = sandbox().contract(&yaml).file("b.md", "y").file("c.md", "x").file("d.txt", "x");
        let sandbox = sandbox.file("a,b.txt", "y");
        let output = sandbox.run(["enforce", "--all", "--format", "json"]);
        assert_eq!(output.violations(), ["a.txt:1:1 no-x", "c.md:1:1 no-x"], "{output}");
        let bare_comma = list.contains("a,b");
        assert_eq!(output.stderr.is_empty(), !bare_comma, "{output}");
    }
    assert_eq!(
        warning_with("'**'", "[]"),
        ".claude/contracts/c.yaml:4: 'file_glob' is an empty list (name at least one glob, for instance '**/*.py')"
    );
    assert_eq!(
        warning_with("'**'", "[a, '{b']"),
        ".claude/contracts/c.yaml:4: 'file_glob' is not valid: a '{' is not closed (for instance '**/*.py')"
    );
}

#[test]
fn tags_are_words() {
    let tagged = no_x("tagged") + "tags: [house-rule, secret, secret]\n";
    let nested = NESTED.replace("  severity", "  tags: [one]\n  severity");
    let sandbox = sandbox().contract(&tagged).contract(&nested);
    let list = sandbox.run(["contracts", "list", "--format", "json"]).json();
    assert_eq!(list["contracts"][0]["tags"], serde_json::json!(["one"]));
    assert_eq!(list["contracts"][1]["tags"], serde_json::json!(["house-rule", "secret"]));
    let show = sandbox.run(["contracts", "show", "tagged"]).stdout;
    assert!(show.contains("\ntags:      house-rule, secret\n"), "{show}");
    assert_eq!(
        warning_with("severity: error", "severity: error\ntags: [a, 'b c']"),
        ".claude/contracts/c.yaml:7: tag 'b c' may have only letters, digits and hyphens, at most 64 of them (rename it)"
    );
    assert_eq!(
        warning_with("severity: error", "severity: error\ntags: secret"),
        ".claude/contracts/c.yaml:7: one value, where a list is expected (put it in brackets, or write '- ' before it on a \
         line of its own)"
    );
    let pack = sandbox.run(["contracts", "show", "github-token", "--format", "json"]).json();
    assert_eq!(pack["contract"]["tags"], serde_json::json!(["secret", "secrets"]));
}

#[test]
fn nested_contract_defaults_to_error() {
    let sandbox = sandbox().contract(&NESTED.replace("  severity: warning\n", ""));
    assert_eq!(json(&sandbox).json()["violations"][0]["severity"], "error");
}

#[test]
fn limits_are_reported() {
    let large = format!("{}# {}\n", no_x("large"), "x".repeat(64 * 1024));
    let pattern = |size: usize| no_x("long").replace("'x'", &format!("'{}'", "x".repeat(size)));
    let message = [
        warning_about(large),
        warning_about(pattern(4097)),
        warning_about(pattern(1).replace("'x'", "'(?:(?:x{100}){100}){100}'")),
        warning_about(pattern(1).replace("'x'", r"'(?i)\p{L}{900}\p{L}{900}'")),
    ];
    insta::assert_snapshot!(message.join("\n"), @"
    .claude/contracts/c.yaml: larger than 65536 bytes (put its contracts in several files)
    .claude/contracts/c.yaml:3: 'pattern' has 4097 bytes, the limit is 4096 (split it into several contracts)
    .claude/contracts/c.yaml:3: 'pattern' is too large once compiled (use smaller repetitions, or fewer Unicode classes)
    .claude/contracts/c.yaml:3: 'pattern' is too large once compiled (use smaller repetitions, or fewer Unicode classes)
    ");
    let fits = json(&sandbox().contract(&pattern(4096)));
    assert_eq!((fits.code, fits.stderr.as_str()), (Some(0), ""));
    let full = no_x("full");
    let full = format!("{full}#{}\n", "x".repeat(64 * 1024 - full.len() - 2));
    assert_eq!(violated(&sandbox().contract(&full)), ["full"]);
}

#[test]
fn bombs_are_refused() {
    let mut aliases = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..10 {
        let before = format!("*a{},", level - 1).repeat(10);
        aliases.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    let deep = format!("unknown: {}{}\n", "[".repeat(30_000), "]".repeat(30_000));
    let blocks: String = (0..300).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let cycle = "unknown: &a [*a]\n".to_owned();
    let merges: String = (0..500).map(|number| format!("d{number}: {{<<: *a}}\n")).collect();
    let merges = format!("a: &a {{b: 1}}\n{merges}");
    let many = format!("unknown: [{}]\n", "x,".repeat(20_000));
    for (yaml, line) in [(aliases, 4), (deep, 1), (blocks, 33), (cycle, 1), (merges, 102), (many, 1)] {
        let message = warning_about(yaml);
        assert!(message.starts_with(&format!(".claude/contracts/c.yaml:{line}: ")), "{message}");
    }
}

#[test]
fn special_files_are_never_opened() {
    let sandbox = sandbox().contract(&no_x("good")).file(".claude/contracts/directory.yaml/a", "");
    let directory = sandbox.path(".claude/contracts");
    let fifo = Command::new("mkfifo").arg(directory.join("fifo.yaml")).status().expect("mkfifo runs");
    assert!(fifo.success());
    let _socket = UnixListener::bind(directory.join("socket.yaml")).expect("bound");
    symlink("nowhere", directory.join("dangling.yaml")).expect("linked");
    symlink("/dev/zero", directory.join("endless.yaml")).expect("linked");
    symlink("loop.yaml", directory.join("loop.yaml")).expect("linked");
    let output = json(&sandbox);
    assert_eq!(output.violations(), ["a.txt:1:1 good"]);
    let names = ["dangling", "endless", "fifo", "loop", "socket"];
    assert_eq!(output.warned(), names.map(|name| format!(".claude/contracts/{name}.yaml")));
    let message = ".claude/contracts/fifo.yaml: not a regular file (move it away, or put a file there)\n";
    assert!(output.stderr.contains(message), "{output}");
    let write = sandbox.pre_write("a.txt", "x");
    assert_eq!(write.decision(), "deny", "the hook does not hang on them either");
}

#[test]
fn a_linked_contract_file_counts() {
    let sandbox = sandbox().contract(&no_x("good")).file("shared/linked.yaml", no_x("linked"));
    symlink("../../shared/linked.yaml", sandbox.path(".claude/contracts/link.yaml")).expect("linked");
    assert_eq!(violated(&sandbox), ["good", "linked"]);
}

#[test]
fn user_contracts_count_without_project_directory() {
    let sandbox = sandbox().user_contract(&no_x("user"));
    assert_eq!(violated(&sandbox), ["user"]);
    fs::create_dir_all(sandbox.path(".claude/contracts")).expect("created");
    assert_eq!(violated(&sandbox), ["user"]);
}

#[test]
fn accepts_byte_order_mark_and_crlf() {
    let yaml = format!("\u{feff}{}", no_x("windows").replace('\n', "\r\n"));
    let sandbox = sandbox().file(".claude/contracts/c.yaml", yaml);
    assert_eq!(violated(&sandbox), ["windows"]);
}
