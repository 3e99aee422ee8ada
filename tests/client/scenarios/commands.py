"""Contracts about commands: denied before they run, fixed, or left alone."""

import json

from model import use
from suite import scenario

MESSAGE = "Fix what the hooks report."


def bash(command):
    return use("Bash", command=command, description="work")


def prepared(s, fix=False, **keys):
    s.python()
    lines = ["rule_id: no-verify", "type: forbid_command", "command: git commit", "args: ['--no-verify', '-n']"]
    lines += [f"message: '{MESSAGE}'", "severity: error"] + (["fix: git commit"] if fix else [])
    s.file(".claude/contracts/no-verify.yaml", "\n".join(lines) + "\n")
    s.config(existing="report", **keys)
    s.commit()


@scenario("command-denied")
def command_denied(s):
    prepared(s)
    session = s.run([bash("touch ran; git commit --allow-empty --no-verify -m x")], [bash("bash -c 'touch ran; git commit -nm x'")])
    for at in (1, 2):
        s.denied(session.after(at), f"no-verify: {MESSAGE}", "command: git commit ", "The command was not run.")
    s.holds("ran", None)
    s.whole_turns(session)


@scenario("command-in-quotes-runs")
def command_in_quotes_runs(s):
    prepared(s)
    session = s.run([bash("echo 'git commit --no-verify' > said")])
    s.passed(session.after(1))
    s.silent(session.after(1))
    s.holds("said", "git commit --no-verify\n")


@scenario("command-fixed")
def command_fixed(s):
    prepared(s, fix=True, fixes="apply")
    session = s.run([bash("echo a > src/a.txt && git add -A && git commit --no-verify -qm 'x y'; git log -1 --format=%s")])
    s.passed(session.after(1))
    s.receives(session.after(1), "phaser fixed the command before it ran (no-verify)", "git commit -qm 'x y'")


@scenario("command-third-denial")
def command_third_denial(s):
    prepared(s, log="true")
    session = s.run(*([bash("git commit -n -m x")] for _ in range(3)))
    first, third = s.denied(session.after(1)), s.denied(session.after(3))
    s.expect("ask the user" not in first and "no-verify has denied git commit -n -m x 3 times" in third, "the third differs", third)
    lines = [json.loads(line) for line in (s.root / ".git/phaser/decisions.jsonl").read_text().splitlines()]
    decisions = [(line["decision"], line["repeated"]) for line in lines if line["event"] == "PreToolUse"]
    s.expect(decisions == [("deny", False), ("deny", False), ("deny", True)], "the log has a line for each decision", str(lines))
