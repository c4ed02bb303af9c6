"""Pictures: the neighbourhood, the impact, the way and the findings as the view draws them.

Owns: the records of a picture, one function a picture.
Must not know: HTML, arguments, how anything was found.
Invariant: every id of an edge is that of a node in the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import attrs

from graphls.analysis.finding import Finding
from graphls.graph.edge_refs import Node
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, answer
from graphls.queries.changed import ChangedImpact
from graphls.queries.changed_links import ChangedLinks
from graphls.queries.impact import MAX_EDGES, ImpactQuery, Stream, impact
from graphls.queries.module_map import MapImport, MapModule, first_unfolded, module_map
from graphls.queries.neighborhood import Direction, NeighborhoodQuery, neighborhood
from graphls.queries.node_views import EdgeView, NodeView, Presenter, SourcePosition
from graphls.queries.trace import TraceQuery, trace
from graphls.session.comparing import PARTED
from graphls.session.finding_views import ReportedFinding, report_findings

PictureKind = Literal["neighborhood", "impact", "trace", "changes", "layers", "map", "findings"]
Change = Literal["added", "changed", "removed"]


@attrs.frozen(kw_only=True)
class ViewNode:
    """One box."""

    id: str
    kind: str
    subkind: str | None = None
    name: str
    symbol: str
    module: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    signature: str | None = None
    doc: str | None = None
    depth: int | None = None
    confidence: float | None = None
    test: bool = False
    change: Change | None = None
    """What edits did to it."""


@attrs.frozen(kw_only=True)
class ViewEdge:
    """One link."""

    id: str
    kind: str
    source: str
    target: str
    provenance: str
    resolution: str | None = None
    confidence: float = 1.0
    ambiguous: bool = False
    site_count: int = 0
    sites: tuple[SourcePosition, ...] = ()
    change: Change | None = None


@attrs.frozen(kw_only=True)
class PictureStatus:
    """What the answer says about itself."""

    snapshot: str
    revision: int
    fresh: bool
    complete: bool
    pending_count: int
    unresolved_sites: int
    truncated: bool
    omitted: int


@attrs.frozen(kw_only=True)
class PackageMap:
    """All modules and the imports among them: the view folds them."""

    modules: tuple[MapModule, ...]
    imports: tuple[MapImport, ...]
    unfolded: tuple[str, ...]
    """Ids of packages that are unfolded at first."""
    layers: tuple[tuple[str, ...], ...] = ()
    """Those that are declared and have a module here, from the highest to the lowest."""


@attrs.frozen(kw_only=True)
class Picture:
    """Everything that is drawn."""

    kind: PictureKind
    title: str
    root: str | None = None
    direction: Direction | None = None
    """Of an impact: `in` is what uses the root, `out` what it uses."""
    total: int | None = None
    """How many nodes there are beside those that come last, where more than are drawn were counted."""
    nodes: tuple[ViewNode, ...] = ()
    edges: tuple[ViewEdge, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()
    findings: tuple[ReportedFinding, ...] = ()
    map: PackageMap | None = None
    changes: str | None = None
    base: str | None = None
    """Of a picture of changes: which, and since when."""
    standing: PictureStatus


def picture_status(snapshot: Snapshot, coverage: Coverage | None = None) -> PictureStatus:
    """The envelope of a picture."""
    envelope = answer(snapshot, coverage or Coverage())
    names = (field.name for field in attrs.fields(PictureStatus))
    return PictureStatus(**{name: getattr(envelope, name) for name in names})


def neighborhood_picture(snapshot: Snapshot, place: SymbolRef, depth: int, limit: int = 200) -> Picture:
    """What is around a place."""
    found = neighborhood(snapshot, place, NeighborhoodQuery(depth=depth, limit=limit, ranked=True))
    things = Presenter(snapshot)
    root = things.node(found.root)
    return Picture(
        kind="neighborhood",
        title=root.symbol,
        root=root.id,
        total=found.total,
        nodes=(_node(root, depth=0), *(_node(things.node(near.node), depth=near.depth) for near in found.nodes)),
        edges=_edges(things.edges(found.edges)),
        standing=picture_status(snapshot, found.coverage),
    )


def impact_picture(snapshot: Snapshot, place: SymbolRef, stream: Stream, depth: int, limit: int = 200) -> Picture:
    """What a change of a place may reach, with the links that carry it there."""
    found = impact(snapshot, ImpactQuery(target=place, stream=stream, depth=depth, limit=limit, edges=MAX_EDGES))
    things = Presenter(snapshot)
    members: dict[Node, ViewNode] = {seed: _node(things.node(seed), depth=0) for seed in found.seeds}
    for one in found.affected:
        members[one.node] = _node(things.node(one.node), depth=one.depth, confidence=one.confidence, test=one.test)
    root = things.node(place)
    return Picture(
        kind="impact",
        title=f"impact of {root.symbol}" if stream == "upstream" else f"what {root.symbol} depends on",
        root=root.id,
        direction="in" if stream == "upstream" else "out",
        nodes=tuple(members.values()),
        edges=_edges(things.edges(found.edges)),
        standing=picture_status(snapshot, found.coverage),
    )


def trace_picture(snapshot: Snapshot, source: SymbolRef, target: SymbolRef) -> Picture:
    """How one place reaches another."""
    found = trace(snapshot, TraceQuery(source=source, target=target))
    things = Presenter(snapshot)
    first, last = things.node(source), things.node(target)
    if not found.paths:
        searched = "" if found.exhausted else "; the search gave up"
        raise BadRequest(f"No way from {first.symbol} to {last.symbol} was found{searched}.")
    nodes = dict.fromkeys(node for path in found.paths for node in path.nodes)
    views = {node: things.node(node) for node in nodes}
    edges = {
        link.source_id + link.target_id + link.kind: link
        for path in found.paths
        for link in things.edges((*path.edges, *path.parallel))
    }
    return Picture(
        kind="trace",
        title=f"{first.symbol} to {last.symbol}",
        root=first.id,
        nodes=tuple(_node(thing) for thing in views.values()),
        edges=_edges(tuple(edges.values())),
        paths=tuple(tuple(views[node].id for node in path.nodes) for path in found.paths),
        standing=picture_status(snapshot, found.coverage),
    )


def changes_picture(
    snapshot: Snapshot, found: ChangedImpact, links: ChangedLinks, changes: str, base: str = ""
) -> Picture:
    """What edits touch and reach, with the links that they added and removed."""
    things, earlier = Presenter(snapshot), Presenter(links.before)
    nodes = [
        attrs.evolve(_node(things.node(one.place), depth=0), change="added" if one.added else "changed")
        for one in found.nodes
    ]
    nodes += [
        _node(things.node(one.node), depth=one.depth, confidence=one.confidence, test=one.test)
        for one in found.affected
    ]
    nodes += [_node(things.node(node)) for node in links.ends]
    nodes += [attrs.evolve(_node(earlier.node(node)), change="removed") for node in links.gone]
    edges = [
        attrs.evolve(edge, change=link.change, id=f"{edge.id} {link.change or ''}".rstrip())
        for link in links.links
        for edge in _edges([(earlier if link.change == "removed" else things).edge(link.edge)])
    ]
    coverage = found.coverage
    omitted = coverage.omitted + links.omitted
    return Picture(
        kind="changes",
        title=changes_title(changes, base),
        changes=changes,
        base=base,
        nodes=tuple({node.id: node for node in reversed(nodes)}.values())[::-1],
        edges=tuple(edges),
        standing=picture_status(
            snapshot, attrs.evolve(coverage, truncated=coverage.truncated or links.omitted > 0, omitted=omitted)
        ),
    )


def changes_title(changes: str, base: str) -> str:
    """What was compared, in words."""
    if base.endswith(PARTED):
        return f"changes since {base.removesuffix(PARTED)} was left"
    return f"changes since {base}" if base else "my changes" if changes == "all" else f"my {changes} changes"


def map_picture(snapshot: Snapshot, scope: str = "", layers: Sequence[Sequence[str]] = ()) -> Picture:
    """Packages, and how often they import each other."""
    found = module_map(snapshot, scope, layers)
    view = PackageMap(modules=found.modules, imports=found.imports, unfolded=first_unfolded(found), layers=found.layers)
    title = f"Map of {scope}" if scope else "Map"
    return Picture(kind="map", title=title, map=view, standing=picture_status(snapshot, found.coverage))


def findings_picture(snapshot: Snapshot, found: Iterable[Finding]) -> Picture:
    """What the rules say."""
    listed = report_findings(Presenter(snapshot), found)
    return Picture(kind="findings", title="Findings", findings=listed, standing=picture_status(snapshot))


def _node(
    thing: NodeView, *, depth: int | None = None, confidence: float | None = None, test: bool = False
) -> ViewNode:
    names = ("id", "kind", "subkind", "name", "symbol", "file", "line", "column", "signature", "doc")
    values = {name: getattr(thing, name) for name in names}
    return ViewNode(**values, depth=depth, confidence=confidence, test=test or thing.kind == "test")


def _edges(links: Iterable[EdgeView]) -> tuple[ViewEdge, ...]:
    return tuple(
        ViewEdge(
            id=f"{link.source_id} {link.kind} {link.target_id}",
            kind=link.kind,
            source=link.source_id,
            target=link.target_id,
            provenance=link.provenance,
            resolution=link.resolution,
            confidence=link.confidence,
            ambiguous=link.ambiguous,
            site_count=link.site_count,
            sites=link.sites,
        )
        for link in links
    )
