"""Definers: which files of one language define a name.

Owns: names that files define, by number, and the way back from a name to files.
Must not know: what is defined, who asks.
Invariant: a function of the contents of the files; two states whose files define the same names give the same answers.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Set
from hashlib import blake2b

import attrs

from graphls.facts.name_numbers import hashed_name
from graphls.facts.paths import FilePath

NEXT = "\n"
"""Between the entries of the answer to a lookup."""
_MOST_NAMED = 64
"""Files that are written down by name."""


@attrs.define
class Definers:
    """Files by the names that they define."""

    columns: Mapping[FilePath, bytes]
    """Numbers of the names that each file defines."""
    _files: dict[int, tuple[FilePath, ...]] | None = attrs.field(default=None, init=False, eq=False, repr=False)
    _records: dict[int, str] = attrs.field(factory=dict[int, str], init=False, eq=False, repr=False)

    def with_columns(self, columns: Mapping[FilePath, bytes]) -> Definers:
        """The same in another state; itself where nothing differs."""
        return self if columns == self.columns else Definers(columns)

    def files(self, number: int) -> tuple[FilePath, ...]:
        """Files that define a name, by its number, sorted."""
        if self._files is None:
            found: dict[int, list[FilePath]] = {}
            for file in sorted(self.columns):
                for one in array("Q", self.columns[file]):
                    found.setdefault(one, []).append(file)
            self._files = {one: tuple(files) for one, files in found.items()}
        return self._files.get(number, ())

    def record(self, number: int) -> str:
        """The same as lookups write it down."""
        known = self._records.get(number)
        if known is None:
            known = self._records[number] = record_of(self.files(number))
        return known


def record_of(files: Collection[FilePath]) -> str:
    """Files as lookups write them down: their names, of many a digest. Where each of many files asks for all of them,
    names would fill a square."""
    text = NEXT.join(files)
    if len(files) <= _MOST_NAMED:
        return text
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def number_of(name: str) -> int:
    """The number of a name."""
    return hashed_name(name)


def changed_numbers(old: Definers | None, new: Definers | None) -> Set[int]:
    """Names that other files define now."""
    if old is new:
        return frozenset()
    nothing: Mapping[FilePath, bytes] = {}
    before = nothing if old is None else old.columns
    after = nothing if new is None else new.columns
    found: set[int] = set()
    for file in before.keys() | after.keys():
        one, other = before.get(file, b""), after.get(file, b"")
        if one != other:
            found |= set(array("Q", one)) ^ set(array("Q", other))
    return found
