"""Library calls: what functions of a library call and read on their object, which of their arguments they call, and
what they call on these.

Owns: all of it, by name, for the functions of one file that others can see.
Must not know: classes above and below, what else is called, what arguments are given.
Invariant: a function of the facts of one file; a function that calls nothing of a kind is not listed there.

    class Client:
        def get(self, url, callback):
            reply = self.open(url)    # `get` calls `open` of whatever class the object is of,
            callback(reply)           # and what it is given second, or as `callback`;
            url.resolve()             # of what it is given first, or as `url`, it calls `resolve`
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind

_READ: Final = frozenset((DefinitionKind.FIELD, DefinitionKind.PROPERTY, DefinitionKind.CONSTANT))
_INSTANCE: Final = int(DefinitionFlag.INSTANCE)
_RECEIVER: Final = int(DefinitionFlag.RECEIVER)
_NAMED: Final = int(DefinitionFlag.KEYWORD_ONLY | DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS)
_OBJECT: Final = -2
_NO_PARAMETERS: Final[Mapping[int, int]] = {}


@attrs.frozen
class LibraryCalls:
    """By rows of the file's surface."""

    receiver: Mapping[int, Set[str]]
    """Methods -> names of the members that they call on their object."""
    reads: Mapping[int, Set[str]]
    """The same -> names of the members that they read, of those that classes of the file declare."""
    arguments: Mapping[int, Set[str]]
    """Functions -> the arguments that they call: by name, and by position where they have one."""
    members: Mapping[int, Mapping[str, Set[str]]]
    """Functions -> arguments, named as above -> names of the members that they call on these."""


NO_CALLS: Final = LibraryCalls({}, {}, {}, {})


def library_calls(facts: FileFacts) -> LibraryCalls:
    """Those of one file."""
    uses, expressions, surface = facts.occurrences, facts.expressions, facts.definitions.surface
    parameters = _parameters(facts)
    receiver: dict[int, set[str]] = {}
    reads: dict[int, set[str]] = {}
    declared = _declared(facts)
    arguments: dict[int, set[str]] = {}
    members: dict[int, dict[str, set[str]]] = {}
    for use, (role, base) in enumerate(zip(uses.role, uses.base, strict=True)):
        is_call = role == Role.CALL
        if not is_call and (role != Role.READ or base < 0 or uses.name[use] not in declared):
            continue
        if base >= 0 and expressions.kind[base] != ExpressionKind.NAME:
            continue
        name = uses.name[use] if base < 0 else expressions.a[base]
        function, place = _parameter_at(facts, uses.scope[use], parameters, name)
        row = surface[function] if function >= 0 else -1
        if row < 0:
            continue
        if base >= 0 and place == _OBJECT:
            (receiver if is_call else reads).setdefault(row, set()).add(facts.strings[uses.name[use]])
        elif is_call and place != _OBJECT:
            named = {facts.strings[name]} if place < 0 else {facts.strings[name], str(place)}
            if base < 0:
                arguments.setdefault(row, set()).update(named)
                continue
            of_function = members.setdefault(row, {})
            for argument in named:
                of_function.setdefault(argument, set()).add(facts.strings[uses.name[use]])
    return LibraryCalls(receiver, reads, arguments, members)


def _declared(facts: FileFacts) -> Set[int]:
    """Names of what classes declare that is read without a call, as rows of strings."""
    table, scopes = facts.definitions, facts.scopes
    return {
        table.name[row]
        for row, kind in enumerate(table.kind)
        if kind in _READ and not table.flags[row] & _INSTANCE and scopes.kind[table.scope[row]] == ScopeKind.CLASS
    }


def _parameters(facts: FileFacts) -> Mapping[int, Mapping[int, int]]:
    """Bodies of functions -> names of their parameters, as rows of strings -> the position among the arguments,
    -1 for none, or that it is the object."""
    table = facts.definitions
    found: dict[int, dict[int, int]] = {}
    for row, (kind, flags) in enumerate(zip(table.kind, table.flags, strict=True)):
        if kind != DefinitionKind.PARAMETER:
            continue
        known = found.setdefault(table.scope[row], {})
        before = sum(place != _OBJECT for place in known.values())
        is_named = bool(flags & _NAMED) or -1 in known.values()
        known[table.name[row]] = _OBJECT if flags & _RECEIVER else -1 if is_named else before
    return found


def _parameter_at(
    facts: FileFacts, scope: int, parameters: Mapping[int, Mapping[int, int]], name: int
) -> tuple[int, int]:
    """The function whose parameter a name is in a scope, and its position; -1 for none. What is bound anew in between
    is not told from it."""
    while scope != NONE:
        place = parameters.get(scope, _NO_PARAMETERS).get(name)
        if place is not None:
            return facts.scopes.owner[scope], place
        scope = facts.scopes.parent[scope]
    return -1, -1
