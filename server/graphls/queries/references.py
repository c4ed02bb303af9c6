"""References: every occurrence of a symbol in one snapshot.

Owns: search order, names under which a symbol travels, declaration-first sorting, what could not be seen.
Must not know: LSP types, URIs, disk, how facts were extracted.
Invariant: reads exactly one Snapshot; same snapshot and symbol, same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from typing import cast

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, OccurrenceFlag, Resolution, Role
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.evidence import KINDS
from graphls.graph.mentions import unsure_with_name
from graphls.graph.snapshot import End, Place, Snapshot
from graphls.queries.packed_uses import Kinds, packed_node
from graphls.queries.rows import class_around, name_of, rows_with, string_index
from graphls.queries.symbol import Symbol, import_binding, symbol

_ALSO_WRITE = int(OccurrenceFlag.ALSO_WRITE)
# Looked up by number: a widely used name has ten thousand uses, and to call an enum takes longer than all else.
_ROLES = {int(role): role for role in Role}
_EDGES = {int(edge): edge for edge in EdgeKind}
_RESOLUTIONS = {int(resolution): resolution for resolution in Resolution}
CALLING = frozenset({EdgeKind.CALLS, EdgeKind.INSTANTIATES, EdgeKind.RENDERS})
_FEW_UNSURE = 20
"""Files that may be linked for one count while someone waits."""
_UNRESOLVED = "unresolved members by name"
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
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
    unresolved_sites: int
    """Member accesses of that name whose receiver is unknown: any of them may be one more use."""


def references(snapshot: Snapshot, place: Place) -> References:
    """All binding sites and uses of a symbol."""
    thing = symbol(snapshot, place)
    found = _Search(snapshot, thing)
    found.run()
    return References(thing, tuple(bindings(snapshot, thing)), tuple(found.uses), found.unresolved)


def run_by(snapshot: Snapshot, place: Place) -> References:
    """Where a callable is called or made; a written constructor is also run where its class is instantiated."""
    found = _uses_as(snapshot, place, CALLING)
    owner = _constructed(snapshot, place)
    if owner is None:
        return found
    made = _uses_as(snapshot, owner, frozenset({EdgeKind.INSTANTIATES})).uses
    uses = sorted({*found.uses, *made}, key=lambda use: (use.file, use.start))
    return attrs.evolve(found, uses=tuple(uses))


def inherited_by(snapshot: Snapshot, place: Place) -> tuple[Reference, ...]:
    """Where a class is named as a base."""
    return _uses_as(snapshot, place, INHERITING).uses


def _uses_as(snapshot: Snapshot, place: Place, edges: Collection[int]) -> References:
    """References of which only some kinds are wanted: of a much used thing the others are most."""
    thing = symbol(snapshot, place)
    found = _Search(snapshot, thing, edges)
    found.run()
    return References(thing, (), tuple(found.uses), found.unresolved)


def _constructed(snapshot: Snapshot, place: Place) -> Place | None:
    if place.definition == NONE:
        return None
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE or name_of(facts, place.definition) not in CONSTRUCTORS:
        return None
    return Place(place.file, owner)


def references_in(snapshot: Snapshot, place: Place, path: FilePath) -> References:
    """The same, in one file."""
    found = _Search(snapshot, symbol(snapshot, place))
    found.run_in(path)
    thing = found.thing
    own = tuple(bindings(snapshot, thing)) if thing.place.file == path else ()
    return References(thing, own, tuple(found.uses), 0)


def unresolved_uses(snapshot: Snapshot, place: Place) -> int:
    """`unresolved_sites` of the references, without looking for these."""
    thing = symbol(snapshot, place)
    if thing.local or not _is_member(snapshot, thing):
        return 0
    # No import binds a member, so it travels under no other name.
    return _unresolved_named(snapshot, thing.name)


def is_countable(snapshot: Snapshot, place: Place) -> bool:
    """Whether all uses can be found at once: not while many files that may use the symbol are still to be linked."""
    thing = symbol(snapshot, place)
    unsure = snapshot.reaching(ends(snapshot, thing)).unsure
    if len(unsure) <= _FEW_UNSURE or thing.local:
        return True
    return sum(path in unsure for path in snapshot.files_with_name(thing.name)) <= _FEW_UNSURE


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


class _Search:
    """Files whose links lead to the symbol; of files that are not linked yet, those that mention a name of it."""

    def __init__(self, snapshot: Snapshot, thing: Symbol, edges: Collection[int] = ()) -> None:
        """`edges`: only uses of these kinds are wanted; none: all are."""
        self._snapshot = snapshot
        self.thing = thing
        self._edges = edges
        self._member = _is_member(snapshot, thing)
        self._names = [thing.name]
        self._follows = True
        """Whether it matters what the symbol is called elsewhere."""
        self._found: dict[tuple[FilePath, int], Reference] = {}
        self.unresolved = 0

    @property
    def uses(self) -> list[Reference]:
        """By file and position."""
        return sorted(self._found.values(), key=lambda use: (use.file, use.start))

    def run(self) -> None:
        home = self.thing.place.file
        if self.thing.local:
            self._search(home, (self.thing.name,))
            return
        reaching = self._snapshot.reaching(ends(self._snapshot, self.thing))
        self._follows = bool(reaching.unsure) or self._member
        passed = self._passed_over()
        for path in dict.fromkeys((home, *reaching.files)):
            if path not in reaching.unsure and (passed is None or passed.may_be_in(path)):
                self._search(path)
        for name in self._names:
            self._by_name(name, reaching.unsure)

    def _passed_over(self) -> Kinds | None:
        """Tells files without a use of the wanted kinds; None where each has to be looked at."""
        node = None if self._follows or not self._edges else packed_node(self._snapshot, self.thing)
        return None if node is None else Kinds(self._snapshot, node, {KINDS[edge] for edge in self._edges})

    def run_in(self, path: FilePath) -> None:
        """Uses in one file only."""
        for name in self._names:
            self._search(path, (name,))

    def _by_name(self, name: str, unsure: Set[FilePath]) -> None:
        """Names may be added meanwhile: those under which files import the symbol."""
        for path in unsure_with_name(self._snapshot, unsure, name):
            self._search(path, (name,))
        if self._member:
            self.unresolved += _unresolved_named(self._snapshot, name)

    def _search(self, path: FilePath, names: Collection[str] = ()) -> None:
        for use in uses_in(self._snapshot, self.thing, path, names, self._edges):
            if not self._edges or use.edge in self._edges:
                self._found[path, use.row] = use
            if self._follows and use.role == Role.IMPORT:
                self._travels(path, use.row)

    def _travels(self, path: FilePath, use: int) -> None:
        """`from m import x as y`: other files may say `y`."""
        facts = self._snapshot.facts(path)
        row = import_binding(facts, use)
        if row != NONE and name_of(facts, row) not in self._names:
            self._names.append(name_of(facts, row))


def _is_member(snapshot: Snapshot, thing: Symbol) -> bool:
    """Members are reached through receivers, which may be unknown."""
    if not thing.rows:
        return False
    return class_around(snapshot.facts(thing.place.file), thing.place.definition) != NONE


def _unresolved_named(snapshot: Snapshot, name: str) -> int:
    # Seeds of one question share their names, and so do the questions about one place.
    counts = cast("dict[str, int]", snapshot.kept.setdefault(_UNRESOLVED, {}))
    known = counts.get(name)
    if known is None:
        known = counts[name] = sum(_unresolved(snapshot, path, name) for path in snapshot.files_with_name(name))
    return known


def _unresolved(snapshot: Snapshot, path: FilePath, name: str) -> int:
    """Member accesses of this name that no rule resolves."""
    known = snapshot.unresolved_members(path, name)
    if known is not None:
        return known
    facts = snapshot.facts(path)
    bases = facts.occurrences.base
    rows = [row for row in _named(facts, (name,)) if bases[row] != NONE]
    missing = snapshot.links_at(path, rows).unresolved.occurrence if rows else ()
    return sum(1 for row in rows if row in missing)
