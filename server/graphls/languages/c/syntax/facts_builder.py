"""Facts builder of C: what a file says, and the macros that it defines.

Owns: the table of macros of the file that is read.
Must not know: what a macro makes of code.
Invariant: a file in which a macro may write members or enumerators is read as a whole after each edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.languages.c.syntax.macros import MacroTable
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule


class CFactsBuilder(DeclaredFactsBuilder):
    """The builder of one file of C."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self._macros: MacroTable | None = None
        self.is_written_by_macros = False
        """Something that looks like a macro stands where a member or an enumerator may."""

    def macros(self) -> MacroTable:
        """The macros that the text defines."""
        if self._macros is None:
            self._macros = MacroTable(self.data)
        return self._macros

    def define_written(self, name: bytes, kind: int, at: int, length: int) -> int:
        """A definition that a macro writes, -1 where the scope has the name. `length`: 0 where no text spells it."""
        text, scope = self.text(self.spelled(name)), self.scope
        if (scope, text) in self.bound:
            return -1
        start, end = self.full
        flags, owner, row = self.bind_flags, self.owner, len(self.definitions)
        self.definitions.append([text, kind, flags, scope, at, at + length, start, end, -1, -1, -1, -1, -1, -1, owner])
        self.bound[scope, text] = row
        return row

    def rests_on_more(self) -> bool:
        """What a macro writes is said somewhere else."""
        return self.is_written_by_macros

    def empty(self) -> DeclaredFactsBuilder:
        """A builder of the same language."""
        return CFactsBuilder(b"", self.rules)
