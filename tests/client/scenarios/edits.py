"""Write, Edit, NotebookEdit and the tools of MCP servers: denied, reported, and ignored calls."""

import json
import sys

from model import use
from suite import ACCEPT, BYPASS, DEFAULT, HERE, placed, scenario

EVAL = "Use ast.literal_eval."
PRINT = "Use the logger."


@scenario("write-denied")
def write_denied(s):
    s.python()
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="import os\n\nx = eval(y)\n")])
    s.denied(session.after(1), placed("no-eval", "src/new.py", 3, EVAL))
    s.holds("src/new.py", None)
    s.whole_turns(session)


@scenario("edit-denied")
def edit_denied(s):
    s.python()
    session = s.run([use("Edit", file_path=s.path("src/app.py"), old_string="return 1", new_string="return eval(x)")])
    s.denied(session.after(1), placed("no-eval", "src/app.py", 2, EVAL))
    s.holds("src/app.py", "def main():\n    return 1\n")


@scenario("write-denied-in-every-mode")
def write_denied_in_every_mode(s):
    s.python()
    for mode in (DEFAULT, ACCEPT, BYPASS):
        session = s.run([use("Write", file_path=s.path("src/new.py"), content="x = eval(y)\n")], mode=mode)
        s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.holds("src/new.py", None)


@scenario("write-clean")
def write_clean(s):
    s.python()
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x = 1\n")], mode=DEFAULT)
    s.passed(session.after(1))
    s.silent(session.after(1))
    s.holds("src/new.py", "x = 1\n")
    s.expect(not session.feedback(), "the turn ends at once")


@scenario("write-clean-deferred")
def write_clean_deferred(s):
    """With '--on-clean defer' the client's own question stays."""
    s.contract("no-eval", r"\beval\(", EVAL)
    s.guard("--on-clean", "defer")
    s.commit()
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x = 1\n")], mode=DEFAULT)
    s.refused(session.after(1))
    s.holds("src/new.py", None)
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x = 1\n")], mode=ACCEPT)
    s.passed(session.after(1))
    s.silent(session.after(1))


@scenario("legacy-edited-freely")
def legacy_edited_freely(s):
    s.python()
    session = s.run([use("Edit", file_path=s.path("src/legacy.py"), old_string="y = 2", new_string="y = 3")])
    s.passed(session.after(1))
    s.silent(session.after(1))
    s.holds("src/legacy.py", "OLD = eval(input())\nx = 1\ny = 3\n")
    s.expect(not session.feedback(), "the turn ends at once")


def touched(s):
    s.python()
    old, new = "OLD = eval(input())\nx = 1", "x = 2\n    OLD = eval(input())"
    return s.run([use("Edit", file_path=s.path("src/legacy.py"), old_string=old, new_string=new)])


@scenario("legacy-line-reported-once")
def legacy_line_reported_once(s):
    """Before the edit or after it, but not both."""
    shown = s.receives(touched(s).after(1), "no-eval at ")
    s.expect(shown.count("no-eval at ") == 1, "the violation is reported once", shown)


@scenario("legacy-line-touched")
def legacy_line_touched(s):
    """An edit that touches the line of an old violation is made, and the violation is reported."""
    session = touched(s)
    s.passed(session.after(1))
    s.only_context(session.after(1))
    s.receives(session.after(1), placed("no-eval", "src/legacy.py", 2, EVAL))
    s.expect(not session.feedback(), "the turn ends at once")


@scenario("legacy-new-violation-denied")
def legacy_new_violation_denied(s):
    s.python()
    session = s.run([use("Edit", file_path=s.path("src/legacy.py"), old_string="y = 2", new_string="y = eval(z)")])
    s.denied(session.after(1), placed("no-eval", "src/legacy.py", 3, EVAL))
    s.does_not_receive(session.after(1), "src/legacy.py:1")
    s.holds("src/legacy.py", "OLD = eval(input())\nx = 1\ny = 2\n")


@scenario("legacy-trapped-without-the-policy")
def legacy_trapped(s):
    """With 'existing: deny' the old violation denies the edit."""
    s.python(existing="deny")
    session = s.run([use("Edit", file_path=s.path("src/legacy.py"), old_string="y = 2", new_string="y = 3")])
    s.denied(session.after(1), placed("no-eval", "src/legacy.py", 1, EVAL))


@scenario("two-calls-in-one-message")
def two_calls(s):
    s.python()
    session = s.run(
        [
            use("Write", file_path=s.path("src/bad.py"), content="eval(x)\n"),
            use("Write", file_path=s.path("src/good.py"), content="x = 1\n"),
        ]
    )
    s.denied(session.after(1), placed("no-eval", "src/bad.py", 1, EVAL))
    s.holds("src/bad.py", None)
    s.holds("src/good.py", "x = 1\n")


@scenario("warning-reported-once")
def warning_reported_once(s):
    """A warning is context after the edit that brings it in, and nothing after the next one."""
    s.python()
    path = s.path("src/new.py")
    session = s.run(
        [use("Write", file_path=path, content="x = 1\nprint(x)\n")],
        [use("Edit", file_path=path, old_string="x = 1", new_string="x = 2")],
    )
    s.passed(session.after(1))
    s.receives(session.after(1), placed("no-print", "src/new.py", 2, PRINT))
    s.only_context(session.after(1))
    s.passed(session.after(2))
    s.silent(session.after(2))
    s.holds("src/new.py", "x = 2\nprint(x)\n")
    s.expect(not session.feedback(), "a warning does not send the turn back")


@scenario("warning-has-no-empty-phrase")
def warning_has_no_empty_phrase(s):
    s.python()
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="print(1)\n")])
    s.receives(session.after(1), "no-print at src/new.py:1")
    s.does_not_receive(session.after(1), "detected after file write")


NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1\n"], "outputs": [], "execution_count": None}
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def notebook(s, source):
    s.python()
    s.contract("no-eval-in-notebooks", r"\beval\(", EVAL, glob="**/*.ipynb")
    path = s.file("work.ipynb", json.dumps(NOTEBOOK, indent=1) + "\n")
    s.commit()
    return s.run(
        [use("Read", file_path=path)],
        [use("NotebookEdit", notebook_path=path, cell_id="c1", new_source=source)],
    )


@scenario("notebook-denied")
def notebook_denied(s):
    session = notebook(s, "x = 1\ny = eval(x)")
    s.denied(session.after(2), placed("no-eval-in-notebooks", "work.ipynb", 2, EVAL))
    s.expect("eval" not in s.text("work.ipynb"), "the notebook stays as it is")


@scenario("notebook-clean")
def notebook_clean(s):
    session = notebook(s, "x = 2")
    s.passed(session.after(2))
    s.silent(session.after(2))
    s.expect("x = 2" in s.text("work.ipynb"), "the cell is written")


def with_server(s):
    server = {"mcpServers": {"files": {"command": sys.executable, "args": [str(HERE / "mcp_server.py")]}}}
    s.python()
    (s.place / "mcp.json").write_text(json.dumps(server))
    return ("--mcp-config", str(s.place / "mcp.json"))


@scenario("mcp-denied")
def mcp_denied(s):
    options = with_server(s)
    session = s.run(
        [use("mcp__files__write_file", path=s.path("src/new.py"), content="eval(x)\n")],
        [use("mcp__files__put", file_path=s.path("src/other.py"), text="eval(x)\n")],
        options=options,
    )
    s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.denied(session.after(2), placed("no-eval", "src/other.py", 1, EVAL))
    s.holds("src/new.py", None)
    s.holds("src/other.py", None)


@scenario("mcp-clean")
def mcp_clean(s):
    options = with_server(s)
    session = s.run([use("mcp__files__write_file", path=s.path("src/new.py"), content="x = 1\n")], options=options)
    s.passed(session.after(1))
    s.silent(session.after(1))
    s.holds("src/new.py", "x = 1\n")


@scenario("mcp-other-tool-untouched")
def mcp_other_tool(s):
    """A tool that writes no file is not checked, whatever its input."""
    options = with_server(s)
    session = s.run([use("mcp__files__say", content="eval(x)")], options=options)
    s.passed(session.after(1))
    s.silent(session.after(1))


@scenario("outside-never-allowed")
def outside_never_allowed(s):
    """A file outside the project is never allowed past the client's question."""
    s.python()
    outside = str(s.outside / "new.py")
    session = s.run(
        [use("Write", file_path=outside, content="x = 1\n")],
        [use("Write", file_path=s.path("src/new.py"), content="x = 1\n")],
        mode=DEFAULT,
    )
    s.refused(session.after(1))
    s.expect(not (s.outside / "new.py").exists(), "the file outside is not written")
    s.passed(session.after(2))
    s.holds("src/new.py", "x = 1\n")


@scenario("outside-left-alone")
def outside_sibling(s):
    """A file of the home, next to the project: in no project, so no decision, and nothing blocks it either."""
    s.python()
    session = s.run([use("Write", file_path=str(s.home / "notes.txt"), content="eval(x)\n")], mode=BYPASS)
    s.passed(session.after(1))
    s.silent(session.after(1))


@scenario("nested-contracts")
def nested_contracts(s):
    s.contract("no-todo", "TODO", "Open an issue.", glob="src/**", at="packages/web/.claude/contracts")
    s.python()
    session = s.run(
        [use("Write", file_path=s.path("packages/web/src/a.ts"), content="// TODO\n")],
        [use("Write", file_path=s.path("src/a.ts"), content="// TODO\n")],
    )
    s.denied(session.after(1), "no-todo: Open an issue.", "src/a.ts:1: ")
    s.passed(session.after(2))
