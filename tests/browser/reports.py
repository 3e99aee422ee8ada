"""Reports for the page to show: made here, so that what must be on the page is known without it."""

import json
import subprocess
from pathlib import Path

STATES = ["open", "ignored", "existing", "baselined"]
# id, severity, message
CONTRACTS = [
    ("no-print", "error", "Use the logger instead of print."),
    ("no-eval", "error", "Do not evaluate text."),
    ("license", "error", "Say under which license the file is."),
    ("no-todo", "warning", "Make an issue of it."),
    ("wide-except", "warning", "Name the exceptions that you expect."),
]
PATHS = ["app.py", "lib/src/d.py", "src/a.py", "src/b.py", "src/deep/c.py", "tests/test_a.py"]
DAY = 86_400
START = 1_767_225_600


def violation(contract, path, line, text, state="open", **more):
    rule_id, severity, message = contract
    return {"rule_id": rule_id, "severity": severity, "message": message, "file_path": path, "line_number": line,
            "column": 5 if line else None, "matched_text": text, "state": state, **more}


def report(violations, checked=6, skipped=()):
    is_open = [one for one in violations if one["state"] == "open"]
    others = [one for one in violations if one["state"] != "open"]
    return {"version": 1, "files_checked": [f"file-{at}" for at in range(checked)], "violations": is_open, "suppressed": others,
            "skipped": [{"file_path": path, "reason": why} for path, why in skipped], "warnings": []}


def sample():
    """A small report with a bit of everything: contracts, directories, states, lines and no lines."""
    violations = []
    for at in range(60):
        contract = CONTRACTS[(at * 7 + at // 9) % len(CONTRACTS)]
        path = PATHS[(at * 5 + at // 4) % len(PATHS)]
        line = None if contract[0] == "license" else at + 1
        state = STATES[at % 12 % 4] if at % 12 < 4 else "open"
        text = None if line is None else f"    call_{at}({'print' if at % 3 else 'eval'})"
        violations.append(violation(contract, path, line, text, state))
    for one in violations[::7]:
        one["fix"] = {"start": {"line": 1, "column": 1}}
    violations[5]["note"] = "phaser:ignore without an id ignores nothing"
    return report(violations, skipped=[("big.bin", "larger than 10 MB"), ("odd.txt", "cannot be read")])


def many(count):
    """As many as are wanted; each has a word of its own in its line."""
    files = max(1, count // 50)
    violations = [
        violation(CONTRACTS[at % len(CONTRACTS)], f"src/part{at % files % 40:02}/module_{at % files:05}.py", at // files + 1,
                  f"        result = print('item number {at}', unique{at}x, depth=2)")
        for at in range(count)
    ]
    return report(violations, checked=files)


EVIL = {
    "script": "</script><script>window.hacked = 1</script>",
    "image": "<img src=x onerror='window.hacked = 2'>",
    "comment": "<!--<script>",
    "frame": "<iframe srcdoc='<script>parent.hacked = 3</script>'></iframe>",
    "link": "javascript:window.hacked=4",
    "quotes": "\"' onmouseover=window.hacked=5 x=\"'`${window.hacked = 6}",
    "entity": "&lt;b&gt; &amp;amp; &#x3c;",
    "vector": "<svg onload=window.hacked=7><style>*{display:none}</style>",
    "bidi": "a\u202eb\u2066c\u2069d\u200fe\u061cf",
    "controls": "nul\0 esc\x1b[31mred\x1b[0m bell\x07 del\x7f c1\x9b31m cr\r tab\tend",
    "lines": "one\u2028two\u2029three\nfour",
    "long": "w" * 20_000,
    "braces": "{{DATA}} ${1+1} \\u003c/script\\u003e",
    "proto": "__proto__",
    "base": "<base href='https://example.com/'><meta http-equiv=refresh content='0;url=https://example.com/'>",
    "astral": "😀" * 600 + "\U000e0041",
}


def hostile():
    """Everything that could act, in every place that a report has for text."""
    violations = []
    for at, (name, text) in enumerate(EVIL.items()):
        contract = (text, ["error", "warning"][at % 2], text)
        violations.append(violation(contract, f"src/{text}/{text}.py", at + 1, text, note=text))
        violations.append(violation((name, text if at % 5 == 0 else "error", "plain"), f"{name}.py", None, None, "ignored"))
    violations.append(violation(("", "error", ""), "", 1, ""))
    return report(violations, skipped=[(text, text) for text in EVIL.values()])


PROVENANCE = {"time": START + 3_723, "commit": "0123abcdef", "branch": "main"}
# line, column, number of marked characters
MARKED = [
    ("    call(print('x'))", 10, 5),
    ("é😀 = print()", 6, 5),
    ("a" * 700 + "print()" + "b" * 290, 701, 5),
    ("print(" + "c" * 600, 1, 606),
    ("secret = 'AKIA************'", 11, 16),
    ("<b>\tprint</b>", 5, 5),
    ("nothing is known", 3, 0),
    ("cut before", 40, 5),
]


def marked(provenance=PROVENANCE):
    """The data of a page of a run, which has whole lines with the positions of their matches."""
    rows = [[at % 2, at % 3, at + 1, column, 0, text, length, at % 2] for at, (text, column, length) in enumerate(MARKED)]
    contracts = [{"id": "no-print", "severity": "error", "message": "m"}, {"id": "no-todo", "severity": "warning", "message": "n"}]
    return {"provenance": provenance, "about": "2 contracts", "checked": 3, "gaps": [], "states": STATES, "contracts": contracts,
            "paths": ["a.py", "b.py", "c.py"], "rows": rows}


def history(count, contracts=True):
    commits = []
    for at in range(count):
        errors, warnings = max(0, 48 - 4 * at + (7 if at % 5 == 2 else 0)), 20 + (at * 3) % 11
        commit = {"id": f"{at:02x}" * 20, "time": START + 7 * DAY * at, "errors": errors, "warnings": warnings}
        if contracts:
            commit["contracts"] = {"no-print": errors // 2, "no-eval": errors - errors // 2, "no-todo": warnings}
        commits.append(commit)
    return {"version": 1, "commits": commits}


def hostile_history():
    commits = history(4)["commits"]
    for commit, text in zip(commits, EVIL.values()):
        commit["id"] = text
        commit["contracts"] = {evil: 1 for evil in EVIL.values()}
    commits[2]["time"] = -(10**17)
    commits[3]["time"] = 10**17
    return {"version": 1, "commits": commits}


def decisions(days=5):
    """A summary of decisions, as 'phaser decisions --format json' prints it."""
    counts = [("no-print", 9, 1, 7, 2), ("no-eval", 4, 0, 3, 0), ("no-todo", 0, 2, 0, 0)]
    return {"version": 1,
            "contracts": [{"id": id, "denied": denied, "fixed": fixed, "obeyed": obeyed, "repeated": repeated, "last": "2026-01-05T12:00:00.000Z"}
                          for id, denied, fixed, obeyed, repeated in counts],
            "agents": [{"agent": "claude", "events": 1200, "denied": 10}, {"agent": "codex", "events": 40, "denied": 3}],
            "days": [{"day": f"2026-01-{at + 1:02}", "events": 240 + at, "denied": at} for at in range(days)],
            "never": ["license", "wide-except"]}


def hostile_decisions():
    made = decisions()
    row = made["contracts"][0]
    made["contracts"] = [{**row, "id": text} for text in EVIL.values()]
    made["agents"] = [{"agent": text, "events": 1, "denied": 1} for text in EVIL.values()]
    made["days"] = [{"day": text, "events": 1, "denied": 1} for text in EVIL.values()]
    made["never"] = list(EVIL.values())
    return made


def write(phaser, work, name, made, trend=None, title=None, decisions=None):
    """Has phaser make a page of a report."""
    source, page = Path(work, f"{name}.json"), Path(work, f"{name}.html")
    source.write_text(json.dumps(made), encoding="utf-8")
    command = [phaser, "report", "html", source.name, "--output", page.name]
    if trend is not None:
        Path(work, f"{name}.history.json").write_text(json.dumps(trend), encoding="utf-8")
        command += ["--history", f"{name}.history.json"]
    if decisions is not None:
        Path(work, f"{name}.decisions.json").write_text(json.dumps(decisions), encoding="utf-8")
        command += ["--decisions", f"{name}.decisions.json"]
    if title is not None:
        command += ["--title", title]
    subprocess.run(command, cwd=work, check=True)
    return page


def rewrite(phaser, work, name, data):
    """Has phaser read a page with this data, and write it again."""
    source, page = Path(work, f"{name}.source.html"), Path(work, f"{name}.html")
    text = json.dumps(data).replace("<", "\\u003c")
    source.write_text(f'<html><script type="application/json" id="data">{text}</script>', encoding="utf-8")
    subprocess.run([phaser, "report", "html", source.name, "--output", page.name], cwd=work, check=True)
    return page


def tree(phaser, work):
    """A page of a real run, over a project whose files have names and lines of that kind."""
    project, page = Path(work, "tree"), Path(work, "tree.html")
    (project / ".claude/contracts").mkdir(parents=True)
    (project / ".claude/contracts/no-print.yaml").write_text(
        "rule_id: no-print\ntype: forbid_pattern\npattern: 'print'\nfile_glob: '**/*.py'\n"
        f"message: {json.dumps(EVIL['script'] + EVIL['image'])}\nseverity: error\n", encoding="utf-8")
    for name in ["<", "a<img src=x onerror=alert(1)>", "plain"]:
        (project / name).mkdir()
        (project / name / "script><script>alert(1).py").write_text(
            "".join(f"print({text})\n" for key, text in EVIL.items() if key != "controls"), encoding="utf-8")
    run = subprocess.run([phaser, "enforce", "--all", "--output", str(page)], cwd=project, stdout=subprocess.DEVNULL)
    if run.returncode != 1:
        raise SystemExit(f"phaser enforce --all: exit code {run.returncode}")
    return page
