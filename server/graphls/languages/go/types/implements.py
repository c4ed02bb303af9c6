"""Implements: the methods of interfaces that methods of a file stand for.

Owns: which interfaces are compared with the types of a file, and when a type has all that one asks for.
Must not know: how occurrences become links.
Invariant: a type implements an interface of its package, or of one that its package imports, when it has all of its
    methods with as many results; interfaces elsewhere are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.declared.values import Functions, NamedType, Package
from graphls.languages.extract.kinds import (
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    METHOD_DEFINITION,
    TUPLE_EXPRESSION,
)
from graphls.languages.go.types.inference import GoInference, receiver
from graphls.languages.resolve.structural_value import DefinitionRef

MAX_INTERFACES: Final = 2_000
"""Interfaces that the types of one file are compared with."""

Asked = dict[str, DefinitionRef]
"""The methods of an interface, by name."""


def implemented(go: GoInference) -> list[tuple[int, DefinitionRef, int]]:
    """Methods of the own file, with those of interfaces that they stand for."""
    own = go.own
    by_type: dict[str, list[int]] = {}
    for row, kind in enumerate(own.kind):
        if kind == METHOD_DEFINITION and own.scope[row] == 0:
            by_type.setdefault(receiver(own, row), []).append(row)
    if not by_type:
        return []
    folder, clause = own.file.rpartition("/")[0], go.clause(own.file)
    holders: list[tuple[NamedType, list[int]]] = []
    # A type is compared with the interfaces that ask for a method of it: all with all would be a square.
    named: dict[str, set[int]] = {}
    for name, rows in by_type.items():
        for ref in go.declared(folder, clause, name):
            for row in rows:
                named.setdefault(own.text(row), set()).add(len(holders))
            holders.append((NamedType(ref.file, ref.row), rows))
    found: list[tuple[int, DefinitionRef, int]] = []
    for asked in _interfaces(go, folder, clause, named):
        for number in sorted({number for name in asked for number in named.get(name, ())}):
            holder, rows = holders[number]
            if _has_all(go, holder, asked):
                found += [(row, asked[own.text(row)], 1) for row in rows if own.text(row) in asked]
    return sorted(found, key=lambda one: (one[0], one[1].file, one[1].row))


def _interfaces(go: GoInference, folder: str, clause: str, named: Mapping[str, object]) -> Iterator[Asked]:
    """The interfaces of the package, and of packages of the workspace that its files import, but for those that
    surely ask for none of these methods."""
    files = dict.fromkeys(go.package_files(folder, clause))
    for file in tuple(files):
        unit = go.unit(file)
        for row in unit.rows_of_kind(IMPORT_DEFINITION):
            package = go.row_value(unit, row)
            if isinstance(package, Package) and package.name is not None:
                files.update(dict.fromkeys(go.package_files(package.name, go.package_name(package.name))))
    count = 0
    for file in files:
        unit = go.unit(file)
        for row in unit.rows_of_kind(INTERFACE_DEFINITION):
            if unit.scope[row] == 0:
                count += 1
                if not unit.bases(row) and named.keys().isdisjoint(unit.members(unit.body[row])):
                    continue
                asked = _methods(go, unit, row, set())
                if asked and count <= MAX_INTERFACES:
                    yield asked


def _methods(go: GoInference, unit: DeclaredUnit, row: int, seen: set[tuple[FilePath, int]]) -> Asked | None:
    """The methods that an interface asks for; None where some of them are not known."""
    found: Asked = {}
    if (unit.file, row) in seen:
        return found
    seen.add((unit.file, row))
    for base, _ in unit.bases(row):
        embedded = go.denote(unit, base)
        if not isinstance(embedded, NamedType):
            return None
        more = _methods(go, go.unit(embedded.file), embedded.row, seen)
        if more is None:
            return None
        found.update(more)
    for name, rows in unit.members(unit.body[row]).items():
        for member in rows:
            if unit.kind[member] == METHOD_DEFINITION:
                found[name] = DefinitionRef(unit.file, member)
    return found


def _has_all(go: GoInference, holder: NamedType, asked: Asked) -> bool:
    """Whether a type has methods of all these names, with as many results."""
    for name, ref in asked.items():
        member = go.member(holder, name)
        if member is None or not isinstance(member.value, Functions):
            return False
        if _shape(go, member.value.file, member.value.rows[0]) != _shape(go, ref.file, ref.row):
            return False
    return True


def _shape(go: GoInference, file: FilePath, row: int) -> int:
    """How many results a function has."""
    unit = go.unit(file)
    returns = unit.returns(row)
    if not returns:
        return 0
    table = unit.expressions
    type_ = table.a[returns[0][0]]
    return len(unit.list_at(table.a[type_])) if table.kind[type_] == TUPLE_EXPRESSION else 1
