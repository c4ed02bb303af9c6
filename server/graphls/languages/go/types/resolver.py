"""Resolver: each occurrence of one Go file and what it means.

Owns: what imports, keys of literals and package names mean to the graph.
Must not know: how types are found, other languages.
Invariant: a name of a package leads to one file of it, which stands for the package.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import (
    Anonymous,
    DeclaredRule,
    Denotation,
    NamedType,
    Outside,
    Package,
    TypeName,
)
from graphls.languages.go.types.implements import implemented
from graphls.languages.go.types.inference import GoInference
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_KEYWORD = int(DeclaredRule.KEYWORD)


class GoResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._go = GoInference(path, facts, world)
        super().__init__(path, facts, self._go)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that stands for the package of an import, or the path of one outside."""
        return self._package_refs(self._go.package_at(module))

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """A key of a literal: the field of a struct, or a plain name."""
        go = self._go
        value = go.infer(go.own, base)
        inner = go.underlying(value.type if isinstance(value, TypeName) else value)
        if isinstance(inner, (NamedType, Anonymous)):
            found = go.member(inner, name)
            return None if found is None else Denotation(found.refs, found.value, _KEYWORD)
        if inner is None:
            return None
        plain = go.name(go.own, scope, name, start)
        if isinstance(inner, Outside) and not self._is_local(plain):
            # The field of a struct that another module declares.
            return Denotation((External(f"{inner.dotted}.{name}"),), None, _KEYWORD)
        return plain

    def _is_local(self, found: Denotation | None) -> bool:
        """Whether a name is bound inside of a function, so that it is the key of a map."""
        ref = found.refs[0] if found is not None and found.refs else None
        return isinstance(ref, DefinitionRef) and ref.file == self._go.path and self._go.own.scope[ref.row] > 0

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of interfaces that methods of the file stand for."""
        return implemented(self._go)

    def named(self, found: Denotation) -> DefinitionRefs:
        """What a plain name means to the graph: the name of a package leads to the package."""
        return self._package_refs(found.value) if isinstance(found.value, Package) else found.refs

    def _package_refs(self, package: Package) -> DefinitionRefs:
        if package.name is None:
            return (External(package.dotted),)
        go = self._go
        clause = go.package_name(package.name)
        files = go.folder_files(package.name)
        last = package.name.rpartition("/")[2]
        for wanted in ("doc.go", f"{last}.go", f"{clause}.go"):
            for file in files:
                if file.rpartition("/")[2] == wanted and go.clause(file) == clause:
                    return (DefinitionRef(file, -1),)
        plain = (file for file in files if not file.endswith("_test.go") and go.clause(file) == clause)
        found = next(plain, None) or next((file for file in files if go.clause(file) == clause), None)
        return () if found is None else (DefinitionRef(found, -1),)
