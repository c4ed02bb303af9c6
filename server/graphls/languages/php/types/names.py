"""Names: what names of classes, functions and constants mean.

Owns: namespaces, imports, which file of several that declare one name is meant, the types above a type.
Must not know: members, calls, how occurrences become links.
Invariant: a name means what the workspace declares under its whole name; all else is outside.
"""

from __future__ import annotations

from typing import Final, final

from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath, shared_folders
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage, unnamed_bases
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    CONSTANT_DEFINITION,
    ENUM_DEFINITION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    NAMESPACE_SCOPE,
    OBJECT_SCOPE,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    UNION_EXPRESSION,
)
from graphls.languages.php.types.standard import ENUM
from graphls.languages.resolve.structural_value import DefinitionRef, External

TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION})
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
IMPORT: Final = int(DeclaredRule.IMPORT)
INHERITED: Final = int(DeclaredRule.INHERITED)
LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
TRAIT: Final = int(DefinitionFlag.TYPE_ONLY)
MARK: Final = ":"
OF_CLASS, OF_FUNCTION, OF_CONSTANT = 0, 1, 2
_OUTER: Final = frozenset({MODULE_SCOPE, NAMESPACE_SCOPE})
_RELATIVE: Final = frozenset(("self", "static", "parent", "$this"))
_KINDS: Final = {
    OF_CLASS: TYPE_KINDS,
    OF_FUNCTION: frozenset({FUNCTION_DEFINITION}),
    OF_CONSTANT: frozenset({CONSTANT_DEFINITION}),
}


def namespace_of(unit: DeclaredUnit, scope: int) -> str:
    """The namespace that a scope is in, "" for none."""
    while scope > 0:
        if unit.scope_kind[scope] == NAMESPACE_SCOPE:
            owner = unit.scope_owner[scope]
            return "".join(unit.text(owner).split()) if owner >= 0 else ""
        scope = unit.scope_parent[scope]
    return ""


def _imports_of(unit: DeclaredUnit) -> dict[tuple[int, str, int], str]:
    """By scope, name and what is imported: the whole name that the first import says."""
    found: dict[tuple[int, str, int], str] = {}
    for row, kind in enumerate(unit.kind):
        value = unit.value[row]
        if kind == IMPORT_DEFINITION and value >= 0:
            key = (unit.scope[row], unit.text(row), unit.expressions.b[value])
            found.setdefault(key, unit.strings[unit.expressions.a[value]])
    return found


@final
class PhpNames:
    """Names of classes, functions and constants in one file, and types that it can see."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self._declared: dict[tuple[str, int], tuple[DefinitionRef, ...]] = {}
        self._bases = unnamed_bases(types.own)
        self._spaces: dict[FilePath, dict[str, list[int]]] = {}
        """Scopes of a file outside of its functions and types, by namespace."""
        self._imports: dict[FilePath, dict[tuple[int, str, int], str]] = {}

    # what files declare

    def declared(self, whole: str, how: int) -> tuple[DefinitionRef, ...]:
        """The declarations of a class, function or constant by its whole name: those of the nearest files."""
        key = (whole, how)
        known = self._declared.get(key)
        if known is None:
            space, _, name = whole.rpartition("\\")
            found: list[DefinitionRef] = []
            for file in self._types.world.defining(name) if name else ():
                unit = self._types.unit(file)
                for scope in self._outer_scopes(unit, space):
                    rows = unit.members(scope).get(name, ())
                    found += [DefinitionRef(file, row) for row in rows if unit.kind[row] in _KINDS[how]]
            known = self._declared[key] = self._nearest(found, whole)
        return known

    def _outer_scopes(self, unit: DeclaredUnit, space: str) -> list[int]:
        known = self._spaces.get(unit.file)
        if known is None:
            known = self._spaces[unit.file] = {}
            for scope, kind in enumerate(unit.scope_kind):
                if kind in _OUTER:
                    known.setdefault(namespace_of(unit, scope).lower(), []).append(scope)
        return known.get(space.lower(), [])

    def _nearest(self, found: list[DefinitionRef], whole: str) -> tuple[DefinitionRef, ...]:
        """The file that is called like the name goes before all others, then files by their folders."""
        if len(found) < 2:
            return tuple(found)
        tail = whole.replace("\\", "/") + ".php"
        ranked = [(_shared_tail(ref.file, tail), shared_folders(ref.file, self._types.path), ref) for ref in found]
        best = max((tail_, head) for tail_, head, _ in ranked)
        return tuple([ref for tail_, head, ref in ranked if (tail_, head) == best])[: MAX_DECLARED + 1]

    # names where they stand

    def whole_names(self, unit: DeclaredUnit, scope: int, text: str, how: int) -> tuple[list[str], bool]:
        """The whole names that a written name may mean, the first that is declared; whether an import says so."""
        if text.startswith("\\"):
            return [text[1:]], False
        head, _, rest = text.partition("\\")
        space = namespace_of(unit, scope)
        if head.lower() == "namespace" and rest:
            return [f"{space}\\{rest}" if space else rest], False
        imported = self._imported(unit, scope, head, OF_CLASS if rest else how)
        if imported:
            return [f"{imported}\\{rest}" if rest else imported], True
        own = f"{space}\\{text}" if space else text
        return ([own, text] if how != OF_CLASS and not rest and space else [own]), False

    def _imported(self, unit: DeclaredUnit, scope: int, name: str, how: int) -> str:
        imports = self._imports.get(unit.file)
        if imports is None:
            imports = self._imports[unit.file] = _imports_of(unit)
        at = scope
        while at >= 0:
            if unit.scope_kind[at] in _OUTER:
                found = imports.get((at, name, how))
                if found is not None:
                    return found
            at = unit.scope_parent[at]
        return ""

    def class_named(self, unit: DeclaredUnit, scope: int, text: str) -> Denotation | None:
        """What the written name of a class means."""
        return self._types.guarded(
            ("class", unit.file, scope, text), lambda: self._class_named(unit, scope, text), None
        )

    def _class_named(self, unit: DeclaredUnit, scope: int, text: str) -> Denotation | None:
        if text.lower() in _RELATIVE:
            value = self.around(unit, scope)
            if value is None:
                return None
            if text.lower() == "parent":
                above = [one for one in self.supers(value) if not self._is_trait_or_interface(one)]
                return Denotation((), TypeName(above[0]), LOCAL) if above else None
            return Denotation((), TypeName(value), LOCAL)
        if "\\" not in text:
            template = self._template(unit, scope, text)
            if template is not None:
                return template
        wholes, imported = self.whole_names(unit, scope, text, OF_CLASS)
        refs = self.declared(wholes[0], OF_CLASS)
        if not refs:
            return Denotation((External(wholes[0]),), TypeName(Outside(wholes[0])), EXTERNAL)
        own = any(ref.file == self._types.path for ref in refs)
        rule = LOCAL if own else IMPORT if imported or text.startswith("\\") else PACKAGE
        return Denotation(refs, TypeName(NamedType(refs[0].file, refs[0].row)), rule)

    def _template(self, unit: DeclaredUnit, scope: int, text: str) -> Denotation | None:
        at = scope
        while at > 0:
            if unit.scope_kind[at] == TYPE_PARAMETERS_SCOPE:
                for row in unit.members(at).get(text, ()):
                    if unit.kind[row] == TYPE_PARAMETER_DEFINITION:
                        return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
            at = unit.scope_parent[at]
        return None

    def _is_trait_or_interface(self, value: Value) -> bool:
        if not isinstance(value, NamedType):
            return False
        unit = self._types.unit(value.file)
        return unit.kind[value.row] == INTERFACE_DEFINITION or bool(unit.flags[value.row] & TRAIT)

    def function_named(self, unit: DeclaredUnit, scope: int, text: str) -> Denotation:
        """What the written name of a function means."""
        return self._global_named(unit, scope, text, OF_FUNCTION)

    def constant_named(self, unit: DeclaredUnit, scope: int, text: str) -> Denotation:
        """What the written name of a constant means."""
        return self._global_named(unit, scope, text, OF_CONSTANT)

    def _global_named(self, unit: DeclaredUnit, scope: int, text: str, how: int) -> Denotation:
        wholes, imported = self.whole_names(unit, scope, text, how)
        for whole in wholes:
            refs = self.declared(whole, how)
            if refs:
                own = any(ref.file == self._types.path for ref in refs)
                rule = LOCAL if own else IMPORT if imported else PACKAGE
                first = refs[0]
                if how == OF_FUNCTION:
                    return Denotation(refs, Functions(first.file, (first.row,)), rule)
                return Denotation(refs, self._types.row_value(self._types.unit(first.file), first.row), rule)
        return Denotation((External(wholes[-1]),), Outside(wholes[-1]), EXTERNAL)

    # types

    def around(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The innermost type around a scope."""
        while scope > 0:
            if unit.scope_kind[scope] == OBJECT_SCOPE:
                return Anonymous(unit.file, scope)
            owner = unit.scope_owner[scope]
            kind = unit.scope_kind[scope]
            if owner >= 0 and unit.kind[owner] in TYPE_KINDS and kind in (CLASS_SCOPE, TYPE_PARAMETERS_SCOPE):
                given = tuple([Variable(unit.file, row) for row in unit.type_parameters(owner)])
                return NamedType(unit.file, owner, given)
            scope = unit.scope_parent[scope]
        return None

    def supers(self, value: Value) -> list[Value]:
        """The types directly above a type: traits that it uses first, as their members go before inherited ones."""
        if isinstance(value, Anonymous):
            row = self._bases.get(value.scope, -1) if value.file == self._types.path else -1
            rows = self._types.own.list_at(self._types.own.expressions.a[row]) if row >= 0 else ()
            found = [self._types.denote(self._types.own, one) for one in rows]
            return self._traits_first([one for one in found if one is not None])
        if isinstance(value, Variable):
            unit = self._types.unit(value.file)
            bound = self._types.denote(unit, unit.type[value.row])
            return [bound] if bound is not None else []
        if not isinstance(value, NamedType):
            return []
        unit = self._types.unit(value.file)
        given: Bindings = self._types.arguments_of(value)
        made = [substituted(self._types.denote(unit, base), given) for base, _ in unit.bases(value.row)]
        if unit.kind[value.row] == ENUM_DEFINITION:
            made.append(Outside(ENUM))
        return self._traits_first([one for one in made if one is not None])

    def _traits_first(self, found: list[Value]) -> list[Value]:
        return sorted(found, key=lambda one: not (isinstance(one, NamedType) and self._is_trait(one)))

    def _is_trait(self, value: NamedType) -> bool:
        return bool(self._types.unit(value.file).flags[value.row] & TRAIT)

    def lineage(self, value: Value) -> tuple[Value, ...]:
        """A type and all above it, the nearest first."""
        return self._types.guarded(("lineage", value), lambda: lineage(value, self.supers), (value,))


def spelled(unit: DeclaredUnit, row: int) -> str:
    """The text of a name that is no variable, "" for anything else."""
    table = unit.expressions
    text = unit.strings[table.a[row]] if row >= 0 and table.kind[row] == NAME_EXPRESSION else ""
    return text[1:] if text.startswith(MARK) else ""


def union_rows(unit: DeclaredUnit, row: int) -> tuple[int, ...]:
    """The parts of a choice."""
    table = unit.expressions
    if table.kind[row] != UNION_EXPRESSION or table.a[row] < 0:
        return ()
    return tuple(unit.list_at(table.a[row]))


def _shared_tail(file: str, tail: str) -> int:
    count = 0
    for one, other in zip(reversed(file.split("/")), reversed(tail.split("/")), strict=False):
        if one.lower() != other.lower():
            break
        count += 1
    return count
