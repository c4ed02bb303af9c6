"""Decisions: documents and comments that say they are one, and the code that they name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from git_folders import committed, git
from graphls.analysis.decision_records import decision_nodes
from graphls.analysis.decisions import conflicts, decisions, decisions_about
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.decision_health import decision_health
from graphls.session.health_report import HealthSources
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

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


def test_a_symbol_that_moved_stays_governed_unless_another_has_its_name() -> None:
    files = {path: text for path, text in FILES.items() if path != "app/store.py"}
    moved = {**files, "app/shelf.py": STORE}
    assert governed(snapshot_of(moved))["Store rows by key"] == ["app.shelf:Store.save"]
    again = snapshot_of({**moved, "app/copy.py": STORE})
    assert governed(again)["Store rows by key"] == []
    assert any("app/store.py:Store.save" in one.lost for one in decisions(again))


def test_a_rename_of_lines_keeps_the_id_and_two_statuses_are_a_conflict() -> None:
    snapshot = snapshot_of(FILES)
    moved = snapshot_of({**FILES, "app/store.py": "import os\n\n\n" + STORE})
    assert [one.id for one in decisions(snapshot)] == [one.id for one in decisions(moved)]
    assert SymbolRef(one_symbol(snapshot, "app.store").file, -1) in [
        one.place for one in conflicts(decisions(snapshot))
    ]
    about = decisions_about(decisions(snapshot), one_symbol(snapshot, "app.other:free"))
    assert about == ()


def test_prose_says_why_but_not_code_or_quotations() -> None:
    notes = (
        "# Store\n\nDECISION: Rows by key, see [the store](app/store.py). More.\n\n- **WHY:** Readers first.\n\n"
        "```\nWHY: an example\n```\n\n> TRADEOFF: what others said.\n\n- `WHY: no`\n\n`TRADEOFF: no`\n"
        "See WHYNOT: no.\n<!-- TRADEOFF: Slower writes. -->\n~~~\nWHY: another\n"
    )
    found = decisions(snapshot_of({**FILES, "notes.md": notes}))
    prose = {one.title: [place.file for place in one.governs] for one in found if one.file == "notes.md"}
    assert prose == {
        "DECISION: Rows by key, see [the store](app/store.py).": ["app/store.py"],
        "WHY: Readers first.": ["notes.md"],
        "TRADEOFF: Slower writes.": ["notes.md"],
    }


def test_one_comment_twice_is_two_decisions() -> None:
    text = "def a():\n    # WHY: Slow.\n    ...\ndef b():\n    # WHY: Slow.\n    ...\n"
    assert len({one.id for one in decisions(snapshot_of({"a.py": text}))}) == 2


def test_decisions_are_nodes_with_edges_both_ways() -> None:
    snapshot = snapshot_of(FILES)
    kinds = [tie.edge.kind for made in decision_nodes(snapshot, decisions(snapshot)) for tie in made.edges]
    assert {kind: kinds.count(kind) for kind in kinds} == {"contains": 3, "governed_by": 4, "rationale_for": 4}


def test_health_names_what_is_stale_overlaps_or_is_missing(tmp_path: Path) -> None:
    files = {
        "docs/adr/0001.md": "# Rows\n\n## Status\n\nAccepted\n\nSee [it](../../app/store.py).\n",
        "docs/adr/0002.md": "# More\n\n## Status\n\nAccepted\n\nSee [it](../../app/store.py).\n",
        "app/store.py": "x = 1\n", "app/other.py": "y = 1\n", "tests/test_a.py": "z = 1\n",
    }  # fmt: skip
    sources = HealthSources(Workspace.of([str(tmp_path)]), Settings(), None)
    none = decision_health(snapshot_of(files), sources)
    assert (none.head, none.stale, none.ungoverned) == (None, None, None)
    assert [(one.symbol, len(one.decisions)) for one in none.overlapping] == [("app.store", 2)]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    committed(tmp_path)
    fresh = decision_health(snapshot_of(files), sources)
    assert fresh.stale == ()
    assert [one.file for one in fresh.ungoverned or ()] == ["app/other.py"]
    changed = {**files, "app/store.py": "x = 2\n", "docs/adr/0002.md": files["docs/adr/0002.md"] + "More.\n"}
    for name, text in changed.items():
        (tmp_path / name).write_text(text, "utf-8")
    git(tmp_path, "add", "-A")
    later = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(
        ["git", *later, "commit", "-q", "-m", "later", "--date", "2020-02-01T00:00:00Z"],
        cwd=tmp_path, check=True, env={**os.environ, "GIT_COMMITTER_DATE": "2020-02-01T00:00:00Z"},
    )  # fmt: skip
    found = decision_health(snapshot_of(changed), sources).stale or ()
    assert [(one.title, one.changed, one.days, one.since) for one in found] == [
        ("Rows", "2020-01-01", 31, ("app/store.py",))
    ]
    # What nobody committed yet is newer than any commit; what is no YAML is named rather than passed over.
    written = {
        "docs/adr/0001.md": f"{files['docs/adr/0001.md']}Still so.\n", "docs/adr/0003.md": "---\ntitle: [a\n---\n# B\n",
    }  # fmt: skip
    for name, text in written.items():
        (tmp_path / name).write_text(text, "utf-8")
    edited = decision_health(snapshot_of({**changed, **written}), sources)
    assert (edited.stale, edited.unreadable) == ((), ("docs/adr/0003.md",))
