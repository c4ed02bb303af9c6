"""Changes: the tool for who has edited, or is about to write.

Owns: changes.
Must not know: version control, how reach is computed.
Invariant: what is broken comes first; proposed code is compared with what is there and written nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Final, Literal

from pydantic import Field

from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.mcp.graph_queries.similar import similar_row
from graphls.mcp.paging import Reply
from graphls.mcp.proposals import Patch, Texts, with_proposal
from graphls.mcp.requests import MOST_UNRESOLVED, CommitRequest, Confidence
from graphls.mcp.selected_tests import selected_rows
from graphls.mcp.text_form import Row, TextAnswer, code_rows, folded, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.mcp.wording import counted, name_at, one_line, test_line
from graphls.queries.answer import Answer, answer
from graphls.queries.broken_uses import broken_uses
from graphls.queries.changed import ChangesQuery, FileDiff, changed_impact, removed_names
from graphls.queries.changed_view import ChangesView, GoneSymbol, changes_view
from graphls.queries.code_lines import CodeLine
from graphls.queries.similar import similar
from graphls.queries.symbol_deltas import deltas_in_time
from graphls.session.annotations import change_notes
from graphls.session.before import before_edits
from graphls.session.comparing import Changes, edits
from graphls.session.selected_tests import selection_of_edits
from graphls.sources.limits import SourceLimits

Kind = Literal["broken", "changed", "similar", "record", "affected", "unresolved", "tests"]
EVERY: Final[tuple[Kind, ...]] = ("broken", "changed", "similar", "record", "affected")


class ChangesRequest(CommitRequest):
    changes: Annotated[
        Changes, Field(description="all: against HEAD; compare: against base; unsaved: an editor's buffers")
    ] = "all"
    base: Annotated[str, Field(max_length=250, description="for compare: branch, tag or commit")] = ""
    proposed: Texts = Field(default_factory=dict)
    patch: Patch = ""
    kinds: Annotated[tuple[Kind, ...], Field(description="only these")] = ()
    depth: Annotated[int, Field(ge=1, le=6, description="steps from what changed")] = 3
    min_confidence: Confidence = 0.0
    include_tests: bool = True
    limit: Annotated[int, Field(ge=1, le=5_000)] = 500


def changed(context: ToolContext, request: ChangesRequest) -> Reply:
    """What edits broke and may reach."""
    state, query = context.state, _query(request)
    before: Snapshot | None = None
    proposed = bool(request.proposed or request.patch)
    base = request.base or (f"{context.at}^" if context.at else "")
    if proposed and context.at:
        raise BadRequest("What is proposed is no part of a commit: leave that or at out.")
    if proposed:
        before = context.snapshot
        after, found = _proposed(context, request)
        context = context.with_snapshot(after)
    else:
        limits = SourceLimits.of(state.settings.files)
        found = edits(state.workspace, context.snapshot, limits, request.changes, request.base, at=context.at)

    @cache
    def past() -> Snapshot:
        return before or before_edits(context.snapshot, state.settings, found, state.workspace.prefixes)

    if not proposed:
        context = context.with_reported()
    # First: what is broken matters most, and time may run out.
    removed = removed_names(context.snapshot, found, past)
    broken = broken_uses(past, context.snapshot, found, removed)
    answered = changed_impact(context.snapshot, found, query, lambda _: past(), removed=removed)
    tests = tuple[Row, ...]()
    if "tests" in request.kinds:
        selected = selection_of_edits(state.workspace, state.settings, context.snapshot, found, lambda _: past())
        tests = tuple(selected_rows(context.snapshot, selected))
    listed = MOST_UNRESOLVED if "unresolved" in request.kinds else 0
    envelope = answer(context.snapshot, answered.coverage, listed=listed)
    sources = [one.place for one in answered.nodes] if proposed or "similar" in request.kinds else ()
    like = similar(context.snapshot, sources, state.settings.similarity)
    paths = [str(file.edit.old_path or file.edit.path) for file in answered.files]
    places = [one.place for one in answered.nodes]
    # What history and decisions say is of what is checked out.
    known = (
        None if context.at else state.session.annotations.in_time(context.snapshot, {place.file for place in places})
    )
    notes = known and change_notes(known, paths, places)
    comparison = "proposed" if proposed else "compare" if context.at else request.changes
    deltas = deltas_in_time(past, context.snapshot, answered)
    view = changes_view(context.things, answered, comparison, base, like, notes=notes, deltas=deltas)
    return Reply(envelope, view, lambda: _text(request, view, envelope, broken, tests=tests), "affected")


def _query(request: ChangesRequest) -> ChangesQuery:
    return ChangesQuery(request.depth, request.min_confidence, request.include_tests, request.limit)


def _proposed(context: ToolContext, request: ChangesRequest) -> tuple[Snapshot, tuple[FileDiff, ...]]:
    if request.changes != "all" or request.base:
        raise BadRequest("What is proposed is compared with the files as they are: leave changes and base out.")
    return with_proposal(context, request.proposed, request.patch)


def _text(
    request: ChangesRequest,
    view: ChangesView,
    envelope: Answer,
    broken: Sequence[CodeLine],
    *,
    tests: tuple[Row, ...] = (),
) -> TextAnswer:
    wanted = request.kinds or EVERY
    head = (
        f"{view.changes}: {counted(len(view.files), 'file')}, {counted(len(view.symbols), 'symbol')} changed, "
        f"{len(view.removed)} gone, {counted(len(broken), 'line')} broken, {len(view.affected)} affected"
    )
    sections: Mapping[Kind, Iterator[Row]] = {
        "broken": _broken_rows(view.removed, broken),
        "changed": _changed_rows(view),
        "similar": map(similar_row, view.similar),
        "record": _record_rows(view),
        "affected": iter(folded(_affected_rows(view))),
        "unresolved": open_rows(envelope.unresolved, "unresolved, may be uses:"),
        "tests": iter(tests),
    }
    rows = tuple(row for kind in dict.fromkeys(wanted) for row in sections[kind])
    counts: dict[str, int] = {}
    for one in view.affected:
        if one.node.kind == "test" and one.node.file:
            counts[one.node.file] = counts.get(one.node.file, 0) + 1
    return TextAnswer(head, rows, tuple(test_line(list(counts.items()))))


def _broken_rows(removed: tuple[GoneSymbol, ...], broken: Sequence[CodeLine]) -> Iterator[Row]:
    for gone in removed:
        yield Row(f"{gone.file}  {gone.kind} {gone.name}", ("gone:",))
    yield from folded(code_rows(broken, "broken, they name what is gone:"))


def _changed_rows(view: ChangesView) -> Iterator[Row]:
    for file in view.files:
        if file.reason:
            yield Row(f"{file.file}  {file.status}: {file.reason}", ("changed:",))
    for one in view.symbols:
        new = ", new" if one.added else ""
        wrong = f", {counted(one.diagnostics, 'diagnostic')}" if one.diagnostics else ""
        yield Row(f"{one_line(one.node)}  <- {counted(one.lines, 'line')}{new}{wrong}", ("changed:",))


def _record_rows(view: ChangesView) -> Iterator[Row]:
    """Decisions that govern what changed, hot files, files that mostly change with these."""
    notes = view.notes
    for one in notes.decisions if notes is not None else ():
        yield Row(f"{one.file}:{one.line} [{one.status}] {one.title}", ("decisions that govern it:",))
    for file in (notes.history or ()) if notes is not None else ():
        if file.is_hot:
            yield Row(f"{file.file}  {file.sentence}", ("change often:",))
    for left in notes.left_behind if notes is not None else ():
        yield Row(f"{left.file}  {left.count} times with {left.changed}", ("mostly changed with these, left alone:",))


def _affected_rows(view: ChangesView) -> Iterator[Row]:
    """Who uses what changed directly; who is reached through these by name and distance."""
    for one in view.affected:
        sure = f", {one.confidence:.0%} sure" if one.confidence < 1 else ""
        possible = ", possibly" if one.possible else ""
        heading = f"affected, {counted(one.depth, 'step')} away:"
        wrong = f", {counted(one.diagnostics, 'diagnostic')}" if one.diagnostics else ""
        what = f"{one.node.line or ''}  {name_at(one.node) or one.node.what}  <- {one.via}{possible}{sure}{wrong}"
        yield Row(what, (heading, one.node.file or "", ""))


TOOL = ToolEntry(
    name="changes",
    title="What edits broke",
    description="After each edit, and before you commit: names that are gone and the lines they break, symbols "
    "changed, what may be affected, tests to run. With proposed or patch: the same for code not written yet, and what "
    "is like it. Before an edit use change_plan.",
    queries=(Query(name="changes", request=ChangesRequest, contents=ChangesView, run=changed),),
    rank=3,
)
