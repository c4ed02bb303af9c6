"""Open totals: how often each name that a workspace defines is used without a known meaning, over all its files.

Owns: the sums over the open names of files, what an edit changes in them.
Must not know: questions, what checkers said, when files are linked.
Invariant: the sums of a snapshot are those of its entries alone, however they were arrived at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.open_names import KINDS, OpenKind, same_name
from graphls.languages.extract.yielding import yield_now
from graphls.session.link.link_entries import LinkEntry

Doubt = Callable[[FilePath, str], bool]
"""Whether a module that a file takes for one outside may be one of the workspace."""


@attrs.frozen(eq=False)
class OpenTotals:
    """Sums over the files of one language."""

    entries: Mapping[FilePath, LinkEntry]
    defined: Set[int]
    """Names that count: uses of others are of nothing here."""
    paths: object
    """What doubts about modules rest on."""
    sums: Mapping[int, int]
    """By number of a name with its kind."""

    def counts(self, name: int) -> tuple[int, ...]:
        """Uses of a name, given as `same_name` spells it, by OpenKind."""
        sums = self.sums
        return tuple([sums.get(name | kind, 0) for kind in range(KINDS)])


@attrs.frozen(eq=False)
class TotalsInput:
    """What sums are made of."""

    entries: Mapping[FilePath, LinkEntry]
    files: Collection[FilePath]
    defined: Set[int]
    paths: object
    doubt: Doubt


def open_totals(of: TotalsInput, before: OpenTotals | None = None) -> OpenTotals | None:
    """The sums over some files; None while one of them is not linked. `before`: those of an earlier state."""
    now = {path: entry for path in of.files if (entry := of.entries.get(path)) is not None}
    if len(now) < len(of.files):
        return None
    if before is None or before.defined is not of.defined or before.paths is not of.paths:
        return OpenTotals(now, of.defined, of.paths, _with({}, now, of, 1))
    old = {path: entry for path, entry in before.entries.items() if now.get(path) is not entry}
    new = {path: entry for path, entry in now.items() if before.entries.get(path) is not entry}
    if not old and not new:
        return before
    return OpenTotals(now, of.defined, of.paths, _with(_with(dict(before.sums), old, of, -1), new, of, 1))


def _with(sums: dict[int, int], entries: Mapping[FilePath, LinkEntry], of: TotalsInput, step: int) -> dict[int, int]:
    defined = of.defined
    for path, entry in entries.items():
        yield_now()
        names = entry.index.open
        for number in names.numbers:
            if same_name(number) in defined:
                sums[number] = sums.get(number, 0) + step
        doubtful = {number for number, module in enumerate(names.modules) if of.doubt(path, module)}
        if doubtful:
            for number, module, count in zip(names.outside, names.outside_modules, names.outside_counts, strict=True):
                if module in doubtful and same_name(number) in defined:
                    assert number & (KINDS - 1) == OpenKind.OUTSIDE
                    sums[number] = sums.get(number, 0) + step * count
    return sums
