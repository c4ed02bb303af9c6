"""Inference: what names and members mean in Go.

Owns: packages of several files, imports, the universe, methods and embedding.
Must not know: how occurrences become links, other languages.
Invariant: what two files of a package declare under one name is answered as two; nobody guesses which one is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ImportFlag
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
    Anonymous,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    TypeName,
    Value,
    Variable,
    mentions_workspace,
    substituted,
)
from graphls.languages.extract.kinds import (
    DEFAULTED_FLAG,
    FIELD_DEFINITION,
    IMPORT_DEFINITION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
)
from graphls.languages.go.modules import folder_of
from graphls.languages.go.types.standard import given_back, handed_out
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

UNIVERSE: Final = frozenset((
    "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
    "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "true",
    "false", "iota", "nil", "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make",
    "max", "min", "new", "panic", "print", "println", "real", "recover",
))  # fmt: skip
_SAME: Final = frozenset(("append", "min", "max"))
_MADE: Final = frozenset(("new", "make"))
_GENERIC: Final = frozenset(("slices", "maps", "iter", "sync", "sync/atomic", "cmp", "unique", "weak", "reflect"))
"""Packages of the standard library whose functions may give back what they are given."""
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_IMPORT: Final = int(DeclaredRule.IMPORT)
_INHERITED: Final = int(DeclaredRule.INHERITED)
_LOCAL: Final = int(DeclaredRule.LOCAL)
_MEMBER: Final = int(DeclaredRule.MEMBER)
_PACKAGE: Final = int(DeclaredRule.PACKAGE)
_STAR: Final = int(ImportFlag.STAR)
_MAX_EMBEDDING: Final = 8
MAX_EMBEDDED: Final = 64
"""Types embedded at one depth; a member of those behind them is not found."""
_TEST: Final = "_test"
TEST_FILE: Final = "_test.go"
_NOT_DECLARED: Final = frozenset({METHOD_DEFINITION, IMPORT_DEFINITION})
_IMPORTS: Final = frozenset({IMPORT_DEFINITION})


class GoInference(DeclaredInference):
    """What one file of Go and the packages that it imports denote."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._package_names: dict[str, str] = {}
        self._files: dict[tuple[str, str], tuple[FilePath, ...]] = {}
        self._declared: dict[tuple[str, str, str], tuple[DefinitionRef, ...]] = {}
        self._methods_of: dict[tuple[str, str, str], dict[str, list[DefinitionRef]]] = {}
        self._folders: dict[str, str | None] = {}
        self._of_tests: dict[str, bool] = {}
        self._imports: dict[FilePath, dict[str, Package]] = {}

    # packages

    def folder_files(self, folder: str) -> tuple[FilePath, ...]:
        """The files of a folder that the own file may see: its tests are built only with other tests of the folder."""
        files = self.world.package(folder)
        if self.sees_tests(folder):
            return files
        return tuple([file for file in files if not file.endswith(TEST_FILE)])

    def package_name(self, folder: str) -> str:
        """The name that the package in a folder gives itself; tests from outside of it have another."""
        known = self._package_names.get(folder)
        if known is None:
            known = self._package_names[folder] = self._name_of_package(folder)
        return known

    def _name_of_package(self, folder: str) -> str:
        """The name in the first file that has a plain one, else in the first: further files are not read."""
        first: str | None = None
        for file in self.folder_files(folder):
            name = self.clause(file)
            if name and not name.endswith(_TEST) and name != "documentation":
                return name
            first = name if first is None else first
        return first or ""

    def package_files(self, folder: str, clause: str) -> tuple[FilePath, ...]:
        """The files of a folder that are of one package."""
        key = (folder, clause)
        known = self._files.get(key)
        if known is None:
            known = tuple([file for file in self.folder_files(folder) if self.clause(file) == clause])
            self._files[key] = known
        return known

    def declared(self, folder: str, clause: str, name: str) -> tuple[DefinitionRef, ...]:
        """What a package declares under a name, the own file first."""
        key = (folder, clause, name)
        known = self._declared.get(key)
        if known is None:
            found: list[DefinitionRef] = []
            for file in self._defining(folder, clause, name):
                unit = self.unit(file)
                rows = unit.members(0).get(name, ())
                found += [DefinitionRef(file, row) for row in rows if unit.kind[row] not in _NOT_DECLARED]
            known = self._declared[key] = tuple(sorted(found, key=self._nearness))
        return known

    def _defining(self, folder: str, clause: str, name: str) -> list[FilePath]:
        """The files of a package that define a name: of thousands of others none is read."""
        files = [file for file in self.world.defining(name) if folder in self.world.name_of(file).packages]
        if files and not self.sees_tests(folder):
            files = [file for file in files if not file.endswith(TEST_FILE)]
        return [file for file in files if self.clause(file) == clause]

    def sees_tests(self, folder: str) -> bool:
        """Whether the own file may see tests of a folder: with them it is built, or nothing else is there."""
        if self.path.endswith(TEST_FILE) and self.path.rpartition("/")[0] == folder:
            return True
        known = self._of_tests.get(folder)
        if known is None:
            files = self.world.package(folder)
            known = self._of_tests[folder] = all(file.endswith(TEST_FILE) for file in files)
        return known

    def _nearness(self, ref: DefinitionRef) -> tuple[bool, bool, str]:
        """Of several, those of the own file stand first, then those that hold on every system."""
        stem = ref.file.rpartition("/")[2].rpartition(".")[0].removesuffix(_TEST)
        return ref.file != self.path, "_" in stem and stem.rpartition("_")[2] in _SYSTEMS, ref.file

    def folder(self, path: str) -> str | None:
        """The folder of the workspace that an import path means."""
        if path not in self._folders:
            self._folders[path] = folder_of(path, self.path, self.world)
        return self._folders[path]

    def package_at(self, path: str) -> Package:
        """What an import path means."""
        return Package(self.folder(path), path)

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Imports of the file, declarations of its package, dot imports, the universe."""
        for row in unit.members_of(0, name, _IMPORTS):
            value = self.row_value(unit, row)
            if isinstance(value, Package) and self._is_named(value, unit, row, name):
                return Denotation((DefinitionRef(unit.file, row),), value, _IMPORT)
        folder, clause = unit.file.rpartition("/")[0], self.clause(unit.file)
        refs = self.declared(folder, clause, name)
        if refs:
            return self._found(refs, _LOCAL if refs[0].file == unit.file else _PACKAGE)
        package = self._imported(unit).get(name)
        if package is not None:
            return Denotation((), package, _IMPORT)
        return self._dotted(unit, name)

    def _is_named(self, package: Package, unit: DeclaredUnit, row: int, name: str) -> bool:
        """Whether the package of an import that gives it no name has this one, as far as that is known."""
        if package.name is None or not unit.flags[row] & DEFAULTED_FLAG:
            return True
        own = self.package_name(package.name)
        return own in ("", name) or own == "main"

    def _imported(self, unit: DeclaredUnit) -> dict[str, Package]:
        """Packages of the workspace that an import gives no name, by the names that they have."""
        known = self._imports.get(unit.file)
        if known is None:
            known = self._imports[unit.file] = {}
            for row, kind in enumerate(unit.kind):
                value = self.row_value(unit, row) if kind == IMPORT_DEFINITION else None
                if not isinstance(value, Package) or value.name is None:
                    continue
                if unit.flags[row] & DEFAULTED_FLAG:
                    known.setdefault(self.package_name(value.name), value)
        return known

    def _dotted(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        outside = ""
        if unit.file == self.path:
            table, strings = self.facts.imports, self.facts.strings
            for module, flags in zip(table.module, table.flags, strict=True):
                if flags & _STAR:
                    folder = self.folder(strings[module])
                    if folder is None:
                        outside = strings[module]
                        continue
                    refs = self.declared(folder, self.package_name(folder), name)
                    if refs:
                        return self._found(refs, _IMPORT)
        if name in UNIVERSE:
            return Denotation((External(BUILTIN + name),), Outside(BUILTIN + name), _BUILTIN)
        if outside:
            return Denotation((External(f"{outside}.{name}"),), Outside(f"{outside}.{name}"), _EXTERNAL)
        return None

    def _found(self, refs: Sequence[DefinitionRef], rule: int) -> Denotation:
        first = refs[0]
        return Denotation(tuple(refs), self.row_value(self.unit(first.file), first.row), rule)

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The package that an import binds."""
        value = unit.value[row]
        return self.package_at(unit.strings[unit.expressions.a[value]]) if value >= 0 else None

    # members

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a package."""
        found = super().member(value, name)
        given = handed_out(value, name) if isinstance(value, Outside) and value.arguments else None
        return Denotation(found.refs, given, found.rule) if found is not None and given is not None else found

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A declaration of a package, or a field or method of a type, its embedded ones too."""
        if isinstance(holder, Package):
            return self._package_member(holder, name)
        if isinstance(holder, TypeName):
            holder = holder.type
        level: list[Value] = [holder]
        seen: set[Value] = set()
        outside: Outside | None = None
        for depth in range(_MAX_EMBEDDING):
            known = [value for value in level if value not in seen]
            seen.update(known)
            for value in known:
                if isinstance(value, Outside):
                    outside = outside or value
                    continue
                found = self._own_member(value, name)
                if found is not None:
                    return found if depth == 0 else Denotation(found.refs, found.value, _INHERITED)
            level = [one for value in known if not isinstance(value, Outside) for one in self._embedded(value)]
            del level[MAX_EMBEDDED:]
            if not level:
                break
        return None if outside is None else self.member(outside, name)

    def _package_member(self, package: Package, name: str) -> Denotation | None:
        if package.name is None:
            dotted = f"{package.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted), _EXTERNAL)
        refs = self.declared(package.name, self.package_name(package.name), name)
        return self._found(refs, _IMPORT) if refs else None

    def _own_member(self, value: Value, name: str) -> Denotation | None:
        """A member that a type declares itself."""
        if isinstance(value, Variable):
            unit = self.unit(value.file)
            bound = self.denote(unit, unit.type[value.row])
            return None if bound is None or isinstance(bound, Variable) else self.member(bound, name)
        if isinstance(value, NamedType):
            method = self._method(value, name)
            if method is not None:
                return method
            inner = self.underlying(value)
            if isinstance(inner, NamedType):
                return self._in_scope(inner, inner.file, self.unit(inner.file).body[inner.row], name)
            return self._own_member(inner, name) if isinstance(inner, Anonymous) else None
        if isinstance(value, Anonymous):
            return self._in_scope(None, value.file, value.scope, name)
        return None

    def _in_scope(self, holder: NamedType | None, file: FilePath, scope: int, name: str) -> Denotation | None:
        unit = self.unit(file)
        rows = unit.members(scope).get(name, ()) if scope >= 0 else ()
        if not rows:
            return None
        value = self.row_value(unit, rows[0])
        if holder is not None and holder.arguments:
            value = substituted(value, self.arguments_of(holder))
        return Denotation((DefinitionRef(file, rows[0]),), value, _MEMBER)

    def _method(self, value: NamedType, name: str) -> Denotation | None:
        """A method that a file of the package declares for a type."""
        holder = self.unit(value.file)
        if holder.scope[value.row] != 0:
            return None
        own = holder.text(value.row)
        folder, clause = value.file.rpartition("/")[0], self.clause(value.file)
        refs = self._methods_named(folder, clause, name).get(own)
        if not refs:
            return None
        first = refs[0]
        own_rows = self.unit(first.file).type_parameters(first.row) if value.arguments else ()
        given = tuple((first.file, row, type_) for row, type_ in zip(own_rows, value.arguments, strict=False))
        return Denotation(tuple(refs), Functions(first.file, (first.row,), given), _MEMBER)

    def _methods_named(self, folder: str, clause: str, name: str) -> Mapping[str, Sequence[DefinitionRef]]:
        """The methods of one name that a package declares, by the name of their type: a name that many types have is
        looked through once."""
        key = (folder, clause, name)
        known = self._methods_of.get(key)
        if known is None:
            known = self._methods_of[key] = {}
            for file in self._defining(folder, clause, name):
                unit = self.unit(file)
                for row in unit.members(0).get(name, ()):
                    if unit.kind[row] == METHOD_DEFINITION:
                        known.setdefault(receiver(unit, row), []).append(DefinitionRef(file, row))
            for refs in known.values():
                refs.sort(key=self._nearness)
        return known

    def _embedded(self, value: Value) -> Sequence[Value]:
        nothing: Sequence[Value] = ()
        return self.guarded(("embedded", value), lambda: self._types_embedded(value)[:MAX_EMBEDDED], nothing)

    def _types_embedded(self, value: Value) -> list[Value]:
        """The types that a type embeds."""
        inner = self.underlying(value)
        if isinstance(inner, NamedType):
            unit = self.unit(inner.file)
            types = [self.denote(unit, base) for base, _ in unit.bases(inner.row)]
            given = self.arguments_of(inner) if inner.arguments else {}
            return [one for type_ in types if (one := substituted(type_, given)) is not None]
        if isinstance(inner, Outside) and inner is not value:
            return []
        if isinstance(inner, Anonymous):
            unit = self.unit(inner.file)
            rows = [row for rows in unit.members(inner.scope).values() for row in rows]
            return [
                type_
                for row in rows
                if unit.kind[row] == FIELD_DEFINITION and (type_ := self._embedded_type(unit, row)) is not None
            ]
        return []

    def _embedded_type(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The type of a field whose name is that of its type."""
        table, type_ = unit.expressions, unit.type[row]
        if type_ < 0 or table.kind[type_] != NAME_EXPRESSION or unit.strings[table.a[type_]] != unit.text(row):
            return None
        return self.denote(unit, type_)

    # calls of what is outside

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """Built-in functions; others give what is outside too, unless they may give back what they are given."""
        package, _, name = callee.dotted.rpartition(".")
        first = arguments[0] if arguments else None
        if package == BUILTIN[:-1]:
            if name in _MADE:  # of a type, or of a value (`new("name")`)
                return first.type if isinstance(first, TypeName) else first
            return first if name in _SAME else Outside(callee.dotted)
        if callee.arguments:
            return None
        if package in _GENERIC:
            given = given_back(callee.dotted, arguments, self.element(first), self.key(first))
            if given is not None:
                return given
        third = "." in package.partition("/")[0]
        if (third or package in _GENERIC) and any(map(mentions_workspace, arguments)):
            return None
        return Outside(f"{package}.{UNKNOWN_LAST}")


def receiver(unit: DeclaredUnit, row: int) -> str:
    """The name of the type that a method is declared for."""
    type_ = unit.type[row]
    table = unit.expressions
    return unit.strings[table.a[type_]] if type_ >= 0 and table.kind[type_] == NAME_EXPRESSION else ""


_SYSTEMS: Final = frozenset((
    "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd", "plan9",
    "solaris", "wasip1", "windows", "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle",
    "ppc64", "ppc64le", "riscv64", "s390x", "wasm", "unix", "other", "posix",
))  # fmt: skip
