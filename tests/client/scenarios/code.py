"""Contracts about values, code and imports."""

from model import use
from suite import scenario


def write(s, path, content):
    return use("Write", file_path=s.path(path), content=content)


def edit(s, path, old, new):
    return use("Edit", file_path=s.path(path), old_string=old, new_string=new)


def ready(s, contract):
    s.file(".claude/contracts/contract.yaml", contract)
    s.guard()
    s.commit()


@scenario("code-unpinned-version")
def unpinned_version(s):
    package = '{\n  "dependencies": {\n    "react": "18.3.1"\n  }\n}\n'
    s.file("package.json", package)
    ready(
        s,
        "rule_id: pinned-versions\ntype: forbid_value\npath: '$.dependencies.*'\npattern: '^[~^]'\nfile_glob: '**/package.json'\n"
        "message: 'Pin the version.'\nseverity: error\n",
    )
    session = s.run(
        [use("Read", file_path=s.path("package.json"))],
        [edit(s, "package.json", '"18.3.1"', '"18.3.1",\n    "zod": "^1.2.3"')],
        [edit(s, "package.json", '"18.3.1"', '"18.3.1",\n    "zod": "1.2.3"')],
    )
    s.denied(session.after(2), "pinned-versions: Pin the version.", "package.json:4", "^1.2.3")
    s.passed(session.after(3))
    s.holds("package.json", package.replace('"18.3.1"', '"18.3.1",\n    "zod": "1.2.3"'))


@scenario("code-eval")
def forbidden_call(s):
    """A call is denied; the same text in a string or a comment is not."""
    ready(
        s,
        "rule_id: no-eval\ntype: forbid_code\ncode: 'eval($X)'\nfile_glob: '**/*.py'\nmessage: 'Parse the value.'\n"
        "severity: error\n",
    )
    harmless = 's = "eval(x)"  # eval(x)\n'
    session = s.run([write(s, "src/a.py", "y = eval(x)\n")], [write(s, "src/b.py", harmless)])
    s.denied(session.after(1), "no-eval: Parse the value.", "src/a.py:1: y = eval(x)")
    s.holds("src/a.py", None)
    s.passed(session.after(2))
    s.holds("src/b.py", harmless)


@scenario("code-fix-with-metavariables")
def fix_with_metavariables(s):
    s.config(fixes="apply")
    ready(
        s,
        "rule_id: assert-order\ntype: forbid_code\ncode: 'assertEquals($EXPECTED, $ACTUAL)'\n"
        "fix: 'assertThat($ACTUAL).isEqualTo($EXPECTED)'\nfile_glob: '**/*.java'\nmessage: 'Use AssertJ.'\nseverity: error\n",
    )
    before = "class A {\n  void t() {\n    assertEquals(\n      1, f(2, 3));\n  }\n}\n"
    session = s.run([write(s, "src/A.java", before)])
    s.passed(session.after(1))
    s.holds("src/A.java", "class A {\n  void t() {\n    assertThat(f(2, 3)).isEqualTo(1);\n  }\n}\n")
    s.receives(session.after(1), "src/A.java:3", "assert-order")


@scenario("code-import-across-layers")
def import_across_layers(s):
    s.file("src/infra/__init__.py", "")
    s.file("src/infra/db.py", "def connect(): ...\n")
    ready(
        s,
        "rule_id: layers\ntype: forbid_import\nimport: 'src/infra/**'\nfile_glob: 'src/domain/**'\n"
        "message: 'The domain knows no infrastructure.'\nseverity: error\n",
    )
    session = s.run(
        [write(s, "src/domain/order.py", "import json\nfrom infra.db import connect\n")],
        [write(s, "src/domain/order.py", "import json\n")],
        [write(s, "src/web/page.py", "from infra.db import connect\n")],
    )
    s.denied(
        session.after(1),
        "layers: The domain knows no infrastructure.",
        "src/domain/order.py:2: from infra.db import connect",
    )
    s.passed(session.after(2))
    s.passed(session.after(3))
    s.holds("src/domain/order.py", "import json\n")
