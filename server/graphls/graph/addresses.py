"""Addresses: the ids of one file's nodes, in compact form.

Owns: what goes into a node id, which row of definitions a symbol of the surface is.
Must not know: records, edges, output.
Invariant: an id depends on package, module, qualified name and kind, and among equals on what is around and in them;
    never on a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from itertools import islice
from typing import NewType, TypeAlias

import attrs

from graphls.facts.columns import Column, Searchable, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.anchors import FIRST, Anchors
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.nodes import (
    container,
    getters_by_setter,
    is_lasting,
    kind_of,
    last_name,
    lasting_row,
    node_row,
    node_rows,
    qualified_name,
    qualified_names,
    rows_named,
)
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.capabilities import Capabilities
from graphls.languages.registry import capabilities_of, is_stub

NodeId = NewType("NodeId", str)
"""`n:` and 26 letters of base32."""
EdgeId = NewType("EdgeId", str)
"""`e:` and 26 letters of base32."""

DIGEST = 16
_Groups: TypeAlias = "tuple[tuple[tuple[str, str], list[int]], ...]"
"""Qualified name and kind -> the rows that have these."""
ADDRESSES_VERSION = 6
"""Raised whenever ids change, or the packed form of addresses."""
_MEMO = Memo["Addresses"]("addresses")
_HOMES = MemoTable["FilePath", str]("homes")
_SHAPED = Memo["_AddressMemo"]("shaped addresses")
_LOCALS = Memo["Mapping[int, str]"]("anchors of variables", rests_on_links=False)
_NO_ANCHORS: Mapping[int, str] = {}
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
# Base32 two letters at a time: base64.b32encode takes five times as long, and an export spells a million ids.
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]


def digest_of(*parts: str) -> bytes:
    """128 bits over a list of texts."""
    return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=DIGEST).digest()


def format_id(letter: str, digest: bytes) -> str:
    """An id as it is written: a letter, a colon, base32 in lower case."""
    # 128 bits and two zeros; the upper and the lower 70 and 60 bits apart, because long integers are slow to shift.
    high = int.from_bytes(digest[:9], "big")
    low = (high & 3) << 58 | int.from_bytes(digest[9:], "big") << 2
    high >>= 2
    pairs = _PAIRS
    return (
        f"{letter}:{pairs[high >> 60]}{pairs[high >> 50 & 1023]}{pairs[high >> 40 & 1023]}{pairs[high >> 30 & 1023]}"
        f"{pairs[high >> 20 & 1023]}{pairs[high >> 10 & 1023]}{pairs[high & 1023]}{pairs[low >> 50]}"
        f"{pairs[low >> 40 & 1023]}{pairs[low >> 30 & 1023]}{pairs[low >> 20 & 1023]}{pairs[low >> 10 & 1023]}"
        f"{pairs[low & 1023]}"
    )


@attrs.frozen(eq=False)
class Addresses(Searchable):
    """Ids of the lasting nodes of one file (see `nodes.is_lasting`), and where its symbols are."""

    home: str
    """Package and module of the file: the first part of every id."""
    module: bytes
    """Digest of the module itself."""
    digests: bytes
    """16 bytes a node."""
    slots: Column
    """A row of definitions -> number of its node (of the node that stands for it), -1 for none."""
    rows: Column
    """A row of definitions -> the row that stands for it."""
    symbols: Column
    """A row of the surface's symbols -> the row of definitions that stands for it."""
    constructors: Mapping[int, int]
    """A class that writes its own constructor -> the constructor."""
    getters: Mapping[int, int]
    """The setter or deleter of a property -> the property."""
    deleters: Set[int]
    """Those of `getters` that `del` runs."""
    setters: Mapping[int, Sequence[int]] = attrs.field(
        init=False, default=attrs.Factory(lambda self: _inverse(self.getters), takes_self=True)
    )
    """A property -> its setter and deleter."""

    def halves_of(self, row: int, *, deletes: bool) -> Iterator[int]:
        """The setter of a property or, where it `deletes`, its deleter."""
        return (half for half in self.setters.get(row, ()) if (half in self.deleters) == deletes)

    def digest(self, row: int) -> bytes | None:
        """Digest of the node a row of definitions belongs to; None for a variable of a function."""
        if row < 0:
            return self.module
        slot = self.slots[row]
        return self.digests[slot * DIGEST : slot * DIGEST + DIGEST] if slot >= 0 else None

    def row_of(self, digest: bytes) -> int | None:
        """The row with this id; -1 for the module, None when it is not of this file."""
        if digest == self.module:
            return -1
        at = self.digests.find(digest)
        while at % DIGEST and at >= 0:
            at = self.digests.find(digest, at + 1)
        return self.slots.index(at // DIGEST) if at >= 0 else None


def _inverse(found: Mapping[int, int]) -> Mapping[int, Sequence[int]]:
    inverse: dict[int, list[int]] = {}
    for key, value in found.items():
        inverse.setdefault(value, []).append(key)
    return inverse


def addresses(snapshot: Snapshot, path: FilePath) -> Addresses:
    """Addresses of one file; kept with its contents."""
    shard = snapshot.shards[path]
    known, home = _MEMO.get(shard), home_of(snapshot, path)
    if known is not None and known.home == home:
        return known
    facts = snapshot.facts(path)
    made = _recompute_addresses(shard, facts, home) if shard.dirty else _address(facts, shard, home)[0]
    return _MEMO.put(shard, made)


@attrs.frozen(eq=False)
class _AddressMemo:
    """Addresses, and all of the facts that they are made of."""

    shape: tuple[object, ...]
    groups: _Groups
    anchored: list[list[str]]
    made: Addresses


def follow(before: Shard, after: Shard) -> None:
    """A buffer was edited: where the edit added and took away no definition, addresses are what they were."""
    _SHAPED.carry(before, after)


def _recompute_addresses(shard: Shard, facts: FileFacts, home: str) -> Addresses:
    shape, known = _shape(facts), _SHAPED.get(shard)
    same = known is not None and known.made.home == home and known.shape == shape
    # The same equals: what tells them apart may be what was edited.
    if known is not None and same and _anchored(facts, known.groups) == known.anchored:
        return known.made
    made, groups = _address(facts, shard, home)
    _SHAPED.put(shard, _AddressMemo(shape, groups, _anchored(facts, groups), made))
    return made


def _shape(facts: FileFacts) -> tuple[object, ...]:
    """What `_address` looks at, apart from the path: names, kinds and places in scopes, no offsets."""
    table, scopes, bases, strings = facts.definitions, facts.scopes, facts.bases, facts.strings
    return (
        [strings[name] for name in table.name],
        [row >= 0 for row in table.type],
        *(table.kind, table.flags, table.scope, table.surface),
        *(scopes.kind, scopes.parent, scopes.owner),
        *(bases.definition, bases.keyword),
        [last_name(facts, expression) for expression in bases.expression],
    )


def restore_addresses(snapshot: Snapshot, path: FilePath, known: Addresses) -> None:
    """Give a file the addresses that were made of the same contents, so that they are not made again."""
    if known.home == home_of(snapshot, path):
        _MEMO.put_first(snapshot.shards[path], known)


@attrs.frozen(eq=False)
class PackedAddresses:
    """Addresses as `facts.codec` encodes them."""

    version: int
    home: str
    module: bytes
    digests: bytes
    slots: Column
    rows: Column
    symbols: Column
    classes: Column
    constructors: Column
    setters: Column
    getters: Column
    deleters: Column

    @classmethod
    def of(cls, made: Addresses) -> PackedAddresses:
        """The packed form."""
        classes, makers = column(made.constructors), column(made.constructors.values())
        setters, getters = column(made.getters), column(made.getters.values())
        return cls(
            version=ADDRESSES_VERSION,
            home=made.home,
            module=made.module,
            digests=made.digests,
            slots=made.slots,
            rows=made.rows,
            symbols=made.symbols,
            classes=classes,
            constructors=makers,
            setters=setters,
            getters=getters,
            deleters=column(sorted(made.deleters)),
        )

    def unpacked(self) -> Addresses | None:
        """The inverse; None for what another version packed."""
        if self.version != ADDRESSES_VERSION:
            return None
        return Addresses(
            home=self.home,
            module=self.module,
            digests=self.digests,
            slots=self.slots,
            rows=self.rows,
            symbols=self.symbols,
            constructors=dict(zip(self.classes, self.constructors, strict=True)),
            getters=dict(zip(self.setters, self.getters, strict=True)),
            deleters=frozenset(self.deleters),
        )


def cached_addresses(snapshot: Snapshot) -> Iterator[tuple[FilePath, Addresses]]:
    """Those that some question asked for before: where an id that was handed out is found."""
    for path in snapshot.files():
        known = _MEMO.get(snapshot.shards[path])
        if known is not None and known.home == home_of(snapshot, path):
            yield path, known


def home_of(snapshot: Snapshot, path: FilePath) -> str:
    """Package and module as they enter ids. Files that share a module name are told apart by their path."""
    homes = _HOMES.of(snapshot)
    known = homes.get(path)
    if known is None:
        known = homes[path] = _home(snapshot, path)
    return known


def _home(snapshot: Snapshot, path: FilePath) -> str:
    package = declared_package(snapshot, path)
    shard = snapshot.shards[path]
    name = snapshot.module_name(path).dotted
    table = snapshot.modules.get(shard.language)
    same = table.files.get(name, ()) if table else ()
    if len(same) > 1:
        rivals = [other for other in same if declared_package(snapshot, other) == package]
        if min(rivals, key=lambda other: (is_stub(other), other), default=path) != path:
            name = f"{name}\t{path}"
    return f"{package}\0{name}"


def declared_package(snapshot: Snapshot, path: FilePath) -> str:
    """Name of the package whose manifest is nearest above a file; "" when there is none."""
    if not snapshot.packages:
        return ""
    folder = path.rpartition("/")[0]
    while folder and folder not in snapshot.packages:
        folder = folder.rpartition("/")[0]
    return snapshot.packages.get(FilePath(folder), "")


def local_digest(snapshot: Snapshot, path: FilePath, row: int) -> bytes:
    """Digest of a variable or parameter: its function, its name, and what tells it from its equals there."""
    shard, facts, own = snapshot.shards[path], snapshot.facts(path), addresses(snapshot, path)
    row = node_row(facts, row)
    known = _LOCALS.get(shard)
    if known is None:
        named = list(islice(rows_named(facts, facts.definitions.name[row]), 2))
        known = _LOCALS.put(shard, _local_anchors(facts, own)) if len(named) > 1 else _NO_ANCHORS
    owner = own.digest(lasting_row(facts, row)) or own.module
    return digest_of(owner.hex(), qualified_name(facts, row), "local", known.get(row, FIRST))


def _local_anchors(facts: FileFacts, own: Addresses) -> Mapping[int, str]:
    """What tells apart variables of one name that belong to one function."""
    names, equals = qualified_names(facts), dict[tuple[int, str], list[int]]()
    for row, canonical in enumerate(own.rows):
        if canonical == row and own.slots[row] < 0:
            equals.setdefault((lasting_row(facts, row), names[row]), []).append(row)
    anchors, found = Anchors(facts), dict[int, str]()
    for same in equals.values():
        if len(same) > 1:
            found.update(zip(same, anchors.of(same), strict=True))
    return found


def _address(facts: FileFacts, shard: Shard, home: str) -> tuple[Addresses, _Groups]:
    """The addresses, and the rows that have the same name and kind."""
    rows = node_rows(facts)
    names = qualified_names(facts)
    slots = column([-1]) * len(rows)
    digests = bytearray()
    equals: dict[tuple[str, str], list[int]] = {}
    for row, canonical in enumerate(rows):
        if canonical == row and is_lasting(facts, row):
            key = (names[row], kind_of(facts, shard.path, row, shard.language).kind)
            equals.setdefault(key, []).append(row)
            slots[row] = len(digests) // DIGEST
            digests += digest_of(home, *key, FIRST)
    groups = tuple((key, same) for key, same in equals.items() if len(same) > 1)
    for (key, same), texts in zip(groups, _anchored(facts, groups), strict=True):
        for row, text in zip(same, texts, strict=True):
            at = slots[row] * DIGEST
            digests[at : at + DIGEST] = digest_of(home, *key, text)
    for row, canonical in enumerate(rows):
        slots[row] = slots[canonical]
    getters = getters_by_setter(facts)
    made = Addresses(
        home=home,
        module=digest_of(home, "", "module", "0"),
        digests=bytes(digests),
        slots=slots,
        rows=rows,
        symbols=_rows_of_symbols(facts, rows),
        constructors=_constructors(facts, capabilities_of(shard.language), rows),
        getters=getters,
        deleters=frozenset(row for row in getters if facts.definitions.flags[row] & DefinitionFlag.DELETER),
    )
    return made, groups


def _anchored(facts: FileFacts, groups: _Groups) -> list[list[str]]:
    """What tells equals apart, for each group of them."""
    if not groups:
        return []
    anchors = Anchors(facts)
    return [anchors.of(same) for _, same in groups]


def _rows_of_symbols(facts: FileFacts, rows: Column) -> Column:
    surface = facts.definitions.surface
    symbols = column([-1]) * (max(surface, default=-1) + 1)
    for row, symbol in enumerate(surface):
        if symbol >= 0 and symbols[symbol] < 0:
            symbols[symbol] = rows[row]
    return symbols


def _constructors(facts: FileFacts, known: Capabilities | None, rows: Column) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for spelling in () if known is None else known.constructors:
        if spelling in facts.strings:
            for row in rows_named(facts, facts.strings.index(spelling)):
                owner = container(facts, row)
                if owner >= 0 and facts.definitions.kind[row] == DefinitionKind.METHOD:
                    found[rows[owner]] = rows[row]
    if known is not None and known.constructors_named_by_class:
        found.update(_named_by_class(facts, rows))
    if known is not None and known.enumerations_are_called:
        for row in _enumerations(facts):
            found.pop(rows[row], None)
    return found


def _enumerations(facts: FileFacts) -> Set[int]:
    """Classes that list members of an enumeration."""
    table = facts.definitions
    scopes = {table.scope[row] for row, kind in enumerate(table.kind) if kind == DefinitionKind.ENUM_MEMBER}
    return {owner for scope in scopes if (owner := facts.scopes.owner[scope]) >= 0}


def _named_by_class(facts: FileFacts, rows: Column) -> Mapping[int, int]:
    """Classes with one constructor, and that; nobody says which of several an instance is made by."""
    table, found = facts.definitions, dict[int, set[int]]()
    for row, kind in enumerate(table.kind):
        if kind != DefinitionKind.METHOD:
            continue
        owner = facts.scopes.owner[table.scope[row]]
        if owner >= 0 and table.name[owner] == table.name[row]:
            found.setdefault(rows[owner], set()).add(rows[row])
    return {owner: min(made) for owner, made in found.items() if len(made) == 1}
