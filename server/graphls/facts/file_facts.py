"""File facts: everything one file says by itself.

Owns: the shape of FileFacts.
Must not know: other files, disk, settings, the clock.
Invariant: a pure function of (bytes, provider recipe).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import attrs

from graphls.facts.columns import (
    Bases,
    Column,
    Constructs,
    Decorators,
    Definitions,
    Dispatches,
    Expressions,
    Imports,
    ListItems,
    Lists,
    Literals,
    Metrics,
    Narrowings,
    Occurrences,
    Problems,
    Regions,
    Returns,
    Scopes,
)

FACTS_VERSION = 14
"""Raised whenever the meaning or shape of facts changes; part of every cache key."""


@attrs.frozen(eq=False)
class FileFacts:
    """Tables of one file. Offsets are bytes; strings are referred to by index."""

    strings: tuple[str, ...]
    scopes: Scopes
    definitions: Definitions
    occurrences: Occurrences
    expressions: Expressions
    lists: Lists
    items: ListItems
    decorators: Decorators
    bases: Bases
    returns: Returns
    imports: Imports
    regions: Regions
    narrowings: Narrowings
    dispatches: Dispatches
    metrics: Metrics
    literals: Literals
    constructs: Constructs
    problems: Problems
    lines: Column
    """Byte offset of the start of every line, as an editor counts lines."""
    size: int
    ascii: bool
    doc: str
    """Documentation of the file as a whole."""
    generated: bool
    """The file says that a tool wrote it."""

    def with_surface_rows(self, symbols: Column) -> FileFacts:
        """The same, with the rows in the file's surface of each definition."""
        made = object.__new__(FileFacts)
        for name in _FIELDS:
            object.__setattr__(made, name, getattr(self, name))
        object.__setattr__(made, "definitions", self.definitions.with_column("surface", symbols))
        return made

    def list_at(self, row: int) -> Sequence[int]:
        """The items of one list; empty for -1."""
        return self.items.value[self.lists.start[row] : self.lists.end[row]] if row >= 0 else ()

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and byte column, both from 0, of an offset."""
        line = bisect_right(self.lines, offset) - 1
        return line, offset - self.lines[line]


_FIELDS = tuple(field.name for field in attrs.fields(FileFacts))
