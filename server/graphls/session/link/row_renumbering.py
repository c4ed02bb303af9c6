"""Row renumbering: links into files whose symbols have other rows now.

Owns: the rows in links and in their index, where something was put between the definitions of a file they lead to.
Must not know: how links are made, which files differ.
Invariant: what comes out is what linking the file anew would give, whose links lead to none of the rows that are gone.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Mapping

import attrs

from graphls.facts.codec import encode
from graphls.facts.columns import Column, column
from graphls.facts.links import OWN_FILE, Targets
from graphls.facts.paths import FilePath
from graphls.session.link.link_entries import LinkEntry
from graphls.session.link.link_index import end_number


@attrs.frozen(eq=False)
class RowRenumbering:
    """Rows of symbols of several files that are others now."""

    rows: Mapping[FilePath, Mapping[int, int]]
    """All that are still there, old to new."""
    ends: Mapping[int, int]
    """The same as numbers of ends, where they differ."""
    gone: frozenset[int]
    """Numbers of the others."""


def renumbering(rows: Mapping[FilePath, Mapping[int, int]], counts: Mapping[FilePath, int]) -> RowRenumbering:
    """`counts`: how many rows there were."""
    ends: dict[int, int] = {}
    gone: set[int] = set()
    for path, moved in rows.items():
        for old in range(counts[path]):
            new = moved.get(old)
            if new is None:
                gone.add(end_number(path, old))
            elif new != old:
                ends[end_number(path, old)] = end_number(path, new)
    return RowRenumbering(rows, ends, frozenset(gone))


def renumber_entry(entry: LinkEntry, by: RowRenumbering) -> LinkEntry | None:
    """The entry with the rows of today, its digests as they were; None when it leads to what is gone.

    Raises CodecError.
    """
    ends = entry.index.ends
    if not by.gone.isdisjoint(ends):
        return None
    if by.ends.keys().isdisjoint(ends):
        return entry
    links = entry.links()
    rows = [by.rows.get(FilePath(path)) for path in links.files]
    rows[OWN_FILE] = None
    made = attrs.evolve(
        links,
        targets=_targets(links.targets, rows),
        module_targets=_targets(links.module_targets, rows),
        implicit=_targets(links.implicit, rows),
        overrides=attrs.evolve(links.overrides, symbol=_symbols(links.overrides.file, links.overrides.symbol, rows)),
    )
    renamed = sorted(
        (by.ends.get(end, end), name) for end, name in zip(entry.index.renamed, entry.index.renamed_names, strict=True)
    )
    index = attrs.evolve(
        entry.index,
        ends=array("Q", sorted(by.ends.get(end, end) for end in ends)),
        renamed=array("Q", [end for end, _ in renamed]),
        renamed_names=tuple(name for _, name in renamed),
    )
    return attrs.evolve(entry, encoded=zlib.compress(encode(made), 1), index=index)


def _targets(table: Targets, rows: list[Mapping[int, int] | None]) -> Targets:
    return attrs.evolve(table, symbol=_symbols(table.file, table.symbol, rows))


def _symbols(files: Column, symbols: Column, rows: list[Mapping[int, int] | None]) -> Column:
    """Symbols below 0 stand for no row: then `file` is not always one."""
    return column(
        symbol if symbol < 0 or (moved := rows[file]) is None else moved[symbol]
        for file, symbol in zip(files, symbols, strict=True)
    )
