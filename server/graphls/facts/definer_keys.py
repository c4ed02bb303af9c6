"""Definer keys: under which spellings, besides its plain names, a file is among those that define something.

Owns: keys of types, of macros, of globals, of methods that extend a type, of namespaces, of imports that hold for other
    files.
Must not know: any particular language, who asks.
Invariant: no key is the name of a definition; a function of the facts of the file.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, ScopeKind

MAX_NAMESPACE_PARTS = 32
"""Parts of the name of a namespace that are told apart."""
SHARED_IMPORTS = "*:"
"""Some import holds for other files as well."""
_MACRO = DefinitionFlag.POSITIONAL_ONLY
"""The mark of a macro among functions. A language without macros may mark something else with it: nobody asks there."""
_TYPES = frozenset({DefinitionKind.CLASS, DefinitionKind.INTERFACE, DefinitionKind.ENUM})
_OUTER = frozenset({ScopeKind.MODULE, ScopeKind.NAMESPACE})


def type_key(name: str) -> str:
    """A type of this name stands outside of types and functions."""
    return f"{name}:"


def macro_key(name: str) -> str:
    """A macro of this name is defined: functions may have the same names."""
    return f"{name}!"


def global_key(name: str) -> str:
    """A variable or function of this name is there for all files."""
    return f"{name}*"


def extension_key(name: str) -> str:
    """A method of this name extends a type."""
    return f".{name}"


def namespace_key(dotted: str) -> str:
    """A namespace of this name, or one inside of it, is declared."""
    return f"{_cut(dotted)}."


def namespace_tail_key(dotted: str) -> str:
    """The name of such a namespace, or of one around it, ends with this and is longer."""
    return f".{_cut(dotted)}."


def definer_keys(facts: FileFacts) -> frozenset[str]:
    """All keys of a file."""
    table, scopes, strings = facts.definitions, facts.scopes, facts.strings
    found = {SHARED_IMPORTS} if any(flags & ImportFlag.FOR_ALL for flags in facts.imports.flags) else set[str]()
    for row, kind in enumerate(table.kind):
        scope = table.scope[row]
        if scope == 0 and table.flags[row] & DefinitionFlag.GLOBAL:
            found.add(global_key(strings[table.name[row]]))
        if kind in _TYPES:
            if scopes.kind[scope] in _OUTER:
                found.add(type_key(strings[table.name[row]]))
        elif kind == DefinitionKind.FUNCTION:
            if table.flags[row] & _MACRO:
                found.add(macro_key(strings[table.name[row]]))
        elif kind == DefinitionKind.PARAMETER and table.flags[row] & DefinitionFlag.RECEIVER:
            owner = scopes.owner[scope]
            if owner >= 0:
                found.add(extension_key(strings[table.name[owner]]))
    for dotted in _namespaces(facts):
        parts = dotted.split(".", MAX_NAMESPACE_PARTS)[:MAX_NAMESPACE_PARTS]
        for end in range(1, len(parts) + 1):
            found.add(f"{'.'.join(parts[:end])}.")
            found.update([f".{'.'.join(parts[start:end])}." for start in range(1, end)])
    return frozenset(found)


def _cut(dotted: str) -> str:
    return ".".join(dotted.split(".", MAX_NAMESPACE_PARTS)[:MAX_NAMESPACE_PARTS])


def _namespaces(facts: FileFacts) -> frozenset[str]:
    """Whole names of the namespaces that a file declares."""
    scopes, table, strings = facts.scopes, facts.definitions, facts.strings
    around: dict[int, str] = {}
    found: set[str] = set()
    for scope, kind in enumerate(scopes.kind):
        parent = scopes.parent[scope]
        around[scope] = around.get(parent, "")
        if kind == ScopeKind.NAMESPACE and scopes.owner[scope] >= 0:
            name = "".join(strings[table.name[scopes.owner[scope]]].split())
            around[scope] = f"{around[scope]}.{name}" if around[scope] else name
            found.add(around[scope])
    return frozenset(found)
