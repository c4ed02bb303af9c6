"""Merged export: several exports as one, each below a folder of its name.

Owns: paths below names, what two exports share, what they contradict each other in, the header of all.
Must not know: where exports come from, what is asked of the result.
Invariant: every record of every export is there once, with its provenance and the fields that this version does not
    know; the result conforms where its parts do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import attrs

from graphls.graph.exported_graph import ExportedGraph, symbol_of
from graphls.graph.identity import digest_of, edge_id, format_id
from graphls.graph.records import Counts, Edge, Header, Node, Opaque, Record, Verified, WorkspaceName

T = TypeVar("T")
_SHOWN = 5
_SHARED = frozenset({"external", "stdlib_item"})
"""Kinds of nodes that are of no export: each names them by what they are."""


class MergeRefused(ValueError):
    """The exports cannot be one. The text is fit for users."""


@attrs.frozen(eq=False)
class MergedExport:
    """One graph of several. `differing`: nodes outside all of them about which they say different things, with the name
    of the export whose words are kept."""

    graph: ExportedGraph
    differing: tuple[tuple[Node, str], ...]


def merged_export(parts: Mapping[str, ExportedGraph]) -> MergedExport:
    """The graph of all parts, by name. Raises MergeRefused."""
    headers = {name: graph.header for name, graph in parts.items()}
    _check_headers(headers)
    nodes: dict[str, tuple[str, Node]] = {}
    edges: dict[str, tuple[str, Edge]] = {}
    others: dict[bytes, Opaque] = {}
    differing: list[tuple[Node, str]] = []
    conflicts: list[str] = []
    for name, graph in parts.items():
        own = {node.id: _own_id(name, node.id) for node in graph.nodes.values() if node.kind == "workspace"}
        for record, line in zip(graph.records, graph.raw, strict=True):
            match record:
                case Node():
                    _join(nodes, name, _below(name, record, own), conflicts, differing)
                case Edge():
                    _join(edges, name, _edge_below(name, record, own), conflicts, differing)
                case Opaque():
                    others.setdefault(line, record)
                case Header():
                    pass
    if conflicts:
        more = f", and {len(conflicts) - _SHOWN:,} more" if len(conflicts) > _SHOWN else ""
        raise MergeRefused(f"the exports say different things of the same ids: {'; '.join(conflicts[:_SHOWN])}{more}")
    plain = sorted((node for _, node in nodes.values() if node.kind != "diagnostic"), key=_node_order)
    diagnostics = sorted((node for _, node in nodes.values() if node.kind == "diagnostic"), key=_node_order)
    linked = sorted((edge for _, edge in edges.values()), key=_edge_order)
    unresolved = sum(header.counts.unresolved_sites for header in headers.values())
    counts = Counts(len(plain), len(linked), len(diagnostics), unresolved)
    records: list[Record] = [_header(headers, counts), *plain, *linked, *diagnostics, *others.values()]
    return MergedExport(ExportedGraph(records), tuple(differing))


def _own_id(name: str, ident: str) -> str:
    """Every workspace has the same id in its own export."""
    return format_id("n", digest_of(name, ident))


def _below(name: str, node: Node, own: Mapping[str, str]) -> Node:
    """A node with its path below a folder. Names are no paths, wherever they look alike."""
    ident = own.get(node.id, node.id)
    return attrs.evolve(node, id=ident, file=None if node.file is None else f"{name}/{node.file}")


def _edge_below(name: str, edge: Edge, own: Mapping[str, str]) -> Edge:
    sites = tuple(attrs.evolve(site, file=f"{name}/{site.file}") for site in edge.sites)
    source, target = own.get(edge.source, edge.source), own.get(edge.target, edge.target)
    same = (source, target) == (edge.source, edge.target)
    ident = edge.id if same else edge_id(source, target, edge.kind, edge.provenance)
    return attrs.evolve(edge, id=ident, source=source, target=target, sites=sites)


def _join(
    known: dict[str, tuple[str, Node]] | dict[str, tuple[str, Edge]],
    name: str,
    record: Node | Edge,
    conflicts: list[str],
    differing: list[tuple[Node, str]],
) -> None:
    other, before = known.setdefault(record.id, (name, record))  # type: ignore[arg-type]
    if before == record:
        return
    if isinstance(before, Node) and before.kind in _SHARED:
        differing.append((before, other))
        return
    what = symbol_of(record) if isinstance(record, Node) else f"{record.kind} of {record.source}"
    conflicts.append(f"{record.id} ({what}) of {other} and {name}")


def _check_headers(headers: Mapping[str, Header]) -> None:
    for of, said in _MUST_AGREE.items():
        found = {name: said(header) for name, header in headers.items()}
        if len(set(found.values())) > 1:
            listed = ", ".join(f"{name}: {value}" for name, value in found.items())
            raise MergeRefused(f"the exports differ in {of} ({listed}); write them again alike")


_MUST_AGREE: Mapping[str, Callable[[Header], str]] = {
    "the major version of the schema": lambda header: header.schema_version.partition(".")[0],
    "what a column counts": lambda header: f"{header.position.unit} from {header.position.base}",
    "how paths are written": lambda header: header.path_mode,
}


def _header(headers: Mapping[str, Header], counts: Counts) -> Header:
    each = list(headers.items())
    first = each[0][1]
    verified = [header.verification for header in headers.values()]
    packages = {name for header in headers.values() for name in header.workspace.packages}
    return attrs.evolve(
        first,
        mode="checked" if all(header.mode == "checked" for header in headers.values()) else "allow-errors",
        snapshot=format_id("s", digest_of(*(f"{name}\0{header.snapshot}" for name, header in each))),
        revision=None,
        workspace=WorkspaceName(" ".join(headers), tuple(sorted(packages))),
        languages=tuple(sorted({one for header in headers.values() for one in header.languages})),
        providers=_all(header.providers for header in headers.values()),
        libraries=_all(header.libraries for header in headers.values()),
        dirty=tuple(f"{name}/{file}" for name, header in each for file in header.dirty),
        degraded=any(header.degraded for header in headers.values()),
        problems=tuple(
            attrs.evolve(one, file=f"{name}/{one.file}") for name, header in each for one in header.problems
        ),
        counts=counts,
        verification=_verified([one for one in verified if one is not None]) if None not in verified else None,
        extra={key: value for header in reversed(list(headers.values())) for key, value in header.extra.items()},
    )


def _all(each: Iterable[Iterable[T]]) -> tuple[T, ...]:
    """What any of them names, once."""
    found: list[T] = []
    for some in each:
        found += [one for one in some if one not in found]
    return tuple(found)


def _verified(each: Sequence[Verified]) -> Verified:
    weakest = "complete" if all(one.verify == "complete" for one in each) else "available"
    return Verified(
        weakest,
        sum(one.uncertain for one in each),
        sum(one.left_out for one in each),
        sum(one.modules for one in each),
        sum(one.clean for one in each),
    )


def _node_order(node: Node) -> tuple[str, Sequence[int], str, str]:
    return node.file or "", node.range[:2] if node.range else (0, 0), node.kind, node.id


def _edge_order(edge: Edge) -> tuple[str, str, str, str]:
    return edge.source, edge.kind, edge.target, edge.id
