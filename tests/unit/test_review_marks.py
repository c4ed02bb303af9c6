"""Review marks: what people decided about findings.

Owns: writing marks into a folder of version control, moving and changing the code they are about.
Must not know: the form of the file beyond what a reader of it sees.
Invariant: a mark outlives moved lines, and is out of date once its finding's code changed.
"""

from __future__ import annotations

import json
import pathlib

import attrs
import pytest

from graphls.analysis.actions import ReviewFile, actions
from graphls.analysis.finding import Finding
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.analysis.records import finding_node
from graphls.analysis.review_marks import content_of, mark_of, marks_text, read_marks
from graphls.analysis.sarif.log import sarif_log
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.session.marking import MarkRequest, mark_findings
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

TEXT = "def a():\n    return 1\n\n\ndef _gone():\n    return 2\n"


def only(snapshot: Snapshot, marks: bytes = b"") -> Finding:
    (finding,) = answered(snapshot, marks).findings
    return finding


def answered(snapshot: Snapshot, marks: bytes = b"") -> FindingSet:
    return findings(snapshot, Settings(), KnownFindings(b"", marks))


def marked(text: str, verdict: str = "reject") -> bytes:
    snapshot = snapshot_of({"m.py": text})
    finding = only(snapshot)
    assert verdict in ("accept", "reject", "defer")
    return marks_text(read_marks(b""), {finding.id: mark_of(snapshot, finding, verdict, "why", "ana")}).encode()


@pytest.mark.parametrize(("verdict", "status"), [("accept", "open"), ("reject", "rejected"), ("defer", "deferred")])
def test_verdict_gives_the_status(verdict: str, status: str) -> None:
    found = only(snapshot_of({"m.py": TEXT}), marked(TEXT, verdict))
    assert found.review is not None
    assert (found.status, found.review.author, found.review.outdated) == (status, "ana", False)


def test_mark_outlives_moved_lines_and_indentation_of_ends() -> None:
    moved = "X = 1\n\n\n" + TEXT.replace("\n", "\r\n")
    assert only(snapshot_of({"m.py": moved}), marked(TEXT)).status == "rejected"


def test_mark_is_out_of_date_when_the_code_changed() -> None:
    found = only(snapshot_of({"m.py": TEXT.replace("return 2", "return 3")}), marked(TEXT))
    assert found.status == "open"
    assert found.review is not None
    assert found.review.outdated


def test_other_code_of_the_file_leaves_a_mark() -> None:
    assert only(snapshot_of({"m.py": TEXT.replace("return 1", "return 5")}), marked(TEXT)).status == "rejected"


def test_what_the_code_silences_stays_suppressed() -> None:
    text = TEXT.replace("def _gone():", "def _gone():  # graphls: ignore[maintainability.unused_definition] plugin")
    assert only(snapshot_of({"m.py": text}), marked(TEXT)).status == "suppressed"


GONE = "def _gone():\n    return 2\n"


def test_mark_goes_with_a_symbol_that_moves_to_another_file(tmp_path: pathlib.Path) -> None:
    files = {"m.py": TEXT.replace(GONE, ""), "n.py": GONE}
    snapshot, marks = snapshot_of(files), marked(TEXT)
    found = only(snapshot, marks)
    assert (found.at.file, found.status) == ("n.py", "rejected")
    # Edited on the way, it is open again, and says that it was reviewed.
    edited = only(snapshot_of({**files, "n.py": GONE.replace("2", "3")}), marks)
    assert edited.status == "open"
    assert edited.review is not None
    assert edited.review.outdated
    # A new decision replaces the one that moved, and none leaves nothing behind.
    workspace, settings = Workspace.of([str(tmp_path)]), Settings()
    place = tmp_path / settings.findings.reviews
    for verdict in ("accept", None):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(marks)
        mark_findings(workspace, snapshot, settings, answered(snapshot, marks), MarkRequest((found.id,), verdict))
        assert list(read_marks(place.read_bytes()).entries) == ([found.id] if verdict else [])


def test_mark_of_a_symbol_that_is_still_there_or_may_be_one_of_two_stays() -> None:
    marks = marked(TEXT)
    used = TEXT + "\n\n_gone()\n"
    assert only(snapshot_of({"m.py": used, "n.py": GONE}), marks).status == "open"
    both = answered(snapshot_of({"m.py": TEXT.replace(GONE, ""), "n.py": GONE, "o.py": GONE}), marks)
    assert [(one.status, one.review) for one in both.findings] == [("open", None)] * 2


def test_marks_of_an_earlier_version_hold() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    finding = only(snapshot)
    digest = "a6b2bcc0ed883dab506a85af"  # as the version before wrote it
    mark = attrs.evolve(mark_of(snapshot, finding, "reject", "", "ana"), content=digest)
    assert digest != content_of(snapshot, finding)
    assert only(snapshot, marks_text(read_marks(b""), {finding.id: mark}).encode()).status == "rejected"


def test_filters_and_records() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    accepted = answered(snapshot, marked(TEXT, "accept"))
    assert accepted.chosen(mark="accepted")
    assert not accepted.chosen(mark="outdated")
    assert finding_node(snapshot, accepted.findings[0]).attributes["review"] == {
        "verdict": "accept", "author": "ana", "reason": "why", "outdated": False,
    }  # fmt: skip


def test_sarif_says_who_closed_it() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    for marks, expected in ((marked(TEXT), "external"), (marked(TEXT, "accept"), None)):
        found = answered(snapshot, marks)
        (result,) = json.loads(sarif_log(snapshot, found, found.findings))["runs"][0]["results"]
        assert (result.get("suppressions") or [{}])[0].get("kind") == expected
        assert result["properties"]["review"]["reason"] == "why"


def test_broken_file_hides_nothing_and_is_named() -> None:
    for text in (b"{", b"[]", b'{"version": 9, "reviews": []}'):
        found = answered(snapshot_of({"m.py": TEXT}), text)
        assert found.findings[0].status == "open"
        assert found.marks.problem


def test_marks_are_written_and_taken_out(tmp_path: pathlib.Path) -> None:
    workspace, snapshot, settings = Workspace.of([str(tmp_path)]), snapshot_of({"m.py": TEXT}), Settings()
    known = only(snapshot).id
    now, (first,) = mark_findings(
        workspace, snapshot, settings, answered(snapshot), MarkRequest((known[:12],), "defer", "later", "bo")
    )
    assert first.status == "deferred"
    assert not now.chosen()
    written = (tmp_path / settings.findings.reviews).read_bytes()
    assert only(snapshot, written).reason == "later"
    now, (first,) = mark_findings(workspace, snapshot, settings, now, MarkRequest((known,), None))
    assert (first.status, first.review) == ("open", None)


def test_unknown_and_short_ids_are_refused(tmp_path: pathlib.Path) -> None:
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of({"m.py": TEXT})
    for known in ("n:zzzzzzzzzz", only(snapshot).id[:4]):
        with pytest.raises(BadRequest):
            mark_findings(workspace, snapshot, Settings(), answered(snapshot), MarkRequest((known,), "reject"))
    assert not list(tmp_path.iterdir())


def test_actions_offer_the_other_verdicts() -> None:
    snapshot = snapshot_of({"m.py": TEXT})
    marks = marked(TEXT, "accept")
    found = answered(snapshot, marks)
    file = ReviewFile(marks=found.marks, path=".graphls/reviews.json", size=len(marks), author="bo")
    offered = actions(
        snapshot, found.findings[0], baseline=found.baseline, baseline_path=".graphls/b.json", reviews=file
    )
    reviews = [one for one in offered if one.kind == "review"]
    assert [one.title.split()[0] for one in reviews] == ["Reject", "Defer"]
    assert only(snapshot, reviews[0].edits[0].text.encode()).status == "rejected"
