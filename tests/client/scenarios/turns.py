"""The end of a turn: sent back once for what it wrote and left, never twice, and never for older things."""

import time

from model import use
from suite import placed, scenario

EVAL = "Use ast.literal_eval."
BAD = "echo 'x = eval(y)' > src/new.py"


def bash(command, **keys):
    return use("Bash", command=command, description="work", **keys)


def after(seconds, *blocks):
    """A turn that the model takes its time for."""
    return lambda received: (time.sleep(seconds), list(blocks))[1]


def sent_back(s, session, times, *words):
    texts = session.feedback()
    s.expect(len(texts) == times, f"the turn is sent back {times} times", session.transcript())
    for word in words:
        s.expect(all(word in text for text in texts), f"the reason has '{word}' in it", "\n".join(texts))


@scenario("stop-once")
def stop_once(s):
    s.python()
    session = s.run([bash(BAD)], ["Done."], ["I leave it."])
    sent_back(s, session, 1, placed("no-eval", "src/new.py", 1, EVAL))
    s.expect(len(session.feedback()[0]) <= 2_100, "a reason of at most 2,000 characters", session.feedback()[0])
    s.whole_turns(session)
    again = s.run(["Hello."], prompt="And now something else.", options=("--continue",))
    sent_back(s, again, 0)
    s.expect(len(again.received) == 1, "the next prompt runs at once")


@scenario("stop-fixed")
def stop_fixed(s):
    s.python()
    session = s.run([bash(BAD)], ["Done."], [bash("echo 'x = 1' > src/new.py")], ["Fixed."])
    sent_back(s, session, 1)
    s.expect(len(session.received) == 4, "the model is asked four times", session.transcript())
    s.silent(session.after(3))
    s.holds("src/new.py", "x = 1\n")


@scenario("stop-clean")
def stop_clean(s):
    s.python()
    session = s.run([bash("echo 'x = 1' > src/new.py")], ["Done."])
    sent_back(s, session, 0)
    s.expect(len(session.received) == 2, "the model is asked twice", session.transcript())


@scenario("stop-nothing-done")
def stop_nothing_done(s):
    s.python()
    session = s.run(["Hello."])
    sent_back(s, session, 0)
    s.expect(len(session.received) == 1, "the model is asked once", session.transcript())


@scenario("stop-warning")
def stop_warning(s):
    s.python()
    sent_back(s, s.run([bash("echo 'print(1)' > src/new.py")], ["Done."]), 0)


@scenario("stop-older-than-the-turn")
def stop_older(s):
    """Uncommitted and violating, but from before the prompt: not this turn's doing."""
    s.python()
    s.file("src/left.py", "eval(x)\n")
    s.file("src/app.py", "eval(x)\n")
    time.sleep(1.5)
    sent_back(s, s.run([bash("echo 'x = 1' > src/new.py")], ["Done."]), 0)


@scenario("stop-legacy")
def stop_legacy(s):
    s.python()
    sent_back(s, s.run([bash("sed -i 's/y = 2/y = 3/' src/legacy.py")], ["Done."]), 0)


@scenario("stop-staged")
def stop_staged(s):
    """The index does not hide it: the last commit is what counts."""
    s.python()
    session = s.run([bash(BAD + " && git add src/new.py")], ["Done."])
    sent_back(s, session, 1, placed("no-eval", "src/new.py", 1, EVAL))


@scenario("stop-background")
def stop_background(s):
    """A background command that ends within the turn: only the end of the turn sees what it wrote, and only once."""
    s.python()
    session = s.run([bash("sleep 0.5; " + BAD, run_in_background=True)], after(3, "Done."))
    s.silent(session.after(1))
    sent_back(s, session, 1, placed("no-eval", "src/new.py", 1, EVAL))
    s.whole_turns(session)


@scenario("stop-background-late")
def stop_background_late(s):
    """A background command that ends after the turn: the turn that its end starts is sent back."""
    s.python()
    session = s.run([bash("sleep 3; " + BAD, run_in_background=True)], ["I wait."], after(1, "It is done."))
    sent_back(s, session, 1, placed("no-eval", "src/new.py", 1, EVAL))


@scenario("stop-many")
def stop_many(s):
    s.python()
    session = s.run([bash("for n in $(seq 200); do echo 'eval(x)' > src/new$n.py; done")], ["Done."])
    sent_back(s, session, 1, "no-eval at src/new", "more")
    s.expect(len(session.feedback()[0]) <= 2_100, "a reason of at most 2,000 characters", session.feedback()[0])


@scenario("stop-second-turn")
def stop_second_turn(s):
    """Each turn is judged by itself: the second is sent back for what it writes, and only for that."""
    s.python()
    s.run([bash(BAD)], ["Done."], ["I leave it."])
    time.sleep(1)
    session = s.run([bash("echo 'eval(x)' > src/second.py")], ["Done."], prompt="More.", options=("--continue",))
    sent_back(s, session, 1, placed("no-eval", "src/second.py", 1, EVAL))
    s.expect("src/new.py" not in session.feedback()[0], "the first turn is left alone", session.feedback()[0])


@scenario("stop-without-git-legacy")
def stop_without_git_legacy(s):
    """Without git the client's record of an edit has the text before: old code sends no turn back, new code does."""
    s.python(git=False)
    s.file("src/other.py", "OLD = eval(1)\nx = 1\n")
    s.file("src/app.py", "OLD = eval(1)\nx = 1\ny = 1\n")
    edit = lambda path: use("Edit", file_path=s.path(path), old_string="x = 1", new_string="x = 2")
    session = s.run([edit("src/legacy.py")], [edit("src/other.py")], [bash("mv src/other.py src/moved.py")], ["Done."])
    sent_back(s, session, 0)
    s.whole_turns(session)
    again = s.run([edit("src/app.py")], [bash("echo 'z = eval(2)' >> src/app.py")], ["Done."], ["I leave it."])
    sent_back(s, again, 1, placed("no-eval", "src/app.py", 4, EVAL))
    s.expect("src/app.py:1" not in again.feedback()[0], "old code is not reported", again.feedback()[0])


@scenario("stop-without-git")
def stop_without_git(s):
    s.python(git=False)
    session = s.run([bash("echo 'x = 1' > src/new.py")], ["Done."])
    sent_back(s, session, 0)
    s.whole_turns(session)
