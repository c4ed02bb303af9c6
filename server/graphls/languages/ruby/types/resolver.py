"""Resolver: each occurrence of one file of Ruby and what it means.

Owns: which kind of thing a name means by its role; `super`, required files, overriding methods.
Must not know: how types are found, other languages.
Invariant: a message to what is not known means nothing that is known.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import OccurrenceFlag, Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    METHOD_DEFINITION,
    NAMESPACE_DEFINITION,
    SETTER_FLAG,
    WRITE_ROLE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External
from graphls.languages.ruby.loading import loaded_file
from graphls.languages.ruby.types.constants import is_constant
from graphls.languages.ruby.types.inference import RubyInference

_TEXT: Final = int(Role.TEXT)
_ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_ALIAS: Final = int(OccurrenceFlag.ALIAS)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_TYPES: Final = frozenset({CLASS_DEFINITION, NAMESPACE_DEFINITION})


class RubyResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._ruby = RubyInference(path, facts, world)
        super().__init__(path, facts, self._ruby)
        self._flags: list[int] = facts.occurrences.flags.tolist()

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that a path means."""
        file = loaded_file(module, self._path, self._ruby.world)
        if file is not None:
            return (DefinitionRef(file, -1),)
        return () if module.startswith("./") else (External(module),)

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """The parts of one class are one thing."""
        first = refs[0]
        return not isinstance(first, DefinitionRef) or self._ruby.unit(first.file).kind[first.row] not in _TYPES

    def first_parts(self, refs: DefinitionRefs) -> DefinitionRefs:
        """Of a class with very many parts, those in the files that are called like it, and those nearest to the top."""
        if self.is_ambiguous(refs):
            return ()
        return refs[:MAX_DECLARED]

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by its role and what stands before it."""
        ruby = self._ruby
        name, base, role = self._facts.strings[self._names[row]], self._bases[row], self._roles[row]
        if base < 0:
            found = ruby.name(ruby.own, self._scopes[row], name, self._starts[row])
            return _UNKNOWN_RECEIVER if found is None else found  # a host, or code outside, may give a field its value
        if role == CALL_ROLE and self._flags[row] & _ALIAS:
            above = ruby.above_method(ruby.own, self._scopes[row], name)
            return _UNKNOWN_RECEIVER if above is None else above
        if role not in (CALL_ROLE, WRITE_ROLE, _TEXT) and is_constant(name):
            scoped = ruby.scoped(ruby.own, base, name)
            return _UNKNOWN_RECEIVER if scoped is None else scoped
        value = ruby.infer(ruby.own, base)
        if value is None:
            return _UNKNOWN_RECEIVER
        found = ruby.method(value, name, role == WRITE_ROLE)
        if self._flags[row] & _ALSO_WRITE and (found is None or found.rule == _EXTERNAL):
            written = ruby.method(value, name, writes=True)
            found = written if written is not None and written.rule != _EXTERNAL else found
        return self.found_or_reason(found, base)

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of the file and those above that they stand for."""
        ruby, own = self._ruby, self._ruby.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            if kind != METHOD_DEFINITION or own.text(row) == "initialize" or own.flags[row] & SETTER_FLAG:
                continue
            body = own.body[row]
            above = ruby.above_method(own, body, own.text(row)) if body >= 0 else None
            if above is not None and isinstance(above.refs[0], DefinitionRef):
                found.append((row, above.refs[0], 0))
        return found
