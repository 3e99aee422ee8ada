"""Repeated denials and the decision log."""

import json
import time

from model import use
from suite import placed, scenario

EVAL = "Use ast.literal_eval."


def denied_thrice(s):
    """Three denials of the same file, then a clean edit."""
    write = lambda content: use("Write", file_path=s.path("src/new.py"), content=content)
    calls = [write("x = eval(1)\n"), write("x = eval(2)\n"), write("x = eval(3)\n"), write("x = 4\n")]
    # The client writes its transcript with a delay.
    after_a_while = lambda call: lambda received: (time.sleep(1.5), [call])[1]
    session = s.run(*(after_a_while(call) for call in calls))
    shown = [s.denied(session.after(at), placed("no-eval", "src/new.py", 1, EVAL)) for at in (1, 2, 3)]
    s.passed(session.after(4))
    for text in shown[:2]:
        s.expect("Example that passes" not in text and "ask the user" not in text, "the first denials are short", text)
    s.expect("Example that passes no-eval:\n    x = ast.literal_eval(y)" in shown[2], "the third has an example", shown[2])
    s.expect("no-eval has denied src/new.py 3 times in this session" in shown[2], "and counts", shown[2])
    return session


def prepared(s, **keys):
    s.python()
    s.contract("no-eval", r"\beval\(", EVAL, examples={"violating": ["eval(x)"], "passing": ["x = ast.literal_eval(y)"]})
    s.config(existing="report", **keys)
    s.commit()


@scenario("third-denial-by-log")
def third_denial_by_log(s):
    prepared(s, log=True)
    denied_thrice(s)
    lines = [json.loads(line) for line in s.text(".git/phaser/decisions.jsonl").splitlines()]
    events = [(line["event"], line["tool"], line["decision"], line["repeated"]) for line in lines]
    before = [event for event in events if event[0] == "PreToolUse"]
    expected = [("PreToolUse", "Write", "deny", False)] * 2 + [("PreToolUse", "Write", "deny", True), ("PreToolUse", "Write", "allow", False)]
    s.expect(before == expected, "one line per decision", events)
    s.expect(("Stop", None, None, False) in events, "the end of the turn is logged", events)
    s.expect(len({line["session"] for line in lines}) == 1, "one session", lines)


@scenario("third-denial-by-transcript")
def third_denial_by_transcript(s):
    prepared(s)
    denied_thrice(s)
    s.holds(".git/phaser/decisions.jsonl", None)
