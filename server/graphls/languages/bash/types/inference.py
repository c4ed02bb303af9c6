"""Inference: what names mean in a script.

Owns: what a script sources, variables and functions of what it can see.
Must not know: how occurrences become links, other languages.
Invariant: names of functions and of variables are apart; what several sourced files define is answered as several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bash.sources import sourced_file
from graphls.languages.bash.types.standard import COMMANDS, VARIABLES
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.declared.inference import BUILTIN, DeclaredInference
from graphls.languages.declared.values import DeclaredRule, Denotation, Outside, Value
from graphls.languages.extract.kinds import FUNCTION_DEFINITION
from graphls.languages.provider import World
from graphls.languages.resolve.ranges import rows_begun
from graphls.languages.resolve.structural_value import DefinitionRef, External

MOST_FILES: Final = 256
"""Files that one script sees; what further ones define is not known."""
FEW_FILES: Final = 8
"""Files that are all looked at for a name."""
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
_IMPORT: Final = int(DeclaredRule.IMPORT)
_LOCAL: Final = int(DeclaredRule.LOCAL)


class BashInference(DeclaredInference):
    """What one script and those that it sources define."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._in_sight: tuple[FilePath, ...] | None = None
        self._is_cut = False
        """Further files are sourced than those in sight."""
        self._defined_as: dict[tuple[str, bool], Denotation | None] = {}
        """By name, and whether a function is asked for."""

    def visible(self) -> tuple[FilePath, ...]:
        """The files that the script sources, and those that these do, the nearest first."""
        if self._in_sight is None:
            found: dict[FilePath, None] = {self.path: None}
            pending = [self.path]
            for one in pending:
                for written in self.written_exports(one):
                    other = sourced_file(written, one, self.world)
                    if other is None or other in found:
                        continue
                    if len(found) >= MOST_FILES:
                        self._is_cut = True
                        break
                    found[other] = None
                    pending.append(other)
                if self._is_cut:
                    break
            self._in_sight = tuple(found)
        return self._in_sight

    @property
    def is_cut(self) -> bool:
        """Whether files that nobody looked at may define what was not found."""
        self.visible()
        return self._is_cut

    def command(self, name: str) -> Denotation | None:
        """A function that the script can see, else what systems bring."""
        return self._seen(name, functions=True) or self._builtin(name, COMMANDS)

    def variable(self, scope: int, name: str, start: int) -> Denotation | None:
        """A variable of the functions around that is local before an offset, of the script, of what it sources, or of
        the shell."""
        own = self.own
        while scope > 0:
            rows = own.members(scope).get(name, ())
            begun = rows[: rows_begun(own.starts, rows, start)] if rows else ()
            if begun:
                refs = [DefinitionRef(self.path, row) for row in begun[: MAX_DECLARED + 1]]
                return Denotation(tuple(refs), None, _LOCAL)
            scope = own.scope_parent[scope]
        return self._seen(name, functions=False) or self._builtin(name, VARIABLES)

    def _seen(self, name: str, *, functions: bool) -> Denotation | None:
        """What the script defines at its top, else all that the files which it sources do."""
        key = (name, functions)
        if key not in self._defined_as:
            self._defined_as[key] = self._defined(name, functions=functions)
        return self._defined_as[key]

    def _defined(self, name: str, *, functions: bool) -> Denotation | None:
        found: list[DefinitionRef] = []
        for file in self._defining(name):
            unit = self.unit(file)
            for row in unit.members(0).get(name, ()):
                if (unit.kind[row] == FUNCTION_DEFINITION) == functions and len(found) <= MAX_DECLARED:
                    found.append(DefinitionRef(file, row))
            if found and file == self.path:
                break
        if not found:
            return None
        return Denotation(tuple(found), None, _LOCAL if found[0].file == self.path else _IMPORT)

    def _defining(self, name: str) -> Iterator[FilePath]:
        """Files in sight that may define a name, the nearest first: of many, those that do are known."""
        visible = self.visible()
        if len(visible) <= FEW_FILES:
            yield from visible
            return
        defining = frozenset(self.world.defining(name))
        yield from (file for file in visible if file == self.path or file in defining)

    def _builtin(self, name: str, known: frozenset[str]) -> Denotation | None:
        if name not in known or self.is_cut:
            return None
        return Denotation((External(BUILTIN + name),), Outside(BUILTIN + name), _BUILTIN)

    # what a script has not

    def outer(self, unit: object, name: str) -> Denotation | None:
        """Names of a script are looked up as functions or as variables."""
        return None

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """There are no members."""
        return None

    def import_value(self, unit: object, row: int) -> Value | None:
        """Sourcing binds no name of its own."""
        return None
