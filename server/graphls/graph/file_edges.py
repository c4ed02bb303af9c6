"""Edges of one file: what its links say, as relations between places.

Owns: which thing an occurrence speaks for, which edges follow from others.
Must not know: ids, records, output, other files' links, how names were resolved.
Invariant: every site of an edge that came from an occurrence is answered by that occurrence's target, and the reverse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from graphls.facts.columns import Column, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    ConstructKind,
    DefinitionFlag,
    DefinitionKind,
    EdgeKind,
    ExpressionKind,
    Resolution,
    Role,
    ScopeKind,
)
from graphls.facts.links import BY_SHAPE, EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Overrides, Targets
from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, addresses
from graphls.graph.evidence import (
    KINDS,
    WRITE,
    EdgeEvidence,
    Key,
    PlaceOf,
    RawEdge,
    Where,
    access_of,
    edge_of,
    joint_certainty,
    provenance_of,
)
from graphls.graph.exported_rows import exported_rows
from graphls.graph.held_uses import calls_of_variables, is_handed_on
from graphls.graph.memo import Memo
from graphls.graph.nodes import (
    container,
    is_test_file,
    kind_of,
    own_uses,
    shared_initialisers,
)
from graphls.graph.snapshot import End, Snapshot, SymbolRef, rows_of
from graphls.graph.unnamed_runs import construct_of, declared_classes, may_run_unnamed
from graphls.graph.verification import Tier, provenance

_OUTWARD = int(DefinitionFlag.INSTANCE | DefinitionFlag.GLOBAL)
_SOURCES = Memo["Mapping[int, Sequence[int]]"]("sources")
_EXERCISED = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS, DefinitionKind.PROPERTY)
_FUNCTIONS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
"""What runs when it is called. An arrow function with a name owns its scope; a lambda speaks for what it is in."""
_INSTANTIATES = KINDS[EdgeKind.INSTANTIATES]
_IMPORTS = KINDS[EdgeKind.IMPORTS]
_CALLING = (EdgeKind.CALLS, EdgeKind.INSTANTIATES)
OVERRIDE_KINDS: Final = frozenset(("overrides", "implements"))
"""Kinds of edges from members to those above them: no use in the text makes one."""
_SHAPED: Final = 80
"""How sure it is that what has the members of a declaration is what is declared, of 100."""
_MEMBERS: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FIELD, DefinitionKind.PROPERTY))
_MODULE = (-1,)


def ends_of(snapshot: Snapshot, place: SymbolRef) -> tuple[End, ...]:
    """What links of other files that make an edge to a place lead to: the place, or the class that it constructs."""
    if place.definition < 0:
        return ((place.file, WHOLE_MODULE),)
    there = addresses(snapshot, place.file)
    return tuple((place.file, key) for row in _target_rows(there, place) for key in there.rows_where("symbols", row))


def _runs(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is something that a call runs."""
    return snapshot.facts(place.file).definitions.kind[place.definition] in _EXERCISED


def _target_rows(there: Addresses, place: SymbolRef) -> set[int]:
    """The place, and what code names that runs it: the classes that it constructs, the property that it sets."""
    row = place.definition
    return {row, there.getters.get(row, row), *(cls for cls, maker in there.constructors.items() if maker == row)}


def rows_meaning(snapshot: Snapshot, path: FilePath, target: SymbolRef, links: Links, table: Targets) -> Sequence[int]:
    """Rows of a table of a file's links that mean the target, or the class whose constructor it is."""
    own = target.file == path
    number = OWN_FILE if own else links.files.index(target.file)
    there = addresses(snapshot, target.file)
    numbers = "rows" if own else "symbols"
    row_keys = {key for row in _target_rows(there, target) for key in there.rows_where(numbers, row)}
    keys = {WHOLE_MODULE} if target.definition < 0 else row_keys
    return sorted(row for key in keys for row in table.rows_where("symbol", key) if table.file[row] == number)


def _joint(table: Targets, occurrence: int, place_of: PlaceOf) -> list[Where | None]:
    """What one occurrence may mean."""
    return [place_of(table.file[row], table.symbol[row]) for row in rows_of(table, occurrence)]


class FileEdges:
    """Edges of one file, gathered for one answer and dropped."""

    def __init__(
        self,
        snapshot: Snapshot,
        path: FilePath,
        locals: bool = False,
        *,
        source: int | None = None,
        target: SymbolRef | None = None,
        names: Sequence[str] = (),
        kinds: Collection[str] = (),
    ) -> None:
        """`names`: only occurrences of these can mean the target; none: any can. `kinds`: others may be left out."""
        self._snapshot = snapshot
        self._path = path
        self._locals = locals
        self._source = source
        self._target = target
        self._names = names
        self._members_alone = bool(kinds) and OVERRIDE_KINDS.issuperset(kinds)
        self._facts: FileFacts = snapshot.facts(path)
        self._own: Addresses = addresses(snapshot, path)
        self._generated = self._facts.generated
        self._found: dict[Key, EdgeEvidence] = {}
        self._imported = int(Tier.SCIP_IMPORTED) if snapshot.shards[path].imported else 0
        self._rule = self._imported
        """By which rule the link was found that is being looked at."""
        self._tests: dict[int, bool] = {}

    def edges(self) -> Iterator[RawEdge]:
        """All of them, in an order that depends on contents alone."""
        if self._members_alone:
            if not self._is_member_sought():
                yield from self._overrides(self._links())
            elif self._may_stand_in():
                yield from self._overrides(self._snapshot.links_at(self._path, (), frame=True))
            return
        if self._target is None or self._target.file == self._path:
            yield from self._structure()
            self._own_writes()
        links = self._links()
        if self._target is None or self._target.file in links.files:
            self._occurrences(links, self._candidates(links))
            self._imports(links)
            named = set(self._found)
            self._class_bodies(links, named)
            self._implicit(links, named)
            yield from self._overrides(links)
        if self._target is None or self._target.file == self._path:
            yield from self._exports()
        yield from self._gathered()

    def imports(self) -> Iterator[RawEdge]:
        """Those of the module to what it imports, in the same order, without a look at other uses."""
        links = self._links()
        self._occurrences(links, rows_with(links.targets.edge, EdgeKind.IMPORTS))
        self._imports(links)
        yield from (edge for edge in self._gathered() if edge.kind == _IMPORTS)

    def _gathered(self) -> Iterator[RawEdge]:
        found = self._found.items()
        return (edge_of(self._path, key, evidence, generated=self._generated) for key, evidence in found)

    def _links(self) -> Links:
        """All rows from which the wanted edges come."""
        uses, strings = self._facts.occurrences, self._facts.strings
        if self._names and not (self._target and may_run_unnamed(self._snapshot, self._target)):
            numbers = [strings.index(name) for name in self._names if name in strings]
            rows = {row for number in numbers for row in uses.rows_where("name", number)}
            if self._may_be_held(rows):
                rows |= calls_of_variables(self._facts, self._names)
            # No construct but a decorator runs what `may_run_unnamed` refuses: one that names it, or what holds it.
            is_read = is_handed_on(self._facts, rows, -1)
            if is_read and ConstructKind.DECORATOR in self._facts.constructs.kind:
                return self._snapshot.links(self._path)
            above = any(uses.role[row] == Role.DECORATE for row in rows)
            return self._snapshot.links_at(self._path, sorted(rows), frame=True, constructs=above)
        if self._source is not None and self._source >= 0:
            return self._snapshot.links_at(self._path, self._uses(self._source), frame=True, constructs=True)
        return self._snapshot.links(self._path)

    def _is_member_sought(self) -> bool:
        """Whether the names are those of a member: what overrides it has one of them too, unless something makes it."""
        target, known = self._target, self._snapshot.capabilities(self._path)
        if target is None or target.definition < 0 or not self._names or known is None or known.accessors_of_fields:
            return False
        return self._snapshot.facts(target.file).definitions.kind[target.definition] in _MEMBERS

    def _may_stand_in(self) -> bool:
        """Whether something in the file has a name of the target, or the type of what has it: `T["name"]`."""
        facts = self._facts
        numbers = {facts.strings.index(name) for name in self._names if name in facts.strings}
        if not numbers.isdisjoint(facts.definitions.name):
            return True
        literals = zip(facts.expressions.kind, facts.expressions.b, strict=True)
        return any(kind == ExpressionKind.LITERAL and text in numbers for kind, text in literals)

    def _may_be_held(self, rows: Collection[int]) -> bool:
        """Whether calls by other names may run the target, of which these rows are uses."""
        target, known = self._target, self._snapshot.capabilities(self._path)
        if target is None or not _runs(self._snapshot, target):
            return False
        if known is None or not known.is_held_where_read:
            return True
        return is_handed_on(self._facts, rows, target.definition if target.file == self._path else -1)

    def _uses(self, source: int) -> list[int]:
        """The occurrences that edges of the source, a definition, come from, in order."""
        facts, uses = self._facts, self._facts.occurrences
        if facts.definitions.kind[source] == DefinitionKind.IMPORT:
            return sorted({row for start, end in self._spans() for row in rows_between(uses.start, start, end)})
        mine = self._own.rows_where("rows", self._own.rows[source])
        own, filling = own_uses(facts, source, mine), declared_classes(self._snapshot, self._path).filling(facts, mine)
        return sorted({*own, *filling}) if filling else own

    def _spans(self) -> list[tuple[int, int]]:
        """Where the source stands."""
        table = self._facts.definitions
        return [(table.full_start[row], table.full_end[row]) for row in self._own.rows_where("rows", self._source or 0)]

    def _bindings(self) -> Sequence[int]:
        """Definitions that the wanted edges may have at either end, in order."""
        table = self._facts.definitions
        if self._target is not None:
            return self._own.rows_where("rows", self._target.definition)
        if self._source is None or self._source < 0:
            return range(len(table))
        return sorted({row for start, end in self._spans() for row in rows_between(table.start, start, end)})

    def _is_selected(self, source: int, file: FilePath | None, row: int | str) -> bool:
        if self._source is not None and source != self._source:
            return False
        target = self._target
        return target is None or (row == target.definition and file == target.file)

    def _is_own_node(self, row: int) -> bool:
        return row < 0 or self._locals or self._own.slots[row] >= 0

    def _node(self, row: int) -> int:
        """The node that a binding belongs to; for a variable of a function the one that holds it, unless it is one."""
        canonical = self._own.rows[row] if row >= 0 else -1
        return canonical if self._is_own_node(canonical) else self._enclosing_node(canonical)

    def _enclosing_node(self, row: int) -> int:
        """The nearest node around a row."""
        while not self._is_own_node(row):
            around = container(self._facts, row)
            row = self._own.rows[around] if around >= 0 else -1
        return row

    # ---- what stands inside what

    def _structure(self) -> Iterator[RawEdge]:
        facts, rows = self._facts, self._own.rows
        for row in self._bindings():
            if rows[row] != row or not self._is_own_node(row):
                continue
            around = self._node(container(facts, row))
            if self._is_selected(around, self._path, row):
                yield self._plain_edge(around, row, "contains")
                if facts.definitions.kind[row] != DefinitionKind.IMPORT and self._defines(around):
                    yield self._plain_edge(around, row, "defines")

    def _defines(self, row: int) -> bool:
        if row < 0:
            return True
        body = self._facts.definitions.body[row]
        return body >= 0 and self._facts.scopes.kind[body] not in _FUNCTIONS

    def _exports(self) -> Iterator[RawEdge]:
        """From the module to what it exports; where a list of exports names it, that edge says it. An index of others
        does not say what is for whom."""
        if self._imported or (self._source is not None and self._source >= 0):
            return
        exported, rows = exported_rows(self._snapshot, self._path), self._own.rows
        for row in dict.fromkeys(rows[row] for row in self._bindings() if row in exported):
            if self._is_own_node(row) and (-1, "exports", self._path, row) not in self._found:
                yield self._plain_edge(-1, row, "exports")

    def _plain_edge(self, source: int, target: int, kind: str) -> RawEdge:
        return RawEdge(
            source=SymbolRef(self._path, source),
            target=SymbolRef(self._path, target),
            kind=kind,
            provenance=provenance(self._imported) if self._imported else provenance_of(self._generated),
            resolution=None,
            confidence=1.0,
            ambiguous=False,
            sites=(),
        )

    def _own_writes(self) -> None:
        """Sites inside functions that bind what outlives the call: `self.x = 1`, `global x`."""
        table, rows = self._facts.definitions, self._own.rows
        for row in self._bindings():
            flags = table.flags[row]
            if not flags & _OUTWARD or self._own.slots[row] < 0 or table.owner[row] < 0:
                continue
            if table.kind[row] != DefinitionKind.PROPERTY and table.kind[rows[row]] == DefinitionKind.PROPERTY:
                continue  # the use of the name in the same place writes it
            source = self._node(table.owner[row])
            if self._is_selected(source, self._path, rows[row]):
                how = Resolution.MEMBER if flags & DefinitionFlag.INSTANCE else Resolution.LEXICAL
                evidence = self._evidence((source, "accesses", self._path, rows[row]), 100, how)
                evidence.access |= WRITE
                evidence.sites.append((table.start[row], table.end[row]))

    # ---- what occurrences mean

    def _occurrences(self, links: Links, rows: Iterable[int]) -> None:
        facts, table = self._facts, links.targets
        uses = facts.occurrences
        place_of = self._places(links)
        sources = self._sources()
        for index in rows:
            place = place_of(table.file[index], table.symbol[index])
            if place is None:
                continue
            occurrence, edge = table.occurrence[index], table.edge[index]
            role = uses.role[occurrence]
            brings = role == Role.IMPORT or role == Role.EXPORT
            site = (uses.start[occurrence], uses.end[occurrence])
            access = access_of(role, uses.flags[occurrence]) if edge == EdgeKind.ACCESSES else 0
            certainty = (table.confidence[index], table.resolution[index], False)
            self._rule = links.rules[index]
            if table.ambiguous[index]:
                certainty = joint_certainty(_joint(table, occurrence, place_of), certainty)
            for source in _MODULE if brings else sources[uses.owner[occurrence]]:
                self._add((source, KINDS[edge], *place), site, certainty, access)
                if access & WRITE:
                    self._add_setters(source, place, role == Role.DELETE, site, certainty)
                if edge in _CALLING:
                    self._consequences(source, edge, place, site, certainty)
                elif edge == EdgeKind.REFERENCES and source >= 0:
                    self._add_test_edge(source, place, site, certainty)

    def _class_bodies(self, links: Links, named: Set[Key]) -> None:
        """Declaring a class runs its body, and that what fills fields. Where code names the same, that edge says it."""
        declared, facts = declared_classes(self._snapshot, self._path), self._facts
        if not declared.filled and not declared.around:
            return
        table, place_of, uses = links.targets, self._places(links), facts.occurrences
        for index in self._candidates(links) if declared.filled else ():
            use, edge = table.occurrence[index], table.edge[index]
            cls = declared.body_around(facts, use) if edge in _CALLING else -1
            place = place_of(table.file[index], table.symbol[index]) if cls >= 0 else None
            if place is not None and place[0] is not None:
                self._rule = links.rules[index]
                certainty = (table.confidence[index], table.resolution[index], bool(table.ambiguous[index]))
                key: Key = (self._own.rows[cls], KINDS[edge], *place)
                self._add_implicit(key, named, ConstructKind.CLASS, (uses.start[use], uses.end[use]), certainty)
        self._rule = self._imported
        is_here = self._target is None or self._target.file == self._path
        for cls in self._bindings() if is_here and declared.around else ():
            if cls in declared.around and self._is_own_node(self._own.rows[cls]):
                key = (self._node(declared.around[cls]), "calls", self._path, self._own.rows[cls])
                site = (facts.definitions.start[cls], facts.definitions.end[cls])
                self._add_implicit(key, named, ConstructKind.CLASS, site, (100, Resolution.LEXICAL, False))

    def _implicit(self, links: Links, named: Set[Key]) -> None:
        """Calls by constructs that do not name what they call. Where the same code names it too, that edge says it."""
        facts, table = self._facts, links.implicit
        if not len(table):
            return
        constructs, uses, declared = facts.constructs, facts.occurrences, declared_classes(self._snapshot, self._path)
        place_of, sources, first = self._places(links), self._sources(), len(constructs)
        target = self._target
        for index in range(len(table)) if target is None else self._rows_to(target, links, table):
            row = table.occurrence[index]
            use = row - first
            owner = constructs.owner[row] if use < 0 else uses.owner[use]
            cls = declared.body_around(facts, use) if use >= 0 else -1
            body = self._own.rows[cls] if cls >= 0 else -1
            if self._source is not None and self._source not in (*sources[owner], body):
                continue
            place = place_of(table.file[index], table.symbol[index])
            if place is None:
                continue
            if use < 0:
                kind, site = constructs.kind[row], (constructs.start[row], constructs.end[row])
            else:
                kind = construct_of(self._snapshot, self._path, links, use, place)
                site = (uses.start[use], uses.end[use])
            self._rule = links.implicit_rules[index]
            certainty = (table.confidence[index], table.resolution[index], bool(table.ambiguous[index]))
            for source in sources[owner]:
                self._add_implicit((source, KINDS[table.edge[index]], *place), named, kind, site, certainty)
            if cls >= 0:
                self._add_implicit(
                    (body, KINDS[table.edge[index]], *place), named, ConstructKind.CLASS, site, certainty
                )

    def _add_implicit(
        self, key: Key, named: Set[Key], kind: int, site: tuple[int, int], certainty: tuple[int, int, bool]
    ) -> None:
        """A call of a class that is held as a value runs its constructor too."""
        keys = [key]
        source, edge, file, row = key
        if edge == _INSTANTIATES and file is not None and isinstance(row, int):
            constructor = addresses(self._snapshot, file).constructors.get(row)
            keys += [] if constructor is None else [(source, "calls", file, constructor)]
        for one in keys:
            if one in named:
                continue
            self._add(one, site, certainty)
            evidence = self._found.get(one)
            if evidence is not None:
                evidence.implicit |= 1 << kind

    def _candidates(self, links: Links) -> Sequence[int]:
        """Rows of the targets among which the wanted edges are, in order; all of them where nothing narrows it down."""
        if self._target is not None:
            return self._rows_to(self._target, links, links.targets)
        if self._source is None or self._source < 0:
            return range(len(links.targets))
        return [row for use in self._uses(self._source) for row in rows_of(links.targets, use)]

    def _rows_to(self, target: SymbolRef, links: Links, table: Targets) -> Sequence[int]:
        return rows_meaning(self._snapshot, self._path, target, links, table)

    def _add(self, key: Key, site: tuple[int, int], certainty: tuple[int, int, bool], access: int = 0) -> None:
        if (self._source is not None or self._target is not None) and not self._is_selected(key[0], key[2], key[3]):
            return
        evidence = self._found.get(key)
        if evidence is None:
            self._found[key] = EdgeEvidence(*certainty, access, [site], rule=self._rule)
        else:
            evidence.add(site, certainty, access, self._rule)

    def _consequences(
        self, source: int, edge: int, place: Where, site: tuple[int, int],
        certainty: tuple[int, int, bool],
    ) -> None:  # fmt: skip
        """Making an instance calls the constructor; what a test calls, it tests."""
        file, row = place
        if file is None or not isinstance(row, int):
            return
        if edge == EdgeKind.INSTANTIATES:
            constructor = addresses(self._snapshot, file).constructors.get(row)
            if constructor is not None:
                confidence, _, ambiguous = certainty
                self._add((source, "calls", file, constructor), site, (confidence, Resolution.MEMBER, ambiguous))
        self._add_test_edge(source, place, site, certainty)

    def _add_setters(
        self, source: int, place: Where, deletes: bool, site: tuple[int, int],
        certainty: tuple[int, int, bool],
    ) -> None:  # fmt: skip
        """Writing a property runs its setter, and `del` its deleter."""
        file, row = place
        if file is None or not isinstance(row, int):
            return
        for half in addresses(self._snapshot, file).halves_of(row, deletes=deletes):
            self._add_implicit((source, "calls", file, half), frozenset(), ConstructKind.ATTRIBUTE, site, certainty)

    def _add_test_edge(
        self, source: int, place: Where, site: tuple[int, int], certainty: tuple[int, int, bool]
    ) -> None:
        """What a test calls, makes or hands on, it tests."""
        file, row = place
        if file is None or not isinstance(row, int) or row < 0 or not self._is_test(source) or is_test_file(file):
            return
        if self._snapshot.facts(file).definitions.kind[row] in _EXERCISED:
            self._add((source, "tests", file, row), site, certainty)

    def _is_test(self, row: int) -> bool:
        known = self._tests.get(row)
        if known is None:
            known = self._tests[row] = row >= 0 and self._kind(row) == "test"
        return known

    def _kind(self, row: int) -> str:
        return kind_of(self._facts, self._path, row, self._snapshot.shards[self._path].language).kind

    def _sources(self) -> Mapping[int, Sequence[int]]:
        """The owner of a use -> the nodes that it is a use by: more than one where they share an initialiser. Kept with
        the contents."""
        shard = self._snapshot.shards[self._path]
        known = _SOURCES.get(shard)
        if known is not None:
            return known
        owners, rows, slots = self._facts.definitions.owner, self._own.rows, self._own.slots
        found: dict[int, Sequence[int]] = {-1: _MODULE}
        for row, owner in enumerate(owners):
            found[row] = (rows[row],) if slots[row] >= 0 else found[owner] if owner < row else _MODULE
        for row, others in shared_initialisers(self._facts).items():
            found[row] = tuple(dict.fromkeys((*found[row], *(rows[other] for other in others if slots[other] >= 0))))
        return _SOURCES.put(shard, found)

    def _places(self, links: Links) -> PlaceOf:
        """A lookup from (file, symbol) of a targets row to the file and row of the node; None for no node."""
        files = [FilePath(file) for file in links.files]
        tables: dict[int, Addresses] = {}
        own_rows, slots, everything, getters = self._own.rows, self._own.slots, self._locals, self._own.getters

        def place(file: int, symbol: int) -> Where | None:
            if symbol == EXTERNAL:
                return None, links.externals[file]
            if symbol == WHOLE_MODULE:
                return files[file], -1
            if file == OWN_FILE:
                row = own_rows[symbol]
                # What names a setter, as the decorator of a deleter may, names the property.
                return (files[0], getters.get(row, row)) if everything or slots[symbol] >= 0 else None
            known = tables.get(file)
            if known is None:
                known = tables[file] = addresses(self._snapshot, files[file])
            row = known.symbols[symbol] if symbol < len(known.symbols) else -1
            row = known.getters.get(row, row)
            return (files[file], row) if row >= 0 and (everything or known.slots[row] >= 0) else None

        return place

    def _imports(self, links: Links) -> None:
        """Module to module; and from each import node to what it names."""
        place_of = self._places(links)
        if self._source in (None, -1) and (self._target is None or self._target.definition < 0):
            self._modules(links, place_of)
        kinds = self._facts.definitions.kind
        if self._source is None or (self._source >= 0 and kinds[self._source] == DefinitionKind.IMPORT):
            self._aliases(links, place_of)

    def _modules(self, links: Links, place_of: PlaceOf) -> None:
        facts, table = self._facts, links.module_targets
        imports = facts.imports
        unspelled: set[Key] = set()
        for index, row in enumerate(table.occurrence):
            place = place_of(table.file[index], table.symbol[index])
            if place is None or not self._is_selected(-1, *place):
                continue
            key: Key = (-1, "imports", *place)
            site = (imports.start[row], imports.end[row])
            evidence = self._found.get(key)
            if evidence is None:
                evidence = self._evidence(key, table.confidence[index], table.resolution[index])
                unspelled.add(key)
                evidence.implied = True
            if key in unspelled:
                evidence.sites.append(site)
            evidence.imported &= imports.flags[row]

    def _aliases(self, links: Links, place_of: PlaceOf) -> None:
        """What an import binding names is what the name that was imported means."""
        facts, table = self._facts, links.targets
        uses = facts.occurrences
        bound = self._bound_by_occurrence()
        for index in self._candidates(links):
            occurrence = table.occurrence[index]
            definition = bound.get(uses.start[occurrence])
            if definition is None or uses.role[occurrence] != Role.IMPORT:
                continue
            place = place_of(table.file[index], table.symbol[index])
            if place is not None:
                certainty = (table.confidence[index], Resolution.IMPORT, False)
                self._rule = links.rules[index]
                if table.ambiguous[index]:
                    certainty = joint_certainty(_joint(table, occurrence, place_of), certainty)
                self._add((definition, "aliases", *place), (uses.start[occurrence], uses.end[occurrence]), certainty)

    def _bound_by_occurrence(self) -> Mapping[int, int]:
        """Start of the occurrence that spells what is imported -> the binding, where the binding is a node."""
        imports, table = self._facts.imports, self._facts.definitions
        found: dict[int, int] = {}
        for row, definition in enumerate(imports.definition):
            if definition >= 0 and self._is_own_node(definition):
                start, at, end = imports.start[row], table.start[definition], imports.end[row]
                found[start if imports.name[row] >= 0 else self._use_for(start, at, end)] = definition
        return found

    def _use_for(self, start: int, at: int, end: int) -> int:
        """Start of the use in an import that says what its binding means, -1 for none.

        The last one before the binding, as in `import a.b as x`; else the one in its place, as in `import * as x`;
        else one behind it, as in Go's `import x "a/b"`. Never one of another import.
        """
        starts = self._facts.occurrences.start
        place = bisect_left(starts, at)
        if place and starts[place - 1] >= start:
            return starts[place - 1]
        return starts[place] if place < len(starts) and starts[place] < end else -1

    def _overrides(self, links: Links) -> Iterator[RawEdge]:
        """One edge for all overloads, or getter and setter, of a member, however many of them override."""
        table, place_of = links.overrides, self._places(links)
        found: dict[Key, int] = {}
        for row in self._overriding_rows(table):
            edge, source = table.edge[row], self._own.rows[table.definition[row]]
            place = place_of(table.file[row], table.symbol[row])
            if place is None or not self._is_own_node(source):
                continue
            for one, other in ((source, place), *self._overriding_setters(source, place)):
                if self._is_selected(one, *other):
                    key = (one, "implements" if edge else "overrides", *other)
                    found[key] = max(found.get(key, 0), _SHAPED if edge == BY_SHAPE else 100)
        for key, certainty in found.items():
            evidence = EdgeEvidence(certainty, Resolution.MEMBER, False, 0, [], rule=self._imported)
            yield edge_of(self._path, key, evidence, generated=self._generated)

    def _overriding_rows(self, table: Overrides) -> Sequence[int]:
        """Rows that may make an edge of the node that is asked about: each of a thousand methods may be."""
        source, own = self._source, self._own
        if source is None:
            return range(len(table.definition))
        members = {row for one in {source, own.getters.get(source, source)} for row in own.rows_where("rows", one)}
        return sorted(row for member in members for row in table.rows_where("definition", member))

    def _overriding_setters(self, row: int, above: Where) -> Iterator[tuple[int, Where]]:
        """The setter and deleter of a property, each with the one of the property that it overrides."""
        file, base = above
        if file is None or not isinstance(base, int) or row not in self._own.setters:
            return
        there = addresses(self._snapshot, file)
        for half in self._own.setters[row]:
            for other in there.halves_of(base, deletes=half in self._own.deleters):
                yield half, (file, other)

    def _evidence(self, key: Key, confidence: int, resolution: int) -> EdgeEvidence:
        evidence = self._found.get(key)
        if evidence is None:
            evidence = self._found[key] = EdgeEvidence(confidence, resolution, False, 0, [], rule=self._imported)
        return evidence


def rows_between(starts: Column, start: int, end: int) -> range:
    """Rows that begin in a stretch of text; `starts` ascends."""
    return range(bisect_left(starts, start), bisect_left(starts, end))
