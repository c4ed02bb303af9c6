"""Changed: what the edits of a working tree touch and may reach.

Owns: arguments of `graphls changed`, its layout.
Must not know: version control, how reach is computed.
Invariant: names that are gone are listed beside what is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import EVERY, AsFormat, At, Format, MinConfidence, Root, Unresolved, Verify, Within
from graphls.cli.proposals import PatchFile, with_patch
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.notes import notes_section
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.selected_tests import write_tests
from graphls.cli.rendering.similar_rows import similar_section
from graphls.cli.rendering.words import counted, wrong_with
from graphls.cli.verification import settled, with_reported
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.changed import ChangesQuery, FileDiff, changed_impact
from graphls.queries.changed_view import ChangesView, TouchedFile, changes_view
from graphls.queries.impact_view import count_tests
from graphls.queries.node_views import Presenter
from graphls.queries.similar import similar
from graphls.queries.symbol_deltas import deltas_in_time
from graphls.session.annotations import AnnotationSource, change_notes
from graphls.session.before import before_edits
from graphls.session.comparing import Changes, edits
from graphls.session.selected_tests import selection_of_edits
from graphls.sources.limits import SourceLimits

_WITHIN = 8.0
"""Seconds: a far commit may take minutes, and what changed and what it reaches next is known by then."""

COMMAND = CommandEntry(
    help="Show what the edits since a commit touch and may reach.",
    rank=160,
    read_only=True,
    synonyms=("changes", "diff-impact"),
)


def run(
    ctx: typer.Context,
    base: Annotated[
        str,
        typer.Argument(
            metavar="[BASE]", help="Everything since this branch, tag or commit; BASE...: since it was left."
        ),
    ] = "",
    *,
    staged: Annotated[bool, typer.Option("--staged", help="What is staged only.")] = False,
    unstaged: Annotated[bool, typer.Option("--unstaged", help="What is not staged only.")] = False,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps to go.")] = 3,
    min_confidence: MinConfidence = 0.0,
    tests: Annotated[
        bool | None,
        typer.Option("--tests/--no-tests", help="List the tests that may run what changed, or no tests at all."),
    ] = None,
    ids: Annotated[bool, typer.Option("--ids", help="With --tests: only the ids that the runner takes.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="How many nodes to show.")] = 100,
    verify: Verify = False,
    unresolved: Unresolved = False,
    patch: PatchFile = "",
    root: Root = ".",
    at: At = "",
    within: Within = _WITHIN,
    format: AsFormat = Format.TEXT,
) -> None:
    changes = _changes(base, patch, staged=staged, unstaged=unstaged)
    if at and (patch or changes not in ("all", "compare")):
        raise UsageError("What is staged, unstaged or proposed is no part of a commit: leave that or --at out.")
    if verify and patch:
        raise UsageError("A checker judges what is on disk: leave out --verify or --patch.")
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        workspace = with_reported(workspace, at)
        live = snapshot = workspace.snapshot
        settings, prefixes = workspace.settings, workspace.workspace.prefixes
        if patch:
            snapshot, found = with_patch(workspace, patch)
        else:
            found = edits(workspace.workspace, live, SourceLimits.of(settings.files), changes, base, at=at)
            base, changes = (base or f"{at}^", "compare") if at else (base, changes)

        @cache
        def past() -> Snapshot:
            return live if patch else before_edits(live, settings, found, prefixes)

        def before(_: Sequence[FileDiff]) -> Snapshot:
            return past()

        if tests:
            selected = selection_of_edits(workspace.workspace, settings, snapshot, found, before)
            write_tests(snapshot, selected, format, limit=None, only_ids=ids)
            return
        query = ChangesQuery(depth, min_confidence, tests is not False, limit)
        answered = changed_impact(snapshot, found, query, before)
        if verify:
            places = [one.place for one in answered.nodes]
            snapshot = settled(workspace, places, "in", depth, wanted=True).snapshot
            answered = changed_impact(snapshot, found, query, before)
        like = similar(snapshot, [one.place for one in answered.nodes] if patch else (), settings.similarity)
        paths = [str(file.edit.old_path or file.edit.path) for file in answered.files]
        places = [one.place for one in answered.nodes]
        # What history and decisions say is of what is checked out.
        source = None if at else AnnotationSource(workspace.workspace, workspace.store)
        known = source and source.in_time(snapshot, {place.file for place in places})
        notes = known and change_notes(known, paths, places)
        deltas = deltas_in_time(past, snapshot, answered)
        kind = "proposed" if patch else changes
        view = changes_view(Presenter(snapshot), answered, kind, base, like, notes=notes, deltas=deltas)
        envelope = answer(snapshot, answered.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = _page(view)
    close_page(page, envelope)
    page.write()


def _changes(base: str, patch: str, *, staged: bool, unstaged: bool) -> Changes:
    if sum((bool(base), bool(patch), staged, unstaged)) > 1:
        raise UsageError("Choose one of --staged, --unstaged, --patch and a commit to compare with.")
    if base:
        return "compare"
    return "staged" if staged else "unstaged" if unstaged else "all"


def _page(view: ChangesView) -> TextPage:
    page = TextPage()
    if not view.files:
        page.line("Nothing changed.")
        return page
    page.rows([(file.status, (file.file, PLACE), _lines(file)) for file in view.files])
    if view.symbols:
        page.heading(counted(len(view.symbols), "symbol") + " changed")
    page.rows(
        [
            (
                "new" if one.added else "",
                (one.node.word, KIND),
                (one.node.symbol, NAME),
                (one.node.at, PLACE),
                (wrong_with(one.diagnostics), "red"),
            )
            for one in view.symbols
        ],
        indent="  ",
    )
    if view.removed:
        page.heading(counted(len(view.removed), "name") + " gone")
    page.rows(
        [((gone.kind, KIND), (gone.name, NAME), (gone.file, PLACE), _mentions(gone.mentions)) for gone in view.removed],
        indent="  ",
    )
    if view.similar:
        page.heading("like what is there")
        similar_section(page, view.similar)
    if view.notes is not None:
        notes_section(page, view.notes)
    _affected(page, view)
    return page


def _affected(page: TextPage, view: ChangesView) -> None:
    tests, bound = count_tests(view.affected), "" if view.counts is not None else "at least "
    page.heading(f"may affect {bound}{counted(len(view.affected), 'node')}, {counted(tests, 'test')} among them")
    if view.importers:
        page.note(f"and {counted(view.importers, 'import')} of these, not listed")
    page.rows(
        [
            (
                (str(one.depth), FAINT),
                (f"{one.confidence:.2f}" if one.confidence < 1 else "1", FAINT),
                (f"{one.via}, possibly" if one.possible else one.via, FAINT),
                ("test" if one.test and one.node.what != "test" else "", "yellow"),
                (one.node.word, KIND),
                (one.node.symbol, NAME),
                (one.node.at, PLACE),
                (wrong_with(one.diagnostics), "red"),
            )
            for one in view.affected
        ],
        indent="  ",
    )


def _lines(file: TouchedFile) -> str:
    if file.reason and file.reason != file.status:
        return f"({file.reason})"
    if file.old_file:
        return f"from {file.old_file}"
    added = sum(hunk.end_line + 1 - hunk.start_line for hunk in file.hunks)
    return f"+{added} -{sum(hunk.removed for hunk in file.hunks)}" if file.hunks else ""


def _mentions(count: int) -> str:
    return f"{counted(count, 'file')} still spell{'s' if count == 1 else ''} it" if count else ""
