"""Annotations: what decisions and history say of code, for answers about something else.

Owns: which decisions and which numbers are worth a line beside a symbol or a change.
Must not know: layout, how decisions are found, how history is read.
Invariant: without history nothing is said of it but why; a decision is named only where it governs the code.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Sequence
from functools import partial

import attrs

from graphls.analysis.decisions import Decision, decisions, governing
from graphls.analysis.git_signals import GitSignals, git_signals
from graphls.analysis.risk import day_of, file_risk
from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.annotation_views import ChangeNotes, FileHistory, GoverningDecision
from graphls.queries.node_views import Presenter
from graphls.session.history import git_history
from graphls.session.process.pending_work import PendingWork
from graphls.session.risk_report import left_behind_views
from graphls.sources.git_state import git_head
from graphls.sources.read import read_small
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore


@attrs.frozen(eq=False)
class RecordedNotes:
    """Decisions and history of one snapshot. `signals` None: there is no history, `without` says why."""

    snapshot: Snapshot
    decisions: tuple[Decision, ...]
    signals: GitSignals | None
    without: str = ""

    def governing(self, place: SymbolRef) -> tuple[Decision, ...]:
        """Decisions that govern a place or what holds it."""
        return governing(self.snapshot, self.decisions, place) if self.decisions else ()

    def decision_rows(self, places: Iterable[SymbolRef]) -> tuple[GoverningDecision, ...]:
        """The decisions that govern any of these, by file and place."""
        found: dict[str, tuple[Decision, dict[str, None]]] = {}
        things = Presenter(self.snapshot)
        for place in places:
            for one in self.governing(place):
                found.setdefault(one.id, (one, {}))[1][things.symbol(place)] = None
        order = {one.id: number for number, one in enumerate(self.decisions)}
        rows = sorted(found.values(), key=lambda pair: order[pair[0].id])
        return tuple(decision_row(things, one, tuple(names)) for one, names in rows)

    def history(self, path: str, *, hidden: bool = False) -> FileHistory | None:
        """What the window says of a file; None where it has no commit of it, or there is no history. `hidden`: files
        that only change together with it are looked for, which takes links."""
        signals = self.signals
        found = None if signals is None or path not in self.snapshot.shards else file_history(signals, path)
        if signals is None or found is None or not hidden:
            return found
        coupled = file_risk(self.snapshot, signals, signals.files[path], {}).coupled
        return attrs.evolve(found, hidden=tuple(other.file for other in coupled if other.hidden))


class AnnotationSource:
    """What is on record of one workspace; safe to use from any thread."""

    def __init__(self, workspace: Workspace, store: BlobStore | None) -> None:
        self._workspace = workspace
        self._store = store
        self._lock = threading.Lock()
        self._read: tuple[object, GitSignals | None, str] | None = None
        self._reading = PendingWork[tuple[GitSignals | None, str]]()

    def of(self, snapshot: Snapshot, code: Collection[FilePath] | None = None) -> RecordedNotes:
        """What is on record now. `code`: the files that the question is about, whose comments are read."""
        return RecordedNotes(snapshot, decisions(snapshot, code), *self._signals())

    def in_time(self, snapshot: Snapshot, code: Collection[FilePath] | None = None) -> RecordedNotes | None:
        """The same; None where a request has no time left for what stands beside an answer that it has."""
        try:
            return self.of(snapshot, code)
        except BudgetSpentError:
            return None

    def decisions(self, snapshot: Snapshot, place: SymbolRef) -> tuple[GoverningDecision, ...]:
        """Those that govern a place; history is not read."""
        return RecordedNotes(snapshot, decisions(snapshot, (place.file,)), None).decision_rows((place,))

    def _signals(self) -> tuple[GitSignals | None, str]:
        """Read once for what is checked out. Raises BudgetSpentError where git is not through: it goes on meanwhile."""
        folders = [folder.root for folder in self._workspace.folders]
        state = tuple((git_head(root), read_small(os.path.join(root, ".mailmap"))) for root in folders)
        with self._lock:
            known = self._read
        if known is None or known[0] != state:
            known = (state, *self._reading.result(state, partial(_read_signals, self._workspace, self._store)))
            with self._lock:
                self._read = known
        return known[1:]


def file_history(signals: GitSignals, path: str) -> FileHistory | None:
    """What the window says of a file, without looking for files that only change together with it."""
    found = signals.files.get(path)
    if found is None:
        return None
    return FileHistory(
        file=path,
        commits=found.commits,
        window=len(signals.history.commits),
        authors=len(found.authors),
        primary=found.authors[0].name,
        primary_share=found.authors[0].share,
        last_seen=day_of(found.last_seen),
        hotspot=found.hotspot,
        rank=signals.ranks[path],
        hidden=None,
    )


def change_notes(
    known: RecordedNotes, paths: Sequence[str], places: Sequence[SymbolRef], limit: int = 10
) -> ChangeNotes:
    """What is on record of files and symbols that a change touches."""
    rows = (
        None
        if known.signals is None
        else [row for path in paths if (row := known.history(path, hidden=True)) is not None]
    )
    return ChangeNotes(
        decisions=known.decision_rows(places)[:limit],
        history=None if rows is None else tuple(sorted(rows, key=lambda row: (-row.hotspot, row.file))[:limit]),
        left_behind=() if known.signals is None else left_behind_views(known.snapshot, known.signals, paths),
        without=known.without,
    )


def _read_signals(workspace: Workspace, store: BlobStore | None) -> tuple[GitSignals | None, str]:
    """Signals of what is checked out, or why there are none."""
    try:
        return git_signals(git_history(workspace, store)), ""
    except GraphError as refused:
        return None, refused.message


def decision_row(things: Presenter, one: Decision, governs: tuple[str, ...] = ()) -> GoverningDecision:
    """The record of one decision."""
    line = things.position(one.file, one.start).line
    return GoverningDecision(id=one.id, title=one.title, status=one.status, file=one.file, line=line, governs=governs)
