"""Names: scopes, imports, exports and modules.

Owns: lexical lookup by meaning, following of imports, members of modules.
Must not know: classes' members, types of values.
Invariant: value and type names of one spelling are never mixed up where both exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import cast, final

from graphls.facts.paths import FilePath, enclosing_folders
from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    DEFAULT_EXPORT_FLAG,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    EXPORTED_FLAG,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    OBJECT_SCOPE,
    TYPE_ALIAS_DEFINITION,
    TYPE_ONLY_FLAG,
    TYPE_PARAMETER_DEFINITION,
)
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External
from graphls.languages.resolve.units import is_library
from graphls.languages.typescript.conventions import COMPONENT, PROVIDED
from graphls.languages.typescript.export_names import ASSIGNED, MIXED_IN
from graphls.languages.typescript.types.ambient import blocks, declares, globals_of, members
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.global_names import GLOBALS
from graphls.languages.typescript.types.units import TsUnit


class SymbolMeaning(IntEnum):
    """Which of the names of one spelling is meant."""

    VALUE = 0
    TYPE = 1
    ANY = 2


_TYPES = frozenset(
    {
        CLASS_DEFINITION,
        INTERFACE_DEFINITION,
        ENUM_DEFINITION,
        TYPE_ALIAS_DEFINITION,
        TYPE_PARAMETER_DEFINITION,
        IMPORT_DEFINITION,
        ENUM_MEMBER_DEFINITION,
    }
)
_NEVER_VALUES = frozenset((INTERFACE_DEFINITION, TYPE_ALIAS_DEFINITION, TYPE_PARAMETER_DEFINITION))
_CLOSED = frozenset((CLASS_SCOPE, OBJECT_SCOPE))
_NO_MEMBERS: Mapping[str, tuple[int, ...]] = {}


@final
class TsNameLookup:
    """Lexical lookup and imports."""

    def __init__(self, context: TsContext) -> None:
        self.context = context

    # scopes

    def lookup(self, unit: TsUnit, scope: int, name: str, meaning: SymbolMeaning) -> tuple[int, ...]:
        """Rows that a name is bound by in the innermost scope that knows it in this meaning."""
        kinds, parents = unit.scope_kind, unit.scope_parent
        while scope >= 0:
            if kinds[scope] not in _CLOSED:
                rows = unit.members(scope).get(name)
                named = kinds[scope] == NAMESPACE_SCOPE and unit.scope_owner[scope] >= 0
                if rows:
                    # Declarations of one name in one scope are one thing: the first of very many speak for all.
                    fitting = suited(unit, rows[: MAX_BINDINGS + 1], meaning)
                    if named:
                        fitting = self._bound_here(unit, fitting, name)
                    if fitting:
                        return fitting
                if named:
                    fitting = suited(unit, self.merged_member(unit, unit.scope_owner[scope], name), meaning)
                    fitting = self._bound_here(unit, fitting, name)
                    if fitting:
                        return fitting
            scope = parents[scope]
        return ()

    def _bound_here(self, unit: TsUnit, rows: tuple[int, ...], name: str) -> tuple[int, ...]:
        """Rows without those of `export { name }` in a namespace, which lists what is bound around it."""
        table = unit.expressions
        return tuple(
            row
            for row in rows
            if unit.kind[row] != IMPORT_DEFINITION
            or unit.value[row] < 0
            or table.kind[unit.value[row]] != NAME_EXPRESSION
            or unit.strings[table.a[unit.value[row]]] != name
        )

    def private(self, unit: TsUnit, scope: int, name: str) -> DefinitionRefs:
        """Members `#name` of the innermost class that declares one: there it is bound, whatever it is read from."""
        while scope >= 0:
            rows = unit.members(scope).get(name, ()) if unit.scope_kind[scope] == CLASS_SCOPE else ()
            if rows:
                return tuple(DefinitionRef(unit.file, row) for row in rows)
            scope = unit.scope_parent[scope]
        return ()

    def merged(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        """All declarations that share a name and scope with a row."""
        return unit.members(unit.scope[row]).get(unit.text(row), (row,))

    def merged_member(self, unit: TsUnit, row: int, name: str) -> tuple[int, ...]:
        """What all namespaces of one name declare under another name."""
        rows = self.merged(unit, row)
        if len(rows) > MAX_BINDINGS:
            key = ("namespaces", unit.file, rows[0])
            return self.context.guarded(key, partial(self._by_member_of, unit, rows), _NO_MEMBERS).get(name, ())
        found: list[int] = []
        for other in rows:
            for scope in unit.scopes_of(other, NAMESPACE_SCOPE):
                found += unit.members(scope).get(name, ())
        return tuple(found)

    def _by_member_of(self, unit: TsUnit, rows: Sequence[int]) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for row in rows:
            for scope in unit.scopes_of(row, NAMESPACE_SCOPE):
                for name, inner in unit.members(scope).items():
                    found.setdefault(name, []).extend(inner)
        return {name: tuple(inner) for name, inner in found.items()}

    def name_answer(self, unit: TsUnit, scope: int, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """What a plain name means, imports followed."""
        rows = self.lookup(unit, scope, name, meaning)
        return self.followed(unit, rows, meaning) if rows else self.global_answer(unit, name, meaning)

    def global_answer(self, unit: TsUnit, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """What a name means that no scope of a file binds."""
        if name in GLOBALS:
            return ()
        return self._fitting(globals_of(self.context, unit, name), meaning) or self._provided(unit, name, meaning)

    def _provided(self, unit: TsUnit, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """What a framework gives to the files of its package without an import."""
        if is_library(unit.file):
            return ()
        return self.context.guarded(
            ("provided", unit.file, name, meaning), partial(self._given, unit.file, name, meaning), ()
        )

    def _given(self, path: FilePath, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        for near in enclosing_folders(path.rpartition("/")[0]):
            files = self.context.world.aliases(PROVIDED + near, FilePath(near))
            for component in self.context.world.aliases(f"{COMPONENT}{near}:{name}", FilePath(near)) if files else ():
                shown = FilePath(component)
                return self.module_member(shown, "default", SymbolMeaning.ANY) or (DefinitionRef(shown, -1),)
            for file in files:
                found = self.module_member(FilePath(file), name, meaning) if file != path else ()
                if found:
                    return found
        return ()

    def _fitting(self, found: Sequence[tuple[TsUnit, int]], meaning: SymbolMeaning) -> DefinitionRefs:
        answers: dict[DefinitionRef | External, None] = {}
        for unit, row in found:
            if suited(unit, (row,), meaning):
                answers.update(dict.fromkeys(self.followed(unit, (row,), meaning)))
        return tuple(answers)

    def _of_blocks(self, unit: TsUnit, spec: str, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """What `declare module` says about a name of a module without a file."""
        found = blocks(self.context, unit, spec)
        rows = [(other, inner) for other, row in found for inner in members(other, row, name)]
        answer = self._fitting(rows, meaning) or self._fitting(rows, SymbolMeaning.ANY)
        if answer or name == ASSIGNED:
            return answer
        assigned = [(other, inner) for other, row in found for inner in members(other, row, ASSIGNED)]
        if name == "default":
            return self._fitting(assigned, SymbolMeaning.ANY)
        return tuple(end for other, row in assigned for end in self.context.queries.object_member(other, row, name))

    def followed(self, unit: TsUnit, rows: Sequence[int], meaning: SymbolMeaning) -> DefinitionRefs:
        """Definitions behind rows: imports lead to what they name, anything else to itself."""
        if len(rows) == 1 and unit.kind[rows[0]] != IMPORT_DEFINITION:
            return (DefinitionRef(unit.file, rows[0]),)
        found: dict[DefinitionRef | External, None] = {}
        for row in rows:
            if unit.kind[row] == IMPORT_DEFINITION:
                found.update(dict.fromkeys(self.imported(unit, row, meaning)))
            else:
                found[DefinitionRef(unit.file, row)] = None
        return tuple(found)

    # imports

    def imported(self, unit: TsUnit, row: int, meaning: SymbolMeaning) -> DefinitionRefs:
        """What an import or export binding stands for."""
        key = ("import", unit.file, row, meaning)
        known = self.context.cached(key)
        if known is not NOT_CACHED:
            return cast("DefinitionRefs", known)
        return self.context.guarded(key, partial(self._imported, unit, row, meaning), ())

    def _imported(self, unit: TsUnit, row: int, meaning: SymbolMeaning) -> DefinitionRefs:
        value = unit.value[row]
        if value < 0:
            return ()
        table = unit.expressions
        kind = table.kind[value]
        if kind == MODULE_EXPRESSION:
            return self.module_answer(unit, value, meaning)
        if kind == NAME_EXPRESSION:
            return self.name_answer(unit, table.b[value], unit.strings[table.a[value]], meaning)
        if kind == MEMBER_EXPRESSION:
            base, name = table.a[value], unit.strings[table.b[value]]
            if table.kind[base] == MODULE_EXPRESSION:
                return self.module_expression_member(unit, base, name, meaning)
        return self.context.queries.other_import(unit, value)

    def module_answer(
        self, unit: TsUnit, expression: int, meaning: SymbolMeaning = SymbolMeaning.ANY
    ) -> DefinitionRefs:
        """What a module expression stands for: the module, or what it assigns to its exports."""
        table = unit.expressions
        spec = unit.strings[table.a[expression]]
        file = self.context.modules().find(spec, unit.file)
        if file is None:
            assigned_in_blocks = self._of_blocks(unit, spec, ASSIGNED, SymbolMeaning.ANY) if table.b[expression] else ()
            whole = tuple(
                DefinitionRef(other.file, row)
                for other, row in blocks(self.context, unit, spec)
                if declares(other, row)
            )
            return assigned_in_blocks or whole or ((External(spec),) if self.context.modules().external(spec) else ())
        if table.b[expression]:
            assigned = self.assigned(file, meaning)
            if assigned:
                return assigned
        return (DefinitionRef(file, -1),)

    def assigned(self, file: FilePath, meaning: SymbolMeaning) -> DefinitionRefs:
        """What a script assigns to `module.exports`."""
        unit = self.context.unit(file)
        rows = unit.members(unit.export_scope).get(ASSIGNED) if unit.export_scope >= 0 else None
        if not rows:
            return ()
        return self.followed(unit, rows[-1:], meaning) or self.followed(unit, rows[-1:], SymbolMeaning.ANY)

    def module_expression_member(
        self, unit: TsUnit, expression: int, name: str, meaning: SymbolMeaning
    ) -> DefinitionRefs:
        """A name imported from a module expression."""
        spec = unit.strings[unit.expressions.a[expression]]
        file = self.context.modules().find(spec, unit.file)
        if file is None:
            outside = (External(f"{spec}.{name}"),) if self.context.modules().external(spec) else ()
            return self._of_blocks(unit, spec, name, meaning) or outside
        return self.module_member(file, name, meaning)

    def module_member(self, file: FilePath, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """What importers get by a name."""
        key = ("member", file, name, meaning)
        known = self.context.cached(key)
        if known is not NOT_CACHED:
            return cast("DefinitionRefs", known)
        return self.context.guarded(key, partial(self._module_member, file, name, meaning), ())

    def _module_member(self, file: FilePath, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        unit = self.context.unit(file)
        rows = self._exported_rows(unit, name)
        if rows:
            fitting = suited(unit, rows, meaning) or rows
            found = self.followed(unit, fitting[: MAX_BINDINGS + 1], meaning)
            if found:
                return found
        if unit.export_scope < 0:
            return ()
        exports = unit.members(unit.export_scope)
        assigned = exports.get(ASSIGNED)
        if assigned:
            if name == "default":
                return self.followed(unit, assigned[-1:], meaning)
            found = self.context.queries.object_member(unit, assigned[-1], name) or self._beneath(
                unit, assigned[-1], name, meaning
            )
            if found:
                return found
        if name == "default":
            return ()
        mixed_in = self._mixed_in(unit, exports.get(MIXED_IN, ()), name) if MIXED_IN in exports else ()
        return mixed_in or self._starred(unit, exports.get("*", ()), name, meaning)

    def _mixed_in(self, unit: TsUnit, rows: Sequence[int], name: str) -> DefinitionRefs:
        """What functions that are given the exports set there."""
        found: dict[DefinitionRef | External, None] = {}
        for row in rows:
            for ref in self._mixing(unit, unit.value[row]):
                if isinstance(ref, DefinitionRef) and ref.row >= 0:
                    there = self.context.unit(ref.file)
                    given = there.parameter_rows().get(there.body[ref.row], ())[:1]
                    members = (there.members(there.body[one]).get(name, ()) for one in given if there.body[one] >= 0)
                    found.update((DefinitionRef(ref.file, member), None) for each in members for member in each)
        return tuple(found)

    def _mixing(self, unit: TsUnit, callee: int) -> DefinitionRefs:
        """The functions that a callee outside of functions means."""
        table = unit.expressions
        if callee < 0:
            return ()
        if table.kind[callee] == MODULE_EXPRESSION:
            return self.module_answer(unit, callee, SymbolMeaning.VALUE)
        if table.kind[callee] == NAME_EXPRESSION:
            return self.name_answer(unit, table.b[callee], unit.strings[table.a[callee]], SymbolMeaning.VALUE)
        return ()

    def _beneath(self, unit: TsUnit, row: int, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """`export = a`: a type of the namespace `a`."""
        found: dict[DefinitionRef | External, None] = {}
        for ref in self.followed(unit, (row,), SymbolMeaning.ANY):
            if isinstance(ref, DefinitionRef) and ref.row >= 0:
                rows = self.merged_member(self.context.unit(ref.file), ref.row, name)
                found.update(dict.fromkeys(self.followed(self.context.unit(ref.file), rows, meaning)))
        return tuple(found)

    def _exported_rows(self, unit: TsUnit, name: str) -> tuple[int, ...]:
        found: list[int] = []
        if unit.export_scope >= 0:
            found += unit.members(unit.export_scope).get(name, ())
        members = unit.members(0)
        everything = unit.file.endswith((".d.ts", ".d.mts", ".d.cts"))
        for row in members.get(name, ()):
            if everything or unit.flags[row] & EXPORTED_FLAG:
                found.append(row)
        if name == "default" and not found:
            flag = DEFAULT_EXPORT_FLAG
            found += [row for row, flags in enumerate(unit.flags) if flags & flag and unit.scope[row] == 0]
        return tuple(row for row in found if not self._as_default(unit, row, name))

    def _as_default(self, unit: TsUnit, row: int, name: str) -> bool:
        """`export default function f` gives `default`, not `f`."""
        return bool(unit.flags[row] & DEFAULT_EXPORT_FLAG) and name not in ("default", ASSIGNED)

    def _stars_with(self, unit: TsUnit, rows: Sequence[int], name: str) -> Sequence[int]:
        """Of very many `export *` those that may give a name, in order."""
        index = self.context.guarded(("stars", unit.file), partial(self._stars_by_name, unit, rows), _NO_MEMBERS)
        return sorted((*index.get(name, ()), *index.get("*", ())))

    def _stars_by_name(self, unit: TsUnit, rows: Sequence[int]) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for row in rows:
            value = unit.value[row]
            spec = unit.strings[unit.expressions.a[value]] if value >= 0 else ""
            file = self.context.modules().find(spec, unit.file) if spec else None
            for name in _given_names(self.context.unit(file)) if file is not None else ("*",):
                known = found.setdefault(name, [])
                if not known or known[-1] != row:
                    known.append(row)
        return {name: tuple(known) for name, known in found.items()}

    def _starred(self, unit: TsUnit, rows: Sequence[int], name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        outside: DefinitionRefs = ()
        for row in self._stars_with(unit, rows, name) if len(rows) > MAX_BINDINGS else rows:
            if unit.value[row] >= 0:
                found = self.module_expression_member(unit, unit.value[row], name, meaning)
                if found and not isinstance(found[0], External):
                    return found
                outside = outside or found
        return outside


def _given_names(unit: TsUnit) -> Iterator[str]:
    """Names that a module may give; "*" where it may give others as well."""
    yield from unit.members(0)
    if unit.export_scope >= 0:
        exports = unit.members(unit.export_scope)
        yield from exports
        if (ASSIGNED in exports or MIXED_IN in exports) and "*" not in exports:
            yield "*"


def suited(unit: TsUnit, rows: Sequence[int], meaning: SymbolMeaning) -> tuple[int, ...]:
    """Rows that have the meaning."""
    if meaning == SymbolMeaning.ANY:
        return tuple(rows)
    kinds = unit.kind
    if meaning == SymbolMeaning.TYPE:
        return tuple(row for row in rows if kinds[row] in _TYPES)
    only = TYPE_ONLY_FLAG
    ambient = NAMESPACE_DEFINITION
    return tuple(
        row
        for row in rows
        if kinds[row] not in _NEVER_VALUES and not (kinds[row] == ambient and unit.flags[row] & only)
    )
