"""One count of the uses that could not be resolved: pictures, cards, lenses and hovers of one server say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.lsp_workspace import Workspace

CASE = """
    --- path: pond.py ---
    class Duck:
        def quack(self): ...


    class Swan:
        def quack(self): ...


    def one(bird):
        return bird.quack()


    def other(bird, name):
        bird.quack()
        return getattr(bird, "quack")()
"""
SYMBOL = "pond:Duck.quack"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path / "pond", CASE)
    try:
        workspace.open("pond.py")
        workspace.ready()
        yield workspace
    finally:
        workspace.close()


def test_every_face_of_a_server_counts_open_uses_alike(server: Workspace) -> None:
    """`graph/neighborhood` said complete and none where lens, hover, impact and node said thousands."""
    answers: dict[str, Any] = {
        "neighborhood": server.ask("graph/neighborhood", symbol=SYMBOL, direction="in"),
        "picture": server.ask("graph/neighborhood", symbol=SYMBOL, direction="in", ranked=True, limit=200),
        "impact": server.ask("graph/impact", symbol=SYMBOL, depth=1),
        "node": server.ask("graph/node", symbol=SYMBOL),
    }
    counts = {name: answer["unresolvedSites"] for name, answer in answers.items()}
    at = server.at("pond.py", "quack")
    hover = server.ask("textDocument/hover", **at)["contents"]["value"]
    lenses = server.ask("textDocument/codeLens", textDocument=at["textDocument"])
    line = server.position("pond.py", server.fixture.at("pond.py", "quack"))["line"]
    lens = next(one for one in lenses if one["range"]["start"]["line"] == line)
    title = server.ask("codeLens/resolve", **lens)["command"]["title"]
    counts |= {name: _counted(text) for name, text in (("hover", hover), ("lens", title))}
    assert set(counts.values()) == {3}, counts
    assert not any(answer["complete"] for answer in answers.values())


def _counted(text: str) -> int:
    found = re.search(r"(\d+) uses?\b[^.;]* could not be resolved", text)
    assert found, text
    return int(found[1])
