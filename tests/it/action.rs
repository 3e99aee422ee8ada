//! The steps of the GitHub Action, run as GitHub runs them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::harness::{Output, Sandbox, forbid, warning};

/// A curl whose network is a directory.
const CURL: &str = r#"
while [ $# -gt 1 ]; do
  [ "$1" != --output ] || output=$2
  shift
done
echo "$1" >>"$RUNNER_TEMP/asked"
exec cp "$RUNNER_TEMP/network/${1#https://}" "$output"
"#;

/// A phaser that prints the arguments of `history` and returns a prepared one.
const HISTORY: &str = r#"
[ "$1" = history ] || exec "$PHASER" "$@"
shift
printf '%s\n' "$@" >"$RUNNER_TEMP/history"
echo "::error::a note" >&2
cat "$RUNNER_TEMP/past" 2>/dev/null && exit "${CODE:-0}"
"#;

/// A job: a project, and the files that GitHub gives to a step.
struct Job {
    sandbox: Sandbox,
}

impl Job {
    fn new(text: &str) -> Self {
        let sandbox = Sandbox::new()
            .git_init()
            .contract(&forbid("no-x", "x", "*.txt"))
            .contract(&warning(&forbid("no-y", "y", "*.txt")))
            .file("a.txt", text);
        fs::create_dir_all(sandbox.home().join("temp/bin")).expect("created");
        let program = |name: &str, script: &str| {
            let path = sandbox.home().join("temp/bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made executable");
        };
        program("history", HISTORY);
        program("cargo", "printf '%s\\n' \"$@\" >\"$RUNNER_TEMP/cargo\"");
        // The last two arguments are the file to write and the address, which leads into a directory here.
        program("curl", CURL);
        sandbox.git(&["add", "--all"]);
        Self { sandbox: sandbox.git_commit("first") }
    }

    fn temp(&self, name: &str) -> PathBuf {
        self.sandbox.home().join("temp").join(name)
    }

    /// Puts a release of this binary where curl finds it, with the checksum that `sums` makes of the right one.
    fn release(&self, version: &str, target: &str, sums: impl FnOnce(String) -> String) {
        let directory = self.temp(&format!("network/host/owner/name/releases/download/v{version}"));
        let name = format!("phaser-enforce-{version}-{target}");
        fs::create_dir_all(directory.join(&name).join("bin")).expect("created");
        let program = directory.join(&name).join("bin/phaser");
        symlink(env!("CARGO_BIN_EXE_phaser"), program).expect("linked");
        let script = format!("tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz");
        let output = self.sandbox.shell(&script).current_dir(&directory).output().expect("runs");
        let right = String::from_utf8(output.stdout).expect("UTF-8");
        fs::write(directory.join("SHA256SUMS"), sums(right)).expect("written");
    }

    /// Runs a step with these inputs and a cargo that only prints its arguments. Clears the output of earlier steps.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> Output {
        let _ = fs::remove_file(self.temp("output"));
        let mut command = self.sandbox.tool(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/action.sh"));
        let path = std::env::var("PATH").expect("is set");
        command.arg(name).env("PATH", format!("{}:{path}", self.temp("bin").display()));
        command
            .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
            .env("RUNNER_TEMP", self.sandbox.home().join("temp"));
        command.env("GITHUB_OUTPUT", self.temp("output")).env("GITHUB_STEP_SUMMARY", self.temp("summary"));
        command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64").env("DIRECTORY", self.temp("phaser"));
        command.env("GITHUB_SERVER_URL", "https://host").env("ACTION_REPOSITORY", "owner/name");
        command.env("BINARY", env!("CARGO_BIN_EXE_phaser")).envs(inputs.iter().copied());
        self.sandbox.run_with(&mut command, b"")
    }

    /// The outputs of the last step.
    fn outputs(&self) -> HashMap<String, String> {
        let text = fs::read_to_string(self.temp("output")).unwrap_or_default();
        let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        text.lines().filter_map(pair).collect()
    }

    fn summary(&self) -> String {
        fs::read_to_string(self.temp("summary")).unwrap_or_default()
    }
}

#[test]
fn writes_violations_before_failing_job() {
    let job = Job::new("x <b>\ny\nx // phaser:ignore-all\n");
    let check = job.step("check", &[]);
    assert_eq!(check.code, Some(0), "{check}");
    assert!(check.stdout.contains("a.txt:1: error: no-x"), "{check}");
    let outputs = job.outputs();
    let counts = ["exit-code", "errors", "warnings", "ignored"].map(|name| outputs[name].as_str());
    assert_eq!(counts, ["1", "1", "1", "1"]);
    assert!(!outputs.contains_key("sarif-file"));
    assert!(check.stdout.contains("\n::error file=a.txt,line=1,"), "{check}");
    assert!(check.stdout.contains("\n::warning file=a.txt,line=2,"), "{check}");
    let expected = "### phaser: 1 error, 1 warning, 1 ignored\n\n| | Contract | Place | Message |\n|---|---|---|---|\n| error | no&#45;x |";
    assert!(job.summary().starts_with(expected), "{}", job.summary());
    assert!(job.summary().contains("\n`phaser explain ID` "), "{}", job.summary());
    let finish = job.step("finish", &[("EXIT_CODE", "1")]);
    assert_eq!(finish.code, Some(1), "{finish}");
}

#[test]
fn a_clean_project_passes() {
    let job = Job::new("fine\n");
    assert_eq!(job.step("check", &[]).code, Some(0));
    let outputs = job.outputs();
    assert_eq!(outputs["exit-code"], "0");
    assert_eq!(job.summary(), "### phaser: 0 errors, 0 warnings\n\n");
    assert_eq!(job.step("check", &[("INPUT_UPLOAD", "true")]).code, Some(0));
    let sarif = fs::read_to_string(&job.outputs()["sarif-file"]).expect("written");
    assert!(sarif.contains("\"results\": []"));
    assert_eq!(job.step("finish", &[("EXIT_CODE", "0")]).code, Some(0));
}

#[test]
fn annotates_nothing_that_is_uploaded() {
    let job = Job::new("x\n");
    let check = job.step("check", &[("INPUT_UPLOAD", "true")]);
    assert!(!check.stdout.contains("::error") && check.stdout.contains("a.txt:1: error: no-x"), "{check}");
    let sarif = fs::read_to_string(&job.outputs()["sarif-file"]).expect("written");
    assert!(sarif.contains("\"ruleId\": \"no-x\""));
    assert_eq!(job.outputs()["errors"], "1");
    let named = job.step("check", &[("INPUT_SARIF_FILE", "out.sarif")]);
    assert!(named.stdout.contains("::error file=a.txt"), "{named}");
    assert!(job.sandbox.path("out.sarif").exists());
}

#[test]
fn log_holds_no_command_but_annotations() {
    let job = Job::new("fine\n");
    fs::write(job.sandbox.path("::add-mask::a.txt"), "x\n").expect("written");
    let check = job.step("check", &[]);
    let lines: Vec<_> = check.stdout.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").expect("commands are stopped first");
    let end = lines.iter().position(|line| *line == format!("::{token}::")).expect("and go on at the end");
    assert!(token.len() == 32 && lines[1..end].iter().any(|line| line.contains("add-mask")), "{check}");
    let commands: Vec<_> =
        lines[1..end].iter().chain(&lines[end + 1..]).filter(|line| line.starts_with("::")).collect();
    assert!(commands.len() == 1 && commands[0].starts_with("::error file="), "{check}");
    assert_ne!(job.step("check", &[]).stdout.lines().next(), Some(lines[0]), "nobody can know the token");
}

#[test]
fn inputs_become_flags() {
    let job = Job::new("x\ny\n");
    let counts = |inputs: &[(&str, &str)]| {
        let check = job.step("check", inputs);
        assert_eq!(check.code, Some(0), "{check}");
        let outputs = job.outputs();
        ["exit-code", "errors", "warnings"].map(|name| outputs[name].clone()).join(" ")
    };
    assert_eq!(counts(&[("INPUT_ONLY", "no-y")]), "0 0 1");
    assert_eq!(counts(&[("INPUT_ONLY", "no-x,no-y"), ("INPUT_SKIP", "no-y")]), "1 1 0");
    assert_eq!(counts(&[("INPUT_ONLY", "nothing")]), "3  ");
    fs::write(job.sandbox.path("key.txt"), concat!("sk_live_", "k3Vq81zRt0LwQb7vNc2Dhg5P\n"))
        .expect("written");
    assert_eq!(counts(&[("INPUT_PACKS", "secrets, python")]), "1 2 1");
    assert_eq!(counts(&[("INPUT_PACKS", "no-such-pack")]), "3  ");
    assert_eq!(counts(&[("INPUT_TIMEOUT", "never")]), "3  ");
    assert_eq!(job.sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(counts(&[]), "0 0 0");
    assert_eq!(counts(&[("INPUT_BASELINE", "false")]), "1 1 1");
    let wrong = job.step("check", &[("INPUT_BASELINE", "maybe")]);
    assert_eq!((wrong.code, wrong.stderr.contains("choose true or false")), (Some(3), true), "{wrong}");
}

#[test]
fn judges_pull_request_by_contracts_of_base() {
    let job = Job::new("x\n");
    job.sandbox.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    job.sandbox.git(&["rm", "-q", "-r", ".claude"]);
    fs::write(job.sandbox.path("b.txt"), "x\n").expect("written");
    job.sandbox.git(&["add", "--all"]);
    job.sandbox.git(&["commit", "-q", "-m", "second"]);
    let errors = |inputs: &[(&str, &str)]| {
        assert_eq!(job.step("check", inputs).code, Some(0));
        job.outputs()["errors"].clone()
    };
    let from_base = ("INPUT_CONTRACTS_FROM", "base");
    assert_eq!(errors(&[from_base, ("GITHUB_BASE_REF", "main")]), "2");
    assert_eq!(errors(&[from_base, ("GITHUB_BASE_REF", "main"), ("INPUT_MODE", "diff")]), "1");
    let new = [from_base, ("INPUT_BASE", "HEAD~1"), ("INPUT_MODE", "diff"), ("INPUT_NEW_LINES", "true")];
    assert_eq!(errors(&new), "1");
    assert_eq!(errors(&[("INPUT_CONTRACTS_FROM", "HEAD~1")]), "2");
    // A push has no base; it is judged by what it contains, and here that is nothing.
    assert_eq!(errors(&[from_base]), "0");
    assert_eq!(job.outputs()["exit-code"], "3");
}

#[test]
fn contracts_ref_can_be_chosen() {
    let job = Job::new("y\n");
    let exit_code = |inputs: &[(&str, &str)]| {
        let check = job.step("check", inputs);
        assert_eq!(check.code, Some(0), "{check}");
        job.outputs()["exit-code"].clone()
    };
    assert_eq!(exit_code(&[]), "0");
    assert_eq!(exit_code(&[("INPUT_FAIL_ON", "warning")]), "1");
    assert_eq!(exit_code(&[("INPUT_FAIL_ON", "warning"), ("INPUT_SEVERITY", "error")]), "0");
    fs::create_dir(job.sandbox.path("none")).expect("created");
    assert_eq!(exit_code(&[("INPUT_CONTRACTS_DIR", "none")]), "3");
    assert_eq!(exit_code(&[("INPUT_MODE", "staged"), ("INPUT_FAIL_ON", "warning")]), "0");
}

#[test]
fn compares_pull_request_with_its_target() {
    let job = Job::new("x\n");
    job.sandbox.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let inputs = [("INPUT_MODE", "diff"), ("GITHUB_BASE_REF", "main")];
    assert_eq!(job.step("check", &inputs).code, Some(0));
    assert_eq!(job.outputs()["exit-code"], "0");
    fs::write(job.sandbox.path("b.txt"), "x\n").expect("written");
    job.sandbox.git(&["add", "--all"]);
    job.sandbox.git(&["commit", "-q", "-m", "second"]);
    assert_eq!(job.step("check", &inputs).code, Some(0));
    assert_eq!(job.outputs()["errors"], "1");
    assert_eq!(job.step("check", &[("INPUT_MODE", "diff"), ("INPUT_BASE", "HEAD~1")]).code, Some(0));
    assert_eq!(job.outputs()["errors"], "1");
    assert_eq!(job.step("check", &[("INPUT_MODE", "diff")]).code, Some(3));
}

#[test]
fn failure_leaves_no_log_to_upload() {
    let job = Job::new("x\n");
    let stale = job.sandbox.path("out.sarif");
    fs::write(&stale, "stale").expect("written");
    let inputs = [("INPUT_MODE", "diff"), ("INPUT_BASE", "nowhere"), ("INPUT_SARIF_FILE", "out.sarif")];
    let check = job.step("check", &inputs);
    assert_eq!(check.code, Some(0), "{check}");
    assert_eq!(job.outputs()["exit-code"], "3");
    assert!(!job.outputs().contains_key("sarif-file") && !stale.exists());
    assert!(job.summary().contains("could not run"), "{}", job.summary());
    for code in ["3", "", "101"] {
        assert_eq!(job.step("finish", &[("EXIT_CODE", code)]).code, Some(3));
    }
}

#[test]
fn writes_page_on_request() {
    let job = Job::new("x <b>\n");
    let repository = [("GITHUB_REPOSITORY", "owner/name"), ("GITHUB_SHA", "0123456789abcdef")];
    let check = job.step("check", &repository);
    assert_eq!((check.code, job.outputs().contains_key("html-file")), (Some(0), false), "{check}");

    let [html, name] = [("INPUT_HTML", "true"), ("INPUT_HTML_NAME", "part-1")];
    let check = job.step("check", &[html, name, repository[0], repository[1]]);
    assert_eq!(check.code, Some(0), "{check}");
    assert_eq!(job.outputs()["html-file"], job.temp("part-1.html").display().to_string());
    assert_eq!(job.outputs()["exit-code"], "1", "the page changes nothing about the job");
    let page = fs::read_to_string(job.temp("part-1.html")).expect("written");
    assert!(page.contains(r#""title":"owner/name@0123456789""#) && page.contains(r#""history":null"#));
    assert!(page.contains(r#""summary":{"errors":1,"#));

    let finish = job.step("finish", &[("EXIT_CODE", "1"), ("PAGE", "https://host/artifact/1")]);
    assert_eq!(finish.code, Some(1), "{finish}");
    assert!(job.summary().ends_with("[The report as a page](https://host/artifact/1)\n\n"));

    for name in ["../up", "a b", "", "a\nb", "-x"] {
        let check = job.step("check", &[html, ("INPUT_HTML_NAME", name)]);
        let expected = if name.is_empty() { Some(0) } else { Some(3) };
        assert_eq!(check.code, expected, "{name:?} {check}");
    }
    let wrong = job.step("check", &[("INPUT_HTML", "yes")]);
    assert_eq!(wrong.code, Some(3), "{wrong}");
}

#[test]
fn trouble_leaves_no_page() {
    let job = Job::new("x\n");
    let inputs = [("INPUT_MODE", "diff"), ("INPUT_BASE", "nowhere"), ("INPUT_HTML", "true")];
    fs::write(job.temp("phaser-report.html"), "stale").expect("written");
    let check = job.step("check", &inputs);
    assert_eq!((check.code, job.outputs()["exit-code"].as_str()), (Some(0), "3"), "{check}");
    assert!(!job.outputs().contains_key("html-file") && !job.temp("phaser-report.html").exists());
}

/// What a phaser is asked for a history, and the summary, with this input.
fn trend(job: &Job, input: &str, more: &[(&str, &str)]) -> (String, String) {
    let program = job.temp("bin/history").display().to_string();
    let mut inputs = vec![
        ("INPUT_HISTORY", input),
        ("BINARY", program.as_str()),
        ("PHASER", env!("CARGO_BIN_EXE_phaser")),
    ];
    inputs.extend(more);
    let _ = fs::remove_file(job.temp("summary"));
    let check = job.step("check", &inputs);
    assert_eq!(check.code, Some(0), "{check}");
    let lines: Vec<_> = check.stdout.lines().collect();
    let note = lines.iter().position(|line| *line == "::error::a note").expect("the note is in the log");
    let token = lines[note - 1].strip_prefix("::stop-commands::").expect("and no command there");
    assert_eq!(lines[note + 1], format!("::{token}::"), "{check}");
    let asked = fs::read_to_string(job.temp("history")).unwrap_or_default();
    (asked.lines().collect::<Vec<_>>().join(" "), job.summary())
}

const PAST: &str = r#"{"version":1,"commits":[
    {"id":"a","time":1756080000,"errors":9,"warnings":0,"contracts":{"no-x":9}},
    {"id":"b","time":1763337600,"errors":1,"warnings":0,"contracts":{"no-x":1}}]}"#;

#[test]
fn shows_trend_of_stub_history() {
    let job = Job::new("x\n");
    fs::write(job.temp("past"), PAST).expect("written");
    for (input, expected) in [
        ("12 weeks", "--since=12 weeks ago --every=week --format json"),
        ("1 day", "--since=1 day ago --every=day --format json"),
        ("100 commits", "--commits=100 --every=1 --format json"),
        ("2026-01-31", "--since=2026-01-31 --every=week --format json"),
    ] {
        let (asked, summary) = trend(&job, input, &[]);
        assert_eq!(asked, expected);
        assert!(summary.starts_with("### phaser: 1 error, 0 warnings\n"), "{summary}");
        let (_, table) = summary.split_once("### phaser: violations over time").expect("a trend");
        assert!(table.contains("| errors | 9 | 1 | −8 | `█▂` |"), "{summary}");
        assert!(!summary.contains("shallow"), "{summary}");
    }
    let chosen = [("INPUT_ONLY", "no-x"), ("INPUT_PACKS", "secrets python"), ("INPUT_HTML", "true")];
    let (asked, _) = trend(&job, "2 years", &chosen);
    assert_eq!(
        asked,
        "--since=2 years ago --every=week --only=no-x --pack=secrets --pack=python --format json"
    );
    let page = fs::read_to_string(&job.outputs()["html-file"]).expect("written");
    assert!(page.contains(r#""history":[{"id":"a","time":1756080000,"errors":9"#));
}

#[test]
fn shows_trend_of_project() {
    let job = Job::new("x\nx\ny\n");
    for text in ["x\ny\ny\n", "y\n"] {
        fs::write(job.sandbox.path("a.txt"), text).expect("written");
        job.sandbox.git(&["commit", "-q", "-a", "-m", "next"]);
    }
    let inputs = [("INPUT_HISTORY", "9 commits"), ("INPUT_HTML", "true")];
    let check = job.step("check", &inputs);
    assert_eq!(check.code, Some(0), "{check}");
    let summary = job.summary();
    let (_, table) = summary.split_once("### phaser: violations over time\n\n").expect("a trend");
    assert!(table.lines().next().is_some_and(|line| line.ends_with("| change | 3 commits |")), "{summary}");
    for row in [
        "| errors | 2 | 0 | −2 | `█▅▁` |",
        "| warnings | 1 | 1 | 0 | `▅█▅` |",
        "| no&#45;x | 2 | 0 | −2 | `█▅▁` |",
    ] {
        assert!(table.contains(row), "{row}\n{summary}");
    }
    let page = fs::read_to_string(&job.outputs()["html-file"]).expect("written");
    assert!(page.contains(r#""errors":2,"warnings":1,"contracts":{"no-x":2,"no-y":1}"#), "{summary}");

    let head = job.sandbox.git(&["rev-parse", "HEAD"]);
    fs::write(job.sandbox.path(".git/shallow"), head).expect("written");
    let check = job.step("check", &inputs[..1]);
    assert!(check.stdout.contains("shallow"), "{check}");
    let expected = "\n\nThe history has one commit";
    assert!(
        job.summary().contains(expected) && job.summary().contains("it has 1 of the commits"),
        "{}",
        job.summary()
    );
}

#[test]
fn failing_history_fails_no_job() {
    let job = Job::new("fine\n");
    let (_, summary) = trend(&job, "12 weeks", &[("INPUT_HTML", "true")]);
    assert!(summary.ends_with("### phaser: no trend; see the log\n\n"), "{summary}");
    assert_eq!(job.outputs()["exit-code"], "0");
    assert!(job.outputs().contains_key("html-file"));
    // Not everything could be read; what could be is shown.
    fs::write(job.temp("past"), PAST).expect("written");
    let (_, summary) = trend(&job, "12 weeks", &[("CODE", "3")]);
    assert!(summary.contains("violations over time"), "{summary}");
    for input in ["long", "12", "weeks", "12 weeks; touch hacked", "-1 days", "12 weeks\n"] {
        let wrong = job.step("check", &[("INPUT_HISTORY", input)]);
        assert_eq!((wrong.code, wrong.stderr.contains("write it as in")), (Some(3), true), "{wrong}");
    }
}

#[test]
fn shallow_checkout_reports_fix() {
    let job = Job::new("x\n");
    fs::write(job.temp("past"), PAST).expect("written");
    let head = job.sandbox.git(&["rev-parse", "HEAD"]);
    fs::write(job.sandbox.path(".git/shallow"), head).expect("written");
    let (_, summary) = trend(&job, "12 weeks", &[]);
    let expected = "The checkout is shallow: it has 1 of the commits. For the whole trend, give 'fetch-depth: 0' to actions/checkout.\n\n";
    assert!(summary.ends_with(expected), "{summary}");
}

#[test]
fn inputs_are_never_read_as_shell() {
    let job = Job::new("x\n");
    let evil = "$(touch hacked);`touch hacked`;\"';touch hacked;#";
    for name in [
        "MODE",
        "BASE",
        "SEVERITY",
        "FAIL_ON",
        "CONTRACTS_DIR",
        "SARIF_FILE",
        "WORKING_DIRECTORY",
        "VERSION",
        "CHECKSUM",
        "PATH",
        "PACKS",
        "ONLY",
        "SKIP",
        "NEW_LINES",
        "BASELINE",
        "TIMEOUT",
        "CONTRACTS_FROM",
        "UPLOAD",
        "HTML",
        "HTML_NAME",
        "HISTORY",
    ] {
        for step in ["prepare", "install", "check"] {
            let input = format!("INPUT_{name}");
            let mode = if name == "BASE" { "diff" } else { "all" };
            job.step(
                step,
                &[
                    ("INPUT_MODE", mode),
                    ("INPUT_HTML", "true"),
                    (&input, evil),
                    ("DIRECTORY", "/nowhere"),
                    ("CARGO", "false"),
                ],
            );
        }
    }
    assert!(!job.sandbox.path("hacked").exists());
    let check = job.step("check", &[("INPUT_SARIF_FILE", "a\nerrors=0\nb")]);
    assert_eq!(check.code, Some(3), "{check}");
}

#[test]
fn runs_in_subdirectory_of_repository() {
    let job = Job::new("x\n");
    fs::create_dir_all(job.sandbox.path("part/.claude/contracts")).expect("created");
    fs::copy(
        job.sandbox.path(".claude/contracts/no-x.yaml"),
        job.sandbox.path("part/.claude/contracts/no-x.yaml"),
    )
    .expect("copied");
    fs::write(job.sandbox.path("part/b.txt"), "x\n").expect("written");
    let inputs = [("INPUT_WORKING_DIRECTORY", "part"), ("INPUT_SARIF_FILE", "out.sarif")];
    assert_eq!(job.step("check", &inputs).code, Some(0));
    assert_eq!(job.outputs()["errors"], "2", "the project is the whole worktree");
    let sarif = fs::read_to_string(job.sandbox.path("part/out.sarif")).expect("written");
    assert!(sarif.contains("\"uri\": \"part/b.txt\""));
}

#[test]
fn uses_installed_binary_without_caching() {
    let job = Job::new("x\n");
    let path = [("INPUT_PATH", env!("CARGO_BIN_EXE_phaser"))];
    assert_eq!(job.step("prepare", &path).code, Some(0));
    assert!(job.outputs().is_empty());
    assert_eq!(job.step("install", &path).code, Some(0));
    assert_eq!(job.outputs()["binary"], env!("CARGO_BIN_EXE_phaser"));
    let install = job.step("install", &[("INPUT_PATH", "./nowhere")]);
    assert_eq!(install.code, Some(3), "{install}");
}

#[test]
fn a_release_is_downloaded_and_verified() {
    const LINUX: &str = "x86_64-unknown-linux-gnu";
    let job = Job::new("x\n");
    let install = |inputs: &[(&str, &str)]| {
        let _ = fs::remove_dir_all(job.temp("phaser"));
        job.step("install", inputs)
    };
    let missing = install(&[("INPUT_VERSION", "9.9.9")]);
    assert_eq!(missing.code, Some(3), "{missing}");
    assert!(missing.stderr.contains("there is no release 9.9.9"), "{missing}");

    assert_eq!(job.step("prepare", &[]).code, Some(0));
    assert!(!job.outputs().contains_key("key"), "what takes a second is not cached");
    let mut right = String::new();
    job.release(env!("CARGO_PKG_VERSION"), LINUX, |sums| {
        right = sums[..64].to_owned();
        sums
    });
    for version in ["", env!("CARGO_PKG_VERSION"), concat!("v", env!("CARGO_PKG_VERSION"))] {
        let output = install(&[("INPUT_VERSION", version)]);
        assert_eq!(output.code, Some(0), "{output}");
        let binary = job.outputs()["binary"].clone();
        assert_eq!(binary, job.temp("phaser/bin/phaser").display().to_string());
        let checked = job.step("check", &[("BINARY", &binary)]);
        assert_eq!((checked.code, job.outputs()["errors"].as_str()), (Some(0), "1"), "{checked}");
    }
    assert!(!job.temp("cargo").exists(), "nothing is built");

    job.release("1.2.3", LINUX, |sums| sums.replace(|c: char| c.is_ascii_hexdigit(), "0"));
    let wrong = "0".repeat(64);
    for (inputs, code) in [
        (vec![("INPUT_VERSION", "1.2.3")], 3),
        (vec![("INPUT_CHECKSUM", wrong.as_str())], 3),
        (vec![("INPUT_CHECKSUM", "*")], 3),
        (vec![("INPUT_CHECKSUM", right.as_str())], 0),
        (vec![("INPUT_VERSION", "1.2.3/../9")], 3),
        (vec![("RUNNER_OS", "Windows")], 3),
    ] {
        let output = install(&inputs);
        assert_eq!(output.code, Some(code), "{inputs:?} {output}");
        assert_eq!(job.temp("phaser/bin/phaser").exists(), code == 0, "{inputs:?}");
    }
    job.release("1.2.4", LINUX, |_| String::new());
    assert_eq!(install(&[("INPUT_VERSION", "1.2.4")]).code, Some(3), "a release without the checksum");
    let asked = fs::read_to_string(job.temp("asked")).expect("written");
    assert!(asked.lines().all(|address| address.starts_with("https://host/owner/name/releases/download/v")));
}

#[test]
fn builds_on_request_and_caches_by_sources() {
    let job = Job::new("x\n");
    let source = [("INPUT_VERSION", "source")];
    assert_eq!(job.step("prepare", &source).code, Some(0));
    let outputs = job.outputs();
    assert_eq!(outputs["key"].len(), "phaser-Linux-X64-".len() + 40, "{}", outputs["key"]);
    let install = job.step("install", &source);
    assert_eq!(install.code, Some(0), "{install}");
    let asked = fs::read_to_string(job.temp("cargo")).expect("cargo was run");
    let expected = format!(
        "install --quiet --locked --root {} --path {}",
        outputs["directory"],
        env!("CARGO_MANIFEST_DIR")
    );
    assert_eq!(asked.lines().collect::<Vec<_>>().join(" "), expected);

    fs::remove_file(job.temp("cargo")).expect("removed");
    let cached = PathBuf::from(&outputs["directory"]).join("bin/phaser");
    fs::create_dir_all(cached.parent().expect("a parent")).expect("created");
    fs::copy(env!("CARGO_BIN_EXE_phaser"), &cached).expect("copied");
    assert_eq!(job.step("install", &source).code, Some(0));
    assert_eq!(job.outputs()["binary"], cached.display().to_string());
    assert!(!job.temp("cargo").exists());
}
