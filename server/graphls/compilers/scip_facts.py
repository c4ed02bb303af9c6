"""Scip facts: what an index says of a file whose language graphls does not read, as facts of that file.

Owns: kinds of symbols, what is declared in what, which definition a use belongs to.
Must not know: other files, what uses lead to, where facts are kept.
Invariant: nothing is in the facts that the index does not say, but whether a bracket follows a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from graphls.compilers.scip import ScipDocument, ScipUse, holder_of, is_local, is_spelled, last_sign
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role, ScopeKind
from graphls.facts.lines import LineIndex
from graphls.facts.surface import Surface
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FULL_END,
    D_FULL_START,
    D_KIND,
    D_OWNER,
    D_SCOPE,
    D_START,
    FactsBuilder,
)
from graphls.languages.extract.surfaces import build_surface
from graphls.languages.extract.tables import file_facts

_WRITES: Final = 4
_DEEPEST: Final = 200
_ODD: Final = 10
"""A document of which one definition in so many has another name in the file is about other contents."""
_KINDS: Final[Mapping[DefinitionKind, frozenset[int]]] = {
    DefinitionKind.FUNCTION: frozenset({17, 25}),
    DefinitionKind.METHOD: frozenset({9, 18, 26, 45, 66, 67, 68, 69, 70, 71, 74, 76, 80}),
    DefinitionKind.CLASS: frozenset({7, 28, 33, 49, 54, 59, 63, 75}),
    DefinitionKind.INTERFACE: frozenset({21, 42, 53, 56, 85}),
    DefinitionKind.ENUM: frozenset({11}),
    DefinitionKind.ENUM_MEMBER: frozenset({12}),
    DefinitionKind.NAMESPACE: frozenset({29, 30, 35, 36}),
    DefinitionKind.TYPE_ALIAS: frozenset({5, 55}),
    DefinitionKind.TYPE_PARAMETER: frozenset({58}),
    DefinitionKind.PARAMETER: frozenset({27, 37, 44, 52}),
    DefinitionKind.CONSTANT: frozenset({8}),
    DefinitionKind.FIELD: frozenset({15, 77, 79}),
    DefinitionKind.PROPERTY: frozenset({41, 72, 81}),
    DefinitionKind.VARIABLE: frozenset({60, 61, 82}),
}
"""`SymbolInformation.Kind` of each kind of definition."""
_BY_KIND: Final = {number: kind for kind, numbers in _KINDS.items() for number in numbers}
_BY_SIGN: Final[Mapping[str, DefinitionKind]] = {
    "/": DefinitionKind.NAMESPACE,
    "#": DefinitionKind.CLASS,
    "!": DefinitionKind.FUNCTION,
    "]": DefinitionKind.TYPE_PARAMETER,
    ")": DefinitionKind.PARAMETER,
}
TYPES: Final = frozenset({DefinitionKind.CLASS, DefinitionKind.INTERFACE, DefinitionKind.ENUM})
CALLABLES: Final = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD})
_SCOPES: Final[Mapping[int, ScopeKind]] = {
    **dict.fromkeys(TYPES, ScopeKind.CLASS),
    **dict.fromkeys(CALLABLES, ScopeKind.FUNCTION),
    DefinitionKind.NAMESPACE: ScopeKind.NAMESPACE,
}
_ABSTRACT: Final = frozenset({66, 67, 68, 69, 70, 71})


@attrs.frozen(eq=False)
class ScipFileFacts:
    """One file. `rows`: definitions by symbol, -1 for the file itself; `meant`: for each occurrence its symbols."""

    facts: FileFacts
    surface: Surface
    rows: Mapping[str, int]
    meant: Sequence[Sequence[str]]
    called: Sequence[bool]
    """For each occurrence whether a bracket follows."""


def scip_file_facts(document: ScipDocument, data: bytes) -> ScipFileFacts | None:
    """The facts of a file with these contents; None where the document is about others."""
    spans = spans_of(document, data)
    return None if spans is None else _ScipReading(document, data, spans).result()


def spans_of(document: ScipDocument, raw: bytes) -> Sequence[tuple[int, int]] | None:
    """The uses of a document as offsets; None where the file has other contents."""
    if document.text and document.text.encode(errors="surrogatepass") != raw:
        return None
    lines, spans = LineIndex(raw), list[tuple[int, int]]()
    named = odd = 0
    for use in document.uses:
        if use.end_line >= lines.line_count:
            return None
        start = lines.offset(use.line, use.start, document.encoding)
        end = lines.offset(use.end_line, use.end, document.encoding)
        spans.append((start, end))
        if lines.position(start, document.encoding) != (use.line, use.start):
            return None  # the line is shorter
        if use.defines and start < end and not is_local(use.symbol):
            named += 1
            odd += not is_spelled(use.symbol, raw[start:end].decode(errors="replace"))
    return None if odd * _ODD > named else spans


class _ScipReading:
    def __init__(self, document: ScipDocument, data: bytes, spans: Sequence[tuple[int, int]]) -> None:
        self._document, self._data = document, data
        self._uses = sorted(zip(spans, document.uses, strict=True), key=lambda one: (one[0], one[1].symbol))
        self._lines = LineIndex(data)
        self._builder = FactsBuilder(data)
        self._builder.scopes.append([ScopeKind.MODULE, -1, 0, len(data), -1])
        self._rows: dict[str, int] = {}
        self._starts: set[int] = set()
        self._heirs: dict[int, frozenset[str]] = {}
        """Row of a type -> the symbols that it extends or implements."""

    def result(self) -> ScipFileFacts:
        for (start, end), use in self._uses:
            if use.defines:
                self._define(start, end, use)
        self._nest()
        meant = self._occurrences()
        facts, surface = build_surface(file_facts(self._builder, ""))
        starts, ends = facts.occurrences.start, facts.occurrences.end
        return ScipFileFacts(
            facts,
            surface,
            self._rows,
            [meant[at] for at in zip(starts, ends, strict=True)],
            [self._data[end : end + 1] == b"(" for end in ends],
        )

    def _define(self, start: int, end: int, use: ScipUse) -> None:
        if start == end:
            self._rows.setdefault(use.symbol, -1)  # what stands nowhere is the file
            return
        if start in self._starts:  # one name, two symbols: a parameter that is a field
            self._rows.setdefault(use.symbol, len(self._builder.definitions) - 1)
            return
        self._starts.add(start)
        said, builder = self._document.symbols.get(use.symbol), self._builder
        around = self._around(use, start, end)
        kind = self._kind(use.symbol)
        flags = DefinitionFlag.ABSTRACT if said is not None and said.kind in _ABSTRACT else 0
        doc = "\n\n".join(said.documentation) if said is not None else ""
        signature = " ".join(said.signature.split()) if said is not None else ""
        texts = [builder.text(text) if text else -1 for text in (doc, signature)]
        name = builder.name(start, end)
        # Name, kind, flags, scope, the name, the whole, body, type, value, doc, signature, surface, owner.
        row = [name, kind, int(flags), 0, start, end, *around, -1, -1, -1, *texts, -1, -1]
        self._rows.setdefault(use.symbol, len(builder.definitions))
        builder.definitions.append(row)
        if said is not None and kind in TYPES:
            self._heirs[len(builder.definitions) - 1] = frozenset(said.implements)

    def _around(self, use: ScipUse, start: int, end: int) -> tuple[int, int]:
        if not use.around:
            return start, end
        line, column, last, after = use.around
        count, encoding = self._lines.line_count, self._document.encoding
        first = self._lines.offset(line, column, encoding) if line < count else start
        final = self._lines.offset(last, after, encoding) if last < count else len(self._data)
        return min(first, start), max(final, end)

    def _kind(self, symbol: str) -> DefinitionKind:
        said = self._document.symbols.get(symbol)
        known = _BY_KIND.get(said.kind) if said is not None else None
        if known is not None:
            return known
        sign, holder = last_sign(symbol), holder_of(symbol)
        inside = last_sign(holder) == "#"
        if sign == "().":
            return DefinitionKind.METHOD if inside else DefinitionKind.FUNCTION
        return _BY_SIGN.get(sign, DefinitionKind.FIELD if inside else DefinitionKind.VARIABLE)

    # ---- what is declared in what

    def _nest(self) -> None:
        """A symbol is declared in the one that its own name says; a local in the innermost definition around it."""
        rows, builder = self._builder.definitions, self._builder
        symbols = {row: symbol for symbol, row in reversed(self._rows.items())}
        around = _Around(rows)
        for row, fields in enumerate(rows):
            symbol = symbols.get(row, "")
            if symbol and not is_local(symbol):
                fields[D_OWNER] = self._rows.get(holder_of(symbol), -1)
            else:
                fields[D_OWNER] = around.outside(row)
        for row in sorted(range(len(rows)), key=lambda row: (self._depth(row), row)):
            fields = rows[row]
            owner = fields[D_OWNER]
            fields[D_SCOPE] = max(rows[owner][D_BODY], 0) if owner >= 0 else 0
            kind = _SCOPES.get(fields[D_KIND], ScopeKind.OBJECT)
            builder.scope = fields[D_SCOPE]
            fields[D_BODY] = builder.open_scope(kind, fields[D_FULL_START], fields[D_FULL_END], row)

    def _depth(self, row: int) -> int:
        depth = 0
        while row >= 0:
            row, depth = self._builder.definitions[row][D_OWNER], depth + 1
        return depth

    # ---- uses

    def _occurrences(self) -> Mapping[tuple[int, int], Sequence[str]]:
        """Adds them; the symbols at each place."""
        builder, rows = self._builder, self._builder.definitions
        around, meant = _Around(rows), dict[tuple[int, int], list[str]]()
        for (start, end), use in self._uses:
            if use.defines or start == end or start in self._starts:
                continue
            known = meant.setdefault((start, end), [])
            if use.symbol not in known:
                known.append(use.symbol)
            if len(known) > 1:
                continue
            owner = around.innermost(start)
            builder.owner = owner
            builder.scope = rows[owner][D_BODY] if owner >= 0 else 0
            builder.use(start, end, self._role(use, owner, start))
        return meant

    def _role(self, use: ScipUse, owner: int, start: int) -> Role:
        if use.symbol in self._heirs.get(owner, ()) and start > self._builder.definitions[owner][D_START]:
            return Role.INHERIT
        return Role.WRITE if use.roles & _WRITES else Role.READ


class _Around:
    """The definitions around an offset; `outside` and `innermost` are asked in ascending order."""

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._rows = rows
        wide = (row for row, fields in enumerate(rows) if fields[D_FULL_END] - fields[D_FULL_START] > 0)
        self._waiting = iter(sorted(wide, key=lambda row: (rows[row][D_FULL_START], -rows[row][D_FULL_END])))
        self._next: int | None = next(self._waiting, None)
        self._open: list[int] = []

    def innermost(self, offset: int) -> int:
        """The one that begins last and is not over."""
        self._advance(offset)
        return self._open[-1] if self._open else -1

    def outside(self, row: int) -> int:
        """Of a definition the innermost one that is larger."""
        start, end = self._rows[row][D_FULL_START], self._rows[row][D_FULL_END]
        self._advance(self._rows[row][D_START])
        for other in reversed(self._open):
            fields = self._rows[other]
            if fields[D_FULL_START] <= start and end <= fields[D_FULL_END] and other != row:
                size = fields[D_FULL_END] - fields[D_FULL_START]
                if size > end - start:
                    return other
        return -1

    def _advance(self, offset: int) -> None:
        while self._next is not None and self._rows[self._next][D_FULL_START] <= offset:
            fields = self._rows[self._next]
            while self._open and self._rows[self._open[-1]][D_FULL_END] < fields[D_FULL_END]:
                self._open.pop()  # one that only overlaps holds nothing
            if len(self._open) < _DEEPEST:
                self._open.append(self._next)
            self._next = next(self._waiting, None)
        while self._open and self._rows[self._open[-1]][D_FULL_END] <= offset:
            self._open.pop()
