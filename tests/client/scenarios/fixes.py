"""'fixes: apply': an edit is rewritten without the violations that have a fix, and the model is informed."""

from model import use
from suite import DEFAULT, scenario

MESSAGE = "Use is for None."


def prepared(s, **keys):
    s.contract("none-is", r"== None\b", MESSAGE, fix="is None")
    s.config(fixes="apply", existing="report", **keys)
    s.file("src/app.py", "def main(x):\n    return x\n")
    s.guard()
    s.commit()


@scenario("fix-write")
def fix_write(s):
    prepared(s)
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="if x == None:\n    pass\n")])
    s.passed(session.after(1))
    s.holds("src/new.py", "if x is None:\n    pass\n")
    s.receives(session.after(1), "src/new.py:1", "none-is", "is None")
    s.expect(not session.feedback(), "the turn ends at once")


@scenario("fix-edit-then-edit-again")
def fix_edit_then_edit_again(s):
    """The file is written fixed, and the next edit of that line works with what the model received."""
    prepared(s)
    path = s.path("src/app.py")
    session = s.run(
        [use("Edit", file_path=path, old_string="return x", new_string="return x == None")],
        [use("Edit", file_path=path, old_string="return x is None", new_string="return x is None or x")],
    )
    s.receives(session.after(1), "src/app.py:2", "none-is")
    s.passed(session.after(2))
    s.holds("src/app.py", "def main(x):\n    return x is None or x\n")


@scenario("fix-keeps-permission-prompt")
def fix_keeps_permission_prompt(s):
    """A fixed edit goes through the client's own permission flow: headless in default mode it is refused."""
    prepared(s)
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x == None\n")], mode=DEFAULT)
    s.refused(session.after(1))
    s.holds("src/new.py", None)
