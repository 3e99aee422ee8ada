//! A scratch project, and phaser run in it as a user would run it.

mod hook;
mod output;
mod strace;

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub use hook::Hook;
pub use output::{Output, count_in, unchecked_in, violations_in};

/// A project directory and a home directory of its own, removed at the end of the test.
pub struct Sandbox {
    base: tempfile::TempDir,
}

impl Sandbox {
    /// An empty project.
    pub fn new() -> Self {
        let base = tempfile::tempdir().expect("a temporary directory");
        let sandbox = Self { base };
        fs::create_dir(sandbox.root()).expect("created");
        fs::create_dir(sandbox.home()).expect("created");
        sandbox
    }

    /// The project's directory, with links resolved.
    pub fn root(&self) -> PathBuf {
        self.base.path().canonicalize().expect("it exists").join("project")
    }

    /// The user's home directory.
    pub fn home(&self) -> PathBuf {
        self.base.path().canonicalize().expect("it exists").join("home")
    }

    /// The absolute path of a file of the project.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Adds a contract to the project; its file is named after its id.
    pub fn contract(self, yaml: &str) -> Self {
        let path = format!(".claude/contracts/{}.yaml", id_of(yaml));
        self.file(&path, yaml)
    }

    /// Adds a contract to the user's own.
    pub fn user_contract(self, yaml: &str) -> Self {
        write(&self.home().join(format!(".phaser/contracts/{}.yaml", id_of(yaml))), yaml.as_bytes());
        self
    }

    /// Adds a file to the project.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.path(path), content.as_ref());
        self
    }

    /// Makes the project a git repository.
    pub fn git_init(self) -> Self {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self
    }

    /// Stages a file.
    pub fn git_add(self, path: &str) -> Self {
        self.git(&["add", "--", path]);
        self
    }

    /// Commits what is staged.
    pub fn git_commit(self, message: &str) -> Self {
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self
    }

    /// Runs git in the project and returns what it printed; it must succeed.
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.tool("git").args(args).output().expect("git runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs git in the project with this standard input, whether it succeeds or not.
    pub fn try_git(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
        self.run_with(self.tool("git").args(args), stdin.as_ref())
    }

    /// Runs phaser in the project.
    pub fn run<const N: usize>(&self, args: [&str; N]) -> Output {
        self.run_with(self.command().args(args), b"")
    }

    /// Runs phaser in the project with this standard input.
    pub fn run_stdin<const N: usize>(&self, args: [&str; N], stdin: impl AsRef<[u8]>) -> Output {
        self.run_with(self.command().args(args), stdin.as_ref())
    }

    /// A command that runs phaser in the project, for tests that need to change more.
    pub fn command(&self) -> Command {
        self.phaser(env!("CARGO_BIN_EXE_phaser"))
    }

    /// A command that runs a copy of phaser. All that is on its PATH is what [`Sandbox::install`] puts there.
    fn phaser(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.tool(program);
        command.env("PATH", self.bin()).env("SOURCE_DATE_EPOCH", "1767225600");
        command
    }

    fn bin(&self) -> PathBuf {
        self.home().join("bin")
    }

    /// Installs phaser, in the one directory on its PATH.
    pub fn install(&self) -> PathBuf {
        let bin = self.bin();
        if !bin.exists() {
            fs::create_dir(&bin).expect("created");
            symlink(env!("CARGO_BIN_EXE_phaser"), bin.join("phaser")).expect("linked");
        }
        bin
    }

    /// A command that runs any program in the project, with the machine's PATH and nothing else of its environment.
    pub fn tool(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        scrub(command.current_dir(self.root()));
        command.env("HOME", self.home()).env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.com");
        }
        command
    }

    /// A command that runs this script in bash, in the project; `$0` is phaser.
    pub fn shell(&self, script: &str) -> Command {
        let mut shell = self.tool("bash");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_phaser"));
        shell
    }

    /// strace, for phaser in the project; `None` where it does not work.
    pub fn strace(&self) -> Option<Command> {
        strace::path().map(|strace| self.phaser(strace))
    }

    /// Runs a command and collects its output.
    pub fn run_with(&self, command: &mut Command, stdin: &[u8]) -> Output {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = started(command);
        let mut input = child.stdin.take().expect("is piped");
        let out = child.stdout.take().expect("is piped");
        let err = child.stderr.take().expect("is piped");
        let (code, out, err) = thread::scope(|scope| {
            // Broken pipe: phaser need not read its input to the end.
            scope.spawn(move || input.write_all(stdin));
            let (out, err) = (scope.spawn(|| read(out)), scope.spawn(|| read(err)));
            let status = ended(&mut child);
            (status.code(), out.join().expect("is read"), err.join().expect("is read"))
        });
        let shown = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let text = text.replace(&self.root().display().to_string(), "[ROOT]");
            text.replace(&self.home().display().to_string(), "[HOME]")
        };
        Output { code, stdout: shown(&out), stderr: shown(&err) }
    }

    /// A command that runs phaser in the project as a user whom permissions stop: root passes through them all.
    ///
    /// Whatever the umask, others may read what the owner may read, and write nothing.
    pub fn unprivileged(&self) -> Command {
        let base = self.base.path();
        if fs::metadata(base).expect("it exists").uid() != 0 {
            return self.command();
        }
        let program = base.join("phaser");
        if !program.exists() {
            fs::copy(env!("CARGO_BIN_EXE_phaser"), &program).expect("copied");
        }
        share(base);
        let mut command = self.phaser(program);
        command.uid(65534).gid(65534);
        command
    }

    /// A hook event of this name, sent from the project's root.
    pub fn hook(&self, name: &str) -> Hook<'_> {
        Hook::new(self, name)
    }

    /// A PreToolUse event for a Write of this file.
    pub fn pre_write(&self, path: &str, content: &str) -> Output {
        self.hook("PreToolUse").write(path, content).args(["--severity", "error"]).run()
    }

    /// A PreToolUse event for an Edit of this file.
    pub fn pre_edit(&self, path: &str, old: &str, new: &str) -> Output {
        self.hook("PreToolUse").edit(path, old, new).args(["--severity", "error"]).run()
    }

    /// A PostToolUse event for a Write of this file.
    pub fn post_write(&self, path: &str, content: &str) -> Output {
        self.hook("PostToolUse").write(path, content).args(["--severity", "warning"]).run()
    }
}

/// Lets everybody read what the owner may read, here and below, and write nothing.
fn share(path: &Path) {
    let metadata = fs::symlink_metadata(path).expect("it exists");
    if metadata.is_symlink() {
        return;
    }
    let mode = metadata.permissions().mode() & 0o777;
    let (owner, read) = (mode & 0o700, mode & 0o500);
    let shared = owner | read >> 3 | read >> 6;
    // Whatever is set anew has changed, for a cache.
    if mode != shared {
        fs::set_permissions(path, fs::Permissions::from_mode(shared)).expect("a mode");
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("readable") {
            share(&entry.expect("an entry").path());
        }
    }
}

fn read(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("readable");
    bytes
}

/// Starts a command. A program that was only just copied is busy while a process that another test is starting
/// still has it open for writing.
fn started(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(1));
            }
            child => return child.expect("it starts"),
        }
    }
}

/// How a run ended; one that does not end is killed, so that it fails its test and holds up no other.
fn ended(child: &mut Child) -> ExitStatus {
    const PATIENCE: Duration = Duration::from_secs(60);
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("is ours") {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("is ours");
            panic!("still running after {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Takes everything out of a command's environment that could change what phaser does.
pub fn scrub(command: &mut Command) -> &mut Command {
    command.env_clear();
    // The last one is where a build with coverage counters writes them.
    for kept in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    command
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
    fs::write(path, content).expect("written");
}

fn id_of(yaml: &str) -> &str {
    let line = yaml.lines().find_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("rule_id:").or_else(|| line.strip_prefix("id:"))
    });
    line.expect("has an id").trim()
}

/// A contract that forbids a pattern, in the flat form.
pub fn forbid(id: &str, pattern: &str, glob: &str) -> String {
    contract(id, "forbid_pattern", Some(pattern), glob)
}

/// A contract of any type, in the flat form, with severity `error`.
pub fn contract(id: &str, kind: &str, pattern: Option<&str>, glob: &str) -> String {
    let pattern = pattern.map(|pattern| format!("pattern: '{}'\n", pattern.replace('\'', "''")));
    format!(
        "rule_id: {id}\ntype: {kind}\n{}file_glob: '{glob}'\nmessage: 'Do not {id}.'\nseverity: error\n",
        pattern.unwrap_or_default()
    )
}

/// The same contract with severity `warning`.
pub fn warning(yaml: &str) -> String {
    yaml.replace("severity: error", "severity: warning")
}
