"""Resolver: each occurrence of one script and what it means.

Owns: which uses name functions and which variables, the file that a path means.
Must not know: how scripts are searched, other languages.
Invariant: a command is a function that the script can see, a program that systems have, or nothing that is known.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.bash.sources import COMPUTED, sourced_file
from graphls.languages.bash.types.inference import BashInference
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import Denotation
from graphls.languages.extract.kinds import CALL_ROLE
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_TEXT: Final = int(Role.TEXT)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)


class BashResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._bash = BashInference(path, facts, world)
        super().__init__(path, facts, self._bash)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that a path means."""
        file = sourced_file(module, self._bash.path, self._bash.world)
        if file is not None:
            return (DefinitionRef(file, -1),)
        return () if module.startswith(COMPUTED) else (External(module),)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, or the reason why that is not known."""
        name = self._facts.strings[self._names[row]]
        if self._roles[row] in (CALL_ROLE, _TEXT):
            found = self._bash.command(name)
        else:
            found = self._bash.variable(self._scopes[row], name, self._starts[row])
        return found or (_LIMIT if self._bash.is_cut else _UNBOUND)
