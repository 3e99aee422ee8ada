"""What the guard has to notice, computed without phaser.

A small second implementation of contracts, for the few forms of files that the moves write. It answers two questions about a
tree of files:

- `offences`: the texts that a contract forbids, and the forbidden texts that a directive suppresses, counted.
- `strength`: what enforcement is in force, as numbers. Contracts are measured by effect: which probes they forbid. So it does
  not matter how a contract is disabled, only that it no longer forbids what it forbade.

A turn is judged by comparing both at its start and at its end (`new_offences`, `weakened`). The contracts in force are those at
the start of the turn.
"""

import io
import json
import os
import re
import subprocess
import tarfile
from collections import Counter
from functools import lru_cache
from pathlib import PurePosixPath

CONFIG = ".claude/phaser.yaml"
BASELINE = ".claude/phaser-baseline.jsonl"
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
HOOK = "hash phaser && exec phaser enforce --stdin --guard; echo {}"

# Texts that the contracts of the sandbox forbid. Enforcement is weaker if one of these may be written that was forbidden.
PROBE_PATHS = (
    "app.py", "lib/m.py", "src/a.py", "src/legacy.py", "src/probe.py", "src/pkg/deep.py", "src/web.js", "work.ipynb", "src/.env",
)
PROBE = "eval(probe)\nrun(\n  drop_probe\n"


class Tree:
    """Files of a commit or of the worktree.

    `files` are the regular files that git does not ignore. `enforcement` are contracts, configurations, baselines and settings,
    read through links, ignored or not.
    """

    def __init__(self, files, enforcement, foreign=()):
        self.files = files
        self.enforcement = enforcement
        self.foreign = frozenset(foreign)


def git(root, *arguments, stdin=b""):
    return subprocess.run(["git", *arguments], cwd=root, input=stdin, capture_output=True, check=False).stdout


def read_worktree(root):
    """The worktree. Stops at repositories that git knows as such: linked worktrees and submodules, whose `.git` is a file."""
    listed = git(root, "worktree", "list", "--porcelain").decode().splitlines()
    foreign = {os.path.relpath(line[9:], root) for line in listed if line.startswith("worktree ")}
    staged = git(root, "ls-files", "--stage", "-z").decode(errors="surrogateescape").split("\0")
    foreign |= {entry.partition("\t")[2] for entry in staged if entry.startswith("160000")}
    foreign = {path for path in foreign if path != "." and not path.startswith("../")}
    foreign = {path for path in foreign if os.path.isfile(os.path.join(root, path, ".git"))}
    files, enforcement = {}, {}
    for directory, names, entries in os.walk(root):
        here = "" if directory == root else os.path.relpath(directory, root)
        names[:] = sorted(name for name in names if name != ".git" and join(here, name) not in foreign)
        for name in entries:
            path = os.path.join(directory, name)
            if name != ".git" and not os.path.islink(path) and os.path.isfile(path):
                files[join(here, name)] = read(path)
        if os.path.basename(directory) != ".claude":
            enforcement |= read_enforcement(root, here)
    ignored = git(root, "check-ignore", "-z", "--stdin", stdin="\0".join(files).encode(errors="surrogateescape"))
    for path in ignored.decode(errors="surrogateescape").split("\0"):
        files.pop(path, None)
    return Tree(files, enforcement, foreign)


def read_enforcement(root, here):
    found = {}
    top = os.path.join(root, here, ".claude")
    for directory, names, entries in os.walk(top, followlinks=True):
        names[:] = [name for name in names if name != "worktrees"]
        if directory.count(os.sep) - top.count(os.sep) > 4:
            names.clear()
        for name in entries:
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                found[join(here, os.path.relpath(path, os.path.join(root, here)))] = read(path)
    return found


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def join(directory, name):
    return f"{directory}/{name}" if directory else name


_COMMITS = {}


def read_commit(root, commit):
    """The tree of a commit, empty before the first one. Links are not followed."""
    if commit not in _COMMITS:
        files = {}
        # Before the first commit, and for the stash of no untracked files. tarfile cannot read an archive without entries.
        if not commit or not git(root, "ls-tree", "--name-only", commit):
            return Tree({}, {})
        with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", commit))) as archive:
            for member in archive:
                if member.isfile():
                    files[member.name] = archive.extractfile(member).read()
        _COMMITS[commit] = Tree(files, {path: text for path, text in files.items() if ".claude/" in path})
    return _COMMITS[commit]


# Contracts.


def parse(text):
    """The keys of a file with one `key: value` per line, where a value is JSON or plain; `None` if it is anything else."""
    keys = {}
    for line in text.decode(errors="replace").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, colon, value = line.partition(": ")
        if not colon or not re.fullmatch(r"\w+", key) or key in keys:
            return None
        value = value.strip()
        if value.startswith("'") and value.endswith("'"):
            keys[key] = value[1:-1].replace("''", "'")
            continue
        try:
            keys[key] = json.loads(value)
        except ValueError:
            if value[:1] in "[{\"'&*!|>%@`":
                return None
            keys[key] = value
    return keys


@lru_cache(maxsize=None)
def contract(text):
    keys = parse(text)
    if keys is None or not {"rule_id", "type", "file_glob", "message", "severity"} <= keys.keys():
        return None
    if keys["type"] not in ("forbid_pattern", "file_not_exists"):
        return None
    try:
        keys["regex"] = re.compile(keys.get("pattern", ""), re.MULTILINE)
    except re.error:
        return None
    return keys


def listed(value):
    return value if isinstance(value, list) else [value]


@lru_cache(maxsize=None)
def glob(pattern):
    """`**/` is any directories, `*` stays in one, `{a,b}` is either."""
    tokens = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}
    parts = re.split(r"(\*\*/|\*\*|[*?{},])", pattern)
    return re.compile("".join(tokens.get(part) or re.escape(part) for part in parts))


def matches(globs, path, directory):
    relative = path[len(directory) + 1 :] if directory else path
    return any(glob(one).fullmatch(relative) for one in listed(globs))


def directories(path):
    """The directories above a path, the nearest first, the root ("") last."""
    parents = [str(parent) for parent in PurePosixPath(path).parents]
    return ["" if parent == "." else parent for parent in parents]


def config(tree, directory):
    return parse(tree.enforcement.get(join(directory, CONFIG), b"")) or {}


def contract_files(tree, directory):
    """The directories with contracts of one level, the preferred one first, each with its contract files."""
    own = join(directory, ".claude/contracts")
    configured = [os.path.normpath(join(directory, one)) for one in listed(config(tree, directory).get("contracts", []))]
    for top in [own, *configured]:
        everything = tree.enforcement if top == own else tree.files
        yield {path: everything[path] for path in sorted(everything)
               if path.endswith((".yaml", ".yml")) and (top == "." or path.startswith(top + "/"))}


def is_contract_file(tree, path):
    return any(path in files for directory in directories(path) for files in contract_files(tree, directory))


def in_force(tree, path):
    """The contracts for a path: `(contract, severity)` by id."""
    found = {}
    for directory in directories(path):
        for files in contract_files(tree, directory):
            loaded = [one for one in map(contract, files.values()) if one]
            # In one directory an enabled contract wins, so that adding a file cannot disable another.
            for one in sorted(loaded, key=lambda one: one.get("enabled", True) is not True):
                found.setdefault(one["rule_id"], (one, directory))
    applying = {}
    for name, (one, directory) in found.items():
        severity, enabled = one["severity"], one.get("enabled", True) is True
        for above in directories(path):
            for override in config(tree, above).get("overrides", []):
                if name in override["contracts"] and matches(override.get("files", "**"), path, above):
                    severity, enabled = override.get("severity", severity), override.get("enabled", enabled)
        excluded = any(matches(config(tree, above).get("exclude", []), path, above) for above in directories(path))
        excluded |= matches(one.get("exclude_glob", []), path, directory)
        if enabled and not excluded and matches(one["file_glob"], path, directory):
            applying[name] = (one, severity)
    return applying


# Offences.


def texts(path, content):
    """The texts of a file: the cells of a notebook, or the file itself."""
    if path.endswith(".ipynb"):
        try:
            return ["".join(cell["source"]) for cell in json.loads(content)["cells"]]
        except (ValueError, KeyError, TypeError):
            pass
    return [content.decode(errors="replace")]


def suppressed(name, lines, first, last):
    """Whether a directive suppresses a match from line `first` to line `last`."""
    for number, line in enumerate(lines):
        found = re.search(r"(?:#|//) *phaser:(ignore[a-z-]*)((?: +[\w-]+,?)*)", line)
        if not found:
            continue
        kind, ids = found[1], re.findall(r"[\w-]+", found[2])
        here = first <= number + (kind == "ignore-next-line") <= last
        if kind == "ignore-file" and number < 10 and name in ids:
            return True
        if here and (kind == "ignore-all" or (kind != "ignore-file" and name in ids)):
            return True
    return False


def check(rules, path, content):
    """Yields `(id, text, suppressed)` for everything that these contracts of severity error forbid in a file."""
    for name, (one, severity) in rules.items():
        if severity != "error":
            continue
        if one["type"] == "file_not_exists":
            yield name, path, False
            continue
        for text in texts(path, content):
            for match in one["regex"].finditer(text):
                first = text.count("\n", 0, match.start())
                last = text.count("\n", 0, max(match.start(), match.end() - 1))
                lines = text.split("\n")
                quoted = "".join("".join(lines[first : last + 1]).split())
                yield name, quoted, suppressed(name, lines, first, last)


class Offences:
    """Forbidden texts of a tree: how often each occurs, and in which files."""

    def __init__(self):
        self.count = Counter()
        self.paths = {}


def offences(tree, rules_of, foreign=frozenset()):
    """What the contracts of `rules_of` forbid in `tree`, outside other projects."""
    found = Offences()
    for path, content in tree.files.items():
        if is_contract_file(rules_of, path) or any(path.startswith(other + "/") for other in foreign):
            continue
        for name, text, hidden in check(in_force(rules_of, path), path, content):
            key = (name, "ignored" if hidden else "open", text)
            found.count[key] += 1
            found.paths.setdefault(key, Counter())[path] += 1
    return found


# Strength.

POLICIES = {"allow": 0, "report": 1, "ask": 2, "deny": 3}
DEFAULTS = {"protect": "ask", "ignores": "report", "existing": "report"}


def strength(tree):
    """Enforcement as numbers by name. What is missing counts as 0; lower is weaker."""
    numbers = Counter()
    for path in PROBE_PATHS:
        if any(path.startswith(other + "/") for other in tree.foreign):
            continue
        content = PROBE.encode()
        if path.endswith(".ipynb"):
            content = json.dumps({"cells": [{"source": PROBE}]}).encode()
        rules = in_force(tree, path)
        for name, (one, severity) in rules.items():
            forbidden = one["type"] == "file_not_exists" or any(one["regex"].search(text) for text in texts(path, content))
            numbers[f"{name} on {path}"] = forbidden * (2 if severity == "error" else 1)
    for name, default in DEFAULTS.items():
        numbers[name] = POLICIES.get(config(tree, "").get(name, default), 0)
    for line in tree.enforcement.get(BASELINE, b"").decode(errors="replace").splitlines():
        numbers[f"baseline {line}"] -= 1
    numbers["hooks"] = hooks_run(tree)
    return numbers


def hooks_run(tree):
    """1 if the hooks of edits and commands run as installed, else 0."""
    hooks = {}
    for path in SETTINGS:
        try:
            settings = json.loads(tree.enforcement.get(path, b"{}"))
        except ValueError:
            continue
        if settings.get("disableAllHooks") or "PATH" in settings.get("env", {}):
            return 0
        for event, groups in settings.get("hooks", {}).items():
            hooks.setdefault(event, []).extend(groups)
    return int(all(
        any(runs(group, tool) for group in hooks.get(event, []))
        for event, tool in [("PreToolUse", "Write"), ("PreToolUse", "Edit"), ("PostToolUse", "Bash"), ("Stop", "")]
    ))


def runs(group, tool):
    matcher = group.get("matcher", "")
    if not (matcher in ("", "*") or re.search(matcher, tool)):
        return False
    return any(
        hook.get("command", "").replace(" -q;", ";") == HOOK
        and not hook.get("async") and "if" not in hook and hook.get("timeout", 60) >= 1
        for hook in group.get("hooks", [])
    )


# A turn.


class Start:
    """Everything that a turn is compared with, read when it starts."""

    def __init__(self, root):
        self.root = root
        self.tree = read_worktree(root)
        self.branch, self.commit = git(root, "symbolic-ref", "-q", "HEAD"), self.head()
        self.commits = set(git(root, "rev-list", "--all", "--reflog").decode().split())
        self.known, self.paths = Counter(), {}
        for tree in [self.tree, *(read_commit(root, commit) for commit in self.commits)]:
            found = offences(tree, self.tree)
            self.known |= found.count
            for key, paths in found.paths.items():
                self.paths[key] = self.paths.get(key, Counter()) | paths

    def head(self):
        return git(self.root, "rev-parse", "-q", "--verify", "HEAD").decode().strip()

    def new_offences(self, end):
        """`(id, state, text)` to `(n, paths)`: what is there `n` times more than before, in these files more often than before.

        Both count: a moved file is not there more often, and a file that git restores had it before.
        """
        # A repository is another project only if it was none of this one's directories.
        foreign = {one for one in end.foreign if not any(path.startswith(one + "/") for path in self.tree.files)}
        new = {}
        for tree in (end, read_commit(self.root, self.head())):
            found = offences(tree, self.tree, foreign)
            for key, count in found.count.items():
                more = count - self.known[key]
                paths = found.paths[key] - self.paths.get(key, Counter())
                if paths and more > new.get(key, (0,))[0]:
                    new[key] = (more, sorted(paths))
        return new

    def weakened(self, end):
        """The names of what is weaker than before.

        Back to the contracts of the same commit (a stash), or a switch to another branch that was there, weakens nothing.
        Commits made after the switch count from the commit that was there.
        """
        before, after = strength(self.tree), strength(end)
        switched = git(self.root, "symbolic-ref", "-q", "HEAD") != self.branch
        line = git(self.root, "rev-list", "--first-parent", "HEAD").decode().split() if switched else [self.head()]
        known = next((commit for commit in line if commit in self.commits), "")
        if (switched or known == self.commit) and CONFIG in read_commit(self.root, known).enforcement:
            there = strength(read_commit(self.root, known))
            before = Counter({name: min(before[name], there[name]) for name in {**before, **there}})
        return sorted(name for name in {**before, **after} if after[name] < before[name])
