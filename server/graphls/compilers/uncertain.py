"""Uncertain: which sites of a file a checker should settle.

Owns: that one decision, and the sample of certain sites that keeps the rules honest.
Must not know: checkers, snapshots, time.
Invariant: a function of the file's facts and own links.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Resolution, Role
from graphls.facts.links import EXTERNAL, Links
from graphls.graph.snapshot import rows_of

_SURE = 90
_SAMPLE = 97
"""One certain site in so many is asked as well. Prime, so that no layout of code falls in step with it."""
_SILENT_ROLES = frozenset({Role.EXPORT, Role.TEXT})
"""Strings: no checker leads anywhere from them."""
_GUESSES = frozenset({Resolution.INFERRED, Resolution.NAME})


def uncertain_rows(facts: FileFacts, links: Links, packages: bool = True) -> Column:
    """Rows of occurrences that are unresolved, or whose target graphls inferred or cannot tell from others; sorted.
    Without `packages`, graphls does not read what is installed, and names imported from there are uncertain too."""
    found = {*links.unresolved.occurrence, *_doubtful(facts, links, range(len(links.targets)), packages)}
    roles = facts.occurrences.role
    return column(row for row in sorted(found) if roles[row] not in _SILENT_ROLES)


def is_any_uncertain(facts: FileFacts, links: Links, packages: bool = True) -> bool:
    """Whether `uncertain_rows` has any."""
    roles, open_ends = facts.occurrences.role, links.unresolved.occurrence
    if any(roles[row] not in _SILENT_ROLES for row in open_ends):
        return True
    doubtful = _doubtful(facts, links, range(len(links.targets)), packages)
    return any(roles[row] not in _SILENT_ROLES for row in doubtful)


def uncertain_among(facts: FileFacts, links: Links, rows: Collection[int], packages: bool = True) -> list[int]:
    """Those of some rows that are uncertain; looks at no others."""
    roles, unresolved = facts.occurrences.role, links.unresolved.occurrence
    found: list[int] = []
    for row in sorted(set(rows)):
        if roles[row] in _SILENT_ROLES:
            continue
        at = bisect_left(unresolved, row)
        open_end = at < len(unresolved) and unresolved[at] == row
        if open_end or list(_doubtful(facts, links, rows_of(links.targets, row), packages)):
            found.append(row)
    return found


def _doubtful(facts: FileFacts, links: Links, targets: range, packages: bool) -> Iterator[int]:
    """Occurrences of those targets that a checker may know better."""
    table, roles = links.targets, facts.occurrences.role
    before = -1
    for target in targets:
        row = table.occurrence[target]
        guess = table.resolution[target] in _GUESSES or table.ambiguous[target] or table.confidence[target] < _SURE
        unread = table.symbol[target] == EXTERNAL and table.resolution[target] == Resolution.IMPORT
        signature = row == before and roles[row] == Role.CALL
        if guess or signature or (unread and not packages):
            yield row
        before = row


def sample_rows(facts: FileFacts) -> Column:
    """Rows that are asked whatever graphls thinks of them, to measure how often it is right."""
    roles = facts.occurrences.role
    return column(row for row in range(_SAMPLE // 2, len(roles), _SAMPLE) if roles[row] not in _SILENT_ROLES)
