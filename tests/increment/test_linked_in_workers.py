"""Linked in workers: other processes make the links that the session makes.

Owns: every language's workspaces, large enough for workers; what a worker is told of module tables.
Must not know: what facts or links say, how messages are sent.
Invariant: where a file was linked changes nothing.
"""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from graphls.languages.registry import providers
from graphls.linking.module_table import ModuleTable
from graphls.session.link.background_linking import FEW_FILES, table_message
from graphls.session.link.worker_snapshot import table_of
from graphls.session.memory import snapshot_of
from increment.session_folder import everything, from_scratch, session_over, settle, write

FIXTURES = Path(__file__).parents[2] / "fixtures"


def workspace(language: str) -> dict[str, bytes]:
    """Fixtures of one language, as often as makes more files than are linked in process."""
    cases = sorted((FIXTURES / language / "resolution").glob("*.txt"))[:12]
    found: dict[str, bytes] = {}
    copy = 0
    while len(found) <= 2 * FEW_FILES and cases:
        copy += 1
        for case in cases:
            files = fixture(case.read_text("utf-8")).files
            found.update((f"copy{copy}/{case.stem}/{path}", data) for path, data in files.items())
    return found


@pytest.mark.parametrize("language", sorted(providers()))
def test_workers_link_as_the_session_does(tmp_path: Path, language: str) -> None:
    files = workspace(language)
    if not files:
        pytest.skip("no fixtures of resolution")
    write(tmp_path, files)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        assert everything(snapshot) == from_scratch(snapshot)


@pytest.mark.parametrize("language", sorted(providers()))
def test_a_worker_is_told_all_of_a_table(language: str) -> None:
    table = attrs.evolve(snapshot_of(workspace(language)).modules[language], links={"here": "there"})
    told = table_of(table_message(table))
    for part in attrs.fields(ModuleTable):
        if part.name != "libraries":  # which workers read themselves
            assert getattr(told, part.name) == getattr(table, part.name), part.name
