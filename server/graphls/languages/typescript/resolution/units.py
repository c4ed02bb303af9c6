"""Units: one file as resolution of TypeScript sees it.

Owns: rules spelled as expressions, scopes by owner, the scope of exports, type parameters.
Must not know: what any rule means.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from graphls.facts.kinds import DefinitionKind, ExpressionKind, ScopeKind
from graphls.languages import units
from graphls.languages.units import grouped

_SUBSCRIPT, _LITERAL = int(ExpressionKind.SUBSCRIPT), int(ExpressionKind.LITERAL)


class Unit(units.Unit):
    """Names, scopes, expressions of one file."""

    def operator(self, expression: int) -> str:
        """Name of the rule that an expression applies, "" for any other expression."""
        table = self.expressions
        if expression < 0 or table.kind[expression] != _SUBSCRIPT:
            return ""
        base = table.a[expression]
        return self.strings[table.a[base]] if base >= 0 and table.kind[base] == _LITERAL else ""

    def operands(self, expression: int) -> Sequence[int]:
        """What a rule is applied to."""
        return self.list_at(self.expressions.b[expression])

    def type_parameters(self, scope: int) -> Sequence[int]:
        """Type parameters bound in a scope."""
        return self._type_parameters.get(scope, ()) if scope >= 0 else ()

    def scopes_of(self, row: int, kind: ScopeKind) -> Sequence[int]:
        """Scopes of a kind that a definition owns."""
        return [scope for scope in self._scopes.get(row, ()) if self.scope_kind[scope] == kind]

    @cached_property
    def export_scope(self) -> int:
        """The scope of names that only importers see, or -1."""
        for scope, kind in enumerate(self.scope_kind):
            if kind == ScopeKind.NAMESPACE and self.scope_owner[scope] < 0 and self.scope_parent[scope] == 0:
                return scope
        return -1

    @cached_property
    def _scopes(self) -> Mapping[int, Sequence[int]]:
        return grouped(self.scope_owner, range(len(self.scope_owner)))

    def parameter_rows(self) -> Mapping[int, Sequence[int]]:
        """Parameters by scope, without a declared `this`."""
        found = self.rows_by_scope(DefinitionKind.PARAMETER)
        return {scope: [row for row in rows if self.text(row) != "this"] for scope, rows in found.items()}

    @cached_property
    def _type_parameters(self) -> Mapping[int, Sequence[int]]:
        return self.rows_by_scope(DefinitionKind.TYPE_PARAMETER)
