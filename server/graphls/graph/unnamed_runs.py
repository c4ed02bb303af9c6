"""Unnamed runs: what code may run without spelling its name.

Owns: of which definitions that holds; what declaring classes runs.
Must not know: links, where such code stands.
Invariant: decided by a definition and its language alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionFlag, DefinitionKind, EdgeKind, ScopeKind
from graphls.facts.links import EXTERNAL, Links
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.memo import Memo
from graphls.graph.nodes import outer_functions
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.languages.capabilities import Capabilities

_CALLABLE: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
_FIELDS: Final = frozenset((DefinitionKind.FIELD, DefinitionKind.CONSTANT))
_FUNCTIONS: Final = frozenset((ScopeKind.FUNCTION, ScopeKind.LAMBDA))
_INSTANCE: Final = int(DefinitionFlag.INSTANCE)
_MEMO: Final = Memo["DeclaredClasses"]("class statements", rests_on_links=False)


@attrs.frozen(eq=False)
class DeclaredClasses:
    """What declaring the classes of a file runs."""

    filled: Mapping[int, int]
    """Fields -> their class: it runs what they are filled with."""
    fields: Mapping[int, Sequence[int]]
    """The inverse."""
    around: Mapping[int, int]
    """Classes -> the function or class around: it runs their bodies."""

    def filling(self, facts: FileFacts, rows: Iterable[int]) -> set[int]:
        """The uses that fill fields of some classes."""
        uses = facts.occurrences
        return {use for cls in rows for field in self.fields.get(cls, ()) for use in uses.rows_where("owner", field)}

    def body_around(self, facts: FileFacts, use: int) -> int:
        """The class whose body runs a use, among what fills a field of it; -1 for none.

        What stands in a function there, as in a lambda, runs when that is called."""
        field = facts.occurrences.owner[use]
        cls = self.filled.get(field, -1)
        if cls < 0:
            return -1
        scopes, scope, around = facts.scopes, facts.occurrences.scope[use], facts.definitions.scope[field]
        while scope not in (around, NONE):
            if scopes.kind[scope] in _FUNCTIONS:
                return -1
            scope = scopes.parent[scope]
        return cls


_NONE: Final = DeclaredClasses({}, {}, {})


def may_run_unnamed(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether code that spells other names may run a place: a special method or such a function of a module, a class
    (with its constructor), which may be held as a value, or a function that the one around it gives back."""
    known = snapshot.capabilities(place.file)
    if place.definition < 0 or known is None or known.is_run_unnamed is None or known.constructors_named_by_class:
        return False  # where constructors are called like their class, constructs that name nothing have no edges
    facts, there = snapshot.facts(place.file), addresses(snapshot, place.file)
    kind, name = facts.definitions.kind[place.definition], facts.strings[facts.definitions.name[place.definition]]
    is_special = kind == DefinitionKind.METHOD and _is_special(known, name)
    is_made = kind == DefinitionKind.CLASS or place.definition in there.constructors.values()
    if is_special or is_made or answers_any_name(snapshot, place):
        return True
    return bool(outer_functions(facts, place.definition))


def answers_any_name(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place runs where a member of any name is used, or where what any name holds is called: code that runs
    it need not spell anything of it."""
    known = snapshot.capabilities(place.file)
    if place.definition < 0 or known is None:
        return False
    facts = snapshot.facts(place.file)
    kind, name = facts.definitions.kind[place.definition], facts.strings[facts.definitions.name[place.definition]]
    if kind in _CALLABLE and name in known.attribute_hooks:
        return True
    called = known.run_by_construct(ConstructKind.CALL, "") if known.run_by_construct is not None else ()
    return kind == DefinitionKind.METHOD and any(name in choice for choice in called)


def construct_of(
    snapshot: Snapshot, path: FilePath, links: Links, use: int, place: tuple[FilePath | None, object]
) -> int:
    """The ConstructKind that a use of a file is which runs a place: a call, an access of a member that its class
    answers for, or a call of what a class inherits from a library, which calls the place."""
    (file, row), known = place, snapshot.capabilities(path)
    if known is None or not known.attribute_hooks or file is None or not isinstance(row, int) or row < 0:
        return int(ConstructKind.CALL)
    there = snapshot.facts(file)
    name = there.strings[there.definitions.name[row]]
    if name in known.attribute_hooks:
        is_member = snapshot.facts(path).occurrences.base[use] >= 0
        return int(ConstructKind.ATTRIBUTE if is_member else ConstructKind.CALL)
    if there.definitions.kind[row] != DefinitionKind.METHOD or _is_special(known, name):
        return int(ConstructKind.CALL)
    # The name leads to the library's member, or makes an object of the class.
    table = links.targets
    leads = any(table.symbol[at] == EXTERNAL or table.edge[at] == EdgeKind.INSTANTIATES for at in rows_of(table, use))
    return int(ConstructKind.INHERITED if leads else ConstructKind.CALL)


def _is_special(known: Capabilities, name: str) -> bool:
    """By its name, which most often has underscores: `dict(x)` runs `x.keys()`."""
    if known.is_run_unnamed is None:
        return False
    return known.is_run_unnamed(name) or name in (known.run_by_constructs or ())


def declared_classes(snapshot: Snapshot, path: FilePath) -> DeclaredClasses:
    """Those of a file; nothing in a language whose classes are no code that runs."""
    known = snapshot.capabilities(path)
    if known is None or not known.class_hooks:
        return _NONE
    return _MEMO.once(snapshot.shards[path], lambda: _declared(snapshot.facts(path)))


def _declared(facts: FileFacts) -> DeclaredClasses:
    table, scopes = facts.definitions, facts.scopes
    filled: dict[int, int] = {}
    fields: dict[int, list[int]] = {}
    around: dict[int, int] = {}
    for row, kind in enumerate(table.kind):
        if kind == DefinitionKind.CLASS and table.owner[row] >= 0:
            around[row] = table.owner[row]
        elif kind in _FIELDS and not table.flags[row] & _INSTANCE and scopes.kind[table.scope[row]] == ScopeKind.CLASS:
            filled[row] = scopes.owner[table.scope[row]]
            fields.setdefault(filled[row], []).append(row)
    return DeclaredClasses(filled, fields, around)
