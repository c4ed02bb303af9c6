"""Units: one file as resolution of Python sees it.

Owns: what lookups in a file have found.
Must not know: the rules by which they find it.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.python.types import flags
from graphls.languages.resolve import units


class PyUnit(units.Unit):
    """Names, scopes, expressions of one file."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        super().__init__(file, source)
        self.found: dict[tuple[int, str], tuple[int, ...]] = {}
        """Rows that a name means in a scope."""
        self._overloads: dict[tuple[int, int], tuple[int, ...]] = {}

    def positional(self, call: int) -> Sequence[int]:
        """The arguments of a call by position."""
        arguments, names = self.list_at(self.expressions.b[call]), self.expressions.c[call]
        return arguments if names < 0 else arguments[: list(self.list_at(names)).count(-1)]

    def named(self, call: int, name: str) -> int:
        """An argument by name of a decorator or of `TypeVar`, -1 for none: elsewhere these are not listed."""
        names = self.expressions.c[call]
        if names < 0:
            return -1
        given = zip(self.list_at(names), self.list_at(self.expressions.b[call]), strict=True)
        return next((row for number, row in given if number >= 0 and self.strings[number] == name), -1)

    def overloads(self, row: int) -> tuple[int, ...]:
        """Overloads that have the name and scope of a row, in source order."""
        key = (self.scope[row], self.name[row])
        found = self._overloads.get(key)
        if found is None:
            rows = self.members(key[0]).get(self.text(row), ())
            found = self._overloads[key] = tuple(other for other in rows if self.flags[other] & flags.OVERLOAD)
        return found
