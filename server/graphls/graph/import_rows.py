"""Import rows: which files each line of a file imports, and when it does so, by the file's own links.

Owns: these rows, their packed form.
Must not know: other files, names of modules, who counts.
Invariant: a function of the file's facts and links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, cast

from graphls.facts.codec import decode_plain, encode_plain
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, ImportFlag
from graphls.facts.links import EXTERNAL, WHOLE_MODULE, Links

LOADING, RUNNING, CHECKING = range(3)
"""When an import runs: while the module loads; inside of a function; for a type checker only."""
ImportRow: TypeAlias = "tuple[int, str, int]"
"""The line from 1; the file; when."""
_CHECKS, _RUNS = int(ImportFlag.TYPE_CHECKING), int(ImportFlag.LOCAL)
_IMPORTS: Final = int(EdgeKind.IMPORTS)


def import_rows(facts: FileFacts, links: Links) -> tuple[ImportRow, ...]:
    """Those of one file, in order. A line that brings in a file several times does so at the earliest."""
    found = dict[tuple[int, str], int]()
    for start, file, flags in _sites(facts, links):
        key = (facts.line_column(min(start, facts.size))[0] + 1, links.files[file])
        found[key] = min(_when(flags), found.get(key, CHECKING))
    return tuple(sorted((*key, when) for key, when in found.items()))


def packed_import_rows(rows: Sequence[ImportRow]) -> bytes:
    return encode_plain(rows)


def unpacked_import_rows(raw: bytes) -> Sequence[ImportRow]:
    """Raises CodecError."""
    return cast("Sequence[ImportRow]", decode_plain(raw))


def _sites(facts: FileFacts, links: Links) -> Iterator[tuple[int, int, int]]:
    """Start, file and flags. A module that no use of the file spells is brought in where the import stands."""
    targets, brought, imports = links.targets, links.module_targets, facts.imports
    rows: dict[int, list[int]] = {}
    for row, file, symbol in zip(brought.occurrence, brought.file, brought.symbol, strict=True):
        if symbol != EXTERNAL:
            rows.setdefault(file, []).append(row)
    flagged, spelled = any(imports.flags), set[int]()
    for edge, use, file, symbol in zip(targets.edge, targets.occurrence, targets.file, targets.symbol, strict=True):
        if edge != _IMPORTS or symbol == EXTERNAL:
            continue
        start = facts.occurrences.start[use]
        if symbol == WHOLE_MODULE:
            spelled.add(file)
        yield start, file, _flags_at(imports.start, imports.flags, rows.get(file, ()), start) if flagged else 0
    for row, file, symbol in zip(brought.occurrence, brought.file, brought.symbol, strict=True):
        if symbol == WHOLE_MODULE and file not in spelled:
            yield imports.start[row], file, imports.flags[row]


def _flags_at(starts: Sequence[int], flags: Sequence[int], rows: Sequence[int], start: int) -> int:
    """Of the import of a module that is the nearest to a place."""
    return flags[min(rows, key=lambda row: abs(starts[row] - start))] if rows else 0


def _when(flags: int) -> int:
    return CHECKING if flags & _CHECKS else RUNNING if flags & _RUNS else LOADING
