"""Node table: what answers show of the nodes of one file, packed, so that showing a node reads no facts.

Owns: the packed form, what is shown of a node, where that is read from.
Must not know: ids, where tables are kept on disk, how answers are written.
Invariant: says of a node what the facts of its file say.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from graphls.facts.columns import NONE, Column, Table
from graphls.facts.file_facts import FileFacts
from graphls.facts.name_numbers import name_number
from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, addresses
from graphls.graph.memo import Memo
from graphls.graph.nodes import NodeKind, kind_of, qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import ordinals, suffix

VERSION = 4
"""Raised whenever the packed form changes, or what is shown of equal facts does."""
_MEMO = Memo["NodeTable"]("node table")
NODE_NAMES = f"names of nodes {VERSION}"
"""What sorted numbers of the names of the nodes of a file are stored as, without those of imports."""
IMPORTS = frozenset({"import", "api_member"})


class NodeSummary(NamedTuple):
    """What an answer says of a node. Of a module neither names nor offsets: they are no matter of its contents."""

    kind: str
    subkind: str
    name: str
    qualified: str
    """As symbols spell it, with a number where several are called that."""
    start: int
    end: int
    full_start: int
    full_end: int
    signature: str | None
    doc: str


@attrs.frozen(eq=False)
class NodeRows(Table):
    """One row a node, in the order of `Addresses.slots`."""

    kind: Column
    """Number of a kind; twice that, and one more where there is a signature."""
    start: Column
    end: Column
    full_start: Column
    full_end: Column
    text: Column
    """Where in `texts` its qualified name begins; that ends where its signature begins."""
    name: Column
    """Where its name begins, which the qualified name ends with."""
    signature: Column
    doc: Column
    """Likewise; it ends where the text of the next node begins."""
    number: Column
    """What stands behind the qualified name in symbols, 0 for nothing."""


@attrs.frozen(eq=False)
class NodeTable:
    """The nodes of one file."""

    version: int
    kinds: tuple[str, ...]
    """Kind and subkind, with a blank between them."""
    texts: bytes
    rows: NodeRows
    doc: str
    """Of the module."""


def pack_nodes(facts: FileFacts, path: FilePath, language: str, ids: Addresses) -> NodeTable:
    """The table of a file."""
    table, strings = facts.definitions, facts.strings
    kinds: dict[str, int] = {}
    texts = bytearray()
    rows: list[tuple[int, ...]] = []
    numbers = ordinals(facts, ids.rows)
    for row, canonical in enumerate(ids.rows):
        if canonical != row or ids.slots[row] != len(rows):
            continue
        summary = _read(facts, path, row, language, "")
        number = kinds.setdefault(f"{summary.kind} {summary.subkind}", len(kinds))
        at = len(texts)
        texts += _bytes(summary.qualified)
        signature = len(texts)
        texts += _bytes(summary.signature or "")
        doc = len(texts)
        texts += _bytes(summary.doc)
        name = signature - len(_bytes(strings[table.name[row]]))
        offsets = (summary.start, summary.end, summary.full_start, summary.full_end)
        texts_at = (at, name, signature, doc)
        rows.append((2 * number + (summary.signature is not None), *offsets, *texts_at, numbers.get(row, 0)))
    return NodeTable(VERSION, tuple(kinds), bytes(texts), NodeRows.of(rows), facts.doc)


def cache_nodes(snapshot: Snapshot, path: FilePath, table: NodeTable) -> None:
    """Has the table at hand as long as the file has its contents."""
    if table.version == VERSION:
        _MEMO.put(snapshot.shards[path], table)


def cached_nodes(snapshot: Snapshot, path: FilePath) -> NodeTable | None:
    """The table of a file, if it is at hand."""
    return _MEMO.get(snapshot.shards[path])


def declaring_files(snapshot: Snapshot, paths: Sequence[FilePath], name: str) -> Sequence[FilePath]:
    """Those of some files in which more than the binding of an import may have a name, as far as is known without their
    facts."""
    tables = {path: cached_nodes(snapshot, path) for path in paths}
    missing = [path for path, table in tables.items() if table is None]
    stored: Mapping[FilePath, bytes] = snapshot.reader.file_values(snapshot, NODE_NAMES, missing) if missing else {}
    spelled, number = _bytes(name), name_number(name)

    def may_declare(path: FilePath, table: NodeTable | None) -> bool:
        if table is not None:
            return spelled in table.texts and spelled in _names(table)
        numbers = stored.get(path)
        return numbers is None or number in _numbers(numbers)

    return [path for path, table in tables.items() if may_declare(path, table)]


def packed_names(table: NodeTable) -> bytes:
    """What is stored of a file as `NODE_NAMES`."""
    return array("Q", sorted({name_number(_text(name)) for name in _names(table)})).tobytes()


def _names(table: NodeTable) -> Iterator[bytes]:
    """Of all nodes that are no bindings of imports."""
    imports = {number for number, kind in enumerate(table.kinds) if kind.partition(" ")[0] in IMPORTS}
    rows = zip(table.rows.name, table.rows.signature, table.rows.kind, strict=True)
    return (table.texts[at:end] for at, end, kind in rows if kind >> 1 not in imports)


def _numbers(raw: bytes) -> array[int]:
    numbers = array("Q")
    numbers.frombytes(raw[: len(raw) - len(raw) % numbers.itemsize])
    return numbers


class NodeSummaries:
    """What is shown of the nodes of one file that has a language. Made for one answer, then dropped."""

    __slots__ = ("_path", "_snapshot", "_table", "ids")

    def __init__(self, snapshot: Snapshot, path: FilePath) -> None:
        self._snapshot = snapshot
        self._path = path
        self._table = cached_nodes(snapshot, path)
        self.ids = addresses(snapshot, path)

    def summary(self, row: int) -> NodeSummary:
        """Of a row of definitions, or of the module."""
        table = self._table
        if table is not None:
            if row == NONE:
                return _of_module(table.doc)
            slot = _slot(self.ids, row)
            if slot >= 0:
                return _unpacked(table, slot)
        snapshot, path = self._snapshot, self._path
        return _read(snapshot.facts(path), path, row, snapshot.shards[path].language, suffix(snapshot, path, row))


def node_kind(snapshot: Snapshot, place: SymbolRef) -> NodeKind:
    """Kind of a place in a file that has a language."""
    file = place.file
    return kind_of(snapshot.facts(file), file, place.definition, snapshot.shards[file].language)


def record_kind(snapshot: Snapshot, place: SymbolRef) -> str:
    """Kind of a place in a file that has a language, as records spell it."""
    if place.definition == NONE:
        return "module"
    table = cached_nodes(snapshot, place.file)
    slot = NONE if table is None else _slot(addresses(snapshot, place.file), place.definition)
    if table is None or slot < 0:
        return node_kind(snapshot, place).kind
    return table.kinds[table.rows.kind[slot] >> 1].partition(" ")[0]


def is_import(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is the binding of an import."""
    return record_kind(snapshot, place) in IMPORTS


def _slot(ids: Addresses, row: int) -> int:
    """Number of the node that a row is; -1 for what others stand for, and for variables of functions."""
    return ids.slots[row] if ids.rows[row] == row else NONE


def _unpacked(table: NodeTable, slot: int) -> NodeSummary:
    rows, texts = table.rows, table.texts
    starts = rows.text
    kind = rows.kind[slot]
    text, name, signature, doc = starts[slot], rows.name[slot], rows.signature[slot], rows.doc[slot]
    following = starts[slot + 1] if slot + 1 < len(starts) else len(texts)
    word, _, subkind = table.kinds[kind >> 1].partition(" ")
    qualified, number = _text(texts[text:signature]), rows.number[slot]
    return NodeSummary(
        word,
        subkind,
        _text(texts[name:signature]),
        f"{qualified}#{number}" if number else qualified,
        rows.start[slot],
        rows.end[slot],
        rows.full_start[slot],
        rows.full_end[slot],
        _text(texts[signature:doc]) if kind & 1 else None,
        _text(texts[doc:following]),
    )


def _read(facts: FileFacts, path: FilePath, row: int, language: str, behind: str) -> NodeSummary:
    """The same by the facts. `behind`: what stands behind the qualified name."""
    if row == NONE:
        return _of_module(facts.doc)
    kind = kind_of(facts, path, row, language)
    table, strings = facts.definitions, facts.strings
    signature, doc = table.signature[row], table.doc[row]
    return NodeSummary(
        kind.kind,
        kind.subkind,
        strings[table.name[row]],
        qualified_name(facts, row) + behind,
        table.start[row],
        table.end[row],
        table.full_start[row],
        table.full_end[row],
        strings[signature] if signature != NONE else None,
        strings[doc] if doc != NONE else "",
    )


def _of_module(doc: str) -> NodeSummary:
    return NodeSummary("module", "", "", "", 0, 0, 0, 0, None, doc)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _text(raw: bytes) -> str:
    return raw.decode(errors="surrogatepass")
