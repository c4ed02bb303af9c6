"""Link index: what the links of one file lead to, as sorted numbers.

Owns: the numbers of ends and of unresolved names, searches in them.
Must not know: snapshots, which files there are, when links are made.
Invariant: a function of the file's links and facts; a file is found for an end exactly when a link of it leads there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from functools import lru_cache
from hashlib import blake2b

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.session.extraction import name_number

_REMEMBERED = 100_000


@attrs.frozen(eq=False)
class LinkIndex:
    """What one file's links lead to. Columns of 64-bit numbers, ascending."""

    ends: array[int]
    """Ends in other files, each once."""
    missing: array[int]
    """Names of member accesses that no rule resolves, one for each access."""

    def leads_to(self, end: int) -> bool:
        """Whether a link leads to an end."""
        at = bisect_left(self.ends, end)
        return at < len(self.ends) and self.ends[at] == end

    def count_missing(self, name: str) -> int:
        """Unresolved member accesses of a name."""
        number = name_number(name)
        return bisect_right(self.missing, number) - bisect_left(self.missing, number)

    def packed(self) -> tuple[bytes, bytes]:
        """The columns as bytes."""
        return self.ends.tobytes(), self.missing.tobytes()


def index_of(links: Links, facts: FileFacts) -> LinkIndex:
    """The index of the links of a file with these facts."""
    ends: set[tuple[int, int]] = set()
    for table in (links.targets, links.module_targets, links.overrides):
        ends.update(zip(table.file, table.symbol, strict=True))
    files = links.files
    numbers = {end_number(files[file], symbol) for file, symbol in ends if symbol != EXTERNAL and file != OWN_FILE}
    uses = facts.occurrences
    named = [facts.strings[uses.name[use]] for use in links.unresolved.occurrence if uses.base[use] != NONE]
    return LinkIndex(array("Q", sorted(numbers)), array("Q", sorted(map(name_number, named))))


def unpacked(ends: bytes, missing: bytes) -> LinkIndex:
    """The index that `packed` spelled. Raises ValueError for bytes of another length."""
    found = LinkIndex(array("Q"), array("Q"))
    found.ends.frombytes(ends)
    found.missing.frombytes(missing)
    return found


@lru_cache(_REMEMBERED)
def end_number(file: str, symbol: int) -> int:
    """64 bits that stand for a symbol of a file, on every machine alike."""
    spelled = f"{symbol}\t{file}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(spelled, digest_size=8).digest(), "little")
