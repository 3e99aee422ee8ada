//! The files that `--all` checks, and how unchecked ones are reported.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::harness::{Output, Sandbox, contract, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-x", r"\bx", "**"))
}

fn json(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--all", "--format", "json"])
}

fn all(sandbox: &Sandbox) -> Vec<String> {
    json(sandbox).violations()
}

/// The paths that were skipped, and why.
fn skipped(output: &Output) -> Vec<String> {
    let json = output.json();
    let skipped = json["skipped"].as_array().expect("a list").iter();
    skipped
        .map(|skipped| {
            let text = |key: &str| skipped[key].as_str().expect("text").to_owned();
            format!("{}: {}", text("file_path"), text("reason"))
        })
        .collect()
}

#[test]
fn git_rules_decide_and_hidden_files_count() {
    let sandbox = sandbox()
        .git_init()
        .file(".gitignore", "build/\n*.log\n!keep.log\n/top.txt\n")
        .file("build/a.txt", "x")
        .file(".hidden/a.txt", "x")
        .file("a.txt", "x")
        .file("a.log", "x")
        .file("keep.log", "x")
        .file("top.txt", "x")
        .file("sub/top.txt", "x")
        .file(".git/info/exclude", "excluded.txt\n")
        .file("excluded.txt", "x")
        .git_add("a.txt")
        .git_commit("first");
    let expected = [".hidden/a.txt", "a.txt", "keep.log", "sub/top.txt"];
    assert_eq!(all(&sandbox), expected.map(|path| format!("{path}:1:1 no-x")));
}

#[test]
fn nested_ignore_file_covers_its_directory() {
    let sandbox = sandbox()
        .git_init()
        .file(".gitignore", "*.gen\n")
        .file("a/.gitignore", "!*.gen\nlocal.txt\n")
        .file("a/one.gen", "x")
        .file("a/local.txt", "x")
        .file("a/b/local.txt", "x")
        .file("b/one.gen", "x")
        .file("b/local.txt", "x");
    assert_eq!(all(&sandbox), ["a/one.gen:1:1 no-x", "b/local.txt:1:1 no-x"]);
}

#[test]
fn the_users_global_excludes_hold() {
    let sandbox = sandbox().git_init().file("a.swp", "x").file("a.txt", "x").file("excludes", "*.swp\n");
    let config = format!("[core]\n\texcludesFile = {}\n", sandbox.path("excludes").display());
    fs::write(sandbox.home().join(".gitconfig"), config).expect("written");
    assert_eq!(all(&sandbox), ["a.txt:1:1 no-x"]);
    fs::remove_file(sandbox.home().join(".gitconfig")).expect("removed");
    assert_eq!(all(&sandbox).len(), 2);
    fs::create_dir_all(sandbox.home().join(".config/git")).expect("created");
    fs::write(sandbox.home().join(".config/git/ignore"), "*.swp\n").expect("written");
    assert_eq!(all(&sandbox), ["a.txt:1:1 no-x"], "where it is by default");
}

#[test]
fn ignored_file_is_checked_when_named() {
    let sandbox = sandbox().git_init().file(".gitignore", "build/\n").file("build/a.txt", "x");
    assert_eq!(all(&sandbox), [""; 0]);
    let named = sandbox.run(["enforce", "build/a.txt", "--format", "json"]);
    assert_eq!(named.violations(), ["build/a.txt:1:1 no-x"]);
}

#[test]
fn tracked_file_is_checked_despite_rule() {
    let sandbox = sandbox()
        .git_init()
        .file("build/gen.txt", "x")
        .file("build/other.txt", "x")
        .file("sub/a.log", "x")
        .file("sub/b.log", "x")
        .file(".gitignore", "build/\n*.log\n");
    sandbox.git(&["add", "--force", "build/gen.txt", "sub/a.log"]);
    let expected = ["build/gen.txt:1:1 no-x", "sub/a.log:1:1 no-x"];
    assert_eq!(all(&sandbox), expected);
    assert_eq!(sandbox.run(["enforce", "--staged", "--format", "json"]).violations(), expected);
    assert_eq!(sandbox.run(["enforce", ".", "--format", "json"]).violations(), expected);
    assert_eq!(sandbox.run(["enforce", "sub", "--format", "json"]).violations(), expected[1..]);
    let mut parts: Vec<_> = ["1/2", "2/2"]
        .iter()
        .flat_map(|part| sandbox.run(["enforce", "--all", "--shard", part, "--format", "json"]).violations())
        .collect();
    parts.sort();
    assert_eq!(parts, expected);
    std::fs::remove_dir_all(sandbox.path(".git")).expect("removed");
    assert_eq!(all(&sandbox).len(), 4, "without a repository there are no rules");
}

#[test]
fn unreadable_index_ends_with_3_if_needed() {
    let sandbox = sandbox().git_init().file("a.txt", "x").git_add("a.txt");
    std::fs::write(sandbox.path(".git/index"), "broken").expect("written");
    assert_eq!(json(&sandbox).code, Some(1), "nothing is ignored");
    let output = json(&sandbox.file(".gitignore", "*.log\n").file("a.log", "x"));
    assert_eq!((output.code, output.violations()), (Some(3), vec!["a.txt:1:1 no-x".to_owned()]));
    let message = ".: cannot be read: cannot tell which ignored files are tracked: ";
    assert!(output.unchecked().concat().starts_with(message), "{output}");
}

/// Needs the right to give a file away, which only some users have.
#[test]
fn rules_hold_in_foreign_repository() {
    let sandbox = sandbox().git_init().file("a.log", "x").file("b.log", "x").file("c.txt", "x");
    sandbox.git(&["add", "--force", "b.log"]);
    let sandbox = sandbox.file(".gitignore", "*.log\n");
    for path in [sandbox.root(), sandbox.path(".git")] {
        if std::os::unix::fs::chown(path, Some(12345), None).is_err() {
            return;
        }
    }
    let output = json(&sandbox);
    assert_eq!(
        (output.violations(), output.stderr.as_str()),
        (vec!["b.log:1:1 no-x".to_owned(), "c.txt:1:1 no-x".to_owned()], "")
    );
}

#[test]
fn only_gits_ignore_files_count() {
    let sandbox =
        sandbox().git_init().file(".ignore", "a.txt\n").file(".rgignore", "a.txt\n").file("a.txt", "x");
    assert_eq!(all(&sandbox), ["a.txt:1:1 no-x"]);
}

#[test]
fn git_directory_is_never_read() {
    let sandbox = sandbox().git_init().file("sub/.git/x.txt", "x").file(".git/x.txt", "x").file("a.txt", "");
    assert_eq!(all(&sandbox), [""; 0]);
}

#[test]
fn a_project_need_not_be_a_repository() {
    assert_eq!(all(&sandbox().file("a.txt", "x")), ["a.txt:1:1 no-x"]);
}

#[test]
fn links_are_not_followed() {
    let outside = Sandbox::new().file("secret.txt", "x");
    let sandbox = sandbox().file("real/a.txt", "x");
    let link = |target: &str, name: &str| symlink(target, sandbox.path(name)).expect("linked");
    link("real", "directory");
    link("real/a.txt", "file.txt");
    link("nowhere", "dangling.txt");
    link(".", "loop");
    link("/dev/zero", "endless.txt");
    link(outside.root().to_str().expect("is text"), "outside");
    let output = json(&sandbox);
    assert_eq!(output.violations(), ["real/a.txt:1:1 no-x"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
    let links = ["dangling.txt", "directory", "endless.txt", "file.txt", "loop", "outside"];
    assert_eq!(skipped(&output), links.map(|path| format!("{path}: a symbolic link")));
}

#[test]
fn a_link_exists_by_its_name() {
    let sandbox = Sandbox::new()
        .contract(&contract("no-link", "file_not_exists", None, "**/forbidden"))
        .contract(&contract("needs-link", "file_exists", None, "needed"));
    symlink("nowhere", sandbox.path("forbidden")).expect("linked");
    symlink("nowhere", sandbox.path("needed")).expect("linked");
    assert_eq!(all(&sandbox), ["forbidden no-link"]);
}

#[test]
fn only_regular_files_are_opened() {
    let sandbox = sandbox().file("a.txt", "x");
    let made = Command::new("mkfifo").arg(sandbox.path("fifo.txt")).status().expect("mkfifo runs");
    assert!(made.success());
    let _socket = UnixListener::bind(sandbox.path("socket.txt")).expect("bound");
    let output = json(&sandbox);
    assert_eq!(output.violations(), ["a.txt:1:1 no-x"]);
    assert_eq!(skipped(&output), ["fifo.txt: not a regular file", "socket.txt: not a regular file"]);
    assert_eq!(output.stderr, "");
    let named = sandbox.run(["enforce", "fifo.txt"]);
    assert_eq!(named.code, Some(3), "what is named should have been checked: {named}");
    assert!(named.unchecked().concat().starts_with("fifo.txt: "), "{named}");
    assert_eq!(sandbox.post_write("fifo.txt", "x").stdout, "{}\n", "nor does a hook open it");
}

#[test]
fn binary_files_are_skipped() {
    let sandbox = sandbox()
        .file("nul.bin", b"x\0")
        .file("controls.bin", b"x\x01\x02\x03")
        .file("few-controls.txt", b"x\x01 and ten more characters")
        .file("empty.txt", "");
    let output = json(&sandbox);
    assert_eq!(output.violations(), ["few-controls.txt:1:1 no-x"]);
    assert_eq!(skipped(&output), ["controls.bin: binary", "nul.bin: binary"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
}

#[test]
fn large_file_is_skipped_with_message() {
    let sandbox = sandbox().file("fits.txt", "x123").file("large.txt", "x1234");
    let output = sandbox.run(["enforce", "--all", "--format", "json", "--max-file-size", "4"]);
    assert_eq!(output.violations(), ["fits.txt:1:1 no-x"]);
    let why = "large.txt: 5 bytes, over the limit of 4 (raise it with --max-file-size)";
    assert_eq!(skipped(&output), [why]);
    assert_eq!(output.stderr, format!("phaser: not checked: {why}\n"));
    assert_eq!(output.code, Some(1), "it is a known gap, which only --strict makes a failure");
}

#[test]
fn limit_defaults_to_ten_megabytes() {
    let sandbox = sandbox().file("fits.txt", vec![b'a'; 10 * 1024 * 1024]);
    assert_eq!(json(&sandbox).stderr, "");
    let sandbox = sandbox.file("large.txt", format!("{}x", "x ".repeat(5 * 1024 * 1024)));
    let gap = json(&sandbox).unchecked().concat();
    assert!(gap.starts_with("large.txt: 10485761 ") && gap.contains(" 10485760 "), "{gap}");
    let raised = sandbox.run(["enforce", "large.txt", "--max-file-size", "20000000", "--format", "json"]);
    assert_eq!(raised.violations().len(), 1000);
}

#[test]
fn invalid_utf8_is_searched_as_bytes() {
    let sandbox = sandbox()
        .file("latin1.txt", b"caf\xe9 x\n")
        .file("cut-off.txt", b"\xe2\x84 x\n")
        .file("bom.txt", b"\xef\xbb\xbfx");
    assert_eq!(all(&sandbox), ["bom.txt:1:1 no-x", "cut-off.txt:1:4 no-x", "latin1.txt:1:6 no-x"]);
}

#[test]
fn utf16_is_decoded_by_its_mark() {
    let sandbox = sandbox()
        .file("le.txt", b"\xff\xfea\0\n\0x\0")
        .file("be.txt", b"\xfe\xff\0a\0\n\0x")
        .file("nul.bin", b"\xfe\xff\0x\0\0");
    let output = sandbox.run(["enforce", "--all", "--strict", "--format", "json"]);
    assert_eq!(output.violations(), ["be.txt:2:1 no-x", "le.txt:2:1 no-x"]);
    assert_eq!((output.code, skipped(&output)), (Some(1), vec!["nul.bin: binary".to_owned()]));
}

#[test]
fn unsupported_encoding_is_a_gap() {
    let utf16: Vec<u8> = "no mark, x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let sandbox = sandbox().file("a.txt", utf16).file("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let output = json(&sandbox);
    let why = "a.txt: text in UTF-16LE without a byte order mark, which is not read (save it as UTF-8)";
    assert_eq!(skipped(&output), [why, "b.png: binary"]);
    assert_eq!((output.code, output.unchecked()), (Some(0), vec![why.to_owned()]));
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(3));
    std::fs::remove_file(sandbox.path("a.txt")).expect("removed");
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(0), "what is binary is no gap");
}

#[test]
fn unreadable_directory_ends_with_3_after_rest() {
    let sandbox = sandbox().file("locked/a.txt", "x").file("open/a.txt", "x");
    let locked = sandbox.path("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("a mode");
    let mut command = sandbox.unprivileged();
    let output = sandbox.run_with(command.args(["enforce", "--all", "--format", "json"]), b"");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).expect("a mode");
    assert_eq!(
        (output.code, output.violations()),
        (Some(3), vec!["open/a.txt:1:1 no-x".to_owned()]),
        "{output}"
    );
    let gap = output.unchecked().concat();
    assert!(gap.starts_with("locked: ") && gap.contains("Permission denied"), "{output}");
}

#[test]
fn unreadable_unrelated_file_is_no_gap() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.py")).file("a.txt", "x");
    fs::set_permissions(sandbox.path("a.txt"), fs::Permissions::from_mode(0o000)).expect("a mode");
    let mut command = sandbox.unprivileged();
    let output = sandbox.run_with(command.args(["enforce", "--all"]), b"");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
}

#[test]
fn named_directory_means_its_files() {
    let sandbox = sandbox()
        .git_init()
        .file(".gitignore", "*.log\n")
        .file("a.txt", "x")
        .file("src/a.txt", "x")
        .file("src/a.log", "x")
        .file("src/deep/b.txt", "x");
    let expected = ["src/a.txt:1:1 no-x", "src/deep/b.txt:1:1 no-x"];
    for path in ["src", "src/", "./src", "src/."] {
        let output = sandbox.run(["enforce", path, "--format", "json"]);
        assert_eq!(output.violations(), expected, "{path}");
    }
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("src")).args(["enforce", ".", "--format", "json"]);
    assert_eq!(sandbox.run_with(&mut command, b"").violations(), expected, "from inside it");
    let both = sandbox.run(["enforce", "src", "src/a.txt", "src/deep", "--format", "json"]);
    assert_eq!(both.violations(), expected, "no file is checked twice");
}

#[test]
fn path_from_subdirectory_starts_at_root() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "src/*.txt")).file("src/a.txt", "x");
    for path in ["a.txt", "./a.txt", ".//a.txt", "."] {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("src")).args(["enforce", path, "--format", "json"]);
        assert_eq!(sandbox.run_with(&mut command, b"").violations(), ["src/a.txt:1:1 no-x"], "{path}");
    }
}
