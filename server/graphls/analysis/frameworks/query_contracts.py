"""Query contracts: edges from conditions of queries to the members of models, `User.objects.filter(mail=x)`.

Owns: which member of which class a name that a query is given means, in both directions.
Must not know: how chains of calls are read, tables.
Invariant: the class is one that the name in the code leads to, and the member is declared in it or in a class above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, code_signs, files_marked
from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, edges_by_site
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.query_chains import given_columns
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.memo import Memo
from graphls.graph.nodes import container, node_row, qualified_name, qualified_names, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef

QUERY: Final = "query"
"""The kind of uses that name members of models, `file#Class.member`."""
_FIELDS: Final = frozenset((
    DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PROPERTY,
))  # fmt: skip
_MOST_CLASSES: Final = 20
_NAMES: Final = Memo["Mapping[str, int]"]("rows by qualified name")


def query_uses(file: FileRules) -> Iterator[ContractUse]:
    """Members of models that the queries of one file name."""
    table = file.facts.definitions
    owners = Nesting(
        (table.full_start[row], table.full_end[row], row) for row, body in enumerate(table.body) if body >= 0
    )
    known: dict[tuple[SymbolRef | None, str], SymbolRef | None] = {}
    for one in given_columns(file.path, file.code.data, members=True):
        use = use_at(file.facts, one.model)
        for target in file.naming.targets(file.path, use) if use >= 0 else ():
            key = target.place, one.text
            if key not in known:
                known[key] = _member(file, target.place, one.text) if target.place is not None else None
            member = known[key]
            if member is not None:
                name = f"{member.file}#{qualified_name(file.snapshot.facts(member.file), member.definition)}"
                source = SymbolRef(file.path, owners.around(one.start))
                confidence = round(min(target.confidence, 1.0), 4)
                yield ContractUse(QUERY, name, source, one.start, one.end, confidence, rule=one.rule.name)


def _member(file: FileRules, cls: SymbolRef, name: str) -> SymbolRef | None:
    """The member of a class or of one above it; a key behind `_id` is that of the member without it."""
    queue = [cls]
    for place in queue:
        facts = file.snapshot.facts(place.file)
        table, row = facts.definitions, place.definition
        if row < 0 or table.kind[row] != DefinitionKind.CLASS or table.body[row] < 0:
            continue
        for spelled in dict.fromkeys((name, name.removesuffix("_id"))):
            number = facts.strings.index(spelled) if spelled in facts.strings else -1
            for member, own in enumerate(table.name):
                if own == number and table.scope[member] == table.body[row] and table.kind[member] in _FIELDS:
                    return SymbolRef(place.file, node_row(facts, member))
        for base, definition in enumerate(facts.bases.definition):
            use = use_of(facts, facts.bases.expression[base]) if definition == row else -1
            above = file.naming.targets(FilePath(place.file), use) if use >= 0 and len(queue) < _MOST_CLASSES else ()
            queue += (one.place for one in above if one.place is not None and one.place not in queue)
    return None


class QueryContracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._derived = derived

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        return edges_by_site(edge for use in self._of_file(path) for edge in self._made(use))

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        if isinstance(place, DerivedNode) or place.definition < 0 or not self._snapshot.shards[place.file].language:
            return ()
        facts = self._snapshot.facts(place.file)
        table, owner = facts.definitions, container(facts, place.definition)
        if table.kind[place.definition] not in _FIELDS or owner < 0 or table.kind[owner] != DefinitionKind.CLASS:
            return ()
        name = facts.strings[table.name[place.definition]].casefold()
        wanted = f"{place.file}#{qualified_name(facts, place.definition)}"
        words = {name, f"{name}_id"}
        files = files_marked(self._snapshot, CodeMarks.QUERIES)
        asking = [path for path in files if not words.isdisjoint(code_signs(self._snapshot, path).words)]
        uses = (use for path in asking for use in self._of_file(path) if use.name == wanted)
        return edges_by_site(edge for use in uses for edge in self._made(use) if edge.target == place)

    def _of_file(self, path: FilePath) -> Iterator[ContractUse]:
        if path in self._snapshot.shards and code_marks(self._snapshot, path) & CodeMarks.QUERIES:
            yield from (use for use in self._derived(path).uses if use.kind == QUERY)

    def _made(self, use: ContractUse) -> Iterator[RawEdge]:
        path, _, qualified = use.name.partition("#")
        file = FilePath(path)
        shard = self._snapshot.shards.get(file)
        row = -1 if shard is None else _NAMES.once(shard, lambda: _rows(self._snapshot, file)).get(qualified, -1)
        if row >= 0 and SymbolRef(file, row) != use.source:
            yield RawEdge(
                source=use.source,
                target=SymbolRef(file, row),
                kind="references",
                provenance=DERIVED,
                resolution="name",
                confidence=use.confidence,
                ambiguous=False,
                sites=((use.source.file, use.start, use.end),),
                attributes={"via": QUERY, "rule": use.rule},
            )


def _rows(snapshot: Snapshot, path: FilePath) -> Mapping[str, int]:
    """The first row of each qualified name of a file."""
    facts = snapshot.facts(path)
    found: dict[str, int] = {}
    for row, name in enumerate(qualified_names(facts)):
        found.setdefault(name, node_row(facts, row))
    return found
