"""'fixes: apply': an edit whose violations can be mended is handed on mended, and the model is told."""

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
    s.is_told(session.after(1), "src/new.py:1", "none-is", "is None")
    s.expect(not session.feedback(), "the turn ends at once")


@scenario("fix-edit-and-the-next")
def fix_edit_and_the_next(s):
    """The file lands mended, and the next edit of that place works with what the model was told."""
    prepared(s)
    path = s.path("src/app.py")
    session = s.run(
        [use("Edit", file_path=path, old_string="return x", new_string="return x == None")],
        [use("Edit", file_path=path, old_string="return x is None", new_string="return x is None or x")],
    )
    s.is_told(session.after(1), "src/app.py:2", "none-is")
    s.passed(session.after(2))
    s.holds("src/app.py", "def main(x):\n    return x is None or x\n")


@scenario("fix-keeps-the-question")
def fix_keeps_the_question(s):
    """A mended edit goes through the client's own permission flow: headless in default mode it is refused."""
    prepared(s)
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x == None\n")], mode=DEFAULT)
    s.refused(session.after(1))
    s.holds("src/new.py", None)
