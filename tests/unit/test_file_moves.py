"""File moves: each case is a workspace and what moves; after the edits everything means what it meant before.

Owns: the cases. The lines that change are written as `before » after`; a line that is not listed stays.
Must not know: LSP.
Invariant: beside the texts, every import and every use leads to the same file as before, under its new path.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest

from graphls.analysis.document_references import document_links
from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.file_moves import FileMoves, file_moves
from graphls.session.memory import snapshot_of


@attrs.frozen
class Case:
    moves: Mapping[str, str]
    files: Mapping[str, str]

    def half(self, at: int) -> dict[str, str]:
        return {
            path: "\n".join(line.split(" » ")[at].replace("⏎", "\n") for line in text.split("\n"))
            for path, text in self.files.items()
        }


CASES = {
    "python module to another name": Case({"a/b.py": "a/z.py"}, {
        "a/__init__.py": "from .b import X » from .z import X\n",
        "a/b.py": "X = 1\ndef f(): ...\n",
        "c.py": "import os, json\nimport a.b » import a.z\nimport a.b as q » import a.z as q\n"
        "from a import b » from a import z\n"
        "from a.b import X, f as g » from a.z import X, f as g\nfrom a.b import * » from a.z import *\n"
        "print(a.b.X, b.f) » print(a.z.X, z.f)\nb = 'a.b'\n",
        "d.py": "from a import b as k » from a import z as k\nk.f()\n",
        "e.py": "from a import b » from a import z as b\nz = 1\nb.f()\n",
    }),
    "python module to another package": Case({"a/b.py": "n/m/b.py"}, {
        "a/__init__.py": "y = 1\n",
        "a/b.py": "from . import y » from a import y\nfrom .c import f » from a.c import f\nX = 1\n",
        "a/c.py": "from .b import X » from n.m.b import X\ndef f(): ...\n",
        "n/__init__.py": "", "n/m/__init__.py": "",
        "use.py": "from a import (b, y) » from n.m import b⏎from a import (y)\nfrom a import y, b as k » "
        "from n.m import b as k⏎from a import y\nimport a.b » import n.m.b\na.b.X » n.m.b.X\nb.X\nk.X\n",
    }),
    "python folder in itself": Case({"pkg/old": "pkg/new"}, {
        "pkg/__init__.py": "from .old import one » from .new import one\n",
        "pkg/old/__init__.py": "from .. import top\nfrom . import one\n",
        "pkg/old/one.py": "from .two import f\nfrom ..top import g\nimport pkg.old.two » import pkg.new.two\n",
        "pkg/old/two.py": "def f(): ...\n", "pkg/top.py": "def g(): ...\n",
    }),
    "python below a source root": Case({"src/a.py": "src/p/a.py"}, {
        "pyproject.toml": "[project]\nname = 'x'\n[tool.setuptools.package-dir]\n'' = 'src'\n",
        "src/a.py": "import b\n", "src/b.py": "from a import f » from p.a import f\nf = f\n", "src/p/__init__.py": "",
    }),
    "python source root along with its package": Case({"tool": "kit/tool"}, {
        "tool/pyproject.toml": "[project]\nname = 'x'\n[tool.setuptools.package-dir]\n'' = 'src'\n",
        "tool/src/app/__init__.py": "def f(): ...\n", "tool/src/app/use.py": "from app import f\nf()\n",
    }),
    "documents name modules and files": Case({"a/b.py": "n/z.py", "docs/guide.md": "docs/more/guide.md"}, {
        "a/__init__.py": "", "n/__init__.py": "", "a/b.py": "def f(): ...\nclass K:\n    def m(self): ...\n",
        "docs/x.rst": "T\n=\n\nSee :mod:`a.b` and :func:`~a.b.f`. » See :mod:`n.z` and :func:`~n.z.f`.\n\n"
        ".. currentmodule:: a.b » .. currentmodule:: n.z\n\n.. automodule:: a.b » .. automodule:: n.z\n   :members:\n\n"
        ".. autoclass:: K\n\n.. literalinclude:: ../a/b.py » .. literalinclude:: ../n/z.py\n\n:meth:`K.m`, a.b\n",
        "docs/guide.md": "# T\n\n[code](../a/b.py#L3) `a.b.f` `a/b.py` » [code](../../n/z.py#L3) `n.z.f` `n/z.py`\n"
        "[x](x.rst) [y](./y.md) » [x](../x.rst) [y](../y.md)\n",
        "docs/y.md": "# Y\n\n[back](guide.md) and [here](#y) » [back](more/guide.md) and [here](#y)\n",
    }),
    "configuration names modules and folders": Case({"app": "web/app"}, {
        "pyproject.toml": "[project]\nname = 'x'\n[project.scripts]\nrun = 'app.main:go' » run = 'web.app.main:go'\n",
        "app/__init__.py": "", "app/main.py": "def go(): ...\n", "app/Dockerfile": "FROM scratch\n",
        "compose.yml": "services:\n  web:\n    build: ./app »     build: ./web/app\n",
    }),
    "documents name a package": Case({"pkg/old": "pkg/new"}, {
        "pkg/__init__.py": "", "pkg/old/__init__.py": "", "pkg/old/one.py": "def f(): ...\n",
        "README.rst": "T\n=\n\n:mod:`pkg.old`, :func:`pkg.old.one.f` » :mod:`pkg.new`, :func:`pkg.new.one.f`\n",
    }),
    "typescript file to another folder": Case({"src/a.ts": "src/deep/b.ts"}, {
        "src/a.ts": "import { c } from './c' » import { c } from '../c'\nimport './style.css'\nexport const a = c\n",
        "src/c.ts": "export const c = 1\n",
        "src/use.ts": "import { a } from './a' » import { a } from './deep/b'\n"
        "export * from \"./a.js\" » export * from \"./deep/b.js\"\n"
        "const r = import('./a'), q = require('./a') » const r = import('./deep/b'), q = require('./deep/b')\n"
        "type A = typeof import('./a') » type A = typeof import('./deep/b')\n",
        "index.ts": "export { a } from './src/a' » export { a } from './src/deep/b'\n",
    }),
    "typescript folder with an index": Case({"lib": "core/lib"}, {
        "lib/index.ts": "export { x } from './x'\nimport { y } from '../y' » import { y } from '../../y'\n",
        "lib/x.ts": "import '.'\nexport const x = 1\n", "y.ts": "export const y = 1\n",
        "use.ts": "import { x } from './lib' » import { x } from './core/lib'\n"
        "import { x as k } from './lib/index' » import { x as k } from './core/lib/index'\n"
        "import z from './lib/x' » import z from './core/lib/x'\n",
    }),
    "typescript by a path of a config": Case({"src/ui/a.tsx": "src/kit/a.tsx"}, {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"], "#a": ["./src/ui/a.tsx"]}}} » '
        '{"compilerOptions": {"paths": {"@/*": ["./src/*"], "#a": ["./src/kit/a.tsx"]}}}',
        "src/ui/a.tsx": "export const A = 1\n",
        "use.ts": "import { A } from '@/ui/a' » import { A } from '@/kit/a'\n",
        "exact.ts": "import { A } from '#a' » import { A } from './src/kit/a'\n",
    }),
    "typescript package of the workspace": Case({"packages/p/sub/x.ts": "packages/q/x.ts"}, {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/p/package.json": '{"name": "@s/p"}', "packages/q/package.json": '{"name": "@s/other"}',
        "packages/p/sub/x.ts": "export const x = 1\n",
        "packages/r/package.json": '{"name": "@s/r"}',
        "packages/r/use.ts": "import { x } from '@s/p/sub/x' » import { x } from '../q/x'\n",
    }),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_imports_follow(case: Case) -> None:
    before, wanted = case.half(0), case.half(-1)
    snapshot = snapshot_of(before)
    found = file_moves(snapshot, {FilePath(old): FilePath(new) for old, new in case.moves.items()})
    assert not found.left
    changed = _edited(before, found)
    assert changed == wanted
    paths = {path: _moved(path, case.moves) for path in before}
    after = snapshot_of({paths[path]: text for path, text in changed.items()})
    for path in snapshot.files():
        assert _meanings(after, paths[path], {}) == _meanings(snapshot, path, paths), path


def test_what_cannot_follow_is_said_and_strings_are_looked_at() -> None:
    snapshot = snapshot_of({
        "a.ts": "export const a = 1\n",
        "test.ts": "import { a } from './a'\njest.mock('./a')\n",
        "m.py": "", "n.py": "import m\n",
    })  # fmt: skip
    found = file_moves(snapshot, {FilePath("a.ts"): FilePath("b.ts"), FilePath("m.py"): FilePath("not-a-name.py")})
    assert [(edit.start, edit.doubt) for edit in found.edits] == [(19, ""), (35, "a string that spells the module")]
    assert [(one.file, one.start) for one in found.left] == [("n.py", 7)]


def _edited(files: Mapping[str, str], found: FileMoves) -> dict[str, str]:
    changed = dict(files)
    for edit in reversed(found.edits):
        data = changed[edit.file].encode()
        changed[edit.file] = (data[: edit.start] + edit.text.encode() + data[edit.end :]).decode()
    return changed


def _moved(path: str, moves: Mapping[str, str]) -> str:
    for old, new in moves.items():
        if path == old or path.startswith(old + "/"):
            return new + path[len(old) :]
    return path


def _meanings(snapshot: Snapshot, path: str, paths: Mapping[str, str]) -> set[tuple[str, str]]:
    """What a file imports and uses: names with files, under the paths that these will have."""
    own = FilePath(path)
    facts, links = snapshot.facts(own), snapshot.links(own)
    found: set[tuple[str, str]] = set()
    for index, row in enumerate(links.targets.occurrence):
        place = snapshot.target(own, links, index).place
        if place is not None and place.definition != NONE:
            found.add((facts.strings[facts.occurrences.name[row]], paths.get(place.file, place.file)))
    for index in range(len(links.module_targets.occurrence)):
        place = snapshot.module_target(own, links, index).place
        if place is not None:
            found.add(("", paths.get(place.file, place.file)))
    if not snapshot.shards[own].language:
        found |= {("", paths.get(target.file, target.file)) for _, _, target in document_links(snapshot, own)}
    return found
