"""Occurrences: each occurrence of one file and what it means.

Owns: roles to questions, answers to targets with edge kind, resolution, confidence and rule.
Must not know: other languages, records, editors.
Invariant: `at` gives for a row exactly what `links` gives for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, Resolution, UnresolvedReason
from graphls.facts.links import OWN_FILE, Links
from graphls.facts.paths import FilePath, ending_of
from graphls.facts.surface import Surface
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    DECORATE_ROLE,
    EXPORT_ROLE,
    FIELD_DEFINITION,
    FUNCTION_EXPRESSION,
    IMPLEMENT_ROLE,
    IMPORT_DEFINITION,
    IMPORT_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PROPERTY_DEFINITION,
    RENDER_ROLE,
    SETTER_FLAG,
    STATIC_FLAG,
    TYPE_ALIAS_DEFINITION,
    TYPE_ROLE,
    WRITE_ROLE,
)
from graphls.languages.extract.yielding import release_entries
from graphls.languages.provider import World
from graphls.languages.resolve.link_numbers import LinkNumbers
from graphls.languages.resolve.structural_value import (
    DefinitionRef,
    DefinitionRefs,
    External,
    Module,
    ResolvedOccurrence,
    some_of_each,
)
from graphls.languages.typescript.syntax.forms import forms_of
from graphls.languages.typescript.types.global_names import GLOBALS, GLOBALS_OF
from graphls.languages.typescript.types.held_functions import HeldFunctions
from graphls.languages.typescript.types.inference import FUNCTIONS, TsTypeInference
from graphls.languages.typescript.types.jsx import INTRINSIC, jsx_origin
from graphls.languages.typescript.types.names import ASSIGNED, SymbolMeaning
from graphls.languages.typescript.types.stand_ins import StandIns
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    TsBuiltin,
    TsClass,
    TsInference,
    TsInstance,
    TsNamespace,
    TsObject,
    TsRule,
    Value,
    Values,
    join,
)

_DECIDED = frozenset(
    {
        TsRule.RECEIVER,
        TsRule.SUPER,
        TsRule.CLASS_MEMBER,
        TsRule.MODULE_MEMBER,
        TsRule.ANNOTATED,
        TsRule.CONSTRUCTED,
        TsRule.GLOBAL,
        TsRule.IMPORT,
        TsRule.NARROWED,
        TsRule.EXTERNAL,
        TsRule.LOCAL,
        TsRule.NAMESPACE,
        TsRule.OBJECT_MEMBER,
        TsRule.RETURNED,
    }
)
_ROLE_EDGES: dict[int, EdgeKind] = {
    INHERIT_ROLE: EdgeKind.EXTENDS,
    IMPLEMENT_ROLE: EdgeKind.IMPLEMENTS,
    DECORATE_ROLE: EdgeKind.DECORATES,
    TYPE_ROLE: EdgeKind.TYPE_REF,
    EXPORT_ROLE: EdgeKind.EXPORTS,
    RENDER_ROLE: EdgeKind.RENDERS,
    KEYWORD_ROLE: EdgeKind.REFERENCES,
}
_CALLABLE = frozenset((*FUNCTIONS, CLASS_DEFINITION))
_LISTS = frozenset((IMPORT_ROLE, EXPORT_ROLE, KEYWORD_ROLE, WRITE_ROLE))
_USES = frozenset((CALL_ROLE, INHERIT_ROLE, RENDER_ROLE, DECORATE_ROLE))
_RUNNING = frozenset((CALL_ROLE, RENDER_ROLE))
_MAX_PLACES: Final = 16
_MAX_PASSED: Final = 4
_MEMBERS: Final = frozenset((METHOD_DEFINITION, PROPERTY_DEFINITION, FIELD_DEFINITION))
_THROUGH: Final = ("call", "apply")
_OUTSIDE: Final = -1
"""The reason of a use that means nothing of the workspace and has no name outside either."""


class TypeScriptResolver:
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> None:
        self._path = path
        self._facts = facts
        self._types = TsTypeInference(path, facts, world)
        self._numbers = LinkNumbers(path)
        self._plain: dict[tuple[int, int, int], ResolvedOccurrence] = {}
        self._intrinsic = facts.strings.index(INTRINSIC) if INTRINSIC in facts.strings else -1
        self._added = GLOBALS_OF.get(ending_of(path), frozenset())
        table = facts.definitions
        self._bound = {table.start[row]: row for row, kind in enumerate(table.kind) if kind == IMPORT_DEFINITION}
        self._held = HeldFunctions(self._types)

    def __del__(self) -> None:
        # Parts of the inference lead to each other: a garbage collection would come late.
        self._types.release()
        release_entries(self._plain)

    def links(self, paced: Callable[[Iterable[int]], Iterable[int]] | None = None) -> Links:
        """Every occurrence of the file, at the pace of whoever asks."""
        rows = range(len(self._facts.occurrences))
        return self._links_for(rows if paced is None else paced(rows), everything=True, paced=paced)

    def at(self, occurrences: Collection[int], frame: bool = False, constructs: bool = False) -> Links:
        """These rows of Occurrences only; `frame`: overrides and modules as well."""
        return self._links_for(sorted(occurrences), everything=frame)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes and interfaces of the values that these occurrences have."""
        rows: list[int] = []
        rules: list[int] = []
        for row in sorted(occurrences):
            inference = self._value_at(row)
            answer = tuple(dict.fromkeys(ref for value in inference.values for ref in _type_refs(value)))
            outcome = ResolvedOccurrence(answer, Resolution.INFERRED, 100 if inference.sure else 70, inference.rule)
            self._add(rows, rules, row, outcome)
        return self._numbers.links(rows, rules)

    def _value_at(self, row: int) -> TsInference:
        table, types = self._facts.occurrences, self._types
        base, name = table.base[row], self._facts.strings[table.name[row]]
        if base >= 0:
            values = types.infer(types.own, base).values
            return join(tuple(types.member_inference(value, name) for value in values))
        return types.answer_value(types.names.name_answer(types.own, table.scope[row], name, SymbolMeaning.VALUE))

    def _links_for(
        self,
        rows: Iterable[int],
        everything: bool,
        paced: Callable[[Iterable[int]], Iterable[int]] | None = None,
    ) -> Links:
        targets: list[int] = []
        rules: list[int] = []
        unresolved: list[int] = []
        held: list[int] = []
        held_rules: list[int] = []
        roles = self._facts.occurrences.role
        for row in rows:
            outcome = self._resolve_cached(row)
            if outcome.targets:
                if not self._add(targets, rules, row, outcome):
                    unresolved += (row, UnresolvedReason.CANDIDATES)
                elif roles[row] in _RUNNING:
                    self._add_held(held, held_rules, row, outcome)
            elif roles[row] == CALL_ROLE and (run := self._through(row)) is not None:
                self._add(held, held_rules, row, run)
            elif outcome.reason != _OUTSIDE:
                unresolved += (row, outcome.reason)
        overrides = self._overrides(paced) if everything else []
        modules = self._modules() if everything else []
        return self._numbers.links(
            targets,
            rules,
            unresolved,
            overrides=overrides,
            modules=modules,
            implicit=held,
            implicit_rules=held_rules,
        )

    def _through(self, row: int) -> ResolvedOccurrence | None:
        """What a call of `call` or `apply` of a function runs."""
        base, name = self._facts.occurrences.base[row], self._facts.strings[self._facts.occurrences.name[row]]
        return self._held.through(self._types.infer(self._types.own, base)) if name in _THROUGH and base >= 0 else None

    def _add_held(self, held: list[int], rules: list[int], row: int, outcome: ResolvedOccurrence) -> None:
        """Adds what a call runs that names what holds it. Uses count behind the constructs, of which there are none."""
        role = self._facts.occurrences.role[row]
        if all(isinstance(ref, External) or ref.row < 0 or self._callable(ref) for ref in outcome.targets):
            return
        found = self._held.of(role, outcome.targets, self._value_at(row))
        if found is not None:
            self._add(held, rules, row, found)

    # one occurrence

    def _resolve_cached(self, row: int) -> ResolvedOccurrence:
        """The answer for one occurrence; a plain name means the same wherever a scope uses it in the same way."""
        table = self._facts.occurrences
        role = table.role[row]
        if table.base[row] >= 0 or role in _LISTS or role == INHERIT_ROLE:
            return self._with_chosen_overload(row, self._through_aliases(row, self._resolve(row)))
        key = (table.scope[row], table.name[row], role)
        known = self._plain.get(key)
        if known is None:
            known = self._plain[key] = self._through_aliases(row, self._resolve(row))
        return self._with_chosen_overload(row, known)

    def _with_chosen_overload(self, row: int, outcome: ResolvedOccurrence) -> ResolvedOccurrence:
        """The signature that a call means comes before the others of its function."""
        table, answer = self._facts.occurrences, outcome.targets
        if len(answer) < 2 or table.role[row] != CALL_ROLE:
            return outcome
        count, forms = forms_of(table.flags[row])
        first = answer[0]
        if count < 0 or isinstance(first, External) or first.row < 0 or not self._callable(first):
            return outcome
        chosen = DefinitionRef(
            first.file, self._types.overloads.overload(self._types.context.unit(first.file), first.row, count, forms)
        )
        if chosen == first or chosen not in answer:
            return outcome
        reordered = (chosen, *[ref for ref in answer if ref != chosen])
        return ResolvedOccurrence(reordered, outcome.resolution, outcome.confidence, outcome.rule, outcome.reason)

    def _resolve(self, row: int) -> ResolvedOccurrence:
        table = self._facts.occurrences
        base, role = table.base[row], table.role[row]
        name = self._facts.strings[table.name[row]]
        if role in (IMPORT_ROLE, EXPORT_ROLE) and base < 0:
            return self._binding(row, name)
        if role == IMPORT_ROLE and self._types.own.expressions.kind[base] == MODULE_EXPRESSION:
            return self._imported(base, name)
        if base >= 0 and role in (TYPE_ROLE, IMPLEMENT_ROLE, INHERIT_ROLE):
            answer = self._types.annotations.entity_member(self._types.own, base, name, self._meaning(row, role))
            if answer or role == TYPE_ROLE:
                return self._of_module(answer)
        if base >= 0:
            outcome = self._member(base, name, role)
            if self._intrinsic >= 0 and self._is_of_element(base):
                return self._of_element(base, outcome)
            bound = (
                ()
                if outcome.targets or not name.startswith("#")
                else self._types.names.private(self._types.own, table.scope[row], name)
            )
            return ResolvedOccurrence(bound, Resolution.LEXICAL, 100, TsRule.LOCAL) if bound else outcome
        return self._name(row, name, role)

    def _through_aliases(self, row: int, outcome: ResolvedOccurrence) -> ResolvedOccurrence:
        """A member that only passes on a function, class or import leads to it where it is used as one."""
        table = self._facts.occurrences
        role = table.role[row]
        if role in _LISTS or (table.base[row] >= 0 and role not in _USES):
            return outcome
        targets = outcome.targets
        for _ in range(_MAX_PASSED):
            before, targets = targets, tuple(dict.fromkeys(end for ref in targets for end in self._alias_targets(ref)))
            if targets == before:
                break
        if targets == outcome.targets:
            return outcome
        return ResolvedOccurrence(targets, outcome.resolution, outcome.confidence, outcome.rule, outcome.reason)

    def _alias_targets(self, ref: DefinitionRef | External) -> DefinitionRefs:
        if isinstance(ref, External) or ref.row < 0:
            return (ref,)
        types, unit = self._types, self._types.context.unit(ref.file)
        value = unit.value[ref.row]
        if unit.kind[ref.row] != FIELD_DEFINITION or value < 0 or unit.type[ref.row] >= 0:
            return (ref,)
        table = unit.expressions
        if table.kind[value] == FUNCTION_EXPRESSION:
            return (DefinitionRef(ref.file, table.a[value]),)
        if table.kind[value] != NAME_EXPRESSION or unit.scope_kind[unit.scope[ref.row]] != OBJECT_SCOPE:
            return (ref,)
        name = unit.strings[table.a[value]]
        ends = types.names.name_answer(unit, table.b[value], name, SymbolMeaning.VALUE)
        known = [end for end in ends if isinstance(end, DefinitionRef) and end.row >= 0]
        given = name == unit.text(ref.row) and _is_exported(unit, unit.scope[ref.row])
        if known and (given or all(self._callable(end) for end in known)):
            return tuple(known)
        return (ref,)

    def _callable_here(self, ref: DefinitionRef | External) -> bool:
        return isinstance(ref, DefinitionRef) and ref.row >= 0 and self._callable(ref)

    def _callable(self, ref: DefinitionRef) -> bool:
        return self._types.context.unit(ref.file).kind[ref.row] in _CALLABLE

    def _meaning(self, row: int, role: int) -> SymbolMeaning:
        if role in (TYPE_ROLE, IMPLEMENT_ROLE):
            return SymbolMeaning.TYPE
        if role == INHERIT_ROLE:
            owner = self._facts.occurrences.owner[row]
            interface = owner >= 0 and self._facts.definitions.kind[owner] == INTERFACE_DEFINITION
            return SymbolMeaning.TYPE if interface else SymbolMeaning.VALUE
        return SymbolMeaning.VALUE

    def _name(self, row: int, name: str, role: int) -> ResolvedOccurrence:
        types, scope = self._types, self._facts.occurrences.scope[row]
        for meaning in (self._meaning(row, role), SymbolMeaning.ANY):
            rows = types.names.lookup(types.own, scope, name, meaning)
            if rows:
                answer = types.names.followed(types.own, rows, meaning) or types.names.followed(
                    types.own, rows, SymbolMeaning.ANY
                )
                return self._lexical(answer)
        meaning = self._meaning(row, role)
        answer = types.names.global_answer(types.own, name, meaning) or types.names.global_answer(
            types.own, name, SymbolMeaning.ANY
        )
        if answer:
            found = self._lexical(answer)
            return ResolvedOccurrence(answer, found.resolution, found.confidence, TsRule.GLOBAL, found.reason)
        if name in GLOBALS or name in self._added or role in (TYPE_ROLE, IMPLEMENT_ROLE, INHERIT_ROLE):
            return ResolvedOccurrence((External(name),), Resolution.LEXICAL, 90, TsRule.BUILTIN)
        return ResolvedOccurrence(())

    def _lexical(self, answer: DefinitionRefs) -> ResolvedOccurrence:
        if not answer:
            return ResolvedOccurrence((), reason=UnresolvedReason.MISSING_MODULE)
        ref = answer[0]
        if isinstance(ref, External):
            return ResolvedOccurrence(answer, Resolution.IMPORT, 100, TsRule.EXTERNAL)
        if ref.file != self._path or ref.row < 0:
            return ResolvedOccurrence(answer, Resolution.IMPORT, 100, TsRule.IMPORT)
        return ResolvedOccurrence(answer, Resolution.LEXICAL, 100, TsRule.LOCAL)

    def _binding(self, row: int, name: str) -> ResolvedOccurrence:
        """A name that an import or export binds or lists."""
        types, table = self._types, self._facts.occurrences
        bound = self._bound.get(table.start[row], -1)
        if bound >= 0:
            return self._lexical(types.names.imported(types.own, bound, SymbolMeaning.ANY))
        return self._lexical(types.names.name_answer(types.own, table.scope[row], name, SymbolMeaning.ANY))

    def _imported(self, base: int, name: str) -> ResolvedOccurrence:
        types, table = self._types, self._types.own.expressions
        if table.b[base]:
            inference = types.infer(types.own, base)
            found = self._found(inference, name)
            if found:
                return ResolvedOccurrence(found, Resolution.IMPORT, 100, TsRule.IMPORT)
        answer = types.names.module_expression_member(types.own, base, name, SymbolMeaning.ANY)
        if answer:
            rule = TsRule.EXTERNAL if isinstance(answer[0], External) else TsRule.IMPORT
            return ResolvedOccurrence(answer, Resolution.IMPORT, 100, rule)
        known = types.context.modules().find(types.own.strings[table.a[base]], self._path)
        reason = UnresolvedReason.MISSING_MEMBER if known else UnresolvedReason.MISSING_MODULE
        return ResolvedOccurrence((), reason=reason)

    def _of_module(self, answer: DefinitionRefs) -> ResolvedOccurrence:
        if not answer:
            return ResolvedOccurrence((), reason=UnresolvedReason.MISSING_MEMBER)
        rule = TsRule.EXTERNAL if isinstance(answer[0], External) else TsRule.MODULE_MEMBER
        return ResolvedOccurrence(answer, Resolution.IMPORT, 100, rule)

    def _found(self, before: TsInference, name: str) -> DefinitionRefs:
        found: dict[DefinitionRef | External, None] = {}
        for value in before.values:
            for entry in self._types.hierarchy.find(value, name):
                found.update(dict.fromkeys(entry.answer))
        if any(isinstance(ref, DefinitionRef) for ref in found):
            return tuple(ref for ref in found if isinstance(ref, DefinitionRef))
        return tuple(found)

    def _member(self, base: int, name: str, role: int) -> ResolvedOccurrence:
        types = self._types
        before = types.infer(types.own, base)
        if not before.values:
            crowd = UnresolvedReason.CANDIDATES if before.crowded else UnresolvedReason.UNKNOWN_RECEIVER
            reason = UnresolvedReason.LIMIT if types.context.exhausted else crowd
            return ResolvedOccurrence((), reason=reason)
        answer = self._found(before, name)
        if role == CALL_ROLE and types.is_own_exports(types.own, before, name):
            answer = types.names.assigned(self._path, SymbolMeaning.VALUE) or answer
        if name == "constructor" and answer and all(map(self._callable_here, answer)):
            answer = (External("Object.constructor"),)  # the function that made the value, which no class declares
        if not answer or (role == KEYWORD_ROLE and isinstance(answer[0], External)):
            return ResolvedOccurrence((), reason=self._missing(before))
        values = before.values
        if all(isinstance(value, (Module, TsNamespace, External)) for value in values):
            return ResolvedOccurrence(answer, Resolution.IMPORT, 100, TsRule.MODULE_MEMBER)
        decided = before.sure and before.rule in _DECIDED
        decided = decided and not any(e.outside for value in values for e in types.hierarchy.find(value, name))
        resolution = Resolution.MEMBER if decided else Resolution.INFERRED
        rule = before.rule if before.rule not in (TsRule.LOCAL, TsRule.GLOBAL) else TsRule.CLASS_MEMBER
        return ResolvedOccurrence(answer, resolution, 95 if decided else 80, rule)

    def _is_of_element(self, base: int) -> bool:
        """Whether a base is an element that is built in, or what one takes."""
        table = self._types.own.expressions
        while table.kind[base] == MEMBER_EXPRESSION:
            base = table.a[base]
        return table.kind[base] == LITERAL_EXPRESSION and table.a[base] == self._intrinsic

    def _of_element(self, base: int, outcome: ResolvedOccurrence) -> ResolvedOccurrence:
        """An element or attribute that no file of the workspace declares is the library's, where that can be said."""
        if outcome.targets:
            inside = tuple(ref for ref in outcome.targets if isinstance(ref, DefinitionRef))
            return outcome if inside else ResolvedOccurrence((), reason=_OUTSIDE)
        if jsx_origin(self._types.names).undecided:
            return ResolvedOccurrence((), reason=UnresolvedReason.UNKNOWN_RECEIVER)
        types, table = self._types, self._types.own.expressions
        while not types.infer(types.own, base).values and table.kind[base] == MEMBER_EXPRESSION:
            outer = table.a[base]
            if self._found(types.infer(types.own, outer), types.own.strings[table.b[base]]):
                return ResolvedOccurrence((), reason=UnresolvedReason.UNKNOWN_RECEIVER)
            base = outer
        values = types.infer(types.own, base).values
        if table.kind[base] == LITERAL_EXPRESSION:
            values = types.hierarchy.intrinsic_elements()
        open_ended = any(isinstance(value, TsInstance) and types.hierarchy.has_unknown_base(value) for value in values)
        declared = table.kind[base] != LITERAL_EXPRESSION and self._missing_in(values)
        reason = UnresolvedReason.OPAQUE_BASE if open_ended else UnresolvedReason.MISSING_MEMBER
        return ResolvedOccurrence((), reason=reason if open_ended or declared else _OUTSIDE)

    def _missing_in(self, values: Values) -> bool:
        """Whether types of the workspace lack a member that nothing outside may have."""
        return bool(values) and not any(
            isinstance(value, (TsBuiltin, External))
            or (isinstance(value, TsInstance) and self._types.hierarchy.opaque(value))
            for value in values
        )

    def _missing(self, before: TsInference) -> UnresolvedReason:
        for value in before.values:
            if isinstance(value, (TsInstance, TsClass)):
                if self._types.hierarchy.opaque(value):
                    return UnresolvedReason.OPAQUE_BASE
            elif not isinstance(value, (TsObject, Module, TsNamespace)):
                return UnresolvedReason.UNKNOWN_RECEIVER
        return UnresolvedReason.MISSING_MEMBER

    # tables

    def _add(self, targets: list[int], rules: list[int], row: int, outcome: ResolvedOccurrence) -> bool:
        """Adds the targets of an occurrence; false where too many things are meant."""
        answer = outcome.targets
        nodes = [self._node(ref) for ref in answer] if len(answer) > 1 else [None]
        if len(answer) > _MAX_PLACES:
            answer = some_of_each(answer, nodes, _MAX_PLACES)
            if not answer:
                return False
        ambiguous = len(set(nodes)) > 1
        confidence = outcome.confidence
        if ambiguous:
            confidence = min(confidence, max(30, confidence - 10 * len(answer)))
        role = self._facts.occurrences.role[row]
        for ref in answer:
            file, symbol = self._numbers.end(ref)
            edge = self._edge(role, ref)
            targets += (row, file, symbol, edge, outcome.resolution, confidence, int(ambiguous))
            rules.append(outcome.rule)
        return True

    def _node(self, ref: DefinitionRef | External) -> object:
        """What tells nodes apart: declarations that are merged are one."""
        if isinstance(ref, External) or ref.row < 0:
            return ref
        unit = self._types.context.unit(ref.file)
        return (ref.file, unit.scope[ref.row], unit.text(ref.row))

    def _edge(self, role: int, ref: DefinitionRef | External) -> EdgeKind:
        if isinstance(ref, External):
            return EdgeKind.CALLS if role == CALL_ROLE else _ROLE_EDGES.get(role, EdgeKind.REFERENCES)
        if ref.row < 0:
            return EdgeKind.IMPORTS if role == IMPORT_ROLE else EdgeKind.REFERENCES
        kind = self._types.context.unit(ref.file).kind[ref.row]
        if role == CALL_ROLE:
            if kind == CLASS_DEFINITION:
                return EdgeKind.INSTANTIATES
            return EdgeKind.CALLS if kind in FUNCTIONS else EdgeKind.ACCESSES
        special = _ROLE_EDGES.get(role)
        if special is not None:
            return special
        return EdgeKind.REFERENCES if role == IMPORT_ROLE or kind in _CALLABLE else EdgeKind.ACCESSES

    def _overrides(self, paced: Callable[[Iterable[int]], Iterable[int]] | None) -> list[tuple[int, ...]]:
        """Members of classes that stand in for a member of a base class or interface."""
        own = self._types.own
        rows: list[tuple[int, ...]] = []
        every = range(len(own.kind))
        for row in every if paced is None else paced(every):
            kind, scope = own.kind[row], own.scope[row]
            owner = own.scope_owner[scope]
            if kind not in _MEMBERS or own.scope_kind[scope] != CLASS_SCOPE or owner < 0:
                continue
            name = own.text(row)
            if name == "constructor" or name.startswith("#") or own.flags[row] & SETTER_FLAG:
                continue
            static = bool(own.flags[row] & STATIC_FLAG)
            holder = TsClass(self._path, owner) if static else TsInstance(self._path, owner)
            rows += [(row, *target) for target in self._overridden(holder, name)]
        objects = self._implemented_by_objects()
        promised = {symbol for _, file, symbol, _ in objects if file == OWN_FILE}
        pairs = StandIns(self._types, promised).pairs()
        given = [(row, *self._numbers.end(ref), edge) for (row, ref), edge in pairs]
        return [*rows, *objects, *given]

    def _implemented_by_objects(self) -> list[tuple[int, ...]]:
        """Members of object literals that stand for a member of the type that is declared for the literal."""
        own, uses = self._types.own, self._facts.occurrences
        members: dict[int, int] = {}
        for row, kind in enumerate(own.kind):
            if kind in _MEMBERS and own.scope_kind[own.scope[row]] == OBJECT_SCOPE:
                members[self._facts.definitions.start[row]] = row
        rows: list[tuple[int, ...]] = []
        if not members:
            return rows
        for use, role in enumerate(uses.role):
            row = members.get(uses.start[use], -1) if role == KEYWORD_ROLE and uses.base[use] >= 0 else -1
            if row < 0:
                continue
            targets = self._resolve_cached(use).targets
            meant = [ref for ref in targets if isinstance(ref, DefinitionRef) and ref.row >= 0]
            rows.extend([(row, *self._numbers.end(ref), 1) for ref in meant if self._may_run(row, ref)])
        return rows

    def _may_run(self, row: int, ref: DefinitionRef) -> bool:
        """Whether a member of a literal, or the one that its type declares, is called: data is no implementation."""
        own, declared = self._types.own, self._types.context.unit(ref.file)
        if declared.kind[ref.row] not in _MEMBERS:
            return False
        holder = declared.scope[ref.row]
        if declared.scope_kind[holder] == OBJECT_SCOPE:
            owner = declared.scope_owner[holder]
            if owner >= 0 and declared.kind[owner] != TYPE_ALIAS_DEFINITION:
                return False  # a member of another literal
        return METHOD_DEFINITION in (own.kind[row], declared.kind[ref.row]) or own.kind[row] == PROPERTY_DEFINITION

    def _overridden(self, holder: TsInstance | TsClass, name: str) -> list[tuple[int, int, int]]:
        found: dict[tuple[int, int], int] = {}
        for base in self._types.hierarchy.bases(self._types.own, holder.row, isinstance(holder, TsClass)):
            for value in base:
                for entry in self._types.hierarchy.find(value, name):
                    for ref in entry.answer:
                        if isinstance(ref, DefinitionRef) and ref.row >= 0:
                            promised = isinstance(entry.holder, TsInstance) and self._is_interface(entry.holder)
                            found.setdefault(self._numbers.end(ref), int(promised))
        return [(*target, edge) for target, edge in found.items()]

    def _is_interface(self, holder: TsInstance) -> bool:
        return self._types.context.unit(holder.file).kind[holder.row] == INTERFACE_DEFINITION

    def _modules(self) -> list[tuple[int, ...]]:
        types, table, strings = self._types, self._facts.imports, self._facts.strings
        rows: list[tuple[int, ...]] = []
        for row, module in enumerate(table.module):
            spec = strings[module]
            found = types.context.modules().find(spec, self._path)
            if found is not None:
                file, symbol = self._numbers.end(DefinitionRef(found, -1))
            elif types.context.modules().external(spec):
                file, symbol = self._numbers.end(External(spec))
            else:
                continue
            rows.append((row, file, symbol, EdgeKind.IMPORTS, Resolution.IMPORT, 100, 0))
        return rows


def _is_exported(unit: TsUnit, scope: int) -> bool:
    """Whether an object is what a script assigns to `module.exports`: its short keys are the exports of their names."""
    rows = unit.members(unit.export_scope).get(ASSIGNED, ()) if unit.export_scope >= 0 else ()
    table = unit.expressions
    values = [unit.value[row] for row in rows if unit.value[row] >= 0]
    return any(table.kind[value] == OBJECT_EXPRESSION and table.a[value] == scope for value in values)


def _type_refs(value: Value) -> DefinitionRefs:
    if isinstance(value, (TsInstance, TsClass)):
        return (DefinitionRef(value.file, value.row),)
    if isinstance(value, (TsBuiltin, External)):
        return (External(value.name if isinstance(value, TsBuiltin) else value.dotted),)
    return ()
