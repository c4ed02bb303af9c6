"""Inherited runs: under which names libraries run a method of the workspace.

Owns: the search for classes of libraries above those that have the method.
Must not know: what libraries do with their objects, links of files.
Invariant: every member of a library that links say runs the method is named, unless the answer says that it is cut.

    class Client(httpx.Client):
        def request(self): ...     # `get`, `post`, ... run it

A class that has the method may stand beside the library's: `class Test(Mixin, Client)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind
from graphls.graph.memo import MemoTable
from graphls.graph.nodes import container, last_name, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef

MOST_CLASSES: Final = 64
"""Classes below the one with the method, and twice as many with those above; what lies behind is not known."""
_MEMO: Final = MemoTable["SymbolRef", "tuple[frozenset[str], bool]"]("names of libraries that run a method")
_NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))
_RUN: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.PROPERTY))


def names_running(snapshot: Snapshot, place: SymbolRef) -> tuple[frozenset[str], bool]:
    """The names, and whether these are all."""
    memo = _MEMO.of(snapshot)
    if place not in memo:
        memo[place] = _names_running(snapshot, place)
    return memo[place]


def _names_running(snapshot: Snapshot, place: SymbolRef) -> tuple[frozenset[str], bool]:
    known, nothing = snapshot.capabilities(place.file), frozenset[str]()
    if place.definition < 0 or known is None or known.libraries is None:
        return nothing, True
    facts = snapshot.facts(place.file)
    table, name = facts.definitions, facts.strings[facts.definitions.name[place.definition]]
    owner = container(facts, place.definition)
    modules = snapshot.modules.get(snapshot.shards[place.file].language)
    libraries = None if modules is None else modules.libraries
    if table.kind[place.definition] not in _RUN or owner < 0 or libraries is None:
        return nothing, True
    above, whole = _Family(snapshot).outside(SymbolRef(place.file, owner))
    return frozenset(one for dotted in above for one in libraries.running(dotted, name)), whole


class _Family:
    """Classes around one."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def outside(self, cls: SymbolRef) -> tuple[frozenset[str], bool]:
        """Classes of libraries that are bases of a class, of those below it, or of any above these; whether all are."""
        below, found = {cls: None}, set[str]()
        waiting = [cls]
        for one in waiting:
            new = (other for other in self._below(one) if other not in below)
            for other in islice(new, MOST_CLASSES - len(below)):
                below[other] = None
                waiting.append(other)
            if len(below) >= MOST_CLASSES:
                break
        seen, waiting = dict(below), list(below)
        for one in waiting:
            for base in self._bases(one):
                if isinstance(base, str):
                    found.add(base)
                elif base not in seen and len(seen) < 2 * MOST_CLASSES:
                    seen[base] = None
                    waiting.append(base)
        return frozenset(found), len(below) < MOST_CLASSES and len(seen) < 2 * MOST_CLASSES

    def _bases(self, cls: SymbolRef) -> Iterator[SymbolRef | str]:
        """Those of the workspace, and the dotted names of others."""
        facts = self._snapshot.facts(cls.file)
        for row in rows_with(facts.bases.definition, cls.definition):
            expression = facts.bases.expression[row]
            if expression < 0 or facts.bases.keyword[row] >= 0:
                continue
            kind, base = facts.expressions.kind[expression], expression
            if kind == ExpressionKind.SUBSCRIPT:
                base = facts.expressions.a[expression]
            use = use_at(facts, facts.expressions.c[base]) if facts.expressions.kind[base] in _NAMING else -1
            for target in self._snapshot.targets(cls.file, use) if use >= 0 else ():
                if target.place is None:
                    yield target.external
                elif target.place.definition >= 0:
                    yield target.place

    def _below(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        """Classes that name a class among their bases, and perhaps others that name one called alike."""
        snapshot, facts = self._snapshot, self._snapshot.facts(cls.file)
        name, language = facts.strings[facts.definitions.name[cls.definition]], snapshot.shards[cls.file].language
        for path in snapshot.files_with_name(name):
            if snapshot.shards[path].language == language:
                there = snapshot.facts(path)
                names = {name, *_other_names(there, name)}
                for row, expression in zip(there.bases.definition, there.bases.expression, strict=True):
                    if expression >= 0 and last_name(there, expression) in names:
                        yield SymbolRef(path, row)


def _other_names(facts: FileFacts, name: str) -> Iterator[str]:
    """What imports of a file call a thing of this name."""
    strings, imports = facts.strings, facts.imports
    for row, number in zip(imports.definition, imports.name, strict=True):
        if row >= 0 and number >= 0 and strings[number] == name:
            yield strings[facts.definitions.name[row]]
