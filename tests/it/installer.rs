//! `scripts/install.sh` and the launcher of the npm package.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::harness::{Output, Sandbox};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A release of this binary in a directory of the sandbox, with its checksum.
fn release(sandbox: &Sandbox) -> PathBuf {
    let system = if OS == "macos" { "apple-darwin" } else { "unknown-linux-gnu" };
    let name = format!("phaser-enforce-{}-{ARCH}-{system}", env!("CARGO_PKG_VERSION"));
    let directory = sandbox.home().join("release");
    fs::create_dir_all(directory.join(&name).join("bin")).expect("created");
    fs::create_dir_all(directory.join(&name).join("share/man")).expect("created");
    symlink(env!("CARGO_BIN_EXE_phaser"), directory.join(&name).join("bin/phaser")).expect("linked");
    let script = format!("tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz >{name}.tar.gz.sha256");
    let status = sandbox.shell(&script).current_dir(&directory).status().expect("runs");
    assert!(status.success());
    directory
}

/// The checksum file of a release.
fn checksum_file(release: &Path) -> PathBuf {
    let mut paths = fs::read_dir(release).expect("there").map(|entry| entry.expect("there").path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "sha256")).expect("a checksum")
}

fn install(sandbox: &Sandbox, release: &Path, change: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = sandbox.tool("/bin/sh");
    command.arg(root().join("scripts/install.sh")).env("PHASER_FROM", release);
    change(&mut command);
    sandbox.run_with(&mut command, b"")
}

#[test]
fn installs_with_the_right_checksum() {
    let sandbox = Sandbox::new();
    let output = install(&sandbox, &release(&sandbox), |command| command);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(sandbox.home().join(".local/bin/phaser").exists(), "{output}");
}

#[test]
fn installs_nothing_without_a_checksum() {
    let sandbox = Sandbox::new();
    let release = release(&sandbox);
    let refused = |change: &dyn Fn(&mut Command) -> &mut Command| {
        let output = install(&sandbox, &release, change);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(!sandbox.home().join(".local").exists(), "{output}");
        output.stderr
    };

    // All that the script needs but sha256sum and shasum.
    let bin = sandbox.home().join("narrow");
    fs::create_dir(&bin).expect("created");
    for name in ["uname", "mktemp", "tar", "gzip", "cut", "cp", "mv", "mkdir", "rm"] {
        let script = format!("ln -s \"$(command -v {name})\" {}", bin.display());
        assert!(sandbox.shell(&script).status().expect("runs").success(), "{name}");
    }
    let stderr = refused(&|command| command.env("PATH", &bin));
    assert!(stderr.contains("sha256sum or shasum is needed"), "{stderr}");

    for text in ["", "\n", "404  not found\n"] {
        fs::write(checksum_file(&release), text).expect("written");
        refused(&|command| command);
        refused(&|command| command.env("PATH", &bin));
    }
}

#[test]
fn refuses_directory_in_place_of_the_binary() {
    let sandbox = Sandbox::new();
    let release = release(&sandbox);
    let binary = sandbox.home().join(".local/bin/phaser");
    fs::create_dir_all(&binary).expect("created");
    let output = install(&sandbox, &release, |command| command);
    assert_eq!(output.code, Some(3), "{output}");
    assert_eq!(fs::read_dir(&binary).expect("there").count(), 0, "{output}");
}

#[test]
fn every_failure_ends_with_3() {
    let sandbox = Sandbox::new();
    let release = release(&sandbox);
    let output = install(&sandbox, &release, |command| command.env_remove("HOME"));
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("set PHASER_PREFIX"), "{output}");
    let file = sandbox.home().join("file");
    fs::write(&file, "").expect("written");
    for prefix in [file.join("prefix"), PathBuf::from("/dev/null/prefix")] {
        let output = install(&sandbox, &release, |command| command.env("PHASER_PREFIX", &prefix));
        assert_eq!(output.code, Some(3), "{output}");
    }
    let output = install(&sandbox, &release, |command| command.env("TMPDIR", file.join("tmp")));
    assert_eq!(output.code, Some(3), "{output}");
}

/// How the launcher ends when it receives SIGTERM while a phaser that is this script runs.
///
/// `None` without Node.js; in CI it fails.
fn terminate(sandbox: &Sandbox, script: &str) -> Option<ExitStatus> {
    if Command::new("node").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "needs node");
        let _ = writeln!(std::io::stderr(), "skipped: the launcher of the npm package (install node)");
        return None;
    }
    let system = if OS == "macos" { "darwin" } else { OS };
    let processor = if ARCH == "aarch64" { "arm64" } else { "x64" };
    let modules = sandbox.home().join("node_modules");
    let program = modules.join(format!("@phaser-enforce/{system}-{processor}/bin/phaser"));
    let launcher = modules.join("phaser-enforce/bin/phaser.js");
    for path in [&program, &launcher] {
        fs::create_dir_all(path.parent().expect("has one")).expect("created");
    }
    fs::copy(root().join("npm/bin/phaser.js"), &launcher).expect("copied");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");

    let mut launched = sandbox.tool("node").arg(&launcher).stdout(Stdio::piped()).spawn().expect("starts");
    let mut output = BufReader::new(launched.stdout.take().expect("is piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("is read");
    assert_eq!(line, "ready\n");
    let kill = sandbox.tool("kill").arg(launched.id().to_string()).status();
    assert!(kill.expect("runs").success());
    let status = launched.wait().expect("is ours");
    // Ends when nothing holds the pipe: neither the launcher nor phaser runs any more.
    line.clear();
    output.read_line(&mut line).expect("is read");
    assert_eq!(line, "");
    Some(status)
}

#[test]
fn launcher_passes_signals_on() {
    let sandbox = Sandbox::new();
    let handled = "trap 'exit 7' TERM; echo ready; for n in $(seq 500); do sleep 0.02; done";
    if let Some(status) = terminate(&sandbox, handled) {
        assert_eq!(status.code(), Some(7));
    }
    if let Some(status) = terminate(&sandbox, "echo ready; exec sleep 10") {
        assert_eq!(status.signal(), Some(15));
    }
}
