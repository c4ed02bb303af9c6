"""Resolver: each occurrence of one file of Lua and what it means.

Owns: types that comments name, modules that are brought in, methods that stand for others.
Must not know: how values are found, other languages.
Invariant: a member of what is not known means nothing that is known.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import Denotation, Package
from graphls.languages.extract.kinds import METHOD_DEFINITION, NAME_EXPRESSION, TYPE_ONLY_FLAG, WRITE_ROLE
from graphls.languages.lua.loading import loaded_file
from graphls.languages.lua.types.inference import SELF, LuaInference
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_UNBOUND: Final = int(UnresolvedReason.UNBOUND)


class LuaResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._lua = LuaInference(path, facts, world)
        super().__init__(path, facts, self._lua)
        self._declared_at = {start: row for row, start in enumerate(self._lua.own.starts)}

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that the name of a module means."""
        file = loaded_file(module, self._path, self._lua.world)
        return (DefinitionRef(file, -1),) if file is not None else (External(module.replace("/", ".")),)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, or the reason why that is not known."""
        base, table = self._bases[row], self._lua.own.expressions
        if base >= 0 and table.kind[base] == NAME_EXPRESSION and table.c[base] == -1:
            whole = self._facts.strings[table.a[base]]
            if whole != SELF and table.b[base] == 0:
                named = self._lua.type_named(self._lua.own, whole)
                return _UNBOUND if named is None else named
        found = super().resolved(row)
        if self._roles[row] != WRITE_ROLE or self._starts[row] not in self._declared_at:
            return found
        declared = self._declared_at[self._starts[row]]
        own = DefinitionRef(self._path, declared)
        if isinstance(found, int) or own in found.refs or not found.refs:
            return Denotation((), Package(None, ""), 0)  # nothing else declares it
        return found

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """A member and the function that it is given are one thing, as are the parts of a class."""
        kinds = {
            self._lua.unit(ref.file).kind[ref.row] for ref in refs if isinstance(ref, DefinitionRef) and ref.row >= 0
        }
        return len(kinds) == 1 and not self._is_type(refs)

    def _is_type(self, refs: DefinitionRefs) -> bool:
        first = refs[0]
        return isinstance(first, DefinitionRef) and bool(self._lua.unit(first.file).flags[first.row] & TYPE_ONLY_FLAG)

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of classes of the file and those above that they stand for."""
        lua, own = self._lua, self._lua.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            if kind != METHOD_DEFINITION:
                continue
            above = lua.above(own, row)
            if above is not None:
                found.append((row, above, 0))
        return found
