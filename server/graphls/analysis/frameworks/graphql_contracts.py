"""GraphQL contracts: edges between documents in code, the schema, and the code that answers its fields.

Owns: which parts of a schema code names, which code answers a field, in both directions.
Must not know: how documents and resolvers are found, any particular library.
Invariant: an edge rests on a declaration on both sides; where a name means several, each is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, files_marked
from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, edges_by_site
from graphls.analysis.frameworks.embedded_graphql import embedded_graphql, files_with_graphql, may_hold_graphql
from graphls.analysis.frameworks.graphql_schema import graphql_schema, has_graphql_schema
from graphls.analysis.frameworks.resolver_maps import MAP, members_of
from graphls.analysis.frameworks.resolver_uses import BELOW, FOLDED
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import lasting_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.graphql import EMBEDDED
from graphls.languages.config.reading import format_of

_KINDS: Final = (EMBEDDED, MAP, BELOW)
_MOST: Final = 4
"""Declarations that one name may mean."""
_MOST_FIELDS: Final = 2
"""Fields that code may answer: where more are alike, each has code of its own."""
_ROOT_TYPES: Final = frozenset(("Query", "Mutation", "Subscription"))


class GraphqlContracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._derived = derived
        self._named: Mapping[str, Sequence[ContractUse]] | None = None
        self._served: tuple[Mapping[FilePath, Sequence[RawEdge]], Mapping[SymbolRef, Sequence[RawEdge]]] | None = None
        self._types: dict[str, Sequence[str]] = {}
        self._edges: dict[ContractUse, Sequence[RawEdge]] = {}

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        made = (edge for use in self._of_file(path) if not use.serves for edge in self._of(use))
        return edges_by_site((*made, *self._answers(path)))

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        return edges_by_site(edge for edge in self._to(place) if edge.target == place)

    def _to(self, place: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
        if isinstance(place, DerivedNode):
            if place.in_document and self._declares(place.file):
                yield from self._by_name(place.name.rpartition(".")[2])
            return
        if self._may_answer():
            yield from self._all_served()[1].get(place, ())
        if self._may_hold(place.file):
            embedded = embedded_graphql(self._snapshot, place.file)
            for name in dict.fromkeys(name for name, row in embedded.fragments if row == place.definition):
                yield from self._by_name(name)

    def _by_name(self, name: str) -> Iterator[RawEdge]:
        """Edges of documents in code that name something so."""
        for use in self._all_named().get(name, ()):
            yield from self._of(use)

    def _declares(self, path: FilePath) -> bool:
        return format_of(path) == "graphql" or self._may_hold(path)

    def _may_hold(self, path: FilePath) -> bool:
        return may_hold_graphql(self._snapshot, path)

    def _of_file(self, path: FilePath) -> Iterator[ContractUse]:
        known = path in self._snapshot.shards and bool(self._snapshot.shards[path].language)
        if known and (self._may_hold(path) or code_marks(self._snapshot, path) & CodeMarks.RESOLVERS):
            yield from (use for use in self._derived(path).uses if use.kind in _KINDS)

    def _may_answer(self) -> bool:
        return has_graphql_schema(self._snapshot)

    def _all_named(self) -> Mapping[str, Sequence[ContractUse]]:
        """Uses of documents in code, by the last name of what they name."""
        if self._named is None:
            found: dict[str, list[ContractUse]] = {}
            for path in sorted(files_with_graphql(self._snapshot)):
                for use in self._of_file(path):
                    if not use.serves:
                        found.setdefault(_last(use.name), []).append(use)
            self._named = found
        return self._named

    def operations(self) -> Iterator[DerivedNode]:
        """Fields of root types that code answers."""
        for edges in self._all_served()[0].values() if self._may_answer() else ():
            for edge in edges:
                if isinstance(edge.source, DerivedNode) and edge.source.name.rpartition(".")[0] in _ROOT_TYPES:
                    yield edge.source

    def _answers(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges from fields that a file declares to the code that answers them."""
        return self._all_served()[0].get(path, ()) if self._declares(path) and self._may_answer() else ()

    def _all_served(self) -> tuple[Mapping[FilePath, Sequence[RawEdge]], Mapping[SymbolRef, Sequence[RawEdge]]]:
        """All edges to code that answers, by the file of the field and by the code."""
        if self._served is None:
            sources: dict[FilePath, list[RawEdge]] = {}
            targets: dict[SymbolRef, list[RawEdge]] = {}
            for file in files_marked(self._snapshot, CodeMarks.RESOLVERS):
                for use in self._of_file(file):
                    for edge in self._of(use) if use.serves else ():
                        if isinstance(edge.source, DerivedNode) and isinstance(edge.target, SymbolRef):
                            sources.setdefault(edge.source.file, []).append(edge)
                            targets.setdefault(edge.target, []).append(edge)
            self._served = sources, targets
        return self._served

    def _of(self, use: ContractUse) -> Sequence[RawEdge]:
        known = self._edges.get(use)
        if known is None:
            known = self._edges[use] = tuple(self._answered(use) if use.serves else self._meant(use))
        return known

    def _meant(self, use: ContractUse) -> Iterator[RawEdge]:
        """From code to what a document in it names."""
        kind, _, text = use.name.partition(" ")
        path = use.source.file
        meant = graphql_schema(self._snapshot).places(kind, text, path)
        # In a schema the field names its type, not the variable that holds the string.
        source = embedded_graphql(self._snapshot, path).around(use.start) or use.source
        for place in meant if len(meant) <= _MOST else ():
            if place not in (use.source, source):
                yield self._edge(use, source, place, "references", len(meant))

    def _answered(self, use: ContractUse) -> Iterator[RawEdge]:
        """From fields to the code that answers them."""
        if use.kind == MAP:
            owner, _, place = use.name.partition(" ")
            path, _, qualified = place.partition("#")
            yield from self._by_map(use, owner, FilePath(path), qualified)
        elif use.kind == EMBEDDED:
            name, _, dotted = use.name.partition(" ")
            owner, _, field = name.removeprefix(FOLDED).partition(".")
            for one in (owner, *self._below(dotted)) if dotted else (owner,):
                yield from self._fields(use, f"{one}.{field}", folded=name.startswith(FOLDED))

    def _by_map(self, use: ContractUse, owner: str, path: FilePath, qualified: str) -> Iterator[RawEdge]:
        """What the members of an object in another place answer."""
        for row in members_of(self._snapshot, path, qualified):
            facts = self._snapshot.facts(path)
            table, source = facts.definitions, SymbolRef(path, lasting_row(facts, row))
            answers = attrs.evolve(use, source=source, start=table.start[row], end=table.end[row])
            yield from self._fields(answers, f"{owner}.{facts.strings[table.name[row]]}", folded=False)

    def _fields(self, use: ContractUse, name: str, *, folded: bool) -> Iterator[RawEdge]:
        fields = graphql_schema(self._snapshot).fields(name, use.source.file, folded=folded)
        for field in fields if len(fields) <= _MOST_FIELDS else ():
            yield self._edge(use, field, use.source, "handles", len(fields))

    def _below(self, dotted: str) -> Sequence[str]:
        """The types of the classes that inherit from one."""
        known = self._types.get(dotted)
        if known is None:
            self._types[dotted] = ()  # a class that is above itself has no more than it has
            files = self._snapshot.files_with_name(dotted.rpartition(".")[2])
            uses = (use for path in files for use in self._of_file(path) if use.kind == BELOW)
            found: dict[str, None] = {}
            for use in uses:
                owner, own, above = use.name.split(" ")
                if above == dotted:
                    found.update(dict.fromkeys((owner, *self._below(own))))
            known = self._types[dotted] = tuple(found)
        return known

    def _edge(
        self, use: ContractUse, source: SymbolRef | DerivedNode, target: SymbolRef | DerivedNode, kind: str, count: int
    ) -> RawEdge:
        about: dict[str, str | bool] = {"via": EMBEDDED}
        if use.rule:
            about["rule"] = use.rule
        return RawEdge(
            source=source,
            target=target,
            kind=kind,
            provenance=DERIVED,
            resolution="name",
            confidence=round(use.confidence / count, 4),
            ambiguous=count > 1,
            sites=((use.source.file, use.start, use.end),),
            attributes=about,
        )


def _last(name: str) -> str:
    """The last name of a way, without the sign of its step."""
    return name.rpartition(" ")[2].lstrip(".({=@").rpartition(".")[2]
