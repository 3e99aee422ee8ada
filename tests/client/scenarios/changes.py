"""Contracts about changes: what may not be taken away, what is moved, and what is approved."""

from model import use
from suite import DEFAULT, scenario

TEST = "def test_f():\n    assert f(1) == 1\n    assert f(2) == 2\n"
FIRST, SECOND = "tests/test_a.py:2: assert f(1) == 1 (removed)", "tests/test_a.py:3: assert f(2) == 2 (removed)"


def write(s, path, content):
    return use("Write", file_path=s.path(path), content=content)


def edit(s, path, old, new):
    return use("Edit", file_path=s.path(path), old_string=old, new_string=new)


def project(s, **frozen):
    keys = "".join(f"{key}: {value}\n" for key, value in frozen.items())
    s.file(
        ".claude/contracts/keep-asserts.yaml",
        "rule_id: keep-asserts\ntype: keep_pattern\npattern: 'assert .+'\nfile_glob: 'tests/**'\n"
        "message: 'Keep the assertion.'\nseverity: error\n",
    )
    s.file(
        ".claude/contracts/frozen.yaml",
        "rule_id: frozen\ntype: file_unchanged\nfile_glob: 'migrations/*.sql'\n"
        f"message: 'Add a new migration.'\nseverity: error\n{keys}",
    )
    s.file("tests/test_a.py", TEST)
    s.file("migrations/1.sql", "create table a;\n")
    s.guard()
    s.commit()


@scenario("changes-removed-assertions")
def removed_assertions(s):
    project(s)
    path = "tests/test_a.py"
    session = s.run([use("Read", file_path=s.path(path))], [edit(s, path, TEST[13:], "    assert True\n")])
    s.denied(session.after(2), "keep-asserts: Keep the assertion.", FIRST, SECOND, "add it to the new place first")
    s.holds(path, TEST)


@scenario("changes-moved-assertions")
def moved_assertions(s):
    """The same assertions are first added to another file, then removed."""
    project(s)
    path = "tests/test_a.py"
    session = s.run(
        [use("Read", file_path=s.path(path))],
        [write(s, "tests/test_b.py", TEST.replace("test_f", "test_g"))],
        [edit(s, path, TEST, "import x\n")],
        ["Done."],
    )
    s.expect(not session.feedback(), "the turn ends", session.transcript())
    s.holds(path, "import x\n")


@scenario("changes-frozen-migration")
def frozen_migration(s):
    project(s)
    session = s.run(
        [use("Read", file_path=s.path("migrations/1.sql"))],
        [edit(s, "migrations/1.sql", "table a", "table b")],
        [write(s, "migrations/2.sql", "create table b;\n")],
        [write(s, "migrations/2.sql", "create table c;\n")],
    )
    s.denied(session.after(2), "frozen: Add a new migration.", "migrations/1.sql:1: create table b;")
    s.holds("migrations/1.sql", "create table a;\n")
    s.holds("migrations/2.sql", "create table c;\n")


@scenario("changes-command-that-removes")
def command_that_removes(s):
    project(s)
    session = s.run([use("Bash", command="rm migrations/1.sql && sed -i '/f(1)/d' tests/test_a.py", description="work")])
    s.receives(session.after(1), "frozen at migrations/1.sql", "keep-asserts at tests/test_a.py:2")


@scenario("changes-decision-ask")
def decision_ask(s):
    """Without a user to ask, the client refuses the edit."""
    project(s, decision="ask")
    session = s.run(
        [use("Read", file_path=s.path("migrations/1.sql"))],
        [edit(s, "migrations/1.sql", "table a", "table b")],
        mode=DEFAULT,
    )
    asked = [one for one in s.answers("PreToolUse") if "ask" in str(one.answer)]
    s.expect(asked, "phaser asks", session.transcript())
    s.holds("migrations/1.sql", "create table a;\n")


@scenario("changes-missing-companion")
def missing_companion(s):
    s.file(
        ".claude/contracts/has-test.yaml",
        "rule_id: has-test\ntype: companion_exists\ncompanion: 'tests/test_{stem}.py'\nfile_glob: 'src/*.py'\n"
        "message: 'Add a test.'\nseverity: error\n",
    )
    s.guard()
    s.commit()
    session = s.run([write(s, "src/a.py", "x = 1\n")], ["Done."], ["I leave it."])
    feedback = session.feedback()
    s.expect(len(feedback) == 1, "the turn is sent back once", session.transcript())
    s.expect("has-test at src/a.py" in feedback[0] and "tests/test_a.py is missing" in feedback[0], "for it", feedback[0])
    again = s.run([write(s, "src/a.py", "x = 2\n")], [write(s, "tests/test_a.py", "y = 1\n")], ["Done."])
    s.expect(not again.feedback(), "the turn ends once it is there", again.transcript())


@scenario("changes-approved")
def approved(s):
    """An approval lets exactly that change through."""
    project(s)
    path, less = "tests/test_a.py", TEST.replace("    assert f(1) == 1\n", "")
    s.file(path, less)
    done = s.phaser("baseline", "--add", "--only", "keep-asserts", path)
    s.expect(done.returncode == 0, "the change is approved", done.stdout + done.stderr)
    s.file(path, TEST)
    session = s.run(
        [use("Read", file_path=s.path(path))],
        [edit(s, path, TEST, "pass\n")],
        [edit(s, path, "    assert f(1) == 1\n", "")],
    )
    s.denied(session.after(2), SECOND)
    s.holds(path, less)
