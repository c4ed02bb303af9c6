"""Own range: which text of a declaration belongs to one of the names that it declares.

Owns: where a name's part of a declaration of several ends.
Must not know: rules, syntax, languages.
Invariant: parts of one declaration do not overlap; a declaration of one name is its own part.
"""

from __future__ import annotations

from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts


def own_range(facts: FileFacts, row: int) -> range:
    """The text of one definition, without what the same declaration gives to others: in `var a = f, b = g` that of `a`
    goes from its name to the next."""
    table = facts.definitions
    scope, start, end = table.scope[row], table.full_start[row], table.full_end[row]
    beside = [
        table.start[other]
        for other in rows_with(table.full_start, start)
        if table.full_end[other] == end and table.scope[other] == scope and other != row
    ]
    if not beside:
        return range(start, end)
    own = table.start[row]
    return range(own, min((name for name in beside if name > own), default=end))
