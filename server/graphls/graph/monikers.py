"""Monikers: canonical names of symbols, which mean the same in every workspace.

Owns: the spelling of SCIP symbols: package, module, descriptors.
Must not know: index files, records, ids of nodes.
Invariant: two definitions of one workspace never share a moniker; a definition and a use of it in another workspace do,
    as far as the libraries of the other one show the definition.
Source: the grammar of `Symbol` in https://github.com/sourcegraph/scip/blob/main/scip.proto
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import declared_package
from graphls.graph.memo import MemoTable
from graphls.graph.nodes import is_lasting, receiver_name, scope_owner, symbol_row
from graphls.graph.packages import DeclaredPackage, normal_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import module_spelling, suffix
from graphls.languages.registry import providers
from graphls.linking.libraries import Descriptor

SCHEME: Final = "graphls"
_NONE: Final = "."
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+$-]+\Z")
_HEADS = MemoTable["FilePath", str]("heads of monikers", rests_on_links=False)
_SUFFIXES: Final[Mapping[int, str]] = {
    DefinitionKind.CLASS: "#",
    DefinitionKind.INTERFACE: "#",
    DefinitionKind.ENUM: "#",
    DefinitionKind.TYPE_ALIAS: "#",
    DefinitionKind.NAMESPACE: "/",
}
_CALLED: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))


def moniker(snapshot: Snapshot, place: SymbolRef) -> str:
    """The canonical name of a definition or, for row -1, of a module; `local 12`, which means something in its own file
    only, for what no other file can name."""
    facts = snapshot.facts(place.file) if place.definition >= 0 else None
    if facts is None:
        return _head(snapshot, place.file)
    row = symbol_row(facts, place.definition)
    if not is_lasting(facts, row):
        return f"local {row}"
    number = suffix(snapshot, place.file, row).removeprefix("#")
    return _head(snapshot, place.file) + _descriptors(_path(facts, row), int(number or 0))


def external_moniker(snapshot: Snapshot, dotted: str) -> str:
    """The canonical name of something outside the workspace; where libraries show it, by the module that defines it."""
    for language, table in sorted(snapshot.modules.items()):
        found = None if table.libraries is None else table.libraries.symbol_of(dotted)
        if found is not None:
            provider = providers().get(language)
            manager = "" if provider is None else provider.capabilities.package_manager
            head = _package(manager, normal_name(found.package), found.version)
            return f"{head} {_name(found.module)}/{_descriptors(found.names)}"
    holder, _, name = dotted.rpartition(".")
    namespace = f"{_name(holder)}/" if holder else ""
    return f"{_package('', '', '')} {namespace}{_name(name or dotted)}."


def _head(snapshot: Snapshot, path: FilePath) -> str:
    """Everything but the descriptors inside the module."""
    heads = _HEADS.of(snapshot)
    found = heads.get(path)
    if found is None:
        known, declared = snapshot.capabilities(path), _declared(snapshot, path)
        package = _package("" if known is None else known.package_manager, declared.name, declared.version)
        found = heads[path] = f"{package} {_name(module_spelling(snapshot, path))}/"
    return found


def _declared(snapshot: Snapshot, path: FilePath) -> DeclaredPackage:
    """What the nearest manifest above a file says."""
    name = declared_package(snapshot, path)
    folder = path.rpartition("/")[0]
    while folder and folder not in snapshot.declared:
        folder = folder.rpartition("/")[0]
    found = snapshot.declared.get(FilePath(folder))
    version = found.version if found is not None and found.name == name else ""
    return DeclaredPackage(normal_name(name), version)


def _package(manager: str, name: str, version: str) -> str:
    parts = (part.replace(" ", "  ") or _NONE for part in (manager, name, version))
    return " ".join((SCHEME, *parts))


def _path(facts: FileFacts, row: int) -> Sequence[Descriptor]:
    """Name and kind of a definition and of all that it is declared in, outermost first."""
    table, found = facts.definitions, list[Descriptor]()
    while row >= 0:
        found.append((facts.strings[table.name[row]], table.kind[row]))
        holder = receiver_name(facts, row)
        if holder:
            found += ((name, DefinitionKind.CLASS) for name in reversed(holder.split(".")))
        row = scope_owner(facts, table.scope[row])
    return found[::-1]


def _descriptors(path: Iterable[Descriptor], number: int = 0) -> str:
    """`number`: which one of those that are called so; 0 for the one that the name alone means."""
    texts: list[str] = []
    parts = tuple(path)
    for place, (name, kind) in enumerate(parts, 1):
        own = number if place == len(parts) else 0
        if kind in _CALLED:
            texts.append(f"{_name(name)}({f'+{own}' if own else ''}).")
        else:
            texts.append(f"{_name(f'{name}#{own}' if own else name)}{_SUFFIXES.get(kind, '.')}")
    return "".join(texts)


def _name(text: str) -> str:
    return text if _SIMPLE.match(text) else f"`{text.replace('`', '``')}`"
