"""The baseline as an editor meets it: what it holds is no longer shown, and adding to it keeps what it holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from e2e.lsp_workspace import Workspace

TEXT = """
    --- path: pyproject.toml ---
    [project]
    name = "w"
    --- path: a.py ---
    def _first():
        return 1


    def _second():
        return 2
"""


def test_an_action_adds_to_the_baseline_on_disk_and_the_rest_is_shown(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w", TEXT)
    try:
        made.ready()
        made.open("a.py")
        titles = [one["title"] for one in made.ask("graph/findings")["findings"]]
        assert len(titles) == 2
        first = _added(made, "_first")
        file = tmp_path / "w" / ".graphls" / "baseline.json"
        file.parent.mkdir()
        file.write_text(first, encoding="utf-8")
        assert [one["title"] for one in made.ask("graph/findings")["findings"]] == [
            title for title in titles if "_second" in title
        ]
        both = json.loads(_added(made, "_second"))
        assert len(both["findings"]) == 2
    finally:
        made.close()


def _added(made: Workspace, name: str) -> str:
    """The text of the baseline after its action on one finding; the edit must stand for the whole file."""
    params: dict[str, Any] = {
        "textDocument": made.document("a.py"),
        "range": made.range("a.py", name),
        "context": {"diagnostics": []},
    }
    action = next(one for one in made.ask("textDocument/codeAction", **params) if "baseline" in one["title"].lower())
    edit = made.ask("codeAction/resolve", **action)["edit"]
    changes = [change for change in edit["documentChanges"] if "edits" in change]
    (one,) = changes[0]["edits"]
    assert one["range"]["start"] == {"line": 0, "character": 0}
    return str(one["newText"])
