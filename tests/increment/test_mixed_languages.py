"""Two languages in one workspace: the promises about equal contents hold for both, and for what ties them together.

Owns: Python and TypeScript side by side, under edits, in another order, at the sites of edges.
Must not know: how either language is resolved.
Invariant: whatever led to the same contents, everything said about them is the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from agreement import expected

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of
from increment.editor import Step, assert_as_fresh, steps_with
from increment.session_folder import exported

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENDINGS = (".py", ".ts", ".tsx", ".js", ".d.ts", ".vue", ".svelte")
BLOCKS = (
    b"\nexport function made(a: number) { return a }\n",
    b"\nimport { made } from './new_1'\nmade(1)\n",
    b"\nclass Inner { field = 1; go() { return this.field } }\n",
    b"\nconst { run } = require('./lib')\nrun()\n",
    b"\ndef made(a):\n    return a\n",
    b"{",
    b"*/",
    b"\n<script>\n",
)


def mixed() -> dict[str, bytes]:
    """Small workspaces of both languages, one folder each."""
    found: dict[str, bytes] = {}
    for language in ("python", "typescript"):
        for case in sorted((FIXTURES / language / "resolution").glob("*.txt"))[:8]:
            files = fixture(case.read_text(encoding="utf-8")).files
            found.update((f"{language}_{case.stem}/{path}", data) for path, data in files.items())
    return found


FILES = mixed()


def test_both_languages_are_there() -> None:
    languages = {shard.language for shard in snapshot_of(FILES).shards.values()}
    assert {"python", "typescript"} <= languages


@given(steps=steps_with(BLOCKS, 10))
@settings(max_examples=3)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    assert_as_fresh(FILES, ENDINGS, steps)


def test_order_of_files_changes_nothing() -> None:
    turned = dict(reversed(FILES.items()))
    assert exported(snapshot_of(FILES)) == exported(snapshot_of(turned))


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_edges_lead_where_definition_leads(language: str) -> None:
    snapshot = snapshot_of(FILES)
    sites = expected(export(snapshot, ExportOptions(mode="allow-errors")).lines())
    own = {spot: places for spot, places in sites.items() if snapshot.shards[FilePath(spot[0])].language == language}
    assert len(own) > 100
    wrong: list[object] = []
    for (file, line, column), places in own.items():
        path = FilePath(file)
        found = definition(snapshot, path, snapshot.facts(path).lines[line] + column)
        shown = [(one.file, one.start) for one in found.places] if found else []
        led = {(file, *snapshot.facts(file).line_column(start)) for file, start in shown}
        if not places <= led:
            wrong.append(((file, line + 1, column), places, led))
    assert not wrong
