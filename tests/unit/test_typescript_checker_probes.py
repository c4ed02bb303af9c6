"""Probes of the checker for TypeScript, without it: graphls says what is right, or nothing.

Owns: that no name is guessed where types decide.
Must not know: checkers, processes.
Invariant: each labelled use leads where its label says or stays unresolved; never elsewhere, never to its own function.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.graph.edges import edges_of
from graphls.graph.nodes import is_node
from graphls.graph.snapshot import Place
from graphls.session.memory import snapshot_of
from probe_labels import led

FOLDER = Path(__file__).parents[2] / "fixtures" / "typescript" / "checker"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))
SIGNATURES = {"read-number"}
"""Which signature a call means is for the checker; without it the first one is shown."""


@pytest.mark.parametrize("case", CASES)
def test_right_or_unresolved(case: str) -> None:
    parsed = fixture((FOLDER / f"{case}.txt").read_text(encoding="utf-8"))
    wrong = {
        name: uses
        for name, uses in led(snapshot_of(parsed.files), parsed).items()
        if any(shown and not right for shown, right in uses) and name not in SIGNATURES
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
        for place in [Place(path, row)]
        for edge in edges_of(snapshot, place)
        if edge.target == place and edge.kind == "calls"
    ]
    assert own == []
