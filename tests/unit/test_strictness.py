"""Checked exports: what they are refused for, and what is no reason.

Owns: missing files, imports that lead nowhere, names that nothing binds, marks on what is wrong.
Must not know: faces.
Invariant: each reason is refused alone and by name; what may be there all the same is none.
"""

from __future__ import annotations

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, ExportRefused, export
from graphls.graph.records import Node
from graphls.graph.scope import Scope
from graphls.graph.snapshot import SkippedFile
from graphls.session.memory import snapshot_of

GOOD = {"pkg/__init__.py": "", "pkg/a.py": "def f(): pass\n"}
STRICT = ExportOptions(mode="checked")


def _refused(files: dict[str, str], *skipped: SkippedFile) -> list[tuple[str | None, str]]:
    snapshot = attrs.evolve(snapshot_of(files), skipped=skipped)
    with pytest.raises(ExportRefused) as refusal:
        export(snapshot, STRICT)
    return [(node.file, str(node.attributes["message"])) for node in refusal.value.diagnostics]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from .missing import x", "missing imports"),
        ("from . import gone", "gone imports"),
        ("from pkg.a import f, g", "g imports"),
        ("import pkg.nothere", "nothere imports"),
        ("print(undefined)", "nothing binds undefined"),
        ("def f(x: Undefined): ...", "nothing binds Undefined"),
    ],
)
def test_what_leads_nowhere_is_refused(line: str, said: str) -> None:
    found = _refused({**GOOD, "pkg/b.py": f"{line}\n"})
    assert any(said in message for _, message in found)
    assert {file for file, _ in found} == {"pkg/b.py"}


@pytest.mark.parametrize(
    "line",
    [
        "import requests\nfrom requests.x import y\nprint(y, requests.z)",
        "try:\n    from ._speed import fast\nexcept ImportError:\n    fast = None",
        "from pkg.a import *\nf()\nprint(__file__, len([]), f.nothing)",
        "def g(x):\n    return x.anything",
    ],
)
def test_what_may_be_there_is_no_reason(line: str) -> None:
    assert list(export(snapshot_of({**GOOD, "pkg/b.py": f"{line}\n"}), STRICT).lines())


def test_imports_of_typescript() -> None:
    files = {
        "a.ts": "import { q } from './no'\nimport { r } from './b'\nexport default [q, r]\n",
        "c.js": "const version = require('./package.json').version\nexport default version\n",
        "b.ts": "import z from 'zod'\nimport './side.css'\nimport img from './x.svg'\nimport raw from './t?raw'\n"
        "export const s = [z, img, raw, describe, HTMLElement]\n",
    }
    assert [file for file, _ in _refused(files)] == ["a.ts", "a.ts"]
    assert list(export(snapshot_of({"b.ts": files["b.ts"], "c.js": files["c.js"]}), STRICT).lines())


@pytest.mark.parametrize("reason", ["larger than 2,000,000 bytes", "cannot be read: Permission denied"])
def test_files_that_are_missing_are_refused_by_name(reason: str) -> None:
    assert _refused(GOOD, SkippedFile(FilePath("pkg/big.py"), reason)) == [
        ("pkg/big.py", f"is not in the graph: {reason}")
    ]
    unread = SkippedFile(FilePath("secret"), "folder cannot be read: Permission denied")
    assert [file for file, _ in _refused(GOOD, unread)] == ["secret"]


def test_other_files_are_no_matter_of_a_part() -> None:
    lost = SkippedFile(FilePath("other/big.py"), "larger than 2,000,000 bytes")
    notes = SkippedFile(FilePath("notes.md"), "not valid UTF-8 at byte 3")
    assert list(export(attrs.evolve(snapshot_of(GOOD), skipped=(notes,)), STRICT).lines())
    part = attrs.evolve(STRICT, scope=Scope("folder", "pkg"))
    files = {**GOOD, "other/c.py": "print(undefined)\n"}
    assert list(export(attrs.evolve(snapshot_of(files), skipped=(lost,)), part).lines())


def test_what_could_not_be_linked_is_refused() -> None:
    failed = attrs.evolve(snapshot_of(GOOD), unlinked=(SkippedFile(FilePath("pkg/a.py"), "takes too long"),))
    with pytest.raises(ExportRefused, match=r"1 place keeps the graph from being whole.*not known: takes too long"):
        export(failed, STRICT)


def test_a_module_with_errors_is_marked_where_they_are_allowed() -> None:
    files = {**GOOD, "pkg/broken.py": "def f(:\n    pass\n"}
    records = list(export(snapshot_of(files), ExportOptions(mode="allow-errors")).records())
    marked = {(n.kind, n.file) for n in records if isinstance(n, Node) and n.attributes.get("errors")}
    assert marked == {("file", "pkg/broken.py"), ("module", "pkg/broken.py")}


def test_what_a_script_runs_may_be_a_program_of_the_machine() -> None:
    script = {"tool.sh": "pyenv install 3.12\nadduser --home $HOME_OF_IT me\n"}
    assert list(export(snapshot_of(script), STRICT).lines())
