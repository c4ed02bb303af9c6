"""A client as small as Helix: flat symbols, no lenses, no pulled diagnostics, utf-8; and one that can do nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from e2e.lsp_workspace import Workspace
from e2e.raw_client import TIMEOUT

HELIX: dict[str, object] = {
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": False},
        "workspaceFolders": True,
        "applyEdit": True,
        "symbol": {"dynamicRegistration": False},
        "executeCommand": {"dynamicRegistration": False},
        "workspaceEdit": {"documentChanges": True, "failureHandling": "abort", "normalizesLineEndings": False},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": False},
    },
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "rename": {"dynamicRegistration": False, "prepareSupport": True, "honorsChangeAnnotations": False},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "publishDiagnostics": {"versionSupport": True, "tagSupport": {"valueSet": [1, 2]}},
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
}
ASKED = {
    *("window/workDoneProgress/create", "$/progress", "client/registerCapability", "workspace/configuration"),
    *("textDocument/publishDiagnostics", "window/logMessage", "window/showMessage"),
}
PLAIN = {"textDocument/publishDiagnostics", "window/logMessage", "window/showMessage"}

CASE = """
    --- path: shop.py ---
    def price(cents):
        return cents


    def total(items):
        return sum(price(item) for item in items)


    def _forgotten():
        return 1
    --- path: report.py ---
    from shop import total


    def line(order):
        return "größe", total(order)
"""


@pytest.fixture(params=[HELIX, {}], ids=["helix", "nothing"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Workspace, set[str]]]:
    capabilities: dict[str, object] = request.param
    workspace = Workspace(
        tmp_path / "w", CASE, encoding="utf-8" if capabilities else "utf-16", capabilities=capabilities
    )
    try:
        workspace.open("shop.py")
        workspace.open("report.py")
        workspace.ready()
        yield workspace, ASKED if capabilities else PLAIN
    finally:
        workspace.close()


def test_a_small_client_is_served_and_hears_only_what_it_asked_for(server: tuple[Workspace, set[str]]) -> None:
    editor, allowed = server
    used = editor.at("report.py", "total(order)")
    found: Any = editor.ask("textDocument/definition", **used)
    place = cast("dict[str, Any]", found[0] if isinstance(found, list) else found)
    assert place["uri"] == editor.uri("shop.py")
    assert place["range"]["start"] == editor.position("shop.py", editor.fixture.at("shop.py", "total"))
    about = editor.at("shop.py", "total")
    uses = editor.ask("textDocument/references", **about, context={"includeDeclaration": False})
    assert {one["uri"] for one in uses} == {editor.uri("report.py")}
    assert "Called by" in str(editor.ask("textDocument/hover", **about)["contents"])
    symbols = editor.ask("textDocument/documentSymbol", textDocument=editor.document("shop.py"))
    assert all("location" in one for one in symbols), "no tree for who knows only lists"
    where = editor.range("shop.py", "_forgotten")
    asked: dict[str, object] = {"textDocument": editor.document("shop.py"), "range": where}
    # Rules look at the whole workspace, in their own time.
    end, actions = time.monotonic() + TIMEOUT, list[str]()
    while not actions and time.monotonic() < end:
        offered: list[dict[str, Any]] = editor.ask("textDocument/codeAction", **asked, context={"diagnostics": []})
        actions = [one["title"] for one in offered if "_forgotten" in one["title"]]
        time.sleep(0.05)
    assert actions == ["Remove unused _forgotten"]
    assert {message["method"] for message in editor.client.notifications} <= allowed
