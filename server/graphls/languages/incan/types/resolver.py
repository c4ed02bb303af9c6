"""Resolver: each occurrence of one Incan file and what it means.

Owns: what imports and names of arguments mean to the graph, which members stand for those of traits.
Must not know: how types are found, other languages.
Invariant: as of `DeclaredResolver`.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, Functions, NamedType, TypeName
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    ENUM_DEFINITION,
    INTERFACE_DEFINITION,
    METHOD_DEFINITION,
    PROPERTY_DEFINITION,
)
from graphls.languages.incan.types.inference import IncanInference
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_KEYWORD = int(DeclaredRule.KEYWORD)
_TYPES = frozenset({CLASS_DEFINITION, ENUM_DEFINITION, INTERFACE_DEFINITION})
_COMPARED = frozenset({METHOD_DEFINITION, PROPERTY_DEFINITION})


class IncanResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._incan = IncanInference(path, facts, world)
        super().__init__(path, facts, self._incan)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """What the text of an import names."""
        found = self._incan.imported(module, self._incan.path)
        return () if found is None else found.refs

    def imported_files(self, module: str) -> DefinitionRefs:
        """The file that an import brings in, or what is outside."""
        refs = self.imported(module, 0)
        return tuple([DefinitionRef(one.file, -1) if isinstance(one, DefinitionRef) else one for one in refs[:1]])

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The field that an argument or a pattern names, or the parameter of a function."""
        incan = self._incan
        value = incan.infer(incan.own, base)
        if isinstance(value, Functions):
            unit = incan.unit(value.file)
            for row in unit.parameters(value.rows[0]):
                if unit.text(row) == name:
                    return Denotation((DefinitionRef(value.file, row),), None, _KEYWORD)
            return None
        if value is None:
            return None
        found = incan.member(value, name)
        if found is None or any(isinstance(ref, External) for ref in found.refs):
            return found
        return Denotation(found.refs, found.value, _KEYWORD) if isinstance(value, (TypeName, NamedType)) else None

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Members of the file, and those of traits and types above that they stand for."""
        incan, own = self._incan, self._incan.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            if kind not in _TYPES or own.body[row] < 0:
                continue
            members = own.members(own.body[row])
            above = incan.traits(row) if own.bases(row) else ()
            for name, rows in members.items():
                for other in above:
                    body = incan.body_of(other)
                    there = body[0].members(body[1]).get(name, ()) if body is not None and body[1] >= 0 else ()
                    if body is None or not there:
                        continue
                    trait = body[0].kind[other.row] == INTERFACE_DEFINITION if isinstance(other, NamedType) else False
                    found += [
                        (one, DefinitionRef(body[0].file, there[-1]), int(trait))
                        for one in rows
                        if own.kind[one] in _COMPARED
                    ]
                    break
        return sorted(found, key=lambda one: (one[0], one[1].file, one[1].row))
