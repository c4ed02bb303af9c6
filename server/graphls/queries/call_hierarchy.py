"""Call hierarchy: who calls a callable, and what it calls.

Owns: grouping of call sites by the callable around them and by what they mean, callers through what is overridden.
Must not know: LSP types, URIs.
Invariant: every call is a `calls`, `instantiates` or `renders` link or an implicit call, and counts for the definition
    that owns it: code outside of functions for the variable or class in whose initialiser or body it stands, else for
    its module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Set

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import declares_half, own_uses
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef, Target, rows_of
from graphls.queries.completeness import Cause, Completeness, CoverageClaim, Gap, completeness
from graphls.queries.dispatch import (
    POSSIBLE,
    calls_value,
    constructed,
    declared_members,
    members_of_objects,
    names_class,
)
from graphls.queries.implicit_calls import constructs_of, implicit_calls_from, implicit_calls_to
from graphls.queries.redeclarations import definitions_of, redeclarations
from graphls.queries.references import CALLING, call_references
from graphls.queries.rows import CALLABLE, TYPES
from graphls.queries.symbol import canonical, meaning
from graphls.queries.type_hierarchy import iter_supertypes, overridden_members, overriding_members

_OPEN = (EdgeKind.CALLS, EdgeKind.ACCESSES)
"""What may run what overrides the target in its stead."""
_CALLED = (Role.CALL, Role.RENDER)


@attrs.frozen
class CallSite:
    """Where one call stands."""

    file: FilePath
    start: int
    end: int
    confidence: float


@attrs.frozen
class CallRelation:
    """Calls between the asked callable and one other; `sites` in source order."""

    place: SymbolRef
    sites: tuple[CallSite, ...]
    through: SymbolRef | None = None
    """The member that is called by name, and that the callee overrides: which of them runs is not known."""
    constructs: str = ""
    """Of an implicit call, the constructs that run the callee: `for, with`."""


@attrs.frozen
class Callers:
    """Incoming calls, and what they lack."""

    calls: tuple[CallRelation, ...]
    completeness: Completeness

    @property
    def unresolved_sites(self) -> int:
        """Uses of that name that no rule resolves."""
        return self.completeness.sites


def prepare(snapshot: Snapshot, path: FilePath, offset: int) -> tuple[SymbolRef, ...]:
    """The callables and classes that the name at an offset means."""
    found = meaning(snapshot, path, offset)
    return () if found is None else tuple(place for place in found.places if _is_callable(snapshot, place))


def callers(snapshot: Snapshot, place: SymbolRef) -> Callers:
    """Who calls a place; then who calls what it overrides, and so may call it."""
    calls, values = _callers(snapshot, place)
    bases: tuple[SymbolRef, ...] = ()
    with contextlib.suppress(BudgetSpentError):
        bases = (*overridden_members(snapshot, place), *declared_members(snapshot, place))
    same = redeclarations(snapshot, place)
    for base in bases:
        if base in same:
            continue
        possible, more = _callers(snapshot, base, dispatched=True)
        known = {one.place for one in calls if one.constructs}
        calls += [attrs.evolve(one, through=base) for one in possible if one.place not in known]
        values += more
    calls += _held(snapshot, place, {one.place for one in calls})
    lacking = completeness(snapshot, CoverageClaim(uses_of=tuple(dict.fromkeys((*same, *bases)))))
    return Callers(tuple(calls), lacking.along(Gap(Cause.VALUE, "in", values)))


def _held(snapshot: Snapshot, place: SymbolRef, known: Set[SymbolRef]) -> Iterator[CallRelation]:
    """Who calls a class above as a value, as `cls()`: that may make what this constructor is of."""
    owner = constructed(snapshot, place)
    for above in iter_supertypes(snapshot, owner) if owner is not None else ():
        for edge in implicit_calls_to(snapshot, above):
            one = _relation(snapshot, edge, edge.source, POSSIBLE) if calls_value(edge) else None
            if one is not None and one.place not in known:
                yield attrs.evolve(one, through=above)


def _callers(snapshot: Snapshot, place: SymbolRef, *, dispatched: bool = False) -> tuple[list[CallRelation], int]:
    found = call_references(snapshot, place)
    groups: dict[SymbolRef, list[CallSite]] = {}
    for use in found.uses:
        if dispatched and names_class(snapshot, use.file, use.row):
            continue
        site = CallSite(use.file, use.start, use.end, round(use.confidence * (POSSIBLE if dispatched else 1.0), 4))
        groups.setdefault(canonical(snapshot, SymbolRef(use.file, use.owner)), []).append(site)
    values = sum(gap.count for gap in found.completeness.gaps if gap.cause == Cause.VALUE)
    named = [CallRelation(who, tuple(sites)) for who, sites in groups.items()]
    unnamed = (
        _relation(snapshot, edge, edge.source, POSSIBLE if dispatched else 1.0)
        for edge in implicit_calls_to(snapshot, place, held=values > 0)
    )
    return [*named, *(one for one in unnamed if one is not None and one.place not in groups)], values


def callees(snapshot: Snapshot, place: SymbolRef) -> tuple[CallRelation, ...]:
    """What a place calls, in order of the first call; then what overrides that, and so may run in its stead. Places
    outside the workspace are left out."""
    facts, links = snapshot.facts(place.file), snapshot.links(place.file)
    uses = facts.occurrences
    groups: dict[SymbolRef, list[CallSite]] = {}
    open_groups: dict[SymbolRef, list[CallSite]] = {}
    for use in own_uses(facts, place.definition):
        for row in rows_of(links.targets, use):
            target = snapshot.target(place.file, links, row)
            if target.place is None or not _is_run(snapshot, place, use, target):
                continue
            declared = canonical(snapshot, target.place)
            defined = definitions_of(snapshot, declared)
            site = CallSite(place.file, uses.start[use], uses.end[use], target.confidence)
            groups.setdefault(defined[0] if len(defined) == 1 else declared, []).append(site)
            named = names_class(snapshot, place.file, use) and len(defined) < 2
            if target.edge in _OPEN and not named:
                open_groups.setdefault(declared, []).append(site)
    possible = [
        CallRelation(other, tuple(_less_sure(site) for site in sites), callee)
        for callee, sites in open_groups.items()
        for other in (*overriding_members(snapshot, callee), *members_of_objects(snapshot, callee))
        if other not in groups and other != callee
    ]
    named = (CallRelation(callee, tuple(sites)) for callee, sites in groups.items())
    return (*named, *possible, *_unnamed_callees(snapshot, place, groups.keys()))


def _is_run(snapshot: Snapshot, owner: SymbolRef, use: int, target: Target) -> bool:
    """Whether a use by `owner` runs its target: a call, or an access of a property that has code."""
    place = target.place
    if target.edge != EdgeKind.ACCESSES or place is None or place.definition < 0:
        return target.edge in CALLING
    table = snapshot.facts(place.file).definitions
    if table.kind[place.definition] != DefinitionKind.PROPERTY or table.body[place.definition] < 0:
        return False
    same = place.file == owner.file
    return not (same and declares_half(snapshot.facts(owner.file), owner.definition, use, place.definition))


def _unnamed_callees(snapshot: Snapshot, place: SymbolRef, named: Set[SymbolRef]) -> Iterator[CallRelation]:
    """What constructs of a place run; then what overrides that, and so may run in its stead."""
    found: dict[SymbolRef, CallRelation] = {}
    for edge in implicit_calls_from(snapshot, place):
        one = _relation(snapshot, edge, edge.target, 1.0)
        if one is not None and one.place not in named:
            found[one.place] = one
    yield from found.values()
    for callee, one in found.items():
        sites = tuple(_less_sure(site) for site in one.sites)
        for other in overriding_members(snapshot, callee):
            if other not in found and other not in named:
                yield attrs.evolve(one, place=other, sites=sites, through=callee)


def _relation(
    snapshot: Snapshot, edge: RawEdge, other: SymbolRef | DerivedNode | str, sure: float
) -> CallRelation | None:
    """The implicit calls of one edge; None where they are not between definitions."""
    if not isinstance(other, SymbolRef):
        return None
    sites = tuple(
        CallSite(file, start, end, round(evidence.confidence * sure, 4))
        for (file, start, end), evidence in edge.sites_with_evidence()
    )
    return CallRelation(canonical(snapshot, other), sites, constructs=constructs_of(edge))


def _less_sure(site: CallSite) -> CallSite:
    return attrs.evolve(site, confidence=round(site.confidence * POSSIBLE, 4))


def _is_callable(snapshot: Snapshot, place: SymbolRef) -> bool:
    if place.definition == NONE:
        return False
    facts = snapshot.facts(place.file)
    kind = facts.definitions.kind[place.definition]
    if kind in CALLABLE or kind in TYPES:
        return True
    # A variable may hold what a call made of functions: `const Page = memo(() => render())`.
    return any(facts.occurrences.role[use] in _CALLED for use in own_uses(facts, place.definition))
