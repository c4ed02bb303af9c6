"""Functional calls: calls of the one method of an interface, on what may hold a function.

Owns: which calls of members run the function that stands before the dot.
Must not know: what places hold, edges.
Invariant: a call runs a function only where links say that it is of such a method: of the workspace, or of a library
    whose language lists it.

    handler.handle(text)    # `interface Handler { void handle(String text); }`, given `Log::line` somewhere
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from graphls.analysis.flow.passing import Operand, leaves_reader, receivers_of
from graphls.analysis.flow.values import Leaf
from graphls.facts.columns import rows_with
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, OccurrenceFlag, Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_of_kinds
from graphls.graph.nodes import container
from graphls.graph.snapshot import SymbolRef

if TYPE_CHECKING:
    from graphls.analysis.flow.places import Places

_EXTENDING: Final = frozenset(("extends", "implements"))


class FunctionalCalls:
    """Those of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._methods: dict[SymbolRef, bool] = {}
        self._names: dict[SymbolRef, frozenset[str]] = {}

    def is_known_in(self, path: FilePath) -> bool:
        """Whether functions stand for objects in the language of a file."""
        known = self._places.snapshot.capabilities(path)
        return known is not None and known.is_functional is not None

    def is_one(self, path: FilePath, use: int) -> bool:
        """Whether a use of a member calls the function that stands before the dot."""
        places = self._places
        table = places.facts(path).occurrences
        if use < 0 or table.base[use] < 0 or table.role[use] != Role.CALL or table.flags[use] & OccurrenceFlag.REFERRED:
            return False
        known = places.snapshot.capabilities(path)
        if known is None or known.is_functional is None:
            return False
        meant = places.meant(path, use)
        if meant:
            return all(self._is_only_method(one) for one in meant)
        return any(known.is_functional(name) for name in places.externals(path, use))

    def _is_only_method(self, method: SymbolRef) -> bool:
        """Whether it is the one method without a body that an interface asks for."""
        if method not in self._methods:
            facts = self._places.facts(method.file)
            owner = container(facts, method.definition) if method.definition >= 0 else -1
            is_interface = owner >= 0 and facts.definitions.kind[owner] == DefinitionKind.INTERFACE
            wanted = frozenset((self._places.name(method),))
            self._methods[method] = (
                is_interface
                and _is_open(facts.definitions.flags[method.definition])
                and self._asked(self._places.canonical(SymbolRef(method.file, owner)), 0) == wanted
            )
        return self._methods[method]

    def _asked(self, interface: SymbolRef, depth: int) -> frozenset[str]:
        """Names of the methods without bodies that an interface and those above it declare."""
        known = self._names.get(interface)
        if known is None:
            facts = self._places.facts(interface.file)
            table = facts.definitions
            body = table.body[interface.definition]
            found = {
                facts.strings[table.name[row]]
                for row in (rows_with(table.scope, body) if body >= 0 else ())
                if table.kind[row] == DefinitionKind.METHOD and _is_open(table.flags[row])
            }
            above = edges_of_kinds(self._places.snapshot, interface, _EXTENDING, incoming=False)
            for edge in above if depth < _MOST_ABOVE else ():
                if isinstance(edge.target, SymbolRef):
                    found |= self._asked(edge.target, depth + 1)
            known = self._names[interface] = frozenset(found)
        return known

    def runs(self, path: FilePath, use: int, function: SymbolRef) -> bool:
        """Whether a call that `called` is about may run one function: a method of a type without a name is called by
        its own name alone."""
        places = self._places
        if not self._is_of_object(function):
            return self.is_one(path, use)
        facts = places.facts(path)
        return facts.strings[facts.occurrences.name[use]] == places.name(function)

    def _is_of_object(self, function: SymbolRef) -> bool:
        facts = self._places.facts(function.file)
        scope = facts.definitions.scope[function.definition]
        return scope >= 0 and facts.scopes.kind[scope] == ScopeKind.OBJECT

    def _may_be_one(self, path: FilePath, use: int) -> bool:
        """Whether an object without a name may stand before the dot, or a function."""
        facts = self._places.facts(path)
        if self.is_one(path, use):
            return True
        table = facts.occurrences
        if use < 0 or table.role[use] != Role.CALL or not self.is_known_in(path) or self._places.meant(path, use):
            return False
        return self._places.classes.is_rare(path, facts.strings[table.name[use]])

    def called(self, path: FilePath, use: int) -> tuple[Leaf, ...]:
        """What stands before the dot of a use that calls it."""
        if self._places.facts(path).occurrences.base[use] < 0 or not self._may_be_one(path, use):
            return ()
        return tuple(leaves_reader(self._places.snapshot, path)(self._places.facts(path).occurrences.base[use]))

    def on(self, path: FilePath, use: int) -> Iterator[Operand]:
        """The inverse: the uses of members, as rows, that call what is taken from a use."""
        if not self.is_known_in(path):
            return
        for one in receivers_of(self._places.snapshot, path).get(use, ()):
            if self._may_be_one(path, one.row):
                yield one


_MOST_ABOVE: Final = 4


def _is_open(flags: int) -> bool:
    return bool(flags & DefinitionFlag.ABSTRACT) and not flags & DefinitionFlag.STATIC
