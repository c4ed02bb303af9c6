"""Resolver: each occurrence of one C file and what it means.

Owns: what includes and designators mean to the graph, which definition a prototype declares.
Must not know: how types are found, other languages.
Invariant: a prototype and its definition are one symbol with two places, the definition first.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.c.includes import included_file
from graphls.languages.c.types.inference import CInference
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Found, Outside
from graphls.languages.extract.kinds import FUNCTION_DEFINITION, OVERLOAD_FLAG, STATIC_FLAG, VARIABLE_DEFINITION
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_LINKED: Final = frozenset({FUNCTION_DEFINITION, VARIABLE_DEFINITION})
_HIDDEN: Final = STATIC_FLAG | OVERLOAD_FLAG


class CResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._c = CInference(path, facts, world)
        self._written = frozenset(self._c.written_exports(path))
        super().__init__(path, facts, self._c)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that an include means."""
        angle = f"<{module}>"
        written = angle if angle in self._written else f'"{module}"'
        file = included_file(written, self._c.path, self._c.world)
        return (External(module),) if file is None else (DefinitionRef(file, -1),)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Found | None:
        """The member that a designator names."""
        value = self._c.infer(self._c.own, base)
        found = self._c.member(value, name)
        if found is None or isinstance(value, Outside):
            return found
        return Found(found.refs, found.value, _KEYWORD)

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
