"""Files in other encodings than UTF-8 on every face: the places are those of the text that people see."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace
from fixture_text import Fixture
from git_folders import committed

LATIN = "# -*- coding: latin-1 -*-\ndef größe(ä): return 'öü', ä\n\ndef two(): return 'é', größe(1)\n"
USER = "from latin import größe\n\ndef three(): return größe(3)\n"
WIDE = "export function größe(a: string) { return '\U0001d4b3', a }\r\nexport const x = '\U0001d4b3' + größe('é')\r\n"
FILES: Mapping[str, tuple[str, str]] = {
    "latin.py": (LATIN, "latin-1"),
    "user.py": (USER, "utf-8"),
    "wide.ts": (WIDE, "utf-16"),
}


@attrs.frozen
class EncodedFixture(Fixture):
    """Files that are something else on disk than the text that an editor shows."""

    def write(self, folder: Path) -> None:
        write(folder)


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path, (text, encoding) in FILES.items():
        (folder / path).write_bytes(text.encode(encoding))


@pytest.fixture(params=["utf-8", "utf-16"])
def editor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    case = EncodedFixture({path: text.encode() for path, (text, _) in FILES.items()}, (), None)
    made = Workspace(tmp_path / "w", case, encoding=request.param)
    made.ready()
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "w")
    return tmp_path / "w"


def test_editors_get_places_of_the_text(editor: Workspace) -> None:
    for path in ("latin.py", "wide.ts"):
        found = editor.ask("textDocument/definition", **editor.at(path, "größe", 1))
        assert [place["range"] for place in found] == [editor.range(path, "größe")]
    uses = editor.ask(
        "textDocument/references", **editor.at("latin.py", "größe"), context={"includeDeclaration": False}
    )
    assert sorted((use["uri"].rpartition("/")[2], use["range"]["start"]["line"]) for use in uses) == [
        ("latin.py", 3),
        ("user.py", 0),
        ("user.py", 2),
    ]
    hover = editor.ask("textDocument/hover", **editor.at("user.py", "größe", 1))
    assert "def größe(ä)" in json.dumps(hover, ensure_ascii=False)


def test_an_open_file_is_the_same_text(editor: Workspace) -> None:
    before = editor.ask("graph/status")["snapshot"]
    editor.open("latin.py")
    editor.open("wide.ts")
    editor.ready()
    assert editor.ask("graph/status")["snapshot"] == before


def test_the_command_line_reads_and_finds(folder: Path) -> None:
    shown = graphls("show", "latin:größe", "--root", str(folder), "--format", "json").json
    assert shown["complete"] is True
    assert [row["line"] for row in graphls("find", "größe", "--root", str(folder), "--format", "json").json["matches"]]
    out = graphls("pack", "--node", "latin:größe", "--root", str(folder)).out
    assert "def größe(ä): return 'öü', ä" in out


def test_edits_are_compared_as_text(folder: Path) -> None:
    committed(folder)
    edited = LATIN.replace("'öü'", "'öüä'")
    (folder / "latin.py").write_bytes(edited.encode("latin-1"))
    answer = graphls("changed", "--root", str(folder), "--format", "json").json
    assert [row["node"]["symbol"] for row in answer["symbols"]] == ["latin:größe"]
    # The same text in another encoding is no edit.
    (folder / "latin.py").write_bytes(LATIN.encode("latin-1"))
    (folder / "wide.ts").write_bytes(WIDE.encode("utf-8"))
    answer = graphls("changed", "--root", str(folder), "--format", "json").json
    assert [row["node"]["symbol"] for row in answer["symbols"]] == []


def test_a_wrong_encoding_is_named(folder: Path) -> None:
    (folder / "odd.py").write_bytes(b"# coding: nonsense\ndef f(): pass\n")
    run = graphls("status", "--root", str(folder), "--format", "json")
    assert "declares the encoding nonsense, which is not known" in run.out + run.err
