//! `phaser history`: how many violations there were over time.

use std::fmt::Write as _;
use std::fs;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

const DAY: i64 = 86_400;

/// 2026-01-05, a Monday.
pub const MONDAY: i64 = 1_767_571_200;

/// A commit to be made: its time, and the files that it writes, or takes away.
pub type Made<'a> = (i64, &'a [(&'a str, Option<&'a str>)]);

/// A project with two contracts and these commits, one after another, the last of them checked out.
pub fn project(commits: &[Made<'_>]) -> Sandbox {
    let sandbox = Sandbox::new().git_init();
    import(&sandbox, commits);
    sandbox.git(&["checkout", "--quiet", "--force", "main"]);
    sandbox
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*")))
}

/// Puts commits on the branch `main`.
pub fn import(sandbox: &Sandbox, commits: &[Made<'_>]) {
    let mut stream = String::new();
    for (number, (time, files)) in (1..).zip(commits) {
        let message = format!("change {number}\n\nwords\n");
        write!(
            stream,
            "commit refs/heads/main\ncommitter A <a@example.com> {time} +0000\ndata {}\n{message}",
            message.len()
        )
        .expect("written");
        for (path, content) in *files {
            match content {
                Some(content) => {
                    writeln!(stream, "M 100644 inline {path}\ndata {}\n{content}", content.len())
                        .expect("written");
                }
                None => writeln!(stream, "D {path}").expect("written"),
            }
        }
        stream.push('\n');
    }
    let imported = sandbox.try_git(&["fast-import", "--quiet"], &stream);
    assert_eq!(imported.code, Some(0), "{imported}");
}

/// Errors and warnings of each commit.
fn counts(output: &Output) -> Vec<(u64, u64)> {
    let json = output.json();
    let commits = json["commits"].as_array().expect("commits").iter();
    commits
        .map(|commit| {
            (commit["errors"].as_u64().expect("a number"), commit["warnings"].as_u64().expect("a number"))
        })
        .collect()
}

fn three_weeks() -> Sandbox {
    project(&[
        (MONDAY, &[("a.py", Some("print(1)\n")), ("b.py", Some("x = 1\n"))]),
        (MONDAY + DAY, &[("a.py", Some("print(1)\nprint(2)\n# TODO\n"))]),
        (
            MONDAY + 7 * DAY,
            &[("b.py", Some("print(3)\nprint(4)  # phaser:ignore no-print\n# TODO\n# TODO\n"))],
        ),
        (MONDAY + 14 * DAY, &[("a.py", None), ("c.py", Some("# TODO\n"))]),
    ])
}

#[test]
fn table_shows_trend_with_bars() {
    let output = three_weeks().run(["history"]);
    insta::assert_snapshot!(output, @r#"
    exit: 0
    --- stdout
    date        commit        errors  warnings
    2026-01-06  e6c7af8c9b         2         1  #############======
    2026-01-12  05a9aa0b7c         3         3  ####################====================
    2026-01-19  8952c830b9         1         3  ######====================

       first       now    change  severity  contract
           1         3        +2  warning   no-todo
           2         1        -1  error     no-print

    added most
          +3  2026-01-12  05a9aa0b7c  change 3

    removed most
          -2  2026-01-19  8952c830b9  change 4

    --- stderr
    "#);
    let every = three_weeks().run(["history", "--every", "1"]);
    insta::assert_snapshot!(every, @r#"
    exit: 0
    --- stdout
    date        commit        errors  warnings
    2026-01-05  0452b52402         1         0  ######
    2026-01-06  e6c7af8c9b         2         1  #############======
    2026-01-12  05a9aa0b7c         3         3  ####################====================
    2026-01-19  8952c830b9         1         3  ######====================

       first       now    change  severity  contract
           0         3        +3  warning   no-todo
           1         1         0  error     no-print

    added most
          +3  2026-01-12  05a9aa0b7c  change 3
          +2  2026-01-06  e6c7af8c9b  change 2

    removed most
          -2  2026-01-19  8952c830b9  change 4

    --- stderr
    "#);
}

#[test]
fn json_has_the_commits_oldest_first() {
    let output = three_weeks().run(["history", "--format", "json"]);
    insta::assert_snapshot!(output, @r#"
    exit: 0
    --- stdout
    {
      "version": 1,
      "commits": [
        {
          "id": "e6c7af8c9b3c275b7ad5e194283593983fd31220",
          "time": 1767657600,
          "errors": 2,
          "warnings": 1,
          "contracts": {
            "no-print": 2,
            "no-todo": 1
          }
        },
        {
          "id": "05a9aa0b7cce1bf3f44e30d1c828de1ed3560bd6",
          "time": 1768176000,
          "errors": 3,
          "warnings": 3,
          "contracts": {
            "no-print": 3,
            "no-todo": 3
          }
        },
        {
          "id": "8952c830b96674caf27a8846ff71fb842414f639",
          "time": 1768780800,
          "errors": 1,
          "warnings": 3,
          "contracts": {
            "no-print": 1,
            "no-todo": 3
          }
        }
      ]
    }

    --- stderr
    "#);
    let every = three_weeks().run(["history", "--format", "json", "--every", "day"]);
    assert_eq!(counts(&every), [(1, 0), (2, 1), (3, 3), (1, 3)]);
}

#[test]
fn colours_are_used_when_they_are_wanted() {
    let output = three_weeks().run(["history", "--color", "always"]);
    assert!(output.stdout.contains("\u{1b}[1m\u{1b}[91m##"), "{output}");
}

#[test]
fn selection_of_commits_can_be_chosen() {
    let sandbox = three_weeks();
    let count = |args: [&str; 2]| {
        let output = sandbox.run(["history", "--format", "json", "--every", "1", args[0], args[1]]);
        assert_eq!(output.code, Some(0), "{output}");
        counts(&output)
    };
    assert_eq!(count(["--commits", "2"]), [(3, 3), (1, 3)]);
    assert_eq!(count(["--commits", "99"]).len(), 4);
    assert_eq!(count(["--since", "2026-01-12"]), [(3, 3), (1, 3)]);
    assert_eq!(count(["--since", "2026-01-12T00:00:01Z"]), [(1, 3)]);
    assert_eq!(count(["--only", "no-print"]), [(1, 0), (2, 0), (3, 0), (1, 0)]);
    assert_eq!(count(["--skip", "no-print"]), [(0, 0), (0, 1), (0, 3), (0, 3)]);
    assert_eq!(count(["--pack", "secrets"]).len(), 4);
    let output = sandbox.run(["history", "--since", "2030-01-01", "--format", "json"]);
    assert_eq!((output.code, counts(&output)), (Some(0), Vec::new()));
    assert_eq!(output.stderr, "phaser: there is no commit since then: name an earlier time with --since\n");
}

#[test]
fn defaults_to_year_before_newest_commit() {
    let year = 365 * DAY;
    let sandbox = project(&[
        (MONDAY - year - 1, &[("a.py", Some("print(1)\n"))]),
        (MONDAY - year, &[("a.py", Some("print(2)\nprint(3)\n"))]),
        (MONDAY, &[("a.py", Some(""))]),
    ]);
    assert_eq!(counts(&sandbox.run(["history", "--format", "json"])), [(2, 0), (0, 0)]);
}

#[test]
fn reports_wrong_arguments() {
    let sandbox = three_weeks();
    for (args, message) in [
        (["--since", "soon"], "write a date such as 2026-01-31"),
        (["--since", ""], "write a date such as 2026-01-31"),
        (["--commits", "0"], "write a number of commits from 1"),
        (["--every", "month"], "write a number of commits from 1 on, day or week"),
        (["--every", "0"], "write a number of commits from 1 on, day or week"),
        (["--only", "no-prnt"], "no-print"),
        (["--contracts-dir", "nowhere"], "not a readable directory"),
    ] {
        let output = sandbox.run(["history", args[0], args[1]]);
        assert_eq!(output.code, Some(3), "{args:?}: {output}");
        assert!(output.stderr.contains(message), "{args:?}: {output}");
    }
    let both = sandbox.run(["history", "--since", "2026-01-01", "--commits", "3"]);
    assert_eq!(both.code, Some(3), "{both}");
}

#[test]
fn baseline_and_old_contracts_do_not_count() {
    let sandbox = three_weeks();
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(counts(&sandbox.run(["history", "--format", "json", "--commits", "1"])), [(1, 3)]);
    let sandbox = sandbox.contract(&warning(&forbid("no-print", r"\bprint\(4", "**/*.py")));
    assert_eq!(counts(&sandbox.run(["history", "--format", "json", "--commits", "1"])), [(0, 3)]);
    let sandbox = sandbox.file(".claude/phaser.yaml", "exclude: ['b.py']\n");
    assert_eq!(counts(&sandbox.run(["history", "--format", "json", "--commits", "1"])), [(0, 1)]);
}

#[test]
fn project_may_be_directory_of_repository() {
    let sandbox = Sandbox::new().git_init();
    import(
        &sandbox,
        &[
            (MONDAY, &[("web/a.py", Some("print(1)\n")), ("other/a.py", Some("print(1)\n"))]),
            (MONDAY + DAY, &[("web/a.py", None)]),
            (
                MONDAY + 2 * DAY,
                &[("web/b/c.py", Some("print(2)\nprint(3)\n")), ("web2/a.py", Some("print(1)\n"))],
            ),
            (MONDAY + 3 * DAY, &[("web/b/c.py", None), ("web/d.py", Some("print(5)\n"))]),
        ],
    );
    sandbox.git(&["checkout", "--quiet", "--force", "main"]);
    let sandbox = sandbox.file("web/.claude/contracts/a.yaml", forbid("no-print", r"\bprint\(", "**/*.py"));
    // Without a repository above it, the directory with the contracts is the project.
    let git_dir = sandbox.home().join("elsewhere.git");
    fs::rename(sandbox.path(".git"), &git_dir).expect("moved");
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("web")).env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", sandbox.root());
    let output = sandbox.run_with(command.args(["history", "--format", "json", "--every", "1"]), b"");
    assert_eq!((output.code, counts(&output)), (Some(0), vec![(1, 0), (0, 0), (2, 0), (1, 0)]), "{output}");
}

#[test]
fn repository_may_be_directory_of_project() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "part/*.py"))
        .contract(&contract("readme", "file_exists", None, "README.md"));
    fs::create_dir(sandbox.path("part")).expect("created");
    sandbox.git(&["init", "--quiet", "--initial-branch=main", "part"]);
    let part = sandbox.path("part");
    let commit = |text: &str| {
        fs::write(part.join("a.py"), text).expect("written");
        sandbox.git(&["-C", "part", "add", "--all"]);
        sandbox.git(&["-C", "part", "commit", "--quiet", "--message=x"]);
    };
    commit("print(1)\n");
    commit("print(1)\nprint(2)\n");
    let args = ["history", "--format", "json", "--every", "1"];
    let output = sandbox.run_with(sandbox.command().current_dir(&part).args(args), b"");
    assert_eq!((output.code, counts(&output)), (Some(0), vec![(1, 0), (2, 0)]), "{output}");
    assert_eq!(
        output.stderr,
        "phaser: only part is in the repository: contracts about the whole project are not checked\n"
    );
}

#[test]
fn page_has_chart_and_current_violations() {
    let sandbox = three_weeks();
    let output = sandbox.run(["history", "--output", "out.html", "--every", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("date "), "text goes to standard output: {output}");
    let page = fs::read_to_string(sandbox.path("out.html")).expect("written");
    assert!(page.contains(r#""history":[{"id":""#), "{page}");
    assert!(page.contains(r#""paths":["b.py","c.py"]"#), "{page}");
    assert_eq!(sandbox.run(["history", "--output", "out.json"]).code, Some(0));
    assert_eq!(
        sandbox.run(["enforce", "--all", "--format", "json", "--output", "report.json"]).code,
        Some(1)
    );
    let page = sandbox.run(["report", "html", "report.json", "--history", "out.json"]);
    assert!(page.code == Some(0) && page.stdout.contains(r#""history":[{"id":""#), "{page}");
}

#[test]
fn nothing_is_written() {
    let sandbox = three_weeks();
    let list = |path: &std::path::Path| {
        let mut all = Vec::new();
        let mut next = vec![path.to_owned()];
        while let Some(directory) = next.pop() {
            for entry in fs::read_dir(directory).expect("readable") {
                let entry = entry.expect("an entry");
                let metadata = entry.metadata().expect("there");
                if metadata.is_dir() {
                    next.push(entry.path());
                }
                all.push((entry.path(), metadata.len(), metadata.modified().expect("a time")));
            }
        }
        all.sort();
        all
    };
    let before = list(&sandbox.root());
    assert_eq!(sandbox.run(["history"]).code, Some(0));
    assert_eq!(sandbox.run(["contracts", "backtest", "no-print"]).code, Some(0));
    assert_eq!(list(&sandbox.root()), before);
}

#[test]
fn a_shallow_clone_says_where_it_ends() {
    let sandbox = three_weeks();
    let origin = format!("file://{}", sandbox.root().display());
    sandbox.git(&["clone", "--quiet", "--depth", "2", &origin, "../home/clone"]);
    let clone = sandbox.home().join("clone");
    fs::create_dir_all(clone.join(".claude")).expect("created");
    fs::rename(sandbox.path(".claude/contracts"), clone.join(".claude/contracts")).expect("moved");
    let run = |args: &[&str]| {
        sandbox.run_with(
            sandbox.command().current_dir(&clone).args(["history", "--format", "json"]).args(args),
            b"",
        )
    };
    let output = run(&["--every", "1"]);
    assert_eq!((output.code, counts(&output)), (Some(0), vec![(3, 3), (1, 3)]), "{output}");
    assert!(output.stderr.contains("because this clone is shallow; get the rest with"), "{output}");
    assert_eq!(run(&["--commits", "2"]).stderr, "", "all that was asked for is there");
    let args = ["contracts", "backtest", "no-print"];
    let output = sandbox.run_with(sandbox.command().current_dir(&clone).args(args), b"");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("because this clone is shallow"), "{output}");
    assert!(output.stdout.contains("of 1 commit "), "{output}");
}

/// The file of a loose object.
fn object(sandbox: &Sandbox, revision: &str) -> std::path::PathBuf {
    let id = sandbox.git(&["rev-parse", revision]);
    let (directory, rest) = id.trim().split_at(2);
    sandbox.path(&format!(".git/objects/{directory}/{rest}"))
}

#[test]
fn reports_missing_objects_and_shows_rest() {
    let unpacked = || {
        let sandbox = three_weeks();
        for pack in fs::read_dir(sandbox.path(".git/objects/pack")).expect("readable") {
            let path = pack.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "pack") {
                let bytes = fs::read(&path).expect("readable");
                let moved = sandbox.home().join("moved.pack");
                fs::write(&moved, bytes).expect("written");
                fs::remove_file(&path).expect("removed");
                fs::remove_file(path.with_extension("idx")).expect("removed");
                let unpack = "git unpack-objects -q < ~/moved.pack";
                assert!(sandbox.shell(unpack).status().expect("runs").success());
            }
        }
        sandbox
    };
    let args = ["history", "--format", "json", "--every", "1"];
    let sandbox = unpacked();
    fs::remove_file(object(&sandbox, "HEAD~2:a.py")).expect("was loose");
    let blob = sandbox.run(args);
    assert_eq!((blob.code, counts(&blob)), (Some(3), vec![(1, 0), (0, 0), (1, 2), (1, 3)]), "{blob}");
    assert!(blob.unchecked().concat().starts_with("a.py: "), "{blob}");
    let sandbox = unpacked();
    fs::remove_file(object(&sandbox, "HEAD~2^{tree}")).expect("was loose");
    let tree = sandbox.run(args);
    assert_eq!((tree.code, counts(&tree)), (Some(3), vec![(3, 3), (1, 3)]), "{tree}");
    assert!(tree.stderr.starts_with("phaser: older commits skipped: "), "{tree}");
    let sandbox = unpacked();
    fs::remove_file(object(&sandbox, "HEAD~3")).expect("was loose");
    let commit = sandbox.run(args);
    assert_eq!((commit.code, counts(&commit).len()), (Some(3), 3), "{commit}");
    assert_eq!(commit.stderr.lines().count(), 1, "{commit}");
    let sandbox = unpacked();
    fs::remove_file(object(&sandbox, "HEAD^{tree}")).expect("was loose");
    assert_eq!(sandbox.run(args).code, Some(3));
}

#[test]
fn reports_submodules_pointers_replacements_grafts() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let sandbox = project(&[
        (MONDAY, &[("a.py", Some("print(1)\n")), ("big.py", Some(pointer))]),
        (MONDAY + 7 * DAY, &[("a.py", Some(""))]),
    ]);
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},vendored", head.trim())]);
    sandbox.git(&["commit", "--quiet", "--message", "a submodule"]);
    let other = sandbox.git(&["rev-parse", "HEAD~2"]);
    sandbox.git(&["replace", head.trim(), other.trim()]);
    fs::create_dir_all(sandbox.path(".git/info")).expect("created");
    fs::write(sandbox.path(".git/info/grafts"), &head).expect("written");
    let output = sandbox.run(["history", "--format", "json", "--commits", "3", "--every", "1"]);
    assert_eq!((output.code, counts(&output)), (Some(0), vec![(1, 0), (0, 0), (0, 0)]), "{output}");
    insta::assert_snapshot!(output.stderr, @r#"
    phaser: 1 object with a replacement (`git replace`) counted as committed
    phaser: the file info/grafts is not followed: parents are as committed
    phaser: 1 submodule not searched: vendored
    phaser: 1 file is a pointer of Git LFS, of which the text is not in the repository: big.py
    "#);
    assert_eq!(sandbox.run(["history", "--quiet", "--format", "json"]).stderr, "");
}

#[test]
fn reports_missing_history() {
    let nowhere = Sandbox::new().contract(&forbid("a", "x", "**")).run(["history"]);
    assert_eq!(nowhere.code, Some(3));
    assert!(nowhere.stderr.contains("is not in a git repository"), "{nowhere}");
    let unborn = Sandbox::new().git_init().contract(&forbid("a", "x", "**")).run(["history"]);
    assert_eq!(unborn.code, Some(3));
    assert!(unborn.stderr.contains("there is no commit yet"), "{unborn}");
    let empty =
        Sandbox::new().git_init().git_commit("empty").contract(&contract("e", "file_exists", None, "x"));
    let empty = empty.run(["history", "--format", "json"]);
    assert_eq!((empty.code, counts(&empty)), (Some(0), vec![(1, 0)]));
    let without = Sandbox::new().git_init().git_commit("empty").run(["history"]);
    assert_eq!(without.code, Some(0));
    assert!(without.stderr.starts_with("phaser: no contracts"), "{without}");
}

#[test]
fn accepts_equal_and_prehistoric_times() {
    let sandbox = project(&[(0, &[("a.py", Some("print(1)\n"))])]);
    let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
    let mut parent = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for time in ["-5", "-864000", "0", "junk"] {
        let commit = format!(
            "tree {}\nparent {parent}\nauthor A <a@example.com> {time} +0000\ncommitter A <a@example.com> {time} +0000\n\nold\n",
            tree.trim()
        );
        let made = sandbox.try_git(&["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], &commit);
        assert_eq!(made.code, Some(0), "{made}");
        parent = made.stdout.trim().to_owned();
    }
    sandbox.git(&["update-ref", "refs/heads/main", &parent]);
    let output = sandbox.run(["history", "--commits", "9", "--every", "1", "--format", "json"]);
    assert_eq!((output.code, counts(&output)), (Some(0), vec![(1, 0); 5]), "{output}");
    let text = sandbox.run(["history", "--commits", "9", "--every", "1"]);
    assert!(text.stdout.contains("1969-12-22"), "{text}");
}
