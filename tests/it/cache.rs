//! `--cache`: the same report, byte for byte, whatever has become of the cache; and less work.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// After this time a change shows in the times of a file.
const SETTLED: Duration = Duration::from_millis(150);

/// The messages about a cache that cannot be read, and about one that cannot be written.
const IGNORING: &str = "ignoring cache ";
const NOT_WRITTEN: &str = "cannot write cache";

const FORMATS: [&str; 7] = ["text", "json", "sarif", "github", "gitlab", "junit", "html"];

/// A project where something of every kind is found.
fn sandbox() -> Sandbox {
    let fixable = forbid("no-tab", "\\t", "**/*.py") + "fix: '    '\n";
    let firm = forbid("firm", "firm", "**") + "ignorable: false\n";
    let mut sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x+", "**/*.{txt,py}"))
        .contract(&warning(&forbid("look", "y(?!z)", "**/*.txt")))
        .contract(&fixable)
        .contract(&firm)
        .contract(&contract("licence", "require_pattern", Some("Licence"), "**/*.c"))
        .contract(&contract("no-log", "file_not_exists", None, "**/*.log"))
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .file(
            ".claude/phaser.yaml",
            "overrides:\n  - contracts: [no-x]\n    files: ['d1/**']\n    severity: warning\n",
        )
        .file("somewhere.yaml", "version: 1")
        .file("binary.txt", b"\0x")
        .file("utf16.txt", "\u{FEFF}x".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .file("many.txt", "x y\n".repeat(1_200))
        .file("é x.txt", "é xx é\n")
        .file("d1/ignored.py", "x # phaser:ignore no-x\nx # phaser:ignore\nfirm # phaser:ignore firm\n\ty\n")
        .file("d2/a.c", "nothing\n")
        .file("d2/b.c", "Licence\n")
        .file("d2/c.log", "");
    for number in 0..20 {
        sandbox = sandbox.file(&format!("d{}/f{number}.txt", number % 3), format!("{number}\nxy yz\n"));
    }
    sandbox
}

fn enforce(sandbox: &Sandbox, args: &[&str]) -> Output {
    sandbox.run_with(sandbox.command().arg("enforce").args(args), b"")
}

/// Both runs give the same report. Returns the additional notes of the one with a cache.
#[track_caller]
fn same(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let plain = enforce(sandbox, &[args, &["--no-cache"]].concat());
    let cached = enforce(sandbox, &[args, &["--cache"]].concat());
    assert_eq!((cached.code, &cached.stdout), (plain.code, &plain.stdout), "{args:?}: {}", cached.stderr);
    let message: Vec<&str> = plain.stderr.lines().collect();
    let mut notes = Vec::new();
    for line in cached.stderr.lines().filter(|line| !message.contains(line)) {
        assert!(line.contains(IGNORING) || line.contains(NOT_WRITTEN), "{line}");
        notes.push(line.to_owned());
    }
    assert_eq!(cached.stderr.lines().count(), message.len() + notes.len(), "{}", cached.stderr);
    notes
}

/// The directory with results.
fn kept(sandbox: &Sandbox) -> PathBuf {
    sandbox.path(".git/phaser")
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The only file with results.
#[track_caller]
fn results(sandbox: &Sandbox) -> PathBuf {
    let files = files(&kept(sandbox));
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// Did this run search any text?
fn searched(sandbox: &Sandbox, args: &[&str]) -> bool {
    let message = enforce(sandbox, &[args, &["--cache", "--timings"]].concat()).stderr;
    assert!(message.contains("files scanned"), "{message}");
    !message.contains("no contract was searched for")
}

/// A generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("is small") % below
    }
}

#[test]
fn reports_are_the_same_in_every_format() {
    let sandbox = sandbox();
    for round in 0..2 {
        for format in FORMATS {
            for more in [&[][..], &["--statistics"], &["--no-ignores", "--strict"]] {
                let args = [&["--all", "--format", format], more].concat();
                assert_eq!(same(&sandbox, &args), [""; 0], "{round}: {format}");
            }
        }
        sleep(SETTLED);
    }
    let report = enforce(&sandbox, &["--all", "--cache", "--format", "json"]).stdout;
    for part in
        ["\"fix\"", "without an id", "does not count", "matches; only", "\"ignored\"", "README.md", "binary"]
    {
        assert!(report.contains(part), "{part} is in no report: {report}");
    }
    assert!(!searched(&sandbox, &["--all", "--format", "json"]));
}

#[test]
fn reports_are_the_same_after_any_change() {
    let sandbox = sandbox();
    let mut random = Random(20);
    for round in 0..60 {
        for _ in 0..random.next(4) {
            change(&sandbox, &mut random);
        }
        let format = FORMATS[random.next(FORMATS.len())];
        let args: &[&str] = match random.next(6) {
            0 => &["--all", "--threads", "1"],
            1 => &["--all", "--shard", "1/2"],
            2 => &["--all", "--shard", "2/2"],
            3 => &["d0", "d1", "many.txt"],
            _ => &["--all"],
        };
        if random.next(3) == 0 {
            sleep(SETTLED);
        }
        assert_eq!(same(&sandbox, &[args, &["--format", format]].concat()), [""; 0], "round {round}");
    }
}

/// Changes something in the project.
fn change(sandbox: &Sandbox, random: &mut Random) {
    let path = sandbox.path(&format!("d{}/f{}.txt", random.next(3), random.next(20)));
    let texts = ["x\n", "y\n", "\0", "z\n", "é x\n", "x # phaser:ignore-all\n"];
    match random.next(8) {
        0 => drop(fs::remove_file(&path)),
        1 => fs::write(
            sandbox.path(".claude/contracts/more.yaml"),
            forbid("more", texts[random.next(5)].trim(), "**/*.txt"),
        )
        .expect("written"),
        2 => drop(fs::remove_file(sandbox.path(".claude/contracts/more.yaml"))),
        3 => drop(fs::rename(&path, sandbox.path(&format!("d0/f{}.txt", random.next(20))))),
        4 => {
            // The same size and the same time of modification.
            let Ok(metadata) = fs::metadata(&path) else { return };
            let text = "x".repeat(usize::try_from(metadata.len()).expect("is small"));
            fs::write(&path, text).expect("written");
            let file = fs::File::options().write(true).open(&path).expect("is there");
            file.set_modified(metadata.modified().expect("a time")).expect("set");
        }
        _ => fs::write(&path, texts[random.next(texts.len())]).expect("written"),
    }
}

#[test]
fn sees_change_right_after_run() {
    let sandbox = Sandbox::new().git_init().contract(&forbid("no-x", "x", "**")).file("a.txt", "y");
    let path = sandbox.path("a.txt");
    let mut modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    for round in 0..40 {
        let text = if round % 2 == 0 { "x" } else { "y" };
        fs::write(&path, text).expect("written");
        // Everything that a program can set back is as before.
        fs::File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(modified))
            .expect("set");
        let code = enforce(&sandbox, &["--all", "--cache"]).code;
        assert_eq!(code, Some(if text == "x" { 1 } else { 0 }), "round {round}");
        modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        if round % 7 == 0 {
            sleep(SETTLED);
        }
    }
}

#[test]
fn opens_and_searches_only_what_changed() {
    let sandbox = sandbox();
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["commit", "--quiet", "--message", "one"]);
    sleep(SETTLED);
    assert!(searched(&sandbox, &["--all"]), "nothing is known yet");
    let before = fs::metadata(results(&sandbox)).and_then(|metadata| metadata.modified()).expect("a time");
    if let Some(mut strace) = sandbox.strace() {
        let log = sandbox.home().join("strace.log");
        strace
            .args(["-f", "-qq", "-e", "trace=openat,open", "-o"])
            .arg(&log)
            .arg(env!("CARGO_BIN_EXE_phaser"));
        strace.args(["enforce", "--all", "--cache"]);
        assert_eq!(sandbox.run_with(&mut strace, b"").code, Some(1));
        let calls = fs::read_to_string(&log).expect("a log");
        assert!(calls.contains("results-"), "{calls}");
        for name in [".txt", ".py", ".c\"", ".log"] {
            assert!(!calls.contains(name), "{name}: {calls}");
        }
    }
    let after = fs::metadata(results(&sandbox)).and_then(|metadata| metadata.modified()).expect("a time");
    assert_eq!(before, after, "what is known need not be written again");
    // Another state, the same content.
    for file in ["many.txt", "d0/f0.txt", "d2/b.c"] {
        fs::File::options()
            .append(true)
            .open(sandbox.path(file))
            .and_then(|file| file.set_modified(std::time::SystemTime::now()))
            .expect("set");
    }
    assert!(!searched(&sandbox, &["--all"]), "the content is known");
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    fs::write(sandbox.path("d0/f0.txt"), "x other\n").expect("written");
    fs::remove_file(sandbox.path("d0/f3.txt")).expect("removed");
    sandbox.git(&["commit", "--quiet", "--all", "--message", "two"]);
    assert!(searched(&sandbox, &["--all"]), "there is a new content");
    for branch in ["main", "other", "main"] {
        sandbox.git(&["checkout", "--quiet", branch]);
        assert!(!searched(&sandbox, &["--all"]), "both branches are known");
        assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
    }
}

#[test]
fn keys_results_by_contracts_and_options() {
    let sandbox = sandbox();
    sleep(SETTLED);
    assert!(searched(&sandbox, &["--all"]));
    let others: [&[&str]; 7] = [
        &["--all", "--severity", "error"],
        &["--all", "--only", "no-x"],
        &["--all", "--no-ignores"],
        &["--all", "--timeout", "200"],
        &["--all", "--max-file-size", "2k"],
        &["--all", "--pack", "secrets"],
        &["--all", "--contracts-dir", ".claude/contracts"],
    ];
    for args in others {
        assert!(searched(&sandbox, args), "{args:?}");
        assert!(!searched(&sandbox, args), "{args:?}");
        assert_eq!(same(&sandbox, args), [""; 0]);
    }
    assert!(!searched(&sandbox, &["--all"]), "the others are kept beside it");
    fs::write(sandbox.path(".claude/phaser.yaml"), "overrides:\n  - contracts: [no-x]\n    enabled: false\n")
        .expect("written");
    assert!(searched(&sandbox, &["--all"]));
    assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
}

#[test]
fn ignores_damaged_cache_with_note() {
    // Small, because it is checked some hundred times.
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x+", "**/*.txt"))
        .contract(&contract("no-log", "file_not_exists", None, "**/*.log"))
        .file("a.txt", "x y\nxx # phaser:ignore no-x\n")
        .file("b.txt", "nothing\n")
        .file("c.log", "")
        .file("d.txt", b"\0x");
    sleep(SETTLED);
    assert_eq!(same(&sandbox, &["--all", "--format", "json"]), [""; 0]);
    let file = results(&sandbox);
    let whole = fs::read(&file).expect("readable");
    let plain = enforce(&sandbox, &["--all", "--format", "json"]);
    let mut random = Random(7);
    for round in 0..240 {
        let mut bytes = whole.clone();
        let at = random.next(bytes.len());
        match round % 6 {
            0 => bytes[at] ^= 1 << random.next(8),
            1 => bytes.truncate(at),
            2 => bytes.extend(vec![0; 1 + random.next(100)]),
            3 => {
                let other = random.next(bytes.len());
                bytes.swap(at, other);
                if bytes == whole {
                    bytes[at] ^= 0x10;
                }
            }
            4 => bytes[at..].fill(0),
            _ => drop(bytes.drain(..=at)),
        }
        if bytes == whole {
            continue;
        }
        fs::write(&file, &bytes).expect("written");
        let output = enforce(&sandbox, &["--all", "--format", "json", "--cache"]);
        assert_eq!(
            (output.code, &output.stdout),
            (plain.code, &plain.stdout),
            "round {round}: {}",
            output.stderr
        );
        assert!(output.stderr.contains(IGNORING), "round {round}: {}", output.stderr);
    }
    assert!(!searched(&sandbox, &["--all"]), "it was made anew");
    let quiet = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        enforce(&sandbox, &["--all", "--cache", "--quiet"]).stderr
    };
    assert_eq!(quiet(b"nonsense"), quiet(&whole));
}

#[test]
fn leaves_foreign_files_alone() {
    let sandbox = sandbox();
    sleep(SETTLED);
    assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
    let file = results(&sandbox);
    let damaged = || {
        let notes = same(&sandbox, &["--all"]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        notes[0].clone()
    };
    // A pipe, whose opening would block: replaced by a new cache.
    fs::remove_file(&file).expect("removed");
    assert!(Command::new("mkfifo").arg(&file).status().expect("runs").success());
    assert!(damaged().contains("damaged or not phaser's"));
    assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
    // A link: what it leads to is neither read nor written.
    let elsewhere = sandbox.home().join("elsewhere");
    fs::copy(&file, &elsewhere).expect("copied");
    fs::remove_file(&file).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, &file).expect("linked");
    assert!(damaged().contains(IGNORING));
    assert!(fs::symlink_metadata(&file).expect("is there").is_file());
    // A directory in the place of the file, and of the directory a file or a link.
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("created");
    fs::write(file.join("inside"), "").expect("written");
    let notes = same(&sandbox, &["--all"]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    fs::remove_dir_all(kept(&sandbox)).expect("removed");
    fs::write(kept(&sandbox), "mine").expect("written");
    assert!(
        damaged().contains(&format!("{NOT_WRITTEN} .git/phaser"))
            || damaged().contains("it is not a directory")
    );
    assert_eq!(fs::read_to_string(kept(&sandbox)).expect("readable"), "mine");
    fs::remove_file(kept(&sandbox)).expect("removed");
    let directory = sandbox.home().join("directory");
    fs::create_dir(&directory).expect("created");
    std::os::unix::fs::symlink(&directory, kept(&sandbox)).expect("linked");
    assert!(damaged().contains("it is not a directory"));
    assert!(files(&directory).is_empty());
}

#[test]
fn without_room_nothing_is_kept() {
    let sandbox = sandbox();
    sleep(SETTLED);
    let plain = enforce(&sandbox, &["--all"]);
    let is_plain = |output: &Output| {
        assert_eq!((output.code, &output.stdout), (plain.code, &plain.stdout), "{}", output.stderr);
    };
    // No room: the system refuses to write more than a block. Then a whole one is written.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" enforce --all --cache";
    let run = || sandbox.run_with(&mut sandbox.shell(limited), b"");
    let output = run();
    is_plain(&output);
    assert!(output.stderr.contains(NOT_WRITTEN), "{}", output.stderr);
    assert!(files(&kept(&sandbox)).is_empty(), "nothing is left over");
    is_plain(&enforce(&sandbox, &["--all", "--cache"]));
    let file = results(&sandbox);
    let whole = fs::read(&file).expect("readable");
    fs::write(sandbox.path("d2/a.c"), "nothing new\n").expect("written");
    is_plain(&run());
    assert_eq!(fs::read(&file).expect("readable"), whole, "the old one stays");
}

#[test]
fn without_permission_it_is_done_without() {
    let sandbox = sandbox();
    sleep(SETTLED);
    let plain = enforce(&sandbox, &["--all"]);
    let run = || {
        let output = sandbox.run_with(sandbox.unprivileged().args(["enforce", "--all", "--cache"]), b"");
        assert_eq!((output.code, &output.stdout), (plain.code, &plain.stdout), "{}", output.stderr);
        output.stderr.strip_prefix(&plain.stderr).expect("the same, and more").to_owned()
    };
    // The user that runs it must own the repository, or git's directory is not trusted.
    if fs::metadata(sandbox.root()).expect("is there").uid() == 0 {
        let message = run();
        assert!(message.contains(&format!("{NOT_WRITTEN} [HOME]/.cache/phaser")), "{message}");
        let everything = ["-R", "65534:65534"];
        assert!(Command::new("chown").args(everything).arg(sandbox.root()).status().expect("runs").success());
    }
    assert_eq!(run(), "");
    let file = results(&sandbox);
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    };
    let locked = fs::File::open(&file).expect("readable");
    locked.lock().expect("is locked");
    assert_eq!(run(), "", "a lock is no matter");
    mode(&file, 0o000);
    let message = run();
    assert!(message.contains(IGNORING) && message.contains("Permission denied"), "{message}");
    assert_eq!(run(), "", "it was made anew");
    mode(&kept(&sandbox), 0o555);
    assert_eq!(run(), "", "it can be read");
    fs::write(sandbox.path("d2/b.c"), "Licence, too\n").expect("written");
    let message = run();
    assert!(message.contains(&format!("{NOT_WRITTEN} [ROOT]/.git/phaser")), "{message}");
    mode(&kept(&sandbox), 0o000);
    let message = run();
    assert!(message.contains(IGNORING) && message.contains(NOT_WRITTEN), "{message}");
    mode(&kept(&sandbox), 0o700);
    mode(&sandbox.path(".git"), 0o555);
    assert_eq!(run(), "", "what is there can be used");
    mode(&sandbox.path(".git"), 0o755);
    fs::remove_dir_all(kept(&sandbox)).expect("removed");
    mode(&sandbox.path(".git"), 0o555);
    assert!(run().contains(NOT_WRITTEN), "there is no directory");
    mode(&sandbox.path(".git"), 0o755);
}

#[test]
fn survives_concurrent_and_killed_runs() {
    let sandbox = sandbox();
    let mut random = Random(3);
    for round in 0..12 {
        change(&sandbox, &mut random);
        let start = || {
            let mut command = sandbox.command();
            command.args(["enforce", "--all", "--cache", "--format", "json"]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            command.spawn().expect("starts")
        };
        let mut running: Vec<_> = (0..4).map(|_| start()).collect();
        for (number, child) in running.iter_mut().enumerate() {
            if number % 2 == 1 {
                sleep(Duration::from_millis(random.next(20) as u64));
                child.kill().expect("is ours");
            }
        }
        for mut child in running {
            child.wait().expect("ends");
        }
        assert_eq!(same(&sandbox, &["--all", "--format", "json"]), [""; 0], "round {round}");
    }
}

#[test]
fn is_off_by_default_and_in_hooks() {
    let sandbox = sandbox();
    let settings = |text: &str| fs::write(sandbox.path(".claude/phaser.yaml"), text).expect("written");
    let runs: [&[&str]; 4] = [&["--all"], &["--staged"], &["a.txt"], &["--all", "--cache", "--no-cache"]];
    for args in runs {
        enforce(&sandbox, args);
        assert!(!kept(&sandbox).exists(), "{args:?}");
    }
    settings("cache: true\n");
    enforce(&sandbox, &["--all", "--no-cache"]);
    enforce(&sandbox, &["--staged"]);
    for (name, file) in [("PreToolUse", "d0/f0.txt"), ("PostToolUse", "d0/f0.txt")] {
        let input = serde_json::json!({ "file_path": sandbox.path(file), "content": "x" });
        sandbox.hook(name).tool("Write", input.clone()).run();
        sandbox.hook(name).tool("Write", input).args(["--guard"]).run();
    }
    let stop = serde_json::json!({ "hook_event_name": "Stop", "cwd": sandbox.root() }).to_string();
    sandbox.run_stdin(["enforce", "--stdin", "--guard"], stop);
    assert!(!kept(&sandbox).exists(), "neither a hook nor --no-cache");
    let refused = sandbox.run_stdin(["enforce", "--stdin", "--cache"], "{}");
    assert_eq!(refused.code, Some(3), "{refused}");
    enforce(&sandbox, &["--all"]);
    assert!(results(&sandbox).is_file());
    settings("cache: false\n");
    let before = fs::read(results(&sandbox)).expect("readable");
    fs::write(sandbox.path("d0/new.txt"), "x").expect("written");
    enforce(&sandbox, &["--all"]);
    assert_eq!(fs::read(results(&sandbox)).expect("readable"), before);
}

#[test]
fn nobody_else_can_read_it() {
    let sandbox = sandbox();
    enforce(&sandbox, &["--all", "--cache"]);
    let mode = |path: &Path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
    assert_eq!((mode(&kept(&sandbox)), mode(&results(&sandbox))), (0o700, 0o600));
}

#[test]
fn worktree_has_its_own_results() {
    let sandbox = sandbox();
    sandbox.git(&["add", "--all", "--force"]);
    sandbox.git(&["commit", "--quiet", "--message", "one"]);
    sandbox.git(&["worktree", "add", "--quiet", "../other"]);
    let other = sandbox.root().with_file_name("other");
    for _ in 0..2 {
        let run = |args: &[&str]| {
            sandbox.run_with(sandbox.command().arg("enforce").args(args).current_dir(&other), b"")
        };
        let (plain, cached) = (run(&["--all"]), run(&["--all", "--cache"]));
        assert_eq!((cached.code, &cached.stdout, &cached.stderr), (plain.code, &plain.stdout, &plain.stderr));
        assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
        assert_eq!(files(&kept(&sandbox)).len(), 2);
    }
}

#[test]
fn uses_user_cache_directory_without_repository() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("a.txt", "x");
    assert_eq!(enforce(&sandbox, &["--all", "--cache"]).code, Some(1));
    assert_eq!(files(&sandbox.home().join(".cache/phaser")).len(), 1);
    let elsewhere = sandbox.home().join("caches");
    let run = |sandbox: &Sandbox| {
        let mut command = sandbox.command();
        command.env("XDG_CACHE_HOME", &elsewhere).args(["enforce", "--all", "--cache"]);
        sandbox.run_with(&mut command, b"")
    };
    assert_eq!(run(&sandbox).code, Some(1));
    assert_eq!(files(&elsewhere.join("phaser")).len(), 1);
    let mut homeless = sandbox.command();
    homeless.env_remove("HOME").args(["enforce", "--all", "--cache"]);
    let output = sandbox.run_with(&mut homeless, b"");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("no directory for the cache"), "{output}");
}

#[test]
fn its_size_is_bounded() {
    let sandbox = sandbox();
    fs::create_dir_all(kept(&sandbox)).expect("created");
    let old = std::time::SystemTime::now() - Duration::from_secs(7200);
    let put = |name: &str, size: u64, time| {
        let file = fs::File::create(kept(&sandbox).join(name)).expect("created");
        file.set_len(size).and_then(|()| file.set_modified(time)).expect("set");
    };
    put(".phaser.abc.tmp", 10, old);
    put(".phaser.def.tmp", 10, std::time::SystemTime::now());
    put("notes", 10, old);
    for number in 0..30 {
        put(&format!("results-{number}"), 1, old + Duration::from_secs(number));
    }
    assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
    let names = || -> Vec<String> {
        files(&kept(&sandbox))
            .iter()
            .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
            .collect()
    };
    let left = names();
    assert_eq!(left.len(), 18, "{left:?}");
    assert!(left.contains(&"results-29".to_owned()) && !left.contains(&"results-1".to_owned()), "{left:?}");
    assert!(left.contains(&"notes".to_owned()) && left.contains(&".phaser.def.tmp".to_owned()), "{left:?}");
    put("results-large", 300 << 20, std::time::SystemTime::now());
    fs::write(sandbox.path("d2/a.c"), "more\n").expect("written");
    assert_eq!(same(&sandbox, &["--all"]), [""; 0]);
    assert!(!names().contains(&"results-large".to_owned()));
}

#[test]
fn doctor_says_where_it_is() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "cache: true\n");
    let message = |sandbox: &Sandbox| sandbox.run(["doctor"]).stdout;
    assert!(
        message(&sandbox).contains("results are kept in .git/phaser (nothing yet)"),
        "{}",
        message(&sandbox)
    );
    enforce(&sandbox, &["--all"]);
    let kb = fs::metadata(results(&sandbox)).expect("is there").len().div_ceil(1024);
    assert!(
        message(&sandbox).contains(&format!("results are kept in .git/phaser ({kb} KB)")),
        "{}",
        message(&sandbox)
    );
    fs::write(sandbox.path(".claude/phaser.yaml"), "").expect("written");
    assert!(
        message(&sandbox).contains("results of runs with --cache are in .git/phaser"),
        "{}",
        message(&sandbox)
    );
}
