"""Resolver: each occurrence of one C file and what it means.

Owns: what includes and designators mean to the graph, which definition a prototype declares.
Must not know: how types are found, other languages.
Invariant: a prototype and its definition are one symbol with two places, the definition first.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.c.includes import included_file
from graphls.languages.c.types.inference import CInference
from graphls.languages.c.types.system import SYSTEM_NAMES
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, Outside
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    FUNCTION_DEFINITION,
    NAME_EXPRESSION,
    OVERLOAD_FLAG,
    STATIC_FLAG,
    VARIABLE_DEFINITION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_LINKED: Final = frozenset({FUNCTION_DEFINITION, VARIABLE_DEFINITION})
_HIDDEN: Final = STATIC_FLAG | OVERLOAD_FLAG


class CResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._c = CInference(path, facts, world)
        self._written = frozenset(self._c.written_exports(path))
        self._beside: dict[int, list[int]] | None = None
        super().__init__(path, facts, self._c)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that an include means."""
        angle = f"<{module}>"
        written = angle if angle in self._written else f'"{module}"'
        file = included_file(written, self._c.path, self._c.world)
        return (External(module),) if file is None else (DefinitionRef(file, -1),)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The member that a designator names."""
        value = self._c.infer(self._c.own, base)
        found = self._c.member(value, name)
        if found is None or isinstance(value, Outside):
            return found
        return Denotation(found.refs, found.value, _KEYWORD)

    def resolved(self, row: int) -> Denotation | int:
        """What a use means; an argument of a macro that nothing declares may be a member of another argument."""
        found = super().resolved(row)
        if self._bases[row] >= 0 or (not isinstance(found, int) and found.rule != _EXTERNAL):
            return found
        arguments = self._given_beside().get(self._starts[row])
        if arguments is None:
            return found
        name = self._facts.strings[self._names[row]]
        for other in arguments:
            value = self._c.infer(self._c.own, other)
            member = None if value is None or isinstance(value, Outside) else self._c.member(value, name)
            if member is not None and not isinstance(member.value, Outside):
                return member
        return _UNBOUND if name not in SYSTEM_NAMES and name.islower() else found

    def _given_beside(self) -> dict[int, list[int]]:
        """By the start of a plain name that a macro is given: its other arguments."""
        if self._beside is None:
            table, found = self._facts.expressions, dict[int, list[int]]()
            for row, kind in enumerate(table.kind):
                given = self._c.own.list_at(table.b[row]) if kind == CALL_EXPRESSION else ()
                if len(given) < 2:
                    continue
                for at, one in enumerate(given):
                    if table.kind[one] == NAME_EXPRESSION and table.c[one] >= 0:
                        found[table.c[one]] = [*given[:at], *given[at + 1 :]]
            self._beside = found
        return self._beside

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """Prototypes are places of what they declare."""
        defined = [ref for ref in refs if isinstance(ref, External) or not self._is_prototype(ref)]
        return len(defined) > 1

    def _is_prototype(self, ref: DefinitionRef) -> bool:
        return ref.row >= 0 and bool(self._c.unit(ref.file).flags[ref.row] & OVERLOAD_FLAG)

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Definitions of the file and the prototypes that declare them to others."""
        own = self._c.own
        return [
            (row, ref, 1)
            for row, kind in enumerate(own.kind)
            if kind in _LINKED and own.scope[row] == 0 and not own.flags[row] & _HIDDEN
            for ref in self._c.prototypes(row)
        ]
