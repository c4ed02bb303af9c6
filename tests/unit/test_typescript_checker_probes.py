"""Probes of the checker for TypeScript, without it: graphls says what is right, or nothing.

Owns: that no name is guessed where types decide.
Must not know: checkers, processes.
Invariant: each labelled use leads where its label says or stays unresolved; never elsewhere, never to its own function.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import is_node
from graphls.graph.snapshot import SymbolRef
from graphls.queries.call_hierarchy import callers
from graphls.session.memory import snapshot_of
from probe_labels import led

FOLDER = Path(__file__).parents[2] / "fixtures" / "typescript" / "checker"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))
SIGNATURES = {"read-number"}
"""Which signature a call means is for the checker; without it the first one is shown."""
KEYS = {"error", "meta"}
"""Keys are members of their literal; what a conditional type calls them is for the checker."""


@pytest.mark.parametrize("case", CASES)
def test_right_or_unresolved(case: str) -> None:
    parsed = fixture((FOLDER / f"{case}.txt").read_text(encoding="utf-8"))
    wrong = {
        name: uses
        for name, uses in led(snapshot_of(parsed.files), parsed).items()
        if any(shown and not right for shown, right in uses) and name not in SIGNATURES | KEYS
    }
    assert not wrong


@pytest.mark.parametrize("case", CASES)
def test_nothing_calls_itself(case: str) -> None:
    parsed = fixture((FOLDER / f"{case}.txt").read_text(encoding="utf-8"))
    snapshot = snapshot_of(parsed.files)
    own = [
        place
        for path in snapshot.files()
        for row in range(len(snapshot.facts(path).definitions))
        if is_node(snapshot.facts(path), row)
        for place in [SymbolRef(path, row)]
        for edge in edges_of(snapshot, place)
        if edge.target == place and edge.kind == "calls"
    ]
    assert own == []


ARROWS = """
export function Row() { return null }
export function helper() {}
export const App: Component = () => { helper(); return <Row /> }
export const use = () => { const inner = () => { helper() }; return [1].map(() => helper()) }
export const handlers = { open: () => helper(), close() { helper() } }
class Held { field = () => helper(); static later: () => void = async () => { helper() } }
helper()
"""


def test_arrow_functions_with_a_name_are_callers() -> None:
    """Nobody speaks for a function without a name but what it is in."""
    snapshot = snapshot_of({"app.tsx": ARROWS.encode()})
    (path,) = snapshot.files()
    facts = snapshot.facts(path)
    row = next(row for row, name in enumerate(facts.definitions.name) if facts.strings[name] == "helper")
    place = SymbolRef(path, row)
    calls = [edge for edge in edges_to(snapshot, place) if edge.kind == "calls"]
    sources = [edge.source for edge in calls if isinstance(edge.source, SymbolRef)]
    found = [symbol_name(snapshot, source).rpartition(".")[2].rpartition(":")[2] for source in sources]
    assert sorted(found) == ["App", "close", "field", "inner", "later", "open", "tsx", "use"]
    assert [len(one.sites) for one in callers(snapshot, place).calls] == [1] * len(found)
