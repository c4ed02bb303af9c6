"""Positions in every encoding: astral characters, CRLF, lone CR, tabs, a byte order mark, unsaved edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.lsp_workspace import Workspace
from fixture_text import Fixture

TEXT = (
    "\ufeff# \U0001f600 grüße\r\n"
    "def größe(a): return '\U0001f600', a\r\n"
    "\tif_ = '\U0001f600é'; größe(if_)\r"
    "x = ['\U0001d538', größe]\n"
)
PATH = "a.py"


@pytest.fixture(params=["utf-8", "utf-16", "utf-32"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    case = Fixture({PATH: TEXT.replace("\t", "").encode()}, (), None)
    made = Workspace(tmp_path / "w", case, encoding=request.param)
    made.ready()
    yield made
    made.close()


def test_ranges_are_counted_as_the_client_counts(odd: Workspace) -> None:
    assert odd.capabilities["positionEncoding"] == odd.encoding
    for occurrence in range(3):
        found = odd.ask("textDocument/definition", **odd.at(PATH, "größe", occurrence))
        assert [location["range"] for location in found] == [odd.range(PATH, "größe")]
    uses = odd.ask("textDocument/references", **odd.at(PATH, "größe", 2), context={"includeDeclaration": True})
    assert [use["range"] for use in uses] == [odd.range(PATH, "größe", number) for number in range(3)]


def test_an_edit_behind_an_astral_character_counts_at_once(odd: Workspace) -> None:
    odd.open(PATH)
    place = odd.at(PATH, "größe", 2)["position"]
    change = {"range": {"start": place, "end": place}, "text": "größe, \U0001f600 if 0 else "}
    odd.tell(
        "textDocument/didChange",
        textDocument={"uri": odd.uri(PATH), "version": 2},
        contentChanges=[{**change, "text": "größe, "}],
    )
    uses = odd.ask("textDocument/references", **odd.at(PATH, "größe", 0), context={"includeDeclaration": False})
    assert len(uses) == 3
    assert uses[1]["range"]["start"] == place
