"""phaser inside the real agents: each scenario runs one against a scripted model and checks what the model received."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clients import CLIENTS
from model import DONE, Model

CONTRACTS = {
    "no-print": ("error", r"\bprint\(", "Use the logger."),
    "no-todo": ("warning", "TODO", "Write an issue."),
}
LEGACY = "print(0)\nx = 1\ny = 1\n"
BOTH = (
    "*** Begin Patch\n*** Add File: src/good.py\n+z = 1\n*** Update File: src/legacy.py\n@@\n-y = 1\n+print(3)\n*** End Patch\n"
)
KEPT = "def test_f():\n    assert f(1) == 1\n"
MOVE = (
    "*** Begin Patch\n*** Add File: tests/test_b.py\n+assert f(1) == 1\n*** Update File: tests/test_a.py\n"
    "@@\n-    assert f(1) == 1\n+    pass\n*** End Patch\n"
)
TOOLS = os.environ.get("AGENTS_BIN", "")


class Failed(Exception):
    """Something is not as it should be."""


def check(is_so, what, shown=""):
    if not is_so:
        raise Failed(f"{what}\n{shown}")


class Session:
    """A project, a home, and a client that works there."""

    def __init__(self, name, broken=False, fixes=False, kept=False, commands=False):
        self.base = Path(tempfile.mkdtemp(prefix=f"phaser-{name}-", dir=os.environ.get("AGENTS_TMP")))
        self.project, self.home = self.base / "project", self.base / "home"
        self.home.mkdir()
        contracts = self.project / ".claude/contracts"
        contracts.mkdir(parents=True)
        for rule, (severity, pattern, message) in CONTRACTS.items():
            text = f"rule_id: {rule}\ntype: forbid_pattern\npattern: '{pattern}'\nfile_glob: '**/*.py'\n"
            (contracts / f"{rule}.yaml").write_text(f"{text}message: '{message}'\nseverity: {severity}\n")
        if broken:
            (contracts / "broken.yaml").write_text("rule_id: [\n")
        if fixes:
            text = "rule_id: is-none\ntype: forbid_pattern\npattern: '(\\w+) == None'\nfile_glob: '**/*.py'\n"
            (contracts / "is-none.yaml").write_text(f"{text}message: 'Compare with is.'\nseverity: error\nfix: '$1 is None'\n")
        if kept:
            text = "rule_id: keep-asserts\ntype: keep_pattern\npattern: 'assert .+'\nfile_glob: 'tests/**'\n"
            (contracts / "keep-asserts.yaml").write_text(f"{text}message: 'Keep the assertion.'\nseverity: error\n")
            (self.project / "tests").mkdir()
            (self.project / "tests/test_a.py").write_text(KEPT)
        if commands:
            text = "rule_id: no-verify\ntype: forbid_command\ncommand: git commit\nargs: ['--no-verify', '-n']\n"
            (contracts / "no-verify.yaml").write_text(f"{text}message: 'Fix what the hooks report.'\nseverity: error\n")
            text = "rule_id: no-loud\ntype: forbid_command\ncommand: echo\nargs: ['--loud']\nfix: echo\n"
            (contracts / "no-loud.yaml").write_text(f"{text}message: 'Print it quietly.'\nseverity: error\n")
        settings = "existing: report\n" + ("fixes: apply\n" if fixes or commands else "") + ("log: true\n" if commands else "")
        (self.project / ".claude/phaser.yaml").write_text(settings)
        (self.project / "src").mkdir()
        (self.project / "src/legacy.py").write_text(LEGACY)
        (self.project / ".gitignore").write_text("node_modules/\n")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
        # Where the agent sends no duration, a command may have made any commit of the last minute. This one is older: by its
        # date, without a reflog, and packed, because loose objects have the time at which they were written.
        dated = {**os.environ, "GIT_COMMITTER_DATE": "2025-01-01T00:00:00Z"}
        older = ["reflog", "expire", "--expire=all", "--all"], ["gc", "-q", "--prune=now"]
        for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "start"], *older):
            subprocess.run([*git, *arguments], cwd=self.project, env=dated, check=True)
        # What is staged while a tool runs is taken for its doing.
        time.sleep(4)
        self.model = Model([])
        self.client = CLIENTS[name](self.project, self.home, self.model)

    def install(self):
        arguments = ["phaser", "enforce", "install", *(self.client.install or ("--agent", self.client.name))]
        done = subprocess.run(arguments, cwd=self.project, env=self.environment(), capture_output=True, text=True)
        check(done.returncode == 0, "install failed", done.stdout + done.stderr)

    def environment(self, with_phaser=True):
        phaser = [os.environ["PHASER_DIR"]] if with_phaser else []
        path = ":".join([*phaser, TOOLS, os.environ.get("NODE_DIR", "/usr/bin"), "/usr/local/bin", "/usr/bin", "/bin"])
        return {"PATH": path, "HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", **self.client.environment()}

    def run(self, turns, with_phaser=True):
        """Runs the client; the texts that the model received before each turn, and after the last one."""
        self.model.turns = list(turns)
        self.client.prepare()
        program = f"{TOOLS}/{self.client.program}"
        environment = self.environment(with_phaser)
        for arguments in [*getattr(self.client, "before", []), self.client.arguments("do it")]:
            self.output = subprocess.run(
                [program, *arguments],
                cwd=self.project,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=240,
            )
        output = self.output.stdout + self.output.stderr
        received = self.model.received()
        check(len(received) > len(turns) - 1, f"only {len(received)} requests for {len(turns)} turns", output[-3000:])
        return received

    def judged_commands(self):
        """The lines of the decision log about commands that were to run."""
        lines = (self.text(".git/phaser/decisions.jsonl") or "").splitlines()
        return [record for record in map(json.loads, lines) if record.get("program") and re.search("(?i)pre|before", record["event"])]

    def text(self, path):
        file = self.project / path
        return file.read_text() if file.exists() else None

    def close(self):
        self.model.close()
        if not os.environ.get("AGENTS_KEEP"):
            shutil.rmtree(self.base, ignore_errors=True)


def everyday(name):
    """A session with edits of every kind, and what the model receives after each."""
    session = Session(name)
    client = session.client
    session.install()
    steps = [("bad", client.write("src/bad.py", "x = 1\nprint(x)\n")), ("good", client.write("src/ok.py", "x = 1  # TODO\n"))]
    if client.reads:
        steps.append(("read", client.read("src/legacy.py")))
    steps += [
        ("legacy", client.edit("src/legacy.py", "x = 1", "x = 2")),
        ("worse", client.edit("src/legacy.py", "y = 1", "print(2)")),
    ]
    if client.patch(BOTH):
        steps.append(("both", client.patch(BOTH)))
        steps.append(("in shell", client.shell(f"apply_patch <<'EOF'\n{BOTH}EOF")))
    steps.append(("shell", client.shell("echo 'print(4)' > src/shell.py; echo ran")))
    received = session.run([turn for _, turn in steps] + [client.end(DONE)])
    after = {label: received[at + 1] for at, (label, _) in enumerate(steps)}
    begins = received[0]
    check("no-print (**/*.py): Use the logger." in begins or not client.briefs, "the contracts are not sent", begins[-2000:])

    if client.denies:
        refused = ("no-print: Use the logger.", "src/bad.py:2: print(", "Nothing was written. Fix these lines and retry.")
        check(all(part in after["bad"] for part in refused), "the write is not refused with the rule", after["bad"])
        check(session.text("src/bad.py") is None, "the refused file is there")
        check("src/legacy.py:3: " in after["worse"], "the edit is not refused", after["worse"])
        check("print(2)" not in session.text("src/legacy.py"), "the refused edit was made")
    else:
        check("Error: no-print at src/bad.py:2. Use the logger." in after["bad"], "the model does not receive it", after["bad"])
    check(session.text("src/ok.py") == "x = 1  # TODO\n", "the clean file is not there")
    check("Warning: no-todo at src/ok.py:1. Write an issue." in after["good"], "the warning is not reported", after["good"])
    check(re.search(client.success, after["good"]), "the tool's own result is gone", after["good"])
    check("x = 2" in session.text("src/legacy.py"), "the edit of an old file was not made", after["legacy"])
    check("no-print" not in after["legacy"], "the old violation is reported", after["legacy"])
    for label in ("both", "in shell"):
        if label in after:
            check("src/legacy.py:3: " in after[label], f"{label}: the patch is not refused", after[label])
            check(session.text("src/good.py") is None, f"{label}: a part of the refused patch was made")
    check("ran" in after["shell"], "the command's own result is gone", after["shell"])
    check("Error: no-print at src/shell.py:1." in after["shell"], "what the command wrote is not reported", after["shell"])
    for label, text in after.items():
        check(not re.search("hook (errored|failed|exited)|hook error", text), f"{label}: a hook failed", text)
    ends = len(received) - len(steps) - 1
    if client.gates:
        check(ends == 1, f"the turn was sent back {ends} times, not once", "\n-----\n".join(received[len(steps) :])[-3000:])
        check("Fix these contract violations before finishing:" in received[-1], "the model does not receive why it goes on", received[-1])
    else:
        check(ends == 0, f"the turn was sent back {ends} times", "")
    return session


def without_phaser(name):
    """Without phaser every edit is made."""
    session = Session(name)
    session.install()
    received = session.run([session.client.write("src/bad.py", "print(1)\n"), session.client.end(DONE)], with_phaser=False)
    check(session.text("src/bad.py") is not None, "the write was not made", received[-1])
    return session


def broken_contract(name):
    """A contract that does not load affects no other one and blocks no edit."""
    session = Session(name, broken=True)
    client = session.client
    session.install()
    received = session.run([client.write("src/bad.py", "print(1)\n"), client.write("src/ok.py", "x = 1\n"), client.end(DONE)])
    check(re.search("no-print(: | at src/bad.py:1)", received[1]), "the other contract is not enforced", received[1])
    check(session.text("src/ok.py") == "x = 1\n", "the clean file is not there", received[-1])
    return session


def broken_event(name):
    """The installed command responds to any input."""
    session = Session(name)
    session.install()
    commands = set()
    for file in session.project.rglob("*"):
        if file.is_file() and ".git/" not in str(file) and file.suffix in ("", ".json"):
            commands |= set(re.findall(r"hash phaser[^\"\n]*echo \{\}", file.read_text(errors="replace")))
    check(commands or name.startswith("opencode"), "no command found")
    variables = {"COPILOT_CLI": "1"} if name.startswith("copilot") else {}
    for command in commands:
        for event in ("", "{", '{"tool_input": 7}', "null"):
            environment = {**session.environment(), **variables}
            arguments = {"input": event, "cwd": session.project, "env": environment, "capture_output": True, "text": True}
            done = subprocess.run(["/bin/sh", "-c", command], **arguments)
            answer = (done.returncode, done.stdout.strip())
            check(answer == (0, "{}"), f"the answer to {event!r} was {answer}", done.stderr)
    return session


def fixed(name):
    """An edit with a violation that has a fix is made without it, the model is informed, and its next edit works."""
    session = Session(name, fixes=True)
    client = session.client
    session.install()
    steps = [client.write("src/m.py", "if a == None:\n    pass\n")]
    if client.rewrites:
        if client.reads:
            steps.append(client.read("src/m.py"))
        steps.append(client.edit("src/m.py", "if a is None:", "if a is None and b == None:"))
        if client.patch(BOTH):
            steps.append(client.patch("*** Begin Patch\n*** Add File: src/n.py\n+c == None\n*** Update File: src/m.py\n@@\n-    pass\n+    d == None\n*** End Patch\n"))
    received = session.run([*steps, client.end(DONE)])
    if not client.rewrites:
        check("src/m.py:1: " in received[1], "the rule is not reported", received[1])
        return session
    check(re.search(client.informs_about_fix, received[1]), "the model does not receive it", received[1])
    check(re.search(client.success, received[1]), "the tool's own result is gone", received[1])
    last = "    d is None\n" if client.patch(BOTH) else "    pass\n"
    check(session.text("src/m.py") == f"if a is None and b is None:\n{last}", "the file is not fixed", f"{session.text('src/m.py')}\n{received[-1]}")
    if client.patch(BOTH):
        check(session.text("src/n.py") == "c is None\n", "the new file is not fixed", received[-1])
    check(len(received) == len(steps) + 1, "the turn was sent back", received[-1])
    return session


def kept(name):
    """What an edit takes away is refused; what a patch moves to another file is not."""
    session = Session(name, kept=True)
    client = session.client
    session.install()
    steps = [client.read("tests/test_a.py")] if client.reads else []
    steps.append(client.edit("tests/test_a.py", "    assert f(1) == 1", "    pass"))
    at = len(steps)
    if client.patch(MOVE):
        steps.append(client.patch(MOVE))
    else:
        steps.append(client.write("tests/test_b.py", "assert f(1) == 1\n"))
        steps.append(client.edit("tests/test_a.py", "    assert f(1) == 1", "    pass"))
    received = session.run([*steps, client.end(DONE)])
    if client.denies:
        refused = ("keep-asserts: Keep the assertion.", "tests/test_a.py:2: assert f(1) == 1 (removed)")
        check(all(part in received[at] for part in refused), "the removal is not refused with its text", received[at])
    else:
        check("keep-asserts at tests/test_a.py:2" in received[at], "the model does not receive it", received[at])
    moved = session.text("tests/test_b.py") == "assert f(1) == 1\n" and "f(1)" not in session.text("tests/test_a.py")
    check(moved, "the move was not made", "\n-----\n".join(received[at:])[-3000:])
    check(len(received) == len(steps) + 1, "the turn was sent back", received[-1])
    return session


def commands(name):
    """A forbidden command is denied before it runs, and its text in quotes is not. The log has a line for each command."""
    session = Session(name, commands=True)
    client = session.client
    session.install()
    forbidden = "touch ran.txt; git commit --allow-empty -nm x"
    lines = ["echo seen", "echo 'git commit --no-verify' > quoted.txt; echo seen", forbidden, forbidden, forbidden]
    lines.append("echo --loud said > fixed.txt; echo seen")
    received = session.run([*map(client.shell, lines), client.end(DONE)])
    clean, quoted, first, _, third, loud = received[1 : len(lines) + 1]
    for text in (clean, quoted):
        check("seen" in text, "the command's own result is gone", text)
        check(not re.search("phaser|no-verify: |hook", text), "an allowed command leaves a trace", text)
    check(session.text("quoted.txt") == "git commit --no-verify\n", "the quoted text was not written", quoted)
    judged = session.judged_commands()
    check(len(judged) == len(lines), f"the log has {len(judged)} lines about {len(lines)} commands", json.dumps(judged))
    if not client.denies:
        check(session.text("ran.txt") is not None, "the command did not run", first)
        return session
    reason = ("no-verify: Fix what the hooks report.", "command: git commit --allow-empty -nm x", "The command was not run.")
    check(all(part in first for part in reason), "the command is not denied with the reason", first)
    check(session.text("ran.txt") is None, "the denied command ran", first)
    advice = "no-verify has denied git commit --allow-empty -nm x 3 times"
    check(advice in third and "times in this session" not in first, "the third denial is as the first", third)
    if client.fixes_commands:
        check(session.text("fixed.txt") == "said\n", "the fixed command did not run", loud)
        check(re.search(client.informs_about_fixed_command, loud), "the model is not informed of the fix", loud)
    else:
        check(session.text("fixed.txt") is None, "the command ran", loud)
        check("Fix: echo said > fixed.txt; echo seen" in loud, "the denial lacks the fixed command", loud)
    decisions = [record["decision"] for record in judged]
    last = None if client.fixes_commands else "deny"
    check(decisions == [None, None, "deny", "deny", "deny", last], "the log has other decisions", json.dumps(judged))
    fixes = [record["fixed"] for record in judged]
    check(fixes == [False] * 5 + [client.fixes_commands], "the log has other fixes", json.dumps(judged))
    check(len(received) == len(lines) + 1, "the turn was sent back", received[-1])
    return session


SCENARIOS = [everyday, fixed, kept, commands, without_phaser, broken_contract, broken_event]


def main(names):
    failed = 0
    only = os.environ.get("AGENTS_SCENARIO")
    for name in names or CLIENTS:
        for scenario in [one for one in SCENARIOS if only in (None, one.__name__)]:
            label = f"{name}: {scenario.__name__.replace('_', ' ')}"
            try:
                scenario(name).close()
                print(f"ok      {label}", flush=True)
            except (Failed, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                failed += 1
                print(f"FAILED  {label}\n{str(error)[:4000]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
