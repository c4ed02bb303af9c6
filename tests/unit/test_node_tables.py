"""What packed nodes say of a file is what its facts say, of every row, in any state."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.node_table import NodeSummaries, cache_nodes, cached_nodes, is_import, pack_nodes, record_kind
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of
from graphls.session.prefetch import Prefetch
from graphls.session.shared_caches import SharedCaches
from increment.session_folder import looked_ahead, session_over, settle, write

FILES = fixture("""
    --- path: shop/__init__.py ---
    "Größe — all of it."
    from shop.core import Order as Ordered
    import json
    --- path: shop/core.py ---
    from typing import overload, Protocol

    rate: int = 1

    class Priced(Protocol):
        '''What costs.'''
        rate = 1

        @property
        def total(self) -> "int":
            'Sum.'
            local = self.rate
            return local

        @total.setter
        def total(self, value): ...

    class Order(Priced):
        def __init__(self, lines):
            self.lines = lines
            def inner(größe): ...

    @overload
    def pick(one: int) -> int: ...
    @overload
    def pick(one: str) -> str: ...
    def pick(one): return one
    --- path: shop/empty.py ---
    --- path: tests/test_shop.py ---
    class TestIt:
        def test_it(self): ...
    --- path: web/view.ts ---
    export interface Row { "a.b": string; c(): void }
    export const f = (x: number) => x, empty = {};
    export namespace N { export type T = string; export class K { "x y" = 1 } }
    import { f as g } from "./view";
    --- path: notes.txt ---
    nothing
""").files


def said(snapshot: Snapshot) -> dict[SymbolRef, object]:
    paths = list(snapshot.files())
    places = [SymbolRef(path, row) for path in paths for row in range(-1, len(snapshot.facts(path).definitions))]
    return {
        place: (
            NodeSummaries(snapshot, place.file).summary(place.definition),
            record_kind(snapshot, place),
            is_import(snapshot, place),
        )
        for place in places
    }


def by_facts(snapshot: Snapshot) -> dict[SymbolRef, object]:
    fresh = snapshot_of({str(path): snapshot.text(path) or b"" for path in snapshot.shards}, name=snapshot.name)
    assert not any(cached_nodes(fresh, path) for path in fresh.files())
    return said(fresh)


def test_packed_nodes_are_those_of_the_facts(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    for snapshot in looked_ahead(tmp_path / "w", tmp_path / "cache"):
        assert all(cached_nodes(snapshot, path) for path in snapshot.files())
        assert said(snapshot) == by_facts(snapshot)


@pytest.mark.parametrize("packed", [True, False])
def test_an_edited_file_says_what_is_new(tmp_path: Path, packed: bool) -> None:
    core = FilePath("shop/core.py")
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        for text in (b"early = 1\n" + FILES[core], FILES[core].replace(b"Sum.", b"All."), FILES[core]):
            if packed:
                Prefetch(snapshot, SharedCaches(None, lambda path: None), lambda: False).run()
            session.open(core, text)
            snapshot = settle(session)
            assert said(snapshot) == by_facts(snapshot)


@pytest.mark.parametrize(("version", "taken"), [(None, True), (0, False)])
def test_tables_of_another_version_are_not_taken(version: int | None, taken: bool) -> None:
    snapshot = snapshot_of(FILES)  # nobody looks ahead there, who would make them anew
    for path in snapshot.files():
        table = pack_nodes(snapshot.facts(path), path, snapshot.shards[path].language, addresses(snapshot, path))
        cache_nodes(snapshot, path, table if version is None else attrs.evolve(table, version=version))
        assert (cached_nodes(snapshot, path) is not None) == taken
