"""Marking: what somebody decides about findings, written into the file of review marks.

Owns: which findings an argument names, who the author is, writing the file.
Must not know: layout, the protocol, the form of the file.
Invariant: only the file of review marks is written, whole or not at all; a file that cannot be read is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphls.analysis.finding import Finding, Verdict
from graphls.analysis.findings import FindingSet
from graphls.analysis.review_marks import ReviewMarks, mark_of, marks_text, read_marks
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.session.reports import file_text
from graphls.settings import Settings
from graphls.sources.git_program import GitRefused, repository
from graphls.sources.workspace import OutsideWorkspaceError, Workspace
from graphls.sources.write import write_inside

_SHORTEST = 8


@attrs.frozen
class MarkRequest:
    """What to decide. `ids`: ids of findings, or beginnings of them; `verdict` None takes marks out; `author` "": who
    git says commits here."""

    ids: tuple[str, ...]
    verdict: Verdict | None
    reason: str = ""
    author: str = ""


def mark_findings(
    workspace: Workspace, snapshot: Snapshot, settings: Settings, answered: FindingSet, request: MarkRequest
) -> tuple[FindingSet, tuple[Finding, ...]]:
    """Writes the marks; all findings as they are now, and those that were named. Raises BadRequest."""
    where = settings.findings.reviews
    marks = read_marks(file_text(workspace, where)).following(snapshot, answered.findings)
    if marks.problem:
        raise BadRequest(f"{where}: {marks.problem}")
    chosen = [_named(answered.findings, known) for known in request.ids]
    if request.verdict is None:
        text = marks_text(marks, {}, {one.id for one in chosen})
    else:
        author, verdict = request.author or author_of(workspace), request.verdict
        added = {one.id: mark_of(snapshot, one, verdict, request.reason, author) for one in chosen}
        text = marks_text(marks, added)
    _write(workspace, where, text)
    now, ids = _again(snapshot, answered, read_marks(text.encode())), {one.id for one in chosen}
    return now, tuple(one for one in now.findings if one.id in ids)


def author_of(workspace: Workspace) -> str:
    """Who commits here, as git knows it; "" where it does not say."""
    root = workspace.folders[0].root
    try:
        return repository(root).ask(("config", "user.name")).decode("utf-8", "replace").strip()[:200]
    except GitRefused:
        return ""


def _named(found: Sequence[Finding], wanted: str) -> Finding:
    exact = [one for one in found if one.id == wanted]
    prefix = wanted if wanted.startswith("n:") else f"n:{wanted}"
    alike = exact or [one for one in found if one.id.startswith(prefix) and len(prefix) >= _SHORTEST]
    if len(alike) != 1:
        why = "several findings have" if alike else "no finding has"
        raise BadRequest(f"{why.capitalize()} the id {wanted!r}. `graphls findings` lists ids.")
    return alike[0]


def _write(workspace: Workspace, where: str, text: str) -> None:
    try:
        write_inside(workspace, where, [text.encode()], folders=True)
    except (OSError, OutsideWorkspaceError, KeyError) as error:
        raise BadRequest(f"{where} cannot be written: {error}.") from error


def _again(snapshot: Snapshot, answered: FindingSet, marks: ReviewMarks) -> FindingSet:
    now = attrs.evolve(answered, marks=marks.following(snapshot, answered.findings))
    return attrs.evolve(now, findings=tuple(now.with_status(snapshot, _unmarked(one)) for one in answered.findings))


def _unmarked(finding: Finding) -> Finding:
    if finding.status in ("rejected", "deferred"):
        return attrs.evolve(finding, review=None, reason="", status="open")
    return attrs.evolve(finding, review=None)
