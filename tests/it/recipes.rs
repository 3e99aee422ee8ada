//! Every recipe of the documentation that needs nothing but phaser and git, done as it is written.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::guide;
use crate::harness::{Output, Sandbox, forbid};

/// The blocks of a page in one language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(page);
    let text = fs::read_to_string(path).expect("readable");
    let fence = format!("```{language}\n");
    let found: Vec<_> = text
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("```").next().expect("at least one part").to_owned())
        .collect();
    assert!(!found.is_empty(), "{page} has no {language}");
    found
}

fn yaml(page: &str) -> Vec<Value> {
    let read = |block: String| serde_saphyr::from_str(&block).expect("is YAML");
    blocks(page, "yaml").into_iter().map(read).collect()
}

/// A project whose branch `origin/main` is one commit behind.
fn sandbox(text: &str) -> Sandbox {
    let sandbox = Sandbox::new().git_init().contract(&forbid("no-x", "x", "*.txt")).file("old.txt", "fine\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old");
    sandbox.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    sandbox.file("new.txt", text).git_add("new.txt").git_commit("new")
}

/// Runs a script with phaser on the path.
pub fn run(sandbox: &Sandbox, script: &str, variables: &[(&str, &str)]) -> Output {
    let path = std::env::var("PATH").expect("is set");
    let path = format!("{}:{path}", sandbox.install().display());
    let mut command = sandbox.tool("sh");
    command.args(["-eu", "-c", script]).env("PATH", path).envs(variables.iter().copied());
    sandbox.run_with(&mut command, b"")
}

/// The indented blocks of the README, without their indentation.
fn readme() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(path).expect("readable");
    let mut blocks = vec![String::new()];
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(line) => *blocks.last_mut().expect("one block") += &format!("{line}\n"),
            None if blocks.last().is_some_and(|block| !block.is_empty()) => blocks.push(String::new()),
            None => {}
        }
    }
    blocks
}

/// The lines of a picture, as text.
fn picture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images").join(name);
    let svg = fs::read_to_string(path).expect("readable");
    let mut text = String::new();
    for part in svg.split('<') {
        let (tag, rest) = part.split_once('>').unwrap_or_default();
        text.push_str(if tag == "/text" { "\n" } else { rest });
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(text, |text, (entity, plain)| text.replace(entity, plain))
}

/// The block of the README that writes its first contract, and the output it shows.
fn first_contract() -> (String, String) {
    let script = readme().into_iter().find(|block| block.starts_with("mkdir -p .claude/contracts\ncat >"));
    let output = guide::blocks(include_str!("../../README.md")).into_iter().find(|(info, _)| info == "text");
    (script.expect("a first contract"), output.expect("its output").1)
}

#[test]
fn readme_commands_match_its_picture() {
    let blocks = readme();
    let script = blocks.iter().find_map(|block| block.strip_prefix("cd your-project\n")).expect("a set-up");
    let (init, enforce) = script.split_once('\n').expect("two commands");
    let source = "import json\n\n\ndef load(path):\n    try:\n        return json.load(open(path))\n    except:\n        \
                  return None\n\n\ndef save(path, data):\n    raise NotImplemented\n";
    let sandbox = Sandbox::new().git_init().file("src/app.py", source);
    assert!(init.starts_with("phaser init "), "{init}");
    let output = run(&sandbox, init, &[]);
    assert_eq!(output.code, Some(0), "{output}");
    // A terminal shows the same.
    let output = run(&sandbox, &format!("{} --format full", enforce.trim_end()), &[]);
    assert_eq!(output.code, Some(1), "{output}");
    let shown = picture("first-run.svg");
    assert!(shown.contains(&format!("$ {enforce}")), "{shown}");
    for line in output.stdout.lines().filter(|line| !line.trim().is_empty()) {
        assert!(shown.contains(line), "the picture has no line {line:?}: {DRAW}");
    }
}

/// How to bring the pictures up to date.
const DRAW: &str = "draw it again with PATH=$PWD/target/debug:$PATH scripts/terminal-picture";

#[test]
fn refused_edit_matches_its_picture() {
    let shown = picture("refused-edit.svg");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let attempts = shown.split("agent   Edit src/app.py\n").skip(1);
    let decisions: Vec<_> = attempts
        .map(|attempt| {
            let (edit, response) = attempt.split_once("phaser  ").expect("a response");
            let line = |line: &str| {
                Some(line.strip_prefix("  + ").or_else(|| line.strip_prefix("    "))?.to_owned())
            };
            let new = edit.lines().filter_map(line).collect::<Vec<_>>().join("\n");
            let (decision, reason) = response.split_once('\n').expect("a reason");
            let source = "import logging\n\n\ndef load(path):\n    return open(path).read()\n";
            let sandbox = sandbox_with(&first_contract().0).file("src/app.py", source);
            let edit = sandbox.hook("PreToolUse").edit("src/app.py", "    return open(path).read()", &new);
            let output = edit.args(["--guard"]).run();
            assert_eq!(
                (output.decision().as_str(), words(&output.reason())),
                (decision, words(reason)),
                "{DRAW}"
            );
            decision
        })
        .collect();
    assert_eq!(decisions, ["deny", "allow"]);
}

#[test]
fn readme_contract_and_exception_work() {
    let (script, shown) = first_contract();
    // Line 2 is empty, as any formatter leaves it.
    let sandbox = Sandbox::new().file("src/app.py", "import logging\n\nprint('debug')\n");
    let output = run(&sandbox, &script, &[]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), shown.as_str()), "{output}");
    let lint = run(&sandbox, "phaser contracts lint", &[]);
    assert_eq!(lint.code, Some(0), "{lint}");

    let blocks = readme();
    let exception = blocks.iter().find(|block| block.contains("phaser:ignore")).expect("an exception");
    for before in ["", "import report\n\n"] {
        let sandbox = sandbox_with(&script).file("src/app.py", format!("{before}{exception}"));
        let output = run(&sandbox, "phaser enforce --all", &[]);
        assert_eq!((output.code, output.count("ignored")), (Some(0), 1), "{output}");
        let lint = run(&sandbox, "phaser contracts lint", &[]);
        assert!(!lint.stdout.contains("is not violated here"), "{lint}");
    }
}

fn sandbox_with(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(run(&sandbox, script, &[]).code, Some(0));
    sandbox
}

#[test]
fn git_hooks() {
    for recipe in blocks("git-hook.md", "sh") {
        let sandbox = sandbox("fine\n");
        assert_eq!(run(&sandbox, &recipe, &[]).code, Some(0), "{recipe}");
        let sandbox = sandbox.file("new.txt", "x\n");
        let commit = run(&sandbox, "git commit -q -a -m bad", &[]);
        assert_eq!(commit.code, Some(1), "{recipe}{commit}");
        let shown = format!("{}{}", commit.stdout, commit.stderr);
        assert!(shown.contains("new.txt:1:1: error: no-x\n"), "{commit}");
        let last = shown.trim_end().lines().last();
        assert!(last.is_some_and(|line| line.contains("phaser explain ID")), "{commit}");
        let sandbox = sandbox.file("new.txt", "better\n");
        let commit = run(&sandbox, "git commit -q -a -m good", &[]);
        assert_eq!(commit.code, Some(0), "{recipe}{commit}");
    }
}

#[test]
fn other_ci() {
    for recipe in blocks("other.md", "sh") {
        let clean = run(&sandbox("fine\n"), &recipe, &[]);
        assert_eq!(clean.code, Some(0), "{recipe}{clean}");
        let first = recipe.lines().next().expect("a line");
        let violating = run(&sandbox("x\n"), first, &[]);
        let elsewhere = first.contains("--shard 1/2") || first.contains("--shard 2/2");
        assert!(violating.code == Some(1) || elsewhere, "{first}\n{violating}");
    }
}

#[test]
fn gitlab() {
    for job in yaml("gitlab.md") {
        let job = &job["phaser"];
        let script: Vec<_> = job["script"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|line| line.as_str().expect("text"))
            .collect();
        let sandbox = sandbox("x\n");
        let base = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", "origin/main")];
        let output = run(&sandbox, &script.join("\n"), &base);
        assert_eq!(output.code, Some(1), "{script:?}{output}");
        for report in job["artifacts"]["reports"].as_object().expect("reports").values() {
            let report = fs::read_to_string(sandbox.path(report.as_str().expect("a file"))).expect("written");
            assert!(report.contains("no-x"), "{report}");
        }
    }
}

#[test]
fn github() {
    for recipe in blocks("github.md", "sh") {
        let output = run(&sandbox("x\n"), &recipe, &[]);
        assert_eq!(output.code, Some(1), "{recipe}{output}");
        assert!(output.stdout.starts_with("::error file=new.txt,line=1,"), "{output}");
    }
    let workflows = yaml("github.md");
    let shards = workflows.iter().find(|workflow| workflow["jobs"]["shard"].is_object()).expect("a matrix");
    let command = |job: &str| {
        let steps = shards["jobs"][job]["steps"].as_array().expect("steps");
        steps.iter().find_map(|step| step["run"].as_str()).expect("a command").to_owned()
    };
    let sandbox = sandbox("x\n");
    let mut codes: Vec<_> =
        ["1", "2", "3", "4"].iter().map(|n| run(&sandbox, &command("shard"), &[("SHARD", n)]).code).collect();
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(0), Some(0), Some(1)]);
    let merge = run(&sandbox, &command("report"), &[]);
    assert_eq!(merge.code, Some(0), "{merge}");
    let log = fs::read_to_string(sandbox.path("phaser.sarif")).expect("written");
    assert_eq!(log.matches("\"ruleId\": \"no-x\"").count(), 1);
}

#[test]
fn pages_name_what_the_action_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("action.yml")).expect("readable");
    let action: Value = serde_saphyr::from_str(&action).expect("is YAML");
    let page = fs::read_to_string(root.join("docs/ci/github.md")).expect("readable");
    for kind in ["inputs", "outputs"] {
        for name in action[kind].as_object().expect("a map").keys() {
            assert!(page.contains(&format!("`{name}`")), "docs/ci/github.md does not name {name}");
        }
    }
}

#[test]
fn action_fits_the_marketplace() {
    let action = include_str!("../../action.yml");
    let action: Value = serde_saphyr::from_str(action).expect("is YAML");
    let text = |key: &str| action[key].as_str().expect(key);
    // The marketplace refuses the names of other actions, of users and of categories.
    assert_eq!(text("name"), "phaser contracts");
    assert!(text("description").chars().count() < 125, "{}", text("description"));
    assert!(action["branding"]["icon"].is_string() && action["branding"]["color"].is_string());
}

#[test]
fn pre_commit_page_matches_hooks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hooks = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).expect("readable");
    let hooks: Vec<Value> = serde_saphyr::from_str(&hooks).expect("is YAML");
    let offered = |id: &Value| hooks.iter().find(|hook| hook["id"] == *id);
    let mut local = 0;
    for configuration in yaml("pre-commit.md") {
        let repository = &configuration["repos"][0];
        for hook in repository["hooks"].as_array().expect("a list") {
            let offered = offered(&hook["id"]).unwrap_or_else(|| panic!("{hook} is not offered"));
            if repository["repo"] == "local" {
                local += 1;
                for key in ["name", "entry", "args", "language", "always_run", "require_serial"] {
                    assert_eq!(hook[key], offered[key], "{key}");
                }
                // The default of pre-commit.
                assert!(hook["pass_filenames"].is_null() || hook["pass_filenames"] == true);
            }
        }
    }
    assert_eq!(local, 1);
}
