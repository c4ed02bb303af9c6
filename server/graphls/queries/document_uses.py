"""Document uses: what configuration and prose name at a position, and where they name a thing.

Owns: answers about files that are in no language, from derived edges.
Must not know: formats, schemas, LSP types.
Invariant: every stretch is the site of an edge, or the name of an entry.
"""

from __future__ import annotations

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot, SymbolRef


@attrs.frozen
class DocumentName:
    """A stretch of a document, and what it means. Bytes."""

    file: FilePath
    start: int
    end: int
    targets: tuple[SymbolRef | DerivedNode, ...]
    own: bool
    """It is the name of an entry itself."""


def document_name_at(snapshot: Snapshot, path: FilePath, offset: int) -> DocumentName | None:
    """What stands at an offset of a file that is in no language; None between names."""
    shard, derivation = snapshot.shards.get(path), snapshot.derivation
    if shard is None or shard.language or derivation is None:
        return None
    found: dict[SymbolRef | DerivedNode, None] = {}
    span: tuple[int, int] | None = None
    for edge in derivation.edges_from(snapshot, path):
        for file, start, end in edge.sites:
            if file == path and start <= offset <= end and not isinstance(edge.target, str):
                if span is None or end - start < span[1] - span[0]:
                    found, span = {}, (start, end)
                if span == (start, end):
                    found[edge.target] = None
    if span is not None:
        return DocumentName(path, *span, tuple(found), own=False)
    own = next((node for node in derivation.nodes(snapshot, path) if node.start <= offset <= node.end), None)
    return None if own is None else DocumentName(path, own.start, own.end, (own,), own=True)


def document_spans(snapshot: Snapshot, target: SymbolRef | DerivedNode) -> list[tuple[FilePath, int, int]]:
    """Where files that are in no language name a thing, by file and position."""
    derivation = snapshot.derivation
    if derivation is None:
        return []
    edges = derivation.edges_to(snapshot, target)
    sites = {site for edge in edges for site in edge.sites if edge.kind != "contains"}
    return sorted(site for site in sites if site[0] in snapshot.shards and not snapshot.shards[site[0]].language)


def is_in_language(snapshot: Snapshot, target: SymbolRef | DerivedNode) -> bool:
    """Whether a target is code."""
    return isinstance(target, SymbolRef) and bool(snapshot.shards[target.file].language)


def entry_at(snapshot: Snapshot, node: DerivedNode) -> tuple[int, str]:
    """The line of an entry, from 0, and how people write it."""
    text = snapshot.text(node.file) or b""
    return text.count(b"\n", 0, node.start), f"{node.file}#{node.name}"
