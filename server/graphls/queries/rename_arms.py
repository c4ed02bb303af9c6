"""Arms: names that a scope binds several times, by an import and by something else, where a rename touches them.

Owns: which uses go through such a name, what becomes of the import.
Must not know: LSP types, how uses are found.
Invariant: one name of one scope stays one name: a rename changes all of its bindings or none. Where what an import
    brings in is renamed, the scope keeps its name (`from fast import NEW as load`), and so do its uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import import_occurrence
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.rows import rows_with, string_index
from graphls.queries.symbol import import_targets

_MODULE_SCOPE = 0
_ALIAS = b"as"
_MOST_STEPS = 8
"""Files that hand a name on, followed from a use to where the name is bound."""


@attrs.frozen
class Name:
    """A name as one scope binds it."""

    file: FilePath
    scope: int


@attrs.frozen
class ArmEdit:
    """What an import becomes."""

    file: FilePath
    start: int
    text: str


class NameArms:
    """The names of one spelling that several bindings of a scope give."""

    def __init__(self, snapshot: Snapshot, spelled: str) -> None:
        self._snapshot, self._spelled = snapshot, spelled

    def of_use(self, path: FilePath, start: int) -> Name | None:
        """The name that a use goes through, followed to where it has several bindings; None where it has one."""
        facts = self._snapshot.facts(path)
        use = next(rows_with(facts.occurrences.start, start), NONE)
        name = self._bound(path, use) if use != NONE else None
        for _ in range(_MOST_STEPS):
            if name is None:
                return None
            rows = self.rows(name)
            imports = [row for row in rows if self._kind(name, row) == DefinitionKind.IMPORT]
            if len(rows) > 1 and imports:
                return name
            brought = import_occurrence(self._snapshot.facts(name.file), rows[0]) if len(imports) == 1 else NONE
            name = self._bound(name.file, brought) if brought != NONE else None
        return None

    def rows(self, name: Name) -> Sequence[int]:
        """The bindings of a name, in order."""
        facts = self._snapshot.facts(name.file)
        number = string_index(facts, self._spelled)
        rows = rows_with(facts.definitions.name, number) if number != NONE else iter(())
        return [row for row in rows if facts.definitions.scope[row] == name.scope]

    def declares(self, name: Name, place: SymbolRef) -> bool:
        """Whether a symbol is one of the bindings."""
        return place.file == name.file and place.definition in self.rows(name)

    def plain_uses(self, name: Name) -> Iterator[int]:
        """Where code of the file uses the name."""
        facts = self._snapshot.facts(name.file)
        number = string_index(facts, self._spelled)
        for use in rows_with(facts.occurrences.name, number) if number != NONE else ():
            if facts.occurrences.role[use] not in (Role.IMPORT, Role.KEYWORD) and self._bound(name.file, use) == name:
                yield facts.occurrences.start[use]

    def renamed_imports(self, name: Name, new: str) -> Iterator[ArmEdit]:
        """The imports of a name that is renamed itself: what they bring in keeps its name."""
        for row, start in self._imports(name):
            bound = self._snapshot.facts(name.file).definitions.start[row]
            yield ArmEdit(name.file, bound, f"{self._spelled} as {new}" if start == bound else new)

    def kept_imports(self, name: Name, new: str, renamed: Collection[SymbolRef]) -> Iterator[ArmEdit]:
        """The imports of a name that stays, of those that bring in something renamed."""
        for row, start in self._imports(name):
            if self._brings(name, row) <= set(renamed):
                alias = start != self._snapshot.facts(name.file).definitions.start[row]
                yield ArmEdit(name.file, start, new if alias else f"{new} as {self._spelled}")

    def aliases(self, name: Name) -> Iterator[int]:
        """Where imports give the name behind `as`."""
        for row, start in self._imports(name):
            bound = self._snapshot.facts(name.file).definitions.start[row]
            if bound != start:
                yield bound

    def is_shared(self, name: Name, renamed: Collection[SymbolRef]) -> bool:
        """Whether a binding stands for something else than what is renamed."""
        return any(not self._brings(name, row) <= set(renamed) for row in self.rows(name))

    def _brings(self, name: Name, row: int) -> Set[SymbolRef | None]:
        place = SymbolRef(name.file, row)
        if self._kind(name, row) != DefinitionKind.IMPORT:
            return {place}
        return {target.place for target in import_targets(self._snapshot, place)} or {None}

    def _imports(self, name: Name) -> Iterator[tuple[int, int]]:
        """The imports among the bindings: row, and start of the name that is brought in."""
        facts = self._snapshot.facts(name.file)
        for row in self.rows(name):
            use = import_occurrence(facts, row) if facts.definitions.kind[row] == DefinitionKind.IMPORT else NONE
            if use != NONE:
                yield row, facts.occurrences.start[self._before_alias(name.file, facts, use)]

    def _before_alias(self, path: FilePath, facts: FileFacts, use: int) -> int:
        """Of `x as y` the `x`: both are occurrences."""
        uses = facts.occurrences
        between = (self._snapshot.text(path) or b"")[uses.end[use - 1] : uses.start[use]] if use else b""
        return use - 1 if between.strip() == _ALIAS else use

    def _kind(self, name: Name, row: int) -> int:
        return self._snapshot.facts(name.file).definitions.kind[row]

    def _bound(self, path: FilePath, use: int) -> Name | None:
        """The scope that binds what a use names: of a plain name one around it, else that of the module before it."""
        facts = self._snapshot.facts(path)
        base = facts.occurrences.base[use]
        if base == NONE:
            return self._around(path, facts, facts.occurrences.scope[use])
        kind = facts.expressions.kind[base]
        if kind == ExpressionKind.MODULE:
            return self._in_module(self._imported(path, facts, use))
        if kind not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
            return None
        before = next(rows_with(facts.occurrences.start, facts.expressions.c[base]), NONE)
        places = [target.place for target in self._snapshot.targets(path, before)] if before != NONE else []
        return self._in_module(next((one.file for one in places if one and one.definition == NONE), None))

    def _around(self, path: FilePath, facts: FileFacts, scope: int) -> Name | None:
        own = scope
        while scope >= 0:
            name = Name(path, scope)
            if (scope == own or facts.scopes.kind[scope] != ScopeKind.CLASS) and self.rows(name):
                return name
            scope = facts.scopes.parent[scope] if scope else NONE
        return None

    def _in_module(self, path: FilePath | None) -> Name | None:
        name = Name(path, _MODULE_SCOPE) if path is not None and self._snapshot.shards[path].language else None
        return name if name is not None and self.rows(name) else None

    def _imported(self, path: FilePath, facts: FileFacts, use: int) -> FilePath | None:
        """The module that an import takes a name from."""
        start, links = facts.occurrences.start[use], self._snapshot.links(path)
        for index, row in enumerate(links.module_targets.occurrence):
            if facts.imports.start[row] <= start < facts.imports.end[row]:
                place = self._snapshot.module_target(path, links, index).place
                if place is not None:
                    return place.file
        return None
