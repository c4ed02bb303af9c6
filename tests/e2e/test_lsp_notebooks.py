"""Notebooks that an editor shows as cells, by a typed client.

Owns: places in cells for what is asked of cells, edits of cells, what other files see of them.
Must not know: how cells become the text of a file.
Invariant: every answer is that of the whole notebook, in the cell that holds it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from e2e.lsp_workspace import Workspace

SELL = "def price(n): ...\n\n\ndef cost(n): ...\n"
CELLS = (
    ("markdown", "# About `price`\n"),
    ("code", "from shop.sell import price\n\nname = '\"\N{GRINNING FACE}é'; price(1)\n"),
    ("code", "%matplotlib inline\ndef total():\n    return price(2)\n"),
    ("code", ""),
    ("code", "total()\nprice(\n"),
)
Spot = tuple[str, int, int]


def _client() -> LanguageClient:
    from pytest_lsp.client import register_lsp_features

    client = LanguageClient()
    register_lsp_features(client)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        """Every registration is welcome."""

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refreshed(params: None) -> None:
        """Lenses are asked for again when they are shown."""

    return client


class Notebook:
    """A notebook as an editor holds it."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.uri = (folder / "n.ipynb").as_uri()
        self.cells = [list(cell) for cell in CELLS]
        self.keys = [self.key(number) for number in range(len(CELLS))]
        self.version = 1

    def key(self, number: int) -> str:
        return f"vscode-notebook-cell:{self.uri.removeprefix('file:')}#W{number}"

    def write(self) -> None:
        cells = [
            {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
            | ({"outputs": [{"text": "price"}], "execution_count": 1} if kind == "code" else {})
            for kind, text in self.cells
        ]
        about = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
        whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / "n.ipynb").write_text(json.dumps(whole, indent=1), "utf-8")

    def on_disk(self) -> list[Spot]:
        """Where code says `price`, as a text editor shows the file."""
        lines = (self.folder / "n.ipynb").read_text("utf-8").split("\n")
        uses = [
            ("n.ipynb", number, line.index("price"))
            for number, line in enumerate(lines)
            if "price" in line and "About" not in line and '"text"' not in line
        ]
        return [*uses, ("sell.py", 0, 4)]

    def item(self, number: int) -> types.TextDocumentItem:
        kind, text = self.cells[number]
        return types.TextDocumentItem(self.keys[number], "python" if kind == "code" else "markdown", 1, text)

    def cell(self, number: int) -> types.NotebookCell:
        kind = types.NotebookCellKind.Code if self.cells[number][0] == "code" else types.NotebookCellKind.Markup
        return types.NotebookCell(kind, self.keys[number])

    def open(self) -> None:
        numbers = range(len(self.cells))
        shown = types.NotebookDocument(self.uri, "jupyter-notebook", 1, [self.cell(number) for number in numbers])
        self.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(shown, [self.item(number) for number in numbers])
        )

    def tell(self, change: types.NotebookDocumentCellChanges) -> None:
        self.version += 1
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(self.version, self.uri),
                types.NotebookDocumentChangeEvent(cells=change),
            )
        )

    def type(self, number: int, line: int, before: int, behind: int, text: str) -> None:
        """Puts a text in the place of another one in a line."""
        lines = self.cells[number][1].split("\n")
        lines[line] = lines[line][:before] + text + lines[line][behind:]
        self.cells[number][1] = "\n".join(lines)
        change = types.TextDocumentContentChangePartial(
            types.Range(types.Position(line, before), types.Position(line, behind)), text
        )
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.keys[number])
        self.tell(
            types.NotebookDocumentCellChanges(
                text_content=[types.NotebookDocumentCellContentChanges(document, [change])]
            )
        )

    def at(self, number: int, text: str, occurrence: int = 0) -> dict[str, Any]:
        before = self.cells[number][1]
        offset = -1
        for _ in range(occurrence + 1):
            offset = before.index(text, offset + 1)
        lines = before[:offset].split("\n")
        character = len(lines[-1].encode("utf-16-le")) // 2
        return {
            "text_document": types.TextDocumentIdentifier(self.keys[number]),
            "position": types.Position(len(lines) - 1, character + 1),
        }

    def spot(self, location: Any) -> Spot:
        uri, where = (
            (location.target_uri, location.target_selection_range)
            if isinstance(location, types.LocationLink)
            else (location.uri, location.range)
        )
        name = f"cell {self.keys.index(uri)}" if uri in self.keys else uri.rpartition("/")[2]
        assert where.start.line == where.end.line
        return name, where.start.line, where.start.character

    def spots(self, found: Sequence[Any]) -> list[Spot]:
        return sorted(map(self.spot, found))

    async def uses(self, at: dict[str, Any]) -> list[Spot]:
        context = types.ReferenceContext(include_declaration=True)
        return self.spots(await self.client.text_document_references_async(types.ReferenceParams(context, **at)) or [])

    async def symbols(self, number: int) -> list[tuple[str, int]]:
        document = types.TextDocumentIdentifier(self.keys[number])
        found = await self.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        return [(one.name, one.selection_range.start.line) for one in found]

    async def problems(self, number: int) -> list[tuple[str, int]]:
        document = types.TextDocumentIdentifier(self.keys[number])
        found = await self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
        return [(str(one.code), one.range.start.line) for one in found.items]


async def _until(ask: Callable[[], Awaitable[Any]], wanted: Any) -> None:
    end = time.monotonic() + 60
    while (found := await ask()) != wanted and time.monotonic() < end:
        await asyncio.sleep(0.05)
    assert found == wanted


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, "-m", "graphls.lsp.main"], client_factory=_client)
)
async def notebook(lsp_client: LanguageClient, tmp_path: Path) -> Any:
    folder = tmp_path / "w"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "__init__.py").write_text("")
    (folder / "shop" / "sell.py").write_text(SELL)
    made = Notebook(lsp_client, folder)
    made.write()
    capabilities = client_capabilities("visual_studio_code")
    capabilities.notebook_document = types.NotebookDocumentClientCapabilities(
        types.NotebookDocumentSyncClientCapabilities()
    )
    assert capabilities.general is not None
    capabilities.general.position_encodings = ["utf-16"]
    uri = folder.as_uri()
    answer = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=uri,
            workspace_folders=[types.WorkspaceFolder(uri, "w")],
            initialization_options={"server": {"requestMs": 120_000}, "cache": {"enabled": False}},
        )
    )
    lsp_client.answered = answer  # pyright: ignore[reportAttributeAccessIssue]
    lsp_client.notebook = made  # pyright: ignore[reportAttributeAccessIssue]
    yield
    await lsp_client.shutdown_session()


PRICE = [("cell 1", 0, 22), ("cell 1", 2, 15), ("cell 2", 2, 11), ("cell 4", 1, 0), ("sell.py", 0, 4)]


async def _opened(client: Any) -> Notebook:
    """Once what stands in other files is known."""
    notebook: Notebook = client.notebook
    notebook.open()
    await _until(lambda: notebook.uses(notebook.at(1, "price(")), PRICE)
    return notebook


@pytest.mark.asyncio
async def test_cells_are_asked_for_and_answer_for_the_whole_notebook(notebook: Any) -> None:
    sync = notebook.answered.capabilities.notebook_document_sync
    assert [(one.notebook.scheme, one.notebook.pattern, one.cells) for one in sync.notebook_selector] == [
        ("file", "**/*.ipynb", None)
    ]
    shown = await _opened(notebook)
    client = shown.client
    found = await client.text_document_definition_async(types.DefinitionParams(**shown.at(4, "price")))
    assert shown.spots(found) == [("sell.py", 0, 4)]
    found = await client.text_document_definition_async(types.DefinitionParams(**shown.at(4, "total")))
    assert shown.spots(found) == [("cell 2", 1, 4)]
    assert (found[0].target_range.start.line, found[0].target_range.end.line) == (1, 2)
    hover = await client.text_document_hover_async(types.HoverParams(**shown.at(1, "price(")))
    assert "def price(n)" in hover.contents.value
    assert (hover.range.start.line, hover.range.start.character, hover.range.end.character) == (2, 15, 20)
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**shown.at(1, "price")))
    assert [(one.range.start.line, one.range.start.character) for one in marks] == [(0, 22), (2, 15)]
    assert [await shown.symbols(number) for number in range(5)] == [[], [("name", 2)], [("total", 1)], [], []]
    document = types.TextDocumentIdentifier(shown.keys[2])
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert [(one.start_line, one.end_line) for one in folds] == [(1, 2)]
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("total"))
    assert shown.spots([one.location for one in found]) == [("cell 2", 1, 4)]


@pytest.mark.asyncio
async def test_other_files_see_cells_and_the_file_itself_once_it_is_closed(notebook: Any) -> None:
    shown: Notebook = notebook.notebook
    declared = {
        "text_document": types.TextDocumentIdentifier((shown.folder / "shop" / "sell.py").as_uri()),
        "position": types.Position(0, 5),
    }
    await _until(lambda: shown.uses(declared), shown.on_disk())
    shown.open()
    await _until(lambda: shown.uses(declared), PRICE)
    shown.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(shown.uri), [types.TextDocumentIdentifier(key) for key in shown.keys]
        )
    )
    await _until(lambda: shown.uses(declared), shown.on_disk())


@pytest.mark.asyncio
async def test_a_problem_is_shown_in_its_cell(notebook: Any) -> None:
    shown = await _opened(notebook)
    assert [await shown.problems(number) for number in range(4)] == [[], [], [], []]
    assert [code for code, _ in await shown.problems(4)] == ["syntax"]
    shown.type(4, 1, 6, 6, "3)")
    assert await shown.problems(4) == []


@pytest.mark.asyncio
async def test_edits_in_cells_are_followed(notebook: Any) -> None:
    shown = await _opened(notebook)
    shown.type(2, 2, 11, 16, "cost")
    assert await shown.uses(shown.at(1, "price(")) == [one for one in PRICE if one[0] != "cell 2"]
    shown.type(1, 0, 27, 27, ", cost")
    assert await shown.uses(shown.at(2, "cost")) == [("cell 1", 0, 29), ("cell 2", 2, 11), ("sell.py", 3, 4)]
    shown.cells[3][1] = "cost(1)\ncost(2)"
    whole = types.TextDocumentContentChangeWholeDocument("cost(1)\ncost(2)")
    document = types.VersionedTextDocumentIdentifier(9, shown.keys[3])
    content = types.NotebookDocumentCellContentChanges(document, [whole])
    shown.tell(types.NotebookDocumentCellChanges(text_content=[content]))
    expected = [("cell 1", 0, 29), ("cell 2", 2, 11), ("cell 3", 0, 0), ("cell 3", 1, 0), ("sell.py", 3, 4)]
    assert await shown.uses(shown.at(3, "cost", 1)) == expected


@pytest.mark.asyncio
async def test_cells_come_go_and_move(notebook: Any) -> None:
    shown = await _opened(notebook)
    structure, array = types.NotebookDocumentCellChangeStructure, types.NotebookCellArrayChange
    shown.keys.append(shown.key(5))
    shown.cells.append(["code", "# new\nprice(5)"])
    shown.tell(types.NotebookDocumentCellChanges(structure(array(1, 0, [shown.cell(5)]), did_open=[shown.item(5)])))
    # It stands before the import now, which does not matter to a use of the module's name.
    assert await shown.uses(shown.at(4, "price")) == sorted([*PRICE, ("cell 5", 1, 0)])
    # Moved behind all others: neither opened nor closed.
    shown.tell(types.NotebookDocumentCellChanges(structure(array(1, 1))))
    shown.tell(types.NotebookDocumentCellChanges(structure(array(5, 0, [shown.cell(5)]))))
    assert await shown.uses(shown.at(5, "price")) == sorted([*PRICE, ("cell 5", 1, 0)])
    gone = [types.TextDocumentIdentifier(shown.keys[2])]
    shown.tell(types.NotebookDocumentCellChanges(structure(array(2, 1), did_close=gone)))
    assert await shown.uses(shown.at(5, "price")) == sorted(
        [*(one for one in PRICE if one[0] != "cell 2"), ("cell 5", 1, 0)]
    )
    # Code that is prose now.
    prose = types.NotebookCell(types.NotebookCellKind.Markup, shown.keys[5])
    shown.tell(types.NotebookDocumentCellChanges(data=[prose]))
    assert await shown.uses(shown.at(4, "price")) == [one for one in PRICE if one[0] != "cell 2"]


@pytest.mark.asyncio
async def test_a_rename_edits_cells(notebook: Any) -> None:
    shown = await _opened(notebook)
    shown.type(4, 1, 6, 6, "3)")
    edit = await shown.client.text_document_rename_async(types.RenameParams(new_name="charge", **shown.at(2, "price")))
    edited = {
        change.text_document.uri: [(one.range.start.line, one.range.start.character) for one in change.edits]
        for change in edit.document_changes
    }
    keys = shown.keys
    assert edited == {
        (shown.folder / "shop" / "sell.py").as_uri(): [(0, 4)],
        keys[1]: [(0, 22), (2, 15)],
        keys[2]: [(2, 11)],
        keys[4]: [(1, 0)],
    }


@pytest.mark.asyncio
async def test_calls_stand_in_the_cell_that_makes_them(notebook: Any) -> None:
    shown = await _opened(notebook)
    shown.type(4, 1, 6, 6, "3)")
    items = await shown.client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(**shown.at(1, "price("))
    )
    calls = await shown.client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(items[0]))
    made = sorted((shown.keys.index(call.from_.uri), [one.start.line for one in call.from_ranges]) for call in calls)
    assert made == [(1, [2]), (2, [2]), (4, [1])]


@pytest.mark.asyncio
async def test_a_saved_notebook_is_its_file_again(notebook: Any) -> None:
    shown = await _opened(notebook)

    async def fresh() -> tuple[str, bool]:
        answer = await shown.client.protocol.send_request_async("graph/status", {})
        return answer.snapshot, bool(answer.fresh)

    before, _ = await fresh()
    shown.type(4, 0, 0, 0, "")
    assert (await fresh())[0] == before, "cells that say what the file says are its text"
    shown.type(4, 0, 0, 0, "x = ")
    changed, _ = await fresh()
    assert changed != before
    shown.write()
    shown.client.notebook_document_did_save(
        types.DidSaveNotebookDocumentParams(types.NotebookDocumentIdentifier(shown.uri))
    )
    saved, _ = await fresh()
    shown.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(shown.uri), [types.TextDocumentIdentifier(key) for key in shown.keys]
        )
    )

    async def snapshot() -> str:
        return (await fresh())[0]

    await _until(snapshot, saved)
    assert saved not in (before, changed)


def test_a_client_that_pulls_nothing_is_told_of_problems_by_cell(tmp_path: Path) -> None:
    space = Workspace(
        tmp_path / "w", "--- path: a.py ---\n", capabilities={"notebookDocument": {"synchronization": {}}}
    )
    try:
        space.ready()
        notebook = space.uri("n.ipynb")
        texts = {f"cell:{number}": text for number, text in enumerate(("x = 1\n", "f(\n"))}
        documents = [{"uri": uri, "languageId": "python", "version": 1, "text": text} for uri, text in texts.items()]
        shown = {
            "uri": notebook,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 2, "document": uri} for uri in texts],
        }
        space.tell("notebookDocument/didOpen", notebookDocument=shown, cellTextDocuments=documents)
        expected = {"cell:0": [], "cell:1": ["`(` is not closed in this cell."]}
        assert _told(space, lambda told: told == expected) == expected
        cell = {"uri": notebook, "version": 2}
        change = {"textContent": [{"document": {"uri": "cell:1", "version": 2}, "changes": [{"text": "f()\n"}]}]}
        space.tell("notebookDocument/didChange", notebookDocument=cell, change={"cells": change})
        assert _told(space, lambda told: told.get("cell:1") == []) == {"cell:0": [], "cell:1": []}
    finally:
        space.close()


def _told(space: Workspace, enough: Callable[[dict[str, list[str]]], bool]) -> dict[str, list[str]]:
    end = time.monotonic() + 60
    told: dict[str, list[str]] = {}
    while not enough(told) and time.monotonic() < end:
        space.ask("graph/status")
        for message in list(space.client.notifications):
            if message["method"] == "textDocument/publishDiagnostics":
                told[message["params"]["uri"]] = [one["message"] for one in message["params"]["diagnostics"]]
        time.sleep(0.05)
    return told
