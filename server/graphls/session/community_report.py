"""Community report: communities and surprises of files, as faces show them.

Owns: the records of an answer.
Must not know: layout, formulas.
Invariant: without history the answer says so, and rests on imports alone.
"""

from __future__ import annotations

import attrs

from graphls.analysis.communities import FileTie, can_find_communities, file_communities
from graphls.analysis.views import Views
from graphls.graph.errors import BadRequest
from graphls.graph.request_budget import spent_reason
from graphls.graph.snapshot import Snapshot
from graphls.queries.known_communities import note_communities
from graphls.queries.scope import paths_in
from graphls.session.comparing import NoHistory
from graphls.session.health_report import HealthSources
from graphls.session.risk_report import signals_of


@attrs.frozen(kw_only=True)
class TieView:
    """Two files: whether one imports the other, commits in common."""

    one: str
    other: str
    imports: bool
    changes: int
    weight: int


@attrs.frozen(kw_only=True)
class CommunityView:
    """Files that belong together; `central` with their weight inside, `cohesion` the part of the weight inside."""

    name: str
    size: int
    cohesion: float
    central: tuple[tuple[str, int], ...]
    members: tuple[str, ...]
    ties: tuple[TieView, ...]


@attrs.frozen(kw_only=True)
class SurpriseView:
    """A tie that crosses a border, and why that may surprise."""

    tie: TieView
    reasons: tuple[str, ...]
    points: int


@attrs.frozen(kw_only=True)
class CommunityReport:
    """Largest first. `head`: the commit that history ends with, null without one."""

    head: str | None
    total: int
    communities: tuple[CommunityView, ...]
    surprises: tuple[SurpriseView, ...]
    alone: int


def community_report(snapshot: Snapshot, sources: HealthSources, limit: int = 20, scope: str = "") -> CommunityReport:
    """How the files of a workspace belong together. `scope`: communities and ties of these. Raises BadRequest where
    the library is not installed."""
    if not can_find_communities():
        raise BadRequest("Communities need networkx: pip install 'graphls[communities]'.")
    try:
        signals = signals_of(sources.workspace, snapshot, sources.store)
    except NoHistory:
        signals = None
    views = Views(snapshot, generated=sources.settings.findings.generated)
    found = file_communities(views, signals)
    views.store()
    if not spent_reason():
        note_communities(snapshot, {path: one.name for one in found.communities for path in one.members})
    among = paths_in(snapshot, scope)
    chosen = [one for one in found.communities if not among.isdisjoint(one.members)]
    surprises = [one for one in found.surprises if one.tie.one in among or one.tie.other in among]
    tied = frozenset(path for one in chosen for path in one.members)
    alone = found.alone if not scope else sum(path in among and path not in tied for path in views.sources(tests=True))
    return CommunityReport(
        head=signals.history.head if signals is not None else None,
        total=len(chosen),
        communities=tuple(
            CommunityView(name=one.name, size=len(one.members), cohesion=one.cohesion, central=one.central,
                          members=one.members, ties=tuple(map(_tie, one.ties)))
            for one in chosen[:limit]
        ),
        surprises=tuple(
            SurpriseView(tie=_tie(one.tie), reasons=one.reasons, points=one.points) for one in surprises[:limit]
        ),
        alone=alone,
    )  # fmt: skip


def _tie(tie: FileTie) -> TieView:
    return TieView(one=tie.one, other=tie.other, imports=tie.imports, changes=tie.changes, weight=tie.weight)
