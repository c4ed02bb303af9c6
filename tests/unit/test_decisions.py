"""Decisions: documents and comments that say they are one, and the code that they name."""

from __future__ import annotations

from graphls.analysis.decision_records import decision_nodes
from graphls.analysis.decisions import conflicts, decisions, decisions_about
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

STORE = (
    "class Store:\n    def save(self):\n        # WHY: One writer at a time. Readers go on.\n        return 'WHY: no'\n"
)
OPTED = """---
graphls_decision: true
title: Store rows by key
status: Proposed
affected_files:
  - app/store.py
affected_symbols:
  - path: app/store.py
    symbol_path: Store.save
  - path: app/gone.py
    symbol_path: lost
---
# Ignored

Because.
"""
FILES = {
    "app/__init__.py": "",
    "app/store.py": STORE,
    "app/other.py": "def free(): ...\n",
    "notes/opted.md": OPTED,
    "docs/adr/0001-rows.md": "# 1. Rows\n\n## Status\n\nSuperseded by 2\n\nSee [it](../../app/store.py).\n",
    "docs/adr/README.md": "# Our records\n\n## Decision\n\nA template.\n",
    "README.md": "# Decision\n\nStatus: accepted\n\n```\n# WHY: an example\n```\n",
}


def governed(snapshot: Snapshot) -> dict[str, list[str]]:
    return {one.title: [symbol_name(snapshot, place) for place in one.governs] for one in decisions(snapshot)}


def test_what_opts_in_is_a_decision_and_governs_what_it_names() -> None:
    snapshot = snapshot_of(FILES)
    assert governed(snapshot) == {
        "WHY: One writer at a time.": ["app.store:Store.save"],
        "1. Rows": ["app.store"],
        "Store rows by key": ["app.store", "app.store:Store.save"],
    }
    assert {one.title: one.status for one in decisions(snapshot)}["1. Rows"] == "superseded"
    assert [one.lost for one in decisions(snapshot) if one.lost] == [("app/gone.py:lost",)]


def test_a_rename_of_lines_keeps_the_id_and_two_statuses_are_a_conflict() -> None:
    snapshot = snapshot_of(FILES)
    moved = snapshot_of({**FILES, "app/store.py": "import os\n\n\n" + STORE})
    assert [one.id for one in decisions(snapshot)] == [one.id for one in decisions(moved)]
    assert SymbolRef(one_symbol(snapshot, "app.store").file, -1) in [
        one.place for one in conflicts(decisions(snapshot))
    ]
    about = decisions_about(decisions(snapshot), one_symbol(snapshot, "app.other:free"))
    assert about == ()


def test_one_comment_twice_is_two_decisions() -> None:
    text = "def a():\n    # WHY: Slow.\n    ...\ndef b():\n    # WHY: Slow.\n    ...\n"
    assert len({one.id for one in decisions(snapshot_of({"a.py": text}))}) == 2


def test_decisions_are_nodes_with_edges_both_ways() -> None:
    snapshot = snapshot_of(FILES)
    kinds = [tie.edge.kind for made in decision_nodes(snapshot, decisions(snapshot)) for tie in made.edges]
    assert {kind: kinds.count(kind) for kind in kinds} == {"contains": 3, "governed_by": 4, "rationale_for": 4}
