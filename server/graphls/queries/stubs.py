"""Stubs: what a stub beside a module says of the same names, and the way back to the source.

Owns: the counterpart of a definition in the other of the two files.
Must not know: LSP types, URIs, who asks.
Invariant: a counterpart has the same names around it; what only one of the files has has none.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import capabilities_for
from graphls.queries.rows import name_of, string_index


def stubs_of(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The same name in the stub beside the file of a place."""
    stem, ending = _split(place.file)
    others = [stem + stub for stub, sources in _stubs(place.file).items() if ending in sources]
    return next(filter(None, (_counterparts(snapshot, place, FilePath(other)) for other in others)), ())


def sources_of(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The same name in the module that the stub is about."""
    stem, ending = _split(place.file)
    others = [stem + source for source in _stubs(place.file).get(ending, ())]
    return next(filter(None, (_counterparts(snapshot, place, FilePath(other)) for other in others)), ())


def _stubs(path: FilePath) -> Mapping[str, tuple[str, ...]]:
    known = capabilities_for(path)
    return {} if known is None else known.stubs


def _split(path: str) -> tuple[str, str]:
    stem, dot, ending = path.rpartition(".")
    return stem, dot + ending


def _counterparts(snapshot: Snapshot, place: SymbolRef, other: FilePath) -> tuple[SymbolRef, ...]:
    shard = snapshot.shards.get(other)
    if shard is None or not shard.language:
        return ()
    if place.definition == NONE:
        return (SymbolRef(other, NONE),)
    mine, its = snapshot.facts(place.file), snapshot.facts(other)
    name, number = qualified_name(mine, place.definition), string_index(its, name_of(mine, place.definition))
    rows = () if number == NONE else rows_with(its.definitions.name, number)
    same = (row for row in rows if its.definitions.kind[row] != DefinitionKind.IMPORT)
    return tuple(SymbolRef(other, row) for row in same if qualified_name(its, row) == name)
