"""Outside uses: where a file uses what it brings in from outside the workspace.

Owns: uses and bindings of one file that stand for the same dotted name.
Must not know: LSP types, what is installed.
Invariant: looks at one file; another file that imports the same has a binding of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.links import EXTERNAL, Links
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
    facts = snapshot.facts(path)
    table, rows = facts.occurrences, _rows(snapshot.links(path), externals)
    bound = {row for row in rows if import_binding(facts, row) != NONE}
    return OutsideUses(
        tuple((table.start[row], table.end[row]) for row in rows if row in bound),
        tuple((table.start[row], table.end[row]) for row in rows if row not in bound),
    )


def outside_bindings(snapshot: Snapshot, path: FilePath, externals: Collection[str]) -> tuple[tuple[int, int], ...]:
    """Bindings alone, for which no whole file has to be linked."""
    facts = snapshot.facts(path)
    table, definitions = facts.occurrences, facts.definitions
    imports = (start for start, kind in zip(definitions.start, definitions.kind, strict=True) if kind == _IMPORT)
    feeding = {bisect_right(table.start, start) - 1 for start in imports} - {-1}
    # `export = name` binds where no name is: the name before it feeds nothing.
    feeding = {row for row in feeding if table.role[row] in _FEEDING}
    bound = {row for row in feeding if import_binding(facts, row) != NONE}
    rows = _rows(snapshot.links_at(path, bound), externals)
    return tuple((table.start[row], table.end[row]) for row in rows if row in bound)


def _rows(links: Links, externals: Collection[str]) -> list[int]:
    """Occurrences that mean one of these names."""
    numbers = {number for number, name in enumerate(links.externals) if name in externals}
    columns = zip(links.targets.occurrence, links.targets.symbol, links.targets.file, strict=True)
    return sorted({row for row, symbol, file in columns if symbol == EXTERNAL and file in numbers})


_IMPORT = DefinitionKind.IMPORT
_FEEDING = frozenset((Role.IMPORT, Role.EXPORT))
