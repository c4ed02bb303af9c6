"""Dispatch records: choices between named cases as nodes of the graph, and what their subjects and cases mean.

Owns: nodes `match_dispatch` and `dispatch_pattern`, edges `dispatches_on` and `matches_pattern`.
Must not know: how choices are spelled in a language, encoding.
Invariant: an edge leads to what a name of the choice means and is as sure as that; a name that means nothing sure has
    none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import node_id
from graphls.graph.nodes import is_lasting, lasting_row
from graphls.graph.records import Json, Node
from graphls.graph.snapshot import Snapshot, SymbolRef, Target

KIND: Final = "match_dispatch"
PATTERN: Final = "dispatch_pattern"
_FORMS: Final = ("match", "conditions", "mapping")
_SURE: Final = 0.7


def dispatch_nodes(snapshot: Snapshot) -> Iterator[AttachedNode]:
    """Every choice and every case of it, by file."""
    for path in sorted(snapshot.files()):
        if snapshot.shards[path].language and len(snapshot.facts(path).dispatches):
            yield from _FileDispatches(snapshot, path).nodes()


class _FileDispatches:
    """Choices of one file; `_seen` counts those alike in one owner."""

    def __init__(self, snapshot: Snapshot, path: FilePath) -> None:
        self._snapshot, self._path = snapshot, path
        self._facts: FileFacts = snapshot.facts(path)
        self._text = snapshot.text(path) or b""
        self._seen: dict[tuple[str, str], int] = {}

    def nodes(self) -> Iterator[AttachedNode]:
        facts, table = self._facts, self._facts.dispatches
        for row, owner in enumerate(table.owner):
            place = SymbolRef(self._path, lasting_row(facts, owner) if owner >= 0 else -1)
            cases = list(dict.fromkeys(facts.strings[case] for case in facts.list_at(table.cases[row])))
            subject = facts.strings[table.subject[row]] if table.subject[row] >= 0 else ""
            yield from self._choice(row, place, subject, cases)

    def _choice(self, row: int, place: SymbolRef, subject: str, cases: list[str]) -> Iterator[AttachedNode]:
        table, owner = self._facts.dispatches, node_id(self._snapshot, place)
        span = table.start[row], table.end[row]
        number = self._seen[owner, subject] = self._seen.get((owner, subject), -1) + 1
        choice = format_id("n", digest_of(owner, subject, str(number), KIND))
        form = _FORMS[table.kind[row]] if table.kind[row] < len(_FORMS) else None
        ties = [AttachedEdge(plain_edge(owner, choice, "contains"), KIND, place)]
        ties += self._leads(choice, KIND, "dispatches_on", subject, span, types=True)
        node = self._node(choice, KIND, subject, span, {"cases": cases})
        yield AttachedNode(attrs.evolve(node, subkind=form), ties)
        for case in cases:
            pattern = format_id("n", digest_of(choice, case, PATTERN))
            edge = plain_edge(choice, pattern, "contains")
            ties = [AttachedEdge(edge, KIND, None, PATTERN)]
            ties += self._leads(pattern, PATTERN, "matches_pattern", case, span, types=False)
            yield AttachedNode(self._node(pattern, PATTERN, case, span, {}), ties)

    def _node(self, id: str, kind: str, name: str, span: tuple[int, int], attributes: dict[str, Json]) -> Node:
        where = (*self._facts.line_column(span[0]), *self._facts.line_column(span[1]))
        return Node(
            id=id,
            kind=kind,
            name=name,
            qualified_name=name,
            module=self._snapshot.module_name(self._path).dotted,
            language=self._snapshot.shards[self._path].language,
            file=self._path,
            range=where,
            full_range=where,
            attributes=attributes,
        )

    def _leads(
        self, source: str, kind: str, edge_kind: str, spelled: str, span: tuple[int, int], *, types: bool
    ) -> Iterator[AttachedEdge]:
        """Edges to what a spelled name means, and to the classes of its value where these are wanted."""
        use = self._use(spelled, span)
        if use is None:
            return
        snapshot, seen = self._snapshot, set[SymbolRef]()
        found = [(target, "name") for target in snapshot.targets(self._path, use)]
        if types:
            found += [(target, "type") for target in snapshot.type_targets(self._path, use)]
        for target, meaning in found:
            place = self._place(target)
            if place is None or place in seen:
                continue
            seen.add(place)
            edge = plain_edge(source, node_id(snapshot, place), edge_kind)
            edge = attrs.evolve(edge, confidence=target.confidence, attributes={"as": meaning})
            yield AttachedEdge(edge, kind, place)

    def _place(self, target: Target) -> SymbolRef | None:
        place = target.place
        if target.ambiguous or target.confidence < _SURE or not isinstance(place, SymbolRef):
            return None
        facts = self._snapshot.facts(place.file)
        if place.definition >= 0 and not is_lasting(facts, place.definition):
            return None
        return SymbolRef(place.file, lasting_row(facts, place.definition) if place.definition >= 0 else -1)

    def _use(self, spelled: str, span: tuple[int, int]) -> int | None:
        """The first use in the choice that ends what is spelled: `Color.RED`, `Circle` of `Circle(r)`."""
        name = spelled.partition("(")[0].strip().encode()
        if not name:
            return None
        table = self._facts.occurrences
        for at in range(bisect_left(table.start, span[0]), len(table)):
            if table.start[at] >= span[1]:
                return None
            begin = table.end[at] - len(name)
            before = self._text[begin - 1 : begin] if begin else b""
            if self._text[begin : table.end[at]] == name and not (before.isalnum() or before in (b".", b"_")):
                return at
        return None
