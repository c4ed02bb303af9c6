"""Inference: what names and members mean in C++.

Owns: the order of scopes, namespaces and classes in which a name is looked for; members, elements, results of calls.
Must not know: how occurrences become links, other languages.
Invariant: what rests on the argument of a template is not answered; overloads that arguments do not tell apart are
    answered as several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.syntax.facts_builder import ARROW, GLOBAL, INDEXED, PROTOTYPE, SCOPED, STARRED
from graphls.languages.c.cpp.types.classes import CppClasses
from graphls.languages.c.cpp.types.spaces import SEPARATOR, STAR, Spaces
from graphls.languages.c.cpp.types.standard import element, indexed, made_by, pointed, result_of, same
from graphls.languages.c.types.included_files import IncludedFiles
from graphls.languages.c.types.inference import OUTSIDE
from graphls.languages.c.types.system import SYSTEM_NAMES
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit, visible_row
from graphls.languages.declared.values import (
    Anonymous,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    ELEMENT_EXPRESSION,
    ENUM_DEFINITION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    ITEM_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    OBJECT_SCOPE,
    SUBSCRIPT_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.ranges import rows_begun
from graphls.languages.resolve.structural_value import DefinitionRef, External

TYPES: Final = frozenset({CLASS_DEFINITION, ENUM_DEFINITION, TYPE_ALIAS_DEFINITION, TYPE_PARAMETER_DEFINITION})
FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
THIS: Final = "this"
_MEMBERS: Final = frozenset({CLASS_SCOPE, OBJECT_SCOPE})
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_IMPORT: Final = int(DeclaredRule.IMPORT)
_LOCAL: Final = int(DeclaredRule.LOCAL)
_MEMBER: Final = int(DeclaredRule.MEMBER)
_COMPILER: Final = ("__builtin_", "__sync_", "__atomic_", "_mm_", "_mm256_", "__GNUC", "__clang", "_MSC_", "__cpp_")
_PREDEFINED: Final = frozenset((
    "__FILE__", "__LINE__", "__func__", "__FUNCTION__", "__DATE__", "__TIME__", "__cplusplus", "__VA_ARGS__", "defined",
))  # fmt: skip
_STD: Final = "std"
MAX_DIRECTIVES: Final = 256
"""`using namespace` in one scope, or in one namespace, that are gone through for a name."""
_UNKNOWN: Final = Denotation((), None, _LOCAL)
"""Further ones may open what declares it: nobody says, and what is around must not be meant for it."""


class CppInference(DeclaredInference):
    """What one file and those that it includes denote."""

    __deletable__ = ("classes", "files", "spaces")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.files = IncludedFiles(world, self.written_exports)
        self.spaces = Spaces(self, self.files)
        self.classes = CppClasses(self, self.spaces)
        self._own_names: frozenset[str] | None = None
        self.types_first = False
        """A name of a type is looked for."""

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.classes, self.spaces, self.files

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What a plain name means where it stands: the innermost scope that declares it decides."""
        if name == THIS:
            type_ = self.classes.around(unit, scope)
            return None if type_ is None else Denotation((), type_, _LOCAL)
        at, inherits = scope, False
        while at > 0:
            kind = unit.scope_kind[at]
            if kind in _MEMBERS:
                found = self.classes.in_scope(unit, at, name)
                inherits = inherits or (found is None and self.classes.has_unknown_base(unit, at))
            elif kind == NAMESPACE_SCOPE:
                found = self.in_space(self.spaces.path(unit, at), name)
            else:
                found = self._local(unit, at, name, offset)
            if found is not None:
                return found
            at = unit.scope_parent[at]
        if inherits and name not in SYSTEM_NAMES:  # a class above that nobody knows may declare it
            return self.in_space("", name)
        return self.outer(unit, name)

    def _is_own(self, name: str) -> bool:
        """Whether the file itself declares a name somewhere: where scopes do not lead to it, they may be misread."""
        if self._own_names is None:
            self._own_names = frozenset([self.own.text(row) for row in range(len(self.own.kind))])
        return name in self._own_names

    def _local(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        members = unit.members(scope)
        rows: Sequence[int] | None = members.get(name)
        if rows and self.types_first:
            rows = [row for row in rows if unit.kind[row] in TYPES or unit.kind[row] == IMPORT_DEFINITION]
        if rows:
            row = visible_row(unit, rows, unit.scope_kind[scope], offset)
            if row >= 0:
                if unit.kind[row] == IMPORT_DEFINITION:
                    return self._followed(unit, row)
                return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), _LOCAL)
        directives = members.get(STAR, ())
        if directives and unit.own and offset >= 0:
            # One names its namespace by what is opened before it: to ask the later ones leads from each to all.
            directives = directives[: rows_begun(unit.starts, directives, offset - 1)]
        for row in directives[:MAX_DIRECTIVES]:
            found = self._by_directive(unit, row, name)
            if found is not None:
                return found
        return _UNKNOWN if len(directives) > MAX_DIRECTIVES else None

    def _by_directive(self, unit: DeclaredUnit, row: int, name: str) -> Denotation | None:
        target = self.row_value(unit, row)
        if isinstance(target, Package):
            return self.in_space(target.dotted, name)
        return None

    def in_space(self, path: str, name: str) -> Denotation | None:
        """What a namespace declares under a name, or another that it opens."""
        return self.guarded(("space", path, name, self.types_first), lambda: self._in_space(path, name), None)

    def _in_space(self, path: str, name: str) -> Denotation | None:
        if name == _STD and not path and self.files.sees_outside(self.path):
            # Code may add to the library's namespace (specialisations); that stays the library's.
            value = Package(_STD, _STD) if self.spaces.is_space(_STD) else Outside(_STD)
            return Denotation((External(_STD),), value, _EXTERNAL)
        refs = self.spaces.declared(path, name)
        if refs:
            return self.found(refs)
        inner = f"{path}{SEPARATOR}{name}" if path else name
        if self.spaces.is_space(inner):  # a macro opens it
            return Denotation((), Package(inner, inner), _IMPORT)
        directives = self.spaces.directives(path) if name != STAR else ()
        for unit, row in directives[:MAX_DIRECTIVES]:
            found = self._by_directive(unit, row, name)
            if found is not None:
                return found
        return _UNKNOWN if len(directives) > MAX_DIRECTIVES else None

    def found(self, refs: tuple[DefinitionRef, ...]) -> Denotation | None:
        """Declarations of one name as an answer: using declarations are followed."""
        first = refs[0]
        if self.unit(first.file).kind[first.row] == IMPORT_DEFINITION:
            others = tuple([ref for ref in refs if self.unit(ref.file).kind[ref.row] != IMPORT_DEFINITION])
            brought = self._followed(self.unit(first.file), first.row)
            if not others:
                return brought
            refs = others
            if brought is not None and brought.rule == _EXTERNAL:
                # A branch takes it from outside, another has it itself.
                own: Denotation | None = self.found(others)
                return own if own is None else Denotation((*own.refs, *brought.refs), own.value, own.rule)
        kinds = [self.unit(ref.file).kind[ref.row] for ref in refs]
        if self.types_first and not any(kind in TYPES or kind == NAMESPACE_DEFINITION for kind in kinds):
            return None
        if NAMESPACE_DEFINITION in kinds:
            refs = tuple([ref for ref, kind in zip(refs, kinds, strict=True) if kind == NAMESPACE_DEFINITION])[:1]
        elif any(kind in TYPES for kind in kinds) and (self.types_first or kinds[0] in TYPES):
            refs = self._types_of(refs)
        elif kinds[0] not in FUNCTIONS:
            refs = tuple([ref for ref in refs if self.unit(ref.file).kind[ref.row] not in TYPES])
        elif kinds[0] in FUNCTIONS:
            refs = tuple([ref for ref in refs if self.unit(ref.file).kind[ref.row] in FUNCTIONS])
        return Denotation(refs, self.value_of(refs), _LOCAL if refs[0].file == self.path else _IMPORT)

    def _types_of(self, refs: tuple[DefinitionRef, ...]) -> tuple[DefinitionRef, ...]:
        """Of declarations of a type its definitions, where one is seen."""
        types = [ref for ref in refs if self.unit(ref.file).kind[ref.row] in TYPES]
        defined = [ref for ref in types if not self.unit(ref.file).flags[ref.row] & PROTOTYPE]
        return tuple(defined or (*self._definition_elsewhere(types), *types))

    def _definition_elsewhere(self, declared: Sequence[DefinitionRef]) -> tuple[DefinitionRef, ...]:
        """The definition of a class of which only declarations are seen."""
        unit, row = self.unit(declared[0].file), declared[0].row
        path = self.spaces.of(unit).path_of.get(unit.scope[row])
        if path is None or unit.kind[row] != CLASS_DEFINITION:
            return ()
        return self.spaces.classes_elsewhere(path, unit.text(row), defined=True)

    def value_of(self, refs: Sequence[DefinitionRef]) -> Value | None:
        """What declarations of one name denote; functions of several files by the first that says its result."""
        first = refs[0]
        unit = self.unit(first.file)
        if unit.kind[first.row] in FUNCTIONS:
            return Functions(first.file, tuple([ref.row for ref in refs if ref.file == first.file]))
        value = self.row_value(unit, first.row)
        if len(refs) > 1 and unit.kind[first.row] == TYPE_ALIAS_DEFINITION:
            # Branches of a condition that say different types: a value is of one of them.
            said = [self.row_value(self.unit(ref.file), ref.row) for ref in refs[:MAX_DIRECTIVES]]
            types = dict.fromkeys([one.type if isinstance(one, TypeName) else one for one in said])
            if len(types) > 1:
                return TypeName(Several(tuple(types))) if all(isinstance(one, NamedType) for one in types) else None
        return value

    def _followed(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        key = ("using", unit.file, row, self.types_first)
        return self.guarded(key, lambda: self.found_at(unit, unit.value[row]), None)

    def found_at(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """What the expression of a name means."""
        if row < 0:
            return None
        table = unit.expressions
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            return self.name(unit, table.b[row], unit.strings[table.a[row]], table.c[row])
        if kind == MEMBER_EXPRESSION:
            return self.member(self.infer(unit, table.a[row]), unit.strings[table.b[row]])
        return self.found_at(unit, table.a[row]) if kind == SUBSCRIPT_EXPRESSION else None

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Names outside of all namespaces, then what no file that is seen declares."""
        return self.in_space("", name) or self.outside(name)

    def outside(self, name: str) -> Denotation | None:
        """What a name means that no file declares which is seen."""
        if name in _PREDEFINED or name.startswith(_COMPILER):
            return Denotation((External(BUILTIN + name),), Outside(BUILTIN + name), _BUILTIN)
        if name == _STD:
            return Denotation((External(_STD),), Outside(_STD), _EXTERNAL)
        if self._is_own(name) and name not in SYSTEM_NAMES:
            return None
        if self.files.sees_outside(self.path) and not self.files.is_declared_in_other_file(self.path, name):
            return Denotation((External(OUTSIDE + name),), Outside(f"{OUTSIDE}{UNKNOWN_LAST}"), _EXTERNAL)
        return None

    def row_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a definition denotes."""
        if unit.kind[row] == NAMESPACE_DEFINITION:
            body = unit.body[row]
            path = self.spaces.path(unit, body) if body >= 0 else ""
            return Package(path, path)
        return super().row_value(unit, row)

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a using declaration, a directive or an alias of a namespace stands for."""
        found = self._followed(unit, row)
        return None if found is None else found.value

    # values

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        if table.kind[row] == SUBSCRIPT_EXPRESSION:
            base = self.denote(unit, table.a[row])
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            if isinstance(base, NamedType):
                return NamedType(base.file, base.row, parts)
            return Outside(base.dotted, parts) if isinstance(base, Outside) else base
        return super()._denote(unit, row)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == LITERAL_EXPRESSION and unit.strings[a] == GLOBAL:
            return Package("", "")
        if kind == ELEMENT_EXPRESSION and table.b[row] == SCOPED:
            return self._scoped(unit, a)
        if kind == ELEMENT_EXPRESSION:
            return self._taken(self.infer(unit, a), table.b[row])
        if kind == ITEM_EXPRESSION:
            value = self.infer(unit, a)
            if isinstance(value, Outside) and value.arguments:
                at = table.b[row]
                return value.arguments[at] if value.dotted in _PARTED and at < len(value.arguments) else None
            return value if isinstance(value, Outside) else None
        if kind == SUBSCRIPT_EXPRESSION:
            value = self.infer(unit, a)
            if isinstance(value, Outside):
                given = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
                return made_by(value.dotted, given) or Outside(value.dotted, given)
        return super()._infer(unit, row)

    def _scoped(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What stands before `::`: a namespace or a type."""
        outer, self.types_first = self.types_first, True
        found = self.found_at(unit, row)
        self.types_first = outer
        if found is None:
            return None
        if unit.expressions.kind[row] == SUBSCRIPT_EXPRESSION:
            return self.denote(unit, row)
        return found.value if isinstance(found.value, (TypeName, Package, Outside)) else None

    def denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The type that a written type stands for: names of types come first."""
        outer, self.types_first = self.types_first, True
        value = super().denote(unit, row)
        self.types_first = outer
        return value

    def infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What an expression denotes."""
        outer, self.types_first = self.types_first, False
        value = super().infer(unit, row)
        self.types_first = outer
        return value

    def _taken(self, value: Value | None, how: int) -> Value | None:
        if isinstance(value, TypeName):
            return None
        if isinstance(value, Outside):
            if how == INDEXED:
                return indexed(value)
            return pointed(value) if how in (ARROW, STARRED) else element(value)
        if isinstance(value, NamedType):
            operator = {ARROW: "operator->", STARRED: "operator*", INDEXED: "operator[]"}.get(how)
            if operator is None:
                begun = self.member(value, "begin")
                return self._taken(self.called(begun.value, self.own, ()), STARRED) if begun is not None else None
            found = self.member(value, operator)
            if found is not None and found.refs and not isinstance(found.refs[0], External):
                return self.called(found.value, self.own, ())
            return value if not self.classes.is_open(value) else None
        return value if isinstance(value, Anonymous) else None

    def called(self, callee: Value | None, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """The result of a call."""
        if isinstance(callee, TypeName):
            return callee.type
        if isinstance(callee, Functions):
            return self._result(callee, unit, arguments)
        if isinstance(callee, Outside):
            if callee.dotted.startswith(BUILTIN):
                return None
            return self._called_outside(callee, unit, arguments)
        if isinstance(callee, NamedType):
            found = self.member(callee, "operator()")
            return self.called(found.value, unit, arguments) if found is not None else None
        return None

    def _called_outside(self, callee: Outside, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        holder, _, name = callee.dotted.rpartition(".")
        if same(callee.dotted) and arguments:
            return self.infer(unit, arguments[0])
        if made_by(f"{holder}.{name}", (None,)) is not None or callee.arguments:
            return callee  # a type, or what the library makes
        return Outside(f"{OUTSIDE}{UNKNOWN_LAST}")

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """What a function outside gives back is outside."""
        return Outside(f"{OUTSIDE}{UNKNOWN_LAST}")

    def _result(self, callee: Functions, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        other = self.unit(callee.file)
        rows = [row for row in callee.rows if self.takes(other, row, len(arguments))] or list(callee.rows)
        values: list[Value | None] = []
        for row in rows[:4]:
            if not other.returns(row):
                return None
            value = self.result(Functions(callee.file, (row,), callee.given), unit, arguments)
            if value not in values:
                values.append(value)
        return values[0] if len(values) == 1 else None

    def takes(self, unit: DeclaredUnit, row: int, count: int) -> bool:
        """Whether a function may be called with so many arguments; what is no function, with any."""
        type_ = unit.type[row]
        if unit.kind[row] not in FUNCTIONS or type_ < 0 or unit.expressions.kind[type_] != LITERAL_EXPRESSION:
            return True
        least, _, most = unit.strings[unit.expressions.a[type_]].partition(",")
        return not most.isdigit() or int(least) <= count <= int(most)

    # members

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a namespace."""
        if isinstance(value, Outside) and value.arguments:
            after = self._outside_member(value, name)
            return Denotation((External(f"{value.dotted}.{name}"),), after, _EXTERNAL)
        if isinstance(value, Outside) and value.dotted == _STD:
            return Denotation((External(f"std.{name}"),), Outside(f"std.{name}"), _EXTERNAL)
        if value is None or isinstance(value, Outside):
            return super().member(value, name)
        key = ("member", value, name, self.types_first)
        return self.guarded(key, lambda: self.find_member(value, name), None)

    def _outside_member(self, value: Outside, name: str) -> Value | None:
        if value.dotted == "std.pair" and name in ("first", "second"):
            at = int(name == "second")
            return value.arguments[at] if at < len(value.arguments) else None
        result = result_of(value, name)
        # What is called gives that back: a type is called as its instance.
        return None if result is None else TypeName(result)

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A member of a class, an enum or a namespace."""
        if isinstance(holder, TypeName):
            holder = holder.type
            if isinstance(holder, Outside):
                return self.member(holder, name)
        if isinstance(holder, Several):
            return self._of_each(holder, name)
        if isinstance(holder, Package):
            return self._in_package(holder, name)
        if isinstance(holder, NamedType):
            return self.classes.member(holder, name)
        if isinstance(holder, Anonymous):
            return self.classes.rows(self.unit(holder.file), holder.scope, name, _MEMBER)
        return None

    def _of_each(self, holder: Several, name: str) -> Denotation | None:
        """The members that types of several branches have; what they give is known where all give the same."""
        found = [self.member(part, name) for part in holder.parts]
        known = [one for one in found if one is not None]
        if not known:
            return None
        refs = tuple(dict.fromkeys([ref for one in known for ref in one.refs]))
        value = known[0].value if all(one.value == known[0].value for one in known) else None
        return Denotation(refs, value, known[0].rule)

    def _in_package(self, holder: Package, name: str) -> Denotation | None:
        found = self.in_space(holder.dotted, name)
        if found is not None:
            return found
        if holder.dotted == _STD or holder.dotted.startswith(f"{_STD}{SEPARATOR}"):
            dotted = f"{holder.dotted.replace(SEPARATOR, '.')}.{name}"
            return Denotation((External(dotted),), Outside(dotted), _EXTERNAL)
        return self.outside(name) if not holder.dotted else None


_PARTED: Final = frozenset(("std.pair", "std.tuple"))
