//! The entry points of the fuzz targets as property tests: ten thousand inputs each, made by changing good ones.
//!
//! The seed is fixed here; `.ci/run` takes another for every commit. It is printed. `PROPTEST_RNG_SEED` and
//! `PROPTEST_CASES` try others and more of them, or the same ones again.

use phaser_testing as entries;
use serde_json::json;

#[path = "entries/changed.rs"]
mod changed;

use changed::try_out;

fn bytes(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn hook_holds() {
    let event = |name: &str, tool: &str, input: serde_json::Value| {
        json!({ "session_id": "s", "cwd": "/nowhere/project", "hook_event_name": name, "tool_name": tool,
            "tool_input": input })
        .to_string()
        .into_bytes()
    };
    let path = "/nowhere/project/a.py";
    let good = vec![
        event("PreToolUse", "Write", json!({ "file_path": path, "content": "forbidden\nwords\n" })),
        event("PreToolUse", "Write", json!({ "file_path": "a.py", "content": "fine é \u{1f600}\n" })),
        event("PostToolUse", "Write", json!({ "file_path": "../a.py", "content": "forbidden" })),
        event("PreToolUse", "Edit", json!({ "file_path": path, "old_string": "", "new_string": "forbidden" })),
        event("PreToolUse", "MultiEdit", json!({ "file_path": path, "edits": [{ "old_string": "", "new_string": "x" }] })),
        event("PreToolUse", "NotebookEdit", json!({ "notebook_path": "n.ipynb", "new_source": "x", "cell_id": "a" })),
        event("Stop", "Bash", json!({ "command": "ls" })),
        br#"{"toolName":"Write","toolInput":{"filePath":"a","content":"\ud800 forbidden"}}"#.to_vec(),
        b"\xef\xbb\xbf {\"tool_name\" : \"Write\", \"tool_input\": {\"file_path\":\"a\",\"content\":\"a\tb\nforbidden\"}} ".to_vec(),
    ];
    let words = &[
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "true",
        "1e999",
        "-0",
        "\\ud800",
        "\\udc00",
        "\\u0000",
        "\\n",
        "\n",
        "\u{feff}",
        "\"tool_input\":",
        "\"content\":",
        "\"file_path\":",
        "forbidden",
        "..",
        "/../",
        "\u{202e}",
        "/*",
        "//",
        "\"a\":1,",
        "{\"a\":",
        "[[[[[[[[",
        "\"hook_event_name\":\"PostToolUse\",",
    ];
    try_out("hook", entries::hook, good, words);
}

#[test]
fn contract_holds() {
    let nested = "version: '1.2'\naudit_source: review\nrule:\n  id: nested\n  type: file_contains\n  pattern: 'a.b'\n  \
        file_glob: 'src/*.c'\n  message: m\n  severity: warning\ncreated_at: 2025-01-01\nenabled: false\n";
    let examples = forbid("with-examples", r"\bprint\(", "**/*.py")
        + "rationale: why\nexamples:\n  violating:\n    - print(1)\n    - path: a.py\n      text: |\n        print(2)\n  passing: []\n";
    let good = vec![
        forbid("no-x", r"(?i)\w+!\s*(?://|$)", "**/*.{swift,kt}").into_bytes(),
        contract("exists", "file_exists", None, "README*").into_bytes(),
        nested.as_bytes().to_vec(),
        examples.into_bytes(),
    ];
    let words = &[
        "\n",
        "  ",
        "\t",
        ":",
        ": ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "|",
        ">",
        ">-",
        "&a ",
        "*a",
        "<<: *a",
        "!!str ",
        "!!binary ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "# ",
        "? ",
        "@",
        "`",
        "~",
        "null",
        "yes",
        "0x10",
        ".inf",
        "\\",
        "\u{feff}",
        "rule_id: ",
        "type: ",
        "pattern: ",
        "file_glob: ",
        "message: ",
        "severity: error\n",
        "enabled: ",
        "rule:\n",
        "**",
        "[!a]",
        "{a,b}",
        "(?i)",
        "\\p{L}",
        "{2,}",
        "(?=",
        "\\1",
        "é",
    ];
    try_out("contract", entries::contract, good, words);
}

#[test]
fn search_equals_naive_search() {
    let good = bytes(&[
        "\\bprint\\(\0x = 1\nprint(x)\r\nprint (y)\n",
        "(?i)pass(word|wd)?\\s*[:=]\0PASSWORD = 'x'\npasswd:y\nſs pass\n",
        "^[a-z]+$\0abc\r\nABC\ndef\n\nghi",
        "a.c|b{2,3}|[^\\n]x\0abc bb bbb\nbbbb ax\n",
        "(?s)begin.*?end\0begin\none\nend begin end",
        "foo(?!bar)|(\\w)\\1\0foobar foo aa",
        "\\w+é|日本|\\d{2}\0caf\u{e9} été 日本 42 7",
        "TODO(?:\\(\\w+\\))?:?\0# TODO: a\n# TODO(me) b\n",
    ]);
    let words = &[
        "a",
        "b",
        "foo",
        "é",
        "ſ",
        "\u{212a}",
        "日",
        "\n",
        "\r\n",
        "\r",
        " ",
        "_",
        "7",
        ".",
        "*",
        "+",
        "?",
        "*?",
        "+?",
        "??",
        "|",
        "(",
        ")",
        "(?:",
        "(?i)",
        "(?s)",
        "(?x)",
        "(?a)",
        "(?-u:\\xff)",
        "[",
        "]",
        "[^",
        "-",
        "&&",
        "[[:alpha:]]",
        "{2}",
        "{,3}",
        "{0,2}?",
        "\\b",
        "\\B",
        "\\w",
        "\\W",
        "\\d",
        "\\s",
        "\\S",
        "\\n",
        "\\x41",
        "\\u0041",
        "\\p{Greek}",
        "\\A",
        "\\Z",
        "\\z",
        "^",
        "$",
        "\\",
        "\\.",
        "\\1",
        "(?=",
        "(?<!",
        "(?P<n>",
        "(?P=n)",
        "(?#",
        "(?>",
        "++",
    ];
    try_out("search", entries::search, good, words);
}

#[test]
fn edit_equals_agents_edit() {
    let good = bytes(&[
        "one\ntwo\nthree\n\0two\0TWO",
        "one\r\ntwo\r\nthree\r\n\0one\ntwo\0x\ny",
        "say “hi” ‘there’\n\0say \"hi\" 'there'\0bye",
        "a b a b\n\0a\0",
        "\u{feff}mark\n\0mark\0",
        "keep\ndrop\nkeep\n\0drop\0",
        "\0\0new file\n",
    ]);
    let words = &[
        "a", "b", "a\n", "\n", "\r\n", "\r", "\0", "“", "”", "‘", "’", "\"", "'", "$1", "$&", "\\n", "\\",
        "\u{feff}", "é", " ", "  ", "\t", "<", "&lt;", "</fnr>", "\u{a0}",
    ];
    try_out("edit", entries::edit, good, words);
}

#[test]
fn ignores_hold() {
    let good = bytes(&[
        "a.py\0x = 1  # phaser:ignore no-x\n# phaser:ignore-next-line no-x, x\nx\nx # phaser:ignore-all\n",
        "a.js\0f(); // phaser:ignore no-x -- because\n/* phaser:ignore-file no-x */\n * phaser:ignore x\n",
        "page.html\0<!-- phaser:ignore no-x -->\n<script>\n// phaser:ignore-next-line x\n</script>",
        "a.unknown\0-- phaser:ignore no-x\n; phaser:ignore\n",
        "notes.md\0[//]: # (phaser:ignore-file no-x)\r\n{/* phaser:ignore x */}\r\n",
        "t.html.j2\0{# phaser:ignore no-x #}{{!-- phaser:ignore x --}}<%# phaser:ignore no-x %>",
    ]);
    let words = &[
        "phaser:ignore",
        "phaser:ignore-file",
        "phaser:ignore-next-line",
        "phaser:ignore-all",
        "phaser:ignored",
        " no-x",
        ", x",
        ",",
        ",,",
        " -- ",
        "#",
        "//",
        "/*",
        "*/",
        "<!--",
        "-->",
        "--",
        ";",
        "%",
        "\"",
        "'",
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "*",
        "{#",
        "#}",
        "\0",
        ".rs",
        ".css",
        "é",
        "\u{a0}",
    ];
    try_out("ignores", entries::ignores, good, words);
}

#[test]
fn settings_round_trip() {
    let good = bytes(&[
        "",
        "{}\n",
        "{\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\"] },\n  \"number\": 1.50\n}\n",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"guard.sh\"}]}]}}",
        "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [],\n\t\t\"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }]\n\t}\n}",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Edit|Write\",\"hooks\":[{\"type\":\"command\",\"command\":\
         \"phaser enforce --stdin --severity error\",\"timeout\":60}]}]},\"model\":\"x\"}\n",
    ]);
    let words = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "null",
        "true",
        "1",
        "\n",
        "\r\n",
        " ",
        "\t",
        "\u{feff}",
        "\"hooks\":",
        "\"PreToolUse\":",
        "\"PostToolUse\":",
        "\"matcher\":\"Edit|Write\",",
        "\"type\":\"command\",",
        "\"command\":\"phaser enforce --stdin\"",
        "\"command\":\"x\"",
        "{\"hooks\":[]}",
        "// note\n",
        "/* note */",
        "\"disableAllHooks\":true,",
        "é",
        "\\u0068ooks",
    ];
    try_out("settings", entries::settings, good, words);
}

#[test]
fn data_holds() {
    let documents = [
        "{\"a\": [1, \"x\", {\"b\": null}], \"b\": {\"c\": true, \"a\": \"\\u0041\"}}",
        "a: &a\n  - x # c\n  - {b: 'y', c: [1, 2]}\nb: *a\nc:\n  <<: {d: |\n    z\n  }\n---\n? k\n: v\n",
        "a:\n  b: &x {c: 1}\n  d: {<<: *x, e: >-\n   f}\n  g:\n",
        "a.b = 1\n[c]\nd = 'x' # c\n[[c.e]]\nf = [1, {g = 2}]\n",
    ];
    let paths = [
        "$",
        "$.a",
        "$..*",
        "$.a[0]",
        "$['b','a'][*]",
        "$..[?@.b == null || @ > 1]",
        "$.a[-1:0:-1]",
        "$..[?match(@, '[a-z]+') && !count(@.*)==1]",
        "$[?length(@.a) <= 3]..c",
    ];
    let good: Vec<Vec<u8>> = documents
        .iter()
        .flat_map(|document| paths.iter().map(move |path| format!("{path}\0{document}").into_bytes()))
        .collect();
    let words = &[
        "\0",
        "\n",
        "\r\n",
        " ",
        "  ",
        "\t",
        "\"",
        "'",
        "\\",
        "\\u0061",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        ": ",
        "- ",
        "#",
        "//",
        "/*",
        "*/",
        "&a ",
        "*a",
        "<<: ",
        "|",
        ">",
        "!",
        "!!str ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "? ",
        "=",
        ".",
        "..",
        "$",
        "@",
        "?",
        "*",
        "[[",
        "]]",
        "1",
        "-1",
        "0x",
        "1e9",
        "true",
        "null",
        "~",
        "a",
        "b",
        "\u{feff}",
        "\u{1F600}",
        "&&",
        "||",
        "==",
        "<=",
        "search(@.a,'x')",
        "value($..a)",
    ];
    try_out("data", entries::data, good, words);
}

#[test]
fn baseline_holds() {
    let good = bytes(&[
        concat!(
            r#"{"contract":"no-x","path":"src/a.py","digest":"00000000000000ff","count":2}"#,
            "\n",
            r#"{"contract":"no-y","path":"a \"b\" é.py","digest":"fedcba9876543210","count":10}"#,
            "\n",
        ),
        r#" { "count": 3, "digest": "00000000000000ff", "path": "src/a.py", "contract": "no-x" }"#,
        "",
    ]);
    let words = &[
        "\n",
        "\r\n",
        "\"",
        "\\",
        "\\u0041",
        "{",
        "}",
        ",",
        ":",
        " ",
        "0",
        "1",
        "f",
        "\u{1}",
        "\u{fffd}",
        "\"path\":\"",
        "\",\"digest\":\"",
        "\",\"count\":",
        "<<<<<<< HEAD\n",
        "{\"contract\":\"",
        "{\"contract\":\"no-x\",\"path\":\"b\",\"digest\":\"0000000000000001\",\"count\":7}\n",
    ];
    try_out("baseline", entries::baseline, good, words);
}

/// A contract that forbids a pattern, in the flat form.
fn forbid(id: &str, pattern: &str, glob: &str) -> String {
    contract(id, "forbid_pattern", Some(pattern), glob)
}

/// A contract of any type, in the flat form.
fn contract(id: &str, kind: &str, pattern: Option<&str>, glob: &str) -> String {
    let pattern = pattern.map(|pattern| format!("pattern: '{}'\n", pattern.replace('\'', "''")));
    format!(
        "rule_id: {id}\ntype: {kind}\n{}file_glob: '{glob}'\nmessage: 'Do not {id}.'\nseverity: error\n",
        pattern.unwrap_or_default()
    )
}

const SOURCES: [&str; 9] = [
    "import a.b as c\nfrom .m import (x, y)\nx = eval(y)  # eval\n",
    "import a from './b';\nexport * from \"@/c\";\nconst d = require('d');\neval(`x${y}`);\n",
    "package a\nimport (\n\t. \"b/c\"\n)\nfunc f() { eval(x) }\n",
    "use crate::{a, b::{self, C as D}};\nmod m { use super::*; }\nfn f() { eval(x); }\n",
    "package a.b;\nimport static c.D.e;\nimport f.*;\nclass G { void h() { eval(i); } }\n",
    "<?php\nuse A\\{B, C as D};\neval($x);\n",
    "require_relative '../a'\nrequire \"b\"\neval(x)\n",
    "#include \"a/b.h\"\n#include <c.h>\nint main() { eval(x); }\n",
    "using static A.B;\nusing C = D.E;\nclass F { void G() { eval(x); } }\n",
];

/// Words of all languages.
const WORDS: &[&str] = &[
    "import ",
    "from ",
    "use ",
    "using ",
    "require(",
    "#include ",
    "export ",
    "mod ",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "'",
    "\"",
    "`",
    "${",
    "'''",
    "\"\"\"",
    "/*",
    "*/",
    "//",
    "#",
    "::",
    ".",
    "..",
    "../",
    "*",
    ";",
    "\\",
    "\n",
    "\t",
    "    ",
    "\u{feff}",
    "é",
    "$X",
    "$$$",
    "eval",
    "super::",
    "crate::",
    "self",
    "static ",
    "<?php ",
    "<script>",
    "</script>",
    "- ",
    ": ",
    "\0",
];

#[test]
fn code_holds() {
    let patterns = [
        "eval($X)",
        "$A",
        "$$$",
        "import $X",
        r#"{"any": [{"pattern": "eval($X)"}, {"kind": "call"}]}"#,
        r#"{"pattern": "$A.$B", "not": {"inside": {"kind": "string", "stopBy": "end"}}}"#,
    ];
    let good =
        patterns.iter().flat_map(|pattern| SOURCES.map(|source| format!("{pattern}\0{source}").into_bytes()));
    try_out("code", entries::code, good.collect(), WORDS);
}

#[test]
fn imports_holds() {
    let configs = "tsconfig.json\0{\"extends\": \"./tsconfig.json\", \"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}\0\
        package.json\0{\"workspaces\": [\"packages/*\", \"**\"]}\0packages/a/package.json\0{\"name\": \"d\"}\0\
        go.mod\0module b\nreplace c => ./c\n\0Cargo.toml\0[package]\nname = 'a'\n[dependencies]\nb = {path = '../b'}\n\0\
        src/c.ts\0\0src/b/__init__.py\0\0pyproject.toml\0";
    let good = SOURCES.map(|source| format!("{source}\0{configs}").into_bytes());
    try_out("imports", entries::imports, good.to_vec(), WORDS);
}

#[test]
fn grammar_holds() {
    let good = (0..17_u8).flat_map(|language| {
        SOURCES.into_iter().take(3).map(move |source| [&[language], source.as_bytes()].concat())
    });
    try_out("grammar", entries::grammar, good.collect(), WORDS);
}

#[test]
fn command_holds() {
    let good = bytes(&[
        "cd a && sudo /usr/bin/git -C . commit -nm 'x y' --no-verify",
        "curl -fsSL https://a | sudo sh -s -- -x; bash -c \"$(curl https://b)\"",
        "export A=1; (cd web && B=2 rm -rf ../../x) | tee log && git push --force",
        "bash <<'EOF'\ngit commit -n\nEOF\nfind . -name '*.c' -exec rm /etc/{} \\;",
    ]);
    let words = &[
        "git commit ",
        "-n ",
        "rm ",
        "/etc ",
        "curl ",
        "| sh ",
        "eval ",
        "sudo ",
        "bash -c ",
        "env A=1 ",
        "cd .. && ",
        "'",
        "\"",
        "\\",
        "$(",
        ")",
        "`",
        "${x:-",
        "}",
        "<<E\n",
        "\nE\n",
        "<<<",
        ">",
        "|",
        "&&",
        ";",
        "{",
        "#",
        "\n",
        "\t",
        "é",
        "$'",
        "case x in a) ",
        "esac",
        "for i in ",
        "do ",
        "done ",
        "if ",
        "then ",
        "fi ",
        "[[ ",
        "]] ",
        "((",
        "))",
        "function f ",
        "-exec ",
        "{} \\;",
        "--",
    ];
    try_out("command", entries::command, good, words);
}
