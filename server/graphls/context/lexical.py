"""Lexical: which words the declarations of a file hold.

Owns: the index of one file, keeping it with the file's contents.
Must not know: links, budgets, how a task was read or declarations are ranked.
Invariant: the index of a file is a function of its facts, text and path.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import chain
from operator import le, lt
from typing import TypeAlias
from zlib import crc32

import attrs

from graphls.context.terms import IDENTIFIER, ids_of, term_id, terms
from graphls.context.units import Units, owners, units_of
from graphls.facts.codec import CodecError
from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.validity import check_range
from graphls.graph.memo import Memo
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot
from graphls.languages.extract.yielding import yield_now

LEXICAL_VERSION = 4
"""Raised whenever the terms of a file change meaning; part of every cache key."""
_NAME = 4
_ANY = (1 << 31) - 1
_MEMO = Memo["FileTerms"]("context terms")
_Posting: TypeAlias = tuple[int, int, int, bool]
"""Term, unit, how often, whether the unit is called so."""


@attrs.frozen(eq=False)
class FileTerms:
    """Words of one file's declarations. `facts.codec` encodes it, so it can be stored by content like facts.

    `terms`: sorted term ids; the postings of term i are `unit`, `count` and `named` from `first[i]` to `first[i + 1]`,
    in order of unit; `named` is 1 where the term is in the unit's own name. `parents`: the unit that holds a unit as
    its member, or -1. `symbols`: row of the file's surface -> unit, or -1. `prints`: checksum of a unit's source.
    `names`: how many terms a name has.
    """

    rows: Column
    starts: Column
    ends: Column
    parents: Column
    symbols: Column
    prints: Column
    names: Column
    sizes: Column
    terms: Column
    first: Column
    unit: Column
    count: Column
    named: Column
    generated: bool
    """A tool wrote the file."""

    @property
    def units(self) -> Units:
        """The declarations that are counted."""
        return Units(self.rows, self.starts, self.ends)

    def of_symbol(self, row: int) -> int:
        """The unit of a row of the file's surface, or -1."""
        return self.symbols[row] if 0 <= row < len(self.symbols) else -1

    def postings(self, term: int) -> range:
        """Where the postings of a term are; empty when the file lacks it."""
        at = bisect_left(self.terms, term)
        if at == len(self.terms) or self.terms[at] != term:
            return range(0)
        return range(self.first[at], self.first[at + 1])


def index_file(path: FilePath, facts: FileFacts, text: bytes) -> FileTerms:
    """The terms of a file: of each declaration its source, the comment before it, path and names, its own name most."""
    units = units_of(facts)
    shared = Counter(map(term_id, terms(path)))
    postings: list[_Posting] = []
    prints, names, sizes = column(), column(), column()
    for number, (row, start, end) in enumerate(zip(units.row, units.start, units.end, strict=True)):
        yield_now()
        source = text[start:end]
        counts = Counter(chain.from_iterable(map(ids_of, IDENTIFIER.findall(source))))
        counts.update(shared)
        counts.update(map(term_id, terms(qualified_name(facts, row))))
        counts.update(map(term_id, terms(_leading_comment(facts, row, source))))
        own = [term_id(term) for term in terms(facts.strings[facts.definitions.name[row]])]
        for term in own:
            counts[term] += _NAME
        prints.append(crc32(source) & 0x7FFFFFFF)
        names.append(len(own))
        sizes.append(counts.total())
        postings += [(term, number, count, term in own) for term, count in counts.items()]
    return _packed(facts, units, (prints, names, sizes), postings)


def _leading_comment(facts: FileFacts, row: int, source: bytes) -> str:
    """What a comment before a declaration says of it; "" where that stands inside it."""
    doc = facts.definitions.doc[row] if row >= 0 else -1
    comment = facts.strings[doc] if doc >= 0 else ""
    return "" if comment.partition("\n")[0].encode("utf-8", "replace") in source else comment


def terms_in(snapshot: Snapshot, path: FilePath) -> FileTerms:
    """The terms of one file, kept with its contents."""
    shard = snapshot.shards[path]
    known = _MEMO.get(shard)
    if known is not None:
        return known
    made = fresh_terms(snapshot, path)
    if made is not None:
        _MEMO.put(shard, made)
    return made or index_file(path, snapshot.facts(path), b"")


def fresh_terms(snapshot: Snapshot, path: FilePath) -> FileTerms | None:
    """The terms of one file, made anew and not kept; None where its text is gone."""
    text = snapshot.text(path)
    return None if text is None else index_file(path, snapshot.facts(path), text)


def has_terms(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether the terms of a file are at hand."""
    return _MEMO.get(snapshot.shards[path]) is not None


def restore_terms(snapshot: Snapshot, path: FilePath, known: FileTerms) -> None:
    """Give a file the terms that were stored for its contents, so that they are not made again. Raises CodecError."""
    check_terms(known)
    _MEMO.put_first(snapshot.shards[path], known)


def check_terms(known: FileTerms) -> None:
    """Raises CodecError unless all that terms refer to is there: a stored value is whatever somebody wrote."""
    units, postings = len(known.rows), len(known.unit)
    alike = (known.starts, known.ends, known.parents, known.prints, known.names, known.sizes)
    whole = all(len(one) == units for one in alike) and len(known.first) == len(known.terms) + 1
    whole = whole and len(known.count) == len(known.named) == postings
    if not whole or known.first[0] != 0 or known.first[-1] != postings:
        raise CodecError("the columns of terms do not fit each other")
    inside = all(0 <= start <= end for start, end in zip(known.starts, known.ends, strict=True))
    rising = all(map(le, known.first, known.first[1:])) and all(map(lt, known.terms, known.terms[1:]))
    if not inside or not rising:
        raise CodecError("the terms are in no order")
    bounds = (
        *((known.rows, -1, _ANY), (known.parents, -1, units), (known.symbols, -1, units), (known.unit, 0, units)),
        *((known.names, 0, _ANY), (known.sizes, 0, _ANY), (known.count, 0, _ANY), (known.named, 0, 2)),
    )
    check_range("a term", ((values.tobytes(), low, high) for values, low, high in bounds))
    if 0 in known.count:
        raise CodecError("a term is counted where it is not")


def _packed(
    facts: FileFacts,
    units: Units,
    counted: tuple[Column, Column, Column],
    postings: list[_Posting],
) -> FileTerms:
    shape = (_parents(facts, units), _symbols(facts, units))
    return FileTerms(units.row, units.start, units.end, *shape, *counted, *_posted(postings), facts.generated)


def packed_terms(
    units: tuple[Column, Column, Column],
    counted: tuple[Column, Column],
    postings: list[_Posting],
) -> FileTerms:
    """Terms of a file whose units are no declarations. `units`: rows, starts, ends; `counted`: names, sizes;
    `postings`: term, unit, how often, whether the unit is called so."""
    none = column(-1 for _ in units[0])
    return FileTerms(*units, none, column(), none, *counted, *_posted(postings), generated=False)


def _posted(postings: list[_Posting]) -> tuple[Column, Column, Column, Column, Column]:
    """The columns of postings. Declarations inside of each other have millions: these are sorted term by term, as no
    other thread has a turn while one list is."""
    by_term: dict[int, list[_Posting]] = {}
    for posting in postings:
        by_term.setdefault(posting[0], []).append(posting)
    terms_there, first, unit, count, named = column(sorted(by_term)), column((0,)), column(), column(), column()
    for term in terms_there:
        rows = by_term.pop(term)
        rows.sort()
        unit.extend(row[1] for row in rows)
        count.extend(row[2] for row in rows)
        named.extend(row[3] for row in rows)
        first.append(len(unit))
        yield_now()
    return terms_there, first, unit, count, named


def _parents(facts: FileFacts, units: Units) -> Column:
    names = [qualified_name(facts, row) for row in units.row]
    number = {name: unit for unit, name in reversed(list(enumerate(names)))}
    return column(number.get(name.rpartition(".")[0], -1) for name in names)


def _symbols(facts: FileFacts, units: Units) -> Column:
    table, found = facts.definitions, dict[int, int]()
    for row, unit in owners(facts, units).items():
        if table.surface[row] >= 0:
            found.setdefault(table.surface[row], unit)
    return column(found.get(symbol, -1) for symbol in range(max(found, default=-1) + 1))
