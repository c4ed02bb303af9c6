"""Bases and heirs read from links: those that edges say, of every class."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_of_kinds
from graphls.graph.linked_uses import Bases, extends, linked_bases, linked_heirs
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of
from unit.test_flow_calls import CASES

FAMILIES = {
    "base.py": "class Base: ...\nclass Mixin: ...\nif Base:\n    class Both: ...\nelse:\n    class Both(Base): ...\n",
    "other.py": "import base as b\nfrom base import Base as Renamed, Mixin\n\nclass One(Renamed, Mixin, list): ...\n"
    "class Two(One, b.Both):\n    class Inner(One): ...\n\ndef made():\n    class Local(Two): ...\n    return Local\n\n"
    "class Computed(made()): ...\nAlias = One\nclass Three(Alias): ...\nclass Again(Again0 := One): ...\n",
    "shapes.ts": "export interface Shape {}\nexport class Round implements Shape {}\n"
    "export class Ball extends Round {}\n"
    "export interface Solid extends Shape {}\n",
    "use.ts": "import { Ball as B, Shape } from './shapes'\nexport class Egg extends B implements Shape {}\n",
    "A.java": "class A {}\ninterface I {}\nclass B extends A implements I {}\ninterface J extends I {}\n",
}


def _classes(snapshot: Snapshot) -> Iterator[SymbolRef]:
    for path in snapshot.files():
        if snapshot.shards[path].language:
            rows = addresses(snapshot, path).rows
            for row, kind in enumerate(snapshot.facts(path).definitions.kind):
                if kind in (DefinitionKind.CLASS, DefinitionKind.INTERFACE) and rows[row] == row:
                    yield SymbolRef(path, row)


@pytest.mark.parametrize("files", [FAMILIES, *(case[0] for case in CASES.values())])
def test_bases_and_heirs_are_those_of_edges(files: dict[str, str]) -> None:
    snapshot = snapshot_of(dict(files))
    found = 0

    def bases_of(path: FilePath) -> Bases:
        return linked_bases(snapshot, path, snapshot.links(path))

    def bases_with(path: FilePath, cls: SymbolRef) -> Bases:
        bases = bases_of(path)
        assert extends(snapshot, path, snapshot.links(path), cls) == any(cls in one for one in bases.values())
        return bases

    for cls in _classes(snapshot):
        for incoming in (False, True):
            edges = edges_of_kinds(snapshot, cls, ("extends",), incoming=incoming)
            ends = [edge.source if incoming else edge.target for edge in edges]
            said = [end for end in ends if isinstance(end, SymbolRef)]
            linked = linked_heirs(snapshot, cls, bases_with) if incoming else bases_of(cls.file).get(cls.definition, ())
            assert list(linked or ()) == said
            found += len(said)
    assert found >= 20 or files is not FAMILIES
