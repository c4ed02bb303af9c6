"""Passing: what one file does with the values that its names hold, at hand and in the store.

Owns: the values of one file by use and definition, how long they are at hand, where earlier runs left them.
Must not know: how they are read from text, what names mean, other files.
Invariant: a function of one file's contents, wherever it comes from.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from graphls.analysis.flow.leaves import LeafReader
from graphls.analysis.flow.passing_reader import PassingReader
from graphls.analysis.flow.value_lists import ArgumentLists, LeafLists, PassingTables, SpreadLists, WayLists
from graphls.analysis.flow.values import Leaf, Takes
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.memo import BoundedMemo, Memo
from graphls.graph.snapshot import Snapshot

VERSION: Final = 4
"""Raised whenever something else is read from the same contents."""
_SUBJECT: Final = f"passing {VERSION}"


class FilePassing:
    """What one file passes on, from both ends."""

    def __init__(self, tables: PassingTables) -> None:
        words = tables.words
        self.bound = LeafLists(tables.bound)
        """Definition -> what its value is taken from."""
        self.returned = LeafLists(tables.returned)
        """Function -> what it gives back."""
        self.yielded = LeafLists(tables.yielded)
        """Generator -> its elements."""
        self.called = LeafLists(tables.called)
        """Construct that calls a value -> what that is taken from."""
        self.called_back = LeafLists(tables.called_back)
        """Use of what a library may declare -> the arguments that this calls then."""
        self.stored = LeafLists(tables.stored)
        """Use of a container -> what is put into it there."""
        self.written = LeafLists(tables.written)
        """Use of a member that is written to -> what it is given."""
        self.given = ArgumentLists(tables.given, words)
        """Use that is called -> its arguments, as far as they are names."""
        self.filled = ArgumentLists(tables.filled, words)
        """Use of a type -> what the fields of objects are given in their order that are written out there."""
        self.spread = SpreadLists(tables.spread, words)
        """Use that is called -> the containers whose elements are its further arguments."""
        self.ways = WayLists(tables.ways, words)
        """Use -> where its value goes."""
        self.undispatched: Collection[int] = frozenset(tables.undispatched)
        """Uses that call a member of `super`: no override of it runs there."""
        self.decorated: dict[int, tuple[int, bool]] = {}
        """Use that names a decorator -> the definition below, and whether the decorator is the result of a call."""
        self.decorators: dict[int, list[tuple[int, bool]]] = {}
        """The inverse."""
        above = tables.decorators
        for use, definition, by_call in zip(above.use, above.definition, above.by_call, strict=True):
            self.decorated[use] = definition, bool(by_call)
            self.decorators.setdefault(definition, []).append((use, bool(by_call)))
        named = tables.computed
        self.computed: Mapping[int, tuple[int, str]] = {
            use: (receiver, words[prefix])
            for use, receiver, prefix in zip(named.use, named.receiver, named.prefix, strict=True)
        }
        """Use of what looks a member up by a name that is worked out -> use of the object, what the name begins
        with."""
        self.unpacked: Mapping[int, int] = dict(
            zip(tables.unpacked.definition, tables.unpacked.expression, strict=True)
        )
        """Definition -> the expression of an object that it is a part of: `a, b = x`, `for a, b in xs`. Of what is
        called by that name, as only that is asked for."""

    def size(self) -> int:
        """Bytes that it takes, about."""
        lists = (
            self.bound, self.returned, self.yielded, self.called, self.called_back, self.stored, self.written,
            self.given, self.filled, self.spread, self.ways,
        )  # fmt: skip
        rows = sum(len(one.rows) for one in lists)
        single = len(self.undispatched) + len(self.decorated) + len(self.computed) + len(self.unpacked)
        return rows * _ROW_BYTES + single * _ENTRY_BYTES


_ROW_BYTES: Final = 20
_ENTRY_BYTES: Final = 128
"""About what a row of a table takes, and an entry of a mapping."""
MOST_BYTES, MOST_OPERAND_BYTES = 64_000_000, 32_000_000
"""Of the memos of files below. To read a megabyte of text again takes a quarter of a second, and a fiftieth from the
store."""
_MEMO: Final = BoundedMemo["FilePassing"]("passing", FilePassing.size, MOST_BYTES, rests_on_links=False)


def passing_of(snapshot: Snapshot, path: FilePath) -> FilePassing:
    """That of one file; kept with its contents while it is among those that were read last."""
    shard = snapshot.shards[path]

    def read() -> FilePassing:
        tables = _unpacked(snapshot.reader.file_values(snapshot, _SUBJECT, (path,)).get(path))
        if tables is None:
            tables = _read(snapshot, path)
            snapshot.reader.store_file_values(snapshot, _SUBJECT, {path: _packed(tables)})
        return FilePassing(tables)

    return _MEMO.once(shard, read)


_STORED: Final = Memo[bool]("passing is stored", rests_on_links=False)


def store_passing(snapshot: Snapshot, paths: Sequence[FilePath]) -> None:
    """Has the store know what files pass on. It is asked once about each content: this runs after every edit."""
    shards = snapshot.shards
    unsure = [path for path in paths if not shards[path].dirty and _STORED.get(shards[path]) is None]
    if not unsure:
        return
    known = snapshot.reader.file_values(snapshot, _SUBJECT, unsure)
    made = {path: _packed(_read(snapshot, path)) for path in unsure if path not in known}
    snapshot.reader.store_file_values(snapshot, _SUBJECT, made)
    for path in unsure:
        _STORED.put(shards[path], True)


def _read(snapshot: Snapshot, path: FilePath) -> PassingTables:
    return PassingReader(snapshot.facts(path), code_of(snapshot, path), snapshot.capabilities(path)).read()


def _packed(tables: PassingTables) -> bytes:
    return zlib.compress(encode(tables), 1)


def _unpacked(raw: bytes | None) -> PassingTables | None:
    try:
        return None if raw is None else decode(PassingTables, zlib.decompress(raw))
    except (CodecError, zlib.error):
        return None


def is_passing_known(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether that needs no reading."""
    return _MEMO.get(snapshot.shards[path]) is not None


_OPERANDS: Final = BoundedMemo["Mapping[int, Sequence[Operand]]"](
    "operands", lambda one: sum(map(len, one.values())) * _ENTRY_BYTES, MOST_OPERAND_BYTES, rests_on_links=False
)


class Operand(NamedTuple):
    """A construct, or the call of a member, (row) whose operand is taken from a use."""

    row: int
    takes: Takes
    inside: bool


def operands_of(snapshot: Snapshot, path: FilePath) -> Mapping[int, Sequence[Operand]]:
    """Use -> constructs whose operand it is, of one file; kept likewise."""
    shard = snapshot.shards[path]

    def read() -> Mapping[int, Sequence[Operand]]:
        facts = snapshot.facts(path)
        found: dict[int, list[Operand]] = {}
        reader = _reader(snapshot, path)
        for row, operand in enumerate(facts.constructs.operand):
            for leaf in reader.taken_from(operand) if operand >= 0 else ():
                found.setdefault(leaf.use, []).append(Operand(row, leaf.takes, leaf.inside))
        return {use: tuple(operands) for use, operands in found.items()}

    return _OPERANDS.once(shard, read)


_RECEIVERS: Final = BoundedMemo["Mapping[int, Sequence[Operand]]"](
    "receivers", lambda one: sum(map(len, one.values())) * _ENTRY_BYTES, MOST_OPERAND_BYTES, rests_on_links=False
)


def receivers_of(snapshot: Snapshot, path: FilePath) -> Mapping[int, Sequence[Operand]]:
    """Use -> calls of members (rows of occurrences) before whose dot it stands, of one file; kept likewise."""
    shard = snapshot.shards[path]

    def read() -> Mapping[int, Sequence[Operand]]:
        uses = snapshot.facts(path).occurrences
        found: dict[int, list[Operand]] = {}
        reader = leaves_reader(snapshot, path)
        for row, (base, role) in enumerate(zip(uses.base, uses.role, strict=True)):
            for leaf in reader(base) if base >= 0 and role == Role.CALL else ():
                found.setdefault(leaf.use, []).append(Operand(row, leaf.takes, leaf.inside))
        return {use: tuple(operands) for use, operands in found.items()}

    return _RECEIVERS.once(shard, read)


def leaves_reader(snapshot: Snapshot, path: FilePath) -> Callable[[int], Iterator[Leaf]]:
    """What tells what the value of an expression of one file is taken from."""
    return _reader(snapshot, path).taken_from


def _reader(snapshot: Snapshot, path: FilePath) -> LeafReader:
    known = snapshot.capabilities(path)
    lambdas = known is not None and known.is_functional is not None
    return LeafReader(snapshot.facts(path), code_of(snapshot, path), lambdas=lambdas)
