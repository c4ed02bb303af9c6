"""Resolver maps: objects of JavaScript whose members answer the fields of types, `{ Query: { user() {} } }`.

Owns: which objects of a file are such maps, what stands for a type in them; members of what another file gives.
Must not know: which schema there is.
Invariant: an object is a map where its name or its type says so, or where it holds one that is named like the type that
    queries, mutations or subscriptions begin at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import container, node_row, qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.graphql import EMBEDDED

MAP: Final = "graphql map"
"""The kind of uses that say which type the members of an object answer for, `Type file#name`."""
_ROOTS: Final = frozenset(("Query", "Mutation", "Subscription"))
_RULE: Final = "resolvers"
_NAMED: Final = re.compile(r"resolvers?\Z", re.IGNORECASE)
_TYPED: Final = re.compile(rb"\s*:\s*(?:\w+\.)?(?P<of>\w*?)I?Resolvers(?:<[^<>=]{0,200}>)?\s*=")
_BEHIND: Final = re.compile(rb"\s*[:=]\s*([\w$.]+)\s*\Z")
_OBJECT: Final = re.compile(rb"[^={\n]{0,200}?(?:=|:)\s*\{")
_GIVEN: Final = re.compile(rb"\bresolvers\s*:\s*(?=\{)")
_HOLDERS: Final = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD))
_SPREAD: Final = re.compile(rb"\.\.\.\s*([\w$.]+)\s*\Z")
_ANSWERING: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FIELD, DefinitionKind.PROPERTY))
WHOLE: Final = "default"
"""What a file gives when nothing is named."""
_GIVING: Final = (WHOLE, "export=")
_LIKELY: Final = 0.9
_LONGEST: Final = 1_000_000
_MOST_CALLS: Final = 50


def map_uses(file: FileRules) -> Iterator[ContractUse]:
    """Fields that the objects of one file answer, and what stands for a type in them."""
    return _MapReader(file).uses()


def members_of(snapshot: Snapshot, path: FilePath, qualified: str) -> Iterator[int]:
    """The members of an object of a file, or of the one that it gives when nothing is named."""
    if path not in snapshot.shards:
        return
    facts = snapshot.facts(path)
    table = facts.definitions
    names = _GIVING if qualified == WHOLE else (qualified,)
    rows = (row for row, kind in enumerate(table.kind) if kind in _HOLDERS and qualified_name(facts, row) in names)
    holder = next(rows, -1)
    inside = (row for row in range(len(table)) if table.kind[row] in _ANSWERING and container(facts, row) == holder)
    if holder >= 0 or qualified == WHOLE:
        # The members of `module.exports = {}` may be methods and fields of the file itself.
        yield from (row for row in inside if row != holder)


class _MapReader:
    """The maps of one file."""

    def __init__(self, file: FileRules) -> None:
        self._file = file
        self._facts = file.facts
        self._code: CodeText = attrs.evolve(file.code, longest=_LONGEST)
        self._members: dict[int, list[int]] = {}
        """Holder -> its members."""
        for row in range(len(file.facts.definitions)):
            self._members.setdefault(container(file.facts, row), []).append(row)
        table = file.facts.definitions
        self._starts = frozenset(table.start)
        holders = (row for row, body in enumerate(table.body) if body >= 0 or table.kind[row] in _HOLDERS)
        self._around = Nesting((table.full_start[row], table.full_end[row], row) for row in holders)

    def uses(self) -> Iterator[ContractUse]:
        """By holder, in source order."""
        table = self._facts.definitions
        for row, kind in enumerate(table.kind):
            if kind not in _HOLDERS:
                continue
            whole, owner = self._is_map(row), self._own_type(row)
            if owner and not self._is_map(container(self._facts, row)):
                yield from self._of_type(owner, row)
            if whole:
                for member in self._members.get(row, ()):
                    yield from self._of_type(self._name(member), member)
        yield from self._in_calls()

    def _name(self, row: int) -> str:
        return self._facts.strings[self._facts.definitions.name[row]]

    def _is_object(self, row: int) -> bool:
        table = self._facts.definitions
        return _OBJECT.match(self._code.data, table.end[row], table.full_end[row]) is not None

    def _is_map(self, row: int) -> bool:
        """Whether an object has types for its members."""
        table = self._facts.definitions
        if row < 0 or table.kind[row] not in _HOLDERS or not self._is_object(row):
            return False
        names = {self._name(member) for member in self._members.get(row, ())}
        if not names or not any(name[:1].isupper() for name in names):
            return False
        return bool(names & _ROOTS) or _NAMED.search(self._name(row)) is not None or self._typed(row) is not None

    def _typed(self, row: int) -> str | None:
        """What stands before `Resolvers` in the written type of a variable."""
        table = self._facts.definitions
        found = _TYPED.match(self._code.data, table.end[row], table.full_end[row])
        return None if found is None else found["of"].decode("ascii", "replace")

    def _own_type(self, row: int) -> str:
        """The type that an object by itself answers for."""
        if not self._is_object(row):
            return ""
        typed = self._typed(row)
        name = self._name(row)
        outer = container(self._facts, row)
        if typed:
            return typed
        # `exports.Query = {}` and `const Query = {}` of a module; inside of another object that must be a map.
        return name if outer < 0 and name in _ROOTS else ""

    def _of_type(self, owner: str, row: int) -> Iterator[ContractUse]:
        """What stands for a type: an object here, or the name of one of another place."""
        table = self._facts.definitions
        if not owner[:1].isupper():
            return
        for member in self._members.get(row, ()):
            yield self._field(owner, member)
        if not self._is_object(row):
            named = _BEHIND.match(self._code.data, table.end[row], table.full_end[row])
            short = table.end[row] == table.full_end[row]
            span = (table.start[row], table.end[row]) if short else named.span(1) if named is not None else (0, 0)
            yield from self._elsewhere(owner, *span, row)
            return
        opening = self._code.data.find(b"{", table.end[row], table.full_end[row])
        for part in self._code.elements(opening) if opening >= 0 else ():
            spread = _SPREAD.match(self._code.data, part.start, part.end)
            if spread is not None:
                yield from self._elsewhere(owner, spread.start(1), spread.end(1), row)

    def _field(self, owner: str, row: int) -> ContractUse:
        table = self._facts.definitions
        source = SymbolRef(self._file.path, node_row(self._facts, row))
        name = f"{owner}.{self._name(row)}"
        return ContractUse(EMBEDDED, name, source, table.start[row], table.end[row], _LIKELY, serves=True, rule=_RULE)

    def _elsewhere(self, owner: str, start: int, end: int, row: int) -> Iterator[ContractUse]:
        """What a name at the end of a stretch leads to."""
        file = self._file
        use = file.use_ending(start, end)
        for target in file.naming.targets(file.path, use) if use >= 0 else ():
            place = target.place
            if place is None:
                continue
            qualified = (
                qualified_name(file.snapshot.facts(place.file), place.definition) if place.definition >= 0 else ""
            )
            name = f"{owner} {place.file}#{qualified or WHOLE}"
            yield ContractUse(MAP, name, SymbolRef(file.path, row), start, end, _LIKELY, serves=True, rule=_RULE)

    def _in_calls(self) -> Iterator[ContractUse]:
        """`new Server({ resolvers: { Query: { ... } } })`, whose members have no names of their own."""
        for given in islice(_GIVEN.finditer(self._code.data), _MOST_CALLS):
            if given.start() in self._starts:
                continue
            for owner in self._code.members(Argument("", 0, given.end(), len(self._code.data))):
                for field in self._code.members(owner) if owner.keyword[:1].isupper() else ():
                    row = self._around.around(field.start)
                    source = SymbolRef(self._file.path, node_row(self._facts, row) if row >= 0 else -1)
                    name = f"{owner.keyword}.{field.keyword}"
                    yield ContractUse(
                        EMBEDDED, name, source, field.start, field.start + 1, _LIKELY, serves=True, rule=_RULE
                    )
