"""Inference: what names, calls and lambdas denote in Java.

Owns: values of names by the scopes around them, calls, what a lambda is given, elements.
Must not know: how occurrences become links, other languages.
Invariant: a variable, a method and a type of one name are three things; where a name stands says which is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.accessors import is_kotlin
from graphls.languages.declared.call_sites import WRITTEN, CallSites, last_name_at
from graphls.languages.declared.inference import (
    BUILTIN,
    UNKNOWN_LAST,
    DeclaredInference,
    DeclaredUnit,
    named_literal,
    visible_row,
)
from graphls.languages.declared.methods import Invocation, MethodCandidate, Methods, external, refs
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    Composite,
    Denotation,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
    Variable,
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_SCOPE,
    ENUM_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    OPERATION_EXPRESSION,
    STATIC_FLAG,
    SUBSCRIPT_EXPRESSION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    UNION_EXPRESSION,
)
from graphls.languages.incremental.fragments import CREATING
from graphls.languages.java.types.generated import builder_member, builder_of, logger
from graphls.languages.java.types.library import JavaLibrary
from graphls.languages.java.types.overloads import JavaOverloads
from graphls.languages.java.types.scopes import (
    EXTERNAL,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    OBJECT_TYPE,
    TYPE_KINDS,
    JavaScopes,
)
from graphls.languages.java.types.standard import (
    ENUM_METHODS,
    OBJECT_METHODS,
    given_back,
    package_of,
    promoted,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

_NOT_VARIABLES: Final = TYPE_KINDS | {
    METHOD_DEFINITION, FUNCTION_DEFINITION, IMPORT_DEFINITION, TYPE_PARAMETER_DEFINITION,
}  # fmt: skip
_WRITTEN: Final = frozenset({TYPE_EXPRESSION})
_OUTER: Final = frozenset((CLASS_SCOPE, OBJECT_SCOPE, TYPE_PARAMETERS_SCOPE))
_TOP_PACKAGES: Final = frozenset(
    ("java", "javax", "jdk", "sun", "com", "org", "net", "io", "jakarta", "android", "kotlin")
)
_NOWHERE: Final = Invocation(None)


@final
class JavaInference(DeclaredInference):
    """What one file of Java and those that it can see denote, and the parts that find types and methods."""

    __deletable__ = ("library", "overloads", "scopes")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.scopes = JavaScopes(self)
        self.overloads = JavaOverloads(self, self.scopes)
        self.library = JavaLibrary(self, self, self.scopes)
        self._outer: dict[tuple[FilePath, int], bool] = {}
        self._sites = CallSites(self.own)
        self.calls = self._sites.calls
        """Where the name of a callee stands -> the call."""
        self.references: dict[int, int] = {}
        """Where the name behind `::` stands -> the method reference."""
        self.creations: dict[int, int] = {}
        """Where the `new` of `Type::new` stands -> the reference."""
        self.unnamed: set[int] = set()
        """Where the name of a type stands that a type without a name extends."""
        own = self.own
        table = own.expressions
        for row, kind in enumerate(table.kind):
            if kind == LAMBDA_EXPRESSION and table.b[row] == 1:
                self.references[table.c[table.a[row]]] = row
            elif kind == LAMBDA_EXPRESSION and table.b[row] == CREATING and table.c[row] >= 0:
                self.creations[table.c[row]] = row
            elif kind == OBJECT_EXPRESSION and table.b[row] >= 0:
                self.unnamed.add(last_name_at(own, table.b[row]))

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.library, self.overloads, self.scopes

    # written types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.scopes.type_found(unit, row)
            value = None if found is None else found.value
            return value.type if isinstance(value, TypeName) else value if isinstance(value, Outside) else None
        if kind == LITERAL_EXPRESSION:
            return named_literal(unit.strings[table.a[row]])
        return super()._denote(unit, row)

    # names of values

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, else a type, else a package, by a plain name."""
        if name in ("this", "super"):
            return self._self(unit, scope, name)
        found = self._variable(unit, scope, name, offset)
        if found is not None and found.rule != EXTERNAL:
            return found
        if found is None or name[:1].isupper():
            type_ = self.scopes.type_named(unit, scope, name)
            if type_ is not None and (name[:1].isupper() or type_.rule != EXTERNAL):
                return type_
        if name in _TOP_PACKAGES or self.world.package(name):
            return Denotation((), Package(None, name), IMPORT)
        return found

    def _self(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        type_ = self._around(unit, scope)
        if type_ is None:
            return None
        if name == "this":
            return Denotation((), type_, LOCAL)
        supers = self.scopes.supers(type_)
        return Denotation((), supers[0] if supers else Outside(OBJECT_TYPE), LOCAL)

    def _around(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The innermost type around a scope."""
        while scope > 0:
            if unit.scope_kind[scope] in (CLASS_SCOPE, OBJECT_SCOPE):
                return unit.type_of_scope(scope)
            scope = unit.scope_parent[scope]
        return None

    def _variable(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        outside: Denotation | None = None
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            if kind in (CLASS_SCOPE, OBJECT_SCOPE):
                if outside is None and self._is_outer(unit, at):
                    return self._outer_variable(unit, at, name)
                found = self._field_around(unit, at, name)
                if found is not None and found.rule != EXTERNAL:
                    return found
                outside = outside or found
            else:
                rows = [row for row in unit.members(at).get(name, ()) if unit.kind[row] not in _NOT_VARIABLES]
                row = visible_row(unit, rows, kind, offset) if rows else -1
                if row >= 0:
                    return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL)
            at = unit.scope_parent[at]
        return self._static_field(unit, name) or logger(self.scopes, unit, scope, name) or outside

    def _is_outer(self, unit: DeclaredUnit, scope: int) -> bool:
        """Whether no function is around a class: the same names mean the same all over it, but for its locals."""
        key = (unit.file, scope)
        known = self._outer.get(key)
        if known is None:
            at = unit.scope_parent[scope]
            while at > 0 and unit.scope_kind[at] in _OUTER:
                at = unit.scope_parent[at]
            known = self._outer[key] = at <= 0
        return known

    def _outer_variable(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """A field of a class or of those around it, or what is imported."""
        return self.kept(("outer", unit.file, scope, name), lambda: self._find_outer_variable(unit, scope, name))

    def _find_outer_variable(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        outside: Denotation | None = None
        at, static = scope, False
        while at > 0:
            if unit.scope_kind[at] in (CLASS_SCOPE, OBJECT_SCOPE):
                found = self._field_around(unit, at, name)
                if found is not None and found.rule != EXTERNAL:
                    if not (static and outside is not None and self._is_of_object(found)):
                        return found
                    found = None
                outside = outside or found
                static = static or self.scopes.is_static(unit, at)
            at = unit.scope_parent[at]
        return self._static_field(unit, name) or logger(self.scopes, unit, scope, name) or outside

    def _is_of_object(self, found: Denotation) -> bool:
        """Whether only an object has a field: what stands in a static class below another one has none of that."""
        ref = found.refs[0] if found.refs else None
        if not isinstance(ref, DefinitionRef):
            return False
        unit = self.unit(ref.file)
        owner = unit.owner[ref.row]
        is_plain = unit.kind[ref.row] == FIELD_DEFINITION and not unit.flags[ref.row] & STATIC_FLAG
        return is_plain and owner >= 0 and unit.kind[owner] != INTERFACE_DEFINITION

    def _field_around(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        found = self.scopes.field(unit.type_of_scope(scope), name, unit.file)
        if found is None or found.rule == EXTERNAL:
            return found
        return Denotation(found.refs, found.value, LOCAL if found.rule == MEMBER else INHERITED)

    def _static_field(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        named = self.scopes.static_imports(unit, name)
        stars = self.scopes.star_imports(unit, static=True)
        for dotted in (*named, *stars):
            ref = self.scopes.type_at(dotted, unit.file)
            found = self.scopes.field(NamedType(ref.file, ref.row), name, unit.file) if ref is not None else None
            if found is not None and found.rule != EXTERNAL:
                return Denotation(found.refs, found.value, IMPORT)
        for dotted in named:
            if self.scopes.type_at(dotted, unit.file) is None:
                return Denotation(
                    (External(f"{dotted}.{name}"),), Outside(f"{package_of(dotted)}.{UNKNOWN_LAST}"), EXTERNAL
                )
        outside = [dotted for dotted in stars if self.scopes.type_at(dotted, unit.file) is None]
        return Denotation((External(f"{outside[0]}.{name}"),), None, EXTERNAL) if len(outside) == 1 else None

    # members

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A field, a nested type, what is in a package, the length of an array."""
        if isinstance(holder, Package):
            dotted = f"{holder.dotted}.{name}"
            ref = self.scopes.type_at(dotted, self.path)
            if ref is not None:
                return Denotation((ref,), TypeName(NamedType(ref.file, ref.row)), IMPORT)
            if name[:1].isupper():
                return Denotation((External(dotted),), Outside(dotted), EXTERNAL)
            return Denotation((), Package(None, dotted), IMPORT)
        if isinstance(holder, Composite):
            return Denotation((External(f"{BUILTIN}array.{name}"),), Outside("builtin.int"), EXTERNAL)
        type_ = holder.type if isinstance(holder, TypeName) else holder
        found = self.scopes.field(type_, name)
        if found is not None and found.rule != EXTERNAL:
            return found
        return self.scopes.member_type(type_, name) or found

    # values

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a, b = table.kind[row], table.a[row], table.b[row]
        if kind not in _WRITTEN and is_kotlin(unit.file):
            return None  # Kotlin says what its values are; written types are read alike
        if kind == CALL_EXPRESSION:
            return self._given_by(unit, row)
        if kind == LITERAL_EXPRESSION:
            return self._denote(unit, row)
        if kind == UNION_EXPRESSION:
            values = [self.infer(unit, part) for part in unit.list_at(a)]
            known = [value for value in values if value is not None and value != Outside("builtin.null")]
            return known[0] if known else None
        if kind == OPERATION_EXPRESSION:
            return self._operation(unit, a, b, unit.strings[table.c[row]])
        if kind == NARROWED_EXPRESSION:
            return self.denote(unit, b) if table.c[row] else self.infer(unit, b)
        if kind == LAMBDA_EXPRESSION:
            return None
        if kind == ITEM_EXPRESSION:
            return (
                self._lambda_parameter(unit, a, b)
                if table.kind[a] == LAMBDA_EXPRESSION
                else self._component(unit, a, b)
            )
        return super()._infer(unit, row)

    def _operation(self, unit: DeclaredUnit, a: int, b: int, name: str) -> Value | None:
        if name == "class":
            return Outside("java.lang.Class", (self.denote(unit, b),))
        if name == "super":
            return self._outer_super(unit, a)
        left, right = self.infer(unit, a), self.infer(unit, b)
        text = Outside("java.lang.String")
        if name == "+" and text in (left, right):
            return text
        return promoted(left, right)

    def _outer_super(self, unit: DeclaredUnit, a: int) -> Value | None:
        """`Outer.super`: what is above a class around, or an interface that the class implements."""
        value = self.infer(unit, a)
        type_ = value.type if isinstance(value, TypeName) else value
        if not isinstance(type_, NamedType):
            return type_ if isinstance(type_, Outside) else None
        if self.unit(type_.file).kind[type_.row] == INTERFACE_DEFINITION:
            return type_
        supers = self.scopes.supers(type_)
        return supers[0] if supers else Outside(OBJECT_TYPE)

    def _component(self, unit: DeclaredUnit, a: int, at: int) -> Value | None:
        """One component of a record that a pattern takes apart."""
        value = self.infer(unit, a)
        body = self.body_of(value) if isinstance(value, NamedType) else None
        if body is None or body[1] < 0 or value is None:
            return None
        rows = [
            row for row, scope in enumerate(body[0].scope) if scope == body[1] and body[0].kind[row] == FIELD_DEFINITION
        ]
        return substituted(self.row_value(body[0], rows[at]), self.given_to(value)) if at < len(rows) else None

    def element(self, value: Value | None) -> Value | None:
        """What a loop over an array or a container gives."""
        if isinstance(value, Composite):
            return value.parts[0] if value.parts else None
        if isinstance(value, Outside):
            if len(value.arguments) == 1:
                return value.arguments[0]
            return None if value.arguments else Outside(f"{package_of(value.dotted)}.{UNKNOWN_LAST}")
        for one in self.scopes.lineage(value) if value is not None else ():
            if isinstance(one, Outside) and len(one.arguments) == 1:
                return one.arguments[0]
        return None

    # calls

    def invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        """What a call means."""
        return self.guarded(("call", unit.file, row), lambda: self._invocation(unit, row), _NOWHERE)

    def _invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        table = unit.expressions
        callee, arguments = table.a[row], unit.list_at(table.b[row])
        if table.kind[callee] == SUBSCRIPT_EXPRESSION:
            callee = table.a[callee]
        if table.kind[callee] == TYPE_EXPRESSION:
            return self._creation(unit, table.a[callee], arguments)
        if table.kind[callee] == NAME_EXPRESSION:
            name = unit.strings[table.a[callee]]
            return self._plain_call(unit, table.b[callee], name, arguments)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return _NOWHERE
        name = unit.strings[table.b[callee]]
        return self.member_call(self.infer(unit, table.a[callee]), name, unit, arguments)

    def _creation(self, unit: DeclaredUnit, row: int, arguments: Sequence[int]) -> Invocation:
        """`new Type(...)`: a constructor, or the class where it declares none."""
        table = unit.expressions
        while table.kind[row] == SUBSCRIPT_EXPRESSION:
            row = table.a[row]
        found = self.scopes.type_found(unit, row)
        value = found.value if found is not None else None
        type_ = value.type if isinstance(value, TypeName) else None
        if found is None or not isinstance(type_, NamedType):
            return Invocation(found, ())
        chosen = self.overloads.pick(self.overloads.constructors(type_), unit, arguments)
        if not chosen:
            return Invocation(found, ())
        return Invocation(Denotation(refs(chosen), value, found.rule), chosen)

    def _plain_call(self, unit: DeclaredUnit, scope: int, name: str, arguments: Sequence[int]) -> Invocation:
        """A call without a receiver: of a type around, or of what is imported."""
        if name in ("this", "super"):
            return self._constructor_call(unit, scope, name, arguments)
        outside: Outside | None = None
        at = scope
        while at > 0:
            if unit.scope_kind[at] in (CLASS_SCOPE, OBJECT_SCOPE):
                type_ = unit.type_of_scope(at)
                known = self.overloads.methods(type_, name)
                if known.found and not self._is_of_outside(known, len(arguments)):
                    return self._chosen(known, unit, arguments)
                outside = outside or known.outside
                if known.found:  # the innermost type that has the name decides
                    break
                if name in ENUM_METHODS and isinstance(type_, NamedType):
                    implied = self._implied(type_, name)
                    if implied is not None:
                        return Invocation(implied, ())
            at = unit.scope_parent[at]
        imported = self._static_call(unit, name, arguments)
        if imported is not None:
            return imported
        if name in OBJECT_METHODS:
            return Invocation(external(f"{OBJECT_TYPE}.{name}", given_back(Outside(OBJECT_TYPE), name, ())), ())
        return Invocation(external(f"{outside.dotted}.{name}", None) if outside is not None else None, ())

    def _constructor_call(self, unit: DeclaredUnit, scope: int, name: str, arguments: Sequence[int]) -> Invocation:
        found = self._self(unit, scope, name)
        value = found.value if found is not None else None
        if isinstance(value, Outside):
            return Invocation(external(value.dotted, value), ())
        if not isinstance(value, NamedType):
            return _NOWHERE
        chosen = self.overloads.pick(self.overloads.constructors(value), unit, arguments)
        meant = refs(chosen) if chosen else (DefinitionRef(value.file, value.row),)
        return Invocation(Denotation(meant, value, MEMBER), chosen)

    def _static_call(self, unit: DeclaredUnit, name: str, arguments: Sequence[int]) -> Invocation | None:
        found: list[MethodCandidate] = []
        named, stars = self.scopes.static_imports(unit, name), self.scopes.star_imports(unit, static=True)
        for holders in (named, stars):  # one name of all that are named so, else of all with a star
            for dotted in dict.fromkeys(holders) if not found or holders is named else ():
                ref = self.scopes.type_at(dotted, unit.file)
                if ref is not None:
                    found += self.overloads.methods(NamedType(ref.file, ref.row), name).found
        if found:
            chosen = self.overloads.pick(found, unit, arguments)
            return Invocation(Denotation(refs(chosen), None, IMPORT), chosen)
        for dotted in (*named, *stars):
            held = self._facade_call(dotted, name, unit, arguments)
            if held is not None:
                return held
        away = [one for one in named if self.scopes.type_at(one, unit.file) is None]
        away = away or [one for one in stars if self.scopes.type_at(one, unit.file) is None]
        if not away:
            return None
        holder = Outside(away[0] if len(away) == 1 or named else UNKNOWN_LAST)
        return Invocation(self.library.called(holder, name, unit, arguments), ())

    def member_call(self, value: Value | None, name: str, unit: DeclaredUnit, arguments: Sequence[int]) -> Invocation:
        """A call of a method of a value or a type."""
        type_ = value.type if isinstance(value, TypeName) else value
        if type_ is None:
            return _NOWHERE
        if isinstance(type_, Outside):
            held = self._facade_call(type_.dotted, name, unit, arguments)
            built = builder_member(self, self.scopes, type_, name)
            return (
                Invocation(built)
                if built is not None
                else held or Invocation(self.library.called(type_, name, unit, arguments), ())
            )
        if isinstance(type_, Composite):
            result: Value | None = type_ if name == "clone" else None
            return Invocation(external(f"{OBJECT_TYPE}.{name}", result), ())
        if not isinstance(type_, (NamedType, Anonymous, Variable)):
            return _NOWHERE
        known = self.overloads.methods(type_, name)
        if known.found and not self._is_of_outside(known, len(arguments)):
            return self._chosen(known, unit, arguments)
        implied = self._implied(type_, name) if isinstance(type_, NamedType) else None
        if implied is not None:
            return Invocation(implied, ())
        builder = builder_of(self, self.scopes, type_, name)
        if builder is not None:
            return Invocation(builder)
        if known.outside is not None:
            return Invocation(self.library.called(known.outside, name, unit, arguments), ())
        if name in OBJECT_METHODS:
            return Invocation(external(f"{OBJECT_TYPE}.{name}", given_back(Outside(OBJECT_TYPE), name, ())), ())
        return _NOWHERE

    def _facade_call(self, dotted: str, name: str, unit: DeclaredUnit, arguments: Sequence[int]) -> Invocation | None:
        found = [MethodCandidate(ref.file, ref.row, {}, False) for ref in self.scopes.facade(dotted, name)]
        chosen = self.overloads.pick(found, unit, arguments) if found else []
        return Invocation(Denotation(refs(chosen), None, MEMBER), chosen) if chosen else None

    def _implied(self, type_: NamedType, name: str) -> Denotation | None:
        """Methods that every enum has."""
        if self.unit(type_.file).kind[type_.row] != ENUM_DEFINITION or name not in ENUM_METHODS:
            return None
        given: Value = type_ if name == "valueOf" else Outside("java.lang.?")
        return external(f"java.lang.Enum.{name}", Composite("[]", (type_,)) if name == "values" else given)

    def _is_of_outside(self, known: Methods, count: int) -> bool:
        """Whether no method of the workspace takes as many arguments, and a type from outside may have one."""
        return known.outside is not None and not self.overloads.takes_count(known.found, count)

    def _chosen(self, known: Methods, unit: DeclaredUnit, arguments: Sequence[int]) -> Invocation:
        chosen = self.overloads.pick(known.found, unit, arguments)
        return Invocation(Denotation(refs(chosen), None, INHERITED if chosen[0].inherited else MEMBER), chosen)

    def _given_by(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a call gives."""
        table = unit.expressions
        callee, arguments = table.a[row], unit.list_at(table.b[row])
        if table.kind[callee] == TYPE_EXPRESSION:
            return self._created(unit, row, self.denote(unit, table.a[callee]), arguments)
        made = self.invocation(unit, row)
        if not made.chosen:
            return made.found.value if made.found is not None else None
        candidate = made.chosen[0]
        other = self.unit(candidate.file)
        if other.kind[candidate.row] == FIELD_DEFINITION:
            return substituted(self.row_value(other, candidate.row), candidate.given)
        type_ = self.overloads.result_type(candidate)
        if type_ is None:
            return None if other.returns(candidate.row) else Several(())
        own = other.type_parameters(candidate.row)
        if not own:
            return type_
        found: Bindings = {}
        if table.kind[callee] == SUBSCRIPT_EXPRESSION:
            written = [self.denote(unit, part) for part in unit.list_at(table.b[callee])]
            found = {(candidate.file, one): value for one, value in zip(own, written, strict=False)}
        self._bind(candidate, unit, arguments, found, lambdas=True)
        for one in own:
            found.setdefault((candidate.file, one), None)
        result = substituted(type_, found)
        return result if result is not None else self._bound(type_)

    def _bound(self, type_: Value) -> Value | None:
        """What a type parameter that nothing decides is at least."""
        supers = self.scopes.supers(type_) if isinstance(type_, Variable) else []
        first = supers[0] if supers else None
        return first if isinstance(first, NamedType) else None

    def _created(self, unit: DeclaredUnit, row: int, type_: Value | None, arguments: Sequence[int]) -> Value | None:
        """A new instance; arguments decide the type arguments of `<>`."""
        if not isinstance(type_, NamedType) or type_.arguments:
            return type_
        own = self.unit(type_.file).type_parameters(type_.row)
        chosen = self.invocation(unit, row).chosen if own else ()
        if not chosen:
            return type_
        found: Bindings = {}
        self._bind(chosen[0], unit, arguments, found, lambdas=False)
        given = tuple([found.get((type_.file, one)) for one in own])
        return NamedType(type_.file, type_.row, given) if any(one is not None for one in given) else type_

    def _bind(
        self,
        candidate: MethodCandidate,
        unit: DeclaredUnit,
        arguments: Sequence[int],
        found: Bindings,
        *,
        lambdas: bool,
    ) -> None:
        """What arguments say of the type parameters of a method."""
        types = self.overloads.parameter_types(candidate)
        late: list[tuple[Value, int]] = []
        for at, argument in enumerate(arguments):
            wanted = types[min(at, len(types) - 1)] if types else None
            if wanted is None or argument < 0:
                continue
            if at >= len(types) - 1 and self.overloads.is_variadic(candidate) and isinstance(wanted, Composite):
                passed = self.infer(unit, argument)
                wanted = wanted if isinstance(passed, Composite) else wanted.parts[0]
            if wanted is not None and unit.expressions.kind[argument] == LAMBDA_EXPRESSION:
                late.append((wanted, argument))
            else:
                self._unify(wanted, self.infer(unit, argument), found)
        for wanted, argument in late if lambdas else ():
            shape = self.overloads.function_of(wanted)
            if shape is not None:
                self._unify(shape[1], self.lambda_result(unit, argument), found)

    def _unify(self, wanted: Value | None, got: Value | None, found: Bindings) -> None:
        """Also through what is above the type of an argument."""
        if wanted is None or got is None or isinstance(got, Several):
            return
        if isinstance(wanted, NamedType) and isinstance(got, (NamedType, Anonymous, Variable)):
            for one in self.scopes.lineage(got):
                if isinstance(one, NamedType) and one.file == wanted.file and one.row == wanted.row:
                    unify(wanted, one, found)
                    return
            return
        if isinstance(wanted, Outside) and isinstance(got, Outside) and len(wanted.arguments) == len(got.arguments):
            for pattern, given in zip(wanted.arguments, got.arguments, strict=True):
                unify(pattern, given, found)
            return
        if isinstance(got, Outside) and got.dotted.endswith(("?", "null")):
            return
        unify(wanted, got, found)

    # lambdas

    def lambda_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a lambda or a method reference gives."""
        table = unit.expressions
        if row < 0 or table.kind[row] != LAMBDA_EXPRESSION:
            return None
        if table.b[row] != 1:
            return self.infer(unit, table.a[row])
        found = self.reference(unit, row)
        if len(found) != 1:
            return None
        result = self.overloads.result_type(found[0])
        return None if isinstance(result, Variable) else result

    def reference(self, unit: DeclaredUnit, row: int) -> list[MethodCandidate]:
        """The methods that a method reference may mean."""
        member = unit.expressions.a[row]
        value = self.infer(unit, unit.expressions.a[member])
        type_ = value.type if isinstance(value, TypeName) else value
        found = self.overloads.methods(type_, unit.strings[unit.expressions.b[member]]).found
        shape = self._expected(unit, row) if len(found) > 1 else None
        if shape is None:
            return found
        fitting = [one for one in found if self._takes(one, shape, isinstance(value, TypeName))]
        return fitting or found

    def creation(self, unit: DeclaredUnit, row: int) -> tuple[Value | None, list[MethodCandidate]]:
        """The type that `Type::new` makes, and the constructors that it may mean."""
        made = unit.expressions.a[row]
        type_ = self.infer(unit, unit.expressions.a[made])
        found = self.overloads.constructors(type_) if isinstance(type_, NamedType) else []
        shape = self._expected(unit, row) if len(found) > 1 else None
        return type_, [one for one in found if shape is not None and self._takes(one, shape, False)] or found

    def _takes(self, candidate: MethodCandidate, shape: Sequence[Value | None], of_type: bool) -> bool:
        types = self.overloads.parameter_types(candidate)
        offered = [list(shape)] + ([list(shape[1:])] if of_type and shape else [])
        for given in offered:
            pairs = zip(types, given, strict=False)
            if len(given) == len(types) and all(self.overloads.fit(wanted, got) >= 0 for wanted, got in pairs):
                return True
        return False

    def _lambda_parameter(self, unit: DeclaredUnit, row: int, at: int) -> Value | None:
        """What a lambda is given, by who takes it."""
        taken = self.guarded(("taken", unit.file, row), lambda: self._expected(unit, row), None)
        return taken[at] if taken is not None and at < len(taken) else None

    def _expected(self, unit: DeclaredUnit, row: int) -> tuple[Value | None, ...] | None:
        taker, at = self._sites.takers.get(row, (-1, 0)) if unit.own else (-1, 0)
        if taker < 0:
            return None
        if at < 0:
            type_ = self.denote(unit, taker) if at == WRITTEN else self.infer(unit, taker)
            shape = self.overloads.function_of(type_) if type_ is not None else None
            return None if shape is None else shape[0]
        made = self.invocation(unit, taker)
        if not made.chosen:
            return self.library.handed_out(unit, taker, row)
        candidate = made.chosen[0]
        types = self.overloads.parameter_types(candidate)
        wanted = types[min(at, len(types) - 1)] if types else None
        if wanted is not None and self.overloads.is_variadic(candidate) and isinstance(wanted, Composite):
            wanted = wanted.parts[0]
        found: Bindings = {}
        self._bind(candidate, unit, unit.list_at(unit.expressions.b[taker]), found, lambdas=False)
        shape = self.overloads.function_of(wanted) if wanted is not None else None
        if shape is None:
            return None
        return tuple([substituted(type_, found) for type_ in shape[0]])
