"""Type hierarchy: what a class extends, and what extends it.

Owns: direct bases and subclasses, their closure, members that stand in for each other.
Must not know: LSP types, method resolution order of any language.
Invariant: every step is an `extends` or `implements` link; cycles end the walk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionKind, EdgeKind, Role, ScopeKind
from graphls.graph.addresses import addresses
from graphls.graph.edges import override_line
from graphls.graph.memo import MemoTable
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import Completeness, CoverageClaim, Gap, OpenSite, open_sites, spent_gaps
from graphls.queries.redeclarations import linked_places
from graphls.queries.references import INHERITING, base_owners
from graphls.queries.rows import TYPES, class_around, member_row, name_of, rows_between
from graphls.queries.symbol import canonical

MAX_CLASSES = 2_000
_NAMING_BASES = frozenset({Role.INHERIT, Role.IMPLEMENT, Role.IMPORT})
Step = Callable[[Snapshot, SymbolRef], tuple[SymbolRef, ...]]
# A walk through a hierarchy of n classes looks above each of them.
_BASES = MemoTable[SymbolRef, tuple[SymbolRef, ...]]("bases")
# A request may end in the middle of a hierarchy of thousands: the next one goes on there.
_BELOW = MemoTable[SymbolRef, tuple[SymbolRef, ...]]("classes that name a base")


def is_class(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is a class, an interface or the like."""
    return place.definition != NONE and snapshot.facts(place.file).definitions.kind[place.definition] in TYPES


def supertypes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Classes of the workspace that a class names as its bases, in the order written."""
    if place.definition == NONE:  # a module, which a client may take for a class
        return ()
    bases = _BASES.of(snapshot)
    known = bases.get(place)
    if known is None:
        known = bases[place] = _bases(snapshot, place)
    return known


def _bases(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    facts = snapshot.facts(place.file)
    rows, owner = facts.definitions, facts.occurrences.owner
    inside = rows_between(facts.occurrences.start, rows.full_start[place.definition], rows.full_end[place.definition])
    uses = [use for use in inside if owner[use] == place.definition]
    links = snapshot.links_at(place.file, uses)
    found: list[SymbolRef] = []
    for use in uses:
        for row in rows_with(links.targets.occurrence, use):
            if EdgeKind(links.targets.edge[row]) in INHERITING:
                target = snapshot.target(place.file, links, row).place
                if target is not None and target.definition != NONE:
                    found.append(canonical(snapshot, target))
    return tuple(dict.fromkeys(found))


def subtypes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Classes of the workspace that name a class as a base, by file and position."""
    below = _BELOW.of(snapshot)
    known = below.get(place)
    if known is None:
        owners = dict.fromkeys(base_owners(snapshot, place))
        known = below[place] = tuple(owner for owner in owners if is_class(snapshot, owner))
    return known


def subtypes_lack(snapshot: Snapshot, place: SymbolRef) -> Completeness:
    """What the classes below one lack: uses that may name it as a base."""
    counts = Counter(
        site.cause for site in open_sites(snapshot, CoverageClaim(uses_of=(place,))) if _may_name_base(snapshot, site)
    )
    return Completeness((*(Gap(cause, "in", counts[cause]) for cause in sorted(counts)), *spent_gaps()))


def _may_name_base(snapshot: Snapshot, site: OpenSite) -> bool:
    if site.row != NONE:
        return snapshot.facts(site.file).occurrences.role[site.row] in _NAMING_BASES
    text = snapshot.text(site.file) or b""
    return b"class " in text[text.rfind(b"\n", 0, site.start) + 1 : site.start]


def all_subtypes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Everything below a class, nearest first."""
    return tuple(_closure(snapshot, place, subtypes))


def all_supertypes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Everything above a class, nearest first."""
    return tuple(iter_supertypes(snapshot, place))


def iter_supertypes(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    """The same one by one, for who looks for the nearest."""
    return _closure(snapshot, place, supertypes)


def overriding_members(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Members of subclasses that stand in for a member, definitions of a prototype."""
    if _is_linked_by_shape(snapshot, place):
        return _linked(snapshot, place, incoming=True)
    if _may_be_overloaded(snapshot, place):
        return override_line(snapshot, place, incoming=True)[1:]
    return (*_places_outside(snapshot, place, incoming=True), *_same_member(snapshot, place, all_subtypes))


def overridden_members(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Members of base classes that a member stands in for, nearest first; prototypes of a definition."""
    if _is_linked_by_shape(snapshot, place):
        return _linked(snapshot, place, incoming=False)
    if _may_be_overloaded(snapshot, place):
        return override_line(snapshot, place, incoming=False)[1:]
    declared = _places_outside(snapshot, place, incoming=False)
    above = (other for one in declared for other in _same_member(snapshot, one, all_supertypes))
    return tuple(dict.fromkeys((*declared, *above, *_same_member(snapshot, place, all_supertypes))))


def linked_kin(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    """Members that a member overrides, and those that override it, as far as links say so of each: found at once, where
    the classes below one are thousands."""
    for incoming in (False, True):
        yield from override_line(snapshot, place, incoming=incoming)[1:]


def _places_outside(snapshot: Snapshot, place: SymbolRef, *, incoming: bool) -> tuple[SymbolRef, ...]:
    """Definitions of a method outside of its class, or the declaration in the class of such a definition."""
    known = snapshot.capabilities(place.file)
    if known is None or not known.prototypes or place.definition == NONE:
        return ()
    facts = snapshot.facts(place.file)
    if facts.definitions.kind[place.definition] != DefinitionKind.METHOD:
        return ()
    within = class_around(facts, place.definition) != NONE
    return _linked(snapshot, place, incoming=incoming) if within == incoming else ()


def has_prototypes(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is a function at the top of a file that others may declare or define."""
    known = snapshot.capabilities(place.file)
    if known is None or not known.prototypes or place.definition == NONE or not snapshot.shards[place.file].language:
        return False
    facts = snapshot.facts(place.file)
    table, kinds = facts.definitions, facts.scopes.kind
    is_function = table.kind[place.definition] == DefinitionKind.FUNCTION
    return is_function and kinds[table.scope[place.definition]] in (ScopeKind.MODULE, ScopeKind.NAMESPACE)


def _is_linked_by_shape(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether links alone say what a place stands in for: no class names its prototype, or the interface it fits."""
    if has_prototypes(snapshot, place):
        return True
    known = snapshot.capabilities(place.file)
    if known is None or not known.compared_types or place.definition == NONE:
        return False
    return snapshot.facts(place.file).definitions.kind[place.definition] == DefinitionKind.METHOD


def _may_be_overloaded(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a method has a name that others of its class may have: links alone say which one it stands for."""
    known = snapshot.capabilities(place.file)
    if known is None or not known.overloads or known.prototypes or place.definition == NONE:
        return False
    return snapshot.facts(place.file).definitions.kind[place.definition] == DefinitionKind.METHOD


def has_kin(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether something may stand in for a place: a member of a class or an interface, a function with a prototype."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return False
    facts = snapshot.facts(place.file)
    if class_around(facts, place.definition) != NONE or _is_linked_by_shape(snapshot, place):
        return True
    return bool(_places_outside(snapshot, place, incoming=False))


def _linked(snapshot: Snapshot, place: SymbolRef, *, incoming: bool) -> tuple[SymbolRef, ...]:
    """Definitions that implement a prototype, or prototypes that a definition implements."""
    return tuple(dict.fromkeys(linked_places(snapshot, place, incoming=incoming)))


def family(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """A member with all that may run in its stead or in whose stead it may run; other places stand alone."""
    roots = overridden_members(snapshot, place) or (place,)
    below = [member for root in roots for member in overriding_members(snapshot, root)]
    return tuple(dict.fromkeys((place, *roots, *below)))


def _closure(snapshot: Snapshot, place: SymbolRef, step: Step) -> Iterator[SymbolRef]:
    seen = {place}
    queue = [place]
    for current in queue:
        if len(queue) > MAX_CLASSES:
            break
        for found in step(snapshot, current):
            if found not in seen:
                seen.add(found)
                queue.append(found)
                yield found


def _same_member(snapshot: Snapshot, place: SymbolRef, related: Step) -> tuple[SymbolRef, ...]:
    if place.definition == NONE:
        return ()
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    name = name_of(facts, place.definition)
    if owner == NONE or (name.startswith("__") and not name.endswith("__")):
        return ()
    members = [member(snapshot, other, name) for other in related(snapshot, SymbolRef(place.file, owner))]
    found = (one for one in members if one is not None)
    own = addresses(snapshot, place.file)
    if place.definition not in own.getters:
        return tuple(found)
    deletes = place.definition in own.deleters
    return tuple(
        SymbolRef(one.file, half)
        for one in found
        for half in addresses(snapshot, one.file).halves_of(one.definition, deletes=deletes)
    )


def member(snapshot: Snapshot, owner: SymbolRef, name: str) -> SymbolRef | None:
    """The member that a class itself binds under a name."""
    row = member_row(snapshot.facts(owner.file), owner.definition, name)
    return None if row == NONE else canonical(snapshot, SymbolRef(owner.file, row))
