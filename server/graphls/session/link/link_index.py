"""Link index: what the links of one file lead to, as sorted numbers.

Owns: the numbers of ends, searches in them.
Must not know: snapshots, which files there are, when links are made.
Invariant: a function of the file's links and facts; a file is found for an end exactly when a link of it leads there.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import attrs

from graphls.compilers.configuration import packages_read
from graphls.compilers.uncertain import is_any_uncertain
from graphls.facts.codec import decode, encode
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.import_rows import import_rows, packed_import_rows
from graphls.graph.nodes import last_name, passed_occurrence
from graphls.graph.open_names import OpenNames, PackedNames, open_names_of
from graphls.graph.snapshot import rows_of

_REMEMBERED = 100_000
_DEFAULT = "default"
_IMPORT = int(DefinitionKind.IMPORT)
_AS_DEFAULT = int(DefinitionFlag.DEFAULT_EXPORT)


@attrs.frozen(eq=False)
class LinkIndex:
    """What one file's links lead to, and what leads nowhere."""

    ends: array[int]
    """Ends in other files as 64-bit numbers, ascending, each once."""
    open: OpenNames
    """Uses that lead nowhere."""
    renamed: array[int]
    """Ends that the file passes on under another name, as numbers, ascending."""
    renamed_names: tuple[str, ...]
    """Beside `renamed`: that name."""
    uncertain: bool
    """Whether a checker should settle some use."""
    imports: bytes = attrs.field(repr=False)
    """Packed import rows."""

    def leads_to(self, end: int) -> bool:
        """Whether a link leads to an end."""
        at = bisect_left(self.ends, end)
        return at < len(self.ends) and self.ends[at] == end

    def names_of(self, end: int) -> Sequence[str]:
        """Other names under which the file passes on an end."""
        at = bisect_left(self.renamed, end)
        last = at
        while last < len(self.renamed) and self.renamed[last] == end:
            last += 1
        return self.renamed_names[at:last]


@attrs.frozen(eq=False)
class _PackedIndex:
    """All but the ends, as it is kept and sent."""

    open: bytes
    renamed: bytes
    renamed_names: tuple[str, ...]
    uncertain: bool
    imports: bytes


def index_of(links: Links, facts: FileFacts) -> LinkIndex:
    """The index of the links of a file with these facts."""
    ends: set[tuple[int, int]] = set()
    for table in (links.targets, links.module_targets, links.implicit, links.overrides):
        ends.update(zip(table.file, table.symbol, strict=True))
    files = links.files
    numbers = {end_number(files[file], symbol) for file, symbol in ends if symbol != EXTERNAL and file != OWN_FILE}
    passed = sorted(_renamed(links, facts))
    return LinkIndex(
        array("Q", sorted(numbers)),
        open_names_of(facts, links),
        array("Q", [number for number, _ in passed]),
        tuple(name for _, name in passed),
        is_any_uncertain(facts, links, packages_read(FilePath(files[OWN_FILE]))),
        packed_import_rows(import_rows(facts, links)),
    )


def _renamed(links: Links, facts: FileFacts) -> Iterator[tuple[int, str]]:
    """What a file passes on under another name, or as its default."""
    table, targets, strings = facts.definitions, links.targets, facts.strings
    for row, kind in enumerate(table.kind):
        value = table.value[row]
        if kind != _IMPORT or value < 0 or not (table.surface[row] >= 0 or table.flags[row] & _AS_DEFAULT):
            continue
        name = _DEFAULT if table.flags[row] & _AS_DEFAULT else strings[table.name[row]]
        if name != _DEFAULT and name == last_name(facts, value):
            continue
        use = passed_occurrence(facts, row)
        for target in rows_of(targets, use) if use != NONE else ():
            file, symbol = targets.file[target], targets.symbol[target]
            if file == OWN_FILE and symbol >= 0:
                symbol = table.surface[symbol]
            if symbol >= WHOLE_MODULE:
                yield end_number(links.files[file], symbol), name


def packed_index(index: LinkIndex) -> tuple[bytes, bytes]:
    """The columns as bytes."""
    packed = _PackedIndex(
        encode(index.open.packed()), index.renamed.tobytes(), index.renamed_names, index.uncertain, index.imports
    )
    return index.ends.tobytes(), encode(packed)


def unpacked_index(ends: bytes, opened: bytes) -> LinkIndex:
    """The index that `packed_index` spelled. Raises CodecError, and ValueError for bytes of another length."""
    packed = decode(_PackedIndex, opened)
    names = tuple(map(sys.intern, packed.renamed_names))
    opened_names = decode(PackedNames, packed.open).unpacked()
    found = LinkIndex(array("Q"), opened_names, array("Q"), names, packed.uncertain, packed.imports)
    found.ends.frombytes(ends)
    found.renamed.frombytes(packed.renamed)
    return found


@lru_cache(_REMEMBERED)
def end_number(file: str, symbol: int) -> int:
    """64 bits that stand for a symbol of a file, on every machine alike."""
    spelled = f"{symbol}\t{file}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(spelled, digest_size=8).digest(), "little")
