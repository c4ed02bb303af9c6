"""Module map: packages inside packages, imports between them, cycles, what is folded.

Owns: workspaces in the languages whose modules are named in different ways.
Must not know: boxes on a screen.
Invariant: folding loses no import and adds none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphls.analysis.flow.passing import is_passing_known
from graphls.facts.paths import FilePath
from graphls.graph.edges import imports_of
from graphls.graph.errors import BadRequest
from graphls.graph.evidence import EdgeEvidence
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.import_lines import import_lines
from graphls.queries.module_map import FoldedMap, first_unfolded, folded, module_map, to_depth
from graphls.session.memory import snapshot_of
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, write

SHOP = {
    "shop/__init__.py": "from shop.core import start\n",
    "shop/core/__init__.py": "from shop.core.run import start\n",
    "shop/core/run.py": "import shop.data.rows\nfrom shop.data.rows import (\n    Row,\n    Key,\n)\n\n\nstart = 1\n",
    "shop/data/__init__.py": "",
    "shop/data/rows.py": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.core.run import start\n\n\n"
        "class Row: ...\n\n\nclass Key: ...\n"
    ),
    "shop/data/files.py": "from . import rows\nfrom shop.web import page\n",
    "shop/web/__init__.py": "",
    "shop/web/page.py": "from shop.data import files\n\n\ndef show():\n    from shop.core.run import start\n",
    "tests/test_run.py": "from shop.core.run import start\n\n\ndef test_start():\n    start()\n",
}
WEB = {
    "src/index.ts": "import { app } from './app/main'\nexport const all = app\n",
    "src/app/main.ts": "import { row } from '../data/rows'\nexport const app = row\n",
    "src/data/rows.ts": "import type { A } from '../app/types'\nexport const row = 1\n",
    "src/app/types.ts": "import { row } from '../data/rows'\nexport type A = typeof row\n",
}


def _links(found: FoldedMap) -> Mapping[tuple[str, str], tuple[int, int]]:
    return {(link.source, link.target): (link.count, link.later) for link in found.links}


def test_packages_are_folded_and_their_imports_counted() -> None:
    view = folded(module_map(snapshot_of(SHOP)), ["shop"])
    assert [(box.id, box.modules, box.inside, box.test) for box in view.boxes] == [
        ("(tests)", 1, 0, True),
        ("shop/__init__.py", 1, 0, False),
        ("shop/core", 2, 1, False),
        ("shop/data", 3, 1, False),
        ("shop/web", 2, 0, False),
    ]
    assert _links(view) == {
        ("(tests)", "shop/core"): (1, 0),
        ("shop/__init__.py", "shop/core"): (1, 0),
        ("shop/core", "shop/data"): (2, 0),
        ("shop/data", "shop/core"): (1, 1),
        ("shop/data", "shop/web"): (1, 0),
        ("shop/web", "shop/core"): (1, 1),
        ("shop/web", "shop/data"): (1, 0),
    }
    assert view.cycles == (("shop/data", "shop/web"),)


def test_a_map_asks_nobody_what_calls_lead_to() -> None:
    snapshot = snapshot_of(SHOP)
    assert module_map(snapshot).imports
    assert not [path for path in snapshot.shards if is_passing_known(snapshot, path)]


def test_what_only_a_checker_imports_and_what_functions_import_closes_no_cycle() -> None:
    found = module_map(snapshot_of(SHOP))
    pairs = {(found.modules[one.source].name, found.modules[one.target].name): one for one in found.imports}
    assert pairs["shop.data.rows", "shop.core.run"].later == 1
    assert pairs["shop.web.page", "shop.core.run"].later == 1
    assert pairs["shop.core.run", "shop.data.rows"].lines == (1, 2)
    assert ("shop.core.run", "shop.data") not in pairs


def test_each_import_of_a_module_knows_itself_when_it_runs() -> None:
    """One of two modules imports the other for a checker and inside of a function, and never while it loads."""
    files = {
        "pair/__init__.py": "",
        "pair/one.py": (
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from pair.two import A\n\n\n"
            "class B:\n    def a(self):\n        from pair.two import A\n"
        ),
        "pair/two.py": "from pair.one import B\n\n\nclass A(B): ...\n",
    }
    view = folded(module_map(snapshot_of(files)), ["pair"])
    assert _links(view) == {("pair/one", "pair/two"): (2, 2), ("pair/two", "pair/one"): (1, 0)}
    assert view.cycles == ()


LAYERED = {
    "land/__init__.py": "",
    "land/web/__init__.py": "from land.data import rows\n",
    "land/web/page.py": "from land.data.rows import Row\n",
    "land/web/test_page.py": "from land.web.page import Row\n",
    "land/mail.py": "from land.web.page import Row\n",
    "land/data/__init__.py": "",
    "land/data/rows.py": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from land.web.page import Row\n\n\n"
        "def late():\n    from land.web.page import Row\n    import land.mail\n"
    ),
}


def test_a_map_knows_declared_layers_and_what_is_against_them() -> None:
    found = module_map(snapshot_of(LAYERED), "", [["land.web", "land.mail"], ["land.data"], ["land.nothing"]])
    assert found.layers == (("land.web", "land.mail"), ("land.data",))
    assert {one.name: one.layer for one in found.modules} == {
        "land": "",
        "land.web": "land.web",
        "land.web.page": "land.web",
        "land.web.test_page": "",
        "land.mail": "land.mail",
        "land.data": "land.data",
        "land.data.rows": "land.data",
    }
    assert "land" in first_unfolded(found)
    against = {(link.source, link.target): link.against for link in folded(found, ["land"]).links if link.against}
    assert against == {("land/data", "land/web"): 1, ("land/data", "land/mail"): 1, ("land/mail", "land/web"): 1}


def test_layers_of_modules_that_are_paths_are_folders() -> None:
    found = module_map(snapshot_of(WEB), "", [["src/data"], ["src/app"]])
    links = {(link.source, link.target): link.against for link in folded(found, ["src"]).links}
    assert links["src/app", "src/data"] == 2


def test_modules_that_are_paths_are_folded_by_folders() -> None:
    found = module_map(snapshot_of(WEB))
    view = folded(found, ["src"])
    assert {box.id for box in view.boxes} == {"src/app", "src/data", "src/index.ts"}
    assert _links(view)["src/app", "src/data"] == (2, 0)
    assert _links(view)["src/data", "src/app"][0] == 1


def test_at_first_there_are_not_too_many_boxes_and_tests_stay_folded() -> None:
    files = {f"app/p{at % 9}/m{at}.py": "" for at in range(90)} | {f"tests/test_{at}.py": "" for at in range(60)}
    files |= {"app/__init__.py": "", **{f"app/p{at}/__init__.py": "" for at in range(9)}}
    found = module_map(snapshot_of(files))
    view = folded(found, first_unfolded(found))
    assert {box.id for box in view.boxes} >= {"(tests)", "app/__init__.py", "app/p1"}
    assert len(view.boxes) < 40
    assert folded(found, to_depth(found, 1)).unfolded == ()


def test_an_unknown_package_is_refused_by_name() -> None:
    with pytest.raises(BadRequest, match="'shop/no'"):
        folded(module_map(snapshot_of(SHOP)), ["shop/no"])


FOUND = module_map(snapshot_of({**SHOP, **WEB}))
PACKAGES = sorted({"/".join(one.parts[:end]) for one in FOUND.modules for end in range(1, len(one.parts))})


@given(st.sets(st.sampled_from(PACKAGES)))
@settings(max_examples=40, deadline=None)
def test_folding_keeps_every_import_and_module(unfolded: set[str]) -> None:
    view = folded(FOUND, unfolded)
    assert sum(box.modules for box in view.boxes) == len(FOUND.modules)
    total = sum(link.count for link in view.links) + sum(box.inside for box in view.boxes)
    assert total == sum(one.count for one in FOUND.imports)
    ids = {box.id for box in view.boxes}
    assert {end for link in view.links for end in (link.source, link.target)} <= ids
    assert len(ids) == len(view.boxes)


def test_a_map_of_linked_files_reads_neither_their_facts_nor_their_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a second run over what the first one stored, and after an edit."""
    write(tmp_path / "space", SHOP)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    edit = {"shop/web/page.py": "import shop.core.run\n"}
    for files in (SHOP, SHOP, {**SHOP, **edit}):
        write(tmp_path / "space", files)
        with session_over(tmp_path / "space", store) as session:
            snapshot = session.snapshot()
            with monkeypatch.context() as patch:
                for name in ("facts", "links"):
                    patch.setattr(Snapshot, name, _never)
                found = module_map(snapshot)
        assert found == module_map(snapshot_of(files))


def _never(_: object, path: FilePath) -> None:
    raise AssertionError(path)


@pytest.mark.parametrize("files", [SHOP, WEB, LAYERED])
def test_import_rows_are_those_of_the_edges(files: Mapping[str, str]) -> None:
    snapshot = snapshot_of(files)
    rows = {path: {(line, file) for line, file, _ in import_lines(snapshot, path)} for path in snapshot.files()}
    assert rows == {path: set(_edge_lines(snapshot, path)) for path in snapshot.files()}
    assert sum(map(len, rows.values())) >= 4


def _edge_lines(snapshot: Snapshot, path: FilePath) -> Iterable[tuple[int, str]]:
    for edge in imports_of(snapshot, path):
        if isinstance(edge.target, SymbolRef):
            yield from (
                (snapshot.facts(path).line_column(start)[0] + 1, edge.target.file) for _, start, _ in edge.sites
            )


def test_imports_alone_are_looked_at_among_many_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from shop.data.rows import Row\n" + "Row()\n" * 500
    snapshot = snapshot_of({**SHOP, "many.py": text})
    added: list[object] = []
    adding = EdgeEvidence.add

    def counted(self: EdgeEvidence, *args: Any) -> None:
        added.append(args)
        adding(self, *args)

    monkeypatch.setattr(EdgeEvidence, "add", counted)
    assert [edge.target for edge in imports_of(snapshot, FilePath("many.py")) if edge.kind == "imports"]
    assert len(added) < 20
