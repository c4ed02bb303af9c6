"""References: every occurrence of a symbol in one snapshot.

Owns: search order, names under which a symbol travels, declaration-first sorting, what could not be seen.
Must not know: LSP types, URIs, disk, how facts were extracted.
Invariant: reads exactly one Snapshot; same snapshot and symbol, same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, EdgeKind, OccurrenceFlag, Resolution, Role
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.evidence import KINDS
from graphls.graph.made_by_tool import comes_last
from graphls.graph.mentions import files_mentioning
from graphls.graph.nodes import declares_half, last_name
from graphls.graph.request_budget import BudgetSpentError, spend
from graphls.graph.snapshot import End, Snapshot, SymbolRef
from graphls.graph.unnamed_runs import answers_any_name, may_run_unnamed
from graphls.languages.registry import constructors
from graphls.queries.completeness import COMPLETE, Cause, Completeness, CoverageClaim, Gap, completeness
from graphls.queries.handed_on import hands_on_call
from graphls.queries.packed_uses import KindFilter, packed_node
from graphls.queries.redeclarations import may_be_redeclared, redeclarations
from graphls.queries.rows import class_around, is_read_as_value, name_of, rows_between, string_index
from graphls.queries.symbol import Symbol, import_binding, symbol

_ALSO_WRITE = int(OccurrenceFlag.ALSO_WRITE)
# Looked up by number: a widely used name has ten thousand uses, and to call an enum takes longer than all else.
_ROLES = {int(role): role for role in Role}
_EDGES = {int(edge): edge for edge in EdgeKind}
_RESOLUTIONS = {int(resolution): resolution for resolution in Resolution}
CALLING = frozenset({EdgeKind.CALLS, EdgeKind.INSTANTIATES, EdgeKind.RENDERS})
_READING = CALLING | {EdgeKind.ACCESSES}
_VALUES = frozenset({Role.READ, Role.TEXT, Role.KEYWORD})
_MANNERS = frozenset({
    "abstractmethod", "cache", "cached_property", "classmethod", "contextmanager", "deprecated", "final", "getter",
    "lru_cache", "overload", "override", "property", "setter", "deleter", "staticmethod", "wraps",
})  # fmt: skip
"""Decorators after which a call of the name still is what runs the function, and nothing else is."""
_FEW_UNSURE = 20
"""Files that may be linked for one count while someone waits."""
_FEW_UNSURE_BYTES = 200_000
"""Of these files in all: uses of a name that one large file spells thousands of times take seconds to link."""
FEW_BYTES = 40_000
"""Of files that have to be gone through whole for that, since code runs the symbol without spelling it."""
INHERITING = frozenset({EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS})


@attrs.frozen
class Reference:
    """One occurrence, or one binding site when `binding` is True."""

    file: FilePath
    row: int
    """Row of Occurrences, of Definitions for a binding."""
    start: int
    end: int
    role: Role
    writes: bool
    edge: EdgeKind
    resolution: Resolution
    confidence: float
    ambiguous: bool
    owner: int
    """Innermost function or class around it, -1 for the module."""
    binding: bool = False


@attrs.frozen
class References:
    """Bindings first, then uses by file and position."""

    symbol: Symbol
    bindings: tuple[Reference, ...]
    uses: tuple[Reference, ...]
    completeness: Completeness
    """What the uses lack."""

    @property
    def unresolved_sites(self) -> int:
        """Uses of that name that no rule resolves: any of them may be one more."""
        return self.completeness.sites


def references(snapshot: Snapshot, place: SymbolRef) -> References:
    """All binding sites and uses of a symbol, those of its other declarations too."""
    places = redeclarations(snapshot, place)
    things = [symbol(snapshot, one) for one in places]
    uses = _uses_as(snapshot, things, partial_too=True)
    return References(
        things[0], _bound(snapshot, things), tuple(uses), completeness(snapshot, CoverageClaim(uses_of=places))
    )


def bindings_of(snapshot: Snapshot, place: SymbolRef) -> tuple[Reference, ...]:
    """The binding sites among these; no file is looked through for them."""
    return _bound(snapshot, [symbol(snapshot, one) for one in redeclarations(snapshot, place)])


def _bound(snapshot: Snapshot, things: Iterable[Symbol]) -> tuple[Reference, ...]:
    return tuple(dict.fromkeys(one for thing in things for one in bindings(snapshot, thing)))


def call_references(snapshot: Snapshot, place: SymbolRef) -> References:
    """Where a callable is called or made, or a property read or written; a written constructor is also run where its
    class is instantiated. Where it is handed on as a value, that is a gap: whoever has the value may call it."""
    places = redeclarations(snapshot, place)
    things = [symbol(snapshot, one) for one in places]
    running = running_edges(snapshot, place)
    every = _uses_as(snapshot, things, running | {EdgeKind.REFERENCES}, partial_too=True)
    found = [use for use in every if use.edge in running and not _is_half(snapshot, use, things[0])]
    values = sum(use.edge == EdgeKind.REFERENCES and use.role in _VALUES for use in every)
    values += sum(hands_on_call(snapshot, use.file, use.row) for use in found)
    owner = _constructed(snapshot, place)
    if owner is not None:
        made = _uses_as(snapshot, [symbol(snapshot, owner)], frozenset({EdgeKind.INSTANTIATES}), partial_too=True)
        found = sorted({*found, *made}, key=partial(_order, snapshot))
        every = _uses_as(snapshot, [symbol(snapshot, owner)], frozenset({EdgeKind.REFERENCES}), partial_too=True)
        values += sum(is_read_as_value(snapshot.facts(use.file), use.row) for use in every)
    values += decorator_count(snapshot, place)
    lacking = completeness(snapshot, CoverageClaim(uses_of=places)).along(Gap(Cause.VALUE, "in", values))
    return References(things[0], (), tuple(found), lacking)


def running_edges(snapshot: Snapshot, place: SymbolRef) -> frozenset[EdgeKind]:
    """Edges along which uses of a place run it."""
    kinds = snapshot.facts(place.file).definitions.kind if place.definition != NONE else ()
    return _READING if kinds and kinds[place.definition] == DefinitionKind.PROPERTY else CALLING


def _is_half(snapshot: Snapshot, use: Reference, thing: Symbol) -> bool:
    """Whether a use declares the setter of a property: `@size.setter` above it."""
    if use.edge != EdgeKind.ACCESSES or use.file != thing.place.file:
        return False
    return declares_half(snapshot.facts(use.file), use.owner, use.row, thing.place.definition)


def base_owners(snapshot: Snapshot, place: SymbolRef) -> Sequence[SymbolRef]:
    """What stands around the places that name a class as a base, by file and position. A class may be above thousands:
    of files with packed edges neither links nor other uses are read."""
    found: dict[tuple[bool, FilePath, int], SymbolRef] = {}
    for one in redeclarations(snapshot, place):
        search = _ReferenceSearch(snapshot, symbol(snapshot, one), INHERITING)
        for path, start, owner in search.owners():
            found.setdefault((comes_last(snapshot, path), path, start), SymbolRef(path, owner))
    return [found[where] for where in sorted(found)]


def _order(snapshot: Snapshot, use: Reference) -> tuple[bool, FilePath, int]:
    return comes_last(snapshot, use.file), use.file, use.start


def _uses_as(
    snapshot: Snapshot, things: Sequence[Symbol], edges: Collection[int] = (), *, partial_too: bool = False
) -> list[Reference]:
    """References to the places of one symbol; `edges`: only some kinds are wanted, as of a much used thing the others
    are most. `partial_too`: the caller says where the budget of the request ended the search."""
    found: dict[tuple[FilePath, int], Reference] = {}
    for thing in things:
        search = _ReferenceSearch(snapshot, thing, edges)
        try:
            search.run()
        except BudgetSpentError:
            if not partial_too:
                raise
        for use in search.uses:
            found.setdefault((use.file, use.row), use)
    return sorted(found.values(), key=partial(_order, snapshot)) if len(things) > 1 else list(found.values())


def _constructed(snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
    if place.definition == NONE:
        return None
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE or name_of(facts, place.definition) not in constructors():
        return None
    return SymbolRef(place.file, owner)


def references_in(snapshot: Snapshot, place: SymbolRef, path: FilePath) -> References:
    """The same, in one file."""
    found = _ReferenceSearch(snapshot, symbol(snapshot, place))
    found.run_in(path)
    thing = found.thing
    own = tuple(bindings(snapshot, thing)) if thing.place.file == path else ()
    return References(thing, own, tuple(found.uses), COMPLETE)


def decorator_count(snapshot: Snapshot, place: SymbolRef) -> int:
    """Decorators that are handed a callable, those apart that only say how it is called."""
    if place.definition == NONE:
        return 0
    facts = snapshot.facts(place.file)
    rows = rows_with(facts.decorators.definition, place.definition)
    return sum(last_name(facts, facts.decorators.expression[row]) not in _MANNERS for row in rows)


def is_countable(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether all uses can be found at once: not while many files that may use the symbol are still to be linked."""
    thing = symbol(snapshot, place)
    unsure = snapshot.reaching(ends(snapshot, thing)).unsure
    if not unsure or thing.local:
        return True
    every = len(unsure) <= _FEW_UNSURE or answers_any_name(snapshot, place)
    spelling = set(unsure) if every else {*snapshot.files_with_name(thing.name)} & unsure
    size = sum(snapshot.shards[path].size for path in spelling)
    if may_run_unnamed(snapshot, place):
        return size <= FEW_BYTES
    return len(spelling) <= _FEW_UNSURE and size <= _FEW_UNSURE_BYTES


def has_known_places(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether other declarations of a symbol, if its language has such, can be found at once."""
    return may_be_redeclared(snapshot, place) and is_countable(snapshot, place)


def ends(snapshot: Snapshot, thing: Symbol) -> tuple[End, ...]:
    """What links of other files to a symbol lead to."""
    home, rows = thing.place.file, thing.rows
    column = snapshot.facts(home).definitions.surface
    return tuple((home, column[row]) for row in rows if column[row] != NONE) if rows else ((home, WHOLE_MODULE),)


def bindings(snapshot: Snapshot, thing: Symbol) -> Iterator[Reference]:
    """The binding sites of a symbol."""
    if not thing.rows:
        return
    path = thing.place.file
    rows = snapshot.facts(path).definitions
    for row in thing.rows:
        yield Reference(
            file=path,
            row=row,
            start=rows.start[row],
            end=rows.end[row],
            role=Role.WRITE,
            writes=True,
            edge=EdgeKind.REFERENCES,
            resolution=Resolution.LEXICAL,
            confidence=1.0,
            ambiguous=False,
            owner=rows.owner[row],
            binding=True,
        )


def uses_in(
    snapshot: Snapshot,
    thing: Symbol,
    path: FilePath,
    names: Collection[str] = (),
    edges: Collection[int] = (),
) -> Iterator[Reference]:
    """Uses of a symbol in one file, in source order. `names`: look at occurrences of these only. `edges`: give only
    uses of these kinds, and imports."""
    links = snapshot.links_at(path, _named(snapshot.facts(path), names)) if names else snapshot.links(path)
    rows = _target_rows(snapshot, links, thing, path)
    if not rows:
        return
    facts = snapshot.facts(path)
    last, kinds, roles = NONE, links.targets.edge, facts.occurrences.role
    for row in sorted(rows):
        use = links.targets.occurrence[row]
        if use != last and (not edges or kinds[row] in edges or roles[use] == Role.IMPORT):
            yield _reference(path, facts, links, row)
        last = use


def _named(facts: FileFacts, names: Collection[str]) -> list[int]:
    """Occurrences that spell one of these names."""
    numbers = {string_index(facts, name) for name in names} - {NONE}
    return sorted(row for number in numbers for row in rows_with(facts.occurrences.name, number))


def _target_rows(snapshot: Snapshot, links: Links, thing: Symbol, path: FilePath) -> list[int]:
    """Rows of a file's link targets that mean the symbol."""
    targets, home = links.targets, thing.place.file
    if home == path:
        number, keys = OWN_FILE, set(thing.rows)
    elif home in links.files:
        column = snapshot.facts(home).definitions.surface
        number, keys = links.files.index(home), {column[row] for row in thing.rows} - {NONE}
    else:
        return []
    if not thing.rows:
        keys = {WHOLE_MODULE}
    rows = (row for key in keys if key != EXTERNAL for row in rows_with(targets.symbol, key))
    return [row for row in rows if targets.file[row] == number]


def _reference(path: FilePath, facts: FileFacts, links: Links, row: int) -> Reference:
    targets, uses = links.targets, facts.occurrences
    use = targets.occurrence[row]
    role = _ROLES[uses.role[use]]
    return Reference(
        file=path,
        row=use,
        start=uses.start[use],
        end=uses.end[use],
        role=role,
        writes=role in (Role.WRITE, Role.DELETE) or bool(uses.flags[use] & _ALSO_WRITE),
        edge=_EDGES[targets.edge[row]],
        resolution=_RESOLUTIONS[targets.resolution[row]],
        confidence=targets.confidence[row] / 100,
        ambiguous=bool(targets.ambiguous[row]),
        owner=uses.owner[use],
    )


class _ReferenceSearch:
    """Files whose links lead to the symbol; of files that are not linked yet, those that mention a name of it."""

    def __init__(self, snapshot: Snapshot, thing: Symbol, edges: Collection[int] = ()) -> None:
        """`edges`: only uses of these kinds are wanted; none: all are."""
        self._snapshot = snapshot
        self.thing = thing
        self._edges = edges
        self._names = [thing.name]
        self._found: dict[tuple[FilePath, int], Reference] = {}

    @property
    def uses(self) -> list[Reference]:
        """By file and position, those in files that tools made or others wrote last."""
        return sorted(self._found.values(), key=partial(_order, self._snapshot))

    def run(self) -> None:
        home = self.thing.place.file
        if self.thing.local:
            self._search(home, (self.thing.name,))
            return
        reaching = self._snapshot.reaching(ends(self._snapshot, self.thing))
        passed = self._kind_filter()
        for path in dict.fromkeys((home, *reaching.files)):
            if path not in reaching.unsure and (passed is None or passed.may_be_in(path)):
                self._search(path)
        if reaching.unsure:
            mentions = files_mentioning(self._snapshot, self.thing.place, ends(self._snapshot, self.thing))
            for path in mentions.files:
                if path in mentions.unsure:
                    self._search(path, () if self.thing.place.definition == NONE else mentions.names_in(path))

    def owners(self) -> Iterator[tuple[FilePath, int, int]]:
        """Files and beginnings of the uses of the wanted kinds, each with what is around it."""
        passed = None if self.thing.local else self._kind_filter()
        reaching = None if passed is None else self._snapshot.reaching(ends(self._snapshot, self.thing))
        if passed is None or reaching is None or reaching.unsure:
            self.run()
        else:
            for path in dict.fromkeys((self.thing.place.file, *reaching.files)):
                spend()
                sites = passed.sites_in(path)
                if sites is None:
                    self._search(path)
                elif sites:
                    uses = self._snapshot.facts(path).occurrences
                    rows = (rows_between(uses.start, start, start + 1) for start in sites)
                    yield from ((path, uses.start[some[0]], uses.owner[some[0]]) for some in rows if some)
        yield from ((use.file, use.start, use.owner) for use in self._found.values())

    def _kind_filter(self) -> KindFilter | None:
        """Tells files without a use of the wanted kinds; None where each has to be looked at."""
        node = packed_node(self._snapshot, self.thing) if self._edges else None
        return None if node is None else KindFilter(self._snapshot, node, {KINDS[edge] for edge in self._edges})

    def run_in(self, path: FilePath) -> None:
        """Uses in one file only."""
        for name in self._names:
            self._search(path, (name,), follows=True)

    def _search(self, path: FilePath, names: Collection[str] = (), *, follows: bool = False) -> None:
        """`follows`: what the file calls the symbol is added to the names that are looked for."""
        spend()
        for use in uses_in(self._snapshot, self.thing, path, names, self._edges):
            if not self._edges or use.edge in self._edges:
                self._found[path, use.row] = use
            if follows and use.role == Role.IMPORT:
                self._follow_alias(path, use.row)

    def _follow_alias(self, path: FilePath, use: int) -> None:
        """`from m import x as y`: other files may say `y`."""
        facts = self._snapshot.facts(path)
        row = import_binding(facts, use)
        if row != NONE and name_of(facts, row) not in self._names:
            self._names.append(name_of(facts, row))
