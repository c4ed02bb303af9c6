"""Class statements: what runs because a class is declared.

Owns: methods of metaclasses, hooks of classes above, hooks of the objects that members are made of.
Must not know: which language has which hooks, how objects get anywhere, edges.
Invariant: nothing runs for a class whose line of classes, or the metaclass of one of these, leads out of the workspace
    before it is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphls.analysis.flow.descriptors import Descriptors
from graphls.analysis.flow.places import Places
from graphls.analysis.flow.receivers import RunMember
from graphls.facts.columns import rows_with
from graphls.facts.kinds import DefinitionKind, EdgeKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_at
from graphls.graph.snapshot import SymbolRef

_CALLS: Final = EdgeKind.CALLS.name.lower()
_CLASS: Final = "class"
_NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))


class ClassStatements:
    """Those of one snapshot."""

    def __init__(self, places: Places, descriptors: Descriptors) -> None:
        self._places = places
        self._descriptors = descriptors
        self._metaclasses: dict[SymbolRef, tuple[SymbolRef, ...]] = {}

    def classes(self, path: FilePath) -> Sequence[int]:
        """The classes of a file whose declaration may run something: none in a language without such hooks."""
        known = self._places.snapshot.capabilities(path)
        if known is None or not known.class_hooks:
            return ()
        kinds = self._places.facts(path).definitions.kind
        return [row for row, kind in enumerate(kinds) if kind == DefinitionKind.CLASS]

    def run(self, path: FilePath, classes: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some classes whose declaration runs something, with what."""
        for row in classes:
            found = dict.fromkeys(self._run(self._places.canonical(SymbolRef(path, row))))
            if found:
                yield row, tuple(RunMember(_CALLS, method, _CLASS) for method in found)

    def run_by(self, method: SymbolRef) -> Iterator[SymbolRef]:
        """Classes whose declaration may run a method, more than really do."""
        places, known = self._places, self._places.snapshot.capabilities(method.file)
        if known is None or places.kind(method) != DefinitionKind.METHOD:
            return
        name = places.name(method)
        own = places.classes.class_of(method)
        if own is None or name not in known.class_hooks:
            return
        family = (own, *places.classes.below(own))
        if known.class_hooks[name] == "above":
            yield from family[1:]
        elif known.class_hooks[name] == "metaclass":
            for meta in family:
                for cls in self._made_by(meta):
                    yield from (cls, *places.classes.below(cls))
        else:
            members = (member for cls in family for member in self._descriptors.made_by(cls))
            yield from (cls for member in members if (cls := places.classes.class_of(member)) is not None)

    def source(self, cls: SymbolRef) -> int:
        """Whose code a class statement is: of the function or class around, else of the class itself."""
        owner = self._places.facts(cls.file).definitions.owner[cls.definition]
        return cls.definition if owner < 0 else owner

    def _run(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        classes = self._places.classes
        known = self._places.snapshot.capabilities(cls.file)
        for name, where in known.class_hooks.items() if known is not None else ():
            if not classes.is_defined(cls.file, name):
                continue
            if where == "above":
                yield from classes.first_member(classes.above(cls), name)
            elif where == "metaclass":
                for meta in self._metaclass(cls):
                    yield from classes.first_member((meta, *classes.above(meta)), name)
            else:
                for member in classes.declared(cls):
                    for maker in self._descriptors.classes(member):
                        yield from classes.first_member((maker, *classes.above(maker)), name)

    def _metaclass(self, cls: SymbolRef) -> tuple[SymbolRef, ...]:
        """The metaclass that the nearest of a class and those above it names."""
        line = (self._named_metaclass(one) for one in (cls, *self._places.classes.above(cls)))
        return next((found for found in line if found), ())

    def _named_metaclass(self, cls: SymbolRef) -> tuple[SymbolRef, ...]:
        known = self._metaclasses.get(cls)
        if known is None:
            known = self._metaclasses[cls] = tuple(self._find_metaclass(cls))
        return known

    def _find_metaclass(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        facts = self._places.facts(cls.file)
        table = facts.bases
        for base in rows_with(table.definition, cls.definition):
            expression = table.expression[base]
            if table.keyword[base] < 0 or facts.expressions.kind[expression] not in _NAMING:
                continue
            use = use_at(facts, facts.expressions.c[expression])
            if facts.strings[table.keyword[base]] == "metaclass" and use >= 0:
                meant = self._places.meant(cls.file, use)
                yield from (one for one in meant if self._places.kind(one) == DefinitionKind.CLASS)

    def _made_by(self, meta: SymbolRef) -> Iterator[SymbolRef]:
        """Classes that name a metaclass."""
        for file, use in self._places.every_use(meta):
            facts = self._places.facts(file)
            start = facts.occurrences.start[use]
            for base, expression in enumerate(facts.bases.expression):
                is_named = facts.bases.keyword[base] >= 0 and facts.expressions.kind[expression] in _NAMING
                if is_named and facts.expressions.c[expression] == start:
                    yield self._places.canonical(SymbolRef(file, facts.bases.definition[base]))
