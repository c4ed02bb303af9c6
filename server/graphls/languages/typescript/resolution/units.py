"""Units: one file as resolution sees it: the whole of its own file, the surface of any other.

Owns: one view over FileFacts and Surface, indexes by row.
Must not know: rules of the language.
Invariant: rows are those of Definitions for the own file and of Symbols for others; the two never mix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from graphls.facts.columns import Column, Expressions, Scopes
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceScopes

T = TypeVar("T")


class Unit:
    """Names, scopes, expressions of one file."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        own = isinstance(source, FileFacts)
        rows = source.definitions if own else source.symbols
        scopes: Scopes | SurfaceScopes = source.scopes
        self.file = file
        self.own = own
        self.strings = source.strings
        self.expressions: Expressions = source.expressions
        self.scope_kind: Column = scopes.kind
        self.scope_parent: Column = scopes.parent
        self.scope_owner: Column = scopes.owner
        self.name: Column = rows.name
        self.kind: Column = rows.kind
        self.flags: Column = rows.flags
        self.scope: Column = rows.scope
        self.body: Column = rows.body
        self.type: Column = rows.type
        self.value: Column = rows.value
        self._source = source

    def members(self, scope: int) -> Mapping[str, tuple[int, ...]]:
        """Rows bound in a scope, by name, in source order."""
        if isinstance(self._source, Surface):
            return self._source.members(scope)
        return self._by_scope.get(scope, {})

    def list_at(self, row: int) -> Sequence[int]:
        """Items of one list of expressions."""
        return self._source.list_at(row)

    def text(self, row: int) -> str:
        """Name of a row."""
        return self.strings[self.name[row]]

    def operator(self, expression: int) -> str:
        """Name of the rule that an expression applies, "" for any other expression."""
        table = self.expressions
        if expression < 0 or table.kind[expression] != 3:
            return ""
        base = table.a[expression]
        return self.strings[table.a[base]] if base >= 0 and table.kind[base] == 7 else ""

    def operands(self, expression: int) -> Sequence[int]:
        """What a rule is applied to."""
        return self.list_at(self.expressions.b[expression])

    def bases(self, row: int) -> Sequence[tuple[int, int]]:
        """(expression, keyword string or -1) of a class or interface."""
        return self._bases.get(row, ())

    def returns(self, row: int) -> Sequence[tuple[int, int]]:
        """(expression, kind) of what leaves a function."""
        return self._returns.get(row, ())

    def parameters(self, row: int) -> Sequence[int]:
        """Parameters of a function, in order, without a declared `this`."""
        return self._parameters.get(self.body[row], ()) if self.body[row] >= 0 else ()

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
    def _by_scope(self) -> Mapping[int, Mapping[str, tuple[int, ...]]]:
        grouped: dict[int, dict[str, list[int]]] = {}
        strings = self.strings
        for row, (name, scope) in enumerate(zip(self.name, self.scope, strict=True)):
            grouped.setdefault(scope, {}).setdefault(strings[name], []).append(row)
        return {scope: {name: tuple(rows) for name, rows in names.items()} for scope, names in grouped.items()}

    @cached_property
    def _scopes(self) -> Mapping[int, Sequence[int]]:
        return _grouped(self.scope_owner, range(len(self.scope_owner)))

    @cached_property
    def _bases(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        table = self._source.bases
        return _grouped(table.definition, zip(table.expression, table.keyword, strict=True))

    @cached_property
    def _returns(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        table = self._source.returns
        return _grouped(table.definition, zip(table.expression, table.kind, strict=True))

    @cached_property
    def _parameters(self) -> Mapping[int, Sequence[int]]:
        wanted = DefinitionKind.PARAMETER
        rows = [row for row, kind in enumerate(self.kind) if kind == wanted and self.text(row) != "this"]
        return _grouped((self.scope[row] for row in rows), rows)

    @cached_property
    def _type_parameters(self) -> Mapping[int, Sequence[int]]:
        rows = [row for row, kind in enumerate(self.kind) if kind == DefinitionKind.TYPE_PARAMETER]
        return _grouped((self.scope[row] for row in rows), rows)


def _grouped(keys: Iterable[int], items: Iterable[T]) -> Mapping[int, Sequence[T]]:
    grouped: dict[int, list[T]] = {}
    for key, item in zip(keys, items, strict=True):
        grouped.setdefault(key, []).append(item)
    return grouped
