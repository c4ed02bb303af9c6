"""Implicit calls: the methods that constructs of one Python file run without naming them.

Owns: constructs and the types of their operands to methods of the workspace.
Must not know: rows of links, edges.
Invariant: a construct has no answer whose operand's class is not known. Where the class inherits the method from a
library, what that runs of the class is possible, never certain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

from graphls.facts.kinds import Resolution
from graphls.facts.paths import FilePath
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CALL_ROLE,
    CLASS_DEFINITION,
    PROPERTY_DEFINITION,
    READ_ROLE,
    TEXT_ROLE,
)
from graphls.languages.python.special_methods import (
    CALL,
    DECORATOR,
    HASHING,
    INHERITED,
    MISSING,
    ORDERINGS,
    RAISE,
    methods_of,
    methods_of_key,
    next_method,
    reflected_methods,
)
from graphls.languages.python.types.inference import PyTypeInference
from graphls.languages.python.types.inner_functions import InnerFunctions, as_inference
from graphls.languages.python.types.template_methods import TemplateMethods
from graphls.languages.python.types.values import (
    NO_INFERENCE,
    NOTHING,
    PyClass,
    PyExternalInstance,
    PyFunction,
    PyInference,
    PyInstance,
    PyRule,
    Value,
    solid,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External, Module, ResolvedOccurrence
from graphls.languages.resolve.units import is_library

_MEMBER: Final = int(Resolution.MEMBER)
_INFERRED: Final = int(Resolution.INFERRED)
_AFTER_MAKING: Final = ("__post_init__", "__attrs_post_init__", "model_post_init")
"""Of data classes, attrs and pydantic."""
_OF_MISSING: Final = (MISSING,)
_COMPARED: Final = 70
_POSSIBLE: Final = 60
_GUESSED: Final = frozenset({PyRule.LOCAL, PyRule.GLOBAL})
_READING: Final = frozenset((READ_ROLE, TEXT_ROLE))
_CALLS: Final = frozenset({CALL, RAISE, DECORATOR})
_METHODS: TypeAlias = tuple[str, ...]


class ImplicitCalls:
    """Methods that run for the constructs of one file."""

    def __init__(self, types: PyTypeInference) -> None:
        self._types = types
        self._known: dict[tuple[PyInference, _METHODS], ResolvedOccurrence | None] = {}
        self._wrapped: dict[int, Sequence[ResolvedOccurrence]] = {}
        """Answers, by identity (`_known` holds them) -> with what runs around them."""
        self._inner = InnerFunctions(types)
        self._templates = TemplateMethods(types)
        self._inherited: dict[tuple[PyInference, str, bool], Sequence[ResolvedOccurrence]] = {}
        self._spelled = frozenset(types.own.strings)
        self._handed: Set[str] | None = None
        """Names of what the file hands on as a value."""

    def of_constructs(
        self, inside: Collection[int] | None, paced: Callable[[Iterable[int]], Iterable[int]] | None = None
    ) -> Iterator[tuple[int, ResolvedOccurrence]]:
        """Rows of constructs and what they run. `inside`: only of constructs that these definitions own."""
        types, strings = self._types, self._types.own.strings
        table = types.context.facts.constructs
        if inside is not None and not inside:
            return
        owners = table.owner.tolist()
        kinds, names, operands, others = (
            table.kind.tolist(), table.name.tolist(), table.operand.tolist(), table.other.tolist()
        )  # fmt: skip
        rows = range(len(kinds))
        for row in rows if paced is None else paced(rows):
            kind = kinds[row]
            if inside is not None and owners[row] not in inside:
                continue
            name = strings[names[row]] if names[row] >= 0 else ""
            operand = operands[row]
            found, before = False, NO_INFERENCE
            if operand >= 0:
                if kind in _CALLS:
                    yield from ((row, outcome) for outcome in self._of_value(kind, operand, owners[row]))
                    continue
                before = types.infer(types.own, operand) if kind != INHERITED else self._inheriting(operand, name)
                for methods in methods_of(kind, name):
                    outcome = self._run(before, tuple(methods))
                    if outcome is not None:
                        found = True
                        yield from ((row, one) for one in self.with_wrappers(outcome))
                after = next_method(kind, name) if found else ""
                for outcome in self._next(before, after) if after else ():
                    yield row, outcome
            if not found and others[row] >= 0:
                yield from ((row, one) for one in self._of_other(kind, name, before, others[row]))

    def _of_other(self, kind: int, name: str, before: PyInference, other: int) -> Iterator[ResolvedOccurrence]:
        """What runs of a key that is looked for in what was `before`, or of the right side of an operator."""
        keyed = methods_of_key(kind)
        if keyed and not _hashes(before):
            return
        for methods in keyed or reflected_methods(name):
            outcome = self._run(self._types.infer(self._types.own, other), tuple(methods))
            for one in self.with_wrappers(outcome) if outcome is not None else ():
                # Keys are compared only where their hashes are the same.
                only = min(one.confidence, _COMPARED) if "__eq__" in methods and keyed else one.confidence
                yield one if only == one.confidence else ResolvedOccurrence(one.targets, _INFERRED, only, one.rule)

    def with_wrappers(self, outcome: ResolvedOccurrence) -> Sequence[ResolvedOccurrence]:
        """Methods that run, and what their decorators put around them. Equal questions have one answer."""
        known = self._wrapped.get(id(outcome))
        if known is None:
            known = self._wrapped[id(outcome)] = (outcome, *self.in_place_of(outcome))
        return known

    def _inheriting(self, operand: int, name: str) -> PyInference:
        """Those of an operand's values whose classes inherit a method of this name from an abstract container."""
        before = self._types.infer(self._types.own, operand)
        kept = tuple(value for value in before.values if self._inherits(solid(value), name))
        return PyInference(kept, before.rule, before.sure and len(kept) == len(before.values), before.partial)

    def _inherits(self, value: Value, name: str) -> bool:
        if not isinstance(value, PyInstance) or is_library(value.file):
            return False
        return self._templates.is_mixed_in(PyClass(value.file, value.row), name)

    def _of_value(self, kind: int, operand: int, owner: int) -> Iterator[ResolvedOccurrence]:
        """What runs where a value is called, raised, or put above a definition."""
        if kind == DECORATOR:
            yield from self._of_decorator(operand, owner)
            return
        before = self._types.infer(self._types.own, operand)
        if kind == RAISE:
            yield from self.of_raise(before)
            return
        yield from self.of_call(before)
        yield from self._functions(self._inner.functions_of(self._types.own, operand))

    def of_hook(self, before: PyInference, name: str) -> ResolvedOccurrence | None:
        """What reading, writing or deleting a member of a value runs: a hook of its class, by name; where a module has
        no such member, its own `__getattr__`."""
        modules = [value for value in before.values if isinstance(value, Module)] if name == MISSING else ()
        if not modules:
            return self._run(before, (name,))
        members = (ref for module in modules for ref in self._types.names.module_member(module, name))
        found = {ref: None for ref in members if isinstance(ref, DefinitionRef) and not is_library(ref.file)}
        return self._outcome(before, found, outside=False) if found else None

    def _of_inherited(self, before: PyInference, name: str, *, read: bool) -> Sequence[ResolvedOccurrence]:
        """What calling a member, or `read`ing a property, runs of the object's class, where the member is inherited
        from a library. Whether that gets there nobody knows."""
        key = before, name, read
        known = self._inherited.get(key)
        if known is None:
            refs = dict.fromkeys(
                ref for value in before.values for ref in self._templates.run_by(value, name, read=read)
            )
            known = self._inherited[key] = [self._by_library(ref, before.rule) for ref in refs]
        return known

    def of_member(self, base: int, role: int, name: str, meant: ResolvedOccurrence) -> Sequence[ResolvedOccurrence]:
        """What a use of a member runs of the object's class: a call, or a read that leads outside."""
        is_call = role == CALL_ROLE
        if not is_call and (role != READ_ROLE or not any(isinstance(one, External) for one in meant.targets)):
            return ()
        return self._of_inherited(self._types.infer(self._types.own, base), name, read=not is_call)

    def is_property(self, outcome: ResolvedOccurrence) -> bool:
        """Whether what runs is a property: no call names it."""
        ref = outcome.targets[0]
        if isinstance(ref, External) or ref.row < 0:
            return False
        return self._types.context.unit(ref.file).kind[ref.row] == PROPERTY_DEFINITION

    def _by_library(self, ref: DefinitionRef, rule: int) -> ResolvedOccurrence:
        return ResolvedOccurrence((ref,), _INFERRED, _POSSIBLE, int(rule))

    def of_call(self, before: PyInference, *, named: bool = False) -> Sequence[ResolvedOccurrence]:
        """What calling a value runs: `__call__` of its class; of a class that is held, its constructor; where a plain
        name holds it (`named`), the function that it is."""
        outcomes = [self._run(before, tuple(methods)) for methods in methods_of(CALL, "")]
        held = self._held_functions(before) if named else None
        return [outcome for outcome in (*outcomes, self._made(before), held) if outcome is not None]

    def _held_functions(self, before: PyInference) -> ResolvedOccurrence | None:
        """The functions of the workspace that a value may be. Only of files that hand them on, but for those that the
        function around them gives back: a question about these follows the names of that."""
        found: dict[DefinitionRef, None] = {}
        for value in map(solid, before.values):
            if isinstance(value, PyFunction) and not is_library(value.file):
                ref = self._types.library.outward(DefinitionRef(value.file, value.row))
                if not isinstance(ref, External) and (self._is_handed_on(ref) or self._inner.is_given_back(value)):
                    found[ref] = None
        return self._outcome(before, found, outside=False) if found else None

    def in_place_of(self, called: ResolvedOccurrence) -> Sequence[ResolvedOccurrence]:
        """What calling functions and classes by their names runs in their place: what decorators put around them, and
        `__call__` of their metaclass."""
        refs = [ref for ref in called.targets if isinstance(ref, DefinitionRef) and ref.row >= 0]
        return [
            ResolvedOccurrence(one.targets, one.resolution, min(one.confidence, called.confidence), one.rule)
            for ref in refs
            for one in self._in_place_of(ref)
        ]

    def _in_place_of(self, ref: DefinitionRef) -> Iterator[ResolvedOccurrence]:
        if self._types.context.unit(ref.file).kind[ref.row] != CLASS_DEFINITION:
            yield from self._around(PyFunction(ref.file, ref.row))
            return
        called = self._run(PyInference((PyClass(ref.file, ref.row),), PyRule.CONSTRUCTED), ("__call__",))
        if called is not None:
            yield called
        for one in self._templates.run_by(PyInstance(ref.file, ref.row), "__init__"):
            yield self._by_library(one, PyRule.CONSTRUCTED)
        yield from self._at_end(PyInstance(ref.file, ref.row))
        after = self._after_making(PyInstance(ref.file, ref.row))
        if after is not None:
            yield after

    def _at_end(self, made: PyInstance) -> Iterator[ResolvedOccurrence]:
        """`__del__`, which runs where nothing holds the object any more: most often in what made it."""
        ended = self._run(PyInference((made,), PyRule.CONSTRUCTED), ("__del__",))
        if ended is not None:
            yield ResolvedOccurrence(ended.targets, _INFERRED, _POSSIBLE, ended.rule)

    def _after_making(self, made: PyInstance) -> ResolvedOccurrence | None:
        """What a constructor runs at its end that a decorator or a base wrote, as of a data class."""
        classes = self._types.classes
        written = classes.class_member(made, "__init__")
        if written is not None and not is_library(written.holder.file):
            return None
        if not any(map(self._may_write_methods, classes.order(PyClass(made.file, made.row)))):
            return None
        return self._run(PyInference((made,), PyRule.CONSTRUCTED), _AFTER_MAKING)

    def _may_write_methods(self, entry: PyClass | External) -> bool:
        """Whether a class is below a decorator, or is a library's: these write constructors."""
        if isinstance(entry, External) or is_library(entry.file):
            return self._types.classes.entry_name(entry) != "builtins.object"
        return bool(self._types.context.unit(entry.file).decorators(entry.row))

    def _around(self, function: PyFunction) -> Iterator[ResolvedOccurrence]:
        for wrappers in self._inner.wrappers(function):
            yield from self._functions(wrappers)

    def _of_decorator(self, operand: int, owner: int) -> Iterator[ResolvedOccurrence]:
        """What applying a decorator runs, and making it. In a function or class that is all its code; elsewhere the
        definition that is decorated speaks for what the decorator names."""
        types = self._types
        table = types.own.expressions
        is_inside = owner >= 0
        called = table.kind[operand] == CALL_EXPRESSION
        if called:
            making = self._inner.functions_of(types.own, table.a[operand])
            if is_inside:
                yield from self._functions(making)
                yield from self.of_call(types.infer(types.own, table.a[operand]))
            for function in making:
                yield from self._around(function)
        if called or is_inside:
            yield from self._functions(self._inner.functions_of(types.own, operand))
            yield from self.of_call(types.infer(types.own, operand))

    def _functions(self, functions: Sequence[PyFunction]) -> Sequence[ResolvedOccurrence]:
        if not functions:
            return ()
        refs = (self._types.library.outward(DefinitionRef(one.file, one.row)) for one in functions)
        found = {ref: None for ref in refs if not isinstance(ref, External)}
        return (self._outcome(as_inference(functions), found, outside=False),) if found else ()

    def of_raise(self, before: PyInference) -> Sequence[ResolvedOccurrence]:
        """What raising a value runs: of a class its constructor."""
        made = self._made(before)
        return () if made is None else (made,)

    def _made(self, before: PyInference) -> ResolvedOccurrence | None:
        """The classes of the workspace that a value may be; the objects that it makes may be of one below these. Only
        of files that spell the class: a question about it looks at no others.
        """
        found: dict[DefinitionRef, None] = {}
        for value in map(solid, before.values):
            if isinstance(value, PyClass) and not is_library(value.file):
                ref = self._types.library.outward(DefinitionRef(value.file, value.row))
                if not isinstance(ref, External) and self._is_spelled(ref):
                    found[ref] = None
        return self._outcome(before, found, outside=False) if found else None

    def _run(self, before: PyInference, methods: _METHODS) -> ResolvedOccurrence | None:
        if not before.values:
            return None
        key = (before, methods)
        if key not in self._known:
            self._known[key] = self._found(before, methods)
        return self._known[key]

    def _found(self, before: PyInference, methods: _METHODS) -> ResolvedOccurrence | None:
        found: dict[DefinitionRef, None] = {}
        behind: dict[DefinitionRef, None] = {}
        # A member that is there at run time, as `setattr` gives one, is found without its hook.
        outside = methods == _OF_MISSING
        for value in before.values:
            holder = self._class_of(value)
            # A library's object or a plain function runs what that has: which of them it is nobody knows.
            outside = outside or (holder is None and solid(value) != NOTHING)
            for name in methods if holder is not None else ():
                member = self._types.classes.class_member(holder, name) if holder is not None else None
                if member is None or member.crowded:
                    continue
                # What a protocol declares is what runs of others.
                outside = outside or bool(member.outside) or self._types.classes.is_protocol(member.holder)
                own = list(self._own_methods(member.holder.file, member.rows))
                found.update(dict.fromkeys(own))
                if not own and holder is not None:
                    behind.update(dict.fromkeys(self._templates.run_by(holder, name)))
                break
            else:
                behind.update(dict.fromkeys(self._ordering(holder, methods)))
        if found:
            return self._outcome(before, found, outside=outside)
        return ResolvedOccurrence(tuple(behind), _INFERRED, _POSSIBLE, int(before.rule)) if behind else None

    def _own_methods(self, file: FilePath, rows: Iterable[int]) -> Iterator[DefinitionRef]:
        for row in rows:
            ref = self._types.library.outward(DefinitionRef(file, row))
            if not isinstance(ref, External) and not is_library(ref.file):
                yield ref

    def _ordering(self, holder: PyInstance | PyClass | None, methods: _METHODS) -> Iterator[DefinitionRef]:
        """What a comparison runs that `functools.total_ordering` wrote: the first that the class has, and `__eq__`."""
        written = not set(ORDERINGS).isdisjoint(methods) and isinstance(holder, PyInstance) and self._is_ordered(holder)
        if not written or holder is None:
            return
        classes = self._types.classes
        root = next((name for name in ORDERINGS if classes.class_member(holder, name) is not None), None)
        for name in () if root is None else (root, "__eq__"):
            member = classes.class_member(holder, name)
            if member is not None and not member.crowded:
                yield from self._own_methods(member.holder.file, member.rows)

    def _is_ordered(self, made: PyInstance) -> bool:
        """Whether a class, or one above it, is below the decorator that writes comparisons."""
        classes = self._types.classes.order(PyClass(made.file, made.row))
        own = (entry for entry in classes if not isinstance(entry, External) and not is_library(entry.file))
        names = (name for entry in own for _, name in self._types.context.unit(entry.file).decorators(entry.row))
        return "total_ordering" in names

    def _outcome(
        self, before: PyInference, found: Mapping[DefinitionRef, None], *, outside: bool
    ) -> ResolvedOccurrence:
        decided = before.sure and not before.partial and before.rule not in _GUESSED and not outside
        confidence = 95 if decided else 70 if outside else 80
        return ResolvedOccurrence(tuple(found), _MEMBER if decided else _INFERRED, confidence, int(before.rule))

    def _is_spelled(self, ref: DefinitionRef) -> bool:
        types = self._types
        return ref.file == types.own.file or types.context.unit(ref.file).text(ref.row) in self._spelled

    def _is_handed_on(self, ref: DefinitionRef) -> bool:
        if self._handed is None:
            self._handed = self._names_handed_on()
        return self._types.context.unit(ref.file).text(ref.row) in self._handed

    def _names_handed_on(self) -> Set[str]:
        facts, strings = self._types.context.facts, self._types.own.strings
        uses, table, imports = facts.occurrences, facts.definitions, facts.imports
        read = {name for name, role in zip(uses.name, uses.role, strict=True) if role in _READING}
        read.update(table.name[row] for row in facts.decorators.definition)
        # What an import calls otherwise is read under that name.
        read.update(
            name
            for name, row in zip(imports.name, imports.definition, strict=True)
            if row >= 0 and name >= 0 and table.name[row] in read
        )
        return {strings[number] for number in read}

    def _class_of(self, value: Value) -> PyInstance | PyClass | None:
        """Where special methods of a value are looked for: never in the value itself."""
        value = solid(value)
        if value == NOTHING:
            return None
        if isinstance(value, PyInstance):
            return None if is_library(value.file) else value
        if isinstance(value, PyClass):
            return self._types.classes.metaclass(value)
        return None

    def _next(self, before: PyInference, name: str) -> Iterator[ResolvedOccurrence]:
        """What an iterator that a method of the workspace gives back runs for each element."""
        types = self._types
        first = "__aiter__" if name == "__anext__" else "__iter__"
        for value in map(solid, before.values):
            member = types.classes.class_member(value, first) if isinstance(value, PyInstance) else None
            if member is None or member.crowded or not isinstance(value, PyInstance):
                continue
            for row in member.rows:
                outcome = self._run(types.calls.returned(types.context.unit(member.holder.file), row, value), (name,))
                if outcome is not None:
                    yield outcome


def _hashes(container: PyInference) -> bool:
    """Whether what is looked for in a container is hashed."""
    values = map(solid, container.values)
    return any(isinstance(value, PyExternalInstance) and value.dotted in HASHING for value in values)
