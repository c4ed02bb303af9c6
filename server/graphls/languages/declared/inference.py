"""Inference: what names and expressions denote where declarations say types.

Owns: lexical scopes, values of expressions, calls, elements, type arguments.
Must not know: any particular language, which says what stands outside of a file's scopes and what members a type has.
Invariant: an answer depends on the own file, the surfaces of others and recorded questions alone; never on equal names.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from mypy_extensions import mypyc_attr

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    Composite,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Several,
    TypeName,
    Value,
    Variable,
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    ELEMENT_EXPRESSION,
    ENUM_DEFINITION,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    OPERATION_EXPRESSION,
    PARAMETER_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.context import ResolverContext
from graphls.languages.resolve.ranges import FEW, FirstCover, rows_begun
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.resolve.units import Unit

MAX_DEPTH: Final = 60
"""Questions inside of questions. Each may take six frames."""
MAX_QUERIES: Final = 400_000
"""Questions asked about one file."""
UNKNOWN_LAST: Final = "?"
LOCAL: Final = int(DeclaredRule.LOCAL)
BUILTIN: Final = "builtin."
_CLASSES: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION})
_TYPES: Final = _CLASSES | {TYPE_ALIAS_DEFINITION, TYPE_PARAMETER_DEFINITION}
_MEMBERS: Final = frozenset({CLASS_SCOPE, OBJECT_SCOPE})
_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_UNORDERED: Final = frozenset({MODULE_SCOPE, CLASS_SCOPE, OBJECT_SCOPE, TYPE_PARAMETERS_SCOPE})
"""Scopes that know a name from their beginning to their end."""


class DeclaredUnit(Unit):
    """Names, scopes, expressions of one file, and where local names begin to be visible."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        super().__init__(file, source)
        self.visible_from: list[int] = source.definitions.full_end.tolist() if isinstance(source, FileFacts) else []
        self.scope_start: list[int] = source.scopes.start.tolist() if isinstance(source, FileFacts) else []
        self.starts: list[int] = source.definitions.start.tolist() if isinstance(source, FileFacts) else []
        self.narrowings: dict[tuple[int, int], FirstCover] = {}
        """Name and the scope that binds it -> where it is known to have a narrower type, and which."""
        if isinstance(source, FileFacts):
            table, expressions = source.narrowings, self.expressions
            spans: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
            for subject, test, start, end in zip(table.subject, table.test, table.start, table.end, strict=True):
                key = (expressions.a[subject], expressions.b[subject])
                spans.setdefault(key, []).append((start, end, test))
            self.narrowings = {key: FirstCover(found) for key, found in spans.items()}
        self._type_parameters: dict[int, list[int]] | None = None

    def type_parameters(self, row: int) -> Sequence[int]:
        """Rows of the type parameters that a definition declares, in order."""
        if self._type_parameters is None:
            found: dict[int, list[int]] = {}
            for other, kind in enumerate(self.kind):
                if kind == TYPE_PARAMETER_DEFINITION:
                    found.setdefault(self.scope_owner[self.scope[other]], []).append(other)
            self._type_parameters = found
        return self._type_parameters.get(row, ())

    def type_of_scope(self, scope: int) -> Value | None:
        """The type whose body a scope is."""
        if self.scope_kind[scope] == OBJECT_SCOPE:
            return Anonymous(self.file, scope)
        owner = self.scope_owner[scope]
        if owner < 0:
            return None
        return NamedType(self.file, owner, tuple([Variable(self.file, row) for row in self.type_parameters(owner)]))

    def captured_row(self, scope: int, name: str, kinds: Set[int]) -> int:
        """The variable of a function, which closures inside of it see too; -1 where there is none."""
        while scope >= 0:
            for row in self.members(scope).get(name, ()):
                if self.kind[row] in kinds:
                    return row
            if self.scope_kind[scope] != LAMBDA_SCOPE:
                return -1
            scope = self.scope_parent[scope]
        return -1

    def dotted(self, row: int) -> str:
        """Names with dots between them, as an expression spells them; "" for anything else."""
        table = self.expressions
        if table.kind[row] == NAME_EXPRESSION:
            return self.strings[table.a[row]]
        if table.kind[row] != MEMBER_EXPRESSION:
            return ""
        before = self.dotted(table.a[row])
        return f"{before}.{self.strings[table.b[row]]}" if before else ""


@mypyc_attr(allow_interpreted_subclasses=True)
class DeclaredInference(ResolverContext[DeclaredUnit]):
    """What one file and those that it can see denote."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(DeclaredUnit(path, facts), facts, world, MAX_DEPTH, MAX_QUERIES)
        self._clauses: dict[FilePath, str] = {}

    def clause(self, file: FilePath) -> str:
        """The package that a file says it belongs to, "" where it says nothing."""
        known = self._clauses.get(file)
        if known is None:
            if file == self.path:
                strings, uses = self.facts.strings, self.facts.occurrences
                roles = uses.role
                known = next((strings[uses.name[at]] for at in range(len(roles)) if roles[at] == EXPORT_ROLE), "")
            else:
                exports = self.unit(file).exports
                known = exports[0] if exports else ""
            self._clauses[file] = known
        return known

    def written_exports(self, file: FilePath) -> Sequence[str]:
        """What a file gives on to who sees it, as it is written and once each: includes, scripts that it sources."""
        if file == self.path:
            strings, uses = self.facts.strings, self.facts.occurrences
            roles = uses.role
            return tuple(
                dict.fromkeys([strings[uses.name[at]] for at in range(len(roles)) if roles[at] == EXPORT_ROLE])
            )
        return self.unit(file).exports or ()

    def release(self) -> None:
        """Ends the questions: parts that lead back here are let go, so that all of it is freed at once."""

    # what a language says

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """What a name means that no scope of a file below its top binds."""
        raise NotImplementedError

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A member of a type that is not outside."""
        raise NotImplementedError

    def scope_member(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What a name means in the scope of a class, where that is a place for plain names."""
        return None

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """The result of something outside that is called."""
        raise NotImplementedError

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What the binding of an import stands for."""
        raise NotImplementedError

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What a plain name means where it stands; an offset below 0 is one outside of functions."""
        kinds, parents = unit.scope_kind, unit.scope_parent
        at = scope
        while at > 0:
            kind = kinds[at]
            if kind in _MEMBERS:
                found = self.scope_member(unit, at, name)
                if found is not None:
                    return found
            else:
                rows = unit.members(at).get(name)
                if rows:
                    row = visible_row(unit, rows, kind, offset)
                    if row >= 0:
                        value = self._narrowed(unit, row, at, offset)
                        return Denotation((DefinitionRef(unit.file, row),), value, LOCAL)
            at = parents[at]
        return self.kept(("outer", unit.file, name), lambda: self.outer(unit, name))

    def _narrowed(self, unit: DeclaredUnit, row: int, scope: int, offset: int) -> Value | None:
        narrowed = unit.narrowings.get((unit.name[row], scope)) if unit.narrowings else None
        test = -1 if narrowed is None else narrowed.at(offset)
        return self.denote(unit, test) if test >= 0 else self.row_value(unit, row)

    def row_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a definition denotes."""
        kind = unit.kind[row]
        if kind in _FUNCTIONS:
            return Functions(unit.file, (row,))
        if kind in _CLASSES:
            return TypeName(NamedType(unit.file, row))
        return self.guarded(("row", unit.file, row), lambda: self._row_value(unit, row, kind), None)

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind == IMPORT_DEFINITION:
            return self.import_value(unit, row)
        if kind == TYPE_PARAMETER_DEFINITION:
            return TypeName(Variable(unit.file, row))
        if kind == TYPE_ALIAS_DEFINITION:
            target = self.denote(unit, unit.value[row])
            return None if target is None else TypeName(target)
        if unit.type[row] >= 0:
            return self.denote(unit, unit.type[row])
        return self.infer(unit, unit.value[row])

    # types

    def denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The type that a written type stands for."""
        if row < 0:
            return None
        return self.guarded(("type", unit.file, row), lambda: self._denote(unit, row), None)

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            found = self.name(unit, table.b[row], unit.strings[table.a[row]], table.c[row])
            return _type_of(found.value) if found is not None else None
        if kind == MEMBER_EXPRESSION:
            found = self.member(self.infer(unit, table.a[row]), unit.strings[table.b[row]])
            return _type_of(found.value) if found is not None else None
        if kind == SUBSCRIPT_EXPRESSION:
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            if table.kind[table.a[row]] == LITERAL_EXPRESSION:
                return Composite(unit.strings[table.a[table.a[row]]], parts)
            return _with_arguments(self.denote(unit, table.a[row]), parts)
        if kind == TUPLE_EXPRESSION:
            return Several(tuple([self.denote(unit, part) for part in unit.list_at(table.a[row])]))
        if kind == OBJECT_EXPRESSION:
            return Anonymous(unit.file, table.a[row])
        if kind == LITERAL_EXPRESSION:
            return Outside(BUILTIN + unit.strings[table.a[row]])
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, table.a[row])
        return None

    # values

    def infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What an expression denotes."""
        if row < 0:
            return None
        return self.guarded(("value", unit.file, row), lambda: self._infer(unit, row), None)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == NAME_EXPRESSION:
            found = self.name(unit, table.b[row], unit.strings[a], table.c[row])
            return None if found is None else found.value
        if kind == MEMBER_EXPRESSION:
            found = self.member(self.infer(unit, a), unit.strings[table.b[row]])
            return None if found is None else found.value
        if kind == CALL_EXPRESSION:
            return self.called(self.infer(unit, a), unit, unit.list_at(table.b[row]))
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, a)
        if kind == SUBSCRIPT_EXPRESSION:
            return self._subscript(unit, row)
        if kind == ELEMENT_EXPRESSION:
            return self.element(self.infer(unit, a))
        if kind == OPERATION_EXPRESSION:
            return self.key(self.infer(unit, a))
        if kind == ITEM_EXPRESSION:
            return self._item(self.infer(unit, a), table.b[row])
        if kind == LITERAL_EXPRESSION:
            return Outside(BUILTIN + unit.strings[a])
        return TypeName(Anonymous(unit.file, a)) if kind == OBJECT_EXPRESSION else None

    def _subscript(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        base = table.a[row]
        if table.kind[base] == LITERAL_EXPRESSION:
            type_ = self.denote(unit, row)
            return None if type_ is None else TypeName(type_)
        value = self.infer(unit, base)
        if isinstance(value, TypeName):
            type_ = self.denote(unit, row)
            return None if type_ is None else TypeName(type_)
        if isinstance(value, Functions):
            given = [self.denote(unit, part) for part in unit.list_at(table.b[row])]
            other = self.unit(value.file)
            rows = other.type_parameters(value.rows[0])
            bound = tuple((value.file, one, type_) for one, type_ in zip(rows, given, strict=False))
            return Functions(value.file, value.rows, (*value.given, *bound))
        return self.element(value)

    def _item(self, value: Value | None, position: int) -> Value | None:
        if isinstance(value, Several):
            return value.parts[position] if position < len(value.parts) else None
        if isinstance(value, Outside) and value.dotted.endswith(UNKNOWN_LAST):
            return value
        return value if position == 0 else Outside(BUILTIN + "bool")

    def called(self, callee: Value | None, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """The result of a call, or of a conversion."""
        if isinstance(callee, TypeName):
            return callee.type
        if isinstance(callee, Functions):
            return self.result(callee, unit, arguments)
        if isinstance(callee, Outside):
            return self.called_outside(callee, [self.infer(unit, argument) for argument in arguments])
        inner = self.underlying(callee)
        if isinstance(inner, Composite) and inner.constructor == "func":
            given = inner.parts[1:]
            return given[0] if len(given) == 1 else Several(given)
        return None

    def result(self, callee: Functions, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """What a function gives back, with type arguments written, or as arguments decide them."""
        other, row = self.unit(callee.file), callee.rows[0]
        returns = other.returns(row)
        if not returns:
            return Several(())
        type_ = self.infer(other, returns[0][0])
        given = {(file, one): value for file, one, value in callee.given}
        own = other.type_parameters(row)
        if own and any((callee.file, one) not in given for one in own):
            found: Bindings = {}
            for parameter, argument in zip(other.parameters(row), arguments, strict=False):
                unify(self.row_value(other, parameter), self.infer(unit, argument), found)
            given = {**found, **given}
        return substituted(type_, given)

    def underlying(self, value: Value | None) -> Value | None:
        """What a type is made of: a type with a name and members is that itself."""
        steps = 0
        while isinstance(value, NamedType) and steps < MAX_DEPTH:
            steps += 1
            unit = self.unit(value.file)
            if unit.body[value.row] >= 0 or unit.value[value.row] < 0:
                return value
            value = substituted(self.denote(unit, unit.value[value.row]), self.arguments_of(value))
        return value

    def arguments_of(self, value: NamedType) -> Bindings:
        """What the type parameters of a type stand for."""
        rows = self.unit(value.file).type_parameters(value.row) if value.arguments else ()
        return {(value.file, row): type_ for row, type_ in zip(rows, value.arguments, strict=False)}

    def given_to(self, value: Value) -> Bindings:
        """What the type parameters of a type stand for."""
        return self.arguments_of(value) if isinstance(value, NamedType) else {}

    def body_of(self, value: Value) -> tuple[DeclaredUnit, int] | None:
        """Where the members of a type are declared."""
        if isinstance(value, NamedType):
            unit = self.unit(value.file)
            return unit, unit.body[value.row]
        return (self.unit(value.file), value.scope) if isinstance(value, Anonymous) else None

    def element(self, value: Value | None) -> Value | None:
        """One of the values that something holds."""
        value = self.underlying(value)
        if isinstance(value, Composite) and value.parts:
            if value.constructor == "map":
                return value.parts[-1]
            if value.constructor == "func":
                return self._yielded(value, 1)
            return value.parts[0]
        if isinstance(value, Outside):
            return value.arguments[-1] if value.arguments else value
        return None

    def key(self, value: Value | None) -> Value | None:
        """What a loop over something counts by."""
        value = self.underlying(value)
        if isinstance(value, Composite) and value.parts:
            if value.constructor == "func":
                return self._yielded(value, 0)
            return value.parts[0] if value.constructor in ("map", "chan") else Outside(BUILTIN + "int")
        if isinstance(value, Outside):
            return value.arguments[0] if value.arguments else value
        return None

    def _yielded(self, value: Composite, position: int) -> Value | None:
        """What a function that takes `yield` hands out."""
        taken = value.parts[0]
        inner = taken.parts[0] if isinstance(taken, Several) and taken.parts else None
        handed = inner.parts[0] if isinstance(inner, Composite) and inner.constructor == "func" else None
        return handed.parts[position] if isinstance(handed, Several) and position < len(handed.parts) else None

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a package."""
        if value is None:
            return None
        if isinstance(value, Outside):
            dotted = f"{value.dotted}.{name}"
            package = value.dotted.rpartition(".")[0] or value.dotted
            after = None if value.arguments else Outside(f"{package}.{UNKNOWN_LAST}")
            return Denotation((External(dotted),), after, int(DeclaredRule.EXTERNAL))
        return self.guarded(("member", value, name), lambda: self.find_member(value, name), None)


def visible_row(unit: DeclaredUnit, rows: Sequence[int], kind: int, offset: int) -> int:
    """The last of some rows that is visible at an offset, -1 for none."""
    if not unit.own or offset < 0 or kind in _UNORDERED:
        return rows[-1]
    if offset < unit.scope_start[unit.scope[rows[0]]]:
        return -1  # in the types of parameters
    last = len(rows)
    if last > FEW and unit.kind[rows[-1]] != PARAMETER_DEFINITION:
        last = rows_begun(unit.starts, rows, offset)
    for at in range(last - 1, -1, -1):
        row = rows[at]
        own = unit.kind[row]
        if own == PARAMETER_DEFINITION or (unit.starts[row] <= offset and own in _TYPES):
            return row
        if unit.visible_from[row] <= offset:
            return row
    return -1


def _type_of(value: Value | None) -> Value | None:
    """The type that a name of a type stands for."""
    if isinstance(value, TypeName):
        return value.type
    return value if isinstance(value, Outside) else None


def _with_arguments(value: Value | None, arguments: tuple[Value | None, ...]) -> Value | None:
    if isinstance(value, NamedType):
        return NamedType(value.file, value.row, arguments)
    if isinstance(value, Outside):
        return Outside(value.dotted, arguments)
    return value


def named_literal(text: str) -> Outside:
    """The type that a literal has: one with a dotted name, or a built-in one."""
    return Outside(text if "." in text else BUILTIN + text)
