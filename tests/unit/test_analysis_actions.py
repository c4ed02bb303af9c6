"""Suppression, baseline, actions and records of findings.

Owns: applying proposed edits and looking again.
Must not know: how rules look.
Invariant: what an action promises is true of the text that it makes.
"""

from __future__ import annotations

import json

import pytest

from graphls.analysis.actions import FindingAction, actions
from graphls.analysis.baseline import baseline_text, read_baseline
from graphls.analysis.finding import Finding
from graphls.analysis.findings import KnownFindings, findings
from graphls.analysis.records import evidence_edges, finding_node
from graphls.analysis.sarif.log import sarif_log
from graphls.analysis.suppression import comments
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.graph.wire import line_of, record_of
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

UNUSED = "maintainability.unused_definition"
TEXT = "def a():\n    return 1\n\n\ndef _gone():\n    return 2\n\n\ndef b():\n    return a()\n"


def only(snapshot: Snapshot) -> Finding:
    (finding,) = findings(snapshot, Settings()).findings
    return finding


def offered(snapshot: Snapshot, kind: str) -> list[FindingAction]:
    answer = findings(snapshot, Settings())
    given = actions(snapshot, only(snapshot), baseline=answer.baseline, baseline_path=".graphls/baseline.json")
    return [action for action in given if action.kind == kind]


def applied(text: str, action: FindingAction) -> str:
    (edit,) = action.edits
    data = text.encode()
    return (data[: edit.start] + edit.text.encode() + data[edit.end :]).decode()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("def _gone():", f"def _gone():  # graphls: ignore[{UNUSED}] kept for plugins"),
        TEXT.replace("def _gone():", f"# graphls: ignore[{UNUSED}] kept for plugins\ndef _gone():"),
        TEXT.replace(
            "def _gone():", f"# graphls: ignore[arch.import_cycle, {UNUSED}]   kept for plugins\ndef _gone():"
        ),
    ],
)
def test_comment_suppresses(text: str) -> None:
    finding = only(snapshot_of({"m.py": text}))
    assert (finding.status, finding.reason) == ("suppressed", "kept for plugins")


@pytest.mark.parametrize(
    "comment", ["# graphls: ignore[arch.import_cycle] no", "# graphls: ignore", "# graphls: ignore[] x"]
)
def test_other_comment_does_not(comment: str) -> None:
    assert only(snapshot_of({"m.py": TEXT.replace("def _gone():", f"{comment}\ndef _gone():")})).status == "open"


def test_comments_are_read_by_line() -> None:
    found = comments(b"x = 1\r\ny = 2  # graphls: ignore[a.b, c.d] why: so\r\n")
    assert [(one.line, one.rules, one.reason) for one in found] == [(1, frozenset({"a.b", "c.d"}), "why: so")]


def test_suppress_action_suppresses() -> None:
    (action,) = offered(snapshot_of({"m.py": TEXT}), "suppress")
    text = applied(TEXT, action)
    assert only(snapshot_of({"m.py": text})).status == "suppressed"


def test_remove_action_takes_the_definition_and_nothing_else() -> None:
    (action,) = offered(snapshot_of({"m.py": TEXT}), "remove")
    assert applied(TEXT, action) == "def a():\n    return 1\n\n\ndef b():\n    return a()\n"


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def _gone(self):\n        return 1\n",
        "def f(): pass\ndef _gone(x=f()):\n    return 1\n",
        "if True:\n    x = 1\ndef outer():\n    def gone():\n        return 1\n",
        "x = 1; \ndef _gone(): return 1\ndef broken(:\n",
    ],
    ids=["method may be meant for others", "default runs code", "only statement of a block", "file does not parse"],
)
def test_unsafe_removal_is_not_offered(text: str) -> None:
    found = findings(snapshot := snapshot_of({"m.py": text}), Settings())
    for finding in found.findings:
        given = actions(snapshot, finding, baseline=found.baseline, baseline_path="b.json")
        assert not [action for action in given if action.kind == "remove"]


def test_baseline_hides_and_keeps_hiding_after_edits() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    (action,) = offered(snapshot, "baseline")
    text = action.edits[0].text
    assert action.edits[0].create
    assert list(json.loads(text)["findings"][0]) == ["id", "rule", "title", "file"]
    moved = snapshot_of({"m.py": "import os\n\n" + TEXT, ".graphls/baseline.json": text})
    assert only(moved).status == "baselined"
    answer = findings(moved, Settings())
    assert answer.chosen() == ()
    assert len(answer.chosen(status=("baselined",))) == 1
    assert baseline_text(answer.baseline, ()) == text


def test_a_known_finding_of_a_symbol_that_moved_to_another_file_is_known_and_not_fixed() -> None:
    known = offered(snapshot_of({"m.py": TEXT}), "baseline")[0].edits[0].text
    gone = "def _gone():\n    return 2\n"
    files = {"m.py": TEXT.replace(gone, ""), "n.py": gone, ".graphls/baseline.json": known}
    answer = findings(snapshot_of(files), Settings())
    assert [(one.at.file, one.status) for one in answer.findings] == [("n.py", "baselined")]
    assert not answer.fixed
    (result,) = json.loads(sarif_log(snapshot_of(files), answer, answer.findings))["runs"][0]["results"]
    assert result["baselineState"] == "unchanged"
    # Two that say the same are two: nobody knows which of them moved.
    twice = findings(snapshot_of({**files, "o.py": gone}), Settings())
    assert {one.status for one in twice.findings} == {"open"}
    assert len(twice.fixed) == 1


@pytest.mark.parametrize("text", [b"{", b"[]", b"3", b'{"version": 9, "findings": []}', b"\xff", b"[" * 100_000])
def test_bad_baseline_is_named_and_hides_nothing(text: bytes) -> None:
    answer = findings(snapshot_of({"m.py": TEXT}), Settings(), KnownFindings(text))
    assert answer.baseline.problem
    assert [finding.status for finding in answer.findings] == ["open"]
    assert read_baseline(None).problem == ""


def test_records_carry_the_finding() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    finding = only(snapshot)
    node, edges = finding_node(snapshot, finding), list(evidence_edges(snapshot, finding))
    assert (node.kind, node.id, node.provenance) == ("architecture_finding", finding.id, "derived_advisory")
    assert node.attributes["evidence_tier"] == "syntax_inferred"
    assert [(edge.kind, edge.target, place) for edge, place in edges] == [("evidences", finding.id, finding.at.place)]
    assert record_of(line_of(node)) == node


def test_answer_is_kept_and_chosen_by_file() -> None:
    snapshot = snapshot_of({"m.py": TEXT, "pkg/n.py": TEXT})
    answer = findings(snapshot, Settings())
    assert findings(snapshot, Settings()) is answer
    assert [finding.at.file for finding in answer.open_in(FilePath("pkg/n.py"))] == ["pkg/n.py"]
    assert [finding.at.file for finding in answer.chosen(scope="pkg")] == ["pkg/n.py"]
