"""Call table: all calls by flow of a snapshot, found once, by either end and packed for later runs.

Owns: the edges by source and by target, their columns in the store, what these rest on.
Must not know: how calls are found.
Invariant: equal contents, inputs of links and rules give an equal table, whichever run made it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.flow import passing
from graphls.analysis.flow.value_lists import Words
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import Column, column
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED
from graphls.graph.evidence import RawEdge, Site
from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Snapshot, SymbolRef

VERSION: Final = 4
"""Raised whenever other calls are found in the same contents."""
_SCALE: Final = 1000
"""Confidence is stored in thousandths; it has two digits."""


def flow_edge(
    source: SymbolRef, target: SymbolRef, kind: str, *, confidence: float, implicit: str, sites: tuple[Site, ...]
) -> RawEdge:
    """An edge of a call by flow. `implicit`: kinds of constructs, where no use names what is called."""
    about = {"implicit": implicit} if implicit else {}
    return RawEdge(
        source=source,
        target=target,
        kind=kind,
        provenance=DERIVED,
        resolution="inferred",
        confidence=confidence,
        ambiguous=True,
        sites=sites,
        attributes={**about, "via": "flow"},
    )


@attrs.frozen(eq=False)
class _Columns:
    """A row an edge; strings by number. `sites`: how many, their ends are in a row of their own; all of them are in the
    file of the source."""

    words: tuple[str, ...]
    source_file: Column
    source: Column
    target_file: Column
    target: Column
    kind: Column
    confidence: Column
    implicit: Column
    sites: Column
    start: Column
    end: Column


class CallTable:
    """Calls by flow of all files of one snapshot."""

    def __init__(self, edges: Iterable[RawEdge]) -> None:
        """`edges`: by source, each with its own in their order."""
        self._from: dict[SymbolRef, list[RawEdge]] = {}
        self._to: dict[SymbolRef, list[RawEdge]] = {}
        self._sources: dict[FilePath, list[SymbolRef]] = {}
        self.size = 0
        for edge in edges:
            source, target = _ends(edge)
            if source not in self._from:
                self._sources.setdefault(source.file, []).append(source)
            self._from.setdefault(source, []).append(edge)
            self._to.setdefault(target, []).append(edge)
            self.size += 1

    def of_file(self, path: FilePath) -> Iterable[RawEdge]:
        """Those whose source is in one file."""
        return (edge for source in self._sources.get(path, ()) for edge in self._from[source])

    def of_place(self, place: SymbolRef) -> Sequence[RawEdge]:
        """Those whose source is one place."""
        return self._from.get(place, ())

    def to_place(self, place: SymbolRef) -> Sequence[RawEdge]:
        """Those that may run one place, by source."""
        return self._to.get(place, ())

    def packed(self) -> bytes:
        """All of it."""
        words = Words()
        rows: dict[str, list[int]] = {name.name: [] for name in attrs.fields(_Columns) if name.name != "words"}

        for edge in (edge for edges in self._from.values() for edge in edges):
            source, target = _ends(edge)
            values = (
                ("source_file", words.number(source.file)),
                ("source", source.definition),
                ("target_file", words.number(target.file)),
                ("target", target.definition),
                ("kind", words.number(edge.kind)),
                ("confidence", round(edge.confidence * _SCALE)),
                ("implicit", words.number(str(edge.attributes.get("implicit", "")))),
                ("sites", len(edge.sites)),
            )
            for name, value in values:
                rows[name].append(value)
            rows["start"].extend(start for _, start, _ in edge.sites)
            rows["end"].extend(end for _, _, end in edge.sites)
        columns = {name: column(values) for name, values in rows.items()}
        return zlib.compress(encode(_Columns(words=words.all(), **columns)), 1)

    @classmethod
    def unpacked(cls, raw: bytes, snapshot: Snapshot) -> CallTable | None:
        """That which was packed; None for bytes that are none of this snapshot."""
        try:
            return cls(_edges(decode(_Columns, zlib.decompress(raw)), snapshot.shards))
        except (CodecError, zlib.error, LookupError, ValueError):
            return None


def _ends(edge: RawEdge) -> tuple[SymbolRef, SymbolRef]:
    source, target = edge.source, edge.target
    assert isinstance(source, SymbolRef), "calls by flow start at definitions"
    assert isinstance(target, SymbolRef), "and end there"
    return source, target


def _edges(table: _Columns, files: Mapping[FilePath, object]) -> Iterable[RawEdge]:
    """The edges of columns. Raises LookupError or ValueError where columns do not fit each other or the files."""
    words, site = table.words, 0
    missing = {words[number] for number in {*table.source_file, *table.target_file}}.difference(files)
    if missing or min((*table.sites, 0)) < 0 or sum(table.sites) != len(table.start):
        raise LookupError
    ends = tuple(zip(table.start, table.end, strict=True))
    counts = table.sites
    for row in range(len(counts)):
        file = FilePath(words[table.source_file[row]])
        sites = tuple((file, start, end) for start, end in ends[site : site + counts[row]])
        site += counts[row]
        yield flow_edge(
            SymbolRef(file, table.source[row]),
            SymbolRef(FilePath(words[table.target_file[row]]), table.target[row]),
            words[table.kind[row]],
            confidence=table.confidence[row] / _SCALE,
            implicit=words[table.implicit[row]],
            sites=sites,
        )


def table_name(snapshot: Snapshot, rules: str) -> str:
    """Names all that the table of a snapshot rests on. `rules`: those by which frameworks fill parameters."""
    from graphls.graph.merkle import snapshot_id  # brings in the records, which a start does without

    return (
        f"calls by flow {VERSION}.{passing.VERSION} {snapshot_id(snapshot)} {resolution_inputs(snapshot).hex()} {rules}"
    )
