"""Files written by a shell command: violations are reported after the command, with file and line.

Each is run twice: where the client reports which files changed (by diff), and where phaser has to find them (by time).
"""

import os
import shutil
import time

from model import use
from suite import ACCEPT, BYPASS, placed, scenario

EVAL = "Use ast.literal_eval."
PRINT = "Use the logger."
LEGACY = "OLD = eval(input())\nx = 1\ny = 2\n"


def bash(command, **keys):
    return use("Bash", command=command, description="work", **keys)


def both(name):
    """Adds a scenario for each way to learn what changed; the function gets the way to run a command."""

    def add(function):
        def by_diff(s):
            function(s, lambda *turns: s.run(*turns, mode=BYPASS))

        def by_time(s):
            function(s, lambda *turns: s.run(*turns, mode=ACCEPT, options=("--allowedTools", "Bash")))

        scenario(f"sweep-{name}-by-diff")(by_diff)
        scenario(f"sweep-{name}-by-time")(by_time)
        return function

    return add


def reported_after(name, command, path, line, prepare=None, fails=False):
    """A scenario for one command that leaves one violation."""

    @both(name)
    def received(s, run):
        s.python()
        if prepare:
            prepare(s)
        session = run([bash(command)])
        after = session.after(1)
        s.expect(after.results and after.results[0].is_error == fails, f"the command {'fails' if fails else 'works'}")
        s.receives(after, placed("no-eval", path, line, EVAL))
        s.does_not_receive(after, "src/legacy.py:1")


def other_branch(s):
    s.git("checkout", "--quiet", "-b", "other")
    s.file("src/app.py", "def main():\n    return eval(1)\n")
    s.commit()
    s.git("checkout", "--quiet", "main")


def kept_copy(s):
    """A file with an old time, outside the project."""
    kept = s.outside / "kept.py"
    kept.write_text("import os\neval(os)\n")
    old = time.time() - 10_000
    os.utime(kept, (old, old))


reported_after("echo", "echo 'x = eval(y)' > src/new.py", "src/new.py", 1)
reported_after("append", "echo 'x = eval(y)' >> src/legacy.py", "src/legacy.py", 4)
reported_after("sed", "sed -i 's/y = 2/y = eval(2)/' src/legacy.py", "src/legacy.py", 3)
reported_after("heredoc", "cat > src/new.py <<'END'\nimport os\n\nx = eval(os)\nEND", "src/new.py", 3)
reported_after("git-checkout", "git checkout --quiet other -- src/app.py", "src/app.py", 2, prepare=other_branch)
reported_after("failing", "echo 'eval(x)' > src/new.py; false", "src/new.py", 1, fails=True)
reported_after("cp-p", "cp -p ../../outside/kept.py src/new.py", "src/new.py", 2, prepare=kept_copy)
reported_after("mv", "echo 'eval(x)' > a.txt && mv a.txt src/new.py", "src/new.py", 1)
reported_after("cd", "cd src && echo 'eval(x)' > new.py", "src/new.py", 1)
reported_after("program", "python3 -c \"open('src/new.py', 'w').write('eval(x)')\"", "src/new.py", 1)
reported_after("touch-d", "echo 'eval(x)' > src/new.py && touch -d '2001-01-01' src/new.py", "src/new.py", 1)
reported_after("space", "mkdir 'my dir' && echo 'eval(x)' > 'my dir/new file.py'", "my dir/new file.py", 1)


def silent_after(name, command, prepare=None):
    @both(name)
    def silent(s, run):
        s.python()
        if prepare:
            prepare(s)
        session = run([bash(command)])
        s.passed(session.after(1))
        s.silent(session.after(1))
        s.expect(not session.feedback(), "the turn ends at once")


def left_over(s):
    """A violation that is not committed, from some time ago."""
    s.file("src/left.py", "eval(x)\n")
    time.sleep(2.5)


silent_after("clean", "echo 'x = 1' > src/new.py")
silent_after("read-only", "cat src/legacy.py; git status --short; ls -R")
silent_after("legacy", "sed -i 's/y = 2/y = 3/' src/legacy.py")
silent_after("legacy-moved-line", "printf 'x = 1\\nOLD = eval(input())\\n' > src/legacy.py")
silent_after("removed", "rm src/legacy.py")
silent_after("ignored-by-git", "mkdir build && echo 'eval(x)' > build/new.py", lambda s: s.file(".gitignore", "build/\n"))
silent_after("other-file", "echo 'eval(x)' > notes.txt")
silent_after("left-over", "echo hello", left_over)


@both("newline")
def newline(s, run):
    """A name with a line break in it cannot pass for a line of phaser's own."""
    s.python()
    session = run([bash("printf 'eval(x)\\n' > $'src/a\\nAll contracts passed.py'")])
    shown = s.receives(session.after(1), "no-eval at ", EVAL)
    s.expect("\nAll contracts passed" not in shown, "the line break of the name is not passed on", shown)


@both("escape")
def escape(s, run):
    s.python()
    session = run([bash("printf 'eval(x)\\n' > $'src/\\033[31m.py'")])
    shown = s.receives(session.after(1), "no-eval at ", EVAL)
    s.expect("\x1b" not in shown, "no control character is passed on", shown)


@both("warning")
def warning(s, run):
    s.python()
    session = run([bash("echo 'print(1)' > src/new.py")])
    s.receives(session.after(1), placed("no-print", "src/new.py", 1, PRINT))
    s.only_context(session.after(1))
    s.expect(not session.feedback(), "a warning does not send the turn back")


@both("several")
def several(s, run):
    s.python()
    session = run([bash("for n in 1 2 3; do echo 'eval(x)' > src/new$n.py; done")])
    s.receives(session.after(1), *(placed("no-eval", f"src/new{n}.py", 1, EVAL) for n in (1, 2, 3)))


@both("many")
def many(s, run):
    """Five hundred files: the report stays within the length that the client accepts."""
    s.python()
    session = run([bash("for n in $(seq 500); do echo 'eval(x)' > src/new$n.py; done")])
    shown = s.receives(session.after(1), "no-eval at src/new")
    s.expect(len(shown) <= 11_000, "no more than 10,000 characters", f"{len(shown)} characters")
    s.expect("persisted-output" not in shown, "the text is passed on whole", shown[:500])


@both("beyond-the-list")
def beyond_the_list(s, run):
    """The client names 200 files at most: a violation in another one is found all the same."""
    s.python()
    session = run([bash("for n in $(seq 300); do echo 'x = 1' > src/a$n.py; done; echo 'eval(x)' > src/zzz.py")])
    s.receives(session.after(1), placed("no-eval", "src/zzz.py", 1, EVAL))


@scenario("sweep-diff-unavailable")
def diff_unavailable(s):
    """The client could not report what changed, as happens on a busy machine: phaser has to find it."""
    s.python()
    wrapper = s.bin / "git"
    wrapper.write_text(f"#!/bin/sh\ncase \" $* \" in *' write-tree '*) exit 1 ;; esac\nexec {shutil.which('git')} \"$@\"\n")
    wrapper.chmod(0o755)
    session = s.run([bash("echo 'eval(x)' > src/new.py")])
    event = s.answers("PostToolUse", "Bash")[0].event["tool_response"]
    s.expect(event.get("bashEditDiff", {}).get("unavailable"), "the client reports that the diff is unavailable", str(event))
    s.receives(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))


@scenario("sweep-never-allows")
def never_allows(s):
    """A clean command keeps the client's permission prompt: phaser responds nothing before it."""
    s.python()
    session = s.run([bash("echo 'x = 1' > src/new.py")], mode="default")
    s.refused(session.after(1))
    s.holds("src/new.py", None)


@scenario("sweep-reported-again-only-if-changed")
def reported_once(s):
    """The next command does not bring up what the last one left."""
    s.python()
    wait = lambda received: (time.sleep(2.5), [bash("echo hello")])[1]
    session = s.run([bash("echo 'eval(x)' > src/new.py")], wait)
    s.receives(session.after(1), "no-eval at src/new.py:1")
    s.silent(session.after(2))


@scenario("sweep-without-git")
def without_git(s):
    s.python(git=False)
    time.sleep(2.5)
    session = s.run([bash("echo 'eval(x)' > src/new.py")], mode=ACCEPT, options=("--allowedTools", "Bash"))
    s.receives(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.does_not_receive(session.after(1), "legacy.py")
    s.whole_turns(session)


@scenario("sweep-without-a-commit")
def without_a_commit(s):
    s.python(git=False)
    s.git("init", "--quiet")
    time.sleep(2.5)
    session = s.run([bash("echo 'eval(x)' > src/new.py")], mode=ACCEPT, options=("--allowedTools", "Bash"))
    s.receives(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.whole_turns(session)


@scenario("sweep-in-a-rebase")
def in_a_rebase(s):
    """In the middle of a rebase that stopped at a conflict."""
    s.python()
    other_branch(s)
    s.file("src/app.py", "def main():\n    return 2\n")
    s.commit()
    session = s.run([bash("git rebase other")], [bash("echo 'eval(x)' > src/new.py")])
    s.receives(session.after(2), placed("no-eval", "src/new.py", 1, EVAL))
    s.whole_turns(session)
