"""Outside uses: where a file uses what it brings in from outside the workspace.

Owns: uses and bindings of one file that stand for the same dotted name.
Must not know: LSP types, what is installed.
Invariant: looks at one file; another file that imports the same has a binding of its own.
"""

from __future__ import annotations

from collections.abc import Collection

import attrs

from graphls.facts.columns import NONE
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.symbol import import_binding


@attrs.frozen
class OutsideUses:
    """Stretches of one file, in source order."""

    bindings: tuple[tuple[int, int], ...]
    uses: tuple[tuple[int, int], ...]


def outside_uses(snapshot: Snapshot, path: FilePath, externals: Collection[str]) -> OutsideUses:
    """Uses of these dotted names in a file."""
    links, facts = snapshot.links(path), snapshot.facts(path)
    numbers = {number for number, name in enumerate(links.externals) if name in externals}
    targets, table = links.targets, facts.occurrences
    columns = zip(targets.occurrence, targets.symbol, targets.file, strict=True)
    rows = sorted({row for row, symbol, file in columns if symbol == EXTERNAL and file in numbers})
    bound = {row for row in rows if import_binding(facts, row) != NONE}
    return OutsideUses(
        tuple((table.start[row], table.end[row]) for row in rows if row in bound),
        tuple((table.start[row], table.end[row]) for row in rows if row not in bound),
    )
