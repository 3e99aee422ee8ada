"""The briefing of a session and of a subagent at the start, and again after compaction."""

from model import use
from suite import placed, scenario

EVAL = "Use ast.literal_eval."
LIMIT = 9_500


def bash(command, **keys):
    return use("Bash", command=command, description="work", **keys)


def helper(**keys):
    """A call of a subagent that the model waits for."""
    prompt = "conversation: helper. Do your part."
    call = {"subagent_type": "general-purpose", "run_in_background": False, **keys}
    return use("Agent", description="a part", prompt=prompt, **call)


def briefing_of(received, event="SessionStart"):
    return "\n".join(text for text in received.hooks if text.startswith(event))


def is_briefed(s, received, event="SessionStart"):
    shown = briefing_of(received, event)
    for word in ("no-eval", "no-print", "**/*.py", EVAL, "Use the logger."):
        s.expect(word in shown, f"the briefing has '{word}' in it", shown or "no briefing")
    s.expect(shown.index("no-eval") < shown.index("no-print"), "errors come first", shown)
    return shown


@scenario("briefing")
def briefing(s):
    s.python()
    session = s.run(["Hello."])
    is_briefed(s, session.after(0))
    answers = s.answers("SessionStart")
    s.expect(len(answers) == 1 and answers[0].code == 0, "SessionStart is asked and answered once", str(answers))


@scenario("briefing-of-a-thousand")
def briefing_of_a_thousand(s):
    for number in range(1000):
        severity = "error" if number % 10 == 0 else "warning"
        message = f"Call number {number} is not for us, use the one of the library of the house instead."
        s.contract(f"rule-{number:04}", f"call{number}", message, severity=severity)
    s.guard()
    s.commit()
    session = s.run(["Hello."])
    text = s.answers("SessionStart")[0].answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    s.expect(text, "there is a briefing", str(s.answers("SessionStart")))
    s.expect(len(text) <= LIMIT, f"at most {LIMIT} characters", f"{len(text)} characters")
    s.expect(len(text) >= 5_000, "the room there is is used", f"{len(text)} characters")
    shown = briefing_of(session.after(0))
    s.expect(text.strip() in shown, "the model receives all of it", shown[:2000])
    s.expect("persisted-output" not in shown, "the client keeps nothing back", shown[:2000])
    s.expect("rule-0000" in text and "rule-0990" in text or "rule-0001" not in text, "errors come first", text)
    left = 1000 - sum(1 for number in range(1000) if f"rule-{number:04}" in text)
    counts = (str(left), f"{left:,}")
    s.expect(any(count in text for count in counts), f"it counts {left} more", text[-300:])
    s.expect("phaser explain" in text, "it names the command for details", text[-300:])


@scenario("briefing-without-contracts")
def briefing_without_contracts(s):
    s.guard()
    s.commit()
    session = s.run([use("Write", file_path=s.path("a.py"), content="eval(x)\n")], [bash("echo 'eval(x)' > b.py")])
    for number in range(3):
        s.silent(session.after(number))
    s.expect(s.answers() and all(one.answer == {} for one in s.answers()), "every answer is {}", str(s.answers()))


@scenario("compaction")
def compaction(s):
    """After compaction the session is briefed again, and the client's own helper is left alone."""
    s.python()
    s.run([bash("echo 'eval(x)' > src/new.py")], ["Done."], ["I leave it."])
    s.run(prompt="/compact", options=("--continue",))
    compacted = [one for one in s.answers("SessionStart") if one.event.get("source") == "compact"]
    s.expect(len(compacted) == 1, "the session starts again with source 'compact'", str(len(compacted)))
    own = [one for one in s.answers("SubagentStop") if not one.event.get("agent_type")]
    s.expect(own, "the client's helper ends", "no such event")
    s.expect(all(one.answer == {} for one in own), "the client's helper is left alone", str([one.answer for one in own]))
    text = compacted[0].answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    s.expect("no-eval" in text, "the briefing is given again", str(compacted[0].answer))
    session = s.run(["Hello."], prompt="Where were we?", options=("--continue",))
    is_briefed(s, session.after(0))


@scenario("resumed")
def resumed(s):
    """A resumed session still has its briefing; the client does not send it again."""
    s.python()
    s.run(["Hello."])
    session = s.run(["Hello again."], prompt="Again.", options=("--continue",))
    s.expect(EVAL in session.whole(0), "the model has the briefing", session.transcript())
    s.expect([one.event.get("source") for one in s.answers("SessionStart")] == ["startup", "resume"], "startup, resume")


@scenario("subagent-briefed")
def subagent_briefed(s):
    s.python()
    session = s.run([helper()], agents={"helper": [["Nothing to do."]]})
    is_briefed(s, session.after(0, "helper"), "SubagentStart")


@scenario("subagent-denied")
def subagent_denied(s):
    s.python()
    call = use("Write", file_path=s.path("src/new.py"), content="eval(x)\n")
    session = s.run([helper()], agents={"helper": [[call], ["I could not."]]})
    s.denied(session.after(1, "helper"), placed("no-eval", "src/new.py", 1, EVAL))
    s.holds("src/new.py", None)


@scenario("subagent-sweep")
def subagent_sweep(s):
    s.python()
    turns = [[bash("echo 'eval(x)' > src/new.py")], [bash("echo 'x = 1' > src/new.py")], ["Done."]]
    session = s.run([helper()], agents={"helper": turns})
    s.receives(session.after(1, "helper"), placed("no-eval", "src/new.py", 1, EVAL))
    s.silent(session.after(2, "helper"))
    s.silent(session.after(1))


@scenario("subagent-sent-back")
def subagent_sent_back(s):
    """A subagent is sent back once for its violations; after the fix the session ends."""
    s.python()
    turns = [[bash("echo 'eval(x)' > src/new.py")], ["Done."], [bash("echo 'x = 1' > src/new.py")], ["Fixed."]]
    session = s.run([helper()], ["All done."], agents={"helper": turns})
    shown = "\n".join(session.after(2, "helper").hooks + [session.after(2, "helper").prompt])
    s.expect(placed("no-eval", "src/new.py", 1, EVAL) in shown, "the subagent is sent back", shown or "nothing received")
    s.expect(len(session.conversation("helper")) == 4, "it is sent back once", session.transcript())
    s.expect(not session.feedback(), "the session itself is not sent back", session.transcript())
    s.holds("src/new.py", "x = 1\n")


@scenario("subagent-never-twice")
def subagent_never_twice(s):
    s.python()
    turns = [[bash("echo 'eval(x)' > src/new.py")], ["Done."], ["I leave it."]]
    session = s.run([helper()], ["All done."], ["I leave it, too."], agents={"helper": turns})
    s.expect(len(session.conversation("helper")) == 3, "the subagent is sent back once", session.transcript())
    s.expect(len(session.feedback()) == 1, "the session is sent back once", session.transcript())


@scenario("subagent-in-the-background")
def subagent_in_the_background(s):
    s.python()
    call = use("Write", file_path=s.path("src/new.py"), content="eval(x)\n")
    session = s.run([helper(run_in_background=True)], ["I wait."], agents={"helper": [[call], ["I could not."]]})
    is_briefed(s, session.after(0, "helper"), "SubagentStart")
    s.denied(session.after(1, "helper"), placed("no-eval", "src/new.py", 1, EVAL))
    s.whole_turns(session)


@scenario("worktree-entered")
def worktree_entered(s):
    """In a worktree inside the checkout, globs count from the worktree."""
    s.contract("no-exec", r"\bexec\(", "Do not.", glob="src/**")
    s.python()
    tree = ".claude/worktrees/side"
    session = s.run(
        [use("EnterWorktree", name="side")],
        [use("Write", file_path=s.path(f"{tree}/src/new.py"), content="exec(x)\n")],
        [use("Write", file_path=s.path(f"{tree}/src/fine.py"), content="x = 1\n")],
        [bash("echo 'exec(x)' > src/swept.py")],
        ["Done."],
    )
    s.passed(session.after(1))
    s.denied(session.after(2), "no-exec: Do not.", "src/new.py:1: ")
    s.passed(session.after(3))
    s.silent(session.after(3))
    s.receives(session.after(4), "no-exec at ", "src/swept.py:1. Do not.")
    s.expect(len(session.feedback()) == 1, "the turn is sent back once", session.transcript())
    s.expect("src/swept.py:1" in session.feedback()[0], "for what it left", session.feedback()[0])


@scenario("worktree-of-a-subagent")
def worktree_of_a_subagent(s):
    s.contract("no-exec", r"\bexec\(", "Do not.", glob="src/**")
    s.python()

    def write(received):
        tree = next((s.root / ".claude/worktrees").iterdir())
        return [use("Write", file_path=str(tree / "src/new.py"), content="exec(x)\n")]

    turns = [write, [bash("echo 'exec(x)' > src/swept.py")], [bash("rm src/swept.py")], ["Done."]]
    session = s.run([helper(isolation="worktree")], agents={"helper": turns})
    s.expect("no-exec" in briefing_of(session.after(0, "helper"), "SubagentStart"), "the subagent is briefed")
    s.denied(session.after(1, "helper"), "no-exec: Do not.", "src/new.py:1: ")
    s.receives(session.after(2, "helper"), "no-exec at ", "src/swept.py:1. Do not.")


@scenario("worktree-added")
def worktree_added(s):
    """A worktree that git made under the checkout, written to from the checkout."""
    s.contract("no-exec", r"\bexec\(", "Do not.", glob="src/**")
    s.python()
    tree = ".claude/worktrees/side"
    session = s.run(
        [bash(f"git worktree add --quiet {tree} -b side")],
        [use("Write", file_path=s.path(f"{tree}/src/new.py"), content="exec(x)\n")],
        [use("Edit", file_path=s.path(f"{tree}/src/legacy.py"), old_string="y = 2", new_string="y = 3")],
    )
    s.silent(session.after(1))
    s.denied(session.after(2), "no-exec: Do not.", "src/new.py:1: ")
    s.passed(session.after(3))
