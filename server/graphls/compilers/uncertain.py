"""Uncertain: which sites of a file a checker should settle.

Owns: that one decision, and the sample of certain sites that keeps the rules honest.
Must not know: checkers, snapshots, time.
Invariant: a function of the file's facts and own links.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Resolution, Role
from graphls.facts.links import Links
from graphls.graph.snapshot import rows_of

_SURE = 90
_SAMPLE = 97
"""One certain site in so many is asked as well. Prime, so that no layout of code falls in step with it."""
_SILENT_ROLES = frozenset({Role.EXPORT, Role.TEXT})
"""Strings: no checker leads anywhere from them."""
_GUESSES = frozenset({Resolution.INFERRED, Resolution.NAME})


def uncertain_rows(facts: FileFacts, links: Links) -> Column:
    """Rows of occurrences that are unresolved, or whose target graphls inferred or cannot tell from others; sorted."""
    roles, table = facts.occurrences.role, links.targets
    found = set(links.unresolved.occurrence)
    columns = zip(table.occurrence, table.resolution, table.ambiguous, table.confidence, strict=True)
    for row, resolution, ambiguous, confidence in columns:
        if resolution in _GUESSES or ambiguous or confidence < _SURE:
            found.add(row)
    return column(row for row in sorted(found) if roles[row] not in _SILENT_ROLES)


def uncertain_among(facts: FileFacts, links: Links, rows: Collection[int]) -> list[int]:
    """Those of some rows that are uncertain; looks at no others."""
    roles, table, unresolved = facts.occurrences.role, links.targets, links.unresolved.occurrence
    found: list[int] = []
    for row in sorted(set(rows)):
        if roles[row] in _SILENT_ROLES:
            continue
        at = bisect_left(unresolved, row)
        doubtful = at < len(unresolved) and unresolved[at] == row
        for target in rows_of(table, row):
            guess = table.resolution[target] in _GUESSES or table.ambiguous[target]
            doubtful = doubtful or bool(guess) or table.confidence[target] < _SURE
        if doubtful:
            found.append(row)
    return found


def sample_rows(facts: FileFacts) -> Column:
    """Rows that are asked whatever graphls thinks of them, to measure how often it is right."""
    roles = facts.occurrences.role
    return column(row for row in range(_SAMPLE // 2, len(roles), _SAMPLE) if roles[row] not in _SILENT_ROLES)
