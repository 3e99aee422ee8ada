"""The hooks themselves: how they are installed, taken out behind phaser's back, and what happens when phaser is not well."""

import json
import os
import time

from model import use
from suite import ACCEPT, DEFAULT, GUARD_EVENTS, HERE, Unmet, placed, scenario

EVAL = "Use ast.literal_eval."
REPOSITORY = HERE.parent.parent


def bash(command, **keys):
    return use("Bash", command=command, description="work", **keys)


def write(s, content="eval(x)\n", path="src/new.py"):
    return use("Write", file_path=s.path(path), content=content)


def later(*blocks):
    """The client needs a moment to notice a changed file."""
    return lambda received: (time.sleep(3), list(blocks))[1]


def commands(settings):
    """Each hook in the settings: its event, its matcher, its command."""
    for event, entries in settings.get("hooks", {}).items():
        for entry in entries:
            for hook in entry.get("hooks", []):
                yield event, entry.get("matcher"), hook.get("command", "")


# Settings that change while a session runs.


def taken_out(s, command, still_guarded=True):
    session = s.run([bash(command)], later(write(s)))
    if still_guarded:
        s.denied(session.after(2), placed("no-eval", "src/new.py", 1, EVAL))
        s.holds("src/new.py", None)
    else:
        s.passed(session.after(2))
    changes = s.answers("ConfigChange")
    s.expect(changes, "the client reports that the settings changed", "no such event")
    blocked = [one for one in changes if one.answer.get("decision") == "block"]
    s.expect(bool(blocked) == still_guarded, f"the change is {'' if still_guarded else 'not '}blocked", str(changes))
    if still_guarded:
        s.expect(blocked[0].answer.get("reason"), "with a reason", str(blocked[0].answer))


@scenario("hooks-taken-out")
def hooks_taken_out(s):
    s.python(protect="deny")
    taken_out(s, "echo '{}' > .claude/settings.json")


@scenario("hooks-taken-out-reported")
def hooks_taken_out_reported(s):
    s.python(protect="report")
    taken_out(s, "echo '{}' > .claude/settings.json")


@scenario("hooks-taken-out-allowed")
def hooks_taken_out_allowed(s):
    """Without protection, the settings are the model's to change: what shows that the block does something."""
    s.python(protect="allow")
    taken_out(s, "echo '{}' > .claude/settings.json", still_guarded=False)


@scenario("hooks-settings-removed")
def hooks_settings_removed(s):
    s.python(protect="ask")
    taken_out(s, "rm .claude/settings.json")


@scenario("hooks-switched-off")
def hooks_switched_off(s):
    s.python(protect="deny")
    taken_out(s, "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json")


@scenario("hooks-taken-out-twice")
def hooks_taken_out_twice(s):
    """The session keeps its hooks for good, however often the settings change."""
    s.python(protect="deny")
    session = s.run([bash("echo '{}' > .claude/settings.json")], later(write(s)), [bash("rm .claude/settings.json")], later(write(s)))
    s.denied(session.after(2), placed("no-eval", "src/new.py", 1, EVAL))
    s.denied(session.after(4), placed("no-eval", "src/new.py", 1, EVAL))


@scenario("hooks-other-change")
def hooks_other_change(s):
    """A change that leaves phaser's hooks alone is nobody's business."""
    s.python(protect="deny")
    command = "python3 -c \"import json; p='.claude/settings.json'; d=json.load(open(p)); d['env']={'A':'b'}; json.dump(d,open(p,'w'))\""
    session = s.run([bash(command)], later(write(s, "x = 1\n")))
    s.passed(session.after(2))
    changes = s.answers("ConfigChange")
    s.expect(changes and all(one.answer == {} for one in changes), "the change is not blocked", str(changes))


# Installing.


@scenario("install-guard")
def install_guard(s):
    """'install --guard' writes one command for every event, and 'uninstall' takes exactly that out."""
    s.contract("no-eval", r"\beval\(", EVAL)
    other = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, "env": {"A": "b"}}
    s.file(".claude/settings.json", json.dumps(other, indent=2) + "\n")
    s.install("--guard")
    own = [(event, tools, command) for event, tools, command in commands(s.settings()) if "phaser" in command]
    shown = json.dumps(s.settings(), indent=1)
    s.expect({event for event, _, _ in own} == set(GUARD_EVENTS), "a hook for each event", shown)
    s.expect(len({command for _, _, command in own}) == 1, "one command line for all", shown)
    s.expect("phaser enforce --stdin --guard" in own[0][2], "the command is the guard's", shown)
    s.expect(("Stop", None, "true") in list(commands(s.settings())), "other hooks stay", shown)
    s.install("--guard")
    s.expect(json.dumps(s.settings(), indent=1) == shown, "a second time changes nothing", json.dumps(s.settings()))
    done = s.phaser("enforce", "uninstall")
    s.expect(done.returncode == 0 and s.settings() == other, "uninstall takes it out again", json.dumps(s.settings()))


@scenario("install-upgrades")
def install_upgrades(s):
    s.contract("no-eval", r"\beval\(", EVAL)
    s.install()
    s.install("--guard")
    own = [command for _, _, command in commands(s.settings()) if "phaser" in command]
    s.expect(len(own) == len(GUARD_EVENTS), "no hook of the older installation is left", json.dumps(s.settings(), indent=1))
    s.commit()
    session = s.run([write(s)])
    reason = s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.expect(reason.count("no-eval: ") == 1, "the violation is reported once", reason)


@scenario("install-plain")
def install_plain(s):
    """The hooks of the first version answer to the letter as they did: no file in the reason, no sweep, no briefing."""
    s.contract("no-eval", r"\beval\(", EVAL)
    s.contract("no-print", r"\bprint\(", "Use the logger.", severity="warning")
    s.file("src/legacy.py", "OLD = eval(input())\nx = 1\ny = 2\n")
    s.install()
    s.commit()
    session = s.run(
        [write(s, "import os\neval(os)\n")],
        [write(s, "x = 1\n")],
        [write(s, "print(1)\n")],
        [bash("echo 'eval(x)' > src/swept.py")],
        [use("Edit", file_path=s.path("src/legacy.py"), old_string="y = 2", new_string="y = 3")],
        ["Done."],
        mode=ACCEPT,
        options=("--allowedTools", "Bash"),
    )
    s.silent(session.after(0))
    reason = s.denied(session.after(1))
    s.expect(reason.endswith(f"Contract violation: no-eval at line 2. {EVAL}"), "the PRD's reason", reason)
    s.passed(session.after(2))
    s.silent(session.after(2))
    s.passed(session.after(3))
    s.receives(session.after(3), "Contract warning detected after file write", "Warning: no-print at line 1. Use the logger.")
    s.silent(session.after(4))
    s.denied(session.after(5), f"Contract violation: no-eval at line 1. {EVAL}")
    s.expect(not session.feedback(), "the end of the turn is not checked")
    answers = [one.answer for one in s.answers("PreToolUse", "Write")]
    s.expect(answers[1]["hookSpecificOutput"]["permissionDecisionReason"] == "All contracts passed", "allow", str(answers))


# phaser not well.


def path_without_phaser(s):
    directories = [place for place in s.tools.path.split(os.pathsep) if not os.path.exists(os.path.join(place, "phaser"))]
    return os.pathsep.join(directories)


@scenario("phaser-missing")
def phaser_missing(s):
    """Without phaser on the PATH nothing blocks, and no error is reported."""
    s.python()
    session = s.run(
        [write(s)],
        [bash("echo 'eval(x)' > src/swept.py")],
        ["Done."],
        path=path_without_phaser(s),
    )
    s.passed(session.after(1))
    for number in range(3):
        s.silent(session.after(number))
    s.holds("src/new.py", "eval(x)\n")
    s.whole_turns(session)
    failed = [event for event in session.stream if event.get("subtype") == "hook_response" and event.get("exit_code")]
    s.expect(not failed, "the hooks answer all the same", json.dumps(failed[:1], indent=1))


@scenario("contract-broken")
def contract_broken(s):
    """The user sees it, and the rest is enforced."""
    s.python()
    s.file(".claude/contracts/broken.yaml", "rule_id: [\n")
    s.commit()
    session = s.run([write(s)], [write(s, "x = 1\n", "src/fine.py")])
    s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.passed(session.after(2))
    for event in ("SessionStart", "PreToolUse"):
        shown = s.answers(event)[0].answer.get("systemMessage", "")
        s.expect("broken.yaml" in shown, f"{event} names the broken contract to the user", shown or "no systemMessage")


@scenario("config-broken")
def config_broken(s):
    """A broken configuration is reported, and the contracts are enforced without it."""
    s.python()
    s.file(".claude/phaser.yaml", "existing: [\n")
    s.commit()
    session = s.run([write(s)])
    s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    shown = [one.answer.get("systemMessage", "") for one in s.answers("PreToolUse")]
    s.expect(all("phaser.yaml" in text for text in shown), "the user sees it", str(shown))


@scenario("nothing-on-disk")
def nothing_on_disk(s):
    """No event leaves anything behind, in the project or in the home."""
    s.python()
    before = {path for path in s.home.rglob("*") if ".git/" not in str(path)}
    session = s.run([write(s)], [bash("echo 'x = 1' > src/fine.py")], ["Done."])
    s.denied(session.after(1))
    after = {path for path in s.home.rglob("*") if ".git/" not in str(path)}
    own = s.home / ".claude"
    new = [str(path) for path in after - before if own not in path.parents and path.name != "fine.py"]
    s.expect(not new, "only the model's file is new", "\n".join(new))
    # The client names a directory after the project's path, which has phaser's name in it here.
    own = [str(path) for path in after - before if "phaser" in path.name and path.parent.name != "projects"]
    s.expect(not own, "nothing of phaser's is new", "\n".join(own))


# Every event there is, to see what the client sends: none of it may trouble phaser.


@scenario("every-event")
def every_event(s):
    s.python()
    command = next(command for _, _, command in commands(s.settings()) if "--guard" in command)
    names = list(GUARD_EVENTS) + ["UserPromptSubmit", "SessionEnd", "PreCompact", "PostCompact", "PermissionRequest"]
    names += ["PostToolBatch", "CwdChanged", "InstructionsLoaded", "Notification", "FileChanged", "MessageDisplay"]
    hooks = {name: [{"hooks": [{"type": "command", "command": command}]}] for name in names}
    s.file(".claude/settings.json", json.dumps({"hooks": hooks}, indent=2) + "\n")
    s.commit()
    session = s.run(
        [bash("cd src && echo 'x = 1' > new.py"), use("Read", file_path=s.path("src/app.py"))],
        [write(s)],
        mode=DEFAULT,
        options=("--allowedTools", "Bash"),
    )
    s.silent(session.after(1))
    s.denied(session.after(2), placed("no-eval", "src/new.py", 1, EVAL))
    seen = {one.kind for one in s.answers()}
    s.expect({"UserPromptSubmit", "PostToolBatch", "Stop"} <= seen, "the client sends them", str(seen))
    wrong = [one for one in s.answers() if one.code != 0 or "unreadable" in one.answer]
    s.expect(not wrong, "each is answered with JSON and exit code 0", str(wrong[:1]))
    s.expect(all(one.answer == {} for one in s.answers() if one.kind not in GUARD_EVENTS), "others with {}")
    s.expect(all(one.answer == {} for one in s.answers("PreToolUse", "Bash")), "no decision about a command")


# The plugin.


def plugin():
    if not (REPOSITORY / "plugin" / ".claude-plugin" / "plugin.json").exists():
        raise Unmet("the repository has a plugin", "no plugin/.claude-plugin/plugin.json")
    return str(REPOSITORY / "plugin")


@scenario("plugin-validates")
def plugin_validates(s):
    for place in (plugin(), str(REPOSITORY)):
        done = s.client("plugin", "validate", place)
        s.expect(done.returncode == 0, f"'claude plugin validate' accepts {place}", done.stdout + done.stderr)


@scenario("plugin-guards")
def plugin_guards(s):
    s.contract("no-eval", r"\beval\(", EVAL)
    s.commit()
    session = s.run([write(s)], [bash("echo 'eval(x)' > src.py")], ["Done."], options=("--plugin-dir", plugin()))
    s.expect("no-eval" in "\n".join(session.after(0).hooks), "the session is briefed")
    s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
    s.receives(session.after(2), placed("no-eval", "src.py", 1, EVAL))
    s.expect(len(session.feedback()) == 1, "the turn is sent back once", session.transcript())


@scenario("plugin-without-phaser")
def plugin_without_phaser(s):
    s.contract("no-eval", r"\beval\(", EVAL)
    s.commit()
    session = s.run([write(s)], options=("--plugin-dir", plugin()), path=path_without_phaser(s))
    s.passed(session.after(1))
    s.silent(session.after(1))


@scenario("plugin-installed")
def plugin_installed(s):
    """From the marketplace file at the top of the repository, for this project."""
    plugin()
    s.contract("no-eval", r"\beval\(", EVAL)
    s.commit()
    market = json.loads((REPOSITORY / ".claude-plugin" / "marketplace.json").read_text())
    name = f"{market['plugins'][0]['name']}@{market['name']}"
    for command in (("marketplace", "add", str(REPOSITORY)), ("install", name, "--scope", "project")):
        done = s.client("plugin", *command)
        s.expect(done.returncode == 0, f"'claude plugin {' '.join(command)}' works", done.stdout + done.stderr)
    session = s.run([write(s)])
    s.denied(session.after(1), placed("no-eval", "src/new.py", 1, EVAL))
