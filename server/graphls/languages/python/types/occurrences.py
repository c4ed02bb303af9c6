"""Occurrences: each occurrence of one Python file and what it means.

Owns: roles to questions, answers to targets with edge kind, resolution, confidence and rule.
Must not know: other languages, records, editors.
Invariant: `at` gives for a row exactly what `links` gives for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    EdgeKind,
    ImportFlag,
    Resolution,
    Role,
    UnresolvedReason,
)
from graphls.facts.links import OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    DECORATE_ROLE,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    IMPORT_ROLE,
    INHERIT_ROLE,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    MODULE_SCOPE,
    PARAMETER_DEFINITION,
    PATTERN_ROLE,
    PROPERTY_DEFINITION,
    READ_ROLE,
    SUBSCRIPT_EXPRESSION,
    TEXT_ROLE,
    TYPE_ROLE,
    WRITE_ROLE,
)
from graphls.languages.extract.yielding import release_entries
from graphls.languages.provider import World
from graphls.languages.python.special_methods import DELETING, MISSING, READING, WRITING
from graphls.languages.python.types import flags
from graphls.languages.python.types.implicit import ImplicitCalls
from graphls.languages.python.types.inference import PyTypeInference
from graphls.languages.python.types.names import SINGLE, module_refs
from graphls.languages.python.types.values import (
    NOTHING,
    PyClass,
    PyExternalInstance,
    PyFunction,
    PyInference,
    PyInstance,
    PyNamespace,
    PyRule,
    Value,
    join,
    solid,
)
from graphls.languages.resolve.link_numbers import LinkNumbers
from graphls.languages.resolve.structural_value import (
    DefinitionRef,
    DefinitionRefs,
    External,
    Module,
    ResolvedOccurrence,
    some_of_each,
)
from graphls.languages.resolve.units import is_library

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_DECIDED: Final = frozenset(
    {
        PyRule.RECEIVER,
        PyRule.SUPER,
        PyRule.CLASS_MEMBER,
        PyRule.MODULE_MEMBER,
        PyRule.ANNOTATED,
        PyRule.CONSTRUCTED,
        PyRule.GLOBAL,
    }
    | {PyRule.IMPORT, PyRule.NARROWED, PyRule.EXTERNAL, PyRule.LOCAL}
)
_CALL_EDGES: dict[int, int] = {
    CLASS_DEFINITION: int(EdgeKind.INSTANTIATES),
    FUNCTION_DEFINITION: int(EdgeKind.CALLS),
    METHOD_DEFINITION: int(EdgeKind.CALLS),
}
_ROLE_EDGES: dict[int, int] = {
    INHERIT_ROLE: int(EdgeKind.EXTENDS),
    DECORATE_ROLE: int(EdgeKind.DECORATES),
    TYPE_ROLE: int(EdgeKind.TYPE_REF),
    EXPORT_ROLE: int(EdgeKind.EXPORTS),
    PATTERN_ROLE: int(EdgeKind.MATCHES_PATTERN),
    KEYWORD_ROLE: int(EdgeKind.REFERENCES),
    TEXT_ROLE: int(EdgeKind.REFERENCES),
}
_MAX_PLACES: Final = 16
"""Bindings of one variable that are shown for a use."""
# Plain integers: looking up the member of an enumeration costs as much as resolving a plain name.
_LEXICAL: Final = int(Resolution.LEXICAL)
_IMPORT: Final = int(Resolution.IMPORT)
_MEMBER: Final = int(Resolution.MEMBER)
_INFERRED: Final = int(Resolution.INFERRED)
_BUILTIN: Final = int(PyRule.BUILTIN)
_EXTERNAL: Final = int(PyRule.EXTERNAL)
_GLOBAL: Final = int(PyRule.GLOBAL)
_IMPORTED: Final = int(PyRule.IMPORT)
_KEYWORD: Final = int(PyRule.KEYWORD)
_LOCAL: Final = int(PyRule.LOCAL)
_MODULE_MEMBER: Final = int(PyRule.MODULE_MEMBER)
_STARRED: Final = int(PyRule.STAR_IMPORT)
_CLASS_MEMBER: Final = int(PyRule.CLASS_MEMBER)
_CANDIDATES: Final = int(UnresolvedReason.CANDIDATES)
_DYNAMIC: Final = int(UnresolvedReason.DYNAMIC)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_MISSING_MODULE: Final = int(UnresolvedReason.MISSING_MODULE)
_OPAQUE_BASE: Final = int(UnresolvedReason.OPAQUE_BASE)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_OUTSIDE_PARAMETER: Final = int(UnresolvedReason.OUTSIDE_PARAMETER)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_ACCESSES: Final = int(EdgeKind.ACCESSES)
_CALLS: Final = int(EdgeKind.CALLS)
_INSTANTIATES: Final = int(EdgeKind.INSTANTIATES)
_IMPORTS: Final = int(EdgeKind.IMPORTS)
_REFERENCES: Final = int(EdgeKind.REFERENCES)
_EDGE: Final = 2
"""Place of the edge among the columns behind the occurrence."""
_RUNS: Final = frozenset((_CALLS, _INSTANTIATES))
_STAR: Final = int(ImportFlag.STAR)
_HOOKED: Final[Mapping[int, str]] = {WRITE_ROLE: WRITING, int(Role.DELETE): DELETING}
_READ: Final = frozenset((READ_ROLE, CALL_ROLE, IMPORT_ROLE))

_TargetColumns: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]


class PythonResolver:
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> None:
        self._path, self._facts = path, facts
        self._types = PyTypeInference(path, facts, world)
        self._numbers = LinkNumbers(path)
        uses = facts.occurrences
        # As lists: each row is read several times, and an array makes a number anew each time.
        self._starts: list[int] = uses.start.tolist()
        self._names: list[int] = uses.name.tolist()
        self._roles: list[int] = uses.role.tolist()
        self._scopes: list[int] = uses.scope.tolist()
        self._bases: list[int] = uses.base.tolist()
        self._bound_at = {start: row for row, start in enumerate(facts.definitions.start)}
        self._plain: dict[tuple[int, int, int], _TargetColumns] = {}
        self._members: dict[tuple[PyInference, str], ResolvedOccurrence] = {}
        self._target_columns_memo: dict[tuple[int, int], _TargetColumns] = {}
        self._live_outcomes: list[ResolvedOccurrence] = []
        self._module_parts = _module_parts(facts)
        self._shared: dict[tuple[int, int], DefinitionRef | None] = {}
        self._implicit = ImplicitCalls(self._types)
        self._decorated: dict[int, Sequence[ResolvedOccurrence]] = {}
        """Columns of an answer, by identity -> what calling that runs in its place."""
        self._reading: dict[tuple[PyInference, str], Sequence[ResolvedOccurrence]] = {}
        """Members of values that run something where they are read."""
        self._held: set[int] = set()
        """Calls by the name of a variable, or of a member that this file declares: what those hold is called."""

    def __del__(self) -> None:
        # Parts of the inference lead to each other: a garbage collection would come late.
        self._types.release()
        release_entries(self._plain, self._target_columns_memo)

    def links(self, paced: Callable[[Iterable[int]], Iterable[int]] | None = None) -> Links:
        """Every occurrence of the file, at the pace of whoever asks."""
        rows = range(len(self._roles))
        return self._links_for(rows if paced is None else paced(rows), everything=True, inside=None, paced=paced)

    def at(self, occurrences: Collection[int], frame: bool = False, constructs: bool = False) -> Links:
        """These rows of Occurrences only; `frame`: overrides and modules too; `constructs`: those of their owners."""
        owners = self._facts.occurrences.owner
        inside = frozenset(owners[row] for row in occurrences) if constructs else frozenset[int]()
        # Decorators of a definition are code of what is around it.
        around = self._facts.definitions.owner
        inside |= {around[owner] for owner in inside if owner >= 0}
        return self._links_for(sorted(occurrences), everything=frame, inside=inside)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have."""
        targets: list[int] = []
        rules: list[int] = []
        for row in sorted(occurrences):
            inference = self._value_at(row)
            refs = dict.fromkeys(ref for value in inference.values for ref in _type_refs(value))
            answer = tuple(map(self._types.library.outward, refs))
            outcome = ResolvedOccurrence(answer, _INFERRED, 100 if inference.sure else 70, inference.rule)
            for tail, rule in self._target_columns(outcome, self._roles[row]):
                targets.append(row)
                targets += tail
                rules.append(rule)
        return self._numbers.links(targets, rules)

    def _links_for(
        self,
        rows: Iterable[int],
        everything: bool,
        inside: Collection[int] | None,
        paced: Callable[[Iterable[int]], Iterable[int]] | None = None,
    ) -> Links:
        """`inside`: definitions whose constructs are looked at, None for all."""
        targets: list[int] = []
        rules: list[int] = []
        unresolved: list[int] = []
        called: list[int] = []
        replaced: list[tuple[int, ResolvedOccurrence]] = []
        bases, roles, names, scopes = self._bases, self._roles, self._names, self._scopes
        plain = self._plain
        strings = self._facts.strings
        for row in rows:
            tails: _TargetColumns | None = None
            base, role = bases[row], roles[row]
            if base < 0:
                tails = plain.get((scopes[row], names[row], role))
            if tails is None:
                outcome = self._resolve(row, base, role)
                if base >= 0:
                    self._note_member(row, strings[names[row]], outcome, called, replaced)
                if role == WRITE_ROLE and self._declares(row, outcome):
                    continue
                if not outcome.targets:
                    unresolved += (row, outcome.reason)
                    continue
                tails = self._target_columns(outcome, role)
                if not tails:
                    unresolved += (row, _CANDIDATES)
                    continue
                if base < 0 and self._types.names.anywhere(
                    self._types.own, scopes[row], self._facts.strings[names[row]]
                ):
                    plain[scopes[row], names[row], role] = tails
                if role == CALL_ROLE:
                    self._note_decorated(tails, outcome)
            if role == CALL_ROLE:
                self._note_call(row, tails, called, replaced)
            for tail, rule in tails:
                targets.append(row)
                targets += tail
                rules.append(rule)
        overrides = self._overrides(paced) if everything else []
        modules = self._modules() if everything else []
        implicit, implicit_rules = self._implicit_targets(called, replaced, inside, paced)
        return self._numbers.links(
            targets,
            rules,
            unresolved,
            overrides=overrides,
            modules=modules,
            implicit=implicit,
            implicit_rules=implicit_rules,
        )

    def _note_member(
        self, row: int, name: str, outcome: ResolvedOccurrence, called: list[int],
        replaced: list[tuple[int, ResolvedOccurrence]],
    ) -> None:  # fmt: skip
        """A use of a member: of the object's class, which is called, or that runs hooks of it."""
        base, role = self._bases[row], self._roles[row]
        if role == CALL_ROLE and name == "__class__":
            called.append(row)
        replaced += [(row, one) for one in self._implicit.of_member(base, role, name, outcome)]
        if self._reading or role in _HOOKED:
            replaced += [(row, one) for one in self._hooks(base, role, name)]

    def _note_decorated(self, tails: _TargetColumns, outcome: ResolvedOccurrence) -> None:
        """What calling an answer runs in its place, under the columns that equal answers share."""
        if id(tails) not in self._decorated:
            self._decorated[id(tails)] = self._implicit.in_place_of(outcome)

    def _note_call(
        self, row: int, tails: _TargetColumns, called: list[int], replaced: list[tuple[int, ResolvedOccurrence]]
    ) -> None:
        """A call by a name: of a function, in whose place others may run, or of what something holds."""
        edge = tails[0][0][_EDGE]
        if edge in (_CALLS, _INSTANTIATES):
            replaced += [(row, one) for one in self._decorated.get(id(tails), ())]
        elif edge == _ACCESSES:
            called.append(row)
            if self._bases[row] < 0 or any(tail[0] == OWN_FILE and tail[1] >= 0 for tail, _ in tails):
                self._held.add(row)

    def _implicit_targets(
        self,
        called: list[int],
        replaced: list[tuple[int, ResolvedOccurrence]],
        inside: Collection[int] | None,
        paced: Callable[[Iterable[int]], Iterable[int]] | None,
    ) -> tuple[list[int], list[int]]:
        """Methods that constructs run, with the rules. `called`: uses that call something held by a name; `replaced`:
        what runs in place of what uses call."""
        rows: list[int] = []
        rules: list[int] = []
        found = dict.fromkeys(self._implicit.of_constructs(inside, paced))
        first = len(self._facts.constructs)
        for row in called if paced is None else paced(called):
            outcomes = self._implicit.of_call(self._value_at(row), named=row in self._held)
            found.update(((first + row, one), None) for each in outcomes for one in self._implicit.with_wrappers(each))
        found.update(dict.fromkeys((first + row, one) for row, one in replaced))
        for row, outcome in found:
            for tail, rule in self._target_columns(outcome, CALL_ROLE):
                if tail[_EDGE] in _RUNS or self._implicit.is_property(outcome):
                    rows.append(row)
                    rows += tail
                    rules.append(rule)
        return rows, rules

    def _declares(self, row: int, outcome: ResolvedOccurrence) -> bool:
        """`self.x = v` is itself the definition of `x`, unless something else declares it."""
        definition = self._bound_at.get(self._starts[row])
        if definition is None:
            return False
        return not outcome.targets or DefinitionRef(self._path, definition) in outcome.targets

    # one occurrence

    def _resolve(self, row: int, base: int, role: int) -> ResolvedOccurrence:
        name = self._facts.strings[self._names[row]]
        if role == IMPORT_ROLE:
            return self._import(row, base, name)
        if role == KEYWORD_ROLE:
            return self._keyword(base, name)
        if role == EXPORT_ROLE:
            answer = self._types.names.name_answer(self._types.own, 0, name)
            return self._lexical(answer, _GLOBAL) if answer else self._exported_module(name)
        if base >= 0:
            return self._member(base, name)
        return self._name(self._scopes[row], name, self._starts[row])

    def _name(self, scope: int, name: str, use: int) -> ResolvedOccurrence:
        types = self._types
        rows = types.names.lookup(types.own, scope, name, use)
        if rows:
            return self._lexical(self._follow_imports(rows), _LOCAL)
        answer = types.names.name_answer(types.own, scope, name, use)
        if answer and isinstance(answer[0], External) and answer[0].dotted.startswith("builtins."):
            return ResolvedOccurrence(answer, _LEXICAL, 100, _BUILTIN)
        if answer:
            return self._lexical(answer, _STARRED)
        starred = bool(types.own.members(0).get("*"))
        return ResolvedOccurrence((), reason=_DYNAMIC if starred else _UNBOUND)

    def _follow_imports(self, rows: tuple[int, ...]) -> DefinitionRefs:
        """Bindings of the own file, and the one of them that stands for a shared name in the graph."""
        types, own = self._types, self._types.own
        answer = types.names.followed(own, rows)
        holder = own.scope[rows[0]]
        if own.scope_kind[holder] not in (MODULE_SCOPE, CLASS_SCOPE):
            return answer
        key = (holder, own.name[rows[0]])
        if key not in self._shared:
            self._shared[key] = self._one_for_all(holder, own.text(rows[0]))
        first = self._shared[key]
        if first is None or first in answer:
            return answer
        shared = any(isinstance(ref, DefinitionRef) and ref.file == self._path for ref in answer)
        return (*answer, first) if shared else answer

    def _one_for_all(self, holder: int, name: str) -> DefinitionRef | None:
        """The binding that stands for all of a name; None where each stands for itself."""
        own = self._types.own
        every = own.members(holder)[name]
        if len(every) == 1 or own.kind[every[0]] in SINGLE:
            return None
        typed = (row for row in every if own.type[row] >= 0 and own.scope_kind[holder] == CLASS_SCOPE)
        return DefinitionRef(self._path, next(typed, every[0]))

    def _lexical(self, answer: DefinitionRefs, rule: int) -> ResolvedOccurrence:
        if not answer:
            return ResolvedOccurrence((), reason=_MISSING_MODULE)
        ref = answer[0]
        if isinstance(ref, External):
            return ResolvedOccurrence(answer, _IMPORT, 100, _EXTERNAL)
        if ref.file != self._path or ref.row < 0:
            return ResolvedOccurrence(answer, _IMPORT, 100, _STARRED if rule == _STARRED else _IMPORTED)
        return ResolvedOccurrence(answer, _LEXICAL, 100, rule)

    def _exported_module(self, name: str) -> ResolvedOccurrence:
        """`__all__` of a package may list a submodule that nothing imports."""
        answer = self._types.names.module_member(Module(self._path), name)
        return self._lexical(answer, _MODULE_MEMBER)

    def _import(self, row: int, base: int, name: str) -> ResolvedOccurrence:
        types, table = self._types, self._types.own.expressions
        if base < 0 or table.kind[base] != MODULE_EXPRESSION:
            return ResolvedOccurrence((), reason=_MISSING_MODULE)
        prefix, level = types.own.strings[table.a[base]], table.b[base]
        if row in self._module_parts or (not prefix and level == 0):
            dotted = types.names.absolute(types.own, prefix, level)
            full = f"{dotted}.{name}" if dotted else name
            module = types.names.module_named(full, self._path, level > 0) if dotted is not None else None
            answer = module_refs(module)
            missing = not answer and not isinstance(module, PyNamespace)
            reason = _MISSING_MODULE if missing else _DYNAMIC
            return ResolvedOccurrence(answer, _IMPORT, 100, _IMPORTED, reason)
        module = types.names.module_at(types.own, prefix, level)
        if module is None:
            return ResolvedOccurrence((), reason=_MISSING_MODULE)
        answer = types.names.module_member(module, name)
        if not answer:
            self._note_reading(types.infer(types.own, base), name, (MISSING,))
        rule = _EXTERNAL if answer and isinstance(answer[0], External) else _IMPORTED
        return ResolvedOccurrence(answer, _IMPORT, 100, rule, self._missing_in(module))

    def _missing_in(self, module: Value) -> int:
        if isinstance(module, Module):
            unit = self._types.context.unit(module.file)
            if unit.dynamic or unit.members(0).get("*"):
                return _DYNAMIC
        return _MISSING_MEMBER

    def _member(self, base: int, name: str) -> ResolvedOccurrence:
        before = self._types.infer(self._types.own, base)
        known = self._members.get((before, name))
        if known is None:
            known = self._members[before, name] = self._member_of(before, name)
            # A private member of the object itself is there: in `__slots__`, or put there past the hooks.
            own = before.rule == PyRule.RECEIVER and name.startswith("_")
            self._note_reading(before, name, (READING,) if known.targets or own else (READING, MISSING))
        return known

    def _note_reading(self, before: PyInference, name: str, hooks: tuple[str, ...]) -> None:
        found = [one for hook in hooks if (one := self._implicit.of_hook(before, hook)) is not None]
        if found:
            self._reading[before, name] = found

    def _hooks(self, base: int, role: int, name: str) -> Sequence[ResolvedOccurrence]:
        """What a use of a member runs of the object's class."""
        hook = _HOOKED.get(role)
        if hook is None:
            return self._reading.get((self._types.infer(self._types.own, base), name), ()) if role in _READ else ()
        found = self._implicit.of_hook(self._types.infer(self._types.own, base), hook)
        return () if found is None else (found,)

    def _member_of(self, before: PyInference, name: str) -> ResolvedOccurrence:
        types = self._types
        values = [solid(value) for value in before.values if value != NOTHING]
        if not values:
            crowd = _CANDIDATES if before.rule == PyRule.CROWD else _UNKNOWN_RECEIVER
            return ResolvedOccurrence((), reason=_LIMIT if types.context.exhausted else crowd)
        found: dict[DefinitionRef | External, None] = {}
        outside = False
        for value in values:
            member = types.classes.find(value, name)
            if isinstance(member, tuple):
                found.update(dict.fromkeys(member))
            elif member is not None:
                if member.crowded and types.context.unit(member.holder.file).kind[member.rows[0]] in SINGLE:
                    return ResolvedOccurrence((), reason=_CANDIDATES)
                outside = outside or bool(member.outside)
                found.update(
                    dict.fromkeys(types.library.outward(DefinitionRef(member.holder.file, row)) for row in member.rows)
                )
            elif isinstance(value, PyExternalInstance) and value.dotted and types.library.is_partly_unknown(value):
                found[External(f"{value.dotted}.{name}")] = None
        if not found:
            return ResolvedOccurrence((), reason=self._missing_member(values))
        return self._member_outcome(before, values, tuple(found), outside)

    def _member_outcome(
        self, before: PyInference, values: list[Value], answer: DefinitionRefs, outside: bool
    ) -> ResolvedOccurrence:
        module = all(isinstance(value, (Module, PyNamespace, External)) for value in values)
        decided = before.sure and before.rule in _DECIDED and not outside
        if module:
            return ResolvedOccurrence(answer, _IMPORT, 100, _MODULE_MEMBER)
        resolution = _MEMBER if decided else _INFERRED
        confidence = 95 if decided else 70 if outside else 80
        rule = before.rule if before.rule not in (_LOCAL, _GLOBAL) else _CLASS_MEMBER
        return ResolvedOccurrence(answer, resolution, confidence, rule)

    def _missing_member(self, values: list[Value]) -> int:
        types = self._types
        for value in map(types.library.with_readable_class, values):
            if isinstance(value, (PyInstance, PyClass)):
                if types.classes.class_member(value, "__getattr__"):
                    return _DYNAMIC
                if types.classes.opaque(value):
                    return _OPAQUE_BASE
            elif isinstance(value, Module):
                return self._missing_in(value)
            elif not isinstance(value, (PyFunction, PyExternalInstance)):
                return _UNKNOWN_RECEIVER
        return _MISSING_MEMBER

    def _keyword(self, base: int, name: str) -> ResolvedOccurrence:
        """`f(name=...)`: the parameter of what is called, or the field of a data class."""
        types = self._types
        before = types.infer(types.own, base) if base >= 0 else None
        found: dict[DefinitionRef | External, None] = {}
        for value in map(solid, before.values if before else ()):
            found.update(dict.fromkeys(self._parameters_by_name(value, name)))
        if not found:
            outside = before is not None and before.values and all(map(self._takes_outside, map(solid, before.values)))
            return ResolvedOccurrence((), reason=_OUTSIDE_PARAMETER if outside else _UNKNOWN_RECEIVER)
        sure = before is not None and before.sure
        return ResolvedOccurrence(tuple(found), _MEMBER if sure else _INFERRED, 90, _KEYWORD)

    def _takes_outside(self, callee: Value) -> bool:
        """Whether the parameters of what is called are of something outside."""
        types = self._types
        if isinstance(callee, PyFunction):
            return is_library(callee.file)
        if isinstance(callee, PyClass):
            made = types.classes.class_member(callee, "__init__") or types.classes.class_member(callee, "__new__")
            return is_library(callee.file if made is None else made.holder.file)
        return isinstance(callee, External)

    def _parameters_by_name(self, value: Value, name: str) -> list[DefinitionRef]:
        types = self._types
        if isinstance(value, PyFunction):
            if is_library(value.file):
                return []
            unit = types.context.unit(value.file)
            hidden = flags.VARIADIC | flags.KEYWORDS
            rows = unit.parameters(value.row)
            wanted = unit.members(unit.body[value.row]).get(name, ()) if rows else ()
            named = [
                DefinitionRef(value.file, row)
                for row in wanted
                if unit.kind[row] == PARAMETER_DEFINITION and not unit.flags[row] & hidden
            ]
            return named or self._unpacked_keys(value.file, rows, name)
        if isinstance(value, PyInstance):
            found = types.classes.class_member(value, "__call__")
        elif isinstance(value, PyClass):
            found = types.classes.class_member(value, "__init__") or types.classes.class_member(value, "__new__")
            if found is None or is_library(found.holder.file):
                return self._fields_by_name(value, name)
        else:
            return []
        if found is None or is_library(found.holder.file):
            return []
        return [ref for row in found.rows for ref in self._parameters_by_name(PyFunction(found.holder.file, row), name)]

    def _unpacked_keys(self, file: FilePath, parameters: Iterable[int], name: str) -> list[DefinitionRef]:
        """`**options: Unpack[Options]` takes the keys of a typed dictionary by name."""
        types = self._types
        unit = types.context.unit(file)
        table, found = unit.expressions, list[DefinitionRef]()
        for row in parameters:
            annotation = unit.type[row]
            if not unit.flags[row] & flags.KEYWORDS or annotation < 0:
                continue
            if table.kind[annotation] == SUBSCRIPT_EXPRESSION and any(
                isinstance(form, External) and form.dotted.rpartition(".")[2] == "Unpack"
                for form in types.annotations.answer_of(unit, table.a[annotation])
            ):
                keys = [value for value in types.annotations.denote(unit, annotation) if isinstance(value, PyInstance)]
                found.extend(ref for key in keys for ref in self._fields_by_name(PyClass(key.file, key.row), name))
        return found

    def _fields_by_name(self, cls: PyClass, name: str) -> list[DefinitionRef]:
        """Classes without a written constructor take their annotated fields by name (data classes and the like)."""
        found = self._types.classes.class_member(cls, name)
        if found is None or is_library(found.holder.file):
            return []
        unit = self._types.context.unit(found.holder.file)
        return [DefinitionRef(found.holder.file, row) for row in found.rows if unit.type[row] >= 0]

    def _value_at(self, row: int) -> PyInference:
        types = self._types
        base, name = self._bases[row], self._facts.strings[self._names[row]]
        if base >= 0:
            values = types.infer(types.own, base).values
            parts = tuple(types.member_value(value, name) for value in values if value != NOTHING)
            return join(parts)
        rows = types.names.lookup(types.own, self._scopes[row], name, self._starts[row])
        return types.rows_value(types.own, rows) if rows else PyInference(())

    # tables

    def _target_columns(self, outcome: ResolvedOccurrence, role: int) -> _TargetColumns:
        """The columns of an answer behind the occurrence, with its rule; none where too many things are meant.

        Equal outcomes share them for a role.
        """
        key = (id(outcome), role)
        tails = self._target_columns_memo.get(key)
        if tails is None:
            self._live_outcomes.append(outcome)
            tails = self._target_columns_memo[key] = self._build_target_columns(outcome, role)
        return tails

    def _build_target_columns(self, outcome: ResolvedOccurrence, role: int) -> _TargetColumns:
        answer, confidence = outcome.targets, outcome.confidence
        if len(answer) == 1:
            file, symbol = self._numbers.end(answer[0])
            edge = self._edge(role, answer[0])
            return (((file, symbol, edge, outcome.resolution, confidence, 0), outcome.rule),)
        nodes = [self._node(ref) for ref in answer]
        if len(answer) > _MAX_PLACES:
            answer = some_of_each(answer, nodes, _MAX_PLACES)
            if not answer:
                return ()
        ambiguous = len(set(nodes)) > 1
        if ambiguous:
            confidence = min(confidence, max(30, confidence - 10 * len(answer)))
        shared = (outcome.resolution, confidence, int(ambiguous))
        return tuple(((*self._numbers.end(ref), self._edge(role, ref), *shared), outcome.rule) for ref in answer)

    def _node(self, ref: DefinitionRef | External) -> object:
        """What tells nodes apart: several bindings of one variable are one."""
        if isinstance(ref, External) or ref.row < 0:
            return ref
        unit = self._types.context.unit(ref.file)
        if unit.kind[ref.row] in _CALL_EDGES and not unit.overloads(ref.row):
            return ref
        return (ref.file, unit.scope[ref.row], unit.text(ref.row))

    def _edge(self, role: int, ref: DefinitionRef | External) -> int:
        special = _ROLE_EDGES.get(role)
        if isinstance(ref, External):
            return _CALLS if role == CALL_ROLE else special or _REFERENCES
        if ref.row < 0:
            return _IMPORTS if role == IMPORT_ROLE else _REFERENCES
        if special is not None and role != TEXT_ROLE:
            return special
        kind = self._types.context.unit(ref.file).kind[ref.row]
        if special is not None:
            # `getattr(x, "name")` runs a property.
            return _ACCESSES if kind == PROPERTY_DEFINITION else special
        if role == CALL_ROLE:
            return _CALL_EDGES.get(kind, _ACCESSES)
        return _REFERENCES if role == IMPORT_ROLE or kind in _CALL_EDGES else _ACCESSES

    def _overrides(self, paced: Callable[[Iterable[int]], Iterable[int]] | None) -> list[tuple[int, ...]]:
        types, own = self._types, self._types.own
        rows: list[tuple[int, ...]] = []
        methods = [
            row
            for row, kind in enumerate(own.kind)
            if kind in (METHOD_DEFINITION, PROPERTY_DEFINITION) and not own.flags[row] & flags.SETTER
        ]
        for row in methods if paced is None else paced(methods):
            owner = types.classes.class_of_method(own, row)
            name = own.text(row)
            if owner is None or (name.startswith("__") and not name.endswith("__")):
                continue
            found = types.classes.class_member(owner, name, after=owner)
            if found and not is_library(found.holder.file):
                file, symbol = self._numbers.end(DefinitionRef(found.holder.file, found.rows[-1]))
                rows.append((row, file, symbol, int(types.classes.is_protocol(found.holder))))
        return rows

    def _modules(self) -> list[tuple[int, ...]]:
        types, table, strings = self._types, self._facts.imports, self._facts.strings
        rows: list[tuple[int, ...]] = []
        for row, module in enumerate(table.module):
            found = types.names.module_at(types.own, strings[module], table.level[row])
            if table.name[row] >= 0 and found is not None and not isinstance(found, External):
                member = types.names.module_member(found, strings[table.name[row]])
                submodules = [ref for ref in member if isinstance(ref, DefinitionRef) and ref.row < 0]
                if submodules and (isinstance(found, PyNamespace) or not table.flags[row] & _STAR):
                    found = Module(submodules[0].file)
            for ref in module_refs(found):
                file, symbol = self._numbers.end(ref)
                rows.append((row, file, symbol, _IMPORTS, _IMPORT, 100, 0))
        return rows


def _module_parts(facts: FileFacts) -> frozenset[int]:
    """Occurrences that are parts of a module's dotted name, not names imported from it."""
    table, uses = facts.imports, facts.occurrences
    ranges = sorted(
        (table.start[row], table.end[row])
        for row, name in enumerate(table.name)
        if name >= 0 and not table.flags[row] & _STAR
    )
    starts = [start for start, _ in ranges]
    parts: list[int] = []
    for row, role in enumerate(uses.role):
        if role == IMPORT_ROLE:
            at = bisect_right(starts, uses.start[row]) - 1
            if at < 0 or ranges[at][1] <= uses.start[row]:
                parts.append(row)
    return frozenset(parts)


def _type_refs(value: Value) -> DefinitionRefs:
    value = solid(value)
    if isinstance(value, (PyInstance, PyClass)):
        return (DefinitionRef(value.file, value.row),)
    if isinstance(value, PyExternalInstance):
        return (External(value.dotted),)
    return ()
