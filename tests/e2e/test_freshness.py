"""Freshness: questions right after a write that nobody told the server of.

Owns: the word that a request has for it, on the faces that have one; clients that watch nothing.
Must not know: how the server learns of changes.
Invariant: who says fresh shows what was on disk when it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_workspace import agent_over
from e2e.lsp_workspace import Workspace
from fixture_text import fixture

TEXT = "--- path: b.py ---\ndef f(): ...\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    watched = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    made = Workspace(tmp_path_factory.mktemp("freshness") / "w", TEXT, capabilities=watched)
    try:
        made.ready()
        yield made
    finally:
        made.close()


def _found(workspace: Workspace, name: str, **more: object) -> tuple[bool, bool]:
    answer = workspace.ask("graph/find", text=name, mode="exact", **more)
    return answer["fresh"], bool(answer["matches"])


def test_who_says_fresh_has_looked(workspace: Workspace) -> None:
    for number in range(12):
        (workspace.folder / "b.py").write_text(f"def f{number:02}(): ...\n", "utf-8")
        fresh, found = _found(workspace, f"f{number:02}")
        assert found or not fresh
        assert _found(workspace, f"f{number:02}", freshness="require-fresh") == (True, True)


def test_who_allows_it_is_answered_from_what_is_known(workspace: Workspace) -> None:
    (workspace.folder / "b.py").write_text("def known(): ...\n", "utf-8")
    assert _found(workspace, "known", freshness="require-fresh") == (True, True)
    (workspace.folder / "b.py").write_text("def other(): ...\n", "utf-8")
    # The server watches as well: by the time of the question it may have seen the change.
    assert not _found(workspace, "known", freshness="allow-stale")[0]
    assert _found(workspace, "known", freshness="require-fresh") == (True, False)


def test_every_own_request_takes_the_word(workspace: Workspace) -> None:
    for method in ("graph/status", "graph/summary", "graph/findings"):
        assert workspace.ask(method, freshness="require-fresh")["fresh"]
        assert not workspace.ask(method, freshness="allow-stale")["fresh"]
    assert workspace.ask("graph/status", freshness="soon")["code"] == -32602


async def test_tools_take_the_word(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    async with agent_over(folder, fixture(TEXT)) as asked:
        for number in range(12):
            (folder / "b.py").write_text(f"def f{number:02}(): ...\n", "utf-8")
            answer = await asked.ask("where", text=f"f{number:02}", mode="exact", freshness="require-fresh")
            assert answer["fresh"]
            assert answer["matches"]
        assert not (await asked.ask("map", freshness="allow-stale"))["fresh"]
        assert "freshness" in await asked.refused("map", freshness="soon")
