"""The life of a connection: services switched off, edits, files on disk, folders, settings, pushed diagnostics."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.lsp_workspace import Workspace
from e2e.raw_client import TIMEOUT

TEXT = """
    --- path: a.py ---
    def one(): pass
    --- path: b.py ---
    from a import one
    one()
"""
UNUSED = """
    --- path: a.py ---
    def _unused(): return 1
"""
Make = Callable[..., Workspace]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Workspace] = []

    def start(text: str = TEXT, **more: object) -> Workspace:
        made.append(Workspace(tmp_path / "w", text, **more))
        made[-1].ready()
        return made[-1]

    yield start
    for workspace in made:
        workspace.close()


def _eventually(question: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not question():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_switched_off_services_are_neither_advertised_nor_answered(make: Make) -> None:
    made = make(initializationOptions={"disabledLanguageServices": {"hover": True, "callHierarchy": True}})
    assert "hoverProvider" not in made.capabilities
    assert "callHierarchyProvider" not in made.capabilities
    assert made.ask("textDocument/hover", **made.at("b.py", "one", 1))["code"] == -32601
    assert made.ask("textDocument/definition", **made.at("b.py", "one", 1))


def test_the_client_is_told_what_works_less_well(make: Make, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    made = make()
    said = [message["params"] for message in made.client.notifications if message["method"] == "window/logMessage"]
    assert [one["type"] for one in said if "is not used" in one["message"]] == [2]
    assert [line for line in made.client.stderr if "WARNING" in line and "is not used" in line]


def test_companion_keeps_what_a_main_server_does_not_do(make: Make) -> None:
    made = make(initializationOptions={"preset": "companion"})
    providers = {name for name in made.capabilities if name.endswith("Provider")}
    assert providers == {"codeLensProvider", "codeActionProvider", "diagnosticProvider", "executeCommandProvider"}
    assert "graph/neighborhood" in made.capabilities["experimental"]["graphls"]["methods"]
    item = {"uri": made.uri("broken.py"), "languageId": "python", "version": 1, "text": "def f(:\n    pass\n"}
    made.tell("textDocument/didOpen", textDocument=item)
    report = made.ask("textDocument/diagnostic", textDocument=made.document("broken.py"))
    assert not [one for one in report["items"] if one["code"] == "syntax"]


def test_answers_follow_unsaved_edits_and_closing_brings_the_disk_back(make: Make) -> None:
    made = make()
    made.open("b.py")
    whole = {"text": "from a import one\n\n\none()\none()\n"}
    made.tell("textDocument/didChange", textDocument={"uri": made.uri("b.py"), "version": 2}, contentChanges=[whole])
    at = made.at("a.py", "one")
    lines = [use["range"]["start"]["line"] for use in _uses(made, at)]
    assert lines == [0, 3, 4]
    made.tell("textDocument/didClose", textDocument=made.document("b.py"))
    _eventually(lambda: [use["range"]["start"]["line"] for use in _uses(made, at)] == [0, 1])


def test_files_changed_on_disk_are_seen(make: Make) -> None:
    made = make()
    (made.folder / "c.py").write_text("import a\na.one()\n")
    made.tell("workspace/didChangeWatchedFiles", changes=[{"uri": made.uri("c.py"), "type": 1}])
    _eventually(lambda: len(_uses(made, made.at("a.py", "one"))) == 3)
    (made.folder / "c.py").unlink()
    made.tell("workspace/didChangeWatchedFiles", changes=[{"uri": made.uri("c.py"), "type": 3}])
    _eventually(lambda: len(_uses(made, made.at("a.py", "one"))) == 2)


def test_the_server_watches_when_the_client_does_not(make: Make) -> None:
    made = make()
    time.sleep(0.5)
    (made.folder / "d.py").write_text("from a import one\n")
    _eventually(lambda: len(_uses(made, made.at("a.py", "one"))) == 3)


def test_folders_come_and_go(make: Make, tmp_path: Path) -> None:
    # A folder without a manifest is no source root beside another folder: imports need the manifest to be found.
    made = make("--- path: pyproject.toml ---\n[project]\n" + textwrap.dedent(TEXT).lstrip())
    other = tmp_path / "other"
    other.mkdir()
    (other / "z.py").write_text("def zebra(): pass\n")
    folder = {"uri": other.as_uri(), "name": "other"}
    made.tell("workspace/didChangeWorkspaceFolders", event={"added": [folder], "removed": []})
    _eventually(lambda: bool(made.ask("workspace/symbol", query="zebra")))
    made.ready()
    assert made.ask("textDocument/definition", **made.at("b.py", "one", 1))
    made.tell("workspace/didChangeWorkspaceFolders", event={"added": [], "removed": [folder]})
    _eventually(lambda: not made.ask("workspace/symbol", query="zebra"))


def test_diagnostics_are_pushed_to_clients_that_do_not_pull(make: Make) -> None:
    made = make("def half(:\n")
    made.open("a.py")

    def pushed() -> list[dict[str, Any]]:
        made.ask("graph/status")
        return [m for m in made.client.notifications if m["method"] == "textDocument/publishDiagnostics"]

    _eventually(lambda: bool(pushed() and pushed()[-1]["params"]["diagnostics"]))
    assert pushed()[-1]["params"]["version"] == 1
    made.tell("textDocument/didClose", textDocument=made.document("a.py"))
    _eventually(lambda: pushed()[-1]["params"]["diagnostics"] == [])


@pytest.mark.parametrize(
    ("refreshes", "named", "is_pushed"), [(True, True, False), (False, False, True), (None, False, True)]
)
def test_late_findings_reach_a_client_that_can_not_be_told_to_pull_again(
    make: Make, refreshes: bool | None, named: bool, is_pushed: bool
) -> None:
    workspace: dict[str, object] = {} if refreshes is None else {"diagnostics": {"refreshSupport": refreshes}}
    text_document: dict[str, object] = {"diagnostic": {}}
    capabilities = {"textDocument": text_document, "workspace": workspace}
    made = make(UNUSED, capabilities=capabilities)
    assert ("diagnosticProvider" in made.capabilities) == named
    made.open("a.py")

    def rules() -> list[str]:
        report = made.ask("textDocument/diagnostic", textDocument=made.document("a.py"))
        return [found["code"] for found in report["items"]]

    def pushed() -> list[str]:
        found: list[dict[str, Any]] = []
        for told in made.client.notifications:
            if told["method"] == "textDocument/publishDiagnostics":
                found = told["params"]["diagnostics"]
        return [one["code"] for one in found]

    _eventually(lambda: rules() == ["maintainability.unused_definition"])
    if is_pushed:
        _eventually(lambda: pushed() == rules())
    assert bool(pushed()) == is_pushed


def test_changes_of_the_graph_are_announced_to_who_asked(make: Make) -> None:
    made = make(capabilities={"experimental": {"graphls": {"notifications": ["graph/didChange"]}}})

    def notices() -> list[dict[str, Any]]:
        made.ask("graph/status")
        return [m["params"] for m in made.client.notifications if m["method"] == "graph/didChange"]

    _eventually(lambda: bool(notices()))
    made.open("b.py")
    made.tell(
        "textDocument/didChange",
        textDocument={"uri": made.uri("b.py"), "version": 2},
        contentChanges=[{"text": "import a\n"}],
    )
    _eventually(lambda: any("b.py" in notice["files"] for notice in notices()))
    assert notices()[-1]["root"].startswith("s:")


def test_shutdown_and_exit(make: Make) -> None:
    made = make()
    assert made.ask("shutdown") is None
    made.tell("exit")
    assert made.client.wait() == 0


def _uses(made: Workspace, at: dict[str, object]) -> list[dict[str, Any]]:
    found = made.ask("textDocument/references", **at, context={"includeDeclaration": False})
    assert isinstance(found, list)
    return found


def test_lists_of_uses_wait_until_the_workspace_is_read(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w", TEXT)
    try:
        made.open("a.py")
        uses = made.ask("textDocument/references", **made.at("a.py", "one"), context={"includeDeclaration": True})
        assert [one["uri"].rpartition("/")[2] for one in uses] == ["a.py", "b.py", "b.py"]
    finally:
        made.close()


def test_a_rename_right_after_the_start_edits_every_file(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w", TEXT)
    try:
        made.open("a.py")
        edit = made.ask("textDocument/rename", **made.at("a.py", "one"), newName="two")
        assert {name for name in ("a.py", "b.py") if name in str(edit)} == {"a.py", "b.py"}
    finally:
        made.close()


def test_a_client_that_asked_for_nothing_hears_nothing_it_does_not_know(make: Make) -> None:
    """Emacs warned of `graph/didChange`, which it never asked for."""
    made = make()
    made.open("a.py")
    made.open("b.py")
    made.tell(
        "textDocument/didChange",
        textDocument={"uri": made.uri("b.py"), "version": 2},
        contentChanges=[{"text": "import a\n"}],
    )
    made.ready()
    # Twice as long as a notice may be held back.
    time.sleep(0.5)
    made.ask("graph/status")
    said = {message["method"] for message in made.client.notifications}
    assert said <= {"textDocument/publishDiagnostics", "window/logMessage", "window/showMessage"}
    assert not any("id" in message for message in made.client.notifications)
