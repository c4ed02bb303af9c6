"""Linking: each occurrence of one file and what it means.

Owns: roles to questions, answers to targets with edge kind, resolution, confidence and rule.
Must not know: other languages, records, editors.
Invariant: `at` gives for a row exactly what `links` gives for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, Resolution, UnresolvedReason
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.kinds import (
    ABSTRACT_FLAG,
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
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PROPERTY_DEFINITION,
    RENDER_ROLE,
    SETTER_FLAG,
    STATIC_FLAG,
    TYPE_ROLE,
    WRITE_ROLE,
)
from graphls.languages.known import Answer, External, Module, Outcome, Spot
from graphls.languages.provider import World
from graphls.languages.typescript.forms import forms_of
from graphls.languages.typescript.resolution.calling import Calling
from graphls.languages.typescript.resolution.global_names import GLOBALS, GLOBALS_OF
from graphls.languages.typescript.resolution.inference import FUNCTIONS
from graphls.languages.typescript.resolution.names import ASSIGNED, Meaning
from graphls.languages.typescript.resolution.units import Unit
from graphls.languages.typescript.resolution.values import (
    Builtin,
    Class,
    Holder,
    Inference,
    Instance,
    Object,
    Rule,
    Value,
    join,
)

_DECIDED = frozenset(
    {
        Rule.RECEIVER,
        Rule.SUPER,
        Rule.CLASS_MEMBER,
        Rule.MODULE_MEMBER,
        Rule.ANNOTATED,
        Rule.CONSTRUCTED,
        Rule.GLOBAL,
        Rule.IMPORT,
        Rule.NARROWED,
        Rule.EXTERNAL,
        Rule.LOCAL,
        Rule.NAMESPACE,
        Rule.OBJECT_MEMBER,
        Rule.RETURNED,
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
_MAX_TARGETS: Final = 16
_MAX_PASSED: Final = 4


class TypeScriptResolver:
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> None:
        self._path = path
        self._facts = facts
        self._asked = Calling(path, facts, world)
        self._files: dict[str, int] = {path: 0}
        self._externals: dict[str, int] = {}
        self._plain: dict[tuple[int, int, int], Outcome] = {}
        self._added = GLOBALS_OF.get(path[path.rfind(".") :].lower(), frozenset())
        table = facts.definitions
        self._bound = {table.start[row]: row for row, kind in enumerate(table.kind) if kind == IMPORT_DEFINITION}

    def links(self) -> Links:
        """Every occurrence of the file."""
        return self._made(range(len(self._facts.occurrences)), everything=True)

    def at(self, occurrences: Collection[int], frame: bool = False) -> Links:
        """These rows of Occurrences only; `frame`: overrides and modules as well."""
        return self._made(sorted(occurrences), everything=frame)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes and interfaces of the values that these occurrences have."""
        rows: list[tuple[int, ...]] = []
        rules: list[int] = []
        for row in sorted(occurrences):
            inference = self._value_at(row)
            answer = tuple(dict.fromkeys(spot for value in inference.values for spot in _type_spots(value)))
            outcome = Outcome(answer, Resolution.INFERRED, 100 if inference.sure else 70, inference.rule)
            self._add(rows, rules, row, outcome)
        return self._packed(rows, rules, [], [], [])

    def _value_at(self, row: int) -> Inference:
        table, asked = self._facts.occurrences, self._asked
        base, name = table.base[row], self._facts.strings[table.name[row]]
        if base >= 0:
            values = asked.infer(asked.own, base).values
            return join(tuple(asked.member_inference(value, name) for value in values))
        return asked.answer_value(asked.name_answer(asked.own, table.scope[row], name, Meaning.VALUE))

    def _made(self, wanted: Iterable[int], everything: bool) -> Links:
        targets: list[tuple[int, ...]] = []
        rules: list[int] = []
        unresolved: list[tuple[int, ...]] = []
        for row in wanted:
            outcome = self._answered(row)
            if outcome.answer:
                self._add(targets, rules, row, outcome)
            else:
                unresolved.append((row, outcome.reason))
        overrides = self._overrides() if everything else []
        modules = self._modules() if everything else []
        return self._packed(targets, rules, unresolved, overrides, modules)

    def _packed(
        self,
        targets: list[tuple[int, ...]],
        rules: list[int],
        unresolved: list[tuple[int, ...]],
        overrides: list[tuple[int, ...]],
        modules: list[tuple[int, ...]],
    ) -> Links:
        return Links(
            files=tuple(self._files),
            externals=tuple(self._externals),
            targets=Targets.of(targets),
            unresolved=Unresolved.of(unresolved),
            overrides=Overrides.of(overrides),
            module_targets=Targets.of(modules),
            rules=column(rules),
            reads=(),
            lookups=(),
        )

    # one occurrence

    def _answered(self, row: int) -> Outcome:
        """The answer for one occurrence; a plain name means the same wherever a scope uses it in the same way."""
        table = self._facts.occurrences
        role = table.role[row]
        if table.base[row] >= 0 or role in _LISTS or role == INHERIT_ROLE:
            return self._meant(row, self._led(row, self._outcome(row)))
        key = (table.scope[row], table.name[row], role)
        known = self._plain.get(key)
        if known is None:
            known = self._plain[key] = self._led(row, self._outcome(row))
        return self._meant(row, known)

    def _meant(self, row: int, outcome: Outcome) -> Outcome:
        """The signature that a call means comes before the others of its function."""
        table, answer = self._facts.occurrences, outcome.answer
        if len(answer) < 2 or table.role[row] != CALL_ROLE:
            return outcome
        count, forms = forms_of(table.flags[row])
        first = answer[0]
        if count < 0 or isinstance(first, External) or first.row < 0 or not self._callable(first):
            return outcome
        chosen = Spot(first.file, self._asked.overload(self._asked.unit(first.file), first.row, count, forms))
        if chosen == first or chosen not in answer:
            return outcome
        led = (chosen, *[spot for spot in answer if spot != chosen])
        return Outcome(led, outcome.resolution, outcome.confidence, outcome.rule, outcome.reason)

    def _outcome(self, row: int) -> Outcome:
        table = self._facts.occurrences
        base, role = table.base[row], table.role[row]
        name = self._facts.strings[table.name[row]]
        if role in (IMPORT_ROLE, EXPORT_ROLE) and base < 0:
            return self._binding(row, name)
        if role == IMPORT_ROLE and self._asked.own.expressions.kind[base] == MODULE_EXPRESSION:
            return self._imported(base, name)
        if base >= 0 and role in (TYPE_ROLE, IMPLEMENT_ROLE, INHERIT_ROLE):
            answer = self._asked.entity_member(self._asked.own, base, name, self._meaning(row, role))
            if answer or role == TYPE_ROLE:
                return self._of_module(answer)
        if base >= 0:
            outcome = self._member(base, name, role)
            bound = (
                ()
                if outcome.answer or not name.startswith("#")
                else self._asked.private(self._asked.own, table.scope[row], name)
            )
            return Outcome(bound, Resolution.LEXICAL, 100, Rule.LOCAL) if bound else outcome
        return self._name(row, name, role)

    def _led(self, row: int, outcome: Outcome) -> Outcome:
        """A member that only passes on a function, class or import leads to it where it is used as one."""
        table = self._facts.occurrences
        role = table.role[row]
        if role in _LISTS or (table.base[row] >= 0 and role not in _USES):
            return outcome
        led = outcome.answer
        for _ in range(_MAX_PASSED):
            before, led = led, tuple(dict.fromkeys(end for spot in led for end in self._passed_on(spot)))
            if led == before:
                break
        if led == outcome.answer:
            return outcome
        return Outcome(led, outcome.resolution, outcome.confidence, outcome.rule, outcome.reason)

    def _passed_on(self, spot: Spot | External) -> Answer:
        if isinstance(spot, External) or spot.row < 0:
            return (spot,)
        asked, unit = self._asked, self._asked.unit(spot.file)
        value = unit.value[spot.row]
        if unit.kind[spot.row] != FIELD_DEFINITION or value < 0 or unit.type[spot.row] >= 0:
            return (spot,)
        table = unit.expressions
        if table.kind[value] == FUNCTION_EXPRESSION:
            return (Spot(spot.file, table.a[value]),)
        if table.kind[value] != NAME_EXPRESSION or unit.scope_kind[unit.scope[spot.row]] != OBJECT_SCOPE:
            return (spot,)
        name = unit.strings[table.a[value]]
        ends = asked.name_answer(unit, table.b[value], name, Meaning.VALUE)
        known = [end for end in ends if isinstance(end, Spot) and end.row >= 0]
        given = name == unit.text(spot.row) and _is_exported(unit, unit.scope[spot.row])
        if known and (given or all(self._callable(end) for end in known)):
            return tuple(known)
        return (spot,)

    def _callable_here(self, spot: Spot | External) -> bool:
        return isinstance(spot, Spot) and spot.row >= 0 and self._callable(spot)

    def _callable(self, spot: Spot) -> bool:
        return self._asked.unit(spot.file).kind[spot.row] in _CALLABLE

    def _meaning(self, row: int, role: int) -> Meaning:
        if role in (TYPE_ROLE, IMPLEMENT_ROLE):
            return Meaning.TYPE
        if role == INHERIT_ROLE:
            owner = self._facts.occurrences.owner[row]
            interface = owner >= 0 and self._facts.definitions.kind[owner] == INTERFACE_DEFINITION
            return Meaning.TYPE if interface else Meaning.VALUE
        return Meaning.VALUE

    def _name(self, row: int, name: str, role: int) -> Outcome:
        asked, scope = self._asked, self._facts.occurrences.scope[row]
        for meaning in (self._meaning(row, role), Meaning.ANY):
            rows = asked.lookup(asked.own, scope, name, meaning)
            if rows:
                answer = asked.followed(asked.own, rows, meaning) or asked.followed(asked.own, rows, Meaning.ANY)
                return self._lexical(answer)
        meaning = self._meaning(row, role)
        answer = asked.global_answer(asked.own, name, meaning) or asked.global_answer(asked.own, name, Meaning.ANY)
        if answer:
            found = self._lexical(answer)
            return Outcome(answer, found.resolution, found.confidence, Rule.GLOBAL, found.reason)
        if name in GLOBALS or name in self._added or role in (TYPE_ROLE, IMPLEMENT_ROLE, INHERIT_ROLE):
            return Outcome((External(name),), Resolution.LEXICAL, 90, Rule.BUILTIN)
        return Outcome(())

    def _lexical(self, answer: Answer) -> Outcome:
        if not answer:
            return Outcome((), reason=UnresolvedReason.MISSING_MODULE)
        spot = answer[0]
        if isinstance(spot, External):
            return Outcome(answer, Resolution.IMPORT, 100, Rule.EXTERNAL)
        if spot.file != self._path or spot.row < 0:
            return Outcome(answer, Resolution.IMPORT, 100, Rule.IMPORT)
        return Outcome(answer, Resolution.LEXICAL, 100, Rule.LOCAL)

    def _binding(self, row: int, name: str) -> Outcome:
        """A name that an import or export binds or lists."""
        asked, table = self._asked, self._facts.occurrences
        bound = self._bound.get(table.start[row], -1)
        if bound >= 0:
            return self._lexical(asked.imported(asked.own, bound, Meaning.ANY))
        return self._lexical(asked.name_answer(asked.own, table.scope[row], name, Meaning.ANY))

    def _imported(self, base: int, name: str) -> Outcome:
        asked, table = self._asked, self._asked.own.expressions
        if table.b[base]:
            inference = asked.infer(asked.own, base)
            found = self._found(inference, name)
            if found:
                return Outcome(found, Resolution.IMPORT, 100, Rule.IMPORT)
        answer = asked.module_expression_member(asked.own, base, name, Meaning.ANY)
        if answer:
            rule = Rule.EXTERNAL if isinstance(answer[0], External) else Rule.IMPORT
            return Outcome(answer, Resolution.IMPORT, 100, rule)
        known = asked.modules().find(asked.own.strings[table.a[base]], self._path)
        reason = UnresolvedReason.MISSING_MEMBER if known else UnresolvedReason.MISSING_MODULE
        return Outcome((), reason=reason)

    def _of_module(self, answer: Answer) -> Outcome:
        if not answer:
            return Outcome((), reason=UnresolvedReason.MISSING_MEMBER)
        rule = Rule.EXTERNAL if isinstance(answer[0], External) else Rule.MODULE_MEMBER
        return Outcome(answer, Resolution.IMPORT, 100, rule)

    def _found(self, before: Inference, name: str) -> Answer:
        found: dict[Spot | External, None] = {}
        for value in before.values[:_MAX_TARGETS]:
            for entry in self._asked.find(value, name):
                found.update(dict.fromkeys(entry.answer))
        if any(isinstance(spot, Spot) for spot in found):
            return tuple(spot for spot in found if isinstance(spot, Spot))
        return tuple(found)

    def _member(self, base: int, name: str, role: int) -> Outcome:
        asked = self._asked
        before = asked.infer(asked.own, base)
        if not before.values:
            reason = UnresolvedReason.LIMIT if asked.limited else UnresolvedReason.UNKNOWN_RECEIVER
            return Outcome((), reason=reason)
        answer = self._found(before, name)
        if name == "constructor" and answer and all(map(self._callable_here, answer)):
            answer = (External("Object.constructor"),)  # the function that made the value, which no class declares
        if not answer or (role == KEYWORD_ROLE and isinstance(answer[0], External)):
            return Outcome((), reason=self._missing(before))
        values = before.values
        if all(isinstance(value, (Module, Holder, External)) for value in values):
            return Outcome(answer, Resolution.IMPORT, 100, Rule.MODULE_MEMBER)
        decided = before.sure and before.rule in _DECIDED
        decided = decided and not any(e.outside for value in values[:_MAX_TARGETS] for e in asked.find(value, name))
        resolution = Resolution.MEMBER if decided else Resolution.INFERRED
        rule = before.rule if before.rule not in (Rule.LOCAL, Rule.GLOBAL) else Rule.CLASS_MEMBER
        return Outcome(answer, resolution, 95 if decided else 80, rule)

    def _missing(self, before: Inference) -> UnresolvedReason:
        for value in before.values:
            if isinstance(value, (Instance, Class)):
                if self._asked.opaque(value):
                    return UnresolvedReason.OPAQUE_BASE
            elif not isinstance(value, (Object, Module, Holder)):
                return UnresolvedReason.UNKNOWN_RECEIVER
        return UnresolvedReason.MISSING_MEMBER

    # tables

    def _add(self, targets: list[tuple[int, ...]], rules: list[int], row: int, outcome: Outcome) -> None:
        answer = outcome.answer[:_MAX_TARGETS]
        ambiguous = len(answer) > 1 and len({self._node(spot) for spot in answer}) > 1
        confidence = outcome.confidence
        if ambiguous:
            confidence = min(confidence, max(30, confidence - 10 * len(answer)))
        role = self._facts.occurrences.role[row]
        for spot in answer:
            file, symbol = self._numbered(spot)
            edge = self._edge(role, spot)
            targets.append((row, file, symbol, edge, outcome.resolution, confidence, int(ambiguous)))
            rules.append(outcome.rule)

    def _node(self, spot: Spot | External) -> object:
        """What tells nodes apart: declarations that are merged are one."""
        if isinstance(spot, External) or spot.row < 0:
            return spot
        unit = self._asked.unit(spot.file)
        return (spot.file, unit.scope[spot.row], unit.text(spot.row))

    def _numbered(self, spot: Spot | External) -> tuple[int, int]:
        if isinstance(spot, External):
            return self._externals.setdefault(spot.dotted, len(self._externals)), EXTERNAL
        file = self._files.setdefault(spot.file, len(self._files))
        return (file, WHOLE_MODULE) if spot.row < 0 else (file if spot.file != self._path else OWN_FILE, spot.row)

    def _edge(self, role: int, spot: Spot | External) -> EdgeKind:
        if isinstance(spot, External):
            return EdgeKind.CALLS if role == CALL_ROLE else _ROLE_EDGES.get(role, EdgeKind.REFERENCES)
        if spot.row < 0:
            return EdgeKind.IMPORTS if role == IMPORT_ROLE else EdgeKind.REFERENCES
        kind = self._asked.unit(spot.file).kind[spot.row]
        if role == CALL_ROLE:
            if kind == CLASS_DEFINITION:
                return EdgeKind.INSTANTIATES
            return EdgeKind.CALLS if kind in FUNCTIONS else EdgeKind.ACCESSES
        special = _ROLE_EDGES.get(role)
        if special is not None:
            return special
        return EdgeKind.REFERENCES if role == IMPORT_ROLE or kind in _CALLABLE else EdgeKind.ACCESSES

    def _overrides(self) -> list[tuple[int, ...]]:
        """Members of classes that stand in for a member of a base class or interface."""
        own = self._asked.own
        rows: list[tuple[int, ...]] = []
        members = (METHOD_DEFINITION, PROPERTY_DEFINITION, FIELD_DEFINITION)
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            owner = own.scope_owner[scope]
            if kind not in members or own.scope_kind[scope] != CLASS_SCOPE or owner < 0:
                continue
            name = own.text(row)
            if name == "constructor" or name.startswith("#") or own.flags[row] & SETTER_FLAG:
                continue
            static = bool(own.flags[row] & STATIC_FLAG)
            holder = Class(self._path, owner) if static else Instance(self._path, owner)
            rows += [(row, *target) for target in self._overridden(holder, name)]
        return rows

    def _overridden(self, holder: Instance | Class, name: str) -> list[tuple[int, int, int]]:
        found: dict[tuple[int, int], int] = {}
        for base in self._asked.bases(self._asked.own, holder.row, isinstance(holder, Class)):
            for value in base:
                for entry in self._asked.find(value, name):
                    for spot in entry.answer:
                        if isinstance(spot, Spot) and spot.row >= 0:
                            promised = isinstance(entry.holder, Instance) and self._promised(entry.holder, spot)
                            found.setdefault(self._numbered(spot), int(promised))
        return [(*target, edge) for target, edge in found.items()]

    def _promised(self, holder: Instance, spot: Spot) -> bool:
        unit = self._asked.unit(holder.file)
        abstract = bool(self._asked.unit(spot.file).flags[spot.row] & ABSTRACT_FLAG)
        return abstract or unit.kind[holder.row] == INTERFACE_DEFINITION

    def _modules(self) -> list[tuple[int, ...]]:
        asked, table, strings = self._asked, self._facts.imports, self._facts.strings
        rows: list[tuple[int, ...]] = []
        for row, module in enumerate(table.module):
            spec = strings[module]
            found = asked.modules().find(spec, self._path)
            if found is not None:
                file, symbol = self._numbered(Spot(found, -1))
            elif asked.modules().external(spec):
                file, symbol = self._numbered(External(spec))
            else:
                continue
            rows.append((row, file, symbol, EdgeKind.IMPORTS, Resolution.IMPORT, 100, 0))
        return rows


def _is_exported(unit: Unit, scope: int) -> bool:
    """Whether an object is what a script assigns to `module.exports`: its short keys are the exports of their names."""
    rows = unit.members(unit.export_scope).get(ASSIGNED, ()) if unit.export_scope >= 0 else ()
    table = unit.expressions
    values = [unit.value[row] for row in rows if unit.value[row] >= 0]
    return any(table.kind[value] == OBJECT_EXPRESSION and table.a[value] == scope for value in values)


def _type_spots(value: Value) -> Answer:
    if isinstance(value, (Instance, Class)):
        return (Spot(value.file, value.row),)
    if isinstance(value, (Builtin, External)):
        return (External(value.name if isinstance(value, Builtin) else value.dotted),)
    return ()
