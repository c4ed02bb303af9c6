"""What well-known editors are sent: nothing that their capabilities do not ask for, whatever they do.

Owns: which capability lets which message be sent, the capabilities that editors really have.
Must not know: why the server sends something.
Invariant: every message of the server is one that any client takes, or that this one announced.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_lsp

from e2e.lsp_workspace import Workspace
from e2e.raw_client import TIMEOUT

CASE = """
    --- path: shop.py ---
    def price(cents):
        return cents


    def _forgotten():
        return price(1)
    --- path: report.py ---
    from shop import price
    price(2)
"""
SETS = Path(pytest_lsp.__file__).parent / "clients"
EDITORS = ("emacs_v29.1", "neovim_v0.11.0", "neovim_v0.6.1", "visual_studio_code_v1.65.2")
PLAIN = frozenset({"textDocument/publishDiagnostics", "window/logMessage", "window/showMessage"})
NEEDS: Mapping[str, str] = {
    "window/workDoneProgress/create": "window.workDoneProgress",
    "$/progress": "window.workDoneProgress",
    "window/showDocument": "window.showDocument.support",
    "workspace/configuration": "workspace.configuration",
    "workspace/applyEdit": "workspace.applyEdit",
    "workspace/workspaceFolders": "workspace.workspaceFolders",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
    "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
    "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
    "workspace/foldingRange/refresh": "workspace.foldingRange.refreshSupport",
    "graph/didChange": "experimental.graphls.notifications",
}


def _has(capabilities: Mapping[str, Any], way: str) -> bool:
    value: Any = capabilities
    for part in way.split("."):
        value = cast("dict[str, Any]", value).get(part) if isinstance(value, dict) else None
    return bool(value)


def _unasked(capabilities: Mapping[str, Any], messages: list[dict[str, Any]]) -> list[str]:
    """Messages, and methods that are registered, which these capabilities do not speak of."""
    wrong = {
        one["method"]
        for one in messages
        if one["method"] not in PLAIN
        and one["method"] != "client/registerCapability"
        and not _has(capabilities, NEEDS.get(one["method"], "nothing of that name"))
    }
    for one in messages:
        rows = one["params"]["registrations"] if one["method"] == "client/registerCapability" else ()
        for row in rows:
            section, _, name = row["method"].partition("/")
            if not _has(capabilities, f"{section}.{name}.dynamicRegistration"):
                wrong.add(f"register {row['method']}")
    return sorted(wrong)


@pytest.fixture(params=EDITORS)
def editor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Workspace, Mapping[str, Any]]]:
    said = cast("dict[str, Any]", json.loads((SETS / f"{request.param}.json").read_text("utf-8")))
    capabilities = cast("dict[str, Any]", said.get("capabilities", said))
    encoding = "utf-8" if '"utf-8"' in json.dumps(capabilities) else "utf-16"
    workspace = Workspace(tmp_path / "w", CASE, encoding=encoding, capabilities=capabilities)
    try:
        workspace.ready()
        yield workspace, capabilities
    finally:
        workspace.close()


def test_an_editor_hears_only_what_it_asked_for(editor: tuple[Workspace, Mapping[str, Any]]) -> None:
    workspace, capabilities = editor
    workspace.open("shop.py")
    document = {"uri": workspace.uri("shop.py"), "version": 2}
    change = {"range": workspace.range("shop.py", "_forgotten"), "text": "_kept"}
    workspace.tell("textDocument/didChange", textDocument=document, contentChanges=[change])
    (workspace.folder / "more.py").write_text("from shop import price\nprice(3)\n")
    changed = [{"uri": workspace.uri("more.py"), "type": 1}]
    workspace.tell("workspace/didChangeWatchedFiles", changes=changed)
    workspace.tell("workspace/didChangeConfiguration", settings={"graphls": {"calls": {"implicit": False}}})
    workspace.tell("workspace/didChangeWorkspaceFolders", event={"added": [], "removed": []})
    end, uses = time.monotonic() + TIMEOUT, 0
    while uses != len(("shop.py", "report.py", "more.py")) and time.monotonic() < end:
        found = workspace.ask(
            "textDocument/references", **workspace.at("shop.py", "price"), context={"includeDeclaration": False}
        )
        uses = len({one["uri"] for one in found or ()})
        time.sleep(0.05)
    assert uses == len(("shop.py", "report.py", "more.py"))
    workspace.ask("graph/status")
    messages = [*workspace.client.notifications]
    watches = _has(capabilities, "workspace.didChangeWatchedFiles.dynamicRegistration")
    assert watches == any(one["method"] == "client/registerCapability" for one in messages)
    assert _unasked(capabilities, messages) == []


def test_what_was_not_asked_for_would_be_seen() -> None:
    lens = {"method": "workspace/codeLens/refresh"}
    watch = {"method": "client/registerCapability", "params": {"registrations": [{"method": "workspace/symbol"}]}}
    plain = {"method": "window/logMessage"}
    unknown = {"method": "graph/other"}
    assert _unasked({"workspace": {"codeLens": {"refreshSupport": True}}}, [lens, plain]) == []
    assert _unasked({}, [lens, watch, plain, unknown]) == [
        "graph/other", "register workspace/symbol", "workspace/codeLens/refresh"
    ]  # fmt: skip
