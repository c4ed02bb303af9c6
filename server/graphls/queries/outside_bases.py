"""Outside bases: what a class outside the workspace declares, or may declare, of a member of the workspace.

Owns: the walk up from a class, inside and to where it leaves the workspace.
Must not know: counts, causes, answers.
Invariant: of a base that is read its members decide; of one that is not, nobody knows which members it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import ExpressionKind, ScopeKind
from graphls.facts.links import EXTERNAL
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_of_kinds
from graphls.graph.memo import MemoTable
from graphls.graph.nodes import use_named
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.languages.capabilities import Capabilities
from graphls.queries.rows import class_around, name_of

_CLASSES: Final = 64
"""Classes above that are looked at."""
_ROOTS: Final = frozenset({"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"})
"""Bases that declare nothing that a workspace would name."""
_EDGES: Final = frozenset({"extends", "implements"})
_MEMO: Final = MemoTable[SymbolRef, tuple[str, ...]]("bases outside")


@attrs.frozen
class OutsideBase:
    """A class outside above that of a member. `how` it may use the member: it is known to declare it, or to look
    members of such names up, or is not read."""

    dotted: str
    how: Literal["declares", "looks up", "unread"]


def outside_base(snapshot: Snapshot, place: SymbolRef) -> OutsideBase | None:
    """The class outside that declares a member too, else one that may; None for what is no member, and where all
    classes above are known not to have it."""
    if place.definition == NONE:
        return None
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE:
        return next(_outside_of_object(snapshot, place), None)
    name, unread = name_of(facts, place.definition), ""
    known = snapshot.capabilities(place.file)
    prefixes: Mapping[str, tuple[str, ...]] = {} if known is None else known.looked_up_outside
    for dotted in _outside(snapshot, SymbolRef(place.file, owner)):
        members = _members(known, dotted)
        if members is not None and name not in members:
            continue
        if members is not None or snapshot.outside(f"{dotted}.{name}") is not None:
            return OutsideBase(dotted, "declares")
        if name.startswith(prefixes.get(dotted, ())):
            return OutsideBase(dotted, "looks up")
        if not unread and snapshot.outside(dotted) is None:
            unread = dotted
    return OutsideBase(unread, "unread") if unread else None


def _members(known: Capabilities | None, dotted: str) -> frozenset[str] | None:
    """All members of a well-known type outside; None of any other."""
    return known.outside_members(dotted) if known is not None and known.outside_members is not None else None


def _outside_of_object(snapshot: Snapshot, place: SymbolRef) -> Iterator[OutsideBase]:
    """What a class without a name extends: `new Runnable() { public void run() { ... } }`."""
    facts = snapshot.facts(place.file)
    table, scope = facts.expressions, facts.definitions.scope[place.definition]
    if scope < 0 or facts.scopes.kind[scope] != ScopeKind.OBJECT:
        return
    for row in rows_with(table.kind, ExpressionKind.OBJECT):
        type_ = table.b[row] if table.a[row] == scope else NONE
        use = use_named(facts, type_)
        if use >= 0:
            links = snapshot.links_at(place.file, (use,))
            for target in rows_of(links.targets, use):
                if links.targets.symbol[target] != EXTERNAL:
                    continue
                dotted = links.externals[links.targets.file[target]]
                members = _members(snapshot.capabilities(place.file), dotted)
                if members is None or name_of(facts, place.definition) in members:
                    yield OutsideBase(dotted, "unread" if members is None else "declares")


def bases_inside(snapshot: Snapshot, cls: SymbolRef) -> list[SymbolRef]:
    """The classes of the workspace that a class names as its bases."""
    return [base for base in _bases(snapshot, cls) if isinstance(base, SymbolRef)]


def _outside(snapshot: Snapshot, cls: SymbolRef) -> tuple[str, ...]:
    """Dotted names of the classes where the walk up from a class leaves the workspace, nearest first."""
    memo = _MEMO.of(snapshot)
    known = memo.get(cls)
    if known is None:
        known = memo[cls] = tuple(dict.fromkeys(_walked(snapshot, cls)))
    return known


def _walked(snapshot: Snapshot, cls: SymbolRef) -> Iterator[str]:
    pending, seen = [cls], {cls}
    while pending and len(seen) <= _CLASSES:
        for base in _bases(snapshot, pending.pop(0)):
            if isinstance(base, str):
                yield base
            elif base not in seen:
                seen.add(base)
                pending.append(base)


def _bases(snapshot: Snapshot, cls: SymbolRef) -> Iterator[SymbolRef | str]:
    for ref in edge_refs_of_kinds(snapshot, cls, _EDGES, incoming=False):
        target = node_of(ref.target_key)
        if isinstance(target, str):
            if target not in _ROOTS:
                yield target
        elif isinstance(target, SymbolRef) and target.definition != NONE:
            yield target
