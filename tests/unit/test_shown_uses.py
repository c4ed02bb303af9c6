"""Open uses that an answer has as possible are counted apart from those that it lacks."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, answer
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

FILES = {
    "core.py": "class Module:\n    def fail(self): ...\n",
    "user.py": (
        "from core import Module\n"
        "class User:\n"
        "    def __init__(self, module):\n        self.module = module\n"
        "    def work(self):\n        self.module.fail()\n"
        "def main():\n    User(Module()).work()\n"
    ),
    "other.py": "def stop(found):\n    found().fail()\n",
}


@pytest.fixture
def asked() -> tuple[Snapshot, SymbolRef]:
    snapshot = snapshot_of(FILES)
    return snapshot, one_symbol(snapshot, "Module.fail")


@pytest.mark.parametrize("face", ["node", "neighborhood", "impact"])
def test_a_use_with_an_edge_is_no_use_that_is_lacking(asked: tuple[Snapshot, SymbolRef], face: str) -> None:
    snapshot, place = asked
    found: dict[str, Coverage] = {
        "node": node(snapshot, place).coverage,
        "neighborhood": neighborhood(snapshot, place, NeighborhoodQuery()).coverage,
        "impact": impact(snapshot, ImpactQuery(place)).coverage,
    }
    envelope = answer(snapshot, found[face], listed=10)
    gaps = [(gap.count, gap.shown) for gap in envelope.causes if gap.direction == "in"]
    assert gaps == [(2, 1)]
    assert envelope.unresolved_sites == 2, "one count on every face"
    assert [(use.file, use.line) for use in envelope.unresolved if use.direction == "in"] == [("other.py", 2)]


def test_what_no_edge_was_asked_for_shows_nothing() -> None:
    snapshot = snapshot_of(FILES)
    place = SymbolRef(FilePath("core.py"), one_symbol(snapshot, "Module").definition)
    assert all(not gap.shown for gap in node(snapshot, place).coverage.completeness.gaps)
