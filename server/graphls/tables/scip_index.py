"""SCIP index: a snapshot as other code intelligence reads it.

Owns: documents, occurrences, symbols and their relations as SCIP has them.
Must not know: where bytes go, how symbols are spelled.
Invariant: every symbol that occurs is described once, in the document that defines it or as an external one; equal
    contents give equal bytes. A use that only its name leads anywhere has no occurrence: SCIP cannot say "perhaps".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, Protocol, cast

from graphls import __version__
from graphls.compilers.scip_messages import DOCUMENTS, EXTERNAL_SYMBOLS, METADATA, message
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, OccurrenceFlag, Resolution, Role
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from
from graphls.graph.evidence import RawEdge
from graphls.graph.monikers import external_moniker, moniker
from graphls.graph.nodes import import_occurrence, is_test_file, symbol_row, symbol_rows
from graphls.graph.snapshot import Snapshot, SymbolRef, Target, rows_of
from graphls.graph.spelling import external_name

_DEFINITION, _IMPORT, _WRITE, _READ, _GENERATED, _TEST = 1, 2, 4, 8, 16, 32
_ROLES: Final[Mapping[int, int]] = {
    Role.WRITE: _WRITE,
    Role.DELETE: _WRITE,
    Role.IMPORT: _IMPORT,
    Role.EXPORT: _READ,
}
_ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
_CALLED: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_CONSTRUCTOR, _ABSTRACT, _MODULE = 9, 66, 29
_KINDS: Final[Mapping[int, int]] = {
    DefinitionKind.FUNCTION: 17,
    DefinitionKind.METHOD: 26,
    DefinitionKind.CLASS: 7,
    DefinitionKind.VARIABLE: 61,
    DefinitionKind.CONSTANT: 8,
    DefinitionKind.FIELD: 15,
    DefinitionKind.PROPERTY: 41,
    DefinitionKind.PARAMETER: 37,
    DefinitionKind.TYPE_PARAMETER: 58,
    DefinitionKind.TYPE_ALIAS: 55,
    DefinitionKind.ENUM_MEMBER: 12,
    DefinitionKind.INTERFACE: 21,
    DefinitionKind.ENUM: 11,
    DefinitionKind.NAMESPACE: 30,
}
"""`SymbolInformation.Kind` of each kind of definition."""
_RELATIONS: Final = frozenset(("extends", "implements", "overrides"))
_UTF8, _BYTES = 1, 1
_Range = tuple[int, ...]


class _Writable(Protocol):
    def SerializeToString(self, *, deterministic: bool) -> bytes: ...  # noqa: N802 (protobuf's name)


def scip_chunks(snapshot: Snapshot, files: Sequence[FilePath]) -> Iterator[bytes]:
    """The bytes of an index of files, one document a chunk."""
    tool = {"name": "graphls", "version": __version__}
    # Where the workspace lies is not for an index that others read: paths are relative to wherever they have it.
    yield _field(METADATA, _made("Metadata", tool_info=tool, project_root="file:///", text_document_encoding=_UTF8))
    externals: dict[str, str] = {}
    inside = frozenset(files)
    for path in files:
        if snapshot.shards[path].language:
            yield _field(DOCUMENTS, _IndexDocument(snapshot, path, inside, externals).message())
    for symbol, name in sorted(externals.items()):
        yield _field(EXTERNAL_SYMBOLS, _made("SymbolInformation", symbol=symbol, display_name=name))


class _IndexDocument:
    """One file. `inside`: the files of the index. `externals`: takes what it names outside of these, by symbol."""

    def __init__(
        self, snapshot: Snapshot, path: FilePath, inside: frozenset[FilePath], externals: dict[str, str]
    ) -> None:
        self._snapshot, self._path = snapshot, path
        self._inside, self._externals = inside, externals
        self._facts: FileFacts = snapshot.facts(path)
        self._links = snapshot.links(path)
        self._rows = symbol_rows(self._facts)
        self._symbols: dict[int, str] = {}
        self._everywhere = (_GENERATED if self._facts.generated else 0) | (_TEST if is_test_file(path) else 0)

    def message(self) -> _Writable:
        """The document."""
        known = self._snapshot.capabilities(self._path)
        occurrences = {**self._uses(), **self._definitions()}
        return _made(
            "Document",
            relative_path=self._path,
            language=known.file_type(self._path).editor_id if known else self._snapshot.shards[self._path].language,
            position_encoding=_BYTES,
            occurrences=[
                {
                    "range": where,
                    "symbol": symbol,
                    "symbol_roles": roles | self._everywhere,
                    **({"enclosing_range": around} if around else {}),
                }
                for (where, symbol), (roles, around) in sorted(occurrences.items())
            ],
            symbols=list(self._described()),
        )

    # ---- occurrences

    def _definitions(self) -> Mapping[tuple[_Range, str], tuple[int, _Range]]:
        """(range, symbol) -> roles and the range of the whole definition. A further binding of a variable writes it."""
        table = self._facts.definitions
        found: dict[tuple[_Range, str], tuple[int, _Range]] = {
            ((0, 0, 0), moniker(self._snapshot, SymbolRef(self._path, -1))): (_DEFINITION, ())
        }
        for row, kind in enumerate(table.kind):
            where = self._range(table.start[row], table.end[row])
            if kind == DefinitionKind.IMPORT:
                found.update({(where, symbol): (roles, ()) for symbol, roles in self._imported(row).items()})
                continue
            defines = self._rows[row] == row or kind in _CALLED
            around = self._range(table.full_start[row], table.full_end[row]) if defines else ()
            found.setdefault((where, self._symbol(row)), (_DEFINITION if defines else _WRITE, around))
        return found

    def _uses(self) -> Mapping[tuple[_Range, str], tuple[int, _Range]]:
        table, targets = self._facts.occurrences, self._links.targets
        found: dict[tuple[_Range, str], tuple[int, _Range]] = {}
        for at in range(len(targets)):
            target = self._snapshot.target(self._path, self._links, at)
            symbol = self._target_symbol(target)
            if not symbol:
                continue
            row = targets.occurrence[at]
            roles = _ROLES.get(table.role[row], _READ) | (_WRITE if table.flags[row] & _ALSO_WRITE else 0)
            found[self._range(table.start[row], table.end[row]), symbol] = roles, ()
        return found

    def _imported(self, row: int) -> Mapping[str, int]:
        """What a binding of an import stands for, with the roles of the place: what the name in the import means, and
        the binding itself where uses mean that."""
        use = import_occurrence(self._facts, row)
        rows = rows_of(self._links.targets, use) if use >= 0 else ()
        symbols = (self._target_symbol(self._snapshot.target(self._path, self._links, at)) for at in rows)
        own = self._symbols.get(row, "")
        found = {symbol: _IMPORT for symbol in symbols if symbol and symbol != own}
        return {**found, own: _DEFINITION | _IMPORT} if own else found

    def _target_symbol(self, target: Target) -> str:
        """The symbol of a target; "" for what only the equality of names speaks for, and for what is no symbol."""
        place = target.place
        if target.resolution is Resolution.NAME:
            return ""
        if place is None:
            return self._external(target.external)
        if place.definition < 0 and not self._snapshot.shards[place.file].language:
            return ""
        if place.file == self._path:
            return self._symbol(place.definition)
        symbol = moniker(self._snapshot, place)
        if symbol.startswith("local "):
            return ""
        if place.file not in self._inside:
            self._externals[symbol] = _name_of(self._snapshot, place)
        return symbol

    def _external(self, dotted: str) -> str:
        symbol = external_moniker(self._snapshot, dotted)
        self._externals[symbol] = external_name(dotted)
        return symbol

    def _symbol(self, row: int) -> str:
        row = self._rows[row] if row >= 0 else row
        if row not in self._symbols:
            self._symbols[row] = moniker(self._snapshot, SymbolRef(self._path, row))
        return self._symbols[row]

    def _range(self, start: int, end: int) -> _Range:
        (line, column), (last, after) = self._facts.line_column(start), self._facts.line_column(end)
        return (line, column, after) if line == last else (line, column, last, after)

    # ---- symbols

    def _described(self) -> Iterator[Mapping[str, object]]:
        module = moniker(self._snapshot, SymbolRef(self._path, -1))
        doc = {"documentation": [self._facts.doc]} if self._facts.doc else {}
        yield {"symbol": module, "kind": _MODULE, "display_name": self._path.rpartition("/")[2], **doc}
        related = self._related()
        table = self._facts.definitions
        for row in range(len(table)):
            if self._rows[row] == row and (table.kind[row] != DefinitionKind.IMPORT or row in self._symbols):
                yield self._description(row, related.get(row, {}))

    def _description(self, row: int, related: Mapping[str, Mapping[str, bool]]) -> Mapping[str, object]:
        facts, table, symbol = self._facts, self._facts.definitions, self._symbol(row)
        described: dict[str, object] = {
            "symbol": symbol,
            "kind": self._kind(row),
            "display_name": facts.strings[table.name[row]],
        }
        if table.doc[row] >= 0:
            described["documentation"] = [facts.strings[table.doc[row]]]
        if table.signature[row] >= 0:
            text, language = facts.strings[table.signature[row]], self._snapshot.shards[self._path].language
            described["signature_documentation"] = {"text": text, "language": language}
        if symbol.startswith("local ") and table.owner[row] >= 0:
            described["enclosing_symbol"] = self._symbol(table.owner[row])
        if related:
            described["relationships"] = [{"symbol": other, **flags} for other, flags in sorted(related.items())]
        return described

    def _related(self) -> Mapping[int, Mapping[str, Mapping[str, bool]]]:
        """Row -> symbols that it extends, implements or stands in for, with what that makes of them."""
        found: dict[int, dict[str, Mapping[str, bool]]] = {}
        edges: list[RawEdge] = [edge for edge in edges_from(self._snapshot, self._path) if edge.kind in _RELATIONS]
        for edge in sorted(edges, key=attrgetter("kind")):
            if not isinstance(edge.source, SymbolRef):
                continue
            target = edge.target
            if isinstance(target, str):
                symbol = self._external(target)
            elif isinstance(target, SymbolRef):
                symbol = moniker(self._snapshot, target)
                if target.file not in self._inside:
                    self._externals[symbol] = _name_of(self._snapshot, target)
            else:
                continue
            member = edge.source.definition >= 0 and self._facts.definitions.kind[edge.source.definition] in _CALLED
            # Who looks for uses of a method wants those through what stands in for it as well; of a class not.
            flags = {"is_implementation": True, **({"is_reference": True} if member else {})}
            if not symbol.startswith("local "):
                found.setdefault(edge.source.definition, {})[symbol] = flags
        return found

    def _kind(self, row: int) -> int:
        table, known = self._facts.definitions, self._snapshot.capabilities(self._path)
        kind, name = table.kind[row], self._facts.strings[table.name[row]]
        if kind == DefinitionKind.METHOD:
            if known is not None and name in known.constructors:
                return _CONSTRUCTOR
            if table.flags[row] & DefinitionFlag.ABSTRACT:
                return _ABSTRACT
        return _KINDS.get(kind, 0)


def _name_of(snapshot: Snapshot, place: SymbolRef) -> str:
    if place.definition < 0:
        return place.file.rpartition("/")[2]
    facts = snapshot.facts(place.file)
    return facts.strings[facts.definitions.name[symbol_row(facts, place.definition)]]


def _made(name: str, **fields: object) -> _Writable:
    return cast("_Writable", message(name)(**fields))


def _field(number: int, part: _Writable) -> bytes:
    """A part of the outermost message as it travels: key, length, bytes."""
    raw = part.SerializeToString(deterministic=True)
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes((*found, value))
