"""Decision report: decisions and what they govern, as faces show them.

Owns: the records of an answer, which decisions a question is about.
Must not know: layout, how decisions are found.
Invariant: what a decision names and the graph does not have is said.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from graphls.analysis.decisions import Decision, conflicts, decisions, decisions_about
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.node_views import Presenter
from graphls.queries.scope import paths_in


@attrs.frozen(kw_only=True)
class DecisionView:
    """One decision. `governs`: symbols and files; `lost`: what it names and the graph does not have."""

    id: str
    title: str
    status: str
    source: str
    file: str
    line: int
    rationale: str
    governs: tuple[str, ...]
    lost: tuple[str, ...]


@attrs.frozen(kw_only=True)
class ConflictView:
    """A file or symbol that decisions of different status govern."""

    symbol: str
    decisions: tuple[str, ...]


@attrs.frozen(kw_only=True)
class DecisionReport:
    """Decisions by file and place. `total`: all of the workspace."""

    total: int
    decisions: tuple[DecisionView, ...]
    conflicts: tuple[ConflictView, ...]


def decision_report(
    snapshot: Snapshot, scope: str = "", place: SymbolRef | None = None, status: str = ""
) -> DecisionReport:
    """Decisions that govern a place, or that stand or govern something in a scope. Raises BadRequest where there is no
    such scope."""
    everything, paths = decisions(snapshot), paths_in(snapshot, scope)
    chosen = decisions_about(everything, place) if place is not None else everything
    things = Presenter(snapshot)
    found = [
        one for one in chosen
        if (not status or one.status == status)
        and (one.file in paths or any(governed.file in paths for governed in one.governs))
    ]  # fmt: skip
    return DecisionReport(
        total=len(everything),
        decisions=decision_views(things, found),
        conflicts=tuple(
            ConflictView(symbol=things.symbol(one.place), decisions=one.decisions) for one in conflicts(found)
        ),
    )


def decision_views(things: Presenter, found: Iterable[Decision]) -> tuple[DecisionView, ...]:
    """The records of decisions, in the same order."""
    return tuple(_view(things, one) for one in found)


def _view(things: Presenter, one: Decision) -> DecisionView:
    return DecisionView(
        id=one.id,
        title=one.title,
        status=one.status,
        source=one.source,
        file=one.file,
        line=things.position(one.file, one.start).line,
        rationale=one.rationale,
        governs=tuple(map(things.symbol, one.governs)),
        lost=one.lost,
    )
