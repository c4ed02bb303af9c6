"""Edge table: all edges that the links of one file give, packed, so that a question about one place reads a few rows.

Owns: the packed form, when it still says what the links say.
Must not know: how edges are found, what frameworks derive, where tables are kept on disk.
Invariant: unpacked, a row is the edge that was packed, in any later snapshot in which the file's own links are the
same: ends in other files are symbols of their surfaces, which links rest on, not rows that move with every edit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import attrs

from graphls.facts.columns import Column, Table
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.derivation import DerivedNode
from graphls.graph.evidence import RawEdge, SiteEvidence
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef

VERSION = 10
"""Raised whenever the packed form changes, or edges of equal links do."""
_OWN = Memo["EdgeTable"]("edge table")
_VERIFIED = Memo["tuple[CheckerStamp, EdgeTable]"]("verified edge table")
_BY_FILE = MemoTable["FilePath", "EdgeTable"]("edge tables")
_OUTSIDE = -1
_MODULE = -1
_AS_THE_EDGE = -1
_REMEMBERED = 4_000
_FLAGS = ("type_checking", "local", "conditional")

CheckerStamp: TypeAlias = "tuple[Sequence[object] | None, str]"
_EdgeProperties: TypeAlias = "tuple[str, str, str | None, float, bool, Mapping[str, str | bool], bool]"
"""Kind, provenance, resolution, confidence, whether it is ambiguous, attributes, whether it is implied."""


@attrs.frozen(eq=False)
class EdgeRows(Table):
    """One row an edge."""

    source: Column
    """Row of definitions, -1 for the module."""
    file: Column
    """Number of the target's file, 0 for the own; -1 for what is outside the workspace."""
    target: Column
    """Row of definitions in the own file, else symbol of the file's surface, -1 for a module; number of a word."""
    saying: Column
    site: Column
    """First of its sites; they end where those of the next edge begin."""


@attrs.frozen(eq=False)
class EdgeSites(Table):
    """Where edges are seen, as byte offsets."""

    start: Column
    end: Column
    how: Column
    """Number of what it rests on, -1 where that is what the edge rests on."""


@attrs.frozen(eq=False)
class EdgeTable:
    """All edges of one file that its links give."""

    stamp: str
    """Of the links; see `Snapshot.links_stamp`."""
    files: tuple[str, ...]
    words: tuple[str, ...]
    properties: tuple[str, ...]
    """What else there is to say about an edge; few edges say something that no other of the file says."""
    evidence: tuple[str, ...]
    """What sites rest on, where an edge has several kinds of them."""
    rows: EdgeRows
    sites: EdgeSites
    decoded: list[_EdgeProperties] = attrs.field(factory=list["_EdgeProperties"], init=False, repr=False)
    """`sayings`, once they were read."""


def cached_table(snapshot: Snapshot, path: FilePath) -> EdgeTable | None:
    """The table of a file, if there is one that holds in this snapshot."""
    found = _BY_FILE.of(snapshot)
    known = found.get(path)
    if known is not None:
        return known
    shard = snapshot.shards[path]
    decided = checker_stamp(snapshot, shard)
    made = _OWN.get(shard) if decided is None else _verified(shard, decided)
    if made is None or made.stamp != stamp_of(snapshot, path):
        return None
    # What a file's links rest on does not change within a snapshot, nor does what a checker said.
    found[path] = made
    return made


def checker_stamp(snapshot: Snapshot, shard: Shard) -> CheckerStamp | None:
    """What a checker said about a file and what that rests on: equal values, equal verified links of equal own ones.
    None where own links are all there is; the first part None where they hold for one state only."""
    verification = snapshot.verification
    if verification is None or not verification.may_answer(shard):
        return None
    answers, state = verification.verified_inputs(snapshot, shard), snapshot.links_state(shard.path)
    return (None, "") if answers is None or not state else (answers, state)


def _verified(shard: Shard, stamp: CheckerStamp) -> EdgeTable | None:
    known = _VERIFIED.get(shard)
    return None if known is None or known[0] != stamp else known[1]


def is_cacheable(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a table of the file would hold longer than for one answer."""
    decided = checker_stamp(snapshot, snapshot.shards[path])
    return bool(stamp_of(snapshot, path)) and (decided is None or decided[0] is not None)


def stamp_of(snapshot: Snapshot, path: FilePath) -> str:
    """What the table of a file must be stamped with; "" while that is not known."""
    stamp = snapshot.links_stamp(path)
    return stamp and f"{VERSION} {stamp}"


def cache_table(snapshot: Snapshot, path: FilePath, table: EdgeTable) -> None:
    """Has the table at hand as long as the file has its contents."""
    # Names and words repeat from file to file.
    files, words, properties, evidence = (
        tuple(map(sys.intern, texts)) for texts in (table.files, table.words, table.properties, table.evidence)
    )
    made = attrs.evolve(table, files=files, words=words, properties=properties, evidence=evidence)
    shard = snapshot.shards[path]
    decided = checker_stamp(snapshot, shard)
    if decided is None:
        _OWN.put(shard, made)
    elif decided[0] is not None:
        # Beside the table of own links, which every other view of the snapshot reads.
        _VERIFIED.put(shard, (decided, made))


def pack(snapshot: Snapshot, path: FilePath, edges: Iterable[RawEdge]) -> EdgeTable | None:
    """The table of a file with these edges, which come from its links; None where one end has no symbol."""
    files: dict[str, int] = {path: 0}
    words: dict[str, int] = {}
    sayings: dict[str, int] = {}
    evidence: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    sites: list[tuple[int, int, int]] = []
    for edge in edges:
        if not isinstance(edge.source, SymbolRef):
            return None
        if isinstance(edge.target, SymbolRef):
            number = files.setdefault(edge.target.file, len(files))
            target = edge.target.definition if not number else symbol_of(snapshot, edge.target)
            if target is None:
                return None
        elif isinstance(edge.target, str):
            number, target = _OUTSIDE, words.setdefault(edge.target, len(words))
        else:
            return None
        saying = sayings.setdefault(_encode_properties(edge), len(sayings))
        rows.append((edge.source.definition, number, target, saying, len(sites)))
        if edge.site_evidence:
            hows = (evidence.setdefault(_format_evidence(how), len(evidence)) for how in edge.site_evidence)
            sites += ((start, end, how) for (_, start, end), how in zip(edge.sites, hows, strict=True))
        else:
            sites += ((start, end, _AS_THE_EDGE) for _, start, end in edge.sites)
    return EdgeTable(
        stamp=stamp_of(snapshot, path),
        files=tuple(files),
        words=tuple(words),
        properties=tuple(sayings),
        evidence=tuple(evidence),
        rows=EdgeRows.of(rows),
        sites=EdgeSites.of(sites),
    )


def rows_from(table: EdgeTable, source: int) -> Sequence[int]:
    """Rows of the edges that start at a definition."""
    return table.rows.rows_where("source", source)


def rows_to(table: EdgeTable, place: SymbolRef, symbol: int | None) -> Sequence[int]:
    """Rows of the edges that end at a place. `symbol`: what it is for other files, see `symbol_of`."""
    try:
        number = table.files.index(place.file)
    except ValueError:
        return ()
    key = symbol if number else place.definition
    if key is None:
        return ()
    file = table.rows.file
    return [row for row in table.rows.rows_where("target", key) if file[row] == number]


def edge_in(table: EdgeTable, row: int, end: SymbolRef | DerivedNode | str) -> RawEdge:
    """The edge in a row. `end`: what stands there, see `end_in`."""
    path, columns, sites = FilePath(table.files[0]), table.rows, table.sites
    first = columns.site[row]
    last = first + site_count(table, row)
    kind, provenance, resolution, confidence, ambiguous, attributes, implied = edge_properties(table)[
        columns.saying[row]
    ]
    return RawEdge(
        source=SymbolRef(path, columns.source[row]),
        target=end,
        kind=kind,
        provenance=provenance,
        resolution=resolution,
        confidence=confidence,
        ambiguous=ambiguous,
        sites=tuple((path, sites.start[at], sites.end[at]) for at in range(first, last)),
        attributes=attributes,
        implied=implied,
        site_evidence=tuple(_parse_evidence(table.evidence[how]) for how in sites.how[first:last])
        if first < last and sites.how[first] != _AS_THE_EDGE
        else (),
    )


def site_count(table: EdgeTable, row: int) -> int:
    """How many sites the edge in a row has."""
    firsts = table.rows.site
    return (firsts[row + 1] if row + 1 < len(firsts) else len(table.sites)) - firsts[row]


def sites_of(table: EdgeTable, rows: Iterable[int]) -> Iterator[tuple[str, int, int]]:
    """Where the ends of the edges in these rows are spelled, each with the kind of the edge."""
    properties, sayings, firsts, sites = edge_properties(table), table.rows.saying, table.rows.site, table.sites
    count = len(firsts)
    for row in rows:
        kind, *_, implied = properties[sayings[row]]
        if implied:
            continue
        for at in range(firsts[row], firsts[row + 1] if row + 1 < count else len(sites)):
            yield kind, sites.start[at], sites.end[at]


def end_in(snapshot: Snapshot, table: EdgeTable, number: int, target: int) -> SymbolRef | str:
    """What stands at the end of an edge."""
    if number == _OUTSIDE:
        return table.words[target]
    file = FilePath(table.files[number])
    if number and target != _MODULE:
        return SymbolRef(file, addresses(snapshot, file).symbols[target])
    return SymbolRef(file, target)


def prepare(
    snapshot: Snapshot, edges: Callable[[FilePath], Iterable[RawEdge]], stop: Callable[[], bool]
) -> Iterator[tuple[FilePath, EdgeTable]]:
    """Makes the tables that are missing, until `stop` says so, and keeps them; gives those that were made."""
    for path in snapshot.files():
        if stop():
            return
        if cached_table(snapshot, path) is None and is_cacheable(snapshot, path):
            table = pack(snapshot, path, edges(path))
            if table is not None:
                cache_table(snapshot, path, table)
                yield path, table


def symbol_of(snapshot: Snapshot, place: SymbolRef) -> int | None:
    """The first symbol that a place in another file is; None when the file shows no such thing."""
    if place.definition < 0:
        return _MODULE
    return next(iter(addresses(snapshot, place.file).rows_where("symbols", place.definition)), None)


def _encode_properties(edge: RawEdge) -> str:
    about = edge.attributes
    flags = ",".join(name for name in _FLAGS if about.get(name))
    fields = (edge.kind, edge.provenance, edge.resolution or "", str(round(edge.confidence * 100)))
    marks = ("ambiguous" if edge.ambiguous else "", str(about.get("access", "")), flags)
    implicit = str(about.get("implicit", ""))
    return "\t".join((*fields, *marks, "implied" if edge.implied else "", implicit))


def _format_evidence(how: SiteEvidence) -> str:
    return f"{how.provenance}\t{how.resolution or ''}\t{round(how.confidence * 100)}"


@lru_cache(maxsize=_REMEMBERED)
def _parse_evidence(spelled: str) -> SiteEvidence:
    provenance, resolution, confidence = spelled.split("\t")
    return SiteEvidence(provenance, resolution or None, int(confidence) / 100)


def edge_properties(table: EdgeTable) -> Sequence[_EdgeProperties]:
    """What the sayings of a table say."""
    if len(table.decoded) != len(table.properties):
        table.decoded[:] = map(_decode_properties, table.properties)
    return table.decoded


@lru_cache(maxsize=_REMEMBERED)
def _decode_properties(saying: str) -> _EdgeProperties:
    kind, provenance, resolution, confidence, ambiguous, access, flags, implied, implicit = saying.split("\t")
    attributes: dict[str, str | bool] = {"access": access} if access else {}
    if implicit:
        attributes["implicit"] = implicit
    attributes.update(dict.fromkeys(flags.split(",") if flags else (), True))
    sure = int(confidence) / 100
    return kind, provenance, resolution or None, sure, bool(ambiguous), attributes, bool(implied)
