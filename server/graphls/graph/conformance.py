"""Conformance: whether lines are an export as the schema promises it.

Owns: what every export keeps to beyond the shape of single records, the words for each breach.
Must not know: snapshots, where lines come from, who shows what was found.
Invariant: an export of graphls has no breach; one pass, and memory for ids alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from graphls.graph.evidence import SiteEvidence, weakest_evidence
from graphls.graph.records import Counts, Edge, Header, Node, Opaque, Range, Record, Site
from graphls.graph.wire import RecordError, record_of

RULES = {
    "record": "a line is one JSON object that fits the schema",
    "header": "the first line, and no other, is the header",
    "order": "nodes come by file, start, kind and id; edges by source, kind, target and id; diagnostics last",
    "duplicate_line": "no line comes twice",
    "duplicate_id": "no two nodes and no two edges have one id",
    "dangling": "both ends of an edge are nodes of the file",
    "range": "a range ends behind its start and inside its file, as far as the size of that is said",
    "evidence": "an edge is as sure as its weakest site and counts all of its sites",
    "counts": "the header says how many records follow",
}
"""Each rule, and what it asks for."""
_SITES = {"reference_site", "call_site"}
_HEAD, _NODES, _EDGES, _DIAGNOSTICS = range(4)


@attrs.frozen
class Violation:
    """Where lines break a rule."""

    line: int
    """Counted from 1; 0 for what is wrong with the lines as a whole."""
    rule: str
    message: str


@attrs.frozen
class Conformance:
    """What became of the lines of one file."""

    counts: Counts
    """As found, whatever the header says."""
    others: int
    """Records of kinds that this version does not know."""
    breaches: Counter[str]
    """How often each rule is broken."""
    examples: tuple[Violation, ...]
    """The first of each rule, in order of lines."""


def conformance(lines: Iterable[bytes], most: int = 5) -> Conformance:
    """Looks at all lines. `most`: so many examples of each rule are handed out."""
    reading = _ConformanceCheck()
    breaches: Counter[str] = Counter()
    examples: list[Violation] = []
    for breach in reading.breaches(lines):
        breaches[breach.rule] += 1
        if breaches[breach.rule] <= most:
            examples.append(breach)
    return Conformance(reading.counts(), reading.others, breaches, tuple(sorted(examples, key=lambda one: one.line)))


@attrs.frozen
class _FileExtent:
    """Of a file: its size in bytes and its lines, None where that is not said."""

    size: int | None
    lines: int | None


class _ConformanceCheck:
    """What was read so far."""

    def __init__(self) -> None:
        self.others = 0
        self._header: Header | None = None
        self._nodes: dict[str, int] = {}
        """Id -> line."""
        self._edges: dict[str, int] = {}
        self._seen: set[int] = set()
        """Hashes of lines."""
        self._extents: dict[str, _FileExtent] = {}
        self._open: list[tuple[int, str, str, str]] = []
        """Line, edge, which end and its id, where no node of that id came before."""
        self._diagnostics = 0
        self._unresolved = 0
        self._sites: set[str] = set()
        """Kinds of sites that are among the nodes."""
        self._section = _HEAD
        self._last: tuple[object, ...] = ()

    def counts(self) -> Counts:
        return Counts(len(self._nodes) - self._diagnostics, len(self._edges), self._diagnostics, self._unresolved)

    def breaches(self, lines: Iterable[bytes]) -> Iterator[Violation]:
        number = 0
        for number, line in enumerate(lines, 1):
            try:
                line.decode("utf-8")
                record = record_of(line)
            except (RecordError, UnicodeDecodeError) as error:
                yield Violation(number, "record", str(error))
                continue
            yield from self._record(number, line, record)
        if number == 0:
            yield Violation(0, "header", "there is no line")
        for at, edge, which, end in self._open:
            if end not in self._nodes:
                yield Violation(at, "dangling", f"{edge}: its {which} {end} is no node of the file")
        yield from self._check_counts()

    def _record(self, number: int, line: bytes, record: Record) -> Iterator[Violation]:
        if number == 1 and not isinstance(record, Header):
            yield Violation(number, "header", "the first line is no header")
        mark = hash(line)
        if mark in self._seen:
            yield Violation(number, "duplicate_line", f"{line[:120].decode('utf-8', 'replace').rstrip()} came before")
            return
        self._seen.add(mark)
        match record:
            case Header():
                if self._header is not None or number > 1:
                    yield Violation(number, "header", "a header stands among other records")
                self._header = self._header or record
            case Node():
                yield from self._node(number, record)
            case Edge():
                yield from self._edge(number, record)
            case Opaque():
                self.others += 1

    # ---- single records

    def _node(self, number: int, node: Node) -> Iterator[Violation]:
        if node.id in self._nodes:
            message = f"{_node_label(node)}: {node.id} is the node of line {self._nodes[node.id]} as well"
            yield Violation(number, "duplicate_id", message)
            return
        self._nodes[node.id] = number
        diagnostic = node.kind == "diagnostic"
        self._diagnostics += diagnostic
        if node.kind in _SITES:
            self._sites.add(node.kind)
            self._unresolved += "unresolved" in node.attributes
        start = node.range[:2] if node.range else (0, 0)
        key = (node.file or "", start, node.kind, node.id)
        yield from self._ordered(number, _DIAGNOSTICS if diagnostic else _NODES, key, _node_label(node))
        if node.kind == "file" and node.file:
            size, lines = node.attributes.get("size"), node.attributes.get("lines")
            self._extents[node.file] = _FileExtent(
                size if isinstance(size, int) else None, lines if isinstance(lines, int) else None
            )
        for where in (node.range, node.full_range):
            if where is not None:
                yield from self._range(number, node.file, where, _node_label(node))

    def _edge(self, number: int, edge: Edge) -> Iterator[Violation]:
        about = f"{edge.kind} {edge.id}"
        if edge.id in self._edges:
            yield Violation(number, "duplicate_id", f"{about} is the edge of line {self._edges[edge.id]} as well")
            return
        self._edges[edge.id] = number
        yield from self._ordered(number, _EDGES, (edge.source, edge.kind, edge.target, edge.id), about)
        for which, end in (("source", edge.source), ("target", edge.target)):
            if end not in self._nodes:
                self._open.append((number, about, which, end))
        for site in edge.sites:
            yield from self._range(number, site.file, site.range, about)
        yield from _check_weakest(number, edge, about)

    def _ordered(self, number: int, section: int, key: tuple[object, ...], about: str) -> Iterator[Violation]:
        if section < self._section:
            before = "edges" if self._section == _EDGES else "diagnostics"
            yield Violation(number, "order", f"{about} comes after {before}")
            return
        if section == self._section and key < self._last:
            yield Violation(number, "order", f"{about} comes after what it should come before")
        self._section, self._last = section, key

    def _range(self, number: int, file: str | None, where: Range, about: str) -> Iterator[Violation]:
        first, left, last, right = where
        if (last, right) < (first, left):
            yield Violation(number, "range", f"{about}: {list(where)} ends before it begins")
        known = self._extents.get(file or "")
        if known is None:
            return
        if (known.lines is not None and last >= known.lines) or (known.size is not None and last + right > known.size):
            yield Violation(number, "range", f"{about}: {list(where)} is beyond the end of {file}")

    # ---- the whole

    def _check_counts(self) -> Iterator[Violation]:
        if self._header is None:
            return
        header_counts, found = self._header.counts, self.counts()
        for name in ("nodes", "edges", "diagnostics", "unresolved_sites"):
            # Without sites of every kind nothing but the header says how many are unresolved.
            some = name == "unresolved_sites" and self._sites != _SITES
            given, there = getattr(header_counts, name), getattr(found, name)
            if there > given if some else there != given:
                yield Violation(1, "counts", f"the header says {given} {name}, there are {there}")


def _node_label(node: Node) -> str:
    return f"{node.kind} {node.qualified_name or node.name or node.id}"


def _check_weakest(number: int, edge: Edge, about: str) -> Iterator[Violation]:
    if edge.site_count < len(edge.sites):
        yield Violation(
            number, "evidence", f"{about}: site_count is {edge.site_count}, there are {len(edge.sites)} sites"
        )
    if not edge.sites or edge.site_count != len(edge.sites):
        return
    edge_evidence = SiteEvidence(edge.provenance, edge.resolution, edge.confidence)
    found = weakest_evidence(_site_evidence(site, edge_evidence) for site in edge.sites)
    if edge_evidence != found:
        yield Violation(
            number,
            "evidence",
            f"{about}: it says {_format_evidence(edge_evidence)}, its weakest site {_format_evidence(found)}",
        )


def _site_evidence(site: Site, edge: SiteEvidence) -> SiteEvidence:
    if site.provenance is None:
        return edge
    confidence = edge.confidence if site.confidence is None else site.confidence
    return SiteEvidence(site.provenance, site.resolution, confidence)


def _format_evidence(evidence: SiteEvidence) -> str:
    return f"{evidence.provenance} {evidence.resolution or '-'} {evidence.confidence}"
