"""Declared nodes: the nodes and edges that rules derive from one file.

Owns: the shape of what is derived, its order, anchors of equals, provenance and attributes of edges.
Must not know: which rules there are, how names are resolved.
Invariant: everything comes out in source order; equal texts give equal nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.anchors import FIRST, Anchors
from graphls.graph.derivation import DERIVED, DerivedNode, Value
from graphls.graph.edges import RawEdge, Site
from graphls.graph.evidence import SiteEvidence, weakest_evidence
from graphls.graph.snapshot import SymbolRef, Target


@attrs.frozen
class DerivedSpan:
    """Where something derived stands: what to show, and the whole of it."""

    start: int
    end: int
    full_start: int
    full_end: int


@attrs.frozen
class Handler:
    """What runs, or is meant, and where that is written."""

    place: SymbolRef
    start: int
    end: int
    resolution: str
    confidence: float
    ambiguous: bool = False


@attrs.frozen
class DeclaredNode:
    """One derived node before it has an anchor, with what it leads to."""

    kind: str
    subkind: str
    name: str
    span: DerivedSpan
    confidence: float
    attributes: tuple[tuple[str, Value], ...]
    handlers: tuple[Handler, ...] = ()
    named: tuple[Handler, ...] = ()
    """What it refers to without running it: a module whose routes it takes in."""
    inline: tuple[Handler, ...] = ()
    """What a handler without a name calls."""
    tested: tuple[Handler, ...] = ()
    """What a test exercises."""
    provenance: str = DERIVED
    by: SymbolRef | None = None
    """The object in front of the dot of the call that declares it."""


@attrs.frozen
class Mount:
    """One call that takes in what something declares, under a path."""

    file: FilePath
    start: int
    by: SymbolRef | None
    """The object that takes in."""
    prefix: str
    what: SymbolRef | None
    """The object or function that is taken in; None for one without a name."""
    where: FilePath
    span: tuple[int, int]
    """Where that is written in full."""
    made: bool
    """It is what the function gives back."""
    replaces: bool = False
    """The path stands in the place of the prefix that what is taken in was made with."""
    verbatim: bool = False
    """Path and what comes behind it are joined as they are written, and code outside of functions is taken in whole."""
    framework: str = ""
    """All routes of this framework are taken in, of the package that the file is in."""
    but: tuple[str, ...] = ()
    """Paths of those that are not."""


@attrs.frozen
class ContractUse:
    """Code that asks for, or answers, what another file declares, by a name that both spell."""

    kind: str
    """`http`: a method and a path with holes; `rpc`: `package.Service/Method`, perhaps without the package; `key`;
    `table`: names of which the first that is declared counts, of a column `table:column`; `model` of a schema."""
    name: str
    source: SymbolRef
    start: int
    end: int
    confidence: float
    serves: bool = False
    """It answers."""
    rule: str = ""


@attrs.frozen(eq=False)
class FileDerivation:
    """All that is derived from one file."""

    nodes: tuple[DerivedNode, ...] = ()
    edges: tuple[RawEdge, ...] = ()
    owners: tuple[SymbolRef | None, ...] = ()
    """The objects that declare the nodes."""
    mounts: tuple[Mount, ...] = ()
    uses: tuple[ContractUse, ...] = ()


def derivations(
    path: FilePath,
    declared: Iterable[DeclaredNode],
    facts: FileFacts | None = None,
    edges: Iterable[RawEdge] = (),
    mounts: Iterable[Mount] = (),
) -> FileDerivation:
    """Nodes with their anchors, their edges, and further edges of the file; each in source order."""
    ones = sorted(declared, key=lambda one: (one.span.start, one.kind, one.name))
    nodes = anchored_nodes([_node_of(path, one) for one in ones], facts)
    found: list[RawEdge] = []
    for one, node in zip(ones, nodes, strict=True):
        found.append(
            RawEdge(SymbolRef(path, -1), node, "contains", one.provenance, None, 1.0, ambiguous=False, sites=())
        )
        rule = dict(one.attributes).get("rule")
        marks: dict[str, str | bool] = {"rule": rule} if isinstance(rule, str) else {}
        found += [edge_to_handler(path, node, "handles", handler, marks) for handler in _distinct(one.handlers)]
        found += [edge_to_handler(path, node, "references", handler, marks) for handler in _distinct(one.named)]
        found += [
            edge_to_handler(path, node, "handles", handler, {**marks, "via": "inline"})
            for handler in _distinct(one.inline)
        ]
        found += [edge_to_handler(path, node, "tests", handler, marks) for handler in _distinct(one.tested)]
    return FileDerivation(nodes, (*found, *merged_edges(edges)), tuple(one.by for one in ones), tuple(mounts))


def _node_of(path: FilePath, one: DeclaredNode) -> DerivedNode:
    return DerivedNode(
        file=path,
        kind=one.kind,
        subkind=one.subkind,
        name=one.name,
        start=one.span.start,
        end=one.span.end,
        full_start=one.span.full_start,
        full_end=one.span.full_end,
        anchor=FIRST,
        provenance=one.provenance,
        confidence=one.confidence,
        attributes=one.attributes,
    )


def anchored_nodes(nodes: Sequence[DerivedNode], facts: FileFacts | None) -> tuple[DerivedNode, ...]:
    """Nodes of one file with what tells them from their equals; by their order where nothing is known of its code."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for number, node in enumerate(nodes):
        groups.setdefault((node.kind, node.subkind, node.name), []).append(number)
    made = [FIRST] * len(nodes)
    equals = [group for group in groups.values() if len(group) > 1]
    if equals:
        anchors = None if facts is None else Anchors(facts)
        for group in equals:
            stretches = [(nodes[number].full_start, nodes[number].full_end) for number in group]
            texts = map(str, range(len(group))) if anchors is None else anchors.of_code(stretches)
            for number, text in zip(group, texts, strict=True):
                made[number] = text
    return tuple(
        node if node.anchor == anchor else attrs.evolve(node, anchor=anchor)
        for node, anchor in zip(nodes, made, strict=True)
    )


def edge_to_handler(
    path: FilePath, source: SymbolRef | DerivedNode, kind: str, handler: Handler, attributes: Mapping[str, str | bool]
) -> RawEdge:
    """An edge from a node to what is written in one place of its file."""
    return RawEdge(
        source=source,
        target=handler.place,
        kind=kind,
        provenance=source.provenance if isinstance(source, DerivedNode) else DERIVED,
        resolution=handler.resolution,
        confidence=handler.confidence,
        ambiguous=handler.ambiguous,
        sites=((path, handler.start, handler.end),),
        attributes=attributes,
    )


def handlers_of(targets: Iterable[Target], start: int, end: int, confidence: float = 1.0) -> tuple[Handler, ...]:
    """Places of the workspace among targets."""
    return tuple(
        Handler(
            place=target.place,
            start=start,
            end=end,
            resolution=target.resolution.name.lower(),
            confidence=round(min(target.confidence, 1.0) * confidence, 4),
            ambiguous=target.ambiguous,
        )
        for target in targets
        if target.place is not None
    )


def _distinct(handlers: Iterable[Handler]) -> Iterable[Handler]:
    return {handler.place: handler for handler in reversed(tuple(handlers))}.values()


def merged_edges(edges: Iterable[RawEdge]) -> Sequence[RawEdge]:
    """One edge for all sites of a source, target and kind; the weakest site decides how far it is trusted."""
    found: dict[tuple[SymbolRef | DerivedNode, SymbolRef | DerivedNode | str, str], RawEdge] = {}
    sites: dict[tuple[SymbolRef | DerivedNode, SymbolRef | DerivedNode | str, str], dict[Site, SiteEvidence]] = {}
    for edge in edges:
        key = (edge.source, edge.target, edge.kind)
        before = found.setdefault(key, edge)
        if before.ambiguous and not edge.ambiguous:
            found[key] = attrs.evolve(before, ambiguous=False)
        known = sites.setdefault(key, {})
        for site, how in edge.sites_with_evidence():
            known[site] = max(known.get(site, how), how, key=lambda one: one.confidence)
    return [_with_sites(edge, dict(sorted(sites[key].items()))) for key, edge in found.items()]


def once_each(edges: Iterable[RawEdge]) -> tuple[RawEdge, ...]:
    """The same edges in their order, those that several rules make as one: it has one id."""
    groups: dict[tuple[object, ...], list[RawEdge]] = {}
    for edge in edges:
        groups.setdefault((edge.source, edge.target, edge.kind, edge.provenance), []).append(edge)
    return tuple(group[0] if len(group) == 1 else merged_edges(group)[0] for group in groups.values())


def edges_by_site(edges: Iterable[RawEdge]) -> Sequence[RawEdge]:
    """Edges that all have sites, merged, by where the first of them stands: whoever asks, the order is the same."""
    return sorted(merged_edges(edges), key=lambda edge: edge.sites[0])


def _with_sites(edge: RawEdge, sites: Mapping[Site, SiteEvidence]) -> RawEdge:
    if not sites:
        return edge
    each = tuple(sites.values())
    whole = weakest_evidence(each)
    return attrs.evolve(
        edge,
        sites=tuple(sites),
        site_evidence=each if len(set(each)) > 1 else (),
        provenance=whole.provenance,
        resolution=whole.resolution,
        confidence=whole.confidence,
    )
