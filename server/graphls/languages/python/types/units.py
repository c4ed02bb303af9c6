"""Units: one file as resolution of Python sees it.

Owns: what lookups in a file have found.
Must not know: the rules by which they find it.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.python.types import flags
from graphls.languages.resolve import units

_SHORT: Final = 40
"""Characters of a string that may be one of a few that an annotation allows."""


class GivenArguments(NamedTuple):
    """What a call gives: expressions by position, and by name."""

    positional: Sequence[int] = ()
    named: Sequence[tuple[str, int]] = ()


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
        """An argument by name, -1 for none."""
        return next((row for given, row in self.keywords(call) if given == name), -1)

    def literal_text(self, expression: int) -> str | None:
        """What a plain string says, where it is short."""
        table = self.expressions
        if expression < 0 or table.kind[expression] != LITERAL_EXPRESSION or table.b[expression] < 0:
            return None
        text = self.strings[table.b[expression]]
        return text if self.strings[table.a[expression]] == "str" and len(text) < _SHORT else None

    def given(self, call: int) -> GivenArguments:
        """All arguments of a call."""
        return GivenArguments(self.positional(call), self.keywords(call))

    def keywords(self, call: int) -> list[tuple[str, int]]:
        """The arguments of a call by name; a mapping that is spread into it under `**`."""
        names = self.expressions.c[call]
        if names < 0:
            return []
        given = zip(self.list_at(names), self.list_at(self.expressions.b[call]), strict=True)
        return [(self.strings[number], row) for number, row in given if number >= 0]

    def overloads(self, row: int) -> tuple[int, ...]:
        """Overloads that have the name and scope of a row, in source order."""
        key = (self.scope[row], self.name[row])
        found = self._overloads.get(key)
        if found is None:
            rows = self.members(key[0]).get(self.text(row), ())
            found = self._overloads[key] = tuple(other for other in rows if self.flags[other] & flags.OVERLOAD)
        return found
