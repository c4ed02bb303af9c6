"""Exported graph: an export read back, to be asked and written again.

Owns: its records in the order of the file, nodes by id and by symbol, edges by their ends.
Must not know: snapshots, workspaces, how answers are laid out.
Invariant: it is never changed; written again it is the export that was read, byte for byte, whoever wrote that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from graphls.graph.conformance import Conformance, conformance
from graphls.graph.control_escapes import escape_controls
from graphls.graph.records import Edge, Header, Node, Record
from graphls.graph.wire import line_of, record_of

_STRUCTURE = frozenset({"contains", "defines", "diagnoses"})


class NotConforming(ValueError):
    """The lines are no export. `found`: what is wrong with them."""

    def __init__(self, found: Conformance) -> None:
        # A line that is no record is not counted either: what is wrong with the line says more.
        first = min(found.examples, key=lambda one: (one.rule == "counts", one.line))
        super().__init__(f"line {first.line}: {first.message}")
        self.found = found


@attrs.frozen
class Change:
    """A record that only one side has, or both with other fields."""

    change: str
    """`added`, `removed` or `changed`."""
    record: Node | Edge


class ExportedGraph:
    """What an export says."""

    def __init__(self, records: Sequence[Record], raw: Sequence[bytes] = ()) -> None:
        self.records = records
        self.raw = raw or [_line(record) for record in records]
        """The line of each record, as it was read."""
        self.nodes: Mapping[str, Node] = {one.id: one for one in records if isinstance(one, Node)}
        self.edges: Mapping[str, Edge] = {one.id: one for one in records if isinstance(one, Edge)}
        self._leaving: dict[str, list[Edge]] = {}
        self._arriving: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            self._leaving.setdefault(edge.source, []).append(edge)
            self._arriving.setdefault(edge.target, []).append(edge)

    @property
    def header(self) -> Header:
        """The first record."""
        header = self.records[0]
        assert isinstance(header, Header)
        return header

    def lines(self) -> Iterator[bytes]:
        """The export again."""
        yield from self.raw

    def named(self, text: str) -> Sequence[Node]:
        """Nodes of an id, a symbol (`module:Class.method`) or a qualified name; all that it may mean."""
        known = self.nodes.get(text)
        if known is not None:
            return (known,)
        exact = [node for node in self.nodes.values() if symbol_of(node) == text]
        return exact or [node for node in self.nodes.values() if node.qualified_name == text]

    def found(self, text: str) -> Sequence[Node]:
        """Nodes whose name holds a text, in any case; the shortest names first."""
        low = text.lower()
        found = [node for node in self.nodes.values() if low in node.name.lower()]
        return sorted(found, key=lambda node: (len(node.name), symbol_of(node), node.id))

    def around(self, node: Node) -> Iterator[tuple[str, Edge, Node]]:
        """Edges at a node with what is at their other ends; `in` or `out`."""
        for edge in self._leaving.get(node.id, ()):
            yield "out", edge, self.nodes[edge.target]
        for edge in self._arriving.get(node.id, ()):
            yield "in", edge, self.nodes[edge.source]

    def _is_structure(self, edge: Edge) -> bool:
        own = edge.kind == "exports" and self.nodes[edge.source].file == self.nodes[edge.target].file
        return own or edge.kind in _STRUCTURE

    def path(self, source: Node, target: Node) -> Sequence[Edge] | None:
        """A shortest way along edges that are no structure; None where there is none."""
        before: dict[str, Edge] = {}
        waiting = deque([source.id])
        while waiting and target.id not in before:
            here = waiting.popleft()
            for edge in self._leaving.get(here, ()):
                if not self._is_structure(edge) and edge.target not in before and edge.target != source.id:
                    before[edge.target] = edge
                    waiting.append(edge.target)
        if source.id == target.id:
            return ()
        if target.id not in before:
            return None
        way = [before[target.id]]
        while way[-1].source != source.id:
            way.append(before[way[-1].source])
        return way[::-1]

    def differences(self, other: ExportedGraph) -> Iterator[Change]:
        """What it takes to make this graph into the other: nodes before edges."""
        for mine, theirs in ((self.nodes, other.nodes), (self.edges, other.edges)):
            yield from (Change("added", theirs[ident]) for ident in theirs if ident not in mine)
            yield from (Change("removed", mine[ident]) for ident in mine if ident not in theirs)
            yield from (Change("changed", theirs[i]) for i in theirs if i in mine and mine[i] != theirs[i])


def read_export(lines: Iterable[bytes]) -> ExportedGraph:
    """Raises NotConforming: nothing is taken from a file that breaks a rule."""
    kept = list(lines)
    found = conformance(kept)
    if found.breaches:
        raise NotConforming(found)
    return ExportedGraph([record_of(line) for line in kept], kept)


def _line(record: Record) -> bytes:
    return f"{escape_controls(line_of(record))}\n".encode("utf-8", "replace")


def symbol_of(node: Node) -> str:
    """How people write a node."""
    if node.module and node.qualified_name and node.kind != "module":
        return f"{node.module}:{node.qualified_name}"
    return node.qualified_name or node.name or node.id
