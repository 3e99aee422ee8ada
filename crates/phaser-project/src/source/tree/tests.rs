//! Walks, compared with `git ls-files`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::source::Content;
use crate::testing::TestRepo;

/// A repository with these files, which git does not track.
fn repo(files: &[&str]) -> TestRepo {
    let repo = TestRepo::new();
    for path in files {
        repo.write(path, "x");
    }
    repo
}

impl TestRepo {
    /// The tracked and untracked files that git does not ignore.
    fn listed_by_git(&self) -> Vec<String> {
        let listed = self.git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let on_disk = |path: &&str| self.top.join(path).symlink_metadata().is_ok_and(|file| !file.is_dir());
        let mut paths: Vec<_> = listed.split_terminator('\0').filter(on_disk).map(str::to_owned).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    fn walked(&self, threads: usize) -> Vec<String> {
        let targets = tree(&Root::new(&self.top), &self.location(), threads);
        assert_eq!(targets.skipped, []);
        targets.targets.iter().map(|target| target.path.to_string()).collect()
    }

    #[track_caller]
    fn agrees_with_git(&self, expected: &[&str]) {
        assert_eq!(self.listed_by_git(), expected, "git itself");
        for threads in [1, 4] {
            assert_eq!(self.walked(threads), expected, "on {threads} threads");
        }
    }
}

#[test]
fn never_excludes_tracked_file() {
    let repo = repo(&["a.log", "b.log", "build/gen.py", "build/deep/x", "build/other", "gone/y", "src/a"]);
    symlink("nowhere", repo.top.join("build/link")).expect("linked");
    repo.git(&["add", "--force", "a.log", "build/gen.py", "build/deep/x", "build/link", "gone/y"]);
    repo.write(".gitignore", "*.log\nbuild/\ngone\n");
    fs::remove_file(repo.top.join("gone/y")).expect("removed");
    repo.agrees_with_git(&[".gitignore", "a.log", "build/deep/x", "build/gen.py", "build/link", "src/a"]);
    let walked = tree(&Root::new(&repo.top), &repo.location(), 1).targets;
    let link = walked.iter().find(|target| target.path == "build/link".into()).expect("found");
    assert_eq!(link.content, Content::Opaque(SkipReason::Link));
    let made = walked.iter().find(|target| target.path == "build/gen.py".into()).expect("found");
    assert_eq!(made.content, Content::File(repo.top.join("build/gen.py")));
}

#[test]
fn tracked_file_behind_link_is_gone() {
    let repo = repo(&["build/deep/x", "elsewhere/x"]);
    repo.git(&["add", "--force", "build/deep/x"]);
    repo.write(".gitignore", "build\n");
    fs::remove_dir_all(repo.top.join("build/deep")).expect("removed");
    symlink("../elsewhere", repo.top.join("build/deep")).expect("linked");
    assert_eq!(repo.walked(1), [".gitignore", "elsewhere/x"]);
}

#[test]
fn walks_submodule_that_rule_matches() {
    let other = repo(&["x", "y.log"]);
    other.git(&["add", "x"]);
    other.git(&["commit", "--quiet", "--message", "x"]);
    let repo = repo(&["deps/other", "a.log"]);
    for path in ["deps/sub", "sub"] {
        repo.git(&["submodule", "--quiet", "add", other.top.to_str().expect("UTF-8"), path]);
    }
    repo.write(".gitignore", "deps\n*.log\nsub\n");
    repo.write("deps/sub/new", "n");
    repo.write("deps/sub/z.log", "not ignored by the submodule");
    let expected = [".gitignore", ".gitmodules", "deps/sub/new", "deps/sub/x", "deps/sub/z.log", "sub/x"];
    assert_eq!(repo.walked(1), expected);
}

#[test]
fn nested_repository_has_own_rules_and_index() {
    let repo = repo(&["a.log", "in/a.log", "in/b.tmp", "in/c.tmp", "in/d"]);
    repo.write(".gitignore", "*.log\n");
    repo.git(&["init", "--quiet", "in"]);
    repo.write("in/.git/info/exclude", "*.tmp\n");
    repo.git(&["-C", "in", "add", "--force", "b.tmp"]);
    assert_eq!(repo.walked(1), [".gitignore", "in/a.log", "in/b.tmp", "in/d"]);
    fs::remove_dir_all(repo.top.join("in/.git")).expect("removed");
    fs::create_dir(repo.top.join("in/.git")).expect("created");
    assert_eq!(
        repo.walked(1),
        [".gitignore", "in/b.tmp", "in/c.tmp", "in/d"],
        "an empty .git is no repository"
    );
}

#[test]
fn linked_worktree_has_own_index() {
    let repo = repo(&["a.log"]);
    repo.write(".git/info/exclude", "*.log\n");
    repo.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
    repo.git(&["add", "--force", "a.log"]);
    let linked = repo.top.with_file_name("linked");
    repo.git(&["worktree", "add", "--quiet", "../linked"]);
    fs::write(linked.join("a.log"), "x").expect("written");
    fs::write(linked.join("b"), "x").expect("written");
    let walked = tree(&Root::new(&linked), &repo.location(), 1).targets;
    assert_eq!(walked.iter().map(|target| target.path.to_string()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(repo.walked(1), ["a.log"]);
}

#[test]
fn project_below_top_keeps_rules_above() {
    let repo =
        repo(&["part/a.log", "part/b.log", "part/deep/c.log", "part/d", "part/tmp/e", "part/deep/tmp/f"]);
    repo.git(&["add", "--force", "part/b.log"]);
    repo.write(".gitignore", "*.log\n/part/tmp\n");
    repo.write("part/.gitignore", "!c.log\n");
    let walked = |directory: &str| {
        let targets = tree(&Root::new(repo.top.join(directory)), &repo.location(), 1).targets;
        targets.iter().map(|target| target.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(walked("part"), [".gitignore", "b.log", "d", "deep/c.log", "deep/tmp/f"]);
    assert_eq!(walked("part/deep"), ["c.log", "tmp/f"]);
    symlink("part", repo.top.join("link")).expect("linked");
    assert_eq!(
        walked("link"),
        [".gitignore", "b.log", "d", "deep/c.log", "deep/tmp/f"],
        "where it really is"
    );
}

#[test]
fn unreadable_index_is_gap_if_needed() {
    let repo = repo(&["a.log", "b", "deep/er/c.log", "deep/d.log"]);
    fs::write(repo.top.join(".git/index"), "broken").expect("written");
    let walk = |root: &Path| tree(&Root::new(root), &repo.location(), 1);
    assert_eq!(walk(&repo.top).skipped, []);
    repo.write(".gitignore", "*.log\n");
    let above = repo.top.parent().expect("a parent");
    for (root, expected) in [(repo.top.as_path(), "."), (above, "top"), (&repo.top.join("deep"), ".")] {
        let found = walk(root);
        let [Skipped { path, why: SkipReason::Unreadable(_) }] = found.skipped.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(path.to_string(), expected);
    }
    let found = walk(&repo.top);
    assert_eq!(found.targets.len(), 2);
    let SkipReason::Unreadable(why) = &found.skipped[0].why else { panic!("{found:?}") };
    assert!(why.starts_with("cannot tell which ignored files are tracked: "), "{why}");
}

#[test]
fn unopenable_repository_keeps_its_rules() {
    let repo = repo(&["a.log", "b"]);
    repo.write(".git/config", "[core\n");
    repo.write(".gitignore", "*.log\n");
    let found = tree(&Root::new(&repo.top), &repo.location(), 1);
    assert_eq!(found.targets.len(), 2);
    assert!(
        matches!(found.skipped.as_slice(), [Skipped { why: SkipReason::Unreadable(_), .. }]),
        "{found:?}"
    );
}

#[test]
fn the_corners_of_gits_rules() {
    let names =
        ["a", "a.py", "a.log", "a\t", "b", "x{py,log}", "a.{py,log}", "1", "A.LOG", "d/a", "d/1", "d/e/f"];
    let repo = repo(&names);
    for rules in [
        "*.{py,log}\n",
        "a\t\n",
        "a  \n",
        "a\\ \n",
        "*\n!*/\n!\n",
        "*\n!*/\n!a*\n",
        "[[:alpha:]]\n",
        "*\n![[:alpha:]]\n!*/\n",
        "\u{feff}a\n",
        "a\r\nb\r\n",
        "\\!a\n\\#b\n",
        "/d/**\n!/d/e\n",
        "d/*\n!d/a\n",
        "**/e/\n",
        "d/**/f\n",
        "?\n",
        "[!a]\n",
        "/*\n!/d\n",
        "   \n\t\n#\n",
        "*.LOG\n",
        "\\\n",
        "[a\n",
        "a/\n",
        "**\n",
        "/d**\n!d\n",
        "/d**/f\n",
        "d**//\n",
    ] {
        repo.write(".gitignore", rules);
        assert_eq!(repo.walked(1), repo.listed_by_git(), "{rules:?}");
    }
}

#[test]
fn finds_excludes_file_where_git_does() {
    let repo = repo(&["a.one", "a.two", "a.three", "a.four", "b"]);
    let home = repo.home.path();
    fs::create_dir_all(home.join("config/git")).expect("created");
    fs::write(home.join("config/git/ignore"), "*.one\n").expect("written");
    repo.agrees_with_git(&["a.four", "a.three", "a.two", "b"]);
    repo.write("two", "*.two\n");
    repo.git(&["config", "core.excludesFile", "two"]);
    repo.agrees_with_git(&["a.four", "a.one", "a.three", "b", "two"]);
    repo.write("included", "[core]\n\texcludesFile = \"../three\" ; a comment\n");
    let config = fs::read_to_string(repo.top.join(".git/config")).expect("readable");
    fs::write(repo.top.join(".git/config"), format!("{config}[include]\n\tpath = ../included\n"))
        .expect("written");
    fs::write(home.join("three"), "*.three\nincluded\n").expect("written");
    repo.agrees_with_git(&["a.four", "a.one", "a.two", "b", "two"]);
}

#[test]
fn folds_case_if_configured() {
    let repo = repo(&["A.log", "b.LOG", "Build/x", "c"]);
    repo.write(".gitignore", "*.Log\nbuild/\n");
    repo.agrees_with_git(&[".gitignore", "A.log", "Build/x", "b.LOG", "c"]);
    repo.git(&["config", "core.ignoreCase", "true"]);
    repo.agrees_with_git(&[".gitignore", "c"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn walk_excludes_what_git_excludes(
        top in rules(), inner in rules(), deep in rules(), exclude in rules(), tracked in any::<[bool; 12]>(),
    ) {
        let names = [
            "a", "b", "a.log", "d/a", "d/b.log", "d/e/a", "d/e/b", "d/e/c.log", "a b", "d/{a,b}", "f/d/e/a", "f/#a",
        ];
        let repo = repo(&names);
        for (name, tracked) in names.iter().zip(tracked) {
            // Few are tracked, so that the others matter.
            if tracked && name.len() % 2 == 0 {
                repo.git(&["add", "--force", "--", name]);
            }
        }
        repo.write(".gitignore", &top);
        repo.write("d/.gitignore", &inner);
        repo.write("d/e/.gitignore", &deep);
        repo.write(".git/info/exclude", &exclude);
        let expected = repo.listed_by_git();
        prop_assert_eq!(repo.walked(1), &expected[..]);
        prop_assert_eq!(repo.walked(4), expected);
    }
}

/// The lines of a `.gitignore`.
fn rules() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&[
        "a",
        "b",
        "d",
        "e",
        "f",
        "*",
        "**",
        "?",
        "/",
        "/",
        ".log",
        "[ab]",
        "[!a]",
        "[[:alpha:]]",
        "{a,b}",
        "\\a",
        " ",
        "#",
    ]);
    let line = (
        prop::sample::select(&["", "", "!", "/"]),
        prop::collection::vec(word, 1..5),
        prop::sample::select(&["", "/"]),
    );
    let line = line.prop_map(|(before, words, after)| format!("{before}{}{after}\n", words.concat()));
    prop::collection::vec(line, 0..4).prop_map(|lines| lines.concat())
}
