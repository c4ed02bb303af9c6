"""What only brings a changed thing in is counted, and not listed with what is affected."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff, changed_impact
from graphls.queries.impact import Impact, ImpactQuery, impact
from graphls.queries.impact_view import impact_view
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

CODE = """
    --- path: core.py ---
    def tax(): ...
    --- path: shown.py ---
    from core import tax
    __all__ = ["tax"]
    --- path: one.py ---
    from core import tax
    def one(): tax()
    --- path: two.py ---
    from core import tax
    RATES = {1: tax}
    tax()
    --- path: three.py ---
    def three():
        from core import tax
        return tax()
    --- path: core.ts ---
    export function load() {}
    --- path: index.ts ---
    export { load } from './core'
    --- path: page.ts ---
    import { load } from './index'
    export function page() { load() }
    --- path: top.ts ---
    import { load } from './core'
    load()
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(dict(fixture(CODE).files))


def _affected(snapshot: Snapshot, found: Impact) -> set[str]:
    return {end_name(snapshot, one.node) for one in found.affected}


def test_imports_are_counted_apart(snapshot: Snapshot) -> None:
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "core:tax"), edges=100))
    # A module that uses it itself is affected, whatever else it imports.
    assert _affected(snapshot, found) == {"one:one", "two:RATES", "two", "three:three"}
    assert {end_name(snapshot, place) for place in found.importers} == {
        "shown", "shown:tax", "one", "one:tax", "two:tax", "three",
    }  # fmt: skip
    assert impact_view(Presenter(snapshot), found, "upstream").importers == 6
    assert {edge.source for edge in found.edges} == {one.node for one in found.affected}


def test_imports_of_typescript_are_counted_apart(snapshot: Snapshot) -> None:
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "core.ts:load")))
    assert _affected(snapshot, found) == {"page.ts:page", "top.ts"}
    assert "index.ts:load" in {end_name(snapshot, place) for place in found.importers}


def test_who_imports_a_module_is_affected_by_it(snapshot: Snapshot) -> None:
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "core")))
    assert {"shown", "one", "two"} <= _affected(snapshot, found)


def test_imports_take_no_room_from_what_is_affected(snapshot: Snapshot) -> None:
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "core:tax"), limit=4))
    assert len(found.affected) == 4
    assert not found.coverage.truncated


def test_edits_count_imports_apart(snapshot: Snapshot) -> None:
    before = (snapshot.text(FilePath("core.py")) or b"").replace(b"...", b"pass")
    found = changed_impact(snapshot, [FileDiff(FilePath("core.py"), "modified", None, before)])
    assert {end_name(snapshot, one.node) for one in found.affected} == {"one:one", "two:RATES", "two", "three:three"}
    assert len(found.importers) == 6
