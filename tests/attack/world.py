"""A sandbox project, and an agent in it that sends the events of Claude Code to phaser.

A step is a dictionary: `kind` (the name of the move), `tool`, and `input` as the model would send it, with relative paths.
An edit is carried out only if phaser neither denies nor asks. A command really runs. Fields are those of
tests/corpus/claude-code.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from model import BASELINE, CONFIG, HOOK, SETTINGS, Start, read, read_worktree

PATHS = ("file_path", "notebook_path", "path", "file", "filename")
SESSION = "0b7c1d2e-3f40-4a5b-8c6d-7e8f90a1b2c3"

# Longer than the tolerance of phaser's time window after a command, in whole seconds: a turn sees no change of the one before.
PAUSE = 2.2


def contract(name, pattern, glob, kind="forbid_pattern", **more):
    keys = {"rule_id": name, "type": kind, "pattern": f"'{pattern}'", "file_glob": f"'{glob}'",
            "message": f"'Do not {name}.'", "severity": "error", **more}
    return "".join(f"{key}: {value}\n" for key, value in keys.items() if value != "''")


def notebook(source):
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def settings(command=HOOK, matcher=None, **more):
    def group(name, events):
        return {event: [{**({"matcher": name} if name else {}), "hooks": [
            {"type": "command", "command": command, "timeout": 60, **more}]}] for event in events}
    tools = "Write|Edit|MultiEdit|NotebookEdit"
    return {"hooks": {
        **group(None, ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange"]),
        **group(matcher or f"^({tools}|mcp__.+)$", ["PreToolUse"]),
        **group(matcher or f"^({tools}|Bash|mcp__.+)$", ["PostToolUse"]),
        **group("Bash", ["PostToolUseFailure"]),
    }}


CONTRACTS = {
    "no-eval": contract("no-eval", r"eval\(", "**/*.{py,js,ipynb}"),
    "no-drop": contract("no-drop", r"run\(\s*drop_\w+", "**/*.{py,ipynb}"),
    "no-env": contract("no-env", "", "**/.env", "file_not_exists"),
}
POLICY = "existing: report\nignores: deny\nprotect: deny\n"
ENTRY = '{"contract":"no-eval","path":"src/legacy.py","digest":"0123456789abcdef","count":1}\n'
FILES = {
    **{f".claude/contracts/{name}.yaml": text for name, text in CONTRACTS.items()},
    CONFIG: POLICY,
    BASELINE: ENTRY,
    SETTINGS[0]: json.dumps(settings(), indent=2) + "\n",
    ".gitignore": "build/\n",
    "app.py": "x = 1\n",
    "docs/notes.txt": "notes\n",
    "lib/m.py": "m = 1\n",
    "src/a.py": "x = 1\ny = 2\n",
    "src/legacy.py": "old = eval(input())\nx = 1\nrun(\n  drop_old)\n",
    "src/ok.py": "x = 1\nknown = eval(y)  # phaser:ignore no-eval\n",
    "src/pkg/deep.py": "x = 1\n",
    "src/web.js": "let x = 1;\n",
    "work.ipynb": notebook("x = 1\n"),
}
# Branches that were there before the agent: the changes of one commit each.
BRANCHES = {
    "theirs": {"lib/m.py": "m = 2\n"},
    "bad": {"src/a.py": "x = 1\nbad = eval(x)\n"},
    "topic": {"src/topic.py": "topic = eval(x)\n", "docs/notes.txt": "topic\n"},
    "weak": {".claude/contracts/no-drop.yaml": None},
}

for name in list(os.environ):
    if name.startswith(("GIT_", "CLAUDE", "PHASER", "XDG_")):
        del os.environ[name]
os.environ |= {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_EDITOR": "true",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
}


def put(root, files):
    for path, text in files.items():
        path = Path(root, path)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def build(directory, tracked):
    """A project with history and a remote. Without `tracked`, git ignores and does not track `.claude`."""
    root = Path(directory, "project")
    root.mkdir(parents=True)
    def git(*arguments, cwd=root):
        dated = {**os.environ, "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        subprocess.run(["git", *arguments], cwd=cwd, env=dated, check=True, capture_output=True)
    git("init", "-q", "-b", "main")
    put(root, FILES)
    if not tracked:
        Path(root, ".git/info/exclude").write_text(".claude\n")
    git("add", "--all")
    git("commit", "-q", "-m", "first")
    for name, files in BRANCHES.items():
        if not tracked and name == "weak":
            continue
        git("switch", "-q", "-c", name)
        put(root, files)
        git("add", "--all")
        git("commit", "-q", "-m", name)
        git("switch", "-q", "main")
    put(root, {"app.py": "x = 2\n"})
    git("stash")
    other = Path(directory, "other")
    other.mkdir()
    git("init", "-q", cwd=other)
    put(other, {"other.py": "other = eval(x)\n"})
    git("add", "--all", cwd=other)
    git("commit", "-q", "-m", "other", cwd=other)
    git("clone", "-q", "--bare", str(root), "../upstream")
    git("clone", "-q", "../upstream", "../colleague")
    colleague = Path(directory, "colleague")
    put(colleague, {"lib/new.py": "n = 1\n"})
    git("add", "--all", cwd=colleague)
    git("commit", "-q", "-m", "pulled", cwd=colleague)
    git("push", "-q", "origin", "main", cwd=colleague)
    git("remote", "add", "origin", "../upstream")
    git("config", "branch.main.remote", "origin")
    git("config", "branch.main.merge", "refs/heads/main")
    git("config", "protocol.file.allow", "always")


class Refused(Exception):
    """A tool call that the agent refuses before it sends an event."""


class World:
    """One project and its agent. `informed` collects the texts that the model or the user saw in this turn."""

    def __init__(self, phaser, template, with_diff):
        self.base = tempfile.mkdtemp(prefix="attack-")
        shutil.copytree(template, self.base, symlinks=True, dirs_exist_ok=True)
        self.root = os.path.join(self.base, "project")
        self.phaser = phaser
        self.with_diff = with_diff
        self.transcript = os.path.join(self.base, "session.jsonl")
        self.environment = {**os.environ, "HOME": os.path.join(self.base, "home"), "CLAUDE_PROJECT_DIR": self.root}
        os.makedirs(self.environment["HOME"])
        self.settings = {}
        self.notice_settings()

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)

    # A turn.

    def begin(self):
        time.sleep(PAUSE)
        self.informed, self.refusals, self.running = [], [], []
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        prompt = {"parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": "Go on."},
                  "timestamp": now, "sessionId": SESSION, "cwd": self.root}
        with open(self.transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(prompt) + "\n")
        return Start(self.root)

    def end(self):
        for process in self.running:
            process.wait()
        self.notice_settings()
        self.send("Stop", stop_hook_active=False, last_assistant_message="Done.", background_tasks=[], session_crons=[])
        return read_worktree(self.root)

    def step(self, step):
        run = {"Bash": self.run, "Background": self.background}.get(step["tool"], self.edit)
        try:
            run(step["tool"], step["input"])
        except (Refused, OSError):
            return
        self.notice_settings()

    def notice_settings(self):
        """Claude Code watches its settings."""
        for path, source in zip(SETTINGS, ("project_settings", "local_settings")):
            text = read(os.path.join(self.root, path))
            if text != self.settings.get(path, text):
                self.send("ConfigChange", source=source, file_path=os.path.join(self.root, path))
            self.settings[path] = text

    # Tools.

    def edit(self, tool, given):
        given = {key: os.path.join(self.root, value) if key in PATHS else value for key, value in given.items()}
        path = next((given[key] for key in PATHS if key in given), None)
        if "relative_path" in given:
            path = os.path.join(self.root, given["relative_path"])
        if "uri" in given:
            given["uri"] = "file://" + os.path.join(self.root, given["uri"])
            path = given["uri"].removeprefix("file://")
        exists = os.path.exists(path)
        before = read(path).decode(errors="surrogateescape") if exists else None
        after = result(tool, given, before)
        if not self.send("PreToolUse", tool_name=tool, tool_input=given):
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # In place, so that links stay links.
        with open(path, "wb") as file:
            file.write(after.encode(errors="surrogateescape"))
        if tool.startswith("mcp__"):
            response = [{"type": "text", "text": "done"}]
        elif tool == "NotebookEdit":
            response = {"notebook_path": path, "original_file": before, "updated_file": after, "edit_mode": "replace",
                        "cell_id": "c1", "new_source": given["new_source"], "error": ""}
        else:
            response = {"filePath": path, "originalFile": before, "structuredPatch": [], "userModified": False}
        self.send("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, duration_ms=5)

    def run(self, _, given):
        command = {"command": given["command"], "description": "work"}
        self.send("PreToolUse", tool_name="Bash", tool_input=command)
        before = read_worktree(self.root).files if self.with_diff else {}
        start = time.monotonic()
        done = subprocess.run(["bash", "-c", given["command"]], cwd=self.root, env=self.environment, capture_output=True,
                              timeout=60, check=False)
        event = {"tool_name": "Bash", "tool_input": command, "duration_ms": int((time.monotonic() - start) * 1000)}
        if done.returncode:
            self.send("PostToolUseFailure", error=f"Exit code {done.returncode}", is_interrupt=False, **event)
            return
        response = {"stdout": done.stdout.decode(errors="replace"), "stderr": "", "interrupted": False, "isImage": False}
        if self.with_diff:
            after = read_worktree(self.root).files
            changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
            changed = [os.path.join(self.root, path) for path in sorted(changed)]
            files = [{"filePath": path, "hunks": []} for path in changed]
            response["bashEditDiff"] = {"files": files, "moreFiles": 0, "changedFiles": changed}
        self.send("PostToolUse", tool_response=response, **event)

    def background(self, _, given):
        command = {"command": given["command"], "description": "work", "run_in_background": True}
        self.send("PreToolUse", tool_name="Bash", tool_input=command)
        self.running.append(subprocess.Popen(["bash", "-c", given["command"]], cwd=self.root, env=self.environment,
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        response = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, "backgroundTaskId": "b1"}
        self.send("PostToolUse", tool_name="Bash", tool_input=command, tool_response=response, duration_ms=5)

    # Events.

    def send(self, name, **fields):
        """Sends an event, keeps what the response informs of, and returns whether the agent goes on."""
        event = {"session_id": SESSION, "transcript_path": self.transcript, "cwd": self.root,
                 "permission_mode": "bypassPermissions", "hook_event_name": name, **fields}
        done = subprocess.run([self.phaser, "enforce", "--stdin", "--guard"], input=json.dumps(event).encode(),
                              cwd=self.root, env=self.environment, capture_output=True, timeout=60, check=False)
        try:
            response = json.loads(done.stdout)
        except ValueError:
            response = None
        if done.returncode or not isinstance(response, dict):
            raise RuntimeError(f"exit {done.returncode}, {done.stdout!r}, {done.stderr!r}")
        specific = response.get("hookSpecificOutput", {})
        decision = specific.get("permissionDecision") or response.get("decision")
        if decision in ("deny", "ask", "block"):
            self.refusals.append(f"{name}: {specific.get('permissionDecisionReason') or response.get('reason')}")
        if decision in ("deny", "ask"):
            return False
        texts = [response.get("reason"), response.get("systemMessage"), specific.get("additionalContext")]
        self.informed.append("\n".join(text for text in texts if text))
        return True


def result(tool, given, before):
    """The file after a call, as Claude Code and a file server write it."""
    for key in ("content", "text", "contents", "new_content", "data"):
        if key in given:
            return given[key]
    if before is None:
        raise Refused
    if tool == "NotebookEdit":
        try:
            book = json.loads(before)
            book["cells"][0]["source"] = given["new_source"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise Refused from None
        return json.dumps(book, indent=1)
    edits = given.get("edits") or [given]
    for edit in edits:
        old = edit.get("old_string", edit.get("oldText"))
        new = edit.get("new_string", edit.get("newText"))
        if old not in before:
            raise Refused
        before = before.replace(old, new, 1)
    return before
