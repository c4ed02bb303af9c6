"""Visible: under which names, and in which ways, code that is not resolved may use a place.

Owns: names of a place, the kinds of open uses that may mean it.
Must not know: how many uses there are, answers.
Invariant: what no other file can name is not meant by an unresolved use in one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.file_edges import ends_of
from graphls.graph.memo import Memo
from graphls.graph.mentions import files_mentioning
from graphls.graph.node_table import IMPORTS, NodeSummaries, NodeSummary
from graphls.graph.open_names import OpenKind
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors, is_component

_MEMBERS: Final = frozenset({"method", "field", "enum_variant"})
_DEFAULT: Final = "default"
ANY_USE: Final = frozenset(OpenKind)
_OF_NO_MEMBER: Final = ANY_USE - {OpenKind.KEY}
_ACCESSORS: Final = frozenset({"property", "setter", "deleter"})
_OF_PROPERTIES: Final = frozenset({OpenKind.KEY, OpenKind.FAILED, OpenKind.LIMIT})
"""What a tag gives to a component that is not known."""
_OFFERED: Final = Memo["frozenset[int]"]("offered to other files")


@attrs.frozen
class Visible:
    """`kinds`: of open uses, by OpenKind."""

    names: Sequence[str] = ()
    kinds: Set[int] = frozenset()
    called: str = ""
    """A name that only calls mean."""


_HIDDEN: Final = Visible()


def visible(snapshot: Snapshot, place: SymbolRef) -> Visible:
    """What other code may call a place: nothing for what no other code can see, and for an import, whose uses are those
    of what it names."""
    if place.definition == NONE:
        return Visible((_module_name(snapshot, place.file),), _OF_NO_MEMBER)
    nodes = NodeSummaries(snapshot, place.file)
    shown = nodes.summary(place.definition)
    member = shown.kind in _MEMBERS or shown.subkind == "property"
    if not (member or place.definition in nodes.ids.symbols) or shown.kind in IMPORTS:
        return _HIDDEN
    aliases = files_mentioning(snapshot, place, ends_of(snapshot, place)).aliases
    if shown.name in constructors():
        # Who makes an instance names the class.
        around = shown.qualified.rpartition(".")[0].rpartition(".")[2:]
        known = snapshot.capabilities(place.file)
        if known is None or known.calls_constructors_by_name:
            return Visible((shown.name, *around, *aliases), ANY_USE)
        return Visible((*around, *aliases), ANY_USE, called=shown.name)
    names = (shown.name, *(name for name in aliases if name != shown.name))
    if member:
        return Visible(names, ANY_USE if _may_be_key(snapshot, place, shown) else _OF_NO_MEMBER)
    if aliases or _is_offered(snapshot, place):
        return Visible(names, _OF_NO_MEMBER)
    return Visible(names, _OF_PROPERTIES) if is_component(place.file) else _HIDDEN


def _may_be_key(snapshot: Snapshot, place: SymbolRef, shown: NodeSummary) -> bool:
    """Whether the key of an object or the name of an argument may mean a member."""
    if shown.kind != "method" or shown.subkind in _ACCESSORS:
        return True
    known = snapshot.capabilities(place.file)
    return known is None or known.keys_name_methods


def _module_name(snapshot: Snapshot, path: FilePath) -> str:
    dotted = snapshot.module_name(path).dotted
    if "/" not in dotted and dotted != path:
        return dotted.rpartition(".")[2]
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return (folder.rpartition("/")[2] if stem == "index" else "") or stem


def _is_offered(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether other files can name what a file declares: languages that do not say so offer all."""
    known = snapshot.capabilities(place.file)
    exports = None if known is None else known.exports
    if exports is None:
        return True
    facts = snapshot.facts(place.file)
    if facts.definitions.scope[place.definition] != 0:
        # What is declared inside of something else is named through that.
        return True
    shard = snapshot.shards[place.file]
    known = _OFFERED.get(shard)
    if known is None:
        found = exports.offered(place.file, facts)
        whole = not found and not len(facts.imports) and not is_component(place.file)
        # A file without imports and exports shares its names with all others of a page.
        rows: Collection[int] = range(len(facts.definitions)) if whole else (*found, *_given_on(facts))
        known = _OFFERED.put(shard, frozenset(rows))
    return place.definition in known


def _given_on(facts: FileFacts) -> Sequence[int]:
    """What an object holds under its own name, which others may look up in that."""
    table, expressions, strings = facts.definitions, facts.expressions, facts.strings
    names = set(_short_keys(facts))
    for row, scope in enumerate(table.scope):
        value = table.value[row]
        held = facts.scopes.kind[scope] == ScopeKind.OBJECT and value >= 0
        if held and expressions.kind[value] == ExpressionKind.NAME:
            names.add(expressions.a[value])
    return [
        row
        for row, scope in enumerate(table.scope)
        if scope == 0 and (table.name[row] in names or strings[table.name[row]] == _DEFAULT)
    ]


def _short_keys(facts: FileFacts) -> Iterator[int]:
    """Names of `{ name }`: a read and a key in one place."""
    uses = facts.occurrences
    for row in range(1, len(uses)):
        if uses.start[row] == uses.start[row - 1] and Role.KEYWORD in (uses.role[row], uses.role[row - 1]):
            yield uses.name[row]
