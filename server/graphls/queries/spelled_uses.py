"""Spelled uses: under which names files may use what stands at a place.

Owns: the names of a symbol in other files, and when there may be uses without any.
Must not know: LSP types, which documents are open, how texts are read.
Invariant: a file that spells none of the names has no use of the symbol; where that is not sure there is no answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.graph.mentions import files_mentioning
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.declared.accessors import accessor_names
from graphls.queries.document_uses import document_name_at
from graphls.queries.position import word_at
from graphls.queries.references import ends
from graphls.queries.rows import name_of
from graphls.queries.symbol import Symbol, meaning, symbol

_DEFAULT: Final = "default"
_AS_DEFAULT: Final = int(DefinitionFlag.DEFAULT_EXPORT)


def names_of_uses(snapshot: Snapshot, path: FilePath, offset: int) -> Collection[str] | None:
    """Names without one of which no file uses what stands at an offset; None where uses may be called anything: of a
    module, of what it exports without a name, of what code runs without naming it, of what a document names."""
    word = word_at(snapshot.text(path) or b"", offset).decode("utf-8", "replace")
    found = meaning(snapshot, path, offset)
    if found is None:
        return None if document_name_at(snapshot, path, offset) else _named(word)
    names = _named(word)
    for place in found.referents(snapshot):
        thing = symbol(snapshot, place)
        other = () if thing.local else _names_elsewhere(snapshot, thing)
        if other is None:
            return None
        names.update(other)
    return names


def _named(word: str) -> set[str]:
    return {word} if word else set()


def _names_elsewhere(snapshot: Snapshot, thing: Symbol) -> Collection[str] | None:
    place = thing.place
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return None
    facts, known = snapshot.facts(place.file), snapshot.capabilities(place.file)
    own = name_of(facts, place.definition)
    unnamed = known is not None and known.is_run_unnamed is not None and known.is_run_unnamed(own)
    if unnamed or facts.definitions.flags[place.definition] & _AS_DEFAULT:
        return None
    renamed = snapshot.renamed(ends(snapshot, thing))
    mentions = files_mentioning(snapshot, SymbolRef(place.file, place.definition), ends(snapshot, thing))
    names = {name for some in (*renamed.values(), *mentions.bound.values()) for name in some}
    if mentions.cut or _DEFAULT in names:
        return None
    names.update(mentions.names, mentions.aliases)
    return {other for name in (own, *names) for other in accessor_names(name)}
