"""Names: scopes, imports and modules.

Owns: Python's rules of lexical lookup, import following, star imports, submodules.
Must not know: classes' members, types.
Invariant: the same question has the same answer whatever was asked before (see `Guard.guarded`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS, MAX_CANDIDATES
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    COMPREHENSION_SCOPE,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    IMPORT_DEFINITION,
    LAMBDA_SCOPE,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
)
from graphls.languages.python.standard_names import STANDARD
from graphls.languages.python.syntax.stub_names import stub_name
from graphls.languages.python.types import flags
from graphls.languages.python.types.builtin_names import BUILTIN_NAMES
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import PyNamespace
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module
from graphls.languages.resolve.units import is_library

_NO_STARS: Mapping[str, Sequence[int]] = {}
SINGLE: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, CLASS_DEFINITION, IMPORT_DEFINITION})
"""Each binding of such a kind stands for itself, also where a name is bound several times."""

_LOCAL_SCOPES: Final = frozenset({FUNCTION_SCOPE, LAMBDA_SCOPE, COMPREHENSION_SCOPE})


@final
class PyNameLookup:
    """Lexical lookup and imports."""

    def __init__(self, context: PyContext) -> None:
        self._context = context

    def lookup(self, unit: PyUnit, scope: int, name: str, use: int = -1) -> tuple[int, ...]:
        """Rows a name may be bound by, seen from a scope; empty when no scope of the file binds it.

        `use`: offset of the use (own file only): bindings that no path leads from are left out.
        """
        found = unit.found.get((scope, name))
        if found is None:
            found = unit.found[scope, name] = self._lexical(unit, scope, name)
        if use < 0 or not unit.own or not found:
            return found
        holder = unit.scope[found[0]]
        if holder != scope:
            return found
        in_class = unit.scope_kind[scope] == CLASS_SCOPE
        if len(found) == 1 and not in_class:
            return found
        led = (
            self._context.flow.paths(found, use)
            if len(found) <= MAX_BINDINGS
            else self._context.flow.nearest(found, use)
        )
        if led is None:
            return found
        if led:
            return led
        if in_class:
            return self.lookup(unit, unit.scope_parent[scope], name)
        return found

    def anywhere(self, unit: PyUnit, scope: int, name: str) -> bool:
        """Whether a name means the same at every place of a scope, so that one answer serves all."""
        found = unit.found.get((scope, name))
        if found is None:
            found = unit.found[scope, name] = self._lexical(unit, scope, name)
        if not found or unit.scope[found[0]] != scope:
            return True
        return len(found) == 1 and unit.scope_kind[scope] != CLASS_SCOPE

    def _lexical(self, unit: PyUnit, scope: int, name: str) -> tuple[int, ...]:
        inner = False
        while scope >= 0:
            kind = unit.scope_kind[scope]
            if not (inner and kind == CLASS_SCOPE):
                rows = unit.members(scope).get(name)
                if rows:
                    return rows
            inner = inner or kind in _LOCAL_SCOPES
            scope = unit.scope_parent[scope]
        return ()

    def name_answer(self, unit: PyUnit, scope: int, name: str, use: int = -1) -> DefinitionRefs:
        """What a plain name means: definitions (imports followed), or something built in."""
        rows = self.lookup(unit, scope, name, use)
        if rows:
            return self.followed(unit, rows)
        stars = self._star_members(unit, name)
        if stars:
            return stars
        return (External(f"builtins.{name}"),) if name in BUILTIN_NAMES else ()

    def followed(self, unit: PyUnit, rows: Sequence[int]) -> DefinitionRefs:
        """Definitions behind rows: imports lead to what they name, anything else to itself."""
        if unit.library:
            return self._followed_outside(unit, rows)
        if len(rows) == 1 and unit.kind[rows[0]] != IMPORT_DEFINITION:
            return (DefinitionRef(unit.file, rows[0]),)
        if len(rows) > MAX_BINDINGS:
            key = ("crowd", unit.file, unit.scope[rows[0]], unit.name[rows[0]], len(rows))
            return self._context.guarded(key, lambda: self._followed_crowd(unit, rows), ())
        found: dict[DefinitionRef | External, None] = {}
        rebound = flags.AUGMENTED | flags.GLOBAL
        for row in [row for row in rows if not unit.flags[row] & rebound] or rows:
            if unit.kind[row] == IMPORT_DEFINITION:
                found.update(dict.fromkeys(self.imported(unit, row)))
            else:
                found[DefinitionRef(unit.file, row)] = None
        return tuple(found)

    def _followed_crowd(self, unit: PyUnit, rows: Sequence[int]) -> DefinitionRefs:
        """One binding for each thing that bindings of a name stand for; one more than may be meant where they are
        more."""
        found: dict[DefinitionRef | External, None] = {}
        variable = False
        for row in rows:
            kind = unit.kind[row]
            if kind == IMPORT_DEFINITION:
                found.update(dict.fromkeys(self.imported(unit, row)))
            elif kind in SINGLE or not variable:
                found[DefinitionRef(unit.file, row)] = None
                variable = variable or kind not in SINGLE
            if len(found) > MAX_CANDIDATES:
                break
        return tuple(found)[: MAX_CANDIDATES + 1]

    def _followed_outside(self, unit: PyUnit, rows: Sequence[int]) -> DefinitionRefs:
        """In a library what a module shows is known by its dotted name; the rest are parameters and type variables."""
        found: dict[DefinitionRef | External, None] = {}
        for row in rows:
            if unit.kind[row] == IMPORT_DEFINITION:
                found.update(dict.fromkeys(self.imported(unit, row)))
            elif unit.scope[row] == 0:
                found[External(f"{self._context.world.name_of(unit.file).dotted}.{unit.text(row)}")] = None
            else:
                found[DefinitionRef(unit.file, row)] = None
        return tuple(found)

    def imported(self, unit: PyUnit, row: int) -> DefinitionRefs:
        """What an import binding stands for."""
        return self._context.guard(unit.file).guarded(("import", unit.file, row), lambda: self._imported(unit, row), ())

    def _imported(self, unit: PyUnit, row: int) -> DefinitionRefs:
        value = unit.value[row]
        if value < 0:
            return ()
        kind, a, b = unit.expressions.kind[value], unit.expressions.a[value], unit.expressions.b[value]
        if kind == MODULE_EXPRESSION:
            return module_refs(self.module_at(unit, unit.strings[a], b))
        if kind != MEMBER_EXPRESSION or unit.expressions.kind[a] != MODULE_EXPRESSION:
            return ()
        module = self.module_at(unit, unit.strings[unit.expressions.a[a]], unit.expressions.b[a])
        return self.module_member(module, unit.strings[b]) if module else ()

    def absolute(self, unit: PyUnit, dotted: str, level: int) -> str | None:
        """The full name of a module spelled with leading dots; None when they lead out of the root."""
        if level == 0:
            return dotted
        name = self._context.world.name_of(unit.file)
        parts = name.dotted.split(".") if name.dotted else []
        drop = level - 1 if name.package else level
        if drop > len(parts):
            return None
        parent_parts = parts[: len(parts) - drop] if drop else parts
        return ".".join([*parent_parts, dotted] if dotted else parent_parts)

    def module_at(self, unit: PyUnit, dotted: str, level: int) -> Module | PyNamespace | External | None:
        """The module a file means by a name; None when it should be in the workspace and is not."""
        absolute = self.absolute(unit, dotted, level)
        if not absolute:
            return None
        return self.module_named(absolute, unit.file, level > 0)

    def module_named(
        self, dotted: str, importer: FilePath, relative: bool = False
    ) -> Module | PyNamespace | External | None:
        """The module of an absolute name."""
        if is_library(importer):
            return External(dotted)
        file = self._context.world.module(dotted, importer)
        if file is not None:
            return Module(file)
        top = dotted.partition(".")[0]
        if self._context.world.namespace(dotted, importer):
            # A folder without a file of its own comes after all modules of Python, wherever it lies.
            return External(dotted) if top in STANDARD and not relative else PyNamespace(dotted)
        if relative:
            return None
        if top == dotted or not self._context.world.module(top, importer):
            beside = self._sibling_module(dotted, importer)
            if beside is not None:
                return Module(beside)
            if top == dotted or not self._context.world.namespace(top, importer) or self._is_outside(top, importer):
                return External(dotted)
        return None

    def _sibling_module(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The module of a script's own folder, where nothing else has the name: there scripts find it."""
        own = self._context.world.name_of(importer)
        folder = own.dotted.rpartition(".")[0]
        top = dotted.partition(".")[0]
        if own.package or not folder or top in STANDARD or not self._context.world.namespace(folder, importer):
            return None
        found = self._context.world.module(f"{folder}.{dotted}", importer)
        return None if found is None or found == importer or self._is_installed(top) else found

    def _is_installed(self, top: str) -> bool:
        """Whether a library has the module: a folder without a file of its own comes after it."""
        return top in STANDARD or self._context.world.library(top) is not None

    def _is_outside(self, top: str, importer: FilePath) -> bool:
        """Whether what a folder without a file of its own lacks is of a library: of one that is installed, or of one
        whose name the folder of scripts around the importer has, as it shows that: `examples/gevent/tasks.py`."""
        if self._is_installed(top):
            return True
        own = self._context.world.name_of(importer)
        return not own.package and own.dotted.rpartition(".")[0] == top

    def module_member(self, module: Module | PyNamespace | External, name: str) -> DefinitionRefs:
        """What `module.name` means: an attribute first, else a submodule."""
        if isinstance(module, External):
            return (External(f"{module.dotted}.{name}"),)
        if isinstance(module, PyNamespace):
            dotted = f"{module.dotted}.{name}"
            found = self.module_named(dotted, self._context.path, relative=True)
            if found is None and self._is_outside(module.dotted.partition(".")[0], self._context.path):
                found = External(dotted)
            return module_refs(found)
        return self._context.guarded(("member", module.file, name), lambda: self._module_member(module.file, name), ())

    def _module_member(self, file: FilePath, name: str) -> DefinitionRefs:
        unit = self._context.unit(file)
        rows = unit.members(0).get(name)
        if rows and name != "*":
            found = self.followed(unit, rows)
            if found:
                return found
        stars = self._star_members(unit, name) or self._of_stub(file, name)
        if stars:
            return stars
        own = self._context.world.name_of(file)
        if own.package:
            dotted = f"{own.dotted}.{name}" if own.dotted else name
            return module_refs(self.module_named(dotted, file, relative=True))
        return ()

    def _of_stub(self, file: FilePath, name: str) -> DefinitionRefs:
        """What only the stub beside a module says."""
        stub = self.sibling_stub(file)
        return self.module_member(Module(stub), name) if stub is not None else ()

    def sibling_stub(self, file: FilePath) -> FilePath | None:
        """The stub of a module of the workspace, where it has both."""
        stem, _, ending = file.rpartition(".")
        if ending != "py" or is_library(file):
            return None
        found = self._context.world.module(stub_name(self._context.world.name_of(file).dotted), file)
        return found if found == f"{stem}.pyi" else None

    def _star_members(self, unit: PyUnit, name: str) -> DefinitionRefs:
        rows = unit.members(0).get("*")
        if not rows:
            return ()
        key = ("star", unit.file, name)
        return self._context.guarded(key, lambda: self._starred(unit, rows, name), ())

    def _starred(self, unit: PyUnit, rows: Sequence[int], name: str) -> DefinitionRefs:
        """Later star imports hide earlier ones."""
        for row in reversed(self._stars_with(unit, rows, name) if len(rows) > MAX_BINDINGS else rows):
            value = unit.value[row]
            if value < 0 or unit.expressions.kind[value] != MODULE_EXPRESSION:
                continue
            text, level = unit.strings[unit.expressions.a[value]], unit.expressions.b[value]
            module = self.module_at(unit, text, level)
            if isinstance(module, Module) and self.shows(self._context.unit(module.file), name):
                found = self.module_member(module, name)
                if found:
                    return found
        return ()

    def _stars_with(self, unit: PyUnit, rows: Sequence[int], name: str) -> Sequence[int]:
        """Of very many star imports those that may bring a name, in order."""
        key = ("stars", unit.file)
        index = self._context.guard(unit.file).guarded(key, lambda: self._stars_by_name(unit, rows), _NO_STARS)
        return sorted({*index.get(name, ()), *index.get("*", ())})

    def _stars_by_name(self, unit: PyUnit, rows: Sequence[int]) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for row in rows:
            value = unit.value[row]
            if value < 0 or unit.expressions.kind[value] != MODULE_EXPRESSION:
                continue
            module = self.module_at(unit, unit.strings[unit.expressions.a[value]], unit.expressions.b[value])
            if isinstance(module, Module):
                other = self._context.unit(module.file)
                exports = other.exports if not other.own else self.own_exports()
                for name in exports if exports is not None else other.members(0):
                    found.setdefault(name, []).append(row)
        return found

    def shows(self, unit: PyUnit, name: str) -> bool:
        """Whether a star import brings in a name."""
        exports = unit.exports if not unit.own else self.own_exports()
        if exports is not None:
            return name in exports
        if name.startswith("_"):
            return False
        return name in unit.members(0) or bool(unit.members(0).get("*"))

    def own_exports(self) -> tuple[str, ...] | None:
        """The export list of the own file, as its surface would show it."""
        occurrences, strings = self._context.facts.occurrences, self._context.facts.strings
        names = [
            strings[name] for name, role in zip(occurrences.name, occurrences.role, strict=True) if role == EXPORT_ROLE
        ]
        return tuple(names) or None


def module_refs(module: Module | PyNamespace | External | None) -> DefinitionRefs:
    """A module as an answer; a folder without a file has none."""
    if isinstance(module, Module):
        return (DefinitionRef(module.file, -1),)
    return (module,) if isinstance(module, External) else ()
