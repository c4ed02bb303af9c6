"""Surface: the part of one file's facts that other files can see.

Owns: the shape of a surface, its digest, lookups in it.
Must not know: positions, bodies, docs; those may change without anyone else noticing.
Invariant: two files with equal surfaces are interchangeable for every other file's links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NewType

import attrs

from graphls.facts.columns import Bases, Column, Decorators, Expressions, ListItems, Lists, Returns, Table

SurfaceHash = NewType("SurfaceHash", str)
SymbolIndex = NewType("SymbolIndex", int)
"""Row in the `symbols` of one surface."""


@attrs.frozen(eq=False)
class Symbols(Table):
    """Like `Definitions`, without positions. `ordinal`: count of same-named siblings before it, of its kind."""

    name: Column
    kind: Column
    flags: Column
    scope: Column
    body: Column
    type: Column
    value: Column
    owner: Column
    ordinal: Column


@attrs.frozen(eq=False)
class SurfaceScopes(Table):
    """Scopes of a surface: the module, classes, and functions (for their parameters)."""

    kind: Column
    parent: Column
    owner: Column


@attrs.frozen(eq=False)
class Surface:
    """Names, shapes and evident types that a file offers. Expressions name only what a surface can see."""

    strings: tuple[str, ...]
    scopes: SurfaceScopes
    symbols: Symbols
    expressions: Expressions
    lists: Lists
    items: ListItems
    decorators: Decorators
    bases: Bases
    returns: Returns
    exports: tuple[str, ...] | None
    """The module's own export list (`__all__`), or None when it has none."""
    dynamic: bool
    """The module computes names (`__getattr__`, a computed export list), so a missing one may exist."""
    _by_name: dict[int, dict[str, tuple[int, ...]]] = attrs.field(
        factory=dict[int, dict[str, tuple[int, ...]]], init=False, repr=False
    )

    memo: dict[str, object] = attrs.field(factory=dict[str, object], init=False, repr=False)
    """Views that readers derive from the surface alone, made once."""

    def without_memo(self) -> Surface:
        """The same for a view that `memo` keeps: one that led back to its holder would be garbage in a circle, which
        only a look at all objects finds."""
        made = attrs.evolve(self)
        object.__setattr__(made, "_by_name", self._by_name)
        return made

    def members(self, scope: int) -> Mapping[str, tuple[int, ...]]:
        """Symbols bound in a scope by name, each in source order. Built on first use."""
        if not self._by_name:
            self._index()
        return self._by_name.get(scope, {})

    def list_at(self, row: int) -> Sequence[int]:
        """The items of one list; empty for -1."""
        return self.items.value[self.lists.start[row] : self.lists.end[row]] if row >= 0 else ()

    def _index(self) -> None:
        grouped: dict[int, dict[str, list[int]]] = {0: {}}
        strings, symbols = self.strings, self.symbols
        for row, (name, scope) in enumerate(zip(symbols.name, symbols.scope, strict=True)):
            grouped.setdefault(scope, {}).setdefault(strings[name], []).append(row)
        self._by_name.update({s: {n: tuple(rows) for n, rows in names.items()} for s, names in grouped.items()})


def surface_hash(encoded: bytes) -> SurfaceHash:
    """The digest that says whether dependents must be linked anew."""
    return SurfaceHash(blake2b(encoded, digest_size=16).hexdigest())
