"""Drawing: a picture of the view as a scheme, for an SVG file.

Owns: what of a picture is drawn, words on boxes and lines.
Must not know: places, colours, how anything was found.
Invariant: what the view hides at first is left out here too, and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphls.cli.viewing.pictures import Picture, ViewEdge, ViewNode
from graphls.graph.drawing import Box, Line, Scheme, Trust
from graphls.graph.drawing.scheme import edge_family, node_family

_STRUCTURE = frozenset({"contains", "defines", "documents", "diagnoses"})
_CHECKED = "compiler_checked"
_MOST_KINDS = 2
_MODULES = ("module", "package", "file")


def scheme_of(picture: Picture) -> Scheme:
    """Boxes and lines of a picture."""
    drawn = {node.id: node for node in picture.nodes if node.id == picture.root or _is_drawn(node)}
    hidden = _STRUCTURE if picture.kind in ("neighborhood", "impact") else frozenset[str]()
    pairs: dict[tuple[str, str], list[ViewEdge]] = {}
    for edge in picture.edges:
        if edge.source in drawn and edge.target in drawn and edge.kind not in hidden:
            pairs.setdefault((edge.source, edge.target), []).append(edge)
    if picture.kind == "neighborhood":
        joined = {picture.root, *(end for pair in pairs for end in pair)}
        drawn = {id: node for id, node in drawn.items() if id in joined}
    counted = picture.kind == "layers"
    return Scheme(
        title=picture.title,
        boxes=tuple(_box(picture, node) for node in drawn.values()),
        lines=tuple(_line(pair, edges, counted=counted) for pair, edges in pairs.items()),
        notes=tuple(_notes(picture, drawn)),
        down=counted,
    )


def _is_drawn(node: ViewNode) -> bool:
    return bool(node.file) and (node.subkind or node.kind) != "import"


def _box(picture: Picture, node: ViewNode) -> Box:
    kind = node.subkind or node.kind
    holder = node.symbol.removesuffix(node.name).rstrip(".:") if ":" in node.symbol else ""
    return Box(
        id=node.id,
        name=node.symbol if kind in _MODULES else node.name,
        under=f"{kind} · {holder}" if holder else kind if node.file else f"{kind} · outside",
        family=node_family(kind),
        root=node.id == picture.root,
        outside=not node.file,
        depth=node.depth if picture.kind == "impact" else None,
    )


def _line(pair: tuple[str, str], edges: Sequence[ViewEdge], *, counted: bool) -> Line:
    words = list(dict.fromkeys(_words(edge) for edge in edges))
    more = f" +{len(words) - _MOST_KINDS}" if len(words) > _MOST_KINDS else ""
    label = ", ".join(words[:_MOST_KINDS]) + more
    if counted:
        sites = sum(edge.site_count for edge in edges)
        label = str(sites) if sites > 1 else ""
    return Line(*pair, label, edge_family(frozenset(edge.kind for edge in edges)), _trust(edges))


def _trust(edges: Sequence[ViewEdge]) -> Trust:
    if all(edge.ambiguous for edge in edges):
        return "ambiguous"
    return "sure" if max(edge.confidence for edge in edges) >= 1 else "inferred"


def _words(edge: ViewEdge) -> str:
    """The kind, and how far the link can be trusted: as in the view."""
    share = "" if edge.confidence >= 1 else f"{edge.confidence:.2f}".removeprefix("0").rstrip("0")
    if edge.ambiguous:
        return f"{edge.kind} ?{share}"
    if edge.provenance == _CHECKED:
        return f"{edge.kind} !"
    return f"{edge.kind} ~{share}" if edge.resolution else edge.kind


def _notes(picture: Picture, drawn: Mapping[str, ViewNode]) -> Iterator[str]:
    left, standing = len(picture.nodes) - len(drawn), picture.standing
    if left:
        yield f"{left} nodes left out: outside the workspace, imports, or joined only by where they are written"
    if standing.truncated:
        yield f"{standing.omitted} more not asked for" if standing.omitted else "more not asked for"
    if standing.unresolved_sites:
        yield f"{standing.unresolved_sites} uses undecided: there may be more"
    if not standing.fresh:
        yield f"{standing.pending_count} changed files not read yet"
