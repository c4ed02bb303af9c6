"""Receiver calls: which members of its own object a method calls.

Owns: that, by name, for the methods of one file that others can see.
Must not know: classes above and below, what is called on anything else.
Invariant: a function of the facts of one file; a method that calls nothing on its object is not listed.

    class Client:
        def get(self, url):
            return self.open(url)    # `get` calls `open` of whatever class the object is of
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role

_RECEIVER: Final = int(DefinitionFlag.RECEIVER)


def receiver_calls(facts: FileFacts) -> Mapping[int, Set[str]]:
    """Methods, as rows of the file's surface -> names of the members that they call on their object."""
    uses, expressions, strings, table = facts.occurrences, facts.expressions, facts.strings, facts.definitions
    receivers = _receivers(facts)
    if not receivers:
        return {}
    found: dict[int, set[str]] = {}
    for use, (role, base) in enumerate(zip(uses.role, uses.base, strict=True)):
        if role != Role.CALL or base < 0 or expressions.kind[base] != ExpressionKind.NAME:
            continue
        method = _method_around(facts, uses.scope[use], receivers, expressions.a[base])
        if method >= 0 and table.surface[method] >= 0:
            found.setdefault(table.surface[method], set()).add(strings[uses.name[use]])
    return found


def _receivers(facts: FileFacts) -> Mapping[int, int]:
    """Bodies of methods -> the name, as a row of strings, that they give to their object."""
    table = facts.definitions
    return {
        table.scope[row]: table.name[row]
        for row, (kind, flags) in enumerate(zip(table.kind, table.flags, strict=True))
        if kind == DefinitionKind.PARAMETER and flags & _RECEIVER
    }


def _method_around(facts: FileFacts, scope: int, receivers: Mapping[int, int], name: int) -> int:
    """The method whose object a name stands for in a scope; -1 for none."""
    while scope != NONE:
        if receivers.get(scope) == name:
            return facts.scopes.owner[scope]
        scope = facts.scopes.parent[scope]
    return -1
