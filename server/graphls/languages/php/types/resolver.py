"""Resolver: each occurrence of one PHP file and what it means.

Owns: which kind of thing a name means by what stands before it; imports, included files, overriding methods.
Must not know: how types are found, other languages.
Invariant: the name of a method never means a property; a variable is never looked for outside of its function.
"""

from __future__ import annotations

from posixpath import normpath
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_SCOPE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
    OPERATION_EXPRESSION,
    TYPE_EXPRESSION,
)
from graphls.languages.php.types.inference import PhpInference
from graphls.languages.php.types.names import OF_CLASS, OF_CONSTANT, OF_FUNCTION, spelled
from graphls.languages.php.types.standard import INSTALLED
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

OF_FILE: Final = 3
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)


class PhpResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._php = PhpInference(path, facts, world)
        super().__init__(path, facts, self._php)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """What an import names: a class, function or constant, or a file."""
        php = self._php
        if how == OF_FILE:
            return self._included(module)
        found = php.names.declared(module, how)
        if found:
            return found
        begin = module.rpartition("\\")[2]
        # A namespace may be imported as well: it has no place of its own.
        return () if how == OF_CLASS and not begin else (External(module),)

    def imported_files(self, module: str) -> DefinitionRefs:
        """The file of what an import brings in."""
        php = self._php
        if module.lower().endswith((".php", ".inc")):
            return self._included(module)
        for how in (OF_CLASS, OF_FUNCTION, OF_CONSTANT):
            found = php.names.declared(module, how)
            if found:
                return tuple([DefinitionRef(ref.file, -1) for ref in found[:1] if ref.file != php.path])
        return (External(module),)

    def _included(self, text: str) -> DefinitionRefs:
        """The file that an inclusion names; of packages that are not installed their folder and its place there."""
        file = self._file_at(text)
        if file is not None:
            return (DefinitionRef(file, -1),)
        _, folder, rest = f"/{text}".rpartition(f"/{INSTALLED}")
        return (External("\\".join((INSTALLED[:-1], *rest.rpartition(".")[0].split("/")))),) if folder else ()

    def _file_at(self, text: str) -> FilePath | None:
        """The file that an inclusion names: below the folder of the file that includes, else of the workspace."""
        php = self._php
        folder = php.path.rpartition("/")[0]
        spelled = text.removeprefix("./")
        places = [f"{folder}/{spelled}" if folder else spelled]
        if not text.startswith("./"):
            places.append(spelled)
        for place in places:
            path = normpath(place).lstrip("/")
            found = php.world.module(path, php.path) if not path.startswith("..") else None
            if found is not None:
                return found
        return None

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """Whether several places are several things."""
        return True

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what stands before it."""
        php = self._php
        base, role, start = self._bases[row], self._roles[row], self._starts[row]
        table = php.own.expressions
        if base < 0 or role == KEYWORD_ROLE:
            return super().resolved(row)
        kind = table.kind[base]
        if kind == NAME_EXPRESSION and table.c[base] == start:
            text = spelled(php.own, base)
            if text:
                how = php.names.function_named if role == CALL_ROLE else php.names.class_named
                return self.found_or_reason(how(php.own, table.b[base], text), -1)
        if kind == OPERATION_EXPRESSION and php.own.strings[table.c[base]] == "const":
            named = table.a[base]
            return self.found_or_reason(php.names.constant_named(php.own, table.b[named], spelled(php.own, named)), -1)
        if kind == TYPE_EXPRESSION and role == CALL_ROLE and table.c[table.a[base]] == start:
            return self.found_or_reason(php.created(php.own, base), -1)
        if role != CALL_ROLE:
            return super().resolved(row)
        value = php.infer(php.own, base)
        if value is None:
            return _UNKNOWN_RECEIVER
        found = php.method(value, self._facts.strings[self._names[row]])
        return self.found_or_reason(found, base)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The parameter that the name of an argument means."""
        php = self._php
        callee = php.callee(php.own, php.own.expressions.a[base])
        first = callee.refs[0] if callee is not None and callee.refs else None
        if not isinstance(first, DefinitionRef):
            return None
        unit = php.unit(first.file)
        for row in unit.parameters(first.row):
            if unit.text(row) == name:
                return Denotation((DefinitionRef(first.file, row),), None, _KEYWORD)
        return None

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of the file and those above that they stand for."""
        php, own = self._php, self._php.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            if kind != METHOD_DEFINITION or own.text(row) == "__construct":
                continue
            if own.scope_kind[own.scope[row]] not in (CLASS_SCOPE, OBJECT_SCOPE):
                continue
            ref = php.above(own, row)
            if ref is not None:
                unit = php.unit(ref.file)
                holder = unit.scope_owner[unit.scope[ref.row]]
                found.append((row, ref, int(holder >= 0 and unit.kind[holder] == INTERFACE_DEFINITION)))
        return found
