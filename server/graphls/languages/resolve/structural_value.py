"""Structural value: values that resolution compares and keeps by what they say.

Owns: equality and hashes of such values; those that every language has; the answer for one occurrence.
Must not know: any particular language.
Invariant: equal where kind and parts are; never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar, final

from graphls.facts.kinds import Resolution, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_CANDIDATES, MAX_WEIGHT

_LEXICAL: Final = int(Resolution.LEXICAL)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
LOCAL_RULE: Final = 0
"""Every language's rules begin with this one: the file binds the name itself."""


class StructuralValue:
    """What is known of something. Equal where kind and parts are; never changed."""

    def __init__(self, parts: tuple[object, ...], inside: tuple[tuple[StructuralValue, ...], ...] = ()) -> None:
        """`parts`: the name of the kind, then everything that tells one from another. `inside`: those of them that are
        values, position by position."""
        self.weight = weight_of(inside) if inside else 1
        """How many values it is, those inside of it counted as often as they stand there."""
        self.generic = is_generic(inside) if inside else False
        """Whether a type variable is inside."""
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, StructuralValue) and self._hash == other._hash and self._parts == other._parts

    def __repr__(self) -> str:
        return f"{self._parts[0]}{self._parts[1:]}"


_V = TypeVar("_V", bound=StructuralValue)


def bounded(groups: tuple[tuple[_V, ...], ...]) -> tuple[tuple[_V, ...], ...]:
    """What a value holds, position by position; nothing where that is too much.

    An assignment that builds on itself, as `self.rows = (self.rows[0], *self.rows[1:])` in several branches, would give
    a value that grows with each look at it.
    """
    return groups if weight_of(groups) <= MAX_WEIGHT else ((),) * len(groups)


def weight_of(groups: tuple[tuple[_V, ...], ...]) -> int:
    """How many values one is that holds these."""
    found = 1
    for group in groups:
        for value in group:
            found += value.weight
    return found


def is_generic(groups: tuple[tuple[_V, ...], ...]) -> bool:
    """Whether a type variable is inside of a value that holds these."""
    for group in groups:
        for value in group:
            if value.generic:
                return True
    return False


@final
class DefinitionRef(StructuralValue):
    """A definition of a file by its unit's row; -1 is the module itself."""

    def __init__(self, file: FilePath, row: int) -> None:
        super().__init__(("Spot", file, row))
        self.file = file
        self.row = row


@final
class External(StructuralValue):
    """Something outside all known files, by dotted name: module, class, function or constant."""

    def __init__(self, dotted: str) -> None:
        super().__init__(("External", dotted))
        self.dotted = dotted


@final
class Module(StructuralValue):
    """A module with a file, as a value."""

    def __init__(self, file: FilePath) -> None:
        super().__init__(("Module", file))
        self.file = file


DefinitionRefs: TypeAlias = "tuple[DefinitionRef | External, ...]"


def some_of_each(answer: DefinitionRefs, nodes: Sequence[object], places: int) -> DefinitionRefs:
    """The first places of an answer, and one at least of each node; nothing where too many nodes are meant.

    `nodes`: what stands for each place of the answer.
    """
    first: dict[object, int] = {}
    for index, node in enumerate(nodes):
        first.setdefault(node, index)
        if len(first) > MAX_CANDIDATES:
            return ()
    chosen = set(first.values())
    for index in range(len(answer)):
        if len(chosen) >= places:
            break
        chosen.add(index)
    return tuple(answer[index] for index in sorted(chosen))


@final
class ResolvedOccurrence:
    """The answer for one occurrence."""

    def __init__(
        self,
        targets: DefinitionRefs,
        resolution: int = _LEXICAL,
        confidence: int = 100,
        rule: int = LOCAL_RULE,
        reason: int = _UNBOUND,
    ) -> None:
        self.targets = targets
        self.resolution = resolution
        self.confidence = confidence
        self.rule = rule
        self.reason = reason
