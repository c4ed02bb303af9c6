"""Grouped middleware: what groups of routes put before those that are registered inside of them.

Owns: groups as calls with a function in them (`r.Group(func(r chi.Router) {...})`), as variables
    (`v1 := r.Group("/v1", auth)`), and for one route (`r.With(auth).Get(...)`).
Must not know: layout, what an entry runs.
Invariant: a group is around an entry by its brackets, or named by the variable that the entry is registered with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot
from graphls.queries.middleware import Middleware, given_names, named
from graphls.queries.response_keys import closed_at, parts_of

_NESTED: Final = re.compile(r"\b([\w.]+)\s*\.\s*(?:With\s*(?P<with>\())?(?(with)|(?:Group|Route)\s*(?P<group>\())")
_GROUP_AFTER: Final = re.compile(r"\s*\.\s*(?:Group|Route)\s*(?=\()")
_PARAMETER: Final = re.compile(r"func\s*\(\s*(\w+)\s")
_MADE_GROUP: Final = r"\b{0}\s*:?=\s*([\w.]+)\s*\.\s*(?:Group|With)\s*(?=\()"
_ONCE: Final = re.compile(r"\b([\w.]+)\s*\.\s*With\s*(?=\()")


@attrs.frozen
class Group:
    """`base`: what the group is made of, at a place; `put`: what it runs before its routes."""

    base: str
    at: int
    put: tuple[Middleware, ...]


def group_around(snapshot: Snapshot, file: FilePath, text: str, name: str, at: int) -> Group | None:
    """The innermost call whose function has a parameter of this name and holds a place."""
    found: Group | None = None
    for call in _NESTED.finditer(text, 0, at):
        opening = call.start("with") if call["with"] else call.start("group")
        put: tuple[Middleware, ...] = ()
        closed = closed_at(text, opening)
        if call["with"]:
            after = _GROUP_AFTER.match(text, closed) if closed > 0 else None
            if after is None:
                continue
            put = tuple(_names(snapshot, file, text, opening, closed))
            opening, closed = after.end(), closed_at(text, after.end())
        if closed < at:
            continue
        for first, last in parts_of(text, opening + 1, closed - 1):
            parameter = _PARAMETER.match(text, first, last)
            if parameter is not None and parameter[1] == name and first < at < last:
                found = Group(call[1], call.start(), put)
    return found


def group_named(snapshot: Snapshot, file: FilePath, text: str, name: str, at: int) -> Group | None:
    """The group that a variable holds, made last before a place."""
    made = list(re.finditer(_MADE_GROUP.format(re.escape(name)), text[:at]))
    closed = closed_at(text, made[-1].end()) if made else -1
    if closed < 0:
        return None
    return Group(made[-1][1], made[-1].start(), tuple(_names(snapshot, file, text, made[-1].end(), closed)))


def once_before(snapshot: Snapshot, file: FilePath, text: str, node: DerivedNode) -> Group | None:
    """What stands in `r.With(auth)` where a route is declared on that."""
    call = _ONCE.match(text, node.full_start, node.full_end)
    closed = closed_at(text, call.end()) if call is not None else -1
    if call is None or closed < 0:
        return None
    return Group(call[1], call.start(), tuple(_names(snapshot, file, text, call.end(), closed)))


def _names(snapshot: Snapshot, file: FilePath, text: str, opening: int, closed: int) -> Iterator[Middleware]:
    for first, last in parts_of(text, opening + 1, closed - 1):
        for what, end in given_names(text, first, last) if text[first] not in "\"'`" else ():
            yield named(snapshot, file, what, end, "use")
