//! The steps of the GitHub Action, run as GitHub runs them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::harness::{Output, Sandbox, forbid, warning};

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
        let cargo = sandbox.home().join("temp/bin/cargo");
        fs::write(&cargo, "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$RUNNER_TEMP/cargo\"\n").expect("written");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("made executable");
        sandbox.git(&["add", "--all"]);
        Self { sandbox: sandbox.git_commit("first") }
    }

    fn temp(&self, name: &str) -> PathBuf {
        self.sandbox.home().join("temp").join(name)
    }

    /// Runs a step, with a cargo that only says what it was asked for, and these inputs, after forgetting what earlier ones said.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> Output {
        let _ = fs::remove_file(self.temp("output"));
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/action.sh"));
        command.arg(name).current_dir(self.sandbox.root()).env_clear();
        let path = std::env::var("PATH").expect("is set");
        command
            .env("PATH", format!("{}:{path}", self.temp("bin").display()))
            .env("HOME", self.sandbox.home());
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
fn violations_are_written_first_and_fail_the_job_last() {
    let job = Job::new("x <b>\ny\nx // phaser:ignore-all\n");
    let check = job.step("check", &[]);
    assert_eq!(check.code, Some(0), "{check}");
    assert!(check.stdout.contains("a.txt:1: error: no-x"), "{check}");
    let outputs = job.outputs();
    let counts = ["exit-code", "errors", "warnings", "ignored"].map(|name| outputs[name].as_str());
    assert_eq!(counts, ["1", "1", "1", "1"]);
    let sarif = fs::read_to_string(&outputs["sarif-file"]).expect("written");
    assert!(sarif.contains("\"ruleId\": \"no-x\""));
    assert!(job.summary().starts_with("### phaser: 1 error, 1 warning, 1 ignored\n"), "{}", job.summary());
    assert!(job.summary().contains("a.txt:1: error: no-x"));
    let finish = job.step("finish", &[("EXIT_CODE", "1")]);
    assert_eq!(finish.code, Some(1), "{finish}");
}

#[test]
fn a_clean_project_passes() {
    let job = Job::new("fine\n");
    assert_eq!(job.step("check", &[]).code, Some(0));
    let outputs = job.outputs();
    assert_eq!(outputs["exit-code"], "0");
    assert!(fs::read_to_string(&outputs["sarif-file"]).expect("written").contains("\"results\": []"));
    assert_eq!(job.summary(), "### phaser: 0 errors, 0 warnings\n\n");
    assert_eq!(job.step("finish", &[("EXIT_CODE", "0")]).code, Some(0));
}

#[test]
fn what_decides_can_be_chosen() {
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
fn a_pull_request_is_compared_with_its_target() {
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
fn trouble_leaves_no_log_to_upload_and_fails_the_job() {
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
        "PATH",
    ] {
        for step in ["prepare", "install", "check"] {
            let input = format!("INPUT_{name}");
            let mode = if name == "BASE" { "diff" } else { "all" };
            job.step(
                step,
                &[("INPUT_MODE", mode), (&input, evil), ("DIRECTORY", "/nowhere"), ("CARGO", "false")],
            );
        }
    }
    assert!(!job.sandbox.path("hacked").exists());
    let check = job.step("check", &[("INPUT_SARIF_FILE", "a\nerrors=0\nb")]);
    assert_eq!(check.code, Some(3), "{check}");
}

#[test]
fn it_can_run_in_a_directory_of_the_repository() {
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
fn an_installed_binary_is_used_and_not_cached() {
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
fn a_binary_is_cached_by_its_version_or_its_sources() {
    let job = Job::new("x\n");
    assert_eq!(job.step("prepare", &[("INPUT_VERSION", "1.2.3")]).code, Some(0));
    assert_eq!(job.outputs()["key"], "phaser-Linux-X64-1.2.3");
    assert_eq!(job.step("prepare", &[]).code, Some(0));
    let outputs = job.outputs();
    assert_eq!(outputs["key"].len(), "phaser-Linux-X64-".len() + 40, "{}", outputs["key"]);
    let cached = PathBuf::from(&outputs["directory"]).join("bin/phaser");
    fs::create_dir_all(cached.parent().expect("a parent")).expect("created");
    fs::copy(env!("CARGO_BIN_EXE_phaser"), &cached).expect("copied");
    let install = job.step("install", &[]);
    assert_eq!(install.code, Some(0), "{install}");
    assert_eq!(job.outputs()["binary"], cached.display().to_string());
    assert!(!job.temp("cargo").exists());
}

#[test]
fn without_a_cached_binary_one_is_built() {
    let job = Job::new("x\n");
    let built = |inputs: &[(&str, &str)]| {
        let install = job.step("install", inputs);
        assert_eq!(install.code, Some(0), "{install}");
        assert_eq!(job.outputs()["binary"], job.temp("phaser/bin/phaser").display().to_string());
        fs::read_to_string(job.temp("cargo")).expect("cargo was run").lines().collect::<Vec<_>>().join(" ")
    };
    let root = format!("install --quiet --locked --root {}", job.temp("phaser").display());
    assert_eq!(built(&[]), format!("{root} --path {}", env!("CARGO_MANIFEST_DIR")));
    for version in ["1.2.3", "v1.2.3"] {
        let expected = format!("{root} --git https://host/owner/name --tag v1.2.3 phaser");
        assert_eq!(built(&[("INPUT_VERSION", version)]), expected);
    }
}
