"""Inference: what names and members mean in Incan.

Owns: imports, modules, built-in names, members with their traits and what newtypes stand on.
Must not know: how occurrences become links, other languages.
Invariant: a name that a module of the workspace does not declare is answered with nothing, never with an equal name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage
from graphls.languages.declared.values import (
    Composite,
    DeclaredRule,
    Denotation,
    ModuleBody,
    NamedType,
    Outside,
    Several,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    ENUM_MEMBER_DEFINITION,
    IMPORT_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    OPERATION_EXPRESSION,
    PROPERTY_DEFINITION,
)
from graphls.languages.incan.modules import LIBRARIES, file_of
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

BUILTINS: Final = frozenset((
    "int", "float", "bool", "str", "bytes", "decimal", "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64",
    "u128", "f32", "f64", "usize", "isize", "char", "any", "Any", "object",
    "List", "Dict", "Set", "Tuple", "list", "dict", "set", "tuple", "frozenset", "FrozenList", "FrozenDict",
    "FrozenSet", "FrozenStr", "FrozenBytes", "Vec", "HashMap", "HashSet", "Box", "Arc", "Rc", "Option", "Result",
    "Some", "Ok", "Err", "Callable", "Type", "ValueError", "ValidationError", "TypeError", "KeyError", "IndexError",
    "AssertionError", "NotImplementedError", "ZeroDivisionError", "OverflowError", "RuntimeError", "StopIteration",
    "Iterator", "Iterable", "Generator", "Union", "Self", "Error", "Exception", "Unit",
    "print", "println", "len", "range", "enumerate", "zip", "sorted", "reversed", "sum", "min", "max", "abs", "round",
    "map", "filter", "any", "all", "input", "type", "repr", "hash", "isinstance", "sleep", "panic", "read_file",
    "write_file", "json_stringify", "dbg", "format", "divmod", "pow", "derive", "staticmethod", "classmethod",
    "requires", "rust", "route", "test", "fixture", "skip", "parametrize", "xfail",
    "Debug", "Display", "Clone", "Copy", "Eq", "PartialEq", "Ord", "PartialOrd", "Hash", "Default", "Serialize",
    "Deserialize", "Validate", "Send", "Sync", "Static", "Sized",
))  # fmt: skip
DERIVED: Final = frozenset((
    "clone", "copy", "value", "name", "to_json", "from_json", "to_dict", "from_dict", "to_string", "eq", "hash",
    "default", "validate", "from_value", "from_underlying", "unwrap", "unwrap_or", "expect", "is_some", "is_none",
    "is_ok", "is_err", "map", "map_err", "ok_or", "as_ref", "into",
))  # fmt: skip
"""Members that derives, and the language itself, give to types."""
_KEEPING: Final = frozenset(("clone", "copy", "as_ref"))
PAYLOAD: Final = "payload"
_LISTS: Final = frozenset(("[]", "=>", "{}", "()"))
_SAME: Final = frozenset(("sorted", "reversed", "list", "set", "round", "abs"))
_FIRST: Final = frozenset(("min", "max", "sum"))
_LOCAL: Final = int(DeclaredRule.LOCAL)
_IMPORT: Final = int(DeclaredRule.IMPORT)
_MEMBER: Final = int(DeclaredRule.MEMBER)
_INHERITED: Final = int(DeclaredRule.INHERITED)
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_WRAPPERS: Final = frozenset(("Box", "Arc", "Rc"))


class IncanInference(DeclaredInference):
    """What one file of Incan and the modules that it imports denote."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._files: dict[tuple[str, FilePath], FilePath | None] = {}

    # modules

    def file(self, module: str, importer: FilePath) -> FilePath | None:
        """The file of a module, as an importer means it."""
        key = (module, importer)
        if key not in self._files:
            self._files[key] = file_of(module, importer, self.world)
        return self._files[key]

    def imported(self, module: str, importer: FilePath) -> Denotation | None:
        """What the text of an import means: a module, or behind `#` a name in it."""
        return self.guarded(("import", module, importer), lambda: self._imported(module, importer), None)

    def _imported(self, module: str, importer: FilePath) -> Denotation | None:
        holder, _, name = module.partition("#")
        if not name:
            return self._whole(holder, importer)
        file = self.file(holder, importer)
        if file is not None:
            found = self.declared(file, name)
            if found is not None:
                return Denotation(found.refs, found.value, _IMPORT)
        inner = self.file(f"{holder}/{name}", importer)
        if inner is not None:
            return self._module(inner)
        return None if file is not None else self._outside(f"{holder}/{name}")

    def _whole(self, module: str, importer: FilePath) -> Denotation | None:
        file = self.file(module, importer)
        if file is not None:
            return self._module(file)
        holder, _, name = module.rpartition("/")
        around = self.file(holder, importer) if holder else None
        if around is not None:
            return self.declared(around, name)
        return self._outside(module)

    def _module(self, file: FilePath) -> Denotation:
        return Denotation((DefinitionRef(file, -1),), ModuleBody(file, 0), _IMPORT)

    def _outside(self, module: str) -> Denotation | None:
        if module.startswith((".", "crate")):
            return None  # a module of the project that is not there
        dotted = module.removeprefix(LIBRARIES).replace("/", ".")
        return Denotation((External(dotted),), Outside(dotted), _EXTERNAL)

    def declared(self, file: FilePath, name: str) -> Denotation | None:
        """What a module declares under a name, or gives on."""
        unit = self.unit(file)
        rows = unit.members(0).get(name, ())
        if not rows:
            return None
        row = rows[-1]
        if unit.kind[row] == IMPORT_DEFINITION:
            return self._import_of(unit, row)
        return Denotation((DefinitionRef(file, row),), self.row_value(unit, row), _LOCAL)

    def _import_of(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        value = unit.value[row]
        if value < 0 or unit.expressions.kind[value] != MODULE_EXPRESSION:
            return None
        return self.imported(unit.strings[unit.expressions.a[value]], unit.file)

    # what a language says

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Declarations of the file, its imports, what is built in."""
        found = self.declared(unit.file, name)
        if found is not None or unit.members(0).get(name):
            return found
        if name in BUILTINS:
            return Denotation((External(BUILTIN + name),), Outside(BUILTIN + name), _BUILTIN)
        return None

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What the binding of an import stands for."""
        found = self._import_of(unit, row)
        return None if found is None else found.value

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A name of a module, or a member of a type, of its traits, of what it extends or stands on."""
        if isinstance(holder, ModuleBody):
            return self._module_member(holder.file, name)
        if isinstance(holder, TypeName):
            holder = holder.type
        if isinstance(holder, Outside):
            return self.member(holder, name)
        for at, one in enumerate(lineage(holder, self._supers)):
            if isinstance(one, Outside):
                return self.member(one, name)
            found = self._own_member(one, name)
            if found is not None:
                return found if at == 0 else Denotation(found.refs, found.value, _INHERITED)
        if name in DERIVED:
            value = Composite("func", (Several(()), holder)) if name in _KEEPING else None
            return Denotation((External(f"{BUILTIN}object.{name}"),), value, _BUILTIN)
        return None

    def _module_member(self, file: FilePath, name: str) -> Denotation | None:
        found = self.declared(file, name)
        if found is not None:
            return Denotation(found.refs, found.value, _IMPORT)
        folder = file.rpartition("/")[0]
        inner = self.file(name, file) if file.rpartition("/")[2].startswith(("mod.", "__init__.", "lib.")) else None
        return self._module(inner) if inner is not None and inner.startswith(folder) else None

    def _own_member(self, holder: Value, name: str) -> Denotation | None:
        body = self.body_of(holder)
        if body is None or body[1] < 0:
            return None
        unit, scope = body
        rows = unit.members(scope).get(name, ())
        if not rows:
            return None
        row = rows[-1]
        value = self.row_value(unit, row)
        if isinstance(holder, NamedType) and holder.arguments:
            value = substituted(value, self.arguments_of(holder))
        return Denotation((DefinitionRef(unit.file, row),), value, _MEMBER)

    def _supers(self, value: Value) -> list[Value]:
        """The types directly above one."""
        if isinstance(value, Variable):
            unit = self.unit(value.file)
            bound = self.denote(unit, unit.type[value.row])
            return [] if bound is None else [bound]
        if not isinstance(value, NamedType):
            return []
        unit = self.unit(value.file)
        found = [type_ for base, _ in unit.bases(value.row) if (type_ := self.denote(unit, base)) is not None]
        known: list[Value] = [one for one in found if not isinstance(one, Outside)]
        if unit.value[value.row] >= 0:
            below = self.denote(unit, unit.value[value.row])
            known += [below] if below is not None else []
        return known

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind == PROPERTY_DEFINITION:
            return self.denote(unit, unit.type[row])
        if kind == ENUM_MEMBER_DEFINITION:
            return self.infer(unit, unit.value[row])
        return super()._row_value(unit, row, kind)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        is_payload = table.kind[row] == OPERATION_EXPRESSION and unit.strings[table.c[row]] == PAYLOAD
        return self._payload(unit, table.a[row], table.b[row]) if is_payload else super()._infer(unit, row)

    def _payload(self, unit: DeclaredUnit, name: int, position: int) -> Value | None:
        """What a pattern takes out of a variant; of a type that is one of several, the value itself."""
        table, found = unit.expressions, None
        if table.kind[name] == NAME_EXPRESSION:
            found = self.name(unit, table.b[name], unit.strings[table.a[name]], table.c[name])
        elif table.kind[name] == MEMBER_EXPRESSION:
            found = self.member(self.infer(unit, table.a[name]), unit.strings[table.b[name]])
        for ref in found.refs[:1] if found is not None else ():
            if not isinstance(ref, DefinitionRef) or ref.row < 0:
                return None
            other = self.unit(ref.file)
            if other.kind[ref.row] == ENUM_MEMBER_DEFINITION:
                fields = self.denote(other, other.type[ref.row])
                inside = fields.parts if isinstance(fields, Several) else ()
                return inside[position] if position < len(inside) else None
            value = found.value if found is not None else None
            if isinstance(value, TypeName) and isinstance(value.type, NamedType):
                below = other.value[ref.row]
                return value.type if below < 0 else self.denote(other, below)
        return None

    def traits(self, row: int) -> Sequence[Value]:
        """The types above a type of the own file."""
        return lineage(NamedType(self.path, row), self._supers)[1:]

    # calls of what is outside

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """Displays, and what is built in; others give what is outside too."""
        package, _, name = callee.dotted.rpartition(".")
        first = arguments[0] if arguments else None
        if package == BUILTIN[:-1]:
            return self._called_builtin(callee, name, first, arguments)
        if callee.arguments:
            return callee
        return Outside(f"{package}.{UNKNOWN_LAST}" if package else callee.dotted)

    def _called_builtin(
        self, callee: Outside, name: str, first: Value | None, arguments: Sequence[Value | None]
    ) -> Value | None:
        if name in _LISTS:
            return _displayed(name, first, arguments)
        if name in ("Some", "Ok"):
            return Outside(BUILTIN + ("Option" if name == "Some" else "Result"), (first, None)[: 1 + (name == "Ok")])
        if name == "Err":
            return Outside(BUILTIN + "Result", (None, first))
        if name in _WRAPPERS:
            return first
        if name in _SAME and first is not None:
            return first
        if name in _FIRST:
            return self.key(first)
        if name == "enumerate":
            return Outside(BUILTIN + "List", (Several((Outside(BUILTIN + "int"), self.key(first))),))
        if name == "zip":
            return Outside(BUILTIN + "List", (Several(tuple([self.key(one) for one in arguments])),))
        return Outside(callee.dotted) if name[:1].isupper() else Outside(f"{BUILTIN}{UNKNOWN_LAST}")


def _displayed(kind: str, first: Value | None, arguments: Sequence[Value | None]) -> Value:
    """The type of a display, by those of what it holds."""
    if kind == "[]":
        return Outside(BUILTIN + "List", (first,))
    if kind == "{}":
        return Outside(BUILTIN + "Dict", tuple(arguments))
    if kind == "()":
        return Several(tuple(arguments))
    return Composite("func", (Several(()), first))
