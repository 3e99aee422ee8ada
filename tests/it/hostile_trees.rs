//! Hostile trees: special files, odd names, depth, breadth, and files that change during a scan.
//!
//! Links, FIFOs, sockets and permissions in an ordinary tree are in `tree.rs`; those named like contracts are in
//! `contracts_loading.rs`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::harness::{Output, Sandbox, contract, forbid, unchecked_in};

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt"))
}

fn all(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--all", "--format", "json"])
}

#[test]
fn a_device_is_never_opened() {
    let sandbox = sandbox();
    symlink("/dev/zero", sandbox.path("endless.txt")).expect("linked");
    symlink("/dev/tty", sandbox.path("terminal.txt")).expect("linked");
    for path in ["endless.txt", "terminal.txt", "/dev/zero", "/dev/stdin"] {
        let output = sandbox.run(["enforce", path]);
        assert_eq!(output.code, Some(3), "{path}: {output}");
        assert!(output.unchecked().concat().starts_with(&format!("{path}: ")), "{output}");
    }
    assert_eq!(all(&sandbox).code, Some(0));
    let edit = sandbox.pre_edit("endless.txt", "a", "x");
    assert_eq!((edit.stdout.as_str(), edit.code), ("{}\n", Some(0)));
    assert_eq!(edit.unchecked().len(), 1, "{edit}");
}

#[test]
fn loops_of_links_end() {
    let sandbox = sandbox().file("a/b/a.txt", "x");
    symlink("..", sandbox.path("a/b/up")).expect("linked");
    symlink("self.txt", sandbox.path("self.txt")).expect("linked");
    symlink("pong.txt", sandbox.path("ping.txt")).expect("linked");
    symlink("ping.txt", sandbox.path("pong.txt")).expect("linked");
    assert_eq!(all(&sandbox).violations(), ["a/b/a.txt:1:1 no-x"]);
    for path in ["self.txt", "ping.txt"] {
        let output = sandbox.run(["enforce", path]);
        assert_eq!(output.code, Some(3), "{output}");
    }
    let through = "a/b/up/b/up/b/up/b/a.txt";
    let output = sandbox.run(["enforce", through, "--format", "json"]);
    assert_eq!(output.violations(), [format!("{through}:1:1 no-x")]);
    assert_eq!(sandbox.pre_write("self.txt", "x").decision(), "deny");
}

#[test]
fn link_out_of_project_is_judged_there() {
    let outside = Sandbox::new().file("secret.txt", "x");
    let inner = outside.path("secret.txt").strip_prefix("/").expect("is absolute").display().to_string();
    let sandbox = Sandbox::new().contract(&forbid("outside", "x", &inner)).file("a.txt", "");
    symlink(outside.path("secret.txt"), sandbox.path("way-out.txt")).expect("linked");
    assert_eq!(all(&sandbox).violations(), [""; 0], "links are not followed");
    let named = sandbox.run(["enforce", "way-out.txt", "--format", "json"]);
    assert_eq!(named.violations(), ["way-out.txt:1:1 outside"]);
    assert_eq!(sandbox.pre_write("way-out.txt", "x").decision(), "deny");
}

#[test]
fn five_hundred_levels() {
    let sandbox = sandbox();
    let deep = "d/".repeat(500);
    let sandbox = sandbox.file(&format!("{deep}a.txt"), "x");
    assert_eq!(all(&sandbox).violations(), [format!("{deep}a.txt:1:1 no-x")]);
    assert_eq!(sandbox.pre_write(&format!("{deep}b.txt"), "x").decision(), "deny");
    let stars = sandbox.contract(&forbid("stars", "x", "**/".repeat(200).trim_end_matches('/')));
    assert_eq!(all(&stars).code, Some(1));
}

#[test]
fn a_path_longer_than_the_system_takes() {
    let sandbox = sandbox();
    let long = format!("{}.txt", "n".repeat(5000));
    let output = sandbox.pre_write(&long, "x");
    assert_eq!(output.decision(), "deny", "{output}");
    let deep = format!("{}a.txt", "d/".repeat(10_000));
    assert_eq!(sandbox.pre_write(&deep, "x").decision(), "deny");
    let output = sandbox.run(["enforce", &long]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn names_of_any_bytes() {
    let names: [&[u8]; 12] = [
        b"new\nline.txt",
        b"quote\".txt",
        b"apostrophe'.txt",
        b"back\\slash.txt",
        b"escape\x1b[31m.txt",
        b"not\xffutf8.txt",
        b"-dash.txt",
        b" space .txt",
        b"::error::x.txt",
        b"star*[a]{b}.txt",
        b"\xe2\x80\xaebidi.txt",
        b"%0Apercent.txt",
    ];
    let sandbox = sandbox();
    for name in names {
        fs::write(sandbox.root().join(OsStr::from_bytes(name)), "x").expect("written");
    }
    let output = all(&sandbox);
    assert_eq!((output.code, output.violations().len()), (Some(1), names.len()), "{output}");
    for name in names {
        let mut command = sandbox.command();
        let named = sandbox.run_with(command.args(["enforce", "--"]).arg(OsStr::from_bytes(name)), b"");
        assert_eq!(named.code, Some(1), "{}", name.escape_ascii());
        assert_eq!(named.stdout.lines().count(), 4, "a name stays on its line: {named}");
    }
    let sandbox = Sandbox::new().git_init().contract(&forbid("no-x", "x", "**/*.txt"));
    for name in names {
        fs::write(sandbox.root().join(OsStr::from_bytes(name)), "x").expect("written");
    }
    sandbox.git(&["add", "."]);
    let staged = sandbox.run(["enforce", "--staged", "--format", "json"]);
    assert_eq!(staged.violations(), output.violations(), "git knows them by the same names");
}

#[test]
fn twenty_thousand_files_in_one_directory() {
    let sandbox = sandbox().contract(&contract("no-last", "file_not_exists", None, "many/19999.txt"));
    fs::create_dir(sandbox.path("many")).expect("created");
    for number in 0..20_000 {
        File::create(sandbox.path("many").join(format!("{number:05}.txt"))).expect("created");
    }
    fs::write(sandbox.path("many/12345.txt"), "x").expect("written");
    let output = all(&sandbox);
    assert_eq!(output.violations(), ["many/12345.txt:1:1 no-x", "many/19999.txt no-last"]);
    assert_eq!(output.json()["files_checked"].as_array().map(Vec::len), Some(20_000));
}

#[test]
fn sparse_file_is_not_read() {
    let sandbox = sandbox();
    let mut file = File::create(sandbox.path("sparse.txt")).expect("created");
    file.seek(SeekFrom::Start(4 * 1024 * 1024 * 1024)).expect("moved");
    file.write_all(b"x").expect("written");
    let output = all(&sandbox);
    assert_eq!(output.code, Some(0), "{output}");
    let unchecked = output.unchecked();
    assert!(unchecked.concat().starts_with("sparse.txt: 4294967297 "), "{output}");
    let post = sandbox.post_write("sparse.txt", "");
    assert_eq!((post.unchecked(), unchecked_in(&post.message())), (unchecked.clone(), unchecked), "{post}");
}

/// Files are read into memory, not mapped, so one that shrinks meanwhile cannot end the process.
#[test]
fn files_may_change_while_read() {
    let sandbox = (0..50).fold(sandbox().file("steady.txt", "x"), |sandbox, number| {
        sandbox.file(&format!("moving/{number}.txt"), "y".repeat(100_000))
    });
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                let path = sandbox.path(&format!("moving/{}.txt", round % 50));
                match round % 4 {
                    0 => drop(fs::remove_file(&path)),
                    1 => fs::write(&path, "y".repeat(round % 200_000)).expect("written"),
                    2 => fs::write(&path, "").expect("written"),
                    _ => drop(fs::remove_file(&path).and_then(|()| symlink("/dev/zero", &path))),
                }
                let _ = fs::remove_file(&path).is_ok() && fs::write(&path, "y").is_ok();
                if done.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        for _ in 0..20 {
            let output = all(&sandbox);
            assert!(matches!(output.code, Some(1 | 3)), "{output}");
            assert_eq!(output.violations(), ["steady.txt:1:1 no-x"], "what holds still is checked");
            assert_eq!(output.code == Some(3), !output.unchecked().is_empty(), "{output}");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn directory_and_source_may_swap_names() {
    let sandbox = sandbox().file("a.txt/b.txt", "x").file("src", "x");
    assert_eq!(all(&sandbox).violations(), ["a.txt/b.txt:1:1 no-x"]);
    assert_eq!(sandbox.run(["enforce", "a.txt", "--format", "json"]).violations(), ["a.txt/b.txt:1:1 no-x"]);
    let under_a_file = sandbox.run(["enforce", "src/a.txt"]);
    assert_eq!(under_a_file.code, Some(3), "{under_a_file}");
    assert_eq!(
        sandbox.pre_write("src/a.txt", "x").decision(),
        "deny",
        "a write there is judged, not skipped"
    );
    let edit = sandbox.pre_edit("a.txt", "a", "b");
    assert_eq!(edit.stdout, "{}\n", "a directory cannot be edited: {edit}");
}

#[test]
fn the_contracts_directory_is_something_else() {
    let sandbox = Sandbox::new().file(".claude/contracts", "not a directory").file("a.txt", "x");
    let output = all(&sandbox);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.starts_with(".claude/contracts: "), "{output}");
    assert!(output.stderr.contains("Not a directory"), "{output}");
    let sandbox = Sandbox::new().file("a.txt", "x").file(".claude/keep", "");
    let made = Command::new("mkfifo").arg(sandbox.path(".claude/contracts")).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(all(&sandbox).code, Some(3));
    let output = sandbox.pre_write("a.txt", "x");
    assert_eq!(output.decision(), "", "{output}");
    assert!(output.message().contains(".claude/contracts: "), "{output}");
}

#[test]
fn broken_ignore_file_hides_nothing() {
    let sandbox =
        sandbox().git_init().file(".gitignore", b"[\n\xff\xfe\0\n{{{\n**/**/**\\\n").file("a.txt", "x");
    assert_eq!(all(&sandbox).violations(), ["a.txt:1:1 no-x"]);
}

#[test]
fn special_ignore_file_is_never_opened() {
    for special in ["/dev/zero", "fifo", "real"] {
        let sandbox =
            sandbox().git_init().file("sub/a.txt", "x").file("sub/below/a.txt", "x").file("real", "*\n");
        let fifo = |path: &str| {
            let made = Command::new("mkfifo").arg(sandbox.path(path)).status().expect("mkfifo runs");
            assert!(made.success());
        };
        fifo("sub/fifo");
        fifo("sub/below/.gitignore");
        symlink(special, sandbox.path("sub/.gitignore")).expect("linked");
        let expected = ["sub/a.txt:1:1 no-x", "sub/below/a.txt:1:1 no-x"];
        for args in [&["--all"][..], &["sub"], &["sub/a.txt", "sub/below"]] {
            let mut command = sandbox.command();
            let output = sandbox.run_with(command.args(["enforce", "--format", "json"]).args(args), b"");
            assert_eq!((output.code, output.violations()), (Some(1), expected.map(str::to_owned).to_vec()));
        }
    }
}

#[test]
fn special_repository_files_are_never_opened() {
    for file in ["config", "HEAD", "index", "."] {
        let sandbox = sandbox().git_init().file("sub/a.txt", "x");
        sandbox.git(&["init", "--quiet", "sub"]);
        let path = sandbox.path("sub/.git");
        let path = if file == "." { path } else { path.join(file) };
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
        assert!(made.success());
        let output = all(&sandbox);
        let found = vec!["sub/a.txt:1:1 no-x".to_owned()];
        assert_eq!(
            (output.code, output.violations(), output.stderr.as_str()),
            (Some(1), found.clone(), ""),
            "{file}"
        );
        let ignored = sandbox.file("sub/.gitignore", "b.txt\n").file("sub/b.txt", "x");
        let output = all(&ignored);
        assert_eq!((output.code, output.violations()), (Some(3), found), "{file}");
        assert!(output.stderr.contains("is not a regular file"), "{file}: {output}");
    }
}

#[test]
fn nested_git_includes_are_never_opened() {
    let sandbox =
        sandbox().git_init().file("sub/a.txt", "x").file("sub/b.log", "x").file("sub/.gitignore", "*.log\n");
    sandbox.git(&["init", "--quiet", "sub"]);
    sandbox.git(&["-C", "sub", "config", "core.excludesFile", "/dev/zero"]);
    sandbox.git(&["-C", "sub", "config", "include.path", "/dev/zero"]);
    assert_eq!(all(&sandbox).violations(), ["sub/a.txt:1:1 no-x"]);
}
