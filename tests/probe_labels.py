"""Probe labels: what `textDocument/definition` answers first for each labelled use of a fixture.

Owns: comparing the first place of an answer with the label.
Must not know: checkers, how answers are made.
"""

from __future__ import annotations

from fixture_text import Fixture
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.definition import definition


def led(snapshot: Snapshot, parsed: Fixture) -> dict[str, list[tuple[str, bool]]]:
    """For each label what its uses lead to: the first place ("" for none), and whether that is the labelled one."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for mark in parsed.marks:
        kind, _, name = mark.name.partition(":")
        if kind != "ref":
            continue
        answer = definition(snapshot, FilePath(mark.path), mark.end - 1)
        goal = parsed.one(f"def:{name}")
        places = [(place.file, place.end) for place in answer.places] if answer else []
        shown = f"{places[0][0]}:{places[0][1]}" if places else ""
        found.setdefault(name, []).append((shown, bool(places) and places[0] == (goal.path, goal.end)))
    assert found
    return found
