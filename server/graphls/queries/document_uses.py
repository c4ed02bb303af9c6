"""Document uses: what configuration and prose name at a position, and where they name a thing.

Owns: answers about files that are in no language, and about documents inside of code, from derived edges.
Must not know: formats, schemas, LSP types.
Invariant: every stretch is the site of an edge, or the name of an entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config import databases, graphql
from graphls.languages.config.graphql import EXTENSION
from graphls.languages.config.reading import MAX_DECLARED, format_of

_INSIDE: Final = frozenset((graphql.EMBEDDED, databases.EMBEDDED))
"""The attribute `via` of edges from documents inside of code."""


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
    """What stands at an offset of a file that is in no language, or of a document inside of code; None between
    names."""
    shard, derivation = snapshot.shards.get(path), snapshot.derivation
    if shard is None or derivation is None:
        return None
    found: dict[SymbolRef | DerivedNode, None] = {}
    span: tuple[int, int] | None = None
    for edge in derivation.edges_from(snapshot, path):
        if shard.language and edge.attributes.get("via") not in _INSIDE:
            continue
        for file, start, end in edge.sites:
            if file == path and start <= offset <= end and not isinstance(edge.target, str):
                if span is None or end - start < span[1] - span[0]:
                    found, span = {}, (start, end)
                if span == (start, end):
                    found[edge.target] = None
    if span is not None:
        return DocumentName(path, *span, tuple(found), own=False)
    nodes = (node for node in derivation.nodes(snapshot, path) if node.in_document or not shard.language)
    own = next((node for node in nodes if node.start <= offset <= node.end), None)
    return None if own is None else DocumentName(path, own.start, own.end, (own,), own=True)


def document_node_at(snapshot: Snapshot, path: FilePath, line: int, column: int = 0) -> SymbolRef | DerivedNode:
    """What stands at a line and column from 1; without a column what the line declares, else the innermost entry around
    it. Raises BadRequest."""
    lines = LineIndex(snapshot.text(path) or b"")
    start, end = lines.span(line - 1)
    found: Sequence[SymbolRef | DerivedNode] = ()
    if column:
        named = document_name_at(snapshot, path, lines.offset(line - 1, column - 1, "utf-32"))
        found = named.targets if named is not None else ()
    elif snapshot.derivation is not None:
        nodes = snapshot.derivation.nodes(snapshot, path)
        found = [node for node in nodes if start <= node.start <= end][:1]
        if not found and start < end:
            around = [node for node in nodes if node.full_start <= start and end <= node.full_end]
            found = sorted(around, key=lambda node: node.full_end - node.full_start)[:1]
    if not found:
        raise BadRequest(f"Nothing is declared or named at {path}:{line}; give the path alone for the file itself.")
    return found[0]


def entries_named(snapshot: Snapshot, path: FilePath, name: str) -> list[DerivedNode]:
    """Entries of a document by their name, or by its end behind a dot; of those with one name the first. Of code what
    documents inside of it declare."""
    derivation = snapshot.derivation
    if derivation is None or path not in snapshot.shards:
        return []
    code = bool(snapshot.shards[path].language)
    nodes = (node for node in derivation.nodes(snapshot, path) if node.in_document or not code)
    found = [node for node in nodes if f".{node.name}".endswith(f".{name}")]
    found.sort(key=lambda node: node.subkind == EXTENSION)  # what is extended is declared elsewhere
    first = {node.name: node for node in reversed(found)}
    return [first[name]] if name in first else list(reversed(first.values()))


def entry_above(snapshot: Snapshot, path: FilePath, name: str) -> DerivedNode | None:
    """The entry of a document that holds what a longer name means: `jobs.build` of `jobs.build.steps[1].run`."""
    derivation = snapshot.derivation
    if derivation is None or path not in snapshot.shards:
        return None
    nodes = {node.name: node for node in reversed(derivation.nodes(snapshot, path)) if node.in_document}
    while name:
        name = name[: max(name.rfind("."), name.rfind("["), 0)]
        if name in nodes:
            return nodes[name]
    return None


def declared_entries(snapshot: Snapshot, name: str) -> Iterator[DerivedNode]:
    """Entries of any document of a format whose entries are declarations, by their name or its end."""
    for path in declaring_documents(snapshot):
        yield from entries_named(snapshot, path, name)


def declaring_documents(snapshot: Snapshot) -> Iterator[FilePath]:
    """Documents of formats whose entries are declarations, which are named elsewhere."""
    return (path for path in snapshot.shards if format_of(path) in MAX_DECLARED)


def entries_inside(snapshot: Snapshot, entry: DerivedNode) -> Iterator[DerivedNode]:
    """What an entry holds: the columns of a table, the fields of a type."""
    for node in snapshot.derivation.nodes(snapshot, entry.file) if snapshot.derivation is not None else ():
        if node.name.startswith(f"{entry.name}.") and node.in_document:
            yield node


def document_spans(snapshot: Snapshot, target: SymbolRef | DerivedNode) -> list[tuple[FilePath, int, int]]:
    """Where files that are in no language, and documents inside of code, name a thing, by file and position."""
    derivation = snapshot.derivation
    if derivation is None:
        return []
    edges = (edge for edge in derivation.edges_to(snapshot, target) if edge.kind != "contains")
    sites = {(site, edge.attributes.get("via") in _INSIDE) for edge in edges for site in edge.sites}
    there = {(site, embedded) for site, embedded in sites if site[0] in snapshot.shards}
    return sorted({site for site, embedded in there if embedded or not snapshot.shards[site[0]].language})


def is_in_language(snapshot: Snapshot, target: SymbolRef | DerivedNode) -> bool:
    """Whether a target is code."""
    return isinstance(target, SymbolRef) and bool(snapshot.shards[target.file].language)


def entry_at(snapshot: Snapshot, node: DerivedNode) -> tuple[int, str]:
    """The line of an entry, from 0, and how people write it."""
    text = snapshot.text(node.file) or b""
    return text.count(b"\n", 0, node.start), f"{node.file}#{node.name}"
