"""Initializers: what the fields of an object are given where it is written out, in languages with written types.

Owns: `{ .run = go }` and `Ops{Run: Go}` by the keys, `struct ops x = { go }` and `Ops{Go}` by position, pointers to
    functions that their declaration gives a value.
Must not know: what names mean, which fields a type has, other files.
Invariant: a function of one file's contents; an initializer with keys gives nothing by position.

C keeps its tables of functions so, and so do Go, Rust and C#: who calls `o->run` runs what some table gives the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.analysis.flow.leaves import CALLING_ROLES
from graphls.analysis.flow.values import Leaf, PassedArgument, Takes
from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, Role
from graphls.graph.nodes import use_at

_DECLARED: Final = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
_SIGN: Final = re.compile(rb"\s*[:=](?![=>:])\s*")
_VALUE: Final = re.compile(
    rb"(?:\([A-Za-z_][\w \t]*\**\)\s*)?&?\s*((?:[A-Za-z_]\w*(?:\.|::|->))*)([A-Za-z_]\w*)\s*(?=[,;})\n#/]|\Z)"
)
"""A name, perhaps with a cast or `&` before it, and nothing behind it."""
_DECLARATOR: Final = re.compile(
    rb"(?:[\s*]|const\b)*[A-Za-z_]\w*\s*((?:\[[^\]\n]*\]\s*)*)(?:__attribute__\s*\(\([^;{]{0,80}\)\)\s*)?=\s*(?=\{)"
)
_COMPOUND: Final = re.compile(rb"\s*\)\s*(?=\{)")
_LITERAL: Final = re.compile(rb"(?=\{)")
_INDEX: Final = re.compile(rb"\[[^\]\n]*\]\s*=\s*")
_KEYED: Final = re.compile(rb"\.?[A-Za-z_]\w*\s*[:=](?![=:])|\.")
_POINTER: Final = re.compile(rb"\s*\)\s*\([^;={}]*\)(?=\s*=)")
_LONGEST: Final = 200_000
"""Bytes of one table that are read."""
_MOST_BYTES: Final = 2_000_000
"""Bytes of all tables of a file, each row of a table counted again."""


def values_by_key(facts: FileFacts, code: CodeText) -> Iterator[tuple[int, Leaf]]:
    """Uses of keys in initializers and calls, each with what it is given."""
    uses = facts.occurrences
    for use, role in enumerate(uses.role):
        if role == Role.KEYWORD:
            leaf = _value_behind(facts, code, uses.end[use])
            if leaf is not None:
                yield use, leaf


def pointers(facts: FileFacts, code: CodeText) -> Iterator[tuple[int, Leaf]]:
    """Declarations with a written type, each with the name that it is given: `int (*p)(int) = go;`, `cb p = go;`."""
    table = facts.definitions
    for row, (kind, declared, value) in enumerate(zip(table.kind, table.type, table.value, strict=True)):
        if kind in _DECLARED and declared >= 0 and value < 0:
            pointer = _POINTER.match(code.data, table.end[row])
            leaf = _value_behind(facts, code, pointer.end() if pointer is not None else table.end[row])
            if leaf is not None:
                yield row, leaf


def values_by_position(facts: FileFacts, code: CodeText) -> Iterator[tuple[int, PassedArgument]]:
    """Uses of a type whose object is written out there, each with a value that it is given."""
    reader = _Tables(facts, attrs.evolve(code, longest=_LONGEST))
    for use, role in enumerate(facts.occurrences.role):
        if role in (Role.CALL, Role.TYPE):
            yield from reader.values(use, is_call=role == Role.CALL)


class _Tables:
    """Reads the objects that one file writes out, up to a sum of bytes: brackets that nobody closes reach far."""

    def __init__(self, facts: FileFacts, code: CodeText) -> None:
        self._facts = facts
        self._code = code
        self._left = _MOST_BYTES

    def values(self, use: int, *, is_call: bool) -> Iterator[tuple[int, PassedArgument]]:
        """What is given at one use of a type."""
        data, end = self._code.data, self._facts.occurrences.end[use]
        found = (_LITERAL if is_call else _COMPOUND).match(data, end)
        if found is None and not is_call:
            found = _DECLARATOR.match(data, end)
            if found is not None and found[1]:
                for one in self._parts(found.end()):
                    index = _INDEX.match(data, one.start, one.end)
                    yield from self._row(use, one.start if index is None else index.end())
                return
        yield from self._row(use, found.end()) if found is not None else ()

    def _parts(self, opening: int) -> Sequence[Argument]:
        if self._left <= 0:
            return ()
        parts = self._code.parts(opening)
        end = parts[-1].end if parts else opening + 1
        # What nothing closes was gone through to the end, whatever it gave.
        self._left -= end - opening if self._is_closed(end) else min(_LONGEST, len(self._code.data) - opening)
        return parts

    def _is_closed(self, at: int) -> bool:
        """Whether a bracket closes behind the last part of a list."""
        data, noise = self._code.data, self._code.lexis.noise
        for sign in (b",", b""):
            blank = noise.match(data, at)
            at = at if blank is None else blank.end()
            at += len(sign) if data[at : at + 1] == sign else 0
        return data[at : at + 1] in (b"}", b")", b"]")

    def _row(self, use: int, opening: int) -> Iterator[tuple[int, PassedArgument]]:
        """The values of one object in brackets."""
        if self._code.data[opening : opening + 1] != b"{":
            return
        parts = self._parts(opening)
        if any(_KEYED.match(self._code.data, one.start, one.end) for one in parts):
            return
        for one in parts:
            leaf = _named(self._facts, self._code, one)
            if leaf is not None:
                yield use, PassedArgument(one.position, "", (leaf,))


def _named(facts: FileFacts, code: CodeText, one: Argument) -> Leaf | None:
    found = _VALUE.match(code.data, one.start)
    return _leaf(facts, found.start(2)) if found is not None and found.end(2) == one.end else None


def _value_behind(facts: FileFacts, code: CodeText, at: int) -> Leaf | None:
    sign = _SIGN.match(code.data, at)
    found = _VALUE.match(code.data, sign.end()) if sign is not None else None
    return _leaf(facts, found.start(2)) if found is not None else None


def _leaf(facts: FileFacts, start: int) -> Leaf | None:
    use = use_at(facts, start)
    if use < 0 or facts.occurrences.role[use] in CALLING_ROLES:
        return None
    return Leaf(use, Takes.VALUE, False)
