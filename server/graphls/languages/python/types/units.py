"""Units: one file as resolution of Python sees it.

Owns: what lookups in a file have found.
Must not know: the rules by which they find it.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

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

    def overloads(self, row: int) -> tuple[int, ...]:
        """Overloads that have the name and scope of a row, in source order."""
        key = (self.scope[row], self.name[row])
        found = self._overloads.get(key)
        if found is None:
            rows = self.members(key[0]).get(self.text(row), ())
            found = self._overloads[key] = tuple(other for other in rows if self.flags[other] & flags.OVERLOAD)
        return found
