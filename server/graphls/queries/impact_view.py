"""Impact view: what a change may reach, as faces for people and agents show it.

Owns: the records of an answer.
Must not know: layout, JSON, how reach is computed.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import attrs

from graphls.graph.diagnoses import diagnostic_counts
from graphls.graph.snapshot import Snapshot
from graphls.queries.impact import AffectedNode, Impact, Stream
from graphls.queries.known_communities import communities_touched
from graphls.queries.node_views import EdgeView, NodeView, Presenter
from graphls.queries.processes import known_processes, process_name


@attrs.frozen(kw_only=True)
class Reached:
    """One node, how far away it is, and how sure the way to it is."""

    depth: int
    via: str
    confidence: float
    test: bool
    possible: bool
    """Only through a member that the changed one overrides, or that overrides it."""
    node: NodeView
    diagnostics: int = 0
    """What the text, a checker and logs of linters say is wrong with it."""


@attrs.frozen(kw_only=True)
class ImpactView:
    """Nearest first. `changed`: the subject with what changes along with it; `counts`: nodes at each distance, `tests`:
    tests among them, without what else stands in files of tests; null where the answer was cut, for nobody counted the
    rest."""

    stream: str
    changed: tuple[NodeView, ...]
    packages: tuple[str, ...]
    routes: tuple[NodeView, ...]
    """Routes and tools through which the change can be met."""
    processes: tuple[str, ...] | None
    """Chains of calls from an entry that pass what is changed, `entry -> end`, a heuristic; null where they are not
    known and take long to find."""
    communities: tuple[str, ...] | None
    """Communities of files that the changed and the affected belong to, that with most of them first; null where nobody
    has asked for those of the whole workspace."""
    counts: tuple[int, ...] | None
    tests: int | None
    importers: int | None
    """Bindings of imports, and modules, that only bring in what is affected; likewise."""
    affected: tuple[Reached, ...]
    edges: tuple[EdgeView, ...]
    """Those that were walked, where they were asked for."""
    edges_omitted: int
    diagnostics: int = 0
    """Of what is changed."""


def impact_view(presenter: Presenter, found: Impact, stream: Stream) -> ImpactView:
    """The records of an answer."""
    affected = reached_views(presenter, found.affected)
    return ImpactView(
        stream=stream,
        changed=tuple(presenter.node(seed) for seed in found.seeds),
        packages=found.packages,
        routes=tuple(presenter.node(one.node) for one in found.entries),
        processes=passing_names(presenter.snapshot, found),
        communities=communities_of(presenter.snapshot, found),
        counts=None if found.coverage.truncated else by_depth(found.affected),
        tests=None if found.coverage.truncated else count_tests(affected),
        importers=None if found.coverage.truncated else len(found.importers),
        affected=affected,
        edges=presenter.edges(found.edges),
        edges_omitted=found.edges_omitted,
        diagnostics=sum(diagnostic_counts(presenter.snapshot, found.seeds).values()),
    )


def passing_names(snapshot: Snapshot, found: Impact) -> tuple[str, ...] | None:
    """The chains that pass what is changed, by name; None where nobody knows them."""
    passing = known_processes(snapshot, found.seeds)
    return None if passing is None else tuple(process_name(snapshot, one) for one in passing)


def communities_of(snapshot: Snapshot, found: Impact) -> tuple[str, ...] | None:
    """The communities that a change touches; None where nobody knows any."""
    nodes = (*found.seeds, *(one.node for one in found.affected))
    return communities_touched(snapshot, (node.file for node in nodes if not isinstance(node, str)))


def reached_views(presenter: Presenter, affected: Iterable[AffectedNode]) -> tuple[Reached, ...]:
    """What a walk reached; in the walk's order."""
    affected = tuple(affected)
    wrong = diagnostic_counts(presenter.snapshot, (one.node for one in affected))
    return tuple(
        Reached(
            depth=one.depth,
            via=one.via,
            confidence=one.confidence,
            test=one.test,
            possible=one.possible,
            node=presenter.node(one.node),
            diagnostics=wrong.get(one.node, 0),
        )
        for one in affected
    )


def count_tests(affected: Iterable[Reached]) -> int:
    """Tests that can be run; functions and modules that serve them are none."""
    return sum(one.node.kind == "test" for one in affected)


def by_depth(affected: Iterable[AffectedNode]) -> tuple[int, ...]:
    """How many nodes are one step away, two steps, and so on."""
    depths = Counter(one.depth for one in affected)
    return tuple(depths[depth] for depth in range(1, max(depths, default=0) + 1))
