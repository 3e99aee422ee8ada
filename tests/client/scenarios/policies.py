"""'ignores' and 'protect': an added ignore directive and a weakened contract, under each of their four values.

All of it in bypassPermissions: in other modes the client itself guards '.claude'.
"""

import json

from model import use
from suite import placed, scenario

EVAL = "Use ast.literal_eval."
VALUES = ("allow", "report", "ask", "deny")
IGNORED = "x = eval(y)  # phaser:ignore no-eval\n"


def outcome(s, session, value, path, before, after, *words):
    """Checks one edit against the value of a policy: made or not, reported or not."""
    received = session.after(1)
    if value in ("allow", "report"):
        s.passed(received)
        s.holds(path, after)
    else:
        s.refused(received)
        s.holds(path, before)
    if value == "allow":
        s.silent(received)
    if value == "report":
        s.receives(received, *words)
        s.only_context(received)
        shown = [one.answer.get("systemMessage", "") for one in s.answers()]
        s.expect(any(words[0] in text for text in shown), f"the user sees '{words[0]}', too", "\n".join(shown))
    if value == "deny":
        s.denied(received, *words)
    if value == "ask":
        reason = received.results[0].text
        for word in words:
            s.expect(word in reason, f"the reason has '{word}' in it", reason)
    s.expect(not session.feedback(), "the turn ends at once")


def names_user(s, session):
    """A refusal names the user, who has to agree: in a headless run it is all that the model receives."""
    reason = session.after(1).results[0].text.lower()
    s.expect("user" in reason, "the reason names who has to agree", reason)


def ignores(value, tool):
    def run(s):
        s.python(ignores=value)
        if tool == "Write":
            call = use("Write", file_path=s.path("src/new.py"), content=IGNORED)
            path, before, after = "src/new.py", None, IGNORED
        else:
            call = use("Edit", file_path=s.path("src/app.py"), old_string="return 1", new_string=IGNORED.strip())
            path, before = "src/app.py", "def main():\n    return 1\n"
            after = before.replace("return 1", IGNORED.strip())
        session = s.run([call])
        outcome(s, session, value, path, before, after, "no-eval", path)
        if value in ("ask", "deny"):
            names_user(s, session)

    scenario(f"ignores-{value}-{tool.lower()}")(run)


for chosen in VALUES:
    ignores(chosen, "Write")
    ignores(chosen, "Edit")


@scenario("ignores-that-hide-nothing")
def ignores_nothing(s):
    """A directive that suppresses nothing is a comment like any other."""
    s.python(ignores="deny")
    session = s.run([use("Write", file_path=s.path("src/new.py"), content="x = 1  # phaser:ignore no-eval\n")])
    s.passed(session.after(1))
    s.silent(session.after(1))


@scenario("ignores-that-were-there")
def ignores_there(s):
    s.file("src/kept.py", IGNORED + "z = 1\n")
    s.python(ignores="deny")
    session = s.run([use("Edit", file_path=s.path("src/kept.py"), old_string="z = 1", new_string="z = 2")])
    s.passed(session.after(1))
    s.silent(session.after(1))


CONTRACT = ".claude/contracts/no-eval.yaml"


def edited(path, old, new):
    return lambda s: (path, use("Edit", file_path=s.path(path), old_string=old, new_string=new))


def written(path, change):
    """A Write of the whole file, changed by a function of its text."""
    return lambda s: (path, use("Write", file_path=s.path(path), content=change(s.text(path) or "")))


def without_phaser(text):
    return json.dumps({**json.loads(text), "hooks": {}}, indent=2) + "\n"


def baselined(s):
    """A baseline that takes in what is violated today, as the model's own work."""
    path = ".claude/phaser-baseline.jsonl"
    done = s.phaser("baseline")
    text = s.text(path)
    s.expect(done.returncode == 0 and text, "'phaser baseline' works", done.stderr)
    (s.root / path).unlink()
    return path, use("Write", file_path=s.path(path), content=text)


SWITCHED_OFF = """rule_id: no-eval
type: forbid_pattern
pattern: '\\beval\\('
file_glob: '**/*.py'
message: 'Off.'
severity: error
enabled: false
"""
# The ways to weaken what is enforced.
WEAKENED = {
    "severity": edited(CONTRACT, "severity: error", "severity: warning"),
    "severity-written": written(CONTRACT, lambda text: text.replace("severity: error", "severity: warning")),
    "disabled": edited(CONTRACT, "severity: error", "severity: error\nenabled: false"),
    "excluded": edited(CONTRACT, "severity: error", "severity: error\nexclude_glob: 'src/**'"),
    "narrowed": edited(CONTRACT, "file_glob: '**/*.py'", "file_glob: 'lib/*.py'"),
    "pattern": edited(CONTRACT, r"\beval\(", r"\bnever_called\("),
    "emptied": written(CONTRACT, lambda text: "\n"),
    "broken": written(CONTRACT, lambda text: "rule_id: [\n"),
    "nested": written("src/" + CONTRACT, lambda text: SWITCHED_OFF),
    "config-protect": edited(".claude/phaser.yaml", "existing: deny\nprotect", "existing: deny\nprotect: allow\n# protect"),
    "config-ignores": edited(".claude/phaser.yaml", "ignores: deny", "ignores: allow"),
    "config-existing": edited(".claude/phaser.yaml", "existing: deny", "existing: report"),
    "config-exclude": written(".claude/phaser.yaml", lambda text: text + "exclude: ['src/**']\n"),
    "config-override": written(
        ".claude/phaser.yaml", lambda text: text + "overrides:\n  - contracts: [no-eval]\n    severity: warning\n"
    ),
    "baseline": baselined,
    "settings": written(".claude/settings.json", without_phaser),
    "settings-local": written(".claude/settings.local.json", lambda text: '{"disableAllHooks": true}\n'),
}


def protect(value, way):
    def run(s):
        s.python(existing="deny", protect=value, ignores="deny")
        path, call = WEAKENED[way](s)
        before = s.text(path)
        session = s.run([call])
        after = call.input.get("content") or (before or "").replace(
            call.input.get("old_string", ""), call.input.get("new_string", ""), 1
        )
        # What is weakened is named: a contract by its id, the rest by its file.
        outcome(s, session, value, path, before, after, "no-eval" if path.endswith(CONTRACT) else path)
        if value in ("ask", "deny"):
            names_user(s, session)

    scenario(f"protect-{value}-{way}")(run)


for chosen in VALUES:
    protect(chosen, "severity")
    protect(chosen, "config-protect")
for way in WEAKENED:
    if way not in ("severity", "config-protect"):
        protect("deny", way)
protect("ask", "disabled")
protect("report", "excluded")


@scenario("protect-adding-a-contract")
def adding(s):
    """A new contract, and one made stricter, weaken nothing."""
    s.python(protect="deny")
    text = SWITCHED_OFF.replace("eval", "exec").replace("Off.", "No.").replace("enabled: false\n", "")
    session = s.run(
        [use("Write", file_path=s.path(".claude/contracts/no-exec.yaml"), content=text)],
        [use("Edit", file_path=s.path(".claude/contracts/no-print.yaml"), old_string="warning", new_string="error")],
        [use("Write", file_path=s.path("src/new.py"), content="exec(x)\n")],
        [use("Write", file_path=s.path("src/new.py"), content="print(x)\n")],
    )
    for number in (1, 2):
        s.passed(session.after(number))
        s.silent(session.after(number))
    s.denied(session.after(3), placed("no-exec", "src/new.py", 1, "No."))
    s.denied(session.after(4), placed("no-print", "src/new.py", 1, "Use the logger."))
