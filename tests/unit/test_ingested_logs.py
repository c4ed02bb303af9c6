"""Kept logs: results of other tools that stay with a workspace.

Owns: taking logs in, moving and changing the code that they are about.
Must not know: how logs are stored.
Invariant: a result follows its definition or line, and is stale, never shifted, when that changed.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

import pytest

from graphls.analysis.finding import Finding
from graphls.analysis.findings import KnownFindings, findings
from graphls.analysis.sarif.imported import SarifReport
from graphls.analysis.sarif.linters import read_log
from graphls.analysis.sarif.reading import SarifRefused
from graphls.graph.errors import BadRequest
from graphls.session.ingested_logs import forget, ingest_log, ingested_logs
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

TEXT = "import os\n\n\ndef a():\n    x = 1\n    return 2\n\n\ndef b():\n    y = 1\n    return a()\n"


def ruff(code: str | None, row: int, column: int, message: str) -> dict[str, object]:
    place = {"row": row, "column": column}
    return {"code": code, "filename": "m.py", "location": place, "end_location": place, "message": message, "url": "u"}


RUFF = json.dumps([
    ruff("F401", 1, 8, "`os` imported but unused"),
    ruff("F841", 5, 5, "`x` is never used"),
    ruff("F841", 10, 5, "`y` is never used"),
]).encode()  # fmt: skip
ESLINT = json.dumps([
    {
        "filePath": "m.ts",
        "messages": [{"ruleId": "no-var", "severity": 2, "message": "Unexpected var.", "line": 2, "column": 3}],
        "suppressedMessages": [
            {"ruleId": "eqeqeq", "severity": 1, "message": "Expected ===.", "line": 3, "column": 3,
             "suppressions": [{"kind": "directive", "justification": "null too"}]},
        ],
    },
    {"filePath": "broken.ts", "messages": [{"ruleId": None, "severity": 2, "message": "Parsing error", "line": 1}]},
]).encode()  # fmt: skip


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Iterator[BlobStore]:
    opened = BlobStore(StoreOptions(str(tmp_path / "cache")))
    yield opened
    opened.close()


def kept(store: BlobStore, text: str, workspace: Workspace) -> dict[str, Finding]:
    found = findings(snapshot_of({"m.py": text}), Settings(), KnownFindings(reports=ingested_logs(store, workspace)))
    return {one.title.partition(": ")[2]: one for one in found.findings if one.tool == "ruff"}


def line_of(text: str, found: Finding) -> int:
    return text.encode()[: found.at.start].count(b"\n") + 1


def taken(store: BlobStore, tmp_path: pathlib.Path, log: bytes = RUFF) -> Workspace:
    workspace = Workspace.of([str(tmp_path)])
    ingest_log(store, workspace, snapshot_of({"m.py": TEXT}), SarifReport("ruff.json", log, workspace.relative))
    return workspace


def test_results_stand_at_their_symbols(store: BlobStore, tmp_path: pathlib.Path) -> None:
    found = kept(store, TEXT, taken(store, tmp_path))
    assert {message: (line_of(TEXT, one), one.status, one.rule) for message, one in found.items()} == {
        "`os` imported but unused": (1, "open", "ruff/F401"),
        "`x` is never used": (5, "open", "ruff/F841"),
        "`y` is never used": (10, "open", "ruff/F841"),
    }


def test_results_follow_moved_lines(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace, moved = taken(store, tmp_path), "# one\n# two\n" + TEXT
    before, after = kept(store, TEXT, workspace), kept(store, moved, workspace)
    assert [line_of(moved, one) for one in after.values()] == [3, 7, 12]
    assert [one.id for one in before.values()] == [one.id for one in after.values()]


def test_what_changed_is_stale_and_the_rest_stays(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace, text = taken(store, tmp_path), TEXT.replace("return 2", "return 3").replace("import os", "import sys")
    found = kept(store, text, workspace)
    assert {message: one.status for message, one in found.items()} == {
        "`os` imported but unused": "stale", "`x` is never used": "stale", "`y` is never used": "open",
    }  # fmt: skip
    assert line_of(text, found["`x` is never used"]) == 4


def test_a_line_that_stands_twice_is_no_place(store: BlobStore, tmp_path: pathlib.Path) -> None:
    found = kept(store, TEXT + "import os\n", taken(store, tmp_path))
    assert found["`os` imported but unused"].status == "stale"


def test_the_same_name_replaces_and_says_what_changed(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace, snapshot = taken(store, tmp_path), snapshot_of({"m.py": TEXT})
    report = SarifReport("ruff.json", RUFF, workspace.relative)
    again = ingest_log(store, workspace, snapshot, report)
    assert (again.results, again.new, again.gone) == (3, 0, 0)
    less = ingest_log(store, workspace, snapshot, SarifReport("ruff.json", json.dumps([]).encode(), workspace.relative))
    assert (less.results, less.new, less.gone) == (0, 0, 3)
    forget(store, workspace, "ruff.json")
    assert ingested_logs(store, workspace) == ()
    with pytest.raises(BadRequest):
        forget(store, workspace, "ruff.json")


@pytest.mark.parametrize("text", [b"[1]", b"{", b'[{"a": 1}]', b'{"runs": []}'])
def test_a_refused_log_changes_nothing(store: BlobStore, tmp_path: pathlib.Path, text: bytes) -> None:
    workspace = taken(store, tmp_path)
    with pytest.raises(BadRequest):
        ingest_log(store, workspace, snapshot_of({"m.py": TEXT}), SarifReport("ruff.json", text, workspace.relative))
    assert len(kept(store, TEXT, workspace)) == 3


def test_another_workspace_has_its_own(store: BlobStore, tmp_path: pathlib.Path) -> None:
    taken(store, tmp_path)
    (tmp_path / "other").mkdir()
    assert ingested_logs(store, Workspace.of([str(tmp_path / "other")])) == ()


def test_eslint_in_its_own_format() -> None:
    found = [(one.tool, one.rule, one.level, one.place, one.line, one.suppressed) for one in read_log(ESLINT).results]
    assert found == [
        ("eslint", "no-var", "error", "m.ts", 2, None),
        ("eslint", "eqeqeq", "warning", "m.ts", 3, "null too"),
        ("eslint", "syntax-error", "error", "broken.ts", 1, None),
    ]


def test_ruff_in_its_own_format() -> None:
    broken = json.dumps([ruff(None, 1, 1, "SyntaxError")]).encode()
    assert [(one.rule, one.level) for one in read_log(RUFF + b"\n").results] == [
        ("F401", "warning"), ("F841", "warning"), ("F841", "warning"),
    ]  # fmt: skip
    assert [(one.rule, one.level) for one in read_log(broken).results] == [("syntax-error", "error")]
    with pytest.raises(SarifRefused):
        read_log(b'[{"filename": "m.py"}]')
