"""Inference: what names, calls and lambdas denote in C#.

Owns: values of names by the scopes around them, calls, what a lambda is given, elements.
Must not know: how occurrences become links, other languages.
Invariant: what a name means rests on scopes, usings and written types; a method is asked for by what it is called on.
"""

from __future__ import annotations

from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.csharp.syntax.facts_builder import LOOPED
from graphls.languages.csharp.types.overloads import CSharpOverloads
from graphls.languages.csharp.types.projects_index import OF_STATIC, TYPE_KINDS, how_of
from graphls.languages.csharp.types.scopes import (
    COMPONENT_FLAG,
    EXTERNAL,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    CSharpScopes,
    type_in,
)
from graphls.languages.csharp.types.standard import (
    COUNTED,
    FILLED,
    OBJECT,
    OBJECT_METHODS,
    awaited,
    element_of,
    given_back,
    given_by_type,
    is_map,
    property_of,
    written_by,
)
from graphls.languages.declared.call_sites import (
    WRITTEN,
    Arguments,
    CallSites,
    arguments_of_call,
    callee_of,
    last_name_at,
)
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit, visible_row
from graphls.languages.declared.methods import Invocation, MethodCandidate, Methods, external, refs
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
    Variable,
    mentions_workspace,
    substituted,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_SCOPE,
    ELEMENT_EXPRESSION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    NARROWED_EXPRESSION,
    OPERATION_EXPRESSION,
    PARAMETER_EXPRESSION,
    PROPERTY_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

_NOT_VARIABLES: Final = TYPE_KINDS | {
    METHOD_DEFINITION, IMPORT_DEFINITION, TYPE_PARAMETER_DEFINITION, NAMESPACE_DEFINITION,
}  # fmt: skip


_NOWHERE: Final = Invocation(None)


@final
class CSharpInference(DeclaredInference):
    """What one file of C# and those that it can see denote, and the parts that find types and methods."""

    __deletable__ = ("overloads", "scopes")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.scopes = CSharpScopes(self)
        self.overloads = CSharpOverloads(self, self.scopes)
        self._statics: dict[FilePath, list[tuple[DeclaredUnit, int]]] = {}
        self._sites = CallSites(self.own)
        self.calls = self._sites.calls
        """Where the name of a callee stands -> the call."""
        self.arities: dict[int, int] = {}
        """Where a name stands -> how many type arguments are behind it."""
        table = self.own.expressions
        for row, kind in enumerate(table.kind):
            if kind == SUBSCRIPT_EXPRESSION:
                self.arities[last_name_at(self.own, table.a[row])] = len(self.own.list_at(table.b[row]))

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.overloads, self.scopes

    # written types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            return type_in(self.scopes.type_found(unit, row, 0))
        if kind == SUBSCRIPT_EXPRESSION and table.kind[table.a[row]] in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            value = type_in(self.scopes.type_found(unit, table.a[row], len(parts)))
            if isinstance(value, NamedType):
                return NamedType(value.file, value.row, parts)
            return Outside(value.dotted, parts) if isinstance(value, Outside) else value
        if kind == LITERAL_EXPRESSION:
            text = unit.strings[table.a[row]]
            return Outside(text if "." in text else BUILTIN + text)
        if kind == OPERATION_EXPRESSION:
            return self.infer(unit, table.a[row])
        return super()._denote(unit, row)

    # names of values

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, a member, a type or a namespace, by a plain name."""
        if name in ("this", "base"):
            return self._self(unit, scope, name)
        away: Denotation | None = None
        at = scope
        while at > 0:
            if unit.scope_kind[at] == CLASS_SCOPE:
                type_ = self.scopes.type_of_scope(unit, at)
                found = self._member_of(type_, name)
                if found is not None and found.rule != EXTERNAL:
                    return Denotation(found.refs, found.value, LOCAL if found.rule == MEMBER else INHERITED)
                away = away or found
            else:
                row = self._local(unit, at, name, offset)
                if row >= 0:
                    return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL)
            at = unit.scope_parent[at]
        type_found = self.scopes.type_named(unit, scope, name, self.arities.get(offset, 0) if unit.own else 0)
        if type_found is not None and type_found.rule != EXTERNAL:
            return type_found
        static = self._static_member(unit, name)
        if static is not None:
            return static
        return type_found or away

    def _local(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> int:
        rows = [row for row in unit.members(scope).get(name, ()) if unit.kind[row] not in _NOT_VARIABLES]
        if rows and unit.kind[rows[0]] == FUNCTION_DEFINITION:
            return rows[0]
        return visible_row(unit, rows, unit.scope_kind[scope], offset) if rows else -1

    def _self(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        while scope > 0 and unit.scope_kind[scope] != CLASS_SCOPE:
            scope = unit.scope_parent[scope]
        type_ = self.scopes.type_of_scope(unit, scope) if scope > 0 else None
        if type_ is None or name == "this":
            return Denotation((), type_, LOCAL) if type_ is not None else None
        supers = self.scopes.supers(type_)
        first = supers[0] if supers else Outside(OBJECT)
        interface = isinstance(first, NamedType) and self.unit(first.file).kind[first.row] != 2
        return Denotation((), Outside(OBJECT) if interface else first, LOCAL)

    def _member_of(self, type_: Value | None, name: str) -> Denotation | None:
        """A field or property, else methods without a call."""
        found = self.scopes.field(type_, name)
        if found is not None and found.rule != EXTERNAL:
            return found
        known = self.overloads.methods(type_, name).found
        if known:
            first = known[0]
            value = Functions(first.file, (first.row,))
            return Denotation(refs(known), value, INHERITED if first.inherited else MEMBER)
        return found

    def _static_member(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        for holder, row in self._static_usings(unit):
            found = self._member_of(self.denote(holder, holder.type[row]), name)
            if found is not None and found.rule != EXTERNAL:
                return Denotation(found.refs, found.value, IMPORT)
        return None

    def _static_usings(self, unit: DeclaredUnit) -> list[tuple[DeclaredUnit, int]]:
        known = self._statics.get(unit.file)
        if known is None:
            scopes = [0, *[scope for scope, kind in enumerate(unit.scope_kind) if kind == NAMESPACE_SCOPE]]
            listed = [one for scope in scopes for one in self.scopes.usings(unit, scope)]
            known = [(holder, row) for holder, row in listed if how_of(holder, row) & OF_STATIC]
            self._statics[unit.file] = known
        return known

    # members

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A member without a call, a nested type, what is in a namespace."""
        if isinstance(holder, Package):
            return self.scopes.below(holder, name, ANY_ARITY)
        if isinstance(holder, Composite):
            return self._part(holder, name)
        type_ = holder.type if isinstance(holder, TypeName) else holder
        if isinstance(type_, Outside):
            return super().member(type_, name)
        found = self._member_of(type_, name)
        if found is not None and found.rule != EXTERNAL:
            return found
        return self.scopes.member_type(type_, name, ANY_ARITY) or found

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a namespace."""
        if isinstance(value, Outside):
            known = property_of(value, name)
            if known is not None:
                return Denotation((External(f"{value.dotted}.{name}"),), known, EXTERNAL)
        return super().member(value, name)

    def _part(self, holder: Composite, name: str) -> Denotation | None:
        value: Value | None = Outside("builtin.int")
        if holder.constructor.startswith("("):
            names = holder.constructor[1:-1].split(",")
            at = names.index(name) if name in names else int(name[4:]) - 1 if name[4:].isdigit() else -1
            value = holder.parts[at] if 0 <= at < len(holder.parts) else None
            return Denotation((External(f"System.ValueTuple.{name}"),), value, EXTERNAL)
        return Denotation((External(f"System.Array.{name}"),), value, EXTERNAL)

    # values

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a, b = table.kind[row], table.a[row], table.b[row]
        if kind == CALL_EXPRESSION:
            return self._given_by(unit, row)
        if kind == LITERAL_EXPRESSION:
            return self._denote(unit, row)
        if kind == UNION_EXPRESSION:
            values = [self.infer(unit, part) for part in unit.list_at(a)] if a >= 0 else []
            known = [value for value in values if value is not None and value != Outside("builtin.null")]
            return known[0] if known else None
        if kind == OPERATION_EXPRESSION:
            return self._operation(unit, a, b, unit.strings[table.c[row]])
        if kind == PARAMETER_EXPRESSION and b >= 0:
            return self._parameter_type(unit, a, b)
        if kind == NARROWED_EXPRESSION:
            return self.denote(unit, b) if table.c[row] else self.infer(unit, b)
        if kind == LAMBDA_EXPRESSION:
            return None
        if kind == ELEMENT_EXPRESSION:
            indexed = unit.own and b != LOOPED
            return self.indexed(self.infer(unit, a)) if indexed else self.element(self.infer(unit, a))
        if kind == ITEM_EXPRESSION:
            lambda_ = table.kind[a] == LAMBDA_EXPRESSION
            return self._lambda_parameter(unit, a, b) if lambda_ else self._component(self.infer(unit, a), b)
        if kind == SUBSCRIPT_EXPRESSION and table.kind[a] in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            type_ = self.denote(unit, row)
            return TypeName(type_) if type_ is not None else self.infer(unit, a)
        return super()._infer(unit, row)

    def _operation(self, unit: DeclaredUnit, a: int, b: int, name: str) -> Value | None:
        left = self.infer(unit, a)
        if name == "await":
            return awaited(left)
        if name == "type":
            return left
        right = self.infer(unit, b)
        text = Outside("builtin.string")
        if text in (left, right):
            return text
        numbers = [one for one in (left, right) if isinstance(one, Outside) and one.dotted.startswith(BUILTIN)]
        return numbers[0] if len(numbers) == 2 else left if left == right else None

    def _component(self, value: Value | None, at: int) -> Value | None:
        """One part of a tuple, or of a record."""
        if isinstance(value, Composite):
            return value.parts[at] if value.constructor.startswith("(") and at < len(value.parts) else None
        if isinstance(value, Outside):
            return value.arguments[at] if at < len(value.arguments) and len(value.arguments) > 1 else None
        for unit, body, given in self.scopes.bodies(value) if value is not None else ():
            rows = [
                row
                for row, scope in enumerate(unit.scope)
                if scope == body and unit.kind[row] == PROPERTY_DEFINITION and unit.flags[row] & COMPONENT_FLAG
            ]
            if at < len(rows):
                return substituted(self.row_value(unit, rows[at]), given)
            for row in unit.members(body).get("Deconstruct", ()):
                written = unit.parameters(row)
                if at < len(written):
                    return substituted(self.row_value(unit, written[at]), given)
        return None

    def element(self, value: Value | None) -> Value | None:
        """What a loop over an array or a container gives."""
        if isinstance(value, Composite):
            return value.parts[0] if value.parts and value.constructor == "[]" else None
        for one in self.scopes.lineage(value) if value is not None else ():
            if isinstance(one, Outside):
                found = element_of(one)
                if found is not None:
                    return found
                if one is value:
                    return None if one.arguments else Outside(UNKNOWN_LAST)
        return None

    def indexed(self, value: Value | None) -> Value | None:
        """What `value[index]` gives."""
        for one in self.scopes.lineage(value) if isinstance(value, (NamedType, Variable)) else ():
            for unit, body, given in self.scopes.bodies_with(one, "this"):
                for row in unit.members(body).get("this", ()):
                    return substituted(self.row_value(unit, row), given)
            if isinstance(one, Outside) and is_map(one):
                return one.arguments[1]
        if isinstance(value, Outside) and is_map(value):
            return value.arguments[1]
        return self.element(value)

    # calls

    def invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        """What a call means."""
        return self.guarded(("call", unit.file, row), lambda: self._invocation(unit, row), _NOWHERE)

    def _invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        table = unit.expressions
        callee, given = callee_of(unit, row), arguments_of_call(self, unit, row)
        if table.kind[callee] == TYPE_EXPRESSION:
            return self._creation(unit, table.a[callee], given)
        if table.kind[callee] == NAME_EXPRESSION:
            return self._plain_call(unit, table.b[callee], unit.strings[table.a[callee]], table.c[callee], given)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return _NOWHERE
        base = table.a[callee]
        if unit.strings[table.b[callee]] == NEW:
            return self._constructed(self.infer(unit, base), given)
        scope = self._scope_of(unit, base)
        return self.member_call(self.infer(unit, base), unit.strings[table.b[callee]], unit, scope, given)

    def _scope_of(self, unit: DeclaredUnit, row: int) -> int:
        """A scope in which an expression stands, as far as its names tell."""
        table = unit.expressions
        steps = 0
        while row >= 0 and steps < 60:
            steps += 1
            kind = table.kind[row]
            if kind == NAME_EXPRESSION:
                return table.b[row]
            if kind not in (MEMBER_EXPRESSION, CALL_EXPRESSION, SUBSCRIPT_EXPRESSION, TYPE_EXPRESSION,
                            ELEMENT_EXPRESSION, OPERATION_EXPRESSION):  # fmt: skip
                break
            row = table.a[row]
        return next((scope for scope, kind in enumerate(unit.scope_kind) if kind == CLASS_SCOPE), 0)

    def _creation(self, unit: DeclaredUnit, row: int, given: Arguments) -> Invocation:
        """`new Type(...)`: a constructor, or the class where it declares none."""
        table, arity = unit.expressions, 0
        if table.kind[row] == SUBSCRIPT_EXPRESSION:
            arity, row = len(unit.list_at(table.b[row])), table.a[row]
        found = self.scopes.type_found(unit, row, arity) or self._attribute(unit, row)
        value = found.value if found is not None else None
        type_ = value.type if isinstance(value, TypeName) else None
        if found is None or not isinstance(type_, NamedType):
            return Invocation(found)
        chosen = self.overloads.pick(self.overloads.constructors(type_), unit, Arguments(given.rows, given.names))
        if not chosen:
            return Invocation(found)
        return Invocation(Denotation(refs(chosen), value, found.rule), chosen)

    def _constructed(self, type_: Value | None, given: Arguments) -> Invocation:
        """`new(...)`, `: base(...)`: a constructor of a type, or the type where it declares none."""
        if isinstance(type_, Outside):
            return Invocation(_outside_type(type_))
        if not isinstance(type_, NamedType):
            return _NOWHERE
        chosen = self.overloads.pick(
            self.overloads.constructors(type_), unit=self.own, given=Arguments(given.rows, given.names)
        )
        if not chosen:
            return Invocation(self.scopes.found_type(type_, MEMBER))
        return Invocation(Denotation(refs(chosen), type_, MEMBER), chosen)

    def _attribute(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        table = unit.expressions
        if table.kind[row] == NAME_EXPRESSION:
            return self.scopes.type_named(unit, table.b[row], f"{unit.strings[table.a[row]]}Attribute")
        return None

    def _plain_call(self, unit: DeclaredUnit, scope: int, name: str, offset: int, given: Arguments) -> Invocation:
        """A call without a receiver: of a local function or a delegate, of a type around, or of what is imported."""
        if name in ("this", "base"):
            around = self._self(unit, scope, name)
            return self._constructed(around.value, given) if around is not None else _NOWHERE
        outside: Outside | None = None
        at = scope
        while at > 0:
            if unit.scope_kind[at] == CLASS_SCOPE:
                type_ = self.scopes.type_of_scope(unit, at)
                known = self.overloads.methods(type_, name)
                if known.found:
                    return self._chosen(known, unit, given)
                held = self.scopes.field(type_, name)
                if held is not None and held.rule != EXTERNAL:
                    return Invocation(held, (), held.value)
                outside = outside or known.outside
            else:
                row = self._local(unit, at, name, offset)
                if row >= 0:
                    found = Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL)
                    if unit.kind[row] == FUNCTION_DEFINITION:
                        return Invocation(found, (MethodCandidate(unit.file, row, {}, False),))
                    return Invocation(found, (), found.value)
            at = unit.scope_parent[at]
        candidates: list[MethodCandidate] = []
        away: list[Outside] = []
        for holder, using in self._static_usings(unit):
            target = self.denote(holder, holder.type[using])
            candidates += self.overloads.methods(target, name).found
            away += [target] if isinstance(target, Outside) else []
        if candidates:
            chosen = self.overloads.pick(candidates, unit, given)
            return Invocation(Denotation(refs(chosen), None, IMPORT), chosen)
        if name in OBJECT_METHODS:
            return Invocation(external(f"System.Object.{name}", None))
        outside = outside or (away[0] if len(away) == 1 else None)
        return Invocation(external(f"{outside.dotted}.{name}", None) if outside is not None else None)

    def member_call(
        self, value: Value | None, name: str, unit: DeclaredUnit, scope: int, given: Arguments
    ) -> Invocation:
        """A call of a method of a value or a type."""
        type_ = value.type if isinstance(value, TypeName) else value
        if type_ is None and name not in OBJECT_METHODS:
            any_ = self.overloads.of_anything(name, unit, scope)
            return Invocation(Denotation(refs(any_), None, IMPORT), any_) if len(any_) == 1 else _NOWHERE
        if type_ is None or isinstance(type_, (Functions, Several)):
            return _NOWHERE
        if isinstance(type_, Package):
            return Invocation(self.scopes.below(type_, name, ANY_ARITY))
        own = self._own_call(type_, name, unit, given)
        misfits = own is not None and bool(own.chosen) and self.overloads.misfits(own.chosen, unit, given)
        if own is not None and not misfits:
            return own
        if not isinstance(value, TypeName):
            extending = self.overloads.extensions(type_, name, unit, scope)
            chosen = self.overloads.pick(extending, unit, given) if extending else []
            if misfits and self.overloads.misfits(chosen, unit, given):
                chosen = []
            if chosen and (len(extending) > 1 or self.overloads.takes(chosen[0], given)):
                chosen = self.overloads.nearest_receiver(chosen, type_)
                return Invocation(Denotation(refs(chosen), None, IMPORT), chosen, type_)
        return own or self._other_call(type_, name, unit, given)

    def _own_call(self, type_: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        """A method that the type has and that can take the arguments, or a delegate that it holds."""
        if not isinstance(type_, (NamedType, Variable)):
            return None
        known = self.overloads.methods(type_, name)
        if known.found and (
            len(known.found) > 1 or isinstance(type_, Variable) or self.overloads.takes(known.found[0], given)
        ):
            return self._chosen(known, unit, given)
        held = self.scopes.field(type_, name) if not known.found else None
        return Invocation(held, (), held.value) if held is not None and held.rule != EXTERNAL else None

    def _other_call(self, type_: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation:
        """A call of what neither the type nor an extension has as it is called."""
        known = self.overloads.methods(type_, name)
        if known.found:
            return self._chosen(known, unit, given)
        shape = self.overloads.function_of(type_) if name in ("Invoke", "BeginInvoke", "EndInvoke") else None
        if shape is not None:
            return Invocation(external(f"System.Delegate.{name}", shape[1]))
        away = type_ if isinstance(type_, Outside) else known.outside
        if away is not None:
            return Invocation(self._outside_call(away, name, unit, given))
        if isinstance(type_, Composite):
            holder = Outside("System.Array", type_.parts if type_.constructor == "[]" else ())
            return Invocation(self._outside_call(holder, name, unit, given))
        return Invocation(external(f"System.Object.{name}", None)) if name in OBJECT_METHODS else _NOWHERE

    def _chosen(self, known: Methods, unit: DeclaredUnit, given: Arguments) -> Invocation:
        chosen = self.overloads.pick(known.found, unit, given)
        return Invocation(Denotation(refs(chosen), None, INHERITED if chosen[0].inherited else MEMBER), chosen)

    def _outside_call(self, holder: Outside, name: str, unit: DeclaredUnit, given: Arguments) -> Denotation:
        """A method from outside: what it gives may be one of ours only where types of ours go in."""
        selected = self._lambda_result(unit, given.rows[0]) if given.rows else None
        result = given_back(holder, name, selected, len(given.rows))
        if result is None and len(given.types) == 1 and given.types[0] is not None:
            result = given_by_type(name, given.types[0])
        if result is None and not self._brings_workspace(holder, unit, given):
            result = Outside(UNKNOWN_LAST)
        return external(f"{holder.dotted}.{name}", result)

    def _brings_workspace(self, holder: Outside, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether types of ours may go into a call of something outside."""
        kinds = unit.expressions.kind
        plain = [row for row in given.rows if row < 0 or kinds[row] != LAMBDA_EXPRESSION]
        lambdas = [self._lambda_result(unit, row) for row in given.rows if row >= 0 and kinds[row] == LAMBDA_EXPRESSION]
        values = [self.infer(unit, row) for row in plain]
        return any(map(mentions_workspace, (*holder.arguments, *given.types, *values, *lambdas)))

    def _given_by(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a call gives."""
        table = unit.expressions
        callee, given = table.a[row], arguments_of_call(self, unit, row)
        if table.kind[callee] == TYPE_EXPRESSION:
            return self.denote(unit, table.a[callee])
        if table.kind[callee] == MEMBER_EXPRESSION and unit.strings[table.b[callee]] == NEW:
            return self.infer(unit, table.a[callee])
        made = self.invocation(unit, row)
        if not made.chosen:
            shape = self.overloads.function_of(made.receiver) if made.receiver is not None else None
            if shape is not None:
                return shape[1]
            return made.found.value if made.found is not None and made.found.rule == EXTERNAL else None
        candidate = made.chosen[0]
        other = self.unit(candidate.file)
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
        self._bind(made, unit, given, found, lambdas=True)
        for one in own:
            found.setdefault((candidate.file, one), None)
        result = substituted(type_, found)
        if result is None and isinstance(type_, Variable):
            supers = self.scopes.supers(type_)
            return supers[0] if supers and isinstance(supers[0], NamedType) else None
        return result

    def _bind(self, made: Invocation, unit: DeclaredUnit, given: Arguments, found: Bindings, *, lambdas: bool) -> None:
        """What arguments say of the type parameters of a method."""
        candidate = made.chosen[0]
        if candidate.extends and made.receiver is not None:
            self.overloads.unify_receiver(candidate, made.receiver, found)
        types = self.overloads.parameter_types(candidate)
        late: list[tuple[Value, int]] = []
        for argument, at in zip(given.rows, self.overloads.positions(candidate, given), strict=True):
            wanted = types[at] if 0 <= at < len(types) else None
            if wanted is None or argument < 0:
                continue
            if unit.expressions.kind[argument] == LAMBDA_EXPRESSION:
                late.append((wanted, argument))
                continue
            passed = self.infer(unit, argument)
            if at == len(types) - 1 and self.overloads.is_variadic(candidate) and not isinstance(passed, Composite):
                wanted = wanted.parts[0] if isinstance(wanted, Composite) and wanted.parts else wanted
            self.overloads.unify_types(wanted, passed, found)
        for wanted, argument in late if lambdas else ():
            shape = self.overloads.function_of(wanted)
            if shape is not None:
                self.overloads.unify_types(shape[1], self._lambda_result(unit, argument), found)

    # lambdas

    def _lambda_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a lambda gives."""
        table = unit.expressions
        if row < 0 or table.kind[row] != LAMBDA_EXPRESSION:
            return None
        return self.infer(unit, table.a[row])

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
        made, given = self.invocation(unit, taker), arguments_of_call(self, unit, taker)
        if not made.chosen:
            return self._handed_out(unit, taker, row)
        wanted = self._wanted(made.chosen[0], given, at)
        found: Bindings = {}
        self._bind(made, unit, given, found, lambdas=False)
        shape = self.overloads.function_of(wanted) if wanted is not None else None
        if shape is None:
            return None
        return tuple([substituted(type_, found) for type_ in shape[0]])

    def _wanted(self, candidate: MethodCandidate, given: Arguments, at: int) -> Value | None:
        """The type of the parameter that an argument is for."""
        types, position = self.overloads.parameter_types(candidate), self.overloads.positions(candidate, given)[at]
        wanted = types[position] if 0 <= position < len(types) else None
        last = position == len(types) - 1 and self.overloads.is_variadic(candidate)
        if last and isinstance(wanted, Composite) and wanted.parts:
            return wanted.parts[0]  # `params Action<T>[]`: each argument is an element
        return wanted

    def _parameter_type(self, unit: DeclaredUnit, call: int, at: int) -> Value | None:
        """What a call wants at a place: `new()` makes it, `out var name` is given it."""
        if call < 0 or not unit.own:
            return None
        made, given = self.invocation(unit, call), arguments_of_call(self, unit, call)
        if not made.chosen:
            return self._handed_back(unit, call, given)
        wanted = {self._wanted(one, given, at) for one in made.chosen}
        if len(wanted) != 1:
            return None
        found: Bindings = {}
        self._bind(made, unit, given, found, lambdas=False)
        return substituted(wanted.pop(), found)

    def _handed_back(self, unit: DeclaredUnit, call: int, given: Arguments) -> Value | None:
        """What a method from outside writes to an `out` parameter."""
        table, callee = unit.expressions, callee_of(unit, call)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return None
        holder = self.infer(unit, table.a[callee])
        for one in self.scopes.lineage(holder) if holder is not None else ():
            found = written_by(one, unit.strings[table.b[callee]]) if isinstance(one, Outside) else None
            if found is not None:
                return found
        if not isinstance(holder, Outside) or self._brings_workspace(holder, unit, given):
            return None
        return Outside(UNKNOWN_LAST)

    def _handed_out(self, unit: DeclaredUnit, taker: int, row: int) -> tuple[Value | None, ...] | None:
        """What a method of a container hands to a lambda: its elements."""
        table = unit.expressions
        callee = callee_of(unit, taker)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return None
        holder = self.infer(unit, table.a[callee])
        count = max(table.c[row], 1)
        if isinstance(holder, Outside) and not holder.arguments:
            given = arguments_of_call(self, unit, taker)
            others = [one for one in given.rows if one != row]
            clear = not self._brings_workspace(holder, unit, Arguments(others, (), given.types))
            return (Outside(UNKNOWN_LAST),) * count if clear else None
        item = self.element(holder) if not isinstance(holder, TypeName) else None
        name = unit.strings[table.b[callee]]
        if item is not None and name in FILLED:
            shape = self.overloads.function_of(item)
            return shape[0] if shape is not None else None
        if item is None or count > 2:
            return None
        if count == 1:
            return (item,)
        if name in ("Aggregate", "Sort"):
            return item, item
        return (item, Outside("builtin.int")) if name in COUNTED else None

    def parameter_named(self, unit: DeclaredUnit, row: int, name: str) -> DefinitionRef | None:
        """The parameter that `name:` in a call means."""
        for candidate in self.invocation(unit, row).chosen:
            other = self.unit(candidate.file)
            for one in self.overloads.parameter_rows(candidate):
                if other.text(one) == name:
                    return DefinitionRef(candidate.file, one)
        return None


def _outside_type(type_: Outside) -> Denotation:
    return Denotation((External(type_.dotted),), type_, EXTERNAL)


ANY_ARITY: Final = -1
NEW: Final = "new"
"""In place of the name of a method: `new(...)`."""
