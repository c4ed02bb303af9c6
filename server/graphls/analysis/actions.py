"""Actions: what a user can do about a finding.

Owns: which actions a finding has, and the edits they make.
Must not know: LSP types, who applies edits, how a file is written.
Invariant: an edit that changes code is offered only where the graph shows that nothing else depends on what it removes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import attrs

from graphls.analysis.baseline import Baseline, baseline_text
from graphls.analysis.edits import TextEdit, comment_above, stands_alone, without_lines
from graphls.analysis.finding import Evidence, Finding, Verdict
from graphls.analysis.own_range import own_range
from graphls.analysis.review_marks import ReviewMarks, mark_of, marks_text
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

ActionKind = Literal["show", "suppress", "review", "baseline", "remove"]
_REVIEWS: Final[Mapping[Verdict, str]] = {
    "accept": "Accept the finding: it is right",
    "reject": "Reject the finding: it is wrong here, or wanted so",
    "defer": "Defer the finding: right, but later",
}
_UNUSED: Final = "maintainability.unused_definition"


@attrs.frozen(kw_only=True)
class FindingAction:
    """Something to offer. Either it shows places, or it makes edits."""

    kind: ActionKind
    title: str
    finding: Finding
    edits: tuple[TextEdit, ...] = ()
    places: tuple[Evidence, ...] = ()
    preferred: bool = False


@attrs.frozen(kw_only=True)
class ReviewFile:
    """The file of review marks: what it says, where it is, its length in bytes now, and who marks."""

    marks: ReviewMarks
    path: str
    size: int
    author: str


def actions(
    snapshot: Snapshot,
    finding: Finding,
    *,
    baseline: Baseline,
    baseline_path: str,
    baseline_size: int = 0,
    reviews: ReviewFile | None = None,
) -> tuple[FindingAction, ...]:
    """Everything that can be done about a finding, the most useful first.

    `baseline_path` and `baseline_size`: the file that holds the baseline, and its length in bytes now.
    """
    known = snapshot.capabilities(finding.at.file)
    wrapped = known is not None and known.file_type(finding.at.file).wrapped
    found = [] if wrapped else [*_remove(snapshot, finding)]
    found.append(
        FindingAction(
            kind="show", title=f"Show the evidence ({len(finding.evidence)})", finding=finding, places=finding.evidence
        )
    )
    if not wrapped:
        found += _suppress(snapshot, finding)
    if reviews is not None and not reviews.marks.problem:
        found += _review(snapshot, finding, reviews)
    text = baseline_text(baseline, (finding,))
    edit = TextEdit(FilePath(baseline_path), 0, baseline_size, text, create=True)
    found.append(FindingAction(kind="baseline", title="Add to the baseline", finding=finding, edits=(edit,)))
    return tuple(found)


def _suppress(snapshot: Snapshot, finding: Finding) -> Iterator[FindingAction]:
    at = finding.at
    text = snapshot.text(at.file)
    if text is not None:
        comment = f"{_opener(snapshot, at.file)} graphls: ignore[{finding.rule}] reason"
        edit = comment_above(at.file, snapshot.facts(at.file), text, at.start, comment)
        yield FindingAction(
            kind="suppress", title=f"Ignore {finding.rule} here, with a reason", finding=finding, edits=(edit,)
        )


def _review(snapshot: Snapshot, finding: Finding, reviews: ReviewFile) -> Iterator[FindingAction]:
    """Marks that the finding has not. The reason is left to be written into the file."""
    now = None if finding.review is None or finding.review.outdated else finding.review.verdict
    for verdict, title in _REVIEWS.items():
        if verdict != now:
            mark = mark_of(snapshot, finding, verdict, "", reviews.author)
            text = marks_text(reviews.marks, {finding.id: mark})
            edit = TextEdit(FilePath(reviews.path), 0, reviews.size, text, create=True)
            yield FindingAction(kind="review", title=title, finding=finding, edits=(edit,))


def _remove(snapshot: Snapshot, finding: Finding) -> Iterator[FindingAction]:
    """Removing is safe for a definition that nothing can name, whose header has no effect of its own."""
    place = finding.at.place
    if finding.rule != _UNUSED or finding.confidence != "high" or place is None or place.definition < 0:
        return
    text, facts = snapshot.text(place.file), snapshot.facts(place.file)
    table, row = facts.definitions, place.definition
    whole = range(table.full_start[row], table.full_end[row])
    if text is None or len(facts.problems) or own_range(facts, row) != whole:
        return
    if stands_alone(facts, row) or _runs_code(snapshot, finding):
        return
    edit = without_lines(place.file, facts, text, whole.start, whole.stop)
    if edit is not None:
        name = facts.strings[table.name[row]]
        yield FindingAction(
            kind="remove", title=f"Remove unused {name}", finding=finding, edits=(edit,), preferred=True
        )


def _runs_code(snapshot: Snapshot, finding: Finding) -> bool:
    """Whether the definition runs calls when it is defined: in defaults, annotations or a class body."""
    place = finding.at.place
    if place is None:
        return True
    facts = snapshot.facts(place.file)
    table, row, uses = facts.definitions, place.definition, facts.occurrences
    body = table.body[row]
    inner = (facts.scopes.start[body], facts.scopes.end[body]) if body >= 0 else (0, 0)
    is_class = finding.measures.get("kind") == "class"
    for start, role, owner in zip(uses.start, uses.role, uses.owner, strict=True):
        if not table.full_start[row] <= start < table.full_end[row] or role not in _RUNS:
            continue
        if not inner[0] <= start < inner[1] or (is_class and owner == row):
            return True
    return False


_RUNS: Final = (Role.CALL, Role.DECORATE)


def _opener(snapshot: Snapshot, path: FilePath) -> str:
    known = snapshot.capabilities(path)
    return "//" if known is None else known.line_comment
