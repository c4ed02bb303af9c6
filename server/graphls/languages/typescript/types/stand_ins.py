"""Stand-ins: what in one file runs where a member is called that a type or a declaration file declares.

Owns: functions and members of what is given back for a declared result, of a script for the declaration file beside it.
Must not know: occurrences, rows of links.
Invariant: each pair is of a function of the own file and of what is declared to be it; a value that is not known to be
    given for a type stands for nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from graphls.facts.links import BY_SHAPE
from graphls.facts.paths import FilePath, enclosing_folders
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_SCOPE,
    FIELD_DEFINITION,
    FUNCTION_EXPRESSION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NAMESPACE_SCOPE,
    OBJECT_EXPRESSION,
    PROPERTY_DEFINITION,
    RETURN_RETURN,
    SUBSCRIPT_EXPRESSION,
    UNION_EXPRESSION,
)
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.typescript.modules import DECLARATIONS, FOLDER
from graphls.languages.typescript.types.declared_shapes import DeclaredShapes
from graphls.languages.typescript.types.inference import FUNCTIONS, TsTypeInference
from graphls.languages.typescript.types.names import ASSIGNED, SymbolMeaning
from graphls.languages.typescript.types.overloads import CALL, CONSTRUCT
from graphls.languages.typescript.types.types import SCRIPTS
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    TsClass,
    TsFunction,
    TsInstance,
    TsIntersection,
    TsObject,
    Value,
    Values,
)

_SCRIPTS: Final = ((".js", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts"), (".jsx", ".d.ts"))
_MOST: Final = 8
"""Values that are looked at for one result."""
_MEMBERS: Final = frozenset((METHOD_DEFINITION, FIELD_DEFINITION, PROPERTY_DEFINITION))

_OWN: Final = frozenset((NAME_EXPRESSION, FUNCTION_EXPRESSION, SUBSCRIPT_EXPRESSION, UNION_EXPRESSION))
StandIn = tuple[int, DefinitionRef]
"""A row of the own file, and what it stands for."""
_IMPLEMENTS: Final = 1


class StandIns:
    """Those of one file."""

    def __init__(self, types: TsTypeInference, promised: Collection[int]) -> None:
        """`promised`: members of types of the own file that members of literals stand for."""
        self._types = types
        self._promised = promised
        self._own = types.own
        self._done: set[tuple[Value, tuple[Value, ...]]] = set()
        self._package = self._entry_of_package() if self._own.file.endswith(SCRIPTS) else ("", ())

    def pairs(self) -> Sequence[tuple[StandIn, int]]:
        """All, each once, with how sure it is as `Overrides.edge` has it."""
        found = dict.fromkeys(self._of_shapes(), BY_SHAPE)
        found.update(dict.fromkeys(self._of_results(), _IMPLEMENTS))
        found.update(dict.fromkeys(self._of_declaration_file(), _IMPLEMENTS))
        found.update(dict.fromkeys(self._of_indexed_types(), _IMPLEMENTS))
        return list(found.items())

    # ---- types

    def _of_indexed_types(self) -> Iterator[StandIn]:
        """`const f: T["name"] = () => ...`."""
        own = self._own
        table = own.expressions
        for row, (kind, declared) in enumerate(zip(own.kind, own.type, strict=True)):
            if kind not in FUNCTIONS or own.operator(declared) != "[]":
                continue
            operands = own.operands(declared)
            index = operands[1] if len(operands) == 2 else -1
            if index >= 0 and table.kind[index] == LITERAL_EXPRESSION and table.b[index] >= 0:
                values = self._types.denote(own, operands[0])[:_MOST]
                yield from self._stands_for(row, own.strings[table.b[index]], values)

    # ---- results

    def _of_results(self) -> Iterator[StandIn]:
        """What functions give back for the result that they declare."""
        own, calls = self._own, self._types.calls
        for row, kind in enumerate(own.kind):
            rows = own.returns(row) if kind in FUNCTIONS else ()
            # Keys of a literal that is given back are uses of what the result declares.
            if any(self._may_be_own(one) for one, _ in rows[1:]) and calls.is_declared(own, row):
                results = self._parts(calls.returned(own, row))
                declared = [one for one in results if isinstance(one, (TsInstance, TsObject))]
                if declared:
                    yield from self._given(self._given_back(row), declared)

    def _given_back(self, row: int) -> Iterator[Value]:
        """The objects and functions of the own file that a function gives back, whatever it declares."""
        own, declared = self._own, self._types.calls.is_declared(self._own, row)
        kinds = own.expressions.kind
        for expression, kind in own.returns(row)[1 if declared else 0 :][:_MOST]:
            is_own = self._may_be_own(expression) or (expression >= 0 and kinds[expression] == OBJECT_EXPRESSION)
            if kind == RETURN_RETURN and is_own:
                yield from self._parts(self._types.infer(own, expression).values)

    def _may_be_own(self, expression: int) -> bool:
        """Whether an expression may give what the file itself declares; of a call a type that it stands for."""
        kind = self._own.expressions.kind[expression] if expression >= 0 else -1
        return kind in _OWN or (kind == CALL_EXPRESSION and bool(self._promised))

    def _parts(self, values: Values) -> Iterator[Value]:
        for value in values[:_MOST]:
            yield from value.parts if isinstance(value, TsIntersection) else (value,)

    def _given(self, given: Iterator[Value], declared: Sequence[Value]) -> Iterator[StandIn]:
        """What stands for types where values are given for these."""
        own = self._own
        for value in dict.fromkeys(given):
            if (value, tuple(declared)) in self._done:
                continue
            self._done.add((value, tuple(declared)))
            if isinstance(value, TsObject) and value.file == own.file:
                yield from self._members(value.scope, declared)
            elif isinstance(value, TsFunction) and value.file == own.file:
                for name in (CALL, CONSTRUCT):
                    yield from self._stands_for(value.row, name, declared)
                for scope in own.scopes_of(value.row, NAMESPACE_SCOPE):
                    yield from self._members(scope, declared)

    def _members(self, scope: int, declared: Sequence[Value]) -> Iterator[StandIn]:
        for name, rows in self._own.members(scope).items():
            for row in rows:
                function = self._function_of(row)
                if function >= 0:
                    yield from self._stands_for(function, name, declared)

    def _function_of(self, row: int) -> int:
        """The own function that a member is or passes on, the member if it holds another file's; -1 for data."""
        own = self._own
        if own.kind[row] in FUNCTIONS or own.kind[row] == PROPERTY_DEFINITION or row in self._promised:
            return row
        value = own.value[row]
        if own.kind[row] not in _MEMBERS or value < 0:
            return -1
        if own.expressions.kind[value] == FUNCTION_EXPRESSION:
            return own.expressions.a[value]
        for one in self._types.infer(own, value).values[:1]:
            if isinstance(one, TsFunction):
                # What a function of another file is given as stands for it: flow tells what the member holds.
                return one.row if one.file == own.file else row
        return -1

    def _stands_for(self, row: int, name: str, declared: Sequence[Value]) -> Iterator[StandIn]:
        for type_ in declared:
            for entry in self._types.hierarchy.find(type_, name):
                for ref in entry.answer:
                    if isinstance(ref, DefinitionRef) and ref.row >= 0 and (ref.file, ref.row) != (self._own.file, row):
                        yield row, ref

    # ---- declaration files

    def _of_shapes(self) -> Iterator[StandIn]:
        """Members of classes of a script, for those of what the declaration files of its package call the same."""
        shapes = DeclaredShapes(self._types)
        for row, declared in shapes.matches(self._package[0]) if self._package_entry() is not None else ():
            instance = (TsInstance(declared.file, declared.row),)
            unit = self._types.context.unit(declared.file)
            for scope in self._own.scopes_of(row, CLASS_SCOPE):
                for own, ref in self._members(scope, instance):
                    # A constructor runs for its own class, not for one above that.
                    is_own = ref.file == declared.file and unit.scope_owner[unit.scope[ref.row]] == declared.row
                    if is_own or self._own.text(own) != "constructor":
                        yield own, ref

    def _of_declaration_file(self) -> Iterator[StandIn]:
        """What a script gives, for what the declaration file beside it or of its package says that it gives."""
        file = self._declaration_file()
        if file is None:
            return
        own, other, names = self._own, self._types.context.unit(file), self._types.names
        exports = tuple(own.members(own.export_scope)) if own.export_scope >= 0 else ()
        for name in dict.fromkeys((*exports, *own.members(0))):
            wanted = (ASSIGNED, "default") if name == ASSIGNED else (name,)
            given = [ref for one in wanted for ref in names.module_member(own.file, one, SymbolMeaning.VALUE)]
            rows = [
                ref.row for ref in given if isinstance(ref, DefinitionRef) and ref.file == own.file and ref.row >= 0
            ]
            declared = [ref for one in wanted for ref in names.module_member(file, one, SymbolMeaning.VALUE)]
            for ref in declared if rows else ():
                if isinstance(ref, DefinitionRef) and ref.row >= 0:
                    yield from self._of_declared(
                        rows[0], other if ref.file == file else self._types.context.unit(ref.file), ref
                    )

    def _of_declared(self, row: int, unit: TsUnit, ref: DefinitionRef) -> Iterator[StandIn]:
        own, calls = self._own, self._types.calls
        function = self._function_of(row) if own.kind[row] not in FUNCTIONS else row
        if function >= 0 and unit.kind[ref.row] in FUNCTIONS:
            yield function, ref
            declared = [one for one in self._parts(calls.returned(unit, ref.row)) if isinstance(one, TsInstance)]
            yield from self._given(self._given_back(function), declared) if declared else ()
            return
        declared_values = self._types.value_of(unit, ref.row).values
        types = [one for one in self._parts(declared_values) if isinstance(one, (TsInstance, TsClass))]
        if types:
            yield from self._given(self._parts(self._types.value_of(own, row).values), types)

    def _declaration_file(self) -> FilePath | None:
        """The declaration file beside a script, or that of the package whose entry it is."""
        own, context = self._own.file, self._types.context
        for ending, declared in _SCRIPTS:
            if own.endswith(ending):
                found = context.world.module(own[: -len(ending)] + declared, own)
                return found or self._of_package(own)
        return None

    def _of_package(self, own: FilePath) -> FilePath | None:
        is_entry = any(target in (own, own.rpartition(".")[0]) for target in self._package[1])
        return self._package_entry() if is_entry else None

    def _package_entry(self) -> FilePath | None:
        """The declaration file of the package that the own file is in."""
        folder, targets = self._package
        if not targets:
            return None
        found = self._types.context.modules().find(".", FilePath(f"{folder}/x.js" if folder else "x.js"))
        return found if found is not None and found.endswith(DECLARATIONS) else None

    def _entry_of_package(self) -> tuple[str, Sequence[str]]:
        """The folder of the package that the own file is in, and the files that its manifest says to be its entry."""
        own = self._own.file
        for near in enclosing_folders(own.rpartition("/")[0]):
            entries = self._types.context.world.aliases(FOLDER + near, own)
            for entry in entries:
                pattern, *targets = entry.split("\t")
                if pattern == ".":
                    return near, targets
            if entries:
                break
        return "", ()
