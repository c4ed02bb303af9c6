"""Units: one file as resolution sees it: the whole of its own file, the surface of any other.

Owns: one view over FileFacts and Surface, indexes by row.
Must not know: rules of any particular language.
Invariant: rows are those of Definitions for the own file and of Symbols for others; the two never mix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self, TypeVar, final

from mypy_extensions import mypyc_attr

from graphls.facts.columns import NONE, Expressions, Scopes
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceScopes
from graphls.languages.extract.kinds import (
    PARAMETER_DEFINITION,
)
from graphls.languages.provider import LIBRARY

T = TypeVar("T")

_UNIT_KEY: Final = "unit"


_FEW: Final = 8


def is_library(file: str) -> bool:
    """Whether a file is outside the workspace."""
    return file.startswith(LIBRARY)


@final
class ExpressionColumns:
    """The columns of `Expressions` as lists: a list gives a number that it has, an array makes it anew each time."""

    def __init__(self, table: Expressions) -> None:
        self.kind: list[int] = table.kind.tolist()
        self.a: list[int] = table.a.tolist()
        self.b: list[int] = table.b.tolist()
        self.c: list[int] = table.c.tolist()


@mypyc_attr(allow_interpreted_subclasses=True)
class Unit:
    """Names, scopes, expressions of one file."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        own = isinstance(source, FileFacts)
        rows = source.definitions if isinstance(source, FileFacts) else source.symbols
        scopes: Scopes | SurfaceScopes = source.scopes
        self.file = file
        self.own = own
        self.library = is_library(file)
        self.strings = source.strings
        self.expressions = ExpressionColumns(source.expressions)
        self.scope_kind: list[int] = scopes.kind.tolist()
        self.scope_parent: list[int] = scopes.parent.tolist()
        self.scope_owner: list[int] = scopes.owner.tolist()
        self.name: list[int] = rows.name.tolist()
        self.kind: list[int] = rows.kind.tolist()
        self.flags: list[int] = rows.flags.tolist()
        self.scope: list[int] = rows.scope.tolist()
        self.body: list[int] = rows.body.tolist()
        self.type: list[int] = rows.type.tolist()
        self.value: list[int] = rows.value.tolist()
        self.owner: list[int] = rows.owner.tolist()
        self.exports = source.exports if isinstance(source, Surface) else None
        self.dynamic = source.dynamic if isinstance(source, Surface) else False
        self._source = source
        # Indexes are made when they are first asked for.
        self._by_scope: Mapping[int, Mapping[str, tuple[int, ...]]] | None = None
        self._bases: Mapping[int, Sequence[tuple[int, int]]] | None = None
        self._decorators: Mapping[int, Sequence[tuple[int, str]]] | None = None
        self._returns: Mapping[int, Sequence[tuple[int, int]]] | None = None
        self._parameters: Mapping[int, Sequence[int]] | None = None
        self._of_kinds: dict[tuple[int, str, frozenset[int]], tuple[int, ...]] = {}
        self._by_kind: dict[int, tuple[int, ...]] = {}

    @classmethod
    def of_surface(cls, file: FilePath, surface: Surface) -> Self:
        """Another file. The unit is kept with the surface: it says nothing that the surface does not."""
        cached = surface.memo.get(_UNIT_KEY)
        if isinstance(cached, cls) and cached.file == file:
            return cached
        made = cls(file, surface.without_memo())
        surface.memo[_UNIT_KEY] = made
        return made

    def members(self, scope: int) -> Mapping[str, tuple[int, ...]]:
        """Rows bound in a scope, by name, in source order."""
        if isinstance(self._source, Surface):
            return self._source.members(scope)
        if self._by_scope is None:
            self._by_scope = self._rows_by_name()
        return self._by_scope.get(scope, {})

    def members_of(self, scope: int, name: str, kinds: frozenset[int]) -> tuple[int, ...]:
        """Those of one name that have one of some kinds; of thousands that have another they are found once."""
        rows = self.members(scope).get(name, ())
        if len(rows) <= _FEW:
            return tuple([row for row in rows if self.kind[row] in kinds])
        key = (scope, name, kinds)
        known = self._of_kinds.get(key)
        if known is None:
            known = self._of_kinds[key] = tuple([row for row in rows if self.kind[row] in kinds])
        return known

    def rows_of_kind(self, wanted: int) -> tuple[int, ...]:
        """Rows of one kind, in source order; looked for once, whoever asks."""
        known = self._by_kind.get(wanted)
        if known is None:
            known = self._by_kind[wanted] = tuple([row for row, kind in enumerate(self.kind) if kind == wanted])
        return known

    def list_at(self, row: int) -> Sequence[int]:
        """Items of one list of expressions."""
        return self._source.list_at(row)

    def text(self, row: int) -> str:
        """Name of a row."""
        return self.strings[self.name[row]]

    def bases(self, row: int) -> Sequence[tuple[int, int]]:
        """(expression, keyword string or -1) of a class or interface."""
        if self._bases is None:
            table = self._source.bases
            self._bases = grouped(table.definition, zip(table.expression, table.keyword, strict=True))
        return self._bases.get(row, ())

    def decorators(self, row: int) -> Sequence[tuple[int, str]]:
        """(expression, last name) of a definition."""
        if self._decorators is None:
            table = self._source.decorators
            names = [self.strings[name] if name != NONE else "" for name in table.name]
            self._decorators = grouped(table.definition, zip(table.expression, names, strict=True))
        return self._decorators.get(row, ())

    def returns(self, row: int) -> Sequence[tuple[int, int]]:
        """(expression, kind) of what leaves a function."""
        if self._returns is None:
            table = self._source.returns
            self._returns = grouped(table.definition, zip(table.expression, table.kind, strict=True))
        return self._returns.get(row, ())

    def parameters(self, row: int) -> Sequence[int]:
        """Parameters of a function, in order."""
        if self._parameters is None:
            self._parameters = self.parameter_rows()
        return self._parameters.get(self.body[row], ())

    def _rows_by_name(self) -> Mapping[int, Mapping[str, tuple[int, ...]]]:
        named: dict[int, dict[str, list[int]]] = {}
        strings = self.strings
        for row, (name, scope) in enumerate(zip(self.name, self.scope, strict=True)):
            named.setdefault(scope, {}).setdefault(strings[name], []).append(row)
        return {scope: {name: tuple(rows) for name, rows in names.items()} for scope, names in named.items()}

    def parameter_rows(self) -> Mapping[int, Sequence[int]]:
        """Parameters by the scope they are bound in."""
        return self.rows_by_scope(PARAMETER_DEFINITION)

    def rows_by_scope(self, wanted: int) -> Mapping[int, Sequence[int]]:
        """Rows of one kind, by the scope they are bound in."""
        rows = [row for row, kind in enumerate(self.kind) if kind == wanted]
        return grouped((self.scope[row] for row in rows), rows)


def grouped(keys: Iterable[int], items: Iterable[T]) -> Mapping[int, Sequence[T]]:
    """Items that have the same key, in order."""
    found: dict[int, list[T]] = {}
    for key, item in zip(keys, items, strict=True):
        found.setdefault(key, []).append(item)
    return found
