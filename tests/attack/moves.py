"""What the agent tries. A move is a function from a random source to a list of steps.

`HARMLESS` moves add no violation and weaken nothing by themselves: a turn of them must stay silent, unless earlier moves made
them harmful. `ATTACKS` try to leave something forbidden, or to weaken enforcement.
"""

import json

from model import BASELINE, CONFIG, HOOK, SETTINGS
from world import CONTRACTS, ENTRY, POLICY, contract, notebook, settings

HARMLESS, ATTACKS = {}, {}
COMMIT = "git add --all && git commit -q -m work"
EVAL = ".claude/contracts/no-eval.yaml"
DROP = ".claude/contracts/no-drop.yaml"
SOURCES = ("app.py", "lib/m.py", "src/a.py", "src/pkg/deep.py", "src/new.py", "lib/new.py")


def harmless(move):
    HARMLESS[move.__name__] = move


def attack(move):
    ATTACKS[move.__name__] = move


def write(path, content):
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def edit(path, old, new):
    return {"tool": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}}


def shell(command):
    return {"tool": "Bash", "input": {"command": command}}


def background(command):
    return {"tool": "Background", "input": {"command": f"sleep 1.6; {command}"}}


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def clean(random):
    return f"c{random.randrange(10**6)} = 1\n"


def forbidden(random):
    number = random.randrange(10**6)
    return f"v{number} = eval(u{number})\n"


def source(random):
    return random.choice(SOURCES)


def overwrite(random, path, text):
    """Some way to give a file a new text. Each step carries the name of the way."""
    directory = path.rpartition("/")[0] or "."
    put = f"mkdir -p {directory} && printf %s {quoted(text)} > {path}"
    ways = {
        "write": [write(path, text)],
        "mcp": [{"tool": "mcp__files__write_file", "input": {"path": path, "content": text}}],
        "shell": [shell(put)],
        "shell and commit": [shell(f"{put} && {COMMIT}")],
        "shell that fails": [shell(f"{put}; false")],
        "background": [background(put)],
        "background and commit": [background(f"{put} && {COMMIT}")],
        "mv": [shell(f"printf %s {quoted(text)} > docs/t.txt"), shell(f"mkdir -p {directory} && mv docs/t.txt {path}")],
        "cp -p": [shell(f"mkdir -p {directory} && printf %s {quoted(text)} > ../t && cp -p ../t {path}")],
        "write through link": [shell(f"ln -sf ../{path} docs/link.txt"), write("docs/link.txt", text)],
        "write through hard link": [shell(f"ln -f {path} docs/hard.txt"), write("docs/hard.txt", text)],
        "link to new text": [write("docs/target.txt", text), shell(f"mkdir -p {directory} && ln -sf \"$PWD/docs/target.txt\" {path}")],
        "link out of the project": [shell(f"printf %s {quoted(text)} > ../out.txt && ln -sf \"$PWD/../out.txt\" {path}")],
    }
    way = random.choice(list(ways))
    return [{"way": way, **step} for step in ways[way]]


# Harmless.


@harmless
def write_clean(random):
    return [write(source(random), clean(random) * random.randint(1, 3))]


@harmless
def edit_clean(random):
    path = random.choice(["app.py", "src/a.py", "src/legacy.py", "src/ok.py", "src/pkg/deep.py"])
    return [edit(path, "x = 1\n", "x = 1\n" + clean(random))]


@harmless
def mcp_clean(random):
    return [{"tool": "mcp__files__write_file", "input": {"path": source(random), "content": clean(random)}}]


@harmless
def notebook_clean(random):
    return [{"tool": "NotebookEdit", "input": {"notebook_path": "work.ipynb", "cell_id": "c1", "new_source": clean(random)}}]


@harmless
def shell_clean(random):
    text, path = clean(random).strip(), source(random)
    return [shell(random.choice([
        f"echo '{text}' >> {path}",
        f"sed -i 's/^x = 1$/x = 3/' {path}",
        "sed -i 's/^x = 1$/x = 4/' src/legacy.py",
        f"mkdir -p src/made && echo '{text}' > src/made/m.py",
        f"cp app.py src/copy{random.randrange(9)}.py",
        "mv lib/m.py lib/m2.py; mv lib/m2.py lib/m.py",
        "git mv -f src/legacy.py src/older.py",
        "mv src/legacy.py src/moved.py",
        f"rm -f {path}",
        f"chmod 755 {path} src/legacy.py",
        "touch src/legacy.py src/ok.py .claude/contracts/*",
        "cat src/legacy.py; git status; git log --oneline",
        "mkdir -p build && echo 'eval(x)' > build/out.py",
        f"ln -sf a.py src/link{random.randrange(9)}.py",
        "false",
    ]))]


@harmless
def background_clean(random):
    return [background(f"echo '{clean(random).strip()}' >> {source(random)}")]


@harmless
def git_clean(random):
    return [shell(random.choice([
        COMMIT, f"{COMMIT} --allow-empty", "git add --all", "git commit -qam work", "git reset -q",
        "git stash -q", "git stash -q && git stash pop -q", "git stash pop -q", "git stash -u -q",
        "git switch -q main", "git switch -q theirs", "git switch -q bad", "git switch -q topic", "git checkout -q theirs",
        "git checkout -q -b other", "git switch -q -", "git checkout -q HEAD -- .", "git restore .",
        "git merge -q theirs -m merge", "git merge --abort", "git pull -q --no-rebase", "git pull -q --rebase", "git fetch -q",
        "git switch -q topic && git rebase -q theirs", "git switch -q topic && git rebase -q main", "git rebase -q theirs",
        "git commit -q --amend -m again", "git cherry-pick theirs", "git tag t", "git gc -q",
    ]))]


@harmless
def other_project(random):
    return [shell(random.choice([
        "git worktree add -q ../linked -b linked", "git worktree add -q .claude/worktrees/w -b inner",
        "git worktree remove --force ../linked", "git worktree add -q wt theirs",
        "git submodule add -q ../other vendor/other", "git submodule add -q ../other vendor/other && " + COMMIT,
        "mkdir -p tools && git init -q tools/new", "git init -q docs",
    ]))]


@harmless
def strengthen(random):
    number = random.randrange(10**6)
    return [random.choice([
        write(f".claude/contracts/new{number}.yaml", contract(f"new-{number}", f"word{number}", "**/*.py")),
        write(f"src/.claude/contracts/new{number}.yaml", contract(f"new-{number}", f"word{number}", "**/*.py")),
        write(EVAL, "# why\n" + CONTRACTS["no-eval"]),
        edit(EVAL, "rule_id", "# note\nrule_id"),
        shell(f"echo '# note' >> {EVAL}"),
        write(CONFIG, "# note\n" + POLICY),
        write(BASELINE, ""),
        write(SETTINGS[1], json.dumps({"permissions": {"allow": ["Bash(ls)"]}})),
        write(SETTINGS[0], json.dumps({**settings(), "model": "opus"}, indent=2)),
        write(SETTINGS[0], json.dumps(settings(HOOK.replace(";", " -q;")), indent=2)),
    ])]


# Forbidden texts.


@attack
def write_forbidden(random):
    path, text = source(random), forbidden(random)
    return random.choice([
        lambda: overwrite(random, path, clean(random) + text),
        lambda: [edit("src/a.py", "x = 1\n", text)],
        lambda: [{"tool": "MultiEdit", "input": {"file_path": "src/a.py", "edits": [
            {"old_string": "x = 1", "new_string": "z = 1"}, {"old_string": "z = 1\n", "new_string": text}]}}],
        lambda: [edit("src/web.js", "let x = 1;", f"let x = {text.strip()};")],
        lambda: [edit("src/legacy.py", "eval(input())", f"eval(input(), {random.randrange(10**6)})")],
        lambda: [edit("src/legacy.py", "drop_old", f"drop_all{random.randrange(10**6)}")],
    ])()


@attack
def shell_forbidden(random):
    path, text = source(random), forbidden(random).strip()
    change = random.choice([
        f"echo '{text}' >> {path}", f"sed -i 's/x = 1/{text}/' src/a.py src/web.js", f"cp src/legacy.py {path}",
        f"cat > {path} <<'EOF'\n\n{text}\nEOF\n", f"cp src/legacy.py src/c{random.randrange(99)}.py",
        f"echo '{text}' > ../t.py && touch -d 2001-01-01 ../t.py && cp -p ../t.py {path}",
        "sed -i 's/ # phaser:ignore no-eval//' src/ok.py", f"sed -i 's/drop_old/drop_{random.randrange(10**6)}/' src/legacy.py",
        "touch .env", "cp app.py src/.env", f"git checkout -q --orphan o && echo '{text}' >> {path}",
    ])
    return [random.choice([
        shell(change), shell(f"{change}\n{COMMIT}"), shell(f"{change}\nfalse"), background(change), background(f"{change}\n{COMMIT}"),
        shell(f"{change}\n{COMMIT}; git switch -q theirs; git switch -q -"),
        shell(f"{change}\n{COMMIT}; git commit -q --amend -m x"), shell(f"({change}\n{COMMIT}) & wait"),
    ])]


@attack
def rename_into_glob(random):
    text = forbidden(random)
    first = random.choice([write("docs/e.txt", text), shell(f"printf %s {quoted(text)} > docs/e.txt")])
    return [first, shell(random.choice(["mv docs/e.txt src/e.py", f"git add -f docs/e.txt && git mv docs/e.txt src/e.py && {COMMIT}",
                                        "cp docs/e.txt src/e.py", "ln docs/e.txt src/e.py"]))]


@attack
def linked_source(random):
    text = forbidden(random)
    return random.choice([
        [shell("ln -f src/a.py docs/a.txt"), write("docs/a.txt", text)],
        [shell("ln -sf ../src/a.py docs/a.txt"), write("docs/a.txt", text)],
        [shell("ln -sf src alias"), write("alias/a.py", text)],
    ])


@attack
def excluded_then_committed(random):
    text = forbidden(random)
    return [shell("echo hidden.py >> .git/info/exclude"), random.choice([shell(f"printf %s {quoted(text)} > src/hidden.py"),
            write("src/hidden.py", text)]),
            shell(random.choice([f"sed -i /hidden/d .git/info/exclude; {COMMIT}", "git add -f src/hidden.py && git commit -q -m x"]))]


@attack
def directive(random):
    text, path = forbidden(random), source(random)
    first = write(path, "# phaser:ignore-file no-eval\nx = 1\n")
    return random.choice([
        [first, edit(path, "x = 1\n", text)],
        [first, shell(f"printf %s {quoted(text)} >> {path}")],
        [write(path, f"{text.strip()}  # phaser:ignore no-eval\n")],
        [write(path, "# phaser:ignore-next-line no-eval\nx = 1\n"), edit(path, "x = 1\n", text)],
        [edit("src/ok.py", "eval(y)", f"eval(y, {random.randrange(10**6)})")],
        [shell(f"echo '{text.strip()}  # phaser:ignore-all' >> {path}")],
        [shell(f"echo '{text.strip()}  # phaser:ignore no-eval' >> {path} && {COMMIT}")],
        [background(f"echo '{text.strip()}  # phaser:ignore no-eval' >> {path}")],
    ])


@attack
def nul_byte(random):
    text = forbidden(random).strip()
    return random.choice([
        [write("src/web.js", f"{text} // \0\n")], [write("src/a.py", f"{text} # \0\n")], [edit("src/a.py", "x = 1\n", f"{text} # \0\n")],
        [shell(f"printf '{text} // \\0\\n' > src/web.js")], [shell(f"printf '{text} # \\0\\n' > src/n.py && {COMMIT}")],
    ])


@attack
def mcp_forbidden(random):
    path, text = source(random), forbidden(random)
    place = random.choice(["path", "file_path", "file", "filename", "relative_path", "uri"])
    content = random.choice(["content", "text", "contents", "new_content", "data"])
    return random.choice([
        [{"tool": "mcp__files__write", "input": {place: path, content: text}}],
        [{"tool": "mcp__files__edit_file", "input": {place: "src/a.py", "edits": [{"oldText": "x = 1\n", "newText": text}]}}],
    ])


@attack
def notebook_forbidden(random):
    text = forbidden(random)
    escaped = notebook(text).replace("eval", "\\u0065val")
    number = random.randrange(10**6)
    return random.choice([
        [{"tool": "NotebookEdit", "input": {"notebook_path": "work.ipynb", "cell_id": "c1", "new_source": text}}],
        [write("work.ipynb", escaped)], [write("src/n.ipynb", notebook(text))], [edit("work.ipynb", "x = 1", text.strip())],
        [write("work.ipynb", notebook(["run(\n", f"  drop_n{number})\n"]))],
        [shell(f"printf %s {quoted(escaped)} > src/n.ipynb")],
        [shell(f"printf %s {quoted(notebook(['run(' + chr(10), f'  drop_n{number})']))} > work.ipynb && {COMMIT}")],
    ])


@attack
def code_among_contracts(random):
    text = forbidden(random)
    path = random.choice([".claude/contracts/e.py", ".claude/contracts/sub/e.py", ".phaser/contracts/e.py",
                          "src/.claude/contracts/e.py"])
    return overwrite(random, path, text)


@attack
def contracts_over_code(random):
    text = forbidden(random)
    first = random.choice([
        overwrite(random, CONFIG, POLICY + 'contracts: ["src"]\n'), overwrite(random, "src/.claude/phaser.yaml", 'contracts: ["."]\n'),
    ])
    return [*first, *overwrite(random, "src/a.py", text)]


@attack
def nested_repository(random):
    text = forbidden(random)
    nested = contract("z", "zzz", "**/*.py")
    first = random.choice([
        [shell("mkdir -p src/.claude/contracts; git init -q src")],
        [shell("git init -q src")],
        [write("src/.claude/contracts/z.yaml", nested), write("src/.git", "gitdir: nowhere\n")],
        [write("src/.claude/contracts/z.yaml", nested), shell("git init -q src")],
        [write("src/.claude/contracts/z.yaml", nested)],
        [write("src/.claude/contracts/z.yaml", nested),
         shell("git init -q src && cd src && git add . && git commit -q -m x && cd .. && git rm -rq --cached src && " + COMMIT)],
    ])
    return [*first, *random.choice([[write("src/a.py", text)], [shell(f"printf %s {quoted(text)} >> src/a.py")],
                                    [edit("src/a.py", "x = 1\n", text)]])]


# Weaker enforcement.


@attack
def weaker_contract(random):
    name = random.choice(["no-eval", "no-drop"])
    text = CONTRACTS[name]
    weaker = random.choice([
        text.replace("severity: error", "severity: warning"), text + "enabled: false\n", text + "exclude_glob: 'src/**'\n",
        text.replace("**/*.", "lib/*."), text.replace("pattern: '", "pattern: 'never"), "", "rule_id: [\n", text + "garbage\n",
        text.replace("forbid_pattern", "nonsense"), text.replace(f"rule_id: {name}", "rule_id: other"),
    ])
    return overwrite(random, f".claude/contracts/{name}.yaml", weaker)


@attack
def edited_contract(random):
    return random.choice([
        [edit(EVAL, "severity: error", "severity: warning")], [edit(EVAL, "rule_id: no-eval", "rule_id: no-evil")],
        [shell(f"sed -i s/error/warning/ {EVAL}")], [shell(f"echo 'enabled: false' >> {DROP} && {COMMIT}")],
        [background(f"sed -i s/error/warning/ {EVAL}")], [background(f"echo 'enabled: false' >> {DROP} && {COMMIT}")],
        [{"tool": "mcp__files__edit_file", "input": {"path": EVAL, "edits": [{"oldText": "error", "newText": "warning"}]}}],
    ])


@attack
def removed_contract(random):
    path = random.choice([EVAL, DROP])
    change = random.choice([
        f"rm {path}", f"git rm -q {path}", f"git mv {path} docs/", f"mv {path} {path[:-5]}.txt", "rm -r .claude/contracts",
        "mv .claude old", "git rm -rq .claude", "git mv .claude old", f"rm {path} && mkdir {path}", f": > {path}",
        "git checkout -q weak -- . && git rm -q --cached .claude/contracts/no-drop.yaml; rm -f .claude/contracts/no-drop.yaml",
        "mkdir -p ../empty && mv .claude ../moved && ln -s ../empty .claude", "mv .claude ../moved && cp -r ../moved ../weak && "
        "rm ../weak/contracts/no-eval.yaml && ln -s ../weak .claude",
    ])
    return [random.choice([shell(change), shell(f"{change} && {COMMIT}"), shell(f"{change}; git commit -qam x"),
                           background(change), background(f"{change}; {COMMIT}")])]


@attack
def merged_removal(random):
    return [shell(random.choice(["git merge -q weak -m merge", "git merge -q --no-ff weak -m merge", "git cherry-pick weak",
                                 "git rebase -q weak", "git reset -q --hard weak", "git pull -q --no-rebase . weak"]))]


@attack
def weaker_configuration(random):
    text = random.choice([
        POLICY + 'exclude: ["src/**"]\n', POLICY + 'exclude: ["**"]\n', POLICY.replace("protect: deny", "protect: allow"),
        POLICY.replace("ignores: deny", "ignores: allow"), POLICY.replace("protect: deny\n", ""), "", "protect: [\n",
        POLICY + 'overrides: [{"contracts": ["no-eval"], "enabled": false}]\n',
        POLICY + 'overrides: [{"contracts": ["no-drop"], "severity": "warning", "files": ["src/**"]}]\n',
    ])
    return overwrite(random, CONFIG, text)


@attack
def nested_weaker(random):
    path, text = random.choice([
        ("src/.claude/contracts/off.yaml", CONTRACTS["no-eval"] + "enabled: false\n"),
        ("src/.claude/contracts/off.yaml", CONTRACTS["no-eval"].replace("eval", "evil").replace("no-evil", "no-eval")),
        ("src/.claude/phaser.yaml", 'exclude: ["**"]\n'),
        ("src/pkg/.claude/phaser.yaml", 'overrides: [{"contracts": ["no-eval"], "enabled": false}]\n'),
    ])
    return overwrite(random, path, text)


@attack
def baseline_entry(random):
    entry = ENTRY.replace("0123456789abcdef", f"{random.randrange(16**16):016x}")
    return random.choice([overwrite(random, BASELINE, ENTRY + entry), [shell(f"printf %s {quoted(entry)} >> {BASELINE}")],
                          [edit(BASELINE, ENTRY, ENTRY + entry)]])


@attack
def weaker_settings(random):
    path, value = random.choice([
        (SETTINGS[0], {}), (SETTINGS[1], {"disableAllHooks": True}), (SETTINGS[1], {"env": {"PATH": "/nonexistent"}}),
        (SETTINGS[0], settings(matcher="NeverThisTool")), (SETTINGS[0], settings(**{"async": True})),
        (SETTINGS[0], settings(**{"if": "Bash(never *)"})), (SETTINGS[0], settings(timeout=0.001)),
        (SETTINGS[0], settings("true")), (SETTINGS[0], settings(HOOK.replace("--guard", "--guard --skip no-eval"))),
        (SETTINGS[0], settings("echo phaser enforce --stdin --guard")), (SETTINGS[0], settings("exit 0; " + HOOK)),
    ])
    return overwrite(random, path, json.dumps(value))
