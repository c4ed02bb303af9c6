"""Inline: what a function that has no name calls, in the place of a handler or of a test.

Owns: calls within a stretch of one file.
Must not know: rules, which framework runs the function.
Invariant: a call stands in the stretch itself, in code that runs when the function does, as far as its text says.
"""

from __future__ import annotations

from bisect import bisect_left

from graphls.analysis.frameworks.declared_nodes import Handler
from graphls.analysis.frameworks.dependency_recorder import node_index
from graphls.facts.kinds import DefinitionKind, EdgeKind, Resolution, Role
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef

MOST = 100
_CALLS = (EdgeKind.CALLS, EdgeKind.INSTANTIATES)
_TARGET_KINDS = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS)
_HOLDING = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT)
"""What is called by the name of a variable is what that holds: `export default traced(move)`."""
_INSIDE = 0.9


def calls_inside(
    snapshot: Snapshot, path: FilePath, span: tuple[int, int], *, outside_tests: bool = False
) -> tuple[Handler, ...]:
    """Functions and classes of the workspace that are called between two offsets, but declared elsewhere."""
    uses, own = snapshot.facts(path).occurrences, snapshot.facts(path).definitions
    rows = range(bisect_left(uses.start, span[0]), bisect_left(uses.start, span[1]))
    links = snapshot.own_links_at(path, rows)
    table, found = links.targets, list[Handler]()
    # Sorted by occurrence: a file of many tests is not gone through for each of them.
    first, last = bisect_left(table.occurrence, rows.start), bisect_left(table.occurrence, rows.stop)
    for row in range(first, last):
        symbol, number = table.symbol[row], table.file[row]
        use, by_name = table.occurrence[row], table.edge[row] in _CALLS
        if not (by_name or uses.role[use] == Role.CALL) or symbol in (EXTERNAL, WHOLE_MODULE) or len(found) >= MOST:
            continue
        file = FilePath(links.files[number])
        there = node_index(snapshot, file)
        numbers = there.addresses.rows if number == OWN_FILE else there.addresses.symbols
        definition = numbers[symbol] if symbol < len(numbers) else -1
        if definition < 0 or (outside_tests and is_test_file(file)):
            continue
        local = file == path and span[0] <= own.start[definition] < span[1]
        if local or there.kinds[definition] not in (_TARGET_KINDS if by_name else _HOLDING):
            continue
        confidence = round(table.confidence[row] / 100 * _INSIDE, 4)
        found.append(
            Handler(
                place=SymbolRef(file, definition),
                start=uses.start[use],
                end=uses.end[use],
                resolution=Resolution(table.resolution[row]).name.lower(),
                confidence=confidence,
                ambiguous=bool(table.ambiguous[row]),
            )
        )
    return tuple(found)
