"""Inference: what names, members and calls denote in Lua.

Owns: local variables by where they are visible, globals, modules, tables and what their metatables lead to.
Must not know: how comments and statements are written, how occurrences become links.
Invariant: a table whose value is not known has no members; an answer rests on assignments and annotations alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.definer_keys import global_key, type_key
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
    Anonymous,
    Composite,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Several,
    Value,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    COLLECTION_EXPRESSION,
    ELEMENT_EXPRESSION,
    ENUM_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    ITEM_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PARAMETER_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    TYPE_ONLY_FLAG,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.lua.loading import loaded_file
from graphls.languages.lua.types.standard import FIRST, HOSTS, LANGUAGE, REST, STRINGS
from graphls.languages.provider import World
from graphls.languages.resolve.ranges import FEW, rows_begun
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
INHERITED: Final = int(DeclaredRule.INHERITED)
IMPORT: Final = int(DeclaredRule.IMPORT)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
SELF: Final = ":self"
RESULT: Final = "return"
LAYERS: Final = "layers"
RESULTS: Final = "results"
STRING: Final = Outside("string")
GLOBALS: Final = Outside("_G")
_GLOBAL: Final = int(DefinitionFlag.GLOBAL)
_INSTANCE: Final = int(DefinitionFlag.INSTANCE)
_ASSIGNED: Final = int(DefinitionFlag.POSITIONAL_ONLY)
_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, ENUM_DEFINITION, TYPE_ALIAS_DEFINITION})
MOST_CLASSES: Final = 40
"""Classes above one that are looked at."""
MOST_FILES: Final = 64
"""Files that define a name and are looked at, where any may add it to a table or as a global."""
MOST_PARTS: Final = 6
"""Alternatives of one value that are looked at."""


class LuaInference(DeclaredInference):
    """What one file of Lua and those that it can see denote."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._added: dict[object, list[int]] | None = None
        """What outer names mean -> tables of this file over them."""
        self._tables: dict[FilePath, dict[int, list[int]]] = {}

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A local variable that is visible at an offset, or a global."""
        if name == SELF:
            value = self.self_at(unit, scope)
            return Denotation((), value, LOCAL) if value is not None else None
        at = scope
        while at >= 0:
            rows = unit.members(at).get(name)
            row = self._visible(unit, rows, at, offset) if rows else -1
            if row >= 0:
                return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL)
            at = unit.scope_parent[at]
        return self.kept(("global", unit.file, name), lambda: self.outer(unit, name))

    def _visible(self, unit: DeclaredUnit, rows: Sequence[int], scope: int, offset: int) -> int:
        last = len(rows)
        if last > FEW and unit.own and offset >= 0 and unit.kind[rows[-1]] != PARAMETER_DEFINITION:
            last = rows_begun(unit.starts, rows, offset)
        for at in range(last - 1, -1, -1):
            row = rows[at]
            if scope == 0 and unit.flags[row] & (_GLOBAL | TYPE_ONLY_FLAG):
                continue
            kind = unit.kind[row]
            if kind == PARAMETER_DEFINITION:
                if scope == 0:
                    continue  # what the file gives back
                return row
            if not unit.own or offset < 0:
                return row
            if kind in _FUNCTIONS and not unit.flags[row] & _ASSIGNED and unit.starts[row] <= offset:
                return row
            if unit.visible_from[row] <= offset:
                return row
        return -1

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """A global: of the file, of Lua or its host, of the one other file that declares it."""
        own = [row for row in unit.members(0).get(name, ()) if unit.flags[row] & _GLOBAL]
        if own and name not in LANGUAGE:
            refs = tuple([DefinitionRef(unit.file, row) for row in own])
            return Denotation(refs, self.row_value(unit, own[0]), LOCAL)
        if name in LANGUAGE or name in HOSTS:
            return Denotation((External(name),), Outside(name), EXTERNAL)
        found: list[DefinitionRef] = []
        files = self.world.defining(global_key(name))
        for file in files if len(files) <= MOST_FILES else ():
            if file == unit.file or not file.endswith(".lua"):
                continue
            other = self.unit(file)
            found += [DefinitionRef(file, row) for row in other.members(0).get(name, ()) if other.flags[row] & _GLOBAL]
        if len({ref.file for ref in found}) != 1:
            return None
        return Denotation(tuple(found), self.row_value(self.unit(found[0].file), found[0].row), PACKAGE)

    def self_at(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The table whose method stands around a scope."""
        at = scope
        while at > 0:
            owner = unit.scope_owner[at]
            if unit.scope_kind[at] == FUNCTION_SCOPE and owner >= 0 and unit.kind[owner] == METHOD_DEFINITION:
                return self.table_value(unit, unit.scope[owner])
            at = unit.scope_parent[at]
        return None

    def table_value(self, unit: DeclaredUnit, scope: int) -> Value:
        """A table by the scope of its members, with what it goes on to."""
        owner = unit.scope_owner[scope]
        if owner >= 0 and unit.scope_kind[scope] == CLASS_SCOPE:
            return NamedType(unit.file, owner)
        if owner >= 0 and unit.body[owner] == scope:
            found = self.row_value(unit, owner)
            if found is not None:
                return found
        return Anonymous(unit.file, scope)

    # values

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        typed: Value | None = None
        if kind == FIELD_DEFINITION:
            typed = self._expected(unit, row)
        elif unit.type[row] >= 0 and kind not in _TYPE_KINDS:
            typed = self.denote(unit, unit.type[row])
        if typed is not None:
            body = unit.body[row]
            added = body >= 0 and unit.scope_kind[body] == OBJECT_SCOPE
            return _layered([typed, Anonymous(unit.file, body)]) if added else typed
        if kind == TYPE_ALIAS_DEFINITION:
            return self.denote(unit, unit.value[row])
        if kind == PARAMETER_DEFINITION and unit.scope[row] > 0:
            expected = self._expected_parameter(unit, row)
            if expected is not None:
                return expected
        body, parts = unit.body[row], list[Value]()
        value = self.infer(unit, unit.value[row])
        if value is not None:
            parts.append(value)
        if body >= 0:
            owner = unit.scope_owner[body]
            named = unit.scope_kind[body] == CLASS_SCOPE and owner >= 0
            table = NamedType(unit.file, owner) if named else Anonymous(unit.file, body)
            parts.append(table)  # what is only added to a table that something else makes comes behind that
        return _layered(parts)

    def _expected_parameter(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What the written type of a table says of a parameter of a function in it."""
        owner = unit.scope_owner[unit.scope[row]]
        if owner < 0 or unit.scope_kind[unit.scope[owner]] != OBJECT_SCOPE:
            return None
        wanted = self._expected(unit, owner)
        if not isinstance(wanted, Composite) or wanted.constructor != "func" or row not in unit.parameters(owner):
            return None
        taken = wanted.parts[0]
        at = unit.parameters(owner).index(row)
        return taken.parts[at] if isinstance(taken, Several) and at < len(taken.parts) else None

    def _expected(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The type that a member is to have, by the types that are written of the tables around it."""
        return self.guarded(("expected", unit.file, row), lambda: self._expected_of(unit, row), None)

    def _expected_of(self, unit: DeclaredUnit, row: int) -> Value | None:
        if unit.type[row] >= 0:
            return self.denote(unit, unit.type[row])
        scope = unit.scope[row]
        owner = unit.scope_owner[scope] if unit.scope_kind[scope] == OBJECT_SCOPE else -1
        table = self._expected(unit, owner) if owner >= 0 else None
        if table is None:
            return None
        found = self.member(table, unit.text(row))
        return found.value if found is not None else self.element(table)

    def row_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a definition denotes."""
        kind = unit.kind[row]
        if kind in _FUNCTIONS:
            return Functions(unit.file, (row,))
        if kind in (CLASS_DEFINITION, ENUM_DEFINITION) and unit.flags[row] & TYPE_ONLY_FLAG:
            return NamedType(unit.file, row)
        return self.guarded(("row", unit.file, row), lambda: self._row_value(unit, row, kind), None)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a, b = table.kind[row], table.a[row], table.b[row]
        if kind == NAME_EXPRESSION:
            found = self.name(unit, table.b[row], unit.strings[a], table.c[row])
            return None if found is None else found.value
        if kind == MEMBER_EXPRESSION:
            return self._member_value(self.infer(unit, a), unit.strings[b])
        if kind == CALL_EXPRESSION:
            return self._called(unit, row)
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, a)
        if kind == MODULE_EXPRESSION:
            return self.module_value(unit.strings[a], unit.file)
        if kind == OBJECT_EXPRESSION:
            return Anonymous(unit.file, a)
        return self._made_of(unit, row)

    def _made_of(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The value of an expression that is made of others."""
        table = unit.expressions
        kind, a, b = table.kind[row], table.a[row], table.b[row]
        if kind == UNION_EXPRESSION:
            return _either([self.infer(unit, part) for part in unit.list_at(a)[:MOST_PARTS]])
        if kind == COLLECTION_EXPRESSION:
            parts = tuple([self.infer(unit, part) for part in unit.list_at(a)])
            if unit.strings[b] == LAYERS:
                return _layered([part for part in parts if part is not None])
            return Composite(unit.strings[b], parts)
        if kind == ELEMENT_EXPRESSION:
            return self.element(self.infer(unit, a))
        if kind == ITEM_EXPRESSION:
            return _item(self.infer(unit, a), b)
        if kind == SUBSCRIPT_EXPRESSION:
            return self.denote(unit, row)
        if kind == LITERAL_EXPRESSION:
            return _built_in(unit.strings[a])
        return None

    def _member_value(self, base: Value | None, name: str) -> Value | None:
        found = self.member(base, name)
        if found is None and name == "__index" and not isinstance(base, Outside):
            return base  # libraries of classes set it
        if found is None and isinstance(base, Composite) and base.constructor != LAYERS:
            return self.element(base) if base.constructor == "map" else None
        return None if found is None else found.value

    def module_value(self, module: str, importer: FilePath) -> Value | None:
        """What a module gives to those who require it."""
        file = loaded_file(module, importer, self.world)
        return self.file_value(file) if file is not None else Outside(module.replace("/", "."))

    def file_value(self, file: FilePath) -> Value | None:
        """What a file gives back."""
        unit = self.unit(file)
        rows = [row for row in unit.members(0).get(RESULT, ()) if unit.kind[row] == PARAMETER_DEFINITION]
        return _either([self.row_value(unit, row) for row in rows])

    def element(self, value: Value | None) -> Value | None:
        """One of the values that a table holds."""
        if isinstance(value, Several):
            return _either([self.element(part) for part in value.parts])
        if isinstance(value, Composite):
            if value.constructor == LAYERS:
                return _either([self.element(part) for part in value.parts])
            if value.constructor == "list":
                return _either(list(value.parts))
            if value.constructor in ("[]", "map") and value.parts:
                return value.parts[-1]
            return None
        return value if isinstance(value, Outside) and value != STRING else None

    # calls

    def _called(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        callee = table.a[row]
        if table.kind[callee] != MEMBER_EXPRESSION:
            return self.result_of(self.infer(unit, callee), None, unit, unit.list_at(table.b[row]))
        receiver = self.infer(unit, table.a[callee])
        found = self.member(receiver, unit.strings[table.b[callee]])
        if found is None:
            made = unit.strings[table.b[callee]] == "new" and self.is_class(receiver)
            return receiver if made else None
        return self.result_of(found.value, receiver, unit, unit.list_at(table.b[row]))

    def result_of(
        self, callee: Value | None, receiver: Value | None, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        """What a call gives back; a class that is called makes an instance."""
        if isinstance(callee, Functions):
            return self._result(callee, receiver)
        if isinstance(callee, Outside):
            return self._outside_result(callee, unit, arguments)
        if isinstance(callee, Composite) and callee.constructor == "func":
            given = callee.parts[1:]
            return given[0] if len(given) == 1 else Composite(RESULTS, given) if given else None
        if isinstance(callee, Several):
            return _either([self.result_of(part, receiver, unit, arguments) for part in callee.parts])
        return callee if self.is_class(callee) else None

    def _result(self, callee: Functions, receiver: Value | None) -> Value | None:
        unit, found = self.unit(callee.file), list[Value | None]()
        for row in callee.rows:
            own = self.self_at(unit, unit.body[row]) if unit.body[row] >= 0 else None
            for expression, _ in unit.returns(row):
                value = self.infer(unit, expression)
                # What gives back its own object gives back that which it is called on.
                found.append(receiver if own is not None and value == own and receiver is not None else value)
        return _either(found)

    def _outside_result(self, callee: Outside, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        if callee.dotted in FIRST and arguments:
            return self.infer(unit, arguments[0])
        if callee.dotted in REST:
            return _either([self.infer(unit, argument) for argument in reversed(arguments[1:])])
        if callee.dotted.startswith("string.") and callee.dotted[7:] in STRINGS:
            return STRING
        return STRING if callee.dotted in ("tostring", "table.concat", "type") else None

    def is_class(self, value: Value | None) -> bool:
        """Whether a table is a class, so that a call of it makes an instance."""
        if isinstance(value, NamedType):
            return True
        if isinstance(value, Composite) and value.constructor == LAYERS:
            return self.is_class(value.parts[0])
        if isinstance(value, Anonymous):
            unit = self.unit(value.file)
            owner = unit.scope_owner[value.scope]
            return owner >= 0 and unit.kind[owner] == CLASS_DEFINITION
        return False

    # types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == NAME_EXPRESSION:
            if unit.strings[a] == SELF:
                return self.self_at(unit, table.b[row])
            found = self.type_named(unit, unit.strings[a])
            return None if found is None else found.value
        if kind == UNION_EXPRESSION:
            return _either([self.denote(unit, part) for part in unit.list_at(a)[:MOST_PARTS]])
        if kind == SUBSCRIPT_EXPRESSION:
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            base = table.a[row]
            return Composite(unit.strings[table.a[base]], parts) if table.kind[base] == LITERAL_EXPRESSION else None
        if kind == LITERAL_EXPRESSION:
            return _built_in(unit.strings[a])
        return super()._denote(unit, row)

    def type_named(self, unit: DeclaredUnit, whole: str) -> Denotation | None:
        """The class or alias of a name, which any file may declare, in several parts."""
        return self.kept(("class", unit.file, whole), lambda: self._type_named(unit, whole))

    def _type_named(self, unit: DeclaredUnit, whole: str) -> Denotation | None:
        last = whole.rpartition(".")[2]
        refs = self._types_in(unit, last, whole)
        rule = LOCAL
        for name in (type_key(last), last):  # aliases are no types of their own
            files = () if refs else self.world.defining(name)
            for file in files if len(files) <= MOST_FILES else ():
                if file != unit.file:
                    refs += self._types_in(self.unit(file), last, whole)
                    rule = PACKAGE
        if not refs:
            if whole.partition(".")[0] in HOSTS or whole.partition(".")[0] in LANGUAGE or whole.startswith("ffi."):
                return Denotation((External(whole),), Outside(whole), EXTERNAL)
            return None
        first = refs[0]
        return Denotation(tuple(refs), self.row_value(self.unit(first.file), first.row), rule)

    def _types_in(self, unit: DeclaredUnit, last: str, whole: str) -> list[DefinitionRef]:
        rows = [row for row in unit.members(0).get(last, ()) if unit.flags[row] & TYPE_ONLY_FLAG]
        return [DefinitionRef(unit.file, row) for row in rows if self.whole_name(unit, row) == whole]

    def whole_name(self, unit: DeclaredUnit, row: int) -> str:
        """The name of a type with what stands before its last dot."""
        before = unit.type[row] if unit.kind[row] == TYPE_ALIAS_DEFINITION else unit.value[row]
        table = unit.expressions
        if before < 0 or table.kind[before] != NAME_EXPRESSION:
            return unit.text(row)
        return f"{unit.strings[table.a[before]]}.{unit.text(row)}"

    # members

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a table, a class or something outside."""
        if value is None:
            return None
        if isinstance(value, Outside):
            if value == GLOBALS:
                return self.name(self.own, 0, name, 0)
            found = self._added_member(value, name)
            if found is not None:
                return found
            if value.dotted.startswith(BUILTIN) or (value == STRING and name not in STRINGS):
                return None
            dotted = f"{value.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted), EXTERNAL)
        return self.guarded(("member", value, name), lambda: self.find_member(value, name), None)

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A member of a table by the order in which Lua looks for it."""
        found = self._member_of(holder, name)
        return found if found is not None else self._added_member(holder, name)

    def _member_of(self, holder: Value, name: str) -> Denotation | None:
        if isinstance(holder, Several):
            return self._of_either([self.member(part, name) for part in holder.parts])
        if isinstance(holder, Composite):
            return self._of_layers(holder, name) if holder.constructor == LAYERS else None
        if isinstance(holder, Anonymous):
            found = self._declared(self.unit(holder.file), holder.scope, name, MEMBER)
            found = found if found is not None else self._added_member(holder, name)
            return found if found is not None else self._added_elsewhere(holder, name)
        return self._of_class(holder, name) if isinstance(holder, NamedType) else None

    def _of_layers(self, holder: Composite, name: str) -> Denotation | None:
        first: Denotation | None = None
        for part in holder.parts:  # compiled code asks all of a generator
            found = self.member(part, name)
            if found is not None and not self._is_set_on_instances(found):
                return found
            first = first or found
        return first

    def _is_set_on_instances(self, found: Denotation) -> bool:
        """Whether a member is one that methods set on `self`: a class above may declare it."""
        ref = found.refs[0] if found.refs else None
        if not isinstance(ref, DefinitionRef) or ref.row < 0:
            return False
        unit = self.unit(ref.file)
        return unit.kind[ref.row] == FIELD_DEFINITION and bool(unit.flags[ref.row] & _INSTANCE)

    def _of_either(self, found: Sequence[Denotation | None]) -> Denotation | None:
        known = [one for one in found if one is not None and one.refs]
        if len(known) <= 1:
            return known[0] if known else None
        refs = tuple(dict.fromkeys([ref for one in known for ref in one.refs]))
        inside = tuple([ref for ref in refs if isinstance(ref, DefinitionRef)])
        return Denotation(inside or refs, _either([one.value for one in known]), known[0].rule)

    def _declared(self, unit: DeclaredUnit, scope: int, name: str, rule: int) -> Denotation | None:
        rows = unit.members(scope).get(name, ()) if scope >= 0 else ()
        if not rows:
            return None
        functions = [row for row in rows if unit.kind[row] in _FUNCTIONS]
        if len(functions) == len(rows):
            refs = tuple([DefinitionRef(unit.file, row) for row in rows])
            return Denotation(refs, Functions(unit.file, tuple(rows)), rule)
        value = self.row_value(unit, rows[0])
        own = DefinitionRef(unit.file, rows[0])
        return Denotation((own, *self._held(unit, rows[0], value)), value, rule)

    def _held(self, unit: DeclaredUnit, row: int, value: Value | None) -> DefinitionRefs:
        """The function that a member is given by its name: whoever calls the one runs the other."""
        at, table = unit.value[row], unit.expressions
        if at < 0 or table.kind[at] not in (NAME_EXPRESSION, MEMBER_EXPRESSION) or not isinstance(value, Functions):
            return ()
        return tuple([DefinitionRef(value.file, one) for one in value.rows[:1]])

    def _of_class(self, holder: NamedType, name: str) -> Denotation | None:
        """A member of a class: of all of its parts, then of those above."""
        pending: list[Value] = [holder]
        seen: set[Value] = set()
        first: Denotation | None = None
        while pending and len(seen) < MOST_CLASSES:
            one = pending.pop(0)
            if one in seen:
                continue
            seen.add(one)
            rule = MEMBER if one == holder else INHERITED
            if not isinstance(one, NamedType):
                found = self.member(one, name)
                if found is not None and not (first is not None and self._is_set_on_instances(found)):
                    return Denotation(found.refs, found.value, rule)
                continue
            for part in self._parts(one):
                unit = self.unit(part.file)
                found = self._declared(unit, unit.body[part.row], name, rule)
                if found is not None and not self._is_set_on_instances(found):
                    return found
                first = first or found
                for base, _ in unit.bases(part.row):
                    above = self.denote(unit, base)
                    if above is not None:
                        pending.append(above)
                pending += self._attached(unit, part.row)
        return first

    def _parts(self, value: NamedType) -> list[DefinitionRef]:
        """All declarations of a class, its own first."""
        own = DefinitionRef(value.file, value.row)
        unit = self.unit(value.file)
        found = self.type_named(unit, self.whole_name(unit, value.row))
        others: list[DefinitionRef] = []
        last = unit.text(value.row)
        whole = self.whole_name(unit, value.row)
        files = self.world.defining(type_key(last))
        for file in files if len(files) <= MOST_FILES else ():
            others += self._types_in(self.unit(file), last, whole)
        known = [ref for ref in found.refs if isinstance(ref, DefinitionRef)] if found is not None else []
        return list(dict.fromkeys([own, *known, *others]))

    def _attached(self, unit: DeclaredUnit, row: int) -> list[Value]:
        """What the table that a comment calls a class goes on to by its metatable."""
        body, found = unit.body[row], list[Value]()
        for other in self._tables_of(unit).get(body, ()):
            value = self.infer(unit, unit.value[other]) if unit.value[other] >= 0 else None
            if value is not None:
                found.append(value)
        return found

    def _tables_of(self, unit: DeclaredUnit) -> dict[int, list[int]]:
        """Variables and members by the class whose table they hold."""
        known = self._tables.get(unit.file)
        if known is not None:
            return known
        made = self._tables[unit.file] = dict[int, list[int]]()
        for row, body in enumerate(unit.body):
            if body >= 0 and unit.scope_kind[body] == CLASS_SCOPE and not unit.flags[row] & TYPE_ONLY_FLAG:
                made.setdefault(body, []).append(row)
        return made

    def _added_member(self, holder: Value, name: str) -> Denotation | None:
        """What this file adds to a table which another makes."""
        for scope in self._additions().get(holder, ()):
            found = self._declared(self.own, scope, name, MEMBER)
            if found is not None:
                return found
        return None

    def _added_elsewhere(self, holder: Anonymous, name: str) -> Denotation | None:
        """What other files add to the table of a module that they require."""
        if self.unit(holder.file).scope_parent[holder.scope] != 0:
            return None
        files = self.world.defining(name)
        refs: list[DefinitionRef] = []
        for file in files if len(files) <= MOST_FILES else ():
            if file in (self.path, holder.file):
                continue
            other = self.unit(file)
            for row in other.rows_of_kind(VARIABLE_DEFINITION):
                if other.value[row] < 0 or other.expressions.kind[other.value[row]] != MODULE_EXPRESSION:
                    continue
                rows = other.members(other.body[row]).get(name, ()) if other.body[row] >= 0 else ()
                if rows and holder in _parts(self.infer(other, other.value[row])):
                    refs.append(DefinitionRef(file, rows[0]))
        if not refs or len(refs) > MAX_DECLARED:
            return None
        first = refs[0]
        return Denotation(tuple(refs), self.row_value(self.unit(first.file), first.row), PACKAGE)

    def _additions(self) -> dict[object, list[int]]:
        if self._added is None:
            made: dict[object, list[int]] = {}
            self._added = made
            table = self.own.expressions
            for row, kind in enumerate(table.kind):
                if kind != OBJECT_EXPRESSION or table.b[row] < 0:
                    continue
                value = self.infer(self.own, table.b[row])
                if value is not None:
                    made.setdefault(value, []).append(table.a[row])
        return self._added

    def above(self, unit: DeclaredUnit, row: int) -> DefinitionRef | None:
        """The method of a table further up that a method stands for."""
        holder = self.table_value(unit, unit.scope[row])
        value: Value | None = None
        if isinstance(holder, Composite) and holder.constructor == LAYERS:
            value = _layered([part for part in holder.parts[1:] if part is not None])
        elif isinstance(holder, NamedType):
            other = self.unit(holder.file)
            bases = [self.denote(other, base) for base, _ in other.bases(holder.row)]
            value = _layered([one for one in (*bases, *self._attached(other, holder.row)) if one not in (None, holder)])
        found = self.member(value, unit.text(row))
        first = found.refs[0] if found is not None and found.refs else None
        if not isinstance(first, DefinitionRef) or (first.file, first.row) == (unit.file, row):
            return None
        return first if self.unit(first.file).kind[first.row] in _FUNCTIONS else None

    # what the shared inference asks for

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a variable holds that an import fills."""
        return self.infer(unit, unit.value[row])

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """Calls are resolved by `result_of`."""
        return None


def _parts(value: Value | None) -> tuple[Value | None, ...]:
    """The tables that a value is looked through for."""
    return value.parts if isinstance(value, Composite) and value.constructor == LAYERS else (value,)


def _built_in(text: str) -> Value | None:
    if text == "string":
        return STRING
    return Outside(BUILTIN + text)


def _item(value: Value | None, position: int) -> Value | None:
    """One of several results."""
    if isinstance(value, Composite) and value.constructor == RESULTS:
        return value.parts[position] if position < len(value.parts) else None
    if isinstance(value, Several):
        return _either([_item(part, position) for part in value.parts])
    return value if position == 0 else None


def _either(values: Sequence[Value | None]) -> Value | None:
    """One of several values; what is plainly no table is left out where another is."""
    known = [value for value in dict.fromkeys(values) if value is not None]
    tables = [value for value in known if not (isinstance(value, Outside) and value.dotted.startswith(BUILTIN))]
    kept = tables or known
    if len(kept) <= 1:
        return kept[0] if kept else None
    return Several(tuple(kept[:MOST_PARTS]))


def _layered(parts: Sequence[Value]) -> Value | None:
    """Tables that are looked through in order."""
    found: list[Value] = []
    for part in parts:
        inside = part.parts if isinstance(part, Composite) and part.constructor == LAYERS else (part,)
        found += [one for one in inside if one is not None and one not in found]
        if len(found) >= MOST_CLASSES:
            break
    if len(found) <= 1:
        return found[0] if found else None
    return Composite(LAYERS, tuple(found[:MOST_CLASSES]))
