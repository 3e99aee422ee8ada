"""Keeps what the client piped into phaser, with the same paths and ids in every run.

What was recorded can be piped into phaser again: the tests in Rust replay the events of `tests/corpus/claude-code`.
"""

import datetime
import json
import re

SESSION = "0b7c1d2e-3f40-4a5b-8c6d-7e8f90a1b2c3"
PROMPT = "5a6b7c8d-9e0f-4a1b-8c2d-3e4f5a6b7c8d"
TOOL_USE = "toolu_000000000000000000000001"
AGENT = "a0123456789abcdef"


def has_changed_files(event):
    """On a busy machine the client may not report what changed; recording again helps."""
    return event["tool_name"] == "Bash" and "changedFiles" in event["tool_response"].get("bashEditDiff", {})


# The events of a scenario that stand for a kind of event: the scenario, the event, and what must be true of it.
CORPUS = {
    "session-start": ("briefing", lambda event: event["source"] == "startup", "SessionStart"),
    "session-start-resume": ("compaction", lambda event: event["source"] == "resume", "SessionStart"),
    "session-start-compact": ("compaction", lambda event: event["source"] == "compact", "SessionStart"),
    "subagent-start": ("subagent-briefed", lambda event: True, "SubagentStart"),
    "pre-write": ("write-denied", lambda event: event["tool_name"] == "Write", "PreToolUse"),
    "pre-edit": ("edit-denied", lambda event: event["tool_name"] == "Edit", "PreToolUse"),
    "pre-notebook": ("notebook-denied", lambda event: event["tool_name"] == "NotebookEdit", "PreToolUse"),
    "pre-mcp": ("mcp-denied", lambda event: event["tool_name"].startswith("mcp__"), "PreToolUse"),
    "pre-shell": ("every-event", lambda event: event["tool_name"] == "Bash", "PreToolUse"),
    "pre-write-subagent": ("subagent-denied", lambda event: "agent_id" in event, "PreToolUse"),
    "post-write": ("write-clean", lambda event: event["tool_name"] == "Write", "PostToolUse"),
    "post-edit": ("legacy-edited-freely", lambda event: event["tool_name"] == "Edit", "PostToolUse"),
    "post-notebook": ("notebook-clean", lambda event: event["tool_name"] == "NotebookEdit", "PostToolUse"),
    "post-mcp": ("mcp-clean", lambda event: event["tool_name"].startswith("mcp__"), "PostToolUse"),
    "post-shell": ("sweep-echo-by-time", lambda event: event["tool_name"] == "Bash", "PostToolUse"),
    "post-shell-with-diff": ("sweep-echo-by-diff", has_changed_files, "PostToolUse"),
    "post-shell-diff-unavailable": ("sweep-diff-unavailable", lambda event: event["tool_name"] == "Bash", "PostToolUse"),
    "post-shell-read-only": ("sweep-read-only-by-diff", lambda event: event["tool_name"] == "Bash", "PostToolUse"),
    "post-shell-background": ("stop-background", lambda event: event["tool_name"] == "Bash", "PostToolUse"),
    "post-shell-failed": ("sweep-failing-by-time", lambda event: True, "PostToolUseFailure"),
    "stop": ("stop-once", lambda event: not event["stop_hook_active"], "Stop"),
    "stop-again": ("stop-once", lambda event: event["stop_hook_active"], "Stop"),
    "subagent-stop": ("subagent-sent-back", lambda event: event["agent_type"], "SubagentStop"),
    "subagent-stop-of-the-client": ("compaction", lambda event: not event["agent_type"], "SubagentStop"),
    "config-change": ("hooks-taken-out", lambda event: True, "ConfigChange"),
}


# The client's own record of a session, which the end of a turn is judged by.
TRANSCRIPTS = {"transcript": "stop-once", "transcript-of-a-background-command": "stop-background-late"}
# Entries of other types are long and do not concern turns.
KEPT_ENTRIES = ("user", "assistant", "system", "queue-operation", "last-prompt", "mode")

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
MADE_UP = {
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}": "00000000-0000-4000-8000-{:012}",
    r"toolu_\d{24}": "toolu_9{:023}",
    r"msg_\d{24}": "msg_9{:023}",
    r"\bb[0-9a-z]{8}\b": "b0000000{}",
}


class Normaliser:
    """Puts made-up paths and ids in the place of those of one run."""

    def __init__(self, scenario):
        self.home = str(scenario.home)
        self.place = str(scenario.place)

    def text(self, text):
        text = text.replace(self.home, "/home/dev").replace(self.place, "/tmp/scratch")
        # The client names directories after paths.
        return text.replace(dashed(self.home), "-home-dev").replace(dashed(self.place), "-tmp-scratch")

    def event(self, event):
        text = self.text(json.dumps(event, ensure_ascii=False))
        for key, constant in (("session_id", SESSION), ("prompt_id", PROMPT), ("agent_id", AGENT)):
            if event.get(key):
                text = text.replace(event[key], constant)
        text = re.sub(r'"toolu_\d+"', f'"{TOOL_USE}"', text)
        text = re.sub(r'"duration_ms": \d+', '"duration_ms": 100', text)
        text = re.sub(r'"backgroundTaskId": "\w+"', '"backgroundTaskId": "b01234567"', text)
        text = re.sub(r'"seconds_since_last_response": \d+', '"seconds_since_last_response": 1', text)
        return json.loads(text)


    def transcript(self, text):
        entries = [json.loads(line) for line in text.splitlines()]
        session = next(entry["sessionId"] for entry in entries if "sessionId" in entry)
        kept = [entry for entry in entries if entry.get("type") in KEPT_ENTRIES]
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in kept)
        text = self.text(text).replace(session, SESSION)
        for pattern, made_up in MADE_UP.items():
            text = numbered(text, pattern, made_up)
        return shifted(text)


def numbered(text, pattern, made_up):
    """Everything of this form but the session's id, by the order of its first appearance."""
    found = dict.fromkeys(one for one in re.findall(pattern, text) if one != SESSION)
    for number, one in enumerate(found, 1):
        text = text.replace(one, made_up.format(number))
    return text


def shifted(text):
    """The same times, as if the session had begun with the year."""
    read = lambda found: datetime.datetime.fromisoformat(found.replace("Z", "+00:00"))
    times = re.findall(TIME, text)
    by = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc) - min(map(read, times))
    for one in dict.fromkeys(times):
        text = text.replace(one, (read(one) + by).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    return text


def dashed(path):
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def keep(scenario, directory):
    """Every event of a scenario, with phaser's answer."""
    clean = Normaliser(scenario)
    for number, one in enumerate(scenario.answers()):
        parts = [f"{number:02}", one.kind or "unknown", one.event.get("tool_name", "")]
        name = "-".join(part for part in parts if part)
        answer = json.loads(clean.text(json.dumps(one.answer, ensure_ascii=False)))
        write(directory / scenario.name / f"{name}.json", {"event": clean.event(one.event), "answer": answer})


def needed():
    """The scenarios that the corpus is recorded from."""
    return sorted({wanted for wanted, _, _ in CORPUS.values()} | set(TRANSCRIPTS.values()))


def add_to_corpus(scenario, directory):
    """The events of this scenario that stand for their kind."""
    clean = Normaliser(scenario)
    for name, (wanted, is_meant, kind) in CORPUS.items():
        if wanted == scenario.name:
            event = next((one.event for one in scenario.answers(kind) if is_meant(one.event)), None)
            if event is None:
                raise SystemExit(f"{scenario.name} has no event for {name}")
            write(directory / f"{name}.json", clean.event(event))
    for name, wanted in TRANSCRIPTS.items():
        if wanted == scenario.name:
            found = sorted(scenario.home.glob(".claude/projects/*/*.jsonl"))
            (directory / f"{name}.jsonl").write_text(clean.transcript(found[0].read_text()))
