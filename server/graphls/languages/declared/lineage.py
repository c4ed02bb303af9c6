"""Lineage: the types above a type.

Owns: the order in which types above are looked at, and its bounds; what types without a name extend.
Must not know: what is above a type that has a name, any particular language.
Invariant: each type once, the nearest first; cycles end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.declared.values import NamedType, Value, Variable
from graphls.languages.extract.kinds import OBJECT_EXPRESSION

_MAX_SUPERS: Final = 60


def lineage(value: Value, supers: Callable[[Value], list[Value]]) -> tuple[Value, ...]:
    """A type and all above it. `supers`: the types directly above one."""
    found: list[Value] = []
    seen: set[object] = set()
    pending = [value]
    while pending and len(found) < _MAX_SUPERS:
        one = pending.pop(0)
        key: object = one
        if isinstance(one, (NamedType, Variable)):
            # A type parameter may be known by the row of the type whose instances it stands for.
            key = isinstance(one, Variable), one.file, one.row
        if key in seen:
            continue
        seen.add(key)
        found.append(one)
        pending += supers(one)
    return tuple(found)


def unnamed_bases(unit: DeclaredUnit) -> dict[int, int]:
    """Scope of a type without a name -> the written type that it extends."""
    table = unit.expressions
    return {
        table.a[row]: table.b[row]
        for row, kind in enumerate(table.kind)
        if kind == OBJECT_EXPRESSION and table.b[row] >= 0
    }
