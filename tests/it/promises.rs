//! What phaser promises never to do, watched from outside: `enforce` opens no socket, starts no process, and writes no
//! file but the named one.
//!
//! The watch is strace. Where it is not installed these tests are skipped, except in CI.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// System calls that change a file system, besides opening a file for writing.
const CHANGES: &str = "creat,mkdir,mkdirat,mknod,mknodat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,\
    symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,futimesat,utimensat,\
    setxattr,lsetxattr,fsetxattr,removexattr,fallocate,mount,umount2";

/// What a run did that it should not.
struct Watched {
    output: Output,
    network: Vec<String>,
    processes: Vec<String>,
    threads: Vec<String>,
    opened: Vec<String>,
    changes: Vec<String>,
}

fn watched(sandbox: &Sandbox, args: &[&str], stdin: &str) -> Option<Watched> {
    watch(sandbox, env!("CARGO_BIN_EXE_phaser"), args, stdin)
}

fn watch(sandbox: &Sandbox, program: &str, args: &[&str], stdin: &str) -> Option<Watched> {
    let log = sandbox.home().join("strace.log");
    let mut strace = sandbox.strace()?;
    strace.args(["-f", "-qq", "-s", "300", "-e", "signal=none", "-o"]).arg(&log);
    strace.args(["-e", &format!("trace=%network,%process,open,openat,openat2,{CHANGES}")]);
    let output = sandbox.run_with(strace.arg(program).args(args), stdin.as_bytes());
    let calls = fs::read_to_string(&log).expect("the log");
    fs::remove_file(&log).expect("removed");
    let of = |wanted: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
        let calls = calls.lines().filter(|line| {
            let call = line.split_once(' ').map_or(*line, |(_, call)| call.trim_start());
            let name = call.split('(').next().unwrap_or_default();
            wanted(name, call)
        });
        calls.map(str::to_owned).collect()
    };
    let network = ["socket", "connect", "bind", "listen", "accept", "sendto", "recvfrom", "socketpair"];
    Some(Watched {
        network: of(&|name, _| network.contains(&name)),
        processes: of(&|name, call| match name {
            "fork" | "vfork" | "execve" | "execveat" => true,
            "clone" | "clone3" => !call.contains("CLONE_THREAD"),
            _ => false,
        }),
        threads: of(&|name, call| name.starts_with("clone") && call.contains("CLONE_THREAD")),
        opened: of(&|name, _| name.starts_with("open")),
        changes: of(&|name, call| match name {
            "open" | "openat" | "openat2" => {
                ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| call.contains(flag))
            }
            name => CHANGES.split(',').any(|change| change.trim() == name),
        }),
        output,
    })
}

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&warning(&forbid("look", "x(?!y)", "**/*.txt")))
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .file(".claude/contracts/broken.yaml", "rule_id: [")
        .user_contract(&forbid("mine", "y", "**"))
        .file("a.txt", "x\n")
        .git_add("a.txt")
        .git_commit("first")
        .file("b.txt", "x y\n")
        .file("n.ipynb", r#"{"cells": [{"id": "a", "cell_type": "code", "source": "x"}]}"#)
        .git_add("b.txt")
}

#[track_caller]
fn keeps_its_promises(watched: &Watched, args: &[&str]) {
    assert_eq!(watched.network, [""; 0], "{args:?} uses the network");
    assert_eq!(watched.processes.len(), 1, "{args:?} starts a process: {:#?}", watched.processes);
    assert!(watched.processes[0].contains("execve("), "{:?}", watched.processes);
}

#[test]
fn every_mode_only_reads() {
    let sandbox = sandbox();
    let write = json!({ "file_path": sandbox.path("new/c.txt"), "content": "x" });
    let edit = json!({ "file_path": sandbox.path("a.txt"), "old_string": "x", "new_string": "z" });
    let cell = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "a", "new_source": "x" });
    let event = |name: &str, tool: &str, input: &serde_json::Value| {
        sandbox.hook(name).tool(tool, input.clone()).json()
    };
    let runs: [(&[&str], String); 16] = [
        (&["--stdin"], event("PreToolUse", "Write", &write)),
        (&["--stdin"], event("PreToolUse", "Edit", &edit)),
        (&["--stdin"], event("PreToolUse", "NotebookEdit", &cell)),
        (&["--stdin"], event("PostToolUse", "Write", &write)),
        (&["--stdin"], event("PostToolUse", "Edit", &edit)),
        (&["--stdin", "--pack", "all"], event("PreToolUse", "Write", &write)),
        (&["--stdin"], "nonsense".to_owned()),
        (&["--file", "a.txt"], String::new()),
        (&["a.txt", "b.txt", "."], String::new()),
        (&["--all", "--threads", "4", "--pack", "all"], String::new()),
        (&["--all", "--shard", "1/2"], String::new()),
        (&["--staged"], String::new()),
        (&["--staged", "--new-lines"], String::new()),
        (&["--diff", "main"], String::new()),
        (&["--diff", "main..main"], String::new()),
        (&["--bogus"], String::new()),
    ];
    for (args, stdin) in runs {
        let args = [&["enforce"], args].concat();
        let Some(watched) = watched(&sandbox, &args, &stdin) else { return };
        keeps_its_promises(&watched, &args);
        assert_eq!(watched.changes, [""; 0], "{args:?} writes: {}", watched.output);
        assert!(
            !watched.output.stdout.is_empty() || watched.output.code == Some(3),
            "it ran: {}",
            watched.output
        );
    }
}

/// What a hook pays for: its own files, and nothing for contracts that its text cannot match.
#[test]
fn hook_starts_no_thread_opens_no_repository() {
    let mut sandbox = sandbox();
    for number in 0..60 {
        let id = format!("never-{number}");
        sandbox = sandbox.contract(&forbid(&id, &format!("(?<!a)absent{number}(?!b)"), "**"));
    }
    let write = json!({ "file_path": sandbox.path("new/c.txt"), "content": "nothing of that\n" });
    let edit = json!({ "file_path": sandbox.path("a.txt"), "old_string": "x", "new_string": "z" });
    for (name, tool, input) in [
        ("PreToolUse", "Write", &write),
        ("PostToolUse", "Write", &write),
        ("PreToolUse", "Edit", &edit),
        ("SessionStart", "", &write),
    ] {
        let event = sandbox.hook(name).tool(tool, input.clone()).json();
        let args = ["enforce", "--stdin", "--pack", "all"];
        let Some(watched) = watched(&sandbox, &args, &event) else { return };
        assert_eq!(watched.output.code, Some(0), "{}", watched.output);
        assert_eq!(watched.threads, [""; 0], "{name} of {tool} starts a thread");
        let of_git = watched.opened.iter().filter(|call| call.contains(".git"));
        assert_eq!(of_git.collect::<Vec<_>>(), [""; 0], "{name} of {tool} opens the repository");
    }
    let sandbox = sandbox.contract(
        "rule_id: no-eval\ntype: forbid_code\ncode: 'eval($X)'\nfile_glob: '**/*.py'\nmessage: m\nseverity: error\n",
    );
    for content in ["nothing of that\n", "print(1)  # eval(x)\n"] {
        let event = sandbox.hook("PreToolUse").write("a.py", content).json();
        let Some(watched) = watched(&sandbox, &["enforce", "--stdin"], &event) else { return };
        keeps_its_promises(&watched, &["a file that is parsed"]);
        assert_eq!((watched.threads.len(), watched.changes.len()), (0, 0), "{content:?}");
    }
    let Some(tree) = watched(&sandbox, &["enforce", "--all", "--threads", "4"], "") else { return };
    assert!(!tree.threads.is_empty(), "the watch sees threads");
}

#[test]
fn every_format_only_reads() {
    let sandbox = sandbox();
    for format in ["text", "json", "sarif", "github", "gitlab", "junit"] {
        let args = ["enforce", "--all", "--format", format];
        let Some(watched) = watched(&sandbox, &args, "") else { return };
        keeps_its_promises(&watched, &args);
        assert_eq!(watched.changes, [""; 0], "{format}");
        assert_eq!(watched.output.code, Some(1), "{}", watched.output);
    }
}

#[test]
fn only_named_output_is_written() {
    let sandbox = sandbox();
    let args = ["enforce", "--all", "--format", "json", "--output", "report.json"];
    let Some(watched) = watched(&sandbox, &args, "") else { return };
    keeps_its_promises(&watched, &args);
    assert!(!watched.changes.is_empty());
    let beside = format!("\"{}", sandbox.root().display());
    for change in &watched.changes {
        let named = change.contains("\"report.json\"") || change.contains(&beside);
        assert!(named && !change.contains(".git/"), "{change}");
    }
    let left: Vec<_> = fs::read_dir(sandbox.root())
        .expect("readable")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 6, "the report is all that is new: {left:?}");
    assert!(Path::new(&sandbox.path("report.json")).is_file());
}

/// The watch itself: what it is there to see, it sees.
#[test]
fn the_watch_sees_sockets_processes_and_files() {
    let sandbox = sandbox().file(".claude/keep", "");
    let Some(doctor) = watched(&sandbox, &["doctor"], "") else { return };
    assert!(doctor.processes.len() > 1, "doctor runs phaser as the client does: {:?}", doctor.processes);
    let Some(install) = watched(&sandbox, &["enforce", "install"], "") else { return };
    assert!(!install.changes.is_empty() && install.network.is_empty(), "{:?}", install.changes);
    let connects = ["-c", "exec 3<>/dev/tcp/127.0.0.1/1"];
    let Some(bash) = watch(&sandbox, "/bin/bash", &connects, "") else { return };
    assert!(!bash.network.is_empty(), "{}", bash.output);
}
