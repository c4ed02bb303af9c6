"""Names: what plain names and names behind a dot denote in Kotlin.

Owns: variables, properties, objects and types by the scopes, receivers, imports and packages around.
Must not know: calls, how occurrences become links.
Invariant: what functions around bind goes before members of receivers, of classes between too; these go before what
    packages declare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, final

from graphls.languages.declared.inference import (
    UNKNOWN_LAST,
    DeclaredInference,
    DeclaredUnit,
    visible_row,
)
from graphls.languages.declared.values import (
    Denotation,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
)
from graphls.languages.extract.kinds import (
    CLASS_SCOPE,
    ENUM_DEFINITION,
    FUNCTION_SCOPE,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
    PARAMETER_DEFINITION,
    UNION_EXPRESSION,
)
from graphls.languages.kotlin.syntax.facts_builder import EXTENSION
from graphls.languages.kotlin.types.receivers import (
    KotlinReceivers,
    LambdaTypes,
)
from graphls.languages.kotlin.types.scopes import (
    CLASSES,
    EXTERNAL,
    FIELD_KINDS,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    PACKAGE,
    KotlinScopes,
)
from graphls.languages.kotlin.types.standard import (
    ANY,
    member_type,
)
from graphls.languages.resolve.ranges import FirstCover
from graphls.languages.resolve.structural_value import DefinitionRef, External

_VALUES: Final = FIELD_KINDS | {PARAMETER_DEFINITION}


@final
class KotlinNames:
    """Values of names."""

    def __init__(
        self, types: DeclaredInference, lambdas: LambdaTypes, scopes: KotlinScopes, receivers: KotlinReceivers
    ) -> None:
        self._types = types
        self._lambdas = lambdas
        self._scopes = scopes
        self._receivers = receivers
        self._proofs: dict[str, list[tuple[int, int, int, int]]] = {}
        """Name, or names with dots -> subject, type, start, end."""
        self._nearest: dict[str, FirstCover] = {}
        """The same -> numbers of these, the nearest first."""
        table = types.own.expressions
        tests = types.facts.narrowings
        for subject, test, start, end in zip(tests.subject, tests.test, tests.start, tests.end, strict=True):
            if table.kind[subject] == NAME_EXPRESSION:
                text = types.own.strings[table.a[subject]]
                self._proofs.setdefault(text, []).append((subject, test, start, end))

    # names of values

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, property, object or type by a plain name; with the type that a test proves."""
        word, _, label = name.partition("@")
        if word in ("this", "super"):
            value = self._receivers.this(unit, scope, label)
            if word == "this":
                proved = self.proved(unit, name, offset, None)
                return Denotation((), proved or value, LOCAL) if value is not None else None
            return Denotation((), self._above(value), LOCAL) if value is not None else None
        found = self.plain(unit, scope, name, offset)
        proved = self.proved(unit, name, offset, found) if found is not None else None
        return found if proved is None or found is None else Denotation(found.refs, proved, found.rule)

    def _above(self, value: Value) -> Value:
        """What `super` stands for: the class above before the interfaces, all of them where there are several."""
        above = [one for one in self._scopes.supers(value) if isinstance(one, (NamedType, Outside))]
        above.sort(
            key=lambda one: (
                isinstance(one, NamedType) and self._types.unit(one.file).kind[one.row] == INTERFACE_DEFINITION
            )
        )
        if len(above) > 1:
            return Several(tuple(above))
        return above[0] if above else Outside(ANY)

    def plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What a plain name means, whatever tests prove."""
        key = ("plain", unit.file, scope, name, offset if unit.own else -1)
        return self._types.guarded(key, lambda: self._plain(unit, scope, name, offset), None)

    def _plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        bound = self.bound(unit, scope, name, offset)
        if bound is not None:
            return bound
        outside: Outside | None = None
        unclear = False
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            found = self._in_class(unit, at, name) if kind in (CLASS_SCOPE, OBJECT_SCOPE) else None
            if found is not None:
                return found
            if kind in (CLASS_SCOPE, OBJECT_SCOPE, LAMBDA_SCOPE, FUNCTION_SCOPE):
                value, none = self.receiver_at(unit, at)
                tested = self.tested_receiver(unit, at, offset)
                found = self._receivers.property_of(tested, name) if tested is not None else None
                if found is None and value is not None:
                    found = self._receivers.property_of(value, name)
                if found is not None:
                    return Denotation(
                        found.refs, found.value, LOCAL if found.rule == MEMBER and kind == CLASS_SCOPE else INHERITED
                    )
                unclear = unclear or (value is None and not none)
                outside = outside or self.away(value)
            at = unit.scope_parent[at]
        return self._beyond(unit, scope, name, outside, unclear=unclear)

    def bound(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What functions and lambdas around bind, the innermost first: receivers and classes between do not hide it."""
        crossed = False
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            if kind in (CLASS_SCOPE, OBJECT_SCOPE):
                found = self.constructor_parameter(unit, at, name) if not crossed else None
                crossed = True
            else:
                found = self.local(unit, at, name, kind, offset)
                crossed = crossed or kind == FUNCTION_SCOPE
            if found is not None:
                return found
            at = unit.scope_parent[at]
        return None

    def constructor_parameter(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What the constructor of a class is given and does not keep."""
        for row in unit.members(scope).get(name, ()):
            if unit.kind[row] == PARAMETER_DEFINITION:
                return Denotation((DefinitionRef(unit.file, row),), self._receivers.value_of(unit, row), LOCAL)
        return None

    def receiver_at(self, unit: DeclaredUnit, scope: int) -> tuple[Value | None, bool]:
        """The receiver of one scope; whether it surely has none."""
        kind = unit.scope_kind[scope]
        if kind in (CLASS_SCOPE, OBJECT_SCOPE):
            return unit.type_of_scope(scope), False
        if kind == LAMBDA_SCOPE:
            if not unit.own:
                return None, True
            none, value = self._lambdas.lambda_receiver(scope)
            return value, none
        owner = unit.scope_owner[scope]
        if owner >= 0 and unit.flags[owner] & EXTENSION:
            return self._types.denote(unit, unit.value[owner]), False
        return None, True

    def tested_receiver(self, unit: DeclaredUnit, scope: int, offset: int) -> Value | None:
        """The type that a test proves for the receiver of a scope: `is` for `this`."""
        if "this" not in self._proofs or not unit.own:
            return None
        nearest = self._nearest_proof("this", self._proofs["this"], offset)
        if nearest < 0:
            return None
        subject, test, _, _ = self._proofs["this"][nearest]
        around = self._receivers.receivers(unit, unit.expressions.b[subject])
        return self._types.denote(unit, test) if around and around[0][0] == scope else None

    def away(self, value: Value | None) -> Outside | None:
        """What is outside above a receiver, and may have members that nobody here knows."""
        for one in self._scopes.lineage(value) if value is not None else ():
            if isinstance(one, Outside) and one.dotted not in (ANY, "kotlin.Enum", "kotlin.Comparable", "kotlin.Unit"):
                return one
        return None

    def local(self, unit: DeclaredUnit, scope: int, name: str, kind: int, offset: int) -> Denotation | None:
        rows = [row for row in unit.members(scope).get(name, ()) if unit.kind[row] in _VALUES | CLASSES]
        rows = [row for row in rows if not unit.flags[row] & EXTENSION or unit.kind[row] == PARAMETER_DEFINITION]
        row = visible_row(unit, rows, kind, offset) if rows else -1
        if row < 0:
            return None
        value = (
            self._receivers.as_object(self._types.row_value(unit, row))
            if unit.kind[row] in CLASSES
            else self._receivers.value_of(unit, row)
        )
        return Denotation((DefinitionRef(unit.file, row),), value, LOCAL)

    def _in_class(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What is behind the names of the types around."""
        type_ = unit.type_of_scope(scope)
        if type_ is None or self._receivers.property_of(type_, name) is not None:
            return None
        found = self._receivers.static_of(type_, name)
        return (
            Denotation(found.refs, found.value, LOCAL if found.rule == MEMBER else INHERITED)
            if found is not None
            else None
        )

    def _beyond(
        self, unit: DeclaredUnit, scope: int, name: str, outside: Outside | None, *, unclear: bool
    ) -> Denotation | None:  # fmt: skip
        """What no scope of the file binds."""
        for _, value in self._receivers.receivers(unit, scope):
            found = self._receivers.extension_property(unit, scope, value, name) if value is not None else None
            if found is not None:
                return found
        named = self._scopes.imports(unit, name)
        for dotted in named:
            found = self.value_at(self._receivers.callables_at(dotted), IMPORT)
            if found is not None:
                return found
        type_ = self._scopes.type_named(unit, scope, name)
        ours = self._declared_value(unit, name, type_, by_name=bool(named))
        if ours is not None:
            return ours
        if named:
            return Denotation((External(named[0]),), type_.value if type_ is not None else unknown(named[0]), EXTERNAL)
        if outside is not None and not unclear and not name[:1].isupper():
            return Denotation((External(f"{outside.dotted}.{name}"),), None, EXTERNAL)
        if type_ is not None:
            return type_
        if name[:1].islower() and not unclear and outside is None and self._begins_package(unit, name):
            return Denotation((), Package(None, name), IMPORT)
        return None

    def _declared_value(
        self, unit: DeclaredUnit, name: str, type_: Denotation | None, *, by_name: bool
    ) -> Denotation | None:
        """What the package or an import with a star declares under a name; the type that an import names first."""
        if type_ is not None and type_.rule in (LOCAL, IMPORT) and by_name:
            return Denotation(type_.refs, self._receivers.as_object(type_.value), type_.rule)
        found = self.value_at(self._scopes.declared(self._types.clause(unit.file), name), PACKAGE)
        if found is not None:
            return found
        if type_ is not None and type_.rule != EXTERNAL:
            return Denotation(type_.refs, self._receivers.as_object(type_.value), type_.rule)
        for dotted in self._scopes.star_imports(unit):
            found = self.value_at(self._receivers.callables_at(f"{dotted}.{name}"), IMPORT)
            if found is not None:
                return found
        return None

    def _begins_package(self, unit: DeclaredUnit, name: str) -> bool:
        return name in ("java", "javax", "kotlin", "kotlinx", "org", "com", "io", "android", "androidx") or (
            self._types.clause(unit.file).partition(".")[0] == name
        )

    def value_at(self, found: Sequence[DefinitionRef], rule: int) -> Denotation | None:
        """The nearest property or constant among declarations."""
        kept: list[DefinitionRef] = []
        for ref in found:
            unit = self._types.unit(ref.file)
            if unit.kind[ref.row] in FIELD_KINDS and not unit.flags[ref.row] & EXTENSION:
                kept.append(ref)
        kept = self._scopes.nearest(kept)
        if not kept:
            return None
        first = kept[0]
        rule = LOCAL if first.file == self._types.path else rule
        return Denotation(tuple(kept), self._receivers.value_of(self._types.unit(first.file), first.row), rule)

    # what tests prove

    def proved(self, unit: DeclaredUnit, name: str, offset: int, found: Denotation | None) -> Value | None:
        """The type that a test proves for a name, or for names with dots, where they stand."""
        if not unit.own or offset < 0:
            return None
        proofs = self._proofs.get(name)
        nearest = self._nearest_proof(name, proofs, offset) if proofs is not None else -1
        if proofs is None or nearest < 0:
            return None
        if found is None or self._is_same(proofs[nearest][0], name, found):
            return self._types.denote(unit, proofs[nearest][1])
        best: tuple[int, int] | None = None  # the nearest test is about another variable of the name
        for subject, test, start, end in proofs:
            nearer = start <= offset < end and (best is None or start >= best[0])
            if nearer and self._is_same(subject, name, found):
                best = (start, test)
        return self._types.denote(unit, best[1]) if best is not None else None

    def _nearest_proof(self, name: str, proofs: Sequence[tuple[int, int, int, int]], offset: int) -> int:
        known = self._nearest.get(name)
        if known is None:
            order = sorted(range(len(proofs)), key=lambda one: (-proofs[one][2], -one))
            known = self._nearest[name] = FirstCover([(proofs[one][2], proofs[one][3], one) for one in order])
        return known.at(offset)

    def _is_same(self, subject: int, name: str, found: Denotation) -> bool:
        table = self._types.own.expressions
        other = self.plain(self._types.own, table.b[subject], name, table.c[subject])
        return other is not None and other.refs == found.refs

    # members

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a package."""
        return self.member_at(value, name, self._types.own, 0)

    def member_at(self, value: Value | None, name: str, unit: DeclaredUnit, scope: int) -> Denotation | None:
        """The same, with the extensions that a scope sees."""
        if isinstance(value, Package):
            return self._in_package(value, name)
        if value is None:
            return self._receivers.extension_property(unit, scope, None, name)
        if isinstance(value, TypeName):
            return self._behind_type(value.type, name, unit, scope)
        if isinstance(value, Several):
            return self._above_member(value.parts, name, unit, scope)
        found = self._receivers.property_of(value, name)
        if found is not None:
            return found
        if self._scopes.is_single(value):
            found = self._receivers.static_of(value, name)
            if found is not None:
                return found
        found = self._receivers.extension_property(unit, scope, value, name)
        if found is not None:
            return found
        if isinstance(value, Outside):
            given = member_type(value, name)
            if given is None and not value.arguments:
                given = unknown(value.dotted)
            return Denotation((External(f"{value.dotted}.{name}"),), given, EXTERNAL)
        away = self.away(value)
        if away is not None:
            return Denotation((External(f"{away.dotted}.{name}"),), member_type(away, name), EXTERNAL)
        return self._of_enum(value, name)

    def _of_enum(self, value: Value, name: str) -> Denotation | None:
        """What every entry of an enum has."""
        if (
            isinstance(value, NamedType)
            and self._types.unit(value.file).kind[value.row] == ENUM_DEFINITION
            and name in ("name", "ordinal")
        ):
            return Denotation(
                (External(f"kotlin.Enum.{name}"),),
                Outside("kotlin.String" if name == "name" else "kotlin.Int"),
                EXTERNAL,
            )
        return None

    def _above_member(
        self, above: Sequence[Value | None], name: str, unit: DeclaredUnit, scope: int
    ) -> Denotation | None:
        for one in above:
            found = self._receivers.property_of(one, name)
            if found is not None:
                return found
        return self.member_at(above[0], name, unit, scope) if above else None

    def _in_package(self, holder: Package, name: str) -> Denotation | None:
        dotted = f"{holder.dotted}.{name}"
        types = self._scopes.type_at(dotted)
        if types:
            type_ = self._scopes.type_found(types, IMPORT)
            return Denotation(type_.refs, self._receivers.as_object(type_.value), IMPORT)
        found = self.value_at(self._receivers.callables_at(dotted), IMPORT)
        if found is not None:
            return found
        if name[:1].isupper():
            return self._scopes.outside_type(dotted)
        return Denotation((), Package(None, dotted), IMPORT)

    def _behind_type(self, type_: Value, name: str, unit: DeclaredUnit, scope: int) -> Denotation | None:
        if isinstance(type_, Outside):
            dotted = f"{type_.dotted}.{name}"
            return Denotation(
                (External(dotted),), TypeName(Outside(dotted)) if name[:1].isupper() else unknown(dotted), EXTERNAL
            )
        found = self._receivers.static_of(type_, name)
        if found is not None:
            return found
        if (
            isinstance(type_, NamedType)
            and self._types.unit(type_.file).kind[type_.row] == ENUM_DEFINITION
            and name == "entries"
        ):
            return Denotation(
                (External("kotlin.Enum.entries"),), Outside("kotlin.collections.List", (type_,)), EXTERNAL
            )
        companion = self._scopes.companion(type_)
        return self.member_at(companion, name, unit, scope) if companion is not None else None

    def scope_of(self, unit: DeclaredUnit, row: int, offset: int = -1) -> int:
        """A scope in which an expression stands, as far as its names tell, or a name at an offset behind it."""
        table, steps = unit.expressions, 0
        while row >= 0 and steps < 60:
            steps += 1
            kind = table.kind[row]
            if kind == NAME_EXPRESSION:
                return table.b[row]
            if kind == UNION_EXPRESSION and table.a[row] >= 0 and unit.list_at(table.a[row]):
                row = unit.list_at(table.a[row])[0]
            elif kind in (LITERAL_EXPRESSION, UNION_EXPRESSION, LAMBDA_EXPRESSION):
                break
            else:
                row = table.a[row]
        starts = self._types.facts.occurrences.start
        at = bisect_left(starts, offset) if unit.own and offset >= 0 else len(starts)
        return self._types.facts.occurrences.scope[at] if at < len(starts) and starts[at] == offset else 0


def unknown(dotted: str) -> Outside:
    """Something from a package of which nobody knows what it is."""
    parts = [part for part in dotted.split(".") if not part[:1].isupper() and part != UNKNOWN_LAST]
    return Outside(f"{'.'.join(parts[:-1] if len(parts) > 1 else parts)}.{UNKNOWN_LAST}")
