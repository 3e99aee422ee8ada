"""What a scenario is made of: a scratch project, runs of the client in it, and expectations about both.

A scenario is a function that takes a `Scenario`. It sets a project up, runs the client against a script, and checks what
must hold. The first expectation that does not hold ends it.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from model import MAIN, Model

HERE = Path(__file__).resolve().parent
TIMEOUT = 60
BYPASS, ACCEPT, DEFAULT = "bypassPermissions", "acceptEdits", "default"

# The events that 'install --guard' writes hooks for.
GUARD_EVENTS = (
    "SessionStart",
    "SubagentStart",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "ConfigChange",
)

# Takes what the client pipes into phaser, and what phaser answers, down into a directory.
SHIM = """#!/bin/sh
case " $* " in
*" --stdin "*) ;;
*) exec {phaser} "$@" ;;
esac
at={events}/$(date +%s%N)-$$
cat >"$at.event"
{phaser} "$@" <"$at.event" >"$at.answer" 2>"$at.errors"
code=$?
cat "$at.answer"
cat "$at.errors" >&2
echo "$code" >"$at.code"
exit $code
"""

SCENARIOS = {}


class Unmet(Exception):
    """An expectation that does not hold: what was expected, and what was there."""

    def __init__(self, expected, received):
        super().__init__(expected)
        self.expected = expected
        self.received = received


def scenario(name):
    """Adds a function to the suite under a name."""

    def add(function):
        assert name not in SCENARIOS, name
        SCENARIOS[name] = function
        return function

    return add


class Placed(str):
    """A violation as the guard reports it. A denial has it by contract, with the text of the line."""

    denial = ()


def placed(contract, path, line, message):
    """How the guard names a violation."""
    place = Placed(f"{contract} at {path}:{line}. {message}")
    place.denial = (f"{contract}: {message}\n", f"{path}:{line}: ")
    return place


@dataclass(repr=False)
class Answered:
    """One event that the client piped into phaser, and the answer."""

    event: dict
    answer: dict
    code: int

    @property
    def kind(self):
        return self.event.get("hook_event_name")

    def __repr__(self):
        changed = (self.event.get("tool_response") or {})
        changed = changed.get("bashEditDiff", {}).get("changedFiles") if isinstance(changed, dict) else None
        names = [self.kind, self.event.get("tool_name"), self.event.get("agent_type"), self.event.get("source")]
        shown = " ".join(name for name in names if name) + (f" changed {changed}" if changed is not None else "")
        return f"{shown} -> {json.dumps(self.answer, ensure_ascii=False)[:400]} (exit {self.code})"


class Session:
    """One run of the client: what it streamed, and what the model received."""

    def __init__(self, model, stdout, stderr, code):
        self.model = model
        self.code = code
        self.stderr = stderr
        self.stream = [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]
        self.received = model.received()

    def conversation(self, name):
        return self.model.received(name)

    def after(self, number, conversation=MAIN):
        """What the model received after its call or message with this number; 0 is the prompt."""
        received = self.model.received(conversation)
        if number >= len(received):
            raise Unmet(f"the model is asked {number + 1} times or more in '{conversation}'", self.transcript())
        return received[number]

    def whole(self, number):
        """Everything that a request to the model holds, also what it held before."""
        self.after(number)
        bodies = [body for received, body in self.model.requests if received.conversation == MAIN]
        return json.dumps(bodies[number]["messages"], ensure_ascii=False)

    def feedback(self, conversation=MAIN):
        """How often the end of a turn was refused."""
        texts = [text for received in self.model.received(conversation) for text in received.hooks]
        return [text for text in texts if text.startswith(("Stop hook feedback", "SubagentStop hook feedback"))]

    def transcript(self):
        """What the model sent and received, in order."""
        lines = []
        for received, body in self.model.requests:
            who = "" if received.conversation == MAIN else f" ({received.conversation})"
            for message in reversed(body["messages"]):
                if message["role"] == "assistant" and isinstance(message["content"], list):
                    lines += [sent(block, who) for block in message["content"]]
                    break
            lines += [f"{'error' if result.is_error else 'result'}{who}: {result.text}" for result in received.results]
            lines += [f"hook{who}: {text}" for text in received.hooks]
            if received.prompt:
                lines.append(f"prompt{who}: {received.prompt.splitlines()[-1]}")
        ends = [event.get("result", "") for event in self.stream if event.get("type") == "result"]
        lines += [f"end: {end}" for end in ends]
        if self.code != 0:
            lines.append(f"the client exits with {self.code}: {self.stderr.strip()}")
        return "\n".join(lines)


def sent(block, who):
    if block["type"] == "tool_use":
        return f"model{who}: {block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
    return f"model{who}: {block.get('text', '')}"


class Scenario:
    """A scratch project with a home of its own, and the client in it."""

    def __init__(self, name, tools):
        self.name = name
        self.tools = tools
        self.place = Path(tempfile.mkdtemp(prefix="phaser-client-")).resolve()
        self.home = self.place / "home"
        self.root = self.place / "home" / "project"
        self.outside = self.place / "outside"
        self.events = self.place / "events"
        self.bin = self.place / "bin"
        for directory in (self.root, self.outside, self.events, self.bin, self.home / ".claude"):
            directory.mkdir(parents=True, exist_ok=True)
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = nobody\n\temail = nobody@example.com\n[init]\n\tdefaultBranch = main\n"
        )
        shim = self.bin / "phaser"
        shim.write_text(SHIM.format(phaser=tools.phaser, events=self.events))
        shim.chmod(0o755)
        self.deadline = time.monotonic() + TIMEOUT
        self.sessions = []
        self.has_git = False

    # The project.

    def file(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return str(target)

    def path(self, path):
        return str(self.root / path)

    def contract(self, id, pattern, message, glob="**/*.py", severity="error", at=".claude/contracts", **keys):
        lines = [f"rule_id: {id}", "type: forbid_pattern", f"pattern: '{pattern}'", f"file_glob: '{glob}'"]
        lines += [f"message: '{message}'", f"severity: {severity}"]
        lines += [f"{key}: {value}" for key, value in keys.items()]
        return self.file(f"{at}/{id}.yaml", "\n".join(lines) + "\n")

    def config(self, **keys):
        self.file(".claude/phaser.yaml", "".join(f"{key}: {value}\n" for key, value in keys.items()))

    def settings(self, path=".claude/settings.json"):
        target = self.root / path
        return json.loads(target.read_text()) if target.exists() else {}

    def environment(self):
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "SHELL") if name in os.environ}
        path = f"{self.bin}:{self.tools.path}"
        return {**kept, "PATH": path, "HOME": str(self.home), "CLAUDE_CONFIG_DIR": str(self.home / ".claude")}

    def git(self, *arguments):
        # Long before the session: what was committed a moment ago might be the work of the command that comes next.
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{int(time.time()) - 3600} +0000")
        variables = {**self.environment(), **dates}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=variables, capture_output=True, text=True)
        if done.returncode != 0:
            raise Unmet(f"git {' '.join(arguments)} works", done.stderr)
        return done.stdout

    def commit(self, message="work"):
        """Everything there is, as a commit."""
        if not self.has_git:
            self.git("init", "--quiet")
            self.has_git = True
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        # Loose objects have the time at which they were written; packed ones are older than any command.
        self.git("reflog", "expire", "--expire=all", "--all")
        self.git("gc", "--quiet", "--prune=now")

    def phaser(self, *arguments):
        return subprocess.run(
            [self.tools.phaser, *arguments], cwd=self.root, env=self.environment(), capture_output=True, text=True
        )

    def install(self, *flags):
        done = self.phaser("enforce", "install", *flags)
        if done.returncode != 0:
            raise Unmet(f"'phaser enforce install {' '.join(flags)}' works", done.stdout + done.stderr)

    def guard(self, *flags):
        self.install("--guard", *flags)

    def python(self, existing="report", git=True, **policies):
        """The project of most scenarios: an error and a warning about Python, and the guard."""
        self.contract("no-eval", r"\beval\(", "Use ast.literal_eval.")
        self.contract("no-print", r"\bprint\(", "Use the logger.", severity="warning")
        self.config(existing=existing, **policies)
        self.file("src/app.py", "def main():\n    return 1\n")
        self.file("src/legacy.py", "OLD = eval(input())\nx = 1\ny = 2\n")
        self.guard()
        if git:
            self.commit()

    # The client.

    def run(self, *turns, agents=None, prompt="Go on.", mode=BYPASS, options=(), env=None, path=None):
        """Runs the client until the script ends."""
        model = Model({MAIN: turns, **(agents or {})})
        command = [self.tools.client, "-p", "--output-format", "stream-json", "--verbose", "--include-hook-events"]
        command += ["--permission-mode", mode, *options, "--", prompt]
        variables = {
            **self.environment(),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "nobodys-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # Every tool can be called at once, without a search for it.
            "ENABLE_TOOL_SEARCH": "false",
            # Permission prompts may be switched off as root, too: all of this is made up.
            "IS_SANDBOX": "1",
            **(env or {}),
        }
        if path is not None:
            variables["PATH"] = path
        process = subprocess.Popen(
            command, cwd=self.root, env=variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=max(1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            self.sessions.append(Session(model, stdout, stderr, -1))
            raise Unmet(f"the client ends within {TIMEOUT} seconds", self.sessions[-1].transcript()) from None
        finally:
            model.close()
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        session = Session(model, stdout, stderr, process.returncode)
        self.sessions.append(session)
        return session

    def client(self, *arguments):
        """One of the client's other commands."""
        return subprocess.run(
            [self.tools.client, *arguments], cwd=self.root, env=self.environment(), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=TIMEOUT,
        )

    def answers(self, kind=None, tool=None):
        """What the client piped into phaser, and what it answered."""
        found = []
        for at in sorted(self.events.glob("*.event")):
            answer = at.with_suffix(".answer").read_text() if at.with_suffix(".answer").exists() else ""
            code = at.with_suffix(".code").read_text() if at.with_suffix(".code").exists() else "-1"
            found.append(Answered(parsed(at.read_text()), parsed(answer), int(code)))
        return [
            one for one in found
            if kind in (None, one.kind) and tool in (None, one.event.get("tool_name"))
        ]

    # Expectations.

    def expect(self, holds, expected, received=None):
        if not holds:
            raise Unmet(expected, received if received is not None else self.transcript())

    def transcript(self):
        return "\n--\n".join(session.transcript() for session in self.sessions)

    def text(self, path):
        target = self.root / path
        return target.read_text() if target.exists() else None

    def holds(self, path, text):
        self.expect(self.text(path) == text, f"{path} holds {text!r}", f"it holds {self.text(path)!r}\n{self.transcript()}")

    def denied(self, received, *words):
        """The call was refused by phaser, with these words in the reason."""
        result = received.results[0] if received.results else None
        shown = result.text if result else "no result"
        self.expect(result and result.is_error, "the call is denied", shown)
        # Older clients (2.1.200) send the reason alone.
        reasons = [answered.answer.get("hookSpecificOutput", {}).get("permissionDecisionReason") for answered in self.answers()]
        framed = "PreToolUse:" in shown and "hook error" in shown
        self.expect(framed or shown in reasons, "a hook denies the call", shown)
        for word in (part for word in words for part in getattr(word, "denial", (word,))):
            self.expect(word in shown, f"the reason has '{word}' in it", shown)
        return shown

    def refused(self, received):
        """The call was not made: phaser or the client refused it."""
        self.expect(received.results and received.results[0].is_error, "the call is refused", shown_of(received))
        return received.results[0].text

    def passed(self, received):
        errors = [result.text for result in received.results if result.is_error]
        self.expect(received.results and not errors, "the call is made", shown_of(received))

    def silent(self, received):
        """The model received nothing from a hook."""
        self.expect(not received.hooks, "the model receives nothing from a hook", "\n".join(received.hooks))

    def receives(self, received, *words):
        shown = "\n".join(received.hooks)
        for word in words:
            self.expect(word in shown, f"the model receives '{word}'", shown_of(received))
        return shown

    def does_not_receive(self, received, *words):
        shown = "\n".join(received.everything())
        for word in words:
            self.expect(word not in shown, f"the model does not receive '{word}'", shown)

    def only_context(self, received):
        errors = [text for text in received.hooks if "blocking error" in text]
        self.expect(not errors, "the text of the hook is context and not an error", "\n".join(errors))

    def whole_turns(self, session):
        """The client ended by itself, and well."""
        ends = [event for event in session.stream if event.get("type") == "result"]
        fine = ends and all(end.get("subtype") == "success" and not end.get("is_error") for end in ends)
        self.expect(fine, "the run ends well", f"{ends}\n{session.stderr}")

    def close(self, keep=False):
        if not keep:
            shutil.rmtree(self.place, ignore_errors=True)


def shown_of(received):
    return "\n".join(received.everything()) or "nothing"


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return {"unreadable": text}
