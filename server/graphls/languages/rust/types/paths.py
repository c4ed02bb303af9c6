"""Paths: modules, crates, and what the parts of a path lead to in Rust.

Owns: the tree of modules, names in scopes, imports, globs, the prelude.
Must not know: methods, how occurrences become links.
Invariant: a name in front of `::` is a type or module, never a variable; what no crate of the workspace has is outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, final

from graphls.facts.definer_keys import macro_key
from graphls.facts.kinds import DefinitionFlag, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit, visible_row
from graphls.languages.declared.values import (
    DeclaredRule,
    Denotation,
    Functions,
    ModuleBody,
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
    ENUM_MEMBER_DEFINITION,
    EXPORTED_FLAG,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    PARAMETER_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
    VARIABLE_DEFINITION,
)
from graphls.languages.resolve.ranges import FEW
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.rust.crates import (
    ROOT_NAMES,
    CargoPackage,
    home_of,
    module_files,
    module_word,
    package_in,
    package_of,
    parent_files,
    written_file,
)
from graphls.languages.rust.types.standard import CRATES, MACROS, PRELUDE_TYPES, PRIMITIVES

TYPES: Final = 1
VALUES: Final = 2
MACRO_NAMES: Final = 4
IMPL: Final = "impl "
ENTER_EXPRESSION: Final = int(ExpressionKind.ENTER)
MACRO: Final = int(DefinitionFlag.POSITIONAL_ONLY)
_STAR_FLAG: Final = int(DefinitionFlag.STAR)
BUILTIN_RULE: Final = int(DeclaredRule.BUILTIN)
EXTERNAL_RULE: Final = int(DeclaredRule.EXTERNAL)
IMPORT_RULE: Final = int(DeclaredRule.IMPORT)
LOCAL_RULE: Final = int(DeclaredRule.LOCAL)
MEMBER_RULE: Final = int(DeclaredRule.MEMBER)
INHERITED_RULE: Final = int(DeclaredRule.INHERITED)
PACKAGE_RULE: Final = int(DeclaredRule.PACKAGE)
_LOCALS: Final = frozenset({VARIABLE_DEFINITION, PARAMETER_DEFINITION})
_TYPE_KINDS: Final = frozenset({
    CLASS_DEFINITION, ENUM_DEFINITION, INTERFACE_DEFINITION, NAMESPACE_DEFINITION, TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
})  # fmt: skip
_VALUE_KINDS: Final = frozenset({FUNCTION_DEFINITION, CONSTANT_DEFINITION, VARIABLE_DEFINITION, PARAMETER_DEFINITION})
_MAX_ABOVE: Final = 40
_NO_MODULE: Final = ModuleBody(FilePath(""), -1)


ItemOfType: TypeAlias = Callable[[Value, str, int], Denotation | None]
"""What a name behind a type and `::` means, in some spaces of names."""


@final
class RustPaths:
    """Modules and names of one file, and of the crates that it can see."""

    def __init__(self, types: DeclaredInference, of_type: ItemOfType) -> None:
        self._types = types
        self._of_type = of_type
        self._packages: dict[FilePath, CargoPackage | None] = {}
        self._parents: dict[FilePath, ModuleBody] = {}
        self._locals: dict[tuple[FilePath, int, str], tuple[tuple[int, ...], tuple[int, ...]]] = {}

    # crates and modules

    def package(self, file: FilePath) -> CargoPackage | None:
        """The package around a file."""
        if file not in self._packages:
            self._packages[file] = package_of(file, self._types.world)
        return self._packages[file]

    def crate_files(self, file: FilePath) -> tuple[FilePath, ...]:
        """The files of the package around a file."""
        package = self.package(file)
        return self._types.world.package(package.folder if package is not None else "")

    def is_root(self, file: FilePath) -> bool:
        """Whether a file is a crate."""
        package = self.package(file)
        if package is not None and file in package.roots:
            return True
        return file.rpartition("/")[2] in ROOT_NAMES and (package is None or not package.roots)

    def file_at(self, path: str) -> FilePath | None:
        """A file of the workspace by its path."""
        return self._types.world.module(path, self._types.path)

    def parent(self, file: FilePath) -> ModuleBody | None:
        """The module that declares the one in a file."""
        known = self._parents.get(file)
        if known is None:
            self._parents[file] = _NO_MODULE  # a file that declares itself has none
            known = self._parents[file] = self._parent(file) or _NO_MODULE
        return None if known is _NO_MODULE else known

    def _parent(self, file: FilePath) -> ModuleBody | None:
        if self.is_root(file):
            return None
        package = self.package(file)
        roots = package.roots if package is not None else ()
        folder = file.rpartition("/")[0]
        near = [root for root in roots if root.rpartition("/")[0] in (folder, folder.rpartition("/")[0])]
        for path in dict.fromkeys((*parent_files(file), *near)):
            other = self.file_at(path)
            found = self._declaring(other, file) if other is not None and other != file else None
            if found is not None:
                return found
        for other in self.crate_files(file):
            unit = self._types.unit(other)
            for row, kind in enumerate(unit.kind):
                if kind == NAMESPACE_DEFINITION and unit.value[row] >= 0 and self.module_file(unit, row) == file:
                    return ModuleBody(other, unit.scope[row])
        return None

    def _declaring(self, other: FilePath, file: FilePath) -> ModuleBody | None:
        """The module of a file that declares another file."""
        unit, word = self._types.unit(other), module_word(file)
        for row, kind in enumerate(unit.kind):
            if kind != NAMESPACE_DEFINITION or unit.body[row] >= 0:
                continue
            if (unit.text(row).removeprefix("r#") == word or unit.value[row] >= 0) and self.module_file(
                unit, row
            ) == file:
                return ModuleBody(other, unit.scope[row])
        return None

    def module_file(self, unit: DeclaredUnit, row: int) -> FilePath | None:
        """The file that `mod name;` means."""
        home = home_of(unit.file, self.is_root(unit.file) or unit.file.rpartition("/")[2] in ROOT_NAMES)
        names: list[str] = []
        scope = unit.scope[row]
        while scope > 0:
            owner = unit.scope_owner[scope]
            if unit.scope_kind[scope] == NAMESPACE_SCOPE and owner >= 0:
                names.append(unit.text(owner))
            scope = unit.scope_parent[scope]
        home = "/".join((*((home,) if home else ()), *reversed(names)))
        given = unit.value[row]
        if given >= 0 and unit.expressions.kind[given] == MODULE_EXPRESSION:
            written = unit.strings[unit.expressions.a[given]]
            return self.file_at(written_file(unit.file, home, bool(names), written))
        for path in module_files(home, unit.text(row).removeprefix("r#")):
            found = self.file_at(path)
            if found is not None:
                return found
        return None

    def crate(self, file: FilePath) -> ModuleBody:
        """The crate that a file belongs to."""
        for _ in range(_MAX_ABOVE):
            above = self.parent(file)
            if above is None:
                break
            file = above.file
        return ModuleBody(file, 0)

    def module_scope(self, unit: DeclaredUnit, scope: int) -> int:
        """The scope of the module around a scope."""
        while scope > 0 and unit.scope_kind[scope] != NAMESPACE_SCOPE:
            scope = unit.scope_parent[scope]
        return max(scope, 0)

    def above(self, module: ModuleBody) -> ModuleBody | None:
        """The module around a module."""
        if module.scope == 0:
            return self.parent(module.file)
        unit = self._types.unit(module.file)
        return ModuleBody(module.file, self.module_scope(unit, unit.scope_parent[module.scope]))

    def crate_named(self, file: FilePath, name: str) -> Value | None:
        """Another crate, as the files of a package call it."""
        package = self.package(file)
        if package is None:
            return Outside(name) if name in CRATES else None
        if name in package.dependencies:
            folder = package.dependencies[name]
            other = package_in(folder, file, self._types.world) if folder is not None else None
            if other is None or not other.library_file:
                return Outside(name)
            return ModuleBody(FilePath(other.library_file), 0)
        if name == package.library and name and self.crate(file).file != package.library_file:
            return ModuleBody(FilePath(package.library_file), 0) if package.library_file else None
        return Outside(name) if name in CRATES else None

    # names

    def lookup(self, unit: DeclaredUnit, scope: int, name: str, offset: int, space: int) -> Denotation | None:
        """What a plain name means in one of the spaces of names."""
        kinds, parents = unit.scope_kind, unit.scope_parent
        at = scope
        while at > 0 and kinds[at] != NAMESPACE_SCOPE:
            if kinds[at] != CLASS_SCOPE:
                found = self._in_block(unit, at, name, offset, space)
                if found is not None:
                    return found
            at = parents[at]
        return self.item(unit, max(at, 0), name, space)

    def _in_block(self, unit: DeclaredUnit, scope: int, name: str, offset: int, space: int) -> Denotation | None:
        members = unit.members(scope)
        rows = members.get(name)
        if rows:
            local, others = self._apart(unit, scope, name, rows)
            if local and space & VALUES:
                row = visible_row(unit, local, unit.scope_kind[scope], offset)
                if row >= 0:
                    return Denotation((DefinitionRef(unit.file, row),), self._types.row_value(unit, row), LOCAL_RULE)
                rows = others
            if len(rows) > FEW:
                key = ("block", unit.file, scope, name, space, len(rows))
                return self._types.guarded(key, lambda: self._declared_or_imported(unit, rows, space), None)
            return self._declared_or_imported(unit, rows, space)
        if "*" in members:
            return self._starred(unit, members["*"], name, space)
        return None

    def _apart(
        self, unit: DeclaredUnit, scope: int, name: str, rows: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The variables among rows of one name, and the others."""
        key = (unit.file, scope, name)
        known = self._locals.get(key)
        if known is None:
            local = tuple([row for row in rows if unit.kind[row] in _LOCALS])
            known = (local, tuple([row for row in rows if unit.kind[row] not in _LOCALS]) if local else rows)
            if len(rows) > FEW:
                self._locals[key] = known
        return known

    def _declared_or_imported(self, unit: DeclaredUnit, rows: Sequence[int], space: int) -> Denotation | None:
        return self._declared(unit, rows, space) or self._imported(unit, rows, space)

    def item(self, unit: DeclaredUnit, scope: int, name: str, space: int) -> Denotation | None:
        """What a module has under a name: its items, imports and what stars bring in."""
        return self._types.guarded(
            ("item", unit.file, scope, name, space), lambda: self._item_of(unit, scope, name, space), None
        )

    def _item_of(self, unit: DeclaredUnit, scope: int, name: str, space: int) -> Denotation | None:
        members = unit.members(scope)
        rows = members.get(name)
        found: Denotation | None = None
        if rows:
            found = self._declared_or_imported(unit, rows, space)
        if found is None and "*" in members:
            found = self._starred(unit, members["*"], name, space)
        return found

    def _declared(self, unit: DeclaredUnit, rows: Sequence[int], space: int) -> Denotation | None:
        fitting = [row for row in rows if self.fits(unit, row, space)]
        if not fitting:
            return None
        value = self._types.row_value(unit, fitting[0])
        refs = tuple([DefinitionRef(unit.file, row) for row in fitting])
        return Denotation(refs, value, LOCAL_RULE if unit.own else PACKAGE_RULE)

    def _imported(self, unit: DeclaredUnit, rows: Sequence[int], space: int) -> Denotation | None:
        """What imports bring in under a name: of several, of which a condition chooses, all."""
        refs: dict[DefinitionRef | External, None] = {}
        first: Denotation | None = None
        for row in rows:
            found = self.path_found(unit, unit.value[row], space) if unit.kind[row] == IMPORT_DEFINITION else None
            if found is not None:
                first = first or found
                refs.update(dict.fromkeys(found.refs))
        if first is None:
            return None
        rule = IMPORT_RULE if first.rule != EXTERNAL_RULE else EXTERNAL_RULE
        return Denotation(tuple(refs), first.value, rule)

    def _starred(self, unit: DeclaredUnit, rows: Sequence[int], name: str, space: int) -> Denotation | None:
        for row in rows:
            if unit.kind[row] != IMPORT_DEFINITION or not unit.flags[row] & _STAR_FLAG:
                continue
            holder = self.entered(unit, unit.value[row])
            found: Denotation | None = None
            if isinstance(holder, ModuleBody):
                found = self.item(self._types.unit(holder.file), holder.scope, name, space)
            elif isinstance(holder, TypeName) and isinstance(holder.type, NamedType):
                found = self.variant(holder.type, name)
            if found is not None:
                return Denotation(found.refs, found.value, IMPORT_RULE)
        return None

    def fits(self, unit: DeclaredUnit, row: int, space: int) -> bool:
        """Whether a definition is in one of some spaces of names."""
        kind = unit.kind[row]
        if kind == FUNCTION_DEFINITION:
            return bool(space & MACRO_NAMES) if unit.flags[row] & MACRO else bool(space & VALUES)
        if kind == CLASS_DEFINITION and space & VALUES and unit.body[row] < 0:
            return True
        if kind in _TYPE_KINDS:
            return bool(space & TYPES)
        return kind in _VALUE_KINDS and bool(space & VALUES)

    def variant(self, value: NamedType, name: str) -> Denotation | None:
        """A variant of an enum."""
        unit = self._types.unit(value.file)
        if unit.kind[value.row] != ENUM_DEFINITION or unit.body[value.row] < 0:
            return None
        rows = [
            row for row in unit.members(unit.body[value.row]).get(name, ()) if unit.kind[row] == ENUM_MEMBER_DEFINITION
        ]
        if not rows:
            return None
        refs = tuple([DefinitionRef(unit.file, row) for row in rows])
        made = self._types.row_value(unit, rows[0])
        return Denotation(
            refs, substituted(made, self._types.arguments_of(value)) if value.arguments else made, MEMBER_RULE
        )

    # paths

    def entered(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What stands before `::`. `row`: without the mark that it is entered."""
        if row < 0:
            return None
        table = unit.expressions
        if table.kind[row] == NAME_EXPRESSION:
            word = unit.strings[table.a[row]]
            if word in ("crate", "$crate"):
                return self.crate(unit.file)
            if word in ("self", "super"):
                own = ModuleBody(unit.file, self.module_scope(unit, table.b[row]))
                return own if word == "self" else self.above(own)
        found = self.path_found(unit, row, TYPES)
        return None if found is None else found.value

    def path_found(self, unit: DeclaredUnit, row: int, space: int) -> Denotation | None:
        """What a path means in one of some spaces of names."""
        if row < 0:
            return None
        return self._types.guarded(("path", unit.file, row, space), lambda: self._path_found(unit, row, space), None)

    def _path_found(self, unit: DeclaredUnit, row: int, space: int) -> Denotation | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            return self.plain(unit, table.b[row], unit.strings[table.a[row]], table.c[row], space)
        if kind == MEMBER_EXPRESSION:
            base = table.a[row]
            if table.kind[base] != ENTER_EXPRESSION:
                return None
            return self.below(unit, table.a[base], unit.strings[table.b[row]], space)
        if kind == SUBSCRIPT_EXPRESSION and table.kind[table.a[row]] != LITERAL_EXPRESSION:
            found = self.path_found(unit, table.a[row], space)
            return None if found is None else self._with_arguments(unit, found, table.b[row])
        if kind == MODULE_EXPRESSION:
            name = unit.strings[table.a[row]]
            value = self.crate_named(unit.file, name) or Outside(name)
            return self.module_found(value)
        if kind in (SUBSCRIPT_EXPRESSION, TUPLE_EXPRESSION, LITERAL_EXPRESSION):
            type_ = self._types.denote(unit, row)
            return None if type_ is None else Denotation((), TypeName(type_), MEMBER_RULE)
        return None

    def module_found(self, value: Value) -> Denotation:
        """A crate or module by its value."""
        if isinstance(value, ModuleBody):
            return Denotation((self.module_ref(value),), value, IMPORT_RULE)
        dotted = value.dotted if isinstance(value, Outside) else ""
        return Denotation((External(dotted),), value, EXTERNAL_RULE)

    def module_ref(self, module: ModuleBody) -> DefinitionRef:
        """Where a module begins: its file, or its name in one."""
        owner = self._types.unit(module.file).scope_owner[module.scope] if module.scope else -1
        return DefinitionRef(module.file, owner)

    def plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int, space: int) -> Denotation | None:
        """A plain name: scopes, the module, other crates, the prelude."""
        if name == "Self":
            return self.self_found(unit, scope)
        found = self.lookup(unit, scope, name, offset, space)
        if found is not None:
            return found
        if space & TYPES:
            other = self.crate_named(unit.file, name)
            if other is not None:
                return self.module_found(other)
        if space & MACRO_NAMES:
            return self.macro(unit, name)
        dotted = PRELUDE_TYPES.get(name, "")
        if not dotted and name in PRIMITIVES:
            dotted = BUILTIN + name
        if dotted:
            return Denotation((External(dotted),), Outside(dotted), BUILTIN_RULE)
        package = self.package(unit.file)
        if space & TYPES and package is not None and package.edition == "2015":
            root = self.crate(unit.file)
            return self.item(self._types.unit(root.file), 0, name, space)
        return None

    def below(self, unit: DeclaredUnit, row: int, name: str, space: int) -> Denotation | None:
        """What a name below a path means; modules of one name, of which a condition chooses, all have a say."""
        holder = self.entered(unit, row)
        found = self.within(holder, name, space, unit)
        if not isinstance(holder, ModuleBody) or not holder.scope:
            return found
        there = self._types.unit(holder.file)
        owner = there.scope_owner[holder.scope]
        rows = there.members(there.scope[owner]).get(there.text(owner), ()) if owner >= 0 else ()
        for other in rows:
            if other != owner and there.kind[other] == NAMESPACE_DEFINITION and there.body[other] >= 0:
                more = self.item(there, there.body[other], name, space)
                if more is not None:
                    refs = (*found.refs, *more.refs) if found is not None else more.refs
                    found = Denotation(
                        tuple(dict.fromkeys(refs)), more.value if found is None else found.value, more.rule
                    )
        return found

    def within(self, holder: Value | None, name: str, space: int, unit: DeclaredUnit) -> Denotation | None:
        """What a name in a module, or of a type, means."""
        if holder is None:
            return None
        if isinstance(holder, ModuleBody):
            if name == "super":
                above = self.above(holder)
                return None if above is None else self.module_found(above)
            if name == "self":
                return self.module_found(holder)
            found = self.item(self._types.unit(holder.file), holder.scope, name, space)
            if found is None and space & MACRO_NAMES and holder.scope == 0:
                return self.exported_macro(holder.file, name)
            return found
        if isinstance(holder, TypeName):
            return self._of_type(holder.type, name, space)
        if isinstance(holder, Outside):
            dotted = f"{holder.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted, holder.arguments), EXTERNAL_RULE)
        return None

    def self_found(self, unit: DeclaredUnit, scope: int) -> Denotation | None:
        """What `Self` means."""
        at = scope
        while at > 0:
            owner = unit.scope_owner[at]
            kind = unit.kind[owner] if owner >= 0 else -1
            if kind == TYPE_PARAMETER_DEFINITION and unit.text(owner).startswith(IMPL):
                type_ = self._types.denote(unit, unit.type[owner])
                return None if type_ is None else Denotation(self.refs_of(type_), TypeName(type_), LOCAL_RULE)
            if kind == INTERFACE_DEFINITION:
                return Denotation((DefinitionRef(unit.file, owner),), TypeName(Variable(unit.file, owner)), LOCAL_RULE)
            if kind in (CLASS_DEFINITION, ENUM_DEFINITION):
                type_ = self.type_itself(unit, owner)
                return Denotation((DefinitionRef(unit.file, owner),), TypeName(type_), LOCAL_RULE)
            at = unit.scope_parent[at]
        return None

    def type_itself(self, unit: DeclaredUnit, row: int) -> NamedType:
        """A type with its own parameters as arguments."""
        own = unit.type_parameters(row)
        return NamedType(unit.file, row, tuple([Variable(unit.file, one) for one in own]))

    def refs_of(self, type_: Value) -> tuple[DefinitionRef | External, ...]:
        """Where a type is declared."""
        if isinstance(type_, (NamedType, Variable)):
            return (DefinitionRef(type_.file, type_.row),)
        return (External(type_.dotted),) if isinstance(type_, Outside) else ()

    def _with_arguments(self, unit: DeclaredUnit, found: Denotation, listed: int) -> Denotation:
        """A type or function with type arguments."""
        arguments = tuple([self._types.denote(unit, part) for part in unit.list_at(listed)])
        value = found.value
        ref = found.refs[0] if found.refs else None
        if isinstance(ref, DefinitionRef) and ref.row >= 0:
            other = self._types.unit(ref.file)
            if other.kind[ref.row] == TYPE_ALIAS_DEFINITION and isinstance(value, TypeName):
                given = {
                    (ref.file, row): one for row, one in zip(other.type_parameters(ref.row), arguments, strict=False)
                }
                return Denotation(found.refs, substituted(value, given), found.rule)
        if isinstance(value, TypeName) and isinstance(value.type, NamedType):
            made = TypeName(NamedType(value.type.file, value.type.row, arguments))
            return Denotation(found.refs, made, found.rule)
        if isinstance(value, Outside):
            return Denotation(found.refs, Outside(value.dotted, arguments), found.rule)
        return found

    # macros

    def macro(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """A macro by its plain name: of the modules around, of any file of the crate, of the standard library."""
        module: ModuleBody | None = ModuleBody(unit.file, 0)
        steps = 0
        while module is not None and steps < _MAX_ABOVE:
            steps += 1
            there = self._types.unit(module.file)
            rows = self._macro_rows(there, name)
            if rows:
                return self._macro_found(module.file, rows[-1:])
            module = self.parent(module.file)
        found = self.exported_macro(unit.file, name)
        if found is not None:
            return found
        if name in MACROS:
            return Denotation((External(f"std.{name}"),), None, BUILTIN_RULE)
        return None

    def exported_macro(self, file: FilePath, name: str) -> Denotation | None:
        """The macro of one name in the files of a package, where there is just one."""
        found: list[tuple[FilePath, int]] = []
        package, world = self.package(file), self._types.world
        folder = package.folder if package is not None else ""
        for other in world.defining(macro_key(name)):  # of thousands of others none is read
            if folder in world.name_of(other).packages:
                found += [(other, row) for row in self._macro_rows(self._types.unit(other), name)]
        if len(found) > 1:
            found = [one for one in found if self._types.unit(one[0]).flags[one[1]] & EXPORTED_FLAG] or found
        if not found or any(one[0] != found[0][0] for one in found):
            return None
        return self._macro_found(found[0][0], [row for _, row in found])

    def _macro_rows(self, unit: DeclaredUnit, name: str) -> list[int]:
        found = [row for row in unit.members(0).get(name, ()) if self.fits(unit, row, MACRO_NAMES)]
        if not found and unit.own and name in unit.strings:  # one in a block or in a module in braces
            number = unit.strings.index(name)
            rows = (row for row, other in enumerate(unit.name) if other == number)
            found = [row for row in rows if self.fits(unit, row, MACRO_NAMES)]
        return found

    def _macro_found(self, file: FilePath, rows: Sequence[int]) -> Denotation:
        return Denotation(tuple([DefinitionRef(file, row) for row in rows]), None, LOCAL_RULE)

    # types

    def variant_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """A variant: an instance of its enum, or a function that gives one."""
        owner = unit.scope_owner[unit.scope[row]]
        if owner < 0:
            return None
        if unit.type[row] >= 0:
            return Functions(unit.file, (row,))
        return self.type_itself(unit, owner)

    def module_of(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The module that a definition declares."""
        if unit.body[row] >= 0:
            return ModuleBody(unit.file, unit.body[row])
        file = self.module_file(unit, row)
        return None if file is None else ModuleBody(file, 0)

    def as_variant(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """`E::V { ... }` is an instance of `E`."""
        found = self.path_found(unit, row, VALUES)
        ref = found.refs[0] if found is not None and found.refs else None
        if not isinstance(ref, DefinitionRef) or ref.row < 0:
            return None
        other = self._types.unit(ref.file)
        if other.kind[ref.row] != ENUM_MEMBER_DEFINITION:
            return None
        owner = other.scope_owner[other.scope[ref.row]]
        return Denotation((ref,), TypeName(self.type_itself(other, owner)), MEMBER_RULE) if owner >= 0 else None

    def implementations(self, file: FilePath) -> Iterator[int]:
        """Rows of a file that stand for implementations."""
        unit = self._types.unit(file)
        for row, kind in enumerate(unit.kind):
            if kind == TYPE_PARAMETER_DEFINITION and unit.scope[row] == 0 and unit.text(row).startswith(IMPL):
                yield row


def type_of(value: Value | None) -> Value | None:
    """The type that a name of a type stands for."""
    if isinstance(value, TypeName):
        return value.type
    return value if isinstance(value, Outside) else None
