"""Units: one file as resolution of TypeScript sees it.

Owns: rules spelled as expressions, scopes by owner, the scope of exports, type parameters.
Must not know: what any rule means.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    INTERFACE_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAMESPACE_SCOPE,
    PARAMETER_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
)
from graphls.languages.resolve import units
from graphls.languages.resolve.units import grouped


class TsUnit(units.Unit):
    """Names, scopes, expressions of one file."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        super().__init__(file, source)
        self.export_scope: int = self._export_scope()
        """The scope of names that only importers see, or -1."""
        self._scopes: Mapping[int, Sequence[int]] | None = None
        self._type_parameters: Mapping[int, Sequence[int]] | None = None
        self._shapes: Sequence[TsShape] | None = None

    def operator(self, expression: int) -> str:
        """Name of the rule that an expression applies, "" for any other expression."""
        table = self.expressions
        if expression < 0 or table.kind[expression] != SUBSCRIPT_EXPRESSION:
            return ""
        base = table.a[expression]
        return self.strings[table.a[base]] if base >= 0 and table.kind[base] == LITERAL_EXPRESSION else ""

    def operands(self, expression: int) -> Sequence[int]:
        """What a rule is applied to."""
        return self.list_at(self.expressions.b[expression])

    def bound(self, expression: int) -> int:
        """What `f.bind(x)` binds; -1 for any other expression."""
        table = self.expressions
        if expression < 0 or table.kind[expression] != CALL_EXPRESSION:
            return -1
        callee = table.a[expression]
        if callee < 0 or table.kind[callee] != MEMBER_EXPRESSION or self.strings[table.b[callee]] != "bind":
            return -1
        return table.a[callee]

    def type_parameters(self, scope: int) -> Sequence[int]:
        """Type parameters bound in a scope."""
        if scope < 0:
            return ()
        if self._type_parameters is None:
            self._type_parameters = self.rows_by_scope(TYPE_PARAMETER_DEFINITION)
        return self._type_parameters.get(scope, ())

    def scopes_of(self, row: int, kind: int) -> Sequence[int]:
        """Scopes of a kind that a definition owns."""
        if self._scopes is None:
            self._scopes = grouped(self.scope_owner, range(len(self.scope_owner)))
        return [scope for scope in self._scopes.get(row, ()) if self.scope_kind[scope] == kind]

    def shapes(self) -> Sequence[TsShape]:
        """Its classes and interfaces."""
        if self._shapes is None:
            rows = (*self.rows_of_kind(CLASS_DEFINITION), *self.rows_of_kind(INTERFACE_DEFINITION))
            self._shapes = [TsShape.of(self, row) for row in rows]
        return self._shapes

    def _export_scope(self) -> int:
        for scope, kind in enumerate(self.scope_kind):
            if kind == NAMESPACE_SCOPE and self.scope_owner[scope] < 0 and self.scope_parent[scope] == 0:
                return scope
        return -1

    def parameter_rows(self) -> Mapping[int, Sequence[int]]:
        """Parameters by scope, without a declared `this`."""
        found = self.rows_by_scope(PARAMETER_DEFINITION)
        return {scope: [row for row in rows if self.text(row) != "this"] for scope, rows in found.items()}


@final
class TsShape:
    """A class or interface, with the names that its instances have by what it declares, and those of methods."""

    def __init__(self, row: int, members: Set[str], methods: Set[str]) -> None:
        self.row = row
        self.members = members
        self.methods = methods

    @staticmethod
    def of(unit: TsUnit, row: int) -> TsShape:
        """That of one row."""
        members: set[str] = set()
        methods: set[str] = set()
        for scope in unit.scopes_of(row, CLASS_SCOPE):
            for name, rows in unit.members(scope).items():
                if name != "constructor":
                    members.add(name)
                    if unit.kind[rows[0]] == METHOD_DEFINITION:
                        methods.add(name)
        return TsShape(row, members, methods)
